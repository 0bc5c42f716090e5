//! The signs of a script. `>` always stands alone: two of them end two lists of types, or shift, and only who reads
//! them knows.

use super::Lexer;
use crate::skim::script::kind::Kind;

impl Lexer<'_> {
    /// The sign that begins with these two bytes.
    pub(super) fn signs(&mut self, byte: u8, next: u8) -> Option<()> {
        let third = self.byte(self.at + 2);
        let (kind, length) = match (byte, next, third) {
            (b';', ..) => (Kind::Semicolon, 1),
            (b',', ..) => (Kind::Comma, 1),
            (b'.', b'.', b'.') => (Kind::Spread, 3),
            (b'.', ..) => (Kind::Dot, 1),
            (b':', ..) => (Kind::Colon, 1),
            (b'@', ..) => (Kind::At, 1),
            (b'~', ..) => (Kind::Tilde, 1),
            (b'=', b'>', _) => (Kind::Arrow, 2),
            (b'=', b'=', b'=') => (Kind::Between, 3),
            (b'=', b'=', _) => (Kind::Between, 2),
            (b'=', ..) => (Kind::Assign, 1),
            (b'!', b'=', b'=') => (Kind::Between, 3),
            (b'!', b'=', _) => (Kind::Between, 2),
            (b'!', ..) => (Kind::Bang, 1),
            (b'?', b'?', b'=') => (Kind::AssignWith, 3),
            (b'?', b'?', _) => (Kind::Between, 2),
            (b'?', b'.', third) if !third.is_ascii_digit() => (Kind::OptionalDot, 2),
            (b'?', ..) => (Kind::Question, 1),
            (b'|', b'|', b'=') | (b'&', b'&', b'=') | (b'*', b'*', b'=') | (b'<', b'<', b'=') => {
                (Kind::AssignWith, 3)
            }
            (b'|', b'|', _) | (b'&', b'&', _) | (b'*', b'*', _) | (b'<', b'<' | b'=', _) => {
                (Kind::Between, 2)
            }
            // The end of a comment of HTML.
            (b'-', b'-', b'>') => return None,
            (b'+', b'+', _) | (b'-', b'-', _) => (Kind::Step, 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|', b'=', _) => (Kind::AssignWith, 2),
            (b'|', ..) => (Kind::Or, 1),
            (b'&', ..) => (Kind::And, 1),
            (b'+', ..) => (Kind::Plus, 1),
            (b'-', ..) => (Kind::Minus, 1),
            (b'*', ..) => (Kind::Star, 1),
            (b'<', ..) => (Kind::Less, 1),
            (b'>', ..) => (Kind::Greater, 1),
            (b'/' | b'%' | b'^', ..) => (Kind::Between, 1),
            _ => return None,
        };
        self.sign(kind, length);
        Some(())
    }
}
