//! One scan: which transcripts are new, what is in them, and what is kept of it.

use super::state::{self, FileState};
use super::tags::{self, Tag};
use super::windows::{self, Turn, TurnKind, WINDOW};
use super::{FoundLesson, Outcome, calls, keep};
use crate::fixes::book::{self, Fix, Origin};
use crate::fixes::episode::{self, Deed, Episode, Step};
use crate::fixes::lesson;
use crate::model::Source;
use sprag_base::env::Env;
use sprag_base::id::short_hash;
use sprag_base::paths::from_home;
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::agents::files::AgentEnv;
use sprag_protocol::agents::spec::Kept;
use sprag_protocol::agents::{AGENTS, AgentSpec};
use sprag_protocol::edits::{self, Change};
use sprag_protocol::tool::ToolKind;
use sprag_runtime::work::LessonSession;
use sprag_scan::scrub::scrub;
use sprag_store::{Error, Store};
use sprag_transcript::{Call, Cursor, Reader, Record, RecordKind, Role};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a scan shall do.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folders or files; none means the agents' own.
    pub paths: Vec<PathBuf>,
    /// Read everything again.
    pub full: bool,
    /// Change nothing, only tell.
    pub dry_run: bool,
    /// Also look for errors and their corrections.
    pub heuristics: bool,
    /// Also look for tags.
    pub tags: bool,
    /// The most new candidates.
    pub max_candidates: usize,
    /// A tag of at least this confidence counts without a review.
    pub promote_from: Option<f64>,
    /// Do nothing when the last scan is younger, in microseconds.
    pub interval: Option<i64>,
    /// A session that just went on: wait for another scan instead of leaving it to that, which may be past the file.
    pub session: bool,
    /// Where that session is, when its transcript does not say it.
    pub cwd: String,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            full: false,
            dry_run: false,
            heuristics: true,
            tags: true,
            max_candidates: 50,
            promote_from: None,
            interval: None,
            session: false,
            cwd: String::new(),
        }
    }
}

/// Another scan is at work.
#[derive(Debug, thiserror::Error)]
pub enum Busy {
    /// Another process scans.
    #[error("another scan is at work; it finds what this one would")]
    Scanning,
    /// Files cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The store does not take it.
    #[error("{0}")]
    Store(#[from] Error),
}

/// What a scan did.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Transcripts that were there.
    pub files: usize,
    /// Transcripts with something new.
    pub read: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// Lines that could not be read.
    pub broken: u64,
    /// The last scan is younger than the interval.
    pub too_early: bool,
    /// What was found.
    pub found: Vec<FoundLesson>,
    /// Errors and what fixed them.
    pub fixes: Vec<Fix>,
    /// How many of those are new.
    pub new_fixes: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// Files that could not be read.
    pub errors: Vec<String>,
}

/// The folders in which the agents keep their transcripts.
pub fn folders(host: &Host) -> Vec<PathBuf> {
    let given = host.env.get("LESSONS_SCAN_PATH").or_else(|| host.env.get("LESSONS_SCAN_PATHS"));
    if let Some(given) = given {
        return given
            .split(':')
            .filter(|part| !part.is_empty())
            .map(|part| from_home(part, &host.paths.home, Path::new("")))
            .collect();
    }
    let home = &host.paths.home;
    let env = AgentEnv::new(None, None, |name| host.env.get(name).map(PathBuf::from));
    let folder = |agent: &AgentSpec| {
        if let Kept::Database(database) = &agent.transcript.kept {
            return home.join(database.path);
        }
        let moved = agent.settings.moved_folder(&env);
        moved.unwrap_or_else(|| home.join(agent.settings.folder)).join(agent.transcript.folder)
    };
    AGENTS.into_iter().filter(|agent| agent.transcript.format.is_some()).map(folder).collect()
}

