//! build-sensor: runs the project's own build or type check after edits, in the background, and tells only what is new.
//! It also ends whatever still runs when the session does, and tells what other hooks of the family left.

use sprag_checks::ask::{self, Asking, Subject};
use sprag_checks::place::{EDITS, ENDED};
use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use std::time::Duration;

settings! {
    struct BuildSensorSettings {
        /// a build that took less than this last time is waited for; a slower one is told at the next event
        wait_ms: u64 = 2_000;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "build-sensor",
        family: Family::Verify,
        bundle: Bundle::Checks,
        summary: "runs the project's own build or type check after edits, one at a time, and tells only new failures",
        sees: &[
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "Bash|PowerShell" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: BuildSensorSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: BuildSensorSettings = cx.settings.read();
    match event.kind {
        EventKind::PostToolUse => {
            let files = ask::edited(event, cx);
            if files.is_empty() {
                ask::notice_build(event, cx)?;
            } else {
                ask::remember(cx, &files)?;
                let budget = Duration::from_millis(settings.wait_ms);
                let wait = ask::patience(cx, HOOK.spec.name, &files, budget, false);
                ask::ask(
                    event,
                    cx,
                    &Asking {
                        hook: HOOK.spec.name,
                        subject: Subject::Build,
                        files: &files,
                        stop: false,
                        wait,
                    },
                )?;
            }
            Ok(ask::news(cx))
        }
        EventKind::PostToolUseFailure => {
            ask::notice_build(event, cx)?;
            Ok(Reply::pass())
        }
        EventKind::UserPromptSubmit => Ok(ask::news(cx)),
        // Nothing may run for a session that is over; who runs it looks for this mark.
        EventKind::SessionEnd if cx.session.has(EDITS) => {
            cx.session.write(ENDED, "")?;
            Ok(Reply::pass())
        }
        _ => Ok(Reply::pass()),
    }
}
