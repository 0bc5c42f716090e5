//! `sprag hooks list`.

use crate::commands::project_at;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::inventory::{Inventory, Known};
use sprag_config::plan::Mode;
use sprag_config::spec::Preset;
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `list` and `show` say about a hook alike.
pub(super) fn as_json(known: &Known) -> Value {
    json!({
        "name": known.name,
        "kind": match (known.builtin, known.behind) {
            (Some(_), _) => "builtin",
            (None, Some(behind)) => behind.name,
            (None, None) => "external",
        },
        "family": known.builtin.map(|builtin| builtin.family.name()),
        "bundle": known.builtin.map(|builtin| builtin.bundle.name()),
        "summary": known.builtin.map_or("", |builtin| builtin.summary),
        "events": known.events.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "presets": presets(known).map(Preset::name).collect::<Vec<_>>(),
        "mode": known.mode.name(),
        "on": known.on,
        "why": known.why,
    })
}

/// The presets that have a hook on.
fn presets(known: &Known) -> impl Iterator<Item = Preset> {
    let builtin = known.builtin;
    Preset::ALL.into_iter().filter(move |preset| builtin.is_some_and(|builtin| builtin.is_in(*preset)))
}

/// The presets in a column: a letter each.
fn letters(known: &Known) -> String {
    let letter = |preset| match preset {
        Preset::Minimal => 'm',
        Preset::Standard => 's',
        Preset::Strict => 'x',
        Preset::Swarm => 'w',
    };
    presets(known).map(letter).collect()
}

pub(super) fn run(args: &ListArgs, host: &Host, out: &Out) -> ExitCode {
    let inventory = Inventory::new(host, project_at(host, None));
    let all = inventory.all();
    if args.json {
        out.json(&json!({
            "preset": inventory.loaded.resolved.preset.name(),
            "hooks": all.iter().map(as_json).collect::<Vec<_>>(),
        }));
        return ExitCode::SUCCESS;
    }
    // A name is of use only whole: where there is no room, the last columns go.
    let wide = out.width() >= WIDE;
    let mut columns = vec!["hook", "mode", "bundle", "events"];
    columns.extend(["presets", "why"].iter().filter(|_| wide));
    let mut table = Table::new(&columns);
    for known in &all {
        let (tone, mode) = match (known.on, known.mode) {
            (false, _) => (Tone::Dim, "off"),
            (true, Mode::Shadow) => (Tone::Warn, "shadow"),
            (true, _) => (Tone::Good, "on"),
        };
        let events: Vec<&str> = known.events.iter().map(|kind| kind.name()).collect();
        let mut row = vec![
            (if known.on { Tone::Strong } else { Tone::Dim }, known.name.clone()),
            (tone, mode.to_owned()),
            (Tone::Plain, known.builtin.map_or("own", |builtin| builtin.bundle.name()).to_owned()),
            (Tone::Plain, short(&events, if wide { 2 } else { 1 })),
        ];
        if wide {
            row.extend([(Tone::Plain, letters(known)), (Tone::Dim, known.why.clone())]);
        }
        table.row(row);
    }
    out.table(&table);
    let on = all.iter().filter(|known| known.on).count();
    out.line(&out.paint(
        Tone::Dim,
        &format!(
            "{on} of {} on, preset {}. {}`sprag hooks show NAME` says more.",
            all.len(),
            inventory.loaded.resolved.preset,
            if wide { "Presets: m minimal, s standard, x strict, w swarm. " } else { "" }
        ),
    ));
    if let Some(trial) = inventory.loaded.resolved.trial.filter(|trial| trial.is_on(host.clock.now())) {
        out.line(&format!("Trial until {}: nothing is stopped (`sprag trial`).", trial.last_day()));
    }
    if !inventory.loaded.errors.is_empty() {
        out.note("The configuration has errors: `sprag check`.");
    }
    ExitCode::SUCCESS
}

/// Columns from which on the table has room for all of it.
const WIDE: usize = 120;

/// The first events by name, the others by number: a table stays readable.
fn short(events: &[&str], named: usize) -> String {
    let first = events.iter().take(named).copied().collect::<Vec<_>>().join(", ");
    match events.len().saturating_sub(named) {
        0 => first,
        more => format!("{first}, +{more}"),
    }
}
