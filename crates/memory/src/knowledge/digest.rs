//! What a transcript says without a model: requests, open todos, files, failing commands. Fed record by record, so
//! that its size does not matter.

use super::{decided, open_items, text};
use serde_json::Value;
use sprag_base::time::Stamp;
use sprag_project::git::GitState;
use sprag_protocol::{Access, ToolKind};
use sprag_scan::scrub::scrub;
use sprag_transcript::{Record, RecordKind, Role};
use std::collections::{HashMap, VecDeque};

/// A request with fewer characters says nothing by itself (`go on`, `yes please`).
const TRIVIAL: usize = 15;
const REQUEST_CHARS: usize = 200;
const MAX_REQUESTS: usize = 5;
const MAX_FILES: usize = 200;
const MAX_FAILING: usize = 50;
/// The conversation that is kept for a model: so many messages, so long each.
const MAX_TALK: usize = 60;
const TALK_CHARS: usize = 2_000;
const MAX_DECISIONS: usize = 10;
/// So much of the end of the last answer is kept.
const ANSWER_CHARS: usize = 1_200;
/// So much of an answer is looked through for what is open.
const SEARCHED_CHARS: usize = 64_000;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What.
    pub text: String,
    /// It is being worked on.
    pub active: bool,
    /// It is done.
    pub done: bool,
}

/// What is known of a session so far.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// Texts of the user and the model.
    pub messages: usize,
    /// Characters of the user.
    pub user_chars: usize,
    /// The last requests that say something, oldest first.
    pub requests: VecDeque<String>,
    /// The last request, whatever it says.
    pub last_request: String,
    /// The end of the model's last answer, in its own lines: that is where it says what comes next.
    pub last_answer: String,
    /// What the latest answer with such a list says is open, without what a later one marks as done.
    pub next_steps: Vec<String>,
    /// The latest list of things to do.
    pub todos: Vec<Todo>,
    /// Choices that were stated, in the words in which they were.
    pub decisions: Vec<String>,
    /// Files that were changed, the latest last.
    pub changed: Vec<String>,
    /// Files that were read or changed, the latest last.
    pub touched: Vec<String>,
    /// Commands whose last run failed, with what they said.
    pub failing: Vec<(String, String)>,
    /// When the last record was written.
    pub last: Option<Stamp>,
    talk: VecDeque<(Role, String)>,
    running: HashMap<String, String>,
}

impl Digest {
    /// Takes a record in.
    pub fn feed(&mut self, record: &Record) {
        if record.sidechain {
            return;
        }
        self.last = self.last.max(record.time);
        if record.is_said() {
            self.messages += 1;
            self.said(record.role, record.text.trim());
        }
        if record.kind != RecordKind::Message {
            return;
        }
        for call in &record.calls {
            self.todos_of(&call.tool.name, &call.input);
            if let Some(command) = &call.tool.command {
                self.running.insert(call.id.clone(), text::cut(&text::one_line(&scrub(command)), 160));
            }
            let one_file =
                matches!(call.tool.kind, ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Patch);
            for used in call.tool.paths.iter().filter(|_| one_file && call.tool.name != "LS") {
                latest(&mut self.touched, &used.path);
                if used.access != Access::Read {
                    latest(&mut self.changed, &used.path);
                }
            }
        }
        for result in &record.results {
            let Some(command) = self.running.remove(&result.id) else { continue };
            // What did not run did not fail; nor is it known to work now.
            if result.refused {
                continue;
            }
            self.failing.retain(|(known, _)| *known != command);
            if result.error {
                let said = text::cut(&text::one_line(&scrub(&result.text)), 200);
                self.failing.push((command, said));
                if self.failing.len() > MAX_FAILING {
                    self.failing.remove(0);
                }
            }
        }
    }

    fn said(&mut self, role: Role, said: &str) {
        if role != Role::User {
            self.answered(said);
        }
        for decision in decided::of(said, role == Role::User) {
            let decision = scrub(&decision).into_owned();
            let known = self.decisions.iter().any(|known| text::same(known, &decision));
            if !known && self.decisions.len() < MAX_DECISIONS {
                self.decisions.push(decision);
            }
        }
        // A pasted log is cut before it is searched for secrets, not after.
        let said = scrub(text::start(said, 4 * TALK_CHARS)).into_owned();
        if role == Role::User {
            self.user_chars += said.chars().count();
            let request = text::cut(&text::one_line(&said), REQUEST_CHARS);
            if said.chars().count() > TRIVIAL {
                self.requests.push_back(request.clone());
                if self.requests.len() > MAX_REQUESTS {
                    self.requests.pop_front();
                }
            }
            self.last_request = request;
        }
        self.talk.push_back((role, text::cut(&said, TALK_CHARS)));
        if self.talk.len() > MAX_TALK {
            self.talk.pop_front();
        }
    }

    fn answered(&mut self, said: &str) {
        let searched = text::start(said, SEARCHED_CHARS);
        let clean = |item: &String| scrub(item).into_owned();
        let found = open_items::of(searched);
        if !found.is_empty() {
            self.next_steps = found.iter().map(clean).collect();
        }
        let done = open_items::done(searched);
        self.next_steps.retain(|step| !done.iter().any(|done| text::same(done, step)));
        scrub(&text::end(said, ANSWER_CHARS)).trim().clone_into(&mut self.last_answer);
    }

