//! session-start-recall: the few memories that fit the work at hand: branch, ledger, handoff, recent files.

use sprag_base::files;
use sprag_config::settings;
use sprag_config::settings::Texts;
use sprag_memory::memories;
use sprag_memory::recall::{INSTRUCTION, line};
use sprag_memory::recall::{Question, RecalledMemory};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

settings! {
    struct SessionStartRecallSettings<'a> {
        /// this many memories are named at most
        most: usize = 3, min 1;
        /// the most characters of one memory
        max_chars: usize = 300, min 40;
        /// folders with handoffs, below the project's root
        handoffs: Texts = ["thoughts/shared/handoffs", ".claude/handoffs", ".sprag/handoffs"];
        /// the folder with continuity ledgers, whose names say what a session is about
        ledgers: Text = "thoughts/ledgers";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-recall",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "names the memories that fit the branch, the last handoff and the files changed last",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "startup|resume|clear" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionStartRecallSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

/// Branches that say nothing of the work.
const PLAIN: [&str; 6] = ["main", "master", "develop", "dev", "trunk", "staging"];
/// What nobody touched for this long is no present work.
const WEEK: u64 = 7 * 86_400;
/// A little less is enough than at a prompt: the question is put together, not asked.
const SLACK: f32 = 0.02;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionStartRecallSettings<'_> = cx.settings.read();
    if event.agent_id.is_some() || !memories::anything(cx.host) {
        return Ok(Reply::pass());
    }
    let root = &cx.project.root;
    let branch = cx.project.branch();
    let goal = newest_handoff(root, settings.handoffs).and_then(|path| goal(&path));
    let ledger = newest_ledger(&root.join(settings.ledgers));
    let question = question(branch.as_deref(), ledger.as_deref(), goal.as_deref(), &recent_files(root));
    if question.is_empty() {
        return Ok(Reply::pass());
    }
    let asked = Question {
        text: question,
        reach: memories::reach(cx.host, cx.project, event.agent.name()),
        most: 10,
        only: None,
    };
    let found = memories::ask(cx.host, asked)?;
    let fitting: Vec<&RecalledMemory> = found
        .iter()
        .filter(|found| found.margin >= -SLACK && found.memory.is.kind != INSTRUCTION)
        .take(settings.most)
        .collect();
    if fitting.is_empty() {
        return Ok(Reply::pass());
    }
    let mut text = "From earlier sessions, for the work at hand:".to_owned();
    for found in &fitting {
        let _ = write!(text, "\n- {}", line(found, settings.max_chars));
    }
    let ids: Vec<String> = fitting.iter().map(|found| found.memory.id.clone()).collect();
    memories::mark_used(cx.host, &ids);
    Ok(Reply::note("session-start-recall", priority::FACTS, text))
}

/// What is being worked on, in words: the branch without its prefix, the ledger's name, the handoff's goal, the names of
/// files.
fn question(branch: Option<&str>, ledger: Option<&str>, goal: Option<&str>, files: &[String]) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(branch) = branch.filter(|branch| !PLAIN.contains(branch) && !branch.starts_with("detached "))
    {
        let topic = branch.split_once('/').map_or(branch, |(_, topic)| topic);
        parts.push(topic.replace(['-', '_', '/'], " "));
    }
    parts.extend(ledger.map(|name| name.replace(['-', '_'], " ")));
    parts.extend(goal.map(str::to_owned));
    if parts.is_empty() && files.is_empty() {
        return String::new();
    }
    parts.extend(files.iter().map(|name| name.replace(['-', '_', '.'], " ")));
    parts.join(". ")
}

/// The session that the ledger which was changed last is about. One that nobody touched for a week is no present work.
fn newest_ledger(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(400);
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let session = name.strip_prefix("CONTINUITY_CLAUDE-")?.strip_suffix(".md")?.to_owned();
        let changed = entry.metadata().ok()?.modified().ok()?;
        changed.elapsed().is_ok_and(|age| age.as_secs() < WEEK).then_some((changed, session))
    });
    named.max().map(|(_, session)| session)
}

/// The handoff that was changed last, not the one that a folder lists first or last.
fn newest_handoff(root: &Path, folders: Texts<'_>) -> Option<PathBuf> {
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    let mut open: Vec<(PathBuf, usize)> = folders.iter().map(|folder| (root.join(folder), 0)).collect();
    let mut looked = 0;
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked += 1;
            if looked > 400 {
                return newest.map(|(_, path)| path);
            }
            let path = entry.path();
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() && depth < 2 {
                open.push((path, depth + 1));
            } else if meta.is_file()
                && path.extension().is_some_and(|ext| ["md", "yaml", "yml"].iter().any(|known| ext == *known))
                && let Ok(changed) = meta.modified()
                && newest.as_ref().is_none_or(|(time, _)| changed > *time)
            {
                newest = Some((changed, path));
            }
        }
    }
    newest.map(|(_, path)| path)
}

