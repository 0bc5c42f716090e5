//! What is registered in the agents' own files: the commands there that run `sprag hook`.

use crate::installed::agent_env;
use crate::{Command, Entry};
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::agents::files::{AgentFiles, Scope};
use sprag_protocol::{AgentId, EventKind, dialects};
use std::path::PathBuf;

/// What one file of an agent registers.
#[derive(Debug)]
pub struct RegisteredFile {
    /// The agent.
    pub agent: AgentId,
    /// Its file.
    pub file: PathBuf,
    /// The events, by their canonical names.
    pub events: Vec<&'static str>,
    /// The program that the first of our entries starts.
    pub exe: Option<PathBuf>,
    /// That entry.
    pub entry: Option<Entry>,
    /// Why the file could not be looked at.
    pub fault: Option<String>,
}

/// Every file of every agent that registers sprag, or that cannot be read.
pub fn registered(host: &Host, project: &Project) -> Vec<RegisteredFile> {
    let mut found: Vec<RegisteredFile> = Vec::new();
    for agent in AgentId::ALL {
        let files = &agent.spec().settings;
        for (scope, _) in files.files {
            let Ok(path) = files.path(*scope, &agent_env(host, project, *scope)) else { continue };
            // In the home, the project's file is the user's.
            if !found.iter().any(|known| known.agent == agent && known.file == path) {
                found.extend(in_file(host, agent, files, *scope, path));
            }
        }
    }
    found
}

fn in_file(
    host: &Host,
    agent: AgentId,
    files: &AgentFiles,
    scope: Scope,
    path: PathBuf,
) -> Option<RegisteredFile> {
    let expected = host.exe.as_ref().map(|exe| Command::hook(exe, agent.name()));
    let found = |events, entry: Option<Entry>, fault| {
        let exe = entry.as_ref().map(|entry| entry.exe.clone());
        Some(RegisteredFile { agent, file: path.clone(), events, exe, entry, fault })
    };
    match crate::status(files, &path, expected.as_ref()) {
        Ok(status) => {
            let native = status.entries.iter().map(|entry| entry.event.as_str());
            // An agent may read hooks from a TOML file too, in the user's scope.
            let elsewhere = status.elsewhere.iter().map(String::as_str).filter(|_| scope == Scope::User);
            let mut events: Vec<&'static str> = Vec::new();
            for kind in native.chain(elsewhere).map(|name| dialects::of(agent).kind_of(name)) {
                if kind != EventKind::Unknown && !events.contains(&kind.name()) {
                    events.push(kind.name());
                }
            }
            if events.is_empty() && status.entries.is_empty() {
                None
            } else {
                found(events, status.entries.into_iter().next(), None)
            }
        }
        Err(error) => found(Vec::new(), None, Some(format!("{error}; {}", error.hint()))),
    }
}
