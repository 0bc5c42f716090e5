//! `#lesson` tags in what a model said: a block of `key: value` lines, whose values may go on over several lines.

use super::tool_name;

/// A tag, or the withdrawal of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A lesson.
    Lesson {
        /// The tool.
        tool: Option<String>,
        /// The command or action.
        trigger: Option<String>,
        /// What went wrong.
        problem: String,
        /// What to do.
        solution: String,
        /// Tags.
        tags: Vec<String>,
        /// True of this project alone.
        project_only: bool,
    },
    /// The beginning of the problem of a lesson that is taken back, in lower case.
    Cancel(String),
}

const OPEN: &str = "#lesson";
const CLOSE: &str = "#/lesson";
const CANCEL: &str = ":cancel";
/// A withdrawal with fewer characters would hit too much.
const LEAST_PREFIX: usize = 8;
/// A tag that is larger is none.
const MAX_TAG_BYTES: usize = 16 << 10;

/// The tags of a text, in order.
pub fn read(text: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let after = rest.get(at + OPEN.len()..).unwrap_or_default();
        let (cancel, after) = match after.strip_prefix(CANCEL) {
            Some(after) => (true, after),
            None => (false, after),
        };
        rest = after;
        // `#lessons`, `#lesson-example` and a mention within a line are no tag.
        let Some(body) = opened(after) else { continue };
        let Some(end) = body.find(CLOSE).filter(|end| *end <= MAX_TAG_BYTES) else { continue };
        let inside = body.get(..end).unwrap_or_default();
        // A tag that was never closed ends where the next begins.
        if inside.lines().any(|line| line.trim() == OPEN || line.trim() == "#lesson:cancel") {
            continue;
        }
        rest = body.get(end + CLOSE.len()..).unwrap_or_default();
        found.extend(if cancel { withdrawn(inside) } else { lesson(inside) });
    }
    found
}

/// What follows an opening marker: blanks, then a line end.
fn opened(after: &str) -> Option<&str> {
    let trimmed = after.trim_start_matches([' ', '\t', '\r']);
    trimmed.strip_prefix('\n')
}

const KEYS: [&str; 8] = ["tool", "trigger", "problem", "solution", "tags", "scope", "mistake", "fix"];

/// The fields of a block; a line that begins with no known key goes on with the value before.
fn fields(inside: &str) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for line in inside.lines() {
        let trimmed = line.trim().trim_start_matches(['-', '*']).trim_start();
        let key = trimmed.split_once(':').and_then(|(key, value)| {
            let key = key.trim().trim_matches('*').to_lowercase();
            KEYS.iter().find(|known| **known == key).map(|known| (*known, value))
        });
        match key {
            Some((key, value)) => {
                let key = match key {
                    "mistake" => "problem",
                    "fix" => "solution",
                    key => key,
                };
                found.retain(|(known, _)| *known != key);
                found.push((key, value.trim().to_owned()));
            }
            None if line.trim().starts_with("```") => {}
            None => {
                if let Some((_, value)) = found.last_mut()
                    && !line.trim().is_empty()
                {
                    if !value.is_empty() {
                        value.push('\n');
                    }
                    value.push_str(line.trim());
                }
            }
        }
    }
    found
}

fn lesson(inside: &str) -> Option<Tag> {
    let fields = fields(inside);
    let value = |key: &str| {
        let found = fields.iter().find(|(known, _)| *known == key).map(|(_, value)| value.trim().to_owned());
        found.filter(|value| !value.is_empty())
    };
    let (problem, solution) = (value("problem")?, value("solution")?);
    let template = [Some(&problem), Some(&solution), value("tool").as_ref(), value("trigger").as_ref()]
        .into_iter()
        .flatten()
        .any(|text| is_placeholder(text));
    if template {
        return None;
    }
    let tags = value("tags").unwrap_or_default();
    Some(Tag::Lesson {
        tool: value("tool").as_deref().and_then(tool_name),
        trigger: value("trigger"),
        problem,
        solution,
        tags: tags
            .split([',', '\n'])
            .map(|tag| tag.trim().to_lowercase())
            .filter(|tag| !tag.is_empty())
            .collect(),
        project_only: value("scope").is_some_and(|scope| scope.to_lowercase().starts_with("project")),
    })
}

