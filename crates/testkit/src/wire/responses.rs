//! OpenAI Responses, as Codex speaks it.
//! A tool the request declares as free-form (`custom`) is called with its plain text input, one that it declares
//! in a namespace with that namespace. Deferred tools are searched for first: what the search found counts as declared.

use serde_json::{Value, json};

use super::{Answer, OUTPUT_TOKENS, Part, Speaker, content, events, list};
use crate::http::Reply;
use crate::model::Block;

pub(super) fn answer(request: &Value, answer: &Answer, stream: bool) -> Reply {
    let id = answer.id;
    let freeform =
        |name: &str| list(&request["tools"]).iter().any(|t| t["type"] == "custom" && t["name"] == name);
    let output: Vec<Value> = answer
        .blocks
        .iter()
        .enumerate()
        .map(|(k, block)| match block {
            Block::Text(text) => json!({"type": "message", "role": "assistant", "id": format!("msg_{id}_{k}"),
                "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}),
            Block::Tool { name, args } if freeform(name) => {
                let input = args.as_str().or_else(|| args["input"].as_str()).unwrap_or_default();
                json!({"type": "custom_tool_call", "call_id": format!("call_{id}_{k}"), "name": name, "input": input})
            }
            Block::Tool { name, args } if searches(request, name) => {
                json!({"type": "tool_search_call", "call_id": format!("call_{id}_{k}"), "status": "completed",
                    "execution": "client", "arguments": args})
            }
            Block::Tool { name, args } => {
                let mut call = json!({"type": "function_call", "call_id": format!("call_{id}_{k}"),
                    "name": name, "arguments": args.to_string()});
                if let Some(space) = namespace(request, name) {
                    call["namespace"] = space.clone();
                }
                call
            }
        })
        .collect();
    let usage = json!({
        "input_tokens": answer.input_tokens, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + OUTPUT_TOKENS,
    });
    let response = json!({"id": format!("resp_{id}"), "object": "response", "created_at": 1, "status": "completed",
        "model": request["model"], "output": output, "usage": usage});
    if !stream {
        return Reply::json(200, &response);
    }
    let mut begun = response.clone();
    begun["output"] = json!([]);
    begun["status"] = "in_progress".into();
    let mut all = vec![json!({"type": "response.created", "response": begun})];
    for (index, item) in output.iter().enumerate() {
        all.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    all.push(json!({"type": "response.completed", "response": response}));
    for (number, event) in all.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    let named: Vec<_> = all.iter().map(|event| (event["type"].as_str(), event.clone())).collect();
    events(named)
}

/// True for the tool that finds deferred ones.
fn searches(request: &Value, name: &str) -> bool {
    name == "tool_search" && list(&request["tools"]).iter().any(|tool| tool["type"] == name)
}

/// The namespace in which the request declares a tool, or a search found it.
fn namespace<'a>(request: &'a Value, tool: &str) -> Option<&'a Value> {
    let found = list(&request["input"]).iter().filter(|item| item["type"] == "tool_search_output");
    let space = list(&request["tools"])
        .iter()
        .chain(found.flat_map(|item| list(&item["tools"])))
        .find(|space| list(&space["tools"]).iter().any(|inner| inner["name"] == tool))?;
    Some(&space["name"])
}

pub(super) fn parts(request: &Value) -> Vec<Part> {
    let mut parts = vec![Part::new(Speaker::System, content(&request["instructions"]))];
    if let Some(text) = request["input"].as_str() {
        parts.push(Part::new(Speaker::User, text));
    }
    for item in list(&request["input"]) {
        parts.push(match item["type"].as_str() {
            Some("function_call" | "custom_tool_call") => {
                let args = item["arguments"].as_str().or_else(|| item["input"].as_str()).unwrap_or_default();
                Part::new(Speaker::Model, format!("{} {args}", item["name"].as_str().unwrap_or_default()))
            }
            Some("tool_search_output") => Part::result(&item["call_id"], item["tools"].to_string(), false),
            Some("function_call_output" | "custom_tool_call_output") => {
                let output = &item["output"];
                let text = if output.is_object() { content(&output["content"]) } else { content(output) };
                Part::result(&item["call_id"], text, false)
            }
            _ => {
                let speaker = match item["role"].as_str() {
                    Some("assistant") => Speaker::Model,
                    Some("system" | "developer") => Speaker::System,
                    _ => Speaker::User,
                };
                Part::new(speaker, content(&item["content"]))
            }
        });
    }
    parts
}
