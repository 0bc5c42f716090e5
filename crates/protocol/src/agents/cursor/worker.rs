//! How it is run for a task, from its documentation: it prints in the words of Claude Code.

use crate::agents::claude::read_worker_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "cursor-agent",
    first: &["-p", "--output-format", "stream-json"],
    last: &[],
    task: TaskInput::Argument,
    budget_option: None,
    read: read_worker_line,
};
