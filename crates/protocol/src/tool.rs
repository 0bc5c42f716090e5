//! A tool call in one shape, whichever agent makes it: what kind, which paths, which command.

use crate::patch;
use serde_json::Value;

/// What a tool does, by its nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Applies a patch over several files.
    Patch,
    /// Searches file contents.
    Grep,
    /// Searches file names.
    Glob,
    /// Fetches from the network.
    Fetch,
    /// Starts a subagent.
    Agent,
    /// A tool of an MCP server.
    Mcp,
    /// Anything else.
    Other,
}

/// What a tool call does to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Creates or changes it.
    Write,
    /// Deletes it.
    Delete,
}

/// A path that a tool call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathUse {
    /// As the agent wrote it.
    pub path: String,
    /// What is done to it.
    pub access: Access,
}

/// A tool call in one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The canonical (Claude Code) name: `Bash`, `Edit`, `mcp__server__tool`, or the agent's own when there is none.
    pub name: String,
    /// The name as the agent spelled it.
    pub native_name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// The paths that the call names.
    pub paths: Vec<PathUse>,
    /// The command, for shell tools.
    pub command: Option<String>,
}

/// Keys under which tools of different agents and MCP servers name one file or folder.
const PATH_KEYS: [&str; 10] = [
    "file_path", "filePath", "notebook_path", "path", "dir_path", "absolute_path", "source", "destination",
    "target_file", "filename",
];

/// Keys under which shell tools of different agents have the command.
const COMMAND_KEYS: [&str; 5] = ["command", "cmd", "argv", "input", "script"];

/// A command as one line: a text as it is, the script of a shell, or words quoted so that each stays one word.
pub fn line_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            match words?.as_slice() {
                [] => None,
                [shell, "-c" | "-lc", script] if shell.ends_with("sh") => Some((*script).to_owned()),
                words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            }
        }
        _ => None,
    }
}

/// A text as one word of a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The canonical names of tools that agents may have under another name or not at all.
pub(crate) const CANONICAL_TOOLS: [&str; 17] = [
    "Bash", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "WebFetch",
    "WebSearch", "TodoWrite", "AskUserQuestion", "Agent", "Task", "TaskCreate", "Skill",
];

/// True for the canonical name of a tool.
pub(crate) fn is_canonical(name: &str) -> bool {
    CANONICAL_TOOLS.contains(&name)
}

impl ToolCall {
    /// Reads a call off its canonical name, native name and (canonical) input.
    pub fn new(name: &str, native_name: &str, input: &Value) -> Self {
        let kind = match kind_of(name) {
            ToolKind::Other if is_shell_like(name, input) => ToolKind::Shell,
            kind => kind,
        };
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        let command = match kind {
            ToolKind::Shell => command_of(input),
            _ => None,
        };
        let paths = match kind {
            ToolKind::Shell | ToolKind::Agent | ToolKind::Fetch => Vec::new(),
            ToolKind::Patch => patch::paths(
                ["command", "input", "patch"].iter().find_map(|key| text(key)).unwrap_or_default(),
            ),
            _ => named_paths(input, access_of(kind, name)),
        };
        Self { name: name.to_owned(), native_name: native_name.to_owned(), kind, paths, command }
    }

    /// The names under which a matcher may select the call.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let aliases: &[&str] = match (self.kind, self.name.as_str()) {
            (ToolKind::Patch, _) => &["Edit", "Write", "MultiEdit"],
            (_, "Agent") => &["Task"],
            (_, "Task") => &["Agent"],
            // Tools of names that nobody knew: a matcher selects them by what they do.
            (ToolKind::Shell, name) if name != "Bash" => &["Bash"],
            (ToolKind::Other, name) if !self.paths.is_empty() => file_aliases(name),
            _ => &[],
        };
        let native = (self.native_name != self.name).then_some(self.native_name.as_str());
        std::iter::once(self.name.as_str()).chain(native).chain(aliases.iter().copied())
    }

    /// What the tool does to the paths that it is given.
    pub fn access(&self) -> Access {
        access_of(self.kind, &self.name)
    }

    /// True when the call may change files.
    pub fn changes_files(&self) -> bool {
        matches!(self.kind, ToolKind::Write | ToolKind::Edit | ToolKind::Patch)
    }
}

