//! A lesson: what went wrong, what to do instead, and which calls it is about.
//! The field names are those of the files that lessons are imported from and exported to.

use crate::pattern::PatternText;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_base::id::short_hash;
use sprag_store::LessonRow;

/// When a lesson speaks, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonKind {
    /// Text beside a call that it matches.
    #[default]
    Hint,
    /// A call that it matches is denied.
    Guard,
    /// Text at the start of a session.
    Protocol,
    /// Text at the start of a session and of a subagent.
    Directive,
}

impl LessonKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Hint, Self::Guard, Self::Protocol, Self::Directive];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Guard => "guard",
            Self::Protocol => "protocol",
            Self::Directive => "directive",
        }
    }

    /// The kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// It is about calls of tools.
    pub const fn about_calls(self) -> bool {
        matches!(self, Self::Hint | Self::Guard)
    }
}

/// Where a lesson is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Found by the scanner; nobody looked at it.
    #[default]
    Candidate,
    /// Looked at, not active.
    Reviewed,
    /// Active.
    Active,
    /// Switched off for now.
    Disabled,
    /// Kept for the record.
    Archived,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Candidate, Self::Reviewed, Self::Active, Self::Disabled, Self::Archived];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Reviewed => "reviewed",
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Archived => "archived",
        }
    }

    /// The status with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Where a lesson comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An error and its correction, found in a transcript.
    #[default]
    Heuristic,
    /// A `#lesson` tag.
    Structured,
    /// A person, or a model that was asked.
    Manual,
}

/// What command patterns are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The whole text.
    Full,
    /// What the shell would run: quoted text and here-documents do not count, `sh -c` does.
    Executable,
}

/// A lesson with everything that is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lesson {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub slug: String,
    /// Where it is in its life.
    pub status: Status,
    /// When it speaks, and how.
    #[serde(rename = "type")]
    pub kind: LessonKind,
    /// One line.
    pub summary: String,
    /// What went wrong and why.
    pub problem: String,
    /// What to do instead.
    pub solution: String,
    /// The tools whose calls it is about; none means that it can never match a call.
    pub tool_names: Vec<String>,
    /// Patterns on a command, and on the content where the call has a path.
    pub command_patterns: Vec<PatternText>,
    /// Globs or patterns on a path.
    pub path_patterns: Vec<PatternText>,
    /// Patterns on what is written; without them the command patterns do that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content_patterns: Vec<PatternText>,
    /// Patterns of which one must also match.
    pub model_patterns: Vec<PatternText>,
    /// What command patterns are compared with; unset is `executable` for a guard, else `full`.
    pub command_match_target: Option<Target>,
    /// The project that it is about; unset is all.
    pub scope: Option<String>,
    /// 1 to 10.
    pub priority: u8,
    /// 0 to 1.
    pub confidence: f64,
    /// `category:value`.
    pub tags: Vec<String>,
    /// Where it comes from.
    pub source: Source,
    /// Sessions that it was seen in.
    pub source_session_ids: Vec<String>,
    /// How often it was seen.
    pub occurrence_count: i64,
    /// In how many sessions.
    pub session_count: i64,
    /// In how many projects.
    pub project_count: i64,
    /// After it spoke, it is silent for so long in all sessions.
    #[serde(skip_serializing_if = "is_zero")]
    pub cooldown_minutes: u32,
    /// The hash of problem, solution and patterns.
    pub content_hash: String,
    /// When it was made, in microseconds.
    pub created: i64,
    /// When it was changed, in microseconds.
    pub updated: i64,
    /// When somebody looked at it, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<i64>,
    /// Why it is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_reason: Option<String>,
    /// Left out while this artifact is on the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicated_by: Option<Value>,
    /// Left out unless one of these artifacts is on the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires: Option<Value>,
    /// The text to say, when it came with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde wants")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The priority of a lesson that has none.
pub const PRIORITY: u8 = 5;
/// The confidence of a lesson that has none.
pub const CONFIDENCE: f64 = 0.8;

impl Lesson {
    /// A lesson with the usual values where nothing is known.
    pub fn new() -> Self {
        Self { priority: PRIORITY, confidence: CONFIDENCE, ..Self::default() }
    }

    /// The text that it says.
    pub fn text(&self) -> String {
        match &self.message {
            Some(message) if !message.trim().is_empty() => message.clone(),
            _ => format!("## Lesson: {}\n{}\n**Fix**: {}", self.summary, self.problem, self.solution),
        }
    }

    /// What its command patterns are compared with.
    pub fn target(&self) -> Target {
        self.command_match_target.unwrap_or(match self.kind {
            LessonKind::Guard => Target::Executable,
            _ => Target::Full,
        })
    }

    /// The hash by which the same lesson is known again.
    pub fn hash(&self) -> String {
        let patterns: Vec<&str> = self.command_patterns.iter().map(PatternText::source).collect();
        hash_of(&self.problem, &self.solution, &patterns)
    }

