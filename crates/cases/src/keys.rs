//! Every key that a `*.hook.toml` file may hold, with one line on each.
//! The strict reader knows keys from here alone, and a test keeps `docs/testing.md` in step.

/// A key and what it means.
pub(crate) struct Key {
    pub name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "the reference is checked against it"))]
    pub doc: &'static str,
}

const fn key(name: &'static str, doc: &'static str) -> Key {
    Key { name, doc }
}

/// The names alone, for hints.
pub(crate) fn names(keys: &[&'static [Key]]) -> Vec<&'static str> {
    keys.iter().flat_map(|keys| keys.iter()).map(|key| key.name).collect()
}

/// Keys at the top of a file.
pub(crate) static FILE: [Key; 5] = [
    key("hook", "the hook that the cases are about"),
    key("hooks", "the chain, when it is not the hook alone; `\"preset\"` is the preset's whole chain"),
    key("agents", "run every case as these agents"),
    key("world", "a world that every case starts from"),
    key("case", "a case: `[[case]]`"),
];

/// Keys of a case beside those of its one step.
pub(crate) static CASE: [Key; 6] = [
    key("name", "what the case shows; unique in its file"),
    key("hook", "the hook, when it is not the file's"),
    key("hooks", "the chain of this case"),
    key("agents", "run the case as these agents"),
    key("world", "what is there before the first event"),
    key("steps", "several events of one session, in order"),
];

/// Keys of a step; a case with one event has them itself.
pub(crate) static STEP: [Key; 15] = [
    key("event", "the event: `PreToolUse` or `pre_tool_use`"),
    key("payload", "fields over the defaults; a table, or JSON as text"),
    key("recorded", "a recorded payload: `claude/PreToolUse.Bash`"),
    key("override", "fields over the recording; a table, or JSON as text (`null` removes)"),
    key("remove", "fields to take out of the payload: `tool_input.description`"),
    key("stdin", "the bytes as they are, for payloads that are not JSON"),
    key("result", "after a PreToolUse that was not stopped, also send its PostToolUse with this result"),
    key("repeat", "send it this many times; `{n}` in its texts is the number of the round"),
    key("advance", "move the clock first: `61s`, `2h`, `1d`"),
    key("files", "files to write before the event, as in the world"),
    key("env", "variables to set before the event"),
    key("work", "`true`: process background jobs after the event"),
    key("expect", "what must be true of the last round"),
    key("expect_each", "what must be true of every round"),
    key("steps", "events to send instead, as a group that can be repeated"),
];

/// Keys of a world.
pub(crate) static WORLD: [Key; 9] = [
    key("files", "path to content; relative to the project, or `~/…`"),
    key("git", "the project's git state"),
    key("env", "environment variables"),
    key("clock", "the time, RFC 3339; it stands still but for `advance`"),
    key("config", "the user's `config.toml`, a table or text"),
    key("project_config", "the project's `.sprag/config.toml`, a table or text"),
    key("trusted", "`true`: a person trusted the project"),
    key("store", "rows of the store"),
    key("model", "the answers of the model of `[llm]`, in order; the last is given again"),
];

/// Keys of a file of the world.
pub(crate) static WORLD_FILE: [Key; 6] = [
    key("text", "its content"),
    key("from", "a file beside the case file whose content it has"),
    key("link", "it is a symbolic link to this"),
    key("dir", "`true`: it is a folder"),
    key("mode", "its permissions: `0o755`"),
    key("modified", "when it was changed: RFC 3339, or `-8d` before the clock"),
];

/// Keys of the git state.
pub(crate) static GIT: [Key; 5] = [
    key("init", "`true`: a repository without commits"),
    key("branch", "the branch"),
    key("remote", "the address of `origin`"),
    key("commits", "commits, oldest first"),
    key("dirty", "files changed after the last commit: path to content"),
];

/// Keys of a commit.
pub(crate) static COMMIT: [Key; 3] = [
    key("message", "its message"),
    key("files", "the files it adds or changes: path to content"),
    key("branch", "make this branch first"),
];

/// Keys of an expectation.
pub(crate) static EXPECT: [Key; 25] = [
    key("verdict", "pass, allow, ask, deny or block"),
    key("reason", "texts that the reason contains"),
    key("reason_matches", "a pattern that the reason matches"),
    key("context", "texts that the model is given"),
    key("context_not", "texts that the model is not given"),
    key("no_context", "`true`: the model is given nothing"),
    key("message", "texts in the message to the user"),
    key("message_not", "texts that are not in it"),
    key("silent", "`true`: nothing on standard output"),
    key("output", "exactly what the agent gets: a table, or JSON or plain text as text"),
    key("snapshot", "`true` or a name: the answer is what the snapshot file says"),
    key("rewrite", "the tool input that is used instead"),
    key("max_ms", "the longest that the answer may take"),
    key("max_chars", "the most characters for the model"),
    key("files", "path to text that the file contains, or a table"),
    key("env", "variables that are set for the agent's shell"),
    key("jobs", "the kinds of background jobs that the event queued, in order"),
    key("journal", "texts in the journal's lines of the hooks"),
    key("journal_not", "texts that are not in them"),
    key("lost", "what the agent cannot do with the verdict, exactly"),
    key("asked", "texts in what the model was asked"),
    key("asked_not", "texts that are not in it"),
    key("asks", "how many questions the model got"),
    key("shadow", "the verdict of a hook in shadow mode"),
    key("on", "the same keys for one agent, over these: `on.codex`"),
];

/// Keys of an expected file.
pub(crate) static EXPECT_FILE: [Key; 6] = [
    key("contains", "texts in it"),
    key("contains_not", "texts that are not in it"),
    key("equals", "its whole content"),
    key("absent", "`true`: it is not there"),
    key("mode", "its permissions: `0o600`"),
    key("link", "it is a symbolic link to this"),
];

/// Every table of keys with its place in a file.
#[cfg(test)]
pub(crate) static ALL: [(&str, &[Key]); 9] = [
    ("file", &FILE),
    ("case", &CASE),
    ("step", &STEP),
    ("world", &WORLD),
    ("world.files", &WORLD_FILE),
    ("world.git", &GIT),
    ("world.git.commits", &COMMIT),
    ("expect", &EXPECT),
    ("expect.files", &EXPECT_FILE),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference names every key that the reader knows.
    #[test]
    fn every_key_is_in_the_reference() {
        let reference = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
        let text = std::fs::read_to_string(&reference).unwrap();
        let (_, tables) = text.split_once("## Every key").unwrap();
        for (place, keys) in ALL {
            for Key { name, doc } in keys {
                let named = tables.contains(&format!("`{name}`")) || tables.contains(&format!("`{name} ="));
                assert!(named, "docs/testing.md does not name `{name}` of {place} ({doc})");
            }
        }
    }

    #[test]
    fn no_key_is_named_twice_in_its_place() {
        for (place, keys) in ALL {
            let mut names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), keys.len(), "{place}");
        }
    }
}
