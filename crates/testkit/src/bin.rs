//! The `sprag` program under test: `SPRAG_BIN`, or built once from this workspace.
//! Where it ends up is asked of cargo, not guessed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::cmd::Cmd;
use crate::home::Sandbox;

/// How long the build may take.
const BUILD_TIMEOUT: Duration = Duration::from_secs(1800);

/// The `sprag` program; panics with cargo's own words when it does not build.
pub fn sprag_bin() -> &'static Path {
    static BIN: OnceLock<PathBuf> = OnceLock::new();
    BIN.get_or_init(|| match std::env::var_os("SPRAG_BIN").filter(|path| !path.is_empty()) {
        Some(path) => path.into(),
        None => build(),
    })
}

/// `sprag` with arguments, in a sandbox's project folder and environment.
pub fn sprag(sandbox: &Sandbox, args: impl IntoIterator<Item = impl Into<OsString>>) -> Cmd {
    sandbox.cmd(sprag_bin()).args(args)
}

fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Cmd::new(cargo)
        .args(["build", "--quiet", "--package", "sprag", "--bin", "sprag", "--message-format", "json"])
        .inherit_env()
        .cwd(workspace())
        .timeout(BUILD_TIMEOUT)
        .run();
    assert!(output.code == Some(0), "sprag does not build:\n{}", output.stderr);
    output
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == "sprag")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the program it built")
}

/// The workspace's target folder.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .filter(|dir| !dir.is_empty())
        .map_or_else(|| workspace().join("target"), |dir| workspace().join(dir))
}

fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_exists_and_starts() {
        let sandbox = Sandbox::new();
        assert!(sprag_bin().is_file());
        assert!(!sprag(&sandbox, ["--version"]).run().timed_out);
    }
}
