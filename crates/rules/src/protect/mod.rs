//! Self-protection: the model must not be able to switch the guards off.

mod child;
mod loosen;
mod names;
mod writes;

use sprag_shell::{Analysis, Arg, Cmd, Context, Effect, EffectKind, HOLE, ModeHow, PathRef, WriteHow};

use crate::{Hit, Rule, Verdict};

pub use names::{holds, protected_path};

static LOOSEN: Rule = Rule {
    id: "self-protection:loosen",
    verdict: Verdict::Deny,
    reason: "This command loosens sprag's guards, which only a person may do.",
    safer: "Ask the user to run it in their own terminal.",
};
/// A program that is not known, with words that would loosen the guards if it is sprag.
static LOOSEN_UNKNOWN: Rule = Rule {
    id: "self-protection:loosen-unknown",
    verdict: Verdict::Ask,
    reason: "Which program this runs is not known before it runs; if it is sprag, it loosens the guards.",
    safer: "Write the program's name.",
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
/// A command that is no reader and has such a file, or its folder, among its words.
static MAY_CHANGE: Rule = Rule {
    id: "self-protection:may-change",
    verdict: Verdict::Ask,
    reason: "This may replace or change a file that guards the agent.",
    safer: "Name other files, or use an edit tool on the exact file: what touches no hook passes.",
};
/// A second name for the program.
static COPY: Rule = Rule {
    id: "self-protection:copy",
    verdict: Verdict::Ask,
    reason: "This gives the sprag program another name.",
    safer: "Run it by its own name.",
};
/// An agent that would not run these guards.
static CHILD: Rule = Rule {
    id: "self-protection:unguarded-agent",
    verdict: Verdict::Ask,
    reason: "This starts a coding agent with other settings, where sprag's guards may not run.",
    safer: "Start it with the settings of this user, or let a person start it.",
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
pub(super) static RULES: &[&Rule] = &[
    &LOOSEN, &LOOSEN_UNKNOWN, &CONFIG, &PROJECT, &BINARY, &HOOKS, &MAY_CHANGE, &COPY, &CHILD, &DISABLE, &KILL,
];

/// Everything that applies of these rules.
pub(super) fn check(analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    for effect in &analysis.effects {
        check_effect(analysis, effect, ctx, out);
    }
    for (i, cmd) in analysis.commands.iter().enumerate() {
        check_variables(i, cmd, out);
        loosen::check(i, cmd, analysis, ctx, out);
        child::check(i, cmd, analysis, out);
        writes::check(i, cmd, analysis, ctx, out);
    }
    check_kill(analysis, ctx, out);
}

fn push(out: &mut Vec<Hit>, rule: &'static Rule, cmd: usize, what: impl Into<String>) {
    out.push(Hit { rule, cmd, what: what.into() });
}

/// Variables that say which guards run and where their configuration is.
fn switches_off(name: &str) -> bool {
    [
        "SPRAG_DISABLE", "SPRAG_NESTED", "SPRAG_PRESET", "SPRAG_CONFIG_DIR", "SPRAG_STATE_DIR",
        "SPRAG_DATA_DIR", "SPRAG_AGENTS_ASK_FALLBACK",
    ]
    .contains(&name)
}

/// A text that sets such a variable: `export SPRAG_DISABLE=all`, `set -Ux SPRAG_DISABLE all`.
fn sets_variable(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find("SPRAG_") {
        let from = rest.get(at..)?;
        let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
        let (name, after) = from.split_at_checked(end)?;
        if switches_off(name) && after.trim_start_matches(['"', '\'']).starts_with(['=', ' ', ':', '\t']) {
            return Some(name);
        }
        rest = after;
    }
    None
}

/// The variable with which a file's text would switch sprag off for whatever is started later.
pub fn switch_in_file<'a>(full: &str, text: &'a str) -> Option<(&'static Rule, &'a str)> {
    let name = names::is_environment(full).then(|| sets_variable(text))??;
    Some((&DISABLE, name))
}

fn check_variables(i: usize, cmd: &Cmd, out: &mut Vec<Hit>) {
    if let Some((name, _)) = cmd.env.iter().find(|(n, _)| switches_off(n)) {
        push(out, &DISABLE, i, name.as_str());
    }
    let named = |a: &&Arg| switches_off(a.text.split('=').next().unwrap_or_default());
    let sets = match cmd.name.as_str() {
        "export" | "declare" | "typeset" | "setenv" | "set" | "setx" | "launchctl" => true,
        "systemctl" | "tmux" | "dbus-update-activation-environment" => {
            cmd.args.iter().any(|a| a.text.contains("env"))
        }
        _ => false,
    };
    if let Some(a) = cmd.args.iter().find(named).filter(|_| sets) {
        push(out, &DISABLE, i, a.text.as_str());
    }
}

/// Ending a process whose number another command of the line looked up by sprag's name or in its state.
fn check_kill(analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    let by_name = |cmd: &Cmd| {
        matches!(cmd.name.as_str(), "pkill" | "killall")
            && cmd.args.iter().any(|a| !a.text.starts_with('-') && names_sprag(&a.text))
    };
    if let Some(i) = analysis.commands.iter().position(by_name) {
        push(out, &KILL, i, "sprag");
    }
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
        push(out, &KILL, kill, "sprag");
    }
}

