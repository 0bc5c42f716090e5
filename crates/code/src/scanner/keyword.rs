//! Languages without a grammar in the program whose declarations begin with a keyword: Kotlin, Swift, Scala, Zig. One scanner
//! with a table for each reads symbols, imports, calls and the types of values. Where no bracket says so, a declaration ends before the
//! next line that is indented no deeper than its own.

use super::lexer::{Literals, Syntax, TokenKind, words};
use super::{Declared, Scan};
use crate::extract::calls::ReceiverExpr;
use crate::extract::{declare, types};
use crate::facts::SymbolKind;
use crate::language::Language;

/// What a keyword declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declares {
    Type(SymbolKind),
    /// Methods of a type that is declared elsewhere.
    Extension,
    Function,
    /// A function that is named by its keyword.
    Special,
    Value,
    Alias,
}

/// What is particular to a language.
pub(super) struct Table {
    pub(super) syntax: Syntax,
    keywords: &'static [(&'static str, Declares)],
    /// Words that stand before a keyword.
    modifiers: &'static [&'static str],
    /// Words that are no call when a bracket follows.
    control: &'static [&'static str],
    /// What begins the list of base types.
    bases: &'static str,
    /// A function may be called with a block alone: `run { }`.
    trailing: bool,
    /// Type arguments are in these brackets.
    generics: &'static str,
}

const fn syntax(literals: Literals, block_comments: bool) -> Syntax {
    Syntax {
        line_comment: b"//",
        block_comments,
        nested_comments: true,
        literals,
        words: words(b""),
        jsx: false,
        typed: false,
    }
}

use Declares::{Alias, Extension, Function, Special, Type, Value};

pub(super) static KOTLIN: Table = Table {
    syntax: syntax(Literals::Kotlin, true),
    keywords: &[
        ("fun", Function),
        ("class", Type(SymbolKind::Class)),
        ("interface", Type(SymbolKind::Interface)),
        ("object", Type(SymbolKind::Class)),
        ("typealias", Alias),
        ("val", Value),
        ("var", Value),
        ("constructor", Special),
    ],
    modifiers: &[
        "public", "private", "protected", "internal", "open", "abstract", "final", "sealed", "data", "enum",
        "inner", "value", "inline", "noinline", "crossinline", "suspend", "override", "operator", "infix",
        "tailrec", "external", "const", "lateinit", "companion", "annotation", "expect", "actual", "vararg",
        "fun",
    ],
    control: &[
        "if", "while", "for", "when", "catch", "return", "throw", "in", "is", "as", "else", "do", "try",
        "finally", "this", "super", "get", "set", "init", "where", "by", "constructor", "object", "fun",
        "break", "continue", "class", "interface",
    ],
    bases: ":",
    trailing: true,
    generics: "<",
};

pub(super) static SWIFT: Table = Table {
    syntax: syntax(Literals::Swift, true),
    keywords: &[
        ("func", Function),
        ("class", Type(SymbolKind::Class)),
        ("struct", Type(SymbolKind::Struct)),
        ("enum", Type(SymbolKind::Enum)),
        ("protocol", Type(SymbolKind::Interface)),
        ("actor", Type(SymbolKind::Class)),
        ("extension", Extension),
        ("typealias", Alias),
        ("associatedtype", Alias),
        ("let", Value),
        ("var", Value),
        ("init", Special),
        ("deinit", Special),
        ("subscript", Special),
    ],
    modifiers: &[
        "public", "private", "fileprivate", "internal", "open", "package", "static", "class", "final",
        "override", "required", "convenience", "mutating", "nonmutating", "lazy", "weak", "unowned",
        "indirect", "dynamic", "optional", "prefix", "postfix", "infix", "nonisolated", "isolated", "async",
        "distributed", "borrowing", "consuming",
    ],
    control: &[
        "if", "while", "for", "switch", "guard", "catch", "return", "throw", "in", "is", "as", "else", "do",
        "try", "repeat", "self", "super", "get", "set", "where", "await", "case", "default", "willSet",
        "didSet", "Self", "some", "any", "throws", "rethrows", "available", "private", "public",
        "fileprivate", "internal", "open", "unowned",
    ],
    bases: ":",
    trailing: false,
    generics: "<",
};

