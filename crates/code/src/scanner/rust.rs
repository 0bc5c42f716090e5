//! Items of Rust: every item begins with a keyword, and what is in brackets of a macro or an attribute is no item.

use super::lexer::{Literals, Syntax, TokenKind, words};
use super::{Declared, Scan};
use crate::extract::{add_bases, types};
use crate::facts::SymbolKind;

pub(super) static SYNTAX: Syntax = Syntax {
    line_comment: b"//",
    block_comments: true,
    nested_comments: true,
    literals: Literals::Rust,
    words: words(b""),
    jsx: false,
    typed: false,
};

/// The keyword of an item and what it declares.
const ITEMS: [(&str, SymbolKind); 11] = [
    ("fn", SymbolKind::Function),
    ("struct", SymbolKind::Struct),
    ("union", SymbolKind::Struct),
    ("enum", SymbolKind::Enum),
    ("trait", SymbolKind::Trait),
    ("mod", SymbolKind::Module),
    ("const", SymbolKind::Constant),
    ("static", SymbolKind::Constant),
    ("type", SymbolKind::Type),
    ("impl", SymbolKind::Impl),
    ("macro_rules", SymbolKind::Macro),
];

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let mut at = 0;
    while let Some(kind) = scan.kind(at) {
        scan.leave(at);
        at = match kind {
            TokenKind::Word => match scan.word(at) {
                "use" => uses(scan, at)?,
                word => match ITEMS.iter().find(|(keyword, _)| *keyword == word) {
                    Some((_, kind)) => item(scan, at, *kind),
                    None if scan.is(at + 1, "!")
                        && scan.kind(at + 2) == Some(TokenKind::Open)
                        && !is_operator(word) =>
                    {
                        scan.after(at + 2)
                    }
                    None => at + 1,
                },
            },
            TokenKind::Sign if scan.is(at, "#") => {
                let open = at + 1 + usize::from(scan.is(at + 1, "!"));
                if scan.is(open, "[") { scan.after(open) } else { at + 1 }
            }
            _ => at + 1,
        };
    }
    Some(())
}

/// `if !(…)` is no macro.
fn is_operator(word: &str) -> bool {
    matches!(word, "if" | "while" | "return" | "match" | "in" | "break" | "else" | "let")
}

/// An item at its keyword; the token to go on from.
fn item(scan: &mut Scan<'_>, at: usize, kind: SymbolKind) -> usize {
    let mut name = at + 1;
    match kind {
        SymbolKind::Impl => return implementation(scan, at),
        SymbolKind::Macro => {
            if !scan.is(at + 1, "!") || !scan.is_name(at + 2) {
                return at + 1;
            }
            let body = scan.after(at + 3);
            let end = body + usize::from(!scan.is(at + 3, "{") && scan.is(body, ";"));
            let mut made = Declared::new(scan.word(at + 2).to_owned(), kind, at + 2, at);
            (made.head_end, made.end) = (at + 3, end);
            scan.declare(made, false);
            return end;
        }
        SymbolKind::Constant => {
            name += usize::from(scan.is(name, "mut"));
            // `*const T`, `const fn`, `static || x`.
            if !scan.is_name(name) || !scan.is(name + 1, ":") || scan.is(at.wrapping_sub(1), "*") {
                return at + 1;
            }
            if scan.enclosing().in_function {
                return name;
            }
        }
        // `fn(u8)` is a type; `type` and `union` may be names.
        _ if !scan.is_name(name) || !begins_item(scan, name, kind) => return at + 1,
        _ => {}
    }
    let from = modifiers(scan, at);
    let (body, end) = body(scan, name + 1, matches!(kind, SymbolKind::Constant | SymbolKind::Type));
    if kind == SymbolKind::Module && !scan.is(body, "{") {
        return end;
    }
    let mut made = Declared::new(scan.word(name).to_owned(), kind, name, from);
    (made.head_end, made.end) = (body, end);
    if kind == SymbolKind::Struct && scan.is(skip_generics(scan, name + 1), "(") {
        made.head_end = skip_generics(scan, name + 1);
    }
    if kind == SymbolKind::Trait {
        let bounds = skip_generics(scan, name + 1);
        let bounds_end = (bounds..body).find(|at| scan.is(*at, "where")).unwrap_or(body);
        if scan.is(bounds, ":") {
            add_bases(scan.span(bounds, bounds_end), &mut made.bases);
        }
    }
    scan.declare(made, false);
    // Nothing is declared in a head.
    if scan.is(body, "{") { body + 1 } else { skip_generics(scan, name + 1) }
}

/// What follows a name tells an item from a word: `type` in a path, `union` as a variable.
fn begins_item(scan: &Scan<'_>, name: usize, kind: SymbolKind) -> bool {
    let next = scan.word(name + 1);
    match kind {
        SymbolKind::Struct => matches!(next, "{" | "(" | "<" | ";" | "where"),
        SymbolKind::Type => matches!(next, "=" | "<" | ":" | ";" | "where"),
        _ => true,
    }
}

