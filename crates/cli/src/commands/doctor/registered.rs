//! What is registered in the agents' own files: the commands there that run `sprag hook`.
//! The one place that knows how it is found out, so that `doctor` does not.

use crate::commands::deploy::places;
use sprag_config::host::Host;
use sprag_deploy::{AgentFiles, Command, Entry, Scope};
use sprag_project::Project;
use sprag_protocol::{AgentId, EventKind, dialects};
use std::path::PathBuf;

/// What one file of an agent registers.
pub(crate) struct Registered {
    pub(crate) agent: AgentId,
    pub(crate) file: PathBuf,
    /// The events, by their canonical names.
    pub(crate) events: Vec<&'static str>,
    /// The program that the first of our entries starts.
    pub(crate) exe: Option<PathBuf>,
    /// That entry.
    pub(crate) entry: Option<Entry>,
    /// Why the file could not be looked at.
    pub(crate) fault: Option<String>,
}

/// Every file of every agent that registers sprag, or that cannot be read.
pub(crate) fn registered(host: &Host, project: &Project) -> Vec<Registered> {
    let mut found: Vec<Registered> = Vec::new();
    for agent in AgentId::ALL {
        let files = &agent.spec().settings;
        for (scope, _) in files.files {
            let Ok(path) = files.path(*scope, &places(host, project, *scope)) else { continue };
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
) -> Option<Registered> {
    let expected = host.exe.as_ref().map(|exe| Command::hook(exe, agent.name()));
    let found = |events, entry: Option<Entry>, fault| {
        let exe = entry.as_ref().map(|entry| entry.exe.clone());
        Some(Registered { agent, file: path.clone(), events, exe, entry, fault })
    };
    match sprag_deploy::status(files, &path, expected.as_ref()) {
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
