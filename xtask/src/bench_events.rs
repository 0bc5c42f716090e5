//! `cargo xtask bench --events`: each event of a session in a lived-in home, against the floor program in the same run.

use crate::bench::{build_floor, built, install, machine, replace_marked};
use crate::measure::{self, Run, quantile};
use crate::{bench_knowledge, bench_lessons, root, sh};
use anyhow::Context as _;
use serde_json::{Map, Value, json};
use sprag_protocol::recordings;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 60;
const LESSONS: usize = 200;
const MEMORIES: usize = 300;
const SESSIONS: usize = 1_000;

/// What an event may cost.
#[derive(Clone, Copy)]
enum Aim {
    /// So many times the floor's wall time.
    Floors(f64),
    /// So much processor time.
    CpuMs(f64),
    None,
}

/// An event, what it may cost, and whether the session's claims are forgotten before it.
const EVENTS: [(&str, Aim, bool); 11] = [
    ("SessionStart.startup", Aim::CpuMs(10.0), false),
    ("UserPromptSubmit", Aim::CpuMs(12.0), false),
    ("PreToolUse.Bash", Aim::Floors(1.8), false),
    ("PreToolUse.Read", Aim::Floors(2.0), false),
    ("PreToolUse.Edit", Aim::None, false),
    ("PreToolUse.Edit", Aim::Floors(5.0), true),
    ("PostToolUse.Bash", Aim::Floors(2.5), false),
    ("PostToolUse.Read", Aim::Floors(2.5), false),
    ("PostToolUse.Edit", Aim::None, false),
    ("Stop", Aim::Floors(2.5), false),
    ("SessionEnd.other", Aim::Floors(4.0), false),
];

struct Subject {
    name: String,
    aim: Aim,
    payload: PathBuf,
    /// Removed before each run: what the run must do again.
    without: Option<PathBuf>,
    runs: Vec<Run>,
}

pub(crate) fn run(write: bool) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let sprag = match std::env::var_os("SPRAG_BENCH_BIN") {
        Some(built) => PathBuf::from(built),
        None => install(dir.path())?,
    };
    let floor = build_floor()?;
    let home = lived_in(dir.path(), &sprag)?;
    let mut subjects = Vec::new();
    for (event, aim, claims) in EVENTS {
        subjects.push(subject(dir.path(), &home, event, aim, claims)?);
    }
    let mut floors = Vec::new();
    let payload = subjects.first().map(|subject| subject.payload.clone()).context("no event")?;
    for round in 0..ROUNDS {
        if round % 10 == 0 {
            sh(hook(&sprag, &home).args(["worker", "--once"]).stdout(std::process::Stdio::null()))?;
        }
        for subject in &mut subjects {
            if let Some(folder) = &subject.without {
                let _ = std::fs::remove_dir_all(folder);
            }
            floors.push(measure::run(&mut hook(&floor, &home), &payload)?);
            let mut command = hook(&sprag, &home);
            command.args(["hook", "--agent", "claude"]).current_dir(home.join("shop"));
            subject.runs.push(measure::run(&mut command, &subject.payload)?);
        }
    }
    let report = report(&subjects, &floors)?;
    println!("{report}");
    if write {
        let page = root().join("docs/performance.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "events measured", &report))?;
        println!("written to docs/performance.md");
    }
    Ok(())
}

/// A home of somebody who has used it for months.
fn lived_in(dir: &Path, sprag: &Path) -> anyhow::Result<PathBuf> {
    let fill =
        built(&["--package", "sprag-memory", "--example", "recall_fill"])?.join("examples/recall_fill");
    let home = bench_lessons::home(dir, sprag, LESSONS)?;
    sh(Command::new(fill).arg(home.join(".local/state/sprag")).arg(MEMORIES.to_string()))?;
    bench_knowledge::git(&home, &home.join("shop"))?;
    let payload = dir.join("past.json");
    for number in 0..SESSIONS {
        for event in ["SessionStart.startup", "SessionEnd.other"] {
            let mut past = recorded(event, &home)?;
            past.insert("session_id".into(), json!(format!("{number:08x}-past")));
            std::fs::write(&payload, Value::Object(past).to_string())?;
            let mut command = hook(sprag, &home);
            measure::run(command.args(["hook", "--agent", "claude"]), &payload)?;
        }
    }
    Ok(home)
}

fn recorded(event: &str, home: &Path) -> anyhow::Result<Map<String, Value>> {
    let recording = recordings::get(&format!("claude/{event}")).context("the recording is gone")?;
    let text = recording.text.replace("/home/dev", &home.display().to_string());
    Ok(serde_json::from_str(&text)?)
}

fn subject(dir: &Path, home: &Path, event: &str, aim: Aim, claims: bool) -> anyhow::Result<Subject> {
    let payload = recorded(event, home)?;
    let session = payload.get("session_id").and_then(Value::as_str).context("no session")?.to_owned();
    let file = dir.join(format!("{event}.json"));
    std::fs::write(&file, Value::Object(payload).to_string())?;
    let without = claims.then(|| home.join(".local/state/sprag/sessions").join(session).join("claims"));
    let name = if claims { format!("{event}, a new claim") } else { event.to_owned() };
    Ok(Subject { name, aim, payload: file, without, runs: Vec::new() })
}

fn hook(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs([
        ("HOME", home.display().to_string()),
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("SPRAG_WORKER", "off".to_owned()),
    ]);
    command
}

fn report(subjects: &[Subject], floors: &[Run]) -> anyhow::Result<String> {
    let of = |runs: &[Run], part: fn(&Run) -> f64, share: f64| {
        quantile(&runs.iter().map(part).collect::<Vec<_>>(), share)
    };
    let floor = of(floors, |run| run.wall_ms, 0.5);
    let mut out = String::from(
        "| event | wall median ms | p95 ms | CPU median ms | ratio to the floor | aim |\n|---|---:|---:|---:|---:|---:|\n",
    );
    writeln!(
        out,
        "| floor (reads, parses, prints {{}}) | {floor:.2} | {:.2} | {:.2} | 1.0 | |",
        of(floors, |run| run.wall_ms, 0.95),
        of(floors, |run| run.cpu_ms, 0.5)
    )?;
    for subject in subjects {
        let wall = of(&subject.runs, |run| run.wall_ms, 0.5);
        let cpu = of(&subject.runs, |run| run.cpu_ms, 0.5);
        let aim = match subject.aim {
            Aim::Floors(most) => format!("{most} floors{}", met(wall / floor <= most)),
            Aim::CpuMs(most) => format!("{most} ms CPU{}", met(cpu <= most)),
            Aim::None => String::new(),
        };
        writeln!(
            out,
            "| {} | {wall:.2} | {:.2} | {cpu:.2} | {:.1} | {aim} |",
            subject.name,
            of(&subject.runs, |run| run.wall_ms, 0.95),
            wall / floor
        )?;
    }
    writeln!(
        out,
        "\n{MEMORIES} memories, {LESSONS} lessons, {SESSIONS} sessions, preset `standard`, {ROUNDS} rounds, the floor between each two events. \
         Processor time includes git's. Machine: {}.",
        machine()
    )?;
    Ok(out)
}

const fn met(is_met: bool) -> &'static str {
    if is_met { "" } else { ", missed" }
}
