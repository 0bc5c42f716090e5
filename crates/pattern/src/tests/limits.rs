//! Limits on patterns and on matching: large input ends with an error or an answer, never with a long wait.
//! The tests look at how a match ends, not at the clock.

use crate::{DEFAULT_STEP_LIMIT, MAX_NESTING, MAX_PATTERN_LEN, MatchResult, Pattern, StepLimit};

fn compile(source: &str) -> Pattern {
    Pattern::compile(source).unwrap_or_else(|e| panic!("{source}: {e}"))
}

#[test]
fn long_patterns_are_rejected() {
    assert!(Pattern::compile(&"a".repeat(MAX_PATTERN_LEN)).is_ok());
    let error = Pattern::compile(&"a".repeat(MAX_PATTERN_LEN + 1)).unwrap_err();
    assert!(error.message.contains("longer than"), "{error}");
}

#[test]
fn deep_nesting_is_rejected() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Pattern::compile(&nested(MAX_NESTING)).is_ok());
    let error = Pattern::compile(&nested(MAX_NESTING + 1)).unwrap_err();
    assert!(error.message.contains("nested deeper"), "{error}");
    assert_eq!(error.offset, MAX_NESTING);
    assert!(Pattern::compile(&"(".repeat(MAX_PATTERN_LEN)).is_err());
}

#[test]
fn large_expansions_are_rejected() {
    for source in [
        "(?:ab){10002}", "(?:ab){0,9999}", "(?:(?:ab){100}){101}", "(?:a|b){99999999999}",
        "(?:(a)\\1){1,4000}",
    ] {
        let error = Pattern::compile(source).expect_err(source);
        assert!(error.message.contains("too large"), "{source}: {error}");
    }
    // Single characters need no copies, and nothing stays nothing.
    for source in
        ["a{100000}", "\\w{1,99999999999}", "(?:){1000000}", "(?:(?:a{0}){9999}){0,9999}", "(?:ab){4999}"]
    {
        compile(source);
    }
    // Nested endless loops must not double with each level.
    compile(&format!("{}a*{}", "(?:".repeat(90), ")+".repeat(90)));
}

#[test]
fn catastrophic_patterns_end() {
    let text = "a".repeat(10_000);
    for source in [
        "(a+)+$[^a]", "(a+)+[^a]", "(a|a)*[^a]", "^(?:(?:a+)+)+(?!a|$)", "(?:a?){50}a{50}[^a]",
        "(.*)(.*)(.*)(.*)[^a]", "(?=(a+)+[^a])", "(?<=^[^a](?:a+)+)", "(?!(?:a|a)*[^a])(?:a|a)*[^a]",
        "(a*)\\1\\1[^a]", "(?i)(a*)\\1\\1[^a]", "(?:a*)*[^a]", "(?:|a|aa)+[^a]", "a*a*a*a*a*[^a]",
        "a*?a*?a*?a*?[^a]",
    ] {
        assert_eq!(compile(source).is_match(&text), MatchResult::StepLimit, "{source}");
    }
    for source in ["(a+)+$", "^(?:(?:a+)+)+(?!b)$"] {
        assert_ne!(compile(source).is_match(&text), MatchResult::No, "{source}");
    }
    // The literal that must occur does not, so nothing is tried.
    assert_eq!(compile("(a|a)*b").is_match(&text), MatchResult::No);
    assert_eq!(compile("(a+)+bc").is_match(&text), MatchResult::No);
}

#[test]
fn ordinary_patterns_stay_within_the_limit_on_long_text() {
    let text = "the quick brown fox; ".repeat(500);
    for (source, expected) in [
        ("\\bfox\\b.*\\bwolf", MatchResult::No),
        ("[A-Z]\\w+", MatchResult::No),
        ("(?:quick|slow) +red", MatchResult::No),
        (".*fox: \\d", MatchResult::No),
        ("\\d{3}-\\d{4}", MatchResult::No),
        ("fox; $", MatchResult::Yes),
        ("(?i)QUICK\\s+Brown", MatchResult::Yes),
    ] {
        assert_eq!(compile(source).is_match(&text), expected, "{source}");
    }
}

#[test]
fn the_limit_is_the_callers() {
    let pattern = compile("(?:a|b)*c");
    assert_eq!(pattern.is_match_within("ababab", 3), MatchResult::StepLimit);
    assert_eq!(pattern.is_match_within("ababab", 1_000), MatchResult::No);
    assert_eq!(pattern.find("xabc", 2), Err(StepLimit));
    assert_eq!(pattern.find("xabc", DEFAULT_STEP_LIMIT), Ok(Some(1..4)));
    assert_eq!(pattern.is_match_within("", 0), MatchResult::No);
    assert_eq!(compile("").is_match_within("", 0), MatchResult::StepLimit);
}
