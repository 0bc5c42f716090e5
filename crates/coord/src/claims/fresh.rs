//! Claims that this session took a short while ago: one small file each, so that the next edit asks no database.
//! A claim is believed for a quarter of its lease, which is well before it can run out in the store.
//!
//! The store knows sessions. Which subagent of a session works on a file is in the same small file: its subagents are all on this
//! machine, and a subagent that ends leaves its files to the session.

use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use sprag_runtime::session::Session;
use sprag_store::ClaimKey;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The session's folder of claims.
const FOLDER: &str = "claims";
/// How often a lock that another subagent has is tried again, and how long after.
const LOCK_TRIES: (u32, Duration) = (25, Duration::from_millis(2));

/// A subagent that works on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub id: String,
    /// Since when.
    pub since: Stamp,
    /// Without another edit it holds it until then.
    until: Stamp,
}

/// A claim of this session as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    until: Stamp,
    holder: Option<Holder>,
}

impl Kept {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.trim().splitn(4, ' ');
        let until = Stamp(words.next()?.parse().ok()?);
        let mut stamp = || words.next()?.parse().ok().map(Stamp);
        let holder = match (stamp(), stamp()) {
            (Some(since), Some(until)) => words.next().map(|id| Holder { id: id.to_owned(), since, until }),
            _ => None,
        };
        Some(Self { until, holder })
    }

    fn text(&self) -> String {
        match &self.holder {
            Some(holder) => format!("{} {} {} {}", self.until.0, holder.since.0, holder.until.0, holder.id),
            None => self.until.0.to_string(),
        }
    }

    /// The subagent that holds it now.
    fn holder_at(&self, now: Stamp) -> Option<&Holder> {
        self.holder.as_ref().filter(|holder| now < holder.until)
    }
}

/// Whose a file is within this session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// Nobody of this session claimed it lately: the store is asked.
    Unknown,
    /// It is this agent's own.
    Own,
    /// Another subagent of this session works on it. True: the session's claim is still believed.
    Other(Holder, bool),
}

fn file(session: &Session, key: &ClaimKey) -> PathBuf {
    let name = short_hash(format!("{}\0{}\0{}", key.repo, key.branch, key.path).as_bytes());
    session.file(FOLDER).join(name)
}

fn read(path: &Path) -> Option<Kept> {
    Kept::parse(&files::read_text(path, files::SMALL).ok()?)
}

/// Looks whose a file is. `me` is the subagent that asks; it becomes the holder of what the session has and no other subagent works on.
pub fn look(session: &Session, key: &ClaimKey, me: Option<&str>, now: Stamp, lease: i64) -> Within {
    let path = file(session, key);
    let _lock = me.and_then(|_| lock(session));
    let Some(kept) = read(&path) else { return Within::Unknown };
    let believed = now < kept.until;
    match (kept.holder_at(now), me) {
        (Some(holder), me) if me != Some(holder.id.as_str()) => Within::Other(holder.clone(), believed),
        _ if !believed => Within::Unknown,
        (_, None) => Within::Own,
        (_, Some(me)) => {
            write(&path, &Kept { holder: Some(held_by(me, kept.holder.as_ref(), now, lease)), ..kept });
            Within::Own
        }
    }
}

/// The subagent of a session of this home that works on a file.
pub fn holder(session: &Session, key: &ClaimKey, now: Stamp) -> Option<Holder> {
    read(&file(session, key))?.holder_at(now).cloned()
}

/// A subagent that goes on with a file keeps the time at which it began.
fn held_by(me: &str, before: Option<&Holder>, now: Stamp, lease: i64) -> Holder {
    let since = before.filter(|holder| holder.id == me).map_or(now, |holder| holder.since);
    Holder { id: me.to_owned(), since, until: Stamp(now.0 + lease.max(0) as u64) }
}

fn write(path: &Path, kept: &Kept) {
    // Where nothing can be written, the next edit asks again.
    let _ = files::write_atomic(path, kept.text().as_bytes());
}

/// Keeps two subagents from taking a file at the same moment. `None` when it takes too long: then both are told later.
fn lock(session: &Session) -> Option<File> {
    let file = files::open_lock(&session.file("claims.lock")).ok()?;
    for _ in 0..LOCK_TRIES.0 {
        if file.try_lock().is_ok() {
            return Some(file);
        }
        std::thread::sleep(LOCK_TRIES.1);
    }
    None
}

/// Remembers a claim of `lease` microseconds that was taken now, by a subagent or the session itself. A subagent that works on the file
/// stays its holder.
pub fn remember(session: &Session, key: &ClaimKey, me: Option<&str>, now: Stamp, lease: i64) {
    let path = file(session, key);
    let _lock = me.and_then(|_| lock(session));
    let before = read(&path).and_then(|kept| kept.holder_at(now).cloned());
    let holder = match (before, me) {
        (Some(other), me) if me != Some(other.id.as_str()) => Some(other),
        (before, Some(me)) => Some(held_by(me, before.as_ref(), now, lease)),
        (before, None) => before,
    };
    write(&path, &Kept { until: Stamp(now.0 + lease.max(0) as u64 / 4), holder });
}

/// A subagent ended: what it worked on is the session's, and another subagent may take it.
pub fn release(session: &Session, ended: &str) {
    for path in files::list(&session.file(FOLDER), "", "") {
        if let Some(kept) =
            read(&path).filter(|kept| kept.holder.as_ref().is_some_and(|holder| holder.id == ended))
        {
            write(&path, &Kept { holder: None, ..kept });
        }
    }
}

/// True when this session claimed anything.
pub fn any(session: &Session) -> bool {
    session.has(FOLDER)
}

/// Forgets everything: the next edit of each file claims it again.
pub fn forget(session: &Session) {
    let _ = std::fs::remove_dir_all(session.file(FOLDER));
}

/// Forgets one claim of a session of this home, by the session's id.
pub fn forget_one(session: &Session, key: &ClaimKey) {
    let _ = files::remove(file(session, key));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_claim_reads_as_it_was_written() {
        let holder = Holder { id: "a 17".into(), since: Stamp(5), until: Stamp(9) };
        for kept in [Kept { until: Stamp(7), holder: None }, Kept { until: Stamp(7), holder: Some(holder) }] {
            assert_eq!(Kept::parse(&kept.text()), Some(kept));
        }
        assert_eq!(Kept::parse("12"), Some(Kept { until: Stamp(12), holder: None }), "of an older version");
        assert_eq!(Kept::parse("x"), None);
    }
}
