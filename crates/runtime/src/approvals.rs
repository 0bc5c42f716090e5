//! What a person approved, until when: a folder with one file for each approval. Read only where a stop would be given;
//! written only by `sprag approve` and `sprag allow`, which refuse inside an agent.

use crate::journal::{self, Entry, Run};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_protocol::{Event, EventKind, ToolKind};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One approval: of a path, or of a call, a turn or a prompt that was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The path, from the root; a folder covers what lies below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The short id of the stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// What was stopped, as the person saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The session for which it holds; without one it holds once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was given.
    pub at: String,
    /// When it ends.
    pub until: String,
}

/// Calls that were let through in this session: the permission dialog for one of them is about the same call.
const LET_THROUGH: &str = "let-through";

fn folder(host: &Host) -> PathBuf {
    host.paths.state.join("approvals")
}

/// The file of an approval of a stop: for once, or for a session.
fn stop_file(host: &Host, key: &str, session: Option<&str>) -> PathBuf {
    let session = session.map(|id| format!(".{}", short_hash(id.as_bytes()))).unwrap_or_default();
    folder(host).join(format!("{key}{session}"))
}

/// What a stop of this event is known by: the same tool with the same input in the same folder; the end of a turn or a
/// compaction of the same session; the same prompt. `None` when there is nothing that could be let through.
pub fn key(event: &Event) -> Option<String> {
    let text = match event.kind {
        EventKind::PreToolUse | EventKind::PermissionRequest => {
            let tool = event.tool.as_ref()?;
            [event.cwd.as_str(), &tool.name, &input_text(tool.kind, event.tool_input()?)].join("\0")
        }
        EventKind::Stop | EventKind::SubagentStop | EventKind::PreCompact | EventKind::UserPromptSubmit => {
            let agent = event.agent_id.as_deref().unwrap_or_default();
            let prompt = event.text("prompt").unwrap_or_default();
            [event.kind.name(), &event.session_id, agent, prompt].join("\0")
        }
        _ => return None,
    };
    Some(short_hash(text.as_bytes()))
}

/// The input, whatever the order of its fields; what the model says about a command changes nothing.
fn input_text(kind: ToolKind, input: &Value) -> String {
    let Some(object) = input.as_object() else { return input.to_string() };
    let mut fields: Vec<(&String, &Value)> = object.iter().collect();
    fields.retain(|(name, _)| kind != ToolKind::Shell || name.as_str() != "description");
    fields.sort_by_key(|(name, _)| *name);
    fields.iter().map(|(name, value)| format!("{name}\u{1}{value}\u{2}")).collect()
}

/// True when a person let exactly this through. An approval for once is used up: of two processes, one gets it.
pub fn lift(host: &Host, session: &Session, event: &Event) -> bool {
    let Some(key) = key(event) else { return false };
    if event.kind == EventKind::PermissionRequest {
        return session.read(LET_THROUGH).lines().any(|line| line == key);
    }
    let now = host.clock.now();
    let holds = |text: io::Result<String>| {
        let found = text.ok().and_then(|text| serde_json::from_str::<Approval>(&text).ok());
        found.is_some_and(|approval| approval.is_active(now))
    };
    let lifted = holds(files::read_text(stop_file(host, &key, Some(&event.session_id)), files::SMALL))
        || holds(files::take_text(&stop_file(host, &key, None)));
    if lifted {
        let_through(session, event);
    }
    lifted
}

/// Marks a call that a person let through. Without the mark the permission dialog is not answered: then the person answers
/// it.
pub(crate) fn let_through(session: &Session, event: &Event) {
    if let Some(key) = key(event) {
        let _ = session.append(LET_THROUGH, &key);
    }
}

impl Approval {
    /// An approval from now on.
    pub fn new(host: &Host, time: Duration) -> Self {
        let now = host.clock.now();
        Self { at: now.to_string(), until: now.after(time).to_string(), ..Self::default() }
    }

    fn is_active(&self, now: Stamp) -> bool {
        Stamp::parse(&self.until).is_some_and(|until| until > now)
    }

    /// Keeps an approval of a path.
    pub fn keep_path(&self, host: &Host, path: &Path) -> io::Result<()> {
        let name = format!("path-{}", short_hash(path.as_os_str().as_encoded_bytes()));
        self.write(host, &folder(host).join(name))
    }

    /// Keeps an approval of a stop, for its session when it names one.
    pub fn keep_stop(&self, host: &Host, key: &str) -> io::Result<()> {
        self.write(host, &stop_file(host, key, self.session.as_deref()))
    }

    fn write(&self, host: &Host, file: &Path) -> io::Result<()> {
        let now = host.clock.now();
        for (old, approval) in all(host) {
            if !approval.is_active(now) {
                let _ = files::remove(old);
            }
        }
        files::write_durable(file, &serde_json::to_vec(self).map_err(io::Error::other)?)
    }
}

fn all(host: &Host) -> impl Iterator<Item = (PathBuf, Approval)> {
    files::list(&folder(host), "", "").into_iter().filter_map(|path| {
        let text = files::read_text(&path, files::SMALL).ok()?;
        Some((path, serde_json::from_str(&text).ok()?))
    })
}

/// The approvals that are still valid, the oldest first.
pub fn valid(host: &Host) -> Vec<Approval> {
    let now = host.clock.now();
    let mut found: Vec<Approval> =
        all(host).map(|(_, approval)| approval).filter(|approval| approval.is_active(now)).collect();
    found.sort_by(|a, b| a.at.cmp(&b.at));
    found
}

