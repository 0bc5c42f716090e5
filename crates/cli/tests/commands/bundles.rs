//! Bundles, the trial and the home screen.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

fn bundle(home: &Home, name: &str) -> Value {
    let value = home.run(&["bundles", "--json"]).json();
    value["bundles"].as_array().unwrap().iter().find(|bundle| bundle["name"] == name).unwrap().clone()
}

#[test]
fn bundles_says_what_each_does_costs_and_stores() {
    let home = Home::new();
    let value = home.run(&["bundles", "--json"]).json();
    has_keys(&value, &["preset", "trial_until", "bundles"]);
    let rows = value["bundles"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    has_keys(&rows[0], &["name", "on", "state", "about", "stores", "cost", "hooks"]);
    has_keys(&rows[0]["cost"], &["ms_per_call", "tokens_per_session", "measured"]);
    has_keys(&rows[0]["hooks"][0], &["name", "on", "mode", "why", "by_name"]);
    let state = |name: &str| bundle(&home, name)["state"].clone();
    assert_eq!((state("guards"), state("team"), state("advice")), (json!("on"), json!("part"), json!("off")));
    let text = home.run(&["bundles"]).ok();
    assert_eq!(text.lines().count(), 10, "one line each, a header and a footer:\n{text}");
}

#[test]
fn enable_and_disable_take_bundles_and_hooks_and_keep_comments() {
    let home = Home::new();
    let text = "# mine\npreset = \"standard\" # usual\n\n[hook.tool-loop]\nwarn_at = 5 # low\n";
    home.write(".config/sprag/config.toml", text);
    let said = home.outside(&["enable", "advice", "heartbeat"]).ok();
    assert!(said.contains("advice: on (") && said.contains("heartbeat: enforce"), "{said}");
    assert!(said.contains("(enabled in ~/.config/sprag/config.toml)") && !said.contains("deploy"), "{said}");
    let now = || fs::read_to_string(home.config()).unwrap();
    assert_eq!(now(), text.replace("# usual\n", "# usual\nenable = [\"advice\", \"heartbeat\"]\n"));
    assert_eq!(bundle(&home, "advice")["on"], true);
    let value = home.outside(&["disable", "guards", "premortem-suggest", "heartbeat", "--json"]).json();
    has_keys(&value, &["changed", "file", "deploy", "names"]);
    assert!(value["names"].as_array().unwrap().iter().all(|row| row["on"] == false), "{value}");
    assert!(
        now().contains("enable = [\"advice\"]\ndisable = [\"guards\", \"premortem-suggest\"]\n"),
        "{}",
        now()
    );
    home.outside(&["enable", "guards", "premortem-suggest"]).ok();
    home.outside(&["disable", "advice"]).ok();
    assert_eq!(now(), text.replace("# usual\n", "# usual\nenable = []\ndisable = []\n"));
    let wrong = home.outside(&["disable", "gaurds"]).failed();
    assert!(
        wrong.contains("no bundle and no hook `gaurds`") && wrong.contains("did you mean `guards`?"),
        "{wrong}"
    );
    home.run(&["check"]).ok();
    fs::write(home.config(), "preset = \"minimal\"\n").unwrap();
    let said = home.outside(&["enable", "checks"]).ok();
    assert!(said.contains("sprag deploy"), "an event that no hook had: {said}");
}

#[test]
fn a_trial_lets_everything_through_and_says_what_it_would_have_stopped() {
    let home = Home::new();
    let destroy =
        home.event("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf ~" } }));
    assert!(home.hook(&destroy).contains("deny"));
    home.nobody_works();
    home.outside(&["trial", "start", "7d"]).ok();
    assert_eq!(home.hook(&destroy), "");
    let value = home.run(&["trial", "--json"]).json();
    has_keys(&value, &["on", "start", "end", "calls", "hooks"]);
    assert_eq!(
        (&value["on"], &value["calls"], &value["hooks"][0]["hook"]),
        (&json!(true), &json!(1), &json!("command-guard"))
    );
    for words in [&["trial"][..], &["stats"]] {
        let said = home.run(words).ok();
        assert!(said.contains("would have stopped 1 call: command-guard 1 ("), "{said}");
    }
    assert!(fs::read_to_string(home.config()).unwrap().contains("whatever can stop only reports"));
    home.outside(&["trial", "end"]).ok();
    assert!(home.hook(&destroy).contains("deny"));
}

/// An older agent that ignores the arguments of a hook runs the bare program: exit code 2 blocked every prompt, and help on
/// standard output would be an answer.
#[test]
fn regression_without_a_terminal_the_bare_program_is_silent() {
    let home = Home::new();
    for payload in [
        home.event("UserPromptSubmit", json!({ "prompt": "hi" })).to_string(),
        String::new(),
        "x".repeat(200_000),
    ] {
        let mut command = home.program(SPRAG, &[]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    }
    assert!(!home.state().exists(), "nothing is journaled");
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_the_bare_program_shows_where_things_stand() {
    let home = Home::new();
    let sprag = |answer: &str| {
        let ran = home.outside_program(&["script", "-qec", SPRAG, "/dev/null"], answer);
        assert_eq!(ran.code, 0, "{ran:?}");
        // Without the colours.
        ran.out
            .split('\u{1b}')
            .map(|part| part.split_once('m').map_or(part, |(_, rest)| rest))
            .collect::<String>()
    };
    let fresh = sprag("");
    assert!(fresh.contains("not set up yet") && fresh.contains("sprag init"), "{fresh}");
    home.run(&["init", "--yes"]).ok();
    home.hook(
        &home.event("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf ~" } })),
    );
    home.hook(&home.event("SessionEnd", json!({ "reason": "other" })));
    let handoff = home.run(&["knowledge", "status", "--json"]).json();
    let folder = handoff["project"]["path"].as_str().unwrap();
    fs::create_dir_all(folder).unwrap();
    let text =
        "---\nsession_id: 11111111-2222-4333-8444-555555555555\nkind: model\n---\n- finish the checkout\n";
    fs::write(format!("{folder}/handoff.md"), text).unwrap();
    let said = sprag("git status\n");
    for part in [
        "guards checks memory lessons code context",
        "in part: team (file-claims)",
        "off: advice",
        "1 blocked in the last day",
        "rm -rf ~ · command-guard: ",
        "how session 11111111 in ~/shop went (finish the checkout)",
        "sprag knowledge outcome",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    assert!(
        !said.contains("How did"),
        "the screen asks nothing: it would take the next command for the answer\n{said}"
    );
    let words = [
        "script",
        "-qec",
        &format!("cd {} && {SPRAG} knowledge outcome", home.project().display()),
        "/dev/null",
    ];
    let asked = home.outside_program(&words, "f\n").out;
    assert!(asked.contains("How did it go?") && asked.contains("FAILED recorded"), "{asked}");
    assert!(!sprag("").contains("how session 11111111"));
}

