//! What functions and methods of the languages and their standard libraries do with what they are given. What is not named here, and
//! is not in the file, may change everything that it gets.

/// What a call changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    Nothing,
    /// The object that a method is called on.
    Receiver,
    /// The first argument.
    First,
    /// Everything that it gets, and what is inside.
    All,
}

/// What a call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// Something that shares nothing.
    Fresh,
    /// A new object around the same elements.
    Elements,
    /// The same, made while it is read: who reads it, reads what it was made from.
    Lazy,
    /// A part of what it got.
    Part,
    /// What it got, or anything inside or around it.
    Anything,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Native {
    pub(super) changed: Changed,
    /// The other arguments become a part of what is changed.
    pub(super) stores: bool,
    pub(super) gives: Gives,
}

const fn native(changed: Changed, stores: bool, gives: Gives) -> Native {
    Native { changed, stores, gives }
}

const FRESH: Native = native(Changed::Nothing, false, Gives::Fresh);
const ELEMENTS: Native = native(Changed::Nothing, false, Gives::Elements);
const LAZY: Native = native(Changed::Nothing, false, Gives::Lazy);
const PART: Native = native(Changed::Nothing, false, Gives::Part);
const STORES: Native = native(Changed::Receiver, true, Gives::Part);
const CHANGES: Native = native(Changed::Receiver, false, Gives::Part);
const CHANGES_FIRST: Native = native(Changed::First, true, Gives::Part);
/// Nobody knows.
pub(super) const UNKNOWN: Native = native(Changed::All, true, Gives::Anything);

/// A function, by the last word of its path.
pub(super) fn function(python: bool, name: &str) -> Option<Native> {
    let (fresh, elements, lazy, part, first) = if python {
        (PY_FRESH, PY_ELEMENTS, PY_LAZY, PY_PART, PY_FIRST)
    } else {
        (JS_FRESH, JS_ELEMENTS, &[][..], JS_PART, JS_FIRST)
    };
    let is_error = ["Error", "Exception", "Warning", "Exit"].iter().any(|end| name.ends_with(end));
    [(fresh, FRESH), (elements, ELEMENTS), (lazy, LAZY), (part, PART), (first, CHANGES_FIRST)]
        .into_iter()
        .find(|(names, _)| names.contains(&name))
        .map(|(_, native)| native)
        .or(is_error.then_some(ELEMENTS))
}

/// A function's name says enough without its module: `heappush`, but not `log`, which may be anybody's.
pub(super) fn is_known_alone(python: bool, name: &str) -> bool {
    if python { !PY_ANYBODYS.contains(&name) } else { JS_GLOBAL.contains(&name) }
}

/// A method, by its name.
pub(super) fn method(python: bool, name: &str) -> Option<Native> {
    let (fresh, elements, part, stores, changes) = if python {
        (PY_TEXT, PY_M_ELEMENTS, PY_M_PART, PY_M_STORES, PY_M_CHANGES)
    } else {
        (JS_M_FRESH, JS_M_ELEMENTS, JS_M_PART, JS_M_STORES, JS_M_CHANGES)
    };
    [(fresh, FRESH), (elements, ELEMENTS), (part, PART), (stores, STORES), (changes, CHANGES)]
        .into_iter()
        .find(|(names, _)| names.contains(&name))
        .map(|(_, native)| native)
}

/// A function or method that gives a number, a text or a truth.
pub(crate) fn gives_scalar(python: bool, name: &str) -> bool {
    if python { PY_SCALAR.contains(&name) || is_text_method(name) } else { JS_SCALAR.contains(&name) }
}

/// A method that only texts have.
pub(crate) fn is_text_method(name: &str) -> bool {
    TEXT_ONLY.contains(&name)
}

