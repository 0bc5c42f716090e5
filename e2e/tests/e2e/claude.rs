//! sprag in the real Claude Code: what a hook says is what happens, and what the model and the user see.
//! The model is scripted; own hooks are small scripts, as a user writes them.

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use sprag_e2e::{World, answer, block, context, failing, permission, rewrite, run_of};
use sprag_testkit::{Agent, Block, Outcome, Request, Screen, Step, or_skip, text, tool};

/// Nothing but what the test asks for.
const BARE: &str = "version = 1\npreset = \"minimal\"\n";

fn bash(command: &str) -> Block {
    Agent::Claude.shell(command)
}

/// A world in which the hooks of one event are these, in this order.
fn world(event: &str, hooks: &[(&str, &str)]) -> Option<World> {
    let names: Vec<&str> = hooks.iter().map(|(name, _)| *name).collect();
    World::deployed(Agent::Claude, &format!("{BARE}[hooks.{event}]\nscripts = {names:?}\n"), hooks)
}

/// One turn with one shell call.
fn shell_turn(world: &World, command: &str) -> Outcome {
    world.say("please").step(bash(command)).step(text("done")).go().ok()
}

fn count(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

#[test]
fn a_deny_stops_the_tool_and_the_model_learns_why() {
    let deny = answer(&permission("deny", "HERONS-MAY-NOT"));
    let Some(world) = world("pre_tool_use", &[("no", &deny)]) else { return };
    let outcome = shell_turn(&world, "touch ran; echo it-ran");
    let results = outcome.tool_results();
    assert!(results[0].error && results[0].text.contains("HERONS-MAY-NOT"), "{results:?}");
    assert!(!world.sandbox.project().join("ran").exists());
    assert_eq!(world.event("PreToolUse")["verdict"], "deny");
}

#[test]
fn contexts_of_two_hooks_arrive_once_and_in_the_declared_order() {
    // The first one is slow: the order in which they finish must not count.
    let slow = format!("sleep 0.5\n{}", answer(&context("UserPromptSubmit", "FROM-THE-SLOW-ONE")));
    let quick = answer(&context("UserPromptSubmit", "FROM-THE-QUICK-ONE"));
    let hooks = [("slow", slow.as_str()), ("quick", quick.as_str())];
    let Some(world) = world("user_prompt_submit", &hooks) else { return };
    let outcome = shell_turn(&world, "true");
    for request in outcome.main() {
        let told = request.told();
        let (slow, quick) = (told.find("FROM-THE-SLOW-ONE"), told.find("FROM-THE-QUICK-ONE"));
        assert!(slow.is_some() && slow < quick, "{told}");
        assert_eq!((count(&told, "FROM-THE-SLOW-ONE"), count(&told, "FROM-THE-QUICK-ONE")), (1, 1));
    }
}

#[test]
fn a_rewritten_input_is_what_the_next_hook_sees_and_what_runs() {
    let change = answer(&rewrite("expr 40 + 2"));
    let hooks = [("change", change.as_str()), ("see", "cat >seen.json")];
    let Some(world) = world("pre_tool_use", &hooks) else { return };
    let outcome = shell_turn(&world, "touch original-ran");
    assert_eq!(outcome.tool_results()[0].text.trim(), "42");
    assert!(!world.sandbox.project().join("original-ran").exists());
    let seen: Value = serde_json::from_str(&world.sandbox.read("seen.json")).unwrap();
    assert_eq!(seen["tool_input"]["command"], "expr 40 + 2");
    assert_eq!(world.event("PreToolUse")["lost"], Value::Null);
}

/// Claude Code takes `updatedInput` without `permissionDecision`, so a rewrite need not say `allow` and the
/// user's own rules still decide, on the new input.
#[test]
fn a_rewrite_approves_nothing() {
    let change = answer(&rewrite("touch rewritten-ran"));
    let Some(world) = world("pre_tool_use", &[("change", &change)]) else { return };
    let asking = |rule: &str| {
        let args = ["--permission-mode", "default", "--allowedTools", rule];
        world.say("please").asking().args(args).step(bash("touch original-ran")).step(text("done")).go().ok()
    };
    // The call as the model made it is allowed, what the hook makes of it is not.
    let refused = asking("Bash(touch original-ran)");
    assert!(refused.tool_results()[0].error, "{:?}", refused.tool_results());
    assert!(!world.sandbox.project().join("rewritten-ran").exists());
    let allowed = asking("Bash(touch rewritten-ran)");
    assert!(!allowed.tool_results()[0].error, "{:?}", allowed.tool_results());
    assert!(world.sandbox.project().join("rewritten-ran").exists());
    assert!(!world.sandbox.project().join("original-ran").exists());
}

#[test]
fn after_a_rewrite_the_guards_look_again() {
    let guard = "if grep -q FORBIDDEN; then echo 'NOT-THAT-EITHER' >&2; exit 2; fi";
    let change = answer(&rewrite("touch ran; echo FORBIDDEN"));
    let config = format!(
        "{BARE}[hooks.pre_tool_use]\nscripts = [\"guard\", \"change\"]\n[hook.guard]\non_error = \"closed\"\n"
    );
    let Some(world) = World::deployed(Agent::Claude, &config, &[("guard", guard), ("change", &change)])
    else {
        return;
    };
    let outcome = shell_turn(&world, "echo harmless");
    assert!(outcome.tool_results()[0].text.contains("NOT-THAT-EITHER"), "{:?}", outcome.tool_results());
    assert!(!world.sandbox.project().join("ran").exists());
    let entry = world.event("PreToolUse");
    assert_eq!(run_of(&entry, "guard")["verdict"], "pass");
    assert_eq!(run_of(&entry, "guard (again)")["verdict"], "deny");
}

/// Claude Code ignores an output that does not have the structure of the tool's result; a hook need not know it.
#[test]
fn plain_text_replaces_what_a_file_or_a_command_gave() {
    let gone = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "[GONE]"}});
    let Some(world) = world("post_tool_use", &[("redact", &answer(&gone))]) else { return };
    let file = world.sandbox.write("pond.txt", "the heron is in the reeds\n");
    let read = tool("Read", json!({"file_path": file}));
    let outcome = world.say("please").step(read).step(bash("cat pond.txt")).step(text("done")).go().ok();
    assert!(!outcome.reaches_model("in the reeds"), "{:?}", outcome.tool_results());
    for result in outcome.tool_results() {
        assert!(!result.error && result.text.contains("[GONE]"), "{result:?}");
    }
}

