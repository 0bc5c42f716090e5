//! Several real agents at once: who holds what, what the second one is told, and a task that is cancelled.
//! What must overlap waits at a named pipe, so nothing here depends on how fast a machine is.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_store::testing;
use sprag_testkit::{Agent, Block, Outcome, Turn, sprag, sprag_bin, text, tool};
use std::path::Path;
use std::time::{Duration, Instant};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";

fn bash(command: &str) -> Block {
    Agent::Claude.shell(command)
}

/// Waits until a file is there.
fn wait_for(path: &Path) {
    let end = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        assert!(Instant::now() < end, "{} did not appear", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An agent that writes a file, then waits at the pipe.
fn holder(world: &World, file: &str) -> Turn {
    world.pipe("gate");
    let path = world.sandbox.project().join(file);
    let turn = world
        .say("please")
        .step(tool("Write", json!({"file_path": path, "content": "theirs\n"})))
        .step(bash("touch holding; cat gate"))
        .step(text("done"))
        .start();
    wait_for(&world.sandbox.project().join("holding"));
    turn
}

/// Lets the agent at the pipe go on, to its end.
fn let_go(world: &World, turn: Turn) -> Outcome {
    std::fs::write(world.sandbox.project().join("gate"), "go\n").unwrap();
    turn.wait().ok()
}

/// A turn that appends to a file; what the model learns of it.
fn append(world: &World, file: &str) -> Outcome {
    world.say("please").step(bash(&format!("echo mine >> {file}"))).step(text("done")).go().ok()
}

fn claims(world: &World) -> Vec<Value> {
    let listed = sprag(&world.sandbox, ["claims", "list", "--json"]).run().ok().json();
    listed["claims"].as_array().unwrap().clone()
}

#[test]
fn the_second_of_two_agents_is_warned_of_the_firsts_file_and_after_its_end_it_is_free() {
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    let first = holder(&world, "cart.txt");
    let held = claims(&world);
    let id: String = held[0]["session"].as_str().unwrap().chars().take(8).collect();
    assert_eq!(held[0]["path"], "cart.txt");
    let second = append(&world, "cart.txt");
    let told = second.last_request_text();
    let expected = format!("cart.txt is being worked on by another session: claude {id}");
    assert!(told.contains(&expected), "{:#?}", world.journal());
    assert_eq!(world.sandbox.read("cart.txt"), "theirs\nmine\n", "a warning stops nothing");
    let switched = world.say("please").step(bash("git stash")).step(text("done")).go().ok();
    assert!(switched.last_request_text().contains("stashes"), "{}", switched.last_request_text());
    let _ = let_go(&world, first);
    let _ = sprag(&world.sandbox, ["worker", "--once"]).run().ok();
    assert_eq!(claims(&world), [] as [Value; 0]);
    let third = append(&world, "cart.txt");
    assert!(!third.last_request_text().contains("by another session"), "{:#?}", world.journal());
}

#[test]
fn two_homes_with_one_postgresql_deny_each_other_the_same_file() {
    let Some(server) = testing::server() else { return };
    let url = server.database();
    let config =
        format!("{STANDARD}[store]\nurl = \"{url}\"\nbudget_ms = 20000\n[hook.file-claims]\ndeny = true\n");
    let Some(near) = World::deployed(Agent::Claude, &config, &[]) else { return };
    let Some(far) = World::deployed(Agent::Claude, &config, &[]) else { return };
    for world in [&near, &far] {
        let remote = ["remote", "add", "origin", "https://git.example/dev/shop.git"];
        let _ = world.sandbox.cmd("git").args(remote).run().ok();
        let _ = world.sandbox.cmd("git").args(["checkout", "-q", "-B", "main"]).run().ok();
    }
    let _ = sprag(&near.sandbox, ["store", "migrate"]).run().ok();
    let first = holder(&near, "cart.txt");
    let second = append(&far, "cart.txt");
    assert!(second.last_request_text().contains("being worked on by another session"));
    assert!(!far.sandbox.project().join("cart.txt").exists(), "denied");
    let _ = let_go(&near, first);
    let _ = sprag(&near.sandbox, ["worker", "--once"]).run().ok();
    let _ = append(&far, "cart.txt");
    assert_eq!(far.sandbox.read("cart.txt"), "mine\n", "free after the other's end");
}

#[test]
fn a_cancelled_task_stops_the_agent_that_works_on_it() {
    let Some(world) = World::deployed(Agent::Claude, "version = 1\npreset = \"swarm\"\n", &[]) else {
        return;
    };
    let made = sprag(&world.sandbox, ["task", "create", "Port the parser", "--json"]).run().ok().json();
    let id = made["id"].as_str().unwrap().to_owned();
    world.pipe("gate");
    let turn = world
        .say("please")
        .step(bash(&format!("{} task start {id}", sprag_bin().display())))
        .step(bash("touch holding; cat gate"))
        .step(bash("touch after-the-end"))
        .step(text("stopped"))
        .start();
    wait_for(&world.sandbox.project().join("holding"));
    let cancel = ["task", "cancel", &id, "--reason", "the customer left"];
    let _ = sprag(&world.sandbox, cancel).run().ok();
    let outcome = let_go(&world, turn);
    let told = outcome.last_request_text();
    assert!(
        told.contains(&format!("Task {id} (Port the parser) was cancelled: the customer left")),
        "{told}"
    );
    assert!(!world.sandbox.project().join("after-the-end").exists());
}

#[test]
fn task_goal_and_progress_come_through_a_compaction() {
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    let create = ["task", "create", "Port the parser", "--goal", "HERONS-PASS", "--json"];
    let id = sprag(&world.sandbox, create).run().ok().json()["id"].as_str().unwrap().to_owned();
    let bin = sprag_bin().display();
    let start = format!("{bin} task start {id} && {bin} task progress 'LEXER-DONE'");
    let _ = world.say("please").step(bash(&start)).step(text("done")).go().ok();
    let summary = text("<summary>what happened</summary>");
    let compacted = world.say("/compact").resume().step(summary).go().ok();
    let told = compacted.last_request().told();
    assert!(told.contains("HERONS-PASS") && told.contains("LEXER-DONE"), "the summariser: {told}");
    let after = world.say("go on").resume().step(text("done")).go().ok();
    let told = after.last_request().told();
    assert!(told.contains("still working on this task") && told.contains("LEXER-DONE"), "{told}");
}
