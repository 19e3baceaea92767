//! Tables over all files, and look-ups in them on behalf of one file.
//!
//! [`Tables`] are built once for a tree. [`Lookup`] reads them for the file that is being linked and records every read in the
//! [`Recorder`] of that file. Fields of both are private to this module: the rules of name resolution (`resolve.rs`, `members.rs`,
//! `imports.rs`) are further methods of `Lookup` and can reach other files only through what is recorded here.

use std::cell::Cell;
use std::sync::OnceLock;

use cds_model::{Kind, LinkRules, Reach, Shared, Step};
use rustc_hash::FxHashMap;

use crate::bodies::Bodies;
use crate::dependencies::{DepKind, Recorder, file_key};
use crate::includes::Includes;
use crate::modules::rust::is_below;
use crate::modules::{Modules, Place, Target};
use crate::outline::{Definition, Import, TOP, is_block};
use crate::spaces::Spaces;
use crate::symbols::{Symbol, Symbols};
use crate::tree::{File, FileView, Name, Tree};

/// How many bindings, return types and re-exports one question may lead through.
const MAX_DEPTH: u8 = 12;

/// How many look-ups one question may take.
const MAX_STEPS: u32 = 4_000;

/// Tables over all files.
pub(crate) struct Tables<'a> {
    tree: &'a Tree<'a>,
    modules: &'a Modules<'a>,
    /// What the imports of each file mean; computed when first needed.
    targets: Vec<OnceLock<Targets>>,
    /// Bases of types, in the order they are written; `None` for one from outside the tree.
    bases: FxHashMap<u32, Vec<Option<u32>>>,
    /// Blocks and single members that belong to a type without lying in it.
    extensions: FxHashMap<u32, Vec<u32>>,
    /// First nodes of files, ascending, with their positions.
    starts: Vec<(u32, u32)>,
    package_names: Vec<String>,
    package_ids: FxHashMap<String, u32>,
    /// Outermost names of files that other files see without an import.
    shared: FxHashMap<(Group, Symbol), Vec<u32>>,
    spaces: Spaces,
    includes: Includes,
    bodies: Bodies,
}

/// What the imports of a file mean, and the keys of what that depends on.
struct Targets {
    of_imports: Vec<Target>,
    keys: Vec<u32>,
}

impl Targets {
    fn new(tree: &Tree, modules: &Modules, at: u32) -> Targets {
        let file = &tree.files()[at as usize];
        let recorder = Recorder::new(file.key);
        let target = |import: &Import| Targets::target(tree, modules, at, import, &recorder);
        let of_imports = file.contents().imports.iter().map(target).collect();
        Targets { of_imports, keys: recorder.finish() }
    }

    fn target(tree: &Tree, modules: &Modules, at: u32, import: &Import, recorder: &Recorder) -> Target {
        if import.is_export() { Target::Unknown } else { modules.target(tree, tree.view(at, recorder), import) }
    }
}

/// Files that see each other's outermost names, by their family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    Folder(usize, u32),
    Package(usize, Symbol),
    Tree(usize),
}

impl Group {
    /// The group of a file if it were in that package.
    fn of(tree: &Tree, modules: &Modules, at: u32, package: Option<Symbol>) -> Option<Group> {
        let rule = tree.files()[at as usize].rule;
        let family = tree.family(rule);
        let folder = Group::Folder(family, modules.folder_of(at));
        match (tree.rules[rule as usize].shared, package) {
            (Shared::File, _) => None,
            (Shared::Package, Some(package)) => Some(Group::Package(family, package)),
            (Shared::Folder, _) | (Shared::Package, None) => Some(folder),
            (Shared::Tree, _) => Some(Group::Tree(family)),
        }
    }
}

