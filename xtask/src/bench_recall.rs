//! `cargo xtask bench --recall`: recall from a cold process among many memories, the encoder included, and the hook.

use crate::bench::{build_floor, dist, install, machine, replace_marked};
use crate::measure::{self, Run, quantile};
use crate::{root, sh};
use anyhow::Context as _;
use sprag_protocol::recordings;
use sprag_store::testing::Server;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 60;
const MILLION: usize = 1_000_000;
/// As many as the hook is measured with.
const HOOK_MEMORIES: usize = 10_000;
/// As many as PostgreSQL is measured with.
const SERVER_MEMORIES: usize = 100_000;

/// About this many different words and lengths as people ask with; none is the text of a memory.
const QUESTIONS: [&str; 5] = [
    "customers were billed twice by the payment provider",
    "how do we rotate the signing keys in staging",
    "the import job fails at night when two run at once",
    "flexible harbor window cabinet",
    "which release checklist do we follow for the mobile app before it goes to review",
];

struct Subject {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
    payload: PathBuf,
    runs: Vec<Run>,
    instructions: Option<u64>,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let scratch = tempfile::tempdir()?;
    let sprag = match std::env::var_os("SPRAG_BENCH_BIN") {
        Some(built) => PathBuf::from(built),
        None => install(scratch.path())?,
    };
    let floor = build_floor()?;
    // To fill a store takes longer than to ask it: a folder that is given is kept and used again.
    let homes =
        std::env::var_os("SPRAG_BENCH_HOMES").map_or_else(|| scratch.path().join("homes"), PathBuf::from);
    let fill = dist(&["--package", "sprag-memory", "--example", "recall_fill"])?.join("examples/recall_fill");
    let mut counts = vec![HOOK_MEMORIES, 100_000];
    if has("--million") {
        counts.push(MILLION);
    }
    for count in &counts {
        filled(&homes.join(count.to_string()), &fill, *count, None)?;
    }
    let project = scratch.path().join("shop");
    std::fs::create_dir_all(project.join(".git"))?;
    let recording = recordings::get("claude/UserPromptSubmit").context("the recording is gone")?;
    let mut payload: serde_json::Map<String, serde_json::Value> = serde_json::from_str(recording.text)?;
    payload.insert("cwd".into(), project.display().to_string().into());
    payload.insert("prompt".into(), QUESTIONS[0].into());
    let prompt = scratch.path().join("prompt.json");
    std::fs::write(&prompt, serde_json::to_vec(&payload)?)?;
    let nobody = scratch.path().join("empty");
    let alone = scratch.path().join("alone");
    std::fs::create_dir_all(alone.join(".config/sprag"))?;
    std::fs::write(
        alone.join(".config/sprag/config.toml"),
        "[hooks.user_prompt_submit]\nscripts = [\"memory-awareness\"]\n",
    )?;

