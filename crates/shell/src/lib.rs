//! What a shell command would do, and whether it should.
//!
//! [`analyse`] reads a command line as a shell would and lists every command that would run with its effects
//! ([`Analysis`]); [`judge`] compares those with the rules; [`sensitive_path`] and [`sensitive_reads`] know which files
//! hold secrets; [`explain`] shows all of it. Nothing is executed and nothing outside of the arguments is looked at: the
//! same input gives the same answer on every machine, at every load.

mod explain;
mod judge;
mod line;
mod memo;
mod model;
mod paths;
mod pattern;
mod rules;
mod sensitive;
mod syntax;
mod text;
mod tools;
mod walk;

pub use explain::{Explanation, explain};
pub use judge::{Allow, AllowEntry, GuardConfig, Judgement, judge};
pub use line::{quote, simple_words};
pub use memo::AnalysisMemo;
pub use model::{
    Analysis, Arg, Cmd, CodeFrom, Context, Effect, EffectKind, GitChange, GitOp, HOLE, ModeHow, Note,
    PathRef, Statement, WriteHow,
};
pub use paths::{PathZone, normalise};
pub use pattern::may_match;
pub use rules::{Hit, PACKS, Rule, Verdict, all as all_rules, protect};
pub use sensitive::{SensitiveKind, SensitiveRead, sensitive_path, sensitive_reads};

/// Whether `text` ends in `end`. Names are compared as written or lower-cased before; a path is text here.
pub(crate) fn ends(text: &str, end: &str) -> bool {
    text.ends_with(end)
}

pub(crate) use tools::regenerable as tools_regenerable;

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

/// One input of a fuzzer: analysed, judged and explained; must neither panic nor hang.
pub fn fuzz_one(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let ctx = Context {
        cwd: "/home/dev/project".into(),
        home: "/home/dev".into(),
        project_root: "/home/dev/project".into(),
    };
    let explained = explain(&text, &ctx, &GuardConfig::default());
    let _ = explained.to_string();
    let _ = sensitive_path(&text, &ctx);
}
