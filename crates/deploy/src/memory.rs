//! What sprag remembers about an agent's file: its state before the first deploy, where deploy wrote, and the hooks of
//! others that run through sprag now. Undeploy needs all three.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::Scope;

use super::edit::Origin;

const MARKER_TEXT: &str = "sprag deploy made this file; undeploy removes it when nothing else is left in it.\n\
                           folders made: ";

/// The file before the first deploy, as far as it was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SavedOriginal {
    /// Never deployed here, or the copy is gone.
    Nothing,
    /// There was no file, nor this many folders above it.
    Absent { folders: usize },
    /// The file's text.
    Text(String),
}

/// What sprag remembers about one file.
#[derive(Debug, Clone, Default)]
pub struct Remembered {
    /// The folder for the state before the first deploy; beside the file when there is none. A file in a repository
    /// has nothing beside it.
    pub folder: Option<PathBuf>,
    /// Hooks of others in this file that run through sprag now.
    pub imported: Vec<ImportedHook>,
}

/// A hook of an agent's file that sprag runs now, as it was there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedHook {
    /// The agent.
    pub agent: AgentId,
    /// Its file.
    pub file: PathBuf,
    /// The event, in the agent's spelling.
    pub event: String,
    /// Its group's matcher.
    pub matcher: Option<String>,
    /// Its entry in the file.
    pub handler: Value,
    /// Its name as an own hook.
    pub hook: String,
}

/// A file that deploy wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployed {
    /// The agent.
    pub agent: AgentId,
    /// The scope's name.
    pub scope: String,
    /// The file.
    pub file: PathBuf,
}

impl Remembered {
    /// What is remembered about an agent's file in a scope.
    pub fn of(paths: &Paths, scope: Scope, file: &Path) -> Self {
        let imported = imported(paths).into_iter().filter(|hook| hook.file == file).collect();
        let folder = (scope != Scope::User).then(|| paths.state.join("deployed"));
        Self { folder, imported }
    }

    /// The copy of `file`: beside the path that the agent reads, also when that is a link.
    pub(crate) fn backup(&self, file: &Path) -> PathBuf {
        self.kept(file, ".sprag-backup")
    }

    /// The marker that there was no `file`.
    pub(crate) fn marker(&self, file: &Path) -> PathBuf {
        self.kept(file, ".sprag-created")
    }

    fn kept(&self, file: &Path, ending: &str) -> PathBuf {
        match &self.folder {
            None => beside(file, "", ending),
            Some(folder) => {
                folder.join(format!("{}{ending}", short_hash(file.as_os_str().as_encoded_bytes())))
            }
        }
    }
}

/// The hooks that were imported, from every file.
pub fn imported(paths: &Paths) -> Vec<ImportedHook> {
    let text = files::read(imported_file(paths), files::STATE).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Remembers what was imported. It lies beside the configuration that runs it.
pub fn set_imported(paths: &Paths, hooks: &[ImportedHook]) -> std::io::Result<()> {
    files::write_durable(&imported_file(paths), &serde_json::to_vec_pretty(hooks).unwrap_or_default())
}

fn imported_file(paths: &Paths) -> PathBuf {
    paths.config.join("imported.json")
}

/// The files that deploy wrote, each once.
pub fn deployed(paths: &Paths) -> Vec<Deployed> {
    let text = files::read_text(deployed_file(paths), files::STATE).unwrap_or_default();
    let mut found: Vec<Deployed> = Vec::new();
    for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        if !found.contains(&entry) {
            found.push(entry);
        }
    }
    found
}

/// Remembers that deploy wrote a file. Undeploying does not forget it: a file without entries is no trouble.
pub fn note_deployed(paths: &Paths, entry: &Deployed) -> std::io::Result<()> {
    if deployed(paths).contains(entry) {
        return Ok(());
    }
    files::append(&deployed_file(paths), format!("{}\n", serde_json::to_string(entry)?).as_bytes())
}

fn deployed_file(paths: &Paths) -> PathBuf {
    paths.state.join("deployed.jsonl")
}

/// `name` with something before and after it, in the same folder.
pub(crate) fn beside(file: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(before);
    name.push(file.file_name().unwrap_or_default());
    name.push(after);
    file.with_file_name(name)
}

/// What a marker says when deploy made this many folders.
pub(crate) fn marker_text(folders: usize) -> String {
    format!("{MARKER_TEXT}{folders}\n")
}

impl SavedOriginal {
    /// The state that a marker describes.
    pub(crate) fn from_marker(marker: &str) -> Self {
        let folders = marker.rsplit(": ").next().and_then(|count| count.trim().parse().ok());
        Self::Absent { folders: folders.unwrap_or(0) }
    }

    /// The state as the editor takes it.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match self {
            Self::Nothing => Origin::Unknown,
            Self::Absent { .. } => Origin::Absent,
            Self::Text(text) => Origin::Text(text),
        }
    }
}
