//! A matcher and a value, split at the first line's end.
#![no_main]

use sprag_engine::pattern::{Matcher, Pattern};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (pattern, value) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(pattern) = Pattern::compile(pattern) {
        let _ = pattern.is_match(value);
    }
    for parsed in [Matcher::parse(pattern), Matcher::parse_narrow(pattern)].into_iter().flatten() {
        let matched = parsed.matches(value);
        // Its own text means the same when it is read again.
        if let Ok(again) = Matcher::parse(&parsed.source()) {
            assert_eq!(again.matches(value), matched, "{pattern:?} on {value:?}");
        }
        let _ = Matcher::union(&[&parsed, &parsed]);
    }
});
