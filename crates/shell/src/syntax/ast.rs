//! The syntax tree of a shell program, as far as "which commands would run, with which words" needs it.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// A sequence of and-or lists.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// `a && b || c`, possibly in the background.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Link, Pipeline)>,
    pub(crate) background: bool,
}

/// How a pipeline hangs on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

/// `a | b | c`.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Command>,
}

/// One stage of a pipeline.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: CommandKind,
    pub(crate) redirects: Vec<Redirect>,
}

/// What a stage is.
#[derive(Debug)]
pub(crate) enum CommandKind {
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
        exprs: Word,
        endless: bool,
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `(( … ))`: only its substitutions matter.
    Arith(Word),
    /// `[[ … ]]`: only its substitutions matter.
    Test(Vec<Word>),
}

/// `name=value`, `name+=value`, `name=(a b)`.
#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) append: bool,
    pub(crate) value: AssignValue,
}

/// The right side of an assignment.
#[derive(Debug)]
pub(crate) enum AssignValue {
    Word(Word),
    Array(Vec<Word>),
}

/// A redirection.
#[derive(Debug)]
pub(crate) struct Redirect {
    /// `3>`, or the name in `{name}>`.
    pub(crate) fd: Option<String>,
    pub(crate) op: RedirectOp,
    pub(crate) target: Word,
    /// A heredoc's body; set when the parser reaches the line after the operator.
    pub(crate) body: Option<Rc<OnceCell<Word>>>,
}

/// The redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectOp {
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
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    /// The word as it was written.
    pub(crate) raw: Rc<str>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Text; globs, braces and tildes count only when it is not quoted.
    Text { text: String, quoted: bool },
    /// `$name`, `${name…}`.
    Param { param: Rc<Param>, quoted: bool },
    /// `$( … )`, backticks.
    Command { script: Rc<Script>, quoted: bool },
    /// `$(( … ))`: unknown number; its substitutions still run.
    Arith { inner: Word },
    /// `<( … )` and `>( … )`.
    Process { script: Rc<Script>, write: bool },
}

/// A parameter expansion.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    /// `${#name}`
    pub(crate) length: bool,
    /// `${!name}`
    pub(crate) indirect: bool,
    /// `[@]`, `[*]`, `[2]`
    pub(crate) index: Option<String>,
    pub(crate) op: ParamOp,
    /// Where it stands in the text that was parsed.
    pub(crate) at: Range<usize>,
}

/// What is done to the parameter's value.
#[derive(Debug)]
pub(crate) enum ParamOp {
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
    Slice,
    /// `%`, `#`, `/`, `^`, `,`, `@`: the word's substitutions run, the value is not computed.
    Other(Word),
}
