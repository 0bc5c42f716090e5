//! The knowledge loop behind the built program: commands, and what must hold when a worker dies, two run at once, the
//! disk is full, the folder cannot be written, the transcript is damaged.
#![cfg(unix)]

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// A home whose project has a remote, with a model that is a script. `$CALLS` counts how often it was asked.
fn home(script: &str) -> Home {
    let home = Home::new();
    home.write("shop/.git/config", "[remote \"origin\"]\n\turl = https://git.example/dev/shop.git\n");
    home.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    let program = home.script(
        "model.sh",
        &format!("#!/bin/sh\ncat >/dev/null\necho x >> {}/calls\n{script}\n", home.path().display()),
    );
    home.write(
        ".config/sprag/config.toml",
        &format!("[llm]\nbackend = \"claude\"\ncommand = [\"{}\"]\n", program.display()),
    );
    home
}

fn say(text: &str) -> String {
    format!("cat <<'ANSWER'\n{text}\nANSWER")
}

fn judgement() -> String {
    json!({
        "decisions": [{"summary": "Prices are whole cents"}, {"summary": "prices are whole CENTS!"}],
        "failures": [{"summary": "The total ignored quantities", "prevention": "test with two"}],
        "learnings": [{"title": "Money: an \"integer\"", "learning": "No floats.", "tags": ["money"]}],
        "handoff": ["write the checkout test"],
        "grade": {"quality": "good"},
    })
    .to_string()
}

fn line(role: &str, text: &str, number: usize) -> String {
    let content = if role == "user" { json!(text) } else { json!([{"type": "text", "text": text}]) };
    json!({
        "type": role, "uuid": format!("u{number}"), "sessionId": SESSION, "entrypoint": "cli", "gitBranch": "main",
        "version": "2.1.325", "timestamp": format!("2026-11-15T09:{:02}:00.000Z", number % 60), "isSidechain": false,
        "message": {"role": role, "content": content},
    })
    .to_string()
        + "\n"
}

/// A conversation of some length. Returns its place.
fn transcript(home: &Home, turns: usize) -> PathBuf {
    let mut text = String::new();
    for turn in 0..turns {
        text.push_str(&line(
            "user",
            &format!("Please fix the cart total, step {turn}: {}", "with care ".repeat(20)),
            turn * 2,
        ));
        text.push_str(&line("assistant", &format!("Step {turn} is done."), turn * 2 + 1));
    }
    home.write(".claude/projects/shop/t.jsonl", &text)
}

fn stop(home: &Home, transcript: &std::path::Path) {
    home.hook(&home.event("Stop", json!({"transcript_path": transcript, "stop_hook_active": false})));
}

fn memory(home: &Home, file: &str) -> String {
    home.read(&format!(".local/share/sprag/memory/git.example/dev/shop/{file}"))
}

fn calls(home: &Home) -> usize {
    home.read("calls").lines().count()
}

fn exports(home: &Home) -> Vec<PathBuf> {
    let months =
        fs::read_dir(home.path().join(".local/share/sprag/sessions")).into_iter().flatten().flatten();
    let files = months.flat_map(|month| fs::read_dir(month.path()).into_iter().flatten().flatten());
    files
        .map(|file| file.path())
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .collect()
}

/// All files below a folder, with their sizes.
fn files(folder: &std::path::Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(meta) if meta.is_dir() => found.extend(files(&entry.path())),
            Ok(meta) => drop(found.insert(entry.path(), meta.len())),
            Err(_) => {}
        }
    }
    found
}

