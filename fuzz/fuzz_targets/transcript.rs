//! A transcript that an agent, or somebody else, wrote: by every agent's reader, as lines and as one
//! document, from its beginning and its end.
#![no_main]

use sprag_protocol::AgentId;
use sprag_protocol::transcript::Facts;
use sprag_transcript::{Cursor, Reader};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // Every agent's reader of lines, also for lines that are not its own.
    for line in data.split(|byte| *byte == b'\n').take(200) {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
        for agent in AgentId::ALL {
            let Some(format) = &agent.spec().transcript.format else { continue };
            let _ = ((format.is_own)(&value), (format.read)(&value, &mut Facts::default()));
        }
    }
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
