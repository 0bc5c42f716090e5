//! What can go wrong: a message of one line, and a hint that says what to do next.
//! Whichever error is returned, nothing was written.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::json::SettingsError;
use sprag_protocol::agents::files::AgentFileError;

/// Why deploy or undeploy failed.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The agent or its file cannot be named.
    #[error(transparent)]
    AgentFile(#[from] AgentFileError),
    /// The program's path cannot be written into JSON.
    #[error("the path {} is not valid UTF-8, so no agent could start it", exe.display())]
    ExeName {
        /// The path.
        exe: PathBuf,
    },
    /// The file is not what the agent reads, or not what deploy can edit safely.
    #[error("{}:{problem}", file.display())]
    Refused {
        /// The agent's file.
        file: PathBuf,
        /// Where and why.
        problem: SettingsError,
    },
    /// The file is a folder, a pipe or the like.
    #[error("{} is not a regular file", file.display())]
    NotAFile {
        /// The path.
        file: PathBuf,
    },
    /// A chain of links that leads nowhere.
    #[error("{} is a symbolic link that leads in a circle", file.display())]
    LinkLoop {
        /// The link.
        file: PathBuf,
    },
    /// Another program keeps writing the file.
    #[error("{} keeps changing while sprag tries to write it", file.display())]
    Busy {
        /// The agent's file.
        file: PathBuf,
    },
    /// The operating system refused. Its error is part of the message, so it is not a source as well.
    #[error("cannot {action} {}: {error}", file.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

impl DeployError {
    /// What to do about it, in one line.
    pub fn hint(&self) -> String {
        match self {
            Self::AgentFile(error) => error.hint(),
            Self::ExeName { .. } => "install sprag under another path".to_owned(),
            Self::Refused { problem, .. } => problem.hint.clone(),
            Self::NotAFile { .. } => "move it elsewhere, then run the command again".to_owned(),
            Self::LinkLoop { .. } => "point it at a real file, then run the command again".to_owned(),
            Self::Busy { .. } => "close the program that writes it, then run the command again".to_owned(),
            Self::Io { file, error, .. } => io_hint(file, error.kind()),
        }
    }

    pub(crate) fn refused(file: &Path) -> impl Fn(SettingsError) -> Self + '_ {
        |problem| Self::Refused { file: file.to_owned(), problem }
    }

    /// Wraps an I/O error with what was tried on which file.
    pub(crate) fn io(action: &'static str, file: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Io { action, file: file.to_owned(), error }
    }
}

fn io_hint(file: &Path, kind: ErrorKind) -> String {
    let folder = file.parent().unwrap_or(file).display();
    match kind {
        ErrorKind::PermissionDenied => {
            format!("give yourself write access to {folder}, or use another --scope")
        }
        ErrorKind::ReadOnlyFilesystem => {
            format!("{folder} is on a read-only file system: use another --scope")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, then run the command again".to_owned()
        }
        ErrorKind::NotADirectory => format!("{folder} must be a folder: move away what is there"),
        _ => format!("check {folder}, then run the command again"),
    }
}
