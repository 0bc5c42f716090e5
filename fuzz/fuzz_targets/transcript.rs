//! A transcript that an agent, or somebody else, wrote: as lines and as one document, from its beginning and its end.
#![no_main]

use sprag_transcript::{Cursor, Reader};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = std::env::temp_dir().join(format!("sprag-fuzz-transcript-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&folder);
    for name in ["session.jsonl", "session.json"] {
        let path = folder.join(name);
        if std::fs::write(&path, data).is_err() {
            return;
        }
        if let Ok(reader) = Reader::open(&path, Cursor::default()) {
            let _ = reader.take(10_000).count();
        }
        if let Ok(reader) = Reader::tail(&path, data.len() as u64 / 2) {
            let _ = reader.take(10_000).count();
        }
    }
});
