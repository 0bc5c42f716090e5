//! session-taint: later calls are judged by what the session did before. A secret that was given another name stays one; a
//! script that the session wrote is judged by its content when it runs; after a page or an issue was read, a change of the
//! continuous integration is asked about; what the session made (a database, a container, a branch) it may take away again.

use sprag_config::settings;
use sprag_guard::on_disk::{file_key, is_env_file};
use sprag_guard::scripts::{self, may_be_script};
use sprag_guard::session_record::{Entry, SessionRecord};
use sprag_guard::{links, shell};
use sprag_protocol::outcome::{CallEnd, shell_end};
use sprag_protocol::{Access, Event, EventKind, ToolCall, ToolKind};
use sprag_rules::{GuardConfig, is_workflow, made, may_have_been_there, may_make};
use sprag_runtime::approvals;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};
use sprag_shell::{Analysis, Context, EffectKind, HOLE, WriteHow};
use std::path::Path;

settings! {
    struct SessionTaintSettings {
        /// ask before a change of the continuous integration once the session has read text from outside
        workflows: bool = true, tighten ToTrue;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-taint",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "a secret that was renamed stays one, a script that the session wrote is judged by its content, a page that was read makes changes of the continuous integration a question",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "Bash" },
        ],
        presets: Presets::ALL,
        settings: SessionTaintSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    if event.kind == EventKind::PostToolUse {
        keep_made(event, cx);
        return Ok(Reply::pass());
    }
    let mut record = SessionRecord::of(event, cx);
    let reply = match tool.kind {
        ToolKind::Shell => in_command(event, cx, &mut record),
        ToolKind::Fetch => {
            record.add(cx.session, Entry::Untrusted);
            None
        }
        ToolKind::Glob | ToolKind::Agent => None,
        _ => in_paths(tool, event, cx, &mut record),
    };
    Ok(reply.unwrap_or_else(Reply::pass))
}

fn in_command(event: &Event, cx: &Cx<'_>, record: &mut SessionRecord) -> Option<Reply> {
    let (analysis, context) = shell::analysis(event, cx)?;
    let read = analysis.effects.iter().find_map(|effect| match &effect.kind {
        EffectKind::Read(path) | EffectKind::Stage(path) => renamed(&path.full, record, cx).then_some(path),
        _ => None,
    });
    if let Some(path) = read {
        return Some(is_secret(&path.written));
    }
    let untrusted = record.is_untrusted();
    let changes = written(&analysis).find(|(path, _)| is_workflow(path)).map(|(path, _)| path.to_owned());
    let note = judge_scripts(&analysis, &context, record);
    if !cx.recheck {
        keep(&analysis, record, cx);
    }
    changes.and_then(|path| asks_about_workflow(&path, untrusted, cx)).or(note)
}

/// The paths that a command writes with content.
fn written(analysis: &Analysis) -> impl Iterator<Item = (&str, WriteHow)> {
    analysis.effects.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Write(path, how) if *how != WriteHow::Create => Some((path.full.as_str(), *how)),
        EffectKind::Move { to, .. } => Some((to.full.as_str(), WriteHow::Overwrite)),
        _ => None,
    })
}

/// Records what the command leaves behind.
fn keep(analysis: &Analysis, record: &mut SessionRecord, cx: &Cx<'_>) {
    const MAX_PATHS: usize = 32;
    for (path, how) in written(analysis).filter(|(path, _)| !path.contains(HOLE)).take(MAX_PATHS) {
        if how == WriteHow::Overwrite && !analysis.secret_copies.iter().any(|copy| copy == path) {
            record.add(cx.session, Entry::Clean(path));
        }
        if may_be_script(path) {
            record.add(cx.session, Entry::Wrote(path));
        }
        keep_file(path, record, cx);
    }
    for path in analysis.secret_copies.iter().take(MAX_PATHS) {
        record.add(cx.session, Entry::Secret(path));
    }
    if takes_in(analysis) {
        record.add(cx.session, Entry::Untrusted);
    }
}

/// Records what a command made, once it worked. What was there before, as far as the command says, is not recorded.
fn keep_made(event: &Event, cx: &Cx<'_>) {
    const MAX_THINGS: usize = 32;
    let line = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
    if !may_make(line) {
        return;
    }
    let Some((end, output)) = shell_end(event) else { return };
    let was_there = ["already", "exists"].iter().any(|word| output.contains(word));
    if end == CallEnd::Failed {
        return;
    }
    let Some((analysis, context)) = shell::analysis(event, cx) else { return };
    let mut things = made(&analysis, &context.cwd);
    things.retain(|thing| !was_there || may_have_been_there(thing));
    if things.is_empty() {
        return;
    }
    let mut record = SessionRecord::of(event, cx);
    for thing in things.iter().take(MAX_THINGS) {
        record.add(cx.session, Entry::Made(thing));
    }
}

