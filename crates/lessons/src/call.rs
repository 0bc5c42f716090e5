//! A tool call as lessons see it: names, command, paths, content, whichever agent makes it.

use crate::index::{Entry, Index, Limits, Matches, Places};
use crate::library;
use crate::model::LessonKind;
use serde_json::Value;
use sprag_config::host::Host;
use sprag_guard::shell;
use sprag_project::Project;
use sprag_protocol::tool::{ToolKind, line_of};
use sprag_protocol::{AgentId, Event, ToolCall};
use sprag_runtime::hook::Cx;
use sprag_shell::{Analysis, AnalysisMemo, Context};

/// The variable that says whose tool names a payload has.
pub const PLATFORM: &str = "LESSONS_AGENT_PLATFORM";

/// The most of a call's content that is looked at.
const MAX_CONTENT: usize = 8 << 20;

/// A call, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonCall {
    /// The tool's names, the canonical one first.
    pub names: Vec<String>,
    /// The command.
    pub command: String,
    /// The paths.
    pub paths: Vec<String>,
    /// What is written, searched for or asked.
    pub content: String,
}

impl LessonCall {
    /// Reads the call of an event; `None` when it has none.
    pub fn of(event: &Event, platform: Option<&str>) -> Option<Self> {
        let tool = event.tool.as_ref().filter(|tool| !tool.name.is_empty())?;
        let null = Value::Null;
        let input = event.tool_input().unwrap_or(&null);
        // Tool names of other agents, in payloads that come without a sign of whose they are.
        let alias = platform.and_then(AgentId::from_name).and_then(|agent| {
            let aliases = agent.spec().tools.aliases;
            aliases.iter().find(|(name, _)| *name == tool.native_name).map(|(_, to)| *to)
        });
        let mapped = alias
            .filter(|alias| *alias != tool.name)
            .map(|alias| ToolCall::new(alias, &tool.native_name, input));
        let patch = tool.kind == ToolKind::Patch;
        let mut call = Self::new(mapped.as_ref().filter(|_| !patch).unwrap_or(tool), input);
        if patch && let Some(alias) = alias.filter(|alias| !call.names.iter().any(|name| name == alias)) {
            call.names.insert(0, alias.to_owned());
        }
        Some(call)
    }

    /// Reads a call off its tool and input.
    pub fn new(tool: &ToolCall, input: &Value) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut call = Self {
            names: tool.names().map(str::to_owned).collect(),
            paths: tool.paths.iter().map(|used| used.path.clone()).collect(),
            ..Self::default()
        };
        match tool.kind {
            ToolKind::Shell => call.command = command_of(tool, input),
            ToolKind::Write => text("content").clone_into(&mut call.content),
            ToolKind::Edit => call.content = edited(input),
            ToolKind::Patch => call.content = added(text("command"), text("input")),
            ToolKind::Grep => {
                text("pattern").clone_into(&mut call.content);
                call.paths.extend(Some(text("glob")).filter(|glob| !glob.is_empty()).map(str::to_owned));
            }
            ToolKind::Glob => {
                let pattern = text("pattern");
                if !pattern.is_empty() {
                    call.paths.extend(call.paths.first().map(|folder| format!("{folder}/{pattern}")));
                    call.paths.push(pattern.to_owned());
                }
            }
            ToolKind::Read => {}
            ToolKind::Fetch | ToolKind::Agent | ToolKind::Mcp | ToolKind::Other => {
                if matches!(tool.kind, ToolKind::Mcp | ToolKind::Other) {
                    call.command = command_of(tool, input);
                }
                words(input, &call.paths, 0, &mut call.content);
            }
        }
        call
    }

    /// What one index says about the call.
    pub fn find(&self, index: &Index, place: &CallSite<'_>) -> Matches {
        let executable = || executable(&place.memo.analyse(&self.command, &place.context));
        let remote = || place.project.remote_key();
        let call = crate::index::Call {
            names: self.names.iter().map(String::as_str).collect(),
            command: &self.command,
            paths: self.paths.clone(),
            content: self.content.clone(),
            executable: &executable,
            places: Places { paths: place.paths(), remote: &remote },
        };
        index.find(&call, Limits::default())
    }

    /// The tool's canonical name.
    pub fn tool(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// A lesson about a call.
#[derive(Clone, Debug)]
pub struct Match {
    /// The lesson.
    pub entry: Entry,
    /// Its pattern needed too many steps: it says nothing.
    pub given_up: bool,
}

impl Match {
    /// What it does with the call: `deny`, `hint` or `given up`.
    pub fn effect(&self) -> &'static str {
        match (self.given_up, self.entry.kind) {
            (true, _) => "given up",
            (_, LessonKind::Guard) => "deny",
            _ => "hint",
        }
    }
}

