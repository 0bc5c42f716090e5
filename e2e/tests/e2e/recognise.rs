//! What a person sees on the screen and what a model is told names sprag, the rule and the command that changes it, in
//! every agent; and what a person allows is let through once.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests are not seen as tests")]

use sprag_e2e::{World, person};
use sprag_testkit::{Agent, Screen, or_skip, text, tool};
use std::time::Duration;

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";
const LONG: Duration = Duration::from_secs(60);

fn worlds() -> impl Iterator<Item = World> {
    [Agent::Claude, Agent::Codex, Agent::Gemini]
        .into_iter()
        .filter_map(|agent| World::deployed(agent, STANDARD, &[]))
}

/// One turn with one shell call; what the model is told as its result.
fn told(world: &World, command: &str) -> String {
    let outcome = world.say("please").step(world.agent().shell(command)).step(text("done")).go().ok();
    outcome.tool_results().iter().map(|result| result.text.clone()).collect::<Vec<_>>().join("\n")
}

/// The screen without its line ends: a terminal breaks lines where it likes.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '│' && *c != '⎿').collect()
}

/// True when a text is on the screen, however it is broken.
fn shows(wanted: &str) -> impl Fn(&str) -> bool {
    let wanted = squeezed(wanted);
    move |screen: &str| squeezed(screen).contains(&wanted)
}

#[test]
fn the_model_is_told_the_same_in_every_agent() {
    for world in worlds() {
        let agent = world.agent().name();
        world.sandbox.write_home("precious/photo.txt", "mine");
        let denied = told(&world, "rm -rf ~/precious ~");
        for part in [
            "sprag blocked this (filesystem:rm-home, ",
            "): it deletes a home directory",
            "Would be lost: ",
            "; allow once: sprag allow ",
            "Why: sprag why ",
            "(only a person can allow)",
        ] {
            assert!(denied.contains(part), "{agent}: {part}: {denied}");
        }
        assert_eq!(world.sandbox.read_home("precious/photo.txt"), "mine", "{agent}");
    }
}

#[test]
fn where_nobody_can_be_asked_the_text_says_so() {
    for world in worlds() {
        let why = match world.agent() {
            Agent::Codex => ", because Codex cannot ask: it overwrites",
            // They are run for one prompt.
            _ => ", because nobody can be asked here: it overwrites",
        };
        let told = told(&world, "git push -f origin feature");
        let told = told.split_once("sprag blocked this (git:force-push, ").map(|(_, rest)| rest.to_owned());
        let told = told.unwrap_or_default();
        let id = told.get(..4).unwrap_or_default();
        assert!(
            told.starts_with(&format!("{id}; allow once: sprag allow {id}){why}")),
            "{}: {told}",
            world.agent().name()
        );
    }
}

#[test]
fn what_a_person_allows_is_let_through_once() {
    for world in worlds() {
        let agent = world.agent().name();
        world.sandbox.write(".env", "PASSWORD=heron-in-the-reeds\n");
        let read = |command: &str| told(&world, command).contains("heron-in-the-reeds");
        assert!(!read("cat .env"), "{agent}");
        let Some(shown) = person(&world, "allow last --once") else { return };
        assert!(
            shown.contains("cat .env") && shown.contains("tell the agent to try again"),
            "{agent}: {shown}"
        );
        assert!(!read("cat ./.env"), "{agent}: another call");
        assert!(read("cat .env"), "{agent}: {:#?}", world.journal());
        assert!(!read("cat .env"), "{agent}: once is once");
    }
}

