//! Caps on what a project may use in a day and a session in all: the amounts as people write them, what was used (kept by the worker
//! from the transcripts in one small file per project), and what a person raised for today.

use crate::price::Prices;
use crate::tokens::{self, day};
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_runtime::job::JobError;
use sprag_runtime::work::TokenCount;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The share of a cap, in percent, from which it is said how much is left.
const WARN_AT: u128 = 80;

/// A cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Money, in millionths of a dollar.
    Micros(u64),
    /// Tokens, read and written.
    Tokens(u64),
}

impl Amount {
    /// Reads `5 usd`, `$2.50`, `500k tokens`, `2M tokens`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(number) = text.strip_prefix('$').or_else(|| text.strip_suffix("usd")) {
            let dollars: f64 = number.trim().parse().ok()?;
            return (0.0..1e9).contains(&dollars).then(|| Self::Micros((dollars * 1e6).round() as u64));
        }
        let number = text.strip_suffix("tokens")?.trim();
        let (number, unit) = match (number.strip_suffix('k'), number.strip_suffix('m')) {
            (Some(thousands), _) => (thousands, 1e3),
            (_, Some(millions)) => (millions, 1e6),
            _ => (number, 1.0),
        };
        let tokens: f64 = number.trim().parse().ok()?;
        (0.0..1e15).contains(&tokens).then(|| Self::Tokens((tokens * unit).round() as u64))
    }

    /// As a person reads it.
    pub fn text(self) -> String {
        match self {
            Self::Micros(micros) => format!("${:.2}", micros as f64 / 1e6),
            Self::Tokens(tokens) if tokens >= 1_000_000 => format!("{:.1}M tokens", tokens as f64 / 1e6),
            Self::Tokens(tokens) if tokens >= 10_000 => format!("{}k tokens", tokens / 1_000),
            Self::Tokens(tokens) => format!("{tokens} tokens"),
        }
    }

    const fn number(self) -> u64 {
        match self {
            Self::Micros(number) | Self::Tokens(number) => number,
        }
    }

    /// What was used of it, in its own unit.
    pub const fn used(self, spent: &Spent) -> Self {
        match self {
            Self::Micros(_) => Self::Micros(spent.micros),
            Self::Tokens(_) => Self::Tokens(spent.tokens),
        }
    }

    /// The larger of two caps of one unit; the new one when the unit changes.
    #[must_use]
    pub fn or_raised(self, raised: Option<Self>) -> Self {
        match (self, raised) {
            (Self::Micros(old), Some(Self::Micros(new))) => Self::Micros(old.max(new)),
            (Self::Tokens(old), Some(Self::Tokens(new))) => Self::Tokens(old.max(new)),
            (old, None) => old,
            (_, Some(new)) => new,
        }
    }
}

/// How much of a cap is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Enough is left.
    Below,
    /// Four fifths are used.
    Near,
    /// All of it.
    Reached,
}

/// Where a use stands under a cap.
pub fn level(cap: Amount, spent: &Spent) -> Level {
    let (used, cap) = (u128::from(cap.used(spent).number()), u128::from(cap.number()));
    match used {
        used if used >= cap => Level::Reached,
        used if used * 100 >= cap * WARN_AT => Level::Near,
        _ => Level::Below,
    }
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens, read and written.
    pub tokens: u64,
    /// What those with a price cost, in millionths of a dollar.
    pub micros: u64,
}

impl Spent {
    /// Counts more.
    pub const fn add(&mut self, other: Self) {
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.micros = self.micros.saturating_add(other.micros);
    }

    /// As another machine reads it.
    pub fn to_text(self) -> String {
        format!("{} {}", self.tokens, self.micros)
    }

    /// Reads what [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let (tokens, micros) = text.split_once(' ')?;
        Some(Self { tokens: tokens.parse().ok()?, micros: micros.parse().ok()? })
    }

    /// True when nothing was used.
    pub const fn is_none(&self) -> bool {
        self.tokens == 0 && self.micros == 0
    }
}

