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

/// The home that the account of this process has, for an environment that names none (a service, `env -i`).
#[cold]
#[cfg(unix)]
fn home_of_account() -> Option<PathBuf> {
    let accounts = crate::files::read_text("/etc/passwd", crate::files::STATE).ok()?;
    home_in(&accounts, rustix::process::getuid().as_raw())
}

#[cold]
#[cfg(not(unix))]
fn home_of_account() -> Option<PathBuf> {
    None
}

/// The home of an account in the text of `/etc/passwd`.
#[cfg(unix)]
fn home_in(accounts: &str, id: u32) -> Option<PathBuf> {
    let of = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        let own = fields.get(2).and_then(|field| field.parse::<u32>().ok()) == Some(id);
        fields.get(5).filter(|_| own).map(PathBuf::from)
    };
    accounts.lines().find_map(of).filter(|home| home.is_absolute())
}

impl Paths {
    /// The folders that the environment names: `SPRAG_*_DIR`, then XDG, then the defaults.
    pub fn from_env(env: &Env) -> Self {
        // A relative home would be another folder in every directory, and `~` none that a guard knows.
        let told = |name: &str| env.get(name).map(PathBuf::from).filter(|home| home.is_absolute());
        let told = told("HOME").or_else(|| told("USERPROFILE"));
        let home = told.or_else(|| matches!(env, Env::Process).then(home_of_account)?);
        let home = home.unwrap_or_else(|| PathBuf::from("/"));
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
        with_tilde(path, &self.home)
    }
}

/// A path as a person would write it: `~` for the home.
pub fn with_tilde(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
        _ => path.display().to_string(),
    }
}

/// A path as a person writes it: `~` is the home, `~/…` in it, any other below `base`, unless it is absolute.
pub fn from_home(text: &str, home: &Path, base: &Path) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if text == "~" => home.to_path_buf(),
        None => base.join(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Paths {
        Paths::from_env(&Env::Fixed(vars.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect()))
    }

    #[cfg(unix)]
    #[test]
    fn the_home_of_an_account_is_in_the_list_of_accounts() {
        let accounts = "root:x:0:0:root:/root:/bin/bash\n# a\nbroken\ndev:x:1000:1000:Dev,,,:/home/dev:/bin/zsh\nno:x:7:7::nohome:\n";
        assert_eq!(home_in(accounts, 1000), Some(PathBuf::from("/home/dev")));
        assert_eq!(home_in(accounts, 0), Some(PathBuf::from("/root")));
        assert_eq!((home_in(accounts, 7), home_in(accounts, 5), home_in("", 0)), (None, None, None));
    }

    #[cfg(unix)]
    #[test]
    fn a_relative_home_is_not_used() {
        for odd in [".", "..", "./x", "x", "~", "x\ny", ""] {
            assert_eq!(paths(&[("HOME", odd)]).home, Path::new("/"), "{odd:?}");
            assert_eq!(paths(&[("HOME", odd), ("USERPROFILE", "/h")]).home, Path::new("/h"), "{odd:?}");
        }
        assert_eq!(paths(&[("HOME", "/h/")]).config_file(), Path::new("/h/.config/sprag/config.toml"));
    }

    #[test]
    fn a_tilde_is_the_home_and_other_paths_are_below_the_base() {
        let path = |text: &str| from_home(text, Path::new("/h"), Path::new("/p"));
        assert_eq!(path("~/a"), Path::new("/h/a"));
        assert_eq!(path("a/b"), Path::new("/p/a/b"));
        assert_eq!(path("/a"), Path::new("/a"));
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
