//! What a lesson must be before it counts. The same rules for what a person adds and what a candidate becomes.

use crate::model::Lesson;
use crate::pattern::PatternText;
use crate::scan::is_placeholder;
use crate::similar;

/// Words that begin prose about an action and not a command.
const GERUNDS: [&str; 19] = [
    "running", "fixing", "using", "trying", "calling", "writing", "reading", "editing", "creating",
    "deleting", "updating", "installing", "building", "testing", "debugging", "adding", "removing",
    "searching", "committing",
];

/// What is wrong with a lesson, in words; nothing when it may count.
pub fn faults(lesson: &Lesson) -> Vec<String> {
    let mut found = Vec::new();
    let long = |text: &str, least: usize| text.trim().chars().count() >= least;
    if lesson.summary.trim_end().ends_with("...") {
        found.push("the summary is cut off: write it out".to_owned());
    }
    for (name, text) in
        [("summary", &lesson.summary), ("problem", &lesson.problem), ("solution", &lesson.solution)]
    {
        if is_placeholder(text) {
            found.push(format!("the {name} is a template's text: fill it in"));
        } else if !long(text, if name == "summary" { 8 } else { 20 }) {
            found.push(format!("the {name} is too short to help anybody: say what happened and why"));
        }
    }
    if similar::alike(&lesson.problem, &lesson.solution) >= 0.7 {
        found.push("the solution repeats the problem: say what to do instead".to_owned());
    }
    if is_only_a_code(&lesson.problem) {
        found.push("the problem is an exit code and names no cause: say what the error was".to_owned());
    }
    if lesson.kind.about_calls() {
        let patterns = [
            &lesson.command_patterns, &lesson.path_patterns, &lesson.content_patterns, &lesson.model_patterns,
        ];
        if !lesson.tool_names.is_empty() && patterns.iter().all(|list| list.is_empty()) {
            found.push(
                "it has no trigger, so it matches every call of its tools: --trigger 'COMMAND'".to_owned(),
            );
        }
        if lesson.tool_names.is_empty() {
            found.push("it names no tool, so it can never match a call: --tool Bash".to_owned());
        }
    } else if !lesson.tool_names.is_empty() {
        found.push(format!(
            "a {} speaks at the start of a session; it has no use for tools",
            lesson.kind.name()
        ));
    }
    for pattern in &lesson.command_patterns {
        if is_prose(pattern.source()) {
            found.push(format!("`{}` is prose and no command: give the command itself", pattern.source()));
        }
    }
    found.extend(
        pattern_faults(lesson)
            .into_iter()
            .map(|(pattern, error)| format!("the pattern `{pattern}` is invalid: {error}")),
    );
    found
}

/// `Exit code 1` and nothing that says why.
fn is_only_a_code(problem: &str) -> bool {
    let mut lines = problem.lines().map(str::trim).filter(|line| !line.is_empty());
    let code = |line: &str| line.to_ascii_lowercase().starts_with("exit code");
    lines.next().is_some_and(code) && crate::fixes::error_text::read(problem).is_none()
}

/// The patterns that do not compile, with what is wrong.
pub fn pattern_faults(lesson: &Lesson) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut check = |text: &PatternText, error: Option<String>| {
        if let Some(error) = error {
            found.push((text.source().to_owned(), error));
        }
    };
    for text in lesson.command_patterns.iter().chain(&lesson.content_patterns).chain(&lesson.model_patterns) {
        check(text, text.as_text_pattern(false).err().map(|error| error.to_string()));
    }
    for text in &lesson.path_patterns {
        check(text, text.as_path_pattern().err().map(|error| error.to_string()));
    }
    found
}

/// A sentence where a command should be.
fn is_prose(pattern: &str) -> bool {
    let plain: String = pattern.replace(r"\b", " ").replace(r"\s+", " ").replace('\\', "");
    let mut words = plain.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    GERUNDS.contains(&first.as_str()) && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LessonKind;

    fn good() -> Lesson {
        Lesson {
            summary: "Do not stash in a shared checkout".into(),
            problem: "git stash swept up the changes of another session.".into(),
            solution: "Commit to a branch of your own and leave the stash alone.".into(),
            tool_names: vec!["Bash".into()],
            command_patterns: vec![PatternText::new(r"\bgit\s+stash\b")],
            ..Lesson::new()
        }
    }

    #[test]
    fn a_good_lesson_passes_and_each_fault_is_named() {
        assert_eq!(faults(&good()), Vec::<String>::new());
        let with = |change: fn(&mut Lesson)| {
            let mut lesson = good();
            change(&mut lesson);
            faults(&lesson).join("; ")
        };
        for (change, word) in [
            ((|l| l.summary = "Do not stash in a shar...".into()) as fn(&mut Lesson), "cut off"),
            (|l| l.problem = "<what_went_wrong_and_why>".into(), "template"),
            (|l| l.solution = "no".into(), "too short"),
            (|l| l.solution.clone_from(&l.problem), "repeats"),
            (|l| l.tool_names.clear(), "names no tool"),
            (|l| l.problem = "Exit code 1\n                    ".into(), "names no cause"),
            (|l| l.command_patterns.clear(), "no trigger"),
            (|l| l.kind = LessonKind::Directive, "no use for tools"),
            (|l| l.command_patterns = vec![PatternText::new("running the tests")], "prose"),
            (|l| l.command_patterns = vec![PatternText::new("(")], "invalid"),
            (|l| l.path_patterns = vec![PatternText::new("([")], "invalid"),
        ] {
            assert!(with(change).contains(word), "{word}: {}", with(change));
        }
    }
}
