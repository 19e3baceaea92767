//! One writer at a time.
//!
//! The lock is the system's, on the file `lock`: it is free again when its owner ends, however it ends. The owner also writes
//! into that file who it is, and changes it every few seconds while it works. Where the system has no locks, or does not
//! share them between machines, that text decides: an owner that is known to be dead, or whose text has not changed for
//! half a minute *while we looked*, is gone. Clocks are never compared, so one that jumps makes no second writer.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::index_dir::{Claim, LOCK};
use crate::{DirState, Error, IndexDir, Result, private_fs};

/// How often an owner shows that it is alive.
const BEAT: Duration = Duration::from_secs(3);
/// How long an owner may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// How often one who waits looks.
const LOOK: Duration = Duration::from_millis(100);
/// Without locks of the system: two who claim at once both see, after this time, which claim came last.
const SETTLE: Duration = Duration::from_millis(500);

/// How long [`prepare_home`] waits for a writer, which marks the directory first of all.
const PREPARE: Duration = Duration::from_secs(5);

/// For whoever does not wait.
fn at_once() -> Patience<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Patience { wait: Duration::ZERO, waiting: &|_| {}, cancel: &NEVER }
}

/// Makes an index directory, if there is none, for something that is kept next to the index.
pub fn prepare_home(root: &Path, home: &Path) -> Result<()> {
    let dir = IndexDir::new(root, home);
    let started = Instant::now();
    loop {
        if dir.state()? == DirState::Ours {
            return Ok(());
        }
        match Lock::take(dir, at_once()) {
            Err(Error::Busy { .. }) if started.elapsed() < PREPARE => std::thread::sleep(LOOK),
            taken => return taken.map(drop),
        }
    }
}

/// Removes the default index directory of a root if nothing was published in it and nobody writes to it.
pub fn remove_unused(root: &Path, home: &Path) {
    let dir = IndexDir::new(root, home);
    if dir.is_default()
        && dir.state().is_ok_and(|state| state == DirState::Ours)
        && let Ok(mut lock) = Lock::take(dir, at_once())
    {
        lock.made.push(home.to_owned());
        lock.discard();
    }
}

/// Who writes an index, as the lock file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The process.
    pub pid: u32,
    /// The machine it runs on.
    pub host: String,
    /// What process ids mean there: they are counted anew after a start of the machine and in every container.
    space: String,
    /// When it took the lock, in seconds since 1970; for people only.
    pub started: u64,
    /// Tells apart owners of equal numbers.
    token: u64,
    /// Rises while it works.
    beat: u64,
}

impl Owner {
    fn ourselves() -> Owner {
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (host, space) = here();
        let pid = std::process::id();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{pid} {host} {space} {} {count}", now.as_nanos()).as_bytes());
        let mut token = [0; 8];
        hasher.finalize_xof().fill(&mut token);
        let token = u64::from_le_bytes(token) >> 11;
        Owner { pid, host: host.clone(), space: space.clone(), started: now.as_secs(), token, beat: 0 }
    }

    /// For how long it has been at it, by the clocks of both.
    pub fn seconds(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.as_secs().saturating_sub(self.started)
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {}", self.pid)?;
        if self.host != here().0 {
            write!(f, " on {}", self.host)?;
        }
        write!(f, ", which has been indexing for {} s", self.seconds())
    }
}

/// The name of this machine, and what process ids mean here.
fn here() -> &'static (String, String) {
    static HERE: OnceLock<(String, String)> = OnceLock::new();
    HERE.get_or_init(|| {
        let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        let variable = |name: &str| std::env::var(name).ok();
        let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname"));
        let name = name.or_else(|| variable("HOSTNAME")).or_else(|| variable("COMPUTERNAME")).unwrap_or_default();
        let boot = read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        (name, format!("{boot} {}", space.display()))
    })
}

