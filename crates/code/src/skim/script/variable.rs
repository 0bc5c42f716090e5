//! Variables, with the types that they are known to have, and what is brought in by `require`.

use super::kind::Kind;
use super::module::unquoted;
use super::read::{Begin, Reader};
use crate::extract::declare;

impl Reader<'_> {
    pub(super) fn variable_statement(&mut self, outer: Option<u32>) -> Option<()> {
        let types = self.variables(outer)?;
        self.semicolon(types)
    }

    /// `const a = 1, b: B`; whether it ends with a type.
    pub(super) fn variables(&mut self, outer: Option<u32>) -> Option<bool> {
        let outer = Some(self.doc_line(self.at, outer));
        self.at += 1;
        loop {
            let types = self.variable(outer)?;
            if !self.eat(Kind::Comma) {
                return Some(types);
            }
        }
    }

    fn variable(&mut self, outer: Option<u32>) -> Option<bool> {
        let first = self.at;
        let pattern = matches!(self.kind(), Kind::SquareOpen | Kind::CurlyOpen);
        let name = (!pattern).then_some(first);
        let after_name = if pattern { self.after_pair(first) } else { first + 1 };
        if !pattern && (!self.kind().is_name() || self.kind() == Kind::Yield) {
            return None;
        }
        let sure = usize::from(self.typed && !pattern && self.kind_at(after_name) == Kind::Bang);
        let colon = after_name + sure;
        // What is told of the variable comes before what is in its type and its value.
        let mut value = colon;
        let is_typed = self.typed && self.kind_at(colon) == Kind::Colon;
        if is_typed {
            value = self.look(colon + 1, Self::type_)?;
            if let Some(name) = name {
                let text = self.bytes(self.token(colon).start, self.token(value - 1).end);
                self.value_is(name, text, false);
            }
        }
        let has_value = self.kind_at(value) == Kind::Assign;
        if !has_value && pattern && !self.mode.no_in && !is_typed {
            return None;
        }
        if sure == 1 && (has_value || !is_typed) {
            return None;
        }
        let mut opened = None;
        if has_value {
            if let Some(name) = name.filter(|_| !is_typed)
                && let Some((from, to)) = self.made(value + 1)?
            {
                self.value_is(name, self.bytes(from, to), false);
            }
            self.required(first, value + 1);
        }
        let mut is_function = pattern;
        if let Some(name) = name {
            let function = if has_value { self.function_value(value + 1)? } else { None };
            is_function = function.is_some();
            let around = self.gather.enclosing();
            if function.is_some() || !around.in_function && !around.in_type {
                opened = Some(self.begin(&Begin {
                    kind: function.as_ref().map_or_else(|| declare::value(self.text(name)), |f| f.kind),
                    name: (name, name),
                    first,
                    doc_line: self.doc_line(first, outer),
                    head: first,
                    body: function.map(|function| function.body),
                })?);
            }
        }
        if pattern {
            self.taken_apart()?;
        }
        self.at = colon;
        if is_typed {
            self.at += 1;
            self.type_()?;
        }
        if has_value {
            self.at = value + 1;
            self.expression()?;
            if !is_function {
                self.unless_wrapped()?;
            }
        }
        if let Some(opened) = opened {
            self.ends(&opened);
        }
        Some(is_typed && !has_value)
    }

    /// `const { pay } = require("./cart")`, `const cart = require("./cart")`.
    fn required(&mut self, name: usize, value: usize) {
        let is = self.kind_at(value) == Kind::Require
            && self.kind_at(value + 1) == Kind::RoundOpen
            && self.kind_at(value + 2) == Kind::Text
            && !self.token(value + 2).comment
            && self.stops(self.after_pair(value + 1));
        if !is {
            return;
        }
        let module = unquoted(self.text(value + 2));
        let line = self.token(name).line;
        match self.kind_at(name) {
            Kind::CurlyOpen => {}
            Kind::SquareOpen => return,
            _ => return self.brings(line, module, "", self.text(name), false),
        }
        let close = self.token(name).pair as usize;
        let mut at = name + 1;
        while at < close {
            let key = at;
            let Some(after) = self.after_name(key) else { return };
            // Up to the comma that ends this part.
            let mut end = after;
            while end < close && self.kind_at(end) != Kind::Comma {
                let pair = self.token(end).pair as usize;
                let opens = matches!(
                    self.kind_at(end),
                    Kind::RoundOpen | Kind::SquareOpen | Kind::CurlyOpen | Kind::TemplateHead | Kind::TagOpen
                );
                end = if opens { pair + 1 } else { end + 1 };
            }
            let text = |from: usize, to: usize| {
                let last = self.token(to.saturating_sub(1));
                self.bytes(self.token(from).start, last.end)
            };
            match self.kind_at(after) {
                Kind::Comma | Kind::CurlyClose => {
                    let name = self.text(key);
                    self.brings(line, module, name, name, false);
                }
                Kind::Colon => {
                    let (name, alias) = (text(key, after), text(after + 1, end));
                    self.brings(line, module, name, alias, false);
                }
                _ => {}
            }
            at = end + 1;
        }
    }
}
