//! What happened: status, stats, logs and doctor, after real events through the binary.

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

/// A home with a small past: a session with a warning hook of its own, one deny, one failure.
fn lived() -> Home {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "[hooks.pre_tool_use]\nappend = [\"no\", \"shady\", \"bad\"]\n[hook.no]\nmatcher = \"Bash\"\n[hook.bad]\nmatcher = \"Read\"\n[hook.shady]\nmode = \"shadow\"\nmatcher = \"Read\"\n",
    );
    home.script(".config/sprag/hooks/no.sh", "#!/bin/sh\ncat >/dev/null; echo 'not here' >&2; exit 2\n");
    home.script(".config/sprag/hooks/shady.sh", "#!/bin/sh\ncat >/dev/null; echo 'would not' >&2; exit 2\n");
    home.script(
        ".config/sprag/hooks/bad.sh",
        "#!/bin/sh\ncat >/dev/null; echo 'a broken tool' >&2; exit 7\n",
    );
    home.hook(&home.event("SessionStart", json!({ "source": "startup" })));
    let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "a" });
    assert!(home.hook(&home.event("PreToolUse", bash)).contains("not here"));
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "/x" }, "tool_use_id": "b" });
    home.hook(&home.event("PreToolUse", read));
    home
}

fn row<'a>(rows: &'a Value, key: &str, name: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row[key] == name).unwrap()
}

#[test]
fn status_of_hooks_and_overview() {
    let home = lived();
    let value = home.run(&["status", "hooks", "--json"]).json();
    let no = row(&value["hooks"], "hook", "no");
    has_keys(
        no,
        &[
            "hook", "on", "mode", "last_run", "last_verdict", "fires_today", "blocks_today", "errors_today",
            "last_error",
        ],
    );
    assert_eq!((&no["last_verdict"], &no["blocks_today"]), (&json!("deny"), &json!(1)));
    let bad = row(&value["hooks"], "hook", "bad");
    assert_eq!(bad["errors_today"], 1);
    assert!(row(&value["hooks"], "hook", "session-cleanup")["last_run"].is_null());
    let text = home.run(&["status", "hooks"]).ok();
    assert!(text.contains("error bad: "), "{text}");
    let text = home.run(&["status"]).ok();
    assert!(
        text.contains("today: 3 events, 1 blocked, 0 asked about") && text.contains(" waiting"),
        "{text}"
    );
    has_keys(&home.run(&["status", "--json"]).json(), &["hooks", "queue"]);
}

#[test]
fn status_of_the_queue() {
    let home = Home::new();
    assert!(home.run(&["status", "queue"]).ok().contains("empty"));
    let job = |attempts: u32, error: &str| {
        json!({
            "job": { "kind": "stranger", "payload": {}, "delay_s": 0 },
            "created": 1_000_000, "due": 1_000_000, "attempts": attempts, "last_error": error,
        })
        .to_string()
    };
    home.write(".local/state/sprag/queue/waiting/1.json", &job(2, "it broke"));
    home.write(".local/state/sprag/queue/dead/2.json", &job(5, "it broke for good"));
    let value = home.run(&["status", "queue", "--json"]).json();
    has_keys(&value["queue"], &["worker", "waiting", "running", "dead"]);
    let waiting = &value["queue"]["waiting"][0];
    has_keys(waiting, &["kind", "key", "created", "due", "attempts", "last_error", "file"]);
    assert_eq!((&waiting["kind"], &waiting["attempts"]), (&json!("stranger"), &json!(2)));
    assert_eq!(value["queue"]["dead"][0]["last_error"], "it broke for good");
    let text = home.run(&["status", "queue"]).ok();
    assert!(text.contains("2/5") && text.contains("it broke for good"), "{text}");
    let doctor = home.run(&["doctor"]).out;
    assert!(doctor.contains("given up after 5 tries") && doctor.contains("overdue"), "{doctor}");
}

