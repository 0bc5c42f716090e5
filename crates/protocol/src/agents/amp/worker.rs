//! How it is run for a task, from its documentation: it prints in the words of Claude Code.

use crate::agents::claude::read_worker_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "amp",
    first: &["--execute", "--stream-json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_worker_line,
};
