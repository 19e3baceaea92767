//! Panics that cds catches itself are answers, not finds.

use std::sync::Once;

/// Keeps the hook for panics that is there, but for panics inside a guard of `cds-index`: libFuzzer's would end the process
/// at a panic that cds is about to turn into an error.
pub fn leave_guarded_panics() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !cds_engine::is_guarded() {
                before(panic);
            }
        }));
    });
}
