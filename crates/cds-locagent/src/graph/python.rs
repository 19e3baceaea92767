//! What the graph needs of one Python file, seen as CPython's `ast` sees it: definitions, imports, called names.

use std::ops::Range;

use compact_str::CompactString;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Decorator, ElifElseClause, ExceptHandler, Expr, PythonVersion, Stmt, StmtClassDef, StmtFunctionDef,
};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextSize};
use serde::{Deserialize, Serialize};

use crate::graph::NodeType;

/// LocAgent's data were made with this interpreter; what it cannot parse is an orphan in the graph.
const INTERPRETER: PythonVersion = PythonVersion::PY312;

/// One file, read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// Every class and function, in the order of the source.
    pub(crate) definitions: Vec<Definition>,
    /// Every import at any depth, outer ones first, as a breadth-first walk meets them.
    pub(crate) imports: Vec<Import>,
}

/// A class or a function.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Definition {
    /// Names of all enclosing classes and functions and its own, with dots.
    pub(crate) name: CompactString,
    pub(crate) kind: NodeType,
    /// From its keyword on: decorators are not part of it.
    pub(crate) code: Range<u32>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// Called names, each once.
    pub(crate) calls: Vec<CompactString>,
    /// Names of bases, each once.
    pub(crate) bases: Vec<CompactString>,
    /// Imports that are statements of its own body.
    pub(crate) imports: Vec<Import>,
}

/// One import statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Import {
    /// `import a.b as c`, one row a name.
    Module { module: CompactString, alias: Option<CompactString> },
    /// `from ..m import n as x, y`; a star stands alone.
    From { level: u32, module: CompactString, names: Vec<(CompactString, Option<CompactString>)> },
}

/// Reads a file; `None` when CPython would refuse it.
pub(crate) fn outline(text: &str) -> Option<Outline> {
    // CPython drops a byte order mark from bytes, but LocAgent hands it text that still begins with one.
    if text.starts_with('\u{feff}') {
        return None;
    }
    let parsed =
        parse_unchecked(text, ParseOptions::from(Mode::Module).with_target_version(INTERPRETER)).try_into_module()?;
    if parsed.has_syntax_errors() {
        return None;
    }
    let body = parsed.suite();
    let mut reader = Reader { text, lines: line_starts(text), scope: Vec::new(), definitions: Vec::new() };
    reader.statements(body);
    Some(Outline { definitions: reader.definitions, imports: imports_by_depth(body) })
}

fn line_starts(text: &str) -> Vec<u32> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1)).collect()
}

/// Walks statements and keeps the names of what encloses them.
struct Reader<'a> {
    text: &'a str,
    lines: Vec<u32>,
    scope: Vec<(&'a str, NodeType)>,
    definitions: Vec<Definition>,
}

impl<'a> Reader<'a> {
    fn statements(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => self.function(function),
                Stmt::ClassDef(class) => self.class(class),
                compound => for_each_body(compound, &mut |body, _| self.statements(body)),
            }
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        // A constructor belongs to its class; nothing in it is a node of its own.
        if is_constructor(function) && self.scope.last().is_some_and(|(_, kind)| *kind == NodeType::Class) {
            return;
        }
        let mut calls = Calls { names: Vec::new(), nested: false };
        if let Some(parameters) = &function.type_params {
            calls.visit_type_params(parameters);
        }
        calls.visit_parameters(&function.parameters);
        if let Some(returns) = &function.returns {
            calls.visit_annotation(returns);
        }
        calls.visit_body(&function.body);
        let imports = direct_imports(&function.body);
        self.define(
            statement_start(self.text, function.range().start(), &function.decorator_list),
            function.range().end(),
            Found { name: &function.name, kind: NodeType::Function, calls: calls.names, bases: Vec::new(), imports },
        );
        self.inside(&function.name, NodeType::Function, &function.body);
    }

    fn class(&mut self, class: &'a StmtClassDef) {
        let bases = class.bases().iter().filter_map(last_name).map(CompactString::from).collect();
        let mut imports = direct_imports(&class.body);
        let mut calls = Calls { names: Vec::new(), nested: true };
        for statement in &class.body {
            let Stmt::FunctionDef(constructor) = statement else { continue };
            if is_constructor(constructor) {
                imports.extend(direct_imports(&constructor.body));
                for decorator in &constructor.decorator_list {
                    calls.decorator_names(&decorator.expression);
                }
                visitor::walk_stmt(&mut calls, statement);
                break;
            }
        }
        self.define(
            statement_start(self.text, class.range().start(), &class.decorator_list),
            class.range().end(),
            Found { name: &class.name, kind: NodeType::Class, calls: calls.names, bases, imports },
        );
        self.inside(&class.name, NodeType::Class, &class.body);
    }

    fn inside(&mut self, name: &'a str, kind: NodeType, body: &'a [Stmt]) {
        self.scope.push((name, kind));
        self.statements(body);
        self.scope.pop();
    }

    fn define(&mut self, start: u32, end: TextSize, found: Found<'_>) {
        let mut name = CompactString::default();
        for (outer, _) in &self.scope {
            name.push_str(outer);
            name.push('.');
        }
        name.push_str(found.name);
        let end = end.to_u32();
        self.definitions.push(Definition {
            name,
            kind: found.kind,
            code: start..end,
            start_line: self.line(start),
            end_line: self.line(end),
            calls: once_each(found.calls),
            bases: once_each(found.bases),
            imports: found.imports,
        });
    }

    fn line(&self, at: u32) -> u32 {
        self.lines.partition_point(|start| *start <= at) as u32
    }
}

