//! `handoff.md`: what is open in a project, who left it, and whether it still holds.
//! A model's or a person's words are never replaced by what was merely taken from a transcript.

use super::{KnowledgeError, ProjectMemory, Result, front, outcome, text};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_transcript::{Cursor, Reader, Role};
use std::path::{Path, PathBuf};

/// A handoff with more bytes is cut when it is read.
const MAX_FILE: u64 = 256 << 10;
/// How many records after a handoff are looked at, to see whether the session went on.
const MAX_AFTER: usize = 2_000;
const EXTRACT: &str = "<!-- sprag: taken from the transcript of a later session -->";
const EXTRACT_END: &str = "<!-- sprag: end -->";

/// How a handoff came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A model's judgement of the session.
    Model,
    /// A document that the agent wrote for this.
    Document,
    /// Taken from the transcript without a model.
    Extract,
    /// Nobody knows: written by a person, or by an older program.
    Legacy,
}

impl Origin {
    const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Document => "document",
            Self::Extract => "extract",
            Self::Legacy => "",
        }
    }
}

/// Where a handoff comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The agent's name.
    pub agent: String,
    /// The session.
    pub session_id: String,
    /// Its transcript.
    pub transcript: PathBuf,
    /// How far the transcript was read.
    pub bytes: u64,
    /// Messages up to there.
    pub messages: usize,
    /// When it is written.
    pub now: Stamp,
}

/// What is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// How it came about.
    pub origin: Origin,
    /// The session that left it; empty when unknown.
    pub session_id: String,
    /// When.
    pub written: Option<Stamp>,
    /// How far that session's transcript was read for it.
    pub bytes: Option<u64>,
    /// The transcript, on the machine where it was written.
    pub transcript: Option<PathBuf>,
    /// The text without the front matter.
    pub body: String,
}

/// Whether a handoff still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing happened since.
    Fresh,
    /// Its own session went on; this is how.
    WentOn(String),
    /// Another session worked here since; this is which.
    OtherSession(String),
    /// Nobody knows when and by whom it was written.
    Unknown,
}

/// A session that worked on the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    /// Its id.
    pub session: String,
    /// When it last did something.
    pub at: Stamp,
}

impl Handoff {
    /// The project's handoff, when there is one with something in it.
    pub fn read(memory: &ProjectMemory) -> Option<Self> {
        let bytes = files::read_limited(&memory.handoff(), MAX_FILE).ok().flatten()?;
        let whole = String::from_utf8_lossy(&bytes);
        Self::parse(&whole)
    }

    fn parse(whole: &str) -> Option<Self> {
        let (pairs, body) = front::read(whole).unwrap_or((Vec::new(), whole));
        if body.trim().is_empty() {
            return None;
        }
        let get = |key: &str| front::get(&pairs, key).filter(|value| !value.is_empty());
        let session_id = get("session_id").unwrap_or_default().to_owned();
        let origin = match get("kind") {
            Some("model") => Origin::Model,
            Some("document") => Origin::Document,
            Some("extract") => Origin::Extract,
            // The reference's have no such word but say the session.
            _ if !session_id.is_empty() => Origin::Model,
            _ => Origin::Legacy,
        };
        Some(Self {
            origin,
            session_id,
            written: get("written_at").and_then(time_of),
            bytes: get("source_bytes").and_then(|bytes| bytes.parse().ok()),
            transcript: get("transcript").map(PathBuf::from),
            body: body.trim().to_owned(),
        })
    }

    /// Whether it still holds. `later` is the newest session of the project but the one that asks.
    /// File times play no part: they change when a folder is synced, and a copy of them says nothing.
    pub fn freshness(&self, later: Option<&Later>) -> Freshness {
        if self.origin == Origin::Legacy {
            return Freshness::Unknown;
        }
        if let Some(later) = later
            && later.session != self.session_id
            && self.written.is_none_or(|written| later.at > written)
        {
            return Freshness::OtherSession(later.session.clone());
        }
        match (&self.transcript, self.bytes) {
            (Some(transcript), Some(bytes)) => match after(transcript, bytes) {
                0 => Freshness::Fresh,
                count => Freshness::WentOn(format!("{count} more requests of the user")),
            },
            _ => Freshness::Fresh,
        }
    }

