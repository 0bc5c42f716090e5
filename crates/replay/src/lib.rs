//! `sprag replay`: recorded payloads against the present configuration, what shadow hooks would have done, and the agents'
//! own transcripts against any configuration.

pub mod explain;
mod real;
pub mod record;
mod report;
mod stand_in;

use crate::record::millis;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_base::time::{Clock, Stamp};
use sprag_config::host::Host;
use sprag_protocol::AgentId;
use sprag_protocol::agents::ENV_FILE_VARIABLE;
use sprag_runtime::dispatch::dispatch;
use sprag_runtime::journal;
use sprag_runtime::panics;
use sprag_runtime::record::{Recorded, context_hash};
use sprag_terminal::{Out, Problem, Table, Tone};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// What `sprag replay` takes.
#[derive(clap::Args)]
pub struct ReplayArgs {
    /// A recording: a file, or a session's id as `sprag record list` shows it
    #[arg(value_name = "FILE", required_unless_present_any = ["shadow", "real"])]
    file: Option<String>,
    /// Replay the agents' own transcripts below a folder (default: where the agents keep them) in a throw-away home:
    /// what would have been stopped, and what added to the conversation
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with_all = ["file", "shadow"])]
    real: Option<Option<PathBuf>>,
    /// With --real: the preset
    #[arg(long, value_name = "NAME", default_value = "standard", requires = "real")]
    preset: String,
    /// With --real: a configuration file instead of a preset; programs that it names are not started
    #[arg(long, value_name = "FILE", requires = "real", conflicts_with = "preset")]
    config: Option<PathBuf>,
    /// What hooks in shadow mode would have done, from the journal
    #[arg(long, conflicts_with = "file")]
    shadow: bool,
    /// With --shadow (default: 7d) or --real: only what is not older than this (7d, 12h)
    #[arg(long, value_name = "SPAN", conflicts_with = "file", value_parser = sprag_terminal::when::parse_span)]
    since: Option<Duration>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `sprag replay`.
pub fn run(args: &ReplayArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &args.real {
        let request = real::Request {
            folder: folder.as_deref(),
            since: args.since,
            preset: &args.preset,
            config: args.config.as_deref(),
        };
        let tally = real::replay(&request, host)?;
        if args.json {
            out.json(&tally.as_json());
        } else {
            tally.print(&host.paths, out);
        }
        return Ok(ExitCode::SUCCESS);
    }
    match &args.file {
        Some(name) => replay(&record::find(host, name)?, host, out, args.json),
        None => shadow(args, host, out),
    }
}

/// An event before and now.
struct Compared {
    number: usize,
    was: Recorded,
    verdict: String,
    reason: Option<String>,
    context: Option<String>,
    chars: u64,
    us: u64,
}

impl Compared {
    fn decision_changed(&self) -> bool {
        self.was.verdict != self.verdict
    }

    fn context_changed(&self) -> bool {
        self.was.context != self.context
    }
}

