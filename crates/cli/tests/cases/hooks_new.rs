//! `sprag hooks new`: what it writes works at once, in every language, and leaves the configuration's comments.

use crate::common::{Home, has};

fn passes_its_own_first_case(lang: &str, program: &str) {
    if !has(program) {
        return sprag_testkit::skip(format!("there is no {program}"));
    }
    for event in ["PreToolUse", "session_stop", "SessionStart", "PreCompact", "Notification"] {
        let home = Home::new();
        let made = home.run(&["hooks", "new", "my-hook", "--lang", lang, "--event", event]);
        assert_eq!(made.code, 0, "{}", made.err);
        let (_, next) = made.out.split_once("next:\n").unwrap();
        let commands: Vec<&str> = next.lines().map(str::trim).collect();
        assert_eq!((commands.len(), commands[1]), (2, "sprag deploy"), "{}", made.out);
        let words: Vec<&str> = commands[0].split(' ').skip(1).collect();
        let ran = home.run(&words);
        assert_eq!(ran.code, 0, "{lang} {event}: {}{}", ran.out, made.err);
        assert!(ran.out.ends_with(" passed, 0 failed, 0 skipped\n"), "{}", ran.out);
    }
}

#[test]
fn sh() {
    passes_its_own_first_case("sh", "sh");
}

#[test]
fn python() {
    passes_its_own_first_case("py", "python3");
}

#[test]
fn node() {
    passes_its_own_first_case("js", "node");
}

#[test]
fn rust() {
    passes_its_own_first_case("rs", "rustc");
}

#[test]
fn a_question_to_a_model() {
    for event in ["Stop", "SubagentStop", "UserPromptSubmit", "PermissionRequest"] {
        let home = Home::new();
        let ask = "Was \"make\" run? \\ $ARGUMENTS";
        let made = home.run(&["hooks", "new", "made", "--type", "prompt", "--event", event, "--prompt", ask]);
        assert_eq!(made.code, 0, "{}", made.err);
        let ran = home.run(&["test"]);
        assert!(ran.out.ends_with("2 passed, 0 failed, 0 skipped\n"), "{event}: {}", ran.out);
        let checked = home.run(&["check"]);
        assert!(checked.out.contains("no model is configured, so `made` is skipped"), "{}", checked.out);
        let doctor = home.run(&["doctor"]);
        assert!(doctor.out.contains("so `made` is skipped"), "{}", doctor.out);
        let shown = home.run(&["hooks", "show", "made", "--json"]);
        assert!(shown.out.contains("prompt-hook") && shown.out.contains("cache_s"), "{}", shown.out);
    }
}

