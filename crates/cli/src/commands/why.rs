//! `sprag why`: the explanation of a stop, by its short id or the last one of this project.

use crate::commands::project_at;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::links::real;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_protocol::{AgentId, EventKind};
use sprag_runtime::journal::{self, Entry, Run, Stop};
use sprag_runtime::message;
use sprag_runtime::summary::hook_name;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Tone, visible, wrap};
use std::path::Path;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct WhyArgs {
    /// The id in the message, or `last` for the last stop of this project
    #[arg(default_value = "last", value_name = "last|ID")]
    which: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A stop in the journal.
pub(super) struct FoundStop {
    pub(super) entry: Entry,
    pub(super) stop: Stop,
}

/// Finds a stop: the newest with this id, or the last one of the project around the working directory.
pub(super) fn find(host: &Host, which: &str) -> anyhow::Result<FoundStop> {
    let canonical = |path: &Path| real(path).unwrap_or_else(|| path.to_path_buf());
    let root = canonical(&project_at(host, None).root);
    let wanted = |stop: &Stop| match which {
        "last" => canonical(Path::new(&stop.project)) == root,
        id => stop.id == id.to_ascii_lowercase(),
    };
    for file in journal::all_files(&host.paths).iter().rev() {
        let mut found = None;
        journal::read(file, |entry| {
            if let Some(stop) = entry.stop.clone().filter(&wanted) {
                found = Some(FoundStop { entry, stop });
            }
        })
        .with_context(|| Problem::new("the journal cannot be read", "run `sprag doctor`"))?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
    if which == "last" {
        bail!(Problem::new(
            format!("nothing was stopped in {}", host.paths.tilde(&root)),
            "use the id in the message, or `sprag logs` for everything that happened"
        ));
    }
    bail!(Problem::new(
        format!("no stop with the id `{which}`"),
        "`sprag why last` explains the last one of this project"
    ))
}

/// `last`, and the ids of the newest stops, for completions: the newest file of the journal is enough.
pub(super) fn newest_ids(host: &Host) -> Vec<String> {
    const COMPLETED: usize = 30;
    let mut ids = Vec::new();
    if let Some(file) = journal::all_files(&host.paths).last() {
        // Without a journal that can be read `last` is still a word.
        let _ = journal::read(file, |entry| ids.extend(entry.stop.map(|stop| stop.id)));
    }
    let mut found = vec!["last".to_owned()];
    for id in ids.into_iter().rev() {
        if found.len() > COMPLETED {
            break;
        }
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}

impl FoundStop {
    /// The hooks that decided.
    pub(super) fn deciding(&self) -> impl Iterator<Item = &Run> {
        let decides = |run: &&Run| !run.shadow && matches!(run.verdict.as_str(), "ask" | "deny" | "block");
        self.entry.runs.iter().filter(decides)
    }

    /// What was done, when and by which agent: one line.
    pub(super) fn headline(&self, host: &Host) -> String {
        let did = match (self.entry.verdict.as_str(), EventKind::from_name(&self.entry.event)) {
            ("ask", _) => "asked about this",
            (_, Some(EventKind::Stop | EventKind::SubagentStop)) => "held this turn",
            (_, Some(EventKind::UserPromptSubmit)) => "held this prompt",
            (_, Some(EventKind::PreCompact)) => "held this compaction",
            _ => "blocked this",
        };
        let ago = Stamp::parse(&self.entry.t).map(|at| when::ago(host.clock.now(), at)).unwrap_or_default();
        let agent =
            AgentId::from_name(&self.entry.agent).map_or(self.entry.agent.as_str(), |id| id.spec().title);
        let session: String = self.entry.session.chars().take(8).collect();
        let place = host.paths.tilde(Path::new(&self.entry.cwd));
        format!("sprag {did} {ago} ({}): {agent}, session {session}, in {place}", self.stop.id)
    }

    /// What was stopped: the tool and its input, or the event; nothing in it moves the cursor or hides.
    pub(super) fn call(&self) -> String {
        let shown = visible(&self.stop.shown);
        match &self.entry.tool {
            Some(tool) => format!("{tool}: {shown}"),
            None if shown.is_empty() => self.entry.event.clone(),
            None => format!("{}: {shown}", self.entry.event),
        }
    }
}

/// What a rule is for.
fn purpose(run: &Run) -> Option<String> {
    let rule = run.rule.as_deref().and_then(|id| sprag_rules::all_rules().find(|rule| rule.id == id));
    let spec = sprag_hooks::SPECS.iter().find(|spec| spec.name == hook_name(run));
    rule.map(|rule| rule.reason.to_owned()).or_else(|| spec.map(|spec| spec.summary.to_owned()))
}

/// How a rule is switched off.
fn off(run: &Run) -> String {
    let hook = hook_name(run);
    let switch = message::switch_off(hook);
    match run.rule.as_deref().map(|rule| (rule, rule.split_once(':'))) {
        Some((_, Some(("self-protection", _)))) => "it is always on".to_owned(),
        Some((rule, _)) if hook == "command-guard" => {
            format!("sprag disable {rule}; the whole hook: {switch}")
        }
        Some((_, Some(("lesson", slug)))) => format!("sprag lessons archive {slug}"),
        _ => switch,
    }
}

/// What says more about a hook: a command, which is there wherever sprag is.
fn docs(run: &Run) -> String {
    format!("sprag hooks show {}", hook_name(run))
}

pub(crate) fn run(args: &WhyArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let found = find(host, &args.which)?;
    let FoundStop { entry, stop } = &found;
    let allow: Vec<(String, &str)> = match (&stop.key, entry.event.as_str()) {
        (None, _) => Vec::new(),
        (Some(_), "PreToolUse" | "PermissionRequest") => vec![
            (format!("sprag allow {}", stop.id), "exactly this call, once"),
            (format!("sprag allow {} --session", stop.id), "exactly this call, in this session"),
            (format!("sprag allow {} --always", stop.id), "exactly this call, in this project"),
        ],
        (Some(_), _) => vec![(format!("sprag allow {}", stop.id), "once")],
    };
    if args.json {
        let rules: Vec<Value> = found
            .deciding()
            .map(|run| {
                json!({"hook": hook_name(run), "rule": run.rule, "verdict": run.verdict, "reason": run.reason,
                    "matched": run.matched, "for": purpose(run), "off": off(run), "docs": docs(run)})
            })
            .collect();
        let allow: Vec<&String> = allow.iter().map(|(command, _)| command).collect();
        out.json(&json!({"id": stop.id, "at": entry.t, "agent": entry.agent, "session": entry.session,
            "subagent": entry.subagent, "cwd": entry.cwd, "project": stop.project, "event": entry.event,
            "tool": entry.tool, "call": stop.shown, "verdict": entry.verdict, "rules": rules, "allow": allow}));
        return Ok(ExitCode::SUCCESS);
    }
    let line = |label: &str, text: &str| {
        out.line(&format!("  {}  {text}", out.paint(Tone::Dim, &format!("{label:<8}"))));
    };
    let row = |label: &str, text: &str| {
        for (at, part) in wrap(text, out.width().saturating_sub(12)).iter().enumerate() {
            line(if at == 0 { label } else { "" }, part);
        }
    };
    out.heading(&found.headline(host));
    row("when", &Stamp::parse(&entry.t).map_or_else(|| entry.t.clone(), when::local));
    row("call", &found.call());
    for run in found.deciding() {
        out.line("");
        row("hook", hook_name(run));
        row("rule", run.rule.as_deref().unwrap_or("-"));
        row("for", &purpose(run).unwrap_or_else(|| "a hook of your own".to_owned()));
        row("matched", &visible(run.matched.as_deref().unwrap_or_default()));
        row("reason", &visible(run.reason.as_deref().unwrap_or_default()));
        row("off", &off(run));
        row("more", &docs(run));
    }
    out.line("");
    if allow.is_empty() {
        row("allow", "no approval lifts this; a person can do it in a terminal of their own");
    }
    for (at, (command, what)) in allow.iter().enumerate() {
        line(if at == 0 { "allow" } else { "" }, &format!("{command:<27}  {}", out.paint(Tone::Dim, what)));
    }
    Ok(ExitCode::SUCCESS)
}
