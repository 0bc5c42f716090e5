//! Outlines without a syntax tree: one lexer, and for each language that is read most a scanner that knows its
//! declarations and passes over everything else. Calls and types of values are not its business: they come from the tree
//! (docs/adr/0029). Where a scanner does not understand the text, it gives nothing, and the tree is asked.
//!
//! Languages without a grammar in the program are scanned whole, calls included (docs/adr/0071).

mod elixir;
mod go;
mod keyword;
mod lexer;
mod python;
mod rust;
mod script;
mod script_value;

use crate::extract::gather::{Enclosing, Gather};
use crate::extract::head;
use crate::facts::{Facts, Import, Symbol, SymbolKind};
use crate::language::Language;
use crate::source::Source;
use lexer::{Syntax, Token, TokenKind};
use std::cell::Cell;

/// The symbols and imports of a text; `None` for every text that a tree must be asked about: other languages, and what is
/// broken or was changed on the way in.
pub fn outline(language: Language, source: &Source) -> Option<Facts> {
    let (syntax, scan): (&Syntax, fn(&mut Scan<'_>) -> Option<()>) = match language {
        Language::Python => (&python::SYNTAX, python::scan),
        Language::TypeScript => (&script::TYPESCRIPT, script::scan),
        Language::Tsx => (&script::TSX, script::scan),
        Language::JavaScript => (&script::JAVASCRIPT, script::scan),
        Language::Rust => (&rust::SYNTAX, rust::scan),
        Language::Go => (&go::SYNTAX, go::scan),
        _ => return None,
    };
    if !source.notes.is_empty() {
        return None;
    }
    let tokens = lexer::tokens(&source.text, syntax)?;
    let notes = source.remark().into_iter().collect();
    run(language, source, tokens, notes, scan)
}

/// Everything of a text in a language without a grammar; `None` for other languages, and for what is too tangled.
pub(crate) fn whole(language: Language, source: &Source) -> Option<Facts> {
    let (syntax, scan): (&Syntax, fn(&mut Scan<'_>) -> Option<()>) = match language {
        Language::Elixir => (&elixir::SYNTAX, elixir::scan),
        language => (&keyword::table(language)?.syntax, keyword::scan),
    };
    let (tokens, fault) = lexer::lenient(&source.text, syntax)?;
    let mut notes = source.notes.clone();
    if let Some(fault) = fault {
        let line = source.line_of(fault);
        notes.push(format!("the text does not parse cleanly (line {line}); the rest is shown"));
    }
    notes.extend(source.remark());
    run(language, source, tokens, notes, scan)
}

fn run(
    language: Language,
    source: &Source,
    tokens: Vec<Token>,
    notes: Vec<String>,
    scan: fn(&mut Scan<'_>) -> Option<()>,
) -> Option<Facts> {
    let gather = Gather::new(source.lines(), notes);
    let steps = Cell::new(tokens.len() * STEPS_PER_TOKEN + 1_000);
    let mut scanner = Scan { language, source, text: &source.text, tokens, gather, ends: Vec::new(), steps };
    scan(&mut scanner)?;
    (scanner.steps.get() > 0).then(|| scanner.gather.finish())
}

/// How often a token is looked at, in the mean: a text that needs more is left to the parser, which has bounds of its own.
const STEPS_PER_TOKEN: usize = 32;

/// A text that is being scanned. Tokens are named by their number; beyond the last one there is nothing of any kind.
struct Scan<'s> {
    language: Language,
    source: &'s Source,
    text: &'s str,
    tokens: Vec<Token>,
    gather: Gather,
    /// Where the symbols that are open end: the token behind each.
    ends: Vec<usize>,
    /// Steps that are left.
    steps: Cell<usize>,
}

/// A declaration, by its tokens.
struct Declared {
    name: String,
    kind: SymbolKind,
    /// The token of the name: its line is the symbol's line.
    at: usize,
    /// The first token.
    from: usize,
    /// The token that the head ends before.
    head_end: usize,
    /// The token behind the last one.
    end: usize,
    /// The token that begins the line under the comment about it, when that is not the first one.
    doc_at: usize,
    container: String,
    bases: Vec<String>,
}

impl Declared {
    fn new(name: String, kind: SymbolKind, at: usize, from: usize) -> Self {
        let (container, bases) = Default::default();
        Self { name, kind, at, from, head_end: 0, end: 0, doc_at: from, container, bases }
    }
}

impl<'s> Scan<'s> {
    /// A token; none when there are no steps left.
    fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied().filter(|_| self.steps.get() > 0)
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.token(at).map(|token| token.kind)
    }

    /// The text of a token; empty beyond the last.
    fn word(&self, at: usize) -> &'s str {
        let Some(token) = self.token(at) else { return "" };
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.word(at) == text
    }

    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
    }

    /// A token is the first on its line, or there is none.
    fn begins_line(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.newline)
    }

    /// Takes so many of the steps that are left; whether there are any.
    fn spend(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps));
        self.steps.get() > 0
    }

    /// The token behind this one, or behind its group. Every search goes from token to token with it; when there are no
    /// steps left, each is at its end.
    fn after(&self, at: usize) -> usize {
        if !self.spend(1) {
            return self.tokens.len().max(at + 1);
        }
        match self.tokens.get(at) {
            Some(token) if token.kind == TokenKind::Open => token.partner as usize + 1,
            _ => at + 1,
        }
    }

    /// The other bracket of a group.
    fn partner(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(at, |token| token.partner as usize)
    }

    /// The first byte of a token; the end of the text beyond the last.
    fn start(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.text.len(), |token| token.start as usize)
    }

    /// The text from one token up to the end of the one before another.
    fn span(&self, from: usize, to: usize) -> &'s str {
        let end =
            to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |last| last.end as usize);
        self.text.get(self.start(from)..end).unwrap_or("")
    }

    fn line(&self, at: usize) -> u32 {
        self.source.line_of(self.start(at))
    }

    /// The line that the token before this one ends on.
    fn last_line(&self, end: usize) -> u32 {
        let last = end.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.map_or(1, |last| self.source.line_of(last.end.saturating_sub(1) as usize))
    }

    /// Leaves the symbols that end before this token.
    fn leave(&mut self, at: usize) {
        while self.ends.last().is_some_and(|end| *end <= at) {
            self.ends.pop();
            self.gather.close(self.ends.len());
        }
    }

    fn enclosing(&self) -> Enclosing {
        self.gather.enclosing()
    }

    /// Adds a symbol; what follows up to its end is inside it, unless one statement declares several.
    fn declare(&mut self, declared: Declared, several: bool) -> Option<u32> {
        let Declared { name, kind, at, from, head_end, end, doc_at, container, bases } = declared;
        let line = self.line(at);
        let head = self.text.get(self.start(from)..self.start(head_end)).unwrap_or("");
        let head = if head_end >= end { self.span(from, end) } else { head };
        let about = self.line(doc_at).min(self.line(from)).min(line);
        let symbol = Symbol {
            name,
            kind,
            line,
            end_line: self.last_line(end).max(line),
            parent: None,
            container,
            signature: head::of_text(head, kind),
            doc: head::above(self.language, self.source, about),
            bases,
        };
        let depth = (!several).then_some(self.ends.len());
        let number = self.gather.declare(symbol, depth);
        if number.is_some() && !several {
            self.ends.push(end);
        }
        number
    }

    /// Goes on with a symbol that was left: what follows up to a token is inside it again. Not when something else was declared beside it.
    fn reopen(&mut self, number: u32, end: usize, last_line: u32) -> bool {
        let depth = self.ends.len();
        let opened = self.gather.reopen(number, depth, last_line);
        if opened {
            self.ends.push(end);
        }
        opened
    }

    fn import(&mut self, at: usize, module: &str, name: &str, alias: &str, public: bool) {
        let module = crate::extract::imports::module(module).to_owned();
        let (name, alias) = (name.to_owned(), alias.to_owned());
        self.gather.import([Import { module, name, alias, line: self.line(at), public }]);
    }
}
