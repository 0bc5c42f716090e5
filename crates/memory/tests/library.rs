//! Keeping and finding memories, on both databases.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use sprag_memory::recall::vectors::VectorFile;
use sprag_memory::recall::{Draft, Embedder, Library, Question, Remembered};
use sprag_store::{Opening, Reach, Store, Target, testing};
use std::path::Path;

const NOW: i64 = 1_794_768_642_000_000;

fn on_each(test: impl Fn(&str, &Target, &Path)) {
    let dir = tempfile::tempdir().unwrap();
    test("sqlite", &Target::Sqlite(dir.path().join("sprag.db")), dir.path());
    if let Some(server) = testing::server() {
        let dir = tempfile::tempdir().unwrap();
        test("postgres", &server.target(), dir.path());
    }
}

fn library(target: &Target, state: &Path) -> Library {
    Library::new(Store::open(target, Opening::WORKER).unwrap(), state, Embedder::local())
}

fn draft(text: &str) -> Draft {
    Draft { text: text.into(), ..Draft::default() }
}

fn ask(library: &mut Library, text: &str) -> Vec<String> {
    let question = Question { text: text.into(), most: 3, ..Question::default() };
    library.recall(&question, NOW).unwrap().into_iter().map(|found| found.memory.is.text).collect()
}

const HANG: &str = "Vitest waits for a keypress in watch mode when no TTY is attached; pass --run in CI.";
const PNPM: &str = "This monorepo uses pnpm workspaces; npm install breaks the lockfile.";
const CLOCK: &str = "The reminder spec failed around midnight; freeze the clock instead of calling Date.now.";

#[test]
fn found_by_words_and_by_meaning_as_soon_as_it_is_kept() {
    on_each(|name, target, state| {
        let mut writer = library(target, state);
        for text in [HANG, PNPM, CLOCK] {
            assert!(matches!(writer.remember(&draft(text), NOW).unwrap(), Remembered::New(_)), "{name}");
        }
        let mut reader = library(target, state);
        assert_eq!(ask(&mut reader, "pnpm lockfile")[0], PNPM, "{name}");
        assert_eq!(ask(&mut reader, "our suite hangs forever on the build server")[0], HANG, "{name}");
        assert_eq!(ask(&mut reader, "which package manager do I use to add a library")[0], PNPM, "{name}");
        assert!(ask(&mut reader, "?!() & | :* \"").len() <= 3, "{name}: punctuation alone is safe");
    });
}

#[test]
fn fault_of_the_reference_duplicates_across_sessions_are_kept_once() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        let session = |session: &str, text: &str| Draft { session: session.into(), ..draft(text) };
        let first = library.remember(&session("one", "Always run the linter before you push"), NOW).unwrap();
        let again =
            library.remember(&session("two", "always run  the linter\nbefore you push"), NOW + 1).unwrap();
        assert_eq!(again, Remembered::Same(first.id().to_owned()), "{name}");
        let near =
            library.remember(&session("two", "Always run the linter before pushing"), NOW + 2).unwrap();
        assert_eq!(near, Remembered::Near(first.id().to_owned()), "{name}");
        assert!(matches!(
            library.remember(&draft("The API listens on port 3000"), NOW).unwrap(),
            Remembered::New(_)
        ));
        let other = library.remember(&draft("The API listens on port 4000"), NOW).unwrap();
        assert!(matches!(other, Remembered::New(_)), "{name}: another number is another fact");
    });
}

#[test]
fn an_edit_and_forgetting_are_seen_at_once() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        let id = library.remember(&draft(HANG), NOW).unwrap().id().to_owned();
        assert!(library.edit(&id, Some(1), &draft(PNPM), NOW + 1).unwrap());
        assert_eq!(ask(&mut library, "package manager"), [PNPM], "{name}");
        assert!(
            !library.edit(&id, Some(1), &draft(CLOCK), NOW + 2).unwrap(),
            "{name}: an old version was seen"
        );
        library.store().forget_memories(std::slice::from_ref(&id)).unwrap();
        assert!(ask(&mut library, "package manager").is_empty(), "{name}");
    });
}

