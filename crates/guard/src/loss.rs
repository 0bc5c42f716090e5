//! What a destructive command would take away, in a sentence for whoever decides; and the few git commands of which it is
//! certain that they take nothing (ADR 0045). Nothing is looked at for a command that passes.

use sprag_base::env::Env;
use sprag_base::text::size;
use sprag_project::Project;
use sprag_project::loss::{self, Budget, LostFiles, Unpushed, Which};
use sprag_shell::{Analysis, Arg, Cmd, EffectKind, GitOp, HOLE, PathZone, normalise};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that is looked, and the most files.
const TIME: Duration = Duration::from_millis(50);
const STEPS: usize = 200_000;
/// The most files that are looked at to be certain that nothing is lost.
const CERTAIN_STEPS: usize = 20_000;
/// The most trees of one command.
const MAX_TREES: usize = 8;

/// The sentence about what the command with this index would lose; `None` when it is not known.
pub fn sentence(analysis: &Analysis, cmd: usize, env: &Env, home: &Path) -> Option<String> {
    let mut budget = Budget::new(TIME, STEPS);
    let effects = || analysis.effects.iter().filter(|effect| effect.cmd == cmd).map(|effect| &effect.kind);
    let in_git = effects().find_map(|effect| match effect {
        EffectKind::Git { op, what, at } if !at.contains(HOLE) => {
            let project = Project::find(at, env, home);
            of_git(*op, what, at, &project, &mut budget)
        }
        _ => None,
    });
    in_git.or_else(|| {
        // All of a disk is a long walk to say what is plain.
        let trees = effects().filter_map(|effect| match effect {
            EffectKind::Delete { path, recursive: true, .. }
                if !path.glob && !path.full.contains(HOLE) && path.place != PathZone::Root =>
            {
                loss::tree(Path::new(&path.full), &mut budget)
            }
            _ => None,
        });
        let all = trees.take(MAX_TREES).reduce(|a, b| LostFiles {
            count: a.count + b.count,
            bytes: a.bytes + b.bytes,
            names: Vec::new(),
            complete: a.complete && b.complete,
        })?;
        Some(format!("Would be lost: {}, {}.", counted(&all, "file", "files"), size(all.bytes)))
    })
}

fn of_git(op: GitOp, what: &str, at: &str, project: &Project, budget: &mut Budget) -> Option<String> {
    let only = || paths(what, at, project);
    match op {
        GitOp::ResetHard | GitOp::ForceCheckout => {
            let files = changes(loss::uncommitted(project, &[], budget)?);
            let commits =
                moves(what).then(|| commits(loss::unpushed(project, &project.branch()?)?)).flatten();
            let both: Vec<String> = files.into_iter().chain(commits).collect();
            (!both.is_empty()).then(|| both.join(" "))
        }
        GitOp::DiscardPaths | GitOp::RemoveTracked => changes(loss::uncommitted(project, &only(), budget)?),
        GitOp::RemoveWorktree => {
            let path = words(what).last().map(|word| normalise(word, at))?;
            let tree = Project::find(&path, &Env::Fixed(std::collections::BTreeMap::new()), Path::new("/"));
            changes(loss::uncommitted(&tree, &[], budget)?)
        }
        GitOp::Clean => {
            let has = |letter: char| options(what).any(|option| option.contains(letter));
            let lost = loss::untracked(project, &only(), which(has), has('d'), budget)?;
            (lost.count > 0 || !lost.complete).then(|| {
                let (one, many) = match which(has) {
                    Which::Ignored => ("ignored file", "ignored files"),
                    Which::Plain | Which::All => ("untracked file", "untracked files"),
                };
                format!("Would be lost: {}{}, {}.", counted(&lost, one, many), named(&lost), size(lost.bytes))
            })
        }
        GitOp::StashDrop => {
            let stashes = loss::stashes(project)?;
            let number = what.split_once('{').and_then(|(_, rest)| rest.split_once('}')?.0.parse().ok());
            Some(format!("Would be lost: the stash \"{}\".", stashes.get(number.unwrap_or(0))?))
        }
        GitOp::StashClear => {
            let count = loss::stashes(project)?.len();
            Some(format!("Would be lost: {count} {}.", if count == 1 { "stash" } else { "stashes" }))
        }
        GitOp::DeleteBranch => commits(loss::unpushed(project, words(what).last()?)?),
        GitOp::ForcePush | GitOp::ForcePushProtected | GitOp::MirrorPush => {
            // What the remote has and this repository never saw is not known here.
            match loss::unpushed(project, &project.branch()?)? {
                Unpushed::SameAs(name) => {
                    Some(format!("As far as is known here, {name} is at the same commit."))
                }
                Unpushed::Commits(count, _) => Some(format!(
                    "{} would replace what the remote has.",
                    plural(count, "local commit", "local commits")
                )),
                Unpushed::NoRemote => None,
            }
        }
        _ => None,
    }
}

