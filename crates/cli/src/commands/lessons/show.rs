//! `sprag lessons list|show|match|export`: what there is, and what it would do.

use super::{named, now, open};
use crate::commands::store::explained;
use crate::commands::{counted, project_at};
use anyhow::Context as _;
use serde_json::{Map, Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_lessons::call::{self, LessonCall};
use sprag_lessons::model::{Lesson, LessonKind, Status, first_line};
use sprag_lessons::pattern::PatternText;
use sprag_lessons::{fires, library, project};
use sprag_protocol::{AgentId, decode};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// candidate, reviewed, active, disabled, archived, or all
    #[arg(long, default_value = "active")]
    status: String,
    /// hint, guard, protocol or directive
    #[arg(long = "type", value_parser = super::intake::kind)]
    kind: Option<LessonKind>,
    /// Only those with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct MatchArgs {
    /// The tool; with a command it is Bash
    #[arg(long)]
    tool: Option<String>,
    /// The command
    #[arg(long)]
    command: Option<String>,
    /// The path
    #[arg(long)]
    path: Option<String>,
    /// What would be written
    #[arg(long)]
    content: Option<String>,
    /// A payload, as an agent sends it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "command", "path", "content"])]
    payload: Option<PathBuf>,
    /// Only whether this lesson matches
    #[arg(long)]
    slug: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The file; without it, standard output
    file: Option<PathBuf>,
    /// Only active lessons, as a manifest that other programs read
    #[arg(long)]
    manifest: bool,
}

/// Columns from which on a table has room for the summary.
const WIDE: usize = 140;