/// What all lessons that count here say about a call, guards first; and what is wrong with the lessons.
pub fn matching(host: &Host, project: &Project, call: &LessonCall) -> (Vec<Match>, Vec<String>) {
    let library = library::open(host, project);
    let memo = AnalysisMemo::default();
    let place = CallSite::of(host, project, &memo);
    let mut found: Vec<Match> = Vec::new();
    for index in &library.indexes {
        let matches = call.find(index, &place);
        let said = matches.guards.iter().chain(&matches.hints).map(|rank| (rank, false));
        let all = said.chain(matches.given_up.iter().map(|rank| (rank, true)));
        found.extend(all.filter_map(|(rank, given_up)| Some(Match { entry: index.entry(*rank)?, given_up })));
    }
    found.sort_by_key(|found| {
        (found.entry.kind != LessonKind::Guard, std::cmp::Reverse(found.entry.priority))
    });
    (found, library.troubles)
}

/// Where a call is made.
pub struct CallSite<'a> {
    project: &'a Project,
    context: Context,
    memo: &'a AnalysisMemo,
}

impl<'a> CallSite<'a> {
    /// The place of an event.
    pub fn of(host: &Host, project: &'a Project, memo: &'a AnalysisMemo) -> Self {
        let context = shell::context_at(&project.cwd.to_string_lossy(), &host.paths.home, project);
        Self { project, context, memo }
    }

    /// The same for a hook.
    pub fn here(cx: &Cx<'a>) -> Self {
        Self::of(cx.host, cx.project, cx.shell)
    }

    fn paths(&self) -> Vec<String> {
        [&self.project.cwd, &self.project.root].map(|path| path.to_string_lossy().into_owned()).into()
    }

    /// Whether a lesson's scope means this project.
    pub fn is_in(&self, scope: Option<&str>) -> bool {
        let remote = || self.project.remote_key();
        Places { paths: self.paths(), remote: &remote }.is_here(scope)
    }
}

/// A line as a shell would run it: without quoted text and here-documents, which are data, and then, line by line, the
/// commands that it hands to another shell, runs in a substitution or in a wrapper.
fn executable(line: &Analysis) -> String {
    let mut text = without_names(&line.line_without_data());
    for inner in line.commands.iter().filter(|command| !command.reached.is_empty()) {
        text.push('\n');
        text.push_str(&inner.name);
        if NAMING.contains(&inner.name.as_str()) {
            continue;
        }
        for arg in &inner.args {
            text.push(' ');
            let quoted = arg.raw.as_deref().is_some_and(|raw| raw.starts_with(['"', '\'']));
            text.push_str(if quoted { "\"\"" } else { &arg.text });
        }
    }
    text
}

/// Programs whose words are names and texts that they look for, print or describe: nothing of them is run.
const NAMING: [&str; 26] = [
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "which", "type", "whereis", "whatis",
    "man", "tldr", "cat", "bat", "less", "head", "tail", "ls", "stat", "file", "wc", "sed", "touch", "mkdir",
];
/// Programs that do the same with what follows these words.
const NAMING_VERBS: [&str; 18] = [
    "install", "add", "remove", "uninstall", "show", "info", "view", "search", "i", "upgrade", "update",
    "download", "list", "grep", "log", "blame", "diff", "help",
];
/// Programs whose verbs are meant.
const MANAGERS: [&str; 22] = [
    "pip", "pip3", "pipx", "uv", "poetry", "pdm", "conda", "mamba", "npm", "pnpm", "yarn", "bun", "cargo",
    "gem", "go", "apt", "apt-get", "dnf", "yum", "apk", "brew", "git",
];

/// A line whose quoted text is gone, without the words that name something instead of running it: `pip install pytest` and
/// `grep -rn pytest .` are no runs of pytest.
fn without_names(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find([';', '|', '&', '\n', '(', ')', '`']).unwrap_or(rest.len());
        let (segment, after) = rest.split_at(end);
        out.push_str(named_only(segment).unwrap_or(segment));
        let mark = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(after.get(..mark).unwrap_or_default());
        rest = after.get(mark..).unwrap_or_default();
    }
    out
}

/// The part of one command that says what is run, when the rest are names.
fn named_only(segment: &str) -> Option<&str> {
    // Where each word begins and ends.
    let mut words = segment.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - segment.as_ptr() as usize;
        (word, start + word.len())
    });
    let assignment = |word: &str| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-']));
    let (program, end) = words.by_ref().find(|(word, _)| !assignment(word))?;
    let base = program.rsplit('/').next().unwrap_or(program);
    if NAMING.contains(&base) {
        return segment.get(..end);
    }
    if !MANAGERS.contains(&base) {
        return None;
    }
    let (_, end) = words.take(3).find(|(word, _)| NAMING_VERBS.contains(word))?;
    segment.get(..end)
}

/// The command, also of a tool that is no shell.
fn command_of(tool: &ToolCall, input: &Value) -> String {
    tool.command.clone().or_else(|| line_of(input.get("command")?)).unwrap_or_default()
}

fn edited(input: &Value) -> String {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let one = [text(input, "new_string"), text(input, "new_source")].concat();
    let many = input
        .get("edits")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|edit| text(edit, "new_string"));
    std::iter::once(one).chain(many).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What a patch adds.
