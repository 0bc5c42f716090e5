//! What the end-to-end tests share: a sandbox with sprag deployed for one real agent.
//! The tests are in `tests/`; the rig under them is `sprag-testkit`.
#![allow(clippy::disallowed_methods, reason = "a development tool, not a part of the program")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the callers are tests: a broken expectation must fail loudly, with its place"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sprag_testkit::{
    Agent, Installed, Run, Sandbox, Screen, Step, Unavailable, or_skip, require, sprag, text, tool,
};

/// How long something may take that happens after an agent's end.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a file is looked at while waiting for another process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A throw-away home and project in which sprag serves one agent.
#[derive(Debug)]
pub struct World {
    /// The home and the project.
    pub sandbox: Sandbox,
    /// The agent.
    pub installed: Installed,
}

impl World {
    /// The agent in an empty world, or `None` when it cannot be had here. Nothing is deployed yet.
    pub fn new(agent: Agent) -> Option<Self> {
        Some(Self { installed: require(agent)?, sandbox: Sandbox::with_git() })
    }

    /// The same with this configuration and deployed.
    pub fn deployed(agent: Agent, config: &str, hooks: &[(&str, &str)]) -> Option<Self> {
        let world = Self::new(agent)?;
        world.config(config);
        for (name, body) in hooks {
            world.hook(name, body);
        }
        world.deploy();
        Some(world)
    }

    /// Which agent this is.
    pub fn agent(&self) -> Agent {
        self.installed.agent()
    }

    /// Writes the user's configuration.
    pub fn config(&self, toml: &str) {
        self.sandbox.write_home(".config/sprag/config.toml", toml);
    }

    /// Writes an own hook, a script for `sh`.
    pub fn hook(&self, name: &str, body: &str) {
        self.sandbox.write_home(format!(".config/sprag/hooks/{name}.sh"), body);
    }

    /// `sprag deploy` for this agent, for all projects of the user.
    #[track_caller]
    pub fn deploy(&self) {
        let _ = sprag(&self.sandbox, ["deploy", "--agent", self.agent().name()]).run().ok();
    }

    /// `sprag undeploy` for this agent, when it has not worked for a while: without a terminal it is refused before.
    #[track_caller]
    pub fn undeploy(&self) {
        let journal = self.sandbox.home().join(".local/state/sprag/journal.jsonl");
        let aside = journal.with_extension("aside");
        fs::rename(&journal, &aside).expect("the agent has worked");
        let _ = sprag(&self.sandbox, ["undeploy", "--agent", self.agent().name()]).run().ok();
        fs::rename(&aside, &journal).expect("the journal can be put back");
    }

    /// A headless run.
    pub fn say(&self, prompt: &str) -> Run<'_> {
        self.installed.run(&self.sandbox).prompt(prompt)
    }

    /// sprag's journal so far, one object an event.
    pub fn journal(&self) -> Vec<Value> {
        let path = self.sandbox.home().join(".local/state/sprag/journal.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a journal line is JSON")).collect()
    }

    /// The journal's lines of one event, by its canonical name.
    pub fn events(&self, name: &str) -> Vec<Value> {
        self.journal().into_iter().filter(|entry| entry["event"] == name).collect()
    }

    /// The one line of an event; panics with the whole journal when there are none or several.
    #[track_caller]
    pub fn event(&self, name: &str) -> Value {
        let mut found = self.events(name);
        assert!(found.len() == 1, "{} lines of {name} in {:#?}", found.len(), self.journal());
        found.remove(0)
    }

    /// How often each event was journaled.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for entry in self.journal() {
            *counts.entry(entry["event"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        counts
    }

    /// Waits until the journal satisfies the closure: for events that come after the agent's answer.
    #[track_caller]
    pub fn wait_journal(&self, what: &str, until: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        wait(
            what,
            || Some(self.journal()).filter(|journal| until(journal)),
            || format!("{:#?}", self.journal()),
        )
    }

    /// A named pipe in the project: what opens it waits for the other side.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.sandbox.project().join(name);
        let _ = self.sandbox.cmd("mkfifo").arg(&path).run().ok();
        path
    }
}

