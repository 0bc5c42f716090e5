//! Compares what came with what a case expects.

use super::diff;
use super::model::{Expect, FileExpect};
use super::places::Places;
use serde_json::Value;
use sprag_pattern::MatchResult;
use sprag_protocol::Verdict;
use sprag_runtime::dispatch::Answer;
use sprag_runtime::journal::Run;
use std::fmt::Write as _;
use std::fs;

/// Something that was expected and is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub what: String,
    pub lines: Vec<String>,
}

impl Mismatch {
    pub fn new(what: impl Into<String>, lines: Vec<String>) -> Self {
        Self { what: what.into(), lines }
    }
}

/// What an event gave, with the case's own paths.
#[derive(Debug, Default)]
pub(crate) struct Got {
    pub verdict: Verdict,
    /// The answer: an object, plain text, or null for silence.
    pub output: Value,
    pub journal: Vec<String>,
    pub errors: Vec<String>,
    pub shadow: Vec<String>,
    pub lost: Vec<String>,
    pub env: Vec<(String, String)>,
    pub jobs: Vec<String>,
    /// What the model was asked.
    pub asked: Vec<String>,
    pub us: u64,
    pub chars: u64,
}

impl Got {
    pub(crate) fn new(
        answer: Answer,
        places: &Places,
        env: Vec<(String, String)>,
        jobs: Vec<String>,
    ) -> Self {
        // The id depends on the throw-away folder; a case reads `ID`.
        let id = answer.entry.stop.as_ref().map(|stop| stop.id.clone());
        let out = |text: &str| match &id {
            Some(id) => places.outward(&unnamed(text, id)),
            None => places.outward(text),
        };
        let mut verdict = answer.verdict;
        for text in [&mut verdict.reason, &mut verdict.context, &mut verdict.message].into_iter().flatten() {
            *text = out(text);
        }
        if let Some(rewrite) = &mut verdict.rewrite {
            places.value_outward(rewrite);
        }
        let output = match &answer.stdout {
            None => Value::Null,
            Some(text) => {
                let text = id.as_ref().map_or_else(|| text.clone(), |id| unnamed(text, id));
                let mut value = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_str()));
                places.value_outward(&mut value);
                value
            }
        };
        let entry = answer.entry;
        let mut journal: Vec<String> = entry.runs.iter().map(|run| out(&journal_line(run))).collect();
        if journal.is_empty() {
            journal.push("no hook ran".to_owned());
        }
        journal.extend(entry.error.iter().map(|error| out(&format!("error: {error}"))));
        let failed = entry.runs.iter().filter_map(|run| Some((run.hook.as_str(), run.error.as_deref()?)));
        let mut errors: Vec<String> = failed.map(|(hook, error)| out(&format!("{hook}: {error}"))).collect();
        errors.extend(entry.error.as_deref().map(out));
        let shadow = entry.runs.iter().filter(|run| run.shadow).map(|run| run.verdict.clone()).collect();
        Self {
            verdict,
            output,
            journal,
            errors,
            shadow,
            lost: entry.lost,
            env: env.into_iter().map(|(name, value)| (name, out(&value))).collect(),
            jobs,
            asked: Vec::new(),
            us: entry.us,
            chars: entry.chars,
        }
    }
}

/// A text without the short id of a stop.
fn unnamed(text: &str, id: &str) -> String {
    text.replace(&format!("({id})"), "(ID)")
        .replace(&format!(", {id})"), ", ID)")
        .replace(&format!("({id};"), "(ID;")
        .replace(&format!(", {id};"), ", ID;")
        .replace(&format!("sprag allow {id}"), "sprag allow ID")
        .replace(&format!("sprag why {id}"), "sprag why ID")
}

