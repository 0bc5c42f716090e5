//! Releases claims when their files are committed: a file without uncommitted changes has nothing to lose, and is
//! free. Which files those are, git says, in the background.

use sprag_config::host::Host;
use sprag_project::git;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::work::Commit;
use sprag_store::{Claimant, Opening, Store};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::store::{Setup, micros};
use sprag_base::time::Stamp;

/// The job for a commit in a checkout.
pub fn job(by: &Claimant, root: &Path, now: Stamp) -> Job {
    Job::new(Work::ClaimsCommitted(Commit {
        agent: by.agent.clone(),
        session: by.session.clone(),
        root: root.display().to_string(),
        at: micros(now),
    }))
}

/// Frees what the session of a commit holds there and git calls clean, but what it claimed since.
pub fn run(host: &Host, commit: &Commit) -> Result<(), JobError> {
    let changed = changed(host, Path::new(&commit.root))?;
    let (agent, session) = (commit.agent.clone(), commit.session.clone());
    let by = Claimant { agent, session, host: host.machine(), lease: 0 };
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    store.release_committed(&by, &commit.root, commit.at, |path| changed.contains(path))?;
    Ok(())
}

/// The paths with uncommitted changes, new files included.
fn changed(host: &Host, root: &Path) -> Result<BTreeSet<String>, JobError> {
    let args = ["status", "--porcelain=v1", "-z", "--untracked-files=all"];
    match git::run(root, &host.env, Duration::from_secs(20), &args) {
        Some(text) => Ok(paths(&text)),
        None => Err(format!("git status gave no answer in {}", root.display()).into()),
    }
}

/// The paths of `git status -z`: after two letters and a space; a rename has its old name behind it.
fn paths(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut entries = text.split('\0').filter(|entry| !entry.is_empty());
    while let Some(entry) = entries.next() {
        let (state, path) = entry.split_at_checked(3).unwrap_or((entry, ""));
        found.insert(path.to_owned());
        if state.contains(['R', 'C']) {
            found.extend(entries.next().map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_with_uncommitted_changes_are_read() {
        let found = paths(" M a b.rs\0R  new.rs\0old.rs\0?? \"x\".rs\0");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["\"x\".rs", "a b.rs", "new.rs", "old.rs"]);
        assert!(paths("").is_empty());
    }

    proptest! {
        #[test]
        fn whatever_git_prints_is_read_without_a_fault(text in ".*") {
            let _ = paths(&text);
        }
    }
}
