//! `language.toml`: how a language is recognised and what its words mean.

use serde::Deserialize;

/// The file `language.toml`, as written. Unknown keys are errors.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spec {
    /// File extensions, without the dot, lower case.
    pub extensions: Vec<String>,
    /// Files of another language that are in this one when a line of theirs begins so.
    pub claims: Option<Claims>,
    /// Whole file names.
    pub filenames: Vec<String>,
    /// Programs on a `#!` line.
    pub interpreters: Vec<String>,
    /// Other names for it in filters, queries and code fences.
    pub aliases: Vec<String>,
    /// The name shown and stored instead of its own: dialects are one language to their users.
    pub shown_as: Option<String>,
    /// The built-in language whose grammar reads it; its own when there is one.
    pub grammar: Option<String>,
    /// Folders whose own queries come before its own, in this order: shared ones, or other languages.
    pub inherits: Vec<String>,
    /// How a text without a grammar is cut.
    pub structure: Structure,
    /// Languages inside it.
    pub embedded: Vec<Embedded>,
    /// How its text is coloured.
    pub highlight: Highlight,
    /// Where a definition keeps its parts.
    pub parts: Parts,
    /// Which leaves are names, and where they are declared.
    pub names: Names,
    /// What is public.
    pub public: Public,
    /// What is a test.
    pub test: Test,
    /// How definitions are recovered from a text with syntax errors.
    pub recover: Option<Recover>,
    /// How names find each other across files.
    pub link: cds_model::LinkRules,
    /// Kinds that take another name directly inside a type: `function = "method"`.
    pub members: std::collections::BTreeMap<String, String>,
    /// Kinds, besides types, inside which `members` applies as well.
    pub member_parents: Vec<String>,
}

/// Files whose extension belongs to another language and whose text does not.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// Their extensions.
    pub extensions: Vec<String>,
    /// Beginnings of a line, white space cut, that only this language has.
    pub lines: Vec<String>,
}

/// How a text without a grammar is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// At blank lines.
    #[default]
    Paragraphs,
    /// At headings.
    Headings,
}

/// A stretch of another language, between two markers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embedded {
    /// Starts the opening tag; the stretch begins after the next `>`.
    pub open: String,
    /// Ends the stretch.
    pub close: String,
    /// What is in it when the opening tag has no `lang` or `type` attribute that names a language.
    pub language: String,
}

/// What colours a line of code. Keywords come from the grammar.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Highlight {
    /// Start a comment that ends with the line.
    pub line_comments: Vec<String>,
    /// Start and end of a comment of any length.
    pub block_comments: Vec<(String, String)>,
    /// Characters that open and close a string.
    pub quotes: Vec<String>,
}

/// Where a definition keeps its parts: names of fields, then kinds of nodes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parts {
    /// Fields that hold the body; the signature ends there.
    pub body: Vec<String>,
    /// Node kinds that are a body when no field names it.
    pub body_kinds: Vec<String>,
    /// Fields that hold the parameter list.
    pub parameters: Vec<String>,
    /// Node kinds that are parameters among a definition's own children, where no node holds the list.
    pub parameter_kinds: Vec<String>,
    /// Node kinds in a parameter list that are not parameters.
    pub not_parameters: Vec<String>,
    /// Fields of a parameter that hold its name.
    pub parameter_name: Vec<String>,
    /// Fields of a parameter that hold its type.
    pub parameter_type: Vec<String>,
    /// Fields that hold the return type.
    pub return_type: Vec<String>,
}

impl Default for Parts {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Parts {
            body: list(&["body"]),
            body_kinds: Vec::new(),
            parameters: list(&["parameters"]),
            parameter_kinds: Vec::new(),
            not_parameters: Vec::new(),
            parameter_name: list(&["name", "pattern", "declarator"]),
            parameter_type: list(&["type"]),
            return_type: list(&["return_type"]),
        }
    }
}

/// Identifiers, for filters by what is defined and used. Most need no data: kinds that end in `identifier` are names, and those in the fields
/// `name`, `pattern` and `declarator` of declarations, definitions and parameters are declared, as is what `@binding` and `@declared` capture.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Names {
    /// Further kinds of leaves that are names.
    pub kinds: Vec<String>,
    /// Where further names are declared: `kind.field` for all names in that field, `kind` for those that stand directly in such a node,
    /// and for such leaves.
    pub declared: Vec<String>,
    /// Kinds of nodes and leaves whose names are used, also where something is declared around them.
    pub used: Vec<String>,
}

/// What is public. The first rule that speaks decides: modifiers, then name, then the default.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Public {
    /// When no rule speaks.
    pub default: bool,
    /// Modifiers that make public.
    pub modifiers: Vec<String>,
    /// Modifiers that hide.
    pub hidden_modifiers: Vec<String>,
    /// Beginnings of a name that hide.
    pub hidden_prefixes: Vec<String>,
    /// Beginnings and ends of a name that make public although a hidden prefix fits: `__init__`.
    pub shown_affixes: Vec<String>,
    /// Whether a name is public exactly when it begins with a capital letter.
    pub capitalised: bool,
    /// Kinds of parent whose members are public by default: interfaces, traits, enums.
    pub open_parents: Vec<String>,
    /// Kinds of parent whose members are as public as they are when they conform to something: `impl Trait for Type`.
    pub conforming_parents: Vec<String>,
}

impl Default for Public {
    fn default() -> Self {
        Public {
            default: true,
            modifiers: Vec::new(),
            hidden_modifiers: Vec::new(),
            hidden_prefixes: Vec::new(),
            shown_affixes: Vec::new(),
            capitalised: false,
            open_parents: Vec::new(),
            conforming_parents: Vec::new(),
        }
    }
}

/// How definitions are found without a parser: by keywords and braces, in a text without comments and strings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recover {
    /// Keywords that introduce types, with the kind of what follows: `class = "class"`. Their bodies hold other definitions.
    pub types: std::collections::BTreeMap<String, String>,
    /// Keywords that introduce functions, with the kind.
    pub functions: std::collections::BTreeMap<String, String>,
    /// Words in the header of other blocks that hold definitions: `extern "C" {`.
    pub namespaces: Vec<String>,
    /// Whether functions have no keyword and are recognised by their shape: `type name(parameters) {`.
    pub shapes: bool,
    /// Whether lines that begin with `#` are directives of a preprocessor.
    pub directives: bool,
    /// Whether a body in braces may follow an equals sign.
    pub braces_after_equals: bool,
    /// Whether the grammar expects the end of a line or a semicolon before a closing brace, and the language does not.
    pub ends_before_braces: bool,
}

/// What is a test, by decorator or name. Paths are judged elsewhere.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Test {
    /// Decorators whose name (arguments cut) is one of these, or ends in `.` or `::` and one of these.
    pub decorators: Vec<String>,
    /// Beginnings of the name of a test function.
    pub function_prefixes: Vec<String>,
    /// Beginnings of the name of a class that is a test when it has a test function.
    pub class_prefixes: Vec<String>,
    /// Bases that make a class a test class.
    pub bases: Vec<String>,
}
