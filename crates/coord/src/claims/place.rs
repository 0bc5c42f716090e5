//! What a path is on every machine: repository, branch and the path in it. Links are resolved first.

use sprag_base::links;
use sprag_project::Project;
use sprag_protocol::agents::AGENTS;
use sprag_runtime::hook::Cx;
use sprag_store::ClaimKey;
use std::path::{Path, PathBuf};

/// The path of the claim on a checkout's git state.
pub const GIT_STATE: &str = "(git state)";

/// A file that can be claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimTarget {
    /// Its key.
    pub key: ClaimKey,
    /// The checkout it is in on this machine; empty outside of one.
    pub root: String,
    /// Where it really is.
    pub real: PathBuf,
}

/// The place of an absolute path. `None` for what nobody shares: git's own files, what lies outside of every
/// repository and of the project.
pub fn of(path: &Path, cx: &Cx<'_>) -> Option<ClaimTarget> {
    let real = links::real(path)?;
    let machine = || cx.host.machine();
    if is_settings(&real, &cx.host.paths.home) {
        let key = ClaimKey { repo: machine(), branch: String::new(), path: real.display().to_string() };
        return Some(ClaimTarget { key, root: String::new(), real });
    }
    if let Some(root) = git_root(&real, &cx.host.paths.home) {
        let below = real.strip_prefix(&root).ok()?;
        let path = below.to_string_lossy().replace('\\', "/");
        if path.split('/').any(|part| part == ".git") {
            return None;
        }
        let checkout = checkout(&root);
        let key =
            ClaimKey { repo: checkout.key(&machine()), branch: checkout.branch().unwrap_or_default(), path };
        return Some(ClaimTarget { key, root: root.display().to_string(), real });
    }
    let root = links::real(&cx.project.root)?;
    let below = real.strip_prefix(&root).ok().filter(|below| !below.as_os_str().is_empty())?;
    if root == cx.host.paths.home {
        return None;
    }
    let key = ClaimKey {
        repo: cx.project.key(&machine()),
        branch: String::new(),
        path: below.to_string_lossy().into_owned(),
    };
    Some(ClaimTarget { key, root: root.display().to_string(), real })
}

/// The root of the checkout that a folder (or a file to be) is in.
pub fn git_root(path: &Path, home: &Path) -> Option<PathBuf> {
    let root = path.ancestors().find(|dir| dir.join(".git").exists())?;
    // A home that is a repository (for its dotfiles) would make everything below it one project.
    (root != home).then(|| root.to_path_buf())
}

/// A checkout by its root.
pub fn checkout(root: &Path) -> Project {
    Project { root: root.to_path_buf(), git: Some(root.join(".git")), sprag: None, cwd: root.to_path_buf() }
}

/// The git state of a checkout: HEAD, index, stash. It is the machine's own.
pub fn git_state(root: &Path, cx: &Cx<'_>) -> ClaimTarget {
    let shown = root.display().to_string();
    let key = ClaimKey {
        repo: format!("{}:{shown}", cx.host.machine()),
        branch: String::new(),
        path: GIT_STATE.to_owned(),
    };
    ClaimTarget { key, root: shown, real: root.to_path_buf() }
}

/// A settings file of an agent in the user's home, which every session on this machine reads.
fn is_settings(real: &Path, home: &Path) -> bool {
    let Ok(below) = real.strip_prefix(home) else { return false };
    let parts: Vec<&str> = below.iter().filter_map(std::ffi::OsStr::to_str).collect();
    match parts.as_slice() {
        [name] => AGENTS.iter().any(|agent| agent.settings.home_file == Some(name)),
        [folder, name] => {
            AGENTS.iter().any(|agent| agent.settings.folder == *folder)
                && [".json", ".toml", ".md"].iter().any(|end| name.ends_with(end))
        }
        _ => false,
    }
}
