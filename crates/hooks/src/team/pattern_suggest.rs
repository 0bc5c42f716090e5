//! pattern-suggest: a prompt that asks for several agents in one of the known ways is answered with the command that starts it.

use sprag_coord::patterns::live::leads;
use sprag_coord::patterns::request::requested;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "pattern-suggest",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "names the command that starts a pattern when a prompt asks for one (\"a jury of three subagents\")",
        sees: &[Sees { kind: EventKind::UserPromptSubmit, matcher: "" }],
        presets: Presets::of(&[Preset::Swarm]),
        settings: &[],
        timeout_ms: 100,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let prompt = event.text("prompt").unwrap_or_default();
    if !event.is_from_user() || event.agent_id.is_some() || prompt.starts_with('/') {
        return Ok(Reply::pass());
    }
    let Some(request) = requested(prompt) else { return Ok(Reply::pass()) };
    // A run that goes on is told of by subagent-start.
    if !leads(event, cx).is_empty() {
        return Ok(Reply::pass());
    }
    let text = format!(
        "This asks for the pattern {}. sprag carries it out (roles, results, the end): run `{}`, then {}. \
         `sprag pattern status RUN` shows where it is.",
        request.kind.name().replace('_', "-"),
        request.command(),
        request.next_step()
    );
    let note =
        Note { key: "pattern-suggest".to_owned(), priority: priority::WARNING, text, repeat: Repeat::Always };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}
