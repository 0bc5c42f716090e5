//! What an editing tool call would do, file by file, whichever tool and agent: whole texts, or pieces that
//! replace others. Reads Edit, MultiEdit, Write, NotebookEdit and apply_patch.

use crate::{Event, ToolCall, ToolKind};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit<'a> {
    /// The path as the agent wrote it.
    pub path: Cow<'a, str>,
    /// What is done.
    pub change: Change<'a>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// The file gets this content.
    Whole(Cow<'a, str>),
    /// Pieces are replaced, in order. No pieces: the call does not say what it changes.
    Parts(Vec<Part<'a>>),
    /// The file goes.
    Delete,
}

impl Change<'_> {
    /// The text that comes into the file, as far as the call says it.
    pub fn added(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Whole(text) => Some(Cow::Borrowed(text)),
            Self::Parts(parts) => {
                Some(Cow::Owned(parts.iter().map(|part| part.new.as_ref()).collect::<Vec<_>>().join("\n")))
            }
            Self::Delete => None,
        }
    }
}

/// A piece of a file and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The text that goes. A notebook's cell does not say it.
    pub old: Cow<'a, str>,
    /// The text that comes.
    pub new: Cow<'a, str>,
    /// Everywhere in the file.
    pub all: bool,
}

/// More files or pieces than this in one call are not looked at.
const MAX_EDITS: usize = 64;

/// The edits of a tool call; none for other tools.
pub fn of(event: &Event) -> Vec<FileEdit<'_>> {
    let (Some(tool), Some(input)) = (&event.tool, event.tool_input()) else { return Vec::new() };
    of_call(tool, input)
}

/// The edits of a tool call with this input, such as one of a transcript.
pub fn of_call<'a>(tool: &ToolCall, input: &'a Value) -> Vec<FileEdit<'a>> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let path = || text("file_path").or_else(|| text("notebook_path")).or_else(|| text("path"));
    let one = |change| match path() {
        Some(path) if !path.is_empty() => vec![FileEdit { path: path.into(), change }],
        _ => Vec::new(),
    };
    match tool.kind {
        ToolKind::Write => match text("content") {
            Some(content) => one(Change::Whole(content.into())),
            None => listed(input),
        },
        ToolKind::Edit => {
            if let Some(edits) = input.get("edits").and_then(Value::as_array) {
                return one(Change::Parts(edits.iter().take(MAX_EDITS).filter_map(part).collect()));
            }
            if let Some(source) = text("new_source") {
                let gone = text("edit_mode") == Some("delete");
                let part = Part {
                    old: text("cell_id").map_or(Cow::Borrowed(""), |cell| format!("cell {cell}").into()),
                    new: if gone { "".into() } else { source.into() },
                    all: false,
                };
                return one(Change::Parts(vec![part]));
            }
            match part(input) {
                Some(part) => one(Change::Parts(vec![part])),
                None => listed(input),
            }
        }
        ToolKind::Patch => patch(text("command").or_else(|| text("input")).unwrap_or_default()),
        _ => Vec::new(),
    }
}

fn part(value: &Value) -> Option<Part<'_>> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
    Some(Part {
        old: text("old_string")?.into(),
        new: text("new_string")?.into(),
        all: flag("replace_all") || flag("allow_multiple"),
    })
}

/// Calls that name files and kinds but no content: `changes = [{path, kind}]`.
fn listed(input: &Value) -> Vec<FileEdit<'_>> {
    let changes = input.get("changes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let path = |change: &Value| change.get("path").and_then(Value::as_str).map(str::to_owned);
    changes
        .iter()
        .take(MAX_EDITS)
        .filter_map(path)
        .map(|path| FileEdit { path: path.into(), change: Change::Parts(Vec::new()) })
        .collect()
}

