//! Types, generics, bounds and parameters.

use super::token::{Bracket, Tok, Token};
use super::{Reader, Span};
use crate::extract::types;

const ROUND: Tok = Tok::Open(Bracket::Round);
const ROUND_END: Tok = Tok::Close(Bracket::Round);

impl Reader<'_> {
    /// A type with what is added to it; its text.
    pub(super) fn full_type(&mut self) -> Option<Span> {
        let first = self.at;
        self.one_type()?;
        while self.eat(Tok::Plus) {
            self.wrap()?;
            self.one_type()?;
        }
        Some(self.since(first))
    }

    /// A type; a `+` after it is not its own.
    pub(super) fn one_type(&mut self) -> Option<()> {
        let outer = self.deeper()?;
        loop {
            match self.kind() {
                Tok::And | Tok::AndAnd => {
                    self.bump();
                    self.eat(Tok::Lifetime);
                    self.eat(Tok::Mut);
                }
                Tok::Star => {
                    self.bump();
                    (self.eat(Tok::Const) || self.eat(Tok::Mut)).then_some(())?;
                }
                Tok::Question | Tok::Impl | Tok::Dyn => self.bump(),
                Tok::For => {
                    self.bump();
                    self.type_parameters()?;
                }
                _ => break,
            }
            self.wrap()?;
        }
        match self.kind() {
            Tok::Bang | Tok::Underscore | Tok::Lifetime => self.bump(),
            ROUND => {
                self.bump();
                while !self.eat(ROUND_END) {
                    self.full_type()?;
                    self.comma_or(ROUND_END)?;
                }
            }
            Tok::Open(Bracket::Square) => {
                self.bump();
                self.full_type()?;
                if self.eat(Tok::Semicolon) {
                    self.expression(super::expressions::Flags::default())?;
                }
                self.expect(Tok::Close(Bracket::Square))?;
            }
            Tok::Fn | Tok::Unsafe | Tok::Extern => {
                self.eat(Tok::Unsafe);
                if self.eat(Tok::Extern) {
                    self.eat(Tok::Literal);
                }
                self.expect(Tok::Fn)?;
                self.parameters_of_type()?;
            }
            // `impl Trait + use<'a, T>`
            Tok::Use => {
                self.bump();
                self.expect(Tok::Less)?;
                while !self.eat(Tok::Greater) {
                    (self.eat(Tok::Lifetime) || self.eat(Tok::Name)).then_some(())?;
                    self.comma_or(Tok::Greater)?;
                }
            }
            _ => self.path_of_type()?,
        }
        self.back(outer);
        Some(())
    }

    /// A comma, or the end that is left to be taken.
    pub(super) fn comma_or(&mut self, end: Tok) -> Option<()> {
        (self.eat(Tok::Comma) || self.kind() == end).then_some(())
    }

    /// `<Type as Trait>`, its `<` is next.
    pub(super) fn bracketed(&mut self) -> Option<()> {
        self.expect(Tok::Less)?;
        self.full_type()?;
        if self.eat(Tok::As) {
            self.full_type()?;
        }
        self.expect(Tok::Greater)?;
        (self.kind() == Tok::Colons).then_some(())
    }

    /// A type that is named: a path with arguments, a function's trait, a macro.
    fn path_of_type(&mut self) -> Option<()> {
        if self.kind() == Tok::Less {
            self.bracketed()?;
        }
        self.eat(Tok::Colons);
        loop {
            let name = self.here();
            matches!(name.kind, Tok::Name | Tok::Own | Tok::Super | Tok::Crate).then_some(())?;
            self.bump();
            match self.kind() {
                Tok::Less => self.type_arguments()?,
                ROUND => {
                    self.parameters_of_type()?;
                    return Some(());
                }
                Tok::Bang if self.is_macro() => return self.macro_call(name),
                Tok::Colons if self.ahead(1) == Tok::Less => {
                    self.bump();
                    self.type_arguments()?;
                    // The grammar knows them only before another name.
                    (self.kind() == Tok::Colons).then_some(())?;
                }
                _ => {}
            }
            if !self.eat(Tok::Colons) {
                return (name.kind == Tok::Name).then_some(());
            }
            self.wrap()?;
        }
    }

    /// `<A, 'b, Item = C, 3, { N }>`
    pub(super) fn type_arguments(&mut self) -> Option<()> {
        self.expect(Tok::Less)?;
        loop {
            match self.kind() {
                Tok::Literal | Tok::Number => self.bump(),
                Tok::Open(Bracket::Curly) => self.block()?,
                _ => {
                    self.full_type()?;
                    if self.kind() == Tok::Colon {
                        self.bounds()?;
                    } else if self.eat(Tok::Equals) {
                        self.full_type()?;
                    }
                }
            }
            self.comma_or(Tok::Greater)?;
            if self.eat(Tok::Greater) {
                return Some(());
            }
        }
    }

    /// `: A + 'b`
    pub(super) fn bounds(&mut self) -> Option<()> {
        self.expect(Tok::Colon)?;
        self.full_type()?;
        Some(())
    }

    /// `<'a, T: Bound = Default, const N: usize = 3>`
    pub(super) fn type_parameters(&mut self) -> Option<()> {
        self.expect(Tok::Less)?;
        loop {
            self.attributes()?;
            if self.eat(Tok::Const) {
                self.name()?;
                self.expect(Tok::Colon)?;
                self.full_type()?;
                if self.eat(Tok::Equals) {
                    match self.kind() {
                        Tok::Open(Bracket::Curly) => self.block()?,
                        Tok::Minus if self.ahead(1) == Tok::Number => self.at += 2,
                        Tok::Name | Tok::Literal | Tok::Number => self.bump(),
                        _ => return None,
                    }
                }
            } else {
                let named = self.eat(Tok::Name);
                (named || self.eat(Tok::Lifetime)).then_some(())?;
                if self.kind() == Tok::Colon {
                    self.bounds()?;
                }
                if named && self.eat(Tok::Equals) {
                    self.full_type()?;
                }
            }
            self.comma_or(Tok::Greater)?;
            if self.eat(Tok::Greater) {
                return Some(());
            }
        }
    }

    /// `<…>` where there may be some.
    pub(super) fn maybe_type_parameters(&mut self) -> Option<()> {
        if self.kind() == Tok::Less { self.type_parameters() } else { Some(()) }
    }

    /// `where T: Bound, …` where there may be some.
    pub(super) fn maybe_where(&mut self) -> Option<()> {
        if !self.eat(Tok::Where) {
            return Some(());
        }
        while !matches!(self.kind(), Tok::Open(Bracket::Curly) | Tok::Semicolon | Tok::Equals) {
            let (calls, kind) = (self.calls, self.kind());
            // What the grammar does not know there.
            let odd = matches!(kind, Tok::Impl | Tok::Dyn | Tok::Fn | Tok::Bang | Tok::Question);
            (!odd).then_some(())?;
            self.one_type()?;
            (calls == self.calls).then_some(())?;
            self.bounds()?;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Some(())
    }

    /// `-> Type` where there is one.
    pub(super) fn maybe_result(&mut self) -> Option<()> {
        if self.eat(Tok::Arrow) {
            self.full_type()?;
        }
        Some(())
    }

    /// What a function's type takes and gives; names are free there.
    fn parameters_of_type(&mut self) -> Option<()> {
        self.expect(ROUND)?;
        while !self.eat(ROUND_END) {
            if self.kind() == Tok::Hash {
                self.attribute()?;
            }
            let name = self.here();
            if self.eat(Tok::LongDots) {
                // `...`
            } else if matches!(name.kind, Tok::Name | Tok::Underscore | Tok::Own)
                && self.ahead(1) == Tok::Colon
            {
                self.bump();
                self.typed_as(name)?;
            } else {
                self.full_type()?;
            }
            self.comma_or(ROUND_END)?;
        }
        // What a function gives takes no `+` of what is around it.
        if self.eat(Tok::Arrow) {
            self.one_type()?;
        }
        Some(())
    }

    /// `: Type` of a variable whose name was taken; the name counts from here on.
    pub(super) fn typed_as(&mut self, name: Token) -> Option<()> {
        self.expect(Tok::Colon)?;
        if self.eat(Tok::LongDots) {
            return Some(());
        }
        let (first, seen, lookups) = (self.at, self.typed.len(), self.lookups);
        let of = self.full_type()?;
        // The tree says the type first: what is called in it would know of it.
        (lookups == self.lookups).then_some(())?;
        let text = self.word(name);
        // The tree says the outer one first: of two with one name, the inner one counts in the end.
        let again = self.typed.get(seen..)?.iter().any(|inner| self.span(*inner) == text);
        if again {
            let types_only =
                !(first..self.at).any(|number| self.token(number).kind == Tok::Open(Bracket::Curly));
            types_only.then_some(())?;
        }
        self.typed.push((name.start, name.end()));
        if name.kind == Tok::Name && !again {
            let of = types::base(self.span(of));
            if !of.is_empty() {
                self.gather.variable_is(text, of);
            }
        }
        Some(())
    }

    /// The parameters of a function that is declared.
    pub(super) fn parameters(&mut self) -> Option<()> {
        self.expect(ROUND)?;
        while !self.eat(ROUND_END) {
            if self.kind() == Tok::Hash {
                self.attribute()?;
            }
            if !self.own_parameter() && !self.eat(Tok::LongDots) {
                self.parameter(true)?;
            }
            self.comma_or(ROUND_END)?;
        }
        Some(())
    }

    /// `self`, `&'a mut self`; taken when it is one without a type.
    fn own_parameter(&mut self) -> bool {
        let from = self.at;
        if self.eat(Tok::And) {
            self.eat(Tok::Lifetime);
        }
        self.eat(Tok::Mut);
        if self.eat(Tok::Own) && matches!(self.kind(), Tok::Comma | ROUND_END) {
            return true;
        }
        self.at = from;
        false
    }

    /// `pattern: Type`, of a function; of a closure the type may be missing.
    pub(super) fn parameter(&mut self, typed: bool) -> Option<()> {
        let plain = self.at + usize::from(self.kind() == Tok::Mut);
        let name = self.token(plain);
        if matches!(name.kind, Tok::Name | Tok::Own) && self.token(plain + 1).kind == Tok::Colon {
            self.at = plain + 1;
            return self.typed_as(name);
        }
        self.pattern(typed)?;
        if self.kind() == Tok::Colon {
            return self.typed_as(Token::END);
        }
        (!typed).then_some(())
    }
}