    /// Values within their bounds, the hash up to date, a slug when it has none.
    #[must_use]
    pub fn settled(mut self, id: impl FnOnce() -> String) -> Self {
        if self.id.is_empty() {
            self.id = id();
        }
        self.priority = self.priority.clamp(1, 10);
        self.confidence =
            if self.confidence.is_finite() { self.confidence.clamp(0.0, 1.0) } else { CONFIDENCE };
        for pattern in &mut self.command_patterns {
            pattern.anchor();
        }
        self.content_hash = self.hash();
        if self.slug.trim().is_empty() {
            self.slug = slug(&self.summary, &self.id);
        }
        self
    }

    /// As the store keeps it.
    pub fn row(&self) -> LessonRow {
        LessonRow {
            id: self.id.clone(),
            slug: self.slug.clone(),
            status: self.status.name().to_owned(),
            kind: self.kind.name().to_owned(),
            priority: i64::from(self.priority),
            confidence: (self.confidence * 1000.0).round() as i64,
            hash: self.content_hash.clone(),
            data: serde_json::to_string(self).unwrap_or_default(),
            created: self.created,
            updated: self.updated,
        }
    }

    /// As the store keeps it, read back; what cannot be read is `None`.
    pub fn from_row(row: &LessonRow) -> Option<Self> {
        let mut lesson: Self = serde_json::from_str(&row.data).ok()?;
        lesson.id.clone_from(&row.id);
        lesson.slug.clone_from(&row.slug);
        lesson.updated = row.updated;
        Some(lesson)
    }

    /// The first tag: what it is grouped by.
    pub fn group(&self) -> &str {
        self.tags.first().map_or("", String::as_str)
    }
}

/// The hash of what makes a lesson the same one.
pub fn hash_of(problem: &str, solution: &str, patterns: &[&str]) -> String {
    format!("blake3:{}", short_hash(format!("{problem}|{solution}|{patterns:?}").as_bytes()))
}

/// A name for people: the summary's words, and four characters that tell it from others.
pub fn slug(summary: &str, id: &str) -> String {
    let mut text = String::new();
    for c in summary.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => text.push(c),
            ' ' | '-' if !text.is_empty() && !text.ends_with('-') => text.push('-'),
            _ => {}
        }
        if text.len() >= 40 {
            break;
        }
    }
    let text = text.trim_end_matches('-');
    let end = short_hash(id.as_bytes());
    format!("{}-{}", if text.is_empty() { "lesson" } else { text }, end.get(..4).unwrap_or_default())
}

/// A line for a summary, made of a longer text.
pub fn summary_of(problem: &str) -> String {
    const MAX_SUMMARY_CHARS: usize = 120;
    let line = problem.lines().map(str::trim).find(|line| line.chars().count() > 10);
    let line = line.unwrap_or_else(|| problem.trim());
    if line.chars().count() <= MAX_SUMMARY_CHARS {
        return line.to_owned();
    }
    let head: String = line.chars().take(MAX_SUMMARY_CHARS).collect();
    let stop = head.find(['.', '—']).filter(|at| *at > 20);
    match stop.or_else(|| head.rfind(' ')) {
        Some(at) => head.get(..at).unwrap_or(&head).trim_end().to_owned(),
        None => head,
    }
}

/// The first line, cut to a number of characters.
pub fn first_line(text: &str, most: usize) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_words_and_never_empty() {
        assert!(slug("Never use `git stash`!", "1").starts_with("never-use-git-stash-"));
        assert!(slug("не делай так", "1").starts_with("lesson-"));
        let long = slug(&"word ".repeat(30), "1");
        assert!(long.len() <= 45 && !long.contains("--"), "{long}");
        assert_ne!(slug("same", "1"), slug("same", "2"));
    }

    #[test]
    fn a_lesson_survives_the_store() {
        let mut lesson = Lesson::new();
        lesson.summary = "One".into();
        lesson.command_patterns = vec![PatternText::new("git"), PatternText::with_flags("x", "i")];
        lesson.scope = Some("p".into());
        lesson.kind = LessonKind::Guard;
        let lesson = lesson.settled(|| "id".into());
        assert_eq!(Lesson::from_row(&lesson.row()), Some(lesson.clone()));
        assert_eq!(lesson.target(), Target::Executable);
        assert_eq!(lesson.command_patterns[0].source(), r"\bgit\b", "a bare word is a whole word");
    }

    #[test]
    fn values_out_of_bounds_are_brought_back() {
        let lesson = Lesson { priority: 200, confidence: f64::NAN, ..Lesson::new() }.settled(|| "x".into());
        assert_eq!((lesson.priority, lesson.confidence), (10, CONFIDENCE));
    }

    #[test]
    fn a_summary_is_one_line_without_dots_at_its_end() {
        assert_eq!(summary_of("\nshort\nThis is the line that tells it"), "This is the line that tells it");
        let long = format!("{} end", "word ".repeat(40));
        assert!(summary_of(&long).chars().count() <= 120 && !summary_of(&long).ends_with("..."));
        assert!(summary_of(&"ж".repeat(300)).chars().count() <= 120);
    }
}
