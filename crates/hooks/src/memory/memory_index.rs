//! memory-index: a file that is written in a memory folder becomes memories, part by part, in the background. Parts that
//! did not change keep their history; parts that are gone are forgotten; the time to live runs from the last edit. At a
//! session's start, what is kept elsewhere is taken in: learnings, decisions, handoffs, exports, lessons, an agent's notes.

use sprag_base::files;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::store::micros;
use sprag_guard::shell;
use sprag_memory::collect;
use sprag_memory::memories;
use sprag_memory::recall::chunks::chunks;
use sprag_memory::recall::{Draft, Error, Maker};
use sprag_protocol::tool::Access;
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::work::{Collection, MemoryFile};
use sprag_shell::EffectKind;
use sprag_store::Opening;
use std::path::Path;

settings! {
    struct MemoryIndexSettings<'a> {
        /// folders whose files are the project's memories, below its root
        folders: Texts = [".sprag/memory", "memory", "shared/memory", ".claude/memory"];
        /// folders whose files are the user's memories, in every project
        user_folders: Texts = ["~/.config/sprag/memory", "~/.claude/memory"];
        /// folders whose files are the memories of the agent that wrote them, below the project's root
        agent_folders: Texts = ["personal/memory"];
        /// folders with what an agent's program noted about a project; `{project}` is its path with dashes
        note_folders: Texts = ["~/.claude/projects/{project}/memory"];
        /// files with instructions for agents, below the project's root; they and what they import are found, not shown unasked
        instructions: Texts = ["CLAUDE.md", "AGENTS.md"];
        /// a file that is not edited for this long is forgotten; 0 never
        ttl_days: i64 = 180;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "memory-index",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "makes memories of files in memory folders, and of what is kept elsewhere",
        sees: &[
            Sees {
                kind: EventKind::PostToolUse,
                matcher: "Write|Edit|MultiEdit|NotebookEdit|apply_patch|Bash",
            },
            Sees { kind: EventKind::SessionStart, matcher: "startup|resume" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: MemoryIndexSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// Files of this size and more are no notes.
const LARGEST: u64 = 256 << 10;
const KINDS: [&str; 8] = ["md", "mdx", "txt", "rst", "org", "adoc", "yaml", "yml"];

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: MemoryIndexSettings<'_> = cx.settings.read();
    if event.kind == EventKind::SessionStart {
        let skip = event.agent_id.is_some() || cx.project.root.as_os_str().is_empty();
        let collect = || Reply::pass().with_job(collect::job(collection(cx, &settings)));
        return Ok(if skip { Reply::pass() } else { collect() });
    }
    let mut reply = Reply::pass();
    for path in written(event, cx) {
        let Some((scope, place)) = whose(&path, event, cx) else { continue };
        let key = format!("memory-index:{path}");
        let work = Work::MemoryIndex(MemoryFile {
            path,
            scope: scope.to_owned(),
            place,
            agent: event.agent.name().to_owned(),
            session: event.session_id.clone(),
            ttl_days: settings.ttl_days,
        });
        // A file that is edited again before the worker came is read once.
        reply = reply.with_job(Job::new(work).keyed(key));
    }
    Ok(reply)
}

/// What is kept elsewhere about the project: where the background looks. Nothing is opened here.
fn collection(cx: &Cx<'_>, settings: &MemoryIndexSettings<'_>) -> Collection {
    let root = &cx.project.root;
    let dashed: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = |folder: &str| {
        let folder = folder.replace("{project}", &dashed);
        cx.host.paths.home.join(folder.strip_prefix("~/").unwrap_or(&folder))
    };
    Collection {
        cwd: root.to_string_lossy().into_owned(),
        notes: settings.note_folders.iter().map(folder).collect(),
        instructions: settings.instructions.iter().map(|name| root.join(name)).collect(),
    }
}

/// The files that the call wrote, from the root. A shell command is looked at only when it names a memory folder.
fn written(event: &Event, cx: &Cx<'_>) -> Vec<String> {
    let Some(tool) = &event.tool else { return Vec::new() };
    let mut paths: Vec<String> = Vec::new();
    if tool.kind == ToolKind::Shell {
        let names_one = tool.command.as_deref().is_some_and(|command| command.contains("memory"));
        if !names_one {
            return Vec::new();
        }
        if let Some((analysis, _)) = shell::analysis(event, cx) {
            for effect in &analysis.effects {
                match &effect.kind {
                    EffectKind::Write(path, _) | EffectKind::Delete { path, .. } => {
                        paths.push(path.full.clone());
                    }
                    EffectKind::Move { from, to } => {
                        paths.push(from.full.clone());
                        paths.push(to.full.clone());
                    }
                    _ => {}
                }
            }
        }
    } else {
        let context = shell::context(event, cx);
        let changed = tool.paths.iter().filter(|used| used.access != Access::Read);
        paths.extend(changed.map(|used| shell::full(&used.path, &context)));
    }
    paths.retain(|path| {
        Path::new(path).extension().and_then(|ext| ext.to_str()).is_some_and(|ext| KINDS.contains(&ext))
    });
    paths.sort();
    paths.dedup();
    paths
}

/// Whose memories a file holds; `None` when it lies in no memory folder.
fn whose(path: &str, event: &Event, cx: &Cx<'_>) -> Option<(&'static str, String)> {
    let settings: MemoryIndexSettings<'_> = cx.settings.read();
    let path = Path::new(path);
    let below_root = |folder: &str| path.starts_with(cx.project.root.join(folder));
    let below_home = |folder: &str| {
        let rest = folder.strip_prefix("~/").unwrap_or(folder);
        path.starts_with(cx.host.paths.home.join(rest))
    };
    if settings.user_folders.iter().any(below_home) {
        return Some(("user", String::new()));
    }
    if cx.project.root.as_os_str().is_empty() {
        return None;
    }
    if settings.agent_folders.iter().any(below_root) {
        return Some(("agent", event.agent.name().to_owned()));
    }
    if settings.folders.iter().any(below_root) {
        return Some(("project", cx.project.key(&cx.host.machine())));
    }
    None
}

/// The job's handler: the file as it is now.
pub fn index(host: &Host, file: &MemoryFile) -> Result<(), JobError> {
    let path = Path::new(&file.path);
    let bytes = match files::read_whole(path, LARGEST) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(JobError::about(&file.path, error)),
    };
    remember(host, file, &bytes).map_err(|error| JobError::about(&file.path, error))
}

fn remember(host: &Host, file: &MemoryFile, bytes: &[u8]) -> Result<(), Error> {
    let now = micros(host.clock.now());
    let name = Path::new(&file.path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let draft = |part: String| Draft {
        text: part,
        kind: "file".to_owned(),
        scope: file.scope.clone(),
        place: file.place.clone(),
        tags: vec![name.clone()],
        agent: file.agent.clone(),
        session: file.session.clone(),
        origin: file.path.clone(),
        importance: 0,
        lives: (file.ttl_days > 0).then_some(file.ttl_days * 86_400_000_000),
        maker: Maker::Agent,
        project: String::new(),
        valid_from: None,
    };
    let mut library = memories::open(host, Opening::WORKER)?;
    let drafts: Vec<Draft> = chunks(&String::from_utf8_lossy(bytes)).into_iter().map(draft).collect();
    library.keep_parts(&file.path, drafts, now)?;
    library.tidy()
}