/// What a definition is before it has a place.
struct Found<'a> {
    name: &'a str,
    kind: NodeType,
    calls: Vec<CompactString>,
    bases: Vec<CompactString>,
    imports: Vec<Import>,
}

/// Only a plain `def` counts: `async def __init__` is a function like any other.
fn is_constructor(function: &StmtFunctionDef) -> bool {
    !function.is_async && function.name.as_str() == "__init__"
}

fn once_each(mut names: Vec<CompactString>) -> Vec<CompactString> {
    names.sort_unstable();
    names.dedup();
    names
}

/// Where `def`, `async` or `class` stands, behind decorators, blank lines and comments.
fn statement_start(text: &str, start: TextSize, decorators: &[Decorator]) -> u32 {
    let Some(last) = decorators.last() else { return start.to_u32() };
    let mut at = last.range().end().to_usize();
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            b' ' | b'\t' | b'\n' | b'\x0c' | b'\\' => at += 1,
            _ => break,
        }
    }
    at as u32
}

/// `Name` and `a.b.Name` have one; calls, subscripts and the rest have none.
fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => Some(&attribute.attr),
        _ => None,
    }
}

/// Gathers called names; the receiver is never looked at.
struct Calls {
    names: Vec<CompactString>,
    /// Whether definitions inside count: they do in a constructor, where they are nothing of their own.
    nested: bool,
}

impl Calls {
    /// A decorator of a constructor: a bare name, else every called name and every attribute in it.
    fn decorator_names(&mut self, expression: &Expr) {
        if let Expr::Name(name) = expression {
            self.names.push(name.id.as_str().into());
            return;
        }
        let mut attributes = Attributes(&mut self.names);
        attributes.visit_expr(expression);
    }
}

impl<'a> Visitor<'a> for Calls {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.nested || !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            visitor::walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression
            && let Some(name) = last_name(&call.func)
        {
            self.names.push(name.into());
        }
        visitor::walk_expr(self, expression);
    }
}

struct Attributes<'n>(&'n mut Vec<CompactString>);

impl<'a> Visitor<'a> for Attributes<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => self.0.extend(call.func.as_name_expr().map(|name| name.id.as_str().into())),
            Expr::Attribute(attribute) => self.0.push(attribute.attr.as_str().into()),
            _ => {}
        }
        visitor::walk_expr(self, expression);
    }
}

/// Calls `visit` with each body of a compound statement and with how many levels deeper than the statement CPython's tree has it.
fn for_each_body<'a>(statement: &'a Stmt, visit: &mut impl FnMut(&'a [Stmt], u32)) {
    match statement {
        Stmt::FunctionDef(s) => visit(&s.body, 1),
        Stmt::ClassDef(s) => visit(&s.body, 1),
        Stmt::For(s) => {
            visit(&s.body, 1);
            visit(&s.orelse, 1);
        }
        Stmt::While(s) => {
            visit(&s.body, 1);
            visit(&s.orelse, 1);
        }
        Stmt::With(s) => visit(&s.body, 1),
        Stmt::If(s) => {
            visit(&s.body, 1);
            // `elif` is an `if` in the `else` of the one before: each is a level down.
            let mut depth = 1;
            for ElifElseClause { test, body, .. } in &s.elif_else_clauses {
                depth += u32::from(test.is_some());
                visit(body, depth);
            }
        }
        Stmt::Try(s) => {
            visit(&s.body, 1);
            for ExceptHandler::ExceptHandler(handler) in &s.handlers {
                visit(&handler.body, 2);
            }
            visit(&s.orelse, 1);
            visit(&s.finalbody, 1);
        }
        Stmt::Match(s) => s.cases.iter().for_each(|case| visit(&case.body, 2)),
        _ => {}
    }
}

/// All imports of a file. Outer ones come first: which of two equal aliases wins depends on it.
fn imports_by_depth(body: &[Stmt]) -> Vec<Import> {
    fn walk(body: &[Stmt], depth: u32, found: &mut Vec<(u32, Import)>) {
        for statement in body {
            push_imports(statement, &mut |import| found.push((depth, import)));
            for_each_body(statement, &mut |body, deeper| walk(body, depth + deeper, found));
        }
    }
    let mut found = Vec::new();
    walk(body, 0, &mut found);
    found.sort_by_key(|(depth, _)| *depth);
    found.into_iter().map(|(_, import)| import).collect()
}

fn direct_imports(body: &[Stmt]) -> Vec<Import> {
    let mut imports = Vec::new();
    for statement in body {
        push_imports(statement, &mut |import| imports.push(import));
    }
    imports
}

fn push_imports(statement: &Stmt, push: &mut impl FnMut(Import)) {
    match statement {
        Stmt::Import(import) => {
            for name in &import.names {
                push(Import::Module { module: name.name.as_str().into(), alias: alias(name) });
            }
        }
        Stmt::ImportFrom(import) => push(Import::From {
            level: import.level,
            module: import.module.as_ref().map(|m| m.as_str().into()).unwrap_or_default(),
            names: import.names.iter().map(|name| (name.name.as_str().into(), alias(name))).collect(),
        }),
        _ => {}
    }
}

fn alias(name: &ruff_python_ast::Alias) -> Option<CompactString> {
    name.asname.as_ref().map(|alias| alias.as_str().into())
}
