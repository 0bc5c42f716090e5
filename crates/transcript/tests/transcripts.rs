//! The readers against recorded transcripts of the real agents, and against what breaks in them.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test may fail")]

use proptest::prelude::*;
use serde_json::json;
use sprag_protocol::AgentId;
use sprag_transcript::{Cursor, Reader, Record, RecordKind, Role, Totals};
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn all(path: &Path) -> Vec<Record> {
    Reader::open(path, Cursor::default()).unwrap().collect()
}

fn said(records: &[Record]) -> Vec<(Role, &str)> {
    records.iter().filter(|r| r.is_said()).map(|r| (r.role, r.text.as_str())).collect()
}

fn commands(records: &[Record]) -> Vec<&str> {
    records.iter().flat_map(|r| &r.calls).filter_map(|call| call.tool.command.as_deref()).collect()
}

fn failed(records: &[Record]) -> usize {
    records.iter().flat_map(|r| &r.results).filter(|result| result.error).count()
}

#[test]
fn claude_headless_with_a_compaction() {
    let mut reader = Reader::open(&fixture("claude-headless.jsonl"), Cursor::default()).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    let facts = reader.facts();
    assert_eq!(facts.agent, Some(AgentId::Claude));
    assert_eq!((facts.cwd.as_str(), facts.branch.as_str()), ("/home/dev/shop", "main"));
    assert_eq!(facts.headless, Some(true));
    assert_eq!(facts.model, "claude-opus-5-5");
    assert_eq!(
        said(&records),
        [
            (Role::User, "fix the cart total"),
            (Role::Assistant, "Looking."),
            (Role::Assistant, "Fixed the total. #lesson none"),
            (Role::User, "go on"),
            (Role::Assistant, "Continuing."),
        ],
        "the program's own texts under the user's name are not the user's"
    );
    assert!(commands(&records).starts_with(&["ls src"]));
    assert!(failed(&records) >= 1, "`exit 3` failed");
    assert_eq!(records.iter().filter(|r| r.kind == RecordKind::CompactBoundary).count(), 1);
    assert_eq!(records.iter().filter(|r| r.kind == RecordKind::CompactSummary).count(), 1);
    let edited: Vec<&str> = records
        .iter()
        .flat_map(|r| &r.calls)
        .filter(|call| call.tool.changes_files())
        .flat_map(|call| call.tool.paths.iter().map(|path| path.path.as_str()))
        .collect();
    assert_eq!(edited, ["/home/dev/shop/src/cart.py", "/home/dev/shop/src/new_file.py"]);
    assert_eq!(reader.broken(), 0);
}

#[test]
fn claude_with_a_person_and_a_subagent() {
    let mut reader = Reader::open(&fixture("claude-interactive.jsonl"), Cursor::default()).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    assert_eq!(reader.facts().headless, Some(false));
    assert_eq!(said(&records).len(), 4);
    let sub = all(&fixture("claude-subagent.jsonl"));
    assert!(!sub.is_empty() && sub.iter().all(|record| record.sidechain));
    assert!(said(&sub).is_empty(), "a subagent's words are not the session's");
}

#[test]
fn usage_that_is_repeated_counts_once() {
    let mut totals = Totals::default();
    let records = all(&fixture("claude-headless.jsonl"));
    records.iter().for_each(|record| totals.add(record));
    let lines = records.iter().filter(|record| record.usage.is_some()).count() as u64;
    assert!(totals.sum().input < lines * 100, "{:?} of {lines} lines", totals.sum());
    assert_eq!(totals.last().unwrap().context(), 100);
}

#[test]
fn codex_rollout() {
    let mut reader = Reader::open(&fixture("codex.jsonl"), Cursor::default()).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    let facts = reader.facts();
    assert_eq!((facts.agent, facts.cwd.as_str()), (Some(AgentId::Codex), "/home/dev/shop"));
    assert_eq!((facts.headless, facts.model.as_str()), (Some(true), "gpt-5"));
    assert_eq!(
        said(&records),
        [(Role::User, "fix the cart total"), (Role::Assistant, "Fixed the total.")],
        "instructions of the program are not the user's"
    );
    assert!(commands(&records).starts_with(&["ls src", "cat src/cart.py", "exit 3"]));
    assert_eq!(failed(&records), 1);
    let patched: Vec<&str> = records
        .iter()
        .flat_map(|r| &r.calls)
        .filter(|call| call.tool.changes_files())
        .flat_map(|call| call.tool.paths.iter().map(|path| path.path.as_str()))
        .collect();
    assert!(patched.contains(&"src/cart.py"), "{patched:?}");
    let mut totals = Totals::default();
    records.iter().for_each(|record| totals.add(record));
    assert_eq!((totals.sum().input, totals.sum().output), (60, 30));
    assert_eq!(totals.last().unwrap().window, Some(258_400));
}

