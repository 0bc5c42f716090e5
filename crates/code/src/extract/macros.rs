//! Calls inside of text that a grammar does not read: the arguments of Rust's macros, the bodies of C's.

use super::calls::ReceiverExpr;
use crate::parse::Parsed;
use tree_sitter::Node;

/// A call in such a text: its name, what it is on, where it is (line from 1, byte).
pub(super) struct MacroCall {
    pub name: String,
    pub on: ReceiverExpr,
    pub line: u32,
    pub byte: usize,
}

/// Calls that are written directly in a tree of tokens; trees inside it are asked themselves.
pub(super) fn in_tokens(parsed: &Parsed, tree: Node<'_>) -> Vec<MacroCall> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
    let text = |at: usize| tokens.get(at).map_or("", |token| parsed.text(*token));
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind() == "identifier") {
        // `name(`, `name!(`, `name::<T>(` is rare enough.
        let is_macro = text(at + 1) == "!";
        let arguments = tokens.get(at + 1 + usize::from(is_macro));
        let is_call = arguments.is_some_and(|arguments| {
            arguments.kind() == "token_tree" && (is_macro || parsed.text(*arguments).starts_with('('))
        });
        let before = |back: usize| at.checked_sub(back).map_or("", text);
        if !is_call || matches!(before(1), "fn" | "struct" | "$") {
            continue;
        }
        let on = match before(1) {
            "." => match (before(2), before(3)) {
                ("self", _) => ReceiverExpr::Own,
                (_, ".") => ReceiverExpr::Unknown,
                (name, _) if is_name(name) => ReceiverExpr::Name(name.to_owned()),
                _ => ReceiverExpr::Unknown,
            },
            "::" => match path(at, &text) {
                path if path == "Self" => ReceiverExpr::Own,
                path if path.is_empty() => ReceiverExpr::Unknown,
                path => ReceiverExpr::Name(path),
            },
            _ => ReceiverExpr::Nothing,
        };
        found.push(MacroCall {
            name: parsed.text(*token).to_owned(),
            on,
            line: token.start_position().row as u32 + 1,
            byte: token.start_byte(),
        });
    }
    found
}

/// `cart::item` before `::name`.
fn path<'t>(at: usize, text: &impl Fn(usize) -> &'t str) -> String {
    let mut parts = Vec::new();
    let mut at = at;
    while let Some(before) = at.checked_sub(2).filter(|_| parts.len() < 16) {
        if text(at - 1) != "::" || !is_name(text(before)) {
            break;
        }
        parts.push(text(before));
        at = before;
    }
    parts.reverse();
    parts.join("::")
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Words of C before a bracket that are no functions.
const WORDS: [&str; 8] = ["if", "while", "for", "switch", "return", "sizeof", "defined", "alignof"];

/// Calls in the body of a macro of C.
pub(super) fn in_body(parsed: &Parsed, body: Node<'_>) -> Vec<MacroCall> {
    let text = parsed.text(body);
    let mut found = Vec::new();
    let (mut rows, mut counted) = (0, 0);
    for (open, _) in text.match_indices('(') {
        let head = text.get(..open).unwrap_or("").trim_end_matches([' ', '\t']);
        let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = head.get(start..).unwrap_or("");
        let before = head.get(..start).unwrap_or("").trim_end();
        let on_value = before.ends_with('.') || before.ends_with("->") || before.ends_with('"');
        if !is_name(name) || WORDS.contains(&name) || on_value || before.ends_with("::") {
            continue;
        }
        rows += text.get(counted..start).unwrap_or("").matches('\n').count();
        counted = start;
        found.push(MacroCall {
            name: name.to_owned(),
            on: ReceiverExpr::Nothing,
            line: (body.start_position().row + rows) as u32 + 1,
            byte: body.start_byte() + start,
        });
    }
    found
}