#[test]
fn a_stop_block_continues_the_turn_once() {
    let again = format!(
        "if grep -q '\"stop_hook_active\":true'; then exit 0; fi\n{}",
        answer(&block("ONE-MORE-THING"))
    );
    let Some(world) = world("session_stop", &[("again", &again)]) else { return };
    let outcome = world.say("hello").step(text("first")).step(text("second")).go().ok();
    assert_eq!(outcome.main().len(), 2);
    assert!(!outcome.request(0).told().contains("ONE-MORE-THING"));
    assert!(outcome.request(1).told().contains("ONE-MORE-THING"), "{}", outcome.request(1).told());
    assert_eq!(outcome.stdout, "second\n");
    let verdicts: Vec<Value> = world.events("Stop").iter().map(|entry| entry["verdict"].clone()).collect();
    assert_eq!(verdicts, ["block", "pass"]);
}

#[test]
fn compaction_text_reaches_the_summariser_and_the_new_conversation() {
    let config = format!(
        "{BARE}[hooks.pre_compact]\nscripts = [\"keep\"]\n[hooks.session_start]\nscripts = [\"again\"]\n\
         [hook.again]\nmatcher = \"compact\"\n"
    );
    let again = answer(&context("SessionStart", "AFTER-THE-COMPACTION"));
    let hooks = [("keep", "echo KEEP-THE-HERONS"), ("again", again.as_str())];
    let Some(world) = World::deployed(Agent::Claude, &config, &hooks) else { return };
    let first = world.say("tell me about herons").step(text("they wade")).go().ok();
    let summary = text("<analysis>short</analysis><summary>HERONS-WADE</summary>");
    let compacted = world.say("/compact").resume().step(summary).go().ok();
    let after = world.say("go on").resume().go().ok();
    assert!(!first.reaches_model("AFTER-THE-COMPACTION"));
    assert!(
        compacted.last_request().told().contains("KEEP-THE-HERONS"),
        "{}",
        compacted.last_request().told()
    );
    assert!(after.reaches_model("HERONS-WADE"));
    assert_eq!(count(&after.request(0).told(), "AFTER-THE-COMPACTION"), 1, "{}", after.request(0).told());
    assert_eq!(world.event("PreCompact")["lost"], Value::Null);
}

