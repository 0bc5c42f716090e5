//! Every key that a configuration file may hold, apart from the hooks' own settings.
//! The strict reader, the commented file that `init` writes and the reference are made from this table.

use crate::settings::{Kind, Setting};

/// A table of the file with fixed keys.
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Setting],
}

/// The presets, from the fewest hooks on.
pub const PRESETS: [&str; 4] = ["minimal", "standard", "strict", "swarm"];

/// The tables with fixed keys.
pub static SECTIONS: [Section; 8] = [
    Section {
        name: "context",
        doc: "How much text reaches the model.",
        keys: &[Setting::new(
            "budget_chars",
            Kind::Int { default: 9_000, min: 200 },
            "the most characters that one answer adds to the conversation; never over the agent's own cap",
        )],
    },
    Section {
        name: "journal",
        doc: "The record of every hook run.",
        keys: &[
            Setting::new(
                "max_mb",
                Kind::Int { default: 8, min: 1 },
                "a journal file is rotated at this size",
            ),
            Setting::new("keep", Kind::Int { default: 5, min: 1 }, "this many rotated files are kept"),
        ],
    },
    Section {
        name: "agents",
        doc: "What agents do differently.",
        keys: &[Setting::new(
            "ask_fallback",
            Kind::Choice(&["deny", "pass"]),
            "what becomes of `ask` where an agent cannot ask (Codex): deny, or no opinion",
        )],
    },
    Section {
        name: "store",
        doc: "The database behind coordination, memory and lessons.",
        keys: &[
            Setting::new("url", Kind::Text("sqlite"), "`sqlite`, or `postgres://user@host/db`"),
            Setting::new(
                "budget_ms",
                Kind::Int { default: 100, min: 1 },
                "the longest that a hook waits for a server; what it could not send is sent later",
            ),
            Setting::new(
                "keep_days",
                Kind::Int { default: 90, min: 1 },
                "how long counts of hook runs and sessions that ended stay",
            ),
        ],
    },
    Section {
        name: "knowledge",
        doc: "What sessions leave behind.",
        keys: &[
            Setting::new("path", Kind::Text(""), "the knowledge folder; empty is the data directory"),
            Setting::new(
                "headless",
                Kind::Bool(false),
                "also keep sessions that ran without a person (`-p`, exec)",
            ),
            Setting::new(
                "classify_rules",
                Kind::Tables(&["pattern", "profile", "session_type"]),
                "what a session is by a part of its folder's path; the first that fits counts, before the profiles' roots",
            ),
        ],
    },
    Section {
        name: "recall",
        doc: "What makes memories into vectors. The encoder in the program needs no setting and no network.",
        keys: &[
            Setting::new(
                "embedder",
                Kind::Choice(&["builtin", "endpoint"]),
                "the encoder in the program, or an OpenAI-compatible embedding endpoint",
            ),
            Setting::new("url", Kind::Text(""), "the endpoint; memories and prompts are sent there"),
            Setting::new("model", Kind::Text(""), "the model to ask the endpoint for"),
            Setting::new(
                "dimensions",
                Kind::Int { default: 0, min: 0 },
                "numbers per vector of that model, such as 768 or 1536",
            ),
            Setting::new(
                "key_env",
                Kind::Text("OPENAI_API_KEY"),
                "the variable that holds the endpoint's key",
            ),
            Setting::new(
                "timeout_ms",
                Kind::Int { default: 1_000, min: 1 },
                "the longest that a question waits for the endpoint; the background waits thirty times as long",
            ),
        ],
    },
    Section {
        name: "verify",
        doc: "Compilers and linters that run after edits and before a session ends.",
        keys: &[
            Setting::new(
                "run_project_code",
                Kind::Choice(&["auto", "always", "never"]),
                "checkers that run a project's own code (cargo, eslint, make, …): auto is after the agent itself built or tested it, when it may do so unasked, or when the project is trusted",
            ),
            Setting::new(
                "deadline_s",
                Kind::Int { default: 120, min: 1 },
                "the longest that one checker may take",
            ),
            Setting::new(
                "max_shown",
                Kind::Int { default: 8, min: 1 },
                "the most findings that are shown at a time",
            ),
            Setting::new(
                "settle_ms",
                Kind::Int { default: 400, min: 0 },
                "a build starts when there was no edit for this long",
            ),
            Setting::new(
                "checkers",
                Kind::Tables(&["name", "command", "format", "endings", "markers", "role", "language"]),
                "further checkers, or other commands for builtin ones of that name; an empty command is none",
            ),
        ],
    },
    Section {
        name: "llm",
        doc: "The model that the background worker may ask. Nothing is spent until a backend is chosen.",
        keys: &[
            Setting::new(
                "backend",
                Kind::Choice(&["none", "claude", "codex", "gemini", "openai"]),
                "none, an agent's own `-p` mode, or any OpenAI-compatible endpoint",
            ),
            Setting::new("model", Kind::Text("haiku"), "the model to ask for"),
            Setting::new(
                "timeout_s",
                Kind::Int { default: 120, min: 1 },
                "the longest that one answer may take",
            ),
            Setting::new("url", Kind::Text(""), "the endpoint, for `openai`"),
            Setting::new(
                "key_env",
                Kind::Text("OPENAI_API_KEY"),
                "the variable that holds the key, for `openai`",
            ),
            Setting::new(
                "command",
                Kind::Texts(&[]),
                "the agent's program with its first arguments, when it is not on the search path",
            ),
        ],
    },
];

