//! What a function does, free of any language: steps that read and write variables, and structured control over them.
//! The lowerings (`lower/`) write it, the graph (`graph.rs`) is made from it; what a construct means is said once.

use super::table::Table;
use std::collections::BTreeSet;

/// A variable's number in its [`Unit`].
pub type VarId = u32;
/// A function's number in its [`Unit`].
pub type FuncId = u32;
/// A field's number in its [`Unit`]; see [`WHOLE`].
pub type FieldId = u32;

/// No field: the variable as a whole.
pub const WHOLE: FieldId = 0;

/// Where a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A parameter.
    Param,
    /// Made in the function.
    Local,
    /// From outside of the outermost function: a global, an import, a name of the class.
    Outer,
    /// The value of an expression with control flow in it; never shown.
    Value,
}

/// A variable. Two of one name are two: shadowing is resolved before.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// The function that owns it.
    pub owner: FuncId,
    /// Where it comes from.
    pub origin: Origin,
    /// The line of its declaration; 0 for what comes from outside.
    pub line: u32,
}

/// How a step touches a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It reads.
    Use,
    /// It writes; what was there is gone.
    Def,
    /// It reads and writes, or changes the value in place.
    Update,
    /// It may write: a part of an expression that is not always evaluated.
    May,
}

/// One touch of a variable, in the order of evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The variable.
    pub var: VarId,
    /// The field of it, or [`WHOLE`].
    pub field: FieldId,
    /// How.
    pub touch: Touch,
    /// The line of the word.
    pub line: u32,
}

/// What one value has to do with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It may be the same object.
    Same,
    /// It may be a part of the other.
    Part,
    /// The other may be a part of it.
    Holds,
}

/// What a variable is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A number, a text, a truth: nothing that can be changed in place.
    Scalar,
    /// As these variables.
    Like(Vec<VarId>),
    /// Anything.
    Other,
}

impl ValueKind {
    /// One or the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Scalar, other) | (other, Self::Scalar) => other,
            (Self::Like(mut one), Self::Like(two)) => {
                one.extend(two);
                Self::Like(one)
            }
        }
    }
}

/// What a call is given.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The name that it is given under.
    pub name: Option<String>,
    /// Where it comes from.
    pub from: Vec<(Relation, VarId)>,
    /// It is several, nobody knows how many.
    pub splat: bool,
}

/// A call, with what it may change.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// The last word of what is called; empty when it has none.
    pub name: String,
    /// The variable of the unit that is called.
    pub callee: Option<VarId>,
    /// It is called on something, or in a module.
    pub is_method: bool,
    /// It is called on the object itself.
    pub on_self: bool,
    /// No call: a loop takes values from its only argument.
    pub is_loop: bool,
    /// It is called with `new`.
    pub makes: bool,
    /// What it is called on.
    pub receiver: Vec<(Relation, VarId)>,
    /// What it is given.
    pub args: Vec<Argument>,
    /// Stands for what it gives.
    pub result: VarId,
    /// The line.
    pub line: u32,
}

/// What a step is to the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One thing after another.
    Plain,
    /// The parameters of a function.
    Entry,
    /// A condition.
    Test,
    /// The head of a loop over something: takes the next one.
    Each,
    /// The value that a switch looks at.
    Subject,
    /// A case of a switch.
    Case,
    /// The head of a `try`.
    Try,
    /// A handler's head.
    Catch,
    /// Entering something that is left at the end.
    Enter,
    /// Leaving it.
    Leave,
    /// A return.
    Return,
    /// A throw, raise, panic.
    Throw,
    /// A break.
    Break,
    /// A continue.
    Continue,
    /// A goto.
    Goto,
    /// What was put off to the end of the function.
    Deferred,
    /// A function that is known from the beginning of its block, whatever its line.
    Declared,
    /// Nothing: a join point.
    Join,
}

/// The smallest thing that is done at once: a simple statement, a condition, a loop's head.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its role.
    pub role: Role,
    /// Its lines, both ends counted; several runs when statements lie inside of it.
    pub lines: Vec<(u32, u32)>,
    /// The bytes of what is worth showing of it.
    pub span: (u32, u32),
    /// What it touches.
    pub accesses: Vec<Access>,
    /// Something in it may throw.
    pub throws: bool,
    /// It may leave the function with an error (`?`).
    pub leaves: bool,
    /// Decisions inside: short circuits, conditional expressions, conditions of comprehensions.
    pub decisions: u32,
    /// Functions that it makes.
    pub makes: Vec<FuncId>,
    /// The calls in it, where the language tells.
    pub calls: Vec<CallSite>,
    /// Objects that it changes in place: the variable, whether what is inside of it is changed, the line.
    pub changes: Vec<(VarId, bool, u32)>,
    /// Where the value of a `return` or `yield` comes from.
    pub gives: Vec<(Relation, VarId)>,
}

impl Step {
    /// A step without content.
    pub const fn empty(role: Role) -> Self {
        Self {
            role,
            lines: Vec::new(),
            span: (0, 0),
            accesses: Vec::new(),
            throws: false,
            leaves: false,
            decisions: 0,
            makes: Vec::new(),
            calls: Vec::new(),
            changes: Vec::new(),
            gives: Vec::new(),
        }
    }