    let hook = ["hook", "--agent", "claude"];
    let mut subjects = vec![
        subject("floor (reads, parses, prints {})", &floor, &[], &nobody, &prompt),
        subject("hook, a prompt, no memories, memory-awareness alone", &sprag, &hook, &alone, &prompt),
        subject("hook, a prompt, no memories, preset standard", &sprag, &hook, &nobody, &prompt),
        subject(
            &format!("hook, a prompt, {HOOK_MEMORIES} memories, preset standard"),
            &sprag,
            &hook,
            &homes.join(HOOK_MEMORIES.to_string()),
            &prompt,
        ),
    ];
    let recall = ["memory", "recall", "{question}"];
    for count in counts {
        let home = homes.join(count.to_string());
        subjects.push(subject(&format!("recall, {count} memories, SQLite"), &sprag, &recall, &home, &prompt));
    }
    let server = Server::new();
    if let Some(server) = &server {
        on_server(server, &sprag, &fill, scratch.path(), &prompt, &mut subjects)?;
    }
    for question in QUESTIONS.iter().cycle().take(ROUNDS) {
        for subject in &mut subjects {
            let args = subject.args.iter().map(|arg| arg.replace("{question}", question));
            let mut command = Command::new(&subject.program);
            command
                .args(args)
                .env_clear()
                .envs(subject.env.iter().map(|(key, value)| (*key, value.as_str())));
            command.current_dir(&project);
            let run = measure::run(&mut command, &subject.payload)?;
            subject.runs.push(run);
        }
    }
    for subject in &mut subjects {
        let args: Vec<String> =
            subject.args.iter().map(|arg| arg.replace("{question}", QUESTIONS[0])).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        subject.instructions = measure::instructions(&subject.program, &args, &subject.env, &subject.payload);
    }
    let report = report(&subjects)?;
    println!("{report}");
    if has("--write") {
        let page = root().join("docs/recall.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "recall measured", &report))?;
        println!("written to docs/recall.md");
    }
    Ok(())
}

/// A home with so many memories, here or on a server; as it is when it is there.
fn filled(home: &Path, fill: &Path, count: usize, url: Option<&str>) -> anyhow::Result<()> {
    let state = home.join(".local/state/sprag");
    if state.join("memory/vectors.bin").is_file() {
        return Ok(());
    }
    println!("filling {count} memories");
    sh(Command::new(fill).arg(&state).arg(count.to_string()).args(url))
}

/// The same on PostgreSQL: with the vectors' file, and on a machine that has none yet, where pgvector answers.
fn on_server(
    server: &Server,
    sprag: &Path,
    fill: &Path,
    dir: &Path,
    prompt: &Path,
    subjects: &mut Vec<Subject>,
) -> anyhow::Result<()> {
    let url = server.database();
    let database = url.rsplit('/').next().and_then(|name| name.split('?').next()).context("no name")?;
    let vector = server.sql(database, "CREATE EXTENSION vector").is_ok();
    let (here, there) = (dir.join("server"), dir.join("new-machine"));
    filled(&here, fill, SERVER_MEMORIES, Some(&url))?;
    let recall = ["memory", "recall", "{question}"];
    let mut with_file = subject(
        &format!("recall, {SERVER_MEMORIES} memories, PostgreSQL, vectors' file"),
        sprag,
        &recall,
        &here,
        prompt,
    );
    with_file.env.push(("SPRAG_STORE_URL", url.clone()));
    if vector {
        let mut make = Command::new(sprag);
        make.args(["memory", "reembed"])
            .env_clear()
            .envs(with_file.env.iter().map(|(k, v)| (*k, v.as_str())));
        sh(&mut make)?;
        let name = "the same, a machine without the file, pgvector";
        let mut without = subject(name, sprag, &recall, &there, prompt);
        without.env.push(("SPRAG_STORE_URL", url));
        subjects.push(with_file);
        subjects.push(without);
    } else {
        subjects.push(with_file);
    }
    Ok(())
}

fn subject(name: &str, program: &Path, args: &[&str], home: &Path, payload: &Path) -> Subject {
    Subject {
        name: name.to_owned(),
        program: program.to_path_buf(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: vec![
            ("HOME", home.display().to_string()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("SPRAG_WORKER", "off".into()),
        ],
        payload: payload.to_path_buf(),
        runs: Vec::new(),
        instructions: None,
    }
}

fn report(subjects: &[Subject]) -> anyhow::Result<String> {
    let of = |subject: &Subject, part: fn(&Run) -> f64, share: f64| {
        quantile(&subject.runs.iter().map(part).collect::<Vec<_>>(), share)
    };
    let mut out = String::from(
        "| what | wall median ms | wall p95 ms | CPU median ms | CPU p95 ms | instructions (million) | resident MB |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for subject in subjects {
        let count =
            subject.instructions.map_or_else(|| "–".to_owned(), |count| format!("{:.1}", count as f64 / 1e6));
        let rss = subject.runs.iter().map(|run| run.rss_kb).max().unwrap_or(0);
        writeln!(
            out,
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {count} | {} |",
            subject.name,
            of(subject, |run| run.wall_ms, 0.5),
            of(subject, |run| run.wall_ms, 0.95),
            of(subject, |run| run.cpu_ms, 0.5),
            of(subject, |run| run.cpu_ms, 0.95),
            rss / 1024
        )?;
    }
    let floor = subjects.first().context("no floor")?;
    for subject in subjects.iter().skip(1).take(2) {
        let times = of(subject, |run| run.cpu_ms, 0.5) / of(floor, |run| run.cpu_ms, 0.5);
        writeln!(out, "\n{}: {times:.2} times the floor in processor time.", subject.name)?;
    }
    writeln!(out, "\nMachine: {}.", machine())?;
    Ok(out)
}
