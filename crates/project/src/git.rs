//! The git state of a folder: last commit, uncommitted changes. Two short processes with a timeout.

use sprag_base::env::Env;
use sprag_base::process::{self, Spec};
use std::path::Path;
use std::time::Duration;

/// The state of a working copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitState {
    /// The branch; empty when detached.
    pub branch: String,
    /// Short hash and subject of the last commit; empty when there is none.
    pub last_commit: String,
    /// Files that git knows and that are changed.
    pub modified: usize,
    /// Files that git does not know.
    pub untracked: usize,
    /// False when git took too long: the counts say nothing then.
    pub counted: bool,
}

impl GitState {
    /// Asks git about a folder. `None` when it is not a working copy or git is not installed.
    pub fn read(cwd: &Path, env: &Env, timeout: Duration) -> Option<Self> {
        let (status, commit) = std::thread::scope(|scope| {
            let commit = scope.spawn(|| run(cwd, env, timeout, &["log", "-1", "--format=%h %s"]));
            let status =
                run(cwd, env, timeout, &["status", "--porcelain=v2", "--branch", "--untracked-files=normal"]);
            (status, commit.join().ok().flatten())
        });
        if status.is_none() && commit.is_none() {
            return None;
        }
        let mut state = Self { counted: status.is_some(), ..Self::default() };
        for line in status.unwrap_or_default().lines() {
            if let Some(branch) = line.strip_prefix("# branch.head ") {
                if branch != "(detached)" {
                    branch.clone_into(&mut state.branch);
                }
            } else if line.starts_with("? ") {
                state.untracked += 1;
            } else if line.starts_with(['1', '2', 'u']) {
                state.modified += 1;
            }
        }
        let commit = commit.unwrap_or_default();
        commit.lines().next().unwrap_or_default().clone_into(&mut state.last_commit);
        Some(state)
    }

    /// `3 modified, 1 untracked`; `None` when all is committed.
    pub fn uncommitted(&self) -> Option<String> {
        if !self.counted || self.modified + self.untracked == 0 {
            return None;
        }
        Some(format!("{} modified, {} untracked", self.modified, self.untracked))
    }
}

fn run(cwd: &Path, env: &Env, timeout: Duration, args: &[&str]) -> Option<String> {
    // A repository's own settings may name programs to run; nothing here needs them.
    let quiet = [
        "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
        "log.showSignature=false",
    ];
    let argv: Vec<String> = quiet.iter().chain(args).map(|arg| (*arg).to_owned()).collect();
    let own = [
        ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()),
        ("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned()),
        ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
    ];
    let finished =
        process::run(&Spec { argv: &argv, stdin: b"", cwd, inherit: env, env: &own, timeout }).ok()?;
    (finished.code == 0).then_some(finished.stdout)
}
