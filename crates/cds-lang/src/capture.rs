//! The closed set of capture names that query files may use.

use cds_model::{Kind, ReferenceKind};

/// What a capture means. A pattern has one main capture (definition, reference, import) and parts of it;
/// `comment`, `decorator`, `modifier` and `doc` may also stand alone and are then joined by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// `definition.KIND`: a whole definition.
    Definition(Kind),
    /// `reference.call|type|base`: the name used, or the whole use when `name` is captured as well.
    Reference(ReferenceKind),
    /// `import`: a whole import of one thing.
    Import,
    /// `binding`, `binding.member`: a name bound to a value, also one of the object itself.
    Binding {
        member: bool,
    },
    /// `declared`: all names in it are declared, which does not say what they are bound to.
    Declared,
    /// `package`: what the whole file says it belongs to.
    Package,
    /// `name`: of the definition or reference.
    Name,
    /// `scope`: what a definition belongs to without nesting in it (receiver type, `Foo::`). Several are one path.
    Scope,
    /// `receiver`: what a call is made on.
    Receiver,
    /// `module`, `item`, `alias`, `wildcard`: parts of an import. Several modules are one path.
    Module,
    Item,
    Alias,
    Wildcard,
    /// `default`: the import takes what the module gives when no name is said; `export`: the file gives its own `item` under
    /// the name `alias`; with `wildcard`, other names as well.
    Default,
    Export,
    /// `type`, `value`: of a binding.
    Type,
    Value,
    /// `doc`: a doc comment inside the definition, or the file's when no definition is in the match.
    Doc,
    /// `body`, `parameters`, `return`: where no field of the node leads there.
    Body,
    Parameters,
    Return,
    /// `comment`: any comment.
    Comment,
    /// `decorator`: annotation, attribute, decorator; above or inside a definition.
    Decorator,
    /// `modifier`: a keyword in front of the name.
    Modifier,
    /// `wrapper`: a node that belongs to the definition in it: `export …`, `template <…> …`.
    Wrapper,
    /// `test`: the definition in this match is a test.
    Test,
    /// `_…`: only for predicates.
    Helper,
}

impl Capture {
    pub(crate) fn parse(name: &str) -> Option<Capture> {
        if let Some(kind) = name.strip_prefix("definition.") {
            return Kind::from_name(kind).map(Capture::Definition);
        }
        Some(match name {
            "reference.call" => Capture::Reference(ReferenceKind::Call),
            "reference.type" => Capture::Reference(ReferenceKind::Type),
            "reference.base" => Capture::Reference(ReferenceKind::Base),
            "import" => Capture::Import,
            "binding" => Capture::Binding { member: false },
            "binding.member" => Capture::Binding { member: true },
            "declared" => Capture::Declared,
            "package" => Capture::Package,
            "default" => Capture::Default,
            "export" => Capture::Export,
            "type" => Capture::Type,
            "value" => Capture::Value,
            "name" => Capture::Name,
            "scope" => Capture::Scope,
            "receiver" => Capture::Receiver,
            "module" => Capture::Module,
            "item" => Capture::Item,
            "alias" => Capture::Alias,
            "wildcard" => Capture::Wildcard,
            "doc" => Capture::Doc,
            "body" => Capture::Body,
            "parameters" => Capture::Parameters,
            "return" => Capture::Return,
            "comment" => Capture::Comment,
            "decorator" => Capture::Decorator,
            "modifier" => Capture::Modifier,
            "wrapper" => Capture::Wrapper,
            "test" => Capture::Test,
            _ if name.starts_with('_') => Capture::Helper,
            _ => return None,
        })
    }
}
