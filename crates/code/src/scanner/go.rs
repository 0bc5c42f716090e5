//! Declarations of Go: functions, types, constants, variables; statements end at lines.

use super::lexer::{Literals, Syntax, TokenKind, words};
use super::{Declared, Scan};
use crate::extract::imports::go_path;
use crate::extract::types;
use crate::facts::SymbolKind;

pub(super) static SYNTAX: Syntax = Syntax {
    line_comment: b"//",
    block_comments: true,
    nested_comments: false,
    literals: Literals::Go,
    words: words(b""),
    jsx: false,
    typed: false,
};

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let mut at = 0;
    let mut outside = 0;
    while let Some(kind) = scan.kind(at) {
        scan.leave(at);
        let top = at >= outside;
        if kind == TokenKind::Open && top {
            outside = scan.after(at);
        }
        at = match scan.word(at) {
            _ if kind != TokenKind::Word => at + 1,
            "func" if top && begins_statement(scan, at) => function(scan, at),
            "import" if top => imports(scan, at),
            "type" if !scan.is(at.wrapping_sub(1), "(") => specs(scan, at, SymbolKind::Type),
            "const" => specs(scan, at, SymbolKind::Constant),
            "var" => specs(scan, at, SymbolKind::Variable),
            "interface" if scan.is(at + 1, "{") => methods(scan, at + 1),
            _ => at + 1,
        };
    }
    Some(())
}

/// A statement is over before this token.
fn ended(scan: &Scan<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| scan.token(before)) else { return true };
    let ends = match before.kind {
        TokenKind::Sign => matches!(scan.word(at - 1), "++" | "--"),
        TokenKind::Open => false,
        _ => true,
    };
    matches!(scan.word(at), "" | ";")
        || scan.kind(at) == Some(TokenKind::Close)
        || ends && scan.begins_line(at)
}

fn begins_statement(scan: &Scan<'_>, at: usize) -> bool {
    ended(scan, at) || scan.is(at.wrapping_sub(1), ";")
}

/// The token behind a specification that begins here.
fn spec_end(scan: &Scan<'_>, from: usize) -> usize {
    let mut at = scan.after(from);
    while !ended(scan, at) {
        at = scan.after(at);
    }
    at
}

fn function(scan: &mut Scan<'_>, at: usize) -> usize {
    let receiver = scan.is(at + 1, "(").then_some(at + 1);
    let name = receiver.map_or(at + 1, |open| scan.after(open));
    if !scan.is_name(name) {
        return at + 1;
    }
    let mut body = name + 1;
    while !scan.is(body, "{") && !ended(scan, body) {
        let literal = matches!(scan.word(body), "struct" | "interface") && scan.is(body + 1, "{");
        body = scan.after(body + usize::from(literal));
    }
    let kind = if receiver.is_some() { SymbolKind::Method } else { SymbolKind::Function };
    let mut made = Declared::new(scan.word(name).to_owned(), kind, name, at);
    (made.head_end, made.end) = (body, if scan.is(body, "{") { scan.after(body) } else { body });
    if let Some(open) = receiver {
        // `(c *Cart)`, `(Cart)`, `(p *Pair[K, V])`.
        let close = scan.partner(open);
        let named = scan.is_name(open + 1) && !matches!(scan.word(open + 2), ")" | "," | "[" | ".");
        made.container = types::base(scan.span(open + 1 + usize::from(named), close));
    }
    scan.declare(made, false);
    name + 1
}

/// The specifications of `const`, `var` and `type`: one, or a list in brackets.
fn specs(scan: &mut Scan<'_>, keyword: usize, kind: SymbolKind) -> usize {
    if !scan.is(keyword + 1, "(") {
        if scan.is_name(keyword + 1) {
            spec(scan, keyword + 1, keyword, kind);
        }
        return keyword + 2;
    }
    let close = scan.partner(keyword + 1);
    let mut at = keyword + 2;
    while at < close {
        let end = spec_end(scan, at);
        if scan.is_name(at) {
            spec(scan, at, keyword, kind);
            // What is declared inside comes before the next.
            inside(scan, at, end);
        }
        at = end.max(at) + usize::from(scan.is(end, ";"));
    }
    close
}

