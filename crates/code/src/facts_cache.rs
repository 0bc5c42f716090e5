//! The facts of a text without parsing it: the project's index has those of its files, and those of a text that was
//! asked for before are cached. Both go by the hash of the content, so that an answer is never of another version.

use crate::extract;
use crate::facts::Facts;
use crate::index;
use crate::language::Language;
use crate::parse::{self, Limits, ParseError};
use crate::scanner;
use crate::source::Source;
use sprag_base::files;
use std::io;
use std::path::{Path, PathBuf};

/// A text and its facts.
#[derive(Debug)]
pub struct FileFacts {
    /// The language.
    pub language: Language,
    /// The text.
    pub source: Source,
    /// Its facts without the calls.
    pub facts: Facts,
}

/// The cache of facts, for texts of one project.
#[derive(Clone, Copy, Debug)]
pub struct FactsCache<'a> {
    /// sprag's state.
    pub state: &'a Path,
    /// The project's root.
    pub root: &'a Path,
}

/// What another release of the program kept is not found: it may see less in a text, or more.
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// Bytes of all that is kept; half of it is removed when it is more.
const MAX_CACHE_BYTES: u64 = 32 << 20;

impl FactsCache<'_> {
    /// The facts of a file's bytes. `path` is absolute.
    pub fn facts(&self, path: &Path, bytes: &[u8], limits: Limits) -> Result<FileFacts, ParseError> {
        let source = Source::new(bytes, limits.bytes)?;
        let language = Language::of(path, &source.text).ok_or(ParseError::NoLanguage)?;
        // The scanner takes less time than a lookup.
        if let Some(facts) = scanner::outline(language, &source) {
            return Ok(FileFacts { language, source, facts });
        }
        // Beyond the smaller limit, what is read of a text depends on who asks.
        if bytes.len() > Limits::QUICK.bytes {
            return parsed(language, source, limits);
        }
        let hash = index::hash(bytes);
        let place = self.place(hash, language);
        if let Some(facts) = kept(&place) {
            return Ok(FileFacts { language, source, facts });
        }
        if let Some(facts) = self.indexed(path, hash, language) {
            return Ok(FileFacts { language, source, facts });
        }
        let known = parsed(language, source, limits)?;
        // What cannot be kept is parsed again, nothing else.
        let _ = self.keep(&place, hash, &known.facts);
        Ok(known)
    }

    fn indexed(&self, path: &Path, hash: [u8; 16], language: Language) -> Option<Facts> {
        let inside = path.strip_prefix(self.root).ok()?.to_str()?.replace('\\', "/");
        let (of, facts) = index::content::facts(self.state, self.root, &inside, hash)?;
        (of == language).then_some(facts)
    }

    fn folder(&self) -> PathBuf {
        self.state.join("code").join("texts")
    }

    fn place(&self, hash: [u8; 16], language: Language) -> PathBuf {
        let name = format!("{:032x}.{}.{RELEASE}", u128::from_be_bytes(hash), language.name());
        self.folder().join(name)
    }

    fn keep(&self, place: &Path, hash: [u8; 16], facts: &Facts) -> io::Result<()> {
        let mut bytes = postcard::to_stdvec(facts).map_err(io::Error::other)?;
        bytes.extend(index::hash(&bytes));
        files::write_atomic(place, &bytes)?;
        // One text in 256 pays for tidying up.
        if hash.first() == Some(&0) {
            tidy(&self.folder(), MAX_CACHE_BYTES)?;
        }
        Ok(())
    }
}

fn parsed(language: Language, source: Source, limits: Limits) -> Result<FileFacts, ParseError> {
    if !language.has_tree() {
        let facts = scanner::whole(language, &source).ok_or(ParseError::Tangled)?;
        return Ok(FileFacts { language, source, facts: Facts { calls: Vec::new(), ..facts } });
    }
    let parsed = parse::tree(language, source, limits)?;
    let facts = Facts { calls: Vec::new(), ..extract::facts(&parsed) };
    Ok(FileFacts { language, source: parsed.source, facts })
}

/// Facts that were kept, when they are whole.
fn kept(place: &Path) -> Option<Facts> {
    let bytes = files::read_limited(place, MAX_CACHE_BYTES).ok()??;
    let (facts, hash) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
    if index::hash(facts) != hash {
        return None;
    }
    postcard::from_bytes(facts).ok()
}

