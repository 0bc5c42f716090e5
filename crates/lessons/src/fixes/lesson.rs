//! A candidate made of an episode: the error and the command that failed, what fixed it, and a pattern that fits the one and
//! not the other.

use super::episode::{Episode, essence, one_line};
use super::intent::Intent;
use crate::import::escaped;
use crate::model::{LessonKind, Source};
use crate::scan::{FoundLesson, Proposed, tags_of};
use sprag_pattern::{MatchResult, Pattern};

/// The most characters of a summary.
const MAX_SUMMARY: usize = 110;

/// The candidate of an episode; `None` when it teaches nothing.
pub fn candidate(episode: &Episode, root: &str) -> Option<FoundLesson> {
    if !episode.teaches() {
        return None;
    }
    let failed = one_line(&episode.failed);
    let remedy = episode.remedy(root);
    let solution = match (episode.done.is_empty(), episode.differs) {
        (true, _) => format!("Run {remedy} instead; that worked."),
        (false, true) => format!("What worked: {remedy}."),
        (false, false) => format!("First {remedy}; then it worked."),
    };
    let mut summary = format!("{}: {}", name(episode), episode.error.line);
    if summary.chars().count() > MAX_SUMMARY {
        let cut: String = summary.chars().take(MAX_SUMMARY).collect();
        summary = format!("{}…", cut.trim_end());
    }
    let mut tags = tags_of("Bash", &essence(&episode.failed));
    tags.push(format!("error:{}", episode.error.key));
    Some(FoundLesson {
        source: Source::Heuristic,
        problem: format!("`{failed}` failed with: {}", episode.error.line),
        solution,
        tags,
        project_only: true,
        confidence: if episode.differs { 0.65 } else { 0.6 },
        priority: 4,
        place: episode.place.clone(),
        at: episode.at,
        proposed: Some(Proposed {
            kind: LessonKind::Hint,
            summary,
            tools: vec!["Bash".to_owned()],
            patterns: vec![pattern(episode)],
        }),
        ..FoundLesson::default()
    })
}

/// Program and subcommand.
fn name(episode: &Episode) -> String {
    let intent = Intent::of(&episode.failed);
    let Some(main) = intent.main() else { return episode.program.clone() };
    if main.sub.is_empty() { main.program.clone() } else { format!("{} {}", main.program, main.sub) }
}

/// A pattern on commands like the one that failed, and unlike the one that worked.
fn pattern(episode: &Episode) -> String {
    let (failed, worked) = (essence(&episode.failed), essence(&episode.worked));
    let plain = beginning(&failed, &episode.program);
    if !episode.differs {
        return plain;
    }
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (words(&failed), words(&worked));
    let mut source = String::from("^");
    // What was added, by its name: `NAME=`, `--flag`.
    if let Some(added) = after.iter().find(|word| !before.contains(word)) {
        let end = added.find('=').map_or(added.len(), |at| at + 1);
        source.push_str(&format!(r"(?!.*{})", escaped(added.get(..end).unwrap_or(added))));
    }
    if let Some(gone) = before.iter().find(|word| !after.contains(word)) {
        source.push_str(&format!(r"(?=.*(?:^|\s){}(?:\s|$))", escaped(gone)));
    }
    source.push_str(".*");
    source.push_str(&plain);
    let fits = |text: &str| {
        Pattern::compile(&source).is_ok_and(|pattern| pattern.is_match(text) == MatchResult::Yes)
    };
    if fits(&failed) && !fits(&worked) { source } else { plain }
}

/// The program with its subcommand, as they are written in the line.
fn beginning(line: &str, program: &str) -> String {
    let intent = Intent::of(line);
    let sub = intent.main().map(|main| main.sub.clone()).unwrap_or_default();
    let last = sub.split(' ').next_back().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_program = |word: &&str| word.rsplit('/').next().is_some_and(|name| name.starts_with(program));
    let from = words.iter().rposition(is_program).unwrap_or(0);
    let to = words
        .iter()
        .skip(from)
        .position(|word| !last.is_empty() && *word == last)
        .map_or(from, |at| from + at);
    let parts: Vec<String> =
        words.get(from..=to).unwrap_or_default().iter().map(|word| escaped(word)).collect();
    let mut source = parts.join(r"\s+");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if source.starts_with(word) {
        source.insert_str(0, r"\b");
    }
    if source.ends_with(word) {
        source.push_str(r"\b");
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixes::error_text;

    fn of(failed: &str, worked: &str) -> String {
        let intent = Intent::of(failed);
        pattern(&Episode {
            error: error_text::read("error: it does not work here").unwrap(),
            failed: failed.into(),
            worked: worked.into(),
            done: vec![],
            differs: failed != worked,
            program: intent.main().unwrap().program.clone(),
            place: String::new(),
            at: 0,
        })
    }

    #[test]
    fn the_pattern_fits_what_failed_and_not_what_worked() {
        for (failed, worked, also, not) in [
            (
                "cargo check",
                "SQLX_OFFLINE=true cargo check",
                "cd a && cargo check -p x",
                "SQLX_OFFLINE=1 cargo check",
            ),
            (
                "npm install",
                "npm install --legacy-peer-deps",
                "npm install",
                "npm install --legacy-peer-deps x",
            ),
            (
                "pip install psycopg2", "pip install psycopg2-binary", "pip install psycopg2",
                "pip install flask",
            ),
            (
                "docker build -t a .",
                "docker build --platform linux/arm64 -t a .",
                "docker build -t b .",
                "docker ps",
            ),
        ] {
            let source = of(failed, worked);
            let pattern = Pattern::compile(&source).unwrap();
            let is = |text: &str| pattern.is_match(text) == MatchResult::Yes;
            assert!(is(failed) && !is(worked) && is(also) && !is(not), "{source}");
        }
        assert_eq!(of("npm run build", "npm run build"), r"\bnpm\s+run\s+build\b");
        assert_eq!(of("./gradlew test", "./gradlew test"), r"\./gradlew\s+test\b");
    }
}