/// An environment file that is not there yet is the session's own.
fn keep_file(path: &str, record: &mut SessionRecord, cx: &Cx<'_>) {
    if is_env_file(path) && !Path::new(path).exists() {
        record.add(cx.session, Entry::Made(&file_key(path)));
    }
}

/// Whether the command shows text that a stranger may have written: a page, an issue, a pull request.
fn takes_in(analysis: &Analysis) -> bool {
    let fetched = analysis.effects.iter().any(|effect| {
        matches!(&effect.kind, EffectKind::Fetch { from } if !from.contains("localhost") && !from.contains("127.0.0.1"))
    });
    // An archive that is unpacked is not read.
    let unpacked = analysis.commands.iter().any(|cmd| {
        matches!(cmd.name.as_str(), "tar" | "bsdtar" | "unzip" | "gunzip" | "gzip" | "unxz" | "zstd" | "cpio")
    });
    fetched && !unpacked
        || analysis.commands.iter().any(|cmd| {
            let mut words =
                cmd.args.iter().map(|arg| arg.text.as_str()).filter(|word| !word.starts_with('-'));
            let pair = (words.next(), words.next());
            matches!(cmd.name.as_str(), "gh" | "glab")
                && matches!(
                    pair,
                    (Some("issue" | "pr" | "mr" | "gist" | "discussion"), Some("view" | "list" | "diff"))
                )
        })
}

/// What is asked about when a script of this session would be denied as a command.
const SCRIPT: &str = "remote-execution:written-script";

/// A script that this session wrote, judged by what is in it: what a command would be denied for is asked about, the rest is
/// for the journal. The preset `strict` asks about both.
fn judge_scripts(analysis: &Analysis, context: &Context, record: &SessionRecord) -> Option<Reply> {
    if record.is_empty() {
        return None;
    }
    let own = scripts::run_by(analysis, context).into_iter().find(|script| record.wrote(&script.path))?;
    let found = own.stopped(context, &GuardConfig::default())?;
    let (rule, what) = (found.rule, &found.what);
    let reason = format!("{} was written in this session and would be stopped by {rule} ({what})", own.path);
    if found.denied {
        let reply = Reply::ask(format!("{reason}."));
        return Some(
            reply.rule(SCRIPT).instead("Leave that part out of the script.").about(own.path.as_str()),
        );
    }
    Some(Reply { reason: Some(reason), ..Reply::pass() })
}

fn in_paths(tool: &ToolCall, event: &Event, cx: &Cx<'_>, record: &mut SessionRecord) -> Option<Reply> {
    let context = shell::context(event, cx);
    let untrusted = record.is_untrusted();
    let mut reply = None;
    for used in &tool.paths {
        let full = shell::full(&used.path, &context);
        if used.access == Access::Read || tool.kind == ToolKind::Edit {
            if renamed(&full, record, cx) {
                return Some(is_secret(&used.path));
            }
        } else if !cx.recheck && tool.kind == ToolKind::Write {
            record.add(cx.session, Entry::Clean(&full));
            keep_file(&full, record, cx);
        }
        if used.access != Access::Read {
            if !cx.recheck && may_be_script(&full) {
                record.add(cx.session, Entry::Wrote(&full));
            }
            if is_workflow(&full) {
                reply = reply.or_else(|| asks_about_workflow(&used.path, untrusted, cx));
            }
        }
    }
    if tool.kind == ToolKind::Mcp && brings_text(&tool.name) {
        record.add(cx.session, Entry::Untrusted);
    }
    reply
}

/// Whether a tool of a server brings text from outside, by its name.
fn brings_text(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "fetch", "browser", "navigate", "browse", "scrape", "crawl", "web", "page", "issue", "pull_request",
        "comment", "mail", "message", "thread",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// A file that holds a secret since this session put it there, by its own name or through a link.
fn renamed(full: &str, record: &SessionRecord, cx: &Cx<'_>) -> bool {
    if record.is_empty() {
        return false;
    }
    let hit = record.is_secret(full) || links::elsewhere(full).is_some_and(|real| record.is_secret(&real));
    hit && !approvals::cover(&approvals::valid(cx.host), full)
}

fn is_secret(written: &str) -> Reply {
    Reply::deny(format!(
        "This would read {written}, which holds a secret: this session moved or copied it there."
    ))
    .rule("privacy:renamed")
    .instead("Ask the user, and do not look for another way to the content.")
    .about(written)
}

fn asks_about_workflow(path: &str, untrusted: bool, cx: &Cx<'_>) -> Option<Reply> {
    let settings: SessionTaintSettings = cx.settings.read();
    (untrusted && settings.workflows).then(|| {
        Reply::ask(format!(
            "This changes {path}, which runs later with the repository's secrets, and this session has read text from outside that may have asked for it."
        ))
        .rule("persistence:workflow")
        .instead("Show the user the change.")
        .about(path)
    })
}
