//! Types, where they are written. They tell little: the methods of object types, and the parameters of function types.

use super::kind::Kind;
use super::read::{Begin, Reader};
use crate::facts::SymbolKind;

impl Reader<'_> {
    /// A type.
    pub(super) fn type_(&mut self) -> Option<()> {
        self.deeper()?;
        loop {
            self.alternatives()?;
            let mut extends = None;
            while self.kind() == Kind::Extends {
                extends = Some(self.at);
                self.at += 1;
                self.alternatives()?;
            }
            let Some(extends) = extends else { break };
            if self.kind() != Kind::Question {
                // `infer X extends Y`
                if self.kind_at(extends.wrapping_sub(2)) != Kind::Infer {
                    return None;
                }
                break;
            }
            // `A extends B ? C : D`
            self.taller()?;
            self.at += 1;
            self.inside(Self::type_)?;
            self.need(Kind::Colon)?;
        }
        self.up();
        Some(())
    }

    /// What a function gives back: a type, or what it says about its parameters.
    pub(super) fn return_type(&mut self) -> Option<()> {
        if self.kind() == Kind::Asserts
            && (self.next().is_name() || self.next() == Kind::This)
            && !self.newline(self.at + 1)
        {
            self.at += 1;
            if self.next() != Kind::Is {
                self.at += 1;
                return Some(());
            }
        }
        if (self.kind().is_name() || self.kind() == Kind::This)
            && self.next() == Kind::Is
            && !self.newline(self.at + 1)
        {
            self.at += 2;
        }
        self.type_()
    }

    /// The type after `as` and `satisfies`.
    pub(super) fn type_of_value(&mut self) -> Option<()> {
        if self.eat(Kind::Const) {
            return Some(());
        }
        self.inside(Self::type_)
    }

    /// Types with `|` and `&` between them.
    fn alternatives(&mut self) -> Option<()> {
        if matches!(self.kind(), Kind::Or | Kind::And) {
            self.at += 1;
        }
        loop {
            self.one_type()?;
            if !matches!(self.kind(), Kind::Or | Kind::And) {
                return Some(());
            }
            self.at += 1;
            self.taller()?;
            if matches!(self.kind(), Kind::Or | Kind::And) {
                return None;
            }
        }
    }

    fn one_type(&mut self) -> Option<()> {
        loop {
            self.taller()?;
            match self.kind() {
                Kind::Keyof | Kind::Readonly if self.starts_type(self.at + 1) => self.at += 1,
                Kind::Unique if self.next() == Kind::Ident => self.at += 1,
                Kind::Infer if self.next().is_name() => {
                    self.at += 2;
                    return Some(());
                }
                Kind::Abstract if self.next() == Kind::New => self.at += 1,
                Kind::New => {
                    self.at += 1;
                    return self.function_type();
                }
                _ => break,
            }
        }
        match self.kind() {
            Kind::Less => return self.function_type(),
            Kind::RoundOpen => {
                if self.kind_at(self.after_pair(self.at)) == Kind::Arrow && self.may_be_parameters() {
                    return self.function_type();
                }
                self.at += 1;
                self.inside(Self::type_)?;
                self.need(Kind::RoundClose)?;
            }
            Kind::CurlyOpen => self.object_type()?,
            Kind::SquareOpen => self.tuple()?,
            Kind::Template => self.at += 1,
            Kind::TemplateHead => self.template_type()?,
            Kind::Minus => {
                self.at += 1;
                self.need(Kind::Number)?;
            }
            Kind::Typeof => self.type_of_name()?,
            Kind::Import => self.imported_type()?,
            Kind::Text
            | Kind::Number
            | Kind::Null
            | Kind::True
            | Kind::False
            | Kind::Void
            | Kind::Undefined
            | Kind::This => self.at += 1,
            // Where an expression may be as well, the grammar takes these for names of values only.
            Kind::Async
            | Kind::Await
            | Kind::Declare
            | Kind::Get
            | Kind::Let
            | Kind::Module
            | Kind::Namespace
            | Kind::Override
            | Kind::Private
            | Kind::Protected
            | Kind::Public
            | Kind::Readonly
            | Kind::Set
            | Kind::Static
            | Kind::Type
            | Kind::Yield => return None,
            kind if kind.is_name() => {
                self.at += 1;
                while self.kind() == Kind::Dot {
                    self.taller()?;
                    self.at += 1;
                    self.kind().is_word().then_some(())?;
                    self.at += 1;
                }
                if self.kind() == Kind::Less {
                    self.type_arguments()?;
                }
            }
            _ => return None,
        }
        while self.kind() == Kind::SquareOpen && !self.newline(self.at) {
            self.taller()?;
            self.at += 1;
            if !self.eat(Kind::SquareClose) {
                self.inside(Self::type_)?;
                self.need(Kind::SquareClose)?;
            }
        }
        Some(())
    }

    /// What is in the brackets can be parameters; if not, the arrow after them belongs to a function that gives back
    /// what is in them.
    fn may_be_parameters(&self) -> bool {
        match self.next() {
            Kind::RoundClose | Kind::CurlyOpen | Kind::SquareOpen | Kind::Spread | Kind::This | Kind::At => {
                true
            }
            kind if kind.is_name() => match self.kind_at(self.at + 2) {
                Kind::Colon | Kind::Question | Kind::Comma | Kind::RoundClose | Kind::Assign => true,
                after => after.is_name(),
            },
            _ => false,
        }
    }

    /// A type can begin at a token.
    fn starts_type(&self, at: usize) -> bool {
        let kind = self.kind_at(at);
        kind.is_name()
            || matches!(
                kind,
                Kind::Typeof
                    | Kind::RoundOpen
                    | Kind::CurlyOpen
                    | Kind::SquareOpen
                    | Kind::Text
                    | Kind::This
                    | Kind::Import
                    | Kind::Template
                    | Kind::TemplateHead
            )
    }

    /// `<T>(x: T) => T`, `(x: X) => x is Y`
    fn function_type(&mut self) -> Option<()> {
        if self.kind() == Kind::Less {
            self.type_parameters()?;
        }
        self.parameters()?;
        self.need(Kind::Arrow)?;
        self.return_type()
    }

    /// `typeof name.of.it[0]<T>`
    fn type_of_name(&mut self) -> Option<()> {
        self.need(Kind::Typeof)?;
        if self.kind() == Kind::Import {
            return self.imported_type();
        }
        (self.kind().is_name() || self.kind() == Kind::This).then_some(())?;
        self.at += 1;
        while self.eat(Kind::Dot) {
            self.taller()?;
            self.property()?;
        }
        if self.kind() == Kind::Less && !self.newline(self.at) {
            self.type_arguments()?;
        }
        Some(())
    }

    /// `import("x").y`
    fn imported_type(&mut self) -> Option<()> {
        self.need(Kind::Import)?;
        self.need(Kind::RoundOpen)?;
        self.need(Kind::Text)?;
        self.need(Kind::RoundClose)?;
        while self.eat(Kind::Dot) {
            self.taller()?;
            self.property()?;
        }
        // The grammar has no types of what is imported so.
        (self.kind() != Kind::Less).then_some(())
    }

    fn template_type(&mut self) -> Option<()> {
        self.need(Kind::TemplateHead)?;
        loop {
            self.inside(Self::type_)?;
            if self.eat(Kind::TemplateTail) {
                return Some(());
            }
            self.need(Kind::TemplateMiddle)?;
        }
    }

    /// `[A, B?, ...C]`, `[a: A, b?: B]`
    fn tuple(&mut self) -> Option<()> {
        self.need(Kind::SquareOpen)?;
        self.inside(|reader| {
            while reader.kind() != Kind::SquareClose {
                reader.eat(Kind::Spread);
                let optional = reader.next() == Kind::Question;
                if reader.kind().is_name()
                    && reader.kind_at(reader.at + 1 + usize::from(optional)) == Kind::Colon
                {
                    reader.at += 2 + usize::from(optional);
                    reader.type_()?;
                } else {
                    reader.type_()?;
                    reader.eat(Kind::Question);
                }
                if reader.kind() != Kind::SquareClose {
                    reader.need(Kind::Comma)?;
                }
            }
            reader.at += 1;
            Some(())
        })
    }

    /// `<A, B>`
    pub(super) fn type_arguments(&mut self) -> Option<()> {
        self.need(Kind::Less)?;
        self.inside(|reader| {
            loop {
                reader.type_()?;
                if reader.angles_end()? {
                    return Some(());
                }
            }
        })
    }

    /// The end of a list in angles, or the comma after which it goes on.
    fn angles_end(&mut self) -> Option<bool> {
        if self.eat(Kind::Greater) {
            return Some(true);
        }
        self.need(Kind::Comma)?;
        Some(self.eat(Kind::Greater))
    }

    /// `<T extends A = B>`
    pub(super) fn type_parameters(&mut self) -> Option<()> {
        self.need(Kind::Less)?;
        self.inside(|reader| {
            loop {
                reader.eat(Kind::Const);
                // `in` and `out` are not in the grammar.
                reader.name()?;
                if reader.eat(Kind::Extends) {
                    reader.type_()?;
                }
                if reader.eat(Kind::Assign) {
                    reader.type_()?;
                }
                if reader.angles_end()? {
                    return Some(());
                }
            }
        })
    }

    /// `{ … }` as a type, or as the body of an interface.
    pub(super) fn object_type(&mut self) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        self.inside(|reader| {
            while reader.kind() != Kind::CurlyClose {
                reader.type_member()?;
                match reader.kind() {
                    Kind::CurlyClose => {}
                    Kind::Semicolon | Kind::Comma => reader.at += 1,
                    kind if reader.newline(reader.at)
                        && (kind.is_word()
                            || matches!(
                                kind,
                                Kind::SquareOpen
                                    | Kind::RoundOpen
                                    | Kind::Text
                                    | Kind::Number
                                    | Kind::PrivateName
                            ))
                        && !matches!(kind, Kind::In | Kind::Instanceof) => {}
                    _ => return None,
                }
            }
            reader.at += 1;
            Some(())
        })
    }

    /// A member of an object type, without what separates it from the next.
    fn type_member(&mut self) -> Option<()> {
        let first = self.at;
        match self.kind() {
            Kind::RoundOpen | Kind::Less => return self.signature(),
            Kind::New if matches!(self.next(), Kind::RoundOpen | Kind::Less) => {
                self.at += 1;
                return self.signature();
            }
            Kind::Plus | Kind::Minus if self.next() == Kind::Readonly => self.at += 1,
            _ => {}
        }
        if self.kind() == Kind::Readonly && self.names_property(self.at + 1) {
            self.at += 1;
        }
        if self.kind() == Kind::SquareOpen && self.next().is_name() {
            match self.kind_at(self.at + 2) {
                Kind::Colon | Kind::In => return self.index_member(),
                _ => {}
            }
        }
        if self.at > first && self.kind_at(first) != Kind::Readonly {
            return None;
        }
        if matches!(self.kind(), Kind::Get | Kind::Set) && self.names_property(self.at + 1) {
            if self.newline(self.at + 1) {
                return None;
            }
            self.at += 1;
        }
        if matches!(self.kind(), Kind::Export | Kind::Static) && self.names_property(self.at + 1) {
            return None;
        }
        let name = self.at;
        let after = self.after_name(name)?;
        let called = after + usize::from(self.kind_at(after) == Kind::Question);
        match self.kind_at(called) {
            Kind::RoundOpen | Kind::Less => self.method_head(first, name, after),
            _ => {
                if self.kind() == Kind::SquareOpen {
                    self.computed_name()?;
                }
                self.at = called;
                if self.eat(Kind::Colon) {
                    self.type_()?;
                }
                Some(())
            }
        }
    }

    /// A method without a body, in a type.
    pub(super) fn method_head(&mut self, first: usize, name: usize, after: usize) -> Option<()> {
        let opened = self.begin(&Begin {
            kind: SymbolKind::Method,
            name: (name, after - 1),
            first,
            doc_line: self.token(first).line,
            head: first,
            body: None,
        })?;
        self.at = name;
        if self.kind() == Kind::SquareOpen {
            self.computed_name()?;
        }
        self.at = after;
        self.eat(Kind::Question);
        self.signature()?;
        self.ends(&opened);
        Some(())
    }

    /// A token can be the name of a property, after a word before it.
    pub(super) fn names_property(&self, at: usize) -> bool {
        let kind = self.kind_at(at);
        kind.is_word()
            || matches!(kind, Kind::SquareOpen | Kind::Text | Kind::Number | Kind::PrivateName | Kind::Star)
    }

    /// `[key: string]: T`, `[K in T as U]?: V`
    pub(super) fn index_member(&mut self) -> Option<()> {
        self.need(Kind::SquareOpen)?;
        self.at += 2;
        self.inside(Self::type_)?;
        if self.eat(Kind::As) {
            self.inside(Self::type_)?;
        }
        self.need(Kind::SquareClose)?;
        if matches!(self.kind(), Kind::Plus | Kind::Minus) {
            self.at += 1;
            (self.kind() == Kind::Question).then_some(())?;
        }
        self.eat(Kind::Question);
        self.need(Kind::Colon)?;
        self.type_()
    }
}
