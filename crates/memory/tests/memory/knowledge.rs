//! Exports, summaries, outcomes and the index on disk, without the program around them.

use serde_json::json;
use sprag_base::time::{Clock, Stamp};
use sprag_config::host::Host;
use sprag_memory::knowledge::digest::Digest;
use sprag_memory::knowledge::export::{Exported, Task, export};
use sprag_memory::knowledge::handoff::{self, Source};
use sprag_memory::knowledge::index::{DocKind, Filter, Index};
use sprag_memory::knowledge::outcome::{self, Outcome};
use sprag_memory::knowledge::{Knowledge, ProjectMemory, entries, front, summary};
use sprag_project::Project;
use sprag_transcript::{Cursor, Reader};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

struct TestKnowledge {
    dir: tempfile::TempDir,
    host: Host,
    knowledge: Knowledge,
}

fn place() -> TestKnowledge {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::Fixed(Stamp::parse("2026-11-15T12:00:00Z").unwrap());
    let host = Host { clock, ..Host::in_home(dir.path(), &[("SPRAG_HOST", "desk")]) };
    let knowledge = Knowledge::open(&host);
    TestKnowledge { dir, host, knowledge }
}

impl TestKnowledge {
    fn memory(&self) -> ProjectMemory {
        ProjectMemory {
            dir: self.knowledge.memories().join("h/o/r"),
            key: "h/o/r".into(),
            project: "r".into(),
        }
    }

    fn transcript(&self, name: &str, lines: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, lines).unwrap();
        path
    }

    fn export(&self, session: &str, transcript: &Path) -> Exported {
        let task = Task {
            agent: "claude".into(),
            session: session.into(),
            transcript: transcript.into(),
            cwd: self.dir.path().join("shop").display().to_string(),
        };
        export(&self.knowledge, &self.host, &task, 2, false).unwrap()
    }
}

fn user(number: usize, text: &str) -> String {
    let line = json!({"type": "user", "uuid": format!("u{number}"), "entrypoint": "cli", "gitBranch": "it's: a #branch",
        "timestamp": "2026-11-15T09:00:00.000Z", "message": {"role": "user", "content": text}});
    format!("{line}\n")
}

fn edit(number: usize, path: &str) -> String {
    let line = json!({"type": "assistant", "uuid": format!("a{number}"), "message": {"role": "assistant", "id": "m",
        "content": [{"type": "tool_use", "id": format!("t{number}"), "name": "Edit",
            "input": {"file_path": path, "old_string": "a", "new_string": "b"}}]}});
    format!("{line}\n")
}

/// Fault A1 of the reference, as large as it was measured: 300 requests and 300 edits gave 0 tasks and 0 files.
#[test]
fn three_hundred_turns_give_five_tasks_and_the_ten_latest_files() {
    let place = place();
    let mut lines = String::new();
    for number in 0..300 {
        // Names whose alphabetical order is not the order of use.
        let path = format!("/p/src/file-{:03}.rs", (number * 7) % 300);
        write!(
            lines,
            "{}{}",
            user(number, &format!("please change thing number {number}")),
            edit(number, &path)
        )
        .unwrap();
    }
    let transcript = place.transcript("t.jsonl", &lines);
    let mut digest = Digest::default();
    Reader::open(&transcript, Cursor::default()).unwrap().for_each(|record| digest.feed(&record));
    let text = summary::render(&digest, &place.memory(), "/p");
    let tasks: Vec<&str> = text.lines().filter(|line| line.contains("please change")).collect();
    let files: Vec<&str> = text.lines().filter(|line| line.contains("src/file-")).collect();
    assert_eq!((tasks.len(), files.len()), (5, 10), "{text}");
    assert_eq!(tasks[4], "- please change thing number 299");
    assert_eq!(files[0], format!("- src/file-{:03}.rs", (299 * 7) % 300), "the latest first");
}

#[test]
fn a_call_that_the_user_refused_is_no_failing_command() {
    let place = place();
    let ran = |number: usize, command: &str, said: &str| {
        let call = json!({"type": "assistant", "uuid": format!("a{number}"), "message": {"role": "assistant", "id": "m",
            "content": [{"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": {"command": command}}]}});
        let result = json!({"type": "user", "uuid": format!("r{number}"), "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": format!("t{number}"), "is_error": true, "content": said}]}});
        format!("{call}\n{result}\n")
    };
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing \
                   and wait for the user to tell you how to proceed.";
    let lines = user(1, "please clean the tree up and run the tests")
        + &ran(1, "cargo test", "Exit code 101\ntest failed")
        + &ran(2, "git reset --hard HEAD", refused)
        + &ran(3, "rm -rf ~", "PreToolUse:Bash hook error: sprag blocked this (filesystem:rm-home, 9jnd)")
        // Refused the second time: that it failed the first time still stands.
        + &ran(4, "cargo test", refused);
    let transcript = place.transcript("t.jsonl", &lines);
    let mut digest = Digest::default();
    Reader::open(&transcript, Cursor::default()).unwrap().for_each(|record| digest.feed(&record));
    let commands: Vec<&str> = digest.failing.iter().map(|(command, _)| command.as_str()).collect();
    assert_eq!(commands, ["cargo test"]);
    let text = digest.handoff("/p", None, "main");
    assert!(!text.contains("STOP what you are doing") && !text.contains("git reset"), "{text}");
}

