//! What sprag can do in each agent: a row is a behaviour, a column an agent, a cell is shown with the real one.
//! The table in `docs/agents.md` is this one; `UPDATE_DOCS=1` rewrites it.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs};

use serde_json::{Value, json};
use sprag_e2e::{World, answer, block, context, delegating, permission, rewrite};
use sprag_testkit::{Agent, Outcome, Request, Run, Step, require, text, tool};

/// What is expected of a cell.
#[derive(Clone, Copy)]
enum Cell {
    /// As in every other agent.
    Works,
    /// The agent cannot; sprag does something else that serves the same end.
    Instead(&'static str),
    /// It does not happen, and the proof.
    Cannot(&'static str, Proof),
}

/// What shows that it is the agent, and that it is said aloud.
#[derive(Clone, Copy)]
enum Proof {
    /// The journal's line of this event names it as lost.
    Lost(&'static str, &'static str),
    /// The agent never sends this event.
    NoEvent(&'static str),
}

/// What was seen in one cell.
struct CellOutcome {
    world: World,
    works: bool,
    instead: bool,
    about: String,
}

impl CellOutcome {
    fn new(world: World, works: bool, instead: bool, outcome: &Outcome) -> Self {
        let requests: Vec<String> = outcome.main().iter().map(|request| last_of(request)).collect();
        let about = format!("{requests:#?}\n{}\n{}", outcome.stdout, outcome.stderr);
        Self { world, works, instead, about }
    }
}

/// The end of what a request says: the system prompt is long and the same.
fn last_of(request: &Request) -> String {
    let told = request.told();
    let skip = told.chars().count().saturating_sub(600);
    told.chars().skip(skip).collect()
}

struct Row {
    name: &'static str,
    title: &'static str,
    show: fn(Agent) -> Option<CellOutcome>,
    /// In the order of [`Agent::ALL`].
    cells: [Cell; 4],
}

#[track_caller]
fn check(name: &str, agent: Agent) {
    let row = TABLE.iter().find(|row| row.name == name).unwrap();
    let column = Agent::ALL.iter().position(|known| *known == agent).unwrap();
    let Some(seen) = (row.show)(agent) else { return };
    let about = || format!("{} in {}: {:#?}\n{}", row.title, agent.name(), seen.world.journal(), seen.about);
    match row.cells[column] {
        Cell::Works => assert!(seen.works, "does not work: {}", about()),
        Cell::Instead(what) => {
            assert!(!seen.works, "works now, the table says `{what}`: {}", about());
            assert!(seen.instead, "not even `{what}`: {}", about());
        }
        Cell::Cannot(why, proof) => {
            assert!(!seen.works && !seen.instead, "works now, the table says `{why}`: {}", about());
            match proof {
                Proof::Lost(event, word) => {
                    let lines = seen.world.events(event);
                    assert!(!lines.is_empty() && lines.iter().all(|line| loses(line, word)), "{}", about());
                }
                Proof::NoEvent(event) => assert!(seen.world.events(event).is_empty(), "{}", about()),
            }
        }
    }
}

fn loses(entry: &Value, word: &str) -> bool {
    entry["lost"].as_array().is_some_and(|lost| lost.iter().any(|lost| lost == word))
}

/// The same hooks for every agent, and one more of the test's own on one event.
fn world(agent: Agent, event: &str, hook: &str) -> Option<World> {
    let config = format!("version = 1\npreset = \"minimal\"\n[hooks.{event}]\nappend = [\"mine\"]\n");
    World::deployed(agent, &config, &[("mine", hook)])
}

/// The agent as a user starts it: two of them then start themselves once more, and sprag is one process deeper.
fn as_users_do<'a>(world: &'a World, prompt: &str) -> Run<'a> {
    world.say(prompt).env("GEMINI_CLI_NO_RELAUNCH", "").env("QWEN_CODE_NO_RELAUNCH", "")
}

/// One turn with one shell call.
fn turn(world: &World, command: &str) -> Outcome {
    world.say("please").step(world.agent().shell(command)).step(text("done")).go().ok()
}

fn count(request: &Request, needle: &str) -> usize {
    request.told().matches(needle).count()
}

fn exists(world: &World, name: &str) -> bool {
    world.sandbox.project().join(name).exists()
}

/// The only journal line of an event loses this.
fn lost(world: &World, event: &str, word: &str) -> bool {
    world.events(event).iter().any(|line| loses(line, word))
}

fn session_start_context(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "session_start", "echo A-NOTE")?;
    let outcome = turn(&world, "true");
    let works = count(outcome.request(0), "A-NOTE") == 1;
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn prompt_context(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "user_prompt_submit", "echo A-NOTE")?;
    let outcome = turn(&world, "true");
    let works = outcome.main().iter().all(|request| count(request, "A-NOTE") == 1);
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn prompt_block(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "user_prompt_submit", &answer(&block("NOT-THIS")))?;
    let outcome = world.say("please").step(text("done")).go();
    let works = outcome.main().is_empty() && world.event("UserPromptSubmit")["verdict"] == "block";
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn deny(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "pre_tool_use", &answer(&permission("deny", "NOT-THIS")))?;
    let outcome = turn(&world, "touch ran");
    let works = !exists(&world, "ran") && outcome.tool_results()[0].text.contains("NOT-THIS");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn ask(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "pre_tool_use", &answer(&permission("ask", "ARE-YOU-SURE")))?;
    let outcome = as_users_do(&world, "please").step(agent.shell("touch ran")).step(text("done")).go().ok();
    // Nobody is there to answer, so nothing may run; whether the agent or sprag sees to that is in the journal.
    let stopped = !exists(&world, "ran") && outcome.tool_results()[0].text.contains("ARE-YOU-SURE");
    let by_sprag = lost(&world, "PreToolUse", "ask");
    Some(CellOutcome::new(world, stopped && !by_sprag, stopped && by_sprag, &outcome))
}

