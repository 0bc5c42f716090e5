//! Keeps the payloads of real sessions, scrubbed, while a person has switched that on (`sprag record on`).
//! Switched off, it costs one look for a file.

use crate::dispatch::Answer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sprag_base::files;
use sprag_base::id::{safe_name, short_hash};
use sprag_base::paths::Paths;
use sprag_config::host::Host;
use sprag_scan::scrub::scrub;
use std::io;
use std::path::{Path, PathBuf};

/// All recordings together are not larger than this; the oldest go first.
pub const MAX_BYTES: u64 = 50 << 20;
/// A session's file is continued in another one at this size, so that its oldest part can go.
const PART_BYTES: u64 = 8 << 20;

/// One recorded event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When, RFC 3339.
    pub t: String,
    /// The agent.
    pub agent: String,
    /// The event, canonical.
    pub event: String,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the agent sent, without secrets.
    pub payload: Map<String, Value>,
    /// What was decided.
    pub verdict: String,
    /// Why, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hash of what the model was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How long that was.
    #[serde(default)]
    pub chars: u64,
    /// Microseconds until the answer.
    #[serde(default)]
    pub us: u64,
}

/// The file whose presence switches recording on.
pub fn switch(paths: &Paths) -> PathBuf {
    paths.state.join("recording")
}

/// The folder of the recordings.
pub fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("recordings")
}

/// The hash by which two contexts are told apart.
pub fn context_hash(context: &str) -> String {
    short_hash(context.as_bytes())
}

/// Keeps an event when recording is on.
pub fn keep(host: &Host, payload: &[u8], answer: &Answer) {
    if switch(&host.paths).exists() {
        // What cannot be kept must not change the answer.
        let _ = write(&host.paths, payload, answer);
    }
}

fn write(paths: &Paths, payload: &[u8], answer: &Answer) -> io::Result<()> {
    let Ok(Value::Object(mut payload)) = serde_json::from_slice(payload) else { return Ok(()) };
    scrub_payload(&mut payload);
    let entry = &answer.entry;
    let recorded = Recorded {
        t: entry.t.clone(),
        agent: entry.agent.clone(),
        event: entry.event.clone(),
        tool: entry.tool.clone(),
        payload,
        verdict: entry.verdict.clone(),
        reason: answer.verdict.reason.as_deref().map(crate::journal::keep),
        context: answer.verdict.context.as_deref().map(context_hash),
        chars: entry.chars,
        us: entry.us,
    };
    let mut line = serde_json::to_vec(&recorded).map_err(io::Error::other)?;
    line.push(b'\n');
    let folder = folder(paths);
    let name = safe_name(&entry.session);
    let file = folder.join(format!("{name}.jsonl"));
    let size = file.metadata().map_or(0, |meta| meta.len());
    let full = size + line.len() as u64 > PART_BYTES && size > 0;
    if full {
        let stamp = entry.t.replace([':', '.'], "-");
        files::rename(&file, folder.join(format!("{name}.{stamp}.jsonl")))?;
    }
    files::append(&file, &line)?;
    if size == 0 || full || size / (256 << 10) != (size + line.len() as u64) / (256 << 10) {
        prune(&folder, &file, MAX_BYTES)?;
    }
    Ok(())
}

/// Drops the oldest files until all are small enough. The one in use stays.
fn prune(folder: &Path, used: &Path, most: u64) -> io::Result<()> {
    let mut found: Vec<_> = std::fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().ok()?, entry.path(), meta.len()))
        })
        .collect();
    found.sort();
    let mut all: u64 = found.iter().map(|(_, _, len)| len).sum();
    for (_, path, len) in found {
        if all <= most {
            break;
        }
        if path != used {
            files::remove(&path)?;
            all -= len;
        }
    }
    Ok(())
}

/// Takes secrets out of a payload, text by text.
pub fn scrub_payload(payload: &mut Map<String, Value>) {
    scrub_map(payload, 0);
}

/// Takes secrets out of every text. A text is looked at together with its key: `"token": "…"` is one.
fn scrub_map(map: &mut Map<String, Value>, depth: usize) {
    for (key, value) in map.iter_mut() {
        if let Value::String(text) = value {
            let prefix = format!("{key}=");
            let joined = format!("{prefix}{text}");
            let clean = scrub(&joined);
            *text = clean.strip_prefix(&prefix).map_or_else(|| clean.to_string(), str::to_owned);
        } else {
            scrub_value(value, depth + 1);
        }
    }
}

fn scrub_value(value: &mut Value, depth: usize) {
    // The parser allows no deeper payload.
    if depth > 200 {
        *value = Value::Null;
        return;
    }
    match value {
        Value::String(text) => *text = scrub(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_value(item, depth + 1)),
        Value::Object(map) => scrub_map(map, depth),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::dispatch;
    use sprag_protocol::AgentId;

    fn host(dir: &Path) -> Host {
        Host::in_home(dir, &[])
    }

    #[test]
    fn nothing_is_kept_until_it_is_switched_on_and_never_a_secret() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let payload = br#"{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/","tool_name":"Bash",
            "tool_input":{"command":"curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345'",
            "password":"hunter2hunter2","list":["K=AKIAQ7J3ZPL5WX2R9BTN"]}}"#;
        dispatch(&host, &[], payload, Some(AgentId::Claude));
        assert!(!folder(&host.paths).exists());
        files::write_atomic(&switch(&host.paths), b"").unwrap();
        dispatch(&host, &[], payload, Some(AgentId::Claude));
        dispatch(&host, &[], b"not json", Some(AgentId::Claude));
        let text = std::fs::read_to_string(folder(&host.paths).join("s1.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 1);
        for secret in ["ghp_0123", "hunter2", "AKIAIOSF"] {
            assert!(!text.contains(secret), "{text}");
        }
        let recorded: Recorded = serde_json::from_str(&text).unwrap();
        assert_eq!((recorded.event.as_str(), recorded.verdict.as_str()), ("PreToolUse", "pass"));
        assert_eq!(recorded.tool.as_deref(), Some("Bash"));
    }

    #[test]
    fn the_oldest_go_first_and_the_one_in_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        for (age, name) in [(30, "old"), (20, "middle"), (10, "used")] {
            let path = dir.path().join(name);
            std::fs::write(&path, [b'x'; 100]).unwrap();
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
        }
        prune(dir.path(), &dir.path().join("used"), 250).unwrap();
        assert!(!dir.path().join("old").exists() && dir.path().join("middle").exists());
        prune(dir.path(), &dir.path().join("used"), 10).unwrap();
        assert!(!dir.path().join("middle").exists() && dir.path().join("used").exists());
    }
}
