//! Finds prompt injections in text that is only data: weak signals (verbs, objects, scope, roles, pressure) add up
//! within a few sentences, in many languages, also when obfuscated or encoded. Pure; bounded in bytes.

use crate::scrub::part::slice;
use lexicon::Means;

mod disguise;
pub(crate) mod encoded;
mod fold;
mod hidden;
#[doc(hidden)]
pub mod learned;
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

/// One reading of a text: as it stands, joined, unhidden or decoded.
struct Reading<'a> {
    text: text::Text,
    raw: &'a str,
    bonus: u8,
    hidden: Option<&'static str>,
    /// The line that every finding gets; the words' own where there is none.
    line: Option<u32>,
    /// What is reported where the words say nothing.
    otherwise: Option<Finding>,
}

/// Every reading of a part of a text.
fn readings(raw: &str, first_line: u32, take: &mut dyn FnMut(&Reading<'_>)) {
    let line_of = |at: usize| first_line + slice(raw, ..at).matches('\n').count() as u32;
    let text = text::Text::read(raw, first_line);
    let bonus = u8::from(text.spread) * 2 + u8::from(text.mixed >= 2) * 2;
    let (words, mixed, mixed_line) = (text.words.len(), text.mixed, text.mixed_line);
    let plain = Reading { text, raw, bonus, hidden: None, line: None, otherwise: None };
    take(&plain);
    drop(plain);
    // `Ig-nore pre-vious instruc-tions`: what is hyphenated in the middle of lines is read once more without.
    let hyphens = hyphens(raw);
    if raw.len() <= 4096 && hyphens >= 3 && hyphens * 4 >= words {
        let text = text::Text::read(&raw.replace('-', ""), first_line);
        let hidden = Some("hyphenated words");
        take(&Reading { text, raw: "", bonus: 1, hidden, line: None, otherwise: None });
    }
    let unseen = |line: u32, score: u8, how: &'static str| Finding {
        kind: InjectionKind::Hidden,
        line,
        excerpt: String::new(),
        score,
        hidden: Some(how),
    };
    if mixed >= 3 {
        let otherwise = Some(unseen(mixed_line, THRESHOLD, "words of look-alike letters"));
        take(&Reading {
            text: text::Text::default(),
            raw: "",
            bonus: 0,
            hidden: None,
            line: None,
            otherwise,
        });
    }
    for hidden in hidden::characters(raw).into_iter().chain(hidden::elements(raw)) {
        let line = line_of(hidden.at);
        let text = hidden.text.as_deref().map(|inner| text::Text::read(inner, line)).unwrap_or_default();
        // Comments are often harmless, other hidden text rarely.
        let bonus = match hidden.how {
            "an attribute" => 0,
            how if how.ends_with("comment") => 1,
            _ => 2,
        };
        let otherwise = (hidden.score >= THRESHOLD).then(|| unseen(line, hidden.score, hidden.how));
        take(&Reading { text, raw: "", bonus, hidden: Some(hidden.how), line: None, otherwise });
    }
    for piece in encoded::pieces(raw) {
        let line = line_of(piece.at);
        let text = text::Text::read(&piece.text, line);
        take(&Reading {
            text,
            raw: "",
            bonus: 2,
            hidden: Some(piece.how),
            line: Some(line),
            otherwise: None,
        });
    }
}

fn scan_part(raw: &str, first_line: u32, found: &mut Vec<Finding>) {
    readings(raw, first_line, &mut |reading| {
        let before = found.len();
        let new = score::findings(&reading.text, reading.raw, reading.bonus, reading.hidden);
        found.extend(new.into_iter().map(|mut finding| {
            finding.line = reading.line.unwrap_or(finding.line);
            finding
        }));
        if found.len() == before {
            found.extend(reading.otherwise.clone());
        }
    });
}

/// The features of every passage of a text, for learning.
#[doc(hidden)]
pub fn passages(text: &str) -> Vec<learned::Passage> {
    let mut out = Vec::new();
    readings(head(text, HEAD_BYTES), 1, &mut |reading| {
        score::passages(&reading.text, reading.raw, reading.bonus, reading.hidden, &mut out);
    });
    out
}

/// How many hyphens stand between two small letters.
fn hyphens(raw: &str) -> usize {
    let small = |b: &u8| b.is_ascii_lowercase();
    raw.as_bytes().windows(3).filter(|w| matches!(w, [a, b'-', c] if small(a) && small(c))).count()
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