const TEXT_ONLY: &[&str] = &[
    "capitalize", "casefold", "center", "charAt", "charCodeAt", "codePointAt", "encode", "endsWith",
    "endswith", "expandtabs", "format_map", "isalnum", "isalpha", "isdecimal", "isdigit", "isidentifier",
    "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "join", "ljust", "localeCompare",
    "lower", "lstrip", "maketrans", "normalize", "padEnd", "padStart", "partition", "removeprefix",
    "removesuffix", "replaceAll", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startsWith", "startswith", "strip", "substr", "substring", "swapcase", "title", "toLowerCase",
    "toUpperCase", "translate", "trim", "trimEnd", "trimStart", "upper", "zfill",
];
const PY_SCALAR: &[&str] = &[
    "len", "int", "float", "str", "bool", "repr", "ord", "chr", "hash", "id", "abs", "round", "isinstance",
    "issubclass", "callable", "hasattr", "bin", "hex", "oct", "format", "any", "all", "bytes", "complex",
    "count", "index", "find", "rfind", "gcd", "sqrt", "floor", "ceil", "log", "log2", "exp", "factorial",
    "comb", "isclose", "time", "perf_counter", "bisect", "bisect_left", "bisect_right", "randint", "range",
    "type", "divmod", "pow", "sum",
];
const JS_SCALAR: &[&str] = &[
    "Number", "String", "Boolean", "parseInt", "parseFloat", "isNaN", "isFinite", "isArray", "isInteger",
    "abs", "ceil", "floor", "max", "min", "pow", "random", "round", "sign", "sqrt", "trunc", "stringify",
    "indexOf", "lastIndexOf", "includes", "join", "charAt", "charCodeAt", "toString", "toFixed", "has",
    "hasOwnProperty", "startsWith", "endsWith", "toLowerCase", "toUpperCase", "trim", "replace", "substring",
    "substr", "test", "search", "padStart", "padEnd", "repeat", "every", "some", "findIndex", "getTime",
    "now", "localeCompare", "codePointAt", "fromCharCode",
];
const PY_FRESH: &[&str] = &[
    "len", "int", "float", "str", "bool", "repr", "ord", "chr", "hash", "id", "sum", "abs", "round",
    "isinstance", "issubclass", "callable", "hasattr", "type", "divmod", "pow", "bin", "hex", "oct",
    "format", "ascii", "any", "all", "input", "print", "range", "bytes", "bytearray", "complex", "slice",
    "dir", "object", "gcd", "lcm", "sqrt", "isqrt", "floor", "ceil", "trunc", "log", "log2", "log10",
    "log1p", "exp", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "hypot", "factorial", "comb",
    "perm", "isclose", "fsum", "prod", "deepcopy", "dumps", "loads", "compile", "escape", "fullmatch",
    "match", "search", "findall", "finditer", "sub", "subn", "split", "join", "basename", "dirname",
    "exists", "isfile", "isdir", "abspath", "normpath", "splitext", "expanduser", "relpath", "perf_counter",
    "monotonic", "time", "sleep", "warn", "getLogger", "dedent", "indent", "namedtuple", "Fraction",
    "Decimal", "isnan", "isinf", "isfinite", "copysign", "uuid4", "randint", "random", "randrange",
    "uniform", "gauss", "bisect", "bisect_left", "bisect_right", "signature", "getsizeof", "isgenerator",
    "isfunction", "isclass", "itemgetter", "attrgetter", "methodcaller", "count", "timedelta", "datetime",
    "date", "locals", "globals", "TypeVar", "cast_scalar", "mean", "median", "ceil_div",
];
const PY_ELEMENTS: &[&str] = &[
    "list",
    "tuple",
    "set",
    "frozenset",
    "dict",
    "sorted",
    "copy",
    "deque",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "ChainMap",
    "partial",
    "reduce",
    "sample",
    "nlargest",
    "nsmallest",
    "product",
    "permutations",
    "combinations",
    "combinations_with_replacement",
    "MappingProxyType",
    "vars",
    "fromkeys",
];
const PY_LAZY: &[&str] = &[
    "iter", "map", "filter", "zip", "enumerate", "reversed", "chain", "from_iterable", "islice", "cycle",
    "zip_longest", "accumulate", "groupby", "takewhile", "dropwhile", "starmap", "tee", "pairwise",
    "filterfalse", "compress", "repeat", "batched", "merge",
];
const PY_PART: &[&str] = &["min", "max", "getattr", "choice", "cast", "super", "attrgetter"];
const PY_FIRST: &[&str] = &[
    "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right",
    "shuffle", "setattr", "delattr", "next", "setitem", "delitem", "pack_into", "update_wrapper",
];
const PY_TEXT: &[&str] = &[
    "capitalize", "casefold", "center", "count", "decode", "encode", "endswith", "expandtabs", "find",
    "format", "format_map", "hex", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "isidentifier",
    "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "join", "ljust", "lower",
    "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title",
    "translate", "upper", "zfill", "bit_length", "group", "groups", "groupdict", "start", "end", "span",
    "as_integer_ratio", "is_integer", "total_seconds", "isoformat", "strftime", "issubset", "issuperset",
    "isdisjoint", "match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "debug", "info",
    "warning", "error", "exception", "tell", "fileno", "is_dir", "is_file", "conjugate", "limit_denominator",
];
const PY_M_ELEMENTS: &[&str] = &[
    "copy", "union", "intersection", "difference", "symmetric_difference", "most_common", "elements",
    "_replace", "_asdict",
];
const PY_M_PART: &[&str] = &["get", "items", "values", "keys"];
const PY_M_STORES: &[&str] = &[
    "append", "appendleft", "add", "insert", "extend", "extendleft", "update", "setdefault", "push", "put",
    "intersection_update", "difference_update", "symmetric_difference_update", "__setitem__", "subtract",
];
const PY_M_CHANGES: &[&str] = &[
    "pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse", "rotate", "move_to_end",
    "__delitem__", "__next__",
];
const JS_FRESH: &[&str] = &[
    "Number", "String", "Boolean", "BigInt", "Symbol", "parseInt", "parseFloat", "isNaN", "isFinite",
    "isArray", "isInteger", "isSafeInteger", "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos",
    "exp", "floor", "hypot", "log", "log10", "log2", "max", "min", "pow", "random", "round", "sign", "sin",
    "sqrt", "tan", "trunc", "stringify", "keys", "getOwnPropertyNames", "getOwnPropertyDescriptor", "hasOwn",
    "is", "isFrozen", "isPrototypeOf", "encodeURIComponent", "decodeURIComponent", "encodeURI", "escape",
    "RegExp", "Date", "now", "UTC", "fromCharCode", "fromCodePoint", "structuredClone", "require", "warn",
    "error", "info", "debug", "clearTimeout", "clearInterval",
];
const JS_ELEMENTS: &[&str] = &[
    "Array", "from", "of", "values", "entries", "fromEntries", "Set", "Map", "WeakMap", "WeakSet", "Object",
    "Promise", "resolve", "reject", "all", "race", "create",
];
const JS_PART: &[&str] = &["getPrototypeOf", "parse", "freeze", "seal"];
const JS_FIRST: &[&str] = &["assign", "defineProperty", "defineProperties", "setPrototypeOf"];
const JS_M_FRESH: &[&str] = &[
    "charAt", "charCodeAt", "codePointAt", "endsWith", "getTime", "hasOwnProperty", "has", "includes",
    "indexOf", "isPrototypeOf", "join", "lastIndexOf", "localeCompare", "normalize", "padEnd", "padStart",
    "propertyIsEnumerable", "repeat", "replace", "replaceAll", "search", "split", "startsWith", "substr",
    "substring", "test", "toFixed", "toISOString", "toLowerCase", "toPrecision", "toString", "toUpperCase",
    "trim", "trimEnd", "trimStart", "match", "matchAll", "getFullYear", "getMonth", "getDate", "getHours",
];
const JS_M_ELEMENTS: &[&str] =
    &["concat", "slice", "flat", "entries", "keys", "values", "toSorted", "toReversed"];
