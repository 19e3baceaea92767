//! Where the body of a function stands that is only declared: in another place of its file, or in another file.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependencies::Recorder;
use crate::outline::is_callable;
use crate::spaces::{qualified, qualified_in};
use crate::symbols::Symbol;
use crate::tree::{FileView, Tree};

/// Functions with a body that are declared somewhere as well.
#[derive(Default)]
pub(crate) struct Bodies {
    /// By family and qualified name, in order of path and position.
    named: FxHashMap<(usize, String), Vec<u32>>,
    /// Declarations of them.
    declarations: FxHashSet<u32>,
    /// The names of all declarations.
    declared: FxHashSet<Symbol>,
}

impl Bodies {
    pub(crate) fn new(tree: &Tree) -> Bodies {
        let entities =
            || tree.files().iter().flat_map(|f| f.contents().entities.iter().zip(0..).map(move |(e, i)| (f, i, e)));
        let declared = entities().filter(|(_, _, e)| e.is_declaration()).map(|(_, _, e)| e.name).collect();
        let mut bodies = Bodies { declared, ..Bodies::default() };
        for (file, local, definition) in entities() {
            let has_body = is_callable(definition.kind()) && !definition.is_declaration() && !definition.is_own();
            if has_body && bodies.declared.contains(&definition.name) {
                let key = (tree.family(file.rule), qualified(tree.symbols, file.contents(), local));
                bodies.named.entry(key).or_default().push(file.node_of(local));
            }
        }
        for (file, local, _) in entities().filter(|(_, _, e)| e.is_declaration()) {
            if bodies.named.contains_key(&(tree.family(file.rule), qualified(tree.symbols, file.contents(), local))) {
                bodies.declarations.insert(file.node_of(local));
            }
        }
        bodies
    }

    /// Qualified names are compared only where a declaration has the name, and a first one changes what is known of the name itself.
    fn record(&self, name: Symbol, recorder: &Recorder) {
        if self.declared.contains(&name) {
            recorder.qualified(name);
        } else {
            recorder.name(name);
        }
    }

    /// Whether a node is a declaration of something whose body is known.
    pub(crate) fn is_declared(&self, node: u32, name: Symbol, recorder: &Recorder) -> bool {
        self.record(name, recorder);
        self.declarations.contains(&node)
    }

    /// Bodies of the function of a file that is declared at a place.
    pub(crate) fn of(&self, tree: &Tree, file: FileView, local: u32) -> &[u32] {
        if let Some(definition) = file.entity(local) {
            self.record(definition.name, file.recorder());
        }
        let key = (tree.family(file.rule()), qualified_in(tree.symbols, file, local));
        self.named.get(&key).map_or(&[], Vec::as_slice)
    }
}
