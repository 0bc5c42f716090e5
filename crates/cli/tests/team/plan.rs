//! Tasks as a plan, messages, worktrees, and what the dispatcher refuses, through the built program.

use crate::cli_home::{Home, has_keys};
use serde_json::{Value, json};

const SWARM: &str = "preset = \"swarm\"\n";
const ADA: &str = "11111111-aaaa-4333-8444-555555555555";
const BOB: &str = "22222222-bbbb-4333-8444-555555555555";

fn home() -> Home {
    let home = Home::new();
    home.write(".config/sprag/config.toml", SWARM);
    home
}

fn add(home: &Home, args: &[&str]) -> String {
    let all: Vec<&str> = ["task", "add"].iter().chain(args).chain(&["--json"]).copied().collect();
    home.run(&all).json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn tasks_wait_for_each_other_and_a_failure_blocks_with_its_reason() {
    let home = home();
    let lexer = add(&home, &["Lexer"]);
    let parser = add(&home, &["Parser", "--after", &lexer]);
    let docs = add(&home, &["Docs", "--priority", "5"]);
    let ready = home.run(&["task", "ready", "--json"]).json();
    let titles: Vec<&str> =
        ready["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Docs", "Lexer"]);
    let circle = home.run(&["task", "after", &lexer, &parser]).failed();
    assert!(circle.contains("would wait for each other"), "{circle}");
    home.run(&["task", "fail", &lexer, "--reason", "no grammar"]).ok();
    let graph = home.run(&["task", "graph", "--json"]).json();
    let of = |title: &str| -> Value {
        graph["tasks"].as_array().unwrap().iter().find(|task| task["title"] == title).unwrap().clone()
    };
    has_keys(&of("Parser"), &["id", "title", "state", "why", "priority", "parent", "assignee", "after"]);
    assert_eq!((&of("Parser")["state"], &of("Docs")["state"]), (&json!("blocked"), &json!("ready")));
    assert_eq!(of("Parser")["why"], format!("{lexer} failed: no grammar"));
    assert!(home.run(&["task", "graph"]).ok().contains("failed: no grammar"));
    let again = home.run(&["task", "retry", &lexer, "--json"]).json()["id"].as_str().unwrap().to_owned();
    let after = home.run(&["task", "show", &parser, "--json"]).json();
    assert_eq!(after["after"][0]["id"], json!(again), "it waits for the new one");
    assert!(home.run(&["task", "retry", &docs]).failed().contains("only a task that failed"));
}

#[test]
fn a_list_becomes_tasks_once() {
    let home = home();
    home.write(
        "shop/PLAN.md",
        "# Plan\n\n1. Lexer (priority: 2)\n   Reads UTF-8.\n2. Parser (after: 1)\n   - [ ] Numbers\n",
    );
    let made = home.run(&["task", "import", "PLAN.md", "--json"]).json();
    assert_eq!((made["made"].as_array().unwrap().len(), &made["known"]), (3, &json!(0)), "{made:#}");
    assert_eq!(made["made"][0]["goal"], "Reads UTF-8.");
    let again = home.run(&["task", "import", "PLAN.md", "--json"]).json();
    assert_eq!((again["made"].as_array().unwrap().len(), &again["known"]), (0, &json!(3)));
    home.write(
        "shop/issues.json",
        r#"[{"number": 7, "title": "Crash", "body": "", "state": "OPEN", "labels": [{"name": "P0"}]}]"#,
    );
    let issues = home.run(&["task", "import", "issues.json", "--json"]).json();
    assert_eq!(
        (&issues["made"][0]["title"], &issues["made"][0]["priority"]),
        (&json!("Crash (#7)"), &json!(3))
    );
    home.write("shop/BAD.md", "1. a (after: 2)\n2. b (after: 1)\n");
    assert!(home.run(&["task", "import", "BAD.md"]).failed().contains("wait for each other"));
}

