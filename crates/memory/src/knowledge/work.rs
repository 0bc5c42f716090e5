//! The background jobs: what a hook queued, done by the worker, with a line in the history.

use super::evaluate::{self, Evaluated, Options};
use super::export::{self, Exported, Task};
use super::history::{self, Done};
use super::index::Index;
use super::{Knowledge, ProjectMemory, handoff, open};
use serde_json::{Value, json};
use sprag_base::files;
use sprag_base::process::{self, Spec};
use sprag_config::host::Host;
use sprag_llm::Llm;
use sprag_project::Project;
use sprag_runtime::job::Job;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Exports a session.
pub const EXPORT_JOB: &str = "session-export";
/// Judges a session.
pub const EVALUATE_JOB: &str = "compound-loop";
/// Reads a handoff document that an agent wrote.
pub const HANDOFF_JOB: &str = "handoff-index";
/// Brings the search index up to date.
pub const INDEX_JOB: &str = "knowledge-index";

/// Names of the lists of open sessions.
pub const OPEN_EXPORT: &str = "export";
/// The same for judging.
pub const OPEN_EVALUATE: &str = "evaluate";

/// How often the whole folder is looked through.
const SYNC_EVERY: Duration = Duration::from_secs(600);

fn task_of(job: &Job) -> Result<Task, String> {
    serde_json::from_value(job.payload.clone()).map_err(|error| format!("the job makes no sense: {error}"))
}

fn note(knowledge: &Knowledge, host: &Host, what: &str, task: &Task, result: &str, detail: String) {
    let project = Project::find(&task.cwd, &host.env, &host.paths.home);
    let done = Done {
        ts: host.clock.now().to_string(),
        what: what.to_owned(),
        session: task.session.clone(),
        project: super::project_key(&project, &knowledge.machine),
        result: result.to_owned(),
        detail,
    };
    history::add(&knowledge.state, &done);
}

fn number(payload: &Value, key: &str, default: usize) -> usize {
    payload.get(key).and_then(Value::as_u64).map_or(default, |number| number as usize)
}

/// The job that exports a session. One per session waits at a time.
pub fn export_job(task: &Task, min_messages: usize, qmd: bool, last: bool) -> Job {
    let payload = json!({
        "agent": task.agent, "session": task.session, "transcript": task.transcript, "cwd": task.cwd,
        "min_messages": min_messages, "qmd": qmd, "last": last,
    });
    Job::new(EXPORT_JOB, payload).keyed(task.session.clone())
}

/// The job that judges a session. One per session waits at a time.
pub fn evaluate_job(task: &Task, options: &Options, last: bool) -> Job {
    let payload = json!({
        "agent": task.agent, "session": task.session, "transcript": task.transcript, "cwd": task.cwd,
        "options": options, "last": last,
    });
    Job::new(EVALUATE_JOB, payload).keyed(task.session.clone())
}

/// Does an export.
pub fn run_export(host: &Host, job: &Job) -> Result<(), String> {
    let (task, knowledge) = (task_of(job)?, Knowledge::open(host));
    let result = export::export(&knowledge, host, &task, number(&job.payload, "min_messages", 4), false);
    let (word, detail) = match &result {
        Ok(Exported::Written(path, messages)) => {
            ("ok", format!("{} ({messages} messages)", knowledge.shown(path)))
        }
        Ok(Exported::Unchanged(_)) => ("skipped", "unchanged".to_owned()),
        Ok(Exported::Skipped(why)) => ("skipped", (*why).to_owned()),
        Err(error) => ("failed", error.to_string()),
    };
    note(&knowledge, host, "export", &task, word, detail);
    let exported = result.map_err(|error| error.to_string())?;
    if let Exported::Written(path, _) = &exported {
        if let Ok(mut index) = Index::open(&knowledge) {
            let _ = index.put(&knowledge, path, None);
        }
        if job.payload.get("qmd").and_then(Value::as_bool).unwrap_or(false) {
            update_qmd(host)?;
        }
    }
    if job.payload.get("last").and_then(Value::as_bool).unwrap_or(false) {
        open::end(&host.paths, OPEN_EXPORT, &task.session);
    }
    sync_now_and_then(&knowledge, host);
    Ok(())
}

/// Tells `qmd` that there is something new. A machine without it has nothing to be told.
fn update_qmd(host: &Host) -> Result<(), String> {
    let argv = ["qmd".to_owned(), "update".to_owned()];
    let spec = Spec {
        argv: &argv,
        stdin: b"",
        cwd: &host.paths.home,
        inherit: &host.env,
        env: &[],
        timeout: Duration::from_secs(60),
    };
    match process::run(&spec) {
        Ok(finished) if finished.code == 0 => Ok(()),
        Ok(finished) => Err(format!("qmd update ended with {}: {}", finished.code, finished.stderr.trim())),
        Err(process::RunError::Start { .. }) => Ok(()),
        Err(error) => Err(format!("qmd update: {error}")),
    }
}

