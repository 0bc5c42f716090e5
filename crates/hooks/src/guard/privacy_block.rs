//! privacy-block: files that hold secrets are not read or sent, by whichever tool or command, through links or globs.
//! Creating, changing the mode of, and deleting one passes. Only a person can approve: `sprag approve`.

use serde_json::Value;
use sprag_base::glob;
use sprag_config::settings::Texts;
use sprag_config::{setting_choice, settings};
use sprag_guard::links;
use sprag_guard::shell;
use sprag_protocol::{Access, Event, EventKind, PathUse, ToolCall, ToolKind};
use sprag_runtime::approvals;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};
use sprag_shell::{Context, EffectKind, HOLE, SensitiveKind, sensitive_path, sensitive_reads};

setting_choice! {
    /// What a read of a private file is answered with.
    enum Answer {
        Deny = "deny",
        Ask = "ask",
    }
}

settings! {
    struct PrivacyBlockSettings<'a> {
        /// `ask` lets the user decide in the agent's own dialog
        answer: Answer;
        /// globs of paths that are not secrets here, from the project's root
        allow: Texts;
        /// globs of further paths that are
        also: Texts, tighten Add;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "privacy-block",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "keys, credentials, env files, histories and the like are not read or sent without a person's approval",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::ALL,
        settings: PrivacyBlockSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// What would happen to a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Reads,
    Edits,
    Stages,
}

/// A secret that would be shown.
struct Found {
    /// As the call writes it.
    written: String,
    /// The path from the root, and where links lead from there.
    places: Vec<String>,
    kind: SensitiveKind,
    does: Does,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PrivacyBlockSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let context = shell::context(event, cx);
    let found = match tool.kind {
        ToolKind::Shell => in_command(event, cx),
        ToolKind::Glob | ToolKind::Agent => Vec::new(),
        _ => in_paths(tool, event, cx, &context),
    };
    let Some(first) = found.first() else { return Ok(Reply::pass()) };
    let Some(found) = found.iter().find(|found| is_open(found, cx, &context)) else {
        // For the journal: a secret was read, and somebody had said that it may be.
        let reason = format!("{} may be read, by an approval or the configuration", first.written);
        return Ok(Reply { reason: Some(reason), ..Reply::pass() });
    };
    let what = match found.does {
        Does::Reads => "would read",
        Does::Edits => "would edit",
        Does::Stages => "would put under version control",
    };
    let reason = format!("This {what} {}: {}.", found.written, found.kind.reason.trim_end_matches('.'));
    let known = found.places.first().filter(|place| !place.contains([HOLE, '*', '?']));
    // What most commands need of one is to run with it.
    let unseen = tool.kind == ToolKind::Shell && found.kind.id == "env-file" && found.does == Does::Reads;
    let unseen = if unseen { "A command may use it unseen: `set -a; . FILE; set +a; COMMAND`. " } else { "" };
    let safer = format!(
        "{unseen}Ask the user, and do not look for another way to the content. To open it for a while: `sprag approve {}`.",
        quoted(known.unwrap_or(&found.written))
    );
    let asks = found.does != Does::Reads || settings.answer == Answer::Ask;
    let reply = if asks { Reply::ask(reason) } else { Reply::deny(reason) };
    let matched = known.unwrap_or(&found.written).as_str();
    Ok(reply.rule(format!("privacy:{}", found.kind.id)).instead(safer).about(matched))
}

/// A path as one word of a command.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-~+@%,:=".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The secrets whose content a shell command shows or sends, also through a link.
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<Found> {
    let Some((analysis, context)) = shell::analysis(event, cx) else { return Vec::new() };
    let mut found: Vec<Found> = sensitive_reads(&analysis, &context)
        .into_iter()
        .map(|read| Found {
            places: std::iter::once(read.path.full.clone())
                .chain(links::elsewhere(&read.path.full))
                .collect(),
            written: read.path.written,
            kind: read.kind,
            does: if read.staged { Does::Stages } else { Does::Reads },
        })
        .collect();
    for effect in &analysis.effects {
        let EffectKind::Read(path) = &effect.kind else { continue };
        found.extend(by_place(&path.full, &path.written, cx, &context).map(|(places, kind)| Found {
            places,
            written: path.written.clone(),
            kind,
            does: Does::Reads,
        }));
    }
    found
}

/// A path that is no secret by its name, but is one behind a link or by the configuration.
fn by_place(
    full: &str,
    written: &str,
    cx: &Cx<'_>,
    context: &Context,
) -> Option<(Vec<String>, SensitiveKind)> {
    let elsewhere = links::elsewhere(full).or_else(|| shell::through_links(written, context));
    let kind = elsewhere
        .as_deref()
        .and_then(|real| sensitive_path(real, context))
        .or_else(|| own_rule(full, cx, context))
        .or_else(|| elsewhere.as_deref().and_then(|real| own_rule(real, cx, context)))?;
    Some((std::iter::once(full.to_owned()).chain(elsewhere).collect(), kind))
}

