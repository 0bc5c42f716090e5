//! The further agents: one run of each shows what sprag can do there. The second table of `docs/agents.md` is this one;
//! `UPDATE_DOCS=1` rewrites it.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use sprag_e2e::{World, answer, block, permission};
use sprag_protocol::agents::{AGENTS, AgentSpec};
use sprag_protocol::dialect::{ContextWay, Row as Answered, StopWay};
use sprag_protocol::{AgentId, EventKind};
use sprag_testkit::{Agent, Outcome, Step, text};

/// What is expected of a cell.
#[derive(Clone, Copy)]
enum Cell {
    /// As in every other agent.
    Works,
    /// The agent cannot; sprag does something else that serves the same end.
    Instead(&'static str),
    /// It does not happen, and why.
    Cannot(&'static str),
}

use Cell::{Cannot, Instead, Works};

/// What one run showed of a behaviour: it works, something else happens, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Yes,
    Later,
    No,
}

fn seen(works: bool, later: bool) -> Seen {
    if works {
        Seen::Yes
    } else if later {
        Seen::Later
    } else {
        Seen::No
    }
}

/// The hooks: what each does depends on the call, so that one run shows all of it.
const BEFORE: &str = r#"payload=$(cat)
case $payload in
  *'touch denied'*) echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"NOT-THIS"}}' ;;
  *'touch ran'*) echo '{"hookSpecificOutput":{"updatedInput":{"command":"touch changed","description":"a test","summary":"a test"}}}' ;;
  *'40000 + 2222'*) echo '{"hookSpecificOutput":{"additionalContext":"NOTE-BEFORE"}}' ;;
esac
"#;
const AFTER: &str = r#"payload=$(cat)
case $payload in
  *42222*) echo '{"hookSpecificOutput":{"updatedToolOutput":"[GONE]","additionalContext":"NOTE-AFTER"}}' ;;
esac
"#;
const CONFIG: &str = "version = 1\npreset = \"minimal\"\n\
    [hooks.session_start]\nappend = [\"start\"]\n[hooks.user_prompt_submit]\nappend = [\"prompt\"]\n\
    [hooks.pre_tool_use]\nappend = [\"before\", \"files\"]\n[hook.files]\nmatcher = \"Write|Edit\"\n\
    [hooks.post_tool_use]\nappend = [\"after\"]\n[hooks.session_stop]\nappend = [\"stop\"]\n\
    [hooks.session_end]\nappend = [\"end\"]\n";

/// One run of an agent with all of it.
fn run(agent: Agent) -> Option<(World, Outcome)> {
    let once = format!(
        "if grep -q '\"stop_hook_active\":true'; then exit 0; fi\n{}",
        answer(&block("ONE-MORE-THING"))
    );
    let files = answer(&permission("deny", "NOT-THIS-FILE"));
    let world = World::deployed(
        agent,
        CONFIG,
        &[
            ("start", "echo NOTE-START"),
            ("prompt", "echo NOTE-PROMPT"),
            ("before", BEFORE),
            ("files", &files),
            ("after", AFTER),
            ("stop", &once),
            ("end", "cat >end.json"),
        ],
    )?;
    let path = world.sandbox.project().join("new.txt");
    let outcome = world
        .say("do it please")
        .step(agent.shell("touch denied"))
        .step(agent.shell("touch ran"))
        .step(agent.shell("expr 40000 + 2222"))
        .step(agent.write(&path))
        .step(text("first"))
        .step(Step::from(text("second")).forever())
        .go();
    Some((world, outcome))
}

fn observe(world: &World, outcome: &Outcome) -> Vec<Seen> {
    let exists = |name: &str| world.sandbox.project().join(name).exists();
    let main = outcome.main();
    let first = main.first().map(|request| request.told()).unwrap_or_default();
    let last = main.last().map(|request| request.told()).unwrap_or_default();
    let results = main.last().map(|request| request.tool_results()).unwrap_or_default();
    let result = |i: usize| results.get(i).map(|result| result.text.clone()).unwrap_or_default();
    let told = |what: &str| last.contains(what);
    let output = result(2);
    vec![
        seen(first.contains("NOTE-START"), told("NOTE-START")),
        seen(first.contains("NOTE-PROMPT"), told("NOTE-PROMPT")),
        seen(!exists("denied") && told("NOT-THIS"), false),
        seen(exists("changed") && !exists("ran"), false),
        seen(told("NOTE-BEFORE"), false),
        seen(told("NOTE-AFTER"), false),
        seen(output.contains("[GONE]") && !output.contains("42222"), false),
        seen(!exists("new.txt") && told("NOT-THIS-FILE"), false),
        seen(told("ONE-MORE-THING"), false),
        seen(exists("end.json"), false),
    ]
}

