//! What the walk knows at a point of the program: variables, functions, files written so far, open descriptors.

use std::rc::Rc;

use crate::model::{Arg, HOLE, Taint};
use crate::syntax::ast::{Command, Script};

/// Longest text that is carried from one command to the next.
pub(crate) const MAX_TEXT: usize = 64 * 1024;
/// Items of one array.
const MAX_ITEMS: usize = 1024;
/// How many values of one variable are kept apart when branches meet.
const MAX_VALUES: usize = 4;

/// Data that a command reads or writes: its text when that is known, and where it comes from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flow {
    pub(crate) text: Option<String>,
    pub(crate) taint: Taint,
}

impl Flow {
    pub(crate) fn text(text: impl Into<String>) -> Flow {
        Flow { text: Some(text.into()), taint: Taint::NONE }
    }

    pub(crate) fn empty() -> Flow {
        Flow::text("")
    }

    pub(crate) fn unknown(taint: Taint) -> Flow {
        Flow { text: None, taint }
    }

    pub(crate) fn push(&mut self, other: Flow) {
        self.taint = self.taint.and(other.taint);
        self.text = match (self.text.take(), other.text) {
            (Some(mut a), Some(b)) if a.len() + b.len() <= MAX_TEXT => {
                a.push_str(&b);
                Some(a)
            }
            (Some(a), None) if a.is_empty() && other.taint == Taint::NONE => None,
            _ => None,
        };
    }

    /// The text, or a hole where it is not known.
    pub(crate) fn or_hole(&self) -> String {
        self.text.clone().unwrap_or_else(|| HOLE.to_string())
    }
}

/// A variable: the values it may have here (one unless branches met; none when it is known to be unset), or an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Var {
    pub(crate) values: Vec<Arg>,
    pub(crate) array: Option<Vec<Arg>>,
    /// The keys of the array's items, when they are not 0, 1, 2 ….
    pub(crate) keys: Option<Vec<String>>,
    pub(crate) exported: bool,
    pub(crate) kind: VarKind,
}

/// What `declare` says about a variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum VarKind {
    #[default]
    Plain,
    /// `-n`: its value is the name of another one.
    Reference,
    /// `-l`
    Lower,
    /// `-u`
    Upper,
    /// `-i`
    Integer,
    /// `-A`
    Map,
}

impl Var {
    /// The item of an array with this key.
    pub(crate) fn item(&self, key: &str) -> Option<Arg> {
        let list = self.array.as_ref()?;
        let at = match &self.keys {
            Some(keys) => match keys.iter().position(|k| k == key) {
                Some(at) => at,
                None if key.starts_with('-') && self.kind != VarKind::Map => index_of(key, list.len())?,
                None => return None,
            },
            None => index_of(key, list.len())?,
        };
        list.get(at).cloned()
    }

    /// Set the item of an array with this key.
    pub(crate) fn put_item(&mut self, key: &str, value: Arg, append: bool) {
        let single = self.values.pop().filter(|_| self.kind != VarKind::Map);
        self.values.clear();
        let list = self.array.get_or_insert_with(|| single.into_iter().collect());
        let at = match &self.keys {
            Some(keys) => keys.iter().position(|k| k == key),
            None => index_of(key, list.len()).filter(|at| *at < list.len()),
        };
        if let Some(old) = at.and_then(|at| list.get_mut(at)) {
            if append {
                old.text.push_str(&value.text);
                old.taint = old.taint.and(value.taint);
            } else {
                *old = value;
            }
            return;
        }
        if list.len() >= MAX_ITEMS {
            return;
        }
        let next = list.len().to_string();
        if self.keys.is_none() && key == next {
            list.push(value);
            return;
        }
        let before = 0..list.len();
        let keys = self.keys.get_or_insert_with(|| before.map(|i| i.to_string()).collect());
        let number = |key: &str| key.parse::<i64>().unwrap_or(i64::MAX);
        let at = if self.kind == VarKind::Map {
            keys.len()
        } else {
            keys.iter().position(|k| number(k) > number(key)).unwrap_or(keys.len())
        };
        keys.insert(at, key.to_owned());
        list.insert(at.min(list.len()), value);
    }
}

/// Where the item of this index stands in a list; a negative one counts from the end.
fn index_of(key: &str, len: usize) -> Option<usize> {
    let index: i64 = key.parse().ok()?;
    if index >= 0 {
        return usize::try_from(index).ok();
    }
    len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
}

/// What is known about a file that the program has touched.
#[derive(Debug, Clone)]
pub(crate) struct FileState {
    pub(crate) path: String,
    pub(crate) data: Flow,
    pub(crate) gone: bool,
}

