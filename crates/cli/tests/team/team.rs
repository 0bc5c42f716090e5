//! Many agents behind the built program: claims, tasks and agents as people and scripts see them.

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};
use sprag_store::testing;

const ONE: &str = "11111111-aaaa-4333-8444-555555555555";
const TWO: &str = "22222222-bbbb-4333-8444-555555555555";

fn write(home: &Home, session: &str, path: &str) -> Value {
    let payload = home.event(
        "PreToolUse",
        json!({"session_id": session, "tool_name": "Write", "tool_input": {"file_path": path, "content": ""}}),
    );
    serde_json::from_str(&home.hook(&payload)).unwrap_or(Value::Null)
}

fn shell(home: &Home, session: &str, command: &str) -> Value {
    let payload = home.event(
        "PreToolUse",
        json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": command}}),
    );
    serde_json::from_str(&home.hook(&payload)).unwrap_or(Value::Null)
}

fn start(home: &Home, session: &str) {
    home.hook(&home.event("SessionStart", json!({"session_id": session, "source": "startup"})));
}

fn told(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

fn reason(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default()
}

fn claims(home: &Home) -> Vec<Value> {
    home.run(&["claims", "list", "--json"]).json()["claims"].as_array().unwrap().clone()
}

#[test]
fn claims_are_listed_and_let_go_of() {
    let home = Home::new();
    assert_eq!(home.run(&["claims", "list"]).ok(), "Nothing is claimed.\n");
    start(&home, ONE);
    assert_eq!(write(&home, ONE, "a.py"), Value::Null);
    assert_eq!(write(&home, ONE, "b.py"), Value::Null);
    let found = claims(&home);
    let keys = [
        "path", "branch", "repo", "agent", "session", "subagent", "name", "host", "root", "since", "renewed",
        "until",
    ];
    has_keys(&found[0], &keys);
    assert_eq!((&found[0]["path"], &found[0]["session"]), (&json!("a.py"), &json!(ONE)));
    assert_eq!(home.run(&["status", "claims", "--json"]).json()["claims"].as_array().unwrap().len(), 2);
    assert!(
        told(&write(&home, TWO, "a.py"))
            .contains("a.py is being worked on by another session: claude 11111111")
    );
    // What another session holds is not the model's to give away.
    let inside =
        home.run_with(&["claims", "release", "a.py"], &[("CLAUDECODE", "1"), ("SPRAG_SESSION_ID", TWO)]);
    assert!(inside.failed().contains("interactive only"));
    home.run_with(&["claims", "release", "b.py"], &[("CLAUDECODE", "1"), ("SPRAG_SESSION_ID", ONE)]).ok();
    assert_eq!(home.outside(&["claims", "release", "a.py"]).ok(), "a.py is free (claude 11111111 had it)\n");
    assert!(claims(&home).is_empty());
    assert_eq!(write(&home, TWO, "a.py"), Value::Null, "it is free at once");
    assert!(
        told(&write(&home, ONE, "a.py")).contains("claude 22222222"),
        "the first does not believe it has it"
    );
    assert!(home.outside(&["claims", "release", "none.py"]).failed().contains("no such claim"));
}

/// The store knows sessions; which subagent works on a file is known on its machine.
#[test]
fn a_claim_names_the_subagent_that_works_on_it() {
    let home = Home::new();
    start(&home, ONE);
    let call = json!({"session_id": ONE, "agent_id": "a17b2c3d4e5f", "agent_type": "general-purpose", "tool_name": "Write",
        "tool_input": {"file_path": "a.py", "content": ""}});
    home.hook(&home.event("PreToolUse", call));
    assert_eq!(write(&home, ONE, "b.py"), Value::Null);
    let found = claims(&home);
    assert_eq!((&found[0]["subagent"], &found[1]["subagent"]), (&json!("a17b2c3d4e5f"), &Value::Null));
    let shown = home.run(&["claims", "list"]).ok();
    assert!(shown.contains("claude, subagent a17b2c3d"), "{shown}");
    home.hook(&home.event("SubagentStop", json!({"session_id": ONE, "agent_id": "a17b2c3d4e5f"})));
    assert_eq!(claims(&home)[0]["subagent"], Value::Null, "it ended: the file is the session's");
}

/// Before, a session whose agent was killed counted as live for ten minutes.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_agent_was_killed_is_over_at_once() {
    use std::io::{BufRead as _, BufReader};
    let home = Home::new();
    let start_event = home.event("SessionStart", json!({"session_id": ONE, "source": "startup"}));
    let claim =
        json!({"session_id": ONE, "tool_name": "Write", "tool_input": {"file_path": "a.py", "content": ""}});
    let first = home.write("start.json", &start_event.to_string());
    let second = home.write("claim.json", &home.event("PreToolUse", claim).to_string());
    // Whatever has an agent's name and calls the hook is the agent.
    let agent = home.write(
        "bin/claude",
        "#!/bin/sh\n\"$1\" hook --agent claude < \"$2\" > /dev/null\n\"$1\" hook --agent claude < \"$3\" > /dev/null\necho ready\nread line\n",
    );
    // Through its interpreter: a file that was just written may be busy for a process of another test.
    let args = [agent.to_str().unwrap(), SPRAG, first.to_str().unwrap(), second.to_str().unwrap()];
    let mut child = home
        .program("/bin/sh", &args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    assert!(told(&write(&home, TWO, "a.py")).contains("worked on by another session: claude 11111111"));
    child.kill().unwrap();
    child.wait().unwrap();
    let other = "33333333-cccc-4333-8444-555555555555";
    assert_eq!(write(&home, other, "a.py"), Value::Null, "its claim is free");
    let begun = home.hook(&home.event("SessionStart", json!({"session_id": "s4", "source": "startup"})));
    assert!(!begun.contains("11111111"), "nobody is told that it is at work: {begun}");
    assert!(claims(&home).iter().all(|claim| claim["session"] != ONE));
}

#[test]
fn what_carries_a_command_out_is_named_when_it_is_off() {
    let home = Home::new();
    start(&home, ONE);
    let id = home.run(&["task", "create", "Port", "--json"]).json()["id"].as_str().unwrap().to_owned();
    home.run_with(&["task", "start", &id], &[("SPRAG_SESSION_ID", ONE)]).ok();
    let cancelled = home.run(&["task", "cancel", &id]);
    assert!(
        cancelled.err.contains("cancel-check is off here")
            && cancelled.err.contains("sprag enable cancel-check")
    );
    let begun = home.run(&["pattern", "start", "jury", "--members", "3"]);
    assert!(begun.err.contains("sprag enable subagent-start subagent-stop"), "{begun:?}");
    home.write(".config/sprag/config.toml", "preset = \"swarm\"\n");
    let begun = home.run(&["pattern", "start", "jury", "--members", "3"]);
    assert!(begun.code == 0 && !begun.err.contains("sprag enable"), "{begun:?}");
}

/// Before, a worker that was started with a task was never told of it and could not report.
#[test]
fn a_worker_with_a_task_starts_it_and_can_report_at_once() {
    let home = Home::new();
    let id = home.run(&["task", "create", "Port the parser", "--goal", "all green", "--json"]).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let event = home.event("SessionStart", json!({"session_id": ONE, "source": "startup"}));
    let env = [("SPRAG_TASK", id.as_str()), ("SPRAG_SESSION_ID", ONE)];
    let answer: Value = serde_json::from_str(&home.hook_with(&event, &env)).unwrap();
    assert!(told(&answer).contains("Port the parser") && told(&answer).contains("all green"), "{answer}");
    home.run_with(&["task", "progress", "lexer done"], &env).ok();
    let shown = home.run(&["task", "show", &id, "--json"]).json();
    assert_eq!(
        (&shown["state"], &shown["progress"], &shown["session"]),
        (&json!("running"), &json!("lexer done"), &json!(ONE))
    );
}

#[test]
fn a_task_from_its_making_to_its_end() {
    let home = Home::new();
    start(&home, ONE);
    start(&home, TWO);
    let made = home.run(&["task", "create", "Port the parser", "--goal", "all green", "--json"]).json();
    let keys = [
        "id", "parent", "title", "goal", "state", "creator", "assignee", "agent", "session", "project",
        "progress", "outcome", "priority", "created", "updated", "started", "finished",
    ];
    has_keys(&made, &keys);
    let id = made["id"].as_str().unwrap();
    let part = home.run(&["task", "create", "Its tests", "--parent", id, "--assign", "ada", "--json"]).json();
    assert_eq!(part["parent"], id);
    let one = [("SPRAG_SESSION_ID", ONE)];
    let two = [("SPRAG_SESSION_ID", TWO)];
    let early = home.run(&["task", "done", id]).failed();
    assert!(early.contains("has not been started"), "{early}");
    let started = home.run_with(&["task", "start", id, "--json"], &one).json();
    assert_eq!(
        (&started["state"], &started["session"], &started["agent"]),
        (&json!("running"), &json!(ONE), &json!("claude"))
    );
    assert!(home.run_with(&["task", "start", id], &two).failed().contains("being done by claude 11111111"));
    // Inside its session a task needs no id, and a prefix is enough elsewhere.
    home.run_with(&["task", "progress", "lexer done"], &one).ok();
    let shown = home.run(&["task", "show", id.get(..6).unwrap(), "--json"]).json();
    assert_eq!((&shown["progress"], shown["parts"].as_array().unwrap().len()), (&json!("lexer done"), 1));
    assert!(home.run_with(&["task", "done"], &one).failed().contains("1 of its parts"));
    assert!(
        home.run_with(&["task", "start", part["id"].as_str().unwrap()], &two).failed().contains("is for ada")
    );
    home.run(&["task", "cancel", part["id"].as_str().unwrap(), "--reason", "later"]).ok();
    home.run_with(&["task", "done", "--result", "merged"], &one).ok();
    let late = home.run(&["task", "cancel", id]).failed();
    assert!(late.contains("is done already (merged)"), "{late}");
    assert_eq!(home.run(&["task", "list", "--json"]).json()["tasks"], json!([]));
    assert_eq!(home.run(&["task", "list", "--all", "--json"]).json()["tasks"].as_array().unwrap().len(), 2);
    assert_eq!(
        home.run(&["task", "list", "--state", "done", "--json"]).json()["tasks"][0]["outcome"],
        "merged"
    );
    assert!(home.run(&["status", "tasks"]).ok().contains("No task."));
    assert_eq!(home.run(&["task", "list", "--state", "sleeping"]).code, 2);
    assert!(home.run(&["task", "show", "t-none"]).failed().contains("no task"));
}

#[test]
fn a_cancelled_task_stops_its_session_at_once_and_no_other() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "preset = \"swarm\"\n");
    start(&home, ONE);
    start(&home, TWO);
    let id =
        home.run(&["task", "create", "Port the parser", "--json"]).json()["id"].as_str().unwrap().to_owned();
    home.run_with(&["task", "start", &id], &[("SPRAG_SESSION_ID", ONE)]).ok();
    assert_eq!(shell(&home, ONE, "ls"), Value::Null);
    home.run(&["task", "cancel", &id, "--reason", "the customer left"]).ok();
    let stopped = shell(&home, ONE, "ls");
    assert!(
        reason(&stopped).contains(&format!("Task {id} (Port the parser) was cancelled: the customer left"))
    );
    assert_eq!(shell(&home, TWO, "ls"), Value::Null);
    let prompt: Value = serde_json::from_str(
        &home.hook(&home.event("UserPromptSubmit", json!({"session_id": ONE, "prompt": "go on"}))),
    )
    .unwrap();
    assert_eq!(prompt["decision"], "block");
    let itself = home.run_with(&["task", "leave"], &[("SPRAG_SESSION_ID", ONE), ("CLAUDECODE", "1")]);
    assert!(itself.failed().contains("interactive only"));
    home.outside(&["task", "leave", "--session", "11111111"]).ok();
    assert_eq!(shell(&home, ONE, "ls"), Value::Null, "a person set it free");
    // One that takes the task over stops the one that had it.
    let id = home.run(&["task", "create", "Next", "--json"]).json()["id"].as_str().unwrap().to_owned();
    home.run_with(&["task", "start", &id], &[("SPRAG_SESSION_ID", ONE)]).ok();
    assert_eq!(shell(&home, ONE, "ls"), Value::Null);
    home.run_with(&["task", "start", &id, "--take"], &[("SPRAG_SESSION_ID", TWO)]).ok();
    assert!(reason(&shell(&home, ONE, "ls")).contains("another session (claude 22222222)"));
    assert_eq!(shell(&home, TWO, "ls"), Value::Null);
}

