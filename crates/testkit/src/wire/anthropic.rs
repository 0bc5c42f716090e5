//! Anthropic Messages, as Claude Code speaks it: streamed or not.
//! Mid-conversation system messages count as the system's.

use serde_json::{Value, json};

use super::{Answer, OUTPUT_TOKENS, Part, Speaker, content, events, list};
use crate::http::Reply;
use crate::model::Block;

pub(super) fn answer(request: &Value, answer: &Answer, stream: bool) -> Reply {
    let id = answer.id;
    let blocks: Vec<Value> = answer
        .blocks
        .iter()
        .enumerate()
        .map(|(k, block)| match block {
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Tool { name, args } => {
                json!({"type": "tool_use", "id": format!("toolu_{id}_{k}"), "name": name, "input": args})
            }
        })
        .collect();
    let calls = answer.blocks.iter().any(|block| matches!(block, Block::Tool { .. }));
    let stop = if calls { "tool_use" } else { "end_turn" };
    let mut message = json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": request["model"],
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": answer.input_tokens, "output_tokens": 1},
    });
    if !stream {
        message["content"] = blocks.into();
        message["stop_reason"] = stop.into();
        message["usage"]["output_tokens"] = OUTPUT_TOKENS.into();
        return Reply::json(200, &message);
    }
    let mut all = vec![json!({"type": "message_start", "message": message})];
    for (k, block) in blocks.into_iter().enumerate() {
        let (empty, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let delta = json!({"type": "input_json_delta", "partial_json": block["input"].to_string()});
            let mut empty = block;
            empty["input"] = json!({});
            (empty, delta)
        };
        all.push(json!({"type": "content_block_start", "index": k, "content_block": empty}));
        all.push(json!({"type": "content_block_delta", "index": k, "delta": delta}));
        all.push(json!({"type": "content_block_stop", "index": k}));
    }
    all.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"output_tokens": OUTPUT_TOKENS}}));
    all.push(json!({"type": "message_stop"}));
    let named: Vec<_> = all.iter().map(|event| (event["type"].as_str(), event.clone())).collect();
    events(named)
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

pub(super) fn parts(request: &Value) -> Vec<Part> {
    let mut parts = vec![Part::new(Speaker::System, content(&request["system"]))];
    for message in list(&request["messages"]) {
        let speaker = match message["role"].as_str() {
            Some("assistant") => Speaker::Model,
            Some("system") => Speaker::System,
            _ => Speaker::User,
        };
        if let Some(text) = message["content"].as_str() {
            parts.push(Part::new(speaker, text));
        }
        for block in list(&message["content"]) {
            parts.push(match block["type"].as_str() {
                Some("tool_result") => {
                    let text = content(&block["content"]);
                    Part::result(&block["tool_use_id"], text, block["is_error"] == true)
                }
                Some("tool_use") => Part::new(
                    speaker,
                    format!("{} {}", block["name"].as_str().unwrap_or_default(), block["input"]),
                ),
                _ => Part::new(speaker, block["text"].as_str().unwrap_or_default()),
            });
        }
    }
    parts
}
