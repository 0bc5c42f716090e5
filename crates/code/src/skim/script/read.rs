//! The reader: tokens, the place that it has come to, and what it tells of symbols, calls and values.

use super::kind::Kind;
use super::lex::{END, Token};
use crate::extract::calls::ReceiverExpr;
use crate::extract::gather::Gather;
use crate::extract::{declare, head, types};
use crate::facts::{Facts, Symbol, SymbolKind};
use crate::language::Language;
use crate::source::Source;

/// Things in things, at most; every level costs some of the program's stack.
const DEEPEST: usize = 180;

/// Levels of the parser's tree that one level here can be, at most.
const LEVEL: u32 = 5;

/// The highest tree; higher ones are not walked to their ends.
const TALLEST: u32 = 1_800;

/// How often a token may be looked at ahead, on average: honest text stays far below, and reading stays linear.
const LOOKS: usize = 4;

/// How an expression is read, where it depends on what is around.
#[derive(Clone, Copy, Default)]
pub(super) struct Mode {
    /// In the head of a `for`, where `in` is no sign between values.
    pub no_in: bool,
    /// Between `?` and `:`, where `(a): b => c` can be two things.
    pub between: bool,
    /// Directly in a statement, where the end of a line may end it.
    pub line_ends: bool,
}

/// What a call can be made on, by its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Nothing,
    Own,
    Super,
    /// The token of a name.
    Name(usize),
    /// A field of the object itself.
    OwnField(usize),
    /// A field of a name.
    Field(usize, usize),
    /// What was made of the class that is named from one byte to another.
    Made(u32, u32),
    Unknown,
}

/// A symbol that begins.
pub(super) struct Begin {
    pub kind: SymbolKind,
    /// The tokens of its name, both counted.
    pub name: (usize, usize),
    /// Its first token.
    pub first: usize,
    /// The line that what is said about it ends above.
    pub doc_line: u32,
    /// The first token of its head.
    pub head: usize,
    /// The token before which its head ends; without one it ends with the symbol.
    pub body: Option<usize>,
}

/// A symbol that is being read.
pub(super) struct Opened {
    number: Option<usize>,
    start: usize,
    head: usize,
    value: Option<SymbolKind>,
}

/// What is known of a symbol at its end.
struct Ended {
    number: usize,
    end: usize,
    signature: Option<String>,
}

