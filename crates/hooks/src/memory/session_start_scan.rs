//! session-start-scan: looks for lessons in transcripts, in the background, at most once per interval.

use sprag_config::settings::{Kind, Setting};
use sprag_lessons::jobs;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-scan",
        family: Family::Memory,
        summary: "looks for lessons in transcripts in the background, at most once per interval",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets("sxw"),
        settings: &[
            Setting::new(
                "auto_scan_interval_hours",
                Kind::Int { default: 24, min: 1 },
                "at most one scan in this many hours",
            ),
            Setting::new(
                "scan_paths",
                Kind::Texts(&[]),
                "folders with transcripts; without any, those of the agents",
            ),
            Setting::new(
                "max_candidates_per_scan",
                Kind::Int { default: 50, min: 1 },
                "the most new candidates of one scan; the best are kept",
            ),
            Setting::new(
                "heuristics",
                Kind::Bool(true),
                "also look for errors and their corrections, not only for tags",
            ),
            Setting::new(
                "model",
                Kind::Bool(false),
                "also let the model that [llm] names read new sessions; this spends tokens",
            ),
            Setting::new(
                "promote_tags_from",
                Kind::Int { default: 0, min: 0 },
                "a `#lesson` tag of at least this confidence (percent) counts without a review; 0 is never",
            ),
        ],
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.session_source() {
        // What another machine or another session changed counts from here on.
        "startup" => Ok(Reply::pass().with_job(jobs::sync_job()).with_job(jobs::scan_job(&cx.settings))),
        "resume" => Ok(Reply::pass().with_job(jobs::sync_job())),
        _ => Ok(Reply::pass()),
    }
}
