//! permission-policy: the user's own rules on tools, paths and commands: deny before ask before allow.
//! The one builtin that approves; `outside` is the freeze boundary (edit only inside these paths).

use crate::shell;
use sprag_engine::glob;
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::settings::{Kind, Setting, Tighten, Value};
use sprag_protocol::{Access, Decision, Event, EventKind, ToolKind};
use sprag_shell::{Analysis, EffectKind};
use std::path::Path;
use std::rc::Rc;

/// The keys of a rule.
const KEYS: &[&str] = &["decision", "tools", "paths", "outside", "commands", "agents", "modes", "reason"];

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "permission-policy",
    family: Family::Guard,
    summary: "approves, asks about or denies tool calls by the user's own rules; can freeze everything outside some paths",
    sees: &[
        Sees { kind: EventKind::PreToolUse, matcher: "" },
        Sees { kind: EventKind::PermissionRequest, matcher: "" },
    ],
    presets: Presets("xw"),
    settings: &[Setting::new(
        "rules",
        Kind::Tables(KEYS),
        "decision (deny, ask or allow), and what it is about: tools, paths, outside, commands, agents, modes; reason",
    )
    .tighten(Tighten::AddStops)],
    timeout_ms: 1_000,
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let rules = cx.settings.tables("rules");
    if rules.is_empty() || event.tool.is_none() {
        return Ok(Reply::pass());
    }
    let call = Call::of(event, cx);
    for decision in [Decision::Deny, Decision::Ask, Decision::Allow] {
        let rule = rules
            .iter()
            .filter(|rule| rule.get("decision").and_then(Value::as_text) == Some(decision.name()))
            .find(|rule| applies(rule, decision, &call, rules));
        let Some(rule) = rule else { continue };
        let reason =
            rule.get("reason").and_then(Value::as_text).map_or_else(|| describe(rule), str::to_owned);
        return Ok(match decision {
            Decision::Allow => Reply { decision, reason: Some(reason), ..Reply::default() },
            // Before a permission dialog there is nothing to ask: the agent is at it.
            Decision::Ask if event.kind == EventKind::PermissionRequest => Reply::pass(),
            Decision::Ask => Reply::ask(format!("{reason} [policy]")),
            _ => Reply::deny(format!("{reason} [policy]")),
        });
    }
    Ok(Reply::pass())
}

/// A rule in words, when it gives no reason.
fn describe(rule: &Value) -> String {
    let list = |key: &str| {
        rule.get(key)
            .map(|value| value.items().iter().filter_map(Value::as_text).collect::<Vec<_>>().join(", "))
    };
    match (list("outside"), list("commands"), list("paths"), list("tools")) {
        (Some(inside), ..) => format!("The user's policy allows changes only in {inside}."),
        (_, Some(commands), ..) => format!("The user's policy has a rule on commands like {commands}."),
        (_, _, Some(paths), _) => format!("The user's policy has a rule on {paths}."),
        (.., Some(tools)) => format!("The user's policy has a rule on {tools}."),
        _ => "The user's policy has a rule on this.".to_owned(),
    }
}

/// What the rules look at.
struct Call<'a> {
    event: &'a Event,
    root: &'a Path,
    home: &'a Path,
    analysis: Option<Rc<Analysis>>,
    /// Paths from the root; true when the call changes them.
    paths: Vec<(String, bool)>,
}

impl<'a> Call<'a> {
    fn of(event: &'a Event, cx: &'a Cx<'_>) -> Self {
        let analysis = shell::analysis(event, cx).map(|(analysis, _)| analysis);
        let mut paths: Vec<(String, bool)> = Vec::new();
        if let Some(tool) = &event.tool {
            for used in &tool.paths {
                paths.push((sprag_shell::normalise(&used.path, &event.cwd), used.access != Access::Read));
            }
        }
        for effect in analysis.iter().flat_map(|analysis| &analysis.effects) {
            match &effect.kind {
                EffectKind::Read(path) | EffectKind::Stage(path) => paths.push((path.full.clone(), false)),
                EffectKind::Write(path, _)
                | EffectKind::Delete { path, .. }
                | EffectKind::Mode { path, .. } => {
                    paths.push((path.full.clone(), true));
                }
                EffectKind::Move { from, to } => {
                    paths.push((from.full.clone(), true));
                    paths.push((to.full.clone(), true));
                }
                _ => {}
            }
        }
        Self { event, root: &cx.project.root, home: &cx.host.paths.home, analysis, paths }
    }

