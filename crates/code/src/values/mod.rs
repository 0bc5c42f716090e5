//! How values move through a file: a program for the points-to analysis, read from the tree once and kept with the facts.
//! A *node* is a variable, or the result of an expression; node 0 is nothing. Names of variables are resolved here, by the
//! language's scopes; everything that depends on other files or on what a value is is left to the analysis.

mod build;
mod python;
mod python_expr;
mod script;
mod script_binding;

use crate::facts::Facts;
use crate::language::Language;
use crate::parse::Parsed;
use serde::{Deserialize, Serialize};

/// How the values of one file move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Values {
    /// Names of attributes, modules and constants; the first is empty.
    pub names: Vec<String>,
    /// How many nodes.
    pub nodes: u32,
    /// Where something is called.
    pub sites: Vec<Site>,
    /// The functions, also those without a name.
    pub functions: Vec<Function>,
    /// The classes.
    pub classes: Vec<Class>,
    /// What happens, in no order that matters.
    pub ops: Vec<Op>,
    /// What other files see: name and node.
    pub exports: Vec<(u32, u32)>,
}

/// Where something is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Site {
    /// The line, from 1.
    pub line: u32,
    /// The symbol that it is in.
    pub caller: Option<u32>,
    /// The name that is called; empty for what has none, and for what is called without being written as a call.
    pub name: u32,
}

/// What a function is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FunctionKind {
    /// Called with the object that it is read from.
    #[default]
    Plain,
    /// Belongs to a class and gets no object.
    Static,
    /// Gets the class.
    OfClass,
    /// Called when it is read.
    Getter,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Function {
    /// Its symbol; none when it has no name.
    pub symbol: Option<u32>,
    /// What it is.
    pub kind: FunctionKind,
    /// It yields values.
    pub generator: bool,
    /// What it returns is awaited.
    pub is_async: bool,
    /// The class that it is written in.
    pub class: Option<u32>,
    /// Names and nodes of its parameters; in Python the first is the object.
    pub params: Vec<(u32, u32)>,
    /// The node of the other positional arguments.
    pub rest: u32,
    /// The node of the other named arguments.
    pub keywords: u32,
    /// The node of `this`, where it is no parameter.
    pub this: u32,
    /// What it returns.
    pub returns: u32,
    /// What it yields.
    pub yields: u32,
}

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Class {
    /// Its symbol; none when it has no name.
    pub symbol: Option<u32>,
    /// The nodes of what it inherits from, in order.
    pub bases: Vec<u32>,
    /// Names and nodes of its members.
    pub members: Vec<(u32, u32)>,
    /// The same for members of the class itself, where the language tells them apart.
    pub statics: Vec<(u32, u32)>,
}

/// Which item of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Key {
    /// Any.
    Any,
    /// By number; a negative one counts from the end.
    Index(i32),
    /// By a constant name.
    Name(u32),
    /// By the value of a node.
    Node(u32),
}

/// What a literal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum ContainerKind {
    /// A list, tuple, set, array.
    List,
    /// A dictionary of Python: what is iterated are the keys.
    Dict,
    /// An object of JavaScript.
    Object,
}

/// How an argument is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ArgKind {
    /// By its position.
    Positional,
    /// By this name.
    Named(u32),
    /// All items of a list.
    Spread,
    /// All entries of a dictionary.
    SpreadNamed,
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Arg {
    /// How it is given.
    pub kind: ArgKind,
    /// Its node.
    pub node: u32,
}

/// How something is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CallForm {
    /// `f()`.
    Plain,
    /// `new F()`; only a class, or a function as one.
    New,
    /// As a decorator: what comes from elsewhere is taken to return its argument.
    Decorator,
}

/// One thing that happens to values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Op {
    /// An assignment.
    Copy { from: u32, to: u32 },
    /// A function.
    Function { function: u32, to: u32 },
    /// A class.
    Class { class: u32, to: u32 },
    /// A name of a module, or with an empty name the module itself.
    Import { module: u32, name: u32, to: u32 },
    /// Everything that a module exports is known here.
    ImportAll { module: u32 },
    /// Everything that a module exports is exported from here.
    ExportAll { module: u32 },
    /// A constant text.
    Text { name: u32, to: u32 },
    /// A constant number.
    Number { value: i32, to: u32 },
    /// A value that has no part in calls: a result of arithmetic, `None`.
    Plain { to: u32 },
    /// A name that is defined nowhere in the file.
    Unresolved { name: u32, to: u32 },
    /// A container, with what it holds.
    Items { kind: ContainerKind, items: Vec<(Key, u32)>, spread: Vec<u32>, to: u32 },
    /// Reads an attribute.
    Get { of: u32, name: u32, site: u32, to: u32 },
    /// Writes an attribute.
    Set { of: u32, name: u32, from: u32 },
    /// Reads an item.
    Item { of: u32, key: Key, to: u32 },
    /// Writes an item.
    SetItem { of: u32, key: Key, from: u32 },
    /// The items from a number on.
    Slice { of: u32, start: Option<u32>, to: u32 },
    /// What an iteration comes to.
    Iterate { of: u32, site: u32, to: u32 },
    /// A call.
    Call { callee: u32, args: Vec<Arg>, site: u32, form: CallForm, to: u32 },
    /// What the class inherits from, seen from this object.
    Super { class: u32, this: u32, to: u32 },
    /// What comes of waiting.
    Await { of: u32, to: u32 },
    /// An object of a type. With `declared`, only when nothing else is known.
    Typed { of: u32, declared: bool, to: u32 },
    /// The object that holds everything that a script exports.
    Exports { to: u32 },
    /// What a script exports is this instead.
    ExportWhole { from: u32 },
}

/// True for languages whose calls are resolved by values.
pub(crate) const fn is_followed(language: Language) -> bool {
    matches!(language, Language::Python | Language::TypeScript | Language::Tsx | Language::JavaScript)
}

/// Reads how the values of a file move.
pub(crate) fn of(parsed: &Parsed, facts: &Facts) -> Values {
    match parsed.language {
        Language::Python => python::read(parsed, facts),
        language if is_followed(language) => script::read(parsed, facts),
        _ => Values::default(),
    }
}
