//! Rust's tokens: one flat list in one pass over the bytes, comments left out, brackets paired.
//! A text that the grammar cannot cut into tokens has none.

use super::token::{Bracket, Tok, Token, keyword};
use Tok::{Close, Open};

/// The deepest nesting of brackets that is read.
const DEEP: usize = 300;

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Odd,
    Space,
    Line,
    Word,
    Digit,
    Mark,
    /// The first byte of a character that is not ASCII.
    Wide,
}

fn class(byte: u8) -> Byte {
    match byte {
        b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Byte::Space,
        b'\n' => Byte::Line,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Byte::Word,
        b'0'..=b'9' => Byte::Digit,
        0x80.. => Byte::Wide,
        b'`' | b'~' | b'\\' => Byte::Odd,
        b'!'..=b'}' => Byte::Mark,
        _ => Byte::Odd,
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        // Code has a token for five bytes or so; half of it is comments.
        tokens: Vec::with_capacity(text.len() / 6 + 16),
        open: Vec::new(),
    };
    lexer.run()?;
    Some(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    tokens: Vec<Token>,
    /// Numbers of the brackets that are open.
    open: Vec<u32>,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Tok, start: usize, line: u32) {
        self.tokens.push(Token::new(kind, line, start, self.at));
    }

    fn run(&mut self) -> Option<()> {
        u32::try_from(self.text.len()).ok()?;
        if self.text.starts_with("#!/") {
            self.skip_line();
        }
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match class(byte) {
                Byte::Space => self.spaces(),
                Byte::Line => {
                    self.line += 1;
                    self.spaces();
                }
                Byte::Word => self.word()?,
                Byte::Digit => self.number(),
                Byte::Mark => self.mark(byte)?,
                Byte::Wide => {
                    self.wide()?;
                    self.word()?;
                }
                Byte::Odd => return None,
            }
        }
        self.open.is_empty().then_some(())
    }

    /// White space of one byte, and the spaces after it.
    fn spaces(&mut self) {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| **byte == b' ').count();
    }

    fn skip_line(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at = rest.find('\n').map_or(self.bytes.len(), |end| self.at + end);
    }

    /// The letter beyond ASCII that is here.
    fn wide(&self) -> Option<usize> {
        let letter = self.text.get(self.at..)?.chars().next()?;
        letter.is_alphanumeric().then_some(letter.len_utf8())
    }

    /// A name, a keyword, or a literal that begins with a letter.
    fn word(&mut self) -> Option<()> {
        let start = self.at;
        self.letters()?;
        let next = self.byte(0);
        if matches!(next, b'"' | b'\'' | b'#') && self.at - start <= 2 {
            match (self.bytes.get(start..self.at)?, next) {
                (b"b" | b"c", b'"') => return self.string(start),
                (b"b", b'\'') => return self.letter(start),
                (b"r" | b"br" | b"cr", b'"' | b'#') => {
                    if let Some(()) = self.raw(start)? {
                        return Some(());
                    }
                    if self.at - start == 1 && next == b'#' && class(self.byte(1)) == Byte::Word {
                        self.at += 1;
                        self.letters()?;
                        self.push(Tok::Name, start, self.line);
                        return Some(());
                    }
                }
                _ => {}
            }
        }
        let kind = keyword(self.bytes.get(start..self.at)?);
        self.push(kind, start, self.line);
        Some(())
    }

    fn letters(&mut self) -> Option<()> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            self.at += rest.iter().take_while(letter).count();
            if self.byte(0) < 0x80 {
                return Some(());
            }
            self.at += self.wide()?;
        }
    }

    /// A raw string whose hashes and quote begin here; `Some(None)` when none does.
    fn raw(&mut self, start: usize) -> Option<Option<()>> {
        let mut hashes = 0;
        while self.byte(hashes) == b'#' {
            hashes += 1;
        }
        if self.byte(hashes) != b'"' {
            return Some(None);
        }
        let line = self.line;
        self.at += hashes + 1;
        loop {
            match *self.bytes.get(self.at)? {
                b'\n' => self.line += 1,
                b'"' if (1..=hashes).all(|ahead| self.byte(ahead) == b'#') => {
                    self.at += hashes + 1;
                    self.push(Tok::Literal, start, line);
                    return Some(Some(()));
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// A string whose opening quote is here.
    fn string(&mut self, start: usize) -> Option<()> {
        let line = self.line;
        self.at += 1;
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    self.push(Tok::Literal, start, line);
                    return Some(());
                }
                b'\\' => self.escape()?,
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    /// What follows a backslash, as the grammar knows it.
    fn escape(&mut self) -> Option<()> {
        let hex = |byte: u8| byte.is_ascii_hexdigit();
        match self.byte(1) {
            b'x' if hex(self.byte(2)) && hex(self.byte(3)) => self.at += 4,
            b'u' if self.byte(2) == b'{' && hex(self.byte(3)) => {
                self.at += 4;
                while hex(self.byte(0)) {
                    self.at += 1;
                }
                if self.byte(0) != b'}' {
                    return None;
                }
                self.at += 1;
            }
            b'x' | b'u' => return None,
            b'\n' => {
                self.line += 1;
                self.at += 2;
            }
            byte if byte.is_ascii() => self.at += 2,
            _ => return None,
        }
        Some(())
    }

    /// A character in quotes, a lifetime, or a quote that is alone; the quote is here.
    fn letter(&mut self, start: usize) -> Option<()> {
        let line = self.line;
        let rest = self.text.get(self.at + 1..)?;
        let first = rest.chars().next()?;
        if first == '\\' {
            self.at += 1;
            self.escape()?;
            if self.byte(0) != b'\'' {
                return None;
            }
            self.at += 1;
            self.push(Tok::Literal, start, line);
        } else if first == '\'' || first == '\n' {
            return None;
        } else if self.byte(1 + first.len_utf8()) == b'\'' {
            self.at += 2 + first.len_utf8();
            self.push(Tok::Literal, start, line);
        } else if start < self.at {
            return None;
        } else if class(self.byte(1)) == Byte::Word || first.is_alphabetic() {
            self.at += 1;
            self.letters()?;
            self.push(Tok::Lifetime, start, line);
        } else {
            self.at += 1;
            self.push(Tok::Macro, start, line);
        }
        Some(())
    }

    fn digits(&mut self) {
        while matches!(self.byte(0), b'0'..=b'9' | b'_') {
            self.at += 1;
        }
    }

    /// A number, with the type that may be written at its end.
    fn number(&mut self) {
        let start = self.at;
        let mut kind = Tok::Number;
        match (self.byte(0), self.byte(1)) {
            (b'0', b'x') => {
                self.at += 2;
                while self.byte(0).is_ascii_hexdigit() || self.byte(0) == b'_' {
                    self.at += 1;
                }
            }
            (b'0', b'b' | b'o') => {
                self.at += 2;
                self.digits();
            }
            _ => {
                self.digits();
                // `pair.0.1`: both are fields.
                if self.tokens.last().is_none_or(|last| last.kind != Tok::Dot) {
                    let next = self.byte(1);
                    if self.byte(0) == b'.' && next != b'.' && !next.is_ascii_alphabetic() && next < 0x80 {
                        kind = Tok::Literal;
                        self.at += 1;
                        self.digits();
                    }
                    let signed = usize::from(matches!(self.byte(1), b'+' | b'-'));
                    if matches!(self.byte(0), b'e' | b'E')
                        && matches!(self.byte(1 + signed), b'0'..=b'9' | b'_')
                    {
                        kind = Tok::Literal;
                        self.at += 2 + signed;
                        self.digits();
                    }
                }
            }
        }
        if matches!(self.byte(0), b'u' | b'i' | b'f') {
            let suffix = self.bytes.get(self.at..).unwrap_or_default();
            let length = suffix.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let known: [&[u8]; 14] = [
                b"u8", b"i8", b"u16", b"i16", b"u32", b"i32", b"u64", b"i64", b"u128", b"i128", b"isize",
                b"usize", b"f32", b"f64",
            ];
            if suffix.get(..length).is_some_and(|suffix| known.contains(&suffix)) {
                self.at += length;
            }
        }
        self.push(kind, start, self.line);
    }

    /// A comment in stars, which may hold others, as the grammar's own scanner reads them.
    fn comment(&mut self) -> Option<()> {
        self.at += 2;
        let mut depth = 1;
        while depth > 0 {
            match *self.bytes.get(self.at)? {
                b'/' => {
                    if self.byte(1) == b'*' {
                        depth += 1;
                    }
                    self.line += u32::from(self.byte(1) == b'\n');
                    self.at += 2;
                }
                b'*' if self.byte(1) == b'/' => {
                    depth -= 1;
                    self.at += 2;
                }
                byte => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
            }
        }
        Some(())
    }

    /// Punctuation, or what begins with it.
    fn mark(&mut self, byte: u8) -> Option<()> {
        let start = self.at;
        let (second, third) = (self.byte(1), self.byte(2));
        let (kind, length) = match byte {
            b'/' if second == b'/' => {
                self.skip_line();
                return Some(());
            }
            b'/' if second == b'*' => return self.comment(),
            b'"' => return self.string(start),
            b'\'' => return self.letter(start),
            b'(' => return self.open(Bracket::Round),
            b'[' => return self.open(Bracket::Square),
            b'{' => return self.open(Bracket::Curly),
            b')' => return self.close(Bracket::Round),
            b']' => return self.close(Bracket::Square),
            b'}' => return self.close(Bracket::Curly),
            b';' => (Tok::Semicolon, 1),
            b',' => (Tok::Comma, 1),
            b':' if second == b':' => (Tok::Colons, 2),
            b':' => (Tok::Colon, 1),
            b'.' if second == b'.' && matches!(third, b'=' | b'.') => (Tok::LongDots, 3),
            b'.' if second == b'.' => (Tok::Dots, 2),
            b'.' => (Tok::Dot, 1),
            b'=' if second == b'>' => (Tok::FatArrow, 2),
            b'=' if second == b'=' => (Tok::Between, 2),
            b'=' => (Tok::Equals, 1),
            b'-' if second == b'>' => (Tok::Arrow, 2),
            b'&' if second == b'&' => (Tok::AndAnd, 2),
            b'|' if second == b'|' => (Tok::OrOr, 2),
            b'<' if second == b'=' => (Tok::Between, 2),
            b'<' => (Tok::Less, 1),
            b'>' => (Tok::Greater, 1),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|' | b'!' if second == b'=' => {
                (Tok::Between, 2)
            }
            b'/' | b'%' | b'^' => (Tok::Between, 1),
            b'+' => (Tok::Plus, 1),
            b'-' => (Tok::Minus, 1),
            b'*' => (Tok::Star, 1),
            b'!' => (Tok::Bang, 1),
            b'&' => (Tok::And, 1),
            b'|' => (Tok::Or, 1),
            b'?' => (Tok::Question, 1),
            b'@' => (Tok::At, 1),
            b'#' => (Tok::Hash, 1),
            b'$' => (Tok::Macro, 1),
            _ => return None,
        };
        self.at += length;
        self.push(kind, start, self.line);
        Some(())
    }

    fn open(&mut self, bracket: Bracket) -> Option<()> {
        if self.open.len() >= DEEP {
            return None;
        }
        self.open.push(self.tokens.len() as u32);
        self.at += 1;
        self.push(Open(bracket), self.at - 1, self.line);
        Some(())
    }

    fn close(&mut self, bracket: Bracket) -> Option<()> {
        let number = self.tokens.len();
        let opened = self.tokens.get_mut(self.open.pop()? as usize)?;
        if opened.kind != Open(bracket) {
            return None;
        }
        opened.close_with(number);
        self.at += 1;
        self.push(Close(bracket), self.at - 1, self.line);
        Some(())
    }
}
