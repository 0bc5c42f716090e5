//! What is registered in the agents' own files: the commands there that run `sprag hook`.
//! The one place that knows how it is found out, so that `doctor` does not.

use crate::installed::settings_folder;
use serde_json::Value;
use sprag_engine::host::Host;
use sprag_engine::project::Project;
use sprag_protocol::{AgentId, EventKind, dialects};
use std::path::{Path, PathBuf};

/// What one file of an agent registers.
pub(super) struct Registered {
    pub(super) agent: AgentId,
    pub(super) file: PathBuf,
    /// The events, by their canonical names.
    pub(super) events: Vec<&'static str>,
    /// The program that the first of our entries starts.
    pub(super) exe: Option<PathBuf>,
    /// Why the file could not be looked at.
    pub(super) fault: Option<String>,
}

/// The files in which an agent may have hooks: the user's, then the project's.
fn files(host: &Host, project: &Project, agent: AgentId) -> Vec<PathBuf> {
    let (folder, names): (&str, &[&str]) = match agent {
        AgentId::Claude => (".claude", &["settings.json", "settings.local.json"]),
        AgentId::Codex => (".codex", &["hooks.json"]),
        AgentId::Gemini => (".gemini", &["settings.json"]),
        AgentId::Qwen => (".qwen", &["settings.json"]),
    };
    let user = settings_folder(host, agent);
    let own = project.root.join(folder);
    let folders = [user.clone(), own];
    let mut found: Vec<PathBuf> =
        folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect();
    // In the home, both are one file.
    found.dedup_by(|a, b| a == b);
    found.sort();
    found.dedup();
    found
}

/// Every file of every agent that registers sprag, or that cannot be read.
pub(super) fn registered(host: &Host, project: &Project) -> Vec<Registered> {
    let mut found = Vec::new();
    for agent in AgentId::ALL {
        for file in files(host, project, agent) {
            let Ok(bytes) = std::fs::read(&file) else { continue };
            match serde_json::from_slice::<Value>(&bytes) {
                Ok(settings) => found.extend(in_settings(agent, &file, &settings)),
                Err(error) => found.push(Registered {
                    agent,
                    file,
                    events: Vec::new(),
                    exe: None,
                    fault: Some(format!("is not plain JSON (line {}): {error}", error.line())),
                }),
            }
        }
    }
    found
}

/// The entries of ours in `hooks.<event>[].hooks[]`, which all the agents share.
fn in_settings(agent: AgentId, file: &Path, settings: &Value) -> Option<Registered> {
    let mut events = Vec::new();
    let mut exe = None;
    for (native, groups) in settings.get("hooks")?.as_object()? {
        let groups = groups.as_array().into_iter().flatten();
        let handlers = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
        for program in handlers.filter_map(program_of) {
            let kind = dialects::of(agent).kind_of(native);
            if kind != EventKind::Unknown && !events.contains(&kind.name()) {
                events.push(kind.name());
            }
            exe.get_or_insert(program);
        }
    }
    exe.is_some().then(|| Registered { agent, file: file.to_path_buf(), events, exe, fault: None })
}

/// The program of an entry, when it is sprag and does `hook`.
fn program_of(handler: &Value) -> Option<PathBuf> {
    let command = handler.get("command")?.as_str()?;
    let (program, verb) = if let Some(args) = handler.get("args").and_then(Value::as_array) {
        (command.to_owned(), args.first()?.as_str()?.to_owned())
    } else {
        let (program, rest) = first_word(command)?;
        (program, rest.split_whitespace().next()?.to_owned())
    };
    let path = PathBuf::from(program);
    (path.file_stem()? == "sprag" && verb == "hook").then_some(path)
}

/// The first word of a shell command, and what follows it.
fn first_word(command: &str) -> Option<(String, &str)> {
    let command = command.trim_start();
    match command.chars().next()? {
        quote @ ('\'' | '"') => {
            let (word, rest) = command.get(1..)?.split_once(quote)?;
            Some((word.to_owned(), rest))
        }
        _ => command.split_once(' ').map(|(word, rest)| (word.to_owned(), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn our_entries_are_known_in_every_form() {
        for (entry, ours) in [
            (json!({"command": "/opt/sprag", "args": ["hook", "--agent", "claude"]}), true),
            (json!({"command": "'/my tools/sprag' hook --agent gemini"}), true),
            (json!({"command": "sprag hook"}), true),
            (json!({"command": "/opt/sprag statusline"}), false),
            (json!({"command": "sprag"}), false),
            (json!({"command": "echo sprag hook"}), false),
            (json!({"type": "prompt", "prompt": "sprag hook"}), false),
            (json!({"command": 3}), false),
        ] {
            assert_eq!(program_of(&entry).is_some(), ours, "{entry}");
        }
        let settings = json!({"hooks": {
            "BeforeTool": [{"hooks": [{"command": "x"}, {"command": "/opt/sprag hook"}]}],
            "AfterTool": [{"matcher": "*"}, 7],
        }});
        let found = in_settings(AgentId::Gemini, Path::new("f"), &settings).unwrap();
        assert_eq!(found.events, ["PreToolUse"]);
        assert!(in_settings(AgentId::Gemini, Path::new("f"), &json!({"hooks": []})).is_none());
    }
}
