//! A trial: until it ends, whatever can stop is journaled and stops nothing.

use crate::host::Host;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::time::{Stamp, parse_span};
use std::time::Duration;

/// How long people try it, unless they say otherwise.
pub const USUAL: &str = "7d";

/// A trial, going on or over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// When it began.
    pub start: Stamp,
    /// When everything counts again.
    pub end: Stamp,
}

impl Trial {
    /// True while it goes on.
    pub fn is_on(self, now: Stamp) -> bool {
        now < self.end
    }

    /// The day of its end.
    pub fn last_day(self) -> String {
        self.end.to_string().chars().take(10).collect()
    }
}

/// What the file says: how long, and since when. Without a start it begins when it is first read.
pub fn parse(text: &str) -> Option<(Duration, Option<Stamp>)> {
    match text.split_once(" since ") {
        Some((span, start)) => Some((parse_span(span.trim())?, Some(start_of(start.trim())?))),
        None => Some((parse_span(text.trim())?, None)),
    }
}

/// A day, a minute or a second.
fn start_of(text: &str) -> Option<Stamp> {
    let minutes = text.strip_suffix('Z').unwrap_or(text);
    [format!("{minutes}T00:00:00Z"), format!("{minutes}:00Z"), format!("{minutes}Z")]
        .iter()
        .find_map(|full| Stamp::parse(full))
}

/// A trial that begins now, as it stands in the file.
pub fn written(span: &str, now: Stamp) -> String {
    let minute: String = now.to_string().chars().take(16).collect();
    format!("{span} since {minute}Z")
}

/// The trial of a configuration; the start of one that does not say it is kept in the state folder.
pub fn of(host: &Host, text: Option<&str>) -> Option<Trial> {
    let kept = host.paths.state.join("trial");
    let Some(text) = text else {
        if kept.is_file() {
            let _ = files::remove(&kept);
        }
        return None;
    };
    let (span, since) = parse(text)?;
    let start = since.unwrap_or_else(|| {
        let old = files::read_text(&kept, files::STATE).unwrap_or_default();
        let known = old.trim().strip_prefix(text).and_then(|rest| Stamp::parse(rest.trim()));
        known.unwrap_or_else(|| {
            let now = host.clock.now();
            let _ = files::write_atomic(&kept, format!("{text} {now}\n").as_bytes());
            now
        })
    });
    Some(Trial { start, end: start.after(span) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_read_as_it_is_written() {
        let now = Stamp::parse("2026-11-16T15:04:05Z").unwrap();
        let text = written("7d", now);
        assert_eq!(text, "7d since 2026-11-16T15:04Z");
        let (span, start) = parse(&text).unwrap();
        assert_eq!((span.as_secs(), start), (604_800, Stamp::parse("2026-11-16T15:04:00Z")));
        assert_eq!(parse("2w since 2026-11-16").unwrap().1, Stamp::parse("2026-11-16T00:00:00Z"));
        assert_eq!(parse("36h").unwrap().1, None);
        for wrong in ["", "week", "7d since", "7d since yesterday", "7d since 2026-13-01", "since 2026-11-16"]
        {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