#[test]
fn a_subagent_is_told_where_it_is_and_the_main_agent_is_not() {
    let Some(world) = World::deployed(Agent::Claude, "version = 1\n", &[]) else { return };
    world.sandbox.write("plans/herons.md", "count them\n");
    let outcome = world
        .say("ASK-SOMEBODY-ELSE")
        .step(tool(
            "Agent",
            json!({"description": "a look", "prompt": "COUNT-THE-HERONS", "subagent_type": "general-purpose"}),
        ))
        // The subagent's answer, then the main agent's; which comes first does not matter.
        .step(text("two herons"))
        .step(text("done"))
        .go()
        .ok();
    let of_subagent = |request: &&Request| !request.told().contains("ASK-SOMEBODY-ELSE");
    let (sub, main): (Vec<&Request>, Vec<&Request>) = outcome.main().into_iter().partition(of_subagent);
    assert!(!sub.is_empty() && main.len() >= 2, "{} {}", sub.len(), main.len());
    assert!(sub[0].told().contains("COUNT-THE-HERONS"));
    assert!(sub[0].told().contains("## general-purpose "), "{}", sub[0].told());
    assert!(sub[0].told().contains("Name plans and reports"));
    for request in main {
        assert!(!request.told().contains("Name plans and reports"), "{}", request.told());
    }
    assert!(world.event("SubagentStart")["chars"].as_u64() > Some(0));
}

#[test]
fn session_init_tells_the_model_and_the_shell() {
    let Some(world) = World::new(Agent::Claude) else { return };
    world.sandbox.write("Cargo.toml", "[package]\nname = \"heron\"\nversion = \"0.1.0\"\n");
    world.sandbox.write("src/lib.rs", "");
    world.config("version = 1\n[hook.session-init]\nproject_type = \"birdhouse\"\n");
    world.deploy();
    let outcome = shell_turn(&world, "echo \"type=$SPRAG_PROJECT_TYPE branch=$SPRAG_GIT_BRANCH\"");
    let told = outcome.request(0).told();
    let line = told.lines().find(|line| line.contains("Session startup.")).expect("session-init's line");
    assert!(line.contains("Project: birdhouse") && line.contains("Branch: main"), "{line}");
    let results = outcome.tool_results();
    assert!(results[0].text.contains("type=birdhouse branch=main"), "{results:?}");
}

