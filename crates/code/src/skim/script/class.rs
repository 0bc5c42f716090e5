//! Classes and what they are made of.

use super::kind::Kind;
use super::read::{Begin, Mode, Reader};
use crate::extract::{add_bases, declare};
use crate::facts::SymbolKind;

impl Reader<'_> {
    /// A class that has no symbol of its own.
    pub(super) fn class_expression(&mut self) -> Option<()> {
        self.need(Kind::Class)?;
        if self.kind().is_name() && !(self.kind() == Kind::Implements && self.typed) {
            self.at += 1;
        }
        self.class_rest()
    }

    /// A class, from its decorators; `outer` is the line of what is around it.
    pub(super) fn class_declaration(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let mut head = first;
        while self.kind_at(head) == Kind::At {
            head = match self.kind_at(head + 1) {
                Kind::RoundOpen => self.after_pair(head + 1),
                _ => self.after_decorator(head + 1),
            };
        }
        let class = head + usize::from(self.kind_at(head) == Kind::Abstract);
        let name = class + 1;
        self.kind_at(name).is_name().then_some(())?;
        let (body, _) = self.skip_class(class)?;
        let mut bases = Vec::new();
        let mut from = name + 1;
        if self.kind_at(from) == Kind::Less && self.typed {
            from = self.look(from, Self::type_parameters)?;
        }
        if from < body {
            matches!(self.kind_at(from), Kind::Extends | Kind::Implements).then_some(())?;
            add_bases(self.bytes(self.token(from).start, self.token(body - 1).end), &mut bases);
        }
        let line = self.token(first).line;
        let begin = Begin {
            kind: SymbolKind::Class,
            name: (name, name),
            first,
            doc_line: outer.map_or(line, |outer| outer.min(line)),
            head,
            body: Some(body),
        };
        let opened = self.begin_in(&begin, bases, String::new())?;
        while self.kind() == Kind::At {
            self.decorator()?;
        }
        self.at = name + 1;
        self.class_rest()?;
        if class == head {
            self.may_end(self.could_be_value(first, outer));
        }
        self.ends(&opened);
        Some(())
    }

    /// Types, what is inherited, and the body.
    fn class_rest(&mut self) -> Option<()> {
        if self.kind() == Kind::Less && self.typed {
            self.type_parameters()?;
        }
        if self.eat(Kind::Extends) {
            loop {
                self.inherited()?;
                if !(self.typed && self.eat(Kind::Comma)) {
                    break;
                }
            }
        }
        if self.typed && self.eat(Kind::Implements) {
            loop {
                self.type_()?;
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        self.class_body()
    }

    /// What a class inherits from.
    fn inherited(&mut self) -> Option<()> {
        self.deeper()?;
        self.inside(Self::postfix)?;
        if self.kind() == Kind::Less && self.typed {
            self.type_arguments()?;
        }
        self.up();
        Some(())
    }

    fn class_body(&mut self) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        self.deeper()?;
        let around = std::mem::replace(&mut self.mode, Mode { line_ends: true, ..Mode::default() });
        while self.kind() != Kind::CurlyClose {
            if !self.eat(Kind::Semicolon) {
                self.class_member()?;
            }
        }
        self.at += 1;
        self.mode = around;
        self.up();
        Some(())
    }

    fn class_member(&mut self) -> Option<()> {
        let first = self.at;
        if self.kind() == Kind::Static && self.next() == Kind::CurlyOpen {
            self.at += 1;
            return self.block();
        }
        let mut head = first;
        while self.kind_at(head) == Kind::At {
            head = match self.kind_at(head + 1) {
                Kind::RoundOpen => self.after_pair(head + 1),
                _ => self.after_decorator(head + 1),
            };
        }
        let mut name = head;
        let (mut is_abstract, mut plain_field) = (false, false);
        loop {
            let kind = self.kind_at(name);
            let modifier = match kind {
                Kind::Star => true,
                Kind::Static | Kind::Async | Kind::Get | Kind::Set => self.names_property(name + 1),
                Kind::Public
                | Kind::Private
                | Kind::Protected
                | Kind::Readonly
                | Kind::Override
                | Kind::Abstract
                | Kind::Declare
                | Kind::Accessor
                    if self.typed =>
                {
                    self.names_property(name + 1)
                }
                _ => false,
            };
            if !modifier {
                break;
            }
            is_abstract |= kind == Kind::Abstract;
            plain_field |= matches!(kind, Kind::Declare | Kind::Accessor);
            name += 1;
            if self.newline(name) {
                return None;
            }
        }
        if self.typed && self.kind_at(name) == Kind::SquareOpen && self.kind_at(name + 1).is_name() {
            match self.kind_at(name + 2) {
                Kind::Colon | Kind::In if head == first => {
                    // The grammar knows no more than `readonly` before it.
                    if name > head + 1 || name > head && self.kind_at(head) != Kind::Readonly {
                        return None;
                    }
                    self.at = name;
                    self.index_member()?;
                    return self.member_ends();
                }
                _ => {}
            }
        }
        let after = self.after_name(name)?;
        let mark = usize::from(self.typed && matches!(self.kind_at(after), Kind::Question | Kind::Bang));
        match self.kind_at(after + mark) {
            Kind::RoundOpen | Kind::Less if !plain_field => {
                // The grammar of TypeScript has the decorators of a method beside it, that of JavaScript in it.
                let decorated = head > first && self.typed;
                while decorated && self.kind() == Kind::At {
                    self.decorator()?;
                }
                let first = if decorated { head } else { first };
                match self.body_of_method(after) {
                    Some(body) => {
                        if is_abstract {
                            return None;
                        }
                        self.method_from(first, head, name, after, body)?;
                        self.eat(Kind::Semicolon);
                        Some(())
                    }
                    None if self.typed && !decorated => {
                        self.method_head(first, name, after)?;
                        self.member_ends()
                    }
                    None => None,
                }
            }
            _ => self.field(first, head, name, after),
        }
    }

    /// What is before the name of a member, and the name, up to the token after it.
    fn decorators_and_name(&mut self, name: usize, after: usize) -> Option<()> {
        while self.kind() == Kind::At {
            self.decorator()?;
        }
        self.at = name;
        if self.kind() == Kind::SquareOpen {
            self.computed_name()?;
        }
        self.at = after;
        Some(())
    }

    /// The body of a method, looking ahead from after its name.
    fn body_of_method(&mut self, after: usize) -> Option<usize> {
        let optional = self.kind_at(after) == Kind::Question && self.typed;
        let at = self.after_signature(after + usize::from(optional))?;
        (self.kind_at(at) == Kind::CurlyOpen).then_some(at)
    }

    /// A method of an object.
    pub(super) fn method(&mut self, first: usize, name: usize, after: usize) -> Option<()> {
        let body = self.body_of_method(after)?;
        self.method_from(first, first, name, after, body)
    }

    fn method_from(
        &mut self,
        first: usize,
        head: usize,
        name: usize,
        after: usize,
        body: usize,
    ) -> Option<()> {
        let opened = self.begin(&Begin {
            kind: SymbolKind::Method,
            name: (name, after - 1),
            first,
            doc_line: self.token(first).line,
            head,
            body: Some(body),
        })?;
        self.decorators_and_name(name, after)?;
        if self.typed {
            self.eat(Kind::Question);
        }
        self.signature()?;
        if self.at != body {
            return None;
        }
        self.block()?;
        self.may_end(false);
        self.ends(&opened);
        Some(())
    }

    fn field(&mut self, first: usize, head: usize, name: usize, after: usize) -> Option<()> {
        let single = after == name + 1;
        // The type is told before the field is.
        let mut at = after;
        if self.typed && matches!(self.kind_at(at), Kind::Question | Kind::Bang) {
            at += 1;
        }
        let mut typed_to = None;
        if self.typed && self.kind_at(at) == Kind::Colon {
            let to = self.look(at + 1, Self::type_)?;
            typed_to = Some(to);
            if single {
                let text = self.bytes(self.token(at).start, self.token(to - 1).end);
                self.value_is(name, text, true);
            }
            at = to;
        }
        let mut kind = None;
        let mut body = None;
        if self.kind_at(at) == Kind::Assign {
            if typed_to.is_none()
                && single
                && let Some((from, to)) = self.made(at + 1)?
            {
                self.value_is(name, self.bytes(from, to), true);
            }
            if let Some(value) = self.function_value(at + 1)? {
                kind = Some(value.kind);
                body = Some(value.body);
            }
        }
        let text = self.bytes(self.token(name).start, self.token(after - 1).end);
        let opened = self.begin(&Begin {
            kind: kind.unwrap_or_else(|| declare::value(text)),
            name: (name, after - 1),
            first,
            doc_line: self.token(first).line,
            head,
            body,
        })?;
        self.decorators_and_name(name, after)?;
        if self.typed && matches!(self.kind(), Kind::Question | Kind::Bang) {
            self.at += 1;
        }
        if typed_to.is_some() {
            self.need(Kind::Colon)?;
            self.type_()?;
        }
        if self.eat(Kind::Assign) {
            self.expression()?;
            if kind.is_none() {
                self.unless_wrapped()?;
            }
        }
        self.ends(&opened);
        self.member_ends()
    }

    /// What separates a member of a class from the next.
    fn member_ends(&mut self) -> Option<()> {
        match self.kind() {
            Kind::Semicolon => self.at += 1,
            Kind::Comma if self.typed => self.at += 1,
            Kind::CurlyClose => {}
            kind if self.newline(self.at)
                && (kind.is_word()
                    || matches!(kind, Kind::At | Kind::Text | Kind::Number | Kind::PrivateName)
                    || kind == Kind::SquareOpen && self.typed)
                && !matches!(kind, Kind::In | Kind::Instanceof) => {}
            _ => return None,
        }
        Some(())
    }
}
