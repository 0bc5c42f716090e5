//! typescript-preflight: type errors and lint errors of an edited TypeScript file, at once where that is quick.

use sprag_checks::ask::{self, Asking, Subject};
use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use std::time::Duration;

settings! {
    struct TypescriptPreflightSettings {
        /// the longest to wait; checks that took longer last time are told at the next event
        wait_ms: u64 = 8_000;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "typescript-preflight",
        family: Family::Verify,
        bundle: Bundle::Checks,
        summary: "checks types and lint after an edit of a TypeScript file and tells the errors at once",
        sees: &[Sees { kind: EventKind::PostToolUse, matcher: "Edit|Write|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: TypescriptPreflightSettings::SETTINGS,
        timeout_ms: 9_000,
    },
    run,
};

const ENDINGS: [&str; 4] = ["ts", "tsx", "mts", "cts"];

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: TypescriptPreflightSettings = cx.settings.read();
    let mut files = ask::edited(event, cx);
    files.retain(|file| file.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)));
    if files.is_empty() {
        return Ok(Reply::pass());
    }
    ask::remember(cx, &files)?;
    let budget = Duration::from_millis(settings.wait_ms);
    let wait = ask::patience(cx, HOOK.spec.name, &files, budget, true);
    ask::ask(
        event,
        cx,
        &Asking { hook: HOOK.spec.name, subject: Subject::TypeScript, files: &files, stop: false, wait },
    )?;
    Ok(ask::news(cx))
}
