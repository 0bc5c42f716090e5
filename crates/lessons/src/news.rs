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
    files::write_atomic(&file(paths), text.as_bytes())
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
