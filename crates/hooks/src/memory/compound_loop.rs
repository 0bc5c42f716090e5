//! compound-loop: after a turn, the session is judged in the background: decisions, failures, learnings, handoff.
//! Not after every turn: one judgement waits at a time, with a pause between two, and only when something was added.

use sprag_config::settings::{Kind, Setting};
use sprag_memory::knowledge::evaluate::Options;
use sprag_memory::knowledge::export::Task;
use sprag_memory::knowledge::open;
use sprag_memory::knowledge::task::{open_session, task_left, task_of};
use sprag_memory::knowledge::work::{EVALUATE_JOB, OPEN_EVALUATE, evaluate_job};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};
use sprag_runtime::job::Job;
use sprag_runtime::queue;

const MIN_MESSAGES: Setting = Setting::new(
    "min_messages",
    Kind::Int { default: 4, min: 1 },
    "a model judges sessions with at least so many messages",
);
const MIN_USER_CHARS: Setting =
    Setting::new("min_user_chars", Kind::Int { default: 200, min: 0 }, "and so many characters of the user");
const SLIM_HANDOFF: Setting = Setting::new(
    "slim_handoff_enabled",
    Kind::Bool(true),
    "without a model, take a handoff from the transcript",
);
const GRADING: Setting =
    Setting::new("grading_enabled", Kind::Bool(true), "keep the model's grade of the session");
const LEARNINGS: Setting = Setting::new(
    "learnings_subdir",
    Kind::Text("learnings"),
    "the folder of learnings, below the knowledge folder",
);

/// How a session is judged.
pub const JUDGING: &[Setting] = &[MIN_MESSAGES, MIN_USER_CHARS, SLIM_HANDOFF, GRADING, LEARNINGS];

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "compound-loop",
        family: Family::Memory,
        summary: "judges the session in the background: decisions, failures, learnings, and a handoff for the next one",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
        ],
        presets: Presets("sxw"),
        settings: &[
            Setting::new(
                "debounce_seconds",
                Kind::Int { default: 60, min: 0 },
                "wait so long for more turns before judging",
            ),
            Setting::new(
                "reprocess_min_growth_seconds",
                Kind::Int { default: 120, min: 0 },
                "two judgements of a session are at least so far apart",
            ),
            Setting::new(
                "reprocess_min_growth_bytes",
                Kind::Int { default: 2_000, min: 0 },
                "and the transcript has grown by at least so much",
            ),
            MIN_MESSAGES,
            MIN_USER_CHARS,
            SLIM_HANDOFF,
            GRADING,
            LEARNINGS,
        ],
        timeout_ms: 500,
    },
    run,
};

/// When this session was last queued, and how long its transcript was then.
const QUEUED: &str = "compound-loop";

pub(crate) fn options(cx: &Cx<'_>) -> Options {
    Options {
        min_messages: cx.settings.count("min_messages"),
        min_user_chars: cx.settings.count("min_user_chars"),
        slim_handoff_enabled: cx.settings.flag("slim_handoff_enabled"),
        grading_enabled: cx.settings.flag("grading_enabled"),
        learnings_subdir: cx.settings.text("learnings_subdir").to_owned(),
        forced: false,
    }
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(task) = task_of(event) else { return Ok(Reply::pass()) };
    open::begin(&cx.host.paths, OPEN_EVALUATE, &open_session(&task))?;
    if event.kind == EventKind::SessionStart {
        let mut reply = Reply::pass();
        for left in open::abandoned(&cx.host.paths, OPEN_EVALUATE, &task.session, cx.host.clock.now()) {
            reply = reply.with_job(evaluate_job(&task_left(left), &options(cx), true));
        }
        return Ok(reply);
    }
    Ok(match due(&task, cx)? {
        Some(delay_s) => Reply::pass().with_job(Job { delay_s, ..evaluate_job(&task, &options(cx), false) }),
        None => Reply::pass(),
    })
}

/// In how many seconds the session is to be judged; `None` when that is taken care of or nothing was added.
fn due(task: &Task, cx: &Cx<'_>) -> std::io::Result<Option<u64>> {
    if queue::waiting(&cx.host.paths, EVALUATE_JOB, &task.session).is_some() {
        // It reads the transcript when its time comes: this turn is in it.
        return Ok(None);
    }
    let Ok(meta) = std::fs::metadata(&task.transcript) else { return Ok(None) };
    let (size, now) = (meta.len(), cx.host.clock.now().seconds());
    let text = cx.session.read(QUEUED);
    let mut known = text.split_whitespace().map(|word| word.parse::<u64>().unwrap_or(0));
    let (queued, length) = (known.next().unwrap_or(0), known.next().unwrap_or(0));
    let setting = |key: &str| cx.settings.int(key) as u64;
    // A transcript that is shorter than it was is another one.
    if queued > 0 && size >= length && size - length < setting("reprocess_min_growth_bytes") {
        return Ok(None);
    }
    let pause = (queued + setting("reprocess_min_growth_seconds")).saturating_sub(now);
    let delay = setting("debounce_seconds").max(if queued > 0 { pause } else { 0 });
    cx.session.write(QUEUED, &format!("{} {size}\n", now + delay))?;
    Ok(Some(delay))
}
