//! A script as tokens, in one pass over its bytes: strings, templates with their holes, patterns, comments and
//! elements of JSX are told apart by what was before them, and every bracket knows its other one.

mod jsx;
mod literal;
mod signs;

use super::kind::{self, Kind};

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Where it begins, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The line that it begins on, from 1.
    pub line: u32,
    /// For an opening bracket, the head of a template or the start of an element: the token that closes it.
    /// For `)`: 1 when it ends the head of an `if`, a `for` and the like.
    pub pair: u32,
    /// What it is.
    pub kind: Kind,
    /// A line ended before it, outside of comments.
    pub newline: bool,
    /// A comment is before it.
    pub comment: bool,
}

/// Beyond the last token.
pub(super) const END: Token = Token {
    start: u32::MAX,
    end: u32::MAX,
    line: 0,
    pair: 0,
    kind: Kind::End,
    newline: true,
    comment: false,
};

/// Brackets in brackets, at most.
const DEEPEST: usize = 400;

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// `(`; true when it belongs to `if`, `for` and the like, so that a value may follow its end.
    Round(bool),
    Square,
    Curly,
    /// `${` in a template.
    Hole,
    /// `{` in JSX.
    TagHole,
    /// `<name …`.
    Tag,
    /// `</name …`.
    ClosingTag,
    /// What is between the tags.
    Children,
    /// `<name<types>`; how many lists of types are open is kept in the place of the token.
    TagTypes,
}

/// The tokens of a text; `None` for what is broken or too odd.
pub(super) fn tokens(text: &str, jsx: bool, typed: bool) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        newline: true,
        comment: false,
        tokens: Vec::with_capacity(text.len() / 4 + 16),
        open: Vec::with_capacity(32),
        jsx,
        typed,
    };
    if odd_lines(text) {
        return None;
    }
    lexer.all()?;
    Some(lexer.tokens)
}

/// A text with ends of lines that the grammars see and others do not.
fn odd_lines(text: &str) -> bool {
    text.contains('\u{2028}')
        || text.contains('\u{2029}')
        || text.contains('\r') && text.replace("\r\n", "").contains('\r')
}

struct Lexer<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    line: u32,
    newline: bool,
    comment: bool,
    tokens: Vec<Token>,
    open: Vec<(Frame, u32)>,
    jsx: bool,
    typed: bool,
}

/// What a byte can be part of.
const SPACE: u8 = 1;
const NAME: u8 = 2;
const DIGIT: u8 = 4;

fn class(byte: u8) -> u8 {
    match byte {
        b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C => SPACE,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => NAME,
        b'0'..=b'9' => NAME | DIGIT,
        _ => 0,
    }
}

