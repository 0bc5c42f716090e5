//! What became of a handoff: a person's or an agent's word, else what the next handoff lets one infer.

use super::entries::{self, Record};
use super::handoff::Handoff;
use super::{Knowledge, KnowledgeError, ProjectMemory, Result, text};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_project::Project;
use std::io;
use std::path::PathBuf;

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was done.
    Succeeded,
    /// Most of it.
    PartialPlus,
    /// Some of it.
    PartialMinus,
    /// It was abandoned or blocked.
    Failed,
}

impl Outcome {
    /// Every outcome, the best first.
    pub const ALL: [Self; 4] = [Self::Succeeded, Self::PartialPlus, Self::PartialMinus, Self::Failed];

    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "SUCCEEDED",
            Self::PartialPlus => "PARTIAL_PLUS",
            Self::PartialMinus => "PARTIAL_MINUS",
            Self::Failed => "FAILED",
        }
    }

    /// What a person may type: any case, `-` for `_`, and the older words.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_uppercase().replace('-', "_");
        match word.as_str() {
            "SUCCESS" => Some(Self::Succeeded),
            "PARTIAL" => Some(Self::PartialPlus),
            "FAILURE" => Some(Self::Failed),
            _ => Self::ALL.into_iter().find(|outcome| outcome.name() == word),
        }
    }
}

/// A handoff whose outcome nobody has told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The session that left it.
    pub session: String,
    /// When.
    pub written: Option<Stamp>,
    /// Its first item.
    pub about: String,
}

/// The project's handoff when its outcome is not known yet.
pub fn pending(memory: &ProjectMemory) -> Option<Pending> {
    let handoff = Handoff::read(memory)?;
    let session = handoff.session_id.clone();
    if session.is_empty() {
        return None;
    }
    let known = entries::read(&memory.outcomes());
    if known.iter().any(|record| entries::field(record, "session_id") == session) {
        return None;
    }
    let about = handoff.body.lines().find_map(|line| line.trim().strip_prefix("- "));
    let about = text::cut(&text::one_line(about.unwrap_or(text::first_line(&handoff.body))), 120);
    Some(Pending { session, written: handoff.written, about })
}

/// Records how a session's handoff went. `session` is its id or the start of it; without one, the present handoff's.
/// Returns the session's whole id. A later word on the same handoff counts instead of an earlier one.
pub fn record(
    memory: &ProjectMemory,
    session: Option<&str>,
    outcome: Outcome,
    notes: &str,
    now: Stamp,
) -> Result<String> {
    let known = sessions(memory);
    let id = match session {
        None => known.first().cloned().ok_or_else(|| {
            KnowledgeError::Unknown(format!("there is no handoff of {} to judge", memory.project))
        })?,
        // The start of an id must mean one session: a wider match would mark others too.
        Some(start) => match known.iter().filter(|id| id.starts_with(start)).collect::<Vec<_>>()[..] {
            [one] => one.clone(),
            [] => {
                return Err(KnowledgeError::Unknown(format!(
                    "no session of {} begins with {start}",
                    memory.project
                )));
            }
            _ => {
                return Err(KnowledgeError::Unknown(format!(
                    "several sessions begin with {start}; give more of the id"
                )));
            }
        },
    };
    keep(memory, &id, outcome, notes, "told", now)?;
    Ok(id)
}

fn keep(
    memory: &ProjectMemory,
    id: &str,
    outcome: Outcome,
    notes: &str,
    source: &str,
    now: Stamp,
) -> Result<()> {
    let record = json!({
        "ts": now.to_string(),
        "type": "outcome",
        "session_id": id,
        "outcome": outcome.name(),
        "notes": notes,
        "source": source,
        "project": memory.project,
    });
    let same = |old: &Record| entries::field(old, "session_id") == id;
    entries::replace_where(&memory.outcomes(), same, record.as_object().cloned().into_iter().collect())?;
    Ok(())
}

