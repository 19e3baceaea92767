//! The outline of a long class or file, as LocAgent's rewriting of a libcst tree prints it.
//!
//! What stays: classes, functions and assignments at the top, everything in a class but bare strings. A function's body becomes `...`, at the very
//! beginning of the line. Comments and blank lines belong to what follows them, unless they are as deep as the block before them: then they are that
//! block's, and go with it.
//!
//! libcst prints its tree anew. As long as a block keeps its depth that is the same as copying the source, so that is what is done here: a cursor goes
//! through the text, and stretches are copied or left out.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_python_parser::{Parsed, parse_module};
use ruff_text_size::Ranged;

/// What is left of a function's body.
const BODY: &str = "...\n";

/// The outline; the source itself if it cannot be parsed.
pub(crate) fn skeleton(source: &str) -> String {
    // libcst drops a byte order mark, where Python's own parser, given text, does not.
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    match parse_module(text) {
        Ok(parsed) => Writer::new(text, &parsed).module(parsed.suite()),
        Err(_) => source.to_owned(),
    }
}

/// How deep a class stands in the source, and how deep it is printed.
#[derive(Clone, Default)]
struct Depth {
    source: String,
    printed: String,
}

struct Writer<'a> {
    source: &'a str,
    parsed: &'a Parsed<ruff_python_ast::ModModule>,
    /// The first indentation in the source. Classes are printed with it, whatever they have.
    indent: &'a str,
    at: usize,
    out: String,
    /// Whether the last thing written is a function's `...` and its line end. A line end that follows is taken for that one.
    after_body: bool,
}

impl<'a> Writer<'a> {
    fn new(source: &'a str, parsed: &'a Parsed<ruff_python_ast::ModModule>) -> Self {
        let first = parsed.tokens().iter().find(|token| token.kind() == TokenKind::Indent);
        let indent = first.map_or("    ", |token| &source[token.start().to_usize()..token.end().to_usize()]);
        Self { source, parsed, indent, at: 0, out: String::new(), after_body: false }
    }

    fn module(mut self, statements: &[Stmt]) -> String {
        let depth = Depth::default();
        let lines = self.lines(statements);
        // What stands before the first statement stays, even if the statement does not.
        match statements.first() {
            Some(first) => self.copy(self.line_start(first.start().to_usize()), &depth),
            None => self.copy(self.source.len(), &depth),
        }
        for line in lines {
            let kept = matches!(line[0], Stmt::ClassDef(_) | Stmt::FunctionDef(_) | Stmt::Assign(_));
            self.statement(line, kept, &depth);
        }
        self.copy(self.source.len(), &depth);
        self.finish()
    }

    /// libcst drops its last token when the source does not end its last line. It takes that token for a line end; after a function it is the `...`.
    fn finish(mut self) -> String {
        let ends_line = self.source.ends_with('\n') && !self.source.ends_with("\\\n");
        if ends_line && self.out.is_empty() {
            self.out.push('\n');
        }
        if !ends_line && self.after_body {
            self.out.truncate(self.out.len() - BODY.len());
        } else if !ends_line && self.out.ends_with('\n') {
            self.out.pop();
        }
        self.out
    }

