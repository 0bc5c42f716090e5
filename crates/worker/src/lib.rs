//! The handlers of background jobs, one table.

pub mod sync;

use serde_json::Value;
use sprag_base::process::{self, Spec};
use sprag_code::index;
use sprag_config::host::Host;
use sprag_memory::knowledge::work;
use sprag_runtime::chain::EXTERNAL_JOB;
use sprag_runtime::job::{CODE_INDEX_JOB, Job, JobHandler};
use std::path::PathBuf;
use std::time::Duration;

/// Every handler.
pub static JOBS: &[JobHandler] = &[
    JobHandler { kind: EXTERNAL_JOB, summary: "runs a user's hook in the background", run: external_hook },
    JobHandler {
        kind: sprag_hooks::session::session_cleanup::PRUNE_JOB,
        summary: "removes the state of sessions that ended long ago",
        run: sprag_hooks::session::session_cleanup::prune,
    },
    JobHandler {
        kind: sprag_hooks::memory::memory_index::JOB,
        summary: "makes memories of a file in a memory folder",
        run: sprag_hooks::memory::memory_index::index,
    },
    JobHandler {
        kind: sprag_hooks::memory::subagent_learning::JOB,
        summary: "keeps what an agent found out",
        run: sprag_hooks::memory::subagent_learning::learn,
    },
    JobHandler {
        kind: sprag_hooks::memory::session_summary::JOB,
        summary: "keeps the key learnings of a session",
        run: sprag_hooks::memory::session_summary::summarise,
    },
    JobHandler {
        kind: sprag_memory::shelf::EMBED_JOB,
        summary: "makes the vectors of memories that have none",
        run: sprag_memory::shelf::embed,
    },
    JobHandler {
        kind: CODE_INDEX_JOB,
        summary: "makes or refreshes a project's symbol index",
        run: make_index,
    },
    JobHandler {
        kind: sprag_runtime::heartbeat::SYNC_JOB,
        summary: "brings the store up to date: what is spooled, signs of life, the journal",
        run: sync::run,
    },
    JobHandler {
        kind: sprag_checks::ask::JOB,
        summary: "runs a project's compilers and linters after edits",
        run: sprag_checks::run::run,
    },
    JobHandler {
        kind: sprag_coord::claims::committed::JOB,
        summary: "frees the claims on files that were committed",
        run: sprag_coord::claims::committed::run,
    },
    JobHandler {
        kind: sprag_lessons::jobs::SYNC_JOB,
        summary: "counts what lessons did, and compiles them when they changed",
        run: sprag_lessons::jobs::sync,
    },
    JobHandler {
        kind: sprag_lessons::jobs::SCAN_JOB,
        summary: "looks for lessons in transcripts",
        run: sprag_lessons::jobs::scan,
    },
    JobHandler {
        kind: sprag_coord::artifact::cleanup::JOB,
        summary: "ends the background processes that a session declared",
        run: sprag_coord::artifact::cleanup::run,
    },
    JobHandler {
        kind: work::EXPORT_JOB,
        summary: "keeps what a session said as markdown",
        run: work::run_export,
    },
    JobHandler {
        kind: work::EVALUATE_JOB,
        summary: "judges a session: decisions, failures, learnings, handoff",
        run: work::run_evaluate,
    },
    JobHandler {
        kind: sprag_hooks::session::session_end_cleanup::LEARN_JOB,
        summary: "judges a session that nothing else judged",
        run: work::run_evaluate,
    },
    JobHandler {
        kind: work::HANDOFF_JOB,
        summary: "takes a handoff document into the memory",
        run: work::run_handoff,
    },
    JobHandler { kind: work::INDEX_JOB, summary: "brings the search index up to date", run: work::run_index },
];

/// Runs a hook that its configuration put in the background. Its answer has nobody to go to.
fn external_hook(host: &Host, job: &Job) -> Result<(), String> {
    let text = |key: &str| job.payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let argv: Vec<String> =
        list(&job.payload, "argv").filter_map(|v| v.as_str().map(str::to_owned)).collect();
    let env: Vec<(String, String)> = list(&job.payload, "env")
        .filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned())))
        .collect();
    let stdin = job.payload.get("stdin").map(ToString::to_string).unwrap_or_default();
    let timeout = job.payload.get("timeout_ms").and_then(Value::as_u64).unwrap_or(30_000);
    let finished = process::run(&Spec {
        argv: &argv,
        stdin: stdin.as_bytes(),
        cwd: &PathBuf::from(text("cwd")),
        inherit: &host.env,
        env: &env,
        timeout: Duration::from_millis(timeout),
    })
    .map_err(|error| error.to_string())?;
    match finished.code {
        0 => Ok(()),
        code => Err(format!("{}: exit code {code}: {}", text("hook"), finished.stderr.trim())),
    }
}

fn list<'a>(payload: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    payload.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Makes or refreshes a project's symbol index.
fn make_index(host: &Host, job: &Job) -> Result<(), String> {
    let root = job.payload.get("root").and_then(Value::as_str).map(PathBuf::from);
    let root = root.filter(|root| root.is_dir()).ok_or("the project's folder is not there any more")?;
    index::build(&host.paths.state, &root).map(|_| ()).map_err(|error| format!("{}: {error}", root.display()))
}