struct Row {
    title: &'static str,
    /// In the order of [`Agent::MORE`].
    cells: [Cell; 11],
}

const WITH_A_CALL: Cell = Instead("it comes with the first tool call");
const WITH_A_PROMPT: Cell = Cannot("it comes with the next prompt");

const TAKES_NO_TEXT: Cell = Cannot("the agent takes no text");

static TABLE: [Row; 10] = [
    Row {
        title: "context at the start of a session reaches the model",
        cells: [
            Works, Works, WITH_A_CALL, Works, WITH_A_CALL, Works, Works, Works, Works, WITH_A_CALL,
            TAKES_NO_TEXT,
        ],
    },
    Row {
        title: "context with a prompt reaches the model",
        cells: [
            Works,
            Works,
            WITH_A_CALL,
            Works,
            Cannot("the agent sends no prompt in a run for one prompt"),
            Cannot("the agent sends no prompt in a run for one prompt"),
            Works,
            Works,
            Works,
            WITH_A_CALL,
            TAKES_NO_TEXT,
        ],
    },
    Row { title: "a denied tool does not run, and the model learns why", cells: [Works; 11] },
    Row {
        title: "a rewritten input is what runs",
        cells: [
            Works,
            Works,
            Works,
            Cannot("the agent runs the input as it was"),
            Works,
            Works,
            Works,
            Cannot("the agent runs the input as it was"),
            Works,
            Works,
            Cannot("the agent runs the input as it was"),
        ],
    },
    Row {
        title: "context from before a tool reaches the model with the call",
        cells: [
            Works, Works, Works, WITH_A_PROMPT, Works, Works, Works, WITH_A_PROMPT, Works, Works,
            TAKES_NO_TEXT,
        ],
    },
    Row {
        title: "context from after a tool reaches the model",
        cells: [
            Works, Works, Works, WITH_A_PROMPT, Works, Works, Works, WITH_A_PROMPT, Works, Works,
            TAKES_NO_TEXT,
        ],
    },
    Row {
        title: "a replaced output is all that the model sees",
        cells: [
            Works,
            Works,
            Works,
            Cannot("the agent keeps the output"),
            Cannot("the agent keeps the output"),
            Cannot("the agent keeps the output"),
            Works,
            Cannot("the agent keeps the output"),
            Works,
            Cannot("the agent keeps the output"),
            Cannot("the agent keeps the output"),
        ],
    },
    Row { title: "a hook on `Write|Edit` sees the agent's own tools that write files", cells: [Works; 11] },
    Row {
        title: "a blocked stop continues the turn, once",
        cells: [
            Works,
            Cannot("a run for one prompt ends; at a terminal the reason is the next prompt"),
            Works,
            Works,
            Cannot("the agent ends the task"),
            Works,
            Cannot("a run for one prompt ends; at a terminal the reason is the next prompt"),
            Cannot("the agent asks only after code was edited"),
            Works,
            Cannot("a run for one prompt ends"),
            Works,
        ],
    },
    Row {
        title: "the end of a session is seen",
        cells: [
            Works,
            Works,
            Works,
            Cannot("the agent does not send it after a run for one prompt"),
            Cannot("the agent sends it only when a task is cancelled"),
            Works,
            Works,
            Cannot("the agent does not send it after a run for one prompt"),
            Works,
            Works,
            Works,
        ],
    },
];