    /// Statements that share a line, by semicolons, are one line.
    fn lines<'s>(&self, statements: &'s [Stmt]) -> Vec<&'s [Stmt]> {
        let mut lines = Vec::new();
        let mut from = 0;
        for (place, statement) in statements.iter().enumerate() {
            if self.ends_line(statement) {
                lines.push(&statements[from..=place]);
                from = place + 1;
            }
        }
        lines
    }

    fn ends_line(&self, statement: &Stmt) -> bool {
        is_compound(statement) || self.rest_of_line(statement.end().to_usize()).is_some()
    }

    /// The beginning of the next line, if nothing but a semicolon and a comment follows.
    fn rest_of_line(&self, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = from;
        loop {
            match bytes.get(at..) {
                None | Some([]) => return Some(self.source.len()),
                Some([b' ' | b'\t' | b'\x0c' | b';', ..]) => at += 1,
                Some([b'\\', b'\n', ..]) => at += 2,
                Some([b'\n', ..]) => return Some(at + 1),
                Some([b'#', ..]) => at = self.source[at..].find('\n').map_or(self.source.len(), |end| at + end),
                Some(_) => return None,
            }
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.source[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Where a statement ends: after its line, or after its block and the comments that are as deep as it.
    fn end(&self, line: &[Stmt]) -> usize {
        let last = line.last().expect("a line has a statement");
        let Some(body) = last_body(last) else {
            return self.rest_of_line(last.end().to_usize()).unwrap_or(last.end().to_usize());
        };
        self.block_end(last, body)
    }

    fn block_end(&self, owner: &Stmt, body: &[Stmt]) -> usize {
        let end = self.end(body);
        match self.block_indent(owner, body) {
            Some(indent) => self.tail(end, indent),
            None => end,
        }
    }

    /// The indentation of a block; none if it is on the line of its head.
    fn block_indent(&self, owner: &Stmt, body: &[Stmt]) -> Option<&'a str> {
        let first = body.first()?.start().to_usize();
        let start = self.line_start(first);
        let lead = &self.source[start..first];
        (start > owner.start().to_usize() && lead.chars().all(|c| matches!(c, ' ' | '\t' | '\x0c'))).then_some(lead)
    }

    /// Blank lines and comments up to the last that is indented by `indent`.
    fn tail(&self, from: usize, indent: &str) -> usize {
        let mut end = from;
        let mut at = from;
        for line in self.source[from..].split_inclusive('\n') {
            let text = line.trim_matches([' ', '\t', '\x0c', '\n']);
            if !text.is_empty() && !text.starts_with('#') {
                break;
            }
            at += line.len();
            if line.starts_with(indent) {
                end = at;
            }
        }
        end
    }

    fn statement(&mut self, line: &[Stmt], kept: bool, depth: &Depth) {
        let end = self.end(line);
        if kept {
            self.defines(&line[0], depth);
            self.copy(end, depth);
        } else {
            self.at = end;
        }
    }

    /// Writes the definitions in a statement, and leaves the cursor after the last.
    fn defines(&mut self, statement: &Stmt, depth: &Depth) {
        match statement {
            Stmt::FunctionDef(function) => self.function(statement, function, depth),
            Stmt::ClassDef(class) => self.class(statement, class, depth),
            _ => {
                for inner in bodies(statement).into_iter().flatten() {
                    self.defines(inner, depth);
                }
            }
        }
    }

    fn function(&mut self, statement: &Stmt, function: &StmtFunctionDef, depth: &Depth) {
        let head = function.returns.as_ref().map_or(function.parameters.end(), |returns| returns.end());
        self.copy(self.colon(head.to_usize()), depth);
        self.write("\n");
        self.write(BODY);
        self.after_body = true;
        self.at = self.block_end(statement, &function.body);
    }

    fn class(&mut self, statement: &Stmt, class: &StmtClassDef, depth: &Depth) {
        let head = class.arguments.as_ref().map(|arguments| arguments.end());
        let head = head.or(class.type_params.as_ref().map(|parameters| parameters.end())).unwrap_or(class.name.end());
        self.copy(self.colon(head.to_usize()), depth);
        self.write("\n");
        let end = self.block_end(statement, &class.body);
        match self.block_indent(statement, &class.body) {
            Some(indent) => {
                let printed = format!("{}{}", self.printed_indent(statement, depth), self.indent);
                self.class_body(&class.body, &Depth { source: indent.to_owned(), printed });
            }
            None => self.one_line_body(&class.body),
        }
        self.at = end;
    }

    /// Where a statement begins on its line as it is printed. It may be in a block of its own inside the class, such as an `if`.
    fn printed_indent(&self, statement: &Stmt, depth: &Depth) -> String {
        let start = statement.start().to_usize();
        let lead = &self.source[self.line_start(start)..start];
        lead.strip_prefix(depth.source.as_str()).map_or(lead.to_owned(), |rest| format!("{}{rest}", depth.printed))
    }

    fn class_body(&mut self, body: &[Stmt], depth: &Depth) {
        // A comment behind the colon goes.
        self.at = self.rest_of_line(self.at).unwrap_or(self.at);
        let mut empty = true;
        for line in self.lines(body) {
            let kept = !is_string(&line[0]);
            empty &= !kept;
            self.statement(line, kept, depth);
        }
        if empty {
            self.write(&format!("{}pass\n", depth.printed));
        }
    }

    /// libcst has no lines here, only statements: they are printed without indentation and without a line end.
    fn one_line_body(&mut self, body: &[Stmt]) {
        let (Some(first), Some(last)) = (body.first(), body.last()) else { return };
        let rest = &self.source[last.end().to_usize()..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let semicolon = if rest[blank..].starts_with(';') { blank + 1 } else { 0 };
        let text = &self.source[first.start().to_usize()..last.end().to_usize() + semicolon];
        self.write(text);
    }

    /// After the colon that ends a head.
    fn colon(&self, from: usize) -> usize {
        let tokens = self.parsed.tokens();
        let first = tokens.partition_point(|token| token.start().to_usize() < from);
        let colon = tokens[first..].iter().find(|token| token.kind() == TokenKind::Colon);
        colon.map_or(from, |token| token.end().to_usize())
    }

    /// Copies up to `to`.
    fn copy(&mut self, to: usize, depth: &Depth) {
        if to <= self.at {
            return;
        }
        if depth.source == depth.printed {
            let text = &self.source[self.at..to];
            self.write(text);
        } else {
            self.copy_shifted(to, depth);
        }
        self.at = to;
    }

    /// Copies line by line with the depth changed. Inside a string and after a backslash nothing is indentation.
    fn copy_shifted(&mut self, to: usize, depth: &Depth) {
        let mut at = self.at;
        let source = self.source;
        for line in source[self.at..to].split_inclusive('\n') {
            let starts_line = at == 0 || source.as_bytes()[at - 1] == b'\n';
            match line.strip_prefix(depth.source.as_str()).filter(|_| starts_line && !self.is_verbatim(at)) {
                Some(rest) => {
                    let text = format!("{}{rest}", depth.printed);
                    self.write(&text);
                }
                None => self.write(line),
            }
            at += line.len();
        }
    }

    fn is_verbatim(&self, line: usize) -> bool {
        let tokens = self.parsed.tokens();
        let before = tokens[..tokens.partition_point(|token| token.start().to_usize() < line)].last();
        let string =
            |kind: TokenKind| matches!(kind, TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle);
        self.source[..line].ends_with("\\\n")
            || before.is_some_and(|token| string(token.kind()) && line <= token.end().to_usize())
    }

    fn write(&mut self, text: &str) {
        let text = if self.after_body { text.strip_prefix('\n').unwrap_or(text) } else { text };
        if !text.is_empty() {
            self.after_body = false;
        }
        self.out += text;
    }
}

fn is_compound(statement: &Stmt) -> bool {
    !bodies(statement).is_empty()
}

/// The blocks of a statement, in the order of the source.
fn bodies(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::FunctionDef(function) => vec![&function.body],
        Stmt::ClassDef(class) => vec![&class.body],
        Stmt::For(each) => vec![&each.body, &each.orelse],
        Stmt::While(repeat) => vec![&repeat.body, &repeat.orelse],
        Stmt::With(with) => vec![&with.body],
        Stmt::If(branch) => std::iter::once(branch.body.as_slice())
            .chain(branch.elif_else_clauses.iter().map(|clause| clause.body.as_slice()))
            .collect(),
        Stmt::Match(choice) => choice.cases.iter().map(|case| case.body.as_slice()).collect(),
        Stmt::Try(attempt) => {
            let handlers = attempt.handlers.iter().map(|handler| {
                let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                handler.body.as_slice()
            });
            std::iter::once(attempt.body.as_slice())
                .chain(handlers)
                .chain([attempt.orelse.as_slice(), attempt.finalbody.as_slice()])
                .collect()
        }
        _ => Vec::new(),
    }
}

fn last_body(statement: &Stmt) -> Option<&[Stmt]> {
    bodies(statement).into_iter().rfind(|body| !body.is_empty())
}

/// A single string, also of bytes. One made of several, or with values in it, is no such string to libcst.
fn is_string(statement: &Stmt) -> bool {
    let Stmt::Expr(expression) = statement else { return false };
    match &*expression.value {
        Expr::StringLiteral(string) => !string.value.is_implicit_concatenated(),
        Expr::BytesLiteral(bytes) => !bytes.value.is_implicit_concatenated(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libcst 1.5 printed.
    #[test]
    fn skeletons_are_libcsts() {
        let check = |source: &str, expected: &str| assert_eq!(skeleton(source), expected, "{source}");
        check(
            "class A: pass\nclass B: x = 1; y = 2\nclass C: ...\n",
            "class A:\npassclass B:\nx = 1; y = 2class C:\n...",
        );
        check(
            "# head\n\n'''doc'''\nimport os\n# c\nX = 1 # t\nY: int = 2\nZ += 1\na = 1; b = 2\nimport q; c = 2\n",
            "# head\n\n# c\nX = 1 # t\na = 1; b = 2\n",
        );
        check("x = 1", "x = 1");
        check("def f(): pass\n# tail\n", "def f():\n...\n# tail\n");
        check("class A:\n    'doc'\n", "class A:\n    pass\n");
        check(
            "class A:\n    'doc'; x = 1\n    ('par')\n    'a' 'b'\n    f'x'\n    b'x'\n    u'x'\n    x\n",
            "class A:\n    'a' 'b'\n    f'x'\n    x\n",
        );
        check(
            "class A: # hc\n    # lead\n    'doc'\n    # lead2\n\n    x = 1 # t\n    # foot\n  # half\n# next\ny = 2\n",
            "class A:\n    # lead2\n\n    x = 1 # t\n  # half\n# next\ny = 2\n",
        );
        check(
            "class A:\n  def f(self): # c\n    '''d'''\n    return 1\n    # foot\n\n  # c for g\n  @deco(1,\n     2)\n  # after deco\n  async def g(self,\n        a, # com\n        b=1):\n    pass\n  class I(object ) :\n    x = [\n      1,\n  2]\n    s = '''a\n    b'''\n    def h(self): return 1\n  y=1\n",
            "class A:\n  def f(self):\n...\n  # c for g\n  @deco(1,\n     2)\n  # after deco\n  async def g(self,\n        a, # com\n        b=1):\n...\n  class I(object ) :\n    x = [\n      1,\n  2]\n    s = '''a\n    b'''\n    def h(self):\n...\n  y=1\n",
        );
        check(
            "if x:\n  class Q:\n        z = 1\n        if a:\n            def f(self):\n                pass\n            # c1\n        # c2\n        else:\n            b = 1\nclass A:\n    x = 1\n    class B:\n        y = 1\n        z = (1,\n    2,\n           3)\n        t = '''q\n        r'''\n        u = 1 + \\\n            2\n        # comment\n        def f(self): pass\n",
            "class A:\n  x = 1\n  class B:\n    y = 1\n    z = (1,\n    2,\n       3)\n    t = '''q\n        r'''\n    u = 1 + \\\n            2\n    # comment\n    def f(self):\n...\n",
        );
        check(
            "class A:\n    def f(self) -> (int):\n        return lambda x: x\n    def g(self, a=lambda: 1, b={1:2}) -> Dict[a:b]:\n        pass\n    def h[T](self): pass\nclass G[T: int](B[T], metaclass=M): x = 1\n",
            "class A:\n    def f(self) -> (int):\n...\n    def g(self, a=lambda: 1, b={1:2}) -> Dict[a:b]:\n...\n    def h[T](self):\n...\nclass G[T: int](B[T], metaclass=M):\nx = 1",
        );
        check("def f():\n    pass\n\n\n\ndef g():\n    pass\n\n\n", "def f():\n...\n\n\ndef g():\n...\n\n");
        check("class A:\n    def f(self):\n        pass\n    # a\n", "class A:\n    def f(self):\n...\n");
        check(
            "x = \\\n  1\nclass \\\n  A: pass\ndef f(\n): pass\n",
            "x = \\\n  1\nclass \\\n  A:\npassdef f(\n):\n...\n",
        );
        check(
            "class A:\n        def f(self):\n            pass\n\n        class B:\n            x = 1\n            def g(self):\n                pass\n            # foo\n        # bar\n        y = 1",
            "class A:\n        def f(self):\n...\n        class B:\n                x = 1\n                def g(self):\n...\n        # bar\n        y = 1",
        );
        check(
            "class A:\n    def f(self):\n        pass\n\u{c}\n    def g(self):\n        pass\n\u{c}\nclass B:\n    pass\n",
            "class A:\n    def f(self):\n...\n\u{c}\n    def g(self):\n...\n\u{c}\nclass B:\n    pass\n",
        );
        check("def f():\n    pass\n# c\n    # d\nx = 1\n", "def f():\n...\nx = 1\n");
    }
}
