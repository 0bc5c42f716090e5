//! What can go wrong, said in two lines: what, and what to do next.
//! Whatever is said here, nothing was written.

use std::path::{Path, PathBuf};

use super::json::Refusal;

/// Why deploy or undeploy did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The agent is not in the table.
    #[error("there is no agent called `{name}`\nuse one of: {}", known_agents())]
    UnknownAgent {
        /// The name that was asked for.
        name: String,
    },
    /// The agent has no such scope.
    #[error("{agent} has no `{scope}` scope\nuse one of: {known}")]
    NoSuchScope {
        /// The agent.
        agent: &'static str,
        /// The scope that was asked for.
        scope: &'static str,
        /// The scopes that exist.
        known: String,
    },
    /// The user's home is not known.
    #[error(
        "the home directory is not known, so {agent}'s settings cannot be found\nset HOME and run the command again"
    )]
    NoHome {
        /// The agent.
        agent: &'static str,
    },
    /// There is no project here.
    #[error(
        "the `{scope}` scope of {agent} needs a project\nrun the command inside one, or use --scope user"
    )]
    NoProject {
        /// The agent.
        agent: &'static str,
        /// The scope that was asked for.
        scope: &'static str,
    },
    /// The program's path cannot be written into JSON.
    #[error("the path {} is not valid UTF-8, so no agent could start it\ninstall sprag under another path", exe.display())]
    ExeName {
        /// The path.
        exe: PathBuf,
    },
    /// The file is not what the agent reads, or not what deploy can edit safely.
    #[error("{}:{}:{}: {}\n{}", file.display(), refusal.line, refusal.column, refusal.what, refusal.fix)]
    Refused {
        /// The agent's file.
        file: PathBuf,
        /// Where and why.
        refusal: Refusal,
    },
    /// The file is a folder, a pipe or the like.
    #[error("{} is not a regular file\nmove it away, then run the command again", file.display())]
    NotAFile {
        /// The path.
        file: PathBuf,
    },
    /// A chain of links that leads nowhere.
    #[error("{} is a symbolic link that leads in a circle\npoint it at a real file, then run the command again", file.display())]
    LinkLoop {
        /// The link.
        file: PathBuf,
    },
    /// Somebody else keeps writing the file.
    #[error("{} keeps changing while sprag wants to write it\nclose the program that writes it, then run the command again", file.display())]
    Busy {
        /// The agent's file.
        file: PathBuf,
    },
    /// The system said no.
    #[error("cannot {action} {}: {source}\n{}", file.display(), advice(file, source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl DeployError {
    pub(crate) fn refused(file: &Path, refusal: Refusal) -> Self {
        Self::Refused { file: file.to_owned(), refusal }
    }

    /// Wraps an I/O error with what was tried on which file.
    pub(crate) fn io(action: &'static str, file: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, file: file.to_owned(), source }
    }
}

fn known_agents() -> String {
    super::agents::AGENTS.iter().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
}

fn advice(file: &Path, source: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let place = file.parent().unwrap_or(file).display();
    match source.kind() {
        ErrorKind::PermissionDenied => {
            format!("give yourself write access to {place}, or use another --scope")
        }
        ErrorKind::ReadOnlyFilesystem => {
            format!("{place} is on a read-only file system: use another --scope")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, then run the command again".into()
        }
        ErrorKind::NotADirectory => format!("{place} must be a folder: move away what is there"),
        _ => format!("check {place}, then run the command again"),
    }
}
