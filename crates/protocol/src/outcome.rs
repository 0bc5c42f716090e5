//! How a shell call ended and what it printed, as far as the agents tell: by the event, by a line of the result, or not at all.

use crate::dialects;
use crate::event::Event;
use crate::kind::EventKind;
use serde_json::Value;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It failed, or its command did not end with 0.
    Failed,
    /// It did what it should.
    Worked,
    /// The agent gives the output and nothing else.
    Unknown,
}

/// The end and the output of the shell call of an event after a tool call; `None` where there is none, or where somebody
/// stopped it.
pub fn shell_end(event: &Event) -> Option<(CallEnd, &str)> {
    if event.kind == EventKind::PostToolUseFailure {
        let text = event.text("error").unwrap_or_default();
        return (!event.flag("is_interrupt")).then_some((CallEnd::Failed, text));
    }
    if event.kind != EventKind::PostToolUse {
        return None;
    }
    let response = event.tool_response()?;
    let field = |key: &str| response.get(key).filter(|value| !value.is_null());
    if field("interrupted") == Some(&Value::Bool(true)) || field("backgroundTaskId").is_some() {
        return None;
    }
    let text = |key: &str| field(key).and_then(Value::as_str);
    let output = text("llmContent").or_else(|| text("stdout")).or_else(|| text("output"));
    let output = output.or_else(|| response.as_str()).unwrap_or_default();
    let code = ["exit_code", "exitCode"].iter().find_map(|key| field(key).and_then(Value::as_i64));
    let ended = |code: i64| if code == 0 { CallEnd::Worked } else { CallEnd::Failed };
    let end = match code {
        Some(code) => ended(code),
        // The agent's own frame has the code; of 0 it says nothing.
        None if text("llmContent").is_some() => ended(exit_code(output).unwrap_or(0).into()),
        // Where failures are an event of their own, this is none.
        None if dialects::of(event.agent).row(EventKind::PostToolUseFailure).is_some() => CallEnd::Worked,
        None => exit_code(output).map_or(CallEnd::Unknown, |code| ended(code.into())),
    };
    Some((end, output))
}

/// The exit code that an agent writes into a result.
pub fn exit_code(output: &str) -> Option<i32> {
    let marks = ["Exit Code: ", "Exit code: ", "exited with code "];
    marks.iter().find_map(|mark| {
        let rest = output.rsplit_once(mark)?.1;
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
        digits.parse().ok()
    })
}

/// Lines that agents put around what a command printed.
const FRAME: [&str; 16] = [
    "Exit code ", "Exit Code: ", "Exit code: ", "<untrusted_context>", "</untrusted_context>",
    "Process Group PGID: ", "Background PIDs: ", "Signal: ", "Directory: ", "Command: ", "Chunk ID: ",
    "Wall time: ", "Process exited with code ", "Original token count: ", "Error: (none)",
    "Command exited with code: ",
];

/// What a command printed, without the lines that the agent put around it.
pub fn printed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if FRAME.iter().any(|frame| line.starts_with(frame)) || line == "Output:" || line == "Output: (empty)"
        {
            continue;
        }
        out.push_str(line.strip_prefix("Output: ").unwrap_or(line));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AgentId;
    use crate::decode;
    use crate::recordings;

    fn end(name: &str) -> Option<(CallEnd, String)> {
        let text = recordings::get(name).unwrap().text;
        let agent = AgentId::from_name(name.split('/').next().unwrap());
        let event = decode::decode(text.as_bytes(), agent, &|_| None).unwrap();
        shell_end(&event).map(|(end, text)| (end, printed(text)))
    }

    #[test]
    fn every_agent_tells_in_its_own_way() {
        for (name, wanted, output) in [
            (
                "claude/PostToolUseFailure.Bash.2",
                CallEnd::Failed,
                "grep: src/cart.py: No such file or directory\n",
            ),
            ("claude/PostToolUse.Bash", CallEnd::Worked, "cart.py\n"),
            ("codex/PostToolUse.Bash", CallEnd::Unknown, "cart.py\n"),
            ("gemini/AfterTool.run_shell_command", CallEnd::Worked, "cart.py\n"),
            ("gemini/AfterTool.run_shell_command.2", CallEnd::Failed, ""),
            ("qwen/PostToolUseFailure.run_shell_command", CallEnd::Failed, ""),
            ("qwen/PostToolUse.run_shell_command", CallEnd::Worked, "hi\n"),
        ] {
            assert_eq!(end(name), Some((wanted, output.to_owned())), "{name}");
        }
        assert_eq!(end("claude/PreToolUse.Bash"), None);
    }
}
