//! Reads escapes and character classes, with the leniency JavaScript keeps for old patterns.
//! The rest of the grammar is in `parse`.

use super::PatternError;
use super::ast::{Assertion, Node};
use super::charset::CharSet;
use super::parse::Parser;

/// One member of a character class.
enum Member {
    Code(u32),
    Set(CharSet),
}

impl Member {
    fn add_to(&self, ranges: &mut Vec<(u32, u32)>) {
        match self {
            Member::Code(code) => ranges.push((*code, *code)),
            Member::Set(set) => ranges.extend_from_slice(set.ranges()),
        }
    }
}

impl Parser {
    /// An escape outside a class, after its backslash at `start`.
    pub(super) fn escape(&mut self, start: usize) -> Result<Node, PatternError> {
        let Some(char) = self.peek() else {
            return Err(self.error_at(start, "the pattern ends in `\\`; write `\\\\` for a backslash"));
        };
        if let Some(set) = CharSet::escape(char) {
            self.next();
            // These sets hold both cases of every letter already.
            return Ok(Node::Set(set));
        }
        match char {
            'b' => {
                self.next();
                Ok(Node::Assert(Assertion::WordBoundary))
            }
            'B' => {
                self.next();
                Ok(Node::Assert(Assertion::NotWordBoundary))
            }
            '1'..='9' => {
                self.features.numbered = true;
                let place = self.place();
                if let Some(group) = self.number().filter(|&group| group <= self.total_groups) {
                    return Ok(self.back_reference(group));
                }
                self.back_to(place);
                let code = self.character_escape(false);
                Ok(self.literal(code))
            }
            'k' if !self.names.is_empty() => {
                self.next();
                self.features.numbered = true;
                let name = if self.eat('<') { self.name() } else { None };
                let Some(name) = name else {
                    return Err(self.error_at(start, "`\\k` needs the name of a group; write `\\k<name>`"));
                };
                match self.names.iter().find(|(known, _)| *known == name) {
                    Some(&(_, group)) => Ok(self.back_reference(group)),
                    None => Err(self.error_at(start, format!("no group is named `{name}`; check the name"))),
                }
            }
            _ => {
                let code = self.character_escape(false);
                Ok(self.literal(code))
            }
        }
    }

    fn back_reference(&mut self, group: u32) -> Node {
        self.referenced.insert(group);
        Node::BackRef { group, fold: self.flags.ignore_case }
    }

    /// An escape that stands for one code point, after its backslash. What is no known escape stands for the
    /// character itself.
    fn character_escape(&mut self, in_class: bool) -> u32 {
        let Some(char) = self.next() else { return u32::from('\\') };
        match char {
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            '0'..='7' => self.octal(char),
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.next();
                    u32::from(letter) % 32
                }
                Some(other) if in_class && (other.is_ascii_digit() || other == '_') => {
                    self.next();
                    u32::from(other) % 32
                }
                _ => {
                    // The backslash stands for itself and the `c` is read again.
                    self.back_to(self.place() - 1);
                    u32::from('\\')
                }
            },
            'x' => self.hex(2).unwrap_or(u32::from('x')),
            'u' => self.unicode().unwrap_or(u32::from('u')),
            _ => u32::from(char),
        }
    }

    /// An octal escape: at most three digits and at most 255.
    fn octal(&mut self, first: char) -> u32 {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..if value < 4 { 2 } else { 1 } {
            let Some(digit) = self.peek().and_then(|char| char.to_digit(8)) else { break };
            self.next();
            value = value * 8 + digit;
        }
        value
    }

    /// Exactly `count` hex digits, or nothing.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let place = self.place();
        let mut value = 0;
        for _ in 0..count {
            let Some(digit) = self.next().and_then(|char| char.to_digit(16)) else {
                self.back_to(place);
                return None;
            };
            value = value * 16 + digit;
        }
        Some(value)
    }

    /// The `HHHH` or `{...}` of `\u`; two escaped surrogates make one character.
    fn unicode(&mut self) -> Option<u32> {
        let place = self.place();
        if self.eat('{') {
            let mut value: u32 = 0;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(|char| char.to_digit(16)) {
                self.next();
                value = value.saturating_mul(16).saturating_add(digit);
                digits += 1;
            }
            if digits > 0 && value <= super::charset::LAST && self.eat('}') {
                self.features.unportable = true;
                return Some(value);
            }
            self.back_to(place);
            return None;
        }
        let high = self.hex(4)?;
        if (0xD800..0xDC00).contains(&high) {
            let place = self.place();
            if self.eat('\\') && self.eat('u') {
                match self.hex(4) {
                    Some(low) if (0xDC00..0xE000).contains(&low) => {
                        self.features.unportable = true;
                        return Some(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                    }
                    _ => {}
                }
            }
            self.back_to(place);
        }
        Some(high)
    }

    /// A character class, after its `[` at `start`.
    pub(super) fn class(&mut self, start: usize) -> Result<Node, PatternError> {
        let negate = self.eat('^');
        let mut ranges = Vec::new();
        loop {
            let place = self.place();
            if self.eat(']') {
                break;
            }
            let low = self.member(start)?;
            if self.peek() != Some('-') || matches!(self.peek_at(1), None | Some(']')) {
                low.add_to(&mut ranges);
                continue;
            }
            self.next();
            let high = self.member(start)?;
            match (&low, &high) {
                (Member::Code(low), Member::Code(high)) if low <= high => ranges.push((*low, *high)),
                (Member::Code(_), Member::Code(_)) => {
                    return Err(self.error_at(
                        place,
                        "the range in `[...]` is out of order; put the smaller character first, or write `\\-`",
                    ));
                }
                _ => {
                    // `[\d-z]`: the dash stands for itself.
                    low.add_to(&mut ranges);
                    high.add_to(&mut ranges);
                    ranges.push((u32::from('-'), u32::from('-')));
                }
            }
        }
        let set = CharSet::from_ranges(&ranges);
        let set = if self.flags.ignore_case { set.folded() } else { set };
        Ok(Node::Set(if negate { set.negated() } else { set }))
    }

    fn member(&mut self, start: usize) -> Result<Member, PatternError> {
        let Some(char) = self.next() else { return Err(self.unclosed_class(start)) };
        if char != '\\' {
            return Ok(Member::Code(u32::from(char)));
        }
        let Some(escaped) = self.peek() else { return Err(self.unclosed_class(start)) };
        if let Some(set) = CharSet::escape(escaped) {
            self.next();
            return Ok(Member::Set(set));
        }
        match escaped {
            'b' => {
                self.next();
                Ok(Member::Code(0x08))
            }
            'k' if !self.names.is_empty() => {
                Err(self.error("`\\k` has no meaning in `[...]`; write `k` for the letter"))
            }
            _ => Ok(Member::Code(self.character_escape(true))),
        }
    }

    fn unclosed_class(&self, start: usize) -> PatternError {
        self.error_at(start, "`[` is never closed; add `]` or write `\\[` for the character itself")
    }
}
