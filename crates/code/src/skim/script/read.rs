//! The reader: tokens, the place that it has come to, and what it tells of symbols, calls and values.

use super::kind::Kind;
use super::lex::{END, Lexed, Token, Trail};
use crate::extract::calls::Receiver;
use crate::extract::gather::Gather;
use crate::extract::{declare, head, types};
use crate::facts::{Facts, Kind as SymbolKind, Symbol};
use crate::language::Language;
use crate::source::Source;

/// Things in things, at most; every level costs some of the program's stack.
const DEEPEST: u32 = 180;

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
    trails: Vec<Trail>,
    /// The last token after which a semicolon may be left out, and whether an expression may also go on there.
    may_end: Option<(usize, bool)>,
    /// The token after a call that takes in all that is before it.
    pub wrapped: usize,
    level: u32,
    symbols: usize,
    depth: usize,
    ended: Vec<Ended>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(language: Language, source: &'s Source, lexed: Lexed) -> Self {
        Self {
            source,
            language,
            typed: language != Language::JavaScript,
            tokens: lexed.tokens,
            trails: lexed.trails,
            may_end: None,
            wrapped: 0,
            at: 0,
            mode: Mode::default(),
            gather: Gather::new(source.lines(), source.remark().into_iter().collect()),
            quiet: false,
            told: 0,
            level: 0,
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

    /// One level deeper; `None` when it is too deep.
    pub(super) fn deeper(&mut self) -> Option<()> {
        self.level += 1;
        (self.level <= DEEPEST).then_some(())
    }

    /// One level up.
    pub(super) fn up(&mut self) {
        self.level -= 1;
    }

    /// How deep it is.
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Back to where it was, after a look ahead.
    pub(super) fn back_to(&mut self, level: u32) {
        self.level = level;
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
        (self.kind().is_word() || self.kind() == Kind::Private_).then(|| self.at += 1)?;
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
            kind if kind.is_word() => self.text(begin.name.0).to_owned(),
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

    /// A semicolon may be left out after the last token that was read; `goes_on` when an expression might go on there.
    pub(super) fn may_end(&mut self, goes_on: bool) {
        self.may_end = Some((self.at.saturating_sub(1), goes_on));
    }

    /// Where what was read last ends. The parser counts comments on the same line to what a left out semicolon ends.
    fn end_with_comments(&self) -> u32 {
        let end = self.end();
        let next = self.token(self.at);
        let (Some((last, goes_on)), true) = (self.may_end, next.comment || next.kind == Kind::End) else {
            return end;
        };
        if last + 1 != self.at {
            return end;
        }
        let Ok(found) = self.trails.binary_search_by_key(&(self.at as u32), |trail| trail.before) else {
            return end;
        };
        let Some(trail) = self.trails.get(found) else { return end };
        let closes = matches!(next.kind, Kind::CurlyClose | Kind::End);
        let ended = if self.typed {
            closes || next.newline && self.begins_statement(next.kind)
        } else {
            trail.line
                && goes_on
                && next.kind != Kind::CurlyClose
                && self.begins_statement(next.kind)
                && !self.line_ends_after_block(trail.end)
        };
        if ended { trail.end } else { end }
    }

    /// Among the comments from a byte on is one in `/* */` after which the line ends: the parser of JavaScript looks so
    /// far, and finds the end of a statement there.
    fn line_ends_after_block(&self, from: u32) -> bool {
        let mut rest = self.source.text.get(from as usize..).unwrap_or("").trim_start();
        loop {
            if rest.starts_with("//") {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
            } else if rest.starts_with("/*") {
                let after = rest.split_once("*/").map_or("", |(_, rest)| rest);
                let line = after.trim_start_matches(|c: char| c != '\n' && c.is_whitespace());
                if line.starts_with('\n') {
                    return true;
                }
                rest = line;
            } else {
                return false;
            }
        }
    }

    /// A line that begins so does not go on with the one before.
    fn begins_statement(&self, kind: Kind) -> bool {
        match kind {
            Kind::In | Kind::Instanceof => false,
            Kind::CurlyOpen
            | Kind::At
            | Kind::Step
            | Kind::Bang
            | Kind::Text
            | Kind::Tilde
            | Kind::Number
            | Kind::Private_
            | Kind::End => true,
            kind => kind.is_word(),
        }
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
            (Kind::Super, On::Super) => ("constructor".to_owned(), Receiver::Super),
            (_, on) => {
                let receiver = match on {
                    On::Nothing => Receiver::Nothing,
                    On::Own => Receiver::Own,
                    On::Super => Receiver::Super,
                    On::Name(name) => Receiver::Name(text(name)),
                    On::OwnField(name) => Receiver::Field(None, text(name)),
                    On::Field(of, name) => Receiver::Field(Some(text(of)), text(name)),
                    On::Made(from, to) => match types::base(self.bytes(from, to)) {
                        name if name.is_empty() => Receiver::Unknown,
                        name => Receiver::Made(name),
                    },
                    On::Unknown => Receiver::Unknown,
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
