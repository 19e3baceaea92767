//! Repositories in memory: one for each project that was asked in LocAgent's way a short while ago.
//!
//! A request gets the repository as the files are now, like the command line. Reading a large project takes longer than a request may
//! take, so it has a thread of its own and continues when the request has ended; later requests wait for the same reading. The
//! thread drops the repository when nobody has asked for [`IDLE`], and only the [`MOST`] last ones are kept.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cds_engine::{CancelToken, Engine, ProjectRoot};
use cds_locagent::{MAX_FILE, Repository, Source};

use crate::fault::{Fault, FaultKind};

/// How long a repository that nobody asks stays in memory. Loading it again takes less than a second.
const IDLE: Duration = Duration::from_mins(5);

/// How long one stays that is no longer among the last: requests that wait for it are answered.
const UNWANTED: Duration = Duration::from_secs(1);

/// Repositories in memory. That of 10,000 files takes about 300 MB.
const MOST: usize = 2;

/// How often a request that waits looks whether it is over.
const TICK: Duration = Duration::from_millis(20);

/// How long a request waits for a reading.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most recently asked first.
static HELD: Mutex<Vec<Arc<Held>>> = Mutex::new(Vec::new());

/// One reading at a time: each uses every core, and memory of its own.
static READING: Mutex<()> = Mutex::new(());

