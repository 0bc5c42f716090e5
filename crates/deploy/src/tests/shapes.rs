//! Settings files of other shapes than Claude Code's: handlers without groups, and one value that is sprag's.

use super::*;
use serde_json::{Value, json};
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::Layout;
use std::path::{Path, PathBuf};

const EXE: &str = "/opt/my tools/sprag";

fn plan(agent: AgentId, events: &[&str]) -> Plan {
    let registration =
        |event: &&str| Registration { event: (*event).to_owned(), matcher: None, timeout: 7, gate: false };
    Plan {
        agent: &agent.spec().settings,
        scope: Scope::User,
        file: PathBuf::from("/h/file"),
        registrations: events.iter().map(registration).collect(),
        command: Command::hook(EXE, agent.name()),
        form: crate::Form::Shell,
        remembered: crate::Remembered::default(),
    }
}

fn deployed(agent: AgentId, events: &[&str], text: &str) -> String {
    apply(&plan(agent, events), text, Origin::Unknown).unwrap().text
}

/// What may be there before: nothing, an empty object, other settings in an odd style.
fn texts(agent: AgentId) -> Vec<String> {
    let mut texts = vec![String::new(), "{}".to_owned(), "{ }\n".to_owned()];
    match agent.spec().settings.layout {
        Layout::Flat(_) => texts.extend([
            "{\"version\": 1, \"hooks\": {}}\n".to_owned(),
            "{\n    \"version\": 1,\n    \"hooks\": {\"stop\": [{\"command\": \"mine\"}], \"preToolUse\": []}\n}".to_owned(),
            "{\"lsp\":{\"go\":{\"command\":\"gopls\"}}}".to_owned(),
        ]),
        Layout::Member(layout) if layout.key.is_some() => texts.extend([
            "{\"mine\": {\"Stop\": [{\"command\": \"make lint\"}]}}\n".to_owned(),
            "{\n  \"mine\": { \"enabled\": false }\n}".to_owned(),
        ]),
        _ => {}
    }
    texts
}

#[test]
fn what_was_there_stays_and_comes_back() {
    let exe = Some(Path::new(EXE));
    let shaped = AgentId::ALL
        .into_iter()
        .filter(|agent| matches!(agent.spec().settings.layout, Layout::Flat(_) | Layout::Member(_)));
    let mut count = 0;
    for agent in shaped {
        let files = &agent.spec().settings;
        for text in texts(agent) {
            let first = deployed(agent, &["PreToolUse"], &text);
            assert_eq!(deployed(agent, &["PreToolUse"], &first), first, "{agent}: again");
            let found = entries(files, exe, &first).unwrap();
            assert_eq!(found.len(), 1, "{agent}: {first}");
            assert_eq!((found[0].event.as_str(), found[0].exe.as_path()), ("PreToolUse", Path::new(EXE)));
            let more = deployed(agent, &["PreToolUse", "Stop"], &first);
            assert_eq!(entries(files, exe, &more).unwrap().len(), 2, "{agent}: {more}");
            let value: Value = serde_json::from_str(&more).unwrap();
            if text.contains("mine") {
                assert!(more.contains("mine"), "{agent}: {value}");
            }
            let back = strip(files, exe, &more, Origin::Text(&text)).unwrap().text;
            assert_eq!(back, text, "{agent}");
            let gone = strip(files, exe, &first, Origin::Absent).unwrap().text;
            assert!(entries(files, exe, &gone).unwrap().is_empty(), "{agent}: {gone}");
        }
        let made = deployed(agent, &["PreToolUse"], "");
        let empty = strip(files, exe, &made, Origin::Absent).unwrap().text;
        assert_eq!(serde_json::from_str::<Value>(&empty).unwrap(), json!({}), "{agent}");
        count += 1;
    }
    assert_eq!(count, 5);
}

/// As the agents' documentation shows them.
#[test]
fn the_files_are_what_the_agents_read() {
    let value =
        |agent, events: &[&str]| -> Value { serde_json::from_str(&deployed(agent, events, "")).unwrap() };
    let line = |agent: &str| format!("test -x '{EXE}' && exec '{EXE}' hook --agent {agent} || true");
    assert_eq!(
        value(AgentId::Cursor, &["preToolUse"]),
        json!({"version": 1, "hooks": {"preToolUse": [{"command": line("cursor"), "timeout": 7}]}})
    );
    assert_eq!(
        value(AgentId::Windsurf, &["pre_run_command"]),
        json!({"hooks": {"pre_run_command": [{"command": line("windsurf")}]}})
    );
    assert_eq!(
        value(AgentId::Crush, &["PreToolUse"]),
        json!({"hooks": {"PreToolUse": [{"command": line("crush"), "timeout": 7}]}})
    );
    assert_eq!(
        value(AgentId::Kiro, &["Stop"]),
        json!({"version": "v1", "hooks": [{"name": "sprag Stop", "trigger": "Stop", "timeout": 7, "enabled": true,
            "action": {"type": "command", "command": line("kiro")}}]})
    );
    let handler = json!({"type": "command", "command": line("antigravity"), "timeout": 7});
    assert_eq!(
        value(AgentId::Antigravity, &["PreToolUse", "Stop"]),
        json!({"sprag": {"PreToolUse": [{"matcher": "*", "hooks": [handler.clone()]}], "Stop": [handler]}})
    );
    for agent in [AgentId::Goose, AgentId::Devin, AgentId::Auggie] {
        let groups = value(agent, &["PreToolUse"]);
        assert_eq!(groups["hooks"]["PreToolUse"][0]["hooks"][0]["type"], "command", "{agent}: {groups}");
    }
    let amp = deployed(AgentId::Amp, &["Stop"], "");
    assert!(
        amp.contains(r#"["/opt/my tools/sprag","hook","--agent","amp"]"#) && !amp.contains("__"),
        "{amp}"
    );
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    let text =
        r#"{"version": "v1", "hooks": [{"name": "x", "trigger": "Stop", "action": {"type": "agent"}}]}"#;
    let error = apply(&plan(AgentId::Kiro, &["Stop"]), text, Origin::Unknown).unwrap_err();
    assert!(!error.hint.is_empty(), "{error}");
    assert_eq!(strip(&AgentId::Kiro.spec().settings, None, text, Origin::Unknown).unwrap().text, text);
    let list = apply(&plan(AgentId::Antigravity, &["Stop"]), "[]", Origin::Unknown).unwrap_err();
    assert!(list.to_string().contains("JSON object"), "{list}");
}
