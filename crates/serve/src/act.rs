//! What a visitor can change. Every action needs the form's own mark; what loosens needs the code from the terminal too.
//! Each is written to the journal, with who and when.

use crate::app::Ask;
use crate::gate::Refused;
use crate::index::EventId;
use crate::pages::Answer;
use crate::view::SCREENS;
use sprag_base::text::cut;
use sprag_config::bundles::switch_bundle;
use sprag_config::edit;
use sprag_config::inventory::Inventory;
use sprag_config::spec::Bundle;
use sprag_coord::{messages, tasks};
use sprag_memory::memories;
use sprag_memory::recall::{Draft, Maker};
use sprag_runtime::approvals::{self, Approval};
use sprag_runtime::pending;
use sprag_runtime::session::Session;
use sprag_runtime::summary::hook_name;
use sprag_store::{NewMessage, Opening, TaskChange};
use std::time::Duration;

/// Who acts, for the journal and for those who are told.
const PAGE: &str = "page";
/// Who a message is from.
const PERSON: &str = "person";
/// How the store is opened for a change of a memory.
const WRITING: Opening = Opening { wait: Duration::from_secs(5), ..Opening::WORKER };
/// An approval that is not used ends after this time, as with `sprag allow`.
const ONCE: Duration = Duration::from_secs(3_600);

