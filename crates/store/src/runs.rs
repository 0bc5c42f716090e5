//! What hooks did, per hour, and how far the files it comes from were folded in: both in one transaction,
//! so that every line counts once whatever dies in between.

use crate::Store;
use crate::error::{Error, Result};
use crate::slots::slot_of;
use crate::value::{at, values};
use std::collections::BTreeMap;

const HOUR: i64 = 3_600_000_000;

/// Which runs belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKey {
    /// The hour, in microseconds.
    pub hour: i64,
    /// The agent.
    pub agent: String,
    /// The event.
    pub event: String,
    /// The hook; empty for the event as a whole.
    pub hook: String,
}

impl RunKey {
    /// The key of a run at this time.
    pub fn new(at: i64, agent: &str, event: &str, hook: &str) -> Self {
        Self { hour: at - at.rem_euclid(HOUR), agent: agent.into(), event: event.into(), hook: hook.into() }
    }
}

/// What runs add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times it ran.
    pub fires: i64,
    /// Times it said deny.
    pub deny: i64,
    /// Times it said block.
    pub block: i64,
    /// Times it said ask.
    pub ask: i64,
    /// Characters that it put before the model.
    pub chars: i64,
    /// Times it failed.
    pub errors: i64,
    /// Times it was passed over.
    pub skips: i64,
    /// Verdicts that did not count.
    pub shadow: i64,
    /// When it was last seen.
    pub last: i64,
    /// What it said then.
    pub last_verdict: String,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// Runs per slot of the time scale.
    pub times: BTreeMap<i64, i64>,
}

impl Counts {
    /// One run that took this long.
    pub fn took(&mut self, micros: u64) {
        *self.times.entry(slot_of(micros)).or_default() += 1;
    }

    /// It was seen at this time and said this.
    pub fn saw(&mut self, at: i64, verdict: &str) {
        if at >= self.last {
            self.last = at;
            verdict.clone_into(&mut self.last_verdict);
        }
    }

    fn add(&mut self, other: &Self) {
        self.fires += other.fires;
        self.deny += other.deny;
        self.block += other.block;
        self.ask += other.ask;
        self.chars += other.chars;
        self.errors += other.errors;
        self.skips += other.skips;
        self.shadow += other.shadow;
        self.saw(other.last, &other.last_verdict);
        if other.last_error.is_some() {
            self.last_error.clone_from(&other.last_error);
        }
        for (slot, count) in &other.times {
            *self.times.entry(*slot).or_default() += count;
        }
    }
}

/// How far a file was folded in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes.
    pub position: i64,
    /// Lines that counted.
    pub lines: i64,
    /// Lines that could not be read.
    pub broken: i64,
}

/// A part of a file, added up.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Runs by what belongs together.
    pub runs: BTreeMap<RunKey, Counts>,
    /// Activity of sessions, by agent and session.
    pub beats: BTreeMap<(String, String), Activity>,
    /// Where the part ends.
    pub end: Position,
}

/// The last sign of life of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// When, in microseconds.
    pub at: i64,
    /// The lease from then, in microseconds.
    pub lease: i64,
    /// What it did; empty when it did not say.
    pub doing: String,
}

/// Totals over a span of time, by name.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// By hook.
    pub hooks: BTreeMap<String, Counts>,
    /// By event.
    pub events: BTreeMap<String, Counts>,
}

impl Store {
    /// How far a file was folded in.
    pub fn position(&mut self, source: &str) -> Result<Position> {
        let sql = "SELECT position, lines, broken FROM ingest WHERE source = $1";
        let rows = self.conn.query(sql, values![source])?;
        Ok(rows.first().map_or_else(Position::default, |row| Position {
            position: at(row, 0).int(),
            lines: at(row, 1).int(),
            broken: at(row, 2).int(),
        }))
    }

    /// Folds a part of a file in, when it begins where the last one ended: true when it did.
    pub fn fold(&mut self, home: &str, source: &str, from: i64, batch: &Batch, now: i64) -> Result<bool> {
        self.atomically(|conn| {
            conn.execute(
                "INSERT INTO ingest (source, position, lines, broken, updated) VALUES ($1, 0, 0, 0, $2) \
                 ON CONFLICT (source) DO NOTHING",
                values![source, now],
            )?;
            let end = &batch.end;
            let moved = conn.execute(
                "UPDATE ingest SET position = $3, lines = $4, broken = $5, updated = $6 \
                 WHERE source = $1 AND position = $2",
                values![source, from, end.position, end.lines, end.broken, now],
            )?;
            if moved == 0 {
                return Ok(false);
            }
            for (key, counts) in &batch.runs {
                add_run(conn, home, key, counts)?;
            }
            for ((agent, session), last) in &batch.beats {
                crate::sessions::beat(conn, agent, session, last)?;
            }
            Ok(true)
        })
    }

