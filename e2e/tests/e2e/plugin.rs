//! The plugin folders, installed into the real agents from a local path: hooks fire, once, commands and tools are there.

use serde_json::json;
use sprag_e2e::World;
use sprag_testkit::{Agent, Output, sprag, text, tool};
use std::path::PathBuf;

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

/// A world with the plugin's folder, not installed yet.
fn world(agent: Agent) -> Option<(World, PathBuf)> {
    let world = World::new(agent)?;
    world.config(STANDARD);
    let told = sprag(&world.sandbox, ["plugin", "dir", "--agent", agent.name()]).run().ok();
    let folder = told.stdout.strip_suffix('\n').unwrap();
    assert!(!folder.contains('\n') && folder.starts_with('/'), "exactly one line, a path: {folder:?}");
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir());
    Some((world, folder))
}

/// The agent's own program with these arguments.
fn agent(world: &World, args: &[&str], stdin: &str) -> Output {
    let [program, first @ ..] = world.installed.argv() else { panic!("an agent has a program") };
    let env = world.sandbox.agent_env(world.agent(), "http://127.0.0.1:9");
    world.sandbox.cmd(program).envs(env).args(first).args(args).stdin(stdin).run().ok()
}

/// One turn with a harmless call and one that is stopped.
fn hooks_fire_once(world: &World) {
    let shell = |command: &str| world.agent().shell(command);
    let run = world.say("please").step(shell("touch ran")).step(shell("rm -rf ~/")).step(text("done"));
    let outcome = run.go().ok();
    let results = outcome.tool_results();
    let denied = outcome.reaches_model("sprag blocked this");
    assert!(denied && world.sandbox.project().join("ran").exists(), "{}: {results:?}", world.agent().name());
    let calls = world.events("PreToolUse").len();
    assert_eq!(calls, 2, "{}: one answer per call: {:?}", world.agent().name(), world.counts());
    assert_eq!(world.events("SessionStart").len(), 1, "{}: {:?}", world.agent().name(), world.counts());
}

fn install_claude(world: &World, folder: &str) {
    agent(world, &["plugin", "marketplace", "add", folder], "");
    agent(world, &["plugin", "install", "sprag@sprag"], "");
}

#[test]
fn claude_accepts_the_plugin_and_its_hooks_fire() {
    let Some((world, folder)) = world(Agent::Claude) else { return };
    let folder = folder.display().to_string();
    let valid = agent(&world, &["plugin", "validate", "--strict", &folder], "");
    assert!(valid.stdout.contains("Validation passed"), "{}", valid.stdout);
    install_claude(&world, &folder);
    hooks_fire_once(&world);
}

#[test]
fn claudes_plugin_and_deploy_together_answer_an_event_once() {
    let Some((world, folder)) = world(Agent::Claude) else { return };
    install_claude(&world, &folder.display().to_string());
    world.deploy();
    hooks_fire_once(&world);
    let doctor = sprag(&world.sandbox, ["doctor", "--json"]).run();
    assert!(doctor.stdout.contains("plugin and by its settings"), "{}", doctor.stdout);
}

#[test]
fn claudes_plugin_brings_commands_and_tools() {
    let Some((world, folder)) = world(Agent::Claude) else { return };
    install_claude(&world, &folder.display().to_string());
    let _ = sprag(&world.sandbox, ["memory", "add", "Staging only answers inside the VPN"]).run().ok();
    for (command, wanted) in [("/sprag:status", "hooks"), ("/sprag:why", "nothing was stopped")] {
        let outcome = world.say(command).step(text("seen")).go().ok();
        assert!(outcome.reaches_model(wanted), "{command}: {}", outcome.last_request_text());
    }
    let call = tool("mcp__plugin_sprag_sprag__memory_recall", json!({"query": "staging"}));
    let run = world.say("recall").args(["--allowedTools", "mcp__plugin_sprag_sprag"]);
    let outcome = run.step(call).step(text("done")).go().ok();
    assert!(outcome.tool_results()[0].text.contains("inside the VPN"), "{:?}", outcome.tool_results());
}

#[test]
fn codex_installs_the_plugin_and_its_hooks_fire() {
    let Some((world, folder)) = world(Agent::Codex) else { return };
    agent(&world, &["plugin", "marketplace", "add", &folder.display().to_string()], "");
    agent(&world, &["plugin", "add", "sprag@sprag"], "");
    hooks_fire_once(&world);
    let search = tool("tool_search", json!({"query": "sprag recall memories", "limit": 20}));
    let outcome = world.say("recall").step(search).step(text("done")).go().ok();
    assert!(outcome.tool_results()[0].text.contains("memory_recall"), "{:?}", outcome.tool_results());
}

#[test]
fn gemini_installs_the_extension_and_its_hooks_fire() {
    let Some((world, folder)) = world(Agent::Gemini) else { return };
    world.sandbox.prepare(Agent::Gemini);
    agent(&world, &["extensions", "install", &folder.display().to_string(), "--consent"], "y\ny\n");
    hooks_fire_once(&world);
}
