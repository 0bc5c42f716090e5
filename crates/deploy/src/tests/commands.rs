//! Which commands are ours, and how ours are spelled.

use super::*;

fn shell(line: &str) -> bool {
    Command::recognise(line, None, None).is_some()
}

fn exec(command: &str, args: &[&str]) -> bool {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    Command::recognise(command, Some(&args), None).is_some()
}

#[test]
fn ours_in_every_spelling() {
    for line in [
        "sprag hook",
        "sprag hook --agent claude",
        "  sprag   hook ",
        "/usr/local/bin/sprag hook --agent codex",
        "'/home/Jane Doe/bin/sprag' hook",
        "\"/home/Jane Doe/bin/sprag\" 'hook'",
        "/home/Jane\\ Doe/bin/sprag hook",
        "\"$HOME\"/.local/bin/sprag hook",
        "$HOME/.local/bin/sprag hook --agent auto",
        "~/.local/bin/sprag hook",
        "\"C:\\Program Files\\sprag.exe\" hook",
    ] {
        assert!(shell(line), "{line}");
    }
    assert!(exec("/x/sprag", &["hook"]));
    assert!(exec("sprag", &["hook", "--agent", "claude"]));
}

#[test]
fn foreign_in_every_spelling() {
    for line in [
        "", "sprag", "sprag hooks list", "sprag guard hook", "sprag --verbose hook", "mysprag hook",
        "sprag-x hook", "/opt/sprag/run hook", "echo sprag hook", "FOO=1 sprag hook", "sprag hook | tee log",
        "sprag hook; rm x", "sprag hook && mine", "sprag hook > log", "sprag hook $(x)", "sprag hook `x`",
        "sprag hook \"$(x)\"", "(sprag hook)", "# sprag hook", "sprag hook\nmine", "'sprag hook",
        "\"sprag hook\"",
    ] {
        assert!(!shell(line), "{line}");
    }
    assert!(!exec("/x/sprag", &[]));
    assert!(!exec("/x/sprag", &["status"]));
    assert!(!exec("/x/sprag hook", &["x"]));
}

#[test]
fn the_given_path_is_ours_whatever_its_name() {
    let exe = Some(std::path::Path::new("/build/sprag-dev"));
    assert!(Command::recognise("/build/sprag-dev hook", None, exe).is_some());
    assert!(Command::recognise("/build/sprag-dev hook", None, None).is_none());
    assert!(Command::recognise("/other/sprag-dev hook", None, exe).is_none());
}

#[test]
fn shell_lines_quote_only_what_must_be() {
    let line = |exe: &str| Command::hook(exe, "codex").shell_line(true);
    assert_eq!(line("/a/sprag"), "/a/sprag hook --agent codex");
    assert_eq!(line("/a b/it's/sprag"), r"'/a b/it'\''s/sprag' hook --agent codex");
    assert_eq!(line("/ü/sprag"), "'/ü/sprag' hook --agent codex");
    assert_eq!(line(""), "'' hook --agent codex");
}

#[test]
fn what_is_written_is_recognised() {
    let exes =
        ["/a/sprag", "/a b/sprag", "/it's/sprag", "/\"q\"/sprag", "/$x/`y`/sprag", "/back\\slash/sprag"];
    for command in exes.map(|exe| Command::hook(exe, "claude")).into_iter().chain([Command::shared("claude")])
    {
        for gate in [false, true] {
            let line = command.shell_line(gate);
            assert_eq!(Command::recognise(&line, None, None), Some((command.clone(), Form::Shell)), "{line}");
        }
    }
    assert!(!shell("test -f x && exec sprag hook || true") && !shell("test -x x && exec mine hook || true"));
    assert!(!shell("test -x x && exec sprag hook; mine || true"));
}

/// Issue 18, 13: with a missing program Gemini CLI stopped every prompt and every tool.
#[test]
fn a_program_that_is_not_there_is_silence_and_a_gate_fails() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        let out = shell.args(["-c", line]).env("PATH", dir.path()).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap(), out.stderr.is_empty())
    };
    let absolute = Command::hook(dir.path().join("sprag"), "gemini");
    let shared = Command::shared("gemini");
    for command in [&absolute, &shared] {
        assert_eq!(run(&command.shell_line(false)), (Some(0), String::new(), true));
        assert_eq!(run(&command.shell_line(true)).0, Some(127));
    }
    std::fs::write(&absolute.exe, "#!/bin/sh\necho \"$*\"\nexit 7\n").unwrap();
    std::fs::set_permissions(&absolute.exe, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let said = |args: &str| (Some(7), format!("{args}\n"), true);
    assert_eq!(run(&absolute.shell_line(false)), said("hook --agent gemini"), "its own exit code counts");
    assert_eq!(run(&shared.shell_line(false)), said("hook --agent gemini --scope project"));
}

#[test]
fn handlers_of_other_types_are_foreign() {
    for handler in [
        r#"{"type":"http","command":"sprag hook"}"#,
        r#"{"type":"command","command":["sprag","hook"]}"#,
        r#"{"type":"command","command":"sprag","args":["hook",1]}"#,
        r#"{"type":"command","command":"sprag","args":"hook"}"#,
        r#"{"type":"prompt","prompt":"sprag hook"}"#,
        r#""sprag hook""#,
        "null",
    ] {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{handler}]}}]}}}}"#);
        assert_eq!(entries(agent("claude"), None, &text).unwrap(), [], "{handler}");
        check_round_trip(&usual("claude"), &text);
    }
}
