//! Lessons: what was learned, where it was seen, how often it was shown, and who changed it.
//! Every write may be repeated: rows have their own keys, and counts that are sent twice count once.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::from_row;
use crate::value::values;
use std::collections::BTreeMap;

/// One lesson: the columns that queries use, and the whole lesson as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonRow {
    /// Its id.
    pub id: String,
    /// Its readable name; unique.
    pub slug: String,
    /// candidate, reviewed, active, disabled, archived.
    pub status: String,
    /// hint, guard, protocol, directive.
    pub kind: String,
    /// 1 to 10.
    pub priority: i64,
    /// Thousandths.
    pub confidence: i64,
    /// The hash of problem, solution and patterns.
    pub hash: String,
    /// The whole lesson as JSON.
    pub data: String,
    /// When it was created.
    pub created: i64,
    /// When it was changed.
    pub updated: i64,
}

/// One position in a transcript where a lesson was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// The lesson.
    pub lesson: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The position in the session.
    pub place: String,
    /// The project.
    pub project: String,
    /// When.
    pub at: i64,
}

/// How often a lesson was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// Positions.
    pub occurrences: i64,
    /// Different sessions.
    pub sessions: i64,
    /// Different projects.
    pub projects: i64,
}

/// What a lesson did in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fire {
    /// The lesson.
    pub lesson: String,
    /// The agent's own id of the session.
    pub session: String,
    /// It was shown this often.
    pub shown: i64,
    /// It denied a call this often.
    pub denied: i64,
    /// The mistake was made anyway this often.
    pub ignored: i64,
    /// When last.
    pub last: i64,
}

/// What a lesson did in all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fires {
    /// It was shown this often.
    pub shown: i64,
    /// It denied a call this often.
    pub denied: i64,
    /// Sessions in which it was shown and followed.
    pub helped: i64,
    /// Sessions in which it was shown and the mistake was made anyway.
    pub ignored: i64,
    /// When it was last shown.
    pub last: i64,
}

const COLUMNS: &str = "id, slug, status, kind, priority, confidence, hash, data, created, updated";

from_row! { LessonRow: id, slug, status, kind, priority, confidence, hash, data, created, updated }

fn put(conn: &mut dyn Conn, row: &LessonRow) -> Result<()> {
    conn.execute(
        "INSERT INTO lessons (id, slug, status, kind, priority, confidence, hash, data, created, updated) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
         ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, status = excluded.status, kind = excluded.kind, \
         priority = excluded.priority, confidence = excluded.confidence, hash = excluded.hash, \
         data = excluded.data, updated = excluded.updated WHERE excluded.updated >= lessons.updated",
        values![
            &row.id,
            &row.slug,
            &row.status,
            &row.kind,
            row.priority,
            row.confidence,
            &row.hash,
            &row.data,
            row.created,
            row.updated,
        ],
    )?;
    Ok(())
}

impl Store {
    /// Stores lessons: all of them, or none. A lesson replaces the one with its id, unless that one is newer.
    pub fn put_lessons(&mut self, rows: &[LessonRow]) -> Result<()> {
        self.atomically(|conn| rows.iter().try_for_each(|row| put(conn, row)))
    }

    /// Every lesson, by priority, then by age.
    pub fn lessons(&mut self) -> Result<Vec<LessonRow>> {
        let sql = format!("SELECT {COLUMNS} FROM lessons ORDER BY priority DESC, created, id");
        self.conn.all(&sql, &[])
    }

    /// The lesson with this id or slug.
    pub fn lesson(&mut self, name: &str) -> Result<Option<LessonRow>> {
        let sql = format!("SELECT {COLUMNS} FROM lessons WHERE id = $1 OR slug = $1");
        self.conn.first(&sql, values![name])
    }

    /// Changes whenever a lesson changes.
    pub fn lessons_stamp(&mut self) -> Result<String> {
        let sql = "SELECT COUNT(*), COALESCE(MAX(updated), 0) FROM lessons";
        let (count, updated): (i64, i64) = self.conn.one(sql, &[])?;
        Ok(format!("{count}.{updated}"))
    }

