//! `sprag hooks`: list, show, run, enable, disable, order.

use crate::cli_home::{Home, has_keys};
use serde_json::{Value, json};
use std::fs;

fn hook<'a>(list: &'a Value, name: &str) -> &'a Value {
    list["hooks"].as_array().unwrap().iter().find(|hook| hook["name"] == name).unwrap()
}

#[test]
fn list_knows_builtins_and_own_hooks_and_why() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "preset = \"minimal\"\n[hooks.session_stop]\nappend = [\"mine\"]\n[hook.session-cleanup]\nmode = \"shadow\"\n");
    home.script(".config/sprag/hooks/mine.sh", "#!/bin/sh\n");
    home.script(".config/sprag/hooks/idle.py", "#!/usr/bin/env python3\n");
    home.write(".config/sprag/hooks/mine.hook.toml", "");
    home.script("shop/.sprag/hooks/theirs.sh", "#!/bin/sh\n");
    let list = home.run(&["hooks", "list", "--json"]).json();
    has_keys(&list, &["preset", "hooks"]);
    let loops = hook(&list, "tool-loop");
    has_keys(
        loops,
        &["name", "kind", "family", "bundle", "summary", "events", "presets", "mode", "on", "why"],
    );
    assert_eq!((&loops["on"], &loops["why"]), (&json!(false), &json!("not in preset minimal")));
    assert_eq!(loops["presets"], json!(["standard", "strict", "swarm"]));
    let cleanup = hook(&list, "session-cleanup");
    assert_eq!((&cleanup["on"], &cleanup["mode"]), (&json!(true), &json!("shadow")));
    let mine = hook(&list, "mine");
    assert_eq!(
        (&mine["kind"], &mine["on"], &mine["events"]),
        (&json!("external"), &json!(true), &json!(["Stop"]))
    );
    assert!(hook(&list, "idle")["why"].as_str().unwrap().contains("in no chain"));
    assert!(hook(&list, "theirs")["why"].as_str().unwrap().contains("not trusted"));
    assert!(!list["hooks"].as_array().unwrap().iter().any(|hook| hook["name"] == "mine.hook"));
    let text = home.run(&["hooks", "list"]).ok();
    assert!(text.starts_with("hook ") && text.contains("preset minimal"), "{text}");
    let off = home.run_with(&["hooks", "list", "--json"], &[("SPRAG_DISABLE", "mine")]).json();
    assert_eq!(hook(&off, "mine")["why"], "SPRAG_DISABLE");
}

#[test]
fn show_has_settings_with_their_source() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "[hook.tool-loop]\nwarn_at = 3\n");
    let value = home.run(&["hooks", "show", "tool-loop", "--json"]).json();
    has_keys(
        &value,
        &[
            "name", "kind", "family", "bundle", "summary", "events", "presets", "mode", "on", "why", "file",
            "page", "chains", "settings", "stats",
        ],
    );
    let settings = value["settings"].as_array().unwrap();
    let warn = settings.iter().find(|setting| setting["key"] == "warn_at").unwrap();
    has_keys(warn, &["key", "doc", "default", "value", "from"]);
    assert_eq!((&warn["default"], &warn["value"]), (&json!("8"), &json!(3)));
    assert!(warn["from"].as_str().unwrap().ends_with("config.toml"));
    assert_eq!(value["page"], "docs/hooks/tool-loop.md");
    has_keys(&value["chains"][0], &["event", "matcher", "mode", "timeout_ms", "on_error", "command", "why"]);
    let text = home.run(&["hooks", "show", "tool-loop"]).ok();
    assert!(text.contains("~/.config/sprag/config.toml") && text.contains("identical calls"), "{text}");
    let wrong = home.run(&["hooks", "show", "toolloop"]).failed();
    assert!(wrong.contains("did you mean `tool-loop`?"), "{wrong}");
}

