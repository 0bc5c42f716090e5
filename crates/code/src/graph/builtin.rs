//! Methods that every program has from its language: a call of one on an object that is not known says nothing about a method
//! of the project with the same name.

use crate::language::Language;

const PYTHON: [&str; 77] = [
    "append", "extend", "insert", "remove", "pop", "clear", "index", "count", "sort", "reverse", "copy",
    "get", "items", "keys", "values", "update", "setdefault", "popitem", "fromkeys", "add", "discard",
    "union", "intersection", "difference", "issubset", "issuperset", "join", "split", "rsplit", "splitlines",
    "strip", "lstrip", "rstrip", "replace", "format", "startswith", "endswith", "lower", "upper", "title",
    "capitalize", "find", "rfind", "encode", "decode", "isdigit", "isalpha", "zfill", "center", "ljust",
    "rjust", "partition", "rpartition", "casefold", "swapcase", "translate", "read", "write", "readline",
    "readlines", "writelines", "close", "flush", "seek", "tell", "fileno", "match", "search", "group",
    "groups", "sub", "findall", "finditer", "send", "throw", "isoformat", "strftime",
];

const SCRIPT: [&str; 74] = [
    "push", "pop", "shift", "unshift", "slice", "splice", "concat", "join", "map", "filter", "forEach",
    "reduce", "reduceRight", "find", "findIndex", "findLast", "some", "every", "includes", "indexOf",
    "lastIndexOf", "sort", "reverse", "fill", "flat", "flatMap", "keys", "values", "entries", "get", "set",
    "has", "add", "delete", "clear", "then", "catch", "finally", "toString", "toLowerCase", "toUpperCase",
    "trim", "trimStart", "trimEnd", "split", "replace", "replaceAll", "match", "matchAll", "test", "exec",
    "startsWith", "endsWith", "padStart", "padEnd", "charAt", "charCodeAt", "substring", "substr", "repeat",
    "at", "call", "apply", "bind", "hasOwnProperty", "valueOf", "toFixed", "toISOString", "getTime", "next",
    "toJSON", "localeCompare", "normalize", "log",
];

const RUST: [&str; 58] = [
    "unwrap", "expect", "clone", "iter", "iter_mut", "into_iter", "map", "and_then", "or_else", "ok_or",
    "ok_or_else", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "is_some", "is_none", "is_ok",
    "is_err", "ok", "err", "collect", "filter", "filter_map", "fold", "push", "push_str", "pop", "len",
    "is_empty", "get", "get_mut", "insert", "remove", "contains", "contains_key", "entry", "or_default",
    "or_insert", "to_string", "to_owned", "into", "as_str", "as_ref", "as_mut", "borrow", "borrow_mut",
    "lock", "trim", "split", "chars", "bytes", "lines", "take", "next", "join", "extend", "sort", "cloned",
];

const JAVA: [&str; 34] = [
    "add", "get", "put", "remove", "size", "isEmpty", "contains", "containsKey", "clear", "iterator",
    "toString", "equals", "hashCode", "length", "charAt", "substring", "trim", "split", "indexOf",
    "startsWith", "endsWith", "println", "print", "printf", "stream", "map", "filter", "collect", "forEach",
    "append", "values", "keySet", "entrySet", "getClass",
];

/// The language has a method of this name on its own values.
pub(super) fn is_method(language: Language, name: &str) -> bool {
    match language {
        Language::Python => PYTHON.contains(&name),
        Language::TypeScript | Language::Tsx | Language::JavaScript => SCRIPT.contains(&name),
        Language::Rust => RUST.contains(&name),
        Language::Java => JAVA.contains(&name),
        _ => false,
    }
}