#[test]
fn rules_are_told_once_and_again_after_a_compaction() {
    let Some(world) = World::new(Agent::Claude) else { return };
    world.sandbox.write(".sprag/rules/birds.md", "Never wake a sleeping heron.\n");
    world.config("version = 1\n");
    world.deploy();
    let rule = "Never wake a sleeping heron.";
    let first = world.say("hello").step(text("hi")).go().ok();
    assert_eq!(count(&first.request(0).told(), rule), 1, "{}", first.request(0).told());
    let resumed = world.say("go on").resume().step(text("yes")).go().ok();
    assert_eq!(count(&resumed.request(0).told(), rule), 1, "the transcript has it already");
    let summary = text("<analysis>short</analysis><summary>A-GREETING</summary>");
    let _ = world.say("/compact").resume().step(summary).go().ok();
    let after = world.say("and now").resume().go().ok();
    assert!(after.reaches_model("A-GREETING"));
    assert_eq!(count(&after.request(0).told(), rule), 1, "{}", after.request(0).told());
    let told: Vec<u64> = world
        .events("SessionStart")
        .iter()
        .map(|entry| run_of(entry, "inject-rules")["chars"].as_u64().unwrap_or(0))
        .collect();
    // Startup, resume, resume for /compact, compact, resume.
    assert_eq!(told.iter().map(|chars| *chars > 0).collect::<Vec<_>>(), [true, false, false, true, false]);
}

#[test]
fn a_hanging_hook_is_cut_at_its_deadline_and_the_tool_runs() {
    let config = format!("{BARE}[hooks.pre_tool_use]\nscripts = [\"hang\"]\n[hook.hang]\ntimeout_ms = 700\n");
    // A grandchild holds the pipe too.
    let hooks = [("hang", "tail -f /dev/null & tail -f /dev/null")];
    let Some(world) = World::deployed(Agent::Claude, &config, &hooks) else { return };
    let outcome = shell_turn(&world, "expr 40 + 2");
    assert_eq!(outcome.tool_results()[0].text.trim(), "42");
    let entry = world.event("PreToolUse");
    let run = run_of(&entry, "hang");
    assert!(run["error"].as_str().unwrap().starts_with("cut off after"), "{entry:#}");
    assert!((700_000..5_000_000).contains(&run["us"].as_u64().unwrap()), "{entry:#}");
}

#[test]
fn a_crashing_hook_changes_nothing_and_is_named_in_the_next_session() {
    let crash = "echo 'no such bird' >&2; exit 1";
    let Some(world) = world("pre_tool_use", &[("crash", crash)]) else { return };
    let outcome = shell_turn(&world, "expr 40 + 2");
    assert_eq!(outcome.tool_results()[0].text.trim(), "42");
    assert!(!outcome.reaches_model("no such bird"));
    assert_eq!(run_of(&world.event("PreToolUse"), "crash")["error"], "exit code 1: no such bird");

    // The headless program shows messages to the user only in its stream of events.
    let run =
        world.say("again").args(["--output-format", "stream-json", "--verbose", "--include-hook-events"]);
    let next = run.step(text("hi")).go().ok();
    let said = "1 hook failure since the last session";
    assert!(next.stdout.contains(said) && next.stdout.contains("no such bird"), "{}", next.stdout);
    assert!(!next.reaches_model(said), "the message is for the user");
}

#[test]
fn a_gate_that_crashes_denies_and_says_how_to_switch_it_off() {
    let config =
        format!("{BARE}[hooks.pre_tool_use]\nscripts = [\"gate\"]\n[hook.gate]\non_error = \"closed\"\n");
    let Some(world) = World::deployed(Agent::Claude, &config, &[("gate", "exit 1")]) else { return };
    let outcome = shell_turn(&world, "touch ran");
    let result = &outcome.tool_results()[0].text;
    assert!(result.contains("the gate `gate` failed") && result.contains("sprag disable gate"), "{result}");
    assert!(!world.sandbox.project().join("ran").exists());
}

