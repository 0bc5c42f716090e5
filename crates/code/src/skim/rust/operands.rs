//! What a value is to a call: the name that a call of it would call, and what a call on it would be on.

use super::token::{Bracket, Tok, Token};
use super::{Reader, Span};
use crate::extract::calls::ReceiverExpr;
use crate::extract::types;

/// What a call is made on, as pieces of the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum On {
    Nothing,
    Own,
    Super,
    Name(Span),
    /// A field of the object itself.
    OwnField(Span),
    /// A field of a value.
    Field(Span, Span),
    /// What a function of this path gave.
    Made(Span),
    Unknown,
}

/// A value that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The name that a call of it calls.
    pub callee: Option<Token>,
    /// What such a call is made on.
    pub of: On,
    /// What it is, when it is called on.
    pub on: On,
    /// The path before its last name; empty when it has none.
    pub path: Span,
}

impl Operand {
    /// A value that says nothing.
    pub(super) const OTHER: Self = Self::on(On::Unknown);

    /// A value that cannot be called by a name.
    pub(super) const fn on(on: On) -> Self {
        Self { callee: None, of: On::Nothing, on, path: (0, 0) }
    }
}

impl Reader<'_> {
    /// What a path or a name is, when it is called on.
    pub(super) fn on_name(&self, span: Span) -> On {
        match self.span(span) {
            "self" | "this" | "cls" | "Self" | "static" => On::Own,
            "super" | "base" | "parent" => On::Super,
            _ => On::Name(span),
        }
    }

    /// A field of a value.
    pub(super) fn field_of(value: Operand, name: Token) -> Operand {
        let span = (name.start, name.end());
        let on = match value.on {
            On::Own => On::OwnField(span),
            On::Name(of) => On::Field(of, span),
            _ => On::Unknown,
        };
        Operand { callee: Some(name), of: value.on, on, path: (0, 0) }
    }

    /// A call; the name was read, the arguments were not.
    pub(super) fn call(&mut self, name: Token, on: On) {
        let text = |span| self.span(span).to_owned();
        let on = match on {
            On::Nothing => ReceiverExpr::Nothing,
            On::Own => ReceiverExpr::Own,
            On::Super => ReceiverExpr::Super,
            On::Name(name) => ReceiverExpr::Name(text(name)),
            On::OwnField(name) => ReceiverExpr::Field(None, text(name)),
            On::Field(of, name) => ReceiverExpr::Field(Some(text(of)), text(name)),
            On::Made(path) => self.made(path).map_or(ReceiverExpr::Unknown, ReceiverExpr::Made),
            On::Unknown => ReceiverExpr::Unknown,
        };
        self.calls += 1;
        self.lookups += u32::from(matches!(on, ReceiverExpr::Name(_) | ReceiverExpr::Field(Some(_), _)));
        let called = self.word(name).to_owned();
        self.gather.call(called, on, name.line, name.start as usize);
    }

    /// The type that a function of this path makes.
    fn made(&self, path: Span) -> Option<String> {
        let name = types::base(self.span(path));
        (types::capital(&name) && name != "Self").then_some(name)
    }

    /// The type of the value that a `let` is given, seen before it is read: calls in the value see the variable.
    pub(super) fn made_ahead(&self) -> Option<String> {
        let mut at = self.at;
        let mut wraps = 0;
        // What is around the value.
        loop {
            match self.token(at).kind {
                Tok::Minus | Tok::Star | Tok::Bang | Tok::Open(Bracket::Round) => {}
                // `mut` is the first child of a reference, and makes nothing.
                Tok::And if self.token(at + 1).kind == Tok::Mut => return None,
                Tok::And if self.token(at + 2).kind == Tok::Const => at += 2,
                Tok::And => {}
                Tok::AndAnd => wraps += 1,
                _ => break,
            }
            if self.commented(at) {
                return None;
            }
            wraps += 1;
            at += 1;
        }
        let first = at;
        let mut path_end = at;
        if self.token(at).kind == Tok::Colons {
            at += 1;
        }
        loop {
            if !matches!(self.token(at).kind, Tok::Name | Tok::Own | Tok::Super | Tok::Crate) {
                return None;
            }
            at += 1;
            if self.token(at).kind != Tok::Colons {
                break;
            }
            path_end = at;
            at += 1;
        }
        let made = match self.token(at).kind {
            Tok::Open(Bracket::Round) if path_end > first => {
                (self.token(first).start, self.token(path_end - 1).end())
            }
            Tok::Open(Bracket::Curly) => (self.token(first).start, self.token(at - 1).end()),
            _ => return None,
        };
        let is_call = self.token(at).kind == Tok::Open(Bracket::Round);
        at = self.token(at).closed_by() + 1;
        loop {
            match self.token(at).kind {
                Tok::Question => {}
                Tok::Dot if self.token(at + 1).kind == Tok::Await => at += 1,
                // Counted where it was opened.
                Tok::Close(Bracket::Round) => wraps -= 1,
                Tok::Semicolon | Tok::Else => break,
                _ => return None,
            }
            wraps += 1;
            at += 1;
        }
        if wraps > 4 {
            return None;
        }
        if is_call {
            return self.made(made);
        }
        Some(types::base(self.span(made))).filter(|name| !name.is_empty())
    }
}
