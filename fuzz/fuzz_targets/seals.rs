//! A journal and its seals, both as somebody else may have left them: comparing them ends, and says something.
#![no_main]

use sprag_base::env::Env;
use sprag_base::paths::Paths;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = std::env::temp_dir().join(format!("sprag-fuzz-seals-{}", std::process::id()));
    let paths = Paths::from_env(&Env::Fixed([("HOME".to_owned(), folder.to_string_lossy().into_owned())].into()));
    let (journal, seals) = data.split_at(data.len() / 2);
    if std::fs::create_dir_all(&paths.state).is_ok() {
        let _ = std::fs::write(paths.state.join("journal.jsonl"), journal);
        let _ = std::fs::write(sprag_runtime::seal::file(&paths), seals);
        let _ = sprag_runtime::seal::verify(&paths, None);
    }
});
