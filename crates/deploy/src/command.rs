//! The command that an agent runs, in both spellings, and how one of ours is told from a foreign one.
//! Recognition reads the command alone: an entry survives reformatting, another path, an older form.

use sprag_shell::{quote, simple_words};
use std::path::{Path, PathBuf};

/// A program with its arguments: what deploy registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program, as the agent shall start it.
    pub exe: PathBuf,
    /// Its arguments; the first is `hook`.
    pub args: Vec<String>,
}

/// How a command is spelled in the agent's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `command` is the program and `args` its arguments: no shell in between.
    Exec,
    /// `command` is one line for a shell.
    Shell,
}

impl Command {
    /// `exe hook --agent <agent>`: what every entry of ours runs.
    pub fn hook(exe: impl Into<PathBuf>, agent: &str) -> Self {
        Self { exe: exe.into(), args: vec!["hook".into(), "--agent".into(), agent.into()] }
    }

    /// The command as one line for a POSIX shell. The same command always gives the same text: Codex trusts by hash.
    pub fn shell_line(&self) -> String {
        let mut line = quote(&self.exe.to_string_lossy());
        for arg in &self.args {
            line.push(' ');
            line.push_str(&quote(arg));
        }
        line
    }

    /// The command of an entry, if the entry is one of ours: the program's name is `sprag`, or its path is `exe`,
    /// and its first argument is `hook`. A line that does more than that (a pipe, a second command) is its owner's.
    pub fn recognise(command: &str, args: Option<&[String]>, exe: Option<&Path>) -> Option<(Self, Form)> {
        let (words, form) = match args {
            Some(args) => {
                (std::iter::once(command.to_owned()).chain(args.iter().cloned()).collect(), Form::Exec)
            }
            None => (simple_words(command)?, Form::Shell),
        };
        let (program, args) = words.split_first()?;
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let ours = matches!(name, "sprag" | "sprag.exe") || exe.is_some_and(|exe| exe == Path::new(program));
        (ours && args.first().is_some_and(|arg| arg == "hook"))
            .then(|| (Self { exe: PathBuf::from(program), args: args.to_vec() }, form))
    }
}