#[track_caller]
fn check(agent: Agent) {
    let column = Agent::MORE.iter().position(|known| *known == agent).unwrap();
    let Some((world, outcome)) = run(agent) else { return };
    let observed = observe(&world, &outcome);
    let mut wrong = String::new();
    for (row, seen) in TABLE.iter().zip(&observed) {
        let fits = match row.cells[column] {
            Works => *seen == Seen::Yes,
            Instead(_) => *seen == Seen::Later,
            Cannot(_) => *seen == Seen::No,
        };
        if !fits {
            writeln!(wrong, "{}: {seen:?}", row.title).unwrap();
        }
    }
    let requests: Vec<String> = outcome.main().iter().map(|request| tail(&request.told())).collect();
    let about =
        || format!("{wrong}\n{requests:#?}\n{:#?}\n{}\n{}", world.journal(), outcome.stdout, outcome.stderr);
    assert!(wrong.is_empty(), "{} differs from the table: {}", agent.name(), about());
    assert!(!outcome.timed_out, "{}", about());
    assert!(world.journal().iter().all(|line| line["agent"] == agent.name()), "{}", about());
    leaves_nothing(&world);
}

/// The end of what a request says: the system prompt is long and the same.
fn tail(told: &str) -> String {
    let skip = told.chars().count().saturating_sub(900);
    told.chars().skip(skip).collect()
}

