//! `cargo xtask bench --lessons`: the same calls with 100 and with 10,000 lessons, against the floor.

use crate::bench::{build_floor, install, machine, replace_marked};
use crate::measure::{self, Run, quantile};
use crate::root;
use anyhow::Context as _;
use serde_json::json;
use sprag_protocol::recordings;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 200;
const MANY_LESSONS: usize = 10_000;
const FEW_LESSONS: usize = 100;

struct Subject {
    name: String,
    program: PathBuf,
    home: Option<PathBuf>,
    payload: PathBuf,
    runs: Vec<Run>,
    instructions: Option<u64>,
}

impl Subject {
    fn env(&self) -> Vec<(&'static str, String)> {
        let home = self.home.as_deref().unwrap_or(Path::new("/"));
        vec![
            ("HOME", home.display().to_string()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("SPRAG_WORKER", "off".into()),
        ]
    }

    fn args(&self) -> &'static [&'static str] {
        if self.home.is_some() { &["hook", "--agent", "claude"] } else { &[] }
    }

    /// A session that was told nothing, so that a matching lesson is said each time.
    fn fresh(&self) {
        if let Some(home) = &self.home {
            let _ = std::fs::remove_dir_all(home.join(".local/state/sprag/sessions"));
        }
    }
}

pub(crate) fn run(write: bool) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let sprag = match std::env::var_os("SPRAG_BENCH_BIN") {
        Some(built) => PathBuf::from(built),
        None => install(dir.path())?,
    };
    let floor = build_floor()?;
    let project = dir.path().join("shop");
    std::fs::create_dir_all(&project)?;
    let recording = recordings::get("claude/PreToolUse.Bash").context("the recording is gone")?;
    let mut payload: serde_json::Map<String, serde_json::Value> = serde_json::from_str(recording.text)?;
    payload.insert("cwd".into(), json!(project));
    let mut file = |name: &str, command: &str| -> anyhow::Result<PathBuf> {
        payload.insert("tool_input".into(), json!({"command": command, "description": "a call"}));
        let path = dir.path().join(name);
        std::fs::write(&path, serde_json::to_vec(&payload)?)?;
        Ok(path)
    };
    let plain = file("plain.json", "ls -la src && git status")?;
    let hit = file("hit.json", "tool7 deploy7 --force")?;
    let mut subjects = vec![subject("floor", &floor, None, &plain)];
    subjects.push(subject("no lessons, a plain call", &sprag, Some(home(dir.path(), &sprag, 0)?), &plain));
    for count in [FEW_LESSONS, MANY_LESSONS] {
        let home = home(dir.path(), &sprag, count)?;
        subjects.push(subject(&format!("{count} lessons, a plain call"), &sprag, Some(home.clone()), &plain));
        subjects.push(subject(&format!("{count} lessons, one matches"), &sprag, Some(home), &hit));
    }
    for _ in 0..ROUNDS {
        for subject in &mut subjects {
            subject.fresh();
            let mut command = Command::new(&subject.program);
            command.args(subject.args()).env_clear().envs(subject.env());
            let run = measure::run(&mut command, &subject.payload)?;
            subject.runs.push(run);
        }
    }
    for subject in &mut subjects {
        subject.fresh();
        subject.instructions =
            measure::instructions(&subject.program, subject.args(), &subject.env(), &subject.payload);
    }
    let report = report(&subjects)?;
    println!("{report}");
    if write {
        let page = root().join("docs/lessons.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "lessons measured", &report))?;
        println!("written to docs/lessons.md");
    }
    Ok(())
}

fn subject(name: &str, program: &Path, home: Option<PathBuf>, payload: &Path) -> Subject {
    Subject {
        name: name.to_owned(),
        program: program.to_path_buf(),
        home,
        payload: payload.to_path_buf(),
        runs: Vec::new(),
        instructions: None,
    }
}

/// A home with so many different lessons: commands, paths, look-ahead, of all kinds.
pub(crate) fn home(dir: &Path, sprag: &Path, count: usize) -> anyhow::Result<PathBuf> {
    let home = dir.join(format!("home-{count}"));
    std::fs::create_dir_all(&home)?;
    let mut lessons = serde_json::Map::new();
    for n in 0..count {
        let text = format!("What went wrong with number {n} was that nobody looked. ").repeat(6);
        let (tools, commands, paths) = match n % 4 {
            0 => (
                json!(["Edit", "Write"]),
                json!([]),
                json!([{"source": format!("area{n}/.*\\.py$"), "flags": "i"}]),
            ),
            1 => (
                json!(["Bash"]),
                json!([{"source": format!("\\btool{n}\\b(?!.*--safe{n})"), "flags": ""}]),
                json!([]),
            ),
            _ => (
                json!(["Bash"]),
                json!([{"source": format!("\\btool{n}\\s+deploy{n}\\b"), "flags": ""}]),
                json!([]),
            ),
        };
        lessons.insert(
            format!("id-{n}"),
            json!({"slug": format!("lesson-{n}"), "type": if n % 16 == 5 { "guard" } else { "hint" }, "priority": n % 10 + 1,
                "toolNames": tools, "commandRegexSources": commands, "pathRegexSources": paths,
                "message": format!("## Lesson: {n}\n{text}"), "summary": format!("number {n}"), "problem": text}),
        );
    }
    let manifest = dir.join(format!("manifest-{count}.json"));
    std::fs::write(&manifest, json!({"version": 1, "lessons": lessons}).to_string())?;
    if count > 0 {
        let mut command = Command::new(sprag);
        command.args(["lessons", "import"]).arg(&manifest).env_clear().env("HOME", &home);
        let status = command.status()?;
        anyhow::ensure!(status.success(), "the import failed");
    }
    Ok(home)
}

fn report(subjects: &[Subject]) -> anyhow::Result<String> {
    let wall =
        |subject: &Subject| quantile(&subject.runs.iter().map(|run| run.wall_ms).collect::<Vec<_>>(), 0.5);
    let cpu =
        |subject: &Subject| quantile(&subject.runs.iter().map(|run| run.cpu_ms).collect::<Vec<_>>(), 0.5);
    let floor = subjects.first().map(&wall).context("no floor")?;
    let mut out = String::from(
        "| call | wall median ms | CPU median ms | instructions | ratio to the floor |\n|---|---:|---:|---:|---:|\n",
    );
    for subject in subjects {
        let count = subject.instructions.map_or_else(|| "–".to_owned(), |count| count.to_string());
        writeln!(
            out,
            "| {} | {:.3} | {:.3} | {count} | {:.2} |",
            subject.name,
            wall(subject),
            cpu(subject),
            wall(subject) / floor
        )?;
    }
    for call in ["a plain call", "one matches"] {
        let of = |count: usize| subjects.iter().find(|one| one.name == format!("{count} lessons, {call}"));
        if let (Some(few), Some(many)) = (of(FEW_LESSONS), of(MANY_LESSONS)) {
            let instructions = match (few.instructions, many.instructions) {
                (Some(few), Some(many)) => format!(", {:.3} in instructions", many as f64 / few as f64),
                _ => String::new(),
            };
            writeln!(
                out,
                "\n{MANY_LESSONS} against {FEW_LESSONS} lessons, {call}: {:.2} in wall time{instructions}.",
                wall(many) / wall(few)
            )?;
        }
    }
    writeln!(out, "\nMachine: {}.", machine())?;
    Ok(out)
}
