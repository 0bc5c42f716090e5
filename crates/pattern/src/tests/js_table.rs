//! Patterns with the answer that JavaScript's `String.prototype.match` gives: the text of the first match.
//! The rows were checked against a JavaScript engine, except those it is too old for.

use super::found;

/// Pattern, flags, text, matched text.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>);

const LITERALS: &[Row] = &[
    ("", "", "abc", Some("")),
    ("abc", "", "xabcx", Some("abc")),
    ("abc", "", "ab", None),
    ("a.c", "", "abc", Some("abc")),
    ("a.c", "", "a\nc", None),
    ("a.c", "", "a\rc", None),
    ("a.c", "", "a\u{2028}c", None),
    ("a.c", "", "a\u{85}c", Some("a\u{85}c")),
    ("a.c", "s", "a\nc", Some("a\nc")),
    ("]", "", "a]", Some("]")),
    ("}", "", "a}", Some("}")),
    ("{", "", "a{", Some("{")),
    ("a{", "", "a{", Some("a{")),
    ("a{2", "", "aa{2", Some("a{2")),
    ("a{,3}", "", "aaa{,3}", Some("a{,3}")),
    ("{a}", "", "{a}", Some("{a}")),
    ("x{2,a}", "", "xx{2,a}", Some("x{2,a}")),
    ("é", "", "caf\u{e9}", Some("\u{e9}")),
    ("a|b", "", "cb", Some("b")),
    ("a|ab", "", "ab", Some("a")),
    ("ab|a", "", "ab", Some("ab")),
    ("|a", "", "a", Some("")),
    ("a|", "", "ba", Some("")),
    ("foo|bar|baz", "", "a baz", Some("baz")),
    ("(?:a|b)c", "", "abc", Some("bc")),
];

const CLASSES: &[Row] = &[
    ("[abc]", "", "xb", Some("b")),
    ("[a-c]+", "", "xabcd", Some("abc")),
    ("[^a-c]", "", "abcd", Some("d")),
    ("[]", "", "a", None),
    ("[^]", "", "\n", Some("\n")),
    ("[]a]", "", "a]", None),
    ("[a-]", "", "-", Some("-")),
    ("[-a]", "", "-", Some("-")),
    ("[a^]", "", "^", Some("^")),
    ("[\\d-z]+", "", "5-z", Some("5-z")),
    ("[\\d-z]", "", "y", None),
    ("[z-\\d]+", "", "z-9", Some("z-9")),
    ("[\\w-]+", "", "a-b c", Some("a-b")),
    ("[\\]]", "", "]", Some("]")),
    ("[\\\\]", "", "\\", Some("\\")),
    ("[.]", "", "a.", Some(".")),
    ("[(?:)]+", "", "a(?:)", Some("(?:)")),
    ("[\\b]", "", "\u{8}", Some("\u{8}")),
    ("[\\B]", "", "B", Some("B")),
    ("[\\x41-\\x43]+", "", "xABC", Some("ABC")),
    ("[\\u0041]", "", "A", Some("A")),
    ("[\\101]", "", "A", Some("A")),
    ("[\\8]", "", "8", Some("8")),
    ("[\\cA]", "", "\u{1}", Some("\u{1}")),
    ("[\\c1]", "", "\u{11}", Some("\u{11}")),
    ("[\\c]+", "", "\\c", Some("\\c")),
    ("[\\-a]", "", "-", Some("-")),
    ("[\\S\\s]", "", "\n", Some("\n")),
    ("\\d+", "", "a123b", Some("123")),
    ("\\d", "", "\u{663}", None),
    ("\\D+", "", "12ab", Some("ab")),
    ("\\w+", "", "-a_1-", Some("a_1")),
    ("\\w", "", "é", None),
    ("\\W", "", "aé", Some("é")),
    ("\\s", "", "a\u{a0}", Some("\u{a0}")),
    ("\\s", "", "a\u{feff}", Some("\u{feff}")),
    ("\\s", "", "a\u{85}", None),
    ("\\S+", "", " \tab ", Some("ab")),
];

