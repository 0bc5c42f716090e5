//! What the journal adds up to: per hook, per event, and when each agent's events were last seen.
//! Entries are read one by one; only the times of runs are kept, for the percentiles.

use crate::journal::{self, Entry, Run, estimate_tokens};
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_protocol::dialect::Lost;
use std::collections::BTreeMap;
use std::io;

/// What became of an event: a question that nobody could be asked was a denial.
pub fn decided(entry: &Entry) -> &str {
    let unasked = entry.lost.iter().any(|lost| lost == Lost::Ask.name());
    if unasked && entry.verdict == "ask" { "deny" } else { &entry.verdict }
}

/// The mark that the chain puts on a guard's second look at a rewritten call.
const AGAIN: &str = " (again)";

/// The name of the hook behind a run.
pub fn hook_name(run: &Run) -> &str {
    run.hook.strip_suffix(AGAIN).unwrap_or(&run.hook)
}

/// The numbers of one hook or one event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Times it ran.
    pub fires: u64,
    /// Times it said deny.
    pub deny: u64,
    /// Times it said block.
    pub block: u64,
    /// Times it said ask.
    pub ask: u64,
    /// Characters that it put before the model.
    pub chars: u64,
    /// Tokens that it spared the model, estimated.
    pub saved: i64,
    /// Times it failed.
    pub errors: u64,
    /// Times it was passed over.
    pub skips: u64,
    /// Verdicts that did not count because the hook is in shadow mode.
    pub shadow: u64,
    /// When it was last seen.
    pub last: Option<Stamp>,
    /// What it said then.
    pub last_verdict: String,
    /// Why it failed last.
    pub last_error: Option<String>,
    micros: Vec<u32>,
}

impl Numbers {
    /// Times it stopped something. A question is none: the user may have said yes.
    pub fn blocks(&self) -> u64 {
        self.deny + self.block
    }

    /// Tokens that it put before the model, estimated.
    pub fn tokens(&self) -> u64 {
        estimate_tokens(self.chars)
    }

    /// The microseconds that this share (0 to 100) of its runs stayed within. Sorts what it holds.
    pub fn percentile(&mut self, percent: usize) -> Option<u32> {
        self.micros.sort_unstable();
        // Nearest rank: a value that was measured, not one in between.
        let rank = (self.micros.len() * percent).div_ceil(100).max(1);
        self.micros.get(rank - 1).copied()
    }

    /// All of its runs together.
    pub fn total_micros(&self) -> u64 {
        self.micros.iter().map(|micros| u64::from(*micros)).sum()
    }

    fn said(&mut self, verdict: &str) {
        match verdict {
            "deny" => self.deny += 1,
            "block" => self.block += 1,
            "ask" => self.ask += 1,
            _ => {}
        }
    }

    /// This many runs took about this long: for numbers that were added up elsewhere.
    pub fn took_often(&mut self, micros: u64, times: u64) {
        let micros = u32::try_from(micros).unwrap_or(u32::MAX);
        self.micros.extend(std::iter::repeat_n(micros, times as usize));
    }

    fn took(&mut self, micros: u64) {
        self.micros.push(u32::try_from(micros).unwrap_or(u32::MAX));
    }

    fn seen(&mut self, at: Option<Stamp>, verdict: &str, error: Option<&String>) {
        if at >= self.last {
            self.last = at;
            verdict.clone_into(&mut self.last_verdict);
        }
        if let Some(error) = error {
            self.errors += 1;
            self.last_error = Some(error.clone());
        }
    }

    fn add_run(&mut self, at: Option<Stamp>, run: &Run) {
        if run.skip.is_some() {
            self.skips += 1;
        } else {
            self.fires += 1;
            self.took(run.us);
        }
        if !run.shadow {
            self.said(&run.verdict);
        } else if !matches!(run.verdict.as_str(), "" | "pass") {
            self.shadow += 1;
        }
        self.chars += run.chars;
        self.saved += run.saved;
        self.seen(at, if run.skip.is_some() { "skipped" } else { &run.verdict }, run.error.as_ref());
    }
}

/// When an agent's event was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// How often.
    pub count: u64,
    /// The last time.
    pub last: Option<Stamp>,
}

/// What a part of the journal adds up to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// By hook.
    pub hooks: BTreeMap<String, Numbers>,
    /// By event.
    pub events: BTreeMap<String, Numbers>,
    /// By agent and event.
    pub seen: BTreeMap<(String, String), Sighting>,
    /// What an agent could not do with a verdict: agent, event, what; and how often.
    pub lost: BTreeMap<(String, String, String), u64>,
    /// Entries read.
    pub entries: u64,
    /// Lines that are no entry.
    pub broken: usize,
}

