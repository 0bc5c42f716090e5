//! What comes back: a long handoff in the next session, directives after a compaction, and the models of the agents as
//! judges of sessions.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Block, Model, Step, sprag, text, tool};
use std::time::Duration;

const AGENTS: [Agent; 3] = [Agent::Claude, Agent::Codex, Agent::Gemini];
const WORKER_TIMEOUT: Duration = Duration::from_secs(300);

/// A handoff of 5 KB, the important parts last.
fn handoff() -> String {
    let done: String = (0..70)
        .map(|n| format!("- counted the herons of pond {n}, and wrote the number into the table\n"))
        .collect();
    format!(
        "# Handoff\n\n## Done\n{done}\n## Goal\nShip the HERON-EXPORT\n\n## Next steps\n- write the HERON-TEST\n"
    )
}

/// How the agent writes a file.
fn write(agent: Agent, world: &World, name: &str, content: &str) -> Block {
    let path = world.sandbox.project().join(name).display().to_string();
    match agent {
        Agent::Codex => {
            let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
            tool(
                "apply_patch",
                json!(format!("*** Begin Patch\n*** Add File: {name}\n{lines}*** End Patch\n")),
            )
        }
        Agent::Gemini => tool("write_file", json!({"file_path": path, "content": content})),
        _ => tool("Write", json!({"file_path": path, "content": content})),
    }
}

/// A handoff of 3.3 KB vanished whole from the next start.
#[test]
fn a_long_handoff_of_one_session_is_cut_into_the_next() {
    for agent in AGENTS {
        let Some(world) = World::deployed(agent, "version = 1\npreset = \"standard\"\n", &[]) else {
            continue;
        };
        let written = write(agent, &world, "HANDOFF.md", &handoff());
        let _ = world
            .say("write the handoff")
            .env("SPRAG_WORKER", "off")
            .step(written)
            .step(text("done"))
            .go()
            .ok();
        assert!(world.sandbox.project().join("HANDOFF.md").is_file(), "{}", agent.name());
        let _ = sprag(&world.sandbox, ["worker", "--once"]).timeout(WORKER_TIMEOUT).run().ok();
        let next = world.say("where were we?").env("SPRAG_WORKER", "off").step(text("hi")).go().ok();
        let told = next.request(0).told();
        for want in
            ["Ship the HERON-EXPORT", "- write the HERON-TEST", "sprag knowledge show handoff", "pond 0,"]
        {
            assert!(told.contains(want), "{}: {want:?} is missing in {told}", agent.name());
        }
        assert!(!told.contains("pond 69,"), "{}: it is cut", agent.name());
    }
}

/// A directive of the usual priority was not said again.
#[test]
fn a_directive_is_there_after_a_compaction() {
    const DIRECTIVE: &str = "ALWAYS-COUNT-THE-HERONS";
    // Gemini CLI compacts without an event that says so, and what it compacts in one run is not in the next.
    for agent in [Agent::Claude, Agent::Codex] {
        let Some(world) = World::deployed(agent, "version = 1\npreset = \"standard\"\n", &[]) else {
            continue;
        };
        let solution =
            format!("{DIRECTIVE} before you say how many there are, and write the number down once");
        let problem = "herons were counted from memory, and the number in the table was wrong for a week";
        let add =
            ["lessons", "add", "--type", "directive", "--summary", "count herons", "--problem", problem];
        let add = add.into_iter().chain(["--solution", &solution, "--json"]);
        let _ = sprag(&world.sandbox, add).run().ok();
        let summary = text("<analysis>short</analysis><summary>THE-SUMMARY</summary>");
        let told = if agent == Agent::Codex {
            let full = Step::from(agent.shell("echo heron")).input_tokens(400_000);
            let run = world.say("look around").step(full).step(text("seen")).aux(summary).go().ok();
            assert!(run.request(0).told().contains(DIRECTIVE), "{}", run.request(0).told());
            run.last_request().told()
        } else {
            let first = world.say("hello").step(text("hi")).go().ok();
            assert!(first.request(0).told().contains(DIRECTIVE), "{}", first.request(0).told());
            let _ = world.say("/compact").resume().step(summary).go().ok();
            world.say("and now").resume().step(text("yes")).go().ok().request(0).told()
        };
        assert!(told.contains("THE-SUMMARY"), "{}: nothing was compacted: {told}", agent.name());
        assert_eq!(told.matches(DIRECTIVE).count(), 1, "{}: once: {told}", agent.name());
    }
}

/// A transcript of a session in the world's project.
fn transcript(world: &World) -> String {
    let line = |role: &str, text: &str, number: usize| {
        let content = if role == "user" { json!(text) } else { json!([{"type": "text", "text": text}]) };
        json!({
            "type": role, "uuid": format!("u{number}"), "sessionId": "11111111-2222-4333-8444-555555555555",
            "cwd": world.sandbox.project(), "timestamp": format!("2026-11-15T09:{number:02}:00.000Z"),
            "message": {"role": role, "content": content},
        })
        .to_string()
    };
    [
        line("user", "The cart total is wrong when an item has a quantity above one, please find out why", 1),
        line("assistant", "The quantity was ignored; it is multiplied now.", 2),
    ]
    .join("\n")
        + "\n"
}

/// The scripted model in the settings of Codex, as its user would name a provider.
fn provider(url: &str) -> String {
    format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         [analytics]\nenabled = false\n[model_providers.scripted]\nname = \"scripted\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n"
    )
}

/// Every agent that can be asked for one answer judges a session, with the real program in between.
#[test]
fn each_agent_is_a_model_for_the_background() {
    for agent in AGENTS {
        let Some(world) = World::new(agent) else { continue };
        let argv: Vec<&str> = world.installed.argv().iter().filter_map(|arg| arg.to_str()).collect();
        // Without a name Gemini CLI asks another model which one to take.
        let model = if agent == Agent::Gemini { "model = \"gemini-2.5-pro\"\n" } else { "" };
        let backend = agent.name();
        world.config(&format!("version = 1\n[llm]\nbackend = \"{backend}\"\n{model}command = {argv:?}\n"));
        world.sandbox.write_home("t.jsonl", transcript(&world));
        let answer = json!({
            "decisions": [], "failures": [], "learnings": [], "handoff": ["write the CHECKOUT-PAGE test"],
            "grade": {"quality": "good"},
        });
        let said = || Step::from(text(format!("Here it is:\n```json\n{answer}\n```"))).forever();
        // The agent makes its own files in a first run.
        let _ = world.say("hello").step(text("hi")).go().ok();
        let model = Model::start([said()]);
        model.answer_aux(said());
        if agent == Agent::Codex {
            world.sandbox.write_home(".codex/config.toml", provider(&model.url()));
        }
        let file = world.sandbox.home().join("t.jsonl").display().to_string();
        let done = sprag(&world.sandbox, ["knowledge", "handoff-now", "--transcript", &file, "--json"])
            .envs(world.sandbox.agent_env(agent, &model.url()))
            .timeout(WORKER_TIMEOUT)
            .run();
        let value: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
        assert!(
            value["handoff"].as_str().is_some_and(|text| text.contains("CHECKOUT-PAGE")),
            "{}: {}{}",
            agent.name(),
            done.stdout,
            done.stderr
        );
        let asked =
            model.requests().iter().any(|request| request.text().contains("The quantity was ignored"));
        assert!(asked, "{}: the conversation reached the model", agent.name());
    }
}
