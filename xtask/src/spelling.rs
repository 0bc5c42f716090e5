//! `cargo xtask spelling`: `typos` over pages and sources, with `typos.toml`. The tool is a wheel with a binary: fetching it takes
//! seconds, building it would take minutes.

use crate::test::{fetch_python_tool, tools_dir};
use crate::{root, which};
use std::path::PathBuf;
use std::process::Command;

/// The version whose dictionary `typos.toml` was written for.
const TYPOS: &str = "typos==1.51.1";

pub(crate) fn run() -> anyhow::Result<()> {
    let typos = program()?;
    let status = Command::new(typos).args(["--config", "typos.toml", "."]).current_dir(root()).status()?;
    anyhow::ensure!(
        status.success(),
        "words that are spelled wrong; what is meant so goes into typos.toml, `typos -w` corrects the rest"
    );
    Ok(())
}

fn program() -> anyhow::Result<PathBuf> {
    let fetched = tools_dir().join("py/bin/typos");
    if !fetched.is_file() {
        let why = fetch_python_tool(TYPOS);
        if let Some(other) = which("typos").filter(|_| !fetched.is_file()) {
            return Ok(other);
        }
        anyhow::ensure!(fetched.is_file(), "typos cannot be fetched ({why})");
    }
    Ok(fetched)
}
