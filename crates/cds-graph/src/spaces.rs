//! Namespaces and types that are written in several blocks: those of one qualified name are one.

use cds_model::Step;
use rustc_hash::FxHashMap;

use crate::asked::{Of, ask_name, ask_text};
use crate::symbols::Symbol;
use crate::tree::{File, TOP, Tree};

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
        for file in &tree.files {
            let rules = &tree.rules[file.rule as usize];
            for (local, definition) in file.entities.iter().enumerate() {
                if !rules.open.iter().any(|kind| kind == definition.kind().name()) {
                    continue;
                }
                let name = qualified(tree, file, local as u32);
                let next = spaces.groups.len() as u32;
                let group = *spaces.named.entry((tree.family(file.rule), name)).or_insert(next);
                if group == next {
                    spaces.groups.push(Vec::new());
                }
                let node = file.node_of(local as u32);
                spaces.groups[group as usize].push(node);
                spaces.group_of.insert(node, group);
            }
            if rules.open.is_empty() {
                continue;
            }
            for (scope, name) in file.scopes() {
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
    pub(crate) fn blocks_with(&self, node: u32, name: Symbol) -> &[u32] {
        ask_name(name);
        let group = self.group_of.get(&node);
        group.and_then(|&group| self.members.get(&(group, name))).map_or(&[], Vec::as_slice)
    }

    /// The block that stands for all of them; the node itself when it is no block.
    pub(crate) fn first(&self, node: u32) -> u32 {
        self.blocks(node).first().copied().unwrap_or(node)
    }

    /// The space of that qualified name.
    pub(crate) fn named(&self, tree: &Tree, at: u32, name: &str) -> Option<u32> {
        let family = tree.family(tree.files[at as usize].rule);
        ask_last(tree, name);
        self.named.get(&(family, name.to_owned())).map(|&group| self.groups[group as usize][0])
    }

    /// The innermost space around a place.
    pub(crate) fn around(&self, tree: &Tree, at: u32, mut scope: u32) -> Option<u32> {
        let file = &tree.files[at as usize];
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
    pub(crate) fn longest(&self, tree: &Tree, at: u32, scope: u32, steps: &[Step]) -> Option<(u32, usize)> {
        if self.named.is_empty() {
            return None;
        }
        let file = &tree.files[at as usize];
        let family = tree.family(file.rule);
        let plain = steps.iter().take_while(|s| !s.called).count();
        for step in &steps[..plain] {
            ask_last(tree, step.name);
        }
        let mut around = scope;
        loop {
            let mut name = if around == TOP { String::new() } else { qualified(tree, file, around) };
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

/// The last part of a name is asked for, wherever it stands.
fn ask_last(tree: &Tree, name: &str) {
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    tree.symbols.get(last).map_or_else(|| ask_text(Of::Missing, last), ask_name);
}

/// The names of all scopes of an entity with dots, whatever the language writes.
pub(crate) fn qualified(tree: &Tree, file: &File, local: u32) -> String {
    let mut parts = Vec::new();
    let mut at = local;
    while let Some(definition) = file.entities.get(at as usize) {
        parts.push(tree.symbols.of(definition.name));
        parts.extend(definition.scope().map(|s| tree.symbols.of(s)));
        at = definition.parent;
    }
    parts.reverse();
    parts.join(".").replace("::", ".")
}