/// Everything is there, whole, and once.
#[track_caller]
fn all_is_kept(home: &Home) {
    let decisions = memory(home, "decisions.jsonl");
    let records: Vec<Value> = decisions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 1, "{decisions}");
    assert_eq!(records[0]["session_id"], SESSION, "who said it is kept: {decisions}");
    assert_eq!(records[0]["ts"], "2026-11-15T09:07:00.000000Z", "when it was said, not when it was judged");
    assert_eq!(memory(home, "failures.jsonl").lines().count(), 1);
    assert_eq!(memory(home, "grades.jsonl").lines().count(), 1);
    assert!(memory(home, "handoff.md").contains("- write the checkout test"));
    let learnings: Vec<_> = fs::read_dir(home.path().join(".local/share/sprag/learnings"))
        .unwrap()
        .flatten()
        .flat_map(|month| fs::read_dir(month.path()).unwrap().flatten())
        // A worker that was killed while it wrote leaves a scratch file.
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .collect();
    assert_eq!(learnings.len(), 1, "{learnings:?}");
    let exports = exports(home);
    assert_eq!(exports.len(), 1, "{exports:?}");
    let text = fs::read_to_string(&exports[0]).unwrap();
    assert!(text.contains("messages: 8\n") && text.matches("## User").count() == 4, "{text}");
}

