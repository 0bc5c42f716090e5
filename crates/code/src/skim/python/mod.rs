//! Python by eye, one logical line at a time: the blocks that it opens and closes, its statements, the calls in them.
//! What the parser would take otherwise, or not at all, is left to it.

mod assign;
mod chain;
mod imports;
mod lex;
mod operators;
mod statement;
mod strings;
#[cfg(test)]
mod tests;
mod token;
mod walk;
mod words;

use crate::extract::gather::Gather;
use crate::extract::head;
use crate::facts::{Facts, SymbolKind};
use crate::source::Source;
use lex::Lexer;
use token::{Kind, Token};
use walk::Frame;

/// What a block belongs to, as far as it says what may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    /// Not one that something follows.
    Other,
    If,
    Loop,
    Try,
    Except,
    /// The `else` of a `try`.
    TryElse,
    Match,
}

/// A block that one is inside of.
struct Block {
    opener: Opener,
    /// The function or class that ends with it.
    symbol: Option<u32>,
    /// What the last statement in it was.
    before: Opener,
}

/// A function or class whose body has not been seen.
struct Head {
    symbol: u32,
    start: u32,
    kind: SymbolKind,
}

/// What reads a text.
struct Reader<'a> {
    lexer: Lexer<'a>,
    gather: Gather,
    blocks: Vec<Block>,
    head: Option<Head>,
    /// What the block that comes next belongs to.
    opens: Opener,
    /// A decorator waits for what it decorates.
    decorated: bool,
    /// What is open in the values that are walked.
    frames: Vec<Frame>,
    /// Bytes that may be read a second time.
    left: usize,
}

/// The facts of a text; nothing when it is one for the parser.
pub(super) fn facts(source: &Source) -> Option<Facts> {
    let text = source.text.as_str();
    // Places are counted in 32 bits.
    if text.len() > (u32::MAX / 2) as usize {
        return None;
    }
    let mut reader = Reader {
        lexer: Lexer::new(text),
        gather: Gather::new(source.lines(), source.remark().into_iter().collect()),
        blocks: vec![Block { opener: Opener::Other, symbol: None, before: Opener::Other }],
        head: None,
        opens: Opener::Other,
        decorated: false,
        frames: Vec::new(),
        left: text.len() * 8 + 10_000,
    };
    while reader.lexer.next()? {
        reader.line()?;
    }
    reader.close_blocks()?;
    (!reader.decorated).then(|| reader.gather.finish())
}

impl<'a> Reader<'a> {
    /// A token of the line.
    fn token(&self, number: usize) -> Token {
        self.lexer.token(number)
    }

    /// The number of the token behind this one, or behind what it opens.
    fn behind(&self, number: usize) -> usize {
        let token = self.token(number);
        if token.kind.opens() { token.pair as usize + 1 } else { number + 1 }
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.lexer.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// The text from one token to another, both counted.
    fn span(&self, first: usize, last: usize) -> &'a str {
        let (first, last) = (self.token(first), self.token(last));
        self.lexer.text.get(first.start as usize..last.end as usize).unwrap_or("")
    }

    /// The line that a token ends on.
    fn end_line(&self, token: Token) -> u32 {
        match token.kind {
            Kind::Text => {
                let lines = self.text_of(token).bytes().filter(|byte| *byte == b'\n').count();
                token.line + lines as u32
            }
            _ => token.line,
        }
    }

    /// Leaves the blocks that end before the line.
    fn close_blocks(&mut self) -> Option<()> {
        if self.lexer.closed.is_empty() {
            return Some(());
        }
        if self.decorated {
            return None;
        }
        let closed = std::mem::take(&mut self.lexer.closed);
        for (end, line) in &closed {
            let block = self.blocks.pop()?;
            if let Some(symbol) = block.symbol {
                self.end_symbol(symbol, *end, *line);
            }
        }
        self.lexer.closed = closed;
        Some(())
    }

    fn end_symbol(&mut self, symbol: u32, end: u32, line: u32) {
        if let Some(symbol) = self.gather.symbol_mut(symbol) {
            symbol.bytes.1 = end as usize;
            symbol.end_line = line.max(symbol.line);
        }
    }

    /// One logical line.
    fn line(&mut self) -> Option<()> {
        self.close_blocks()?;
        if self.lexer.opened {
            let symbol = self.head.as_ref().map(|head| head.symbol);
            self.blocks.push(Block { opener: self.opens, symbol, before: Opener::Other });
            self.first_statement(0);
        }
        self.statement_line()
    }

    /// What the first statement of a body says about the function or class: where its head ends, what its docstring is.
    fn first_statement(&mut self, at: usize) {
        let Some(head) = self.head.take() else { return };
        let first = self.token(at);
        let text = self.lexer.text.get(head.start as usize..first.start as usize).unwrap_or("");
        let signature = head::of_text(text, head.kind);
        let string = matches!(first.kind, Kind::Text | Kind::FormatOpen);
        let behind = self.behind(at);
        let alone = matches!(self.token(behind).kind, Kind::Edge | Kind::Semicolon | Kind::Comma);
        let doc = if string && alone { head::of_docstring(self.span(at, behind - 1)) } else { String::new() };
        if let Some(symbol) = self.gather.symbol_mut(head.symbol) {
            symbol.signature = signature;
            symbol.doc = doc;
        }
    }
}
