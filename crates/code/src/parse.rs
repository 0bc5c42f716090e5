//! From text to a tree, within bounds: bytes and steps, never time, so that one text always gives one answer.
//! What is beyond the bounds is parsed in part, and the tree's owner says so in a note.

use crate::language::Language;
use crate::parser_memory;
use crate::source::{Source, TextError};
use std::ops::ControlFlow;
use std::path::Path;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// How much work a file may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of text that are read.
    pub bytes: usize,
    /// Levels of the tree that are walked.
    pub depth: usize,
}

impl Limits {
    /// For a person or the index, who wait.
    pub const PATIENT: Self = Self { bytes: 4 << 20, depth: 2_000 };
    /// For a hook, that an agent waits for.
    pub const QUICK: Self = Self { bytes: 1 << 20, depth: 2_000 };
}

/// Why a file has no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// There is no text.
    #[error(transparent)]
    TextError(#[from] TextError),
    /// No grammar is for it.
    #[error("no grammar for this kind of file")]
    NoLanguage,
    /// The language is scanned, not parsed.
    #[error("no grammar for this language is built in; it has outlines and calls only")]
    NoGrammar,
    /// The parser gave up on all of it.
    #[error("the text is too tangled to parse")]
    Tangled,
}

/// A file's text, its tree, and what must be said about them.
pub struct Parsed {
    /// The language.
    pub language: Language,
    /// The text. A cut one when the file was too long or too tangled.
    pub source: Source,
    /// The tree.
    pub tree: Tree,
    /// How deep the tree is walked.
    pub depth: usize,
    /// What is partial or odd.
    pub notes: Vec<String>,
}

impl Parsed {
    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &str {
        self.source.text.get(node.byte_range()).unwrap_or("")
    }
}

/// Parses a file's bytes.
pub fn file(path: &Path, bytes: &[u8], limits: Limits) -> Result<Parsed, ParseError> {
    let source = Source::new(bytes, limits.bytes)?;
    let language = Language::of(path, &source.text).ok_or(ParseError::NoLanguage)?;
    tree(language, source, limits)
}

/// Parses a text.
pub fn text(language: Language, text: &str, limits: Limits) -> Result<Parsed, ParseError> {
    tree(language, Source::new(text.as_bytes(), limits.bytes)?, limits)
}

/// The part of a tangled text that is tried once more.
const LAST_TRY: usize = 64 << 10;

/// Parses what was read already.
pub(crate) fn tree(language: Language, source: Source, limits: Limits) -> Result<Parsed, ParseError> {
    if !language.has_tree() {
        return Err(ParseError::NoGrammar);
    }
    if let Some(tree) = within(language, &source.text) {
        return Ok(finish(language, source, tree, limits));
    }
    let notes = source.notes.clone();
    let mut source = Source::new(source.text.as_bytes(), LAST_TRY)?;
    let tree = within(language, &source.text).ok_or(ParseError::Tangled)?;
    source.notes.splice(0..0, notes);
    source.notes.push("the text is too tangled to parse whole".to_owned());
    Ok(finish(language, source, tree, limits))
}

/// Parses within a number of steps that honest text never comes near: the parser asks every hundred operations,
/// and a text has less than one operation for each of its bytes.
fn within(language: Language, text: &str) -> Option<Tree> {
    let mut left = 2_000 + text.len() / 20;
    parser_memory::install();
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()?).ok()?;
    let bytes = text.as_bytes();
    let mut tick = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut tick);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or(&[]), None, Some(options))
}

fn finish(language: Language, source: Source, tree: Tree, limits: Limits) -> Parsed {
    let mut notes = source.notes.clone();
    if tree.root_node().has_error() {
        notes.push(match first_error(&tree) {
            Some(line) => format!("the text does not parse cleanly (line {line}); the rest is shown"),
            None => "the text does not parse cleanly; the rest is shown".to_owned(),
        });
    }
    notes.extend(source.remark());
    Parsed { language, source, tree, depth: limits.depth, notes }
}

/// The line of the first thing that did not parse.
fn first_error(tree: &Tree) -> Option<u32> {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        // When the whole is one fault, what is inside it says more.
        if depth > 0 && (node.is_error() || node.is_missing()) {
            return Some(node.start_position().row as u32 + 1);
        }
        depth += 1;
        let inside = node.has_error() && depth < 10_000 && cursor.goto_first_child();
        if inside {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_code_gives_a_tree_and_a_note() {
        let parsed = text(Language::Python, "def a():\n    pass\n\nclass (:\n", Limits::QUICK).unwrap();
        assert!(
            parsed.notes.iter().any(|note| note.contains("does not parse cleanly (line 4)")),
            "{:?}",
            parsed.notes
        );
    }

    #[test]
    fn a_file_that_is_no_code_has_no_tree() {
        let of = |path: &str, bytes: &[u8]| file(Path::new(path), bytes, Limits::QUICK).err();
        assert_eq!(of("a.md", b"# hi\n"), Some(ParseError::NoLanguage));
        assert_eq!(of("a.py", b"\0\0"), Some(ParseError::TextError(TextError::Binary)));
        assert_eq!(of("a.py", b"x = 1\n"), None);
    }
}
