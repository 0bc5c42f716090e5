//! Files as people have them: the exact bytes that come out.

use super::*;

fn stop() -> Vec<Registration> {
    vec![registration("Stop", None, 30)]
}

/// Deploys one event and compares the whole text.
fn golden(name: &str, before: &str, after: &str) {
    let text = check_round_trip(&plan(name, stop()), before);
    assert_eq!(text, after);
}

#[test]
fn no_file() {
    let plan = Plan { form: Form::Exec, ..usual("claude") };
    let text = apply(&plan, "", Origin::Absent).unwrap().text;
    assert_eq!(
        text,
        r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "/opt/sprag/bin/sprag",
            "args": [
              "hook",
              "--agent",
              "claude"
            ],
            "timeout": 65
          }
        ]
      }
    ],
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/sprag/bin/sprag",
            "args": [
              "hook",
              "--agent",
              "claude"
            ],
            "timeout": 30
          }
        ]
      }
    ]
  }
}
"#
    );
    assert_eq!(apply(&plan, &text, Origin::Absent).unwrap().text, text);
    assert_eq!(strip(plan.agent, None, &text, Origin::Absent).unwrap().text, "{}\n");
}

#[test]
fn empty_files_count_as_an_empty_object() {
    for before in ["", "\n", "  \r\n\t"] {
        let text = applied(&plan("codex", stop()), before);
        assert!(text.starts_with("{\n  \"hooks\": {\n    \"Stop\": ["), "{text}");
        assert!(text.ends_with("}\n"));
    }
    // Nothing to register: nothing to change.
    assert_eq!(applied(&plan("codex", vec![]), " \n"), " \n");
}

#[test]
fn codex_shell_line() {
    golden(
        "codex",
        "{}",
        r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true",
            "timeout": 30
          }
        ]
      }
    ]
  }
}"#,
    );
}

#[test]
fn gemini_with_name_switch_and_comments() {
    golden(
        "gemini",
        "// my settings\n{\n    // the theme\n    \"theme\": \"Dark\", /* really */\n    \"n\": 1.50 // last\n    // end\n}\n",
        r#"// my settings
{
    // the theme
    "theme": "Dark", /* really */
    "n": 1.50, // last
    // end
    "hooks": {
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "name": "sprag",
                        "command": "test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent gemini || true",
                        "timeout": 30
                    }
                ]
            }
        ]
    },
    "hooksConfig": {
        "enabled": true
    }
}
"#,
    );
}

#[test]
fn minified_stays_minified() {
    golden(
        "claude",
        r#"{"model":"opus","n":1e3}"#,
        r#"{"model":"opus","n":1e3,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/sprag/bin/sprag","args":["hook","--agent","claude"],"timeout":30}]}]}}"#,
    );
    golden(
        "codex",
        "{\"description\": \"x\", \"hooks\": {}}\n",
        "{\"description\": \"x\", \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \
         \"test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true\", \"timeout\": 30}]}]}}\n",
    );
}

#[test]
fn tabs_and_crlf() {
    golden(
        "codex",
        "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}\r\n",
        "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \
         \"command\",\r\n\t\t\t\t\t\t\"command\": \"test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true\",\r\n\t\t\t\t\t\t\"timeout\": \
         30\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n",
    );
}

#[test]
fn hugging_brackets() {
    golden(
        "codex",
        "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }]\n    }]\n  }\n}",
        r#"{
  "hooks": {
    "Stop": [{
      "hooks": [{ "type": "command", "command": "mine" }]
    }, {
      "hooks": [
        {
          "type": "command",
          "command": "test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true",
          "timeout": 30
        }
      ]
    }]
  }
}"#,
    );
}