/// Fault of the reference: the last messages went to the model whole, however long.
#[test]
fn the_conversation_for_the_model_is_bounded() {
    let mut digest = Digest::default();
    let place = place();
    let long = "word ".repeat(20_000);
    let lines: String = (0..40).map(|number| user(number, &long)).collect();
    let transcript = place.transcript("t.jsonl", &lines);
    Reader::open(&transcript, Cursor::default()).unwrap().for_each(|record| digest.feed(&record));
    assert!(digest.conversation(24_000).chars().count() <= 24_000);
    assert!(digest.conversation(24_000).chars().count() > 10_000);
}

/// Fault B12 of the reference (vector T15): every turn read and wrote everything again.
#[test]
fn only_what_was_added_is_read() {
    let place = place();
    let transcript = place.transcript("t.jsonl", &(user(1, "first") + &user(2, "second")));
    let Exported::Written(path, 2) = place.export("s1", &transcript) else { panic!("not written") };
    // What was read before is made unreadable without changing its length: reading it again would show.
    let mut bytes = fs::read(&transcript).unwrap();
    let old = bytes.len() - 1;
    bytes[..old].fill(b'#');
    bytes.extend_from_slice(user(3, "third").as_bytes());
    fs::write(&transcript, &bytes).unwrap();
    assert_eq!(place.export("s1", &transcript), Exported::Written(path.clone(), 3));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("first") && text.contains("second") && text.contains("third"), "{text}");
    assert_eq!(place.export("s1", &transcript), Exported::Unchanged(path));
}

/// Faults B7 and A6.3 of the reference: values were not quoted, two sessions could share a file.
#[test]
fn any_value_gives_a_readable_head_and_every_session_its_own_file() {
    let place = place();
    let transcript = place.transcript("t.jsonl", &(user(1, "first") + &user(2, "second")));
    let Exported::Written(one, _) = place.export("01a1de71-c2c0", &transcript) else { panic!("not written") };
    let Exported::Written(two, _) = place.export("01a1de71-ffff", &transcript) else { panic!("not written") };
    assert_ne!(one, two, "ids that begin with the time begin alike");
    let text = fs::read_to_string(&one).unwrap();
    let (pairs, _) = front::read(&text).unwrap();
    let keys: Vec<&str> = pairs.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "type", "session_id", "date", "cwd", "project", "profile", "session_type", "branch",
            "claude_version", "messages", "project_key", "updated"
        ]
    );
    assert_eq!(front::get(&pairs, "branch"), Some("it's: a #branch"));
}

/// Fault B5 of the reference: without a working directory, a folder's name was guessed from its hyphens, in a time
/// that doubled with each. Nothing is guessed here.
#[test]
fn a_session_without_a_folder_is_exported_without_guessing() {
    let place = place();
    let folder = place.dir.path().join(format!("projects/{}", "-a".repeat(40)));
    fs::create_dir_all(&folder).unwrap();
    let transcript = folder.join("s.jsonl");
    fs::write(&transcript, user(1, "first") + &user(2, "second")).unwrap();
    let task = Task { session: "s1".into(), transcript, ..Task::default() };
    assert!(matches!(export(&place.knowledge, &place.host, &task, 2, false), Ok(Exported::Written(_, 2))));
}

#[test]
fn a_pasted_secret_and_a_pasted_log_do_not_go_into_the_export() {
    let place = place();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    let lines = user(1, &format!("use {secret} for it")) + &user(2, &"log line\n".repeat(10_000));
    let Exported::Written(path, 2) = place.export("s1", &place.transcript("t.jsonl", &lines)) else {
        panic!("not written")
    };
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("use [secret removed] for it") && !text.contains(&secret));
    assert!(text.len() < 30_000 && text.contains("more characters in the transcript]"));
}

/// Fault of the reference (artifact_mark): a prefix that fits several handoffs marked them all.
#[test]
fn an_outcome_is_for_one_session() {
    let place = place();
    let memory = place.memory();
    let record =
        |session: &str| json!({"summary": session, "session_id": session}).as_object().cloned().unwrap();
    entries::add_new(&memory.decisions(), vec![record("aa-1 first one"), record("aa-2 other thing")])
        .unwrap();
    let now = place.host.clock.now();
    assert!(outcome::record(&memory, Some("aa-"), Outcome::Failed, "", now).is_err());
    assert!(outcome::record(&memory, None, Outcome::Failed, "", now).is_ok());
    assert_eq!(
        outcome::record(&memory, Some("aa-2"), Outcome::Succeeded, "", now).unwrap(),
        "aa-2 other thing"
    );
    assert_eq!(outcome::of(&memory, "aa-2 other thing"), Some(Outcome::Succeeded));
    assert_eq!(outcome::of(&memory, "aa-1 first one"), Some(Outcome::Failed));
    for (word, want) in [
        ("success", Outcome::Succeeded),
        ("PARTIAL", Outcome::PartialPlus),
        ("partial-minus", Outcome::PartialMinus),
    ] {
        assert_eq!(Outcome::parse(word), Some(want));
    }
    assert_eq!(Outcome::parse("maybe"), None);
}

