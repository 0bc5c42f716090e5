//! `cargo xtask moat`: the scenarios of MoatBench, a public scorer of agent guards (crate `openmoat`), against sprag.

use crate::{target, which};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hosts that sprag has too: the scorer's name and sprag's.
const HOSTS: [(&str, &str); 2] = [("claude-code", "claude"), ("codex", "codex")];

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let preset = value("--preset").unwrap_or_else(|| "strict".to_owned());
    let bin = value("--bin").map_or_else(|| target().join("debug/sprag"), PathBuf::from);
    anyhow::ensure!(bin.is_file(), "{} is not there: `cargo build -p sprag`, or --bin PATH", bin.display());
    let scorer = value("--scorer").map_or_else(scorer, |path| Ok(PathBuf::from(path)))?;
    anyhow::ensure!(scorer.is_file(), "{} is not there: {INSTALL}", scorer.display());
    for (host, agent) in HOSTS {
        score(&scorer, &bin, host, agent, &preset)?;
    }
    Ok(())
}

/// How the scorer is installed; it takes some minutes.
const INSTALL: &str = "`cargo install openmoat --root target/tools/openmoat`, or --scorer PATH";

fn scorer() -> anyhow::Result<PathBuf> {
    let own = target().join("tools/openmoat/bin/openmoat");
    let found = if own.is_file() { Some(own) } else { which("openmoat") };
    found.with_context(|| format!("the scorer openmoat is not installed: {INSTALL}"))
}

fn score(scorer: &Path, bin: &Path, host: &str, agent: &str, preset: &str) -> anyhow::Result<()> {
    // The scorer passes no variables on.
    let hook = format!("env SPRAG_PRESET={preset} SPRAG_WORKER=off {} hook --agent {agent}", bin.display());
    let output =
        Command::new(scorer).args(["bench", "--host", host, "--hook", &hook, "--format", "json"]).output()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let list = |key: &str| report.get(key).and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let scenarios: u64 = report
        .get("categories")
        .and_then(serde_json::Value::as_object)
        .into_iter()
        .flat_map(|categories| categories.values())
        .filter_map(|row| row.get("runs").and_then(serde_json::Value::as_u64))
        .sum();
    let wrong = list("mismatches");
    println!("{host}, preset {preset}: {} of {scenarios} scenarios wrong", wrong.len());
    for line in wrong.iter().chain(&list("false_positives")) {
        println!("  {}", line.as_str().unwrap_or_default());
    }
    Ok(())
}
