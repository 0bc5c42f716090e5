//! privacy-block: files that hold secrets are not read or sent, by whichever tool or command, through links or globs.
//! Creating, changing the mode of, and deleting one passes. Only a person can approve: `sprag approve`.

use serde_json::Value;
use sprag_base::glob;
use sprag_config::settings::Texts;
use sprag_config::{setting_choice, settings};
use sprag_guard::commit;
use sprag_guard::links;
use sprag_guard::on_disk::holds_no_secret;
use sprag_guard::shell;
use sprag_guard::values;
use sprag_protocol::{Access, Event, EventKind, PathUse, ToolCall, ToolKind};
use sprag_rules::sensitive_reads;
use sprag_runtime::approvals;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};
use sprag_sensitive::SensitiveKind;
use sprag_shell::{Analysis, Context, EffectKind, HOLE, sensitive_path};

setting_choice! {
    /// What a read of a private file is answered with.
    pub enum Answer {
        /// It is stopped.
        Deny = "deny",
        /// The user decides.
        Ask = "ask",
    }
}

settings! {
    /// What counts as a secret.
    pub struct PrivacyBlockSettings<'a> {
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
enum SecretUse {
    Reads,
    Edits,
    Moves,
    Stages,
    Commits,
}

/// A secret that would be shown.
struct ExposedSecret {
    /// As the call writes it.
    written: String,
    /// The path from the root, and where links lead from there.
    places: Vec<String>,
    kind: SensitiveKind,
    does: SecretUse,
    /// The call itself writes the file: what is on the disk says nothing about it.
    written_before: bool,
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
    // Named like a secret, and none: settings of a registry without a token, a certificate.
    let none = |found: &ExposedSecret| {
        !found.written_before && found.places.iter().all(|place| holds_no_secret(place, found.kind))
    };
    let found: Vec<ExposedSecret> = found.into_iter().filter(|found| !none(found)).collect();
    let Some(first) = found.first() else { return Ok(Reply::pass()) };
    let Some(found) = found.iter().find(|found| is_open(found, cx, &context)) else {
        // For the journal: a secret was read, and somebody had said that it may be.
        let reason = format!("{} may be read, by an approval or the configuration", first.written);
        return Ok(Reply { reason: Some(reason), ..Reply::pass() });
    };
    let what = match found.does {
        SecretUse::Reads => "would read",
        SecretUse::Edits => "would edit",
        SecretUse::Moves => "would give another name to",
        SecretUse::Stages => "would put under version control",
        SecretUse::Commits => "would commit",
    };
    let holds = if found.does == SecretUse::Commits { "it holds " } else { "" };
    let reason =
        format!("This {what} {}: {holds}{}.", found.written, found.kind.reason.trim_end_matches('.'));
    let known = found.places.first().filter(|place| !place.contains([HOLE, '*', '?']));
    // What most commands need of one is to run with it.
    let unseen =
        tool.kind == ToolKind::Shell && found.kind.id == "env-file" && found.does == SecretUse::Reads;
    let names = if unseen { "Its names alone: `cut -d= -f1 FILE`. " } else { "" };
    let unseen = if unseen { "A command may use it unseen: `set -a; . FILE; set +a; COMMAND`. " } else { "" };
    let safer = if found.does == SecretUse::Commits {
        "Read it from the environment or an ignored file instead, and stage the file again; the line of a value that is made up may \
         say `gitleaks:allow`."
            .to_owned()
    } else {
        format!(
            "{unseen}{names}Ask the user, and do not look for another way to the content. To open it for a while: `sprag approve {}`.",
            quoted(known.unwrap_or(&found.written))
        )
    };
    let asks = found.does != SecretUse::Reads || settings.answer == Answer::Ask;
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
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<ExposedSecret> {
    let Some((analysis, context)) = shell::analysis(event, cx) else { return Vec::new() };
    let mut found = of_analysis(&analysis, cx, &context);
    let committed = commit::first_secret(&analysis, &context.cwd, &cx.host.env, &cx.host.paths.home);
    found.extend(committed.map(|secret| ExposedSecret {
        written: format!("{}:{}", secret.path, secret.line),
        places: vec![secret.full],
        kind: SensitiveKind { id: "secret-in-commit", reason: secret.what },
        does: SecretUse::Commits,
        written_before: false,
    }));
    found
}

fn of_analysis(analysis: &Analysis, cx: &Cx<'_>, context: &Context) -> Vec<ExposedSecret> {
    let writes = |full: &str| {
        analysis.effects.iter().any(|effect| match &effect.kind {
            EffectKind::Write(path, _) | EffectKind::Move { to: path, .. } => path.full == full,
            _ => false,
        })
    };
    let mut found: Vec<ExposedSecret> = sensitive_reads(analysis)
        .into_iter()
        .map(|read| ExposedSecret {
            written_before: writes(&read.path.full),
            places: std::iter::once(read.path.full.clone())
                .chain(links::elsewhere(&read.path.full))
                .collect(),
            written: read.path.written,
            kind: read.kind,
            does: if read.staged { SecretUse::Stages } else { SecretUse::Reads },
        })
        .collect();
    for effect in &analysis.effects {
        let EffectKind::Read(path) = &effect.kind else { continue };
        found.extend(by_place(&path.full, &path.written, cx, context).map(|(places, kind)| ExposedSecret {
            places,
            written: path.written.clone(),
            kind,
            does: SecretUse::Reads,
            written_before: writes(&path.full),
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
fn in_paths(tool: &ToolCall, event: &Event, cx: &Cx<'_>, context: &Context) -> Vec<ExposedSecret> {
    // The names of files are no secret.
    if tool.name == "LS" {
        return Vec::new();
    }
    let input = event.tool_input();
    // An edit shows what stands around it. Writing a whole file shows nothing, and neither does a patch: whoever writes it
    // knows the lines, and the answer to it names the file alone. Under another name it would be no secret any more.
    let opens = |used: &&PathUse| match tool.kind {
        ToolKind::Edit => true,
        ToolKind::Patch => input.is_some_and(|input| moves(input, &used.path)),
        _ => used.access == Access::Read,
    };
    let mut found = Vec::new();
    let mut paths: Vec<String> = tool.paths.iter().filter(opens).map(|used| used.path.clone()).collect();
    match (tool.kind, input) {
        (ToolKind::Grep, Some(input)) => {
            let globs =
                ["glob", "include", "include_pattern"].iter().filter_map(|key| input.get(*key)?.as_str());
            paths.extend(globs.flat_map(alternatives));
        }
        (ToolKind::Fetch, Some(input)) => {
            let file = input.get("url").and_then(Value::as_str).filter(|url| url.starts_with("file://"));
            paths.extend(file.map(str::to_owned));
        }
        (ToolKind::Mcp | ToolKind::Other, Some(input)) => {
            let values = values::of(tool, input);
            if !writes(tool) {
                paths.extend(values.paths);
            }
            for command in &values.commands {
                found.extend(of_analysis(&cx.shell.analyse(command, context), cx, context));
            }
        }
        _ => {}
    }
    let does = match tool.kind {
        ToolKind::Edit => SecretUse::Edits,
        ToolKind::Patch => SecretUse::Moves,
        _ => SecretUse::Reads,
    };
    found.extend(paths.into_iter().filter_map(|path| {
        let full = shell::full(path.strip_prefix("file://").unwrap_or(&path), context);
        let (places, kind) = match sensitive_path(&path, context) {
            Some(kind) => (std::iter::once(full.clone()).chain(links::elsewhere(&full)).collect(), kind),
            None => by_place(&full, &path, cx, context)?,
        };
        Some(ExposedSecret { written: path, places, kind, does, written_before: false })
    }));
    found
}

/// A patch that renames a file.
fn moves(input: &Value, path: &str) -> bool {
    let patch = ["command", "input"].iter().find_map(|key| input.get(*key)?.as_str()).unwrap_or_default();
    let lines: Vec<&str> = patch.lines().collect();
    lines.windows(2).any(|pair| match pair {
        [file, to] => {
            let named = file.strip_prefix("*** Update File: ").is_some_and(|name| name.trim() == path);
            named && to.starts_with("*** Move to: ")
        }
        _ => false,
    })
}

fn writes(tool: &ToolCall) -> bool {
    tool.paths.iter().any(|used| used.access != Access::Read)
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
fn is_open(found: &ExposedSecret, cx: &Cx<'_>, context: &Context) -> bool {
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
