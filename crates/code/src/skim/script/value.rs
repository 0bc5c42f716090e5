//! Single values and what is hung on them: properties, calls, types of calls, templates.

use super::expression::{OTHER, Seen, Shape};
use super::kind::Kind;
use super::read::{On, Reader};

/// What is before a value. The grammar lets `a + b!` be `(a + b)!`, `!a!` be `(!a)!`, and `await f<T>()` be
/// `(await f)<T>()`.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    /// `await`
    pub awaits: bool,
    /// `!`, `-`, `typeof` …
    pub prefix: bool,
    /// A sign between two values.
    pub sign: bool,
    /// A sign that binds stronger than `<`.
    pub strong: bool,
    /// Something about which it is not known what the grammar makes of it.
    pub odd: bool,
    /// `new`, which wants the name of a class.
    pub new: bool,
}

impl Reader<'_> {
    /// A value with its properties and calls.
    pub(super) fn postfix(&mut self) -> Option<Seen> {
        self.value(Before::default())
    }

    /// A value with its properties and calls, after something.
    pub(super) fn value(&mut self, before: Before) -> Option<Seen> {
        let first = self.at;
        let seen = self.primary()?;
        self.hung(first, seen, before)
    }

    /// What is hung on a value: with calls, but without them in the class of `new`.
    fn hung(&mut self, first: usize, mut seen: Seen, before: Before) -> Option<Seen> {
        let calls = !before.new;
        let mut loose = false;
        loop {
            seen = match self.kind() {
                Kind::Dot => {
                    self.at += 1;
                    self.member(seen)?
                }
                Kind::OptionalDot if calls => {
                    self.at += 1;
                    match self.kind() {
                        Kind::RoundOpen => self.called(seen)?,
                        Kind::SquareOpen => self.subscript()?,
                        _ => self.member(seen)?,
                    }
                }
                Kind::SquareOpen => self.subscript()?,
                Kind::RoundOpen if calls => self.called_with(seen, loose)?,
                Kind::Template | Kind::TemplateHead if calls => {
                    if let Some((name, on)) = seen.called {
                        self.call(name, on);
                    }
                    self.template()?;
                    OTHER
                }
                Kind::Bang if self.typed && calls && !self.newline(self.at) => {
                    self.at += 1;
                    if before.odd || before.awaits && (before.prefix || before.sign) {
                        return None;
                    }
                    let wraps = !loose && (before.prefix || before.sign);
                    loose |= wraps;
                    match wraps {
                        true if before.sign => OTHER,
                        true => Seen { on: seen.on, ..OTHER },
                        false => Seen { shape: Shape::Place, ..seen },
                    }
                }
                Kind::Less if self.typed && calls => match self.types_of_call(self.at) {
                    // `f<T>(x)`
                    Some(after) if self.kind_at(after) == Kind::RoundOpen => {
                        self.type_arguments()?;
                        if before.odd {
                            return None;
                        }
                        let wraps = !loose && (before.awaits || before.prefix || before.strong);
                        loose |= wraps;
                        self.called_with(if wraps { OTHER } else { seen }, loose)?
                    }
                    Some(after) if matches!(self.kind_at(after), Kind::Template | Kind::TemplateHead) => {
                        return None;
                    }
                    // `f<T>`, where no value follows.
                    Some(after)
                        if self.stops(after)
                            && (!self.newline(after) || self.kind_at(after) == Kind::End) =>
                    {
                        self.type_arguments()?;
                        return Some(OTHER);
                    }
                    _ => return Some(seen),
                },
                Kind::Step if calls && !self.newline(self.at) => {
                    self.at += 1;
                    return Some(OTHER);
                }
                _ => return Some(seen),
            };
            self.taller()?;
            if let Shape::Member(name, _, _) = seen.shape {
                let own = self.kind_at(first) == Kind::This && self.at == first + 3;
                let before = self.token(name.saturating_sub(2)).end;
                seen.shape = Shape::Member(name, before, own);
            }
        }
    }

    /// A call which is the whole of `a && b!.c(() => …)`: it would make a symbol of what it is assigned to.
    fn called_with(&mut self, seen: Seen, loose: bool) -> Option<Seen> {
        let first = self.at + 1;
        let function = loose
            && (self.kind_at(first) == Kind::Function
                || self.kind_at(first) == Kind::Async
                || self.arrow(first)?.is_some());
        let seen = self.called(seen)?;
        if function {
            self.wrapped = self.at;
        }
        Some(seen)
    }

    fn member(&mut self, object: Seen) -> Option<Seen> {
        let name = self.property()?;
        let on = match object.on {
            On::Own => On::OwnField(name),
            On::Name(of) => On::Field(of, name),
            _ => On::Unknown,
        };
        Some(Seen { shape: Shape::Member(name, 0, false), called: Some((name, object.on)), on })
    }

    fn subscript(&mut self) -> Option<Seen> {
        self.need(Kind::SquareOpen)?;
        self.inside(Self::expressions)?;
        self.need(Kind::SquareClose)?;
        Some(Seen { shape: Shape::Place, ..OTHER })
    }

    /// A call, at its arguments.
    fn called(&mut self, seen: Seen) -> Option<Seen> {
        let mut on = On::Unknown;
        if let Some((name, of)) = seen.called {
            if self.kind_at(name) == Kind::Super && of == On::Super {
                on = On::Super;
            }
            self.call(name, of);
        }
        self.arguments()?;
        Some(Seen { on, ..OTHER })
    }

    /// Arguments in round brackets.
    pub(super) fn arguments(&mut self) -> Option<()> {
        self.need(Kind::RoundOpen)?;
        self.inside(|reader| reader.items(Kind::RoundClose))
    }

    /// Expressions with commas between them, up to a bracket.
    pub(super) fn items(&mut self, close: Kind) -> Option<()> {
        while self.kind() != close {
            self.eat(Kind::Spread);
            self.expression()?;
            if self.kind() != close {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        Some(())
    }

    /// A template, with or without holes.
    pub(super) fn template(&mut self) -> Option<()> {
        if self.eat(Kind::Template) {
            return Some(());
        }
        self.need(Kind::TemplateHead)?;
        loop {
            self.inside(Self::expressions)?;
            if self.eat(Kind::TemplateTail) {
                return Some(());
            }
            self.need(Kind::TemplateMiddle)?;
        }
    }

    fn primary(&mut self) -> Option<Seen> {
        let at = self.at;
        let simple = |reader: &mut Self, seen: Seen| {
            reader.at += 1;
            Some(seen)
        };
        match self.kind() {
            Kind::This => simple(self, Seen { on: On::Own, ..OTHER }),
            Kind::Super => simple(self, Seen { on: On::Super, called: Some((at, On::Super)), ..OTHER }),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Regex => {
                simple(self, OTHER)
            }
            Kind::PrivateName if self.next() == Kind::In => simple(self, OTHER),
            Kind::Template | Kind::TemplateHead => {
                self.template()?;
                Some(OTHER)
            }
            Kind::RoundOpen => self.round(),
            Kind::SquareOpen => {
                self.at += 1;
                self.inside(Self::array)?;
                Some(OTHER)
            }
            Kind::CurlyOpen => {
                self.object()?;
                Some(OTHER)
            }
            Kind::Function => {
                self.function_expression()?;
                Some(OTHER)
            }
            Kind::Async if self.next() == Kind::Function => {
                if self.newline(at + 1) {
                    return None;
                }
                self.function_expression()?;
                Some(OTHER)
            }
            Kind::Class => {
                self.class_expression()?;
                Some(OTHER)
            }
            Kind::New => self.new_value(),
            Kind::Import => {
                self.at += 1;
                // `import(…)`, `import.meta`
                matches!(self.kind(), Kind::RoundOpen | Kind::Dot).then_some(OTHER)
            }
            Kind::TagOpen => {
                self.element()?;
                Some(OTHER)
            }
            Kind::Yield => None,
            Kind::Interface | Kind::Abstract | Kind::Using if self.typed => None,
            kind if kind.is_name() => {
                let on = self.on_name(at);
                let called = (kind != Kind::Undefined).then_some((at, On::Nothing));
                simple(self, Seen { shape: Shape::Name(at), called, on })
            }
            _ => None,
        }
    }

    fn array(&mut self) -> Option<()> {
        while self.kind() != Kind::SquareClose {
            if self.eat(Kind::Comma) {
                continue;
            }
            self.eat(Kind::Spread);
            self.expression()?;
            if self.kind() != Kind::SquareClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        Some(())
    }

    /// `( … )`
    fn round(&mut self) -> Option<Seen> {
        self.at += 1;
        let hidden = self.token(self.at).comment;
        let seen = self.inside(Self::expressions)?;
        self.need(Kind::RoundClose)?;
        let seen = if hidden { OTHER } else { seen };
        Some(Seen { shape: Shape::Place, ..seen })
    }

    /// `new Class(…)`
    fn new_value(&mut self) -> Option<Seen> {
        self.at += 1;
        if self.kind() == Kind::Dot {
            // `new.target`
            self.at += 1;
            self.property()?;
            return Some(OTHER);
        }
        let first = self.at;
        // The grammar takes `new` at the end of a line for a name.
        if matches!(self.kind(), Kind::New | Kind::Import) || self.newline(first) {
            return None;
        }
        let class = self.primary()?;
        let class = self.hung(first, class, Before { new: true, ..Before::default() })?;
        let made = On::Made(self.token(first).start, self.end());
        if let Some((name, on)) = class.called {
            self.call(name, on);
        }
        if self.typed && self.kind() == Kind::Less {
            let after = self.types_of_call(self.at)?;
            if self.kind_at(after) != Kind::RoundOpen && !self.stops(after) {
                return None;
            }
            self.type_arguments()?;
        }
        match self.kind() {
            Kind::RoundOpen => self.arguments()?,
            Kind::Template | Kind::TemplateHead | Kind::OptionalDot => return None,
            _ => {}
        }
        Some(Seen { on: made, ..OTHER })
    }

    fn function_expression(&mut self) -> Option<()> {
        self.eat(Kind::Async);
        self.need(Kind::Function)?;
        self.eat(Kind::Star);
        if self.kind().is_name() {
            self.at += 1;
        }
        self.signature()?;
        self.block()
    }
}
