//! `sprag allow`: a person lets a call, a turn or a prompt through that was stopped. Refused inside an agent.

use crate::commands::loosened;
use crate::commands::why::{self, FoundStop};
use anyhow::{Context as _, bail};
use serde_json::json;
use sprag_config::edit;
use sprag_config::host::Host;
use sprag_protocol::{EventKind, ToolCall};
use sprag_runtime::approvals::{self, Approval};
use sprag_runtime::journal::Run;
use sprag_runtime::message;
use sprag_runtime::summary::hook_name;
use sprag_terminal::person;
use sprag_terminal::{Out, Problem, Tone, visible};
use std::process::ExitCode;
use std::time::Duration;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// What fits on a screen with the question.
const SCREEN_LINES: usize = 15;
/// An approval that is not used ends after this time.
const ONCE: Duration = Duration::from_secs(3_600);
/// What is shown of a call in a list.
const SHOWN_CHARS: usize = 400;
const SESSION: Duration = Duration::from_secs(7 * 86_400);

#[derive(clap::Args)]
pub(crate) struct AllowArgs {
    /// The id in the message, or `last` for the last stop of this project
    #[arg(value_name = "last|ID", required_unless_present_any = ["list", "revoke"])]
    which: Option<String>,
    /// Exactly this call, once (the default)
    #[arg(long, group = "scope")]
    once: bool,
    /// Exactly this call, as often as it is made in its session
    #[arg(long, group = "scope")]
    session: bool,
    /// Exactly this call in this project, from now on: an exception in your configuration
    #[arg(long, group = "scope")]
    always: bool,
    /// List all that was loosened: approvals, exceptions, guards and rules that are off
    #[arg(long)]
    list: bool,
    /// Take back what was allowed under an id, or a path that was approved
    #[arg(long, value_name = "ID|PATH", conflicts_with_all = ["which", "scope", "list"])]
    revoke: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &AllowArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if let Some(which) = &args.revoke {
        return loosened::revoke(which, args.json, host, out);
    }
    let Some(which) = args.which.as_deref().filter(|_| !args.list) else {
        loosened::list(args.json, host, out);
        return Ok(ExitCode::SUCCESS);
    };
    // Without a way to say yes in advance: whoever allows it has read it.
    person::refuse_inside_agent(host)?;
    if !person::at_terminal() {
        bail!(Problem::new(
            "this needs a person's yes, and there is no terminal to ask on",
            "run it in a terminal"
        ));
    }
    person::require_terminal_or_quiet(host)?;
    let found = why::find(host, which)?;
    let Some(key) = &found.stop.key else {
        let happened = EventKind::from_name(&found.entry.event)
            .is_some_and(|kind| kind.has_tool() && !matches!(kind, EventKind::PreToolUse));
        bail!(if happened {
            Problem::new(
                "there is nothing to let through: the call has run, and sprag reported on its result",
                format!("`sprag why {}` says what it found and how to switch that off", found.stop.id),
            )
        } else {
            Problem::new(
                "no approval lifts this stop: the guards guard themselves",
                "do it yourself, in a terminal of your own, if it is what you want",
            )
        });
    };
    out.heading(&found.headline(host));
    for run in found.deciding() {
        let rule = run.rule.as_deref().unwrap_or_else(|| hook_name(run));
        out.line(&format!("  {rule}: {}", visible(run.reason.as_deref().unwrap_or_default())));
    }
    out.line("");
    for line in found.call().lines() {
        out.line(&format!("    {}", out.paint(Tone::Strong, line)));
    }
    out.line("");
    let lines = found.call().lines().count();
    if lines > SCREEN_LINES || !found.stop.whole {
        let hidden = if found.stop.whole { "" } else { ", and secrets or its end are not shown" };
        out.line(
            &out.paint(
                Tone::Warn,
                &format!("  the call has {lines} lines{hidden}: read it from its beginning"),
            ),
        );
    }
    let exceptions = if args.always { exceptions(&found, key, host)? } else { Vec::new() };
    let how = match (args.always, args.session) {
        (true, _) => "always, in this project",
        (_, true) => "in this session, as often as it is made",
        _ => "once, within the next hour",
    };
    if !out.confirm(&format!("Let exactly this through {how}?")) {
        out.line("nothing was changed");
        return Ok(ExitCode::FAILURE);
    }
    let cannot = || Problem::new("the approval cannot be written", "check that the disk is not full");
    if args.always {
        write(&exceptions, host)?;
    } else {
        let session = args.session.then(|| found.entry.session.clone());
        let approval = Approval {
            stop: Some(found.stop.id.clone()),
            shown: Some(found.call().chars().take(SHOWN_CHARS).collect()),
            session,
            ..Approval::new(host, if args.session { SESSION } else { ONCE })
        };
        approval.keep_stop(host, key).with_context(cannot)?;
    }
    let hooks: Vec<&str> = found.deciding().map(hook_name).collect();
    approvals::note_allowed(host, &hooks, &found.stop.id, how);
    if args.json {
        out.json(&json!({"id": found.stop.id, "how": how, "hooks": hooks}));
    } else if args.always {
        out.line(&format!("written to {}", host.paths.tilde(&host.paths.config_file())));
    } else {
        out.line("allowed: tell the agent to try again");
    }
    Ok(ExitCode::SUCCESS)
}

