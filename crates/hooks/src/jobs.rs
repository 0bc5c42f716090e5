//! The handlers of background work.

use serde_json::Value;
use sprag_engine::chain::EXTERNAL_JOB;
use sprag_engine::external::{self, Spec};
use sprag_engine::host::Host;
use sprag_engine::job::{Job, JobHandler};
use sprag_memory::knowledge::work;
use std::path::PathBuf;
use std::time::Duration;

/// Every handler.
pub static JOBS: &[JobHandler] = &[
    JobHandler { kind: EXTERNAL_JOB, summary: "runs a user's hook in the background", run: external_hook },
    JobHandler {
        kind: crate::session::session_cleanup::PRUNE_JOB,
        summary: "removes the state of sessions that ended long ago",
        run: crate::session::session_cleanup::prune,
    },
    JobHandler {
        kind: crate::memory::memory_index::JOB,
        summary: "makes memories of a file in a memory folder",
        run: crate::memory::memory_index::index,
    },
    JobHandler {
        kind: crate::memory::subagent_learning::JOB,
        summary: "keeps what an agent found out",
        run: crate::memory::subagent_learning::learn,
    },
    JobHandler {
        kind: crate::memory::session_summary::JOB,
        summary: "keeps the key learnings of a session",
        run: crate::memory::session_summary::summarise,
    },
    JobHandler {
        kind: crate::memory::shelf::EMBED_JOB,
        summary: "makes the vectors of memories that have none",
        run: crate::memory::shelf::embed,
    },
    JobHandler {
        kind: crate::code::INDEX_JOB,
        summary: "makes or refreshes a project's symbol index",
        run: crate::code::make_index,
    },
    JobHandler {
        kind: sprag_engine::heartbeat::SYNC_JOB,
        summary: "brings the store up to date: what is spooled, signs of life, the journal",
        run: crate::store::sync::run,
    },
    JobHandler {
        kind: crate::verify::ask::JOB,
        summary: "runs a project's compilers and linters after edits",
        run: crate::verify::run::run,
    },
    JobHandler {
        kind: crate::claims::committed::JOB,
        summary: "frees the claims on files that were committed",
        run: crate::claims::committed::run,
    },
    JobHandler {
        kind: crate::lessons::jobs::SYNC_JOB,
        summary: "counts what lessons did, and compiles them when they changed",
        run: crate::lessons::jobs::sync,
    },
    JobHandler {
        kind: crate::lessons::jobs::SCAN_JOB,
        summary: "looks for lessons in transcripts",
        run: crate::lessons::jobs::scan,
    },
    JobHandler {
        kind: crate::team::artifact::cleanup::JOB,
        summary: "ends the background processes that a session declared",
        run: crate::team::artifact::cleanup::run,
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
        kind: crate::session::session_end_cleanup::LEARN_JOB,
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
    let finished = external::run(&Spec {
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
