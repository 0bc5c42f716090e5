//! `cargo xtask manuals FOLDER`: how many example commands of a collection of manual pages the guards stop, and which.
//!
//! The collection is plain text, one command per line, `#` before what is none: for example the sheets of `cheat`
//! (`pip download --no-deps cheat==2.5.1`, folder `cheat/cheatsheets`). Nothing of it is kept.

use crate::target;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many of the stops are shown.
const SAMPLE: usize = 200;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let bin = value("--bin").map_or_else(|| target().join("debug/sprag"), PathBuf::from);
    let folder = args
        .first()
        .filter(|arg| !arg.starts_with('-'))
        .context("which folder? (cargo xtask manuals FOLDER)")?;
    let commands = commands(Path::new(folder))?;
    let verdicts = judge(&bin, &commands)?;
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut stopped = Vec::new();
    for (command, verdict) in commands.iter().zip(&verdicts) {
        if verdict.get("verdict").and_then(serde_json::Value::as_str) == Some("allow") {
            continue;
        }
        let rule = verdict.get("rule").and_then(serde_json::Value::as_str).unwrap_or("?").to_owned();
        stopped.push(format!("{rule:<34} {command}"));
        *rules.entry(rule).or_default() += 1;
    }
    let share = stopped.len() as f64 * 100.0 / commands.len().max(1) as f64;
    println!("{} of {} commands stopped ({share:.1} %)", stopped.len(), commands.len());
    for (rule, count) in &rules {
        println!("  {count:>5}  {rule}");
    }
    // Every n-th, so that the sample is of the whole and the same in every run.
    let step = stopped.len().div_ceil(SAMPLE).max(1);
    println!("\nto be judged by a person (every {step}th):");
    for line in stopped.iter().step_by(step) {
        println!("  {line}");
    }
    Ok(())
}

pub(crate) fn commands(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(|line| line.trim().trim_start_matches("$ "));
        let prompt = |line: &str| line.starts_with(">>>") || line.starts_with("[0x");
        out.extend(
            lines.filter(|line| !line.is_empty() && !line.starts_with('#') && !prompt(line)).map(filled_in),
        );
    }
    Ok(out)
}

/// `<name>` stands for a name, and would be a redirection.
fn filled_in(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let name = after.split_once('>').filter(|(name, _)| {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' '))
        });
        rest = if let Some((name, tail)) = name {
            out.push_str(&name.replace(' ', "_"));
            tail
        } else {
            out.push('<');
            after
        };
    }
    out.push_str(rest);
    out
}

fn judge(bin: &Path, commands: &[String]) -> anyhow::Result<Vec<serde_json::Value>> {
    let home = tempfile::tempdir()?;
    let mut child = Command::new(bin)
        .args(["guard", "batch"])
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| bin.display().to_string())?;
    let mut input = child.stdin.take().context("no input")?;
    let rows: String = commands
        .iter()
        .map(|command| {
            let row = serde_json::json!({
                "command": command, "cwd": "/home/dev/project", "home": "/home/dev", "project_root": "/home/dev/project",
            });
            format!("{row}\n")
        })
        .collect();
    let writer = std::thread::spawn(move || input.write_all(rows.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| anyhow::anyhow!("the writer failed"))??;
    let verdicts: Result<Vec<_>, _> =
        String::from_utf8_lossy(&output.stdout).lines().map(serde_json::from_str).collect();
    Ok(verdicts?)
}
