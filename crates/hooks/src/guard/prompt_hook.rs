//! prompt-hook: a check in the user's own words, answered by a small model. Own hooks with `type = "prompt"` are this hook
//! under another name. It waits for the model, so it is put only where an event may wait.

mod answer;
mod question;

use answer::Said;
use sprag_base::files;
use sprag_base::id::{safe_name, short_hash};
use sprag_base::time::Stamp;
use sprag_config::typed::PromptHookSettings;
use sprag_llm::{Llm, LlmError};
use sprag_protocol::{Decision, Event, EventKind, answer::stop_of};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Presets, Reply, Sees,
};
use sprag_scan::scrub::scrub;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "prompt-hook",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "a check in your own words, answered by the small model of [llm]; own hooks with type = \"prompt\" are this one",
        sees: &[
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SubagentStop, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::PermissionRequest, matcher: "" },
        ],
        presets: Presets::NONE,
        settings: PromptHookSettings::SETTINGS,
        timeout_ms: 30_000,
    },
    run,
};

/// The most of a model's words that is passed on.
const MAX_REASON: usize = 2_000;
/// Answers that are kept; more than that, and the oldest go.
const MAX_KEPT: usize = 500;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.kind == EventKind::UserPromptSubmit && !event.is_from_user() {
        return Ok(Reply::pass());
    }
    let ends_turn = matches!(event.kind, EventKind::Stop | EventKind::SubagentStop);
    let count = Count::of(event, cx);
    if ends_turn && !count.one_more(cx)? {
        return Ok(Reply::pass().with_message(format!(
            "sprag: the check `{}` was not met {} times in a row; the turn may end now.",
            cx.name,
            cx.settings.read::<PromptHookSettings<'_>>().max_blocks
        )));
    }
    let said = ask(event, cx)?;
    let reply = reply_of(event.kind, cx, said);
    if ends_turn && !reply.decision.stops() {
        count.forget(cx)?;
    }
    Ok(reply)
}

/// How often the end of a turn was held in a row. Counted before the model is asked: a gate whose model is unavailable holds
/// as often as one whose model says no.
struct Count(String);

impl Count {
    fn of(event: &Event, cx: &Cx<'_>) -> Self {
        let agent = event.agent_id.as_deref().unwrap_or_default();
        Self(format!("prompt-held-{}", safe_name(&format!("{}-{agent}", cx.name))))
            .restarted_when(event.raw.get("stop_hook_active") == Some(&false.into()), cx)
    }

    /// The agent says that nobody sent it on: the turn is another one. An agent that says nothing is let go all the same.
    fn restarted_when(self, is_new: bool, cx: &Cx<'_>) -> Self {
        if is_new {
            let _ = self.forget(cx);
        }
        self
    }

    /// Counts one more; false when it was enough.
    fn one_more(&self, cx: &Cx<'_>) -> Result<bool, HookError> {
        let held: u64 = cx.session.read(&self.0).trim().parse().unwrap_or(0);
        if held >= cx.settings.read::<PromptHookSettings<'_>>().max_blocks {
            self.forget(cx)?;
            return Ok(false);
        }
        cx.session.write(&self.0, &(held + 1).to_string())?;
        Ok(true)
    }

    fn forget(&self, cx: &Cx<'_>) -> Result<(), HookError> {
        if cx.session.has(&self.0) {
            cx.session.remove(&self.0)?;
        }
        Ok(())
    }
}

/// The model's answer: the one that is kept, else a new one.
fn ask(event: &Event, cx: &Cx<'_>) -> Result<Said, HookError> {
    let settings: PromptHookSettings<'_> = cx.settings.read();
    let question = question::of(settings.prompt, &event.raw, settings.whole_payload);
    let mut llm = Llm::read(cx.host);
    if !settings.model.is_empty() {
        settings.model.clone_into(&mut llm.model);
    }
    let folder = cx.host.paths.cache().join("prompt-hook");
    // What is not in the key is not in the question either: an answer is one to exactly these words.
    let key = short_hash(format!("{:?}\0{}\0{question}", llm.backend, llm.model).as_bytes());
    let (file, now) = (folder.join(key), cx.host.clock.now());
    let fresh = Duration::from_secs(settings.cache_s);
    if let Some(said) = kept(&file, now, fresh) {
        return Ok(said);
    }
    llm.timeout = llm.timeout.min(cx.time);
    if llm.timeout.is_zero() {
        return Err("no time left before the event's deadline".into());
    }
    let text = llm.ask(cx.host, &question).map_err(|error| match error {
        LlmError::Timeout(_) => HookError::from(format!("the model did not answer within {:?}", llm.timeout)),
        error => error.into(),
    })?;
    let said = answer::read(&text)?;
    if !fresh.is_zero() {
        // One that cannot be kept is asked for again.
        let _ = files::write_atomic(&file, format!("{}\n{}", now.0, scrub(&text)).as_bytes());
        tidy(&folder, &file);
    }
    Ok(said)
}

/// An answer that is young enough. One from the future is none.
fn kept(file: &Path, now: Stamp, fresh: Duration) -> Option<Said> {
    let bytes = files::read_limited(file, 1 << 20).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    let (at, text) = text.split_once('\n')?;
    let age = now.0.checked_sub(at.parse().ok()?)?;
    if u128::from(age) >= fresh.as_micros() {
        return None;
    }
    answer::read(text).ok()
}

/// Keeps the folder small; only a new answer pays for it.
fn tidy(folder: &Path, used: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(std::time::SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    if found.len() <= MAX_KEPT {
        return;
    }
    found.sort();
    let most = found.len() - MAX_KEPT;
    for (_, path) in found.iter().filter(|(_, path)| path != used).take(most) {
        let _ = files::remove(path);
    }
}

/// The model's word as a verdict. It never approves: what it was shown may have been written to make it say yes.
fn reply_of(kind: EventKind, cx: &Cx<'_>, said: Said) -> Reply {
    let words = |text: Option<String>| {
        text.map(|text| scrub(text.trim()).chars().take(MAX_REASON).collect::<String>())
            .filter(|text| !text.is_empty())
    };
    let reason = words(said.reason).unwrap_or_else(|| format!("the check `{}` is not met", cx.name));
    let decision = match said.decision {
        // Without a way on, holding a turn only costs.
        Decision::Block if said.impossible && matches!(kind, EventKind::Stop | EventKind::SubagentStop) => {
            let message = format!("sprag: the check `{}` cannot be met: {reason}", cx.name);
            return Reply { stop: words(said.stop), ..Reply::pass().with_message(message) };
        }
        Decision::Block => stop_of(kind),
        // Who is asked for a permission is being asked.
        Decision::Ask if kind == EventKind::PreToolUse => Decision::Ask,
        _ => Decision::Pass,
    };
    let reason = (decision != Decision::Pass).then_some(reason);
    Reply { decision, reason, message: words(said.message), stop: words(said.stop), ..Reply::default() }
}
