//! Gemini generateContent, as Gemini CLI speaks it: streamed or not.
//! A function response says what the tool gave under `output`, what went wrong under `error`.

use serde_json::{Value, json};

use super::{Answer, OUTPUT_TOKENS, Part, Speaker, events, list};
use crate::http::Reply;
use crate::model::Block;

pub(super) fn answer(answer: &Answer, stream: bool) -> Reply {
    let parts: Vec<Value> = answer
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => json!({"text": text}),
            Block::Tool { name, args } => json!({"functionCall": {"name": name, "args": args}}),
        })
        .collect();
    let body = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": answer.input_tokens, "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": answer.input_tokens + OUTPUT_TOKENS},
        "responseId": format!("resp_{}", answer.id),
    });
    if stream { events([(None, body)]) } else { Reply::json(200, &body) }
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

pub(super) fn parts(request: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for piece in list(&request["systemInstruction"]["parts"]) {
        parts.push(Part::new(Speaker::System, piece["text"].as_str().unwrap_or_default()));
    }
    for turn in list(&request["contents"]) {
        let speaker = if turn["role"] == "model" { Speaker::Model } else { Speaker::User };
        for piece in list(&turn["parts"]) {
            let (call, response) = (&piece["functionCall"], &piece["functionResponse"]);
            parts.push(if call.is_object() {
                Part::new(speaker, format!("{} {}", call["name"].as_str().unwrap_or_default(), call["args"]))
            } else if response.is_object() {
                result(response)
            } else {
                Part::new(speaker, piece["text"].as_str().unwrap_or_default())
            });
        }
    }
    parts
}

fn result(response: &Value) -> Part {
    let said = &response["response"];
    let error = said["error"].as_str();
    let text = error.or_else(|| said["output"].as_str()).map_or_else(|| said.to_string(), str::to_owned);
    Part::result(&response["name"], text, error.is_some())
}
