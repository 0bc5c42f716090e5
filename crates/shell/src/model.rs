//! What an analysis says: the commands that would run and what each would do.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crate::paths::PathZone;
use crate::text::slice;
use crate::walk::SECOND_READING;

/// Stands in expanded text for a part whose value is not known before the command runs.
pub const HOLE: char = '\u{E000}';

/// Where the command would run. The paths are only compared, never touched; they need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The working directory.
    pub cwd: String,
    /// The user's home directory.
    pub home: String,
    /// The root of the project the agent works in.
    pub project_root: String,
}

/// Everything known about one command line.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Every command that would run, in the order in which it was reached.
    pub commands: Vec<Cmd>,
    /// What they would do.
    pub effects: Vec<Effect>,
    /// What limits the analysis.
    pub notes: Vec<Note>,
    /// The line, trimmed.
    pub line: String,
    /// Files that hold a secret when the line is done, under names that do not say so.
    pub secret_copies: Vec<String>,
    /// Where quoted text and bodies of heredocs stand in the line, from the first to the last.
    pub(crate) data: Vec<Range<usize>>,
}

impl Analysis {
    /// The effects of a tool that is no shell, so that the same rules judge them.
    pub fn of_tool(name: &str, effects: impl IntoIterator<Item = EffectKind>) -> Self {
        let cmd = Cmd {
            name: name.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            reached: Vec::new(),
            inert: false,
            by_path: None,
            wrapper: false,
            decides: true,
            shown: true,
            dir: None,
        };
        let effects = effects.into_iter().map(|kind| Effect { cmd: 0, kind }).collect();
        Self { commands: vec![cmd], effects, ..Self::default() }
    }

    /// The commands that the line itself runs on this machine, wrappers included: without those that another machine or
    /// a container runs, without those that only a second reading of a broken line shows, and without the entries that
    /// stand for a redirection, a group or a builtin that is not recorded.
    pub fn local_commands(&self) -> impl Iterator<Item = &Cmd> {
        self.commands.iter().filter(|cmd| {
            let elsewhere =
                |via: &&str| matches!(*via, "ssh" | "ssh input" | "fleet" | "container" | SECOND_READING);
            !matches!(cmd.name.as_str(), "" | "{" | ">" | "$()") && !cmd.reached.iter().any(elsewhere)
        })
    }

    /// The line without its data: quotes are empty, heredocs have no body.
    pub fn line_without_data(&self) -> String {
        let mut out = String::with_capacity(self.line.len());
        let mut from = 0;
        for data in &self.data {
            out.push_str(slice(&self.line, from..data.start));
            from = data.end;
        }
        out.push_str(slice(&self.line, from..));
        out
    }
}

/// One command that would run, with its words expanded as far as they are known.
#[derive(Debug, Clone)]
pub struct Cmd {
    /// The program's base name (`/usr/bin/rm` and `\rm` are `rm`).
    pub name: String,
    /// The words after the name.
    pub args: Vec<Arg>,
    /// Assignments in front of it, and those made for it by `env`.
    pub env: Vec<(String, String)>,
    /// The constructs on the way from the line to this command (`sudo`, `bash -c`, `$()` …), outermost first.
    pub reached: Vec<&'static str>,
    /// Asks only for help or a version, or is a dry run by the tool's own rules.
    pub inert: bool,
    /// Named by a path (`./npm`): it need not be the program that is known by this name. The path from the root.
    pub by_path: Option<String>,
    /// Only starts the command that follows it in the list (`sudo`, `timeout`, `npx`, `sh -c` …).
    pub wrapper: bool,
    /// Its exit code is the line's own: nothing later in the line hides that it failed.
    pub decides: bool,
    /// What it prints reaches whoever runs the line, all of it: it is not redirected, captured, or cut by `head`.
    pub shown: bool,
    /// The folder that it runs in, when that is not the line's own; [`HOLE`] when it is not known.
    pub dir: Option<String>,
}

impl Cmd {
    /// Prints the content of the files that it is given, or a selection of it.
    pub fn prints_files(&self) -> bool {
        crate::tools::prints_files(&self.name)
    }

