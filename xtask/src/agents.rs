//! `cargo xtask agents`: what sprag can do in each agent, shown with the real ones, as one matrix. `--latest` takes the newest of each;
//! `--month` and `--oldest` the newest version that is a month old, and the oldest that is supported, of the three that change most.

use anyhow::Context as _;
use serde_json::Value;
use sprag_protocol::AgentId;
use sprag_testkit::Agent;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// The tests: every behaviour with four agents, one run of each of the others, and what all of them send.
const FILTERS: [&str; 3] = ["agents::", "more::", "contract::"];

/// The agents whose older versions are run too.
const OLDER: [Agent; 3] = [Agent::Claude, Agent::Codex, Agent::Gemini];

pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let given = |option: &str| args.iter().any(|arg| arg == option);
    let (latest, month, oldest) = (given("--latest"), given("--month"), given("--oldest"));
    let all: Vec<Agent> =
        if month || oldest { OLDER.to_vec() } else { Agent::ALL.into_iter().chain(Agent::MORE).collect() };
    let mut versions: BTreeMap<&str, String> = BTreeMap::new();
    for agent in &all {
        let version = match (latest, month, oldest) {
            (true, ..) => "latest".to_owned(),
            (_, true, _) => a_month_old(*agent)?,
            (.., true) => AgentId::from_name(agent.name())
                .map(|id| id.spec().version.oldest.map(|part| part.to_string()).join("."))
                .context("an agent of the tests is one of sprag's")?,
            _ => continue,
        };
        versions.insert(agent.name(), version);
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--package", "sprag-e2e", "--test", "e2e", "--"]);
    if month || oldest {
        cargo.args(
            OLDER
                .iter()
                .flat_map(|agent| ["agents", "contract"].map(|kind| format!("{kind}::{}", agent.name()))),
        );
    } else {
        cargo.args(FILTERS);
    }
    for (name, version) in &versions {
        if latest {
            // What was the newest some time ago is fetched again.
            let _ = std::fs::remove_dir_all(Agent::folder().join(format!("{name}@latest")));
        }
        cargo.env(format!("{}_VERSION", name.to_uppercase()), version);
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
    print_matrix(&all, &cells, &versions);
    for test in &failed {
        println!("again: cargo test -p sprag-e2e --test e2e {test}");
    }
    Ok(if code.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The newest version of an agent that npm has had for a month.
fn a_month_old(agent: Agent) -> anyhow::Result<String> {
    let output = Command::new("npm")
        .args(["view", agent.package(), "time", "--json"])
        .output()
        .context("npm cannot be started")?;
    let times: Value = serde_json::from_slice(&output.stdout).context("npm does not know the agent")?;
    let date = Command::new("date").args(["-u", "-d", "30 days ago", "+%F"]).output()?.stdout;
    let times = times.as_object().context("npm names no versions")?;
    let times = times.iter().filter_map(|(version, time)| Some((version.as_str(), time.as_str()?)));
    newest_before(times, String::from_utf8_lossy(&date).trim()).context("no version is that old")
}

/// The highest version without a suffix among those from before a day.
fn newest_before<'v>(times: impl Iterator<Item = (&'v str, &'v str)>, day: &str) -> Option<String> {
    let parts = |version: &str| -> Option<Vec<u64>> {
        version
            .split('.')
            .map(|part| part.parse().ok())
            .collect::<Option<Vec<u64>>>()
            .filter(|all| all.len() == 3)
    };
    let old = times.filter(|(_, time)| time.get(..10).is_some_and(|date| date <= day));
    let versions = old.filter_map(|(version, _)| Some((parts(version)?, version)));
    versions.max().map(|(_, version)| version.to_owned())
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

fn print_matrix(
    agents: &[Agent],
    cells: &BTreeMap<(String, String), &str>,
    versions: &BTreeMap<&str, String>,
) {
    let version = |agent: &Agent| {
        let asked = versions.get(agent.name()).cloned();
        asked.or_else(|| agent.installed_version()).unwrap_or_else(|| "not installed".to_owned())
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
    fn the_newest_version_of_a_day_has_no_suffix() {
        let times = [
            ("created", "2026-01-01T00:00:00Z"),
            ("2.1.99", "2026-10-01T00:00:00Z"),
            ("2.1.302", "2026-10-16T16:48:28+00:00"),
            ("2.1.303-beta.1", "2026-10-17T00:00:00Z"),
            ("2.1.326", "2026-11-16T18:43:39+00:00"),
        ];
        let newest = |day: &str| newest_before(times.into_iter(), day);
        assert_eq!(newest("2026-10-18").as_deref(), Some("2.1.302"));
        assert_eq!(newest("2026-10-15").as_deref(), Some("2.1.99"));
        assert_eq!(newest("2026-01-01"), None);
    }

    #[test]
    fn a_test_is_a_cell() {
        let pair = |behaviour: &str, agent: &str| Some((behaviour.to_owned(), agent.to_owned()));
        assert_eq!(cell("agents::claude::prompt_block"), pair("prompt block", "claude"));
        assert_eq!(cell("more::grok"), pair("one run, every row of its table", "grok"));
        assert_eq!(cell("agents::the_page_is_in_step"), None);
    }
}
