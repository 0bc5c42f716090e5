//! Lessons: what was learned, where it was seen, how often it spoke, and who changed it.
//! Every write may be repeated: rows have keys of their own, and counts that are sent twice count once.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::value::{Row, at, values};
use std::collections::BTreeMap;

/// One lesson. What questions are asked about stands beside the whole as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonRow {
    /// Its id.
    pub id: String,
    /// Its name for people; unique.
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
    /// When it was made.
    pub created: i64,
    /// When it was changed.
    pub updated: i64,
}

/// One place in a transcript where a lesson was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// The lesson.
    pub lesson: String,
    /// The agent's own id of the session.
    pub session: String,
    /// What tells this place from others of the session.
    pub place: String,
    /// The project.
    pub project: String,
    /// When.
    pub at: i64,
}

/// How often a lesson was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// Places.
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
    /// The mistake was made all the same this often.
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
    /// Sessions in which it spoke and was heeded.
    pub helped: i64,
    /// Sessions in which it spoke and the mistake was made all the same.
    pub ignored: i64,
    /// When it last spoke.
    pub last: i64,
}

const COLUMNS: &str = "id, slug, status, kind, priority, confidence, hash, data, created, updated";

fn read(row: &Row) -> LessonRow {
    let text = |column: usize| at(row, column).text();
    let int = |column: usize| at(row, column).int();
    LessonRow {
        id: text(0),
        slug: text(1),
        status: text(2),
        kind: text(3),
        priority: int(4),
        confidence: int(5),
        hash: text(6),
        data: text(7),
        created: int(8),
        updated: int(9),
    }
}

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
    /// Keeps lessons: all of them, or none. One whose id is there takes its place, unless that one is newer.
    pub fn put_lessons(&mut self, rows: &[LessonRow]) -> Result<()> {
        self.atomically(|conn| rows.iter().try_for_each(|row| put(conn, row)))
    }

    /// Every lesson, by priority, then by age.
    pub fn lessons(&mut self) -> Result<Vec<LessonRow>> {
        let sql = format!("SELECT {COLUMNS} FROM lessons ORDER BY priority DESC, created, id");
        Ok(self.conn.query(&sql, &[])?.iter().map(read).collect())
    }

    /// The lesson with this id or slug.
    pub fn lesson(&mut self, name: &str) -> Result<Option<LessonRow>> {
        let sql = format!("SELECT {COLUMNS} FROM lessons WHERE id = $1 OR slug = $1");
        Ok(self.conn.query(&sql, values![name])?.first().map(read))
    }

    /// What tells one state of all lessons from another.
    pub fn lessons_stamp(&mut self) -> Result<String> {
        let rows = self.conn.query("SELECT COUNT(*), COALESCE(MAX(updated), 0) FROM lessons", &[])?;
        let first = rows.first().cloned().unwrap_or_default();
        Ok(format!("{}.{}", at(&first, 0).int(), at(&first, 1).int()))
    }

    /// Counts places where lessons were seen; a place counts once.
    pub fn see_lessons(&mut self, seen: &[Sighting]) -> Result<u64> {
        self.atomically(|conn| {
            let mut new = 0;
            for sighting in seen {
                new += conn.execute(
                    "INSERT INTO lesson_sightings (lesson, session, place, project, at) \
                     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (lesson, session, place) DO NOTHING",
                    values![
                        &sighting.lesson,
                        &sighting.session,
                        &sighting.place,
                        &sighting.project,
                        sighting.at
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
        let rows = self.conn.query(sql, &[])?;
        let read = |row: &Row| Sightings {
            occurrences: at(row, 1).int(),
            sessions: at(row, 2).int(),
            projects: at(row, 3).int(),
        };
        Ok(rows.iter().map(|row| (at(row, 0).text(), read(row))).collect())
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

    /// What each lesson did. A guard that a session ran into twice was not heeded there.
    pub fn fires(&mut self) -> Result<BTreeMap<String, Fires>> {
        let sql = "SELECT lesson, shown, denied, ignored, last FROM lesson_fires";
        let mut found: BTreeMap<String, Fires> = BTreeMap::new();
        for row in self.conn.query(sql, &[])? {
            let (shown, denied) = (at(&row, 1).int(), at(&row, 2).int());
            let entry = found.entry(at(&row, 0).text()).or_default();
            entry.shown += shown;
            entry.denied += denied;
            if at(&row, 3).int() > 0 || denied > 1 {
                entry.ignored += 1;
            } else if shown + denied > 0 {
                entry.helped += 1;
            }
            entry.last = entry.last.max(at(&row, 4).int());
        }
        Ok(found)
    }

    /// True when the lesson spoke in the session.
    pub fn fired_in(&mut self, lesson: &str, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM lesson_fires WHERE lesson = $1 AND session = $2 AND shown + denied > 0";
        Ok(!self.conn.query(sql, values![lesson, session])?.is_empty())
    }

    /// Remembers a change that somebody made.
    pub fn note_review(&mut self, now: i64, action: &str, lesson: &str, detail: &str) -> Result<()> {
        let sql = "INSERT INTO lesson_reviews (id, at, action, lesson, detail) VALUES ($1, $2, $3, $4, $5)";
        self.conn.execute(sql, values![&crate::new_id(), now, action, lesson, detail]).map(|_| ())
    }

    /// The changes to a lesson, oldest first: when, what, details.
    pub fn reviews(&mut self, lesson: &str) -> Result<Vec<(i64, String, String)>> {
        let sql = "SELECT at, action, detail FROM lesson_reviews WHERE lesson = $1 ORDER BY at, id";
        let rows = self.conn.query(sql, values![lesson])?;
        Ok(rows.iter().map(|row| (at(row, 0).int(), at(row, 1).text(), at(row, 2).text())).collect())
    }
}
