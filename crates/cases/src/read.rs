//! A case file's text to cases. Strict: an unknown key is a fault with its line and the nearest known key.

use super::keys;
use super::model::{
    Action, Case, CaseFile, Commit, Content, Expect, Fault, FileExpect, Git, Step, When, World, WorldFile,
};
use super::toml::{Node, Source, json_of};
use serde_json::{Map, Value};
use sprag_base::time::Stamp;
use sprag_pattern::Pattern;
use sprag_protocol::{AgentId, Decision, EventKind, recordings};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml_edit::Document;

/// Reads a case file. With faults, none of its cases can be relied on.
pub(crate) fn read(path: &Path, text: &str) -> Result<CaseFile, Vec<Fault>> {
    let source = Source::new(path, text);
    let mut file = CaseFile { path: path.to_path_buf(), cases: Vec::new() };
    match Document::parse(text) {
        Ok(document) => {
            let root = Node { source: &source, table: document.as_table(), line: 1, what: "the file" };
            file.cases = cases(&root);
        }
        Err(error) => {
            let line = source.line_at(error.span().map_or(0, |span| span.start));
            let what = error.message().lines().next().unwrap_or_default().to_owned();
            source.fault(line, format!("not valid TOML: {what}"), "fix the line");
        }
    }
    let mut faults = source.faults();
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(file) } else { Err(faults) }
}

fn cases(root: &Node<'_>) -> Vec<Case> {
    root.only(&[&keys::FILE]);
    let hook = root.text("hook");
    let hooks = root.texts("hooks").or_else(|| hook.clone().map(|hook| vec![hook]));
    let agents = agents(root);
    let world = root.child("world", "[world]").map(|node| self::world(&node)).unwrap_or_default();
    let mut all: Vec<Case> = Vec::new();
    for node in root.children("case", "[[case]]") {
        let case = case(&node, hooks.as_deref(), &agents, &world);
        let slug = super::snapshot::slug(&case.name);
        if all.iter().any(|known| super::snapshot::slug(&known.name) == slug) {
            node.source.fault(
                node.line_of("name"),
                format!("two cases are called `{}`", case.name),
                "give each its own name",
            );
        }
        all.push(case);
    }
    if all.is_empty() && !root.has("case") {
        root.source.fault(1, "the file has no case", "write [[case]]");
    }
    all
}

fn case(node: &Node<'_>, hooks: Option<&[String]>, agents: &[AgentId], world: &World) -> Case {
    node.only(&[&keys::CASE, &keys::STEP]);
    let own_hooks = node.texts("hooks").or_else(|| node.text("hook").map(|hook| vec![hook]));
    let mut case = Case {
        name: node.text("name").unwrap_or_default(),
        line: node.line,
        hooks: own_hooks.or_else(|| hooks.map(<[String]>::to_vec)).unwrap_or_default(),
        agents: self::agents(node),
        world: world.clone(),
        steps: Vec::new(),
    };
    if case.name.trim().is_empty() {
        node.source.fault(node.line, "a case without a name", "name = \"what it shows\"");
    }
    if case.hooks.is_empty() {
        node.source.fault(
            node.line,
            "no hook to run",
            "hook = \"…\" at the top of the file, or hooks = […] here",
        );
    }
    if case.agents.is_empty() {
        case.agents = agents.to_vec();
    }
    if let Some(own) = node.child("world", "[case.world]") {
        case.world.over(self::world(&own));
    }
    if node.has("steps") {
        for key in
            ["event", "payload", "recorded", "override", "remove", "stdin", "result", "repeat", "advance"]
        {
            if node.has(key) {
                node.source.fault(
                    node.line_of(key),
                    format!("`{key}` beside `steps`"),
                    "put it into one of the steps",
                );
            }
        }
        case.steps = steps(node);
        let last = step_after(node);
        case.steps.extend(last);
    } else {
        case.steps = vec![step(node)];
    }
    if !case.steps.iter().any(expects) {
        node.source.fault(node.line, "the case expects nothing", "write [case.expect]");
    }
    case
}

/// What a case with steps says itself: its expectation is that of the last step.
fn step_after(node: &Node<'_>) -> Option<Step> {
    let expect = node.child("expect", "[case.expect]").map(|node| expect(&node))?;
    Some(Step { line: node.line, repeat: 1, expect: Some(expect), ..Step::default() })
}

