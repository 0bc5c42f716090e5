//! The event path with hooks made for the purpose: order, merge, isolation, budgets, trust, recovery.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![cfg(unix)]

use proptest::prelude::*;
use serde_json::{Value, json};
use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_base::time::Clock;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_config::trust;
use sprag_protocol::{AgentId, Decision, Event, EventKind, recordings};
use sprag_runtime::dispatch::{Answer, dispatch};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::journal;
use sprag_runtime::queue;
use std::fs;
use std::path::{Path, PathBuf};

const ALL: &[Sees] = &[
    Sees { kind: EventKind::PreToolUse, matcher: "" },
    Sees { kind: EventKind::SessionStart, matcher: "" },
    Sees { kind: EventKind::Stop, matcher: "" },
    Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
];

const fn hook(name: &'static str, family: Family, run: fn(&Event, &Cx<'_>) -> HookResult) -> Builtin {
    Builtin {
        spec: HookSpec {
            name,
            family,
            bundle: Bundle::Guards,
            summary: "",
            sees: ALL,
            presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
            settings: &[],
            timeout_ms: 100,
        },
        run,
    }
}

settings! {
    struct GuardSettings<'a> {
        /// words that no command may hold
        words: Texts = ["forbidden"], tighten Add;
        /// the longest command
        most: usize = 100, min 1, tighten Lower;
        /// also advise
        advises: bool = false, with Advice;
    }
}

/// Denies commands that hold the word of its setting.
const GUARD: Builtin = {
    let mut guard = hook("guard", Family::Guard, |event, cx| {
        let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
        let settings: GuardSettings<'_> = cx.settings.read();
        if command.len() > settings.most {
            return Ok(Reply::deny("too long"));
        }
        match settings.words.iter().find(|word| command.contains(word)) {
            Some(word) => Ok(Reply::deny(format!("{word} is forbidden"))),
            None if settings.advises => Ok(Reply::warn("advice", "ADVICE")),
            None => Ok(Reply::pass()),
        }
    });
    guard.spec.settings = GuardSettings::SETTINGS;
    guard
};

fn switched(event: &Event, word: &str) -> bool {
    event.text("test").is_some_and(|text| text.split(' ').any(|given| given == word))
}

static BUILTINS: [Builtin; 7] = [
    hook("first", Family::Context, |event, _| {
        Ok(if event.kind == EventKind::PreToolUse {
            Reply::pass()
        } else {
            Reply::note("first", 10, "FIRST")
        })
    }),
    GUARD,
    hook("rewriter", Family::Code, |event, _| {
        let mut reply = Reply::pass();
        if let Some(to) = event.text("rewrite_to") {
            reply.rewrite = Some(json!({"command": to}));
        }
        Ok(reply)
    }),
    hook("witness", Family::Verify, |event, cx| {
        let seen = event.tool.as_ref().and_then(|tool| tool.command.clone()).unwrap_or_default();
        cx.session.append("seen", &seen).map_err(HookError::from)?;
        Ok(Reply::pass())
    }),
    hook("panics", Family::Code, |event, _| {
        assert!(!switched(event, "panic"), "boom");
        if switched(event, "error") { Err(HookError::from("cannot")) } else { Ok(Reply::pass()) }
    }),
    hook("stopper", Family::Verify, |event, _| {
        Ok(if switched(event, "stop") { Reply::block("not yet") } else { Reply::pass() })
    }),
    hook("second", Family::Context, |event, _| {
        let mut reply = Reply::pass();
        if event.kind != EventKind::PreToolUse {
            reply = Reply::note("second", priority::RULES, "SECOND");
        }
        if switched(event, "job") {
            reply = reply.with_job(Job::new(Work::CodeIndex { root: "done".into() }));
        }
        if switched(event, "env") {
            reply.env.push(("SPRAG_X".into(), "it's $HOME".into()));
            reply.env.push(("BAD NAME".into(), "x".into()));
        }
        Ok(reply)
    }),
];

static SPECS: std::sync::LazyLock<Vec<&'static HookSpec>> =
    std::sync::LazyLock::new(|| BUILTINS.iter().map(|b| &b.spec).collect());

fn handle(host: &Host, work: &Work) -> Result<(), JobError> {
    match work {
        Work::CodeIndex { root } => {
            Ok(fs::write(host.paths.state.join("touched"), root.as_os_str().as_encoded_bytes())?)
        }
        other => Err(format!("unexpected: {}", other.kind()).into()),
    }
}

