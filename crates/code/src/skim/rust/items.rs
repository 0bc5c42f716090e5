//! Items: what is declared, with its head, its body and what it inherits from.

use super::Reader;
use super::expressions::Flags;
use super::token::{Bracket, Tok, Token};
use crate::extract::types;
use crate::facts::SymbolKind;

const ROUND: Tok = Tok::Open(Bracket::Round);
const ROUND_END: Tok = Tok::Close(Bracket::Round);
const CURLY: Tok = Tok::Open(Bracket::Curly);
const CURLY_END: Tok = Tok::Close(Bracket::Curly);

impl Reader<'_> {
    /// Items up to the token that ends them, which is taken.
    pub(super) fn declarations(&mut self, end: Tok) -> Option<()> {
        let outer = self.deeper()?;
        loop {
            match self.kind() {
                kind if kind == end => break,
                Tok::Semicolon => self.bump(),
                Tok::Hash => self.attribute()?,
                _ if self.begins_item() => self.item()?,
                _ => self.macro_item()?,
            }
        }
        self.bump();
        self.back(outer);
        Some(())
    }

    /// `path!(…)` among items.
    fn macro_item(&mut self) -> Option<()> {
        self.eat(Tok::Colons);
        loop {
            let name = self.here();
            matches!(name.kind, Tok::Name | Tok::Crate | Tok::Own | Tok::Super).then_some(())?;
            self.bump();
            if self.kind() == Tok::Bang && name.kind == Tok::Name {
                return self.macro_call(name);
            }
            self.expect(Tok::Colons)?;
        }
    }

    /// True when an item begins here, in a block too.
    pub(super) fn begins_item(&self) -> bool {
        let next = self.ahead(1);
        match self.kind() {
            Tok::Pub
            | Tok::Fn
            | Tok::Struct
            | Tok::Enum
            | Tok::Trait
            | Tok::Impl
            | Tok::Mod
            | Tok::Use
            | Tok::Type
            | Tok::Extern => true,
            Tok::Const => next != CURLY,
            Tok::Static => !matches!(next, Tok::Move | Tok::Or | Tok::OrOr | Tok::Async),
            Tok::Unsafe => next != CURLY,
            Tok::Async => matches!(next, Tok::Fn | Tok::Unsafe | Tok::Extern),
            Tok::Name => match next {
                Tok::Name => self.is_word("union"),
                Tok::Bang => self.is_word("macro_rules") && self.ahead(2) == Tok::Name,
                Tok::Fn | Tok::Async | Tok::Unsafe | Tok::Const | Tok::Extern => self.is_word("default"),
                _ => false,
            },
            _ => false,
        }
    }

    /// `pub`, `pub(crate)`, `pub(in path)`; true when there is one.
    fn visibility(&mut self) -> Option<bool> {
        if !self.eat(Tok::Pub) {
            return Some(false);
        }
        if self.kind() == ROUND {
            match self.ahead(1) {
                Tok::In => {
                    self.at += 2;
                    self.plain_path()?;
                    self.expect(ROUND_END)?;
                }
                Tok::Own | Tok::Super | Tok::Crate if self.ahead(2) == ROUND_END => self.skip_brackets()?,
                _ => {}
            }
        }
        Some(true)
    }

    /// Names between colons.
    fn plain_path(&mut self) -> Option<()> {
        self.eat(Tok::Colons);
        loop {
            matches!(self.kind(), Tok::Name | Tok::Own | Tok::Super | Tok::Crate).then_some(())?;
            self.bump();
            if !self.eat(Tok::Colons) {
                return Some(());
            }
        }
    }

    /// An item.
    pub(super) fn item(&mut self) -> Option<()> {
        let first = self.at;
        let public = self.visibility()?;
        match self.kind() {
            Tok::Fn | Tok::Async => self.function(first),
            Tok::Const if matches!(self.ahead(1), Tok::Name | Tok::Underscore) => self.constant(first),
            Tok::Const => self.function(first),
            Tok::Static => self.constant(first),
            Tok::Struct => self.structure(first),
            Tok::Enum => self.enumeration(first),
            Tok::Type => self.alias(first, public),
            Tok::Mod => self.module(first),
            Tok::Use => {
                self.bump();
                self.use_tree(public)
            }
            Tok::Trait => self.interface(first),
            Tok::Impl if !public => self.implementation(first),
            Tok::Unsafe => match self.ahead(1) {
                Tok::Trait => {
                    self.bump();
                    self.interface(first)
                }
                Tok::Impl if !public => {
                    self.bump();
                    self.implementation(first)
                }
                Tok::Extern if !public && self.is_foreign(2) => {
                    self.bump();
                    self.foreign()
                }
                _ => self.function(first),
            },
            Tok::Extern if self.ahead(1) == Tok::Crate => self.external(),
            Tok::Extern if !public && self.is_foreign(1) => self.foreign(),
            Tok::Extern => self.function(first),
            Tok::Name => match self.ahead(1) {
                Tok::Name if self.is_word("union") => self.union(first),
                Tok::Bang if !public => self.macro_rules(first),
                _ => self.function(first),
            },
            _ => None,
        }
    }

    fn function(&mut self, first: usize) -> Option<()> {
        loop {
            match self.kind() {
                Tok::Async | Tok::Const | Tok::Unsafe => self.bump(),
                Tok::Name if self.is_word("default") => self.bump(),
                Tok::Extern => {
                    self.bump();
                    self.eat(Tok::Literal);
                }
                _ => break,
            }
        }
        self.expect(Tok::Fn)?;
        self.open_named(SymbolKind::Function, first)?;
        self.maybe_type_parameters()?;
        self.parameters()?;
        self.maybe_result()?;
        self.maybe_where()?;
        if self.kind() == Tok::Semicolon {
            return self.bare();
        }
        self.headed_here();
        self.block()?;
        self.close();
        Some(())
    }

    /// `const NAME: Type = value;`, `static mut NAME: Type = value;`
    fn constant(&mut self, first: usize) -> Option<()> {
        if self.eat(Tok::Static) {
            self.eat(Tok::Ref);
            self.eat(Tok::Mut);
        } else {
            self.bump();
        }
        let name = self.here();
        matches!(name.kind, Tok::Name | Tok::Underscore).then_some(())?;
        self.bump();
        let inner = self.gather.enclosing().in_function;
        if !inner {
            self.open(SymbolKind::Constant, first, self.word(name).to_owned(), name.line);
        }
        self.expect(Tok::Colon)?;
        self.full_type()?;
        if self.eat(Tok::Equals) {
            self.expression(Flags::default())?;
        }
        if inner {
            return self.expect(Tok::Semicolon);
        }
        self.bare()
    }

    fn structure(&mut self, first: usize) -> Option<()> {
        self.bump();
        self.open_named(SymbolKind::Struct, first)?;
        self.maybe_type_parameters()?;
        match self.kind() {
            Tok::Semicolon => return self.bare(),
            ROUND => {
                self.headed_here();
                self.ordered_fields()?;
                self.maybe_where()?;
                self.expect(Tok::Semicolon)?;
            }
            _ => {
                self.maybe_where()?;
                self.headed_here();
                self.named_fields()?;
            }
        }
        self.close();
        Some(())
    }

    fn union(&mut self, first: usize) -> Option<()> {
        self.bump();
        self.open_named(SymbolKind::Struct, first)?;
        self.maybe_type_parameters()?;
        self.maybe_where()?;
        self.headed_here();
        self.named_fields()?;
        self.close();
        Some(())
    }

    /// `{ name: Type, … }`
    fn named_fields(&mut self) -> Option<()> {
        self.expect(CURLY)?;
        while !self.eat(CURLY_END) {
            self.attributes()?;
            self.visibility()?;
            let name = self.name()?;
            self.expect(Tok::Colon)?;
            let of = self.full_type()?;
            let of = types::base(self.span(of));
            if !of.is_empty() {
                self.gather.field_is(self.word(name), of);
            }
            self.comma_or(CURLY_END)?;
        }
        Some(())
    }

    /// `(Type, …)`
    fn ordered_fields(&mut self) -> Option<()> {
        self.expect(ROUND)?;
        while !self.eat(ROUND_END) {
            self.attributes()?;
            self.visibility()?;
            self.full_type()?;
            self.comma_or(ROUND_END)?;
        }
        Some(())
    }

    fn enumeration(&mut self, first: usize) -> Option<()> {
        self.bump();
        self.open_named(SymbolKind::Enum, first)?;
        self.maybe_type_parameters()?;
        self.maybe_where()?;
        self.headed_here();
        self.expect(CURLY)?;
        while !self.eat(CURLY_END) {
            self.attributes()?;
            self.visibility()?;
            self.name()?;
            match self.kind() {
                CURLY => self.named_fields()?,
                ROUND => self.ordered_fields()?,
                _ => {}
            }
            if self.eat(Tok::Equals) {
                self.expression(Flags::default())?;
            }
            self.comma_or(CURLY_END)?;
        }
        self.close();
        Some(())
    }

    /// `type Name = Type;`, and in traits `type Name: Bound;`
    fn alias(&mut self, first: usize, public: bool) -> Option<()> {
        self.bump();
        self.open_named(SymbolKind::Type, first)?;
        self.maybe_type_parameters()?;
        let bound = self.kind() == Tok::Colon;
        if bound {
            self.bounds()?;
        }
        self.maybe_where()?;
        if self.kind() == Tok::Equals {
            (!bound).then_some(())?;
            self.bump();
            self.full_type()?;
            self.maybe_where()?;
        } else {
            (!public).then_some(())?;
        }
        self.bare()
    }

    fn module(&mut self, first: usize) -> Option<()> {
        self.bump();
        // `mod name;` is where a file is named, not what is in it.
        if self.ahead(1) == Tok::Semicolon {
            self.name()?;
            self.bump();
            return Some(());
        }
        self.open_named(SymbolKind::Module, first)?;
        self.headed_here();
        self.expect(CURLY)?;
        self.declarations(CURLY_END)?;
        self.close();
        Some(())
    }

    fn interface(&mut self, first: usize) -> Option<()> {
        self.expect(Tok::Trait)?;
        self.open_named(SymbolKind::Trait, first)?;
        self.maybe_type_parameters()?;
        if self.kind() == Tok::Colon {
            let from = self.at;
            self.bounds()?;
            self.inherits(self.since(from));
        }
        self.maybe_where()?;
        self.headed_here();
        self.expect(CURLY)?;
        self.declarations(CURLY_END)?;
        self.close();
        Some(())
    }

    fn implementation(&mut self, first: usize) -> Option<()> {
        let seen = (self.calls, self.typed.len());
        self.expect(Tok::Impl)?;
        self.maybe_type_parameters()?;
        let never = self.eat(Tok::Bang);
        let mut from = self.at;
        let mut of = self.full_type()?;
        let mut inherits = None;
        if self.eat(Tok::For) {
            inherits = Some(of);
            from = self.at;
            of = self.full_type()?;
        } else if never {
            return None;
        }
        // These would be inside a symbol that is not open yet.
        (seen == (self.calls, self.typed.len())).then_some(())?;
        self.open(SymbolKind::Impl, first, types::base(self.span(of)), self.token(from).line);
        if let Some(list) = inherits {
            self.inherits(list);
        }
        self.maybe_where()?;
        if self.kind() == Tok::Semicolon {
            return self.bare();
        }
        self.headed_here();
        self.expect(CURLY)?;
        self.declarations(CURLY_END)?;
        self.close();
        Some(())
    }

    /// True when what follows `extern` is a block and no function.
    fn is_foreign(&self, by: usize) -> bool {
        self.ahead(by) == CURLY || self.ahead(by) == Tok::Literal && self.ahead(by + 1) == CURLY
    }

    /// `extern "C" { … }`
    fn foreign(&mut self) -> Option<()> {
        self.bump();
        self.eat(Tok::Literal);
        self.expect(CURLY)?;
        self.declarations(CURLY_END)
    }

    /// `extern crate name as other;`
    fn external(&mut self) -> Option<()> {
        self.at += 2;
        (self.eat(Tok::Name) || self.eat(Tok::Own)).then_some(())?;
        if self.eat(Tok::As) {
            (self.eat(Tok::Name) || self.eat(Tok::Underscore)).then_some(())?;
        }
        self.expect(Tok::Semicolon)
    }

    /// `macro_rules! name { … }`
    fn macro_rules(&mut self, first: usize) -> Option<()> {
        self.joined(self.at).then_some(())?;
        self.at += 2;
        let name: Token = self.here();
        self.open_named(SymbolKind::Macro, first)?;
        self.headed(name.end());
        let curly = self.kind() == CURLY;
        self.macro_rule_list()?;
        if !curly {
            self.expect(Tok::Semicolon)?;
        }
        self.close();
        Some(())
    }
}
