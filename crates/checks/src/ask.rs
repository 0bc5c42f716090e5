//! The hooks' side: leaving a request, waiting for its answer when that is quick, and telling what came of earlier ones.

use super::config::mark_of;
use super::place::{BEFORE, CheckFolder, EDITS, ENDED, NEWS};
use super::{disk, run};
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::pid::Process;
use sprag_guard::shell;
use sprag_protocol::Event;
use sprag_protocol::edits;
use sprag_runtime::history;
use sprag_runtime::hook::{Cx, HookError, Note, Repeat, Reply, priority};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::queue;
use sprag_shell::may_match;
use sprag_verify::table::is_made;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What a hook wants to have checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Told when it is answered.
    pub id: String,
    /// The session.
    pub session: String,
    /// The hook, for whose patience the times are kept.
    pub hook: String,
    /// What it is about: decides which checkers count.
    pub subject: Subject,
    /// The files, whole paths. At the end of a turn the runner adds what git says.
    pub files: Vec<String>,
    /// At the end of a turn.
    #[serde(default)]
    pub stop: bool,
    /// The hook waits for the answer.
    #[serde(default)]
    pub waits: bool,
    /// The agent does what it wants without asking.
    #[serde(default)]
    pub unasked: bool,
    /// The agent's process.
    #[serde(default)]
    pub agent: Option<Process>,
    /// The variables that programs need to be found and to work.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The project's build.
    Build,
    /// Types and lints of TypeScript.
    TypeScript,
    /// Syntax and types of what was edited.
    Compile,
    /// Lints.
    Lint,
}

/// Something for a session to hear.
#[derive(Debug, Serialize, Deserialize)]
pub struct News {
    /// For the user rather than the model.
    #[serde(default)]
    pub user: bool,
    /// What it is about.
    pub key: String,
    /// The text.
    pub text: String,
}

/// Variables that a checker gets; secrets of the agent are not among them.
const VARIABLES: [&str; 40] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP",
    "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "COMSPEC", "PATHEXT", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION",
    "NVM_DIR", "VOLTA_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "CARGO_HOME", "CARGO_TARGET_DIR",
    "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOCACHE", "GOROOT", "JAVA_HOME", "GRADLE_USER_HOME",
    "DOTNET_ROOT", "NUGET_PACKAGES", "PYTHONPATH",
];

/// The files of an editing call that a checker may look at: of this project, written by people.
pub fn edited(event: &Event, cx: &Cx<'_>) -> Vec<PathBuf> {
    if cx.project.root.as_os_str().is_empty() || cx.project.root.parent().is_none() {
        return Vec::new();
    }
    let absolute = |edit: edits::FileEdit<'_>| edits::absolute(&edit.path, &cx.project.cwd);
    edits::of(event).into_iter().map(absolute).filter(|path| is_ours(&cx.project.root, path)).collect()
}

fn is_ours(root: &Path, path: &Path) -> bool {
    disk::below(root, path).is_some_and(|path| !is_made(&path))
}

/// How a hook asks.
pub struct Asking<'a> {
    /// The hook.
    pub hook: &'a str,
    /// What it is about.
    pub subject: Subject,
    /// The files.
    pub files: &'a [PathBuf],
    /// At the end of a turn.
    pub stop: bool,
    /// The longest to wait for the answer; nothing is not at all.
    pub wait: Duration,
}

/// Leaves a request. True when its answer is there.
pub fn ask(event: &Event, cx: &Cx<'_>, asking: &Asking<'_>) -> Result<bool, HookError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let place = CheckFolder::new(&cx.host.paths, &cx.project.root);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let off = cx.host.env.get("SPRAG_WORKER").as_deref() == Some("off");
    let waits = !asking.wait.is_zero() && !off;
    let request = Request {
        id: format!("{}-{}-{count}", std::process::id(), cx.host.clock.now().0),
        session: event.session_id.clone(),
        hook: asking.hook.to_owned(),
        subject: asking.subject,
        files: asking.files.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
        stop: asking.stop,
        waits,
        unasked: event.text("permission_mode") == Some("bypassPermissions"),
        agent: Process::caller(),
        env: VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), cx.host.env.get(name)?))).collect(),
    };
    if cx.session.has(ENDED) {
        cx.session.remove(ENDED)?;
    }
    let mut line = serde_json::to_string(&request)?;
    line.push('\n');
    files::append(&place.wanted(), line.as_bytes())?;
    let root = cx.project.root.to_string_lossy().into_owned();
    let (key, lane) = (root.clone(), format!("verify:{root}"));
    let job = Job::new(Work::Verify { root }).keyed(key).in_lane(lane);
    if waits && cx.host.exe.is_none() {
        // Nobody can be started: done here, and now.
        run::project(cx.host, &place)?;
    } else {
        queue::push(&cx.host.paths, &job, cx.host.clock.now())?;
        queue::wake(cx.host);
    }
    Ok(waits && answered(&place.done(&request.id), asking.wait))
}

