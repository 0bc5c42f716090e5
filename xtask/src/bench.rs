//! `cargo xtask bench`: what deploy registers, against the floor, node and python, in the same run.

use crate::measure::{self, Run, quantile};
use crate::{has, root, sh, target};
use anyhow::Context as _;
use sprag_protocol::recordings;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rounds over all commands, so that noise hits them alike.
const ROUNDS: usize = 300;
/// Interpreters are slow to start; fewer rounds tell enough.
const SLOW_ROUNDS: usize = 30;
/// The session's state is deleted this often: the calls of a real session are not all the same.
const FRESH_EVERY: usize = 7;

struct Subject {
    name: &'static str,
    argv: Vec<String>,
    payload: PathBuf,
    /// Removed before each run: what the run must rebuild.
    without: Option<PathBuf>,
    rounds: usize,
    runs: Vec<Run>,
    instructions: Option<u64>,
}

pub(crate) fn run(write: bool) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let home = dir.path().join("home");
    let project = dir.path().join("shop");
    std::fs::create_dir_all(project.join("src"))?;
    let sprag = install(dir.path())?;
    let floor = build_floor()?;
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let remote = "[remote \"origin\"]\n\turl = https://git.example/dev/shop.git\n";
    std::fs::write(project.join(".git/config"), remote)?;
    let recorded = |name: &str| -> anyhow::Result<PathBuf> {
        let recording = recordings::get(name).context("the recording is gone")?;
        let file = dir.path().join(format!("{}.json", name.replace('/', "-")));
        std::fs::write(&file, recording.text.replace("/home/dev/shop", &project.display().to_string()))?;
        Ok(file)
    };
    let (bash, edit) = (recorded("claude/PreToolUse.Bash")?, recorded("claude/PreToolUse.Edit")?);
    let session: serde_json::Value = serde_json::from_slice(&std::fs::read(&edit)?)?;
    let session = session.get("session_id").and_then(serde_json::Value::as_str).context("no session")?;
    let claims = home.join(".local/state/sprag/sessions").join(session).join("claims");
    let env = [("HOME", home.display().to_string()), ("PATH", std::env::var("PATH").unwrap_or_default())];

    let text = |path: &Path| path.display().to_string();
    let hook = vec![text(&sprag), "hook".into(), "--agent".into(), "claude".into()];
    let mut subjects = vec![
        subject("floor (reads, parses, prints {})", vec![text(&floor)], &bash, ROUNDS),
        subject("sprag hook, PreToolUse Bash, preset standard", hook.clone(), &bash, ROUNDS),
        subject("the same, Edit, the file is claimed in SQLite", hook.clone(), &edit, ROUNDS),
        subject("the same, Edit of a file that it claimed before", hook, &edit, ROUNDS),
    ];
    if let Some(claiming) = subjects.get_mut(2) {
        claiming.without = Some(claims);
    }
    if has("node") {
        subjects.push(subject("node -e 0", vec!["node".into(), "-e".into(), "0".into()], &bash, SLOW_ROUNDS));
    }
    if has("python3") {
        subjects.push(subject(
            "python3 -c pass",
            vec!["python3".into(), "-c".into(), "pass".into()],
            &bash,
            SLOW_ROUNDS,
        ));
    }
    println!("{ROUNDS} rounds of a {}-byte payload", bash.metadata()?.len());
    for round in 0..ROUNDS {
        if round % FRESH_EVERY == 0 {
            let _ = std::fs::remove_dir_all(home.join(".local/state/sprag/sessions"));
        }
        for subject in subjects.iter_mut().filter(|subject| round < subject.rounds) {
            if let Some(folder) = &subject.without {
                let _ = std::fs::remove_dir_all(folder);
            }
            let (program, args) = subject.argv.split_first().context("no program")?;
            let mut command = Command::new(program);
            command.args(args).env_clear().envs(env.iter().map(|(key, value)| (*key, value.as_str())));
            subject.runs.push(measure::run(&mut command, &subject.payload)?);
        }
    }
    for subject in subjects.iter_mut().take(4) {
        if let Some(folder) = &subject.without {
            let _ = std::fs::remove_dir_all(folder);
        }
        let (program, args) = subject.argv.split_first().context("no program")?;
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        subject.instructions = measure::instructions(Path::new(program), &args, &env, &subject.payload);
    }
    subjects.push(background(&floor, &sprag, &home, &project)?);
    let report = report(&subjects, &sprag)?;
    println!("{report}");
    if write {
        let page = root().join("docs/performance.md");
        let old = std::fs::read_to_string(&page).unwrap_or_default();
        std::fs::write(&page, replace_between(&old, &report))?;
        println!("written to docs/performance.md");
    }
    Ok(())
}