const ESCAPES: &[Row] = &[
    ("\\t\\n\\v\\f\\r", "", "\t\n\u{b}\u{c}\r", Some("\t\n\u{b}\u{c}\r")),
    ("\\0", "", "a\0", Some("\0")),
    ("\\x41", "", "A", Some("A")),
    ("\\x4", "", "x4", Some("x4")),
    ("\\x4g", "", "x4g", Some("x4g")),
    ("\\u0041", "", "A", Some("A")),
    ("\\u004", "", "u004", Some("u004")),
    ("\\u{zz}", "", "u{zz}", Some("u{zz}")),
    ("\\cJ", "", "\n", Some("\n")),
    ("\\cj", "", "\n", Some("\n")),
    ("\\c", "", "\\c", Some("\\c")),
    ("\\c1", "", "\\c1", Some("\\c1")),
    ("\\101", "", "A", Some("A")),
    ("\\1011", "", "A1", Some("A1")),
    ("\\400", "", " 0", Some(" 0")),
    ("\\0011", "", "\u{1}1", Some("\u{1}1")),
    ("\\8", "", "8", Some("8")),
    ("\\81", "", "81", Some("81")),
    ("\\/\\-\\.\\q", "", "/-.q", Some("/-.q")),
    ("\\k<a>", "", "k<a>", Some("k<a>")),
    ("\\p{L}", "", "p{L}", Some("p{L}")),
    ("\\(\\)\\[\\]\\{\\}", "", "()[]{}", Some("()[]{}")),
    ("\\^\\$\\*\\+\\?\\|", "", "^$*+?|", Some("^$*+?|")),
    ("\\_", "", "_", Some("_")),
    ("\\é", "", "é", Some("é")),
];

const ANCHORS: &[Row] = &[
    ("^a", "", "ba", None),
    ("^a", "m", "b\na", Some("a")),
    ("^a", "m", "b\ra", Some("a")),
    ("^a", "m", "b\u{2029}a", Some("a")),
    ("a$", "", "ab", None),
    ("a$", "", "a\n", None),
    ("a$", "m", "a\nb", Some("a")),
    ("^$", "", "", Some("")),
    ("^$", "", "a", None),
    ("^$", "m", "a\n\nb", Some("")),
    ("a^b", "", "ab", None),
    ("(^|,)b", "", "a,b", Some(",b")),
    ("(?:^a|b)c", "", "abc", Some("bc")),
    ("\\bfoo\\b", "", "a foo b", Some("foo")),
    ("\\bfoo\\b", "", "afoo b", None),
    ("\\bfoo\\b", "", "foo_", None),
    ("\\bfoo\\b", "", "éfoo", Some("foo")),
    ("\\Boo", "", "foo oo", Some("oo")),
    ("\\B", "", "a", None),
    ("\\B", "", "", Some("")),
    ("\\b", "", "", None),
    ("^Bash$", "", "Bash", Some("Bash")),
    ("^Bash$", "", "BashOutput", None),
    ("^(Edit|Write)$", "", "Write", Some("Write")),
];

const QUANTIFIERS: &[Row] = &[
    ("a*", "", "aaab", Some("aaa")),
    ("a*", "", "b", Some("")),
    ("a+", "", "baa", Some("aa")),
    ("a?b", "", "aab", Some("ab")),
    ("a{2}", "", "aaa", Some("aa")),
    ("a{2,}", "", "aaaa", Some("aaaa")),
    ("a{2,3}", "", "aaaa", Some("aaa")),
    ("a{2,3}?", "", "aaaa", Some("aa")),
    ("a{0}b", "", "ab", Some("b")),
    ("a{0,0}", "", "a", Some("")),
    ("a*?b", "", "aab", Some("aab")),
    ("a+?", "", "aaa", Some("a")),
    ("a??b", "", "ab", Some("ab")),
    ("<.+>", "", "<a><b>", Some("<a><b>")),
    ("<.+?>", "", "<a><b>", Some("<a>")),
    ("a.*c", "", "abcbcb", Some("abcbc")),
    ("a.*?c", "", "abcbcb", Some("abc")),
    ("(ab)+", "", "ababa", Some("abab")),
    ("(?:ab){2}", "", "ababab", Some("abab")),
    ("(?:ab){1,2}?c", "", "ababc", Some("ababc")),
    ("(?:a|ab)+c", "", "aabc", Some("aabc")),
    ("(a*)*", "", "aab", Some("aa")),
    ("(a*)+", "", "b", Some("")),
    ("(?:a*)*b", "", "aab", Some("aab")),
    ("(|a)+", "", "a", Some("a")),
    ("(|a)*", "", "a", Some("a")),
    ("(?:|a){2}", "", "aa", Some("")),
    ("(?:|a){2,3}", "", "aa", Some("a")),
    ("(?:a?)*?b", "", "ab", Some("ab")),
    ("(?:a?){3}", "", "aa", Some("aa")),
    ("(?:(?:){9}){9}a", "", "a", Some("a")),
    ("(z)((a+)?(b+)?(c))*", "", "zaacbbbcac", Some("zaacbbbcac")),
    ("(?:a{2}){2}", "", "aaaaa", Some("aaaa")),
    ("x*y+$", "", "xxyyx", None),
    ("é+", "", "aééb", Some("éé")),
    ("[^x]*é", "", "aéébx", Some("aéé")),
    ("a{1,3}a", "", "aaa", Some("aaa")),
    ("a{1,3}?a", "", "aaa", Some("aa")),
    ("\\d{3}-\\d{4}", "", "tel 555-1234", Some("555-1234")),
    ("(?:a+b?)+c", "", "aababc", Some("aababc")),
    ("mcp__.*__write", "", "mcp__fs__write", Some("mcp__fs__write")),
];

