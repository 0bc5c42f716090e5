//! A part of a journal file in numbers: a small record for each line, and sums for each hour.

use super::names::Dictionary;
use serde::Deserialize;
use sprag_base::time::Stamp;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is read of a line.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    t: Cow<'a, str>,
    #[serde(borrow, default)]
    agent: Cow<'a, str>,
    #[serde(borrow, default)]
    session: Cow<'a, str>,
    #[serde(borrow, default)]
    cwd: Cow<'a, str>,
    #[serde(borrow, default)]
    event: Cow<'a, str>,
    #[serde(borrow, default)]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    verdict: Cow<'a, str>,
    #[serde(default)]
    us: u64,
    #[serde(default)]
    chars: u64,
    #[serde(borrow, default)]
    lost: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    error: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    runs: Vec<LineRun<'a>>,
}

/// What is read of one hook's part.
#[derive(Deserialize)]
struct LineRun<'a> {
    #[serde(borrow)]
    hook: Cow<'a, str>,
    #[serde(borrow, default)]
    verdict: Cow<'a, str>,
    #[serde(default)]
    us: u64,
    #[serde(default)]
    chars: u64,
    #[serde(borrow, default)]
    skip: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    rule: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    error: Option<Cow<'a, str>>,
    #[serde(default)]
    shadow: bool,
    #[serde(default)]
    saved: i64,
}

/// One event. Numbers stand for texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Where its line begins in the segment.
    pub(crate) offset: u32,
    /// Microseconds from the start of the process to the answer.
    pub(crate) us: u32,
    /// Characters that reached the model.
    pub(crate) chars: u32,
    /// The session.
    pub(crate) session: u32,
    /// The folder.
    pub(crate) cwd: u32,
    /// The rule or hook that decided.
    pub(crate) rule: u16,
    /// The tool.
    pub(crate) tool: u16,
    /// The chain: which hooks ran.
    pub(crate) chain: u16,
    /// The event.
    pub(crate) event: u16,
    /// The agent.
    pub(crate) agent: u16,
    /// What became of it.
    pub(crate) verdict: Verdict,
    /// Something failed.
    pub(crate) error: bool,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Verdict {
    /// Others decide.
    #[default]
    Pass,
    /// Approved.
    Allow,
    /// Answered in the tool's place.
    Answer,
    /// A hook in shadow mode would have stopped it.
    Shadow,
    /// A person was asked.
    Ask,
    /// Denied.
    Deny,
    /// Blocked.
    Block,
}

impl Verdict {
    /// All of them, the strongest first.
    pub(crate) const ALL: [Self; 7] =
        [Self::Block, Self::Deny, Self::Ask, Self::Shadow, Self::Answer, Self::Allow, Self::Pass];

    /// Its word.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Answer => "answer",
            Self::Shadow => "shadow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Block => "block",
        }
    }

    /// The verdict with this word.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Something was stopped.
    pub(crate) const fn stops(self) -> bool {
        matches!(self, Self::Deny | Self::Block)
    }
}

/// The upper ends of the time classes, in microseconds; the last class has none.
pub(crate) const BUCKETS: [u64; 15] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    10_000_000,
];

/// What one hook did in a day.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) runs: u32,
    pub(crate) skips: u32,
    pub(crate) stops: u32,
    pub(crate) asks: u32,
    pub(crate) shadow: u32,
    pub(crate) errors: u32,
    pub(crate) us: u64,
    pub(crate) chars: u64,
    pub(crate) saved: i64,
    pub(crate) times: [u32; BUCKETS.len() + 1],
}

impl Sums {
    fn took(&mut self, us: u64) {
        let class = BUCKETS.partition_point(|end| *end < us);
        self.us += us;
        if let Some(count) = self.times.get_mut(class) {
            *count += 1;
        }
    }

    /// Adds another day or another part.
    pub(crate) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.skips += other.skips;
        self.stops += other.stops;
        self.asks += other.asks;
        self.shadow += other.shadow;
        self.errors += other.errors;
        self.us += other.us;
        self.chars += other.chars;
        self.saved += other.saved;
        self.times.iter_mut().zip(other.times).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The end of the class that this share of the runs stays within, in microseconds.
    pub(crate) fn percentile(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.times.iter().map(|count| u64::from(*count)).sum();
        let rank = (all * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let class = self.times.iter().position(|count| {
            seen += u64::from(*count);
            seen >= rank
        })?;
        Some(BUCKETS.get(class).copied().unwrap_or(60_000_000))
    }
}

/// What the events of one folder came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FolderSums {
    pub(crate) events: u64,
    pub(crate) us: u64,
    pub(crate) chars: u64,
}

impl FolderSums {
    /// Adds another day or another part.
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.us += other.us;
        self.chars += other.chars;
    }
}

