//! What the walk knows at a point of the program: variables, functions, files written so far, open descriptors.

use std::rc::Rc;

use crate::model::{Arg, HOLE, Taint};
use crate::syntax::ast::{Command, Script};

/// Longest text that is carried from one command to the next.
pub(crate) const MAX_TEXT: usize = 64 * 1024;
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

/// A variable: the values it may have here (one unless branches met), or an array.
#[derive(Debug, Clone, Default)]
pub(crate) struct Var {
    pub(crate) values: Vec<Arg>,
    pub(crate) array: Option<Vec<Arg>>,
    pub(crate) exported: bool,
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
    pub(crate) left: bool,
}

impl State {
    pub(crate) fn var(&self, name: &str) -> Option<&Var> {
        self.vars.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    pub(crate) fn with_var(&mut self, name: &str, change: impl FnOnce(&mut Var)) {
        if let Some((_, v)) = self.vars.iter_mut().find(|(n, _)| n == name) {
            change(v);
        } else {
            let mut v = Var::default();
            change(&mut v);
            self.vars.push((name.to_owned(), v));
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: Arg) {
        self.with_var(name, |v| {
            v.array = None;
            v.values = vec![value];
        });
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.vars.retain(|(n, _)| n != name);
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
        self.exited &= other.exited;
        self.left &= other.left;
    }

    /// Back from a subshell: files are shared, everything else is as before.
    pub(crate) fn after_subshell(&mut self, before: State) {
        let files = std::mem::take(&mut self.files);
        *self = before;
        self.files = files;
    }
}
