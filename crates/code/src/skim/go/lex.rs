//! From text to tokens in one pass: brackets know their pairs, and a line's end is a token where it ends a statement.
//! Whatever is not exactly a token of the language, or is nested too deep, gives nothing.

use super::literal;
use super::token::{Kind, Token};
use crate::source::Source;

/// Brackets inside brackets, at most. What reads the tokens calls itself once for each bracket: this bounds it.
pub(super) const DEPTH: usize = 96;

/// Puts the tokens of a text into an empty list; how deep its brackets are.
pub(super) fn tokens(source: &Source, list: &mut Vec<Token>) -> Option<usize> {
    let bytes = source.text.as_bytes();
    // The parser takes a zero byte for the end of the text.
    if bytes.contains(&0) || u32::try_from(bytes.len()).is_err() {
        return None;
    }
    list.reserve(bytes.len() / 4);
    let mut lexer = Lexer {
        source,
        bytes,
        at: 0,
        line: 1,
        comment: false,
        last: Kind::End,
        list,
        open: Vec::new(),
        depth: 0,
    };
    lexer.all()?;
    Some(lexer.depth)
}

struct Lexer<'s> {
    source: &'s Source,
    bytes: &'s [u8],
    at: usize,
    line: u32,
    /// A comment was passed since the last token.
    comment: bool,
    /// What the last token was.
    last: Kind,
    list: &'s mut Vec<Token>,
    /// Brackets that are open, by their numbers.
    open: Vec<usize>,
    depth: usize,
}

impl Lexer<'_> {
    fn all(&mut self) -> Option<()> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.end_line();
                    self.line += 1;
                    self.at += 1;
                    // What a line is set in by: a short loop is quicker than the choice above.
                    while self.bytes.get(self.at) == Some(&b'\t') {
                        self.at += 1;
                    }
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word()?,
                b'(' => self.opens(Kind::RoundOpen)?,
                b'[' => self.opens(Kind::SquareOpen)?,
                b'{' => self.opens(Kind::CurlyOpen)?,
                b')' => self.closes(Kind::RoundOpen, Kind::RoundClose)?,
                b']' => self.closes(Kind::SquareOpen, Kind::SquareClose)?,
                b'}' => self.closes(Kind::CurlyOpen, Kind::CurlyClose)?,
                b',' => self.push(Kind::Comma, 1),
                b';' => self.push(Kind::Semicolon, 1),
                b'"' => {
                    let end = literal::text(self.bytes, self.at)?;
                    self.push(Kind::Text, end - self.at);
                }
                b'`' => self.raw()?,
                b'\'' => {
                    let end = literal::rune(&self.source.text, self.at)?;
                    self.push(Kind::Number, end - self.at);
                }
                b'0'..=b'9' => self.number()?,
                b'.' => match (self.peek(1), self.peek(2)) {
                    (b'0'..=b'9', _) => self.number()?,
                    (b'.', b'.') => self.push(Kind::Dots, 3),
                    _ => self.push(Kind::Dot, 1),
                },
                b'/' => match self.peek(1) {
                    b'/' => {
                        // Lines are known: nothing to look through.
                        self.at = self.source.bytes_of(self.line).1.max(self.at + 2);
                        self.comment = true;
                    }
                    b'*' => self.block_comment()?,
                    b'=' => self.push(Kind::AssignWith, 2),
                    _ => self.push(Kind::Between, 1),
                },
                _ => self.operator(byte)?,
            }
        }
        self.open.is_empty().then_some(())
    }

    fn peek(&self, further: usize) -> u8 {
        self.bytes.get(self.at + further).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let end = self.at + length;
        self.list.push(Token::new(kind, self.at, end, self.line, self.comment));
        self.comment = false;
        self.last = kind;
        self.at = end;
    }

    /// The end of a line is a token where it ends a statement.
    fn end_line(&mut self) {
        if self.last.ends_line() {
            self.list.push(Token::new(Kind::Line, self.at, self.at, self.line, self.comment));
            self.last = Kind::Line;
        }
    }

    fn word(&mut self) -> Option<()> {
        let start = self.at;
        let mut end = start;
        while let Some(&byte) = self.bytes.get(end) {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                end += 1;
            } else if byte < 0x80 {
                break;
            } else {
                let letter = self.source.text.get(end..)?.chars().next()?;
                if !letter.is_alphabetic() && (end == start || !letter.is_numeric()) {
                    return None;
                }
                end += letter.len_utf8();
            }
        }
        self.push(Kind::of_word(self.bytes.get(start..end)?), end - start);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let end = literal::number(self.bytes, self.at)?;
        self.push(Kind::Number, end - self.at);
        Some(())
    }

    /// Goes to the end of what may have lines inside.
    fn go_to(&mut self, end: usize) {
        self.line = self.source.line_of(end - 1);
        self.at = end;
    }

    fn raw(&mut self) -> Option<()> {
        let length = self.bytes.get(self.at + 1..)?.iter().position(|byte| *byte == b'`')? + 2;
        let (start, line) = (self.at, self.line);
        self.go_to(start + length);
        self.list.push(Token::new(Kind::Text, start, self.at, line, self.comment));
        self.comment = false;
        self.last = Kind::Text;
        Some(())
    }

    fn block_comment(&mut self) -> Option<()> {
        let inside = self.bytes.get(self.at + 2..)?;
        let length = inside.windows(2).position(|two| two == b"*/")? + 4;
        self.go_to(self.at + length);
        self.comment = true;
        Some(())
    }

    fn opens(&mut self, kind: Kind) -> Option<()> {
        self.open.push(self.list.len());
        self.depth = self.depth.max(self.open.len());
        self.push(kind, 1);
        (self.open.len() <= DEPTH).then_some(())
    }

    fn closes(&mut self, opened: Kind, kind: Kind) -> Option<()> {
        let number = self.list.len();
        let opening = self.open.pop()?;
        let token = self.list.get_mut(opening).filter(|token| token.kind == opened)?;
        token.pair_with(number);
        self.push(kind, 1);
        Some(())
    }

    fn operator(&mut self, byte: u8) -> Option<()> {
        let (kind, length) = match (byte, self.peek(1), self.peek(2)) {
            (b':', b'=', _) => (Kind::Define, 2),
            (b':', ..) => (Kind::Colon, 1),
            (b'=' | b'!', b'=', _) => (Kind::Between, 2),
            (b'=', ..) => (Kind::Assign, 1),
            (b'!', ..) => (Kind::Not, 1),
            (b'~', ..) => (Kind::Under, 1),
            (b'+', b'+', _) | (b'-', b'-', _) => (Kind::Step, 2),
            (b'<', b'-', _) => (Kind::Arrow, 2),
            (b'<', b'<', b'=') | (b'>', b'>', b'=') | (b'&', b'^', b'=') => (Kind::AssignWith, 3),
            (b'<', b'<' | b'=', _) | (b'>', b'>' | b'=', _) => (Kind::Between, 2),
            (b'&', b'^' | b'&', _) | (b'|', b'|', _) => (Kind::Between, 2),
            (b'+' | b'-' | b'*' | b'%' | b'&' | b'|' | b'^', b'=', _) => (Kind::AssignWith, 2),
            (b'<' | b'>' | b'%', ..) => (Kind::Between, 1),
            (b'+' | b'-' | b'^', ..) => (Kind::Sign, 1),
            (b'*', ..) => (Kind::Star, 1),
            (b'&', ..) => (Kind::Address, 1),
            (b'|', ..) => (Kind::Either, 1),
            _ => return None,
        };
        self.push(kind, length);
        Some(())
    }
}