/// What sums are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct HookDay {
    /// Days since 1970.
    pub(crate) day: u32,
    /// The hook.
    pub(crate) hook: u16,
    /// The event.
    pub(crate) event: u16,
    /// The agent.
    pub(crate) agent: u16,
}

/// What stops are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RuleDay {
    /// Days since 1970.
    pub(crate) day: u32,
    /// The rule, or the hook that gave none.
    pub(crate) rule: u16,
    /// The hook.
    pub(crate) hook: u16,
    /// What it said.
    pub(crate) verdict: Verdict,
    /// It changed nothing.
    pub(crate) shadow: bool,
}

/// Some lines of a journal.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// The events, oldest first.
    pub(crate) records: Vec<Record>,
    /// Sums by hook and day.
    pub(crate) hooks: HashMap<HookDay, Sums>,
    /// Stops by rule and day.
    pub(crate) rules: HashMap<RuleDay, u32>,
    /// Sums by folder and day.
    pub(crate) folders: HashMap<(u32, u32), FolderSums>,
    /// Lines that are no entry.
    pub(crate) broken: usize,
}

/// Microseconds in an hour.
pub(crate) const HOUR: u64 = 3_600_000_000;
/// Microseconds in a day.
pub(crate) const DAY: u64 = 24 * HOUR;

