//! The background jobs: what a hook queued, done by the worker, with a line in the history.

use super::evaluate::{self, Evaluated, Options};
use super::export::{self, Exported, Task};
use super::history::{self, Done};
use super::index::Index;
use super::{Knowledge, ProjectMemory, handoff, open};
use sprag_base::files;
use sprag_base::process::{self, Spec};
use sprag_config::host::Host;
use sprag_llm::{Llm, LlmError};
use sprag_project::Project;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::work::{Evaluation, Export, HandoffDocument};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names of the lists of open sessions.
pub const OPEN_EXPORT: &str = "export";
/// The same for judging.
pub const OPEN_EVALUATE: &str = "evaluate";

/// A longer document of an agent is cut by its sections.
const MAX_DOCUMENT: usize = 16_000;

/// How often the whole folder is looked through.
const SYNC_EVERY: Duration = Duration::from_secs(600);

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

/// The job that exports a session. One per session waits at a time.
pub fn export_job(task: &Task, min_messages: usize, qmd: bool, last: bool) -> Job {
    let export = Export { of: task.clone(), min_messages, qmd, last };
    Job::new(Work::SessionExport(export)).keyed(task.session.clone())
}

/// The job that judges a session. One per session waits at a time.
pub fn evaluate_job(task: &Task, options: Options, last: bool) -> Job {
    let evaluation = Evaluation { of: task.clone(), options, last };
    Job::new(Work::CompoundLoop(evaluation)).keyed(task.session.clone())
}

/// Does an export.
pub fn run_export(host: &Host, wanted: &Export) -> Result<(), JobError> {
    let (task, knowledge) = (&wanted.of, Knowledge::open(host));
    let result = export::export(&knowledge, host, task, wanted.min_messages, false);
    let (word, detail) = match &result {
        Ok(Exported::Written(path, messages)) => {
            ("ok", format!("{} ({messages} messages)", knowledge.shown(path)))
        }
        Ok(Exported::Unchanged(_)) => ("skipped", "unchanged".to_owned()),
        Ok(Exported::Skipped(why)) => ("skipped", (*why).to_owned()),
        Err(error) => ("failed", error.to_string()),
    };
    note(&knowledge, host, "export", task, word, detail);
    if let Exported::Written(path, _) = &result? {
        if let Ok(mut index) = Index::open(&knowledge) {
            let _ = index.put(&knowledge, path, None);
        }
        if wanted.qmd {
            update_qmd(host)?;
        }
    }
    if wanted.last {
        open::end(&host.paths, OPEN_EXPORT, &task.session);
    }
    sync_now_and_then(&knowledge, host);
    Ok(())
}

/// Tells `qmd` that there is something new. A machine without it has nothing to be told.
fn update_qmd(host: &Host) -> Result<(), JobError> {
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
        Ok(finished) => {
            Err(format!("qmd update ended with {}: {}", finished.code, finished.stderr.trim()).into())
        }
        Err(process::RunError::Start { .. }) => Ok(()),
        Err(error) => Err(JobError::about("qmd update", error)),
    }
}

/// Judges a session.
pub fn run_evaluate(host: &Host, wanted: &Evaluation) -> Result<(), JobError> {
    match evaluate_now(&Knowledge::open(host), host, &wanted.of, &wanted.options) {
        Err(super::KnowledgeError::Model(error @ LlmError::Paused { until, .. })) => {
            return Err(JobError::later(until, error));
        }
        other => drop(other?),
    }
    if wanted.last {
        open::end(&host.paths, OPEN_EVALUATE, &wanted.of.session);
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
        Err(error @ super::KnowledgeError::Model(LlmError::Paused { .. })) => {
            ("postponed", error.to_string())
        }
        Ok(Evaluated::Wrote(what)) => ("ok", what.clone()),
        Ok(Evaluated::Skipped(why)) => ("skipped", why.clone()),
        Err(error) => ("failed", error.to_string()),
    };
    note(knowledge, host, "evaluate", task, word, detail);
    result
}

/// Takes a handoff document into the memory of its project and into the index.
pub fn run_handoff(host: &Host, written: &HandoffDocument) -> Result<(), JobError> {
    let path = &written.path;
    let knowledge = Knowledge::open(host);
    let project = Project::find(&written.cwd, &host.env, &host.paths.home);
    let memory = knowledge.memory(&project);
    let Some(bytes) =
        files::read_limited(path, 256 << 10).map_err(|error| JobError::about(path.display(), error))?
    else {
        // Written and removed again.
        return Ok(());
    };
    // The memory's own handoff may be written by an agent too; it is where it belongs.
    if written.document && !path.starts_with(&knowledge.root) {
        take_document(&memory, host, written, &bytes)?;
    }
    let mut index = Index::open(&knowledge)?;
    index.put(&knowledge, path, Some(&memory))?;
    Ok(index.put(&knowledge, &memory.handoff(), None)?)
}

fn take_document(
    memory: &ProjectMemory,
    host: &Host,
    written: &HandoffDocument,
    bytes: &[u8],
) -> super::Result<()> {
    let whole = String::from_utf8_lossy(bytes);
    let body = super::front::read(&whole).map_or(whole.as_ref(), |(_, body)| body);
    let transcript = written.transcript.clone().unwrap_or_default();
    let source = handoff::Source {
        agent: written.agent.clone(),
        session_id: written.session.clone(),
        bytes: transcript.metadata().map_or(0, |meta| meta.len()),
        transcript,
        messages: 0,
        now: host.clock.now(),
    };
    let file = written.path.display().to_string();
    let body = super::sections::cut(body, MAX_DOCUMENT, &file);
    handoff::write_document(memory, &source, &sprag_scan::scrub::scrub(&body))
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
