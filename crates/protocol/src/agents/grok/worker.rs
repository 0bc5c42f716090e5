//! How it is run for a task: it can print in the words of Claude Code.

use crate::agents::claude::read_worker_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "grok",
    first: &["--output-format", "streaming-messages-json"],
    last: &["-p"],
    task: TaskInput::Argument,
    budget_option: None,
    read: read_worker_line,
};