/// An exception in the configuration.
enum Exception {
    /// `[[hook.command-guard.allow]]`: the command, whichever tool runs it.
    Command { exact: String, project: String, reason: String },
    /// An entry of a hook's own list of texts: a path, a type of subagent.
    Listed { hook: &'static str, key: &'static str, entry: String, reason: String },
    /// `[[hook.NAME.except]]`: exactly this call, whatever hook it is.
    Call { hook: String, call: String, shown: String, reason: String },
}

/// The narrowest exceptions that let this through, one for each hook that stopped it.
fn exceptions(found: &FoundStop, call: &str, host: &Host) -> anyhow::Result<Vec<Exception>> {
    let is_call = matches!(found.entry.event.as_str(), "PreToolUse" | "PermissionRequest");
    let Some(first) = found.deciding().next().filter(|_| !is_call) else {
        return Ok(found.deciding().map(|run| exception(found, run, call, host)).collect());
    };
    bail!(Problem::new(
        "a turn, a prompt or a compaction happens once: there is no call that a rule could let through again",
        format!(
            "`sprag allow {}` lets this one through; to never be held by it: {}",
            found.stop.id,
            message::switch_off(hook_name(first))
        )
    ))
}

fn exception(found: &FoundStop, run: &Run, call: &str, host: &Host) -> Exception {
    let date = host.clock.now().to_string();
    let date = date.split('T').next().unwrap_or_default();
    let reason = format!("sprag allow {} --always, {date}", found.stop.id);
    let matched = || run.matched.clone().filter(|text| !text.contains(['*', '?', '[', '…']));
    let listed = |hook, key, entry: Option<String>| {
        entry.map(|entry| Exception::Listed { hook, key, entry, reason: reason.clone() })
    };
    // A list of its own says more to a reader, and holds for every tool that leads to the same thing.
    let own = match hook_name(run) {
        "command-guard" => exact_command(found).map(|exact| Exception::Command {
            exact,
            project: found.stop.project.clone(),
            reason: reason.clone(),
        }),
        "privacy-block" => listed("privacy-block", "allow", matched().filter(|path| path.starts_with('/'))),
        "guard-task" => listed("guard-task", "allow_types", matched()),
        _ => None,
    };
    own.unwrap_or_else(|| Exception::Call {
        hook: hook_name(run).to_owned(),
        call: call.to_owned(),
        shown: found.call().chars().take(SHOWN_CHARS).collect(),
        reason,
    })
}

/// The command as it was, when what the journal keeps of it is the whole of it.
fn exact_command(found: &FoundStop) -> Option<String> {
    let tool = found.entry.tool.as_deref()?;
    let call = ToolCall::new(tool, tool, &json!({"command": found.stop.shown}));
    call.command.filter(|_| found.stop.whole)
}

/// Adds `[[hook.NAME.KEY]]`. False when the file has something else there.
fn add_table(document: &mut DocumentMut, hook: &str, key: &str, entries: &[(&str, &String)]) -> bool {
    let mut table = Table::new();
    for (key, text) in entries {
        table.insert(key, value(text.as_str()));
    }
    edit::subtable(document, "hook", hook).is_some_and(|hook| {
        let list = hook.entry(key).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::default()));
        list.as_array_of_tables_mut().map(|list| list.push(table)).is_some()
    })
}

fn write(exceptions: &[Exception], host: &Host) -> anyhow::Result<()> {
    let file = host.paths.config_file();
    let mut fits = true;
    edit::edit(&file, |document| {
        let before = document.clone();
        for exception in exceptions {
            fits &= match exception {
                Exception::Command { exact, project, reason } => add_table(
                    document,
                    "command-guard",
                    "allow",
                    &[("exact", exact), ("project", project), ("reason", reason)],
                ),
                Exception::Call { hook, call, shown, reason } => add_table(
                    document,
                    hook,
                    "except",
                    &[("call", call), ("shown", shown), ("reason", reason)],
                ),
                Exception::Listed { hook, key, entry, reason } => edit::subtable(document, "hook", hook)
                    .is_some_and(|table| {
                        let list = table.entry(key).or_insert_with(|| value(toml_edit::Array::new()));
                        list.as_array_mut()
                            .map(|list| {
                                let mut text = toml_edit::Value::from(entry.as_str());
                                text.decor_mut().set_prefix(format!("\n  # {reason}\n  "));
                                list.push_formatted(text);
                                list.set_trailing("\n");
                                list.set_trailing_comma(true);
                            })
                            .is_some()
                    }),
            };
        }
        if !fits {
            *document = before;
        }
    })?;
    if !fits {
        bail!(Problem::new(
            format!("{} has the list of exceptions in a form that is not changed safely", file.display()),
            "write the list as [[hook.NAME.KEY]] tables; nothing was changed"
        ));
    }
    Ok(())
}
