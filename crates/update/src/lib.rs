//! How sprag was installed, and how it is updated: the channel by the program's path, the newest release, a download whose
//! checksum is compared, and the exchange of the program by rename.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod channel;
mod program;
mod release;

pub use channel::{Channel, Receipt};
pub use program::replace;
pub use release::{Release, Version};

/// Why there is no update.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The address is neither encrypted nor on this machine.
    #[error("{0} is not an https address")]
    Address(String),
    /// The server does not answer as a release does.
    #[error("{url} cannot be fetched: {why}")]
    Fetch {
        /// What was asked for.
        url: String,
        /// What came instead.
        why: String,
    },
    /// The list of the release is not one.
    #[error("the list of the release is unreadable: {0}")]
    Index(String),
    /// The release has nothing for this platform.
    #[error("release {version} has no archive for {target}")]
    Platform {
        /// The release.
        version: Version,
        /// The platform.
        target: String,
    },
    /// What was fetched is not what the release names.
    #[error("the checksum of {name} is {found}, not {wanted}")]
    Checksum {
        /// The archive.
        name: String,
        /// Its checksum.
        found: String,
        /// The checksum in the list.
        wanted: String,
    },
    /// The archive holds no program that runs here.
    #[error("the archive is not usable: {0}")]
    Archive(String),
    /// The program's file cannot be replaced.
    #[error("{path} cannot be replaced: {error}")]
    Replace {
        /// The program.
        path: std::path::PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

impl UpdateError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Address(_) => "install sprag again from an https address",
            Self::Fetch { .. } => "look at the network and try again; nothing was changed",
            Self::Index(_) | Self::Platform { .. } => {
                "install another way (docs/install.md); nothing was changed"
            }
            Self::Checksum { .. } => "try again; when it stays, report it; nothing was changed",
            Self::Archive(_) => "report it; nothing was changed",
            Self::Replace { .. } => "look at the permissions of its folder; nothing was changed",
        }
    }
}
