//! A document cut to a budget by its sections: goal, state and next steps first, whole lines, and a line that says what
//! is missing and where all of it is. Markdown by its headings, YAML by its keys. Pure.

use super::text;

/// A part of a document: its heading line and what stands below it.
struct Section<'a> {
    title: &'a str,
    text: &'a str,
    rank: u8,
}

/// Ranks of sections; lower ones get their room first.
const GOAL: u8 = 0;
const NEXT: u8 = 1;
const STATE: u8 = 2;
const REASONS: u8 = 3;
const OTHER: u8 = 4;
const REFERENCE: u8 = 5;

/// Words of titles and what such a section is worth. The first that occurs counts.
const TITLES: [(u8, &[&str]); 6] = [
    (
        NEXT,
        &["next", "todo", "to do", "open", "remain", "pending", "left", "follow-up", "follow up", "action"],
    ),
    (GOAL, &["goal", "objective", "task", "request", "purpose", "mission"]),
    (
        STATE,
        &["state", "status", "now", "progress", "current", "where", "blocker", "block", "fail", "resume"],
    ),
    (
        REASONS,
        &["decision", "question", "learn", "finding", "gotcha", "worked", "constraint", "risk", "answer"],
    ),
    (
        REFERENCE,
        &["reference", "link", "log", "appendix", "transcript", "history", "report", "session ended"],
    ),
    (OTHER, &["file", "done", "complete", "change", "test", "context", "note"]),
];

/// Nothing smaller is worth a heading.
const LEAST: usize = 80;

fn rank(title: &str) -> u8 {
    let lower = title.to_lowercase();
    TITLES
        .iter()
        .find(|(_, words)| words.iter().any(|word| lower.contains(word)))
        .map_or(OTHER, |(rank, _)| *rank)
}