#[test]
fn work_of_the_session_end_survives_the_agent() {
    let config = format!("{BARE}[hooks.session_end]\nscripts = [\"late\"]\n[hook.late]\nbackground = true\n");
    // It works only after somebody opens the first pipe, which the test does when the agent is gone.
    let late = "cat go >/dev/null; cat >late.json; echo finished >done";
    let Some(world) = World::deployed(Agent::Claude, &config, &[("late", late)]) else { return };
    let (go, done) = (world.pipe("go"), world.pipe("done"));
    let _ = world.say("hello").step(text("bye")).go().ok();
    let (send, finished) = mpsc::channel();
    std::thread::spawn(move || {
        fs::write(go, "now").unwrap();
        send.send(fs::read_to_string(done).unwrap()).unwrap();
    });
    let said =
        finished.recv_timeout(Duration::from_secs(30)).expect("the work is done after the agent's end");
    assert_eq!(said, "finished\n");
    let payload: Value = serde_json::from_str(&world.sandbox.read("late.json")).unwrap();
    assert_eq!((&payload["hook_event_name"], &payload["reason"]), (&json!("SessionEnd"), &json!("other")));
}

#[test]
fn fifteen_identical_calls_are_stopped() {
    let Some(world) = World::deployed(Agent::Claude, "version = 1\n", &[]) else { return };
    let outcome = world
        .say("count")
        .script((0..16).map(|_| bash("echo same; echo x >>ran")))
        .step(text("done"))
        .go()
        .ok();
    let results = outcome.tool_results();
    assert_eq!(results.len(), 16);
    let denied: Vec<usize> = (0..16).filter(|i| results[*i].error).collect();
    assert_eq!(denied, [14, 15], "{results:?}");
    assert!(results[14].text.contains("the same call 15 times"), "{results:?}");
    assert_eq!(world.sandbox.read("ran"), "x\n".repeat(14));
    assert!(outcome.reaches_model("the same call 8 times"), "a warning comes first");
}

#[test]
fn after_an_api_error_nothing_adds_tokens_until_the_next_prompt() {
    let config = format!(
        "{BARE}[hooks.session_start]\nscripts = [\"start\"]\n[hooks.user_prompt_submit]\nscripts = [\"prompt\"]\n"
    );
    let start = answer(&context("SessionStart", "TOLD-AT-START"));
    let prompt = answer(&context("UserPromptSubmit", "TOLD-AT-PROMPT"));
    let hooks = [("start", start.as_str()), ("prompt", prompt.as_str())];
    let Some(world) = World::deployed(Agent::Claude, &config, &hooks) else { return };
    let run = world
        .installed
        .run(&world.sandbox)
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .step(text("they wade"))
        .step(Step::prompt_too_long().forever());
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    let long = Duration::from_secs(60);
    screen.wait_ready(long);
    screen.type_line("tell me about herons");
    screen.wait("they wade", long);
    screen.type_line("and more");
    world.wait_journal("the failure", |journal| journal.iter().any(|entry| entry["event"] == "StopFailure"));
    screen.wait_ready(long);
    let summary = text("<analysis>short</analysis><summary>HERONS-WADE</summary>");
    screen.model().replace([Step::from(summary).forever()]);
    screen.type_line("/compact");
    let starts = |journal: &[Value]| -> Vec<Value> {
        journal.iter().filter(|entry| entry["event"] == "SessionStart").cloned().collect()
    };
    let journal = world.wait_journal("the compaction", |journal| starts(journal).len() == 2);
    let compacted = &starts(&journal)[1];
    assert_eq!(run_of(compacted, "start")["skip"], "recovery", "{compacted:#}");
    assert_eq!(compacted["chars"], Value::Null, "{compacted:#}");
    screen.wait_ready(long);
    screen.type_line("go on with HERONS");
    let told = |all: &[Request]| all.iter().any(|request| request.told().contains("go on with HERONS"));
    let requests = screen.model().wait_for(told, long).unwrap();
    let last = requests.iter().rfind(|request| request.told().contains("go on with HERONS")).unwrap().told();
    assert!(last.contains("HERONS-WADE") && last.contains("TOLD-AT-PROMPT"), "{last}");
    let prompts = world.events("UserPromptSubmit");
    assert_eq!(run_of(prompts.last().unwrap(), "prompt")["skip"], Value::Null);
    screen.close();
}

