//! The syntax tree of a shell program, as far as "which commands would run, with which words" needs it.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// A sequence of and-or lists.
#[derive(Debug, Default)]
pub struct Script {
    pub items: Vec<Item>,
}

/// `a && b || c`, possibly in the background.
#[derive(Debug)]
pub struct Item {
    pub first: Pipeline,
    pub rest: Vec<(Link, Pipeline)>,
    pub background: bool,
}

/// How a pipeline hangs on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    And,
    Or,
}

/// `a | b | c`.
#[derive(Debug, Default)]
pub struct Pipeline {
    pub negated: bool,
    pub stages: Vec<Command>,
}

/// One stage of a pipeline.
#[derive(Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
}

/// What a stage is.
#[derive(Debug)]
pub enum CommandKind {
    Simple {
        assigns: Vec<Assign>,
        words: Vec<Word>,
    },
    Group(Script),
    Subshell(Script),
    If {
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    Loop {
        until: bool,
        cond: Script,
        body: Script,
    },
    For {
        var: String,
        words: Option<Vec<Word>>,
        body: Script,
    },
    ArithFor {
        /// What is done before, asked before each round, and done after each.
        exprs: [Word; 3],
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<CaseArm>,
    },
    /// `coproc NAME command`: the command runs beside the shell, with pipes to its input and from its output.
    Coproc {
        name: String,
        body: Rc<Script>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `(( … ))`
    Arith(Word),
    /// `[[ … ]]`
    Test(Vec<TestItem>),
}

/// One arm of a `case`.
#[derive(Debug)]
pub struct CaseArm {
    pub patterns: Vec<Word>,
    pub body: Script,
    pub end: CaseEnd,
}

/// What follows the body of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Stop,
    /// `;&`: the next body, whatever its patterns.
    Next,
    /// `;;&`: the next arm that matches.
    Test,
}

/// A word or an operator inside `[[ … ]]`.
#[derive(Debug)]
pub enum TestItem {
    Word(Word),
    /// `&&`, `||`, `(`, `)`, `<`, `>`
    Op(&'static str),
}

/// `name=value`, `name+=value`, `name=(a b)`.
#[derive(Debug)]
pub struct Assign {
    pub name: String,
    /// What stands between the brackets of `name[index]=value`.
    pub index: Option<String>,
    pub append: bool,
    pub value: AssignValue,
}

/// The right side of an assignment.
#[derive(Debug)]
pub enum AssignValue {
    Word(Word),
    Array(Vec<Word>),
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect {
    /// `3>`, or the name in `{name}>`.
    pub fd: Option<String>,
    pub op: RedirectOp,
    pub target: Word,
    /// A heredoc's body; set when the parser reaches the line after the operator.
    pub body: Option<Rc<OnceCell<Word>>>,
}

/// The redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOp {
    In,
    Out,
    Append,
    InOut,
    DupIn,
    DupOut,
    OutAndErr,
    AppendOutAndErr,
    HereDoc,
    HereString,
}

/// A word: parts that are joined after expansion.
#[derive(Debug, Default, Clone)]
pub struct Word {
    pub parts: Vec<Part>,
    /// The word as it was written.
    pub raw: Rc<str>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text; globs, braces and tildes count only when it is not quoted.
    Text { text: String, quoted: bool },
    /// `$name`, `${name…}`.
    Param { param: Rc<Param>, quoted: bool },
    /// `$( … )`, backticks.
    Command { script: Rc<Script>, quoted: bool },
    /// `$(( … ))`
    Arith { inner: Word },
    /// `<( … )` and `>( … )`.
    Process { script: Rc<Script>, write: bool },
}

/// A parameter expansion.
#[derive(Debug)]
pub struct Param {
    pub name: String,
    /// `${#name}`
    pub length: bool,
    /// `${!name}`
    pub indirect: bool,
    /// `[@]`, `[*]`, `[2]`
    pub index: Option<String>,
    pub op: ParamOp,
    /// Where it stands in the text that was parsed.
    pub at: Range<usize>,
}

/// What is done to the parameter's value.
#[derive(Debug)]
pub enum ParamOp {
    None,
    /// `:-` and `-`; the flag says whether an empty value counts as unset.
    Default(Word, bool),
    /// `:=` and `=`
    Assign(Word, bool),
    /// `:+` and `+`
    Alternative(Word, bool),
    /// `:?` and `?`
    Error,
    /// `:1:2`
    Slice(Word, Option<Word>),
    /// `#`, `##`, `%`, `%%`: a part that matches is cut off.
    Cut {
        end: bool,
        longest: bool,
        pattern: Word,
    },
    /// `/`, `//`, `/#`, `/%`
    Replace {
        which: Which,
        pattern: Word,
        with: Word,
    },
    /// `^`, `^^`, `,`, `,,`: the case of the first or of all letters.
    Case {
        upper: bool,
        all: bool,
        pattern: Word,
    },
    /// `@Q`, `@L` and the like.
    Transform(u8),
    /// Anything else: the word's substitutions run, the value is not computed.
    Other(Word),
}

/// Which matches `${x/…/…}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    First,
    All,
    Start,
    End,
}
