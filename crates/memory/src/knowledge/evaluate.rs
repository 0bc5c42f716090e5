//! Judges a session in the background: decisions, failures, learnings, handoff. With a model when one is chosen and
//! the session is worth it, else by what its transcript says. Everything is checked before anything is written, and
//! a judgement that was paid for survives a crash.

use super::digest::Digest;
use super::export::Task;
use super::handoff::{self, Handoff, Source};
use super::index::Index;
use super::prompt::{self, Judgement, Known};
use super::{
    Knowledge, KnowledgeError, ProjectMemory, Result, entries, learning, project_key, project_name, text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_llm::Llm;
use sprag_project::Project;
use sprag_project::git::GitState;
use sprag_scan::scrub::scrub;
use sprag_transcript::{Cursor, Facts, Reader};
use std::path::{Path, PathBuf};
use std::time::Duration;

settings! {
    /// How a session is judged.
    pub struct JudgingSettings<'a> {
        /// a model judges sessions with at least so many messages
        min_messages: usize = 4, min 1;
        /// and so many characters of the user
        min_user_chars: usize = 200;
        /// without a model, take a handoff from the transcript
        slim_handoff_enabled: bool = true;
        /// keep the model's grade of the session
        grading_enabled: bool = true;
        /// the folder of learnings, below the knowledge folder
        learnings_subdir: Text = "learnings";
    }
}

/// How a session is judged, by these settings.
pub fn options(settings: &JudgingSettings<'_>) -> Options {
    Options {
        min_messages: settings.min_messages,
        min_user_chars: settings.min_user_chars,
        slim_handoff_enabled: settings.slim_handoff_enabled,
        grading_enabled: settings.grading_enabled,
        learnings_subdir: settings.learnings_subdir.to_owned(),
        forced: false,
    }
}

/// So much of the conversation goes to a model.
const CONVERSATION: usize = 24_000;

/// How a session is judged.
pub use sprag_runtime::work::EvaluationOptions as Options;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// What was written, in words.
    Wrote(String),
    /// Why nothing was.
    Skipped(String),
}

/// How far a session was judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Judged {
    messages: usize,
    bytes: u64,
    by_model: bool,
}

/// A judgement that is not written down yet.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    bytes: u64,
    messages: usize,
    judgement: Judgement,
}

fn state_file(knowledge: &Knowledge, folder: &str, session: &str) -> PathBuf {
    knowledge.state.join(folder).join(format!("{}.json", safe_name(session)))
}

