//! The pure core: a file's text and a plan in, the new text out.
//! Foreign bytes stay; our entries are added, changed in place or removed. No I/O.

use std::path::Path;

use serde_json::{Value, json};

use super::block;
use super::command::Command;
use super::doc::{Doc, PathStep};
use super::json::{JsonKind, Node, SettingsError, refuse, same_content};
use super::member;
use super::memory::ImportedHook;
use super::own::{self, Entry, OwnEntry};
use super::plan::{Plan, Registration};
use sprag_protocol::agents::files::{AgentFiles, JsonSyntax, Layout};

/// What the file was before the first deploy: it tells what undeploy may remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// Not known: a container that holds only our entries counts as ours.
    Unknown,
    /// There was no file.
    Absent,
    /// The file's text.
    Text(&'a str),
}

/// A new text, and warnings for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text to write.
    pub text: String,
    /// What was repaired and what will not work.
    pub warnings: Vec<Warning>,
}

/// A problem that did not stop the edit, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line in the file as it was, where there is one.
    pub line: Option<usize>,
    /// The problem and what to do about it.
    pub text: String,
}

/// Brings `text` in line with the plan. Idempotent.
pub fn apply(plan: &Plan, text: &str, origin: Origin<'_>) -> Result<Edited, SettingsError> {
    match &plan.agent.layout {
        Layout::Block(layout) => return block::apply(plan, layout, text),
        Layout::Member(layout) => return member::apply(plan, layout, text),
        Layout::Groups | Layout::Flat(_) => {}
    }
    let mut editor = Editor::open(plan.agent, text, Some(&plan.command.exe), origin)?;
    if plan.registrations.is_empty() {
        return strip(plan.agent, Some(&plan.command.exe), text, origin);
    }
    editor.repair_matchers()?;
    editor.take(&plan.remembered.imported)?;
    let mut events = own::events(&editor.doc);
    for registration in &plan.registrations {
        if !events.contains(&registration.event) {
            events.push(registration.event.clone());
        }
    }
    let wanted = |event: &str| -> Vec<&Registration> {
        plan.registrations.iter().filter(|registration| registration.event == event).collect()
    };
    editor.add_version()?;
    editor.add_missing_hooks(plan)?;
    for event in &events {
        editor.sync(plan, event, &wanted(event))?;
    }
    editor.enable_hooks()?;
    editor.warn();
    Ok(editor.done(text))
}

/// Removes our entries from `text`, and what was added for them. A status line of ours goes too, unless it was there
/// before sprag's hooks were.
pub fn strip(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
    origin: Origin<'_>,
) -> Result<Edited, SettingsError> {
    strip_entries(agent, exe, text, origin, false)
}

/// [`strip`]; `every_status_line` also removes a status line of ours that the user wrote.
pub(crate) fn strip_entries(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
    origin: Origin<'_>,
    every_status_line: bool,
) -> Result<Edited, SettingsError> {
    match &agent.layout {
        Layout::Block(layout) => {
            return Ok(Edited { text: block::strip(layout, text, origin), warnings: Vec::new() });
        }
        Layout::Member(layout) => return member::strip(agent, layout, exe, text, origin),
        Layout::Groups | Layout::Flat(_) => {}
    }
    let mut editor = Editor::open(agent, text, exe, origin)?;
    editor.remove_status_line(every_status_line)?;
    for event in own::events(&editor.doc) {
        for own in own::in_event(&editor.doc, agent, &event, exe).iter().rev() {
            editor.remove(&event, own.group, own.handler)?;
        }
        editor.tidy_event(&event)?;
    }
    if !editor.touched.is_empty() {
        editor.tidy(&[PathStep::Key("hooks")])?;
    }
    editor.restore_enable()?;
    editor.remove_version()?;
    editor.tidy(&[])?;
    let blank = editor.blank_again();
    let edited = editor.done(text);
    Ok(Edited { text: blank.unwrap_or(edited.text), ..edited })
}

/// Our entries in `text`.
pub fn entries(agent: &AgentFiles, exe: Option<&Path>, text: &str) -> Result<Vec<Entry>, SettingsError> {
    match &agent.layout {
        Layout::Block(layout) => return Ok(block::entries(layout, exe, text)),
        Layout::Member(layout) => return member::entries(agent, layout, exe, text),
        Layout::Groups | Layout::Flat(_) => {}
    }
    let doc = Doc::open(text, agent.syntax)?;
    check(agent, &doc)?;
    Ok(own::all(&doc, agent, exe).into_iter().map(|own| own.entry).collect())
}

