//! Keeps the state folder within its budget (`[disk]`). What is made again by itself goes first; what somebody said or decided never does.

use crate::journal;
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::cache;
use sprag_config::host::Host;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);
/// The folder is measured so often.
const MEASURED_EVERY: Duration = Duration::from_secs(3_600);
/// Compiled configurations, and what is remembered about exports: after it, they are made again.
const UNUSED: Duration = Duration::from_secs(30 * 86_400);
/// An index that nothing was written to: its project did not change, or is gone.
const UNUSED_INDEX: Duration = Duration::from_secs(90 * 86_400);

/// What was removed, and what is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Files and folders that were removed.
    pub removed: usize,
    /// Bytes of the state folder now.
    pub bytes: u64,
    /// Bytes that it may have.
    pub budget: u64,
}

/// Something that may be removed.
struct Part {
    path: PathBuf,
    bytes: u64,
    written: Stamp,
}

/// Looks whether the folder is within its budget, when nobody did in the last hour.
pub fn look(host: &Host) -> io::Result<()> {
    let mark = host.paths.state.join(".measured");
    let looked = mark.metadata().and_then(|meta| meta.modified()).map(Stamp::from);
    let now = host.clock.now();
    // A time in the future is of a clock that was set back.
    if looked.is_ok_and(|at| at > now.before(MEASURED_EVERY) && at <= now.after(MEASURED_EVERY)) {
        return Ok(());
    }
    keep_within(host)?;
    files::write_atomic(&mark, b"")
}

/// Bytes that the folder may have.
pub fn budget(host: &Host) -> u64 {
    cache::sections(host).disk().budget_mb << 20
}

/// Removes what is too old, then what is too much.
pub fn keep_within(host: &Host) -> io::Result<Kept> {
    let now = host.clock.now();
    let state = &host.paths.state;
    let mut kept = Kept { budget: budget(host), ..Kept::default() };
    let old = |folder: &str, age: Duration| {
        let before = now.before(age);
        parts(&state.join(folder)).into_iter().filter(move |part| part.written < before)
    };
    let plans = old("cache", UNUSED).filter(|part| part.path.extension().is_some_and(|end| end == "plan"));
    let unused =
        plans.chain(old("exports", UNUSED)).chain(old("judged", UNUSED)).chain(old("code", UNUSED_INDEX));
    for part in unused {
        kept.removed += usize::from(remove(&part.path).is_ok());
    }
    kept.bytes = size(state);
    if kept.bytes <= kept.budget {
        return Ok(kept);
    }
    // Some room, so that the next hour does not begin with it again.
    let enough = kept.budget / 10 * 9;
    let yesterday = now.before(DAY);
    for group in groups(host) {
        let mut group: Vec<Part> = group.into_iter().filter(|part| part.written < yesterday).collect();
        group.sort_by_key(|part| part.written);
        for part in group {
            if kept.bytes <= enough {
                return Ok(kept);
            }
            let is_journal = part.path.parent() == Some(state);
            let done = if is_journal {
                journal::remove_rotated(&host.paths, &part.path)
            } else {
                remove(&part.path)
            };
            if done.is_ok() {
                kept.bytes = kept.bytes.saturating_sub(part.bytes);
                kept.removed += 1;
            }
        }
    }
    Ok(kept)
}

/// What may be removed, in the order in which it is.
fn groups(host: &Host) -> [Vec<Part>; 4] {
    let state = &host.paths.state;
    let mut again = parts(&state.join("code"));
    again.extend(parts(&state.join("verify")));
    again.extend(parts(&state.join("cache")));
    let journals = files::list(state, "journal-", ".jsonl");
    let journals = journals.into_iter().filter_map(part).collect();
    let sessions = parts(&host.paths.sessions()).into_iter().filter(|part| part.path.is_dir()).collect();
    [again, parts(&state.join("dispatch")), journals, sessions]
}

