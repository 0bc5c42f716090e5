//! compiler-in-the-loop: Python, TypeScript, Go and Rust are compiled or checked after each edit, JavaScript, shell, PHP and
//! Ruby for their syntax; a session that wants to end with errors of its own is held until they are fixed, or the breaker
//! lets it go.

use sprag_checks::ask::{self, Asking, Subject};
use sprag_checks::hold::{self, Held, STOP_BUDGET};
use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_verify::ledger::OpenFindings;
use std::path::Path;
use std::time::Duration;

settings! {
    struct CompilerInTheLoopSettings {
        /// checks that took less than this last time are waited for; slower ones are told at the next event
        wait_ms: u64 = 4_000;
        /// ends of a turn that are held in a row
        max_holds: u32 = 3;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "compiler-in-the-loop",
        family: Family::Verify,
        bundle: Bundle::Checks,
        summary: "compiles or checks code after edits; holds the end of a turn until errors are fixed",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "Edit|Write|MultiEdit" },
            Sees { kind: EventKind::PostToolUse, matcher: "Edit|Write|MultiEdit" },
            Sees { kind: EventKind::Stop, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: CompilerInTheLoopSettings::SETTINGS,
        timeout_ms: 15_000,
    },
    run,
};

/// The most errors that are shown at the end of a turn.
const MAX_ERRORS_SHOWN: usize = 10;

/// Endings, and whether the checker is quick when nobody knows yet.
const ENDINGS: [(&str, bool); 15] = [
    ("py", true),
    ("pyi", true),
    ("go", false),
    ("rs", false),
    ("ts", false),
    ("tsx", false),
    ("mts", false),
    ("cts", false),
    ("js", true),
    ("mjs", true),
    ("cjs", true),
    ("sh", true),
    ("bash", true),
    ("php", true),
    ("rb", true),
];

fn known(file: &Path) -> Option<bool> {
    let ending = file.extension()?.to_str()?;
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, quick)| *quick)
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: CompilerInTheLoopSettings = cx.settings.read();
    if event.kind == EventKind::Stop {
        return stop(event, cx, &settings);
    }
    let mut files = ask::edited(event, cx);
    files.retain(|file| known(file).is_some());
    if files.is_empty() {
        return Ok(Reply::pass());
    }
    if event.kind == EventKind::PreToolUse {
        ask::note_before(cx, &files)?;
        return Ok(Reply::pass());
    }
    ask::remember(cx, &files)?;
    let budget = Duration::from_millis(settings.wait_ms);
    let quick = files.iter().all(|file| known(file) == Some(true));
    let wait = ask::patience(cx, HOOK.spec.name, &files, budget, quick);
    ask::ask(
        event,
        cx,
        &Asking { hook: HOOK.spec.name, subject: Subject::Compile, files: &files, stop: false, wait },
    )?;
    Ok(ask::news(cx))
}

/// Errors until they are fixed.
fn stop(event: &Event, cx: &Cx<'_>, settings: &CompilerInTheLoopSettings) -> HookResult {
    let held = Held {
        hook: HOOK.spec.name,
        subject: Subject::Compile,
        which: OpenFindings::Errors,
        heading: "The project does not compile after your edits; fix this before you finish",
        wait: STOP_BUDGET,
        advice: &[],
        max_shown: MAX_ERRORS_SHOWN,
        max_holds: settings.max_holds,
    };
    hold::hold(event, cx, &held)
}
