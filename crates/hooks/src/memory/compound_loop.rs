//! compound-loop: after a turn, the session is judged in the background: decisions, failures, learnings, handoff.
//! Not after every turn: one judgement waits at a time, with a pause between two, and only when something was added.

use sprag_config::settings;
use sprag_config::settings::{Setting, joined};
use sprag_memory::knowledge::evaluate::{JudgingSettings, options};
use sprag_memory::knowledge::export::Task;
use sprag_memory::knowledge::open;
use sprag_memory::knowledge::task::{open_session, task_left, task_of};
use sprag_memory::knowledge::work::{OPEN_EVALUATE, evaluate_job};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::Job;
use sprag_runtime::queue;

settings! {
    /// When a session is judged.
    struct PauseSettings {
        /// wait so long for more turns before judging
        debounce_seconds: u64 = 60;
        /// two judgements of a session are at least so far apart
        reprocess_min_growth_seconds: u64 = 120;
        /// and the transcript has grown by at least so much
        reprocess_min_growth_bytes: u64 = 2_000;
    }
}

const SETTINGS: [Setting; PauseSettings::SETTINGS.len() + JudgingSettings::SETTINGS.len()] =
    joined(PauseSettings::SETTINGS, JudgingSettings::SETTINGS);

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "compound-loop",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "judges the session in the background: decisions, failures, learnings, and a handoff for the next one",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: &SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// When this session was last queued, and how long its transcript was then.
const QUEUED: &str = "compound-loop";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(task) = task_of(event) else { return Ok(Reply::pass()) };
    open::begin(&cx.host.paths, OPEN_EVALUATE, &open_session(&task))?;
    if event.kind == EventKind::SessionStart {
        let mut reply = Reply::pass();
        for left in open::abandoned(&cx.host.paths, OPEN_EVALUATE, &task.session, cx.host.clock.now()) {
            reply = reply.with_job(evaluate_job(&task_left(left), options(&cx.settings.read()), true));
        }
        return Ok(reply);
    }
    let job = evaluate_job(&task, options(&cx.settings.read()), false);
    if queue::waiting_like(&cx.host.paths, &job).is_some() {
        // It reads the transcript when its time comes: this turn is in it.
        return Ok(Reply::pass());
    }
    Ok(match due(&task, cx)? {
        Some(delay_s) => Reply::pass().with_job(Job { delay_s, ..job }),
        None => Reply::pass(),
    })
}

/// In how many seconds the session is to be judged; `None` when nothing was added.
fn due(task: &Task, cx: &Cx<'_>) -> std::io::Result<Option<u64>> {
    let Ok(meta) = std::fs::metadata(&task.transcript) else { return Ok(None) };
    let (size, now) = (meta.len(), cx.host.clock.now().seconds());
    let text = cx.session.read(QUEUED);
    let mut known = text.split_whitespace().map(|word| word.parse::<u64>().unwrap_or(0));
    let (queued, length) = (known.next().unwrap_or(0), known.next().unwrap_or(0));
    let settings: PauseSettings = cx.settings.read();
    // A transcript that is shorter than it was is another one.
    if queued > 0 && size >= length && size - length < settings.reprocess_min_growth_bytes {
        return Ok(None);
    }
    let pause = (queued + settings.reprocess_min_growth_seconds).saturating_sub(now);
    let delay = settings.debounce_seconds.max(if queued > 0 { pause } else { 0 });
    cx.session.write(QUEUED, &format!("{} {size}\n", now + delay))?;
    Ok(Some(delay))
}
