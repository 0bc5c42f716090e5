//! The commands of a project's sessions, the last ones: what a trigger is measured with before it counts.

use crate::fixes::episode::{Deed, essence};
use crate::library;
use crate::model::Lesson;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_pattern::MatchResult;
use sprag_scan::scrub::scrub;
use std::path::PathBuf;

/// The most bytes that are kept of one project; then the older half goes.
const MAX_BYTES: usize = 256 << 10;
/// The most characters of one command.
const MAX_CHARS: usize = 300;
/// A share of fewer calls says nothing.
const LEAST_CALLS: usize = 100;

fn file(paths: &Paths, root: &str) -> PathBuf {
    library::folder(paths).join("calls").join(short_hash(root.as_bytes()))
}

/// Records the commands of a session. Losing some costs nothing but precision, so an error is no error.
pub fn record<'a>(paths: &Paths, root: &str, deeds: impl Iterator<Item = &'a Deed>) {
    let mut text = String::new();
    for deed in deeds {
        let Deed::Ran(command) = deed else { continue };
        let line: String =
            scrub(&essence(command)).replace(['\n', '\r'], " ").chars().take(MAX_CHARS).collect();
        if !line.is_empty() {
            text.push_str(&line);
            text.push('\n');
        }
    }
    if text.is_empty() || root.is_empty() {
        return;
    }
    let path = file(paths, root);
    let known = files::read_text(&path, MAX_BYTES as u64).unwrap_or_default();
    let kept = if known.len() + text.len() > MAX_BYTES {
        let half =
            known.get(known.len() / 2..).or_else(|| known.get(known.len() / 2 + 1..)).unwrap_or_default();
        half.split_once('\n').map_or("", |(_, rest)| rest)
    } else {
        &known
    };
    let _ = files::write_atomic(&path, format!("{kept}{text}").as_bytes());
}

/// How many of the project's recorded calls a lesson's command patterns match, of how many; `None` when too few are known, or
/// when the lesson is not about commands of one project.
pub fn share(paths: &Paths, lesson: &Lesson, root: &str) -> Option<(usize, usize)> {
    let about =
        lesson.kind.about_calls() && lesson.tool_names.iter().any(|tool| tool == "Bash" || tool == "*");
    if !about || lesson.command_patterns.is_empty() {
        return None;
    }
    let text = files::read_text(file(paths, root), MAX_BYTES as u64 * 2).unwrap_or_default();
    let count = text.lines().count();
    if count < LEAST_CALLS {
        return None;
    }
    let patterns: Vec<_> =
        lesson.command_patterns.iter().filter_map(|text| text.as_text_pattern(false).ok()).collect();
    let matched = |line: &&str| {
        patterns.iter().any(|one| one.pattern.is_match_within(line, 20_000) == MatchResult::Yes)
    };
    Some((text.lines().filter(matched).count(), count))
}

/// What speaks against a trigger: it matches more than one percent of the project's own calls.
pub fn too_broad(paths: &Paths, lesson: &Lesson, root: &str) -> Option<String> {
    let (hits, all) = share(paths, lesson, root)?;
    (hits * 100 > all).then(|| {
        format!(
            "its trigger matches {hits} of the last {all} commands of this project ({} %): make the pattern say more; the \
             known fix is told at the failure without a lesson",
            (hits * 100).div_ceil(all)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternText;
    use sprag_config::host::Host;

    #[test]
    fn a_trigger_is_measured_with_the_projects_own_calls() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let deeds: Vec<Deed> = (0..200)
            .map(|n| Deed::Ran(if n % 10 == 0 { format!("cargo build -p x{n}") } else { format!("ls {n}") }))
            .collect();
        record(&host.paths, "/p", deeds.iter());
        let lesson = |pattern: &str| Lesson {
            tool_names: vec!["Bash".into()],
            command_patterns: vec![PatternText::new(pattern)],
            ..Lesson::new()
        };
        assert_eq!(share(&host.paths, &lesson(r"\bcargo\s+build\b"), "/p"), Some((20, 200)));
        assert!(too_broad(&host.paths, &lesson(r"\bcargo\s+build\b"), "/p").unwrap().contains("10 %"));
        assert_eq!(too_broad(&host.paths, &lesson(r"\bcargo\s+build\s+-p\s+x20\b"), "/p"), None);
        assert_eq!(share(&host.paths, &lesson("x"), "/q"), None, "another project");
    }

    #[test]
    fn the_file_stays_small() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let deeds: Vec<Deed> =
            (0..2_000).map(|n| Deed::Ran(format!("run {n} {}", "é".repeat(100)))).collect();
        for _ in 0..3 {
            record(&host.paths, "/p", deeds.iter().take(600));
        }
        assert!(file(&host.paths, "/p").metadata().unwrap().len() <= MAX_BYTES as u64 * 2);
    }
}
