//! An event that several registrations start sprag for is answered by one of them. Asked only by a registration that
//! knows that it may not be the only one (a plugin, a shared file, another agent's file): nobody else pays for it.

use crate::session::Session;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_config::host::Host;
use sprag_protocol::{Event, EventKind};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// The registrations of one agent are started at the same moment.
const WINDOW: Duration = Duration::from_secs(1);

/// A marker of this age is of no use to anybody.
const OLD: Duration = Duration::from_secs(30);

/// What tells two events of one kind in one session apart.
const FIELDS: [&str; 7] =
    ["prompt", "source", "trigger", "reason", "message", "last_assistant_message", "agent_id"];

/// True when another process answers this very event. The first to create the event's marker does: no lock, no waiting.
pub fn is_second(host: &Host, event: &Event) -> bool {
    let call = event.text("tool_use_id").unwrap_or_default();
    // Two equal calls without an id may be two calls: a guard looks at both.
    if event.session_id.is_empty() || event.kind.has_tool() && call.is_empty() {
        return false;
    }
    let mut about = format!("{}\n{call}\n{}", event.kind.name(), event.flag("stop_hook_active"));
    for field in FIELDS {
        about.push('\n');
        about.push_str(event.text(field).unwrap_or_default());
    }
    let folder = Session::new(&host.paths, &event.session_id).file("once");
    let marker = folder.join(short_hash(about.as_bytes()));
    let first = match files::create_new(&marker) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            // A call has its id once; what has none may come again later.
            if !call.is_empty() || !is_older(&marker, WINDOW) {
                return true;
            }
            files::remove(&marker).is_ok() && files::create_new(&marker).is_ok()
        }
        // Without markers both answer, which costs time and nothing else.
        Err(_) => return false,
    };
    if first && matches!(event.kind, EventKind::Stop | EventKind::SessionStart | EventKind::SessionEnd) {
        sweep(&folder);
    }
    !first
}

fn is_older(marker: &Path, age: Duration) -> bool {
    let modified = marker.metadata().and_then(|meta| meta.modified());
    modified.ok().and_then(|time| time.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
}

/// Removes the markers of calls that are long done.
fn sweep(folder: &Path) {
    for marker in files::list(folder, "", "") {
        if is_older(&marker, OLD) {
            let _ = files::remove(&marker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use sprag_protocol::decode::decode;

    fn event(more: &Value) -> Event {
        let mut payload = json!({"session_id": "s", "cwd": "/"});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn one_call_is_answered_once_and_two_calls_twice() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::in_home(home.path(), &[]);
        let call = |id: &str| {
            event(&json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": id,
                "tool_input": {"command": "rm -rf /"}}))
        };
        assert!(!is_second(&host, &call("one")));
        assert!(is_second(&host, &call("one")));
        assert!(!is_second(&host, &call("two")));
        // Without an id a call is never taken for another one.
        assert!(!is_second(&host, &call("")) && !is_second(&host, &call("")));
        // The same call after it ran is another event.
        let after =
            event(&json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "one",
            "tool_input": {}}));
        assert!(!is_second(&host, &after) && is_second(&host, &after));
    }

    #[test]
    fn prompts_are_told_apart_by_their_words_and_may_be_repeated_later() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::in_home(home.path(), &[]);
        let prompt = |words: &str| event(&json!({"hook_event_name": "UserPromptSubmit", "prompt": words}));
        assert!(!is_second(&host, &prompt("go on")) && is_second(&host, &prompt("go on")));
        assert!(!is_second(&host, &prompt("stop")));
        let folder = Session::new(&host.paths, "s").file("once");
        let earlier = std::time::SystemTime::now() - Duration::from_secs(40);
        for marker in files::list(&folder, "", "") {
            files::set_modified(&marker, earlier).unwrap();
        }
        assert!(!is_second(&host, &prompt("go on")));
        assert!(!is_second(&host, &event(&json!({"hook_event_name": "Stop"}))));
        assert_eq!(files::list(&folder, "", "").len(), 2, "old markers are gone");
    }

    #[test]
    fn many_processes_agree_on_one() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::in_home(home.path(), &[]);
        let stop = event(&json!({"hook_event_name": "Stop", "last_assistant_message": "done"}));
        let firsts = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| !is_second(&host, &stop))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|first| *first).count()
        });
        assert_eq!(firsts, 1);
    }
}
