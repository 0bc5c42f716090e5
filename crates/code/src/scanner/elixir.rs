//! Declarations and calls of Elixir. There is no grammar of it in the program. A function with several clauses of one arity is one symbol;
//! what begins with `do` ends with the first `end` on a line that is indented as its own.

use super::keyword::{expression_end, indentation, is_dot};
use super::lexer::{Literals, Syntax, TokenKind, words};
use super::{Declared, Scan};
use crate::extract::calls::ReceiverExpr;
use crate::extract::head;
use crate::facts::SymbolKind;

pub(super) static SYNTAX: Syntax = Syntax {
    line_comment: b"#",
    block_comments: false,
    nested_comments: false,
    literals: Literals::Elixir,
    words: words(b""),
    jsx: false,
    typed: false,
};

/// Words that are no call when a bracket follows.
const CONTROL: [&str; 34] = [
    "if", "unless", "case", "cond", "with", "for", "fn", "do", "end", "else", "rescue", "catch", "after",
    "when", "and", "or", "not", "in", "quote", "unquote", "raise", "receive", "try", "use", "import",
    "alias", "require", "def", "defp", "defmacro", "defmacrop", "defmodule", "super", "true",
];

/// What has been seen of a module so far.
#[derive(Default)]
struct State {
    /// The documentation for the next function.
    doc: String,
    /// The last function: name, arity, symbol.
    last: Option<(String, usize, u32)>,
}

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let mut state = State::default();
    let mut at = 0;
    while let Some(kind) = scan.kind(at) {
        scan.leave(at);
        at = match kind {
            TokenKind::Word => word(scan, &mut state, at),
            TokenKind::Sign if scan.is(at, "@") => attribute(scan, &mut state, at),
            _ => at + 1,
        };
    }
    Some(())
}

fn word(scan: &mut Scan<'_>, state: &mut State, at: usize) -> usize {
    let before = scan.word(at.wrapping_sub(1));
    let begins = scan.begins_line(at);
    match scan.word(at) {
        "defmodule" | "defprotocol" | "defimpl" if begins => module(scan, state, at),
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" if begins => {
            function(scan, state, at)
        }
        "alias" | "import" | "require" | "use" if begins => import(scan, at),
        // `name:` and `:name` are no calls.
        name => {
            let called = scan.is(at + 1, "(") && scan.start(at + 1) == scan.start(at) + name.len();
            let piped = before == "|>" || before == ">" && scan.is(at.wrapping_sub(2), "|");
            if (called || piped && !is_dot(scan.word(at + 1)))
                && !CONTROL.contains(&name)
                && !matches!(before, ":" | "@" | "&" | "%")
            {
                let on = receiver(scan, at);
                let (line, place) = (scan.line(at), scan.start(at));
                scan.gather.call(name.to_owned(), on, line, place);
            }
            at + 1
        }
    }
}

/// `Shop.Cart.add(…)`: the last part of a module's name; of a value nothing is known.
fn receiver(scan: &Scan<'_>, at: usize) -> ReceiverExpr {
    let Some(of) = at.checked_sub(2).filter(|_| scan.is(at - 1, ".")) else { return ReceiverExpr::Nothing };
    match scan.word(of) {
        "__MODULE__" => ReceiverExpr::Own,
        name if name.starts_with(char::is_uppercase) => ReceiverExpr::Name(name.to_owned()),
        _ => ReceiverExpr::Unknown,
    }
}

/// `@doc "…"`, `@moduledoc "…"`, `@callback name(…)`.
fn attribute(scan: &mut Scan<'_>, state: &mut State, at: usize) -> usize {
    let text =
        || head::of_docstring(scan.word(at + 2).trim_start_matches('~').trim_start_matches(['s', 'S']));
    let is_text = scan.kind(at + 2) == Some(TokenKind::Text);
    match scan.word(at + 1) {
        "doc" if is_text => state.doc = text(),
        "moduledoc" if is_text => {
            let doc = text();
            if let Some(symbol) = scan.gather.innermost_mut().filter(|symbol| symbol.doc.is_empty()) {
                symbol.doc = doc;
            }
        }
        "callback" | "macrocallback" if scan.is_name(at + 2) => {
            let end = expression_end(scan, at + 3, indentation(scan, at));
            let mut made = Declared::new(scan.word(at + 2).to_owned(), SymbolKind::Function, at + 2, at + 2);
            (made.head_end, made.end) = (end, end);
            scan.declare(made, false);
            return end;
        }
        "type" | "typep" | "opaque" if scan.is_name(at + 2) => {
            let end = expression_end(scan, at + 3, indentation(scan, at));
            let mut made = Declared::new(scan.word(at + 2).to_owned(), SymbolKind::Type, at + 2, at + 2);
            (made.head_end, made.end) = (end, end);
            scan.declare(made, false);
            return end;
        }
        "spec" => return expression_end(scan, at + 2, indentation(scan, at)),
        _ => {}
    }
    at + 2
}

