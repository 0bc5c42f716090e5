//! One logical line at a time as tokens, and the blocks that begin and end before it.
//! Where a block ends is where the parser says: behind the comments that are indented like it.

use super::token::{EDGE, Kind, Token, begins, of_byte};

/// The deepest nesting of brackets and of blocks that is read here.
const DEEP: usize = 100;

/// What is open in a line.
#[derive(Clone, Copy)]
pub(super) enum Nest {
    /// A bracket, with the kind that closes it.
    Bracket(Kind),
    /// A string with holes: its quote, and whether three of them end it, and whether it is raw.
    Text { quote: u8, triple: bool, raw: bool },
    /// A hole in such a string.
    Hole,
    /// The format of a hole.
    Spec,
}

/// A place where something ends: byte and line.
pub(super) type Place = (u32, u32);

/// A comment that has a line for itself.
struct Comment {
    indent: u32,
    end: Place,
}

/// What reads the lines.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) line: u32,
    /// The tokens of the line.
    pub(super) tokens: Vec<Token>,
    /// The line has more than one statement, or a sign that ends one.
    pub(super) several: bool,
    /// Where the line ended, with the comment behind it.
    pub(super) ended: Place,
    /// The line is the first of a block.
    pub(super) opened: bool,
    /// Where the blocks end that end before the line, inner ones first.
    pub(super) closed: Vec<Place>,
    /// What is open, and the number of its token.
    pub(super) open: Vec<(Nest, u32)>,
    indents: Vec<u32>,
    comments: Vec<Comment>,
    /// A comment was passed since the last token.
    commented: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self {
            text,
            bytes: text.as_bytes(),
            at: start,
            line: 1,
            tokens: Vec::with_capacity(256),
            several: false,
            ended: (0, 1),
            opened: false,
            closed: Vec::new(),
            open: Vec::new(),
            indents: Vec::new(),
            comments: Vec::new(),
            commented: false,
        }
    }

    /// The byte at a place; zero beyond the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// A token of the line.
    pub(super) fn token(&self, number: usize) -> Token {
        self.tokens.get(number).copied().unwrap_or(EDGE)
    }

    /// The kind of the last token.
    fn last(&self) -> Kind {
        self.tokens.last().map_or(Kind::Edge, |token| token.kind)
    }

    pub(super) fn push(&mut self, kind: Kind, start: usize, line: u32) {
        self.tokens.push(Token {
            kind,
            commented: self.commented,
            start: start as u32,
            end: self.at as u32,
            line,
            pair: 0,
        });
        self.commented = false;
    }

    /// Something opens that must be closed.
    pub(super) fn open(&mut self, kind: Kind, nest: Nest, start: usize) -> Option<()> {
        if self.open.len() >= DEEP {
            return None;
        }
        self.open.push((nest, self.tokens.len() as u32));
        self.push(kind, start, self.line);
        Some(())
    }

    /// What was opened last is closed.
    pub(super) fn close(&mut self, kind: Kind, start: usize) -> Option<()> {
        let (_, opener) = self.open.pop()?;
        let number = self.tokens.len() as u32;
        self.push(kind, start, self.line);
        self.tokens.last_mut()?.pair = opener;
        self.tokens.get_mut(opener as usize)?.pair = number;
        Some(())
    }

    /// Reads the next line: false when there is none, nothing when the text needs a parser.
    pub(super) fn next(&mut self) -> Option<bool> {
        let first = self.last();
        self.tokens.clear();
        self.commented = false;
        self.several = false;
        let (indent, more) = self.find_line()?;
        self.blocks(indent, first == Kind::Colon)?;
        if !more {
            return Some(false);
        }
        self.tokens()?;
        Some(true)
    }

    /// Goes to the next line that has more than a comment: its indent, and whether there is one.
    fn find_line(&mut self) -> Option<(u32, bool)> {
        self.comments.clear();
        loop {
            let start = self.at;
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            let mut indent = (self.at - start) as u32;
            loop {
                match self.byte(self.at) {
                    b' ' => indent += 1,
                    b'\t' => indent += 8,
                    0x0c => indent = 0,
                    b'\r' if self.byte(self.at + 1) == b'\n' => {}
                    _ => break,
                }
                self.at += 1;
            }
            // The parser counts in sixteen bits.
            if indent > 10_000 {
                return None;
            }
            match self.byte(self.at) {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                }
                b'#' => {
                    self.pass_comment()?;
                    self.comments.push(Comment { indent, end: (self.at as u32, self.line) });
                }
                0 if self.at >= self.bytes.len() => return Some((0, false)),
                b'\\' | b'\r' | 0 => return None,
                _ => return Some((indent, true)),
            }
        }
    }

    /// Goes to the end of a comment.
    fn pass_comment(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let comment = rest.find('\n').map_or(rest, |end| rest.get(..end).unwrap_or(rest));
        self.at += comment.len();
        // Zero is how the end of the text is seen, here and by the parser.
        (!comment.contains('\0')).then_some(())
    }

    /// A comment above the line is indented less than the line.
    pub(super) fn outdented(&self) -> bool {
        let here = self.indents.last().copied().unwrap_or(0);
        self.comments.iter().any(|comment| comment.indent < here)
    }

    /// Which blocks begin and end in front of a line.
    fn blocks(&mut self, indent: u32, begins: bool) -> Option<()> {
        self.closed.clear();
        self.opened = begins;
        let here = self.indents.last().copied().unwrap_or(0);
        if begins {
            if indent <= here || self.indents.len() >= DEEP {
                return None;
            }
            self.indents.push(indent);
            return Some(());
        }
        let mut comments = self.comments.iter();
        let mut next = comments.next();
        while let Some(block) = self.indents.last().copied().filter(|block| *block > indent) {
            while let Some(comment) = next.filter(|comment| comment.indent >= block) {
                self.ended = comment.end;
                next = comments.next();
            }
            self.closed.push(self.ended);
            self.indents.pop();
        }
        (self.indents.last().copied().unwrap_or(0) == indent).then_some(())
    }

    /// The tokens up to the end of the logical line.
    fn tokens(&mut self) -> Option<()> {
        loop {
            let byte = self.byte(self.at);
            match of_byte(byte) {
                begins::BLANK => self.at += 1,
                begins::WORD => self.word()?,
                begins::SIGN => self.sign(byte)?,
                begins::QUOTE => self.text(self.at, self.at)?,
                begins::DIGIT => self.number()?,
                begins::COMMENT => {
                    if matches!(self.open.last(), Some((Nest::Hole, _))) {
                        return None;
                    }
                    self.pass_comment()?;
                    self.commented = true;
                    if self.open.is_empty() {
                        self.ended = (self.at as u32, self.line);
                        return Some(());
                    }
                }
                begins::LINE if byte == b'\r' && self.byte(self.at + 1) == b'\n' => self.at += 1,
                begins::LINE if byte == b'\\' => self.continued()?,
                begins::LINE if byte == b'\n' && !self.open.is_empty() => self.inner_line()?,
                begins::LINE if byte == b'\n' || self.at >= self.bytes.len() => {
                    self.ended = self.place();
                    return self.open.is_empty().then_some(());
                }
                begins::WIDE => self.wide_word(self.at)?,
                _ => return None,
            }
        }
    }

    /// Where the last token ends, and the line that is come to.
    fn place(&self) -> Place {
        (self.tokens.last().map_or(0, |token| token.end), self.line)
    }

    /// A line end inside of brackets.
    fn inner_line(&mut self) -> Option<()> {
        self.at += 1;
        self.line += 1;
        let last = self.last();
        if last.ends_value() || last.opens() || matches!(last, Kind::Comma) {
            return Some(());
        }
        // Where no bracket can close, the parser takes a line that is indented less for the end of a block.
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let indent = rest.iter().take_while(|byte| **byte == b' ').count() as u32;
        let here = self.indents.last().copied().unwrap_or(0);
        (indent >= here || matches!(self.byte(self.at + indent as usize), b'\'' | b'"')).then_some(())
    }

    /// A backslash at the end of a line.
    fn continued(&mut self) -> Option<()> {
        self.at += 1;
        if self.byte(self.at) == b'\r' {
            self.at += 1;
        }
        if self.byte(self.at) != b'\n' {
            return None;
        }
        self.at += 1;
        self.line += 1;
        while of_byte(self.byte(self.at)) == begins::BLANK {
            self.at += 1;
        }
        let end = matches!(of_byte(self.byte(self.at)), begins::LINE | begins::COMMENT);
        (!end).then_some(())
    }

    /// A bracket, an operator, or another sign.
    fn sign(&mut self, byte: u8) -> Option<()> {
        let start = self.at;
        let next = self.byte(start + 1);
        match byte {
            b'(' => return self.bracket(Kind::Round, Kind::RoundEnd),
            b'[' => return self.bracket(Kind::Square, Kind::SquareEnd),
            b'{' => return self.bracket(Kind::Curly, Kind::CurlyEnd),
            b')' => return self.bracket_end(Kind::RoundEnd),
            b']' => return self.bracket_end(Kind::SquareEnd),
            b'}' => {
                if matches!(self.open.last(), Some((Nest::Hole, _))) {
                    self.at += 1;
                    self.close(Kind::HoleClose, start)?;
                    return self.format();
                }
                return self.bracket_end(Kind::CurlyEnd);
            }
            b':' if next != b'=' && matches!(self.open.last(), Some((Nest::Hole, _))) => {
                self.at += 1;
                self.push(Kind::HoleSpec, start, self.line);
                self.open.last_mut()?.0 = Nest::Spec;
                return self.format();
            }
            b'.' if next.is_ascii_digit() => return self.number(),
            _ => {}
        }
        let third = self.byte(start + 2);
        let (kind, length) = match (byte, next) {
            (b'.', b'.') if third == b'.' => (Kind::Ellipsis, 3),
            (b'.', _) => (Kind::Dot, 1),
            (b',', _) => (Kind::Comma, 1),
            (b':', b'=') => (Kind::Walrus, 2),
            (b':', _) => (Kind::Colon, 1),
            (b';', _) => {
                self.several = true;
                (Kind::Semicolon, 1)
            }
            (b'=' | b'!' | b'<' | b'>', b'=') | (b'<', b'>') => (Kind::Compare, 2),
            (b'=', _) => (Kind::Equals, 1),
            (b'<' | b'>', same) if same == byte => {
                if third == b'=' {
                    (Kind::Augmented, 3)
                } else {
                    (Kind::Operator, 2)
                }
            }
            (b'<' | b'>', _) => (Kind::Compare, 1),
            (b'-', b'>') => (Kind::Arrow, 2),
            (b'*' | b'/', same) if same == byte => match third {
                b'=' => (Kind::Augmented, 3),
                _ if byte == b'*' => (Kind::Power, 2),
                _ => (Kind::Operator, 2),
            },
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^', b'=') => (Kind::Augmented, 2),
            (b'+' | b'-', _) => (Kind::Sign, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/', _) => (Kind::Slash, 1),
            (b'@', _) => (Kind::At, 1),
            (b'~', _) => (Kind::Tilde, 1),
            (b'%' | b'&' | b'|' | b'^', _) => (Kind::Operator, 1),
            (b'!', b'a'..=b'z') if matches!(self.open.last(), Some((Nest::Hole, _))) => (Kind::Conversion, 2),
            _ => return None,
        };
        self.at += length;
        self.push(kind, start, self.line);
        Some(())
    }

    fn bracket(&mut self, kind: Kind, end: Kind) -> Option<()> {
        let start = self.at;
        self.at += 1;
        self.open(kind, Nest::Bracket(end), start)
    }

    fn bracket_end(&mut self, kind: Kind) -> Option<()> {
        match self.open.last() {
            Some((Nest::Bracket(end), _)) if *end == kind => {
                self.at += 1;
                self.close(kind, self.at - 1)
            }
            _ => None,
        }
    }
}