fn expects(step: &Step) -> bool {
    let below = match &step.action {
        Action::Group(steps) => steps.iter().any(expects),
        _ => false,
    };
    step.expect.is_some() || step.expect_each.is_some() || below
}

fn agents(node: &Node<'_>) -> Vec<AgentId> {
    let mut found = Vec::new();
    for name in node.texts("agents").unwrap_or_default() {
        let Some(agent) = AgentId::from_name(&name) else {
            let known: Vec<&str> = AgentId::ALL.iter().map(|agent| agent.name()).collect();
            node.source.unknown(node.line_of("agents"), "agent", &name, &known);
            continue;
        };
        found.push(agent);
    }
    found
}

fn steps(node: &Node<'_>) -> Vec<Step> {
    node.children("steps", "a step")
        .iter()
        .map(|node| {
            node.only(&[&keys::STEP]);
            step(node)
        })
        .collect()
}

fn step(node: &Node<'_>) -> Step {
    let repeat = node.count("repeat").unwrap_or(1);
    if !(1..=10_000).contains(&repeat) {
        node.wrong("repeat", "between 1 and 10000");
    }
    Step {
        line: node.line,
        action: action(node),
        result: node.json("result"),
        repeat: repeat as usize,
        advance: node.text("advance").map(|text| duration(node, "advance", &text)).unwrap_or_default(),
        files: files(node, "files"),
        env: node.pairs("env"),
        work: node.flag("work").unwrap_or(false),
        expect: node.child("expect", "[case.expect]").map(|node| expect(&node)),
        expect_each: node.child("expect_each", "[case.expect_each]").map(|node| expect(&node)),
    }
}

fn action(node: &Node<'_>) -> Action {
    let remove = node.texts("remove").unwrap_or_default();
    let given: Vec<&str> =
        ["event", "recorded", "stdin", "steps"].into_iter().filter(|key| node.has(key)).collect();
    let refuse = |key: &str, hint: &str| {
        if node.has(key) {
            node.source.fault(node.line_of(key), format!("`{key}` has nothing to change here"), hint);
        }
    };
    match given.as_slice() {
        ["event"] => {
            refuse("override", "`override` goes with `recorded`; here it is `payload`");
            let payload = node.object("payload").unwrap_or_default();
            Action::Inline { kind: kind(node), payload, remove }
        }
        ["recorded"] => {
            refuse("payload", "`payload` goes with `event`; here it is `override`");
            let name = node.text("recorded").unwrap_or_default();
            let over = node.object("override").unwrap_or_default();
            let text = recordings::get(&name).map_or("{}", |recording| recording.text);
            if recordings::get(&name).is_none() {
                no_recording(node, &name);
            }
            Action::Recorded { name, text, over, remove }
        }
        ["stdin"] => Action::Raw(node.text("stdin").unwrap_or_default()),
        ["steps"] => Action::Group(steps(node)),
        [] => {
            node.source.fault(
                node.line,
                format!("{} has no event", node.what),
                "event = \"PreToolUse\", or recorded = \"claude/PreToolUse.Bash\"",
            );
            Action::default()
        }
        several => {
            node.source.fault(
                node.line,
                format!("{} has {} at once", node.what, several.join(" and ")),
                "one of event, recorded, stdin, steps",
            );
            Action::default()
        }
    }
}

fn no_recording(node: &Node<'_>, name: &str) {
    let known: Vec<&str> = recordings::ALL.iter().map(|recording| recording.name).collect();
    let hint = match sprag_config::parse::nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`sprag test --recordings` lists the {} there are", known.len()),
    };
    node.source.fault(node.line_of("recorded"), format!("no recording `{name}`"), hint);
}

fn kind(node: &Node<'_>) -> EventKind {
    let name = node.text("event").unwrap_or_default();
    EventKind::from_any_name(&name).unwrap_or_else(|| {
        let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        node.source.unknown(node.line_of("event"), "event", &name, &known);
        EventKind::Unknown
    })
}

