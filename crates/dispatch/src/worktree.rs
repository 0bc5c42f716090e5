//! A git worktree and a branch for a task: made, looked at, committed, removed. Nothing is merged into a branch that
//! somebody else has.

use sprag_base::env::Env;
use sprag_base::process::{self, Spec};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that one call of git may take; a checkout of a large repository is the longest.
const PATIENCE: Duration = Duration::from_secs(300);

/// The longest that one set-up command may take.
const SET_UP: Duration = Duration::from_secs(1_800);

/// The variable with the main checkout, for set-up commands.
const CHECKOUT: &str = "SPRAG_CHECKOUT";

/// Branches of tasks begin with this.
const PREFIX: &str = "sprag/";

/// Why there is no worktree.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The folder belongs to no repository.
    #[error("{} is in no git repository", .0.display())]
    NoRepository(PathBuf),
    /// The repository has no commit.
    #[error("the repository has no commit yet")]
    NoCommit,
    /// git refused.
    #[error("git {what}: {why}")]
    Git {
        /// What it was told to do.
        what: String,
        /// What it said.
        why: String,
    },
    /// A command of `[worktree] setup` failed.
    #[error("the set-up command `{command}` failed: {why}")]
    SetUp {
        /// The command.
        command: String,
        /// What it said.
        why: String,
    },
}

/// A repository, from one of its checkouts.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    env: Env,
}

/// A worktree of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// Where it is.
    pub folder: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The commit that it began with.
    pub base: String,
    /// Branches whose work is not in it because they do not merge.
    pub conflicts: Vec<String>,
}

/// A worktree that git knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub folder: PathBuf,
    /// Its branch, without `refs/heads/`.
    pub branch: String,
}

impl Repository {
    /// The repository of a folder.
    pub fn of(folder: &Path, env: &Env) -> Result<Self, WorktreeError> {
        let here = Self { root: folder.to_path_buf(), env: env.clone() };
        let common = here.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        let common = common.map_err(|_| WorktreeError::NoRepository(folder.to_path_buf()))?;
        // The main checkout: a worktree of a worktree would be listed under its own name.
        let common = PathBuf::from(common.trim());
        let root = match common.file_name() {
            Some(name) if name == ".git" => common.parent().map(Path::to_path_buf),
            _ => None,
        };
        let here = Self { root: root.unwrap_or_else(|| folder.to_path_buf()), env: env.clone() };
        here.git(&["rev-parse", "--verify", "HEAD"]).map_err(|_| WorktreeError::NoCommit)?;
        Ok(here)
    }

