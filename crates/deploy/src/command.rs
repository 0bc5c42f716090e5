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

/// What stands between the test for the program and the program, and after it.
const THEN: &str = " && exec ";
const OTHERWISE: &str = " || true";

impl Command {
    /// `exe hook --agent <agent>`: what every entry of ours runs.
    pub fn hook(exe: impl Into<PathBuf>, agent: &str) -> Self {
        Self { exe: exe.into(), args: vec!["hook".into(), "--agent".into(), agent.into()] }
    }

    /// What a file that is shared in a repository runs: the `sprag` of whoever works there. The scope lets it leave
    /// an event to the registration of the user, where there is one.
    pub fn shared(agent: &str) -> Self {
        let mut command = Self::hook("sprag", agent);
        command.args.extend(["--scope".into(), "project".into()]);
        command
    }

    /// What a plugin runs. The scope lets it leave an event to the agent's own settings, where these register sprag too.
    pub fn plugin(exe: impl Into<PathBuf>, agent: &str) -> Self {
        let mut command = Self::hook(exe, agent);
        command.args.extend(["--scope".into(), "plugin".into()]);
        command
    }

    /// The command as one line for a POSIX shell. The same command always gives the same text: Codex trusts by hash.
    /// A gate's line fails when the program is not there, any other ends in silence (ADR 0030).
    pub fn shell_line(&self, gate: bool) -> String {
        let exe = quote(&self.exe.to_string_lossy());
        let args: String = self.args.iter().map(|arg| format!(" {}", quote(arg))).collect();
        if gate || cfg!(windows) {
            format!("{exe}{args}")
        } else if self.exe.is_absolute() {
            format!("test -x {exe}{THEN}{exe}{args}{OTHERWISE}")
        } else {
            format!("command -v {exe} >/dev/null{THEN}{exe}{args}{OTHERWISE}")
        }
    }

    /// The command of an entry, if the entry is one of ours: the program's name is `sprag`, or its path is `exe`,
    /// and its first argument is `hook`. A line that does more than that (a pipe, a second command) is its owner's.
    pub fn recognise(command: &str, args: Option<&[String]>, exe: Option<&Path>) -> Option<(Self, Form)> {
        Self::of_sprag("hook", command, args, exe)
    }

    /// True for a status line of ours.
    pub(crate) fn is_status_line(command: &str, exe: Option<&Path>) -> bool {
        Self::of_sprag("statusline", command, None, exe).is_some()
    }

    fn of_sprag(
        subcommand: &str,
        command: &str,
        args: Option<&[String]>,
        exe: Option<&Path>,
    ) -> Option<(Self, Form)> {
        let (words, form) = match args {
            Some(args) => {
                (std::iter::once(command.to_owned()).chain(args.iter().cloned()).collect(), Form::Exec)
            }
            None => (simple_words(untested(command))?, Form::Shell),
        };
        let (program, args) = words.split_first()?;
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let ours = matches!(name, "sprag" | "sprag.exe") || exe.is_some_and(|exe| exe == Path::new(program));
        (ours && args.first().is_some_and(|arg| arg == subcommand))
            .then(|| (Self { exe: PathBuf::from(program), args: args.to_vec() }, form))
    }
}

/// The line without the test for its program, as [`Command::shell_line`] writes it.
fn untested(line: &str) -> &str {
    let inner = line.trim().strip_suffix(OTHERWISE).and_then(|rest| rest.split_once(THEN));
    match inner {
        Some((test, inner)) if test.starts_with("test -x ") || test.starts_with("command -v ") => inner,
        _ => line,
    }
}
