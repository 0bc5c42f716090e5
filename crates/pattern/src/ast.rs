//! The parsed form of a pattern: what the text says, with the active flags already applied to each node.
//! Nothing here is stored; `compile` turns it into the program that is.

use super::charset::CharSet;

/// A zero-width test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

/// One piece of a pattern.
#[derive(Debug)]
pub(super) enum Node {
    Empty,
    /// `fold` is set only where case can matter for this character.
    Char {
        char: char,
        fold: bool,
    },
    /// Any single character of the set; case folding and negation are already in it.
    Set(CharSet),
    Assert(Assertion),
    Group {
        index: u32,
        body: Box<Node>,
    },
    BackRef {
        group: u32,
        fold: bool,
    },
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat(Box<Repeat>),
    Look {
        behind: bool,
        negate: bool,
        body: Box<Node>,
    },
}

/// A quantified node.
#[derive(Debug)]
pub(super) struct Repeat {
    pub(super) body: Node,
    pub(super) min: u32,
    /// `None` means without end.
    pub(super) max: Option<u32>,
    pub(super) greedy: bool,
    /// Whether `body` can match the empty string; kept so that copies need no second walk.
    pub(super) nullable: bool,
    /// Byte offset of the quantifier, for errors.
    pub(super) offset: usize,
    /// Capture groups inside `body`, as `first..end` group numbers: each round forgets them.
    pub(super) groups: (u32, u32),
}

impl Node {
    /// Whether the node may match without consuming anything; may say `true` when unsure.
    pub(super) fn nullable(&self) -> bool {
        match self {
            Node::Char { .. } | Node::Set(_) => false,
            Node::Empty | Node::Assert(_) | Node::BackRef { .. } | Node::Look { .. } => true,
            Node::Group { body, .. } => body.nullable(),
            Node::Concat(items) => items.iter().all(Node::nullable),
            Node::Alternate(branches) => branches.iter().any(Node::nullable),
            Node::Repeat(repeat) => repeat.min == 0 || repeat.nullable,
        }
    }
}

/// What a pattern uses that matters when its text is handed to another engine or joined with other patterns.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Features {
    /// Back references or octal escapes: their meaning depends on how many groups stand before them.
    pub(super) numbered: bool,
    /// Named groups: names may clash, and they change how `\k` reads.
    pub(super) named: bool,
    /// Syntax that JavaScript without the `u` flag reads differently or rejects in older engines.
    pub(super) unportable: bool,
}