/// Where the head ends, and the token behind the declaration: `… do … end`, `…, do: …`, or nothing of both.
fn block(scan: &Scan<'_>, from: usize, keyword: usize) -> (usize, usize) {
    let indent = indentation(scan, keyword);
    let head = expression_end(scan, from, indent);
    let mut at = from;
    while at < head {
        if scan.is(at, "do") {
            if scan.is(at + 1, ":") {
                let head_end = if scan.is(at - 1, ",") { at - 1 } else { at };
                return (head_end, head);
            }
            // The block: everything up to its `end`.
            let mut end = at + 1;
            while let Some(token) = scan.token(end) {
                if scan.is(end, "end")
                    && (!token.newline && scan.line(end) == scan.line(at)
                        || indentation(scan, end) <= indent && token.newline)
                {
                    return (at, end + 1);
                }
                end = scan.after(end);
            }
            return (at, end);
        }
        at = scan.after(at);
    }
    (head, head)
}

fn module(scan: &mut Scan<'_>, state: &mut State, at: usize) -> usize {
    let mut name = at + 1;
    while scan.is(name + 1, ".") && scan.is_name(name + 2) && scan.spend(1) {
        name += 2;
    }
    if !scan.is_name(name) {
        return at + 1;
    }
    let (head_end, end) = block(scan, name + 1, at);
    let kind = match scan.word(at) {
        "defmodule" => SymbolKind::Class,
        "defprotocol" => SymbolKind::Interface,
        _ => SymbolKind::Impl,
    };
    let mut made = Declared::new(scan.word(name).to_owned(), kind, at + 1, at);
    (made.head_end, made.end) = (head_end, end);
    scan.declare(made, false);
    *state = State::default();
    head_end.max(name) + 1
}

fn function(scan: &mut Scan<'_>, state: &mut State, at: usize) -> usize {
    let name = at + 1;
    if !scan.is_name(name) || scan.is(name, "unquote") {
        return at + 1;
    }
    let text = scan.word(name).to_owned();
    let arity = arity(scan, name + 1);
    let (head_end, end) = block(scan, name + 1, at);
    let doc = std::mem::take(&mut state.doc);
    let last_line = scan.last_line(end);
    let again = state.last.take().filter(|(last, count, _)| *last == text && *count == arity);
    if let Some((_, _, number)) = again {
        // One more clause of the same function.
        if scan.reopen(number, end, last_line) {
            state.last = Some((text, arity, number));
            return name + 1;
        }
    }
    let kind = if scan.word(at).starts_with("defmacro") { SymbolKind::Macro } else { SymbolKind::Function };
    let mut made = Declared::new(text.clone(), kind, name, at);
    (made.head_end, made.end) = (head_end, end);
    let number = scan.declare(made, false);
    if let Some(number) = number {
        if let Some(symbol) = scan.gather.symbol_mut(number).filter(|_| !doc.is_empty()) {
            symbol.doc = doc;
        }
        state.last = Some((text, arity, number));
    }
    name + 1
}

/// How many parameters a list has.
fn arity(scan: &Scan<'_>, open: usize) -> usize {
    if !scan.is(open, "(") {
        return 0;
    }
    let close = scan.partner(open);
    let mut at = open + 1;
    let mut count = usize::from(at < close);
    while at < close {
        count += usize::from(scan.is(at, ","));
        at = scan.after(at);
    }
    count
}

/// `alias A.B, as: C`, `alias A.{B, C}`, `import A`, `use A`.
fn import(scan: &mut Scan<'_>, at: usize) -> usize {
    let start = at + 1;
    let mut here = start;
    while scan.is_name(here) && scan.is(here + 1, ".") && scan.spend(1) {
        here += 2;
    }
    if here == start && !scan.is_name(start) {
        return at + 1;
    }
    if scan.is(here, "{") {
        let module = scan.span(start, here - 1).to_owned();
        let close = scan.partner(here);
        for one in here + 1..close {
            if scan.is_name(one) && !scan.is(one + 1, ".") {
                let name = scan.word(one).to_owned();
                scan.import(one, &module, &name, &name, false);
            }
        }
        return close + 1;
    }
    let (module, name) = (scan.span(start, here + 1).to_owned(), scan.word(here).to_owned());
    if scan.is(at, "alias") {
        let renamed = scan.is(here + 1, ",") && scan.is(here + 2, "as") && scan.is(here + 3, ":");
        let alias = if renamed { scan.word(here + 4).to_owned() } else { name.clone() };
        let holder = module.rsplit_once('.').map_or("", |(holder, _)| holder).to_owned();
        scan.import(at, &holder, &name, &alias, false);
    } else {
        scan.import(at, &module, "*", "", false);
    }
    here + 1
}
