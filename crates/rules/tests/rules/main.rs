//! Verdicts: single constructs, the corpora, and what holds for every input.
#![allow(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod constructs;
mod corpus;
mod equal;
mod everyday;
mod possible;
mod properties;
mod remote;
mod self_protection;
mod semantics;

use sprag_shell::Context;

/// Where the commands of the tests are run.
pub(crate) fn context() -> Context {
    Context {
        cwd: "/home/dev/project".into(),
        home: "/home/dev".into(),
        project_root: "/home/dev/project".into(),
    }
}