const GROUPS: &[Row] = &[
    ("(a)\\1", "", "aa", Some("aa")),
    ("(a)\\1", "", "ab", None),
    ("(a|b)\\1", "", "abb", Some("bb")),
    ("(.)(.)\\2\\1", "", "xabba", Some("abba")),
    ("\\1(a)", "", "aa", Some("a")),
    ("(a\\1)", "", "aa", Some("a")),
    ("(?:(a)|b)\\1", "", "b", Some("b")),
    ("(?:(a)|b)*\\1", "", "ab", Some("ab")),
    ("(?:(a)|(b))+\\1$", "", "ab", Some("ab")),
    ("(?:(a)|(b))+\\1$", "", "aba", None),
    ("(?:(a)|(b))+\\1$", "", "abaa", Some("abaa")),
    ("(?<x>a)\\k<x>", "", "aa", Some("aa")),
    ("\\k<x>(?<x>a)", "", "aa", Some("a")),
    ("(?<x>a)(?<y>b)\\k<y>\\k<x>", "", "abba", Some("abba")),
    ("(?<x>a)\\1", "", "aa", Some("aa")),
    ("(a+)-\\1", "", "aaa-aa", Some("aa-aa")),
    ("(a*)b\\1+", "", "baaaac", Some("b")),
    ("(?=(a+))a*b\\1", "", "baaabac", Some("aba")),
    ("(?=(a+))", "", "baaabac", Some("")),
    ("(.*?)a(?!(a+)b\\2c)\\2(.*)", "", "baaabaac", Some("baaabaac")),
    ("(ä)\\1", "i", "äÄ", Some("äÄ")),
    ("(a)\\1", "i", "aA", Some("aA")),
    ("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10", "", "abcdefghijj", Some("abcdefghijj")),
    ("(a)\\10", "", "a\u{8}", Some("a\u{8}")),
    ("(\\2)(b)", "", "b", Some("b")),
    ("(a(b)?)+\\2", "", "aba", Some("aba")),
    ("((a)|b){2}\\2c", "", "abc", Some("abc")),
    ("((a)|b){2}\\2c", "", "bac", None),
    ("((a)|b){2}\\2c", "", "baac", Some("baac")),
];

const LOOKS: &[Row] = &[
    ("a(?=b)", "", "acab", Some("a")),
    ("a(?!b)", "", "ab", None),
    ("a(?!b).", "", "abac", Some("ac")),
    ("(?!foo)\\b\\w+", "", "foo bar", Some("bar")),
    ("(?=a)*b", "", "b", Some("b")),
    ("(?=a)+b", "", "ab", None),
    ("(?=(a))\\1b", "", "ab", Some("ab")),
    ("(?!(a))b\\1", "", "b", Some("b")),
    ("(?=a|ab)ab$", "", "ab", Some("ab")),
    ("(?=a+)a{2}b", "", "aab", Some("aab")),
    ("^(?!.*rm -rf).*$", "", "ls -la", Some("ls -la")),
    ("^(?!.*rm -rf).*$", "", "x; rm -rf /", None),
    ("^(?!mcp__)", "", "mcp__a", None),
    ("^(?!mcp__)\\w+", "", "Bash", Some("Bash")),
    ("(?<=a)b", "", "bab", Some("b")),
    ("(?<=a)b", "", "bb", None),
    ("(?<!a)b", "", "abb", Some("b")),
    ("(?<!a)b", "", "ab", None),
    ("(?<=\\$)\\d+", "", "a5 $42", Some("42")),
    ("(?<=a.*)c", "", "abbc", Some("c")),
    ("(?<=a+)b", "", "aab", Some("b")),
    ("(?<=ab|xyz)c", "", "xyzc", Some("c")),
    ("(?<=^|,)b", "", "a,b", Some("b")),
    ("(?<=(\\d+)(\\d+))$", "", "1053", Some("")),
    ("(?<=(\\d+)(\\d+))=\\1", "", "1053=1", Some("=1")),
    ("(?<=(\\d+)(\\d+))=\\1", "", "1053=105", Some("=1")),
    ("(?<=(\\d+)(\\d+))=\\2$", "", "1053=053", Some("=053")),
    ("(?<=\\1(a))b", "", "aab", Some("b")),
    ("(?<=\\1(a))b", "", "ab", None),
    ("(?<=(a)\\1)b", "", "ab", Some("b")),
    ("(?<=(?=ab)a)b", "", "ab", Some("b")),
    ("(?<!(?<!a)b)c", "", "abc", Some("c")),
    ("(?<!(?<!a)b)c", "", "bc", None),
    ("(?<=é)b", "", "éb", Some("b")),
    ("(?<=^ab)c", "", "abc", Some("c")),
    ("(?<=ab{2,3})c", "", "abbc", Some("c")),
    ("(?<=a(?:bc){2})d", "", "abcbcd", Some("d")),
    ("(?<![\\w-])rm(?![\\w-])", "", "xrm rm-x rm", Some("rm")),
];