/// Judges a session.
pub fn run_evaluate(host: &Host, job: &Job) -> Result<(), String> {
    let (task, knowledge) = (task_of(job)?, Knowledge::open(host));
    let options: Options =
        job.payload.get("options").and_then(|o| serde_json::from_value(o.clone()).ok()).unwrap_or_default();
    evaluate_now(&knowledge, host, &task, &options).map_err(|error| error.to_string())?;
    if job.payload.get("last").and_then(Value::as_bool).unwrap_or(false) {
        open::end(&host.paths, OPEN_EVALUATE, &task.session);
    }
    Ok(())
}

/// Judges a session and writes the history's line, whatever came out.
pub fn evaluate_now(
    knowledge: &Knowledge,
    host: &Host,
    task: &Task,
    options: &Options,
) -> super::Result<Evaluated> {
    let result = evaluate::evaluate(knowledge, &Llm::read(host), host, task, options);
    let (word, detail) = match &result {
        Ok(Evaluated::Wrote(what)) => ("ok", what.clone()),
        Ok(Evaluated::Skipped(why)) => ("skipped", why.clone()),
        Err(error) => ("failed", error.to_string()),
    };
    note(knowledge, host, "evaluate", task, word, detail);
    result
}

/// Takes a handoff document into the memory of its project and into the index.
pub fn run_handoff(host: &Host, job: &Job) -> Result<(), String> {
    let text = |key: &str| job.payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let path = PathBuf::from(text("path"));
    let knowledge = Knowledge::open(host);
    let project = Project::find(text("cwd"), &host.env, &host.paths.home);
    let memory = knowledge.memory(&project);
    let Some(bytes) =
        files::read_limited(&path, 256 << 10).map_err(|error| format!("{}: {error}", path.display()))?
    else {
        // Written and removed again.
        return Ok(());
    };
    // The memory's own handoff may be written by an agent too; it is where it belongs.
    let document = job.payload.get("document").and_then(Value::as_bool).unwrap_or(false);
    if document && !path.starts_with(&knowledge.root) {
        take_document(&memory, host, text("session"), text("agent"), text("transcript"), &bytes)
            .map_err(|error| error.to_string())?;
    }
    let mut index = Index::open(&knowledge).map_err(|error| error.to_string())?;
    index.put(&knowledge, &path, Some(&memory)).map_err(|error| error.to_string())?;
    index.put(&knowledge, &memory.handoff(), None).map_err(|error| error.to_string())
}

fn take_document(
    memory: &ProjectMemory,
    host: &Host,
    session: &str,
    agent: &str,
    transcript: &str,
    bytes: &[u8],
) -> super::Result<()> {
    let whole = String::from_utf8_lossy(bytes);
    let body = super::front::read(&whole).map_or(whole.as_ref(), |(_, body)| body);
    let transcript = PathBuf::from(transcript);
    let source = handoff::Source {
        agent: agent.to_owned(),
        session_id: session.to_owned(),
        bytes: transcript.metadata().map_or(0, |meta| meta.len()),
        transcript,
        messages: 0,
        now: host.clock.now(),
    };
    handoff::write_document(memory, &source, &sprag_scan::scrub::scrub(super::text::start(body, 8_000)))
}

/// Brings the index up to date.
pub fn run_index(host: &Host, _job: &Job) -> Result<(), String> {
    let knowledge = Knowledge::open(host);
    sync(&knowledge).map(drop).map_err(|error| error.to_string())
}

/// Looks the whole folder through and remembers when.
pub fn sync(knowledge: &Knowledge) -> super::Result<usize> {
    let changed = Index::open(knowledge)?.sync(knowledge)?;
    let mark = mark(knowledge);
    files::write_atomic(&mark, b"").map_err(super::KnowledgeError::at(&mark))?;
    Ok(changed)
}

fn mark(knowledge: &Knowledge) -> PathBuf {
    knowledge.state.join(".synced")
}

/// Files that came by other ways than this program are found too, but not with every export.
fn sync_now_and_then(knowledge: &Knowledge, host: &Host) {
    if is_due(&mark(knowledge), host) {
        let _ = sync(knowledge);
    }
}

fn is_due(mark: &Path, host: &Host) -> bool {
    let synced = mark.metadata().and_then(|meta| meta.modified()).map(sprag_base::time::Stamp::from);
    synced.map_or(true, |at| at < host.clock.now().before(SYNC_EVERY))
}
