//! `sprag store`: the database behind coordination and statistics.

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_coord::store::{Setup, micros, spool};
use sprag_store::{Error, LATEST, OnKnown, Opening, Store};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use sprag_worker::sync;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(clap::Subcommand)]
enum StoreCommand {
    /// Where it is, what is in it, what waits to be sent
    #[command(after_help = "Example:\n  sprag store status --json")]
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make it, bring its schema up to date, and ingest what waits
    #[command(after_help = "Example:\n  sprag store migrate")]
    Migrate {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write every row as JSON lines
    #[command(after_help = "Example:\n  sprag store export all.jsonl")]
    Export {
        /// The file; without it, standard output
        file: Option<PathBuf>,
        /// Print JSON about what was done (needs a file)
        #[arg(long, requires = "file")]
        json: bool,
    },
    /// Read what `export` wrote, from this backend or the other; rows that are there stay
    #[command(
        after_help = "Examples:\n  SPRAG_STORE_URL=postgres://me@db/sprag sprag store import all.jsonl\n  sprag store import all.jsonl --replace"
    )]
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
        /// Rows that are there are replaced by those of the file
        #[arg(long)]
        replace: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove old counts and sessions that ended
    #[command(after_help = "Example:\n  sprag store prune --older-than 30d")]
    Prune {
        /// What is older goes: 12h, 30d, 8w; without it, `store.keep_days`
        #[arg(long, value_parser = when::parse_span)]
        older_than: Option<Duration>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &StoreArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let setup = Setup::read(host).map_err(explained)?;
    match &args.command {
        StoreCommand::Status { json } => return Ok(status(host, &setup, *json, out)),
        StoreCommand::Migrate { json } => migrate(host, &setup, *json, out)?,
        StoreCommand::Export { file, json } => export(&setup, file.as_deref(), *json, out)?,
        StoreCommand::Import { file, replace, json } => {
            let on_known = if *replace { OnKnown::Replace } else { OnKnown::Keep };
            import(&setup, file, on_known, *json, out)?;
            // Vectors are no part of an export.
            sprag_memory::memories::embed_later(host)?;
            sprag_runtime::queue::wake(host);
        }
        StoreCommand::Prune { older_than, json } => {
            prune(host, &setup, older_than.unwrap_or(setup.keep), *json, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) use sprag_terminal::explained;

fn status(host: &Host, setup: &Setup, as_json: bool, out: &Out) -> ExitCode {
    let facts = Store::open(&setup.target, Opening::LOOK).and_then(|mut store| store.facts());
    let (waiting, dead) = (spool::waiting(&host.paths).len(), spool::dead(&host.paths));
    let backend = if setup.target.is_remote() { "postgres" } else { "sqlite" };
    let missing = facts.as_ref().err() == Some(&Error::Missing);
    if as_json {
        let mut value = json!({
            "backend": backend,
            "place": setup.target.shown(),
            "ok": facts.is_ok() || missing,
            "wanted_schema": LATEST,
            "spool": { "waiting": waiting, "dead": dead },
        });
        let more = match &facts {
            Ok(facts) => json!({
                "server": facts.server,
                "schema": facts.schema,
                "bytes": facts.bytes,
                "pgvector": facts.vector.as_ref().map(|vector| json!({
                    "version": vector.version, "installed": vector.installed,
                })),
                "rows": facts.rows.iter().map(|(name, rows)| ((*name).to_owned(), json!(rows)))
                    .collect::<serde_json::Map<String, Value>>(),
            }),
            Err(error) => json!({ "error": error.to_string(), "do": error.hint() }),
        };
        if let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) {
            map.extend(more);
        }
        out.json(&value);
    } else {
        out.line(&format!("{}  {backend}, {}", out.paint(Tone::Strong, "store"), setup.target.shown()));
        match &facts {
            Ok(facts) => {
                out.line(&format!(
                    "       {}, schema {}, {} KB",
                    facts.server,
                    facts.schema,
                    facts.bytes / 1024
                ));
                if let Some(vector) = &facts.vector {
                    let state = if vector.installed {
                        "in this database"
                    } else {
                        "on the server, not in this database"
                    };
                    out.line(&format!("       pgvector {} {state}", vector.version));
                }
                let mut table = Table::new(&["table", ">rows"]);
                for (name, rows) in &facts.rows {
                    table.row(vec![(Tone::Plain, (*name).to_owned()), (Tone::Plain, rows.to_string())]);
                }
                out.table(&table);
            }
            Err(error) => {
                let tone = if missing { Tone::Dim } else { Tone::Bad };
                out.line(&format!("       {}", out.paint(tone, &error.to_string())));
                out.line(&format!("       {}", error.hint()));
            }
        }
        out.line(&format!(
            "spool  {waiting} to be sent{}",
            if dead > 0 { format!(", {dead} given up") } else { String::new() }
        ));
    }
    if facts.is_ok() || missing { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn open(setup: &Setup) -> anyhow::Result<Store> {
    // A person waits longer than a worker: a migration of a large table takes its time.
    let opening = Opening { wait: Duration::from_secs(60), ..Opening::WORKER };
    Store::open(&setup.target, opening).map_err(explained)
}

fn migrate(host: &Host, setup: &Setup, as_json: bool, out: &Out) -> anyhow::Result<()> {
    let before = match Store::open(&setup.target, Opening::LOOK) {
        Ok(_) => LATEST,
        Err(Error::Outdated { found, .. }) => found,
        Err(_) => 0,
    };
    let mut store = open(setup)?;
    let synced = sync::sync(host, setup, &mut store).map_err(explained)?;
    if as_json {
        out.json(&json!({
            "from": before, "to": LATEST,
            "sent": synced.delivered.sent, "dead": synced.delivered.dead,
            "lines": synced.ingested.lines, "broken_lines": synced.ingested.broken,
        }));
    } else {
        let schema = if before == LATEST {
            format!("schema {LATEST} already")
        } else {
            format!("schema {before} to {LATEST}")
        };
        out.line(&format!(
            "{schema}; {} waiting changes sent, {} lines of the journal ingested",
            synced.delivered.sent, synced.ingested.lines
        ));
    }
    Ok(())
}

fn export(setup: &Setup, file: Option<&std::path::Path>, as_json: bool, out: &Out) -> anyhow::Result<()> {
    let mut store = Store::open(&setup.target, Opening::LOOK).map_err(explained)?;
    let Some(path) = file else {
        store.export(&mut std::io::stdout().lock()).map_err(explained)?;
        return Ok(());
    };
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(std::path::Path::new("."));
    // Whole or not at all, and for the owner alone: what sessions did is nobody else's business.
    let scratch = tempfile::NamedTempFile::new_in(folder).with_context(|| {
        Problem::new(format!("{} cannot be written", path.display()), "name another file")
    })?;
    let mut writer = BufWriter::new(scratch);
    let rows = store.export(&mut writer).map_err(explained)?;
    writer.flush()?;
    writer
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?
        .persist(path)
        .map_err(|error| error.error)?;
    if as_json {
        out.json(&json!({ "rows": rows, "file": path }));
    } else {
        out.line(&format!("{rows} rows to {}", path.display()));
    }
    Ok(())
}

fn import(
    setup: &Setup,
    file: &std::path::Path,
    on_known: OnKnown,
    as_json: bool,
    out: &Out,
) -> anyhow::Result<()> {
    let mut store = open(setup)?;
    let done = if file.as_os_str() == "-" {
        store.import(&mut std::io::stdin().lock(), on_known)
    } else {
        let from = sprag_base::files::open_argument(file).with_context(|| {
            Problem::new(
                format!("{} cannot be read", file.display()),
                "name the file that `sprag store export` wrote",
            )
        })?;
        store.import(&mut BufReader::new(from), on_known)
    };
    let done = done.map_err(|error| anyhow::anyhow!("nothing was imported: {error}"))?;
    if as_json {
        out.json(&json!({ "added": done.added, "known": done.known, "replaced": done.replaced }));
    } else if on_known == OnKnown::Replace {
        out.line(&format!("{} rows added, {} replaced", done.added, done.replaced));
    } else {
        out.line(&format!("{} rows added, {} were there already", done.added, done.known));
    }
    Ok(())
}

fn prune(host: &Host, setup: &Setup, age: Duration, as_json: bool, out: &Out) -> anyhow::Result<()> {
    let mut store = match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Err(Error::Missing) => None,
        other => Some(other.map_err(explained)?),
    };
    let now = host.clock.now();
    let gone = match &mut store {
        Some(store) => store.prune(micros(now.before(age)), micros(now)).map_err(explained)?,
        None => Vec::new(),
    };
    if as_json {
        let rows: serde_json::Map<String, Value> =
            gone.iter().map(|(name, rows)| ((*name).to_owned(), json!(rows))).collect();
        out.json(&json!({ "older_than_s": age.as_secs(), "removed": rows }));
    } else {
        let all: u64 = gone.iter().map(|(_, rows)| rows).sum();
        out.line(&format!("{all} rows older than {} removed", when::span(age)));
    }
    Ok(())
}
