//! Names, keywords and numbers.
//! What only a table of all letters could decide is left to the parser.

use super::lex::Lexer;
use super::token::{Kind, in_word, word};

impl Lexer<'_> {
    /// A name, a keyword, or the letters in front of a string.
    pub(super) fn word(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        while in_word(self.byte(self.at)) {
            self.at += 1;
        }
        match self.byte(self.at) {
            b'\'' | b'"' => return self.text(start, self.at),
            0x80.. => return self.wide_word(start),
            _ => {}
        }
        let kind = word(self.bytes.get(start..self.at).unwrap_or_default());
        self.push(kind, start, self.line);
        Some(())
    }

    /// A name with letters that are not ASCII.
    pub(super) fn wide_word(&mut self, start: usize) -> Option<()> {
        let rest = self.text.get(start..)?;
        let mut length = 0;
        for c in rest.chars() {
            if c.is_ascii() && !in_word(c as u8) {
                break;
            }
            // What else may be in a name is for the parser to know.
            let symbol = matches!(c, '\u{2000}'..='\u{2bff}' | '\u{1f000}'..='\u{1ffff}');
            if symbol || !c.is_alphanumeric() && c != '_' {
                return None;
            }
            length += c.len_utf8();
        }
        self.at = start + length;
        let quote = matches!(self.byte(self.at), b'\'' | b'"');
        let first = rest.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if quote || !first {
            return None;
        }
        self.push(Kind::Name, start, self.line);
        Some(())
    }

    /// A number; one that a letter follows directly is left to the parser.
    pub(super) fn number(&mut self) -> Option<()> {
        let start = self.at;
        let based = self.byte(start) == b'0' && matches!(self.byte(start + 1) | 0x20, b'x' | b'o' | b'b');
        if based {
            self.at += 2;
            while self.byte(self.at).is_ascii_hexdigit() || self.byte(self.at) == b'_' {
                self.at += 1;
            }
            if self.at == start + 2 {
                return None;
            }
        } else {
            self.digits();
            if self.byte(self.at) == b'.' {
                self.at += 1;
                self.digits();
            }
            if self.byte(self.at) | 0x20 == b'e' {
                self.at += 1;
                if matches!(self.byte(self.at), b'+' | b'-') {
                    self.at += 1;
                }
                if !self.byte(self.at).is_ascii_digit() {
                    return None;
                }
                self.digits();
            }
            if matches!(self.byte(self.at), b'j' | b'J') {
                self.at += 1;
            }
        }
        // A long number of Python 2.
        if matches!(self.byte(self.at), b'l' | b'L') && self.whole(start) {
            self.at += 1;
        }
        if in_word(self.byte(self.at)) || self.byte(self.at) >= 0x80 {
            return None;
        }
        self.push(Kind::Number, start, self.line);
        Some(())
    }

    /// True when the number that was read has no point, no exponent and no `j`.
    fn whole(&self, start: usize) -> bool {
        let read = self.bytes.get(start..self.at).unwrap_or_default();
        read.starts_with(b"0x") || read.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'_'))
    }

    fn digits(&mut self) {
        while matches!(self.byte(self.at), b'0'..=b'9' | b'_') {
            self.at += 1;
        }
    }
}
