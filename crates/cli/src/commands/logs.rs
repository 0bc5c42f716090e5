//! `sprag logs`: the journal, one event per line; `-f` follows it across rotation.

mod sarif;
pub(crate) mod verify;

use anyhow::Context as _;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_runtime::journal::{self, Entry, Run};
use sprag_runtime::summary::hook_name;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Tone, columns, cut, visible};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct LogsArgs {
    /// Wait for new events and print them as they come
    #[arg(short, long)]
    follow: bool,
    /// How many of the last events
    #[arg(short = 'n', long = "lines")]
    lines: Option<usize>,
    /// Only events of this time: 90s, 30m, 12h, 7d, 2w; all of them unless -n is given
    #[arg(long, value_parser = when::parse_span)]
    since: Option<Duration>,
    /// Every hook that ran, and how long each took
    #[arg(short, long)]
    verbose: bool,
    /// Only events in which something went wrong
    #[arg(long)]
    errors: bool,
    /// Only events in which this hook ran
    #[arg(long)]
    hook: Option<String>,
    /// Only this session (the start of its id is enough)
    #[arg(long)]
    session: Option<String>,
    /// Only events in which something was stopped, asked about or failed
    #[arg(long)]
    findings: bool,
    /// Print the journal's own JSON lines
    #[arg(long)]
    json: bool,
    /// Print all findings as SARIF 2.1.0
    #[arg(long, conflicts_with_all = ["follow", "json"])]
    sarif: bool,
    /// Compare the journal with its seals: was a line changed or removed? Exit code 1 when one was
    #[arg(long, conflicts_with_all = ["follow", "sarif", "findings", "errors", "hook", "session"])]
    verify: bool,
}

/// The events that are shown when nobody says how many.
const LINES: usize = 20;
/// How often a followed journal is looked at.
const POLL: Duration = Duration::from_millis(250);

