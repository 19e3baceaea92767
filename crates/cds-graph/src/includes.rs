//! Files that are read as a part of others: which of them have a name, the nearest first.

use std::collections::VecDeque;
use std::sync::OnceLock;

use cds_model::ModuleRule;
use rustc_hash::FxHashMap;

use crate::dependencies::DepKind;
use crate::modules::Target;
use crate::outline::TOP;
use crate::symbols::Symbol;
use crate::tree::{FileView, Tree};

/// How many files one file is taken to include, directly or not. Nearer ones come first.
const MAX_INCLUDED: usize = 1024;

pub(crate) struct Includes {
    /// What each file includes itself.
    direct: Vec<Vec<u32>>,
    /// Files with an outermost definition or binding of a name.
    files: FxHashMap<Symbol, Vec<u32>>,
    /// All that a file includes with the order it is met in, by file; made when it is asked for.
    all: Vec<OnceLock<Vec<(u32, u32)>>>,
}

impl Includes {
    pub(crate) fn new<'t>(tree: &Tree, targets: impl Fn(u32) -> &'t [Target]) -> Includes {
        let mut files: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        let mut direct = Vec::with_capacity(tree.file_count());
        for (at, file) in tree.files().iter().enumerate() {
            let contents = file.contents();
            let mut included = Vec::new();
            if matches!(tree.rules[file.rule as usize].modules, ModuleRule::Include | ModuleRule::Path) {
                for (import, target) in contents.imports.iter().zip(targets(at as u32)) {
                    let is_whole = import.name.get().is_none() && import.alias.get().is_none() && !import.is_export();
                    if let Target::Place { place, .. } = target
                        && is_whole
                    {
                        included.extend(place.file);
                    }
                }
                let members = contents.outermost().map(|(name, _)| name);
                let bound = contents.bindings.iter().filter(|b| b.scope == TOP).map(|b| b.name);
                for name in members.chain(bound) {
                    let known = files.entry(name).or_default();
                    if known.last() != Some(&(at as u32)) {
                        known.push(at as u32);
                    }
                }
            }
            direct.push(included);
        }
        Includes { all: direct.iter().map(|_| OnceLock::new()).collect(), direct, files }
    }

    /// Files with an outermost `name` among those that a file includes, in the order they are met.
    pub(crate) fn files_with(&self, at: u32, file: FileView, name: Symbol) -> Vec<u32> {
        let recorder = file.recorder();
        if self.direct[at as usize].is_empty() {
            recorder.record(DepKind::Wildcards, file.key());
            return Vec::new();
        }
        recorder.text(DepKind::Includes, "");
        recorder.name(name);
        let all = self.all[at as usize].get_or_init(|| self.reach(at));
        let order = |file: &u32| all.binary_search_by_key(file, |i| i.0).ok().map(|i| (all[i].1, *file));
        let mut found: Vec<(u32, u32)> = self.files.get(&name).into_iter().flatten().filter_map(order).collect();
        found.sort_unstable();
        found.into_iter().map(|f| f.1).collect()
    }

    fn reach(&self, at: u32) -> Vec<(u32, u32)> {
        let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
        let mut next = VecDeque::from([at]);
        while let Some(file) = next.pop_front() {
            for &included in &self.direct[file as usize] {
                let order = seen.len() as u32;
                if included != at && seen.len() < MAX_INCLUDED && !seen.contains_key(&included) {
                    seen.insert(included, order);
                    next.push_back(included);
                }
            }
        }
        let mut all: Vec<(u32, u32)> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }
}
