//! Elements of JSX: one with a capital letter is a call.

use super::kind::Kind;
use super::read::{On, Reader};

impl Reader<'_> {
    /// An element with all that is in it.
    pub(super) fn element(&mut self) -> Option<()> {
        self.deeper()?;
        self.need(Kind::TagOpen)?;
        if self.kind() == Kind::Ident {
            self.tag_name(true)?;
            self.attributes()?;
        }
        if self.eat(Kind::TagSelfEnd) {
            self.up();
            return Some(());
        }
        self.need(Kind::TagEnd)?;
        loop {
            match self.kind() {
                Kind::CurlyOpen => self.hole()?,
                Kind::TagOpen => self.element()?,
                Kind::TagClose => {
                    self.at += 1;
                    if self.kind() == Kind::Ident {
                        self.tag_name(false)?;
                    }
                    self.need(Kind::TagEnd)?;
                    self.up();
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn tag_name(&mut self, opens: bool) -> Option<()> {
        let first = self.at;
        self.at += 1;
        if self.eat(Kind::Colon) {
            return self.need(Kind::Ident);
        }
        let mut on = self.on_name(first);
        let mut called = (first, On::Nothing);
        while self.eat(Kind::Dot) {
            let name = self.at;
            self.need(Kind::Ident)?;
            called = (name, on);
            on = match on {
                On::Own => On::OwnField(name),
                On::Name(of) => On::Field(of, name),
                _ => On::Unknown,
            };
        }
        // Small letters are elements of HTML.
        if opens && self.text(first).chars().next().is_some_and(char::is_uppercase) {
            self.call(called.0, called.1);
        }
        if opens && self.kind() == Kind::Less {
            self.type_arguments()?;
        }
        Some(())
    }

    fn attributes(&mut self) -> Option<()> {
        loop {
            match self.kind() {
                Kind::CurlyOpen => self.hole()?,
                Kind::Ident => {
                    self.at += 1;
                    if self.eat(Kind::Colon) {
                        self.need(Kind::Ident)?;
                    }
                    if self.eat(Kind::Assign) {
                        match self.kind() {
                            Kind::Text => self.at += 1,
                            Kind::CurlyOpen => self.hole()?,
                            Kind::TagOpen => self.element()?,
                            _ => return None,
                        }
                    }
                }
                _ => return Some(()),
            }
        }
    }

    /// `{ … }` among what is in an element.
    fn hole(&mut self) -> Option<()> {
        self.need(Kind::CurlyOpen)?;
        if self.eat(Kind::CurlyClose) {
            return Some(());
        }
        self.inside(|reader| {
            if reader.eat(Kind::Spread) {
                return reader.expression().map(|_| ());
            }
            reader.expressions().map(|_| ())
        })?;
        self.need(Kind::CurlyClose)
    }
}
