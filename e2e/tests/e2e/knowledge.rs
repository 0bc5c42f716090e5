//! The knowledge loop with the real Claude Code: what one session leaves, the next one is given.
//! The worker asks the real `claude -p`, whose model is scripted too.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Block, Model, Request, Screen, Step, or_skip, sprag, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
const REQUEST: &str = "The cart total is wrong when an item has a quantity above one. Please find out where the total is \
    computed, multiply the price by the quantity, keep prices in whole cents, and tell me what is left to do for the \
    checkout page afterwards.";

fn bash(command: &str) -> Block {
    Agent::Claude.shell(command)
}

/// A world whose worker asks the installed agent.
fn world(more: &str) -> Option<World> {
    let world = World::new(Agent::Claude)?;
    let argv: Vec<&str> = world.installed.argv().iter().filter_map(|arg| arg.to_str()).collect();
    world.config(&format!("version = 1\n{more}\n[llm]\nbackend = \"claude\"\ncommand = {argv:?}\n"));
    let git = |args: &[&str]| world.sandbox.cmd("git").args(args.iter().copied()).run().ok();
    let _ = git(&["remote", "add", "origin", "https://git.example/dev/shop.git"]);
    world.deploy();
    Some(world)
}

fn judgement() -> String {
    json!({
        "decisions": [{"summary": "Prices are whole CENTS-NOT-FLOATS", "context": "cart", "rationale": "rounding", "tags": ["cart"]}],
        "failures": [{"summary": "The total ignored quantities", "prevention": "TEST-WITH-TWO-OF-A-KIND"}],
        "learnings": [{"title": "Money \"is\" an integer", "learning": "Never use floats.", "context": "shop"}],
        "handoff": ["write the CHECKOUT-PAGE test"],
        "grade": {"quality": "good", "issues": [], "reasoning": "done", "confidence": 0.9},
    })
    .to_string()
}

/// The worker, once, with the agent's model answering this.
fn work(world: &World, answer: &str) -> Model {
    let model = Model::start([text("unused")]);
    model.answer_aux(Step::from(text(format!("Here it is:\n```json\n{answer}\n```"))));
    let env = world.sandbox.agent_env(Agent::Claude, &model.url());
    let done = sprag(&world.sandbox, ["worker", "--once"]).envs(env).timeout(WAIT_TIMEOUT * 2).run().ok();
    assert!(!done.stdout.contains("failed"), "{}\n{}", done.stdout, history(world));
    model
}

fn data(world: &World) -> PathBuf {
    world.sandbox.home().join(".local/share/sprag")
}

fn memory(world: &World, file: &str) -> String {
    let path = data(world).join("memory/git.example/dev/shop").join(file);
    fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), history(world)))
}

fn history(world: &World) -> String {
    let path = world.sandbox.home().join(".local/state/sprag/knowledge/history.jsonl");
    fs::read_to_string(path).unwrap_or_default()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let months = fs::read_dir(folder).into_iter().flatten().flatten();
    months
        .flat_map(|month| fs::read_dir(month.path()).into_iter().flatten().flatten())
        .map(|f| f.path())
        .collect()
}