/// The methods of interfaces and the types of functions within a specification.
fn inside(scan: &mut Scan<'_>, from: usize, to: usize) {
    let mut at = from;
    while at < to {
        scan.leave(at);
        at = match scan.word(at) {
            "interface" if scan.is(at + 1, "{") => methods(scan, at + 1),
            "type" if !scan.is(at.wrapping_sub(1), "(") => specs(scan, at, SymbolKind::Type),
            "const" => specs(scan, at, SymbolKind::Constant),
            "var" => specs(scan, at, SymbolKind::Variable),
            _ => at + 1,
        };
    }
}

fn spec(scan: &mut Scan<'_>, at: usize, keyword: usize, kind: SymbolKind) {
    let end = spec_end(scan, at);
    scan.leave(at);
    if kind != SymbolKind::Type {
        if scan.enclosing().in_function {
            return;
        }
        let mut names = vec![at];
        let mut here = at + 1;
        while scan.is(here, ",") && scan.is_name(here + 1) {
            names.push(here + 1);
            here += 2;
        }
        names.retain(|name| !scan.is(*name, "_"));
        let several = names.len() > 1;
        // A comment above `const (` is about all of them; one above `var (` is not.
        let doc_at = if kind == SymbolKind::Constant { keyword } else { at };
        for name in names {
            let made = Declared::new(scan.word(name).to_owned(), kind, name, at);
            scan.declare(Declared { head_end: end, end, doc_at, ..made }, several);
        }
        return;
    }
    let mut of = at + 1;
    if scan.is(of, "[") && is_type_parameters(scan, of) {
        of = scan.after(of);
    }
    let kind = match scan.word(of) {
        "struct" => SymbolKind::Struct,
        "interface" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let head_end = if kind == SymbolKind::Type { end } else { of + 1 };
    let made = Declared::new(scan.word(at).to_owned(), kind, at, at);
    scan.declare(Declared { head_end, end, doc_at: keyword, ..made }, false);
}

/// `[K comparable, V any]`, not `[4]` and not `[size]`.
fn is_type_parameters(scan: &Scan<'_>, open: usize) -> bool {
    let list = scan.is(open + 3, "]") && scan.is(open + 2, "[");
    let several = || {
        let mut at = open + 1;
        while at < scan.partner(open) && !scan.is(at, ",") {
            at = scan.after(at);
        }
        at < scan.partner(open)
    };
    scan.is_name(open + 1) && (scan.is_name(open + 2) || scan.is(open + 2, "~") || list || several())
}

/// The methods of an interface.
fn methods(scan: &mut Scan<'_>, open: usize) -> usize {
    let close = scan.partner(open);
    let mut at = open + 1;
    while at < close {
        scan.leave(at);
        let end = spec_end(scan, at);
        if scan.is_name(at) && scan.is(at + 1, "(") && !scan.is(at, "func") {
            let made = Declared::new(scan.word(at).to_owned(), SymbolKind::Method, at, at);
            scan.declare(Declared { head_end: end, end, ..made }, false);
            inside(scan, at + 1, end);
        }
        at = end.max(at) + usize::from(scan.is(end, ";"));
    }
    close
}

fn imports(scan: &mut Scan<'_>, keyword: usize) -> usize {
    let (mut at, end) = if scan.is(keyword + 1, "(") {
        (keyword + 2, scan.partner(keyword + 1))
    } else {
        (keyword + 1, spec_end(scan, keyword + 1))
    };
    while at < end {
        let alias = (scan.kind(at) != Some(TokenKind::Text)).then(|| scan.word(at));
        let path = at + usize::from(alias.is_some());
        if scan.kind(path) == Some(TokenKind::Text) {
            let import = go_path(scan.line(at), scan.word(path), alias);
            scan.gather.import([import]);
        }
        at = path + 1 + usize::from(scan.is(path + 1, ";"));
    }
    end
}
