//! command-guard: shell commands that lose data, send it away or hand the machine over, by what they would do.
//! The parse and the effects are in `sprag-shell`, the rules in `sprag-rules`. Self-protection covers the file tools too.

use sprag_base::files::read_limited;
use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_guard::agent_settings::guard_changes;
use sprag_guard::auto_run;
use sprag_guard::cluster;
use sprag_guard::loss;
use sprag_guard::manifest;
use sprag_guard::on_disk;
use sprag_guard::protected;
use sprag_guard::session_record::SessionRecord;
use sprag_guard::shell;
use sprag_guard::tool_names;
use sprag_guard::values;
use sprag_protocol::edits::{self, FileEdit};
use sprag_protocol::patch;
use sprag_protocol::{Access, Decision, Event, EventKind, PathUse, ToolCall, ToolKind};
use sprag_rules::protect::{HOOKS, switch_in_file};
use sprag_rules::{
    AUTO_RUN, Allow, AllowEntry, ENV_FILE_LOST, ENVIRONMENT_SHOWN, GuardConfig, Judgement, Rule,
    SECRET_IN_TOOL, SECRET_IN_URL, TOOL_DESTROYS, Verdict, leaves_machine, may_be_own,
};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::message::grounds;
use sprag_scan::scrub;
use sprag_shell::{Analysis, Context, EffectKind, HOLE, PathRef, PathZone, WriteHow};
use std::path::Path;

/// The hook. It sees every tool: one that is not known may write files too.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "command-guard",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "stops shell commands that destroy, publish or leak, found by parsing the shell and not by words",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PermissionRequest, matcher: "" },
        ],
        presets: Presets::ALL,
        settings: CommandGuardSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

settings! {
    /// An exception: a command or a rule that is not stopped.
    pub struct AllowTable<'a> {
        /// the whole command
        exact: Option<Text>;
        /// the words that the command starts with
        prefix: Option<Text>;
        /// the rule
        rule: Option<Text>;
        /// the root of the project in which it holds; without one it holds everywhere
        project: Option<Text>;
        /// why
        reason: Text;
        /// until when (2026-12-31)
        expires: Option<Text>;
    }
}

settings! {
    /// Settings of command-guard; `sprag guard` reads them too.
    pub struct CommandGuardSettings<'a> {
        /// packs of rules that are off (`sprag guard rules` lists them)
        disabled_packs: Texts;
        /// rules that are off, by id
        disabled_rules: Texts;
        /// exceptions: a whole command, the words it starts with, or a rule; why; until when (2026-12-31)
        allow: Tables<AllowTable>;
        /// what would be asked about is denied
        strict: bool = false, tighten ToTrue;
    }
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let (verdict, found) = match tool.kind {
        ToolKind::Shell => in_command(event, cx),
        ToolKind::Write
        | ToolKind::Edit
        | ToolKind::Patch
        | ToolKind::Mcp
        | ToolKind::Other
        | ToolKind::Fetch => in_tool(tool, event, cx),
        ToolKind::Read | ToolKind::Grep | ToolKind::Glob | ToolKind::Agent => None,
    }
    .unwrap_or_default();
    Ok(match verdict {
        Verdict::Allow => Reply::pass(),
        Verdict::Warn => {
            let rule = found.grounds.rule.as_deref().unwrap_or_default();
            Reply::warn(
                "command-guard",
                format!("sprag warns ({rule}): {}", grounds(&found).unwrap_or_default()),
            )
        }
        Verdict::Deny => found,
        Verdict::Ask if cx.settings.read::<CommandGuardSettings<'_>>().strict => found,
        Verdict::Ask if cx.preset == Preset::Strict && is_denied_in_strict(&found) => found,
        // The agent is about to ask the user anyway.
        Verdict::Ask if event.kind == EventKind::PermissionRequest => Reply::pass(),
        Verdict::Ask => Reply { decision: Decision::Ask, ..found },
    })
}

/// Rules that ask, and deny in the preset strict.
const DENIED_IN_STRICT: [&str; 8] = [
    "git:reset-hard", "git:lease-push-protected", "git:force-push", "git:clean", "persistence:shell-startup",
    "secrets:shown", "self-protection:agent-hooks", "exfiltration:secret-in-url",
];

