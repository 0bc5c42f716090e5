//! A prompt hook with the real Claude Code: a small model says no, and its reason reaches the agent's model.

use serde_json::{Value, json};
use sprag_e2e::{World, run_of};
use sprag_testkit::{Agent, Model, Request, Step, text};

/// A check at the end of a turn, answered by this backend.
fn world(agent: Agent, backend: &str) -> Option<World> {
    let world = World::new(agent)?;
    let argv: Vec<&str> = world.installed.argv().iter().filter_map(|arg| arg.to_str()).collect();
    let backend = backend.replace("@ARGV@", &format!("{argv:?}"));
    world.config(&format!(
        "version = 1\npreset = \"minimal\"\n[hooks.session_stop]\nscripts = [\"tests-ran\"]\n[hook.tests-ran]\n\
         type = \"prompt\"\nprompt = \"Were the tests run? $ARGUMENTS\"\n{backend}\n"
    ));
    world.deploy();
    Some(world)
}

/// The small model: no, as long as the last message does not speak of tests.
fn judge() -> Step {
    Step::with(|request: &Value| {
        let asked = request.to_string();
        let ok = asked.contains("ALL-TESTS-GREEN");
        let answer = if ok {
            json!({"ok": true})
        } else {
            json!({"ok": false, "reason": "RUN-THE-TESTS-FIRST, then finish."})
        };
        vec![text(format!("My judgement:\n```json\n{answer}\n```"))]
    })
    .forever()
}

fn verdicts(world: &World) -> Vec<String> {
    let stops = world.events("Stop");
    stops.iter().map(|stop| run_of(stop, "tests-ran")["verdict"].as_str().unwrap().to_owned()).collect()
}

/// A small model at an endpoint says no once.
fn held_once(agent: Agent) {
    let small = Model::start([text("unused")]);
    small.answer_aux(judge());
    let backend = format!("[llm]\nbackend = \"openai\"\nurl = {:?}\nmodel = \"small\"", small.url());
    let Some(world) = world(agent, &backend) else { return };
    let run = world.say("fix the cart").step(text("Fixed it.")).step(text("ALL-TESTS-GREEN now."));
    let outcome = run.go().ok();
    assert_eq!(outcome.main().len(), 2);
    assert!(
        outcome.request(1).told().contains("RUN-THE-TESTS-FIRST, then finish."),
        "{}",
        outcome.request_text(1)
    );
    assert!(outcome.stdout.contains("ALL-TESTS-GREEN"), "{}", outcome.stdout);
    assert_eq!(verdicts(&world), ["block", "pass"]);
    let asked: Vec<String> = small.requests().iter().map(Request::text).collect();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].contains("Were the tests run?") && asked[0].contains("Fixed it."), "{}", asked[0]);
    assert!(!asked[0].contains("session_id") && !asked[0].contains("transcript_path"), "{}", asked[0]);
}

#[test]
fn a_no_holds_claude_codes_turn_and_its_reason_reaches_the_model() {
    held_once(Agent::Claude);
}

#[test]
fn a_no_holds_codexs_turn() {
    held_once(Agent::Codex);
}

#[test]
fn a_no_holds_geminis_turn() {
    held_once(Agent::Gemini);
}

#[test]
fn a_no_holds_qwens_turn() {
    held_once(Agent::Qwen);
}

/// A prompt that the small model refuses never reaches the agent's model.
#[test]
fn a_refused_prompt_is_not_sent() {
    let small = Model::start([text("unused")]);
    small.answer_aux(Step::from(text("{\"decision\": \"block\", \"reason\": \"NOT-ON-A-FRIDAY\"}")));
    let Some(world) = World::new(Agent::Claude) else { return };
    world.config(&format!(
        "version = 1\npreset = \"minimal\"\n[hooks.user_prompt_submit]\nscripts = [\"no-friday\"]\n[hook.no-friday]\n\
         type = \"prompt\"\nprompt = \"No deploys on Fridays: $ARGUMENTS\"\n[llm]\nbackend = \"openai\"\nurl = {:?}\n",
        small.url()
    ));
    world.deploy();
    let outcome = world.say("deploy the HERON branch").go();
    assert!(!outcome.reaches_model("HERON"), "{:?}", outcome.main());
    assert_eq!(world.event("UserPromptSubmit")["verdict"], "block");
    assert!(small.requests()[0].text().contains("HERON"));
}

/// The agent that answers is the real one, started from a hook of the same agent.
#[test]
fn the_agent_itself_answers_and_runs_no_hooks_of_its_own() {
    let Some(world) = world(Agent::Claude, "[llm]\nbackend = \"claude\"\ncommand = @ARGV@") else { return };
    let run = world.say("fix the cart").step(text("Fixed it.")).step(text("ALL-TESTS-GREEN now."));
    let outcome = run.aux(judge()).go().ok();
    assert_eq!(outcome.main().len(), 2);
    assert!(outcome.request(1).told().contains("RUN-THE-TESTS-FIRST"), "{}", outcome.request_text(1));
    // Two ends of a turn, both of the session itself: the agent that answered had none.
    assert_eq!(verdicts(&world), ["block", "pass"]);
    assert_eq!(world.sandbox.transcripts(Agent::Claude).len(), 1);
}

#[test]
fn a_model_that_always_says_no_does_not_hold_the_turn_forever() {
    let small = Model::start([text("unused")]);
    small.answer_aux(Step::from(text("{\"ok\": false, \"reason\": \"NEVER-ENOUGH\"}")));
    let Some(world) = world(Agent::Claude, &format!("[llm]\nbackend = \"openai\"\nurl = {:?}", small.url()))
    else {
        return;
    };
    let turns = ["one", "two", "three", "four"].map(|turn| Step::from(text(turn)));
    let outcome = world.say("fix the cart").script(turns).go().ok();
    assert_eq!(outcome.main().len(), 4, "held three times, then let go");
    assert_eq!(verdicts(&world), ["block", "block", "block", "pass"]);
}
