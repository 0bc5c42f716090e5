//! Self-protection: the model must not be able to switch the guards off.

use crate::model::{Analysis, Arg, Cmd, Context, Effect, EffectKind, PathRef, WriteHow};
use crate::paths::within;

use super::{Hit, Rule, Verdict};

static LOOSEN: Rule = Rule {
    id: "self-protection:loosen",
    verdict: Verdict::Deny,
    reason: "This command loosens sprag's guards, which only a person may do.",
    safer: "Ask the user to run it in their own terminal.",
};
/// sprag's own configuration and state.
pub static CONFIG: Rule = Rule {
    id: "self-protection:config",
    verdict: Verdict::Deny,
    reason: "This changes sprag's own configuration or state.",
    safer: "Tell the user which setting should change.",
};
/// The project's `.sprag`.
static PROJECT: Rule = Rule {
    id: "self-protection:project-config",
    verdict: Verdict::Ask,
    reason: "This changes the project's own sprag configuration or hooks, which may be what guards it.",
    safer: "Tell the user which setting should change; cases (`*.hook.toml`) may be edited freely.",
};
/// The program itself.
pub static BINARY: Rule = Rule {
    id: "self-protection:binary",
    verdict: Verdict::Deny,
    reason: "This removes or replaces the sprag program that the guards run in.",
    safer: "Let a person install or remove it.",
};
/// Where agents keep their hooks.
pub static HOOKS: Rule = Rule {
    id: "self-protection:agent-hooks",
    verdict: Verdict::Deny,
    reason: "This changes the hook configuration of a coding agent.",
    safer: "Use an edit tool: what touches no hook and no permission rule passes, and the user is asked about the rest.",
};
static DISABLE: Rule = Rule {
    id: "self-protection:disable",
    verdict: Verdict::Deny,
    reason: "This variable switches sprag off.",
    safer: "Run the command without it.",
};
static KILL: Rule = Rule {
    id: "self-protection:kill",
    verdict: Verdict::Deny,
    reason: "This ends sprag's own process.",
    safer: "Leave it running; it ends by itself.",
};

/// All rules of this file.
pub(super) static RULES: &[&Rule] = &[&LOOSEN, &CONFIG, &PROJECT, &BINARY, &HOOKS, &DISABLE, &KILL];

fn switches_off(name: &str) -> bool {
    matches!(
        name,
        "SPRAG_DISABLE"
            | "SPRAG_NESTED"
            | "SPRAG_PRESET"
            | "SPRAG_CONFIG_DIR"
            | "SPRAG_STATE_DIR"
            | "SPRAG_DATA_DIR"
            | "SPRAG_AGENTS_ASK_FALLBACK"
    )
}

pub(super) fn check_command(i: usize, cmd: &Cmd, out: &mut Vec<Hit>) {
    let mut hit = |rule: &'static Rule, what: &str| out.push(Hit { rule, cmd: i, what: what.to_owned() });
    if let Some((name, _)) = cmd.env.iter().find(|(n, _)| switches_off(n)) {
        hit(&DISABLE, name);
    }
    if matches!(cmd.name.as_str(), "export" | "declare" | "typeset" | "setenv" | "set")
        && let Some(a) = cmd.args.iter().find(|a| switches_off(a.text.split('=').next().unwrap_or_default()))
    {
        hit(&DISABLE, &a.text);
    }
    let words: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).filter(|a| !a.starts_with('-')).collect();
    let asks = cmd.args.iter().any(|a: &Arg| matches!(a.text.as_str(), "--help" | "-h"));
    match cmd.name.as_str() {
        "sprag" if !asks => {
            let dry = cmd.args.iter().any(|a| a.text == "--dry-run");
            let loosens = match words.as_slice() {
                ["allow" | "approve" | "trust", ..] => true,
                ["undeploy" | "uninstall", ..] => !dry,
                ["init", ..] => cmd.args.iter().any(|a| a.text == "--import"),
                ["hooks", "disable" | "order" | "enable", ..] | ["disable" | "enable", ..] => true,
                ["trial", "start" | "end", ..] => true,
                ["config", "set" | "unset" | "edit", ..] => true,
                ["store", "migrate" | "import", ..] => !dry,
                // What a model may do is propose (`lessons add`); what counts is a person's to say.
                ["lessons" | "lesson", "edit" | "promote" | "archive" | "import", ..] => true,
                ["data", "delete", ..] => true,
                ["claims", "release", ..] => false,
                ["record", "off"] => false,
                _ => false,
            };
            if loosens {
                hit(&LOOSEN, &words.join(" "));
            }
        }
        "pkill" | "killall" if words.iter().any(|w| names_sprag(w)) => hit(&KILL, "sprag"),
        "claude" | "codex" | "gemini" | "qwen"
            if cmd.args.iter().any(|a| a.text.contains("disableAllHooks")) =>
        {
            hit(&DISABLE, "disableAllHooks");
        }
        _ => {}
    }
}

