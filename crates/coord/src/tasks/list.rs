//! Lists of tasks that other programs keep: a Markdown list, issues of GitHub as JSON. Pure.

use serde_json::Value;
use sprag_base::id::short_hash;
use std::collections::BTreeSet;

/// A task of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedTask {
    /// How the list refers to it: its number.
    pub key: String,
    /// One line.
    pub title: String,
    /// The text below it.
    pub goal: String,
    /// The place in the list of the task that it is a part of.
    pub parent: Option<usize>,
    /// The keys of those that must be done before it.
    pub after: Vec<String>,
    /// A higher one is done first.
    pub priority: i64,
    /// The agent that it is for.
    pub assignee: String,
    /// Where it comes from: the same source is imported once.
    pub source: String,
}

/// Why a list cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// There is nothing in it.
    #[error("there is no task in it")]
    Empty,
    /// It refers to a task that it does not have.
    #[error("line {line}: there is no task `{key}` in this list")]
    Unknown {
        /// The line.
        line: usize,
        /// What it refers to.
        key: String,
    },
    /// Tasks wait for each other.
    #[error("these tasks wait for each other: {0}")]
    Cycle(String),
    /// It is not what it should be.
    #[error("{0}")]
    Json(String),
}

/// A list item's indentation, whether it is ticked off, its number and its text.
fn item(line: &str) -> Option<(usize, bool, Option<&str>, &str)> {
    let indent =
        line.chars().take_while(|c| *c == ' ' || *c == '\t').map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let text = line.trim_start();
    let (number, text) = match text.split_once(['.', ')']) {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            (Some(number), rest.strip_prefix(' ')?)
        }
        _ => (None, text.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?),
    };
    let text = text.trim();
    let done = ["[x] ", "[X] "].iter().find_map(|tick| text.strip_prefix(tick));
    let text = done.or_else(|| text.strip_prefix("[ ] ")).unwrap_or(text);
    Some((indent, done.is_some(), number, text.trim()))
}

/// Takes `(after: 1, 2)`, `(priority: 3)` and `(for: ada)` from the end of a title.
fn take_marks(text: &str, task: &mut ListedTask) -> String {
    let mut title = text.trim();
    while let Some((rest, mark)) = title.strip_suffix(')').and_then(|inner| inner.rsplit_once('(')) {
        let Some((name, value)) = mark.split_once(':') else { break };
        let value = value.trim();
        match name.trim() {
            "after" => {
                task.after =
                    value.split(',').map(|key| key.trim().trim_start_matches('#').to_owned()).collect();
            }
            "priority" => match value.parse() {
                Ok(priority) => task.priority = priority,
                Err(_) => break,
            },
            "for" => value.trim_start_matches('@').clone_into(&mut task.assignee),
            _ => break,
        }
        title = rest.trim();
    }
    title.to_owned()
}

/// The tasks of a Markdown list: items are tasks, items below an item its parts, text below an item its goal. Items that
/// are ticked off are left out, and with them what others wait for.
pub fn markdown(text: &str) -> Result<Vec<ListedTask>, ListError> {
    let mut tasks: Vec<ListedTask> = Vec::new();
    let mut lines_of: Vec<usize> = Vec::new();
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut ticked: BTreeSet<String> = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let Some((indent, done, number, title)) = item(line) else {
            let indented = line.starts_with([' ', '\t']) && !line.trim().is_empty();
            match (indented, open.last()) {
                (true, Some((_, Some(place)))) => {
                    if let Some(task) = tasks.get_mut(*place) {
                        if !task.goal.is_empty() {
                            task.goal.push('\n');
                        }
                        task.goal.push_str(line.trim());
                    }
                }
                (false, _) if !line.trim().is_empty() => open.clear(),
                _ => {}
            }
            continue;
        };
        open.retain(|(other, _)| *other < indent);
        let mut task = ListedTask { key: number.unwrap_or_default().to_owned(), ..ListedTask::default() };
        task.title = take_marks(title, &mut task);
        if done || task.title.is_empty() {
            ticked.insert(task.key);
            open.push((indent, None));
            continue;
        }
        task.parent = open.iter().rev().find_map(|(_, place)| *place);
        let above = task.parent.and_then(|place| tasks.get(place)).map(|parent| parent.source.clone());
        task.source = format!("list:{}", short_hash(format!("{above:?} {}", task.title).as_bytes()));
        open.push((indent, Some(tasks.len())));
        tasks.push(task);
        lines_of.push(at + 1);
    }
    let keys: BTreeSet<String> =
        tasks.iter().map(|task| task.key.clone()).filter(|key| !key.is_empty()).collect();
    for (task, line) in tasks.iter_mut().zip(&lines_of) {
        task.after.retain(|key| !ticked.contains(key) || keys.contains(key));
        if let Some(key) = task.after.iter().find(|key| !keys.contains(*key)) {
            return Err(ListError::Unknown { line: *line, key: key.clone() });
        }
    }
    checked(tasks)
}

