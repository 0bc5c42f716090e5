//! `cargo xtask bench --knowledge`: the knowledge loop's part of an event, with a long transcript and many exports.

use crate::bench::{build_floor, install, machine};
use crate::measure::{self, quantile};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 60;
pub(crate) const EXPORT_COUNT: usize = 10_000;
const TRANSCRIPT_BYTES: usize = 50 << 20;
const TURN_BYTES: usize = 20 << 10;

struct Bench {
    home: PathBuf,
    project: PathBuf,
    transcript: PathBuf,
    payload: PathBuf,
    sprag: PathBuf,
    floor: PathBuf,
}

/// Times of one thing, and of the floor beside each: noise hits both alike.
#[derive(Default)]
struct Times {
    own: Vec<f64>,
    floor: Vec<f64>,
}

impl Bench {
    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(&self.project).envs([
            ("HOME", self.home.display().to_string()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("SPRAG_WORKER", "off".to_owned()),
        ]);
        command
    }

    /// Runs a command once, and the floor beside it.
    fn time(&self, args: &[&str], times: &mut Times) -> anyhow::Result<()> {
        times.floor.push(measure::run(&mut self.command(&self.floor, &[]), &self.payload)?.wall_ms);
        times.own.push(measure::run(&mut self.command(&self.sprag, args), &self.payload)?.wall_ms);
        Ok(())
    }

    /// The times of one event, with `before` done ahead of each.
    fn event(&self, name: &str, mut before: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Times> {
        let mut times = Times::default();
        for round in 0..ROUNDS {
            before()?;
            let session = format!("{:08x}-bench", if name == "Stop" { 1 } else { round });
            let payload = json!({
                "hook_event_name": name, "session_id": session, "cwd": self.project, "source": "startup",
                "transcript_path": self.transcript, "reason": "other", "stop_hook_active": false,
            });
            fs::write(&self.payload, payload.to_string())?;
            self.time(&["hook", "--agent", "claude"], &mut times)?;
        }
        Ok(times)
    }
}

pub(crate) fn run() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let base = dir.path();
    let floor = match std::env::var_os("SPRAG_BENCH_FLOOR") {
        Some(path) => path.into(),
        None => build_floor()?,
    };
    let bench = Bench {
        floor,
        home: base.join("home"),
        project: base.join("home/shop"),
        transcript: base.join("t.jsonl"),
        payload: base.join("payload.json"),
        // What is installed already may be measured again.
        sprag: match std::env::var_os("SPRAG_BENCH_BIN") {
            Some(path) => path.into(),
            None => install(base)?,
        },
    };
    git(&bench.home, &bench.project)?;
    fs::write(&bench.payload, "{}")?;
    let mut rows = Vec::new();
    write_transcript(&bench.transcript)?;
    let added = turn(TURN_BYTES);
    let stop = bench.event("Stop", || {
        // The worker processes the queue between turns.
        let _ = fs::remove_dir_all(bench.home.join(".local/state/sprag/queue"));
        Ok(fs::OpenOptions::new().append(true).open(&bench.transcript)?.write_all(added.as_bytes())?)
    })?;
    rows.push(("Stop, 50 MB transcript, 20 KB new, preset standard".to_owned(), stop));
    rows.push((
        "SessionEnd, 50 MB transcript, preset standard".to_owned(),
        bench.event("SessionEnd", || Ok(()))?,
    ));

    write_exports(&bench.home)?;
    let args = ["knowledge", "search", "cart", "rounding", "--json"];
    // The first one makes the index.
    let built = measure::run(&mut bench.command(&bench.sprag, &args), &bench.payload)?.wall_ms;
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        bench.time(&args, &mut times)?;
    }
    rows.push((format!("knowledge search, {EXPORT_COUNT} exports"), times));
    let only = "[hooks.session_start]\nscripts = [\"context-inject\"]\n";
    fs::create_dir_all(bench.home.join(".config/sprag"))?;
    fs::write(bench.home.join(".config/sprag/config.toml"), only)?;
    let inject = bench.event("SessionStart", || Ok(()))?;
    rows.push((format!("SessionStart, context-inject alone (git included), {EXPORT_COUNT} exports"), inject));

    let mut out = String::from(
        "| what | wall median ms | p95 ms | floor beside it | ratio |\n|---|---:|---:|---:|---:|\n",
    );
    for (name, times) in &rows {
        let (median, floor) = (quantile(&times.own, 0.5), quantile(&times.floor, 0.5));
        let p95 = quantile(&times.own, 0.95);
        writeln!(out, "| {name} | {median:.2} | {p95:.2} | {floor:.2} | {:.1} |", median / floor)?;
    }
    writeln!(
        out,
        "\nThe index of {EXPORT_COUNT} exports is built once, in {:.1} s. Machine: {}.",
        built / 1_000.0,
        machine()
    )?;
    println!("{out}");
    Ok(())
}