fn is_denied_in_strict(found: &Reply) -> bool {
    found.grounds.rule.as_deref().is_some_and(|rule| DENIED_IN_STRICT.contains(&rule))
}

/// The verdict on a shell command, by what it would do.
fn in_command(event: &Event, cx: &Cx<'_>) -> Option<(Verdict, Reply)> {
    let (analysis, context) = shell::analysis(event, cx)?;
    let config = config(cx);
    let found = of_command(&analysis, &context, &config, cx);
    found.into_iter().chain(in_patch(&analysis, &context, &config, cx)).max_by_key(|(verdict, _)| *verdict)
}

fn of_command(
    analysis: &Analysis,
    context: &Context,
    config: &GuardConfig,
    cx: &Cx<'_>,
) -> Option<(Verdict, Reply)> {
    let mut judged = sprag_rules::judge(analysis, context, config);
    let mut off: Vec<&str> = Vec::new();
    if judged.rule == Some(DISCARD) && chooses_a_side(analysis, cx) {
        off.push(DISCARD);
    }
    off.extend(manifest::rules_that_do_not_hold(&judged, &cx.project.root));
    off.extend(harmless(&judged, analysis, cx));
    if cx.preset != Preset::Strict {
        off.extend(cluster::rules_that_do_not_hold(&judged, analysis, &cx.host.env, &cx.host.paths.home));
    }
    let made = own(&judged, cx);
    if !off.is_empty() || !made.is_empty() {
        let mut config = GuardConfig { made, ..config.clone() };
        config.disabled_rules.extend(off.into_iter().map(str::to_owned));
        judged = sprag_rules::judge(analysis, context, &config);
    }
    if judged.verdict < Verdict::Deny
        && let Some((rule, path)) = own_files(analysis, cx, context)
        && rule.verdict > judged.verdict
    {
        return Some((rule.verdict, by_rule(rule, path)));
    }
    if !judged.stops()
        && let Some((rule, what)) = on_disk(analysis, config, cx)
    {
        return Some((rule.verdict, by_rule(rule, &what)));
    }
    let hit = judged.all_hits.first()?;
    let mut reply = by_rule(hit.rule, &hit.what);
    if judged.stops() {
        reply.grounds.loss = loss::sentence(analysis, hit.cmd, &cx.host.env, &cx.host.paths.home);
    }
    Some((judged.verdict, reply))
}

/// A patch that a shell command applies: its files are judged like those of a file tool.
fn in_patch(
    analysis: &Analysis,
    context: &Context,
    config: &GuardConfig,
    cx: &Cx<'_>,
) -> Option<(Verdict, Reply)> {
    let applies = |cmd: &&sprag_shell::Cmd| matches!(cmd.name.as_str(), "apply_patch" | "applypatch");
    let cmd = analysis.commands.iter().find(applies)?;
    let context = Context { cwd: cmd.dir.clone().unwrap_or_else(|| context.cwd.clone()), ..context.clone() };
    // Inside of `$'…'` the lines are written with escapes.
    let paths = patch::paths(&analysis.line.replace("\\n", "\n"));
    let kept = paths.iter().find_map(|used| {
        let rule = protected::rule(&shell::full(&used.path, &context), cx, &context)?;
        Some((rule.verdict, by_rule(rule, &used.path)))
    });
    kept.into_iter()
        .chain(by_files("apply_patch", &paths, &context, config, cx))
        .max_by_key(|(verdict, _)| *verdict)
}

/// The verdict on a tool that is no shell: by the files that it changes, and by what its values would run and reach.
fn in_tool(tool: &ToolCall, event: &Event, cx: &Cx<'_>) -> Option<(Verdict, Reply)> {
    let context = shell::context(event, cx);
    let config = config(cx);
    let values = event.tool_input().map(|input| values::of(tool, input)).unwrap_or_default();
    let mut used = tool.paths.clone();
    for path in values.paths {
        if !used.iter().any(|known| known.path == path) {
            used.push(PathUse { path, access: tool.access() });
        }
    }
    let commands = values.commands.iter().filter_map(|command| {
        let analysis = cx.shell.analyse(command, &context);
        of_command(&analysis, &context, &config, cx)
    });
    let found = in_paths(tool, &used, event, cx).into_iter();
    let found = found.chain(by_files(&tool.name, &used, &context, &config, cx));
    let found = found
        .chain(commands)
        .chain(values.urls.iter().filter_map(|url| by_address(url, &context, &config, cx)))
        .chain(by_tool(tool, event, &config));
    // The first of equals, as in the chain.
    found.fold(None, |best: Option<(Verdict, Reply)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    })
}

