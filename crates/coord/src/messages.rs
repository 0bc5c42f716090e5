//! Messages as hooks and commands use them. A session that has a message has a small file that says so; one that has none
//! asks no database.

use crate::member;
use crate::store::home_id;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_runtime::session::Session;
use sprag_scan::scrub::scrub;
use sprag_store::{Error, MessageRow, NewMessage, Reader, Role, SessionRow, Store};
use std::fmt::Write as _;
use std::io;

/// The session's file that says that a message may wait for it.
const WAITING: &str = "mail";

/// The session's file with the ids of the messages that it was given with the last answer.
const GIVEN: &str = "mail.given";

/// The longest message.
pub const MAX_CHARS: usize = 4_000;

/// Messages of one sender in a minute.
pub const MAX_PER_MINUTE: i64 = 30;

/// A session that starts so long after something was said to many is told of it.
const RECENT: i64 = 600_000_000;

/// To whom a message goes, as the store has it: an agent's name, `role:NAME`, `all`, `session:ID`.
pub fn recipient(text: &str) -> Option<String> {
    let known = match text.split_once(':') {
        Some(("role", role)) => Role::of(role).is_some(),
        Some(("session", id)) => !id.is_empty() && id.len() <= 200,
        Some(_) => false,
        None => text == "all" || member::is_name(text),
    };
    known.then(|| text.to_owned())
}

/// Who a session is, as a reader.
pub fn reader(
    store: &mut Store,
    home: &str,
    (agent, session): (&str, &str),
    project: &str,
    now: i64,
) -> Result<Reader, Error> {
    let known = store.session(agent, session)?;
    let name = store.member_name(agent, session)?.unwrap_or_else(|| agent.to_owned());
    let role = store.role(home, &name)?.unwrap_or_default();
    Ok(Reader {
        agent: agent.to_owned(),
        session: session.to_owned(),
        role: role.name().to_owned(),
        project: project.to_owned(),
        since: known.map_or(now, |row| row.started) - RECENT,
        name,
    })
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It says nothing.
    #[error("a message needs a text")]
    Empty,
    /// It is too long.
    #[error("a message has at most {MAX_CHARS} characters")]
    TooLong,
    /// The sender sent too many.
    #[error("{MAX_PER_MINUTE} messages were sent within a minute")]
    TooMany,
    /// The store.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Sends a message without its secrets, and lets the sessions of this home that it is for know. Gives it and how many they are.
pub fn send(
    host: &Host,
    store: &mut Store,
    new: NewMessage,
    now: i64,
) -> Result<(MessageRow, usize), SendError> {
    const MINUTE: i64 = 60_000_000;
    let text = scrub(new.text.trim()).into_owned();
    if text.is_empty() {
        return Err(SendError::Empty);
    }
    if text.chars().count() > MAX_CHARS {
        return Err(SendError::TooLong);
    }
    let new = NewMessage { text, ..new };
    let sent = store.send_message(&new, MAX_PER_MINUTE, now - MINUTE, now)?.ok_or(SendError::TooMany)?;
    let told = notify(host, store, &sent, now)?;
    Ok((sent, told))
}

/// Lets the sessions of this home that a message is for know of it.
pub fn notify(host: &Host, store: &mut Store, message: &MessageRow, now: i64) -> Result<usize, Error> {
    let sessions = store.live_sessions_of(&home_id(host), now)?;
    let mut told = 0;
    for row in sessions {
        let reader = reader_of(host, store, &row, now)?;
        let for_it = message.recipient == reader.name
            || message.recipient == "all"
            || message.recipient == format!("role:{}", reader.role)
            || message.recipient == format!("session:{}", row.session);
        if for_it && row.session != message.session {
            told += usize::from(wait(host, &row.session));
        }
    }
    Ok(told)
}

fn reader_of(host: &Host, store: &mut Store, row: &SessionRow, now: i64) -> Result<Reader, Error> {
    reader(store, &home_id(host), (&row.agent, &row.session), &row.project, now)
}

fn wait(host: &Host, session: &str) -> bool {
    Session::new(&host.paths, session).write(WAITING, "").is_ok()
}

/// Lets the sessions of this home know of messages that other machines sent. Returns how many have some.
pub fn notify_all(host: &Host, store: &mut Store, now: i64) -> Result<usize, Error> {
    const WEEK: i64 = 7 * 86_400_000_000;
    if !store.any_messages(now - WEEK)? {
        return Ok(0);
    }
    let mut waiting = 0;
    for row in store.live_sessions_of(&home_id(host), now)? {
        let reader = reader_of(host, store, &row, now)?;
        if store.has_messages(&reader, now)? {
            waiting += usize::from(wait(host, &row.session));
        }
    }
    Ok(waiting)
}

/// Whether a message may wait for a session, or one that it was given is not confirmed.
pub fn may_wait(session: &Session) -> bool {
    session.has(WAITING) || session.has(GIVEN)
}

/// The messages that a session was given with its last answer.
pub fn given(session: &Session) -> Vec<String> {
    session.read(GIVEN).lines().map(str::to_owned).collect()
}

/// Keeps what a session is given with this answer, and whether more waits.
pub fn set_given(session: &Session, messages: &[MessageRow], more: bool) -> io::Result<()> {
    if messages.is_empty() {
        session.remove(GIVEN)?;
    } else {
        let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        session.write(GIVEN, &ids.join("\n"))?;
    }
    if more { session.write(WAITING, "") } else { session.remove(WAITING) }
}

/// Messages as text for a model.
pub fn text(messages: &[MessageRow], more: bool) -> String {
    let mut text = match messages.len() {
        1 => "A message for you:".to_owned(),
        count => format!("{count} messages for you:"),
    };
    for message in messages {
        let (_, _, _, hour, minute, _) = Stamp(message.at as u64).civil();
        let whom = if message.session.is_empty() { "a person" } else { "an agent" };
        let to = match message.recipient.as_str() {
            "all" => ", to all".to_owned(),
            to if to.starts_with("role:") => format!(", to every {}", to.trim_start_matches("role:")),
            _ => String::new(),
        };
        let _ =
            write!(text, "\n- {} ({whom}, {hour:02}:{minute:02} UTC{to}): {}", message.sender, message.text);
    }
    if more {
        text.push_str("\nMore follow.");
    }
    text.push_str("\nAnswer in the shell where an answer helps: `sprag say NAME 'TEXT'`.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_a_message_can_go_to() {
        for good in ["ada", "all", "role:lead", "session:1a2b"] {
            assert_eq!(recipient(good).as_deref(), Some(good));
        }
        for bad in ["", "role:boss", "session:", "a b", "x:y"] {
            assert_eq!(recipient(bad), None, "{bad}");
        }
    }
}