fn replay(file: &Path, host: &Host, out: &Out, as_json: bool) -> anyhow::Result<ExitCode> {
    let (events, broken) = record::read(file)?;
    if events.is_empty() {
        bail!(Problem::new(
            format!("{} holds no recorded event", file.display()),
            "`sprag record on` records; `sprag record list` shows what there is"
        ));
    }
    panics::silence();
    let scratch = tempfile::Builder::new().prefix("sprag-replay-").tempdir().context(Problem::new(
        "no throw-away folder can be made",
        "check the space and the rights in the temporary folder",
    ))?;
    let mut again = throw_away(host, scratch.path())?;
    let compared: Vec<Compared> =
        events.into_iter().enumerate().map(|(at, event)| one(&mut again, at + 1, event)).collect();
    let changed = compared.iter().filter(|event| event.decision_changed()).count();
    if as_json {
        out.json(&as_value(file, &compared, broken));
    } else {
        print(&compared, broken, out);
    }
    Ok(if changed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The present configuration with state and data of its own. No worker is started.
fn throw_away(host: &Host, scratch: &Path) -> anyhow::Result<Host> {
    let mut vars: BTreeMap<String, String> = match &host.env {
        Env::Process => std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        Env::Fixed(map) => map.clone(),
    };
    // Not the agent's shell, not a nested call: what the recorded session had is not known.
    for name in [ENV_FILE_VARIABLE, "SPRAG_NESTED", "SPRAG_DISABLE"] {
        vars.remove(name);
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    vars.insert("SPRAG_CONFIG_DIR".to_owned(), text(&host.paths.config));
    vars.insert("SPRAG_STATE_DIR".to_owned(), text(&scratch.join("state")));
    vars.insert("SPRAG_DATA_DIR".to_owned(), text(&scratch.join("data")));
    vars.insert("SPRAG_WORKER".to_owned(), "off".to_owned());
    // A user's hook can hold back what it does to the world.
    vars.insert("SPRAG_REPLAY".to_owned(), "1".to_owned());
    let env = Env::Fixed(vars);
    let paths = Paths::from_env(&env);
    // What a person trusted is part of the configuration.
    if let Ok(trust) = sprag_base::files::read(host.paths.trust_file(), sprag_base::files::STATE) {
        sprag_base::files::write_atomic(&paths.trust_file(), &trust).context(Problem::new(
            "the throw-away folder cannot be written",
            "check the space in the temporary folder",
        ))?;
    }
    Ok(Host { env, paths, clock: Clock::System, hooks: host.hooks, exe: None })
}

fn one(host: &mut Host, number: usize, was: Recorded) -> Compared {
    // Hooks that wait or count by time see the times of the recording.
    host.clock = Stamp::parse(&was.t).map_or(Clock::System, Clock::Fixed);
    let payload = Value::Object(was.payload.clone()).to_string();
    let answer = dispatch(host, sprag_hooks::BUILTINS, payload.as_bytes(), AgentId::from_name(&was.agent));
    Compared {
        number,
        was,
        verdict: answer.entry.verdict,
        reason: answer.verdict.reason.as_deref().map(journal::keep),
        context: answer.verdict.context.as_deref().map(context_hash),
        chars: answer.entry.chars,
        us: answer.entry.us,
    }
}

fn print(compared: &[Compared], broken: usize, out: &Out) {
    let mut table = Table::new(&[">#", "event", "tool", "decision", "context", ">ms"]);
    let mut rows = 0;
    for event in compared.iter().filter(|event| event.decision_changed() || event.context_changed()) {
        rows += 1;
        let decision = if event.decision_changed() {
            (Tone::Bad, format!("{} → {}", event.was.verdict, event.verdict))
        } else {
            (Tone::Dim, event.verdict.clone())
        };
        let context = if event.context_changed() {
            (Tone::Warn, format!("{} → {} characters", event.was.chars, event.chars))
        } else {
            (Tone::Dim, "same".to_owned())
        };
        table.row(vec![
            (Tone::Dim, event.number.to_string()),
            (Tone::Plain, event.was.event.clone()),
            (Tone::Plain, event.was.tool.clone().unwrap_or_default()),
            decision,
            context,
            (Tone::Dim, format!("{} → {}", millis(event.was.us), millis(event.us))),
        ]);
    }
    if rows > 0 {
        out.table(&table);
    }
    for event in compared.iter().filter(|event| event.decision_changed()) {
        let reason = event.reason.as_deref().or(event.was.reason.as_deref());
        if let Some(reason) = reason {
            let now = if event.reason.is_some() { "now" } else { "before" };
            out.line(&format!("  {} {now}: {reason}", event.number));
        }
    }
    if broken > 0 {
        out.note(&format!("{broken} lines ignored: not recorded events"));
    }
    let before: u64 = compared.iter().map(|event| event.was.us).sum();
    let after: u64 = compared.iter().map(|event| event.us).sum();
    out.line(&format!(
        "{} events; decisions changed: {}; contexts changed: {}; {} ms → {} ms",
        compared.len(),
        compared.iter().filter(|event| event.decision_changed()).count(),
        compared.iter().filter(|event| event.context_changed()).count(),
        millis(before),
        millis(after)
    ));
}

fn as_value(file: &Path, compared: &[Compared], broken: usize) -> Value {
    let events: Vec<Value> = compared
        .iter()
        .map(|event| {
            json!({
                "number": event.number, "t": event.was.t, "event": event.was.event, "tool": event.was.tool,
                "decision": {"before": event.was.verdict, "now": event.verdict, "changed": event.decision_changed()},
                "reason": {"before": event.was.reason, "now": event.reason},
                "context": {"before": event.was.chars, "now": event.chars, "changed": event.context_changed()},
                "us": {"before": event.was.us, "now": event.us},
            })
        })
        .collect();
    json!({
        "file": file,
        "events": events,
        "broken_lines": broken,
        "decisions_changed": compared.iter().filter(|event| event.decision_changed()).count(),
        "contexts_changed": compared.iter().filter(|event| event.context_changed()).count(),
    })
}

/// What one hook in shadow mode would have done.
#[derive(Default)]
struct Shadow {
    runs: usize,
    verdicts: BTreeMap<String, usize>,
    contexts: usize,
    chars: u64,
    errors: usize,
    examples: Vec<String>,
}

/// The verdicts that would have changed something, strictest first.
const TELLING: [&str; 4] = ["deny", "block", "ask", "allow"];

fn shadow(args: &ReplayArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let since = args.since.unwrap_or(Duration::from_secs(7 * 86_400));
    let from = host.clock.now().before(since);
    let since = sprag_terminal::when::span(since);
    let mut hooks: BTreeMap<String, Shadow> = BTreeMap::new();
    journal::read_all(&host.paths, |entry| {
        if Stamp::parse(&entry.t).is_none_or(|at| at < from) {
            return;
        }
        for run in entry.runs.iter().filter(|run| run.shadow) {
            let shadow = hooks.entry(run.hook.clone()).or_default();
            shadow.runs += 1;
            *shadow.verdicts.entry(run.verdict.clone()).or_default() += 1;
            shadow.contexts += usize::from(run.chars > 0);
            shadow.chars += run.chars;
            shadow.errors += usize::from(run.error.is_some());
            let reason = run.reason.as_deref().unwrap_or("no reason");
            let known = shadow.examples.iter().any(|example| example.ends_with(reason));
            if TELLING.contains(&run.verdict.as_str()) && shadow.examples.len() < 3 && !known {
                let tool = entry.tool.as_deref().map(|tool| format!(" {tool}")).unwrap_or_default();
                let time: String = entry.t.chars().take(16).collect();
                shadow.examples.push(format!(
                    "{} {}{tool}: {}, {reason}",
                    time.replace('T', " "),
                    entry.event,
                    run.verdict
                ));
            }
        }
    })
    .with_context(|| format!("{} cannot be read", host.paths.journal().display()))?;
    if args.json {
        out.json(&shadow_json(&hooks, from));
    } else {
        print_shadow(&hooks, &since, out);
    }
    Ok(ExitCode::SUCCESS)
}

fn shadow_json(hooks: &BTreeMap<String, Shadow>, since: Stamp) -> Value {
    let rows: Vec<Value> = hooks
        .iter()
        .map(|(name, shadow)| {
            json!({
                "hook": name, "runs": shadow.runs, "verdicts": shadow.verdicts, "contexts": shadow.contexts,
                "chars": shadow.chars, "errors": shadow.errors, "examples": shadow.examples,
            })
        })
        .collect();
    json!({ "since": since.to_string(), "hooks": rows })
}

fn print_shadow(hooks: &BTreeMap<String, Shadow>, since: &str, out: &Out) {
    if hooks.is_empty() {
        out.line(&format!("no hook ran in shadow mode in the last {since}"));
        out.line("  `mode = \"shadow\"` under [hook.<name>] lets one run without effect");
        return;
    }
    let mut table =
        Table::new(&["hook", ">runs", ">deny", ">block", ">ask", ">allow", ">context", ">chars", ">errors"]);
    for (name, shadow) in hooks {
        let count = |verdict: &str| {
            let number = shadow.verdicts.get(verdict).copied().unwrap_or(0);
            (if number > 0 { Tone::Warn } else { Tone::Dim }, number.to_string())
        };
        let mut row = vec![(Tone::Strong, name.clone()), (Tone::Plain, shadow.runs.to_string())];
        row.extend(TELLING.map(count));
        row.push((Tone::Plain, shadow.contexts.to_string()));
        row.push((Tone::Plain, shadow.chars.to_string()));
        row.push((if shadow.errors > 0 { Tone::Bad } else { Tone::Dim }, shadow.errors.to_string()));
        table.row(row);
    }
    out.table(&table);
    for (name, shadow) in hooks.iter().filter(|(_, shadow)| !shadow.examples.is_empty()) {
        out.line(&format!("{name} would have said:"));
        for example in &shadow.examples {
            out.line(&format!("  {example}"));
        }
    }
}
