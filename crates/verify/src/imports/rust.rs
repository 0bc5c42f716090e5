//! Rust: `use crate::…`, `self::…`, `super::…`, crates that Cargo.toml does not name, and `mod x;` without its file.

use super::hint;
use super::{Comments, MAX_PROBLEMS, Problem, blank, folder_of, has_word, line_at};
use crate::detect::{Tree, folders_above, join};

pub(super) fn check(file: &str, text: &str, tree: &dyn Tree) -> Vec<Problem> {
    let clean = blank(text, Comments::Slashes, true);
    let Some(place) = CrateFile::of(file, tree) else { return Vec::new() };
    let mut problems = Vec::new();
    for (at, name) in mods(&clean) {
        let beside = children_of(file, &place.top);
        let there = [format!("{name}.rs"), format!("{name}/mod.rs")]
            .iter()
            .any(|path| tree.is_file(&join(&beside, path)));
        if !there {
            let names = stems(tree, &beside);
            let text = format!(
                "there is no file for module `{name}`{}",
                hint(name, names.iter().map(String::as_str))
            );
            problems.push(Problem {
                line: line_at(&clean, at),
                about: name.to_owned(),
                text,
                symbols: Vec::new(),
            });
        }
    }
    for (at, path) in uses(&clean) {
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
        if let Some((about, text)) = place.judge(&path, &clean, tree) {
            let symbols = path.last().cloned().into_iter().collect();
            problems.push(Problem { line: line_at(&clean, at), about, text, symbols });
        }
    }
    problems
}

/// Where a file stands in its crate.
struct CrateFile<'a> {
    file: &'a str,
    /// The folder of the crate's sources.
    source: String,
    /// The crate's first file.
    top: String,
    /// The folder with Cargo.toml.
    crate_folder: &'a str,
}

impl<'a> CrateFile<'a> {
    /// Files below `src` of a crate with one beginning; others (tests, examples, several programs) are not judged.
    fn of(file: &'a str, tree: &dyn Tree) -> Option<Self> {
        let crate_folder = folders_above(file).find(|folder| tree.is_file(&join(folder, "Cargo.toml")))?;
        let source = join(crate_folder, "src");
        file.strip_prefix(&format!("{source}/")).filter(|inside| !inside.starts_with("bin/"))?;
        let (lib, main) = (join(&source, "lib.rs"), join(&source, "main.rs"));
        let top = match (tree.is_file(&lib), tree.is_file(&main)) {
            // A module may belong to either; what both have is in the one that names it.
            (true, true) if file == main => main,
            (true, _) => lib,
            (false, true) => main,
            (false, false) => return None,
        };
        Some(Self { file, source, top, crate_folder })
    }

    /// What is wrong with a path; nothing when it is fine or cannot be known.
    fn judge(&self, path: &[String], text: &str, tree: &dyn Tree) -> Option<(String, String)> {
        let first = path.first()?.as_str();
        let rest = path.get(1..).unwrap_or_default();
        match first {
            "crate" => walk(&self.top, &self.top, rest, tree, self),
            "self" if !text.contains("mod ") || !has_inline(text) => {
                walk(self.file, &self.top, rest, tree, self)
            }
            "super" if !has_inline(text) => {
                let parent = self.parent(tree)?;
                walk(&parent, &self.top, rest, tree, self)
            }
            "self" | "super" | "std" | "core" | "alloc" | "proc_macro" | "test" => None,
            other => self.dependency(other, text, tree),
        }
    }

    fn parent(&self, tree: &dyn Tree) -> Option<String> {
        let own = self
            .file
            .strip_suffix("/mod.rs")
            .map_or_else(|| folder_of(self.file).to_owned(), |folder| folder_of(folder).to_owned());
        if own == self.source {
            return Some(self.top.clone());
        }
        [format!("{own}.rs"), join(&own, "mod.rs")].into_iter().find(|path| tree.is_file(path))
    }

    /// A crate that is no dependency, and no name of this file either.
    fn dependency(&self, name: &str, text: &str, tree: &dyn Tree) -> Option<(String, String)> {
        let manifest = tree.read(&join(self.crate_folder, "Cargo.toml"))?;
        let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
        let declared = |text: &str| has_word(&text.replace('-', "_"), name);
        // A module, an item or an import of this file, or something that a macro brings.
        let local = text.lines().filter(|line| has_word(line, name)).any(|line| {
            let line = line.trim();
            !line.starts_with("use ") && !line.starts_with("pub use ")
                || line.contains(&format!("::{name}"))
                || line.contains(&format!(" as {name}"))
        });
        let glob = text.contains("::*");
        let sibling = tree
            .read(&self.top)
            .is_some_and(|top| self.file == self.top && has_word(&top, &format!("mod {name}")));
        if !lower
            || declared(&manifest)
            || local
            || glob
            || sibling
            || manifest.contains("edition = \"2015\"")
        {
            return None;
        }
        Some((
            name.to_owned(),
            format!("`{name}` is no dependency in {}", join(self.crate_folder, "Cargo.toml")),
        ))
    }
}