/// An edit after which a build is started in the background. The build sleeps, so that it is the hook that is measured.
fn background(floor: &Path, sprag: &Path, home: &Path, project: &Path) -> anyhow::Result<Subject> {
    const EDITS: usize = 100;
    std::fs::create_dir_all(home.join(".config/sprag"))?;
    std::fs::write(
        home.join(".config/sprag/config.toml"),
        "[verify]\nsettle_ms = 0\n[[verify.checkers]]\nname = \"house\"\ncommand = [\"sleep\", \"2\"]\nendings = [\".py\"]\n\
         role = \"build\"\nlanguage = \"house\"\n[[verify.checkers]]\nname = \"ruff\"\ncommand = []\n[[verify.checkers]]\n\
         name = \"ruff-errors\"\ncommand = []\n[[verify.checkers]]\nname = \"python\"\ncommand = []\n\
         [hook.build-sensor]\nwait_ms = 0\n[hook.compiler-in-the-loop]\nwait_ms = 0\n",
    )?;
    std::fs::write(project.join("src/cart.py"), "total = 1\n")?;
    let payload = project.join("payload.json");
    let recording = recordings::get("claude/PostToolUse.Edit").context("the recording is gone")?;
    std::fs::write(&payload, recording.text.replace("/home/dev/shop", &project.display().to_string()))?;
    let argv = [sprag.display().to_string(), "hook".into(), "--agent".into(), "claude".into()];
    let mut edits =
        subject("sprag hook, PostToolUse Edit, a build in the background", argv.to_vec(), &payload, EDITS);
    let env = [("HOME", home.display().to_string()), ("PATH", std::env::var("PATH").unwrap_or_default())];
    for _ in 0..EDITS {
        let mut command = Command::new(sprag);
        command.args(["hook", "--agent", "claude"]).env_clear();
        command.envs(env.iter().map(|(key, value)| (*key, value.as_str())));
        edits.runs.push(measure::run(&mut command, &payload)?);
        // The machine is the same for both.
        measure::run(&mut Command::new(floor), &payload)?;
    }
    Ok(edits)
}

fn subject(name: &'static str, argv: Vec<String>, payload: &Path, rounds: usize) -> Subject {
    let payload = payload.to_path_buf();
    Subject { name, argv, payload, without: None, rounds, runs: Vec::new(), instructions: None }
}

/// What users run, built as users build it.
pub(crate) fn install(dir: &Path) -> anyhow::Result<PathBuf> {
    sh(Command::new(root().join("install")).arg("--prefix").arg(dir))?;
    Ok(dir.join("bin/sprag"))
}

/// The floor, built with the same flags for the same target.
pub(crate) fn build_floor() -> anyhow::Result<PathBuf> {
    Ok(built(&["--package", "sprag-floor"])?.join("sprag-floor"))
}

/// Builds something with the flags and for the target of what users run; the folder that it is in.
pub(crate) fn built(what: &[&str]) -> anyhow::Result<PathBuf> {
    let triple = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let musl = Command::new("rustc").args(["--print", "target-libdir", "--target", &triple]).output()?;
    let libdir = String::from_utf8_lossy(&musl.stdout).trim().to_owned();
    let mut command = Command::new("cargo");
    command.args(["build", "--locked", "--profile", "installed"]).args(what);
    let mut folder = target();
    if cfg!(target_os = "linux") && Path::new(&libdir).is_dir() {
        command
            .args(["--target", &triple])
            .env("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static");
        folder.push(&triple);
    }
    sh(&mut command)?;
    Ok(folder.join("installed"))
}

fn report(subjects: &[Subject], sprag: &Path) -> anyhow::Result<String> {
    let wall = |subject: &Subject| subject.runs.iter().map(|run| run.wall_ms).collect::<Vec<_>>();
    let floor = subjects.first().map(|subject| quantile(&wall(subject), 0.5)).context("no floor")?;
    let mut out = String::from(
        "| command | wall median ms | p95 ms | CPU median ms | instructions | ratio to the floor |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for subject in subjects {
        let cpu: Vec<f64> = subject.runs.iter().map(|run| run.cpu_ms).collect();
        let median = quantile(&wall(subject), 0.5);
        let instructions = subject.instructions.map_or_else(|| "–".to_owned(), |count| count.to_string());
        writeln!(
            out,
            "| {} | {median:.3} | {:.3} | {:.3} | {instructions} | {:.2} |",
            subject.name,
            quantile(&wall(subject), 0.95),
            quantile(&cpu, 0.5),
            median / floor
        )?;
    }
    let rss =
        subjects.get(1).and_then(|subject| subject.runs.iter().map(|run| run.rss_kb).min()).unwrap_or(0);
    writeln!(
        out,
        "\nBinary: {} KB, static. Resident: at most {rss} KB (as the kernel counts it, parent's pages included).",
        sprag.metadata()?.len() / 1024
    )?;
    writeln!(out, "Machine: {}.", machine())?;
    Ok(out)
}

/// The machine in words that name nobody.
pub(crate) fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("", |rest| rest.trim_start_matches(['\t', ' ', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores, {model} {}", std::env::consts::OS)
}

/// The page with the measured part replaced.
pub(crate) fn replace_between(page: &str, report: &str) -> String {
    replace_marked(page, "measured", report)
}

/// The page with the part between two marks replaced.
pub(crate) fn replace_marked(page: &str, mark: &str, report: &str) -> String {
    let (begin, end) = (format!("<!-- {mark}: begin -->"), format!("<!-- {mark}: end -->"));
    match (page.split_once(&begin), page.split_once(&end)) {
        (Some((before, _)), Some((_, after))) => format!("{before}{begin}\n\n{report}\n{end}{after}"),
        _ => format!("{page}\n{begin}\n\n{report}\n{end}\n"),
    }
}
