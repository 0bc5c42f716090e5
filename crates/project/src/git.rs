//! The git state of a folder: last commit, uncommitted changes. Two short processes with a timeout. Where there are so many
//! files that git takes longer than an event should, the background counts, and what it counted last is told.

use crate::Project;
use serde_json::{Value, json};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::process::{self, Bounds, Spec};
use sprag_base::time::Stamp;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An index of this size has some ten thousand files.
const LARGE_INDEX: u64 = 1 << 20;

/// True for a working copy with so many files that to compare them all takes longer than an event should.
pub fn is_large(project: &Project) -> bool {
    let index = project.git_dir().map(|git| git.join("index"));
    index.and_then(|index| index.metadata().ok()).is_some_and(|meta| meta.len() > LARGE_INDEX)
}

/// How many files git knows in a working copy, from the first bytes of its index.
pub fn tracked_files(project: &Project) -> Option<u32> {
    let (mut index, _) = files::open_regular(&project.git_dir()?.join("index")).ok()??;
    let mut head = [0; 12];
    index.read_exact(&mut head).ok()?;
    let count = head.strip_prefix(b"DIRC")?.last_chunk()?;
    Some(u32::from_be_bytes(*count))
}

/// The checkout that a folder is a linked worktree of, when git itself says so: the checkout's own files name this worktree. A `.git`
/// file that only points there proves nothing.
pub fn main_checkout(root: &Path) -> Option<PathBuf> {
    let file = root.join(".git");
    if !file.is_file() {
        return None;
    }
    let project = Project { root: root.to_path_buf(), git: Some(file.clone()), ..Project::default() };
    let own = project.git_dir()?.canonicalize().ok()?;
    let common = project.git_common_dir()?.canonicalize().ok()?;
    let named = files::read_text(own.join("gitdir"), files::SMALL).ok()?;
    let known = own.parent() == Some(&common.join("worktrees"))
        && own.join(named.trim()).canonicalize().ok()? == file.canonicalize().ok()?;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"))?;
    known.then(|| main.to_path_buf())
}

/// What the background counted in a large working copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Files that git knows and that are changed.
    pub modified: usize,
    /// Files that git does not know.
    pub untracked: usize,
    /// When.
    pub at: Stamp,
}

impl Counted {
    /// Counts now, and keeps it in a file. False when git did not answer.
    pub fn count(cwd: &Path, env: &Env, timeout: Duration, now: Stamp, file: &Path) -> std::io::Result<bool> {
        let Some(state) = status(cwd, env, timeout).map(|text| GitState::of_status(&text)) else {
            return Ok(false);
        };
        let counted =
            json!({"modified": state.modified, "untracked": state.untracked, "at": now.to_string()});
        files::write_atomic(file, counted.to_string().as_bytes())?;
        Ok(true)
    }

    /// What was counted last, unless that is too long ago to say something.
    pub fn last(file: &Path, now: Stamp) -> Option<Self> {
        const OLD: Duration = Duration::from_secs(86_400);
        let bytes = files::read(file, files::SMALL).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let number = |key: &str| value.get(key)?.as_u64().map(|number| number as usize);
        let at = Stamp::parse(value.get("at")?.as_str()?)?;
        let counted = Self { modified: number("modified")?, untracked: number("untracked")?, at };
        (at > now.before(OLD)).then_some(counted)
    }
}

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
    /// Asks git about a folder of a project. `None` when it is not a working copy or git is not installed. Git is not
    /// asked for the last commit when its own log of HEAD names it: that is a process less.
    pub fn read(project: &Project, cwd: &Path, env: &Env, timeout: Duration) -> Option<Self> {
        let logged = logged_commit(project);
        let (status, mut commit) = std::thread::scope(|scope| {
            let commit = logged.is_none().then(|| scope.spawn(|| last_commit(cwd, env, timeout)));
            let status = status(cwd, env, timeout);
            (status, commit.and_then(|thread| thread.join().ok().flatten()))
        });
        if let Some((id, named)) = logged {
            let is_head = status.as_deref().and_then(head_of) == Some(id.as_str());
            commit = if is_head { Some(named) } else { last_commit(cwd, env, timeout) };
        }
        if status.is_none() && commit.is_none() {
            return None;
        }
        let state = status.as_deref().map(Self::of_status).unwrap_or_default();
        Some(Self { last_commit: commit.unwrap_or_default(), ..state })
    }

    /// The same of a large working copy: its last commit, and nothing that is counted.
    pub fn read_commit(_: &Project, cwd: &Path, env: &Env, timeout: Duration) -> Option<Self> {
        last_commit(cwd, env, timeout).map(|last_commit| Self { last_commit, ..Self::default() })
    }

    /// What `git status` says.
    fn of_status(text: &str) -> Self {
        let mut state = Self { counted: true, ..Self::default() };
        for line in text.lines() {
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
        state
    }

    /// `3 modified, 1 untracked`; `None` when all is committed.
    pub fn uncommitted(&self) -> Option<String> {
        if !self.counted || self.modified + self.untracked == 0 {
            return None;
        }
        Some(format!("{} modified, {} untracked", self.modified, self.untracked))
    }
}

fn status(cwd: &Path, env: &Env, timeout: Duration) -> Option<String> {
    run(cwd, env, timeout, &["status", "--porcelain=v2", "--branch", "--untracked-files=normal"])
}

/// The commit that HEAD is at, as `git status` says.
fn head_of(status: &str) -> Option<&str> {
    status.lines().find_map(|line| line.strip_prefix("# branch.oid "))
}