    /// The oldest hour that is known of a home.
    pub fn oldest_hour(&mut self, home: &str) -> Result<Option<i64>> {
        let rows = self.conn.query("SELECT MIN(hour) FROM runs WHERE home = $1", values![home])?;
        Ok(rows.first().and_then(|row| at(row, 0).optional()))
    }

    /// What the hooks of a home did since a time, by the hour.
    pub fn totals(&mut self, home: &str, since: i64) -> Result<Totals> {
        let since = since - since.rem_euclid(HOUR);
        let mut totals = Totals::default();
        let rows = self.conn.query(
            "SELECT event, hook, fires, deny, block, ask, chars, errors, skips, shadow, last, last_verdict, \
             last_error FROM runs WHERE home = $1 AND hour >= $2 ORDER BY last",
            values![home, since],
        )?;
        for row in &rows {
            let int = |column: usize| at(row, column).int();
            let error = at(row, 12).text();
            let counts = Counts {
                fires: int(2),
                deny: int(3),
                block: int(4),
                ask: int(5),
                chars: int(6),
                errors: int(7),
                skips: int(8),
                shadow: int(9),
                last: int(10),
                last_verdict: at(row, 11).text(),
                last_error: (!error.is_empty()).then_some(error),
                times: BTreeMap::new(),
            };
            totals.of(&at(row, 0).text(), &at(row, 1).text()).add(&counts);
        }
        let rows = self.conn.query(
            "SELECT event, hook, slot, CAST(SUM(count) AS BIGINT) FROM run_times \
             WHERE home = $1 AND hour >= $2 GROUP BY event, hook, slot",
            values![home, since],
        )?;
        for row in &rows {
            let counts = totals.of(&at(row, 0).text(), &at(row, 1).text());
            *counts.times.entry(at(row, 2).int()).or_default() += at(row, 3).int();
        }
        Ok(totals)
    }
}

impl Totals {
    fn of(&mut self, event: &str, hook: &str) -> &mut Counts {
        if hook.is_empty() {
            self.events.entry(event.to_owned()).or_default()
        } else {
            self.hooks.entry(hook.to_owned()).or_default()
        }
    }
}

fn add_run(
    conn: &mut dyn crate::conn::Conn,
    home: &str,
    key: &RunKey,
    counts: &Counts,
) -> std::result::Result<(), Error> {
    conn.execute(
        "INSERT INTO runs (hour, home, agent, event, hook, fires, deny, block, ask, chars, errors, skips, \
         shadow, last, last_verdict, last_error) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         ON CONFLICT (hour, home, agent, event, hook) DO UPDATE SET fires = runs.fires + excluded.fires, \
         deny = runs.deny + excluded.deny, block = runs.block + excluded.block, ask = runs.ask + excluded.ask, \
         chars = runs.chars + excluded.chars, errors = runs.errors + excluded.errors, \
         skips = runs.skips + excluded.skips, shadow = runs.shadow + excluded.shadow, \
         last_verdict = CASE WHEN excluded.last >= runs.last THEN excluded.last_verdict \
         ELSE runs.last_verdict END, \
         last = CASE WHEN excluded.last >= runs.last THEN excluded.last ELSE runs.last END, \
         last_error = COALESCE(excluded.last_error, runs.last_error)",
        values![
            key.hour,
            home,
            &key.agent,
            &key.event,
            &key.hook,
            counts.fires,
            counts.deny,
            counts.block,
            counts.ask,
            counts.chars,
            counts.errors,
            counts.skips,
            counts.shadow,
            counts.last,
            &counts.last_verdict,
            counts.last_error.as_ref(),
        ],
    )?;
    for (slot, count) in &counts.times {
        conn.execute(
            "INSERT INTO run_times (hour, home, agent, event, hook, slot, count) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hour, home, agent, event, hook, slot) \
             DO UPDATE SET count = run_times.count + excluded.count",
            values![key.hour, home, &key.agent, &key.event, &key.hook, *slot, *count],
        )?;
    }
    Ok(())
}
