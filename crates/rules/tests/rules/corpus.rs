//! The cases of `corpus/*.jsonl`: at least 98 % caught, at most 1 % stopped; every miss is named.

use crate::context;
use serde_json::Value;
use sprag_rules::{GuardConfig, judge, sensitive_reads};
use sprag_shell::{Context, analyse, sensitive_path};

/// The row's own context, or the usual one.
fn context_of(row: &Value) -> Context {
    let usual = context();
    let get = |key: &str, other: &str| row["ctx"][key].as_str().unwrap_or(other).to_owned();
    Context {
        cwd: get("cwd", &usual.cwd),
        home: get("home", &usual.home),
        project_root: get("project_root", &usual.project_root),
    }
}

fn stopped(row: &Value, ctx: &Context) -> bool {
    if let Some(path) = row["path"].as_str() {
        return sensitive_path(path, ctx).is_some();
    }
    let analysis = analyse(row["command"].as_str().unwrap(), ctx);
    judge(&analysis, ctx, &GuardConfig::default()).stops() || !sensitive_reads(&analysis).is_empty()
}

fn check(text: &str, at_least: usize) {
    let (mut block, mut caught, mut allow, mut wrong) = (0usize, 0usize, 0usize, 0usize);
    let mut misses = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty()) {
        let row: Value = serde_json::from_str(line).unwrap();
        let is_stopped = stopped(&row, &context_of(&row));
        if row["expect"] == "block" {
            block += 1;
            caught += usize::from(is_stopped);
            if !is_stopped {
                misses.push(format!("not caught: {line}"));
            }
        } else {
            allow += 1;
            wrong += usize::from(is_stopped);
            if is_stopped {
                misses.push(format!("stopped: {line}"));
            }
        }
    }
    assert!(block + allow >= at_least, "only {} cases", block + allow);
    let good = caught * 100 >= block * 98 && wrong * 100 <= allow;
    assert!(good, "caught {caught}/{block}, stopped {wrong}/{allow}\n{}", misses.join("\n"));
}

#[test]
fn commands() {
    check(include_str!("../../corpus/commands.jsonl"), 600);
}

/// Every spelling that an attacker would try, and harmless lines of similar look.
#[test]
fn evasions() {
    check(include_str!("../../corpus/evasions.jsonl"), 450);
}

/// Persistence, secrets in use, package names, tools of clouds, databases, fleets and containers.
#[test]
fn packs() {
    check(include_str!("../../corpus/packs.dev.jsonl"), 500);
    check(include_str!("../../corpus/packs2.dev.jsonl"), 380);
}

#[test]
fn paths() {
    check(include_str!("../../corpus/paths.jsonl"), 150);
}

/// The verdict does not depend on which directory the project is in.
#[test]
fn a_project_in_an_odd_place_gets_the_same_verdicts() {
    for root in ["/tmp/build/app", "/data/target/x", "/home/dev/.cache/p", "/srv/app", "/root/app"] {
        let home = if root.starts_with("/root") { "/root" } else { "/home/dev" };
        let ctx = Context { cwd: root.into(), home: home.into(), project_root: root.into() };
        for (command, expected) in [
            ("rm -rf node_modules", false),
            ("rm -rf ./dist", false),
            ("rm -rf .", true),
            ("rm -rf ..", true),
            ("rm -rf .git", true),
            ("rm -rf ~", true),
            ("git reset --hard", true),
            ("cat .env", true),
            ("echo x > notes.md", false),
        ] {
            let a = analyse(command, &ctx);
            let stops = judge(&a, &ctx, &GuardConfig::default()).stops() || !sensitive_reads(&a).is_empty();
            assert_eq!(stops, expected, "{command} in {root}");
        }
    }
}
