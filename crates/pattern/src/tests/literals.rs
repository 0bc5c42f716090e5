//! The strings a pattern requires.
//! That they are truly required is also tested with generated patterns in `properties`.

use super::flags;
use crate::{MatchResult, Pattern};

fn required(source: &str, letters: &str) -> Vec<String> {
    let pattern = Pattern::compile_with(source, flags(letters)).unwrap();
    pattern.required_literals().map(<[String]>::to_vec).unwrap_or_default()
}

#[test]
fn known_for_literal_parts() {
    for (source, expected) in [
        ("abc", vec!["abc"]),
        ("^Bash$", vec!["Bash"]),
        ("Edit|Write", vec!["Edit", "Write"]),
        ("(?:Multi)?Edit", vec!["MultiEdit", "Edit"]),
        ("mcp__.*__write", vec!["__write"]),
        ("\\bfoo\\b.*bar", vec!["foo"]),
        ("a+hello", vec!["hello"]),
        ("x(?:ab|cd)y", vec!["xaby", "xcdy"]),
        ("gr[ae]y", vec!["gray", "grey"]),
        ("(?=secret).*", vec!["secret"]),
        ("(foo)\\1", vec!["foo"]),
        ("(?:foo){2,}", vec!["foo"]),
    ] {
        let mut expected: Vec<&str> = expected;
        // "Edit" is in "MultiEdit", so the longer one adds nothing.
        if source.contains("Multi") {
            expected.remove(0);
        }
        assert_eq!(required(source, ""), expected, "{source}");
    }
    assert_eq!(required("rm", "i"), ["rm", "rM", "Rm", "RM"]);
}

#[test]
fn unknown_where_nothing_is_required() {
    for source in
        ["", ".*", "a*", "a?", "foo|", "foo|.", "(?!foo)", "[^a]", "\\w+", "(?:foo)*", "\\1(a?)", "[]"]
    {
        assert_eq!(required(source, ""), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn long_words_in_any_case_stay_bounded() {
    let literals = required("password.*confirmation", "i");
    assert!(!literals.is_empty() && literals.len() <= 32);
    let pattern = Pattern::compile("(?i)password.*confirmation").unwrap();
    let text = format!("{}PassWord and Confirmation", "x".repeat(200));
    assert_eq!(pattern.is_match(&text), MatchResult::Yes);
}

#[test]
fn the_prefilter_answers_without_steps() {
    let pattern = Pattern::compile("needle\\d+").unwrap();
    assert_eq!(pattern.is_match_within(&"hay needl ".repeat(1000), 0), MatchResult::No);
}