/// Writes a status line that runs `command`, unless the file has one.
pub(crate) fn with_status_line(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
    origin: Origin<'_>,
    command: &str,
) -> Result<Edited, SettingsError> {
    let mut editor = Editor::open(agent, text, exe, origin)?;
    if let Some(key) = agent.status_line
        && editor.doc.root().get(key).is_none()
    {
        editor.insert(&[], Some(key), &json!({ "type": "command", "command": command }))?;
    }
    Ok(editor.done(text))
}

/// True when the file has a status line of ours, false when it has another one.
pub(crate) fn status_line(agent: &AgentFiles, exe: Option<&Path>, text: &str) -> Option<bool> {
    let key = agent.status_line?;
    let doc = Doc::open(text, agent.syntax).ok()?;
    doc.root().get(key).map(|line| is_status_line(line, exe))
}

fn is_status_line(line: &Node, exe: Option<&Path>) -> bool {
    let command = line.get("command").and_then(Node::text);
    command.is_some_and(|command| Command::is_status_line(command, exe))
}

/// The handlers of others: event, matcher, handler.
pub fn foreign(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
) -> Result<Vec<(String, Option<String>, Value)>, SettingsError> {
    if !matches!(agent.layout, Layout::Groups) {
        return Ok(Vec::new());
    }
    let doc = Doc::open(text, agent.syntax)?;
    check(agent, &doc)?;
    let mut found = Vec::new();
    for event in own::events(&doc) {
        for (_, _, matcher, handler) in own::handlers(&doc, &event) {
            if own::command_of(handler, exe).is_none() {
                let value = serde_json::from_str(doc.raw(handler)).unwrap_or_default();
                found.push((event.clone(), matcher.map(str::to_owned), value));
            }
        }
    }
    Ok(found)
}

/// Adds the handlers that the file has no more, each in a group of its own at the end of its event.
pub(crate) fn put_back(
    agent: &AgentFiles,
    text: &str,
    imported: &[ImportedHook],
) -> Result<String, SettingsError> {
    if imported.is_empty() {
        return Ok(text.to_owned());
    }
    let mut editor = Editor::open(agent, text, None, Origin::Unknown)?;
    for hook in imported {
        if own::position(&editor.doc, hook).is_some() {
            continue;
        }
        let mut group = serde_json::Map::new();
        if let Some(matcher) = &hook.matcher {
            group.insert("matcher".into(), matcher.as_str().into());
        }
        group.insert("hooks".into(), json!([hook.handler]));
        if editor.doc.root().get("hooks").is_none() {
            editor.insert(&[], Some("hooks"), &json!({}))?;
        }
        editor.add_group(&hook.event, &Value::Object(group))?;
    }
    Ok(editor.done(text).text)
}

/// True when `text` is `original` but for our entries and the imported hooks, and `original` has all of these.
pub(crate) fn is_original(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
    original: &str,
    imported: &[ImportedHook],
) -> bool {
    let bare = |text: &str| -> Result<String, SettingsError> {
        let mut editor = Editor::open(agent, text, exe, Origin::Unknown)?;
        editor.take(imported)?;
        for event in own::events(&editor.doc) {
            editor.tidy(&[PathStep::Key("hooks"), PathStep::Key(&event)])?;
        }
        editor.tidy(&[PathStep::Key("hooks")])?;
        Ok(editor.done(text).text)
    };
    let has_all = Doc::open(original, agent.syntax)
        .is_ok_and(|doc| imported.iter().all(|hook| own::position(&doc, hook).is_some()));
    !imported.is_empty()
        && has_all
        && matches!((bare(text), bare(original)), (Ok(a), Ok(b)) if same_content(&a, &b, agent.syntax))
}

/// The origin, parsed.
enum ParsedOrigin {
    Unknown,
    Absent,
    Doc(Box<Doc>),
}

impl ParsedOrigin {
    fn doc(&self) -> Option<&Doc> {
        match self {
            Self::Doc(doc) => Some(doc),
            Self::Unknown | Self::Absent => None,
        }
    }
}

