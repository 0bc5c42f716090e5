//! `sprag stats`: numbers per hook and per event, from the journal; further back, from the store.

mod cost;
mod history;

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_runtime::summary::{self, Numbers};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// How far back: 90s, 30m, 12h, 7d, 2w
    #[arg(long, default_value = "7d", value_parser = when::parse_span)]
    since: Duration,
    /// Only this hook
    #[arg(long)]
    hook: Option<String>,
    /// Tokens and money of the agents' sessions instead, from their transcripts
    #[arg(long)]
    cost: bool,
    /// With --cost: sums by this
    #[arg(long, value_enum, default_value = "day", requires = "cost")]
    by: cost::CostBy,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.cost {
        cost::run(host, out, args.since, args.by, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let now = host.clock.now();
    let since = now.before(args.since);
    let mut summary = summary::summarise(&host.paths, since)
        .context(Problem::new("the journal cannot be read", "`sprag doctor` looks for the cause"))?;
    let mut source = "journal";
    match history::read(host, since) {
        Ok(Some(mut older)) => {
            source = "store";
            // The store does not keep what was spared: the files' numbers stand.
            for (name, numbers) in &summary.hooks {
                older.hooks.entry(name.clone()).or_default().saved = numbers.saved;
            }
            for (name, numbers) in &summary.events {
                older.events.entry(name.clone()).or_default().saved = numbers.saved;
            }
            summary = older;
        }
        Ok(None) => {}
        Err(error) => out.note(&format!(
            "What is older than the journal's files is not counted: {error}. `sprag doctor` says more."
        )),
    }
    // A person's own commands are in the journal too; they are no events of an agent.
    summary.events.retain(|name, _| sprag_protocol::EventKind::from_name(name).is_some());
    if let Some(name) = &args.hook {
        summary.hooks.retain(|hook, _| hook == name);
        if summary.hooks.is_empty() && host.hook(name).is_none() && !args.json {
            out.note(&format!("No run of `{name}` in this time. `sprag hooks list` shows the names."));
        }
    }
    if args.json {
        out.json(&json!({
            "since": since.to_string(),
            "until": now.to_string(),
            "source": source,
            "entries": summary.entries,
            "broken_lines": summary.broken,
            "hooks": rows(&mut summary.hooks, "hook"),
            "events": if args.hook.is_none() { rows(&mut summary.events, "event") } else { json!([]) },
        }));
        return Ok(ExitCode::SUCCESS);
    }
    if summary.entries == 0 {
        out.line(&format!(
            "Nothing in the journal in the last {}. `sprag doctor` says whether the hooks are registered.",
            when::span(args.since)
        ));
        return Ok(ExitCode::SUCCESS);
    }
    table("hook", &mut summary.hooks, out);
    if args.hook.is_none() {
        out.line("");
        table("event", &mut summary.events, out);
    }
    if let Some(found) = sprag_config::load(host, &super::project_at(host, None)).resolved.trial {
        out.line("");
        out.line(&super::trial::sentence(host, found));
    }
    if summary.broken > 0 {
        out.note(&format!("{} lines of the journal cannot be read and are not counted.", summary.broken));
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(all: &mut BTreeMap<String, Numbers>, key: &str) -> Value {
    all.iter_mut()
        .map(|(name, numbers)| {
            let mut value = json!({ key: name });
            if let (Some(map), Value::Object(more)) = (value.as_object_mut(), numbers_json(numbers)) {
                map.extend(more);
            }
            value
        })
        .collect()
}

/// The numbers of a hook or an event, with the same keys wherever they are printed.
pub(crate) fn numbers_json(numbers: &mut Numbers) -> Value {
    let mut time =
        |percent: usize| numbers.percentile(percent).map_or(Value::Null, |us| json!(f64::from(us) / 1_000.0));
    let (p50, p95, p99) = (time(50), time(95), time(99));
    json!({
        "fires": numbers.fires,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "blocks": numbers.blocks(),
        "deny": numbers.deny,
        "block": numbers.block,
        "ask": numbers.ask,
        "chars": numbers.chars,
        "tokens": numbers.tokens(),
        "tokens_saved": numbers.saved,
        "errors": numbers.errors,
        "skips": numbers.skips,
        "shadow": numbers.shadow,
        "last": numbers.last.map(|at| at.to_string()),
        "last_verdict": numbers.last.map(|_| numbers.last_verdict.clone()),
        "last_error": numbers.last_error,
    })
}

/// Tokens that were spared, or spent after all.
fn signed(number: i64) -> (Tone, String) {
    match number {
        0 => (Tone::Dim, "0".to_owned()),
        some if some < 0 => (Tone::Warn, some.to_string()),
        some => (Tone::Good, some.to_string()),
    }
}

fn table(what: &'static str, all: &mut BTreeMap<String, Numbers>, out: &Out) {
    let mut table = Table::new(&[
        what, ">fires", ">p50 ms", ">p95 ms", ">p99 ms", ">blocks", ">asks", ">tokens", ">saved", ">errors",
        ">skips", ">shadow",
    ]);
    let mut rows: Vec<(&String, &mut Numbers)> = all.iter_mut().collect();
    rows.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.fires));
    for (name, numbers) in rows {
        let mut time = |percent: usize| {
            let ms = numbers.percentile(percent).map(|us| f64::from(us) / 1_000.0);
            (Tone::Plain, ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.2}")))
        };
        let (p50, p95, p99) = (time(50), time(95), time(99));
        let count = |number: u64, tone: Tone| match number {
            0 => (Tone::Dim, "0".to_owned()),
            some => (tone, some.to_string()),
        };
        table.row(vec![
            (Tone::Strong, name.clone()),
            count(numbers.fires, Tone::Plain),
            p50,
            p95,
            p99,
            count(numbers.blocks(), Tone::Warn),
            count(numbers.ask, Tone::Warn),
            count(numbers.tokens(), Tone::Plain),
            signed(numbers.saved),
            count(numbers.errors, Tone::Bad),
            count(numbers.skips, Tone::Plain),
            count(numbers.shadow, Tone::Warn),
        ]);
    }
    out.table(&table);
}