#[test]
fn an_exception_for_good_holds_for_exactly_that_call() {
    let config = format!("{STANDARD}[hooks.pre_tool_use]\nappend = [\"no\"]\n");
    let no = "grep -q forbidden && { echo 'not that' >&2; exit 2; }; exit 0";
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        let Some(world) = World::deployed(agent, &config, &[("no", no)]) else { continue };
        let blocked = |command: &str| told(&world, command).contains("sprag blocked this (no, ");
        assert!(blocked("echo forbidden"), "{}", agent.name());
        let Some(shown) = person(&world, "allow last --always") else { return };
        assert!(shown.contains("written to "), "{}: {shown}", agent.name());
        assert!(!blocked("echo forbidden") && !blocked("echo forbidden"), "{}", agent.name());
        assert!(blocked("echo forbidden fruit"), "{}: another call", agent.name());
    }
}

#[test]
fn a_person_sees_who_denied_asked_and_held() {
    let config = format!("{STANDARD}[hooks.session_stop]\nscripts = [\"hold\"]\n");
    let hold = "grep -q '\"stop_hook_active\":true' && exit 0\necho 'ONE-MORE-THING' >&2; exit 2";
    let Some(world) = World::deployed(Agent::Claude, &config, &[("hold", hold)]) else { return };
    let bash = |command: &str| Agent::Claude.shell(command);
    let run = world
        .installed
        .run(&world.sandbox)
        .step(bash("cat .env"))
        .step(bash("git push -f origin feature"))
        .step(text("first end"))
        .step(text("second end"));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    screen.wait_ready(LONG);
    screen.wait(shows("sprag:"), LONG);
    screen.type_line("go");
    screen.wait(shows("sprag blocked this (privacy:env-file, "), LONG);
    screen.wait(shows("sprag asks before this runs (git:force-push, "), LONG);
    screen.press_until(&["Enter"], shows("ONE-MORE-THING"), LONG);
    let held = screen.wait(shows("sprag holds this turn (hold, "), LONG);
    assert!(shows("; end it anyway: sprag allow ")(&held), "{held}");
    screen.close();
}

/// A picture for the documentation: `SPRAG_SCREENSHOTS` names the folder.
fn keep_picture(world: &World, screen: &Screen, name: &str) {
    let Some(folder) = std::env::var_os("SPRAG_SCREENSHOTS") else { return };
    let file = std::path::Path::new(&folder).join(format!("claude-{name}.svg"));
    let project = world.sandbox.project().display().to_string();
    std::fs::write(file, screen.picture("claude", &[(&project, "~/shop")])).unwrap();
}

/// The same with what is on without set-up, as the documentation shows it: a secret, a question, a turn that ends with an error.
#[test]
fn a_person_sees_a_denial_a_question_and_a_held_turn() {
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    world.sandbox.write(".env", "STRIPE_KEY=heron-in-the-reeds\n");
    let cart = world.sandbox.write("cart.py", "def total(items):\n    return sum(items)\n");
    let edit = tool(
        "Edit",
        serde_json::json!({"file_path": cart, "old_string": "sum(items)", "new_string": "sum(items"}),
    );
    let run = world
        .installed
        .run(&world.sandbox)
        .args(["--permission-mode", "acceptEdits"])
        .step([text("I look up the key."), Agent::Claude.shell("cat .env")])
        .step([
            text("I go on without it and publish the branch."),
            Agent::Claude.shell("git push -f origin feature"),
        ])
        .step(tool("Read", serde_json::json!({"file_path": cart})))
        .step(edit)
        .step(text("Done, the total is fixed."))
        .step(text("I see, the bracket is missing."));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    screen.wait_ready(LONG);
    screen.wait(shows("sprag:"), LONG);
    screen.type_line("fix the total and publish it");
    screen.wait(shows("sprag blocked this (privacy:env-file, "), LONG);
    keep_picture(&world, &screen, "denied");
    screen.wait(shows("sprag asks before this runs (git:force-push, "), LONG);
    keep_picture(&world, &screen, "asked");
    screen.press_until(&["Enter"], shows("Done, the total is fixed."), LONG);
    screen.wait(shows("sprag holds this turn ("), LONG);
    screen.wait(shows("the bracket is missing"), LONG);
    keep_picture(&world, &screen, "held");
    screen.close();
}
