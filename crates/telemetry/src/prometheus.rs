//! Text for Prometheus: what `/metrics` of the page answers, and a file for node_exporter.

use crate::counts::{self, Counts, HOOK_CLASSES, words};
use sprag_base::files;
use sprag_config::host::Host;
use sprag_coord::store::{Setup, micros};
use sprag_lessons::library;
use sprag_runtime::pending;
use sprag_runtime::queue::{self, JobState};
use sprag_store::{Opening, Store, TaskState};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// The type of the text.
pub const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// A metric with its help and its rows.
struct Metric<'a> {
    out: &'a mut String,
    name: &'static str,
}

impl<'a> Metric<'a> {
    fn new(out: &'a mut String, name: &'static str, kind: &str, help: &str) -> Self {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Self { out, name }
    }

    fn row(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.out, "{}{suffix}{labels} {value}", self.name);
    }
}

/// All numbers as they are now. Counters are those of the whole journal since they were first asked for, over restarts and
/// rotations.
pub fn text(host: &Host) -> io::Result<String> {
    let counts = counts::current(&host.paths, host.clock.now())?;
    let mut out = String::new();
    Metric::new(&mut out, "sprag_build_info", "gauge", "The version that wrote this.").row(
        "",
        &[("version", env!("CARGO_PKG_VERSION"))],
        1,
    );
    hooks(&counts, &mut out);
    waiting(host, &mut out);
    let opened = Setup::read(host)
        .and_then(|setup| Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }));
    if let Ok(mut store) = opened {
        // What cannot be read is left out: a wrong number would be worse.
        let _ = stored(&mut store, micros(host.clock.now()), &mut out);
    }
    Ok(out)
}

/// Writes the text to a file that another user's node_exporter can read, as a whole.
pub fn write_textfile(host: &Host, path: &Path) -> io::Result<()> {
    files::write_shared(path, text(host)?.as_bytes())
}

fn hooks(counts: &Counts, out: &mut String) {
    let mut metric = Metric::new(out, "sprag_hook_runs_total", "counter", "Runs of hooks.");
    for (key, count) in &counts.runs {
        let [agent, event, hook, outcome] = words(key);
        let labels = [("agent", &*agent), ("event", &event), ("hook", &hook), ("outcome", &outcome)];
        metric.row("", &labels, count);
    }
    let help = "Characters that hooks put before the model.";
    let mut metric = Metric::new(out, "sprag_context_chars_total", "counter", help);
    for (key, count) in &counts.chars {
        let [event, hook] = words(key);
        metric.row("", &[("event", &event), ("hook", &hook)], count);
    }
    let mut metric = Metric::new(out, "sprag_hook_duration_seconds", "histogram", "How long hooks took.");
    for (hook, times) in &counts.times {
        let mut below = 0_u64;
        for (end, count) in HOOK_CLASSES.iter().zip(&times.classes) {
            below += count;
            metric.row("_bucket", &[("hook", hook), ("le", &(*end as f64 / 1e6).to_string())], below);
        }
        metric.row("_bucket", &[("hook", hook), ("le", "+Inf")], times.count);
        metric.row("_sum", &[("hook", hook)], times.us as f64 / 1e6);
        metric.row("_count", &[("hook", hook)], times.count);
    }
    let help = "What guards said, and whether it counted.";
    let mut metric = Metric::new(out, "sprag_guard_verdicts_total", "counter", help);
    for (key, count) in &counts.verdicts {
        let [hook, rule, verdict, action, mode] = words(key);
        let labels =
            [("hook", &*hook), ("rule", &rule), ("verdict", &verdict), ("action", &action), ("mode", &mode)];
        metric.row("", &labels, count);
    }
}

fn waiting(host: &Host, out: &mut String) {
    let mut jobs = Metric::new(out, "sprag_queue_jobs", "gauge", "Background jobs by state.");
    for (name, state) in
        [("waiting", JobState::Waiting), ("running", JobState::Running), ("dead", JobState::Dead)]
    {
        jobs.row("", &[("state", name)], queue::list(&host.paths, state).len());
    }
    let help = "Questions that wait for an answer.";
    Metric::new(out, "sprag_approvals_pending", "gauge", help).row("", &[], pending::list(host).len());
}

fn stored(store: &mut Store, now: i64, out: &mut String) -> Result<(), sprag_store::Error> {
    const DAY: i64 = 86_400_000_000;
    let sessions = store.sessions(now, now - DAY)?;
    let live = sessions.iter().filter(|session| session.is_live(now)).count();
    let memories: i64 = store.count_memories()?.iter().map(|(_, _, count)| count).sum();
    let (claims, tasks, lessons) = (store.claims(now)?.len(), store.tasks(true)?, library::lessons(store)?);
    let mut metric = Metric::new(out, "sprag_sessions", "gauge", "Sessions of the last day by state.");
    metric.row("", &[("state", "live")], live);
    metric.row("", &[("state", "ended")], sessions.len() - live);
    Metric::new(out, "sprag_memories", "gauge", "Memories in the store.").row("", &[], memories);
    Metric::new(out, "sprag_claims", "gauge", "Claims on files.").row("", &[], claims);
    let mut metric = Metric::new(out, "sprag_tasks", "gauge", "Tasks by state.");
    for state in TaskState::ALL {
        metric.row("", &[("state", state.name())], tasks.iter().filter(|task| task.state == state).count());
    }
    let mut metric = Metric::new(out, "sprag_lessons", "gauge", "Lessons by status.");
    for status in sprag_lessons::model::Status::ALL {
        let count = lessons.iter().filter(|lesson| lesson.status == status).count();
        metric.row("", &[("status", status.name())], count);
    }
    Ok(())
}