/// The entries of a folder.
fn parts(folder: &Path) -> Vec<Part> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| part(entry.path())).collect()
}

fn part(path: PathBuf) -> Option<Part> {
    let meta = path.symlink_metadata().ok()?;
    let mut part = Part { bytes: meta.len(), written: Stamp::from(meta.modified().ok()?), path };
    if meta.is_dir() {
        each_below(&part.path.clone(), &mut |meta| {
            part.bytes += meta.len();
            part.written = part.written.max(meta.modified().map_or(part.written, Stamp::from));
        });
    }
    Some(part)
}

/// Bytes of all files below a folder; links are not followed.
pub fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    each_below(folder, &mut |meta| bytes += meta.len());
    bytes
}

fn each_below(folder: &Path, each: &mut dyn FnMut(&std::fs::Metadata)) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                open.push(entry.path());
            } else {
                each(&meta);
            }
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { std::fs::remove_dir_all(path) } else { files::remove(path) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests set up files")]

    use super::*;
    use crate::journal::Entry;
    use sprag_base::time::Clock;

    const NOW: &str = "2026-11-18T12:00:00Z";

    struct Home {
        dir: tempfile::TempDir,
        host: Host,
    }

    impl Home {
        fn new(budget_mb: u64) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let mut host = Host::in_home(dir.path(), &[("SPRAG_DISK_BUDGET_MB", &budget_mb.to_string())]);
            host.clock = Clock::Fixed(Stamp::parse(NOW).unwrap());
            std::fs::create_dir_all(&host.paths.state).unwrap();
            Self { dir, host }
        }

        /// A file of so many megabytes, written so many days ago.
        fn put(&self, name: &str, mb: usize, days: u64) {
            let path = self.host.paths.state.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, vec![b'x'; mb << 20]).unwrap();
            self.date(&path, days);
            let parent = path.parent().unwrap().to_path_buf();
            if parent != self.host.paths.state {
                self.date(&parent, days);
            }
        }

        fn date(&self, path: &Path, days: u64) {
            let at = self.host.clock.now().before(DAY * u32::try_from(days).unwrap());
            let at = std::time::UNIX_EPOCH + Duration::from_micros(at.0);
            std::fs::File::open(path).unwrap().set_modified(at).unwrap();
        }

        fn has(&self, name: &str) -> bool {
            self.host.paths.state.join(name).exists()
        }
    }

    #[test]
    fn within_the_budget_nothing_of_use_goes() {
        let home = Home::new(64);
        for name in [
            "code/aa/base",
            "cache/aa.plan",
            "journal-00000000000000000001.jsonl",
            "sessions/a/heard",
            "sprag.db",
        ] {
            home.put(name, 1, 20);
        }
        let kept = keep_within(&home.host).unwrap();
        assert_eq!((kept.removed, kept.budget), (0, 64 << 20));
    }

    #[test]
    fn what_is_made_again_goes_first_and_the_oldest_of_it() {
        let home = Home::new(16);
        home.put("code/old/base", 4, 9);
        home.put("code/young/base", 4, 3);
        home.put("dispatch/1.log", 4, 30);
        home.put("journal-00000000000000000001.jsonl", 4, 30);
        home.put("sessions/a/heard", 1, 6);
        assert_eq!(keep_within(&home.host).unwrap().removed, 1);
        assert!(!home.has("code/old") && home.has("code/young") && home.has("dispatch/1.log"));
        home.put("sprag.db", 4, 0);
        keep_within(&home.host).unwrap();
        assert!(!home.has("code/young") && home.has("dispatch/1.log"));
        home.put("sprag.db", 12, 0);
        keep_within(&home.host).unwrap();
        assert!(!home.has("dispatch/1.log") && !home.has("journal-00000000000000000001.jsonl"));
        assert!(home.has("sessions/a/heard"), "it is enough");
    }

    #[test]
    fn nothing_of_the_last_day_and_nothing_that_somebody_said_goes() {
        let home = Home::new(16);
        let kept = [
            "sprag.db", "memory/vectors.bin", "lessons/index", "queue/waiting/a.json", "spool/a",
            "trust.json", "journal.jsonl",
        ];
        for name in kept {
            home.put(name, 4, 200);
        }
        for name in
            ["code/aa/base", "sessions/a/heard", "cache/aa.plan", "journal-00000000000000000002.jsonl"]
        {
            home.put(name, 4, 0);
        }
        let done = keep_within(&home.host).unwrap();
        assert!(done.bytes > done.budget && done.removed == 0, "{done:?}");
        assert!(kept.iter().all(|name| home.has(name)));
    }

    #[test]
    fn what_nobody_used_for_months_goes_whatever_the_budget() {
        let home = Home::new(2_048);
        for (name, days) in [
            ("code/gone/base", 91),
            ("code/here/base", 80),
            ("cache/old.plan", 31),
            ("cache/new.plan", 29),
            ("cache/store.hint", 99),
            ("exports/old.json", 31),
            ("judged/new.json", 3),
        ] {
            home.put(name, 0, days);
        }
        keep_within(&home.host).unwrap();
        assert!(!home.has("code/gone") && home.has("code/here/base"));
        assert!(!home.has("cache/old.plan") && home.has("cache/new.plan") && home.has("cache/store.hint"));
        assert!(!home.has("exports/old.json") && home.has("judged/new.json"));
    }

    #[test]
    fn a_removed_journal_is_no_damage_to_its_seals() {
        let home = Home::new(16);
        let paths = &home.host.paths;
        for number in 0..3 {
            // A file is known to its seals by its first line.
            let entry = Entry { agent: format!("claude {number}"), ..Entry::default() };
            journal::write(paths, &entry, 1, 9).unwrap();
        }
        crate::seal::run(paths, 9, None, home.host.clock.now()).unwrap();
        let rotated = files::list(&paths.state, "journal-", ".jsonl");
        assert!(rotated.len() >= 2, "{rotated:?}");
        for file in &rotated {
            home.date(file, 5);
        }
        home.put("sprag.db", 20, 0);
        keep_within(&home.host).unwrap();
        assert!(files::list(&paths.state, "journal-", ".jsonl").is_empty());
        let found = crate::seal::verify(paths, None).unwrap();
        assert!(found.faults.is_empty() && found.rotated as usize == rotated.len(), "{found:?}");
    }

    #[test]
    fn a_journal_that_was_changed_is_not_removed_for_its_room() {
        let home = Home::new(16);
        let paths = &home.host.paths;
        let entry = Entry { agent: "claude".to_owned(), ..Entry::default() };
        journal::write(paths, &entry, 1, 9).unwrap();
        crate::seal::run(paths, 9, None, home.host.clock.now()).unwrap();
        let rotated = files::list(&paths.state, "journal-", ".jsonl").remove(0);
        let bytes = std::fs::read(&rotated).unwrap();
        std::fs::write(&rotated, [&bytes[..bytes.len() - 2], b" \n"].concat()).unwrap();
        home.put("sprag.db", 20, 0);
        home.date(&rotated, 5);
        // The first line is the file's name in the seals: with another one it is another file, and the sealed one is missing.
        keep_within(&home.host).unwrap();
        assert!(!crate::seal::verify(paths, None).unwrap().faults.is_empty());
    }

    #[test]
    fn it_is_measured_once_an_hour() {
        let home = Home::new(16);
        home.put("code/aa/base", 20, 5);
        look(&home.host).unwrap();
        assert!(!home.has("code/aa"));
        let mark = home.host.paths.state.join(".measured");
        home.date(&mark, 0);
        home.put("code/bb/base", 20, 5);
        look(&home.host).unwrap();
        assert!(home.has("code/bb"), "not yet");
        home.date(&mark, 1);
        look(&home.host).unwrap();
        assert!(!home.has("code/bb") && home.dir.path().exists());
    }
}
