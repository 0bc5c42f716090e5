//! What is known of a project: the findings of each checker, whose they are, and who was told.
//! A finding that was there before a session's edits is not the session's; one that is gone is forgotten, so that it
//! is news when it comes back.

use crate::diagnostic::{Diagnostic, Severity};
use crate::table::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A finding with its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackedFinding {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The sessions at work when it came.
    #[serde(default)]
    pub owners: Vec<String>,
    /// The sessions that were told of it.
    #[serde(default)]
    pub told: Vec<String>,
}

/// One checker in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckerState {
    /// Its findings.
    #[serde(default)]
    pub entries: Vec<TrackedFinding>,
    /// True when they are those of a compiler.
    #[serde(default)]
    pub compiles: bool,
    /// When its last run began, in microseconds.
    #[serde(default)]
    pub started: u64,
    /// Files that were looked at, with the time of the last look, for a checker that takes files.
    #[serde(default)]
    pub files: BTreeMap<String, u64>,
    /// A hash of what the files of its last run held; of each file's last look, for a checker that takes files.
    #[serde(default)]
    pub contents: BTreeMap<String, String>,
    /// It is not run before this time: it hung or flooded.
    #[serde(default)]
    pub rests_until: u64,
}

/// Everything that is known of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// By checker and folder.
    #[serde(default)]
    pub checkers: BTreeMap<String, CheckerState>,
}

/// What a run is, for the ledger.
#[derive(Clone, Copy, Debug)]
pub struct CheckerRun<'a> {
    /// The checker and its folder.
    pub key: &'a str,
    /// What it is for.
    pub role: Role,
    /// The files it looked at; `None` is the whole project.
    pub files: Option<&'a [String]>,
    /// When it began, in microseconds.
    pub started: u64,
    /// The sessions whose edits it followed.
    pub sessions: &'a [String],
    /// Those among them that edited a file which was written after the checker's last look: whether a finding of that
    /// look was still there before their edits nobody knows, so it is theirs, as at a first look.
    pub unsure: &'a [String],
    /// The files that were edited, with a hash of what they held when it began.
    pub contents: &'a [(String, String)],
}

/// The most names that one finding keeps of sessions.
const MAX_SESSIONS: usize = 16;

fn add(list: &mut Vec<String>, session: &str) {
    if !list.iter().any(|known| known == session) {
        list.push(session.to_owned());
        if list.len() > MAX_SESSIONS {
            list.remove(0);
        }
    }
}

impl Ledger {
    /// Takes a run's findings in. `counts` says of a new one whether it is the sessions' at all: a warning on a line that
    /// nobody changed is not. Gives the number of findings that are gone and that some of the sessions was told of.
    pub fn update(
        &mut self,
        ran: CheckerRun<'_>,
        found: Vec<Diagnostic>,
        counts: &dyn Fn(&Diagnostic) -> bool,
    ) -> usize {
        let held = self.checkers.entry(ran.key.to_owned()).or_default();
        held.started = ran.started;
        held.compiles = ran.role != Role::Lint;
        held.rests_until = 0;
        for file in ran.files.into_iter().flatten() {
            held.files.insert(file.clone(), ran.started);
        }
        if ran.files.is_none() {
            held.contents.clear();
        }
        held.contents.extend(ran.contents.iter().cloned());
        let looked_at = |file: &str| ran.files.is_none_or(|files| files.iter().any(|name| name == file));
        let (mut old, kept): (Vec<TrackedFinding>, Vec<TrackedFinding>) = std::mem::take(&mut held.entries)
            .into_iter()
            .partition(|entry| looked_at(&entry.diagnostic.file));
        held.entries = kept;
        for diagnostic in found {
            let known = old.iter().position(|entry| entry.diagnostic.identity() == diagnostic.identity());
            held.entries.push(if let Some(at) = known {
                let mut entry = TrackedFinding { diagnostic, ..old.remove(at) };
                if !ran.unsure.is_empty() && counts(&entry.diagnostic) {
                    ran.unsure.iter().for_each(|session| add(&mut entry.owners, session));
                }
                entry
            } else {
                let owners = if counts(&diagnostic) { ran.sessions.to_vec() } else { Vec::new() };
                TrackedFinding { diagnostic, owners, told: Vec::new() }
            });
        }
        old.iter().filter(|gone| gone.told.iter().any(|told| ran.sessions.contains(told))).count()
    }

