//! Blocks, statements, and the expressions that end with a block.

use super::Reader;
use super::expressions::Flags;
use super::operands::Operand;
use super::token::{Bracket, Tok};

const CURLY: Tok = Tok::Open(Bracket::Curly);
const CURLY_END: Tok = Tok::Close(Bracket::Curly);

impl Reader<'_> {
    /// A block in braces.
    pub(super) fn block(&mut self) -> Option<()> {
        let outer = self.deeper()?;
        self.expect(CURLY)?;
        while !self.eat(CURLY_END) {
            self.statement()?;
        }
        self.back(outer);
        Some(())
    }

    fn statement(&mut self) -> Option<()> {
        match self.kind() {
            Tok::Semicolon => {
                self.bump();
                Some(())
            }
            Tok::Hash => self.attribute(),
            Tok::Let => self.binding(),
            _ if self.begins_item() => self.item(),
            _ if self.begins_block() => {
                self.with_block()?;
                if self.goes_on()? {
                    return self.rest_of_statement(Operand::OTHER);
                }
                self.eat(Tok::Semicolon);
                Some(())
            }
            _ => self.plain_statement(),
        }
    }

    /// A statement that begins with a value.
    fn plain_statement(&mut self) -> Option<()> {
        let first = self.at;
        self.expression(Flags::default())?;
        if self.eat(Tok::Semicolon) || self.kind() == CURLY_END {
            return Some(());
        }
        // A macro's call is a statement by itself; what follows it must not look like a part of it.
        let (bang, last) = (self.macro_bang(first)?, self.at.checked_sub(1)?);
        (self.token(bang + 1).closed_by() == last).then_some(())
    }

    /// The number of the `!` of a macro whose path begins here.
    fn macro_bang(&self, first: usize) -> Option<usize> {
        let mut at = first;
        while matches!(self.token(at).kind, Tok::Name | Tok::Colons | Tok::Crate | Tok::Own | Tok::Super) {
            at += 1;
        }
        (self.token(at).kind == Tok::Bang).then_some(at)
    }

    fn rest_of_statement(&mut self, value: Operand) -> Option<()> {
        let value = self.after(value)?;
        self.more(value, Flags::default())?;
        (self.eat(Tok::Semicolon) || self.kind() == CURLY_END).then_some(())
    }

    /// After a block: whether the expression goes on with a field or a question mark. What else could be either an
    /// operator or a new beginning is a new beginning.
    fn goes_on(&self) -> Option<bool> {
        match self.kind() {
            Tok::Dot | Tok::Question => Some(true),
            Tok::Between
            | Tok::As
            | Tok::AndAnd
            | Tok::OrOr
            | Tok::Plus
            | Tok::Equals
            | Tok::Greater
            | Tok::Dots
            | Tok::LongDots => None,
            _ => Some(false),
        }
    }

    /// `let pattern: Type = value else { … };`
    fn binding(&mut self) -> Option<()> {
        self.bump();
        let plain = self.at + usize::from(self.kind() == Tok::Mut);
        let name = self.token(plain);
        let named = name.kind == Tok::Name && matches!(self.token(plain + 1).kind, Tok::Colon | Tok::Equals);
        if named {
            self.at = plain + 1;
            if self.kind() == Tok::Colon {
                self.typed_as(name)?;
            } else {
                self.bump();
                if let Some(of) = self.made_ahead().filter(|of| !of.is_empty()) {
                    self.gather.variable_is(self.word(name), of);
                }
                self.at -= 1;
            }
        } else {
            self.pattern(true)?;
            if self.kind() == Tok::Colon {
                self.typed_as(super::Token::END)?;
            }
        }
        if self.eat(Tok::Equals) {
            self.expression(Flags::default())?;
        }
        if self.eat(Tok::Else) {
            self.block()?;
        }
        self.expect(Tok::Semicolon)
    }

    /// True when an expression that ends with a block begins here.
    pub(super) fn begins_block(&self) -> bool {
        match self.kind() {
            CURLY | Tok::If | Tok::Match | Tok::While | Tok::Loop | Tok::For => true,
            Tok::Unsafe | Tok::Const => self.ahead(1) == CURLY,
            Tok::Async => self.ahead(1) == CURLY || self.ahead(1) == Tok::Move && self.ahead(2) == CURLY,
            Tok::Lifetime => self.ahead(1) == Tok::Colon,
            _ => false,
        }
    }

    /// An expression that ends with a block.
    pub(super) fn with_block(&mut self) -> Option<()> {
        let outer = self.deeper()?;
        if self.eat(Tok::Lifetime) {
            self.expect(Tok::Colon)?;
            matches!(self.kind(), CURLY | Tok::While | Tok::Loop | Tok::For).then_some(())?;
        }
        match self.kind() {
            CURLY => self.block()?,
            Tok::Unsafe | Tok::Const | Tok::Loop => {
                self.bump();
                self.block()?;
            }
            Tok::Async => {
                self.bump();
                self.eat(Tok::Move);
                self.block()?;
            }
            Tok::If => self.branches()?,
            Tok::While => {
                self.bump();
                self.expression(Flags::CONDITION)?;
                self.block()?;
            }
            Tok::For => {
                self.bump();
                self.pattern(true)?;
                self.expect(Tok::In)?;
                self.expression(Flags::HEAD)?;
                self.block()?;
            }
            Tok::Match => {
                self.bump();
                self.expression(Flags::HEAD)?;
                self.arms()?;
            }
            _ => return None,
        }
        self.back(outer);
        Some(())
    }

    /// `if a { … } else if b { … } else { … }`
    fn branches(&mut self) -> Option<()> {
        let depth = self.depth;
        loop {
            self.expect(Tok::If)?;
            self.expression(Flags::CONDITION)?;
            self.block()?;
            if !self.eat(Tok::Else) {
                break;
            }
            if self.kind() != Tok::If {
                self.block()?;
                break;
            }
            // Each is inside the one before it.
            self.depth += 2;
        }
        self.depth = depth;
        Some(())
    }

    /// The arms of a `match`.
    fn arms(&mut self) -> Option<()> {
        self.expect(CURLY)?;
        while !self.eat(CURLY_END) {
            self.attributes()?;
            self.pattern(true)?;
            if self.kind() == Tok::If {
                self.bump();
                self.expression(Flags::GUARD)?;
            }
            self.expect(Tok::FatArrow)?;
            if self.begins_block() {
                self.with_block()?;
                if !self.goes_on()? {
                    self.eat(Tok::Comma);
                    continue;
                }
                let value = self.after(Operand::OTHER)?;
                self.more(value, Flags::default())?;
            } else {
                self.expression(Flags::default())?;
            }
            self.comma_or(CURLY_END)?;
        }
        Some(())
    }
}
