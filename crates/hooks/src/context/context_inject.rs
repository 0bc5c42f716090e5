//! context-inject: where the work stands. Git, the compass document, the last session, its handoff, recent decisions
//! and failures; within a budget, and with a line that says what was left out.

use sprag_base::files::read_limited;
use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_memory::knowledge::handoff::{Freshness, Handoff, Later};
use sprag_memory::knowledge::index::{Doc, Index};
use sprag_memory::knowledge::{Knowledge, ProjectMemory, entries, export, front, summary, text};
use sprag_project::git::GitState;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::broker::length;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees, priority,
};
use std::path::Path;
use std::time::Duration;

settings! {
    struct ContextInjectSettings {
        /// the most characters of all sections
        max_body_chars: usize = 3_000, min 200;
        /// say what the last session was about
        last_session_enabled: bool = true;
        /// this many decisions and failures; 0 tells none
        history: usize = 3;
        /// this many lines of the profile's compass document; 0 tells none
        compass_lines: usize = 20;
        /// the summary of another session's compaction is told for so long
        summary_max_age_hours: u64 = 24;
        /// the longest that git may take
        git_timeout_ms: u64 = 1_500, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "context-inject",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "tells a new session where the work stands: git, compass, last session, handoff, decisions and failures",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::ALL,
        settings: ContextInjectSettings::SETTINGS,
        timeout_ms: 4_000,
    },
    run,
};

/// A part of the text. `drop` is its turn when there is no room; those without stay, and are cut.
struct Section {
    title: &'static str,
    text: String,
    drop: Option<u8>,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ContextInjectSettings = cx.settings.read();
    let knowledge = Knowledge::open(cx.host);
    let memory = knowledge.memory(cx.project);
    let last = last_session(&knowledge, &memory, &event.session_id);
    let (git, branch) = git_section(cx);
    let mut sections = Vec::new();
    sections.extend(git.map(|text| Section { title: "Git", text, drop: None }));
    sections.extend(compass(&knowledge, cx).map(|text| Section { title: "Compass", text, drop: Some(1) }));
    let told = last.as_ref().filter(|_| settings.last_session_enabled);
    sections.extend(told.map(|doc| Section { title: "Last session", text: last_text(doc), drop: None }));
    let handoff = handoff_text(event, cx, &memory, last.as_ref());
    let has_handoff = handoff.is_some();
    sections.extend(handoff.map(|text| Section { title: "Handoff from last session", text, drop: Some(2) }));
    sections.extend(history(cx, &memory).map(|text| Section {
        title: "Recent history",
        text,
        drop: Some(0),
    }));

    let banner = banner(branch.as_deref(), told, has_handoff);
    let body = assemble(sections, settings.max_body_chars);
    let body = if body.is_empty() { NEW_PROJECT.to_owned() } else { body };
    Ok(Reply { status: Some(banner), ..Reply::note("context-inject", priority::FACTS, body) })
}

const NEW_PROJECT: &str = "This is a new project: nothing is known of earlier sessions.";

fn git_section(cx: &Cx<'_>) -> (Option<String>, Option<String>) {
    let settings: ContextInjectSettings = cx.settings.read();
    let Some(branch) = cx.project.branch() else { return (None, None) };
    let timeout = Duration::from_millis(settings.git_timeout_ms);
    let state = GitState::read(&cx.project.cwd, &cx.host.env, timeout).unwrap_or_default();
    let mut lines =
        vec![if branch.starts_with("detached ") { branch.clone() } else { format!("Branch: {branch}") }];
    if !state.last_commit.is_empty() {
        lines.push(format!("Last commit: {}", text::cut(&state.last_commit, 160)));
    }
    lines.extend(state.uncommitted().map(|state| format!("Uncommitted: {state}")));
    (Some(lines.join("\n")), Some(branch))
}

/// The profile's document without what is for tools and for the eye.
fn compass(knowledge: &Knowledge, cx: &Cx<'_>) -> Option<String> {
    let settings: ContextInjectSettings = cx.settings.read();
    let most = settings.compass_lines;
    let path = knowledge.compass(&cx.project.cwd)?;
    let bytes = read_limited(path, 64 << 10).ok().flatten()?;
    let whole = String::from_utf8_lossy(&bytes);
    let body = front::read(&whole).map_or(whole.as_ref(), |(_, body)| body);
    let lines =
        body.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && !line.starts_with("# "));
    let text = lines.take(most).collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}

