//! A value with what hangs on it: `shop.cart(x)[0].add`. What it calls, what a call is made on, and what it makes.
//! The rules are those of `extract::calls` and `extract::types`, for tokens.

use super::Reader;
use super::token::{Kind, Token};
use crate::extract::calls::ReceiverExpr;
use crate::extract::types;

impl Reader<'_> {
    /// True when these tokens, both counted, are one value and what hangs on it, without operators.
    pub(super) fn is_chain(&self, first: usize, last: usize) -> bool {
        let mut at = first;
        match self.token(at).kind {
            Kind::Name | Kind::Number | Kind::Literal | Kind::Ellipsis => at += 1,
            Kind::Round | Kind::Square | Kind::Curly => at = self.behind(at),
            Kind::Text | Kind::FormatOpen => {
                while at <= last && matches!(self.token(at).kind, Kind::Text | Kind::FormatOpen) {
                    at = self.behind(at);
                }
            }
            _ => return false,
        }
        while at <= last {
            match self.token(at).kind {
                Kind::Dot if self.token(at + 1).kind == Kind::Name => at += 2,
                Kind::Round | Kind::Square => at = self.behind(at),
                _ => return false,
            }
        }
        at == last + 1
    }

    /// Takes brackets off: what is in them, when it is one chain, and no comment comes first.
    fn inside(&self, first: usize, last: usize, awaited: bool) -> Option<(usize, usize)> {
        let (mut first, last) = (first + 1, last.checked_sub(1)?);
        while awaited && self.token(first).kind == Kind::Await {
            first += 1;
        }
        (first <= last && !self.token(first).commented && self.is_chain(first, last)).then_some((first, last))
    }

    /// The call of what a chain names. Nothing when it names nothing.
    pub(super) fn called(&mut self, mut first: usize, mut last: usize) -> Option<()> {
        loop {
            let name = self.token(last);
            match name.kind {
                Kind::Name => {
                    let on = if first == last {
                        ReceiverExpr::Nothing
                    } else {
                        self.receiver(first, last.checked_sub(2)?)?
                    };
                    let text = self.text_of(name).to_owned();
                    self.gather.call(text, on, name.line, name.start as usize);
                    return Some(());
                }
                Kind::RoundEnd if name.pair as usize == first => match self.inside(first, last, false) {
                    Some(inside) => (first, last) = inside,
                    None => return Some(()),
                },
                _ => return Some(()),
            }
        }
    }

    /// What a chain is, as something that is called on.
    fn receiver(&mut self, mut first: usize, mut last: usize) -> Option<ReceiverExpr> {
        let mut field: Option<Token> = None;
        let on = loop {
            let token = self.token(last);
            if first == last {
                break match token.kind {
                    Kind::Name => named(self.text_of(token)),
                    _ => ReceiverExpr::Unknown,
                };
            }
            match token.kind {
                Kind::Name => {
                    if field.is_some() {
                        return Some(ReceiverExpr::Unknown);
                    }
                    field = Some(token);
                    last = last.checked_sub(2)?;
                }
                Kind::RoundEnd if token.pair as usize == first => match self.inside(first, last, true) {
                    Some(inside) => (first, last) = inside,
                    None => return Some(ReceiverExpr::Unknown),
                },
                Kind::RoundEnd if field.is_none() => {
                    let function = (token.pair as usize).checked_sub(1)?;
                    if first == function && self.text_of(self.token(first)) == "super" {
                        break ReceiverExpr::Super;
                    }
                    break self.made_by(first, function)?.map_or(ReceiverExpr::Unknown, ReceiverExpr::Made);
                }
                _ => return Some(ReceiverExpr::Unknown),
            }
        };
        let Some(field) = field else { return Some(on) };
        let name = self.text_of(field).to_owned();
        Some(match on {
            ReceiverExpr::Own => ReceiverExpr::Field(None, name),
            ReceiverExpr::Name(of) => ReceiverExpr::Field(Some(of), name),
            _ => ReceiverExpr::Unknown,
        })
    }

    /// The type that a call of this function makes, where its name says so.
    fn made_by(&mut self, first: usize, last: usize) -> Option<Option<String>> {
        let end = self.token(last);
        let plain = |number: usize| matches!(self.token(number).kind, Kind::Name | Kind::Dot);
        if end.kind == Kind::Name && (first..last).all(plain) {
            let name = self.text_of(end);
            return Some(types::capital(name).then(|| name.to_owned()));
        }
        let text = self.span(first, last);
        // A long chain is read again for each of its calls.
        self.left = self.left.checked_sub(text.len())?;
        Some(types::class(text))
    }

    /// The type of what a value makes: `Cart()`, `await shop.Cart()`.
    pub(super) fn made(&mut self, mut first: usize, mut last: usize) -> Option<Option<String>> {
        for _ in 0..4 {
            let token = self.token(first);
            match token.kind {
                Kind::Await => first += 1,
                Kind::Round if token.pair as usize == last => {
                    first += 1;
                    last = last.checked_sub(1)?;
                }
                _ => break,
            }
            if self.token(first).commented {
                return Some(None);
            }
        }
        let end = self.token(last);
        let call = end.kind == Kind::RoundEnd && end.pair as usize > first;
        if !call || !self.is_chain(first, last) {
            return Some(None);
        }
        self.made_by(first, end.pair as usize - 1)
    }
}

/// What a name is, as something that is called on.
fn named(name: &str) -> ReceiverExpr {
    match name {
        "self" | "this" | "cls" | "Self" | "static" => ReceiverExpr::Own,
        "super" | "base" | "parent" => ReceiverExpr::Super,
        _ => ReceiverExpr::Name(name.to_owned()),
    }
}
