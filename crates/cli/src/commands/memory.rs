//! `sprag memory`: what is remembered: keep, find, look, change, forget.

pub(crate) mod import;
mod reembed;
mod review;
mod show;
mod timeline;

use crate::commands::project_at;
use crate::commands::store::explained;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_memory::memories;
use sprag_memory::recall::short_id;
use sprag_memory::recall::{Draft, Error, Library, Maker, Question, Remembered};
use sprag_protocol::AgentId;
use sprag_store::{Memory, MemoryFilter, Opening, Reach};
use sprag_terminal::person;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub(crate) use show::stats;

#[derive(clap::Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(clap::Subcommand)]
enum MemoryCommand {
    /// Remember a text; the same text, or nearly the same, is kept once
    #[command(
        after_help = "Examples:\n  sprag memory add 'Staging needs the VPN' --tag deploy\n  echo 'The build needs Node 22' | sprag memory add - --scope project"
    )]
    Add {
        /// The text; `-` reads standard input
        text: String,
        #[command(flatten)]
        what: WhatArgs,
        /// A memory that this one belongs to
        #[arg(long, value_name = "ID")]
        link: Vec<String>,
        /// A memory whose place this one takes
        #[arg(long, value_name = "ID")]
        supersedes: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Find memories by words and by meaning, the best first
    #[command(
        after_help = "Examples:\n  sprag memory recall 'cannot reach the test system' -n 3\n  sprag memory recall deploy --json | jq -r '.[].text'"
    )]
    Recall {
        /// What about
        text: String,
        /// At most this many
        #[arg(short = 'n', long, default_value_t = 5)]
        limit: usize,
        /// Those of every project and agent
        #[arg(long)]
        all: bool,
        /// Only what a session would be told without asking
        #[arg(long)]
        worth: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List memories, the last changed first
    #[command(after_help = "Example:\n  sprag memory list --kind decision --scope project")]
    List {
        /// Of this kind
        #[arg(long)]
        kind: Option<String>,
        /// Of this scope
        #[arg(long, value_enum)]
        scope: Option<Scope>,
        /// With this tag
        #[arg(long)]
        tag: Option<String>,
        /// At most this many
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: i64,
        /// Also those that hold no longer
        #[arg(long)]
        past: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one memory with its links and its previous versions
    #[command(after_help = "Example:\n  sprag memory show 1a2b3c")]
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a memory; the previous text is kept
    #[command(after_help = "Example:\n  sprag memory edit 1a2b3c 'Staging needs the new VPN'")]
    Edit {
        /// Its id, or the beginning of it
        id: String,
        /// The new text; `-` reads standard input; without it, the text stays
        text: Option<String>,
        #[command(flatten)]
        what: WhatArgs,
        /// Only when it still has this version
        #[arg(long, value_name = "VERSION")]
        if_version: Option<i64>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget memories
    #[command(after_help = "Example:\n  sprag memory forget 1a2b3c")]
    Forget {
        /// Their ids, or the beginnings of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// How many there are, of which kinds, and whether all can be found by meaning
    #[command(after_help = "Example:\n  sprag memory stats --json")]
    Stats {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make the vectors that are missing for the configured model, now instead of in the background
    #[command(after_help = "Example:\n  sprag memory reembed")]
    Reembed {
        /// Also those that are there
        #[arg(long)]
        all: bool,
        /// Then drop the vectors of other models
        #[arg(long)]
        prune: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What was believed when: memories with the time in which they held, the oldest first
    #[command(after_help = "Example:\n  sprag memory timeline 'staging database'")]
    Timeline {
        /// What about; without it, everything
        text: Option<String>,
        /// Only of this project
        #[arg(long)]
        here: bool,
        /// At most this many
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What waits for a person: memories that look like instructions to a model
    #[command(
        after_help = "Examples:\n  sprag memory review\n  sprag memory review --accept 1a2b3c\n  sprag memory review --reject 1a2b3c\n\nAccepting is interactive only, refused inside an agent."
    )]
    Review {
        /// Show this one from now on
        #[arg(long, value_name = "ID")]
        accept: Vec<String>,
        /// Forget this one
        #[arg(long, value_name = "ID")]
        reject: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remember the contents of a file: JSON (lines) with `text`, or Markdown in parts
    #[command(after_help = "Example:\n  sprag memory import notes.md --scope project")]
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
        #[command(flatten)]
        what: WhatArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scope {
    /// In every project
    User,
    /// In this project
    Project,
    /// For one agent program
    Agent,
}

impl Scope {
    const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Agent => "agent",
        }
    }
}

#[derive(Clone, clap::Args)]
struct WhatArgs {
    /// learning, decision, failure, preference, fact, or a custom value
    #[arg(long)]
    kind: Option<String>,
    /// Whom it concerns [default: user]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// The agent, for `--scope agent`
    #[arg(long, default_value = AgentId::CANONICAL.name(), value_name = "NAME")]
    agent: String,
    /// A word to find it by
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// 1 to 10 [default: 5]
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=10))]
    importance: Option<i64>,
    /// Forget it after this long: 12h, 30d, 8w
    #[arg(long, value_parser = when::parse_span)]
    ttl: Option<Duration>,
    /// The session it comes from
    #[arg(long, default_value = "")]
    session: String,
}

impl WhatArgs {
    /// A draft of a new memory. What an agent adds is kept for its project, whatever it asks for: it is shown nowhere else.
    fn draft(&self, host: &Host, out: &Out, text: String) -> Draft {
        let maker = maker(host);
        let scope = match self.scope {
            Some(scope) if maker == Maker::Agent && scope != Scope::Project => {
                out.note("kept for this project: what an agent adds is shown in no other");
                Scope::Project
            }
            None if maker == Maker::Agent => Scope::Project,
            other => other.unwrap_or(Scope::User),
        };
        let own = host.env.get("SPRAG_SESSION_ID").filter(|_| maker == Maker::Agent);
        Draft {
            text,
            kind: self.kind.clone().unwrap_or_default(),
            scope: scope.name().to_owned(),
            place: self.place(host, scope),
            tags: self.tag.clone(),
            agent: agent_name(host, maker),
            session: if self.session.is_empty() { own.unwrap_or_default() } else { self.session.clone() },
            origin: String::new(),
            importance: self.importance.unwrap_or(0),
            lives: self.ttl.map(|ttl| ttl.as_micros() as i64),
            maker,
            project: project_at(host, None).key(&host.machine()),
            valid_from: None,
        }
    }

    fn place(&self, host: &Host, scope: Scope) -> String {
        match scope {
            Scope::User => String::new(),
            Scope::Project => project_at(host, None).key(&host.machine()),
            Scope::Agent => self.agent.clone(),
        }
    }
}

/// Who is adding something: a person, or the agent that this runs inside of.
pub(crate) fn maker(host: &Host) -> Maker {
    if person::agent_around(&host.env).is_some() { Maker::Agent } else { Maker::Person }
}

fn agent_name(host: &Host, maker: Maker) -> String {
    let named = person::agent_variable(&host.env).filter(|_| maker == Maker::Agent);
    named.map(str::to_lowercase).unwrap_or_default()
}

pub(crate) fn run(args: &MemoryArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        MemoryCommand::Add { text, what, link, supersedes, json } => {
            add(host, out, text, what, (link, supersedes), *json)?;
        }
        MemoryCommand::Recall { text, limit, all, worth, json } => {
            recall(host, out, text, *limit, *all, *worth, *json)?;
        }
        MemoryCommand::List { kind, scope, tag, limit, past, json } => {
            let filter = MemoryFilter {
                kind: kind.clone(),
                scope: scope.map(|scope| scope.name().to_owned()),
                place: None,
                tag: tag.clone(),
                limit: (*limit).clamp(1, 100_000),
                past: *past,
                quarantined: false,
            };
            list(host, out, &filter, *json)?;
        }
        MemoryCommand::Show { id, json } => show::show(host, out, id, *json)?,
        MemoryCommand::Edit { id, text, what, if_version, json } => {
            edit(host, out, id, text.as_deref(), what, *if_version, *json)?;
        }
        MemoryCommand::Forget { ids, json } => forget(host, out, ids, *json)?,
        MemoryCommand::Stats { json } => stats(host, out, *json)?,
        MemoryCommand::Reembed { all, prune, json } => reembed::reembed(host, out, *all, *prune, *json)?,
        MemoryCommand::Import { file, what, json } => import::import(host, out, file, what, *json)?,
        MemoryCommand::Timeline { text, here, limit, json } => {
            timeline::timeline(host, out, text.as_deref(), *here, *limit, *json)?;
        }
        MemoryCommand::Review { accept, reject, json } => review::review(host, out, accept, reject, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One line what, one line what to do.
fn said(error: Error) -> anyhow::Error {
    match error {
        Error::Store(error) => explained(error),
        other => anyhow::anyhow!("{other}"),
    }
}

/// Opens the memories, making the store when there is none.
fn open(host: &Host) -> anyhow::Result<Library> {
    memories::open(host, Opening { wait: Duration::from_secs(20), ..Opening::WORKER }).map_err(said)
}

/// Says why meaning took no part, and leaves what is missing to the background.
fn tell_trouble(host: &Host, out: &Out, library: &Library, what: &str) -> anyhow::Result<()> {
    if let Some(why) = library.trouble() {
        out.note(&format!("{what}: {why}"));
    }
    if library.is_behind() {
        memories::embed_later(host)?;
    }
    Ok(())
}

/// Opens the memories for a look; `None` when there are none.
fn look(host: &Host) -> anyhow::Result<Option<Library>> {
    memories::look(host).map_err(said)
}

fn typed(text: &str) -> anyhow::Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut read = String::new();
    std::io::stdin()
        .read_to_string(&mut read)
        .context(Problem::new("standard input cannot be read", "give the text itself"))?;
    Ok(read)
}

fn add(
    host: &Host,
    out: &Out,
    text: &str,
    what: &WhatArgs,
    (link, supersedes): (&[String], &[String]),
    as_json: bool,
) -> anyhow::Result<()> {
    let draft = what.draft(host, out, typed(text)?);
    let now = micros(host.clock.now());
    let mut library = open(host)?;
    let replaced: Vec<Memory> =
        supersedes.iter().map(|id| one(&mut library, id)).collect::<anyhow::Result<_>>()?;
    let targets: Vec<Memory> = link.iter().map(|id| one(&mut library, id)).collect::<anyhow::Result<_>>()?;
    let kept = library.remember(&draft, now).map_err(said)?;
    for target in &targets {
        library.store().link_memories(kept.id(), &target.id, "related").map_err(explained)?;
    }
    for old in &replaced {
        library.store().supersede_memory(&old.id, kept.id(), now).map_err(explained)?;
    }
    tell_trouble(host, out, &library, "found by words until the background has made its vector")?;
    let now_kept = one(&mut library, kept.id())?;
    let ended = ended_by(&mut library, kept.id())?;
    let status = match kept {
        Remembered::New(_) => "new",
        Remembered::Same(_) => "same",
        Remembered::Near(_) => "near",
    };
    if as_json {
        out.json(&json!({
            "id": kept.id(), "status": status, "duplicate": status != "new", "supersedes": ended,
            "quarantine": now_kept.is.quarantine,
        }));
    } else {
        let said = match kept {
            Remembered::New(_) => "remembered",
            Remembered::Same(_) => "known already",
            Remembered::Near(_) => "known already, in nearly the same words",
        };
        out.line(&format!("{}  {said}", out.paint(Tone::Strong, &short_id(kept.id()))));
        for id in &ended {
            out.line(&format!(
                "{}  holds no longer (`sprag memory show {}`)",
                short_id(id),
                short_id(kept.id())
            ));
        }
        if !now_kept.is.quarantine.is_empty() {
            out.line(&format!(
                "It looks like an instruction to a model ({}): nobody is shown it before a person has looked at it \
                 (`sprag memory review`).",
                now_kept.is.quarantine
            ));
        }
    }
    Ok(())
}

/// The memories whose place this one took.
fn ended_by(library: &mut Library, id: &str) -> anyhow::Result<Vec<String>> {
    let links = library.store().memory_links(id).map_err(explained)?;
    let mut ended = Vec::new();
    for (other, _) in links.into_iter().filter(|(_, kind)| kind == "supersedes") {
        if one(library, &other)?.superseded_by == id {
            ended.push(other);
        }
    }
    Ok(ended)
}

fn recall(
    host: &Host,
    out: &Out,
    text: &str,
    limit: usize,
    all: bool,
    worth: bool,
    as_json: bool,
) -> anyhow::Result<()> {
    let now = micros(host.clock.now());
    let project = project_at(host, None);
    let reach = Reach { all, ..memories::reach(host, &project, AgentId::CANONICAL.name()) };
    let question = Question { text: text.to_owned(), reach, most: limit.clamp(1, 40), only: None };
    let mut found = match look(host)? {
        Some(mut library) => {
            let found = library.recall(&question, now).map_err(said)?;
            tell_trouble(host, out, &library, "found by words alone")?;
            found
        }
        None => Vec::new(),
    };
    found.retain(|found| found.is_worth_it() || (!worth && found.is_related()));
    if as_json {
        let list: Vec<Value> = found
            .iter()
            .map(|found| {
                let mut value = show::value(&found.memory);
                if let Some(map) = value.as_object_mut() {
                    map.insert("score".into(), json!((f64::from(found.evidence) * 1000.0).round() / 1000.0));
                    map.insert(
                        "cosine".into(),
                        json!((f64::from(found.signals.cosine) * 1000.0).round() / 1000.0),
                    );
                    map.insert("worth".into(), json!(found.is_worth_it()));
                    map.insert("by_words".into(), json!(found.signals.by_words.is_some()));
                }
                value
            })
            .collect();
        out.json(&Value::Array(list));
        return Ok(());
    }
    if found.is_empty() {
        out.line("Nothing is remembered about that.");
        return Ok(());
    }
    for found in &found {
        let tone = if found.is_worth_it() { Tone::Good } else { Tone::Dim };
        out.line(&format!(
            "{}  {}  {}",
            out.paint(tone, &format!("{:.2}", found.evidence)),
            out.paint(Tone::Strong, &short_id(&found.memory.id)),
            out.paint(Tone::Dim, &format!("[{}] {}", found.memory.is.kind, show::whose(&found.memory)))
        ));
        for line in found.memory.is.text.lines() {
            out.line(&format!("      {line}"));
        }
    }
    Ok(())
}

fn list(host: &Host, out: &Out, filter: &MemoryFilter, as_json: bool) -> anyhow::Result<()> {
    let now = host.clock.now();
    let found = match look(host)? {
        Some(mut library) => library.store().list_memories(filter, micros(now)).map_err(explained)?,
        None => Vec::new(),
    };
    if as_json {
        out.json(&json!({ "memories": found.iter().map(show::value).collect::<Vec<_>>() }));
        return Ok(());
    }
    if found.is_empty() {
        out.line("Nothing is remembered yet; `sprag memory add TEXT` keeps something.");
        return Ok(());
    }
    let mut table = Table::new(&["id", "kind", "for", "changed", ">uses", "text"]);
    for memory in &found {
        let text: String = memory.is.text.replace('\n', " ").chars().take(80).collect();
        table.row(vec![
            (Tone::Strong, short_id(&memory.id)),
            (Tone::Plain, memory.is.kind.clone()),
            (Tone::Dim, show::whose(memory)),
            (Tone::Plain, when::ago(now, Stamp(memory.updated as u64))),
            (Tone::Dim, memory.uses.to_string()),
            (Tone::Plain, text),
        ]);
    }
    out.table(&table);
    Ok(())
}

/// The one memory that an id or its beginning means.
fn one(library: &mut Library, id: &str) -> anyhow::Result<Memory> {
    let mut found = library.store().find_memory(id).map_err(explained)?;
    match found.len() {
        0 => bail!(Problem::new(format!("there is no memory `{id}`"), "`sprag memory list` shows their ids")),
        1 => Ok(found.remove(0)),
        _ => bail!(Problem::new(format!("`{id}` begins the ids of several memories"), "give more of it")),
    }
}

fn edit(
    host: &Host,
    out: &Out,
    id: &str,
    text: Option<&str>,
    what: &WhatArgs,
    seen: Option<i64>,
    as_json: bool,
) -> anyhow::Result<()> {
    let mut library = open(host)?;
    let old = one(&mut library, id)?;
    let now = micros(host.clock.now());
    let mut draft = Draft::of(&old, now);
    if let Some(text) = text {
        // Whoever changes the words is answerable for them.
        (draft.text, draft.maker) = (typed(text)?, maker(host));
    }
    if let Some(scope) = what.scope {
        (draft.scope, draft.place) = (scope.name().to_owned(), what.place(host, scope));
    }
    if !what.tag.is_empty() {
        draft.tags.clone_from(&what.tag);
    }
    if !what.session.is_empty() {
        draft.session.clone_from(&what.session);
    }
    draft.kind = what.kind.clone().unwrap_or(draft.kind);
    draft.importance = what.importance.unwrap_or(draft.importance);
    draft.lives = what.ttl.map(|ttl| ttl.as_micros() as i64).or(draft.lives);
    if !library.edit(&old.id, seen.or(Some(old.version)), &draft, now).map_err(said)? {
        bail!(Problem::new(
            "the memory was changed by somebody else",
            format!("look at it with `sprag memory show {id}` and try again")
        ));
    }
    tell_trouble(host, out, &library, "found by words until the background has made its vector")?;
    let new = one(&mut library, &old.id)?;
    if as_json {
        out.json(&show::value(&new));
    } else {
        out.line(&format!(
            "{}  changed, version {}",
            out.paint(Tone::Strong, &short_id(&new.id)),
            new.version
        ));
    }
    Ok(())
}

fn forget(host: &Host, out: &Out, ids: &[String], as_json: bool) -> anyhow::Result<()> {
    let mut library = open(host)?;
    let found: Vec<Memory> = ids.iter().map(|id| one(&mut library, id)).collect::<anyhow::Result<_>>()?;
    let ids: Vec<String> = found.iter().map(|memory| memory.id.clone()).collect();
    let gone = library.store().forget_memories(&ids).map_err(explained)?;
    library.tidy().map_err(said)?;
    if as_json {
        out.json(&json!({ "forgotten": gone, "ids": ids }));
    } else {
        out.line(&format!("{gone} forgotten"));
    }
    Ok(())
}
