//! Expressions. Which sign binds stronger does not matter to facts; what is called, on what, and what is assigned
//! does.

use super::kind::Kind;
use super::read::{Begin, On, Reader};
use super::value::Before;
use crate::language::Language;

/// What an expression is, as far as facts depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing that can be assigned to.
    Other,
    Name(usize),
    /// A property: its token, where the text of the object ends, and whether the object is `this`.
    Member(usize, u32, bool),
    /// Something else that can be assigned to.
    Place,
}

/// An expression that was read.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub shape: Shape,
    /// What is called when it is called: a name, and what that is on.
    pub called: Option<(usize, On)>,
    /// What it is when something is called on it.
    pub on: On,
}

/// An expression that says nothing.
pub(super) const OTHER: Seen = Seen { shape: Shape::Other, called: None, on: On::Unknown };

impl Reader<'_> {
    /// Expressions with commas between them.
    pub(super) fn expressions(&mut self) -> Option<Seen> {
        let seen = self.expression()?;
        if self.kind() != Kind::Comma {
            return Some(seen);
        }
        while self.eat(Kind::Comma) {
            self.expression()?;
        }
        Some(OTHER)
    }

    /// Reads what is in brackets, where other rules hold than around them.
    pub(super) fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let around = std::mem::take(&mut self.mode);
        let found = read(self)?;
        self.mode = around;
        Some(found)
    }

    /// One expression.
    pub(super) fn expression(&mut self) -> Option<Seen> {
        self.deeper()?;
        let mut seen = self.one_expression();
        // What follows the colon of `a ? b : c` is read in a loop: such rows are long.
        while seen.is_some() && self.kind() == Kind::Question {
            self.taller()?;
            self.at += 1;
            let between = std::mem::replace(&mut self.mode.between, true);
            self.expression()?;
            self.mode.between = between;
            self.need(Kind::Colon)?;
            self.one_expression()?;
            seen = Some(OTHER);
        }
        self.up();
        seen
    }

    fn one_expression(&mut self) -> Option<Seen> {
        let first = self.at;
        if let Some(arrow) = self.arrow(first)? {
            self.arrow_function(arrow)?;
            return Some(OTHER);
        }
        match self.kind() {
            Kind::Yield => {
                self.at += 1;
                if self.eat(Kind::Star) || !self.stops(self.at) {
                    self.expression()?;
                }
                return Some(OTHER);
            }
            Kind::SquareOpen | Kind::CurlyOpen if self.kind_at(self.after_pair(first)) == Kind::Assign => {
                self.target()?;
                self.need(Kind::Assign)?;
                self.expression()?;
                return Some(OTHER);
            }
            _ => {}
        }
        let told = self.told;
        let seen = self.binary()?;
        match self.kind() {
            Kind::Assign if seen.shape != Shape::Other => {
                self.at += 1;
                self.assigned(first, seen.shape, told)?;
                Some(OTHER)
            }
            Kind::AssignWith if seen.shape != Shape::Other => {
                self.at += 1;
                self.expression()?;
                Some(OTHER)
            }
            _ => Some(seen),
        }
    }

    /// The right side of `left = right`, which may make left a symbol.
    fn assigned(&mut self, first: usize, left: Shape, told: usize) -> Option<()> {
        let (name, object) = match left {
            Shape::Name(name) => (name, ""),
            Shape::Member(name, end, own) => {
                if own && let Some((from, to)) = self.made(self.at)? {
                    self.value_is(name, self.bytes(from, to), true);
                }
                (name, self.bytes(self.token(first).start, end))
            }
            _ => return self.expression().map(|_| ()),
        };
        let Some(value) = self.function_value(self.at)? else { return self.plain_value() };
        if told != self.told {
            // What was told of the left side would belong to the symbol.
            return None;
        }
        let container = object.strip_suffix(".prototype").unwrap_or_default().to_owned();
        let begin = Begin {
            kind: value.kind,
            name: (name, name),
            first,
            doc_line: self.token(first).line,
            head: first,
            body: Some(value.body),
        };
        let opened = self.begin_in(&begin, Vec::new(), container)?;
        self.expression()?;
        self.ends(&opened);
        Some(())
    }

    fn arrow_function(&mut self, arrow: usize) -> Option<()> {
        if self.at + 1 < arrow {
            self.eat(Kind::Async);
        }
        if self.at + 1 == arrow {
            self.name()?;
        } else {
            self.signature()?;
        }
        if self.at != arrow {
            return None;
        }
        self.at += 1;
        if self.kind() == Kind::CurlyOpen {
            self.block()?;
            return self.stops(self.at).then_some(());
        }
        self.expression().map(|_| ())
    }

    /// Values with signs between them.
    fn binary(&mut self) -> Option<Seen> {
        let mut seen = self.unary(Before::default())?;
        loop {
            let sign = self.at;
            match self.kind() {
                Kind::Between
                | Kind::Or
                | Kind::And
                | Kind::Plus
                | Kind::Minus
                | Kind::Star
                | Kind::Less
                | Kind::Instanceof => self.at += 1,
                Kind::In if !self.mode.no_in => self.at += 1,
                Kind::Greater => {
                    let from = self.at;
                    self.at += 1;
                    while self.kind() == Kind::Greater && self.touches() && self.at < from + 3 {
                        self.at += 1;
                    }
                    if self.kind() == Kind::Assign && self.touches() {
                        self.at += 1;
                        if self.at > from + 2 {
                            // `a >>= b`
                            (seen.shape != Shape::Other).then_some(())?;
                            self.expression()?;
                            return Some(OTHER);
                        }
                    }
                }
                Kind::As | Kind::Satisfies
                    if self.typed && !(self.newline(self.at) && self.mode.line_ends) =>
                {
                    self.taller()?;
                    self.at += 1;
                    self.type_of_value()?;
                    seen = OTHER;
                    continue;
                }
                _ => return Some(seen),
            }
            self.taller()?;
            let strong = match self.text(sign) {
                "+" | "-" | "*" | "/" | "%" | "**" | "<<" => true,
                ">" => self.at > sign + 1 && self.kind_at(sign + 1) == Kind::Greater,
                _ => false,
            };
            self.unary(Before { sign: true, strong, ..Before::default() })?;
            seen = OTHER;
        }
    }

    /// The token that was come to begins where the last one ended.
    fn touches(&self) -> bool {
        self.token(self.at).start == self.end()
    }

    fn unary(&mut self, mut before: Before) -> Option<Seen> {
        let first = self.at;
        let mut hidden = false;
        loop {
            match self.kind() {
                Kind::Bang
                | Kind::Tilde
                | Kind::Plus
                | Kind::Minus
                | Kind::Typeof
                | Kind::Void
                | Kind::Delete => {
                    before.odd |= before.awaits;
                    before.prefix = true;
                    self.at += 1;
                }
                Kind::Step => {
                    before.odd = true;
                    hidden = true;
                    self.at += 1;
                }
                Kind::Await if self.awaits(self.at)? => {
                    before.awaits = true;
                    self.at += 1;
                }
                Kind::Less if self.language == Language::TypeScript => {
                    self.type_arguments()?;
                    before.odd = true;
                    hidden = true;
                }
                _ => break,
            }
            self.taller()?;
            hidden |= self.token(self.at).comment;
        }
        let plain = self.at == first;
        let seen = self.value(before)?;
        Some(match (plain, hidden) {
            (true, _) => seen,
            (false, true) => OTHER,
            (false, false) => Seen { on: seen.on, ..OTHER },
        })
    }

    /// `await` waits for what follows, and is no name.
    pub(super) fn awaits(&self, at: usize) -> Option<bool> {
        Some(match self.kind_at(at + 1) {
            Kind::Plus
            | Kind::Minus
            | Kind::SquareOpen
            | Kind::Template
            | Kind::TemplateHead
            | Kind::Less => {
                return None;
            }
            // The grammar of JavaScript sees a call of `await` where something is hung on the brackets.
            Kind::RoundOpen if !self.typed => match self.kind_at(self.after_pair(at + 1)) {
                Kind::Dot
                | Kind::OptionalDot
                | Kind::RoundOpen
                | Kind::SquareOpen
                | Kind::Template
                | Kind::TemplateHead => false,
                Kind::Step | Kind::End => return None,
                _ => true,
            },
            Kind::RoundOpen => true,
            Kind::CurlyOpen
            | Kind::Bang
            | Kind::Tilde
            | Kind::TagOpen
            | Kind::Typeof
            | Kind::Void
            | Kind::Delete
            | Kind::New
            | Kind::Function
            | Kind::Class
            | Kind::Import
            | Kind::Await => true,
            Kind::Of
            | Kind::As
            | Kind::Satisfies
            | Kind::RoundClose
            | Kind::SquareClose
            | Kind::CurlyClose => false,
            kind => kind.ends_value(),
        })
    }
}