    /// A path as a rule's glob sees it.
    fn covered(&self, glob: &str, path: &str) -> bool {
        let whole = |pattern: &str, path: &str| {
            let pattern = pattern.trim_end_matches('/');
            glob::matches(pattern, path) || glob::matches(&format!("{pattern}/**"), path)
        };
        if let Some(rest) = glob.strip_prefix("~/") {
            return whole(&self.home.join(rest).to_string_lossy(), path);
        }
        if glob.starts_with('/') {
            return whole(glob, path);
        }
        let below =
            Path::new(path).strip_prefix(self.root).ok().map(|below| below.to_string_lossy().into_owned());
        below.is_some_and(|below| whole(glob.trim_start_matches("./"), &below))
    }
}

fn applies(rule: &Value, decision: Decision, call: &Call<'_>, rules: &[Value]) -> bool {
    let texts = |key: &str| -> Option<Vec<&str>> {
        rule.get(key).map(|value| match value {
            Value::Text(text) => vec![text.as_str()],
            other => other.items().iter().filter_map(Value::as_text).collect(),
        })
    };
    let Some(tool) = &call.event.tool else { return false };
    let named = |names: &[&str]| {
        names.iter().any(|name| {
            sprag_engine::pattern::Matcher::parse(name)
                .is_ok_and(|matcher| tool.names().any(|tool| matcher.matches(tool)))
        })
    };
    let says_something = ["tools", "paths", "outside", "commands"].iter().any(|key| rule.get(key).is_some());
    let agent = call.event.agent_type.as_deref().unwrap_or("main");
    let mode = call.event.text("permission_mode").unwrap_or("default");
    says_something
        && texts("tools").is_none_or(|names| named(&names))
        && texts("agents").is_none_or(|names| names.contains(&agent))
        && texts("modes").is_none_or(|names| names.contains(&mode))
        && texts("paths").is_none_or(|globs| on_paths(&globs, decision, call))
        && texts("outside").is_none_or(|inside| outside(&inside, call))
        && texts("commands").is_none_or(|prefixes| on_commands(&prefixes, decision, call, rules))
}

/// For a stop one path is enough; an approval must cover every path, and there must be one.
fn on_paths(globs: &[&str], decision: Decision, call: &Call<'_>) -> bool {
    let covered = |path: &str| globs.iter().any(|glob| call.covered(glob, path));
    if decision == Decision::Allow {
        !call.paths.is_empty() && call.paths.iter().all(|(path, _)| covered(path))
    } else {
        call.paths.iter().any(|(path, _)| covered(path))
    }
}

/// The freeze boundary: something would be changed that lies in none of the paths.
fn outside(inside: &[&str], call: &Call<'_>) -> bool {
    call.paths
        .iter()
        .filter(|(_, changes)| *changes)
        .any(|(path, _)| !inside.iter().any(|glob| call.covered(glob, path)))
}

/// For a stop one command of the line is enough; for an approval every command must be approved by some rule,
/// and the line must have been understood.
fn on_commands(prefixes: &[&str], decision: Decision, call: &Call<'_>, rules: &[Value]) -> bool {
    let Some(analysis) = &call.analysis else { return false };
    if call.event.tool.as_ref().is_none_or(|tool| tool.kind != ToolKind::Shell) {
        return false;
    }
    let starts = |prefix: &str, command: &sprag_shell::Cmd| {
        let mut words = prefix.split_whitespace();
        let mut said =
            std::iter::once(command.name.as_str()).chain(command.args.iter().map(|arg| arg.text.as_str()));
        words.all(|word| said.next() == Some(word))
    };
    let any = |command: &sprag_shell::Cmd| prefixes.iter().any(|prefix| starts(prefix, command));
    if decision != Decision::Allow {
        return analysis.commands.iter().any(any);
    }
    let approved = |command: &sprag_shell::Cmd| {
        rules.iter().filter(|rule| rule.get("decision").and_then(Value::as_text) == Some("allow")).any(
            |rule| {
                rule.get("commands").is_some_and(|list| {
                    list.items().iter().filter_map(Value::as_text).any(|p| starts(p, command))
                })
            },
        )
    };
    let known = analysis.commands.iter().all(|command| command.args.iter().all(|arg| !arg.has_hole()));
    analysis.notes.is_empty()
        && known
        && !analysis.commands.is_empty()
        && analysis.commands.iter().any(any)
        && analysis.commands.iter().all(approved)
}
