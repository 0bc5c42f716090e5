//! Which call began when: a tool's run is known by two lines of the journal, joined by the call's id.

use serde::{Deserialize, Serialize};
use sprag_base::time::Stamp;
use sprag_runtime::journal::Entry;
use std::collections::BTreeMap;
use std::time::Duration;

/// Calls that are known at a time; the oldest are forgotten.
const MAX_OPEN: usize = 1_000;
/// A call that did not end in this time has no end.
const LONGEST: Duration = Duration::from_secs(6 * 3_600);

/// Calls that began and did not end yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct OpenCalls {
    began: BTreeMap<String, u64>,
}

/// A tool's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolRun {
    /// When the call was let through.
    pub(crate) began: Stamp,
    /// When the agent had its result.
    pub(crate) ended: Stamp,
    /// What went wrong: `tool_error` or `blocked`.
    pub(crate) error: Option<&'static str>,
}

impl OpenCalls {
    /// The run that an entry ends.
    pub(crate) fn see(&mut self, entry: &Entry) -> Option<ToolRun> {
        let (call, at) = (entry.call.as_ref()?, Stamp::parse(&entry.t)?);
        let key = format!("{}/{call}", entry.session);
        let error = match entry.event.as_str() {
            "PreToolUse" if entry.stop.is_some() && matches!(entry.verdict.as_str(), "deny" | "block") => {
                let began = at.before(Duration::from_micros(entry.us));
                return Some(ToolRun { began, ended: at, error: Some("blocked") });
            }
            "PreToolUse" => {
                self.began.insert(key, at.0);
                if self.began.len() > MAX_OPEN {
                    let oldest = self.began.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone());
                    oldest.map(|key| self.began.remove(&key));
                }
                return None;
            }
            "PostToolUse" => None,
            "PostToolUseFailure" => Some("tool_error"),
            _ => return None,
        };
        let began = Stamp(self.began.remove(&key)?);
        // The hooks on the result run after the tool.
        let ended = at.before(Duration::from_micros(entry.us)).max(began);
        (began.after(LONGEST) > ended).then_some(ToolRun { began, ended, error })
    }
}