pub(crate) fn run(args: &LogsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.verify {
        return verify::run(args.json, host, out);
    }
    let from = args.since.map(|since| host.clock.now().before(since));
    if args.sarif {
        let mut all = Vec::new();
        journal::read_all(&host.paths, |entry| all.push(entry))
            .context(Problem::new("the journal cannot be read", "`sprag doctor` looks for the cause"))?;
        let wanted: Vec<&Entry> =
            all.iter().filter(|entry| args.wants(entry, from) && sarif::is_finding(entry)).collect();
        out.json(&sarif::report(&wanted));
        return Ok(ExitCode::SUCCESS);
    }
    let mut tail = args.follow.then(|| Tail::at_end(&host.paths.journal()));
    let last = last_entries(args, from, host)
        .context(Problem::new("the journal cannot be read", "`sprag doctor` looks for the cause"))?;
    if last.is_empty()
        && let Some(name) = &args.hook
    {
        known(name, host)?;
    }
    if last.is_empty() && !args.follow && !args.json {
        out.note("Nothing to show. `sprag doctor` says whether the hooks are registered.");
    }
    for entry in &last {
        print(entry, args, host.clock.now(), out);
    }
    while let Some(tail) = tail.as_mut().filter(|_| !out.is_closed()) {
        std::thread::sleep(POLL);
        for line in tail.lines() {
            if let Some(entry) = journal::read_line(&line).entry
                && args.wants(&entry, from)
            {
                print(&entry, args, host.clock.now(), out);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses the name of a hook that there is not: nothing would ever be shown for it.
fn known(name: &str, host: &Host) -> anyhow::Result<()> {
    let all = Inventory::new(host, super::project_at(host, None)).all();
    if all.iter().any(|hook| hook.name == *name) {
        return Ok(());
    }
    let names: Vec<&str> = all.iter().map(|hook| hook.name.as_str()).collect();
    let hint = match sprag_config::parse::nearest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`sprag hooks list` shows the hooks".to_owned(),
    };
    anyhow::bail!(Problem::new(format!("there is no hook `{name}`, and the journal has no run of one"), hint))
}

impl LogsArgs {
    fn wants(&self, entry: &Entry, from: Option<Stamp>) -> bool {
        let failed = || entry.error.is_some() || entry.runs.iter().any(|run| run.error.is_some());
        let ran = |name: &String| entry.runs.iter().any(|run| hook_name(run) == name);
        (!self.errors || failed())
            && (!self.findings || sarif::is_finding(entry))
            && self.hook.as_ref().is_none_or(ran)
            && self.session.as_ref().is_none_or(|id| entry.session.starts_with(id.as_str()))
            && from.is_none_or(|from| Stamp::parse(&entry.t).is_some_and(|at| at >= from))
    }
}

/// The last entries that are wanted, oldest first. Newest file first: the others are often not needed.
fn last_entries(args: &LogsArgs, from: Option<Stamp>, host: &Host) -> std::io::Result<VecDeque<Entry>> {
    let lines = args.lines.unwrap_or(if from.is_some() { usize::MAX } else { LINES });
    let mut found: VecDeque<Entry> = VecDeque::new();
    for file in journal::all_files(&host.paths).iter().rev() {
        let room = lines.saturating_sub(found.len());
        if room == 0 {
            break;
        }
        let mut older: VecDeque<Entry> = VecDeque::new();
        journal::read(file, |entry| {
            if args.wants(&entry, from) {
                if older.len() == room {
                    older.pop_front();
                }
                older.push_back(entry);
            }
        })?;
        older.append(&mut found);
        found = older;
    }
    Ok(found)
}

/// The end of a journal that grows and is renamed.
struct Tail {
    path: std::path::PathBuf,
    open: Option<Source>,
    /// The renamed file: a slow process may still write into it for a moment.
    old: Option<(Source, u8)>,
}

struct Source {
    file: File,
    id: (u64, u64),
    partial: Vec<u8>,
}

/// Looks at a renamed file before it is let go.
const LINGER: u8 = 20;

impl Tail {
    fn at_end(path: &Path) -> Self {
        let mut open = Source::open(path);
        if let Some(source) = &mut open {
            let _ = source.file.seek(SeekFrom::End(0));
        }
        Self { path: path.to_path_buf(), open, old: None }
    }

    /// The lines that came since the last look.
    fn lines(&mut self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        if let Some((old, left)) = &mut self.old {
            old.read(&mut lines);
            *left -= 1;
            if *left == 0 {
                self.old = None;
            }
        }
        if let Some(source) = &mut self.open {
            source.read(&mut lines);
        }
        let now = identity(&self.path);
        if now.is_some() && now != self.open.as_ref().map(|source| source.id) {
            let next = Source::open(&self.path);
            if let Some(source) = std::mem::replace(&mut self.open, next) {
                self.old = Some((source, LINGER));
            }
            if let Some(source) = &mut self.open {
                source.read(&mut lines);
            }
        }
        lines
    }
}

impl Source {
    fn open(path: &Path) -> Option<Self> {
        let (file, _) = sprag_base::files::open(path).ok()?;
        let id = of_meta(&file.metadata().ok()?);
        Some(Self { file, id, partial: Vec::new() })
    }

    fn read(&mut self, lines: &mut Vec<Vec<u8>>) {
        let _ = self.file.read_to_end(&mut self.partial);
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let rest = self.partial.split_off(end + 1);
            lines.push(std::mem::replace(&mut self.partial, rest));
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|meta| of_meta(&meta))
}

/// What tells one file from another under the same name.
#[cfg(unix)]
fn of_meta(meta: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn of_meta(meta: &std::fs::Metadata) -> (u64, u64) {
    let born = meta.created().map(Stamp::from).unwrap_or_default();
    (born.0, 0)
}

fn print(entry: &Entry, args: &LogsArgs, now: Stamp, out: &Out) {
    let on_terminal = out.width() != usize::MAX;
    if args.json {
        out.raw(&format!("{}\n", serde_json::to_string(entry).unwrap_or_default()));
        return;
    }
    // A person reads how long ago it was; what is piped is read later.
    let shown = |at| {
        if on_terminal && !args.verbose { format!("{:<14}", when::ago(now, at)) } else { when::local(at) }
    };
    let time = Stamp::parse(&entry.t).map_or_else(|| entry.t.clone(), shown);
    let mut words = vec![out.paint(Tone::Dim, &time), entry.agent.clone()];
    words.push(if entry.event.is_empty() { "(not an event)".to_owned() } else { entry.event.clone() });
    words.extend(entry.tool.clone());
    words.extend(entry.subagent.as_ref().map(|id| out.paint(Tone::Dim, &format!("subagent {id}"))));
    words.push(out.paint(Tone::of_verdict(&entry.verdict), &entry.verdict));
    words.extend(entry.stop.as_ref().map(|stop| stop.id.clone()));
    if args.verbose {
        words.push(out.paint(Tone::Dim, &when::micros(entry.us)));
    }
    if entry.tokens > 0 {
        words.push(format!("+{} tokens", entry.tokens));
    }
    let runs: Vec<String> = entry.runs.iter().filter_map(|run| run_words(run, args.verbose, out)).collect();
    if !runs.is_empty() {
        words.push(format!("[{}]", runs.join(", ")));
    }
    let mut line = words.join("  ");
    let mut room = out.width().saturating_sub(columns(&line) + 2);
    let told = told(entry, args.verbose);
    if told.chars().next().is_some() && room < LEAST_TOLD {
        line.push_str("\n  ");
        room = out.width().saturating_sub(4);
    }
    line.push_str(&format!("  {}", cut(&told, room)));
    out.line(line.trim_end());
    let below = |label: String, text: &str| {
        for line in text.lines() {
            out.line(&format!("    {label}{line}"));
        }
    };
    for run in &entry.runs {
        let rule = run.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
        let reason = run.reason.iter().filter(|_| args.verbose);
        reason.for_each(|text| below(format!("{}{rule}: ", run.hook), text));
        run.error
            .iter()
            .for_each(|text| below(out.paint(Tone::Bad, &format!("{} failed: ", run.hook)), text));
        // What came with exit code 2 is the reason already.
        let news = run.stderr.iter().filter(|text| run.reason.as_ref() != Some(*text));
        for text in news {
            below(out.paint(Tone::Dim, &format!("{} stderr| ", run.hook)), text);
        }
    }
    entry.error.iter().for_each(|text| below(out.paint(Tone::Bad, "error: "), text));
    if !entry.lost.is_empty() {
        below(out.paint(Tone::Warn, "the agent cannot: "), &entry.lost.join(", "));
    }
}

/// What is told of a call on less than this says nothing.
const LEAST_TOLD: usize = 40;

/// What the call is about and, when it is the line's only place for it, why it was decided so: `sprag why` has the rest.
fn told(entry: &Entry, verbose: bool) -> String {
    let about = entry.about.as_deref().map(visible);
    let reason = entry.runs.iter().filter(|_| !verbose).find_map(|run| {
        let reason = run.reason.as_deref()?.lines().next()?;
        Some(format!("{}: {}", run.rule.as_deref().unwrap_or(&run.hook), visible(reason)))
    });
    [about, reason].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A hook's part of a line: what it said, or with everything also that it ran and how long.
fn run_words(run: &Run, verbose: bool, out: &Out) -> Option<String> {
    let said = match (&run.skip, run.verdict.as_str()) {
        (Some(skip), _) => format!(" skipped ({skip})"),
        (None, "" | "pass") => String::new(),
        (None, verdict) => format!(" {}", out.paint(Tone::of_verdict(verdict), verdict)),
    };
    let shadow = if run.shadow { " (shadow)" } else { "" };
    if verbose {
        let took = out.paint(Tone::Dim, &when::micros(run.us));
        return Some(format!("{} {took}{said}{shadow}", run.hook));
    }
    let spoke = run.skip.is_none() && !said.is_empty() || run.error.is_some();
    spoke.then(|| format!("{}{said}{shadow}", run.hook))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_tail_survives_rotation_and_torn_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let append = |path: &Path, text: &str| {
            let mut file = File::options().append(true).create(true).open(path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        let mut tail = Tail::at_end(&path);
        assert!(tail.lines().is_empty(), "a journal that is not there yet");
        append(&path, "one\n");
        assert_eq!(tail.lines(), [b"one\n".to_vec()]);
        append(&path, "tw");
        assert!(tail.lines().is_empty());
        append(&path, "o\n");
        assert_eq!(tail.lines(), [b"two\n".to_vec()]);
        let renamed = dir.path().join("journal-1.jsonl");
        append(&path, "three\n");
        std::fs::rename(&path, &renamed).unwrap();
        append(&path, "four\n");
        assert_eq!(tail.lines(), [b"three\n".to_vec(), b"four\n".to_vec()]);
        append(&renamed, "late\n");
        append(&path, "five\n");
        assert_eq!(tail.lines(), [b"late\n".to_vec(), b"five\n".to_vec()]);
        assert!(tail.lines().is_empty());
    }
}
