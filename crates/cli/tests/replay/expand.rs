//! Sessions in the short form (see README.md) as transcripts in the agents' own formats.

use serde_json::{Value, json};

/// One session.
pub(crate) struct Session {
    pub(crate) agent: String,
    pub(crate) kind: String,
    cwd: String,
    steps: Vec<Step>,
}

enum Step {
    User(String),
    Machine(String),
    Said(String),
    Call(Call),
    Wait(u64),
}

#[derive(Default)]
struct Call {
    /// The letter of the step, and what stands after it.
    what: char,
    name: String,
    background: bool,
    old: Vec<String>,
    new: Vec<String>,
    result: Vec<String>,
    failed: bool,
    stop: Option<String>,
}

impl Session {
    pub(crate) fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\n\n").unwrap();
        let value = |key: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
            line.unwrap_or_else(|| panic!("no {key}")).to_owned()
        };
        let mut steps: Vec<Step> = Vec::new();
        for line in body.lines() {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let call = |what: char, background: bool| {
                Step::Call(Call { what, name: rest.to_owned(), background, ..Call::default() })
            };
            match (mark, steps.last_mut()) {
                (">", _) => steps.push(Step::User(rest.to_owned())),
                ("@", _) => steps.push(Step::Machine(rest.replace("\\n", "\n"))),
                ("<", _) => steps.push(Step::Said(rest.to_owned())),
                ("~", _) => steps.push(Step::Wait(rest.parse().unwrap())),
                ("$", _) => steps.push(call('$', false)),
                ("$&", _) => steps.push(call('$', true)),
                ("r" | "w" | "e" | "g" | "f" | "t", _) => {
                    steps.push(call(mark.chars().next().unwrap(), false));
                }
                ("$+", Some(Step::Call(call))) => call.name = format!("{}\n{rest}", call.name),
                ("-", Some(Step::Call(call))) => call.old.push(rest.to_owned()),
                ("+", Some(Step::Call(call))) => call.new.push(rest.to_owned()),
                ("!fail", Some(Step::Call(call))) => call.failed = true,
                ("!!", Some(Step::Call(call))) => call.stop = Some(rest.to_owned()),
                ("", Some(Step::Call(call))) => {
                    call.result.push(line.get(2..).unwrap_or_default().to_owned());
                }
                _ => panic!("`{line}` is no step"),
            }
        }
        Self { agent: value("agent"), kind: value("kind"), cwd: value("cwd"), steps }
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        })
    }

    pub(crate) fn length(&self) -> usize {
        self.calls().count()
    }

    /// The calls that ought to be stopped: their ids and the hooks.
    pub(crate) fn wanted(&self) -> Vec<(String, String)> {
        self.calls().enumerate().filter_map(|(at, call)| Some((id(at), call.stop.clone()?))).collect()
    }

    /// The transcript, in the agent's own format.
    pub(crate) fn transcript(&self, name: &str) -> String {
        let mut lines = match self.agent.as_str() {
            "codex" => vec![json!({"type": "session_meta", "payload": {"id": name, "cwd": self.cwd,
                "cli_version": "0.166.0", "source": "cli", "git": {"branch": "main"}}})],
            "gemini" => vec![
                json!({"sessionId": name, "projectHash": "8753984e", "startTime": stamp(0), "kind": "main"}),
                json!({"$set": {"messages": [{"id": "c0", "type": "user", "content": [{"text": format!(
                    "<session_context>\n- **Workspace Directories:**\n  - {}\n</session_context>", self.cwd)}]}]}}),
            ],
            _ => vec![json!({"type": "permission-mode", "permissionMode": "default", "sessionId": name})],
        };
        let (mut seconds, mut number) = (0, 0);
        for step in &self.steps {
            seconds += 5;
            match step {
                Step::Wait(more) => seconds += more,
                Step::User(text) | Step::Machine(text) => lines.push(self.user(text, lines.len())),
                Step::Said(text) => lines.push(self.said(text, lines.len())),
                Step::Call(call) => {
                    lines.extend(self.call(call, &id(number), lines.len()));
                    number += 1;
                }
            }
            for line in lines.iter_mut().rev().take_while(|line| line.get("timestamp").is_none()) {
                let object = line.as_object_mut().unwrap();
                object.insert("timestamp".into(), stamp(seconds).into());
                if self.agent == "claude" {
                    object.insert("sessionId".into(), name.into());
                    object.insert("cwd".into(), self.cwd.as_str().into());
                    object.insert("gitBranch".into(), "main".into());
                    object.insert("version".into(), "2.1.325".into());
                }
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn user(&self, text: &str, at: usize) -> Value {
        match self.agent.as_str() {
            "codex" => item(
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
            ),
            "gemini" => json!({"id": format!("m{at}"), "type": "user", "content": [{"text": text}]}),
            _ => {
                json!({"type": "user", "uuid": format!("u{at}"), "message": {"role": "user", "content": text}})
            }
        }
    }

    fn said(&self, text: &str, at: usize) -> Value {
        match self.agent.as_str() {
            "codex" => item(
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
            ),
            "gemini" => {
                json!({"id": format!("m{at}"), "type": "gemini", "content": text, "model": "gemini-2.5-pro"})
            }
            _ => assistant(at, &json!({"type": "text", "text": text})),
        }
    }

    fn call(&self, call: &Call, id: &str, at: usize) -> Vec<Value> {
        let (name, input) = self.tool(call);
        let text = call.result.join("\n");
        match self.agent.as_str() {
            "codex" => {
                let code = i32::from(call.failed);
                let output = format!(
                    "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{text}"
                );
                let (made, gave) = match name.as_str() {
                    "apply_patch" => (
                        json!({"type": "custom_tool_call", "name": name, "input": input}),
                        json!({"type": "custom_tool_call_output", "output": output}),
                    ),
                    _ => (
                        json!({"type": "function_call", "name": name, "arguments": input.to_string()}),
                        json!({"type": "function_call_output", "output": output}),
                    ),
                };
                [made, gave]
                    .into_iter()
                    .map(|mut part| {
                        part.as_object_mut().unwrap().insert("call_id".into(), id.into());
                        item(part)
                    })
                    .collect()
            }
            "gemini" => {
                let code = if call.failed { "\nExit Code: 1" } else { "" };
                let shown = if name == "run_shell_command" { format!("Output: {text}{code}") } else { text };
                let result =
                    json!([{"functionResponse": {"id": id, "name": name, "response": {"output": shown}}}]);
                vec![
                    json!({"id": format!("m{at}"), "type": "gemini", "content": "", "model": "gemini-2.5-pro",
                    "toolCalls": [{"id": id, "name": name, "args": input, "status": "success", "result": result}]}),
                ]
            }
            _ => {
                let made = json!({"type": "tool_use", "id": id, "name": name, "input": input});
                let numbered =
                    call.result.iter().enumerate().map(|(at, line)| format!("{:6}→{line}", at + 1));
                let text = if call.what == 'r' { numbered.collect::<Vec<_>>().join("\n") } else { text };
                let gave = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": call.failed});
                vec![
                    assistant(at, &made),
                    json!({"type": "user", "uuid": format!("u{}", at + 1),
                        "message": {"role": "user", "content": [gave]}}),
                ]
            }
        }
    }

    /// The tool's name and input, as the agent spells them.
    fn tool(&self, call: &Call) -> (String, Value) {
        let path = if call.name.starts_with('/') {
            call.name.clone()
        } else {
            format!("{}/{}", self.cwd, call.name)
        };
        let (old, new) = (call.old.join("\n"), call.new.join("\n"));
        let sign = |sign: char, lines: &[String]| {
            lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>()
        };
        let (name, input) = match (self.agent.as_str(), call.what) {
            ("codex", '$') => ("exec_command", json!({"cmd": call.name})),
            ("codex", 'r') => ("exec_command", json!({"cmd": format!("sed -n '1,200p' {}", call.name)})),
            ("codex", 'g') => ("exec_command", json!({"cmd": format!("rg -n '{}'", call.name)})),
            ("codex", 'f') => ("exec_command", json!({"cmd": format!("rg --files -g '{}'", call.name)})),
            ("codex", 'w') => {
                let text = format!(
                    "*** Begin Patch\n*** Add File: {}\n{}*** End Patch\n",
                    call.name,
                    sign('+', &call.new)
                );
                ("apply_patch", text.into())
            }
            ("codex", 'e') => {
                let (gone, come) = (sign('-', &call.old), sign('+', &call.new));
                let text = format!(
                    "*** Begin Patch\n*** Update File: {}\n@@\n{gone}{come}*** End Patch\n",
                    call.name
                );
                ("apply_patch", text.into())
            }
            ("gemini", '$') => ("run_shell_command", json!({"command": call.name})),
            ("gemini", 'r') => ("read_file", json!({"file_path": path})),
            ("gemini", 'w') => ("write_file", json!({"file_path": path, "content": new + "\n"})),
            ("gemini", 'e') => ("replace", json!({"file_path": path, "old_string": old, "new_string": new})),
            ("gemini", 'g') => ("grep_search", json!({"pattern": call.name})),
            ("gemini", 'f') => ("glob", json!({"pattern": call.name})),
            (_, '$') if call.background => ("Bash", json!({"command": call.name, "run_in_background": true})),
            (_, '$') => ("Bash", json!({"command": call.name})),
            (_, 'r') => ("Read", json!({"file_path": path})),
            (_, 'w') => ("Write", json!({"file_path": path, "content": new + "\n"})),
            (_, 'e') => ("Edit", json!({"file_path": path, "old_string": old, "new_string": new})),
            (_, 'g') => ("Grep", json!({"pattern": call.name, "output_mode": "content"})),
            (_, 'f') => ("Glob", json!({"pattern": call.name})),
            _ => {
                let (name, input) = call.name.split_once(' ').unwrap();
                (name, serde_json::from_str(input).unwrap())
            }
        };
        (name.to_owned(), input)
    }
}

fn id(at: usize) -> String {
    format!("call_{:03}", at + 1)
}

fn stamp(seconds: u64) -> String {
    let seconds = 9 * 3_600 + seconds;
    format!("2026-11-02T{:02}:{:02}:{:02}.000Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

fn item(payload: Value) -> Value {
    json!({"type": "response_item", "payload": payload})
}

fn assistant(at: usize, block: &Value) -> Value {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 20_000 + 200 * at, "output_tokens": 90});
    json!({"type": "assistant", "uuid": format!("a{at}"), "message": {"id": format!("msg_{at}"), "role": "assistant",
        "model": "claude-opus-5-5", "content": [block], "usage": usage}})
}