/// A hook's part of the journal's line, without what differs from run to run.
fn journal_line(run: &Run) -> String {
    let mut line = format!("{}: {}", run.hook, if run.verdict.is_empty() { "pass" } else { &run.verdict });
    let parts = [
        ("skip", &run.skip),
        ("error", &run.error),
        ("rule", &run.rule),
        ("reason", &run.reason),
        ("stderr", &run.stderr),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            let _ = write!(line, "; {name}: {value}");
        }
    }
    if run.shadow {
        line.push_str("; shadow");
    }
    if run.chars > 0 {
        let _ = write!(line, "; {} characters", run.chars);
    }
    if run.saved != 0 {
        let _ = write!(line, "; {} tokens saved", run.saved);
    }
    line
}

/// Everything that is not as expected.
pub(crate) fn check(expect: &Expect, got: &Got, places: &Places) -> Vec<Mismatch> {
    let mut checker = Checker { found: Vec::new() };
    checker.answer(expect, got);
    checker.effects(expect, got);
    for file in &expect.files {
        checker.file(file, places);
    }
    checker.found
}

struct Checker {
    found: Vec<Mismatch>,
}

impl Checker {
    fn push(&mut self, what: &str, lines: Vec<String>) {
        self.found.push(Mismatch::new(what, lines));
    }

    fn texts(&mut self, what: &str, wanted: &[String], unwanted: &[String], text: Option<&str>) {
        for part in wanted {
            if !text.is_some_and(|text| text.contains(part.as_str())) {
                self.push(what, diff::contains(part, text, "contains"));
            }
        }
        for part in unwanted {
            if text.is_some_and(|text| text.contains(part.as_str())) {
                self.push(what, diff::contains(part, text, "does not contain"));
            }
        }
    }

    fn answer(&mut self, expect: &Expect, got: &Got) {
        let verdict = &got.verdict;
        if let Some(wanted) = expect.verdict
            && wanted != verdict.decision
        {
            let mut lines = diff::aligned(wanted.name(), verdict.decision.name());
            if let Some(reason) = &verdict.reason {
                lines.push(format!("reason    {reason:?}"));
            }
            self.push("verdict", lines);
        }
        self.texts("reason", &expect.reason, &[], verdict.reason.as_deref());
        if let Some((source, pattern)) = &expect.reason_matches {
            let reason = verdict.reason.as_deref();
            if reason.is_none_or(|reason| pattern.is_match(reason) != MatchResult::Yes) {
                self.push("reason", diff::aligned(&format!("matches /{source}/"), &diff::quoted(reason)));
            }
        }
        self.texts("context", &expect.context, &expect.context_not, verdict.context.as_deref());
        if let Some(wanted) = expect.no_context
            && wanted == verdict.context.is_some()
        {
            let expected = if wanted { "nothing" } else { "something" };
            self.push("context", diff::aligned(expected, &diff::quoted(verdict.context.as_deref())));
        }
        self.texts("message", &expect.message, &expect.message_not, verdict.message.as_deref());
        if let Some(wanted) = expect.silent
            && wanted != got.output.is_null()
        {
            let expected = if wanted { Value::Null } else { Value::from("something") };
            self.push("standard output", diff::values(&expected, &got.output));
        }
        if let Some(wanted) = &expect.output
            && *wanted != got.output
        {
            self.push("output", diff::values(wanted, &got.output));
        }
        if let Some(wanted) = &expect.rewrite {
            let rewrite = verdict.rewrite.clone().unwrap_or(Value::Null);
            if *wanted != rewrite {
                self.push("rewrite", diff::values(wanted, &rewrite));
            }
        }
        if let Some(most) = expect.max_ms
            && got.us > most * 1_000
        {
            let came = format!("{}.{:03} ms", got.us / 1_000, got.us % 1_000);
            self.push("time", diff::aligned(&format!("at most {most} ms"), &came));
        }
        if let Some(most) = expect.max_chars
            && got.chars > most
        {
            self.push("size", diff::aligned(&format!("at most {most} characters"), &got.chars.to_string()));
        }
    }