fn added(command: &str, input: &str) -> String {
    let patch = if command.is_empty() { input } else { command };
    patch.lines().filter_map(|line| line.strip_prefix('+')).collect::<Vec<_>>().join("\n")
}

/// Every text in an input that is no path, one per line.
fn words(value: &Value, paths: &[String], depth: usize, out: &mut String) {
    match value {
        Value::String(text) if !paths.contains(text) && out.len() + text.len() < MAX_CONTENT => {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        }
        Value::Array(items) if depth < 8 => items.iter().for_each(|item| words(item, paths, depth + 1, out)),
        Value::Object(map) if depth < 8 => map.values().for_each(|item| words(item, paths, depth + 1, out)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_protocol::{AgentId, decode};

    fn call(agent: AgentId, platform: Option<&str>, tool: &str, input: Value) -> LessonCall {
        let payload =
            json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}).to_string();
        let event = decode::decode(payload.as_bytes(), Some(agent), &|_| None).unwrap();
        LessonCall::of(&event, platform).unwrap()
    }

    #[test]
    fn fault_15_quoting_does_not_hide_a_command_and_a_here_document_is_none() {
        let run = |command: &str| {
            let context = Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
            executable(&sprag_shell::analyse(command, &context))
        };
        for shown in [
            "pytest -x", "bash -c \"pytest -x\"", "sh -c 'cd a && pytest'", "echo \"$(pytest)\"",
            "sudo pytest", "bash <<EOF\npytest\nEOF",
        ] {
            assert!(run(shown).contains("pytest"), "{shown}: {}", run(shown));
        }
        for hidden in [
            "echo \"run pytest\"",
            "git commit -m 'fix pytest \\'",
            "cat > x <<'EOF'\npytest\nEOF",
            "cat <<-END >f && ls\n\tpytest\n\tEND\nls",
            "echo \"a \\\" pytest\"",
            "pip install pytest",
            "uv pip install -U pytest",
            "which pytest && ls",
            "grep -rn pytest .",
            "cat pytest.ini",
            "X=1 echo pytest",
            "git log --grep pytest",
        ] {
            assert!(!run(hidden).contains("pytest"), "{hidden}: {}", run(hidden));
        }
        assert!(run("cat <<A\nx\nA\npytest").contains("pytest"), "after the document the line goes on");
        assert_eq!(run("git commit -m 'x' | sort -u"), "git commit -m '' | sort -u");
    }

    #[test]
    fn fault_8_and_9_every_tool_has_something_to_match() {
        let claude = |tool: &str, input: Value| call(AgentId::Claude, None, tool, input);
        let glob = claude("Glob", json!({"pattern": "**/*.py", "path": "/p"}));
        assert!(glob.paths.contains(&"/p/**/*.py".to_owned()) && glob.paths.contains(&"**/*.py".to_owned()));
        let grep = claude("Grep", json!({"pattern": "TODO", "path": "/p", "glob": "*.rs"}));
        assert_eq!((grep.content.as_str(), grep.paths.len()), ("TODO", 2));
        let multi = claude(
            "MultiEdit",
            json!({"file_path": "/a", "edits": [{"new_string": "x"}, {"new_string": "y"}]}),
        );
        assert_eq!(multi.content, "x\ny");
        let mcp = claude("mcp__serena__find", json!({"relative": {"deep": ["needle"]}, "path": "/a"}));
        assert_eq!((mcp.content.as_str(), mcp.paths.as_slice()), ("needle", &["/a".to_owned()][..]));
        let process = claude("mcp__dc__start_process", json!({"command": "pytest", "timeout_ms": 1}));
        assert_eq!(process.command, "pytest");
    }

    #[test]
    fn other_agents_tools_are_known() {
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+print(1)\n*** End Patch";
        let codex = call(AgentId::Codex, None, "apply_patch", json!({"command": patch}));
        assert!(codex.names.iter().any(|name| name == "Edit"));
        assert_eq!((codex.paths.as_slice(), codex.content.as_str()), (&["a.py".to_owned()][..], "print(1)"));
        let gemini = call(AgentId::Gemini, None, "replace", json!({"file_path": "/a", "new_string": "x"}));
        assert_eq!((gemini.tool(), gemini.content.as_str()), ("Edit", "x"));
        // By the variable alone, in the shape of Claude Code.
        let shell = call(AgentId::Claude, Some("gemini"), "run_shell_command", json!({"command": "ls"}));
        assert_eq!((shell.tool(), shell.command.as_str()), ("Bash", "ls"));
        let array =
            call(AgentId::Claude, Some("codex"), "shell", json!({"command": ["bash", "-lc", "pytest"]}));
        assert_eq!((array.tool(), array.command.as_str()), ("Bash", "pytest"));
    }

    #[test]
    fn odd_input_is_no_call_to_match() {
        for input in [json!(null), json!("text"), json!({"command": 3}), json!([1])] {
            assert!(call(AgentId::Claude, None, "Bash", input).command.is_empty());
        }
    }
}
