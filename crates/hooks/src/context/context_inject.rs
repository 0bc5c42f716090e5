//! context-inject: where the work stands. Git, the compass document, the last session, its handoff, recent decisions
//! and failures; within a budget, and with a line that says what was left out. A long handoff is cut by its sections and
//! never left out.

use sprag_base::files::read_limited;
use sprag_base::id::short_hash;
use sprag_base::text::name;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_config::trust::{self, Trust};
use sprag_coord::tasks::ATTEMPT;
use sprag_memory::knowledge::handoff::{Freshness, Handoff, Later};
use sprag_memory::knowledge::index::{Doc, Index};
use sprag_memory::knowledge::{
    Knowledge, ProjectMemory, entries, export, front, repository, sections, summary, text,
};
use sprag_project::git::{self, Counted, GitState};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::broker::length;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees, priority,
};
use sprag_runtime::job::{Job, JobError, Work};
use std::path::{Path, PathBuf};
use std::time::Duration;

settings! {
    struct ContextInjectSettings<'a> {
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
        /// folders of the repository with continuity ledgers and handoffs of other programs; none reads none
        documents: Texts = ["thoughts/ledgers", "thoughts/shared/handoffs"];
        /// older ones of them are no present work
        documents_max_age_days: u64 = 30, min 1;
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

/// A part of the text.
struct Section {
    title: &'static str,
    text: String,
    space: Space,
}

/// What is done with a section when there is no room for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    /// It is left out whole, in this turn.
    Drop(u8),
    /// It stays, and its end is cut.
    Stay,
    /// It stays, cut by its own sections; the name is what shows all of it.
    BySections(&'static str),
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
    let knowledge = Knowledge::open(cx.host);
    let memory = knowledge.memory(cx.project);
    let last = last_session(&knowledge, &memory, &event.session_id);
    let (git, branch) = git_section(cx);
    let job = git.is_some().then(|| counting(cx)).flatten();
    let mut sections = Vec::new();
    let section = |title, text, space| Section { title, text, space };
    sections.extend(git.map(|text| section("Git", text, Space::Stay)));
    sections.extend(compass(&knowledge, event, cx).map(|text| section("Compass", text, Space::Drop(1))));
    // An agent that a dispatcher started has its task: what the last of the others did and left is not its business.
    let is_attempt = cx.host.env.get(ATTEMPT).is_some();
    let told = last.as_ref().filter(|_| settings.last_session_enabled && !is_attempt);
    sections.extend(told.map(|doc| section("Last session", last_text(doc), Space::Stay)));
    let handoff = if is_attempt { None } else { handoff_text(event, cx, &memory, last.as_ref()) };
    let own = Space::BySections(sections::SHOW_HANDOFF);
    let found = repository_text(cx, handoff.as_ref());
    let has_handoff = handoff.is_some() || found.is_some();
    sections.extend(handoff.map(|handoff| section("Handoff from last session", handoff.text, own)));
    sections
        .extend(found.map(|text| section("Handoff in the repository", text, Space::BySections("the file"))));
    sections.extend(history(cx, &memory).map(|text| section("Recent history", text, Space::Drop(0))));

    let banner = banner(branch.as_deref(), told, has_handoff);
    let body = assemble(sections, settings.max_body_chars);
    let body = if body.is_empty() { NEW_PROJECT.to_owned() } else { body };
    let reply = Reply { status: Some(banner), ..Reply::note("context-inject", priority::FACTS, body) };
    Ok(match job {
        Some(job) => reply.with_job(job),
        None => reply,
    })
}

const NEW_PROJECT: &str = "This is a new project: nothing is known of earlier sessions.";

fn git_section(cx: &Cx<'_>) -> (Option<String>, Option<String>) {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
    let Some(branch) = cx.project.branch() else { return (None, None) };
    let timeout = Duration::from_millis(settings.git_timeout_ms);
    let is_large = git::is_large(cx.project);
    let read = if is_large { GitState::read_commit } else { GitState::read };
    let state = read(cx.project, &cx.project.cwd, &cx.host.env, timeout).unwrap_or_default();
    let mut lines = vec![if branch.starts_with("detached ") {
        branch.clone()
    } else {
        format!("Branch: {}", name(&branch))
    }];
    if !state.last_commit.is_empty() {
        lines.push(format!("Last commit: {}", text::cut(&state.last_commit, 160)));
    }
    lines.extend(state.uncommitted().map(|state| format!("Uncommitted: {state}")));
    if is_large {
        lines.push(match Counted::last(&counted_file(cx.host, &cx.project.root), cx.host.clock.now()) {
            Some(counted) => format!(
                "Uncommitted: {} modified, {} untracked (counted at {})",
                counted.modified, counted.untracked, counted.at
            ),
            None => "Uncommitted: not counted yet, because the repository is large".to_owned(),
        });
    }
    (Some(lines.join("\n")), Some(branch))
}

/// The job that counts what is not committed in a large working copy, for the next session.
fn counting(cx: &Cx<'_>) -> Option<Job> {
    let root = &cx.project.root;
    git::is_large(cx.project).then(|| {
        let key = short_hash(root.as_os_str().as_encoded_bytes());
        Job::new(Work::GitCount { root: root.clone() }).keyed(key).in_lane("git-count")
    })
}

fn counted_file(host: &Host, root: &Path) -> PathBuf {
    host.paths.cache().join(format!("{}.git", short_hash(root.as_os_str().as_encoded_bytes())))
}

/// Counts in the background. A folder that is no working copy any more has nothing to count.
pub fn count(host: &Host, root: &Path) -> Result<(), JobError> {
    const LONGEST: Duration = Duration::from_secs(60);
    Counted::count(root, &host.env, LONGEST, host.clock.now(), &counted_file(host, root))
        .map(|_| ())
        .map_err(|error| JobError::about(root.display(), error))
}

/// The profile's document without what is for tools and for the eye.
fn compass(knowledge: &Knowledge, event: &Event, cx: &Cx<'_>) -> Option<String> {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
    let most = settings.compass_lines;
    let path = knowledge
        .compass(&cx.project.cwd, Path::new(event.transcript_path.as_deref().unwrap_or_default()))?;
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

/// What the last session left.
struct Told {
    text: String,
    /// When the handoff in it was written.
    written: Option<Stamp>,
}

/// The handoff with what must be said about its age, and what the last compaction kept.
fn handoff_text(event: &Event, cx: &Cx<'_>, memory: &ProjectMemory, last: Option<&Doc>) -> Option<Told> {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
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
    (!parts.is_empty()).then(|| Told { text: parts.join("\n\n"), written: after })
}

/// The newest ledger or handoff that lies in the repository and says something else than our own handoff. In a clone
/// that nobody trusted it is named, not quoted: it is a stranger's text.
fn repository_text(cx: &Cx<'_>, own: Option<&Told>) -> Option<String> {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
    let root = &cx.project.root;
    let found = repository::newest(root, settings.documents.iter())?;
    let old = Duration::from_secs(settings.documents_max_age_days * 86_400);
    if found.at < cx.host.clock.now().before(old) {
        return None;
    }
    let shown = found.shown(root);
    if trust::state(&cx.host.paths, root) != Trust::Trusted {
        return Some(format!(
            "{shown} lies in this repository, which is not trusted: read it only when the user asks for it. \
             (`sprag trust` lets sprag show it.)"
        ));
    }
    let body = found.read()?;
    // handoff-index takes over what an agent writes here.
    let start = text::start(&body, 200);
    if own.is_some_and(|own| own.text.contains(start) || own.written.is_some_and(|own| own >= found.at)) {
        return None;
    }
    Some(format!("From {shown}, {}:\n\n{body}", found.date()))
}

fn history(cx: &Cx<'_>, memory: &ProjectMemory) -> Option<String> {
    let settings: ContextInjectSettings<'_> = cx.settings.read();
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
    parts.extend(branch.map(|branch| format!("on {}", name(branch))));
    parts.extend(last.map(|doc| format!("Last session: {} ({} messages)", doc.date, doc.messages)));
    parts.extend(has_handoff.then(|| "has handoff notes".to_owned()));
    if last.is_none() && !has_handoff {
        return "Session context loaded (new project)".to_owned();
    }
    format!("Session context loaded: {}", parts.join(" | "))
}

/// Joins the sections within a budget, its own line about what was left out included. What may go goes whole, in its
/// turn, once the handoff is down to its share; then the handoff gets the room that is left.
fn assemble(mut sections: Vec<Section>, most: usize) -> String {
    let mut dropped = Vec::new();
    if length(&joined(&sections, &dropped, most)) <= most {
        return joined(&sections, &dropped, most);
    }
    // A long branch name or commit does not cost the handoff its place.
    let longest = most / 4;
    for section in sections.iter_mut().filter(|section| section.space == Space::Stay) {
        if length(&section.text) > longest {
            section.text =
                format!("{}{CUT}", sections::start_units(&section.text, longest - length(CUT)).trim_end());
        }
    }
    while least_length(&sections, &dropped, most) > most {
        let next = sections.iter().enumerate().filter_map(|(at, section)| match section.space {
            Space::Drop(turn) => Some((turn, at)),
            _ => None,
        });
        let Some((_, at)) = next.min() else { break };
        dropped.push(sections.remove(at).title);
    }
    cut_handoffs(&mut sections, &dropped, most);
    let body = joined(&sections, &dropped, most);
    if length(&body) <= most {
        return body;
    }
    let kept = sections::start_units(&body, most.saturating_sub(length(CUT)));
    format!("{}{CUT}", kept.trim_end())
}

const CUT: &str = "\n[cut]";

fn joined(sections: &[Section], dropped: &[&str], most: usize) -> String {
    let parts = sections.iter().map(|section| format!("## {}\n{}", section.title, section.text.trim_end()));
    let notice = (!dropped.is_empty())
        .then(|| format!("[truncated: dropped {} to fit {most}-char budget]", dropped.join(", ")));
    notice.into_iter().chain(parts).collect::<Vec<_>>().join("\n\n")
}

/// How long all of it is when the handoffs are cut to their share, three fifths of the whole.
fn least_length(sections: &[Section], dropped: &[&str], most: usize) -> usize {
    let whole = length(&joined(sections, dropped, most));
    let handoffs: usize = handoffs(sections).map(|section| length(section.text.trim_end())).sum();
    whole - handoffs + handoffs.min(most * 3 / 5)
}

fn handoffs(sections: &[Section]) -> impl Iterator<Item = &Section> {
    sections.iter().filter(|section| matches!(section.space, Space::BySections(_)))
}

/// Cuts the handoffs to the room that the others leave. A short one leaves the rest of its half to the other.
fn cut_handoffs(sections: &mut [Section], dropped: &[&str], most: usize) {
    let whole = length(&joined(sections, dropped, most));
    let mut left = handoffs(sections).count();
    let all: usize = handoffs(sections).map(|section| length(section.text.trim_end())).sum();
    let mut room = most.saturating_sub(whole - all);
    let mut order: Vec<usize> = (0..sections.len())
        .filter(|at| sections.get(*at).is_some_and(|s| matches!(s.space, Space::BySections(_))))
        .collect();
    order.sort_by_key(|at| sections.get(*at).map_or(0, |section| section.text.len()));
    for at in order {
        let Some(section) = sections.get_mut(at) else { continue };
        let Space::BySections(whole) = section.space else { continue };
        section.text = sections::cut(&section.text, room / left.max(1), whole);
        room = room.saturating_sub(length(&section.text));
        left = left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn section(title: &'static str, size: usize, space: Space) -> Section {
        Section { title, text: "x".repeat(size), space }
    }

    const HANDOFF: Space = Space::BySections(sections::SHOW_HANDOFF);

    #[test]
    fn whole_sections_go_in_their_turn_and_are_named() {
        let all = || {
            vec![
                section("Git", 50, Space::Stay),
                section("Compass", 100, Space::Drop(1)),
                section("Last session", 50, Space::Stay),
                section("Handoff from last session", 300, HANDOFF),
                section("Recent history", 100, Space::Drop(0)),
            ]
        };
        assert!(!assemble(all(), 3_000).contains("truncated"));
        let one = assemble(all(), 650);
        assert!(one.starts_with("[truncated: dropped Recent history to fit 650-char budget]"), "{one}");
        assert!(one.contains("## Compass") && one.contains("## Handoff"));
        let two = assemble(all(), 400);
        assert!(two.contains("dropped Recent history, Compass to"), "{two}");
        assert!(
            two.contains("## Handoff from last session\nxxx") && two.contains("## Last session"),
            "{two}"
        );
    }

    /// A handoff of 3.3 KB vanished whole from the next start, with `[truncated: dropped … Handoff]`.
    #[test]
    fn a_long_handoff_is_cut_by_sections_and_never_dropped() {
        let text = format!(
            "# Handoff\n\n## Done\n{}\n## Goal\nShip the export\n\n## Next steps\n- THE-NEXT-STEP\n",
            "- something that was done at some length, and is told here\n".repeat(80)
        );
        for most in [600, 1_000, 3_000] {
            let all = vec![
                section("Git", 120, Space::Stay),
                section("Compass", 700, Space::Drop(1)),
                section("Last session", 120, Space::Stay),
                Section { title: "Handoff from last session", text: text.clone(), space: HANDOFF },
                section("Recent history", 500, Space::Drop(0)),
            ];
            let body = assemble(all, most);
            assert!(length(&body) <= most, "{}", length(&body));
            for want in ["Ship the export", "THE-NEXT-STEP", "sprag knowledge show handoff"] {
                assert!(body.contains(want), "{most}: {want}: {body}");
            }
            assert!(!body.contains("dropped Handoff"), "{body}");
        }
    }

    /// Faults of the reference: a section that was empty was named as dropped; the notice did not count; an over-long
    /// git section was never cut.
    #[test]
    fn what_was_not_there_is_not_named_and_nothing_goes_over_the_budget() {
        let long =
            assemble(vec![section("Git", 5_000, Space::Stay), section("Compass", 400, Space::Drop(1))], 400);
        assert!(length(&long) <= 400 && long.contains("dropped Compass to"), "{}", length(&long));
        assert!(!long.contains("Recent history") && long.contains("x\n[cut]"), "{long}");
    }

    proptest! {
        #[test]
        fn never_over_the_budget(sizes in prop::collection::vec((0usize..2_900, 0u8..6), 0..6), most in 200usize..1_500) {
            let space = |turn: u8| match turn { 4 => Space::Stay, 5 => HANDOFF, turn => Space::Drop(turn) };
            let sections = sizes.iter().map(|(size, turn)| section("Title", *size, space(*turn))).collect();
            prop_assert!(length(&assemble(sections, most)) <= most);
        }
    }
}
