//! `sprag data`: what sprag has stored about a person and a project, to take along or to delete.

use crate::commands::project_at;
use crate::commands::store::explained;
use anyhow::{Context as _, bail};
use serde_json::json;
use sprag_base::files;
use sprag_base::id::{safe_name, short_hash};
use sprag_base::text::size;
use sprag_config::host::Host;
use sprag_coord::store::Setup;
use sprag_memory::knowledge::{Knowledge, export, front, index};
use sprag_project::Project;
use sprag_runtime::journal;
use sprag_store::{Error, Opening, Store, Target};
use sprag_terminal::person;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(clap::Subcommand)]
enum DataCommand {
    /// What is stored, and where
    #[command(after_help = "Examples:\n  sprag data show\n  sprag data show --project --json")]
    Show {
        /// Only what is about this project
        #[arg(long)]
        project: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Copy everything that is stored into a new folder
    #[command(
        after_help = "Examples:\n  sprag data export backup\n  sprag data export shop-data --project\n\nThe rows of the store can be read again with `sprag store import`."
    )]
    Export {
        /// The folder; it must not exist
        folder: PathBuf,
        /// Only what is about this project
        #[arg(long)]
        project: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete what is stored (interactive only, refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag data delete --project\n  sprag data delete --all\n\nSettings and your own hooks stay; `sprag undeploy` removes sprag from the agents."
    )]
    Delete {
        /// What is about this project
        #[arg(long, required_unless_present = "all", conflicts_with = "all")]
        project: bool,
        /// Everything
        #[arg(long)]
        all: bool,
    },
}

/// The project whose data are meant.
struct OneProject {
    root: PathBuf,
    key: String,
    /// Sessions that ran in it.
    sessions: BTreeSet<String>,
    /// Its entries in the journal.
    entries: usize,
}

/// A part of what is stored.
struct Part {
    name: &'static str,
    what: &'static str,
    files: Vec<PathBuf>,
}

impl Part {
    fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum()
    }
}

pub(crate) fn run(args: &DataArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let one = |wanted: bool| wanted.then(|| OneProject::here(host));
    match &args.command {
        DataCommand::Show { project, json } => show(host, one(*project).as_ref(), *json, out)?,
        DataCommand::Export { folder, project, json } => {
            export_all(host, one(*project).as_ref(), folder, *json, out)?;
        }
        DataCommand::Delete { project, .. } => delete(host, one(*project).as_ref(), out)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl OneProject {
    fn here(host: &Host) -> Self {
        let project: Project = project_at(host, None);
        let key = project.key(&host.machine());
        let mut one = Self { key, root: project.root, sessions: BTreeSet::new(), entries: 0 };
        let (mut sessions, mut entries) = (BTreeSet::new(), 0);
        let _ = journal::read_all(&host.paths, |entry| {
            if one.has(&entry.cwd) {
                entries += 1;
                sessions.insert(entry.session);
            }
        });
        sessions.remove("");
        (one.sessions, one.entries) = (sessions, entries);
        one
    }

    /// True for a folder of the project.
    fn has(&self, cwd: &str) -> bool {
        Path::new(cwd).starts_with(&self.root)
    }
}

/// The files that hold data, by part. Of a project only those that are about it alone; the journal is the others' too.
fn parts(host: &Host, one: Option<&OneProject>) -> Vec<Part> {
    let (paths, knowledge) = (&host.paths, Knowledge::open(host));
    let mut parts = Vec::new();
    let mut part = |name, what, files: Vec<PathBuf>| parts.push(Part { name, what, files });
    let Some(one) = one else {
        part(
            "knowledge",
            "what sessions left: exports, handoffs, decisions",
            knowledge_files(host, &knowledge),
        );
        let journal = journal::all_files(paths).into_iter().filter(|file| file.is_file());
        part("journal", "what every hook decided", journal.collect());
        let state = all_files(&paths.state).into_iter().filter(|file| !is_journal(file));
        let (cache, state): (Vec<_>, Vec<_>) = state.partition(|file| file.starts_with(paths.cache()));
        part("state", "the store's file, sessions, recordings, queue, code index", state);
        part("cache", "compiled configurations and lessons", cache);
        return parts;
    };
    let of_session = |file: &PathBuf| {
        let pairs = export::front_of(file).unwrap_or_default();
        let is = |key: &str, value: &str| front::get(&pairs, key) == Some(value);
        is("project_key", &knowledge.memory(&project_at(host, None)).key)
    };
    let exports = index::all_files(&knowledge).into_iter().filter(of_session);
    let memory = all_files(&knowledge.memory(&project_at(host, None)).dir);
    part("knowledge", "what sessions left: exports, handoffs, decisions", exports.chain(memory).collect());
    let hash = short_hash(one.root.as_os_str().as_encoded_bytes());
    let folders = ["verify", "code", "patterns"].map(|name| paths.state.join(name).join(&hash));
    let mut state: Vec<PathBuf> = folders.iter().flat_map(|folder| all_files(folder)).collect();
    for session in &one.sessions {
        let name = safe_name(session);
        state.extend(all_files(&paths.sessions().join(&name)));
        state.extend([
            sprag_runtime::record::folder(paths).join(format!("{name}.jsonl")),
            paths.state.join("artifacts").join(format!("{name}.json")),
        ]);
    }
    state.retain(|file| file.is_file());
    part("state", "its sessions, recordings, checks, code index", state);
    parts
}

/// The files that sprag wrote into the knowledge folder, which may be a folder of the user's with other files in it.
fn knowledge_files(host: &Host, knowledge: &Knowledge) -> Vec<PathBuf> {
    let own = [knowledge.sessions(), knowledge.memories(), knowledge.backups(), knowledge.learnings.clone()];
    let inside = own.iter().filter(|folder| folder.starts_with(&knowledge.root)).chain([&host.paths.data]);
    let found: BTreeSet<PathBuf> = inside.flat_map(|folder| all_files(folder)).collect();
    found.into_iter().collect()
}

fn is_journal(file: &Path) -> bool {
    let named = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("journal"));
    named && file.extension().is_some_and(|extension| extension == "jsonl")
}

/// The files below a folder; links are not followed.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(_) => found.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    found.sort();
    found
}