#[test]
fn round_trips_of_all_shapes() {
    let shapes: &[&str] = &[
        "",
        " \n",
        "{}",
        "{ }\n",
        "{\n}\n",
        "\n\n{\"a\" : 1}\n\n",
        "{\"hooks\":{}}",
        "{\"hooks\": { } }",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\n  \"hooks\": {\n    \"Stop\": [ ],\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"a\" }\n        ]\n      }\n    ]\n  },\n  \"z\": \"é \\u00e9 \\ud83d\\ude00 😀 \\ud800\"\n}",
        "{\"env\":{\"A\":\"1\"},\"hooks\":{\"PostToolUse\":[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\",\"timeout\":1.0}]}]},\"n\":-0.0e-10}",
        "{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls:*)\", \"Read\"]\n\t},\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"guard.sh\" } ] }\n\t\t]\n\t}\n}",
        "{\n   \"a\": 1\n     , \"b\": 2\n}",
        "{\"hooks\":{\"Stop\":[null,1,\"x\",{},{\"hooks\":{}},{\"hooks\":[null]}]}}",
        "{\n  \"a\": {},\n  \"hooks\": {\"Odd Event/~\\\"\": []}\n}",
    ];
    let commented: &[&str] = &[
        "// only a comment",
        "/* only a comment */ \r\n",
        "// a comment\n{}",
        "{ // c\n}",
        "{ /* c */ }",
        "{\"hooks\": {\"Stop\": [ /* nothing */ ]}}",
        "{\"hooks\": {\"Stop\": [ // nothing\n ]}}",
        "{\"a\": [1 /* , */, 2 // ,\n], \"hooks\": {} // end\n}",
        "{\"hooks\": {\"Stop\": [\n  {\"hooks\": []} // mine, keep\n ]}}",
        "{\"hooks\": {\"Stop\": [{\"hooks\": []} // mine\n ]}}",
        "{\"hooks\": {\"enabled\": true, \"disabled\": [\"x\"]}}",
        "{\"hooksConfig\": {\"enabled\": false}}",
        "{\"hooksConfig\": {\"enabled\": true, \"notifications\": false}}",
        "{\"hooksConfig\": { }}",
        "{\n  \"hooksConfig\": {\n    // off for now\n    \"disabled\": []\n  }\n}",
    ];
    for name in ["claude", "codex", "gemini", "qwen"] {
        let comments = matches!(name, "gemini" | "qwen");
        for text in shapes.iter().chain(commented.iter().filter(|_| comments)) {
            let once = check_round_trip(&usual(name), text);
            check_round_trip(&plan(name, stop()), text);
            // From one plan to another, then undeployed.
            let less = apply(&plan(name, stop()), &once, Origin::Text(text)).unwrap().text;
            let back = strip(agent(name), None, &less, Origin::Text(text)).unwrap().text;
            assert_eq!(back, *text);
            // The plan that asks for nothing takes everything out.
            let none = apply(&plan(name, vec![]), &once, Origin::Text(text)).unwrap().text;
            assert_eq!(none, *text);
        }
    }
}

#[test]
fn a_huge_file() {
    let mut text = String::from("{\n  \"mcpServers\": {\n");
    for n in 0..20_000 {
        let line = format!("    \"server-{n}\": {{ \"command\": \"x{n}\", \"args\": [\"a\", {n}.0] }},\n");
        text.push_str(&line);
    }
    text.push_str("    \"last\": {}\n  },\n  \"hooks\": { \"Stop\": [] }\n}\n");
    assert!(text.len() > 1_000_000);
    check_round_trip(&usual("claude"), &text);
}

#[test]
fn old_entries_are_updated_in_place() {
    let before = r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "'/old path/sprag' hook" }
        ]
      },
      { "hooks": [ { "type": "command", "command": "mine" } ] }
    ]
  }
}
"#;
    let text = apply(&plan("claude", stop()), before, Origin::Text(before)).unwrap().text;
    assert_eq!(
        text,
        r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/sprag/bin/sprag",
            "args": [
              "hook",
              "--agent",
              "claude"
            ],
            "timeout": 30
          }
        ]
      },
      { "hooks": [ { "type": "command", "command": "mine" } ] }
    ]
  }
}
"#
    );
    // The original had an entry of ours: going back to it would not be an undeploy.
    let back = strip(agent("claude"), None, &text, Origin::Text(before)).unwrap().text;
    assert_eq!(
        back,
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"mine\" } ] }\n    ]\n  }\n}\n"
    );
}