#[test]
fn stats_per_hook_and_event() {
    let home = lived();
    let value = home.run(&["stats", "--json"]).json();
    has_keys(&value, &["since", "until", "source", "entries", "broken_lines", "hooks", "events"]);
    assert_eq!((&value["entries"], &value["broken_lines"]), (&json!(3), &json!(0)));
    let no = row(&value["hooks"], "hook", "no");
    has_keys(
        no,
        &[
            "hook", "fires", "p50_ms", "p95_ms", "p99_ms", "blocks", "deny", "block", "ask", "chars",
            "tokens", "tokens_saved", "errors", "skips", "shadow", "last", "last_verdict", "last_error",
        ],
    );
    assert_eq!((&no["fires"], &no["deny"], &no["blocks"]), (&json!(1), &json!(1), &json!(1)));
    assert!(no["p50_ms"].as_f64().unwrap() > 0.0);
    let shady = row(&value["hooks"], "hook", "shady");
    assert_eq!((&shady["shadow"], &shady["deny"]), (&json!(1), &json!(0)));
    assert_eq!(row(&value["hooks"], "hook", "bad")["errors"], 1);
    let pre = row(&value["events"], "event", "PreToolUse");
    assert_eq!((&pre["fires"], &pre["deny"], &pre["errors"]), (&json!(2), &json!(1), &json!(1)));
    let one = home.run(&["stats", "--hook", "no", "--json"]).json();
    assert_eq!(one["hooks"].as_array().unwrap().len(), 1);
    let text = home.run(&["stats", "--since", "1h"]).ok();
    assert!(text.contains("p95 ms") && text.contains("PreToolUse"), "{text}");
    assert!(Home::new().run(&["stats"]).ok().contains("Nothing in the journal"));
}

#[test]
fn logs_are_readable_and_filtered() {
    let home = lived();
    let text = home.run(&["logs"]).ok();
    assert_eq!(text.lines().filter(|line| line.starts_with("20")).count(), 3, "{text}");
    assert!(text.contains("claude  PreToolUse  Bash  deny") && text.contains(" · no: not here"), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.contains("not here")).count(),
        1,
        "one line per event: {text}"
    );
    let wrong = home.run(&["logs", "--hook", "comand-guard"]).failed();
    assert!(wrong.contains("did you mean `command-guard`?"), "{wrong}");
    assert!(home.run(&["logs", "--hook", "tool-loop"]).code == 0, "one that has not run is no fault");
    assert!(text.contains("    bad stderr| a broken tool") && text.contains("(shadow)"), "{text}");
    let line = text.lines().find(|line| line.contains("PreToolUse")).unwrap();
    assert!(line.contains("Bash") && !line.contains("µs") && !line.contains("command-guard"), "{line}");
    assert!(line.contains("ls"), "what was called: {line}");
    assert!(home.run(&["logs", "--verbose"]).ok().contains("command-guard "), "each hook and its time");
    assert_eq!(home.run(&["logs", "--since", "1h"]).ok(), text);
    let errors = home.run(&["logs", "--errors"]).ok();
    assert!(errors.contains("bad failed: ") && !errors.contains("Bash"), "{errors}");
    let last = home.run(&["logs", "-n", "1", "--json"]).ok();
    let entry: Value = serde_json::from_str(&last).unwrap();
    assert_eq!((&entry["event"], &entry["tool"]), (&json!("PreToolUse"), &json!("Read")));
    assert_eq!(home.run(&["logs", "--hook", "no", "--json"]).ok().lines().count(), 1);
    assert_eq!(home.run(&["logs", "--session", "1111", "--json"]).ok().lines().count(), 3);
    assert!(home.run(&["logs", "--session", "zzz"]).ok().is_empty());
}

#[test]
fn status_and_the_list_count_the_same_hooks() {
    let home = lived();
    let all = home.run(&["hooks", "list", "--json"]).json()["hooks"].as_array().unwrap().len();
    home.write(".config/sprag/config.toml", "version = 1\n");
    fs::remove_dir_all(home.path().join(".config/sprag/hooks")).unwrap();
    let left = home.run(&["hooks", "list", "--json"]).json()["hooks"].as_array().unwrap().len();
    assert!(left < all, "hooks that only the journal knows");
    let said = home.run(&["status"]).ok();
    assert!(said.contains(&format!(" of {left} on")), "{said}");
}