fn show(host: &Host, one: Option<&OneProject>, as_json: bool, out: &Out) -> anyhow::Result<()> {
    let parts = parts(host, one);
    let rows = match (one, store(host)?) {
        (Some(one), Some(mut store)) => {
            Some(store.export_project(&one.key, &mut std::io::sink()).map_err(explained)?)
        }
        _ => None,
    };
    if as_json {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| json!({ "part": part.name, "what": part.what, "files": part.files.len(), "bytes": part.bytes() }))
            .collect();
        out.json(&json!({
            "project": one.map(|one| &one.root), "parts": parts, "rows": rows,
            "journal_entries": one.map(|one| one.entries),
            "folders": { "config": host.paths.config, "data": Knowledge::open(host).root, "state": host.paths.state },
        }));
        return Ok(());
    }
    let mut table = Table::new(&["part", ">files", ">size", "what"]);
    for part in &parts {
        let count = (Tone::Plain, part.files.len().to_string());
        table.row(vec![
            (Tone::Strong, part.name.to_owned()),
            count,
            (Tone::Plain, size(part.bytes())),
            (Tone::Dim, part.what.to_owned()),
        ]);
    }
    out.table(&table);
    let tilde = |path: &Path| host.paths.tilde(path);
    out.line(&format!("settings   {}", tilde(&host.paths.config)));
    out.line(&format!("knowledge  {}", tilde(&Knowledge::open(host).root)));
    out.line(&format!("the rest   {}", tilde(&host.paths.state)));
    if let Ok(setup) = Setup::read(host) {
        let count = rows.map(|rows| format!(" ({rows} rows of this project)")).unwrap_or_default();
        out.line(&format!("store      {}{count}", tilde(Path::new(&setup.target.shown()))));
    }
    if let Some(one) = one {
        out.line(&format!("journal    {} entries of this project", one.entries));
    }
    out.line(
        &out.paint(Tone::Dim, "Nothing leaves this machine until you configure a server, model or endpoint."),
    );
    Ok(())
}

/// The store, when there is one.
fn store(host: &Host) -> anyhow::Result<Option<Store>> {
    let setup = Setup::read(host).map_err(explained)?;
    match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Ok(store) => Ok(Some(store)),
        Err(Error::Missing) => Ok(None),
        Err(error) => Err(explained(error)),
    }
}

