//! Objects and what they hold.

use super::kind::Kind;
use super::read::{Begin, Reader};

impl Reader<'_> {
    /// An object.
    pub(super) fn object(&mut self) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        let around = std::mem::take(&mut self.mode);
        while self.kind() != Kind::CurlyClose {
            if self.eat(Kind::Spread) {
                self.expression()?;
            } else {
                self.entry()?;
            }
            if self.kind() != Kind::CurlyClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        self.mode = around;
        Some(())
    }

    /// What an object holds under a name: a value, a method, the variable of that name.
    fn entry(&mut self) -> Option<()> {
        let first = self.at;
        let mut name = first;
        loop {
            let word = match self.kind_at(name) {
                Kind::Star => true,
                Kind::Async | Kind::Get | Kind::Set => {
                    let next = self.kind_at(name + 1);
                    next.is_word()
                        || matches!(
                            next,
                            Kind::Star | Kind::Text | Kind::Number | Kind::SquareOpen | Kind::PrivateName
                        )
                }
                _ => false,
            };
            if !word {
                break;
            }
            if name > first && self.kind_at(name) != Kind::Star && self.kind_at(name - 1) != Kind::Async {
                return None;
            }
            name += 1;
            if self.newline(name) {
                return None;
            }
        }
        let after = self.after_name(name)?;
        match self.kind_at(after) {
            Kind::Colon if name == first => self.pair(first, after),
            Kind::RoundOpen | Kind::Less => self.method(first, name, after),
            Kind::Comma | Kind::CurlyClose if name == first && self.kind_at(name).is_name() => {
                self.at = after;
                Some(())
            }
            _ => None,
        }
    }

    /// `key: value`
    fn pair(&mut self, first: usize, colon: usize) -> Option<()> {
        if self.kind() == Kind::SquareOpen {
            self.computed_name()?;
            self.at = colon + 1;
            return self.expression().map(|_| ());
        }
        self.at = colon + 1;
        let Some(value) = self.function_value(self.at)? else { return self.plain_value() };
        let opened = self.begin(&Begin {
            kind: value.kind,
            name: (first, first),
            first,
            doc_line: self.token(first).line,
            head: first,
            body: Some(value.body),
        })?;
        self.expression()?;
        self.ends(&opened);
        Some(())
    }

    /// A value that makes no symbol.
    pub(super) fn plain_value(&mut self) -> Option<()> {
        self.expression()?;
        self.unless_wrapped()
    }

    /// The token after the name of a property.
    pub(super) fn after_name(&self, name: usize) -> Option<usize> {
        match self.kind_at(name) {
            Kind::SquareOpen => Some(self.after_pair(name)),
            Kind::Text | Kind::Number | Kind::PrivateName => Some(name + 1),
            kind => kind.is_word().then_some(name + 1),
        }
    }

    /// `[ … ]` as the name of a property.
    pub(super) fn computed_name(&mut self) -> Option<()> {
        self.need(Kind::SquareOpen)?;
        self.inside(Self::expression)?;
        self.need(Kind::SquareClose)
    }
}