/// Does what a form asks for, and leads back to its page.
pub(crate) fn answer(ask: &Ask<'_>) -> Result<Answer, Refused> {
    let Some(action) = (ask.path == "/act").then(|| Action::from_name(ask.param("action"))).flatten() else {
        return Err(Refused::Form);
    };
    ask.app.gate.may_act(ask.visitor, ask.param("csrf"), Some(ask.param("code")), action.loosens())?;
    let outcome = match action.run(ask, ask.param("id")) {
        Ok(true) => "yes",
        Ok(false) => "gone",
        Err(_) => "failed",
    };
    // Only to a page of its own.
    let wanted = ask.param("back");
    let back = SCREENS.iter().map(|(path, ..)| *path).find(|path| *path == wanted).unwrap_or_else(|| {
        let one = wanted
            .strip_prefix("/memory/")
            .filter(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        if one.is_some() { wanted } else { "/" }
    });
    Ok(Answer::Go(format!("{back}?done={outcome}")))
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    AnswerAllow,
    AnswerDeny,
    AllowStop,
    ReleaseMemory,
    ForgetMemory,
    AcceptLesson,
    RejectLesson,
    CancelTask,
    EditMemory,
    SendMessage,
    EnableBundle,
    DisableBundle,
}

type Failed = Box<dyn std::error::Error>;

impl Action {
    const ALL: [(&'static str, Self); 12] = [
        ("answer-allow", Self::AnswerAllow),
        ("answer-deny", Self::AnswerDeny),
        ("allow-stop", Self::AllowStop),
        ("release-memory", Self::ReleaseMemory),
        ("forget-memory", Self::ForgetMemory),
        ("accept-lesson", Self::AcceptLesson),
        ("reject-lesson", Self::RejectLesson),
        ("cancel-task", Self::CancelTask),
        ("edit-memory", Self::EditMemory),
        ("send-message", Self::SendMessage),
        ("enable-bundle", Self::EnableBundle),
        ("disable-bundle", Self::DisableBundle),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
    }

    /// It lets something through, changes what is guarded, or puts text before a model in the name of a person.
    const fn loosens(self) -> bool {
        match self {
            Self::AnswerAllow
            | Self::AllowStop
            | Self::ReleaseMemory
            | Self::AcceptLesson
            | Self::EditMemory
            | Self::SendMessage
            | Self::EnableBundle
            | Self::DisableBundle => true,
            Self::AnswerDeny | Self::ForgetMemory | Self::RejectLesson | Self::CancelTask => false,
        }
    }

    /// False when there is nothing left to do it to.
    fn run(self, ask: &Ask<'_>, id: &str) -> Result<bool, Failed> {
        let host = &ask.app.host;
        match self {
            Self::AnswerAllow | Self::AnswerDeny => {
                let allow = self == Self::AnswerAllow;
                Ok(pending::answer(host, id, allow, PAGE)?.is_some())
            }
            Self::AllowStop => allow_stop(ask, id),
            Self::ReleaseMemory => {
                let done = ask.app.store_to_change()?.release_memory(id)?;
                note(ask, done, "memory", &format!("released memory {id} from quarantine"));
                Ok(done)
            }
            Self::ForgetMemory => {
                let done = ask.app.store_to_change()?.forget_memories(&[id.to_owned()])? > 0;
                note(ask, done, "memory", &format!("forgot memory {id}"));
                Ok(done)
            }
            Self::EditMemory => edit_memory(ask, id),
            Self::SendMessage => send_message(ask),
            Self::EnableBundle | Self::DisableBundle => bundle(ask, id, self == Self::EnableBundle),
            Self::AcceptLesson | Self::RejectLesson => lesson(ask, id, self == Self::AcceptLesson),
            Self::CancelTask => {
                let mut store = ask.app.store_to_change()?;
                let Some(task) = store.task(id)?.filter(|task| !task.state.is_end()) else {
                    return Ok(false);
                };
                let change = TaskChange::Cancel("cancelled on the page".to_owned());
                let done = store.change_task(&task.id, &change, ask.micros())?.is_ok();
                // The session that works on it is told at its next call, not when it happens to ask.
                let session = Session::new(&host.paths, &task.session);
                if done && !task.session.is_empty() && session.dir().exists() {
                    tasks::look_again(&session)?;
                }
                note(ask, done, "task", &format!("cancelled task {id}"));
                Ok(done)
            }
        }
    }
}

/// Lets a stopped call through once, as `sprag allow` does.
fn allow_stop(ask: &Ask<'_>, event: &str) -> Result<bool, Failed> {
    let found = EventId::parse(event).and_then(|id| ask.app.index.look().event(&id));
    let Some(entry) = found.and_then(|listed| listed.entry()) else { return Ok(false) };
    let Some((stop, key)) = entry.stop.as_ref().and_then(|stop| Some((stop, stop.key.as_ref()?))) else {
        return Ok(false);
    };
    let approval = Approval {
        stop: Some(stop.id.clone()),
        shown: Some(cut(&stop.shown, 400)),
        ..Approval::new(&ask.app.host, ONCE)
    };
    approval.keep_stop(&ask.app.host, key)?;
    let hooks: Vec<&str> = entry
        .runs
        .iter()
        .filter(|run| !run.shadow && matches!(run.verdict.as_str(), "deny" | "block" | "ask"))
        .map(hook_name)
        .collect();
    approvals::note_allowed(&ask.app.host, &hooks, &stop.id, "once, on the page");
    Ok(true)
}

/// Changes the words of a memory; the previous ones are kept. Whoever changes them is answerable for them: a person.
fn edit_memory(ask: &Ask<'_>, id: &str) -> Result<bool, Failed> {
    let mut library = memories::open(&ask.app.host, WRITING)?;
    let found = library.store().find_memory(id)?.into_iter().find(|memory| memory.id == id);
    let Some(old) = found else { return Ok(false) };
    // The version that the form was made from: what somebody else wrote in between is not lost.
    let seen: i64 = ask.param("version").parse()?;
    let text = ask.param("text").replace("\r\n", "\n");
    let draft = Draft { text, maker: Maker::Person, ..Draft::of(&old, ask.micros()) };
    let done = library.edit(&old.id, Some(seen), &draft, ask.micros())?;
    note(ask, done, "memory", &format!("changed memory {id}"));
    Ok(done)
}

/// Sends a message to an agent, a role, a session or all, as the person at the page.
fn send_message(ask: &Ask<'_>) -> Result<bool, Failed> {
    let Some(to) = messages::recipient(ask.param("to")) else { return Ok(false) };
    let host = &ask.app.host;
    let mut store = ask.app.store_to_change()?;
    let new = NewMessage {
        project: ask.app.project.key(&host.machine()),
        sender: PERSON.to_owned(),
        session: String::new(),
        recipient: to,
        text: ask.param("text").to_owned(),
    };
    let (sent, _) = messages::send(host, &mut store, new, ask.micros())?;
    note(ask, true, "messages", &format!("sent a message to {}: {}", sent.recipient, cut(&sent.text, 200)));
    Ok(true)
}

/// Switches a bundle in the user's configuration, for every project and agent.
fn bundle(ask: &Ask<'_>, name: &str, on: bool) -> Result<bool, Failed> {
    let Some(bundle) = Bundle::from_name(name) else { return Ok(false) };
    let host = &ask.app.host;
    let inventory = Inventory::new(host, ask.app.project.clone());
    let done = edit::edit(&host.paths.config_file(), |document| {
        switch_bundle(document, &inventory, bundle, on);
    })?;
    note(ask, done, "bundles", &format!("switched bundle {name} {}", if on { "on" } else { "off" }));
    ask.app.forget_examination();
    Ok(done)
}

/// Accepts or rejects a lesson that waits for a review.
fn lesson(ask: &Ask<'_>, id: &str, accept: bool) -> Result<bool, Failed> {
    use sprag_lessons::model::{Lesson, Status};
    use sprag_lessons::{library, review};
    let host = &ask.app.host;
    let mut store = ask.app.store_to_change()?;
    let found = store.lesson(id)?.as_ref().and_then(Lesson::from_row);
    let Some(lesson) = found.filter(|lesson| lesson.status == Status::Candidate) else { return Ok(false) };
    let slug = lesson.slug.clone();
    let changed = if accept {
        let lesson = review::accepted(lesson, ask.micros());
        if !sprag_lessons::validate::faults(&lesson).is_empty() {
            return Err("the lesson has faults: `sprag lessons review` names them".into());
        }
        lesson
    } else {
        review::archived(lesson, "rejected on the page", ask.micros())
    };
    store.put_lessons(&[changed.row()])?;
    library::rebuild(host, &mut store, true)?;
    store.note_review(ask.micros(), if accept { "promote" } else { "archive" }, &changed.id, PAGE)?;
    let word = if accept { "accepted" } else { "rejected" };
    note(ask, true, "lessons", &format!("{word} lesson {slug}"));
    Ok(true)
}

/// Writes what was done to the journal.
fn note(ask: &Ask<'_>, done: bool, what: &str, text: &str) {
    if done {
        approvals::note(&ask.app.host, PAGE, &[what], &format!("a person {text} on the page"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_lets_something_through_loosens() {
        let loosens: Vec<&str> =
            Action::ALL.into_iter().filter(|(_, action)| action.loosens()).map(|(name, _)| name).collect();
        assert_eq!(
            loosens,
            [
                "answer-allow", "allow-stop", "release-memory", "accept-lesson", "edit-memory",
                "send-message", "enable-bundle", "disable-bundle"
            ]
        );
        assert_eq!(Action::from_name("run-program"), None);
    }
}