#[test]
fn logs_follow_across_rotation() {
    let home = lived();
    let mut command = home.program(SPRAG, &["logs", "-f", "-n", "0", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (send, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    // The follower may start late; prompts are sent until the first is heard.
    let mut count = 0;
    let patience = std::time::Duration::from_millis(700);
    let first = loop {
        home.hook(&home.event("UserPromptSubmit", json!({ "prompt": "hi" })));
        count += 1;
        match heard.recv_timeout(patience) {
            Ok(line) => break line,
            Err(_) => assert!(count < 30, "nothing was followed"),
        }
    };
    assert!(first.contains("UserPromptSubmit"));
    let journal = home.state().join("journal.jsonl");
    fs::rename(&journal, home.state().join("journal-00000000000000000009.jsonl")).unwrap();
    home.hook(&home.event("Stop", json!({})));
    let found = std::iter::from_fn(|| heard.recv_timeout(std::time::Duration::from_secs(20)).ok())
        .any(|line| line.contains("\"Stop\""));
    let _ = child.kill();
    let _ = child.wait();
    assert!(found, "the new file was not followed");
}

#[test]
fn doctor_finds_what_is_wrong() {
    let home = lived();
    home.write(
        ".claude/settings.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/gone/sprag","args":["hook","--agent","claude"]}]}],
            "Stop":[{"hooks":[{"type":"command","command":"echo done"}]}]}}"#,
    );
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 1, "a registered program that is not there fails: {ran:?}");
    let value = ran.json();
    has_keys(&value, &["ok", "version", "exe", "findings", "agents"]);
    assert_eq!(value["ok"], false);
    has_keys(&value["findings"][0], &["level", "area", "what", "do"]);
    let findings = value["findings"].as_array().unwrap();
    let says = |level: &str, word: &str| {
        findings.iter().any(|f| f["level"] == level && f["what"].as_str().unwrap().contains(word))
    };
    assert!(says("fail", "/gone/sprag"), "{findings:#?}");
    assert!(says("warn", "not registered: SessionStart"), "{findings:#?}");
    assert!(says("warn", "bad failed once"), "{findings:#?}");
    for finding in findings.iter().filter(|finding| finding["level"] != "ok") {
        assert!(!finding["do"].as_str().unwrap().is_empty(), "{finding}");
    }
    let claude = row(&value["agents"], "agent", "claude");
    has_keys(claude, &["agent", "program", "version", "folder", "registered", "events", "cannot", "lost"]);
    assert_eq!(claude["registered"][0]["events"], json!(["PreToolUse"]), "a foreign hook is not ours");
    let pre = row(&claude["events"], "event", "PreToolUse");
    has_keys(pre, &["event", "hooks", "registered", "fired", "last"]);
    assert_eq!((&pre["registered"], &pre["fired"]), (&json!(true), &json!(2)));
    let text = home.run(&["doctor"]).out;
    assert!(text.contains("fail  events") && text.contains("sprag deploy --agent claude"), "{text}");
}

#[test]
fn doctor_is_content_after_deploy_and_a_session() {
    let home = Home::new();
    home.run(&["init", "--yes"]).ok();
    home.run(&["deploy", "--agent", "claude"]).ok();
    let before = home.run(&["doctor"]);
    assert!(before.code == 0 && before.out.contains("no event has ever come"), "{before:?}");
    for (event, fields) in [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "hi" })),
        ("Stop", json!({})),
    ] {
        home.hook(&home.event(event, fields));
    }
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let value = ran.json();
    let about_claude: Vec<&Value> = value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["level"] != "ok" && finding["area"] == "events")
        .filter(|finding| !finding["what"].as_str().unwrap().contains("does not call sprag"))
        .collect();
    assert!(about_claude.is_empty(), "{about_claude:#?}");
}

