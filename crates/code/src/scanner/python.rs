//! Statements of Python, line by line: blocks are told by their indentation, and only definitions, imports and the
//! assignments of a module are looked at.

use super::Scan;
use super::lexer::{Literals, Syntax, TokenKind, words};
use crate::extract::{add_bases, declare, head};
use crate::facts::{Symbol, SymbolKind};

pub(super) static SYNTAX: Syntax = Syntax {
    line_comment: b"#",
    block_comments: false,
    nested_comments: false,
    literals: Literals::Python,
    words: words(b""),
    jsx: false,
    typed: false,
};

/// A block, from the first of its lines.
struct Block {
    indent: usize,
    /// The symbol that the block is the body of.
    symbol: Option<u32>,
}

struct Python<'a, 's> {
    scan: &'a mut Scan<'s>,
    blocks: Vec<Block>,
    /// The symbol whose block begins with the next line.
    expected: Option<Option<u32>>,
    /// Statements with a block that are open in one line.
    in_line: usize,
}

/// More blocks than anybody nests.
const MAX_BLOCKS: usize = 200;

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let blocks = vec![Block { indent: 0, symbol: None }];
    let mut python = Python { scan, blocks, expected: None, in_line: 0 };
    let mut at = 0;
    while at < python.scan.tokens.len() {
        python.indentation(at)?;
        let end = python.line_end(at);
        python.statements(at, end)?;
        at = end;
    }
    if python.expected.is_some() {
        return None;
    }
    python.close_to(0, at);
    Some(())
}

impl Python<'_, '_> {
    /// The token behind a logical line.
    fn line_end(&self, from: usize) -> usize {
        let mut at = self.scan.after(from);
        while !self.scan.begins_line(at) {
            at = self.scan.after(at);
        }
        at
    }

    /// How far a line is indented.
    fn indent(line: &str) -> usize {
        line.bytes()
            .map_while(|byte| match byte {
                b' ' => Some(1),
                b'\t' => Some(8),
                b'\r' | 0x0c => Some(0),
                _ => None,
            })
            .sum()
    }

    /// Opens and closes blocks before a line.
    fn indentation(&mut self, at: usize) -> Option<()> {
        let line = self.scan.source.line(self.scan.line(at));
        let indent = Self::indent(line.trim_start_matches('\u{feff}'));
        let current = self.blocks.last().map_or(0, |block| block.indent);
        if let Some(symbol) = self.expected.take() {
            if indent <= current || self.blocks.len() > MAX_BLOCKS {
                return None;
            }
            self.blocks.push(Block { indent, symbol });
            return Some(());
        }
        if indent < current {
            self.close_to(indent, at);
        }
        (self.blocks.last().map(|block| block.indent) == Some(indent)).then_some(())
    }

    /// Closes the blocks that are indented further than this before a token. A comment belongs to the block that it is
    /// indented like.
    fn close_to(&mut self, indent: usize, at: usize) {
        let mut last = self.scan.last_line(at);
        let next = self.scan.token(at).map_or(self.scan.source.lines() + 1, |_| self.scan.line(at));
        let source = self.scan.source;
        let comments = (last + 1..next).map(|line| (line, source.line(line)));
        for (line, text) in comments.filter(|(_, text)| text.trim_start().starts_with('#')) {
            self.close(Self::indent(text).max(indent), last);
            last = line;
        }
        self.close(indent, last);
    }

    fn close(&mut self, indent: usize, last: u32) {
        while let Some(block) = self.blocks.pop_if(|block| block.indent > indent) {
            self.end(block.symbol, last);
        }
    }

    /// The last line of a symbol is known.
    fn end(&mut self, symbol: Option<u32>, last: u32) {
        let Some(number) = symbol else { return };
        if let Some(symbol) = self.scan.gather.symbol_mut(number) {
            symbol.end_line = last.max(symbol.line);
        }
        self.scan.ends.pop();
        self.scan.gather.close(self.scan.ends.len());
    }

