//! What an agent cannot do with an answer that the canonical one can: a hook that counts on it is told so here.

use sprag_protocol::dialect::{ContextWay, Row, StopWay};
use sprag_protocol::{AgentId, EventKind, dialects};

/// What the agent lacks, for these events, in words.
pub(crate) fn lacking(agent: AgentId, events: &[EventKind]) -> Vec<String> {
    let full = dialects::of(AgentId::CANONICAL);
    let mut found = Vec::new();
    for kind in events {
        match (dialects::of(agent).row(*kind), full.row(*kind)) {
            (None, _) => found.push(format!("{kind}: it has no such event")),
            (Some(own), Some(full)) => {
                let less = less(own, full);
                if !less.is_empty() {
                    found.push(format!("{kind}: {}", less.join(", ")));
                }
            }
            (Some(_), None) => {}
        }
    }
    found
}

fn less(own: &Row, full: &Row) -> Vec<&'static str> {
    let mut less = Vec::new();
    let mut check = |can: bool, could: bool, what: &'static str| {
        if could && !can {
            less.push(what);
        }
    };
    check(own.stop != StopWay::Never, full.stop != StopWay::Never, "cannot be stopped");
    check(own.context != ContextWay::Never, full.context != ContextWay::Never, "no text to the model");
    check(own.message, full.message, "no message to the user");
    check(own.rewrite, full.rewrite, "no rewritten input");
    check(own.output, full.output, "no rewritten output");
    check(own.halt, full.halt, "cannot halt the agent");
    check(own.env_file, full.env_file, "no variables for its shell");
    less
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_say_it() {
        let events = [EventKind::PreToolUse, EventKind::SubagentStart];
        assert!(lacking(AgentId::Claude, &events).is_empty());
        let gemini = lacking(AgentId::Gemini, &events);
        assert_eq!(gemini, ["PreToolUse: no text to the model", "SubagentStart: it has no such event"]);
    }
}