/// The tasks of issues as `gh issue list --json number,title,body,labels,assignees,state` or GitHub's API prints them.
/// `Depends on #12`, `Blocked by #12` and `After #12` in the text are what it waits for; labels such as `priority:high` or
/// `P1` are priorities. Closed issues and pull requests are left out.
pub fn github(value: &Value) -> Result<Vec<ListedTask>, ListError> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Object(map) => match map.get("items").and_then(Value::as_array) {
            Some(items) => items.as_slice(),
            None => std::slice::from_ref(value),
        },
        _ => return Err(ListError::Json("neither an issue nor a list of issues".to_owned())),
    };
    let mut tasks = Vec::new();
    for issue in items {
        let text = |key: &str| issue.get(key).and_then(Value::as_str).unwrap_or_default();
        let (Some(number), title) = (issue.get("number").and_then(Value::as_i64), text("title").trim())
        else {
            return Err(ListError::Json("an issue has no number".to_owned()));
        };
        if text("state").eq_ignore_ascii_case("closed")
            || issue.get("pull_request").is_some()
            || title.is_empty()
        {
            continue;
        }
        let names = |key: &str, field: &str| -> Vec<String> {
            let all = issue.get(key).and_then(Value::as_array).into_iter().flatten();
            all.filter_map(|one| one.as_str().or_else(|| one.get(field)?.as_str()))
                .map(str::to_owned)
                .collect()
        };
        let url = ["html_url", "url"].iter().map(|key| text(key)).find(|url| !url.is_empty());
        tasks.push(ListedTask {
            key: number.to_string(),
            title: format!("{title} (#{number})"),
            goal: text("body").trim().to_owned(),
            parent: None,
            after: mentioned(text("body")),
            priority: names("labels", "name").iter().map(|label| priority(label)).max().unwrap_or(0),
            assignee: String::new(),
            source: format!("github:{}", url.map_or_else(|| number.to_string(), str::to_owned)),
        });
    }
    let keys: BTreeSet<String> = tasks.iter().map(|task| task.key.clone()).collect();
    for task in &mut tasks {
        // An issue that is closed or elsewhere is waited for by nobody.
        task.after.retain(|key| keys.contains(key) && *key != task.key);
    }
    checked(tasks)
}

/// The numbers of the issues that a text says it waits for.
fn mentioned(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lower = text.to_lowercase();
    for start in ["depends on", "blocked by", "after"] {
        for (at, _) in lower.match_indices(start) {
            let Some(rest) = lower.get(at + start.len()..) else { continue };
            let rest = rest.trim_start_matches([':', ' ']);
            let list = rest.split(['\n', '.', ';']).next().unwrap_or_default();
            for word in list.split([',', ' ']).filter(|word| !word.is_empty() && *word != "and") {
                let number = word.strip_prefix('#').filter(|rest| !rest.is_empty());
                match number.filter(|rest| rest.bytes().all(|b| b.is_ascii_digit())) {
                    Some(number) if !found.iter().any(|known| known == number) => {
                        found.push(number.to_owned());
                    }
                    Some(_) => {}
                    None => break,
                }
            }
        }
    }
    found
}

fn priority(label: &str) -> i64 {
    let label = label.to_lowercase();
    let name = label
        .strip_prefix("priority")
        .map_or(label.as_str(), |rest| rest.trim_start_matches([':', '/', '-', ' ']));
    match name {
        "p0" | "critical" | "urgent" => 3,
        "p1" | "high" => 2,
        "p2" | "medium" => 1,
        "p4" | "low" => -1,
        _ => 0,
    }
}

