//! What an answer says is still open: the list below "Next steps" or "TODO", and unchecked boxes anywhere. Pure.

use super::text;

/// So many items of one answer are kept.
const MAX_ITEMS: usize = 20;
/// A longer item is cut.
const ITEM_CHARS: usize = 300;
/// Lines of an answer that are looked at.
const MAX_LINES: usize = 4_000;

/// Titles of lists of open work: a heading, a bold line, or a line that ends in a colon.
const TITLES: [&str; 18] = [
    "next step", "todo", "to do", "to-do", "remaining", "still open", "still to do", "left to do",
    "what's left", "what is left", "outstanding", "follow-up", "follow up", "open item", "open point",
    "open task", "not done yet", "pending",
];

/// The open items of an answer, in its order.
pub(super) fn of(answer: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    let mut listed = false;
    for line in answer.lines().take(MAX_LINES) {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.is_empty() {
            continue;
        }
        let item = item(line);
        match (item, listed) {
            (Some(Item::Open(text)), _) | (Some(Item::Plain(text)), true) => add(&mut found, text),
            (Some(_), _) => {}
            (None, _) => match title(line) {
                Title::OfOpenWork(rest) => {
                    listed = true;
                    if !rest.is_empty() {
                        add(&mut found, rest);
                    }
                }
                Title::Other => listed = false,
                // A sentence between a title and its list, or below an item.
                Title::None => {}
            },
        }
        if found.len() >= MAX_ITEMS {
            break;
        }
    }
    found
}

/// Items that an answer marks as done.
pub(super) fn done(answer: &str) -> Vec<String> {
    let items = answer.lines().take(MAX_LINES).filter_map(|line| match item(line.trim())? {
        Item::Done(text) => Some(text::one_line(text)),
        _ => None,
    });
    items.take(MAX_ITEMS).collect()
}

fn add(found: &mut Vec<String>, item: &str) {
    let item = text::cut(&text::one_line(item), ITEM_CHARS);
    if item.chars().count() > 2 && !found.contains(&item) {
        found.push(item);
    }
}

enum Item<'a> {
    /// A box that is not checked.
    Open(&'a str),
    /// One that is.
    Done(&'a str),
    /// A list's item without a box.
    Plain(&'a str),
}

fn item(line: &str) -> Option<Item<'_>> {
    let bullet = line.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with(' '));
    let number = || {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (digits.len() < line.len())
            .then(|| digits.strip_prefix(['.', ')']))
            .flatten()
            .filter(|rest| rest.starts_with(' '))
    };
    let text = bullet.or_else(number)?.trim();
    for open in ["[ ]", "[]", "☐", "[-]", "[~]", "[->]"] {
        if let Some(rest) = text.strip_prefix(open) {
            return Some(Item::Open(rest.trim()));
        }
    }
    for done in ["[x]", "[X]", "☑", "✅", "✔"] {
        if let Some(rest) = text.strip_prefix(done) {
            return Some(Item::Done(rest.trim()));
        }
    }
    Some(Item::Plain(text))
}

enum Title<'a> {
    /// A list of open work begins; what stands on the same line.
    OfOpenWork(&'a str),
    /// Another part begins.
    Other,
    /// No title.
    None,
}

fn title(line: &str) -> Title<'_> {
    let heading = line.starts_with('#');
    let plain = line.trim_start_matches(['#', ' ']).trim_start_matches("**");
    let bold = line.starts_with("**");
    let (name, rest) = match plain.split_once(':') {
        // `TODO: write the test`, `**Next steps:** write the test`
        Some((name, rest)) => (name, rest.trim_start_matches("**").trim()),
        None => (plain.trim_end_matches("**"), ""),
    };
    let titled = heading
        || bold
        || plain.split_once(':').is_some_and(|(_, rest)| rest.trim_matches(['*', ' ']).is_empty());
    let name = name.trim_end_matches("**").trim().to_lowercase();
    let of_open = name.chars().count() <= 60 && TITLES.iter().any(|title| name.contains(title));
    let short = TITLES.iter().any(|title| name == *title || name.strip_suffix('s') == Some(*title));
    if of_open && (titled || (short && !rest.is_empty())) {
        return Title::OfOpenWork(rest);
    }
    if heading || (bold && titled) { Title::Other } else { Title::None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_under_their_titles_and_open_boxes_anywhere() {
        let answer = "The export works.\n\n- [x] writer\n- [ ] header\n\n## Next steps\n\nIn this order:\n1. Write the EXPORT test\n2. Ask about `;` as separator\n\n## Files\n- src/export.rs\n";
        assert_eq!(of(answer), ["header", "Write the EXPORT test", "Ask about `;` as separator"]);
        assert_eq!(done(answer), ["writer"]);
        assert_eq!(
            of("**Remaining work:**\n* the docs\n* the release\n**Done:**\n* all else"),
            ["the docs", "the release"]
        );
        assert_eq!(of("TODO: remove the shim after the release"), ["remove the shim after the release"]);
        assert_eq!(of("What's left:\n- one thing"), ["one thing"]);
    }

    #[test]
    fn ordinary_answers_have_none() {
        for answer in [
            "All done, the tests pass.",
            "I changed:\n- src/a.rs\n- src/b.rs",
            "The next step in the pipeline is the parser, which reads the tokens.",
            "```md\n## Next steps\n- not this\n```",
            "The file has two TODO comments from before.",
        ] {
            assert_eq!(of(answer), Vec::<String>::new(), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_safe(answer in any::<String>()) {
            prop_assert!(of(&answer).len() <= MAX_ITEMS);
            let _ = done(&answer);
        }
    }
}
