//! Finds prompt injections in text that is only data: weak signals (verbs, objects, scope, roles, pressure) add up
//! within a few sentences, in many languages, also when obfuscated or encoded. Pure; bounded in bytes.

use crate::scrub::part::slice;

mod disguise;
pub(crate) mod encoded;
mod fold;
mod hidden;
mod lexicon;
mod prelude;
mod rules;
mod score;
mod text;
mod words;

/// From this score on a text is not clean.
pub const THRESHOLD: u8 = 4;

/// Bytes that are scanned at the start of a longer text.
pub const HEAD_BYTES: usize = 384 << 10;
/// Bytes that are scanned at its end.
pub const TAIL_BYTES: usize = 128 << 10;

/// The maximum number of findings that are returned.
const MAX_FINDINGS: usize = 16;

/// What an instruction in a text tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InjectionKind {
    /// Overrides earlier instructions.
    Override,
    /// Gives the model another role.
    Role,
    /// Lifts the model's restrictions.
    Jailbreak,
    /// Get the prompt or a secret out of the model.
    Leak,
    /// Get facts about a person out of the model.
    Personal,
    /// Sends data to somebody else.
    Exfiltration,
    /// Keep something from the user.
    Conceal,
    /// Address the model and have it do something.
    Command,
    /// Dictate the answer.
    Dictation,
    /// Authority, reward, threat, made-up scenes.
    Persuasion,
    /// A request that hides in other text or comes in pieces.
    Smuggling,
    /// A bare request to a chat model where data should be.
    Request,
    /// Text that a reader cannot see.
    Hidden,
    /// A conversation that is only pretended.
    Turns,
}

impl InjectionKind {
    /// A name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Override => "instruction override",
            Self::Role => "role change",
            Self::Jailbreak => "jailbreak",
            Self::Leak => "request for a secret or the prompt",
            Self::Personal => "request for personal data",
            Self::Exfiltration => "request to send data away",
            Self::Conceal => "request to keep something from the user",
            Self::Command => "command to the model",
            Self::Dictation => "dictated answer",
            Self::Persuasion => "persuasion",
            Self::Smuggling => "smuggled request",
            Self::Request => "request to a chat model",
            Self::Hidden => "hidden text",
            Self::Turns => "pretended conversation",
        }
    }
}

/// One instruction that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it tries.
    pub kind: InjectionKind,
    /// Its line in the text, from 1.
    pub line: u32,
    /// The beginning of it, folded; never the whole.
    pub excerpt: String,
    /// How sure: [`THRESHOLD`] and more.
    pub score: u8,
    /// How it was hidden, if it was.
    pub hidden: Option<&'static str>,
}

/// Scans a text. Of a long one the first [`HEAD_BYTES`] and the last [`TAIL_BYTES`] bytes.
pub fn scan(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if text.len() <= HEAD_BYTES + TAIL_BYTES {
        scan_part(text, 1, &mut found);
    } else {
        let first = head(text, HEAD_BYTES);
        let last = tail(text, TAIL_BYTES);
        scan_part(first, 1, &mut found);
        let before = slice(text, ..text.len() - last.len());
        let line = 1 + before.matches('\n').count() as u32;
        scan_part(last, line, &mut found);
    }
    // What is hidden is also part of the whole: the finding that says where it was hidden stays.
    found.sort_by_key(|f| (f.kind, f.line, f.hidden.is_none(), std::cmp::Reverse(f.score)));
    found.dedup_by(|a, b| a.kind == b.kind && a.line == b.line);
    found.sort_by_key(|f| (std::cmp::Reverse(f.score), f.line));
    found.truncate(MAX_FINDINGS);
    found
}

/// The highest score of a text; 0 when nothing was found.
pub fn score(text: &str) -> u8 {
    scan(text).iter().map(|finding| finding.score).max().unwrap_or_default()
}

fn scan_part(raw: &str, first_line: u32, found: &mut Vec<Finding>) {
    let line_of = |at: usize| first_line + slice(raw, ..at).matches('\n').count() as u32;
    let text = text::Text::read(raw, first_line);
    let disguised = u8::from(text.spread) * 2 + u8::from(text.mixed >= 2) * 2;
    found.extend(score::findings(&text, raw, disguised, None));
    if text.mixed >= 3 {
        found.push(Finding {
            kind: InjectionKind::Hidden,
            line: text.mixed_line,
            excerpt: String::new(),
            score: THRESHOLD,
            hidden: Some("words of look-alike letters"),
        });
    }
    for hidden in hidden::characters(raw).into_iter().chain(hidden::elements(raw)) {
        let line = line_of(hidden.at);
        let before = found.len();
        if let Some(inner) = &hidden.text {
            let inner = text::Text::read(inner, line);
            // Comments are often harmless, other hidden text rarely.
            let bonus = if hidden.how.ends_with("comment") { 1 } else { 2 };
            found.extend(score::findings(&inner, "", bonus, Some(hidden.how)));
        }
        if hidden.score >= THRESHOLD && found.len() == before {
            found.push(Finding {
                kind: InjectionKind::Hidden,
                line,
                excerpt: String::new(),
                score: hidden.score,
                hidden: Some(hidden.how),
            });
        }
    }
    for piece in encoded::pieces(raw) {
        let line = line_of(piece.at);
        let inner = text::Text::read(&piece.text, line);
        found.extend(score::findings(&inner, "", 2, Some(piece.how)).into_iter().map(|mut finding| {
            finding.line = line;
            finding
        }));
    }
}

/// The beginning of a text, at a character's end.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    slice(text, ..end)
}

/// The end of a text, at a character's beginning.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    slice(text, start..)
}

#[cfg(test)]
mod tests;
