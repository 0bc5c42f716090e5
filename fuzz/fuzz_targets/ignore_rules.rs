//! A file of ignore rules and a path, split at the last line's end.
#![no_main]

use sprag_base::glob::{IgnoreRules, Ignored, matches};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (rules, path) = text.rsplit_once('\n').unwrap_or(("", &text));
    let parsed = IgnoreRules::parse(rules);
    let said = parsed.check(path, false);
    if parsed.is_empty() {
        assert_eq!(said, Ignored::No);
    }
    let _ = parsed.check(path, true);
    let _ = matches(rules, path);
});
