//! What a search is after, by the look of its pattern: a definition, a name, an idea, or just text. Pure.

/// What a pattern is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// `def pay`, `class Cart`: a definition and nothing else.
    Definition(String),
    /// `pay`, `Cart.pay(`, `pay|refund`: names.
    Names(Vec<String>),
    /// `how does paying work`: an idea, in words.
    Idea(Vec<String>),
    /// Anything else.
    Text,
}

/// Words that begin a definition.
const DEFINES: [&str; 27] = [
    "async def", "def", "class", "abstract class", "async function", "function", "export default function",
    "export function", "export async function", "export class", "export const", "export interface",
    "export type", "const", "let", "interface", "type", "enum", "struct", "trait", "impl", "fn", "pub fn",
    "async fn", "func", "module", "macro_rules!",
];

/// The most names of an alternation.
const NAMES: usize = 4;
/// A name that is shorter is everywhere.
const SHORT: usize = 3;

/// Reads a pattern.
pub fn read(pattern: &str) -> Query {
    let text = bare(pattern);
    if let Some(name) = definition(&text) {
        return Query::Definition(name);
    }
    let parts: Vec<&str> = text.split('|').map(|part| part.trim_matches(['(', ')', '\\'])).collect();
    let names: Vec<String> = parts.iter().filter_map(|part| name(part)).collect();
    if names.len() == parts.len() && names.len() <= NAMES && !names.is_empty() {
        return Query::Names(names);
    }
    idea(pattern).map_or(Query::Text, Query::Idea)
}

/// The words before the name of a definition (`pub fn`), and whether longer names match the pattern, too: `def pay` finds
/// `def pay_all`.
pub fn definition_form(pattern: &str) -> Option<(&'static str, bool)> {
    let text = bare(pattern);
    let words = DEFINES.iter().filter(|words| {
        definition(&text).is_some() && text.strip_prefix(**words).is_some_and(|rest| rest.starts_with(' '))
    });
    let words = words.max_by_key(|words| words.len())?;
    let ends = pattern.trim_end().ends_with("\\b") || pattern.trim_end().ends_with("\\>");
    let last_is_name = text.chars().next_back().is_some_and(is_word) || text.ends_with(".*");
    Some((words, last_is_name && !ends))
}

