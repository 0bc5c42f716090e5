//! `sprag completions` and `sprag man`. The script that a shell loads asks sprag itself for the words that fit, so that hooks,
//! sessions and rules complete as they are now.

use crate::args;
use crate::commands::project_at;
use anyhow::Context as _;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::spec::Bundle;
use sprag_protocol::EventKind;
use sprag_protocol::agents::AGENTS;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

/// Set by the script when it asks.
const VARIABLE: &str = "SPRAG_COMPLETE";

#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder; it is created
    dir: PathBuf,
}

/// Answers a shell that completes a line, and ends. Nothing happens otherwise.
pub(crate) fn answer_shell() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(|| completing(args::command(), "")).var(VARIABLE).complete();
    }
}

pub(crate) fn run(args: &CompletionsArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string()).context("no completion for this shell")?;
    shell.write_registration(VARIABLE, "sprag", "sprag", "sprag", &mut text)?;
    out.raw(&String::from_utf8_lossy(&text));
    if args.shell == clap_complete::Shell::Bash {
        out.raw(BASH_COLONS);
    }
    Ok(ExitCode::SUCCESS)
}

/// Bash takes a colon for the end of a word, and the names of rules have one: the words are split at blanks, and what stands
/// before the colon is left out of the answer.
const BASH_COLONS: &str = include_str!("completions.bash");

pub(crate) fn man(args: &ManArgs, out: &Out) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(args::command(), &args.dir))
        .with_context(|| {
            Problem::new(format!("{} cannot be written", args.dir.display()), "name another folder")
        })?;
    out.line(&format!("man pages: {}", args.dir.display()));
    Ok(ExitCode::SUCCESS)
}

/// The command with a source of words for each argument that has one.
fn completing(command: clap::Command, parent: &str) -> clap::Command {
    let own = command.get_name().to_owned();
    let with = |arg: clap::Arg| match candidates(parent, &own, arg.get_id().as_str()) {
        Some(words) => arg.add(ArgValueCandidates::new(move || {
            words().into_iter().map(CompletionCandidate::new).collect::<Vec<_>>()
        })),
        None => arg,
    };
    command.mut_args(with).mut_subcommands(|sub| completing(sub, &own))
}

/// What an argument may be, by its command and its name.
fn candidates(parent: &str, command: &str, arg: &str) -> Option<fn() -> Vec<String>> {
    Some(match (parent, command, arg) {
        ("hooks", "show" | "run" | "enable" | "disable", "name") | (_, _, "hook") => hooks,
        ("sprag", "enable" | "disable", "names") => {
            || bundles().chain(hooks()).chain(super::guard::rule_names()).collect()
        }
        (_, _, "event") => || EventKind::ALL.iter().map(|kind| kind.name().to_owned()).collect(),
        (_, _, "agent" | "agents") => || AGENTS.iter().map(|agent| agent.id.name().to_owned()).collect(),
        ("guard", "rules", "name") => super::guard::rule_names,
        ("sprag", "replay", "file") | (_, _, "session") => sessions,
        ("sprag", "why" | "allow", "which") => || super::why::newest_ids(&host()),
        _ => return None,
    })
}

fn host() -> Host {
    Host::of_process(&sprag_hooks::SPECS)
}

fn bundles() -> impl Iterator<Item = String> {
    Bundle::ALL.into_iter().map(|bundle| bundle.name().to_owned())
}

fn hooks() -> Vec<String> {
    let host = host();
    let all = Inventory::new(&host, project_at(&host, None)).all();
    all.into_iter().map(|known| known.name).collect()
}

/// Sessions with state of their own, and those that were recorded.
fn sessions() -> Vec<String> {
    let paths = host().paths;
    let names = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(entry.path().file_stem()?.to_string_lossy().into_owned()))
    };
    let mut found: Vec<String> =
        names(paths.sessions()).chain(names(sprag_runtime::record::folder(&paths))).collect();
    found.sort_unstable();
    found.dedup();
    found
}
