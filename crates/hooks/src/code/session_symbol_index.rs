//! session-symbol-index: has the symbol index made or refreshed while the session begins; nobody waits for it. In a large
//! project that is new to sprag, one line says how to get an overview.

use sprag_base::files;
use sprag_config::settings;
use sprag_project::git;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::job::code_index;

settings! {
    struct SessionSymbolIndexSettings {
        /// the map is offered in projects with at least so many files in git; 0 never
        map_files: u64 = 300;
        /// in so many sessions, from the first one in a project
        map_sessions: u64 = 3;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-symbol-index",
        family: Family::Code,
        bundle: Bundle::Code,
        summary: "has the project's symbol index made or refreshed in the background",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionSymbolIndexSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// Beside the index: one byte for each session that was told of the map.
const OFFERED: &str = "map-offered";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(job) = code_index(cx.project, &cx.host.paths.home) else { return Ok(Reply::pass()) };
    let mut reply = offer(event, cx)?;
    reply.jobs.push(job);
    Ok(reply)
}

/// One line about the map, where the project is large and sessions in it are new.
fn offer(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionSymbolIndexSettings = cx.settings.read();
    if event.session_source() != "startup" || settings.map_files == 0 {
        return Ok(Reply::pass());
    }
    let Some(count) = git::tracked_files(cx.project) else { return Ok(Reply::pass()) };
    if u64::from(count) < settings.map_files {
        return Ok(Reply::pass());
    }
    let told = sprag_code::index::dir(&cx.host.paths.state, &cx.project.root).join(OFFERED);
    if told.metadata().is_ok_and(|meta| meta.len() >= settings.map_sessions) {
        return Ok(Reply::pass());
    }
    files::append(&told, b".")?;
    Ok(Reply::note(
        "code-map",
        priority::FACTS,
        format!(
            "This project has {count} files. `sprag code map` prints its most important files and symbols (2,000 tokens; \
             `--near FILE` for what a file uses)."
        ),
    ))
}