#[test]
fn agents_have_a_role_and_are_at_work_until_they_go() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "preset = \"swarm\"\n");
    home.run(&["agent", "register", "ada", "--role", "lead"]).ok();
    assert!(home.run(&["agent", "register", "../x"]).failed().contains("invalid agent name"));
    let agents = || home.run(&["agent", "list", "--json"]).json()["agents"].as_array().unwrap().clone();
    let keys = [
        "id", "name", "role", "home", "host", "state", "live_sessions", "first_seen", "last_activity",
        "offline_since",
    ];
    has_keys(&agents()[0], &keys);
    assert_eq!((&agents()[0]["role"], &agents()[0]["state"]), (&json!("lead"), &json!("offline")));
    let named = |event: &str| {
        let payload = home.event(event, json!({"session_id": ONE, "source": "startup", "reason": "other"}));
        let mut command = home.program(SPRAG, &["hook", "--agent", "claude"]);
        command.env("SPRAG_AGENT_NAME", "ada").stdin(std::process::Stdio::piped());
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
        child.wait().unwrap();
    };
    named("SessionStart");
    assert_eq!(
        (agents().len(), &agents()[0]["state"], &agents()[0]["role"]),
        (1, &json!("active"), &json!("lead"))
    );
    write(&home, ONE, "a.py");
    let shown = home.run(&["agent", "show", "ada", "--json"]).json();
    assert_eq!(shown["sessions"][0]["claims"], json!(["a.py"]));
    assert!(home.run(&["agent", "show", "ada"]).ok().contains("holds a.py"));
    assert!(home.run(&["agent", "show", "bob"]).failed().contains("no agent"));
    assert_eq!(home.run(&["status", "agents", "--json"]).json()["agents"][0]["live_sessions"], 1);
    named("SessionEnd");
    assert_eq!(agents()[0]["state"], "offline");
    assert!(agents()[0]["offline_since"].is_string());
    assert!(claims(&home).is_empty(), "what it held is free");
}

