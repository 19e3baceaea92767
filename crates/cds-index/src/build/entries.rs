//! What of one folder a walk would take: enough to tell a change that matters from one in an ignored file.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::walk;

/// Files and folders directly inside `folder` that no rule leaves out. Rules of the folders above it count too.
pub fn entries(folder: &Path, home: &Path) -> Vec<PathBuf> {
    let home = home.to_owned();
    let walker = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .add_custom_ignore_filename(".cdsignore")
        .follow_links(false)
        .filter_entry(move |entry| entry.depth() == 0 || !walk::never_entered(entry, &home))
        .max_depth(Some(1))
        .build();
    walker.flatten().filter(|entry| entry.depth() == 1).map(ignore::DirEntry::into_path).collect()
}