#[test]
fn gemini_messages_that_grow_are_told_once() {
    let records = all(&fixture("gemini.jsonl"));
    assert_eq!(said(&records), [(Role::User, "fix the cart total"), (Role::Assistant, "Fixed the total.")]);
    let calls: Vec<&str> =
        records.iter().flat_map(|r| &r.calls).map(|call| call.tool.name.as_str()).collect();
    assert_eq!(calls, ["Bash", "Read", "Edit", "Write", "Grep", "Glob", "Bash"]);
    assert_eq!(failed(&records), 1);
    let mut totals = Totals::default();
    records.iter().for_each(|record| totals.add(record));
    assert_eq!(totals.sum().output, 5 * 7);
}

#[test]
fn gemini_as_one_document_is_read_again_without_repeating() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session-x.json");
    let message = |n: usize| json!({"id": format!("m{n}"), "type": "user", "content": format!("words {n}")});
    let document = |count: usize| {
        let messages: Vec<_> = (0..count).map(message).collect();
        json!({"sessionId": "s", "projectHash": "p", "messages": messages}).to_string()
    };
    std::fs::write(&path, document(50)).unwrap();
    let mut reader = Reader::open(&path, Cursor::default()).unwrap();
    assert_eq!(reader.by_ref().count(), 50);
    std::fs::write(&path, document(52)).unwrap();
    let records: Vec<Record> = Reader::open(&path, reader.cursor().clone()).unwrap().collect();
    assert_eq!(said(&records), [(Role::User, "words 50"), (Role::User, "words 51")]);
}

#[test]
fn what_hooks_told_gemini_is_not_what_the_user_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session-x.json");
    let content = "<hook_context>## Git\nBranch: main</hook_context>\n\nfix the cart";
    let message = json!({"id": "m", "type": "user", "content": [{"text": content}]});
    std::fs::write(&path, json!({"sessionId": "s", "messages": [message]}).to_string()).unwrap();
    let records: Vec<Record> = Reader::open(&path, Cursor::default()).unwrap().collect();
    assert_eq!(said(&records), [(Role::User, "fix the cart")]);
}

#[test]
fn qwen_parts_between_lines_like_claude_s() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chat.jsonl");
    let line = |kind: &str, more: serde_json::Value| {
        let mut line = json!({"uuid": kind, "sessionId": "s1", "timestamp": "2026-11-15T09:00:00Z", "type": kind,
            "cwd": "/home/dev/shop", "version": "0.24.4"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let parts = |role: &str, parts: serde_json::Value| json!({"message": {"role": role, "parts": parts}});
    let call = json!([{"text": "hm", "thought": true}, {"functionCall": {"id": "c1", "name": "run_shell_command",
        "args": {"command": "exit 3"}}}]);
    let output = json!([{"functionResponse": {"id": "c1", "name": "run_shell_command",
        "response": {"output": "Command: exit 3\nExit Code: 3"}}}]);
    let text = [
        line("system", json!({"subtype": "ui_telemetry", "systemPayload": {}})),
        line("user", parts("user", json!([{"text": "fix the cart"}]))),
        line("assistant", parts("model", call)),
        line("tool_result", parts("user", output)),
    ];
    std::fs::write(&path, text.concat()).unwrap();
    let mut reader = Reader::open(&path, Cursor::default()).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    assert_eq!((reader.facts().agent, reader.facts().cwd.as_str()), (Some(AgentId::Qwen), "/home/dev/shop"));
    assert_eq!(said(&records), [(Role::User, "fix the cart")]);
    assert_eq!((commands(&records), failed(&records)), (vec!["exit 3"], 1));
}

#[test]
fn reading_goes_on_where_it_ended() {
    for name in ["claude-headless.jsonl", "codex.jsonl", "gemini.jsonl"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let whole = all(&fixture(name));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let mut cursor = Cursor::default();
        let mut parts = Vec::new();
        let mut file = std::fs::File::create(&path).unwrap();
        // In pieces that end anywhere, also inside a line and inside a character.
        for piece in bytes.chunks(7_001) {
            file.write_all(piece).unwrap();
            // The position survives as text between processes.
            let kept = serde_json::to_string(&cursor).unwrap();
            let mut reader = Reader::open(&path, serde_json::from_str(&kept).unwrap()).unwrap();
            parts.extend(reader.by_ref());
            cursor = reader.cursor().clone();
        }
        assert_eq!(parts.len(), whole.len(), "{name}");
        assert_eq!(said(&parts), said(&whole), "{name}");
        assert_eq!(cursor.offset, bytes.len() as u64);
    }
}

#[test]
fn a_half_written_last_line_waits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let line = |text: &str, uuid: &str| {
        json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}}).to_string()
    };
    let (first, second) = (line("one", "a"), line("two", "b"));
    let half = &second[..second.len() / 2];
    std::fs::write(&path, format!("{first}\n{half}")).unwrap();
    let mut reader = Reader::open(&path, Cursor::default()).unwrap();
    assert_eq!(said(&reader.by_ref().collect::<Vec<_>>()), [(Role::User, "one")]);
    assert_eq!(reader.cursor().offset, first.len() as u64 + 1);
    // Whole but without its line end: told, and not told again when the end comes.
    std::fs::write(&path, format!("{first}\n{second}")).unwrap();
    let mut reader = Reader::open(&path, reader.cursor().clone()).unwrap();
    assert_eq!(said(&reader.by_ref().collect::<Vec<_>>()), [(Role::User, "two")]);
    std::fs::write(&path, format!("{first}\n{second}\n")).unwrap();
    assert_eq!(Reader::open(&path, reader.cursor().clone()).unwrap().count(), 0);
}