    /// Counts positions where lessons were seen; a position counts once.
    pub fn see_lessons(&mut self, seen: &[Sighting]) -> Result<u64> {
        self.atomically(|conn| {
            let mut new = 0;
            for sighting in seen {
                new += conn.execute(
                    "INSERT INTO lesson_sightings (lesson, session, place, project, at) \
                     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (lesson, session, place) DO NOTHING",
                    values![
                        &sighting.lesson, &sighting.session, &sighting.place, &sighting.project, sighting.at
                    ],
                )?;
            }
            Ok(new)
        })
    }

    /// How often each lesson was seen.
    pub fn sightings(&mut self) -> Result<BTreeMap<String, Sightings>> {
        let sql = "SELECT lesson, COUNT(*), COUNT(DISTINCT session), COUNT(DISTINCT project) \
                   FROM lesson_sightings GROUP BY lesson";
        let rows: Vec<(String, i64, i64, i64)> = self.conn.all(sql, &[])?;
        Ok(rows
            .into_iter()
            .map(|(lesson, occurrences, sessions, projects)| {
                (lesson, Sightings { occurrences, sessions, projects })
            })
            .collect())
    }

    /// Where one lesson was seen, the latest first: session, project, when.
    pub fn sightings_of(&mut self, lesson: &str) -> Result<Vec<(String, String, i64)>> {
        let sql = "SELECT session, project, at FROM lesson_sightings WHERE lesson = $1 ORDER BY at DESC, session, place";
        self.conn.all(sql, values![lesson])
    }

    /// Adds what lessons did. The batch has an id, so one that is sent twice counts once.
    pub fn add_fires(&mut self, batch: &str, now: i64, fires: &[Fire]) -> Result<bool> {
        self.atomically(|conn| {
            let first = "INSERT INTO applied (id, at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
            if conn.execute(first, values![batch, now])? == 0 {
                return Ok(false);
            }
            for fire in fires {
                conn.execute(
                    "INSERT INTO lesson_fires (lesson, session, shown, denied, ignored, last) \
                     VALUES ($1, $2, $3, $4, $5, $6) \
                     ON CONFLICT (lesson, session) DO UPDATE SET shown = lesson_fires.shown + excluded.shown, \
                     denied = lesson_fires.denied + excluded.denied, \
                     ignored = lesson_fires.ignored + excluded.ignored, \
                     last = CASE WHEN excluded.last > lesson_fires.last THEN excluded.last ELSE lesson_fires.last END",
                    values![
                        &fire.lesson,
                        &fire.session,
                        fire.shown,
                        fire.denied,
                        fire.ignored,
                        fire.last
                    ],
                )?;
            }
            Ok(true)
        })
    }

    /// What each lesson did. A guard that denied twice in a session was ignored there.
    pub fn fires(&mut self) -> Result<BTreeMap<String, Fires>> {
        let sql = "SELECT lesson, shown, denied, ignored, last FROM lesson_fires";
        let rows: Vec<(String, i64, i64, i64, i64)> = self.conn.all(sql, &[])?;
        let mut fires: BTreeMap<String, Fires> = BTreeMap::new();
        for (lesson, shown, denied, ignored, last) in rows {
            let entry = fires.entry(lesson).or_default();
            entry.shown += shown;
            entry.denied += denied;
            if ignored > 0 || denied > 1 {
                entry.ignored += 1;
            } else if shown + denied > 0 {
                entry.helped += 1;
            }
            entry.last = entry.last.max(last);
        }
        Ok(fires)
    }

    /// True when the lesson was shown in the session.
    pub fn fired_in(&mut self, lesson: &str, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM lesson_fires WHERE lesson = $1 AND session = $2 AND shown + denied > 0";
        self.conn.exists(sql, values![lesson, session])
    }

    /// Records a change that somebody made.
    pub fn note_review(&mut self, now: i64, action: &str, lesson: &str, detail: &str) -> Result<()> {
        let sql = "INSERT INTO lesson_reviews (id, at, action, lesson, detail) VALUES ($1, $2, $3, $4, $5)";
        self.conn.execute(sql, values![&crate::new_id(), now, action, lesson, detail]).map(|_| ())
    }

    /// The changes to a lesson, oldest first: when, what, details.
    pub fn reviews(&mut self, lesson: &str) -> Result<Vec<(i64, String, String)>> {
        let sql = "SELECT at, action, detail FROM lesson_reviews WHERE lesson = $1 ORDER BY at, id";
        self.conn.all(sql, values![lesson])
    }
}
