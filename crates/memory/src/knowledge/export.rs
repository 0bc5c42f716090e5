//! A session's conversation as markdown: `sessions/YYYY-MM/YYYY-MM-DD-<id>.md`. Only what is new is read from the
//! transcript; the file is replaced whole; doing it again changes nothing.

use super::{Knowledge, KnowledgeError, Result, front, project_key, project_name, text};
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_scan::scrub::scrub;
use sprag_transcript::{Cursor, Facts, Reader, Record, Role};
use std::path::{Path, PathBuf};

/// A text in the conversation is cut here: nobody reads a pasted log in an export.
const MAX_TEXT: usize = 20_000;
/// An export with more bytes is not read back.
const MAX_EXPORT: u64 = 256 << 20;

/// A session to look at.
pub use sprag_runtime::work::SessionTranscript as Task;

/// What became of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// The file and its messages.
    Written(PathBuf, usize),
    /// Nothing new was said.
    Unchanged(PathBuf),
    /// Why there is none.
    Skipped(&'static str),
}

/// How far a session was exported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    cursor: Cursor,
    messages: usize,
    path: Option<PathBuf>,
    project_key: String,
    project: String,
    session: String,
    agent: String,
    cwd: String,
    branch: String,
    version: String,
    headless: Option<bool>,
    started: Option<Stamp>,
    last: Option<Stamp>,
    #[serde(default)]
    transcript: PathBuf,
}

impl State {
    fn file(knowledge: &Knowledge, session: &str) -> PathBuf {
        knowledge.state.join("exports").join(format!("{}.json", safe_name(session)))
    }

