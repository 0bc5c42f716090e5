//! The tools: names, words and schemas. A model pays for every word here in every session, so there are few; a test counts them.

use crate::tools::{Call, ToolResult, code, guard, knowledge, lessons, memory, team};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// A group of tools, as `--tools` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Memories, lessons, notes of past sessions.
    Memory,
    /// Source code.
    Code,
    /// Sessions, claims, tasks.
    Team,
    /// The guards.
    Guard,
}

impl Group {
    /// Every group.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Code, Self::Team, Self::Guard];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Code => "code",
            Self::Team => "team",
            Self::Guard => "guard",
        }
    }

    /// The group with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// What a tool changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Reads,
    /// It adds, and destroys nothing.
    Adds,
}

/// One tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    about: &'static str,
    access: Access,
    /// Properties and required ones.
    input: fn() -> (Value, &'static [&'static str]),
    /// Properties of the answer.
    output: fn() -> Value,
    pub(crate) run: fn(&Call<'_>) -> ToolResult,
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "integer"})
}

fn list() -> Value {
    json!({"type": "array"})
}

/// The tools, in the order of the list. One more is one more entry here and its function in `tools/`.
pub(crate) static TOOLS: [ToolSpec; 13] = [
    ToolSpec {
        name: "memory_recall",
        group: Group::Memory,
        about: "Recall memories of this project (facts, decisions, preferences, fixes) by words and meaning. Ask before you guess.",
        access: Access::Reads,
        input: || {
            (json!({"query": text(), "limit": number(), "offset": number(), "project": text()}), &["query"])
        },
        output: || json!({"memories": list(), "next": number()}),
        run: memory::recall,
    },
    ToolSpec {
        name: "memory_add",
        group: Group::Memory,
        about: "Add a memory: one fact for later sessions of this project. No secrets.",
        access: Access::Adds,
        input: || {
            let kinds = json!({"enum": memory::KINDS});
            (json!({"text": text(), "kind": kinds, "tags": list(), "project": text()}), &["text"])
        },
        output: || json!({"id": text(), "status": text()}),
        run: memory::add,
    },
    ToolSpec {
        name: "memory_show",
        group: Group::Memory,
        about: "One memory in full, with what it replaced.",
        access: Access::Reads,
        input: || (json!({"id": text(), "project": text()}), &["id"]),
        output: || json!({"id": text(), "text": text()}),
        run: memory::show,
    },
    ToolSpec {
        name: "lessons_match",
        group: Group::Memory,
        about: "Known mistakes that a planned call would repeat, and what to do instead. Give `command`, or `tool` with `path` and `content`.",
        access: Access::Reads,
        input: || {
            let of = json!({"command": text(), "tool": text(), "path": text(), "content": text(), "project": text()});
            (of, &[])
        },
        output: || json!({"lessons": list()}),
        run: lessons::matching,
    },
    ToolSpec {
        name: "knowledge_search",
        group: Group::Memory,
        about: "Search the notes of past sessions. `everywhere`: of all projects.",
        access: Access::Reads,
        input: || {
            let kinds = json!({"enum": knowledge::kinds()});
            let everywhere = json!({"type": "boolean"});
            let of = json!({"query": text(), "kind": kinds, "everywhere": everywhere, "offset": number(), "project": text()});
            (of, &["query"])
        },
        output: || json!({"documents": list(), "next": number()}),
        run: knowledge::search,
    },
    ToolSpec {
        name: "code_outline",
        group: Group::Code,
        about: "Symbols of a source file with signatures and lines: read this before a large file.",
        access: Access::Reads,
        input: || (json!({"file": text(), "tokens": number(), "project": text()}), &["file"]),
        output: || json!({"outline": text()}),
        run: code::outline,
    },
    ToolSpec {
        name: "code_find",
        group: Group::Code,
        about: "Definitions of a name with their callers, similar names, and lines of code that have the text.",
        access: Access::Reads,
        input: || (json!({"text": text(), "offset": number(), "project": text()}), &["text"]),
        output: || json!({"definitions": list(), "lines": list(), "next": number()}),
        run: code::find,
    },
    ToolSpec {
        name: "code_map",
        group: Group::Code,
        about: "The most important files and symbols of the project: read this first in one that you do not know. `near`: files you work on.",
        access: Access::Reads,
        input: || (json!({"tokens": number(), "near": list(), "project": text()}), &[]),
        output: || json!({"map": text(), "files": number()}),
        run: code::map,
    },
    ToolSpec {
        name: "code_calls",
        group: Group::Code,
        about: "Callers and callees of `pay`, `Cart.pay` or `src/cart.py:pay`. `depth` over 1: all that a change may touch.",
        access: Access::Reads,
        input: || {
            (json!({"symbol": text(), "depth": number(), "offset": number(), "project": text()}), &["symbol"])
        },
        output: || json!({"symbols": list(), "next": number()}),
        run: code::calls,
    },
    ToolSpec {
        name: "code_slice",
        group: Group::Code,
        about: "The lines of a function that a line (or its `var`) depends on; `forward`: that depend on it.",
        access: Access::Reads,
        input: || {
            let forward = json!({"type": "boolean"});
            let of = json!({"file": text(), "line": number(), "var": text(), "forward": forward, "project": text()});
            (of, &["file", "line"])
        },
        output: || json!({"code": text(), "lines": list()}),
        run: code::slice,
    },
    ToolSpec {
        name: "team_status",
        group: Group::Team,
        about: "Live sessions, files they claimed, unfinished tasks.",
        access: Access::Reads,
        input: || (json!({"project": text()}), &[]),
        output: || json!({"sessions": list(), "claims": list(), "tasks": list()}),
        run: team::status,
    },
    ToolSpec {
        name: "task_update",
        group: Group::Team,
        about: "Create a task (`text`: title), or start, report on, finish or fail one. Without `id`: this session's.",
        access: Access::Adds,
        input: || {
            let actions = json!({"enum": team::ACTIONS});
            (json!({"action": actions, "id": text(), "text": text(), "project": text()}), &["action"])
        },
        output: || json!({"id": text(), "state": text()}),
        run: team::update,
    },
    ToolSpec {
        name: "guard_explain",
        group: Group::Guard,
        about: "What sprag's guards say about a shell command, and why. Runs nothing.",
        access: Access::Reads,
        input: || (json!({"command": text(), "cwd": text(), "project": text()}), &["command"]),
        output: || json!({"verdict": text(), "reason": text()}),
        run: guard::explain,
    },
];

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        _ => JsonObject::new(),
    }
}

