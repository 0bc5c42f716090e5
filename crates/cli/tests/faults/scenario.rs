//! What is done while an operation fails: events of a session, the worker, commands; and the home that each begins with.

use serde_json::Value;
use sprag_protocol::recordings;
use sprag_store::{Opening, Store, Target};
use sprag_testkit::{Cmd, Output};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a scenario begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// sprag is registered, nothing happened yet.
    Registered,
    /// A session began, and a memory was added.
    Session,
    /// The session changed a file and ended: jobs wait.
    Ended,
}

/// What is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// An event: a recording, and another command for the shell.
    Event(&'static str, Option<&'static str>),
    /// A command.
    Command(&'static [&'static str]),
}

/// One scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) begin: Begin,
    pub(crate) run: Run,
}

const fn event(name: &'static str, recording: &'static str, command: Option<&'static str>) -> Scenario {
    Scenario { name, begin: Begin::Session, run: Run::Event(recording, command) }
}

/// The memory that a session's start must not lose.
const MEMORY: &str = "Staging only answers inside the VPN: run vpn up blue first";

pub(crate) const SCENARIOS: [Scenario; 13] = [
    Scenario {
        name: "first session start",
        begin: Begin::Registered,
        run: Run::Event("claude/SessionStart.startup", None),
    },
    event("session start", "claude/SessionStart.startup", None),
    event("prompt", "claude/UserPromptSubmit", None),
    event("denied command", "claude/PreToolUse.Bash", Some("rm -rf ~")),
    event("edit with a claim", "claude/PreToolUse.Edit", None),
    event("after an edit", "claude/PostToolUse.Edit", None),
    event("after a command", "claude/PostToolUse.Bash", None),
    event("turn's end", "claude/Stop", None),
    event("session end", "claude/SessionEnd.other", None),
    Scenario { name: "worker", begin: Begin::Ended, run: Run::Command(&["worker", "--once"]) },
    Scenario {
        name: "memory add",
        begin: Begin::Session,
        run: Run::Command(&["memory", "add", "The release branch is cut on Thursdays by the rota"]),
    },
    Scenario {
        name: "deploy",
        begin: Begin::Registered,
        run: Run::Command(&["deploy", "--agent", "claude", "--agent", "codex"]),
    },
    Scenario {
        name: "undeploy",
        begin: Begin::Registered,
        run: Run::Command(&["undeploy", "--agent", "claude"]),
    },
];

