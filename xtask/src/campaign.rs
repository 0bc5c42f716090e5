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

/// `cargo xtask pipes [PART/PARTS]`
pub(crate) fn pipes(args: &[String]) -> anyhow::Result<()> {
    let part = args.first().cloned().unwrap_or_else(|| "0/1".to_owned());
    ensure!(
        part.split_once('/')
            .is_some_and(|(at, of)| at.parse::<u32>().is_ok() && of.parse::<u32>().is_ok_and(|of| of > 0)),
        "cargo xtask pipes [PART/PARTS], from 0/1"
    );
    ignored_test(
        "sprag",
        "files",
        "every_file_of_a_used_home_is_a_pipe_or_a_device",
        &[("SPRAG_PIPES_PART", part)],
    )
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

/// What one target did.
struct Fuzzed {
    target: String,
    executions: u64,
    /// Places of the code that were reached.
    coverage: u64,
    seconds: u64,
    failed: bool,
}

impl Fuzzed {
    /// From what the fuzzer printed.
    fn read(target: &str, printed: &str, seconds: u64, failed: bool) -> Self {
        let number =
            |text: &str| text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let after = |name: &str| printed.rsplit_once(name).map_or(0, |(_, rest)| number(rest));
        let executions = after("stat::number_of_executed_units:");
        Self { target: target.to_owned(), executions, coverage: after(" cov: "), seconds, failed }
    }
}

/// `cargo xtask fuzz [--minutes N | --hours N] [TARGET…]`
pub(crate) fn fuzz(args: &[String]) -> anyhow::Result<()> {
    let folder = root().join("fuzz");
    let known = targets(&folder.join("fuzz_targets"))?;
    let (mut minutes, mut chosen) = (1.0, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--minutes" => minutes = args.next().context("--minutes needs a number")?.parse::<f64>()?,
            "--hours" => minutes = args.next().context("--hours needs a number")?.parse::<f64>()? * 60.0,
            name if known.iter().any(|known| known == name) => chosen.push(name.to_owned()),
            other => bail!("unknown target {other}: {}", known.join(", ")),
        }
    }
    ensure!(has("cargo-fuzz"), "cargo-fuzz is missing: cargo install cargo-fuzz");
    // Without a sanitizer the stable compiler can do it.
    sh(Command::new("cargo")
        .args(["fuzz", "build", "--fuzz-dir", "fuzz", "--sanitizer", "none"])
        .current_dir(root())
        .env("RUSTC_BOOTSTRAP", "1"))?;
    let seconds = (minutes * 60.0).clamp(1.0, 1e6) as u64;
    let mut done = Vec::new();
    for target in if chosen.is_empty() { known } else { chosen } {
        println!("xtask fuzz: {target}, {seconds} s");
        done.push(fuzz_target(&folder, &target, seconds)?);
    }
    println!("\n| target | minutes | executions | coverage | found |\n|---|---:|---:|---:|---|");
    for one in &done {
        let found = if one.failed { "yes" } else { "nothing" };
        println!(
            "| `{}` | {} | {} | {} | {found} |",
            one.target,
            one.seconds / 60,
            one.executions,
            one.coverage
        );
    }
    let failed: Vec<&str> = done.iter().filter(|one| one.failed).map(|one| one.target.as_str()).collect();
    ensure!(failed.is_empty(), "found something: {} (fuzz/artifacts)", failed.join(", "));
    Ok(())
}

/// Runs a target that is built.
fn fuzz_target(folder: &Path, target: &str, seconds: u64) -> anyhow::Result<Fuzzed> {
    let program = std::fs::read_dir(folder.join("target"))?
        .flatten()
        .map(|entry| entry.path().join("release").join(target))
        .find(|program| program.is_file())
        .with_context(|| format!("{target} was not built"))?;
    let (corpus, artifacts) = (folder.join("corpus").join(target), folder.join("artifacts").join(target));
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let log = artifacts.join("log");
    let began = std::time::Instant::now();
    let status = Command::new(program)
        .arg(corpus)
        .arg(folder.join("seeds").join(target))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"])
        .current_dir(folder)
        .stderr(std::fs::File::create(&log)?)
        .status()?;
    let printed = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
    if !status.success() {
        let end: Vec<&str> = printed.lines().rev().take(25).collect();
        println!("{}", end.into_iter().rev().collect::<Vec<_>>().join("\n"));
    }
    Ok(Fuzzed::read(target, &printed, began.elapsed().as_secs(), !status.success()))
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
        assert!(targets.len() >= 15);
        for target in targets {
            let seeds = std::fs::read_dir(folder.join("seeds").join(&target)).map_or(0, Iterator::count);
            assert!(seeds > 0, "{target} has no seeds");
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target}");
            assert!(readme.contains(&format!("| `{target}` |")), "{target}");
        }
    }

    #[test]
    fn what_a_fuzzer_printed_is_read() {
        let printed = "#2\tINITED cov: 10 ft: 3\n#9\tDONE   cov: 41 ft: 9 corp: 2\nstat::number_of_executed_units: 1234\nstat::x: 5\n";
        let read = Fuzzed::read("shell", printed, 60, false);
        assert_eq!((read.executions, read.coverage, read.target.as_str()), (1234, 41, "shell"));
    }
}