/// By the tool's name: it destroys something whole, or hands a secret to somebody else.
fn by_tool(tool: &ToolCall, event: &Event, config: &GuardConfig) -> Option<(Verdict, Reply)> {
    if config.has(&TOOL_DESTROYS) && tool_names::destroys(&tool.name) {
        return Some((TOOL_DESTROYS.verdict, by_rule(&TOOL_DESTROYS, &tool.name)));
    }
    if !tool_names::sends(&tool.name) || !config.has(&SECRET_IN_TOOL) {
        return None;
    }
    let texts = tool_names::texts(event.tool_input()?);
    let secret = texts.iter().any(|text| !scrub::find(text).is_empty());
    secret.then(|| (SECRET_IN_TOOL.verdict, by_rule(&SECRET_IN_TOOL, &tool.name)))
}

/// The same rules as for a command that writes or deletes these files. What guards the agent has its own.
fn by_files(
    tool: &str,
    used: &[PathUse],
    context: &Context,
    config: &GuardConfig,
    cx: &Cx<'_>,
) -> Option<(Verdict, Reply)> {
    let whole = matches!(tool, "Write") || tool.starts_with("mcp__");
    let how = if whole { WriteHow::Overwrite } else { WriteHow::InPlace };
    // A server's `remove` of which nothing says that it takes one file only takes everything below.
    let tree = ["dir", "folder", "tree", "recursive"].iter().any(|word| tool.contains(word))
        || tool.starts_with("mcp__") && !tool.contains("file");
    let effects = used.iter().filter_map(|used| {
        let path = PathRef::new(&used.path, context);
        Some(match used.access {
            Access::Read => return None,
            Access::Write => EffectKind::Write(path, how),
            Access::Delete => EffectKind::Delete { path, recursive: tree, force: true, regenerable: false },
        })
    });
    by_effects(tool, effects, context, config, cx)
}

fn by_effects(
    tool: &str,
    effects: impl Iterator<Item = EffectKind>,
    context: &Context,
    config: &GuardConfig,
    cx: &Cx<'_>,
) -> Option<(Verdict, Reply)> {
    let analysis = Analysis::of_tool(tool, effects);
    if analysis.effects.is_empty() {
        return None;
    }
    let judged = sprag_rules::judge(&analysis, context, config);
    let hit = judged.all_hits.iter().find(|hit| hit.rule.pack() != "self-protection");
    let by_rules = hit.map(|hit| (hit.rule.verdict, by_rule(hit.rule, &hit.what)));
    by_rules.or_else(|| {
        let (rule, what) = on_disk(&analysis, config, cx)?;
        Some((rule.verdict, by_rule(rule, &what)))
    })
}

/// An address that a tool opens.
fn by_address(url: &str, context: &Context, config: &GuardConfig, cx: &Cx<'_>) -> Option<(Verdict, Reply)> {
    let by_rules = by_effects(
        "WebFetch",
        std::iter::once(EffectKind::Fetch { from: url.to_owned() }),
        context,
        config,
        cx,
    );
    // What is only read from such a host sends it nothing.
    let sends = url.contains('?');
    let by_rules = by_rules.filter(|(_, reply)| sends || reply.grounds.rule.as_deref() != Some(DROP_HOST));
    by_rules.or_else(|| {
        let secret = config.has(&SECRET_IN_URL) && leaves_machine(url) && !scrub::find(url).is_empty();
        secret.then(|| (SECRET_IN_URL.verdict, by_rule(&SECRET_IN_URL, &scrub::scrub(url))))
    })
}

/// The rule about hosts that collect whatever is sent to them.
const DROP_HOST: &str = "exfiltration:drop-host";

/// The rule about files whose uncommitted changes are lost.
const DISCARD: &str = "git:discard-changes";

