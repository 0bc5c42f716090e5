//! The words that people type: help, version, completions, and what is said to words that make no sense.

use crate::cli_home::Home;

#[test]
fn the_version_is_the_packages() {
    assert_eq!(Home::new().run(&["--version"]).ok(), format!("sprag {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_top_level_help_is_as_written_down() {
    let help = Home::new().run(&["--help"]).ok();
    let golden = include_str!("../golden/help.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/help.txt"), &help).unwrap();
        return;
    }
    assert_eq!(help, golden, "UPDATE_GOLDEN=1 rewrites it");
}

/// What a shell is told, with the words typed so far.
fn completed(home: &Home, words: &[&str]) -> String {
    let args: Vec<&str> = ["--", "sprag"].into_iter().chain(words.iter().copied()).collect();
    home.run_with(&args, &[("SPRAG_COMPLETE", "fish")]).ok()
}

#[test]
fn shells_complete_hooks_events_agents_rules_and_sessions_as_they_are_now() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = home.run(&["completions", shell]).ok();
        assert!(text.contains("SPRAG_COMPLETE") && text.contains("sprag"), "{shell}: {text}");
    }
    home.write(".config/sprag/hooks/my_own_hook.sh", "#!/bin/sh\n");
    home.hook(&home.event("UserPromptSubmit", serde_json::json!({"prompt": "hello"})));
    let input = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}});
    let stopped = home.hook(&home.event("PreToolUse", input));
    let id = stopped.split_once("sprag why ").and_then(|(_, rest)| rest.get(..4)).unwrap();
    for (words, wanted) in [
        (&["why", "la"][..], "last"),
        (&["why", ""], id),
        (&["allow", ""], id),
        (&["hooks", "show", "command-g"], "command-guard"),
        (&["enable", "my_"], "my_own_hook"),
        (&["disable", "gua"], "guards"),
        (&["disable", "git:res"], "git:reset-hard"),
        (&["stats", "--hook", "tool-l"], "tool-loop"),
        (&["hooks", "order", "--event", "PreT"], "PreToolUse"),
        (&["deploy", "--agent", "cl"], "claude"),
        (&["guard", "rules", "git:"], "git:reset-hard"),
        (&["logs", "--session", "1111"], "11111111-2222-4333-8444-555555555555"),
        (&["sta"], "status"),
    ] {
        let told = completed(&home, words);
        assert!(told.lines().any(|line| line.split('\t').next() == Some(wanted)), "{words:?}: {told}");
    }
    assert!(!completed(&home, &[""]).contains("worker"), "internals are not offered");
}