impl Lexer<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize, line: u32) {
        self.tokens.push(Token {
            start: start as u32,
            end: self.at as u32,
            line,
            pair: 0,
            kind,
            newline: self.newline,
            comment: self.comment,
        });
        self.newline = false;
        self.comment = false;
    }

    fn last(&self) -> Kind {
        self.tokens.last().map_or(Kind::End, |token| token.kind)
    }

    fn before_last(&self) -> Kind {
        self.tokens.iter().nth_back(1).map_or(Kind::End, |token| token.kind)
    }

    /// A sign of so many bytes.
    fn sign(&mut self, kind: Kind, length: usize) {
        let start = self.at;
        self.at += length;
        self.push(kind, start, self.line);
    }

    fn enter(&mut self, frame: Frame, kind: Kind) -> Option<()> {
        if self.open.len() >= DEEPEST {
            return None;
        }
        self.open.push((frame, self.tokens.len() as u32));
        self.sign(kind, 1);
        Some(())
    }

    /// Says to the token that opened something where its end is.
    fn pair(&mut self, opened: u32) {
        let here = self.tokens.len() as u32 - 1;
        if let Some(token) = self.tokens.get_mut(opened as usize) {
            token.pair = here;
        }
    }

    fn leave(&mut self, wanted: Frame, kind: Kind) -> Option<()> {
        let (frame, opened) = self.open.pop()?;
        let fits = match frame {
            Frame::Round(_) => matches!(wanted, Frame::Round(_)),
            frame => frame == wanted,
        };
        if !fits {
            return None;
        }
        self.sign(kind, 1);
        self.pair(opened);
        if let Some(token) = self.tokens.last_mut() {
            token.pair = u32::from(frame == Frame::Round(true));
        }
        Some(())
    }

    fn all(&mut self) -> Option<()> {
        if self.bytes.starts_with(b"#!") {
            self.skip_line();
        }
        loop {
            match self.open.last().map(|open| open.0) {
                Some(Frame::Tag | Frame::ClosingTag) => self.tag()?,
                Some(Frame::Children) => self.children()?,
                _ => {
                    if self.code()? {
                        return Some(());
                    }
                }
            }
        }
    }

    /// What was not read yet.
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn skip_line(&mut self) {
        let left = self.text.get(self.at..).unwrap_or("");
        self.at += left.find('\n').unwrap_or(left.len());
    }

    /// Goes over a comment in `/* */`.
    fn skip_block(&mut self) -> Option<()> {
        let left = self.text.get(self.at + 2..)?;
        let length = left.find("*/")?;
        self.line += left.bytes().take(length).filter(|byte| *byte == b'\n').count() as u32;
        self.at += length + 4;
        Some(())
    }

    /// White space and comments; false at the end of the text.
    fn blank(&mut self) -> Option<bool> {
        loop {
            let byte = self.byte(self.at);
            if byte == b'\n' {
                self.line += 1;
                self.newline = true;
                self.at += 1;
                // Lines begin with spaces.
                self.at += self.rest().iter().take_while(|byte| **byte == b' ').count();
            } else if class(byte) & SPACE != 0 {
                self.at += 1;
            } else if byte == b'/' && self.byte(self.at + 1) == b'/' {
                self.comment = true;
                self.skip_line();
            } else if byte == b'/' && self.byte(self.at + 1) == b'*' {
                self.comment = true;
                self.skip_block()?;
            } else if byte >= 0x80 {
                let Some(c) = self.text.get(self.at..)?.chars().next() else { return Some(false) };
                match c {
                    '\u{FEFF}' | '\u{2060}' | '\u{200B}' => self.at += c.len_utf8(),
                    c if c.is_whitespace() => self.at += c.len_utf8(),
                    _ => return Some(true),
                }
            } else {
                return Some(self.at < self.bytes.len());
            }
        }
    }

    /// Tokens outside of tags, until JSX begins or goes on; true at the end of the text.
    fn code(&mut self) -> Option<bool> {
        loop {
            if !self.blank()? {
                return self.open.is_empty().then_some(true);
            }
            let byte = self.byte(self.at);
            let next = self.byte(self.at + 1);
            if class(byte) & DIGIT != 0 || (byte == b'.' && class(next) & DIGIT != 0) {
                self.number();
                continue;
            }
            if class(byte) & NAME != 0 || byte >= 0x80 {
                let start = self.at;
                self.name()?;
                let kind = kind::of_word(self.bytes.get(start..self.at).unwrap_or(&[]));
                self.push(kind, start, self.line);
                continue;
            }
            match byte {
                b'(' => {
                    let control = matches!(self.last(), Kind::If | Kind::While | Kind::For | Kind::With)
                        && self.before_last() != Kind::Dot
                        || self.last() == Kind::Await && self.before_last() == Kind::For;
                    self.enter(Frame::Round(control), Kind::RoundOpen)?;
                }
                b')' => self.leave(Frame::Round(false), Kind::RoundClose)?,
                b'[' => self.enter(Frame::Square, Kind::SquareOpen)?,
                b']' => self.leave(Frame::Square, Kind::SquareClose)?,
                b'{' => self.enter(Frame::Curly, Kind::CurlyOpen)?,
                b'}' => match self.open.last().map(|open| open.0) {
                    Some(Frame::Hole) => {
                        let (_, head) = self.open.pop()?;
                        self.template(Some(head))?;
                    }
                    Some(Frame::TagHole) => {
                        self.leave(Frame::TagHole, Kind::CurlyClose)?;
                        return Some(false);
                    }
                    _ => self.leave(Frame::Curly, Kind::CurlyClose)?,
                },
                b'"' | b'\'' => self.string(byte)?,
                b'`' => self.template(None)?,
                b'<' | b'>' if matches!(self.open.last(), Some((Frame::TagTypes, _))) => {
                    if self.tag_types(byte)? {
                        return Some(false);
                    }
                }
                b'<' => {
                    if next == b'!' && self.byte(self.at + 2) == b'-' {
                        return None;
                    }
                    if self.jsx && !self.value_ended()? && !self.is_generic() {
                        self.enter(Frame::Tag, Kind::TagOpen)?;
                        return Some(false);
                    }
                    self.signs(byte, next)?;
                }
                b'/' if !self.value_ended()? => self.regex()?,
                b'#' => {
                    let start = self.at;
                    self.at += 1;
                    let first = self.byte(self.at);
                    if class(first) & DIGIT != 0 || class(first) & NAME == 0 && first < 0x80 {
                        return None;
                    }
                    self.name()?;
                    self.push(Kind::PrivateName, start, self.line);
                }
                _ => self.signs(byte, next)?,
            }
        }
    }

    /// A value has ended here, so that `/` divides and `<` compares; `None` where only a parser can tell.
    fn value_ended(&self) -> Option<bool> {
        let last = self.last();
        let property = matches!(self.before_last(), Kind::Dot | Kind::OptionalDot);
        Some(match last {
            Kind::RoundClose => !self.closed_control(),
            // `a! / b`
            Kind::Bang if self.typed => self.before_last().ends_value(),
            // After a block comes a value, after an object a sign.
            Kind::CurlyClose if self.byte(self.at) == b'/' => return None,
            kind if kind.is_word() && property => true,
            kind => kind.ends_value(),
        })
    }

    /// The bracket that was closed last belongs to `if` and the like.
    fn closed_control(&self) -> bool {
        self.tokens.last().is_some_and(|token| token.pair == 1)
    }

    /// `<T,>(…) => …` and `<T extends …>`, which are no elements.
    fn is_generic(&self) -> bool {
        if !self.typed {
            return false;
        }
        let rest = self.text.get(self.at + 1..).unwrap_or("").trim_start();
        let rest = rest.strip_prefix("const ").unwrap_or(rest);
        let after = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
        if after.len() == rest.len() {
            return false;
        }
        let next = after.trim_start();
        let extends = next.len() < after.len()
            && next.strip_prefix("extends").is_some_and(|rest| rest.starts_with(char::is_whitespace));
        extends || next.starts_with([',', '='])
    }

    /// The bytes of a name.
    fn name(&mut self) -> Option<()> {
        loop {
            self.at += self.rest().iter().take_while(|byte| class(**byte) & NAME != 0).count();
            match self.byte(self.at) {
                b'\\' => return None,
                0x80.. => {
                    let c = self.text.get(self.at..)?.chars().next()?;
                    if c.is_whitespace() || matches!(c, '\u{FEFF}' | '\u{2060}' | '\u{200B}') {
                        return Some(());
                    }
                    self.at += c.len_utf8();
                }
                _ => return Some(()),
            }
        }
    }
}