    /// The statements of a line, or of what follows a colon.
    fn statements(&mut self, from: usize, to: usize) -> Option<()> {
        let mut at = from;
        while at < to {
            let mut end = at;
            while end < to && !self.scan.is(end, ";") {
                end = self.scan.after(end);
            }
            match self.scan.word(at) {
                // The rest of the line is inside it.
                "def" | "class" | "if" | "elif" | "else" | "for" | "while" | "try" | "except" | "finally"
                | "with" => {
                    return self.compound(at, to);
                }
                "async" if matches!(self.scan.word(at + 1), "def" | "for" | "with") => {
                    return self.compound(at, to);
                }
                "match" | "case" if self.is_case(at, to) => return self.compound(at, to),
                "import" => self.imports(at, end),
                "from" => self.imports_from(at, end)?,
                "type" if self.scan.is_name(at + 1) => self.alias(at, end),
                _ => self.assignments(at, end),
            }
            at = end + 1;
        }
        Some(())
    }

    /// `match x:`, `case y:`; both words may be names.
    fn is_case(&self, at: usize, to: usize) -> bool {
        let begins = match self.scan.kind(at + 1) {
            Some(TokenKind::Sign) => matches!(self.scan.word(at + 1), "-" | "*" | "~"),
            Some(TokenKind::Close) | None => false,
            _ => true,
        };
        begins && at + 1 < to && self.colon(at + 1, to).is_some()
    }

    /// The colon that ends a head.
    fn colon(&self, from: usize, to: usize) -> Option<usize> {
        let (mut at, mut lambdas) = (from, 0);
        while at < to {
            match self.scan.word(at) {
                "lambda" => lambdas += 1,
                ":" if lambdas == 0 => return Some(at),
                ":" => lambdas -= 1,
                _ => {}
            }
            at = self.scan.after(at);
        }
        None
    }

    /// A statement with a block.
    fn compound(&mut self, at: usize, to: usize) -> Option<()> {
        let keyword = at + usize::from(self.scan.is(at, "async"));
        let colon = self.colon(keyword, to)?;
        let symbol = match self.scan.word(keyword) {
            "def" => self.definition(at, keyword + 1, colon, SymbolKind::Function)?,
            "class" => self.definition(at, keyword + 1, colon, SymbolKind::Class)?,
            _ => None,
        };
        if colon + 1 == to {
            self.expected = Some(symbol);
            return Some(());
        }
        self.in_line += 1;
        if self.in_line > MAX_BLOCKS {
            return None;
        }
        self.statements(colon + 1, to)?;
        self.in_line -= 1;
        // A block cannot begin inside a line.
        if self.expected.is_some() {
            return None;
        }
        self.end(symbol, self.scan.last_line(to));
        Some(())
    }

    fn definition(
        &mut self,
        from: usize,
        name: usize,
        colon: usize,
        kind: SymbolKind,
    ) -> Option<Option<u32>> {
        if !self.scan.is_name(name) {
            return None;
        }
        let mut bases = Vec::new();
        let list =
            name + 1 + if self.scan.is(name + 1, "[") { self.scan.after(name + 1) - name - 1 } else { 0 };
        if kind == SymbolKind::Class && self.scan.is(list, "(") {
            add_bases(self.scan.span(list, self.scan.after(list)), &mut bases);
        }
        let first = colon + 1;
        let alone = self.scan.begins_line(first + 1) || matches!(self.scan.word(first + 1), ";" | ",");
        let doc = match self.scan.kind(first) {
            Some(TokenKind::Text) if alone => head::of_docstring(self.scan.word(first)),
            _ => String::new(),
        };
        let text = self.scan.text.get(self.scan.start(from)..self.scan.start(first)).unwrap_or("");
        Some(self.symbol(from, name, kind, text, doc, bases))
    }

    /// A symbol that ends where its statement or block does.
    fn symbol(
        &mut self,
        from: usize,
        name: usize,
        kind: SymbolKind,
        text: &str,
        doc: String,
        bases: Vec<String>,
    ) -> Option<u32> {
        let line = self.scan.line(name);
        debug_assert!(from <= name);
        let symbol = Symbol {
            name: self.scan.word(name).to_owned(),
            kind,
            line,
            end_line: line,
            parent: None,
            container: String::new(),
            signature: head::of_text(text, kind),
            doc,
            bases,
        };
        let number = self.scan.gather.declare(symbol, Some(self.scan.ends.len()))?;
        self.scan.ends.push(usize::MAX);
        Some(number)
    }

