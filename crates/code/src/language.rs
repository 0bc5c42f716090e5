//! The languages: how a file's language is told, and one table that says what is supported at which layer.
//! The table is tested cell by cell (`tests/code/languages.rs`): what it claims, a sample shows.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A language that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python.
    Python,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with JSX.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Bash and its kin.
    Bash,
    /// Lua.
    Lua,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Scala.
    Scala,
    /// Elixir.
    Elixir,
    /// Zig.
    Zig,
}

/// What can be known about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Types, functions, methods, constants; signatures, line ranges, nesting.
    Outline,
    /// The first line of what is written about a symbol.
    Docs,
    /// The imports of a file, by name.
    Imports,
    /// Calls within a file, with the caller and the line.
    Calls,
    /// Calls of `self.x()` and its like, found in the type and in what it inherits from.
    OwnMethods,
    /// Calls of `value.x()` where the value's type is written or made in sight.
    TypedMethods,
    /// Calls across files by what is imported.
    CrossFile,
    /// Control flow, data flow and slices.
    Flow,
}

impl Layer {
    /// Every layer, in the order of the table.
    pub const ALL: [Self; 8] = [
        Self::Outline,
        Self::Docs,
        Self::Imports,
        Self::Calls,
        Self::OwnMethods,
        Self::TypedMethods,
        Self::CrossFile,
        Self::Flow,
    ];

    /// Its name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outline => "outline",
            Self::Docs => "docs",
            Self::Imports => "imports",
            Self::Calls => "calls",
            Self::OwnMethods => "own methods",
            Self::TypedMethods => "typed methods",
            Self::CrossFile => "across files",
            Self::Flow => "flow",
        }
    }
}

/// How well a layer is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is.
    Yes,
    /// By name alone: the language does not say more, or we do not read it.
    ByName,
    /// The language has no such thing, or it is not read.
    No,
}

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    /// The language.
    pub language: Language,
    /// As people call it.
    pub name: &'static str,
    /// Endings of its files.
    pub extensions: &'static [&'static str],
    /// Support, in the order of [`Layer::ALL`].
    pub support: [Support; 8],
}

use Support::{ByName, No, Yes};

/// The table.
pub static TABLE: &[Row] = &[
    row(Language::Python, "Python", &["py", "pyi", "pyw"], [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes]),
    row(Language::TypeScript, "TypeScript", &["ts", "mts", "cts"], [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes]),
    row(Language::Tsx, "TSX", &["tsx"], [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes]),
    row(
        Language::JavaScript,
        "JavaScript",
        &["js", "jsx", "mjs", "cjs"],
        [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes],
    ),
    row(Language::Rust, "Rust", &["rs"], [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes]),
    row(Language::Go, "Go", &["go"], [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes]),
    row(Language::Java, "Java", &["java"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, Yes]),
    row(Language::C, "C", &["c", "h"], [Yes, Yes, Yes, Yes, No, No, ByName, Yes]),
    row(
        Language::Cpp,
        "C++",
        &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp"],
        [Yes, Yes, Yes, Yes, Yes, Yes, ByName, Yes],
    ),
    row(Language::CSharp, "C#", &["cs"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, Yes]),
    row(Language::Ruby, "Ruby", &["rb", "rake", "gemspec"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, Yes]),
    row(Language::Php, "PHP", &["php", "phtml"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, Yes]),
    row(Language::Bash, "Bash", &["sh", "bash", "zsh", "ksh"], [Yes, Yes, Yes, Yes, No, No, ByName, No]),
    row(Language::Lua, "Lua", &["lua"], [Yes, Yes, Yes, Yes, Yes, No, ByName, No]),
    row(Language::Kotlin, "Kotlin", &["kt", "kts"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, No]),
    row(Language::Swift, "Swift", &["swift"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, No]),
    row(Language::Scala, "Scala", &["scala", "sc"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, No]),
    row(Language::Elixir, "Elixir", &["ex", "exs"], [Yes, Yes, Yes, Yes, Yes, No, ByName, No]),
    row(Language::Zig, "Zig", &["zig"], [Yes, Yes, Yes, Yes, Yes, Yes, ByName, No]),
];

