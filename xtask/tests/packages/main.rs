//! Every channel that can be tried on this machine: the artefacts of `cargo xtask dist`, installed with the channel's own tool into
//! an empty place, from a server on loopback where the channel has one, and run.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]
#![cfg(target_os = "linux")]

mod action;
mod archive;
mod debian;
mod homebrew;
mod npm;
mod precommit;
mod pypi;
mod script;

use sprag_testkit::http::{Reply, Server};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The packed artefacts of the binary under test, made once.
fn dist() -> &'static Path {
    static DIST: OnceLock<PathBuf> = OnceLock::new();
    DIST.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dist");
        // Of an earlier run, perhaps of another version.
        let _ = std::fs::remove_dir_all(&folder);
        let bin = without_symbols(sprag_testkit::sprag_bin());
        ok(Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["dist", "--draft", "--bin"])
            .arg(&bin)
            .arg("--out")
            .arg(&folder));
        folder
    })
}

/// A binary for development is half symbols, which every packer and installer would carry.
fn without_symbols(bin: &Path) -> PathBuf {
    let small = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sprag");
    let stripped = Command::new("strip").arg("-o").arg(&small).arg(bin).output();
    if stripped.is_ok_and(|output| output.status.success()) { small } else { bin.to_path_buf() }
}

/// The one artefact whose name ends like this.
fn artefact(end: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir(dist())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    assert_eq!(found.len(), 1, "{end}: {found:?}");
    found.remove(0)
}

/// What a command printed that succeeded.
#[track_caller]
fn ok(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", both(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A command that sees nothing of this machine's home and environment but the programs.
fn clean(program: impl AsRef<std::ffi::OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home).env("SPRAG_WORKER", "off").current_dir(home);
    command
}

/// True when a program is there; else the test is skipped.
fn needs(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        sprag_testkit::skip(format_args!("no {program}"));
    }
    found
}

/// What the binary under test shows that was installed: its version, its scenes without agent and network, a first set-up.
#[track_caller]
fn works(command: impl Fn() -> Command) {
    let version = ok(command().arg("--version"));
    assert_eq!(version.trim(), format!("sprag {}", env!("CARGO_PKG_VERSION")));
    let demo = ok(command().arg("demo"));
    assert!(demo.contains("filesystem:rm-home"), "{demo}");
    ok(command().args(["init", "--yes"]));
}

/// The commands of every hook that `sprag deploy` registers with an agent.
fn registered(mut deploy: Command, home: &Path) -> Vec<String> {
    ok(deploy.args(["deploy", "--agent", "claude"]));
    let text = std::fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let handlers =
        settings["hooks"].as_object().unwrap().values().flat_map(|groups| groups.as_array().unwrap());
    handlers.map(|group| group["hooks"][0]["command"].as_str().unwrap().to_owned()).collect()
}

/// Serves the files of a folder below `/`.
fn serve(folder: PathBuf) -> Server {
    Server::start(move |request| match std::fs::read(folder.join(request.path.trim_start_matches('/'))) {
        Ok(body) => Reply { status: 200, kind: "application/octet-stream", body },
        Err(_) => Reply { status: 404, kind: "text/plain", body: b"not found".to_vec() },
    })
    .unwrap()
}
