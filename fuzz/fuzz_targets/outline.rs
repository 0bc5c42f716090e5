//! A file of any language: scanned and parsed, its outline within every budget. The first byte chooses the language.
#![no_main]

use sprag_code::extract::{self, Depth};
use sprag_code::parse::Limits;
use sprag_code::{language, outline};
use std::path::PathBuf;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let row = &language::TABLE[usize::from(*first) % language::TABLE.len()];
    let Some(extension) = row.extensions.first() else { return };
    let path = PathBuf::from(format!("file.{extension}"));
    for depth in [Depth::Symbols, Depth::Calls] {
        let Ok(read) = extract::file(&path, text, Limits::QUICK, depth) else { continue };
        let lines = read.source.lines();
        for (number, symbol) in read.facts.symbols.iter().enumerate() {
            assert!(symbol.parent.is_none_or(|parent| (parent as usize) < number), "a symbol is inside an earlier one");
            assert!(symbol.line >= 1 && symbol.line <= lines.max(1), "{} of {lines}", symbol.line);
        }
        for budget in [0, 60, 2_000] {
            let outline = outline::within(&read.facts, read.language, budget);
            assert!(outline.listed + outline.left_out == read.facts.symbols.len(), "every symbol is counted");
        }
    }
});
