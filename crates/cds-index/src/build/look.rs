//! A look at the disk that trusts the index about folders that did not change: every file and folder it knows is asked for its time, and
//! only folders with another time are listed again.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::ProblemRow;
use super::freshness::is_changed;
use super::stamps::{Stamp, Stamps};
use super::walk::{ABSENT, FoundFile, IGNORE_FILES, Walked, is_marked, modified_ns, rules_of, walk, walk_below};
use crate::Snapshot;
use crate::store::manifest::SkippedFile;

/// What a walk would find.
pub(crate) fn look(old: &Snapshot, stamps: &Stamps, root: &Path, home: &Path) -> Walked {
    // Names that cannot be written are found by walking.
    if !old.manifest().raw_paths.is_empty() {
        return walk(root, home);
    }
    try_look(old, stamps, root, home).unwrap_or_else(|| walk(root, home))
}

/// None where the rules of what is indexed may be others.
fn try_look(old: &Snapshot, stamps: &Stamps, root: &Path, home: &Path) -> Option<Walked> {
    let manifest = old.manifest();
    let documents = old.documents().map(|d| (d.path(), (d.size(), d.modified_ns()))).zip(&stamps.files);
    let skipped = manifest.skipped.iter().zip(&stamps.skipped);
    let skipped = skipped.filter_map(|(known, now)| Some(((known.path.as_str(), known.stamp?), now)));
    let known = || documents.clone().chain(skipped.clone());
    let rules = manifest.rules.iter().zip(&stamps.rules);
    if known().any(|((path, before), now)| is_rule(path) && *now != Some(before))
        || rules.into_iter().any(|((_, before), now)| now.unwrap_or(ABSENT) != *before)
    {
        return None;
    }
    let is_new_rule = |path: &str| {
        old.document_at(path).is_none()
            && manifest.rules.binary_search_by(|(known, _)| known.as_str().cmp(path)).is_err()
    };
    let has_new_rules = |folder: &str| rules_of(root, folder).any(|(path, _)| is_new_rule(&path));
    let directories: Vec<(&str, Option<i64>)> =
        manifest.directories.iter().zip(&stamps.directories).map(|((path, _), now)| (path.as_str(), *now)).collect();
    let mut walked = Walked { rules: manifest.rules.clone(), ..Walked::default() };
    let changed = directories.iter().zip(&manifest.directories).filter(|((_, now), (_, before))| *now != Some(*before));
    let changed: FxHashSet<&str> = changed.map(|((path, _), _)| *path).collect();
    // What is gone though its folder did not change may not be looked at any more; what was refused may be entered now; what is marked now
    // must be remembered as that.
    let folder_of = |path: &str| path[..path.rfind('/').unwrap_or(0)].to_owned();
    let is_refused = |path: &str| !changed.contains(folder_of(path).as_str());
    let is_entered =
        |skipped: &SkippedFile| skipped.stamp.is_none() && is_changed(skipped, None, &root.join(&skipped.path));
    if known().any(|((path, _), now)| now.is_none() && is_refused(path))
        || manifest.skipped.iter().any(is_entered)
        || changed.iter().any(|folder| !folder.is_empty() && is_marked(&root.join(folder)))
    {
        return None;
    }
    let is_below = |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let is_gone = |folder: &str| {
        changed.contains(folder) && (time_of(&root.join(folder)).is_none() || is_marked(&root.join(folder)))
    };
    let gone: Vec<&str> = changed.iter().copied().filter(|folder| !folder.is_empty() && is_gone(folder)).collect();
    let is_lost = |path: &str| gone.iter().any(|folder| path == *folder || is_below(path, folder));
    // What lies in a folder that changed is listed anew.
    let stays = |path: &str| !changed.contains(&path[..path.rfind('/').unwrap_or(0)]) && !is_lost(path);
    let staying = known().filter(|((path, _), _)| stays(path));
    walked.files.extend(staying.filter_map(|((path, _), now)| Some(found(root, path, (*now)?))));
    let folders = directories.iter().filter(|(path, _)| !changed.contains(*path) && !is_lost(path));
    walked.directories.extend(folders.filter_map(|(path, time)| Some(((*path).to_owned(), (*time)?))));
    let problems = old.problems().ok()?;
    let of_walk = |p: &&ProblemRow| p.skipped && p.stamp.is_none();
    // Faults of ignore files are those they had: a file of rules that changed is met by walking. Some come without a path.
    let of_rules = |p: &ProblemRow| p.path.is_empty() || is_rule(&p.path);
    let kept = |p: &&ProblemRow| if of_rules(p) { !is_lost(&p.path) } else { stays(&p.path) };
    walked.problems.extend(problems.iter().filter(of_walk).filter(kept).cloned());
    let known_folders: FxHashSet<&str> = directories.iter().map(|(path, _)| *path).collect();
    // Whoever walks from a folder is told of faults in the ignore files above it; who walks from the root is not.
    let is_own = |problem: &ProblemRow| !of_rules(problem);
    for folder in changed.iter().filter(|folder| !is_lost(folder)) {
        let listed = walk_below(root, home, &root.join(folder), Some(1));
        if has_new_rules(folder) {
            return None;
        }
        for (path, time) in listed.directories {
            if path == *folder {
                walked.directories.push((path, time));
            } else if !known_folders.contains(path.as_str()) {
                let inside = walk_below(root, home, &root.join(&path), None);
                if !inside.raw_paths.is_empty() || inside.directories.iter().any(|(path, _)| has_new_rules(path)) {
                    return None;
                }
                walked.files.extend(inside.files);
                walked.directories.extend(inside.directories);
                walked.problems.extend(inside.problems.into_iter().filter(is_own));
            }
        }
        if !listed.raw_paths.is_empty() {
            return None;
        }
        walked.files.extend(listed.files);
        walked.problems.extend(listed.problems.into_iter().filter(is_own));
    }
    // Two runs that are in order each: no work for a sort that looks for them.
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    walked.files.dedup_by(|a, b| a.path == b.path);
    walked.directories.sort_unstable();
    walked.directories.dedup_by(|a, b| a.0 == b.0);
    walked.problems.sort_unstable_by(|a, b| (&a.path, &a.detail).cmp(&(&b.path, &b.detail)));
    Some(walked)
}

fn is_rule(path: &str) -> bool {
    IGNORE_FILES.contains(&path.rsplit('/').next().unwrap_or(path))
}

fn found(root: &Path, path: &str, (size, modified_ns): Stamp) -> FoundFile {
    FoundFile {
        path: path.to_owned(),
        absolute: root.join(path),
        size,
        modified_ns,
        touched: 0,
        doubted: false,
        known: None,
    }
}

fn time_of(folder: &Path) -> Option<i64> {
    std::fs::symlink_metadata(folder).ok().filter(std::fs::Metadata::is_dir).map(|meta| modified_ns(&meta))
}
