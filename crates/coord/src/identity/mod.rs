//! An agent's own documents, here and in the store: who the agent is, which files, and what to do with each.
//! `decide` is pure; files and marks are at the edge.

pub mod decide;
pub mod marks;

use crate::member;
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::AgentEnv;
use std::path::{Path, PathBuf};

/// The largest file that is looked at.
const MOST_BYTES: u64 = 1 << 20;

/// A tracked document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    /// Its name in the store: as the configuration has it.
    pub name: String,
    /// Where it is here.
    pub path: PathBuf,
}

settings! {
    /// Settings of identity-sync.
    pub struct IdentitySettings<'a> {
        /// the agent's name: homes that use the same name share its documents; empty shares nothing
        agent: Text;
        /// the documents, in the agent's own folder unless they are a path
        documents: Texts = ["SOUL.md", "IDENTITY.md", "TOOLS.md", "CLAUDE.md"];
        /// the folder of the documents; empty is the agent's (`~/.claude` …)
        home: Text;
        /// a longer text is stored only when it is not longer than the stored one
        max_chars: usize = 20_000, min 100;
    }
}

/// Which agent this is: `SPRAG_AGENT_NAME`, else the setting, else the program on this home alone.
/// Without a name nothing is shared: two homes have two agents.
pub fn agent_name(host: &Host, settings: &IdentitySettings<'_>, program: &str) -> String {
    let given = host.env.get("SPRAG_AGENT_NAME").unwrap_or_else(|| settings.agent.to_owned());
    if member::is_name(&given) {
        return given;
    }
    let home = crate::store::home_id(host);
    // The end of the id: its beginning is a time that homes made together share.
    format!("{program}-{}", home.get(home.len().saturating_sub(8)..).unwrap_or_default())
}

/// The folder of an agent's own files.
fn agent_home(env: &Env, home: &Path, program: &str) -> PathBuf {
    let files = &AgentId::from_name(program).unwrap_or(AgentId::CANONICAL).spec().settings;
    let moved = |name: &str| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    files.moved_folder(&AgentEnv::new(None, None, moved)).unwrap_or_else(|| home.join(files.folder))
}

/// The documents of an agent.
pub fn docs(host: &Host, settings: &IdentitySettings<'_>, program: &str) -> Vec<Doc> {
    let user = &host.paths.home;
    let spelled = |text: &str| match text.strip_prefix("~/") {
        Some(rest) => user.join(rest),
        None => PathBuf::from(text),
    };
    let folder = match settings.home {
        "" => agent_home(&host.env, user, program),
        text => spelled(text),
    };
    let names = settings.documents.iter().filter(|name| !name.is_empty());
    names.map(|name| Doc { name: name.to_owned(), path: folder.join(spelled(name)) }).collect()
}

/// A file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocState {
    /// Nothing is there.
    Absent,
    /// A text.
    Text(String),
    /// Something that is not ours to read or to replace: a folder, a broken link, no text, too large.
    Other,
}

/// Looks at a file.
pub fn look(path: &Path) -> DocState {
    if std::fs::symlink_metadata(path).is_err() {
        return DocState::Absent;
    }
    match files::read_whole(path, MOST_BYTES) {
        Ok(Some(bytes)) => String::from_utf8(bytes).map_or(DocState::Other, DocState::Text),
        _ => DocState::Other,
    }
}

/// A text's hash.
pub fn hash(text: &str) -> String {
    short_hash(text.as_bytes())
}
