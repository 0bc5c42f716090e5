//! Qwen Code: Claude Code's names and answers, Gemini CLI's tools, timeouts in milliseconds.

use crate::agent::AgentId;
use crate::dialect::{Dialect, TimeoutUnit};
use crate::dialects::{claude, gemini};

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    agent: AgentId::Qwen,
    rows: &claude::ROWS,
    unit: TimeoutUnit::Millis,
    context_limit: claude::CONTEXT_LIMIT,
    to_canonical: gemini::tools_to_canonical,
    encode: claude::encode,
    is_host: |raw, env| {
        env("QWEN_CODE").is_some()
            || raw
                .get("transcript_path")
                .and_then(serde_json::Value::as_str)
                .is_some_and(|path| path.contains("/.qwen/"))
    },
};
