//! The kinds of background work, each with what its handler needs. In the queue's files: `kind` and `payload`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_config::schema::NoticeKind;
use std::path::PathBuf;

/// What a background job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "kebab-case")]
pub enum Work {
    /// Runs a user's hook in the background.
    ExternalHook(ExternalHook),
    /// Builds or refreshes a project's symbol index.
    CodeIndex {
        /// The project's folder.
        root: PathBuf,
    },
    /// Counts what is not committed in a working copy with very many files.
    GitCount {
        /// The working copy's folder.
        root: PathBuf,
    },
    /// Brings the store up to date: the spool, heartbeats, the journal.
    StoreSync,
    /// Removes the state of sessions that ended long ago.
    PruneSessions {
        /// How long the state of an ended session stays.
        keep_days: u64,
    },
    /// Frees the claims on files that were committed.
    ClaimsCommitted(Commit),
    /// Ends the background processes that a session declared.
    ArtifactCleanup(Cleanup),
    /// Runs a project's compilers and linters after edits.
    Verify {
        /// The project's folder.
        root: String,
    },
    /// Counts the tokens of a transcript for the caps of its project.
    TokenCount(TokenCount),
    /// Makes the vectors of memories that have none.
    MemoryEmbed,
    /// Makes memories of what is kept elsewhere: learnings, decisions, handoffs, exports, lessons.
    MemoryCollect(Collection),
    /// Makes memories of a file in a memory folder.
    MemoryIndex(MemoryFile),
    /// Keeps what a subagent found out.
    MemoryLearn(Learning),
    /// Keeps the key learnings of a session.
    MemorySummary(Summary),
    /// Counts what lessons did, and compiles them when they changed.
    LessonsSync {},
    /// Looks for lessons in transcripts.
    LessonsScan(LessonScan),
    /// Looks for lessons and fixes in a session that just went on.
    LessonsSession(LessonSession),
    /// Keeps what a session said as markdown.
    SessionExport(Export),
    /// Judges a session: decisions, failures, learnings, handoff.
    CompoundLoop(Evaluation),
    /// Judges a session that nothing else judged.
    SessionLearnings(Evaluation),
    /// Takes a handoff document into the memory of its project.
    HandoffIndex(HandoffDocument),
    /// Tells a person elsewhere.
    Notify(Notice),
    /// Sends or writes what the journal has for telemetry.
    Telemetry {},
    /// A kind of another version, or a payload that this version cannot read. It fails, and its file stays.
    #[serde(untagged)]
    Unknown {
        /// The kind.
        kind: String,
        /// What its handler would have needed.
        #[serde(default)]
        payload: Value,
    },
}

impl Work {
    /// The kind, as the queue's files and `sprag status queue` have it.
    pub fn kind(&self) -> &str {
        match self {
            Self::ExternalHook(_) => "external-hook",
            Self::CodeIndex { .. } => "code-index",
            Self::GitCount { .. } => "git-count",
            Self::StoreSync => "store-sync",
            Self::PruneSessions { .. } => "prune-sessions",
            Self::ClaimsCommitted(_) => "claims-committed",
            Self::ArtifactCleanup(_) => "artifact-cleanup",
            Self::Verify { .. } => "verify",
            Self::TokenCount(_) => "token-count",
            Self::MemoryEmbed => "memory-embed",
            Self::MemoryCollect(_) => "memory-collect",
            Self::MemoryIndex(_) => "memory-index",
            Self::MemoryLearn(_) => "memory-learn",
            Self::MemorySummary(_) => "memory-summary",
            Self::LessonsSync {} => "lessons-sync",
            Self::LessonsScan(_) => "lessons-scan",
            Self::LessonsSession(_) => "lessons-session",
            Self::SessionExport(_) => "session-export",
            Self::CompoundLoop(_) => "compound-loop",
            Self::SessionLearnings(_) => "session-learnings",
            Self::HandoffIndex(_) => "handoff-index",
            Self::Notify(_) => "notify",
            Self::Telemetry {} => "telemetry",
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// True for work that asks the model, when one is configured.
    pub const fn asks_model(&self) -> bool {
        matches!(
            self,
            Self::CompoundLoop(_) | Self::SessionLearnings(_) | Self::MemoryLearn(_) | Self::MemorySummary(_)
        )
    }
}

/// What is kept elsewhere and shall be found like a memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Collection {
    /// A folder of the project.
    pub cwd: String,
    /// Folders with notes about the project.
    #[serde(default)]
    pub notes: Vec<PathBuf>,
    /// Files with instructions for agents; what they import counts too.
    #[serde(default)]
    pub instructions: Vec<PathBuf>,
}

/// A user's hook that its configuration put in the background.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExternalHook {
    /// The hook's name.
    pub hook: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables beside the inherited ones.
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// The event's payload.
    pub stdin: Value,
    /// The longest that it may take.
    pub timeout_ms: u64,
}

/// A transcript whose tokens count for a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCount {
    /// The project.
    pub project: String,
    /// The session; that of a subagent is its parent's.
    pub session: String,
    /// The file.
    pub transcript: PathBuf,
}

