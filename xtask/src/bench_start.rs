//! `cargo xtask bench --start`: a session's start in a home where much was learned.

use crate::bench::{build_floor, built, install, machine, replace_marked};
use crate::measure::{self, Run, quantile};
use crate::{bench_knowledge, bench_lessons, root, sh};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 60;
const LESSONS: usize = 1_000;
const MEMORIES: usize = 10_000;
/// The background works between sessions: after so many starts.
const WORKER_EVERY: usize = 10;

pub(crate) fn run(write: bool) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let sprag = match std::env::var_os("SPRAG_BENCH_BIN") {
        Some(built) => PathBuf::from(built),
        None => install(dir.path())?,
    };
    let floor = build_floor()?;
    let fill =
        built(&["--package", "sprag-memory", "--example", "recall_fill"])?.join("examples/recall_fill");
    let full = bench_lessons::home(dir.path(), &sprag, LESSONS)?;
    let state = full.join(".local/state/sprag");
    sh(Command::new(fill).arg(&state).arg(MEMORIES.to_string()))?;
    bench_knowledge::write_exports(&full)?;
    let empty = dir.path().join("empty");
    for home in [&full, &empty] {
        bench_knowledge::git(home, &home.join("shop"))?;
    }
    worker(&sprag, &full)?;

    let mut rows: Vec<(String, Vec<Run>)> = [
        "floor (reads, parses, prints {})".to_owned(),
        "SessionStart, nothing was learned".to_owned(),
        format!(
            "SessionStart, {} exports, {MEMORIES} memories, {LESSONS} lessons",
            bench_knowledge::EXPORT_COUNT
        ),
    ]
    .map(|name| (name, Vec::new()))
    .into();
    let payload = dir.path().join("payload.json");
    for round in 0..ROUNDS {
        if round % WORKER_EVERY == 0 {
            worker(&sprag, &full)?;
            worker(&sprag, &empty)?;
        }
        let subjects = [(&floor, &empty), (&sprag, &empty), (&sprag, &full)];
        for ((program, home), (_, runs)) in subjects.into_iter().zip(&mut rows) {
            let project = home.join("shop");
            let event = json!({
                "hook_event_name": "SessionStart", "session_id": format!("{round:08x}-start"), "cwd": project,
                "source": "startup", "transcript_path": home.join("t.jsonl"),
            });
            std::fs::write(&payload, event.to_string())?;
            let mut command = command(program, home);
            command.args(["hook", "--agent", "claude"]).current_dir(&project);
            runs.push(measure::run(&mut command, &payload)?);
        }
    }
    let report = report(&rows)?;
    println!("{report}");
    if write {
        let page = root().join("docs/performance.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "start measured", &report))?;
        println!("written to docs/performance.md");
    }
    Ok(())
}

fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs([
        ("HOME", home.display().to_string()),
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("SPRAG_WORKER", "off".to_owned()),
    ]);
    command
}

/// What the background does between sessions.
fn worker(sprag: &Path, home: &Path) -> anyhow::Result<()> {
    let mut command = command(sprag, home);
    sh(command.args(["worker", "--once"]).stdout(std::process::Stdio::null()))
}

fn report(rows: &[(String, Vec<Run>)]) -> anyhow::Result<String> {
    let mut out = String::from(
        "| what | wall median ms | wall p95 ms | CPU median ms | CPU p95 ms | resident MB |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (name, runs) in rows {
        let of =
            |part: fn(&Run) -> f64, share: f64| quantile(&runs.iter().map(part).collect::<Vec<_>>(), share);
        writeln!(
            out,
            "| {name} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
            of(|run| run.wall_ms, 0.5),
            of(|run| run.wall_ms, 0.95),
            of(|run| run.cpu_ms, 0.5),
            of(|run| run.cpu_ms, 0.95),
            runs.iter().map(|run| run.rss_kb).max().unwrap_or(0) / 1024
        )?;
    }
    writeln!(out, "\nProcessor time includes git's. Machine: {}.", machine())?;
    Ok(out)
}