/// Rules about git that do not hold, because it is certain that nothing would be lost. Strict asks nevertheless.
fn harmless(judged: &Judgement, analysis: &Analysis, cx: &Cx<'_>) -> Vec<&'static str> {
    const BY_LOSS: [&str; 4] = [DISCARD, "git:clean", "git:branch-delete-force", "git:worktree-remove-force"];
    if cx.preset == Preset::Strict {
        return Vec::new();
    }
    let of = |id: &'static str| judged.all_hits.iter().filter(move |hit| hit.rule.id == id);
    let nothing = |cmd: usize| loss::is_nothing(analysis, cmd, &cx.host.env, &cx.host.paths.home);
    BY_LOSS.into_iter().filter(|id| of(id).next().is_some() && of(id).all(|hit| nothing(hit.cmd))).collect()
}

/// What only a look at the disk and the environment tells.
fn on_disk(analysis: &Analysis, config: &GuardConfig, cx: &Cx<'_>) -> Option<(&'static Rule, String)> {
    let file = || on_disk::lost_env_file(analysis, || SessionRecord::made_in(cx.session)).map(str::to_owned);
    let lost = config.has(&ENV_FILE_LOST).then(file).flatten().map(|file| (&ENV_FILE_LOST, file));
    lost.or_else(|| {
        let shown = || on_disk::shown_environment(analysis, &cx.host.env);
        config.has(&ENVIRONMENT_SHOWN).then(shown).flatten().map(|name| (&ENVIRONMENT_SHOWN, name))
    })
}

/// What the session made, when the question may be about that.
fn own(judged: &Judgement, cx: &Cx<'_>) -> Vec<String> {
    let may_be = judged.stops() && judged.all_hits.iter().any(|hit| may_be_own(hit.rule.id));
    if may_be && cx.preset != Preset::Strict { SessionRecord::made_in(cx.session) } else { Vec::new() }
}

/// `git checkout --theirs FILE` while a merge waits for it: of the file only the marks of the conflict are lost.
fn chooses_a_side(analysis: &Analysis, cx: &Cx<'_>) -> bool {
    const UNDER_WAY: [&str; 5] =
        ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
    let side = |word: &str| matches!(word, "--ours" | "--theirs");
    let mut discards = analysis.commands.iter().filter(|cmd| {
        let verb = cmd.args.iter().find(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.as_str());
        cmd.name == "git" && matches!(verb, Some("checkout" | "restore"))
    });
    discards.all(|cmd| cmd.args.iter().any(|arg| side(&arg.text)))
        && cx.project.git_dir().is_some_and(|git| UNDER_WAY.iter().any(|name| git.join(name).exists()))
}

/// A file of sprag's own or of an agent's hooks that a command would change through a link, or where a variable puts it.
fn own_files<'a>(analysis: &'a Analysis, cx: &Cx<'_>, context: &Context) -> Option<(&'static Rule, &'a str)> {
    let changed = analysis.effects.iter().flat_map(sprag_rules::protect::changed_paths);
    let on_disk = changed.filter(|(path, _)| path.place != PathZone::Sink);
    let taken = analysis.effects.iter().filter_map(sprag_rules::protect::taken_folders);
    let taken = taken.filter_map(|path| Some((protected::around(&path.full, cx)?, path.expanded.as_str())));
    let covered = analysis.commands.iter().filter_map(|cmd| protected::covered(cmd, cx, context));
    on_disk
        .filter_map(|(path, _)| Some((protected::rule(&path.full, cx, context)?, path.expanded.as_str())))
        .chain(taken)
        .chain(covered)
        .max_by_key(|(rule, _)| rule.verdict)
}

/// Attempts to disable the guards by changing a file.
fn in_paths(tool: &ToolCall, used: &[PathUse], event: &Event, cx: &Cx<'_>) -> Option<(Verdict, Reply)> {
    let context = shell::context(event, cx);
    let changed = used.iter().filter(|used| protected::may_change(tool, used.access));
    let edits = edits::of(event);
    changed
        .filter_map(|used| {
            let full = shell::full(&used.path, &context);
            let text = edits.iter().find(|edit| edit.path == used.path).and_then(|edit| edit.change.added());
            if let Some((rule, name)) = text.as_deref().and_then(|text| switch_in_file(&full, text)) {
                return Some((rule.verdict, by_rule(rule, name)));
            }
            let config = || config(cx).has(&AUTO_RUN);
            if let Some(what) =
                text.as_deref().and_then(|text| auto_run::denied(&full, text, &context)).filter(|_| config())
            {
                return Some((AUTO_RUN.verdict, by_rule(&AUTO_RUN, &what)));
            }
            let rule = protected::rule(&full, cx, &context)
                .or_else(|| protected::rule(&shell::through_links(&used.path, &context)?, cx, &context))?;
            let edit = edits.iter().find(|edit| edit.path == used.path);
            match edit.filter(|_| rule.id == HOOKS.id).and_then(|edit| in_settings(&full, edit)) {
                Some(None) => None,
                Some(Some(reply)) => Some((Verdict::Ask, reply)),
                None => Some((rule.verdict, by_rule(rule, &used.path))),
            }
        })
        .max_by_key(|(verdict, _)| *verdict)
}

