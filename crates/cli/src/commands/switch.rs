//! `sprag enable|disable NAME…` (and `sprag hooks enable|disable`): bundles and hooks in the user's configuration; comments stay.

use crate::args::event;
use crate::commands::bundles;
use crate::commands::loosened::rule_is_off;
use crate::commands::project_at;
use anyhow::bail;
use serde_json::{Value, json};
use sprag_config::bundles::{BundleState, switch_bundle};
use sprag_config::edit;
use sprag_config::host::Host;
use sprag_config::inventory::{Inventory, Known};
use sprag_config::parse::nearest;
use sprag_config::plan::Mode;
use sprag_config::settings::Choice as _;
use sprag_config::spec::{Bundle, Family, HookSpec};
use sprag_deploy::register;
use sprag_protocol::{AgentId, EventKind};
use sprag_terminal::person::{at_terminal, refuse_inside_agent, require_terminal_or_quiet};
use sprag_terminal::{Out, Problem, Tone};
use std::process::ExitCode;
use toml_edit::DocumentMut;

#[derive(clap::Args)]
pub(crate) struct EnableArgs {
    /// Bundles, hooks, or rules of command-guard
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
    /// Bundles, hooks, or rules of command-guard
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Do not ask (from a script, outside of any agent)
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn enable(args: &EnableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mode = if args.shadow { Mode::Shadow } else { Mode::Enforce };
    let wanted = Wanted { names: &args.names, mode, events: &args.event, ask: !args.json, json: args.json };
    run(&wanted, host, out)
}

pub(crate) fn disable(args: &DisableArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let ask = !args.yes && !args.json;
    run(&Wanted { names: &args.names, mode: Mode::Off, events: &[], ask, json: args.json }, host, out)
}

/// What is to be switched, and how.
struct Wanted<'a> {
    names: &'a [String],
    mode: Mode,
    events: &'a [EventKind],
    /// Whether a person at a terminal is asked before a guard goes off.
    ask: bool,
    json: bool,
}

/// True for the name of a rule: a pack, a colon and a word.
fn is_rule(name: &str) -> bool {
    name.contains(':')
}

/// What no longer stops anything when this is off.
fn loss(name: &str, host: &Host) -> Option<String> {
    if Bundle::from_name(name) == Some(Bundle::Guards) {
        return Some("nothing that destroys or leaks is stopped any more".to_owned());
    }
    if is_rule(name) {
        let rule = sprag_rules::all_rules().find(|rule| rule.id == name)?;
        return Some(format!("no longer stopped: {}", rule.reason));
    }
    let hook = host.hook(name).filter(|hook| hook.family == Family::Guard)?;
    Some(format!("no longer: {}", hook.summary))
}

/// A person's yes to what the guards no longer do.
fn agreed(wanted: &Wanted<'_>, host: &Host, out: &Out) -> bool {
    let losses: Vec<(&String, String)> =
        wanted.names.iter().filter_map(|name| Some((name, loss(name, host)?))).collect();
    if wanted.mode == Mode::Enforce || !wanted.ask || losses.is_empty() || !at_terminal() {
        return true;
    }
    for (name, what) in &losses {
        out.line(&format!("  {}  {what}", out.paint(Tone::Strong, name)));
    }
    let how = if wanted.mode == Mode::Off { "off" } else { "to reports only" };
    out.confirm(&format!("Switch {how}, for every project and agent?"))
}

fn run(wanted: &Wanted<'_>, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let Wanted { names, mode, events, .. } = *wanted;
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
    if !agreed(wanted, host, out) {
        out.line("nothing was changed");
        return Ok(ExitCode::FAILURE);
    }
    let changed = write(&before, names, mode, events)?;
    // What is active may differ from what was asked: another file can be stronger.
    let now = Inventory::new(host, project_at(host, None));
    let deploy = mode != Mode::Off && registered(&before) != registered(&now);
    let file = host.paths.config_file();
    if wanted.json {
        let rows: Vec<Value> = names.iter().map(|name| row(&now, name)).collect::<anyhow::Result<_>>()?;
        out.json(&json!({ "changed": changed, "file": file, "deploy": deploy, "names": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    for name in names {
        out.line(&said(&before, &now, name, out)?);
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
    if is_rule(name) {
        return check_rule(name, mode);
    }
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

/// Refuses a rule that is none, or that cannot be switched.
fn check_rule(name: &str, mode: Mode) -> anyhow::Result<()> {
    let Some(rule) = sprag_rules::all_rules().find(|rule| rule.id == name) else {
        let rules: Vec<&str> = sprag_rules::all_rules().map(|rule| rule.id).collect();
        let hint = match nearest(name, &rules) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`sprag guard rules` lists those of command-guard; others go with their hook".to_owned(),
        };
        bail!(Problem::new(format!("there is no rule `{name}`"), hint));
    };
    if mode == Mode::Shadow {
        bail!(Problem::new(
            "a rule is on or off",
            "`sprag enable command-guard --shadow` lets the whole hook only report; nothing was changed"
        ));
    }
    if mode == Mode::Off && rule.pack() == "self-protection" {
        bail!(Problem::new(
            format!("`{name}` is always on: the guards guard themselves"),
            "do it yourself, in a terminal of your own, if it is what you want"
        ));
    }
    Ok(())
}

/// Switches a rule of command-guard. False when the file has a form that is not changed safely.
fn switch_rule(document: &mut DocumentMut, rule: &str, on: bool) -> bool {
    const LIST: &str = "disabled_rules";
    let listed = document.get("hook").and_then(|hooks| hooks.get("command-guard"));
    if on && listed.and_then(|hook| hook.get(LIST)).is_none() {
        return true;
    }
    let Some(table) = edit::subtable(document, "hook", "command-guard") else { return false };
    if on {
        edit::remove_from(table, LIST, rule);
        if table.get(LIST).and_then(|item| item.as_array()).is_some_and(toml_edit::Array::is_empty) {
            table.remove(LIST);
        }
    } else {
        edit::push_once(table, LIST, rule);
    }
    true
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
                _ if is_rule(name) => switch_rule(document, name, mode != Mode::Off),
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
    if is_rule(name) {
        return Ok(json!({ "name": name, "kind": "rule", "on": !rule_is_off(now.host, name) }));
    }
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

fn said(before: &Inventory<'_>, now: &Inventory<'_>, name: &str, out: &Out) -> anyhow::Result<String> {
    if is_rule(name) {
        let (tone, state) =
            if rule_is_off(now.host, name) { (Tone::Warn, "off") } else { (Tone::Good, "on") };
        return Ok(format!("{name}: {} (a rule of command-guard)", out.paint(tone, state)));
    }
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
    let on_now = state.on().count();
    let by_name: Vec<&Known> = state.by_name().filter(|hook| !hook.on).collect();
    let first = by_name.first().map(|hook| hook.name.clone());
    if state.is_on() && !by_name.is_empty() {
        let same = BundleState::of(before, bundle).on().count() == on_now;
        let news = if same { "no hook came on with this; " } else { "" };
        text.push_str(&format!("\n  {news}only by name: {}", names(by_name)));
        if let Some(first) = first {
            text.push_str(&format!(" (`sprag enable {first}`)"));
        }
    }
    Ok(text)
}
