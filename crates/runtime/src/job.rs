//! Work that a hook hands to the background: what to do, with what, not before when.

pub use crate::error::TaskError as JobError;
pub use crate::work::Work;
use serde::{Deserialize, Serialize};
use sprag_base::id::short_hash;
use sprag_config::host::Host;
use sprag_project::Project;
use std::path::Path;

/// A piece of background work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What to do, with what.
    #[serde(flatten)]
    pub work: Work,
    /// At most one waiting job of the same kind has this key; a newer one replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Seconds to wait before the first try.
    #[serde(default)]
    pub delay_s: u64,
    /// It is never given up: what it needs is unavailable for as long as it is unavailable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub patient: bool,
    /// Jobs of one lane are done one after another, those of different lanes at the same time. Without a name: the
    /// lane that most jobs share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
}

impl Job {
    /// A job to be done as soon as possible.
    pub fn new(work: Work) -> Self {
        Self { work, key: None, delay_s: 0, patient: false, lane: None }
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
}

/// The job that builds or refreshes a project's symbol index; `None` for what is no project.
pub fn code_index(project: &Project, home: &Path) -> Option<Job> {
    let root = &project.root;
    project.is_codebase(home).then(|| {
        Job::new(Work::CodeIndex { root: root.clone() })
            .keyed(short_hash(root.as_os_str().as_encoded_bytes()))
    })
}

/// Does one job. It may be called again with the same work after a crash.
pub type Handler = fn(&Host, &Work) -> Result<(), JobError>;