/// Takes approvals back, and says which.
pub fn revoke(host: &Host, which: impl Fn(&Approval) -> bool) -> io::Result<Vec<Approval>> {
    let mut gone = Vec::new();
    for (file, approval) in all(host).filter(|(_, approval)| which(approval)) {
        files::remove(file)?;
        gone.push(approval);
    }
    Ok(gone)
}

/// True when one of the approvals is for this path, or for a folder above it.
pub fn cover(approvals: &[Approval], path: &str) -> bool {
    approvals.iter().filter_map(|approval| approval.path.as_ref()).any(|of| Path::new(path).starts_with(of))
}

/// What the journal keeps of a person's yes.
const NOTED: &str = "allow";
const NOTED_REASON: &str = "a person allowed ";

/// The id of the stop that a person allowed, when that is what an entry of the journal is about.
pub fn decided(entry: &Entry) -> Option<&str> {
    let reason = entry.runs.first().filter(|_| entry.event == NOTED)?.reason.as_deref()?;
    reason.strip_prefix(NOTED_REASON)?.split(' ').next()
}

/// Keeps in the journal that a person allowed a stop, and how.
pub fn note_allowed(host: &Host, hooks: &[&str], id: &str, how: &str) {
    note(host, NOTED, hooks, &format!("{NOTED_REASON}{id} {how}"));
}

/// Keeps in the journal that a person approved it; what the approval is for does not hang on that.
pub fn note(host: &Host, command: &str, hooks: &[&str], reason: &str) {
    let run = |hook: &&str| Run {
        hook: (*hook).to_owned(),
        verdict: "allow".to_owned(),
        reason: Some(journal::keep(reason)),
        ..Run::default()
    };
    let entry = Entry {
        t: host.clock.now().to_string(),
        event: command.to_owned(),
        verdict: "allow".to_owned(),
        runs: hooks.iter().map(run).collect(),
        ..Entry::default()
    };
    let _ = journal::write(&host.paths, &entry, 8 << 20, 5);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_base::env::Env;
    use sprag_base::paths::Paths;
    use sprag_base::time::Clock;
    use sprag_protocol::{AgentId, decode};

    fn host(dir: &Path) -> Host {
        let env = Env::Fixed([("HOME".to_owned(), dir.display().to_string())].into());
        let paths = Paths::from_env(&env);
        Host { env, paths, clock: Clock::System, hooks: &[], exe: None }
    }

    fn event(kind: &str, session: &str, cwd: &str, input: &Value) -> Event {
        let payload = json!({"hook_event_name": kind, "session_id": session, "cwd": cwd, "tool_name": "Bash",
            "tool_input": input});
        decode::decode(payload.to_string().as_bytes(), Some(AgentId::Claude), &|_| None).unwrap()
    }

    #[test]
    fn a_call_is_known_by_tool_input_and_folder() {
        let of = |cwd: &str, input: Value| key(&event("PreToolUse", "s", cwd, &input)).unwrap();
        let known = of("/p", json!({"command": "git clean -f", "timeout": 5}));
        assert_eq!(known, of("/p", json!({"timeout": 5, "command": "git clean -f", "description": "tidy"})));
        assert_ne!(known, of("/p", json!({"command": "git clean -fd", "timeout": 5})));
        assert_ne!(known, of("/q", json!({"command": "git clean -f", "timeout": 5})));
        let text = event("PreToolUse", "other", "/p", &json!({"command": "git clean -f", "timeout": 5}));
        assert_eq!(Some(known), key(&text), "whichever session asks");
        assert_eq!(key(&event("PostToolUse", "s", "/p", &json!({}))), None, "it has happened");
        let end = |session: &str| key(&event("Stop", session, "/p", &json!({})));
        assert!(end("s").is_some() && end("s") != end("t"));
    }

    #[test]
    fn once_is_once_and_a_session_is_that_session() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let call = |session: &str| event("PreToolUse", session, "/p", &json!({"command": "rm -rf x"}));
        let lifts = |event: &Event| lift(&host, &Session::new(&host.paths, &event.session_id), event);
        let key = key(&call("a")).unwrap();
        let asked = event("PermissionRequest", "a", "/p", &json!({"command": "rm -rf x"}));
        assert!(!lifts(&call("a")) && !lifts(&asked));
        Approval::new(&host, Duration::from_secs(60)).keep_stop(&host, &key).unwrap();
        assert!(lifts(&call("a")) && lifts(&asked), "the dialog of the same call too");
        assert!(!lifts(&call("a")) && !lifts(&call("b")));
        let session = Some("b".to_owned());
        let approval = Approval { session, ..Approval::new(&host, Duration::from_secs(60)) };
        approval.keep_stop(&host, &key).unwrap();
        assert!(lifts(&call("b")) && lifts(&call("b")) && !lifts(&call("a")));
        assert_eq!(valid(&host).len(), 1);
        let of_b = |approval: &Approval| approval.session.as_deref() == Some("b");
        assert_eq!((revoke(&host, of_b).unwrap().len(), valid(&host).len()), (1, 0));
        assert!(!lifts(&call("b")), "it was taken back");
        Approval::new(&host, Duration::ZERO).keep_stop(&host, &key).unwrap();
        assert!(!lifts(&call("a")), "it is over");
    }
}