/// Whether the process is known to have ended. Only processes of the same machine and container are known.
fn is_dead(owner: &Owner) -> bool {
    let (host, space) = here();
    if owner.host != *host || owner.space != *space {
        return false;
    }
    #[cfg(unix)]
    {
        let pid = i32::try_from(owner.pid).ok().and_then(rustix::process::Pid::from_raw);
        pid.is_none_or(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    }
    #[cfg(not(unix))]
    false
}

/// What the lock file says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    /// Nothing: nobody writes.
    Nothing,
    /// Somebody took it.
    Owner(Owner),
    /// No text of ours.
    Garbage(Vec<u8>),
}

impl Said {
    fn read(path: &Path) -> Said {
        // An owner's line is short; whatever is longer is not one.
        let mut bytes = Vec::new();
        let read = private_fs::open(path).and_then(|file| file.take(4096).read_to_end(&mut bytes));
        match serde_json::from_slice(&bytes) {
            _ if read.is_err() || bytes.iter().all(u8::is_ascii_whitespace) => Said::Nothing,
            Ok(owner) => Said::Owner(owner),
            Err(_) => Said::Garbage(bytes),
        }
    }

    fn owner(&self) -> Option<&Owner> {
        match self {
            Said::Owner(owner) => Some(owner),
            Said::Nothing | Said::Garbage(_) => None,
        }
    }
}

/// Whether a file is a lock: empty, or with the text of an owner.
pub(crate) fn is_lock(path: &Path) -> bool {
    path.is_file() && !matches!(Said::read(path), Said::Garbage(_))
}

/// How long to wait for another writer, and whom to tell.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    pub(crate) wait: Duration,
    /// Told about once a second who holds the lock, if that is known.
    pub(crate) waiting: &'a (dyn Fn(Option<&Owner>) + Sync),
    pub(crate) cancel: &'a AtomicBool,
}

/// The right to write, until it is dropped.
pub(crate) struct Lock {
    root: PathBuf,
    path: PathBuf,
    file: File,
    owner: Owner,
    lost: Arc<AtomicBool>,
    claim: Claim,
    /// Directories that were made for it.
    made: Vec<PathBuf>,
    heart: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Lock {
    /// Creates the index directory if need be, takes its lock, sooner or later, and makes the directory that of the root.
    pub(crate) fn take(dir: IndexDir, patience: Patience) -> Result<Lock> {
        let path = dir.path().join(LOCK);
        let root = dir.root();
        let started = Instant::now();
        // What the file said last, and since when.
        let mut seen: Option<(Said, Instant)> = None;
        let mut told = None::<Instant>;
        let mut made = Vec::new();
        loop {
            // Somebody may have removed the folder while we waited.
            let (state, new) = dir.create()?;
            made.extend(new);
            let said = match attempt(&path, seen.as_ref(), state == DirState::Ours)? {
                Attempt::Taken(file) => return Lock::own(root, path, file)?.claim(dir, made),
                Attempt::Settling(file) => {
                    let lock = Lock::own(root, path.clone(), file)?;
                    std::thread::sleep(SETTLE);
                    if lock.is_ours() {
                        return lock.claim(dir, made);
                    }
                    Said::read(&path)
                }
                Attempt::Held(said) => said,
            };
            if patience.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if started.elapsed() >= patience.wait {
                return Err(Error::Busy {
                    root: root.to_owned(),
                    lock: path,
                    owner: said.owner().cloned().map(Box::new),
                });
            }
            if told.is_none_or(|told| told.elapsed() >= Duration::from_secs(1)) {
                (patience.waiting)(said.owner());
                told = Some(Instant::now());
            }
            if seen.as_ref().is_none_or(|(known, _)| *known != said) {
                seen = Some((said, Instant::now()));
            }
            std::thread::sleep(LOOK.min(patience.wait.saturating_sub(started.elapsed())));
        }
    }

    fn own(root: &Path, path: PathBuf, file: File) -> Result<Lock> {
        let lost = Arc::new(AtomicBool::new(false));
        let (claim, made) = (Claim::default(), Vec::new());
        let mut lock =
            Lock { root: root.to_owned(), path, file, owner: Owner::ourselves(), lost, claim, made, heart: None };
        write(&lock.file, &lock.owner).map_err(Error::io(&lock.path))?;
        let (stop, stopped) = sync_channel::<()>(0);
        let (path, mut owner, lost) = (lock.path.clone(), lock.owner.clone(), Arc::clone(&lock.lost));
        let file = lock.file.try_clone().map_err(Error::io(&lock.path))?;
        let beat = move || {
            while stopped.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                if Said::read(&path).owner().is_none_or(|there| there.token != owner.token) {
                    lost.store(true, Ordering::Relaxed);
                    return;
                }
                owner.beat += 1;
                // A full disk does not matter: the text keeps its length.
                let _ = write(&file, &owner);
            }
        };
        // Without a thread there is no heartbeat; the system's lock still holds.
        lock.heart = std::thread::Builder::new().name("lock".to_owned()).spawn(beat).ok().map(|thread| (stop, thread));
        Ok(lock)
    }

