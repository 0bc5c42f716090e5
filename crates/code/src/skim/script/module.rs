//! What a script brings in and what it gives on.

use super::kind::Kind;
use super::read::{Begin, Reader};
use crate::extract::imports;
use crate::facts::Import;

/// A string without its quotes.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`', '<', '>'])
}

impl Reader<'_> {
    /// A name is brought in.
    pub(super) fn brings(&mut self, line: u32, module: &str, name: &str, alias: &str, public: bool) {
        if !self.quiet {
            self.gather.import([Import {
                module: imports::module(module).to_owned(),
                name: name.to_owned(),
                alias: alias.to_owned(),
                line,
                public,
            }]);
        }
    }

    /// `import …`
    pub(super) fn import(&mut self) -> Option<()> {
        let line = self.token(self.at).line;
        self.at += 1;
        if self.kind() == Kind::Text {
            let module = unquoted(self.text(self.at));
            self.at += 1;
            self.brings(line, module, "", "", false);
            return self.import_ends();
        }
        // `import type X from`, but not `import type from`.
        let is_type = self.typed
            && self.kind() == Kind::Type
            && (self.next() != Kind::From && self.next().is_name()
                || matches!(self.next(), Kind::CurlyOpen | Kind::Star)
                || self.next() == Kind::From && self.kind_at(self.at + 2) == Kind::From);
        self.at += usize::from(is_type);
        let default = self.kind().is_name().then_some(self.at);
        if let Some(name) = default {
            self.at = name + 1;
            if self.typed && self.eat(Kind::Assign) {
                return self.import_alias(is_type);
            }
            if self.kind() != Kind::From {
                self.need(Kind::Comma)?;
            }
        }
        let mut space = None;
        let mut list = None;
        match self.kind() {
            Kind::Star => {
                self.at += 1;
                self.need(Kind::As)?;
                if self.token(self.at).comment {
                    return None;
                }
                space = Some(self.name()?);
            }
            Kind::CurlyOpen => {
                list = Some(self.at);
                self.at = self.after_pair(self.at);
            }
            _ => {}
        }
        self.need(Kind::From)?;
        (self.kind() == Kind::Text).then_some(())?;
        let module = unquoted(self.text(self.at));
        self.at += 1;
        let after = self.at;
        let mut found = false;
        if let Some(name) = default {
            self.brings(line, module, "default", self.text(name), false);
            found = true;
        }
        if let Some(name) = space {
            self.brings(line, module, "", self.text(name), false);
            found = true;
        }
        if let Some(list) = list {
            found |= self.specifiers(list, line, Some(module), false)?;
        }
        if !found {
            self.brings(line, module, "", "", false);
        }
        self.at = after;
        self.import_ends()
    }

    /// `import a = b.c`, `import a = require("b")`: they bring in nothing by name.
    fn import_alias(&mut self, is_type: bool) -> Option<()> {
        if self.kind() == Kind::Require && self.next() == Kind::RoundOpen {
            self.at += 2;
            self.need(Kind::Text)?;
            self.need(Kind::RoundClose)?;
            return self.semicolon(false);
        }
        if is_type {
            return None;
        }
        self.name()?;
        while self.eat(Kind::Dot) {
            self.name()?;
        }
        self.semicolon(true)
    }

    /// `with { type: "json" }`, and the end of the statement.
    fn import_ends(&mut self) -> Option<()> {
        if self.kind() == Kind::With {
            self.at += 1;
            self.object()?;
        }
        self.semicolon(false)
    }

    /// `{ a, b as c, type D }`; true when there is at least one.
    fn specifiers(&mut self, open: usize, line: u32, module: Option<&str>, public: bool) -> Option<bool> {
        self.at = open + 1;
        let mut found = false;
        while self.kind() != Kind::CurlyClose {
            let typed = self.typed;
            let word = |kind: Kind| {
                kind.is_name() || matches!(kind, Kind::Text | Kind::Default) || typed && kind.is_word()
            };
            if self.typed && self.kind() == Kind::Type {
                // `type as as x`, `type as`: nobody writes that.
                if self.next() == Kind::As {
                    return None;
                }
                self.at += usize::from(word(self.next()));
            }
            let name = self.at;
            word(self.kind()).then_some(())?;
            self.at += 1;
            let mut alias = name;
            if self.eat(Kind::As) {
                alias = self.at;
                word(self.kind()).then_some(())?;
                self.at += 1;
            } else if !public && !self.kind_at(name).is_name() {
                return None;
            }
            if let Some(module) = module {
                self.brings(line, module, unquoted(self.text(name)), unquoted(self.text(alias)), public);
            }
            found = true;
            if self.kind() != Kind::CurlyClose {
                self.need(Kind::Comma)?;
            }
        }
        self.at += 1;
        Some(found)
    }

    /// `export …`, from its decorators.
    pub(super) fn export(&mut self) -> Option<()> {
        let first = self.at;
        let line = self.token(first).line;
        while self.kind() == Kind::At {
            self.decorator()?;
        }
        let decorated = self.at > first;
        let keyword = self.at;
        self.need(Kind::Export)?;
        // The grammar takes `export` at the end of a line for a name.
        if self.newline(self.at) {
            return None;
        }
        let next = self.next();
        match self.kind() {
            Kind::Star if !decorated => {
                self.at += 1;
                let alias = if self.eat(Kind::As) {
                    if self.token(self.at).comment {
                        return None;
                    }
                    (self.kind().is_name() || matches!(self.kind(), Kind::Default | Kind::Text))
                        .then_some(())?;
                    if self.kind() == Kind::Default {
                        return None;
                    }
                    self.at += 1;
                    Some(self.at - 1)
                } else {
                    None
                };
                self.need(Kind::From)?;
                (self.kind() == Kind::Text).then_some(())?;
                let module = unquoted(self.text(self.at));
                self.at += 1;
                match alias {
                    Some(alias) => self.brings(line, module, "", self.text(alias), true),
                    None => self.brings(line, module, "*", "", true),
                }
                self.semicolon(false)
            }
            Kind::CurlyOpen if !decorated => self.export_list(line),
            Kind::Type if next == Kind::CurlyOpen && self.typed && !decorated => {
                self.at += 1;
                self.export_list(line)
            }
            Kind::Assign if self.typed && !decorated => {
                self.at += 1;
                self.expression()?;
                self.semicolon(false)
            }
            Kind::As if self.typed && next == Kind::Namespace && !decorated => {
                self.at += 2;
                self.name()?;
                self.semicolon(true)
            }
            Kind::Import if self.typed => {
                self.at += 1;
                self.name()?;
                self.need(Kind::Assign)?;
                if self.kind() == Kind::Require {
                    return None;
                }
                self.import_alias(false)
            }
            Kind::Default => {
                self.at += 1;
                self.export_default(first, keyword, line)
            }
            _ => self.declaration(Some(line))?.then_some(()),
        }
    }

    fn export_list(&mut self, line: u32) -> Option<()> {
        let open = self.at;
        let close = self.after_pair(open);
        if self.kind_at(close) != Kind::From {
            self.specifiers(open, line, None, true)?;
            return self.semicolon(false);
        }
        (self.kind_at(close + 1) == Kind::Text).then_some(())?;
        let module = unquoted(self.text(close + 1));
        if !self.specifiers(open, line, Some(module), true)? {
            self.brings(line, module, "*", "", true);
        }
        self.at = close + 2;
        self.semicolon(false)
    }

    /// `export default …`
    fn export_default(&mut self, first: usize, keyword: usize, line: u32) -> Option<()> {
        let next = self.next();
        let declares = match self.kind() {
            Kind::Function => next.is_name() || next == Kind::Star && self.kind_at(self.at + 2).is_name(),
            Kind::Async => {
                next == Kind::Function
                    && (self.kind_at(self.at + 2).is_name()
                        || self.kind_at(self.at + 2) == Kind::Star && self.kind_at(self.at + 3).is_name())
            }
            Kind::Class => next.is_name() && !(next == Kind::Implements && self.typed),
            Kind::Abstract => next == Kind::Class && self.typed,
            Kind::Interface => next.is_name() && self.typed,
            Kind::At => true,
            _ => false,
        };
        if declares {
            return self.declaration(Some(line))?.then_some(());
        }
        let at = self.at;
        let Some(value) = self.function_value(at)? else {
            self.expression()?;
            self.unless_wrapped()?;
            return self.semicolon(false);
        };
        // The line is that of the function, which may be wrapped.
        let opened = self.begin(&Begin {
            kind: value.kind,
            name: (keyword, value.first),
            first,
            doc_line: line,
            head: keyword,
            body: Some(value.body),
        })?;
        self.expression()?;
        self.semicolon(false)?;
        self.ends(&opened);
        Some(())
    }
}
