//! How full the model's window is, from the transcript's own usage records. Looked up at most once a minute, and kept
//! in the session's state for whoever asks next.

use sprag_base::time::Stamp;
use sprag_protocol::Event;
use sprag_runtime::hook::Cx;
use sprag_runtime::session::Session;
use sprag_transcript::{Reader, RecordKind};
use std::path::Path;
use std::time::Duration;

/// How full a window is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextUsage {
    /// When it was looked up.
    pub at: Stamp,
    /// Tokens in the window.
    pub tokens: u64,
    /// Tokens that fit.
    pub window: u64,
    /// The model.
    pub model: String,
}

impl ContextUsage {
    /// In percent, at most 100.
    pub fn percent(&self) -> u64 {
        (self.tokens * 100 / self.window.max(1)).min(100)
    }

    fn line(&self) -> String {
        format!("{} {} {} {}", self.at.0, self.tokens, self.window, self.model)
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.trim().splitn(4, ' ');
        let mut number = || words.next()?.parse().ok();
        let (at, tokens, window) = (Stamp(number()?), number()?, number()?);
        Some(Self { at, tokens, window, model: words.next().unwrap_or_default().to_owned() })
    }
}

/// The file of a session that keeps the last look.
const FILE: &str = "context-usage";
/// The last usage record is within this much of the transcript's end.
const TAIL: u64 = 256 << 10;
/// What is assumed of a model that nobody knows.
const USUAL: u64 = 200_000;

/// Windows by what a model's name begins with or holds; the first that fits counts.
const WINDOWS: [(&str, u64); 12] = [
    ("[1m]", 1_000_000),
    ("-1m", 1_000_000),
    ("claude", 200_000),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini", 1_048_576),
    ("gpt-5", 272_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("qwen3-coder", 262_144),
    ("qwen", 131_072),
];

/// The window of a model.
pub fn window_of(model: &str) -> u64 {
    let model = model.to_lowercase();
    WINDOWS.iter().find(|(name, _)| model.contains(name)).map_or(USUAL, |(_, window)| *window)
}

/// What was last looked up for a session.
pub fn last(session: &Session) -> Option<ContextUsage> {
    ContextUsage::parse(&session.read(FILE))
}

/// How full the window is; a look that is younger than `fresh` is good enough.
pub fn current(event: &Event, cx: &Cx<'_>, fresh: Duration, window: u64) -> Option<ContextUsage> {
    let now = cx.host.clock.now();
    if let Some(known) = last(cx.session)
        && now.0.saturating_sub(known.at.0) < fresh.as_micros() as u64
    {
        return Some(known);
    }
    let path = event.transcript_path.as_deref().filter(|path| !path.is_empty())?;
    let mut found = look(Path::new(path), now)?;
    if window > 0 {
        found.window = window;
    }
    let _ = cx.session.write(FILE, &found.line());
    Some(found)
}

/// Reads the end of a transcript. `None` when it says nothing, or a compaction came after the last answer.
pub fn look(path: &Path, now: Stamp) -> Option<ContextUsage> {
    let mut reader = Reader::tail(path, TAIL).ok()?;
    let mut usage = None;
    for record in reader.by_ref() {
        if record.kind == RecordKind::CompactBoundary {
            usage = None;
        } else if !record.sidechain && record.usage.is_some() {
            usage = record.usage;
        }
    }
    let usage = usage?;
    let model = reader.facts().model.clone();
    let window = usage.window.unwrap_or_else(|| window_of(&model));
    Some(ContextUsage { at: now, tokens: usage.context() + usage.output, window, model })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back() {
        let full = ContextUsage { at: Stamp(5), tokens: 150_000, window: 200_000, model: "claude-x".into() };
        assert_eq!(ContextUsage::parse(&full.line()), Some(full.clone()));
        assert_eq!(full.percent(), 75);
        assert_eq!(ContextUsage::parse("rubbish"), None);
    }

    #[test]
    fn windows_by_model() {
        assert_eq!(window_of("claude-sonnet-4-5-20250929"), 200_000);
        assert_eq!(window_of("claude-sonnet-4-5[1m]"), 1_000_000);
        assert_eq!(window_of("gemini-2.5-pro"), 1_048_576);
        assert_eq!(window_of("something-else"), 200_000);
    }
}
