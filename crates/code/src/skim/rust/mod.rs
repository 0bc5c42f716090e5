//! Rust, read by eye: tokens, then the grammar of items, statements, expressions, types and patterns, without a tree.
//! Whatever the grammar does not know ends the reading, so that broken text goes to the parser.

mod bodies;
mod expressions;
mod items;
mod lex;
mod macros;
mod operands;
mod paths;
mod patterns;
mod symbols;
#[cfg(test)]
mod tests;
mod token;
mod types;
mod uses;

use crate::extract::gather::Gather;
use crate::facts::Facts;
use crate::source::Source;
use token::{Bracket, Tok, Token};

/// The facts of a text, or nothing where the parser must be asked.
pub(super) fn facts(source: &Source) -> Option<Facts> {
    let mut reader = Reader::new(source)?;
    reader.declarations(Tok::End)?;
    Some(reader.gather.finish())
}

/// A piece of the text, in bytes. An empty one is none.
type Span = (u32, u32);

/// How far the functions that read may go into each other, in levels of the parser's tree.
const NESTED: u32 = 600;
/// Where the parser's tree may be too deep to be walked; beyond it the walk says so, and this reading would not.
const DEEP: u32 = 1_500;
/// Levels of the tree that one step into the grammar stands for, at most.
const STEP: u32 = 6;

/// A text that is being read from its start to its end. All functions give `None` to end the reading.
struct Reader<'s> {
    source: &'s Source,
    text: &'s str,
    tokens: Vec<Token>,
    /// The number of the next token.
    at: usize,
    gather: Gather,
    /// How many symbols one is inside of.
    open: usize,
    /// How deep the tree would be here.
    depth: u32,
    /// How deep the tree would be at most in the step that is being read.
    deepest: u32,
    /// The variables whose types were read.
    typed: Vec<Span>,
    /// How many calls were read.
    calls: u32,
    /// How many of them are made on a name, whose type is looked up where the call is.
    lookups: u32,
}

impl<'s> Reader<'s> {
    /// At the start of a text that has tokens.
    fn new(source: &'s Source) -> Option<Self> {
        Some(Self {
            source,
            text: &source.text,
            tokens: lex::tokens(&source.text)?,
            at: 0,
            gather: Gather::new(source.lines(), source.remark().into_iter().collect()),
            open: 0,
            depth: 0,
            deepest: 0,
            typed: Vec::new(),
            calls: 0,
            lookups: 0,
        })
    }

    fn token(&self, number: usize) -> Token {
        self.tokens.get(number).copied().unwrap_or(Token::END)
    }

    /// The next token.
    fn here(&self) -> Token {
        self.token(self.at)
    }

    /// What the next token is.
    fn kind(&self) -> Tok {
        self.here().kind
    }

    /// What a later token is.
    fn ahead(&self, by: usize) -> Tok {
        self.token(self.at + by).kind
    }

    fn bump(&mut self) {
        self.at += 1;
    }

    /// Takes the next token if it is this.
    fn eat(&mut self, kind: Tok) -> bool {
        let is = self.kind() == kind;
        self.at += usize::from(is);
        is
    }

    /// Takes the next token, which must be this.
    fn expect(&mut self, kind: Tok) -> Option<()> {
        self.eat(kind).then_some(())
    }

    /// Takes a name.
    fn name(&mut self) -> Option<Token> {
        let token = self.here();
        (token.kind == Tok::Name).then(|| {
            self.at += 1;
            token
        })
    }

    /// The text of a piece.
    fn span(&self, (start, end): Span) -> &'s str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// The text of a token.
    fn word(&self, token: Token) -> &'s str {
        self.span((token.start, token.end()))
    }

    /// From a token to the last one that was taken.
    fn since(&self, first: usize) -> Span {
        (self.token(first).start, self.token(self.at.saturating_sub(1)).end())
    }

    /// True when the next token is this word.
    fn is_word(&self, word: &str) -> bool {
        self.kind() == Tok::Name && self.word(self.here()) == word
    }

    /// True when two tokens have nothing between them.
    fn joined(&self, number: usize) -> bool {
        self.token(number).end() == self.token(number + 1).start
    }

    /// True when a comment comes after a token: the tree has it as a child.
    fn commented(&self, number: usize) -> bool {
        self.span((self.token(number).end(), self.token(number + 1).start)).contains('/')
    }

    /// Goes one step into the grammar; what is given back is for coming back.
    fn deeper(&mut self) -> Option<u32> {
        self.depth += STEP;
        (self.depth <= NESTED).then(|| std::mem::replace(&mut self.deepest, self.depth))
    }

    /// Comes back from a step.
    fn back(&mut self, outer: u32) {
        self.depth -= STEP;
        self.deepest = self.deepest.max(outer);
    }

    /// What was read of the expression is put one level deeper by what comes after it.
    fn wrap(&mut self) -> Option<()> {
        self.deepest += 2;
        (self.deepest <= DEEP).then_some(())
    }

    /// An attribute, and those that follow it.
    fn attributes(&mut self) -> Option<()> {
        while self.kind() == Tok::Hash {
            self.attribute()?;
        }
        Some(())
    }

    /// `#[path]`, `#[path(tokens)]`, `#[path = value]`.
    fn attribute(&mut self) -> Option<()> {
        self.expect(Tok::Hash)?;
        self.eat(Tok::Bang);
        let end = self.here().closed_by();
        self.expect(Tok::Open(Bracket::Square))?;
        loop {
            // Any word can be the name of one.
            let word = self.word(self.here());
            word.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(())?;
            self.bump();
            if !self.eat(Tok::Colons) {
                break;
            }
        }
        if self.eat(Tok::Equals) {
            self.expression(expressions::Flags::default())?;
        } else if self.at != end {
            self.skip_brackets()?;
        }
        (self.at == end).then_some(())?;
        self.bump();
        Some(())
    }
}
