//! `sprag enable|disable NAME…` (and `sprag hooks enable|disable`): bundles and hooks in the user's configuration; comments stay.

use crate::args::event;
use crate::commands::bundles::{self, BundleState};
use crate::commands::project_at;
use anyhow::bail;
use serde_json::{Value, json};
use sprag_config::edit;
use sprag_config::host::Host;
use sprag_config::inventory::{Inventory, Known};
use sprag_config::parse::nearest;
use sprag_config::plan::Mode;
use sprag_config::settings::Choice as _;
use sprag_config::spec::{Bundle, HookSpec};
use sprag_deploy::register;
use sprag_protocol::{AgentId, EventKind};
use sprag_terminal::person::{refuse_inside_agent, require_terminal_or_quiet};
use sprag_terminal::{Out, Problem, Tone};
use std::process::ExitCode;
use toml_edit::DocumentMut;

#[derive(clap::Args)]
pub(crate) struct EnableArgs {
    /// Bundles or hooks
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// For a hook of your own: the event whose chain it joins
    #[arg(long, value_parser = event)]
    event: Vec<EventKind>,
    /// Run the hooks without effect, to see in the journal what they would do
    #[arg(long)]
    shadow: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct DisableArgs {
    /// Bundles or hooks
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn enable(args: &EnableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mode = if args.shadow { Mode::Shadow } else { Mode::Enforce };
    run(&args.names, mode, &args.event, args.json, host, out)
}

pub(crate) fn disable(args: &DisableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    run(&args.names, Mode::Off, &[], args.json, host, out)
}

fn run(
    names: &[String],
    mode: Mode,
    events: &[EventKind],
    as_json: bool,
    host: &Host,
    out: &Out,
) -> anyhow::Result<ExitCode> {
    let before = Inventory::new(host, project_at(host, None));
    for name in names.iter().filter(|name| Bundle::from_name(name).is_none()) {
        check(&before, name, mode, events)?;
    }
    // A hook may approve (allow), and an own one is a program: switching on is a person's word too.
    if mode == Mode::Enforce {
        refuse_inside_agent(host)?;
    } else {
        require_terminal_or_quiet(host)?;
    }
    let changed = write(&before, names, mode, events)?;
    // What is active may differ from what was asked: another file can be stronger.
    let now = Inventory::new(host, project_at(host, None));
    let deploy = mode != Mode::Off && registered(&before) != registered(&now);
    let file = host.paths.config_file();
    if as_json {
        let rows: Vec<Value> = names.iter().map(|name| row(&now, name)).collect::<anyhow::Result<_>>()?;
        out.json(&json!({ "changed": changed, "file": file, "deploy": deploy, "names": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    for name in names {
        out.line(&said(&now, name, out)?);
    }
    let wrote = if changed { "written to" } else { "nothing to change in" };
    out.line(&out.paint(Tone::Dim, &format!("{wrote} {}", host.paths.tilde(&file))));
    if deploy {
        out.line("New events or tools: run `sprag deploy`, so that the agents call sprag for them.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a name that means nothing, and an own hook that has no event.
fn check(inventory: &Inventory<'_>, name: &str, mode: Mode, events: &[EventKind]) -> anyhow::Result<()> {
    let Ok(known) = inventory.find(name) else {
        let all = inventory.all();
        let names = all.iter().map(|known| known.name.as_str()).chain(Bundle::WORDS.iter().copied());
        let hint = match nearest(name, &names.collect::<Vec<_>>()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`sprag bundles` shows the bundles, `sprag hooks list` the hooks".to_owned(),
        };
        bail!(Problem::new(format!("there is no bundle and no hook `{name}`"), hint));
    };
    if mode == Mode::Off || known.builtin.is_some() {
        return Ok(());
    }
    if inventory.places(name).is_empty() && events.is_empty() {
        bail!(Problem::new(
            format!("`{name}` is in no event's chain"),
            format!("say where: sprag enable {name} --event PreToolUse")
        ));
    }
    if inventory.loaded.user_broken {
        bail!(Problem::new(
            "the configuration has errors",
            "run `sprag check` and fix them first; nothing was changed"
        ));
    }
    Ok(())
}

fn write(
    inventory: &Inventory<'_>,
    names: &[String],
    mode: Mode,
    events: &[EventKind],
) -> anyhow::Result<bool> {
    let file = inventory.host.paths.config_file();
    let mut fits = true;
    let changed = edit::edit(&file, |document| {
        let before = document.clone();
        for name in names {
            fits &= match Bundle::from_name(name) {
                Some(bundle) => {
                    switch_bundle(document, inventory, bundle, mode != Mode::Off);
                    mode != Mode::Shadow || shadow_bundle(document, inventory, bundle)
                }
                None => switch_hook(document, inventory, name, mode, events),
            };
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
            "write [hook.<name>] tables, then try again; nothing was changed"
        ));
    }
    Ok(changed)
}

pub(crate) fn switch_bundle(document: &mut DocumentMut, inventory: &Inventory<'_>, bundle: Bundle, on: bool) {
    let preset = inventory.loaded.resolved.preset;
    let root = document.as_table_mut();
    if on {
        edit::remove_from(root, "disable", bundle.name());
        if !preset.bundles().contains(&bundle) {
            edit::push_once(root, "enable", bundle.name());
        }
        return;
    }
    edit::remove_from(root, "enable", bundle.name());
    if inventory.host.hooks.iter().any(|hook| hook.bundle == bundle && hook.is_in(preset)) {
        edit::push_once(root, "disable", bundle.name());
    }
}

/// Hooks of a bundle that is on without effect say so one by one.
fn shadow_bundle(document: &mut DocumentMut, inventory: &Inventory<'_>, bundle: Bundle) -> bool {
    let hooks = inventory.host.hooks.iter().filter(|hook| hook.bundle == bundle && hook.comes_with_bundle());
    hooks.fold(true, |fits, hook| fits & set_mode(document, hook.name, Mode::Shadow))
}

/// False when the file has a form that is not changed safely.
fn switch_hook(
    document: &mut DocumentMut,
    inventory: &Inventory<'_>,
    name: &str,
    mode: Mode,
    events: &[EventKind],
) -> bool {
    let (from, to) = if mode == Mode::Off { ("enable", "disable") } else { ("disable", "enable") };
    edit::remove_from(document.as_table_mut(), from, name);
    let said = ["mode", "enabled"].iter().any(|key| hook_key(document, name, key));
    let mut fits = true;
    if said || mode == Mode::Shadow {
        fits &= set_mode(document, name, mode);
    } else if comes_on(document, inventory, name) != (mode != Mode::Off) {
        edit::push_once(document.as_table_mut(), to, name);
    }
    for kind in events {
        match edit::subtable(document, "hooks", kind.config_name()) {
            // A list that replaces the chain is the chain.
            Some(table) if table.contains_key("scripts") => edit::push_once(table, "scripts", name),
            Some(table) => edit::push_once(table, "append", name),
            None => fits = false,
        }
    }
    fits
}

/// True when the preset or an enabled bundle has the hook on anyway; own hooks are on where a chain names them.
fn comes_on(document: &DocumentMut, inventory: &Inventory<'_>, name: &str) -> bool {
    let listed = |list: &str, word: &str| {
        let list = document.get(list).and_then(|item| item.as_array());
        list.is_some_and(|list| list.iter().any(|entry| entry.as_str() == Some(word)))
    };
    inventory.host.hook(name).is_none_or(|hook: &HookSpec| {
        let bundle = hook.bundle.name();
        let on = hook.is_in(inventory.loaded.resolved.preset)
            || (hook.comes_with_bundle() && listed("enable", bundle))
            || listed("enable", name);
        on && !listed("disable", bundle)
    })
}

fn hook_key(document: &DocumentMut, name: &str, key: &str) -> bool {
    document.get("hook").and_then(|hooks| hooks.get(name)).is_some_and(|hook| hook.get(key).is_some())
}

fn set_mode(document: &mut DocumentMut, name: &str, mode: Mode) -> bool {
    let Some(table) = edit::subtable(document, "hook", name) else { return false };
    table.remove("enabled");
    edit::set_text(table, "mode", mode.name());
    true
}

/// What the agents must be told, as far as it changes with the hooks that are on.
fn registered(inventory: &Inventory<'_>) -> Vec<(String, Option<String>)> {
    let agent = AgentId::CANONICAL;
    let resolved = std::slice::from_ref(&inventory.loaded.resolved);
    let entries = register::registrations(agent, &agent.spec().settings, resolved);
    entries.into_iter().map(|entry| (entry.event, entry.matcher)).collect()
}

fn row(now: &Inventory<'_>, name: &str) -> anyhow::Result<Value> {
    if let Some(bundle) = Bundle::from_name(name) {
        let state = BundleState::of(now, bundle);
        let on: Vec<&str> = state.on().map(|hook| hook.name.as_str()).collect();
        return Ok(json!({ "name": name, "kind": "bundle", "on": state.is_on(), "hooks": on }));
    }
    let hook = now.find(name)?;
    Ok(json!({
        "name": name, "kind": "hook", "on": hook.on, "mode": hook.mode.name(), "why": hook.why,
    }))
}

fn said(now: &Inventory<'_>, name: &str, out: &Out) -> anyhow::Result<String> {
    let Some(bundle) = Bundle::from_name(name) else {
        let Known { name, on, mode, why, .. } = now.find(name)?;
        let state = if on { out.paint(Tone::Good, mode.name()) } else { out.paint(Tone::Warn, "off") };
        return Ok(format!("{name}: {state} ({why})"));
    };
    let state = BundleState::of(now, bundle);
    let names =
        |hooks: Vec<&Known>| hooks.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>().join(", ");
    let on: Vec<&Known> = state.on().collect();
    let mut text = format!("{name}: {}", bundles::word(&state, out));
    if !on.is_empty() {
        text.push_str(&format!(" ({})", names(on)));
    }
    let by_name: Vec<&Known> = state.by_name().filter(|hook| !hook.on).collect();
    if state.is_on() && !by_name.is_empty() {
        text.push_str(&format!("\n  only by name: {}", names(by_name)));
    }
    Ok(text)
}
