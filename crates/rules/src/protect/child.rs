//! Agents that are started where the guards would not run: with another folder of settings, or without hooks.

use super::{CHILD, DISABLE, push};
use crate::Hit;
use sprag_protocol::agents::{AGENTS, AgentSpec};
use sprag_shell::{Analysis, Arg, Cmd};

/// The agent that sprag guards and that a program or package of this name is.
fn agent_of(name: &str) -> Option<&'static AgentSpec> {
    let name = name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name);
    AGENTS.iter().copied().find(|agent| {
        let mut packages = agent.process.packages.iter().filter_map(|package| package.rsplit('/').next());
        agent.process.programs.contains(&name) || packages.any(|package| package == name)
    })
}

/// Variables that put an agent's settings elsewhere.
fn moves_settings(name: &str) -> bool {
    matches!(name, "HOME" | "XDG_CONFIG_HOME") || AGENTS.iter().any(|agent| agent.settings.is_moved_by(name))
}

pub(super) fn check(i: usize, cmd: &Cmd, analysis: &Analysis, out: &mut Vec<Hit>) {
    in_code(i, cmd, out);
    let Some(agent) = agent_of(&cmd.name).filter(|_| !cmd.inert) else { return };
    let words: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).collect();
    if words.iter().any(|word| matches!(*word, "--version" | "-v" | "--help" | "-h" | "doctor")) {
        return;
    }
    if words.iter().any(|word| word.contains("disableAllHooks")) {
        return push(out, &DISABLE, i, "disableAllHooks");
    }
    let earlier = analysis.commands.get(..i).unwrap_or_default();
    let set = cmd.env.iter().map(|(name, _)| name.as_str()).find(|name| moves_settings(name));
    let exported = earlier.iter().filter(|c| matches!(c.name.as_str(), "export" | "declare" | "typeset"));
    let exported = exported
        .flat_map(|c| &c.args)
        .filter_map(|a| a.text.split_once('='))
        .map(|(name, _)| name)
        .find(|name| moves_settings(name));
    let cleared = earlier.iter().any(|c| {
        let empties = |word: &str| matches!(word, "-i" | "-" | "--ignore-environment");
        c.wrapper && c.name == "env" && c.args.iter().any(|a| empties(&a.text) || moves_settings(&a.text))
    });
    // Another user has other settings.
    let as_other = earlier.iter().any(|c| {
        let user = |a: &Arg| a.text.starts_with("-u") || a.text.starts_with("--user");
        let su = c.name == "su" && c.args.iter().any(|a| !a.text.starts_with('-'));
        c.wrapper && (su || matches!(c.name.as_str(), "sudo" | "doas" | "runuser") && c.args.iter().any(user))
    });
    // A login of its own has neither the session's terminal nor its ancestors.
    let again = cmd.reached.contains(&"ssh to this machine");
    let elsewhere = cmd.reached.contains(&"container");
    let option = without_settings(&words, agent.process.unattended_flags);
    let what = set
        .or(exported)
        .or(option)
        .or_else(|| cleared.then_some("env"))
        .or_else(|| as_other.then_some("as another user"))
        .or_else(|| again.then_some("over ssh"));
    if let Some(what) = what.or_else(|| elsewhere.then_some("in a container")) {
        push(out, &CHILD, i, format!("{} ({what})", cmd.name));
    }
}

/// The option with which an agent reads other settings than the user's, or asks nobody.
fn without_settings<'a>(words: &[&'a str], unattended: &[&str]) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        let next = || words.get(at + 1).copied().unwrap_or_default();
        let value = if word.contains('=') { value } else { next() };
        let off = match option {
            "--bare" | "--ignore-user-config" | "--safe-mode" => true,
            // Hooks still run, but nobody is asked what they ask.
            "--dangerously-skip-permissions"
            | "--allow-dangerously-skip-permissions"
            | "--dangerously-bypass-approvals-and-sandbox"
            | "--yolo" => true,
            short if unattended.contains(&short) => true,
            "--permission-mode" => value == "bypassPermissions",
            "--approval-mode" => value == "yolo",
            "-s" | "--sandbox" => value == "danger-full-access",
            "--setting-sources" => !value.split(',').any(|source| source.trim() == "user"),
            "--settings" => true,
            "--disable" => value.contains("hook"),
            "-c" | "--config" => {
                let (key, value) = next().split_once('=').unwrap_or_default();
                key.contains("hooks") && value.trim() != "true"
            }
            _ => false,
        };
        off.then_some(option)
    })
}

/// Code that starts an agent with a variable that moves its settings.
fn in_code(i: usize, cmd: &Cmd, out: &mut Vec<Hit>) {
    let interpreter = cmd.name.starts_with("python")
        || matches!(cmd.name.as_str(), "node" | "perl" | "ruby" | "deno" | "bun");
    if !interpreter {
        return;
    }
    let quoted = |text: &str, name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let around = (text.get(..at), text.get(at + name.len()..));
            matches!(around, (Some(before), Some(after))
                if before.ends_with('\'') && after.starts_with('\'') || before.ends_with('"') && after.starts_with('"'))
        })
    };
    let starts = |text: &str| {
        AGENTS.iter().flat_map(|agent| agent.process.programs).any(|program| quoted(text, program))
    };
    let moved =
        || AGENTS.iter().map(|agent| agent.settings.folder_variable.name()).chain(["disableAllHooks"]);
    let found = cmd.args.iter().find_map(|a| moved().find(|name| a.text.contains(name) && starts(&a.text)));
    if let Some(name) = found {
        push(out, &CHILD, i, name);
    }
}