#[test]
fn a_nested_run_is_silent() {
    let deny = answer(&permission("deny", "NOT-HERE"));
    let Some(world) = world("pre_tool_use", &[("no", &deny)]) else { return };
    let nested = world.say("please").env("SPRAG_NESTED", "1").step(bash("expr 40 + 2")).step(text("done"));
    assert_eq!(nested.go().ok().tool_results()[0].text.trim(), "42");
    assert!(world.journal().is_empty(), "{:#?}", world.journal());
    assert!(shell_turn(&world, "expr 40 + 2").tool_results()[0].text.contains("NOT-HERE"));
}

/// Tabs, odd blanks, no newline at the end, a foreign hook on an event that sprag uses too.
const ODD_SETTINGS: &str = "{\n\t\"env\" : {\"BIRD\":\"heron\"},\r\n   \"hooks\":{ \"PreToolUse\":[\n\
    {\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"cat >>foreign.json\"}]}\
    ]},\n\n\t\"cleanupPeriodDays\": 3e1 }";

#[test]
fn undeploy_leaves_the_settings_as_they_were() {
    let Some(world) = World::new(Agent::Claude) else { return };
    world.sandbox.write_home(".claude/settings.json", ODD_SETTINGS);
    world.hook("mine", &answer(&permission("deny", "MINE-SAYS-NO")));
    world.config(&format!("{BARE}[hooks.pre_tool_use]\nscripts = [\"mine\"]\n"));
    world.deploy();
    let during = shell_turn(&world, "touch during");
    assert!(during.tool_results()[0].text.contains("MINE-SAYS-NO"), "{:?}", during.tool_results());
    let foreign_runs = || count(&world.sandbox.read("foreign.json"), "\"PreToolUse\"");
    assert_eq!(foreign_runs(), 1, "the foreign hook ran");
    world.undeploy();
    assert_eq!(world.sandbox.read_home(".claude/settings.json"), ODD_SETTINGS);
    let lines = world.journal().len();
    let _ = shell_turn(&world, "touch after");
    assert!(world.sandbox.project().join("after").exists());
    assert_eq!(foreign_runs(), 2);
    assert_eq!(world.journal().len(), lines, "sprag is not called any more");
}

#[test]
fn a_person_is_asked_with_the_reason_and_decides() {
    let ask = answer(&permission("ask", "ARE-YOU-SURE"));
    let Some(world) = world("pre_tool_use", &[("ask", &ask)]) else { return };
    let run = world.installed.run(&world.sandbox).step(bash("touch ran")).step(text("as you wish"));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    let long = Duration::from_secs(60);
    screen.wait_ready(long);
    screen.type_line("touch it");
    screen.wait("ARE-YOU-SURE", long);
    assert!(!world.sandbox.project().join("ran").exists(), "nothing runs before the answer");
    screen.press_until(&["Enter"], "as you wish", long);
    assert!(world.sandbox.project().join("ran").exists());
    screen.close();
}

