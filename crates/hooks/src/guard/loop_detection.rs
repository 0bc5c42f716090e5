//! loop-detection: one place of a file that goes back and forth, and the same failing edit over and over. A place is a
//! range of lines, followed through the session's edits. Many edits of one file are work.
//! Warns, then denies; per agent; a passed check, a commit or a prompt of the user ends the count.

mod places;
mod progress;

use places::{Back, Edit, Past, Verdict, judge};
use progress::{CHECKS, progress};
use sprag_base::files::read_limited;
use sprag_base::glob;
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::calls::{agent_of, id_of};
use sprag_runtime::history::EDITS;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::may_match;

settings! {
    struct LoopDetectionSettings<'a> {
        /// changes of one place before a warning; a change back is always warned about
        warn_at: usize = 4, min 2, tighten Lower;
        /// attempts of the same failing edit before a denial
        fail_block_at: usize = 3, min 2, tighten Lower;
        /// how long an edit counts
        window_minutes: u64 = 30, min 1, tighten Raise;
        /// commands that are progress when they pass: program, then words in order; `a|b` either, `*` any
        checks: Texts = CHECKS;
        /// files that are never a loop: `TODO.md`, `notes/**`
        ignore_paths: Texts;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "loop-detection",
        family: Family::Guard,
        summary: "warns about, then denies a place of a file that goes back and forth, and the same failing edit",
        bundle: Bundle::Guards,
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "Edit|Write|MultiEdit|NotebookEdit" },
            Sees {
                kind: EventKind::PostToolUse,
                matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell",
            },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "Edit|Write|MultiEdit|NotebookEdit" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: LoopDetectionSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The largest file in which an edit's lines are looked up.
const MAX_FILE: u64 = 1 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit => {
            if event.is_from_user() && EDITS.exists(cx) {
                EDITS.forget(cx)?;
            }
            Ok(Reply::pass())
        }
        EventKind::PostToolUse | EventKind::PostToolUseFailure => after(event, cx),
        EventKind::PreToolUse => before(event, cx),
        _ => Ok(Reply::pass()),
    }
}

/// An edit that happened is confirmed, one that failed is marked; a check that passed is progress.
fn after(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: LoopDetectionSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    // Without edits there is nothing to confirm and nothing to end.
    if !EDITS.exists(cx) {
        return Ok(Reply::pass());
    }
    if let Some(command) = &tool.command {
        let checks = settings.checks;
        // Most lines name none of the programs: they are not analysed.
        let line = if may_match(command, checks.iter()) { shell::analysis(event, cx) } else { None };
        if line.is_some_and(|(line, _)| progress(&line, event.tool_response(), checks)) {
            EDITS.add(cx, &format!("p {}", agent_of(event)))?;
        }
    } else if tool.changes_files() {
        let error = event.tool_response().and_then(|response| response.get("error"));
        let failed =
            event.kind == EventKind::PostToolUseFailure || error.is_some_and(|error| !error.is_null());
        EDITS.add(cx, &format!("{} {}", if failed { "f" } else { "r" }, id_of(event)))?;
    }
    Ok(Reply::pass())
}

fn before(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: LoopDetectionSettings<'_> = cx.settings.read();
    let mut mine: Vec<(String, Edit)> = Vec::new();
    for file in edits::of(event) {
        let path = edits::absolute(&file.path, &cx.project.cwd);
        let shown = edits::shown(&path, &cx.project.root);
        if file.change == Change::Delete
            || settings.ignore_paths.iter().any(|pattern| glob::path(pattern, &shown))
        {
            continue;
        }
        // Two names of one file are one file. A file that is not there yet has no other name.
        let real = path.canonicalize().unwrap_or(path);
        let text = match file.change {
            Change::Parts(_) => read_limited(&real, MAX_FILE).ok().flatten(),
            _ => None,
        };
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        mine.push((shown, Edit::of(&real.to_string_lossy(), &file.change, text.as_deref())));
    }
    if cx.recheck || mine.is_empty() {
        return Ok(Reply::pass());
    }
    let (id, agent, now) = (id_of(event), agent_of(event), cx.host.clock.now().seconds());
    let record = EDITS.read(cx)?;
    let mut warnings = Vec::new();
    let mut lines = Vec::new();
    for (shown, edit) in &mine {
        let past = Past::read(&record, &agent, &edit.path, now.saturating_sub(settings.window_minutes * 60));
        let failed = past.failures(&edit.key);
        if failed > 0 && !edit.would_work {
            let what = format!(
                "{shown}: the same edit failed {failed} {}. Read the lines again and quote them exactly as they are now",
                if failed == 1 { "time" } else { "times" }
            );
            if failed + 1 >= settings.fail_block_at {
                return Ok(Reply::deny(format!("{what}.")));
            }
            warnings.push(what);
        }
        let prose = is_prose(shown);
        match judge(&past, edit) {
            Verdict::Fine => {}
            // Taking a mistake back that a check found is what was asked for.
            Verdict::Back(Back { again: false, .. }) if past.complained => {}
            Verdict::Again(place, changes) => {
                let doubles = changes >= settings.warn_at
                    && changes.is_multiple_of(settings.warn_at)
                    && (changes / settings.warn_at).is_power_of_two();
                if doubles && !prose {
                    warnings.push(format!(
                        "{shown}: {place} is changed {changes} times now, and no check passed in between. If none was run, run \
                         one; if one failed, find the cause before the next edit"
                    ));
                }
            }
            Verdict::Back(Back { place, again: false }) => warnings.push(format!(
                "{shown}: {place} goes back to what it was before your last edit there (A, B, A). {}",
                if prose {
                    "Decide for one wording"
                } else {
                    "Find out which is right before you change it again"
                }
            )),
            // What is denied never happened: nothing is written.
            Verdict::Back(Back { place, again: true }) => {
                let check = if prose { "" } else { "Run the build or the tests to see which one is right. " };
                let reason =
                    format!("{shown}: {place} goes back and forth between two versions (A, B, A, B)");
                let instead = format!(
                    "{check}Keep the one that is there, write a third, or tell the user what is in the way. A check that \
                     passes, a commit or the user's next prompt starts over."
                );
                return Ok(Reply::deny(reason).instead(instead).about(shown.as_str()));
            }
        }
        lines.push(edit.line(&id, &agent, now));
    }
    EDITS.add(cx, &lines.join("\n"))?;
    if warnings.is_empty() {
        return Ok(Reply::pass());
    }
    Ok(Reply::warn("loop-detection", format!("{}.", warnings.join("; "))))
}

/// Text that no build and no test looks at.
fn is_prose(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(
        ending.as_str(),
        "md" | "mdx" | "markdown" | "txt" | "rst" | "adoc" | "org" | "tex" | "html" | "csv"
    )
}
