//! Scans of transcripts as agents write them: incremental, counted once, one at a time.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test may fail"
)]

use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_lessons::library;
use sprag_lessons::model::{Lesson, Source, Status};
use sprag_lessons::scan::{Busy, Request, Scanned, folders, scan};
use sprag_protocol::agents::AGENTS;
use sprag_store::{Fire, Opening, Store, Target};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

struct World {
    dir: tempfile::TempDir,
    host: Host,
    store: Store,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let store = Store::open(&Target::Sqlite(host.paths.store_file()), Opening::WORKER).unwrap();
        Self { dir, host, store }
    }

    fn transcript(&self, project: &str, session: &str) -> PathBuf {
        let path = self.dir.path().join(format!(".claude/projects/{project}/{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn scan(&mut self) -> Scanned {
        scan(&self.host, &mut self.store, &Request::default()).unwrap()
    }

    fn lessons(&mut self) -> Vec<Lesson> {
        library::lessons(&mut self.store).unwrap()
    }

    fn only(&mut self) -> Lesson {
        let mut all = self.lessons();
        assert_eq!(all.len(), 1, "{all:#?}");
        all.remove(0)
    }
}

fn append(path: &Path, text: &str) {
    let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn line(session: &str, id: &str, role: &str, content: serde_json::Value) -> String {
    let message = json!({"role": role, "id": format!("m-{id}"), "content": content});
    let value = json!({"type": role, "uuid": id, "sessionId": session, "cwd": "/home/dev/shop",
        "timestamp": "2026-11-14T09:00:00Z", "message": message});
    format!("{value}\n")
}

fn says(session: &str, id: &str, text: &str) -> String {
    line(session, id, "assistant", json!([{"type": "text", "text": text}]))
}

fn calls(session: &str, id: &str, command: &str) -> String {
    line(
        session,
        id,
        "assistant",
        json!([{"type": "tool_use", "id": format!("t-{id}"), "name": "Bash", "input": {"command": command}}]),
    )
}

fn answers(session: &str, id: &str, call: &str, text: &str) -> String {
    line(
        session,
        id,
        "user",
        json!([{"type": "tool_result", "tool_use_id": format!("t-{call}"), "content": text,
            "is_error": text.contains("Exit code")}]),
    )
}

const TAG: &str = "#lesson\ntool: Bash\ntrigger: git stash\nproblem: git stash swept up the work of another session\nsolution: commit to a branch of your own first\ntags: tool:git, severity:data-loss\n#/lesson";

#[test]
fn a_tag_is_a_candidate_with_its_session_scores_and_pattern() {
    let mut world = World::new();
    let path = world.transcript("-home-dev-shop", "s1");
    append(&path, &says("s1", "u1", &format!("Done.\n{TAG}")));
    let scanned = world.scan();
    assert_eq!((scanned.files, scanned.read, scanned.outcome.added.len()), (1, 1, 1));
    let lesson = world.only();
    assert_eq!(
        (lesson.status, lesson.source),
        (Status::Candidate, Source::Structured),
        "nothing promotes itself"
    );
    assert_eq!((lesson.tool_names.as_slice(), lesson.priority), (&["Bash".to_owned()][..], 4));
    assert!((lesson.confidence - 0.8).abs() < 1e-9);
    assert_eq!(lesson.command_patterns[0].source(), r"\bgit\s+stash\b");
    assert_eq!(lesson.source_session_ids, ["s1"]);
}

#[test]
fn fault_23_a_half_written_line_is_read_when_it_is_whole_and_crlf_does_not_drift() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    let whole = says("s1", "u2", TAG);
    append(&path, &says("s1", "u1", "hello there").replace('\n', "\r\n"));
    append(&path, &whole[..whole.len() / 2]);
    assert!(world.scan().outcome.added.is_empty());
    append(&path, &whole[whole.len() / 2..]);
    assert_eq!(world.scan().outcome.added.len(), 1);
    assert_eq!(world.scan().read, 0, "nothing is new");
}

#[test]
fn fault_23_a_file_in_the_place_of_another_is_read_from_its_beginning() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    append(&path, &says("s1", "u1", "hello there, this one is about nothing at all"));
    world.scan();
    fs::write(&path, says("s1", "u9", &format!("another beginning\n{TAG}"))).unwrap();
    assert_eq!(world.scan().outcome.added.len(), 1);
}