/// Scans. Candidates are kept before the places are remembered: after a crash in between, the same places are read
/// again and count nothing twice.
pub fn scan(host: &Host, store: &mut Store, request: &Request) -> Result<Scanned, Busy> {
    let Some(_lock) = state::lock(&host.paths, request.session)? else { return Err(Busy::Scanning) };
    let now = host.clock.now().0 as i64;
    let mut state = if request.full { state::State::default() } else { state::load(&host.paths) };
    let mut out = Scanned::default();
    if request.interval.is_some_and(|interval| state.last > 0 && now - state.last < interval) {
        out.too_early = true;
        return Ok(out);
    }
    let roots = if request.paths.is_empty() { folders(host) } else { request.paths.clone() };
    let files = transcripts(&roots);
    out.files = files.len();
    let mut cancels = Vec::new();
    for path in &files {
        let name = path.to_string_lossy().into_owned();
        let known = state.files.get(&name).cloned().unwrap_or_default();
        match one(host, path, &known, request, &mut out, &mut cancels) {
            Ok(Some(next)) => drop(state.files.insert(name, next)),
            Ok(None) => {}
            Err(error) => out.errors.push(format!("{name}: {error}")),
        }
    }
    if !request.dry_run {
        out.new_fixes = book::add(&host.paths, &out.fixes)?;
        book::keep_profiles(host)?;
        out.outcome = keep(store, &out.found, &cancels, request, now)?;
        // What was removed is forgotten, unless only a part was looked at.
        if request.paths.is_empty() {
            state.files.retain(|name, _| Path::new(name).exists());
        }
        if !request.session {
            state.last = now;
        }
        state::save(&host.paths, &state)?;
    }
    Ok(out)
}

/// Keeps the tags that a job carries.
pub fn keep_tags(host: &Host, store: &mut Store, of: &LessonSession) -> Result<(), Busy> {
    if of.said.is_empty() {
        return Ok(());
    }
    let Some(_lock) = state::lock(&host.paths, true)? else { return Err(Busy::Scanning) };
    let now = host.clock.now().0 as i64;
    let mut collector = Collector::default();
    collector.tags(&of.said, now);
    let project = Project::find(&of.cwd, &Env::Fixed([].into()), &host.paths.home);
    let root =
        if project.root.as_os_str().is_empty() { of.cwd.clone() } else { project.root.display().to_string() };
    for one in &mut collector.tagged {
        one.session.clone_from(&of.session);
        one.project.clone_from(&root);
    }
    keep(store, &collector.tagged, &[], &Request::default(), now)?;
    Ok(())
}

