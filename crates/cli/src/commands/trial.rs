//! `sprag trial`: for a while whatever can stop only reports; what it would have stopped.

use crate::commands::project_at;
use serde_json::json;
use sprag_config::host::Host;
use sprag_config::trial::{self, Trial};
use sprag_config::{edit, load};
use sprag_runtime::trial::report;
use sprag_terminal::person::{refuse_inside_agent, require_terminal_or_quiet};
use sprag_terminal::when;
use sprag_terminal::{Out, Table, Tone, visible};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct TrialArgs {
    #[command(subcommand)]
    command: Option<TrialCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum TrialCommand {
    /// Start a trial (interactive only, refused inside an agent)
    #[command(after_help = "Examples:\n  sprag trial start\n  sprag trial start 2w")]
    Start {
        /// How long: 12h, 7d, 2w
        #[arg(default_value = trial::USUAL, value_parser = span_text)]
        span: String,
    },
    /// End the trial now: guards stop again
    #[command(after_help = "Example:\n  sprag trial end")]
    End,
}

fn span_text(text: &str) -> Result<String, when::InvalidDuration> {
    when::parse_span(text).map(|_| text.to_owned())
}

pub(crate) fn run(args: &TrialArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        Some(TrialCommand::Start { span }) => {
            require_terminal_or_quiet(host)?;
            start(host, span)?;
        }
        Some(TrialCommand::End) => {
            refuse_inside_agent(host)?;
            edit::edit(&host.paths.config_file(), |document| {
                document.remove("trial");
            })?;
        }
        None => {}
    }
    let now = host.clock.now();
    let trial = load(host, &project_at(host, None)).resolved.trial;
    let found = trial.map(|trial| report(&host.paths, trial)).unwrap_or_default();
    if args.json {
        let hooks: Vec<_> = found
            .hooks
            .iter()
            .map(|stops| {
                json!({
                    "hook": stops.hook, "count": stops.count, "reason": stops.reason, "call": stops.call,
                })
            })
            .collect();
        out.json(&json!({
            "on": trial.is_some_and(|trial| trial.is_on(now)),
            "start": trial.map(|trial| trial.start.to_string()),
            "end": trial.map(|trial| trial.end.to_string()),
            "calls": found.calls, "hooks": hooks,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let Some(trial) = trial else {
        out.line("No trial: what can stop, stops. `sprag trial start 7d` only reports for a week.");
        return Ok(ExitCode::SUCCESS);
    };
    out.line(&sentence(host, trial));
    if !found.hooks.is_empty() {
        let mut table = Table::new(&["hook", ">times", "the last call", "why"]);
        for stops in &found.hooks {
            let reason = stops.reason.lines().next().unwrap_or_default().to_owned();
            table.row(vec![
                (Tone::Strong, stops.hook.clone()),
                (Tone::Warn, stops.count.to_string()),
                (Tone::Plain, visible(stops.call.as_deref().unwrap_or("-"))),
                (Tone::Dim, reason),
            ]);
        }
        out.table(&table);
        out.line(
            &out.paint(
                Tone::Dim,
                "Every call, whole: `sprag logs --findings`. A hook that is wrong: `sprag disable HOOK`. Enough seen: \
                 `sprag trial end`.",
            ),
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a trial that begins now.
pub(crate) fn start(host: &Host, span: &str) -> anyhow::Result<()> {
    let now = host.clock.now();
    let mut value = toml_edit::Value::from(trial::written(span, now));
    let end = now.after(when::parse_span(span).unwrap_or_default());
    let last = Trial { start: now, end }.last_day();
    value.decor_mut().set_suffix(format!(" # until {last} whatever can stop only reports"));
    edit::edit(&host.paths.config_file(), |document| {
        document.insert("trial", toml_edit::Item::Value(value));
    })?;
    Ok(())
}

/// How a trial stands, in one line.
pub(crate) fn sentence(host: &Host, trial: Trial) -> String {
    let now = host.clock.now();
    let found = report(&host.paths, trial).sentence();
    if trial.is_on(now) {
        // A week that began just now has seven days left, not six and a half.
        let left = Duration::from_micros(trial.end.0.saturating_sub(now.0));
        let left = when::span(left.saturating_add(Duration::from_secs(3_599)));
        format!("Trial until {} ({left} left): nothing is stopped; so far sprag {found}", trial.last_day())
    } else {
        format!("The trial ended on {}: sprag {found}", trial.last_day())
    }
}