/// The edits of an `apply_patch` text. Context lines are no part of what is replaced.
fn patch(text: &str) -> Vec<FileEdit<'_>> {
    let mut out: Vec<FileEdit<'_>> = Vec::new();
    let mut old = String::new();
    let mut new = String::new();
    let flush = |out: &mut Vec<FileEdit<'_>>, old: &mut String, new: &mut String| {
        if let Some(FileEdit { change: Change::Parts(parts), .. }) = out.last_mut()
            && !(old.is_empty() && new.is_empty())
            && parts.len() < MAX_EDITS
        {
            parts.push(Part { old: old.clone().into(), new: new.clone().into(), all: false });
        }
        old.clear();
        new.clear();
    };
    for line in text.lines() {
        let header = line.trim_start().strip_prefix("*** ");
        let begin = |prefix: &str| header.and_then(|header| header.strip_prefix(prefix)).map(str::trim);
        if let Some(path) = begin("Add File:") {
            flush(&mut out, &mut old, &mut new);
            out.push(FileEdit { path: path.into(), change: Change::Whole(String::new().into()) });
        } else if let Some(path) = begin("Update File:") {
            flush(&mut out, &mut old, &mut new);
            out.push(FileEdit { path: path.into(), change: Change::Parts(Vec::new()) });
        } else if let Some(path) = begin("Delete File:") {
            flush(&mut out, &mut old, &mut new);
            out.push(FileEdit { path: path.into(), change: Change::Delete });
        } else if header.is_some() || line.starts_with("@@") {
            flush(&mut out, &mut old, &mut new);
        } else if let Some(FileEdit { change: Change::Whole(content), .. }) = out.last_mut() {
            if let Some(added) = line.strip_prefix('+') {
                let content = content.to_mut();
                content.push_str(added);
                content.push('\n');
            }
        } else if let Some(gone) = line.strip_prefix('-') {
            if !new.is_empty() {
                flush(&mut out, &mut old, &mut new);
            }
            old.push_str(gone);
            old.push('\n');
        } else if let Some(added) = line.strip_prefix('+') {
            new.push_str(added);
            new.push('\n');
        } else {
            flush(&mut out, &mut old, &mut new);
        }
    }
    flush(&mut out, &mut old, &mut new);
    out.truncate(MAX_EDITS);
    out
}

impl Change<'_> {
    /// How many lines the file has afterwards, when it has `before` now. Nothing for a deletion.
    pub fn lines_after(&self, before: &str) -> Option<usize> {
        let count = |text: &str| text.lines().count();
        match self {
            Self::Whole(content) => Some(count(content)),
            Self::Delete => None,
            Self::Parts(parts) => {
                let mut lines = count(before) as i64;
                for part in parts {
                    let times = if part.all && !part.old.is_empty() {
                        before.matches(part.old.as_ref()).count().max(1)
                    } else {
                        1
                    };
                    // A piece inside a line adds no line; one that ends a line does.
                    let breaks = |text: &str| text.bytes().filter(|b| *b == b'\n').count() as i64;
                    lines += (breaks(&part.new) - breaks(&part.old)) * times as i64;
                }
                Some(usize::try_from(lines).unwrap_or(0))
            }
        }
    }

    /// The file's text afterwards, as far as the call says it.
    pub fn text_after(&self, before: &str) -> Option<String> {
        match self {
            Self::Whole(content) => Some(content.clone().into_owned()),
            Self::Delete => None,
            Self::Parts(parts) => {
                let mut text = before.to_owned();
                for part in parts.iter().filter(|part| !part.old.is_empty()) {
                    let times = if part.all { usize::MAX } else { 1 };
                    text = text.replacen(part.old.as_ref(), &part.new, times);
                }
                Some(text)
            }
        }
    }
}

