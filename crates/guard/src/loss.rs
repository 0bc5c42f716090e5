//! What a destructive command would take away, in a sentence for whoever decides. The verdict never depends on it, and
//! nothing is looked at for a command that passes.

use sprag_base::env::Env;
use sprag_project::Project;
use sprag_project::loss::{self, Budget, LostFiles, Unpushed};
use sprag_shell::{Analysis, EffectKind, GitOp, HOLE, PathZone, normalise};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that is looked, and the most files.
const TIME: Duration = Duration::from_millis(50);
const STEPS: usize = 200_000;
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
            Some(match commits {
                Some(commits) => format!("{files} {commits}"),
                None => files,
            })
        }
        GitOp::DiscardPaths | GitOp::RemoveTracked => {
            Some(changes(loss::uncommitted(project, &only(), budget)?))
        }
        GitOp::RemoveWorktree => {
            let path = words(what).last().map(|word| normalise(word, at))?;
            let tree = Project::find(&path, &Env::Fixed(std::collections::BTreeMap::new()), Path::new("/"));
            Some(changes(loss::uncommitted(&tree, &[], budget)?))
        }
        GitOp::Clean => {
            let has = |letter: char| options(what).any(|option| option.contains(letter));
            let lost = loss::untracked(project, &only(), has('x') || has('X'), has('d'), budget)?;
            Some(match lost.count {
                0 if lost.complete => "There is no untracked file to lose.".to_owned(),
                _ => format!(
                    "Would be lost: {}{}, {}.",
                    counted(&lost, "untracked file", "untracked files"),
                    named(&lost),
                    size(lost.bytes)
                ),
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

fn changes(lost: LostFiles) -> String {
    if lost.count == 0 && lost.complete {
        return "No uncommitted change would be lost.".to_owned();
    }
    let what = counted(&lost, "file with uncommitted changes", "files with uncommitted changes");
    format!("Would be lost: {what}{}.", named(&lost))
}

fn commits(unpushed: Unpushed) -> Option<String> {
    match unpushed {
        Unpushed::Commits(0, true) => Some("All its commits are on a remote.".to_owned()),
        Unpushed::Commits(0, false) => None,
        Unpushed::Commits(count, exact) => {
            let least = if exact { "" } else { "at least " };
            Some(format!("Not on a remote: {least}{}.", plural(count, "commit", "commits")))
        }
        Unpushed::NoRemote => Some("Its commits are on no remote.".to_owned()),
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

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
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
        assert_eq!(changes(lost(0, &[], true)), "No uncommitted change would be lost.");
        assert_eq!(changes(lost(1, &["a"], true)), "Would be lost: 1 file with uncommitted changes (a).");
        assert_eq!(
            changes(lost(1_204, &["a", "b"], false)),
            "Would be lost: more than 1,204 files with uncommitted changes (a, b, …)."
        );
        assert_eq!(commits(Unpushed::Commits(2, false)).unwrap(), "Not on a remote: at least 2 commits.");
        assert_eq!((size(999), size(35_400_000)), ("999 bytes".into(), "35.4 MB".into()));
    }
}
