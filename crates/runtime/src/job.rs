//! Work that a hook hands to the background: what to do, with what, not before when.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sprag_base::id::short_hash;
use sprag_config::host::Host;
use sprag_project::Project;
use std::path::Path;

/// A piece of background work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The handler's name.
    pub kind: String,
    /// What the handler needs.
    pub payload: Value,
    /// At most one waiting job has this key; a newer one replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Seconds to wait before the first try.
    #[serde(default)]
    pub delay_s: u64,
    /// It is never given up: what it needs is away for as long as it is away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub patient: bool,
    /// Jobs of one lane are done one after another, those of different lanes at the same time. Without a name: the
    /// lane that most jobs share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
}

impl Job {
    /// A job to be done as soon as possible.
    pub fn new(kind: impl Into<String>, payload: Value) -> Self {
        Self { kind: kind.into(), payload, key: None, delay_s: 0, patient: false, lane: None }
    }

    /// The same, replacing a waiting job with this key.
    #[must_use]
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The same, tried again for as long as it takes.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// The same in a lane of its own: it waits for no other work, and none waits for it.
    #[must_use]
    pub fn in_lane(mut self, lane: impl Into<String>) -> Self {
        self.lane = Some(lane.into());
        self
    }

    /// The same, not before this many seconds have passed.
    #[must_use]
    pub fn after_seconds(mut self, seconds: u64) -> Self {
        self.delay_s = seconds;
        self
    }
}

/// The kind of job that makes or refreshes a project's symbol index.
pub const CODE_INDEX_JOB: &str = "code-index";

/// The job that makes or refreshes a project's symbol index; `None` for what is no project.
pub fn code_index(project: &Project, home: &Path) -> Option<Job> {
    let root = &project.root;
    project.is_codebase(home).then(|| {
        Job::new(CODE_INDEX_JOB, json!({ "root": root }))
            .keyed(short_hash(root.as_os_str().as_encoded_bytes()))
    })
}

/// Does the jobs of one kind.
pub struct JobHandler {
    /// The kind.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Does one job. It may be called again with the same job after a crash.
    pub run: fn(&Host, &Job) -> Result<(), String>,
}
