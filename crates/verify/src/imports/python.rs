//! Python: `import a.b as c`, `from .a import (b, c as d)`, also over several lines.

use super::hint;
use super::{Comments, MAX_PROBLEMS, Problem, blank, folder_of, has_word, line_at};
use crate::detect::{Tree, folders_above, join};

/// One import statement.
struct Import {
    line: u32,
    /// Dots before the module.
    level: usize,
    module: String,
    /// The names, for `from`; nothing for a plain import.
    names: Option<Vec<(String, u32)>>,
}

pub(super) fn check(file: &str, text: &str, tree: &dyn Tree) -> Vec<Problem> {
    let clean = blank(text, Comments::Hash, true);
    let mut problems = Vec::new();
    for import in imports(&clean) {
        match resolve(file, &import, tree) {
            Where::Unknown => {}
            Where::Missing(hint) => {
                let module = format!("{}{}", ".".repeat(import.level), import.module);
                problems.push(Problem {
                    line: import.line,
                    about: if import.module.is_empty() { module.clone() } else { import.module.clone() },
                    text: format!("there is no module `{module}`{hint}"),
                    symbols: import.names.iter().flatten().map(|(name, _)| name.clone()).collect(),
                });
            }
            Where::Folder(folder) => names(&import, &folder, None, tree, &mut problems),
            Where::File(path) => {
                let source =
                    tree.read(&path).map(|source| blank(&source, Comments::Hash, true)).unwrap_or_default();
                let inside = path.strip_suffix("/__init__.py").or_else(|| path.strip_suffix("/__init__.pyi"));
                let folder = inside.map(str::to_owned).unwrap_or_default();
                let is_package = inside.is_some() || path == "__init__.py";
                let folder = if is_package { folder } else { "\0".to_owned() };
                names(&import, &folder, Some((&path, &source)), tree, &mut problems);
            }
        }
    }
    problems
}

/// Names of a `from` import that neither the module's text nor its folder has.
fn names(
    import: &Import,
    folder: &str,
    module: Option<(&str, &str)>,
    tree: &dyn Tree,
    problems: &mut Vec<Problem>,
) {
    for (name, line) in import.names.iter().flatten() {
        let submodule = folder != "\0" && is_module(tree, &join(folder, name));
        let defined = module.is_some_and(|(_, text)| defines(text, name));
        if submodule || defined || name == "*" || name.starts_with("__") {
            continue;
        }
        // A folder without an `__init__` may be put together from several places.
        let Some((path, text)) = module else { continue };
        let known = definitions(text);
        problems.push(Problem {
            line: *line,
            about: name.clone(),
            text: format!("`{name}` is not in {path}{}", hint(name, known.iter().map(String::as_str))),
            symbols: vec![name.clone()],
        });
    }
}

enum Where {
    Unknown,
    Missing(String),
    File(String),
    Folder(String),
}

fn resolve(file: &str, import: &Import, tree: &dyn Tree) -> Where {
    let path = import.module.replace('.', "/");
    if import.level > 0 {
        let mut base = folder_of(file);
        for _ in 1..import.level {
            if base.is_empty() {
                return Where::Unknown;
            }
            base = folder_of(base);
        }
        let whole = if path.is_empty() { base.to_owned() } else { join(base, &path) };
        return found(tree, &whole).unwrap_or_else(|| missing(tree, &whole));
    }
    let first = import.module.split('.').next().unwrap_or_default();
    // The project's own packages: beside the file, in a folder above it, or below a `src`.
    let mut roots: Vec<String> = folders_above(file).map(str::to_owned).collect();
    let sources: Vec<String> =
        roots.iter().flat_map(|root| ["src", "lib", "python"].map(|name| join(root, name))).collect();
    roots.extend(sources);
    let own: Vec<&String> = roots.iter().filter(|root| is_module(tree, &join(root, first))).collect();
    if own.is_empty() {
        return Where::Unknown;
    }
    let hit = own.iter().find_map(|root| found(tree, &join(root, &path)));
    // A package of the system may have the name of a folder here that is no package.
    let sure = own.iter().any(|root| {
        tree.is_file(&join(root, &format!("{first}/__init__.py")))
            || tree.is_file(&join(root, &format!("{first}.py")))
    });
    match hit {
        Some(hit) => hit,
        None if sure => own.first().map_or(Where::Unknown, |root| missing(tree, &join(root, &path))),
        None => Where::Unknown,
    }
}