impl World {
    /// Another world over this one.
    fn over(&mut self, own: World) {
        self.files.extend(own.files);
        self.env.extend(own.env);
        self.config.extend(own.config);
        self.project_config.extend(own.project_config);
        self.git = own.git.or(self.git.take());
        self.clock = own.clock.or(self.clock);
        self.trusted |= own.trusted;
        if !own.model.is_empty() {
            self.model = own.model;
        }
        self.store.extend(own.store);
    }
}

fn world(node: &Node<'_>) -> World {
    node.only(&[&keys::WORLD]);
    let clock = node.json("clock").and_then(|value| {
        let stamp = value.as_str().and_then(Stamp::parse);
        if stamp.is_none() {
            node.wrong("clock", "a time in UTC such as 2026-11-15T09:00:00Z");
        }
        stamp
    });
    let checked = |key: &str| -> Vec<String> {
        let text = node.toml(key);
        if let Some(error) = text.as_ref().and_then(|text| text.parse::<toml_edit::DocumentMut>().err()) {
            node.wrong(key, &format!("valid TOML: {}", error.message().lines().next().unwrap_or_default()));
        }
        text.into_iter().collect()
    };
    World {
        files: files(node, "files"),
        git: node.child("git", "[case.world.git]").map(|node| git(&node)),
        env: node.pairs("env"),
        clock,
        config: checked("config"),
        project_config: checked("project_config"),
        trusted: node.flag("trusted").unwrap_or(false),
        model: node.texts("model").unwrap_or_default(),
        store: store(node),
    }
}

/// Rows of the store: `store.tasks = [{ id = "t1", … }]`.
fn store(node: &Node<'_>) -> Vec<(String, Vec<Map<String, Value>>)> {
    let Some(value) = node.json("store") else { return Vec::new() };
    let tables = value.as_object().map(|tables| {
        tables.iter().map(|(table, rows)| {
            let rows: Option<Vec<_>> = rows.as_array()?.iter().map(|row| row.as_object().cloned()).collect();
            Some((table.clone(), rows?))
        })
    });
    let read: Option<Vec<_>> = tables.and_then(Iterator::collect);
    read.unwrap_or_else(|| {
        node.wrong("store", "tables with lists of rows: store.tasks = [{ id = \"t1\" }]");
        Vec::new()
    })
}

/// A path stays in the case's home.
fn check_path(node: &Node<'_>, line: usize, path: &str) {
    let home = format!("{}/", super::places::HOME);
    let inside = !path.starts_with('/') || path.starts_with(&home);
    if path.is_empty() || !inside || path.split('/').any(|part| part == "..") {
        node.source.fault(
            line,
            format!("`{path}` is not in the case's home"),
            "a path in the project, `~/…`, or `/home/dev/…`",
        );
    }
}

fn files(node: &Node<'_>, key: &str) -> Vec<WorldFile> {
    let mut found = Vec::new();
    for (path, item, line) in node.entries(key) {
        check_path(node, line, path);
        let mut file = WorldFile { path: path.to_owned(), content: Content::Dir, mode: None, modified: None };
        if let Some(text) = item.as_str() {
            file.content = Content::Text(text.to_owned());
        } else if let Some(table) = item.as_table_like() {
            let node = Node { source: node.source, table, line, what: "a file of the world" };
            node.only(&[&keys::WORLD_FILE]);
            let contents = [
                node.text("text").map(Content::Text),
                node.text("from").map(|from| Content::From(PathBuf::from(from))),
                node.text("link").map(Content::Link),
                node.flag("dir").filter(|dir| *dir).map(|_| Content::Dir),
            ];
            let mut contents = contents.into_iter().flatten();
            match (contents.next(), contents.next()) {
                (Some(content), None) => file.content = content,
                _ => node.source.fault(
                    line,
                    format!("`{path}` needs one of text, from, link, dir"),
                    "{ text = \"…\" }",
                ),
            }
            file.mode = node.count("mode").map(|mode| mode as u32);
            file.modified = node.json("modified").and_then(|value| when(&node, &value));
        } else {
            node.source.fault(line, format!("`{path}` must be text or a table"), "{ text = \"…\" }");
        }
        found.push(file);
    }
    found
}

