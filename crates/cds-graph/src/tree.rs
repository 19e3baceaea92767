//! The files of a tree as linking sees them.
//!
//! [`Tree`] owns them; [`FileView`] is how a look-up reads one: every method that tells something of a file's contents notes that in the
//! [`Recorder`] of the file that is being linked.

use cds_model::{LinkRules, PathRole};
use rustc_hash::FxHashMap;

use crate::dependencies::{DepKind, Recorder, hash};
use crate::outline::{Binding, Contents, Definition, Import, Parameter, TOP};
use crate::symbols::{Symbol, Symbols};

/// Files of build tools that say how modules are called.
const MANIFESTS: [&str; 5] = ["package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml"];

/// The outlines of all files, ready to be linked.
pub struct Tree<'a> {
    pub(crate) symbols: &'a Symbols<'a>,
    pub(crate) rules: Vec<LinkRules>,
    /// The first of the rules that share entities with each.
    families: Vec<usize>,
    languages: FxHashMap<String, u16>,
    files: Vec<File<'a>>,
    pub(crate) manifests: Vec<(String, String)>,
}

/// One file of the tree.
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    pub(crate) rule: u16,
    /// The file's own node; those of its entities follow.
    pub(crate) node: u32,
    /// The hash of its path, which identifies it in keys of dependencies.
    pub(crate) key: u32,
    /// Whether it is a file of tests.
    pub(crate) is_test: bool,
    contents: Contents<'a>,
}

impl<'a> Tree<'a> {
    /// A tree without files.
    pub fn new(symbols: &'a Symbols<'a>) -> Tree<'a> {
        Tree {
            symbols,
            rules: Vec::new(),
            families: Vec::new(),
            languages: FxHashMap::default(),
            files: Vec::new(),
            manifests: Vec::new(),
        }
    }

    /// Whether the text of such a file is wanted.
    pub fn wants_text(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        MANIFESTS.contains(&name) || (name.starts_with("tsconfig.") && name.ends_with(".json"))
    }

    /// Adds the text of a file for which [`Tree::wants_text`].
    pub fn add_manifest(&mut self, path: &str, text: &str) {
        self.manifests.push((path.to_owned(), text.to_owned()));
    }

    /// Adds a file by its outline. `node` is its own node; its entities' nodes follow it in their order. Files come in the order of their
    /// paths. An outline that is damaged is one without rows.
    pub fn add(&mut self, path: &'a str, language: &str, rules: &LinkRules, node: u32, outline: &'a [u32]) {
        let rule = match self.languages.get(language) {
            Some(&rule) => rule,
            None => {
                let rule = self.rules.len() as u16;
                let same = |other: &LinkRules| rules.family.is_some() && other.family == rules.family;
                self.families.push(self.rules.iter().position(same).unwrap_or(rule.into()));
                self.rules.push(rules.clone());
                self.languages.insert(language.to_owned(), rule);
                rule
            }
        };
        let is_test = PathRole::of(path) == PathRole::Test;
        self.files.push(File { path, rule, node, key: hash(path), is_test, contents: Contents::read(outline) });
    }

    /// The first rule of those that share entities with this one.
    pub(crate) fn family(&self, rule: u16) -> usize {
        self.families[rule as usize]
    }

    /// How many files there are.
    pub(crate) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// All files, to build tables over them. A look-up on behalf of one file reads them through [`Tree::view`] instead.
    pub(crate) fn files(&self) -> &[File<'a>] {
        &self.files
    }

    /// A file as a look-up reads it.
    pub(crate) fn view<'r>(&'r self, at: u32, recorder: &'r Recorder) -> FileView<'r> {
        FileView { file: &self.files[at as usize], recorder }
    }
}

impl<'a> File<'a> {
    /// Everything in it, to build tables over all files, or because it is the file that is linked.
    pub(crate) fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    pub(crate) fn node_of(&self, local: u32) -> u32 {
        if local == TOP { self.node } else { self.node + 1 + local }
    }

    pub(crate) fn folder(&self) -> &'a str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// A file as a look-up reads it.
#[derive(Clone, Copy)]
pub(crate) struct FileView<'r> {
    file: &'r File<'r>,
    recorder: &'r Recorder,
}

