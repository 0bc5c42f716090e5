//! `sprag limit`: what this project used today, its caps (hook cost-limit), and raising them. A person's command.

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::edit;
use sprag_config::host::{Host, project_at};
use sprag_hooks::guard::cost_limit;
use sprag_terminal::person::{refuse_inside_agent, require_terminal_or_quiet};
use sprag_terminal::{Out, Problem, Table, Tone};
use sprag_usage::budget::{Amount, Ledger, Level, Raised, Spent, level};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct LimitArgs {
    #[command(subcommand)]
    command: Option<LimitCommand>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum LimitCommand {
    /// Set the caps in your configuration, for every project (interactive only, refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag limit set --day '10 usd'\n  sprag limit set --day '5M tokens' --session '2 usd'"
    )]
    Set(Caps),
    /// Raise the caps of this project until the day ends in UTC (interactive only, refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag limit raise --day '15 usd'\n  sprag limit raise --session '4 usd'"
    )]
    Raise(Caps),
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Caps {
    /// For all sessions of a project in a day: '10 usd', '5M tokens'
    #[arg(long, value_parser = amount)]
    day: Option<String>,
    /// For one session: '2 usd', '500k tokens'
    #[arg(long, value_parser = amount)]
    session: Option<String>,
}

fn amount(text: &str) -> Result<String, String> {
    match Amount::parse(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => Err("an amount, such as '5 usd' or '2M tokens'".to_owned()),
    }
}

pub(crate) fn run(args: &LimitArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        None => {}
        Some(LimitCommand::Set(caps)) => {
            // A first cap tightens; one that is there may be widened by it.
            require_terminal_or_quiet(host)?;
            let file = host.paths.config_file();
            edit::edit(&file, |document| {
                if let Some(table) = edit::subtable(document, "hook", cost_limit::HOOK.spec.name) {
                    table.insert("enabled", toml_edit::value(true));
                    for (key, text) in [("day", &caps.day), ("session", &caps.session)] {
                        if let Some(text) = text {
                            edit::set_text(table, key, text);
                        }
                    }
                }
            })?;
            out.note(&format!("written to {}", host.paths.tilde(&file)));
        }
        Some(LimitCommand::Raise(caps)) => {
            refuse_inside_agent(host)?;
            require_terminal_or_quiet(host)?;
            let (project, now) = (project_at(host, None).key(&host.machine()), host.clock.now());
            let mut raised = Raised::read(&host.paths, &project, now);
            for (kept, text) in [(&mut raised.day, &caps.day), (&mut raised.session, &caps.session)] {
                if let Some(text) = text {
                    text.clone_into(kept);
                }
            }
            raised.write(&host.paths, &project).context("the raise cannot be kept")?;
        }
    }
    show(args.json, host, out)?;
    Ok(ExitCode::SUCCESS)
}

fn show(as_json: bool, host: &Host, out: &Out) -> anyhow::Result<()> {
    let (project, now) = (project_at(host, None).key(&host.machine()), host.clock.now());
    let configured = sprag_team::limit::configured(host);
    let (day, session) = configured.clone().unwrap_or_default();
    let raised = Raised::read(&host.paths, &project, now);
    let ledger = Ledger::read(&host.paths, &project, now);
    let own = sprag_team::access::calling_session(host).map(|(id, _)| ledger.of_session(&id));
    let rows = [
        ("day", cap("day", &day)?, Amount::parse(&raised.day), Some(ledger.today())),
        ("session", cap("session", &session)?, Amount::parse(&raised.session), own),
    ];
    if as_json {
        let caps: Vec<Value> = rows
            .iter()
            .map(|(name, cap, raised, spent)| {
                let holds = cap.map(|cap| cap.or_raised(*raised));
                json!({
                    "of": name, "cap": holds.map(Amount::text), "raised": raised.map(Amount::text),
                    "tokens": spent.map(|spent| spent.tokens), "cost_usd": spent.map(|spent| spent.micros as f64 / 1e6),
                    "reached": holds.zip(*spent).is_some_and(|(cap, spent)| level(cap, &spent) == Level::Reached),
                })
            })
            .collect();
        let others = ledger.others();
        out.json(&json!({
            "on": configured.is_some(), "project": project, "limits": caps,
            "on_other_machines": {"tokens": others.tokens, "cost_usd": others.micros as f64 / 1e6},
        }));
        return Ok(());
    }
    if configured.is_none() {
        out.line("No cap is set. To set one: sprag limit set --day '10 usd'");
        return Ok(());
    }
    let mut table = Table::new(&["of", ">used", ">cap", "state"]);
    for (name, cap, raised, spent) in rows {
        let Some(cap) = cap.map(|cap| cap.or_raised(raised)) else { continue };
        let (tone, state) = state(cap, spent.as_ref(), raised.is_some());
        let used = spent.map_or_else(|| "by session".to_owned(), |spent| cap.used(&spent).text());
        table.row(vec![
            (Tone::Strong, name.to_owned()),
            (Tone::Plain, used),
            (Tone::Plain, cap.text()),
            (tone, state),
        ]);
    }
    out.table(&table);
    let others = ledger.others();
    if !others.is_none() {
        let (money, tokens) = (Amount::Micros(others.micros).text(), Amount::Tokens(others.tokens).text());
        out.note(&format!(
            "Other machines used {money} ({tokens}) of the day, as of the last turn that ended here."
        ));
    }
    Ok(())
}

fn state(cap: Amount, spent: Option<&Spent>, raised: bool) -> (Tone, String) {
    let until = if raised { ", raised for today" } else { "" };
    match spent.map(|spent| level(cap, spent)) {
        Some(Level::Reached) => (Tone::Bad, format!("reached: no new turn{until}")),
        Some(Level::Near) => (Tone::Warn, format!("over 80 %{until}")),
        Some(Level::Below) => (Tone::Good, format!("below{until}")),
        None => (Tone::Plain, until.trim_start_matches(", ").to_owned()),
    }
}

fn cap(name: &str, text: &str) -> anyhow::Result<Option<Amount>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let problem = || {
        Problem::new(
            format!("[hook.cost-limit] {name}: `{text}` is no amount"),
            format!("sprag limit set --{name} '5 usd'"),
        )
    };
    Ok(Some(Amount::parse(text).with_context(problem)?))
}