fn when(node: &Node<'_>, value: &Value) -> Option<When> {
    let text = value.as_str().unwrap_or_default();
    if let Some(ago) = text.strip_prefix('-') {
        return Some(When::Before(duration(node, "modified", ago)));
    }
    let stamp = Stamp::parse(text);
    if stamp.is_none() {
        node.wrong("modified", "a time in UTC, or how long before the clock: \"-8d\"");
    }
    stamp.map(When::At)
}

/// `61s`, `2m`, `1h`, `3d`, `250ms`.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(factor).map(Duration::from_millis)
}

fn duration(node: &Node<'_>, key: &str, text: &str) -> Duration {
    parse_duration(text).unwrap_or_else(|| {
        node.wrong(key, "a time such as 250ms, 61s, 5m, 2h or 1d");
        Duration::ZERO
    })
}

fn git(node: &Node<'_>) -> Git {
    node.only(&[&keys::GIT]);
    let check = |files: Vec<(String, String)>, node: &Node<'_>| {
        for (path, _) in &files {
            check_path(node, node.line, path);
        }
        files
    };
    let _ = node.flag("init");
    Git {
        branch: node.text("branch"),
        remote: node.text("remote"),
        commits: node
            .children("commits", "a commit")
            .iter()
            .map(|node| {
                node.only(&[&keys::COMMIT]);
                Commit {
                    message: node.text("message").unwrap_or_else(|| "change".to_owned()),
                    branch: node.text("branch"),
                    files: check(node.pairs("files"), node),
                }
            })
            .collect(),
        dirty: check(node.pairs("dirty"), node),
    }
}

fn decision(node: &Node<'_>, key: &str) -> Option<Decision> {
    const ALL: [Decision; 5] =
        [Decision::Pass, Decision::Allow, Decision::Ask, Decision::Deny, Decision::Block];
    let word = node.text(key)?;
    let found = ALL.into_iter().find(|decision| decision.name() == word);
    if found.is_none() {
        let known: Vec<&str> = ALL.iter().map(|decision| decision.name()).collect();
        node.source.unknown(node.line_of(key), "verdict", &word, &known);
    }
    found
}

fn expect(node: &Node<'_>) -> Expect {
    node.only(&[&keys::EXPECT]);
    let texts = |key: &str| node.texts(key).unwrap_or_default();
    let pattern = node.text("reason_matches").and_then(|source| match Pattern::compile(&source) {
        Ok(pattern) => Some((source, pattern)),
        Err(error) => {
            node.wrong("reason_matches", &format!("a valid pattern: {error}"));
            None
        }
    });
    let snapshot = node.json("snapshot").and_then(|value| match value {
        Value::Bool(true) => Some(String::new()),
        Value::Bool(false) => None,
        Value::String(name) if !name.is_empty() && !name.contains(['/', '\\']) => Some(name),
        _ => {
            node.wrong("snapshot", "true or a name");
            None
        }
    });
    let rewrite = node.has("rewrite").then(|| Value::Object(node.object("rewrite").unwrap_or_default()));
    let expect = Expect {
        line: node.line,
        verdict: decision(node, "verdict"),
        reason: texts("reason"),
        reason_matches: pattern,
        context: texts("context"),
        context_not: texts("context_not"),
        no_context: node.flag("no_context"),
        message: texts("message"),
        message_not: texts("message_not"),
        silent: node.flag("silent"),
        output: output(node),
        snapshot,
        rewrite,
        max_ms: node.count("max_ms"),
        max_chars: node.count("max_chars"),
        files: expected_files(node),
        env: node.pairs("env"),
        jobs: node.texts("jobs"),
        journal: texts("journal"),
        journal_not: texts("journal_not"),
        lost: node.texts("lost"),
        asked: texts("asked"),
        asked_not: texts("asked_not"),
        asks: node.count("asks"),
        shadow: decision(node, "shadow"),
        on: on(node),
    };
    if node.table.is_empty() {
        node.source.fault(node.line, "an empty expectation", "verdict = \"pass\"");
    }
    expect
}

/// A table, JSON as text, or (PreCompact) plain text.
fn output(node: &Node<'_>) -> Option<Value> {
    match node.json("output")? {
        Value::String(text) => {
            Some(serde_json::from_str::<Map<String, Value>>(&text).map_or(Value::String(text), Value::Object))
        }
        value => Some(value),
    }
}