/// What a later session leaves open tells how the handoff before it went, when nobody has said it.
pub(super) fn infer(memory: &ProjectMemory, later: &str, open: &[String], now: Stamp) -> Result<()> {
    let Some(old) = Handoff::read(memory).filter(|old| old.session_id != later) else { return Ok(()) };
    let items: Vec<&str> = old.body.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    if old.session_id.is_empty() || items.is_empty() || of(memory, &old.session_id).is_some() {
        return Ok(());
    }
    let left = items.iter().filter(|item| open.iter().any(|open| is_alike(item, open))).count();
    let outcome = match left {
        0 => Outcome::Succeeded,
        left if left < items.len() => Outcome::PartialPlus,
        _ => Outcome::PartialMinus,
    };
    let notes = format!("{} of {} items were not open any more", items.len() - left, items.len());
    keep(memory, &old.session_id, outcome, &notes, "inferred", now)
}

/// True when two items have most of their words in common.
fn is_alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
        words.map(str::to_lowercase).collect()
    };
    let (one, other) = (words(one), words(other));
    let common = one.intersection(&other).count();
    common * 2 > one.len().min(other.len())
}

/// Sessions of one project that ended and whose handoff nobody has judged.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Ended {
    root: PathBuf,
    sessions: Vec<String>,
}

fn ended_dir(host: &Host) -> PathBuf {
    host.paths.state.join("outcomes")
}

/// Notes that a session ended, or (`over` is false) that it goes on: only what is over waits for a word.
pub fn mark(host: &Host, project: &Project, session: &str, over: bool) -> io::Result<()> {
    const MAX_ENDED: usize = 20;
    let file = ended_dir(host).join(format!("{}.json", short_hash(project.key(&host.machine()).as_bytes())));
    let old = files::read(&file, files::STATE).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let mut ended: Ended = old.unwrap_or_default();
    let known = ended.sessions.iter().any(|known| known == session);
    if known == over {
        return Ok(());
    }
    ended.root.clone_from(&project.root);
    ended.sessions.retain(|known| known != session);
    ended.sessions.extend(over.then(|| session.to_owned()));
    ended.sessions.drain(..ended.sessions.len().saturating_sub(MAX_ENDED));
    files::write_atomic(&file, &serde_json::to_vec(&ended).map_err(io::Error::other)?)
}

/// The handoffs that wait for a word, with their projects.
pub fn waiting(host: &Host) -> Vec<(PathBuf, Pending)> {
    let knowledge = Knowledge::open(host);
    let marks = std::fs::read_dir(ended_dir(host)).into_iter().flatten().flatten();
    let mut found: Vec<(PathBuf, Pending)> = marks
        .filter_map(|mark| {
            let ended: Ended = serde_json::from_slice(&files::read(mark.path(), files::STATE).ok()?).ok()?;
            let project = Project::find(&ended.root.to_string_lossy(), &host.env, &host.paths.home);
            let pending = pending(&knowledge.memory(&project))?;
            ended.sessions.contains(&pending.session).then_some((ended.root, pending))
        })
        .collect();
    found.sort_by_key(|(_, pending)| std::cmp::Reverse(pending.written));
    found
}

/// The outcome that is recorded for a session.
pub fn of(memory: &ProjectMemory, session: &str) -> Option<Outcome> {
    let records = entries::read(&memory.outcomes());
    let record = records.iter().rev().find(|record| entries::field(record, "session_id") == session)?;
    Outcome::parse(entries::field(record, "outcome"))
}

/// The sessions that left something here, the present handoff's first.
fn sessions(memory: &ProjectMemory) -> Vec<String> {
    let mut found: Vec<String> =
        Handoff::read(memory).into_iter().map(|handoff| handoff.session_id).collect();
    for path in [memory.decisions(), memory.failures(), memory.grades(), memory.outcomes()] {
        found.extend(
            entries::read(&path).iter().map(|record| entries::field(record, "session_id").to_owned()),
        );
    }
    let mut seen = Vec::new();
    found.retain(|id| {
        !id.is_empty() && !seen.contains(id) && {
            seen.push(id.clone());
            true
        }
    });
    found
}
