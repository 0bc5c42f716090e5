//! known-fix: when a command fails with an error that was met and fixed before, says what fixed it, in that very turn.
//! At the end of a turn in which something failed, the session is read in the background for what it fixed.

use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_guard::shell;
use sprag_lessons::fixes::book::{self, KnownFix};
use sprag_lessons::fixes::error_text;
use sprag_lessons::fixes::intent::Intent;
use sprag_lessons::jobs;
use sprag_protocol::outcome::{CallEnd, shell_end};
use sprag_protocol::{AgentId, Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};

settings! {
    struct KnownFixSettings {
        /// also tell what fixed it in another project of the same profile, without names
        other_projects: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "known-fix",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "tells what fixed an error before, when a command fails with it again; once per session",
        sees: &[
            Sees { kind: EventKind::PostToolUse, matcher: "Bash|PowerShell" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "Bash|PowerShell" },
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: KnownFixSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// A mark that something failed in the session. It stays to the end: the fix may come turns later.
const FAILED: &str = "failed-calls";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::Stop | EventKind::SessionEnd => Ok(ended(event, cx)),
        _ => failed(event, cx),
    }
}

/// A call that worked costs nothing here: no file is opened, nothing is parsed.
fn failed(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some((end, output)) = shell_end(event) else { return Ok(Reply::pass()) };
    let certain = end == CallEnd::Failed;
    let error = match end {
        CallEnd::Worked => None,
        CallEnd::Failed => error_text::read(output),
        CallEnd::Unknown => error_text::read_strict(output),
    };
    let Some(error) = error else { return Ok(Reply::pass()) };
    let Some((line, _)) = shell::analysis(event, cx) else { return Ok(Reply::pass()) };
    let intent = Intent::from_analysis(&line);
    let Some(main) = intent.main().filter(|_| !intent.is_question()) else { return Ok(Reply::pass()) };
    if !event.session_id.is_empty() {
        cx.session.append(FAILED, &error.key)?;
    }
    if cx.session.is_recovering() {
        return Ok(Reply::pass());
    }
    let settings: KnownFixSettings = cx.settings.read();
    let found = book::find(&cx.host.paths, &error.key, &main.program, certain, cx.project);
    Ok(match found.filter(|known| settings.other_projects || !known.foreign) {
        Some(known) => Reply::note(format!("known-fix:{}", error.key), priority::FACTS, sentence(&known)),
        None => Reply::pass(),
    })
}

/// One line: that it was met, where and when, what failed and what fixed it, and how to see more.
fn sentence(known: &KnownFix) -> String {
    let fix = &known.fix;
    let (year, month, day, ..) = Stamp(u64::try_from(fix.at).unwrap_or_default()).civil();
    let agent = AgentId::from_name(&fix.agent).map_or("an agent", |agent| agent.spec().title);
    let (place, remedy) = if known.foreign {
        ("in another project", fix.elsewhere.as_str())
    } else {
        ("in this project", fix.remedy.as_str())
    };
    let times = match fix.seen.len() {
        0 | 1 => String::new(),
        many => format!(", {many} times"),
    };
    format!(
        "sprag known-fix: this error was met before {place} (a session of {agent}, {year}-{month:02}-{day:02}{times}). \
         What was done then, after which it worked: {remedy}. Use it if it fits; `sprag lessons fixes {}` shows where it comes from.",
        fix.key
    )
}

/// Reads the session in the background when something failed in it.
fn ended(event: &Event, cx: &Cx<'_>) -> Reply {
    let Some(transcript) = event.transcript_path.as_deref().filter(|path| !path.is_empty()) else {
        return Reply::pass();
    };
    if event.session_id.is_empty() || !cx.session.has(FAILED) {
        return Reply::pass();
    }
    Reply::pass().with_job(jobs::session_job(&event.session_id, transcript, &event.cwd))
}
