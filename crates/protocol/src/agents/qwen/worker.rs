//! How it is run for a task: in the words of Claude Code.

use crate::agents::claude::read_worker_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "qwen",
    first: &["--output-format", "stream-json", "--prompt", "Do what is asked above."],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_worker_line,
};