/// The id, and short hash and subject, of the commit that git's log of HEAD ends with; `None` when HEAD was moved last
/// by something that leaves no subject there.
fn logged_commit(project: &Project) -> Option<(String, String)> {
    /// More than any line of it has.
    const TAIL: u64 = 8 << 10;
    let bytes = files::read_tail(&project.git_dir()?.join("logs/HEAD"), TAIL).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (ids, about) = text.lines().next_back()?.split_once('\t')?;
    let (kind, subject) = about.split_once(": ")?;
    let leaves_subject = ["commit", "cherry-pick", "revert"].iter().any(|known| kind.starts_with(known));
    let id = ids.split(' ').nth(1).filter(|id| id.len() >= 40)?;
    leaves_subject.then(|| (id.to_owned(), format!("{} {subject}", id.get(..7).unwrap_or_default())))
}

/// Short hash and subject.
fn last_commit(cwd: &Path, env: &Env, timeout: Duration) -> Option<String> {
    let text = run(cwd, env, timeout, &["log", "-1", "--format=%h %s"])?;
    Some(text.lines().next().unwrap_or_default().to_owned())
}

/// True where a file that git opens at its start is a pipe, a device or a socket: git would wait for it without end.
pub fn is_blocked(cwd: &Path, env: &Env) -> bool {
    const OF_REPOSITORY: [&str; 7] =
        ["HEAD", "config", "config.worktree", "index", "packed-refs", "info/exclude", "info/attributes"];
    const OF_USER: [&str; 3] = ["config", "ignore", "attributes"];
    let waits = |path: PathBuf| files::is_unbounded(&path, u64::MAX);
    let home = env.get("HOME").map(PathBuf::from).unwrap_or_default();
    let project = Project::find(&cwd.to_string_lossy(), env, &home);
    let (own, shared) = (project.git_dir(), project.git_common_dir());
    let folders = own.iter().chain(shared.iter().filter(|shared| own.as_ref() != Some(shared)));
    let user = env.get("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from).join("git");
    let tops =
        [home.join(".gitconfig"), project.root.join(".gitignore"), project.root.join(".gitattributes")];
    project.git.into_iter().chain(tops).any(waits)
        || folders.flat_map(|folder| OF_REPOSITORY.map(|name| folder.join(name))).any(waits)
        || OF_USER.iter().any(|name| waits(user.join(name)))
}

/// What git says, when it ends well: without programs that the repository's settings name, and not where a pipe or a
/// device would hold it up.
pub fn run(cwd: &Path, env: &Env, timeout: Duration, args: &[&str]) -> Option<String> {
    if is_blocked(cwd, env) {
        return None;
    }
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
    // A line for each changed file: of a hundred thousand that is some ten megabytes.
    let bounds = Bounds { stdout: 64 << 20, stop: &|| false, started: &|_| {}, sweep: false };
    let spec = Spec { argv: &argv, stdin: b"", cwd, inherit: env, env: &own, timeout };
    let finished = process::run_within(&spec, &bounds).ok()?;
    (finished.code == 0).then_some(finished.stdout)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are not seen as tests")]
mod tests {
    use super::*;

    #[test]
    fn git_is_not_started_where_a_pipe_or_a_device_would_hold_it_up() {
        let dir = tempfile::tempdir().unwrap();
        let (home, repository) = (dir.path().join("home"), dir.path().join("home/shop"));
        std::fs::create_dir_all(repository.join(".git/info")).unwrap();
        std::fs::create_dir_all(home.join(".config/git")).unwrap();
        let env = Env::Fixed([("HOME".to_owned(), home.display().to_string())].into());
        std::fs::write(repository.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(!is_blocked(&repository, &env));
        for name in [
            ".gitconfig", ".config/git/config", ".config/git/ignore", "shop/.git/config", "shop/.git/index",
            "shop/.git/info/exclude", "shop/.gitignore", "shop/.gitattributes",
        ] {
            std::os::unix::fs::symlink("/dev/zero", home.join(name)).unwrap();
            assert!(is_blocked(&repository, &env), "{name}");
            std::fs::remove_file(home.join(name)).unwrap();
        }
        assert!(!is_blocked(&repository, &env));
    }

    #[test]
    fn the_last_commit_is_that_of_git_however_head_was_moved() {
        let dir = tempfile::tempdir().unwrap();
        let env = Env::Process;
        let git = |args: &[&str]| {
            let own = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
            let mut command = std::process::Command::new("git");
            command.args(own).args(args).current_dir(dir.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
            assert!(command.output().unwrap().status.success(), "{args:?}");
        };
        git(&["init", "-q", "-b", "main"]);
        let project = Project::find(&dir.path().display().to_string(), &env, Path::new("/nowhere"));
        let read = || GitState::read(&project, dir.path(), &env, Duration::from_secs(20)).unwrap();
        let subject = || read().last_commit.split_once(' ').map(|(_, subject)| subject.to_owned());
        assert_eq!(read().last_commit, "", "there is none yet");
        git(&["commit", "-q", "--allow-empty", "-m", "First\n\nwith a body"]);
        git(&["commit", "-q", "--allow-empty", "-m", "Second: with a colon"]);
        assert!(logged_commit(&project).is_some());
        assert_eq!(subject().as_deref(), Some("Second: with a colon"));
        git(&["reset", "-q", "--hard", "HEAD~1"]);
        assert!(logged_commit(&project).is_none());
        assert_eq!(subject().as_deref(), Some("First"));
        git(&["commit", "-q", "--allow-empty", "-m", "Third"]);
        // HEAD moves, and the log does not say so.
        git(&["-c", "core.logAllRefUpdates=false", "update-ref", "refs/heads/main", "HEAD~1"]);
        std::fs::write(dir.path().join("new"), "").unwrap();
        let state = read();
        assert_eq!((state.branch.as_str(), state.untracked, state.counted), ("main", 1, true));
        assert_eq!(subject().as_deref(), Some("First"));
    }
}
