//! `sprag statusline`: one line for agents that show one: model, how full the window is, blocks today, peers, unread lessons.

use serde_json::Value;
use sprag_config::host::Host;
use sprag_coord::liveness;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_lessons::news;
use sprag_project::Project;
use sprag_protocol::agents::AGENTS;
use sprag_runtime::session::Session;
use sprag_runtime::summary::{self, Summary};
use sprag_store::{Opening, SessionRow, Store};
use sprag_terminal::Out;
use sprag_terminal::when;
use sprag_usage::context;
use sprag_usage::limits;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct StatuslineArgs {}

pub(crate) fn run(_args: &StatuslineArgs, host: &Host, out: &Out) -> ExitCode {
    if std::io::stdin().is_terminal() {
        out.error(
            "`sprag statusline` reads an agent's status payload from standard input, and this is a terminal",
            "`sprag statusline --help` shows how to register it; `sprag status` is for people",
        );
        return ExitCode::FAILURE;
    }
    let mut text = String::new();
    // Whatever comes, there is a line: an agent shows an error in its place.
    let _ = std::io::stdin().take(1 << 20).read_to_string(&mut text);
    let payload: Value = serde_json::from_str(&text).unwrap_or_default();
    keep_limits(host, &payload);
    out.line(&line(host, &payload));
    ExitCode::SUCCESS
}

/// Keeps the account's limits for usage-context-awareness, when the user asked for that. The payload does not say whose it is;
/// only an agent that tells limits in this form reads them from it.
fn keep_limits(host: &Host, payload: &Value) {
    let told = AGENTS.iter().map(|agent| (agent.id, (agent.status_line_limits)(payload)));
    let Some((agent, told)) = told.into_iter().find(|(_, told)| !told.is_empty()) else { return };
    if limits::wanted(host, &sprag_hooks::context::usage_context_awareness::HOOK.spec) {
        let _ = limits::keep(host, agent.name(), &told);
    }
}

fn line(host: &Host, payload: &Value) -> String {
    let text = |path: &str| payload.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let mut parts = Vec::new();
    let model = [text("/model/display_name"), text("/model/id"), text("/model")];
    parts.extend(model.into_iter().find(|name| !name.is_empty()).map(str::to_owned));
    parts.extend(context(host, payload).map(|percent| format!("context {percent} %")));
    match blocks(host) {
        0 => {}
        1 => parts.push("1 block today".to_owned()),
        blocks => parts.push(format!("{blocks} blocks today")),
    }
    let folder = [text("/workspace/current_dir"), text("/cwd")].into_iter().find(|path| !path.is_empty());
    match peers(host, folder.unwrap_or_default(), text("/session_id")) {
        0 => {}
        1 => parts.push("1 peer".to_owned()),
        peers => parts.push(format!("{peers} peers")),
    }
    match news::unread(&host.paths) {
        0 => {}
        1 => parts.push("1 unread lesson".to_owned()),
        unread => parts.push(format!("{unread} unread lessons")),
    }
    if parts.is_empty() { "sprag".to_owned() } else { parts.join(" · ") }
}

/// What the agent says, else what was looked up last, else what the transcript says.
fn context(host: &Host, payload: &Value) -> Option<u64> {
    let said = payload.pointer("/context_window/used_percentage").and_then(Value::as_f64);
    said.map(|percent| percent.round() as u64).or_else(|| {
        let session = payload.get("session_id").and_then(Value::as_str)?;
        let known = context::last(&Session::new(&host.paths, session));
        let path = payload.get("transcript_path").and_then(Value::as_str);
        let full = known.or_else(|| context::look(Path::new(path?), host.clock.now()))?;
        Some(full.percent())
    })
}

/// Calls and prompts that were stopped since midnight.
fn blocks(host: &Host) -> u64 {
    let mut today = Summary::default();
    let _ = summary::read_since(&host.paths, when::midnight(host.clock.now()), |entry| today.add(entry));
    today.events.values().map(summary::Numbers::blocks).sum()
}

/// Other live sessions on the project. Without a store, or when it does not answer at once, none.
fn peers(host: &Host, folder: &str, session: &str) -> usize {
    let ask = || -> Option<usize> {
        let setup = Setup::read(host).ok()?;
        let wait = Duration::from_millis(200);
        let mut store =
            Store::open(&setup.target, Opening { wait, connect: wait, tidy: false, ..Opening::LOOK }).ok()?;
        let project = Project::find(folder, &host.env, &host.paths.home).key(&host.machine());
        let peers = store.peers(&project, "", "", micros(host.clock.now())).ok()?;
        let (home, here) = (home_id(host), |peer: &&SessionRow| peer.session != session);
        let gone = |peer: &&SessionRow| peer.home == home && liveness::is_gone(host, &peer.session);
        Some(peers.iter().filter(here).filter(|peer| !gone(peer)).count())
    };
    ask().unwrap_or(0)
}
