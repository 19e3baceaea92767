//! Work that does not end, told by name.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One input may take this long, in a build without optimisation on a machine that does other things too. What takes longer
/// is taken for endless.
const ENDLESS: Duration = Duration::from_mins(1);

/// Looks from another thread at how long work takes, and ends the process when it is too long: nothing else can stop it.
pub struct Watch {
    current: Arc<Mutex<Option<(Instant, String)>>>,
}

impl Watch {
    /// A watch over work of some name.
    pub fn new(of: &'static str) -> Watch {
        let current = Arc::new(Mutex::new(None::<(Instant, String)>));
        // The thread ends when the watch is gone.
        let seen = Arc::downgrade(&current);
        std::thread::spawn(move || {
            while let Some(current) = seen.upgrade() {
                if let Some((begun, what)) = &*current.lock().unwrap_or_else(PoisonError::into_inner)
                    && begun.elapsed() > ENDLESS
                {
                    eprintln!("{of}: no end after {ENDLESS:?} with {what}");
                    std::process::abort();
                }
                drop(current);
                std::thread::sleep(Duration::from_millis(500));
            }
        });
        Watch { current }
    }

    /// Work begins.
    pub fn begin(&self, what: impl FnOnce() -> String) {
        self.set(Some((Instant::now(), what())));
    }

    /// Work ended.
    pub fn end(&self) {
        self.set(None);
    }

    fn set(&self, current: Option<(Instant, String)>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }
}