/// The newest session of this project but the one that starts. The index knows; without one, the newest files are
/// looked at, and no more than a few hundred.
fn last_session(knowledge: &Knowledge, memory: &ProjectMemory, own: &str) -> Option<Doc> {
    match Index::look(knowledge) {
        Some(index) => index.last_session(memory, own).ok().flatten(),
        None => newest_export(knowledge, memory, own),
    }
}

const LOOKED_AT: usize = 300;

fn newest_export(knowledge: &Knowledge, memory: &ProjectMemory, own: &str) -> Option<Doc> {
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        names.sort();
        names.into_iter().rev()
    };
    let files = names(&knowledge.sessions()).flat_map(|month| names(&month)).take(LOOKED_AT);
    files
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .filter_map(|path| {
            let pairs = export::front_of(&path)?;
            let get = |key: &str| front::get(&pairs, key).unwrap_or_default().to_owned();
            let ours = match get("project_key").as_str() {
                "" => get("project") == memory.project,
                key => key == memory.key,
            };
            let date = if get("updated").is_empty() { get("date") } else { get("updated") };
            (ours && get("session_id") != own).then(|| Doc {
                line: 0,
                kind: "session".to_owned(),
                project: get("project"),
                project_key: get("project_key"),
                session: get("session_id"),
                title: String::new(),
                date,
                messages: get("messages").parse().unwrap_or(0),
                path,
            })
        })
        .max_by(|a, b| a.date.cmp(&b.date))
        .map(|mut doc| {
            let bytes = read_limited(&doc.path, 64 << 10).ok().flatten().unwrap_or_default();
            doc.title = export::working_on(&String::from_utf8_lossy(&bytes));
            doc
        })
}

fn last_text(doc: &Doc) -> String {
    let mut text = format!("Last session: {} ({} messages)", doc.date, doc.messages);
    if !doc.title.is_empty() {
        text.push_str(&format!("\nWorking on: \"{}\"", doc.title));
    }
    text
}

