//! What the reading finds, in the order in which a walk of the tree would come to it. What is known only later, the end
//! of a declaration or the type of a value, is kept in lists of its own and filled in when it is known.

use crate::facts::SymbolKind;

/// What a call is made on; tokens by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Nothing,
    Own,
    Super,
    /// A name.
    Name(u32),
    /// A field of the object itself.
    OwnField(u32),
    /// A field of a name.
    Field(u32, u32),
    /// What a call gives; the bytes of what is called.
    Made(u32, u32),
    Unknown,
}

/// Where the text says the type of a value, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Nothing,
    /// A type.
    Type(u32, u32),
    /// A function whose name says what it makes.
    Call(u32, u32),
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub kind: SymbolKind,
    /// Its first token.
    pub first: u32,
    /// The line that comments are above of.
    pub line: u32,
    /// The byte where its head ends; zero when where it ends itself.
    pub head_end: u32,
    /// Its last token.
    pub last: u32,
    /// The type of a method's receiver, in bytes.
    pub container: Option<(u32, u32)>,
}

/// One thing that was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A name is declared; what comes until its end is inside it. The token of the name, the number of the declaration.
    Opens(u32, u32),
    /// The end of what was opened last.
    Closes,
    /// Names of values are declared: the first and how many tokens further the last is, the number of the declaration.
    /// Where it is one name, what comes until the end is inside it.
    Values(u32, u32, u32),
    /// The end of values.
    ClosesValues,
    /// A variable and the number of its type.
    Variable(u32, u32),
    /// A field and the number of its type.
    Field(u32, u32),
    /// A call, by the token of the name.
    Call(u32, On),
}