const JS_M_PART: &[&str] = &["get", "at", "valueOf"];
const JS_M_STORES: &[&str] = &["push", "unshift", "splice", "fill", "set", "add", "append"];
const JS_M_CHANGES: &[&str] = &[
    "pop", "shift", "sort", "reverse", "delete", "clear", "copyWithin", "exec", "next", "write", "end",
    "setFullYear", "setMonth", "setDate", "setHours", "setTime",
];
const PY_ANYBODYS: &[&str] = &[
    "log", "log2", "log10", "exp", "match", "search", "sub", "split", "join", "time", "sleep", "escape",
    "exists", "count", "date", "warn", "merge", "product", "copy", "sample", "choice", "random", "indent",
    "repeat", "cycle", "perm", "comb", "mean", "median", "trunc", "floor", "ceil", "prod", "cast", "tee",
    "compress", "update_wrapper",
];
const JS_GLOBAL: &[&str] = &[
    "Number", "String", "Boolean", "BigInt", "Symbol", "parseInt", "parseFloat", "isNaN", "isFinite",
    "Array", "Set", "Map", "WeakMap", "WeakSet", "Object", "Promise", "RegExp", "Date", "encodeURIComponent",
    "decodeURIComponent", "encodeURI", "structuredClone", "require", "clearTimeout", "clearInterval",
];