impl Segment {
    /// Reads whole lines; `base` is where they begin in the segment.
    pub(crate) fn read(&mut self, bytes: &[u8], base: u64, names: &mut Dictionary) {
        let mut offset = base;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let blank = line.iter().all(u8::is_ascii_whitespace);
            match serde_json::from_slice::<Line<'_>>(line) {
                Ok(found) => self.add(&found, offset, names),
                Err(_) if blank => {}
                Err(_) => self.broken += 1,
            }
            offset += line.len() as u64;
        }
    }

    fn add(&mut self, line: &Line<'_>, offset: u64, names: &mut Dictionary) {
        let Some(Stamp(at)) = Stamp::parse(&line.t) else {
            self.broken += 1;
            return;
        };
        let mut short = |text: &str| u16::try_from(names.words.number(text)).unwrap_or_default();
        let (event, agent) = (short(&line.event), short(&line.agent));
        let mut verdict = Verdict::from_name(&line.verdict).unwrap_or_default();
        if verdict == Verdict::Ask && line.lost.iter().any(|lost| lost == "ask") {
            verdict = Verdict::Deny;
        }
        let day = (at / DAY) as u32;
        let mut decided = 0;
        let mut failed = line.error.is_some();
        let mut chain = String::new();
        for run in &line.runs {
            let name = run.hook.strip_suffix(" (again)").unwrap_or(&run.hook);
            let hook = short(name);
            if !chain.is_empty() {
                chain.push(' ');
            }
            chain.push_str(name);
            failed |= run.error.is_some();
            let said = Verdict::from_name(&run.verdict).unwrap_or_default();
            let spoke = matches!(said, Verdict::Ask | Verdict::Deny | Verdict::Block);
            if spoke {
                let rule = run.rule.as_deref().map_or(hook, &mut short);
                let key = RuleDay { day, rule, hook, verdict: said, shadow: run.shadow };
                *self.rules.entry(key).or_default() += 1;
                if !run.shadow || decided == 0 {
                    decided = rule;
                }
                if run.shadow && verdict == Verdict::Pass {
                    verdict = Verdict::Shadow;
                }
            }
            let sums = self.hooks.entry(HookDay { day, hook, event, agent }).or_default();
            if run.skip.is_some() {
                sums.skips += 1;
            } else {
                sums.runs += 1;
                sums.took(run.us);
            }
            match said {
                _ if run.shadow => sums.shadow += u32::from(spoke),
                Verdict::Ask => sums.asks += 1,
                Verdict::Deny | Verdict::Block => sums.stops += 1,
                _ => {}
            }
            sums.errors += u32::from(run.error.is_some());
            sums.chars += run.chars;
            sums.saved += run.saved;
        }
        let (tool, chain) = (line.tool.as_deref().map_or(0, &mut short), short(&chain));
        let cwd = names.places.number(&line.cwd);
        self.folders.entry((day, cwd)).or_default().add(&FolderSums {
            events: 1,
            us: line.us,
            chars: line.chars,
        });
        self.records.push(Record {
            at,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            us: u32::try_from(line.us).unwrap_or(u32::MAX),
            chars: u32::try_from(line.chars).unwrap_or(u32::MAX),
            session: names.places.number(&line.session),
            cwd,
            rule: decided,
            tool,
            chain,
            event,
            agent,
            verdict,
            error: failed,
        });
    }

    /// Adds the lines that follow.
    pub(crate) fn extend(&mut self, other: Self) {
        self.records.extend(other.records);
        for (key, sums) in &other.hooks {
            self.hooks.entry(*key).or_default().add(sums);
        }
        for (key, count) in other.rules {
            *self.rules.entry(key).or_default() += count;
        }
        for (key, sums) in &other.folders {
            self.folders.entry(*key).or_default().add(sums);
        }
        self.broken += other.broken;
    }

    /// Puts the numbers of one dictionary in the place of another's, and gives back what memory it does not need.
    pub(crate) fn renumber(&mut self, from: &Dictionary, to: &mut Dictionary) {
        let words: Vec<u16> = from.words.all().map(|text| to.words.number(text) as u16).collect();
        let places: Vec<u32> = from.places.all().map(|text| to.places.number(text)).collect();
        let word = |number: u16| words.get(usize::from(number)).copied().unwrap_or_default();
        let place = |number: u32| places.get(number as usize).copied().unwrap_or_default();
        self.records.shrink_to_fit();
        for record in &mut self.records {
            for number in
                [&mut record.rule, &mut record.tool, &mut record.chain, &mut record.event, &mut record.agent]
            {
                *number = word(*number);
            }
            record.session = place(record.session);
            record.cwd = place(record.cwd);
        }
        let hooks = std::mem::take(&mut self.hooks).into_iter();
        self.hooks = hooks
            .map(|(key, sums)| {
                let (hook, event, agent) = (word(key.hook), word(key.event), word(key.agent));
                (HookDay { hook, event, agent, ..key }, sums)
            })
            .collect();
        let rules = std::mem::take(&mut self.rules).into_iter();
        self.rules = rules
            .map(|(key, count)| (RuleDay { rule: word(key.rule), hook: word(key.hook), ..key }, count))
            .collect();
        let folders = std::mem::take(&mut self.folders).into_iter();
        self.folders = folders.map(|((day, cwd), sums)| ((day, place(cwd)), sums)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"t":"2026-11-17T10:00:00Z","agent":"claude","session":"s1","cwd":"/p","event":"PreToolUse","tool":"Bash","verdict":"deny","us":900,"runs":[{"hook":"command-guard","verdict":"deny","rule":"git:reset-hard","us":400},{"hook":"x","skip":"off"}]}"#,
        "\n",
        "not json\n\n",
        r#"{"t":"2026-11-17T11:00:00Z","agent":"codex","session":"s2","cwd":"/q","event":"PreToolUse","tool":"Bash","verdict":"ask","lost":["ask"],"us":3,"runs":[{"hook":"command-guard","verdict":"ask","us":1}]}"#,
        "\n",
        r#"{"t":"2026-11-17T11:30:00Z","agent":"claude","session":"s1","cwd":"/p","event":"PreToolUse","tool":"Edit","verdict":"pass","us":3,"runs":[{"hook":"loop-detection","verdict":"deny","shadow":true,"us":1}]}"#,
        "\n",
    );

    #[test]
    fn lines_become_records_and_sums_and_keep_their_texts_when_renumbered() {
        let (mut own, mut segment) = (Dictionary::default(), Segment::default());
        segment.read(LINES.as_bytes(), 0, &mut own);
        assert_eq!((segment.records.len(), segment.broken), (3, 1));
        let verdicts: Vec<Verdict> = segment.records.iter().map(|record| record.verdict).collect();
        assert_eq!(verdicts, [Verdict::Deny, Verdict::Deny, Verdict::Shadow]);
        let mut all = Dictionary::default();
        ["a", "b", "codex", "Edit"].iter().for_each(|text| {
            all.words.number(text);
        });
        segment.renumber(&own, &mut all);
        let shown: Vec<(&str, &str, &str)> = segment
            .records
            .iter()
            .map(|record| {
                let word = |number: u16| all.words.text(u32::from(number));
                (word(record.agent), word(record.rule), all.places.text(record.session))
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("claude", "git:reset-hard", "s1"),
                ("codex", "command-guard", "s2"),
                ("claude", "loop-detection", "s1")
            ]
        );
        let guard = all.words.find("command-guard").unwrap() as u16;
        let sums = segment.hooks.iter().filter(|(key, _)| key.hook == guard);
        let (runs, stops) = sums.fold((0, 0), |sum, (_, one)| (sum.0 + one.runs, sum.1 + one.stops));
        assert_eq!((runs, stops), (2, 1));
        let line = &LINES.as_bytes()[segment.records[1].offset as usize..];
        assert!(line.starts_with(br#"{"t":"2026-11-17T11:00:00Z""#));
    }

    #[test]
    fn percentiles_are_the_end_of_a_class() {
        let mut sums = Sums::default();
        (0..99).for_each(|_| sums.took(400));
        sums.took(40_000);
        assert_eq!(
            (sums.percentile(50), sums.percentile(99), sums.percentile(100)),
            (Some(500), Some(500), Some(50_000))
        );
        assert_eq!(Sums::default().percentile(50), None);
    }
}
