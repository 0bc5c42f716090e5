//! Paths where a value is meant: names, macros' calls, structs that are made.

use super::Reader;
use super::expressions::Flags;
use super::operands::{On, Operand};
use super::token::{Bracket, Tok};

const CURLY: Tok = Tok::Open(Bracket::Curly);
const CURLY_END: Tok = Tok::Close(Bracket::Curly);

impl Reader<'_> {
    /// A path, a macro's call, or a struct that is made.
    pub(super) fn path(&mut self, flags: Flags) -> Option<Operand> {
        let first = self.at;
        let mut of = On::Nothing;
        let mut path = (0, 0);
        if self.kind() == Tok::Less {
            self.bracketed()?;
            of = On::Unknown;
        }
        self.eat(Tok::Colons);
        loop {
            let name = self.here();
            matches!(name.kind, Tok::Name | Tok::Own | Tok::Super | Tok::Crate).then_some(())?;
            self.bump();
            let until = self.at;
            let mut generic = false;
            if self.kind() == Tok::Colons && self.ahead(1) == Tok::Less {
                self.bump();
                self.type_arguments()?;
                generic = true;
            }
            if self.kind() == Tok::Colons {
                // All of it so far is the path of the name that comes.
                path = self.since(first);
                of = self.on_name(path);
                self.bump();
                self.wrap()?;
                continue;
            }
            if !generic && self.is_macro() {
                (name.kind == Tok::Name).then_some(())?;
                self.macro_call(name)?;
                return Some(Operand::OTHER);
            }
            if self.kind() == CURLY && !flags.head && name.kind == Tok::Name {
                self.made_here(first)?;
                return Some(Operand::OTHER);
            }
            if name.kind != Tok::Name {
                // `crate` and `super` are no values, unless a `::` is before them.
                (name.kind == Tok::Own || path.1 > 0).then_some(())?;
                if path.1 == 0 {
                    return Some(Operand::on(On::Own));
                }
            }
            let whole = (self.token(first).start, self.token(until - 1).end());
            let on = if generic { On::Unknown } else { self.on_name(whole) };
            let path = if generic { (0, 0) } else { path };
            return Some(Operand { callee: Some(name), of, on, path });
        }
    }

    /// The fields of a struct that is made; its name was taken.
    fn made_here(&mut self, first: usize) -> Option<()> {
        // Blocks of their own kind, whose names are free elsewhere.
        if self.at == first + 1 && matches!(self.word(self.token(first)), "try" | "gen") {
            return None;
        }
        self.bump();
        while !self.eat(CURLY_END) {
            if self.eat(Tok::Dots) {
                self.expression(Flags::default())?;
            } else {
                self.attributes()?;
                let number = self.eat(Tok::Number);
                if !number {
                    self.name()?;
                }
                if self.eat(Tok::Colon) {
                    self.expression(Flags::default())?;
                } else if number {
                    return None;
                }
            }
            self.comma_or(CURLY_END)?;
        }
        Some(())
    }
}