fn missing(tree: &dyn Tree, path: &str) -> Where {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    // A module inside a module that is a file, or made at run time, is not ours to judge.
    if !folder.is_empty() && !tree.is_dir(folder) && !tree.is_file(&format!("{folder}.py")) {
        return Where::Missing(String::new());
    }
    let there = tree.list(folder);
    let modules = there.iter().map(|entry| entry.split('.').next().unwrap_or(entry));
    Where::Missing(hint(name, modules))
}

fn found(tree: &dyn Tree, path: &str) -> Option<Where> {
    for ending in [".py", ".pyi", "/__init__.py", "/__init__.pyi"] {
        let file = format!("{path}{ending}");
        if tree.is_file(file.trim_start_matches('/')) {
            return Some(Where::File(file.trim_start_matches('/').to_owned()));
        }
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let compiled = |entry: &String| {
        let native = [".so", ".pyd", ".pyx"].iter().any(|ending| entry.ends_with(ending));
        native && entry.split('.').next() == Some(name)
    };
    if tree.list(folder).iter().any(compiled) {
        return Some(Where::Unknown);
    }
    tree.is_dir(path).then(|| Where::Folder(path.to_owned()))
}

fn is_module(tree: &dyn Tree, path: &str) -> bool {
    found(tree, path).is_some()
}

/// The statements of a text whose strings and comments are blank.
fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut at = 0;
    // Imports that may fail are meant to: what follows a `try:` more to the right is left alone.
    let mut guarded: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if !content.trim().is_empty() && guarded.is_some_and(|depth| indent <= depth) {
            guarded = None;
        }
        if content.trim_end() == "try:" || content.starts_with("except") {
            guarded = Some(indent);
            continue;
        }
        let is_import = content.starts_with("import ") || content.starts_with("from ");
        if !is_import || guarded.is_some() || found.len() >= MAX_PROBLEMS {
            continue;
        }
        let statement = statement(text.get(start + indent..).unwrap_or_default());
        read(statement, start + indent, text, &mut found);
    }
    found
}

/// A statement to its end: over lines within brackets or after a backslash.
fn statement(text: &str) -> &str {
    let mut depth = 0_i32;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' | ';' if depth <= 0 && !escaped => return text.get(..at).unwrap_or(text),
            _ => {}
        }
        escaped = c == '\\';
    }
    text
}

fn read(statement: &str, start: usize, text: &str, found: &mut Vec<Import>) {
    let line = line_at(text, start);
    if let Some(rest) = statement.strip_prefix("import ") {
        for part in rest.split(',') {
            let module = part.split_whitespace().next().unwrap_or_default();
            if is_dotted(module) {
                found.push(Import { line, level: 0, module: module.to_owned(), names: None });
            }
        }
        return;
    }
    let Some((module, names)) = statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
    else {
        return;
    };
    let module = module.trim().replace(' ', "");
    let level = module.chars().take_while(|c| *c == '.').count();
    let module = module.trim_start_matches('.').to_owned();
    if !(module.is_empty() || is_dotted(&module)) {
        return;
    }
    let offset = statement.len() - names.len();
    let mut listed = Vec::new();
    let mut place = offset;
    for part in names.split(',') {
        let word = part.trim_matches(|c: char| c.is_whitespace() || "()\\".contains(c));
        let name = word.split_whitespace().next().unwrap_or_default();
        if is_dotted(name) || name == "*" {
            let inside = part.find(name).unwrap_or(0);
            listed.push((name.to_owned(), line_at(text, start + place + inside)));
        }
        place += part.len() + 1;
    }
    found.push(Import { line, level, module, names: Some(listed) });
}