struct World {
    _dir: tempfile::TempDir,
    host: Host,
    project: PathBuf,
}

impl World {
    fn new() -> Self {
        Self::with_env(&[])
    }

    fn with_env(env: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let project = dir.path().join("project");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&project).unwrap();
        let mut vars: std::collections::BTreeMap<String, String> =
            env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        vars.insert("HOME".into(), home.display().to_string());
        vars.insert("PATH".into(), std::env::var("PATH").unwrap());
        let env = Env::Fixed(vars);
        let paths = Paths::from_env(&env);
        let host = Host { env, paths, clock: Clock::System, hooks: &SPECS, exe: None };
        Self { _dir: dir, host, project }
    }

    fn config(&self, text: &str) {
        fs::create_dir_all(&self.host.paths.config).unwrap();
        fs::write(self.host.paths.config_file(), text).unwrap();
    }

    fn project_config(&self, text: &str) {
        fs::create_dir_all(self.project.join(".sprag")).unwrap();
        fs::write(self.project.join(".sprag/config.toml"), text).unwrap();
    }

    fn own_hook(&self, name: &str, script: &str) {
        let path = self.host.paths.hooks_dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn send(&self, event: &str, more: Value) -> Answer {
        self.send_as(AgentId::Claude, event, more)
    }

    fn send_as(&self, agent: AgentId, event: &str, more: Value) -> Answer {
        let mut payload = json!({"hook_event_name": event, "session_id": "s1", "cwd": self.project,
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "source": "startup"});
        for (key, value) in more.as_object().unwrap() {
            payload[key] = value.clone();
        }
        dispatch(&self.host, &BUILTINS, payload.to_string().as_bytes(), Some(agent))
    }

    fn bash(&self, command: &str) -> Answer {
        self.send("PreToolUse", json!({"tool_input": {"command": command}}))
    }

    fn journal(&self) -> Vec<journal::Entry> {
        let mut all = Vec::new();
        journal::read_all(&self.host.paths, |entry| all.push(entry)).unwrap();
        all
    }
}

#[test]
fn notes_arrive_once_in_order_of_priority() {
    let world = World::new();
    let context = |answer: &Answer| answer.verdict.context.clone();
    assert_eq!(
        context(&world.send("SessionStart", json!({}))).as_deref(),
        Some("[sprag:second] SECOND\n\n[sprag:first] FIRST")
    );
    assert_eq!(
        context(&world.send("SessionStart", json!({"source": "resume"}))),
        None,
        "the session has them"
    );
    let again = world.send("SessionStart", json!({"source": "compact"}));
    assert_eq!(
        context(&again).as_deref(),
        Some("[sprag:second] SECOND\n\n[sprag:first] FIRST"),
        "a compacted one has not"
    );
    assert_eq!(again.entry.chars, 42);
    assert_eq!(again.entry.runs.iter().map(|run| run.chars).sum::<u64>(), 40);
}

#[test]
fn the_first_deny_ends_a_tool_chain_but_not_a_stop_chain() {
    let world = World::new();
    let answer = world.bash("forbidden");
    assert_eq!(answer.verdict.decision, Decision::Deny);
    assert_eq!(answer.entry.runs.last().unwrap().hook, "guard");
    let answer = world.send("Stop", json!({"test": "stop"}));
    assert_eq!(answer.verdict.decision, Decision::Block);
    assert_eq!(answer.entry.runs.last().unwrap().hook, "second", "all hooks of a stop run");
}

#[test]
fn a_rewrite_is_what_the_next_hook_and_the_guards_see() {
    let world = World::new();
    let answer = world.send("PreToolUse", json!({"rewrite_to": "ls -a"}));
    assert_eq!(answer.verdict.rewrite, Some(json!({"command": "ls -a"})));
    assert_eq!(answer.verdict.decision, Decision::Pass, "a rewrite is no approval");
    let seen = fs::read_to_string(world.host.paths.sessions().join("s1/seen")).unwrap();
    assert_eq!(seen, "ls -a\n");
    let answer = world.send("PreToolUse", json!({"rewrite_to": "forbidden"}));
    assert_eq!(answer.verdict.decision, Decision::Deny, "the guard ran before the rewrite and looks again");
    assert!(answer.entry.runs.iter().any(|run| run.hook == "guard (again)"));
    assert!(!answer.stdout.unwrap().contains("updatedInput"));
}

