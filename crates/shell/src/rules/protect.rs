//! Self-protection: the model must not be able to switch the guards off.

use crate::model::{Arg, Cmd, Context, Effect, EffectKind, PathRef, WriteHow};

use super::{Hit, Rule, Verdict};

static LOOSEN: Rule = Rule {
    id: "self-protection:loosen",
    verdict: Verdict::Deny,
    reason: "This command loosens sprag's guards, which only a person may do.",
    safer: "Ask the user to run it in their own terminal.",
};
static CONFIG: Rule = Rule {
    id: "self-protection:config",
    verdict: Verdict::Deny,
    reason: "This changes sprag's own configuration or state.",
    safer: "Tell the user which setting should change.",
};
static HOOKS: Rule = Rule {
    id: "self-protection:agent-hooks",
    verdict: Verdict::Deny,
    reason: "This changes the hook configuration of a coding agent.",
    safer: "Tell the user what should change, or use `sprag deploy --dry-run` to show it.",
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
pub(super) static RULES: &[&Rule] = &[&LOOSEN, &CONFIG, &HOOKS, &DISABLE, &KILL];

fn switches_off(name: &str) -> bool {
    matches!(name, "SPRAG_DISABLE" | "SPRAG_NESTED" | "SPRAG_CONFIG_DIR" | "SPRAG_STATE_DIR" | "SPRAG_MODE")
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
                ["approve" | "trust", ..] => true,
                ["undeploy", ..] => !dry,
                ["hooks", "disable" | "order" | "enable", ..] => true,
                ["config", "set" | "unset" | "edit", ..] => true,
                ["store", "migrate" | "import", ..] => !dry,
                ["claims", "release", ..] => false,
                ["record", "off"] => false,
                _ => false,
            };
            if loosens {
                hit(&LOOSEN, &words.join(" "));
            }
        }
        "pkill" | "killall" if words.iter().any(|w| w.contains("sprag")) => hit(&KILL, "sprag"),
        _ => {}
    }
}

/// Whether a path is sprag's own or an agent's hook configuration.
fn guarded(path: &PathRef, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    let full = path.full.as_str();
    let own = [".config/sprag", ".local/state/sprag", ".local/share/sprag"];
    for dir in own {
        let base = format!("{home}/{dir}");
        if full == base || full.starts_with(&format!("{base}/")) {
            return Some(&CONFIG);
        }
    }
    let sprag_dir = full.split('/').any(|p| p == ".sprag");
    if sprag_dir {
        return Some(&CONFIG);
    }
    let name = full.rsplit('/').next().unwrap_or_default();
    let parent = full.rsplit('/').nth(1).unwrap_or_default();
    let settings = |n: &str| n.starts_with("settings") && (crate::ends(n, ".json") || n.contains('*'));
    match (parent, name) {
        (".claude", n) if settings(n) || n == "hooks" => Some(&HOOKS),
        (".codex", "hooks.json" | "config.toml") => Some(&HOOKS),
        (".gemini", "settings.json") => Some(&HOOKS),
        ("claude-code", "managed-settings.json") => Some(&HOOKS),
        _ if name == ".spragignore" => Some(&CONFIG),
        _ => None,
    }
}

pub(super) fn check_effect(effect: &Effect, ctx: &Context, out: &mut Vec<Hit>) {
    let mut paths: Vec<&PathRef> = Vec::new();
    match &effect.kind {
        EffectKind::Write(p, how) if *how != WriteHow::Create => paths.push(p),
        EffectKind::Delete { path, .. } => paths.push(path),
        EffectKind::Move { from, to } => paths.extend([from, to]),
        EffectKind::Mode { path, .. } => paths.push(path),
        _ => {}
    }
    for p in paths {
        if let Some(rule) = guarded(p, ctx) {
            out.push(Hit { rule, cmd: effect.cmd, what: p.expanded.clone() });
            return;
        }
        // Deleting the directory around it deletes it too.
        if let EffectKind::Delete { recursive: true, .. } = &effect.kind
            && matches!(p.full.rsplit('/').next(), Some(".claude" | ".codex" | ".gemini"))
        {
            out.push(Hit { rule: &HOOKS, cmd: effect.cmd, what: p.expanded.clone() });
            return;
        }
    }
}