#[test]
fn fault_30_a_repetition_counts_across_scans_and_weighs_more_once() {
    let mut world = World::new();
    append(&world.transcript("p", "s1"), &says("s1", "u1", TAG));
    world.scan();
    let first = world.only();
    append(&world.transcript("q", "s2"), &says("s2", "u1", TAG));
    let again = world.scan();
    assert_eq!((again.outcome.added.len(), again.outcome.seen_again), (0, 1));
    let second = world.only();
    assert_eq!((second.occurrence_count, second.session_count), (2, 2));
    assert_eq!(second.priority, first.priority + 2, "one more session");
    append(&world.transcript("q", "s3"), &says("s3", "u1", TAG));
    world.scan();
    assert_eq!((world.only().session_count, world.only().priority), (3, second.priority), "not again");
    let full = scan(&world.host, &mut world.store, &Request { full: true, ..Request::default() }).unwrap();
    assert_eq!((full.read, full.outcome.seen_again), (3, 0));
    assert_eq!(world.only().occurrence_count, 3, "what is read twice counts once");
}

#[test]
fn fault_29_a_correction_in_the_next_slice_finds_its_error() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    append(&path, &calls("s1", "c1", "pytest -x tests"));
    append(
        &path,
        &answers(
            "s1",
            "r1",
            "c1",
            "Traceback (most recent call last)\nModuleNotFoundError: No module named shop\nExit code 2",
        ),
    );
    assert!(world.scan().outcome.added.is_empty());
    append(&path, &says("s1", "a1", "I see the problem: the module path is missing. Let me fix it."));
    append(&path, &calls("s1", "c2", "PYTHONPATH=. pytest -x tests"));
    assert!(world.scan().outcome.added.is_empty(), "nobody knows yet whether it works");
    append(&path, &answers("s1", "r2", "c2", "12 passed"));
    assert_eq!(world.scan().outcome.added.len(), 1);
    let lesson = world.only();
    assert_eq!(lesson.source, Source::Heuristic);
    assert!(
        lesson.summary.starts_with("pytest: ModuleNotFoundError: No module named shop"),
        "{}",
        lesson.summary
    );
    assert!(lesson.solution.contains("`PYTHONPATH=. pytest -x tests`"), "{}", lesson.solution);
    assert_eq!(lesson.scope.as_deref(), Some("/home/dev/shop"));
    for n in 0..10 {
        append(&path, &says("s1", &format!("x{n}"), "going on with something else now"));
        world.scan();
    }
    assert_eq!(
        (world.only().occurrence_count, world.only().session_count),
        (1, 1),
        "fault 27: one event, one count"
    );
}

#[test]
fn fault_28_what_the_user_says_in_plain_text_counts() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    append(&path, &calls("s1", "c1", "sed -i s/a/b/ cart.py"));
    append(&path, &answers("s1", "r1", "c1", "error: the file was changed in another way than wanted"));
    append(
        &path,
        &line("s1", "u1", "user", json!("No, that's wrong. Don't use sed on this file, use the editor.")),
    );
    append(&path, &says("s1", "a1", "Understood."));
    world.scan();
    let lesson = world.only();
    assert!(lesson.solution.contains("Don't use sed"), "{lesson:?}");
    assert!((lesson.confidence - 0.55).abs() < 1e-9 && lesson.priority == 4, "{lesson:?}");
}

#[test]
fn fault_32_a_tag_is_taken_back_in_a_later_scan_and_fault_24_its_scope_is_kept() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    append(&path, &says("s1", "u1", &TAG.replace("#/lesson", "scope: project\n#/lesson")));
    world.scan();
    assert_eq!(world.only().scope.as_deref(), Some("/home/dev/shop"));
    append(&path, &says("s1", "u2", "#lesson:cancel\nproblem: git stash swept up\n#/lesson:cancel"));
    assert_eq!(world.scan().outcome.withdrawn, 1);
    assert_eq!(world.only().status, Status::Archived);
}

#[test]
fn fault_33_one_scan_at_a_time() {
    let mut world = World::new();
    append(&world.transcript("p", "s1"), &says("s1", "u1", TAG));
    let lock = fs::File::options().create(true).truncate(false).write(true).open({
        let folder = library::folder(&world.host.paths);
        fs::create_dir_all(&folder).unwrap();
        folder.join("scan.lock")
    });
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let error = scan(&world.host, &mut world.store, &Request::default()).unwrap_err();
    assert!(matches!(error, Busy::Scanning), "{error}");
    lock.unlock().unwrap();
    assert_eq!(world.scan().outcome.added.len(), 1);
}