/// What a handoff says is the goal: `goal:` of YAML, `**Goal:**` or the text under a heading of Markdown.
fn goal(path: &Path) -> Option<String> {
    let bytes = files::read_limited(path, 64 << 10).ok().flatten()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut under = false;
    for line in text.lines().map(str::trim) {
        let plain = line.trim_start_matches(['-', '*', ' ']);
        let value = ["goal:", "Goal:", "now:", "Now:"]
            .iter()
            .find_map(|key| plain.strip_prefix(key))
            .map(|value| value.trim_matches(['*', ' ', '"', '\'']));
        match value {
            Some(value) if !value.is_empty() => return Some(value.chars().take(200).collect()),
            Some(_) => under = true,
            None if under && !line.is_empty() && !line.starts_with('#') => {
                return Some(line.chars().take(200).collect());
            }
            None => under = under || (line.starts_with('#') && line.to_lowercase().contains("goal")),
        }
    }
    None
}

/// The names of the files that were changed last in the project's top folders; of the past week alone.
fn recent_files(root: &Path) -> Vec<String> {
    const SKIP: [&str; 8] =
        ["node_modules", "target", "dist", "build", "vendor", "venv", "__pycache__", "coverage"];
    let mut found: Vec<(SystemTime, String)> = Vec::new();
    let mut open = vec![(root.to_path_buf(), 0)];
    let mut looked = 0;
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked += 1;
            let name = entry.file_name().to_string_lossy().into_owned();
            if looked > 600 || name.starts_with('.') || SKIP.contains(&name.as_str()) {
                continue;
            }
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() && depth < 2 {
                open.push((entry.path(), depth + 1));
            } else if meta.is_file()
                && !name.contains("lock")
                && let Ok(changed) = meta.modified()
                && changed.elapsed().is_ok_and(|age| age.as_secs() < WEEK)
            {
                found.push((changed, name));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().take(4).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_what_is_being_worked_on() {
        assert_eq!(question(Some("feat/cart-rounding"), None, None, &[]), "cart rounding");
        assert_eq!(question(Some("main"), None, None, &[]), "", "a plain branch says nothing");
        assert_eq!(
            question(
                Some("main"),
                Some("csv-export"),
                Some("Finish the CSV export"),
                &["export_job.py".into()]
            ),
            "csv export. Finish the CSV export. export job py"
        );
    }

    #[test]
    fn fault_of_the_reference_the_newest_handoff_counts_not_the_first_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("thoughts/shared/handoffs/auth");
        std::fs::create_dir_all(&folder).unwrap();
        for (name, age) in [("a.yaml", 500), ("b.yaml", 5), ("c.yaml", 900)] {
            let path = folder.join(name);
            std::fs::write(&path, format!("goal: goal of {name}\n")).unwrap();
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
        let newest = newest_handoff(dir.path(), Texts::fixed(&["thoughts/shared/handoffs"])).unwrap();
        assert_eq!(goal(&newest).as_deref(), Some("goal of b.yaml"));
    }

    #[test]
    fn fault_of_the_reference_the_newest_ledger_counts_and_an_old_one_does_not() {
        let dir = tempfile::tempdir().unwrap();
        for (name, age) in
            [("CONTINUITY_CLAUDE-a-old.md", 900), ("CONTINUITY_CLAUDE-z-new.md", 5), ("notes.md", 1)]
        {
            let path = dir.path().join(name);
            std::fs::write(&path, "x").unwrap();
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
        assert_eq!(newest_ledger(dir.path()).as_deref(), Some("z-new"));
        std::fs::remove_file(dir.path().join("CONTINUITY_CLAUDE-z-new.md")).unwrap();
        let old =
            std::fs::File::options().write(true).open(dir.path().join("CONTINUITY_CLAUDE-a-old.md")).unwrap();
        old.set_modified(SystemTime::now() - std::time::Duration::from_secs(WEEK + 60)).unwrap();
        assert_eq!(newest_ledger(dir.path()), None);
        assert_eq!(newest_ledger(&dir.path().join("none")), None);
    }

    #[test]
    fn goals_of_markdown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("h.md");
        for text in ["## Ledger\n**Goal:** ship it\n", "# Goal\n\nship it\n", "- Goal: ship it"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(goal(&path).as_deref(), Some("ship it"), "{text}");
        }
    }
}