    /// The values that a module assigns: `a = b = c`, `a: int`, `f = lambda: 1`.
    fn assignments(&mut self, from: usize, to: usize) {
        let around = self.scan.enclosing();
        if around.in_function || around.in_type {
            return;
        }
        let mut open = Vec::new();
        let mut target = from;
        loop {
            let mut sign = target;
            while sign < to && !matches!(self.scan.word(sign), "=" | "lambda") {
                sign = self.scan.after(sign);
            }
            let assigned = self.scan.is(sign, "=") && sign < to;
            let annotated = self.scan.is(target + 1, ":") && target == from;
            let alone = self.scan.is_name(target) && (assigned && sign == target + 1 || annotated);
            if alone {
                let lambda = self.lambda_body(sign + 1, to).filter(|_| assigned);
                let name = self.scan.word(target);
                let kind = if lambda.is_some() { SymbolKind::Function } else { declare::value(name) };
                let head = match lambda {
                    Some(body) => {
                        self.scan.text.get(self.scan.start(target)..self.scan.start(body)).unwrap_or("")
                    }
                    None => self.scan.span(target, to),
                };
                // A chain of assignments is nested as deep as it is long.
                self.scan.spend(to - target);
                open.extend(self.symbol(target, target, kind, head, String::new(), Vec::new()));
            }
            if !assigned {
                break;
            }
            target = sign + 1;
        }
        let last = self.scan.last_line(to);
        while let Some(symbol) = open.pop() {
            self.end(Some(symbol), last);
        }
    }

    /// The body of the lambda that all of these tokens are.
    fn lambda_body(&self, from: usize, to: usize) -> Option<usize> {
        let body = self.scan.is(from, "lambda").then(|| self.colon(from + 1, to)).flatten()? + 1;
        let (mut at, mut lambdas) = (body, 0);
        while at < to {
            match self.scan.word(at) {
                "lambda" => lambdas += 1,
                ":" => lambdas -= 1,
                "," if lambdas == 0 => return None,
                _ => {}
            }
            at = self.scan.after(at);
        }
        Some(body)
    }

    /// `type A[T] = B`.
    fn alias(&mut self, from: usize, to: usize) {
        let Some(sign) = (from..to).find(|at| self.scan.is(*at, "=")) else { return };
        let text = self.scan.span(from, to);
        let name = self.scan.span(from + 1, sign);
        if let Some(number) = self.symbol(from, from + 1, SymbolKind::Type, text, String::new(), Vec::new()) {
            if let Some(symbol) = self.scan.gather.symbol_mut(number) {
                symbol.name = declare::clean(name);
            }
            self.end(Some(number), self.scan.last_line(to));
        }
    }

    /// A name with dots and the name behind `as`; the token behind them.
    fn named(&self, from: usize, to: usize) -> (String, Option<&str>, usize) {
        let mut at = from;
        while at < to && (self.scan.is_name(at) && !self.scan.is(at, "as") || self.scan.is(at, ".")) {
            at += 1;
        }
        let name = self.scan.span(from, at).to_owned();
        if at < to && self.scan.is(at, "as") {
            (name, Some(self.scan.word(at + 1)), at + 2)
        } else {
            (name, None, at)
        }
    }

    /// `import a.b, c as d`
    fn imports(&mut self, keyword: usize, to: usize) {
        let mut at = keyword + 1;
        while at < to {
            let (module, alias, end) = self.named(at, to);
            let alias = alias.unwrap_or(&module).to_owned();
            self.scan.import(keyword, &module, "", &alias, false);
            at = end + 1;
        }
    }

    /// `from a import b as c, d`
    fn imports_from(&mut self, keyword: usize, to: usize) -> Option<()> {
        let import = (keyword..to).find(|at| self.scan.is(*at, "import"))?;
        let module = self.scan.span(keyword + 1, import).replace(char::is_whitespace, "");
        // It imports nothing.
        if module == "__future__" {
            return Some(());
        }
        let list = self.scan.is(import + 1, "(");
        let (mut at, end) = if list { (import + 2, self.scan.partner(import + 1)) } else { (import + 1, to) };
        if self.scan.is(at, "*") {
            self.scan.import(keyword, &module, "*", "", true);
            return Some(());
        }
        while at < end {
            let (name, alias, next) = self.named(at, end);
            if name.is_empty() {
                return None;
            }
            let alias = alias.unwrap_or(&name).to_owned();
            // What a package's own file imports, it re-exports.
            self.scan.import(keyword, &module, &name, &alias, true);
            at = next + 1;
        }
        Some(())
    }
}
