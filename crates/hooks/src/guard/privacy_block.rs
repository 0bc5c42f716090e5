//! privacy-block: files that hold secrets are not read or sent, by whichever tool or command, through links or globs.
//! Creating, changing the mode of, and deleting one passes. Only a person can approve: `sprag approve`.

use crate::approvals;
use crate::guard::command_guard::sentence;
use crate::shell;
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::settings::{Kind, Setting, Tighten};
use sprag_protocol::{Access, Event, EventKind, ToolKind};
use sprag_shell::{Context, EffectKind, SensitiveKind, sensitive_path, sensitive_reads};
use std::path::{Path, PathBuf};

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "privacy-block",
    family: Family::Guard,
    summary: "keys, credentials, env files, histories and the like are not read or sent without a person's approval",
    sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
    presets: Presets("msxw"),
    settings: &[
        Setting::new(
            "answer",
            Kind::Choice(&["deny", "ask"]),
            "`ask` lets the user decide in the agent's own dialog",
        ),
        Setting::new(
            "allow",
            Kind::Texts(&[]),
            "globs of paths that are no secrets here, from the project's root",
        ),
        Setting::new("also", Kind::Texts(&[]), "globs of further paths that are").tighten(Tighten::Add),
    ],
    timeout_ms: 1_000,
    run,
};

/// A secret that would be shown.
struct Found {
    path: String,
    kind: SensitiveKind,
    staged: bool,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let context = shell::context(event, cx);
    let found = match tool.kind {
        ToolKind::Shell => in_command(event, cx),
        ToolKind::Glob | ToolKind::Agent | ToolKind::Fetch => Vec::new(),
        _ => in_paths(event, cx, &context),
    };
    let open = |found: &&Found| {
        !allowed(found, cx, &context) && !approvals::covers(cx.host, &full(&found.path, &context))
    };
    let Some(found) = found.iter().find(open) else { return Ok(Reply::pass()) };
    let what = if found.staged { "would put under version control" } else { "would read" };
    let reason = format!("This {what} {}: {}.", found.path, found.kind.reason.trim_end_matches('.'));
    let safer = format!(
        "If it is needed, ask the user to run `sprag approve {}` in their own terminal; do not look for another way to the content.",
        found.path
    );
    let text = sentence(&reason, &safer, Some(&format!("privacy:{}", found.kind.id)));
    Ok(if found.staged || cx.settings.text("answer") == "ask" { Reply::ask(text) } else { Reply::deny(text) })
}

/// The secrets whose content a shell command shows or sends, also through a link.
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<Found> {
    let Some((analysis, context)) = shell::analysis(event, cx) else { return Vec::new() };
    let mut found: Vec<Found> = sensitive_reads(&analysis, &context)
        .into_iter()
        .map(|read| Found { path: read.path.written.clone(), kind: read.kind, staged: read.staged })
        .collect();
    for effect in &analysis.effects {
        let EffectKind::Read(path) = &effect.kind else { continue };
        if let Some(kind) = behind_link(&path.full, &context).or_else(|| own_rule(&path.full, cx, &context)) {
            found.push(Found { path: path.written.clone(), kind, staged: false });
        }
    }
    found
}

/// The secrets that a file tool opens.
fn in_paths(event: &Event, cx: &Cx<'_>, context: &Context) -> Vec<Found> {
    let Some(tool) = &event.tool else { return Vec::new() };
    // An edit shows what stands around it; writing a whole file shows nothing.
    let opens = |access: Access| access == Access::Read || tool.kind == ToolKind::Edit;
    let mut paths: Vec<String> =
        tool.paths.iter().filter(|used| opens(used.access)).map(|used| used.path.clone()).collect();
    if tool.kind == ToolKind::Grep
        && let Some(glob) =
            event.tool_input().and_then(|input| input.get("glob")).and_then(serde_json::Value::as_str)
    {
        paths.push(glob.to_owned());
    }
    paths
        .into_iter()
        .filter_map(|path| {
            let at = full(&path, context);
            let kind = sensitive_path(&path, context)
                .or_else(|| behind_link(&at, context))
                .or_else(|| own_rule(&at, cx, context))?;
            Some(Found { path, kind, staged: false })
        })
        .collect()
}

/// A path from the root, without touching the disk.
fn full(path: &str, context: &Context) -> String {
    let path =
        path.strip_prefix("~/").map_or_else(|| path.to_owned(), |rest| format!("{}/{rest}", context.home));
    sprag_shell::normalise(&path, &context.cwd)
}

/// What a link leads to, when that is a secret.
fn behind_link(path: &str, context: &Context) -> Option<SensitiveKind> {
    let path = Path::new(path);
    // Only links cost a second look; a name that is none, or not there, is what it says.
    let is_link =
        path.ancestors().take(4).any(|part| part.symlink_metadata().is_ok_and(|meta| meta.is_symlink()));
    if !is_link {
        return None;
    }
    let target: PathBuf = path.canonicalize().ok()?;
    sensitive_path(&target.to_string_lossy(), context)
}

/// The user's own additions.
fn own_rule(path: &str, cx: &Cx<'_>, context: &Context) -> Option<SensitiveKind> {
    let also = cx.settings.texts("also");
    (!also.is_empty() && covered(&also, path, context))
        .then_some(SensitiveKind { id: "configured", reason: "it is named as private in the configuration" })
}

fn allowed(found: &Found, cx: &Cx<'_>, context: &Context) -> bool {
    let allow = cx.settings.texts("allow");
    !allow.is_empty() && covered(&allow, &full(&found.path, context), context)
}

/// True when a glob covers a path: from the project's root, from the home with `~/`, or by its name alone.
fn covered(globs: &[&str], path: &str, context: &Context) -> bool {
    let below = path.strip_prefix(context.project_root.as_str()).map(|rest| rest.trim_start_matches('/'));
    let name = path.rsplit('/').next().unwrap_or(path);
    globs.iter().any(|glob| match glob.strip_prefix("~/") {
        Some(rest) => sprag_engine::glob::matches(&format!("{}/{rest}", context.home), path),
        None if glob.starts_with('/') => sprag_engine::glob::matches(glob, path),
        None if glob.contains('/') => below.is_some_and(|below| sprag_engine::glob::matches(glob, below)),
        None => sprag_engine::glob::matches(glob, name),
    })
}
