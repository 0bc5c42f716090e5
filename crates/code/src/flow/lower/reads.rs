//! Methods that only read, whatever the language, and the names of the object itself.

pub(super) fn is_self(name: &str) -> bool {
    matches!(name, "self" | "this" | "cls" | "super" | "$this" | "base")
}

/// True for a method that only reads: what it is called on stays as it was.
pub(super) fn only_reads(method: &str) -> bool {
    READ_ONLY_METHODS.contains(&method)
}

/// Names of methods that only read, whatever the language.
const READ_ONLY_METHODS: &[&str] = &[
    "all", "any", "as_bytes", "as_deref", "as_ref", "as_slice", "as_str", "at", "bytes", "capacity", "ceil",
    "charAt", "charCodeAt", "chars", "clone", "cloned", "cmp", "codePointAt", "collect", "compareTo",
    "concat", "contains", "containsKey", "containsValue", "contains_key", "copied", "copy", "count",
    "decode", "display", "encode", "end_byte", "ends_with", "endsWith", "endswith", "entries", "eq",
    "equals", "every", "exists", "expect", "filter", "find", "findIndex", "find_map", "first", "flat",
    "flatMap", "flat_map", "floor", "fold", "format", "get", "getAttribute", "getClass", "getName",
    "getOrDefault", "get_or", "group", "groups", "has", "hasAttribute", "hasOwnProperty", "has_key", "hash",
    "hashCode", "includes", "index", "indexOf", "into_iter", "is_absolute", "is_char_boundary", "is_dir",
    "is_empty", "is_err", "is_file", "is_none", "is_ok", "is_some", "is_some_and", "isEmpty", "isPresent",
    "isdigit", "isalpha", "iter", "join", "joinpath", "keySet", "keys", "kind", "last", "lastIndexOf", "len",
    "length", "lines", "lower", "lstrip", "map", "map_err", "map_or", "map_or_else", "match", "matches",
    "max", "min", "name", "ok_or", "ok_or_else", "padEnd", "padStart", "parent", "partition", "path",
    "position", "reduce", "repeat", "replace", "rfind", "rposition", "rsplit", "rstrip", "saturating_sub",
    "size", "slice", "some", "split", "splitlines", "split_once", "split_whitespace", "startsWith",
    "start_byte", "starts_with", "startswith", "stream", "strip", "strip_prefix", "strip_suffix", "substr",
    "substring", "test", "then", "then_some", "title", "toFixed", "toISOString", "toJSON", "toLowerCase",
    "toString", "toUpperCase", "to_ascii_lowercase", "to_json", "to_lowercase", "to_owned", "to_path_buf",
    "to_s", "to_str", "to_string", "to_string_lossy", "to_vec", "trim", "trimEnd", "trimStart", "trim_end",
    "trim_end_matches", "trim_start", "trim_start_matches", "unwrap", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "upper", "value", "valueOf", "values", "with_extension", "zip",
];
