//! The campaigns for reliability: faults, histories, fuzzing. What each does is in docs/reliability.md.

use crate::{has, root, sh};
use anyhow::{Context as _, bail, ensure};
use std::path::Path;
use std::process::Command;

/// Runs an ignored test of a package with these variables, showing what it prints.
fn ignored_test(package: &str, program: &str, test: &str, env: &[(&str, String)]) -> anyhow::Result<()> {
    let args =
        ["test", "--package", package, "--test", program, test, "--", "--ignored", "--exact", "--nocapture"];
    sh(Command::new("cargo").args(args).envs(env.iter().map(|(name, value)| (name, value))))
}

/// `cargo xtask faults [SCENARIO] [--all]`
pub(crate) fn faults(args: &[String]) -> anyhow::Result<()> {
    let mut env = Vec::new();
    for arg in args {
        match arg.as_str() {
            "--all" => env.push(("SPRAG_FAULT_LOOKS", usize::MAX.to_string())),
            name if !name.starts_with('-') => env.push(("SPRAG_FAULT_SCENARIO", name.to_owned())),
            other => bail!("unknown argument {other}: cargo xtask faults [SCENARIO] [--all]"),
        }
    }
    let test = "campaign::every_operation_of_every_scenario_fails_and_nothing_is_lost";
    ignored_test("sprag", "faults", test, &env)
}

/// `cargo xtask histories [--seconds N] [--processes N] [--seed N]`
pub(crate) fn histories(args: &[String]) -> anyhow::Result<()> {
    let mut env = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let name = match arg.as_str() {
            "--seconds" => "SPRAG_HISTORY_SECONDS",
            "--processes" => "SPRAG_HISTORY_PROCESSES",
            "--seed" => "SPRAG_HISTORY_SEED",
            other => bail!("unknown argument {other}: --seconds N, --processes N, --seed N"),
        };
        let value: u64 = args.next().with_context(|| format!("{arg} needs a number"))?.parse()?;
        env.push((name, value.to_string()));
    }
    ignored_test("sprag-store", "store", "histories::random_histories_for_as_long_as_is_asked_for", &env)
}

/// The targets in `fuzz/fuzz_targets`.
fn targets(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let stem = |path: &Path| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| stem(&entry.path())).collect();
    names.sort();
    Ok(names)
}

/// `cargo xtask fuzz [--minutes N] [TARGET…]`
pub(crate) fn fuzz(args: &[String]) -> anyhow::Result<()> {
    let known = targets(&root().join("fuzz/fuzz_targets"))?;
    let (mut minutes, mut chosen) = (1.0, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--minutes" => minutes = args.next().context("--minutes needs a number")?.parse::<f64>()?,
            name if known.iter().any(|known| known == name) => chosen.push(name.to_owned()),
            other => bail!("unknown target {other}: {}", known.join(", ")),
        }
    }
    ensure!(has("cargo-fuzz"), "cargo-fuzz is missing: cargo install cargo-fuzz");
    let seconds = (minutes * 60.0).clamp(1.0, 1e6) as u64;
    for target in if chosen.is_empty() { known } else { chosen } {
        println!("xtask fuzz: {target}, {seconds} s");
        // Without a sanitizer the stable compiler can do it; the code has no `unsafe` that one would look at.
        let limits = [
            format!("-max_total_time={seconds}"),
            "-timeout=20".to_owned(),
            "-print_final_stats=1".to_owned(),
        ];
        sh(Command::new("cargo")
            .args(["fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", "none", &target, "--"])
            .args(limits)
            .env("RUSTC_BOOTSTRAP", "1"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fuzz_target_is_built_and_described() {
        let folder = root().join("fuzz");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let targets = targets(&folder.join("fuzz_targets")).unwrap();
        assert!(targets.len() >= 10);
        for target in targets {
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target}");
            assert!(readme.contains(&format!("| `{target}` |")), "{target}");
        }
    }
}
