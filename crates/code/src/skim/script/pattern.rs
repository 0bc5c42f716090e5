//! Parameters of functions, and patterns that take values apart.

use super::kind::Kind;
use super::read::Reader;

impl Reader<'_> {
    /// The head of a function after its name: types, parameters, what it gives back.
    pub(super) fn signature(&mut self) -> Option<()> {
        if self.kind() == Kind::Less && self.typed {
            self.type_parameters()?;
        }
        self.parameters()?;
        if self.typed && self.eat(Kind::Colon) {
            self.return_type()?;
        }
        Some(())
    }

    /// Parameters in round brackets.
    pub(super) fn parameters(&mut self) -> Option<()> {
        self.need(Kind::RoundOpen)?;
        self.inside(|reader| {
            while reader.kind() != Kind::RoundClose {
                reader.parameter()?;
                if reader.kind() != Kind::RoundClose {
                    reader.need(Kind::Comma)?;
                }
            }
            reader.at += 1;
            Some(())
        })
    }

    fn parameter(&mut self) -> Option<()> {
        let mut field = false;
        if self.typed {
            let first = self.at;
            while self.kind() == Kind::At {
                self.decorator()?;
            }
            field = self.at == first && matches!(self.kind(), Kind::Public | Kind::Private | Kind::Protected);
            let mut modified = false;
            while matches!(
                self.kind(),
                Kind::Public | Kind::Private | Kind::Protected | Kind::Override | Kind::Readonly
            ) && !matches!(
                self.next(),
                Kind::Comma | Kind::RoundClose | Kind::Colon | Kind::Question | Kind::Assign
            ) {
                modified = true;
                self.at += 1;
            }
            field &= modified;
        }
        let rest = self.eat(Kind::Spread);
        let name = match self.kind() {
            Kind::SquareOpen | Kind::CurlyOpen => {
                self.taken_apart()?;
                None
            }
            Kind::This if self.typed => {
                self.at += 1;
                None
            }
            _ => Some(self.name()?).filter(|_| !rest),
        };
        if self.typed {
            self.eat(Kind::Question);
            if self.kind() == Kind::Colon {
                self.annotation(name, true, field)?;
            }
        }
        if self.eat(Kind::Assign) {
            self.expression()?;
        }
        Some(())
    }

    /// `: Type` of a variable or field, which is told before what is in the type.
    pub(super) fn annotation(&mut self, name: Option<usize>, variable: bool, field: bool) -> Option<()> {
        let colon = self.at;
        self.need(Kind::Colon)?;
        if let Some(name) = name.filter(|_| !self.quiet) {
            let after = match self.kind_at(colon + 2) {
                Kind::Comma | Kind::RoundClose | Kind::Assign | Kind::Semicolon if self.kind().is_word() => {
                    colon + 2
                }
                _ => self.look(colon + 1, Self::type_)?,
            };
            let text = self.bytes(self.token(colon).start, self.token(after.saturating_sub(1)).end);
            if variable {
                self.value_is(name, text, false);
            }
            if field {
                self.value_is(name, text, true);
            }
        }
        self.type_()
    }

    /// What a value is taken apart into, in a declaration: `{ a, b: [c] }`.
    pub(super) fn taken_apart(&mut self) -> Option<()> {
        self.parts(false)
    }

    /// What a value is taken apart into, in an assignment: `[this.a, b.c] = …`.
    pub(super) fn target(&mut self) -> Option<()> {
        self.parts(true)
    }

    fn parts(&mut self, places: bool) -> Option<()> {
        self.deeper()?;
        self.inside(|reader| match reader.kind() {
            Kind::CurlyOpen => reader.named_parts(places),
            _ => reader.listed_parts(places),
        })?;
        self.up();
        Some(())
    }

    fn named_parts(&mut self, places: bool) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        while self.kind() != Kind::CurlyClose {
            if self.eat(Kind::Spread) {
                self.part(places)?;
            } else {
                let after = self.after_name(self.at)?;
                if self.kind_at(after) == Kind::Colon {
                    if self.kind() == Kind::SquareOpen {
                        self.computed_name()?;
                    }
                    self.at = after + 1;
                    self.part(places)?;
                } else {
                    self.name()?;
                }
                if self.eat(Kind::Assign) {
                    self.expression()?;
                }
            }
            if self.kind() != Kind::CurlyClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        Some(())
    }

    fn listed_parts(&mut self, places: bool) -> Option<()> {
        self.need(Kind::SquareOpen)?;
        while self.kind() != Kind::SquareClose {
            if self.eat(Kind::Comma) {
                continue;
            }
            self.eat(Kind::Spread);
            self.part(places)?;
            if self.eat(Kind::Assign) {
                self.expression()?;
            }
            if self.kind() != Kind::SquareClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        Some(())
    }

    fn part(&mut self, places: bool) -> Option<()> {
        match self.kind() {
            Kind::SquareOpen | Kind::CurlyOpen => match self.kind_at(self.after_pair(self.at)) {
                Kind::Assign | Kind::Comma | Kind::SquareClose | Kind::CurlyClose => self.parts(places),
                _ => None,
            },
            _ if places => self.postfix().map(|_| ()),
            _ => self.name().map(|_| ()),
        }
    }

    /// `@name`, `@name.of.it(…)`, `@(…)`
    pub(super) fn decorator(&mut self) -> Option<()> {
        self.need(Kind::At)?;
        if self.kind() == Kind::RoundOpen {
            return self.postfix().map(|_| ());
        }
        if !matches!(self.kind(), Kind::This | Kind::Super) && self.kind().is_word() {
            let end = self.after_decorator(self.at);
            self.postfix()?;
            return (self.at == end).then_some(());
        }
        None
    }

    /// The token after what is named by a decorator, which is at its name.
    pub(super) fn after_decorator(&mut self, at: usize) -> usize {
        let mut at = at + 1;
        while self.kind_at(at) == Kind::Dot {
            at += 2;
        }
        if self.kind_at(at) == Kind::Less
            && self.typed
            && let Some(after) = self.types_of_call(at)
        {
            at = after;
        }
        if self.kind_at(at) == Kind::RoundOpen { self.after_pair(at) } else { at }
    }
}