#[test]
fn what_one_session_leaves_the_next_one_is_given() {
    let Some(world) = world("[knowledge]\nheadless = true\n") else { return };
    // Ten turns of the model with tool calls, then a compaction, then one more prompt.
    let calls =
        (0..9).map(|n| Step::from(vec![text(format!("Step {n}.")), bash(&format!("echo {n} >> log.txt"))]));
    let run =
        world.say(REQUEST).env("SPRAG_WORKER", "off").script(calls).step(text("The total is right now."));
    let first = run.go().ok();
    let told = first.request(0).told();
    assert!(told.contains("## Git\nBranch: main") && !told.contains("## Last session"), "{told}");
    let summary = text("<analysis>short</analysis><summary>THE-CART-WAS-FIXED</summary>");
    let compacted = world.say("/compact").env("SPRAG_WORKER", "off").resume().step(summary).go().ok();
    let told = compacted.last_request().told();
    assert!(told.contains("## Tasks in progress\n- The cart total is wrong"), "{told}");
    let copies = fs::read_dir(data(&world).join("compact-backups")).unwrap().count();
    assert_eq!(copies, 1);
    assert!(memory(&world, "pre-compact-summary.md").contains("The cart total is wrong"));

    let model = work(&world, &judgement());
    let asked = model.requests().iter().map(Request::told).collect::<String>();
    assert!(
        asked.contains("You judge one finished session") && asked.contains("The total is right now."),
        "{asked}"
    );
    assert!(memory(&world, "decisions.jsonl").contains("CENTS-NOT-FLOATS"));
    assert!(memory(&world, "failures.jsonl").contains("TEST-WITH-TWO-OF-A-KIND"));
    let handoff = memory(&world, "handoff.md");
    assert!(
        handoff.contains("- write the CHECKOUT-PAGE test") && handoff.contains("kind: model"),
        "{handoff}"
    );
    let learnings = files(&data(&world).join("learnings"));
    assert_eq!(learnings.len(), 1, "{learnings:?}");
    assert!(fs::read_to_string(&learnings[0]).unwrap().contains(r#"title: "Money \"is\" an integer""#));
    let sessions = files(&data(&world).join("sessions"));
    assert_eq!(sessions.len(), 1, "{sessions:?}\n{}", history(&world));
    let export = fs::read_to_string(&sessions[0]).unwrap();
    assert!(
        export.contains("project_key: git.example/dev/shop") && export.contains("The total is right now."),
        "{export}"
    );
    // The worker's own call of the agent left no session behind.
    assert_eq!(
        world.sandbox.transcripts(Agent::Claude).len(),
        1,
        "{:?}",
        world.sandbox.transcripts(Agent::Claude)
    );

    let next = world.say("hello again").env("SPRAG_WORKER", "off").step(text("hi")).go().ok();
    let told = next.request(0).told();
    for want in [
        "Branch: main",
        "Last session: ",
        "Working on: \"The cart total is wrong",
        "- write the CHECKOUT-PAGE test",
        "- Prices are whole CENTS-NOT-FLOATS",
        "- The total ignored quantities -> TEST-WITH-TWO-OF-A-KIND",
    ] {
        assert!(told.contains(want), "{want:?} is missing in {told}");
    }
    assert!(!told.contains("[stale"), "{told}");
    let found = sprag(&world.sandbox, ["knowledge", "search", "quantity", "cents", "--json"]).run().ok();
    let hits: Value = serde_json::from_str(&found.stdout).unwrap();
    assert!(hits["documents"].as_array().unwrap().iter().any(|hit| hit["kind"] == "session"), "{hits:#}");
}

#[test]
fn in_a_terminal_and_after_a_kill() {
    let Some(world) = world("") else { return };
    let run = world.installed.run(&world.sandbox).env("SPRAG_WORKER", "off");
    let run = run.step(text("First answer.")).step(text("Second answer.")).step(text("Third answer."));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    screen.wait_ready(WAIT_TIMEOUT);
    screen.type_line(REQUEST);
    screen.wait("First answer.", WAIT_TIMEOUT);
    stops(&world, 1);
    screen.type_line("and now the second thing, please");
    screen.wait("Second answer.", WAIT_TIMEOUT);
    stops(&world, 2);
    // The agent writes its transcript a moment after its turn; what is not on the disk dies with it.
    let on_disk = || {
        let transcripts = world.sandbox.transcripts(Agent::Claude);
        transcripts.iter().any(|path| fs::read_to_string(path).unwrap_or_default().contains("Second answer."))
    };
    world.wait_journal("the transcript on the disk", |_| on_disk());
    // A person's agent dies without a word: no SessionEnd.
    let pids = open_pids(&world);
    assert!(!pids.is_empty(), "no session is known as open");
    for pid in pids {
        let _ = world.sandbox.cmd("kill").args(["-KILL", &pid]).run();
    }
    screen.wait_exit(WAIT_TIMEOUT);
    drop(screen);
    assert!(world.events("SessionEnd").is_empty());
    // None of its jobs was processed: as if the worker had died with it.
    let queue = world.sandbox.home().join(".local/state/sprag/queue");
    fs::remove_dir_all(&queue).unwrap();

    let run = world.installed.run(&world.sandbox).env("SPRAG_WORKER", "off").step(text("Hello."));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    screen.wait_ready(WAIT_TIMEOUT);
    screen.type_line("hello");
    screen.wait("Hello.", WAIT_TIMEOUT);
    stops(&world, 3);
    screen.type_line("/exit");
    screen.wait_exit(WAIT_TIMEOUT);
    drop(screen);
    let model = work(&world, &judgement());
    assert!(model.requests().iter().any(|request| request.told().contains("and now the second thing")));
    let sessions = files(&data(&world).join("sessions"));
    assert_eq!(sessions.len(), 1, "the short one is not kept: {sessions:?}\n{}", history(&world));
    assert!(fs::read_to_string(&sessions[0]).unwrap().contains("Second answer."));
    assert!(memory(&world, "decisions.jsonl").contains("CENTS-NOT-FLOATS"));

    let run = world.installed.run(&world.sandbox).env("SPRAG_WORKER", "off").step(text("Hi."));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    // A line may be broken anywhere on a screen.
    screen.wait(
        |seen: &str| seen.split_whitespace().collect::<String>().contains("hashandoffnotes"),
        WAIT_TIMEOUT,
    );
    screen.wait_ready(WAIT_TIMEOUT);
    screen.type_line("where were we?");
    screen.wait("Hi.", WAIT_TIMEOUT);
    let told = screen.requests().iter().map(Request::told).collect::<String>();
    assert!(
        told.contains("CHECKOUT-PAGE") && told.contains("Working on: \"The cart total is wrong"),
        "{told}"
    );
}

/// Waits until so many turns have ended.
fn stops(world: &World, count: usize) {
    let ended = |journal: &[Value]| journal.iter().filter(|entry| entry["event"] == "Stop").count() >= count;
    world.wait_journal("a turn's end", ended);
}

/// The processes of sessions that are at work.
fn open_pids(world: &World) -> Vec<String> {
    let folder = world.sandbox.home().join(".local/state/sprag/knowledge/open-evaluate");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let known =
        entries.filter_map(|entry| serde_json::from_slice::<Value>(&fs::read(entry.path()).ok()?).ok());
    known.map(|session| session["pid"].to_string()).collect()
}