#[test]
fn run_tries_one_hook_and_leaves_no_trace() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "[hook.no]\nmatcher = \"Bash\"\n[hook.bad]\nmode = \"off\"\n");
    home.script(
        ".config/sprag/hooks/no.sh",
        "#!/bin/sh\ncat > /dev/null; echo heard >&2; echo because >&2; exit 2\n",
    );
    home.script(".config/sprag/hooks/bad.sh", "#!/bin/sh\nexit 7\n");
    for event in ["PreToolUse", "pre_tool_use"] {
        let value = home.run(&["hooks", "run", "no", "--event", event, "--json"]).json();
        has_keys(
            &value,
            &[
                "hook", "event", "payload", "matched", "verdict", "reason", "notes", "message", "rewrite",
                "output", "env", "jobs", "skip", "error", "stderr", "us",
            ],
        );
        assert_eq!(
            (&value["verdict"], &value["payload"]),
            (&json!("deny"), &json!("recorded claude/PreToolUse.Bash"))
        );
        assert!(value["reason"].as_str().unwrap().contains("because"));
    }
    let payload = home.write("p.json", r#"{"tool_name":"Read","tool_input":{}}"#);
    let ran =
        home.run(&["hooks", "run", "no", "--event", "PreToolUse", "--payload", payload.to_str().unwrap()]);
    assert!(ran.out.contains("its matcher `Bash` does not match `Read`"), "{ran:?}");
    let ran = home.run(&["hooks", "run", "bad", "--event", "Stop"]);
    assert!(
        ran.code == 1 && ran.out.contains("error: "),
        "a hook that is off is run, its failure shown: {ran:?}"
    );
    let ran = home.run(&["hooks", "run", "session-init", "--event", "session_start"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let broken = home.write("broken.json", "{");
    let path = broken.to_str().unwrap();
    assert!(
        home.run(&["hooks", "run", "no", "--event", "Stop", "--payload", path]).failed().contains("not JSON")
    );
    assert!(!home.state().exists(), "the state of the user was not touched");
}

#[test]
fn run_reads_a_payload_from_standard_input() {
    use std::io::Write as _;
    let home = Home::new();
    let mut command =
        home.program(crate::cli_home::SPRAG, &["hooks", "run", "tool-loop", "--payload", "-", "--json"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let payload = home.event("UserPromptSubmit", json!({ "prompt": "hi" }));
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["event"], &value["verdict"]), (&json!("UserPromptSubmit"), &json!("pass")));
}

#[test]
fn disable_and_enable_edit_the_file_and_keep_its_comments() {
    let home = Home::new();
    let text = "# mine\nversion = 1 # one\n\n[hook.tool-loop] # careful\nwarn_at = 5 # low\n";
    home.write(".config/sprag/config.toml", text);
    let value = home.outside(&["hooks", "disable", "tool-loop", "--json"]).json();
    has_keys(&value, &["changed", "file", "deploy", "names"]);
    has_keys(&value["names"][0], &["name", "kind", "on", "mode", "why"]);
    assert_eq!((&value["changed"], &value["names"][0]["on"]), (&json!(true), &json!(false)));
    let after = fs::read_to_string(home.config()).unwrap();
    assert_eq!(after, text.replace("# one\n", "# one\ndisable = [\"tool-loop\"]\n"));
    assert_eq!(hook(&home.run(&["hooks", "list", "--json"]).json(), "tool-loop")["on"], false);
    home.outside(&["hooks", "enable", "tool-loop"]).ok();
    assert_eq!(hook(&home.run(&["hooks", "list", "--json"]).json(), "tool-loop")["on"], true);
    home.outside(&["hooks", "enable", "tool-loop", "--shadow"]).ok();
    assert_eq!(hook(&home.run(&["hooks", "list", "--json"]).json(), "tool-loop")["mode"], "shadow");
    let wrong = home.outside(&["hooks", "disable", "tool-lop"]);
    assert!(wrong.failed().contains("did you mean `tool-loop`?"));
    assert!(home.run(&["check"]).ok().contains("no errors"));
}

#[test]
fn an_own_hook_is_put_into_a_chain() {
    let home = Home::new();
    home.script(".config/sprag/hooks/mine.sh", "#!/bin/sh\n");
    assert!(home.outside(&["hooks", "enable", "mine"]).failed().contains("--event"));
    home.outside(&["hooks", "enable", "mine", "--event", "session_stop"]).ok();
    let last = || {
        let order = home.run(&["hooks", "order", "--event", "Stop", "--json"]).json();
        order["events"][0]["hooks"].as_array().unwrap().last().cloned().unwrap()
    };
    assert_eq!(last()["hook"], "mine", "behind the builtins");
    home.outside(&["hooks", "disable", "mine"]).ok();
    assert_eq!(
        (&last()["hook"], &last()["mode"]),
        (&"mine".into(), &"off".into()),
        "it keeps its place, marked"
    );
}

#[test]
fn a_file_that_cannot_be_changed_safely_is_left_alone() {
    let home = Home::new();
    for text in ["hook = { tool-loop = { mode = \"shadow\" } }\n", "preset = \n"] {
        home.write(".config/sprag/config.toml", text);
        home.outside(&["hooks", "disable", "tool-loop"]).failed();
        assert_eq!(fs::read_to_string(home.config()).unwrap(), text);
    }
}

#[test]
fn order_shows_chains_deadlines_and_the_runtimes_own_part() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "[hooks.pre_tool_use]\nprepend = [\"slow\"]\n[hook.slow]\ncommand = [\"true\"]\ntimeout_ms = 20000\nmatcher = \"Edit|Write\"\non_error = \"closed\"\n");
    let order = home.run(&["hooks", "order", "--json"]).json();
    has_keys(&order, &["preset", "events"]);
    let events = order["events"].as_array().unwrap();
    let pre = events.iter().find(|event| event["event"] == "PreToolUse").unwrap();
    has_keys(pre, &["event", "config", "deadline_ms", "first_deny_ends", "hooks", "runtime"]);
    assert_eq!(pre["first_deny_ends"], true);
    assert!(pre["deadline_ms"].as_u64().unwrap() > 20_000);
    let slow = &pre["hooks"][0];
    has_keys(slow, &["place", "hook", "kind", "matcher", "mode", "on_error", "timeout_ms", "why"]);
    assert_eq!(
        (&slow["hook"], &slow["matcher"], &slow["on_error"]),
        (&json!("slow"), &json!("Edit|Write"), &json!("closed"))
    );
    for (event, word) in
        [("StopFailure", "recovery begins"), ("UserPromptSubmit", "recovery ends"), ("Stop", "recovery ends")]
    {
        let row = events.iter().find(|row| row["event"] == event).unwrap();
        assert!(row["runtime"][0].as_str().unwrap().contains(word), "{event}");
    }
    let end = events.iter().find(|event| event["event"] == "SessionEnd").unwrap();
    assert_eq!(end["deadline_ms"], 1_000);
    let text = home.run(&["hooks", "order", "--event", "pre_tool_use"]).ok();
    assert!(text.contains("prepend in [hooks.pre_tool_use]") && text.contains("enforce, gate"), "{text}");
}