    fn load(file: &Path) -> Self {
        files::read(file, files::STATE)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    fn learn(&mut self, facts: &Facts, task: &Task) {
        let first = |field: &mut String, values: &[&str]| {
            if field.is_empty()
                && let Some(value) = values.iter().find(|value| !value.is_empty())
            {
                (*value).clone_into(field);
            }
        };
        let agent = facts.agent.map_or("", AgentId::name);
        self.transcript.clone_from(&task.transcript);
        first(&mut self.session, &[&task.session, &facts.session_id]);
        // Qwen Code writes another's format; the hook knows who called.
        first(&mut self.agent, &[&task.agent, agent]);
        first(&mut self.cwd, &[&facts.cwd, &task.cwd]);
        for (field, value) in [(&mut self.branch, &facts.branch), (&mut self.version, &facts.version)] {
            if !value.is_empty() {
                value.clone_into(field);
            }
        }
        self.headless = self.headless.or(facts.headless);
        self.started = self.started.or(facts.started);
        self.last = self.last.max(facts.last);
    }
}

/// Exports a session. `min_messages` is how much must have been said; `force` also takes one without a person.
pub fn export(
    knowledge: &Knowledge,
    host: &Host,
    task: &Task,
    min_messages: usize,
    force: bool,
) -> Result<Exported> {
    let name = if task.session.is_empty() {
        task.transcript.to_string_lossy()
    } else {
        task.session.as_str().into()
    };
    let file = State::file(knowledge, &name);
    let known = State::load(&file);
    // What is on the disk counts, not what was meant to be there: a crash between the two is fixed by starting over.
    let intact = known.path.as_deref().is_some_and(|path| messages_in(path) == Some(known.messages));
    let mut state = if intact { known } else { State::default() };
    if !sprag_transcript::exists(&task.transcript) {
        return Ok(Exported::Skipped("no transcript"));
    }
    let mut reader =
        Reader::open(&task.transcript, state.cursor.clone()).map_err(KnowledgeError::at(&task.transcript))?;
    if reader.cursor().offset < state.cursor.offset {
        // The transcript is another one: what was exported is of the old one and stays.
        state = State::default();
    }
    let mut blocks = String::new();
    let mut fresh = 0;
    for record in reader.by_ref().filter(Record::is_said) {
        fresh += 1;
        block(&mut blocks, &record, &task.agent);
    }
    if let Some(error) = reader.error() {
        return Err(KnowledgeError::at(&task.transcript)(std::io::Error::new(
            error.kind(),
            error.to_string(),
        )));
    }
    state.learn(reader.facts(), task);
    state.cursor = reader.cursor().clone();
    if state.headless == Some(true) && !knowledge.headless && !force {
        return Ok(Exported::Skipped("headless"));
    }
    let total = state.messages + fresh;
    if total < min_messages {
        return Ok(Exported::Skipped("short"));
    }
    if state.project_key.is_empty() {
        let project = Project::find(&state.cwd, &host.env, &host.paths.home);
        state.project_key = project_key(&project, &knowledge.machine);
        state.project = project_name(&project);
    }
    let path = match &state.path {
        Some(path) => path.clone(),
        None => place(knowledge, &state, &name),
    };
    if state.path.is_none() && messages_in(&path).is_some_and(|there| there >= total) {
        // Exported before, and nothing was added since; what is remembered of it was lost.
        state.messages = total;
    } else if fresh > 0 {
        let old = if state.path.is_some() { body_of(&path) } else { None };
        state.messages = total;
        let head = head(knowledge, &state);
        let body = old.unwrap_or_else(|| title(knowledge, &state));
        let text = format!("{head}{}\n\n{blocks}", body.trim_end());
        files::write_durable(&path, text.trim_end().as_bytes()).map_err(KnowledgeError::at(&path))?;
    }
    state.path = Some(path.clone());
    let text = serde_json::to_vec(&state).unwrap_or_default();
    files::write_atomic(&file, &text).map_err(KnowledgeError::at(&file))?;
    Ok(if fresh > 0 { Exported::Written(path, state.messages) } else { Exported::Unchanged(path) })
}

fn block(out: &mut String, record: &Record, agent: &str) {
    let who = match record.role {
        Role::User => "User",
        _ => AgentId::from_name(agent).unwrap_or(AgentId::CANONICAL).spec().speaker,
    };
    let said = record.text.trim();
    let cut = text::start(said, MAX_TEXT);
    let rest = said.chars().count().saturating_sub(MAX_TEXT);
    out.push_str(&format!("## {who}\n\n{}\n\n", scrub(cut)));
    if rest > 0 {
        out.push_str(&format!("[{rest} more characters in the transcript]\n\n"));
    }
}

/// The file of a session. Two sessions whose ids begin alike on one day do not share one.
fn place(knowledge: &Knowledge, state: &State, name: &str) -> PathBuf {
    let (year, month, day, ..) = state.started.unwrap_or_default().civil();
    let folder = knowledge.sessions().join(format!("{year:04}-{month:02}"));
    let id = safe_name(if state.session.is_empty() { name } else { &state.session });
    let short = folder.join(format!("{year:04}-{month:02}-{day:02}-{}.md", text::start(&id, 8)));
    match front_of(&short) {
        Some(pairs) if front::get(&pairs, "session_id").is_some_and(|other| other != state.session) => {
            folder.join(format!("{year:04}-{month:02}-{day:02}-{id}.md"))
        }
        _ => short,
    }
}

fn minutes(stamp: Option<Stamp>) -> String {
    let (year, month, day, hour, minute, _) = stamp.unwrap_or_default().civil();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

fn head(knowledge: &Knowledge, state: &State) -> String {
    let class = knowledge.class(&state.cwd, &state.transcript);
    let agent = if state.agent.is_empty() { AgentId::CANONICAL.name() } else { &state.agent };
    let version = format!("{agent}_version");
    front::write(&[
        ("type", format!("{agent}-session")),
        ("session_id", front::scalar(&state.session)),
        ("date", minutes(state.started)),
        ("cwd", front::scalar(&state.cwd)),
        ("project", front::scalar(&state.project)),
        ("profile", front::scalar(&class.profile)),
        ("session_type", front::scalar(&class.session_type)),
        ("branch", front::scalar(&state.branch)),
        (&version, front::scalar(&state.version)),
        ("messages", state.messages.to_string()),
        ("project_key", front::scalar(&state.project_key)),
        ("updated", minutes(state.last)),
    ])
}

fn title(knowledge: &Knowledge, state: &State) -> String {
    let class = knowledge.class(&state.cwd, &state.transcript);
    format!(
        "\n# Session {} - {}\n\n**CWD:** {} | **Project:** {} | **Profile:** {}\n\n---",
        minutes(state.started),
        state.project,
        state.cwd,
        state.project,
        class.profile
    )
}

/// The front matter of an export.
pub fn front_of(path: &Path) -> Option<front::Pairs> {
    let bytes = files::read_limited(path, 8 << 10).ok().flatten()?;
    Some(front::read(&String::from_utf8_lossy(&bytes))?.0)
}

fn messages_in(path: &Path) -> Option<usize> {
    front::get(&front_of(path)?, "messages")?.parse().ok()
}

fn body_of(path: &Path) -> Option<String> {
    let bytes = files::read_limited(path, MAX_EXPORT).ok().flatten()?;
    let text = String::from_utf8_lossy(&bytes);
    front::read(&text).map(|(_, body)| body.to_owned())
}

/// The first thing that the user said, in one line.
pub fn working_on(text: &str) -> String {
    let after = text.split_once("\n## User\n").map_or("", |(_, rest)| rest);
    text::cut(text::first_line(after), 80)
}
