//! The plugin folders, installed into the real agents from a local path: hooks fire, once, commands and tools are there.

use serde_json::json;
use sprag_e2e::{World, answer};
use sprag_testkit::{Agent, Output, Screen, or_skip, sprag, text, tool};
use std::path::PathBuf;
use std::time::Duration;

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

/// A world with the plugin's folder, not installed yet.
fn world(agent: Agent) -> Option<(World, PathBuf)> {
    configured(agent, STANDARD)
}

fn configured(agent: Agent, config: &str) -> Option<(World, PathBuf)> {
    let world = World::new(agent)?;
    world.config(config);
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

/// A hook whose answer is a text for a tool whose result is none, and the module that makes it count, or not.
fn with_module(mods: bool) -> Option<World> {
    let config = format!(
        "{STANDARD}[agents]\nmods = {mods}\n[hooks.post_tool_use]\nappend = [\"gone\"]\n[hook.gone]\nmatcher = \"Glob\"\n"
    );
    let (world, folder) = configured(Agent::Claude, &config)?;
    let gone = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "[GONE]"}});
    world.hook("gone", &answer(&gone));
    let function = |i: usize| {
        format!(
            "def heron_{i}(reed, pond):\n    \"\"\"Wades, and counts what it sees there.\"\"\"\n    seen = reed + pond\n    return seen * {i}\n\n\n"
        )
    };
    world.sandbox.write("birds.py", (0..200).map(function).collect::<String>());
    let folder = folder.display().to_string();
    let valid = agent(&world, &["plugin", "validate", "--strict", &folder], "");
    assert!(valid.stdout.contains("Validation passed"), "{}", valid.stdout);
    install_claude(&world, &folder);
    Some(world)
}

/// The same two calls with and without the module: the same hooks ran and decided, only the form of the answer differs.
#[test]
fn claudes_module_serves_an_outline_and_replaces_any_output() {
    for mods in [false, true] {
        let Some(world) = with_module(mods) else { return };
        let file = world.sandbox.project().join("birds.py");
        let run = world.say("look").step(tool("Read", json!({"file_path": file})));
        let outcome = run.step(tool("Glob", json!({"pattern": "*.py"}))).step(text("done")).go().ok();
        let [read, glob] = outcome.tool_results().try_into().unwrap();
        assert!(read.text.contains("sprag answered this") && read.text.contains("heron_7"), "{read:?}");
        assert_eq!(read.text.starts_with("1\tsprag answered"), mods, "as the text of a file: {read:?}");
        assert_eq!((glob.text.contains("[GONE]"), glob.text.contains("birds.py")), (mods, !mods), "{glob:?}");
        assert_eq!(world.events("PreToolUse").len(), 2, "{:?}", world.counts());
    }
}

#[test]
fn claudes_module_shows_in_a_pane_what_would_be_lost() {
    let Some(world) = with_module(true) else { return };
    let git = |args: &[&str]| drop(world.sandbox.cmd("git").args(args).run().ok());
    world.sandbox.write("pond.txt", "reeds\n");
    git(&["add", "pond.txt"]);
    git(&["commit", "-qm", "pond"]);
    let pond = world.sandbox.write("pond.txt", "reeds and a heron\n");
    let run = world.installed.run(&world.sandbox);
    let run = run.step(world.agent().shell("git checkout -- pond.txt")).step(text("as you wish"));
    // In a narrow terminal a pane is above the prompt, where the question hides it.
    let Some(screen) = or_skip(Screen::start_with_columns(&run, "180")) else { return };
    let long = Duration::from_secs(60);
    screen.wait_ready(long);
    screen.type_line("throw it away");
    // The pane has the whole explanation, which the agent's own question has not.
    screen.wait("sprag asked about this", long);
    screen.wait("Do you want to proceed", long);
    assert_eq!(
        std::fs::read_to_string(&pond).unwrap(),
        "reeds and a heron\n",
        "nothing runs before the answer"
    );
    screen.press_until(&["Enter"], "as you wish", long);
    assert_eq!(std::fs::read_to_string(&pond).unwrap(), "reeds\n");
    screen.close();
}
