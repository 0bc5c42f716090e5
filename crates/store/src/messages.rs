//! Messages between agents and people. A message is given to its reader with an answer of a hook, and counts as read when
//! the reader's next event shows that the answer arrived. A reader whose session died before that is given it again.

use crate::conn::Conn;
use crate::error::Result;
use crate::row::from_row;
use crate::value::values;
use crate::{Store, new_id};
use serde::{Deserialize, Serialize};

/// A message to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMessage {
    /// The project that it is about; empty reaches readers on every project.
    pub project: String,
    /// Who sends it: the name in the team.
    pub sender: String,
    /// The sender's session; empty for a person.
    pub session: String,
    /// An agent's name, `role:lead`, `role:worker`, `all`, or `session:ID`.
    pub recipient: String,
    /// The text.
    pub text: String,
}

/// A message in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRow {
    /// Its id.
    pub id: String,
    /// The project.
    pub project: String,
    /// Who sent it.
    pub sender: String,
    /// The sender's session.
    pub session: String,
    /// To whom.
    pub recipient: String,
    /// The text.
    pub text: String,
    /// When.
    pub at: i64,
}

/// A message with who has read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The message.
    pub message: MessageRow,
    /// The names of those who have it.
    pub readers: Vec<String>,
}

/// Who reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// The agent program.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// The agent's name in the team.
    pub name: String,
    /// The role's name.
    pub role: String,
    /// The project.
    pub project: String,
    /// What was said to many before that is not given to it: it has nothing to do with that.
    pub since: i64,
}

from_row! { MessageRow: id, project, sender, session, recipient, text, at }

const COLUMNS: &str = "m.id, m.project, m.sender, m.session, m.recipient, m.text, m.at";

/// The condition that message `m` is for the reader `$1` (name) `$2` (role) `$3` (session) `$4` (project) and is not
/// from its own session.
const FOR_READER: &str = "m.session <> $3 AND (m.recipient = $1 OR m.recipient = 'session:' || $3 \
     OR ((m.recipient = 'all' OR m.recipient = 'role:' || $2) AND (m.project = '' OR m.project = $4) AND m.at >= $5))";

/// The condition that nobody has message `m` for the reader `$6`: nobody was given it, or only a session that died before
/// it confirmed.
const NOT_GIVEN: &str = "NOT EXISTS (SELECT 1 FROM message_reads r WHERE r.message = m.id AND r.reader = $6 \
     AND (r.confirmed IS NOT NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.agent = r.agent \
     AND s.session = r.session AND s.ended IS NULL AND s.lease_until > $7)))";

impl Reader {
    /// Under which key a message counts as read: one for a name on all machines, one per session for what is said to many.
    fn key(&self, recipient: &str) -> &str {
        if recipient == self.name { &self.name } else { &self.session }
    }
}

fn unread(conn: &mut dyn Conn, reader: &Reader, now: i64, most: i64) -> Result<Vec<MessageRow>> {
    let Reader { name, role, session, project, since, .. } = reader;
    // Both keys are looked at; a message is read under one of them only.
    let sql = format!(
        "SELECT {COLUMNS} FROM messages m WHERE {FOR_READER} AND {NOT_GIVEN} AND {} ORDER BY m.at, m.id LIMIT $9",
        NOT_GIVEN.replace("$6", "$8")
    );
    conn.all(&sql, values![name, role, session, project, *since, name, now, session, most])
}

impl Store {
    /// Sends a message. `None` when the sender has sent `limit` messages since `window`.
    pub fn send_message(
        &mut self,
        new: &NewMessage,
        limit: i64,
        window: i64,
        now: i64,
    ) -> Result<Option<MessageRow>> {
        self.atomically(|conn| {
            let sql = "SELECT COUNT(*) FROM messages WHERE sender = $1 AND session = $2 AND at > $3";
            let sent: i64 = conn.one(sql, values![&new.sender, &new.session, window])?;
            if sent >= limit {
                return Ok(None);
            }
            let id = new_id();
            let NewMessage { project, sender, session, recipient, text } = new;
            conn.execute(
                "INSERT INTO messages (id, project, sender, session, recipient, text, at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                values![&id, project, sender, session, recipient, text, now],
            )?;
            conn.first(&format!("SELECT {COLUMNS} FROM messages m WHERE m.id = $1"), values![&id])
        })
    }

