//! Patterns.

use super::Reader;
use super::token::{Bracket, Tok};

impl Reader<'_> {
    /// A pattern; `or` says that `|` is between two of them and not the end of a closure's parameters.
    pub(super) fn pattern(&mut self, or: bool) -> Option<()> {
        let outer = self.deeper()?;
        if or {
            self.eat(Tok::Or);
        }
        self.one_pattern()?;
        while or && self.eat(Tok::Or) {
            self.wrap()?;
            self.one_pattern()?;
        }
        self.back(outer);
        Some(())
    }

    fn one_pattern(&mut self) -> Option<()> {
        while matches!(self.kind(), Tok::Ref | Tok::Mut | Tok::And | Tok::AndAnd) {
            // `mut mut name` is no Rust, though the grammar knows it.
            (self.kind() != Tok::Mut || self.ahead(1) != Tok::Mut).then_some(())?;
            self.bump();
            self.wrap()?;
        }
        match self.kind() {
            Tok::Underscore => self.bump(),
            Tok::Literal | Tok::Number | Tok::Minus => {
                self.literal()?;
                self.maybe_range()?;
            }
            Tok::Dots | Tok::LongDots => {
                let long = self.kind() == Tok::LongDots;
                self.bump();
                if self.can_end_range() {
                    self.range_end()?;
                } else if long {
                    return None;
                }
            }
            Tok::Open(Bracket::Round) => self.patterns(Bracket::Round)?,
            Tok::Open(Bracket::Square) => self.patterns(Bracket::Square)?,
            Tok::Const => {
                self.bump();
                self.block()?;
            }
            Tok::Name if self.ahead(1) == Tok::At => {
                self.at += 2;
                let outer = self.deeper()?;
                self.one_pattern()?;
                self.back(outer);
            }
            _ => {
                let last = self.path_of_pattern()?;
                match self.kind() {
                    Tok::Open(Bracket::Round) => self.patterns(Bracket::Round)?,
                    Tok::Open(Bracket::Curly) => self.fields()?,
                    Tok::Bang => self.macro_call(self.token(last))?,
                    _ => self.maybe_range()?,
                }
            }
        }
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        if self.eat(Tok::Minus) {
            return matches!(self.kind(), Tok::Number | Tok::Literal).then(|| self.bump());
        }
        (self.eat(Tok::Literal) || self.eat(Tok::Number)).then_some(())
    }

    fn can_end_range(&self) -> bool {
        matches!(
            self.kind(),
            Tok::Literal
                | Tok::Number
                | Tok::Minus
                | Tok::Name
                | Tok::Own
                | Tok::Super
                | Tok::Crate
                | Tok::Colons
                | Tok::Less
        )
    }

    /// `..`, `..=9`, after the first of a range.
    fn maybe_range(&mut self) -> Option<()> {
        match self.kind() {
            Tok::LongDots => {
                self.bump();
                self.range_end()
            }
            Tok::Dots => {
                self.bump();
                if self.can_end_range() { self.range_end() } else { Some(()) }
            }
            _ => Some(()),
        }
    }

    fn range_end(&mut self) -> Option<()> {
        if matches!(self.kind(), Tok::Literal | Tok::Number | Tok::Minus) {
            return self.literal();
        }
        self.path_of_pattern()?;
        Some(())
    }

    /// A path; the number of its last name.
    fn path_of_pattern(&mut self) -> Option<usize> {
        if self.kind() == Tok::Less {
            self.bracketed()?;
        }
        self.eat(Tok::Colons);
        loop {
            matches!(self.kind(), Tok::Name | Tok::Own | Tok::Super | Tok::Crate).then_some(())?;
            let last = self.at;
            self.bump();
            if self.kind() == Tok::Colons && self.ahead(1) == Tok::Less {
                self.bump();
                self.type_arguments()?;
            }
            if !self.eat(Tok::Colons) {
                return (self.token(last).kind == Tok::Name).then_some(last);
            }
            self.wrap()?;
        }
    }

    /// Patterns between brackets.
    fn patterns(&mut self, bracket: Bracket) -> Option<()> {
        self.bump();
        while !self.eat(Tok::Close(bracket)) {
            self.pattern(true)?;
            self.comma_or(Tok::Close(bracket))?;
        }
        Some(())
    }

    /// `{ name, ref mut other, field: pattern, .. }`
    fn fields(&mut self) -> Option<()> {
        self.bump();
        while !self.eat(Tok::Close(Bracket::Curly)) {
            if !self.eat(Tok::Dots) {
                self.eat(Tok::Ref);
                self.eat(Tok::Mut);
                self.name()?;
                if self.eat(Tok::Colon) {
                    self.pattern(true)?;
                }
            }
            self.comma_or(Tok::Close(Bracket::Curly))?;
        }
        Some(())
    }
}
