//! Words of names and sentences: `getHTTPResponse_v2` is get, http, response, v2. Endings are cut, so that `redirects` finds
//! `redirected`.

/// The words of a text, small, without their endings and without those that say nothing.
pub fn of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        split_case(part, &mut found);
    }
    found.retain(|word| word.len() > 1 && !EMPTY.contains(&word.as_str()));
    found.into_iter().map(|word| stem(&word)).collect()
}

/// Splits `getHTTPResponse` at its humps.
fn split_case(part: &str, found: &mut Vec<String>) {
    let letters: Vec<char> = part.chars().collect();
    let mut word = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let hump = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if hump && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        word.extend(letter.to_lowercase());
    }
    if !word.is_empty() {
        found.push(word);
    }
}

/// A word without its ending.
fn stem(word: &str) -> String {
    const ENDINGS: [(&str, &str); 16] = [
        ("ations", "at"),
        ("ation", "at"),
        ("ications", "ic"),
        ("nesses", ""),
        ("ings", ""),
        ("ing", ""),
        ("ments", ""),
        ("ment", ""),
        ("ies", "y"),
        ("ied", "y"),
        ("ers", ""),
        ("er", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
    ];
    for (ending, instead) in ENDINGS {
        if let Some(start) = word.strip_suffix(ending)
            && start.chars().count() >= 3
        {
            let start = format!("{start}{instead}");
            // `skipping`, `skip`
            let mut back = start.chars().rev();
            let doubled =
                matches!((back.next(), back.next()), (Some(a), Some(b)) if a == b && !"aeioul s".contains(a));
            return if doubled { start.chars().take(start.chars().count() - 1).collect() } else { start };
        }
    }
    word.to_owned()
}

/// Words that ask or join, and say nothing about what is looked for.
const EMPTY: [&str; 62] = [
    "how", "what", "where", "why", "when", "which", "who", "does", "do", "did", "is", "are", "was", "the",
    "a", "an", "and", "or", "of", "to", "in", "on", "for", "with", "from", "by", "it", "its", "this", "that",
    "these", "all", "any", "every", "find", "show", "code", "work", "works", "be", "as", "at", "if", "so",
    "can", "cannot", "has", "have", "than", "then", "there", "their", "them", "they", "into", "out", "one",
    "not", "will", "would", "self", "cls",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_have_the_same_words() {
        assert_eq!(of("_analyze_redirects"), ["analyz", "redirect"]);
        assert_eq!(of("how are redirects analyzed?"), ["redirect", "analyz"]);
        assert_eq!(of("getHTTPResponse"), ["get", "http", "respons"]);
        assert_eq!(of("skipping skips skipped"), ["skip", "skip", "skip"]);
        assert_eq!(of("validate validation"), ["validat", "validat"]);
    }
}
