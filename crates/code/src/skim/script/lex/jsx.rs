//! Elements of JSX: what is in a tag, and what is between tags. Text between tags is no token.

use super::{Frame, Lexer, NAME, class};
use crate::skim::script::kind::Kind;

impl Lexer<'_> {
    /// Tokens of a tag, until it ends or holds something else.
    pub(super) fn tag(&mut self) -> Option<()> {
        loop {
            if !self.blank()? {
                return None;
            }
            let byte = self.byte(self.at);
            let next = self.byte(self.at + 1);
            match byte {
                b'/' if next == b'>' => {
                    let (Frame::Tag, opened) = self.open.pop()? else { return None };
                    self.sign(Kind::TagSelfEnd, 2);
                    self.pair(opened);
                    return Some(());
                }
                b'>' => {
                    let (frame, opened) = self.open.pop()?;
                    self.sign(Kind::TagEnd, 1);
                    if frame == Frame::Tag {
                        self.open.push((Frame::Children, opened));
                    } else {
                        let (Frame::Children, opened) = self.open.pop()? else { return None };
                        self.pair(opened);
                    }
                    return Some(());
                }
                b'{' => {
                    self.enter(Frame::TagHole, Kind::CurlyOpen)?;
                    return Some(());
                }
                b'<' if self.last() == Kind::Assign => {
                    self.enter(Frame::Tag, Kind::TagOpen)?;
                    return Some(());
                }
                b'<' if self.typed && self.last() == Kind::Ident && self.names_tag() => {
                    self.enter(Frame::TagTypes, Kind::Less)?;
                    if let Some((_, lists)) = self.open.last_mut() {
                        *lists = 1;
                    }
                    return Some(());
                }
                b'"' | b'\'' => self.attribute(byte)?,
                b'=' => self.sign(Kind::Assign, 1),
                b'.' => self.sign(Kind::Dot, 1),
                b':' => self.sign(Kind::Colon, 1),
                _ if class(byte) & NAME != 0 && !byte.is_ascii_digit() => {
                    let start = self.at;
                    while class(self.byte(self.at)) & NAME != 0 || self.byte(self.at) == b'-' {
                        self.at += 1;
                    }
                    self.push(Kind::Ident, start, self.line);
                }
                _ => return None,
            }
        }
    }

    /// The last token is the name of a tag.
    fn names_tag(&self) -> bool {
        matches!(self.before_last(), Kind::TagOpen | Kind::Dot)
    }

    /// `<` or `>` in the types of a tag; true when the types are at their end.
    pub(super) fn tag_types(&mut self, byte: u8) -> Option<bool> {
        let (_, lists) = self.open.last_mut()?;
        if byte == b'<' {
            *lists += 1;
            self.sign(Kind::Less, 1);
            return Some(false);
        }
        *lists -= 1;
        let ended = *lists == 0;
        self.sign(Kind::Greater, 1);
        if ended {
            self.open.pop();
        }
        Some(ended)
    }

    /// The value of an attribute: it knows no backslash, but characters by name.
    fn attribute(&mut self, quote: u8) -> Option<()> {
        let (start, line) = (self.at, self.line);
        self.at += 1;
        loop {
            match self.byte(self.at) {
                0 => return None,
                b'&' => self.reference(true)?,
                byte if byte == quote => break,
                byte => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        self.push(Kind::Text, start, line);
        Some(())
    }

    /// `&name;`. A lone `&` is text in an attribute only.
    fn reference(&mut self, lone: bool) -> Option<()> {
        let begins = self.byte(self.at + 1);
        if lone && begins != b'#' && !begins.is_ascii_alphabetic() && !matches!(begins, b'"' | b'\'' | 0x80..)
        {
            self.line += u32::from(begins == b'\n');
            self.at += 2;
            return Some(());
        }
        let mut end = self.at + 1 + usize::from(begins == b'#');
        let from = end;
        while self.byte(end).is_ascii_alphanumeric() && end < from + 5 {
            end += 1;
        }
        // Longer names are rare, and numbers have their own rules.
        if self.byte(end) != b';' || end == from {
            return None;
        }
        let name = self.bytes.get(from..end).unwrap_or(&[]);
        let fits = if begins == b'#' {
            name.iter().all(u8::is_ascii_digit)
        } else {
            name.iter().all(u8::is_ascii_alphabetic)
        };
        self.at = end + 1;
        fits.then_some(())
    }

    /// What is between two tags, until the next tag or hole.
    pub(super) fn children(&mut self) -> Option<()> {
        loop {
            match self.byte(self.at) {
                0 | b'>' | b'}' => return None,
                b'&' => self.reference(false)?,
                b'{' => return self.enter(Frame::TagHole, Kind::CurlyOpen),
                b'<' if self.byte(self.at + 1) == b'/' => {
                    if self.open.len() >= super::DEEPEST {
                        return None;
                    }
                    self.open.push((Frame::ClosingTag, 0));
                    self.sign(Kind::TagClose, 2);
                    return Some(());
                }
                b'<' => return self.enter(Frame::Tag, Kind::TagOpen),
                byte => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
            }
        }
    }
}