fn rewritten(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "pre_tool_use", &answer(&rewrite("touch changed")))?;
    let outcome = turn(&world, "touch ran");
    let works = exists(&world, "changed") && !exists(&world, "ran");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn context_before_a_tool(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "pre_tool_use", &answer(&context("PreToolUse", "A-NOTE")))?;
    let outcome = turn(&world, "true");
    let arrived = count(outcome.request(0), "A-NOTE") == 0 && count(outcome.request(1), "A-NOTE") == 1;
    let waited = lost(&world, "PreToolUse", "context waits");
    Some(CellOutcome::new(world, arrived && !waited, arrived && waited, &outcome))
}

fn context_after_a_tool(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "post_tool_use", &answer(&context("PostToolUse", "A-NOTE")))?;
    let outcome = turn(&world, "true");
    let works = count(outcome.request(0), "A-NOTE") == 0 && count(outcome.request(1), "A-NOTE") == 1;
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn output_replaced(agent: Agent) -> Option<CellOutcome> {
    let gone = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "[GONE]"}});
    let world = world(agent, "post_tool_use", &answer(&gone))?;
    let outcome = turn(&world, "expr 40000 + 2222");
    let works = outcome.tool_results()[0].text.contains("[GONE]") && !outcome.reaches_model("42222");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn block_after_a_tool(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "post_tool_use", &answer(&block("LOOK-AGAIN")))?;
    let outcome = turn(&world, "expr 40000 + 2222");
    let last = outcome.request(1);
    let works = count(last, "LOOK-AGAIN") == 1 && outcome.tool_results()[0].text.contains("42222");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn stop_block(agent: Agent) -> Option<CellOutcome> {
    let once = format!(
        "if grep -q '\"stop_hook_active\":true'; then exit 0; fi\n{}",
        answer(&block("ONE-MORE-THING"))
    );
    let world = world(agent, "session_stop", &once)?;
    let outcome = world.say("please").step(text("first")).step(text("second")).go().ok();
    let verdicts: Vec<Value> = world.events("Stop").iter().map(|line| line["verdict"].clone()).collect();
    let works = outcome.main().len() == 2
        && outcome.request(1).told().contains("ONE-MORE-THING")
        && verdicts == ["block", "pass"];
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn subagent_context(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "subagent_start", "echo A-NOTE")?;
    let run = world.say("ASK-SOMEBODY-ELSE");
    // The subagent calls a tool once.
    let delegate = |name: &str, more: Value| {
        let mut args = json!({"description": "a look", "prompt": "COUNT-THE-HERONS"});
        for (key, value) in more.as_object().unwrap() {
            args[key] = value.clone();
        }
        tool(name, args)
    };
    let kind = json!({"subagent_type": "general-purpose", "run_in_background": false});
    let run = match agent {
        Agent::Claude => run.step(delegate("Agent", kind)),
        Agent::Qwen => run.step(delegate("agent", kind)),
        Agent::Gemini => run.step(delegate("invoke_agent", json!({"agent_name": "generalist"}))),
        Agent::Codex => delegating(run, "COUNT-THE-HERONS"),
        other => unreachable!("{other:?} is in the other table"),
    };
    let outcome = run.step(agent.shell("echo heron")).step(text("two herons")).step(text("done")).go().ok();
    let of_subagent = |request: &&Request| match agent {
        Agent::Codex => request.headers.contains_key("x-openai-subagent"),
        _ => !request.told().contains("ASK-SOMEBODY-ELSE"),
    };
    let (sub, main): (Vec<&Request>, Vec<&Request>) = outcome.main().into_iter().partition(of_subagent);
    assert!(!sub.is_empty(), "no subagent started: {:?}", outcome.tool_results());
    let only_there = main.iter().all(|request| count(request, "A-NOTE") == 0);
    let at_once = only_there && count(sub[0], "A-NOTE") == 1;
    let later = only_there && sub.len() > 1 && count(sub[0], "A-NOTE") == 0 && count(sub[1], "A-NOTE") == 1;
    Some(CellOutcome::new(world, at_once, later, &outcome))
}