/// Keys that every `[hook.<name>]` may have.
pub static HOOK_KEYS: [Setting; 5] = [
    Setting::new(
        "mode",
        Kind::Choice(&["enforce", "shadow", "off"]),
        "shadow runs the hook and journals what it would have done, without effect",
    ),
    Setting::new("enabled", Kind::Bool(true), "`false` is the same as `mode = \"off\"`"),
    Setting::new(
        "matcher",
        Kind::Text(""),
        "which tools or sources it sees, in Claude Code's matcher grammar",
    ),
    Setting::new("timeout_ms", Kind::Int { default: 30_000, min: 1 }, "the longest that it may take"),
    Setting::new(
        "on_error",
        Kind::Choice(&["open", "closed"]),
        "`closed` makes it a gate: when it fails, the answer is deny",
    ),
];

/// Keys that only an own hook has.
pub static EXTERNAL_KEYS: [Setting; 5] = [
    Setting::new(
        "type",
        Kind::Choice(&["command", "prompt"]),
        "command: a program; prompt: a question to a model, with the settings of prompt-hook",
    ),
    Setting::new(
        "command",
        Kind::Texts(&[]),
        "the program and its arguments; without it, a file in the hooks folder",
    ),
    Setting::new(
        "background",
        Kind::Bool(false),
        "run it in the background queue: it survives the agent's exit",
    ),
    Setting::new("env", Kind::Free, "environment variables for it"),
    Setting::new("description", Kind::Text(""), "one line for `sprag hooks list`"),
];

/// Keys of `[hooks.<event>]`.
pub static CHAIN_KEYS: [Setting; 3] = [
    Setting::new("scripts", Kind::Texts(&[]), "the event's chain, in order; replaces the preset's chain"),
    Setting::new("prepend", Kind::Texts(&[]), "hooks that run before the preset's chain"),
    Setting::new("append", Kind::Texts(&[]), "hooks that run after the preset's chain"),
];

/// Keys of `[profiles.<name>]`.
pub static PROFILE_KEYS: [Setting; 2] = [
    Setting::new("roots", Kind::Texts(&[]), "projects below these folders belong to the profile"),
    Setting::new("compass", Kind::Text(""), "a document that every session of the profile is given"),
];

/// The section with this name.
pub fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// The variable that overrides a section's key: `SPRAG_LLM_BACKEND`.
pub fn variable(section: &str, key: &str) -> String {
    format!("SPRAG_{section}_{key}").to_ascii_uppercase()
}