const CASE: &[Row] = &[
    ("abc", "i", "xABC", Some("ABC")),
    ("ABC", "i", "abc", Some("abc")),
    ("[a-c]+", "i", "ABCD", Some("ABC")),
    ("[^a]", "i", "A", None),
    ("ä", "i", "Ä", Some("Ä")),
    ("[ä]", "i", "Ä", Some("Ä")),
    ("σ", "i", "ς", Some("ς")),
    ("ß", "i", "SS", None),
    ("k", "i", "\u{212A}", None),
    ("s", "i", "\u{17F}", None),
    ("[_-z]", "i", "B", Some("B")),
    ("[Z-a]+", "i", "zA^", Some("zA^")),
    ("\\w", "i", "\u{17F}", None),
    ("\\W", "i", "S", None),
    ("а", "i", "А", Some("А")),
    ("a-1", "i", "A-1", Some("A-1")),
];

/// Newer than the engine the rows were checked with, or an extension.
const NEWER: &[Row] = &[
    ("(?i:a)b", "", "Ab", Some("Ab")),
    ("(?i:a)b", "", "AB", None),
    ("(?-i:a)b", "i", "aB", Some("aB")),
    ("(?-i:a)b", "i", "AB", None),
    ("(?s:.)", "", "\n", Some("\n")),
    ("(?s:.).", "", "\n\n", None),
    ("(?m:^)a", "", "b\na", Some("a")),
    ("(?m:^)a$", "", "b\na\n", None),
    ("(?i-s:A.)", "s", "a\n", None),
    ("(?i-:A)", "", "a", Some("a")),
    ("(?i:a(?-i:b))c", "", "Abc", Some("Abc")),
    ("(?i:a(?-i:b))c", "", "ABc", None),
    ("(?i)abc", "", "ABC", Some("ABC")),
    ("(?im)^b|C", "", "a\nB", Some("B")),
    ("(?i)a|b", "", "B", Some("B")),
    ("\\u{1F600}", "", "a😀", Some("😀")),
    ("\\u{61}", "", "a", Some("a")),
    ("[\\u{1F600}-\\u{1F64F}]", "", "😃", Some("😃")),
    ("\\ud83d\\ude00", "", "😀", Some("😀")),
    ("^.$", "", "😀", Some("😀")),
    ("[^a]{2}", "", "😀😀", Some("😀😀")),
    ("(?<=😀)b", "", "😀b", Some("b")),
    ("\\ud83d", "", "😀", None),
    ("𐐨", "i", "𐐀", Some("𐐀")),
];

fn check(rows: &[Row]) {
    for &(source, letters, text, expected) in rows {
        assert_eq!(found(source, letters, text), expected, "/{source}/{letters} on {text:?}");
    }
}

#[test]
fn literals_and_alternatives() {
    check(LITERALS);
}

#[test]
fn classes() {
    check(CLASSES);
}

#[test]
fn escapes() {
    check(ESCAPES);
}

#[test]
fn anchors_and_boundaries() {
    check(ANCHORS);
}

#[test]
fn quantifiers() {
    check(QUANTIFIERS);
}

#[test]
fn groups_and_back_references() {
    check(GROUPS);
}

#[test]
fn look_around() {
    check(LOOKS);
}

#[test]
fn ignoring_case() {
    check(CASE);
}

#[test]
fn modifiers_and_wide_characters() {
    check(NEWER);
}
