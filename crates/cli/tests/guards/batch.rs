//! `sprag guard batch`: lines in, verdicts out, in order.

use crate::cli_home::{Home, SPRAG};
use serde_json::Value;
use std::io::Write as _;
use std::process::Stdio;

pub(crate) fn batch(home: &Home, lines: &str) -> Vec<Value> {
    let mut command = home.program(SPRAG, &["guard", "batch"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Before, one bad line ended the answers, and an object about nothing was allowed.
#[test]
fn a_line_that_cannot_be_judged_gets_an_error_and_the_next_one_its_verdict() {
    let home = Home::new();
    let mut command = home.program(SPRAG, &["guard", "batch"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{\"foo\":1}\nnot json\n{\"command\":\"rm -rf /\"}\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows[0]["error"].as_str().unwrap().contains("has none of"), "{text}");
    assert!(rows[1]["error"].as_str().unwrap().contains("is no JSON"), "{text}");
    assert_eq!(rows[2]["verdict"], "deny", "{text}");
}

#[test]
fn verdicts_come_in_order_by_the_default_configuration() {
    let home = Home::new();
    // Neither the user's configuration nor an approval counts here.
    home.write(".config/sprag/config.toml", "[hook.command-guard]\nmode = \"off\"\n");
    let said = batch(
        &home,
        r#"{"command": "rm -rf ~", "cwd": "/x/y", "home": "/home/u", "project_root": "/x/y"}
{"command": "ls"}

{"command": "git reset --hard"}
{"command": "cat .env", "cwd": "/no/such/place"}
{"command": "git add .env"}
{"path": "/home/u/.ssh/id_rsa", "tool": "Read"}
{"path": ".env", "tool": "Write"}
{"path": ".env", "tool": "Edit"}
{"path": ".env.example"}
{"text": "hello"}
"#,
    );
    let got: Vec<(&str, Option<&str>)> =
        said.iter().map(|row| (row["verdict"].as_str().unwrap(), row["rule"].as_str())).collect();
    assert_eq!(
        got,
        [
            ("deny", Some("filesystem:rm-home")),
            ("allow", None),
            ("ask", Some("git:reset-hard")),
            ("deny", Some("privacy:env-file")),
            ("ask", Some("privacy:env-file")),
            ("deny", Some("privacy:ssh")),
            ("allow", None),
            ("ask", Some("privacy:env-file")),
            ("allow", None),
            ("allow", None),
        ]
    );
}
