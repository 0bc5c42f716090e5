//! `sprag bundles`: what each bundle does, costs and stores, and whether it is on.

use crate::commands::project_at;
use serde_json::json;
use sprag_config::bundles::BundleState;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::spec::HookSpec;
use sprag_runtime::summary::{self, Summary};
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct BundlesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How far back costs are measured.
const RECENT: Duration = Duration::from_secs(7 * 86_400);
/// Fewer calls say nothing about what a call costs.
const ENOUGH_CALLS: u64 = 50;

/// Columns from which on the table has room for sentences.
const WIDE: usize = 140;

/// Its state in its colour.
pub(crate) fn word(state: &BundleState, out: &Out) -> String {
    out.paint(tone(state), state.state())
}

fn tone(state: &BundleState) -> Tone {
    match state.state() {
        "on" => Tone::Good,
        "part" => Tone::Warn,
        _ => Tone::Dim,
    }
}

/// What a bundle costs.
struct Cost {
    /// Added to a tool call.
    ms_per_call: f64,
    /// Put before the model in a session.
    tokens_per_session: u64,
    /// On this machine, not in a recorded session.
    measured: bool,
}

fn cost(state: &BundleState, recent: &Summary) -> Cost {
    let fires = |event: &str| recent.events.get(event).map_or(0, |numbers| numbers.fires);
    let (calls, sessions) = (fires("PreToolUse"), fires("SessionStart"));
    let facts = state.bundle.facts();
    let ran: Vec<_> = state.hooks.iter().filter_map(|hook| recent.hooks.get(&hook.name)).collect();
    if calls < ENOUGH_CALLS || sessions == 0 || ran.is_empty() {
        let tokens_per_session = u64::from(facts.tokens_per_session);
        return Cost { ms_per_call: facts.ms_per_call, tokens_per_session, measured: false };
    }
    let micros: u64 = ran.iter().map(|numbers| numbers.total_micros()).sum();
    let tokens: u64 = ran.iter().map(|numbers| numbers.tokens()).sum();
    Cost {
        ms_per_call: micros as f64 / 1_000.0 / calls as f64,
        tokens_per_session: tokens / sessions,
        measured: true,
    }
}

pub(crate) fn run(args: &BundlesArgs, host: &Host, out: &Out) -> ExitCode {
    let inventory = Inventory::new(host, project_at(host, None));
    let recent = summary::summarise(&host.paths, host.clock.now().before(RECENT)).unwrap_or_default();
    let states = BundleState::all(&inventory);
    let resolved = &inventory.loaded.resolved;
    let trial = resolved.trial.filter(|trial| trial.is_on(host.clock.now()));
    if args.json {
        let rows: Vec<_> = states
            .iter()
            .map(|state| {
                let (facts, cost) = (state.bundle.facts(), cost(state, &recent));
                let hooks: Vec<_> = state
                    .hooks
                    .iter()
                    .map(|hook| {
                        json!({
                            "name": hook.name, "on": hook.on, "mode": hook.mode.name(), "why": hook.why,
                            "by_name": !hook.builtin.is_some_and(HookSpec::comes_with_bundle),
                        })
                    })
                    .collect();
                json!({
                    "name": state.bundle.name(), "on": state.is_on(), "state": state.state(),
                    "about": facts.about, "stores": facts.stores,
                    "cost": {
                        "ms_per_call": (cost.ms_per_call * 100.0).round() / 100.0,
                        "tokens_per_session": cost.tokens_per_session, "measured": cost.measured,
                    },
                    "hooks": hooks,
                })
            })
            .collect();
        out.json(&json!({
            "preset": resolved.preset.name(),
            "trial_until": trial.map(|trial| trial.end.to_string()),
            "bundles": rows,
        }));
        return ExitCode::SUCCESS;
    }
    // What a bundle does is a sentence: where a column has no room for it, it has lines of its own.
    let wide = out.width() >= WIDE;
    let mut columns = vec!["bundle", "state", ">hooks", ">ms/call", ">tokens/session"];
    columns.extend(["what it does", "what it stores"].iter().filter(|_| wide));
    let mut table = Table::new(&columns);
    let mut measured = false;
    for state in &states {
        let (facts, cost) = (state.bundle.facts(), cost(state, &recent));
        measured |= cost.measured;
        let mut row = vec![
            (Tone::Strong, state.bundle.name().to_owned()),
            (tone(state), state.state().to_owned()),
            (Tone::Plain, format!("{}/{}", state.on().count(), state.hooks.len())),
            (Tone::Plain, format!("{:.1}", cost.ms_per_call)),
            (Tone::Plain, cost.tokens_per_session.to_string()),
        ];
        if wide {
            row.extend([(Tone::Plain, facts.about.to_owned()), (Tone::Dim, facts.stores.to_owned())]);
        }
        table.row(row);
    }
    out.table(&table);
    for state in states.iter().filter(|_| !wide) {
        let (name, facts) = (state.bundle.name(), state.bundle.facts());
        let label = out.paint(Tone::Strong, &format!("{name:<10}"));
        out.labelled(&label, 10, &format!("{}; stores {}", facts.about, facts.stores));
    }
    let source =
        if measured { "measured here in the last 7 days" } else { "typical; measured here after 50 calls" };
    let note = format!(
        "Preset {}. Costs are {source}. `sprag enable NAME`, `sprag disable NAME`; single hooks: `sprag hooks list`.",
        resolved.preset
    );
    out.labelled("", 0, &out.paint(Tone::Dim, &note));
    if let Some(trial) = trial {
        out.line(&format!("Trial until {}: nothing is stopped (`sprag trial`).", trial.last_day()));
    }
    ExitCode::SUCCESS
}
