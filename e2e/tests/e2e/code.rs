//! Outlines instead of text, in the real agents: what the model gets for a read and for a search.

use serde_json::json;
use sprag_e2e::{World, run_of};
use sprag_testkit::{Agent, Block, sprag, text, tool};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

/// Agents that read and search with tools of their own.
fn worlds() -> Vec<World> {
    [Agent::Claude, Agent::Gemini]
        .into_iter()
        .filter_map(|agent| World::deployed(agent, STANDARD, &[]))
        .collect()
}

fn read(agent: Agent, path: &str) -> Block {
    let name = if agent == Agent::Gemini { "read_file" } else { "Read" };
    tool(name, json!({ "file_path": path }))
}

fn grep(agent: Agent, pattern: &str) -> Block {
    let name = if agent == Agent::Gemini { "grep_search" } else { "Grep" };
    tool(name, json!({ "pattern": pattern }))
}

/// 2,000 lines: 400 functions.
fn large() -> String {
    (0..400)
        .map(|n| format!("def heron_{n}(reeds):\n    found = reeds\n    found += {n}\n    return found\n\n"))
        .collect()
}

#[test]
fn a_read_of_a_large_file_gives_the_outline_and_the_second_ask_the_text() {
    for world in worlds() {
        let agent = world.agent();
        let path = world.sandbox.write("src/pond.py", large()).display().to_string();
        let outcome = world
            .say("please")
            .step(read(agent, &path))
            .step(read(agent, &path))
            .step(text("done"))
            .go()
            .ok();
        let results = outcome.tool_results();
        let (first, second) = (&results[0].text, &results[1].text);
        assert!(
            first.contains("src/pond.py: 2000 lines") && first.contains("heron_399"),
            "{}: {first}",
            agent.name()
        );
        assert!(!first.contains("found += 7"), "{}: {first}", agent.name());
        assert!(second.contains("found += 7"), "{}: {second}", agent.name());
        assert!(first.len() * 4 < second.len(), "{}: {} and {}", agent.name(), first.len(), second.len());
        let saved = run_of(&world.events("PreToolUse")[0], "tldr-read-enforcer")["saved"].as_i64().unwrap();
        assert!(saved > 5_000, "{}: {saved}", agent.name());
    }
}

#[test]
fn a_search_for_a_function_gives_its_definition_and_its_callers() {
    for world in worlds() {
        let agent = world.agent();
        world.sandbox.write("pyproject.toml", "");
        world.sandbox.write(
            "src/pond.py",
            "def settle(reeds):\n    \"\"\"Lands in the reeds.\"\"\"\n    return reeds\n",
        );
        world.sandbox.write("src/main.py", "from src.pond import settle\n\n\ndef main():\n    settle(1)\n");
        let _ = sprag(&world.sandbox, ["code", "index"]).run().ok();
        let outcome = world.say("please").step(grep(agent, "settle")).step(text("done")).go().ok();
        for wanted in [
            "function src/pond.py:1-3 def settle(reeds)  # Lands in the reeds.",
            "called by src/main.py:5 main",
        ] {
            assert!(outcome.reaches_model(wanted), "{}: {}", agent.name(), outcome.last_request_text());
        }
    }
}

/// 2,000 lines and more, with one function that decides something and one value that many use.
fn with_a_central_function() -> String {
    let settle = "def settle(reeds, limit):\n    for reed in reeds:\n        if reed > limit:\n            return reed\n    \
                  return POND_LIMIT\n\n";
    format!("POND_LIMIT = 7\n\n{}{settle}", large())
}

/// The read that follows a request shows the layer that fits what the request is about, within the read's budget.
fn asked(prompt: &str, wanted: &[&str], unwanted: &str) {
    for world in worlds() {
        let agent = world.agent();
        let path = world.sandbox.write("src/pond.py", with_a_central_function()).display().to_string();
        let outcome =
            world.say(prompt).step(read(agent, &path)).step(read(agent, &path)).step(text("done")).go().ok();
        let results = outcome.tool_results();
        let (first, second) = (&results[0].text, &results[1].text);
        for part in wanted.iter().chain(&["heron_399", "This is its outline"]) {
            assert!(first.contains(part), "{}: {part}: {first}", agent.name());
        }
        assert!(!first.contains(unwanted), "{}: {first}", agent.name());
        assert!(first.len() * 4 < second.len(), "{}: {} and {}", agent.name(), first.len(), second.len());
    }
}