/// Ending a process whose number another command of the line looked up by sprag's name or in its state.
pub(super) fn check_kill(analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    let looked_up = |cmd: &Cmd| cmd.args.is_empty() || cmd.args.iter().any(Arg::has_hole) || by_xargs(cmd);
    let kill = analysis.commands.iter().position(|cmd| cmd.name == "kill" && looked_up(cmd));
    let Some(kill) = kill else { return };
    let names_it = |cmd: &Cmd| cmd.args.iter().any(|a| names_sprag(&a.text));
    let listed = analysis.commands.iter().any(|cmd| cmd.name == "ps");
    let by_name = analysis.commands.iter().any(|cmd| match cmd.name.as_str() {
        "pgrep" | "pidof" => names_it(cmd),
        "grep" | "rg" | "egrep" | "awk" => listed && names_it(cmd),
        _ => false,
    });
    let by_file = analysis.effects.iter().any(|e| match &e.kind {
        EffectKind::Read(p) => protected_path(&p.full, ctx) == Some(&CONFIG),
        _ => false,
    });
    if by_name || by_file {
        out.push(Hit { rule: &KILL, cmd: kill, what: "sprag".to_owned() });
    }
}

/// A pattern that finds sprag; `[s]prag` is how one keeps the search out of its own list.
fn names_sprag(word: &str) -> bool {
    word.contains("sprag") || word.contains('[') && word.replace(['[', ']'], "").contains("sprag")
}

fn by_xargs(cmd: &Cmd) -> bool {
    cmd.reached.contains(&"xargs")
}

/// sprag's own folders below the home directory, when no variable says otherwise.
const OWN: [&str; 3] = [".config/sprag", ".local/state/sprag", ".local/share/sprag"];

/// The folder of the managed policy.
const POLICY_DIR: &str = "/etc/sprag";

/// The rule that keeps a path from being changed: sprag's own files, the project's `.sprag`, and the files in which
/// agents keep their hooks. `full` is absolute and normalised; links are for who can see the disk.
pub fn protected_path(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    let below_home = full.strip_prefix(home).and_then(|rest| rest.strip_prefix('/'));
    let own = below_home.is_some_and(|rest| OWN.iter().any(|dir| within(rest, dir)));
    if own || within(full, POLICY_DIR) {
        return Some(&CONFIG);
    }
    let mut parts = full.rsplit('/');
    let (name, parent) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if name == ".sprag" {
        return Some(&PROJECT);
    }
    if let Some((_, inside)) = full.split_once("/.sprag/") {
        // A case only tells what a hook answers; it decides nothing.
        let case = within(inside, "tests") || crate::ends(inside, ".hook.toml");
        return (!case).then_some(&PROJECT);
    }
    let settings = |n: &str| n.starts_with("settings") && (crate::ends(n, ".json") || n.contains('*'));
    match (parent, name) {
        (".claude" | ".gemini" | ".qwen", n) if settings(n) => Some(&HOOKS),
        (".claude", "hooks") => Some(&HOOKS),
        (".codex", "hooks.json" | "config.toml") => Some(&HOOKS),
        ("claude-code", "managed-settings.json") => Some(&HOOKS),
        ("bin", "sprag" | "sprag.exe") => Some(&BINARY),
        _ => None,
    }
}

/// The paths that an effect changes, other than by making a new file; true when everything below is meant too.
pub fn changed_paths(effect: &Effect) -> impl Iterator<Item = (&PathRef, bool)> {
    let (first, second, below) = match &effect.kind {
        EffectKind::Write(p, how) if *how != WriteHow::Create => (Some(p), None, false),
        EffectKind::Delete { path, recursive, .. } => (Some(path), None, *recursive),
        EffectKind::Move { from, to } => (Some(from), Some(to), true),
        EffectKind::Mode { path, recursive, .. } => (Some(path), None, *recursive),
        _ => (None, None, false),
    };
    // What is moved into a directory leaves the rest of it alone.
    first.into_iter().map(move |path| (path, below)).chain(second.into_iter().map(|path| (path, false)))
}

pub(super) fn check_effect(effect: &Effect, ctx: &Context, out: &mut Vec<Hit>) {
    for (path, below) in changed_paths(effect) {
        let rule = protected_path(&path.full, ctx).or_else(|| below.then(|| around(&path.full, ctx))?);
        if let Some(rule) = rule {
            out.push(Hit { rule, cmd: effect.cmd, what: path.expanded.clone() });
            return;
        }
    }
}

/// Taking the directory around a protected one away takes that away too.
fn around(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    if OWN.iter().any(|dir| within(&format!("{home}/{dir}"), full)) && full != home && full != "/" {
        return Some(&CONFIG);
    }
    matches!(full.rsplit('/').next(), Some(".claude" | ".codex" | ".gemini" | ".qwen")).then_some(&HOOKS)
}