    /// Of what it is given, it prints only what is asked for (`grep`, `head`, `sed -n`).
    pub fn selects(&self) -> bool {
        crate::tools::selects(self)
    }
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arg {
    /// The value; [`HOLE`] where it is not known.
    pub text: String,
    /// The word as written, when this is one word of the line.
    pub raw: Option<Rc<str>>,
    /// It has active glob characters.
    pub glob: bool,
    /// Its glob characters stand for names that were found already: quotes around the variable do not make them literal.
    pub(crate) found: bool,
    /// Where its content comes from.
    pub(crate) taint: Taint,
}

impl Arg {
    /// A word with this exact text.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Arg { text: text.into(), ..Arg::default() }
    }

    /// The word as the value of a variable that holds what its globs found, one name at a time.
    pub(crate) fn names(self) -> Self {
        Arg { found: self.glob, ..self }
    }

    /// The value; the word as written when a part of the value is not known.
    pub fn shown(&self) -> Cow<'_, str> {
        match &self.raw {
            Some(raw) if self.has_hole() => Cow::Borrowed(raw),
            _ if self.has_hole() => Cow::Owned(self.to_string()),
            _ => Cow::Borrowed(&self.text),
        }
    }

    /// Whether some part is not known.
    pub fn has_hole(&self) -> bool {
        self.text.contains(HOLE)
    }
}

/// Where data comes from, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Taint(u16);

impl Taint {
    /// Nothing special.
    pub(crate) const NONE: Taint = Taint(0);
    /// From the network.
    pub(crate) const REMOTE: Taint = Taint(1 | 128);
    /// From the network, where a well-known project hands out its installer.
    pub(crate) const INSTALLER: Taint = Taint(1);
    /// Decoded from a form that hides it (base64, hex …).
    pub(crate) const DECODED: Taint = Taint(2);
    /// From a sensitive file.
    pub(crate) const SECRET: Taint = Taint(4);
    /// Printed by an interactive shell.
    pub(crate) const SHELL: Taint = Taint(8);
    /// From a file of the system or of the home directory, outside of the project.
    pub(crate) const OUTSIDE: Taint = Taint(16);
    /// A value of an environment file that the line loads: the commands may use it, nobody may see it.
    pub(crate) const LOADED: Taint = Taint(32 | 4);
    /// A token: the value of a variable that is named like one, or what a program printed that shows secrets. Commands
    /// may use it, nobody may see it.
    pub(crate) const TOKEN: Taint = Taint(64);

    /// Printed by a program that shows what somebody elsewhere wrote: an issue, an object of a store, a record of a name.
    pub(crate) const FOREIGN: Taint = Taint(256);

    /// Whether `other` is part of this.
    pub(crate) fn has(self, other: Taint) -> bool {
        self.0 & other.0 != 0
    }

    /// Where code with this taint comes from, when nobody has read it.
    pub(crate) fn code_from(self) -> Option<CodeFrom> {
        match self.0 {
            bits if bits & 128 != 0 => Some(CodeFrom::Network),
            bits if bits & Self::DECODED.0 != 0 => Some(CodeFrom::Decoded),
            bits if bits & 1 != 0 => Some(CodeFrom::Installer),
            _ => None,
        }
    }

    /// Both.
    #[must_use]
    pub(crate) fn and(self, other: Taint) -> Taint {
        Taint(self.0 | other.0)
    }

    /// A value of an environment file.
    pub(crate) fn is_loaded(self) -> bool {
        self.0 & 32 != 0
    }

    /// What is left when a command uses a token or the values of an environment file and does not print them.
    #[must_use]
    pub(crate) fn used(self) -> Taint {
        if self.is_loaded() { self.without_secret() } else { self.without_token() }
    }

    /// The rest, when a token is used where it belongs.
    #[must_use]
    pub(crate) fn without_token(self) -> Taint {
        Taint(self.0 & !Self::TOKEN.0)
    }

    /// The rest, when no secret comes out.
    #[must_use]
    pub(crate) fn without_secret(self) -> Taint {
        Taint(self.0 & !(Self::LOADED.0 | Self::TOKEN.0))
    }
}

/// A path in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRef {
    /// As written.
    pub written: String,
    /// After expansion of variables, tilde and quotes.
    pub expanded: String,
    /// Absolute and without `.` and `..`, by the text alone.
    pub full: String,
    /// Has glob characters.
    pub glob: bool,
    /// Where it lies.
    pub place: PathZone,
}

impl PathRef {
    /// A path of a tool call: absolute, `~/…`, or below the working directory.
    pub fn new(path: &str, context: &Context) -> Self {
        Self::below(path, (!context.cwd.is_empty()).then_some(context.cwd.as_str()), context)
    }

