//! Where does a block stand: the names from the module down to it.
//!
//! Two blocks of the same names all the way are one path, which is how LocAgent comes to show both when either is asked for.

use compact_str::CompactString;
use rustc_hash::FxHashMap;

/// Number of a path in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathId(u32);

impl PathId {
    /// The module's path, which is empty.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a name in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NameId(u32);

struct Step {
    parent: PathId,
    name: NameId,
    depth: u32,
}

/// The paths of a file.
pub(crate) struct Paths {
    names: Vec<CompactString>,
    name_ids: FxHashMap<CompactString, NameId>,
    steps: Vec<Step>,
    step_ids: FxHashMap<(PathId, NameId), PathId>,
}

impl Paths {
    pub(crate) fn new() -> Self {
        let root = Step { parent: PathId::ROOT, name: NameId(0), depth: 0 };
        Self { names: Vec::new(), name_ids: FxHashMap::default(), steps: vec![root], step_ids: FxHashMap::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn name(&mut self, text: &str) -> NameId {
        if let Some(id) = self.name_ids.get(text) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(text.into());
        self.name_ids.insert(text.into(), id);
        id
    }

    pub(crate) fn child(&mut self, parent: PathId, name: NameId) -> PathId {
        let steps = &mut self.steps;
        *self.step_ids.entry((parent, name)).or_insert_with(|| {
            let depth = steps[parent.index()].depth + 1;
            steps.push(Step { parent, name, depth });
            PathId(steps.len() as u32 - 1)
        })
    }

    pub(crate) fn child_named(&mut self, parent: PathId, name: &str) -> PathId {
        let name = self.name(name);
        self.child(parent, name)
    }

    /// How many names the path has.
    pub(crate) fn depth(&self, path: PathId) -> u32 {
        self.steps[path.index()].depth
    }

    /// The path without its last name, unless it is empty.
    pub(crate) fn parent(&self, path: PathId) -> Option<PathId> {
        (path != PathId::ROOT).then(|| self.steps[path.index()].parent)
    }

    /// The names, with dots between them.
    pub(crate) fn text(&self, path: PathId) -> String {
        let mut names = Vec::new();
        let mut at = path;
        while at != PathId::ROOT {
            let step = &self.steps[at.index()];
            names.push(self.names[step.name.0 as usize].as_str());
            at = step.parent;
        }
        names.reverse();
        names.join(".")
    }
}
