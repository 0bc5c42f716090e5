//! From what was found to facts.

use super::event::{Event, Of, On};
use super::read::Reader;
use super::token::Token;
use crate::extract::calls::ReceiverExpr;
use crate::extract::gather::Gather;
use crate::extract::{declare, head, types};
use crate::facts::{Facts, Import, Symbol};
use crate::language::Language;
use crate::source::Source;

/// The facts of what was read.
pub(super) fn facts(source: &Source, read: &Reader<'_>, imports: Vec<Import>) -> Facts {
    let gather = Gather::new(source.lines(), source.remark().into_iter().collect());
    let mut replay = Replay { source, read, gather, open: Vec::new(), above: (0, String::new()), of: None };
    replay.gather.import(imports);
    for event in read.events.iter() {
        replay.one(*event);
    }
    replay.gather.finish()
}

struct Replay<'r, 's> {
    source: &'s Source,
    read: &'r Reader<'s>,
    gather: Gather,
    /// For each thing that is open, whether it is a symbol.
    open: Vec<bool>,
    /// The comment above a line: all of a group have the same.
    above: (u32, String),
    /// The type that was asked for last, by its number: names that share one come one after the other.
    of: Option<(u32, Option<String>)>,
}

impl Replay<'_, '_> {
    fn one(&mut self, event: Event) {
        match event {
            Event::Opens(name, declaration) => {
                self.declare(name, declaration, true);
                self.open.push(true);
            }
            Event::Values(first, further, declaration) => {
                let mut opened = false;
                if !self.gather.enclosing().in_function {
                    let named = |name: &u32| {
                        let token = self.read.token(*name as usize);
                        token.kind.is_name() && self.text(token) != "_"
                    };
                    let names: Vec<u32> = (first..=first + further).filter(named).collect();
                    opened = names.len() == 1;
                    for name in names {
                        self.declare(name, declaration, opened);
                    }
                }
                self.open.push(opened);
            }
            Event::Closes | Event::ClosesValues => {
                if self.open.pop() == Some(true) {
                    self.gather.close(self.open.len());
                }
            }
            Event::Variable(name, of) => {
                if let Some(of) = self.of(of) {
                    let name = self.text(self.read.token(name as usize));
                    self.gather.variable_is(name, of);
                }
            }
            Event::Field(name, of) => {
                if let Some(of) = self.of(of) {
                    let name = self.text(self.read.token(name as usize));
                    self.gather.field_is(name, of);
                }
            }
            Event::Call(name, on) => {
                let token = self.read.token(name as usize);
                let on = self.receiver(on);
                self.gather.call(self.text(token).to_owned(), on, token.line, token.start as usize);
            }
        }
    }
}

impl<'s> Replay<'_, 's> {
    fn bytes(&self, start: u32, end: u32) -> &'s str {
        self.source.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn text(&self, token: Token) -> &'s str {
        self.bytes(token.start, token.end())
    }

    fn name(&self, token: u32) -> String {
        self.text(self.read.token(token as usize)).to_owned()
    }

    fn receiver(&self, on: On) -> ReceiverExpr {
        match on {
            On::Nothing => ReceiverExpr::Nothing,
            On::Own => ReceiverExpr::Own,
            On::Super => ReceiverExpr::Super,
            On::Name(name) => ReceiverExpr::Name(self.name(name)),
            On::OwnField(name) => ReceiverExpr::Field(None, self.name(name)),
            On::Field(of, name) => ReceiverExpr::Field(Some(self.name(of)), self.name(name)),
            On::Made(start, end) => {
                types::made_by(self.bytes(start, end)).map_or(ReceiverExpr::Unknown, ReceiverExpr::Made)
            }
            On::Unknown => ReceiverExpr::Unknown,
        }
    }

    /// The type of a value, where the text says it.
    fn of(&mut self, number: u32) -> Option<String> {
        if self.of.as_ref().is_none_or(|(known, _)| *known != number) {
            self.of = Some((number, self.find_of(number)));
        }
        self.of.as_ref().and_then(|(_, of)| of.clone())
    }

    fn find_of(&self, number: u32) -> Option<String> {
        let of = match self.read.types.get(number as usize)? {
            Of::Nothing => return None,
            Of::Type(start, end) => types::base(self.bytes(*start, *end)),
            Of::Call(start, end) => types::made_by(self.bytes(*start, *end))?,
        };
        Some(of).filter(|of| !of.is_empty())
    }

    fn declare(&mut self, name: u32, declaration: u32, opens: bool) {
        let Some(made) = self.read.declarations.get(declaration as usize) else { return };
        let token = self.read.token(name as usize);
        let (first, last) = (self.read.token(made.first as usize), self.read.token(made.last as usize));
        let bytes = (first.start, last.end());
        let head_end = if made.head_end == 0 { bytes.1 } else { made.head_end };
        if self.above.0 != made.line {
            self.above = (made.line, head::above(Language::Go, self.source, made.line));
        }
        let symbol = Symbol {
            name: declare::clean(self.text(token)),
            kind: made.kind,
            line: token.line,
            end_line: self.read.last_line(made.last as usize).max(token.line),
            parent: None,
            container: made
                .container
                .map(|(start, end)| types::base(self.bytes(start, end)))
                .unwrap_or_default(),
            signature: head::of_text(self.bytes(bytes.0, head_end), made.kind),
            doc: self.above.1.clone(),
            bases: Vec::new(),
            bytes: (bytes.0 as usize, bytes.1 as usize),
        };
        self.gather.declare(symbol, opens.then_some(self.open.len()));
    }
}
