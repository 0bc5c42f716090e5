//! Removes what grows without end: old exports when asked to, copies of transcripts, what is remembered about
//! sessions whose transcript is gone. Decisions, failures, learnings and handoffs stay.

use super::summary::{KeepBackups, prune_backups};
use super::{Knowledge, export};
use sprag_base::time::Stamp;
use std::path::PathBuf;
use std::time::Duration;

/// What was, or would be, removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Exports.
    pub sessions: Vec<PathBuf>,
    /// Copies of transcripts.
    pub backups: usize,
    /// What is remembered about sessions.
    pub states: usize,
}

/// What stays of copies unless the hook's settings say otherwise.
pub const BACKUPS: KeepBackups =
    KeepBackups { files: 20, bytes: 512 << 20, age: Duration::from_secs(30 * 86_400) };

/// Prunes. Without an age, exports stay; with `dry`, everything does.
pub fn prune(knowledge: &Knowledge, sessions_older: Option<Duration>, dry: bool, now: Stamp) -> Pruned {
    let mut pruned = Pruned::default();
    if let Some(age) = sessions_older {
        let oldest = now.before(age).to_string().replace('T', " ");
        for path in super::index::all_files(knowledge)
            .into_iter()
            .filter(|path| path.starts_with(knowledge.sessions()))
        {
            let pairs = export::front_of(&path).unwrap_or_default();
            let get = |key: &str| super::front::get(&pairs, key).unwrap_or_default();
            let date = if get("updated").is_empty() { get("date") } else { get("updated") };
            // A file that does not say when is not ours to judge.
            if !date.is_empty() && date < oldest.as_str() && (dry || sprag_base::files::remove(&path).is_ok())
            {
                pruned.sessions.push(path);
            }
        }
    }
    if dry {
        return pruned;
    }
    pruned.backups = prune_backups(&knowledge.backups(), BACKUPS, now);
    let month_ago = now.before(Duration::from_secs(30 * 86_400));
    for folder in ["exports", "judged"] {
        for entry in std::fs::read_dir(knowledge.state.join(folder)).into_iter().flatten().flatten() {
            let old =
                entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| Stamp::from(at) < month_ago);
            pruned.states += usize::from(old && sprag_base::files::remove(entry.path()).is_ok());
        }
    }
    pruned
}