    /// The body without what a later session's transcript added.
    fn own_body(&self) -> &str {
        self.body.split(EXTRACT).next().unwrap_or(&self.body).trim()
    }
}

/// Requests of the user in a transcript beyond a position.
fn after(transcript: &Path, bytes: u64) -> usize {
    let Ok(reader) = Reader::open(transcript, Cursor::at(bytes)) else { return 0 };
    if reader.cursor().offset < bytes {
        // It is another file by now.
        return 0;
    }
    reader.take(MAX_AFTER).filter(|record| record.is_said() && record.role == Role::User).count()
}

/// `2026-11-15T09:02:03Z`, or the local time with an offset that the reference wrote.
fn time_of(text: &str) -> Option<Stamp> {
    if let Some(stamp) = Stamp::parse(text) {
        return Some(stamp);
    }
    let at = text.rfind(['+', '-']).filter(|at| *at > 10)?;
    let (clock, offset) = (text.get(..at)?, text.get(at..)?);
    let minutes = |text: &str| -> Option<i64> {
        let (hours, minutes) = text.split_once(':').unwrap_or_else(|| text.split_at(text.len().min(2)));
        Some(hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().unwrap_or(0))
    };
    let shift = minutes(offset.get(1..)?)? * if offset.starts_with('-') { -60_000_000 } else { 60_000_000 };
    let local = Stamp::parse(&format!("{clock}Z"))?;
    u64::try_from(local.0 as i64 - shift).ok().map(Stamp)
}

fn head(source: &Source, origin: Origin) -> String {
    let modified = source.transcript.metadata().and_then(|meta| meta.modified()).map(Stamp::from);
    front::write(&[
        ("session_id", front::scalar(&source.session_id)),
        ("written_at", source.now.to_string()),
        ("source_mtime", modified.map_or(0, Stamp::seconds).to_string()),
        ("source_bytes", source.bytes.to_string()),
        ("messages", source.messages.to_string()),
        ("agent", front::scalar(&source.agent)),
        ("kind", origin.name().to_owned()),
        ("transcript", front::scalar(&source.transcript.display().to_string())),
    ])
}

fn save(memory: &ProjectMemory, text: &str) -> Result<()> {
    files::write_durable(&memory.handoff(), text.as_bytes()).map_err(KnowledgeError::at(&memory.handoff()))
}

/// Puts a text that nobody signed aside: it may be a person's.
fn keep_unsigned(memory: &ProjectMemory) -> Result<()> {
    if Handoff::read(memory).is_some_and(|old| old.origin == Origin::Legacy) {
        let aside = memory.dir.join("handoff-previous.md");
        files::rename(memory.handoff(), &aside).map_err(KnowledgeError::at(&aside))?;
    }
    Ok(())
}

/// Writes what a model found open. Nothing open removes the handoff.
pub fn write_items(memory: &ProjectMemory, source: &Source, items: &[String]) -> Result<()> {
    keep_unsigned(memory)?;
    outcome::infer(memory, &source.session_id, items, source.now)?;
    if items.is_empty() {
        return match files::remove(memory.handoff()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(KnowledgeError::at(&memory.handoff())(error))
            }
            _ => Ok(()),
        };
    }
    let mut out = head(source, Origin::Model);
    out.push_str("# Handoff: what is open\n\n");
    for item in items {
        out.push_str(&format!("- {}\n", text::one_line(item)));
    }
    save(memory, &out)
}

/// Writes a document that the agent made for this.
pub fn write_document(memory: &ProjectMemory, source: &Source, body: &str) -> Result<()> {
    keep_unsigned(memory)?;
    save(memory, &format!("{}{}\n", head(source, Origin::Document), body.trim()))
}