/// A repository with a commit and a remote.
pub(crate) fn git(home: &Path, project: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/cart.py"), "def total(items): ...\n")?;
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["remote", "add", "origin", "https://git.example/dev/shop.git"],
        &["add", "."],
        &["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "First"],
    ] {
        let mut command = Command::new("git");
        command.args(args).current_dir(project).env("HOME", home);
        let status = command.status()?;
        anyhow::ensure!(status.success(), "git {args:?} failed");
    }
    Ok(())
}

/// A turn of about this many bytes: a request, a tool call with a long result, an answer.
fn turn(bytes: usize) -> String {
    let line = |value: Value| format!("{value}\n");
    let result = "x".repeat(bytes.saturating_sub(900));
    line(json!({"type": "user", "entrypoint": "cli", "timestamp": "2026-11-15T09:00:00.000Z",
        "message": {"role": "user", "content": "please look at the cart total once more"}}))
        + &line(json!({"type": "assistant", "message": {"role": "assistant", "id": "m", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cat log"}}],
            "usage": {"input_tokens": 100, "output_tokens": 20}}}))
        + &line(json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": result}]}}))
        + &line(json!({"type": "assistant", "message": {"role": "assistant", "id": "n", "content": [
            {"type": "text", "text": "It is right now."}], "usage": {"input_tokens": 100, "output_tokens": 20}}}))
}

fn write_transcript(path: &Path) -> anyhow::Result<()> {
    let mut file = fs::File::create(path)?;
    let turn = turn(64 << 10);
    for _ in 0..TRANSCRIPT_BYTES / turn.len() {
        file.write_all(turn.as_bytes())?;
    }
    Ok(())
}

/// A knowledge folder with many exports, one in a hundred of this project.
pub(crate) fn write_exports(home: &Path) -> anyhow::Result<()> {
    let sessions = home.join(".local/share/sprag/sessions");
    let topics = ["cart", "rounding", "login", "search", "checkout", "invoice", "export"];
    let filler =
        "Some words about the work that was done and why it was done in this way and no other. ".repeat(30);
    for number in 0..EXPORT_COUNT {
        let (month, day) = (number % 12 + 1, number % 28 + 1);
        let folder = sessions.join(format!("2025-{month:02}"));
        fs::create_dir_all(&folder)?;
        // One in a hundred is of this project.
        let project = if number % 100 == 0 { "shop".to_owned() } else { format!("other{}", number % 50) };
        let topic = topics.get(number % topics.len()).copied().unwrap_or_default();
        let text = format!(
            "---\ntype: claude-session\nsession_id: {number:08}-x\ndate: 2025-{month:02}-{day:02} 10:00\ncwd: /w/{project}\n\
             project: {project}\nprofile: other\nsession_type: other\nbranch: main\nclaude_version: 2\nmessages: 12\n\
             project_key: git.example/dev/{project}\nupdated: 2025-{month:02}-{day:02} 11:00\n---\n\n# Session\n\n\
             ## User\n\nwork on the {topic} number {number}\n\n## Claude\n\n{filler}\n"
        );
        fs::write(folder.join(format!("2025-{month:02}-{day:02}-{number:08}.md")), text)?;
    }
    let memory = home.join(".local/share/sprag/memory/git.example/dev/shop");
    fs::create_dir_all(&memory)?;
    fs::write(memory.join("handoff.md"), "---\nsession_id: 1-x\nkind: model\n---\n- finish the cart\n")?;
    let decisions: String = (0..500).map(|n| format!("{{\"summary\":\"Decision number {n}\"}}\n")).collect();
    fs::write(memory.join("decisions.jsonl"), decisions)?;
    Ok(())
}