/// The command of a shell tool's input: one text, one list of words, or several of these.
fn command_of(input: &Value) -> Option<String> {
    COMMAND_KEYS.iter().find_map(|key| line_of(input.get(key)?)).or_else(|| {
        let one = |command: &Value| line_of(command).or_else(|| line_of(command.get("command")?));
        let all: Option<Vec<String>> = input.get("commands")?.as_array()?.iter().map(one).collect();
        all.map(|all| all.join("\n"))
    })
}

/// Words in the names of tools that run commands.
const SHELL_WORDS: [&str; 9] =
    ["bash", "shell", "terminal", "command", "exec", "powershell", "pwsh", "zsh", "console"];
/// Known tools whose `command` or `input` is no shell's.
const NO_SHELLS: [&str; 5] = ["Skill", "SlashCommand", "Workflow", "REPL", "ToolSearch"];

/// True for a tool of unknown name that runs commands: by its name and a field that holds one, or by having nothing but
/// that field. A renamed shell must not lead past the guards.
fn is_shell_like(name: &str, input: &Value) -> bool {
    if NO_SHELLS.contains(&name) || command_of(input).is_none() {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let named = SHELL_WORDS.iter().any(|word| lower.contains(word));
    let has = |keys: &[&str]| keys.iter().any(|key| input.get(key).is_some());
    // An editor tool has a `command` too: what to do with its file.
    named || has(&["command", "cmd"]) && !has(&PATH_KEYS) && !has(&["url", "query", "uri"])
}

/// The names under which a tool of unknown name that works on files may be selected.
fn file_aliases(name: &str) -> &'static [&'static str] {
    match access_of(ToolKind::Other, name) {
        Access::Write => &["Write", "Edit"],
        Access::Delete => &[],
        Access::Read => &["Read"],
    }
}

fn kind_of(name: &str) -> ToolKind {
    match name {
        "Bash" | "PowerShell" | "Monitor" => ToolKind::Shell,
        // Names of shell tools that agents have had, when a payload does not say whose it is.
        "shell" | "exec_command" | "local_shell" | "unified_exec" | "container.exec"
        | "run_shell_command" => ToolKind::Shell,
        "Read" | "NotebookRead" | "LS" => ToolKind::Read,
        "Write" => ToolKind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "apply_patch" => ToolKind::Patch,
        "Grep" => ToolKind::Grep,
        "Glob" => ToolKind::Glob,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Agent" | "Task" => ToolKind::Agent,
        _ if name.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other,
    }
}

/// MCP tools say by their name alone whether they write; in doubt they read.
fn access_of(kind: ToolKind, name: &str) -> Access {
    match kind {
        ToolKind::Write | ToolKind::Edit | ToolKind::Patch => Access::Write,
        ToolKind::Mcp | ToolKind::Other => {
            let tool = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| tool.contains(word));
            let is_word = |word: &str| tool.split(['_', '-']).any(|part| part == word);
            if has(&["delete", "remove", "unlink"]) || is_word("rm") || is_word("destroy") || is_word("purge")
            {
                Access::Delete
            } else if has(&[
                "write", "edit", "create", "move", "rename", "append", "patch", "replace", "save",
            ]) {
                Access::Write
            } else {
                Access::Read
            }
        }
        _ => Access::Read,
    }
}