/// An open descriptor.
#[derive(Debug, Clone)]
pub(crate) enum Fd {
    Data(Flow),
    File(String),
    /// What is written here is the input of this program.
    Writer(Rc<Script>),
}

/// The state; cloned for a subshell and merged where branches meet.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) cwd: Option<String>,
    pub(crate) vars: Vec<(String, Var)>,
    pub(crate) functions: Vec<(String, Rc<Command>)>,
    pub(crate) aliases: Vec<(String, String)>,
    pub(crate) files: Vec<FileState>,
    pub(crate) fds: Vec<(String, Fd)>,
    pub(crate) positional: Vec<Arg>,
    pub(crate) lastpipe: bool,
    /// `set -o pipefail`: a pipeline fails when any of its commands does.
    pub(crate) pipefail: bool,
    /// Variables that this line does not set may be those of an environment file.
    pub(crate) loaded: bool,
    /// `set -x`: the shell prints what it runs.
    pub(crate) trace: bool,
    /// `exit` was reached for certain.
    pub(crate) exited: bool,
    /// `return`, `break` or `continue` was reached for certain.
    pub(crate) left: Option<Leave>,
    /// For each function being called, the variables that are its own, with what they were outside.
    pub(crate) locals: Vec<Vec<(String, Option<Var>)>>,
    /// Programs by the names that `hash -p` gave them.
    pub(crate) hashed: Vec<(String, String)>,
    /// How much of the input at hand was read by `read`; [`usize::MAX`] when that is not known.
    pub(crate) consumed: usize,
    /// Functions that child shells know too.
    pub(crate) exported_functions: Vec<String>,
    /// What runs when this shell ends.
    pub(crate) at_exit: Option<String>,
}

/// How a list of commands was left early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    Return,
    /// Out of this many loops.
    Break(u32),
    /// To the next round of the loop that is this many levels out.
    Continue(u32),
}

impl State {
    pub(crate) fn var(&self, name: &str) -> Option<&Var> {
        let mut found = self.own_var(name);
        for _ in 0..8 {
            match found {
                Some(v) if v.kind == VarKind::Reference => {
                    found = v.values.first().and_then(|to| self.own_var(&to.text));
                }
                _ => return found,
            }
        }
        None
    }

