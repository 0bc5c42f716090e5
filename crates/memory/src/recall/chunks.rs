//! A file to the parts that are remembered: at headings, then at paragraphs, lines, sentences and words. Headings inside
//! code fences are no headings; each part carries the trail of headings above it. Pure.

/// The most characters of a part, without the trail.
pub const PART: usize = 1_200;
/// The most bytes of the headings above a part.
const TRAIL: usize = 200;
/// Shorter parts are joined to their neighbour.
const SHORT: usize = 40;

use super::words::beginning;

struct Section {
    trail: Vec<(usize, String)>,
    body: String,
}

/// The parts of a text.
pub fn chunks(text: &str) -> Vec<String> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for section in sections(text) {
        let trail: Vec<&str> = section.trail.iter().map(|(_, title)| title.as_str()).collect();
        let trail = trail.join(" > ");
        let trail = beginning(&trail, TRAIL);
        let body = section.body.trim();
        if body.is_empty() {
            // A heading without a body says something too, unless the next one is below it.
            continue;
        }
        for piece in pieces(body) {
            parts.push(if trail.is_empty() { piece } else { format!("{trail}\n{piece}") });
        }
    }
    if parts.is_empty() {
        parts.extend(pieces(text));
    }
    parts
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section { trail: Vec::new(), body: String::new() }];
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let bare = line.trim_start();
        match fence {
            Some(mark) if bare.starts_with(mark) => fence = None,
            Some(_) => {}
            None => fence = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)),
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let title = line.get(level..).unwrap_or_default();
        if fence.is_none() && (1..=6).contains(&level) && title.starts_with(' ') {
            let mut trail = sections.last().map(|section| section.trail.clone()).unwrap_or_default();
            // A sibling's heading, and what was below it, does not belong to this one.
            trail.retain(|(above, _)| *above < level);
            trail.push((level, title.trim().to_owned()));
            sections.push(Section { trail, body: String::new() });
        } else if let Some(section) = sections.last_mut() {
            section.body.push_str(line);
            section.body.push('\n');
        }
    }
    sections
}

/// A body in pieces of at most [`PART`] characters, cut where it hurts least.
fn pieces(body: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (piece, behind) = cut(rest);
        let short = piece.chars().count() < SHORT;
        match pieces.last_mut() {
            Some(last) if short => {
                last.push('\n');
                last.push_str(piece);
            }
            _ => pieces.push(piece.to_owned()),
        }
        rest = behind;
    }
    pieces
}

fn cut(text: &str) -> (&str, &str) {
    let end = text.char_indices().nth(PART).map_or(text.len(), |(at, _)| at);
    if end == text.len() {
        return (text, "");
    }
    let head = text.get(..end).unwrap_or(text);
    // Not too early: a piece of a few words is worth little.
    let late = |at: &usize| *at > end / 3;
    let at = ["\n\n", "\n", ". ", " "]
        .into_iter()
        .find_map(|mark| head.rfind(mark).map(|at| at + mark.trim_end().len()).filter(late))
        .unwrap_or(end);
    let (piece, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    (piece.trim(), behind.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_text_is_one_part() {
        assert_eq!(chunks("Use pnpm here."), ["Use pnpm here."]);
        assert!(chunks(" \n ").is_empty());
    }

    #[test]
    fn parts_carry_the_headings_above_them() {
        let text = "# Deploy\nintro text\n## Staging\nneeds the vault\n## Production\nneeds two people\n";
        assert_eq!(
            chunks(text),
            [
                "Deploy\nintro text",
                "Deploy > Staging\nneeds the vault",
                "Deploy > Production\nneeds two people"
            ]
        );
    }

    #[test]
    fn fault_of_the_reference_siblings_are_not_above_each_other() {
        let parts = chunks("## A\none\n## B\ntwo\n");
        assert_eq!(parts, ["A\none", "B\ntwo"]);
    }

    #[test]
    fn fault_of_the_reference_a_hash_in_a_code_fence_is_no_heading() {
        let parts = chunks("# Setup\n```sh\n# install first\nmake\n```\nthen run\n");
        assert_eq!(parts.len(), 1, "{parts:?}");
        assert!(parts[0].contains("# install first") && parts[0].contains("then run"));
    }

    #[test]
    fn fault_of_the_reference_a_file_of_headings_alone_is_kept() {
        assert_eq!(chunks("# Never push on Fridays"), ["# Never push on Fridays"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_part_is_too_long(text in "(#{0,3} ?[a-z]{1,8}( [a-zé]{1,9}){0,40}[.\n]{1,2}|```\n){0,60}") {
            let parts = chunks(&text);
            for part in &parts {
                let body = part.chars().count();
                prop_assert!(body <= PART + SHORT + TRAIL + 1, "{}", body);
            }
            let all = parts.join(" ");
            for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
                for word in line.split(' ').filter(|word| !word.is_empty()) {
                    prop_assert!(all.contains(word.trim()), "{} is lost", word);
                }
            }
        }
    }
}
