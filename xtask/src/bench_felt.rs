//! `cargo xtask bench --felt`: what hooks add to a tool call in the real Claude Code, against a scripted model.

use crate::bench::{build_floor, install, machine, replace_marked};
use crate::measure::quantile;
use crate::root;
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_testkit::{Agent, Sandbox, require, text};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Calls in one session; each runs PreToolUse and PostToolUse.
const CALLS: usize = 40;
const ROUNDS: usize = 5;
/// A hook as people write them: reads its input, looks at it, says nothing.
const SCRIPT: &str =
    "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>{JSON.parse(s);process.stdout.write('{}')})\n";

struct Subject {
    name: &'static str,
    /// Of one event; the same for both.
    hooks: Vec<Value>,
    ms_per_call: Vec<f64>,
}

pub(crate) fn run(write: bool) -> anyhow::Result<()> {
    let Some(claude) = require(Agent::Claude) else {
        println!("xtask bench: skipped: Claude Code is not installed (`cargo xtask test --fetch`)");
        return Ok(());
    };
    let dir = tempfile::tempdir()?;
    let sprag = match std::env::var_os("SPRAG_BENCH_BIN") {
        Some(built) => PathBuf::from(built),
        None => install(dir.path())?,
    };
    let floor = build_floor()?;
    let script = dir.path().join("hook.js");
    std::fs::write(&script, SCRIPT)?;
    let shell = |line: String| json!({"type": "command", "command": line});
    let exec = |program: &Path, args: &[&str]| json!({"type": "command", "command": program, "args": args});
    // Claude Code runs a command that is registered twice only once.
    let node = |number: usize| shell(format!("node {} {number}", script.display()));
    let mut subjects = [
        ("no hooks", vec![]),
        ("the floor program, through a shell", vec![shell(floor.display().to_string())]),
        ("the floor program, exec form", vec![exec(&floor, &[])]),
        ("sprag, exec form, preset standard", vec![exec(&sprag, &["hook", "--agent", "claude"])]),
        ("one node script", vec![node(0)]),
        ("six node scripts", (0..6).map(node).collect()),
    ]
    .map(|(name, hooks)| Subject { name, hooks, ms_per_call: Vec::new() });
    for _ in 0..ROUNDS {
        for subject in &mut subjects {
            let sandbox = Sandbox::new();
            let settings = sandbox.home().join(".claude/settings.json");
            std::fs::create_dir_all(settings.parent().context("a file without a folder")?)?;
            let of_event = json!([{"matcher": "*", "hooks": subject.hooks}]);
            let all = json!({"hooks": {"PreToolUse": of_event, "PostToolUse": of_event}});
            let all = if subject.hooks.is_empty() { json!({}) } else { all };
            std::fs::write(&settings, all.to_string())?;
            let calls = |count: usize| {
                let steps = (0..count).map(|n| Agent::Claude.shell(&format!("true {n}")));
                let run = claude.run(&sandbox).prompt("go").script(steps).step(text("done"));
                let started = Instant::now();
                run.go();
                started.elapsed().as_secs_f64() * 1_000.0
            };
            // The agent's own start and end are the same with one call and with many.
            let few = calls(1);
            subject.ms_per_call.push((calls(1 + CALLS) - few) / CALLS as f64);
        }
    }
    let report = report(&subjects)?;
    println!("{report}");
    if write {
        let page = root().join("docs/performance.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "felt measured", &report))?;
        println!("written to docs/performance.md");
    }
    Ok(())
}

fn report(subjects: &[Subject]) -> anyhow::Result<String> {
    let median = |subject: &Subject| quantile(&subject.ms_per_call, 0.5);
    let none = subjects.first().map(median).context("nothing was measured")?;
    let mut out = String::from("| hooks | ms per tool call | added by hooks |\n|---|---:|---:|\n");
    for subject in subjects {
        let ms = median(subject);
        writeln!(out, "| {} | {ms:.1} | {:.1} |", subject.name, ms - none)?;
    }
    writeln!(
        out,
        "\nA call of Bash with PreToolUse and PostToolUse in the real Claude Code against a scripted model: the median of {ROUNDS} sessions of \
         {CALLS} calls. Machine: {}.",
        machine()
    )?;
    Ok(out)
}
