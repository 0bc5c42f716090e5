//! The events that sprag's plugin sends: OpenCode's.

use super::tools::TABLE;
use crate::agents::opencode::{ROWS, encode, to_canonical};
use crate::agents::{AgentId, fields};
use crate::dialect::Dialect;
use serde_json::Value;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Kilo,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 9,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: false,
    encode,
    is_host: |raw, _| raw.get("plugin_of").and_then(Value::as_str) == Some("kilo"),
};
