//! `sprag replay --real`: the agents' own transcripts, event by event, against a configuration: what would have been
//! stopped, and what would have been added to the conversation.

use super::report::{Session, Stop, Tally};
use super::stand_in::World;
use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::time::{Clock, Stamp};
use sprag_config::host::Host;
use sprag_protocol::respell::respell;
use sprag_protocol::transcript::{Call, CallResult, Facts, Record, RecordKind, Role};
use sprag_protocol::{AgentId, EventKind, ToolKind, dialects};
use sprag_runtime::dispatch::{Answer, dispatch};
use sprag_runtime::panics;
use sprag_transcript::{Cursor, Reader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sprag_terminal::Problem;

/// What to replay, and with what.
pub(super) struct Request<'a> {
    /// A folder or a file; `None`: where the agents keep their transcripts.
    pub(super) folder: Option<&'a Path>,
    pub(super) since: Option<Duration>,
    pub(super) preset: &'a str,
    pub(super) config: Option<&'a Path>,
}

/// Replays every transcript. Sessions do not see each other: each has a home of its own.
pub(super) fn replay(request: &Request<'_>, host: &Host) -> anyhow::Result<Tally> {
    let began = Instant::now();
    let roots = request.folder.map_or_else(|| sprag_lessons::scan::folders(host), |one| vec![one.to_owned()]);
    let oldest = request.since.map(|since| std::time::SystemTime::now() - since);
    let mut found = sprag_lessons::scan::transcripts(&roots);
    found.retain(|file| {
        let changed = file.metadata().and_then(|meta| meta.modified()).ok();
        oldest.is_none() || changed >= oldest
    });
    if found.is_empty() {
        let places: Vec<String> = roots.iter().map(|root| host.paths.tilde(root)).collect();
        bail!(Problem::new(
            format!("there is no transcript below {}", places.join(", ")),
            "name the folder in which an agent keeps its sessions: `sprag replay --real DIR`"
        ));
    }
    let base = sprag_cases::base::base(&host.env, &host.paths.home);
    let config = Config::new(request)?;
    panics::silence();
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Session>> = Mutex::new(BTreeMap::new());
    let fault: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let work = || {
        while let Some((at, file)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            found.get(at).map(|file| (at, file))
        } {
            match one(file, &base, &config, host) {
                Ok(Some(session)) => drop(done.lock().map(|mut done| done.insert(at, session))),
                Ok(None) => {}
                Err(error) => {
                    let _ = fault.lock().map(|mut fault| *fault = Some(error));
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from).min(8) {
            scope.spawn(work);
        }
        work();
    });
    if let Some(error) = fault.into_inner().ok().flatten() {
        return Err(error);
    }
    let sessions = done.into_inner().unwrap_or_default().into_values().collect();
    Ok(Tally { sessions, took: began.elapsed() })
}

/// The configuration of every home. Hooks that are programs are named, so that none is started.
struct Config {
    text: String,
    /// The user's own hooks: a plan that names them must find them.
    hooks: Option<PathBuf>,
    disabled: String,
}

impl Config {
    fn new(request: &Request<'_>) -> anyhow::Result<Self> {
        let Some(file) = request.config else {
            let text = format!("preset = {}\n", Value::from(request.preset));
            return Ok(Self { text, hooks: None, disabled: String::new() });
        };
        let text = files::read_text(file, files::STATE).with_context(|| {
            Problem::new(format!("{} cannot be read", file.display()), "give a configuration file of sprag")
        })?;
        let document: toml_edit::DocumentMut = text.parse().with_context(|| {
            Problem::new(format!("{} is not TOML", file.display()), "`sprag check` shows what is wrong")
        })?;
        let hooks = file.parent().map(|folder| folder.join("hooks")).filter(|folder| folder.is_dir());
        let listed = document.get("hook").and_then(|item| item.as_table_like());
        let own = listed.into_iter().flat_map(|table| table.iter()).filter(|(_, hook)| {
            hook.get("command").is_some() || hook.get("type").is_some_and(|kind| !kind.is_none())
        });
        let mut names: Vec<String> = own.map(|(name, _)| name.to_owned()).collect();
        for entry in hooks.iter().flat_map(std::fs::read_dir).flatten().flatten() {
            names.extend(entry.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
        Ok(Self { text, hooks, disabled: names.join(",") })
    }
}

/// A transcript with its records; `None` when it holds no call and no prompt.
fn read(file: &Path) -> Option<(Facts, Vec<Record>)> {
    let mut reader = Reader::open(file, Cursor::default()).ok()?;
    let records: Vec<Record> = reader.by_ref().collect();
    let of_interest = records.iter().any(|record| {
        !record.calls.is_empty() || (record.role == Role::User && record.kind == RecordKind::Message)
    });
    of_interest.then(|| (reader.facts().clone(), records))
}

fn one(file: &Path, base: &Path, config: &Config, host: &Host) -> anyhow::Result<Option<Session>> {
    let Some((facts, records)) = read(file) else { return Ok(None) };
    let agent = facts.agent.unwrap_or(AgentId::CANONICAL);
    let mut world = World::new(base, host.hooks, &facts, &records).context(Problem::new(
        "no throw-away home can be made",
        "check the space and the rights in the cache folder",
    ))?;
    world.configure(&config.text, config.hooks.as_deref(), &config.disabled)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = if facts.session_id.is_empty() { stem } else { facts.session_id.clone() };
    let session = Session {
        file: file.to_owned(),
        agent,
        cwd: facts.cwd.clone(),
        stand_in: world.is_stand_in(),
        ..Session::default()
    };
    let transcript = Grown::new(file, world.transcript(agent, &id));
    let mut player = Player {
        agent,
        id,
        world,
        session,
        transcript,
        open: BTreeMap::new(),
        turn: Turn::default(),
        side: records.iter().all(|record| record.sidechain),
    };
    player.play(&records)?;
    Ok(Some(player.session))
}

/// A copy of the transcript that grows with the replay: hooks that read it must not see what comes later.
struct Grown {
    whole: Vec<u8>,
    copied: usize,
    copy: PathBuf,
}

impl Grown {
    fn new(file: &Path, copy: PathBuf) -> Self {
        let lines = file.extension().is_some_and(|end| end == "jsonl");
        let whole = lines.then(|| files::read(file, 256 << 20).ok()).flatten().unwrap_or_default();
        Self { whole, copied: 0, copy }
    }

    fn up_to(&mut self, record: &Record) {
        let start = usize::try_from(record.offset).unwrap_or(usize::MAX);
        let Some(rest) = self.whole.get(start..) else { return };
        let end = start + rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        if let Some(new) = self.whole.get(self.copied..end).filter(|new| !new.is_empty()) {
            let _ = files::append(&self.copy, new);
            self.copied = end;
        }
    }
}

/// Where the conversation is.
#[derive(Default)]
struct Turn {
    /// A prompt was sent and no Stop since.
    open: bool,
    /// The model's last words came without a call: it may be waiting.
    said: Option<String>,
    /// The agent program spoke under the user's name.
    machine: Option<String>,
}

struct Player {
    agent: AgentId,
    id: String,
    world: World,
    session: Session,
    transcript: Grown,
    /// Calls without a result, and whether they would have been denied.
    open: BTreeMap<String, (Call, bool)>,
    turn: Turn,
    /// A subagent's own file: its calls only.
    side: bool,
}

impl Player {
    fn play(&mut self, records: &[Record]) -> anyhow::Result<()> {
        self.at(records.iter().find_map(|record| record.time));
        if !self.side {
            let answer = self.send(EventKind::SessionStart, json!({"source": "startup"}), None);
            let fault = answer.entry.error.filter(|error| error.starts_with("configuration:"));
            if let Some(fault) = fault {
                bail!(Problem::new(fault, "name another preset, or fix the file: `sprag check` shows more"));
            }
        }
        for record in records {
            self.at(record.time);
            self.transcript.up_to(record);
            self.record(record);
        }
        if !self.side {
            self.end_turn();
            self.send(EventKind::SessionEnd, json!({"reason": "other"}), None);
        }
        Ok(())
    }

    fn at(&mut self, time: Option<Stamp>) {
        if let Some(time) = time {
            self.world.host.clock = Clock::Fixed(time);
            if let Env::Fixed(map) = &mut self.world.host.env {
                map.insert("SPRAG_NOW".to_owned(), time.to_string());
            }
        }
    }

    fn record(&mut self, record: &Record) {
        let main = !record.sidechain && !self.side;
        match (record.role, record.kind) {
            (_, RecordKind::CompactBoundary) if main => {
                self.send(EventKind::PreCompact, json!({"trigger": "auto"}), None);
                self.send(EventKind::SessionStart, json!({"source": "compact"}), None);
            }
            (Role::User, RecordKind::Message) if main && !record.text.trim().is_empty() => {
                self.end_turn();
                self.prompt(&record.text);
            }
            (Role::User, RecordKind::Meta) if main && self.turn.said.is_some() => {
                self.turn.machine = Some(record.text.clone());
            }
            (Role::Assistant, RecordKind::Message) => {
                if let Some(text) = self.turn.machine.take().filter(|_| main) {
                    self.end_turn();
                    self.prompt(&text);
                }
                if main && (!record.calls.is_empty() || !record.text.trim().is_empty()) {
                    self.turn.said = record.calls.is_empty().then(|| record.text.clone());
                }
                record.calls.iter().for_each(|call| self.call(call, record.sidechain));
            }
            _ => {}
        }
        record.results.iter().for_each(|result| self.result(result, record.sidechain));
    }

    fn prompt(&mut self, text: &str) {
        self.turn = Turn { open: true, ..Turn::default() };
        self.send(EventKind::UserPromptSubmit, json!({"prompt": text}), None);
    }

    fn end_turn(&mut self) {
        let said = self.turn.said.take();
        if std::mem::take(&mut self.turn.open) {
            let more = json!({"stop_hook_active": false, "last_assistant_message": said});
            self.send(EventKind::Stop, more, None);
        }
    }

    fn call(&mut self, call: &Call, sidechain: bool) {
        self.session.calls += 1;
        let more = self.about(call, sidechain);
        let answer = self.send(EventKind::PreToolUse, more, Some(call));
        let denied = answer.verdict.decision.stops();
        self.open.insert(call.id.clone(), (call.clone(), denied));
    }

    fn about(&self, call: &Call, sidechain: bool) -> Value {
        let mut more = json!({"tool_name": call.tool.name, "tool_input": call.input, "tool_use_id": call.id});
        if let Some(map) = more.as_object_mut().filter(|_| sidechain || self.side) {
            map.insert("agent_id".to_owned(), "side".into());
            map.insert("agent_type".to_owned(), "general-purpose".into());
        }
        more
    }

    /// What the tool gave. A call that would have been denied gives nothing, but what comes later builds on it.
    fn result(&mut self, result: &CallResult, sidechain: bool) {
        let Some((call, denied)) = self.open.remove(&result.id) else { return };
        if !result.error {
            self.world.apply(&call);
        }
        if result.text.contains("CONFLICT (") {
            self.world.merge_waits();
        }
        if denied {
            return;
        }
        let mut more = self.about(&call, sidechain);
        let failure = dialects::of(self.agent).row(EventKind::PostToolUseFailure).is_some();
        let (kind, key, value) = if result.error && failure {
            (EventKind::PostToolUseFailure, "error", Value::from(result.text.as_str()))
        } else {
            (EventKind::PostToolUse, "tool_response", self.response(&call, &result.text))
        };
        if let Some(map) = more.as_object_mut() {
            map.insert(key.to_owned(), value);
        }
        self.send(kind, more, Some(&call));
    }

    /// The result in the shape that the agent sends.
    fn response(&self, call: &Call, text: &str) -> Value {
        let path = call.tool.paths.first().map(|used| used.path.as_str()).unwrap_or_default();
        match call.tool.kind {
            _ if self.agent != AgentId::CANONICAL => text.into(),
            ToolKind::Shell => json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false}),
            ToolKind::Read => {
                let (content, lines) = (super::stand_in::unnumbered(text), text.lines().count());
                json!({"type": "text", "file": {"filePath": path, "content": content, "numLines": lines,
                    "startLine": 1, "totalLines": lines}})
            }
            ToolKind::Write | ToolKind::Edit => json!({ "filePath": path }),
            _ => text.into(),
        }
    }

    /// Sends one event and counts what comes of it.
    fn send(&mut self, kind: EventKind, more: Value, call: Option<&Call>) -> Answer {
        let mut raw = Map::new();
        raw.insert("session_id".to_owned(), self.id.as_str().into());
        raw.insert("transcript_path".to_owned(), self.transcript.copy.to_string_lossy().into());
        raw.insert("hook_event_name".to_owned(), kind.name().into());
        raw.insert("permission_mode".to_owned(), "default".into());
        let mut more = more;
        self.world.inward(&mut more);
        raw.extend(more.as_object().cloned().unwrap_or_default());
        raw.insert("cwd".to_owned(), self.world.cwd.to_string_lossy().into());
        let Ok(raw) = respell(self.agent, kind, raw) else { return Answer::default() };
        let payload = Value::Object(raw).to_string();
        let answer = dispatch(&self.world.host, sprag_hooks::BUILTINS, payload.as_bytes(), Some(self.agent));
        self.session.events += 1;
        self.session.slowest = self.session.slowest.max(answer.entry.us);
        for run in answer.entry.runs.iter().filter(|run| !run.shadow) {
            if run.chars > 0 {
                *self.session.chars.entry(run.hook.clone()).or_default() += run.chars;
            }
            if let Some(error) = &run.error {
                self.session.errors.insert(format!("{}: {}", run.hook, self.world.outward(error)));
            }
            if matches!(run.verdict.as_str(), "deny" | "block" | "ask") {
                self.session.stops.push(Stop {
                    hook: run.hook.trim_end_matches(" (again)").to_owned(),
                    decision: if kind == EventKind::Stop { "hold".to_owned() } else { run.verdict.clone() },
                    event: kind,
                    number: self.session.calls,
                    id: call.map(|call| call.id.clone()).unwrap_or_default(),
                    call: call.map_or_else(|| kind.name().to_owned(), shown),
                    reason: self.world.outward(run.reason.as_deref().unwrap_or_default()),
                });
            }
        }
        answer
    }
}

/// A call in one short line.
fn shown(call: &Call) -> String {
    let text = match (&call.tool.command, call.tool.paths.as_slice()) {
        (Some(command), _) => command.clone(),
        (None, []) => call.input.to_string(),
        (None, paths) => paths.iter().map(|used| used.path.as_str()).collect::<Vec<_>>().join(" "),
    };
    let line = format!("{}: {}", call.tool.name, text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
