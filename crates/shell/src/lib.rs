//! What a shell command would do.
//!
//! [`analyse`] reads a command line as a shell would and lists every command that would run with its effects
//! ([`Analysis`]); [`sensitive_path`] says which files hold secrets. Nothing is executed and nothing outside of the
//! arguments is looked at: the same input gives the same answer on every machine, at every load. What is stopped is in
//! `sprag-rules`.

mod line;
mod memo;
mod model;
mod paths;
mod pattern;
mod sensitive;
mod tools;
mod walk;
mod words;

use sprag_syntax as syntax;
use sprag_syntax::text;

pub use line::{quote, simple_words};
pub use memo::AnalysisMemo;
pub use model::{
    Analysis, Arg, Cmd, CodeFrom, Context, Effect, EffectKind, GitChange, GitOp, HOLE, ModeHow, Note,
    PathRef, Statement, WriteHow,
};
pub use paths::{PathZone, glob_match, has_glob, host, is_local, normalise, within, zone_of};
pub use pattern::may_match;
pub use sensitive::sensitive_path;
pub use tools::connection::{is_development, is_production, is_this_machine};
pub use tools::{Split, flag, regenerable, split};
pub use walk::base_name;
pub use words::{Form, Words};

/// Longest command that is read, in bytes; what is over it is not read and the verdict is at least ask.
const MAX_BYTES: usize = 1 << 20;

/// Read a command line as a shell would and list what it would do.
pub fn analyse(command: &str, ctx: &Context) -> Analysis {
    let mut walk = walk::Walk::new(ctx);
    let mut end = command.len().min(MAX_BYTES);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    let text = text::slice(command, ..end);
    if end < command.len() {
        walk.note(Note::TooMuch);
    }
    // The private characters that stand for holes and braces must not come from outside.
    let clean;
    let text = if text.contains(['\u{E000}', '\u{E001}', '\u{E002}', '\u{E003}']) {
        clean = text.replace(['\u{E000}', '\u{E001}', '\u{E002}', '\u{E003}'], "\u{FFFD}");
        clean.as_str()
    } else {
        text
    };
    let text = text.trim();
    walk.top(text);
    let mut analysis = walk.out;
    text.clone_into(&mut analysis.line);
    analysis
}
