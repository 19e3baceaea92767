//! A progress bar on stderr when a person watches; silence in pipes. Ctrl-C asks the indexer to stop.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cds_engine::{BuildReport, Engine, Error, Hooks, Progress};
use indicatif::{ProgressBar, ProgressStyle};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs something that may index, with a bar.
pub(crate) fn with_bar(
    engine: &Engine,
    work: impl FnOnce(&Engine, &Hooks) -> Result<Option<BuildReport>, Error>,
) -> Result<Option<BuildReport>, Error> {
    // A second Ctrl-C ends the process: the first one is only a request.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::exit::INTERRUPTED));
        }
    });
    let bar = if std::io::stderr().is_terminal() { ProgressBar::no_length() } else { ProgressBar::hidden() };
    let style = "{spinner} {msg} {wide_bar} {pos}/{len} files, {per_sec}, {elapsed}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    let show = |progress: Progress| {
        if progress.total > 0 && bar.length().is_none() {
            bar.set_length(progress.total as u64);
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        bar.set_message(progress.phase);
        bar.set_position(progress.done as u64);
    };
    let result = work(engine, &Hooks { progress: &show, cancel: &INTERRUPTED });
    bar.finish_and_clear();
    result
}