fn withdrawn(inside: &str) -> Option<Tag> {
    let (_, prefix) = fields(inside).into_iter().find(|(key, _)| *key == "problem")?;
    let prefix = prefix.trim().trim_end_matches("...").trim_end().to_lowercase();
    (prefix.chars().count() >= LEAST_PREFIX).then_some(Tag::Cancel(prefix))
}

/// True for a template's text that nobody filled in.
pub fn is_placeholder(text: &str) -> bool {
    const NAMES: [&str; 6] = [
        "what_went_wrong", "the_correction", "what_to_do_instead", "tool_name", "command_or_action",
        "category_value",
    ];
    let text = text.trim();
    (text.starts_with('<') && text.ends_with('>'))
        || NAMES.iter().any(|name| text.contains(&format!("<{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TAG: &str = "#lesson\ntool: bash\ntrigger: git stash\nproblem: it lost work\nsolution: commit first\ntags: tool:git, Severity:data-loss\n#/lesson";

    fn problems(text: &str) -> Vec<String> {
        let found = read(text).into_iter();
        found
            .filter_map(|tag| if let Tag::Lesson { problem, .. } = tag { Some(problem) } else { None })
            .collect()
    }

    #[test]
    fn a_tag_is_read() {
        let found = read(&format!("I see.\n```\n{TAG}\n```\nOn I go."));
        let [Tag::Lesson { tool, trigger, problem, solution, tags, project_only }] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((tool.as_deref(), trigger.as_deref()), (Some("Bash"), Some("git stash")));
        assert_eq!(
            (problem.as_str(), solution.as_str(), *project_only),
            ("it lost work", "commit first", false)
        );
        assert_eq!(tags, &["tool:git", "severity:data-loss"]);
    }

    #[test]
    fn fault_25_values_go_on_over_lines() {
        let text = "#lesson\nproblem: first line\n  second line: with a colon\nsolution: do this\nand that\n#/lesson";
        let found = read(text);
        let [Tag::Lesson { problem, solution, .. }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(problem, "first line\nsecond line: with a colon");
        assert_eq!(solution, "do this\nand that");
    }

    #[test]
    fn fault_26_a_template_is_no_lesson() {
        assert!(read(crate::texts::PROTOCOL).is_empty(), "the protocol's own text");
        assert!(read(crate::texts::SUBAGENT_PROTOCOL).is_empty());
        assert!(
            read("#lesson\ntool: <tool_name>\nproblem: a real problem\nsolution: real\n#/lesson").is_empty()
        );
    }

    #[test]
    fn fault_24_the_scope_is_kept() {
        let text = TAG.replace("#/lesson", "scope: project\n#/lesson");
        assert!(matches!(read(&text).as_slice(), [Tag::Lesson { project_only: true, .. }]));
    }

    #[test]
    fn an_unclosed_tag_swallows_nothing() {
        let text = format!("#lesson\nproblem: never closed\nsolution: x\n\n{TAG}");
        assert_eq!(problems(&text), ["it lost work"]);
        assert!(problems("#lesson\nproblem: a\nsolution: b\n").is_empty());
        assert_eq!(problems(&format!("see #lesson tags and #lessons\n{TAG}\n{TAG}")).len(), 2);
    }

    #[test]
    fn older_names_and_missing_fields() {
        assert_eq!(problems("#lesson\nmistake: old name\nfix: yes\n#/lesson"), ["old name"]);
        assert!(problems("#lesson\nproblem: alone\n#/lesson").is_empty());
        assert!(problems("#lesson\nproblem:\nsolution: x\n#/lesson").is_empty());
    }

    #[test]
    fn a_tag_is_taken_back() {
        let text = "#lesson:cancel\nproblem: It lost work, and...\n#/lesson:cancel";
        assert_eq!(read(text), [Tag::Cancel("it lost work, and".into())]);
        assert!(read("#lesson:cancel\nproblem: It\n#/lesson:cancel").is_empty(), "too short to be sure");
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(#lesson|#/lesson|:cancel|problem:|solution:|\\n| |[a-zé<>]){0,40}") {
            for tag in read(&text) {
                if let Tag::Lesson { problem, solution, .. } = tag {
                    prop_assert!(!problem.is_empty() && !solution.is_empty());
                }
            }
        }
    }
}