pub(super) static SCALA: Table = Table {
    syntax: syntax(Literals::Scala, true),
    keywords: &[
        ("def", Function),
        ("class", Type(SymbolKind::Class)),
        ("trait", Type(SymbolKind::Trait)),
        ("object", Type(SymbolKind::Class)),
        ("enum", Type(SymbolKind::Enum)),
        ("given", Type(SymbolKind::Class)),
        ("type", Alias),
        ("val", Value),
        ("var", Value),
    ],
    modifiers: &[
        "private", "protected", "final", "sealed", "abstract", "implicit", "lazy", "override", "case",
        "inline", "open", "transparent", "opaque", "infix", "package",
    ],
    control: &[
        "if", "while", "for", "match", "catch", "return", "throw", "else", "do", "try", "finally", "yield",
        "this", "super", "case", "with", "extends", "then", "new", "using", "extension", "derives",
        "private", "protected", "end",
    ],
    bases: "extends",
    trailing: false,
    generics: "[",
};

pub(super) static ZIG: Table = Table {
    syntax: syntax(Literals::Zig, false),
    keywords: &[("fn", Function), ("const", Value), ("var", Value), ("test", Special)],
    modifiers: &["pub", "export", "extern", "inline", "noinline", "comptime", "threadlocal"],
    control: &[
        "if", "while", "for", "switch", "catch", "return", "else", "fn", "struct", "enum", "union", "opaque",
        "align", "callconv", "linksection", "addrspace", "and", "or", "orelse", "try", "asm", "volatile",
        "error", "anyerror", "inline", "comptime",
    ],
    bases: "",
    trailing: false,
    generics: "",
};

pub(super) fn table(language: Language) -> Option<&'static Table> {
    Some(match language {
        Language::Kotlin => &KOTLIN,
        Language::Swift => &SWIFT,
        Language::Scala => &SCALA,
        Language::Zig => &ZIG,
        _ => return None,
    })
}

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let table = table(scan.language)?;
    let mut at = 0;
    while let Some(kind) = scan.kind(at) {
        scan.leave(at);
        at = if kind == TokenKind::Word { word(scan, table, at) } else { at + 1 };
    }
    Some(())
}

/// What a word begins; the token to go on from.
fn word(scan: &mut Scan<'_>, table: &Table, at: usize) -> usize {
    let text = scan.word(at);
    let member = is_dot(scan.word(at.wrapping_sub(1)));
    if !member && text == "import" && scan.begins_line(at) {
        return import(scan, at);
    }
    let keyword = table.keywords.iter().find(|(keyword, _)| *keyword == text).filter(|_| !member);
    if let Some((_, declares)) = keyword
        && begins_declaration(scan, table, at)
        && let Some(next) = declaration(scan, table, at, *declares)
    {
        return next;
    }
    if keyword.is_none() {
        call(scan, table, at);
        // `size: u32,` of a struct of Zig.
        if scan.language == Language::Zig && scan.enclosing().in_type && scan.is(at + 1, ":") {
            typed(scan, at, at + 2, true);
        }
    }
    at + 1
}

pub(super) fn is_dot(text: &str) -> bool {
    matches!(text, "." | "?." | "::")
}

/// A statement begins here, or words that go before a declaration are here.
fn begins_declaration(scan: &Scan<'_>, table: &Table, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let word = scan.word(before);
    scan.begins_line(at)
        || matches!(word, "{" | "}" | ";" | ")" | "]" | "->" | "(" | "," | "=>")
        || table.modifiers.contains(&word)
        || scan.kind(before) == Some(TokenKind::Text)
        // `@Test fun`
        || before.checked_sub(1).is_some_and(|mark| scan.is(mark, "@"))
}

/// The first of the words before a keyword.
fn first_word(scan: &Scan<'_>, table: &Table, keyword: usize) -> usize {
    let mut from = keyword;
    while let Some(before) = from.checked_sub(1).filter(|_| scan.spend(1)) {
        // `private[shop]`, `private(set)`, `extern "c"`.
        let word = match scan.word(before) {
            ")" | "]" => scan.partner(before).wrapping_sub(1),
            _ if scan.kind(before) == Some(TokenKind::Text) => before.wrapping_sub(1),
            _ => before,
        };
        let member = is_dot(scan.word(word.wrapping_sub(1)));
        if !table.modifiers.contains(&scan.word(word)) || member {
            break;
        }
        from = word;
    }
    from
}

