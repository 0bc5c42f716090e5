//! `sprag stats --cost`: tokens and money, from the agents' transcripts and from the dispatcher.

use crate::commands::store::explained;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_team::access;
use sprag_terminal::{Out, Problem, Table, Tone};
use sprag_usage::price::{self, Prices};
use sprag_usage::spent::{Sum, answers, money};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

/// What the numbers are summed up by.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CostBy {
    /// Days in UTC
    Day,
    /// The agents' sessions
    Session,
    /// Branches
    Branch,
    /// Tasks that the dispatcher started agents for
    Task,
    /// Models
    Model,
    /// Projects
    Project,
}

/// Which task each session of the dispatcher was for.
fn tasks_of_sessions(host: &Host, since: i64) -> anyhow::Result<HashMap<String, String>> {
    let Some(mut store) = access::look(host)? else { return Ok(HashMap::new()) };
    let attempts = store.attempts("", since).map_err(explained)?;
    Ok(attempts
        .into_iter()
        .filter(|one| !one.session.is_empty())
        .map(|one| (one.session, one.task))
        .collect())
}

pub(super) fn run(host: &Host, out: &Out, since: Duration, by: CostBy, as_json: bool) -> anyhow::Result<()> {
    let prices = Prices::read(&host.paths).map_err(|why| {
        anyhow::anyhow!(Problem::new(
            why,
            r#"{"MODEL": {"input": 2, "output": 12}}, in dollars per million tokens"#
        ))
    })?;
    let from = host.clock.now().before(since);
    let tasks = if by == CostBy::Task { tasks_of_sessions(host, from.0 as i64)? } else { HashMap::new() };
    let mut rows: BTreeMap<String, Sum> = BTreeMap::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for path in sprag_lessons::scan::transcripts(&sprag_lessons::scan::folders(host)) {
        let Some(answers) = answers(&path, from) else { continue };
        for ((day, model), used) in &answers.by_day {
            let name = match by {
                CostBy::Day => day.clone(),
                CostBy::Session => format!("{} {}", answers.agent, answers.session),
                CostBy::Branch => answers.branch.clone(),
                CostBy::Task => tasks.get(&answers.session).cloned().unwrap_or_default(),
                CostBy::Model => model.clone(),
                CostBy::Project => host.paths.tilde(Path::new(&answers.cwd)),
            };
            let row = rows.entry(name).or_default();
            if !row.add(&prices, &answers.session, (day, model), used) {
                unknown.insert(model.clone());
            }
        }
    }
    show(host, out, from, &rows, &unknown, as_json);
    Ok(())
}

fn show(
    host: &Host,
    out: &Out,
    since: Stamp,
    rows: &BTreeMap<String, Sum>,
    unknown: &BTreeSet<String>,
    as_json: bool,
) {
    let total: i64 = rows.values().map(|row| row.micros).sum();
    if as_json {
        let listed: Vec<Value> = rows
            .iter()
            .map(|(name, row)| {
                json!({
                    "name": name, "sessions": row.sessions.len(), "input_tokens": row.used.input,
                    "cached_tokens": row.used.cache_read, "cache_write_tokens": row.used.cache_write,
                    "output_tokens": row.used.output, "cost_usd": row.micros as f64 / 1e6,
                    "unpriced_tokens": row.unpriced,
                })
            })
            .collect();
        out.json(&json!({
            "since": since.to_string(), "rows": listed, "cost_usd": total as f64 / 1e6,
            "prices_as_of": price::AS_OF, "models_without_price": unknown,
        }));
        return;
    }
    if rows.is_empty() {
        out.line("No transcript has tokens of this time.");
        return;
    }
    let mut table = Table::new(&["", ">sessions", ">input", ">cached", ">output", ">cost"]);
    for (name, row) in rows {
        table.row(vec![
            (Tone::Strong, if name.is_empty() { "(none)".to_owned() } else { name.clone() }),
            (Tone::Plain, row.sessions.len().to_string()),
            (Tone::Plain, (row.used.input + row.used.cache_write).to_string()),
            (Tone::Plain, row.used.cache_read.to_string()),
            (Tone::Plain, row.used.output.to_string()),
            (Tone::Plain, row.money()),
        ]);
    }
    out.table(&table);
    out.line(&format!("total: {} at list prices of {}", money(total), price::AS_OF));
    if !unknown.is_empty() {
        let names: Vec<&str> =
            unknown.iter().map(|name| if name.is_empty() { "(unnamed)" } else { name }).collect();
        out.note(&format!(
            "No price is known for {}: add it to {} as {{\"MODEL\": {{\"input\": 2, \"output\": 12}}}}, in dollars per \
             million tokens.",
            names.join(", "),
            host.paths.tilde(&price::file(&host.paths))
        ));
    }
}
