//! What git says was changed: files and lines, also of files that it does not know yet. No command here can run code
//! of the repository.

use sprag_base::env::Env;
use sprag_base::process::{self, Spec};
use sprag_verify::lines::ChangedLines;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// New files that are looked at.
const MAX_NEW: usize = 500;

/// The changes since the last commit.
#[derive(Debug, Default)]
pub struct Changes {
    /// Files and lines.
    pub changed: ChangedLines,
    /// The diff's text.
    pub diff: String,
}

/// Asks git. `None` outside a repository, or when git is not there.
pub fn since_commit(root: &Path, env: &Env) -> Option<Changes> {
    since_commit_in(root, env, &["."])
}

/// The same of some files alone: where there are very many, git is not made to look at all of them.
pub fn of_files(root: &Path, env: &Env, files: &BTreeSet<String>) -> Option<Changes> {
    let files: Vec<&str> = files.iter().take(MAX_NEW).map(String::as_str).collect();
    if files.is_empty() { Some(Changes::default()) } else { since_commit_in(root, env, &files) }
}

fn since_commit_in(root: &Path, env: &Env, paths: &[&str]) -> Option<Changes> {
    if sprag_project::git::is_blocked(root, env) {
        return None;
    }
    let diff = ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative"];
    // Without a commit everything is new.
    let diff = git(root, env, &[&diff[..], &["HEAD", "--"], paths].concat()).unwrap_or_default();
    let new =
        git(root, env, &[&["ls-files", "--others", "--exclude-standard", "-z", "--"][..], paths].concat())?;
    let staged = if diff.is_empty() {
        git(root, env, &[&["ls-files", "-z", "--"][..], paths].concat())?
    } else {
        String::new()
    };
    let no_commit = diff.is_empty() && git(root, env, &["rev-parse", "--verify", "-q", "HEAD"]).is_none();
    let mut changed = ChangedLines::parse(&diff);
    for file in new.split('\0').filter(|name| !name.is_empty()).take(MAX_NEW) {
        changed.add_whole(file);
    }
    if no_commit {
        for file in staged.split('\0').filter(|name| !name.is_empty()).take(MAX_NEW) {
            changed.add_whole(file);
        }
    }
    Some(Changes { changed, diff })
}

fn git(root: &Path, env: &Env, args: &[&str]) -> Option<String> {
    const SAFE: [&str; 9] = [
        "git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
        "core.quotePath=false", "--no-pager",
    ];
    let argv: Vec<String> = SAFE.iter().chain(args).map(|word| (*word).to_owned()).collect();
    let quiet = [("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())];
    let spec = Spec { argv: &argv, stdin: b"", cwd: root, inherit: env, env: &quiet, timeout: PATIENCE };
    let bounds = process::Bounds { stdout: 4 << 20, stop: &|| false, started: &|_| {}, sweep: true };
    let finished = process::run_within(&spec, &bounds).ok()?;
    (finished.code == 0).then_some(finished.stdout)
}
