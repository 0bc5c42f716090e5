//! What is rejected, with a message that says what and where; and what looks wrong but is accepted.

use crate::Pattern;

/// Pattern, part of the message, byte offset.
const REJECTED: &[(&str, &str, usize)] = &[
    ("(", "never closed", 0),
    ("a(b", "never closed", 1),
    (")", "closes no group", 0),
    ("é)", "closes no group", 2),
    ("[", "never closed", 0),
    ("a[b", "never closed", 1),
    ("[a\\", "never closed", 0),
    ("[b-a]", "out of order", 1),
    ("[a-\\-]", "out of order", 1),
    ("\\", "ends in", 0),
    ("ab\\", "ends in", 2),
    ("*", "nothing before it to repeat", 0),
    ("a|*", "nothing before it to repeat", 2),
    ("a**", "nothing before it to repeat", 2),
    ("a+*", "nothing before it to repeat", 2),
    ("a???", "nothing before it to repeat", 3),
    ("^*", "nothing before it to repeat", 1),
    ("$+", "nothing before it to repeat", 1),
    ("\\b+", "nothing before it to repeat", 2),
    ("(?<=a)*", "nothing before it to repeat", 6),
    ("(?<!a){2}", "nothing before it to repeat", 6),
    ("{1}", "nothing before it to repeat", 0),
    ("x{2}{3}", "nothing before it to repeat", 4),
    ("a{3,2}", "out of order", 1),
    ("(?", "unknown `(?`", 0),
    ("(?a)", "unknown `(?`", 0),
    ("(?>a)", "unknown `(?`", 0),
    ("(?#a)", "unknown `(?`", 0),
    ("(?<", "group name", 0),
    ("(?<1a>x)", "group name", 0),
    ("(?<>x)", "group name", 0),
    ("(?<a-b>x)", "group name", 0),
    ("(?P<a>x)", "(?<name>", 0),
    ("(?<a>x)(?<a>y)", "two groups", 7),
    ("(?<a>x)\\k", "needs the name", 7),
    ("(?<a>x)\\k<a", "needs the name", 7),
    ("(?<a>x)\\k<b>", "no group is named `b`", 7),
    ("(?<a>x)[\\k]", "no meaning", 9),
    ("(?-:a)", "flags", 0),
    ("(?ii:a)", "twice", 3),
    ("(?i-i:a)", "twice", 4),
    ("(?x:a)", "unknown `(?`", 0),
    ("(?iz:a)", "flags", 0),
    ("a(?i)b", "at the very start", 1),
];

#[test]
fn rejected_with_message_and_place() {
    for &(source, part, offset) in REJECTED {
        let error = Pattern::compile(source).expect_err(source);
        assert!(error.message.contains(part), "{source}: {error}");
        assert_eq!(error.offset, offset, "{source}: {error}");
        assert!(error.to_string().contains("byte"), "{error}");
    }
}

#[test]
fn accepted_for_old_patterns() {
    for source in [
        "]", "}", "{", "a{", "a{1", "a{1,", "a{,1}", "{,1}", "{a}", "\\8", "\\1", "\\c", "[\\c]", "\\x",
        "\\u", "\\k", "\\k<a>", "(?=a)*", "(?!a)+", "[]", "[^]", "()", "(|)", "(?:)", "[\\d-z]", "\\-",
        "\\é", "(?<é>a)", "(?<$_1>a)\\k<$_1>",
    ] {
        assert!(Pattern::compile(source).is_ok(), "{source}");
    }
}
