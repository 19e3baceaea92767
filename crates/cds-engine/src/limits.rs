//! What indexing may take of a machine: threads, memory, priority, and how much it takes on without asking.

use std::path::Path;

use cds_index::TreeSize;

use crate::config::Config;

/// Memory that a build needs at most, whatever it is given.
pub(crate) const ENOUGH: u64 = 1 << 30;
/// Part of a machine's or container's memory that is left to others.
const SHARE: u64 = 2;
/// Less than this cannot be kept.
pub(crate) const LEAST_MEMORY: u64 = 32 << 20;
/// More threads than any machine has cores.
pub(crate) const MOST_JOBS: u64 = 1024;

impl Config {
    /// Sets up this process: its threads and its priority. Called once, before the
    /// first work; libraries that share the process with others leave it to their host.
    pub fn limit_process(&self) {
        let jobs = self.number("index.jobs");
        if jobs > 0 {
            // Only the first pool counts; there is none yet.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build_global();
        }
        if self.flag("index.nice") {
            lower_priority();
        }
    }

    /// Bytes a build may aim at; none when there is enough.
    pub(crate) fn memory(&self) -> Option<u64> {
        match self.text("index.max_memory") {
            "" => automatic_memory(),
            text => parse_size(text),
        }
    }

    /// How large a tree is indexed without asking.
    pub(crate) fn large(&self) -> TreeSize {
        let most = |key: &str| Some(self.number(key)).filter(|n| *n > 0).unwrap_or(u64::MAX);
        TreeSize { files: most("index.max_files"), bytes: most("index.max_total_size") }
    }

    /// What a folder is, if nobody means to index it whole.
    pub(crate) fn is_hardly_meant(&self, root: &Path) -> Option<&'static str> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        if root.parent().is_none() {
            return Some("the root of the file system");
        }
        self.home_folder().filter(|home| real(home) == root).map(|_| "your home folder")
    }
}

/// `500M`, `1G`, `1.5GB`, `300000`
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some((number * f64::from(factor)) as u64)
}

/// What is aimed at where nobody says: a share of what there is, if that is little.
pub(crate) fn automatic_memory() -> Option<u64> {
    available_memory().map(|bytes| bytes / SHARE).filter(|bytes| *bytes < ENOUGH)
}

/// What this machine has, or the container allows.
fn available_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|path| read(&path)).filter_map(|text| limit(&text));
    let machine = read("/proc/meminfo").and_then(|text| total(&text));
    limits.chain(machine).min()
}

/// Where limits of memory may stand: for the group of this process, the groups above it, and where containers see their own.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files =
        vec!["/sys/fs/cgroup/memory.max".to_owned(), "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned()];
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let above = Path::new(path).ancestors().map(|path| path.display().to_string());
        for group in above.filter(|path| path != "/") {
            match controllers {
                "" => files.push(format!("/sys/fs/cgroup{group}/memory.max")),
                list if list.split(',').any(|name| name == "memory") => {
                    files.push(format!("/sys/fs/cgroup/memory{group}/memory.limit_in_bytes"));
                }
                _ => {}
            }
        }
    }
    files
}

/// `max`, or a number so large that it means none.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|bytes| *bytes < 1 << 60)
}

fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// Others go first. A system that refuses is no reason to stop.
fn lower_priority() {
    #[cfg(unix)]
    let _ = rustix::process::nice(10);
}

#[cfg(test)]
mod tests {
    use super::{Config, limit, limit_files, parse_size, total};

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(parse_size(text), expect, "{text}");
        check("500M", Some(500 << 20));
        check("1G", Some(1 << 30));
        check("1.5 GB", Some(3 << 29));
        check("64kib", Some(64 << 10));
        check("300000", Some(300_000));
        for wrong in ["", "M", "many", "1X", "1.2.3M", "-5M"] {
            check(wrong, None);
        }
    }

    #[test]
    fn limits_of_containers_are_found() {
        let both = limit_files("0::/user.slice/app.scope\n4:cpu,memory:/docker/abc\n2:cpu:/x\nnonsense\n");
        let expect = [
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/user.slice/app.scope/memory.max",
            "/sys/fs/cgroup/user.slice/memory.max",
            "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
        ];
        assert_eq!(both, expect);
        assert_eq!(
            (limit("max\n"), limit("9223372036854771712\n"), limit("536870912\n")),
            (None, None, Some(512 << 20))
        );
        assert_eq!(total("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(total(""), None);
    }

    #[test]
    fn every_limit_is_named_by_its_error() {
        let check = |key: &str, value: &str, expect: &str| {
            assert_eq!(Config::default().set(key, value).unwrap_err().message, expect);
        };
        check("index.jobs", "5000", "index.jobs must be between 0 and 1024, not 5000");
        check("index.max_memory", "1M", "index.max_memory must be at least 32M, not 1M");
        let expect = "index.max_memory \"lots\": use bytes, or a number with K, M or G, such as 500M";
        check("index.max_memory", "lots", expect);
    }
}