fn load<T: for<'de> Deserialize<'de>>(file: &Path) -> Option<T> {
    files::read(file, files::STATE).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

fn keep(file: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(value).unwrap_or_default();
    files::write_durable(file, &text).map_err(KnowledgeError::at(file))
}

/// A transcript, read once.
struct Read {
    digest: Digest,
    facts: Facts,
    bytes: u64,
}

fn read(transcript: &Path) -> Result<Read> {
    let mut reader = Reader::open(transcript, Cursor::default()).map_err(KnowledgeError::at(transcript))?;
    let mut digest = Digest::default();
    for record in reader.by_ref() {
        digest.feed(&record);
    }
    if let Some(error) = reader.error() {
        return Err(KnowledgeError::at(transcript)(std::io::Error::new(error.kind(), error.to_string())));
    }
    Ok(Read { digest, facts: reader.facts().clone(), bytes: reader.cursor().offset })
}

/// Judges a session and writes what came out.
pub fn evaluate(
    knowledge: &Knowledge,
    llm: &Llm,
    host: &Host,
    task: &Task,
    options: &Options,
) -> Result<Evaluated> {
    let skipped = |why: &str| Ok(Evaluated::Skipped(why.to_owned()));
    if !task.transcript.is_file() {
        return skipped("no transcript");
    }
    let Read { digest, facts, bytes } = read(&task.transcript)?;
    if facts.headless == Some(true) && !knowledge.headless && !options.forced {
        return skipped("headless");
    }
    let session = if task.session.is_empty() { facts.session_id.clone() } else { task.session.clone() };
    let cwd = if facts.cwd.is_empty() { &task.cwd } else { &facts.cwd };
    let project = Project::find(cwd, &host.env, &host.paths.home);
    let memory = ProjectMemory {
        key: project_key(&project, &knowledge.machine),
        dir: knowledge.memories().join(project_key(&project, &knowledge.machine)),
        project: project_name(&project),
    };
    let agent = if task.agent.is_empty() {
        facts.agent.map_or("", sprag_protocol::AgentId::name)
    } else {
        &task.agent
    };
    let source = Source {
        agent: agent.to_owned(),
        session_id: session.clone(),
        transcript: task.transcript.clone(),
        bytes,
        messages: digest.messages,
        now: host.clock.now(),
    };
    let answers = state_file(knowledge, "answers", &session);
    let judged_file = state_file(knowledge, "judged", &session);
    let judged: Judged = load(&judged_file).unwrap_or_default();
    let left = load::<Kept>(&answers);
    if left.is_none() && !options.forced && judged.messages >= digest.messages && judged.messages > 0 {
        return skipped("nothing new");
    }
    let worth = digest.messages >= options.min_messages && digest.user_chars >= options.min_user_chars;
    let asks = !llm.is_off() && (worth || options.forced);
    let wrote = if asks || left.is_some() {
        let kept = if let Some(kept) = left {
            kept
        } else {
            let judgement =
                ask(knowledge, llm, host, &memory, &digest, options.forced).inspect_err(|_| {
                    // The next session shall not wait for the model: what can be known without it is there.
                    let _ = extract(&memory, &source, &digest, host, &project, &facts, options);
                })?;
            let kept = Kept { bytes, messages: digest.messages, judgement };
            keep(&answers, &kept)?;
            kept
        };
        let source = Source { bytes: kept.bytes, messages: kept.messages, ..source };
        let wrote = apply(knowledge, &memory, &source, &kept.judgement, &digest, options)?;
        keep(&judged_file, &Judged { messages: kept.messages, bytes: kept.bytes, by_model: true })?;
        files::remove(&answers).map_err(KnowledgeError::at(&answers))?;
        wrote
    } else {
        let said = extract(&memory, &source, &digest, host, &project, &facts, options)?;
        let decided = keep_decisions(&memory, &source, &digest)?;
        keep(&judged_file, &Judged { messages: digest.messages, bytes, by_model: false })?;
        let mut wrote = Vec::new();
        if decided > 0 {
            wrote.push(format!("{decided} decision{}", if decided == 1 { "" } else { "s" }));
        }
        if said {
            wrote.push("handoff from the transcript".to_owned());
        }
        match (wrote.is_empty(), worth) {
            (false, _) => wrote,
            (true, false) => return skipped("short"),
            (true, true) => return skipped("nothing new to hand off"),
        }
    };
    refresh_index(knowledge, &memory);
    if wrote.is_empty() { skipped("nothing to keep") } else { Ok(Evaluated::Wrote(wrote.join("; "))) }
}

/// The index is derived: when it cannot be written, the next sync repairs it.
fn refresh_index(knowledge: &Knowledge, memory: &ProjectMemory) {
    if let Ok(mut index) = Index::open(knowledge) {
        for path in [memory.decisions(), memory.failures(), memory.handoff()] {
            let _ = index.put(knowledge, &path, None);
        }
    }
}

fn ask(
    knowledge: &Knowledge,
    llm: &Llm,
    host: &Host,
    memory: &ProjectMemory,
    digest: &Digest,
    forced: bool,
) -> Result<Judgement> {
    let summaries = |path: &Path| -> Vec<String> {
        entries::last(path, 10).iter().map(|record| entries::field(record, "summary").to_owned()).collect()
    };
    let known = Known {
        decisions: summaries(&memory.decisions()),
        failures: summaries(&memory.failures()),
        learnings: learning::titles(knowledge, 50),
        handoff: Handoff::read(memory).map(|handoff| text::cut(&handoff.body, 3_000)).unwrap_or_default(),
    };
    let question = prompt::question(&memory.project, digest, &known, CONVERSATION);
    // Whoever asks for it now wants to know whether the model answers now.
    let answer = if forced { llm.ask(host, &question) } else { llm.ask_in_background(host, &question) }?;
    Ok(prompt::judgement(&answer)?)
}

fn extract(
    memory: &ProjectMemory,
    source: &Source,
    digest: &Digest,
    host: &Host,
    project: &Project,
    facts: &Facts,
    options: &Options,
) -> Result<bool> {
    if !options.slim_handoff_enabled || !digest.says_something() {
        return Ok(false);
    }
    let git = project
        .git
        .as_ref()
        .and_then(|_| GitState::read(project, &project.root, &host.env, Duration::from_secs(5)));
    let body = digest.handoff(&project.root.to_string_lossy(), git.as_ref(), &facts.branch);
    handoff::write_extract(memory, source, &body)
}

/// Keeps the choices that were stated in so many words; how many are new.
fn keep_decisions(memory: &ProjectMemory, source: &Source, digest: &Digest) -> Result<usize> {
    let ts = digest.last.unwrap_or(source.now).to_string();
    let records = digest.decisions.iter().filter_map(|decision| {
        let record = json!({
            "ts": ts, "type": "decision", "summary": decision, "project": memory.project, "tags": [],
            "session_id": source.session_id, "agent": source.agent, "source": "transcript",
        });
        record.as_object().cloned()
    });
    Ok(entries::add_new(&memory.decisions(), records.collect())?.len())
}

/// Writes a judgement. Doing it again writes nothing twice.
fn apply(
    knowledge: &Knowledge,
    memory: &ProjectMemory,
    source: &Source,
    judgement: &Judgement,
    digest: &Digest,
    options: &Options,
) -> Result<Vec<String>> {
    let knowledge = knowledge.clone().with_learnings(&options.learnings_subdir);
    // When it happened, not when somebody got round to judging it.
    let ts = digest.last.unwrap_or(source.now).to_string();
    let clean = |text: &str| scrub(text).into_owned();
    let object = |value: Value| value.as_object().cloned();
    let decisions = judgement.decisions.iter().filter_map(|d| {
        object(json!({
            "ts": ts, "type": "decision", "summary": clean(&d.summary), "context": clean(&d.context),
            "alternatives": d.alternatives, "rationale": clean(&d.rationale), "project": memory.project,
            "tags": d.tags, "session_id": source.session_id, "agent": source.agent,
        }))
    });
    let failures = judgement.failures.iter().filter_map(|f| {
        object(json!({
            "ts": ts, "type": "failure", "summary": clean(&f.summary), "root_cause": clean(&f.root_cause),
            "resolution": clean(&f.resolution), "prevention": clean(&f.prevention), "project": memory.project,
            "tags": f.tags, "session_id": source.session_id, "agent": source.agent,
        }))
    });
    let mut wrote = Vec::new();
    let mut count = |number: usize, what: &str| {
        if number > 0 {
            wrote.push(format!("{number} {what}{}", if number == 1 { "" } else { "s" }));
        }
    };
    count(entries::add_new(&memory.decisions(), decisions.collect())?.len(), "decision");
    count(entries::add_new(&memory.failures(), failures.collect())?.len(), "failure");
    let mut learned = Vec::new();
    for learning in &judgement.learnings {
        learned.extend(learning::write(&knowledge, learning, &memory.project, source.now)?);
    }
    count(learned.len(), "learning");
    if let (Some(grade), true) = (&judgement.grade, options.grading_enabled) {
        let grade = json!({
            "ts": ts, "type": "grade", "session_id": source.session_id, "project": memory.project,
            "quality": grade.quality, "issues": grade.issues, "reasoning": clean(&grade.reasoning),
            "confidence": grade.confidence,
        });
        let same = |old: &entries::Record| entries::field(old, "session_id") == source.session_id;
        entries::replace_where(&memory.grades(), same, object(grade).into_iter().collect())?;
    }
    if let Some(items) = &judgement.handoff {
        let items: Vec<String> = items.iter().map(|item| clean(item)).collect();
        handoff::write_items(memory, source, &items)?;
        wrote.push(if items.is_empty() { "nothing is open".to_owned() } else { "handoff".to_owned() });
    }
    if !judgement.problems.is_empty() {
        wrote.push(format!("left out as malformed: {}", judgement.problems.join(", ")));
    }
    if let Ok(mut index) = Index::open(&knowledge) {
        for path in learned {
            let _ = index.put(&knowledge, &path, None);
        }
    }
    Ok(wrote)
}