/// The handoff with what must be said about its age, and what the last compaction kept.
fn handoff_text(event: &Event, cx: &Cx<'_>, memory: &ProjectMemory, last: Option<&Doc>) -> Option<String> {
    let settings: ContextInjectSettings = cx.settings.read();
    let handoff = Handoff::read(memory);
    let mut parts = Vec::new();
    if let Some(handoff) = &handoff {
        let later = last.and_then(|doc| {
            // An export's time is to the minute: one of the same minute is not later.
            let at = Stamp::parse(&format!("{}:00Z", doc.date.replace(' ', "T")))?;
            Some(Later { session: doc.session.clone(), at })
        });
        let short = |id: &str| text::start(id, 8).to_owned();
        let doubt =
            "It may be out of date: check it against the code, and ask the user before you act on it.";
        match handoff.freshness(later.as_ref()) {
            Freshness::Fresh => {}
            Freshness::WentOn(how) => parts.push(format!(
                "[stale: session {} went on after this was written ({how}). {doubt}]",
                short(&handoff.session_id)
            )),
            Freshness::OtherSession(other) => parts.push(format!(
                "[stale: written by session {}; session {} worked here since. {doubt}]",
                short(&handoff.session_id),
                short(&other)
            )),
            Freshness::Unknown => {
                parts.push(format!("[nobody knows when and by whom this was written. {doubt}]"));
            }
        }
        parts.push(handoff.body.clone());
    }
    let keep = Duration::from_secs(settings.summary_max_age_hours * 3_600);
    let after = handoff.as_ref().and_then(|handoff| handoff.written);
    if let Some(summary) = summary::read(memory, &event.session_id, cx.host.clock.now(), keep, after) {
        parts.push(format!("From before the last compaction:\n{summary}"));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn history(cx: &Cx<'_>, memory: &ProjectMemory) -> Option<String> {
    let settings: ContextInjectSettings = cx.settings.read();
    let most = settings.history;
    let mut lines = Vec::new();
    for record in entries::last(&memory.decisions(), most) {
        lines.push(format!("- {}", text::cut(entries::field(&record, "summary"), 200)));
    }
    for record in entries::last(&memory.failures(), most) {
        let prevention = entries::field(&record, "prevention");
        let arrow =
            if prevention.is_empty() { String::new() } else { format!(" -> {}", text::cut(prevention, 200)) };
        lines.push(format!("- {}{arrow}", text::cut(entries::field(&record, "summary"), 200)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn banner(branch: Option<&str>, last: Option<&Doc>, has_handoff: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(branch.map(|branch| format!("on {branch}")));
    parts.extend(last.map(|doc| format!("Last session: {} ({} messages)", doc.date, doc.messages)));
    parts.extend(has_handoff.then(|| "has handoff notes".to_owned()));
    if last.is_none() && !has_handoff {
        return "Session context loaded (new project)".to_owned();
    }
    format!("Session context loaded: {}", parts.join(" | "))
}

/// Joins the sections within a budget, its own line about what was left out included. What may go goes whole, in
/// its turn; what is left is cut when it still does not fit.
fn assemble(mut sections: Vec<Section>, most: usize) -> String {
    let joined = |sections: &[Section], dropped: &[&str]| {
        let parts =
            sections.iter().map(|section| format!("## {}\n{}", section.title, section.text.trim_end()));
        let notice = (!dropped.is_empty())
            .then(|| format!("[truncated: dropped {} to fit {most}-char budget]", dropped.join(", ")));
        notice.into_iter().chain(parts).collect::<Vec<_>>().join("\n\n")
    };
    let mut dropped = Vec::new();
    let mut body = joined(&sections, &dropped);
    while length(&body) > most {
        let next = sections.iter().enumerate().filter_map(|(at, section)| Some((section.drop?, at))).min();
        let Some((_, at)) = next else { break };
        dropped.push(sections.remove(at).title);
        body = joined(&sections, &dropped);
    }
    if length(&body) > most {
        const CUT: &str = "\n[cut]";
        let mut used = length(CUT);
        let kept: String = body
            .chars()
            .take_while(|c| {
                used += c.len_utf16();
                used <= most
            })
            .collect();
        body = format!("{}{CUT}", kept.trim_end());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn section(title: &'static str, size: usize, drop: Option<u8>) -> Section {
        Section { title, text: "x".repeat(size), drop }
    }

    #[test]
    fn whole_sections_go_in_their_turn_and_are_named() {
        let all = || {
            vec![
                section("Git", 50, None),
                section("Compass", 100, Some(1)),
                section("Last session", 50, None),
                section("Handoff from last session", 300, Some(2)),
                section("Recent history", 100, Some(0)),
            ]
        };
        assert!(!assemble(all(), 3_000).contains("truncated"));
        let one = assemble(all(), 650);
        assert!(one.starts_with("[truncated: dropped Recent history to fit 650-char budget]"), "{one}");
        assert!(one.contains("## Compass") && one.contains("## Handoff"));
        let two = assemble(all(), 560);
        assert!(two.contains("dropped Recent history, Compass to"), "{two}");
        let three = assemble(all(), 300);
        assert!(
            three.contains("Compass, Handoff from last session to") && three.contains("## Last session"),
            "{three}"
        );
    }

    /// Faults of the reference: a section that was empty was named as dropped; the notice did not count; an over-long
    /// git section was never cut.
    #[test]
    fn what_was_not_there_is_not_named_and_nothing_goes_over_the_budget() {
        let long = assemble(vec![section("Git", 5_000, None), section("Compass", 10, Some(1))], 400);
        assert!(length(&long) <= 400 && long.contains("dropped Compass to"), "{}", length(&long));
        assert!(!long.contains("Recent history") && long.ends_with("[cut]"));
    }

    proptest! {
        #[test]
        fn never_over_the_budget(sizes in prop::collection::vec((0usize..900, prop::option::of(0u8..4)), 0..6), most in 200usize..1_500) {
            let sections = sizes.iter().map(|(size, drop)| section("Title", *size, *drop)).collect();
            prop_assert!(length(&assemble(sections, most)) <= most);
        }
    }
}