/// The scripts in the shells themselves: a tab is typed, and the line that runs is the completed one.
#[cfg(target_os = "linux")]
#[test]
fn bash_zsh_and_fish_complete_what_is_typed() {
    let home = Home::new();
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(crate::cli_home::SPRAG, bin.join("sprag")).unwrap();
    let path = format!("PATH={}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let typed = "sprag hooks show command-g\t\nsprag guard rules git:reset-h\t --json\nexit\n";
    for (shell, command, begin) in [
        ("bash", "bash --norc --noprofile -i", "source <(sprag completions bash)\n"),
        (
            "zsh",
            "zsh -f -i",
            "autoload -U compinit; compinit -u -D\nzstyle ':completion:*' insert-tab false\nsource <(sprag completions zsh)\n",
        ),
    ] {
        if home.outside_program(&["sh", "-c", &format!("command -v {shell}")], "").code != 0 {
            sprag_testkit::skip(format!("{shell} is not installed"));
            continue;
        }
        let argv = ["env", &path, "script", "-qec", command, "/dev/null"];
        let ran = home.outside_program(&argv, &format!("{begin}{typed}"));
        assert!(ran.out.contains("stops shell commands that destroy"), "{shell}: {ran:?}");
        assert!(
            ran.out.contains("git:reset-hard --json") || ran.out.contains("git:reset-hard  --json"),
            "{shell}: {ran:?}"
        );
    }
    if home.outside_program(&["sh", "-c", "command -v fish"], "").code != 0 {
        sprag_testkit::skip("fish is not installed");
        return;
    }
    let script = "source (sprag completions fish | psub); complete -C 'sprag hooks show command-g'; complete -C 'sprag guard rules git:reset-h'";
    let ran = home.outside_program(&["env", &path, "fish", "--no-config", "-c", script], "");
    assert!(ran.out.lines().eq(["command-guard", "git:reset-hard"]), "{ran:?}");
}

/// Before, `sprag hook --agent claude` at a terminal waited for a payload that nobody types.
#[cfg(target_os = "linux")]
#[test]
fn what_agents_run_says_at_a_terminal_what_it_is_for() {
    let home = Home::new();
    for (words, said) in [
        ("hook", "answers one event of an agent"),
        ("hook --agent codex", "by hand: sprag hook --agent codex < payload.json"),
        ("hook --agent=gemini", "sprag hook --agent gemini"),
        ("hook --agent claude --scope project", "this is a terminal"),
        ("hook --agent cluade", "unknown agent `cluade`"),
        ("statusline", "this is a terminal"),
    ] {
        let command = format!("{} {words}", crate::cli_home::SPRAG);
        let ran = home.outside_program(&["script", "-qec", &command, "/dev/null"], "");
        assert!(ran.code == 1 && ran.out.contains(said), "{words}: {ran:?}");
    }
}

#[test]
fn manual_pages_are_written() {
    let home = Home::new();
    let folder = home.path().join("man");
    home.run(&["man", folder.to_str().unwrap()]).ok();
    let page = std::fs::read_to_string(folder.join("sprag-guard-explain.1")).unwrap();
    assert!(page.contains("sprag guard explain"), "{page}");
    assert!(folder.join("sprag.1").is_file() && !folder.join("sprag-hook.1").exists());
}

#[test]
fn with_json_an_error_is_json_too() {
    let home = Home::new();
    for (words, code, what) in [
        (&["memory", "show", "ffff", "--json"][..], 1, "remembered"),
        (&["hooks", "show", "comand-guard", "--json"], 1, "comand-guard"),
        (&["status", "weather", "--json"], 2, "weather"),
    ] {
        let ran = home.run(words);
        let told: serde_json::Value = serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{ran:?}");
        assert!(told["error"]["what"].as_str().unwrap().contains(what), "{told}");
        assert!(!told["error"]["hint"].as_str().unwrap().is_empty(), "{told}");
    }
}

#[test]
fn licences_of_what_is_linked_are_there() {
    let home = Home::new();
    let value = home.run(&["licenses", "--json"]).json();
    let packages = value["packages"].as_array().unwrap();
    assert!(packages.iter().any(|package| package["name"] == "serde_json"), "{value}");
    assert!(packages.iter().all(|package| !package["license"].as_str().unwrap().is_empty()));
    let full = home.run(&["licenses", "--full"]).ok();
    assert!(full.contains("Permission is hereby granted") && full.contains("Apache License"));
}

#[test]
fn words_that_make_no_sense_are_usage_errors() {
    let home = Home::new();
    for words in [
        &["stauts"][..],
        &["hooks", "run", "tool-loop", "--event", "PreToolUs"],
        &["stats", "--since", "soon"],
        &["status", "weather"],
        &["completions", "cobol"],
        &["trust", "--list", "--revoke"],
    ] {
        let ran = home.run(words);
        assert_eq!(ran.code, 2, "{words:?} {ran:?}");
        assert!(ran.out.is_empty() && ran.err.starts_with("error:"), "{ran:?}");
    }
    let near = home.run(&["hooks", "order", "--event", "PreToolUs"]);
    assert!(near.err.contains("did you mean `PreToolUse`?"), "{near:?}");
}

/// A program that sets sprag up reads one object, and the agents' files change as without `--json`.
#[test]
fn what_changes_the_agents_files_answers_a_program_in_json() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}\n");
    let answer = |args: &[&str]| -> serde_json::Value {
        let text = home.run(args).ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"))
    };
    let planned = answer(&["deploy", "--agent", "claude", "--dry-run", "--json"]);
    assert_eq!((&planned["dry_run"], &planned["files"][0]["outcome"]), (&true.into(), &"updated".into()));
    assert!(planned["files"][0]["diff"].as_str().unwrap().contains("PreToolUse"), "{planned}");
    let done = answer(&["deploy", "--agent", "claude", "--json"]);
    assert_eq!((&done["ok"], &done["files"][0]["agent"]), (&true.into(), &"claude".into()));
    assert_eq!(answer(&["deploy", "--agent", "claude", "--json"])["files"][0]["outcome"], "unchanged");
    let leaves = answer(&["uninstall", "--dry-run", "--json"]);
    assert_eq!(leaves["files"][0]["outcome"], "restored", "{leaves}");
    let sandbox = answer(&["policy", "sandbox", "--agent", "codex", "--dry-run", "--json"]);
    assert_eq!(sandbox["files"][0]["what"], "sandbox");
}
