//! Types: what they are made of, parameters, fields, methods of interfaces, and declarations of types.

use super::event::{Event, Of};
use super::read::Reader;
use super::token::Kind;
use crate::facts::SymbolKind;

impl Reader<'_> {
    /// A type. Only what is in brackets is read by a further call.
    pub(super) fn type_of_value(&mut self) -> Option<()> {
        let around = self.begin_chain();
        let first = self.at;
        self.before_name_of_type()?;
        let length = self.at - first;
        match self.kind() {
            Kind::Func => {
                self.at += 1;
                self.signature()?;
            }
            Kind::Struct => self.fields()?,
            Kind::Interface => self.methods()?,
            Kind::RoundOpen => {
                self.at += 1;
                self.type_of_value()?;
                self.expect(Kind::RoundClose)?;
            }
            _ => {
                self.name()?;
                if self.skip(Kind::Dot) {
                    self.name()?;
                }
                if self.kind() == Kind::SquareOpen {
                    self.type_arguments()?;
                }
            }
        }
        self.end_chain(around, length);
        Some(())
    }

    /// Stars, brackets and words before the last part of a type.
    fn before_name_of_type(&mut self) -> Option<()> {
        loop {
            match self.kind() {
                Kind::Star | Kind::Under => self.at += 1,
                Kind::SquareOpen => {
                    self.at += 1;
                    if self.kind() != Kind::SquareClose {
                        let around = std::mem::take(&mut self.block_follows);
                        self.value()?;
                        self.block_follows = around;
                    }
                    self.expect(Kind::SquareClose)?;
                }
                Kind::Map => {
                    self.at += 1;
                    self.expect(Kind::SquareOpen)?;
                    self.type_of_value()?;
                    self.expect(Kind::SquareClose)?;
                }
                Kind::Chan => {
                    self.at += 1;
                    self.skip(Kind::Arrow);
                }
                Kind::Arrow if self.ahead(1) == Kind::Chan => self.at += 2,
                _ => return Some(()),
            }
        }
    }

    fn type_arguments(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.alternatives()?;
            if !self.skip(Kind::Comma) || self.kind() == Kind::SquareClose {
                return self.expect(Kind::SquareClose);
            }
        }
    }

    /// `~int | string`
    fn alternatives(&mut self) -> Option<()> {
        self.type_of_value()?;
        while self.skip(Kind::Either) {
            self.type_of_value()?;
        }
        Some(())
    }

    /// `[K comparable, V any]`
    pub(super) fn type_parameters(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.name()?;
            while self.skip(Kind::Comma) {
                self.name()?;
            }
            self.alternatives()?;
            if !self.skip(Kind::Comma) || self.kind() == Kind::SquareClose {
                return self.expect(Kind::SquareClose);
            }
        }
    }

    /// Parameters and what is given back.
    pub(super) fn signature(&mut self) -> Option<()> {
        self.parameters()?;
        match self.kind() {
            Kind::RoundOpen => self.parameters().map(|_| ()),
            kind if kind.begins_type() => self.type_of_value(),
            _ => Some(()),
        }
    }

    /// A list of parameters; how many things it lists.
    fn parameters(&mut self) -> Option<usize> {
        self.expect(Kind::RoundOpen)?;
        let mut count = 0;
        // Names without a type, which the next type may be for.
        let mut waiting = 0;
        while !self.skip(Kind::RoundClose) {
            count += 1;
            let next = self.ahead(1);
            if self.kind().is_name() && matches!(next, Kind::Comma | Kind::RoundClose) {
                self.at += 1;
                waiting += 1;
            } else {
                if self.kind().is_name() && self.is_named() {
                    let place = self.place_for_type();
                    for back in (0..=waiting).rev() {
                        self.events.push(Event::Variable((self.at - back * 2) as u32, place));
                    }
                    self.at += 1;
                    let of = self.at;
                    self.type_of_value()?;
                    let (start, end) = self.since(of);
                    self.type_is(place, Of::Type(start, end));
                } else {
                    self.at += usize::from(self.kind().is_name() && next == Kind::Dots);
                    self.skip(Kind::Dots);
                    self.type_of_value()?;
                }
                waiting = 0;
            }
            if !self.skip(Kind::Comma) && self.kind() != Kind::RoundClose {
                return None;
            }
        }
        Some(count)
    }

    /// The name that is looked at is followed by its type: it is none itself.
    fn is_named(&self) -> bool {
        match self.ahead(1) {
            Kind::Dot | Kind::Dots | Kind::Comma | Kind::RoundClose => false,
            Kind::SquareOpen => !matches!(self.after_pair(1), Kind::Comma | Kind::RoundClose),
            _ => true,
        }
    }

    /// A method's receiver; the bytes of its type.
    pub(super) fn receiver(&mut self) -> Option<(u32, u32)> {
        let open = self.at;
        let named = self.token(open + 1).kind.is_name() && {
            self.at += 1;
            self.is_named()
        };
        self.at = open;
        let one = self.parameters()? == 1;
        let first = self.token(open + 1 + usize::from(named));
        let last = self.token(self.at.saturating_sub(2));
        let plain =
            first.kind != Kind::Dots && self.token(open + 2).kind != Kind::Dots && last.kind != Kind::Comma;
        (one && plain).then_some((first.start, last.end()))
    }

    /// `struct { … }`
    fn fields(&mut self) -> Option<()> {
        self.at += 1;
        self.expect(Kind::CurlyOpen)?;
        while !self.skip(Kind::CurlyClose) {
            self.field()?;
            self.skip(Kind::Text);
            if !self.kind().is_end() && self.kind() != Kind::CurlyClose {
                return None;
            }
            self.at += usize::from(self.kind().is_end());
        }
        Some(())
    }

    fn field(&mut self) -> Option<()> {
        let ends = |kind: Kind| kind.is_end() || matches!(kind, Kind::CurlyClose | Kind::Text);
        let embedded = match (self.kind(), self.ahead(1)) {
            (Kind::Star, _) => {
                self.at += 1;
                true
            }
            (_, Kind::Dot) => true,
            (_, Kind::SquareOpen) => ends(self.after_pair(1)),
            (_, next) => ends(next),
        };
        if embedded {
            return if self.kind().is_name() { self.type_of_value() } else { None };
        }
        let place = self.place_for_type();
        loop {
            let name = self.name()?;
            self.events.push(Event::Field(name, place));
            if !self.skip(Kind::Comma) {
                break;
            }
        }
        let of = self.at;
        self.type_of_value()?;
        let (start, end) = self.since(of);
        self.type_is(place, Of::Type(start, end));
        Some(())
    }

    /// `interface { … }`
    fn methods(&mut self) -> Option<()> {
        self.at += 1;
        self.expect(Kind::CurlyOpen)?;
        while !self.skip(Kind::CurlyClose) {
            if self.kind().is_name() && self.ahead(1) == Kind::RoundOpen {
                let declaration = self.begin(SymbolKind::Method, self.at, self.token(self.at).line);
                self.events.push(Event::Opens(self.at as u32, declaration));
                self.at += 1;
                self.signature()?;
                self.finish(declaration, Event::Closes);
            } else {
                self.alternatives()?;
            }
            if !self.kind().is_end() && self.kind() != Kind::CurlyClose {
                return None;
            }
            self.at += usize::from(self.kind().is_end());
        }
        Some(())
    }

    /// One declaration of a type; comments are above the line of its group.
    pub(super) fn type_one(&mut self, line: u32) -> Option<()> {
        let name = self.name()?;
        let declaration = self.begin(SymbolKind::Type, name as usize, line);
        self.events.push(Event::Opens(name, declaration));
        if self.kind() == Kind::SquareOpen && self.has_parameters()? {
            self.type_parameters()?;
        }
        if !self.skip(Kind::Assign) {
            let kind = match self.kind() {
                Kind::Struct => Some(SymbolKind::Struct),
                Kind::Interface => Some(SymbolKind::Interface),
                _ => None,
            };
            let head_end = self.token(self.at).end();
            if let (Some(kind), Some(made)) = (kind, self.declaration(declaration)) {
                made.kind = kind;
                made.head_end = head_end;
            }
        }
        self.type_of_value()?;
        self.finish(declaration, Event::Closes);
        Some(())
    }

    /// After the name of a type: what is in square brackets are its parameters, not the length of an array.
    /// Nothing where the two look alike.
    fn has_parameters(&self) -> Option<bool> {
        if !self.ahead(1).is_name() {
            return Some(false);
        }
        match self.ahead(2) {
            // The parser takes a product of names for one, a pointer to what a package has for a pointer.
            Kind::Star if self.ahead(4) == Kind::SquareClose => {
                matches!(self.ahead(3), Kind::Name | Kind::Number).then_some(false)
            }
            Kind::SquareOpen if self.ahead(3) == Kind::SquareClose => Some(true),
            Kind::Star | Kind::SquareOpen => None,
            Kind::Comma
            | Kind::Interface
            | Kind::Map
            | Kind::Chan
            | Kind::Func
            | Kind::Struct
            | Kind::Under
            | Kind::Arrow => Some(true),
            next => Some(next.is_name()),
        }
    }
}