/// A person in a terminal of their own, which no agent started: runs `sprag` there, answers its question with `y`, and
/// returns what was on the screen. `None` when there is no terminal.
pub fn person(world: &World, args: &str) -> Option<String> {
    let sandbox = &world.sandbox;
    let [socket, status, screen] =
        ["person", "person-status", "person-screen"].map(|name| sandbox.fresh_path(name));
    let tmux = |args: &[&str]| sandbox.cmd("tmux").arg("-S").arg(&socket).args(args).run();
    let command = format!(
        "env -i HOME='{}' PATH=\"$PATH\" TERM=xterm {} {args}; echo $? >'{}'; tmux -S '{}' capture-pane -p >'{}'",
        sandbox.home().display(),
        sprag_testkit::sprag_bin().display(),
        status.display(),
        socket.display(),
        screen.display()
    );
    let project = sandbox.project().display().to_string();
    let started =
        tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "45", "-c", &project, &command]);
    let no_terminal = || Unavailable { what: "tmux".to_owned(), why: started.stderr.clone() };
    or_skip((started.code == Some(0)).then_some(()).ok_or_else(no_terminal))?;
    let shown = || tmux(&["capture-pane", "-p"]).stdout;
    wait("the question", || shown().contains("[y/N]").then_some(()), shown);
    tmux(&["send-keys", "y", "Enter"]);
    let code =
        wait("the end", || fs::read_to_string(&status).ok().filter(|code| code.ends_with('\n')), shown);
    let text = wait("the screen", || fs::read_to_string(&screen).ok().filter(|text| !text.is_empty()), shown);
    assert_eq!(code.trim(), "0", "{text}");
    Some(text)
}

/// Looks until there is something; panics with what there is instead when time is up.
#[track_caller]
fn wait<T>(what: &str, look: impl Fn() -> Option<T>, instead: impl Fn() -> String) -> T {
    let end = Instant::now() + WAIT_TIMEOUT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not seen within {WAIT_TIMEOUT:?}: {what}\n{}", instead());
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The hook of a journal line.
#[track_caller]
pub fn run_of<'a>(entry: &'a Value, hook: &str) -> &'a Value {
    let runs = entry["runs"].as_array().expect("hooks ran");
    runs.iter().find(|run| run["hook"] == hook).unwrap_or_else(|| panic!("{hook} did not run: {entry:#}"))
}

/// Claude Code in a terminal, after a prompt that ended in an API error; `None` when there is no terminal.
///
/// A run for one prompt does not wait for its StopFailure hooks and kills them at its exit.
pub fn failing(world: &World) -> Option<Screen> {
    let run = world.installed.run(&world.sandbox).env("CLAUDE_CODE_MAX_RETRIES", "0");
    let screen = or_skip(Screen::start(&run.step(Step::prompt_too_long().forever())))?;
    screen.wait_ready(WAIT_TIMEOUT);
    screen.type_line("fail please");
    Some(screen)
}

/// A run of Codex in which the main agent gives a task to a subagent and waits for it.
pub fn delegating<'a>(run: Run<'a>, task: &'static str) -> Run<'a> {
    // Two agents ask at the same time, so each is answered by where it is, not by its turn.
    let step = Step::with(move |body| {
        let last = body["input"].as_array().and_then(|items| items.last()).cloned().unwrap_or_default();
        vec![match last["type"].as_str() {
            Some("message") => tool("spawn_agent", json!({"task_name": "count", "message": task})),
            Some("function_call_output") => tool("wait_agent", json!({"timeout_ms": 20_000})),
            _ => text("two herons"),
        }]
    });
    run.args(["-c", "features.multi_agent_v2=true"]).step(step.forever())
}

/// A script that gives a fixed answer.
pub fn answer(json: &Value) -> String {
    format!("cat >/dev/null\ncat <<'ANSWER'\n{json}\nANSWER\n")
}

/// The answer that adds context to an event, as Claude Code spells it.
pub fn context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

/// The answer to a tool call: `deny`, `ask` or `allow`, with a reason.
pub fn permission(word: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word,
        "permissionDecisionReason": reason}})
}

/// The answer that gives a tool call another command.
pub fn rewrite(command: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "updatedInput": {"command": command, "description": "a test"}}})
}

/// The answer that blocks an event.
pub fn block(reason: &str) -> Value {
    json!({"decision": "block", "reason": reason})
}