/// The secrets that a file tool opens.
fn in_paths(tool: &ToolCall, event: &Event, cx: &Cx<'_>, context: &Context) -> Vec<Found> {
    // The names of files are no secret.
    if tool.name == "LS" {
        return Vec::new();
    }
    let input = event.tool_input();
    // An edit shows what stands around it; writing a whole file shows nothing.
    let opens = |used: &&PathUse| match tool.kind {
        ToolKind::Edit => true,
        ToolKind::Patch => input.is_some_and(|input| updates(input, &used.path)),
        _ => used.access == Access::Read,
    };
    let mut paths: Vec<String> = tool.paths.iter().filter(opens).map(|used| used.path.clone()).collect();
    match (tool.kind, input) {
        (ToolKind::Grep, Some(input)) => {
            let glob = input.get("glob").and_then(Value::as_str).unwrap_or_default();
            paths.extend(alternatives(glob));
        }
        (ToolKind::Fetch, Some(input)) => {
            let file = input.get("url").and_then(Value::as_str).filter(|url| url.starts_with("file://"));
            paths.extend(file.map(str::to_owned));
        }
        (ToolKind::Mcp | ToolKind::Other, Some(input)) if !writes(tool) => further(input, 0, &mut paths),
        _ => {}
    }
    let edits = matches!(tool.kind, ToolKind::Edit | ToolKind::Patch);
    let does = if edits { Does::Edits } else { Does::Reads };
    paths
        .into_iter()
        .filter_map(|path| {
            let full = shell::full(path.strip_prefix("file://").unwrap_or(&path), context);
            let (places, kind) = match sensitive_path(&path, context) {
                Some(kind) => (std::iter::once(full.clone()).chain(links::elsewhere(&full)).collect(), kind),
                None => by_place(&full, &path, cx, context)?,
            };
            Some(Found { written: path, places, kind, does })
        })
        .collect()
}

/// A patch that changes a part of a file, and does not make or delete it.
fn updates(input: &Value, path: &str) -> bool {
    let patch = ["command", "input"].iter().find_map(|key| input.get(*key)?.as_str()).unwrap_or_default();
    patch.lines().filter_map(|line| line.strip_prefix("*** Update File: ")).any(|name| name.trim() == path)
}

fn writes(tool: &ToolCall) -> bool {
    tool.paths.iter().any(|used| used.access != Access::Read)
}

/// Paths under names that only their tool knows: `filename`, `inputFile`, `target_path`, also in lists.
fn further(value: &Value, depth: usize, paths: &mut Vec<String>) {
    const DEPTH: usize = 3;
    const MOST: usize = 64;
    let Some(object) = value.as_object().filter(|_| depth < DEPTH) else { return };
    for (key, value) in object {
        let key = key.to_ascii_lowercase();
        let names_a_file = ["file", "path", "uri", "url"].iter().any(|word| key.contains(word));
        match value {
            // An address on the network is not on this disk.
            Value::String(text)
                if names_a_file
                    && text.len() < 4096
                    && paths.len() < MOST
                    && (!text.contains("://") || text.starts_with("file://")) =>
            {
                paths.push(text.clone());
            }
            Value::Array(items) => {
                for item in items.iter().take(MOST) {
                    match item {
                        Value::String(text) if names_a_file && paths.len() < MOST => paths.push(text.clone()),
                        other => further(other, depth + 1, paths),
                    }
                }
            }
            Value::Object(_) => further(value, depth + 1, paths),
            _ => {}
        }
    }
}

/// What the braces of a search's file filter stand for: `*.{ts,env}`. What is left out by `!` is not read.
fn alternatives(glob: &str) -> Vec<String> {
    if glob.is_empty() || glob.starts_with('!') {
        return Vec::new();
    }
    let Some((before, rest)) = glob.split_once('{') else { return vec![glob.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![glob.to_owned()] };
    inside.split(',').take(64).map(|part| format!("{before}{part}{after}")).collect()
}

/// The user's own additions.
fn own_rule(path: &str, cx: &Cx<'_>, context: &Context) -> Option<SensitiveKind> {
    let settings: PrivacyBlockSettings<'_> = cx.settings.read();
    (!settings.also.is_empty() && covered(settings.also, path, context))
        .then_some(SensitiveKind { id: "configured", reason: "it is named as private in the configuration" })
}

/// True unless the configuration or a person lets every place through that the path leads to: an approval of a name
/// must not be one of whatever a link of that name points to later.
fn is_open(found: &Found, cx: &Cx<'_>, context: &Context) -> bool {
    let settings: PrivacyBlockSettings<'_> = cx.settings.read();
    let approved = approvals::valid(cx.host);
    found.places.iter().any(|place| {
        let allowed = !settings.allow.is_empty() && covered(settings.allow, place, context);
        !allowed && !approvals::cover(&approved, place)
    })
}

/// True when a glob covers a path: from the project's root, from the home with `~/`, or by its name alone.
fn covered(globs: Texts<'_>, path: &str, context: &Context) -> bool {
    let root = links::elsewhere(&context.project_root);
    let roots = [Some(context.project_root.as_str()), root.as_deref()];
    let below = roots.into_iter().flatten().find_map(|root| {
        path.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'))
    });
    let name = path.rsplit('/').next().unwrap_or(path);
    globs.iter().any(|pattern| match pattern.strip_prefix("~/") {
        Some(rest) => glob::matches(&format!("{}/{rest}", context.home), path),
        None if pattern.starts_with('/') => glob::matches(pattern, path),
        None if pattern.contains('/') => below.is_some_and(|below| glob::matches(pattern, below)),
        None => glob::matches(pattern, name),
    })
}
