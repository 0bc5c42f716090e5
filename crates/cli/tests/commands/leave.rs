//! Leaving and coming: uninstall, shared registrations, imports, versions; with the built binary in throw-away homes.
#![cfg(unix)]

use crate::cli_home::{Home, SPRAG};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const MINE: &str = "{\n    \"model\": \"opus\"\n}";

/// A program that says its version and does nothing else.
fn agent(home: &Home, name: &str, version: &str) {
    home.script(&format!("bin/{name}"), &format!("#!/bin/sh\necho '{version} ({name})'\n"));
}

fn deploy(home: &Home, args: &[&str]) -> (String, String) {
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    let ran = home.run_with(&[&["deploy"], args].concat(), &[("PATH", &path)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    (ran.out, ran.err)
}

fn handler(home: &Home, file: &str, event: &str) -> Value {
    let settings: Value = serde_json::from_str(&home.read(file)).unwrap();
    settings["hooks"][event][0]["hooks"][0].clone()
}

/// Issue 18, 12: Claude Code 2.1.138 ignores `args`, ran bare `sprag`, and its exit code blocked every prompt.
#[test]
fn the_string_form_unless_the_version_is_known_to_take_args() {
    let home = Home::new();
    let (_, said) = deploy(&home, &["--agent", "claude"]);
    assert!(said.contains("version of Claude Code is unknown") && said.contains("2.1.78"), "{said}");
    let line = format!("test -x {SPRAG} && exec {SPRAG} hook --agent claude || true");
    let shell = |home: &Home| {
        let handler = handler(home, ".claude/settings.json", "PreToolUse");
        assert!(handler.get("args").is_none());
        handler["command"].as_str().unwrap().to_owned()
    };
    assert_eq!(shell(&home), line);
    agent(&home, "claude", "2.1.138");
    let (_, said) = deploy(&home, &["--agent", "claude"]);
    assert!(said.contains("with 2.1.139 or later"), "{said}");
    assert_eq!(shell(&home), line);
    agent(&home, "claude", "2.1.139");
    let (_, said) = deploy(&home, &["--agent", "claude"]);
    assert!(said.contains("does not see other copies"), "{said}");
    let handler = handler(&home, ".claude/settings.json", "PreToolUse");
    assert_eq!(
        (&handler["command"], &handler["args"]),
        (&json!(SPRAG), &json!(["hook", "--agent", "claude"]))
    );
}

#[test]
fn a_version_that_is_too_old_is_named_for_every_agent() {
    let home = Home::new();
    for (name, old) in [("claude", "2.1.77"), ("codex", "0.142.0"), ("gemini", "0.20.0"), ("qwen", "0.15.5")]
    {
        agent(&home, name, old);
        let (_, said) = deploy(&home, &["--agent", name]);
        assert!(said.contains(&format!("{old} is too old")) && said.contains("update it"), "{said}");
    }
    agent(&home, "codex", "0.166.0");
    let (_, said) = deploy(&home, &["--agent", "codex"]);
    assert!(!said.contains("too old") && !said.contains("unknown"), "{said}");
}

/// Issue 18, 13: the project's file named a path of one machine, and a marker lay in the repository.
#[test]
fn a_shared_file_names_nothing_of_this_machine() {
    let home = Home::new();
    for name in ["claude", "codex", "gemini", "qwen"] {
        deploy(&home, &["--agent", name, "--scope", "project"]);
        let folder = home.project().join(format!(".{name}"));
        let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        let text = fs::read_to_string(&files[0]).unwrap();
        assert!(!text.contains(home.path().to_str().unwrap()) && !text.contains(SPRAG), "{text}");
        let line =
            format!("command -v sprag >/dev/null && exec sprag hook --agent {name} --scope project || true");
        assert!(text.contains(&serde_json::to_string(&line).unwrap()), "{text}");
    }
    home.outside(&["undeploy", "--scope", "project"]).ok();
    let left: Vec<_> =
        fs::read_dir(home.project()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn a_shared_registration_leaves_the_event_to_the_users_own() {
    let home = Home::new();
    let payload = home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    let journal =
        || fs::read_to_string(home.state().join("journal.jsonl")).unwrap_or_default().lines().count();
    let shared = || {
        let mut command = home.program(SPRAG, &["hook", "--agent", "claude", "--scope", "project"]);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    };
    shared();
    assert_eq!(journal(), 1, "alone, it answers");
    deploy(&home, &["--agent", "claude"]);
    shared();
    assert_eq!(journal(), 1, "beside the user's own, it does not");
    home.hook(&payload);
    assert_eq!(journal(), 2);
}

/// Two plugins, or the files of two agents: an agent starts sprag twice for one event, at the same moment.
#[test]
fn two_plugins_answer_an_event_once() {
    let home = Home::new();
    let journal =
        || fs::read_to_string(home.state().join("journal.jsonl")).unwrap_or_default().lines().count();
    let both = |payload: &serde_json::Value| {
        let start = || {
            let mut command = home.program(SPRAG, &["hook", "--agent", "claude", "--scope", "plugin"]);
            command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap()
        };
        let mut children = [start(), start()];
        for child in &mut children {
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes())
                .unwrap();
        }
        let answers =
            children.map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap());
        answers.iter().filter(|answer| answer.contains("deny")).count()
    };
    let call = |id: &str| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}, "tool_use_id": id});
        home.event("PreToolUse", call)
    };
    for round in 1..=8 {
        assert_eq!(both(&call(&format!("toolu_{round}"))), 1, "one of them denies");
        assert_eq!(journal(), round);
    }
    assert_eq!(both(&call("")), 2, "a call without an id is never taken for another");
    let before = journal();
    both(&home.event("UserPromptSubmit", json!({"prompt": "go on"})));
    assert_eq!(journal(), before + 1);
}

