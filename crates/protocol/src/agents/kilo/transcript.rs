//! OpenCode's, in a database of its own.

use crate::agents::AgentId;
use crate::agents::opencode::transcript::{LINES, SESSIONS, read};
use crate::agents::spec::{TranscriptDatabase, TranscriptFormat};

pub(super) const DATABASE: TranscriptDatabase =
    TranscriptDatabase { path: ".local/share/kilo/kilo.db", sessions: SESSIONS, lines: LINES };

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    // The reader asks the agent of the database first.
    is_own: |_| false,
    read: |value, facts| read(AgentId::Kilo, value, facts),
    whole_document: false,
};
