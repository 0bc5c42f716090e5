//! Every payload recorded from a real agent decodes to its event, and every answer is what that agent reads.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use proptest::prelude::*;
use serde_json::{Value, json};
use sprag_protocol::dialect::{ContextWay, Lost, StopWay};
use sprag_protocol::verdict::{Decision, Verdict};
use sprag_protocol::{AgentId, Event, EventKind, answer, decode, dialects, recordings};

fn agent_of(name: &str) -> AgentId {
    AgentId::from_name(name.split('/').next().unwrap()).unwrap()
}

fn event_of(recording: &recordings::Recording) -> Event {
    decode::decode(recording.text.as_bytes(), Some(agent_of(recording.name)), &|_| None).unwrap()
}

#[test]
fn every_recording_decodes_to_the_event_in_its_name() {
    assert!(recordings::ALL.len() > 100);
    for recording in recordings::ALL {
        let event = event_of(recording);
        let stem = recording.name.split('/').nth(1).unwrap().trim_start_matches("interactive.");
        assert_eq!(event.native_name, stem.split('.').next().unwrap(), "{}", recording.name);
        assert_ne!(event.kind, EventKind::Unknown, "{}", recording.name);
        assert!(!event.session_id.is_empty() && !event.cwd.is_empty(), "{}", recording.name);
        if event.kind.has_tool() {
            assert!(!event.tool.as_ref().unwrap().name.is_empty(), "{}", recording.name);
        }
    }
}

#[test]
fn the_host_of_every_recording_is_detected() {
    for recording in recordings::ALL {
        let raw = decode::parse_object(recording.text.as_bytes()).unwrap();
        assert_eq!(dialects::detect(&raw, &|_| None).agent, agent_of(recording.name), "{}", recording.name);
    }
}

#[test]
fn tools_of_every_agent_have_one_name() {
    let name = |recording: &str| event_of(recordings::get(recording).unwrap()).tool.unwrap().name;
    assert_eq!(name("gemini/BeforeTool.run_shell_command"), "Bash");
    assert_eq!(name("gemini/BeforeTool.replace"), "Edit");
    assert_eq!(name("gemini/BeforeTool.write_file"), "Write");
    assert_eq!(name("codex/PreToolUse.Bash"), "Bash");
    assert_eq!(name("codex/PreToolUse.collaborationspawn_agent"), "Agent");
    assert_eq!(name("qwen/PreToolUse.run_shell_command"), "Bash");
    assert_eq!(name("qwen/PreToolUse.edit"), "Edit");
    assert_eq!(name("claude/PreToolUse.Edit"), "Edit");
}

/// A verdict with everything in it.
fn full(decision: Decision) -> Verdict {
    Verdict {
        decision,
        reason: Some("because".into()),
        context: Some("note".into()),
        rewrite: Some(json!({"command": "ls -a"})),
        output: Some(json!("redacted")),
        message: Some("for you".into()),
        stop: None,
        fields: serde_json::Map::new(),
    }
}

