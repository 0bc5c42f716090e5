//! A sprag that is not there stops no agent, and a shared registration works for whoever has one.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests are not seen as tests")]

use sprag_e2e::World;
use sprag_testkit::{Agent, sprag_bin, text};
use std::fs;
use std::path::PathBuf;

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

/// A world with a sprag of its own, deployed in a scope.
fn world(agent: Agent, scope: &str) -> Option<(World, PathBuf)> {
    let world = World::new(agent)?;
    world.config(STANDARD);
    let own = world.sandbox.home().join("bin/sprag");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::copy(sprag_bin(), &own).unwrap();
    let _ = world.sandbox.cmd(&own).args(["deploy", "--agent", agent.name(), "--scope", scope]).run().ok();
    Some((world, own))
}

/// One turn with a shell call; true when the call ran.
fn works(world: &World, path: Option<&str>) -> bool {
    let run = world.say("please").step(world.agent().shell("touch ran")).step(text("done"));
    let run = match path {
        Some(path) => run.env("PATH", path),
        None => run,
    };
    let _ = run.go().ok();
    let marker = world.sandbox.project().join("ran");
    let ran = marker.exists();
    let _ = fs::remove_file(marker);
    ran
}

/// Issue 18, 13: with the program gone, Gemini CLI blocked every prompt.
#[test]
fn an_agent_works_on_when_the_program_is_gone() {
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Qwen] {
        let Some((world, own)) = world(agent, "user") else { continue };
        assert!(works(&world, None), "{}", agent.name());
        assert!(!world.events("PreToolUse").is_empty(), "{}: it was called", agent.name());
        fs::remove_file(own).unwrap();
        assert!(works(&world, None), "{}: and without it", agent.name());
    }
}

#[test]
fn a_shared_registration_starts_the_sprag_on_the_path_or_nothing() {
    for agent in [Agent::Claude, Agent::Gemini] {
        let Some((world, own)) = world(agent, "project") else { continue };
        assert!(works(&world, None), "{}", agent.name());
        assert!(world.events("PreToolUse").is_empty(), "{}: there is none on the PATH", agent.name());
        let path = format!("{}:{}", own.parent().unwrap().display(), std::env::var("PATH").unwrap());
        assert!(works(&world, Some(&path)), "{}", agent.name());
        assert_eq!(world.events("PreToolUse").len(), 1, "{}", agent.name());
    }
}
