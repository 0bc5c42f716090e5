//! `sprag knowledge`: what sessions left, and what can be done with it.

mod find;
mod keep;
mod status;
mod takeover;

use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_memory::knowledge::index::{Doc, DocKind};
use sprag_memory::knowledge::outcome::Outcome;
use sprag_terminal::Out;
use sprag_terminal::when;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct KnowledgeArgs {
    #[command(subcommand)]
    command: KnowledgeCommand,
}

#[derive(clap::Subcommand)]
enum KnowledgeCommand {
    /// Write the handoff of the current session now, without waiting for its end
    #[command(after_help = "Example:\n  sprag knowledge handoff-now")]
    HandoffNow {
        /// The session's id or the start of it; without it, the newest of this project
        #[arg(long)]
        session: Option<String>,
        /// This transcript instead
        #[arg(long, conflicts_with = "session")]
        transcript: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Full-text search over sessions, learnings, decisions, failures and handoffs, best first
    #[command(after_help = "Example:\n  sprag knowledge search cart total --here")]
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// Look through the folder for files that changed first
        #[arg(long)]
        refresh: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what is stored, the newest first
    #[command(after_help = "Example:\n  sprag knowledge list --kind decision --here")]
    List {
        #[command(flatten)]
        which: Which,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one thing: `handoff`, a session's id (or the start of it), or a file's name
    #[command(after_help = "Examples:\n  sprag knowledge show handoff\n  sprag knowledge show d42fd80c")]
    Show {
        /// What
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Export sessions to markdown now, those without a person too
    #[command(after_help = "Example:\n  sprag knowledge export")]
    Export {
        /// Transcripts; without them, the sessions at work here
        transcripts: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say how a handoff went: succeeded, partial-plus, partial-minus or failed
    #[command(after_help = "Example:\n  sprag knowledge outcome succeeded --notes 'released'")]
    Outcome {
        /// How it went; without it, shows the handoff that waits for a word
        #[arg(value_parser = outcome)]
        outcome: Option<Outcome>,
        /// The session that left the handoff, or the start of its id; without it, the present handoff's
        #[arg(long)]
        session: Option<String>,
        /// A word on why
        #[arg(long, default_value = "")]
        notes: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Where it is, what is in it, what this project remembers, what the background did
    #[command(after_help = "Example:\n  sprag knowledge status")]
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove old copies of transcripts and, when asked, old exports; what was learned stays
    #[command(after_help = "Example:\n  sprag knowledge prune --sessions-older-than 52w --dry-run")]
    Prune {
        /// Exported sessions that are older go: 90d, 52w
        #[arg(long, value_parser = when::parse_span)]
        sessions_older_than: Option<Duration>,
        /// Only say what would go
        #[arg(long)]
        dry_run: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Import what another program remembers
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  sprag knowledge import --from ledgers\n  sprag knowledge import --from claude-mem\n  sprag knowledge import --from basic-memory ~/basic-memory\n  sprag knowledge import --from mem0 export.json\n  sprag knowledge import --from lazy-harness ~/notes/knowledge"
    )]
    Import {
        /// Which program's
        #[arg(long, value_enum)]
        from: Option<ImportSource>,
        /// The folder or file; without it, where the program keeps it
        path: Option<PathBuf>,
        /// Keep notes for this project alone, not for every one
        #[arg(long)]
        here: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(subcommand)]
        other: Option<From>,
    },
}

/// What can be taken over.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ImportSource {
    /// Continuity ledgers and handoffs in this repository (`thoughts/`)
    Ledgers,
    /// A knowledge folder of lazy-harness
    LazyHarness,
    /// The database of claude-mem, as far as it is about this project
    ClaudeMem,
    /// What the agent itself remembers of this project
    ClaudeMemory,
    /// Notes of basic-memory
    BasicMemory,
    /// Notes of MemPalace
    Mempalace,
    /// An export of mem0 in JSON
    Mem0,
}

#[derive(clap::Subcommand)]
enum From {
    /// A knowledge folder of lazy-harness
    #[command(after_help = "Example:\n  sprag knowledge import lazy-harness ~/notes/knowledge")]
    LazyHarness {
        /// The folder
        dir: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct Which {
    /// Only this: session, learning, decision, failure or handoff
    #[arg(long, value_parser = kind)]
    kind: Option<&'static str>,
    /// Only of this project
    #[arg(long)]
    here: bool,
    /// At most so many
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: usize,
}

fn kind(word: &str) -> Result<&'static str, String> {
    let known = DocKind::ALL.map(DocKind::name);
    let word = word.trim_end_matches('s');
    known.into_iter().find(|name| *name == word).ok_or_else(|| format!("one of: {}", known.join(", ")))
}

fn outcome(word: &str) -> Result<Outcome, String> {
    Outcome::parse(word).ok_or_else(|| "one of: succeeded, partial-plus, partial-minus, failed".to_owned())
}

pub(crate) fn run(args: &KnowledgeArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        KnowledgeCommand::HandoffNow { session, transcript, json } => {
            keep::handoff_now(host, out, session.as_deref(), transcript.as_deref(), *json)
        }
        KnowledgeCommand::Search { words, which, refresh, json } => {
            find::search(host, out, &words.join(" "), which, *refresh, *json)
        }
        KnowledgeCommand::List { which, json } => find::list(host, out, which, *json),
        KnowledgeCommand::Show { name, json } => find::show(host, out, name, *json),
        KnowledgeCommand::Export { transcripts, json } => keep::export(host, out, transcripts, *json),
        KnowledgeCommand::Outcome { outcome, session, notes, json } => {
            keep::outcome(host, out, *outcome, session.as_deref(), notes, *json)
        }
        KnowledgeCommand::Status { json } => Ok(status::run(host, out, *json)),
        KnowledgeCommand::Prune { sessions_older_than, dry_run, json } => {
            keep::prune(host, out, *sessions_older_than, *dry_run, *json)
        }
        KnowledgeCommand::Import { other: Some(From::LazyHarness { dir, json }), .. } => {
            takeover::lazy_harness(host, out, dir, *json)
        }
        KnowledgeCommand::Import { from, path, here, json, other: None } => {
            takeover::import(host, out, *from, path.as_deref(), *here, *json)
        }
    }
}

/// A document as every listing shows it.
fn doc_json(doc: &Doc) -> Value {
    json!({
        "kind": doc.kind, "title": doc.title, "date": doc.date, "project": doc.project,
        "project_key": doc.project_key, "session": doc.session, "path": doc.path, "line": doc.line,
        "messages": doc.messages,
    })
}