/// A commit of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// The agent.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// The checkout.
    pub root: String,
    /// When, in microseconds.
    pub at: i64,
}

/// A process that a session declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name.
    pub name: String,
    /// How it is known: `process`, `pid_file`, `pm2`.
    pub how: String,
    /// Its id, and for PM2 PM2's own.
    pub pid: i64,
    /// What tells it from a later process with the same id.
    pub start: String,
    /// How it was started, for starting it again.
    pub command: Vec<String>,
    /// Where.
    pub cwd: String,
}

/// What a session that ended declared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleanup {
    /// The session that ended.
    pub session: String,
    /// The project's folder.
    pub root: PathBuf,
    /// What it declared.
    pub declared: Vec<Artifact>,
    /// Files with the id of a process.
    pub pid_files: Vec<PathBuf>,
    /// When the session began, in seconds: an older pid file is not its own.
    pub began: u64,
    /// Names in PM2 that begin with one of these.
    pub pm2_prefixes: Vec<String>,
    /// How long a process has to go by itself, in milliseconds.
    pub grace_ms: u64,
}

/// A file in a memory folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// The file.
    pub path: String,
    /// Whose memories it holds: `user`, `agent`, `project`.
    pub scope: String,
    /// Which agent or project.
    pub place: String,
    /// The agent that wrote it.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// A file that is not edited for this long is forgotten; 0 never.
    pub ttl_days: i64,
}

/// Where learnings come from, and how long they are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningOrigin {
    /// A tag for all of them.
    pub tag: String,
    /// The project's key.
    pub project: String,
    /// The agent.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// What is not met again for this long is forgotten.
    pub ttl_days: i64,
}

/// What a subagent said last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastWords {
    /// The text, without secrets.
    Text(String),
    /// The transcript that ends with it.
    Path(PathBuf),
}

/// A subagent that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// What it said.
    #[serde(flatten)]
    pub said: LastWords,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: LearningOrigin,
}

/// A session that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Its transcript.
    pub path: PathBuf,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: LearningOrigin,
}

/// How transcripts are scanned for lessons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonScan {
    /// Two scans are at least so far apart.
    pub interval_hours: i64,
    /// Files and folders beside the agents' own.
    pub paths: Vec<PathBuf>,
    /// The most candidates of one scan.
    pub max_candidates: usize,
    /// Look for signs of a lesson where no tag marks one.
    pub heuristics: bool,
    /// Ask a model too.
    pub model: bool,
    /// A tag with at least this certainty, in percent, needs no review; 0 never.
    pub promote_from: i64,
}

/// A session in which something failed, or that left a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonSession {
    /// Its transcript.
    pub transcript: PathBuf,
    /// Where the agent is.
    pub cwd: String,
    /// The session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Tags that the model left in its last answer: an agent may write that to the transcript later.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// A session whose transcript is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTranscript {
    /// The agent's name.
    #[serde(default)]
    pub agent: String,
    /// The session's id, as the agent told the hook.
    #[serde(default)]
    pub session: String,
    /// The transcript.
    pub transcript: PathBuf,
    /// Where the agent is.
    #[serde(default)]
    pub cwd: String,
}

/// A session to export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// The session.
    #[serde(flatten)]
    pub of: SessionTranscript,
    /// Shorter ones are not exported.
    pub min_messages: usize,
    /// Tell `qmd` afterwards.
    pub qmd: bool,
    /// The session ended.
    pub last: bool,
}

/// How a session is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationOptions {
    /// A model judges sessions with at least so many messages,
    pub min_messages: usize,
    /// and at least so many characters of the user.
    pub min_user_chars: usize,
    /// Without a judgement, take a handoff from the transcript.
    pub slim_handoff_enabled: bool,
    /// Ask for a grade and keep it.
    pub grading_enabled: bool,
    /// The folder of learnings, below the knowledge folder.
    pub learnings_subdir: String,
    /// A person asked for it: a session without a person counts too, and nothing new is no reason to stop.
    pub forced: bool,
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        Self {
            min_messages: 4,
            min_user_chars: 200,
            slim_handoff_enabled: true,
            grading_enabled: true,
            learnings_subdir: "learnings".to_owned(),
            forced: false,
        }
    }
}

/// A session to judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The session.
    #[serde(flatten)]
    pub of: SessionTranscript,
    /// How.
    #[serde(default)]
    pub options: EvaluationOptions,
    /// The session ended.
    pub last: bool,
}

/// A handoff or ledger that an agent wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandoffDocument {
    /// The file.
    pub path: PathBuf,
    /// Where the agent is.
    pub cwd: String,
    /// Its session.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// Its transcript.
    #[serde(default)]
    pub transcript: Option<PathBuf>,
    /// A handoff: it becomes the project's. A ledger is only found by search.
    pub document: bool,
}

