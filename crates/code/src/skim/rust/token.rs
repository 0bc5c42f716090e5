//! What Rust's text is made of, and which words are keywords.

/// The kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

/// What a token is. `<` and `>` are always alone, so that types can close two at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    /// Beyond the last token.
    End,
    Name,
    Lifetime,
    /// A whole number: the only literal that can follow a dot.
    Number,
    /// Any other literal.
    Literal,
    Open(Bracket),
    Close(Bracket),
    Underscore,
    Semicolon,
    Comma,
    Colon,
    Colons,
    Dot,
    Dots,
    /// `..=` and `...`
    LongDots,
    Equals,
    FatArrow,
    Arrow,
    Less,
    Greater,
    Minus,
    Star,
    Plus,
    Bang,
    And,
    AndAnd,
    Or,
    OrOr,
    /// An operator that stands between two values and nowhere else.
    Between,
    Question,
    At,
    Hash,
    /// `$` and a lone `'`: in the tokens of macros only.
    Macro,
    As,
    Async,
    Await,
    Break,
    Const,
    Continue,
    Crate,
    Dyn,
    Else,
    Enum,
    Extern,
    Fn,
    For,
    If,
    Impl,
    In,
    Let,
    Loop,
    Match,
    Mod,
    Move,
    Mut,
    Pub,
    Ref,
    Return,
    Own,
    Static,
    Struct,
    Super,
    Trait,
    Type,
    Unsafe,
    Use,
    Where,
    While,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub kind: Tok,
    /// The line of its first byte, from 1.
    pub line: u32,
    /// Its first byte.
    pub start: u32,
    /// The byte after it; of an opening bracket, the number of the token that closes it.
    reach: u32,
}

impl Token {
    /// What is there when nothing is left.
    pub(super) const END: Self = Self { kind: Tok::End, line: 0, start: 0, reach: 0 };

    /// What lies between two bytes.
    pub(super) fn new(kind: Tok, line: u32, start: usize, end: usize) -> Self {
        Self { kind, line, start: start as u32, reach: end as u32 }
    }

    /// This bracket is closed by the token of that number.
    pub(super) fn close_with(&mut self, number: usize) {
        self.reach = number as u32;
    }

    /// The byte after it.
    pub(super) fn end(self) -> u32 {
        if matches!(self.kind, Tok::Open(_)) { self.start + 1 } else { self.reach }
    }

    /// The number of the token that closes this bracket.
    pub(super) fn closed_by(self) -> usize {
        self.reach as usize
    }
}

/// What a word is. Words that are keywords only here and there are names.
pub(super) fn keyword(word: &[u8]) -> Tok {
    if word.len() > 8 || !word.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'_') {
        return Tok::Name;
    }
    match word {
        b"_" => Tok::Underscore,
        b"as" => Tok::As,
        b"fn" => Tok::Fn,
        b"if" => Tok::If,
        b"in" => Tok::In,
        b"dyn" => Tok::Dyn,
        b"for" => Tok::For,
        b"let" => Tok::Let,
        b"mod" => Tok::Mod,
        b"mut" => Tok::Mut,
        b"pub" => Tok::Pub,
        b"ref" => Tok::Ref,
        b"use" => Tok::Use,
        b"else" => Tok::Else,
        b"enum" => Tok::Enum,
        b"impl" => Tok::Impl,
        b"loop" => Tok::Loop,
        b"move" => Tok::Move,
        b"self" => Tok::Own,
        b"true" => Tok::Literal,
        b"type" => Tok::Type,
        b"async" => Tok::Async,
        b"await" => Tok::Await,
        b"break" => Tok::Break,
        b"const" => Tok::Const,
        b"crate" => Tok::Crate,
        b"false" => Tok::Literal,
        b"match" => Tok::Match,
        b"super" => Tok::Super,
        b"trait" => Tok::Trait,
        b"where" => Tok::Where,
        b"while" => Tok::While,
        b"extern" => Tok::Extern,
        b"return" => Tok::Return,
        b"static" => Tok::Static,
        b"struct" => Tok::Struct,
        b"unsafe" => Tok::Unsafe,
        b"continue" => Tok::Continue,
        _ => Tok::Name,
    }
}