    /// The session's findings that it was not told of yet; from now on it was. Warnings only where wanted.
    pub fn news(&mut self, key: &str, session: &str, warnings: bool) -> Vec<Diagnostic> {
        let mut news = Vec::new();
        for entry in self.checkers.get_mut(key).into_iter().flat_map(|held| held.entries.iter_mut()) {
            let wanted = warnings || entry.diagnostic.severity == Severity::Error;
            let mine = entry.owners.iter().any(|owner| owner == session);
            if wanted && mine && !entry.told.iter().any(|told| told == session) {
                add(&mut entry.told, session);
                news.push(entry.diagnostic.clone());
            }
        }
        news
    }

    /// The session's findings that are still there: a compiler's errors, or everything that is not a compiler's.
    pub fn open(&self, session: &str, which: OpenFindings) -> Vec<(&str, &Diagnostic)> {
        let mut open = Vec::new();
        for (key, held) in &self.checkers {
            for entry in held.entries.iter().filter(|entry| entry.owners.iter().any(|owner| owner == session))
            {
                let wanted = match which {
                    OpenFindings::Errors => held.compiles && entry.diagnostic.severity == Severity::Error,
                    OpenFindings::Lint => !held.compiles,
                };
                if wanted {
                    open.push((checker_of(key), &entry.diagnostic));
                }
            }
        }
        open
    }

    /// Forgets findings in files that are no more.
    pub fn forget_files(&mut self, is_there: &dyn Fn(&str) -> bool) {
        for held in self.checkers.values_mut() {
            held.entries.retain(|entry| is_there(&entry.diagnostic.file));
            held.files.retain(|file, _| is_there(file));
            held.contents.retain(|file, _| is_there(file));
        }
    }

    /// The hash of what a file held when the checker looked last.
    pub fn content(&self, key: &str, file: &str) -> Option<&String> {
        self.checkers.get(key)?.contents.get(file)
    }

    /// True when the checker looked after the time at which each of the files was written (microseconds). A margin
    /// covers clocks of file systems that tick slowly.
    pub fn is_fresh(&self, key: &str, files: &[(String, u64)], per_file: bool) -> bool {
        const TICK: u64 = 10_000;
        let Some(held) = self.checkers.get(key) else { return false };
        files.iter().all(|(file, written)| {
            let looked = if per_file { held.files.get(file).copied().unwrap_or(0) } else { held.started };
            looked > written.saturating_add(TICK)
        })
    }
}

/// Which findings hold a session up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFindings {
    /// Errors of compilers.
    Errors,
    /// Findings of linters.
    Lint,
}

/// The key of a checker in a folder.
pub fn key(checker: &str, folder: &str) -> String {
    if folder.is_empty() { checker.to_owned() } else { format!("{checker}@{folder}") }
}

