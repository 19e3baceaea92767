//! A progress bar on stderr when a person watches; silence in pipes. Ctrl-C asks the indexer to stop.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use cds_engine::{BuildReport, Engine, Error, Hooks, Owner, Progress, sanitize_line};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static APPROVED: AtomicBool = AtomicBool::new(false);

/// With `--yes` nothing is asked.
pub(crate) fn approve_all(all: bool) {
    APPROVED.fetch_or(all, Ordering::Relaxed);
}

pub(crate) fn approves_all() -> bool {
    APPROVED.load(Ordering::Relaxed)
}

/// Asks a person; where there is none, the answer is no.
fn ask(question: &str) -> bool {
    if approves_all() {
        return true;
    }
    if !std::io::stdin().is_terminal() || !output::stderr_is_terminal() {
        return false;
    }
    output::prompt(question);
    let mut answer = String::new();
    let is_read = std::io::stdin().read_line(&mut answer).is_ok();
    let is_yes = is_read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    approve_all(is_yes);
    is_yes
}

/// Set by Ctrl-C. A second one ends the process: the first is only a request.
pub(crate) fn interrupted() -> &'static AtomicBool {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::exit::INTERRUPTED));
        }
    });
    &INTERRUPTED
}

/// Runs something that may index, with a bar.
pub(crate) fn with_bar(
    engine: &Engine,
    work: impl FnOnce(&Engine, &Hooks) -> Result<Option<BuildReport>, Error>,
) -> Result<Option<BuildReport>, Error> {
    let cancel = interrupted();
    let is_terminal = output::stderr_is_terminal();
    let bar = if is_terminal { ProgressBar::no_length() } else { ProgressBar::hidden() };
    let draw = |style: &str| {
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
    };
    draw("{spinner} {msg}");
    let show = |progress: Progress| {
        if progress.total > 0 && bar.length().is_none() {
            draw("{spinner} {msg} {wide_bar} {pos}/{len} files, {per_sec}, {elapsed}");
            bar.set_length(progress.total as u64);
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        bar.set_message(progress.phase);
        bar.set_position(progress.done as u64);
    };
    // Whoever reads a log is told once, and only of waits that last.
    let waits = AtomicUsize::new(0);
    let waiting = |owner: Option<&Owner>| {
        let owner = owner.map_or_else(|| "another process that is indexing".to_owned(), ToString::to_string);
        let text = format!("waiting for {owner}");
        if waits.fetch_add(1, Ordering::Relaxed) == 1 && !is_terminal {
            output::note(&text);
        }
        bar.set_message(sanitize_line(&text).into_owned());
        bar.tick();
    };
    let approve = |question: &str| bar.suspend(|| ask(question));
    let warn = |text: &str| bar.suspend(|| output::note(text));
    let result = work(
        engine,
        &Hooks {
            progress: &show,
            waiting: &waiting,
            approve: &approve,
            warn: &warn,
            early: false,
            empty: false,
            cancel,
        },
    );
    bar.finish_and_clear();
    result
}
