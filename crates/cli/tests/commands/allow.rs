//! `sprag allow` and `sprag why`: a person lets exactly one stopped call, turn or prompt through; no agent can.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![cfg(target_os = "linux")]

use crate::cli_home::{Home, Ran, SPRAG, has_keys};
use serde_json::{Value, json};
use std::fs;

/// What `sprag hook` answers to a shell command: the decision and the reason.
fn bash(home: &Home, command: &str) -> (String, String) {
    call(
        home,
        "PreToolUse",
        "Bash",
        json!({"command": command, "description": format!("{:?}", std::time::Instant::now())}),
    )
}

fn call(home: &Home, event: &str, tool: &str, input: Value) -> (String, String) {
    let text = home.hook(&home.event(event, json!({"tool_name": tool, "tool_input": input})));
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    let said = |field: &str| answer["hookSpecificOutput"][field].as_str().unwrap_or("pass").to_owned();
    (said("permissionDecision"), said("permissionDecisionReason"))
}

/// A person at a terminal that no agent started, who answers a question.
fn person(home: &Home, words: &str, answer: &str) -> Ran {
    let command = format!("{SPRAG} {words}");
    home.outside_program(&["script", "-qec", &command, "/dev/null"], answer)
}

/// The id in a message.
fn id(reason: &str) -> String {
    let rest = reason.split_once("sprag why ").unwrap().1;
    rest.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()
}

#[test]
fn once_lets_exactly_that_call_through_once() {
    let home = Home::new();
    let (verdict, reason) = bash(&home, "cat .env");
    assert_eq!(verdict, "deny");
    let tail = format!("Why: sprag why {} (only a person can allow)", id(&reason));
    // The command that changes it stands directly after the id: agents cut a long reason.
    assert!(
        reason.starts_with(&format!(
            "sprag blocked this (privacy:env-file, {0}; allow once: sprag allow {0}): it would read .env",
            id(&reason)
        )) && reason.ends_with(&tail),
        "{reason}"
    );
    let no = person(&home, "allow last", "n\n");
    assert!(no.code == 1 && no.out.contains("cat .env") && no.out.contains("nothing was changed"), "{no:?}");
    assert_eq!(bash(&home, "cat .env").0, "deny");
    let yes = person(&home, &format!("allow {} --once", id(&reason)), "y\n").ok();
    assert!(yes.contains("tell the agent to try again"), "{yes}");
    let listed = home.run(&["allow", "--list", "--json"]).json();
    assert_eq!(
        (listed["approvals"][0]["stop"].as_str(), listed["approvals"][0]["shown"].as_str()),
        (Some(id(&reason).as_str()), Some("Bash: cat .env"))
    );
    assert_eq!(bash(&home, "cat ./.env").0, "deny", "another call");
    assert_eq!(bash(&home, "cat .env").0, "pass");
    // The permission dialog of the same call is about the same call.
    assert_eq!(call(&home, "PermissionRequest", "Bash", json!({"command": "cat .env"})).0, "pass");
    assert_eq!(bash(&home, "cat .env").0, "deny", "once is once");
    assert_eq!(home.run(&["allow", "--list"]).ok(), "nothing is approved\n");
    let journal = home.read(".local/state/sprag/journal.jsonl");
    assert!(
        journal.contains("a person allowed ") && journal.contains("let through by a person: This would read")
    );
}

#[test]
fn nothing_in_a_call_hides_a_part_of_it_from_the_person() {
    let home = Home::new();
    let command = "cat .env # \u{1b}[2K\r\u{202e}harmless";
    assert_eq!(bash(&home, command).0, "deny");
    let shown = person(&home, "allow last", "n\n").out;
    assert!(shown.contains("cat .env # \\u{1b}[2K\\u{d}\\u{202e}harmless"), "{shown}");
    assert_eq!(bash(&home, &format!("cat .env{}", "\ntrue".repeat(40))).0, "deny");
    let shown = person(&home, "allow last", "n\n").out;
    assert!(shown.contains("the call has 41 lines: read it from its beginning"), "{shown}");
}

#[test]
fn of_twenty_processes_at_once_one_is_let_through() {
    let home = Home::new();
    assert_eq!(bash(&home, "cat .env").0, "deny");
    person(&home, "allow last", "y\n").ok();
    let passed = std::thread::scope(|scope| {
        let all: Vec<_> = (0..20).map(|_| scope.spawn(|| bash(&home, "cat .env").0)).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(|verdict| verdict == "pass").count()
    });
    assert_eq!(passed, 1);
}