fn event(home: &Home, name: &str, session: &str, agent: &str) -> Value {
    let payload = home.event(
        name,
        json!({"session_id": session, "source": "startup", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_response": {}, "stop_hook_active": false}),
    );
    let answer = home.hook_with(&payload, &[("SPRAG_AGENT_NAME", agent)]);
    serde_json::from_str(&answer).unwrap_or(Value::Null)
}

#[test]
fn a_message_reaches_the_next_event_of_its_agent_and_of_nobody_else() {
    let home = home();
    event(&home, "SessionStart", ADA, "ada");
    event(&home, "SessionStart", BOB, "bob");
    assert_eq!(event(&home, "PostToolUse", ADA, "ada"), Value::Null);
    let sent = home.run(&["say", "ada", "the", "parser", "is", "yours"]).ok();
    assert!(sent.contains("reads it with its next event"), "{sent}");
    assert_eq!(event(&home, "PostToolUse", BOB, "bob"), Value::Null);
    let told = event(&home, "PostToolUse", ADA, "ada")["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(told.contains("the parser is yours"), "{told}");
    assert_eq!(event(&home, "PostToolUse", ADA, "ada"), Value::Null, "once");
    // Said by one agent to all: the others' turns go on with it, once.
    let inside = [("CLAUDE_CODE_SESSION_ID", ADA), ("SPRAG_AGENT_NAME", "ada")];
    let _ = home.run_with(&["say", "all", "lunch"], &inside).ok();
    assert_eq!(event(&home, "PostToolUse", ADA, "ada"), Value::Null, "not to its own sender");
    let held = event(&home, "Stop", BOB, "bob");
    assert_eq!(held["decision"], "block", "{held:#}");
    assert!(held["reason"].as_str().unwrap().contains("ada (an agent"), "{held:#}");
    assert_eq!(event(&home, "Stop", BOB, "bob"), Value::Null);
    let all = home.run_with(&["inbox", "--all", "--json"], &inside).json();
    let read: Vec<&Value> = all["messages"].as_array().unwrap().iter().map(|one| &one["read_by"]).collect();
    assert_eq!(read, [&json!(["bob"]), &json!(["ada"])], "{all:#}");
    assert!(home.run(&["say", "role:boss", "x"]).failed().contains("neither an agent nor a group"));
}

#[test]
fn a_message_waits_for_a_session_that_is_not_there_yet_and_a_sender_is_limited() {
    let home = home();
    home.run(&["say", "ada", "good morning"]).ok();
    let told = event(&home, "SessionStart", ADA, "ada").to_string();
    assert!(told.contains("good morning"), "{told}");
    for _ in 0..29 {
        home.run(&["say", "ada", "again"]).ok();
    }
    assert!(home.run(&["say", "ada", "again"]).failed().contains("30 messages were sent within a minute"));
}

#[test]
fn a_person_reads_what_an_agent_says() {
    let home = home();
    event(&home, "SessionStart", ADA, "ada");
    let inside = [("CLAUDE_CODE_SESSION_ID", ADA), ("SPRAG_AGENT_NAME", "ada")];
    let _ = home.run_with(&["say", "carl", "may I release?"], &inside).ok();
    let read = |args: &[&str]| home.run_with(args, &[("USER", "carl")]).json();
    assert_eq!(read(&["inbox", "--json"])["messages"][0]["text"], "may I release?");
    assert_eq!(read(&["inbox", "--json"])["messages"], json!([]), "read");
}

#[test]
fn the_dispatcher_wants_a_registered_agent_and_gives_no_agent_wider_permissions() {
    let home = home();
    let task = add(&home, &["Lexer"]);
    let refused = home.run(&["team", "run", "--agent", "heron"]).failed();
    assert!(refused.contains("unknown agent `heron`"), "{refused}");
    let inside = [("CLAUDECODE", "1")];
    let refused = home.run_with(&["team", "run", "--", "--dangerously-skip-permissions"], &inside).failed();
    assert!(refused.contains("inside an agent"), "{refused}");
    let report = home.run(&["team", "report", "--json"]).json();
    has_keys(&report, &["attempts", "left", "cost_usd"]);
    assert_eq!((&report["left"][0]["id"], &report["left"][0]["state"]), (&json!(task), &json!("ready")));
}

#[test]
fn tokens_are_counted_by_day_and_priced_by_the_users_list() {
    let home = home();
    let line = |id: &str, model: &str, output: u64| {
        json!({"type": "assistant", "sessionId": ADA, "cwd": "/home/dev/shop", "gitBranch": "main",
            "timestamp": "2026-11-15T09:00:00Z", "uuid": format!("{id}-{output}"), "message": {"id": id, "model": model, "role": "assistant",
            "content": [{"type": "text", "text": "done"}],
            "usage": {"input_tokens": 1000, "output_tokens": output, "cache_read_input_tokens": 0}}})
        .to_string()
    };
    // The second line repeats the first answer, as agents do.
    let text =
        [line("m1", "heron-1", 50), line("m1", "heron-1", 100), line("m2", "otter-1", 10)].join("\n") + "\n";
    home.write(".claude/projects/shop/11111111-aaaa-4333-8444-555555555555.jsonl", &text);
    home.write(".config/sprag/prices.json", r#"{"heron-1": {"input": 2, "output": 10}}"#);
    let cost = home.run(&["stats", "--cost", "--since", "5000w", "--json"]).json();
    has_keys(&cost, &["since", "rows", "cost_usd", "prices_as_of", "models_without_price"]);
    assert_eq!(cost["rows"][0]["name"], "2026-11-15", "{cost:#}");
    assert_eq!(
        (&cost["rows"][0]["input_tokens"], &cost["rows"][0]["output_tokens"]),
        (&json!(2000), &json!(110))
    );
    assert_eq!((&cost["cost_usd"], &cost["models_without_price"]), (&json!(0.003), &json!(["otter-1"])));
    let by = home.run(&["stats", "--cost", "--by", "branch", "--since", "5000w", "--json"]).json();
    assert_eq!(by["rows"][0]["name"], "main");
    home.write(".config/sprag/prices.json", "{\"heron-1\": {}}");
    assert!(home.run(&["stats", "--cost"]).failed().contains("needs `input`"));
}