#[test]
fn where_an_agent_cannot_rewrite_the_hooks_see_what_runs() {
    let world = World::new();
    let answer = world.send_as(AgentId::Qwen, "PreToolUse", json!({"rewrite_to": "forbidden"}));
    assert_eq!((answer.verdict.decision, &answer.stdout), (Decision::Pass, &None));
    assert_eq!(answer.entry.lost, ["rewrite"]);
    let seen = fs::read_to_string(world.host.paths.sessions().join("s1/seen")).unwrap();
    assert_eq!(seen, "ls\n");
}

#[test]
fn variables_that_an_agent_does_not_take_are_journaled_as_lost() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let world = World::with_env(&[("CLAUDE_ENV_FILE", file.path().to_str().unwrap())]);
    let lost = |agent| world.send_as(agent, "SessionStart", json!({"test": "env"})).entry.lost;
    assert!(lost(AgentId::Claude).is_empty());
    for agent in [AgentId::Codex, AgentId::Gemini, AgentId::Qwen] {
        assert_eq!(lost(agent), ["env"], "{agent:?}");
    }
}

#[test]
fn a_panic_or_an_error_changes_nothing_and_is_told_at_the_next_start() {
    let world = World::new();
    for test in ["panic", "error"] {
        let answer = world.send("PreToolUse", json!({"test": test}));
        assert_eq!((answer.verdict.decision, &answer.stdout), (Decision::Pass, &None), "{test}");
        let run = answer.entry.runs.iter().find(|run| run.hook == "panics").unwrap();
        assert!(run.error.is_some());
        assert_eq!(answer.entry.runs.last().unwrap().hook, "second", "the chain goes on");
    }
    let message = world.send("SessionStart", json!({})).verdict.message.unwrap();
    assert!(message.contains("2 hook failures") && message.contains("panics"), "{message}");
    let message = world.send("SessionStart", json!({})).verdict.message;
    assert_eq!(message.as_deref(), Some("sprag: 6 bundles on"), "told once");
}

#[test]
fn a_gate_that_fails_denies_and_says_how_to_switch_it_off() {
    let world = World::new();
    world.config("[hook.panics]\non_error = \"closed\"\n");
    let answer = world.send("PreToolUse", json!({"test": "panic"}));
    assert_eq!(answer.verdict.decision, Decision::Deny);
    assert!(answer.verdict.reason.unwrap().contains("sprag disable panics"));
    assert_eq!(world.bash("ls").verdict.decision, Decision::Pass);
}

#[test]
fn shadow_off_and_disabled() {
    let world = World::new();
    world.config("[hook.guard]\nmode = \"shadow\"\n");
    let answer = world.bash("forbidden");
    assert_eq!(answer.verdict.decision, Decision::Pass);
    let run = answer.entry.runs.iter().find(|run| run.hook == "guard").unwrap();
    assert_eq!((run.verdict.as_str(), run.shadow), ("deny", true));
    world.config("[hook.guard]\nenabled = false\n");
    assert!(world.bash("forbidden").entry.runs.iter().all(|run| run.hook != "guard"));
    for disable in ["guard", "first, guard", "all"] {
        let world = World::with_env(&[("SPRAG_DISABLE", disable)]);
        let answer = world.bash("forbidden");
        assert_eq!(answer.verdict.decision, Decision::Pass, "{disable}");
        let run = answer.entry.runs.iter().find(|run| run.hook == "guard").unwrap();
        assert_eq!(run.skip.as_deref(), Some("SPRAG_DISABLE"));
    }
}

#[test]
fn a_nested_call_is_silent_and_leaves_no_trace() {
    let world = World::with_env(&[("SPRAG_NESTED", "1")]);
    assert_eq!(world.bash("forbidden").stdout, None);
    assert!(!world.host.paths.state.exists());
}

