//! Go: packages of the module itself that are no folder, and modules that go.mod does not require.

use super::hint;
use super::{Comments, MAX_PROBLEMS, Problem, blank, line_at};
use crate::detect::{Tree, folders_above, join};

/// First parts of the standard library.
const STANDARD: [&str; 48] = [
    "archive", "arena", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto",
    "database", "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html",
    "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin",
    "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall",
    "testing", "text", "time", "unicode",
];

pub(super) fn check(file: &str, text: &str, tree: &dyn Tree) -> Vec<Problem> {
    let Some(folder) = folders_above(file).find(|folder| tree.is_file(&join(folder, "go.mod"))) else {
        return Vec::new();
    };
    let manifest = tree.read(&join(folder, "go.mod")).unwrap_or_default();
    let module = manifest.lines().find_map(|line| line.trim().strip_prefix("module ")).unwrap_or_default();
    let module = module.trim().trim_matches('"');
    let workspace = folders_above(file).any(|folder| tree.is_file(&join(folder, "go.work")));
    let clean = blank(text, Comments::Slashes, false);
    let mut problems = Vec::new();
    for (at, path) in imports(&clean) {
        let problem = if path == "C" || path.starts_with("./") || module.is_empty() {
            None
        } else if path == module || path.starts_with(&format!("{module}/")) {
            own(path.strip_prefix(module).unwrap_or_default().trim_start_matches('/'), folder, tree)
        } else {
            foreign(&path, &manifest, folder, workspace, tree)
        };
        if let Some(text) = problem {
            problems.push(Problem {
                line: line_at(&clean, at),
                text: format!("`{path}`: {text}"),
                about: path,
                symbols: Vec::new(),
            });
        }
    }
    problems
}

/// A package of the module: a folder with Go files.
fn own(inside: &str, folder: &str, tree: &dyn Tree) -> Option<String> {
    let path = if inside.is_empty() { folder.to_owned() } else { join(folder, inside) };
    if tree.list(&path).iter().any(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "go")) {
        return None;
    }
    let (above, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let there = tree.list(above);
    let what = if tree.is_dir(&path) { "its folder has no Go files" } else { "there is no such folder" };
    Some(format!("{what}{}", hint(name, there.iter().map(String::as_str))))
}

/// A package of another module, or of the standard library.
fn foreign(path: &str, manifest: &str, folder: &str, workspace: bool, tree: &dyn Tree) -> Option<String> {
    let first = path.split('/').next().unwrap_or(path);
    if !first.contains('.') {
        let known = STANDARD.contains(&first)
            || matches!(first, "unique" | "unsafe" | "weak" | "vendor" | "cmd" | "maps");
        return (!known && !workspace && !manifest.contains(first))
            .then(|| format!("it is not in the standard library{}", hint(first, STANDARD)));
    }
    let required = manifest.lines().any(|line| {
        let line = line.trim().trim_start_matches("require").trim_start_matches("replace").trim();
        let name = line.split_whitespace().next().unwrap_or_default();
        !name.is_empty() && (path == name || path.starts_with(&format!("{name}/")))
    });
    let vendored = tree.is_dir(&join(folder, &format!("vendor/{path}")));
    (!required && !vendored && !workspace).then(|| "go.mod does not require it".to_owned())
}

/// `import "a"` and `import ( x "a" … )`.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if inside && content.starts_with(')') {
            inside = false;
        } else if content.starts_with("import (") || content.starts_with("import(") {
            inside = !content.contains(')');
            found.extend(path_in(content, at));
        } else if inside || content.starts_with("import ") {
            found.extend(path_in(content, at));
        } else if content.starts_with("func ") || content.starts_with("type ") {
            break;
        }
        if found.len() >= MAX_PROBLEMS {
            break;
        }
        at += line.len();
    }
    found
}

fn path_in(line: &str, at: usize) -> Option<(usize, String)> {
    let quote = line.chars().find(|c| matches!(c, '"' | '`'))?;
    let path = line.split(quote).nth(1)?;
    (!path.is_empty()).then(|| (at, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::memory::Memory;

    #[test]
    fn packages_that_are_not_there() {
        let tree = Memory::of(&[
            (
                "go.mod",
                "module example.org/shop\n\ngo 1.21\n\nrequire (\n\tgithub.com/a/b v1.0.0\n)\nrequire golang.org/x/net v0.1.0\n",
            ),
            ("cart/cart.go", "package cart"),
            ("main.go", ""),
        ]);
        let text = "package main\n\nimport \"fmt\"\nimport (\n\t\"example.org/shop/cart\"\n\tc \"example.org/shop/crat\" // \"x\"\n\t\"github.com/a/b/deep\"\n\t\"github.com/c/d\"\n\t\"golang.org/x/net/html\"\n\t_ \"embed\"\n\t\"strngs\"\n)\n\nfunc main() { s := \"nope/x\" }\n";
        let got: Vec<String> =
            check("main.go", text, &tree).into_iter().map(|p| format!("{}: {}", p.line, p.text)).collect();
        assert_eq!(
            got,
            [
                "6: `example.org/shop/crat`: there is no such folder (did you mean `cart`?)",
                "8: `github.com/c/d`: go.mod does not require it",
                "11: `strngs`: it is not in the standard library (did you mean `strings`?)"
            ]
        );
        assert!(check("main.go", text, &Memory::of(&[("main.go", "")])).is_empty(), "no module");
    }
}
