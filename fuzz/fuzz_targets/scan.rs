//! A text that a tool gave back: scanned for secrets and for injections. What was taken out stays out, and a finding's
//! line is one of the text's.
#![no_main]

use sprag_scan::{injection, scrub};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let once = scrub::scrub(&text);
    assert_eq!(scrub::scrub(&once), once);
    let lines = text.lines().count().max(1) + 1;
    for finding in injection::scan(&text) {
        assert!(finding.line as usize <= lines && finding.score >= injection::THRESHOLD);
    }
});