/// The heading of a line: a Markdown heading, or a key of YAML at the beginning of a line.
fn heading(line: &str, yaml: bool) -> Option<&str> {
    if yaml {
        let (key, _) = line.split_once(':')?;
        let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        return plain.then_some(key);
    }
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

fn split(text: &str, yaml: bool) -> Vec<Section<'_>> {
    let mut starts: Vec<(usize, &str)> = vec![(0, "")];
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end();
        if plain.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && let Some(title) = heading(plain, yaml) {
            starts.push((at, title));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((start, title), end)| Section {
            title,
            text: text.get(*start..end).unwrap_or_default().trim_end(),
            // What stands before the first heading says what the document is.
            rank: if title.is_empty() { GOAL } else { rank(title) },
        })
        .filter(|section| !section.text.trim().is_empty())
        .collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// What names the rest: where all of a document is.
pub const SHOW_HANDOFF: &str = "sprag knowledge show handoff";

/// The text within `most` UTF-16 units. A text that fits is not changed. `whole` is the command, or the file, that has
/// all of it.
pub fn cut(body: &str, most: usize, whole: &str) -> String {
    let body = body.trim();
    let size = units(body);
    if size <= most {
        return body.to_owned();
    }
    let yaml = is_yaml(body);
    let sections = split(body, yaml);
    let notice = |left: &[&str]| {
        let names = if left.is_empty() { String::new() } else { format!("; left out: {}", left.join(", ")) };
        format!("[sprag cut this from {size} characters{names}. All of it: {whole}]")
    };
    // The longest notice that can come is paid for first.
    let titles: Vec<&str> =
        sections.iter().map(|section| short(section.title)).filter(|t| !t.is_empty()).collect();
    let listed: Vec<&str> = titles.iter().copied().take(MAX_NAMED).collect();
    let room = most.saturating_sub(units(&notice(&listed)) + 8);
    let given = shares(&sections, room);
    let mut parts = Vec::new();
    let mut left: Vec<&str> = Vec::new();
    for (section, given) in sections.iter().zip(&given) {
        let shown = lines_within(section, *given);
        if shown.is_empty() {
            left.push(short(section.title));
        } else {
            parts.push(shown);
        }
    }
    left.retain(|title| !title.is_empty());
    left.truncate(MAX_NAMED);
    parts.push(notice(&left));
    let joined = parts.join(if yaml { "\n" } else { "\n\n" });
    // A budget that has no room for the notice itself.
    if units(&joined) <= most { joined } else { start_units(&joined, most).to_owned() }
}

/// So many titles are named as left out.
const MAX_NAMED: usize = 6;

fn short(title: &str) -> &str {
    text::start(title, 32)
}

fn is_yaml(body: &str) -> bool {
    let mut lines = body.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    let first = if first == "---" { lines.next().unwrap_or_default() } else { first };
    let keys = body.lines().filter(|line| heading(line.trim_end(), true).is_some()).count();
    let headings = body.lines().filter(|line| heading(line.trim_end(), false).is_some()).count();
    heading(first, true).is_some() && keys >= 2 && headings == 0
}

/// How many units each section gets. The first ranks share the room evenly before one of them gets more, so that a
/// long goal does not cost the next steps; what is left goes by rank.
fn shares(sections: &[Section<'_>], room: usize) -> Vec<usize> {
    let sizes: Vec<usize> = sections.iter().map(|section| units(section.text)).collect();
    let mut given = vec![0; sections.len()];
    // Separators are part of the price.
    let mut room = room.saturating_sub(2 * sections.len());
    let urgent = sections.iter().filter(|section| section.rank <= STATE).count().max(1);
    let fair = (room / urgent).max(LEAST);
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|at| sections.get(*at).map_or(OTHER, |section| section.rank));
    for first in [true, false] {
        for at in &order {
            let (Some(section), Some(size), Some(share)) =
                (sections.get(*at), sizes.get(*at), given.get_mut(*at))
            else {
                continue;
            };
            let most = if first { if section.rank <= STATE { fair } else { 0 } } else { usize::MAX };
            let wants = size.saturating_sub(*share).min(most).min(room);
            // A scrap of a section says nothing.
            if *share + wants >= (*size).min(LEAST) {
                *share += wants;
                room -= wants;
            }
        }
    }
    given
}

const MORE: &str = "…";

/// Whole lines of a section within so many units; its heading alone is nothing. The end of an answer is what counts
/// there, the beginning elsewhere.
fn lines_within(section: &Section<'_>, most: usize) -> String {
    if units(section.text) <= most {
        return section.text.to_owned();
    }
    if most < LEAST {
        return String::new();
    }
    let most = most.saturating_sub(units(MORE) + 1);
    let lines: Vec<&str> = section.text.lines().collect();
    if section.title.to_lowercase().contains("answer") {
        let head = lines.first().copied().unwrap_or_default();
        let mut used = units(head) + 3;
        let mut kept: Vec<&str> = Vec::new();
        for line in lines.iter().skip(1).rev() {
            used += units(line) + 1;
            if used > most {
                break;
            }
            kept.push(line);
        }
        kept.reverse();
        return if kept.is_empty() { String::new() } else { format!("{head}\n{MORE}\n{}", kept.join("\n")) };
    }
    let mut used = 0;
    let mut kept: Vec<&str> = Vec::new();
    for line in &lines {
        used += units(line) + 1;
        if used > most {
            break;
        }
        kept.push(line);
    }
    let says = kept.len() > usize::from(!section.title.is_empty());
    if says {
        return format!("{}\n{MORE}", kept.join("\n"));
    }
    // One long line, or a heading with one: its beginning.
    format!("{}{MORE}", start_units(section.text, most).trim_end())
}

/// The text up to a number of UTF-16 units.
pub fn start_units(text: &str, most: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.len_utf16();
        used > most
    });
    end.map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn document() -> String {
        let lines = |what: &str, count: usize| {
            (0..count).map(|n| format!("- {what} number {n}\n")).collect::<String>()
        };
        format!(
            "# Handoff\n\n## Files touched\n{}\n## Goal\nShip the CSV export to the three customers.\n\n## State\n{}\n## Links\n{}\n## Next steps\n- [ ] write the EXPORT-TEST\n- [ ] ask about the encoding\n",
            lines("src/some/long/path/file.rs", 60),
            lines("the writer is done, and", 20),
            lines("https://example.invalid/page", 40)
        )
    }

    #[test]
    fn goal_state_and_next_steps_stay_and_what_goes_is_named() {
        let whole = document();
        assert!(units(&whole) > 4_000, "{}", units(&whole));
        let cut = cut(&whole, 700, SHOW_HANDOFF);
        assert!(units(&cut) <= 700, "{}", units(&cut));
        for want in
            ["Ship the CSV export", "EXPORT-TEST", "ask about the encoding", "the writer is done", "Links"]
        {
            assert!(cut.contains(want), "{want}: {cut}");
        }
        assert!(cut.contains("`sprag") || cut.contains("All of it: sprag knowledge show handoff]"), "{cut}");
        assert!(cut.find("## Goal") < cut.find("## Next steps"), "in the document's order");
    }

    #[test]
    fn what_fits_is_not_touched() {
        assert_eq!(super::cut("# A\n\ntext\n", 100, "x"), "# A\n\ntext");
    }

    #[test]
    fn yaml_is_cut_by_its_keys() {
        let yaml = format!(
            "session: cart\nstatus: partial\nfiles:\n{}goal: Ship the export\nnow: Write the header\nnext:\n  - test it\n",
            "  - src/a/very/long/path/of/a/file.rs\n".repeat(60)
        );
        let cut = cut(&yaml, 500, "thoughts/shared/handoffs/cart/1.yaml");
        assert!(units(&cut) <= 500, "{cut}");
        for want in ["goal: Ship the export", "now: Write the header", "  - test it", "1.yaml]"] {
            assert!(cut.contains(want), "{want}: {cut}");
        }
    }

    #[test]
    fn an_answer_keeps_its_end() {
        let body =
            format!("## Last answer\n{}THE-LAST-LINE", "something was said here before that\n".repeat(40));
        let cut = cut(&body, 400, "x");
        assert!(cut.contains("THE-LAST-LINE") && cut.contains("## Last answer\n…"), "{cut}");
    }

    #[test]
    fn a_document_without_headings_keeps_its_beginning() {
        let cut = cut(&format!("IT-BEGINS {}", "word ".repeat(1_000)), 300, "x");
        assert!(cut.starts_with("IT-BEGINS") && units(&cut) <= 300, "{cut}");
    }

    proptest! {
        #[test]
        fn never_over_its_budget_and_never_empty(text in "(#{1,3} [a-z ]{0,20}\n|[a-zé😀 -]{0,90}\n|[a-z]{3,8}: [a-z]{0,9}\n|```\n){0,60}", most in 150usize..900) {
            let cut = cut(&text, most, "x");
            prop_assert!(units(&cut) <= most, "{} {}", units(&cut), cut);
            prop_assert!(text.trim().is_empty() || !cut.is_empty());
        }
    }
}
