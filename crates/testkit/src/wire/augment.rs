//! Augment's chat stream, as Auggie speaks it: one JSON object per line. Texts, results and calls are numbered nodes.

use serde_json::{Value, json};

use super::{Answer, Part, Speaker, list};
use crate::http::Reply;
use crate::model::Block;

/// Nodes of a request.
const TEXT: u64 = 0;
const RESULT: u64 = 1;
/// Nodes of an answer.
const SAID: u64 = 0;
const CALL: u64 = 5;
/// Why an answer ended.
const DONE: u64 = 1;
const CALLED: u64 = 3;

/// What the agent asks before it talks to the model: the models, and which of its own features are on.
pub(crate) fn models() -> Value {
    json!({
        "default_model": "scripted",
        "models": [{"name": "scripted", "internal_name": "scripted", "suggested_prefix_char_count": 1000,
            "suggested_suffix_char_count": 1000}],
        "languages": [],
        "feature_flags": {"enable_hooks": true},
        "user_tier": "ENTERPRISE_TIER",
        "user": {"id": "user", "email": "user@example.com"},
    })
}

pub(super) fn answer(answer: &Answer) -> Reply {
    let node = |(k, block): (usize, &Block)| match block {
        Block::Text(text) => json!({"id": k + 1, "type": SAID, "content": text}),
        Block::Tool { name, args } => json!({"id": k + 1, "type": CALL, "content": "", "tool_use": {
            "tool_use_id": format!("call_{}_{k}", answer.id), "tool_name": name, "input_json": args.to_string(),
            "is_partial": false}}),
    };
    let nodes: Vec<Value> = answer.blocks.iter().enumerate().map(node).collect();
    let called = nodes.iter().any(|node| node["type"] == CALL);
    let text: String = nodes.iter().filter_map(|node| node["content"].as_str()).collect();
    let last = json!({"text": "", "stop_reason": if called { CALLED } else { DONE }});
    let body = format!("{}\n{last}\n", json!({"text": text, "nodes": nodes}));
    Reply { status: 200, kind: "application/json", body: body.into_bytes() }
}

pub(super) fn parts(request: &Value) -> Vec<Part> {
    let mut parts: Vec<Part> = ["user_guidelines", "workspace_guidelines"]
        .iter()
        .filter_map(|key| Some(Part::new(Speaker::System, request[*key].as_str()?)))
        .collect();
    for exchange in list(&request["chat_history"]) {
        parts.extend(list(&exchange["request_nodes"]).iter().filter_map(asked));
        for node in list(&exchange["response_nodes"]) {
            let call = &node["tool_use"];
            match node["content"].as_str().filter(|text| !text.is_empty()) {
                Some(text) => parts.push(Part::new(Speaker::Model, text)),
                None if call.is_object() => {
                    let word = |key: &str| call[key].as_str().unwrap_or_default();
                    let said = format!("{} {}", word("tool_name"), word("input_json"));
                    parts.push(Part::new(Speaker::Model, said));
                }
                None => {}
            }
        }
    }
    parts.extend(list(&request["nodes"]).iter().filter_map(asked));
    parts
}

/// What a node of a request says.
fn asked(node: &Value) -> Option<Part> {
    match node["type"].as_u64()? {
        TEXT => Some(Part::new(Speaker::User, node["text_node"]["content"].as_str()?)),
        RESULT => {
            let result = &node["tool_result_node"];
            let text = result["content"].as_str().unwrap_or_default().to_owned();
            Some(Part::result(&result["tool_use_id"], text, result["is_error"] == true))
        }
        _ => None,
    }
}
