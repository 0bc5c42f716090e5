//! Changes that may be sent late or twice: each has an id and a time, and is applied once.

use crate::Store;
use crate::claims::{ClaimKey, Claimant};
use crate::error::Result;
use crate::identity::{self, IdentityDraft};
use crate::patterns::{self, Join};
use crate::sessions::{self, Registration};
use crate::value::values;
use serde::{Deserialize, Serialize};

/// A change with its id and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    /// Makes sending it twice harmless.
    pub id: String,
    /// When it happened, in microseconds.
    pub at: i64,
    /// What happened.
    #[serde(flatten)]
    pub kind: OpKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum OpKind {
    /// A session started or continues.
    Register(Registration),
    /// A session ended.
    Release {
        /// The agent program.
        agent: String,
        /// The agent's own id of the session.
        session: String,
    },
    /// Frees the claims of a session.
    Free {
        /// The agent program.
        agent: String,
        /// The agent's own id of the session.
        session: String,
    },
    /// A session changed files while the store was unavailable: each with its checkout.
    Claim {
        /// Who.
        by: Claimant,
        /// What.
        keys: Vec<(ClaimKey, String)>,
    },
    /// An agent goes offline: its session ends and its claims are freed.
    Offline {
        /// The agent program.
        agent: String,
        /// The agent's own id of the session.
        session: String,
    },
    /// Sets key-value state unconditionally.
    Put {
        /// The space.
        space: String,
        /// The key.
        name: String,
        /// The value.
        value: String,
    },
    /// An agent joins a pattern run.
    PatternJoin(Join),
    /// A member of a pattern run finished.
    PatternDone {
        /// The member, which joins now if it is unknown.
        join: Join,
        /// `done`, `failed`, or a custom value of the pattern.
        state: String,
        /// Its vote; empty keeps the known one.
        vote: String,
        /// Its output; empty keeps the known one.
        output: String,
        /// The topic under which its output is posted; empty posts nothing.
        topic: String,
    },
    /// A session ended: its unfinished members failed.
    PatternGone {
        /// The agent's own id of the session.
        session: String,
    },
    /// A post for the members of a pattern run.
    PatternPost {
        /// The project.
        project: String,
        /// The run.
        run: String,
        /// Its author.
        author: String,
        /// The author's role.
        role: String,
        /// Its topic.
        topic: String,
        /// The text.
        text: String,
    },
    /// A new version of an agent's document, if the last one is still the one that was seen.
    Identity(IdentityDraft),
}

/// The result of applying a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was applied.
    Now,
    /// It had been applied before.
    Before,
}

impl Op {
    /// A change that happens at this time.
    pub fn new(at: i64, kind: OpKind) -> Self {
        Self { id: crate::new_id(), at, kind }
    }
}

impl Store {
    /// Applies a change once, no matter how often it is sent.
    pub fn apply(&mut self, op: &Op) -> Result<Applied> {
        self.atomically(|conn| {
            let first = "INSERT INTO applied (id, at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
            if conn.execute(first, values![&op.id, op.at])? == 0 {
                return Ok(Applied::Before);
            }
            match &op.kind {
                OpKind::Register(registration) => sessions::register(conn, op.at, registration)?,
                OpKind::Release { agent, session } => sessions::release(conn, op.at, agent, session)?,
                OpKind::Free { agent, session } => crate::claims::free(conn, agent, session, op.at)?,
                OpKind::Claim { by, keys } => crate::claims::late(conn, keys, by, op.at)?,
                OpKind::Offline { agent, session } => crate::team::offline(conn, op.at, agent, session)?,
                OpKind::Put { space, name, value } => {
                    crate::state::put(conn, space, name, value, op.at)?;
                }
                OpKind::PatternJoin(join) => patterns::join(conn, op.at, join)?,
                OpKind::PatternDone { join, state, vote, output, topic } => {
                    patterns::join(conn, op.at, join)?;
                    patterns::done(conn, op.at, join, [state, vote, output])?;
                    if !topic.is_empty() && !output.is_empty() {
                        let from = [&join.member, &join.role];
                        patterns::post(conn, op.at, [&join.project, &join.run], from, topic, output)?;
                    }
                }
                OpKind::PatternGone { session } => patterns::gone(conn, op.at, session)?,
                OpKind::PatternPost { project, run, author, role, topic, text } => {
                    patterns::post(conn, op.at, [project, run], [author, role], topic, text)?;
                }
                OpKind::Identity(draft) => {
                    identity::add(conn, op.at, draft)?;
                }
            }
            Ok(Applied::Now)
        })
    }
}
