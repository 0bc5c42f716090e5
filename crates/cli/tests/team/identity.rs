//! An agent's own documents between sessions, homes and databases, through the built program.

use crate::home::Home;
use serde_json::{Value, json};
use sprag_store::testing::{self, Server};
use std::path::PathBuf;
use std::sync::Arc;

/// A home of the agent `heron` with this store.
fn home(url: &str) -> Home {
    let config =
        format!("[store]\nurl = \"{url}\"\nbudget_ms = 20000\n[hook.identity-sync]\nagent = \"heron\"\n");
    let home = Home::swarm(&config);
    std::fs::create_dir_all(home.dir.path().join(".claude")).unwrap();
    home
}

/// Two homes that share one store, of each kind.
fn on_each(test: impl Fn(&Home, &Home, &str)) {
    let shared = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", shared.path().join("sprag.db").display());
    test(&home(&url), &home(&url), "sqlite");
    let server: Option<Arc<Server>> = testing::server();
    if let Some(server) = server {
        let url = server.database();
        let (one, two) = (home(&url), home(&url));
        one.ok(&["store", "migrate"]);
        test(&one, &two, "postgres");
    }
}

impl Home {
    fn identity(&self, args: &[&str]) -> String {
        self.ok(&[&["agent", "identity"], args].concat())
    }

    fn versions(&self, doc: &str) -> Vec<(i64, String)> {
        let log: Value = serde_json::from_str(&self.identity(&["log", doc, "--json"])).unwrap();
        let one = |version: &Value| {
            (version["version"].as_i64().unwrap(), version["source"].as_str().unwrap().to_owned())
        };
        log["versions"].as_array().unwrap().iter().map(one).collect()
    }

    fn shell_event(&self, name: &str, session: &str) -> Value {
        let more = json!({ "source": "startup", "reason": "other", "tool_name": "Bash",
            "tool_input": { "command": "true" }, "tool_response": { "stdout": "" } });
        self.event(name, session, &[], &more)
    }

    fn path(&self, doc: &str) -> PathBuf {
        self.dir.path().join(".claude").join(doc)
    }

    fn write(&self, doc: &str, text: &str) {
        std::fs::write(self.path(doc), text).unwrap();
    }

    fn read(&self, doc: &str) -> String {
        std::fs::read_to_string(self.path(doc)).unwrap()
    }
}

