//! `cargo xtask agents`: what sprag can do in each agent, shown with the real ones, as one matrix.

use anyhow::Context as _;
use sprag_testkit::Agent;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// The tests: every behaviour with four agents, one run of each of the others, and what all of them send.
const FILTERS: [&str; 3] = ["agents::", "more::", "contract::"];

pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let latest = args.iter().any(|arg| arg == "--latest");
    let all: Vec<Agent> = Agent::ALL.into_iter().chain(Agent::MORE).collect();
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--package", "sprag-e2e", "--test", "e2e", "--"]).args(FILTERS);
    if latest {
        for agent in &all {
            // What was the newest some time ago is fetched again.
            let folder = Agent::folder().join(format!("{}@latest", agent.name()));
            let _ = std::fs::remove_dir_all(folder);
            cargo.env(format!("{}_VERSION", agent.name().to_uppercase()), "latest");
        }
    }
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("cargo cannot be started")?;
    let lines = BufReader::new(child.stdout.take().context("no output of cargo")?).lines();
    let mut cells: BTreeMap<(String, String), &str> = BTreeMap::new();
    let mut failed = Vec::new();
    for line in lines {
        let line = line?;
        if let Some((test, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            let outcome = if outcome == "ok" { "passes" } else { "FAILED" };
            if outcome == "FAILED" {
                failed.push(test.to_owned());
            }
            if let Some((behaviour, agent)) = cell(test) {
                cells.insert((behaviour, agent), outcome);
            }
        } else if line.contains("differs from the table") || line.contains("the contract changed") {
            println!("{line}");
        }
    }
    let code = child.wait()?;
    print_matrix(&all, &cells, latest);
    for test in &failed {
        println!("again: cargo test -p sprag-e2e --test e2e {test}");
    }
    Ok(if code.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Behaviour and agent of a test: `agents::claude::deny`, `more::grok`, `contract::codex…`.
fn cell(test: &str) -> Option<(String, String)> {
    let mut parts = test.split("::");
    match (parts.next()?, parts.next()?, parts.next()) {
        ("agents", agent, Some(behaviour)) => Some((behaviour.replace('_', " "), agent.to_owned())),
        ("more", agent, None) => Some(("one run, every row of its table".to_owned(), agent.to_owned())),
        ("contract", name, None) => {
            let agent = name.split('_').next().unwrap_or(name);
            Some(("sends what was recorded".to_owned(), agent.to_owned()))
        }
        _ => None,
    }
}

fn print_matrix(agents: &[Agent], cells: &BTreeMap<(String, String), &str>, latest: bool) {
    let version = |agent: &Agent| {
        let installed = agent.installed_version().filter(|_| !latest);
        installed.unwrap_or_else(|| if latest { "latest" } else { "not installed" }.to_owned())
    };
    for agent in agents {
        println!("{:<10} {:<10} {}", agent.name(), version(agent), agent.package());
    }
    let mut behaviours: Vec<&String> = cells.keys().map(|(behaviour, _)| behaviour).collect();
    behaviours.dedup();
    for behaviour in behaviours {
        let of = |agent: &&Agent| cells.get(&(behaviour.clone(), agent.name().to_owned()));
        let shown: Vec<String> = agents
            .iter()
            .filter_map(|agent| of(&agent).map(|outcome| format!("{} {outcome}", agent.name())))
            .collect();
        if !shown.is_empty() {
            println!("{behaviour:<34} {}", shown.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_a_cell() {
        let pair = |behaviour: &str, agent: &str| Some((behaviour.to_owned(), agent.to_owned()));
        assert_eq!(cell("agents::claude::prompt_block"), pair("prompt block", "claude"));
        assert_eq!(cell("more::grok"), pair("one run, every row of its table", "grok"));
        assert_eq!(cell("agents::the_page_is_in_step"), None);
    }
}
