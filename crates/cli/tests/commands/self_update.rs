//! `sprag self update`: a release on loopback, the receipt of the install script, and package managers that own the program.
#![cfg(unix)]

use crate::cli_home::{Home, Ran, SPRAG, has_keys};
use serde_json::{Value, json};
use sprag_testkit::http::{Reply, Server};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const TARGET: &str = "x86_64-unknown-linux-musl";
const NEW: &str = "#!/bin/sh\necho 'sprag 99.0.0'\n";

/// The program under this path below the home.
fn place(home: &Home, path: &str) -> PathBuf {
    let place = home.path().join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    if fs::hard_link(SPRAG, &place).is_err() {
        fs::copy(SPRAG, &place).unwrap();
    }
    place
}

fn run(home: &Home, program: &Path, args: &[&str]) -> Ran {
    let mut argv = vec![program.to_str().unwrap(), "self", "update"];
    argv.extend(args);
    home.outside_program(&argv, "")
}

/// A release of version 99.0.0 whose archive has another checksum than its list says, when asked so; and how often it was asked.
fn release(home: &Home, version: &str, honest: bool) -> (Server, Arc<AtomicUsize>) {
    let folder = home.path().join("made");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sprag"), NEW).unwrap();
    let tar = Command::new("tar").args(["-czf", "a.tar.gz", "sprag"]).current_dir(&folder).status().unwrap();
    assert!(tar.success());
    let sum = Command::new("sha256sum").arg(folder.join("a.tar.gz")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap().split(' ').next().unwrap().to_owned();
    let archive = fs::read(folder.join("a.tar.gz")).unwrap();
    let index = json!({"version": version, "files": [{"name": "a.tar.gz", "target": TARGET, "sha256": sum, "size": archive.len()}]});
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Server::start(move |request| {
        count.fetch_add(1, Ordering::SeqCst);
        match request.path.as_str() {
            "/release.json" => Reply::json(200, &index),
            "/a.tar.gz" if honest => Reply { status: 200, kind: "application/gzip", body: archive.clone() },
            "/a.tar.gz" => Reply { status: 200, kind: "application/gzip", body: b"something else".to_vec() },
            _ => Reply::json(404, &Value::Null),
        }
    })
    .unwrap();
    let receipt =
        json!({"channel": "script", "base": format!("http://{}", server.address()), "target": TARGET});
    home.write(".local/share/sprag/installed.json", &receipt.to_string());
    (server, asked)
}

#[test]
fn what_the_script_installed_is_replaced_by_the_newest_release() {
    let home = Home::new();
    let exe = place(&home, ".local/bin/sprag");
    let (_server, asked) = release(&home, "99.0.0", true);
    let check = run(&home, &exe, &["--check"]).ok();
    assert!(check.contains("sprag 99.0.0 is there"), "{check}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "only the list");
    let value = run(&home, &exe, &["--check", "--json"]).json();
    has_keys(&value, &["version", "channel", "command", "newest", "updated"]);
    assert_eq!(
        (&value["channel"], &value["newest"], &value["updated"]),
        (&json!("script"), &json!("99.0.0"), &json!(false))
    );

    // Without a terminal and without a word, nothing happens.
    let unasked = run(&home, &exe, &[]).failed();
    assert!(unasked.contains("--yes"), "{unasked}");
    assert_ne!(fs::read(&exe).unwrap(), NEW.as_bytes());

    let done = run(&home, &exe, &["--yes"]).ok();
    assert!(done.contains("was replaced by 99.0.0"), "{done}");
    assert_eq!(fs::read_to_string(&exe).unwrap(), NEW);
    let beside: Vec<_> =
        fs::read_dir(exe.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["sprag"]);
}

#[test]
fn another_checksum_changes_nothing() {
    let home = Home::new();
    let exe = place(&home, ".local/bin/sprag");
    let before = fs::metadata(&exe).unwrap().len();
    let (_server, _) = release(&home, "99.0.0", false);
    let error = run(&home, &exe, &["--yes"]).failed();
    assert!(
        error.contains("the checksum of a.tar.gz is") && error.contains("nothing was changed"),
        "{error}"
    );
    assert_eq!(fs::metadata(&exe).unwrap().len(), before);
}

#[test]
fn an_older_release_and_an_agent_change_nothing() {
    let home = Home::new();
    let exe = place(&home, ".local/bin/sprag");
    let (_server, asked) = release(&home, "0.0.1", true);
    let newest = run(&home, &exe, &["--yes"]).ok();
    assert!(newest.contains("is the newest version"), "{newest}");
    let before = asked.load(Ordering::SeqCst);
    let mut inside = home.program(exe.to_str().unwrap(), &["self", "update", "--yes"]);
    let output = inside.env("CLAUDECODE", "1").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("inside an agent"), "{error}");
    assert_eq!(asked.load(Ordering::SeqCst), before, "the network was not asked");
}

#[test]
fn a_package_manager_keeps_what_it_installed() {
    let home = Home::new();
    for (path, channel, command) in [
        ("lib/node_modules/@sprag/cli-linux-x64/sprag", "npm", "npm install -g @sprag/cli@latest"),
        (".npm/_npx/0a/node_modules/@sprag/cli-linux-x64/sprag", "npx", "npx @sprag/cli@latest"),
        (".local/share/pipx/venvs/sprag-cli/bin/sprag", "pipx", "pipx upgrade sprag-cli"),
        (".cargo/bin/sprag", "cargo", "cargo install --locked sprag"),
        ("bin/sprag", "source", "git pull && ./install"),
    ] {
        let exe = place(&home, path);
        let said = run(&home, &exe, &["--yes"]).ok();
        assert!(said.contains(command), "{path}: {said}");
        let value = run(&home, &exe, &["--json"]).json();
        assert_eq!((&value["channel"], &value["command"]), (&json!(channel), &json!(command)));
    }
}

/// What runs from a cache is gone one day: whoever registers it is told.
#[test]
fn deploy_from_the_cache_of_npx_says_how_to_install_for_good() {
    let home = Home::new();
    let said = |path: &str| {
        let exe = place(&home, path);
        let output = home.program(exe.to_str().unwrap(), &["deploy", "--agent", "claude"]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let cached = said(".npm/_npx/0a/node_modules/@sprag/cli-linux-x64/sprag");
    assert!(cached.contains("npm install -g @sprag/cli"), "{cached}");
    let kept = said("lib/node_modules/@sprag/cli-linux-x64/sprag");
    assert!(!kept.contains("npm install"), "{kept}");
}
