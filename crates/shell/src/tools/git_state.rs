//! Which git commands change what everybody in a checkout shares. Whether somebody else is there is not known here.

use crate::model::{Arg, GitChange};
use crate::text::behind;

/// What a sub-command changes of the shared state: nothing for one that changes only the files it names.
pub(crate) fn changes(sub: &str, args: &[Arg]) -> impl Iterator<Item = GitChange> {
    let change = change(sub, args);
    // `git commit -a` stages what others changed, and is a commit as well.
    let commit = (sub == "commit" && change == Some(GitChange::StageAll)).then_some(GitChange::Commit);
    change.into_iter().chain(commit)
}

fn change(sub: &str, args: &[Arg]) -> Option<GitChange> {
    let words: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let before_dashes = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (head, paths) = words.split_at(before_dashes);
    let paths = behind(paths, 1);
    let option = |long: &str, short: Option<char>| head.iter().any(|word| has(word, long, short));
    let operands: Vec<&str> = head.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let everything = |named: &[&str]| named.iter().any(|path| is_everything(path));
    match sub {
        "switch" => Some(GitChange::Switch),
        "checkout" => {
            let named: Vec<&str> = operands.iter().skip(1).copied().chain(paths.iter().copied()).collect();
            match operands.as_slice() {
                _ if option("patch", Some('p')) => None,
                _ if everything(&named) || everything(&operands) => Some(GitChange::Discard),
                // Single files are claims of their own.
                _ if !named.is_empty() && !creates(head) => None,
                [] if !option("detach", Some('d')) && !option("force", Some('f')) => None,
                _ => Some(GitChange::Switch),
            }
        }
        "restore" => {
            let staged_only = option("staged", Some('S')) && !option("worktree", Some('W'));
            let all = everything(&operands) || everything(paths);
            (all && !option("patch", Some('p'))).then_some(if staged_only {
                GitChange::Reset
            } else {
                GitChange::Discard
            })
        }
        "clean" => {
            (option("force", Some('f')) && !option("dry-run", Some('n'))).then_some(GitChange::Discard)
        }
        "stash" => match operands.first().copied() {
            Some("list" | "show" | "create" | "store") => None,
            _ => Some(GitChange::Stash),
        },
        "add" | "stage" => {
            let all = option("all", Some('A')) || option("update", Some('u'));
            let named: Vec<&str> = operands.iter().copied().chain(paths.iter().copied()).collect();
            let wide = everything(&named) || (all && named.is_empty());
            (wide && !option("dry-run", Some('n')) && !option("patch", Some('p')))
                .then_some(GitChange::StageAll)
        }
        "commit" if option("dry-run", None) => None,
        "commit" if commits_all(head) => Some(GitChange::StageAll),
        "commit" => Some(GitChange::Commit),
        "reset" => {
            let files = paths.iter().chain(operands.iter().skip(1)).next().is_some();
            (!files && !option("patch", Some('p'))).then_some(GitChange::Reset)
        }
        "rebase" => (!option("show-current-patch", None)).then_some(GitChange::Rebase),
        "pull" => option("rebase", Some('r')).then_some(GitChange::Rebase),
        "bisect" => match operands.first().copied() {
            Some("log" | "view" | "visualize" | "terms") | None => None,
            _ => Some(GitChange::Switch),
        },
        "am" | "cherry-pick" | "revert" | "merge" => {
            (option("abort", None) || option("quit", None) || option("skip", None))
                .then_some(GitChange::Reset)
        }
        _ => None,
    }
}

/// Whether a word is an option, by long name or as a letter among short ones.
fn has(word: &str, long: &str, short: Option<char>) -> bool {
    match word.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or(name);
            name.len() > 2 && long.starts_with(name)
        }
        None => match (word.strip_prefix('-'), short) {
            (Some(letters), Some(letter)) => letters.contains(letter),
            _ => false,
        },
    }
}

/// `git commit -am text`: the letter counts only before one that takes the rest as its value.
fn commits_all(head: &[&str]) -> bool {
    head.iter().any(|word| match word.strip_prefix("--") {
        Some(name) => name == "all",
        None => word
            .strip_prefix('-')
            .is_some_and(|letters| letters.chars().take_while(|c| !"mFCctS".contains(*c)).any(|c| c == 'a')),
    })
}

fn creates(head: &[&str]) -> bool {
    head.iter().any(|word| matches!(*word, "-b" | "-B" | "--orphan"))
}

/// A path that stands for the whole work tree.
fn is_everything(path: &str) -> bool {
    matches!(path, "." | "./" | ":/" | ":" | "*" | ":/*" | "./*" | ":(top)")
}
