//! The head of a symbol on one line, and the first line of what is written about it.

use crate::facts::SymbolKind;
use crate::language::Language;
use crate::parse::Parsed;
use crate::source::Source;
use sprag_base::text::cut;
use std::borrow::Cow;
use tree_sitter::Node;

/// The most characters of a head.
const HEAD: usize = 240;
/// The most characters of a value's head.
const VALUE: usize = 80;
/// The most characters of a line about a symbol.
const DOC: usize = 100;
/// The most lines that are looked at above a symbol.
const LINES: u32 = 200;

/// The head on one line, without its decorators.
pub(super) fn signature(parsed: &Parsed, node: Node<'_>, head_end: usize, kind: SymbolKind) -> String {
    let start = after_decorators(node);
    of_text(parsed.source.text.get(start..head_end.max(start)).unwrap_or(""), kind)
}

/// The head on one line, from the text of it.
pub(crate) fn of_text(text: &str, kind: SymbolKind) -> String {
    if kind.is_value() {
        let line = text.lines().next().unwrap_or("");
        return cut(&one_line(line), VALUE).trim_end_matches(['{', '[', '(', ' ', '=']).to_owned();
    }
    let line = one_line(&without_comments(text));
    let line = line.trim_end_matches(['{', ';', ' ']);
    let line = line.strip_suffix("=>").unwrap_or(line).trim_end();
    let line = line.strip_suffix(':').or_else(|| line.strip_suffix('=')).unwrap_or(line).trim_end();
    cut(line, HEAD)
}

/// A head without the comments in it.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains('#') && !text.contains("//") && !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after_space = kept.is_empty() || kept.ends_with(char::is_whitespace);
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") || after_space && (rest.starts_with("# ") || rest.starts_with("#:"))
        {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            // A text that begins and ends on one line is kept whole.
            let line = rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or(rest);
            let quoted = matches!(c, '"' | '\'' | '`').then(|| line.get(1..)?.find(c)).flatten();
            let length = quoted.map_or(c.len_utf8(), |end| end + 2);
            kept.push_str(rest.get(..length).unwrap_or(""));
            rest = rest.get(length..).unwrap_or("");
            continue;
        };
        rest = rest.get(length..).unwrap_or("");
    }
    Cow::Owned(kept)
}

/// The byte after decorators, attributes and annotations.
fn after_decorators(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let mut start = node.start_byte();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "decorator"
            | "attribute_list"
            | "annotation"
            | "marker_annotation"
            | "attribute_declaration"
            | "attribute_specifier"
            | "comment" => start = child.end_byte(),
            "modifiers" => {
                let mut inner = child.walk();
                for word in child.children(&mut inner) {
                    if !matches!(word.kind(), "annotation" | "marker_annotation") {
                        return word.start_byte();
                    }
                    start = word.end_byte();
                }
            }
            _ => return child.start_byte().max(start),
        }
    }
    start
}

/// White space becomes one space, none inside brackets.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(HEAD * 2));
    for word in text.split_whitespace() {
        if !line.is_empty() && !line.ends_with(['(', '[']) && !word.starts_with([')', ']', ',', ';']) {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > HEAD * 4 {
            break;
        }
    }
    if line.contains(",)") { line.replace(",)", ")") } else { line }
}

/// The first line of what is written about a symbol.
pub(super) fn doc(parsed: &Parsed, node: Node<'_>, line: u32) -> String {
    match parsed.language {
        Language::Python => docstring(parsed, node).map(of_docstring).unwrap_or_default(),
        language => above(language, &parsed.source, line.min(node.start_position().row as u32 + 1)),
    }
}

fn docstring<'p>(parsed: &'p Parsed, node: Node<'_>) -> Option<&'p str> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = match first.kind() {
        "expression_statement" => first.named_child(0).filter(|inner| inner.kind() == "string")?,
        "string" => first,
        _ => return None,
    };
    Some(parsed.text(string))
}

/// The first line of a docstring, which is given with its quotes.
pub(crate) fn of_docstring(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c.is_alphabetic()).trim_matches(['"', '\'']);
    cut(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default(), DOC)
}

/// The first line of the comment that ends right above a line.
pub(crate) fn above(language: Language, source: &Source, line: u32) -> String {
    let mut first: Option<&str> = None;
    let mut block = false;
    for number in (line.saturating_sub(LINES).max(1)..line).rev() {
        let text = source.line(number).trim();
        if block {
            if let Some(said) = words(text) {
                first = Some(said);
            }
            if text.starts_with("/*") {
                break;
            }
            continue;
        }
        if text.ends_with("*/") {
            if first.is_some() {
                break;
            }
            if let Some(said) = words(text) {
                first = Some(said);
            }
            if text.starts_with("/*") {
                break;
            }
            block = true;
        } else if is_attribute(text) {
            if first.is_some() {
                break;
            }
        } else if text.starts_with("//")
            || (text.starts_with("--") && language == Language::Lua)
            || (text.starts_with('#') && !text.starts_with("#!") && hash(language))
        {
            first = words(text).or(first);
        } else {
            break;
        }
    }
    cut(first.unwrap_or_default(), DOC)
}

/// Languages in which `#` begins a comment.
fn hash(language: Language) -> bool {
    matches!(language, Language::Ruby | Language::Bash | Language::Php | Language::Elixir)
}

fn is_attribute(text: &str) -> bool {
    text.starts_with("#[") || text.starts_with('@') || (text.starts_with('[') && text.ends_with(']'))
}

/// What a line of a comment says.
fn words(text: &str) -> Option<&str> {
    let text = text.trim_end_matches("*/").trim_start_matches(['/', '*', '!', '#', '-', ' ']).trim();
    let tagged = text.starts_with('@') || text.starts_with('<') && text.ends_with('>');
    (text.chars().any(char::is_alphanumeric) && !tagged).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_part_of_a_head() {
        for (text, wanted) in [
            ("def pay(a,  # the amount\n        b):  # rest\n", "def pay(a, b)"),
            ("class Cart(Base,  # base\n           Other):", "class Cart(Base, Other)"),
            ("int pay(int a, /* amount */ int b // note\n)", "int pay(int a, int b)"),
            (
                "pub fn pay(\n    a: &'a u32, // amount\n    /* b */ b: u32,\n) -> u32 {",
                "pub fn pay(a: &'a u32, b: u32) -> u32",
            ),
            ("def get(url=\"http://a # b\", x='#'):", "def get(url=\"http://a # b\", x='#')"),
            ("#hidden(a) {", "#hidden(a)"),
            ("#define PAY(a)", "#define PAY(a)"),
        ] {
            assert_eq!(of_text(text, SymbolKind::Function), wanted, "{text}");
        }
    }
}