fn checked(tasks: Vec<ListedTask>) -> Result<Vec<ListedTask>, ListError> {
    if tasks.is_empty() {
        return Err(ListError::Empty);
    }
    // What is before a task: those it names, and its parts.
    let before = |at: usize| -> Vec<usize> {
        let Some(task) = tasks.get(at) else { return Vec::new() };
        let named = |other: &ListedTask| !other.key.is_empty() && task.after.contains(&other.key);
        let all = tasks.iter().enumerate();
        all.filter(|(_, other)| named(other) || other.parent == Some(at)).map(|(other, _)| other).collect()
    };
    let mut left: Vec<usize> = (0..tasks.len()).collect();
    loop {
        let (free, waiting): (Vec<usize>, Vec<usize>) =
            left.iter().partition(|at| before(**at).iter().all(|other| !left.contains(other)));
        if waiting.is_empty() {
            return Ok(tasks);
        }
        if free.is_empty() {
            let names: Vec<&str> =
                waiting.iter().filter_map(|at| tasks.get(*at)).map(|task| task.title.as_str()).collect();
            return Err(ListError::Cycle(names.join(", ")));
        }
        left = waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_markdown_list_with_parts_goals_and_what_comes_before() {
        let text = "# Plan\n\nSome words.\n\n1. Write the lexer (priority: 2)\n   It reads UTF-8.\n   - [ ] Numbers\n   - [x] Names\n\
                    2. Port the parser (after: 1) (for: ada)\n3. [x] Old thing\n4. Delete the old one (after: 2, 3)\n";
        let tasks = markdown(text).unwrap();
        let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["Write the lexer", "Numbers", "Port the parser", "Delete the old one"]);
        assert_eq!((tasks[0].goal.as_str(), tasks[0].priority), ("It reads UTF-8.", 2));
        assert_eq!(tasks[1].parent, Some(0));
        assert_eq!((tasks[2].after.as_slice(), tasks[2].assignee.as_str()), (&["1".to_owned()][..], "ada"));
        assert_eq!(tasks[3].after, ["2"], "what is ticked off is not waited for");
        assert_eq!(markdown(text).unwrap(), tasks, "the same sources each time");
    }

    #[test]
    fn what_a_list_does_not_have_and_circles_are_refused() {
        assert_eq!(markdown("nothing here\n"), Err(ListError::Empty));
        let unknown = ListError::Unknown { line: 2, key: "7".into() };
        assert_eq!(markdown("1. a\n2. b (after: 7)\n"), Err(unknown));
        assert_eq!(markdown("1. a (after: 2)\n2. b (after: 1)\n"), Err(ListError::Cycle("a, b".into())));
        let part = markdown("1. whole\n   2. part (after: 1)\n");
        assert_eq!(part, Err(ListError::Cycle("whole, part".into())), "a whole waits for its parts");
    }

    #[test]
    fn issues_of_github() {
        let issues = json!([
            {"number": 12, "title": "Lexer", "body": "do it", "labels": [{"name": "P1"}], "state": "OPEN",
             "url": "https://git.example/dev/shop/issues/12"},
            {"number": 13, "title": "Parser", "body": "Depends on #12 and #14.\nSee #99", "labels": [], "state": "OPEN"},
            {"number": 14, "title": "Closed", "body": "", "state": "CLOSED"},
        ]);
        let tasks = github(&issues).unwrap();
        assert_eq!(tasks.len(), 2);
        assert_eq!((tasks[0].title.as_str(), tasks[0].priority), ("Lexer (#12)", 2));
        assert_eq!(tasks[0].source, "github:https://git.example/dev/shop/issues/12");
        assert_eq!(tasks[1].after, ["12"]);
        assert!(matches!(github(&json!("x")), Err(ListError::Json(_))));
    }

    proptest! {
        #[test]
        fn any_text_is_a_list_or_none(text in "([-*0-9.) \\[\\]x\\n\\t(after:priority)a-z]){0,300}") {
            let _ = markdown(&text);
        }
    }
}
