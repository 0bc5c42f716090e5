//! `sprag guard batch`: lines in, verdicts out, in order; and how fast.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![cfg(unix)]

use crate::cli_home::{Home, SPRAG};
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

fn batch(home: &Home, lines: &str) -> Vec<Value> {
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
{"nothing": true}
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
            ("allow", None),
        ]
    );
}

/// `cargo test --release -p sprag --test guards -- batch:: --ignored --nocapture` prints commands per second.
#[test]
#[ignore = "prints a figure and asserts none; run it with --release"]
#[allow(clippy::print_stdout, reason = "the figure is what it is for")]
fn speed() {
    let home = Home::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shell/corpus/commands.jsonl");
    let rows = std::fs::read_to_string(corpus).unwrap();
    let count = rows.lines().count();
    let lines = rows.repeat(20);
    let began = Instant::now();
    let said = batch(&home, &lines);
    let took = began.elapsed();
    assert_eq!(said.len(), count * 20);
    let rate = said.len() as f64 / took.as_secs_f64();
    println!(
        "{} commands in {took:.2?}: {rate:.0} per second on one core, with reading the answers",
        said.len()
    );
}