#[test]
fn fault_31_the_most_candidates_and_the_interval_count() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    for n in 0..6 {
        let text = TAG.replace(
            "git stash swept up the work of another session",
            &format!("alpha{n} beta{n} gamma{n} delta{n} broke"),
        );
        append(&path, &says("s1", &format!("u{n}"), &text));
    }
    let request = Request { max_candidates: 4, ..Request::default() };
    let scanned = scan(&world.host, &mut world.store, &request).unwrap();
    assert_eq!((scanned.outcome.added.len(), scanned.outcome.left_out, world.lessons().len()), (4, 2, 4));
    let early = Request { interval: Some(3_600_000_000), ..Request::default() };
    assert!(scan(&world.host, &mut world.store, &early).unwrap().too_early);
}

#[test]
fn a_mistake_that_is_made_although_its_lesson_was_said_is_counted_against_it() {
    let mut world = World::new();
    append(&world.transcript("p", "s1"), &says("s1", "u1", TAG));
    world.scan();
    let mut lesson = world.only();
    lesson.status = Status::Active;
    lesson.updated += 1;
    world.store.put_lessons(&[lesson.row()]).unwrap();
    let fire = Fire { lesson: lesson.id.clone(), session: "s2".into(), shown: 1, last: 1, ..Fire::default() };
    world.store.add_fires("b1", 1, &[fire]).unwrap();
    append(&world.transcript("p", "s2"), &says("s2", "u1", TAG));
    assert_eq!(world.scan().outcome.ignored, 1);
    assert_eq!(world.store.fires().unwrap()[&lesson.id].ignored, 1);
    scan(&world.host, &mut world.store, &Request { full: true, ..Request::default() }).unwrap();
    assert_eq!(world.store.fires().unwrap()[&lesson.id].ignored, 1, "once");
    assert_eq!(world.only().status, Status::Active);
}

#[test]
fn hostile_transcripts_are_bounded_and_reported() {
    let mut world = World::new();
    let path = world.transcript("p", "s1");
    append(&path, "not json\n{\"type\":\n");
    fs::File::options().append(true).open(&path).unwrap().write_all(b"\xff\xfe\x00garbage\n").unwrap();
    append(&path, &says("s1", "u0", &"#lesson\n".repeat(20_000)));
    append(&path, &answers("s1", "r1", "none", &"error ".repeat(500_000)));
    append(&path, &says("s1", "u1", TAG));
    let scanned = world.scan();
    assert_eq!(scanned.outcome.added.len(), 1);
    assert!(scanned.broken >= 2, "{}", scanned.broken);
}

fn codex_line(second: u8, kind: &str, payload: &Value) -> String {
    let time = format!("2026-11-14T09:00:0{second}Z");
    format!("{}\n", json!({"timestamp": time, "type": kind, "payload": payload}))
}

fn codex_says(second: u8, text: &str) -> String {
    let content = json!([{"type": "output_text", "text": text}]);
    let message = json!({"type": "message", "role": "assistant", "content": content});
    codex_line(second, "response_item", &message)
}

#[test]
fn codex_and_gemini_transcripts_are_read_too() {
    let mut world = World::new();
    let codex = world.dir.path().join(".codex/sessions/2026/11/14/rollout-1.jsonl");
    fs::create_dir_all(codex.parent().unwrap()).unwrap();
    append(&codex, &codex_line(0, "session_meta", &json!({"id": "c1", "cwd": "/home/dev/shop"})));
    append(&codex, &codex_says(1, TAG));
    let gemini = world.dir.path().join(".gemini/tmp/abc/chats/session-1.json");
    fs::create_dir_all(gemini.parent().unwrap()).unwrap();
    let other = TAG.replace(
        "git stash swept up the work of another session",
        "npm install hung because the registry was not reachable",
    );
    fs::write(&gemini, json!({"sessionId": "g1", "projectHash": "abc", "startTime": "2026-11-14T09:00:00Z", "messages": [{"id": "1", "type": "gemini", "content": other, "timestamp": "2026-11-14T09:00:00Z"}]}).to_string()).unwrap();
    let scanned = world.scan();
    let mut sessions: Vec<String> =
        world.lessons().into_iter().flat_map(|lesson| lesson.source_session_ids).collect();
    sessions.sort();
    assert_eq!(sessions, ["c1", "g1"], "{scanned:?}");
    let problem = "git stash swept up the work of another session";
    let third = TAG.replace(problem, "cargo build filled the disk with old artifacts of others");
    append(&codex, &codex_says(2, &third));
    world.scan();
    let last = world.lessons().into_iter().find(|lesson| lesson.problem.contains("cargo build")).unwrap();
    assert_eq!(last.source_session_ids, ["c1"], "the session is known in a later slice");
}