/// The events in Claude Code's settings.
fn registered(world: &World) -> BTreeSet<String> {
    let settings: Value = serde_json::from_str(&world.sandbox.read_home(".claude/settings.json")).unwrap();
    settings["hooks"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn every_registered_event_is_journaled() {
    // Beside the standard chains, a hook on each event that a script can bring about.
    let more = [
        "setup", "instructions_loaded", "user_prompt_expansion", "message_display", "permission_request",
        "post_tool_batch", "subagent_stop", "session_stop", "cwd_changed", "pre_compact", "post_compact",
    ];
    let config: String = more.iter().map(|event| format!("[hooks.{event}]\nappend = [\"see\"]\n")).collect();
    let Some(world) = World::new(Agent::Claude) else { return };
    world.sandbox.write("CLAUDE.md", "Herons wade.\n");
    world.sandbox.write(".claude/commands/birds.md", "List the birds.\n");
    world.sandbox.write("sub/x", "");
    world.config(&format!("version = 1\n{config}"));
    world.hook("see", "cat >/dev/null");
    world.deploy();
    let subagent = json!({"description": "a look", "prompt": "COUNT", "subagent_type": "general-purpose"});
    let _ = world
        .say("/birds")
        .args(["--init"])
        .step(bash("cd sub"))
        .step(bash("false"))
        .step(tool("Agent", subagent))
        .step(text("two herons"))
        .step(text("done"))
        .go()
        .ok();
    let _ = world
        .say("touch")
        .resume()
        .asking()
        .args(["--permission-mode", "default"])
        .step(bash("touch asked"))
        .step(text("done"))
        .go()
        .ok();
    let summary = text("<analysis>short</analysis><summary>BIRDS</summary>");
    let _ = world.say("/compact").resume().step(summary).go().ok();
    let Some(screen) = failing(&world) else { return };
    world.wait_journal("the failure", |journal| journal.iter().any(|entry| entry["event"] == "StopFailure"));
    screen.close();
    let seen: BTreeSet<String> = world.counts().into_keys().collect();
    assert_eq!(registered(&world), seen);
    assert!(world.journal().iter().all(|entry| entry["agent"] == "claude" && entry["error"].is_null()));
}

#[test]
fn a_person_sees_failures_at_the_start_and_reasons_of_denials() {
    let config = format!(
        "{BARE}[hooks.pre_tool_use]\nscripts = [\"crash\", \"no\"]\n\
         [hooks.session_start]\nscripts = [\"hello\"]\n[hooks.session_end]\nscripts = [\"bye\"]\n"
    );
    let no = format!("if grep -q forbidden; then {}\nfi", answer(&permission("deny", "HERONS-MAY-NOT")));
    let hooks = [
        ("crash", "echo 'no such bird' >&2; exit 1"),
        ("no", no.as_str()),
        ("hello", "echo '{\"systemMessage\": \"THE-BANNER\"}'"),
        ("bye", "true"),
    ];
    let Some(world) = World::deployed(Agent::Claude, &config, &hooks) else { return };
    // A failure beforehand, for the next session to name.
    let _ = shell_turn(&world, "true");
    let before = world.journal().len();

    let run = world.installed.run(&world.sandbox).step(bash("touch forbidden")).step(text("as you wish"));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    let long = Duration::from_secs(60);
    screen.wait_ready(long);
    screen.wait("THE-BANNER", long);
    let shown = screen.wait("hook failure", long);
    assert!(shown.contains("no such bird"), "{shown}");
    screen.type_line("touch it");
    screen.wait("HERONS-MAY-NOT", long);
    screen.wait("as you wish", long);
    assert!(!world.sandbox.project().join("forbidden").exists());
    let since = |journal: &[Value], event: &str, field: &str| -> Vec<String> {
        let fits = journal[before..].iter().filter(|entry| entry["event"] == event);
        fits.map(|entry| entry[field].as_str().unwrap_or_default().to_owned()).collect()
    };
    screen.type_line("/clear");
    let journal = world.wait_journal("the start after /clear", |journal| {
        since(journal, "SessionStart", "session").len() == 2
    });
    let sessions = since(&journal, "SessionStart", "session");
    assert_ne!(sessions[0], sessions[1], "a cleared conversation is a new session");
    assert_eq!(since(&journal, "SessionEnd", "session"), [sessions[0].clone()]);
    screen.wait_ready(long);
    screen.type_line("/exit");
    assert_eq!(screen.wait_exit(long), 0);
    let journal = world.wait_journal("the end", |journal| since(journal, "SessionEnd", "session").len() == 2);
    assert_eq!(since(&journal, "SessionEnd", "session"), sessions);
    screen.close();
}
