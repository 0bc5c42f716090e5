//! The dispatcher with real agents: tasks that wait for each other, in worktrees; two machines with one server, one of
//! which is killed; what it refuses; how it stops.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_store::testing;
use sprag_testkit::{Agent, Block, Cmd, Model, Sandbox, Step, sprag, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SWARM: &str = "version = 1\npreset = \"swarm\"\n";

/// Seven tasks and what each waits for.
const TASKS: [(&str, &[&str]); 7] = [
    ("heron", &[]),
    ("otter", &[]),
    ("stork", &[]),
    ("egret", &["heron"]),
    ("bittern", &["heron", "otter"]),
    ("grebe", &["egret", "bittern"]),
    ("crane", &["stork"]),
];

/// The word behind `): Write ` at the end of a line of what an agent was told: what it is told of other agents and of earlier sessions has the
/// words of their tasks too, in one line with what comes after.
fn subject(body: &Value) -> String {
    let said = body.to_string();
    let word = |rest: &str| rest.chars().take_while(char::is_ascii_alphabetic).collect::<String>();
    let tasks = said.split("Do this task (").skip(1).filter_map(|task| task.split("): Write ").nth(1));
    tasks
        .map(|rest| (word(rest), rest))
        .find(|(word, rest)| rest.get(word.len()..).unwrap_or_default().starts_with('\\'))
        .unwrap_or_default()
        .0
}

/// A model that lets each agent write the file of its task, and end. `held` runs in the agent's shell before that.
fn writes(agent: Agent, held: String) -> Step {
    Step::with(move |body| -> Vec<Block> {
        let subject = subject(body);
        let said = body.to_string();
        let marks = [
            "tool_result", "function_call_output", "functionResponse", "\"role\":\"tool\"",
            "\"tool_call_id\"",
        ];
        if subject.is_empty() || marks.iter().any(|mark| said.contains(mark)) {
            return vec![text(format!("{subject} is written"))];
        }
        vec![agent.shell(&format!("{held}ls > seen-{subject}.txt; echo {subject} >> {subject}.txt"))]
    })
    .forever()
}

/// A home in which the dispatcher finds the agent.
struct Machine {
    world: World,
    env: Vec<(String, String)>,
}

impl Machine {
    fn new(world: World, model: &Model) -> Self {
        let bin = world.sandbox.home().join("bin");
        world.installed.link_into(&bin, &model.url());
        world.sandbox.prepare(world.agent());
        world.sandbox.prepare_further(world.agent(), &model.url());
        let mut env: Vec<(String, String)> =
            world.sandbox.agent_env(world.agent(), &model.url()).into_iter().collect();
        let path = std::env::var("PATH").unwrap();
        env.push(("PATH".to_owned(), format!("{}:{path}", bin.display())));
        Self { world, env }
    }

    fn sprag(&self, args: &[&str]) -> Cmd {
        sprag(&self.world.sandbox, args.iter().copied())
            .envs(self.env.clone())
            .timeout(Duration::from_secs(900))
    }

    fn create_tasks(&self) -> BTreeMap<&'static str, String> {
        let mut ids: BTreeMap<&str, String> = BTreeMap::new();
        for (name, after) in TASKS {
            let title = format!("Write {name}");
            let mut args = vec!["task", "add", &title, "--json"];
            for before in after {
                args.extend(["--after", ids[before].as_str()]);
            }
            let made = self.sprag(&args).run().ok().json();
            ids.insert(name, made["id"].as_str().unwrap().to_owned());
        }
        ids
    }
}

fn in_worktree(sandbox: &Sandbox, branch: &str, file: &str) -> String {
    let out = sandbox.cmd("git").args(["show", &format!("{branch}:{file}")]).run().ok();
    out.stdout
}

fn attempts(report: &Value) -> Vec<&Value> {
    report["attempts"].as_array().unwrap().iter().collect()
}

/// Each task was done once, after those it waits for, with their work in its branch.
fn assert_done_in_order(machine: &Machine, report: &Value) {
    let all = attempts(report);
    let done: BTreeMap<&str, &Value> = all
        .iter()
        .filter(|one| one["state"] == "done")
        .map(|one| (one["title"].as_str().unwrap().trim_start_matches("Write "), *one))
        .collect();
    assert_eq!(done.len(), 7, "{report:#}");
    assert_eq!(report["left"], json!([]), "{report:#}");
    for (name, after) in TASKS {
        let one = done[name];
        let branch = one["branch"].as_str().unwrap();
        let sandbox = &machine.world.sandbox;
        assert_eq!(in_worktree(sandbox, branch, &format!("{name}.txt")), format!("{name}\n"), "written once");
        let seen = in_worktree(sandbox, branch, &format!("seen-{name}.txt"));
        for before in after {
            assert!(seen.contains(&format!("{before}.txt")), "{name} began without {before}: {seen}");
            assert!(one["started"].as_str() >= done[before]["ended"].as_str());
        }
        assert_eq!(one["result"], format!("{name} is written"));
        assert!(one["output_tokens"].as_i64().unwrap() > 0, "{one:#}");
        assert!(Path::new(one["log"].as_str().unwrap()).exists());
    }
}