struct Editor<'a> {
    agent: &'a AgentFiles,
    exe: Option<&'a Path>,
    doc: Doc,
    origin: ParsedOrigin,
    /// Events that lost an entry of ours: only these may be removed when empty.
    touched: Vec<String>,
    changed: bool,
    warnings: Vec<Warning>,
}

impl<'a> Editor<'a> {
    fn open(
        agent: &'a AgentFiles,
        text: &str,
        exe: Option<&'a Path>,
        origin: Origin<'_>,
    ) -> Result<Self, SettingsError> {
        let doc = Doc::open(text, agent.syntax)?;
        check(agent, &doc)?;
        let origin = match origin {
            Origin::Unknown => ParsedOrigin::Unknown,
            Origin::Absent => ParsedOrigin::Absent,
            // A backup that does not parse is ignored.
            Origin::Text(text) => Doc::open(text, agent.syntax)
                .map_or(ParsedOrigin::Unknown, |doc| ParsedOrigin::Doc(Box::new(doc))),
        };
        Ok(Self { agent, exe, doc, origin, touched: Vec::new(), changed: false, warnings: Vec::new() })
    }

    /// An edit that changed nothing returns the same text, also where an empty file was read as `{}`.
    fn done(self, before: &str) -> Edited {
        let text = if self.changed { self.doc.into_text() } else { before.to_owned() };
        Edited { text, warnings: self.warnings }
    }

    /// The original text, if that held no value and only an empty object is left now.
    fn blank_again(&self) -> Option<String> {
        let before = self.origin.doc()?;
        let same = self.doc.root().is_empty_container() && before.all_comments() == self.doc.all_comments();
        before.blank().filter(|_| same && self.changed).map(str::to_owned)
    }

    fn warn_at(&mut self, line: usize, text: String) {
        self.warnings.push(Warning { line: Some(line), text });
    }

