//! What to do with a document at a session's start, and whether an edit may be stored. Pure.

use super::{DocState, hash};
use sprag_scan::scrub;

/// What this home last wrote to a file or stored from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    /// The version in the store.
    pub version: i64,
    /// The text's hash.
    pub hash: String,
}

/// What is done at a session's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nothing: both agree, or there is nothing to write.
    Leave,
    /// Both agree, and from now on the file is known as this version.
    Agree,
    /// The stored text goes into the file.
    Write,
    /// The file was changed since, the store was not: the file is stored.
    Store,
    /// Both were changed, or the file is somebody's own: it stays as it is, and somebody is told.
    Conflict,
}

/// Compares the file, the stored version and what this home last wrote.
pub fn start(file: &DocState, stored: Option<(i64, &str)>, mark: Option<&Mark>) -> Start {
    let Some((version, stored)) = stored else { return Start::Leave };
    match file {
        DocState::Absent => Start::Write,
        DocState::Other => Start::Conflict,
        DocState::Text(text) => {
            let here = hash(text);
            match mark {
                _ if here == stored => Start::Agree,
                Some(mark) if mark.hash == here => Start::Write,
                Some(mark) if mark.version == version => Start::Store,
                _ => Start::Conflict,
            }
        }
    }
}

/// Why an edit is not stored; `None` when it may be.
pub fn refusal(text: &str, stored: Option<&str>, most: usize) -> Option<String> {
    let (new, old) = (text.chars().count(), stored.map_or(0, |text| text.chars().count()));
    if text.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if !scrub::find(text).is_empty() {
        return Some("it holds what looks like a secret; take it out".to_owned());
    }
    // A text that is over the limit may shrink, not grow.
    if new > most && new > old {
        return Some(format!("it has {new} characters, the limit is {most}; shorten it"));
    }
    if old >= 500 && new < old / 10 {
        return Some(format!(
            "{new} characters would replace {old}; to store it all the same: `sprag agent identity save`"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> DocState {
        DocState::Text(text.to_owned())
    }

    fn mark(version: i64, text: &str) -> Mark {
        Mark { version, hash: hash(text) }
    }

    #[test]
    fn a_file_is_written_only_where_it_is_absent_or_unchanged_since_our_last_write() {
        let (one, two) = (hash("one"), hash("two"));
        let stored = Some((2, two.as_str()));
        assert_eq!(start(&DocState::Absent, stored, None), Start::Write);
        assert_eq!(start(&text("one"), stored, Some(&mark(1, "one"))), Start::Write);
        assert_eq!(start(&text("two"), stored, None), Start::Agree);
        assert_eq!(start(&text("mine"), stored, None), Start::Conflict, "a user's own file");
        assert_eq!(start(&text("mine"), stored, Some(&mark(1, "one"))), Start::Conflict, "both changed");
        assert_eq!(start(&text("mine"), Some((1, &one)), Some(&mark(1, "one"))), Start::Store);
        assert_eq!(start(&DocState::Other, stored, Some(&mark(1, "one"))), Start::Conflict);
    }

    /// Fault of the reference: the user's own file was uploaded as the agent's, then deleted.
    #[test]
    fn fault_a_users_own_file_is_not_taken_over() {
        assert_eq!(start(&text("mine"), None, None), Start::Leave);
        assert_eq!(start(&DocState::Absent, None, None), Start::Leave);
    }

    /// Fault of the reference: a short test text replaced a real identity.
    #[test]
    fn fault_a_few_words_do_not_replace_a_long_text() {
        let long = "x".repeat(2_000);
        assert!(refusal("test", Some(&long), 20_000).unwrap().contains("4 characters would replace 2000"));
        assert_eq!(refusal("a new soul", None, 20_000), None);
        assert_eq!(refusal(&"y".repeat(900), Some(&long), 20_000), None);
        assert!(refusal(" \n", Some("a"), 20_000).is_some());
    }

    #[test]
    fn over_the_limit_a_text_may_shrink_and_not_grow() {
        assert!(refusal(&"x".repeat(101), Some("a"), 100).unwrap().contains("the limit is 100"));
        assert_eq!(refusal(&"x".repeat(150), Some(&"x".repeat(160)), 100), None);
        assert!(
            refusal("token ghp_abcdefghijklmnopqrstuvwxyz0123456789", None, 100).unwrap().contains("secret")
        );
    }
}
