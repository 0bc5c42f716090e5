//! The words of a text that say what it is about, and the intent of a prompt without its filler. Pure.

use std::collections::HashSet;

/// Words that stand in every text, sorted. Only the commonest: what else is common here is found by counting.
const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "done",
    "dont", "down", "each", "even", "every", "few", "for", "from", "get", "gets", "getting", "give", "go",
    "goes", "going", "got", "had", "has", "have", "having", "he", "help", "her", "here", "him", "his", "how",
    "i", "if", "im", "in", "into", "is", "isnt", "it", "its", "just", "keep", "know", "let", "lets", "like",
    "look", "made", "make", "makes", "many", "may", "me", "might", "more", "most", "much", "must", "my",
    "need", "needs", "no", "nor", "not", "now", "of", "off", "ok", "on", "once", "one", "only", "or",
    "other", "our", "out", "over", "own", "please", "put", "quite", "really", "right", "same", "say", "see",
    "she", "should", "show", "so", "some", "still", "such", "sure", "take", "tell", "than", "thank",
    "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this",
    "those", "through", "to", "too", "try", "two", "until", "up", "us", "use", "used", "uses", "using",
    "very", "want", "wants", "was", "way", "we", "well", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "without", "work", "working", "would", "yes", "yet", "you", "your",
];

/// Openings, questions and courtesies that say nothing of what is wanted. Stripped again and again.
const OPENINGS: &[&str] = &[
    "can you", "could you", "would you", "will you", "please", "help me", "i want you to", "i want to",
    "i need you to", "i need to", "i would like to", "i'd like to", "let's", "lets", "let us", "show me",
    "tell me", "find", "search for", "look for", "look at", "look into", "recall", "remember", "how do i",
    "how do we", "how can i", "how can we", "how to", "how does", "what is", "what are", "what's",
    "where is", "where are", "why is", "why are", "why does", "why do", "hey", "hi", "hello", "ok", "okay",
    "so", "now", "then", "and", "with", "go ahead and", "try to", "again",
];

const CLOSINGS: &[&str] =
    &["for me", "please", "thanks", "thank you", "thx", "if possible", "when you can", "again"];

/// What a prompt wants, without the filler around it. Stripping goes on until nothing changes; a prompt of filler alone
/// stays as it is.
pub fn intent(prompt: &str) -> &str {
    let trim = |text: &'static str| move |c: char| c.is_whitespace() || text.contains(c);
    let mut text = prompt.trim();
    loop {
        let before = text;
        text = text.trim_start_matches(trim(",.:;!-")).trim_end_matches(trim(",.:;!?"));
        for opening in OPENINGS {
            if let Some(rest) = strip_start(text, opening) {
                text = rest;
            }
        }
        for closing in CLOSINGS {
            if let Some(rest) = strip_end(text, closing) {
                text = rest;
            }
        }
        if text.is_empty() {
            return prompt.trim();
        }
        if text == before {
            return text;
        }
    }
}

/// The text behind a phrase and a blank or comma, whatever the case.
fn strip_start<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(phrase.len())?;
    let ends = rest.starts_with(|c: char| c.is_whitespace() || c == ',');
    (head.eq_ignore_ascii_case(phrase) && ends)
        .then(|| rest.trim_start_matches(|c: char| c.is_whitespace() || c == ','))
}

fn strip_end<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(phrase.len())?)?;
    let begins = rest.ends_with(|c: char| c.is_whitespace() || c == ',');
    (tail.eq_ignore_ascii_case(phrase) && begins)
        .then(|| rest.trim_end_matches(|c: char| c.is_whitespace() || c == ','))
}

/// The beginning of a text up to a number of bytes, at the end of a word.
pub fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let head = (0..=bytes).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    head.rfind(char::is_whitespace).and_then(|at| head.get(..at)).unwrap_or(head)
}

/// The words of a text that say what it is about, in lower case, each once, in order. Names in code are also split:
/// `snake_case` and `camelCase` are found by their parts.
pub fn content_words(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    let mut add = |word: &str| {
        let word = word.to_lowercase();
        let content = word.len() > 1 && word.len() <= 64 && STOP.binary_search(&word.as_str()).is_err();
        if content && seen.insert(word.clone()) {
            words.push(word);
        }
    };
    // An apostrophe within a word belongs to it: "don't" is not "don" and "t".
    let joined: String = text.chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).collect();
    for run in joined.split(|c: char| !c.is_alphanumeric()) {
        add(run);
        let parts = humps(run);
        if parts.len() > 1 {
            parts.into_iter().for_each(&mut add);
        }
    }
    words
}

/// The parts of `camelCase`.
fn humps(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut low = false;
    for (at, c) in word.char_indices() {
        if c.is_uppercase() && low {
            parts.extend(word.get(start..at));
            start = at;
        }
        low = c.is_lowercase();
    }
    parts.extend(word.get(start..));
    parts
}

/// The part of a question's words that a text has, from 0 to 1. Endings make no difference.
pub fn share(question: &[String], text: &[String]) -> f32 {
    if question.is_empty() {
        return 0.0;
    }
    let found = question.iter().filter(|word| text.iter().any(|other| same_stem(word, other))).count();
    found as f32 / question.len() as f32
}

/// True for words that differ only in their endings, roughly.
pub fn same_stem(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if a.bytes().any(|byte| byte.is_ascii_digit()) || b.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    common >= 4 && common + 2 >= short && long <= common + 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fault_of_the_reference_filler_is_stripped_until_nothing_is_left_to_strip() {
        for (prompt, wanted) in [
            ("can you help me with the flaky upload test?", "the flaky upload test"),
            ("Could you please show me how to rotate the signing keys, thanks!", "rotate the signing keys"),
            ("hey, let's fix the login redirect please", "fix the login redirect"),
            ("OK so where is the retry budget configured?", "the retry budget configured"),
            ("findings are in report.md", "findings are in report.md"),
            ("please", "please"),
            ("", ""),
        ] {
            assert_eq!(intent(prompt), wanted, "{prompt}");
        }
    }

    #[test]
    fn the_common_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn names_in_code_are_found_by_their_parts() {
        assert_eq!(
            content_words("Why doesn't parseConfigFile() call read_env in v2?"),
            ["doesnt", "parseconfigfile", "parse", "config", "file", "call", "read", "env", "v2"]
        );
    }

    #[test]
    fn endings_make_no_difference_but_numbers_do() {
        let words = |text: &str| content_words(text);
        assert!((share(&words("migrations restarting"), &words("a migration restarts")) - 1.0).abs() < 1e-6);
        assert!(share(&words("port 3000"), &words("port 4000")) < 0.6);
        assert!(!same_stem("test", "text") && !same_stem("content", "contract"));
    }

    proptest! {
        #[test]
        fn any_prompt_is_safe_and_stripping_settles(prompt in any::<String>()) {
            let once = intent(&prompt);
            prop_assert_eq!(intent(once), once);
            for word in content_words(&prompt) {
                prop_assert!(word.chars().all(char::is_alphanumeric), "{}", word);
            }
            prop_assert!(beginning(&prompt, 20).len() <= 20);
        }
    }
}