#[test]
fn uninstall_in_a_home_with_two_projects() {
    let home = Home::new();
    home.write(".claude/settings.json", MINE);
    home.write("api/.git/HEAD", "ref: refs/heads/main\n");
    home.write("api/.claude/settings.json", MINE);
    deploy(&home, &["--agent", "claude", "--agent", "gemini"]);
    deploy(&home, &["--agent", "claude", "--scope", "project"]);
    let mut other =
        home.program(SPRAG, &["deploy", "--agent", "claude", "--agent", "codex", "--scope", "project"]);
    assert!(other.current_dir(home.path().join("api")).output().unwrap().status.success());
    home.hook(&home.event("Stop", json!({})));

    let seen = home.run(&["uninstall", "--dry-run"]).ok();
    for file in ["~/.claude/settings.json", "~/.gemini/settings.json", "~/shop/.claude/settings.json"] {
        assert!(seen.contains(file), "{file}: {seen}");
    }
    assert!(seen.contains("~/api/.codex/hooks.json") && seen.contains("commit the change"), "{seen}");
    assert!(home.read(".claude/settings.json").contains("sprag"), "a dry run changes nothing");

    home.nobody_works();
    let said = home.outside(&["uninstall", "--yes"]).ok();
    assert!(
        said.contains("~/.local/state/sprag") && said.contains("KB") && said.contains("--purge"),
        "{said}"
    );
    assert!(said.contains(&format!("rm {SPRAG}")), "{said}");
    assert_eq!(
        (home.read(".claude/settings.json"), home.read("api/.claude/settings.json")),
        (MINE.into(), MINE.into())
    );
    for gone in [".gemini", "shop/.claude", "api/.codex"] {
        assert!(!home.path().join(gone).exists(), "{gone}");
    }
    assert!(home.state().exists());
    let said = home.outside(&["uninstall", "--yes", "--purge"]).ok();
    assert!(said.contains("in no agent's settings") && said.contains("deleted"), "{said}");
    assert!(!home.state().exists() && Path::new(SPRAG).exists());
}