/// Writes what was taken from a transcript. A richer handoff stays; then this stands below it.
/// Returns false when there is nothing newer to say.
pub fn write_extract(memory: &ProjectMemory, source: &Source, body: &str) -> Result<bool> {
    let old = Handoff::read(memory);
    let said = old.as_ref().is_some_and(|old| {
        old.session_id == source.session_id && old.bytes.is_some_and(|bytes| bytes >= source.bytes)
    });
    if said {
        return Ok(false);
    }
    match old {
        Some(rich) if rich.origin != Origin::Extract => {
            let whole = files::read_text(memory.handoff(), files::STATE)
                .map_err(KnowledgeError::at(&memory.handoff()))?;
            // Its own head stays: it says how far the rich part goes.
            let kept = match front::read(&whole) {
                Some((_, rest)) => whole.strip_suffix(rest).unwrap_or_default().to_owned(),
                None => String::new(),
            };
            let short = text::start(&source.session_id, 8);
            let mark = format!(
                "{EXTRACT}\n## From session {short}, {}\n\n{}\n{EXTRACT_END}\n",
                source.now,
                body.trim()
            );
            save(memory, &format!("{kept}{}\n\n{mark}", rich.own_body()))?;
        }
        _ => save(memory, &format!("{}{}\n", head(source, Origin::Extract), body.trim()))?,
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write as _;

    fn memory(dir: &Path) -> ProjectMemory {
        ProjectMemory { dir: dir.join("memory/h/o/r"), key: "h/o/r".into(), project: "r".into() }
    }

    fn line(text: &str) -> String {
        format!("{}\n", json!({"type": "user", "message": {"content": text}, "uuid": text}))
    }

    fn source(dir: &Path, session: &str, seconds: u64) -> Source {
        let transcript = dir.join(format!("agent/{session}.jsonl"));
        if !transcript.exists() {
            std::fs::create_dir_all(dir.join("agent")).unwrap();
            std::fs::write(&transcript, line("first request")).unwrap();
        }
        let bytes = transcript.metadata().unwrap().len();
        let now = Stamp(seconds * 1_000_000);
        Source { agent: "claude".into(), session_id: session.into(), transcript, bytes, messages: 4, now }
    }

    fn items(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    /// Fault A2 of the reference: with the knowledge in its own folder, every handoff was called stale.
    #[test]
    fn a_handoff_in_the_knowledge_folder_is_fresh_until_something_happens() {
        let dir = tempfile::tempdir().unwrap();
        let (memory, source) = (memory(dir.path()), source(dir.path(), "s1", 1_000));
        write_items(&memory, &source, &items(&["finish the cart"])).unwrap();
        let handoff = Handoff::read(&memory).unwrap();
        assert_eq!(handoff.freshness(None), Freshness::Fresh);
        let own = Later { session: "s1".into(), at: Stamp(9_000_000_000) };
        assert_eq!(handoff.freshness(Some(&own)), Freshness::Fresh, "its own export is no other session");
        let before = Later { session: "s0".into(), at: Stamp(999_000_000) };
        assert_eq!(handoff.freshness(Some(&before)), Freshness::Fresh, "an older session");
        let later = Later { session: "s2".into(), at: Stamp(1_001_000_000) };
        assert_eq!(handoff.freshness(Some(&later)), Freshness::OtherSession("s2".into()));
    }

    /// Fault of the reference: staleness went by the file's time alone.
    #[test]
    fn a_touched_transcript_is_not_a_longer_one() {
        let dir = tempfile::tempdir().unwrap();
        let (memory, source) = (memory(dir.path()), source(dir.path(), "s1", 1_000));
        write_items(&memory, &source, &items(&["finish the cart"])).unwrap();
        let mut file = std::fs::File::options().append(true).open(&source.transcript).unwrap();
        file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(3_600)).unwrap();
        assert_eq!(Handoff::read(&memory).unwrap().freshness(None), Freshness::Fresh);
        // What the program itself writes is not the session going on.
        file.write_all(b"{\"type\":\"cost-state\"}\n{\"type\":\"last-prompt\"}\n").unwrap();
        assert_eq!(Handoff::read(&memory).unwrap().freshness(None), Freshness::Fresh);
        file.write_all(line("and now the checkout").as_bytes()).unwrap();
        let Freshness::WentOn(how) = Handoff::read(&memory).unwrap().freshness(None) else { panic!("fresh") };
        assert_eq!(how, "1 more requests of the user");
    }

    /// Fault of the reference: a trivial session replaced a rich handoff by a slim one.
    #[test]
    fn a_rich_handoff_is_not_replaced_by_an_extract() {
        let dir = tempfile::tempdir().unwrap();
        let memory = memory(dir.path());
        let rich = source(dir.path(), "s1", 1_000);
        write_items(&memory, &rich, &items(&["finish the cart", "tell Ada"])).unwrap();
        assert!(!write_extract(&memory, &rich, "Last request: x").unwrap(), "nothing new in that session");
        let next = source(dir.path(), "s2", 2_000);
        assert!(write_extract(&memory, &next, "Last request: thanks").unwrap());
        let handoff = Handoff::read(&memory).unwrap();
        assert_eq!((handoff.origin, handoff.session_id.as_str()), (Origin::Model, "s1"));
        assert!(
            handoff.body.contains("- finish the cart") && handoff.body.contains("thanks"),
            "{}",
            handoff.body
        );
        // The next extract takes the place of the last one; the next judgement replaces all.
        write_extract(&memory, &source(dir.path(), "s3", 3_000), "Last request: bye").unwrap();
        let body = Handoff::read(&memory).unwrap().body;
        assert!(body.contains("- tell Ada") && body.contains("bye") && !body.contains("thanks"), "{body}");
        write_items(&memory, &source(dir.path(), "s4", 4_000), &items(&["only this"])).unwrap();
        assert_eq!(Handoff::read(&memory).unwrap().body, "# Handoff: what is open\n\n- only this");
        write_items(&memory, &source(dir.path(), "s5", 5_000), &[]).unwrap();
        assert!(Handoff::read(&memory).is_none());
    }

    #[test]
    fn an_extract_replaces_an_extract() {
        let dir = tempfile::tempdir().unwrap();
        let memory = memory(dir.path());
        write_extract(&memory, &source(dir.path(), "s1", 1), "one").unwrap();
        write_extract(&memory, &source(dir.path(), "s2", 2), "two").unwrap();
        let handoff = Handoff::read(&memory).unwrap();
        assert_eq!((handoff.origin, handoff.body.as_str()), (Origin::Extract, "two"));
        // Fault of the reference: a slim handoff had no head and was always called of unknown age.
        assert_eq!(handoff.freshness(None), Freshness::Fresh);
    }

    #[test]
    fn what_nobody_signed_is_kept_aside() {
        let dir = tempfile::tempdir().unwrap();
        let memory = memory(dir.path());
        files::write_atomic(&memory.handoff(), b"my own notes\n").unwrap();
        assert_eq!(Handoff::read(&memory).unwrap().freshness(None), Freshness::Unknown);
        write_extract(&memory, &source(dir.path(), "s1", 1), "auto").unwrap();
        assert!(Handoff::read(&memory).unwrap().body.starts_with("my own notes"));
        write_items(&memory, &source(dir.path(), "s1", 1), &items(&["x"])).unwrap();
        let aside = std::fs::read_to_string(memory.dir.join("handoff-previous.md")).unwrap();
        assert!(aside.starts_with("my own notes"));
    }

    #[test]
    fn the_references_files_are_read() {
        let text = "---\nsession_id: abc\nwritten_at: 2026-11-15T10:00:00+02:00\nsource_mtime: 17\n---\n# Pendiente\n- uno\n";
        let handoff = Handoff::parse(text).unwrap();
        assert_eq!((handoff.origin, handoff.session_id.as_str()), (Origin::Model, "abc"));
        assert_eq!(handoff.written, Stamp::parse("2026-11-15T08:00:00Z"));
        assert_eq!(handoff.freshness(None), Freshness::Fresh);
    }
}
