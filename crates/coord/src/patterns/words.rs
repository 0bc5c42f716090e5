//! What a member's last words decide: a vote, an approval, who handled it. Whole words at the start of a line, the
//! last such line: `no` in `know` is no vote, and `do not approve` no approval. Pure.

/// The vote in a text: the last line `VOTE: …`, else a last line that is nothing but a vote.
pub(super) fn vote(text: &str) -> Option<String> {
    let said = lines(text).find_map(|line| labelled(line, &["vote", "verdict", "decision"]));
    let last = || lines(text).next().filter(|line| line.split_whitespace().count() == 1);
    let word = said.or_else(|| last().filter(|line| known(&bare(line)).is_some()))?;
    // An option of more than a word is kept to its end; a sentence is not one.
    let option = bare(word.split(['.', ',', ';', '(', '—']).next().unwrap_or_default());
    if option.is_empty() {
        return None;
    }
    let negated = ["not ", "do not ", "don't "].iter().any(|word| option.starts_with(word));
    if negated && (option.contains("approve") || option.contains("accept")) {
        return Some("reject".to_owned());
    }
    let first = option.split_whitespace().next().unwrap_or_default().to_owned();
    Some(known(&first).map_or_else(|| option.chars().take(60).collect(), str::to_owned))
}

/// The vote that a word stands for.
fn known(word: &str) -> Option<&'static str> {
    match word {
        "approve" | "approved" | "approves" | "yes" | "accept" | "accepted" => Some("approve"),
        "reject" | "rejected" | "rejects" | "no" | "deny" | "denied" | "disapprove" => Some("reject"),
        "abstain" | "abstained" => Some("abstain"),
        _ => None,
    }
}

/// What a critic says: approved, or not. `None` when it says neither.
pub(super) fn approval(text: &str) -> Option<bool> {
    lines(text).find_map(|line| {
        let line = labelled(line, &["verdict", "decision", "vote"]).unwrap_or(line);
        let line = bare(line);
        match line.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',', '.', ';']) {
            "approved" | "approve" | "lgtm" => Some(true),
            "revise" | "rejected" | "reject" => Some(false),
            "not" | "don't" if line.contains("approve") => Some(false),
            "do" if line.starts_with("do not approve") => Some(false),
            _ => None,
        }
    })
}

/// What a handler in a chain did with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Handling {
    Resolved,
    Escalated(String),
}

/// Whether a handler resolved it or passes it on. `None` when it says neither.
pub(super) fn handling(text: &str) -> Option<Handling> {
    lines(text).find_map(|line| {
        let (word, rest) = line.split_once([':', ' ']).unwrap_or((line, ""));
        match bare(word).as_str() {
            "resolved" | "handled" => Some(Handling::Resolved),
            "escalate" | "escalated" => {
                let why = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ':'));
                Some(Handling::Escalated(why.chars().take(300).collect()))
            }
            _ => None,
        }
    })
}

/// The lines with something in them, the last first, without the marks of lists and headings.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .rev()
        .map(|line| line.trim().trim_start_matches(['#', '>', '-', '*', '_', '`', ' ']))
        .filter(|line| !line.is_empty())
        .take(200)
}

/// What follows `word:` at the start of a line.
fn labelled<'a>(line: &'a str, words: &[&str]) -> Option<&'a str> {
    let (label, rest) = line.split_once([':', '='])?;
    let label = bare(label);
    words.contains(&label.as_str()).then(|| rest.trim())
}

/// A word without case and marks.
fn bare(text: &str) -> String {
    let marks: &[char] = &['*', '_', '`', '"', '\'', ' ', '.', '!', '[', ']', '<', '>'];
    text.trim().trim_matches(marks).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_vote_is_the_last_line_that_says_one() {
        for (text, wanted) in [
            ("VOTE: approve", Some("approve")),
            ("I looked.\n\n**Vote:** Reject, because of the total.", Some("reject")),
            ("vote: approve\nOn second thought:\n- VOTE: reject", Some("reject")),
            ("Vote: option B", Some("option b")),
            ("all fine\n\nYes.", Some("approve")),
            ("Verdict: do nothing", Some("do nothing")),
            ("Vote: not sure", Some("not sure")),
            ("", None),
            ("VOTE:", None),
        ] {
            assert_eq!(vote(text).as_deref(), wanted, "{text:?}");
        }
    }

    /// Fault of the reference: votes were found as parts of other words and of their negation.
    #[test]
    fn fault_no_inside_know_and_approve_inside_do_not_approve_are_no_votes() {
        assert_eq!(vote("I know this cannot go wrong, nothing to note."), None);
        assert_eq!(vote("I do not approve of tabs, but that is another matter"), None);
        assert_eq!(vote("Vote: not approved").as_deref(), Some("reject"));
        assert_eq!(approval("I do not know whether it is approved elsewhere"), None);
        assert_eq!(approval("Do not approve this.\n"), Some(false));
        assert_eq!(approval("NOT APPROVED: the total is wrong"), Some(false));
        assert_eq!(approval("Looks right.\n\nAPPROVED"), Some(true));
        assert_eq!(approval("APPROVED\nREVISE: the total"), Some(false), "the last word counts");
    }

    #[test]
    fn a_chain_ends_or_goes_on() {
        assert_eq!(handling("done\nRESOLVED: the cart"), Some(Handling::Resolved));
        assert_eq!(handling("**Escalate:** no access"), Some(Handling::Escalated("no access".into())));
        assert_eq!(handling("it is unresolved"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,200}|(vote|VOTE|\\*|:|\n| |no|approve){0,40}") {
            let _ = (vote(&text), approval(&text), handling(&text));
            if let Some(vote) = vote(&text) {
                prop_assert!(!vote.is_empty() && vote.chars().count() <= 60);
            }
        }

        #[test]
        fn a_vote_survives_whatever_stands_before_it(before in "[a-zA-Z ,.\n]{0,200}") {
            let text = format!("{before}\nVOTE: reject");
            prop_assert_eq!(vote(&text), Some("reject".to_owned()));
        }
    }
}
