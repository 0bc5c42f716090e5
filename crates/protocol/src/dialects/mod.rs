//! The agents' dialects: one file each and one line here.

pub mod claude;
pub mod codex;
pub mod gemini;
pub mod qwen;

use crate::agent::AgentId;
use crate::decode::Env;
use crate::dialect::Dialect;
use serde_json::{Map, Value};

/// Every dialect. The order is the order of detection: the most telling signs first.
pub static ALL: [&Dialect; 4] = [&gemini::DIALECT, &qwen::DIALECT, &codex::DIALECT, &claude::DIALECT];

/// The dialect of an agent.
pub fn of(agent: AgentId) -> &'static Dialect {
    ALL.into_iter().find(|dialect| dialect.agent == agent).unwrap_or(&claude::DIALECT)
}

/// The host behind a payload, by what only it sends. One `.claude/settings.json` is executed by several
/// programs, so the registration alone does not say; Claude Code is what remains.
pub fn detect(raw: &Map<String, Value>, env: Env<'_>) -> &'static Dialect {
    ALL.into_iter().find(|dialect| (dialect.is_host)(raw, env)).unwrap_or(&claude::DIALECT)
}
