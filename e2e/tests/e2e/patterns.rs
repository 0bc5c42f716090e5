//! Several agents at one piece of work in the real Claude Code, and its own documents from session to session.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Request, Step, sprag, text, tool};

/// The swarm preset as it is: every subagent may start, nobody is asked.
const SWARM: &str = "version = 1\npreset = \"swarm\"\n";

/// A juror is asked by a prompt that nobody else gets.
const JUROR: &str = "JUDGE-THE-CART";

fn is_juror(told: &str) -> bool {
    told.contains(JUROR) && !told.contains("ASK-A-JURY")
}

#[test]
fn a_jury_of_three_real_subagents_ends_with_a_verdict_without_a_person() {
    let Some(world) = World::deployed(Agent::Claude, SWARM, &[]) else { return };
    let _ = sprag(&world.sandbox, ["pattern", "start", "jury", "--members", "3", "--id", "cart"])
        .cwd(world.sandbox.project())
        .run()
        .ok();
    let ask = |number: i64| {
        tool(
            "Agent",
            json!({"description": format!("juror {number}"), "prompt": format!("{JUROR} ({number})"),
                "subagent_type": "general-purpose", "run_in_background": false}),
        )
    };
    // The jurors and the main agent ask at the same time, so each is answered by where it is.
    let step = Step::with(move |body| {
        let said = body["messages"].to_string();
        if is_juror(&said) {
            let vote = if said.contains(&format!("{JUROR} (2)")) { "reject" } else { "approve" };
            // The first words lack a vote, and the juror is asked for it.
            return vec![if said.contains("Your vote is missing") {
                text(format!("VOTE: {vote}"))
            } else {
                text("I know what I think of it.")
            }];
        }
        match body["messages"].as_array().map_or(0, Vec::len) {
            0..=2 if !said.contains("tool_result") => vec![ask(1), ask(2), ask(3)],
            _ => vec![text("the verdict is in")],
        }
    });
    let outcome = world.say("ASK-A-JURY").step(step.forever()).go().ok();
    let requests = outcome.main();
    let (jurors, main): (Vec<&Request>, Vec<&Request>) =
        requests.into_iter().partition(|request| is_juror(&request.told()));
    let told = |needle: &str| jurors.iter().filter(|request| request.told().contains(needle)).count();
    let seated = |seat: i64| told(&format!("You are juror {seat} of 3")) > 0;
    assert!(seated(1) && seated(2) && seated(3), "{jurors:?}");
    assert!(
        jurors.iter().all(|request| !request.told().contains("All 3 jurors")),
        "votes stay sealed for jurors"
    );
    let last = main.last().unwrap().told();
    assert!(last.contains("All 3 jurors of `cart` have voted: approve 2, reject 1."), "{last}");
    let status: Value = sprag(&world.sandbox, ["pattern", "status", "cart", "--json"])
        .cwd(world.sandbox.project())
        .run()
        .ok()
        .json();
    assert_eq!((&status["complete"], &status["told"]), (&json!(true), &json!(true)), "{status:#}");
}

#[test]
fn a_request_for_a_jury_reaches_the_model_with_its_command() {
    let Some(world) = World::deployed(Agent::Claude, SWARM, &[]) else { return };
    let outcome = world.say("run a jury of three subagents on this diff").step(text("I will")).go().ok();
    assert!(outcome.reaches_model("sprag pattern start jury --members 3"));
    let outcome = world.say("fix the jury page").step(text("I will")).go().ok();
    assert!(!outcome.reaches_model("sprag pattern start"), "an ordinary prompt");
}

#[test]
fn a_pattern_that_the_agent_starts_itself_belongs_to_its_session() {
    let Some(world) = World::deployed(Agent::Claude, SWARM, &[]) else { return };
    let program = sprag_testkit::sprag_bin();
    let start =
        format!("{} pattern start swarm --members 1 --id birds --json > started.json", program.display());
    let outcome = world
        .say("count")
        .step(Agent::Claude.shell(&start))
        .step(tool(
            "Agent",
            json!({"description": "a look", "prompt": "COUNT-THE-HERONS", "subagent_type": "general-purpose",
                "run_in_background": false}),
        ))
        .step(text("two herons"))
        .step(text("done"))
        .go()
        .ok();
    let started: Value = serde_json::from_str(&world.sandbox.read("started.json")).unwrap();
    let session = world.events("SessionStart")[0]["session"].clone();
    assert_eq!(started["session"], session, "the agent names its session to its shell");
    let last = outcome.last_request().told();
    assert!(
        last.contains("All 1 agents of the swarm `birds` are done") && last.contains("two herons"),
        "{last}"
    );
}

#[test]
fn an_agents_own_document_follows_it_into_the_next_session() {
    let config = format!("{SWARM}[hook.identity-sync]\nagent = \"heron\"\nhome = \"~/soul\"\n");
    let Some(world) = World::deployed(Agent::Claude, &config, &[]) else { return };
    world.sandbox.write_home("soul/CLAUDE.md", "the user's own\n");
    let edit = Agent::Claude.shell("printf 'I wade.\\n' > ~/soul/SOUL.md");
    let _ = world.say("who are you").step(edit).step(text("done")).go().ok();
    std::fs::remove_file(world.sandbox.home().join("soul/SOUL.md")).unwrap();
    let outcome = world.say("again").step(text("done")).go().ok();
    assert_eq!(world.sandbox.read_home("soul/SOUL.md"), "I wade.\n");
    assert_eq!(world.sandbox.read_home("soul/CLAUDE.md"), "the user's own\n");
    assert!(outcome.reaches_model("Your own documents are ~/soul/SOUL.md"));
    let log: Value = sprag(&world.sandbox, ["agent", "identity", "log", "--json"])
        .cwd(world.sandbox.project())
        .run()
        .ok()
        .json();
    let versions = log["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 1, "{log:#}");
    assert_eq!((&versions[0]["doc"], &versions[0]["source"]), (&json!("SOUL.md"), &json!("self_edit")));
}
