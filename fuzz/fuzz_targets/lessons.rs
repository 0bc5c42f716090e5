//! Lessons from elsewhere: a manifest or a list that is imported, compiled and asked; and a compiled index that is damaged.
#![no_main]

use sprag_lessons::import;
use sprag_lessons::index::{Call, Index, Limits, Options, Places, build};
use sprag_lessons::model::Lesson;
use std::sync::OnceLock;

const WHOLE: &str = include_str!("../seeds/lessons/manifest.json");

/// A compiled index of a few lessons.
fn whole() -> &'static Vec<u8> {
    static WHOLE_INDEX: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE_INDEX.get_or_init(|| compiled(WHOLE).unwrap_or_default())
}

fn compiled(text: &str) -> Option<Vec<u8>> {
    let lessons = import::json_text(text).ok()?.lessons.into_iter().enumerate();
    let lessons: Vec<Lesson> = lessons.map(|(number, lesson)| lesson.settled(|| format!("id-{number}"))).collect();
    Some(build(&lessons, Options::default()).bytes)
}

fn ask(index: &Index, command: &str) {
    for command in ["", command, "git stash", "npm install left-pad"] {
        let call = Call {
            names: vec!["Bash", "Edit", "Write"],
            command,
            paths: vec!["src/main.rs".to_owned(), command.to_owned()],
            content: "content".to_owned(),
            executable: &|| command.to_owned(),
            places: Places { paths: vec!["/home/dev/shop".to_owned()], remote: &|| None },
        };
        let found = index.find(&call, Limits { steps: 10_000, rules: 200 });
        for rank in found.guards.iter().chain(&found.hints) {
            let _ = index.entry(*rank);
        }
    }
    let _ = index.at_start();
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Some(bytes) = compiled(&text) {
        let index = Index::from_bytes(bytes).expect("what was just compiled is read");
        ask(&index, "git push --force");
    }
    if let Ok(index) = Index::from_bytes(data.to_vec()) {
        ask(&index, "git stash");
    }
    // Bytes of the body have no checksum of their own: each piece is checked as it is read.
    let mut bytes = whole().clone();
    for change in data.chunks_exact(3) {
        let at = usize::from(change[0]) << 8 | usize::from(change[1]);
        let len = bytes.len();
        bytes[at % len] = change[2];
    }
    if let Ok(index) = Index::from_bytes(bytes) {
        ask(&index, &text);
    }
});
