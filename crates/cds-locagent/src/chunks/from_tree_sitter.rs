//! The splitter's tree from tree-sitter's: for files with syntax errors, whose fate depends on what tree-sitter makes of them.

use tree_sitter::{Node, TreeCursor};

use super::old_grammar::is_unreadable;
use super::syntax::{Syntax, SyntaxTable};
use super::tree::{Fault, Tree};

/// Copies what the splitter may look at.
pub(crate) fn copy(parsed: &tree_sitter::Tree, table: &SyntaxTable, text: &str, tree: &mut Tree) {
    tree.clear();
    let mut copier = Copier { table, text, tree, cursor: parsed.walk() };
    copier.begin();
    loop {
        if copier.may_look_below() && copier.cursor.goto_first_child() {
            copier.begin();
            continue;
        }
        loop {
            copier.tree.end(copier.cursor.node().end_byte());
            if copier.cursor.goto_next_sibling() {
                copier.begin();
                break;
            }
            if !copier.cursor.goto_parent() {
                copier.tree.finish(text);
                return;
            }
        }
    }
}

struct Copier<'t, 'o> {
    table: &'t SyntaxTable,
    text: &'t str,
    tree: &'o mut Tree,
    cursor: TreeCursor<'t>,
}

impl Copier<'_, '_> {
    fn begin(&mut self) {
        let node = self.cursor.node();
        let fault = self.fault(node);
        let is_value = self.cursor.field_id().is_some_and(|id| id.get() == self.table.right);
        let copy = self.tree.begin(self.table.of(node), node.start_byte());
        copy.named = node.is_named();
        copy.is_value = is_value;
        copy.fault = fault;
    }

    fn may_look_below(&self) -> bool {
        use Syntax::{Attribute, Colon, Comment, DottedName, Identifier, Other, RelativeImport, Star, StringContent};
        let syntax = self.table.of(self.cursor.node());
        !matches!(
            syntax,
            Other | Comment | Colon | Star | Identifier | Attribute | DottedName | RelativeImport | StringContent
        ) && syntax != Syntax::Arguments
    }

    fn fault(&self, node: Node<'_>) -> Option<Fault> {
        if node.has_error() {
            let mut cursor = node.walk();
            if node.is_error() || node.children(&mut cursor).any(|child| child.is_error()) {
                return Some(Fault::Broken);
            }
        }
        is_unreadable(self.table, node, self.text).then_some(Fault::Old)
    }
}