/// One transcript in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    session: String,
    /// On the ledger's day.
    day: Spent,
    /// Since the transcript began.
    all: Spent,
}

/// What a project used on one day. A new day starts a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    day: String,
    transcripts: BTreeMap<String, Entry>,
    /// What other machines used of the same project, as of the last count here.
    #[serde(default, skip_serializing_if = "Spent::is_none")]
    others: Spent,
}

fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("usage")
}

fn ledger_file(paths: &Paths, project: &str) -> PathBuf {
    folder(paths).join(format!("{}.json", short_hash(project.as_bytes())))
}

fn raised_file(paths: &Paths, project: &str) -> PathBuf {
    folder(paths).join(format!("{}.raised", short_hash(project.as_bytes())))
}

impl Ledger {
    /// The ledger of a project for today; an empty one when there is none.
    pub fn read(paths: &Paths, project: &str, now: Stamp) -> Self {
        let text = files::read_text(ledger_file(paths, project), files::STATE).unwrap_or_default();
        let kept: Self = serde_json::from_str(&text).unwrap_or_default();
        let today = day(now);
        if kept.day == today { kept } else { Self { day: today, ..Self::default() } }
    }

    /// What all sessions used today, on every machine that is known of.
    pub fn today(&self) -> Spent {
        let mut sum = self.here();
        sum.add(self.others);
        sum
    }

    /// What the sessions of this machine used today.
    pub fn here(&self) -> Spent {
        self.sum(|_| true, |entry| entry.day)
    }

    /// What other machines used today.
    pub const fn others(&self) -> Spent {
        self.others
    }

    /// Its day.
    pub fn day(&self) -> &str {
        &self.day
    }

    /// Keeps what other machines used. Only the worker writes a ledger.
    pub fn keep_others(mut self, paths: &Paths, project: &str, others: Spent) -> io::Result<()> {
        if self.others == others {
            return Ok(());
        }
        self.others = others;
        self.write(paths, project)
    }

    fn write(&self, paths: &Paths, project: &str) -> io::Result<()> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        files::write_atomic(&ledger_file(paths, project), text.as_bytes())
    }

    /// What one session used since it began, as far as it worked today.
    pub fn of_session(&self, session: &str) -> Spent {
        self.sum(|entry| entry.session == session, |entry| entry.all)
    }

    fn sum(&self, which: impl Fn(&Entry) -> bool, what: impl Fn(&Entry) -> Spent) -> Spent {
        let mut sum = Spent::default();
        self.transcripts.values().filter(|entry| which(entry)).for_each(|entry| sum.add(what(entry)));
        sum
    }
}

/// Counts the tokens of a transcript into its project's ledger. The worker does this, one at a time.
pub fn count(host: &Host, wanted: &TokenCount) -> Result<(), JobError> {
    let now = host.clock.now();
    let Some(answers) = tokens::read(&wanted.transcript, Stamp(0), Some(now)) else { return Ok(()) };
    // A faulty list of prices is said by `sprag limit`; tokens count all the same.
    let prices = Prices::read(&host.paths).unwrap_or_default();
    let mut ledger = Ledger::read(&host.paths, &wanted.project, now);
    let mut entry = Entry { session: wanted.session.clone(), ..Entry::default() };
    for ((on, model), used) in &answers.by_day {
        let micros = prices.of_tokens(model, on, used).and_then(|micros| u64::try_from(micros).ok());
        let spent =
            Spent { tokens: used.all.context() + used.all.output, micros: micros.unwrap_or_default() };
        entry.all.add(spent);
        if *on == ledger.day {
            entry.day.add(spent);
        }
    }
    let name = short_hash(wanted.transcript.as_os_str().as_encoded_bytes());
    if ledger.transcripts.get(&name) == Some(&entry) {
        return Ok(());
    }
    ledger.transcripts.insert(name, entry);
    Ok(ledger.write(&host.paths, &wanted.project)?)
}

/// What a person allowed for today beyond the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    on: String,
    /// For the project's day.
    #[serde(default)]
    pub day: String,
    /// For each session.
    #[serde(default)]
    pub session: String,
}