/// What the doctor says about events of an agent, at this level.
fn about_events(home: &Home, level: &str) -> String {
    let value = home.run(&["doctor", "--json"]).json();
    let findings = value["findings"].as_array().unwrap().iter();
    let about = findings.filter(|finding| finding["level"] == level && finding["area"] == "events");
    about.map(|finding| format!("{}\n", finding["what"].as_str().unwrap())).collect()
}

#[test]
fn doctor_waits_for_a_turn_to_end_before_it_misses_the_end() {
    let home = Home::new();
    home.run(&["deploy", "--agent", "claude"]).ok();
    home.hook(&home.event("SessionStart", json!({ "source": "startup" })));
    let prompt = || home.hook(&home.event("UserPromptSubmit", json!({ "prompt": "hi" })));
    prompt();
    assert!(!about_events(&home, "warn").contains("but never"), "{}", about_events(&home, "warn"));
    prompt();
    prompt();
    let warned = about_events(&home, "warn");
    assert!(warned.contains("claude: events came, but never Stop"), "{warned}");
}

#[test]
fn an_ask_that_became_a_denial_is_no_fault() {
    let home = Home::new();
    let reset = home.event(
        "PreToolUse",
        json!({ "tool_name": "Bash", "tool_input": { "command": "git push -f origin feature" } }),
    );
    home.outside_program(&[SPRAG, "hook", "--agent", "codex"], &reset.to_string()).ok();
    home.run(&["deploy", "--agent", "codex"]).ok();
    let said = about_events(&home, "ok");
    assert!(said.contains("codex cannot ask on PreToolUse: a question became a denial once"), "{said}");
    assert!(!about_events(&home, "warn").contains("ask"), "{}", about_events(&home, "warn"));
}

#[cfg(unix)]
#[test]
fn doctor_sees_another_sprag_a_broken_file_and_an_open_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = lived();
    let other = home.script("old/sprag", &format!("#!/bin/sh\nexec {SPRAG} \"$@\"\n"));
    home.write(
        ".claude/settings.json",
        &json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": format!("{} hook", other.display())}]}]}})
            .to_string(),
    );
    home.write(".gemini/settings.json", "{\"hooks\": ");
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o755)).unwrap();
    let lines = || fs::read_to_string(home.state().join("journal.jsonl")).unwrap().lines().count();
    let before = lines();
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.code, 1, "an agent that cannot read its settings calls nothing: {ran:?}");
    assert_eq!(ran.out.matches(".gemini/settings.json").count(), 1, "{ran:?}");
    assert_eq!(lines(), before, "the probe leaves no line");
    for said in [
        "old/sprag answers claude in ", "another sprag than this one", ".gemini/settings.json",
        "can be read by others",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    home.script("old/sprag", "#!/bin/sh\nexit 0\n");
    let ran = home.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("does not answer claude"), "{ran:?}");
}

#[test]
fn doctor_knows_an_agents_version_without_waiting_for_it() {
    let home = Home::new();
    home.write("lib/claude-code/package.json", r#"{"name":"@anthropic-ai/claude-code","version":"2.9.9"}"#);
    // Neither comes to its end before it is given up.
    for program in ["lib/claude-code/claude", "lib/codex"] {
        home.script(program, "#!/bin/sh\nsleep 3600\n");
    }
    home.script("lib/gemini", "#!/bin/sh\necho 'gemini 0.61.0'\n");
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        home.path().join("lib/claude-code").display(),
        home.path().join("lib").display()
    );
    let value = home.run_with(&["doctor", "--json"], &[("PATH", &path)]).json();
    let version = |agent: &str| row(&value["agents"], "agent", agent)["version"].clone();
    assert_eq!((version("claude"), version("codex")), (json!("2.9.9"), Value::Null));
    assert_eq!(version("gemini"), "0.61.0");
    assert!(!row(&value["agents"], "agent", "gemini")["cannot"].as_array().unwrap().is_empty());
}