#[test]
fn a_file_that_was_replaced_is_read_from_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    std::fs::copy(fixture("claude-interactive.jsonl"), &path).unwrap();
    let beyond = Reader::open(&path, Cursor::at(1 << 40)).unwrap();
    assert_eq!(beyond.cursor().offset, 0);
    let inside = Reader::open(&path, Cursor::at(17)).unwrap();
    assert_eq!(inside.cursor().offset, 0, "no line ends there");
}

#[test]
fn broken_lines_and_unknown_records_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let mut bytes = Vec::new();
    bytes.extend_from_slice(b"\n{\"type\":\"user\",\"message\":null}\n[1,2]\nnot json\n\xff\xfe\n");
    bytes.extend_from_slice(b"{\"type\":\"user\",\"message\":{\"content\":[1,{\"type\":\"text\"}]}}\n");
    bytes.extend_from_slice(
        b"{\"type\":\"novelty\",\"message\":{\"content\":\"x\"}}\n{\"payload\":7,\"type\":1}\n",
    );
    // Half of a surrogate pair: legal in JavaScript.
    bytes.extend_from_slice(b"{\"type\":\"user\",\"message\":{\"content\":\"cut \\ud83d\"}}\n");
    std::fs::write(&path, &bytes).unwrap();
    let mut reader = Reader::open(&path, Cursor::default()).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    assert_eq!(said(&records), [(Role::User, "cut \u{fffd}")]);
    assert_eq!(reader.broken(), 3);
    assert_eq!(reader.cursor().offset, bytes.len() as u64);
}

#[test]
fn a_line_over_the_limit_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let mut file = std::fs::File::create(&path).unwrap();
    let long = "x".repeat(sprag_transcript::MAX_LINE);
    writeln!(file, r#"{{"type":"user","message":{{"content":"{long}"}}}}"#).unwrap();
    writeln!(file, r#"{{"type":"user","message":{{"content":"after"}}}}"#).unwrap();
    let mut reader = Reader::open(&path, Cursor::default()).unwrap();
    assert_eq!(said(&reader.by_ref().collect::<Vec<_>>()), [(Role::User, "after")]);
    assert_eq!(reader.broken(), 1);
}

#[test]
fn the_tail_begins_with_a_whole_line() {
    let path = fixture("claude-headless.jsonl");
    let tail: Vec<Record> = Reader::tail(&path, 60_000).unwrap().collect();
    assert!(!tail.is_empty() && tail.len() < all(&path).len());
    assert_eq!(Reader::tail(&path, 1 << 30).unwrap().count(), all(&path).len());
}

proptest! {
    #[test]
    fn no_bytes_break_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..600), at in 0u64..700) {
        let dir = tempfile::tempdir().unwrap();
        for name in ["t.jsonl", "t.json"] {
            let path = dir.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let mut reader = Reader::open(&path, Cursor::at(at)).unwrap();
            reader.by_ref().for_each(drop);
            prop_assert!(reader.cursor().offset <= bytes.len() as u64);
            prop_assert!(reader.error().is_none());
        }
    }

    #[test]
    fn any_json_is_read_without_harm(kind in "user|assistant|system|gemini|response_item|event_msg|session_meta",
        key in "message|payload|content|\\$set|toolCalls|isMeta", value in "\\[\\]|\\{\\}|7|null|\"x\"|\\[\\{\\}\\]|\\{\"content\":\\[null\\]\\}") {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        std::fs::write(&path, format!("{{\"type\":\"{kind}\",\"id\":\"i\",\"{key}\":{value}}}\n")).unwrap();
        Reader::open(&path, Cursor::default()).unwrap().for_each(drop);
    }
}

