//! What one session writes down, the next one is told, when the prompt is about it: in the real agents.

use sprag_e2e::World;
use sprag_testkit::{Agent, sprag, text};

const CONFIG: &str = "version = 1\npreset = \"minimal\"\n[hooks.user_prompt_submit]\nscripts = [\"memory-awareness\"]\n\
                      [hooks.post_tool_use]\nscripts = [\"memory-index\"]\n";
const LEARNING: &str = "Payment webhooks arrive more than once; store the event id and ignore repeats.";

#[test]
fn a_learning_of_one_session_reaches_the_model_of_the_next_when_the_prompt_is_about_it_in_other_words() {
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        let Some(world) = World::deployed(agent, CONFIG, &[]) else { continue };
        let name = agent.name();
        let write = format!("mkdir -p memory && printf '%s\\n' '{LEARNING}' > memory/payments.md");
        let _ = world.say("please").step(agent.shell(&write)).step(text("done")).go().ok();
        assert!(world.sandbox.read("memory/payments.md").contains("webhooks"), "{name}");
        // Waits for the worker that the hook started, and does what it left.
        let _ = sprag(&world.sandbox, ["worker", "--once"]).run().ok();

        let about = world.say("customers were billed twice for one purchase").step(text("done")).go().ok();
        let told = about.request(0).told();
        assert!(told.contains("MEMORY MATCH") && told.contains(LEARNING), "{name}: {told}");

        let else_where =
            world.say("add a dark mode switch to the settings page").step(text("done")).go().ok();
        assert!(!else_where.reaches_model("webhooks") && !else_where.reaches_model("MEMORY MATCH"), "{name}");
    }
}
