//! What can be had from text that does not parse: declarations by the look of their lines, in the parts that the tree
//! has no word on.

use crate::facts::{Facts, Symbol, SymbolKind};
use crate::language::Language;
use crate::parse::Parsed;
use std::collections::HashSet;

/// The most declarations that are added.
const MAX_SALVAGED: usize = 2_000;

/// Adds declarations in parts of the text that are errors.
pub(super) fn add(parsed: &Parsed, facts: &mut Facts) {
    let known: HashSet<(u32, String)> = facts.symbols.iter().map(|s| (s.line, s.name.clone())).collect();
    let mut added = 0;
    for (from, to) in errors(parsed) {
        for line in from..=to {
            let text = parsed.source.line(line);
            let Some((kind, name)) = declaration(parsed.language, text) else { continue };
            if added >= MAX_SALVAGED || known.contains(&(line, name.to_owned())) {
                continue;
            }
            added += 1;
            facts.symbols.push(Symbol {
                name: name.to_owned(),
                kind,
                line,
                end_line: line,
                parent: None,
                container: String::new(),
                signature: sprag_base::text::cut(text.trim().trim_end_matches(['{', ':', ' ']), 200),
                doc: String::new(),
                bases: Vec::new(),
            });
        }
    }
}

/// The lines of what did not parse, from the outermost faults.
fn errors(parsed: &Parsed) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut cursor = parsed.tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let mut inside = false;
        if node.is_error() {
            let (from, to) = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
            match found.last_mut() {
                Some((_, last)) if from <= *last => *last = to.max(*last),
                _ => found.push((from, to)),
            }
        } else {
            inside = node.has_error() && depth < parsed.depth;
        }
        if inside && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return found;
            }
            depth -= 1;
        }
    }
}

/// The declaration that a line looks like.
fn declaration(language: Language, line: &str) -> Option<(SymbolKind, &str)> {
    const BEFORE: [&str; 12] = [
        "export ", "default ", "pub ", "pub(crate) ", "public ", "private ", "protected ", "static ",
        "async ", "abstract ", "unsafe ", "const ",
    ];
    let words: &[(&str, SymbolKind)] = match language {
        Language::Python => &[("def ", SymbolKind::Function), ("class ", SymbolKind::Class)],
        Language::Ruby => {
            &[("def ", SymbolKind::Function), ("class ", SymbolKind::Class), ("module ", SymbolKind::Module)]
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Php => &[
            ("function ", SymbolKind::Function),
            ("class ", SymbolKind::Class),
            ("interface ", SymbolKind::Interface),
            ("enum ", SymbolKind::Enum),
        ],
        Language::Rust => &[
            ("fn ", SymbolKind::Function),
            ("struct ", SymbolKind::Struct),
            ("enum ", SymbolKind::Enum),
            ("trait ", SymbolKind::Trait),
        ],
        Language::Go => &[("func ", SymbolKind::Function), ("type ", SymbolKind::Type)],
        Language::Java | Language::CSharp | Language::Cpp => &[
            ("class ", SymbolKind::Class),
            ("interface ", SymbolKind::Interface),
            ("enum ", SymbolKind::Enum),
            ("struct ", SymbolKind::Struct),
        ],
        Language::C => &[("struct ", SymbolKind::Struct), ("enum ", SymbolKind::Enum)],
        Language::Bash | Language::Lua => &[("function ", SymbolKind::Function)],
        Language::Kotlin | Language::Swift | Language::Scala | Language::Elixir | Language::Zig => &[],
    };
    let mut text = line.trim_start();
    while let Some(rest) = BEFORE.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest;
    }
    let (rest, kind) = words.iter().find_map(|(word, kind)| Some((text.strip_prefix(word)?, *kind)))?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let name = rest.get(..end)?;
    // A forward declaration or a variable of the type declares nothing here.
    let declares = kind.is_function() || !rest.trim_end().ends_with(';');
    (!name.is_empty() && declares).then_some((kind, name))
}
