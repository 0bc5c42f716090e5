//! The real agents: where they are, how they get there, which version that is.
//! Taken from npm once into `SPRAG_AGENTS_DIR` (or the target folder); never started to find out.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::bin::target_dir;
use crate::cmd::{Cmd, which};
use crate::home::Sandbox;
use crate::model::{Block, tool};
use crate::rigs::{Rig, Source};
use crate::run::Run;
use crate::skip::skip;

/// The variable that forbids installations: what is there is used, what is not there is unavailable.
pub const NO_INSTALL: &str = "SPRAG_AGENTS_NO_INSTALL";
/// How long an installation may take.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(600);

/// A coding agent the tests can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// OpenAI Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// GitHub Copilot CLI.
    Copilot,
    /// OpenCode.
    Opencode,
    /// Grok.
    Grok,
    /// Kimi Code.
    Kimi,
    /// Cline.
    Cline,
    /// Factory Droid.
    Droid,
    /// Kilo Code.
    Kilo,
    /// Hermes.
    Hermes,
    /// Pi.
    Pi,
    /// Auggie.
    Auggie,
    /// Goose.
    Goose,
}

/// Something the tests need is not on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {why}")]
pub struct Unavailable {
    /// What is missing.
    pub what: String,
    /// Why it cannot be had.
    pub why: String,
}

impl Unavailable {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into() }
    }
}

/// An agent that can be started.
#[derive(Debug, Clone)]
pub struct Installed {
    agent: Agent,
    argv: Vec<OsString>,
    version: String,
}

impl Installed {
    /// Which agent it is.
    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// How it is started: the program, then the arguments that always come first.
    pub fn argv(&self) -> &[OsString] {
        &self.argv
    }

    /// The version its package states.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A headless run of it in a sandbox.
    pub fn run<'a>(&'a self, sandbox: &'a Sandbox) -> Run<'a> {
        Run::new(self, sandbox)
    }
}

impl Agent {
    /// The agents with which every behaviour is tested, in their latest version.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Qwen];

    /// The agents of which one run is tested, in a pinned version.
    pub const MORE: [Self; 11] = [
        Self::Copilot,
        Self::Opencode,
        Self::Grok,
        Self::Kimi,
        Self::Cline,
        Self::Droid,
        Self::Kilo,
        Self::Hermes,
        Self::Pi,
        Self::Auggie,
        Self::Goose,
    ];

