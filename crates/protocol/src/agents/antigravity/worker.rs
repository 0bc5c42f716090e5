//! How it is run for a task, from its documentation: it prints its last words.

use crate::agents::shared::read_text_line;
use crate::agents::spec::{TaskInput, WorkerMode};

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "agy",
    first: &[],
    last: &["--print"],
    task: TaskInput::Argument,
    budget_option: None,
    read: read_text_line,
};