/// The words of `git reset --hard HEAD~1` after the sub-command that are no options.
fn words(what: &str) -> impl Iterator<Item = &str> {
    what.split_whitespace().skip(2).filter(|word| !word.starts_with('-'))
}

fn options(what: &str) -> impl Iterator<Item = &str> {
    what.split_whitespace().skip(2).filter(|word| word.starts_with('-') && !word.starts_with("--"))
}

/// True when it goes to another commit than the one that is checked out.
fn moves(what: &str) -> bool {
    words(what).any(|word| !matches!(word, "HEAD" | "@"))
}

/// The paths that are named, from the root of the repository; none is everything.
fn paths(what: &str, at: &str, project: &Project) -> Vec<PathBuf> {
    let named = what.split_once(" -- ").map_or(what, |(_, paths)| paths);
    let skip = if named.len() == what.len() { 2 } else { 0 };
    let root = project.git_root().unwrap_or(&project.root);
    let words = named.split_whitespace().skip(skip).filter(|word| !word.starts_with('-'));
    let full = words.map(|word| PathBuf::from(normalise(word, at)));
    let below: Vec<PathBuf> =
        full.filter_map(|path| path.strip_prefix(root).ok().map(Path::to_path_buf)).collect();
    if below.iter().any(|path| path.as_os_str().is_empty()) { Vec::new() } else { below }
}

/// Nothing is said of nothing: a question that says that there is nothing to lose contradicts itself.
fn changes(lost: LostFiles) -> Option<String> {
    if lost.count == 0 && lost.complete {
        return None;
    }
    let what = counted(&lost, "file with uncommitted changes", "files with uncommitted changes");
    Some(format!("Would be lost: {what}{}.", named(&lost)))
}

/// What `git clean` deletes, by its options.
fn which(has: impl Fn(char) -> bool) -> Which {
    match (has('X'), has('x')) {
        (true, _) => Which::Ignored,
        (false, true) => Which::All,
        (false, false) => Which::Plain,
    }
}