/// Before, the screen showed the stops of all projects under the name of this one, each repeat on a line of its own.
#[test]
fn the_home_screen_is_about_this_project_and_counts_repeats() {
    let home = Home::new();
    home.run(&["init", "--yes"]).ok();
    let sprag = |folder: &std::path::Path| {
        let command = format!("cd {} && {SPRAG}", folder.display());
        home.outside_program(&["script", "-qec", &command, "/dev/null"], "").out
    };
    for _ in 0..3 {
        home.hook(
            &home
                .event("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf ~" } })),
        );
    }
    let said = sprag(&home.project());
    assert!(said.contains("3 times · rm -rf ~") && said.matches("rm -rf ~").count() == 1, "{said}");
    let other = home.path().join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    let said = sprag(&other);
    assert!(!said.contains("rm -rf ~") && !said.contains("sprag why last"), "{said}");
    assert!(said.contains("nothing here in the last day; 3 in other projects"), "{said}");
}

/// Before, a folder that cannot be written was `health ok`, and its journal looked tampered with.
#[test]
fn a_state_that_cannot_be_written_is_no_good_health() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.run(&["init", "--yes"]).ok();
    home.hook(&home.event("SessionStart", json!({ "source": "startup" })));
    let state = home.state();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(state.join("probe"), "").is_ok() {
        fs::remove_file(state.join("probe")).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
        return sprag_testkit::skip("this user may write everywhere");
    }
    let said = home.outside_program(&["script", "-qec", SPRAG, "/dev/null"], "").out;
    let doctor = home.run(&["doctor"]).out;
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(said.contains("cannot be written") && said.contains("sprag doctor"), "{said}");
    assert!(!doctor.contains("does not hold what was sealed"), "{doctor}");
}

#[test]
fn a_bundle_that_adds_nothing_says_so() {
    let home = Home::new();
    let said = home.outside(&["enable", "team"]).ok();
    assert!(said.contains("no hook came on with this; only by name: "), "{said}");
}

/// A call that a person may still allow has its id on the home screen; the screen does not ask for it.
#[test]
fn calls_that_a_person_may_still_allow_have_their_id_on_the_home_screen() {
    let home = Home::new();
    home.run(&["init", "--yes"]).ok();
    let sprag = |words: &str, answer: &str| {
        let command = format!("{SPRAG} {words}");
        home.outside_program(&["script", "-qec", &command, "/dev/null"], answer).out
    };
    let stop = |agent: &str, command: &str| {
        let payload =
            home.event("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": command } }));
        home.outside_program(&[SPRAG, "hook", "--agent", agent], &payload.to_string()).out
    };
    assert!(stop("codex", "git reset --hard").contains("cannot ask"));
    let denied = stop("claude", "git push --force origin main");
    let id = denied.split_once("sprag why ").unwrap().1.split(' ').next().unwrap().to_owned();
    assert!(stop("claude", "git clean -fd").contains("\"ask\""), "the agent's own dialog asks");
    assert!(stop("claude", "sprag disable guards").contains("deny"), "nobody can allow that");
    let said = sprag("", "");
    assert!(said.contains("3 blocked, 1 asked about in the last day"), "{said}");
    let row = said.lines().find(|line| line.contains("git push --force")).unwrap();
    assert!(row.contains(&id) && said.contains("sprag allow ID"), "{said}");
    let firm = said.lines().find(|line| line.contains("sprag disable guards")).unwrap();
    assert!(!firm.contains("allow"), "{firm}");
    let waiting = said.lines().find(|line| line.contains("waiting")).unwrap();
    assert!(waiting.contains("nothing"), "a stop is no debt: {said}");
    sprag(&format!("allow {id}"), "y\n");
    let said = sprag("", "");
    assert!(!said.contains(&id) && said.contains("git reset --hard"), "{said}");
}

#[test]
fn the_home_screen_says_when_nothing_is_stopped() {
    let home = Home::new();
    for (config, wanted) in [
        ("disable = [\"guards\"]\n", "guards OFF: nothing is stopped"),
        ("trial = \"7d\"\n", ": nothing is stopped"),
    ] {
        home.write(".config/sprag/config.toml", &format!("version = 1\n{config}"));
        let shown = home.outside_program(&["script", "-qec", SPRAG, "/dev/null"], "").out;
        assert!(shown.contains(wanted) && !shown.contains("registered with"), "{config}{shown}");
        let start = home.hook(&home.event("SessionStart", json!({"source": "startup"})));
        assert!(
            start.contains("sprag: guards OFF") || start.contains("sprag: TRIAL until"),
            "{config}{start}"
        );
    }
}