/// A home at a fixed place, restored from a copy before each run: plans and claims are bound to paths.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(begin: Begin) -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        let project = world.project();
        std::fs::create_dir_all(project.join("src")).unwrap();
        let put = |path: PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(world.home().join(".config/sprag/config.toml"), "preset = \"strict\"\n# kept\n");
        put(world.settings(), FOREIGN);
        put(project.join("src/cart.py"), "def total():\n    return 1\n");
        put(project.join("README.md"), "# Shop\n");
        let git = "git init -q -b main . && git add -A && git -c user.name=t -c user.email=t@example.invalid commit -qm x";
        assert!(Command::new("sh").args(["-c", git]).current_dir(&project).status().unwrap().success());
        let _ = world.command(&["deploy", "--agent", "claude"], "").ok();
        if begin != Begin::Registered {
            world.event("claude/SessionStart.startup", None, "");
            world.event("claude/UserPromptSubmit", None, "");
            let _ = world.command(&["memory", "add", MEMORY], "").ok();
            let _ = world.command(&["worker", "--once"], "").ok();
        }
        if begin == Begin::Ended {
            for name in ["PreToolUse.Edit", "PostToolUse.Edit", "Stop", "SessionEnd.other"] {
                world.event(&format!("claude/{name}"), None, "");
            }
        }
        let copied = Command::new("cp").arg("-a").arg(world.home()).arg(world.copy()).status().unwrap();
        assert!(copied.success());
        world
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn copy(&self) -> PathBuf {
        self.dir.path().join("copy")
    }

    fn project(&self) -> PathBuf {
        self.home().join("shop")
    }

    /// The agent's own settings, with a hook of somebody else.
    pub(crate) fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home().join(".local/state/sprag")
    }

    /// The home as it was.
    pub(crate) fn restore(&self) {
        std::fs::remove_dir_all(self.home()).unwrap();
        let copied = Command::new("cp").arg("-a").arg(self.copy()).arg(self.home()).status().unwrap();
        assert!(copied.success());
    }

    pub(crate) fn run(&self, run: Run, fault: &str) -> Output {
        match run {
            Run::Event(recording, command) => self.event(recording, command, fault),
            Run::Command(args) => self.command(args, fault),
        }
    }

    fn event(&self, recording: &str, command: Option<&str>, fault: &str) -> Output {
        let project = self.project();
        let text =
            recordings::get(recording).unwrap().text.replace("/home/dev/shop", project.to_str().unwrap());
        let mut payload: Value = serde_json::from_str(&text).unwrap();
        if let Some(command) = command {
            payload["tool_input"]["command"] = Value::from(command);
        }
        self.sprag(&["hook", "--agent", "claude"], fault).stdin(payload.to_string()).run()
    }

    fn command(&self, args: &[&str], fault: &str) -> Output {
        self.sprag(args, fault).run()
    }

    fn sprag(&self, args: &[&str], fault: &str) -> Cmd {
        let given = std::env::var_os("SPRAG_FAULT_BIN").filter(|path| !path.is_empty());
        Cmd::new(given.unwrap_or_else(|| env!("CARGO_BIN_EXE_sprag").into()))
            .args(args.iter().copied())
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("SPRAG_WORKER", "off")
            .env("SPRAG_FAULT", fault)
            .cwd(self.project())
    }

    /// What must outlive every failure.
    pub(crate) fn records(&self) -> Records {
        let mut journal = BTreeSet::new();
        for entry in std::fs::read_dir(self.state()).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("journal") {
                let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
                journal.extend(text.lines().map(str::to_owned));
            }
        }
        let mut rows = Vec::new();
        let file = self.state().join("sprag.db");
        if file.exists() {
            match Store::open(&Target::Sqlite(file), Opening { tidy: false, ..Opening::LOOK }) {
                Ok(mut store) => {
                    store.verify().unwrap();
                    rows = store.facts().unwrap().rows;
                }
                // Created by a process that was killed before it made the tables.
                Err(error) => assert!(matches!(error, sprag_store::Error::Outdated { .. }), "{error}"),
            }
        }
        let files = ["home/.config/sprag/config.toml", "home/shop/src/cart.py", "home/shop/README.md"];
        let files = files.map(|name| std::fs::read(self.dir.path().join(name)).unwrap());
        Records { journal, rows, files: files.to_vec() }
    }

    /// Jobs in a folder of the queue.
    pub(crate) fn jobs(&self, folder: &str) -> usize {
        std::fs::read_dir(self.state().join("queue").join(folder)).map_or(0, |entries| {
            entries
                .flatten()
                .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
                .count()
        })
    }

    /// Scratch files that were left.
    pub(crate) fn scratch(&self) -> Vec<PathBuf> {
        fn below(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    below(&path, found);
                } else if entry.file_name().to_string_lossy().starts_with('.')
                    && path.extension().is_some_and(|end| end == "tmp")
                {
                    found.push(path);
                }
            }
        }
        let mut found = Vec::new();
        below(&self.home(), &mut found);
        found
    }
}

/// Settings with a hook of somebody else.
const FOREIGN: &str = r#"{
  "model": "opus",
  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "echo mine" } ] } ] }
}
"#;

/// Records that somebody relies on.
#[derive(Debug)]
pub(crate) struct Records {
    journal: BTreeSet<String>,
    rows: Vec<(&'static str, i64)>,
    files: Vec<Vec<u8>>,
}

impl Records {
    /// The rows of a table.
    pub(crate) fn count(&self, table: &str) -> i64 {
        self.rows.iter().find(|(name, _)| *name == table).map_or(0, |(_, count)| *count)
    }

    /// Fails when something that was there is no longer.
    pub(crate) fn outlived_by(&self, after: &Self, what: &str) {
        let lost: Vec<&String> = self.journal.difference(&after.journal).collect();
        assert!(lost.is_empty(), "{what}: lines of the journal are lost: {lost:?}");
        for table in ["agents", "sessions", "memories", "lessons", "tasks", "applied"] {
            assert!(after.count(table) >= self.count(table), "{what}: rows of {table} are lost");
        }
        assert_eq!(self.files, after.files, "{what}: a file of the user was changed");
    }
}
