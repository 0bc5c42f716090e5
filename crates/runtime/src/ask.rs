//! What single hooks would say about an event, outside of any session: for explanations. Nothing is journaled or remembered.

use crate::hook::{Builtin, Cx, HookError, Reply};
use crate::message;
use crate::session::Session;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::plan::Mode;
use sprag_project::Project;
use sprag_protocol::{AgentId, Decision, DecodeError, Event, EventKind, decode};
use sprag_shell::AnalysisMemo;
use std::time::Duration;

/// A tool call that nobody makes, as the event before it, in the canonical vocabulary.
pub fn tool_call(tool: &str, input: &Value, cwd: &str) -> Result<Event, DecodeError> {
    let payload = json!({"hook_event_name": EventKind::PreToolUse.name(), "session_id": "explain", "cwd": cwd,
        "tool_name": tool, "tool_input": input});
    decode::decode(payload.to_string().as_bytes(), Some(AgentId::CANONICAL), &|_| None)
}

/// What one hook says with the active configuration.
pub struct Answer {
    /// The hook.
    pub hook: &'static str,
    /// Its reply; `None`: it is off here.
    pub reply: Option<Reply>,
    /// It runs in shadow mode: what it says changes nothing.
    pub shadow: bool,
}

impl Answer {
    /// Its verdict in one word.
    pub fn word(&self) -> &'static str {
        self.reply.as_ref().map_or("off", |reply| match reply.decision {
            Decision::Pass if !reply.notes.is_empty() => "warn",
            decision => decision.name(),
        })
    }

    /// Why; empty when it has nothing to say.
    pub fn reason(&self) -> String {
        let reply = self.reply.as_ref();
        let note = || reply.and_then(|reply| Some(reply.notes.first()?.text.clone()));
        reply.and_then(message::grounds).or_else(note).unwrap_or_default()
    }

    /// The rule behind it.
    pub fn rule(&self) -> Option<&str> {
        self.reply.as_ref()?.grounds.rule.as_deref()
    }
}

/// Asks these hooks as the runtime would, each for itself; the name of the one that failed is part of the error.
pub fn hooks(
    builtins: &'static [Builtin],
    names: &[&'static str],
    event: &Event,
    project: &Project,
    host: &Host,
) -> Result<Vec<Answer>, (&'static str, HookError)> {
    let loaded = sprag_config::load(host, project);
    let session = Session::new(&host.paths, "explain");
    let memo = AnalysisMemo::default();
    let mut all = Vec::new();
    for &name in names {
        let planned = loaded.resolved.chain(event.kind).find(|planned| planned.hook.name == name);
        let builtin = builtins.iter().find(|builtin| builtin.spec.name == name);
        let (Some(planned), Some(builtin)) = (planned, builtin) else {
            all.push(Answer { hook: name, reply: None, shadow: false });
            continue;
        };
        let cx = Cx {
            name,
            host,
            session: &session,
            project,
            settings: &planned.hook.settings,
            preset: loaded.resolved.preset,
            time: Duration::from_millis(u64::from(planned.hook.timeout_ms)),
            recheck: true,
            shell: &memo,
        };
        let reply = (builtin.run)(event, &cx).map_err(|error| (name, error))?;
        all.push(Answer { hook: name, reply: Some(reply), shadow: planned.hook.mode == Mode::Shadow });
    }
    Ok(all)
}

/// The answer that decides: the strongest verdict, the first of equals, as in the chain. `None`: all pass.
pub fn strongest(answers: &[Answer]) -> Option<(Decision, &Answer)> {
    answers
        .iter()
        .filter(|answer| !answer.shadow)
        .filter_map(|answer| answer.reply.as_ref().map(|reply| (reply.decision, answer)))
        .filter(|(decision, _)| *decision != Decision::Pass)
        .fold(None, |best: Option<(Decision, &Answer)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
}