    /// Its main checkout.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn git(&self, args: &[&str]) -> Result<String, WorktreeError> {
        self.git_in(&self.root, args)
    }

    fn git_in(&self, folder: &Path, args: &[&str]) -> Result<String, WorktreeError> {
        let argv: Vec<String> =
            std::iter::once("git").chain(args.iter().copied()).map(str::to_owned).collect();
        let failed = |why: String| WorktreeError::Git { what: args.join(" "), why };
        // Of an agent or a hook of git around us, these would point at another repository.
        let env = self.env.with_prefix("").into_iter().filter(|(name, _)| {
            !matches!(name.as_str(), "GIT_DIR" | "GIT_WORK_TREE" | "GIT_INDEX_FILE" | "GIT_COMMON_DIR")
        });
        let finished = process::run(&Spec {
            argv: &argv,
            stdin: b"",
            cwd: folder,
            inherit: &Env::Fixed(env.collect()),
            env: &[("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned())],
            timeout: PATIENCE,
        })
        .map_err(|error| failed(error.to_string()))?;
        if finished.code == 0 {
            return Ok(finished.stdout);
        }
        let said = [&finished.stderr, &finished.stdout].into_iter().find(|text| !text.trim().is_empty());
        Err(failed(said.map_or_else(|| format!("code {}", finished.code), |text| text.trim().to_owned())))
    }

    /// The folder beside the main checkout in which worktrees of tasks are made.
    pub fn beside(&self) -> PathBuf {
        let name = self.root.file_name().map_or_else(|| "repository".into(), |name| name.to_string_lossy());
        self.root.with_file_name(format!("{name}-worktrees"))
    }

    /// True when there is a branch of this name.
    pub fn has_branch(&self, branch: &str) -> bool {
        self.git(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).is_ok()
    }

    /// Makes a worktree below `place` with a new branch of this name. It begins with the work of the branches `after`:
    /// with the first one, the others are merged into it; without any, with the checkout's commit.
    pub fn create(&self, place: &Path, branch: &str, after: &[String]) -> Result<Worktree, WorktreeError> {
        let name = branch.strip_prefix(PREFIX).unwrap_or(branch).replace('/', "-");
        let folder = place.join(name);
        let (first, others) = match after.split_first() {
            Some((first, others)) => (first.as_str(), others),
            None => ("HEAD", &[][..]),
        };
        let shown = folder.display().to_string();
        self.git(&["worktree", "add", "--quiet", "-b", branch, &shown, first])?;
        let mut conflicts = Vec::new();
        for other in others {
            if self.git_in(&folder, &["merge", "--quiet", "--no-edit", other]).is_err() {
                let _ = self.git_in(&folder, &["merge", "--abort"]);
                conflicts.push(other.clone());
            }
        }
        let base = self.git_in(&folder, &["rev-parse", "HEAD"])?.trim().to_owned();
        Ok(Worktree { folder, branch: branch.to_owned(), base, conflicts })
    }

    /// Prepares a worktree with the user's commands, in order.
    pub fn set_up(&self, folder: &Path, commands: &[String]) -> Result<(), WorktreeError> {
        for command in commands {
            let failed = |why: String| WorktreeError::SetUp { command: command.clone(), why };
            let argv = ["sh", "-c", command].map(str::to_owned);
            let finished = process::run(&Spec {
                argv: &argv,
                stdin: b"",
                cwd: folder,
                inherit: &self.env,
                env: &[self.checkout_variable()],
                timeout: SET_UP,
            })
            .map_err(|error| failed(error.to_string()))?;
            if finished.code != 0 {
                let said = [&finished.stderr, &finished.stdout].into_iter().find_map(|text| last_line(text));
                return Err(failed(said.unwrap_or_else(|| format!("code {}", finished.code))));
            }
        }
        Ok(())
    }

    /// Where the main checkout is, as set-up commands see it.
    pub fn checkout_variable(&self) -> (String, String) {
        (CHECKOUT.to_owned(), self.root.display().to_string())
    }

    /// Commits what is not committed in a worktree; true when there was something.
    pub fn commit_rest(&self, folder: &Path, message: &str) -> Result<bool, WorktreeError> {
        if self.git_in(folder, &["status", "--porcelain"])?.trim().is_empty() {
            return Ok(false);
        }
        self.git_in(folder, &["add", "--all"])?;
        self.git_in(folder, &["commit", "--quiet", "-m", message])?;
        Ok(true)
    }

    /// How many commits a worktree has beyond its base, and whether something in it is not committed.
    pub fn progress(&self, folder: &Path, base: &str) -> Result<(u64, bool), WorktreeError> {
        let count = self.git_in(folder, &["rev-list", "--count", &format!("{base}..HEAD")])?;
        let dirty = !self.git_in(folder, &["status", "--porcelain"])?.trim().is_empty();
        Ok((count.trim().parse().unwrap_or(0), dirty))
    }

    /// The worktrees whose branches sprag made.
    pub fn worktrees(&self) -> Result<Vec<Listed>, WorktreeError> {
        let text = self.git(&["worktree", "list", "--porcelain"])?;
        let mut found = Vec::new();
        let mut folder = None;
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                folder = Some(PathBuf::from(path));
            } else if let Some(branch) = line.strip_prefix("branch refs/heads/")
                && branch.starts_with(PREFIX)
                && let Some(folder) = folder.take()
            {
                found.push(Listed { folder, branch: branch.to_owned() });
            }
        }
        Ok(found)
    }

    /// True when everything on a branch is in the main checkout's commit.
    pub fn is_merged(&self, branch: &str) -> bool {
        self.git(&["merge-base", "--is-ancestor", branch, "HEAD"]).is_ok()
    }

    /// Removes a worktree with its branch, if nothing in it would be lost: what is not committed, or not merged, stays.
    pub fn remove(&self, worktree: &Listed) -> Result<(), WorktreeError> {
        let shown = worktree.folder.display().to_string();
        self.git(&["worktree", "remove", &shown])?;
        // Refused by git when the branch is not merged.
        self.git(&["branch", "--quiet", "-d", &worktree.branch]).map(|_| ())
    }
}