#[test]
fn a_session_and_always_are_what_they_say() {
    let home = Home::new();
    let (verdict, reason) = bash(&home, "git push --force origin main");
    assert_eq!(verdict, "deny", "{reason}");
    person(&home, "allow last --session", "y\n").ok();
    assert_eq!([0, 1, 2].map(|_| bash(&home, "git push --force origin main").0), ["pass", "pass", "pass"]);
    let other = json!({"session_id": "other", "tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}});
    assert!(home.hook(&home.event("PreToolUse", other)).contains("deny"));
    home.write(".config/sprag/config.toml", "# mine\nversion = 1\n");
    person(&home, "allow last --always", "y\n").ok();
    let config = fs::read_to_string(home.config()).unwrap();
    assert!(config.starts_with("# mine\n") && config.contains("[[hook.command-guard.allow]]"), "{config}");
    assert!(
        config.contains("exact = \"git push --force origin main\"") && config.contains("--always, 20"),
        "{config}"
    );
    assert!(config.contains(&format!("project = {:?}", home.project())), "{config}");
    let other = json!({"session_id": "third", "tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}});
    assert!(!home.hook(&home.event("PreToolUse", other.clone())).contains("deny"));
    let mut elsewhere = home.event("PreToolUse", other);
    elsewhere["cwd"] = json!("/srv");
    assert!(home.hook(&elsewhere).contains("deny"), "another project");
    assert_eq!(home.run(&["check"]).code, 0);
    // A list of paths, and a hook that has no list.
    assert_eq!(bash(&home, "cat .env").0, "deny");
    person(&home, "allow last --always", "y\n").ok();
    assert_eq!(bash(&home, "cat .env && echo").0, "pass");
    let config = fs::read_to_string(home.config()).unwrap();
    assert!(
        config.contains(&format!("\"{}/.env\"", home.project().display()))
            && config.contains("# sprag allow ")
    );
    assert_eq!(home.run(&["check"]).code, 0);
}

#[test]
fn no_agent_can_allow_and_no_approval_lifts_self_protection() {
    let home = Home::new();
    assert_eq!(bash(&home, "cat .env").0, "deny");
    let inside = home.run_with(&["allow", "last"], &[("CLAUDECODE", "1")]).failed();
    assert!(inside.contains("CLAUDECODE") && inside.contains("terminal of your own"), "{inside}");
    let script = home.outside(&["allow", "last"]).failed();
    assert!(script.contains("no terminal"), "{script}");
    let claude = home.script("bin/claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    let command = format!("{SPRAG} allow last");
    let argv = [claude.to_str().unwrap(), "script", "-qec", &command, "/dev/null"];
    let made = home.outside_program(&argv, "y\n");
    assert!(made.code == 1 && made.out.contains("Claude Code (process "), "{made:?}");
    assert_eq!(bash(&home, "cat .env").0, "deny");
    for command in
        ["sprag allow last", "rm -rf ~/.local/state/sprag", "echo {} > ~/.local/state/sprag/approvals/x"]
    {
        let (verdict, reason) = bash(&home, command);
        assert_eq!(verdict, "deny", "{command}");
        assert!(reason.contains("(self-protection:") && !reason.contains("sprag allow "), "{reason}");
        let refused = person(&home, "allow last", "y\n");
        assert!(refused.code == 1 && refused.out.contains("the guards guard themselves"), "{refused:?}");
    }
}

#[test]
fn a_held_turn_an_own_hook_and_a_failing_gate_can_be_let_through() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1\npreset = \"minimal\"\n[hooks.session_stop]\nscripts = [\"hold\"]\n[hooks.pre_tool_use]\n\
         scripts = [\"no\", \"gate\"]\n[hook.gate]\non_error = \"closed\"\n",
    );
    home.script(".config/sprag/hooks/hold.sh", "#!/bin/sh\necho 'the tests fail' >&2; exit 2\n");
    home.script(
        ".config/sprag/hooks/no.sh",
        "#!/bin/sh\ngrep -q forbidden && { echo 'not that' >&2; exit 2; }; exit 0\n",
    );
    home.script(".config/sprag/hooks/gate.sh", "#!/bin/sh\ngrep -q broken && exit 1; exit 0\n");
    let stop = || home.hook(&home.event("Stop", json!({"stop_hook_active": false})));
    let held = stop();
    assert!(
        held.contains("sprag holds this turn (hold, ")
            && held.contains("; end it anyway: sprag allow ")
            && held.contains("): the tests fail. Why: sprag why "),
        "{held}"
    );
    assert!(home.run(&["why"]).ok().contains("sprag held this turn"));
    person(&home, "allow last", "y\n").ok();
    assert_eq!(stop(), "", "the turn may end");
    assert!(stop().contains("sprag holds this turn"), "the next one is held again");
    for (command, said) in [("forbidden", "): not that."), ("broken", "): the gate `gate` failed")] {
        let (verdict, reason) = bash(&home, command);
        assert!(verdict == "deny" && reason.contains(said), "{reason}");
        person(&home, "allow last", "y\n").ok();
        assert_eq!([0, 1].map(|_| bash(&home, command).0), ["pass", "deny"], "{command}");
    }
}

/// One rule for every hook that stops a call: exactly that call, with the reason and the date.
#[test]
fn always_writes_an_exact_rule_for_whatever_hook_stopped_a_call() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1\npreset = \"strict\"\nenable = [\"descriptive-name\"]\n[hooks.pre_tool_use]\nappend = [\"no\"]\n\
         [hook.permission-policy]\nrules = [{ tools = [\"WebFetch\"], decision = \"deny\", reason = \"offline\" }]\n",
    );
    home.script(
        ".config/sprag/hooks/no.sh",
        "#!/bin/sh\ngrep -q forbidden && { echo 'not that' >&2; exit 2; }; exit 0\n",
    );
    fs::create_dir_all(home.project().join("node_modules")).unwrap();
    for (tool, input, hook) in [
        ("Bash", json!({"command": "echo forbidden"}), "no"),
        ("Grep", json!({"pattern": "x", "path": home.project().join("node_modules")}), "scout-block"),
        ("WebFetch", json!({"url": "https://example.org/"}), "permission-policy"),
    ] {
        let ask = || call(&home, "PreToolUse", tool, input.clone());
        let (verdict, reason) = ask();
        assert_eq!(verdict, "deny", "{tool}: {reason}");
        person(&home, "allow last --always", "y\n").ok();
        let config = fs::read_to_string(home.config()).unwrap();
        let table = config.split(&format!("[[hook.{hook}.except]]")).nth(1).unwrap_or_default();
        assert!(table.contains("call = \"") && table.contains("--always, 20"), "{hook}: {config}");
        assert_eq!([0, 1].map(|_| ask().0), ["pass", "pass"], "{hook}");
        assert_eq!(home.run(&["check"]).code, 0);
    }
    assert_eq!(bash(&home, "echo forbidden fruit").0, "deny", "another call");
    let mut elsewhere =
        home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "echo forbidden"}}));
    elsewhere["cwd"] = json!("/srv");
    assert!(home.hook(&elsewhere).contains("deny"), "another folder");
    // A loop is let through in the same way: the same call, as often as it is made.
    let same = || bash(&home, "ls docs").0;
    let stopped = (0..40).find(|_| same() == "deny");
    assert!(stopped.is_some(), "tool-loop stops");
    person(&home, "allow last --always", "y\n").ok();
    assert_eq!(same(), "pass");
    assert!(fs::read_to_string(home.config()).unwrap().contains("[[hook.tool-loop.except]]"));
}

