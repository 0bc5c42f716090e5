//! Numbers, strings, templates and patterns.

use super::{DEEPEST, Frame, Lexer, NAME, class};
use crate::skim::script::kind::Kind;

impl Lexer<'_> {
    pub(super) fn number(&mut self) {
        let start = self.at;
        let based = self.byte(start) == b'0'
            && matches!(self.byte(start + 1), b'x' | b'X' | b'o' | b'O' | b'b' | b'B');
        let mut dot = false;
        loop {
            let byte = self.byte(self.at);
            if class(byte) & NAME != 0 && byte != b'$' {
                let exponent = matches!(byte, b'e' | b'E') && !based;
                self.at += 1;
                if exponent && matches!(self.byte(self.at), b'+' | b'-') {
                    self.at += 1;
                }
            } else if byte == b'.' && !dot && !based {
                dot = true;
                self.at += 1;
            } else {
                break;
            }
        }
        self.push(Kind::Number, start, self.line);
    }

    /// What follows a backslash, in a string or a template.
    fn escape(&mut self) -> Option<()> {
        self.at += 1;
        let hex = |from: usize, count: usize| {
            (from..from + count).all(|at| self.byte(at).is_ascii_hexdigit()).then_some(from + count)
        };
        match self.byte(self.at) {
            b'x' => self.at = hex(self.at + 1, 2)?,
            b'u' if self.byte(self.at + 1) == b'{' => {
                let mut end = self.at + 2;
                while self.byte(end).is_ascii_hexdigit() {
                    end += 1;
                }
                if self.byte(end) != b'}' || end == self.at + 2 {
                    return None;
                }
                self.at = end + 1;
            }
            b'u' => self.at = hex(self.at + 1, 4)?,
            b'\r' if self.byte(self.at + 1) == b'\n' => {
                self.line += 1;
                self.at += 2;
            }
            b'\n' => {
                self.line += 1;
                self.at += 1;
            }
            0x80.. => self.at += self.text.get(self.at..)?.chars().next()?.len_utf8(),
            _ if self.at >= self.bytes.len() => return None,
            _ => self.at += 1,
        }
        Some(())
    }

    pub(super) fn string(&mut self, quote: u8) -> Option<()> {
        let (start, line) = (self.at, self.line);
        self.at += 1;
        loop {
            let plain = |byte: &&u8| !matches!(**byte, b'\\' | b'\n' | b'\r' | 0) && **byte != quote;
            self.at += self.rest().iter().take_while(plain).count();
            match self.byte(self.at) {
                b'\\' => self.escape()?,
                byte if byte == quote => break,
                _ => return None,
            }
        }
        self.at += 1;
        self.push(Kind::Text, start, line);
        Some(())
    }

    /// A piece of a template, from its quote or from the end of a hole.
    pub(super) fn template(&mut self, head: Option<u32>) -> Option<()> {
        let (start, line) = (self.at, self.line);
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'\\' => self.escape()?,
                b'`' => {
                    self.at += 1;
                    match head {
                        None => self.push(Kind::Template, start, line),
                        Some(head) => {
                            self.push(Kind::TemplateTail, start, line);
                            self.pair(head);
                        }
                    }
                    return Some(());
                }
                b'$' if self.byte(self.at + 1) == b'{' => {
                    self.at += 2;
                    if self.open.len() >= DEEPEST {
                        return None;
                    }
                    let head = head.unwrap_or(self.tokens.len() as u32);
                    let kind = if head as usize == self.tokens.len() {
                        Kind::TemplateHead
                    } else {
                        Kind::TemplateMiddle
                    };
                    self.open.push((Frame::Hole, head));
                    self.push(kind, start, line);
                    return Some(());
                }
                0 => return None,
                byte => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
            }
        }
    }

    pub(super) fn regex(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let mut inside = false;
        loop {
            match self.byte(self.at) {
                b'\n' | 0 => return None,
                b'\\' => {
                    if matches!(self.byte(self.at + 1), b'\n' | b'\r' | 0) {
                        return None;
                    }
                    self.at += 2;
                    continue;
                }
                b'[' => inside = true,
                b']' => inside = false,
                b'/' if !inside => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        while self.byte(self.at).is_ascii_lowercase() {
            self.at += 1;
        }
        self.push(Kind::Regex, start, self.line);
        Some(())
    }
}