    /// Its first line; 0 when it has none.
    pub fn line(&self) -> u32 {
        self.lines.first().map_or(0, |lines| lines.0)
    }

    /// Its last line; 0 when it has none.
    pub fn last_line(&self) -> u32 {
        self.lines.last().map_or(0, |lines| lines.1)
    }

    /// True when it is on this line.
    pub fn on(&self, line: u32) -> bool {
        self.lines.iter().any(|(from, to)| (*from..=*to).contains(&line))
    }
}

/// A sequence.
pub type Body = Vec<Stmt>;

/// One statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A step, then the next.
    Step(Step),
    /// `if`, `else if`…, `else`.
    If(If),
    /// Any loop.
    Loop(Loop),
    /// `switch`, `match`, `select`.
    Switch(Switch),
    /// `try`.
    Try(Try),
    /// Something entered and left whatever happens: `with`, `using`, try with resources.
    With(With),
    /// A block with a label that `break` can name.
    Block(String, Body),
    /// A step after which control is elsewhere.
    Jump(Step, Jump),
    /// A place for `goto`.
    Label(String),
    /// What is done or not, without a condition that is written.
    Perhaps(Body),
}

/// Where a jump goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Out of the function.
    Return,
    /// To a handler, or out.
    Throw,
    /// Behind a loop, switch or block.
    Break(Option<String>),
    /// To the next round.
    Continue(Option<String>),
    /// To a label.
    Goto(String),
    /// Into the next case.
    Fallthrough,
}

/// One arm of an `if`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// What is done to know the condition.
    pub before: Body,
    /// The condition.
    pub test: Step,
    /// What is done when it holds.
    pub body: Body,
}

/// `if` with its `else if`s.
#[derive(Clone, Debug)]
pub struct If {
    /// The arms in order.
    pub arms: Vec<Arm>,
    /// The last `else`.
    pub other: Body,
}

/// Any loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its label.
    pub label: Option<String>,
    /// What is done each round to know the condition.
    pub before: Body,
    /// The condition, or the taking of the next.
    pub head: Step,
    /// The head is always true.
    pub endless: bool,
    /// The head comes after the body.
    pub at_end: bool,
    /// The body.
    pub body: Body,
    /// What is done between rounds.
    pub update: Body,
    /// What is done when the loop ends by its head (`else` of Python).
    pub other: Body,
}

impl Loop {
    /// A loop with only a head and a body; what else a language has is set with `..Loop::new(head, body)`.
    pub fn new(head: Step, body: Body) -> Self {
        Self {
            label: None,
            before: Body::new(),
            head,
            endless: false,
            at_end: false,
            body,
            update: Body::new(),
            other: Body::new(),
        }
    }
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The test; `None` for the default.
    pub test: Option<Step>,
    /// A condition beside the pattern, with what is done to know it.
    pub guard: Option<(Body, Step)>,
    /// The body.
    pub body: Body,
    /// Its end runs into the next case's body.
    pub falls: bool,
}

/// `switch` and its kin.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Its label.
    pub label: Option<String>,
    /// What is looked at.
    pub subject: Step,
    /// The cases in order.
    pub cases: Vec<Case>,
    /// One of the cases is always taken.
    pub exhaustive: bool,
    /// A bare `break` leaves it.
    pub breaks: bool,
}

/// A handler.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Its head: what it catches, what it binds.
    pub head: Step,
    /// It catches everything.
    pub all: bool,
    /// Its body.
    pub body: Body,
}

/// `try`.
#[derive(Clone, Debug)]
pub struct Try {
    /// The line of the word.
    pub head: Step,
    /// What is tried.
    pub body: Body,
    /// The handlers in order.
    pub handlers: Vec<Handler>,
    /// What is done when nothing was thrown.
    pub other: Body,
    /// What is done at the end, whatever happened.
    pub last: Option<Body>,
}

/// `with` and its kin.
#[derive(Clone, Debug)]
pub struct With {
    /// Entering.
    pub enter: Step,
    /// What is done inside.
    pub body: Body,
    /// Leaving may swallow an exception.
    pub swallows: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// Its bytes.
    pub span: (u32, u32),
    /// The function around it.
    pub parent: Option<FuncId>,
    /// The parameters.
    pub entry: Step,
    /// The body.
    pub body: Body,
    /// Variables that are read when it ends (named results).
    pub results: Vec<VarId>,
}

/// An outermost function with every function inside of it: what one analysis sees.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The functions; the first is the outermost.
    pub functions: Table<Function>,
    /// The variables.
    pub vars: Table<Var>,
    /// Names of fields; the first is no field.
    pub fields: Table<String>,
    /// What is partial: told with every answer.
    pub notes: Vec<String>,
    /// Which variables may share an object.
    pub shares: Vec<(VarId, Relation, VarId)>,
    /// What variables are given.
    pub kinds: Vec<(VarId, ValueKind)>,
    /// Variables that are used as only numbers and texts can be.
    pub used_as_scalar: BTreeSet<VarId>,
}