    fn insert(
        &mut self,
        path: &[PathStep<'_>],
        key: Option<&str>,
        value: &Value,
    ) -> Result<(), SettingsError> {
        self.changed = true;
        self.doc.insert(path, key, value)
    }

    fn remove_at(&mut self, path: &[PathStep<'_>]) -> Result<(), SettingsError> {
        self.changed = true;
        self.doc.remove(path)
    }

    /// One matcher that is not a string makes the agent reject the whole file, our hooks included.
    fn repair_matchers(&mut self) -> Result<(), SettingsError> {
        if !self.agent.strict_matcher {
            return Ok(());
        }
        let mut repairs = Vec::new();
        for event in own::events(&self.doc) {
            let groups =
                self.doc.at(&[PathStep::Key("hooks"), PathStep::Key(&event)]).and_then(Node::elements);
            for (index, group) in groups.unwrap_or_default().iter().enumerate() {
                let Some(matcher) = group.get("matcher") else { continue };
                match matcher.kind {
                    JsonKind::String(_) => {}
                    JsonKind::Null => repairs.push((event.clone(), index, self.doc.line_of(matcher))),
                    _ => {
                        let message = format!(
                            "the matcher of an entry of {event} is {}, which makes {} reject the whole file",
                            matcher.kind_name(),
                            self.agent.title()
                        );
                        let hint = "write it as a string such as \"Edit|Write\", or remove it";
                        return Err(refuse(self.doc.text(), matcher.span.start, message, hint));
                    }
                }
            }
        }
        for (event, index, line) in repairs {
            self.remove_at(&[
                PathStep::Key("hooks"),
                PathStep::Key(&event),
                PathStep::Item(index),
                PathStep::Key("matcher"),
            ])?;
            let title = self.agent.title();
            self.warn_at(
                line,
                format!(
                    "removed \"matcher\": null from an entry of {event}: it made {title} reject the whole file"
                ),
            );
        }
        Ok(())
    }

    /// Removes the hooks that run through sprag now.
    fn take(&mut self, imported: &[ImportedHook]) -> Result<(), SettingsError> {
        for hook in imported {
            while let Some((group, handler)) = own::position(&self.doc, hook) {
                self.remove(&hook.event, group, handler)?;
            }
        }
        Ok(())
    }

    fn remove_status_line(&mut self, every: bool) -> Result<(), SettingsError> {
        let Some(key) = self.agent.status_line else { return Ok(()) };
        let ours = |doc: &Doc| doc.root().get(key).is_some_and(|line| is_status_line(line, self.exe));
        let added = match &self.origin {
            ParsedOrigin::Unknown => false,
            ParsedOrigin::Absent => true,
            ParsedOrigin::Doc(before) => !ours(before),
        };
        if ours(&self.doc) && (every || added) { self.remove_at(&[PathStep::Key(key)]) } else { Ok(()) }
    }

    /// The number without which the agent does not read the file.
    fn version(&self) -> Option<u64> {
        match &self.agent.layout {
            Layout::Flat(layout) => layout.version,
            _ => None,
        }
    }

    fn add_version(&mut self) -> Result<(), SettingsError> {
        match self.version().filter(|_| self.doc.root().get("version").is_none()) {
            Some(version) => self.insert(&[], Some("version"), &json!(version)),
            None => Ok(()),
        }
    }

    /// Without hooks the number that we wrote says nothing.
    fn remove_version(&mut self) -> Result<(), SettingsError> {
        let ours = match &self.origin {
            ParsedOrigin::Unknown | ParsedOrigin::Absent => self.changed,
            ParsedOrigin::Doc(before) => before.root().get("version").is_none(),
        };
        let root = self.doc.root();
        let left = root.get("version").is_some() && root.get("hooks").is_none();
        if self.version().is_some() && ours && left {
            self.remove_at(&[PathStep::Key("version")])
        } else {
            Ok(())
        }
    }

    /// Adds all events at once to a file that has no hooks yet: one splice instead of one per event.
    fn add_missing_hooks(&mut self, plan: &Plan) -> Result<(), SettingsError> {
        if self.doc.root().get("hooks").is_some() {
            return Ok(());
        }
        let mut hooks = serde_json::Map::new();
        for registration in &plan.registrations {
            let groups = hooks.entry(registration.event.clone()).or_insert_with(|| json!([]));
            if let Value::Array(groups) = groups {
                groups.push(plan.group(registration));
            }
        }
        self.insert(&[], Some("hooks"), &Value::Object(hooks))
    }

    /// Brings our entries of one event in line with the registrations, keeping their positions.
    fn sync(&mut self, plan: &Plan, event: &str, wanted: &[&Registration]) -> Result<(), SettingsError> {
        let present = own::in_event(&self.doc, self.agent, event, self.exe);
        let mut partner: Vec<Option<&OwnEntry>> = vec![None; wanted.len()];
        let mut free: Vec<&OwnEntry> = present.iter().collect();
        // First the entries that are correct already, then those that can be changed in place.
        for exact in [true, false] {
            for (registration, partner) in wanted.iter().zip(&mut partner) {
                if partner.is_some() {
                    continue;
                }
                let fits = |own: &&OwnEntry| {
                    let same_matcher = own.entry.matcher == registration.matcher;
                    if exact {
                        same_matcher && self.is_current(plan, event, own, registration)
                    } else {
                        same_matcher || own.alone
                    }
                };
                if let Some(at) = free.iter().position(fits) {
                    *partner = Some(free.remove(at));
                }
            }
        }
        for (registration, partner) in wanted.iter().zip(&partner) {
            if let Some(own) = partner {
                self.update(plan, event, own, registration)?;
            }
        }
        for own in free.iter().rev() {
            self.remove(event, own.group, own.handler)?;
        }
        for (registration, partner) in wanted.iter().zip(&partner) {
            if partner.is_none() {
                self.append(plan, event, registration)?;
            }
        }
        self.tidy_event(event)
    }

    fn handler_at(&self, event: &str, own: &OwnEntry) -> Option<&Node> {
        let groups = self.doc.at(&[PathStep::Key("hooks"), PathStep::Key(event)])?.elements()?;
        let group = groups.get(own.group)?;
        if self.agent.is_flat() { Some(group) } else { group.get("hooks")?.elements()?.get(own.handler) }
    }

    fn is_current(&self, plan: &Plan, event: &str, own: &OwnEntry, registration: &Registration) -> bool {
        let wanted = plan.handler(registration).to_string();
        let wanted = Doc::open(&wanted, JsonSyntax::Strict);
        matches!((self.handler_at(event, own), wanted), (Some(now), Ok(wanted)) if now.same_as(wanted.root()))
    }

    fn update(
        &mut self,
        plan: &Plan,
        event: &str,
        own: &OwnEntry,
        registration: &Registration,
    ) -> Result<(), SettingsError> {
        let group = [PathStep::Key("hooks"), PathStep::Key(event), PathStep::Item(own.group)];
        let [hooks, name, index] = group;
        if !self.is_current(plan, event, own, registration) {
            self.changed = true;
            if self.agent.is_flat() {
                return self.doc.replace(&group, &plan.handler(registration));
            }
            let path = [hooks, name, index, PathStep::Key("hooks"), PathStep::Item(own.handler)];
            self.doc.replace(&path, &plan.handler(registration))?;
        }
        if own.entry.matcher == registration.matcher || self.agent.is_flat() {
            return Ok(());
        }
        self.changed = true;
        let path = [hooks, name, index, PathStep::Key("matcher")];
        match &registration.matcher {
            None => self.doc.remove(&path),
            Some(matcher) if self.doc.at(&path).is_some() => self.doc.replace(&path, &json!(matcher)),
            Some(matcher) => self.doc.insert_first(&group, "matcher", &json!(matcher)),
        }
    }

    /// New entries go last, so that the others keep their positions: Codex trusts a hook by its position.
    fn append(&mut self, plan: &Plan, event: &str, registration: &Registration) -> Result<(), SettingsError> {
        self.add_group(event, &plan.group(registration))
    }

    fn add_group(&mut self, event: &str, group: &Value) -> Result<(), SettingsError> {
        if self.doc.at(&[PathStep::Key("hooks"), PathStep::Key(event)]).is_some() {
            self.insert(&[PathStep::Key("hooks"), PathStep::Key(event)], None, group)
        } else {
            self.insert(&[PathStep::Key("hooks")], Some(event), &json!([group]))
        }
    }

    fn remove(&mut self, event: &str, group: usize, handler: usize) -> Result<(), SettingsError> {
        let path = [PathStep::Key("hooks"), PathStep::Key(event), PathStep::Item(group)];
        let [hooks, name, index] = path;
        self.touched.push(event.to_owned());
        // Counted now, not at the search: an earlier removal may have left it alone in its group.
        let alone = self.doc.at(&path).is_some_and(|group| {
            own::plain_group(group)
                && group.get("hooks").and_then(Node::elements).is_some_and(|h| h.len() == 1)
        });
        if alone || self.agent.is_flat() {
            self.remove_at(&path)
        } else {
            self.remove_at(&[hooks, name, index, PathStep::Key("hooks"), PathStep::Item(handler)])
        }
    }

    /// Removes the event's array, if we emptied it and it was not there before us.
    fn tidy_event(&mut self, event: &str) -> Result<(), SettingsError> {
        if self.touched.iter().any(|touched| touched == event) {
            self.tidy(&[PathStep::Key("hooks"), PathStep::Key(event)])?;
        }
        Ok(())
    }

    fn tidy(&mut self, path: &[PathStep<'_>]) -> Result<(), SettingsError> {
        let Some(now) = self.doc.at(path).filter(|node| node.is_empty_container()) else {
            return Ok(());
        };
        let comments = self.doc.comments_in(now);
        if let Some(before) = self.origin.doc()
            && let Some(node) = before.at(path)
            && self.was_foreign(node, path)
        {
            // It was empty before us too: restore its bytes, unless a comment was added since.
            if node.is_empty_container() && before.comments_in(node) == comments {
                let raw = before.raw(node).to_owned();
                if self.doc.at(path).is_some_and(|now| self.doc.raw(now) != raw) && self.changed {
                    self.doc.replace_raw(path, &raw)?;
                }
            }
            return Ok(());
        }
        if path.is_empty() || !comments.is_empty() {
            return Ok(());
        }
        self.remove_at(path)
    }

    /// A container of the original counts as foreign unless it held nothing but entries of ours.
    fn was_foreign(&self, node: &Node, path: &[PathStep<'_>]) -> bool {
        let own_event = |event: &Node| {
            event.elements().is_some_and(|groups| {
                !groups.is_empty() && groups.iter().all(|group| own::whole_group(self.agent, group, self.exe))
            })
        };
        match path {
            [PathStep::Key("hooks")] => !node.members().is_some_and(|events| {
                !events.is_empty() && events.iter().all(|event| own_event(&event.value))
            }),
            [PathStep::Key("hooks"), _] => !own_event(node),
            _ => true,
        }
    }

    fn enable_hooks(&mut self) -> Result<(), SettingsError> {
        let Some((object, key)) = self.agent.enable else { return Ok(()) };
        let path = [PathStep::Key(object), PathStep::Key(key)];
        if self.doc.at(&path[..1]).is_none() {
            return self.insert(&[], Some(object), &json!({ key: true }));
        }
        match self.doc.at(&path).map(|value| (value.kind.clone(), self.doc.line_of(value))) {
            None => self.insert(&path[..1], Some(key), &json!(true)),
            Some((JsonKind::Bool(true), _)) => Ok(()),
            Some((_, line)) => {
                let title = self.agent.title();
                self.warn_at(
                    line,
                    format!(
                        "{object}.{key} was false and is true now: without it {title} runs no hook (undeploy restores it)"
                    ),
                );
                self.changed = true;
                self.doc.replace(&path, &json!(true))
            }
        }
    }

    /// Restores the setting, if it still has the value that we wrote.
    fn restore_enable(&mut self) -> Result<(), SettingsError> {
        let Some((object, key)) = self.agent.enable else { return Ok(()) };
        let path = [PathStep::Key(object), PathStep::Key(key)];
        let on = self.doc.at(&path).is_some_and(|value| matches!(value.kind, JsonKind::Bool(true)));
        if !on || matches!(self.origin, ParsedOrigin::Unknown) {
            return Ok(());
        }
        let was = self.origin.doc().and_then(|before| Some(before.raw(before.at(&path)?).to_owned()));
        match was {
            Some(raw) if raw == "true" => Ok(()),
            Some(raw) => {
                self.changed = true;
                self.doc.replace_raw(&path, &raw)
            }
            None => {
                self.remove_at(&path)?;
                self.tidy(&path[..1])
            }
        }
    }

    fn warn(&mut self) {
        let mut warnings = Vec::new();
        for member in self.doc.root().members().unwrap_or_default() {
            let key = &member.key;
            let line = self.doc.line_of(&member.value);
            if self.agent.off_switch == Some(key) && matches!(member.value.kind, JsonKind::Bool(true)) {
                let text =
                    format!("\"{key}\" is true: {} runs no hook until you remove it", self.agent.title());
                warnings.push(Warning { line: Some(line), text });
            }
            if self.agent.only_keys.is_some_and(|known| !known.contains(&key.as_str())) {
                let text =
                    format!("{} does not know the key \"{key}\" and may reject the file", self.agent.title());
                warnings.push(Warning { line: Some(line), text });
            }
        }
        self.warnings.append(&mut warnings);
    }
}

/// Refuses files into which our entries could not be inserted, or in which they would never be read.
fn check(agent: &AgentFiles, doc: &Doc) -> Result<(), SettingsError> {
    let refused =
        |node: &Node, message: String, hint: &str| Err(refuse(doc.text(), node.span.start, message, hint));
    let root = doc.root();
    if root.members().is_none() {
        let message = format!("the file must contain a JSON object, not {}", root.kind_name());
        return refused(root, message, "make it `{}` or restore the settings, then run the command again");
    }
    if let Some((object, key)) = agent.enable
        && let Some(node) = root.get(object)
    {
        if node.members().is_none() {
            let message = format!("\"{object}\" must be an object, not {}", node.kind_name());
            return refused(node, message, "correct or remove it, then run the command again");
        }
        if let Some(value) = node.get(key).filter(|value| !matches!(value.kind, JsonKind::Bool(_))) {
            let message = format!("\"{object}.{key}\" must be true or false, not {}", value.kind_name());
            return refused(value, message, "correct or remove it, then run the command again");
        }
    }
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    let Some(events) = hooks.members() else {
        let message = format!("\"hooks\" must be an object, not {}", hooks.kind_name());
        return refused(hooks, message, "correct or remove it, then run the command again");
    };
    for event in events {
        if event.value.elements().is_none() && !agent.not_events.contains(&event.key.as_str()) {
            let message =
                format!("\"hooks.{}\" must be an array, not {}", event.key, event.value.kind_name());
            return refused(&event.value, message, "correct or remove it, then run the command again");
        }
    }
    Ok(())
}
