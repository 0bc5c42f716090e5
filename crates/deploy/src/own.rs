//! Finds sprag's entries among those of others.
//! Read only: it walks `event → groups → handlers`, and whatever does not fit that structure is foreign.

use std::path::{Path, PathBuf};

use super::command::{Command, Form};
use super::doc::Doc;
use super::json::{JsonKind, Node};
use super::memory::ImportedHook;
use sprag_protocol::agents::files::{AgentFiles, JsonSyntax};

/// One entry of sprag as it is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The event, in the agent's spelling.
    pub event: String,
    /// Its group's matcher.
    pub matcher: Option<String>,
    /// Its timeout, in the agent's unit.
    pub timeout: Option<u64>,
    /// The program that it starts.
    pub exe: PathBuf,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The form of the command.
    pub form: Form,
    /// Its failure blocks the agent's action.
    pub gate: bool,
    /// Its line in the file.
    pub line: usize,
}

/// One entry of sprag with its position in the event's array.
#[derive(Debug)]
pub(crate) struct OwnEntry {
    pub(crate) group: usize,
    pub(crate) handler: usize,
    /// No other handler shares the group, so its matcher is ours to change.
    pub(crate) alone: bool,
    pub(crate) entry: Entry,
}

/// Every handler of an event: its group's index, its index there, the group's matcher, the handler.
pub(crate) fn handlers<'d>(
    doc: &'d Doc,
    event: &str,
) -> impl Iterator<Item = (usize, usize, Option<&'d str>, &'d Node)> {
    let groups = doc.root().get("hooks").and_then(|hooks| hooks.get(event)).and_then(Node::elements);
    groups.unwrap_or_default().iter().enumerate().flat_map(|(group, node)| {
        let matcher = node.get("matcher").and_then(Node::text);
        let handlers = node.get("hooks").and_then(Node::elements).unwrap_or_default();
        handlers.iter().enumerate().map(move |(handler, value)| (group, handler, matcher, value))
    })
}

/// The same for an agent whose handlers are in no groups: each counts as a group of one.
fn flat_handlers<'d>(
    doc: &'d Doc,
    event: &str,
) -> impl Iterator<Item = (usize, usize, Option<&'d str>, &'d Node)> {
    let handlers = doc.root().get("hooks").and_then(|hooks| hooks.get(event)).and_then(Node::elements);
    let matcher = |value: &'d Node| value.get("matcher").and_then(Node::text);
    handlers.unwrap_or_default().iter().enumerate().map(move |(at, value)| (at, 0, matcher(value), value))
}

/// Where an imported hook is in the file: group and handler.
pub(crate) fn position(doc: &Doc, hook: &ImportedHook) -> Option<(usize, usize)> {
    let wanted = Doc::open(&hook.handler.to_string(), JsonSyntax::Strict).ok()?;
    handlers(doc, &hook.event)
        .find(|(_, _, matcher, value)| *matcher == hook.matcher.as_deref() && value.same_as(wanted.root()))
        .map(|(group, handler, _, _)| (group, handler))
}

/// Our entries of one event, in file order.
pub(crate) fn in_event(doc: &Doc, agent: &AgentFiles, event: &str, exe: Option<&Path>) -> Vec<OwnEntry> {
    let all: Vec<_> =
        if agent.is_flat() { flat_handlers(doc, event).collect() } else { handlers(doc, event).collect() };
    let entry = |&(group, handler, matcher, value): &(usize, usize, Option<&str>, &Node)| {
        let (command, form) = command_of(value, exe)?;
        Some(OwnEntry {
            group,
            handler,
            alone: all.iter().filter(|(other, ..)| *other == group).count() == 1,
            entry: Entry {
                event: event.to_owned(),
                matcher: matcher.map(str::to_owned),
                timeout: value.get("timeout").and_then(whole_number),
                exe: command.exe,
                args: command.args,
                form,
                gate: agent
                    .gate
                    .is_some_and(|gate| value.get(gate.key).and_then(Node::text) == Some(gate.value)),
                line: doc.line_of(value),
            },
        })
    };
    all.iter().filter_map(entry).collect()
}

/// All our entries, in file order.
pub(crate) fn all(doc: &Doc, agent: &AgentFiles, exe: Option<&Path>) -> Vec<OwnEntry> {
    events(doc).iter().flat_map(|event| in_event(doc, agent, event, exe)).collect()
}

/// The keys of `hooks`, in file order.
pub(crate) fn events(doc: &Doc) -> Vec<String> {
    let hooks = doc.root().get("hooks").and_then(Node::members).unwrap_or_default();
    hooks.iter().map(|member| member.key.clone()).collect()
}

/// True for a group that holds nothing but our handlers and their matcher.
pub(crate) fn whole_group(agent: &AgentFiles, group: &Node, exe: Option<&Path>) -> bool {
    if agent.is_flat() {
        return command_of(group, exe).is_some();
    }
    let only_ours = |handlers: &[Node]| {
        !handlers.is_empty() && handlers.iter().all(|handler| command_of(handler, exe).is_some())
    };
    plain_group(group) && group.get("hooks").and_then(Node::elements).is_some_and(only_ours)
}

/// True for a group with no keys but the two that we write.
pub(crate) fn plain_group(group: &Node) -> bool {
    group.members().is_some_and(|members| {
        members.iter().all(|member| matches!(member.key.as_str(), "matcher" | "hooks"))
    })
}

pub(crate) fn command_of(handler: &Node, exe: Option<&Path>) -> Option<(Command, Form)> {
    if handler.get("type").is_some_and(|kind| kind.text() != Some("command")) {
        return None;
    }
    let command = handler.get("command")?.text()?;
    let args = match handler.get("args") {
        None => None,
        Some(args) => Some(
            args.elements()?.iter().map(|arg| arg.text().map(str::to_owned)).collect::<Option<Vec<_>>>()?,
        ),
    };
    Command::recognise(command, args.as_deref(), exe)
}

fn whole_number(node: &Node) -> Option<u64> {
    match &node.kind {
        JsonKind::Number(text) => text.parse().ok(),
        _ => None,
    }
}
