//! The five model protocols the agents speak: how an answer is written, how a request is read.
//! One file per protocol; this one names them and what they have in common.

mod anthropic;
mod augment;
mod chat;
mod gemini;
mod responses;

use std::fmt::Write as _;

use serde_json::{Value, json};

pub(crate) use augment::models as augment_models;

use crate::http::Reply;
use crate::model::Block;

/// A model protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages: Claude Code.
    Anthropic,
    /// OpenAI Responses: Codex.
    Responses,
    /// Gemini generateContent: Gemini CLI.
    Gemini,
    /// OpenAI chat completions: Qwen Code.
    Chat,
    /// Augment's chat stream: Auggie.
    Augment,
}

/// Who says a part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The system prompt and system or developer messages.
    System,
    /// The user, and what the agent says in the user's name.
    User,
    /// The model: what the script said earlier, its tool calls included.
    Model,
    /// A tool's result.
    Tool,
}

/// One piece of text in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
    /// For a tool's result: which call it answers and whether it is marked as an error.
    pub call: Option<(String, bool)>,
}

/// One tool result in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers: the call's id, for Gemini the tool's name.
    pub call: String,
    /// What the model is told.
    pub text: String,
    /// Whether the protocol marks it as an error; only Anthropic and Gemini do.
    pub error: bool,
}

impl Part {
    fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Self { speaker, text: text.into(), call: None }
    }

    fn result(call: &Value, text: String, error: bool) -> Self {
        let call = call.as_str().unwrap_or_default().to_owned();
        Self { speaker: Speaker::Tool, text, call: Some((call, error)) }
    }
}

/// What the model says to one request.
pub(crate) struct Answer {
    /// Different for every answer of this process, so that resumed sessions see no id twice.
    pub(crate) id: u64,
    pub(crate) blocks: Vec<Block>,
    pub(crate) input_tokens: u64,
}

/// Output tokens every answer claims.
const OUTPUT_TOKENS: u64 = 20;

impl Wire {
    /// The protocol of a path, if a model call is made there.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/v1/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if path.ends_with("/chat-stream") {
            Some(Self::Augment)
        } else {
            None
        }
    }

    /// Writes an answer as this protocol wants it, streamed if the request asks for that.
    pub(crate) fn answer(self, path: &str, request: &Value, answer: &Answer) -> Reply {
        let stream = request["stream"] == true;
        match self {
            Self::Anthropic => anthropic::answer(request, answer, stream),
            Self::Responses => responses::answer(request, answer, stream),
            Self::Gemini => gemini::answer(answer, path.contains(":stream")),
            Self::Chat => chat::answer(request, answer, stream),
            Self::Augment => augment::answer(answer),
        }
    }

    /// Writes an error as this protocol wants it.
    pub(crate) fn error(self, status: u16, message: &str) -> Reply {
        let body = match self {
            Self::Anthropic => anthropic::error(status, message),
            Self::Responses | Self::Chat | Self::Augment => json!({"error": {
                "message": message, "type": "invalid_request_error", "param": null, "code": null}}),
            Self::Gemini => gemini::error(status, message),
        };
        Reply::json(status, &body)
    }

    /// Everything said in a request, in order: the system prompt, then the messages.
    pub(crate) fn parts(self, request: &Value) -> Vec<Part> {
        let parts = match self {
            Self::Anthropic => anthropic::parts(request),
            Self::Responses => responses::parts(request),
            Self::Gemini => gemini::parts(request),
            Self::Chat => chat::parts(request),
            Self::Augment => augment::parts(request),
        };
        parts.into_iter().filter(|part| part.call.is_some() || !part.text.is_empty()).collect()
    }
}

/// A stream of server-sent events, whole: named ones get an `event` line.
fn events<'a>(events: impl IntoIterator<Item = (Option<&'a str>, Value)>) -> Reply {
    let mut body = String::new();
    for (name, data) in events {
        if let Some(name) = name {
            let _ = writeln!(body, "event: {name}");
        }
        let _ = writeln!(body, "data: {data}\n");
    }
    Reply { status: 200, kind: "text/event-stream", body: body.into_bytes() }
}

/// A message's content as text: a string, or the `text` of each item of a list.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let texts: Vec<&str> =
                items.iter().filter_map(|item| item.as_str().or_else(|| item["text"].as_str())).collect();
            texts.join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
