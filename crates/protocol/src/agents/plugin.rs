//! What a plugin or extension of sprag for an agent consists of. Data and pure functions: `deploy` writes the files.

use serde_json::{Value, json};

/// What the files of a plugin are made from.
#[derive(Debug, Clone, Copy)]
pub struct PluginParts<'a> {
    /// The program, as the agent shall start it.
    pub exe: &'a str,
    /// The same as a word of a shell.
    pub word: &'a str,
    /// sprag's version.
    pub version: &'a str,
    /// The hooks, in the agent's own format: an object with a member per event.
    pub hooks: &'a Value,
    /// With the agent's function hooks, where it has them.
    pub mods: bool,
}

/// One file of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Its path in the plugin's folder, with slashes.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl PluginFile {
    /// A file with this text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// A file with this JSON.
    pub fn json(path: impl Into<String>, value: &Value) -> Self {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        Self::new(path, format!("{text}\n"))
    }
}

/// The name of the plugin and of its marketplace.
pub const NAME: &str = "sprag";
/// What it is, in one sentence.
pub const ABOUT: &str = "Guardrails, checks and memory for coding agents: stops destructive commands, checks work before it is called done, carries what was learned into the next session";
/// Its licence.
pub const LICENSE: &str = "MIT OR Apache-2.0";
/// Words to find it by.
pub const KEYWORDS: [&str; 5] = ["hooks", "guardrails", "memory", "security", "lint"];

/// A command that a person types in the agent.
#[derive(Debug, Clone, Copy)]
pub struct SlashCommand {
    /// Its name, without the plugin's.
    pub name: &'static str,
    /// What it does, for the list of commands.
    pub about: &'static str,
    /// The words behind `sprag` that it runs.
    pub words: &'static str,
    /// What the model is to do with the output.
    pub then: &'static str,
}

/// The commands. None of them loosens anything: those are for a terminal of a person.
pub const COMMANDS: [SlashCommand; 4] = [
    SlashCommand {
        name: "status",
        about: "What sprag did today: stops, injected context, errors, background jobs",
        words: "status",
        then: "Say in at most five lines what matters: what was stopped and why, what failed, what waits for me.",
    },
    SlashCommand {
        name: "lessons",
        about: "The lessons that are active here, and how often they helped",
        words: "lessons list",
        then: "Summarise which lessons matter for the work at hand. To change one, tell me the `sprag lessons` command.",
    },
    SlashCommand {
        name: "handoff",
        about: "Write down now what the next session needs",
        words: "knowledge handoff-now",
        then: "Say where the handoff is, and add in one paragraph what it lacks: open decisions, failed attempts, next steps.",
    },
    SlashCommand {
        name: "why",
        about: "Explain the last stop: which rule, what would be lost, what to do",
        words: "why last",
        then: "Explain the stop in plain words, and propose a safer way to reach the same goal. Only I can allow it: name the command.",
    },
];

/// The one skill: when the model should use what sprag knows.
pub fn skill() -> PluginFile {
    PluginFile::new(
        "skills/project-memory/SKILL.md",
        "---\nname: project-memory\ndescription: Recall what earlier sessions of this project learned, and keep what later ones need. \
         Use when a task touches conventions, past decisions, known failures or a large unfamiliar file.\n---\n\n\
         - Before you guess about this project, call the sprag tool `memory_recall`; for past work, `knowledge_search`.\n\
         - Before a command that has bitten before (deploys, migrations, git surgery), call `lessons_match`.\n\
         - Before you read a file of more than a few hundred lines, call `code_outline`; to find uses, `code_find` or `code_calls`.\n\
         - Keep a decision, a preference or a fix that outlives this session with `memory_add`: one fact per call, no secrets.\n\
         - A stop of sprag names its rule. Do not work around it: choose the safer way that it names, or ask the user.\n",
    )
}

/// What the plugin is, for whoever opens its folder.
pub fn readme() -> PluginFile {
    PluginFile::new(
        "README.md",
        format!(
            "# sprag\n\n{ABOUT}.\n\nThis folder is made by `sprag plugin dir`. It registers sprag's hooks, its MCP server and the \
             commands status, lessons, handoff and why. The work is done by the program `sprag`, which has to be installed; without \
             it nothing happens. An event that `sprag deploy` registered too is answered once. `sprag doctor` looks at both.\n"
        ),
    )
}

/// The server's entry for a file with `mcpServers`.
pub fn servers(parts: &PluginParts<'_>, kind: Option<&str>) -> Value {
    let mut server = json!({ "command": parts.exe, "args": ["mcp"] });
    if let (Some(kind), Some(map)) = (kind, server.as_object_mut()) {
        map.insert("type".to_owned(), json!(kind));
    }
    json!({ "mcpServers": { NAME: server } })
}
