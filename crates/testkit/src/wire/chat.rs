//! OpenAI chat completions, as Qwen Code speaks it: streamed or not.
//! A stream ends with a chunk that has only the usage, then `[DONE]`.

use serde_json::{Value, json};

use super::{Answer, OUTPUT_TOKENS, Part, Speaker, content, events, list};
use crate::http::Reply;
use crate::model::Block;

pub(super) fn answer(request: &Value, answer: &Answer, stream: bool) -> Reply {
    let id = answer.id;
    let (mut text, mut calls) = (String::new(), Vec::new());
    for (k, block) in answer.blocks.iter().enumerate() {
        match block {
            Block::Text(more) => text.push_str(more),
            Block::Tool { name, args } => calls.push(json!({
                "index": calls.len(), "id": format!("call_{id}_{k}"), "type": "function",
                "function": {"name": name, "arguments": args.to_string()},
            })),
        }
    }
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let usage = json!({"prompt_tokens": answer.input_tokens, "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": answer.input_tokens + OUTPUT_TOKENS});
    let envelope = |object: &str, choices: Value| {
        json!({"id": format!("chatcmpl-{id}"), "object": object, "created": 1, "model": request["model"],
            "choices": choices})
    };
    if !stream {
        let mut body =
            envelope("chat.completion", json!([{"index": 0, "message": message, "finish_reason": finish}]));
        body["usage"] = usage;
        return Reply::json(200, &body);
    }
    let chunk = |choices: Value| envelope("chat.completion.chunk", choices);
    let mut last = chunk(json!([]));
    last["usage"] = usage;
    let mut reply = events([
        (None, chunk(json!([{"index": 0, "delta": message, "finish_reason": null}]))),
        (None, chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]))),
        (None, last),
    ]);
    reply.body.extend(b"data: [DONE]\n\n");
    reply
}

pub(super) fn parts(request: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for message in list(&request["messages"]) {
        let text = content(&message["content"]);
        match message["role"].as_str() {
            Some("tool") => parts.push(Part::result(&message["tool_call_id"], text, false)),
            Some("assistant") => {
                parts.push(Part::new(Speaker::Model, text));
                for call in list(&message["tool_calls"]) {
                    let (name, args) = (&call["function"]["name"], &call["function"]["arguments"]);
                    let said =
                        [name.as_str().unwrap_or_default(), args.as_str().unwrap_or_default()].join(" ");
                    parts.push(Part::new(Speaker::Model, said));
                }
            }
            Some("system" | "developer") => parts.push(Part::new(Speaker::System, text)),
            _ => parts.push(Part::new(Speaker::User, text)),
        }
    }
    parts
}