#[test]
fn a_request_about_a_function_brings_its_control_flow_with_the_outline() {
    asked(
        "how does `settle` decide where to land?",
        &["Asked about `settle`", "Control flow of settle", "if reed > limit: yes→"],
        "Data flow of",
    );
}

#[test]
fn a_request_about_a_variable_brings_its_data_flow_with_the_outline() {
    asked(
        "where does the value of POND_LIMIT go?",
        &["Asked about `POND_LIMIT`", "Data flow of POND_LIMIT, definition→uses: 1→"],
        "Control flow of",
    );
}

#[test]
fn a_request_about_nothing_in_the_file_brings_the_outline_alone() {
    asked("please read the pond", &[], "Asked about");
}

#[test]
fn a_search_brings_the_layer_that_fits_what_was_searched_for() {
    for world in worlds() {
        let agent = world.agent();
        world.sandbox.write("pyproject.toml", "");
        world.sandbox.write("src/pond.py", with_a_central_function());
        let _ = sprag(&world.sandbox, ["code", "index"]).run().ok();
        let outcome = world
            .say("please")
            .step(grep(agent, "settle"))
            .step(grep(agent, "POND_LIMIT"))
            .step(text("done"))
            .go()
            .ok();
        for wanted in [
            "Control flow of settle",
            "for reed in reeds: each→",
            "Data flow of POND_LIMIT, definition→uses: 1→",
        ] {
            assert!(outcome.reaches_model(wanted), "{}: {}", agent.name(), outcome.last_request_text());
        }
    }
}

/// Agents search with shell commands, too; Claude Code has no other way since its search tools are gone.
#[test]
fn a_search_in_the_shell_gives_definition_and_callers_beside_its_result() {
    for agent in [Agent::Claude, Agent::Gemini] {
        let Some(world) = World::deployed(agent, STANDARD, &[]) else { continue };
        world.sandbox.write("pyproject.toml", "");
        world.sandbox.write("src/pond.py", "def settle(reeds):\n    return reeds\n");
        world.sandbox.write("src/main.py", "from src.pond import settle\n\n\ndef main():\n    settle(1)\n");
        let _ = sprag(&world.sandbox, ["code", "index"]).run().ok();
        let name = if agent == Agent::Gemini { "run_shell_command" } else { "Bash" };
        let search = json!({ "command": "grep -rn 'def settle' src", "description": "search" });
        let outcome = world.say("please").step(tool(name, search)).step(text("done")).go().ok();
        for wanted in ["function src/pond.py:1-2 def settle(reeds)", "called by src/main.py:5 main"] {
            assert!(outcome.reaches_model(wanted), "{}: {}", agent.name(), outcome.last_request_text());
        }
    }
}

/// The way to a change in a file of 4,000 lines: outline, the function, the edit.
#[test]
fn a_function_of_a_large_file_is_changed_after_two_reads() {
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    let text_of = format!("{}{}", large(), large().replace("heron", "egret"));
    let path = world.sandbox.write("src/pond.py", text_of).display().to_string();
    let line = 2_000 + 5 * 200 + 1;
    let part = tool("Read", json!({ "file_path": path, "offset": line, "limit": 4 }));
    let change = json!({
        "file_path": path,
        "old_string": "    found += 200\n    return found\n\ndef egret_201",
        "new_string": "    found += 201\n    return found\n\ndef egret_201",
    });
    let outcome = world
        .say("change egret_200")
        .step(read(Agent::Claude, &path))
        .step(part)
        .step(tool("Edit", change))
        .step(text("done"))
        .go()
        .ok();
    let results = outcome.tool_results();
    // Too many for the outline, but the request named it.
    assert!(
        results[0].text.contains(&format!("Asked about `egret_200`, lines {line}-")),
        "{}",
        results[0].text
    );
    assert!(results[1].text.contains("def egret_200(reeds)"), "{}", results[1].text);
    let changed = std::fs::read_to_string(&path).unwrap();
    let function = changed.split("def egret_200(reeds):\n").nth(1).unwrap();
    assert!(function.starts_with("    found = reeds\n    found += 201\n"), "{}", results[2].text);
}
