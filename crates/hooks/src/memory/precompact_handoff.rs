//! precompact-handoff: opt-in. Before a conversation is compacted, a handoff is written (by the model that is
//! configured, else put together), compaction is blocked once, and the next session is given the handoff.

use sprag_base::files;
use sprag_base::id::{safe_name, short_hash};
use sprag_base::process::{self, Spec};
use sprag_config::settings;
use sprag_lessons::handoff::{self, Conversation};
use sprag_lessons::library;
use sprag_lessons::model::first_line;
use sprag_llm::{Backend, Llm};
use sprag_project::git;
use sprag_protocol::{AgentId, Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

settings! {
    struct PrecompactHandoffSettings {
        /// write handoffs; LESSONS_PRECOMPACT_HANDOFF=1 does the same
        handoff: bool = false;
        /// block the compaction once, so that the handoff can be used instead
        block: bool = true;
        /// the longest that the model may take
        timeout_s: u64 = 45, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "precompact-handoff",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "opt-in: writes a handoff before a compaction, blocks that once, and gives the handoff to the next session",
        sees: &[
            Sees { kind: EventKind::PreCompact, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: PrecompactHandoffSettings::SETTINGS,
        timeout_ms: 55_000,
    },
    run,
};

/// The longest that a look at the project may take.
const LOOK: Duration = Duration::from_secs(3);
/// A handoff is offered for so long.
const FRESH: Duration = Duration::from_secs(48 * 3_600);
/// That compaction was blocked already.
const BLOCKED: &str = "handoff-blocked";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::SessionStart => Ok(offer(event, cx)),
        _ => before_compaction(event, cx),
    }
}

fn before_compaction(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PrecompactHandoffSettings = cx.settings.read();
    let env = &cx.host.env;
    let only = env.is_on("LESSONS_HANDOFF_ONLY");
    let wanted = only
        || env.is_on("LESSONS_PRECOMPACT_HANDOFF")
        || (settings.handoff && env.set("LESSONS_PRECOMPACT_HANDOFF").is_none());
    let Some(path) = event.transcript_path.as_deref().filter(|_| wanted) else { return Ok(Reply::pass()) };
    let conversation = Conversation::read(Path::new(path)).unwrap_or_default();
    if conversation.said.is_empty() {
        // Nothing is lost by compacting nothing.
        return Ok(Reply::pass());
    }
    if cx.session.has(BLOCKED) {
        // It was blocked once, and is asked for again: the conversation has to go on.
        cx.session.remove(BLOCKED)?;
        return Ok(Reply::pass());
    }
    let text = written(cx, &conversation);
    let kept = keep(event, cx, &text)?;
    let shown = cx.host.paths.tilde(&kept);
    let about = format!(
        "[lessons-learned] Pre-Compact Handoff: about {}k tokens of conversation, written to {shown}.",
        (conversation.tokens / 1_000).max(1)
    );
    if only || !settings.block {
        return Ok(Reply::pass().with_message(about));
    }
    cx.session.write(BLOCKED, &shown)?;
    let reason = format!(
        "{about}\nCompaction is blocked once: start a new session (it is given this handoff), or ask for the \
         compaction again.\n\n{}",
        handoff::fenced(&text)
    );
    Ok(Reply::block(reason).with_message(about))
}

/// The handoff: by the model, else put together.
fn written(cx: &Cx<'_>, conversation: &Conversation) -> String {
    let settings: PrecompactHandoffSettings = cx.settings.read();
    let mut llm = Llm::read(cx.host);
    if let Some(program) = cx.host.env.get("LESSONS_CLAUDE_BIN") {
        llm.backend = Backend::Program(AgentId::CANONICAL);
        llm.command = vec![program];
    }
    llm.timeout = llm.timeout.min(Duration::from_secs(settings.timeout_s.clamp(1, 50)));
    if !llm.is_off()
        && let Ok(answer) = llm.ask(cx.host, &handoff::prompt(conversation))
    {
        return handoff::cut(&answer);
    }
    let look = |argv: &[&str]| look(cx, argv);
    let git = |args: &[&str]| {
        first_lines(&git::run(&cx.project.root, &cx.host.env, LOOK, args).unwrap_or_default())
    };
    handoff::extracted(
        conversation,
        &git(&["log", "--oneline", "-10"]),
        &git(&["status", "--short"]),
        &look(&["bd", "list", "--status=in_progress"]),
    )
}

/// What a program of the project says; nothing when it is not there or fails.
fn look(cx: &Cx<'_>, argv: &[&str]) -> String {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let spec = Spec {
        argv: &argv,
        stdin: b"",
        cwd: &cx.project.root,
        inherit: &cx.host.env,
        env: &[],
        timeout: LOOK,
    };
    let text = process::run(&spec).ok().filter(|finished| finished.code == 0).map(|finished| finished.stdout);
    first_lines(&text.unwrap_or_default())
}

fn first_lines(text: &str) -> String {
    text.lines().take(40).collect::<Vec<_>>().join("\n")
}

/// The file that tells the next session of a project.
fn pending(cx: &Cx<'_>) -> PathBuf {
    let project = short_hash(cx.project.root.as_os_str().as_encoded_bytes());
    library::folder(&cx.host.paths).join("handoffs").join(project)
}

fn keep(event: &Event, cx: &Cx<'_>, text: &str) -> std::io::Result<PathBuf> {
    let (year, month, day, hour, minute, _) = cx.host.clock.now().civil();
    let name =
        format!("{year:04}-{month:02}-{day:02}-{hour:02}{minute:02}-{}.md", safe_name(&event.session_id));
    let path = cx.host.paths.data.join("handoffs").join(name);
    files::write_durable(&path, text.as_bytes())?;
    files::write_atomic(&pending(cx), path.as_os_str().as_encoded_bytes())?;
    Ok(path)
}

/// Gives a waiting handoff to the session that starts; of two that start at once, one gets it.
fn offer(event: &Event, cx: &Cx<'_>) -> Reply {
    let mark = pending(cx);
    if event.session_source() == "resume" || !mark.exists() {
        return Reply::pass();
    }
    let Ok(path) = files::take_text(&mark) else { return Reply::pass() };
    let path = Path::new(path.trim());
    let age = path.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
    let text =
        files::read_limited(path, 64 << 10).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
    match text.filter(|_| age.is_some_and(|age| age < FRESH)) {
        Some(text) => {
            let shown = cx.host.paths.tilde(path);
            let note = format!(
                "## Handoff of the session before\n\nWritten before its compaction, kept in {shown}:\n\n{text}"
            );
            Reply::note("precompact-handoff", priority::FACTS, note).with_message(format!(
                "sprag: this session was given the handoff in {shown} ({})",
                first_line(&text, 60)
            ))
        }
        None => Reply::pass(),
    }
}