impl<'a> Tables<'a> {
    pub(crate) fn new(tree: &'a Tree<'a>, modules: &'a Modules<'a>) -> Tables<'a> {
        let mut starts: Vec<(u32, u32)> = tree.files().iter().map(|f| f.node).zip(0..).collect();
        starts.sort_unstable();
        let mut package_names: Vec<String> = modules.package_names().cloned().collect();
        package_names.sort();
        let package_ids = package_names.iter().cloned().zip(0..).collect();
        let mut shared: FxHashMap<(Group, Symbol), Vec<u32>> = FxHashMap::default();
        for (file, at) in tree.files().iter().zip(0..) {
            let contents = file.contents();
            let Some(group) = Group::of(tree, modules, at, contents.package) else { continue };
            for (name, local) in contents.outermost() {
                let definition = &contents.entities[local as usize];
                if definition.scope().is_none() && !is_block(definition.kind()) && !definition.is_own() {
                    shared.entry((group, name)).or_default().push(file.node_of(local));
                }
            }
        }
        let targets: Vec<OnceLock<Targets>> = tree.files().iter().map(|_| OnceLock::new()).collect();
        let target =
            |at: u32| targets[at as usize].get_or_init(|| Targets::new(tree, modules, at)).of_imports.as_slice();
        Tables {
            spaces: Spaces::new(tree),
            includes: Includes::new(tree, target),
            bodies: Bodies::new(tree),
            targets,
            bases: FxHashMap::default(),
            extensions: FxHashMap::default(),
            starts,
            package_names,
            package_ids,
            shared,
            tree,
            modules,
        }
    }

    /// Types and spaces with what belongs to them without lying in them.
    pub(crate) fn add_extensions<'r>(&mut self, rows: impl Iterator<Item = &'r [u32; 2]>) {
        for [owner, block] in rows {
            self.extensions.entry(*owner).or_default().push(*block);
        }
    }

    /// Types with their bases; `outside` stands for one from outside the tree.
    pub(crate) fn add_bases<'r>(&mut self, rows: impl Iterator<Item = &'r [u32; 2]>, outside: u32) {
        for [owner, base] in rows {
            self.bases.entry(*owner).or_default().push((*base != outside).then_some(*base));
        }
    }

    fn targets(&self, at: u32) -> &Targets {
        self.targets[at as usize].get_or_init(|| Targets::new(self.tree, self.modules, at))
    }

    /// A recorder for the dependencies of a file.
    pub(crate) fn recorder(&self, at: u32) -> Recorder {
        Recorder::new(self.tree.files()[at as usize].key)
    }

    pub(crate) fn file(&self, at: u32) -> &'a File<'a> {
        &self.tree.files()[at as usize]
    }

    pub(crate) fn symbols(&self) -> &'a Symbols<'a> {
        self.tree.symbols
    }

    /// Keys of what the target of one import of a file depends on.
    pub(crate) fn keys_of_target(&self, at: u32, import: &Import) -> Vec<u32> {
        let recorder = self.recorder(at);
        Targets::target(self.tree, self.modules, at, import, &recorder);
        recorder.finish()
    }

    /// Keys of what the targets of a file's own imports depend on.
    pub(crate) fn target_keys(&self, at: u32) -> Vec<u32> {
        self.targets(at).keys.clone()
    }
}

/// What a call by name shows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    /// Whether it stands in a test.
    pub(crate) is_test: bool,
    /// Whether something is called on another object than the caller's own.
    pub(crate) is_outside: bool,
}

/// Reads the tables on behalf of one file.
pub(crate) struct Lookup<'r> {
    tables: &'r Tables<'r>,
    recorder: &'r Recorder,
    /// The file that is linked.
    pub(crate) own: u32,
    steps_left: Cell<u32>,
}

impl<'r> Lookup<'r> {
    pub(crate) fn new(tables: &'r Tables<'r>, recorder: &'r Recorder, own: u32) -> Lookup<'r> {
        Lookup { tables, recorder, own, steps_left: Cell::new(MAX_STEPS) }
    }

    /// Begins a question: each has the same number of steps.
    pub(crate) fn begin(&self) {
        self.steps_left.set(MAX_STEPS);
    }

    /// Whether a question may lead further: neither too deep nor, through wildcards and bindings, too wide.
    pub(crate) fn may_go_on(&self, depth: u8) -> bool {
        let left = self.steps_left.get();
        self.steps_left.set(left.saturating_sub(1));
        depth < MAX_DEPTH && left > 0
    }

    pub(crate) fn file(&self, at: u32) -> FileView<'r> {
        self.tables.tree.view(at, self.recorder)
    }

    /// The file that is linked, with all that is in it.
    pub(crate) fn own_file(&self) -> &'r File<'r> {
        &self.tables.tree.files()[self.own as usize]
    }

