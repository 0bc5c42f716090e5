//! `sprag hooks order`: the active hooks, with what the runtime itself does on an event.

use crate::args::event;
use crate::commands::project_at;
use serde_json::json;
use sprag_config::ResolvedHook;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::plan::{Mode, OnError, PlannedHook, Runner, deadline};
use sprag_protocol::EventKind;
use sprag_protocol::kind::ChainEnd;
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct OrderArgs {
    /// Only this event (`SessionStart` or `session_start`)
    #[arg(long, value_parser = event)]
    event: Option<EventKind>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the runtime does on an event besides the hooks.
fn runtime(kind: EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::StopFailure => &["recovery begins: hooks that add tokens stay silent, guards still run"],
        EventKind::UserPromptSubmit => &["recovery ends"],
        EventKind::Stop => &["recovery ends, the turn was a success"],
        EventKind::SessionStart => &[
            "failures since the last session and faults of the configuration are told to the user",
            "after compact and clear, notes may be said again",
        ],
        _ => &[],
    }
}

fn deadline_of(kind: EventKind, chain: &[ResolvedHook]) -> Duration {
    let hooks: Vec<PlannedHook> =
        chain.iter().map(|hook| hook.hook.clone()).filter(|hook| hook.mode != Mode::Off).collect();
    deadline(kind, &hooks)
}

pub(super) fn run(args: &OrderArgs, host: &Host, out: &Out) -> ExitCode {
    let inventory = Inventory::new(host, project_at(host, None));
    let resolved = &inventory.loaded.resolved;
    let chain = |kind: EventKind| {
        resolved
            .chains
            .iter()
            .find(|(event, _)| *event == kind)
            .map_or(&[][..], |(_, chain)| chain.as_slice())
    };
    let events: Vec<EventKind> = match args.event {
        Some(kind) => vec![kind],
        None => EventKind::ALL
            .iter()
            .copied()
            .filter(|kind| !chain(*kind).is_empty() || !runtime(*kind).is_empty())
            .collect(),
    };
    if args.json {
        let rows: Vec<_> = events.iter().map(|kind| event_json(*kind, chain(*kind))).collect();
        out.json(&json!({ "preset": resolved.preset.name(), "events": rows }));
        return ExitCode::SUCCESS;
    }
    for kind in events {
        event_text(kind, chain(kind), out);
    }
    out.line(&out.paint(
        Tone::Dim,
        "With SPRAG_NESTED=1 nothing runs (a model call of sprag itself); SPRAG_DISABLE=name,name skips hooks for one run.",
    ));
    ExitCode::SUCCESS
}

fn event_json(kind: EventKind, chain: &[ResolvedHook]) -> serde_json::Value {
    let hooks: Vec<_> = chain
        .iter()
        .enumerate()
        .map(|(at, ResolvedHook { hook, why })| {
            json!({
                "place": at + 1,
                "hook": hook.name,
                "kind": kind_of(hook),
                "matcher": hook.matcher.source(),
                "mode": hook.mode.name(),
                "on_error": if hook.on_error == OnError::Closed { "closed" } else { "open" },
                "timeout_ms": hook.timeout_ms,
                "why": why,
            })
        })
        .collect();
    json!({
        "event": kind.name(),
        "config": kind.config_name(),
        "deadline_ms": deadline_of(kind, chain).as_millis() as u64,
        "first_deny_ends": kind.facts().end == ChainEnd::FirstDeny,
        "hooks": hooks,
        "runtime": runtime(kind),
    })
}

fn kind_of(hook: &PlannedHook) -> &str {
    match &hook.runner {
        Runner::Builtin => "builtin",
        Runner::As { builtin } => builtin,
        Runner::External { background: false, .. } => "external",
        Runner::External { background: true, .. } => "background",
    }
}

fn event_text(kind: EventKind, chain: &[ResolvedHook], out: &Out) {
    let ends = match kind.facts().end {
        ChainEnd::FirstDeny => "the first deny ends it",
        ChainEnd::AllRun => "all run",
    };
    let limit = format!("deadline {} s, {ends}", deadline_of(kind, chain).as_secs());
    out.line(&format!(
        "{}  {}",
        out.paint(Tone::Strong, kind.name()),
        out.paint(Tone::Dim, &format!("[hooks.{}]  {limit}", kind.config_name()))
    ));
    for what in runtime(kind) {
        out.line(&format!("  {} {what}", out.paint(Tone::Dim, "sprag itself:")));
    }
    if chain.is_empty() {
        out.line(&out.paint(Tone::Dim, "  no hooks"));
    } else {
        let mut table = Table::new(&["  #", "hook", "matcher", "mode", ">timeout", "why"]);
        for (at, ResolvedHook { hook, why }) in chain.iter().enumerate() {
            let gate = if hook.on_error == OnError::Closed { ", gate" } else { "" };
            let tone = if hook.mode == Mode::Off { Tone::Dim } else { Tone::Plain };
            let mode = match hook.mode {
                Mode::Off => Tone::Dim,
                Mode::Shadow => Tone::Warn,
                Mode::Enforce => Tone::Good,
            };
            table.row(vec![
                (Tone::Dim, format!("{:>3}", at + 1)),
                (tone, hook.name.clone()),
                (tone, hook.matcher.source().into_owned()),
                (mode, format!("{}{gate}", hook.mode.name())),
                (tone, format!("{} ms", hook.timeout_ms)),
                (Tone::Dim, why.clone()),
            ]);
        }
        out.table(&table);
    }
    out.line("");
}
