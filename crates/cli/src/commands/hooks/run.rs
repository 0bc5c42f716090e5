//! `sprag hooks run`: one hook on one payload, against a throw-away state, whatever its mode.

use crate::args::event;
use crate::commands::project_at;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_config::Layer;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::parse::ChainEdit;
use sprag_config::plan::{EventPlan, PlannedHook};
use sprag_config::resolve;
use sprag_config::settings::{self, Settings};
use sprag_config::trust::Trust;
use sprag_project::Project;
use sprag_protocol::decode;
use sprag_protocol::{AgentId, Event, EventKind, ToolKind, dialects, recordings};
use sprag_runtime::chain::{self, Outcome, RunContext};
use sprag_runtime::panics;
use sprag_runtime::session::Session;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Tone};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct RunArgs {
    /// The hook
    name: String,
    /// The event (`SessionStart` or `session_start`); by default the payload's, or the first that the hook sees
    #[arg(long, value_parser = event)]
    event: Option<EventKind>,
    /// A file with the payload, or `-` for standard input; without it, a recorded one
    #[arg(long)]
    payload: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RunArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    panics::silence();
    let inventory = Inventory::new(host, project_at(host, None));
    let known = inventory.find(&args.name).map_err(|error| Problem::new(&error, error.hint()))?;
    let given = args.payload.as_deref().map(read_payload).transpose()?;
    let kind = args
        .event
        .or_else(|| {
            given.as_ref().map(|raw| dialects::detect(raw, &|name| host.env.get(name)).kind_of(name_of(raw)))
        })
        .filter(|kind| *kind != EventKind::Unknown)
        .or_else(|| known.events.first().copied());
    let Some(kind) = kind else {
        bail!(Problem::new(
            "which event?",
            format!("say it: sprag hooks run {} --event PreToolUse", args.name)
        ));
    };
    let hook = planned(&inventory, &args.name, kind)?;
    let (mut raw, source) = match (given, &args.payload) {
        (Some(raw), Some(file)) => (raw, file.display().to_string()),
        _ => sample(kind, &hook),
    };
    let dialect = dialects::detect(&raw, &|name| host.env.get(name));
    let native = dialect.row(kind).map_or(kind.name(), |row| row.native);
    raw.insert("hook_event_name".to_owned(), native.into());
    let event = decode::read(raw, dialect);

    let scratch =
        tempfile::tempdir().context(Problem::new("no folder for the throw-away state", "check TMPDIR"))?;
    let mut throw_away = host.clone();
    throw_away.paths.state = scratch.path().join("state");
    throw_away.paths.data = scratch.path().join("data");
    throw_away.exe = None;
    let project = Project::find(&event.cwd, &host.env, &host.paths.home);
    let session = Session::new(&throw_away.paths, &event.session_id);
    let plan = EventPlan { hooks: vec![hook], ..inventory.loaded.resolved.plan(kind) };
    let around = RunContext {
        host: &throw_away,
        builtins: sprag_hooks::BUILTINS,
        session: &session,
        project: &project,
        recovering: false,
        started: Instant::now(),
    };
    let outcome = chain::run(&plan, &event, &around);
    let failed = outcome.runs.iter().any(|run| run.error.is_some());
    if args.json {
        out.json(&as_json(&args.name, &event, &source, &outcome));
    } else {
        as_text(&event, &source, &plan, &outcome, out);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn name_of(raw: &serde_json::Map<String, Value>) -> &str {
    raw.get("hook_event_name").and_then(Value::as_str).unwrap_or_default()
}

fn read_payload(file: &Path) -> anyhow::Result<serde_json::Map<String, Value>> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?;
        bytes
    } else {
        sprag_base::files::read_argument(file).map_err(|error| {
            anyhow::anyhow!(Problem::new(
                format!("{}: {error}", file.display()),
                "give a file with one JSON object"
            ))
        })?
    };
    decode::parse_object(&bytes).map_err(|error| {
        anyhow::anyhow!(Problem::new(&error, "a payload is one JSON object; `sprag record` keeps real ones"))
    })
}

/// The hook as it would run on the event, switched on whatever the configuration says.
fn planned(inventory: &Inventory<'_>, name: &str, kind: EventKind) -> anyhow::Result<PlannedHook> {
    let mut settings = Settings::default();
    settings.set("mode", settings::Value::Text("enforce".to_owned()));
    let only = ChainEdit { scripts: Some(vec![name.to_owned()]), ..ChainEdit::default() };
    let mut layers = inventory.loaded.layers.clone();
    for layer in &mut layers {
        layer.chains.retain(|(known, _)| *known != kind);
    }
    layers.push(Layer {
        chains: vec![(kind, only)],
        hooks: vec![(name.to_owned(), settings)],
        ..Layer::default()
    });
    let trusted = (inventory.loaded.trust == Trust::Trusted).then_some(&inventory.project);
    let (resolved, faults) = resolve::resolve(inventory.host, trusted, &layers);
    match resolved.chain(kind).find(|hook| hook.hook.name == name) {
        Some(hook) => Ok(hook.hook.clone()),
        None => match faults.iter().find(|fault| fault.what.contains(name)) {
            Some(fault) => bail!(Problem::new(&fault.what, &fault.hint)),
            None => bail!(Problem::new(
                format!("`{name}` cannot run on {kind}"),
                format!("`sprag hooks show {name}` lists its events")
            )),
        },
    }
}

