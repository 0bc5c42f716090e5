//! Counters that outlive processes: what the journal had so far, by names of few values. Each line is counted once.

use crate::calls::OpenCalls;
use crate::cursor::Cursor;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_runtime::journal::{Entry, Run};
use sprag_runtime::summary::hook_name;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// Ends of the classes of a hook's time, in microseconds.
pub(crate) const HOOK_CLASSES: [u64; 15] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    10_000_000,
];
/// Those of a tool's time, as the GenAI conventions have them.
pub(crate) const TOOL_CLASSES: [u64; 14] = [
    10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_280_000, 2_560_000, 5_120_000, 10_240_000,
    20_480_000, 40_960_000, 81_920_000,
];

/// Times in classes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Histogram {
    /// How many fell into each class; the last is above all.
    pub(crate) classes: Vec<u64>,
    /// All of them together, in microseconds.
    pub(crate) us: u64,
    /// How many.
    pub(crate) count: u64,
}

impl Histogram {
    fn add(&mut self, us: u64, ends: &[u64]) {
        self.classes.resize(ends.len() + 1, 0);
        if let Some(class) = self.classes.get_mut(ends.partition_point(|end| *end < us)) {
            *class += 1;
        }
        self.us += us;
        self.count += 1;
    }
}

/// The words of a row, in the order of its labels.
pub(crate) type Row<const N: usize> = [String; N];

fn key<const N: usize>(words: [&str; N]) -> String {
    words.map(|word| word.replace(SEPARATOR, " ")).join(&SEPARATOR.to_string())
}

/// Between the words of a key.
const SEPARATOR: char = '\u{1f}';

/// A key's words.
pub(crate) fn words<const N: usize>(key: &str) -> Row<N> {
    let mut parts = key.split(SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default().to_owned())
}

/// What was counted so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Counts {
    /// Since when, in microseconds.
    pub(crate) since: u64,
    cursor: Cursor,
    calls: OpenCalls,
    /// Runs by agent, event, hook, outcome.
    pub(crate) runs: BTreeMap<String, u64>,
    /// Times by hook.
    pub(crate) times: BTreeMap<String, Histogram>,
    /// Characters before the model by event, hook.
    pub(crate) chars: BTreeMap<String, u64>,
    /// What guards said by hook, rule, verdict, action, mode.
    pub(crate) verdicts: BTreeMap<String, u64>,
    /// How long tools ran by agent, tool, error.
    pub(crate) tools: BTreeMap<String, Histogram>,
}

/// A guard's word and what became of it, as the GenAI conventions name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// `deny`, `escalate` or `allow`.
    pub(crate) verdict: &'static str,
    /// `block`, `escalate` or `allow`.
    pub(crate) action: &'static str,
    /// `enforce` or `shadow`.
    pub(crate) mode: &'static str,
}

impl Judged {
    /// What a run said; `None` when it said nothing.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let (verdict, action) = match run.verdict.as_str() {
            "deny" | "block" => ("deny", "block"),
            "ask" => ("escalate", "escalate"),
            "allow" => ("allow", "allow"),
            _ => return None,
        };
        let mode = if run.shadow { "shadow" } else { "enforce" };
        // In shadow mode it was said and not done.
        Some(Self { verdict, action: if run.shadow { "allow" } else { action }, mode })
    }
}

impl Counts {
    fn add(&mut self, entry: &Entry) {
        if let Some(run) = self.calls.see(entry) {
            let tool = entry.tool.as_deref().unwrap_or_default();
            let row = key([&entry.agent, tool, run.error.unwrap_or_default()]);
            let took = run.ended.0.saturating_sub(run.began.0);
            self.tools.entry(row).or_default().add(took, &TOOL_CLASSES);
        }
        for run in &entry.runs {
            let hook = hook_name(run);
            let judged = Judged::of(run);
            let outcome = match (run.skip.is_some(), run.error.is_some(), judged) {
                (true, ..) => "skip",
                (_, true, _) => "error",
                (_, _, Some(Judged { action: "block", .. })) => "stop",
                (_, _, Some(Judged { action: "escalate", .. })) => "ask",
                _ => "pass",
            };
            *self.runs.entry(key([&entry.agent, &entry.event, hook, outcome])).or_default() += 1;
            if run.skip.is_none() {
                self.times.entry(key([hook])).or_default().add(run.us, &HOOK_CLASSES);
            }
            if run.chars > 0 {
                *self.chars.entry(key([&entry.event, hook])).or_default() += run.chars;
            }
            if let Some(judged) = judged.filter(|judged| judged.verdict != "allow") {
                let rule = run.rule.as_deref().unwrap_or_default();
                let row = key([hook, rule, judged.verdict, judged.action, judged.mode]);
                *self.verdicts.entry(row).or_default() += 1;
            }
        }
    }
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join("telemetry").join("counts.json")
}

/// The most that is read of a file of counts.
const MAX_COUNTS: u64 = 16 << 20;

/// Counts what is new and gives all of it.
pub(crate) fn current(paths: &Paths, now: Stamp) -> io::Result<Counts> {
    let lock = files::open_lock(&paths.state.join("telemetry").join("lock"))?;
    lock.lock()?;
    let text = files::read_text(file(paths), MAX_COUNTS).unwrap_or_default();
    let mut counts: Counts = serde_json::from_str(&text).unwrap_or_default();
    if counts.since == 0 {
        counts.since = now.0;
    }
    let before = counts.cursor.clone();
    let mut cursor = std::mem::take(&mut counts.cursor);
    cursor.read(paths, |entry| {
        counts.add(&entry);
        true
    })?;
    counts.cursor = cursor;
    if counts.cursor != before || text.is_empty() {
        files::write_atomic(&file(paths), &serde_json::to_vec(&counts).map_err(io::Error::other)?)?;
    }
    Ok(counts)
}