fn is_dotted(text: &str) -> bool {
    !text.is_empty()
        && text
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// True when a module may have the name: defined, imported, listed, or made in a way that nobody can read.
fn defines(text: &str, name: &str) -> bool {
    if text.contains("__getattr__") || text.contains("globals()") || text.contains("import *") {
        return true;
    }
    text.lines().any(|line| {
        let line = line.trim();
        let starts = |word: &str| {
            line.strip_prefix(word)
                .is_some_and(|rest| has_word(rest.split(['(', ':', '[']).next().unwrap_or(rest), name))
        };
        let target = || {
            let before = line.split_once('=').map_or(line, |(before, _)| before);
            let before = before.split(':').next().unwrap_or(before);
            (line.contains('=') || line.contains(':')) && has_word(before, name) && !before.contains('(')
        };
        let bracketed = || {
            line.trim_end_matches(',').trim_end_matches(')') == name
                || line.contains(" as ") && has_word(line, name)
        };
        starts("def ")
            || starts("async def ")
            || starts("class ")
            || starts("type ")
            || (line.contains("import ") && has_word(line, name))
            || (line.starts_with("for ") || line.starts_with("with ")) && has_word(line, name)
            || bracketed()
            || target()
    })
}

/// The names that a module defines at its top, for a hint.
fn definitions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let words = ["def ", "async def ", "class "];
        let name = words.iter().find_map(|word| line.strip_prefix(word)).or_else(|| {
            let (name, _) = line.split_once('=')?;
            let name = name.split(':').next().unwrap_or(name).trim();
            is_dotted(name).then_some(name)
        });
        let end = |c: char| !(c.is_alphanumeric() || c == '_');
        if let Some(name) = name.and_then(|name| name.split(end).next()).filter(|name| !name.is_empty()) {
            found.push(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::memory::Memory;

    fn problems(file: &str, text: &str, files: &[(&str, &str)]) -> Vec<String> {
        check(file, text, &Memory::of(files)).into_iter().map(|p| format!("{}: {}", p.line, p.text)).collect()
    }

    const SHOP: [(&str, &str); 5] = [
        ("shop/__init__.py", "from .cart import total\nVERSION: str = '1'\n"),
        (
            "shop/cart.py",
            "import os\nclass Cart:\n    pass\n\ndef total(items):\n    return 0\n\nRATE, TAX = 1, 2\nif os:\n    extra = 1\n",
        ),
        ("shop/tax/rules.py", "def rate(): ...\n"),
        ("shop/lazy.py", "def __getattr__(name):\n    return name\n"),
        ("app.py", ""),
    ];

    #[test]
    fn modules_that_are_not_there() {
        assert_eq!(
            problems("app.py", "from shop.crt import total\n", &SHOP),
            ["1: there is no module `shop.crt` (did you mean `cart`?)"]
        );
        assert_eq!(
            problems("shop/x.py", "from .nope import a\nfrom ..up import b\n", &SHOP),
            ["1: there is no module `.nope`", "2: there is no module `..up`"]
        );
        assert_eq!(
            problems("app.py", "import shop.cart, shop.nothing as n\n", &SHOP),
            ["1: there is no module `shop.nothing`"]
        );
    }

    /// Fault of the reference: symbols that are found nowhere were not reported.
    #[test]
    fn names_that_are_not_there() {
        assert_eq!(
            problems("app.py", "from shop.cart import Cart, totl\n", &SHOP),
            ["1: `totl` is not in shop/cart.py (did you mean `total`?)"]
        );
    }

    /// Fault of the reference: imports in brackets over several lines were misread.
    #[test]
    fn several_lines() {
        let text = "from shop.cart import (\n    Cart,  # (a, b)\n    RATE as r,\n    missing_one,\n)\nfrom shop.cart import TAX, \\\n    other\n";
        assert_eq!(
            problems("app.py", text, &SHOP),
            ["4: `missing_one` is not in shop/cart.py", "7: `other` is not in shop/cart.py"]
        );
    }

    /// Fault of the reference: a name that a package passes on was reported.
    #[test]
    fn what_is_passed_on_or_cannot_be_known_is_fine() {
        let text = "from shop import total, cart, tax, VERSION\nfrom shop.cart import extra, RATE, TAX\nfrom shop.lazy import anything\n\
                    from shop.tax import rules\nimport numpy as np\nfrom django.db import models\nfrom . import app\nfrom shop.cart import *\n\
                    try:\n    from shop.fast import x\nexcept ImportError:\n    from shop.slow import x\n";
        assert_eq!(problems("app.py", text, &SHOP), Vec::<String>::new());
    }

    #[test]
    fn text_and_comments_import_nothing() {
        assert!(problems("app.py", "\"\"\"\nfrom shop.nope import x\n\"\"\"\n# from shop.nope import x\ns = 'import shop.nope'\n", &SHOP).is_empty());
    }

    #[test]
    fn a_src_folder_is_a_root() {
        let files = [("src/pkg/__init__.py", ""), ("src/pkg/a.py", "x = 1\n")];
        assert!(problems("tests/test_a.py", "from pkg.a import x\n", &files).is_empty());
        assert_eq!(
            problems("tests/test_a.py", "from pkg.a import y\n", &files),
            ["1: `y` is not in src/pkg/a.py"]
        );
    }
}