/// Removes the oldest half when there is more than `most`.
fn tidy(folder: &Path, most: u64) -> io::Result<()> {
    let mut kept: Vec<(std::time::SystemTime, u64, PathBuf)> = std::fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        })
        .collect();
    let mut bytes: u64 = kept.iter().map(|(_, length, _)| length).sum();
    if bytes <= most {
        return Ok(());
    }
    kept.sort_unstable();
    for (_, length, path) in kept {
        if bytes <= most / 2 {
            break;
        }
        files::remove(path)?;
        bytes -= length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// In a language without a scanner.
    const TEXT: &str = "require 'os'\n\n# Pays.\ndef pay(total)\n  sync(total)\nend\n";

    fn fresh(path: &Path, bytes: &[u8]) -> Facts {
        let mut facts = extract::facts(&parse::file(path, bytes, Limits::QUICK).unwrap());
        facts.calls.clear();
        facts
    }

    fn asked(cache: FactsCache<'_>, path: &Path, text: &str) -> Facts {
        cache.facts(path, text.as_bytes(), Limits::QUICK).unwrap().facts
    }

    #[test]
    fn a_text_that_was_asked_for_is_not_parsed_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FactsCache { state: dir.path(), root: dir.path() };
        let path = dir.path().join("a.rb");
        assert_eq!(asked(cache, &path, TEXT), fresh(&path, TEXT.as_bytes()));
        // The answer is the kept one: another is put in its place.
        let kept = std::fs::read_dir(dir.path().join("code/texts")).unwrap().next().unwrap().unwrap().path();
        let mut bytes = postcard::to_stdvec(&Facts { lines: 99, ..Facts::default() }).unwrap();
        bytes.extend(index::hash(&bytes));
        std::fs::write(kept, bytes).unwrap();
        assert_eq!(asked(cache, &path, TEXT).lines, 99);
    }

    #[test]
    fn what_the_scanner_reads_is_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FactsCache { state: dir.path(), root: dir.path() };
        let (path, text) = (dir.path().join("a.py"), "def pay(total):\n    return total\n");
        assert_eq!(asked(cache, &path, text), fresh(&path, text.as_bytes()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_the_index_knows_is_not_parsed_and_not_kept_twice() {
        let dir = tempfile::tempdir().unwrap();
        let (state, root) = (dir.path().join("state"), dir.path().join("shop"));
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.rb"), TEXT).unwrap();
        index::build(&state, &root, extract::Depth::Calls).unwrap();
        let cache = FactsCache { state: &state, root: &root };
        let path = root.join("src/a.rb");
        let known = cache.facts(&path, TEXT.as_bytes(), Limits::QUICK).unwrap();
        assert_eq!(known.facts, fresh(&path, TEXT.as_bytes()));
        assert!(!state.join("code/texts").exists());

        // A change that a question appended is known as well.
        let other = TEXT.replace("pay", "refund");
        std::fs::write(&path, &other).unwrap();
        let opened = index::Index::open(&state, &root, index::Mode::Quick(8)).unwrap().unwrap();
        assert_eq!(opened.refreshed.read, 1);
        let known = cache.facts(&path, other.as_bytes(), Limits::QUICK).unwrap();
        assert_eq!(known.facts, fresh(&path, other.as_bytes()));
        assert!(!state.join("code/texts").exists());
    }

    #[test]
    fn what_is_kept_of_another_language_or_torn_is_not_taken() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FactsCache { state: dir.path(), root: dir.path() };
        let text = "class Shop { int pay(int total) { return total; } }\n";
        let (java, csharp) = (dir.path().join("a.java"), dir.path().join("a.cs"));
        assert_eq!(asked(cache, &java, text).symbols.len(), 2);
        assert_eq!(asked(cache, &csharp, text), fresh(&csharp, text.as_bytes()));
        for entry in std::fs::read_dir(dir.path().join("code/texts")).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.truncate(bytes.len() - 1);
            std::fs::write(path, bytes).unwrap();
        }
        assert_eq!(asked(cache, &java, text), fresh(&java, text.as_bytes()));
    }

    #[test]
    fn the_oldest_half_goes_when_it_is_too_much() {
        let dir = tempfile::tempdir().unwrap();
        let start = std::time::SystemTime::UNIX_EPOCH;
        for age in 0..10_u64 {
            let file = std::fs::File::create(dir.path().join(age.to_string())).unwrap();
            file.set_len(100).unwrap();
            file.set_modified(start + std::time::Duration::from_secs(age)).unwrap();
        }
        tidy(dir.path(), 1_000).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 10);
        tidy(dir.path(), 999).unwrap();
        let mut left: Vec<String> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["6", "7", "8", "9"]);
    }

    proptest! {
        #[test]
        fn every_edit_is_seen(names in proptest::collection::vec("[a-z]{1,6}", 1..12)) {
            let dir = tempfile::tempdir().unwrap();
            let cache = FactsCache { state: dir.path(), root: dir.path() };
            let path = dir.path().join("a.rb");
            for name in names {
                let text = format!("def {name}_()\n  {name}\nend\n");
                prop_assert_eq!(asked(cache, &path, &text), fresh(&path, text.as_bytes()));
                let (path, text) = (dir.path().join("a.py"), format!("def {name}_():\n    return {name}_\n"));
                prop_assert_eq!(asked(cache, &path, &text), fresh(&path, text.as_bytes()));
            }
        }
    }
}
