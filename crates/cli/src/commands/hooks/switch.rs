//! `sprag hooks enable|disable`: changes to the user's configuration; comments stay.

use super::inventory::{Inventory, Known};
use crate::args::event;
use crate::commands::project_at;
use crate::guarded::refuse_inside_agent;
use crate::ui::{Out, Problem, Tone};
use anyhow::bail;
use serde_json::json;
use sprag_config::edit;
use sprag_config::host::Host;
use sprag_protocol::EventKind;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(super) struct EnableArgs {
    /// The hook
    name: String,
    /// For a hook of your own: the event whose chain it joins
    #[arg(long, value_parser = event)]
    event: Vec<EventKind>,
    /// Run it without effect, to see in the journal what it would do
    #[arg(long)]
    shadow: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct DisableArgs {
    /// The hook
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn enable(args: &EnableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let inventory = Inventory::new(host, project_at(host, None));
    let known = inventory.find(&args.name)?;
    // A hook may approve (allow), and an own one is a program: switching on is a person's word too.
    refuse_inside_agent(host)?;
    if known.builtin.is_none() && inventory.places(&known.name).is_empty() && args.event.is_empty() {
        bail!(Problem::new(
            format!("`{0}` is in no event's chain", known.name),
            format!("say where: sprag hooks enable {0} --event PreToolUse", known.name)
        ));
    }
    if known.builtin.is_none() && inventory.loaded.user_broken {
        bail!(Problem::new(
            "the configuration has errors",
            "run `sprag check` and fix them first; nothing was changed"
        ));
    }
    let mode = if args.shadow { "shadow" } else { "enforce" };
    let changed = set_mode(host, &known.name, mode, &args.event)?;
    report(host, &known, changed, args.json, out)
}

pub(super) fn disable(args: &DisableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let inventory = Inventory::new(host, project_at(host, None));
    let known = inventory.find(&args.name)?;
    refuse_inside_agent(host)?;
    let changed = set_mode(host, &known.name, "off", &[])?;
    report(host, &known, changed, args.json, out)
}

fn set_mode(host: &Host, name: &str, mode: &str, events: &[EventKind]) -> anyhow::Result<bool> {
    let file = host.paths.config_file();
    let mut fits = true;
    let changed = edit::edit(&file, |document| {
        let before = document.clone();
        match edit::subtable(document, "hook", name) {
            Some(table) => {
                table.remove("enabled");
                edit::set_text(table, "mode", mode);
            }
            None => fits = false,
        }
        for kind in events {
            match edit::subtable(document, "hooks", kind.config_name()) {
                // A list that replaces the chain is the chain.
                Some(table) if table.contains_key("scripts") => edit::push_once(table, "scripts", name),
                Some(table) => edit::push_once(table, "append", name),
                None => fits = false,
            }
        }
        if !fits {
            // All or nothing.
            *document = before;
        }
    })?;
    if !fits {
        bail!(Problem::new(
            format!(
                "{} writes `hook` or `hooks` in a form that is not changed safely (an inline table)",
                file.display()
            ),
            format!("set mode = \"{mode}\" under [hook.{name}] by hand")
        ));
    }
    Ok(changed)
}

/// Says what is active now, which may differ from what was asked: another file can be stronger.
fn report(host: &Host, before: &Known, changed: bool, as_json: bool, out: &Out) -> anyhow::Result<ExitCode> {
    let now = Inventory::new(host, project_at(host, None)).find(&before.name)?;
    let file = host.paths.config_file();
    if as_json {
        out.json(&json!({
            "name": now.name, "changed": changed, "file": file,
            "on": now.on, "mode": now.mode.name(), "why": now.why,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let state = if now.on { out.paint(Tone::Good, now.mode.name()) } else { out.paint(Tone::Warn, "off") };
    let wrote = if changed {
        format!("written to {}", host.paths.tilde(&file))
    } else {
        "nothing to change".to_owned()
    };
    out.line(&format!("{}: {state} ({}); {wrote}", now.name, now.why));
    if now.events.iter().any(|kind| !before.events.contains(kind)) || now.on != before.on {
        out.line(
            &out.paint(Tone::Dim, "If this event had no hooks before, run `sprag deploy` to register it."),
        );
    }
    Ok(ExitCode::SUCCESS)
}