/// The checker of a key.
pub fn checker_of(key: &str) -> &str {
    key.split_once('@').map_or(key, |(checker, _)| checker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(file: &str, line: u32, message: &str) -> Diagnostic {
        Diagnostic::new(file, line, 1, "E1", message, Severity::Error)
    }

    fn run<'a>(sessions: &'a [String], files: Option<&'a [String]>, started: u64) -> CheckerRun<'a> {
        CheckerRun { key: "cargo", role: Role::Build, files, started, sessions, unsure: &[], contents: &[] }
    }

    fn texts(found: &[Diagnostic]) -> Vec<&str> {
        found.iter().map(|found| found.message.as_str()).collect()
    }

    #[test]
    fn only_what_is_new_is_said_and_only_once() {
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let mut ledger = Ledger::default();
        ledger.update(run(&a, None, 1), vec![error("x", 1, "old")], &|_| true);
        assert_eq!(texts(&ledger.news("cargo", "a", false)), ["old"]);
        assert!(ledger.news("cargo", "a", false).is_empty(), "once");
        // Another session's edit brings one; what was there before is not its own, lines moved or not.
        ledger.update(run(&b, None, 2), vec![error("x", 9, "old"), error("x", 3, "new")], &|_| true);
        assert_eq!(texts(&ledger.news("cargo", "b", false)), ["new"]);
        assert!(ledger.news("cargo", "a", false).is_empty(), "and the other's is not this one's");
        assert_eq!(ledger.open("b", OpenFindings::Errors).len(), 1);
        assert_eq!(ledger.open("b", OpenFindings::Lint).len(), 0);
    }

    #[test]
    fn what_is_fixed_is_noticed_and_is_news_when_it_comes_back() {
        let a = ["a".to_owned()];
        let mut ledger = Ledger::default();
        ledger.update(run(&a, None, 1), vec![error("x", 1, "m")], &|_| true);
        ledger.news("cargo", "a", false);
        assert_eq!(ledger.update(run(&a, None, 2), vec![], &|_| true), 1);
        assert!(ledger.open("a", OpenFindings::Errors).is_empty());
        assert_eq!(ledger.update(run(&a, None, 3), vec![error("x", 1, "m")], &|_| true), 0);
        assert_eq!(texts(&ledger.news("cargo", "a", false)), ["m"]);
    }

    #[test]
    fn a_finding_that_may_have_gone_in_between_is_the_later_sessions_too() {
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let contents = [("x".to_owned(), "h1".to_owned())];
        let mut ledger = Ledger::default();
        ledger.update(
            CheckerRun { contents: &contents, ..run(&a, None, 1) },
            vec![error("x", 1, "m")],
            &|_| true,
        );
        assert_eq!(ledger.content("cargo", "x").map(String::as_str), Some("h1"));
        ledger.update(CheckerRun { unsure: &b, ..run(&b, None, 2) }, vec![error("x", 1, "m")], &|_| true);
        assert_eq!(texts(&ledger.news("cargo", "b", false)), ["m"]);
        assert_eq!(ledger.open("b", OpenFindings::Errors).len(), 1);
        assert_eq!(ledger.content("cargo", "x"), None, "the last run's alone, of a whole project");
    }

    #[test]
    fn two_of_the_same_are_two() {
        let a = ["a".to_owned()];
        let mut ledger = Ledger::default();
        ledger.update(run(&a, None, 1), vec![error("x", 1, "m")], &|_| true);
        ledger.news("cargo", "a", false);
        ledger.update(run(&a, None, 2), vec![error("x", 1, "m"), error("x", 7, "m")], &|_| true);
        assert_eq!(ledger.news("cargo", "a", false).len(), 1);
    }

    #[test]
    fn a_run_over_some_files_says_nothing_of_the_others() {
        let a = ["a".to_owned()];
        let (x, y) = (["x".to_owned()], ["y".to_owned()]);
        let mut ledger = Ledger::default();
        ledger.update(run(&a, Some(&x), 1), vec![error("x", 1, "m")], &|_| true);
        ledger.update(run(&a, Some(&y), 2), vec![], &|_| true);
        assert_eq!(ledger.open("a", OpenFindings::Errors).len(), 1);
        ledger.forget_files(&|file| file != "x");
        assert_eq!(ledger.open("a", OpenFindings::Errors).len(), 0);
    }

    #[test]
    fn a_warning_on_an_old_line_is_nobodys() {
        let a = ["a".to_owned()];
        let mut ledger = Ledger::default();
        let warning = Diagnostic::new("x", 5, 1, "F401", "unused", Severity::Warning);
        ledger.update(run(&a, None, 1), vec![warning.clone()], &|_| false);
        assert!(ledger.news("cargo", "a", true).is_empty());
        ledger.update(run(&a, None, 2), vec![warning], &|_| true);
        assert!(ledger.news("cargo", "a", true).is_empty(), "nor does it become somebody's later");
    }

    #[test]
    fn fresh_is_looked_at_after_the_last_write() {
        let a = ["a".to_owned()];
        let x = ["x".to_owned()];
        let mut ledger = Ledger::default();
        ledger.update(run(&a, Some(&x), 100_000), vec![], &|_| true);
        let wrote = |file: &str, at: u64| vec![(file.to_owned(), at)];
        assert!(ledger.is_fresh("cargo", &wrote("x", 50_000), true));
        assert!(
            !ledger.is_fresh("cargo", &wrote("x", 95_000), true),
            "within a tick of the clock nobody knows"
        );
        assert!(!ledger.is_fresh("cargo", &wrote("y", 50_000), true));
        assert!(ledger.is_fresh("cargo", &wrote("y", 50_000), false));
        assert!(!ledger.is_fresh("tsc", &wrote("x", 1), false));
    }

    proptest! {
        /// However runs follow each other, a session hears of one finding at most once between two of its fixes.
        #[test]
        fn nothing_is_said_twice_while_it_lasts(runs in prop::collection::vec(prop::collection::btree_set(0u8..5, 0..5), 1..12)) {
            let a = ["a".to_owned()];
            let mut ledger = Ledger::default();
            let mut before = std::collections::BTreeSet::new();
            for (at, now) in runs.into_iter().enumerate() {
                let found = now.iter().map(|n| error("x", u32::from(*n) + at as u32, &format!("m{n}"))).collect();
                let gone = ledger.update(run(&a, None, at as u64), found, &|_| true);
                let said: std::collections::BTreeSet<String> =
                    ledger.news("cargo", "a", false).into_iter().map(|d| d.message).collect();
                let expected: std::collections::BTreeSet<String> = now.difference(&before).map(|n| format!("m{n}")).collect();
                prop_assert_eq!(said, expected);
                prop_assert_eq!(gone, before.difference(&now).count());
                before = now;
            }
        }
    }
}