/// The first token of the line that a token is on.
fn line_start(scan: &Scan<'_>, mut at: usize) -> usize {
    while at > 0 && !scan.begins_line(at) && scan.spend(1) {
        at -= 1;
    }
    at
}

/// The column of a token.
fn column(scan: &Scan<'_>, at: usize) -> usize {
    let start = scan.start(at);
    let before = scan.text.as_bytes().get(..start).unwrap_or_default();
    start - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
}

/// How deep the line of a token is indented.
pub(super) fn indentation(scan: &Scan<'_>, at: usize) -> usize {
    column(scan, line_start(scan, at))
}

/// A token is on a line of its own that is indented no deeper than `indent`, or ends what encloses it.
pub(super) fn is_over(scan: &Scan<'_>, at: usize, indent: usize) -> bool {
    matches!(scan.word(at), "" | ";")
        || scan.kind(at) == Some(TokenKind::Close)
        || scan.begins_line(at) && column(scan, at) <= indent
}

/// The token behind an expression that belongs to a declaration with this indentation.
pub(super) fn expression_end(scan: &Scan<'_>, from: usize, indent: usize) -> usize {
    let mut at = from;
    while !is_over(scan, at, indent) || at == from && scan.kind(at) == Some(TokenKind::Open) {
        if scan.is(at, ",") && !scan.begins_line(at + 1) && scan.language == Language::Kotlin {
            break;
        }
        at = scan.after(at);
    }
    at
}

fn skip_angles(scan: &Scan<'_>, mut at: usize) -> usize {
    let mut depth = 0_i32;
    while !scan.word(at).is_empty() {
        match scan.word(at) {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ => {}
        }
        at = scan.after(at);
        if depth <= 0 {
            break;
        }
    }
    at
}

/// The token behind type parameters or arguments, where there are some.
fn skip_generics(scan: &Scan<'_>, table: &Table, at: usize) -> usize {
    match scan.word(at) {
        "<" if table.generics == "<" => skip_angles(scan, at),
        "[" if table.generics == "[" => scan.after(at),
        _ => at,
    }
}

fn clean(name: &str) -> String {
    name.trim_matches('`').to_owned()
}

/// A declaration at its keyword; `None` when it is none.
fn declaration(scan: &mut Scan<'_>, table: &Table, at: usize, declares: Declares) -> Option<usize> {
    // `class func`, `fun interface`: the next one is the keyword.
    if table.modifiers.contains(&scan.word(at))
        && table.keywords.iter().any(|(word, _)| scan.is(at + 1, word))
    {
        return None;
    }
    match declares {
        Type(kind) => declare_type(scan, table, at, kind),
        Extension => declare_type(scan, table, at, SymbolKind::Impl),
        Function => function(scan, table, at),
        Special => special(scan, table, at),
        Value => value(scan, table, at),
        Alias => alias(scan, table, at),
    }
}

/// Where a head ends, and the token behind the declaration.
fn body(scan: &Scan<'_>, table: &Table, from: usize, indent: usize) -> (usize, usize) {
    let mut at = from;
    loop {
        match scan.word(at) {
            "{" if table.generics.is_empty() && is_set(scan, at) => {}
            "{" => return (at, scan.after(at)),
            "=" => return (at, expression_end(scan, at + 1, indent)),
            // `class Cart:`, `given x: T with`, with the body on the next lines.
            ":" | "with" if scan.language == Language::Scala && scan.begins_line(at + 1) => {
                return (at, expression_end(scan, at + 1, indent));
            }
            _ if is_over(scan, at, indent) => return (at, at),
            _ => {}
        }
        at = scan.after(at);
    }
}

/// `error{Bad}!void`, `struct { a: u8 }` as a type: no body.
fn is_set(scan: &Scan<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| scan.word(before));
    matches!(before, "error" | "struct" | "enum" | "union")
}

