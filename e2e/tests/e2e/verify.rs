//! Verification with the real agents and the real compilers: cargo, tsc, ruff, go. What the model is told, and when it is
//! let go. The compilers beside cargo are those that `cargo xtask test` puts into `SPRAG_TOOLS_DIR`.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Run, Unavailable, or_skip, text, tool};
use std::path::{Path, PathBuf};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";
/// No waiting for edits to come, and patience on a busy machine.
const PATIENT: &str = "version = 1\npreset = \"standard\"\n[verify]\nsettle_ms = 0\n[hook.typescript-preflight]\nwait_ms = 60000\n";

/// Where a program was put for the tests; `None`, said aloud, when it cannot be had here.
fn program(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("target/tools");
    let dir = std::env::var_os("SPRAG_TOOLS_DIR").map_or(root, PathBuf::from);
    let file = dir.join(path);
    let missing = || Unavailable { what: path.to_owned(), why: "`cargo xtask test` fetches it".to_owned() };
    or_skip(file.is_file().then(|| file.parent().unwrap().to_path_buf()).ok_or_else(missing))
}

/// A run with a folder before the search path, and the toolchain of this machine.
fn with<'a>(run: Run<'a>, folders: &[&Path]) -> Run<'a> {
    let path = std::env::var_os("PATH").unwrap();
    let all = folders.iter().map(|dir| dir.to_path_buf()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(all).unwrap().into_string().unwrap();
    let home = std::env::var("HOME").unwrap_or_default();
    let place =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| format!("{home}/{default}"));
    run.env("PATH", path)
        .env("RUSTUP_HOME", place("RUSTUP_HOME", ".rustup"))
        .env("CARGO_HOME", place("CARGO_HOME", ".cargo"))
}

/// A shell line that ends when the ledger of the project does or does not hold a word.
fn until_ledger(agent: Agent, test: &str) -> sprag_testkit::Block {
    agent.shell(&format!(
        "until {test} ~/.local/state/sprag/verify/*/ledger.json; do sleep 0.1; done; echo seen"
    ))
}

fn stops(world: &World) -> Vec<Value> {
    world.events("Stop").iter().map(|entry| entry["verdict"].clone()).collect()
}

/// The agent builds the project itself; from then on its code may run, and an edit that breaks it is told.
#[test]
fn an_edit_that_breaks_the_build_is_told_within_the_turn_and_a_repaired_one_is_silent() {
    let Some(world) = World::deployed(Agent::Claude, PATIENT, &[]) else { return };
    world
        .sandbox
        .write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let file = world.sandbox.write("src/main.rs", "fn main() {}\n");
    let write = |content: &str| tool("Write", json!({"file_path": file, "content": content}));
    let run = world
        .say("please")
        .step(tool("Read", json!({"file_path": file})))
        .step(world.agent().shell("cargo check --offline --quiet && echo built"))
        .step(write("fn main() { let x: u32 = \"a\"; }\n"))
        .step(until_ledger(Agent::Claude, "grep -q E0308"))
        .step(write("fn main() { let _x: u32 = 1; }\n"))
        .step(until_ledger(Agent::Claude, "! grep -q E0308"))
        .step(text("done"));
    let outcome = with(run, &[]).go().ok();
    assert!(!outcome.request(3).told().contains("E0308"), "not before the build was done");
    let told = outcome.request(4).told();
    assert!(told.contains("src/main.rs:1:26: error[E0308]: mismatched types"), "{told}");
    assert_eq!(
        outcome.last_request().told().matches("cargo: ").count(),
        1,
        "said once, and the repair is silent"
    );
    assert_eq!(stops(&world), ["pass"]);
}

