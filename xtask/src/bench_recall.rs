//! `cargo xtask bench --recall`: recall from a cold process among many memories, the encoder included, and the hook.

use crate::bench::{build_floor, built, install, machine, replace_marked};
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

/// `cargo xtask bench --recall-quality DIR`.
pub(crate) fn quality(args: &[String]) -> anyhow::Result<()> {
    let folder = args.iter().skip_while(|arg| *arg != "--recall-quality").nth(1);
    let folder =
        Path::new(folder.context("which folder? cargo xtask bench --recall-quality DIR")?).canonicalize()?;
    sh(Command::new("cargo")
        .args([
            "run", "--quiet", "--release", "--package", "sprag-memory", "--example", "recall_quality", "--",
        ])
        .arg(folder))
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
    let fill =
        built(&["--package", "sprag-memory", "--example", "recall_fill"])?.join("examples/recall_fill");
    let mut counts = vec![HOOK_MEMORIES, 100_000];
    if has("--million") {
        counts.push(MILLION);
    }
    for count in &counts {
        filled(&homes.join(count.to_string()), &fill, *count)?;
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
    let mut background = String::new();
    if let Some(server) = &server {
        let counts = if has("--million") { &[SERVER_MEMORIES, MILLION][..] } else { &[SERVER_MEMORIES] };
        for count in counts {
            let dir = scratch.path().join(format!("server-{count}"));
            background += &on_server(server, &sprag, &dir, *count, &prompt, &mut subjects)?;
        }
    }
    if has("--million") {
        let home = homes.join(MILLION.to_string());
        background += &rebuilt(&format!("{MILLION} memories, SQLite"), &sprag, &home, None, &prompt)?;
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
    let report = format!("{}\n{background}", report(&subjects)?);
    println!("{report}");
    if has("--write") {
        let page = root().join("docs/recall.md");
        let old = std::fs::read_to_string(&page)?;
        std::fs::write(&page, replace_marked(&old, "recall measured", &report))?;
        println!("written to docs/recall.md");
    }
    Ok(())
}

/// A home with so many memories; as it is when it is there.
fn filled(home: &Path, fill: &Path, count: usize) -> anyhow::Result<()> {
    let state = home.join(".local/state/sprag");
    if state.join("memory/vectors.bin").is_file() {
        return Ok(());
    }
    println!("filling {count} memories");
    sh(Command::new(fill).arg(&state).arg(count.to_string()))
}

/// Made by the server itself: a row at a time from here takes a quarter of an hour. Words are drawn by frequency, vectors
/// and tokens point anywhere.
const FILL: &str = "
    SET search_path = sprag, public; SET synchronous_commit = off; SET work_mem = '512MB'; SET maintenance_work_mem = '512MB';
    DROP INDEX memories_words;
    INSERT INTO memories (id, kind, scope, place, text, text_hash, tags, agent, session, origin, importance, created, updated, version, uses)
      SELECT gen_random_uuid()::TEXT, 'fact', 'user', '', t.text, md5(t.text), '', '', '', '', 5, t.n, t.n, 1, 0
      FROM (SELECT d.n, string_agg(w.word, ' ') || ' ' || d.n AS text
            FROM (SELECT n, floor(random() ^ 2 * {words})::INT AS id FROM generate_series(1, {count}) AS n, generate_series(1, 18) OFFSET 0) AS d
            JOIN bench_words w USING (id) GROUP BY d.n) AS t;
    CREATE INDEX memories_words ON memories USING GIN (words);
    INSERT INTO memory_vectors (seq, model, scale, vector)
      SELECT m.seq, '{model}', {scale}, v.bytes FROM memories m,
        LATERAL (SELECT decode(string_agg(md5(m.seq::TEXT || k), ''), 'hex') AS bytes FROM generate_series(1, 24) AS k) AS v;
    INSERT INTO memory_vectors (seq, model, scale, vector)
      SELECT m.seq, '{tokens}', 1065353216, v.bytes FROM memories m,
        LATERAL (SELECT substring(decode(string_agg(md5(m.seq::TEXT || k || 't'), ''), 'hex') FOR 825) AS bytes
                 FROM generate_series(1, 52) AS k) AS v;
    DROP TABLE bench_words;
";

fn fill_server(server: &Server, database: &str, count: usize) -> anyhow::Result<()> {
    println!("filling {count} memories, PostgreSQL");
    let words: Vec<String> = include_str!("../../crates/encoder/model/vocab.txt")
        .lines()
        .skip(2_000)
        .filter(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_lowercase()))
        .enumerate()
        .map(|(id, word)| format!("({id}, '{word}')"))
        .collect();
    let table = format!(
        "CREATE TABLE sprag.bench_words (id INT PRIMARY KEY, word TEXT); INSERT INTO sprag.bench_words VALUES {}",
        words.join(",")
    );
    server.sql(database, &table)?;
    // The length of 384 bytes that point anywhere.
    let scale = 1.0 / (384.0f32.sqrt() * 73.9);
    let sql = FILL
        .replace("{count}", &count.to_string())
        .replace("{words}", &words.len().to_string())
        .replace("{model}", "all-MiniLM-L6-v2/int8")
        .replace("{tokens}", "all-MiniLM-L6-v2/tokens-64x4")
        .replace("{scale}", &scale.to_bits().to_string());
    server.sql(database, &sql)?;
    server.sql(database, "VACUUM ANALYZE sprag.memories")?;
    Ok(server.sql(database, "VACUUM ANALYZE sprag.memory_vectors")?)
}

/// The same on PostgreSQL: with the vectors' file, and on a machine that has none yet, where pgvector answers.
fn on_server(
    server: &Server,
    sprag: &Path,
    home: &Path,
    count: usize,
    prompt: &Path,
    subjects: &mut Vec<Subject>,
) -> anyhow::Result<String> {
    let url = server.database();
    let database = url.rsplit('/').next().and_then(|name| name.split('?').next()).context("no name")?;
    let vector = server.sql(database, "CREATE EXTENSION vector").is_ok();
    let recall = ["memory", "recall", "{question}"];
    let name = format!("recall, {count} memories, PostgreSQL, vectors' file");
    let mut with_file = subject(&name, sprag, &recall, home, prompt);
    with_file.env.push(("SPRAG_STORE_URL", url.clone()));
    let mut migrate = Command::new(sprag);
    migrate.args(["store", "migrate"]).env_clear().envs(with_file.env.iter().map(|(k, v)| (*k, v.as_str())));
    sh(&mut migrate)?;
    fill_server(server, database, count)?;
    let background = rebuilt(&format!("{count} memories, PostgreSQL"), sprag, home, Some(&url), prompt)?;
    subjects.push(with_file);
    if vector {
        let name = "the same, a machine without the file, pgvector";
        let mut without = subject(name, sprag, &recall, &home.with_extension("new-machine"), prompt);
        without.env.push(("SPRAG_STORE_URL", url));
        subjects.push(without);
    }
    Ok(background)
}

/// What the background takes to make the vectors' file from nothing, and to add to it.
fn rebuilt(name: &str, sprag: &Path, home: &Path, url: Option<&str>, stdin: &Path) -> anyhow::Result<String> {
    let _ = std::fs::remove_file(home.join(".local/state/sprag/memory/vectors.bin"));
    let run = |args: &[&str]| {
        let mut command = Command::new(sprag);
        command.args(args).env_clear().env("HOME", home).env("SPRAG_WORKER", "off");
        command.envs(url.map(|url| ("SPRAG_STORE_URL", url)));
        measure::run(&mut command, stdin)
    };
    let whole = run(&["memory", "reembed"])?;
    let _ = run(&["memory", "add", "The harbour cranes are inspected on the first Monday of a month."])?;
    let worker = run(&["worker", "--once"])?;
    Ok(format!(
        "The vectors' file, {name}: made from nothing in {:.1} s with at most {} MB resident; a worker that finds one new memory: {:.2} s, {} MB.\n\n",
        whole.wall_ms / 1e3,
        whole.rss_kb / 1024,
        worker.wall_ms / 1e3,
        worker.rss_kb / 1024
    ))
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
