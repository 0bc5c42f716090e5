//! Symbols: opened where their names are, completed where their heads and bodies end.

use super::token::Tok;
use super::{Reader, Span};
use crate::extract::{add_bases, declare, head};
use crate::facts::{Symbol, SymbolKind};
use crate::language::Language;

impl Reader<'_> {
    /// Opens a symbol: what is read until it is closed is inside it.
    pub(super) fn open(&mut self, kind: SymbolKind, first: usize, name: String, line: u32) {
        let start = self.token(first);
        let symbol = Symbol {
            name,
            kind,
            line,
            end_line: line,
            parent: None,
            container: String::new(),
            signature: String::new(),
            doc: head::above(Language::Rust, self.source, start.line),
            bases: Vec::new(),
            bytes: (start.start as usize, start.start as usize),
        };
        self.open += 1;
        self.gather.declare(symbol, Some(self.open));
    }

    /// Opens a symbol whose name is the next token.
    pub(super) fn open_named(&mut self, kind: SymbolKind, first: usize) -> Option<()> {
        let name = self.name()?;
        self.open(kind, first, declare::clean(self.word(name)), name.line);
        Some(())
    }

    /// The head of the open symbol ends at a byte.
    pub(super) fn headed(&mut self, end: u32) {
        let text = self.text;
        if let Some(symbol) = self.gather.opened(self.open) {
            let head = text.get(symbol.bytes.0..end as usize).unwrap_or("");
            symbol.signature = head::of_text(head, symbol.kind);
        }
    }

    /// The head of the open symbol ends where the next token begins.
    pub(super) fn headed_here(&mut self) {
        self.headed(self.here().start);
    }

    /// The open symbol ends with the token that was taken last.
    pub(super) fn close(&mut self) {
        let last = self.token(self.at.saturating_sub(1));
        if let Some(symbol) = self.gather.opened(self.open) {
            symbol.end_line = last.line.max(symbol.line);
            symbol.bytes.1 = last.end() as usize;
        }
        self.gather.close(self.open);
        self.open -= 1;
    }

    /// The semicolon that ends a symbol without a body.
    pub(super) fn bare(&mut self) -> Option<()> {
        self.expect(Tok::Semicolon)?;
        self.headed(self.token(self.at - 1).end());
        self.close();
        Some(())
    }

    /// What the open symbol inherits from, as it is written.
    pub(super) fn inherits(&mut self, list: Span) {
        let list = self.span(list);
        if let Some(symbol) = self.gather.opened(self.open) {
            add_bases(list, &mut symbol.bases);
        }
    }
}