fn declare_type(scan: &mut Scan<'_>, table: &Table, at: usize, kind: SymbolKind) -> Option<usize> {
    let from = first_word(scan, table, at);
    let indent = indentation(scan, from);
    let mut name = at + 1;
    if scan.language == Language::Scala && scan.is(at, "given") {
        // `given Ordering[Int] with`: without a name it is what it gives.
        name = skip_generics(scan, table, name);
    }
    if !scan.is_name(name) || scan.begins_line(name) || table.bases == scan.word(name) {
        return None;
    }
    // `extension Shop.Cart`
    while kind == SymbolKind::Impl && scan.is(name + 1, ".") && scan.is_name(name + 2) {
        name += 2;
    }
    let (head_end, end) = body(scan, table, name + 1, indent);
    let kind =
        if from < at && (from..at).any(|word| scan.is(word, "enum")) { SymbolKind::Enum } else { kind };
    let mut made = Declared::new(clean(scan.word(name)), kind, name, from);
    (made.head_end, made.end) = (head_end, end);
    made.bases = bases(scan, table, name + 1, head_end);
    scan.declare(made, false);
    let parameters = skip_generics(scan, table, name + 1);
    constructor_fields(scan, parameters, head_end);
    Some(parameters)
}

/// `class Cart(private val owner: Owner)`: what it is made of are its fields.
fn constructor_fields(scan: &mut Scan<'_>, from: usize, to: usize) {
    let mut at = from;
    while at < to && !scan.is(at, "{") {
        if scan.is(at, "(") {
            parameters(scan, at, true);
            return;
        }
        if scan.is(at, ":") || scan.is(at, "extends") {
            return;
        }
        at += 1;
    }
}

/// The names of base types in a head.
fn bases(scan: &Scan<'_>, table: &Table, from: usize, to: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = skip_generics(scan, table, from);
    while at < to && !scan.is(at, table.bases) {
        at = scan.after(at);
    }
    let mut wanted = false;
    while at < to {
        match scan.word(at) {
            "where" | "derives" => break,
            word if word == table.bases || matches!(word, "," | "with" | "&") => wanted = true,
            _ if wanted && scan.is_name(at) => {
                let mut last = at;
                while is_dot(scan.word(last + 1)) && scan.is_name(last + 2) && last + 2 < to {
                    last += 2;
                }
                let name = clean(scan.word(last));
                if !found.contains(&name) {
                    found.push(name);
                }
                wanted = false;
                at = skip_generics(scan, table, last + 1);
                continue;
            }
            _ => {}
        }
        at = scan.after(at);
    }
    found
}

fn function(scan: &mut Scan<'_>, table: &Table, at: usize) -> Option<usize> {
    let from = first_word(scan, table, at);
    let indent = indentation(scan, from);
    let mut name = if scan.is(at + 1, "<") { skip_generics(scan, table, at + 1) } else { at + 1 };
    let mut container = String::new();
    // `fun List<T>.second()`
    while scan.language == Language::Kotlin && scan.is_name(name) {
        let mut next = skip_generics(scan, table, name + 1);
        next += usize::from(scan.is(next, "?"));
        if !is_dot(scan.word(next)) {
            break;
        }
        container = clean(scan.word(name));
        name = next + 1;
    }
    let text = if scan.is_name(name) {
        clean(scan.word(name))
    } else {
        // `static func == (`, `def +(`
        let mut end = name;
        while scan.kind(end) == Some(TokenKind::Sign) && !scan.begins_line(end) && scan.spend(1) {
            end += 1;
        }
        if end == name || table.generics.is_empty() || scan.language == Language::Kotlin {
            return None;
        }
        scan.span(name, end).to_owned()
    };
    let after = name + 1;
    let (head_end, end) = body(scan, table, after, indent);
    let mut made = Declared::new(text, SymbolKind::Function, name, from);
    (made.head_end, made.end, made.container) = (head_end, end, container);
    scan.declare(made, false);
    let mut here = skip_generics(scan, table, after);
    while here < head_end {
        if scan.is(here, "(") {
            parameters(scan, here, false);
        }
        here = scan.after(here);
    }
    Some(skip_generics(scan, table, after))
}