/// What a person elsewhere is told. Texts are scrubbed when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What happened.
    pub what: NoticeKind,
    /// The agent's name.
    #[serde(default)]
    pub agent: String,
    /// Its session.
    #[serde(default)]
    pub session: String,
    /// The project's root.
    #[serde(default)]
    pub project: String,
    /// One or two lines.
    #[serde(default)]
    pub text: String,
    /// The rule that stopped or asks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The id of a question that waits for an answer from elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// The session ended: told only when nothing said before that it is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// When, in microseconds.
    pub at: u64,
    /// Only by this channel: the others have it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use serde_json::json;

    /// A job of each kind, as version 1.0 wrote it.
    fn written_before() -> Vec<Value> {
        let session = |more: Value| {
            let mut payload =
                json!({ "agent": "claude", "session": "s1", "transcript": "/t.jsonl", "cwd": "/p" });
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload
        };
        let options = json!({ "min_messages": 4, "min_user_chars": 200, "slim_handoff_enabled": true,
            "grading_enabled": true, "learnings_subdir": "learnings", "forced": false });
        let origin = |more: Value| {
            let mut payload =
                json!({ "tag": "", "project": "k", "agent": "claude", "session": "s1", "ttl_days": 90 });
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload
        };
        let artifact = json!({ "name": "web", "how": "process", "pid": 7, "start": "1", "command": ["serve"],
            "cwd": "/p" });
        [
            ("external-hook", json!({ "hook": "mine", "argv": ["sh", "-c", "true"], "env": [["A", "b"]],
                "cwd": "/p", "stdin": { "hook_event_name": "Stop" }, "timeout_ms": 5000 })),
            ("code-index", json!({ "root": "/p" })),
            ("store-sync", Value::Null),
            ("prune-sessions", json!({ "keep_days": 7 })),
            ("claims-committed", json!({ "agent": "claude", "session": "s1", "root": "/p", "at": 12 })),
            ("artifact-cleanup", json!({ "session": "s1", "root": "/p", "declared": [artifact],
                "pid_files": ["/p/x.pid"], "began": u64::MAX, "pm2_prefixes": ["artifact-"], "grace_ms": 3000 })),
            ("verify", json!({ "root": "/p" })),
            ("memory-embed", Value::Null),
            ("memory-index", json!({ "path": "/p/memory/a.md", "scope": "project", "place": "k",
                "agent": "claude", "session": "s1", "ttl_days": 180 })),
            ("memory-learn", origin(json!({ "text": "because" }))),
            ("memory-learn", origin(json!({ "path": "/t.jsonl" }))),
            ("memory-summary", origin(json!({ "path": "/t.jsonl" }))),
            ("lessons-sync", json!({})),
            ("lessons-scan", json!({ "interval_hours": 24, "paths": ["/a"], "max_candidates": 50,
                "heuristics": true, "model": false, "promote_from": 90 })),
            ("lessons-session", json!({ "transcript": "/t.jsonl", "cwd": "/p" })),
            ("session-export", session(json!({ "min_messages": 4, "qmd": false, "last": true }))),
            ("compound-loop", session(json!({ "options": options, "last": false }))),
            ("session-learnings", session(json!({ "options": options, "last": false }))),
            ("notify", json!({ "what": "stopped", "agent": "claude", "session": "s1", "project": "/p", "text": "x",
                "rule": "git:force-push", "at": 12 })),
            ("telemetry", json!({})),
            ("handoff-index", json!({ "path": "/p/HANDOFF.md", "cwd": "/p", "session": "s1", "agent": "claude",
                "transcript": null, "document": true })),
        ]
        .into_iter()
        .map(|(kind, payload)| json!({ "kind": kind, "payload": payload, "key": "k", "delay_s": 5, "patient": true }))
        .collect()
    }

    #[test]
    fn jobs_of_the_former_version_are_read_and_written_alike() {
        for before in written_before() {
            let job: Job = serde_json::from_value(before.clone()).unwrap();
            assert!(!matches!(job.work, Work::Unknown { .. }), "{before}");
            assert_eq!(before.get("kind").and_then(Value::as_str), Some(job.work.kind()));
            assert_eq!((job.key.as_deref(), job.delay_s, job.patient), (Some("k"), 5, true));
            let mut after = serde_json::to_value(&job).unwrap();
            if before.get("payload") == Some(&Value::Null) {
                after.as_object_mut().unwrap().insert("payload".to_owned(), Value::Null);
            }
            assert_eq!(after, before);
            let again: Job = serde_json::from_value(after).unwrap();
            assert_eq!(again, job);
        }
    }

    #[test]
    fn what_cannot_be_read_stays_a_job_with_its_data() {
        for before in [
            json!({ "kind": "stranger", "payload": { "a": [1] }, "delay_s": 0 }),
            json!({ "kind": "prune-sessions", "payload": { "keep_days": "seven" }, "delay_s": 0 }),
        ] {
            let job: Job = serde_json::from_value(before.clone()).unwrap();
            assert!(matches!(job.work, Work::Unknown { .. }), "{before}");
            assert_eq!(serde_json::to_value(&job).unwrap(), before);
        }
    }
}
