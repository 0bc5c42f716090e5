//! What a person asked about, by the words of the request that look like code: the read that follows shows what was meant.

use sprag_checks::place::PROMPT;
use sprag_code::Facts;
use sprag_code::search_context::{Searched, layers};
use sprag_runtime::hook::Cx;

/// Words after which any name is meant as code.
const KINDS: [&str; 9] =
    ["function", "method", "variable", "constant", "class", "struct", "field", "def", "symbol"];
/// A name that is shorter is everywhere.
const SHORT: usize = 3;

/// The thing of this file that the last request names, as if it had been searched for.
pub(super) fn in_file(cx: &Cx<'_>, facts: &Facts) -> Option<Searched> {
    let kept = cx.session.read(PROMPT);
    // The first line is when the session began.
    let (_, prompt) = kept.split_once('\n')?;
    let symbol =
        names(prompt).into_iter().find_map(|name| facts.symbols.iter().find(|symbol| symbol.name == name))?;
    let kind = symbol.kind.name();
    Some(Searched {
        at: cx.host.clock.now().0,
        agent: String::new(),
        kind: "asked".to_owned(),
        target: symbol.name.clone(),
        target_kind: kind.to_owned(),
        layers: layers(kind),
        defined: String::new(),
        callers: Vec::new(),
    })
}

/// The names of code in a request, in order: in backticks, with a call's bracket, by their spelling, or after a word that says
/// what they are. Of a path only the last part.
fn names(prompt: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut before = "";
    for (number, part) in prompt.split('`').enumerate() {
        let quoted = number % 2 == 1;
        let mut rest = part;
        while let Some(start) = rest.find(is_word) {
            let from = rest.get(start..).unwrap_or("");
            let end = from.find(|c: char| !is_word(c)).unwrap_or(from.len());
            let (word, tail) = from.split_at(end);
            let path = tail.starts_with("::")
                || (tail.starts_with('.') && tail.get(1..).is_some_and(|t| t.starts_with(is_word)));
            let said = KINDS.iter().any(|kind| before.eq_ignore_ascii_case(kind));
            if word.chars().count() >= SHORT
                && !path
                && (quoted || said || tail.starts_with('(') || is_spelled(word))
                && !names.contains(&word)
            {
                names.push(word);
            }
            before = word;
            rest = tail;
        }
    }
    names
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `total_price`, `totalPrice`, `LIMIT_2`: no word of a language.
fn is_spelled(word: &str) -> bool {
    let humps = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    humps || word.trim_matches('_').contains('_')
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_what_looks_like_code() {
        assert_eq!(names("how does `pay` work, and where is it called?"), ["pay"]);
        assert_eq!(
            names("why does total_price round, not roundUp(x) or calc()?"),
            ["total_price", "roundUp", "calc"]
        );
        assert_eq!(names("explain the function settle in pond.py"), ["settle"]);
        assert_eq!(names("look at Cart.check_out and shop::Cart::drop_it"), ["check_out", "drop_it"]);
        assert_eq!(names("what is in `Shop.LIMIT`?"), ["LIMIT"]);
        assert!(names("please read the whole file and tell me what it does").is_empty());
        assert!(names("").is_empty());
        assert!(names("`é` ``").is_empty());
    }
}