#[test]
fn after_an_api_error_what_adds_tokens_is_silent_until_the_user_speaks() {
    let world = World::new();
    world.send("StopFailure", json!({"error": "invalid_request"}));
    let start = world.send("SessionStart", json!({}));
    assert_eq!(start.verdict.context, None);
    assert_eq!(start.entry.runs[0].skip.as_deref(), Some("recovery"));
    assert_eq!(world.bash("forbidden").verdict.decision, Decision::Deny, "guards still run");
    let spoke = world.send("UserPromptSubmit", json!({"prompt": "go on", "source": "user"}));
    assert!(spoke.verdict.context.is_some(), "the user spoke");
    world.send("StopFailure", json!({}));
    assert_eq!(world.send("SubagentStop", json!({})).verdict.decision, Decision::Pass);
    assert_eq!(
        world.send("Stop", json!({"test": "stop"})).verdict.decision,
        Decision::Block,
        "a stop that worked"
    );
}

#[test]
fn own_hooks_run_in_declared_order_with_the_claude_shaped_payload() {
    let world = World::new();
    world.own_hook("slow", "sleep 0.2; echo slow; cat > \"$HOME/slow.json\"");
    world.own_hook("fast.sh", "echo \"fast $SPRAG_AGENT\"");
    world.config("[hooks.session_start]\nscripts = [\"slow\", \"fast\"]\n");
    let payload = recordings::get("gemini/SessionStart.startup")
        .unwrap()
        .text
        .replace("/home/dev/shop", world.project.to_str().unwrap());
    let answer = dispatch(&world.host, &BUILTINS, payload.as_bytes(), Some(AgentId::Gemini));
    assert_eq!(answer.verdict.context.as_deref(), Some("slow\n\nfast gemini"));
    let seen: Value =
        serde_json::from_slice(&fs::read(world.host.paths.home.join("slow.json")).unwrap()).unwrap();
    assert_eq!(seen["hook_event_name"], "SessionStart");
}

#[test]
fn own_hooks_may_deny_by_code_and_fail_open() {
    let world = World::new();
    world.own_hook("no", "echo 'not today' >&2; exit 2");
    world.own_hook("broken", "echo oops >&2; exit 7");
    world.own_hook("hangs", "sleep 60");
    world.config(
        "[hooks.pre_tool_use]\nscripts = [\"broken\", \"hangs\", \"no\"]\n[hook.hangs]\ntimeout_ms = 200\n",
    );
    let answer = world.bash("ls");
    let reason = answer.verdict.reason.unwrap();
    assert_eq!(answer.verdict.decision, Decision::Deny);
    assert!(
        reason.starts_with("sprag blocked this (no, ")
            && reason.contains("; allow once: sprag allow ")
            && reason.contains("): not today. Why: sprag why "),
        "{reason}"
    );
    assert_eq!(answer.entry.runs[0].error.as_deref(), Some("exit code 7: oops"));
    assert!(answer.entry.runs[1].error.as_deref().unwrap().starts_with("cut off after"));
    assert_eq!(answer.entry.runs[2].stderr.as_deref(), Some("not today"));
}

#[test]
fn own_hooks_are_selected_by_their_matcher() {
    let world = World::new();
    world.own_hook("no", "echo no >&2; exit 2");
    world.config("[hooks.pre_tool_use]\nappend = [\"no\"]\n[hook.no]\nmatcher = \"^(?!Bash$).*\"\n");
    assert_eq!(world.bash("ls").verdict.decision, Decision::Pass, "look-ahead works");
    assert_eq!(world.send("PreToolUse", json!({"tool_name": "Edit"})).verdict.decision, Decision::Deny);
}

#[test]
fn background_work_is_queued_and_done() {
    let world = World::new();
    world.own_hook("later", "cat > \"$HOME/later.json\"");
    world.config("[hooks.session_end]\nappend = [\"later\"]\n[hook.later]\nbackground = true\n");
    world.send("Stop", json!({"test": "job"}));
    let answer = world.send("SessionEnd", json!({"reason": "other"}));
    assert_eq!(answer.stdout, None);
    assert!(!world.host.paths.home.join("later.json").exists());
    assert_eq!(queue::list(&world.host.paths, queue::JobState::Waiting).len(), 2);
    queue::work(&world.host, handle, queue::Until::Once).unwrap();
    assert_eq!(fs::read_to_string(world.host.paths.state.join("touched")).unwrap(), "done");
}

