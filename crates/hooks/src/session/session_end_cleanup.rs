//! session-end-cleanup: the time in the continuity ledger, old outputs of subagents, and a last look for learnings in
//! the background.

use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_memory::knowledge::evaluate::Options;
use sprag_memory::knowledge::task::task_of;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::work::Evaluation;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

settings! {
    struct SessionEndCleanupSettings<'a> {
        /// the folder with continuity ledgers, below the root
        ledgers_dir: Text = "thoughts/ledgers";
        /// the folder with outputs of subagents, below the root
        cache_dir: Text = ".claude/cache/agents";
        /// outputs that are older are removed
        cache_days: u64 = 7, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-end-cleanup",
        family: Family::Session,
        bundle: Bundle::Memory,
        summary: "sets the ledger's time, removes old outputs of subagents, looks for learnings in the background",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionEndCleanupSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// Behind the session's own last judgement, which makes this one find nothing new.
const AFTER_S: u64 = 5;
const MAX_FOLDERS: usize = 1_000;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionEndCleanupSettings<'_> = cx.settings.read();
    // One thing that does not work keeps no other from being done.
    let ledger = touch_ledger(&cx.project.root.join(settings.ledgers_dir), cx.host.clock.now());
    let days = Duration::from_secs(settings.cache_days * 86_400);
    let oldest = cx.host.clock.now().before(days);
    let cleaned = clean_outputs(&cx.project.root.join(settings.cache_dir), oldest);
    let mut reply = Reply::pass();
    if let Some(task) = task_of(event) {
        let key = task.session.clone();
        let work = Work::SessionLearnings(Evaluation { of: task, options: Options::default(), last: false });
        reply = reply.with_job(Job { delay_s: AFTER_S, ..Job::new(work).keyed(key) });
    }
    ledger?;
    cleaned?;
    Ok(reply)
}

/// Sets the time behind `Updated:` in the ledger that was last written.
fn touch_ledger(folder: &Path, now: Stamp) -> io::Result<()> {
    let newest = ledgers(folder).into_iter().max();
    let Some((_, path)) = newest else { return Ok(()) };
    let Some(bytes) = files::read_whole(&path, 4 << 20)? else { return Ok(()) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
    match with_time(&text, now) {
        Some(changed) => files::write_atomic(&path, changed.as_bytes()),
        None => Ok(()),
    }
}

fn ledgers(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("CONTINUITY_") && name.ends_with(".md")
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect()
}

fn with_time(text: &str, now: Stamp) -> Option<String> {
    let mut done = false;
    let mut out = String::with_capacity(text.len() + 32);
    for line in text.split_inclusive('\n') {
        match line.find("Updated: ").filter(|_| !done) {
            Some(at) => {
                done = true;
                let end = if line.ends_with('\n') { "\n" } else { "" };
                out.push_str(line.get(..at).unwrap_or_default());
                out.push_str(&format!("Updated: {now}{end}"));
            }
            None => out.push_str(line),
        }
    }
    done.then_some(out)
}

/// Removes `latest-output.md` of subagents that have written nothing for long.
fn clean_outputs(folder: &Path, oldest: Stamp) -> io::Result<()> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FOLDERS) {
        let path = entry.path().join("latest-output.md");
        let old =
            path.symlink_metadata().and_then(|meta| meta.modified()).is_ok_and(|at| Stamp::from(at) < oldest);
        if old {
            files::remove(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_time_is_set() {
        let now = Stamp::parse("2026-11-15T09:00:00Z").unwrap();
        let text = "# Ledger\n- Updated: yesterday\n\nUpdated: keep\n";
        let got = with_time(text, now).unwrap();
        assert_eq!(got, "# Ledger\n- Updated: 2026-11-15T09:00:00.000000Z\n\nUpdated: keep\n");
        assert_eq!(with_time("no time here", now), None);
    }
}