fn compaction_text(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "pre_compact", "echo A-NOTE")?;
    let summary = text("<analysis>x</analysis><summary>THE-SUMMARY</summary>");
    let outcome = if agent == Agent::Codex {
        let full = Step::from(agent.shell("echo heron")).input_tokens(400_000);
        world.say("look around").step(full).step(text("seen")).aux(summary).go()
    } else {
        let _ = world.say("tell me about herons").step(text("they wade")).go().ok();
        let command = if agent == Agent::Claude { "/compact" } else { "/compress" };
        world.say(command).resume().step(summary.clone()).aux(summary).go()
    };
    // Claude Code offers its tools to the summariser too.
    let summarisers = if agent == Agent::Claude { outcome.main() } else { outcome.aux() };
    assert!(!summarisers.is_empty(), "nothing was compacted: {outcome:?}");
    let told = summarisers[0].told().contains("A-NOTE");
    let after = outcome
        .main()
        .last()
        .is_some_and(|request| request.told().contains("THE-SUMMARY") && count(request, "A-NOTE") == 1);
    Some(CellOutcome::new(world, told, !told && after, &outcome))
}

fn session_end(agent: Agent) -> Option<CellOutcome> {
    let world = world(agent, "session_end", "cat >end.json")?;
    let outcome = world.say("hello").step(text("bye")).go().ok();
    let works = exists(&world, "end.json") && world.events("SessionEnd").len() == 1;
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn session_end_work(agent: Agent) -> Option<CellOutcome> {
    let config = "version = 1\n[hooks.session_end]\nappend = [\"late\"]\n[hook.late]\nbackground = true\n";
    let late = "cat go >/dev/null; echo finished >done";
    let world = World::deployed(agent, config, &[("late", late)])?;
    let (go, done) = (world.pipe("go"), world.pipe("done"));
    let outcome = as_users_do(&world, "hello").step(text("bye")).go().ok();
    if world.events("SessionEnd").is_empty() {
        return Some(CellOutcome::new(world, false, false, &outcome));
    }
    // The agent is gone; only now may the work begin.
    let (send, finished) = mpsc::channel();
    std::thread::spawn(move || {
        fs::write(go, "now").unwrap();
        let _ = send.send(fs::read_to_string(done).unwrap());
    });
    let works = finished.recv_timeout(Duration::from_secs(30)).is_ok_and(|said| said == "finished\n");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn own_hook(agent: Agent) -> Option<CellOutcome> {
    // As for Claude Code: its event and tool names on standard input, exit code 2 and a reason on standard error.
    let own = r#"payload=$(cat)
        for part in '"hook_event_name":"PreToolUse"' '"tool_name":"Bash"' '"command":"touch ran"'; do
            case $payload in *"$part"*) ;; *) exit 0 ;; esac
        done
        echo "NOT-IN-$SPRAG_AGENT" >&2
        exit 2"#;
    let config = "version = 1\npreset = \"minimal\"\n[hooks.pre_tool_use]\nappend = [\"mine\"]\n\
         [hook.mine]\nmatcher = \"Bash\"\n";
    let world = World::deployed(agent, config, &[("mine", own)])?;
    let outcome = turn(&world, "touch ran");
    let reason = format!("NOT-IN-{}", agent.name());
    let works = !exists(&world, "ran") && outcome.tool_results()[0].text.contains(&reason);
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn file_edits(agent: Agent) -> Option<CellOutcome> {
    let config = "version = 1\npreset = \"minimal\"\n[hooks.pre_tool_use]\nappend = [\"mine\"]\n\
         [hook.mine]\nmatcher = \"Write|Edit\"\n";
    let world = World::deployed(agent, config, &[("mine", &answer(&permission("deny", "NOT-THIS")))])?;
    let path = world.sandbox.project().join("new.txt");
    let write = agent.write(&path);
    let outcome = world.say("please").step(agent.shell("touch ran")).step(write).step(text("done")).go().ok();
    let results = outcome.tool_results();
    let works = exists(&world, "ran") && !path.exists() && results[1].text.contains("NOT-THIS");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn loop_stopped(agent: Agent) -> Option<CellOutcome> {
    let config = "version = 1\n[hook.tool-loop]\nwarn_at = 2\nblock_at = 3\n";
    let world = World::deployed(agent, config, &[])?;
    let same = || Step::from(agent.shell("echo x >>ran"));
    let outcome = world.say("please").script((0..3).map(|_| same())).step(text("done")).go().ok();
    let results = outcome.tool_results();
    let works = world.sandbox.read("ran") == "x\nx\n" && results[2].text.contains("the same call 3 times");
    Some(CellOutcome::new(world, works, false, &outcome))
}

fn shell_variables(agent: Agent) -> Option<CellOutcome> {
    let config = "version = 1\n[hook.session-init]\nproject_type = \"birdhouse\"\n";
    let world = World::deployed(agent, config, &[])?;
    let outcome = turn(&world, "echo \"type=$SPRAG_PROJECT_TYPE.\"");
    let works = outcome.tool_results()[0].text.contains("type=birdhouse.");
    let told = outcome.request(0).told().contains("Project: birdhouse");
    let instead = told && !works && lost(&world, "SessionStart", "env");
    Some(CellOutcome::new(world, works, instead, &outcome))
}

const TOLD_INSTEAD: Cell = Cell::Instead("the model is told the same in one line");
const WAITS: Cell = Cell::Instead("it comes with the result of the call");
const ONLY_INTERACTIVE: Cell = Cell::Cannot(
    "the agent sends it only when a person leaves or clears an interactive session",
    Proof::NoEvent("SessionEnd"),
);

/// The table and a test per cell, so that a failure has the cell's name.
macro_rules! table {
    ($($name:ident $title:literal [$($cell:expr),+ $(,)?];)+) => {
        static TABLE: &[Row] = &[$(
            Row { name: stringify!($name), title: $title, show: $name, cells: [$($cell),+] },
        )+];
        table!(@ claude Claude $($name)+);
        table!(@ codex Codex $($name)+);
        table!(@ gemini Gemini $($name)+);
        table!(@ qwen Qwen $($name)+);
    };
    (@ $column:ident $agent:ident $($name:ident)+) => {
        mod $column {
            $(
                #[test]
                fn $name() {
                    super::check(stringify!($name), sprag_testkit::Agent::$agent);
                }
            )+
        }
    };
}

use Cell::{Cannot, Instead, Works};

table! {
    session_start_context "context at the start of a session reaches the model"
        [Works, Works, Works, Works];
    prompt_context "context with a prompt reaches the model, once"
        [Works, Works, Works, Works];
    prompt_block "a blocked prompt never reaches the model"
        [Works, Works, Works, Works];
    deny "a denied tool does not run, and the model learns why"
        [Works, Works, Works, Works];
    ask "`ask` runs nothing when nobody can answer, and the model learns why"
        [
            Instead("in a run for one prompt nobody can be asked: deny or pass (`[agents] ask_fallback`)"),
            Instead("it cannot prompt: deny or pass (`[agents] ask_fallback`)"),
            Instead("in a run for one prompt it would wait forever: deny or pass (`[agents] ask_fallback`)"),
            Works,
        ];
    rewritten "a rewritten input is what runs"
        [
            Works,
            Works,
            Works,
            Cannot("the agent runs the input as it was", Proof::Lost("PreToolUse", "rewrite")),
        ];
    context_before_a_tool "context from before a tool reaches the model"
        [Works, Works, WAITS, WAITS];
    context_after_a_tool "context from after a tool reaches the model"
        [Works, Works, Works, Works];
    output_replaced "a replaced output is all that the model sees"
        [Works, Works, Works, Works];
    block_after_a_tool "a block after a tool reaches the model, and the result stays"
        [Works, Works, Works, Works];
    stop_block "a blocked stop continues the turn, once"
        [Works, Works, Works, Works];
    subagent_context "context for a subagent is in its first request, and in no other agent's"
        [
            Works,
            Works,
            Cannot("the agent has no such event", Proof::NoEvent("SubagentStart")),
            Instead("it comes with the result of the subagent's first tool call"),
        ];
    compaction_text "text before a compaction reaches the summariser"
        [
            Works,
            Instead("it is in the conversation after the compaction"),
            Cannot("the agent shows it to the user only", Proof::Lost("PreCompact", "context")),
            Works,
        ];
    session_end "the end of a session is seen"
        [Works, Works, Works, ONLY_INTERACTIVE];
    session_end_work "work from the end of a session survives the agent's exit"
        [Works, Works, Works, ONLY_INTERACTIVE];
    own_hook "an own hook for Claude Code's format, with its names and exit codes, works unchanged"
        [Works, Works, Works, Works];
    file_edits "a hook on `Write|Edit` sees the agent's own tools that write files"
        [Works, Works, Works, Works];
    loop_stopped "tool-loop stops calls in a loop"
        [Works, Works, Works, Works];
    shell_variables "variables for the agent's shell are set"
        [Works, TOLD_INSTEAD, TOLD_INSTEAD, TOLD_INSTEAD];
}

const BEGIN: &str = "<!-- from the tests: begin -->\n";
const END: &str = "<!-- from the tests: end -->\n";
const SEEN: &str = "Seen with ";

/// The part of the page that is this table. `versions` is the line that says what it was seen with.
fn page(versions: &str) -> String {
    let mut out =
        format!("{versions}\n\n| | Claude Code | Codex | Gemini CLI | Qwen Code |\n|---|---|---|---|---|\n");
    for row in TABLE {
        let cells = row.cells.map(|cell| match cell {
            Works => "yes".to_owned(),
            Instead(what) => format!("instead: {what}"),
            Cannot(why, _) => format!("**no**: {why}"),
        });
        let cells: Vec<String> = [row.title.to_owned()].into_iter().chain(cells).collect();
        let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", escaped.join(" | ")).unwrap();
    }
    out
}

#[test]
fn the_page_is_in_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
    let old = fs::read_to_string(&path).unwrap();
    let (before, rest) = old.split_once(BEGIN).unwrap();
    let (part, after) = rest.split_once(END).unwrap();
    if env::var("UPDATE_DOCS").is_ok_and(|value| value == "1") {
        let titles = ["Claude Code", "Codex", "Gemini CLI", "Qwen Code"];
        let all = Agent::ALL.into_iter().zip(titles);
        let versions: Vec<String> =
            all.map(|(agent, title)| format!("{title} {}", require(agent).unwrap().version())).collect();
        let new = page(&format!("{SEEN}{}. Last run: {}.", versions.join(", "), crate::more::today()));
        fs::write(&path, format!("{before}{BEGIN}{new}{END}{after}")).unwrap();
        return;
    }
    // A newer version that behaves the same is no reason to fail: the line is taken as it stands.
    let versions = part.lines().next().filter(|line| line.starts_with(SEEN)).unwrap_or_default();
    assert!(part == page(versions), "docs/agents.md is out of step: run with UPDATE_DOCS=1");
}