impl<'r> FileView<'r> {
    pub(crate) fn path(self) -> &'r str {
        self.file.path
    }

    pub(crate) fn folder(self) -> &'r str {
        self.file.folder()
    }

    pub(crate) fn rule(self) -> u16 {
        self.file.rule
    }

    /// The hash of its path.
    pub(crate) fn key(self) -> u32 {
        self.file.key
    }

    /// The file's own node.
    pub(crate) fn node(self) -> u32 {
        self.file.node
    }

    pub(crate) fn node_of(self, local: u32) -> u32 {
        self.file.node_of(local)
    }

    pub(crate) fn recorder(self) -> &'r Recorder {
        self.recorder
    }

    /// The package that the file declares.
    pub(crate) fn package(self) -> Option<Symbol> {
        self.recorder.record(DepKind::Path, self.file.key);
        self.file.contents.package
    }

    /// The entity at a position; none for [`TOP`].
    pub(crate) fn entity(self, local: u32) -> Option<&'r Definition> {
        let entity = self.file.contents.entities.get(local as usize)?;
        self.recorder.in_file(self.file.key, entity.name);
        Some(entity)
    }

    /// The parameters of an entity.
    pub(crate) fn parameters(self, local: u32) -> &'r [Parameter] {
        let range = self.entity(local).map(|entity| entity.parameters[0] as usize..entity.parameters[1] as usize);
        range.and_then(|range| self.file.contents.parameters.get(range)).unwrap_or_default()
    }

    /// Entities called `name` directly inside a scope, in order of position.
    pub(crate) fn members(self, scope: u32, name: Symbol) -> impl Iterator<Item = u32> + use<'r> {
        self.recorder.in_file(self.file.key, name);
        let members = self.file.contents.members;
        let from = members.partition_point(|m| (m.scope, m.name) < (scope, name));
        members[from..].iter().take_while(move |m| (m.scope, m.name) == (scope, name)).map(|m| m.local)
    }

    /// Bindings of `name` in a scope, in order of position.
    pub(crate) fn bindings(self, scope: u32, name: Symbol) -> &'r [Binding] {
        self.recorder.in_file(self.file.key, name);
        let bindings = self.file.contents.bindings;
        let from = bindings.partition_point(|b| (b.scope, b.name) < (scope, name));
        let count = bindings[from..].partition_point(|b| (b.scope, b.name) == (scope, name));
        &bindings[from..from + count]
    }

    /// Functions whose head puts them into the table `name`, in order of position.
    pub(crate) fn in_table(self, name: Symbol) -> impl Iterator<Item = u32> + use<'r> {
        self.recorder.in_file(self.file.key, name);
        let entities = self.file.contents.entities.iter().zip(0..);
        entities.filter(move |(entity, _)| entity.scope() == Some(name)).map(|(_, local)| local)
    }

    /// The definition that `export default` stands before.
    pub(crate) fn default_export(self) -> Option<u32> {
        self.recorder.record(DepKind::Default, self.file.key);
        let is_default = |entity: &Definition| entity.parent == TOP && entity.is_default();
        self.file.contents.entities.iter().position(is_default).map(|local| local as u32)
    }

    /// Imports that may bind a name, with their positions: those that say so, and those of whole modules whose path has it as a part.
    pub(crate) fn imports_of<'t>(
        self,
        symbols: &'r Symbols<'r>,
        name: Name<'t>,
    ) -> impl DoubleEndedIterator<Item = (usize, &'r Import)> + use<'r, 't> {
        self.recorder.in_file(self.file.key, name.symbol);
        let binds = move |import: &Import| match import.alias.get().or(import.name.get()) {
            Some(bound) => bound == name.symbol || import.is_export() && import.name.get() == Some(name.symbol),
            None => {
                let module = symbols.of(import.module);
                module.contains(name.text) && module_parts(module).any(|part| part == name.text)
            }
        };
        self.file.contents.imports.iter().enumerate().filter(move |(_, import)| binds(import))
    }

    /// Imports that take everything a module has, with their positions.
    pub(crate) fn whole_imports(self) -> impl Iterator<Item = (usize, &'r Import)> {
        self.recorder.record(DepKind::Wildcards, self.file.key);
        self.file.contents.imports.iter().enumerate().filter(|(_, import)| import.is_whole())
    }

    pub(crate) fn parent(self, scope: u32) -> u32 {
        self.entity(scope).map_or(TOP, |entity| entity.parent)
    }

    /// Whether a scope is another one, or lies around it.
    pub(crate) fn is_around(self, outer: u32, mut scope: u32) -> bool {
        while scope != outer && scope != TOP {
            scope = self.parent(scope);
        }
        scope == outer
    }
}

/// A name to look up. Its symbol is [`Symbol::NOWHERE`] when no string of the index equals it: nothing has that name.
#[derive(Clone, Copy)]
pub(crate) struct Name<'t> {
    pub(crate) symbol: Symbol,
    pub(crate) text: &'t str,
}

impl<'t> Name<'t> {
    /// The name that a text spells. An absent one is a dependency: a file that defines it may be added.
    pub(crate) fn new(symbols: &Symbols, text: &'t str, recorder: &Recorder) -> Name<'t> {
        let symbol = symbols.get(text).unwrap_or_else(|| {
            recorder.text(DepKind::Missing, text);
            Symbol::NOWHERE
        });
        Name { symbol, text }
    }
}

/// Parts of a module's path by which the module may be called.
pub(crate) fn module_parts(module: &str) -> impl Iterator<Item = &str> {
    let words = module.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
    words.chain(module.rsplit(['.', ':', '\\']).next())
}
