//! An agent's own documents, here and in the store: who the agent is, which files, and what to do with each.
//! `decide` is pure; files and marks are at the edge.

pub mod decide;
pub mod marks;

use crate::member;
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::from_home;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::AgentEnv;
use std::path::{Path, PathBuf};

/// The largest file that is looked at.
const MAX_BYTES: u64 = 1 << 20;

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
        /// characters of the documents that the model is given when a session starts and after a compaction; 0 only names them
        show_chars: usize = 4_000;
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
    let spelled = |text: &str| from_home(text, user, Path::new(""));
    let folder = match settings.home {
        "" => agent_home(&host.env, user, program),
        text => spelled(text),
    };
    let names = settings.documents.iter().filter(|name| !name.is_empty());
    names.map(|name| Doc { name: name.to_owned(), path: folder.join(spelled(name)) }).collect()
}

/// True when the agent gives this document to its model by itself.
pub fn is_read_by(program: &str, doc: &Doc) -> bool {
    let files = &AgentId::from_name(program).unwrap_or(AgentId::CANONICAL).spec().settings;
    files.memory_file == Some(doc.name.as_str())
}

/// Documents as text for the model, within a number of characters in all: what is long is cut so that every one has its
/// part, and says where the rest is. Pure.
pub fn shown(texts: &[(String, String)], most: usize) -> String {
    let mut parts = Vec::new();
    let mut left = most;
    for (at, (path, text)) in texts.iter().enumerate() {
        let share = left / (texts.len() - at).max(1);
        let text = text.trim();
        let count = text.chars().count();
        let mut part: String = text.chars().take(share).collect();
        left = left.saturating_sub(count.min(share));
        if count > share {
            part.push_str(&format!("\n[cut: {} more characters in {path}]", count - share));
        }
        parts.push(format!("### {path}\n{part}"));
    }
    parts.join("\n\n")
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
    match files::read_whole(path, MAX_BYTES) {
        Ok(Some(bytes)) => String::from_utf8(bytes).map_or(DocState::Other, DocState::Text),
        _ => DocState::Other,
    }
}

/// A text's hash.
pub fn hash(text: &str) -> String {
    short_hash(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_document_leaves_its_share_to_the_others() {
        let texts = [("~/a".to_owned(), "x".repeat(10)), ("~/b".to_owned(), "y".repeat(500))];
        let text = shown(&texts, 200);
        assert!(
            text.contains(&"y".repeat(190)) && text.contains("[cut: 310 more characters in ~/b]"),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn every_document_is_there_within_the_bound(texts in prop::collection::vec("\\PC{0,400}", 0..6), most in 0_usize..900) {
            let texts: Vec<(String, String)> =
                texts.into_iter().enumerate().map(|(at, text)| (format!("~/{at}.md"), text)).collect();
            let text = shown(&texts, most);
            let all_there = texts.iter().all(|(path, _)| text.contains(&format!("### {path}\n")));
            prop_assert!(all_there);
            prop_assert!(text.chars().count() <= most + texts.len() * 70);
        }
    }
}
