//! `sprag lessons add`: a new lesson, checked before it counts.

use super::{keep, now, open, read_text, warn};
use crate::commands::project_at;
use crate::commands::store::explained;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_lessons::import::{self, trigger_pattern};
use sprag_lessons::library;
use sprag_lessons::model::{Lesson, LessonKind, Source, Status, Target};
use sprag_lessons::pattern::PatternText;
use sprag_lessons::similar::{self, SAME};
use sprag_lessons::validate;
use sprag_scan::scrub::scrub;
use sprag_terminal::person;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    fields: Fields,
    /// The lesson as JSON: one object, a list, or a manifest
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    from_json: Option<String>,
    /// A file with that; `-` is standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write it to the project's .sprag/lessons instead, to be committed
    #[arg(long)]
    project: bool,
    /// Take it although something is wrong with it
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The fields of a lesson as options.
#[derive(clap::Args, Default)]
pub(super) struct Fields {
    /// One line
    #[arg(long)]
    summary: Option<String>,
    /// What went wrong, and why
    #[arg(long)]
    problem: Option<String>,
    /// What to do instead
    #[arg(long)]
    solution: Option<String>,
    /// hint, guard, protocol or directive
    #[arg(long = "type", value_parser = kind)]
    kind: Option<LessonKind>,
    /// A tool whose calls it is about (may be repeated)
    #[arg(long = "tool")]
    tools: Vec<String>,
    /// The command as it was typed
    #[arg(long)]
    trigger: Option<String>,
    /// A pattern on the command, or on what is written (may be repeated)
    #[arg(long = "command-pattern", value_name = "PATTERN")]
    commands: Vec<String>,
    /// A glob or pattern on the path (may be repeated)
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// A pattern on what is written (may be repeated)
    #[arg(long = "content-pattern", value_name = "PATTERN")]
    contents: Vec<String>,
    /// What command patterns are compared with: full, or executable (what the shell would run)
    #[arg(long, value_parser = target)]
    target: Option<Target>,
    /// A tag, `category:value` (may be repeated)
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// 1 to 10
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    priority: Option<u8>,
    /// 0 to 1
    #[arg(long)]
    confidence: Option<f64>,
    /// The project that it is about: its folder, or host/owner/repo
    #[arg(long)]
    scope: Option<String>,
    /// Minutes of silence after it spoke, in all sessions
    #[arg(long, value_name = "MINUTES")]
    cooldown: Option<u32>,
}

pub(super) fn kind(text: &str) -> Result<LessonKind, String> {
    LessonKind::from_name(text).ok_or_else(|| "one of hint, guard, protocol, directive".to_owned())
}

fn target(text: &str) -> Result<Target, String> {
    match text {
        "full" => Ok(Target::Full),
        "executable" => Ok(Target::Executable),
        _ => Err("one of full, executable".to_owned()),
    }
}

impl Fields {
    /// True when none of the three texts is given.
    fn says_nothing(&self) -> bool {
        [&self.summary, &self.problem, &self.solution].iter().all(|text| text.is_none())
    }

    /// Sets what was given.
    pub(super) fn apply(&self, lesson: &mut Lesson) {
        let patterns = |texts: &[String]| texts.iter().map(PatternText::new).collect::<Vec<_>>();
        let set = |to: &mut String, from: &Option<String>| {
            if let Some(text) = from {
                text.clone_into(to);
                // A text that came in one piece no longer says what its parts say.
                true
            } else {
                false
            }
        };
        let changed = [
            set(&mut lesson.summary, &self.summary),
            set(&mut lesson.problem, &self.problem),
            set(&mut lesson.solution, &self.solution),
        ];
        if changed.contains(&true) {
            lesson.message = None;
        }
        lesson.kind = self.kind.unwrap_or(lesson.kind);
        if !self.tools.is_empty() {
            lesson.tool_names = self
                .tools
                .iter()
                .flat_map(|tool| tool.split(','))
                .map(|tool| tool.trim().to_owned())
                .collect();
        }
        if let Some(trigger) = &self.trigger {
            lesson.command_patterns = vec![trigger_pattern(trigger.trim())];
        }
        if !self.commands.is_empty() {
            lesson.command_patterns = patterns(&self.commands);
        }
        if !self.paths.is_empty() {
            lesson.path_patterns = patterns(&self.paths);
        }
        if !self.contents.is_empty() {
            lesson.content_patterns = patterns(&self.contents);
        }
        lesson.command_match_target = self.target.or(lesson.command_match_target);
        if !self.tags.is_empty() {
            lesson.tags.clone_from(&self.tags);
        }
        lesson.priority = self.priority.unwrap_or(lesson.priority);
        lesson.confidence = self.confidence.unwrap_or(lesson.confidence);
        if let Some(scope) = &self.scope {
            lesson.scope = Some(scope.clone()).filter(|scope| !scope.is_empty());
        }
        lesson.cooldown_minutes = self.cooldown.unwrap_or(lesson.cooldown_minutes);
    }
}

/// Why a lesson was not taken.
struct Refused {
    summary: String,
    why: Vec<String>,
}

