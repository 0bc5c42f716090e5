//! A throw-away home and project folder, and the environment an agent gets in them.
//! Nothing of the real home, configuration or environment is visible from inside.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::agents::Agent;
use crate::cmd::Cmd;

/// The key every agent gets; it opens nothing.
pub(crate) const KEY: &str = "fake-key-for-loopback-0123456789";

/// Variables for a process, by name.
pub type Env = BTreeMap<String, String>;

/// A home and a project folder that disappear when dropped, unless `SPRAG_KEEP=1` keeps and prints them.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl Sandbox {
    /// An empty home and an empty project.
    pub fn new() -> Self {
        let mut root = tempfile::Builder::new().prefix("sprag-").tempdir().expect("a temporary folder");
        if std::env::var("SPRAG_KEEP").is_ok_and(|keep| keep == "1") {
            root.disable_cleanup(true);
            let _ = writeln!(io::stderr(), "KEPT {}", root.path().display());
        }
        let base = root.path().canonicalize().expect("the temporary folder exists");
        let (home, project) = (base.join("home"), base.join("project"));
        fs::create_dir(&home).expect("a home");
        fs::create_dir(&project).expect("a project");
        Self { root, home, project }
    }

    /// The same, with the project a git repository on `main` that has one commit.
    pub fn with_git() -> Self {
        let sandbox = Self::new();
        sandbox.write_home(".gitconfig", "[user]\n\tname = Test\n\temail = test@example.invalid\n");
        sandbox.write("README.md", "# A project\n");
        for args in
            [&["init", "--quiet", "-b", "main"][..], &["add", "."], &["commit", "--quiet", "-m", "First"]]
        {
            let _ = sandbox.cmd("git").args(args).env("GIT_CONFIG_NOSYSTEM", "1").run().ok();
        }
        sandbox
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The project folder.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Writes a file under the project, with its folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        put(self.project.join(path), content.as_ref())
    }

    /// Writes a file under the home, with its folders.
    pub fn write_home(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        put(self.home.join(path), content.as_ref())
    }

    /// Reads a file under the project; panics when it is not there.
    #[track_caller]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        get(&self.project.join(path))
    }

    /// Reads a file under the home; panics when it is not there.
    #[track_caller]
    pub fn read_home(&self, path: impl AsRef<Path>) -> String {
        get(&self.home.join(path))
    }

    /// `PATH`, `HOME`, `LANG` and `TERM`, nothing else.
    pub fn env(&self) -> Env {
        let path = std::env::var("PATH").expect("a search path");
        let home = self.home.to_str().expect("a readable path").to_owned();
        [("PATH", path), ("HOME", home), ("LANG", "C.UTF-8".into()), ("TERM", "dumb".into())]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    /// [`Sandbox::env`] and what this agent needs to talk to the model at `url` and to nobody else.
    pub fn agent_env(&self, agent: Agent, url: &str) -> Env {
        let own: Vec<(&str, String)> = match agent {
            Agent::Claude => vec![
                ("ANTHROPIC_BASE_URL", url.into()),
                ("ANTHROPIC_API_KEY", KEY.into()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
                ("DISABLE_TELEMETRY", "1".into()),
                ("DISABLE_AUTOUPDATER", "1".into()),
                ("DISABLE_ERROR_REPORTING", "1".into()),
            ],
            Agent::Codex => vec![("MOCK_KEY", KEY.into())],
            Agent::Gemini => vec![
                ("GOOGLE_GEMINI_BASE_URL", url.into()),
                ("GEMINI_API_KEY", KEY.into()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".into()),
                ("GEMINI_TELEMETRY_ENABLED", "false".into()),
                // It would start itself once more, for memory that no test needs; empty lets it.
                ("GEMINI_CLI_NO_RELAUNCH", "true".into()),
            ],
            Agent::Qwen => vec![
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_API_KEY", KEY.into()),
                ("OPENAI_MODEL", "scripted".into()),
                ("QWEN_CODE_SYSTEM_DEFAULTS_PATH", self.qwen_defaults()),
                ("QWEN_TELEMETRY_ENABLED", "false".into()),
                ("QWEN_CODE_NO_RELAUNCH", "true".into()),
                ("QWEN_USAGE_STATISTICS_ENABLED", "false".into()),
                ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1".into()),
            ],
            other => (other.further().env)(self, url),
        };
        let mut env = self.env();
        env.extend(own.into_iter().map(|(name, value)| (name.to_owned(), value)));
        env
    }

    /// A path in the sandbox, outside home and project, that nothing has yet.
    pub fn fresh_path(&self, name: &str) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.root.path().join(format!("{name}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    fn qwen_defaults(&self) -> String {
        let path = self.root.path().join("qwen-defaults.json");
        path.to_str().expect("a readable path").to_owned()
    }

    /// Writes the settings an agent needs that no variable or argument can give; a headless run does it.
    ///
    /// What the user's settings say already stays; a file that is not plain JSON is left alone.
    pub fn prepare(&self, agent: Agent) {
        match agent {
            // A base URL alone would select the gateway login, which a headless run refuses; and system
            // defaults, which would leave the user's file alone, count only in folders that belong to root.
            Agent::Gemini => fill(
                self.home.join(".gemini/settings.json"),
                &json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": false},
                    "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
                }),
            ),
            Agent::Qwen => {
                // Without a terminal it takes a command as finished when the shell exits, and may lose what
                // the command wrote last.
                let defaults = json!({
                    "general": {"enableAutoUpdate": false},
                    "tools": {"shell": {"enableInteractiveShell": true}},
                });
                put(self.qwen_defaults().into(), defaults.to_string().as_bytes());
            }
            _ => {}
        }
    }

    /// The same for one of the further agents, whose settings name the model's URL.
    pub fn prepare_further(&self, agent: Agent, url: &str) {
        if let Some(rig) = agent.rig() {
            (rig.prepare)(self, url);
        }
    }

    /// Answers Claude Code's first-run questions: onboarding, the key, the folder's trust.
    ///
    /// What `~/.claude.json` says already stays.
    pub fn answer_first_run(&self) {
        let path = self.home.join(".claude.json");
        let mut state: Value =
            fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(json!({}));
        state["hasCompletedOnboarding"] = true.into();
        state["lastOnboardingVersion"] = "99.0.0".into();
        state["theme"] = "dark".into();
        // It keeps the last twenty characters of keys the user has approved.
        let tail: String = KEY.chars().skip(KEY.len() - 20).collect();
        state["customApiKeyResponses"] = json!({"approved": [tail], "rejected": []});
        let project = self.project.to_str().expect("a readable path");
        state["projects"][project]["hasTrustDialogAccepted"] = true.into();
        state["projects"][project]["hasCompletedProjectOnboarding"] = true.into();
        put(path, state.to_string().as_bytes());
    }

    /// A process in the project folder with [`Sandbox::env`].
    pub fn cmd(&self, program: impl Into<std::ffi::OsString>) -> Cmd {
        Cmd::new(program).envs(self.env()).cwd(&self.project)
    }

    /// The session records an agent left in this home, oldest first.
    pub fn transcripts(&self, agent: Agent) -> Vec<PathBuf> {
        let folder = match agent {
            Agent::Claude => ".claude/projects",
            Agent::Codex => ".codex/sessions",
            Agent::Gemini => ".gemini/tmp",
            Agent::Qwen => ".qwen/projects",
            Agent::Copilot => ".copilot/session-state",
            Agent::Grok => ".grok/sessions",
            Agent::Kimi => ".kimi-code/sessions",
            Agent::Droid => ".factory/sessions",
            Agent::Pi => ".pi/agent/sessions",
            Agent::Opencode | Agent::Cline | Agent::Kilo | Agent::Hermes | Agent::Auggie | Agent::Goose => {
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        let mut folders = vec![self.home.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "jsonl") {
                    found.push(path);
                }
            }
        }
        found.sort_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
        found
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds to a JSON file what it does not say yet.
pub(crate) fn fill(path: PathBuf, wanted: &Value) {
    fn add(to: &mut Value, wanted: &Value) {
        match (to, wanted) {
            (Value::Object(to), Value::Object(wanted)) => {
                for (key, value) in wanted {
                    add(to.entry(key).or_insert(Value::Null), value);
                }
            }
            (to @ Value::Null, wanted) => *to = wanted.clone(),
            _ => {}
        }
    }
    let old = fs::read(&path).unwrap_or_else(|_| b"{}".to_vec());
    let Ok(mut settings) = serde_json::from_slice::<Value>(&old) else { return };
    let before = settings.clone();
    add(&mut settings, wanted);
    if settings != before {
        put(path, format!("{settings:#}\n").as_bytes());
    }
}

#[track_caller]
fn put(path: PathBuf, content: &[u8]) -> PathBuf {
    let done =
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).and_then(|()| fs::write(&path, content));
    done.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    path
}

#[track_caller]
fn get(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_the_listed_one() {
        let sandbox = Sandbox::new();
        let names: Vec<String> = sandbox.env().into_keys().collect();
        assert_eq!(names, ["HOME", "LANG", "PATH", "TERM"]);
        for agent in Agent::ALL {
            let env = sandbox.agent_env(agent, "http://127.0.0.1:1");
            assert!(env.keys().all(|name| !name.starts_with("SPRAG_")));
        }
    }

    #[test]
    fn files_go_where_they_belong_and_are_gone_afterwards() {
        let sandbox = Sandbox::new();
        sandbox.write("a/b.txt", "one");
        sandbox.write_home(".x/y", "two");
        assert_eq!(sandbox.read("a/b.txt") + &sandbox.read_home(".x/y"), "onetwo");
        let home = sandbox.home().to_owned();
        drop(sandbox);
        assert!(!home.exists() || std::env::var_os("SPRAG_KEEP").is_some());
    }

    #[test]
    fn a_repository_has_one_commit_and_nothing_left_over() {
        let sandbox = Sandbox::with_git();
        let log = sandbox.cmd("git").args(["log", "--format=%an %s"]).run().ok();
        assert_eq!(log.stdout, "Test First\n");
        assert_eq!(sandbox.cmd("git").args(["status", "--short"]).run().ok().stdout, "");
    }

    #[test]
    fn preparing_adds_only_what_is_missing() {
        let sandbox = Sandbox::new();
        let own = r#"{"security": {"auth": {"selectedType": "mine"}}, "hooks": {}}"#;
        sandbox.write_home(".gemini/settings.json", own);
        sandbox.prepare(Agent::Gemini);
        let settings: Value = serde_json::from_str(&sandbox.read_home(".gemini/settings.json")).unwrap();
        assert_eq!(settings["security"]["auth"]["selectedType"], "mine");
        assert_eq!(settings["privacy"]["usageStatisticsEnabled"], false);
        sandbox.write_home(".gemini/settings.json", "{} // mine");
        sandbox.prepare(Agent::Gemini);
        assert_eq!(sandbox.read_home(".gemini/settings.json"), "{} // mine");
    }

    #[test]
    fn first_run_answers_keep_what_is_there() {
        let sandbox = Sandbox::new();
        sandbox.write_home(".claude.json", r#"{"userID": "u", "projects": {"/other": {"x": 1}}}"#);
        sandbox.answer_first_run();
        let state: Value = serde_json::from_str(&sandbox.read_home(".claude.json")).unwrap();
        assert_eq!(state["userID"], "u");
        assert_eq!(state["projects"]["/other"]["x"], 1);
        assert_eq!(state["customApiKeyResponses"]["approved"][0].as_str().unwrap().len(), 20);
        assert_eq!(state["projects"][sandbox.project().to_str().unwrap()]["hasTrustDialogAccepted"], true);
    }
}
