//! The table of targets.

/// One function to be called with any bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// The function's own name, and that of its corpus, its dictionary and its binary in `fuzz/`.
    pub name: &'static str,
    /// Panics where a promise is broken.
    pub run: fn(&[u8]),
    /// The longest input worth trying, in bytes.
    pub longest: usize,
}

/// Every target, sorted. A new row needs a folder in `corpus/`, a file in `dictionary/`, a file and an entry in `fuzz/`; a
/// test looks for them.
#[rustfmt::skip]
pub const TARGETS: &[Target] = &[
    Target { name: "extract",       run: crate::extract,       longest: 4096 },
    Target { name: "filters",       run: crate::filters,       longest: 2048 },
    Target { name: "index_readers", run: crate::index_readers, longest: 256 },
    Target { name: "manifest",      run: crate::manifest,      longest: 4096 },
    Target { name: "query",         run: crate::query,         longest: 16384 },
    Target { name: "requests",      run: crate::requests,      longest: 1024 },
    Target { name: "settings",      run: crate::settings,      longest: 2048 },
];
