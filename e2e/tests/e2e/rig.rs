//! The rig itself: each real agent plays a scripted turn, with no hooks anywhere.
//! The other end-to-end tests rely on what is tested here.

use std::time::Duration;

use serde_json::json;
use sprag_testkit::{Agent, Request, Sandbox, Screen, Step, or_skip, require, text, tool};

/// One turn with one shell call; the command's output differs from its text, so only a real run shows it.
/// One line, written at once: Qwen Code may lose what a command writes just before it ends. No `$()`: Gemini CLI
/// refuses it.
fn shell_turn(agent: Agent) {
    let Some(installed) = require(agent) else { return };
    let sandbox = Sandbox::with_git();
    let outcome = installed
        .run(&sandbox)
        .prompt("count please")
        .step([text("counting"), agent.shell("expr 40 + 2 > sum; pwd >> sum; paste -s -d : sum")])
        .step(text("all counted"))
        .go()
        .ok();
    assert!(outcome.stdout.contains("all counted"), "{}", outcome.stdout);
    assert_eq!(outcome.main().len(), 2);
    assert!(outcome.request(0).told().contains("count please"));
    assert!(outcome.request(0).tool_results().is_empty());
    let results = outcome.tool_results();
    assert_eq!(results.len(), 1);
    assert!(results[0].text.contains(&format!("42:{}", sandbox.project().display())), "{results:?}");
    assert!(!results[0].error);
}

/// A second run in the same project that goes on where the first one stopped.
fn resumed_turn(agent: Agent) {
    let Some(installed) = require(agent) else { return };
    let sandbox = Sandbox::new();
    let say = |prompt: &str| installed.run(&sandbox).prompt(prompt);
    let first = say("remember the heron").step(text("noted it")).go().ok();
    assert!(!first.reaches_model("and now the otter"));
    let second = say("and now the otter").resume().step(text("noted both")).go().ok();
    for piece in ["remember the heron", "noted it", "and now the otter"] {
        assert!(second.request_text(0).contains(piece), "{piece} is not in {}", second.request_text(0));
    }
    assert!(!sandbox.transcripts(agent).is_empty());
}

#[test]
fn claude_runs_a_tool_and_reports_it() {
    shell_turn(Agent::Claude);
}

#[test]
fn codex_runs_a_tool_and_reports_it() {
    shell_turn(Agent::Codex);
}

#[test]
fn gemini_runs_a_tool_and_reports_it() {
    shell_turn(Agent::Gemini);
}

#[test]
fn qwen_runs_a_tool_and_reports_it() {
    shell_turn(Agent::Qwen);
}

#[test]
fn claude_resumes() {
    resumed_turn(Agent::Claude);
}

#[test]
fn codex_resumes() {
    resumed_turn(Agent::Codex);
}

#[test]
fn gemini_resumes() {
    resumed_turn(Agent::Gemini);
}

#[test]
fn qwen_resumes() {
    resumed_turn(Agent::Qwen);
}

#[test]
fn claude_compacts_and_goes_on_with_the_summary() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::new();
    let say = |prompt: &str| claude.run(&sandbox).prompt(prompt);
    let _ = say("tell me about herons").step(text("they wade")).go().ok();
    let summary = text("<analysis>short</analysis><summary>HERONS-WADE</summary>");
    let compacted = say("/compact").resume().step(summary).go().ok();
    assert!(compacted.last_request_text().contains("they wade"));
    let after = say("go on").resume().go().ok();
    assert!(after.reaches_model("HERONS-WADE"));
    assert!(!after.reaches_model("tell me about herons"));
}

#[test]
fn claude_compacts_by_itself_when_the_context_is_full() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::new();
    let outcome = claude
        .run(&sandbox)
        .prompt("look around")
        .step(Step::from(Agent::Claude.shell("echo heron")).input_tokens(990_000))
        .step(text("<analysis>short</analysis><summary>SAW-A-HERON</summary>"))
        .step(text("seen"))
        .go()
        .ok();
    assert_eq!(outcome.stdout, "seen\n");
    assert_eq!(outcome.main().len(), 3);
    assert!(outcome.last_request().told().contains("SAW-A-HERON"));
}

#[test]
fn codex_compacts_by_itself_when_the_context_is_full() {
    let Some(codex) = require(Agent::Codex) else { return };
    let sandbox = Sandbox::new();
    let outcome = codex
        .run(&sandbox)
        .prompt("look around")
        .step(Step::from(Agent::Codex.shell("echo heron")).input_tokens(400_000))
        .step(text("seen"))
        .aux(text("SAW-A-HERON"))
        .go()
        .ok();
    assert_eq!(outcome.aux().len(), 1);
    assert!(outcome.last_request().told().contains("SAW-A-HERON"));
}

#[test]
fn codex_applies_a_patch() {
    let Some(codex) = require(Agent::Codex) else { return };
    let sandbox = Sandbox::new();
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+heron\n*** End Patch\n";
    let outcome = codex.run(&sandbox).prompt("write").step(tool("apply_patch", json!(patch))).go().ok();
    assert_eq!(sandbox.read("new.txt"), "heron\n", "{:?}", outcome.tool_results());
}

#[test]
fn a_lasting_server_error_ends_claude() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::new();
    let run = claude.run(&sandbox).prompt("hi").env("CLAUDE_CODE_MAX_RETRIES", "0");
    let outcome = run.step(Step::error(500, "no such luck").forever()).go();
    assert_eq!((outcome.code, outcome.main().len()), (Some(1), 1), "{}", outcome.stdout);
}

#[test]
fn claude_stops_at_an_error_it_cannot_retry() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::new();
    let outcome = claude.run(&sandbox).prompt("hi").step(Step::error(400, "no such luck").forever()).go();
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("no such luck"), "{}", outcome.stdout);
    assert!(!outcome.timed_out);
}

#[test]
fn a_deadline_ends_an_agent_in_the_middle_of_a_tool() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::new();
    let outcome = claude
        .run(&sandbox)
        .prompt("wait")
        .step(Agent::Claude.shell("tail -f /dev/null"))
        .timeout(Duration::from_secs(5))
        .go();
    assert!(outcome.timed_out && outcome.took < Duration::from_secs(15), "{outcome:?}");
    assert_eq!(outcome.main().len(), 1);
}

#[test]
fn claude_in_a_terminal_replies_and_exits() {
    let Some(claude) = require(Agent::Claude) else { return };
    let sandbox = Sandbox::with_git();
    let run = claude.run(&sandbox).step(text("nice to see you"));
    let Some(screen) = or_skip(Screen::start(&run)) else { return };
    screen.wait_ready(Duration::from_secs(60));
    screen.type_line("hello out there");
    screen.wait("nice to see you", Duration::from_secs(60));
    let told = |all: &[Request]| all.iter().any(|request| request.told().contains("hello out there"));
    screen.model().wait_for(told, Duration::from_secs(10)).unwrap();
    screen.type_line("/exit");
    assert_eq!(screen.wait_exit(Duration::from_secs(30)), 0);
    screen.close();
}
