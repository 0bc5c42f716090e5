//! The compiled lessons: one flat file of which a call reads what it needs, whatever the number of lessons.
//!
//! A call looks its tool up, then looks every few characters of its text up in a table of words that some pattern
//! needs; only the patterns behind words that are there are read and run. Nothing is compiled, nothing is parsed
//! that is not used, and the store is not opened.

mod build;
mod find;
mod gram;
mod read;
#[cfg(test)]
mod tests;

pub use build::{Built, Fault, Options, build};
pub use find::{Call, Limits, Matches, Places};
pub use read::{Index, Unreadable};

use crate::model::LessonKind;
use serde::{Deserialize, Serialize};
use sprag_base::files::Identity;
use sprag_pattern::Pattern;

/// Changes with every change of what is stored.
pub(crate) const FORMAT: &[u8; 8] = b"spraglsn";
/// The version of the format.
pub(crate) const VERSION: u32 = 1;
/// Bytes before the header: format, version, length of the header, its checksum.
pub(crate) const PRELUDE: usize = 8 + 4 + 4 + 8;

/// What the file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What it was made from; another stamp means that it is out of date.
    pub stamp: String,
    /// Files that it was made from.
    pub inputs: Vec<(String, Option<Identity>)>,
    /// Numbers that came with the lessons.
    pub config: Config,
    /// How many lessons are in it.
    pub lessons: u32,
    /// True when some speak at the start of a session.
    pub speaks_at_start: bool,
    pub(crate) tools: Span,
    pub(crate) wild: Span,
    pub(crate) rules: Span,
    pub(crate) entries: Span,
    pub(crate) at_start: Span,
    pub(crate) length: u64,
}

/// Numbers that an imported file brings along; unset ones are the configuration's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The most bytes of lessons beside one call.
    pub budget_bytes: Option<u32>,
    /// The most lessons beside one call.
    pub max_lessons: Option<u32>,
    /// After a compaction, lessons of at least this priority are said again.
    pub compaction_threshold: Option<u8>,
}

/// A stretch of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) len: u32,
}

/// What is needed to say a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The lesson's id.
    pub id: String,
    /// Its name.
    pub slug: String,
    /// When it speaks.
    pub kind: LessonKind,
    /// 1 to 10.
    pub priority: u8,
    /// Thousandths.
    pub confidence: u16,
    /// The whole text.
    pub message: String,
    /// One line.
    pub summary: String,
    /// What went wrong.
    pub problem: String,
    /// What to do.
    pub solution: String,
    /// The project that it is about.
    pub scope: Option<String>,
    /// Silence after it spoke.
    pub cooldown_minutes: u32,
    /// What it is grouped by.
    pub group: String,
}

/// The patterns of one or more lessons that ask for the same.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) guard: bool,
    pub(crate) executable: bool,
    pub(crate) scope: Option<String>,
    pub(crate) command: Vec<Pattern>,
    pub(crate) path: Vec<Pattern>,
    pub(crate) content: Vec<Pattern>,
    pub(crate) model: Vec<Pattern>,
    /// Lessons by their rank, best first.
    pub(crate) lessons: Vec<u32>,
}

/// What is known of one tool's rules.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Slots of the table of words; a power of two.
    pub(crate) slots: u32,
    pub(crate) prints: Span,
    pub(crate) places: Span,
    /// The lengths of words that are in the table, for commands and content, and for paths.
    pub(crate) lengths: [u8; 2],
    /// Rules that no word rules out: for a call with a command, for one without.
    pub(crate) always: [Vec<u32>; 2],
}

/// Which texts a word is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The command, or what is written.
    Text = 0,
    /// The path.
    Path = 1,
}

/// Tells a damaged file from a whole one.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