/// Two homes are two machines here: one store, two clones of one remote.
#[test]
fn two_homes_with_one_server_see_each_others_claims_and_tasks() {
    let Some(server) = testing::server() else { return };
    let url = server.database();
    let homes = [Home::new(), Home::new()];
    for home in &homes {
        // Generous: a loaded machine is no server that is unavailable.
        home.write(
            ".config/sprag/config.toml",
            &format!("preset = \"swarm\"\n[store]\nurl = \"{url}\"\nbudget_ms = 20000\n[hook.file-claims]\ndeny = true\n"),
        );
        home.write("shop/.git/HEAD", "ref: refs/heads/main\n");
        home.write("shop/.git/config", "[remote \"origin\"]\n\turl = git@git.example:dev/shop.git\n");
    }
    let [near, far] = &homes;
    near.outside(&["store", "migrate"]).ok();
    start(near, ONE);
    start(far, TWO);
    assert_eq!(write(near, ONE, "src/a.py"), Value::Null);
    let refused = write(far, TWO, "src/a.py");
    assert!(
        reason(&refused).contains("src/a.py is being worked on by another session: claude 11111111"),
        "{refused}"
    );
    let id = near.run(&["task", "create", "Port", "--json"]).json()["id"].as_str().unwrap().to_owned();
    far.run_with(&["task", "start", &id], &[("SPRAG_SESSION_ID", TWO)]).ok();
    near.run(&["task", "cancel", &id]).ok();
    assert!(reason(&shell(far, TWO, "ls")).contains("was cancelled"));
    near.hook(&near.event("SessionEnd", json!({"session_id": ONE, "reason": "other"})));
    near.run(&["worker", "--once"]).ok();
    far.outside(&["task", "leave", "--session", TWO]).ok();
    assert_eq!(write(far, TWO, "src/a.py"), Value::Null, "the other home's session ended");
}

