//! Expressions: no tree and no ranks of operators, only what is called, and on what.

use super::Reader;
use super::operands::{On, Operand};
use super::token::{Bracket, Tok};

/// Where an expression is.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    /// A brace after a name begins a block: in the heads of `if`, `while`, `for` and `match`.
    pub head: bool,
    /// `let` may stand before a value.
    pub condition: bool,
    /// Something is before it that could be called when it ends: a closure, a `return`.
    pub inside: bool,
}

impl Flags {
    /// The head of a `for` or a `match`.
    pub(super) const HEAD: Self = Self { head: true, condition: false, inside: false };
    /// The condition of an `if` or a `while`.
    pub(super) const CONDITION: Self = Self { head: true, condition: true, inside: false };
    /// The condition of an arm.
    pub(super) const GUARD: Self = Self { head: false, condition: true, inside: false };
}

const ROUND: Tok = Tok::Open(Bracket::Round);
const ROUND_END: Tok = Tok::Close(Bracket::Round);
const SQUARE: Tok = Tok::Open(Bracket::Square);
const SQUARE_END: Tok = Tok::Close(Bracket::Square);
const CURLY: Tok = Tok::Open(Bracket::Curly);

impl Reader<'_> {
    /// An expression.
    pub(super) fn expression(&mut self, flags: Flags) -> Option<Operand> {
        let outer = self.deeper()?;
        let first = self.operand(flags)?;
        let whole = self.more(first, flags)?;
        self.back(outer);
        Some(whole)
    }

    /// What comes after the first value: operators and their values.
    pub(super) fn more(&mut self, mut value: Operand, mut flags: Flags) -> Option<Operand> {
        loop {
            let (number, operator) = (self.at, self.here());
            match operator.kind {
                Tok::As => {
                    self.bump();
                    self.one_type()?;
                }
                Tok::Dots => {
                    self.bump();
                    if self.can_follow_dots(flags)? {
                        self.right(flags)?;
                    }
                }
                Tok::Less => {
                    self.bump();
                    // `<<`, `<<=`
                    let joined = self.joined(number);
                    if joined && (self.kind() == Tok::Less || self.is_joint("<=")) {
                        self.bump();
                    }
                    self.right(flags)?;
                }
                Tok::Greater => {
                    self.bump();
                    // `>>`, `>=`, `>>=`
                    if self.joined(number) {
                        self.eat(Tok::Greater);
                    }
                    if self.joined(self.at - 1) {
                        self.eat(Tok::Equals);
                    }
                    self.right(flags)?;
                }
                Tok::Between
                | Tok::LongDots
                | Tok::Equals
                | Tok::Plus
                | Tok::Minus
                | Tok::Star
                | Tok::And
                | Tok::AndAnd
                | Tok::Or
                | Tok::OrOr => {
                    self.bump();
                    self.right(flags)?;
                }
                _ => return Some(value),
            }
            value = Operand::OTHER;
            // What binds looser than a range is around it.
            flags.inside |= match operator.kind {
                Tok::Equals | Tok::Less | Tok::Greater => true,
                Tok::Between => self.word(operator).ends_with('='),
                _ => false,
            };
            self.wrap()?;
        }
    }

    /// What an operator has on its right.
    fn right(&mut self, flags: Flags) -> Option<()> {
        // A range there is called with the brackets that follow it, in the grammar.
        (self.kind() != Tok::Dots).then_some(())?;
        self.operand(flags)?;
        Some(())
    }

    fn is_joint(&self, text: &str) -> bool {
        self.kind() == Tok::Between && self.word(self.here()) == text
    }

    /// True when an expression can begin here.
    fn can_begin(&self, flags: Flags) -> bool {
        match self.kind() {
            CURLY => !flags.head,
            Tok::Name
            | Tok::Number
            | Tok::Literal
            | Tok::Own
            | Tok::Super
            | Tok::Crate
            | Tok::Colons
            | Tok::Less
            | Tok::Open(_)
            | Tok::Minus
            | Tok::Star
            | Tok::Bang
            | Tok::And
            | Tok::AndAnd
            | Tok::Or
            | Tok::OrOr
            | Tok::Dots
            | Tok::LongDots
            | Tok::Move
            | Tok::Async
            | Tok::Unsafe
            | Tok::If
            | Tok::Match
            | Tok::While
            | Tok::Loop
            | Tok::For
            | Tok::Return
            | Tok::Break
            | Tok::Continue
            | Tok::Static
            | Tok::Const
            | Tok::Lifetime => true,
            _ => false,
        }
    }

    /// True when the end of a range begins here. Nothing where the grammar ends the range before it, and takes it for
    /// something else.
    fn can_follow_dots(&self, flags: Flags) -> Option<bool> {
        match self.kind() {
            Tok::Less => None,
            Tok::And | Tok::AndAnd if self.ahead(1) == Tok::Mut => None,
            ROUND if flags.inside => None,
            _ => Some(self.can_begin(flags)),
        }
    }

    /// A value with what is before and after it.
    fn operand(&mut self, flags: Flags) -> Option<Operand> {
        let (mut unary, mut other) = (false, false);
        loop {
            match self.kind() {
                Tok::Minus | Tok::Star | Tok::Bang => {
                    other |= self.commented(self.at);
                    unary = true;
                    self.bump();
                }
                Tok::And | Tok::AndAnd => {
                    other = true;
                    self.bump();
                    if self.is_word("raw") && matches!(self.ahead(1), Tok::Const | Tok::Mut) {
                        self.at += 2;
                    } else {
                        self.eat(Tok::Mut);
                    }
                }
                Tok::Let if flags.condition => {
                    let before = self.token(self.at.checked_sub(1)?).kind;
                    matches!(before, Tok::If | Tok::While | Tok::AndAnd).then_some(())?;
                    other = true;
                    self.bump();
                    self.pattern(true)?;
                    self.expect(Tok::Equals)?;
                }
                _ => break,
            }
            self.wrap()?;
        }
        let value = self.primary(flags)?;
        let value = self.after(value)?;
        Some(match (other, unary) {
            (true, _) => Operand::OTHER,
            (_, true) => Operand::on(value.on),
            _ => value,
        })
    }

    /// Calls, fields, indices and question marks after a value.
    pub(super) fn after(&mut self, mut value: Operand) -> Option<Operand> {
        loop {
            match self.kind() {
                Tok::Question => {
                    self.bump();
                    value = Operand::on(value.on);
                }
                Tok::Dot => {
                    self.bump();
                    let name = self.here();
                    self.bump();
                    match name.kind {
                        Tok::Await => value = Operand::on(value.on),
                        Tok::Name | Tok::Number => {
                            value = Self::field_of(value, name);
                            if self.kind() == Tok::Colons {
                                self.bump();
                                let seen = self.typed.len();
                                self.type_arguments()?;
                                // The call comes first in the tree; here, what they name would be known to it.
                                (seen == self.typed.len()).then_some(())?;
                                value.on = On::Unknown;
                            }
                        }
                        _ => return None,
                    }
                }
                ROUND => {
                    if let Some(name) = value.callee {
                        self.call(name, value.of);
                    }
                    let made = if value.path.1 > 0 { On::Made(value.path) } else { On::Unknown };
                    self.bump();
                    self.values(ROUND_END)?;
                    value = Operand::on(made);
                }
                SQUARE => {
                    self.bump();
                    self.expression(Flags::default())?;
                    self.expect(SQUARE_END)?;
                    value = Operand::OTHER;
                }
                _ => return Some(value),
            }
            self.wrap()?;
        }
    }

    /// Values between commas, up to the bracket that closes them.
    fn values(&mut self, end: Tok) -> Option<()> {
        while !self.eat(end) {
            self.attributes()?;
            self.expression(Flags::default())?;
            self.comma_or(end)?;
        }
        Some(())
    }

    /// A value without what is before and after it.
    fn primary(&mut self, flags: Flags) -> Option<Operand> {
        match self.kind() {
            Tok::Name | Tok::Own | Tok::Super | Tok::Crate | Tok::Colons | Tok::Less => {
                return self.path(flags);
            }
            Tok::Literal | Tok::Number => self.bump(),
            // `_ = value;`, `(_, name) = value;`
            Tok::Underscore if matches!(self.ahead(1), Tok::Equals | Tok::Comma | Tok::Close(_)) => {
                self.bump();
            }
            ROUND => return self.parenthesized(),
            SQUARE => self.array()?,
            Tok::Or | Tok::OrOr | Tok::Move => self.closure(flags)?,
            Tok::Static => {
                self.bump();
                matches!(self.kind(), Tok::Or | Tok::OrOr | Tok::Move).then_some(())?;
                self.closure(flags)?;
            }
            Tok::Async if matches!(self.ahead(1), Tok::Or | Tok::OrOr) => {
                self.bump();
                self.closure(flags)?;
            }
            Tok::Async if self.ahead(1) == Tok::Move && self.ahead(2) != CURLY => {
                self.bump();
                self.closure(flags)?;
            }
            Tok::Return => {
                self.bump();
                // The grammar takes it for an operator between two values.
                (self.kind() != Tok::AndAnd).then_some(())?;
                if self.can_begin(flags) {
                    self.inner(flags)?;
                }
            }
            Tok::Break => {
                self.bump();
                self.eat(Tok::Lifetime);
                // The grammar takes these for operators between two values.
                let operator = matches!(self.kind(), Tok::Less | Tok::AndAnd | Tok::Or | Tok::OrOr)
                    || self.kind() == Tok::And && self.ahead(1) == Tok::Mut;
                (!operator).then_some(())?;
                // And round brackets for what the `break` is called with.
                if self.kind() != ROUND && self.can_begin(flags) {
                    self.inner(flags)?;
                }
            }
            Tok::Continue => {
                self.bump();
                self.eat(Tok::Lifetime);
            }
            Tok::Dots => {
                self.bump();
                if self.can_follow_dots(flags)? {
                    self.inner(flags)?;
                }
            }
            Tok::LongDots if self.word(self.here()) == "..=" => {
                self.bump();
                self.inner(flags)?;
            }
            _ => self.with_block()?,
        }
        Some(Operand::OTHER)
    }

    /// The rest of an expression, inside what came before it.
    fn inner(&mut self, flags: Flags) -> Option<()> {
        let flags = Flags { condition: false, inside: true, ..flags };
        self.expression(flags)?;
        // After a cast the grammar goes on with the whole of it.
        (!matches!(self.kind(), Tok::Dot | Tok::Question | ROUND | SQUARE)).then_some(())
    }

    /// `()`, `(value)`, `(a, b)`
    fn parenthesized(&mut self) -> Option<Operand> {
        let open = self.at;
        self.bump();
        self.attributes()?;
        if self.eat(ROUND_END) {
            return Some(Operand::OTHER);
        }
        let value = self.expression(Flags::default())?;
        if self.eat(ROUND_END) {
            // The tree's first child is the comment.
            return Some(if self.commented(open) {
                Operand::OTHER
            } else {
                Operand { path: (0, 0), ..value }
            });
        }
        self.expect(Tok::Comma)?;
        while !self.eat(ROUND_END) {
            self.expression(Flags::default())?;
            self.comma_or(ROUND_END)?;
        }
        Some(Operand::OTHER)
    }

    /// `[a, b]`, `[value; count]`
    fn array(&mut self) -> Option<()> {
        self.bump();
        self.attributes()?;
        if self.eat(SQUARE_END) {
            return Some(());
        }
        self.expression(Flags::default())?;
        if self.eat(Tok::Semicolon) {
            self.expression(Flags::default())?;
            return self.expect(SQUARE_END);
        }
        self.comma_or(SQUARE_END)?;
        self.values(SQUARE_END)
    }

    /// `move |a, b: Type| body`; `static` and `async` were taken.
    fn closure(&mut self, flags: Flags) -> Option<()> {
        self.eat(Tok::Move);
        if !self.eat(Tok::OrOr) {
            self.expect(Tok::Or)?;
            while !self.eat(Tok::Or) {
                self.parameter(false)?;
                // The grammar knows no comma at the end of them.
                self.comma_or(Tok::Or)?;
                if self.kind() == Tok::Or && self.token(self.at - 1).kind == Tok::Comma {
                    return None;
                }
            }
        }
        if self.eat(Tok::Arrow) {
            self.full_type()?;
            return self.block();
        }
        if self.eat(Tok::Underscore) {
            return Some(());
        }
        self.inner(flags)
    }
}