/// The first token of an item: visibility and the words before the keyword.
fn modifiers(scan: &Scan<'_>, keyword: usize) -> usize {
    let mut from = keyword;
    while let Some(before) = from.checked_sub(1) {
        from = match scan.word(before) {
            "pub" | "const" | "async" | "unsafe" | "extern" | "default" | "auto" | "safe" => before,
            ")" if scan.is(scan.partner(before).wrapping_sub(1), "pub") => scan.partner(before) - 1,
            text if text.ends_with('"') && scan.is(before.wrapping_sub(1), "extern") => before - 1,
            _ => break,
        };
    }
    from
}

/// Where an item's body begins, and the token behind the item. With a value, braces are part of it.
fn body(scan: &Scan<'_>, mut at: usize, value: bool) -> (usize, usize) {
    let mut angles = 0_i32;
    loop {
        match scan.word(at) {
            "" => return (at, at),
            ";" => return (at + 1, at + 1),
            "{" if !value && angles <= 0 => return (at, scan.after(at)),
            "}" => return (at, at),
            "<" if !value => angles += 1,
            ">" if !value => angles -= 1,
            _ => {}
        }
        at = scan.after(at);
    }
}

fn skip_generics(scan: &Scan<'_>, mut at: usize) -> usize {
    let mut angles = 0;
    loop {
        match scan.word(at) {
            "" => return at,
            "<" => angles += 1,
            ">" => angles -= 1,
            _ if angles == 0 => return at,
            _ => {}
        }
        at = scan.after(at);
    }
}

/// `impl<T> Trait for Type`.
fn implementation(scan: &mut Scan<'_>, at: usize) -> usize {
    let head = skip_generics(scan, at + 1);
    let (body, end) = body(scan, head, false);
    // `impl Trait` is a type, too.
    let statement = at
        .checked_sub(1)
        .is_none_or(|before| matches!(scan.word(before), "{" | "}" | ";" | "]" | "unsafe" | "default"));
    if !statement || !scan.is(body, "{") {
        return at + 1;
    }
    let (mut of, mut angles, mut implemented) = (head, 0_i32, None);
    let mut here = head;
    let mut type_end = body;
    while here < body {
        match scan.word(here) {
            "<" => angles += 1,
            ">" => angles -= 1,
            // `for<'a> Fn(&'a T)` is part of a type.
            "for" if angles <= 0 && !scan.is(here + 1, "<") => {
                implemented = Some(scan.span(head, here));
                of = here + 1;
            }
            "where" if angles <= 0 => {
                type_end = here;
                break;
            }
            _ => {}
        }
        here = scan.after(here);
    }
    let name = types::base(scan.span(of, type_end));
    let mut made = Declared::new(name, SymbolKind::Impl, of, modifiers(scan, at));
    (made.head_end, made.end) = (body, end);
    if let Some(implemented) = implemented {
        add_bases(implemented.trim_start_matches('!'), &mut made.bases);
    }
    scan.declare(made, false);
    body + 1
}

/// `use a::{b, c as d, e::*};`
fn uses(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let before = scan.word(at.wrapping_sub(1));
    let public = before == "pub" || before == ")" && scan.is(scan.partner(at - 1).wrapping_sub(1), "pub");
    let mut end = at + 1;
    while !matches!(scan.word(end), ";" | "") {
        end = scan.after(end);
    }
    // `impl Trait + use<'a>` captures lifetimes.
    if !scan.is(at + 1, "<") {
        tree(scan, at + 1, end, "", public, 0)?;
    }
    Some(end)
}

/// One branch of a tree of names; what encloses it is `path`.
fn tree(scan: &mut Scan<'_>, from: usize, to: usize, path: &str, public: bool, depth: usize) -> Option<()> {
    if depth > 64 {
        return None;
    }
    let mut here = from;
    while here < to && !scan.is(here, "{") && !scan.is(here, "*") && !scan.is(here, "as") {
        here += 1;
    }
    let join = |tail: &str| match (path, tail) {
        ("", tail) => tail.to_owned(),
        (path, "") => path.to_owned(),
        (path, tail) => format!("{path}::{tail}"),
    };
    let head = scan.span(from, here);
    match scan.word(here) {
        "{" if here < to => {
            let inner = join(head.trim_end().trim_end_matches("::"));
            let inner = crate::extract::imports::module(&inner).to_owned();
            let (mut start, close) = (here + 1, scan.partner(here));
            while start < close {
                let mut end = start;
                while end < close && !scan.is(end, ",") {
                    end = scan.after(end);
                }
                tree(scan, start, end, &inner, public, depth + 1)?;
                start = end + 1;
            }
        }
        "*" if here < to => scan.import(from, &join(head.trim_end().trim_end_matches("::")), "*", "", public),
        next => {
            let whole = if head == "self" && !path.is_empty() { path.to_owned() } else { join(head) };
            let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
            let alias = if next == "as" && here < to { scan.word(here + 1) } else { name };
            scan.import(from, module, name, alias, public);
        }
    }
    Some(())
}
