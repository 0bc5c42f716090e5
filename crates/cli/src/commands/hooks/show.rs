//! `sprag hooks show`: one hook with its settings, where they come from, and its recent numbers.

use super::list::as_json;
use crate::commands::{project_at, stats};
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::inventory::{Inventory, Known};
use sprag_config::plan::{OnError, Runner};
use sprag_config::schema::{CommonHookSettings, ExternalHookSettings};
use sprag_config::settings::{self, Setting};
use sprag_config::typed;
use sprag_runtime::summary::{self, Numbers};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

/// How far back the numbers go.
const RECENT: Duration = Duration::from_secs(7 * 86_400);

#[derive(clap::Args)]
pub(super) struct ShowArgs {
    /// The hook
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ShowArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let inventory = Inventory::new(host, project_at(host, None));
    let known = inventory.find(&args.name).map_err(|error| Problem::new(&error, error.hint()))?;
    let now = host.clock.now();
    let mut numbers = summary::summarise(&host.paths, now.before(RECENT))
        .unwrap_or_default()
        .hooks
        .remove(&known.name)
        .unwrap_or_default();
    if args.json {
        let mut value = as_json(&known);
        if let Some(map) = value.as_object_mut() {
            map.insert("file".into(), json!(known.file));
            map.insert("page".into(), json!(known.builtin.map(|b| format!("docs/hooks/{}.md", b.name))));
            map.insert("chains".into(), chains_json(&inventory, &known));
            map.insert("settings".into(), settings_json(&inventory, &known));
            map.insert("stats".into(), stats::numbers_json(&mut numbers));
        }
        out.json(&value);
        return Ok(ExitCode::SUCCESS);
    }
    out.heading(&known.name);
    if let Some(builtin) = known.builtin.filter(|builtin| !builtin.summary.is_empty()) {
        out.line(&format!("  {}", builtin.summary));
    }
    let state = if known.on { out.paint(Tone::Good, known.mode.name()) } else { out.paint(Tone::Dim, "off") };
    out.line(&format!("  {state}: {}", known.why));
    if let Some(file) = &known.file {
        out.line(&format!("  file: {}", host.paths.tilde(file)));
    }
    out.line("");
    chains_text(&inventory, &known, out);
    settings_text(&inventory, &known, out);
    numbers_text(&mut numbers, host, out);
    Ok(ExitCode::SUCCESS)
}

/// The settings that a hook may have: its own, then those of every hook.
fn declared(known: &Known) -> Vec<&'static Setting> {
    let own: Vec<&'static Setting> = match (known.builtin, known.behind) {
        (Some(builtin), _) => builtin.settings.iter().collect(),
        (None, Some(behind)) => typed::keys().chain(behind.settings).collect(),
        (None, None) => ExternalHookSettings::SETTINGS.iter().collect(),
    };
    own.into_iter().chain(CommonHookSettings::SETTINGS).collect()
}

/// The default of a setting for this hook: a builtin has a timeout of its own.
fn default_of(known: &Known, setting: &Setting) -> String {
    match (setting.key, known.builtin.or(known.behind)) {
        ("timeout_ms", Some(builtin)) => builtin.timeout_ms.to_string(),
        _ => setting.default_text(),
    }
}

fn chains_json(inventory: &Inventory<'_>, known: &Known) -> Value {
    let places = inventory.places(&known.name);
    places
        .iter()
        .map(|(kind, hook)| {
            let command = match &hook.hook.runner {
                Runner::External { argv, .. } => json!(argv),
                Runner::Builtin | Runner::As { .. } => Value::Null,
            };
            json!({
                "event": kind.name(),
                "matcher": hook.hook.matcher.source(),
                "mode": hook.hook.mode.name(),
                "timeout_ms": hook.hook.timeout_ms,
                "on_error": if hook.hook.on_error == OnError::Closed { "closed" } else { "open" },
                "command": command,
                "why": hook.why,
            })
        })
        .collect()
}