/// Reads tokens into facts.
pub(super) struct Reader<'s> {
    pub source: &'s Source,
    pub language: Language,
    /// The language has types.
    pub typed: bool,
    pub tokens: Vec<Token>,
    /// The token that was come to.
    pub at: usize,
    pub mode: Mode,
    pub gather: Gather,
    /// What is read is only looked at: nothing is told.
    pub quiet: bool,
    /// Calls and symbols told so far.
    pub told: usize,
    /// Tokens that were looked at ahead of reading them.
    pub looked: usize,
    may_look: usize,
    /// The last token after which a semicolon may be left out, and whether an expression may also go on there.
    pub may_end: Option<(usize, bool)>,
    /// The token after a call that takes in all that is before it.
    pub wrapped: usize,
    /// How high the parser's tree is over what was read, in the level that one is in and in those around it.
    height: u32,
    heights: Vec<u32>,
    symbols: usize,
    depth: usize,
    ended: Vec<Ended>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(language: Language, source: &'s Source, tokens: Vec<Token>) -> Self {
        Self {
            source,
            language,
            typed: language != Language::JavaScript,
            may_look: tokens.len() * LOOKS + 1_000,
            looked: 0,
            tokens,
            may_end: None,
            wrapped: 0,
            at: 0,
            mode: Mode::default(),
            gather: Gather::new(source.lines(), source.remark().into_iter().collect()),
            quiet: false,
            told: 0,
            heights: Vec::with_capacity(64),
            height: 0,
            symbols: 0,
            depth: 0,
            ended: Vec::new(),
        }
    }

    /// The facts, when all is read.
    pub(super) fn finish(self) -> Facts {
        let mut facts = self.gather.finish();
        for ended in self.ended {
            if let Some(symbol) = facts.symbols.get_mut(ended.number) {
                symbol.bytes.1 = ended.end;
                symbol.end_line = self.source.line_of(ended.end).max(symbol.line);
                if let Some(signature) = ended.signature {
                    symbol.signature = signature;
                }
            }
        }
        facts
    }

    /// One level deeper; `None` when it is too deep, or when too much was read more than once.
    pub(super) fn deeper(&mut self) -> Option<()> {
        self.heights.push(std::mem::take(&mut self.height));
        (self.heights.len() <= DEEPEST && self.looked <= self.may_look).then_some(())
    }

    /// One level up.
    pub(super) fn up(&mut self) {
        let around = self.heights.pop().unwrap_or_default();
        self.height = around.max(self.height + LEVEL);
    }

    /// What was read since the last level began is one deeper in the parser's tree than it seemed: `a + b` is when `+ c`
    /// follows. `None` where the tree is so deep that it would not be walked whole.
    pub(super) fn taller(&mut self) -> Option<()> {
        self.height += 2;
        (self.height <= TALLEST).then_some(())
    }

    /// How deep it is.
    pub(super) fn level(&self) -> (usize, u32) {
        (self.heights.len(), self.height)
    }

    /// Back to where it was, after a look ahead.
    pub(super) fn back_to(&mut self, (level, height): (usize, u32)) {
        self.heights.truncate(level);
        self.height = height;
    }

    pub(super) fn token(&self, at: usize) -> Token {
        self.tokens.get(at).copied().unwrap_or(END)
    }

    pub(super) fn kind_at(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::End, |token| token.kind)
    }

    /// The kind of the token that was come to.
    pub(super) fn kind(&self) -> Kind {
        self.kind_at(self.at)
    }

    /// The kind of the one after it.
    pub(super) fn next(&self) -> Kind {
        self.kind_at(self.at + 1)
    }

    /// A line ends before a token.
    pub(super) fn newline(&self, at: usize) -> bool {
        self.token(at).newline
    }

    /// The token after the other one of a bracket.
    pub(super) fn after_pair(&self, at: usize) -> usize {
        (self.token(at).pair as usize).max(at) + 1
    }

    /// Steps over a token of a kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let is = self.kind() == kind;
        self.at += usize::from(is);
        is
    }

    /// Steps over a token that must be there.
    pub(super) fn need(&mut self, kind: Kind) -> Option<()> {
        self.eat(kind).then_some(())
    }

    /// Steps over a word, or over a private name.
    pub(super) fn property(&mut self) -> Option<usize> {
        let at = self.at;
        (self.kind().is_word() || self.kind() == Kind::PrivateName).then(|| self.at += 1)?;
        Some(at)
    }

    /// Steps over a name.
    pub(super) fn name(&mut self) -> Option<usize> {
        let at = self.at;
        self.kind().is_name().then(|| self.at += 1)?;
        Some(at)
    }

    pub(super) fn text(&self, at: usize) -> &'s str {
        let token = self.token(at);
        self.source.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// The text from one byte to another.
    pub(super) fn bytes(&self, from: u32, to: u32) -> &'s str {
        self.source.text.get(from as usize..to as usize).unwrap_or("")
    }

    /// The byte where the last token that was read ends.
    pub(super) fn end(&self) -> u32 {
        self.token(self.at.saturating_sub(1)).end
    }

    /// A symbol begins.
    pub(super) fn begin(&mut self, begin: &Begin) -> Option<Opened> {
        self.begin_in(begin, Vec::new(), String::new())
    }

    /// A symbol begins that inherits, or that says what it belongs to.
    pub(super) fn begin_in(
        &mut self,
        begin: &Begin,
        bases: Vec<String>,
        container: String,
    ) -> Option<Opened> {
        let start = self.token(begin.first).start as usize;
        let head_start = self.token(begin.head).start as usize;
        if self.quiet {
            return Some(Opened { number: None, start, head: head_start, value: None });
        }
        let (first, last) = (self.token(begin.name.0), self.token(begin.name.1));
        let name = match first.kind {
            // `export default` has no name of its own.
            Kind::Export if begin.name.0 != begin.name.1 => "default".to_owned(),
            kind if kind.is_word() && begin.name.0 == begin.name.1 => self.text(begin.name.0).to_owned(),
            _ => declare::clean(self.bytes(first.start, last.end)),
        };
        if name.is_empty() {
            return Some(Opened { number: None, start, head: head_start, value: None });
        }
        let line = if first.kind == Kind::Export { last.line } else { first.line };
        let signature = begin.body.map(|body| {
            let end = self.token(body).start as usize;
            head::of_text(self.source.text.get(head_start..end).unwrap_or(""), begin.kind)
        });
        let symbol = Symbol {
            name,
            kind: begin.kind,
            line,
            end_line: line,
            parent: None,
            container,
            doc: head::above(self.language, self.source, begin.doc_line),
            bases,
            bytes: (start, start),
            signature: String::new(),
        };
        let value = signature.is_none().then_some(begin.kind);
        let symbol = Symbol { signature: signature.unwrap_or_default(), ..symbol };
        self.gather.declare(symbol, Some(self.depth));
        self.depth += 1;
        let number = self.symbols;
        self.symbols += 1;
        self.told += 1;
        Some(Opened { number: Some(number), start, head: head_start, value })
    }

    /// A symbol ends with the last token that was read.
    pub(super) fn ends(&mut self, opened: &Opened) {
        let Some(number) = opened.number else { return };
        let end = (self.end_with_comments() as usize).max(opened.start);
        let signature = opened
            .value
            .map(|kind| head::of_text(self.source.text.get(opened.head..end).unwrap_or(""), kind));
        self.ended.push(Ended { number, end, signature });
        self.depth -= 1;
        self.gather.close(self.depth);
    }

    /// The value that was read and made no symbol would have made one, by a rule of the grammar that is not followed.
    pub(super) fn unless_wrapped(&self) -> Option<()> {
        (self.wrapped != self.at).then_some(())
    }

    /// What a name is, as something that is called on.
    pub(super) fn on_name(&self, at: usize) -> On {
        match self.text(at) {
            "self" | "cls" | "$this" | "Self" | "static" => On::Own,
            "base" | "parent" => On::Super,
            "undefined" => On::Unknown,
            _ => On::Name(at),
        }
    }

    /// A call of the name at a token.
    pub(super) fn call(&mut self, name: usize, on: On) {
        if self.quiet {
            return;
        }
        let token = self.token(name);
        let text = |at: usize| self.text(at).to_owned();
        let (called, receiver) = match (token.kind, on) {
            (Kind::Super, On::Super) => ("constructor".to_owned(), ReceiverExpr::Super),
            (_, on) => {
                let receiver = match on {
                    On::Nothing => ReceiverExpr::Nothing,
                    On::Own => ReceiverExpr::Own,
                    On::Super => ReceiverExpr::Super,
                    On::Name(name) => ReceiverExpr::Name(text(name)),
                    On::OwnField(name) => ReceiverExpr::Field(None, text(name)),
                    On::Field(of, name) => ReceiverExpr::Field(Some(text(of)), text(name)),
                    On::Made(from, to) => match types::base(self.bytes(from, to)) {
                        name if name.is_empty() => ReceiverExpr::Unknown,
                        name => ReceiverExpr::Made(name),
                    },
                    On::Unknown => ReceiverExpr::Unknown,
                };
                (text(name), receiver)
            }
        };
        self.told += 1;
        self.gather.call(called, receiver, token.line, token.start as usize);
    }

    /// The type of a variable, or of a field, as it is written.
    pub(super) fn value_is(&mut self, name: usize, of: &str, field: bool) {
        let of = types::base(of);
        if self.quiet || of.is_empty() {
            return;
        }
        if field {
            self.gather.field_is(self.text(name), of);
        } else {
            self.gather.variable_is(self.text(name), of);
        }
    }
}
