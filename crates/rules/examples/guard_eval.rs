//! Measures the guard on a file of cases: `cargo run --release -p sprag-rules --example guard_eval -- FILE…`.
//!
//! A case is a JSON line with `command` or `path` (or `path_or_command` and `tool`), `expect` (`block` or `allow`), and
//! optionally `pack` and `ctx` (`cwd`, `home`, `project_root`; `--cwd=`, `--home=`, `--root=` for rows without).
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a tool, not the library"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;
use sprag_rules::{GuardConfig, judge, sensitive_reads};
use sprag_shell::{Context, analyse, sensitive_path};

#[derive(Default)]
struct Score {
    block: usize,
    caught: usize,
    allow: usize,
    stopped: usize,
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let quiet = args.iter().any(|a| a == "--quiet");
    let option = |name: &str| args.iter().find_map(|a| a.strip_prefix(name).map(str::to_owned));
    let cwd = option("--cwd=").unwrap_or_else(|| "/home/dev/project".into());
    let usual = Context {
        home: option("--home=").unwrap_or_else(|| "/home/dev".into()),
        project_root: option("--root=").unwrap_or_else(|| cwd.clone()),
        cwd,
    };
    args.retain(|a| !a.starts_with("--"));
    for file in args {
        let Ok(text) = std::fs::read_to_string(&file) else {
            println!("{file}: cannot be read");
            continue;
        };
        let rows: Vec<Value> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        report(&file, &rows, &usual, quiet);
    }
}

fn report(file: &str, rows: &[Value], usual: &Context, quiet: bool) {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut commands: Vec<(&str, Context)> = Vec::new();
    for row in rows {
        let field = |k: &str| row.get(k).and_then(Value::as_str);
        let ctx = context(row, usual);
        let (text, stopped) = match (field("command"), field("path"), field("path_or_command")) {
            (Some(c), _, _) => (c, stops_command(c, &ctx)),
            (_, Some(p), _) => (p, sensitive_path(p, &ctx).map(|k| format!("privacy:{}", k.id))),
            (_, _, Some(p)) if field("tool") == Some("Bash") => (p, stops_command(p, &ctx)),
            (_, _, Some(p)) => (p, sensitive_path(p, &ctx).map(|k| format!("privacy:{}", k.id))),
            _ => continue,
        };
        if field("path").is_none() && field("tool").is_none_or(|t| t == "Bash") {
            commands.push((text, ctx));
        }
        let block = field("expect") == Some("block");
        for key in ["all", field("pack").or(field("source")).unwrap_or("-")] {
            let s = scores.entry(key.to_owned()).or_default();
            if block {
                s.block += 1;
                s.caught += usize::from(stopped.is_some());
            } else {
                s.allow += 1;
                s.stopped += usize::from(stopped.is_some());
            }
        }
        if block != stopped.is_some() && !quiet {
            let what = if block { "MISSED " } else { "STOPPED" };
            println!("{what} {text:?} {}", stopped.unwrap_or_default());
        }
    }
    println!("{file}: {} cases", rows.len());
    for (name, s) in &scores {
        println!(
            "  {name:<18} caught {:>4}/{:<4} {:>6.2} %   stopped {:>4}/{:<4} {:>6.2} %",
            s.caught,
            s.block,
            percent(s.caught, s.block),
            s.stopped,
            s.allow,
            percent(s.stopped, s.allow)
        );
    }
    throughput(&commands);
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn throughput(commands: &[(&str, Context)]) {
    if commands.is_empty() {
        return;
    }
    let config = GuardConfig::default();
    let start = Instant::now();
    let mut n = 0usize;
    let mut stops = 0usize;
    while start.elapsed().as_millis() < 1000 {
        for (c, ctx) in commands {
            let analysis = analyse(c, ctx);
            stops += usize::from(judge(&analysis, ctx, &config).stops());
            stops += usize::from(!sensitive_reads(&analysis).is_empty());
            n += 1;
        }
    }
    let rate = n as f64 / start.elapsed().as_secs_f64();
    println!(
        "  {rate:.0} commands per second on one core ({:.1} µs each; {stops} stops counted)",
        1e6 / rate
    );
}

fn stops_command(command: &str, ctx: &Context) -> Option<String> {
    let analysis = analyse(command, ctx);
    let judgement = judge(&analysis, ctx, &GuardConfig::default());
    if judgement.stops() {
        return judgement.rule.map(str::to_owned);
    }
    sensitive_reads(&analysis).first().map(|s| format!("privacy:{} {}", s.kind.id, s.path.expanded))
}

fn context(row: &Value, usual: &Context) -> Context {
    let ctx = row.get("ctx").unwrap_or(row);
    let get = |k: &str, d: &str| ctx.get(k).and_then(Value::as_str).unwrap_or(d).to_owned();
    Context {
        cwd: get("cwd", &usual.cwd),
        home: get("home", &usual.home),
        project_root: get("project_root", &usual.project_root),
    }
}
