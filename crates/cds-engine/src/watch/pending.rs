//! What the file system said since the last update, and when it is time to act on it. Memory is bounded: beyond a number
//! of paths only "look at everything" is kept.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

/// Paths that are told apart in one burst. A look at everything costs less than judging more of them one by one.
const MOST_PATHS: usize = 256;

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Something at this path was made, changed, renamed or removed.
    Touched(PathBuf),
    /// Which files are taken may have changed: the whole tree must be walked.
    Rules,
    /// Some events were lost: anything may have changed.
    Lost,
    /// Both.
    All,
    /// The root itself was moved or removed.
    Root,
}

/// A burst of events, ready to be acted on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    /// What was touched, unless there was too much of it.
    pub(crate) paths: FxHashSet<PathBuf>,
    /// Whether anything may have been touched.
    pub(crate) lost: bool,
    /// Whether the rules of which files are taken may have changed.
    pub(crate) rules: bool,
    /// Whether the root was moved or removed.
    pub(crate) root: bool,
}

/// Waits for quiet, but not for ever.
#[derive(Debug)]
pub(crate) struct Pending {
    quiet: Duration,
    at_most: Duration,
    batch: Batch,
    first_and_last: Option<(Instant, Instant)>,
}

impl Pending {
    pub(crate) fn new(quiet: Duration, at_most: Duration) -> Pending {
        Pending { quiet, at_most, batch: Batch::default(), first_and_last: None }
    }

    pub(crate) fn add(&mut self, event: Event, now: Instant) {
        let (first, _) = self.first_and_last.unwrap_or((now, now));
        self.first_and_last = Some((first, now));
        let batch = &mut self.batch;
        match event {
            Event::Touched(path) if !batch.lost => {
                batch.paths.insert(path);
                if batch.paths.len() > MOST_PATHS {
                    batch.paths = FxHashSet::default();
                    batch.lost = true;
                }
            }
            Event::Touched(_) => {}
            Event::Rules => batch.rules = true,
            Event::Lost => batch.lost = true,
            Event::All => (batch.lost, batch.rules) = (true, true),
            Event::Root => batch.root = true,
        }
    }

    /// When to act: after a time of quiet, or some time after the first event of a storm.
    pub(crate) fn due(&self) -> Option<Instant> {
        let (first, last) = self.first_and_last?;
        Some((last + self.quiet).min(first + self.at_most))
    }

    /// The burst, if it is time.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Batch> {
        if self.due()? > now {
            return None;
        }
        self.first_and_last = None;
        Some(std::mem::take(&mut self.batch))
    }
}

/// [`Pending`], filled by the thread that listens to the system and emptied by the one that updates.
#[derive(Debug)]
pub(crate) struct Inbox {
    pending: Mutex<Pending>,
    news: Condvar,
}

impl Inbox {
    pub(crate) fn new(pending: Pending) -> Inbox {
        Inbox { pending: Mutex::new(pending), news: Condvar::new() }
    }

    pub(crate) fn add(&self, event: Event) {
        self.lock().add(event, Instant::now());
        self.news.notify_all();
    }

    /// Waits until a burst is due or `until` has come; looks up now and then, so that its caller can be stopped.
    pub(crate) fn wait(&self, until: Option<Instant>, stop: impl Fn() -> bool) -> Option<Batch> {
        const LOOK_UP: Duration = Duration::from_millis(100);
        let mut pending = self.lock();
        loop {
            let now = Instant::now();
            if let Some(batch) = pending.take(now) {
                return Some(batch);
            }
            if stop() || until.is_some_and(|until| until <= now) {
                return None;
            }
            let next = [pending.due(), until].into_iter().flatten().min();
            let pause = next.map_or(LOOK_UP, |next| next.saturating_duration_since(now).min(LOOK_UP));
            pending = self.news.wait_timeout(pending, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Batch, Event, MOST_PATHS, Pending};

    /// Plays events at milliseconds and gives the milliseconds at which updates happen, with the paths of each.
    fn play(events: &[(u64, Event)]) -> Vec<(u64, Batch)> {
        let start = Instant::now();
        let mut pending = Pending::new(Duration::from_millis(500), Duration::from_secs(2));
        let mut updates = Vec::new();
        let mut events = events.iter().peekable();
        for ms in 0..20_000 {
            let now = start + Duration::from_millis(ms);
            while let Some((_, event)) = events.next_if(|(at, _)| *at == ms) {
                pending.add(event.clone(), now);
            }
            updates.extend(pending.take(now).map(|batch| (ms, batch)));
        }
        updates
    }

    fn touched(path: &str) -> Event {
        Event::Touched(path.into())
    }

    fn times(events: &[(u64, Event)]) -> Vec<u64> {
        play(events).into_iter().map(|(ms, _)| ms).collect()
    }

    #[test]
    fn one_change_waits_for_quiet() {
        let updates = play(&[(100, touched("a"))]);
        assert_eq!(updates.len(), 1);
        assert_eq!((updates[0].0, updates[0].1.paths.len(), updates[0].1.lost), (600, 1, false));
        assert_eq!(play(&[]), []);
    }

    #[test]
    fn changes_in_quick_succession_cost_one_update() {
        assert_eq!(times(&[(0, touched("a")), (300, touched("b")), (700, touched("a"))]), [1_200]);
        assert_eq!(times(&[(0, touched("a")), (600, touched("b"))]), [500, 1_100], "a pause lies between them");
    }

    #[test]
    fn a_storm_is_not_waited_out() {
        let storm: Vec<(u64, Event)> = (0..100).map(|i| (i * 100, touched("a"))).collect();
        let updates = times(&storm);
        assert_eq!(updates[0], 2_000);
        assert!(updates.windows(2).all(|pair| pair[1] - pair[0] <= 2_100), "{updates:?}");
        assert_eq!(*updates.last().unwrap(), 9_900 + 500);
    }

    #[test]
    fn thousands_of_paths_are_not_kept() {
        let many: Vec<(u64, Event)> = (0..5_000).map(|i| (i / 100, touched(&format!("f{i}")))).collect();
        let updates = play(&many);
        assert_eq!(updates.len(), 1);
        assert!(updates[0].1.lost && updates[0].1.paths.is_empty());
        let few: Vec<(u64, Event)> = (0..MOST_PATHS).map(|i| (0, touched(&format!("f{i}")))).collect();
        assert_eq!(play(&few)[0].1.paths.len(), MOST_PATHS);
    }

    #[test]
    fn what_was_lost_or_moved_is_told_once() {
        let updates = play(&[(0, Event::Lost), (1, touched("a")), (2, Event::Rules), (3, Event::Root)]);
        let all = Batch { lost: true, rules: true, root: true, ..Batch::default() };
        assert_eq!(updates, [(503, all)]);
        let all = Batch { lost: true, rules: true, ..Batch::default() };
        assert_eq!(play(&[(0, Event::All)]), [(500, all)]);
    }
}
