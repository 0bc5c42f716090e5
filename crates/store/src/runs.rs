//! Counts of hook runs per hour, and how far the files that they come from were ingested: both are written in one
//! transaction, so that every line counts once even when a process dies in between.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::{FromRow, Row, from_row};
use crate::slots::slot_of;
use crate::value::values;
use std::collections::BTreeMap;

const HOUR: i64 = 3_600_000_000;

/// The key that runs are counted by.
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

/// Counts of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times it ran.
    pub fires: i64,
    /// Times its verdict was deny.
    pub deny: i64,
    /// Times its verdict was block.
    pub block: i64,
    /// Times its verdict was ask.
    pub ask: i64,
    /// Characters that it added to the context.
    pub chars: i64,
    /// Times it failed.
    pub errors: i64,
    /// Times it was skipped.
    pub skips: i64,
    /// Verdicts in shadow mode, which had no effect.
    pub shadow: i64,
    /// When it last ran.
    pub last: i64,
    /// Its verdict then.
    pub last_verdict: String,
    /// The last error.
    pub last_error: Option<String>,
    /// Runs per slot of the time scale.
    pub times: BTreeMap<i64, i64>,
}

impl Counts {
    /// Adds the duration of one run.
    pub fn took(&mut self, micros: u64) {
        *self.times.entry(slot_of(micros)).or_default() += 1;
    }

    /// Records a run at this time with this verdict.
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

/// How far a file was ingested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes.
    pub position: i64,
    /// Lines that were ingested.
    pub lines: i64,
    /// Lines that could not be parsed.
    pub broken: i64,
}

/// The counts of a part of a file.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Runs by key.
    pub runs: BTreeMap<RunKey, Counts>,
    /// The last heartbeat of sessions, by agent and session.
    pub heartbeats: BTreeMap<(String, String), Heartbeat>,
    /// Where the part ends.
    pub end: Position,
}

/// A heartbeat of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    /// When, in microseconds.
    pub at: i64,
    /// The lease from then, in microseconds.
    pub lease: i64,
    /// What it did; empty when unknown.
    pub doing: String,
}

/// Totals over a period, by name.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// By hook.
    pub hooks: BTreeMap<String, Counts>,
    /// By event.
    pub events: BTreeMap<String, Counts>,
}

from_row! { Position: position, lines, broken }

/// Without the durations, which are in a table of their own.
impl FromRow for Counts {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            fires: row.get("fires")?,
            deny: row.get("deny")?,
            block: row.get("block")?,
            ask: row.get("ask")?,
            chars: row.get("chars")?,
            errors: row.get("errors")?,
            skips: row.get("skips")?,
            shadow: row.get("shadow")?,
            last: row.get("last")?,
            last_verdict: row.get("last_verdict")?,
            last_error: row.get::<Option<String>>("last_error")?.filter(|error| !error.is_empty()),
            times: BTreeMap::new(),
        })
    }
}

impl Store {
    /// How far a file was ingested.
    pub fn position(&mut self, source: &str) -> Result<Position> {
        let sql = "SELECT position, lines, broken FROM ingest WHERE source = $1";
        Ok(self.conn.first(sql, values![source])?.unwrap_or_default())
    }

    /// Ingests a part of a file if it starts where the last one ended; true when it did.
    pub fn ingest(&mut self, home: &str, source: &str, from: i64, batch: &Batch, now: i64) -> Result<bool> {
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
            for ((agent, session), last) in &batch.heartbeats {
                crate::sessions::heartbeat(conn, agent, session, last)?;
            }
            Ok(true)
        })
    }

    /// The oldest hour that is known of a home.
    pub fn oldest_hour(&mut self, home: &str) -> Result<Option<i64>> {
        self.conn.one("SELECT MIN(hour) FROM runs WHERE home = $1", values![home])
    }

    /// The totals of a home since a time, rounded down to the hour.
    pub fn totals(&mut self, home: &str, since: i64) -> Result<Totals> {
        let since = since - since.rem_euclid(HOUR);
        let mut totals = Totals::default();
        self.conn.query(
            "SELECT event, hook, fires, deny, block, ask, chars, errors, skips, shadow, last, last_verdict, \
             last_error FROM runs WHERE home = $1 AND hour >= $2 ORDER BY last",
            values![home, since],
            &mut |row| {
                let (event, hook): (String, String) = FromRow::from_row(row)?;
                totals.of(event, hook).add(&Counts::from_row(row)?);
                Ok(())
            },
        )?;
        let times: Vec<(String, String, i64, i64)> = self.conn.all(
            "SELECT event, hook, slot, CAST(SUM(count) AS BIGINT) FROM run_times \
             WHERE home = $1 AND hour >= $2 GROUP BY event, hook, slot",
            values![home, since],
        )?;
        for (event, hook, slot, count) in times {
            *totals.of(event, hook).times.entry(slot).or_default() += count;
        }
        Ok(totals)
    }
}

impl Totals {
    fn of(&mut self, event: String, hook: String) -> &mut Counts {
        if hook.is_empty() {
            self.events.entry(event).or_default()
        } else {
            self.hooks.entry(hook).or_default()
        }
    }
}

fn add_run(conn: &mut dyn Conn, home: &str, key: &RunKey, counts: &Counts) -> Result<()> {
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
