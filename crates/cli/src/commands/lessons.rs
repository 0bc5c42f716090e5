//! `sprag lessons`: what was learned, reviewed and kept.

mod change;
mod doctor;
mod fixes;
mod intake;
mod review;
mod scan;
mod show;

use crate::commands::counted;
use crate::commands::store::explained;
use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_coord::store::{Setup, micros};
use sprag_lessons::library::{self, Rebuilt};
use sprag_lessons::model::{Lesson, Status};
use sprag_lessons::news;
use sprag_lessons::scan::calls;
use sprag_store::{Opening, Store};
use sprag_terminal::person::{agent_around, refuse_inside_agent};
use sprag_terminal::{Out, Problem};
use std::path::Path;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct LessonsArgs {
    #[command(subcommand)]
    command: LessonsCommand,
}

#[derive(clap::Subcommand)]
enum LessonsCommand {
    /// Add a lesson
    #[command(
        after_help = "Examples:\n  sprag lessons add --summary S --problem P --solution Q --trigger 'git stash'\n  sprag lessons add --summary S --problem P --solution Q --path '**/*.sql'\n  sprag lessons add --file lesson.json\n  sprag lessons add --project --file lesson.json"
    )]
    Add(Box<intake::AddArgs>),
    /// List lessons; the active ones unless a status is given
    #[command(
        after_help = "Examples:\n  sprag lessons list\n  sprag lessons list --status candidate --json\n  sprag lessons list --type guard --tag tool:git"
    )]
    List(show::ListArgs),
    /// Everything that is known of one lesson
    #[command(after_help = "Example:\n  sprag lessons show do-not-stash-1a2b")]
    Show {
        /// Its slug or id
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a lesson
    #[command(
        after_help = "Examples:\n  sprag lessons edit do-not-stash-1a2b --priority 8\n  sprag lessons edit do-not-stash-1a2b --patch '{\"type\": \"guard\", \"toolNames\": [\"Bash\"]}'"
    )]
    Edit(Box<change::EditArgs>),
    /// Look for lessons in the agents' transcripts
    #[command(
        after_help = "Examples:\n  sprag lessons scan\n  sprag lessons scan --path ~/.claude/projects/-work-shop --dry-run\n  sprag lessons scan --full --json"
    )]
    Scan(scan::ScanArgs),
    /// Look through candidates and decide; a list where there is no terminal
    #[command(after_help = "Examples:\n  sprag lessons review\n  sprag lessons review --json")]
    Review(review::ReviewArgs),
    /// Activate candidates
    #[command(
        after_help = "Examples:\n  sprag lessons promote do-not-stash-1a2b\n  sprag lessons promote do-not-stash-1a2b --patch '{\"type\": \"guard\"}'"
    )]
    Promote(change::PromoteArgs),
    /// Archive lessons: they are kept, and no longer matched
    #[command(
        after_help = "Example:\n  sprag lessons archive do-not-stash-1a2b --reason 'the tool was fixed'"
    )]
    Archive(change::ArchiveArgs),
    /// Compile the active lessons; every change does this by itself
    #[command(after_help = "Example:\n  sprag lessons build --json")]
    Build {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What a call would be told or denied; nothing is counted
    #[command(
        name = "match",
        after_help = "Examples:\n  sprag lessons match --command 'git stash pop'\n  sprag lessons match --tool Edit --path src/a.py --content 'print(1)'\n  sprag lessons match --payload call.json --json"
    )]
    Match(Box<show::MatchArgs>),
    /// Read lessons from a manifest, a database or a list; they are active at once
    #[command(
        after_help = "Examples:\n  sprag lessons import lesson-manifest.json\n  sprag lessons import lessons.db --replace"
    )]
    Import(change::ImportArgs),
    /// Write lessons as JSON
    #[command(
        after_help = "Examples:\n  sprag lessons export lessons.json\n  sprag lessons export --manifest > lesson-manifest.json"
    )]
    Export(show::ExportArgs),
    /// Errors that were met before and what fixed them; they are told when they are met again
    #[command(
        after_help = "Examples:\n  sprag lessons fixes\n  sprag lessons fixes 4f1c2aa90b12\n  sprag lessons fixes 4f1c2aa90b12 --forget"
    )]
    Fixes(fixes::FixesArgs),
    /// What is wrong with the lessons, and what to do about it
    #[command(
        after_help = "Examples:\n  sprag lessons doctor\n  sprag lessons doctor --json\n\nExit code 1 when there are errors."
    )]
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &LessonsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let unread = news::unread(&host.paths);
    let done = dispatch(args, host, out)?;
    let looked = match &args.command {
        LessonsCommand::List(_) | LessonsCommand::Show { .. } | LessonsCommand::Review(_) => true,
        // A change of one's own is no news.
        LessonsCommand::Add(_)
        | LessonsCommand::Edit(_)
        | LessonsCommand::Promote(_)
        | LessonsCommand::Archive(_)
        | LessonsCommand::Import(_) => unread == 0,
        _ => false,
    };
    // What a model reads is not what its user has seen.
    if looked && (unread > 0 || news::unread(&host.paths) > 0) && agent_around(&host.env).is_none() {
        let _ = news::looked(&host.paths, host.clock.now());
    }
    Ok(done)
}

