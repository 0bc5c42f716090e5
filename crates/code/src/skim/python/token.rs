//! The tokens of Python: what they are, and which words and bytes make them.
//! Words that are keywords in some places only (`match`, `type`, `print`) are names here.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Before the first or beyond the last.
    Edge,
    Name,
    Number,
    /// A string without holes.
    Text,
    /// `f"` and the quote that ends it; what is between are holes.
    FormatOpen,
    FormatClose,
    /// `{`, `:` and `}` of a hole in a string.
    HoleOpen,
    HoleSpec,
    HoleClose,
    /// `!r` in a hole.
    Conversion,
    Round,
    RoundEnd,
    Square,
    SquareEnd,
    Curly,
    CurlyEnd,
    Dot,
    Comma,
    Colon,
    Semicolon,
    Equals,
    /// `+=` and the like.
    Augmented,
    Walrus,
    Arrow,
    At,
    Star,
    Power,
    Slash,
    /// `+` and `-`.
    Sign,
    Tilde,
    /// Other operators that stand between two values.
    Operator,
    Compare,
    Ellipsis,
    /// `None`, `True`, `False`.
    Literal,
    And,
    Or,
    Not,
    In,
    Is,
    If,
    Elif,
    Else,
    For,
    While,
    Def,
    Class,
    Lambda,
    Return,
    Yield,
    Await,
    Async,
    Import,
    From,
    As,
    With,
    Try,
    Except,
    Finally,
    Raise,
    Assert,
    Del,
    /// `global`, `nonlocal`.
    Global,
    /// `pass`, `break`, `continue`.
    Pass,
}

impl Kind {
    /// What opens a pair.
    pub(super) const fn opens(self) -> bool {
        matches!(self, Self::Round | Self::Square | Self::Curly | Self::FormatOpen | Self::HoleOpen)
    }

    /// What a value ends with: an operator, a comma or an end may follow.
    pub(super) const fn ends_value(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Number
                | Self::Text
                | Self::FormatClose
                | Self::RoundEnd
                | Self::SquareEnd
                | Self::CurlyEnd
                | Self::Ellipsis
                | Self::Literal
        )
    }

    /// An operator that binds more tightly than `not` and `lambda`, which therefore cannot follow it.
    pub(super) const fn binds(self) -> bool {
        matches!(
            self,
            Self::Sign
                | Self::Tilde
                | Self::Operator
                | Self::Compare
                | Self::Star
                | Self::Power
                | Self::Slash
                | Self::At
                | Self::In
                | Self::Is
                | Self::Await
        )
    }
}

/// A token of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// A comment is right before it, inside brackets.
    pub(super) commented: bool,
    /// Where it is, in bytes.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The line that it begins on.
    pub(super) line: u32,
    /// The token that it is a pair with.
    pub(super) pair: u32,
}

/// The token that is beyond all others.
pub(super) const EDGE: Token =
    Token { kind: Kind::Edge, commented: false, start: 0, end: 0, line: 0, pair: 0 };

/// The token that a word is.
pub(super) fn word(word: &[u8]) -> Kind {
    match word {
        b"if" => Kind::If,
        b"in" => Kind::In,
        b"is" => Kind::Is,
        b"or" => Kind::Or,
        b"as" => Kind::As,
        b"and" => Kind::And,
        b"def" => Kind::Def,
        b"del" => Kind::Del,
        b"for" => Kind::For,
        b"not" => Kind::Not,
        b"try" => Kind::Try,
        b"elif" => Kind::Elif,
        b"else" => Kind::Else,
        b"from" => Kind::From,
        b"None" | b"True" | b"False" => Kind::Literal,
        b"pass" | b"break" | b"continue" => Kind::Pass,
        b"with" => Kind::With,
        b"class" => Kind::Class,
        b"raise" => Kind::Raise,
        b"while" => Kind::While,
        b"yield" => Kind::Yield,
        b"await" => Kind::Await,
        b"async" => Kind::Async,
        b"except" => Kind::Except,
        b"assert" => Kind::Assert,
        b"import" => Kind::Import,
        b"lambda" => Kind::Lambda,
        b"return" => Kind::Return,
        b"global" | b"nonlocal" => Kind::Global,
        b"finally" => Kind::Finally,
        _ => Kind::Name,
    }
}

/// What bytes begin, by letters. Those of names come first.
pub(super) mod begins {
    pub(in super::super) const WORD: u8 = b'a';
    pub(in super::super) const DIGIT: u8 = b'b';
    pub(in super::super) const BLANK: u8 = b'c';
    /// The end of a line or of the text, and the backslash that takes a line's end away.
    pub(in super::super) const LINE: u8 = b'd';
    pub(in super::super) const QUOTE: u8 = b'e';
    pub(in super::super) const COMMENT: u8 = b'f';
    pub(in super::super) const SIGN: u8 = b'g';
    /// A byte of a character that is not ASCII.
    pub(in super::super) const WIDE: u8 = b'h';
}

/// The letters of `begins` for every byte; `i` is for what no Python has outside of strings.
static BEGINS: &[u8; 256] = b"diiiiiiiicdicdiiiiiiiiiiiiiiiiiicgefiggeggggggggbbbbbbbbbbgggggi\
gaaaaaaaaaaaaaaaaaaaaaaaaaagdggaiaaaaaaaaaaaaaaaaaaaaaaaaaaggggi\
hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh\
hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh";

/// What a byte begins.
pub(super) fn of_byte(byte: u8) -> u8 {
    BEGINS.get(byte as usize).copied().unwrap_or(b'i')
}

/// A byte of a name, except its first.
pub(super) fn in_word(byte: u8) -> bool {
    of_byte(byte) <= begins::DIGIT
}

#[cfg(test)]
mod tests {
    use super::{begins, of_byte};

    #[test]
    fn every_byte_begins_what_it_should() {
        for byte in 0..=255_u8 {
            let wanted = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => begins::WORD,
                b'0'..=b'9' => begins::DIGIT,
                b' ' | b'\t' | 0x0c => begins::BLANK,
                b'\n' | b'\r' | b'\\' | 0 => begins::LINE,
                b'\'' | b'"' => begins::QUOTE,
                b'#' => begins::COMMENT,
                b'!' | b'%' | b'&' | b'@' | b'[' | b']' | b'^' => begins::SIGN,
                b'('..=b'/' | b':'..=b'>' | b'{'..=b'~' => begins::SIGN,
                0x80.. => begins::WIDE,
                _ => b'i',
            };
            assert_eq!(of_byte(byte), wanted, "{byte}");
        }
    }
}