fn chains_text(inventory: &Inventory<'_>, known: &Known, out: &Out) {
    let mut table = Table::new(&["event", "matcher", ">timeout", "why"]);
    let places = inventory.places(&known.name);
    for (kind, hook) in &places {
        table.row(vec![
            (Tone::Plain, kind.name().to_owned()),
            (Tone::Plain, hook.hook.matcher.source().into_owned()),
            (Tone::Plain, format!("{} ms", hook.hook.timeout_ms)),
            (Tone::Dim, hook.why.clone()),
        ]);
    }
    if places.is_empty() {
        let events: Vec<&str> = known.events.iter().map(|kind| kind.name()).collect();
        let could =
            if events.is_empty() { String::new() } else { format!("; it would see {}", events.join(", ")) };
        out.line(&format!("In no chain{could}."));
    } else {
        out.table(&table);
    }
    out.line("");
}

fn settings_json(inventory: &Inventory<'_>, known: &Known) -> Value {
    declared(known)
        .iter()
        .map(|setting| {
            let set = inventory.set_in(&known.name, &[setting.key]);
            json!({
                "key": setting.key,
                "doc": setting.doc,
                "default": default_of(known, setting),
                "value": set.map(|(_, value)| value_json(value)),
                "from": set.map(|(file, _)| file),
            })
        })
        .collect()
}

fn settings_text(inventory: &Inventory<'_>, known: &Known, out: &Out) {
    let mut table = Table::new(&["setting", "value", "from", "what it is"]);
    for setting in declared(known) {
        let set = inventory.set_in(&known.name, &[setting.key]);
        let (value, from) = match set {
            Some((file, value)) => (value_text(value), inventory.host.paths.tilde(file)),
            None => (default_of(known, setting), "default".to_owned()),
        };
        let tone = if set.is_some() { Tone::Strong } else { Tone::Plain };
        table.row(vec![
            (Tone::Plain, setting.key.to_owned()),
            (tone, value),
            (Tone::Dim, from),
            (Tone::Dim, setting.doc.to_owned()),
        ]);
    }
    out.table(&table);
    out.line("");
}

fn numbers_text(numbers: &mut Numbers, host: &Host, out: &Out) {
    let Some(last) = numbers.last else {
        out.line("Not seen in the journal in the last 7 days.");
        return;
    };
    let time = |percent: usize, numbers: &mut Numbers| {
        numbers.percentile(percent).map_or_else(|| "-".to_owned(), |us| when::micros(u64::from(us)))
    };
    let (p50, p95) = (time(50, numbers), time(95, numbers));
    out.line(&format!(
        "Last 7 days: {} runs, p50 {p50}, p95 {p95}, {} blocks, {} asks, {} errors, about {} tokens injected; last {}, {}.",
        numbers.fires,
        numbers.blocks(),
        numbers.ask,
        numbers.errors,
        numbers.tokens(),
        when::ago(host.clock.now(), last),
        numbers.last_verdict,
    ));
    if let Some(error) = &numbers.last_error {
        out.line(&out.paint(Tone::Bad, &format!("Last error: {error}")));
    }
}

/// A configured value as it would stand in the file.
fn value_text(value: &settings::Value) -> String {
    match value {
        settings::Value::Bool(on) => on.to_string(),
        settings::Value::Int(number) => number.to_string(),
        settings::Value::Float(number) => number.to_string(),
        settings::Value::Text(text) => format!("{text:?}"),
        settings::Value::List(items) => {
            format!("[{}]", items.iter().map(value_text).collect::<Vec<_>>().join(", "))
        }
        settings::Value::Table(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key} = {}", value_text(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A configured value as JSON.
fn value_json(value: &settings::Value) -> Value {
    match value {
        settings::Value::Bool(on) => (*on).into(),
        settings::Value::Int(number) => (*number).into(),
        settings::Value::Float(number) => (*number).into(),
        settings::Value::Text(text) => text.as_str().into(),
        settings::Value::List(items) => items.iter().map(value_json).collect(),
        settings::Value::Table(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), value_json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}
