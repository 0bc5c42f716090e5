//! The handlers of background jobs: one `match`. What commands and servers ask of the same data with the background's help: the
//! index of a project, the store as of now.

mod spending;
pub mod sync;

use sprag_base::id::short_hash;
use sprag_base::process::{self, Spec};
use sprag_code::extract::Depth;
use sprag_code::index::{self, Index, Mode};
use sprag_config::host::Host;
use sprag_hooks::context::context_inject;
use sprag_hooks::memory::memory_index;
use sprag_hooks::session::session_cleanup;
use sprag_memory::collect;
use sprag_memory::knowledge::work;
use sprag_memory::recall::keep;
use sprag_project::Project;
use sprag_runtime::job::{Job, JobError, Work, code_index};
use sprag_runtime::work::{Collection, ExternalHook};
use sprag_runtime::{disk, queue};
use std::path::Path;
use std::time::Duration;

/// Does one job.
pub fn handle(host: &Host, job: &Work) -> Result<(), JobError> {
    match job {
        Work::ExternalHook(hook) => external_hook(host, hook),
        Work::CodeIndex { root } => build_index(host, root),
        Work::GitCount { root } => context_inject::count(host, root),
        Work::StoreSync => {
            // A disk that is full is a reason to look, and so is a store that fails for it.
            let looked = disk::look(host);
            sync::run(host)?;
            Ok(looked?)
        }
        Work::PruneSessions { keep_days } => {
            session_cleanup::prune(host, *keep_days)?;
            Ok(disk::look(host)?)
        }
        Work::ClaimsCommitted(commit) => sprag_coord::claims::committed::run(host, commit),
        Work::ArtifactCleanup(cleanup) => sprag_coord::artifact::cleanup::run(host, cleanup),
        Work::Verify { root } => sprag_checks::run::run(host, root),
        Work::TokenCount(wanted) => spending::count(host, wanted),
        Work::MemoryEmbed => sprag_memory::memories::embed(host),
        Work::MemoryCollect(wanted) => collect::run(host, wanted),
        Work::MemoryIndex(file) => memory_index::index(host, file),
        Work::MemoryLearn(learning) => keep::learn(host, learning),
        Work::MemorySummary(summary) => keep::summarise(host, summary),
        Work::LessonsSync {} => sprag_lessons::jobs::sync(host),
        Work::LessonsScan(scan) => sprag_lessons::jobs::scan(host, scan),
        Work::LessonsSession(session) => sprag_lessons::jobs::session(host, session),
        Work::SessionExport(export) => {
            work::run_export(host, export)?;
            collect_later(host, &export.of.cwd)
        }
        Work::CompoundLoop(evaluation) | Work::SessionLearnings(evaluation) => {
            work::run_evaluate(host, evaluation)?;
            collect_later(host, &evaluation.of.cwd)
        }
        Work::HandoffIndex(document) => {
            work::run_handoff(host, document)?;
            collect_later(host, &document.cwd)
        }
        Work::Notify(notice) => sprag_notify::run(host, notice),
        Work::Telemetry {} => sprag_telemetry::run(host),
        Work::Unknown { kind, .. } => {
            Err(format!("unknown kind `{kind}`, or a payload that this version cannot read").into())
        }
    }
}

/// Queues the job that makes memories of what was just kept. One per project waits at a time.
fn collect_later(host: &Host, cwd: &str) -> Result<(), JobError> {
    Ok(queue::push(
        &host.paths,
        &collect::job(Collection { cwd: cwd.to_owned(), ..Collection::default() }),
        host.clock.now(),
    )?)
}

/// Runs a hook that its configuration put in the background. Its answer has nobody to go to.
fn external_hook(host: &Host, hook: &ExternalHook) -> Result<(), JobError> {
    let finished = process::run(&Spec {
        argv: &hook.argv,
        stdin: hook.stdin.to_string().as_bytes(),
        cwd: &hook.cwd,
        inherit: &host.env,
        env: &hook.env,
        timeout: Duration::from_millis(hook.timeout_ms),
    })?;
    match finished.code {
        0 => Ok(()),
        code => Err(format!("{}: exit code {code}: {}", hook.hook, finished.stderr.trim()).into()),
    }
}

/// The index of a project as it is now; what takes long is left to the background. `None` when it cannot be made.
pub fn open_index(host: &Host, project: &Project) -> std::io::Result<Option<Index>> {
    let index = Index::open(&host.paths.state, &project.root, Mode::Patient)?;
    if index.as_ref().is_some_and(|index| index.refreshed.due)
        && let Some(job) = code_index(project, &host.paths.home)
    {
        // The background reads the calls of the whole project: the next question is quicker for it.
        let _ = queue::push(&host.paths, &job, host.clock.now());
    }
    Ok(index)
}

/// Builds or refreshes a project's symbol index.
fn build_index(host: &Host, root: &Path) -> Result<(), JobError> {
    if !root.is_dir() {
        return Err("the project's folder is not there any more".into());
    }
    let failed = |error| JobError::about(root.display(), error);
    index::build(&host.paths.state, root, Depth::Calls).map_err(failed)?;
    let index = Index::open(&host.paths.state, root, Mode::Patient).map_err(failed)?;
    let Some(index) = index else { return Ok(()) };
    let done = sprag_codesearch::embed(&index, &host.paths.state, EMBEDDED_AT_ONCE).map_err(failed)?;
    if done.left > 0 {
        // Other work comes in between.
        let key = short_hash(root.as_os_str().as_encoded_bytes());
        let mut job = Job::new(Work::CodeIndex { root: root.to_path_buf() }).keyed(key);
        job.delay_s = 2;
        queue::push(&host.paths, &job, host.clock.now())?;
    }
    Ok(())
}

/// Symbols whose meaning is read by one job.
const EMBEDDED_AT_ONCE: usize = 1_000;
