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
        "",
        "sprag",
        "sprag hooks list",
        "sprag guard hook",
        "sprag --verbose hook",
        "mysprag hook",
        "sprag-x hook",
        "/opt/sprag/run hook",
        "echo sprag hook",
        "FOO=1 sprag hook",
        "sprag hook | tee log",
        "sprag hook; rm x",
        "sprag hook && mine",
        "sprag hook > log",
        "sprag hook $(x)",
        "sprag hook `x`",
        "sprag hook \"$(x)\"",
        "(sprag hook)",
        "# sprag hook",
        "sprag hook\nmine",
        "'sprag hook",
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
    assert_eq!(Command::hook("/a/sprag", "codex").shell_line(), "/a/sprag hook --agent codex");
    assert_eq!(Command::hook("/a b/it's/sprag", "x").shell_line(), r"'/a b/it'\''s/sprag' hook --agent x");
    assert_eq!(Command::hook("/ü/sprag", "x").shell_line(), "'/ü/sprag' hook --agent x");
    assert_eq!(Command::hook("", "x").shell_line(), "'' hook --agent x");
}

#[test]
fn what_is_written_is_recognised() {
    for exe in
        ["/a/sprag", "/a b/sprag", "/it's/sprag", "/\"q\"/sprag", "/$x/`y`/sprag", "/back\\slash/sprag"]
    {
        let command = Command::hook(exe, "claude");
        let found = Command::recognise(&command.shell_line(), None, None);
        assert_eq!(found, Some((command, Form::Shell)), "{exe}");
    }
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