pub(super) fn list(args: &ListArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let wanted = match args.status.as_str() {
        "all" => None,
        word => Some(super::change::status(word).map_err(|error| {
            anyhow::anyhow!(Problem::new(format!("unknown status `{word}`"), format!("{error}, or all")))
        })?),
    };
    let mut store = open(host)?;
    fires::fold(&host.paths, &mut store, now(host)).map_err(explained)?;
    let did = store.fires().map_err(explained)?;
    let mut all = library::lessons(&mut store).map_err(explained)?;
    if let Some(sprag) = &project_at(host, None).sprag {
        let own = project::read(&project::folder(sprag), true);
        own.warnings.iter().for_each(|warning| out.note(&format!("warning: .sprag/lessons/{warning}")));
        all.extend(own.lessons);
    }
    all.retain(|lesson| {
        wanted.is_none_or(|status| lesson.status == status)
            && args.kind.is_none_or(|kind| lesson.kind == kind)
            && args.tag.as_ref().is_none_or(|tag| lesson.tags.contains(tag))
    });
    let fires_of = |lesson: &Lesson| did.get(&lesson.id).copied().unwrap_or_default();
    if args.json {
        let rows: Vec<Value> = all.iter().map(|lesson| with_fires(lesson, fires_of(lesson))).collect();
        out.json(&json!({ "lessons": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        out.line(&format!(
            "no lessons{}",
            wanted.map_or(String::new(), |status| format!(" with status {}", status.name()))
        ));
        return Ok(ExitCode::SUCCESS);
    }
    if out.width() < WIDE {
        // The summary is what tells one from another: it is shown whole, on lines of its own.
        for lesson in &all {
            let fires = fires_of(lesson);
            let (kind, status) = (lesson.kind.name(), lesson.status.name());
            let fired = counted(fires.shown + fires.denied, "time");
            let facts = out.paint(Tone::Dim, &format!("{kind}, {status}, fired {fired}"));
            out.line(&format!("{}  {facts}", out.paint(Tone::Strong, &lesson.slug)));
            out.labelled("    ", 4, &first_line(&lesson.summary, 200));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["slug", "type", "status", ">pri", ">fired", "about", "summary"]);
    for lesson in &all {
        let fires = fires_of(lesson);
        let tone = if lesson.kind == LessonKind::Guard { Tone::Warn } else { Tone::Plain };
        table.row(vec![
            (Tone::Strong, lesson.slug.clone()),
            (tone, lesson.kind.name().to_owned()),
            (Tone::Plain, lesson.status.name().to_owned()),
            (Tone::Plain, lesson.priority.to_string()),
            (Tone::Plain, (fires.shown + fires.denied).to_string()),
            (Tone::Dim, about(lesson)),
            (Tone::Plain, first_line(&lesson.summary, 72)),
        ]);
    }
    out.table(&table);
    Ok(ExitCode::SUCCESS)
}

fn with_fires(lesson: &Lesson, fires: sprag_store::Fires) -> Value {
    let mut value = serde_json::to_value(lesson).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("fireCount".into(), json!(fires.shown + fires.denied));
        map.insert("denyCount".into(), json!(fires.denied));
        map.insert("helped".into(), json!(fires.helped));
        map.insert("ignored".into(), json!(fires.ignored));
        map.insert(
            "lastFired".into(),
            if fires.last > 0 { json!(Stamp(fires.last as u64).to_string()) } else { Value::Null },
        );
    }
    value
}

/// What it is about, in one cell.
fn about(lesson: &Lesson) -> String {
    if !lesson.kind.about_calls() {
        return "every session".to_owned();
    }
    let pattern = lesson
        .command_patterns
        .first()
        .or_else(|| lesson.path_patterns.first())
        .or_else(|| lesson.content_patterns.first());
    let tools = if lesson.tool_names.is_empty() { "no tool".to_owned() } else { lesson.tool_names.join(",") };
    first_line(&format!("{tools} {}", pattern.map_or("", PatternText::source)), 40)
}

pub(super) fn show(name: &str, as_json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    fires::fold(&host.paths, &mut store, now(host)).map_err(explained)?;
    let lesson = named(&mut store, name)?;
    let fires = store.fires().map_err(explained)?.get(&lesson.id).copied().unwrap_or_default();
    if as_json {
        out.json(&with_fires(&lesson, fires));
        return Ok(ExitCode::SUCCESS);
    }
    out.heading(&lesson.slug);
    out.line(&format!(
        "{}, {}, priority {}, confidence {:.2}",
        lesson.kind.name(),
        lesson.status.name(),
        lesson.priority,
        lesson.confidence
    ));
    out.line("");
    out.line(&lesson.text());
    out.line("");
    let line = |label: &str, text: String| {
        if !text.is_empty() {
            out.line(&format!("{label:<10} {text}"));
        }
    };
    let texts =
        |patterns: &[PatternText]| patterns.iter().map(PatternText::source).collect::<Vec<_>>().join("  ");
    line("tools", lesson.tool_names.join(", "));
    line("command", texts(&lesson.command_patterns));
    line("path", texts(&lesson.path_patterns));
    line("content", texts(&lesson.content_patterns));
    line("also", texts(&lesson.model_patterns));
    line("project", lesson.scope.clone().unwrap_or_default());
    line("tags", lesson.tags.join(", "));
    if lesson.occurrence_count > 0 {
        line(
            "seen",
            format!(
                "{} in {} of {}",
                counted(lesson.occurrence_count, "time"),
                counted(lesson.session_count, "session"),
                counted(lesson.project_count, "project")
            ),
        );
    }
    if fires.last > 0 {
        let last = when::ago(host.clock.now(), Stamp(fires.last as u64));
        line(
            "spoke",
            format!(
                "{}, denied {}, helped in {}, ignored in {}, last {last}",
                counted(fires.shown, "time"),
                fires.denied,
                counted(fires.helped, "session"),
                fires.ignored
            ),
        );
    }
    line("archived", lesson.archive_reason.clone().unwrap_or_default());
    for (at, action, detail) in store.reviews(&lesson.id).map_err(explained)? {
        line(&action, format!("{} {detail}", when::local(Stamp(at as u64))).trim_end().to_owned());
    }
    Ok(ExitCode::SUCCESS)
}

/// The call that the options describe, as a payload.
fn typed(args: &MatchArgs) -> anyhow::Result<String> {
    let mut input = Map::new();
    for (key, value) in [
        ("command", &args.command),
        ("file_path", &args.path),
        ("content", &args.content),
        ("new_string", &args.content),
    ] {
        if let Some(value) = value {
            input.insert(key.to_owned(), json!(value));
        }
    }
    let tool = match (&args.tool, &args.command) {
        (Some(tool), _) => tool.clone(),
        (None, Some(_)) => "Bash".to_owned(),
        (None, None) => {
            anyhow::bail!(Problem::new(
                "which call?",
                "sprag lessons match --command 'git stash', or --tool Edit --path a.py"
            ))
        }
    };
    let cwd = std::env::current_dir().unwrap_or_default();
    let payload =
        json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": cwd});
    Ok(payload.to_string())
}

pub(super) fn matching(args: &MatchArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let payload = match &args.payload {
        Some(file) => super::read_text(file)?,
        None => typed(args)?,
    };
    let event = decode::decode(payload.as_bytes(), Some(AgentId::CANONICAL), &|name| host.env.get(name))
        .map_err(|error| {
            anyhow::anyhow!(Problem::new(&error, "give one JSON object with tool_name and tool_input"))
        })?;
    let call = LessonCall::of(&event, host.env.get(sprag_lessons::call::PLATFORM).as_deref())
        .context(Problem::new("the payload has no tool call", "it needs tool_name and tool_input"))?;
    let project = sprag_project::Project::find(&event.cwd, &host.env, &host.paths.home);
    let (mut found, troubles) = call::matching(host, &project, &call);
    troubles.iter().for_each(|trouble| out.note(&format!("warning: {trouble}")));
    found.retain(|found| args.slug.as_ref().is_none_or(|slug| &found.entry.slug == slug));
    if args.json {
        let rows: Vec<Value> = found
            .iter()
            .map(|found| {
                let entry = &found.entry;
                json!({
                    "slug": entry.slug, "id": entry.id, "type": entry.kind.name(), "priority": entry.priority,
                    "effect": found.effect(), "summary": entry.summary, "message": entry.message,
                })
            })
            .collect();
        out.json(&json!({ "tool": call.tool(), "matches": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        out.line("no lesson matches");
    }
    for found in &found {
        let tone = match (found.given_up, found.entry.kind) {
            (true, _) => Tone::Bad,
            (_, LessonKind::Guard) => Tone::Warn,
            _ => Tone::Good,
        };
        out.line(&format!(
            "{}  {}  {}",
            out.paint(tone, found.effect()),
            out.paint(Tone::Strong, &found.entry.slug),
            found.entry.summary
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn export(args: &ExportArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    let all = library::lessons(&mut store).map_err(explained)?;
    let value = if args.manifest {
        manifest(&all, host)
    } else {
        json!({ "sprag": "lessons", "version": 1, "lessons": all })
    };
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    match &args.file {
        None => out.raw(&text),
        Some(file) => {
            sprag_base::files::write_durable(file, text.as_bytes()).with_context(|| {
                Problem::new(format!("{} cannot be written", file.display()), "check the path")
            })?;
            out.line(&format!("{} written to {}", counted(all.len(), "lesson"), file.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The active lessons, in the form that the import reads too.
fn manifest(all: &[Lesson], host: &Host) -> Value {
    let mut lessons = Map::new();
    for lesson in all.iter().filter(|lesson| matches!(lesson.status, Status::Active | Status::Disabled)) {
        let sources = |patterns: &[PatternText], flags: &str, path: bool| -> Vec<Value> {
            let one = |pattern: &PatternText| match serde_json::to_value(pattern) {
                Ok(Value::Object(flagged)) => Value::Object(flagged),
                _ if path => json!({"source": pattern.path_expression(), "flags": flags}),
                _ => json!({"source": pattern.source(), "flags": flags}),
            };
            patterns.iter().map(one).collect()
        };
        let mut entry = json!({
            "slug": lesson.slug, "type": lesson.kind.name(), "priority": lesson.priority, "toolNames": lesson.tool_names,
            "commandRegexSources": sources(&lesson.command_patterns, "", false),
            "commandMatchTarget": lesson.target(),
            "pathRegexSources": sources(&lesson.path_patterns, "i", true),
            "modelRegexSources": sources(&lesson.model_patterns, "i", false),
            "tags": lesson.tags, "scope": lesson.scope, "message": lesson.text(), "summary": lesson.summary,
            "problem": lesson.problem, "solution": lesson.solution,
        });
        if let Some(map) = entry.as_object_mut() {
            if !lesson.content_patterns.is_empty() {
                let patterns = sources(&lesson.content_patterns, "", false);
                map.insert("contentRegexSources".to_owned(), json!(patterns));
            }
            if lesson.status == Status::Disabled {
                map.insert("disabled".to_owned(), json!(true));
            }
        }
        lessons.insert(lesson.id.clone(), entry);
    }
    json!({
        "type": "lessons-learned-manifest", "version": 1, "generatedAt": host.clock.now().to_string(), "lessons": lessons,
    })
}