/// Before, the variables that move the folders of Gemini CLI and Qwen Code were ignored, and Qwen's folder was another one.
#[test]
fn transcripts_are_looked_for_where_the_agents_were_moved() {
    let moved = [("GEMINI_CLI_HOME", "/g"), ("QWEN_HOME", "/q"), ("CODEX_HOME", "/c")];
    let found = folders(&Host::in_home(Path::new("/h"), &moved));
    let expected = ["/h/.claude/projects", "/c/sessions", "/g/.gemini/tmp", "/q/projects"];
    assert_eq!(found[..4], expected.map(PathBuf::from));
    // An agent whose transcripts are not read has no folder that is worth a look.
    let read = AGENTS.iter().filter(|agent| agent.transcript.format.is_some()).count();
    assert_eq!(found.len(), read);
    assert!(found.iter().all(|folder| !folder.starts_with("/h/.augment")), "{found:?}");
    // A database is one file with the transcripts of all sessions.
    assert!(found.contains(&PathBuf::from("/h/.hermes/state.db")), "{found:?}");
}

/// Claude Code puts `Exit code N` before what failed: that was the title of nearly every candidate.
#[test]
fn an_error_is_named_by_its_cause_and_merged_by_it() {
    let mut world = World::new();
    for (session, port) in [("s1", 3000), ("s2", 3001), ("s3", 3000)] {
        let path = world.transcript("p", session);
        append(&path, &calls(session, "c1", "npm start"));
        let error = format!("Exit code 1\nError: listen EADDRINUSE: address already in use :::{port}");
        append(&path, &answers(session, "r1", "c1", &error));
        append(&path, &calls(session, "c2", "PORT=3100 npm start"));
        append(&path, &answers(session, "r2", "c2", "listening"));
        world.scan();
    }
    let lesson = world.only();
    assert!(
        lesson.summary.contains("EADDRINUSE") && !lesson.summary.contains("Exit code"),
        "{}",
        lesson.summary
    );
    assert_eq!((lesson.occurrence_count, lesson.session_count), (3, 3), "one candidate with its sightings");
    assert_eq!(world.store.sightings_of(&lesson.id).unwrap().len(), 3);
    let fixes = sprag_lessons::fixes::book::all(&world.host.paths);
    assert_eq!((fixes.len(), fixes[0].seen.len()), (1, 3));
}

#[test]
fn what_a_person_never_wants_is_not_proposed_again() {
    let mut world = World::new();
    let episode = |world: &World, session: &str, error: &str, fix: &str| {
        let path = world.transcript("p", session);
        append(&path, &calls(session, "c1", "npm start"));
        append(&path, &answers(session, "r1", "c1", &format!("Exit code 1\n{error}")));
        append(&path, &calls(session, "c2", &format!("{fix} npm start")));
        append(&path, &answers(session, "r2", "c2", "listening"));
    };
    episode(&world, "s1", "Error: listen EADDRINUSE: address already in use :::3000", "PORT=3100");
    world.scan();
    let mut lesson = world.only();
    lesson.status = Status::Archived;
    lesson.archive_reason = Some(sprag_lessons::scan::NEVER.to_owned());
    lesson.updated += 1;
    world.store.put_lessons(&[lesson.row()]).unwrap();
    episode(&world, "s2", "Error: the DATABASE_URL variable is not set", "DATABASE_URL=x");
    assert!(world.scan().outcome.added.is_empty());
    lesson.archive_reason = Some("not worth keeping".to_owned());
    lesson.updated += 1;
    world.store.put_lessons(&[lesson.row()]).unwrap();
    episode(&world, "s3", "Error: listen EADDRINUSE: address already in use :::3000", "PORT=3200");
    assert!(world.scan().outcome.added.is_empty(), "what was rejected does not come back");
    episode(&world, "s4", "Error: the DATABASE_URL variable is not set", "DATABASE_URL=x");
    assert_eq!(world.scan().outcome.added.len(), 1, "another error does");
}
