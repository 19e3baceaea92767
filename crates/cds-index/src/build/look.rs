//! A look at the disk that trusts the index about folders that did not change: every file and folder it knows is asked for its time, and
//! only folders with another time are listed again.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::ProblemRow;
use super::freshness::{is_changed, is_listed_alike};
use super::place::Place;
use super::rules::RuleFile;
use super::stamps::Stamps;
use super::walk::{FoundFile, Walked, Walker, is_marked, walk};
use crate::Snapshot;
use crate::disk::{ProjectRoot, is_racy, now_ns};
use crate::store::manifest::SkippedFile;

/// What a walk would find.
pub(crate) fn look(old: &Snapshot, stamps: &Stamps, root: &ProjectRoot, home: &Path) -> Walked {
    // Names that cannot be written are found by walking.
    if !old.manifest().raw_paths.is_empty() {
        return walk(root, home);
    }
    try_look(old, stamps, root, home).unwrap_or_else(|| walk(root, home))
}

/// None where the rules of what is indexed may be others.
fn try_look(old: &Snapshot, stamps: &Stamps, root: &ProjectRoot, home: &Path) -> Option<Walked> {
    let manifest = old.manifest();
    if manifest.rules.iter().zip(&stamps.rules).any(|(rule, now)| !rule.is_same(&manifest.raw_paths, root, *now)) {
        return None;
    }
    let documents = old.documents().map(|d| d.path()).zip(&stamps.files);
    let skipped = manifest.skipped.iter().zip(&stamps.skipped);
    let skipped = skipped.filter(|(known, _)| known.stamp.is_some()).map(|(known, now)| (known.path.as_str(), now));
    let known = || documents.clone().chain(skipped.clone());
    let directories: Vec<(&str, Option<i64>)> =
        manifest.directories.iter().zip(&stamps.directories).map(|((path, _), now)| (path.as_str(), *now)).collect();
    let changed = directories.iter().zip(&manifest.directories);
    let changed =
        changed.filter(|((path, now), (_, before))| *now != Some(*before) || !is_listed_alike(manifest, root, path));
    let changed: FxHashSet<&str> = changed.map(|((path, _), _)| *path).collect();
    // What is gone though its folder did not change may not be looked at any more; what was refused may be entered now; what is marked now
    // must be remembered as that.
    let folder_of = |path: &str| path[..path.rfind('/').unwrap_or(0)].to_owned();
    let is_refused = |path: &str| !changed.contains(folder_of(path).as_str());
    let is_entered = |skipped: &SkippedFile| skipped.stamp.is_none() && is_changed(skipped, None, root);
    if known().any(|(path, now)| now.is_none() && is_refused(path))
        || manifest.skipped.iter().any(is_entered)
        || changed.iter().any(|folder| !folder.is_empty() && is_marked(root, folder))
    {
        return None;
    }
    let is_below = |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let gone = directories.iter().filter(|(path, now)| now.is_none() && !path.is_empty());
    let gone: Vec<&str> = gone.map(|(path, _)| *path).collect();
    let is_lost = |path: &str| gone.iter().any(|folder| path == *folder || is_below(path, folder));
    // What lies in a folder that changed is listed anew.
    let stays = |path: &str| !changed.contains(&path[..path.rfind('/').unwrap_or(0)]) && !is_lost(path);
    let rules = manifest.rules.iter().cloned().map(RuleFile::settled).collect();
    let mut walked = Walked { rules, ..Walked::default() };
    let staying = known().filter(|(path, _)| stays(path));
    walked.files.extend(staying.filter_map(|(path, now)| Some(FoundFile::known(path, (*now)?))));
    let folders = directories.iter().filter(|(path, _)| !changed.contains(*path) && !is_lost(path));
    walked.directories.extend(folders.filter_map(|(path, time)| Some(((*path).to_owned(), (*time)?))));
    let now = now_ns();
    let time_of = |path: &str| walked.directories.binary_search_by(|(p, _)| p.as_str().cmp(path)).ok();
    let is_still_racy = |path: &str| time_of(path).is_some_and(|at| is_racy(walked.directories[at].1, now));
    let racy = manifest.racy_directories.iter().filter(|(path, _)| is_still_racy(path));
    walked.racy_directories = racy.map(|(path, hash)| (path.clone(), *hash)).collect();
    let problems = old.problems().ok()?;
    // Faults of ignore files are those they had: a file of rules that changed is met by walking.
    let of_rules = |p: &ProblemRow| p.is_of_rules();
    let kept = |p: &&ProblemRow| if of_rules(p) { !is_lost(&p.path) } else { stays(&p.path) };
    walked.problems.extend(problems.iter().filter(|p| p.is_of_walk()).filter(kept).cloned());
    let known_folders: FxHashSet<&str> = directories.iter().map(|(path, _)| *path).collect();
    let walker = Walker::new(root, home);
    for folder in changed.iter().filter(|folder| !is_lost(folder)) {
        let (listed, folders) = walker.shallow(&Place::known(folder, None));
        walked.add(listed);
        for new in folders.into_iter().filter(|place| !known_folders.contains(place.path.as_str())) {
            walked.add(walker.tree(new));
        }
    }
    let met = walker.finish();
    // Rules that were not there count for what lies below them, and so does a repository that begins or ends there.
    let is_new = |rule: &RuleFile| manifest.rules.binary_search_by(|known| known.path.cmp(&rule.path)).is_err();
    if met.rules.iter().any(is_new) || !met.raw_paths.is_empty() || !walked.raw_paths.is_empty() {
        return None;
    }
    walked.problems.extend(met.problems);
    walked.sort();
    Some(walked)
}
