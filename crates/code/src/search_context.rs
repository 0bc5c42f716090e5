//! What a session searched for lately, so that the read that follows shows what was meant.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A search and what it found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Microseconds since 1970.
    pub at: u64,
    /// The subagent that searched; empty for the agent itself.
    #[serde(default)]
    pub agent: String,
    /// structural, semantic or literal.
    pub kind: String,
    /// What was meant.
    pub target: String,
    /// What it is.
    pub target_kind: String,
    /// What to show of it, from the outline inwards.
    pub layers: Vec<String>,
    /// Where it is: `src/cart.py:10`.
    pub defined: String,
    /// Who calls it: `src/main.py:4 main`.
    pub callers: Vec<String>,
}

/// The file of a session that keeps them.
pub const FILE: &str = "searched.jsonl";
/// Searches that are looked at, from the last.
const LAST: usize = 8;
/// How long a search is remembered when nothing else is set.
pub const REMEMBER_S: i64 = 300;

impl Searched {
    /// The search as a line of the session's file.
    pub fn line(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

/// The searches of `agent` that are not too old, the last one first. `now` is in microseconds since 1970.
pub fn lately(text: &str, agent: &str, now: u64, within: Duration) -> Vec<Searched> {
    text.lines()
        .rev()
        .take(LAST)
        .filter_map(|line| serde_json::from_str::<Searched>(line).ok())
        .filter(|searched| searched.agent == agent)
        .filter(|searched| now.saturating_sub(searched.at) <= within.as_micros() as u64)
        .collect()
}

/// The files of what was searched for and found, the last one first.
pub fn files(text: &str) -> Vec<String> {
    let searches =
        text.lines().rev().take(LAST).filter_map(|line| serde_json::from_str::<Searched>(line).ok());
    searches.filter_map(|searched| Some(searched.defined.rsplit_once(':')?.0.to_owned())).collect()
}

/// What to show of a thing of this kind, as the reference suggests it.
pub fn layers(kind: &str) -> Vec<String> {
    let layers: &[&str] = match kind {
        "function" | "method" => &["outline", "calls", "flow"],
        "constant" | "variable" => &["outline", "data"],
        _ => &["outline", "calls"],
    };
    layers.iter().map(|layer| (*layer).to_owned()).collect()
}
