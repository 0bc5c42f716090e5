//! Macros: their calls, whose tokens mean nothing here, and the rules of those that are declared.

use super::Reader;
use super::operands::On;
use super::token::{Tok, Token};

impl Reader<'_> {
    /// Passes over brackets and what is in them.
    pub(super) fn skip_brackets(&mut self) -> Option<()> {
        let token = self.here();
        matches!(token.kind, Tok::Open(_)).then_some(())?;
        self.at = token.closed_by() + 1;
        Some(())
    }

    /// True when the next tokens are the `!` and the bracket of a macro.
    pub(super) fn is_macro(&self) -> bool {
        self.kind() == Tok::Bang && matches!(self.ahead(1), Tok::Open(_))
    }

    /// A macro's call: its name was taken already, its `!` is next.
    pub(super) fn macro_call(&mut self, name: Token) -> Option<()> {
        // Rules that have lost their name.
        (self.word(name) != "macro_rules").then_some(())?;
        self.expect(Tok::Bang)?;
        self.call(name, On::Nothing);
        self.skip_brackets()
    }

    /// `(pattern) => { tokens };`, one after the other, in brackets that are next.
    pub(super) fn macro_rule_list(&mut self) -> Option<()> {
        let token = self.here();
        matches!(token.kind, Tok::Open(_)).then_some(())?;
        let end = token.closed_by();
        self.bump();
        while self.at < end {
            self.rule_part(true)?;
            self.expect(Tok::FatArrow)?;
            self.rule_part(false)?;
            (self.eat(Tok::Semicolon) || self.at == end).then_some(())?;
        }
        self.bump();
        Some(())
    }

    /// One side of a rule: every `$` in it must be a variable or a repetition, as the grammar knows them.
    fn rule_part(&mut self, pattern: bool) -> Option<()> {
        let from = self.at;
        self.skip_brackets()?;
        for number in from..self.at {
            let token = self.token(number);
            if token.kind != Tok::Macro || self.word(token) != "$" {
                continue;
            }
            let next = self.token(number + 1);
            if let Tok::Open(_) = next.kind {
                self.is_repeated(next.closed_by() + 1).then_some(())?;
                continue;
            }
            let named = self.joined(number)
                && self.word(next).starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            named.then_some(())?;
            if pattern && self.token(number + 2).kind == Tok::Colon {
                self.is_fragment(self.token(number + 3)).then_some(())?;
            }
        }
        Some(())
    }

    /// `*`, `+` or `?`, with something between or not.
    fn is_repeated(&self, number: usize) -> bool {
        (number..number + 3).any(|number| self.word(self.token(number)).starts_with(['*', '+', '?']))
    }

    fn is_fragment(&self, token: Token) -> bool {
        matches!(
            self.word(token),
            "block"
                | "expr"
                | "expr_2021"
                | "ident"
                | "item"
                | "lifetime"
                | "literal"
                | "meta"
                | "pat"
                | "pat_param"
                | "path"
                | "stmt"
                | "tt"
                | "ty"
                | "vis"
        )
    }
}