fn last_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// A program that is started after the set-up commands, by the same process: the prompt on its standard input is left to it, and its
/// output is not mixed with theirs.
pub fn after_set_up(commands: &[String], argv: Vec<String>) -> Vec<String> {
    if commands.is_empty() {
        return argv;
    }
    let mut script = String::new();
    for command in commands {
        let quoted = command.replace('\'', "'\\''");
        script.push_str(&format!(
            "sh -c '{quoted}' </dev/null 1>&2 || {{ echo 'sprag: a set-up command failed: {quoted}' >&2; exit 90; }}\n"
        ));
    }
    script.push_str("exec \"$@\"");
    let mut wrapped = vec!["sh".to_owned(), "-c".to_owned(), script, "sh".to_owned()];
    wrapped.extend(argv);
    wrapped
}

/// The branch of a task's attempt: its id, and what its title begins with.
pub fn branch_name(task: &str, title: &str, number: i64) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    let again = if number > 1 { format!("-{number}") } else { String::new() };
    if slug.is_empty() { format!("{PREFIX}{task}{again}") } else { format!("{PREFIX}{task}-{slug}{again}") }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set up files")]
mod tests {
    use super::*;

    fn repository(dir: &Path) -> Repository {
        let root = dir.join("shop");
        std::fs::create_dir(&root).unwrap();
        let env = Env::Process;
        let here = Repository { root: root.clone(), env: env.clone() };
        here.git(&["init", "--quiet", "-b", "main"]).unwrap();
        for (key, value) in [("user.name", "t"), ("user.email", "t@example.org"), ("commit.gpgsign", "false")]
        {
            here.git(&["config", key, value]).unwrap();
        }
        assert!(matches!(Repository::of(&root, &env), Err(WorktreeError::NoCommit)));
        std::fs::write(root.join("a"), "1\n").unwrap();
        here.git(&["add", "a"]).unwrap();
        here.git(&["commit", "--quiet", "-m", "a"]).unwrap();
        Repository::of(&root, &env).unwrap()
    }