/// A pattern that finds sprag; `[s]prag` is how one keeps the search out of its own list.
fn names_sprag(word: &str) -> bool {
    // A search by pattern needs only a part of the name.
    let part = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_part = part.len() > 2 && "sprag".contains(part);
    is_part || word.contains("sprag") || word.contains('[') && word.replace(['[', ']'], "").contains("sprag")
}

fn by_xargs(cmd: &Cmd) -> bool {
    cmd.reached.contains(&"xargs")
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

/// The folders that an effect takes away, or locks, with everything in them.
pub fn taken_folders(effect: &Effect) -> Option<&PathRef> {
    match &effect.kind {
        EffectKind::Delete { path, recursive: true, .. } => Some(path),
        EffectKind::Move { from, .. } => Some(from),
        EffectKind::Mode { path, .. } if locks(effect) => Some(path),
        _ => None,
    }
}

/// A mode with which the owner can no longer enter a folder or start a program.
fn locks(effect: &Effect) -> bool {
    let EffectKind::Mode { how: ModeHow::Mode, spec, .. } = &effect.kind else { return false };
    if spec.bytes().all(|c| c.is_ascii_digit()) && !spec.is_empty() {
        // The owner's digit is the third from the right; what is not written is zero.
        let owner = spec.bytes().rev().nth(2).map_or(0, |c| c - b'0');
        return owner & 1 == 0;
    }
    spec.split(',').any(|part| {
        let owner = |who: &str| who.is_empty() || who.contains(['u', 'a']);
        match part.split_once('-') {
            Some((who, bits)) => owner(who) && bits.contains(['x', 'r', 'X']),
            None => part
                .split_once('=')
                .is_some_and(|(who, bits)| owner(who) && !bits.contains(['x', 'X', 'u', 'g', 'o'])),
        }
    })
}

fn check_effect(analysis: &Analysis, effect: &Effect, ctx: &Context, out: &mut Vec<Hit>) {
    // Whatever is made among sprag's own files may be an approval.
    if let EffectKind::Write(path, WriteHow::Create) = &effect.kind
        && protected_path(&path.full, ctx) == Some(&CONFIG)
    {
        return push(out, &CONFIG, effect.cmd, path.expanded.clone());
    }
    let puts_into = matches!(effect.kind, EffectKind::Write(..));
    for (path, below) in changed_paths(effect) {
        let closes = matches!(effect.kind, EffectKind::Mode { .. });
        let below = below || locks(effect);
        let rule =
            protected_path(&path.full, ctx).or_else(|| below.then(|| names::around(&path.full, ctx))?);
        let rule = rule.or_else(|| closes.then(|| names::around_program(&path.full, ctx))?);
        // A file that is put into the folder of hooks is not the folder.
        if let Some(rule) = rule.filter(|_| !(puts_into && names::is_hooks_folder(&path.full))) {
            return push(out, rule, effect.cmd, path.expanded.clone());
        }
        if puts_into
            && names::is_environment(&path.full)
            && let Some(name) = sets_variable(&analysis.line)
        {
            return push(out, &DISABLE, effect.cmd, name);
        }
    }
}

/// A word of a command from the root, by its text alone.
fn full(text: &str, cmd: &Cmd, ctx: &Context) -> String {
    let dir = match cmd.dir.as_deref() {
        None => Some(ctx.cwd.as_str()),
        Some(dir) if dir.contains(HOLE) => None,
        Some(dir) => Some(dir),
    };
    PathRef::below(text, dir.filter(|dir| !dir.is_empty()), ctx).full
}