fn dispatch(args: &LessonsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        LessonsCommand::Add(args) => intake::add(args, host, out),
        LessonsCommand::List(args) => show::list(args, host, out),
        LessonsCommand::Show { name, json } => show::show(name, *json, host, out),
        LessonsCommand::Edit(args) => change::edit(args, host, out),
        LessonsCommand::Scan(args) => scan::run(args, host, out),
        LessonsCommand::Review(args) => review::run(args, host, out),
        LessonsCommand::Promote(args) => change::promote(args, host, out),
        LessonsCommand::Archive(args) => change::archive(args, host, out),
        LessonsCommand::Build { json } => build(*json, host, out),
        LessonsCommand::Match(args) => show::matching(args, host, out),
        LessonsCommand::Import(args) => change::import(args, host, out),
        LessonsCommand::Export(args) => show::export(args, host, out),
        LessonsCommand::Fixes(args) => fixes::run(args, host, out),
        LessonsCommand::Doctor { json } => doctor::run(*json, host, out),
    }
}

/// A model may propose lessons and change its proposals. What is told or enforced is a person's to say.
fn only_proposals_inside_agent<'a>(
    host: &Host,
    lessons: impl IntoIterator<Item = &'a Lesson>,
) -> anyhow::Result<()> {
    let mut lessons = lessons.into_iter();
    if lessons.any(|lesson| lesson.status != Status::Candidate) { refuse_inside_agent(host) } else { Ok(()) }
}

/// The store, open.
fn open(host: &Host) -> anyhow::Result<Store> {
    let setup = Setup::read(host).map_err(explained)?;
    Store::open(&setup.target, Opening::WORKER).map_err(explained)
}

fn now(host: &Host) -> i64 {
    micros(host.clock.now())
}

/// The lesson with this slug or id; the beginning of a slug is enough when no other begins so.
fn named(store: &mut Store, name: &str) -> anyhow::Result<Lesson> {
    if let Some(row) = store.lesson(name).map_err(explained)? {
        return Lesson::from_row(&row).with_context(|| {
            Problem::new(format!("{name} cannot be read"), "`sprag store export` shows what is kept of it")
        });
    }
    let all = library::lessons(store).map_err(explained)?;
    let mut begin = all.iter().filter(|lesson| !name.is_empty() && lesson.slug.starts_with(name));
    match (begin.next(), begin.next()) {
        (Some(lesson), None) => Ok(lesson.clone()),
        (Some(_), Some(_)) => anyhow::bail!(Problem::new(
            format!("several lessons begin with `{name}`"),
            "`sprag lessons list --status all` shows their slugs"
        )),
        _ => {
            let slugs: Vec<&str> = all.iter().map(|lesson| lesson.slug.as_str()).collect();
            let near = sprag_config::parse::nearest(name, &slugs);
            let hint = near.map_or_else(
                || "`sprag lessons list --status all` shows what there is".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            anyhow::bail!(Problem::new(format!("there is no lesson `{name}`"), &hint))
        }
    }
}

/// What speaks against a lesson's trigger: the share of its project's own calls that it matches.
fn too_broad(host: &Host, lesson: &Lesson) -> Option<String> {
    let root = match lesson.scope.as_deref().filter(|scope| scope.starts_with('/')) {
        Some(scope) => scope.to_owned(),
        None => crate::commands::project_at(host, None).root.display().to_string(),
    };
    calls::too_broad(&host.paths, lesson, &root)
}

/// Keeps a changed lesson, and compiles.
fn keep(host: &Host, store: &mut Store, lessons: &[Lesson]) -> anyhow::Result<Rebuilt> {
    let rows: Vec<_> = lessons.iter().map(Lesson::row).collect();
    store.put_lessons(&rows).map_err(explained)?;
    library::rebuild(host, store, true).map_err(explained)
}

/// What did not go into the compiled file.
fn warn(rebuilt: &Rebuilt, out: &Out) {
    for fault in rebuilt.faults.iter().take(20) {
        out.note(&format!(
            "warning: {}: the pattern `{}` does not count: {}",
            fault.slug, fault.pattern, fault.error
        ));
    }
    if rebuilt.faults.len() > 20 {
        out.note(&format!("warning: and {} more (`sprag lessons doctor`)", rebuilt.faults.len() - 20));
    }
}

fn build(json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    sprag_lessons::fires::fold(&host.paths, &mut store, now(host)).map_err(explained)?;
    let rebuilt = library::rebuild(host, &mut store, true).map_err(explained)?;
    if json {
        let faults: Vec<_> = rebuilt
            .faults
            .iter()
            .map(|fault| serde_json::json!({"slug": fault.slug, "pattern": fault.pattern, "error": fault.error}))
            .collect();
        out.json(&serde_json::json!({
            "lessons": rebuilt.lessons, "left_out": rebuilt.left_out, "faults": faults,
            "file": library::store_index(&host.paths),
        }));
    } else {
        out.line(&counted(rebuilt.lessons, "active lesson"));
        if !rebuilt.left_out.is_empty() {
            out.line(&format!(
                "{} wait for something that is not installed, or are made needless by something that is",
                rebuilt.left_out.len()
            ));
        }
        warn(&rebuilt, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// A file, or standard input for `-`.
fn read_text(path: &Path) -> anyhow::Result<String> {
    if path.as_os_str() == "-" {
        return std::io::read_to_string(std::io::stdin())
            .context(Problem::new("standard input cannot be read", "it must be UTF-8"));
    }
    sprag_base::files::read_argument_text(path)
        .with_context(|| Problem::new(format!("{} cannot be read", path.display()), "check the path"))
}