#[test]
fn only_old_entries_leave_nothing() {
    let before = r#"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sprag hook"}]}]}}"#;
    assert_eq!(strip(agent("claude"), None, before, Origin::Unknown).unwrap().text, r#"{"a":1}"#);
    assert_eq!(strip(agent("claude"), None, before, Origin::Text(before)).unwrap().text, r#"{"a":1}"#);
}

#[test]
fn duplicates_become_one() {
    let one = r#"{"hooks":[{"type":"command","command":"test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true","timeout":30}]}"#;
    let two = r#"{"hooks":[{"type":"command","command":"sprag hook"},{"type":"command","command":"sprag hook -v"}]}"#;
    let before = format!(r#"{{"hooks":{{"Stop":[{two},{one},{one}]}}}}"#);
    let text = applied(&plan("codex", stop()), &before);
    assert_eq!(text, format!(r#"{{"hooks":{{"Stop":[{one}]}}}}"#));
}

#[test]
fn ours_in_a_foreign_group() {
    let group = |handlers: &str| {
        format!(r#"{{ "hooks": {{ "PreToolUse": [ {{ "matcher": "Bash", "hooks": [ {handlers} ] }} ] }} }}"#)
    };
    let a = r#"{ "type": "command", "command": "a" }"#;
    let b = r#"{ "type": "command", "command": "b" }"#;
    let old = r#"{ "type": "command", "command": "sprag hook" }"#;
    let before = group(&format!("{a}, {old}, {b}"));
    // The same matcher: changed in place.
    let same = plan("codex", vec![registration("PreToolUse", Some("Bash"), 9)]);
    let new = r#"{"type": "command", "command": "test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true", "timeout": 9}"#;
    assert_eq!(applied(&same, &before), group(&format!("{a}, {new}, {b}")));
    // Another matcher: the group is not ours to change, so we leave it.
    let other = plan("codex", vec![registration("PreToolUse", Some("Edit"), 9)]);
    let text = applied(&other, &before);
    assert!(text.contains(&format!("[ {a}, {b} ]")), "{text}");
    assert!(text.contains(r#""matcher": "Edit""#), "{text}");
    assert_eq!(applied(&other, &text), text);
    assert_eq!(
        strip(agent("codex"), None, &before, Origin::Unknown).unwrap().text,
        group(&format!("{a}, {b}"))
    );
    // A group with keys of its owner stays, even empty.
    let keyed =
        r#"{"hooks":{"Stop":[{"sequential":true,"hooks":[{"type":"command","command":"sprag hook"}]}]}}"#;
    let left = strip(agent("gemini"), None, keyed, Origin::Unknown).unwrap().text;
    assert_eq!(left, r#"{"hooks":{"Stop":[{"sequential":true,"hooks":[]}]}}"#);
}

#[test]
fn matcher_and_timeout_change_in_place() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"PreToolUse\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  }\n}\n";
    let with =
        |matcher: Option<&str>, timeout| plan("claude", vec![registration("PreToolUse", matcher, timeout)]);
    let mut text = before.to_owned();
    for (matcher, timeout) in
        [(None, 5), (Some("Bash"), 5), (Some("Bash|Edit"), 6), (None, 7), (Some("*"), 7)]
    {
        let plan = with(matcher, timeout);
        text = apply(&plan, &text, Origin::Text(before)).unwrap().text;
        assert_eq!(text, applied(&plan, before), "as if it had been deployed that way at once");
        let found = entries(plan.agent, None, &text).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].matcher.as_deref(), found[0].timeout), (matcher, Some(timeout)));
    }
    assert_eq!(strip(agent("claude"), None, &text, Origin::Text(before)).unwrap().text, before);
}

#[test]
fn unchanged_entries_keep_bytes_and_position() {
    // As the agent itself might rewrite it: other key order, other spacing, then a foreign entry after ours.
    let text = r#"{"hooks":{"Stop":[{"hooks":[{"timeout":30,"command":"test -x /opt/sprag/bin/sprag && exec /opt/sprag/bin/sprag hook --agent codex || true", "type":"command"}]},{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    assert_eq!(applied(&plan("codex", stop()), text), text);
    let more = plan("codex", vec![registration("PreToolUse", None, 5), stop().remove(0)]);
    assert!(applied(&more, text).starts_with(text.trim_end_matches("}}")));
}

#[test]
fn an_event_that_is_gone_leaves_nothing_behind() {
    let before = "{\n  \"hooks\": {\n    \"SessionEnd\": []\n  }\n}\n";
    let full = apply(&usual("claude"), before, Origin::Text(before)).unwrap().text;
    let less = apply(&plan("claude", stop()), &full, Origin::Text(before)).unwrap().text;
    assert!(!less.contains("PreToolUse"));
    assert!(less.contains("\"SessionEnd\": []"));
    assert_eq!(less, applied(&plan("claude", stop()), before));
}

#[test]
fn gates_and_forms() {
    let mut gate = registration("PreToolUse", None, 5);
    gate.gate = true;
    let text = applied(&plan("claude", vec![gate.clone()]), "{\"a\":1}");
    assert!(text.contains(r#""timeout":5,"onFailure":"block"}"#), "{text}");
    let found = entries(agent("claude"), None, &text).unwrap();
    assert!(found[0].gate && found[0].form == Form::Exec);
    // The agent has no such field: nothing is invented.
    assert!(!applied(&plan("codex", vec![gate.clone()]), "{}").contains("onFailure"));
    let shell = plan("claude", vec![gate]).with_form(Form::Shell);
    let shelled = apply(&shell, &text, Origin::Unknown).unwrap().text;
    assert!(
        shelled.contains(r#""command":"/opt/sprag/bin/sprag hook --agent claude","timeout""#),
        "{shelled}"
    );
    assert_eq!(entries(agent("claude"), None, &shelled).unwrap()[0].form, Form::Shell);
}

#[test]
fn several_registrations_of_one_event() {
    let two = plan(
        "claude",
        vec![registration("PreToolUse", Some("A"), 5), registration("PreToolUse", Some("B"), 6)],
    );
    let once = check_round_trip(&two, "{}");
    let swapped = Plan { registrations: two.registrations.iter().rev().cloned().collect(), ..two };
    assert_eq!(applied(&swapped, &once), once, "both are there already");
}

#[test]
fn null_matchers_are_repaired_for_claude_only() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": null,\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }]\n      }\n    ],\n    \"Z\": [{\"hooks\": [], \"matcher\": null}]\n  }\n}\n";
    let edited = apply(&plan("claude", stop()), before, Origin::Text(before)).unwrap();
    assert!(!edited.text.contains("null"));
    assert!(
        edited
            .text
            .contains("{\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }]\n      }")
    );
    assert!(edited.text.contains("\"Z\": [{\"hooks\": []}]"));
    let lines: Vec<_> = edited.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [Some(5), Some(9)]);
    assert!(edited.warnings[0].text.contains("Stop"), "{:?}", edited.warnings);
    // Undeploy takes out what is ours and leaves the repair.
    let back = strip(agent("claude"), None, &edited.text, Origin::Text(before)).unwrap().text;
    assert!(!back.contains("null") && !back.contains("sprag"));
    check_round_trip(&plan("codex", stop()), before);
}

#[test]
fn the_switch_is_put_back() {
    let gemini = plan("gemini", stop());
    let off = "{\n  \"hooksConfig\": {\n    \"enabled\": false // no\n  }\n}\n";
    let edited = apply(&gemini, off, Origin::Text(off)).unwrap();
    assert!(edited.text.contains("\"enabled\": true // no"));
    assert_eq!(edited.warnings.len(), 1);
    assert_eq!(edited.warnings[0].line, Some(3));
    // Switched off by the user afterwards: kept.
    let by_hand = edited.text.replace("true // no", "false // no");
    assert_eq!(strip(gemini.agent, None, &by_hand, Origin::Text("{}")).unwrap().text, off);
    // The origin is unknown: what is on stays on.
    let kept = strip(gemini.agent, None, &edited.text, Origin::Unknown).unwrap().text;
    assert!(kept.contains("\"enabled\": true // no"));
    // We made the whole file.
    let made = apply(&gemini, "", Origin::Absent).unwrap().text;
    assert_eq!(strip(gemini.agent, None, &made, Origin::Absent).unwrap().text, "{}\n");
    // Qwen has no such switch.
    assert!(!applied(&plan("qwen", stop()), "{}").contains("hooksConfig"));
}

#[test]
fn comments_around_ours_stay() {
    let gemini = plan("gemini", vec![registration("A", None, 1)]);
    let entry = |name: &str| format!(r#"{{"hooks":[{{"type":"command","command":"{name}"}}]}}"#);
    let (ours, mine) = (entry("sprag hook"), entry("mine"));
    for (inside, left) in [
        (format!("{mine}, // about mine\n {ours}\n"), format!("{mine} // about mine\n")),
        (format!("{mine}, // about mine\n {ours} "), format!("{mine} // about mine\n ")),
        (format!("{mine} // about, mine\n , {ours} "), format!("{mine} // about, mine\n ")),
        (format!("{ours}, // after ours\n {mine}"), format!("// after ours\n {mine}")),
        (format!("{ours} /* , */ , {mine}"), format!(" /* , */ {mine}")),
        (format!(" // top\n {ours}"), " // top\n".to_owned()),
        (format!(" {ours} // end\n"), " // end\n".to_owned()),
    ] {
        let text = format!("{{\"hooks\":{{\"A\":[{inside}]}}}}");
        let stripped = strip(gemini.agent, None, &text, Origin::Unknown).unwrap().text;
        let wanted = format!("{{\"hooks\":{{\"A\":[{left}]}}}}");
        assert_eq!(stripped.replace(' ', ""), wanted.replace(' ', ""), "{text}");
        let again = apply(&gemini, &text, Origin::Unknown).unwrap().text;
        assert_eq!(apply(&gemini, &again, Origin::Unknown).unwrap().text, again);
    }
}

#[test]
fn warnings_say_why_nothing_would_run() {
    let off = apply(&plan("claude", stop()), "{\"disableAllHooks\": true}", Origin::Unknown).unwrap();
    assert!(off.warnings[0].text.contains("disableAllHooks"));
    let on = apply(&plan("claude", stop()), "{\"disableAllHooks\": false}", Origin::Unknown).unwrap();
    assert_eq!(on.warnings, []);
    let odd = apply(&plan("codex", stop()), "{\"description\": \"\", \"x\": 1}", Origin::Unknown).unwrap();
    assert_eq!(odd.warnings.len(), 1);
    assert!(odd.warnings[0].text.contains("\"x\""));
}

#[test]
fn hooks_in_config_toml() {
    let is_ours = |command: &str| Command::recognise(command, None, None).is_some();
    let file = agent("codex").toml_file.unwrap();
    let found = toml_hooks(
        "[features]\nhooks = false\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"sprag hook --agent codex\"\n\
         [[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ncommand = \"guard\"\n[hooks.state.\"a:b\"]\ntrusted_hash = \"x\"\n",
        file,
        is_ours,
    );
    assert_eq!(found, Ok(TomlHooks { ours: vec!["Stop".into()], foreign: true, off: true }));
    assert_eq!(toml_hooks("model = \"x\"\n", file, is_ours), Ok(TomlHooks::default()));
    let invalid = toml_hooks("model = \n", file, is_ours).unwrap_err().to_string();
    assert!(invalid.starts_with("config.toml is not valid TOML ("), "{invalid}");
    assert_eq!(invalid.lines().count(), 1, "{invalid}");
}