    fn effects(&mut self, expect: &Expect, got: &Got) {
        for (name, wanted) in &expect.env {
            let value =
                got.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
            if value != Some(wanted) {
                let lines = diff::aligned(&diff::quoted(Some(wanted)), &diff::quoted(value));
                self.push(&format!("variable {name}"), lines);
            }
        }
        if let Some(wanted) = &expect.jobs
            && *wanted != got.jobs
        {
            self.push("jobs", diff::aligned(&listed(wanted), &listed(&got.jobs)));
        }
        if let Some(wanted) = &expect.lost
            && *wanted != got.lost
        {
            self.push("lost", diff::aligned(&listed(wanted), &listed(&got.lost)));
        }
        if let Some(wanted) = expect.shadow
            && !got.shadow.iter().any(|verdict| verdict == wanted.name())
        {
            self.push("shadow", diff::aligned(wanted.name(), &listed(&got.shadow)));
        }
        self.texts("asked", &expect.asked, &expect.asked_not, Some(&got.asked.join("\n")));
        if let Some(wanted) = expect.asks
            && wanted != got.asked.len() as u64
        {
            self.push("asks", diff::aligned(&wanted.to_string(), &got.asked.len().to_string()));
        }
        self.texts("journal", &expect.journal, &expect.journal_not, Some(&got.journal.join("\n")));
        // A hook that failed is skipped, and an expectation that fits the silence would hide it.
        if expect.journal.is_empty() {
            self.unexpected(got);
        }
    }

    fn unexpected(&mut self, got: &Got) {
        for error in &got.errors {
            self.push(
                "a hook failed",
                vec![error.clone(), "when that is right, expect it: journal = \"…\"".to_owned()],
            );
        }
    }

    fn file(&mut self, expect: &FileExpect, places: &Places) {
        let path = places.path(&expect.path);
        let what = format!("file {}", expect.path);
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(_) if expect.absent => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let beside = siblings(&path, places);
                self.push(&what, diff::aligned("is there", &format!("is not there{beside}")));
                return;
            }
            Err(error) => {
                self.push(&what, vec![error.to_string()]);
                return;
            }
        };
        if expect.absent {
            self.push(&what, diff::aligned("is not there", "is there"));
            return;
        }
        if let Some(wanted) = &expect.link {
            let target = fs::read_link(&path).ok().map(|target| places.outward(&target.to_string_lossy()));
            if target.as_ref() != Some(wanted) {
                self.push(
                    &what,
                    diff::aligned(&format!("link to {wanted}"), &diff::quoted(target.as_deref())),
                );
            }
        }
        #[cfg(unix)]
        if let Some(wanted) = expect.mode {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = meta.permissions().mode() & 0o7777;
            if mode != wanted {
                self.push(&what, diff::aligned(&format!("mode {wanted:o}"), &format!("mode {mode:o}")));
            }
        }
        let about_text =
            expect.equals.is_some() || !expect.contains.is_empty() || !expect.contains_not.is_empty();
        if !about_text {
            return;
        }
        let text = match sprag_base::files::read(&path, sprag_base::files::STATE) {
            Ok(bytes) => places.outward(&String::from_utf8_lossy(&bytes)),
            Err(error) => {
                self.push(&what, vec![error.to_string()]);
                return;
            }
        };
        if let Some(wanted) = &expect.equals
            && *wanted != text
        {
            self.push(&what, diff::lines(wanted, &text));
        }
        self.texts(&what, &expect.contains, &expect.contains_not, Some(&text));
    }
}

/// Errors of a step that expects nothing.
pub(crate) fn unexpected(got: &Got) -> Vec<Mismatch> {
    let mut checker = Checker { found: Vec::new() };
    checker.unexpected(got);
    checker.found
}

/// What is there instead of a file that is not.
fn siblings(path: &std::path::Path, places: &Places) -> String {
    let Some(folder) = path.ancestors().skip(1).find(|folder| folder.is_dir()) else { return String::new() };
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.truncate(12);
    let place = places.outward(&folder.to_string_lossy());
    if names.is_empty() {
        format!("; {place} is empty")
    } else {
        format!("; {place} has {}", names.join(", "))
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