#[test]
fn type_errors_come_with_the_edit() {
    let Some(world) = World::deployed(Agent::Claude, PATIENT, &[]) else { return };
    let Some(bin) = program("node_modules/.bin/tsc") else { return };
    world.sandbox.write(
        "tsconfig.json",
        "{\"compilerOptions\": {\"strict\": true, \"types\": []}, \"include\": [\"src\"]}",
    );
    let file = world.sandbox.project().join("src/a.ts");
    let write = |content: &str| tool("Write", json!({"file_path": file, "content": content}));
    let run = world
        .say("please")
        .step(write("export const a: number = \"x\";\n"))
        .step(write("export const a: number = 1;\n"))
        .step(text("done"));
    let outcome = with(run, &[&bin]).go().ok();
    let told = outcome.request(1).told();
    assert!(told.contains("tsc: a new problem") && told.contains("src/a.ts:1:14: error[TS2322]"), "{told}");
    assert_eq!(outcome.last_request().told().matches("TS2322").count(), 1, "the repaired one is silent");
    assert_eq!(stops(&world), ["pass"]);
}

/// A shell writes the file, so that it is the same in every agent, and git has never seen it.
#[test]
fn an_end_with_failing_lint_is_held_once_with_the_finding_then_let_go() {
    let Some(bin) = program("py/bin/ruff") else { return };
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        let Some(world) = World::deployed(agent, STANDARD, &[]) else { continue };
        world.sandbox.write("ruff.toml", "[lint]\nselect = [\"F\"]\n");
        let run = world
            .say("please")
            .step(agent.shell("printf 'import os\\n' > a.py"))
            .step(text("done"))
            .step(text("still done"));
        let outcome = with(run, &[&bin]).go().ok();
        let name = agent.name();
        let told = outcome.last_request_text();
        assert!(told.contains("a.py:1:8: warning[F401]: `os` imported but unused"), "{name}: {told}");
        assert_eq!(stops(&world), ["block", "pass"], "{name}");
    }
}

#[test]
fn an_agent_that_cannot_fix_it_is_released_after_the_third_time() {
    let Some(bin) = program("py/bin/ruff") else { return };
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    world.sandbox.write("ruff.toml", "[lint]\nselect = [\"F\"]\n");
    let mut run = world.say("please");
    for module in ["os", "sys", "json", "re"] {
        let write = Agent::Claude.shell(&format!("printf 'import {module}\\n' > a.py"));
        run = run.step(write).step(text("done"));
    }
    let run = run.args(["--output-format", "stream-json", "--verbose", "--include-hook-events"]);
    let outcome = with(run, &[&bin]).go().ok();
    assert_eq!(stops(&world), ["block", "block", "block", "pass"]);
    assert_eq!(outcome.main().len(), 8, "the turn ended");
    assert!(outcome.stdout.contains("left open (the model was told several times"), "{}", outcome.stdout);
}

#[test]
fn go_is_compiled_too() {
    let Some(world) = World::deployed(
        Agent::Claude,
        &format!("{PATIENT}[hook.tool-loop]\nmode = \"off\"\n")
            .replace("settle_ms = 0", "settle_ms = 0\nrun_project_code = \"always\""),
        &[],
    ) else {
        return;
    };
    let Some(bin) = program("py/go/bin/go") else { return };
    world.sandbox.write("go.mod", "module shop\n\ngo 1.21\n");
    let file = world.sandbox.project().join("main.go");
    let run = world
        .say("please")
        .step(tool("Write", json!({"file_path": file, "content": "package main\n\nfunc main() {\n\tvar x int = \"a\"\n\t_ = x\n}\n"})))
        .step(until_ledger(Agent::Claude, "grep -q 'cannot use'"))
        .step(text("done"))
        .step(text("still done"));
    let cache = bin.ancestors().nth(3).unwrap().join("go-cache");
    let outcome = with(run, &[&bin]).env("GOCACHE", cache.display().to_string()).go().ok();
    let told = outcome.request(2).told();
    assert!(told.contains("main.go:4:14: error: cannot use \"a\""), "{told}");
    assert_eq!(stops(&world), ["block", "pass"]);
}