#[test]
fn variables_go_to_the_agents_file_quoted() {
    let world = World::new();
    let file = world.host.paths.home.join("env");
    let mut host = world.host.clone();
    if let Env::Fixed(vars) = &mut host.env {
        vars.insert("CLAUDE_ENV_FILE".into(), file.display().to_string());
    }
    let payload =
        json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": world.project, "test": "env"});
    dispatch(&host, &BUILTINS, payload.to_string().as_bytes(), Some(AgentId::Claude));
    assert_eq!(fs::read_to_string(&file).unwrap(), "export SPRAG_X='it'\\''s $HOME'\n");
}

#[test]
fn a_changed_file_counts_at_once_and_a_damaged_cache_is_rebuilt() {
    let world = World::new();
    assert_eq!(world.bash("word").verdict.decision, Decision::Pass);
    world.config("[hook.guard]\nwords = [\"word\"]\n");
    assert_eq!(world.bash("word").verdict.decision, Decision::Deny);
    let cache = fs::read_dir(world.host.paths.cache()).unwrap().next().unwrap().unwrap().path();
    let good = fs::read(&cache).unwrap();
    for cut in (0..good.len()).step_by(7) {
        fs::write(&cache, &good[..cut]).unwrap();
        assert_eq!(world.bash("word").verdict.decision, Decision::Deny, "cut at {cut}");
        let mut bad = good.clone();
        bad[cut] ^= 0x55;
        fs::write(&cache, &bad).unwrap();
        assert_eq!(world.bash("word").verdict.decision, Decision::Deny, "flipped at {cut}");
    }
    fs::write(&cache, b"rubbish").unwrap();
    world.bash("word");
    assert_eq!(fs::read(&cache).unwrap(), good, "and is whole again");
}

#[test]
fn a_broken_configuration_leaves_the_last_good_one_active() {
    let world = World::new();
    world.config("[hook.guard]\nwords = [\"word\"]\n");
    assert_eq!(world.bash("word").verdict.decision, Decision::Deny);
    world.config("[hook.guard]\nwrods = [\"other\"]\n");
    let answer = world.bash("word");
    assert_eq!(answer.verdict.decision, Decision::Deny, "the last good one");
    let error = answer.entry.error.unwrap();
    assert!(error.contains("config.toml:2") && error.contains("`words`"), "{error}");
    assert_eq!(world.bash("word").entry.error, None, "journaled once, not on every call");
    let fresh = World::new();
    fresh.config("preset = 3\n");
    assert_eq!(fresh.bash("forbidden").verdict.decision, Decision::Deny, "the default");
}

#[test]
fn a_broken_configuration_is_told_at_every_session_start_until_it_is_fixed() {
    let world = World::new();
    world.config("[hook.guard]\nwrods = [\"other\"]\n");
    assert_eq!(world.bash("ls").verdict.decision, Decision::Pass, "a call meets it first");
    let told = || world.send("SessionStart", json!({})).verdict.message.unwrap_or_default();
    for _ in 0..2 {
        let said = told();
        assert!(said.contains("the configuration has an error") && said.contains("config.toml:2"), "{said}");
    }
    world.config("[hook.guard]\nwords = [\"other\"]\n");
    assert!(!told().contains("configuration"), "fixed");
}

#[test]
fn a_session_starts_with_the_news_that_nothing_is_stopped() {
    let world = World::new();
    let told = || world.send("SessionStart", json!({})).verdict.message.unwrap_or_default();
    assert_eq!(told(), "sprag: 6 bundles on");
    world.config("trial = \"7d\"\n");
    let said = told();
    assert!(said.starts_with("sprag: TRIAL until ") && said.contains("nothing is stopped"), "{said}");
    world.config("disable = [\"guards\"]\n[hooks.session_start]\nscripts = [\"own\"]\n[hook.own]\ncommand = [\"true\"]\n");
    let said = told();
    assert!(said.starts_with("sprag: guards OFF (`sprag enable guards`)"), "{said}");
}

