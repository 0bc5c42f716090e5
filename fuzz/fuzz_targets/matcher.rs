//! A matcher and a value, split at the first line's end.
#![no_main]

use sprag_pattern::{Matcher, Pattern};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (pattern, value) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(pattern) = Pattern::compile(pattern) {
        let _ = pattern.is_match(value);
    }
    for parse in [Matcher::parse, Matcher::parse_narrow] {
        let Ok(parsed) = parse(pattern) else { continue };
        let matched = parsed.matches(value);
        // Its own text means the same when the same grammar reads it again.
        if let Ok(again) = parse(&parsed.source()) {
            assert_eq!(again.matches(value), matched, "{pattern:?} on {value:?}");
        }
        let union = Matcher::union(&[&parsed, &parsed]);
        assert!(union.matches(value) || !matched, "{pattern:?} on {value:?}");
    }
});