#[test]
fn a_handoff_waits_for_a_word_until_it_has_one() {
    let place = place();
    let memory = place.memory();
    assert_eq!(outcome::pending(&memory), None);
    let source = Source { session_id: "s1".into(), now: place.host.clock.now(), ..Source::default() };
    handoff::write_items(&memory, &source, &["finish the cart".to_owned()]).unwrap();
    let pending = outcome::pending(&memory).unwrap();
    assert_eq!((pending.session.as_str(), pending.about.as_str()), ("s1", "finish the cart"));
    outcome::record(&memory, None, Outcome::Succeeded, "", place.host.clock.now()).unwrap();
    assert_eq!(outcome::pending(&memory), None);
}

#[test]
fn what_a_later_session_leaves_open_tells_how_the_handoff_went() {
    for (open, wanted) in [
        (&["write the release notes"][..], Outcome::Succeeded),
        (&["finish the cart totals and rounding"], Outcome::PartialPlus),
        (&["Finish the cart totals.", "port the old importer"], Outcome::PartialMinus),
        (&[], Outcome::Succeeded),
    ] {
        let place = place();
        let memory = place.memory();
        let now = place.host.clock.now();
        let source = |id: &str| Source { session_id: id.into(), now, ..Source::default() };
        let items = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        handoff::write_items(
            &memory,
            &source("s1"),
            &items(&["finish the cart totals", "port the importer"]),
        )
        .unwrap();
        handoff::write_items(
            &memory,
            &source("s1"),
            &items(&["finish the cart totals", "port the importer"]),
        )
        .unwrap();
        assert_eq!(outcome::of(&memory, "s1"), None, "the same session goes on");
        handoff::write_items(&memory, &source("s2"), &items(open)).unwrap();
        assert_eq!(outcome::of(&memory, "s1"), Some(wanted), "{open:?}");
    }
}

#[test]
fn a_session_that_ended_waits_for_a_word_wherever_one_looks() {
    let place = place();
    let root = place.dir.path().join("shop");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let project = Project::find(root.to_str().unwrap(), &place.host.env, &place.host.paths.home);
    let memory = place.knowledge.memory(&project);
    let now = place.host.clock.now();
    let mark = |over| outcome::mark(&place.host, &project, "s1", over).unwrap();
    let source = Source { session_id: "s1".into(), now, ..Source::default() };
    handoff::write_items(&memory, &source, &["finish the cart".to_owned()]).unwrap();
    assert!(outcome::waiting(&place.host).is_empty(), "it is not over");
    mark(true);
    let waiting = outcome::waiting(&place.host);
    assert_eq!(
        (waiting.len(), &waiting[0].0, waiting[0].1.about.as_str()),
        (1, &project.root, "finish the cart")
    );
    mark(false);
    assert!(outcome::waiting(&place.host).is_empty(), "it was resumed");
    mark(true);
    outcome::record(&memory, Some("s1"), Outcome::Failed, "", now).unwrap();
    assert!(outcome::waiting(&place.host).is_empty());
}

#[test]
fn the_index_follows_the_folder_and_a_damaged_one_is_rebuilt() {
    let place = place();
    let transcript = place.transcript("t.jsonl", &(user(1, "repair the carburettor") + &user(2, "second")));
    let Exported::Written(path, _) = place.export("s1", &transcript) else { panic!("not written") };
    let search = |words: &str| {
        let index = Index::look(&place.knowledge).unwrap();
        index.search(words, &Filter::default(), 10).unwrap().len()
    };
    let sync = || Index::open(&place.knowledge).unwrap().sync(&place.knowledge).unwrap();
    assert_eq!(sync(), 1);
    assert_eq!((search("carburettor"), search("CARBURETTOR repair"), search("carbur")), (1, 1, 1));
    assert_eq!(search("\"unbalanced AND ( NEAR *"), 0, "no word is an operator");
    assert_eq!(sync(), 0, "nothing changed");
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("\n\nA person added: gudgeon\n");
    fs::write(&path, text).unwrap();
    assert_eq!((sync(), search("gudgeon")), (1, 1));
    let file = sprag_memory::knowledge::index::file(&place.knowledge);
    fs::write(&file, "this is no database at all").unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", file.display()));
    }
    assert!(Index::look(&place.knowledge).is_none());
    assert_eq!((sync(), search("gudgeon")), (1, 1));
    fs::remove_file(&path).unwrap();
    assert_eq!((sync(), search("gudgeon")), (1, 0));
    let filter = Filter { kind: Some(DocKind::Session.name()), project_key: None };
    assert!(Index::look(&place.knowledge).unwrap().newest(&filter, 5).unwrap().is_empty());
}
