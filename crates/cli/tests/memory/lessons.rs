//! `sprag lessons` and the hooks about lessons, as processes: what is changed counts with the very next call.

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn bash(home: &Home, session: &str, command: &str) -> Value {
    home.event(
        "PreToolUse",
        json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": command}}),
    )
}

fn context(answer: &str) -> String {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    value
        .pointer("/hookSpecificOutput/additionalContext")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// What a guard says, without the rule before it and how to allow it after it.
fn reason(answer: &str) -> String {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    let text = value.pointer("/hookSpecificOutput/permissionDecisionReason").and_then(Value::as_str);
    let own = text.and_then(|text| text.split_once("):")?.1.split_once("Where it comes from"));
    own.map(|(text, _)| text.trim().trim_end_matches('.').to_owned()).unwrap_or_default()
}

fn manifest(lessons: Value) -> String {
    json!({"type": "lessons-learned-manifest", "version": 1, "lessons": lessons}).to_string()
}

fn hint(slug: &str, pattern: &str) -> Value {
    json!({"slug": slug, "type": "hint", "priority": 5, "toolNames": ["Bash"],
        "commandRegexSources": [{"source": pattern, "flags": ""}], "message": format!("TEXT-{slug}"), "summary": slug})
}

fn guard(slug: &str, pattern: &str) -> Value {
    let mut lesson = hint(slug, pattern);
    lesson["type"] = json!("guard");
    lesson
}

fn import(home: &Home, lessons: Value, more: &[&str]) -> String {
    let file = home.write("m.json", &manifest(lessons));
    let mut words = vec!["lessons", "import", file.to_str().unwrap()];
    words.extend(more);
    home.run(&words).ok()
}

const ADD: [&str; 12] = [
    "lessons",
    "add",
    "--summary",
    "Do not stash in a shared checkout",
    "--problem",
    "git stash swept up the changes of another session.",
    "--solution",
    "Commit to a branch of your own and leave the stash alone.",
    "--tool",
    "Bash",
    "--trigger",
    "git stash",
];

#[test]
fn imported_lessons_count_with_the_very_next_call() {
    let home = Home::new();
    let said = import(
        &home,
        json!({"1": hint("stash", r"\bgit\s+stash\b"), "2": guard("pytest", r"\bpytest\b(?!.*--timeout)")}),
        &[],
    );
    assert_eq!(said, "2 lessons imported, 2 of them active\n");
    assert!(context(&home.hook(&bash(&home, "s1", "git stash"))).contains("TEXT-stash"));
    assert_eq!(home.hook(&bash(&home, "s1", "git stash")), "", "once");
    assert_eq!(reason(&home.hook(&bash(&home, "s1", "pytest tests/"))), "TEXT-pytest");
    assert_eq!(home.hook(&bash(&home, "s1", "pytest --timeout=5 tests/")), "");
    let again = import(&home, json!({"1": hint("stash", "other"), "3": hint("new", "ls")}), &["--replace"]);
    assert_eq!(again, "2 lessons imported, 2 of them active, 1 archived\n");
    assert_eq!(home.hook(&bash(&home, "s2", "pytest tests/")), "");
    assert!(context(&home.hook(&bash(&home, "s2", "ls"))).contains("TEXT-new"));
    let all = home.run(&["lessons", "list", "--status", "all", "--json"]).json()["lessons"].take();
    assert_eq!(all.as_array().unwrap().len(), 3, "what was replaced is kept for the record");
    assert_eq!(
        import(&home, json!({"9": hint("stash", "x")}), &[]),
        "1 lessons imported, 1 of them active\n",
        "a name that is taken"
    );
}

#[test]
fn of_thirty_two_calls_at_once_each_lesson_is_said_by_exactly_one() {
    let home = Home::new();
    let lessons: serde_json::Map<String, Value> =
        (0..5).map(|n| (n.to_string(), hint(&format!("l{n}"), r"\bmake\b"))).collect();
    import(&home, Value::Object(lessons), &[]);
    let mut children = Vec::new();
    for _ in 0..32 {
        let mut command = home.program(SPRAG, &["hook", "--agent", "claude"]);
        children.push(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    }
    // All are up before the first gets its payload.
    let payload = bash(&home, "s1", "make all").to_string();
    for child in &mut children {
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    }
    let answers: Vec<String> = children
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    for n in 0..5 {
        let said = answers.iter().filter(|answer| context(answer).contains(&format!("TEXT-l{n}\n"))).count();
        assert_eq!(said, 1, "l{n}: {answers:#?}");
    }
}

#[test]
fn fault_18_an_archived_guard_stops_denying_at_once() {
    let home = Home::new();
    import(&home, json!({"1": guard("no-make", "make")}), &[]);
    assert_eq!(reason(&home.hook(&bash(&home, "s", "make"))), "TEXT-no-make");
    assert_eq!(
        home.run(&["lessons", "archive", "no-make", "--reason", "it was wrong"]).ok(),
        "no-make is archived\n"
    );
    assert_eq!(home.hook(&bash(&home, "s", "make")), "");
    assert!(home.run(&["lessons", "show", "no-make"]).ok().contains("it was wrong"));
    home.run(&["lessons", "promote", "no-make", "--force"]).ok();
    assert_eq!(reason(&home.hook(&bash(&home, "s", "make"))), "TEXT-no-make", "and back");
}

#[test]
fn a_lesson_is_added_checked_changed_and_exported() {
    let home = Home::new();
    let added = home.run(&[&ADD[..], &["--json"]].concat()).json();
    let slug = added["added"][0]["slug"].as_str().unwrap().to_owned();
    assert_eq!(added["added"][0]["status"], "active");
    assert!(context(&home.hook(&bash(&home, "s1", "git stash pop"))).contains("Do not stash"));
    let twice = home.run(&ADD);
    assert!(twice.code == 1 && twice.err.contains("it is there already"), "{twice:?}");
    let bad = home.run(&["lessons", "add", "--summary", "Too short", "--problem", "x", "--solution", "y"]);
    assert!(bad.code == 1 && bad.err.contains("names no tool") && bad.err.contains("too short"), "{bad:?}");
    // Fault 21: a slug is a name, and so is the beginning of one.
    home.run(&["lessons", "edit", &slug, "--patch", r#"{"type": "guard", "priority": 9}"#]).ok();
    assert!(reason(&home.hook(&bash(&home, "s1", "git stash"))).contains("Do not stash"));
    assert!(home.run(&["lessons", "edit", "do-not", "--priority", "8"]).ok().contains("priority"));
    for (patch, word) in [
        (r#"{"priorty": 1}"#, "did you mean `priority`?"),
        (r#"{"type": "x"}"#, "does not fit"),
        ("[]", "no JSON object"),
        (r#"{"commandPatterns": ["("]}"#, "invalid"),
    ] {
        let error = home.run(&["lessons", "edit", &slug, "--patch", patch]).failed();
        assert!(error.contains(word), "{patch}: {error}");
    }
    let shown = home.run(&["lessons", "show", &slug, "--json"]).json();
    assert_eq!(
        (&shown["priority"], &shown["fireCount"], &shown["denyCount"]),
        (&json!(8), &json!(2), &json!(1))
    );
    home.run(&["lessons", "export", "all.json"]).ok();
    let other = Home::new();
    let file = home.project().join("all.json");
    other.run(&["lessons", "import", file.to_str().unwrap()]).ok();
    let there = other.run(&["lessons", "list", "--json"]).json()["lessons"].take();
    assert_eq!(there[0]["commandPatterns"], json!([r"\bgit stash\b"]));
    let manifest = home.run(&["lessons", "export", "--manifest"]).json();
    assert_eq!(manifest["type"], "lessons-learned-manifest");
    assert_eq!(manifest["lessons"].as_object().unwrap().len(), 1);
}

#[test]
fn a_model_may_propose_and_a_person_decides() {
    let home = Home::new();
    let added = home.run_with(&[&ADD[..], &["--json"]].concat(), &[("CLAUDECODE", "1")]).json();
    assert_eq!(added["added"][0]["status"], "candidate");
    assert_eq!(home.hook(&bash(&home, "s1", "git stash")), "");
    let slug = added["added"][0]["slug"].as_str().unwrap().to_owned();
    let review = home.run(&["lessons", "review", "--json"]).json()["candidates"].take();
    assert_eq!((&review[0]["slug"], &review[0]["pass"]), (&json!(slug), &json!(true)));
    let answer = home.hook(&bash(&home, "s1", &format!("sprag lessons promote {slug}")));
    assert!(answer.contains("(self-protection:"), "{answer}");
    assert!(home.run(&["lessons", "promote", &slug]).ok().contains("is active"));
    assert!(context(&home.hook(&bash(&home, "s1", "git stash"))).contains("Do not stash"));
}

#[test]
fn a_project_has_its_own_lessons_as_files() {
    let home = Home::new();
    home.run(&[&ADD[..], &["--project"]].concat()).ok();
    assert!(context(&home.hook(&bash(&home, "s1", "git stash"))).contains("Do not stash"));
    let listed = home.run(&["lessons", "list", "--json"]).json()["lessons"].take();
    assert!(listed[0]["id"].as_str().unwrap().starts_with("project:"));
    home.write("shop/.sprag/lessons/broken.toml", "summary = ");
    let doctor = home.run(&["lessons", "doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("broken.toml"), "{doctor:?}");
    assert!(
        context(&home.hook(&bash(&home, "s2", "git stash"))).contains("Do not stash"),
        "the others still count"
    );
}

#[test]
fn what_would_match_is_shown_and_not_counted() {
    let home = Home::new();
    import(
        &home,
        json!({"1": hint("stash", "git stash"), "2": guard("push", "git push"), "3": json!({"slug": "py", "toolNames": ["Edit"], "pathRegexSources": [{"source": "\\.py$", "flags": "i"}], "message": "m"})}),
        &[],
    );
    let found = home.run(&["lessons", "match", "--command", "git stash && git push", "--json"]).json();
    has_keys(&found["matches"][0], &["slug", "id", "type", "priority", "effect", "summary", "message"]);
    assert_eq!(
        (&found["matches"][0]["effect"], &found["matches"][1]["effect"]),
        (&json!("deny"), &json!("hint"))
    );
    assert!(home.run(&["lessons", "match", "--tool", "Edit", "--path", "a.PY"]).ok().contains("py"));
    assert_eq!(home.run(&["lessons", "match", "--command", "ls"]).ok(), "no lesson matches\n");
    assert!(
        context(&home.hook(&bash(&home, "s1", "git stash"))).contains("TEXT-stash"),
        "looking claimed nothing"
    );
}

#[test]
fn doctor_finds_what_is_wrong_and_says_what_to_do() {
    let home = Home::new();
    import(
        &home,
        json!({"1": guard("bad", "(("), "2": hint("dead", "x"), "3": guard("slow", "(a+)+$")}),
        &[],
    );
    home.run(&["lessons", "edit", "dead", "--patch", r#"{"toolNames": ["bash"]}"#]).ok();
    let ran = home.run(&["lessons", "doctor", "--json"]);
    assert_eq!(ran.code, 1);
    let value = ran.json();
    let of = |slug: &str| -> Vec<&str> {
        let all = value["findings"].as_array().unwrap();
        all.iter().filter(|one| one["slug"] == slug).map(|one| one["check"].as_str().unwrap()).collect()
    };
    assert_eq!(of("bad"), ["invalid-pattern"]);
    assert_eq!(of("dead"), ["dead-tool"]);
    assert_eq!(of("slow"), ["slow-pattern"]);
    assert_eq!(home.hook(&bash(&home, "s1", "ls")), "", "a bad guard denies nothing");
}

#[test]
fn hostile_files_and_calls_are_bounded() {
    let home = Home::new();
    for (name, text) in [("none.json", None), ("text.json", Some("hello")), ("num.json", Some("3"))] {
        if let Some(text) = text {
            home.write(name, text);
        }
        let error = home.run(&["lessons", "import", &format!("{}/{name}", home.path().display())]).failed();
        assert!(error.contains("a manifest, a database"), "{error}");
    }
    import(
        &home,
        json!({"1": guard("deep", &"(".repeat(5_000)), "2": guard("push", r"\bgit\s+push\b"), "3": hint("slow", "(x+x+)+y")}),
        &[],
    );
    let long = format!("{} ; git push", "echo x ;".repeat(100_000));
    assert_eq!(
        reason(&home.hook(&bash(&home, "s1", &long))).len(),
        "TEXT-push".len(),
        "padding does not hide a command"
    );
    assert_eq!(home.hook(&bash(&home, "s1", &"x".repeat(200_000))), "");
    let index = home.state().join("lessons/index");
    let bytes = std::fs::read(&index).unwrap();
    std::fs::write(&index, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(home.hook(&bash(&home, "s2", "ls")), "", "half a file is no answer and no crash");
    std::fs::write(&index, b"rubbish").unwrap();
    assert_eq!(home.hook(&bash(&home, "s2", "git push")), "");
    home.run(&["worker", "--once"]).ok();
    assert_eq!(reason(&home.hook(&bash(&home, "s2", "git push"))), "TEXT-push", "the worker rebuilt it");
}

#[test]
fn the_scan_and_the_review_have_stable_json() {
    let home = Home::new();
    let text = "#lesson\\ntool: Bash\\ntrigger: git stash\\nproblem: git stash swept up the work of others\\nsolution: commit to a branch of your own\\ntags: tool:git\\n#/lesson";
    home.write(
        ".claude/projects/-p/s1.jsonl",
        &format!("{{\"type\":\"assistant\",\"uuid\":\"u1\",\"sessionId\":\"s1\",\"cwd\":\"/p\",\"message\":{{\"id\":\"m\",\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n"),
    );
    let dry = home.run(&["lessons", "scan", "--dry-run"]).ok();
    assert!(dry.contains("would be kept"), "{dry}");
    let scanned = home.run(&["lessons", "scan", "--json"]).json();
    has_keys(
        &scanned,
        &[
            "files", "read", "bytes", "broken_lines", "found", "added", "seen_again", "ignored", "withdrawn",
            "left_out", "errors", "model", "fixes", "new_fixes",
        ],
    );
    assert_eq!(scanned["added"].as_array().unwrap().len(), 1);
    assert_eq!(
        home.run(&["lessons", "list", "--status", "candidate", "--json"]).json()["lessons"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(home.run(&["lessons", "review"]).ok().contains("PASS"));
    let error = home.run(&["lessons", "scan", "--model"]).failed();
    assert!(error.contains("no model is configured"), "{error}");
}

/// A session in which a command failed, was fixed and worked, before many other commands.
fn fixed_session(home: &Home, root: &str, builds: usize) {
    let line = |role: &str, content: Value| {
        json!({"type": role, "uuid": content.to_string(), "sessionId": "s1", "cwd": root, "timestamp": "2026-11-14T09:00:00Z",
            "message": {"role": role, "id": "m", "content": content}})
    };
    let mut text = String::new();
    let mut call = |id: String, command: &str, failed: bool, output: &str| {
        let input = json!({"command": command});
        let asked =
            line("assistant", json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}]));
        let result =
            json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}]);
        text.push_str(&format!("{asked}\n{}\n", line("user", result)));
    };
    call(
        "a".into(),
        "make deploy",
        true,
        "Exit code 2\nMakefile:3: *** STAGE_TOKEN_FILE is not set; see docs/deploy.md.  Stop.",
    );
    call("b".into(), "STAGE_TOKEN_FILE=.t make deploy", false, "deployed");
    for n in 0..builds {
        call(format!("m{n}"), "make deploy -n", false, "");
    }
    for n in 0..200 {
        call(format!("l{n}"), &format!("ls {n}"), false, "");
    }
    home.write(".claude/projects/-p/s1.jsonl", &text);
}

#[test]
fn known_fixes_are_listed_and_forgotten() {
    let home = Home::new();
    fixed_session(&home, "/p", 0);
    let scanned = home.run(&["lessons", "scan", "--json"]).json();
    assert_eq!(
        (scanned["new_fixes"].as_u64(), scanned["added"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );
    let fixes = home.run(&["lessons", "fixes", "--all", "--json"]).json()["fixes"].take();
    has_keys(
        &fixes[0],
        &[
            "key", "program", "error", "failed", "remedy", "elsewhere", "root", "remote", "agent", "session",
            "at", "seen",
        ],
    );
    assert_eq!(fixes[0]["remedy"], "`STAGE_TOKEN_FILE=.t make deploy`");
    let key = fixes[0]["key"].as_str().unwrap();
    let shown = home.run(&["lessons", "fixes", key.get(..6).unwrap()]).ok();
    assert!(shown.contains("failed  `make deploy`") && shown.contains("session s1 of claude"), "{shown}");
    assert!(home.run(&["lessons", "fixes"]).ok().contains("no known fixes in this project"));
    assert_eq!(home.run(&["lessons", "fixes", key, "--forget"]).ok(), "forgotten: 1\n");
    assert!(home.run(&["lessons", "fixes", key]).failed().contains("no known fix"));
}

/// The quality gate: a trigger that matches more than one percent of the project's own calls is refused.
#[test]
fn a_trigger_that_matches_too_many_of_the_projects_calls_is_not_promoted() {
    let home = Home::new();
    fixed_session(&home, "/p", 30);
    home.run(&["lessons", "scan"]).ok();
    let review = home.run(&["lessons", "review", "--json"]).json()["candidates"][0].take();
    assert_eq!(
        (review["pass"].as_bool(), review["sightings"].as_array().map(Vec::len)),
        (Some(false), Some(1))
    );
    let slug = review["slug"].as_str().unwrap().to_owned();
    let error = home.run(&["lessons", "promote", &slug]).failed();
    assert!(
        error.contains("its trigger matches 31 of the last 232 commands of this project (14 %)"),
        "{error}"
    );
    home.run(&["lessons", "promote", &slug, "--force"]).ok();
    let doctor = home.run(&["lessons", "doctor"]).ok();
    assert!(doctor.contains("its trigger matches 31 of the last 232"), "{doctor}");
    let narrow = r#"{"commandPatterns": ["\\bmake\\s+deploy$"]}"#;
    home.run(&["lessons", "edit", &slug, "--patch", narrow]).ok();
    assert!(!home.run(&["lessons", "doctor"]).ok().contains("of the last 232"));
}

#[test]
fn a_lesson_that_the_end_of_a_turn_offers_is_in_the_review_at_once_and_counts_once() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "version = 1\n");
    let said = "Done.\n#lesson\ntool: Bash\ntrigger: git stash\nproblem: git stash swept up the work of another session\n\
                solution: commit to a branch of your own first\n#/lesson";
    // The agent has not written its last answer to the transcript yet.
    let transcript = home.write("t.jsonl", "");
    let stop = json!({"session_id": "s1", "transcript_path": transcript, "last_assistant_message": said});
    let told = home.hook(&home.event("Stop", stop));
    assert!(told.contains("sprag lessons review"), "{told}");
    let candidates = || home.run(&["lessons", "review", "--json"]).json()["candidates"].clone();
    let found = candidates();
    assert_eq!(found[0]["problem"], "git stash swept up the work of another session", "{found}");
    // Found again in the transcript, it is the same one.
    let line = json!({"type": "assistant", "uuid": "a1", "sessionId": "s1", "message": {"role": "assistant", "id": "m",
        "content": [{"type": "text", "text": said}]}});
    home.write("t.jsonl", &format!("{line}\n"));
    home.run(&["lessons", "scan", "--path", transcript.to_str().unwrap()]).ok();
    let found = candidates();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["sightings"].as_array().map(Vec::len), Some(1), "{found}");
}