/// Every transcript below these folders, in a stable order.
pub fn transcripts(roots: &[PathBuf]) -> Vec<PathBuf> {
    const DEEPEST: usize = 6;
    const MAX_TRANSCRIPTS: usize = 50_000;
    let mut found = Vec::new();
    let mut folders: Vec<(PathBuf, usize)> = roots.iter().map(|root| (root.clone(), 0)).collect();
    while let Some((folder, depth)) = folders.pop() {
        if folder.is_file() {
            let sessions = sprag_transcript::sessions(&folder);
            if sessions.is_empty() && folder.extension().is_none_or(|end| end != "db") {
                found.push(folder);
            }
            found.extend(sessions);
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && depth < DEEPEST {
                folders.push((path, depth + 1));
            } else if kind.is_file() && found.len() < MAX_TRANSCRIPTS && is_transcript(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_transcript(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default();
    let chats = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "chats");
    let messages = path.to_string_lossy().ends_with(".messages.json");
    end == "jsonl" || (end == "json" && chats) || messages
}

/// Reads what is new in one file; gives what to remember.
fn one(
    host: &Host,
    path: &Path,
    known: &FileState,
    request: &Request,
    out: &mut Scanned,
    cancels: &mut Vec<(String, String)>,
) -> std::io::Result<Option<FileState>> {
    let (size, head) = state::look(path, known)?;
    let same = known.size > 0 && head == known.head && size >= known.size;
    if same && size == known.size {
        return Ok(None);
    }
    let begin = if same { known.offset } else { 0 };
    let mut reader = Reader::open(path, Cursor::at(begin))?;
    let mut collector = Collector::default();
    for record in reader.by_ref() {
        collector.add(&record, request);
    }
    if let Some(error) = reader.error() {
        out.errors.push(format!("{}: {error}", path.display()));
    }
    let facts = reader.facts();
    let first =
        |now: &str, before: &str| if now.is_empty() && same { before.to_owned() } else { now.to_owned() };
    let mut session = first(&facts.session_id, &known.session);
    if session.is_empty() {
        session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    let mut cwd = first(&facts.cwd, &known.cwd);
    if cwd.is_empty() {
        cwd.clone_from(&request.cwd);
    }
    out.read += 1;
    out.bytes += size.saturating_sub(begin);
    out.broken += reader.broken();
    let project = Project::find(&cwd, &Env::Fixed([].into()), &host.paths.home);
    let root =
        if project.root.as_os_str().is_empty() { cwd.clone() } else { project.root.display().to_string() };
    let origin = Origin {
        root: root.clone(),
        remote: project.remote_key().unwrap_or_default(),
        agent: facts.agent.map(|agent| agent.name().to_owned()).unwrap_or_default(),
        session: session.clone(),
    };
    if !request.dry_run {
        calls::record(&host.paths, &root, collector.steps.iter().map(|step| &step.deed));
    }
    let (found, episodes, next) = collector.finish(request, reader.cursor().offset, &root);
    out.fixes.extend(episodes.iter().filter_map(|episode| Fix::new(episode, &origin)));
    for mut one in found {
        one.session.clone_from(&session);
        one.project.clone_from(&root);
        out.found.push(one);
    }
    cancels.extend(collector.cancels.iter().map(|prefix| (session.clone(), prefix.clone())));
    Ok(Some(FileState {
        offset: next,
        size,
        head: state::head(path, size)?,
        session,
        cwd,
        model_size: known.model_size,
    }))
}

/// Puts the records of one transcript together.
#[derive(Default)]
struct Collector {
    tagged: Vec<FoundLesson>,
    cancels: Vec<String>,
    turns: Vec<Turn>,
    tools: HashMap<String, String>,
    steps: Vec<Step>,
    /// The steps of a call, by its id.
    open: HashMap<String, std::ops::Range<usize>>,
}

impl Collector {
    fn add(&mut self, record: &Record, request: &Request) {
        if !matches!(record.kind, RecordKind::Message) || record.role == Role::System {
            return;
        }
        let id = if record.uuid.is_empty() { format!("@{}", record.offset) } else { record.uuid.clone() };
        let at = record.time.map_or(0, |time| time.0 as i64);
        let turn = |kind: TurnKind, text: String, part: usize| Turn {
            kind,
            text,
            place: format!("{id}#{part}"),
            at,
            offset: record.offset,
        };
        if record.role == Role::Assistant && request.tags && record.text.contains("#lesson") {
            self.tags(&record.text, at);
        }
        if !request.heuristics {
            return;
        }
        if !record.text.trim().is_empty() {
            let kind = if record.role == Role::Assistant { TurnKind::Assistant } else { TurnKind::User };
            self.turns.push(turn(kind, record.text.clone(), 0));
        }
        for (part, call) in record.calls.iter().enumerate() {
            self.tools.insert(call.id.clone(), call.tool.name.clone());
            let path = || call.tool.paths.first().map(|used| used.path.clone());
            let what = call.tool.command.clone().or_else(path).unwrap_or_default();
            let from = self.steps.len();
            let place = format!("{id}#{}", part + 1);
            self.steps.extend(deeds(call).into_iter().map(|deed| Step {
                deed,
                failed: None,
                output: String::new(),
                place: place.clone(),
                at,
                offset: record.offset,
            }));
            self.open.insert(call.id.clone(), from..self.steps.len());
            self.turns.push(turn(TurnKind::Call(call.tool.name.clone(), what), String::new(), part + 1));
        }
        for (part, result) in record.results.iter().enumerate() {
            let tool = self.tools.get(&result.id).cloned().unwrap_or_default();
            let text = super::signals::ends(&result.text);
            for step in
                self.open.remove(&result.id).and_then(|range| self.steps.get_mut(range)).into_iter().flatten()
            {
                step.failed = Some(result.error);
                step.at = at.max(step.at);
                if result.error {
                    step.output.clone_from(&text);
                }
            }
            self.turns.push(turn(TurnKind::Result(tool, result.error), text, part + 100));
        }
    }

    fn tags(&mut self, text: &str, at: i64) {
        for tag in tags::read(text) {
            match tag {
                Tag::Cancel(prefix) => {
                    self.tagged.retain(|found| !found.problem.to_lowercase().starts_with(&prefix));
                    self.cancels.push(prefix);
                }
                Tag::Lesson { tool, trigger, problem, solution, tags, project_only } => {
                    let mut confidence: f64 = 0.6;
                    if tool.is_some() && trigger.is_some() && !tags.is_empty() {
                        confidence += 0.15;
                    }
                    if tags.iter().any(|tag| tag.contains(':')) {
                        confidence += 0.05;
                    }
                    // Wherever it is read, in the transcript or from the answer: it is one place of a session.
                    let place = format!("tag:{}", short_hash(scrub(&problem).as_bytes()));
                    self.tagged.push(FoundLesson {
                        source: Source::Structured,
                        tool,
                        trigger,
                        problem,
                        solution,
                        priority: 3 + windows::severe(&tags),
                        tags,
                        project_only,
                        confidence,
                        place,
                        at,
                        ..FoundLesson::default()
                    });
                }
            }
        }
    }

    /// What was found, and where the next reading begins: early enough that an error at the end is seen again with
    /// what follows it.
    fn finish(&mut self, request: &Request, end: u64, root: &str) -> (Vec<FoundLesson>, Vec<Episode>, u64) {
        let mut found = std::mem::take(&mut self.tagged);
        if !request.heuristics {
            return (found, Vec::new(), end);
        }
        let mut windows = windows::find(&self.turns);
        let (episodes, unclear) = episode::find(&self.steps);
        windows.extend(episodes.iter().filter_map(|episode| lesson::candidate(episode, root)));
        windows
            .retain(|one| !self.cancels.iter().any(|prefix| one.problem.to_lowercase().starts_with(prefix)));
        found.extend(windows);
        let open = self.turns.len().saturating_sub(2 * WINDOW);
        let next = self.turns.get(open).map_or(end, |turn| turn.offset);
        let unclear = unclear.and_then(|at| self.steps.get(at)).map_or(end, |step| step.offset);
        (found, episodes, next.min(unclear).min(end))
    }
}

/// What a call does, as far as a fix can consist of it.
fn deeds(call: &Call) -> Vec<Deed> {
    match call.tool.kind {
        ToolKind::Shell => call.tool.command.clone().map(Deed::Ran).into_iter().collect(),
        ToolKind::Write | ToolKind::Edit | ToolKind::Patch => edits::of_call(&call.tool, &call.input)
            .into_iter()
            .map(|edit| {
                let line = match &edit.change {
                    Change::Parts(parts) => parts.iter().find_map(|part| new_line(&part.old, &part.new)),
                    Change::Whole(_) | Change::Delete => None,
                };
                Deed::Edited(edit.path.into_owned(), line.unwrap_or_default())
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The first line that is new in a piece of a file, cut.
fn new_line(old: &str, new: &str) -> Option<String> {
    const MAX_LINE_CHARS: usize = 100;
    let line = new
        .lines()
        .map(str::trim)
        .find(|line| line.len() > 2 && !old.lines().any(|known| known.trim() == *line))?;
    let cut: String = line.chars().take(MAX_LINE_CHARS).collect();
    Some(if cut.len() < line.len() { format!("{cut}…") } else { cut })
}