    /// The short name: folder, messages, and in upper case the `<NAME>_VERSION` variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Grok => "grok",
            Self::Kimi => "kimi",
            Self::Cline => "cline",
            Self::Droid => "droid",
            Self::Kilo => "kilo",
            Self::Hermes => "hermes",
            Self::Pi => "pi",
            Self::Auggie => "auggie",
            Self::Goose => "goose",
        }
    }

    /// The package.
    pub fn package(self) -> &'static str {
        match self {
            Self::Claude => "@anthropic-ai/claude-code",
            Self::Codex => "@openai/codex",
            Self::Gemini => "@google/gemini-cli",
            Self::Qwen => "@qwen-code/qwen-code",
            other => other.rig().map_or("", |rig| rig.package),
        }
    }

    /// The version that is installed unless a variable names another.
    pub fn pinned(self) -> &'static str {
        self.rig().map_or("latest", |rig| rig.version)
    }

    /// Where agents are installed.
    pub fn folder() -> PathBuf {
        std::env::var_os("SPRAG_AGENTS_DIR")
            .filter(|dir| !dir.is_empty())
            .map_or_else(|| target_dir().join("agents"), PathBuf::from)
    }

    /// The version that is installed, if one is.
    pub fn installed_version(self) -> Option<String> {
        let prefix = Self::folder().join(self.name());
        self.find(&prefix)?;
        self.version_in(&prefix)
    }

    /// A call of this agent's shell tool.
    pub fn shell(self, command: &str) -> Block {
        match self {
            Self::Claude => tool("Bash", json!({"command": command, "description": "a test"})),
            Self::Codex => tool("exec_command", json!({"cmd": command})),
            Self::Gemini => tool("run_shell_command", json!({"command": command, "description": "a test"})),
            Self::Qwen => tool("run_shell_command", json!({"command": command, "is_background": false})),
            other => (other.further().shell)(command),
        }
    }

    /// A call of this agent's tool that writes a file.
    pub fn write(self, path: &Path) -> Block {
        match self {
            Self::Claude => tool("Write", json!({"file_path": path, "content": "heron\n"})),
            Self::Codex => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                tool(
                    "apply_patch",
                    json!(format!("*** Begin Patch\n*** Add File: {name}\n+heron\n*** End Patch\n")),
                )
            }
            Self::Gemini | Self::Qwen => tool("write_file", json!({"file_path": path, "content": "heron\n"})),
            other => (other.further().write)(path),
        }
    }

    pub(crate) fn further(self) -> &'static crate::rigs::Rig {
        self.rig().expect("one of the further agents")
    }

    /// Finds the agent, installing it first if needed; parallel callers wait for one another.
    ///
    /// `<NAME>_VERSION` asks for a version or a tag, which gets a folder of its own.
    pub fn install(self) -> Result<Installed, Unavailable> {
        let missing = |why: String| Unavailable::new(self.name(), why);
        let wanted = std::env::var(format!("{}_VERSION", self.name().to_uppercase())).ok();
        let wanted = wanted.filter(|version| !version.is_empty());
        let dir = Self::folder();
        fs::create_dir_all(&dir).map_err(|e| missing(format!("cannot create {}: {e}", dir.display())))?;
        let lock = File::create(dir.join(format!("{}.lock", self.name())))
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|e| missing(format!("cannot lock {}: {e}", dir.display())))?;

        let plain = dir.join(self.name());
        let prefix = match &wanted {
            Some(version) if self.version_in(&plain).as_ref() != Some(version) => {
                dir.join(format!("{}@{version}", self.name()))
            }
            _ => plain,
        };
        if self.find(&prefix).is_none() {
            // Without a network every attempt takes npm half a minute, and each of the tests would make one.
            if std::env::var_os(NO_INSTALL).is_some() {
                return Err(missing("is not installed, and could not be when the tests began".into()));
            }
            self.fetch(&prefix, wanted.as_deref().unwrap_or(self.pinned())).map_err(missing)?;
        }
        drop(lock);
        let argv = self
            .find(&prefix)
            .ok_or_else(|| missing(format!("{} has no program for this machine", self.package())))?;
        if argv[0] == "node" && which("node").is_none() {
            return Err(missing("node is not on the search path".into()));
        }
        let version = self.version_in(&prefix).unwrap_or_default();
        Ok(Installed { agent: self, argv, version })
    }

    /// Installs beside the goal and moves into place, so that a broken try is never taken for a whole one.
    fn fetch(self, prefix: &Path, version: &str) -> Result<(), String> {
        if let Some(rig) = self.rig().filter(|rig| rig.source == Source::Pip) {
            // Its scripts name the folder, so it is made in its place.
            return rig.install_python(prefix, version);
        }
        let npm = which("npm").ok_or("npm is not on the search path")?;
        let spec = format!("{}@{version}", self.package());
        let parent = prefix.parent().unwrap_or(Path::new("."));
        let building = tempfile::Builder::new()
            .prefix(&format!(".{}-", self.name()))
            .tempdir_in(parent)
            .map_err(|e| format!("cannot write to {}: {e}", parent.display()))?;
        let install = |cache: &[&str]| {
            Cmd::new(&npm)
                .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
                .args(cache)
                // Without a network it gives up after seconds, not minutes.
                .args(["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--prefix"])
                .arg(building.path())
                .arg(&spec)
                .args(self.rig().map(Rig::beside).unwrap_or_default())
                .inherit_env()
                .cwd(building.path())
                .timeout(INSTALL_TIMEOUT)
                .try_spawn()
                .map_err(|e| e.to_string())
                .map(crate::cmd::Running::wait)
        };
        let mut output = install(&[])?;
        // What npm keeps of a package may be older than the version that is asked for.
        if output.code != Some(0) && output.stderr.contains("ETARGET") {
            output = install(&["--prefer-online"])?;
        }
        if output.code != Some(0) {
            let late = if output.timed_out { " (out of time)" } else { "" };
            return Err(format!("npm could not install {spec}{late}: {}", output.stderr.trim()));
        }
        if prefix.exists() {
            fs::remove_dir_all(prefix).map_err(|e| e.to_string())?;
        }
        fs::rename(building.keep(), prefix).map_err(|e| e.to_string())
    }

    fn version_in(self, prefix: &Path) -> Option<String> {
        if let Some(version) = self.rig().and_then(|rig| rig.version_in(prefix)) {
            return Some(version);
        }
        let path = prefix.join("node_modules").join(self.package()).join("package.json");
        let package: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        Some(package["version"].as_str()?.to_owned())
    }

    fn find(self, prefix: &Path) -> Option<Vec<OsString>> {
        let modules = prefix.join("node_modules");
        let program = match self {
            Self::Claude => {
                let native = format!("{}-{}", self.package(), platform());
                let folders = [native.clone(), format!("{native}-musl")];
                let program = folders
                    .iter()
                    .map(|folder| modules.join(folder).join("claude"))
                    .find(|path| path.is_file());
                // Older versions are a script.
                let script = modules.join(self.package()).join("cli.js");
                match program {
                    Some(program) => program,
                    None => return script.exists().then(|| vec!["node".into(), script.into()]),
                }
            }
            Self::Codex => subfolders(&modules.join("@openai"))
                .flat_map(|package| subfolders(&package.join("vendor")))
                .flat_map(|vendor| [vendor.join("bin/codex"), vendor.join("codex/codex")])
                .find(|path| path.is_file())?,
            Self::Gemini | Self::Qwen => {
                let script = modules.join(".bin").join(self.name());
                return script.exists().then(|| vec!["node".into(), script.into()]);
            }
            other => return other.further().argv(prefix),
        };
        Some(vec![program.into()])
    }
}

/// The operating system and processor, as npm names them.
pub(crate) fn platform() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

fn subfolders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
}

/// The agent, or `None` with a noted reason when it cannot be had; see [`or_skip`].
pub fn require(agent: Agent) -> Option<Installed> {
    or_skip(agent.install())
}

/// What was asked for, or `None` after noting that the test is skipped; see [`skip`].
///
/// With `CI=true` or `SPRAG_E2E=required` nothing is skipped: it panics with the reason.
pub fn or_skip<T>(result: Result<T, Unavailable>) -> Option<T> {
    let set = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    match result {
        Ok(found) => Some(found),
        Err(missing) => {
            assert!(!set("CI", "true") && !set("SPRAG_E2E", "required"), "{missing}");
            skip(missing);
            None
        }
    }
}
