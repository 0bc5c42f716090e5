//! The pure core: a file's text and a plan in, the new text out.
//! Foreign bytes stay; ours are added, changed in place or taken out; nothing here touches a disk.

use std::path::Path;

use serde_json::{Value, json};

use super::agents::AgentFiles;
use super::doc::{Doc, Step};
use super::json::{Kind, Node, Refusal, refuse};
use super::own::{self, Entry, Found};
use super::plan::{Plan, Registration};

/// What the file was before the first deploy: it tells what is ours to take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// Nobody remembers: a container that only held our entries is taken for ours.
    Unknown,
    /// There was no file.
    Absent,
    /// The file's text.
    Text(&'a str),
}

/// A new text, and what its owner should know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text to write.
    pub text: String,
    /// What was repaired or will not work.
    pub warnings: Vec<Warning>,
}

/// Something that did not stop the work, said in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line in the file as it was, where there is one.
    pub line: Option<usize>,
    /// What, and what to do about it.
    pub text: String,
}

/// Makes `text` agree with the plan. Applying the plan to the result changes nothing more.
pub fn apply(plan: &Plan, text: &str, origin: Origin<'_>) -> Result<Edited, Refusal> {
    let mut editor = Editor::open(plan.agent, text, Some(&plan.command.exe), origin)?;
    if plan.registrations.is_empty() {
        return strip(plan.agent, Some(&plan.command.exe), text, origin);
    }
    editor.repair_matchers()?;
    let mut events = own::events(&editor.doc);
    for registration in &plan.registrations {
        if !events.contains(&registration.event) {
            events.push(registration.event.clone());
        }
    }
    let wanted = |event: &str| -> Vec<&Registration> {
        plan.registrations.iter().filter(|registration| registration.event == event).collect()
    };
    editor.add_missing_hooks(plan)?;
    for event in &events {
        editor.sync(plan, event, &wanted(event))?;
    }
    editor.switch_on()?;
    editor.warn();
    Ok(editor.done(text))
}

/// Takes our entries out of `text`, and what we added for them.
pub fn strip(
    agent: &AgentFiles,
    exe: Option<&Path>,
    text: &str,
    origin: Origin<'_>,
) -> Result<Edited, Refusal> {
    let mut editor = Editor::open(agent, text, exe, origin)?;
    for event in own::events(&editor.doc) {
        for found in own::in_event(&editor.doc, &event, exe).iter().rev() {
            editor.remove(&event, found)?;
        }
        editor.tidy_event(&event)?;
    }
    if !editor.touched.is_empty() {
        editor.tidy(&[Step::Key("hooks")])?;
    }
    editor.switch_back()?;
    editor.tidy(&[])?;
    let blank = editor.blank_again();
    let edited = editor.done(text);
    Ok(Edited { text: blank.unwrap_or(edited.text), ..edited })
}

/// Our entries in `text`.
pub fn entries(agent: &AgentFiles, exe: Option<&Path>, text: &str) -> Result<Vec<Entry>, Refusal> {
    let doc = Doc::open(text, agent.syntax)?;
    check(agent, &doc)?;
    Ok(own::all(&doc, exe).into_iter().map(|found| found.entry).collect())
}

/// The origin, parsed.
enum Before {
    Unknown,
    Absent,
    Doc(Box<Doc>),
}