/// Files that the real programs left after one run with the scripted model: a denied call, a rewritten one, one with output.
mod recorded {
    use sprag_protocol::AgentId;
    use sprag_transcript::{Cursor, Facts, Reader, Record, Role, sessions};
    use std::path::{Path, PathBuf};

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name)
    }

    fn read(path: &Path, cursor: Cursor) -> (Vec<Record>, Facts, Cursor) {
        let mut reader = Reader::open(path, cursor).unwrap();
        let records: Vec<Record> = reader.by_ref().collect();
        assert_eq!(reader.broken(), 0, "{}", path.display());
        (records, reader.facts().clone(), reader.cursor().clone())
    }

    #[test]
    fn a_session_of_each_program_is_prompt_calls_results_and_answer() {
        for (agent, name) in [
            (AgentId::Opencode, "opencode.db"),
            (AgentId::Kilo, "kilo.db"),
            (AgentId::Hermes, "state.db"),
            (AgentId::Cline, "cline.messages.json"),
        ] {
            let path = match sessions(&file(name)).as_slice() {
                [] => file(name),
                [one] => one.clone(),
                more => panic!("{agent}: {more:?}"),
            };
            let (records, facts, cursor) = read(&path, Cursor::default());
            assert_eq!(facts.agent, Some(agent));
            assert!(!facts.session_id.is_empty() && facts.model == "scripted", "{agent}: {facts:?}");
            let prompt = records.iter().find(|record| record.is_said()).unwrap();
            assert!(
                prompt.text.contains("do it please") && !prompt.text.contains('<'),
                "{agent}: {prompt:?}"
            );
            let commands: Vec<&str> = records
                .iter()
                .flat_map(|record| &record.calls)
                .filter_map(|call| call.tool.command.as_deref())
                .collect();
            assert!(
                commands.contains(&"touch denied") && commands.contains(&"expr 40000 + 2222"),
                "{agent}: {commands:?}"
            );
            let results: Vec<_> = records.iter().flat_map(|record| &record.results).collect();
            assert_eq!(results.len(), 4, "{agent}: {results:?}");
            assert!(results[0].error, "{agent}: {:?}", results[0]);
            assert!(
                results[2].text.contains("42222") || results[2].text.contains("[GONE]"),
                "{agent}: {results:?}"
            );
            let last =
                records.iter().rev().find(|record| record.role == Role::Assistant && !record.text.is_empty());
            assert_eq!(last.unwrap().text, "first", "{agent}");
            assert!(read(&path, cursor).0.is_empty(), "{agent}: read twice");
        }
    }

    #[test]
    fn a_payload_that_names_no_transcript_leads_to_it() {
        let env = |name: &str| (name == "HOME").then(|| "/h".to_owned());
        let of = |agent: AgentId, payload: &str| {
            sprag_protocol::decode::decode(payload.as_bytes(), Some(agent), &env).unwrap().transcript_path
        };
        let stop = r#"{"hook_event_name":"Stop","session_id":"ses_1"}"#;
        assert_eq!(
            of(AgentId::Opencode, stop).as_deref(),
            Some("/h/.local/share/opencode/opencode.db#ses_1")
        );
        assert_eq!(of(AgentId::Kilo, stop).as_deref(), Some("/h/.local/share/kilo/kilo.db#ses_1"));
        let tool =
            r#"{"hook_event_name":"PreToolUse","session_id":"ses_1","tool_name":"bash","tool_input":{}}"#;
        assert_eq!(of(AgentId::Opencode, tool), None, "a call opens no database");
        let odd = r#"{"hook_event_name":"Stop","session_id":"../../x"}"#;
        assert_eq!(of(AgentId::Opencode, odd), None);
        let cline = r#"{"hookName":"agent_end","clineVersion":"","sessionContext":{"rootSessionId":"1_a"}}"#;
        assert_eq!(
            of(AgentId::Cline, cline).as_deref(),
            Some("/h/.cline/data/sessions/1_a/1_a.messages.json")
        );
    }
}