fn seven_tasks(agent: Agent) {
    let model = Model::start([writes(agent, String::new())]);
    let Some(world) = World::deployed(agent, SWARM, &[]) else { return };
    let machine = Machine::new(world, &model);
    machine.create_tasks();
    let ready = machine.sprag(&["task", "ready", "--json"]).run().ok().json();
    assert_eq!(ready["tasks"].as_array().unwrap().len(), 3);
    let report = machine
        .sprag(&["team", "run", "--agent", agent.name(), "--parallel", "3", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(attempts(&report).len(), 7, "no attempt was wasted: {report:#}");
    assert_done_in_order(&machine, &report);
    let told = model.requests().iter().map(sprag_testkit::Request::told).collect::<Vec<_>>();
    assert!(
        told.iter().any(|told| told.contains("You work on this task")),
        "sprag told the agents their tasks"
    );
    let claims = machine.sprag(&["claims", "list", "--json"]).run().ok().json();
    let _ = machine.sprag(&["worker", "--once"]).run().ok();
    let after = machine.sprag(&["claims", "list", "--json"]).run().ok().json();
    assert_eq!(after["claims"], json!([]), "before the worker: {claims:#}");
    let again = machine.sprag(&["team", "run", "--agent", agent.name(), "--json"]).run().ok().json();
    assert_eq!(again["attempts"], json!([]), "nothing is left to do");
    let checkout = machine.world.sandbox.cmd("git").args(["status", "--porcelain"]).run().ok();
    assert_eq!(checkout.stdout, "", "the checkout is as it was");
}

#[test]
fn claude_works_off_seven_tasks_in_worktrees() {
    seven_tasks(Agent::Claude);
}

#[test]
fn codex_works_off_seven_tasks_in_worktrees() {
    seven_tasks(Agent::Codex);
}

#[test]
fn gemini_works_off_seven_tasks_in_worktrees() {
    seven_tasks(Agent::Gemini);
}

#[test]
fn qwen_works_off_seven_tasks_in_worktrees() {
    seven_tasks(Agent::Qwen);
}

/// A task for one of the further agents, with its own headless mode.
fn one_task(agent: Agent) {
    let model = Model::start([writes(agent, String::new())]);
    let Some(world) = World::deployed(agent, SWARM, &[]) else { return };
    let machine = Machine::new(world, &model);
    let _ = machine.sprag(&["task", "add", "Write heron"]).run().ok();
    let run = machine.sprag(&["team", "run", "--agent", agent.name(), "--attempts", "1", "--json"]).run();
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let all = report["attempts"].as_array().cloned().unwrap_or_default();
    assert_eq!(all.len(), 1, "{agent:?}: {} {}", run.stdout, run.stderr);
    let log = std::fs::read_to_string(all[0]["log"].as_str().unwrap_or_default()).unwrap_or_default();
    assert_eq!(all[0]["state"], "done", "{agent:?}: {report:#}\n{log}");
    let branch = all[0]["branch"].as_str().unwrap();
    assert_eq!(
        in_worktree(&machine.world.sandbox, branch, "heron.txt"),
        "heron\n",
        "{agent:?}: written once"
    );
    assert!(all[0]["result"].as_str().unwrap().contains("heron is written"), "{agent:?}: {report:#}\n{log}");
    let events = machine.world.events("PreToolUse");
    assert!(!events.is_empty(), "{agent:?}: sprag's guards saw its call");
}

#[test]
fn copilot_does_a_task() {
    one_task(Agent::Copilot);
}

#[test]
fn opencode_does_a_task() {
    one_task(Agent::Opencode);
}

#[test]
fn grok_does_a_task() {
    one_task(Agent::Grok);
}

#[test]
fn kimi_does_a_task() {
    one_task(Agent::Kimi);
}

#[test]
fn cline_does_a_task() {
    one_task(Agent::Cline);
}

#[test]
fn droid_does_a_task() {
    one_task(Agent::Droid);
}

#[test]
fn kilo_does_a_task() {
    one_task(Agent::Kilo);
}

#[test]
fn hermes_does_a_task() {
    one_task(Agent::Hermes);
}

#[test]
fn pi_does_a_task() {
    one_task(Agent::Pi);
}

#[test]
fn auggie_does_a_task() {
    one_task(Agent::Auggie);
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !done() {
        assert!(Instant::now() < end, "not seen: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Two machines: homes of their own, checkouts of one repository, one server.
fn two_machines(agent: Agent) {
    let Some(server) = testing::server() else { return };
    let config = format!("{SWARM}[store]\nurl = \"{}\"\nbudget_ms = 20000\n", server.database());
    let gate = tempfile_folder();
    // The agents of the dispatcher that will be killed wait at the gate until the other one is done.
    let hold = |open: bool| {
        if open { String::new() } else { at_gate(&gate) }
    };
    let (near_model, far_model) =
        (Model::start([writes(agent, hold(false))]), Model::start([writes(agent, hold(true))]));
    let Some(near) = World::deployed(agent, &config, &[]) else { return };
    let Some(far) = World::deployed(agent, &config, &[]) else { return };
    for world in [&near, &far] {
        let remote = ["remote", "add", "origin", "https://git.example/dev/shop.git"];
        let _ = world.sandbox.cmd("git").args(remote).run().ok();
    }
    let (near, far) = (Machine::new(near, &near_model), Machine::new(far, &far_model));
    let _ = near.sprag(&["store", "migrate"]).run().ok();
    near.create_tasks();
    let run = [
        "team",
        "run",
        "--agent",
        agent.name(),
        "--parallel",
        "2",
        "--lease",
        "4",
        "--attempts",
        "3",
        "--json",
    ];
    let killed = near.sprag(&run).spawn();
    wait_until("an agent at the gate", || gate.join("held").exists());
    let survivor = far.sprag(&run).spawn();
    wait_until("both at work", || far_model.requests().len() > 1);
    kill(killed.pid());
    let _ = killed.wait();
    let report = survivor.wait().ok().json();
    let lost = attempts_of(&far, "lost");
    assert!(!lost.is_empty(), "{report:#}");
    let tasks = far.sprag(&["task", "list", "--all", "--json"]).run().ok().json();
    let states: Vec<&str> =
        tasks["tasks"].as_array().unwrap().iter().map(|task| task["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["done"; 7], "{tasks:#}");
    let done = attempts_of(&far, "done");
    let names: BTreeSet<&str> = done.iter().map(|one| one["task"].as_str().unwrap()).collect();
    assert_eq!((done.len(), names.len()), (7, 7), "each exactly once: {done:#?}");
    assert_eq!(report["left"], json!([]));
    // What the lost agents do now does not count, and they end by themselves.
    std::fs::write(gate.join("open"), "").unwrap();
    wait_until("no claim is left", || {
        // Each machine knows which of its own agents are gone.
        let _ = near.sprag(&["claims", "list"]).run();
        far.sprag(&["claims", "list", "--json"]).run().ok().json()["claims"] == json!([])
    });
    assert_eq!(attempts_of(&far, "done"), done, "late words change nothing");
    let _ = std::fs::remove_dir_all(gate);
}

fn attempts_of(machine: &Machine, state: &str) -> Vec<Value> {
    let report = machine.sprag(&["team", "report", "--json"]).run().ok().json();
    attempts(&report).into_iter().filter(|one| one["state"] == state).cloned().collect()
}

fn tempfile_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("sprag-gate-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A command that waits until the gate is open. In a script: the agent allows its own commands no files outside of the project.
fn at_gate(gate: &Path) -> String {
    let script = gate.join("wait.sh");
    let wait = format!("touch {0}/held\nwhile [ ! -e {0}/open ]; do sleep 0.1; done\n", gate.display());
    std::fs::write(&script, wait).unwrap();
    format!("sh {}; ", script.display())
}

/// Ends a process as a power cut would.
fn kill(pid: u32) {
    let _ = Cmd::new("kill").args(["-KILL", &pid.to_string()]).inherit_env().run().ok();
}

#[test]
fn when_one_of_two_machines_dies_the_other_does_every_task_exactly_once_with_claude() {
    two_machines(Agent::Claude);
}

#[test]
fn when_one_of_two_machines_dies_the_other_does_every_task_exactly_once_with_codex() {
    two_machines(Agent::Codex);
}

#[test]
fn an_agent_without_the_guards_is_not_started() {
    let model = Model::start([text("never")]);
    let Some(world) = World::new(Agent::Claude) else { return };
    world.config(SWARM);
    let machine = Machine::new(world, &model);
    machine.create_tasks();
    let refused = machine.sprag(&["team", "run", "--agent", "claude"]).run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("guards are not registered with Claude Code"), "{}", refused.stderr);
    assert!(refused.stderr.contains("sprag deploy"), "{}", refused.stderr);
    assert!(model.requests().is_empty());
}

#[test]
fn an_interrupted_dispatcher_ends_its_agents_and_leaves_the_task_to_the_next() {
    let gate = tempfile_folder();
    let held = at_gate(&gate);
    let model = Model::start([writes(Agent::Claude, held)]);
    let Some(world) = World::deployed(Agent::Claude, SWARM, &[]) else { return };
    let machine = Machine::new(world, &model);
    let made = machine.sprag(&["task", "add", "Write heron", "--json"]).run().ok().json();
    let run = machine.sprag(&["team", "run", "--agent", "claude", "--json"]).spawn();
    wait_until("the agent at the gate", || gate.join("held").exists());
    run.interrupt();
    let stopped = run.wait();
    assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
    let report = stopped.json();
    assert_eq!(attempts(&report)[0]["state"], "stopped", "{report:#}");
    // The next one is not held.
    model.replace([writes(Agent::Claude, String::new())]);
    let report = machine.sprag(&["team", "run", "--agent", "claude", "--json"]).run().ok().json();
    let all = attempts(&report);
    assert_eq!((all[0]["state"].as_str(), &all[0]["task"]), (Some("done"), &made["id"]), "{report:#}");
    assert_eq!(all[0]["number"], 2);
    let _ = std::fs::remove_dir_all(gate);
}

/// The seats of a run, each as an agent of its own: three jurors together.
#[test]
fn a_jury_of_separate_agents_comes_to_a_verdict() {
    let model = Model::start([Step::with(|body| {
        let vote = if body.to_string().contains("You are juror 2 of 3") { "reject" } else { "approve" };
        vec![text(format!("I read it.\nVOTE: {vote}"))]
    })
    .forever()]);
    let Some(world) = World::deployed(Agent::Claude, SWARM, &[]) else { return };
    let machine = Machine::new(world, &model);
    let start = ["pattern", "start", "jury", "--id", "cart", "--task", "may it be released?"];
    let _ = machine.sprag(&start).run().ok();
    let run = ["team", "run", "--agent", "claude", "--pattern", "cart", "--parallel", "3", "--json"];
    let report = machine.sprag(&run).run().ok().json();
    assert_eq!(report["complete"], json!(true), "{report:#}");
    let said = report["result"][0].as_str().unwrap();
    assert!(said.contains("All 3 jurors of `cart` have voted: approve 2, reject 1"), "{report:#}");
    assert_eq!(report["attempts"].as_array().unwrap().len(), 3, "{report:#}");
    assert!(model.requests().iter().any(|request| request.told().contains("may it be released?")));
    let again = machine.sprag(&run).run().ok().json();
    assert_eq!(again["attempts"], json!([]), "it is over: {again:#}");
}

/// Stages start one after another by themselves, each with the output of the one before.
#[test]
fn the_stages_of_a_pipeline_start_by_themselves() {
    let model = Model::start([Step::with(|body| {
        let said = body.to_string();
        let seen = said.contains("THE-SPEC-OF-STAGE-ONE");
        let answer =
            match (said.contains("You are stage 1 of 2"), said.contains("You are stage 2 of 2"), seen) {
                (_, true, true) => "the result, by the spec",
                (_, true, false) => "nobody gave me a spec",
                _ => "THE-SPEC-OF-STAGE-ONE",
            };
        vec![text(answer)]
    })
    .forever()]);
    let Some(world) = World::deployed(Agent::Codex, SWARM, &[]) else { return };
    let machine = Machine::new(world, &model);
    let start =
        ["pattern", "start", "pipeline", "--id", "line", "--seat", "write the spec", "--seat", "build it"];
    let _ = machine.sprag(&start).run().ok();
    let run = ["team", "run", "--agent", "codex", "--pattern", "line", "--json"];
    let report = machine.sprag(&run).run().ok().json();
    assert_eq!(report["complete"], json!(true), "{report:#}");
    assert!(report["result"].to_string().contains("the result, by the spec"), "{report:#}");
    let refused = machine.sprag(&["team", "run", "--agent", "codex", "--pattern", "nobody"]).run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("no run `nobody`"), "{}", refused.stderr);
}