/// Undeploy takes back what deploy wrote.
fn leaves_nothing(world: &World) {
    world.undeploy();
    let mut left: Vec<String> = Vec::new();
    let mut folders = vec![world.sandbox.home().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                if !matches!(name.as_str(), "sprag" | ".cache" | "sessions") {
                    folders.push(entry.path());
                }
            } else if name.contains("sprag") && !name.ends_with(".sprag-backup") {
                left.push(entry.path().display().to_string());
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

macro_rules! columns {
    ($($name:ident $agent:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(Agent::$agent);
            }
        )+
    };
}

columns! {
    copilot Copilot
    opencode Opencode
    grok Grok
    kimi Kimi
    cline Cline
    droid Droid
    kilo Kilo
    hermes Hermes
    pi Pi
    auggie Auggie
    goose Goose
}

/// Copilot CLI runs the hooks in Claude Code's file of a project too: sprag knows who calls, and answers once.
#[test]
fn copilot_reads_claude_codes_file() {
    let Some(world) = World::new(Agent::Copilot) else { return };
    world.config("version = 1\npreset = \"minimal\"\n[hooks.pre_tool_use]\nappend = [\"mine\"]\n");
    world.hook("mine", &answer(&permission("deny", "NOT-THIS")));
    let deploy = |args: &[&str]| {
        let _ = sprag_testkit::sprag(&world.sandbox, args.iter().copied()).run().ok();
    };
    deploy(&["deploy", "--agent", "claude", "--scope", "project"]);
    // A shared file starts the sprag of whoever works there.
    let bin = sprag_testkit::sprag_bin().parent().unwrap().display();
    let path = format!("{bin}:{}", env::var("PATH").unwrap());
    let turn = || {
        // Only this word trusts the folder too, whose hooks would not run.
        let run = world.say("do it please").env("COPILOT_ALLOW_ALL", "true").env("PATH", &path);
        run.step(Agent::Copilot.shell("touch denied")).step(text("done")).go().ok()
    };
    let outcome = turn();
    assert!(outcome.reaches_model("NOT-THIS"), "{:#?}", world.journal());
    assert!(world.journal().iter().all(|line| line["agent"] == "copilot"), "{:#?}", world.journal());
    let before = world.events("PreToolUse").len();
    deploy(&["deploy", "--agent", "copilot"]);
    let _ = turn();
    assert_eq!(world.events("PreToolUse").len(), before + 1, "both registrations answered");
}

const BEGIN: &str = "<!-- from the tests of the further agents: begin -->\n";
const END: &str = "<!-- from the tests of the further agents: end -->\n";
const CONTRACTS: [&str; 2] = ["<!-- from the contracts: begin -->\n", "<!-- from the contracts: end -->\n"];
const LAST: &str = "Last run: ";

/// A table of the page.
fn table(titles: &[&str], rows: impl Iterator<Item = (&'static str, Vec<String>)>) -> String {
    let mut out = format!("| | {} |\n|---|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
    for (title, cells) in rows {
        let cells: Vec<String> = [title.to_owned()].into_iter().chain(cells).collect();
        let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", escaped.join(" | ")).unwrap();
    }
    out
}

fn page(date: &str) -> String {
    let titles = Agent::MORE.map(|agent| AgentId::from_name(agent.name()).unwrap().title());
    let versions: Vec<String> =
        Agent::MORE.iter().zip(titles).map(|(agent, title)| format!("{title} {}", agent.pinned())).collect();
    let rows = TABLE.iter().map(|row| {
        let cells = row.cells.map(|cell| match cell {
            Works => "yes".to_owned(),
            Instead(what) => format!("instead: {what}"),
            Cannot(why) => format!("**no**: {why}"),
        });
        (row.title, cells.to_vec())
    });
    format!("One run each with {}.\n{LAST}{date}.\n\n{}", versions.join(", "), table(&titles, rows))
}

/// What the agents that were never run can do, by the tables of their dialects: the rows of the table above.
fn contracts() -> String {
    let specs: Vec<&AgentSpec> =
        AGENTS.into_iter().filter(|spec| !spec.was_run() && !spec.settings.files.is_empty()).collect();
    let titles: Vec<&str> = specs.iter().map(|spec| spec.title).collect();
    let yes = "not run";
    let text = |spec: &AgentSpec, kind: EventKind| match spec.dialect.row(kind) {
        Some(row) if row.context != ContextWay::Never => yes.to_owned(),
        Some(row) => match row.waits_for {
            Some(later) => format!("not run; it comes with the next {}", later.name()),
            None => "**no**: the agent takes no text".to_owned(),
        },
        None => "**no**: the agent has no such event".to_owned(),
    };
    let has = |spec: &AgentSpec, kind: EventKind, can: fn(&Answered) -> bool| match spec.dialect.row(kind) {
        Some(row) if can(row) => yes.to_owned(),
        Some(_) => "**no**: the agent reads no such answer".to_owned(),
        None => "**no**: the agent has no such event".to_owned(),
    };
    use EventKind::{PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop, UserPromptSubmit};
    let cells = |cell: &dyn Fn(&AgentSpec) -> String| specs.iter().map(|spec| cell(spec)).collect::<Vec<_>>();
    let of = [
        cells(&|spec| text(spec, SessionStart)),
        cells(&|spec| text(spec, UserPromptSubmit)),
        cells(&|spec| has(spec, PreToolUse, |row| row.stop != StopWay::Never)),
        cells(&|spec| has(spec, PreToolUse, |row| row.rewrite)),
        cells(&|spec| text(spec, PreToolUse)),
        cells(&|spec| text(spec, PostToolUse)),
        cells(&|spec| has(spec, PostToolUse, |row| row.output)),
        cells(&|spec| has(spec, PreToolUse, |row| row.stop != StopWay::Never)),
        cells(&|spec| has(spec, Stop, |row| row.stop != StopWay::Never)),
        cells(&|spec| has(spec, SessionEnd, |_| true)),
    ];
    table(&titles, TABLE.iter().map(|row| row.title).zip(of))
}

/// The text with this between the marks, and what was there.
fn with(text: &str, [begin, end]: [&str; 2], part: &str) -> (String, String) {
    let (before, rest) = text.split_once(begin).unwrap();
    let (old, after) = rest.split_once(end).unwrap();
    (format!("{before}{begin}{part}{end}{after}"), old.to_owned())
}

pub(crate) fn today() -> String {
    let date = std::process::Command::new("date").args(["-u", "+%F"]).output().unwrap().stdout;
    String::from_utf8(date).unwrap().trim().to_owned()
}

#[test]
fn the_page_is_in_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
    let old = fs::read_to_string(&path).unwrap();
    let update = env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    let before = old.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(LAST)?.1.split_once(".\n"));
    let today = today();
    let date = before.map_or(today.as_str(), |(date, _)| if update { today.as_str() } else { date });
    let (new, _) = with(&old, [BEGIN, END], &page(date));
    let (new, _) = with(&new, CONTRACTS, &contracts());
    if update {
        fs::write(&path, new).unwrap();
        return;
    }
    assert!(old == new, "docs/agents.md is out of step: run with UPDATE_DOCS=1");
}
