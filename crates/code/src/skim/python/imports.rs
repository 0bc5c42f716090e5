//! What `import` and `from` bring in, one entry for each name.
//! The rules are those of `extract::imports`, for tokens.

use super::Reader;
use super::token::Kind;
use crate::extract::imports;
use crate::facts::Import;

impl Reader<'_> {
    /// A name with dots, from one token on: the number of the token behind it.
    fn dotted(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.token(at).kind != Kind::Name {
                return None;
            }
            at += 1;
            if self.token(at).kind != Kind::Dot {
                return Some(at);
            }
            at += 1;
        }
    }

    /// A name and the name that it gets: where both are, and the number of the token behind them.
    fn aliased(&self, from: usize) -> Option<(String, String, usize)> {
        let end = self.dotted(from)?;
        let name = self.span(from, end - 1).to_owned();
        if self.token(end).kind != Kind::As {
            let alias = name.clone();
            return Some((name, alias, end));
        }
        let alias = self.token(end + 1);
        (alias.kind == Kind::Name).then(|| (name, self.text_of(alias).to_owned(), end + 2))
    }

    pub(super) fn imports(&mut self, from: usize, to: usize) -> Option<()> {
        let line = self.token(from).line;
        let mut at = from + 1;
        while at < to {
            let (module, alias, behind) = self.aliased(at)?;
            let module = imports::module(&module).to_owned();
            self.gather.import([Import { module, name: String::new(), alias, line, public: false }]);
            let comma = self.token(behind).kind == Kind::Comma;
            if !comma && behind != to {
                return None;
            }
            at = behind + 1;
        }
        (from + 1 < to).then_some(())
    }

    pub(super) fn imports_from(&mut self, from: usize, to: usize) -> Option<()> {
        let line = self.token(from).line;
        let mut at = from + 1;
        while matches!(self.token(at).kind, Kind::Dot | Kind::Ellipsis) {
            at += 1;
        }
        if at == from + 1 || self.token(at).kind == Kind::Name {
            at = self.dotted(at)?;
        }
        let module = self.span(from + 1, at - 1).replace(char::is_whitespace, "");
        let module = imports::module(&module).to_owned();
        if self.token(at).kind != Kind::Import {
            return None;
        }
        // What comes from the future is no module.
        let future = module == "__future__";
        at += 1;
        let mut end = to;
        match self.token(at).kind {
            Kind::Star if at + 1 == to && !future => {
                let name = "*".to_owned();
                self.gather.import([Import { module, name, alias: String::new(), line, public: true }]);
                return Some(());
            }
            Kind::Round if self.behind(at) == to => {
                at += 1;
                end -= 1;
            }
            _ => {}
        }
        if at == end {
            return None;
        }
        while at < end {
            let (name, alias, behind) = self.aliased(at)?;
            if !future {
                let module = module.clone();
                self.gather.import([Import { module, name, alias, line, public: true }]);
            }
            let comma = self.token(behind).kind == Kind::Comma;
            if !comma && behind != end {
                return None;
            }
            at = behind + 1;
        }
        Some(())
    }
}
