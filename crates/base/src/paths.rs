//! Where sprag keeps things: configuration, data, state.

use crate::env::Env;
use std::path::{Path, PathBuf};

/// sprag's own folders.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The user's home.
    pub home: PathBuf,
    /// `config.toml` and the user's own hooks.
    pub config: PathBuf,
    /// Knowledge: what sessions leave behind.
    pub data: PathBuf,
    /// Journal, queue, caches, per-session state.
    pub state: PathBuf,
    /// The managed policy of this machine; none in an environment that was made up. No variable names another one.
    pub policy: Option<PathBuf>,
}

/// The managed policy of this machine.
#[cfg(not(windows))]
const POLICY: &str = "/etc/sprag/policy.toml";
#[cfg(windows)]
const POLICY: &str = r"C:\ProgramData\sprag\policy.toml";

impl Paths {
    /// The folders that the environment names: `SPRAG_*_DIR`, then XDG, then the defaults.
    pub fn from_env(env: &Env) -> Self {
        let home = env
            .get("HOME")
            .or_else(|| env.get("USERPROFILE"))
            .map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let place = |own: &str, xdg: &str, default: &str| {
            let absolute = |text: String| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
            env.get(own).map_or_else(
                || env.get(xdg).and_then(absolute).unwrap_or_else(|| home.join(default)).join("sprag"),
                PathBuf::from,
            )
        };
        Self {
            config: place("SPRAG_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
            data: place("SPRAG_DATA_DIR", "XDG_DATA_HOME", ".local/share"),
            state: place("SPRAG_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
            home,
            policy: matches!(env, Env::Process).then(|| PathBuf::from(POLICY)),
        }
    }

    /// The user's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's own hooks.
    pub fn hooks_dir(&self) -> PathBuf {
        self.config.join("hooks")
    }

    /// The journal in use.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// The background queue.
    pub fn queue(&self) -> PathBuf {
        self.state.join("queue")
    }

    /// The database, when it is a file here.
    pub fn store_file(&self) -> PathBuf {
        self.state.join("sprag.db")
    }

    /// Changes that the store did not take yet.
    pub fn spool(&self) -> PathBuf {
        self.state.join("spool")
    }

    /// Heartbeats of sessions, until the worker has folded them into the store.
    pub fn heartbeats(&self) -> PathBuf {
        self.state.join("heartbeats.jsonl")
    }

    /// Compiled configurations.
    pub fn cache(&self) -> PathBuf {
        self.state.join("cache")
    }

    /// State of sessions.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// Which projects are trusted, and in which version.
    pub fn trust_file(&self) -> PathBuf {
        self.state.join("trust.json")
    }

    /// Hook failures that no session has been told of yet.
    pub fn failures(&self) -> PathBuf {
        self.state.join("failures.jsonl")
    }

    /// A path as a person would write it: `~` for the home.
    pub fn tilde(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Paths {
        Paths::from_env(&Env::Fixed(vars.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect()))
    }

    #[test]
    fn defaults_then_xdg_then_own() {
        assert_eq!(paths(&[("HOME", "/h")]).config_file(), Path::new("/h/.config/sprag/config.toml"));
        let xdg = paths(&[("HOME", "/h"), ("XDG_STATE_HOME", "/x"), ("XDG_DATA_HOME", "relative")]);
        assert_eq!(xdg.state, Path::new("/x/sprag"));
        assert_eq!(xdg.data, Path::new("/h/.local/share/sprag"), "a relative XDG path is not used");
        assert_eq!(
            paths(&[("HOME", "/h"), ("SPRAG_STATE_DIR", "/s")]).journal(),
            Path::new("/s/journal.jsonl")
        );
    }
}