#[test]
fn a_question_is_refused_where_every_call_would_wait_and_says_why() {
    let home = Home::new();
    let made = home.run(&["hooks", "new", "slow", "--type", "prompt", "--event", "PreToolUse"]);
    assert_eq!(made.code, 1);
    assert!(
        made.err.contains("`slow` asks a model and may not run on PreToolUse")
            && made.err.contains("Stop, SubagentStop, UserPromptSubmit, PermissionRequest")
            && made.err.contains("also_on = [\"pre_tool_use\"]"),
        "{}",
        made.err
    );
    let config =
        "[hook.slow]\ntype = \"prompt\"\nprompt = \"?\"\n[hooks.pre_tool_use]\nappend = [\"slow\"]\n";
    for (config, wanted) in [
        (config.to_owned(), "config.toml:1: `slow` asks a model and may not run on PreToolUse"),
        (config.replace("pre_tool_use", "session_start"), "that event cannot be stopped"),
        (config.replace("prompt = \"?\"", "prompt = \" \""), "`slow` has nothing to ask"),
        (config.replace("prompt = \"?\"", "promt = \"?\""), "unknown key in [hook.slow] `promt`"),
        (
            config.replace("\"prompt\"\n", "\"promp\"\n"),
            "`type` in [hook.slow] must be one of: command, prompt",
        ),
        (format!("{config}[hook.slow2]\ntype = \"prompt\"\nalso_on = [\"pre_tol_use\"]\n"), "`pre_tool_use`"),
    ] {
        home.write(".config/sprag/config.toml", &config);
        let checked = home.run(&["check"]);
        assert_eq!(checked.code, 1, "{config}{}", checked.out);
        assert!(checked.out.contains(wanted), "{wanted}: {}", checked.out);
    }
    let allowed = config.replace("prompt = \"?\"", "prompt = \"?\"\nalso_on = [\"pre_tool_use\"]");
    home.write(".config/sprag/config.toml", &allowed);
    let checked = home.run(&["check"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    let order = home.run(&["hooks", "order", "--event", "pre_tool_use", "--json"]);
    assert!(order.out.contains("\"kind\": \"prompt-hook\""), "{}", order.out);
}

#[test]
fn the_hook_answers_the_agent_and_comments_stay() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1 # mine\n\n# order matters\n[hooks.pre_tool_use]\nappend = [] # nothing yet\n",
    );
    assert_eq!(home.run(&["hooks", "new", "my_hook"]).code, 0);
    let config = home.read(".config/sprag/config.toml");
    assert!(config.contains("version = 1 # mine") && config.contains("# order matters"), "{config}");
    assert!(config.contains("append = [\"my_hook\"] # nothing yet"), "{config}");
    let payload = br#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"example-forbidden"}}"#;
    let ran = home.run_with(&["hook", "--agent", "claude"], payload, &home.path(""));
    assert!(
        ran.out.contains("\"permissionDecision\":\"deny\"")
            && ran.out.contains("This command is forbidden here"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.matches("my_hook").count(), 1, "{}", ran.out);
    // The example is active at once: it looks at the command alone, and at no ordinary word.
    for input in [
        r#"{"command":"grep -rn \"status: forbidden\" src"}"#,
        r#"{"description":"example-forbidden","command":"ls"}"#,
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{input}}}"#
        );
        let ran = home.run_with(&["hook", "--agent", "claude"], payload.as_bytes(), &home.path(""));
        assert!(!ran.out.contains("deny"), "{input}: {}", ran.out);
    }
}

#[test]
fn a_project_has_its_own_and_must_be_trusted() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("shop/.git")).unwrap();
    let made = home.run_with(&["hooks", "new", "ours", "--project"], b"", &home.path("shop"));
    assert_eq!((made.code, made.out.lines().last()), (0, Some("  sprag trust")), "{}", made.err);
    assert!(home.path("shop/.sprag/hooks/ours.sh").exists() && home.path("shop/.sprag/config.toml").exists());
    let ran = home.run_with(&["test"], b"", &home.path("shop"));
    assert_eq!(ran.out, "2 passed, 0 failed, 0 skipped\n");
}

#[test]
fn bad_names_and_broken_files_leave_nothing_behind() {
    let home = Home::new();
    for name in ["../x", "X", "a b", "", "1a", "tool-loop", "preset", &"x".repeat(41)] {
        let ran = home.run(&["hooks", "new", "--", name]);
        assert_eq!(ran.code, 1, "{name}");
        assert_eq!(ran.err.trim_end().lines().count(), 2, "one line what, one line what to do: {}", ran.err);
    }
    assert!(!home.path(".config").exists());
    home.write(".config/sprag/config.toml", "preset = \n");
    assert_eq!(home.run(&["hooks", "new", "fine"]).code, 1);
    assert!(!home.path(".config/sprag/hooks/fine.sh").exists());
    home.write(".config/sprag/config.toml", "hooks = 3\n");
    assert_eq!(home.run(&["hooks", "new", "fine"]).code, 1);
    assert!(!home.path(".config/sprag/hooks/fine.sh").exists());
    home.write(".config/sprag/config.toml", "");
    assert_eq!(home.run(&["hooks", "new", "fine"]).code, 0);
    assert!(home.run(&["hooks", "new", "fine", "--lang", "py"]).err.contains("is there already"));
    assert_eq!(home.run(&["hooks", "new", "x", "--event", "PreTool"]).code, 2);
}
