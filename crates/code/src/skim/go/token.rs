//! The words of Go: kinds of tokens, and which of them end a line as a semicolon would.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Beyond the last token.
    End,
    /// A semicolon that is written.
    Semicolon,
    /// The end of a line where a semicolon is meant.
    Line,
    /// A name.
    Name,
    /// `nil`, `true`, `false`, `iota`: a name where names are declared, else no receiver.
    Value,
    /// A name that says the object itself, whoever reads it.
    Own,
    /// A name that says what a type inherits from.
    Super,
    /// `new`, `make`: a name; called, it takes a type.
    Make,
    /// A number or a rune.
    Number,
    /// A string of either kind.
    Text,
    Break,
    Case,
    Chan,
    Const,
    Continue,
    Default,
    Defer,
    Else,
    Fallthrough,
    For,
    Func,
    Go,
    Goto,
    If,
    Import,
    Interface,
    Map,
    Package,
    Range,
    Return,
    Select,
    Struct,
    Switch,
    Type,
    Var,
    RoundOpen,
    RoundClose,
    SquareOpen,
    SquareClose,
    CurlyOpen,
    CurlyClose,
    Comma,
    Dot,
    Dots,
    Colon,
    /// `:=`
    Define,
    /// `=`
    Assign,
    /// `+=` and the like.
    AssignWith,
    /// `++`, `--`
    Step,
    /// `<-`
    Arrow,
    /// `*`
    Star,
    /// `&`
    Address,
    /// `+`, `-`, `^`: before one operand or between two.
    Sign,
    /// `!`
    Not,
    /// `~`
    Under,
    /// `|`
    Either,
    /// What can only be between two operands.
    Between,
}

impl Kind {
    /// It can be what a thing is called.
    pub(super) const fn is_name(self) -> bool {
        matches!(self, Self::Name | Self::Value | Self::Own | Self::Super | Self::Make)
    }

    /// It can be the name of a type that a literal is made of, or a label: the parser has other plans with some names.
    pub(super) const fn is_free_name(self) -> bool {
        matches!(self, Self::Name | Self::Own | Self::Super)
    }

    /// A line that ends after it ends a statement.
    pub(super) const fn ends_line(self) -> bool {
        self.is_name()
            || matches!(
                self,
                Self::Number
                    | Self::Text
                    | Self::Break
                    | Self::Continue
                    | Self::Fallthrough
                    | Self::Return
                    | Self::Step
                    | Self::RoundClose
                    | Self::SquareClose
                    | Self::CurlyClose
            )
    }

    /// It ends a statement.
    pub(super) const fn is_end(self) -> bool {
        matches!(self, Self::Semicolon | Self::Line)
    }

    /// It stands between two operands.
    pub(super) const fn is_binary(self) -> bool {
        matches!(self, Self::Between | Self::Sign | Self::Star | Self::Address | Self::Either)
    }

    /// A type can begin with it.
    pub(super) const fn begins_type(self) -> bool {
        self.is_name()
            || matches!(
                self,
                Self::Star
                    | Self::SquareOpen
                    | Self::RoundOpen
                    | Self::Func
                    | Self::Map
                    | Self::Chan
                    | Self::Arrow
                    | Self::Struct
                    | Self::Interface
                    | Self::Under
            )
    }

    /// What a word is.
    pub(super) fn of_word(word: &[u8]) -> Self {
        match word {
            b"if" => Self::If,
            b"go" => Self::Go,
            b"for" => Self::For,
            b"map" => Self::Map,
            b"var" => Self::Var,
            b"nil" => Self::Value,
            b"new" => Self::Make,
            b"cls" => Self::Own,
            b"case" => Self::Case,
            b"chan" => Self::Chan,
            b"else" => Self::Else,
            b"func" => Self::Func,
            b"goto" => Self::Goto,
            b"type" => Self::Type,
            b"true" | b"iota" => Self::Value,
            b"self" | b"this" | b"Self" => Self::Own,
            b"base" => Self::Super,
            b"make" => Self::Make,
            b"break" => Self::Break,
            b"const" => Self::Const,
            b"defer" => Self::Defer,
            b"range" => Self::Range,
            b"false" => Self::Value,
            b"super" => Self::Super,
            b"import" => Self::Import,
            b"return" => Self::Return,
            b"select" => Self::Select,
            b"struct" => Self::Struct,
            b"switch" => Self::Switch,
            b"static" => Self::Own,
            b"parent" => Self::Super,
            b"default" => Self::Default,
            b"package" => Self::Package,
            b"continue" => Self::Continue,
            b"interface" => Self::Interface,
            b"fallthrough" => Self::Fallthrough,
            _ => Self::Name,
        }
    }
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Its first byte.
    pub start: u32,
    /// The byte after it; of a bracket that opens, the number of the token that closes it.
    end: u32,
    /// Its line, from 1.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// A comment is between it and the token before.
    pub after_comment: bool,
}

impl Token {
    /// What is found where there is no token.
    pub(super) const END: Self = Self { start: 0, end: 0, line: 0, kind: Kind::End, after_comment: false };

    /// A token with its place.
    pub(super) const fn new(kind: Kind, start: usize, end: usize, line: u32, after_comment: bool) -> Self {
        Self { start: start as u32, end: end as u32, line, kind, after_comment }
    }

    /// The byte after it.
    pub(super) const fn end(self) -> u32 {
        match self.kind {
            Kind::RoundOpen | Kind::SquareOpen | Kind::CurlyOpen => self.start + 1,
            _ => self.end,
        }
    }

    /// Of a bracket that opens: the number of the one that closes it.
    pub(super) const fn pair(self) -> usize {
        self.end as usize
    }

    /// Says which bracket closes this one.
    pub(super) const fn pair_with(&mut self, closing: usize) {
        self.end = closing as u32;
    }
}
