//! Lessons in the real agents: what the model is told, what it is denied, and what one session leaves for the next.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Request, sprag, text, tool};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

fn worlds() -> Vec<World> {
    [Agent::Claude, Agent::Codex, Agent::Gemini]
        .into_iter()
        .filter_map(|agent| World::deployed(agent, STANDARD, &[]))
        .collect()
}

fn lessons(world: &World, words: &[&str]) -> Value {
    let mut all = vec!["lessons"];
    all.extend(words);
    let text = sprag(&world.sandbox, all).run().ok().stdout;
    serde_json::from_str(&text).unwrap_or_default()
}

fn import(world: &World) {
    let manifest = json!({"version": 1, "lessons": {
        "1": {"slug": "heron-hint", "toolNames": ["Bash"], "commandRegexSources": [{"source": "\\bexpr\\s+4", "flags": ""}],
            "message": "HERONS-WADE-IN-THE-MORNING", "summary": "herons"},
        "2": {"slug": "heron-guard", "type": "guard", "toolNames": ["Bash"], "commandRegexSources": [{"source": "\\btouch\\b", "flags": ""}],
            "message": "HERONS-ARE-NOT-TOUCHED", "summary": "no touching"},
        "3": {"slug": "heron-directive", "type": "directive", "message": "ALWAYS-COUNT-THE-HERONS", "summary": "count"}}});
    world.sandbox.write_home("m.json", manifest.to_string());
    let file = world.sandbox.home().join("m.json").display().to_string();
    let _ = lessons(world, &["import", &file, "--json"]);
}

/// The protocol and the directives are in the first request, the hint is beside the result, the guard's reason is the
/// result.
#[test]
fn what_is_known_reaches_the_model_where_it_helps() {
    for world in worlds() {
        let agent = world.agent();
        import(&world);
        let outcome = world
            .say("please")
            .step(agent.shell("expr 40 + 2"))
            .step(agent.shell("touch ran"))
            .step(text("done"))
            .go()
            .ok();
        let first = outcome.request(0).told();
        assert!(first.contains("Lesson Reporting"), "{}: {first}", agent.name());
        assert!(first.contains("ALWAYS-COUNT-THE-HERONS"), "{}", agent.name());
        assert!(!first.contains("HERONS-WADE"), "{}", agent.name());
        let second = outcome.request(1).told();
        assert!(second.contains("HERONS-WADE-IN-THE-MORNING"), "{}: {second}", agent.name());
        let denied = outcome.tool_results();
        assert!(
            denied.iter().any(|result| result.text.contains("HERONS-ARE-NOT-TOUCHED")),
            "{}: {denied:?}",
            agent.name()
        );
        assert!(!world.sandbox.project().join("ran").exists(), "{}", agent.name());
        let again = world.say("again").step(agent.shell("expr 41 + 2")).step(text("done")).go().ok();
        assert!(again.reaches_model("HERONS-WADE"), "{}: a new session is told again", agent.name());
    }
}

/// A tag that the model leaves in one session is a candidate after the scan, and once a person promoted it the next
/// session is told, and so is a subagent.
#[test]
fn what_one_session_learned_the_next_one_knows() {
    const TAG: &str = "That was it.\n#lesson\ntool: Bash\ntrigger: expr 40 + 2\nproblem: expr counted the herons twice because the pond was read before dawn\nsolution: Count the herons after sunrise and write the number down once\ntags: tool:expr\n#/lesson";
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        let Some(world) = World::deployed(agent, STANDARD, &[]) else { continue };
        let _ = world.say("please").step(agent.shell("true")).step(text(TAG)).go().ok();
        // The end of the turn asked for the reading of this session; the scan waits for it and finds nothing more.
        let _ = sprag(&world.sandbox, ["worker", "--once"]).run().ok();
        let scanned = lessons(&world, &["scan", "--json"]);
        let waiting = lessons(&world, &["list", "--status", "candidate", "--json"])["lessons"].take();
        let added = waiting.as_array().cloned().unwrap_or_default();
        assert_eq!(added.len(), 1, "{}: {scanned:#} {waiting:#}", agent.name());
        if agent == Agent::Claude {
            let before = world.say("please").step(agent.shell("expr 40 + 2")).step(text("done")).go().ok();
            assert!(!before.last_request().told().contains("after sunrise"), "nothing promotes itself");
        }
        let slug = added[0]["slug"].as_str().unwrap().to_owned();
        let promoted = lessons(&world, &["promote", &slug, "--json"]);
        assert_eq!(promoted["promoted"][0]["status"], "active", "{promoted:#}");
        let after = world.say("please").step(agent.shell("expr 40 + 2")).step(text("done")).go().ok();
        assert!(after.reaches_model("after sunrise"), "{}: {}", agent.name(), after.last_request().told());
        if agent == Agent::Claude {
            subagent_is_told(&world);
        }
    }
}

/// The subagent's own call brings the lesson to the subagent.
fn subagent_is_told(world: &World) {
    let outcome = world
        .say("ASK-SOMEBODY-ELSE")
        .step(tool(
            "Agent",
            json!({"description": "a look", "prompt": "COUNT-THE-HERONS", "subagent_type": "general-purpose"}),
        ))
        .step(Agent::Claude.shell("expr 40 + 2"))
        .step(text("two herons"))
        .step(text("done"))
        .go()
        .ok();
    let of_subagent = |request: &&Request| !request.told().contains("ASK-SOMEBODY-ELSE");
    let (sub, _): (Vec<&Request>, Vec<&Request>) = outcome.main().into_iter().partition(of_subagent);
    let told: String = sub.iter().map(|request| request.told()).collect();
    assert!(told.contains("## [lessons-learned] Lesson Reporting"), "{told}");
    let hinted = outcome.main().iter().any(|request| request.told().contains("after sunrise"));
    assert!(hinted, "{}", outcome.last_request().told());
}

/// The compaction is blocked once with the handoff, and the session after it is given the text.
#[test]
fn a_handoff_before_a_compaction_reaches_the_next_session() {
    let config = format!("{STANDARD}[hook.precompact-handoff]\nhandoff = true\n");
    let Some(world) = World::deployed(Agent::Claude, &config, &[]) else { return };
    let long = "The herons are counted, and the number is written down in pond.txt, because the reeds are cut tomorrow and nobody will see them then.";
    let _ = world.say("Please count the herons in the pond and write it down.").step(text(long)).go().ok();
    let compacted = world.say("/compact").resume().go();
    let entry = world.wait_journal("the compaction was asked about", |journal| {
        journal.iter().any(|entry| entry["event"] == "PreCompact")
    });
    let blocked = entry.iter().find(|entry| entry["event"] == "PreCompact").unwrap();
    assert_eq!(blocked["verdict"], "block", "{blocked:#}");
    let shown = format!("{}{}", compacted.stdout, compacted.stderr);
    assert!(shown.contains("Pre-Compact Handoff") && shown.contains("pond.txt"), "the user sees it: {shown}");
    assert!(compacted.main().is_empty(), "nothing was summarised: {shown}");
    let next = world.say("hello").step(text("hi")).go().ok();
    assert!(next.request(0).told().contains("Handoff of the session before"), "{}", next.request(0).told());
    assert!(next.request(0).told().contains("written down in pond.txt"));
}
