//! Caps on cost with the transcripts of real agents.

use serde_json::Value;
use sprag_e2e::World;
use sprag_store::testing;
use sprag_testkit::{Agent, sprag, text};

const CAP: &str =
    "version = 1\npreset = \"standard\"\n[hook.cost-limit]\nenabled = true\nday = \"50 tokens\"\n";

/// What the project used today, in tokens, after the background has counted.
fn used(world: &World) -> Value {
    let patient = std::time::Duration::from_secs(240);
    let _ = sprag(&world.sandbox, ["worker", "--once"]).timeout(patient).run().ok();
    sprag(&world.sandbox, ["limit", "--json"]).timeout(patient).run().ok().json()
}

/// The first turn uses more than the cap; the next one does not begin.
fn a_cap_holds(agent: Agent) {
    let Some(world) = World::deployed(agent, CAP, &[]) else { return };
    let _ = world.say("count the herons").step(text("two herons")).go().ok();
    let limit = used(&world);
    assert!(limit["limits"][0]["tokens"].as_u64().unwrap_or(0) >= 50, "{limit:#}");
    assert_eq!(limit["limits"][0]["reached"], true, "{limit:#}");
    let next = world.say("COUNT-THE-OTTERS").step(text("never")).go();
    assert!(!next.reaches_model("COUNT-THE-OTTERS"), "the turn began: {}", next.stdout);
}

#[test]
fn a_cap_holds_with_claude() {
    a_cap_holds(Agent::Claude);
}

#[test]
fn a_cap_holds_with_codex() {
    a_cap_holds(Agent::Codex);
}

#[test]
fn a_cap_holds_with_gemini() {
    a_cap_holds(Agent::Gemini);
}

#[test]
fn a_cap_holds_for_two_machines_together() {
    let Some(server) = testing::server() else { return };
    let store = format!("[store]\nurl = \"{}\"\nbudget_ms = 20000\n", server.database());
    let far_cap = CAP.replace("50 tokens", "1M tokens");
    let Some(near) = World::deployed(Agent::Claude, &format!("{CAP}{store}"), &[]) else { return };
    let Some(far) = World::deployed(Agent::Claude, &format!("{far_cap}{store}"), &[]) else { return };
    for world in [&near, &far] {
        let remote = ["remote", "add", "origin", "https://git.example/dev/shop.git"];
        let _ = world.sandbox.cmd("git").args(remote).run().ok();
    }
    let _ = sprag(&near.sandbox, ["store", "migrate"]).run().ok();
    let _ = near.say("count the herons").step(text("two herons")).go().ok();
    let here = used(&near)["limits"][0]["tokens"].as_u64().unwrap();
    let _ = far.say("count the otters").step(text("no otters")).go().ok();
    let both = used(&far);
    assert_eq!(both["on_other_machines"]["tokens"].as_u64(), Some(here), "{both:#}");
    assert!(both["limits"][0]["tokens"].as_u64().unwrap() > here, "{both:#}");
}