/// `init(…)`, `constructor(…)`, `test "name" {`.
fn special(scan: &mut Scan<'_>, table: &Table, at: usize) -> Option<usize> {
    let from = first_word(scan, table, at);
    let indent = indentation(scan, from);
    let mut name = scan.word(at).to_owned();
    let mut next = at + 1;
    if name == "test" {
        if scan.kind(next) == Some(TokenKind::Text) || scan.is_name(next) {
            name = format!("test {}", scan.word(next));
            next += 1;
        }
        if !scan.is(next, "{") || !scan.begins_line(at) {
            return None;
        }
    } else {
        next += usize::from(matches!(scan.word(next), "?" | "!"));
        next = skip_generics(scan, table, next);
        let opens = scan.is(next, "(") || name == "deinit" && scan.is(next, "{");
        if !opens || !scan.enclosing().in_type {
            return None;
        }
        // `class Cart private constructor(…)` is part of a head.
        if name == "constructor" && !scan.begins_line(from) && !scan.is(from.wrapping_sub(1), "{") {
            return None;
        }
    }
    let (head_end, end) = body(scan, table, next, indent);
    let mut made = Declared::new(name, SymbolKind::Function, at, from);
    (made.head_end, made.end) = (head_end, end);
    scan.declare(made, false);
    if scan.is(next, "(") {
        parameters(scan, next, false);
    }
    Some(next)
}

fn alias(scan: &mut Scan<'_>, table: &Table, at: usize) -> Option<usize> {
    let from = first_word(scan, table, at);
    if !scan.is_name(at + 1) {
        return None;
    }
    let end = expression_end(scan, at + 2, indentation(scan, from));
    let mut made = Declared::new(clean(scan.word(at + 1)), SymbolKind::Type, at + 1, from);
    (made.head_end, made.end) = (end, end);
    scan.declare(made, false);
    Some(end.max(at + 2))
}

/// `val name: Type = …`, `const Name = struct { … };`
fn value(scan: &mut Scan<'_>, table: &Table, at: usize) -> Option<usize> {
    let from = first_word(scan, table, at);
    let indent = indentation(scan, from);
    let mut name = at + 1;
    // `val <T> List<T>.last`
    if scan.is(name, "<") {
        name = skip_generics(scan, table, name);
    }
    let mut container = String::new();
    while scan.language == Language::Kotlin && scan.is_name(name) {
        let next = skip_generics(scan, table, name + 1);
        if !is_dot(scan.word(next)) {
            break;
        }
        container = clean(scan.word(name));
        name = next + 1;
    }
    // A parameter, a pattern, `*const T`.
    let parameter =
        scan.kind(from.wrapping_sub(1)) == Some(TokenKind::Open) && !scan.is(from.wrapping_sub(1), "{");
    if !scan.is_name(name) || scan.begins_line(name) || parameter || scan.is(from.wrapping_sub(1), ",") {
        return None;
    }
    let enclosing = scan.enclosing();
    let mut assign = name + 1;
    while !scan.is(assign, "=") && !scan.is(assign, "{") && !is_over(scan, assign, indent) {
        assign = scan.after(assign);
    }
    if scan.is(name + 1, ":") {
        typed(scan, name, name + 2, enclosing.in_type);
    } else if scan.is(assign, "=") {
        made(scan, name, assign + 1, enclosing.in_type);
    }
    if scan.language == Language::Zig
        && scan.is(assign, "=")
        && let Some(next) = zig_value(scan, name, from, assign, indent)
    {
        return Some(next);
    }
    if enclosing.in_function {
        return Some(name + 1);
    }
    let (head_end, end) = if scan.is(assign, "{") {
        (assign, scan.after(assign))
    } else {
        // Accessors are on the next lines.
        let end = expression_end(scan, assign, indent);
        (end, end)
    };
    let kind = if enclosing.in_type || !container.is_empty() {
        SymbolKind::Property
    } else {
        declare::value(scan.word(name))
    };
    let name_text = clean(scan.word(name));
    let head_end = if kind == SymbolKind::Property && scan.is(assign, "=") { assign } else { head_end };
    let mut made = Declared::new(name_text, kind, name, from);
    (made.head_end, made.end, made.container) = (head_end, end, container);
    scan.declare(made, false);
    Some(name + 1)
}