/// True when it is certain that the command with this index loses nothing: what it would overwrite is as git has it, what
/// it would delete is not there. Bounded in files, not in time; whatever is not plain is not certain.
pub fn is_nothing(analysis: &Analysis, cmd: usize, env: &Env, home: &Path) -> bool {
    let Some(command) = analysis.commands.get(cmd) else { return false };
    let before = analysis.commands.get(..cmd).unwrap_or_default();
    // Whatever ran before it in the line may have made what it loses; in a loop, so may whatever comes after.
    let looped = analysis.line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "do");
    let plain = |arg: &Arg| {
        !arg.glob && !arg.text.contains(|c: char| c == HOLE || c.is_whitespace() || "*?[\\:!^".contains(c))
    };
    let clear = command.name == "git"
        && command.by_path.is_none()
        && command.env.is_empty()
        && command.reached.is_empty()
        && command.args.iter().all(plain)
        && before.iter().all(only_looks)
        && !looped;
    if !clear {
        return false;
    }
    let words: Vec<&str> = command.args.iter().map(|arg| arg.text.as_str()).collect();
    let effects = analysis.effects.iter().filter(|effect| effect.cmd == cmd);
    let mut found = effects.filter_map(|effect| match &effect.kind {
        EffectKind::Git { op, at, .. } if !at.contains(HOLE) => Some((*op, at)),
        _ => None,
    });
    let (Some((op, at)), None) = (found.next(), found.next()) else { return false };
    let project = Project::find(at, env, home);
    let mut budget = Budget::of_steps(CERTAIN_STEPS);
    let (verb, rest) = words.split_first().map_or(("", &[][..]), |(verb, rest)| (*verb, rest));
    let operands: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let options =
        |known: &[&str]| rest.iter().filter(|word| word.starts_with('-')).all(|word| known.contains(word));
    let only = || paths(&format!("git {} {}", verb, operands.join(" ")), at, &project);
    match (op, verb) {
        (GitOp::DiscardPaths, "restore") => {
            options(&["--", "-q", "--quiet", "-W", "--worktree"])
                && !operands.is_empty()
                && loss::is_as_in_index(&project, &only(), &mut budget)
        }
        // `git checkout COMMIT -- FILE` takes the file from a commit, and puts that into the index too.
        (GitOp::DiscardPaths, "checkout") => {
            let from_index = rest.first() == Some(&"--") || operands.len() == 1 && !rest.contains(&"--");
            from_index
                && options(&["--", "-q", "--quiet"])
                && !operands.is_empty()
                && loss::is_as_in_index(&project, &only(), &mut budget)
        }
        (GitOp::Clean, "clean") => {
            let known = |word: &&str| {
                ["--force", "--quiet"].contains(word)
                    || word
                        .strip_prefix('-')
                        .is_some_and(|letters| letters.chars().all(|c| "fdxXq".contains(c)))
            };
            let has = |letter: char| {
                rest.iter()
                    .any(|word| !word.starts_with("--") && word.starts_with('-') && word.contains(letter))
            };
            rest.iter().filter(|word| word.starts_with('-')).all(known)
                && loss::untracked(&project, &only(), which(has), has('d'), &mut budget)
                    .is_some_and(|lost| lost.count == 0 && lost.complete)
        }
        (GitOp::DeleteBranch, "branch") => {
            options(&["-D", "-d", "-f", "-q", "--delete", "--force", "--quiet"])
                && !operands.is_empty()
                && operands.iter().all(|branch| loss::has_no_branch(&project, branch))
        }
        (GitOp::RemoveWorktree, "worktree") => match operands.as_slice() {
            ["remove", path] => {
                options(&["-f", "-ff", "--force"])
                    && Path::new(&normalise(path, at))
                        .symlink_metadata()
                        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Commands that change no file: what stands before a git command does not make what it would lose.
fn only_looks(command: &Cmd) -> bool {
    let verb = command.args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    match command.name.as_str() {
        "cd" | "pwd" | "echo" | "ls" | "true" | "set" => true,
        "git" => matches!(verb, "status" | "diff" | "log" | "show" | "rev-parse" | "fetch"),
        _ => false,
    }
}

fn commits(unpushed: Unpushed) -> Option<String> {
    match unpushed {
        Unpushed::Commits(0, true) => Some("All its commits are on a remote.".to_owned()),
        Unpushed::Commits(0, false) => None,
        Unpushed::Commits(count, exact) => {
            let least = if exact { "" } else { "at least " };
            Some(format!("Not on a remote: {least}{}.", plural(count, "commit", "commits")))
        }
        Unpushed::NoRemote => Some("No remote has the commits of the branch.".to_owned()),
        Unpushed::SameAs(name) => Some(format!("Its last commit is also on {name}.")),
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    let digits = count.to_string();
    let mut number = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            number.push(',');
        }
        number.push(digit);
    }
    format!("{number} {}", if count == 1 { one } else { many })
}

fn counted(lost: &LostFiles, one: &str, many: &str) -> String {
    let more = if lost.complete { "" } else { "more than " };
    format!("{more}{}", plural(lost.count, one, many))
}

fn named(lost: &LostFiles) -> String {
    if lost.names.is_empty() {
        return String::new();
    }
    let rest = if lost.names.len() < lost.count { ", …" } else { "" };
    format!(" ({}{rest})", lost.names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(root: &str) -> Project {
        Project { root: root.into(), git: Some(format!("{root}/.git").into()), ..Project::default() }
    }

    #[test]
    fn the_paths_of_a_command() {
        let of = |what: &str, at: &str| {
            let found = paths(what, at, &project("/r"));
            found.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("git checkout -- .", "/r"), Vec::<String>::new());
        assert_eq!(of("git checkout HEAD~1 -- a.rs src", "/r/sub"), ["sub/a.rs", "sub/src"]);
        assert_eq!(of("git restore src", "/r"), ["src"]);
        assert_eq!(of("git clean -fd", "/r"), Vec::<String>::new());
        assert!(
            moves("git reset --hard HEAD~1") && !moves("git reset --hard HEAD") && !moves("git reset --hard")
        );
    }

    #[test]
    fn sentences() {
        let lost = |count: usize, names: &[&str], complete: bool| LostFiles {
            count,
            bytes: 0,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            complete,
        };
        assert_eq!(changes(lost(0, &[], true)), None);
        assert_eq!(
            changes(lost(1, &["a"], true)).unwrap(),
            "Would be lost: 1 file with uncommitted changes (a)."
        );
        assert_eq!(
            changes(lost(1_204, &["a", "b"], false)).unwrap(),
            "Would be lost: more than 1,204 files with uncommitted changes (a, b, …)."
        );
        assert_eq!(commits(Unpushed::Commits(2, false)).unwrap(), "Not on a remote: at least 2 commits.");
    }
}
