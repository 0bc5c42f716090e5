//! What became of a handoff: asked for at the next start, recorded by a person or an agent.

use super::entries::{self, Record};
use super::handoff::Handoff;
use super::{KnowledgeError, ProjectMemory, Result, text};
use serde_json::json;
use sprag_base::time::Stamp;

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
    let record = json!({
        "ts": now.to_string(),
        "type": "outcome",
        "session_id": id,
        "outcome": outcome.name(),
        "notes": notes,
        "project": memory.project,
    });
    let Some(record) = record.as_object().cloned() else { return Ok(id) };
    entries::replace_where(
        &memory.outcomes(),
        |old: &Record| entries::field(old, "session_id") == id,
        vec![record],
    )?;
    Ok(id)
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
