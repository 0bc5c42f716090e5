//! `/metrics`: numbers for Prometheus. Counters begin with the server's start, as those of any process do. Labels are names of
//! hooks, rules, events and agents; never a path, a command or a session.

use crate::app::App;
use crate::index::segment::{BUCKETS, Sums, Verdict};
use sprag_coord::store::micros;
use sprag_lessons::library;
use sprag_runtime::pending;
use sprag_runtime::queue::{self, JobState};
use sprag_store::{Store, TaskState};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The type of the text.
pub(super) const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

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

/// All of it.
pub(super) fn text(app: &App) -> String {
    let mut out = String::new();
    Metric::new(&mut out, "sprag_build_info", "gauge", "The version that serves this.").row(
        "",
        &[("version", env!("CARGO_PKG_VERSION"))],
        1,
    );
    hooks(app, &mut out);
    verdicts(app, &mut out);
    files(app, &mut out);
    if let Ok(Some(mut store)) = app.store() {
        let now = micros(app.host.clock.now());
        // What cannot be read is left out: a wrong number would be worse.
        let _ = stored(&mut store, now, &mut out);
    }
    out
}

fn hooks(app: &App, out: &mut String) {
    let known = app.index.look();
    let mut rows: BTreeMap<(String, String, String), Sums> = BTreeMap::new();
    for (key, sums) in known.counted_hooks() {
        let key = [key.agent, key.event, key.hook].map(|word| known.word(word).to_owned());
        let [agent, event, hook] = key;
        rows.entry((agent, event, hook)).or_default().add(sums);
    }
    let mut runs =
        Metric::new(out, "sprag_hook_runs_total", "counter", "Runs of hooks since the server started.");
    for ((agent, event, hook), sums) in &rows {
        let spoke = sums.stops + sums.asks;
        for (outcome, count) in [
            ("pass", sums.runs.saturating_sub(spoke + sums.errors)),
            ("stop", sums.stops),
            ("ask", sums.asks),
            ("error", sums.errors),
            ("skip", sums.skips),
        ] {
            if count > 0 {
                runs.row(
                    "",
                    &[("agent", agent), ("event", event), ("hook", hook), ("outcome", outcome)],
                    count,
                );
            }
        }
    }
    let mut chars = Metric::new(
        out,
        "sprag_context_chars_total",
        "counter",
        "Characters that hooks put before the model.",
    );
    for ((_, event, hook), sums) in rows.iter().filter(|(_, sums)| sums.chars > 0) {
        chars.row("", &[("event", event), ("hook", hook)], sums.chars);
    }
    let mut by_hook: BTreeMap<&str, Sums> = BTreeMap::new();
    for ((_, _, hook), sums) in &rows {
        by_hook.entry(hook).or_default().add(sums);
    }
    let mut times = Metric::new(out, "sprag_hook_duration_seconds", "histogram", "How long hooks took.");
    for (hook, sums) in &by_hook {
        let mut below = 0_u64;
        for (end, count) in BUCKETS.iter().zip(sums.times) {
            below += u64::from(count);
            times.row("_bucket", &[("hook", hook), ("le", &(*end as f64 / 1e6).to_string())], below);
        }
        times.row("_bucket", &[("hook", hook), ("le", "+Inf")], sums.runs);
        times.row("_sum", &[("hook", hook)], sums.us as f64 / 1e6);
        times.row("_count", &[("hook", hook)], sums.runs);
    }
}

fn verdicts(app: &App, out: &mut String) {
    let known = app.index.look();
    let mut metric = Metric::new(
        out,
        "sprag_guard_verdicts_total",
        "counter",
        "What guards said, and whether it counted.",
    );
    let mut rows: BTreeMap<[&str; 5], u64> = BTreeMap::new();
    for (key, count) in known.counted_rules() {
        let verdict = if key.verdict == Verdict::Ask { "escalate" } else { "deny" };
        let (action, mode) = match (key.shadow, key.verdict) {
            (true, _) => ("allow", "shadow"),
            (false, Verdict::Ask) => ("escalate", "enforce"),
            (false, _) => ("block", "enforce"),
        };
        *rows.entry([known.word(key.hook), known.word(key.rule), verdict, action, mode]).or_default() +=
            u64::from(*count);
    }
    for ([hook, rule, verdict, action, mode], count) in rows {
        metric.row(
            "",
            &[("hook", hook), ("rule", rule), ("verdict", verdict), ("action", action), ("mode", mode)],
            count,
        );
    }
}

fn files(app: &App, out: &mut String) {
    let mut jobs = Metric::new(out, "sprag_queue_jobs", "gauge", "Background jobs by state.");
    for (name, state) in
        [("waiting", JobState::Waiting), ("running", JobState::Running), ("dead", JobState::Dead)]
    {
        jobs.row("", &[("state", name)], queue::list(&app.host.paths, state).len());
    }
    Metric::new(out, "sprag_approvals_pending", "gauge", "Questions that wait for an answer.").row(
        "",
        &[],
        pending::list(&app.host).len(),
    );
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
