//! Hooks as parts of text files: added, found, and taken back byte for byte.

use super::*;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::Layout;
use std::path::{Path, PathBuf};

fn plan(agent: &'static AgentFiles, events: &[&str]) -> Plan {
    let registrations = events
        .iter()
        .map(|event| Registration { event: (*event).to_owned(), matcher: None, timeout: 7, gate: false })
        .collect();
    Plan {
        agent,
        scope: Scope::User,
        file: PathBuf::from("/h/file"),
        registrations,
        command: Command::hook("/opt/my tools/sprag", agent.name()),
        form: crate::Form::Shell,
        remembered: crate::Remembered::default(),
    }
}

fn block_agents() -> impl Iterator<Item = &'static AgentFiles> {
    AgentId::ALL
        .into_iter()
        .map(|agent| &agent.spec().settings)
        .filter(|files| matches!(files.layout, Layout::Block(_)))
}

#[test]
fn what_was_there_stays_and_comes_back() {
    let exe = Some(Path::new("/opt/my tools/sprag"));
    for files in block_agents() {
        let Layout::Block(layout) = &files.layout else { unreachable!() };
        let texts =
            [String::new(), format!("{} mine\n", layout.comment), format!("{} no newline", layout.comment)];
        for text in texts {
            let deployed = apply(&plan(files, &["PreToolUse"]), &text, Origin::Absent).unwrap().text;
            assert!(deployed.starts_with(&text), "{}: {deployed}", files.name());
            let again = apply(&plan(files, &["PreToolUse"]), &deployed, Origin::Unknown).unwrap().text;
            assert_eq!(again, deployed, "{}", files.name());
            let found = entries(files, exe, &deployed).unwrap();
            assert_eq!(found.len(), 1, "{}: {deployed}", files.name());
            assert_eq!((found[0].event.as_str(), found[0].timeout), ("PreToolUse", Some(7)));
            assert_eq!(found[0].exe, Path::new("/opt/my tools/sprag"));
            let other =
                apply(&plan(files, &["PreToolUse", "Stop"]), &deployed, Origin::Unknown).unwrap().text;
            assert_eq!(entries(files, exe, &other).unwrap().len(), 2, "{}", files.name());
            let back = strip(files, exe, &other, Origin::Text(&text)).unwrap().text;
            assert_eq!(back, text, "{}", files.name());
        }
    }
}

#[test]
fn a_file_with_hooks_of_its_own_is_refused_with_the_line() {
    for (agent, text) in [
        (AgentId::Kimi, "x = 1\nhooks = []\n"),
        (AgentId::Hermes, "hooks:\n  pre_tool_call: []\n"),
        (AgentId::Cline, "#!/bin/sh\nexec mine\n"),
    ] {
        let files = &agent.spec().settings;
        let error = apply(&plan(files, &["PreToolUse"]), text, Origin::Unknown).unwrap_err();
        assert!(!error.hint.is_empty(), "{agent}: {error}");
        assert_eq!(strip(files, None, text, Origin::Unknown).unwrap().text, text, "{agent}");
    }
}

#[test]
fn the_parts_are_what_the_agents_read() {
    let kimi = apply(&plan(&AgentId::Kimi.spec().settings, &["Stop"]), "", Origin::Absent).unwrap().text;
    let hooks: toml::Table = kimi.parse().unwrap();
    assert_eq!(hooks["hooks"][0]["event"].as_str(), Some("Stop"));
    assert!(hooks["hooks"][0]["command"].as_str().unwrap().contains("hook --agent kimi"));
    let cline =
        apply(&plan(&AgentId::Cline.spec().settings, &["TaskStart"]), "", Origin::Absent).unwrap().text;
    assert!(
        cline.starts_with("#!/bin/sh\n") && cline.contains("exec '/opt/my tools/sprag' hook --agent cline")
    );
    let plugin =
        apply(&plan(&AgentId::Opencode.spec().settings, &["Stop"]), "", Origin::Absent).unwrap().text;
    assert!(
        plugin.contains(r#"["/opt/my tools/sprag","hook","--agent","opencode"]"#) && !plugin.contains("__")
    );
    assert!(plugin.contains(r#"const timeouts = {"Stop":7}"#), "{plugin}");
}