    fn todos_of(&mut self, tool: &str, input: &Value) {
        let list = match tool {
            "TodoWrite" => input.get("todos"),
            "update_plan" => input.get("plan"),
            "TaskCreate" => {
                if let Some(text) = input.get("subject").and_then(Value::as_str) {
                    self.todos.push(Todo { text: one(text), active: false, done: false });
                }
                return;
            }
            "TaskUpdate" => {
                let id = input.get("taskId").or_else(|| input.get("task_id")).and_then(Value::as_str);
                let at = id.and_then(|id| id.parse::<usize>().ok()).and_then(|id| id.checked_sub(1));
                if let (Some(todo), Some(status)) =
                    (at.and_then(|at| self.todos.get_mut(at)), input.get("status").and_then(Value::as_str))
                {
                    todo.active = status == "in_progress";
                    todo.done = matches!(status, "completed" | "deleted");
                }
                return;
            }
            _ => return,
        };
        let Some(list) = list.and_then(Value::as_array) else { return };
        self.todos = list
            .iter()
            .filter_map(|entry| {
                let of = |key: &str| entry.get(key).and_then(Value::as_str);
                let text = of("content").or_else(|| of("step")).or_else(|| of("description"))?;
                let status = of("status").unwrap_or_default();
                Some(Todo {
                    text: one(text),
                    active: status == "in_progress",
                    done: matches!(status, "completed" | "cancelled"),
                })
            })
            .collect();
    }

    /// Things that are not done; what is being worked on first.
    pub fn open_todos(&self) -> Vec<&Todo> {
        let mut open: Vec<&Todo> = self.todos.iter().filter(|todo| !todo.done).collect();
        open.sort_by_key(|todo| !todo.active);
        open
    }

    /// The end of the conversation within so many characters, oldest first.
    pub fn conversation(&self, most: usize) -> String {
        let mut parts = Vec::new();
        let mut used = 0;
        for (role, said) in self.talk.iter().rev() {
            let who = if *role == Role::User { "USER" } else { "ASSISTANT" };
            let part = format!("{who}: {said}");
            used += part.chars().count() + 2;
            if used > most && !parts.is_empty() {
                break;
            }
            parts.push(part);
        }
        parts.reverse();
        parts.join("\n\n")
    }

    /// True when there is something that a next session should know.
    pub fn says_something(&self) -> bool {
        !self.changed.is_empty()
            || !self.failing.is_empty()
            || !self.open_todos().is_empty()
            || !self.next_steps.is_empty()
            || (self.messages >= 2 && !self.requests.is_empty())
    }

    /// The handoff that needs no model.
    pub fn handoff(&self, root: &str, git: Option<&GitState>, branch: &str) -> String {
        let mut out = String::from("# Handoff (from the transcript)\n\n");
        if !self.last_request.is_empty() {
            out.push_str(&format!("- Last request: \"{}\"\n", self.last_request));
        }
        let meaningful = self.requests.back().filter(|request| **request != self.last_request);
        if let Some(request) = meaningful {
            out.push_str(&format!("- Working on: \"{request}\"\n"));
        }
        let branch = git.map_or(branch, |git| if git.branch.is_empty() { branch } else { &git.branch });
        if !branch.is_empty() {
            let state = git.and_then(GitState::uncommitted).map(|state| format!(" ({state})"));
            out.push_str(&format!(
                "- Branch: {}{}\n",
                sprag_base::text::name(branch),
                state.unwrap_or_default()
            ));
        }
        if !self.next_steps.is_empty() {
            out.push_str("\n## Next steps\n");
            for step in &self.next_steps {
                out.push_str(&format!("- [ ] {step}\n"));
            }
        }
        let todos = self.open_todos();
        if !todos.is_empty() {
            out.push_str("\n## Open todos\n");
            for todo in todos.iter().take(10) {
                let mark = if todo.active { " (in progress)" } else { "" };
                out.push_str(&format!("- [ ] {}{mark}\n", todo.text));
            }
        }
        if !self.last_answer.is_empty() {
            // Its own headings would be taken for the handoff's.
            let quoted: Vec<String> = self.last_answer.lines().map(|line| format!("> {line}")).collect();
            out.push_str(&format!("\n## End of the last answer\n{}\n", quoted.join("\n")));
        }
        if !self.changed.is_empty() {
            out.push_str("\n## Files changed\n");
            for file in self.changed.iter().rev().take(20) {
                out.push_str(&format!("- {}\n", below(file, root)));
            }
        }
        if !self.failing.is_empty() {
            out.push_str("\n## Commands that still fail\n");
            for (command, said) in self.failing.iter().rev().take(5) {
                out.push_str(&format!("- `{command}`: {said}\n"));
            }
        }
        out
    }
}

/// A path as seen from the project's root.
pub fn below<'a>(path: &'a str, root: &str) -> &'a str {
    match path.strip_prefix(root) {
        Some(rest) if rest.starts_with('/') && !root.is_empty() => rest.trim_start_matches('/'),
        _ => path,
    }
}

fn one(text: &str) -> String {
    text::cut(&text::one_line(&scrub(text)), 160)
}

fn latest(list: &mut Vec<String>, path: &str) {
    list.retain(|known| known != path);
    list.push(path.to_owned());
    if list.len() > MAX_FILES {
        list.remove(0);
    }
}