/// The repository of one project.
struct Held {
    root: PathBuf,
    home: PathBuf,
    idle: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    repository: Option<Arc<Repository>>,
    /// Why the last reading failed, if it did.
    failure: Option<Fault>,
    /// Readings that have ended.
    readings: u64,
    is_reading: bool,
    /// Whether a thread serves it.
    has_thread: bool,
    /// Whether it is to be forgotten.
    is_unwanted: bool,
    asked: Option<Instant>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The repository of a project, as its files are now.
pub(super) fn repository(engine: &Engine) -> Result<Arc<Repository>, Fault> {
    repository_for(engine, IDLE)
}

fn repository_for(engine: &Engine, idle: Duration) -> Result<Arc<Repository>, Fault> {
    // What protects from indexing a folder that nobody means applies here as well.
    if !engine.owns_home() {
        return Err(Fault::new(FaultKind::NotReady, "the project has no index yet: index it first"));
    }
    let held = of(engine, idle);
    let updates = engine.config().flag("search.update");
    let (token, until) = (CancelToken::current(), Instant::now() + PATIENCE);
    // A reading that began after the question is believed, whatever has changed since.
    let mut own: Option<u64> = None;
    loop {
        let (repository, readings, failure) = {
            let mut state = lock(&held.state);
            state.asked = Some(Instant::now());
            (state.repository.clone(), state.readings, state.failure.clone())
        };
        let is_own = own.is_some_and(|own| readings >= own);
        // Who waits does not keep the old one in memory.
        if let Some(repository) = repository
            && (is_own || !updates || repository.is_current(&held.root))
        {
            return Ok(repository);
        }
        if let Some(failure) = failure.filter(|_| is_own) {
            return Err(failure);
        }
        let mut state = lock(&held.state);
        if !state.is_reading && state.readings == readings {
            own = Some(state.readings + 1);
            begin(&held, &mut state)?;
        }
        while state.readings == readings {
            if token.is_cancelled() || Instant::now() > until {
                let message = "the files are being read as LocAgent reads them: ask again in a moment";
                return Err(Fault::new(FaultKind::Busy, message));
            }
            state = held.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Finds what is held of a project, and lets go what is not among the last ones.
fn of(engine: &Engine, idle: Duration) -> Arc<Held> {
    let mut all = lock(&HELD);
    let known = all.iter().position(|held| held.root == engine.root() && held.home == engine.home());
    let held = match known {
        Some(place) => all.remove(place),
        None => Arc::new(Held {
            root: engine.root().to_owned(),
            home: engine.home().to_owned(),
            idle,
            state: Mutex::default(),
            changed: Condvar::new(),
        }),
    };
    all.insert(0, Arc::clone(&held));
    let last = all.len().min(MOST);
    let others = all.split_off(last);
    drop(all);
    for other in others {
        lock(&other.state).is_unwanted = true;
        other.changed.notify_all();
    }
    held
}

/// Has the thread read, one that is there or a new one.
fn begin(held: &Arc<Held>, state: &mut State) -> Result<(), Fault> {
    state.is_reading = true;
    if !state.has_thread {
        let its = Arc::clone(held);
        let thread = std::thread::Builder::new().name("locagent".to_owned()).spawn(move || serve(&its));
        if let Err(error) = thread {
            state.is_reading = false;
            return Err(Fault::new(FaultKind::Internal, error.to_string()));
        }
        state.has_thread = true;
    }
    held.changed.notify_all();
    Ok(())
}

/// Reads when asked to, and forgets the repository when nobody asks any more.
fn serve(held: &Held) {
    let mut state = lock(&held.state);
    loop {
        if state.is_reading {
            let before = state.repository.take();
            drop(state);
            let read = read_guarded(held, before);
            state = lock(&held.state);
            state.is_reading = false;
            state.readings += 1;
            (state.repository, state.failure) = match read {
                Ok(repository) => (Some(Arc::new(repository)), None),
                Err(fault) => (None, Some(fault)),
            };
            held.changed.notify_all();
        }
        let most = if state.is_unwanted { UNWANTED } else { held.idle };
        let idle = state.asked.map_or(most, |asked| asked.elapsed());
        if idle >= most {
            (state.repository, state.has_thread, state.is_unwanted) = (None, false, false);
            drop(state);
            // Nobody holds it but the list, unless it was asked again.
            lock(&HELD).retain(|other| !std::ptr::eq(Arc::as_ptr(other), held) || lock(&other.state).has_thread);
            return;
        }
        state = held.changed.wait_timeout(state, most.saturating_sub(idle)).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// A panic costs the reading, not the thread: those who wait are told.
fn read_guarded(held: &Held, before: Option<Arc<Repository>>) -> Result<Repository, Fault> {
    let _one = lock(&READING);
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(held, before)));
    match read {
        Ok(read) => read.map_err(|error| Fault::new(FaultKind::Io, error.to_string())),
        Err(_) => Err(Fault::new(FaultKind::Internal, "a fault of cds: please report it with the request you sent")),
    }
}

fn read(held: &Held, before: Option<Arc<Repository>>) -> io::Result<Repository> {
    let facts = match before {
        // The rest is dropped before its successor is made.
        Some(before) => Some(before.facts()),
        None => match Repository::load(&held.home) {
            Ok(kept) if kept.is_current(&held.root) => return Ok(kept),
            Ok(kept) => Some(kept.into_facts()),
            Err(_) => None,
        },
    };
    let files = ProjectRoot::at(&held.root);
    let read = |path: &Path| files.read(path, MAX_FILE).map_err(io::Error::other);
    let source = Source { root: &held.root, read: &read, stop: &|| lock(&held.state).is_unwanted };
    let repository = Repository::read(source, facts)?;
    // What cannot be kept is read again another time.
    let _ = repository.save(&held.home);
    Ok(repository)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Weak};
    use std::time::{Duration, Instant};

    use cds_engine::{Config, Engine};
    use cds_locagent::Repository;

    use super::{IDLE, MOST, repository_for};

    /// Waits until a repository is no longer in memory.
    fn is_dropped(repository: &Weak<Repository>) -> bool {
        let until = Instant::now() + Duration::from_secs(30);
        while repository.strong_count() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        repository.strong_count() == 0
    }

    #[test]
    fn repositories_stay_in_memory_while_they_are_asked_and_only_the_last_ones() {
        let folders: Vec<_> = (0..=MOST).map(|_| tempfile::tempdir().unwrap()).collect();
        let engines: Vec<Engine> = folders
            .iter()
            .map(|folder| {
                std::fs::write(folder.path().join("a.py"), "def a():\n    pass\n").unwrap();
                Engine::open(folder.path(), Config::default()).unwrap()
            })
            .collect();
        assert!(repository_for(&engines[0], IDLE).is_err(), "a project without an index directory is not read");
        for engine in &engines {
            engine.prepare_home().unwrap();
        }
        let first = Arc::downgrade(&repository_for(&engines[0], IDLE).unwrap());
        let again = Arc::downgrade(&repository_for(&engines[0], IDLE).unwrap());
        assert!(Weak::ptr_eq(&first, &again), "nothing has changed");
        let soon = Duration::from_millis(200);
        let others: Vec<_> =
            engines[1..].iter().map(|engine| Arc::downgrade(&repository_for(engine, soon).unwrap())).collect();
        assert!(is_dropped(&first), "others were asked since");
        assert!(others.iter().all(is_dropped), "nobody asked for 200 ms");
        assert!(repository_for(&engines[1], soon).is_ok(), "it is loaded again");
    }
}