    /// A path below a folder, when it is not absolute; `None` is a folder that is not known.
    pub fn below(path: &str, folder: Option<&str>, context: &Context) -> Self {
        crate::paths::path_ref(&Arg::new(path), folder, context)
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteHow {
    /// Its old content is gone.
    Overwrite,
    /// Content is added.
    Append,
    /// Changed in place (`sed -i`, `patch`).
    InPlace,
    /// Made, or only its times changed (`touch`, `mkdir`).
    Create,
}

/// What changes of a file that is not its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeHow {
    /// `chmod`
    Mode,
    /// `chown`, `chgrp`
    Owner,
    /// `chattr`, `setfacl`, `xattr`
    Attributes,
}

/// How foreign code comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeFrom {
    /// The installer of a well-known project, from where that project hands it out.
    Installer,
    /// Downloaded, then executed.
    Network,
    /// Decoded, then executed.
    Decoded,
    /// A shell whose input and output are a network connection.
    NetworkShell,
    /// Printed by a program that shows what somebody elsewhere wrote.
    Foreign,
}

/// What a change of git's history or work tree would lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name is the operation")]
pub enum GitOp {
    ForcePush,
    ForcePushProtected,
    LeasePushProtected,
    DeleteRemoteRef,
    MirrorPush,
    ResetHard,
    Clean,
    DiscardPaths,
    ForceCheckout,
    StashDrop,
    StashClear,
    DeleteBranch,
    MoveBranch,
    ReflogExpire,
    PruneObjects,
    RewriteHistory,
    DeleteRef,
    RemoveWorktree,
    RemoveTracked,
    DeinitSubmodule,
    SkipHooks,
}

/// What a git command changes that everybody in the same checkout shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitChange {
    /// Another branch or commit is checked out.
    Switch,
    /// Changes of the work tree are put aside or brought back.
    Stash,
    /// Everything that changed is staged, whoever changed it.
    StageAll,
    /// The branch or the index moves to another commit.
    Reset,
    /// Commits are recreated on another base.
    Rebase,
    /// Changes of the work tree are thrown away.
    Discard,
    /// A commit is made.
    Commit,
}

/// What a database statement would lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name is the statement")]
pub enum Statement {
    Drop,
    Truncate,
    DeleteAll,
    UpdateAll,
    AlterDrop,
    Flush,
    DropCollection,
    Shell,
}

/// One effect and the command that has it.
#[derive(Debug, Clone)]
pub struct Effect {
    /// Index into [`Analysis::commands`].
    pub cmd: usize,
    /// What happens.
    pub kind: EffectKind,
}

/// What a command does.
#[derive(Debug, Clone)]
pub enum EffectKind {
    /// Reads a file's content.
    Read(PathRef),
    /// Gives the variables of a file to commands, without showing them.
    Use(PathRef),
    /// Lists or counts what is below a folder, or in a file.
    List(PathRef),
    /// Writes a file.
    Write(PathRef, WriteHow),
    /// Deletes a file or a tree.
    Delete {
        /// What.
        path: PathRef,
        /// With everything below it.
        recursive: bool,
        /// Without asking.
        force: bool,
        /// Limited to entries that a build makes again (`find -name '*.pyc'`).
        regenerable: bool,
    },
    /// Deletes whatever names arrive on its input.
    DeleteFromInput {
        /// With everything below.
        recursive: bool,
    },
    /// Moves a file.
    Move {
        /// From.
        from: PathRef,
        /// To.
        to: PathRef,
    },
    /// Changes mode, owner or attributes.
    Mode {
        /// Of what.
        path: PathRef,
        /// With everything below it.
        recursive: bool,
        /// Which.
        how: ModeHow,
        /// The mode or owner as given.
        spec: String,
    },
    /// Sends data away from the machine.
    Send {
        /// What is sent: a path or `-`.
        what: String,
        /// Where to.
        to: String,
        /// The data comes from a sensitive file.
        secret: bool,
        /// The data comes from a file outside of the project.
        outside: bool,
    },
    /// Fetches a URL.
    Fetch {
        /// From where.
        from: String,
    },
    /// Runs code that is not on the line.
    Code {
        /// Where it comes from.
        from: CodeFrom,
        /// What runs it.
        by: String,
    },
    /// Puts a file of the git index, or its content, where others see it (`git add`).
    Stage(PathRef),
    /// Changes git history, refs or the work tree.
    Git {
        /// How.
        op: GitOp,
        /// The part of the line that says so.
        what: String,
        /// The folder in which git runs; [`HOLE`] when it is not known.
        at: String,
    },
    /// Changes what everybody in a checkout shares: HEAD, the index, the stash, the work tree as a whole.
    Checkout {
        /// How.
        change: GitChange,
        /// The folder in which git runs; [`HOLE`] when it is not known.
        at: String,
    },
    /// Runs a database statement.
    Database {
        /// Which.
        statement: Statement,
        /// Its text, cut.
        text: String,
        /// What it takes away, as [`EffectKind::Make`] names it; empty when that is not known.
        takes: Vec<String>,
        /// The database that it runs in, named in the same way.
        within: Option<String>,
    },
    /// Makes something that was not there: a database, a table, a schema.
    Make(String),
    /// Handles a secret that is in no file: a token of the environment, or of a program that prints its own.
    Secret {
        /// The variable or the command.
        what: String,
        /// It comes out where it can be read: on the screen, in a file, at another host.
        shown: bool,
    },
    /// Unpacks an archive into a folder, over whatever is there.
    Unpack {
        /// The folder.
        into: PathRef,
        /// The archive comes straight from the network.
        foreign: bool,
    },
    /// Serves a folder to whoever connects.
    Serve(PathRef),
    /// Starts processes without end.
    ForkBomb,
    /// Runs words that are only known when it runs (`xargs sh -c`).
    DynamicShell,
}

