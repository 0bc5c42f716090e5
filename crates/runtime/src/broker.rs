//! The context broker: notes of several hooks to one text, without what the session already has,
//! by priority, within a budget, and with a line that says what was left out. Pure.

use crate::hook::{Note, Repeat};
use crate::message::with_source;
use sprag_base::id::short_hash;

/// A note and the hook that wrote it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The hook's place in the chain.
    pub run: usize,
    /// The builtin that wrote it, named in the text where that does not say sprag; the text of a user's own hook is the
    /// user's.
    pub source: Option<String>,
    /// The note.
    pub note: Note,
}

/// The notes put together.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The text for the model.
    pub text: Option<String>,
    /// Marks of the notes that were said, to remember.
    pub said: Vec<String>,
    /// Characters per hook, by its place in the chain.
    pub chars: Vec<(usize, u64)>,
}

/// Length as the agents count it.
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The mark by which a session remembers a note: who heard it, what about, which text.
pub fn mark(agent_id: Option<&str>, note: &Note) -> String {
    short_hash(format!("{}\0{}\0{}", agent_id.unwrap_or_default(), note.key, note.text).as_bytes())
}

/// Puts the notes together. `heard` holds the marks of this session.
pub fn assemble(mut offered: Vec<Offered>, agent_id: Option<&str>, heard: &str, budget: usize) -> Assembled {
    offered.retain(|o| !o.note.text.trim().is_empty());
    let mut out = Assembled::default();
    offered.sort_by_key(|o| std::cmp::Reverse(o.note.priority));
    let mut parts: Vec<String> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut used = 0;
    for Offered { run, source, note } in offered {
        let mark = mark(agent_id, &note);
        let known = note.repeat == Repeat::Once && heard.lines().any(|line| line == mark);
        if known || seen.contains(&mark) {
            continue;
        }
        seen.push(mark.clone());
        let named = source.filter(|_| out.chars.iter().all(|(known, _)| *known != run));
        let text = match named {
            Some(hook) => &with_source(&hook, note.text.trim_end()),
            None => note.text.trim_end(),
        };
        let size = length(text);
        let join = if parts.is_empty() { 0 } else { 2 };
        let room = budget.saturating_sub(used + join);
        let (text, size) = if size <= room {
            (text.to_owned(), size)
        } else if parts.is_empty() {
            // The first note is cut rather than lost: it is the most important one.
            let cut = cut_to(text, room.saturating_sub(CUT.len()));
            let text = format!("{cut}{CUT}");
            let size = length(&text);
            (text, size)
        } else {
            left_out.push(format!("{} ({size} characters)", note.key));
            continue;
        };
        used += size + join;
        parts.push(text);
        out.chars.push((run, size as u64));
        if note.repeat == Repeat::Once {
            out.said.push(mark);
        }
    }
    if !left_out.is_empty() {
        parts.push(format!("[sprag left out for space: {}]", left_out.join(", ")));
    }
    out.text = (!parts.is_empty()).then(|| parts.join("\n\n"));
    out
}

const CUT: &str = "\n[sprag cut this here for space]";

/// The text up to a number of UTF-16 units, at a line end when one is near.
fn cut_to(text: &str, units: usize) -> &str {
    let mut count = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        count += c.len_utf16();
        if count > units {
            end = at;
            break;
        }
    }
    let cut = text.get(..end).unwrap_or(text);
    match cut.rfind('\n') {
        Some(line) if line * 4 > cut.len() * 3 => cut.get(..line).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn offer(run: usize, priority: u8, key: &str, text: &str, repeat: Repeat) -> Offered {
        Offered { run, source: None, note: Note { key: key.into(), priority, text: text.into(), repeat } }
    }

    #[test]
    fn by_priority_then_by_order_and_once() {
        let notes = || {
            vec![
                offer(0, 10, "a", "low", Repeat::Once),
                offer(1, 50, "b", "first", Repeat::Once),
                offer(2, 50, "c", "second", Repeat::Always),
            ]
        };
        let first = assemble(notes(), None, "", 1000);
        assert_eq!(first.text.as_deref(), Some("first\n\nsecond\n\nlow"));
        assert_eq!(first.said.len(), 2);
        let heard = first.said.join("\n");
        let again = assemble(notes(), None, &heard, 1000);
        assert_eq!(again.text.as_deref(), Some("second"), "only what may be repeated");
        let subagent = assemble(notes(), Some("sub"), &heard, 1000);
        assert_eq!(subagent.text.as_deref(), Some("first\n\nsecond\n\nlow"), "a subagent has heard nothing");
        let changed = assemble(vec![offer(0, 10, "a", "new text", Repeat::Once)], None, &heard, 1000);
        assert_eq!(changed.text.as_deref(), Some("new text"), "a changed text is news");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let notes = vec![
            offer(0, 90, "a", &"x".repeat(80), Repeat::Once),
            offer(1, 50, "b", &"y".repeat(80), Repeat::Once),
            offer(2, 10, "c", "short", Repeat::Once),
        ];
        let got = assemble(notes, None, "", 100);
        let text = got.text.unwrap();
        assert!(text.contains("xxx") && !text.contains("yyy") && text.contains("short"), "{text}");
        assert!(text.ends_with("[sprag left out for space: b (80 characters)]"), "{text}");
        assert_eq!(got.chars, [(0, 80), (2, 5)]);
        assert_eq!(got.said.len(), 2, "what was left out may come next time");
    }

    #[test]
    fn one_note_over_the_budget_is_cut_and_says_so() {
        let text =
            assemble(vec![offer(0, 1, "a", &"é".repeat(500), Repeat::Once)], None, "", 200).text.unwrap();
        assert!(text.ends_with(CUT) && length(&text) <= 200, "{}", length(&text));
    }

    proptest! {
        #[test]
        fn never_over_the_budget_but_for_the_line_that_says_so(
            notes in prop::collection::vec((0u8..5, "[a-zé\u{1f600}\n]{0,120}"), 0..8), budget in 60usize..400) {
            let offered = notes.iter().enumerate()
                .map(|(i, (p, t))| offer(i, *p, &i.to_string(), t, Repeat::Once)).collect();
            let got = assemble(offered, None, "", budget);
            if let Some(text) = got.text {
                let body = text.split("[sprag left out").next().unwrap_or_default();
                prop_assert!(length(body.trim_end()) <= budget);
            }
        }
    }
}
