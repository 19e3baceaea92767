//! The splitter's tree from ruff's, as tree-sitter would have made it: for files without syntax errors.
//!
//! Ruff tells what the statements are and where. What stands between them (comments, semicolons, a header's colon) is read from the
//! text. Where tree-sitter hangs a comment is its scanner's doing, and is told at [`Reader::comments_before_block`] and
//! [`Reader::rest_of_suite`].

use std::ops::Range;

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{Decorator, ExceptHandler, Expr, PythonVersion, Stmt, StmtImport, StmtImportFrom};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::old_grammar::leading_match;
use super::syntax::Syntax;
use super::tree::Tree;

/// Newer syntax is left to tree-sitter, which may not know it.
const VERSION: PythonVersion = PythonVersion::PY312;

/// Files with statements nested more deeply are left to tree-sitter.
const MAX_DEPTH: u32 = 100;

/// Fills the tree with that of a file. Gives up, and says so, when only tree-sitter can tell what it makes of the file.
pub(crate) fn parse(text: &str, tree: &mut Tree) -> bool {
    // Files with any other space than this are lost, if it stands between blocks; and how far it indents is tree-sitter's business.
    let is_odd = |byte: u8| byte < b' ' && byte != b'\n';
    if text.bytes().any(is_odd) || text.starts_with('\u{feff}') || u32::try_from(text.len()).is_err() {
        return false;
    }
    let options = ParseOptions::from(Mode::Module).with_target_version(VERSION);
    let Some(parsed) = parse_unchecked(text, options).try_into_module() else { return false };
    if parsed.has_syntax_errors() {
        return false;
    }
    tree.clear();
    let mut reader = Reader { text, tokens: parsed.tokens(), tree, at: 0, depth: 0, indent: 0 };
    let read = reader.module(parsed.suite()).is_some();
    tree.finish(text);
    read
}

/// Reads statements in order. `None` from its methods means to give up.
struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    tree: &'t mut Tree,
    /// How far the text is read.
    at: usize,
    depth: u32,
    /// How far the statements are indented.
    indent: usize,
}

/// What stands between statements.
enum Between {
    Semicolon(usize),
    Comment(Comment),
    /// Something that begins a statement or a clause, or the end of the file; or a backslash, which is given up.
    Code(usize),
}

impl Between {
    fn start(&self) -> usize {
        match self {
            Self::Comment(comment) => comment.range.start,
            Self::Semicolon(at) | Self::Code(at) => *at,
        }
    }
}

struct Comment {
    range: Range<usize>,
    /// How far it is indented; none when it stands behind something on its line.
    indent: Option<usize>,
}

/// Where the statements of a block stand.
#[derive(Clone, Copy)]
enum Suite {
    Module,
    /// On the line of the colon.
    Line,
    /// On lines of their own, indented so far.
    Lines(usize),
}

