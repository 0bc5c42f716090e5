//! What a search is limited to: folders, globs, types of files.

use sprag_base::glob;
use sprag_code::Language;
use std::path::Path;

/// The files that a search looks into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// Files and folders from the project's root; none for all.
    pub(super) within: Vec<String>,
    /// Globs; with `!` in front, what is left out.
    pub(super) globs: Vec<String>,
    /// Types of ripgrep, likewise.
    pub(super) types: Vec<String>,
    /// Whatever the letters' case.
    pub(super) ignores_case: bool,
}

impl Filter {
    /// A file of the project is looked into.
    pub(super) fn covers(&self, file: &str) -> bool {
        let inside = |folder: &String| {
            folder.is_empty()
                || file == folder
                || file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        (self.within.is_empty() || self.within.iter().any(inside))
            && decides(&self.globs, |pattern| braces(pattern).iter().any(|one| is_glob(one, file)))
            && decides(&self.types, |name| is_type(name, file))
    }

    /// Code may be among what is looked into.
    pub(super) fn has_code(&self) -> bool {
        let wanted =
            |list: &[String]| list.iter().filter(|one| !one.starts_with('!')).cloned().collect::<Vec<_>>();
        let (globs, types) = (wanted(&self.globs), wanted(&self.types));
        (globs.is_empty() || globs.iter().any(|filter| lets_code(filter)))
            && (types.is_empty() || types.iter().any(|name| !endings(name).is_empty()))
    }
}

/// One of what is wanted, and nothing of what is not.
fn decides(list: &[String], is: impl Fn(&str) -> bool) -> bool {
    let mut wanted = list.iter().filter(|one| !one.starts_with('!')).peekable();
    let unwanted = list.iter().filter_map(|one| one.strip_prefix('!'));
    (wanted.peek().is_none() || wanted.any(|one| is(one))) && !unwanted.into_iter().any(is)
}

/// A glob as ripgrep and git read it: without a slash it is about the name.
fn is_glob(pattern: &str, file: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    glob::path(pattern, file) || glob::matches(&format!("**/{pattern}"), file)
}

/// `*.{ts,tsx}` as two.
fn braces(pattern: &str) -> Vec<String> {
    let parts = pattern.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    match parts {
        Some((head, (list, tail))) => {
            list.split(',').flat_map(|one| braces(&format!("{head}{one}{tail}"))).take(64).collect()
        }
        None => vec![pattern.to_owned()],
    }
}

/// A filter of file names that lets code through: `*.py`, `**/*.{ts,tsx}`, `src/**`.
fn lets_code(filter: &str) -> bool {
    braces(filter).iter().any(|filter| {
        let Some((_, ending)) = filter.rsplit_once('.') else { return true };
        ending.contains(['/', '*', '?']) || Language::of_path(Path::new(&format!("a.{ending}"))).is_some()
    })
}

fn is_type(name: &str, file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings(name).contains(&ending)
}

/// The endings of a type of ripgrep, as far as it is code.
fn endings(name: &str) -> &'static [&'static str] {
    match name {
        "py" | "python" => &["py", "pyi"],
        "ts" | "typescript" => &["ts", "tsx", "mts", "cts"],
        "js" | "javascript" => &["js", "jsx", "mjs", "cjs"],
        "rust" | "rs" => &["rs"],
        "go" | "golang" => &["go"],
        "java" => &["java"],
        "c" => &["c", "h"],
        "cpp" | "c++" => &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h"],
        "cs" | "csharp" => &["cs"],
        "ruby" | "rb" => &["rb", "rake"],
        "php" => &["php"],
        "sh" | "shell" | "bash" => &["sh", "bash"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(within: &[&str], globs: &[&str], types: &[&str]) -> Filter {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Filter { within: list(within), globs: list(globs), types: list(types), ignores_case: false }
    }

    #[test]
    fn what_is_looked_into() {
        for (filter, yes, no) in [
            (filter(&["src"], &[], &[]), "src/a.py", "srcs/a.py"),
            (filter(&[""], &["*.py"], &[]), "src/a.py", "src/a.rs"),
            (filter(&[], &["*.{ts,tsx}"], &[]), "src/a.tsx", "src/a.js"),
            (filter(&[], &["!tests/**"], &[]), "src/a.py", "tests/a.py"),
            (filter(&[], &["!**/tests/**"], &[]), "src/a.py", "src/tests/a.py"),
            (filter(&[], &["src/*.py"], &[]), "src/a.py", "lib/a.py"),
            (filter(&[], &[], &["rust"]), "a.rs", "a.py"),
            (filter(&[], &[], &["!py"]), "a.rs", "a.py"),
        ] {
            assert!(filter.covers(yes) && !filter.covers(no), "{filter:?}");
        }
    }

    #[test]
    fn filters_and_types_of_code() {
        for glob in ["*.py", "**/*.{ts,tsx}", "src/**", "*", "*.{md,py}", "Makefile", "!*.md"] {
            assert!(filter(&[], &[glob], &[]).has_code(), "{glob}");
        }
        for glob in ["*.md", "**/*.{json,yaml}", "*.log"] {
            assert!(!filter(&[], &[glob], &[]).has_code(), "{glob}");
        }
        assert!(filter(&[], &[], &["py"]).has_code() && !filter(&[], &[], &["md"]).has_code());
    }
}