    pub(crate) fn rules(&self, at: u32) -> &'r LinkRules {
        &self.tables.tree.rules[self.file(at).rule() as usize]
    }

    /// Whether files of two rules share entities.
    pub(crate) fn is_same_family(&self, a: u16, b: u16) -> bool {
        let family = |rule: u16| self.tables.tree.rules[rule as usize].family.as_deref();
        a == b || (family(a).is_some() && family(a) == family(b))
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &'r str {
        self.tables.tree.symbols.of(symbol)
    }

    /// The name that a text spells.
    pub(crate) fn name_of<'t>(&self, text: &'t str) -> Name<'t> {
        Name::new(self.tables.tree.symbols, text, self.recorder)
    }

    /// Whether a call in the file that is linked may mean an entity by its name alone. All that this reads, the entity's definition and the
    /// path, language and package of its file, is part of the key of its name, which [`Lookup::record_name`] records.
    pub(crate) fn reaches(&self, node: u32, caller: Caller) -> bool {
        let (at, local) = self.place_of(node);
        let files = self.tables.tree.files();
        let (file, own) = (&files[at as usize], self.own_file());
        let Some(definition) = file.contents().entities.get(local as usize) else { return false };
        if definition.is_self_only() && caller.is_outside || (file.is_test || definition.is_test()) && !caller.is_test {
            return false;
        }
        let group = |at: u32| {
            let package = files[at as usize].contents().package;
            Group::of(self.tables.tree, self.tables.modules, at, package)
        };
        at == self.own
            || !definition.is_own()
                && match definition.reach() {
                    Reach::Tree => true,
                    Reach::Group => group(at) == group(self.own),
                    Reach::Below => is_below(own.path, file.path),
                    Reach::File => false,
                }
    }

    /// Records a look-up of a name in the whole tree.
    pub(crate) fn record_name(&self, name: Symbol) {
        self.recorder.name(name);
    }

    /// The name of a symbol.
    pub(crate) fn named(&self, symbol: Symbol) -> Name<'r> {
        Name { symbol, text: self.text(symbol) }
    }

    /// The file of a node, and its position inside; [`TOP`] for the file itself.
    pub(crate) fn place_of(&self, node: u32) -> (u32, u32) {
        let starts = &self.tables.starts;
        let (first, file) = starts[starts.partition_point(|&(first, _)| first <= node) - 1];
        (file, if node == first { TOP } else { node - first - 1 })
    }

    /// The entity of a node; none for a file.
    pub(crate) fn entity(&self, node: u32) -> Option<&'r Definition> {
        let (at, local) = self.place_of(node);
        self.file(at).entity(local)
    }

    pub(crate) fn kind_of(&self, node: u32) -> Option<Kind> {
        self.entity(node).map(Definition::kind)
    }

    /// Imports of a file that may bind a name, with their positions.
    pub(crate) fn imports_of<'t>(
        &self,
        at: u32,
        name: Name<'t>,
    ) -> impl DoubleEndedIterator<Item = (usize, &'r Import)> + use<'r, 't> {
        self.file(at).imports_of(self.tables.tree.symbols, name)
    }

    /// What an import of a file means. Only imports that [`FileView`] gave out are asked for, so the file is recorded already; what the
    /// target itself depends on is recorded for the file that has the import.
    pub(crate) fn target(&self, at: u32, import: usize) -> &'r Target {
        &self.tables.targets(at).of_imports[import]
    }

    /// What the words and crates at the beginning of a path mean, and how many steps they are.
    pub(crate) fn module_words(&self, at: u32, scope: u32, steps: &[Step]) -> Option<(Target, usize)> {
        self.tables.modules.words(self.tables.tree, self.file(at), scope, steps)
    }

    /// The module called `name` inside a place, seen from a file.
    pub(crate) fn module_inside(&self, at: u32, place: Place, name: &str) -> Option<Place> {
        self.tables.modules.inside(self.tables.tree, self.file(at), place, name)
    }

    /// What a Python file imports by a dotted name.
    pub(crate) fn python_module(&self, at: u32, module: &str) -> Target {
        self.tables.modules.python(self.file(at), module)
    }

    /// The files of a folder.
    pub(crate) fn files_in(&self, folder: u32) -> &'r [u32] {
        self.tables.modules.files_in(folder, self.recorder)
    }

    pub(crate) fn folder_path(&self, folder: u32) -> &'r str {
        self.tables.modules.folder_path(folder)
    }

    /// Files that declare a package.
    pub(crate) fn package_files(&self, name: &str) -> &'r [u32] {
        self.tables.modules.package_files(name, self.recorder).unwrap_or_default()
    }

    pub(crate) fn package_name(&self, id: u32) -> &'r str {
        &self.tables.package_names[id as usize]
    }

    pub(crate) fn package_id(&self, name: &str) -> Option<u32> {
        self.recorder.text(DepKind::Package, name);
        self.tables.package_ids.get(name).copied()
    }

    /// The group of a file.
    pub(crate) fn group_of(&self, at: u32) -> Option<Group> {
        self.group_with(at, self.file(at).package())
    }

    /// The group of a file if it were in that package.
    pub(crate) fn group_with(&self, at: u32, package: Option<Symbol>) -> Option<Group> {
        Group::of(self.tables.tree, self.tables.modules, at, package)
    }

    /// Outermost entities of a group by name.
    pub(crate) fn shared(&self, group: Group, name: Symbol) -> Option<&'r Vec<u32>> {
        self.recorder.name(name);
        self.tables.shared.get(&(group, name))
    }

    /// Whether a node is a block of a namespace or open type.
    pub(crate) fn is_space(&self, node: u32) -> bool {
        self.tables.spaces.is_space(node)
    }

    /// The first block of the space that a node is one of; the node itself when it is none.
    pub(crate) fn first_block(&self, node: u32) -> u32 {
        if let Some(entity) = self.entity(node).filter(|_| self.is_space(node)) {
            self.recorder.qualified(entity.name);
        }
        self.tables.spaces.first(node)
    }

    /// Blocks of the space of a node that have a name.
    pub(crate) fn blocks_with(&self, node: u32, name: Symbol) -> &'r [u32] {
        self.tables.spaces.blocks_with(node, name, self.recorder)
    }

    /// The space of that qualified name.
    pub(crate) fn space_called(&self, at: u32, name: &str) -> Option<u32> {
        self.tables.spaces.named(self.tables.tree, self.file(at), name)
    }

    /// The innermost space around a place.
    pub(crate) fn space_around(&self, at: u32, scope: u32) -> Option<u32> {
        self.tables.spaces.around(self.file(at), scope)
    }

    /// The space with the longest name that a path begins with, and how many of its steps that is.
    pub(crate) fn longest_space(&self, at: u32, scope: u32, steps: &[Step]) -> Option<(u32, usize)> {
        self.tables.spaces.longest(self.tables.tree, self.file(at), scope, steps)
    }

    /// Files with an outermost name among those that a file includes, the nearest first.
    pub(crate) fn included_with(&self, at: u32, name: Symbol) -> Vec<u32> {
        self.tables.includes.files_with(at, self.file(at), name)
    }

    /// Whether a node of that name is a declaration of something whose body is known.
    pub(crate) fn is_declared(&self, node: u32, name: Symbol) -> bool {
        self.tables.bodies.is_declared(node, name, self.recorder)
    }

    /// Bodies of the function that a node declares.
    pub(crate) fn bodies_of(&self, node: u32) -> &'r [u32] {
        let (at, local) = self.place_of(node);
        self.tables.bodies.of(self.tables.tree, self.file(at), local)
    }

    /// The block that stands for all of a space, whose bases and extensions are about to be read.
    pub(crate) fn first(&self, node: u32) -> u32 {
        let first = self.first_block(node);
        for node in [node, first] {
            let (at, local) = self.place_of(node);
            let file = self.file(at);
            if let Some(entity) = file.entity(local) {
                self.recorder.record(DepKind::Bases, file_key(file.key(), entity.name));
            }
        }
        first
    }

    /// Bases of a type, in the order they are written; `None` for one from outside the tree.
    pub(crate) fn bases_of(&self, node: u32) -> &'r [Option<u32>] {
        self.tables.bases.get(&self.first(node)).map_or(&[], Vec::as_slice)
    }

    /// What belongs to a type or space without lying in it.
    pub(crate) fn extensions_of(&self, node: u32) -> &'r [u32] {
        self.tables.extensions.get(&self.first(node)).map_or(&[], Vec::as_slice)
    }
}
