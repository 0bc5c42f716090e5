//! What a file brings in: the trees of `use`.

use super::Reader;
use super::token::{Bracket, Tok};
use crate::extract::imports;
use crate::facts::Import;

const CURLY: Tok = Tok::Open(Bracket::Curly);
const CURLY_END: Tok = Tok::Close(Bracket::Curly);

impl Reader<'_> {
    /// The tree of a `use` and its semicolon; the word was taken.
    pub(super) fn use_tree(&mut self, public: bool) -> Option<()> {
        let from = self.at;
        self.use_clause("", public)?;
        self.expect(Tok::Semicolon)?;
        // The walk of a tree gives up on longer ones.
        (self.at - from < 5_000).then_some(())
    }

    /// One clause, below the path of those around it.
    fn use_clause(&mut self, above: &str, public: bool) -> Option<()> {
        let first = self.at;
        let line = self.here().line;
        let join = |tail: &str| if above.is_empty() { tail.to_owned() } else { format!("{above}::{tail}") };
        if self.eat(Tok::Star) {
            self.bring(above, "*", "", line, public);
            return Some(());
        }
        let mut head = (0, 0);
        loop {
            match self.kind() {
                Tok::Name | Tok::Own | Tok::Super | Tok::Crate => {
                    self.bump();
                    head = self.since(first);
                    if !self.eat(Tok::Colons) {
                        break;
                    }
                }
                // `::std`, `::{…}`
                Tok::Colons if self.at == first => self.bump(),
                CURLY => {
                    let path = if head.1 > 0 { join(self.span(head)) } else { above.to_owned() };
                    return self.use_list(imports::module(&path), public);
                }
                Tok::Star if head.1 > 0 => {
                    self.bump();
                    let module = join(self.span(head));
                    self.bring(&module, "*", "", line, public);
                    return Some(());
                }
                _ => return None,
            }
        }
        let written = self.span(head);
        let alias = if self.eat(Tok::As) {
            let alias = self.here();
            matches!(alias.kind, Tok::Name | Tok::Underscore).then_some(())?;
            self.bump();
            Some(self.word(alias))
        } else {
            None
        };
        let whole = if written == "self" && alias.is_none() { above.to_owned() } else { join(written) };
        let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
        self.bring(module, name, alias.unwrap_or(name), line, public);
        Some(())
    }

    fn bring(&mut self, module: &str, name: &str, alias: &str, line: u32, public: bool) {
        let (module, name, alias) = (imports::module(module).to_owned(), name.to_owned(), alias.to_owned());
        self.gather.import([Import { module, name, alias, line, public }]);
    }

    fn use_list(&mut self, path: &str, public: bool) -> Option<()> {
        let outer = self.deeper()?;
        self.bump();
        while !self.eat(CURLY_END) {
            self.use_clause(path, public)?;
            self.comma_or(CURLY_END)?;
        }
        self.back(outer);
        Some(())
    }
}