/// A limit of the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// bash would reject the text; it was read piece by piece.
    Broken,
    /// More bytes, steps or nesting than the limits allow; not everything was read.
    TooMuch,
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.text.chars() {
            if c == HOLE { f.write_str("‹?›")? } else { write!(f, "{c}")? }
        }
        Ok(())
    }
}

impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for a in &self.args {
            write!(f, " {a}")?;
        }
        Ok(())
    }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectKind::Read(p) => write!(f, "reads {} ({:?})", p.full, p.place),
            EffectKind::Use(p) => write!(f, "uses the variables of {} ({:?})", p.full, p.place),
            EffectKind::List(p) => write!(f, "lists {} ({:?})", p.full, p.place),
            EffectKind::Write(p, how) => write!(f, "writes {} ({how:?}, {:?})", p.full, p.place),
            EffectKind::Delete { path, recursive, .. } => {
                write!(
                    f,
                    "deletes {}{} ({:?})",
                    path.full,
                    if *recursive { " and all below" } else { "" },
                    path.place
                )
            }
            EffectKind::DeleteFromInput { .. } => write!(f, "deletes what its input names"),
            EffectKind::Move { from, to } => write!(f, "moves {} to {}", from.full, to.full),
            EffectKind::Mode { path, recursive, how, spec } => {
                write!(
                    f,
                    "changes {how:?} of {} to {spec}{}",
                    path.full,
                    if *recursive { " and all below" } else { "" }
                )
            }
            EffectKind::Send { what, to, secret, .. } => {
                write!(f, "sends {what} to {to}{}", if *secret { " (a secret)" } else { "" })
            }
            EffectKind::Secret { what, shown } => {
                write!(f, "{} a secret: {what}", if *shown { "shows" } else { "uses" })
            }
            EffectKind::Unpack { into, .. } => write!(f, "unpacks over {} ({:?})", into.full, into.place),
            EffectKind::Serve(p) => write!(f, "serves {} ({:?})", p.full, p.place),
            EffectKind::Fetch { from } => write!(f, "fetches {from}"),
            EffectKind::Code { from, by } => write!(f, "{by} runs code ({from:?})"),
            EffectKind::Stage(p) => write!(f, "stages {}", p.full),
            EffectKind::Git { op, what, .. } => write!(f, "git {op:?}: {what}"),
            EffectKind::Checkout { change, at } => write!(f, "git state of {at}: {change:?}"),
            EffectKind::Database { statement, text, .. } => write!(f, "database {statement:?}: {text}"),
            EffectKind::Make(what) => write!(f, "makes {what}"),
            EffectKind::ForkBomb => write!(f, "starts processes without end"),
            EffectKind::DynamicShell => write!(f, "runs its input as shell code"),
        }
    }
}