/// The question about an edit of an agent's settings; none when it touches nothing that guards the agent. `None`: this is
/// no file whose text tells.
#[expect(clippy::option_option, reason = "not such a file, harmless, and a question are three answers")]
fn in_settings(full: &str, edit: &FileEdit<'_>) -> Option<Option<Reply>> {
    let name = full.rsplit('/').next().filter(|name| *name != "managed-settings.json")?;
    if !matches!(name.rsplit('.').next(), Some("json" | "toml")) {
        return None;
    }
    let before = read_limited(Path::new(full), MAX_SETTINGS).ok()?;
    let before = before.map(String::from_utf8).transpose().ok()?;
    let reason = match guard_changes(full, before.as_deref(), &edit.change) {
        Some(changes) if changes.is_empty() => return Some(None),
        Some(changes) => {
            format!("This changes what guards the agent in {}: {}.", edit.path, changes.join("; "))
        }
        None => format!("It cannot be told what this would leave of the hooks in {}.", edit.path),
    };
    let mut reply = Reply::deny(reason).rule(HOOKS.id).about(edit.path.as_ref());
    reply.grounds.firm = true;
    Some(Some(reply.instead("Only the user can decide this.")))
}

/// The largest settings file that is compared.
const MAX_SETTINGS: u64 = 1 << 20;

/// What a rule says of a part of a call.
fn by_rule(rule: &Rule, what: &str) -> Reply {
    let what = what.replace(HOLE, "‹?›");
    let sentence = rule.reason.trim_end_matches('.');
    // A git command stands beside the message as it is.
    let reason = if what.is_empty() || what.starts_with("git ") {
        format!("{sentence}.")
    } else {
        format!("{sentence} ({what}).")
    };
    let mut reply = Reply::deny(reason).rule(rule.id).instead(rule.safer).about(what);
    reply.grounds.firm = rule.pack() == "self-protection";
    reply
}

/// The guard's configuration as `sprag-rules` has it.
fn config(cx: &Cx<'_>) -> GuardConfig {
    let settings: CommandGuardSettings<'_> = cx.settings.read();
    let here = |table: &AllowTable<'_>| table.project.is_none_or(|root| Path::new(root) == cx.project.root);
    GuardConfig {
        disabled_packs: settings.disabled_packs.to_owned_vec(),
        disabled_rules: settings.disabled_rules.to_owned_vec(),
        allow: settings.allow.iter().filter(here).filter_map(entry).collect(),
        made: Vec::new(),
        tolerant: cx.preset != Preset::Strict,
        now: cx.host.clock.now().seconds() as i64,
    }
}

/// An exception; one whose date cannot be read has expired.
fn entry(table: AllowTable<'_>) -> Option<AllowEntry> {
    let what = match (table.exact, table.prefix, table.rule) {
        (Some(line), _, _) => Allow::Exact(line.to_owned()),
        (_, Some(words), _) => Allow::Prefix(words.split_whitespace().map(str::to_owned).collect()),
        (_, _, Some(rule)) => Allow::Rule(rule.to_owned()),
        _ => return None,
    };
    let expires = table.expires.map(|date| expiry(date).map_or(0, |stamp| stamp.seconds() as i64));
    Some(AllowEntry { what, reason: table.reason.to_owned(), expires })
}

/// The end of the day, or the time, that an exception's date says.
pub fn expiry(date: &str) -> Option<Stamp> {
    let full = if date.contains('T') { date.to_owned() } else { format!("{date}T23:59:59Z") };
    Stamp::parse(&full)
}