/// A constant of Zig that is a type or an imported file.
fn zig_value(scan: &mut Scan<'_>, name: usize, from: usize, assign: usize, indent: usize) -> Option<usize> {
    let mut at = assign + 1;
    if scan.is(at, "@") && scan.is(at + 1, "import") && scan.is(at + 2, "(") {
        let module = scan.word(at + 3).trim_matches('"').to_owned();
        scan.import(name, &module, "", scan.word(name), scan.is(from, "pub"));
        return Some(scan.after(at + 2));
    }
    while matches!(scan.word(at), "packed" | "extern") {
        at += 1;
    }
    let kind = match scan.word(at) {
        "struct" | "union" | "opaque" => SymbolKind::Struct,
        "enum" | "error" => SymbolKind::Enum,
        _ => return None,
    };
    let open = if scan.is(at + 1, "(") { scan.after(at + 1) } else { at + 1 };
    if !scan.is(open, "{") {
        return None;
    }
    let mut made = Declared::new(scan.word(name).to_owned(), kind, name, from);
    (made.head_end, made.end) = (open, expression_end(scan, open, indent));
    scan.declare(made, false);
    Some(open + 1)
}

/// The types of parameters.
fn parameters(scan: &mut Scan<'_>, open: usize, fields: bool) {
    let close = scan.partner(open);
    let mut at = open + 1;
    while at < close {
        if scan.is_name(at) && scan.is(at + 1, ":") {
            typed(scan, at, at + 2, fields);
        }
        at = scan.after(at);
    }
}

/// A value whose type is written here.
fn typed(scan: &mut Scan<'_>, name: usize, mut at: usize, field: bool) {
    while matches!(scan.word(at), "*" | "&" | "?" | "const" | "inout" | "some" | "any" | "@" | "escaping")
        && scan.spend(1)
    {
        at += 1;
    }
    if !scan.is_name(at) {
        return;
    }
    while is_dot(scan.word(at + 1)) && scan.is_name(at + 2) && scan.spend(1) {
        at += 2;
    }
    let of = types::base(scan.word(at));
    if !types::capital(&of) {
        return;
    }
    known(scan, name, of, field);
}

fn known(scan: &mut Scan<'_>, name: usize, of: String, field: bool) {
    let name = clean(scan.word(name));
    if field { scan.gather.field_is(&name, of) } else { scan.gather.variable_is(&name, of) }
}

/// A value that is made here: `Cart(…)`, `new Cart`, `Cart{}`.
fn made(scan: &mut Scan<'_>, name: usize, mut at: usize, field: bool) {
    while matches!(scan.word(at), "new" | "try" | "await") {
        at += 1;
    }
    let opens = matches!(scan.word(at + 1), "(" | "{" | "[");
    let of = clean(scan.word(at));
    if scan.is_name(at) && types::capital(&of) && (opens || scan.is(at.wrapping_sub(1), "new")) {
        known(scan, name, of, field);
    }
}

/// A call by the word that is called.
fn call(scan: &mut Scan<'_>, table: &Table, at: usize) {
    let name = scan.word(at);
    let before = scan.word(at.wrapping_sub(1));
    // `@file:JvmName(…)`, `case .some(let x)`.
    let annotation = before == ":" && scan.is(at.wrapping_sub(3), "@");
    let pattern = is_dot(before) && matches!(scan.word(at.wrapping_sub(2)), "case" | "," | "(" | "");
    if table.control.contains(&name) && !is_dot(before)
        || matches!(before, "@" | "#" | "case")
        || annotation
        || pattern
    {
        return;
    }
    let mut next = at + 1;
    if scan.is(next, table.generics) && !scan.begins_line(next) {
        next = type_arguments(scan, table, next).unwrap_or(next);
    }
    let brackets = scan.is(next, "(") && !scan.begins_line(next);
    let block = table.trailing && scan.is(next, "{") && !scan.begins_line(next) && before != ":";
    let made = before == "new";
    if !(brackets || block && scan.enclosing().in_function || made) || scan.gather.in_enumeration() {
        return;
    }
    let on = receiver(scan, table, at);
    let (line, place) = (scan.line(at), scan.start(at));
    scan.gather.call(clean(name), on, line, place);
}

