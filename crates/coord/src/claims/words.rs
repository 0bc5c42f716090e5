//! What is said about what others hold: who, since when, on which branch, where.

use super::place::GIT_STATE;
use sprag_base::text::name;
use sprag_base::time::Stamp;
use sprag_shell::GitChange;
use sprag_store::ClaimRow;
use std::fmt::Write as _;

/// The holder of a claim: `claude 1a2b3c4d (ada), since 09:00 UTC, branch main, in this checkout`.
pub fn holder(row: &ClaimRow, machine: &str, root: &str) -> String {
    let id: String = row.session.chars().take(8).collect();
    let (_, _, _, hour, minute, _) = Stamp(row.since as u64).civil();
    let mut text = format!("{} {id}", row.agent);
    if !row.name.is_empty() && row.name != row.agent {
        let _ = write!(text, " ({})", name(&row.name));
    }
    let _ = write!(text, ", since {hour:02}:{minute:02} UTC");
    if !row.key.branch.is_empty() {
        let _ = write!(text, ", branch {}", name(&row.key.branch));
    }
    if row.host != machine {
        let _ = write!(text, ", on {}", row.host);
    } else if !row.root.is_empty() && row.root != root {
        let _ = write!(text, ", in {}", name(&row.root));
    } else if !row.root.is_empty() {
        text.push_str(", in this checkout");
    }
    text
}

/// Some names, and how many more.
pub fn few<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let count = names.len();
    let mut text = names.take(most).map(name).collect::<Vec<_>>().join(", ");
    if count > most {
        let _ = write!(text, " and {} more", count - most);
    }
    text
}

/// A file that another session holds.
pub fn file(row: &ClaimRow, machine: &str, root: &str) -> String {
    format!("{} is being worked on by another session: {}.", name(&row.key.path), holder(row, machine, root))
}

/// What a git command would do to the others.
pub const fn harm(change: GitChange) -> &'static str {
    match change {
        GitChange::Switch => "switches the branch under",
        GitChange::Stash => "stashes (or brings back over) the uncommitted work of",
        GitChange::StageAll => "stages the uncommitted work of",
        GitChange::Reset => "moves HEAD or the index under",
        GitChange::Rebase => "rebases under",
        GitChange::Discard => "throws away the uncommitted work of",
        GitChange::Commit => "commits beside",
    }
}

/// A checkout that others use, with what each of them holds there.
pub fn checkout(change: GitChange, held: &[ClaimRow], machine: &str, root: &str) -> String {
    let mut holders: Vec<(&ClaimRow, Vec<&str>)> = Vec::new();
    for row in held {
        match holders.iter_mut().find(|(one, _)| one.agent == row.agent && one.session == row.session) {
            Some((_, paths)) => paths.push(&row.key.path),
            None => holders.push((row, vec![&row.key.path])),
        }
    }
    let mut text = format!("This {} another session in this checkout:", harm(change));
    for (row, paths) in holders.iter().take(4) {
        let files: Vec<&str> = paths.iter().copied().filter(|path| *path != GIT_STATE).collect();
        let what = match files.as_slice() {
            [] => "is changing the git state (branch, index, stash)".to_owned(),
            files => format!("works on {}", few(files.iter().copied(), 5)),
        };
        let _ = write!(text, "\n- {}: {what}", holder(row, machine, root));
    }
    text
}
