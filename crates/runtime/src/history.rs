//! A session's append-only record of one hook: lines are added whole, never changed, and read together.
//! Parallel processes never lose each other's lines; a record that grows is put aside and still read.

use crate::hook::Cx;
use std::io;

/// The files of a record. A hook has one as a constant; session-cleanup removes all of them.
pub struct Record {
    /// Where lines are added.
    pub name: &'static str,
    /// The part that was put aside when it grew.
    pub old: &'static str,
    /// Held while it is put aside.
    pub lock: &'static str,
    /// The bytes at which it is put aside. Up to twice as much is read on every call.
    pub most: usize,
}

/// The session's record of subagents.
pub const SUBAGENTS: Record =
    Record { name: "subagents", old: "subagents.1", lock: "subagents.lock", most: 32 * 1024 };
/// The session's record of calls.
pub const TOOL_CALLS: Record =
    Record { name: "tool-calls", old: "tool-calls.1", lock: "tool-calls.lock", most: 16 * 1024 };
/// The session's record of edits.
pub const EDITS: Record = Record { name: "edits", old: "edits.1", lock: "edits.lock", most: 8 * 1024 };
/// A line in the record of edits: a check complained about what was edited, and the next edit may be the answer.
pub const COMPLAINT: &str = "c";
/// The session's record of polls.
pub const POLLS: Record = Record { name: "polls", old: "polls.1", lock: "polls.lock", most: 8 * 1024 };
/// The session's edits (`e`), reminders (`r`) and simplifications (`s`), with their seconds.
pub const SIMPLIFY: Record =
    Record { name: "simplify", old: "simplify.1", lock: "simplify.lock", most: 8 * 1024 };

/// All of them: what the end of a session removes.
pub const ALL: [&Record; 5] = [&SUBAGENTS, &TOOL_CALLS, &EDITS, &POLLS, &SIMPLIFY];

impl Record {
    /// Adds lines in one piece.
    pub fn add(&self, cx: &Cx<'_>, lines: &str) -> io::Result<()> {
        cx.session.append(self.name, lines)
    }

    /// True when the session has written anything; what has no past needs no new beginning.
    pub fn exists(&self, cx: &Cx<'_>) -> bool {
        cx.session.has(self.name)
    }

    /// Everything, oldest first.
    pub fn read(&self, cx: &Cx<'_>) -> io::Result<String> {
        let recent = self.recent(cx)?;
        Ok(self.older(cx, &recent) + &recent)
    }

    /// The last lines. When they are many, they are put aside: a process that has the file open goes on
    /// writing to it where it was put, and it is still read, so no line is lost.
    pub fn recent(&self, cx: &Cx<'_>) -> io::Result<String> {
        let recent = cx.session.read(self.name);
        if recent.len() > self.most {
            let lock = sprag_base::files::open_lock(&cx.session.file(self.lock))?;
            let large =
                || cx.session.file(self.name).metadata().is_ok_and(|meta| meta.len() > self.most as u64);
            if lock.try_lock().is_ok() && large() {
                sprag_base::files::rename(cx.session.file(self.name), cx.session.file(self.old))?;
            }
        }
        Ok(recent)
    }

    /// The lines before the last ones, for whoever needs more.
    pub fn older(&self, cx: &Cx<'_>, recent: &str) -> String {
        if recent.len() > self.most {
            return String::new();
        }
        let old = cx.session.read(self.old);
        // Put aside since the last lines were read: they are the same lines, and they count once.
        let same = !recent.is_empty() && old.starts_with(recent);
        if same { String::new() } else { old }
    }

    /// Forgets everything.
    pub fn forget(&self, cx: &Cx<'_>) -> io::Result<()> {
        self.files().into_iter().try_for_each(|name| cx.session.remove(name))
    }

    /// Its files, for whoever cleans up.
    pub const fn files(&self) -> [&'static str; 3] {
        [self.name, self.old, self.lock]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use sprag_config::host::Host;
    use sprag_config::settings::Settings;
    use sprag_project::Project;
    use std::fmt::Write as _;

    const MAX_RECORD: usize = 8 * 1024;
    const RECORD: Record = Record { name: "r", old: "r.1", lock: "r.lock", most: MAX_RECORD };

    fn with(test: impl FnOnce(&Cx<'_>)) {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let session = Session::new(&host.paths, "s1");
        let (project, settings) = (Project::default(), Settings::empty());
        test(&Cx {
            name: "test",
            host: &host,
            session: &session,
            project: &project,
            settings: &settings,
            preset: sprag_config::spec::Preset::default(),
            time: std::time::Duration::MAX,
            recheck: false,
            shell: &sprag_shell::AnalysisMemo::default(),
        });
    }

    /// Before, the part that was put aside was read together with itself: every line counted twice.
    #[test]
    fn a_large_record_is_put_aside_and_no_line_is_read_twice() {
        with(|cx| {
            let mut all = String::new();
            for number in 0..4_000 {
                let line = format!("line {number}");
                writeln!(all, "{line}").unwrap();
                RECORD.add(cx, &line).unwrap();
                if number % 50 == 0 {
                    let text = RECORD.read(cx).unwrap();
                    assert!(all.ends_with(&text), "the last lines, each once, after {number}");
                    assert!(text.len() >= all.len().min(MAX_RECORD), "{} of {}", text.len(), all.len());
                    assert!(text.len() <= 3 * MAX_RECORD, "not all of it");
                }
            }
            assert!(cx.session.has("r.1"));
            let recent = RECORD.recent(cx).unwrap();
            std::fs::rename(cx.session.file("r"), cx.session.file("r.1")).unwrap();
            assert_eq!(RECORD.older(cx, &recent), "", "put aside in between");
            RECORD.forget(cx).unwrap();
            assert!(!RECORD.exists(cx) && RECORD.read(cx).unwrap().is_empty());
        });
    }

    /// Fault of the references: reading, changing and writing one file loses what others wrote meanwhile.
    #[test]
    fn fifty_writers_at_once_lose_nothing() {
        with(|cx| {
            let file = cx.session.file("r");
            std::thread::scope(|scope| {
                for number in 0..50 {
                    let file = &file;
                    scope.spawn(move || {
                        let line = format!("line {number}\n");
                        sprag_base::files::append(file, line.as_bytes()).unwrap();
                    });
                }
            });
            let text = RECORD.read(cx).unwrap();
            assert!((0..50).all(|number| text.lines().any(|line| line == format!("line {number}"))));
        });
    }
}