    /// The variable of this very name, also when it refers to another one.
    pub(crate) fn own_var(&self, name: &str) -> Option<&Var> {
        self.vars.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The name that a name refers to.
    pub(crate) fn referred(&self, name: &str) -> String {
        let mut name = name;
        for _ in 0..8 {
            match self.own_var(name).filter(|v| v.kind == VarKind::Reference).and_then(|v| v.values.first()) {
                Some(to) => name = &to.text,
                None => break,
            }
        }
        name.to_owned()
    }

    pub(crate) fn with_var(&mut self, name: &str, change: impl FnOnce(&mut Var)) {
        let refers = self.own_var(name).is_some_and(|v| v.kind == VarKind::Reference);
        let target = if refers { self.referred(name) } else { String::new() };
        self.with_own_var(if refers { &target } else { name }, change);
    }

    /// Change the variable of this very name.
    pub(crate) fn with_own_var(&mut self, name: &str, change: impl FnOnce(&mut Var)) {
        if let Some((_, v)) = self.vars.iter_mut().find(|(n, _)| n == name) {
            change(v);
        } else {
            let mut v = Var::default();
            change(&mut v);
            self.vars.push((name.to_owned(), v));
        }
    }

    pub(crate) fn set(&mut self, name: &str, mut value: Arg) {
        self.with_var(name, |v| {
            match v.kind {
                VarKind::Lower => value.text = value.text.to_lowercase(),
                VarKind::Upper => value.text = value.text.to_uppercase(),
                _ => {}
            }
            v.array = None;
            v.keys = None;
            v.values = vec![value];
        });
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.vars.retain(|(n, _)| n != name);
    }

    /// Make a variable one of the function at hand: what it was comes back when the function returns.
    pub(crate) fn make_local(&mut self, name: &str) {
        let old = self.own_var(name).cloned();
        let Some(frame) = self.locals.last_mut() else { return };
        if frame.iter().any(|(n, _)| n == name) {
            return;
        }
        frame.push((name.to_owned(), old));
        self.with_own_var(name, |v| *v = Var::default());
    }

    /// Leave a function: its own variables are gone.
    pub(crate) fn drop_locals(&mut self) {
        for (name, old) in self.locals.pop().unwrap_or_default() {
            match old {
                Some(old) => self.with_own_var(&name, |v| *v = old),
                None => self.unset(&name),
            }
        }
    }

    /// How much text it holds, in bytes.
    pub(crate) fn size(&self) -> usize {
        let args = |list: &[Arg]| list.iter().map(|a| a.text.len()).sum::<usize>();
        let vars = self.vars.iter().map(|(_, v)| args(&v.values) + v.array.as_deref().map_or(0, args));
        let files = self.files.iter().map(|f| f.data.text.as_ref().map_or(0, String::len));
        let fds = self.fds.iter().map(|(_, fd)| match fd {
            Fd::Data(flow) => flow.text.as_ref().map_or(0, String::len),
            Fd::File(_) | Fd::Writer(_) => 0,
        });
        vars.chain(files).chain(fds).sum::<usize>() + args(&self.positional)
    }

    /// The most values any variable may have here.
    pub(crate) fn choices(&self) -> usize {
        self.vars.iter().map(|(_, v)| v.values.len()).max().unwrap_or(1).max(1)
    }

    /// The definitions of a function that may be in effect here.
    pub(crate) fn functions_named(&self, name: &str) -> Vec<Rc<Command>> {
        self.functions.iter().filter(|(n, _)| n == name).map(|(_, f)| Rc::clone(f)).collect()
    }

    pub(crate) fn file(&self, path: &str) -> Option<&FileState> {
        self.files.iter().find(|f| f.path == path)
    }

    pub(crate) fn put_file(&mut self, path: &str, data: Flow, append: bool) {
        if let Some(f) = self.files.iter_mut().find(|f| f.path == path) {
            if append && !f.gone {
                f.data.push(data);
            } else {
                f.data = data;
            }
            f.gone = false;
        } else {
            let data = if append { Flow::unknown(data.taint) } else { data };
            self.files.push(FileState { path: path.to_owned(), data, gone: false });
        }
    }

    pub(crate) fn drop_file(&mut self, path: &str) {
        match self.files.iter_mut().find(|f| f.path == path) {
            Some(f) => f.gone = true,
            None => self.files.push(FileState { path: path.to_owned(), data: Flow::default(), gone: true }),
        }
    }

    /// This state, or `other`, whichever way the program went.
    pub(crate) fn merge(&mut self, other: State) {
        for (name, theirs) in other.vars {
            match self.vars.iter_mut().find(|(n, _)| *n == name) {
                Some((_, ours)) => {
                    for v in theirs.values {
                        if ours.values.len() < MAX_VALUES && !ours.values.contains(&v) {
                            ours.values.push(v);
                        }
                    }
                    if ours.array.is_none() {
                        ours.array = theirs.array;
                        ours.keys = theirs.keys;
                    }
                    ours.exported |= theirs.exported;
                }
                None => self.vars.push((name, theirs)),
            }
        }
        for f in other.files {
            match self.files.iter_mut().find(|x| x.path == f.path) {
                Some(ours) => {
                    ours.data.taint = ours.data.taint.and(f.data.taint);
                    if ours.data.text != f.data.text && !f.gone {
                        // Keep the text that can still do something.
                        if ours.data.text.is_none() || ours.gone {
                            ours.data.text = f.data.text;
                        }
                    }
                    ours.gone &= f.gone;
                }
                None => self.files.push(f),
            }
        }
        for f in other.functions {
            if !self.functions.iter().any(|(n, b)| *n == f.0 && Rc::ptr_eq(b, &f.1)) {
                self.functions.push(f);
            }
        }
        for fd in other.fds {
            if !self.fds.iter().any(|(n, _)| *n == fd.0) {
                self.fds.push(fd);
            }
        }
        self.loaded |= other.loaded;
        self.trace |= other.trace;
        for (ours, theirs) in self.locals.iter_mut().zip(other.locals) {
            for (name, old) in theirs {
                if !ours.iter().any(|(n, _)| *n == name) {
                    ours.push((name, old));
                }
            }
        }
        for name in other.hashed {
            if !self.hashed.contains(&name) {
                self.hashed.push(name);
            }
        }
        if self.consumed != other.consumed {
            self.consumed = usize::MAX;
        }
        self.at_exit = self.at_exit.take().or(other.at_exit);
        self.exited &= other.exited;
        if self.left.is_none() || other.left.is_none() {
            self.left = None;
        }
    }

    /// Back from a subshell: files and how far the input was read are shared, everything else is as before.
    pub(crate) fn after_subshell(&mut self, before: State) {
        let files = std::mem::take(&mut self.files);
        let consumed = self.consumed;
        *self = before;
        self.files = files;
        self.consumed = consumed;
    }
}