fn claude_event(kind: EventKind) -> Event {
    let text = json!({"hook_event_name": kind.name(), "session_id": "s", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    decode::decode(text.to_string().as_bytes(), Some(AgentId::Claude), &|_| None).unwrap()
}

#[test]
fn claude_hears_only_what_each_event_reads() {
    for row in dialects::of(AgentId::Claude).rows {
        for decision in [Decision::Pass, Decision::Allow, Decision::Ask, Decision::Deny, Decision::Block] {
            let event = claude_event(row.kind);
            let encoded = dialects::of(AgentId::Claude).answer(&event, &full(decision));
            let Some(text) = encoded.stdout else { continue };
            if row.context == ContextWay::Plain {
                let blocks = decision.stops() && row.stop == StopWay::Decision;
                assert_eq!(text.starts_with('{'), blocks, "{} {text}", row.native);
                continue;
            }
            let object: Value = serde_json::from_str(&text).unwrap();
            let specific = &object["hookSpecificOutput"];
            if specific.is_object() {
                assert_eq!(specific["hookEventName"], row.native);
            }
            assert_eq!(object.get("systemMessage").is_some(), row.message, "{}", row.native);
            let has_context = specific.get("additionalContext").is_some();
            assert_eq!(has_context, row.context == ContextWay::Specific, "{}", row.native);
            assert_eq!(specific.get("updatedToolOutput").is_some(), row.output, "{}", row.native);
            let blocks = object.get("decision").is_some();
            assert_eq!(blocks, row.stop == StopWay::Decision && decision.stops(), "{}", row.native);
            let permission = specific.get("permissionDecision").is_some();
            assert_eq!(
                permission,
                row.stop == StopWay::Permission && decision != Decision::Pass,
                "{}",
                row.native
            );
        }
    }
}

#[test]
fn a_deny_is_spelled_as_each_agent_reads_it() {
    let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
    let spell = |name: &str| {
        let event = event_of(recordings::get(name).unwrap());
        dialects::of(event.agent).answer(&event, &deny).stdout.unwrap()
    };
    let claude = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    assert_eq!(spell("claude/PreToolUse.Bash"), claude);
    assert_eq!(spell("codex/PreToolUse.Bash"), claude);
    assert_eq!(spell("gemini/BeforeTool.run_shell_command"), r#"{"decision":"deny","reason":"no"}"#);
}

#[test]
fn codex_never_gets_ask_or_a_bare_allow() {
    let event = event_of(recordings::get("codex/PreToolUse.Bash").unwrap());
    let codex = dialects::of(AgentId::Codex);
    let allow = Verdict { decision: Decision::Allow, ..Verdict::default() };
    let encoded = codex.answer(&event, &allow);
    assert_eq!((encoded.stdout, encoded.lost), (None, vec![Lost::Allow]));
    let ask = Verdict { decision: Decision::Ask, reason: Some("sure?".into()), ..Verdict::default() };
    assert!(codex.answer(&event, &ask).stdout.unwrap().contains("\"deny\""));
    let rewrite = Verdict { rewrite: Some(json!({"command": "ls -a"})), ..Verdict::default() };
    assert!(codex.answer(&event, &rewrite).stdout.unwrap().contains("\"allow\""));
}

#[test]
fn a_block_after_the_tool_keeps_the_result_on_every_agent() {
    let block = Verdict { decision: Decision::Block, reason: Some("look".into()), ..Verdict::default() };
    for name in ["codex/PostToolUse.Bash", "gemini/AfterTool.run_shell_command"] {
        let event = event_of(recordings::get(name).unwrap());
        let text = dialects::of(event.agent).answer(&event, &block).stdout.unwrap();
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["hookSpecificOutput"]["additionalContext"], "look", "{name}");
        assert!(object.get("decision").is_none(), "a decision would replace the result: {name}");
    }
}

#[test]
fn a_plain_text_output_takes_the_place_of_the_text_in_claudes_result() {
    let verdict = Verdict { output: Some(json!("[gone]")), ..Verdict::default() };
    let shaped = |name: &str, verdict: &Verdict| -> Value {
        let event = event_of(recordings::get(name).unwrap());
        let text = dialects::of(event.agent).answer(&event, verdict).stdout.unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let bash = shaped("claude/PostToolUse.Bash", &verdict);
    let output = &bash["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!((&output["stdout"], &output["interrupted"]), (&json!("[gone]"), &json!(false)));
    let read = shaped("claude/PostToolUse.Read", &verdict);
    assert_eq!(read["hookSpecificOutput"]["updatedToolOutput"]["file"]["content"], "[gone]");
    let own = Verdict { output: Some(json!({"stdout": "[own]"})), ..Verdict::default() };
    assert_eq!(
        shaped("claude/PostToolUse.Bash", &own)["hookSpecificOutput"]["updatedToolOutput"]["stdout"],
        "[own]"
    );
    assert_eq!(shaped("codex/PostToolUse.Bash", &own)["reason"], "[own]", "no JSON where text is shown");
    assert_eq!(shaped("gemini/AfterTool.run_shell_command", &own)["reason"], "[own]");
}

#[test]
fn a_shells_result_has_claudes_fields_in_every_agent() {
    for name in [
        "claude/PostToolUse.Bash",
        "codex/PostToolUse.Bash",
        "gemini/AfterTool.run_shell_command",
        "qwen/PostToolUse.run_shell_command",
    ] {
        let event = event_of(recordings::get(name).unwrap());
        let response = event.tool_response().unwrap();
        assert!(response["stdout"].is_string() && response["stderr"].is_string(), "{name}: {response}");
        assert_eq!(response["interrupted"], false, "{name}");
        assert!(!response.to_string().contains("PGID"), "an id makes every result another one: {name}");
    }
}

#[test]
fn gemini_shows_the_reason_with_its_question() {
    let event = event_of(recordings::get("gemini/BeforeTool.run_shell_command").unwrap());
    let ask = Verdict {
        decision: Decision::Ask,
        reason: Some("sure?".into()),
        message: Some("by the way".into()),
        ..Verdict::default()
    };
    let text = dialects::of(event.agent).answer(&event, &ask).stdout.unwrap();
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&object["decision"], &object["systemMessage"]), (&json!("ask"), &json!("sure?\nby the way")));
}

proptest! {
    /// Any byte changed, cut or doubled in a real payload: never a panic, and what comes out is one JSON object.
    #[test]
    fn mutated_payloads_never_panic(pick in 0usize..recordings::ALL.len(), at in any::<prop::sample::Index>(),
                                    byte in any::<u8>(), cut in any::<bool>(), which in 0usize..3) {
        let recording = &recordings::ALL[pick];
        let mut bytes = recording.text.as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at); } else { bytes[at] = byte; }
        let agent = [Some(agent_of(recording.name)), None, Some(AgentId::Claude)][which];
        if let Ok(event) = decode::decode(&bytes, agent, &|_| None) {
            for decision in [Decision::Pass, Decision::Allow, Decision::Ask, Decision::Deny, Decision::Block] {
                let encoded = dialects::of(event.agent).answer(&event, &full(decision));
                if let Some(text) = encoded.stdout && text.starts_with('{') {
                    prop_assert!(serde_json::from_str::<Value>(&text).unwrap().is_object());
                }
            }
        }
    }

    /// What sprag says as a hook, it understands from a hook.
    #[test]
    fn an_answer_reads_back(decision in 0usize..4, context in prop::option::of("[a-z]{1,20}"), message in prop::option::of("[a-z ]{1,20}")) {
        let decision = [Decision::Pass, Decision::Allow, Decision::Ask, Decision::Deny][decision];
        let verdict = Verdict {
            decision,
            reason: (decision != Decision::Pass).then(|| "because".to_owned()),
            context, message, ..Verdict::default()
        };
        let event = claude_event(EventKind::PreToolUse);
        let text = dialects::of(AgentId::Claude).answer(&event, &verdict).stdout.unwrap_or_default();
        prop_assert_eq!(answer::read(EventKind::PreToolUse, &text, 0, "").unwrap(), verdict);
    }

    /// Whatever a hook prints, reading it never panics.
    #[test]
    fn any_answer_text_is_read_or_refused(text in "\\PC{0,80}", object in "\\{\"[a-zA-Z]{1,20}\":[^\\PC]{0,20}\\}", code in -2i32..5) {
        for kind in EventKind::ALL {
            let _ = answer::read(*kind, &text, code, &object);
            let _ = answer::read(*kind, &object, code, &text);
        }
    }
}
