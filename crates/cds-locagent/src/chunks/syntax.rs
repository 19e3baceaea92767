//! What does a node of the syntax tree mean to the splitter?

use tree_sitter::Language;

/// The kinds of nodes that the splitter tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Module,
    Decorated,
    Class,
    Function,
    Comment,
    Import,
    ImportFrom,
    FutureImport,
    Assignment,
    Call,
    Expression,
    Return,
    /// `if`, `for`, `while`, `with`, `match`.
    Compound,
    /// `elif`, `else`, `finally`.
    Clause,
    Except,
    /// Other nodes that may have a block: `try`, `case`.
    Blocked,
    Block,
    Colon,
    Star,
    Identifier,
    Attribute,
    DottedName,
    AliasedImport,
    RelativeImport,
    Arguments,
    String,
    StringContent,
    Other,
}

/// Row of the grammar's names of nodes, with what they mean. Names that are missing here mean `Other`.
const NAMED: [(&str, Syntax); 32] = [
    ("aliased_import", Syntax::AliasedImport),
    ("argument_list", Syntax::Arguments),
    ("assignment", Syntax::Assignment),
    ("attribute", Syntax::Attribute),
    ("block", Syntax::Block),
    ("call", Syntax::Call),
    ("case_clause", Syntax::Blocked),
    ("class_definition", Syntax::Class),
    ("comment", Syntax::Comment),
    ("decorated_definition", Syntax::Decorated),
    ("dotted_name", Syntax::DottedName),
    ("elif_clause", Syntax::Clause),
    ("else_clause", Syntax::Clause),
    ("except_clause", Syntax::Except),
    ("expression_statement", Syntax::Expression),
    ("finally_clause", Syntax::Clause),
    ("for_statement", Syntax::Compound),
    ("function_definition", Syntax::Function),
    ("future_import_statement", Syntax::FutureImport),
    ("identifier", Syntax::Identifier),
    ("if_statement", Syntax::Compound),
    ("import_from_statement", Syntax::ImportFrom),
    ("import_statement", Syntax::Import),
    ("match_statement", Syntax::Compound),
    ("module", Syntax::Module),
    ("relative_import", Syntax::RelativeImport),
    ("return_statement", Syntax::Return),
    ("string", Syntax::String),
    ("string_content", Syntax::StringContent),
    ("try_statement", Syntax::Blocked),
    ("while_statement", Syntax::Compound),
    ("with_statement", Syntax::Compound),
];

/// The meaning of every kind of node, by the grammar's number of it, and the numbers of the fields that are asked for.
pub(crate) struct SyntaxTable {
    meaning: Vec<Syntax>,
    /// Number of the field that holds an assignment's value.
    pub(crate) right: u16,
}

impl SyntaxTable {
    pub(crate) fn new(language: &Language) -> Self {
        let meaning = (0..language.node_kind_count() as u16)
            .map(|id| {
                let name = language.node_kind_for_id(id).unwrap_or_default();
                match (language.node_kind_is_named(id), name) {
                    (true, name) => {
                        NAMED.binary_search_by_key(&name, |row| row.0).map_or(Syntax::Other, |at| NAMED[at].1)
                    }
                    (false, ":") => Syntax::Colon,
                    (false, "*") => Syntax::Star,
                    (false, _) => Syntax::Other,
                }
            })
            .collect();
        let right = language.field_id_for_name("right").expect("the grammar has this field").get();
        Self { meaning, right }
    }

    pub(crate) fn of(&self, node: tree_sitter::Node<'_>) -> Syntax {
        self.meaning.get(usize::from(node.kind_id())).copied().unwrap_or(Syntax::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_known_to_the_grammar() {
        let language: Language = tree_sitter_python::LANGUAGE.into();
        assert!(NAMED.is_sorted_by(|a, b| a.0 < b.0));
        for (name, _) in NAMED {
            assert_ne!(language.id_for_node_kind(name, true), 0, "{name}");
        }
    }
}
