//! A command line, from its text to its explanation.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sprag_rules::fuzz_one(data));
