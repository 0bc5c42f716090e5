//! A JSON value that is sprag's: the whole file, or one member of its object. Everything beside it stays. No I/O.

use std::path::Path;

use serde_json::{Value, json};

use super::command::Command;
use super::doc::{Doc, PathStep};
use super::edit::{Edited, Origin};
use super::json::{JsonKind, Node, SettingsError, refuse};
use super::own::Entry;
use super::plan::Plan;
use sprag_protocol::agents::files::{AgentFiles, Hookup, JsonSyntax, MemberLayout};

/// Brings `text` in line with the plan. Idempotent.
pub(crate) fn apply(plan: &Plan, layout: &MemberLayout, text: &str) -> Result<Edited, SettingsError> {
    let exe = Some(plan.command.exe.as_path());
    if plan.registrations.is_empty() {
        return strip(plan.agent, layout, exe, text, Origin::Unknown);
    }
    let mut doc = Doc::open(text, plan.agent.syntax)?;
    let foreign =
        check(layout, &doc)?.filter(|_| entries(plan.agent, layout, exe, text).is_ok_and(|e| e.is_empty()));
    if let Some(node) = foreign {
        let what = layout.key.map_or_else(|| "the file".to_owned(), |key| format!("`{key}`"));
        let message = format!("{what} has hooks of somebody else");
        return Err(refuse(text, node.span.start, message, "move it away, then run the command again"));
    }
    let program = plan.command.exe.to_string_lossy();
    let line = plan.command.shell_line(false);
    let events: Vec<(&str, u64)> =
        plan.registrations.iter().map(|entry| (entry.event.as_str(), entry.timeout)).collect();
    let hookup = Hookup { exe: &program, args: &plan.command.args, line: &line, events: &events };
    let value = (layout.value)(&hookup);
    let wanted = Doc::open(&value.to_string(), JsonSyntax::Strict)?;
    match layout.key {
        Some(key) => match doc.root().get(key) {
            Some(node) if node.same_as(wanted.root()) => {}
            Some(_) => doc.replace(&[PathStep::Key(key)], &value)?,
            None => doc.insert(&[], Some(key), &value)?,
        },
        None if doc.root().same_as(wanted.root()) => {}
        None => doc = Doc::open(&format!("{value:#}\n"), plan.agent.syntax)?,
    }
    Ok(Edited { text: doc.into_text(), warnings: Vec::new() })
}

/// What is where our value goes, if that is not empty.
fn check<'d>(layout: &MemberLayout, doc: &'d Doc) -> Result<Option<&'d Node>, SettingsError> {
    let root = doc.root();
    if !matches!(root.kind, JsonKind::Object(_)) {
        let message = format!("the file must contain a JSON object, not {}", root.kind_name());
        let hint = "make it `{}` or restore the settings, then run the command again";
        return Err(refuse(doc.text(), root.span.start, message, hint));
    }
    let place = layout.key.map_or(Some(root), |key| root.get(key));
    Ok(place.filter(|node| !node.is_empty_container()))
}

/// `text` without our value, and as it was before when that is known.
pub(crate) fn strip(
    agent: &AgentFiles,
    layout: &MemberLayout,
    exe: Option<&Path>,
    text: &str,
    origin: Origin<'_>,
) -> Result<Edited, SettingsError> {
    let unchanged = Edited { text: text.to_owned(), warnings: Vec::new() };
    if entries(agent, layout, exe, text)?.is_empty() {
        return Ok(unchanged);
    }
    let mut doc = Doc::open(text, agent.syntax)?;
    match layout.key {
        Some(key) => doc.remove(&[PathStep::Key(key)])?,
        None => doc = Doc::open(&json!({}).to_string(), agent.syntax)?,
    }
    let blank =
        |before: &str| Doc::open(before, agent.syntax).is_ok_and(|doc| doc.root().is_empty_container());
    let text = match origin {
        Origin::Text(before) if doc.root().is_empty_container() && blank(before) => before.to_owned(),
        _ => doc.into_text(),
    };
    Ok(Edited { text, ..unchanged })
}

/// Our entries in `text`.
pub(crate) fn entries(
    agent: &AgentFiles,
    layout: &MemberLayout,
    exe: Option<&Path>,
    text: &str,
) -> Result<Vec<Entry>, SettingsError> {
    let doc = Doc::open(text, agent.syntax)?;
    let Some(node) = check(layout, &doc)? else { return Ok(Vec::new()) };
    let value: Value = serde_json::from_str(doc.raw(node)).unwrap_or_default();
    let line = doc.line_of(node);
    let read = (layout.read)(&value).into_iter();
    Ok(read
        .filter_map(|(event, command, timeout)| {
            let (command, form) = Command::recognise(&command, None, exe)?;
            let Command { exe, args } = command;
            Some(Entry { event, matcher: None, timeout, exe, args, form, gate: false, line })
        })
        .collect())
}
