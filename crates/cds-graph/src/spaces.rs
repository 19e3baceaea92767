//! Namespaces and types that are written in several blocks: those of one qualified name are one.

use cds_model::Step;
use rustc_hash::FxHashMap;

use crate::dependencies::Recorder;
use crate::outline::{Contents, Definition, TOP};
use crate::symbols::{Symbol, Symbols};
use crate::tree::{FileView, Name, Tree};

#[derive(Default)]
pub(crate) struct Spaces {
    /// Blocks of one name, in order of path and position.
    groups: Vec<Vec<u32>>,
    /// By block.
    group_of: FxHashMap<u32, u32>,
    /// By the family's first rule and qualified name.
    named: FxHashMap<(usize, String), u32>,
    /// Blocks with a definition or binding of a name, by group.
    members: FxHashMap<(u32, Symbol), Vec<u32>>,
}

impl Spaces {
    pub(crate) fn new(tree: &Tree) -> Spaces {
        let mut spaces = Spaces::default();
        for file in tree.files() {
            let rules = &tree.rules[file.rule as usize];
            if rules.open.is_empty() {
                continue;
            }
            let contents = file.contents();
            for (local, definition) in contents.entities.iter().enumerate() {
                if !rules.open.iter().any(|kind| kind == definition.kind().name()) {
                    continue;
                }
                let name = qualified(tree.symbols, contents, local as u32);
                let next = spaces.groups.len() as u32;
                let group = *spaces.named.entry((tree.family(file.rule), name)).or_insert(next);
                if group == next {
                    spaces.groups.push(Vec::new());
                }
                let node = file.node_of(local as u32);
                spaces.groups[group as usize].push(node);
                spaces.group_of.insert(node, group);
            }
            for (scope, name) in contents.scopes() {
                let block = file.node_of(scope);
                if let Some(&group) = spaces.group_of.get(&block) {
                    let blocks = spaces.members.entry((group, name)).or_default();
                    if blocks.last() != Some(&block) {
                        blocks.push(block);
                    }
                }
            }
        }
        spaces
    }

    pub(crate) fn is_space(&self, node: u32) -> bool {
        self.group_of.contains_key(&node)
    }

    /// All blocks of what a node is one of.
    fn blocks(&self, node: u32) -> &[u32] {
        self.group_of.get(&node).map_or(&[], |&group| &self.groups[group as usize])
    }

    /// Those of them that have a name.
    pub(crate) fn blocks_with(&self, node: u32, name: Symbol, recorder: &Recorder) -> &[u32] {
        let Some(&group) = self.group_of.get(&node) else { return &[] };
        recorder.qualified(name);
        self.members.get(&(group, name)).map_or(&[], Vec::as_slice)
    }

    /// The block that stands for all of them; the node itself when it is no block.
    pub(crate) fn first(&self, node: u32) -> u32 {
        self.blocks(node).first().copied().unwrap_or(node)
    }

    /// The space of that qualified name.
    pub(crate) fn named(&self, tree: &Tree, file: FileView, name: &str) -> Option<u32> {
        record_last(tree.symbols, name, file.recorder());
        let key = (tree.family(file.rule()), name.to_owned());
        self.named.get(&key).map(|&group| self.groups[group as usize][0])
    }

    /// The innermost space around a place.
    pub(crate) fn around(&self, file: FileView, mut scope: u32) -> Option<u32> {
        while scope != TOP {
            if self.is_space(file.node_of(scope)) {
                return Some(file.node_of(scope));
            }
            scope = file.parent(scope);
        }
        None
    }

    /// The space with the longest name that a path begins with, and how many of its steps that is. Names are looked up below
    /// what is around the place first.
    pub(crate) fn longest(&self, tree: &Tree, file: FileView, scope: u32, steps: &[Step]) -> Option<(u32, usize)> {
        let family = tree.family(file.rule());
        let plain = steps.iter().take_while(|s| !s.called).count();
        for step in &steps[..plain] {
            record_last(tree.symbols, step.name, file.recorder());
        }
        let mut around = scope;
        loop {
            let mut name = if around == TOP { String::new() } else { qualified_in(tree.symbols, file, around) };
            let mut best = None;
            for (i, step) in steps[..plain].iter().enumerate() {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(step.name);
                let key = (family, std::mem::take(&mut name));
                if let Some(&group) = self.named.get(&key) {
                    best = Some((self.groups[group as usize][0], i + 1));
                }
                name = key.1;
            }
            if best.is_some() || around == TOP {
                return best;
            }
            around = file.parent(around);
        }
    }
}

/// Records the last part of a qualified name: a space is found by it.
fn record_last(symbols: &Symbols, name: &str, recorder: &Recorder) {
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    recorder.qualified(Name::new(symbols, last, recorder).symbol);
}

/// The names of all scopes of an entity with dots, whatever the language writes.
pub(crate) fn qualified(symbols: &Symbols, contents: &Contents, local: u32) -> String {
    join(
        symbols,
        std::iter::successors(contents.entities.get(local as usize), |definition| {
            contents.entities.get(definition.parent as usize)
        }),
    )
}

/// The same of a file that a look-up reads.
pub(crate) fn qualified_in(symbols: &Symbols, file: FileView, local: u32) -> String {
    join(symbols, std::iter::successors(file.entity(local), |definition| file.entity(definition.parent)))
}

/// Joins the names of definitions, the innermost first.
fn join<'a>(symbols: &Symbols, definitions: impl Iterator<Item = &'a Definition>) -> String {
    let mut parts = Vec::new();
    for definition in definitions {
        parts.push(symbols.of(definition.name));
        parts.extend(definition.scope().map(|s| symbols.of(s)));
    }
    parts.reverse();
    parts.join(".").replace("::", ".")
}
