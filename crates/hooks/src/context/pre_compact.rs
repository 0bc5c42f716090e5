//! pre-compact: what must not be lost when the conversation is compacted. A copy of the transcript, the last requests
//! and files for the summariser, and the same in a file for the session after.

use sprag_config::settings;
use sprag_memory::knowledge::digest::Digest;
use sprag_memory::knowledge::summary::{self, KeepBackups};
use sprag_memory::knowledge::{Knowledge, project_name};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Presets, Repeat, Reply, Sees, priority,
};
use sprag_transcript::Reader;
use std::path::Path;
use std::time::Duration;

settings! {
    struct PreCompactSettings {
        /// copy the transcript into compact-backups
        backup: bool = true;
        /// keep at most so many copies
        backup_files: usize = 20, min 1;
        /// keep at most so many megabytes of copies
        backup_mb: u64 = 512, min 1;
        /// keep no copy for longer
        backup_days: u64 = 30, min 1;
        /// at most one copy of a session in this time; some agents announce a compaction with every turn
        backup_minutes: u64 = 5;
        /// read at most so much of the transcript's end
        read_mb: u64 = 16, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "pre-compact",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "before a compaction: copies the transcript, tells the summariser the last requests and files, and keeps them",
        sees: &[Sees { kind: EventKind::PreCompact, matcher: "" }],
        presets: Presets::ALL,
        settings: PreCompactSettings::SETTINGS,
        timeout_ms: 10_000,
    },
    run,
};

/// When this session's transcript was last copied.
const COPIED: &str = "pre-compact-copied";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PreCompactSettings = cx.settings.read();
    let Some(transcript) =
        event.transcript_path.as_deref().map(Path::new).filter(|path| sprag_transcript::exists(path))
    else {
        return Ok(Reply::pass());
    };
    let knowledge = Knowledge::open(cx.host);
    let memory = knowledge.memory(cx.project);
    let mut digest = Digest::default();
    Reader::tail(transcript, settings.read_mb * 1024 * 1024)?.for_each(|record| digest.feed(&record));
    let text = summary::render(&digest, &memory, &cx.project.root.to_string_lossy());
    let now = cx.host.clock.now();
    // What the summariser is told does not depend on whether anything could be written.
    let kept = summary::save(&memory, &event.session_id, &text, now)
        .and_then(|()| back_up(cx, &knowledge, transcript));
    let mut reply = Reply::pass();
    if !text.is_empty() {
        reply.notes.push(Note {
            key: "pre-compact".to_owned(),
            priority: priority::FACTS,
            text: format!("{}\n\n{text}", summary::FRAME),
            repeat: Repeat::Always,
        });
    }
    if let Err(error) = kept {
        reply = reply.with_message(format!("sprag: before the compaction, {error} (`sprag doctor`)."));
    }
    Ok(reply)
}

fn back_up(cx: &Cx<'_>, knowledge: &Knowledge, transcript: &Path) -> sprag_memory::knowledge::Result<()> {
    let settings: PreCompactSettings = cx.settings.read();
    let now = cx.host.clock.now();
    let pause = Duration::from_secs(settings.backup_minutes * 60);
    let copied = cx.session.read(COPIED).trim().parse().unwrap_or(0);
    if !settings.backup || copied > now.before(pause).0 {
        return Ok(());
    }
    let keep = KeepBackups {
        files: settings.backup_files,
        bytes: settings.backup_mb * 1024 * 1024,
        age: Duration::from_secs(settings.backup_days * 86_400),
    };
    summary::backup(knowledge, transcript, &project_name(cx.project), keep, now)?;
    let _ = cx.session.write(COPIED, &now.0.to_string());
    Ok(())
}
