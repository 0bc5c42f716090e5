//! The declarations that only TypeScript has: interfaces, aliases, enumerations, namespaces.

use super::kind::Kind;
use super::read::{Begin, Reader};
use crate::extract::add_bases;
use crate::facts::SymbolKind;

impl Reader<'_> {
    /// `interface Name<T> extends A { … }`
    pub(super) fn interface(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let name = first + 1;
        let mut at = name + 1;
        if self.kind_at(at) == Kind::Less {
            at = self.look(at, Self::type_parameters)?;
        }
        let mut bases = Vec::new();
        let mut body = at;
        if self.kind_at(at) == Kind::Extends {
            body = self.look(at + 1, Self::interface_bases)?;
            add_bases(self.bytes(self.token(at).start, self.token(body - 1).end), &mut bases);
        }
        let begin = Begin {
            kind: SymbolKind::Interface,
            name: (name, name),
            first,
            doc_line: self.doc_line(first, outer),
            head: first,
            body: Some(body),
        };
        let opened = self.begin_in(&begin, bases, String::new())?;
        self.at = name + 1;
        if self.kind() == Kind::Less {
            self.type_parameters()?;
        }
        if self.eat(Kind::Extends) {
            self.interface_bases()?;
        }
        if self.at != body {
            return None;
        }
        self.object_type()?;
        self.ends(&opened);
        Some(())
    }

    fn interface_bases(&mut self) -> Option<()> {
        loop {
            self.kind().is_name().then_some(())?;
            self.type_()?;
            if !self.eat(Kind::Comma) {
                return Some(());
            }
        }
    }

    /// `type Name<T> = …`
    pub(super) fn alias(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let name = first + 1;
        let mut at = name + 1;
        if self.kind_at(at) == Kind::Less {
            at = self.look(at, Self::type_parameters)?;
        }
        if self.kind_at(at) != Kind::Assign {
            return None;
        }
        let opened = self.begin(&Begin {
            kind: SymbolKind::Type,
            name: (name, name),
            first,
            doc_line: self.doc_line(first, outer),
            head: first,
            body: Some(at + 1),
        })?;
        self.at = name + 1;
        if self.kind() == Kind::Less {
            self.type_parameters()?;
        }
        self.need(Kind::Assign)?;
        self.inside(Self::type_)?;
        self.semicolon(true)?;
        self.ends(&opened);
        Some(())
    }

    /// `enum Name { … }`, `const enum Name { … }`
    pub(super) fn enum_(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let name = first + 1 + usize::from(self.kind() == Kind::Const);
        self.kind_at(name).is_name().then_some(())?;
        let opened = self.begin(&Begin {
            kind: SymbolKind::Enum,
            name: (name, name),
            first,
            doc_line: self.doc_line(first, outer),
            head: first,
            body: Some(name + 1),
        })?;
        self.at = name + 1;
        self.need(Kind::CurlyOpen)?;
        while self.kind() != Kind::CurlyClose {
            let after = self.after_name(self.at)?;
            if self.kind() == Kind::SquareOpen {
                self.computed_name()?;
            }
            self.at = after;
            if self.eat(Kind::Assign) {
                self.inside(Self::expression)?;
            }
            if self.kind() != Kind::CurlyClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        self.ends(&opened);
        Some(())
    }

    /// `namespace a.b { … }`, `module "a" { … }`
    pub(super) fn module(&mut self, outer: Option<u32>) -> Option<()> {
        let first = self.at;
        let name = first + 1;
        let mut body = name + 1;
        while self.kind_at(name).is_name() && self.kind_at(body) == Kind::Dot {
            body += 2;
        }
        let has_body = self.kind_at(body) == Kind::CurlyOpen;
        let opened = self.begin(&Begin {
            kind: SymbolKind::Module,
            name: (name, body - 1),
            first,
            doc_line: self.doc_line(first, outer),
            head: first,
            body: has_body.then_some(body),
        })?;
        self.at = body;
        if has_body {
            self.block()?;
            self.ends(&opened);
            return Some(());
        }
        self.ends(&opened);
        self.semicolon(true)
    }
}
