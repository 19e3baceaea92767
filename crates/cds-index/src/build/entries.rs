//! What of one folder a walk would take: enough to tell a change that matters from one in an ignored file.

use std::path::{Path, PathBuf};

use super::place::Place;
use super::walk::Walker;
use crate::disk::ProjectRoot;

/// Files and folders directly inside `folder`, which lies below `root`, that no rule leaves out. Rules of the folders above it count too.
pub fn entries(root: &Path, folder: &Path, home: &Path) -> Vec<PathBuf> {
    let Ok(inside) = folder.strip_prefix(root) else { return Vec::new() };
    let open = ProjectRoot::at(root);
    let walker = Walker::new(&open, home);
    let place = inside.components().fold(Place::root(), |place, part| place.child(part.as_os_str()));
    let (found, folders) = walker.shallow(&place);
    let problems = found.problems.iter().map(|problem| Place::known(&problem.path, None));
    let files = found.files.into_iter().map(|file| file.place);
    files.chain(folders).chain(problems).map(|place| root.join(place.on_disk())).collect()
}