#[test]
fn a_clone_may_tighten_and_nothing_else() {
    let world = World::new();
    world.config("[hook.guard]\nwords = [\"mine\"]\nmost = 50\n");
    world.project_config(
        "preset = \"minimal\"\n[hook.guard]\nmode = \"off\"\nwords = [\"theirs\"]\nmost = 500\n\
         [hook.evil]\ncommand = [\"touch\", \"/tmp/never\"]\n[hooks.pre_tool_use]\nscripts = [\"evil\"]\n[llm]\nbackend = \"openai\"\n",
    );
    assert_eq!(world.bash("mine").verdict.decision, Decision::Deny, "the user's own word stays");
    assert_eq!(world.bash("theirs").verdict.decision, Decision::Deny, "a word may be added");
    assert_eq!(world.bash(&"x".repeat(60)).verdict.decision, Decision::Deny, "a limit may not be raised");
    assert!(world.bash("ls").entry.runs.iter().all(|run| run.hook != "evil"));
    world.project_config("[hook.guard]\nmost = 10\n");
    assert_eq!(world.bash(&"x".repeat(20)).verdict.decision, Decision::Deny, "a limit may be lowered");
    world.project_config("[hook.guard\n");
    assert_eq!(
        world.bash("mine").verdict.decision,
        Decision::Deny,
        "a broken file of a clone costs no guard"
    );
}

#[test]
fn a_trusted_project_is_heard_until_it_changes() {
    let world = World::new();
    world.project_config("[hook.guard]\nmode = \"off\"\n");
    assert_eq!(world.bash("forbidden").verdict.decision, Decision::Deny);
    trust::grant(&world.host.paths, &world.project, world.host.clock.now()).unwrap();
    assert_eq!(world.bash("forbidden").verdict.decision, Decision::Pass);
    world.project_config("[hook.guard]\nmode = \"off\" # changed\n");
    assert_eq!(world.bash("forbidden").verdict.decision, Decision::Deny, "trusted was another content");
}

#[test]
fn a_payload_that_is_none_is_silent_and_journaled() {
    let world = World::new();
    let bad: [&[u8]; 7] =
        [b"", b"not json", b"{\"hook_event_name\":\"PreTool", b"[]", b"null", b"\xff\xfe", b"{}"];
    for payload in bad {
        assert_eq!(dispatch(&world.host, &BUILTINS, payload, Some(AgentId::Claude)).stdout, None);
    }
    let journal = world.journal();
    assert_eq!(journal.len(), bad.len());
    assert!(journal[..6].iter().all(|entry| entry.error.is_some()));
}

#[test]
fn padding_does_not_lead_past_the_guards() {
    let world = World::new();
    let padding = "x".repeat(17 << 20);
    let call = |event: &str| {
        let payload =
            json!({"hook_event_name": event, "tool_input": {"command": padding}, "tool_name": "Bash"});
        dispatch(&world.host, &BUILTINS, payload.to_string().as_bytes(), Some(AgentId::Claude)).stdout
    };
    assert!(call("PreToolUse").unwrap().contains("\"ask\""));
    assert_eq!(call("PostToolUse"), None);
}

#[test]
fn the_journal_has_no_secret() {
    let world = World::new();
    world.own_hook("leaks", "echo 'token ghp_0123456789abcdefghijABCDEFGHIJ012345' >&2; exit 2");
    world.config("[hooks.pre_tool_use]\nappend = [\"leaks\"]\n");
    world.bash("ls");
    let text = fs::read_to_string(world.host.paths.journal()).unwrap();
    assert!(!text.contains("ghp_0123") && text.contains("[secret removed]"), "{text}");
}

#[test]
fn a_read_only_home_costs_no_answer() {
    let world = World::new();
    // As root a mode stops nobody; a file where the folder should be does.
    fs::create_dir_all(world.host.paths.state.parent().unwrap()).unwrap();
    fs::write(&world.host.paths.state, "in the way").unwrap();
    assert_eq!(world.bash("forbidden").verdict.decision, Decision::Deny);
    assert_eq!(world.bash("ls").stdout, None);
}

