//! Statements, one after the other, and where one ends without a semicolon.

use super::kind::Kind;
use super::read::{Begin, Mode, Reader};
use crate::facts::SymbolKind;

/// A statement at its own place.
const STATEMENT: Mode = Mode { no_in: false, between: false, line_ends: true };

impl Reader<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) -> Option<()> {
        self.mode = STATEMENT;
        while self.kind() != Kind::End {
            self.statement()?;
        }
        Some(())
    }

    /// `{ … }` with statements.
    pub(super) fn block(&mut self) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        let around = std::mem::replace(&mut self.mode, STATEMENT);
        while self.kind() != Kind::CurlyClose {
            self.statement()?;
        }
        self.at += 1;
        self.mode = around;
        self.may_end(true);
        Some(())
    }

    /// The end of a statement, after an expression or, when `types`, after a type.
    pub(super) fn semicolon(&mut self, types: bool) -> Option<()> {
        if self.eat(Kind::Semicolon) {
            return Some(());
        }
        let token = self.token(self.at);
        let ended = match token.kind {
            Kind::CurlyClose | Kind::End => true,
            Kind::In | Kind::Instanceof => false,
            Kind::SquareOpen | Kind::RoundOpen => types && token.newline,
            Kind::CurlyOpen
            | Kind::At
            | Kind::Step
            | Kind::Bang
            | Kind::Text
            | Kind::Tilde
            | Kind::Number
            | Kind::PrivateName => token.newline,
            kind => token.newline && kind.is_word(),
        };
        if ended {
            self.may_end(true);
        }
        ended.then_some(())
    }

    pub(super) fn statement(&mut self) -> Option<()> {
        self.deeper()?;
        self.one_statement()?;
        self.up();
        Some(())
    }

    fn one_statement(&mut self) -> Option<()> {
        let next = self.next();
        match self.kind() {
            Kind::CurlyOpen => self.block(),
            Kind::Semicolon => {
                self.at += 1;
                Some(())
            }
            Kind::Import if !matches!(next, Kind::RoundOpen | Kind::Dot) => self.import(),
            Kind::Export => self.export(),
            Kind::At => {
                let mut at = self.at;
                while self.kind_at(at) == Kind::At {
                    at = match self.kind_at(at + 1) {
                        Kind::RoundOpen => self.after_pair(at + 1),
                        _ => self.after_decorator(at + 1),
                    };
                }
                match self.kind_at(at) {
                    Kind::Export => self.export(),
                    Kind::Class => self.class_declaration(None),
                    Kind::Abstract if self.typed => self.class_declaration(None),
                    _ => None,
                }
            }
            Kind::If => {
                self.at += 1;
                self.condition()?;
                self.statement()?;
                // Rows of `else if` are long.
                while self.eat(Kind::Else) {
                    self.taller()?;
                    if self.eat(Kind::If) {
                        self.condition()?;
                    }
                    self.statement()?;
                }
                Some(())
            }
            Kind::For => self.for_loop(),
            Kind::While | Kind::With => {
                self.at += 1;
                self.condition()?;
                self.statement()
            }
            Kind::Do => {
                self.at += 1;
                self.statement()?;
                self.need(Kind::While)?;
                self.condition()?;
                self.eat(Kind::Semicolon);
                Some(())
            }
            Kind::Switch => self.switch(),
            Kind::Try => self.try_(),
            Kind::Break | Kind::Continue => {
                self.at += 1;
                if self.kind().is_name() && !self.newline(self.at) {
                    self.at += 1;
                }
                self.semicolon(false)
            }
            Kind::Debugger => {
                self.at += 1;
                self.semicolon(false)
            }
            Kind::Return | Kind::Throw => {
                self.at += 1;
                let ends = matches!(self.kind(), Kind::Semicolon | Kind::CurlyClose | Kind::End);
                if self.newline(self.at) && !ends {
                    // What the next line begins with decides; words end it.
                    let word = self.kind().is_word();
                    return word.then_some(());
                }
                if !ends {
                    self.expressions()?;
                }
                self.semicolon(false)
            }
            kind if next == Kind::Colon && kind.is_name() && kind != Kind::Yield => {
                self.at += 2;
                self.statement()
            }
            _ => {
                if self.declaration(None)? {
                    return Some(());
                }
                self.expressions()?;
                self.semicolon(false)
            }
        }
    }

    /// `( … )` after `if` and the like.
    fn condition(&mut self) -> Option<()> {
        self.need(Kind::RoundOpen)?;
        self.inside(Self::expressions)?;
        self.need(Kind::RoundClose)
    }

    fn for_loop(&mut self) -> Option<()> {
        self.need(Kind::For)?;
        self.eat(Kind::Await);
        self.need(Kind::RoundOpen)?;
        let around = std::mem::replace(&mut self.mode, Mode { no_in: true, ..Mode::default() });
        let declares = matches!(self.kind(), Kind::Var | Kind::Const)
            || self.kind() == Kind::Let
                && (self.next().is_name() && self.next() != Kind::Of
                    || matches!(self.next(), Kind::SquareOpen | Kind::CurlyOpen));
        let mut over = false;
        if declares {
            // One name or pattern before `of` or `in` is no variable of its own.
            let name = self.at + 1;
            let after = match self.kind_at(name) {
                Kind::SquareOpen | Kind::CurlyOpen => self.after_pair(name),
                _ => name + 1,
            };
            if matches!(self.kind_at(after), Kind::Of | Kind::In) {
                self.at = name;
                match self.kind() {
                    Kind::SquareOpen | Kind::CurlyOpen => self.taken_apart()?,
                    _ => {
                        self.name()?;
                    }
                }
                over = true;
            } else {
                self.variables(None)?;
            }
        } else if self.kind() != Kind::Semicolon {
            let after = self.after_pair(self.at);
            let pattern = matches!(self.kind(), Kind::SquareOpen | Kind::CurlyOpen)
                && matches!(self.kind_at(after), Kind::Of | Kind::In);
            if pattern {
                self.target()?;
            } else {
                self.expressions()?;
            }
            over = matches!(self.kind(), Kind::Of | Kind::In);
        }
        self.mode = Mode::default();
        if over {
            self.at += 1;
            self.expressions()?;
        } else {
            self.need(Kind::Semicolon)?;
            if self.kind() != Kind::Semicolon {
                self.expressions()?;
            }
            self.need(Kind::Semicolon)?;
            if self.kind() != Kind::RoundClose {
                self.expressions()?;
            }
        }
        self.need(Kind::RoundClose)?;
        self.mode = around;
        self.statement()
    }

    fn switch(&mut self) -> Option<()> {
        self.need(Kind::Switch)?;
        self.condition()?;
        self.need(Kind::CurlyOpen)?;
        let around = std::mem::replace(&mut self.mode, STATEMENT);
        while self.kind() != Kind::CurlyClose {
            if self.eat(Kind::Case) {
                self.inside(Self::expressions)?;
            } else {
                self.need(Kind::Default)?;
            }
            self.need(Kind::Colon)?;
            while !matches!(self.kind(), Kind::Case | Kind::Default | Kind::CurlyClose) {
                self.statement()?;
            }
        }
        self.at += 1;
        self.mode = around;
        Some(())
    }

    fn try_(&mut self) -> Option<()> {
        self.need(Kind::Try)?;
        self.block()?;
        if self.eat(Kind::Catch) {
            if self.eat(Kind::RoundOpen) {
                match self.kind() {
                    Kind::SquareOpen | Kind::CurlyOpen => self.taken_apart()?,
                    _ => {
                        self.name()?;
                    }
                }
                if self.typed && self.eat(Kind::Colon) {
                    self.inside(Self::type_)?;
                }
                self.need(Kind::RoundClose)?;
            }
            self.block()?;
        }
        if self.eat(Kind::Finally) {
            self.block()?;
        }
        Some(())
    }

    /// A declaration, when one begins here; `outer` is the line of the `export` around it.
    pub(super) fn declaration(&mut self, outer: Option<u32>) -> Option<bool> {
        let at = self.at;
        let next = self.next();
        let same_line = !self.newline(at + 1);
        match self.kind() {
            Kind::Function => self.function(outer)?,
            // At the end of a line these words may be names.
            Kind::Async if next == Kind::Function && !same_line => return None,
            Kind::Let if next.is_word() && !same_line => return None,
            Kind::Async if next == Kind::Function => self.function(outer)?,
            Kind::Class | Kind::At => self.class_declaration(outer)?,
            Kind::Const if next == Kind::Enum && self.typed => self.enum_(outer)?,
            Kind::Var | Kind::Const => self.variable_statement(outer)?,
            Kind::Let if next.is_name() || matches!(next, Kind::SquareOpen | Kind::CurlyOpen) => {
                self.variable_statement(outer)?;
            }
            Kind::Using if next.is_name() && same_line => return None,
            Kind::Enum if self.typed => self.enum_(outer)?,
            Kind::Abstract if next == Kind::Class && self.typed => self.class_declaration(outer)?,
            Kind::Interface if next.is_name() && self.typed => self.interface(outer)?,
            Kind::Type if next.is_name() && self.typed && same_line => self.alias(outer)?,
            Kind::Module | Kind::Namespace
                if (next.is_name() || next == Kind::Text) && self.typed && same_line =>
            {
                self.module(outer)?;
            }
            Kind::Declare if self.typed && same_line && next.is_word() => return self.ambient(),
            _ => return Some(false),
        }
        Some(true)
    }

    /// `declare …`
    fn ambient(&mut self) -> Option<bool> {
        if matches!(
            self.next(),
            Kind::In | Kind::Instanceof | Kind::As | Kind::Satisfies | Kind::Of | Kind::Is
        ) {
            return Some(false);
        }
        self.at += 1;
        if self.eat(Kind::Global) {
            self.block()?;
            return Some(true);
        }
        if self.kind() == Kind::Import {
            return None;
        }
        self.declaration(None)?.then_some(true)
    }

    /// `function name(…) { … }`, or its head alone.
    fn function(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let mut name = first + 1 + usize::from(self.kind() == Kind::Async);
        name += usize::from(self.kind_at(name) == Kind::Star);
        self.kind_at(name).is_name().then_some(())?;
        let body = self.after_signature(name + 1)?;
        let has_body = self.kind_at(body) == Kind::CurlyOpen;
        let begin = Begin {
            kind: SymbolKind::Function,
            name: (name, name),
            first,
            doc_line: self.doc_line(first, outer),
            head: first,
            body: has_body.then_some(body),
        };
        let opened = self.begin(&begin)?;
        self.at = name + 1;
        self.signature()?;
        if self.at != body {
            return None;
        }
        if has_body {
            self.block()?;
            self.may_end(self.could_be_value(first, outer));
        } else {
            self.typed.then_some(())?;
            if self.kind_at(name - 1) == Kind::Star {
                return None;
            }
            self.semicolon(true)?;
        }
        self.ends(&opened);
        Some(())
    }

    /// What begins at a token could also be an expression: not so after `export` alone.
    pub(super) fn could_be_value(&self, first: usize, outer: Option<u32>) -> bool {
        outer.is_none() || self.kind_at(first.saturating_sub(1)) == Kind::Default
    }

    /// The line that what is said about a symbol ends above.
    pub(super) fn doc_line(&self, first: usize, outer: Option<u32>) -> u32 {
        let line = self.token(first).line;
        outer.map_or(line, |outer| outer.min(line))
    }
}
