//! auto-handoff: when the context is nearly full, the agent is asked once to write down what is open before it stops.

use sprag_config::settings;
use sprag_memory::knowledge::text;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_transcript::{Reader, RecordKind, Usage};
use std::path::Path;

settings! {
    struct AutoHandoffSettings<'a> {
        /// how full the context must be
        percent: u64 = 85, min 1;
        /// the model's window in tokens; 0 is what the agent says, else 200,000 (1,000,000 for a model named so)
        context_window: u64 = 0;
        /// where handoffs go, below the project's root
        folder: Text = "thoughts/shared/handoffs";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "auto-handoff",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "asks once for a handoff document before the agent stops with a nearly full context",
        sees: &[Sees { kind: EventKind::Stop, matcher: "" }],
        presets: Presets::of(&[Preset::Strict]),
        settings: AutoHandoffSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The session was asked. Forgotten when the context is far from full again.
const ASKED: &str = "auto-handoff";
/// So much of the transcript's end is read.
const TAIL: u64 = 256 << 10;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: AutoHandoffSettings<'_> = cx.settings.read();
    let Some(transcript) = event.transcript_path.as_deref() else { return Ok(Reply::pass()) };
    if event.flag("stop_hook_active") || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let Some(percent) = context_usage(Path::new(transcript), settings.context_window) else {
        return Ok(Reply::pass());
    };
    let limit = settings.percent;
    if percent < limit {
        if percent + 15 < limit && cx.session.has(ASKED) {
            cx.session.remove(ASKED)?;
        }
        return Ok(Reply::pass());
    }
    if cx.session.has(ASKED) {
        return Ok(Reply::pass());
    }
    // Asked is asked, even when the answer is lost: it must not go round in circles.
    cx.session.write(ASKED, &percent.to_string())?;
    let (year, month, day, hour, minute, _) = cx.host.clock.now().civil();
    let id = sprag_base::id::safe_name(&event.session_id);
    let path = format!(
        "{}/{year:04}-{month:02}-{day:02}_{hour:02}-{minute:02}_{}.md",
        settings.folder,
        text::start(&id, 8)
    );
    Ok(Reply::block(format!(
        "The context is {percent} % full. Before you stop, write a handoff to {path} that lets a new session go on: the \
         goal, what is done, what is open (next step first), decisions with their reasons, what was tried and failed, \
         and the files that matter. At most 60 lines. Then stop; you are not asked again."
    )))
}

/// How full the window is, in per cent, by the last answer after the last compaction.
fn context_usage(transcript: &Path, window: u64) -> Option<u64> {
    let mut reader = Reader::tail(transcript, TAIL).ok()?;
    let mut last: Option<Usage> = None;
    for record in reader.by_ref() {
        if record.kind == RecordKind::CompactBoundary {
            last = None;
        } else if !record.sidechain && record.usage.is_some() {
            last = record.usage;
        }
    }
    let usage = last?;
    let named = if reader.facts().model.contains("[1m]") { 1_000_000 } else { 200_000 };
    let size = if window > 0 { window } else { usage.window.unwrap_or(named) };
    // A request that is larger than the window shows that the window is larger.
    let size = if window == 0 && usage.context() > size { 1_000_000 } else { size };
    Some((usage.context() * 100 / size.max(1)).min(100))
}