/// Fault of the reference: looking and taking were two steps, so two could pass between them.
fn one_of_many_gets_it(url: &str) {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        &format!("[store]\nurl = \"{url}\"\nbudget_ms = 60000\n[hook.file-claims]\ndeny = true\n"),
    );
    home.outside(&["store", "migrate"]).ok();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..32)
            .map(|number| {
                let home = &home;
                scope.spawn(move || write(home, &format!("{number:08}-session"), "contended.py"))
            })
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let denied =
        answers.iter().filter(|answer| reason(answer).contains("contended.py is being worked on")).count();
    assert_eq!((denied, claims(&home).len()), (31, 1), "{answers:?}");
    let holder: Value = claims(&home).remove(0);
    let id = holder["session"].as_str().unwrap().get(..8).unwrap().to_owned();
    assert!(
        answers.iter().all(|answer| answer.is_null() || reason(answer).contains(&id)),
        "all name the one"
    );
}

#[test]
fn of_many_hooks_that_claim_one_file_at_once_one_gets_it_on_sqlite() {
    one_of_many_gets_it("sqlite");
}

#[test]
fn of_many_hooks_that_claim_one_file_at_once_one_gets_it_on_postgresql() {
    let Some(server) = testing::server() else { return };
    one_of_many_gets_it(&server.database());
}

/// A call that changes nothing shared reaches for no server, in the preset that coordinates most.
#[test]
fn looking_around_in_a_swarm_opens_no_store() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        &format!(
            "preset = \"swarm\"\n[store]\nurl = \"postgres://me@127.0.0.1:{port}/db?sslmode=disable\"\n"
        ),
    );
    for command in
        ["ls -la", "git status", "cat a.py | head", "cargo test > /tmp/out 2>&1", "git commit -m x"]
    {
        shell(&home, ONE, command);
        assert!(listener.accept().is_err(), "`{command}` reached for the store");
    }
    for event in ["PostToolUse", "UserPromptSubmit", "Stop", "SessionEnd"] {
        home.hook(&home.event(event, json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})));
        assert!(listener.accept().is_err(), "{event} reached for the store");
    }
    write(&home, ONE, "a.py");
    assert!(listener.accept().is_ok(), "a change does");
}
