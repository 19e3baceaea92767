//! Work over mapped bytes that other crates read without looking twice. A panic in it means damage, or a fault of ours; it
//! is told as an error, not as a crash.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread will be caught: a hook that prints panics can then stay silent.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Runs `work`; a panic comes back as its message.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|panic| message(panic.as_ref()))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{guard, is_guarded};

    #[test]
    fn a_panic_is_told_with_its_message() {
        assert_eq!(guard(|| 1), Ok(1));
        assert_eq!(guard(|| -> u8 { panic!("{} bytes", 3) }), Err("3 bytes".to_owned()));
        assert_eq!(guard(|| guard(is_guarded)), Ok(Ok(true)));
        assert!(!is_guarded());
    }
}
