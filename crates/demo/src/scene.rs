//! The scratch project and home that the demo plays in; gone afterwards, unless kept.

use super::script::{FORBIDDEN, Step};
use serde_json::Value;
use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_config::host::Host;
use sprag_lessons::library::MANIFEST;
use sprag_protocol::agents::ENV_FILE_VARIABLE;
use sprag_protocol::{AgentId, recordings};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the recordings were made; every one of their paths is below.
const RECORDED_HOME: &str = "/home/dev";

pub(super) struct Scene {
    folder: Option<TempDir>,
    root: PathBuf,
    /// An environment of its own: nothing of the user's is read or written.
    pub(super) host: Host,
}

/// The project: what the recorded session worked on.
const PROJECT: [(&str, &str); 7] = [
    ("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("src/cart.py", "def total(items):\n    return sum(i.price for i in items)\n"),
    ("README.md", "# shop\n\nA small shop.\n"),
    ("rules/style.md", "# Style\n\n- Money is in cents, never in floats.\n- Every fix has a test.\n"),
    ("rules/review.md", "# Review\n\n- A diff over 200 lines is split.\n"),
    (".git/HEAD", "ref: refs/heads/fix-total\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];

impl Scene {
    pub(super) fn new(host: &Host) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("sprag-demo-").tempdir()?;
        let root = folder.path().canonicalize()?;
        let (home, project) = (root.join("home"), root.join("home/shop"));
        for (name, text) in PROJECT {
            write(&project.join(name), text)?;
        }
        for name in [".git/objects", ".git/refs/heads"] {
            std::fs::create_dir_all(project.join(name))?;
        }
        let mut env = BTreeMap::from([
            ("HOME".to_owned(), home.display().to_string()),
            (ENV_FILE_VARIABLE.to_owned(), home.join("session-env.sh").display().to_string()),
            (MANIFEST.to_owned(), home.join(LESSONS_FILE).display().to_string()),
        ]);
        for name in ["PATH", "TMPDIR", "SystemRoot"] {
            env.extend(host.env.get(name).map(|value| (name.to_owned(), value)));
        }
        let env = Env::Fixed(env);
        let paths = Paths::from_env(&env);
        write(&paths.config_file(), CONFIG)?;
        write(&home.join(LESSONS_FILE), &lessons())?;
        write(&paths.hooks_dir().join("use-the-lock-file.sh"), &use_the_lock_file())?;
        write(&paths.hooks_dir().join("diary.sh"), DIARY)?;
        // No program to start: the queue is worked off in this process, where it can be seen.
        let host = Host { env, paths, exe: None, ..host.clone() };
        let scene = Self { folder: Some(folder), root, host };
        write(&scene.transcript(), &transcript())?;
        Ok(scene)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Leaves the folder where it is.
    pub(super) fn keep(&mut self) -> PathBuf {
        if let Some(folder) = self.folder.take() {
            let _ = folder.keep();
        }
        self.root.clone()
    }

    fn transcript(&self) -> PathBuf {
        let id = "d42fd80c-f318-4c21-8d81-95853a8e12c2";
        let folder = AgentId::CANONICAL.spec().transcript.sample_folder.trim_start_matches('/');
        self.host.paths.home.join(format!("{folder}-home-dev-shop/{id}.jsonl"))
    }

    /// The payload of a step, as the agent would send it here.
    pub(super) fn payload(&self, step: &Step, round: usize) -> String {
        let text = recordings::get(step.recording).map_or("{}", |recording| recording.text);
        let mut value: Value = serde_json::from_str(text).unwrap_or_default();
        let home = self.host.paths.home.display().to_string();
        move_home(&mut value, &home);
        if let Some(map) = value.as_object_mut() {
            for (field, new) in &step.fields {
                map.insert((*field).to_owned(), new.clone());
            }
            if round > 1 || map.get("error").is_some() {
                map.insert("tool_use_id".to_owned(), format!("toolu_round_{round}").into());
            }
        }
        value.to_string()
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        write(&self.root.join("home/shop").join(name), text)
    }

    /// A text with the scratch folder's name made plain.
    pub(super) fn plain(&self, text: &str) -> String {
        text.replace(&self.root.join("home").display().to_string(), "~")
    }

    /// The files that mean something to a person; caches and locks do not.
    pub(super) fn files(&self) -> Vec<WrittenFile> {
        let mut paths = Vec::new();
        collect(&self.root, &mut paths);
        paths.sort();
        paths.retain(|path| !path.starts_with(self.host.paths.cache()));
        paths.into_iter().filter_map(|path| self.found(&path)).collect()
    }

    fn found(&self, path: &Path) -> Option<WrittenFile> {
        let bytes =
            sprag_base::files::read(path, sprag_base::files::STATE).ok().filter(|bytes| !bytes.is_empty())?;
        // sprag's own state is for its commands to show; what a hook wrote is for a person to read.
        let own = path.starts_with(&self.host.paths.state);
        let first = std::str::from_utf8(&bytes).ok().filter(|_| !own).and_then(|text| text.lines().next());
        Some(WrittenFile {
            path: self.plain(&path.display().to_string()),
            bytes: bytes.len(),
            first_line: first.map(|line| self.plain(line)),
        })
    }
}

/// A file that came out.
#[derive(PartialEq, Eq)]
pub(super) struct WrittenFile {
    pub(super) path: String,
    pub(super) bytes: usize,
    pub(super) first_line: Option<String>,
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), found),
            Ok(_) => found.push(entry.path()),
            Err(_) => {}
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    sprag_base::files::write_plain(path, text.as_bytes())
}

/// Puts the scratch home where the recording has the recorded one.
fn move_home(value: &mut Value, home: &str) {
    match value {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix(RECORDED_HOME) {
                *text = format!("{home}{rest}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_home(item, home)),
        Value::Object(map) => map.values_mut().for_each(|item| move_home(item, home)),
        _ => {}
    }
}

/// The user's configuration: the preset, and two hooks of their own.
const CONFIG: &str = "\
version = 1
preset = \"standard\"

[hooks.pre_tool_use]
append = [\"use-the-lock-file\"]

[hooks.session_end]
append = [\"diary\"]

[hook.use-the-lock-file]
matcher = \"Bash\"
timeout_ms = 5000

[hook.diary]
background = true

[verify]
settle_ms = 0
";

/// The lessons that were learned before the session.
const LESSONS_FILE: &str = "lessons.json";

fn lessons() -> String {
    serde_json::json!({ "type": "lessons-learned-manifest", "version": 1, "lessons": { "1": {
        "slug": "no-stash", "type": "guard", "priority": 8, "toolNames": ["Bash"],
        "commandRegexSources": [{ "source": r"\bgit stash\b", "flags": "" }],
        "summary": "Do not stash in a checkout that several agents share",
        "message": "git stash takes the other agents' changes along: they were lost on 3 November. Commit to a branch of your own.",
    } } })
    .to_string()
}

fn use_the_lock_file() -> String {
    format!(
        "\
#!/bin/sh
# A hook of your own is any program: the event comes in as JSON, exit code 2 says no.
payload=$(cat)
case $payload in
*\"{FORBIDDEN}\"*)
    echo \"this project has a lock file: use uv add, so that everybody gets the same.\" >&2
    exit 2 ;;
esac
exit 0
"
    )
}

const DIARY: &str = "\
#!/bin/sh
# Runs in the background, after the agent is gone.
cat > /dev/null
echo \"a session ended in $(basename \"$CLAUDE_PROJECT_DIR\")\" >> \"$HOME/diary.txt\"
";

/// The conversation so far, in the shape that the canonical agent keeps it in.
fn transcript() -> String {
    let turns = [
        ("user", "fix the cart total"),
        ("assistant", "I will look at the sources first."),
        ("user", "mind the quantities"),
        ("assistant", "Fixed the total: it now counts quantities."),
    ];
    let mut parent = Value::Null;
    let mut text = String::new();
    for (at, (role, said)) in turns.iter().enumerate() {
        let id = format!("00000000-0000-4000-8000-{at:012}");
        let line = serde_json::json!({
            "parentUuid": parent,
            "type": role,
            "message": { "role": role, "content": [{ "type": "text", "text": said }] },
            "uuid": id,
            "timestamp": format!("2026-11-15T09:0{at}:00.000Z"),
            "sessionId": "d42fd80c-f318-4c21-8d81-95853a8e12c2",
            "cwd": "/home/dev/shop",
        });
        parent = Value::from(id);
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