    #[test]
    fn a_worktree_is_made_worked_in_and_removed_once_it_is_merged() {
        let dir = tempfile::tempdir().unwrap();
        let repository = repository(dir.path());
        let branch = branch_name("t1", "Port the parser!", 1);
        assert_eq!(branch, "sprag/t1-port-the-parser");
        let made = repository.create(&repository.beside(), &branch, &[]).unwrap();
        assert_eq!(made.folder, dir.path().canonicalize().unwrap().join("shop-worktrees/t1-port-the-parser"));
        std::fs::write(made.folder.join("b"), "2\n").unwrap();
        assert_eq!(repository.progress(&made.folder, &made.base).unwrap(), (0, true));
        assert!(repository.commit_rest(&made.folder, "task t1").unwrap());
        assert!(!repository.commit_rest(&made.folder, "task t1").unwrap());
        assert_eq!(repository.progress(&made.folder, &made.base).unwrap(), (1, false));
        let listed = repository.worktrees().unwrap();
        assert_eq!(listed, [Listed { folder: made.folder.clone(), branch: branch.clone() }]);
        assert!(!repository.is_merged(&branch));
        // What comes after it begins with its work; what does not merge is named.
        let after =
            repository.create(&repository.beside(), "sprag/t2", std::slice::from_ref(&branch)).unwrap();
        assert!(after.folder.join("b").exists());
        std::fs::write(after.folder.join("b"), "3\n").unwrap();
        repository.commit_rest(&after.folder, "t2").unwrap();
        let other =
            repository.create(&repository.beside(), "sprag/t3", std::slice::from_ref(&branch)).unwrap();
        std::fs::write(other.folder.join("b"), "4\n").unwrap();
        repository.commit_rest(&other.folder, "t3").unwrap();
        let both = ["sprag/t2".to_owned(), "sprag/t3".to_owned()];
        let joined = repository.create(&repository.beside(), "sprag/t4", &both).unwrap();
        assert_eq!(joined.conflicts, ["sprag/t3"]);
        assert_eq!(
            repository.progress(&joined.folder, &joined.base).unwrap(),
            (0, false),
            "no merge is left open"
        );
        repository.git(&["merge", "--quiet", &branch]).unwrap();
        assert!(repository.is_merged(&branch));
        let first = listed.first().unwrap();
        std::fs::write(first.folder.join("c"), "5\n").unwrap();
        assert!(repository.remove(first).is_err(), "something in it is not committed");
        std::fs::remove_file(first.folder.join("c")).unwrap();
        repository.remove(first).unwrap();
        assert!(!repository.has_branch(&branch) && !first.folder.exists());
    }

    #[test]
    fn any_title_makes_a_branch() {
        assert_eq!(branch_name("t1", "…", 1), "sprag/t1");
        assert_eq!(branch_name("t1", "Ä: a/b..c~^", 3), "sprag/t1-a-b-c-3");
        assert!(branch_name("t1", &"long ".repeat(50), 1).len() < 60);
    }

    #[test]
    fn set_up_commands_run_before_the_agent_which_gets_its_input_whole() {
        let dir = tempfile::tempdir().unwrap();
        let run = |commands: &[&str]| {
            let commands: Vec<String> = commands.iter().map(|text| (*text).to_owned()).collect();
            let argv = after_set_up(&commands, ["sh", "-c", "cat; cat made"].map(str::to_owned).to_vec());
            process::run(&Spec {
                argv: &argv,
                stdin: b"the prompt ",
                cwd: dir.path(),
                inherit: &Env::Process,
                env: &[],
                timeout: PATIENCE,
            })
            .unwrap()
        };
        let finished = run(&["cat", "echo noise", "printf '%s' \"it's\" > made"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (0, "the prompt it's"), "{}", finished.stderr);
        let failed = run(&["false", "touch never"]);
        assert_eq!((failed.code, failed.stdout.as_str()), (90, ""));
        assert!(failed.stderr.contains("set-up command failed: false") && !dir.path().join("never").exists());
    }

    #[test]
    fn a_worktree_is_set_up_with_the_checkout_at_hand() {
        let dir = tempfile::tempdir().unwrap();
        let here = repository(dir.path());
        let made = here.create(&here.beside(), "sprag/t1", &[]).unwrap();
        let commands = ["printf '%s' \"$SPRAG_CHECKOUT\" > where".to_owned()];
        here.set_up(&made.folder, &commands).unwrap();
        let written = std::fs::read_to_string(made.folder.join("where")).unwrap();
        assert_eq!(written, here.root().display().to_string());
        let error = here.set_up(&made.folder, &["echo no >&2; exit 3".to_owned()]).unwrap_err();
        assert!(error.to_string().ends_with("failed: no"), "{error}");
    }
}
