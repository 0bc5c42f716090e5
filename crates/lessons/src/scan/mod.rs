//! Finds lessons in transcripts: `#lesson` tags, errors that were fixed, and users who say what to do instead.
//! Incremental by whole lines, one scan at a time, and idempotent: a place that is read twice counts once.

pub mod calls;
mod keep;
mod model;
mod run;
mod signals;
mod state;
mod tags;
mod windows;

pub use keep::{NEVER, Outcome, keep};
pub use model::{Deep, deep};
pub use run::{Busy, Request, Scanned, folders, keep_tags, scan, transcripts};
pub use tags::{Tag, is_placeholder, read as read_tags};
pub(crate) use windows::tags_of;
pub use windows::{Turn, TurnKind, find as find_windows};

use crate::import::trigger_pattern;
use crate::model::{Lesson, LessonKind, Source, Status, summary_of};
use crate::pattern::PatternText;
use sprag_protocol::agents::AGENTS;
use sprag_scan::scrub::scrub;

/// Something that may be a lesson, and where it was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundLesson {
    /// How it was found.
    pub source: Source,
    /// The tool's canonical name.
    pub tool: Option<String>,
    /// The command or the path.
    pub trigger: Option<String>,
    /// What went wrong.
    pub problem: String,
    /// What helped.
    pub solution: String,
    /// `category:value`.
    pub tags: Vec<String>,
    /// It is about the project alone.
    pub project_only: bool,
    /// 0 to 1.
    pub confidence: f64,
    /// 1 to 10.
    pub priority: u8,
    /// The session.
    pub session: String,
    /// The folder that the session is about.
    pub project: String,
    /// What tells this place from others of the session.
    pub place: String,
    /// When, in microseconds.
    pub at: i64,
    /// What a model proposed beyond that.
    pub proposed: Option<Proposed>,
}

/// What a model proposes for a lesson that it found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposed {
    /// When it shall speak.
    pub kind: LessonKind,
    /// One line.
    pub summary: String,
    /// Tools.
    pub tools: Vec<String>,
    /// Patterns on commands.
    pub patterns: Vec<String>,
}

/// Programs whose first word says little.
const FAMILIES: [&str; 22] = [
    "git", "npm", "pnpm", "yarn", "bun", "npx", "cargo", "go", "docker", "kubectl", "pip", "pip3", "uv",
    "poetry", "python", "python3", "node", "make", "terraform", "aws", "gh", "systemctl",
];

impl FoundLesson {
    /// The candidate.
    pub fn lesson(&self) -> Lesson {
        let mut lesson = Lesson {
            status: Status::Candidate,
            kind: LessonKind::Hint,
            summary: scrub(&summary_of(&self.problem)).into_owned(),
            problem: scrub(&self.problem).into_owned(),
            solution: scrub(&self.solution).into_owned(),
            tool_names: self.tool.iter().cloned().collect(),
            scope: self.project_only.then(|| self.project.clone()).filter(|project| !project.is_empty()),
            priority: self.priority,
            confidence: self.confidence,
            tags: self.tags.clone(),
            source: self.source,
            source_session_ids: vec![self.session.clone()],
            ..Lesson::new()
        };
        if let Some(proposed) = &self.proposed {
            lesson.kind = proposed.kind;
            if !proposed.summary.trim().is_empty() {
                lesson.summary = scrub(proposed.summary.trim()).into_owned();
            }
            lesson.tool_names.clone_from(&proposed.tools);
            lesson.command_patterns = proposed.patterns.iter().map(PatternText::new).collect();
        }
        if let Some(trigger) = self.trigger.as_deref().map(scrub) {
            let file_tool = matches!(
                self.tool.as_deref(),
                Some("Read" | "Edit" | "Write" | "MultiEdit" | "Glob" | "Grep")
            );
            if file_tool {
                lesson.path_patterns.push(PatternText::new(trigger.trim()));
            } else {
                lesson.command_patterns.extend(command_pattern(&trigger));
            }
        }
        lesson
    }
}

/// The beginning of a command as a pattern: its first word, with the second where the first says little.
pub fn command_pattern(trigger: &str) -> Option<PatternText> {
    let mut words =
        trigger.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let first = words.next()?;
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:".contains(c));
    let second =
        words.next().filter(|word| FAMILIES.contains(&first) && !word.starts_with('-') && plain(word));
    let source = match second {
        Some(second) => {
            let (a, b) = (trigger_pattern(first), trigger_pattern(second));
            format!(r"{}\s+{}", a.source().trim_end_matches(r"\b"), b.source().trim_start_matches(r"\b"))
        }
        None => trigger_pattern(first).source().to_owned(),
    };
    Some(PatternText::new(source))
}

/// A tool's canonical name, whatever a model wrote.
pub(crate) fn tool_name(text: &str) -> Option<String> {
    let word = text.trim().trim_matches(['`', '"', '\'', '<', '>']).trim();
    let word = word.strip_suffix(" tool").unwrap_or(word);
    if word.is_empty() || word.contains(char::is_whitespace) {
        return word
            .split([' ', ',', '/'])
            .find(|part| !part.is_empty())
            .and_then(|first| (first.len() < word.len()).then(|| tool_name(first)).flatten());
    }
    const KNOWN: [&str; 13] = [
        "Bash", "Read", "Edit", "Write", "MultiEdit", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Agent",
        "Task", "NotebookEdit",
    ];
    let known = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(word)).copied();
    let mut others = AGENTS.iter().flat_map(|agent| agent.tools.aliases).chain([&("terminal", "Bash")]);
    let other = others.find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, known)| *known);
    Some(known.or(other).unwrap_or(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_spelled_as_calls_spell_them() {
        for (text, name) in [
            ("bash", "Bash"),
            ("Bash tool", "Bash"),
            ("run_shell_command", "Bash"),
            ("`Edit`", "Edit"),
            ("mcp__x__y", "mcp__x__y"),
        ] {
            assert_eq!(tool_name(text).as_deref(), Some(name));
        }
        assert_eq!(tool_name(" "), None);
    }

    #[test]
    fn a_trigger_becomes_the_beginning_of_a_command() {
        let of = |trigger: &str| command_pattern(trigger).unwrap().source().to_owned();
        assert_eq!(of("git stash pop"), r"\bgit\s+stash\b");
        assert_eq!(of("pytest -x tests"), r"\bpytest\b");
        assert_eq!(of("FOO=1 git --version"), r"\bgit\b");
        assert!(PatternText::new(of("./run.sh (all)")).as_text_pattern(false).is_ok());
        assert_eq!(command_pattern("  "), None);
    }
}