    fn claim(mut self, dir: IndexDir, made: Vec<PathBuf>) -> Result<Lock> {
        self.made = made;
        match dir.claim() {
            Ok(claim) => self.claim = claim,
            Err(e) => {
                self.claim = Claim::without_marker(dir);
                self.discard();
                return Err(e);
            }
        }
        Ok(self)
    }

    /// The id of the directory, which its manifest repeats.
    pub(crate) fn id(&self) -> &str {
        &self.claim.id
    }

    /// Gives the lock back. A directory in which nothing was published is left as it was before.
    pub(crate) fn discard(mut self) {
        let (claim, made, root) = (std::mem::take(&mut self.claim), std::mem::take(&mut self.made), self.root.clone());
        let home = self.path.parent().unwrap_or(Path::new("")).to_owned();
        if self.is_ours() {
            IndexDir::new(&root, &home).discard(&claim, &made);
        }
    }

    fn is_ours(&self) -> bool {
        !self.lost.load(Ordering::Relaxed)
            && Said::read(&self.path).owner().is_some_and(|there| there.token == self.owner.token)
    }

    /// Refuses to go on when somebody else took over: because we were silent for too long, or because somebody removed the
    /// index and began it anew. Asked before a generation is published.
    pub(crate) fn check(&self) -> Result<()> {
        // On systems whose locks also keep readers out, nothing can be read, and nobody can have taken it.
        if self.is_ours() || cfg!(windows) && !self.lost.load(Ordering::Relaxed) {
            return Ok(());
        }
        let owner = Said::read(&self.path).owner().cloned().map(Box::new);
        Err(Error::Busy { root: self.root.clone(), lock: self.path.clone(), owner })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let is_ours = self.is_ours();
        if let Some((stop, thread)) = self.heart.take() {
            drop(stop);
            let _ = thread.join();
        }
        // What another one wrote is left alone.
        if is_ours {
            let _ = self.file.set_len(0);
        }
    }
}

