//! The files that a command changed, as lines for a person or as one object for a program.

use serde_json::{Value, json};
use sprag_deploy::Outcome;
use sprag_terminal::Out;
use std::cell::RefCell;
use std::path::Path;

/// What a command says while it changes files.
pub(crate) struct Changes<'o> {
    pub(crate) out: &'o Out,
    json: bool,
    files: RefCell<Vec<Value>>,
}

/// One file.
pub(crate) struct Change<'c> {
    /// Whose file it is.
    pub(crate) agent: &'c str,
    /// What is in it: `hooks`, `mcp`, `sandbox`.
    pub(crate) what: &'c str,
    pub(crate) file: &'c Path,
    pub(crate) outcome: Outcome,
    pub(crate) diff: &'c str,
    pub(crate) notes: Vec<String>,
}

impl<'o> Changes<'o> {
    pub(crate) fn new(out: &'o Out, json: bool) -> Self {
        Self { out, json, files: RefCell::default() }
    }

    /// A line, for a person.
    pub(crate) fn line(&self, text: &str) {
        if !self.json {
            self.out.line(text);
        }
    }

    /// Whether a person reads along; what they do not see is in the object.
    pub(crate) fn takes(&self, change: &Change<'_>) -> bool {
        if self.json {
            self.files.borrow_mut().push(json!({
                "agent": change.agent,
                "what": change.what,
                "file": change.file.display().to_string(),
                "outcome": outcome(change.outcome),
                "diff": change.diff,
                "notes": change.notes,
            }));
        }
        self.json
    }

    /// At the end: the object.
    pub(crate) fn finish(self, dry_run: bool, more: &[(&str, Value)]) {
        if !self.json {
            return;
        }
        let mut object = json!({ "dry_run": dry_run, "files": self.files.into_inner() });
        for (key, value) in more {
            if let Some(object) = object.as_object_mut() {
                object.insert((*key).to_owned(), value.clone());
            }
        }
        self.out.json(&object);
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unchanged => "unchanged",
        Outcome::Created => "created",
        Outcome::Updated => "updated",
        Outcome::Restored => "restored",
        Outcome::Removed => "removed",
        Outcome::Elsewhere => "elsewhere",
    }
}
