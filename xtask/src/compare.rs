//! `cargo xtask compare`: other guards beside sprag, on the same commands and on the same machine. Each is started as its hook is
//! registered, once per command, with Claude Code's payload on standard input. docs/comparison.md has the figures.
//!
//! The guards come from the registries into a folder (`--guards DIR`): `pip install --target DIR/py nah`,
//! `npm install --prefix DIR cc-safety-net`. What is not there is left out.

use crate::{manuals, measure};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command, and whether it is dangerous, where that is known.
type LabelledCommand = (String, Option<bool>);

/// How often a call is made to measure it.
const RUNS: usize = 21;

/// A guard: its name, and what starts it.
struct Guard {
    name: &'static str,
    argv: Vec<PathBuf>,
    /// Where Python finds it.
    path: Option<PathBuf>,
}

/// What a guard said to a set of commands.
#[derive(Default)]
struct Score {
    dangerous: (usize, usize),
    harmless: (usize, usize),
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let bin = value("--bin").context("which sprag? (cargo xtask compare --bin PATH --guards DIR)")?;
    let guards = guards(Path::new(bin), Path::new(value("--guards").map_or("", String::as_str)));
    let every: usize = value("--every").map_or(Ok(1), |n| n.parse())?;
    let is_set = |arg: &&String| Path::new(arg).extension().is_some_and(|ending| ending == "jsonl");
    let files: Vec<&String> = args.iter().filter(is_set).collect();
    let home = tempfile::tempdir()?;
    let project = home.path().join("work/shop");
    std::fs::create_dir_all(project.join(".git"))?;
    let mut sets: Vec<(String, Vec<LabelledCommand>)> = Vec::new();
    for file in files {
        sets.push((file.clone(), labelled(Path::new(file))?));
    }
    if let Some(folder) = value("--manuals") {
        let commands = manuals::commands(Path::new(folder))?;
        sets.push((folder.clone(), commands.into_iter().map(|command| (command, Some(false))).collect()));
    }
    println!("| guard | processor time, ms | wall time, ms |\n|---|---:|---:|");
    for guard in &guards {
        println!("| {} | {} |", guard.name, guard.cost(home.path(), &project)?);
    }
    println!("\n| set | guard | to stop | stopped | to pass | stopped |\n|---|---|---:|---:|---:|---:|");
    for (name, rows) in &sets {
        for guard in &guards {
            let mut score = Score::default();
            for (command, is_dangerous) in rows.iter().step_by(every.max(1)) {
                let stopped = guard.stops(command, home.path(), &project)?;
                match is_dangerous {
                    Some(true) => count(&mut score.dangerous, stopped),
                    Some(false) => count(&mut score.harmless, stopped),
                    None => {}
                }
            }
            println!("{}", score.row(name, guard.name));
        }
    }
    Ok(())
}

const fn count(counts: &mut (usize, usize), stopped: bool) {
    counts.0 += 1;
    counts.1 += stopped as usize;
}

impl Score {
    fn row(&self, set: &str, guard: &str) -> String {
        let share = |(all, stopped): (usize, usize)| match all {
            0 => "–".to_owned(),
            all => format!("{:.1} %", stopped as f64 * 100.0 / all as f64),
        };
        let set =
            Path::new(set).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        format!(
            "| {set} | {guard} | {} | {} | {} | {} |",
            self.dangerous.0,
            share(self.dangerous),
            self.harmless.0,
            share(self.harmless),
        )
    }
}

/// The guards that are there.
fn guards(sprag: &Path, folder: &Path) -> Vec<Guard> {
    let words = |words: &[&str]| words.iter().map(PathBuf::from).collect::<Vec<_>>();
    let mut out = vec![Guard {
        name: "sprag",
        argv: [vec![sprag.to_owned()], words(&["hook", "--agent", "claude"])].concat(),
        path: None,
    }];
    let python = folder.join("py");
    if python.join("nah").is_dir() {
        out.push(Guard {
            name: "nah (PyPI)",
            argv: words(&["python3", "-m", "nah.hook"]),
            path: Some(python),
        });
    }
    let node = folder.join("node_modules/.bin/cc-safety-net");
    if node.exists() {
        let argv = [words(&["node"]), vec![node], words(&["hook", "--claude-code"])].concat();
        out.push(Guard { name: "cc-safety-net", argv, path: None });
    }
    out
}

impl Guard {
    /// The hook, and the file with a call for it.
    fn hook(&self, command: &str, home: &Path, project: &Path) -> anyhow::Result<(Command, PathBuf)> {
        let payload = json!({
            "session_id": "5ba1f0e2-0000-4000-8000-000000000001", "cwd": project, "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command},
        });
        let file = home.join("payload.json");
        std::fs::write(&file, payload.to_string())?;
        let (program, args) = self.argv.split_first().context("nothing to start")?;
        let mut hook = Command::new(program);
        hook.args(args).env_clear().env("HOME", home).current_dir(project);
        hook.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("SPRAG_WORKER", "off");
        hook.envs(self.path.as_ref().map(|path| ("PYTHONPATH", path)));
        // Calls of a set are no session: its loops and polls do not count.
        hook.env("SPRAG_DISABLE", "tool-loop,polling-limit,scout-block");
        Ok((hook, file))
    }

    fn stops(&self, command: &str, home: &Path, project: &Path) -> anyhow::Result<bool> {
        let (mut hook, file) = self.hook(command, home, project)?;
        let output = hook.stdin(std::fs::File::open(&file)?).stderr(Stdio::null()).output()?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        let decision = answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str);
        Ok(matches!(decision, Some("deny" | "ask")) || output.status.code() == Some(2))
    }

    /// What a call that passes costs: the medians of some runs.
    fn cost(&self, home: &Path, project: &Path) -> anyhow::Result<String> {
        let (mut cpu, mut wall) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let (mut hook, file) = self.hook("git status", home, project)?;
            let run = measure::run(&mut hook, &file)?;
            cpu.push(run.cpu_ms);
            wall.push(run.wall_ms);
        }
        let median = |mut all: Vec<f64>| {
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or_default()
        };
        Ok(format!("{:.1} | {:.1}", median(cpu), median(wall)))
    }
}

/// Commands with what is expected.
fn labelled(file: &Path) -> anyhow::Result<Vec<LabelledCommand>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut out = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line)?;
        let get = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let expected = get("expect").map(|expected| expected != "allow");
        out.extend(get("command").map(|command| (command, expected)));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_their_own_kind() {
        let mut score = Score::default();
        count(&mut score.dangerous, true);
        count(&mut score.dangerous, false);
        assert_eq!(score.row("a/b.jsonl", "x"), "| b.jsonl | x | 2 | 50.0 % | 0 | – |");
    }
}