/// One line, always of the same length while the owner is the same.
fn write(mut file: &File, owner: &Owner) -> std::io::Result<()> {
    let mut text = serde_json::to_string(owner).expect("plain data");
    text = format!("{text:<511}\n");
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

enum Attempt {
    /// It is ours.
    Taken(File),
    /// It is ours if nobody else claims it at the same time.
    Settling(File),
    /// Somebody else has it, or may have it.
    Held(Said),
}

/// Tries to take the lock. What the file says is believed where the system has no locks, and in a marked directory: elsewhere it may have
/// come with a clone.
fn attempt(path: &Path, seen: Option<&(Said, Instant)>, is_marked: bool) -> Result<Attempt> {
    let file = match private_fs::open_or_create(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Attempt::Held(Said::Nothing)),
        Err(e) => return Err(Error::io(path)(e)),
    };
    let is_locked = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => return Ok(Attempt::Held(Said::read(path))),
        Err(TryLockError::Error(e)) if has_no_locks(&e) => false,
        Err(TryLockError::Error(e)) => return Err(Error::io(path)(e)),
    };
    // Whoever removed the file while we opened it may have made another one.
    if !is_same_file(&file, path) {
        return Ok(Attempt::Held(Said::Nothing));
    }
    let said = if is_locked && (cfg!(windows) || !is_marked) { Said::Nothing } else { Said::read(path) };
    let is_silent = seen.is_some_and(|(known, since)| *known == said && since.elapsed() >= SILENCE);
    Ok(match judge(&said, is_locked, is_silent) {
        Judgement::Free if is_locked => Attempt::Taken(file),
        Judgement::Free => Attempt::Settling(file),
        Judgement::Held => Attempt::Held(said),
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Judgement {
    Free,
    Held,
}

/// Whether a lock is free, by what its file says, whether the system gave it to us, and whether the file was silent.
fn judge(said: &Said, is_locked: bool, is_silent: bool) -> Judgement {
    let is_free = is_silent
        || match said {
            Said::Nothing => true,
            Said::Garbage(_) => is_locked,
            // A lock of the system's own tells about all processes of this machine. Of another machine's it may not know.
            Said::Owner(owner) if is_locked => owner.host == here().0 || is_dead(owner),
            Said::Owner(owner) => is_dead(owner),
        };
    if is_free { Judgement::Free } else { Judgement::Held }
}

/// Some network file systems have no locks, and say so.
fn has_no_locks(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let none = [Errno::NOLCK, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS].map(Errno::raw_os_error);
        if error.raw_os_error().is_some_and(|code| none.contains(&code)) {
            return true;
        }
    }
    error.kind() == std::io::ErrorKind::Unsupported
}

fn is_same_file(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |meta: &std::fs::Metadata| (meta.dev(), meta.ino());
        matches!((file.metadata(), std::fs::metadata(path)), (Ok(ours), Ok(there)) if id(&ours) == id(&there))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use super::{Judgement, Lock, Owner, Patience, Said, attempt, here, judge, write};
    use crate::{Error, IndexDir};

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn patience(wait: u64) -> Patience<'static> {
        Patience { wait: Duration::from_millis(wait), waiting: &|_| {}, cancel: &NEVER }
    }

    fn take(folder: &tempfile::TempDir, wait: u64) -> Result<Lock, Error> {
        Lock::take(IndexDir::new(folder.path(), &folder.path().join("home")), patience(wait))
    }

    /// An id that no process has: those of Linux end at 2^22, and others' lower.
    const NOBODY: u32 = 2_000_000_000;

    fn owner(pid: u32, host: &str) -> Said {
        let (_, space) = here().clone();
        Said::Owner(Owner { pid, host: host.to_owned(), space, ..Owner::default() })
    }

    #[test]
    fn the_second_waits_and_is_told_by_whom() {
        let folder = tempfile::tempdir().unwrap();
        let first = take(&folder, 0).unwrap();
        let Err(Error::Busy { owner: Some(owner), .. }) = take(&folder, 0) else { panic!("it is taken") };
        assert_eq!((owner.pid, owner.token), (std::process::id(), first.owner.token));
        let shown = owner.to_string();
        assert!(shown.starts_with(&format!("process {}, which has been indexing for ", std::process::id())), "{shown}");
        let told = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let waiting = |owner: Option<&Owner>| told.lock().unwrap().push(owner.map(|o| o.pid));
                let patience = Patience { waiting: &waiting, ..patience(10_000) };
                Lock::take(IndexDir::new(folder.path(), &folder.path().join("home")), patience).is_ok()
            });
            std::thread::sleep(Duration::from_millis(150));
            assert!(!waiter.is_finished());
            drop(first);
            assert!(waiter.join().unwrap());
        });
        assert_eq!(*told.lock().unwrap(), [Some(std::process::id())]);
        assert_eq!(std::fs::read(folder.path().join("home/lock")).unwrap(), b"", "nothing is left");
    }

    #[test]
    fn one_who_waits_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let _first = take(&folder, 0).unwrap();
        let cancel = AtomicBool::new(true);
        let patience = Patience { cancel: &cancel, ..patience(60_000) };
        let result = Lock::take(IndexDir::new(folder.path(), &folder.path().join("home")), patience);
        assert!(matches!(result, Err(Error::Cancelled)));
    }

    #[test]
    fn whatever_stands_in_the_file_of_a_dead_owner_does_not_matter() {
        let dead = serde_json::to_string(&owner(NOBODY, &here().0).owner().unwrap()).unwrap();
        for left in [dead.as_str(), "", "\n", "12345", "{\"pid\":", "\0\u{1}\u{2}", &"x".repeat(100_000)] {
            let folder = tempfile::tempdir().unwrap();
            drop(take(&folder, 0).unwrap());
            std::fs::write(folder.path().join("home/lock"), left).unwrap();
            assert!(take(&folder, 0).unwrap().is_ours(), "{left:.20}");
        }
    }

    #[test]
    fn without_locks_of_the_system_the_text_decides() {
        let check = |said: &Said, is_locked: bool, is_silent: bool, expect: Judgement| {
            assert_eq!(judge(said, is_locked, is_silent), expect, "{said:?} {is_locked} {is_silent}");
        };
        let host = &here().0;
        let (alive, dead) = (owner(std::process::id(), host), owner(NOBODY, host));
        let foreign = owner(NOBODY, "another machine");
        let garbage = Said::Garbage(b"?".to_vec());
        check(&Said::Nothing, true, false, Judgement::Free);
        check(&Said::Nothing, false, false, Judgement::Free);
        // The system knows best about this machine, whoever has the number now.
        check(&alive, true, false, Judgement::Free);
        check(&garbage, true, false, Judgement::Free);
        check(&foreign, true, false, Judgement::Held);
        check(&foreign, true, true, Judgement::Free);
        for said in [&alive, &foreign, &garbage] {
            check(said, false, false, Judgement::Held);
            check(said, false, true, Judgement::Free);
        }
        check(&dead, false, false, Judgement::Free);
        let Said::Owner(mut other_space) = dead else { unreachable!() };
        other_space.space = "another container".to_owned();
        check(&Said::Owner(other_space), false, false, Judgement::Held);
    }

    #[test]
    fn silence_is_measured_while_looking_and_by_no_clock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut foreign =
            Owner { pid: 1, host: "another machine".to_owned(), started: u64::MAX / 2, ..Owner::default() };
        write(&std::fs::File::create(&path).unwrap(), &foreign).unwrap();
        let is_held =
            |seen: Option<&(Said, Instant)>| matches!(attempt(&path, seen, true).unwrap(), super::Attempt::Held(_));
        assert!(is_held(None), "a time far in the future, or the past, says nothing");
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(31)) else { return };
        let seen = (Said::read(&path), long_ago);
        assert!(!is_held(Some(&seen)));
        foreign.beat += 1;
        write(&std::fs::File::create(&path).unwrap(), &foreign).unwrap();
        assert!(is_held(Some(&seen)), "it beats");
    }

    #[test]
    fn a_lock_that_came_with_a_clone_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let Said::Owner(foreign) = owner(NOBODY, "another machine") else { unreachable!() };
        std::fs::create_dir(folder.path().join("home")).unwrap();
        write(&std::fs::File::create(folder.path().join("home/lock")).unwrap(), &foreign).unwrap();
        drop(take(&folder, 0).unwrap());
        write(&std::fs::File::create(folder.path().join("home/lock")).unwrap(), &foreign).unwrap();
        assert!(matches!(take(&folder, 0), Err(Error::Busy { .. })), "in a marked directory it may be true");
    }

    #[test]
    fn an_owner_notices_that_another_took_over() {
        let folder = tempfile::tempdir().unwrap();
        let first = take(&folder, 0).unwrap();
        assert!(first.check().is_ok());
        // The index was removed while it was being written, and somebody else began anew.
        std::fs::remove_dir_all(folder.path().join("home")).unwrap();
        assert!(first.check().is_err());
        let second = take(&folder, 0).unwrap();
        assert!(first.check().is_err() && second.check().is_ok());
        drop(first);
        assert!(second.check().is_ok(), "and leaves it alone");
    }
}
