//! What a text of an agent says that is worth keeping: by a model when one is configured, else by the signs of a
//! learning in its sentences. Filters keep out what was seen to fill memories with rubbish.

use serde_json::Value;
use sprag_config::host::Host;
use sprag_llm::{Llm, answer};

/// Shorter texts of an agent teach nothing.
const LEAST: usize = 100;
/// The most learnings of one text.
const MAX_LEARNINGS: usize = 3;

/// Signs that a sentence says why something is so or must be done.
const SIGNS: [&str; 24] = [
    "turns out", "root cause", "the cause", "because", "fails when", "failed because", "fails unless",
    "only works", "does not work", "doesn't work", "must ", "never ", "always ", "instead of", "requires",
    "needs to", "the fix", "fixed by", "workaround", "note that", "learned", "the reason", "caused by",
    "otherwise",
];

/// Texts that say that there is nothing to say.
const NOTHING: [&str; 4] =
    ["no significant learnings", "no learnings", "nothing to report", "nothing notable"];

/// Texts that say that the model could not be asked.
const UNASKED: [&str; 8] = [
    "please log in", "please run /login", "invalid api key", "rate limit", "credit balance", "i cannot help",
    "api error", "not logged in",
];

/// True when a text is no error message and long enough to say something.
pub fn is_substantial(text: &str) -> bool {
    let text = text.trim();
    let size = text.chars().count();
    if size < LEAST {
        return false;
    }
    let lower = text.to_lowercase();
    let fails =
        ["error", "failed", "exception", "traceback", "fatal"].iter().any(|word| lower.starts_with(word));
    // A long text may begin with an error and explain it.
    !(fails && size < 200)
}

/// True when one learning is worth keeping.
pub fn is_worth_keeping(learning: &str) -> bool {
    let size = learning.trim().chars().count();
    let lower = learning.to_lowercase();
    (30..=600).contains(&size)
        && !NOTHING.iter().chain(&UNASKED).any(|words| lower.contains(words))
        && !lower.contains("todo")
        && learning.split_whitespace().count() >= 5
}

/// The learnings of a text by their signs, without a model. The order of the text, at most three.
pub fn by_signs(text: &str) -> Vec<String> {
    if !is_substantial(text) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        let line = line.trim().trim_start_matches(['-', '*', '#', '>', ' ']).trim();
        for sentence in sentences(line) {
            let lower = sentence.to_lowercase();
            let plan =
                lower.starts_with("i will") || lower.starts_with("i'll") || lower.starts_with("let me");
            let teaches = SIGNS.iter().any(|sign| lower.contains(sign)) && !plan && !sentence.ends_with('?');
            if teaches && is_worth_keeping(sentence) && !found.iter().any(|known| known == sentence) {
                found.push(sentence.replace("**", ""));
                if found.len() == MAX_LEARNINGS {
                    return found;
                }
            }
        }
    }
    found
}

/// Sentences of a line; a dot in a name or number ends none.
fn sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(". ") {
        let (head, tail) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
        out.push(head.trim());
        rest = tail.trim_start();
    }
    out.push(rest.trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}

/// The learnings of a text by a model; `None` when it does not answer, or with something else.
fn by_model(host: &Host, llm: &Llm, text: &str) -> Option<Vec<String>> {
    let tail: String = {
        let skip = text.chars().count().saturating_sub(20_000);
        text.chars().skip(skip).collect()
    };
    let question = format!(
        "Below is what a coding agent said at the end of its work. Write down what later sessions on this project should \
         know: mistakes and their fixes, facts of the code base or environment, approaches that failed. No narration, no \
         progress, nothing that the code itself says. Answer with one JSON object: {{\"learnings\": [\"…\"]}}, at most \
         {MAX_LEARNINGS}, one or two sentences each, self-contained; an empty list when there is nothing.\n\n<text>\n{tail}\n</text>"
    );
    let said = llm.ask_in_background(host, &question).ok()?;
    let Some(object) = answer::best(&said, &["learnings"]) else {
        // Plain words that there is nothing are an answer; anything else is none.
        let lower = said.to_lowercase();
        let nothing = NOTHING.iter().any(|words| lower.contains(words)) && said.chars().count() < LEAST;
        return nothing.then(Vec::new);
    };
    let list = object.get("learnings").and_then(Value::as_array).into_iter().flatten();
    let texts = list.filter_map(|one| one.as_str().or_else(|| one.get("text")?.as_str()));
    Some(texts.filter(|text| is_worth_keeping(text)).take(MAX_LEARNINGS).map(str::to_owned).collect())
}

/// The learnings of a text: by the model when one is configured and answers, else by their signs.
pub fn learnings(host: &Host, text: &str) -> Vec<String> {
    if !is_substantial(text) {
        return Vec::new();
    }
    let llm = Llm::read(host);
    if llm.is_off() {
        return by_signs(text);
    }
    by_model(host, &llm, text).unwrap_or_else(|| by_signs(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REPORT: &str = "I looked at the checkout tests. The suite fails when the clock is past midnight because the fixture \
                          uses Date.now. I will fix that next. Prices must be compared in cents, otherwise rounding differs \
                          by one.\n```\nmust never be taken from code blocks because they are code\n```\nDone?";

    #[test]
    fn sentences_that_teach() {
        assert_eq!(
            by_signs(REPORT),
            [
                "The suite fails when the clock is past midnight because the fixture uses Date.now.",
                "Prices must be compared in cents, otherwise rounding differs by one."
            ]
        );
    }

    #[test]
    fn fault_of_the_reference_rubbish_is_not_kept() {
        for text in [
            "",
            "ok",
            "Review: fine.",
            "Error: the tool must be installed because it is not there, please install it and then try it again now.",
        ] {
            assert!(by_signs(text).is_empty(), "{text}");
        }
        for text in [
            "No significant learnings from this session, because it was short.",
            "Invalid API key, you must log in again · Please run /login",
            "must",
        ] {
            assert!(!is_worth_keeping(text), "{text}");
        }
    }

    #[test]
    fn fault_of_the_reference_the_word_error_is_no_failure() {
        let text = "The error handler swallows rejected promises because it awaits nothing; every async route must be wrapped in \
                    asyncHandler, otherwise requests hang until the proxy gives up.";
        assert_eq!(by_signs(text).len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_safe(text in any::<String>()) {
            for learning in by_signs(&text) {
                prop_assert!(is_worth_keeping(&learning) || learning.len() < 600);
            }
        }
    }
}