#[test]
fn a_session_becomes_files_and_every_command_knows_them() {
    let home = home(&say(&judgement()));
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    home.run(&["worker", "--once"]).ok();
    all_is_kept(&home);
    assert_eq!(calls(&home), 1);

    let hits = home.run(&["knowledge", "search", "cart", "total", "--json"]).json()["documents"].take();
    has_keys(
        &hits[0],
        &[
            "kind", "title", "date", "project", "project_key", "session", "path", "line", "messages",
            "snippet", "score",
        ],
    );
    assert!(hits[0]["snippet"].as_str().unwrap().contains("cart total"), "{hits}");
    let shown = home.run(&["knowledge", "search", "checkout"]).ok();
    assert!(shown.starts_with("handoff  "), "{shown}");
    assert_eq!(home.run(&["knowledge", "search", "zeppelin"]).ok(), "Nothing found.\n");
    let kinds: Vec<String> = home.run(&["knowledge", "list", "--here", "--json"]).json()["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|doc| doc["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["session", "decision", "failure", "handoff"] {
        assert!(kinds.iter().any(|known| known == kind), "{kinds:?}");
    }
    assert!(home.run(&["knowledge", "list", "--kind", "learnings"]).ok().contains("Money: an \"integer\""));
    assert!(home.run(&["knowledge", "show", "handoff"]).ok().contains("- write the checkout test"));
    let session = home.run(&["knowledge", "show", "11111111", "--json"]).json();
    assert_eq!(session["about"]["session_id"], SESSION);
    home.run(&["knowledge", "show", "no-such-thing"]).failed();

    let pending = home.run(&["knowledge", "outcome", "--json"]).json();
    assert_eq!(pending["pending"]["about"], "write the checkout test");
    home.run(&["knowledge", "outcome", "success", "--notes", "released"]).ok();
    assert_eq!(home.run(&["knowledge", "outcome", "--json"]).json()["pending"], Value::Null);
    home.run(&["knowledge", "outcome", "failed", "--session", "1111"]).ok();
    assert_eq!(memory(&home, "outcomes.jsonl").lines().count(), 1, "the later word counts");
    assert!(memory(&home, "outcomes.jsonl").contains("FAILED"));
    home.run(&["knowledge", "outcome", "failed", "--session", "9999"]).failed();

    let status = home.run(&["knowledge", "status", "--json"]).json();
    has_keys(&status, &["root", "model", "index", "project", "queue", "recent"]);
    assert_eq!(status["project"]["key"], "git.example/dev/shop");
    assert_eq!(status["project"]["handoff"]["state"], "fresh");
    assert_eq!(status["project"]["handoff"]["outcome"], "FAILED");
    assert_eq!(status["recent"][1]["result"], "ok", "{status:#}");
    assert!(home.run(&["knowledge", "status"]).ok().contains("decisions"));

    let dry = home.run(&["knowledge", "prune", "--sessions-older-than", "1s", "--dry-run", "--json"]).json();
    assert_eq!(dry["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(exports(&home).len(), 1);
    home.run(&["knowledge", "prune", "--sessions-older-than", "1s"]).ok();
    assert!(exports(&home).is_empty());
    assert_eq!(
        home.run(&["knowledge", "list", "--kind", "session", "--json"]).json(),
        json!({ "documents": [] })
    );
    let exported =
        home.run(&["knowledge", "export", transcript.to_str().unwrap(), "--json"]).json()["sessions"].take();
    assert_eq!((&exported[0]["result"], exports(&home).len()), (&json!("written"), 1), "{exported}");
}

/// Fault B8 of the reference: handoff-now wrote to other folders than the hooks.
#[test]
fn handoff_now_writes_where_the_hooks_write() {
    let home = home(&say(&judgement()));
    let transcript = transcript(&home, 1);
    home.hook(&home.event("SessionStart", json!({"transcript_path": transcript, "source": "startup"})));
    let done = home.run(&["knowledge", "handoff-now", "--json"]).json();
    assert_eq!((&done["written"], &done["session"]), (&json!(true), &json!(SESSION)), "{done}");
    assert!(memory(&home, "handoff.md").contains("- write the checkout test"));
    let started = home.hook(&home.event("SessionStart", json!({"session_id": "next", "source": "startup"})));
    assert!(started.contains("write the checkout test") && !started.contains("stale"), "{started}");
}

/// Fault A6 of the reference: an empty answer was filed as done, with a green tick, and never tried again.
#[test]
fn a_failed_call_is_tried_again_and_shown_as_failed() {
    let home = home("exit 0");
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    for _ in 0..6 {
        home.run(&["worker", "--once"]).ok();
    }
    assert_eq!(calls(&home), 5, "five times, then no more");
    let status = home.run(&["knowledge", "status", "--json"]).json();
    assert_eq!(status["queue"]["dead"], 1, "{status:#}");
    let failed =
        status["recent"].as_array().unwrap().iter().filter(|done| done["result"] == "failed").count();
    assert_eq!(failed, 5, "{status:#}");
    // The next session does not wait for the model.
    assert!(memory(&home, "handoff.md").contains("kind: extract"));
    assert!(memory(&home, "decisions.jsonl").is_empty());
}

#[test]
fn a_worker_that_is_killed_at_any_time_loses_and_repeats_nothing() {
    // The model answers only when it is told to, and says when somebody took the answer.
    let home = home(&format!(
        "set -e\ncd \"$(dirname \"$0\")\"\nuntil [ -e go ]; do [ -e model.sh ]; sleep 0.01; done\n{}\necho x >> answered",
        say(&judgement())
    ));
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    let (folder, knowledge) = (home.path(), home.path().join(".local/share/sprag"));
    let killed_when = |what: &str, is: &dyn Fn() -> bool| {
        let mut worker = home.program(SPRAG, &["worker", "--once"]).stdout(Stdio::null()).spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(120);
        while !is() && worker.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "not seen: {what}");
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = worker.kill();
        let _ = worker.wait();
    };
    killed_when("it was started", &|| true);
    for number in 1..=3 {
        killed_when("the model is asked", &|| calls(&home) >= number);
    }
    fs::write(folder.join("go"), "").unwrap();
    killed_when("the model has answered", &|| folder.join("answered").exists());
    for _ in 0..6 {
        let before = files(&knowledge);
        killed_when("something is written", &|| files(&knowledge) != before);
    }
    home.run(&["worker", "--once"]).ok();
    all_is_kept(&home);
    assert!(
        home.run(&["status", "queue", "--json"]).ok().contains("[]")
            || home.run(&["knowledge", "status", "--json"]).json()["queue"]["waiting"] == 0
    );
}

#[test]
fn an_answer_that_was_paid_for_is_not_asked_for_again() {
    let home = home(&say(&judgement()));
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    // The knowledge folder cannot be made: a file is in its place.
    let data = home.path().join(".local/share/sprag");
    fs::create_dir_all(data.parent().unwrap()).unwrap();
    fs::write(&data, "in the way").unwrap();
    home.run(&["worker", "--once"]).ok();
    home.run(&["worker", "--once"]).ok();
    assert_eq!(calls(&home), 1, "the answer is kept until it can be written");
    assert_eq!(home.run(&["knowledge", "status", "--json"]).json()["recent"][0]["result"], "failed");
    fs::remove_file(&data).unwrap();
    home.run(&["worker", "--once"]).ok();
    all_is_kept(&home);
    assert_eq!(calls(&home), 1);
}

#[test]
fn two_workers_at_once_judge_once() {
    let home = home(&format!("sleep 0.3\n{}", say(&judgement())));
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    let workers: Vec<_> = (0..3)
        .map(|_| home.program(SPRAG, &["worker", "--once"]).stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    assert_eq!(calls(&home), 1);
    all_is_kept(&home);
}

#[test]
fn a_full_disk_leaves_nothing_in_half() {
    let home = home(&say(&judgement()));
    let transcript = transcript(&home, 4);
    stop(&home, &transcript);
    // No file may grow beyond a block: like a disk that is full, and the same for every user.
    let script = format!("trap '' XFSZ; ulimit -f 1; exec {SPRAG} worker --once");
    for _ in 0..2 {
        let _ = home
            .program("/bin/sh", &["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(exports(&home).is_empty(), "{:?}", exports(&home));
        for file in ["decisions.jsonl", "failures.jsonl"] {
            let text = memory(&home, file);
            assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
        }
    }
    home.run(&["worker", "--once"]).ok();
    all_is_kept(&home);
}

#[test]
fn a_damaged_transcript_gives_what_is_in_it() {
    let home = home(&say(&judgement()));
    let path = transcript(&home, 4);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"\xff\xfe not json\n{\"type\":\"user\",\"message\":7}\n{\"type\":\"assistant\",\"message\":{\"content\":\"half");
    fs::write(&path, &bytes).unwrap();
    stop(&home, &path);
    home.run(&["worker", "--once"]).ok();
    all_is_kept(&home);
    // A transcript that is a folder, or gone, is no reason to stop either.
    stop(&home, &home.path());
    stop(&home, &home.path().join("gone.jsonl"));
    home.run(&["worker", "--once"]).ok();
    assert_eq!(home.run(&["knowledge", "status", "--json"]).json()["queue"]["dead"], 0);
}

/// What the user adds to an export stays; what was said later is added behind it.
#[test]
fn an_export_grows_and_keeps_what_a_person_wrote() {
    let home = home("exit 0");
    home.write(".config/sprag/config.toml", "version = 1\n");
    let path = transcript(&home, 2);
    let export = |home: &Home| {
        stop(home, &path);
        home.run(&["worker", "--once"]).ok();
        fs::read_to_string(&exports(home)[0]).unwrap()
    };
    let first = export(&home);
    assert!(first.contains("messages: 4\n"), "{first}");
    fs::write(&exports(&home)[0], format!("{first}\n\nMY OWN NOTE\n")).unwrap();
    let mut more = fs::read_to_string(&path).unwrap();
    more.push_str(&line("user", "and the checkout?", 8));
    fs::write(&path, &more).unwrap();
    let second = export(&home);
    assert!(second.contains("messages: 5\n") && second.contains("MY OWN NOTE"), "{second}");
    assert_eq!(second.matches("## User").count(), 3, "{second}");
    assert_eq!(export(&home), second, "again changes nothing");
    // What is remembered of it is lost: the file is rebuilt, the same but for the note.
    fs::remove_dir_all(home.state().join("knowledge/exports")).unwrap();
    let mut more = fs::read_to_string(&path).unwrap();
    more.push_str(&line("assistant", "soon", 9));
    fs::write(&path, &more).unwrap();
    let third = export(&home);
    assert!(third.contains("messages: 6\n") && third.matches("## User").count() == 3, "{third}");
}

#[test]
fn a_folder_of_the_reference_is_usable_at_once() {
    let home = home("exit 0");
    home.write(
        "lh/knowledge.toml",
        "[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = \"lessons\"\n",
    );
    home.write(
        "lh/sessions/2026-10/2026-10-01-abcd1234.md",
        "---\ntype: claude-session\nsession_id: abcd1234-x\ndate: 2026-10-01 10:00\ncwd: /old/shop\nproject: shop\nmessages: 9\n---\n\n## User\n\npolish the herons\n",
    );
    home.write(
        "lh/lessons/2026-10/2026-10-01-x-host.md",
        "---\ntitle: \"Say \"please\" once\"\norigin: shop\norigin_session: 2026-10-01\ntags: []\nscope: universal\nstatus: active\n---\n\n## Learning\nBe polite.\n",
    );
    home.write(
        "lh/memory/Git.Example/Dev/Shop/decisions.jsonl",
        "{\"ts\":\"2026-10-01T10:00:00+00:00\",\"type\":\"decision\",\"summary\":\"Herons stay\"}\nbroken\n",
    );
    home.write("lh/memory/Git.Example/Dev/Shop/handoff.md", "---\nsession_id: abcd1234-x\nwritten_at: 2026-10-01T12:00:00+02:00\nsource_mtime: 1\n---\n# Pendiente\n- feed the herons\n");
    let dir = home.path().join("lh");
    let done = home.run(&["knowledge", "import", "lazy-harness", dir.to_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&done["sessions"], &done["learnings"], &done["entries"], &done["files"]),
        (&json!(1), &json!(1), &json!(1), &json!(1)),
        "{done}"
    );
    let again = home.run(&["knowledge", "import", "lazy-harness", dir.to_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&again["sessions"], &again["entries"], &again["known"]),
        (&json!(0), &json!(0), &json!(3)),
        "{again}"
    );
    let hits = home.run(&["knowledge", "search", "herons", "--json"]).json()["documents"].take();
    assert_eq!(hits.as_array().unwrap().len(), 3, "{hits:#}");
    assert!(home.run(&["knowledge", "list", "--kind", "learning"]).ok().contains("Say \"please\" once"));
    let started = home.hook(&home.event("SessionStart", json!({"source": "startup"})));
    for want in ["feed the herons", "Herons stay", "polish the herons", "2026-10-01 10:00 (9 messages)"] {
        assert!(started.contains(want), "{want} is missing in {started}");
    }
    home.run(&["knowledge", "import", "lazy-harness", home.project().to_str().unwrap()]).failed();
}

/// Fault B2 of the reference: the model's own run fired the user's hooks and broke what "the last session" is.
#[test]
fn every_hook_is_silent_inside_a_call_of_the_model() {
    let home = home("exit 0");
    let path = transcript(&home, 4);
    for event in ["SessionStart", "Stop", "SessionEnd", "PreCompact"] {
        let payload = home.event(event, json!({"transcript_path": path}));
        let mut command: Command = home.program(SPRAG, &["hook", "--agent", "claude"]);
        let mut child =
            command.env("SPRAG_NESTED", "1").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), payload.to_string().as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().stdout.is_empty(), "{event}");
    }
    assert!(!home.state().join("queue").exists() && !home.state().join("knowledge").exists());
}

/// `handoff-now` had nothing to say when no hook had seen the session.
#[test]
fn handoff_now_works_from_the_transcript_alone() {
    let home = Home::new();
    home.write("shop/.git/config", "[remote \"origin\"]\n\turl = https://git.example/dev/shop.git\n");
    home.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    let cwd = home.path().join("shop");
    let answer = format!(
        "I looked at the cart.\n{}\n## Next steps\n- [x] read the code\n- [ ] write the ROUNDING-TEST\n\nTell me when to go on: THE-LAST-WORDS.",
        "Some more about it.\n".repeat(100)
    );
    let mut lines = String::new();
    for (number, (role, text)) in
        [("user", "Please fix the rounding of the cart total"), ("assistant", &answer)].iter().enumerate()
    {
        let mut value: Value = serde_json::from_str(&line(role, text, number)).unwrap();
        value["cwd"] = json!(cwd);
        lines.push_str(&format!("{value}\n"));
    }
    home.write(".claude/projects/-shop/t.jsonl", &lines);
    let done = home.run(&["knowledge", "handoff-now", "--json"]).json();
    let handoff = done["handoff"].as_str().unwrap_or_default();
    assert!(handoff.contains("## Next steps\n- [ ] write the ROUNDING-TEST"), "{handoff}");
    assert!(
        handoff.contains("THE-LAST-WORDS") && !handoff.contains("I looked at the cart"),
        "the end, not the start: {handoff}"
    );
    let elsewhere =
        home.program(SPRAG, &["knowledge", "handoff-now"]).current_dir(home.path()).output().unwrap();
    assert!(!elsewhere.status.success(), "it is of another project");
}

/// A dead model was waited for once per session, silently, and doctor said that all is well.
#[test]
fn a_dead_model_is_left_alone_and_doctor_says_so() {
    let home = home("echo no route to the model >&2; exit 3");
    let path = transcript(&home, 4);
    let text = fs::read_to_string(&path).unwrap();
    for number in 0..4 {
        let session = SESSION.replacen("1111", &format!("111{number}"), 1);
        let path =
            home.write(&format!(".claude/projects/shop/{number}.jsonl"), &text.replace(SESSION, &session));
        home.hook(&home.event(
            "Stop",
            json!({"session_id": session, "transcript_path": path, "stop_hook_active": false}),
        ));
    }
    let worker = home.run(&["worker", "--once"]);
    assert_eq!(calls(&home), 2, "the other sessions do not wait for it");
    assert!(worker.err.contains("the model is asked, for at most 120 s"), "{worker:?}");
    assert!(worker.err.contains("no route to the model") && worker.err.contains("put off"), "{worker:?}");
    assert!(worker.out.contains("2 failed") && worker.out.contains("2 put off"), "{worker:?}");
    let doctor = home.run(&["doctor", "--json"]).json();
    let model =
        doctor["findings"].as_array().unwrap().iter().find(|finding| finding["area"] == "model").unwrap();
    assert_eq!(model["level"], "warn", "{model}");
    assert!(model["what"].as_str().unwrap().contains("failed 2 times in a row"), "{model}");
    // The next session does not wait for the model either.
    assert!(memory(&home, "handoff.md").contains("kind: extract"));
}

#[test]
fn what_other_programs_remember_is_taken_over() {
    let home = Home::new();
    home.write("shop/.git/config", "[remote \"origin\"]\n\turl = https://git.example/dev/shop.git\n");
    home.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    home.write(
        "shop/thoughts/shared/handoffs/cart/2026-11-03_14-20_export.yaml",
        "---\nsession: cart\n---\ngoal: Ship the LEDGER-EXPORT\nnow: header\ndecisions:\n  - cents: WHOLE-CENTS only\nfailed:\n  - rounded too late\n",
    );
    home.write("shop/thoughts/ledgers/CONTINUITY_CLAUDE-cart.md", "## Goal\nolder\n");
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let ledger = fs::File::options()
        .write(true)
        .open(home.path().join("shop/thoughts/ledgers/CONTINUITY_CLAUDE-cart.md"));
    ledger.unwrap().set_modified(old).unwrap();
    let done = home.run(&["knowledge", "import", "--from", "ledgers", "--json"]).json();
    assert_eq!(
        (&done["documents"], &done["decisions"], &done["failures"]),
        (&json!(2), &json!(1), &json!(1)),
        "{done}"
    );
    assert!(memory(&home, "handoff.md").contains("LEDGER-EXPORT"));
    assert!(memory(&home, "decisions.jsonl").contains("WHOLE-CENTS"));
    let again = home.run(&["knowledge", "import", "--from", "ledgers", "--json"]).json();
    assert_eq!((&again["decisions"], &again["handoff"]), (&json!(0), &json!(null)), "{again}");

    home.write("notes/auth.md", "---\ntitle: Auth\n---\n- [decision] Sign tokens with EDDSA-KEYS #auth\n");
    let notes = home.path().join("notes");
    let done = home
        .run(&["knowledge", "import", "--from", "basic-memory", notes.to_str().unwrap(), "--json"])
        .json();
    assert_eq!(done["new"], 1, "{done}");
    let export = home.write(
        "mem0.json",
        r#"{"results": [{"memory": "Prefers OTTER-DIAGRAMS", "created_at": "2026-02-03T00:00:00Z"}]}"#,
    );
    home.run(&["knowledge", "import", "--from", "mem0", export.to_str().unwrap()]).ok();
    for (question, wanted) in [("eddsa keys tokens", "EDDSA-KEYS"), ("otter diagrams", "OTTER-DIAGRAMS")] {
        let found = home.run(&["memory", "recall", question, "--json"]).json();
        assert!(found[0]["text"].as_str().unwrap_or_default().contains(wanted), "{found}");
        assert_eq!(found[0]["source"], "import");
    }
    assert!(home.run(&["knowledge", "import"]).failed().contains("say what"));
}