#[test]
fn uninstall_asks_and_takes_only_a_yes() {
    let home = Home::new();
    deploy(&home, &["--agent", "claude"]);
    let refused = home.run_with(&["uninstall"], &[("CLAUDECODE", "1")]).failed();
    assert!(refused.contains("CLAUDECODE"), "{refused}");
    assert!(home.outside(&["uninstall"]).failed().contains("--yes"));
    let command = format!("{SPRAG} uninstall --purge");
    let asked = |answers| home.outside_program(&["script", "-qec", &command, "/dev/null"], answers);
    assert_eq!(asked("n\n").code, 1);
    assert!(home.read(".claude/settings.json").contains("sprag"));
    let ran = asked("y\nn\n");
    assert!(ran.out.contains("Delete this for good?") && ran.out.contains("the data was kept"), "{ran:?}");
    assert!(!home.path().join(".claude").exists() && home.state().exists());
}

#[test]
fn a_folder_of_another_name_is_not_purged() {
    let home = Home::new();
    home.write("precious/journal.jsonl", "");
    let state = home.path().join("precious");
    let ran = home.program("/bin/sh", &["-c", "exit 0"]).env("SPRAG_STATE_DIR", &state).status();
    assert!(ran.is_ok());
    let line = format!("SPRAG_STATE_DIR={} {SPRAG} uninstall --purge --yes", state.display());
    let ran = home.outside_program(&["/bin/sh", "-c", &line], "");
    assert!(ran.out.contains("was kept: its name is not sprag's"), "{ran:?}");
    assert!(state.exists());
}

#[test]
fn a_status_line_goes_with_sprag_and_a_foreign_one_stays() {
    let home = Home::new();
    let own = "{\n  \"statusLine\": { \"type\": \"command\", \"command\": \"sprag statusline\" },\n  \"model\": \"x\"\n}\n";
    home.write(".claude/settings.json", own);
    deploy(&home, &["--agent", "claude"]);
    home.outside(&["undeploy"]).ok();
    assert_eq!(home.read(".claude/settings.json"), own, "it was there before");
    home.outside(&["uninstall", "--yes"]).ok();
    assert_eq!(home.read(".claude/settings.json"), "{\n  \"model\": \"x\"\n}\n");
    let foreign = own.replace("sprag statusline", "mine");
    home.write(".claude/settings.json", &foreign);
    deploy(&home, &["--agent", "claude"]);
    home.outside(&["uninstall", "--yes"]).ok();
    assert_eq!(home.read(".claude/settings.json"), foreign);
}

#[test]
fn doctor_says_when_a_shared_registration_is_silently_absent() {
    let home = Home::new();
    deploy(&home, &["--agent", "claude", "--scope", "project"]);
    let doctor = |path: &str| home.run_with(&["doctor"], &[("PATH", path)]);
    let ran = doctor("/usr/bin:/bin");
    assert!(ran.code == 1 && ran.out.contains("not on the PATH: claude silently runs without it"), "{ran:?}");
    fs::create_dir_all(home.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(SPRAG, home.path().join("bin/sprag")).unwrap();
    let ran = doctor(&format!("{}:/usr/bin:/bin", home.path().join("bin").display()));
    assert!(ran.code == 0 && ran.out.contains("from a desktop or an editor"), "{ran:?}");
    deploy(&home, &["--agent", "claude"]);
    let ran = doctor("/usr/bin:/bin");
    assert!(ran.code == 0 && ran.out.contains("your own registration answers claude"), "{ran:?}");
}

const HOOKED: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "~/guard.sh", "timeout": 5 } ] },
      { "matcher": "Edit", "hooks": [ { "type": "prompt", "prompt": "ok?" },
                                      { "type": "command", "command": "/opt/lint --fast" } ] }
    ],
    "Stop": [ { "hooks": [ { "type": "command", "command": "~/guard.sh", "timeout": 5 } ] } ]
  }
}
"#;