fn message(answer: &Value) -> String {
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_edit_is_a_version_and_follows_the_agent_to_another_home() {
    on_each(|one, two, backend| {
        one.shell_event("SessionStart", "s1");
        one.write("SOUL.md", "I wade.\n");
        one.shell_event("PostToolUse", "s1");
        assert_eq!(one.versions("SOUL.md"), [(1, "self_edit".to_owned())], "{backend}");
        one.shell_event("PostToolUse", "s1");
        one.shell_event("Stop", "s1");
        assert_eq!(one.versions("SOUL.md").len(), 1, "the same text is no version");
        let told = message(&two.shell_event("SessionStart", "t1"));
        assert!(told.contains("SOUL.md is version 1"), "{backend}: {told}");
        assert_eq!(two.read("SOUL.md"), "I wade.\n");
        two.write("SOUL.md", "I wade and wait.\n");
        two.shell_event("Stop", "t1");
        assert_eq!(one.versions("SOUL.md")[0], (2, "session_sync".to_owned()));
        one.shell_event("SessionStart", "s2");
        assert_eq!(
            one.read("SOUL.md"),
            "I wade and wait.\n",
            "unchanged since our last write, so it is ours"
        );
    });
}

#[test]
fn a_file_of_somebodys_own_is_never_overwritten_and_the_conflict_is_told() {
    on_each(|one, two, backend| {
        one.shell_event("SessionStart", "s1");
        one.write("CLAUDE.md", "the agent's\n");
        one.shell_event("PostToolUse", "s1");
        two.write("CLAUDE.md", "the user's own\n");
        let told = message(&two.shell_event("SessionStart", "t1"));
        assert!(
            told.contains("CLAUDE.md here is not what is stored (version 1) and was left as it is"),
            "{told}"
        );
        two.shell_event("PostToolUse", "t1");
        two.shell_event("Stop", "t1");
        two.shell_event("SessionEnd", "t1");
        assert_eq!(two.read("CLAUDE.md"), "the user's own\n", "{backend}");
        assert_eq!(one.versions("CLAUDE.md").len(), 1, "nothing of it was stored");
        // Edited in a session, it meets a version that this home never saw.
        two.write("CLAUDE.md", "the user's own, edited\n");
        let told = message(&two.shell_event("PostToolUse", "t1"));
        assert!(told.contains("version 1 was stored in the meantime"), "{told}");
        assert!(two.identity(&["diff", "CLAUDE.md"]).contains("+the user's own, edited"));
        let out = two.identity(&["restore", "CLAUDE.md"]);
        assert!(out.contains("stays; --replace"), "{out}");
        assert_eq!(two.read("CLAUDE.md"), "the user's own, edited\n");
        let out = two.identity(&["restore", "CLAUDE.md", "--replace"]);
        assert!(out.contains("CLAUDE.md.before-"), "{out}");
        assert_eq!(two.read("CLAUDE.md"), "the agent's\n");
        let kept = std::fs::read_dir(two.dir.path().join(".claude")).unwrap().flatten();
        let kept =
            kept.map(|entry| entry.path()).find(|path| path.display().to_string().contains(".before-"));
        assert_eq!(std::fs::read_to_string(kept.unwrap()).unwrap(), "the user's own, edited\n");
    });
}

#[test]
fn edits_at_two_places_are_a_conflict_and_neither_is_lost() {
    on_each(|one, two, backend| {
        one.shell_event("SessionStart", "s1");
        one.write("TOOLS.md", "rg\n");
        one.shell_event("PostToolUse", "s1");
        two.shell_event("SessionStart", "t1");
        one.write("TOOLS.md", "rg and fd\n");
        two.write("TOOLS.md", "rg and jq\n");
        one.shell_event("PostToolUse", "s1");
        let told = message(&two.shell_event("PostToolUse", "t1"));
        assert!(told.contains("version 2 was stored in the meantime (self_edit)"), "{backend}: {told}");
        let told = message(&two.shell_event("SessionStart", "t2"));
        assert!(told.contains("was left as it is"), "{told}");
        assert_eq!(two.read("TOOLS.md"), "rg and jq\n");
        assert!(two.identity(&["save", "TOOLS.md"]).contains("version 3"));
        one.shell_event("SessionStart", "s2");
        assert_eq!(one.read("TOOLS.md"), "rg and jq\n");
    });
}

#[test]
fn an_older_version_comes_back_as_the_newest() {
    on_each(|one, _, backend| {
        one.shell_event("SessionStart", "s1");
        for text in ["one\n", "two\n", "three\n"] {
            one.write("IDENTITY.md", text);
            one.shell_event("PostToolUse", "s1");
        }
        assert!(one.identity(&["diff", "IDENTITY.md", "--from", "1", "--to", "3"]).contains("-one\n+three"));
        assert!(
            one.identity(&["restore", "IDENTITY.md", "1"]).contains("version 1 is version 4 now"),
            "{backend}"
        );
        assert_eq!(one.read("IDENTITY.md"), "one\n");
        assert_eq!(one.versions("IDENTITY.md")[0], (4, "restore".to_owned()));
        let missing = one.run(&["agent", "identity", "restore", "IDENTITY.md", "9"], &[], "");
        assert!(String::from_utf8_lossy(&missing.stderr).contains("version 9 of heron is not stored"));
    });
}

#[test]
fn an_edit_while_the_store_is_away_is_stored_at_the_end() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("sprag.db");
    let one = home(&format!("sqlite:{}", file.display()));
    one.shell_event("SessionStart", "s1");
    std::fs::rename(&file, place.path().join("aside")).unwrap();
    for more in ["sprag.db-wal", "sprag.db-shm"] {
        let _ = std::fs::remove_file(place.path().join(more));
    }
    std::fs::create_dir(&file).unwrap();
    one.write("SOUL.md", "I wade.\n");
    assert_eq!(one.shell_event("PostToolUse", "s1"), Value::Null);
    one.shell_event("SessionEnd", "s1");
    std::fs::remove_dir(&file).unwrap();
    std::fs::rename(place.path().join("aside"), &file).unwrap();
    one.ok(&["worker", "--once"]);
    assert_eq!(one.versions("SOUL.md"), [(1, "session_sync".to_owned())]);
}

/// Without a name of their own, two homes on one server are two agents.
#[test]
fn without_a_name_nothing_is_shared() {
    on_each(|one, two, backend| {
        for home in [one, two] {
            let file = home.dir.path().join(".config/sprag/config.toml");
            let text = std::fs::read_to_string(&file).unwrap().replace("agent = \"heron\"\n", "");
            std::fs::write(&file, text).unwrap();
            home.shell_event("SessionStart", "s1");
        }
        one.write("SOUL.md", "mine\n");
        one.shell_event("PostToolUse", "s1");
        two.shell_event("SessionStart", "s2");
        assert!(!two.path("SOUL.md").exists(), "{backend}");
        assert!(two.identity(&["log"]).contains("agents with documents: claude-"));
    });
}