impl Before {
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
    origin: Before,
    /// Paths that lost an entry of ours: only these may be tidied away.
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
    ) -> Result<Self, Refusal> {
        let doc = Doc::open(text, agent.syntax)?;
        check(agent, &doc)?;
        let origin = match origin {
            Origin::Unknown => Before::Unknown,
            Origin::Absent => Before::Absent,
            // A backup that does not parse says nothing.
            Origin::Text(text) => {
                Doc::open(text, agent.syntax).map_or(Before::Unknown, |doc| Before::Doc(Box::new(doc)))
            }
        };
        Ok(Self { agent, exe, doc, origin, touched: Vec::new(), changed: false, warnings: Vec::new() })
    }

    /// An edit that changed nothing gives back the very text, also where an empty file was read as `{}`.
    fn done(self, before: &str) -> Edited {
        let text = if self.changed { self.doc.into_text() } else { before.to_owned() };
        Edited { text, warnings: self.warnings }
    }

    /// The original text, when that held no value and nothing but an empty object is left now.
    fn blank_again(&self) -> Option<String> {
        let before = self.origin.doc()?;
        let same = self.doc.root().is_empty_container() && before.all_comments() == self.doc.all_comments();
        before.blank().filter(|_| same && self.changed).map(str::to_owned)
    }

    fn warn_at(&mut self, line: usize, text: String) {
        self.warnings.push(Warning { line: Some(line), text });
    }

    fn insert(&mut self, path: &[Step<'_>], key: Option<&str>, value: &Value) -> Result<(), Refusal> {
        self.changed = true;
        self.doc.insert(path, key, value)
    }

    fn take(&mut self, path: &[Step<'_>]) -> Result<(), Refusal> {
        self.changed = true;
        self.doc.remove(path)
    }

    /// One matcher that is not a string makes the agent drop the whole file, our hooks with it.
    fn repair_matchers(&mut self) -> Result<(), Refusal> {
        if !self.agent.strict_matcher {
            return Ok(());
        }
        let mut repairs = Vec::new();
        for event in own::events(&self.doc) {
            let groups = self.doc.at(&[Step::Key("hooks"), Step::Key(&event)]).and_then(Node::elements);
            for (index, group) in groups.unwrap_or_default().iter().enumerate() {
                let Some(matcher) = group.get("matcher") else { continue };
                match matcher.kind {
                    Kind::String(_) => {}
                    Kind::Null => repairs.push((event.clone(), index, self.doc.line_of(matcher))),
                    _ => {
                        let what = format!(
                            "the matcher of an entry of {event} is {}, which makes {} reject the whole file",
                            matcher.kind_name(),
                            self.agent.title
                        );
                        let fix = "write it as a string such as \"Edit|Write\", or remove it";
                        return Err(refuse(self.doc.text(), matcher.span.start, what, fix));
                    }
                }
            }
        }
        for (event, index, line) in repairs {
            self.take(&[Step::Key("hooks"), Step::Key(&event), Step::Item(index), Step::Key("matcher")])?;
            let title = self.agent.title;
            self.warn_at(
                line,
                format!(
                    "removed \"matcher\": null from an entry of {event}: it made {title} reject the whole file"
                ),
            );
        }
        Ok(())
    }

    /// All events at once into a file that has no hooks yet: one splice instead of one per event.
    fn add_missing_hooks(&mut self, plan: &Plan) -> Result<(), Refusal> {
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

    /// Makes our entries of one event agree with the registrations, keeping their places.
    fn sync(&mut self, plan: &Plan, event: &str, wanted: &[&Registration]) -> Result<(), Refusal> {
        let found = own::in_event(&self.doc, event, self.exe);
        let mut partner: Vec<Option<&Found>> = vec![None; wanted.len()];
        let mut free: Vec<&Found> = found.iter().collect();
        // First what is right already, then whatever can be changed where it stands.
        for exact in [true, false] {
            for (registration, partner) in wanted.iter().zip(&mut partner) {
                if partner.is_some() {
                    continue;
                }
                let fits = |found: &&Found| {
                    let same_matcher = found.entry.matcher == registration.matcher;
                    if exact {
                        same_matcher && self.is_current(plan, event, found, registration)
                    } else {
                        same_matcher || found.alone
                    }
                };
                if let Some(at) = free.iter().position(fits) {
                    *partner = Some(free.remove(at));
                }
            }
        }
        for (registration, partner) in wanted.iter().zip(&partner) {
            if let Some(found) = partner {
                self.update(plan, event, found, registration)?;
            }
        }
        for found in free.iter().rev() {
            self.remove(event, found)?;
        }
        for (registration, partner) in wanted.iter().zip(&partner) {
            if partner.is_none() {
                self.append(plan, event, registration)?;
            }
        }
        self.tidy_event(event)
    }

    fn handler_at(&self, event: &str, found: &Found) -> Option<&Node> {
        let groups = self.doc.at(&[Step::Key("hooks"), Step::Key(event)])?.elements()?;
        groups.get(found.group)?.get("hooks")?.elements()?.get(found.handler)
    }

    fn is_current(&self, plan: &Plan, event: &str, found: &Found, registration: &Registration) -> bool {
        let wanted = plan.handler(registration).to_string();
        let wanted = Doc::open(&wanted, super::json::Syntax::Strict);
        matches!((self.handler_at(event, found), wanted), (Some(now), Ok(wanted)) if now.same_as(wanted.root()))
    }

    fn update(
        &mut self,
        plan: &Plan,
        event: &str,
        found: &Found,
        registration: &Registration,
    ) -> Result<(), Refusal> {
        let group = [Step::Key("hooks"), Step::Key(event), Step::Item(found.group)];
        let [hooks, name, index] = group;
        if !self.is_current(plan, event, found, registration) {
            self.changed = true;
            let path = [hooks, name, index, Step::Key("hooks"), Step::Item(found.handler)];
            self.doc.replace(&path, &plan.handler(registration))?;
        }
        if found.entry.matcher == registration.matcher {
            return Ok(());
        }
        self.changed = true;
        let path = [hooks, name, index, Step::Key("matcher")];
        match &registration.matcher {
            None => self.doc.remove(&path),
            Some(matcher) if self.doc.at(&path).is_some() => self.doc.replace(&path, &json!(matcher)),
            Some(matcher) => self.doc.insert_first(&group, "matcher", &json!(matcher)),
        }
    }

    /// New entries go last: whoever stands before keeps its position, and with it its trust in Codex.
    fn append(&mut self, plan: &Plan, event: &str, registration: &Registration) -> Result<(), Refusal> {
        let group = plan.group(registration);
        if self.doc.at(&[Step::Key("hooks"), Step::Key(event)]).is_some() {
            self.insert(&[Step::Key("hooks"), Step::Key(event)], None, &group)
        } else {
            self.insert(&[Step::Key("hooks")], Some(event), &json!([group]))
        }
    }

    fn remove(&mut self, event: &str, found: &Found) -> Result<(), Refusal> {
        let path = [Step::Key("hooks"), Step::Key(event), Step::Item(found.group)];
        let [hooks, name, index] = path;
        self.touched.push(event.to_owned());
        // Counted now, not when it was found: an earlier removal may have left it alone in its group.
        let alone = self.doc.at(&path).is_some_and(|group| {
            own::plain_group(group)
                && group.get("hooks").and_then(Node::elements).is_some_and(|h| h.len() == 1)
        });
        if alone {
            self.take(&path)
        } else {
            self.take(&[hooks, name, index, Step::Key("hooks"), Step::Item(found.handler)])
        }
    }

    /// Takes away the event's array, if we emptied it and it was not there before us.
    fn tidy_event(&mut self, event: &str) -> Result<(), Refusal> {
        if self.touched.iter().any(|touched| touched == event) {
            self.tidy(&[Step::Key("hooks"), Step::Key(event)])?;
        }
        Ok(())
    }

    fn tidy(&mut self, path: &[Step<'_>]) -> Result<(), Refusal> {
        let Some(now) = self.doc.at(path).filter(|node| node.is_empty_container()) else {
            return Ok(());
        };
        let comments = self.doc.comments_in(now);
        if let Some(before) = self.origin.doc()
            && let Some(node) = before.at(path)
            && self.was_foreign(node, path)
        {
            // It was empty before us too: put back the very bytes, unless somebody left a comment since.
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
        self.take(path)
    }

    /// A container of the original counts as foreign unless it held nothing but entries of ours.
    fn was_foreign(&self, node: &Node, path: &[Step<'_>]) -> bool {
        let own_event = |event: &Node| {
            event.elements().is_some_and(|groups| {
                !groups.is_empty() && groups.iter().all(|group| own::whole_group(group, self.exe))
            })
        };
        match path {
            [Step::Key("hooks")] => !node.members().is_some_and(|events| {
                !events.is_empty() && events.iter().all(|event| own_event(&event.value))
            }),
            [Step::Key("hooks"), _] => !own_event(node),
            _ => true,
        }
    }

    fn switch_on(&mut self) -> Result<(), Refusal> {
        let Some((object, key)) = self.agent.enable else { return Ok(()) };
        let path = [Step::Key(object), Step::Key(key)];
        if self.doc.at(&path[..1]).is_none() {
            return self.insert(&[], Some(object), &json!({ key: true }));
        }
        match self.doc.at(&path).map(|value| (value.kind.clone(), self.doc.line_of(value))) {
            None => self.insert(&path[..1], Some(key), &json!(true)),
            Some((Kind::Bool(true), _)) => Ok(()),
            Some((_, line)) => {
                let title = self.agent.title;
                self.warn_at(
                    line,
                    format!(
                        "{object}.{key} was off and is on now: without it {title} runs no hook (undeploy puts it back)"
                    ),
                );
                self.changed = true;
                self.doc.replace(&path, &json!(true))
            }
        }
    }

    /// Puts the switch back to what it was, if it still says what we wrote.
    fn switch_back(&mut self) -> Result<(), Refusal> {
        let Some((object, key)) = self.agent.enable else { return Ok(()) };
        let path = [Step::Key(object), Step::Key(key)];
        let on = self.doc.at(&path).is_some_and(|value| matches!(value.kind, Kind::Bool(true)));
        if !on || matches!(self.origin, Before::Unknown) {
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
                self.take(&path)?;
                self.tidy(&path[..1])
            }
        }
    }

    fn warn(&mut self) {
        let mut found = Vec::new();
        for member in self.doc.root().members().unwrap_or_default() {
            let key = &member.key;
            let line = self.doc.line_of(&member.value);
            if self.agent.off_switch == Some(key) && matches!(member.value.kind, Kind::Bool(true)) {
                let text =
                    format!("\"{key}\" is true: {} runs no hook until you remove it", self.agent.title);
                found.push(Warning { line: Some(line), text });
            }
            if self.agent.only_keys.is_some_and(|known| !known.contains(&key.as_str())) {
                let text =
                    format!("{} does not know the key \"{key}\" and may reject the file", self.agent.title);
                found.push(Warning { line: Some(line), text });
            }
        }
        self.warnings.append(&mut found);
    }
}

/// Refuses shapes in which our entries could not be placed, or would never be read.
fn check(agent: &AgentFiles, doc: &Doc) -> Result<(), Refusal> {
    let refused = |node: &Node, what: String, fix: &str| Err(refuse(doc.text(), node.span.start, what, fix));
    let root = doc.root();
    if root.members().is_none() {
        let what = format!("the file must hold a JSON object, and holds {}", root.kind_name());
        return refused(root, what, "make it `{}` or restore the settings, then run the command again");
    }
    if let Some((object, key)) = agent.enable
        && let Some(node) = root.get(object)
    {
        if node.members().is_none() {
            let what = format!("\"{object}\" must be an object, and is {}", node.kind_name());
            return refused(node, what, "correct or remove it, then run the command again");
        }
        if let Some(value) = node.get(key).filter(|value| !matches!(value.kind, Kind::Bool(_))) {
            let what = format!("\"{object}.{key}\" must be true or false, and is {}", value.kind_name());
            return refused(value, what, "correct or remove it, then run the command again");
        }
    }
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    let Some(events) = hooks.members() else {
        let what = format!("\"hooks\" must be an object, and is {}", hooks.kind_name());
        return refused(hooks, what, "correct or remove it, then run the command again");
    };
    for event in events {
        if event.value.elements().is_none() && !agent.not_events.contains(&event.key.as_str()) {
            let what =
                format!("\"hooks.{}\" must be an array, and is {}", event.key, event.value.kind_name());
            return refused(&event.value, what, "correct or remove it, then run the command again");
        }
    }
    Ok(())
}
