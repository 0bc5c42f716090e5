//! Lessons that nobody has looked at yet: a small file that whoever changes lessons writes, and the time of the last look.
//! A status line asks several times a minute: it reads these two files and opens no store.

use crate::library::folder;
use crate::model::{Lesson, Status};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use std::io;
use std::path::PathBuf;

/// The most that is kept: a person who has more to look at needs no exact number.
const MAX_TIMES: usize = 1_000;

fn file(paths: &Paths) -> PathBuf {
    folder(paths).join("news")
}

fn look(paths: &Paths) -> PathBuf {
    folder(paths).join("looked")
}

/// Writes down when each lesson that counts or waits last changed, the latest first.
pub(super) fn write(paths: &Paths, lessons: &[Lesson]) -> io::Result<()> {
    let counts = |lesson: &&Lesson| !matches!(lesson.status, Status::Disabled | Status::Archived);
    let mut times: Vec<i64> = lessons.iter().filter(counts).map(|lesson| lesson.updated).collect();
    times.sort_unstable_by_key(|time| std::cmp::Reverse(*time));
    times.truncate(MAX_TIMES);
    let text: String = times.iter().map(|time| format!("{time}\n")).collect();
    files::write_atomic(&file(paths), text.as_bytes())?;
    write_waiting(paths, lessons)
}

/// A candidate that was seen so often is named, with its sightings.
pub const OFTEN: i64 = 3;

/// Candidates that wait for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub count: usize,
    /// The one that was seen most, when that is often: how often, and its summary.
    pub often: Option<(i64, String)>,
}

impl Waiting {
    /// What of these lessons waits.
    pub fn of(lessons: &[Lesson]) -> Self {
        let waiting = || lessons.iter().filter(|lesson| lesson.status == Status::Candidate);
        let most = waiting().max_by_key(|lesson| lesson.occurrence_count);
        let often = most.filter(|one| one.occurrence_count >= OFTEN).map(|one| {
            let summary = one.summary.replace(['\n', '\t'], " ").chars().take(80).collect();
            (one.occurrence_count, summary)
        });
        Self { count: waiting().count(), often }
    }

    /// In words: `2 lessons to review, one of them seen 3 times: npm install: …`; `None` when nothing waits.
    pub fn sentence(&self) -> Option<String> {
        let count = match self.count {
            0 => return None,
            1 => "1 lesson to review".to_owned(),
            many => format!("{many} lessons to review"),
        };
        Some(match &self.often {
            Some((times, summary)) if self.count == 1 => format!("{count}, seen {times} times: {summary}"),
            Some((times, summary)) => format!("{count}, one of them seen {times} times: {summary}"),
            None => count,
        })
    }
}

fn waiting_file(paths: &Paths) -> PathBuf {
    folder(paths).join("waiting")
}

fn write_waiting(paths: &Paths, lessons: &[Lesson]) -> io::Result<()> {
    let waiting = Waiting::of(lessons);
    let often = waiting.often.map_or(String::new(), |(times, summary)| format!("{times}\t{summary}"));
    files::write_atomic(&waiting_file(paths), format!("{}\n{often}\n", waiting.count).as_bytes())
}

/// What waits for a person, from one small file.
pub fn waiting(paths: &Paths) -> Waiting {
    let text = files::read_text(waiting_file(paths), files::SMALL).unwrap_or_default();
    let mut lines = text.lines();
    let count = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let often = lines.next().and_then(|line| line.split_once('\t'));
    let often = often.and_then(|(times, summary)| Some((times.parse().ok()?, summary.to_owned())));
    Waiting { count, often }
}

/// How many lessons were made, found or changed since a person last looked.
pub fn unread(paths: &Paths) -> usize {
    let read = |path: PathBuf| {
        let bytes = files::read_limited(&path, 64 << 10).ok().flatten().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    };
    let news = read(file(paths));
    if news.is_empty() {
        return 0;
    }
    let looked: i64 = read(look(paths)).trim().parse().unwrap_or(0);
    news.lines().filter(|line| line.parse::<i64>().is_ok_and(|time| time > looked)).count()
}

/// A person has looked.
pub fn looked(paths: &Paths, now: Stamp) -> io::Result<()> {
    files::write_atomic(&look(paths), now.0.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_config::host::Host;

    #[test]
    fn what_waits_is_told_and_what_was_seen_often_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        assert_eq!(waiting(&host.paths).sentence(), None);
        let lesson = |status, seen, summary: &str| Lesson {
            status,
            occurrence_count: seen,
            summary: summary.to_owned(),
            ..Lesson::new()
        };
        write(&host.paths, &[lesson(Status::Active, 9, "a"), lesson(Status::Candidate, 1, "b")]).unwrap();
        assert_eq!(waiting(&host.paths).sentence().as_deref(), Some("1 lesson to review"));
        write(&host.paths, &[lesson(Status::Candidate, 1, "b"), lesson(Status::Candidate, 3, "npm\tx")])
            .unwrap();
        let said = "2 lessons to review, one of them seen 3 times: npm x";
        assert_eq!(waiting(&host.paths).sentence().as_deref(), Some(said));
    }
}
