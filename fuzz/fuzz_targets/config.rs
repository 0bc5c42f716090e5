//! A configuration file: read with its errors, and every error says something.
#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (_, errors) = sprag_config::parse::parse(text, Path::new("config.toml"), &[]);
    for error in errors {
        assert!(!error.to_string().is_empty());
    }
});