#[test]
fn an_import_runs_the_hooks_once_and_undeploy_returns_every_byte() {
    let home = Home::new();
    home.write(".claude/settings.json", HOOKED);
    home.script("guard.sh", "#!/bin/sh\necho ran >> \"$HOME/ran\"\necho 'not today' >&2\nexit 2\n");
    let said = home.outside(&["init", "--import", "--yes"]).ok();
    assert!(said.contains("own hook guard") && said.contains("own hook lint"), "{said}");
    assert!(said.contains("its type is prompt"), "{said}");
    let config = home.read(".config/sprag/config.toml");
    assert!(config.contains("matcher = \"Bash\"") && config.contains("timeout_ms = 5000"), "{config}");
    assert!(config.contains("agents = [\"claude\"]"), "{config}");
    home.run(&["check"]).ok();
    let now = home.read(".claude/settings.json");
    assert!(!now.contains("guard.sh") && !now.contains("/opt/lint") && now.contains("ok?"), "{now}");
    let payload = home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    assert!(home.hook(&payload).contains("not today"));
    assert_eq!(home.read("ran"), "ran\n");

    home.nobody_works();
    home.outside(&["undeploy"]).ok();
    assert_eq!(home.read(".claude/settings.json"), HOOKED, "byte for byte");
    deploy(&home, &["--agent", "claude"]);
    assert!(
        !home.read(".claude/settings.json").contains("guard.sh"),
        "a later deploy does not run them twice"
    );
    let edited = home.read(".claude/settings.json").replace("opus", "sonnet");
    home.write(".claude/settings.json", &edited);
    home.outside(&["uninstall", "--yes"]).ok();
    let back: Value = serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
    assert_eq!(back["model"], "sonnet");
    let text = back.to_string();
    assert_eq!(text.matches("guard.sh").count(), 2, "also when the file was edited: {text}");
    assert!(text.contains("/opt/lint --fast") && !text.contains("sprag"), "{text}");
}

#[test]
fn an_import_of_nothing_and_a_second_one_change_nothing() {
    let home = Home::new();
    assert!(home.outside(&["init", "--import", "--yes"]).ok().contains("nothing to import"));
    home.write(".claude/settings.json", HOOKED);
    home.outside(&["init", "--import", "--yes"]).ok();
    let files = || (home.read(".claude/settings.json"), home.read(".config/sprag/config.toml"));
    let first = files();
    home.outside(&["init", "--import", "--yes"]).ok();
    assert_eq!(files(), first);
    assert!(home.run_with(&["init", "--import", "--yes"], &[("CLAUDECODE", "1")]).code == 1);
}