#[test]
fn a_held_turn_has_no_rule_for_good_and_the_person_is_told_what_to_do() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1\npreset = \"minimal\"\n[hooks.session_stop]\nscripts = [\"hold\"]\n",
    );
    home.script(".config/sprag/hooks/hold.sh", "#!/bin/sh\necho 'the tests fail' >&2; exit 2\n");
    home.hook(&home.event("Stop", json!({"stop_hook_active": false})));
    let refused = person(&home, "allow last --always", "y\n");
    assert!(
        refused.code == 1
            && refused.out.contains("happens once")
            && refused.out.contains("sprag disable hold"),
        "{refused:?}"
    );
}

#[test]
fn why_explains_a_stop_by_id_or_the_last_of_this_project() {
    let home = Home::new();
    assert!(home.run(&["why", "last"]).failed().contains("nothing was stopped in ~/shop"));
    assert!(home.run(&["why", "zzzz"]).failed().contains("no stop with the id `zzzz`"));
    let (_, first) = bash(&home, "git push --force origin main");
    let (_, second) = bash(&home, "cat .env");
    let text = home.run(&["why", &id(&first)]).ok();
    for part in [
        "sprag blocked this just now",
        "Claude Code, session 11111111, in ~/shop",
        "Bash: git push --force origin main",
        "git:force-push-protected",
        "overwrites the history of a shared main branch",
        "sprag disable git:force-push-protected",
        "sprag hooks show command-guard",
        &format!("sprag allow {} --always", id(&first)),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let last = home.run(&["why", "--json"]).json();
    assert_eq!(last["id"], id(&second));
    has_keys(
        &last,
        &[
            "id", "at", "agent", "session", "subagent", "cwd", "project", "event", "tool", "call", "verdict",
            "rules", "allow",
        ],
    );
    assert_eq!(
        (last["rules"][0]["hook"].as_str(), last["rules"][0]["rule"].as_str()),
        (Some("privacy-block"), Some("privacy:env-file"))
    );
    assert_eq!(last["rules"][0]["matched"], json!(home.project().join(".env")));
    // Inside an agent it may be read; it changes nothing.
    home.run_with(&["why", "last"], &[("CLAUDECODE", "1")]).ok();
}

/// Before, an exception was in no list, and nothing could be taken back.
#[test]
fn all_that_was_loosened_is_listed_and_can_be_taken_back() {
    let home = Home::new();
    let command = "git push --force origin main";
    let (_, reason) = bash(&home, command);
    person(&home, "allow last --session", "y\n").ok();
    let listed = home.run(&["allow", "--list"]).ok();
    assert!(listed.contains("the session ends (11111111)"), "{listed}");
    let events = home.run(&["stats", "--json"]).json()["events"].to_string();
    assert!(events.contains("PreToolUse") && !events.contains("\"allow\""), "a person's command: {events}");
    assert_eq!(bash(&home, command).0, "pass");
    person(&home, &format!("allow --revoke {}", id(&reason)), "").ok();
    assert_eq!(bash(&home, command).0, "deny");
    let (_, reason) = bash(&home, command);
    person(&home, "allow last --always", "y\n").ok();
    let (_, read) = bash(&home, "cat .env");
    person(&home, "allow last --always", "y\n").ok();
    person(&home, "disable git:reset-hard --yes", "").ok();
    person(&home, "approve secrets --for 5m", "y\n").ok();
    let listed = home.run(&["allow", "--list", "--json"]).json();
    assert_eq!(listed["exceptions"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(listed["off"], json!(["git:reset-hard"]));
    let listed = home.run(&["allow", "--list"]).ok();
    for shown in [command, &id(&reason), &id(&read), "sprag enable git:reset-hard", "shop/secrets"] {
        assert!(listed.contains(shown), "{shown}: {listed}");
    }
    assert_eq!([bash(&home, command).0, bash(&home, "cat .env").0], ["pass", "pass"]);
    for revoked in [id(&reason), id(&read)] {
        let ran = home.run_with(&["allow", "--revoke", &revoked], &[("CLAUDECODE", "1")]);
        assert!(ran.failed().contains("interactive only"));
        person(&home, &format!("allow --revoke {revoked}"), "").ok();
    }
    person(&home, "approve --revoke secrets", "").ok();
    assert_eq!([bash(&home, command).0, bash(&home, "cat .env").0], ["deny", "deny"]);
    person(&home, "enable git:reset-hard", "").ok();
    assert_eq!(home.run(&["allow", "--list"]).ok(), "nothing is approved\n");
    assert!(person(&home, "allow --revoke zzzz", "").out.contains("nothing is allowed under `zzzz`"));
}

#[test]
fn one_rule_is_switched_by_its_name() {
    let home = Home::new();
    let reset = |home: &Home| bash(home, "git reset --hard HEAD~1").0;
    assert_eq!(reset(&home), "ask");
    let off = |home: &Home| home.run(&["allow", "--list", "--json"]).json()["off"].clone();
    person(&home, "disable git:reset-hard", "y\n").ok();
    assert_eq!(off(&home), json!(["git:reset-hard"]));
    assert_eq!(reset(&home), "pass");
    person(&home, "enable git:reset-hard", "").ok();
    assert_eq!(off(&home), json!([]));
    assert_eq!(reset(&home), "ask");
    let wrong = person(&home, "disable git:reset-hrad", "y\n");
    assert!(wrong.code == 1 && wrong.out.contains("did you mean `git:reset-hard`?"), "{wrong:?}");
    let wrong = person(&home, "disable self-protection:config", "y\n");
    assert!(wrong.code == 1, "{wrong:?}");
}

/// Before, the whole guards went off without a question, and a file was approved without one.
#[test]
fn what_loosens_the_guards_asks_on_a_terminal() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "version = 1\n");
    for words in
        ["disable guards", "disable command-guard", "disable git:reset-hard", "approve .env --for 1m"]
    {
        let no = person(&home, words, "\n");
        assert!(no.code == 1 && no.out.contains("[y/N]") && no.out.contains("nothing was changed"), "{no:?}");
    }
    assert_eq!(fs::read_to_string(home.config()).unwrap(), "version = 1\n");
    assert_eq!(home.run(&["allow", "--list"]).ok(), "nothing is approved\n");
    let yes = person(&home, "approve .env --for 1m", "y\n").ok();
    assert!(yes.contains("for 1 minute?") && yes.contains("may be read until"), "{yes}");
    person(&home, "disable lessons", "").ok();
    let yes = person(&home, "disable guards", "y\n").ok();
    assert!(yes.contains("nothing that destroys or leaks is stopped any more"), "{yes}");
    assert_eq!(home.run(&["allow", "--list", "--json"]).json()["off"], json!(["guards"]));
}

#[test]
fn before_a_loss_the_message_says_what_would_be_lost() {
    let home = Home::new();
    fs::remove_dir_all(home.project().join(".git")).unwrap();
    let git = |args: &[&str]| {
        let ran = home.program("git", args).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    for name in ["a.py", "b.py", "c.py"] {
        home.write(&format!("shop/{name}"), "one");
    }
    git(&["add", "-A"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "c"]);
    let (_, clean) = bash(&home, "git reset --hard");
    assert!(
        clean.contains("git:reset-hard") && !clean.contains("would be lost"),
        "it does not say both: {clean}"
    );
    // Files that are older than the index: it is certain that nothing is lost.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    for name in ["a.py", "b.py", "c.py"] {
        let file = fs::File::options().write(true).open(home.project().join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    git(&["update-index", "--refresh"]);
    for command in [
        "git restore a.py",
        "git checkout -- a.py b.py",
        "git checkout -- .",
        "git status && git restore .",
        "git clean -fd",
        "git branch -D fix/old",
        "git worktree remove --force ../shop-b",
    ] {
        assert_eq!(bash(&home, command).0, "pass", "{command}");
    }
    for command in [
        "git stash pop; git checkout -- .",
        "git checkout HEAD~1 -- a.py",
        "git restore -s HEAD~1 a.py",
        "for i in 1 2; do git restore .; ./edit.sh; done",
        "git restore '*.py'",
        "git branch -D main",
    ] {
        assert_eq!(bash(&home, command).0, "ask", "{command}");
    }
    for name in ["a.py", "b.py", "new.py"] {
        home.write(&format!("shop/{name}"), "other");
    }
    let says = |command: &str, what: &str| {
        let (verdict, reason) = bash(&home, command);
        assert!(verdict == "ask" && reason.contains(what), "{command}: {reason}");
    };
    says(
        "git reset --hard",
        "it throws away changes that are not committed. Would be lost: 2 files with uncommitted changes (a.py, b.py).",
    );
    says(
        "cd /srv && git -C ~/shop checkout -- a.py",
        "Would be lost: 1 file with uncommitted changes (a.py).",
    );
    says("git clean -fd", "Would be lost: 1 untracked file (new.py), 5 bytes.");
    says("git branch -D main", "No remote has the commits of the branch.");
    fs::create_dir_all(home.path().join("other/deep")).unwrap();
    (0..30).for_each(|n| drop(home.write(&format!("other/deep/{n}"), "0123456789")));
    says("rm -rf ~/other", "Would be lost: 30 files, 300 bytes.");
}