fn named_paths(input: &Value, access: Access) -> Vec<PathUse> {
    let Some(object) = input.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    let mut push = |path: &str, access| {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if !path.is_empty() {
            found.push(PathUse { path: path.to_owned(), access });
        }
    };
    for (key, value) in object {
        match value {
            Value::String(path) if PATH_KEYS.contains(&key.as_str()) => push(path, access),
            Value::String(uri) if key == "uri" && uri.starts_with("file://") => push(uri, access),
            Value::Array(many) if matches!(key.as_str(), "paths" | "files" | "file_paths" | "include") => {
                for path in many.iter().filter_map(Value::as_str) {
                    push(path, access);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, input: Value) -> ToolCall {
        ToolCall::new(name, name, &input)
    }

    #[test]
    fn file_tools_name_their_path() {
        let edit = call("Edit", json!({"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}));
        assert_eq!(edit.kind, ToolKind::Edit);
        assert_eq!(edit.paths, [PathUse { path: "/p/a.py".into(), access: Access::Write }]);
        let grep = call("Grep", json!({"pattern": "/etc/passwd", "path": "/p"}));
        assert_eq!(grep.paths.len(), 1, "a search term is not a path");
        let read = call("Read", json!({"file_path": "/p/a.py"}));
        assert_eq!(read.paths, [PathUse { path: "/p/a.py".into(), access: Access::Read }]);
    }

    #[test]
    fn a_command_is_a_text_or_a_list_of_words() {
        let line = |name: &str, input: Value| call(name, input).command;
        let script = json!({"command": ["bash", "-lc", "rm -rf $X"]});
        assert_eq!(line("Bash", script).unwrap(), "rm -rf $X");
        let given = json!({"command": ["bash", "-c", "rm $0", "x"]});
        assert_eq!(line("Bash", given).unwrap(), "bash -c 'rm $0' x");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(line("shell", json!({"command": ["rm", "-rf", "/"]})).unwrap(), "rm -rf /");
        assert_eq!(line("exec_command", json!({"cmd": "ls"})).unwrap(), "ls");
        assert_eq!(line("Bash", json!({"command": [1]})), None);
    }

    #[test]
    fn mcp_tools_are_read_by_their_keys_and_name() {
        let call = call("mcp__fs__move_file", json!({"source": "/a", "destination": "/b"}));
        assert_eq!(call.kind, ToolKind::Mcp);
        assert!(call.paths.iter().all(|p| p.access == Access::Write));
        assert_eq!(call.paths.len(), 2);
    }

    #[test]
    fn a_patch_is_selected_by_the_edit_and_write_matchers() {
        let patch = call(
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"}),
        );
        let names: Vec<_> = patch.names().collect();
        assert!(names.contains(&"Edit") && names.contains(&"Write") && names.contains(&"apply_patch"));
        assert_eq!(patch.paths, [PathUse { path: "a.txt".into(), access: Access::Write }]);
    }

    #[test]
    fn a_renamed_shell_is_one() {
        for (name, input) in [
            ("run_in_terminal", json!({"command": "rm -rf /"})),
            ("ExecuteCommand", json!({"cmd": ["rm", "-rf", "/"]})),
            ("run_commands", json!({"commands": [{"command": "ls"}, "rm -rf /"]})),
            ("do_it", json!({"command": "rm -rf /", "timeout": 3})),
        ] {
            let call = call(name, input);
            assert_eq!(call.kind, ToolKind::Shell, "{name}");
            assert!(call.command.as_deref().unwrap().ends_with("rm -rf /"), "{name}");
            assert!(call.names().any(|known| known == "Bash"), "{name}");
        }
        for (name, input) in [
            ("Skill", json!({"command": "review"})),
            ("str_replace_editor", json!({"command": "view", "path": "/a"})),
            ("remember", json!({"input": "the shell of the egg"})),
            ("lookup", json!({"command": "x", "query": "y"})),
        ] {
            assert_ne!(call(name, input).kind, ToolKind::Shell, "{name}");
        }
    }

    #[test]
    fn a_renamed_file_tool_is_selected_by_what_it_does() {
        let names = |name: &str| -> Vec<String> {
            call(name, json!({"target_file": "/p/a"})).names().map(str::to_owned).collect()
        };
        assert!(names("save_document").contains(&"Write".to_owned()));
        assert!(names("open_document").contains(&"Read".to_owned()));
        assert_eq!(names("delete_document"), ["delete_document"]);
    }

    #[test]
    fn odd_input_gives_no_paths_and_no_panic() {
        for input in [json!(null), json!([1]), json!("x"), json!({"file_path": 3})] {
            assert!(call("Edit", input).paths.is_empty());
        }
    }
}