/// `<A, B>` before a bracket: names, dots, commas, marks and brackets only.
fn type_arguments(scan: &Scan<'_>, table: &Table, open: usize) -> Option<usize> {
    if table.generics == "[" {
        return Some(scan.after(open));
    }
    let mut at = open;
    let mut depth = 0_i32;
    for _ in 0..24 {
        match scan.word(at) {
            "<" => depth += 1,
            ">" => depth -= 1,
            "." | "," | "?" | ":" | "*" | "->" => {}
            "(" | "[" => {}
            _ if scan.is_name(at) => {}
            _ => return None,
        }
        at = scan.after(at);
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What a call is made on, by the tokens before its name.
pub(super) fn receiver(scan: &Scan<'_>, table: &Table, at: usize) -> ReceiverExpr {
    let Some(dot) = at.checked_sub(1).filter(|dot| is_dot(scan.word(*dot))) else {
        return ReceiverExpr::Nothing;
    };
    let Some(mut of) = dot.checked_sub(1) else { return ReceiverExpr::Unknown };
    while matches!(scan.word(of), "!" | "?") && of > 0 {
        of -= 1;
    }
    if scan.is(of, ")") {
        // `Cart().add()`
        let maker = scan.partner(of).wrapping_sub(1);
        let made = scan.is_name(maker) && types::capital(scan.word(maker));
        let plain = !is_dot(scan.word(maker.wrapping_sub(1)));
        return if made && plain {
            ReceiverExpr::Made(clean(scan.word(maker)))
        } else {
            ReceiverExpr::Unknown
        };
    }
    if !scan.is_name(of) || scan.begins_line(dot) && !scan.is(dot, ".") {
        return ReceiverExpr::Unknown;
    }
    let name = clean(scan.word(of));
    let further = of.checked_sub(2).filter(|_| is_dot(scan.word(of - 1)));
    match (name.as_str(), further) {
        ("this" | "self" | "Self" | "__MODULE__", None) => ReceiverExpr::Own,
        ("super", None) => ReceiverExpr::Super,
        (_, None) if table.control.contains(&name.as_str()) => ReceiverExpr::Unknown,
        (_, None) => ReceiverExpr::Name(name),
        (_, Some(holder)) if is_dot(scan.word(holder.wrapping_sub(1))) || !scan.is_name(holder) => {
            ReceiverExpr::Unknown
        }
        (_, Some(holder)) => match scan.word(holder) {
            "this" | "self" => ReceiverExpr::Field(None, name),
            holder => ReceiverExpr::Field(Some(clean(holder)), name),
        },
    }
}

/// `import a.b.C as D`, `import a.{B, C => D}`, `import struct Foundation.Date`.
fn import(scan: &mut Scan<'_>, at: usize) -> usize {
    let mut here = at + 1;
    while scan.language == Language::Swift
        && matches!(
            scan.word(here),
            "struct" | "class" | "enum" | "protocol" | "func" | "var" | "let" | "typealias"
        )
    {
        here += 1;
    }
    let start = here;
    while scan.is_name(here) && scan.is(here + 1, ".") && scan.spend(1) {
        here += 2;
    }
    let module = scan.span(start, here.saturating_sub(1).max(start)).to_owned();
    match scan.word(here) {
        "{" => {
            let close = scan.partner(here);
            let mut one = here + 1;
            while one < close {
                let mut end = one;
                while end < close && !scan.is(end, ",") && scan.spend(1) {
                    end += 1;
                }
                let name = scan.word(one).to_owned();
                let renamed = matches!(scan.word(one + 1), "=>" | "as") && one + 2 < end;
                let alias = if renamed { scan.word(one + 2).to_owned() } else { name.clone() };
                match name.as_str() {
                    "_" | "*" => scan.import(one, &module, "*", "", false),
                    _ => scan.import(one, &module, &name, &alias, false),
                }
                one = end + 1;
            }
            close + 1
        }
        "*" | "_" => {
            scan.import(at, &module, "*", "", false);
            here + 1
        }
        _ if scan.is_name(here) && !scan.begins_line(here) => {
            let name = clean(scan.word(here));
            if scan.language == Language::Swift && module.is_empty() {
                scan.import(at, &name, "*", "", false);
                return here + 1;
            }
            let renamed = matches!(scan.word(here + 1), "as" | "=>") && !scan.begins_line(here + 1);
            let alias = if renamed { clean(scan.word(here + 2)) } else { name.clone() };
            scan.import(at, &module, &name, &alias, false);
            if renamed { here + 3 } else { here + 1 }
        }
        _ => at + 1,
    }
}
