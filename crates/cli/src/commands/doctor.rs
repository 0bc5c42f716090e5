//! `sprag doctor`: is everything in place, and did every event come that should have come.
//! Each finding says what is so and what to do; only a failure makes the exit code 1.

use crate::commands::project_at;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_doctor::{AgentReport, Examined, Level, examine};
use sprag_terminal::when;
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DoctorArgs, host: &Host, out: &Out) -> ExitCode {
    let examined = examine(host, &project_at(host, None));
    let failed = examined.findings.iter().any(|finding| finding.level == Level::Fail);
    if args.json {
        out.json(&as_json(host, &examined, !failed));
    } else {
        as_text(host, &examined, out);
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn as_json(host: &Host, examined: &Examined, ok: bool) -> Value {
    let findings: Vec<Value> = examined
        .findings
        .iter()
        .map(|finding| {
            json!({
                "level": finding.level.name(), "area": finding.area,
                "what": finding.what, "do": finding.todo,
            })
        })
        .collect();
    json!({
        "ok": ok,
        "version": env!("CARGO_PKG_VERSION"),
        "exe": host.exe,
        "findings": findings,
        "agents": examined.agents.iter().map(agent_json).collect::<Vec<_>>(),
    })
}

fn agent_json(report: &AgentReport) -> Value {
    json!({
        "agent": report.agent.name(),
        "program": report.program,
        "version": report.version,
        "folder": report.folder,
        "registered": report.registered.iter().map(|found| json!({
            "file": found.file, "exe": found.exe, "events": found.events, "fault": found.fault,
        })).collect::<Vec<_>>(),
        "events": report.events.iter().map(|row| json!({
            "event": row.kind.name(),
            "hooks": row.hooks,
            "registered": row.registered,
            "fired": row.count,
            "last": row.last.map(|at| at.to_string()),
        })).collect::<Vec<_>>(),
        "cannot": report.cannot,
        "lost": report.lost.iter().map(|(event, what, count)| json!({
            "event": event, "what": what, "count": count,
        })).collect::<Vec<_>>(),
    })
}

fn as_text(host: &Host, examined: &Examined, out: &Out) {
    for finding in &examined.findings {
        let level = out.paint(tone(finding.level), &format!("{:<4}", finding.level.name()));
        out.line(&format!("{level}  {:<9} {}", finding.area, finding.what));
        if !finding.todo.is_empty() {
            out.line(&format!("      {:<9} {}", "", finding.todo));
        }
    }
    for report in examined.agents.iter().filter(|report| report.seen_or_registered()) {
        agent_text(host, report, out);
    }
    let count = |level: Level| examined.findings.iter().filter(|finding| finding.level == level).count();
    out.line("");
    match (count(Level::Fail), count(Level::Warn)) {
        (0, 0) => out.line(&out.paint(Tone::Good, "All is well.")),
        (fail, warn) => out.line(&format!("{fail} to fix, {warn} to look at.")),
    }
}

fn agent_text(host: &Host, report: &AgentReport, out: &Out) {
    let now = host.clock.now();
    out.line("");
    out.heading(report.agent.name());
    let mut table = Table::new(&["event", ">hooks", "registered", "last fired", ">times"]);
    for row in &report.events {
        table.row(vec![
            (Tone::Plain, row.kind.name().to_owned()),
            (Tone::Plain, row.hooks.to_string()),
            if row.registered {
                (Tone::Good, "yes".to_owned())
            } else {
                (if row.hooks > 0 { Tone::Warn } else { Tone::Dim }, "no".to_owned())
            },
            match row.last {
                Some(at) => (Tone::Plain, when::ago(now, at)),
                None => (Tone::Dim, "not yet".to_owned()),
            },
            (Tone::Plain, row.count.to_string()),
        ]);
    }
    out.table(&table);
    if !report.cannot.is_empty() {
        out.line(&out.paint(Tone::Dim, "What it cannot do, whatever the hooks say:"));
        for what in &report.cannot {
            out.line(&out.paint(Tone::Dim, &format!("  {what}")));
        }
    }
}

const fn tone(level: Level) -> Tone {
    match level {
        Level::Ok => Tone::Good,
        Level::Warn => Tone::Warn,
        Level::Fail => Tone::Bad,
    }
}