/// Waits for the mark of an answered request.
fn answered(mark: &Path, wait: Duration) -> bool {
    const LOOK: Duration = Duration::from_millis(5);
    let end = Instant::now() + wait;
    loop {
        if mark.exists() {
            let _ = files::remove(mark);
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

/// How long the hook's checkers took last time for a file like this; `None` when nobody knows.
pub fn learned(cx: &Cx<'_>, hook: &str, file: &Path) -> Option<Duration> {
    let place = CheckFolder::new(&cx.host.paths, &cx.project.root);
    let text = files::read_text(place.learned(), files::STATE).ok()?;
    let ending = ending(file);
    text.lines().find_map(|line| {
        let mut words = line.split(' ');
        let same = words.next() == Some(hook) && words.next() == Some(ending.as_str());
        same.then(|| words.next()?.parse().ok()).flatten().map(Duration::from_millis)
    })
}

/// A file's ending, as `learned` has it.
pub fn ending(file: &Path) -> String {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    ending.chars().filter(|c| c.is_alphanumeric()).take(12).collect()
}

/// The time that a hook may wait for files like these: all of it when the checkers are known to be quick enough, or
/// when nobody knows and `unknown` says so.
pub fn patience(cx: &Cx<'_>, hook: &str, files: &[PathBuf], budget: Duration, unknown: bool) -> Duration {
    let slow = files.iter().any(|file| match learned(cx, hook, file) {
        // A little over what it took last time.
        Some(took) => took + took / 4 > budget,
        None => !unknown,
    });
    if slow { Duration::ZERO } else { budget }
}

/// What waits to be told to this session.
pub fn news(cx: &Cx<'_>) -> Reply {
    let mut reply = Reply::pass();
    if !cx.session.has(NEWS) {
        return reply;
    }
    let mut complained = false;
    for line in cx.session.take(NEWS).lines() {
        let Ok(news) = serde_json::from_str::<News>(line) else { continue };
        if news.user {
            let old = reply.message.take().map(|old| old + "\n").unwrap_or_default();
            reply.message = Some(old + &news.text);
        } else {
            complained = true;
            let key = format!("verify:{}", news.key);
            reply.notes.push(Note {
                key,
                priority: priority::WARNING,
                text: news.text,
                repeat: Repeat::Always,
            });
        }
    }
    if complained {
        note_complaint(cx);
    }
    reply
}

/// Leaves word that a check complained, so that the edit which takes the mistake back is not taken for going in circles.
pub(crate) fn note_complaint(cx: &Cx<'_>) {
    if history::EDITS.exists(cx) {
        let _ = history::EDITS.add(cx, history::COMPLAINT);
    }
}

/// Remembers which files a session edited.
pub fn remember(cx: &Cx<'_>, files: &[PathBuf]) -> Result<(), HookError> {
    let known = cx.session.read(EDITS);
    let new: Vec<String> = files
        .iter()
        .map(|file| file.to_string_lossy().into_owned())
        .filter(|file| !file.contains('\n') && !known.lines().any(|line| line == file))
        .collect();
    if !new.is_empty() && known.len() < 256 << 10 {
        cx.session.append(EDITS, &new.join("\n"))?;
    }
    Ok(())
}

/// Notes when files that the session is about to edit for the first time were last written: what an earlier session's
/// check found in them says nothing of the text that this edit starts from when that was written later.
pub fn note_before(cx: &Cx<'_>, files: &[PathBuf]) -> Result<(), HookError> {
    let known = cx.session.read(EDITS);
    for file in files {
        let name = file.to_string_lossy();
        if name.contains('\n') || known.lines().any(|line| line == name) {
            continue;
        }
        if let Some(written) = run::written(file) {
            cx.session.append(BEFORE, &format!("{written} {name}"))?;
        }
    }
    Ok(())
}

/// Programs that build, test or start a project, and with that run its code.
const RUNNERS: &[&str] = &[
    "cargo build|b|check|c|test|t|clippy|nextest|run|r|bench",
    "go build|test|vet|run|generate",
    "npm|pnpm|yarn|bun|deno install|ci|i|run|test|t|start|build|exec|lint",
    "npx|eslint|tsc|jest|vitest|vite|next|webpack|biome",
    "pytest|tox|nox|mypy",
    "python|python3 *",
    "make|just|task|ninja|rake",
    "gradle|gradlew|mvn|mvnw|sbt build|test|check|assemble|verify|package|compile|install|run",
    "dotnet|swift|zig|mix build|test|run|compile",
    "rspec|rubocop|phpunit|phpstan|bundle|composer",
];

/// Notes that the agent, with whatever consent it needed, ran this project's own code.
pub fn notice_build(event: &Event, cx: &Cx<'_>) -> Result<(), HookError> {
    let Some(line) = event.tool.as_ref().and_then(|tool| tool.command.as_deref()) else { return Ok(()) };
    if cx.project.root.as_os_str().is_empty() || !may_match(line, RUNNERS.iter().copied()) {
        return Ok(());
    }
    let place = CheckFolder::new(&cx.host.paths, &cx.project.root);
    let Some((line, _)) = shell::analysis(event, cx) else { return Ok(()) };
    let runs = line.local_commands().any(|command| RUNNERS.iter().any(|pattern| command.matches(pattern)));
    if runs && !place.allowed().exists() {
        files::write_atomic(&place.allowed(), mark_of(&place).as_bytes())?;
    }
    Ok(())
}

/// A session as the ledger knows it.
pub fn owner(session: &str) -> String {
    let mut hash = short_hash(session.as_bytes());
    hash.truncate(12);
    hash
}