impl Summary {
    /// Counts one entry.
    pub fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        let at = Stamp::parse(&entry.t);
        let name = if entry.event.is_empty() { "(not an event)" } else { &entry.event };
        let event = self.events.entry(name.to_owned()).or_default();
        event.fires += 1;
        event.took(entry.us);
        event.said(decided(entry));
        event.chars += entry.chars;
        event.seen(at, &entry.verdict, entry.error.as_ref());
        for run in &entry.runs {
            event.errors += u64::from(run.error.is_some());
            event.saved += run.saved;
            event.skips += u64::from(run.skip.is_some());
            event.shadow += u64::from(run.shadow && !matches!(run.verdict.as_str(), "" | "pass"));
            self.hooks.entry(hook_name(run).to_owned()).or_default().add_run(at, run);
        }
        let sighting = self.seen.entry((entry.agent.clone(), name.to_owned())).or_default();
        sighting.count += 1;
        sighting.last = sighting.last.max(at);
        for what in &entry.lost {
            let key = (entry.agent.clone(), name.to_owned(), what.clone());
            *self.lost.entry(key).or_default() += 1;
        }
    }
}

/// A process that was slow may write into a file a moment after it was rotated; in microseconds.
const SLACK: u64 = 60_000_000;

/// Reads the entries since a time, oldest file first. Files that were rotated before it are not opened.
pub fn read_since(paths: &Paths, since: Stamp, mut each: impl FnMut(&Entry)) -> io::Result<usize> {
    let mut broken = 0;
    for file in journal::all_files(paths) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let rotated = name.strip_prefix("journal-").and_then(|stamp| stamp.parse::<u64>().ok());
        if rotated.is_some_and(|at| at.saturating_add(SLACK) < since.0) {
            continue;
        }
        broken += journal::read(&file, |entry| {
            if since.0 == 0 || Stamp::parse(&entry.t).is_some_and(|at| at >= since) {
                each(&entry);
            }
        })?;
    }
    Ok(broken)
}

/// The summary of the journal since a time.
pub fn summarise(paths: &Paths, since: Stamp) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let broken = read_since(paths, since, |entry| summary.add(entry))?;
    summary.broken = broken;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;

    fn run(hook: &str, verdict: &str, us: u64) -> Run {
        Run { hook: hook.into(), verdict: verdict.into(), us, ..Run::default() }
    }

    fn entry(seconds: u64, runs: Vec<Run>) -> Entry {
        Entry {
            t: Stamp(seconds * 1_000_000).to_string(),
            agent: "claude".into(),
            event: "PreToolUse".into(),
            verdict: "pass".into(),
            us: 500,
            runs,
            ..Entry::default()
        }
    }

    #[test]
    fn hooks_are_counted_by_what_they_did() {
        let mut summary = Summary::default();
        let shadow = Run { shadow: true, ..run("a", "deny", 5) };
        let skipped = Run { skip: Some("SPRAG_DISABLE".into()), ..run("a", "pass", 0) };
        let failed = Run { error: Some("exit code 1".into()), chars: 9, ..run("b", "pass", 7) };
        summary.add(&entry(1, vec![run("a", "deny", 1), run("a (again)", "ask", 3)]));
        summary.add(&entry(3, vec![shadow, failed]));
        summary.add(&entry(2, vec![skipped]));
        let a = summary.hooks.get_mut("a").unwrap();
        assert_eq!((a.fires, a.deny, a.ask, a.shadow, a.skips), (3, 1, 1, 1, 1));
        assert_eq!(a.last_verdict, "deny", "the newest counts, whatever the order of the lines");
        assert_eq!((a.percentile(50), a.percentile(99)), (Some(3), Some(5)));
        let b = &summary.hooks["b"];
        assert_eq!((b.errors, b.tokens(), b.last_error.as_deref()), (1, 3, Some("exit code 1")));
        let seen = &summary.seen[&("claude".to_owned(), "PreToolUse".to_owned())];
        assert_eq!((seen.count, seen.last), (3, Some(Stamp(3_000_000))));
        assert_eq!(summary.events["PreToolUse"].errors, 1);
        assert_eq!(Numbers::default().percentile(50), None);
    }

    #[test]
    fn only_what_is_young_enough_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let env = Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into());
        let paths = Paths::from_env(&env);
        sprag_base::files::make_dir(&paths.state).unwrap();
        let old = paths.state.join("journal-00000000000000000001.jsonl");
        std::fs::write(&old, "this file would count as a broken line\n").unwrap();
        for seconds in [100, 200, 300] {
            journal::write(&paths, &entry(seconds, vec![]), 0, 1).unwrap();
        }
        let summary = summarise(&paths, Stamp(150_000_000)).unwrap();
        assert_eq!((summary.entries, summary.broken), (2, 0));
        let all = summarise(&paths, Stamp(0)).unwrap();
        assert_eq!((all.entries, all.broken), (3, 1));
    }
}