/// A recording that would do, and how well.
struct Sample {
    rank: (bool, bool),
    raw: serde_json::Map<String, Value>,
    name: &'static str,
}

/// A recorded payload of the event that the hook's matcher lets through, in this folder.
fn sample(kind: EventKind, hook: &PlannedHook) -> (serde_json::Map<String, Value>, String) {
    let mut best: Option<Sample> = None;
    let canonical = dialects::of(AgentId::CANONICAL);
    let is_canonical = |name: &str| name.split('/').next() == Some(AgentId::CANONICAL.name());
    for recording in recordings::ALL.iter().filter(|recording| is_canonical(recording.name)) {
        let Ok(raw) = decode::parse_object(recording.text.as_bytes()) else { continue };
        if canonical.kind_of(name_of(&raw)) != kind {
            continue;
        }
        let event = decode::read(raw.clone(), canonical);
        let seen = event.subjects().iter().any(|subject| hook.matcher.matches(subject))
            || event.subjects().is_empty();
        // Of tools, a shell command is what people think of first.
        let rank = (seen, event.tool.is_some_and(|tool| tool.kind == ToolKind::Shell));
        if best.as_ref().is_none_or(|known| rank > known.rank) {
            best = Some(Sample { rank, raw, name: recording.name });
        }
    }
    let (mut raw, name) = if let Some(best) = best {
        (best.raw, format!("recorded {}", best.name))
    } else {
        let mut raw = serde_json::Map::new();
        raw.insert("session_id".to_owned(), "sample".into());
        (raw, "made up: none was recorded".to_owned())
    };
    // The recorded folder is not on this machine.
    let here = std::env::current_dir().unwrap_or_default();
    raw.insert("cwd".to_owned(), here.to_string_lossy().into_owned().into());
    (raw, name)
}

fn as_json(name: &str, event: &Event, source: &str, outcome: &Outcome) -> Value {
    let run = outcome.runs.first();
    json!({
        "hook": name,
        "event": event.kind.name(),
        "payload": source,
        "matched": run.is_some(),
        "verdict": outcome.verdict.decision.name(),
        "reason": outcome.verdict.reason,
        "notes": outcome.notes.iter().map(|offered| json!({
            "key": offered.note.key, "priority": offered.note.priority, "text": offered.note.text,
        })).collect::<Vec<_>>(),
        "message": outcome.verdict.message,
        "rewrite": outcome.verdict.rewrite,
        "output": outcome.verdict.output,
        "env": outcome.env.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())))
            .collect::<serde_json::Map<_, _>>(),
        "jobs": outcome.jobs.iter().map(|job| job.work.kind()).collect::<Vec<_>>(),
        "skip": run.and_then(|run| run.skip.clone()),
        "error": run.and_then(|run| run.error.clone()),
        "stderr": run.and_then(|run| run.stderr.clone()),
        "us": run.map_or(0, |run| run.us),
    })
}

fn as_text(event: &Event, source: &str, plan: &EventPlan, outcome: &Outcome, out: &Out) {
    out.line(&out.paint(Tone::Dim, &format!("{} ({source})", event.kind)));
    let Some(run) = outcome.runs.first() else {
        let matcher = plan.hooks.first().map(|hook| hook.matcher.source().into_owned()).unwrap_or_default();
        let subjects = event.subjects().join(", ");
        out.line(&format!("did not run: its matcher `{matcher}` does not match `{subjects}`"));
        return;
    };
    let decision = outcome.verdict.decision;
    let tone = if decision.stops() { Tone::Bad } else { Tone::Good };
    out.line(&format!("{} in {}", out.paint(tone, decision.name()), when::micros(run.us)));
    let say = |what: &str, text: &str| {
        let mut lines = text.lines();
        out.line(&format!("  {} {}", out.paint(Tone::Dim, what), lines.next().unwrap_or_default()));
        for line in lines {
            out.line(&format!("  {} {line}", " ".repeat(what.chars().count())));
        }
    };
    let verdict = &outcome.verdict;
    verdict.reason.iter().for_each(|text| say("reason: ", text));
    outcome.notes.iter().for_each(|offered| say("to the model: ", &offered.note.text));
    verdict.message.iter().for_each(|text| say("to the user: ", text));
    verdict.rewrite.iter().for_each(|value| say("rewritten input: ", &value.to_string()));
    verdict.output.iter().for_each(|value| say("rewritten output: ", &value.to_string()));
    verdict.stop.iter().for_each(|text| say("stops the agent: ", text));
    outcome.env.iter().for_each(|(key, value)| say("environment: ", &format!("{key}={value}")));
    outcome.jobs.iter().for_each(|job| say("would queue: ", job.work.kind()));
    run.skip.iter().for_each(|text| say("skipped: ", text));
    run.error.iter().for_each(|text| say("error: ", text));
    run.stderr.iter().for_each(|text| say("stderr: ", text));
}