fn is_answer(stdout: Option<&str>) -> bool {
    stdout.is_none_or(|text| {
        !text.starts_with('{') || serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Real payloads with any byte changed, cut, or any field replaced: never a panic, never invalid JSON.
    #[test]
    fn mutated_real_payloads_are_survived(pick in 0usize..recordings::ALL.len(), at in any::<prop::sample::Index>(),
                                          byte in any::<u8>(), how in 0u8..4, value in 0usize..6) {
        let world = World::new();
        let recording = &recordings::ALL[pick];
        let mut bytes = recording.text.as_bytes().to_vec();
        match how {
            0 => { let at = at.index(bytes.len()); bytes.truncate(at); }
            1 => { let at = at.index(bytes.len()); bytes[at] = byte; }
            2 => bytes.extend_from_within(..),
            _ => {
                let mut payload: Value = serde_json::from_slice(&bytes).unwrap();
                let map = payload.as_object_mut().unwrap();
                let key = map.keys().nth(at.index(map.len())).unwrap().clone();
                let odd = [json!(null), json!(-1), json!([]), json!({"a": [1, {"b": null}]}), json!(""), json!("\u{0}../../x")];
                map.insert(key, odd[value].clone());
                bytes = payload.to_string().into_bytes();
            }
        }
        let agent = AgentId::from_name(recording.name.split('/').next().unwrap());
        let answer = dispatch(&world.host, &BUILTINS, &bytes, agent);
        prop_assert!(is_answer(answer.stdout.as_deref()));
        prop_assert!(!answer.entry.error.as_deref().unwrap_or_default().contains("sprag itself"));
        prop_assert_eq!(world.journal().len(), 1);
        prop_assert!(!Path::new("../../x").exists());
    }
}

#[test]
fn a_trial_stops_nothing_reports_and_ends() {
    let mut world = World::new();
    let day = |text: &str| sprag_base::time::Stamp::parse(text).unwrap();
    world.host.clock = Clock::Fixed(day("2026-11-17T00:00:00Z"));
    world.config("trial = \"7d since 2026-11-16\"\n[hooks.session_stop]\nappend = [\"gate\"]\n[hook.gate]\non_error = \"closed\"\n");
    world.own_hook("gate", "exit 1");
    let answer = world.bash("forbidden word");
    assert_eq!((answer.stdout, answer.verdict.decision), (None, Decision::Pass));
    let run = answer.entry.runs.iter().find(|run| run.hook == "guard").unwrap();
    assert!(run.shadow && run.verdict == "deny" && run.reason.as_deref() == Some("forbidden is forbidden"));
    assert!(answer.entry.runs.iter().any(|run| run.hook == "second"), "the chain goes on");
    let start = world.send("SessionStart", json!({}));
    assert_eq!(
        start.verdict.context.as_deref(),
        Some("[sprag:second] SECOND\n\n[sprag:first] FIRST"),
        "what informs is heard"
    );
    assert!(start.verdict.message.is_none_or(|message| !message.contains("the trial")), "it is not over");
    assert_eq!(world.send("Stop", json!({"test": "stop"})).verdict.decision, Decision::Pass);

    world.host.clock = Clock::Fixed(day("2026-11-23T00:00:01Z"));
    assert_eq!(world.bash("forbidden word").verdict.decision, Decision::Deny);
    let message = world.send("SessionStart", json!({})).verdict.message.unwrap();
    let told = "sprag: the trial ended on 2026-11-23; it would have stopped 2 calls: ";
    assert!(message.contains(told) && message.contains("guard 1 (forbidden is forbidden)"), "{message}");
    let again = world.send("SessionStart", json!({})).verdict.message.unwrap_or_default();
    assert!(!again.contains("trial"), "it is told once: {again}");
}

#[test]
fn a_bundle_is_disabled_for_one_run() {
    let world = World::with_env(&[("SPRAG_DISABLE", "lessons, guards")]);
    let answer = world.bash("forbidden word");
    assert_eq!(answer.verdict.decision, Decision::Pass);
    assert!(answer.entry.runs.iter().all(|run| run.skip.as_deref() == Some("SPRAG_DISABLE")));
}

#[test]
fn a_switch_of_a_hook_can_come_with_a_bundle() {
    let world = World::new();
    let told = |config: &str| {
        world.config(config);
        world.bash("ls").verdict.context.is_some()
    };
    assert!(!told(""));
    assert!(told("enable = [\"advice\"]\n"));
    assert!(!told("enable = [\"advice\"]\n[hook.guard]\nadvises = false\n"));
    assert!(!told("enable = [\"advice\"]\ndisable = [\"advice\"]\n"));
}

#[test]
fn a_trial_does_not_loosen_what_a_policy_requires() {
    let mut world = World::new();
    let policy = world.project.join("policy.toml");
    fs::write(&policy, "[hook.guard]\n").unwrap();
    world.host.paths.policy = Some(policy);
    world.config("trial = \"7d\"\ndisable = [\"guards\"]\n");
    assert_eq!(world.bash("forbidden word").verdict.decision, Decision::Deny);
}