/// A pattern without what stands for the edges of words and white space.
fn bare(pattern: &str) -> String {
    let mut text = pattern.trim().trim_start_matches('^').trim_end_matches('$').to_owned();
    for (mark, plain) in [
        ("\\b", ""),
        ("\\<", ""),
        ("\\>", ""),
        ("\\s+", " "),
        ("\\s*", " "),
        ("[ \\t]*", " "),
        ("\\(", "("),
        ("\\)", ")"),
        ("\\.", "."),
        ("\\|", "|"),
    ] {
        text = text.replace(mark, plain);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name that a definition is of.
fn definition(text: &str) -> Option<String> {
    DEFINES.iter().find_map(|words| {
        let rest = text.strip_prefix(words)?.strip_prefix(' ')?;
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        let tail = rest.get(name.len()..)?.trim();
        // What follows a name in a definition, or nothing.
        let ends = matches!(tail, "" | "(" | "()" | ":" | "{" | "<" | "=" | "(.*" | ".*" | "(:" | "(self");
        (ends && is_name(&name)).then_some(name)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_name(text: &str) -> bool {
    text.chars().count() >= SHORT
        && text.chars().all(is_word)
        && text.chars().next().is_some_and(|c| !c.is_numeric())
}

/// The last part of `self.pay`, `Cart::pay(`, `pay`.
fn name(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches("()").trim_end_matches('(');
    let text = text.replace("::", ".").replace("->", ".");
    let mut parts = text.split('.');
    let last = parts.next_back()?;
    let rest: Vec<&str> = parts.collect();
    // `cart.py` is a file.
    const ENDINGS: [&str; 14] =
        ["py", "ts", "tsx", "js", "jsx", "rs", "go", "java", "rb", "php", "json", "md", "toml", "yaml"];
    let is_file = !rest.is_empty() && ENDINGS.contains(&last);
    let plain = rest.iter().all(|part| !part.is_empty() && part.chars().all(is_word));
    (plain && !is_file && is_name(last)).then(|| last.to_owned())
}

/// Words that ask or join, and say nothing about what is looked for.
const EMPTY: [&str; 46] = [
    "how", "what", "where", "why", "when", "which", "who", "does", "do", "did", "is", "are", "was", "the",
    "a", "an", "and", "or", "of", "to", "in", "on", "for", "with", "from", "by", "it", "its", "this", "that",
    "these", "all", "any", "every", "find", "show", "list", "get", "explain", "code", "work", "works",
    "implementation", "implemented", "logic", "there",
];

/// The words of an idea, without those that say nothing.
fn idea(pattern: &str) -> Option<Vec<String>> {
    let plain = pattern.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '?' | '-' | '\'' | ','));
    let words: Vec<String> = pattern
        .split([' ', '?', '-', ',', '\''])
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let asks = words.first().is_some_and(|first| {
        matches!(
            first.as_str(),
            "how" | "what" | "where" | "why" | "when" | "which" | "find" | "show" | "list" | "explain"
        )
    }) || pattern.trim_end().ends_with('?');
    if !plain || words.len() < 3 || !(asks || words.len() >= 4) {
        return None;
    }
    let said: Vec<String> =
        words.into_iter().filter(|word| word.len() >= SHORT && !EMPTY.contains(&word.as_str())).collect();
    (!said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(list: &[&str]) -> Query {
        Query::Names(list.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn what_patterns_are() {
        let definition = |name: &str| Query::Definition(name.to_owned());
        for (pattern, wanted) in [
            ("def pay", definition("pay")),
            ("^\\s*def\\s+pay\\(", definition("pay")),
            ("class Cart\\b", definition("Cart")),
            ("pub fn read_limited", definition("read_limited")),
            ("function\\s+pay", definition("pay")),
            ("export const useCart", definition("useCart")),
            ("def .*pay", Query::Text),
            ("pay_all", names(&["pay_all"])),
            ("\\bpay\\b", names(&["pay"])),
            ("self\\.pay\\(", names(&["pay"])),
            ("Cart::pay", names(&["pay"])),
            ("pay|refund", names(&["pay", "refund"])),
            ("(pay|refund)", names(&["pay", "refund"])),
            ("cart.py", Query::Text),
            ("TODO: fix", Query::Text),
            ("x", Query::Text),
            ("pay.*all", Query::Text),
            ("[0-9]+", Query::Text),
            ("how does paying a cart work", Query::Idea(vec!["paying".into(), "cart".into()])),
            ("where is the session stored?", Query::Idea(vec!["session".into(), "stored".into()])),
            ("not found error", Query::Text),
            ("'; touch /tmp/x; '", Query::Text),
        ] {
            assert_eq!(read(pattern), wanted, "{pattern}");
        }
    }

    #[test]
    fn the_words_of_a_definition() {
        assert_eq!(definition_form("pub fn check"), Some(("pub fn", true)));
        assert_eq!(definition_form("def pay\\("), Some(("def", false)));
        assert_eq!(definition_form("class Cart\\b"), Some(("class", false)));
        assert_eq!(definition_form("pay"), None);
    }

    proptest! {
        #[test]
        fn any_pattern_is_read(pattern in "\\PC{0,60}") {
            match read(&pattern) {
                Query::Names(names) => prop_assert!(names.iter().all(|name| pattern.contains(name.as_str()))),
                Query::Definition(name) => prop_assert!(pattern.contains(name.as_str())),
                Query::Idea(words) => prop_assert!(!words.is_empty()),
                Query::Text => {}
            }
        }
    }
}