/// The folder in which the modules of a file lie.
fn children_of(file: &str, top: &str) -> String {
    let folder = folder_of(file);
    if file == top || file.ends_with("/mod.rs") || file.ends_with("/main.rs") {
        folder.to_owned()
    } else {
        file.strip_suffix(".rs").unwrap_or(file).to_owned()
    }
}

/// True when a file has modules between braces: paths in them begin elsewhere.
fn has_inline(text: &str) -> bool {
    text.match_indices("mod ").any(|(at, _)| {
        let rest = text.get(at + 4..).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c.is_whitespace()));
        end.and_then(|end| rest.get(end..)).is_some_and(|rest| rest.starts_with('{'))
    })
}

/// Follows a path from module file to module file.
fn walk(
    start: &str,
    top: &str,
    path: &[String],
    tree: &dyn Tree,
    place: &CrateFile<'_>,
) -> Option<(String, String)> {
    let mut file = start.to_owned();
    for (at, name) in path.iter().enumerate() {
        if matches!(name.as_str(), "*" | "self" | "super") {
            return None;
        }
        let text = tree.read(&file)?;
        let clean = blank(&text, Comments::Slashes, true);
        let folder = children_of(&file, top);
        let child = [format!("{name}.rs"), format!("{name}/mod.rs")]
            .into_iter()
            .map(|path| join(&folder, &path))
            .find(|path| tree.is_file(path));
        if let Some(child) = child.filter(|_| has_word(&clean, name)) {
            file = child;
            continue;
        }
        // Named anywhere in the module: an item, an import, something a macro makes. What follows it is not a file.
        if has_word(&clean, name)
            || clean.contains("::*")
            || clean.contains("include!")
            || clean.contains("#[path")
        {
            return None;
        }
        // An exported macro is at the top whoever defines it.
        if file == top && at == 0 && tree.list(&place.source).len() > 1 && path.len() == 1 {
            return macro_nowhere(name, place, tree);
        }
        let names: Vec<String> = items(&clean);
        let shown = format!("`{name}` is not in {file}{}", hint(name, names.iter().map(String::as_str)));
        return Some((name.clone(), shown));
    }
    None
}

/// `use crate::name` may be a macro of any file; only a name that no file at the top has is wrong.
fn macro_nowhere(name: &str, place: &CrateFile<'_>, tree: &dyn Tree) -> Option<(String, String)> {
    // More files than this are not searched, and then nothing is said.
    const MAX_FILES: usize = 500;
    let mut folders = vec![place.source.clone()];
    let mut looked = 0;
    let mut anywhere = false;
    while let Some(folder) = folders.pop().filter(|_| !anywhere && looked < MAX_FILES) {
        for path in tree.list(&folder).iter().map(|entry| join(&folder, entry)) {
            looked += 1;
            if path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs") {
                let text = tree.read(&path).unwrap_or_default();
                anywhere |= text.contains("macro_rules!") && has_word(&text, name);
            } else if tree.is_dir(&path) {
                folders.push(path);
            }
        }
    }
    let anywhere = anywhere || looked >= MAX_FILES;
    let top = tree.read(&place.top).unwrap_or_default();
    let names = items(&blank(&top, Comments::Slashes, true));
    let shown = format!("`{name}` is not in {}{}", place.top, hint(name, names.iter().map(String::as_str)));
    (!anywhere).then(|| (name.to_owned(), shown))
}

/// Names of items and modules, for a hint.
fn items(text: &str) -> Vec<String> {
    const WORDS: [&str; 10] =
        ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "union", "macro_rules!"];
    let mut found = Vec::new();
    let mut words =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!')).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if WORDS.contains(&word) {
            found.extend(words.next().map(str::to_owned));
        }
    }
    found
}

fn stems(tree: &dyn Tree, folder: &str) -> Vec<String> {
    tree.list(folder).iter().map(|entry| entry.trim_end_matches(".rs").to_owned()).collect()
}

/// `mod x;` without a `#[path]` before it.
fn mods(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut attributed = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let rest =
            content.strip_prefix("pub ").or_else(|| content.strip_prefix("pub(crate) ")).unwrap_or(content);
        let name = rest.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')).map(str::trim);
        // A condition may leave a module out; one within braces lies elsewhere.
        let at_margin = line.starts_with("mod ") || line.starts_with("pub");
        if let Some(name) = name
            .filter(|name| at_margin && !attributed && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            found.push((at, name));
        }
        attributed = content.starts_with("#[") || (attributed && content.is_empty());
        at += line.len();
    }
    found
}