impl ToolSpec {
    /// The tool with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Its input schema.
    pub(crate) fn input_schema(&self) -> JsonObject {
        let (properties, required) = (self.input)();
        let mut schema = object(json!({"type": "object", "properties": properties}));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }

    /// It as the protocol lists it.
    pub(crate) fn listed(&self) -> Tool {
        let output = object(json!({"type": "object", "properties": (self.output)()}));
        let hints = match self.access {
            Access::Reads => ToolAnnotations::new().read_only(true),
            Access::Adds => ToolAnnotations::new().destructive(false).open_world(false),
        };
        Tool::new(self.name, self.about, Arc::new(self.input_schema()))
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(hints)
    }
}

/// The names of all tools, in the order of the list.
pub fn tool_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_code::tokens::estimate;

    #[test]
    fn the_list_costs_at_most_2000_tokens() {
        let list: Vec<Tool> = TOOLS.iter().map(ToolSpec::listed).collect();
        let json = serde_json::to_string(&list).unwrap();
        let tokens = estimate(&json);
        println!("tools/list: {tokens} tokens, {} characters", json.len());
        assert!(tokens <= 2_000, "{tokens} tokens: {json}");
    }

    #[test]
    fn nothing_loosens_a_guard() {
        let forbidden = ["approve", "allow", "trust", "disable", "undeploy", "uninstall", "config", "forget"];
        for name in tool_names() {
            assert!(!forbidden.iter().any(|word| name.contains(word)), "{name}");
        }
    }

    #[test]
    fn required_arguments_are_described() {
        for tool in &TOOLS {
            let (properties, required) = (tool.input)();
            assert!(required.iter().all(|name| properties.get(name).is_some()), "{}", tool.name);
            assert!(properties.get("project").is_some(), "{}", tool.name);
        }
    }
}