impl Reader<'_> {
    fn module(&mut self, body: &[Stmt]) -> Option<()> {
        // An empty file's module begins where the file ends.
        let start = self.peek().start();
        self.tree.begin(Syntax::Module, start);
        self.suite(body, Suite::Module)?;
        let Between::Code(end) = self.peek() else { return None };
        self.tree.end(end);
        (end == self.text.len()).then_some(())
    }

    /// What comes next, apart from space.
    fn peek(&self) -> Between {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        // The module's first line has no line feed before it.
        let mut line_start = (at == 0).then_some(0);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' => at += 1,
                b'\n' => {
                    at += 1;
                    line_start = Some(at);
                }
                b';' => return Between::Semicolon(at),
                b'#' => {
                    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
                    return Between::Comment(Comment { range: at..end, indent: line_start.map(|start| at - start) });
                }
                _ => break,
            }
        }
        Between::Code(at)
    }

    fn comment(&mut self, comment: Comment) {
        self.at = comment.range.end;
        self.tree.leaf(Syntax::Comment, comment.range);
    }

    fn semicolon(&mut self, at: usize) {
        self.at = at + 1;
        self.tree.leaf(Syntax::Other, at..self.at).named = false;
    }

    /// Reads comments and semicolons up to code, and gives its place.
    fn up_to_code(&mut self) -> usize {
        loop {
            match self.peek() {
                Between::Comment(comment) => self.comment(comment),
                Between::Semicolon(at) => self.semicolon(at),
                Between::Code(at) => return at,
            }
        }
    }

    /// Reads comments and semicolons up to code that must be the one that ruff tells of.
    fn up_to(&mut self, start: TextSize) -> Option<usize> {
        let start = usize::from(start);
        (self.up_to_code() == start).then_some(start)
    }

    fn suite(&mut self, body: &[Stmt], suite: Suite) -> Option<()> {
        for statement in body {
            self.up_to(statement.start())?;
            self.statement(statement)?;
        }
        self.rest_of_suite(suite);
        Some(())
    }

    /// Reads what follows the last statement of a suite and belongs to it.
    ///
    /// That is, anything on its line, and then comments up to the first that is indented less than the suite.
    fn rest_of_suite(&mut self, suite: Suite) {
        loop {
            match self.peek() {
                Between::Semicolon(at) => self.semicolon(at),
                Between::Comment(comment) => {
                    let belongs = match (comment.indent, suite) {
                        (None, _) | (_, Suite::Module) => true,
                        (Some(_), Suite::Line) => false,
                        (Some(indent), Suite::Lines(least)) => indent >= least,
                    };
                    if !belongs {
                        return;
                    }
                    self.comment(comment);
                }
                Between::Code(_) => return,
            }
        }
    }

    /// The next such byte after a place, outside of comments: closing brackets, commas and comments inside of brackets may stand before it.
    fn find(&self, wanted: u8, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while *bytes.get(at)? != wanted {
            if bytes[at] == b'#' {
                at += memchr::memchr(b'\n', &bytes[at..])?;
            }
            at += 1;
        }
        Some(at)
    }

    /// Reads the colon of a header, of which the last part ends at a place.
    fn colon(&mut self, from: usize) -> Option<()> {
        let at = self.find(b':', from)?;
        self.check_lines(self.at..at)?;
        self.at = at + 1;
        self.tree.leaf(Syntax::Colon, at..self.at).named = false;
        Some(())
    }

    /// Reads the comments before a block, which do not belong to it, and says where it stands.
    fn comments_before_block(&mut self) -> Suite {
        let colon = self.at;
        let start = self.up_to_code();
        match memchr::memrchr(b'\n', &self.text.as_bytes()[colon..start]) {
            Some(line_feed) => Suite::Lines(start - (colon + line_feed + 1)),
            None => Suite::Line,
        }
    }

    /// Reads a header's colon and the block behind it.
    fn block(&mut self, header_end: usize, body: &[Stmt]) -> Option<()> {
        self.colon(header_end)?;
        let suite = self.comments_before_block();
        self.tree.begin(Syntax::Block, usize::from(body.first()?.start()));
        let outer = self.indent;
        if let Suite::Lines(indent) = suite {
            self.indent = indent;
        }
        self.suite(body, suite)?;
        self.indent = outer;
        self.tree.end(self.at);
        Some(())
    }

    /// Reads a clause after comments, unless it is not there.
    fn clause(&mut self, keyword: &str, body: &[Stmt]) -> Option<()> {
        if body.is_empty() {
            return Some(());
        }
        let start = self.up_to_code();
        if !self.text[start..].starts_with(keyword) {
            return None;
        }
        self.tree.begin(Syntax::Clause, start);
        self.block(start + keyword.len(), body)?;
        self.tree.end(self.at);
        Some(())
    }

    /// Gives up when a line inside of brackets would end the block for tree-sitter.
    ///
    /// It is so when the line is indented less than the block and brackets cannot be closed there, as after a dot or an operator.
    fn check_lines(&self, range: Range<usize>) -> Option<()> {
        let bytes = self.text.as_bytes();
        for line_feed in memchr::memchr_iter(b'\n', &bytes[range.clone()]) {
            let line = range.start + line_feed + 1;
            let indent = bytes[line..range.end].iter().take(self.indent).take_while(|byte| **byte == b' ').count();
            if indent < self.indent && line + indent < range.end && bytes[line + indent] != b'\n' {
                self.check_line(line + indent)?;
            }
        }
        Some(())
    }

    fn check_line(&self, start: usize) -> Option<()> {
        // Most such lines are inside of strings, where no token begins.
        let Ok(at) = self.tokens.binary_search_by_key(&start, |token| token.start().into()) else { return Some(()) };
        let mut before = self.tokens[..at].iter().map(Token::kind);
        let before = before.rfind(|kind| !matches!(kind, TokenKind::Comment | TokenKind::NonLogicalNewline));
        let is_closing = |kind| matches!(kind, TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace);
        let may_close = before.is_some_and(|kind| {
            use TokenKind::{Comma, FStringEnd, False, Float, Int, Lbrace, Lpar, Name, None, String, True};
            is_closing(kind)
                || matches!(
                    kind,
                    Comma | FStringEnd | False | Float | Int | Lbrace | Lpar | Name | None | String | True
                )
        });
        let kind = self.tokens[at].kind();
        (may_close || is_closing(kind) || kind == TokenKind::Comment).then_some(())
    }

    fn statement(&mut self, statement: &Stmt) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let range = bytes(statement.range());
        let start = range.start;
        match statement {
            Stmt::FunctionDef(it) => {
                let header_end = it.returns.as_ref().map_or(it.parameters.end(), |returns| returns.end());
                self.definition(
                    Syntax::Function,
                    start,
                    &it.decorator_list,
                    it.name.range(),
                    header_end.into(),
                    &it.body,
                )?;
            }
            Stmt::ClassDef(it) => {
                let header_end = it
                    .arguments
                    .as_ref()
                    .map(|arguments| arguments.end())
                    .or_else(|| it.type_params.as_ref().map(|parameters| parameters.end()))
                    .unwrap_or(it.name.end());
                self.definition(
                    Syntax::Class,
                    start,
                    &it.decorator_list,
                    it.name.range(),
                    header_end.into(),
                    &it.body,
                )?;
            }
            Stmt::If(it) => {
                self.tree.begin(Syntax::Compound, start);
                self.block(it.test.end().into(), &it.body)?;
                for clause in &it.elif_else_clauses {
                    let start = self.up_to(clause.start())?;
                    let header_end = clause.test.as_ref().map_or(start + "else".len(), |test| test.end().into());
                    self.tree.begin(Syntax::Clause, start);
                    self.block(header_end, &clause.body)?;
                    self.tree.end(self.at);
                }
                self.tree.end(self.at);
            }
            Stmt::For(it) => {
                self.tree.begin(Syntax::Compound, start);
                self.block(it.iter.end().into(), &it.body)?;
                self.clause("else", &it.orelse)?;
                self.tree.end(self.at);
            }
            Stmt::While(it) => {
                self.tree.begin(Syntax::Compound, start);
                self.block(it.test.end().into(), &it.body)?;
                self.clause("else", &it.orelse)?;
                self.tree.end(self.at);
            }
            Stmt::With(it) => {
                self.tree.begin(Syntax::Compound, start);
                self.block(it.items.last()?.end().into(), &it.body)?;
                self.tree.end(self.at);
            }
            Stmt::Match(it) => self.match_statement(start, it)?,
            Stmt::Try(it) => {
                self.tree.begin(Syntax::Blocked, start);
                self.block(start + "try".len(), &it.body)?;
                for handler in &it.handlers {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    let start = self.up_to(handler.start())?;
                    self.tree.begin(Syntax::Except, start);
                    if it.is_star {
                        self.tree.leaf(Syntax::Star, start..start).named = false;
                    }
                    let name = handler.name.as_ref().map(Ranged::end);
                    let header_end = name.or_else(|| handler.type_.as_ref().map(|caught| caught.end()));
                    self.block(header_end.map_or(start + "except".len(), usize::from), &handler.body)?;
                    self.tree.end(self.at);
                }
                self.clause("else", &it.orelse)?;
                self.clause("finally", &it.finalbody)?;
                self.tree.end(self.at);
            }
            simple => {
                self.check_lines(range.clone())?;
                self.simple_statement(simple, range.clone())?;
                self.at = range.end;
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn definition(
        &mut self,
        syntax: Syntax,
        start: usize,
        decorators: &[Decorator],
        name: TextRange,
        header_end: usize,
        body: &[Stmt],
    ) -> Option<()> {
        let mut keyword = start;
        if !decorators.is_empty() {
            self.tree.begin(Syntax::Decorated, start);
            let line_start = memchr::memrchr(b'\n', &self.text.as_bytes()[..start]).map_or(0, |at| at + 1);
            for decorator in decorators {
                self.check_lines(decorator.range().into())?;
                self.at = decorator.end().into();
                while let Between::Comment(comment) = self.peek() {
                    // Less indented than the decorators, it is an error to tree-sitter.
                    if comment.indent.is_some_and(|indent| indent < start - line_start) {
                        return None;
                    }
                    self.comment(comment);
                }
            }
            keyword = self.up_to_code();
        }
        self.tree.begin(syntax, keyword);
        self.tree.leaf(Syntax::Identifier, bytes(name));
        self.block(header_end, body)?;
        self.tree.end(self.at);
        if !decorators.is_empty() {
            self.tree.end(self.at);
        }
        Some(())
    }

    /// Here comments on lines of their own belong to the block even before its first clause.
    fn match_statement(&mut self, start: usize, it: &ruff_python_ast::StmtMatch) -> Option<()> {
        self.tree.begin(Syntax::Compound, start);
        self.colon(it.subject.end().into())?;
        if let Between::Comment(comment) = self.peek()
            && comment.indent.is_none()
        {
            self.comment(comment);
        }
        let first = usize::from(it.cases.first()?.start());
        let line_start = memchr::memrchr(b'\n', &self.text.as_bytes()[..first])? + 1;
        let block = self.peek().start();
        self.tree.begin(Syntax::Block, block);
        let outer = std::mem::replace(&mut self.indent, first - line_start);
        for case in &it.cases {
            let start = self.up_to(case.start())?;
            self.tree.begin(Syntax::Blocked, start);
            let header_end = case.guard.as_ref().map_or(case.pattern.end(), |guard| guard.end());
            self.block(header_end.into(), &case.body)?;
            self.tree.end(self.at);
        }
        self.rest_of_suite(Suite::Lines(self.indent));
        self.indent = outer;
        self.tree.end(self.at);
        self.tree.end(self.at);
        Some(())
    }

    fn simple_statement(&mut self, statement: &Stmt, range: Range<usize>) -> Option<()> {
        match statement {
            Stmt::Import(import) => self.import(import, range),
            Stmt::ImportFrom(import) => self.import_from(import, range)?,
            Stmt::Return(it) => {
                self.tree.begin(Syntax::Return, range.start);
                let keyword = range.start..range.start + "return".len();
                self.tree.leaf(Syntax::Other, keyword.clone()).named = false;
                if let Some(value) = &it.value {
                    let start = self.continuations(keyword.end);
                    self.expression(value, start..range.end);
                }
                self.tree.end(range.end);
            }
            Stmt::Expr(_) | Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::AugAssign(_) => {
                let own = &self.text[range.clone()];
                // What the old grammar makes of the one depends on tree-sitter's tree; the other is a type alias to tree-sitter.
                if leading_match(own) || !matches!(statement, Stmt::Expr(_)) && leading_type(own) {
                    return None;
                }
                self.tree.begin(Syntax::Expression, range.start);
                match statement {
                    Stmt::Expr(it) => self.expression_statement(&it.value, range.clone()),
                    Stmt::Assign(it) => self.assignments(&it.targets, &it.value, range.clone())?,
                    Stmt::AnnAssign(it) => {
                        if it.value.is_none() && own.strip_suffix(']').is_some_and(|own| own.trim_end().ends_with(','))
                        {
                            return None;
                        }
                        self.tree.begin(Syntax::Assignment, range.start);
                        self.target(&it.target, range.start);
                        if let Some(value) = &it.value {
                            self.value(value, it.annotation.end().into(), range.end)?;
                        }
                        self.tree.end(range.end);
                    }
                    _ => {}
                }
                self.tree.end(range.end);
            }
            _ => {
                self.tree.leaf(Syntax::Other, range);
            }
        }
        Some(())
    }

    /// The first expression of a statement, which is all that is asked about it.
    fn expression_statement(&mut self, value: &Expr, range: Range<usize>) {
        let first = match value {
            Expr::Tuple(tuple) if !tuple.parenthesized => tuple.elts.first().unwrap_or(value),
            other => other,
        };
        // Unless brackets are around it.
        let is_bare = usize::from(first.start()) == range.start;
        match first {
            _ if !is_bare => {}
            Expr::Call(_) => self.expression(first, bytes(first.range())),
            first => {
                if let Some(content) = string_content(first) {
                    self.tree.begin(Syntax::String, range.start);
                    if content {
                        self.tree.leaf(Syntax::StringContent, range);
                    }
                    self.tree.end(bytes(first.range()).end);
                    return;
                }
                self.tree.leaf(Syntax::Other, bytes(first.range()));
            }
        }
    }

    /// `a = b = c` is an assignment of an assignment.
    fn assignments(&mut self, targets: &[Expr], value: &Expr, range: Range<usize>) -> Option<()> {
        let mut start = range.start;
        for (i, target) in targets.iter().enumerate() {
            self.tree.begin(Syntax::Assignment, start).is_value = i > 0;
            self.target(target, start);
            if i + 1 < targets.len() {
                start = self.equals_sign(target.end().into())?;
            } else {
                self.value(value, target.end().into(), range.end)?;
            }
        }
        for _ in targets {
            self.tree.end(range.end);
        }
        Some(())
    }

    fn target(&mut self, target: &Expr, start: usize) {
        let is_bare = usize::from(target.start()) == start;
        let syntax = match target {
            Expr::Name(_) if is_bare => Syntax::Identifier,
            Expr::Attribute(_) if is_bare => Syntax::Attribute,
            _ => Syntax::Other,
        };
        self.tree.leaf(syntax, bytes(target.range()));
    }

    fn value(&mut self, value: &Expr, from: usize, end: usize) -> Option<()> {
        let start = self.equals_sign(from)?;
        let at = self.tree.next();
        self.expression(value, start..end);
        self.tree.node_mut(at).is_value = true;
        Some(())
    }

    /// Reads an equals sign somewhere after a place, and gives the place of what follows.
    fn equals_sign(&mut self, from: usize) -> Option<usize> {
        let at = self.find(b'=', from)?;
        self.tree.leaf(Syntax::Other, at..at + 1).named = false;
        Some(self.continuations(at + 1))
    }

    /// Reads spaces and backslashes. Each of those is a node with its line feed, unless a string follows.
    fn continuations(&mut self, from: usize) -> usize {
        let bytes = &self.text.as_bytes()[from..];
        let end = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\\')).count();
        let prefix = bytes[end..].iter().take_while(|byte| b"bfruBFRU".contains(byte)).count();
        if !matches!(bytes.get(end + prefix), Some(b'"' | b'\'')) {
            for at in memchr::memchr_iter(b'\\', &bytes[..end]) {
                self.tree.leaf(Syntax::Other, from + at..from + at + 2);
            }
        }
        from + end
    }

    /// An expression of which only plain calls are told apart. The range has the brackets around it, too.
    fn expression(&mut self, value: &Expr, range: Range<usize>) {
        let Expr::Call(call) = value else {
            self.tree.leaf(Syntax::Other, range);
            return;
        };
        if bytes(value.range()) != range {
            self.tree.leaf(Syntax::Other, range);
            return;
        }
        let is_bare = call.func.start() == call.start();
        let is_generator = matches!(&*call.arguments.args, [Expr::Generator(only)] if !only.parenthesized);
        let function = match &*call.func {
            Expr::Name(_) if is_bare => Syntax::Identifier,
            Expr::Attribute(_) if is_bare => Syntax::Attribute,
            _ => Syntax::Other,
        };
        self.tree.begin(Syntax::Call, range.start);
        self.tree.leaf(function, bytes(call.func.range()));
        if !is_generator {
            self.tree.leaf(Syntax::Arguments, bytes(call.arguments.range()));
        }
        self.tree.end(range.end);
    }

    fn import(&mut self, import: &StmtImport, range: Range<usize>) {
        self.tree.begin(Syntax::Import, range.start);
        if let Some(first) = import.names.first() {
            match &first.asname {
                Some(alias) => {
                    self.tree.begin(Syntax::AliasedImport, first.start().into());
                    self.tree.leaf(Syntax::Identifier, bytes(alias.range()));
                    self.tree.end(first.end().into());
                }
                None => {
                    self.tree.leaf(Syntax::DottedName, bytes(first.range()));
                }
            }
        }
        self.tree.end(range.end);
    }

    fn import_from(&mut self, import: &StmtImportFrom, range: Range<usize>) -> Option<()> {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        if import.level == 0 && module == "__future__" {
            // A star is an error to tree-sitter here.
            import.names.iter().all(|name| &*name.name != "*").then_some(())?;
            self.tree.leaf(Syntax::FutureImport, range);
            return Some(());
        }
        let after_keyword = range.start + "from".len();
        if self.text[after_keyword..].trim_start_matches(' ').starts_with('\\') {
            return None;
        }
        self.tree.begin(Syntax::ImportFrom, range.start);
        self.tree.leaf(Syntax::Other, range.start..after_keyword).named = false;
        let from = if import.level == 0 { Syntax::DottedName } else { Syntax::RelativeImport };
        self.tree.leaf(from, after_keyword..range.end);
        let plain = import.names.iter().find(|name| name.asname.is_none() && &*name.name != "*");
        if let Some(name) = plain {
            self.tree.leaf(Syntax::DottedName, bytes(name.range()));
        }
        self.tree.end(range.end);
        Some(())
    }
}

/// Whether an assignment begins with `type(` or the like.
fn leading_type(own: &str) -> bool {
    own.strip_prefix("type").is_some_and(|rest| rest.trim_start_matches([' ', '\\', '\n']).starts_with(['(', '[']))
}

/// Whether a string has any text in it, other than what is put in; none if it is no string, or several.
fn string_content(value: &Expr) -> Option<bool> {
    match value {
        Expr::StringLiteral(it) => it.as_single_part_string().map(|part| !part.content_range().is_empty()),
        Expr::BytesLiteral(it) => {
            it.as_single_part_bytestring().map(|part| part.end() - part.start() > bytes_quotes(part))
        }
        Expr::FString(it) => {
            it.as_single_part_fstring().map(|part| part.elements.literals().any(|literal| !literal.range().is_empty()))
        }
        _ => None,
    }
}

fn bytes_quotes(part: &ruff_python_ast::BytesLiteral) -> TextSize {
    use ruff_python_ast::StringFlags;
    part.flags.opener_len() + part.flags.closer_len()
}

fn bytes(range: TextRange) -> Range<usize> {
    range.into()
}