fn on(node: &Node<'_>) -> Vec<(AgentId, Expect)> {
    let mut found = Vec::new();
    for (name, item, line) in node.entries("on") {
        let known: Vec<&str> = AgentId::ALL.iter().map(|agent| agent.name()).collect();
        match (AgentId::from_name(name), item.as_table_like()) {
            (Some(agent), Some(table)) => {
                let node = Node { source: node.source, table, line, what: "[case.expect.on]" };
                found.push((agent, expect(&node)));
            }
            (None, _) => node.source.unknown(line, "agent", name, &known),
            (_, None) => node.source.fault(line, format!("`on.{name}` must be a table"), "verdict = \"…\""),
        }
    }
    found
}

fn expected_files(node: &Node<'_>) -> Vec<FileExpect> {
    let mut found = Vec::new();
    for (path, item, line) in node.entries("files") {
        check_path(node, line, path);
        let mut file = FileExpect { path: path.to_owned(), ..FileExpect::default() };
        match (json_of(item), item.as_table_like()) {
            (Some(Value::String(text)), _) => file.contains.push(text),
            (_, Some(table)) => {
                let node = Node { source: node.source, table, line, what: "an expected file" };
                node.only(&[&keys::EXPECT_FILE]);
                file.contains = node.texts("contains").unwrap_or_default();
                file.contains_not = node.texts("contains_not").unwrap_or_default();
                file.equals = node.text("equals");
                file.absent = node.flag("absent").unwrap_or(false);
                file.mode = node.count("mode").map(|mode| mode as u32);
                file.link = node.text("link");
            }
            _ => node.source.fault(line, format!("`{path}` must be text or a table"), "{ absent = true }"),
        }
        found.push(file);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let faults = read(Path::new("a.hook.toml"), text).unwrap_err();
        faults.iter().map(|fault| format!("{}: {} ({})", fault.line, fault.what, fault.hint)).collect()
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_nearest() {
        let text = "hook = \"x\"\n[[case]]\nname = \"a\"\nevent = \"Stop\"\nextpect = 1\n[case.expect]\nverdikt = \"pass\"\n";
        assert_eq!(
            faults(text),
            [
                "5: unknown key in [[case]] `extpect` (did you mean `expect`?)",
                "7: unknown key in [case.expect] `verdikt` (did you mean `verdict`?)",
            ]
        );
    }

    #[test]
    fn inline_steps_know_their_lines() {
        let text = "hook = \"x\"\n[[case]]\nname = \"a\"\nsteps = [\n  { event = \"Stop\" },\n  { event = \"Stp\", expect = { verdict = \"dney\" } },\n]\n";
        assert_eq!(
            faults(text),
            [
                "6: unknown event `Stp` (did you mean `Stop`?)",
                "6: unknown verdict `dney` (did you mean `deny`?)"
            ]
        );
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let case = |more: &str| faults(&format!("hook = \"x\"\n[[case]]\nname = \"a\"\n{more}"));
        assert!(case("event = \"Stop\"\n")[0].contains("expects nothing"));
        assert!(case("expect = { verdict = \"pass\" }\n")[0].contains("has no event"));
        assert!(
            case("event = \"Stop\"\nexpect = { silent = true }\nworld = { store = { tasks = 1 } }\n")[0]
                .contains("tables with lists of rows")
        );
        assert!(
            case("event = \"Stop\"\nexpect = { silent = true }\nworld.files = { \"../x\" = \"\" }\n")[0]
                .contains("not in the case's home")
        );
        assert!(
            case("recorded = \"claude/PreToolUse.Bsh\"\nexpect = { silent = true }\n")[0]
                .contains("did you mean `claude/PreToolUse.Bash`?")
        );
        assert!(faults("[[case]\n")[0].starts_with("1: not valid TOML"));
        assert!(faults("")[0].contains("no case"));
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("61s"), Some(Duration::from_secs(61)));
        assert_eq!(parse_duration("2h"), Some(Duration::from_secs(7200)));
        assert_eq!(parse_duration("s"), None);
        assert_eq!(parse_duration("3 weeks"), None);
    }
}
