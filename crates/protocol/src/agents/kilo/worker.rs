//! How it is run for a task: in the words of OpenCode.

use crate::agents::opencode::read_worker_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "kilo",
    first: &["run", "--format", "json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_worker_line,
};
