//! `sprag hook`: the hot path. Payload on standard input, answer on standard output, exit code 0.

use sprag_config::host::Host;
use sprag_deploy::installed::on_path;
use sprag_deploy::{Scope, agent_env, register};
use sprag_project::Project;
use sprag_protocol::decode::{MAX_PAYLOAD, decode};
use sprag_protocol::{AgentId, Event, dialects};
use sprag_runtime::dispatch::dispatch;
use sprag_runtime::{once, panics};
use sprag_terminal::Problem;
use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Runs the hook. `None` when the words are not its own (`--help`): the argument parser knows what to say.
pub(crate) fn main(words: &[OsString]) -> Option<ExitCode> {
    let (words, elsewhere): (&[OsString], &[Scope]) = match words {
        [words @ .., flag, scope] if flag == "--scope" && scope == "project" => (words, &[Scope::User]),
        [words @ .., flag, scope] if flag == "--scope" && scope == "plugin" => (words, &Scope::ALL),
        words => (words, &[]),
    };
    let agent = match words {
        [] => None,
        [flag, name] if flag == "--agent" => known_agent(name.to_str()?)?,
        [word] => known_agent(word.to_str()?.strip_prefix("--agent=")?)?,
        _ => return None,
    };
    // An agent writes a payload; a person at a terminal is told what this is for, instead of waiting.
    if std::io::stdin().is_terminal() {
        return None;
    }
    panics::silence();
    let mut payload = Vec::with_capacity(16 * 1024);
    // One byte over the limit tells a payload that is too large from one that just fits; the rest is read
    // and thrown away, because an agent that cannot write its payload may take that for a failure.
    let limit = MAX_PAYLOAD as u64 + 1;
    let mut stdin = std::io::stdin().lock();
    let _ = stdin.by_ref().take(limit).read_to_end(&mut payload);
    if payload.len() as u64 == limit {
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    }
    let host = Host::of_process(&sprag_hooks::SPECS);
    let elsewhere =
        if elsewhere.is_empty() && is_foreign_file(&host, agent) { &[Scope::User] } else { elsewhere };
    if !elsewhere.is_empty() && is_answered(&host, &payload, agent, elsewhere) {
        return Some(ExitCode::SUCCESS);
    }
    let answer = dispatch(&host, sprag_hooks::BUILTINS, &payload, agent);
    if let Some(text) = answer.stdout {
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
    // Some agents take no other word for a denial; everything else ends with 0.
    Some(match answer.refusal {
        Some(reason) => {
            let _ = std::io::stderr().lock().write_all(format!("{reason}\n").as_bytes());
            ExitCode::from(2)
        }
        None => ExitCode::SUCCESS,
    })
}

/// What a person is told who runs this at a terminal, or with an unknown agent.
pub(crate) fn not_for_people(agent: &str) -> Problem {
    let example = match agent_of(agent) {
        Some(known) => known.unwrap_or(AgentId::CANONICAL),
        None => {
            return Problem::new(
                format!("unknown agent `{agent}`"),
                format!("one of: auto, {}", AgentId::names()),
            );
        }
    };
    Problem::new(
        "`sprag hook` answers one event of an agent: it reads the payload from standard input, and this is a terminal",
        format!(
            "`sprag deploy` registers it with your agents; by hand: sprag hook --agent {} < payload.json",
            example.name()
        ),
    )
}

/// True when an agent runs a registration in another agent's file.
fn is_foreign_file(host: &Host, named: Option<AgentId>) -> bool {
    let called = |name: &str| host.env.get(name).is_some();
    named == Some(AgentId::CANONICAL)
        && dialects::readers().any(|spec| spec.process.variables.iter().any(|name| called(name)))
}

/// True when another registration answers this event: the agent starts all of them, and one answer is enough. The agent's own
/// settings come first; among the others, the first process.
#[cold]
fn is_answered(host: &Host, payload: &[u8], agent: Option<AgentId>, scopes: &[Scope]) -> bool {
    let Ok(event) = decode(payload, agent, &|name| host.env.get(name)) else { return false };
    is_registered(host, &event, scopes) || once::is_second(host, &event)
}

/// True when the agent's own settings in one of these scopes register sprag for this event.
fn is_registered(host: &Host, event: &Event, scopes: &[Scope]) -> bool {
    let files = &event.agent.spec().settings;
    let project = if scopes == [Scope::User] {
        Project::default()
    } else {
        Project::find(&event.cwd, &host.env, &host.paths.home)
    };
    scopes.iter().any(|scope| {
        let path = files.path(*scope, &agent_env(host, &project, *scope)).ok();
        let entries = path.and_then(|path| sprag_deploy::status(files, &path, None).ok());
        // A shared file's `sprag` may be on nobody's PATH: then it answers nothing.
        let is_there = |exe: &Path| exe.is_absolute() || on_path(host, &exe.to_string_lossy()).is_some();
        let mut entries = entries.into_iter().flat_map(|status| status.entries);
        entries.any(|entry| is_there(&entry.exe) && register::covers(&entry, event))
    })
}

/// `Some(None)` is `auto`; `None` is a name that is no agent.
/// The agent of a hook. At a terminal, the argument parser says that there is none of this name; an agent that calls itself
/// so is answered as any other, because its calls must not pass by the guards.
fn known_agent(name: &str) -> Option<Option<AgentId>> {
    let known = agent_of(name);
    if known.is_none() && !std::io::stdin().is_terminal() {
        let names = AgentId::names();
        let note = format!("sprag hook: unknown agent `{name}` (one of: auto, {names}); read as `auto`\n");
        let _ = std::io::stderr().write_all(note.as_bytes());
        return Some(None);
    }
    known
}

fn agent_of(name: &str) -> Option<Option<AgentId>> {
    match name {
        "auto" => Some(None),
        name => AgentId::from_name(name).map(Some),
    }
}