/// Every path that `use` brings, its braces taken apart, with its place.
fn uses(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut conditional = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let rest = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "]
            .iter()
            .find_map(|word| content.strip_prefix(word));
        if let Some(rest) = rest.filter(|_| indent == 0 && !conditional) {
            let start = at + indent + content.len() - rest.len();
            let end = text.get(start..).and_then(|rest| rest.find(';')).unwrap_or(0);
            expand(text.get(start..start + end).unwrap_or_default(), start, &[], &mut found, 0);
        }
        let trimmed = content.trim();
        conditional = trimmed.starts_with("#[cfg")
            || (conditional && (trimmed.is_empty() || trimmed.starts_with("#[")));
        at += line.len();
    }
    found
}

fn expand(text: &str, start: usize, prefix: &[String], found: &mut Vec<(usize, Vec<String>)>, depth: usize) {
    if depth > 8 || found.len() > 4 * MAX_PROBLEMS {
        return;
    }
    let mut level = 0;
    let mut from = 0;
    let mut pieces = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => level += 1,
            '}' => level -= 1,
            ',' if level == 0 => {
                pieces.push((from, text.get(from..at).unwrap_or_default()));
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push((from, text.get(from..).unwrap_or_default()));
    for (offset, piece) in pieces {
        let lead = piece.len() - piece.trim_start().len();
        let place = start + offset + lead;
        let piece = piece.trim();
        let (head, group) = match piece.split_once('{') {
            Some((head, rest)) => (head, rest.strip_suffix('}')),
            None => (piece.split(" as ").next().unwrap_or(piece), None),
        };
        let mut path = prefix.to_vec();
        path.extend(head.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
        let sound =
            path.iter().all(|part| part == "*" || part.chars().all(|c| c.is_alphanumeric() || c == '_'));
        if !sound || piece.starts_with("::") {
            continue;
        }
        match group {
            Some(group) => expand(group, place + piece.find('{').unwrap_or(0) + 1, &path, found, depth + 1),
            None if !path.is_empty() && !piece.is_empty() => found.push((place, path)),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::memory::Memory;

    fn problems(file: &str, text: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut files = files.to_vec();
        files.push((file, text));
        check(file, text, &Memory::of(&files))
            .into_iter()
            .map(|p| format!("{}: {}", p.line, p.text))
            .collect()
    }

    const SHOP: [(&str, &str); 4] = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n[dependencies]\nserde_json = \"1\"\nmy-dep = \"1\"\n"),
        ("src/lib.rs", "pub mod cart;\npub mod tax;\nmod app;\npub use cart::Cart;\n"),
        ("src/cart.rs", "pub struct Cart;\npub fn total() {}\npub enum Rate { A, B }\n"),
        ("src/tax/mod.rs", "pub mod rules;\npub const RATE: u32 = 1;\n"),
    ];

    #[test]
    fn modules_and_names_that_are_not_there() {
        let text = "use crate::crat::Cart;\nuse crate::cart::{\n    Cart,\n    totl,\n};\nuse crate::tax::{self, rules::nothing, RATES};\nuse super::nope;\nmod child;\n";
        let mut files = SHOP.to_vec();
        files.push(("src/tax/rules.rs", "pub fn rate() {}\n"));
        assert_eq!(
            problems("src/app.rs", text, &files),
            [
                "8: there is no file for module `child`",
                "1: `crat` is not in src/lib.rs (did you mean `cart`?)",
                "4: `totl` is not in src/cart.rs (did you mean `total`?)",
                "6: `nothing` is not in src/tax/rules.rs",
                "6: `RATES` is not in src/tax/mod.rs (did you mean `RATE`?)",
                "7: `nope` is not in src/lib.rs"
            ]
        );
    }

    #[test]
    fn crates_that_are_no_dependency() {
        let text = "use serde_json::Value;\nuse my_dep::x;\nuse std::io;\nuse tokio::sync::Mutex;\nuse local::y;\nmod local { pub fn y() {} }\n";
        assert_eq!(problems("src/app.rs", text, &SHOP), ["4: `tokio` is no dependency in Cargo.toml"]);
    }

    #[test]
    fn what_is_passed_on_or_cannot_be_known_is_fine() {
        let text = "use crate::Cart;\nuse crate::cart::Rate::{self, A};\nuse crate::cart::*;\n#[cfg(feature = \"x\")]\nuse crate::gone::X;\n// use crate::nope::X;\nuse super::cart;\nuse self::inner::Z;\nfn f() { let s = \"use crate::nope;\"; }\n";
        assert_eq!(problems("src/app.rs", text, &SHOP), Vec::<String>::new());
        assert!(problems("tests/it.rs", "use shop::nope;\n", &SHOP).is_empty(), "not judged");
    }
}
