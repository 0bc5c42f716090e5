//! session-export: every turn, what was said goes into `sessions/` as markdown. The hook only says so; the background
//! reads the new part of the transcript.

use sprag_config::settings;
use sprag_memory::knowledge::export::Task;
use sprag_memory::knowledge::open;
use sprag_memory::knowledge::task::task_of;
use sprag_memory::knowledge::work::{OPEN_EXPORT, export_job};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

settings! {
    struct SessionExportSettings {
        /// sessions with fewer messages are not kept
        min_messages: usize = 4, min 1;
        /// run `qmd update` after an export, where qmd is on the PATH
        qmd_update: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-export",
        family: Family::Session,
        bundle: Bundle::Memory,
        summary: "keeps what was said as markdown in the knowledge folder, in the background, and makes it searchable",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionExportSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionExportSettings = cx.settings.read();
    let Some(task) = task_of(event) else { return Ok(Reply::pass()) };
    let job = |task: &Task, last: bool| export_job(task, settings.min_messages, settings.qmd_update, last);
    if event.kind != EventKind::SessionStart {
        return Ok(Reply::pass().with_job(job(&task, event.kind == EventKind::SessionEnd)));
    }
    open::begin(&cx.host.paths, OPEN_EXPORT, &sprag_memory::knowledge::task::open_session(&task))?;
    let mut reply = Reply::pass();
    for left in open::abandoned(&cx.host.paths, OPEN_EXPORT, &task.session, cx.host.clock.now()) {
        reply = reply.with_job(job(&sprag_memory::knowledge::task::task_left(left), true));
    }
    Ok(reply)
}
