//! The functions of a file: control flow, data flow and slices, as text and JSON. The first byte chooses the language.
#![no_main]

use sprag_code::flow::{self, Direction};
use sprag_code::parse::{self, Limits};
use sprag_code::language;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let language = language::TABLE[usize::from(*first) % language::TABLE.len()].language;
    let Ok(parsed) = parse::text(language, &String::from_utf8_lossy(text), Limits::QUICK) else { return };
    for place in flow::functions(&parsed).iter().take(8) {
        let Some(analysis) = flow::Analysis::new(&parsed, place) else { continue };
        let _ = analysis.cfg_text(&parsed.source, 0, &place.name);
        let _ = analysis.cfg_json(&parsed.source, 0, &place.name);
        let _ = analysis.dfg_text(0, &place.name);
        let _ = analysis.dfg_json(0, &place.name);
    }
    for line in [1, parsed.source.lines() / 2, parsed.source.lines()] {
        let Ok(found) = flow::around(&parsed, line, None) else { continue };
        for direction in [Direction::Backward, Direction::Forward] {
            let Ok(lines) = found.analysis.slice(line, None, direction) else { continue };
            assert!(lines.contains(&line), "a slice has its own line");
            let _ = found.analysis.slice_text(&parsed.source, &found.name, &lines, line, direction);
        }
    }
});
