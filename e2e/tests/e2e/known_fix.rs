//! The known fix in the real agents: one session meets an error and fixes it, the next one is told in the turn in which it meets it.

use sprag_e2e::World;
use sprag_testkit::{Agent, sprag, text};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";
const SCRIPT: &str = "#!/bin/sh\nif [ -z \"$POND_FILE\" ]; then\n  echo \"error: POND_FILE is not set, see docs/ponds.md\" >&2\n  exit 2\nfi\necho counted\n";

/// What the second session is told when it meets the error.
fn the_second_session_is_told(agent: Agent) {
    let Some(world) = World::deployed(agent, STANDARD, &[]) else { return };
    world.sandbox.write("count.sh", SCRIPT);
    let first = world
        .say("count the herons")
        .step(agent.shell("chmod +x count.sh"))
        .step(agent.shell("./count.sh"))
        .step(agent.shell("POND_FILE=pond.txt ./count.sh"))
        .step(text("done"))
        .go()
        .ok();
    assert!(!first.reaches_model("sprag known-fix"), "nothing is known yet");
    let _ = sprag(&world.sandbox, ["worker", "--once"]).run().ok();
    let listed = sprag(&world.sandbox, ["lessons", "fixes", "--all", "--json"]).run().ok().stdout;
    assert!(listed.contains("POND_FILE=pond.txt ./count.sh"), "{listed}");
    let second = world
        .say("count them again")
        .step(agent.shell("./count.sh"))
        .step(text("I know what to do"))
        .go()
        .ok();
    let told = second.request(1).told();
    assert!(told.contains("sprag known-fix: this error was met before in this project"), "{told}");
    assert!(told.contains("`POND_FILE=pond.txt ./count.sh`"), "{told}");
}

#[test]
fn claude_is_told_what_fixed_the_error_in_the_session_before() {
    the_second_session_is_told(Agent::Claude);
}

#[test]
fn codex_is_told_what_fixed_the_error_in_the_session_before() {
    the_second_session_is_told(Agent::Codex);
}

#[test]
fn gemini_is_told_what_fixed_the_error_in_the_session_before() {
    the_second_session_is_told(Agent::Gemini);
}
