//! `sprag record`: keeps the payloads of real sessions, scrubbed, so that they can be replayed.

use anyhow::Context as _;
use serde_json::json;
use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_config::host::Host;
use sprag_runtime::journal::Entry;
use sprag_runtime::record::{self, Recorded};
use sprag_terminal::{Out, Problem, Table, Tone};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `sprag record` takes.
#[derive(clap::Args)]
pub struct RecordArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Keep the payloads of every session from now on (without secrets, 50 MB at most)
    #[command(after_help = "Example:\n  sprag record on")]
    On,
    /// Stop that; what was kept stays
    #[command(after_help = "Example:\n  sprag record off")]
    Off,
    /// The sessions that were kept
    #[command(after_help = "Example:\n  sprag record list")]
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// The events of one session
    #[command(after_help = "Example:\n  sprag record show d42fd80c")]
    Show {
        /// The session's id, its beginning, or a file
        session: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs `sprag record`.
pub fn run(args: &RecordArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let switch = record::switch(&host.paths);
    match &args.action {
        Action::On => {
            files::write_atomic(&switch, host.clock.now().to_string().as_bytes())
                .with_context(|| format!("{} cannot be written", switch.display()))?;
            let folder = host.paths.tilde(&record::folder(&host.paths));
            out.line(&format!("recording: sessions go to {folder}, without secrets"));
            out.line("  `sprag record list` shows them, `sprag record off` stops it");
        }
        Action::Off => {
            match files::remove(&switch) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("{} cannot be removed", switch.display()));
                }
                _ => {}
            }
            out.line("not recording");
        }
        Action::List { json } => list(host, out, *json)?,
        Action::Show { session, json } => show(&find(host, session)?, out, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The recording that a person means: a file, a session's id, or the beginning of one.
pub(crate) fn find(host: &Host, name: &str) -> anyhow::Result<PathBuf> {
    let given = PathBuf::from(name);
    if given.is_file() {
        return Ok(given);
    }
    let mut found = recordings(host);
    let of = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    found.retain(|path| !name.is_empty() && of(path).starts_with(name));
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => anyhow::bail!(Problem::new(
            format!("there is no recording `{name}`"),
            "`sprag record list` shows what there is"
        )),
        several => {
            let exact = several.iter().find(|path| of(path) == format!("{name}.jsonl"));
            exact.cloned().ok_or_else(|| {
                let names: Vec<String> = several.iter().map(of).collect();
                anyhow::anyhow!(Problem::new(
                    format!("`{name}` is not one recording"),
                    format!("one of: {}", names.join(", "))
                ))
            })
        }
    }
}

/// The files, oldest first.
fn recordings(host: &Host) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(record::folder(&host.paths))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .map(|path| (path.metadata().and_then(|meta| meta.modified()).ok(), path))
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The events of a recording and the number of lines that are none.
pub(crate) fn read(file: &Path) -> anyhow::Result<(Vec<Recorded>, usize)> {
    let opened = sprag_base::files::open_argument(file).with_context(|| {
        Problem::new(format!("{} cannot be read", file.display()), "`sprag record list` shows what there is")
    })?;
    let (mut events, mut broken) = (Vec::new(), 0);
    for line in BufReader::new(opened).split(b'\n') {
        let line = line.with_context(|| format!("{} cannot be read", file.display()))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(event) => events.push(event),
            Err(_) => broken += 1,
        }
    }
    Ok((events, broken))
}

/// What an agent sent with an event of the journal, when it was recorded.
pub fn of_event(host: &Host, entry: &Entry) -> Option<Recorded> {
    let name = safe_name(&entry.session);
    let of_session = |path: &PathBuf| {
        path.file_name()
            .and_then(|file| file.to_str())
            .is_some_and(|file| file.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('.')))
    };
    let same = |recorded: &Recorded| {
        recorded.t == entry.t && recorded.event == entry.event && recorded.tool == entry.tool
    };
    recordings(host).iter().filter(|path| of_session(path)).find_map(|path| {
        let (events, _) = read(path).ok()?;
        events.into_iter().find(same)
    })
}

fn list(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let on = record::switch(&host.paths).exists();
    let mut rows = Vec::new();
    for path in recordings(host) {
        let (events, broken) = read(&path)?;
        let cwd = events.iter().find_map(|event| event.payload.get("cwd")).and_then(|cwd| cwd.as_str());
        rows.push(json!({
            "session": path.file_stem().unwrap_or_default().to_string_lossy(),
            "file": path,
            "agent": events.first().map(|event| event.agent.clone()),
            "cwd": cwd,
            "events": events.len(),
            "broken_lines": broken,
            "bytes": path.metadata().map_or(0, |meta| meta.len()),
            "from": events.first().map(|event| event.t.clone()),
            "to": events.last().map(|event| event.t.clone()),
        }));
    }
    if as_json {
        out.json(&json!({ "recording": on, "sessions": rows }));
        return Ok(());
    }
    if rows.is_empty() {
        let hint = if on { "it is on: start a session" } else { "`sprag record on` begins" };
        out.line(&format!("nothing was recorded yet; {hint}"));
        return Ok(());
    }
    let mut table = Table::new(&["session", "agent", ">events", ">KB", "from", "project"]);
    for row in &rows {
        let text = |key: &str| row.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let number = |key: &str| row.get(key).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let from: String = text("from").chars().take(16).collect();
        table.row(vec![
            (Tone::Strong, text("session")),
            (Tone::Plain, text("agent")),
            (Tone::Plain, number("events").to_string()),
            (Tone::Plain, number("bytes").div_ceil(1024).to_string()),
            (Tone::Plain, from.replace('T', " ")),
            (Tone::Dim, host.paths.tilde(Path::new(&text("cwd")))),
        ]);
    }
    out.table(&table);
    out.line(if on { "recording is on" } else { "recording is off" });
    Ok(())
}

fn show(file: &Path, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let (events, broken) = read(file)?;
    if as_json {
        out.json(&json!({ "events": events }));
        return Ok(());
    }
    let mut table = Table::new(&[">#", "time", "event", "tool", "verdict", ">chars", ">ms"]);
    for (number, event) in events.iter().enumerate() {
        let time: String = event.t.chars().skip(11).take(12).collect();
        table.row(vec![
            (Tone::Dim, (number + 1).to_string()),
            (Tone::Dim, time),
            (Tone::Plain, event.event.clone()),
            (Tone::Plain, event.tool.clone().unwrap_or_default()),
            (if event.verdict == "pass" { Tone::Plain } else { Tone::Warn }, event.verdict.clone()),
            (Tone::Plain, event.chars.to_string()),
            (Tone::Plain, millis(event.us)),
        ]);
    }
    out.table(&table);
    if broken > 0 {
        out.note(&format!("{broken} lines ignored: not recorded events"));
    }
    Ok(())
}

/// Microseconds as milliseconds.
pub(crate) fn millis(us: u64) -> String {
    format!("{}.{}", us / 1_000, us % 1_000 / 100)
}