#[test]
fn settings_of_other_tools_are_taken_where_they_map() {
    let home = Home::new();
    home.write(
        ".config/lazy-harness/config.toml",
        "[harness]\nversion = \"1\"\n[profiles.work]\nroots = [\"~/work\"]\nlazynorth_doc = \"~/north.md\"\n\
         [hooks.pre_tool_use]\nscripts = [\"pre-tool-use-security\", \"mine\"]\nallow_patterns = [\"rm .*\"]\n\
         external = [{ command = \"guard --x\", matcher = \"Bash\" }, \"other\"]\n\
         [compound_loop]\nenabled = true\nmin_messages = 6\nlazymind_dir = \"x\"\n[metrics]\nsinks = []\n",
    );
    home.write(".config/lazy-harness/hooks/mine.py", "print('{}')\n");
    home.write(
        ".claude/.ck.json",
        r#"{"hooks": {"scout-block": false, "nope": false}, "docs": {"maxLoc": 500}, "codingLevel": 3}"#,
    );
    home.write("shop/.claude/.ckignore", "# big\nnode_modules\n!dist\n");
    home.write(
        ".config/dcg/allowlist.toml",
        "[[allow]]\nrule = \"core.git:reset-hard\"\nreason = \"CI\"\n[[allow]]\nexact_command = \"rm -rf ./build\"\n\
         expires_at = \"2030-02-08T12:00:00Z\"\n[[allow]]\npattern = \"rm .*\"\n",
    );
    home.write(
        ".config/nah/config.yaml",
        "actions:\n  git_history_rewrite: block\nsensitive_paths:\n  ~/taxes: block # mine\n",
    );
    let said = home.outside(&["init", "--import", "--yes"]).ok();
    for left in ["allow_patterns", "lazymind_dir", "[metrics]", "nope", "codingLevel", "`rm .*`", "`actions`"]
    {
        assert!(said.lines().any(|line| line.starts_with("leave") && line.contains(left)), "{left}: {said}");
    }
    home.run(&["check"]).ok();
    let config = home.read(".config/sprag/config.toml").parse::<toml_edit::DocumentMut>().unwrap();
    let at = |path: &[&str]| {
        let found = path.iter().try_fold(config.as_item(), |item, key| item.get(key));
        found.map(|item| item.to_string().trim().to_owned()).unwrap_or_default()
    };
    assert_eq!(at(&["profiles", "work", "compass"]), "\"~/north.md\"");
    assert_eq!(at(&["hook", "compound-loop", "min_messages"]), "6");
    assert_eq!(at(&["llm", "backend"]), "\"claude\"");
    assert_eq!(at(&["hook", "scout-block", "enabled"]), "false");
    assert_eq!(at(&["hook", "enforce-doc-rules", "max_lines"]), "500");
    assert_eq!(at(&["hook", "privacy-block", "also"]), "[\"~/taxes\", \"~/taxes/**\"]");
    assert_eq!(at(&["hooks", "pre_tool_use", "append"]), "[\"mine\", \"guard\", \"other\"]");
    assert!(at(&["hook", "mine", "command"]).contains("hooks/mine.py"));
    let allow = config.to_string();
    assert!(allow.contains("git:reset-hard") && allow.contains("2030-02-08"), "{allow}");
    assert_eq!(home.read("shop/.spragignore"), "# big\nnode_modules\n!dist\n");
}

#[test]
fn own_hooks_are_started_by_the_interpreter_of_their_extension() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "preset = \"minimal\"\n[hooks.pre_tool_use]\nappend = [\"one\", \"two\"]\n",
    );
    // Executable, but nothing says by what.
    home.script(".config/sprag/hooks/one.sh", "touch \"$HOME/one\"\n");
    home.script(".config/sprag/hooks/two.sh", "#!/bin/sh\ntouch \"$HOME/two\"\n");
    home.hook(&home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})));
    assert!(home.path().join("one").exists() && home.path().join("two").exists());
}

#[test]
fn an_own_hook_may_be_for_some_agents_only() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "preset = \"minimal\"\n[hooks.notification]\nappend = [\"one\"]\n[hook.one]\nagents = [\"codex\"]\ncommand = [\"touch\", \"one\"]\n",
    );
    home.hook(&home.event("Notification", json!({"message": "x"})));
    assert!(!home.project().join("one").exists());
    deploy(&home, &["--agent", "claude"]);
    assert!(!home.read(".claude/settings.json").contains("Notification"));
}

#[test]
fn a_dry_run_says_so_and_a_purge_leaves_no_copy() {
    let home = Home::new();
    home.write(".claude/settings.json", MINE);
    deploy(&home, &["--agent", "claude"]);
    let copy = home.path().join(".claude/settings.json.sprag-backup");
    assert!(copy.exists());
    let said = home.run(&["uninstall", "--dry-run"]).ok();
    assert!(said.contains("Dry run") && said.contains("nothing was changed"), "{said}");
    let said = home.run(&["status"]).ok();
    assert!(said.contains("registered, and not run yet") && !said.contains("sprag deploy"), "{said}");
    home.outside(&["uninstall", "--purge", "--yes"]).ok();
    assert_eq!(home.read(".claude/settings.json"), MINE);
    assert!(!copy.exists(), "nothing of sprag is left");
}
