//! The shape instead of the text: what the hooks of this family share. The index is opened by those who need it, when
//! they do; one that is not there is made in the background, and nobody waits for it.

pub mod session_symbol_index;
pub mod signature_helper;
pub mod smart_search_router;
pub mod tldr_read_enforcer;

mod asked;
mod query;
mod searched;

use serde_json::{Value, json};
use sprag_code::index::{self, Index, Mode};
use sprag_engine::hook::Cx;
use sprag_engine::host::Host;
use sprag_engine::job::Job;
use std::path::{Path, PathBuf};

/// The job that makes or refreshes a project's index.
pub const INDEX_JOB: &str = "code-index";

/// Changed files that a hook reads itself; the rest is for the background.
const READ_NOW: usize = 24;

/// The job for a project; `None` for what is no project: a home, the root of a disk.
fn index_job(cx: &Cx<'_>) -> Option<Job> {
    let root = &cx.project.root;
    let is_project = cx.project.git.is_some() || cx.project.sprag.is_some();
    let home = &cx.host.paths.home;
    // A folder above the home would be everything that the user has.
    if !root.is_absolute()
        || root.parent().is_none()
        || home.starts_with(root)
        || !is_project && !has_marker(root)
    {
        return None;
    }
    Some(
        Job::new(INDEX_JOB, json!({ "root": root }))
            .keyed(sprag_engine::session::short_hash(root.as_os_str().as_encoded_bytes())),
    )
}

/// A folder without git that is a project all the same.
fn has_marker(root: &Path) -> bool {
    const MARKERS: [&str; 10] = [
        "package.json",
        "pyproject.toml",
        "setup.py",
        "Cargo.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "CMakeLists.txt",
        "composer.json",
        "Gemfile",
    ];
    MARKERS.iter().any(|name| root.join(name).is_file())
}

/// Makes or refreshes an index.
pub fn make_index(host: &Host, job: &Job) -> Result<(), String> {
    let root = job.payload.get("root").and_then(Value::as_str).map(PathBuf::from);
    let root = root.filter(|root| root.is_dir()).ok_or("the project's folder is not there any more")?;
    index::build(&host.paths.state, &root).map(|_| ()).map_err(|error| format!("{}: {error}", root.display()))
}

/// The project's index as it is now, and what the background has to do for it.
pub(crate) fn open_index(cx: &Cx<'_>) -> (Option<Index>, Option<Job>) {
    let opened = Index::open(&cx.host.paths.state, &cx.project.root, Mode::Quick(READ_NOW)).ok().flatten();
    let job = match &opened {
        Some(index) if !index.refreshed.due => None,
        _ => index_job(cx),
    };
    (opened, job)
}
