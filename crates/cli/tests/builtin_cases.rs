//! The builtins' own cases, run in this process: every `*.hook.toml` under `crates/hooks/src` passes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "the program uses what this test does not")]
#[path = "../src/cases/mod.rs"]
mod cases;

use cases::pool::{Request, run_all};
use cases::report::{self, Totals};
use cases::run::Options;
use cases::world::Registry;
use sprag_protocol::AgentId;
use std::path::PathBuf;

fn run(agent: Option<AgentId>) -> Totals {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../hooks/src");
    let files = cases::find::find(&[folder]).unwrap();
    assert!(files.len() >= 2, "{files:?}");
    let registry = Registry { builtins: sprag_hooks::BUILTINS, jobs: sprag_hooks::JOBS };
    let env = sprag_engine::env::Env::Process;
    let base = cases::base::base(&env, &sprag_engine::paths::Paths::from_env(&env).home);
    let reports = run_all(&Request {
        files: &files,
        filter: None,
        agent,
        threads: 2,
        options: Options { registry, base: &base, update: false },
    });
    let totals = Totals::of(&reports);
    assert_eq!(
        totals.failed,
        0,
        "\n{}\n{}",
        report::text(&reports, |path| path.display().to_string()).join("\n"),
        totals.line()
    );
    totals
}

#[test]
fn all_pass() {
    assert!(run(None).passed >= 25);
}

#[test]
fn all_pass_as_every_agent_or_say_what_the_agent_cannot() {
    for agent in AgentId::ALL {
        assert!(run(Some(agent)).passed >= 15, "{agent}");
    }
}
