//! Strings: where they end, and the holes of those that have some.
//! A string inside of a hole may have the quotes of the one around it.

use super::lex::{Lexer, Nest};
use super::token::Kind;

impl Lexer<'_> {
    /// A string whose prefix begins at one place and whose quote is at another.
    pub(super) fn text(&mut self, start: usize, quote_at: usize) -> Option<()> {
        let prefix = self.bytes.get(start..quote_at)?;
        let (mut raw, mut format, mut bytes, mut wide) = (false, false, false, false);
        for byte in prefix {
            match byte | 0x20 {
                b'r' if !raw => raw = true,
                b'f' | b't' if !format && !bytes => format = true,
                b'b' if !bytes && !format => bytes = true,
                b'u' if !wide && !format => wide = true,
                _ => return None,
            }
        }
        let quote = self.byte(quote_at);
        let triple = self.byte(quote_at + 1) == quote && self.byte(quote_at + 2) == quote;
        self.at = quote_at + if triple { 3 } else { 1 };
        if format {
            self.open(Kind::FormatOpen, Nest::Text { quote, triple, raw }, start)?;
            return self.format();
        }
        let line = self.line;
        loop {
            let byte = self.byte(self.at);
            if byte == quote {
                if !triple {
                    self.at += 1;
                    break;
                }
                if self.byte(self.at + 1) == quote && self.byte(self.at + 2) == quote {
                    self.at += 3;
                    break;
                }
            } else if byte == b'\\' {
                self.escape(quote, raw || bytes)?;
                continue;
            } else if byte == b'\n' {
                if !triple {
                    return None;
                }
                self.line += 1;
            } else if byte == 0 {
                return None;
            }
            self.at += 1;
        }
        self.push(Kind::Text, start, line);
        Some(())
    }

    /// Passes a backslash and what belongs to it.
    fn escape(&mut self, quote: u8, plain: bool) -> Option<()> {
        self.at += 1;
        let byte = self.byte(self.at);
        match byte {
            b'\n' => self.line += 1,
            b'\r' if self.byte(self.at + 1) == b'\n' => {
                self.at += 1;
                self.line += 1;
            }
            b'N' if !plain && self.byte(self.at + 1) == b'{' => {
                // A name in brackets; one that no bracket ends would run on into the code.
                let rest = self.bytes.get(self.at + 2..)?;
                let odd = |byte: &u8| matches!(*byte, b'}' | b'\n' | b'\\') || *byte == quote;
                let end = rest.iter().position(odd)?;
                if end == 0 || rest.get(end) != Some(&b'}') {
                    return None;
                }
                self.at += 2 + end;
            }
            b'\\' => {}
            _ if byte == quote => {}
            // Only the backslash: what follows may begin a hole.
            _ => return Some(()),
        }
        self.at += 1;
        Some(())
    }

    /// Goes on in a string with holes, up to the next hole or the string's end.
    pub(super) fn format(&mut self) -> Option<()> {
        loop {
            match self.open.last()?.0 {
                Nest::Text { quote, triple, raw } => {
                    if self.format_text(quote, triple, raw)? {
                        return Some(());
                    }
                }
                Nest::Spec => {
                    if self.format_spec()? {
                        return Some(());
                    }
                }
                Nest::Bracket(_) | Nest::Hole => return Some(()),
            }
        }
    }

    fn hole(&mut self) -> Option<()> {
        self.at += 1;
        self.open(Kind::HoleOpen, Nest::Hole, self.at - 1)
    }

    /// Reads a string's own text; true at a hole and at the string's end, where code follows.
    fn format_text(&mut self, quote: u8, triple: bool, raw: bool) -> Option<bool> {
        loop {
            let byte = self.byte(self.at);
            let next = self.byte(self.at + 1);
            match byte {
                b'{' | b'}' if next == byte => self.at += 1,
                b'{' => {
                    self.hole()?;
                    return Some(true);
                }
                b'}' | 0 => return None,
                b'\\' => {
                    self.escape(quote, raw)?;
                    continue;
                }
                b'\n' => {
                    if !triple {
                        return None;
                    }
                    self.line += 1;
                }
                _ if byte != quote => {}
                _ if triple && (next != quote || self.byte(self.at + 2) != quote) => {}
                _ => {
                    let start = self.at;
                    self.at += if triple { 3 } else { 1 };
                    self.close(Kind::FormatClose, start)?;
                    return Some(true);
                }
            }
            self.at += 1;
        }
    }

    /// Reads the format of a hole; true at a hole in it, false when it is at its end.
    fn format_spec(&mut self) -> Option<bool> {
        loop {
            match self.byte(self.at) {
                b'{' if self.byte(self.at + 1) == b'{' => return None,
                b'{' => {
                    self.hole()?;
                    return Some(true);
                }
                b'}' => {
                    let start = self.at;
                    self.at += 1;
                    self.close(Kind::HoleClose, start)?;
                    return Some(false);
                }
                b'\n' | 0 => return None,
                _ => self.at += 1,
            }
        }
    }
}