fn export_all(
    host: &Host,
    one: Option<&OneProject>,
    folder: &Path,
    as_json: bool,
    out: &Out,
) -> anyhow::Result<()> {
    if folder.exists() {
        bail!(Problem::new(format!("{} exists", folder.display()), "name a folder that does not exist"));
    }
    files::make_dir(folder).with_context(|| {
        Problem::new(format!("{} cannot be created", folder.display()), "name another folder")
    })?;
    let mut copied = 0;
    let mut copy = |files: &[PathBuf], base: &Path, name: &str| -> anyhow::Result<()> {
        for file in files {
            let to = folder.join(name).join(file.strip_prefix(base).unwrap_or(Path::new("file")));
            if let Some(parent) = to.parent() {
                files::make_dir(parent)?;
            }
            // A file that went in the meantime is no fault.
            copied += usize::from(files::copy(file, &to, u64::MAX).is_ok());
        }
        Ok(())
    };
    let knowledge = Knowledge::open(host);
    for part in parts(host, one) {
        match part.name {
            "knowledge" => copy(&part.files, &knowledge.root, "knowledge")?,
            // The store's file is exported as rows; the others are of use to this machine alone.
            "state" => {
                let recorded: Vec<_> = part
                    .files
                    .into_iter()
                    .filter(|file| file.starts_with(sprag_runtime::record::folder(&host.paths)))
                    .collect();
                copy(&recorded, &host.paths.state, "state")?;
            }
            _ => {}
        }
    }
    if one.is_none() {
        copy(&all_files(&host.paths.config), &host.paths.config, "config")?;
    }
    let mut lines = std::io::BufWriter::new(files::create_new(&folder.join("journal.jsonl"))?);
    let mut failed = None;
    journal::read_all(&host.paths, |entry| {
        if one.is_none_or(|one| one.has(&entry.cwd)) {
            let line = serde_json::to_string(&entry).unwrap_or_default();
            failed = failed.take().or(writeln!(lines, "{line}").err());
        }
    })?;
    lines.flush()?;
    failed.map_or(Ok(()), Err)?;
    let rows = match store(host)? {
        None => 0,
        Some(mut store) => {
            let mut file = std::io::BufWriter::new(files::create_new(&folder.join("store.jsonl"))?);
            let rows = match one {
                Some(one) => store.export_project(&one.key, &mut file),
                None => store.export(&mut file),
            };
            file.flush()?;
            rows.map_err(explained)?
        }
    };
    if as_json {
        out.json(&json!({ "folder": folder, "files": copied, "rows": rows }));
    } else {
        out.line(&format!("{}: {copied} files, the journal, {rows} rows of the store", folder.display()));
    }
    Ok(())
}

fn delete(host: &Host, one: Option<&OneProject>, out: &Out) -> anyhow::Result<()> {
    person::refuse_inside_agent(host)?;
    if !person::at_terminal() {
        bail!(Problem::new(
            "this asks before it deletes, and there is no terminal to ask on",
            "run it in a terminal"
        ));
    }
    person::require_terminal_or_quiet(host)?;
    show(host, one, false, out)?;
    let question = match one {
        Some(one) => format!("Delete what sprag stored about {}?", host.paths.tilde(&one.root)),
        None => "Delete everything that sprag stored? Guards keep working; memories, lessons and statistics are lost.".to_owned(),
    };
    out.line(&out.paint(Tone::Dim, "`sprag data export FOLDER` keeps a copy."));
    if !out.confirm(&question) {
        out.line("nothing was deleted");
        return Ok(());
    }
    let mut rows = 0;
    if let Some(one) = one {
        if let Some(mut store) = store(host)? {
            rows = store.delete_project(&one.key).map_err(explained)?.iter().map(|(_, rows)| rows).sum();
        }
        journal::remove(&host.paths, |entry| one.has(&entry.cwd))?;
        let _ = sprag_config::trust::revoke(&host.paths, &one.root);
    } else if let Ok(setup) = Setup::read(host)
        && !matches!(setup.target, Target::Sqlite(_))
    {
        out.note("The server's database is shared and stays; `sprag store prune` removes old rows of it.");
    }
    let mut gone = 0;
    for file in parts(host, one).iter().flat_map(|part| &part.files) {
        gone += usize::from(files::remove(file).is_ok());
    }
    if one.is_none() {
        for folder in [&host.paths.state, &host.paths.data] {
            remove_empty(folder);
        }
    }
    out.line(&format!("deleted: {gone} files, {rows} rows of the store"));
    Ok(())
}

/// Removes folders that hold nothing.
fn remove_empty(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(&entry.path());
        }
    }
    let _ = std::fs::remove_dir(folder);
}
