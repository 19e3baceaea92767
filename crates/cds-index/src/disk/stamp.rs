//! What the file system says of a file without opening it.

use serde::{Deserialize, Serialize};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
}

impl Kind {
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Kind::File => "a file",
            Kind::Folder => "a folder",
            Kind::Link => "a symbolic link",
            Kind::Pipe => "a pipe",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
        }
    }
}

/// Size and times of a file. Equal stamps mean equal content, unless the file changed within the clock's grain of being read; see `is_racy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, i64, i64)", into = "(u64, i64, i64)")]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// When its content changed, in nanoseconds since 1970. Programs can set it.
    pub modified_ns: i64,
    /// When its content, name, owner or permissions changed, in nanoseconds since 1970. Only the system sets it; 0 where it has no such time.
    pub changed_ns: i64,
}

impl From<(u64, i64, i64)> for Stamp {
    fn from((size, modified_ns, changed_ns): (u64, i64, i64)) -> Stamp {
        Stamp { size, modified_ns, changed_ns }
    }
}

impl From<Stamp> for (u64, i64, i64) {
    fn from(stamp: Stamp) -> Self {
        (stamp.size, stamp.modified_ns, stamp.changed_ns)
    }
}

impl Stamp {
    /// The later of both times.
    pub(crate) fn latest_ns(self) -> i64 {
        self.modified_ns.max(self.changed_ns)
    }
}

/// Whether something with this time may have changed again since it was read at `now_ns` without its time showing it: times have a grain of some
/// milliseconds, or of whole seconds on some file systems.
pub(crate) fn is_racy(time_ns: i64, now_ns: i64) -> bool {
    let grain = if time_ns % 1_000_000_000 == 0 { 2_000_000_000 } else { 20_000_000 };
    time_ns > now_ns - grain
}

pub(crate) fn now_ns() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |d| d.as_nanos() as i64)
}

#[cfg(unix)]
pub(super) fn of_stat(stat: &rustix::fs::Stat) -> (Kind, Stamp) {
    use rustix::fs::FileType;
    let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "their types differ from system to system")]
    let ns = |seconds: i64, nanoseconds: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds);
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "their types differ from system to system")]
    let stamp = Stamp {
        size: stat.st_size as u64,
        modified_ns: ns(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed_ns: ns(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    };
    (kind, stamp)
}

#[cfg(unix)]
pub(super) fn kind_of(kind: rustix::fs::FileType) -> Kind {
    use rustix::fs::FileType;
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    }
}

#[cfg(not(unix))]
pub(super) fn of_metadata(meta: &std::fs::Metadata) -> (Kind, Stamp) {
    let modified_ns = match meta.modified().map(|time| time.duration_since(std::time::UNIX_EPOCH)) {
        Ok(Ok(after)) => after.as_nanos() as i64,
        Ok(Err(before)) => -(before.duration().as_nanos() as i64),
        Err(_) => 0,
    };
    (kind_of(meta.file_type()), Stamp { size: meta.len(), modified_ns, changed_ns: 0 })
}

#[cfg(not(unix))]
pub(super) fn kind_of(kind: std::fs::FileType) -> Kind {
    match () {
        () if kind.is_file() => Kind::File,
        () if kind.is_dir() => Kind::Folder,
        () if kind.is_symlink() => Kind::Link,
        () => Kind::Device,
    }
}

#[cfg(test)]
mod tests {
    use super::is_racy;

    #[test]
    fn a_file_changed_just_now_is_racy() {
        let second = 1_000_000_000;
        assert!(is_racy(5 * second + 1, 5 * second + 2));
        assert!(!is_racy(5 * second + 1, 6 * second));
        assert!(is_racy(5 * second, 6 * second), "whole seconds: the grain may be coarse");
    }
}