pub(super) fn add(args: &AddArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let given = match (&args.from_json, &args.file) {
        (Some(text), _) => Some(text.clone()),
        (None, Some(file)) => Some(read_text(file)?),
        (None, None) => None,
    };
    let lessons = match given {
        Some(text) => {
            let imported = import::json_text(&text).map_err(|error| {
                anyhow::anyhow!(Problem::new(&error, "give one JSON object with summary, problem, solution"))
            })?;
            imported.warnings.iter().for_each(|warning| out.note(&format!("warning: {warning}")));
            imported.lessons
        }
        None if args.fields.says_nothing() => bail!(Problem::new(
            "a lesson needs --summary, --problem and --solution, and --trigger or --path for when it is told",
            "or one JSON object with them: `sprag lessons add --file lesson.json`"
        )),
        None => vec![Lesson { source: Source::Manual, ..Lesson::new() }],
    };
    let mut store = open(host)?;
    let known = library::lessons(&mut store).map_err(explained)?;
    let around = person::agent_variable(&host.env);
    let mut added: Vec<Lesson> = Vec::new();
    let mut refused = Vec::new();
    for mut lesson in lessons {
        args.fields.apply(&mut lesson);
        lesson.id.clear();
        lesson.slug.clear();
        lesson.source = Source::Manual;
        for text in [&mut lesson.summary, &mut lesson.problem, &mut lesson.solution] {
            *text = scrub(text).into_owned();
        }
        // A model may propose; what counts is a person's to say.
        lesson.status = match (lesson.confidence, &around) {
            (_, Some(_)) => Status::Candidate,
            (confidence, None) if confidence < 0.7 => Status::Reviewed,
            _ => Status::Active,
        };
        lesson.created = now(host);
        lesson.updated = lesson.created;
        let lesson = lesson.settled(sprag_store::new_id);
        let mut why = validate::faults(&lesson);
        why.extend(twin(&lesson, known.iter().chain(&added)));
        if why.is_empty() || args.force {
            added.push(lesson);
        } else {
            refused.push(Refused { summary: lesson.summary, why });
        }
    }
    if args.project {
        write_files(&added, host, out)?;
    } else {
        let rebuilt = keep(host, &mut store, &added)?;
        for lesson in &added {
            store.note_review(now(host), "add", &lesson.id, lesson.status.name()).map_err(explained)?;
        }
        warn(&rebuilt, out);
    }
    tell(&added, &refused, args.json, out);
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same lesson, or one that is much alike.
fn twin<'a>(lesson: &Lesson, known: impl Iterator<Item = &'a Lesson>) -> Option<String> {
    let words = similar::words(&lesson.problem);
    for other in known {
        if other.content_hash == lesson.content_hash {
            return Some(format!("it is there already: {} ({})", other.slug, other.status.name()));
        }
        let in_use = matches!(other.status, Status::Active | Status::Reviewed);
        if in_use && similar::jaccard(&words, &similar::words(&other.problem)) >= SAME {
            return Some(format!(
                "it says the same as {}: change that one, or add this with --force",
                other.slug
            ));
        }
    }
    None
}

fn tell(added: &[Lesson], refused: &[Refused], as_json: bool, out: &Out) {
    if as_json {
        let refused: Vec<Value> =
            refused.iter().map(|one| json!({"summary": one.summary, "why": one.why})).collect();
        out.json(&json!({ "added": added, "refused": refused }));
        return;
    }
    for lesson in added {
        out.line(&format!(
            "added {} ({}, {}, priority {})",
            lesson.slug,
            lesson.kind.name(),
            lesson.status.name(),
            lesson.priority
        ));
        if lesson.status == Status::Candidate {
            out.note("a person activates it: sprag lessons review");
        }
    }
    for one in refused {
        let name = if one.summary.is_empty() { "the lesson" } else { &one.summary };
        out.problem(&Problem::new(format!("not added: {name}"), one.why.join("\n  ")).into());
    }
}

/// Files for the project, one per lesson.
fn write_files(lessons: &[Lesson], host: &Host, out: &Out) -> anyhow::Result<()> {
    let project = project_at(host, None);
    let folder = project.root.join(".sprag/lessons");
    for lesson in lessons {
        let mut document = toml_edit::DocumentMut::new();
        let list = |items: Vec<&str>| items.into_iter().collect::<toml_edit::Array>();
        document.insert("summary", toml_edit::value(&lesson.summary));
        document.insert("problem", toml_edit::value(&lesson.problem));
        document.insert("solution", toml_edit::value(&lesson.solution));
        document.insert("type", toml_edit::value(lesson.kind.name()));
        document.insert("priority", toml_edit::value(i64::from(lesson.priority)));
        for (key, texts) in [
            ("tool_names", lesson.tool_names.iter().map(String::as_str).collect::<Vec<_>>()),
            ("command_patterns", lesson.command_patterns.iter().map(PatternText::source).collect()),
            ("path_patterns", lesson.path_patterns.iter().map(PatternText::source).collect()),
            ("content_patterns", lesson.content_patterns.iter().map(PatternText::source).collect()),
            ("tags", lesson.tags.iter().map(String::as_str).collect()),
        ] {
            if !texts.is_empty() {
                document.insert(key, toml_edit::value(list(texts)));
            }
        }
        let path = folder.join(format!("{}.toml", lesson.slug));
        sprag_base::files::write_durable(&path, document.to_string().as_bytes()).with_context(|| {
            Problem::new(format!("{} cannot be written", path.display()), "check the folder's permissions")
        })?;
        out.note(&format!("written to {}", host.paths.tilde(&path)));
    }
    Ok(())
}