const fn row(
    language: Language,
    name: &'static str,
    extensions: &'static [&'static str],
    support: [Support; 8],
) -> Row {
    Row { language, name, extensions, support }
}

impl Language {
    /// Its line in the table.
    pub fn row(self) -> &'static Row {
        #[expect(
            clippy::indexing_slicing,
            reason = "the table is in the order of the languages; a test says so"
        )]
        &TABLE[self as usize]
    }

    /// As people call it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How well a layer is supported.
    pub fn support(self, layer: Layer) -> Support {
        self.row().support.get(layer as usize).copied().unwrap_or(No)
    }

    /// The language that a file's name says; `None` for what is not code.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        TABLE.iter().find(|row| row.extensions.contains(&ending.as_str())).map(|row| row.language)
    }

    /// The language of a file: by its name, for a header by what is in it, without an ending by its first line.
    pub fn of(path: &Path, text: &str) -> Option<Self> {
        match Self::of_path(path) {
            Some(Self::C) if is_header(path) && looks_like_cpp(text) => Some(Self::Cpp),
            Some(language) => Some(language),
            None if path.extension().is_none() => of_first_line(text),
            None => None,
        }
    }

    /// The grammar; none is in the program where its tables are larger than what it is worth (docs/adr/0071).
    pub(crate) fn grammar(self) -> Option<tree_sitter::Language> {
        let grammar = match self {
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::Lua => tree_sitter_lua::LANGUAGE,
            Self::Kotlin | Self::Swift | Self::Scala | Self::Elixir | Self::Zig => return None,
        };
        Some(grammar.into())
    }

    /// It has a syntax tree; the others are scanned only.
    pub fn has_tree(self) -> bool {
        !matches!(self, Self::Kotlin | Self::Swift | Self::Scala | Self::Elixir | Self::Zig)
    }

    /// Files of these two may call one another.
    pub fn kin(self, other: Self) -> bool {
        self.family() == other.family()
    }

    fn family(self) -> Self {
        match self {
            Self::Tsx | Self::JavaScript => Self::TypeScript,
            Self::C => Self::Cpp,
            other => other,
        }
    }
}

fn is_header(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("h"))
}

/// A header of C++ says so with words that C does not have.
fn looks_like_cpp(text: &str) -> bool {
    text.lines().take(2_000).map(str::trim_start).any(|line| {
        ["class ", "namespace ", "template <", "template<", "public:", "private:", "protected:", "using "]
            .iter()
            .any(|word| line.starts_with(word))
    })
}

fn of_first_line(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split(['/', ' ']).filter(|word| !word.is_empty() && !word.starts_with('-'));
    let program = words.rfind(|word| !word.contains('='))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match program {
        "python" => Language::Python,
        "node" | "bun" | "deno" => Language::JavaScript,
        "sh" | "bash" | "zsh" | "ksh" | "dash" => Language::Bash,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "elixir" => Language::Elixir,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_one_line_and_no_ending_is_claimed_twice() {
        let mut endings: Vec<&str> = TABLE.iter().flat_map(|row| row.extensions).copied().collect();
        let all = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), all);
        for row in TABLE {
            assert_eq!(row.language.row().language, row.language);
            assert_eq!(row.language.grammar().is_some(), row.language.has_tree());
        }
    }

    #[test]
    fn the_language_of_a_file() {
        let of = |path: &str, text: &str| Language::of(Path::new(path), text);
        assert_eq!(of("a/b.py", ""), Some(Language::Python));
        assert_eq!(of("B.TSX", ""), Some(Language::Tsx));
        assert_eq!(of("x.h", "struct a { int b; };\n"), Some(Language::C));
        assert_eq!(of("x.h", "#pragma once\nnamespace a {\n"), Some(Language::Cpp));
        assert_eq!(of("run", "#!/usr/bin/env python3\n"), Some(Language::Python));
        assert_eq!(of("run", "#!/usr/bin/env -S bash -e\n"), Some(Language::Bash));
        assert_eq!(of("run", "#!/bin/sh\n"), Some(Language::Bash));
        assert_eq!(of("Makefile", "all:\n"), None);
        assert_eq!(of("a.md", "#!/bin/sh\n"), None);
    }
}