#[test]
fn other_projects_memories_are_out_of_reach() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        let shop = Draft { scope: "project".into(), place: "shop".into(), ..draft(PNPM) };
        library.remember(&shop, NOW).unwrap();
        let mut count = |project: &str| {
            let reach = Reach { project: project.into(), ..Reach::default() };
            let question = Question { text: "pnpm".into(), reach, most: 3, ..Question::default() };
            library.recall(&question, NOW).unwrap().len()
        };
        assert_eq!((count("shop"), count("blog"), count("")), (1, 0, 0), "{name}");
    });
}

#[test]
fn the_vectors_file_is_made_anew_when_it_is_lost_damaged_or_another_stores() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        for text in [HANG, PNPM, CLOCK] {
            library.remember(&draft(text), NOW).unwrap();
        }
        let path = state.join("memory/vectors.bin");
        let whole = std::fs::read(&path).unwrap();
        let question = "suite hangs forever on the build server";
        for damage in ["gone", "torn", "rubbish", "other"] {
            match damage {
                "gone" => std::fs::remove_file(&path).unwrap(),
                // As a writer that dies leaves it: the last record is cut off.
                "torn" => std::fs::write(&path, &whole[..whole.len() - 7]).unwrap(),
                "rubbish" => std::fs::write(&path, b"SPRGVEC1 and nothing else").unwrap(),
                _ => {
                    let mut bytes = whole.clone();
                    bytes[20] ^= 1;
                    std::fs::write(&path, bytes).unwrap();
                }
            }
            assert_eq!(ask(&mut library, question)[0], HANG, "{name}: {damage}");
            assert_eq!(std::fs::read(&path).unwrap().len(), whole.len(), "{name}: {damage}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
    });
}

#[test]
fn what_is_gone_leaves_the_file_when_it_is_tidied_and_nothing_leaves_no_file() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        let ids: Vec<String> = [HANG, PNPM, CLOCK]
            .iter()
            .map(|text| library.remember(&draft(text), NOW).unwrap().id().to_owned())
            .collect();
        library.store().forget_memories(&ids[..2]).unwrap();
        library.tidy().unwrap();
        assert_eq!(VectorFile::new(state).records(), 1, "{name}");
        library.store().forget_memories(&ids[2..]).unwrap();
        library.tidy().unwrap();
        assert!(!VectorFile::new(state).exists(), "{name}: nothing to recall costs nothing");
    });
}

#[test]
fn memories_of_another_machine_or_an_import_are_embedded_by_the_background() {
    on_each(|name, target, state| {
        let mut store = Store::open(target, Opening::WORKER).unwrap();
        let new = draft(HANG).clean(NOW).unwrap();
        store.add_memory(&new, NOW).unwrap();
        let mut library = library(target, state);
        assert_eq!(library.embed_missing(100, &mut |_| ()).unwrap(), 1, "{name}");
        assert_eq!(library.embed_missing(100, &mut |_| ()).unwrap(), 0, "{name}");
        assert_eq!(ask(&mut library, "our suite hangs forever on the build server"), [HANG], "{name}");
    });
}

#[test]
fn vectors_of_another_model_are_replaced() {
    on_each(|name, target, state| {
        let mut library = library(target, state);
        library.remember(&draft(HANG), NOW).unwrap();
        let seq = library.store().vectors_after(sprag_encoder::MODEL, 0, 1).unwrap()[0].seq;
        library.store().put_vectors("older-model", &[(seq, 1.0, vec![1, 2, 3])]).unwrap();
        library.embed_missing(10, &mut |_| ()).unwrap();
        // On a server, another machine may still use the other model.
        let kept = i64::from(name == "postgres");
        assert_eq!(library.store().count_vectors("older-model").unwrap(), kept, "{name}");
        assert_eq!(library.store().count_vectors(sprag_encoder::MODEL).unwrap(), 1, "{name}");
    });
}