/// A path made absolute against a folder, without `.` and `..`; links are not followed.
pub fn absolute(path: &str, cwd: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// A path below the project's root, with slashes, or as it is when it lies elsewhere.
pub fn shown(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, decode};
    use proptest::prelude::*;
    use serde_json::json;

    fn event(tool: &str, input: &Value) -> Event {
        let raw = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
        decode::decode(raw.to_string().as_bytes(), Some(AgentId::Claude), &|_| None).unwrap()
    }

    #[test]
    fn every_tool_that_edits() {
        let edit = event("Edit", &json!({"file_path": "/a", "old_string": "x", "new_string": "y"}));
        assert_eq!(of(&edit)[0].path, "/a");
        assert!(matches!(&of(&edit)[0].change, Change::Parts(parts) if parts[0].new == "y"));
        let many = event(
            "MultiEdit",
            &json!({"file_path": "/a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": "q", "replace_all": true}, 3]}),
        );
        assert!(matches!(&of(&many)[0].change, Change::Parts(parts) if parts.len() == 2 && parts[1].all));
        let write = event("Write", &json!({"file_path": "/a", "content": "t"}));
        assert!(matches!(&of(&write)[0].change, Change::Whole(text) if text == "t"));
        let cell = event("NotebookEdit", &json!({"notebook_path": "/n", "cell_id": "c1", "new_source": "z"}));
        assert!(matches!(&of(&cell)[0].change, Change::Parts(parts) if parts[0].old == "cell c1"));
        let listed = event("Edit", &json!({"changes": [{"path": "a", "kind": "update"}]}));
        assert_eq!(of(&listed)[0].change, Change::Parts(Vec::new()));
        for odd in [json!(null), json!([]), json!({"file_path": 3}), json!({"file_path": "/a"})] {
            assert!(of(&event("Edit", &odd)).is_empty() && of(&event("Write", &odd)).is_empty());
        }
    }

    #[test]
    fn a_patch_is_read_file_by_file() {
        let text = "*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n keep\n-old\n+new\n keep\n-two\n@@\n+three\n\
                    *** Add File: b.rs\n+one\n+two\n*** Delete File: c.rs\n*** End Patch\n";
        let event = event("apply_patch", &json!({"command": text}));
        let edits = of(&event);
        let part =
            |old: &'static str, new: &'static str| Part { old: old.into(), new: new.into(), all: false };
        assert_eq!(
            edits[0].change,
            Change::Parts(vec![part("old\n", "new\n"), part("two\n", ""), part("", "three\n")])
        );
        assert_eq!(edits[1].change, Change::Whole("one\ntwo\n".into()));
        assert_eq!((edits[2].path.as_ref(), &edits[2].change), ("c.rs", &Change::Delete));
    }

    #[test]
    fn lines_afterwards() {
        let parts = |old: &'static str, new: &'static str, all| {
            Change::Parts(vec![Part { old: old.into(), new: new.into(), all }])
        };
        let before = "a\nb\na\n";
        assert_eq!(parts("a", "x", false).lines_after(before), Some(3));
        assert_eq!(parts("b\n", "", false).lines_after(before), Some(2));
        assert_eq!(parts("a\n", "a\nc\n", true).lines_after(before), Some(5));
        assert_eq!(Change::Whole("1\n2".into()).lines_after(before), Some(2));
        assert_eq!(Change::Delete.lines_after(before), None);
        assert_eq!(parts("a", "x", false).text_after(before).unwrap(), "x\nb\na\n");
    }

    #[test]
    fn paths_are_made_absolute() {
        assert_eq!(absolute("../b/./c", Path::new("/r/a")), Path::new("/r/b/c"));
        assert_eq!(absolute("/x/../y", Path::new("/r")), Path::new("/y"));
        assert_eq!(shown(Path::new("/r/a/b"), Path::new("/r")), "a/b");
    }

    proptest! {
        #[test]
        fn any_patch_is_read(text in "(\\*\\*\\* (Add|Update|Delete) File: [a-z]{1,3}|@@|[-+ ][a-z]{0,4}|\\PC{0,6})(\n(\\*\\*\\* Add File: x|@@|[-+ ][a-z]{0,4})){0,20}") {
            for edit in patch(&text) {
                let _ = (edit.change.lines_after("a\nb\n"), edit.change.text_after("a\nb\n"));
            }
        }
    }
}