impl Raised {
    /// What holds today.
    pub fn read(paths: &Paths, project: &str, now: Stamp) -> Self {
        let text = files::read_text(raised_file(paths, project), files::STATE).unwrap_or_default();
        let kept: Self = serde_json::from_str(&text).unwrap_or_default();
        let today = day(now);
        if kept.on == today { kept } else { Self { on: today, ..Self::default() } }
    }

    /// Keeps it.
    pub fn write(&self, paths: &Paths, project: &str) -> io::Result<()> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        files::write_atomic(&raised_file(paths, project), text.as_bytes())
    }
}

/// The job that counts a transcript.
pub fn count_job(project: &str, session: &str, transcript: &Path) -> sprag_runtime::job::Job {
    let key = short_hash(transcript.as_os_str().as_encoded_bytes());
    let wanted = TokenCount {
        project: project.to_owned(),
        session: session.to_owned(),
        transcript: transcript.to_path_buf(),
    };
    sprag_runtime::job::Job::new(sprag_runtime::job::Work::TokenCount(wanted)).keyed(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, amount) in [
            ("5 usd", Some(Amount::Micros(5_000_000))),
            ("$2.50", Some(Amount::Micros(2_500_000))),
            ("0.25USD", Some(Amount::Micros(250_000))),
            ("2M tokens", Some(Amount::Tokens(2_000_000))),
            ("1.5m tokens", Some(Amount::Tokens(1_500_000))),
            ("500k tokens", Some(Amount::Tokens(500_000))),
            ("800 tokens", Some(Amount::Tokens(800))),
            ("5", None),
            ("-5 usd", None),
            ("lots of tokens", None),
            ("", None),
        ] {
            assert_eq!(Amount::parse(text), amount, "{text}");
        }
        assert_eq!(Amount::parse("2M tokens").unwrap().text(), "2.0M tokens");
        assert_eq!(Amount::parse("$2.5").unwrap().text(), "$2.50");
    }

    #[test]
    fn four_fifths_warn_and_the_whole_is_reached() {
        let cap = Amount::Micros(10_000_000);
        let at = |micros| level(cap, &Spent { tokens: 0, micros });
        assert_eq!((at(7_999_999), at(8_000_000)), (Level::Below, Level::Near));
        assert_eq!((at(9_999_999), at(10_000_000)), (Level::Near, Level::Reached));
        let tokens = level(Amount::Tokens(100), &Spent { tokens: 80, micros: 0 });
        assert_eq!(tokens, Level::Near);
    }

    #[test]
    fn a_cap_is_raised_and_never_lowered_by_a_raise() {
        let cap = Amount::Micros(5);
        assert_eq!(cap.or_raised(Some(Amount::Micros(9))), Amount::Micros(9));
        assert_eq!(cap.or_raised(Some(Amount::Micros(2))), cap);
        assert_eq!(cap.or_raised(Some(Amount::Tokens(2))), Amount::Tokens(2));
        assert_eq!(cap.or_raised(None), cap);
    }

    #[test]
    fn what_other_machines_used_counts_for_the_day() {
        let spent = Spent { tokens: 7, micros: 5 };
        assert_eq!(Spent::from_text(&spent.to_text()), Some(spent));
        assert_eq!(Spent::from_text("lots"), None);
        let ledger: Ledger = serde_json::from_str(
            r#"{"day": "2026-11-18", "transcripts": {"a": {"session": "s", "day": {"tokens": 3, "micros": 1},
                "all": {"tokens": 9, "micros": 4}}}}"#,
        )
        .unwrap();
        assert_eq!(ledger.today(), ledger.here(), "a ledger of an older version");
        let ledger = Ledger { others: spent, ..ledger };
        assert_eq!((ledger.here().tokens, ledger.today()), (3, Spent { tokens: 10, micros: 6 }));
        assert_eq!(ledger.of_session("s").tokens, 9, "a session is on one machine");
    }
}