    /// Whether a reader has messages that it was not given.
    pub fn has_messages(&mut self, reader: &Reader, now: i64) -> Result<bool> {
        Ok(!unread(&mut *self.conn, reader, now, 1)?.is_empty())
    }

    /// Whether anything was sent since a time.
    pub fn any_messages(&mut self, since: i64) -> Result<bool> {
        self.conn.exists("SELECT 1 FROM messages WHERE at >= $1 LIMIT 1", values![since])
    }

    /// Gives a reader its messages, the oldest first, as long as `fits` takes them. They count as read when they are
    /// confirmed.
    pub fn give_messages(
        &mut self,
        reader: &Reader,
        now: i64,
        mut fits: impl FnMut(&MessageRow) -> bool,
    ) -> Result<(Vec<MessageRow>, bool)> {
        const MAX_GIVEN: i64 = 50;
        self.atomically(|conn| {
            let found = unread(conn, reader, now, MAX_GIVEN)?;
            let count = found.len();
            let given: Vec<MessageRow> = found.into_iter().take_while(|message| fits(message)).collect();
            let mut own = Vec::new();
            for message in given {
                let key = reader.key(&message.recipient);
                // Of two sessions of one name, one gets it.
                let taken = conn.execute(
                    "INSERT INTO message_reads (message, reader, agent, session, at, confirmed) \
                     VALUES ($1, $2, $3, $4, $5, NULL) ON CONFLICT (message, reader) DO UPDATE SET \
                     agent = excluded.agent, session = excluded.session, at = excluded.at \
                     WHERE message_reads.confirmed IS NULL AND NOT EXISTS (SELECT 1 FROM sessions s \
                     WHERE s.agent = message_reads.agent AND s.session = message_reads.session \
                     AND s.ended IS NULL AND s.lease_until > excluded.at)",
                    values![&message.id, key, &reader.agent, &reader.session, now],
                )?;
                if taken > 0 {
                    own.push(message);
                }
            }
            let more = count > own.len();
            Ok((own, more))
        })
    }

    /// What a session was given has arrived.
    pub fn confirm_messages(&mut self, agent: &str, session: &str, ids: &[String], now: i64) -> Result<u64> {
        self.atomically(|conn| {
            let mut confirmed = 0;
            for id in ids {
                confirmed += conn.execute(
                    "UPDATE message_reads SET confirmed = $4 WHERE message = $1 AND agent = $2 AND session = $3 \
                     AND confirmed IS NULL",
                    values![id, agent, session, now],
                )?;
            }
            Ok(confirmed)
        })
    }

    /// Messages since a time, the newest first, with who has read each. `about` is a name: sent by it or to it.
    pub fn messages(&mut self, about: Option<&str>, since: i64) -> Result<Vec<Mail>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM messages m WHERE m.at >= $2 AND ($1 = '' OR m.sender = $1 OR m.recipient = $1 \
             OR m.recipient = 'all' OR m.recipient LIKE 'role:%') ORDER BY m.at DESC, m.id DESC LIMIT 200"
        );
        let found: Vec<MessageRow> = self.conn.all(&sql, values![about.unwrap_or_default(), since])?;
        let mut mail = Vec::new();
        for message in found {
            let sql = "SELECT COALESCE((SELECT m.name FROM members m WHERE m.agent = r.agent AND m.session = r.session), \
                       r.reader) FROM message_reads r WHERE r.message = $1 AND r.confirmed IS NOT NULL ORDER BY 1";
            let readers = self.conn.all(sql, values![&message.id])?;
            mail.push(Mail { message, readers });
        }
        Ok(mail)
    }
}
