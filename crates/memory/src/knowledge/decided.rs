//! Choices that somebody states in so many words: "we decided", "from now on", "instead of". Without a model, so only
//! what is said plainly counts: no questions, no plans of the agent for its next step, no descriptions of code. Pure.

use super::text;

/// A longer message is pasted material.
const MAX_MESSAGE: usize = 8_000;
/// A longer sentence is no plain statement.
const MAX_SENTENCE: usize = 400;
/// So many of one message.
const MAX_DECISIONS: usize = 5;

/// Words with which a choice is stated, whoever says them.
const STATED: [&str; 22] = [
    "we decided", "we've decided", "we have decided", "it was decided", "was decided that",
    "decision was made", "decided against", "that is decided", "that's decided", "as decided", "as agreed",
    "we agreed", "we've agreed", "it was agreed", "we settled on", "we've settled on", "we chose",
    "we've chosen", "you decided", "we moved away from", "we're moving away from", "we opted",
];
/// Words with which a person states one.
const BY_USER: [&str; 25] = [
    "i decided", "i've decided", "i have decided", "from now on", "going forward", "let's go with",
    "lets go with", "let's stick with", "let's use", "let's not", "we'll use", "we will use", "we will not",
    "we won't", "we'll not", "we're going with", "we are going with", "we are going to use",
    "we're going to use", "we're switching", "we are switching", "please remember", "please always",
    "no more ", "we no longer",
];
/// What makes a sentence something else: a doubt, a question, a condition.
const DOUBTS: [&str; 22] = [
    "not decided", "haven't decided", "hasn't been decided", "to decide", "if we decided", "if you decided",
    "whether we", "should we", "could we", "shall i", "shall we", "would you", "do you", "did we",
    "what we decided", "before we decide", "we could", "one could", "we might", "might want", "may want",
    "would suggest",
];

/// The choices that a message states, in its order. `by_user` says who wrote it.
pub(super) fn of(message: &str, by_user: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if message.chars().count() > MAX_MESSAGE {
        return found;
    }
    let mut fenced = false;
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
        }
        // A quotation is somebody else's.
        if fenced || line.starts_with(['>', '|']) {
            continue;
        }
        for sentence in sentences(line) {
            if is_decision(sentence, by_user) && found.len() < MAX_DECISIONS {
                found.push(plain(sentence));
            }
        }
    }
    found
}

/// True for a sentence that states a choice.
pub fn is_decision(sentence: &str, by_user: bool) -> bool {
    let size = sentence.chars().count();
    if !(12..=MAX_SENTENCE).contains(&size)
        || sentence.split_whitespace().count() < 4
        || sentence.ends_with('?')
    {
        return false;
    }
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    if DOUBTS.iter().any(|words| lower.contains(words)) || lower.starts_with("if ") {
        return false;
    }
    let titled = ["decision:", "**decision:**", "**decision**:", "decided:"];
    let start = lower.trim_start_matches(['-', '*', ' ']);
    if titled.iter().any(|title| lower.starts_with(title) || start.starts_with(title.trim_start_matches('*')))
    {
        return true;
    }
    if STATED.iter().any(|words| lower.contains(words)) {
        return true;
    }
    let prefers = lower.contains("instead of") || lower.contains("rather than");
    if !by_user {
        // What the user asked for, told by the agent.
        return prefers
            && ["you asked for", "you wanted", "you chose"].iter().any(|words| lower.contains(words));
    }
    let ours = lower.starts_with("we ") || lower.contains(" we ") || lower.starts_with("i want");
    BY_USER.iter().any(|words| lower.contains(words)) || (prefers && ours)
}

/// Without the marks of a list and of bold type.
fn plain(sentence: &str) -> String {
    text::one_line(sentence.trim_start_matches(['-', '*', '#', ' ']).replace("**", "").trim())
}

/// Sentences of a line; a dot in a name or number ends none.
fn sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = [". ", "! ", "? "].iter().filter_map(|end| rest.find(end)).min() {
        let (head, tail) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
        out.push(head.trim());
        rest = tail.trim_start();
    }
    out.push(rest.trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn measure(part: &str) -> (usize, usize, usize) {
        let set: Value = serde_json::from_str(include_str!("../../eval/decisions.json")).unwrap();
        let (mut found, mut all, mut wrong) = (0, 0, 0);
        for case in set[part].as_array().unwrap() {
            let text = case["said"].as_str().unwrap();
            let said = !of(text, case["who"] == "user").is_empty();
            let is = case["decision"] == true;
            all += usize::from(is);
            found += usize::from(is && said);
            wrong += usize::from(!is && said);
            if part == "tune" && is != said {
                println!("{}: {text}", if is { "missed" } else { "wrong" });
            }
        }
        println!("{part}: {found} of {all} found, {wrong} wrong");
        (found, all, wrong)
    }

    /// The blind part was written and committed before the rules were; nothing was changed after its first run.
    #[test]
    fn the_labelled_sentences() {
        let (found, all, wrong) = measure("tune");
        assert!(found * 10 >= all * 9 && wrong == 0, "{found} of {all}, {wrong} wrong");
        let (found, all, wrong) = measure("blind");
        assert!(found * 10 >= all * 8 && wrong <= 1, "{found} of {all}, {wrong} wrong");
    }

    #[test]
    fn one_of_several_sentences() {
        let said = "I looked at it. We decided to keep cents. Next I run the tests.\n```\nwe decided nothing here, it is code\n```\n> we decided that elsewhere";
        assert_eq!(of(said, false), ["We decided to keep cents."]);
    }

    proptest! {
        #[test]
        fn any_message_is_safe(message in any::<String>(), by_user in any::<bool>()) {
            prop_assert!(of(&message, by_user).len() <= MAX_DECISIONS);
        }
    }
}
