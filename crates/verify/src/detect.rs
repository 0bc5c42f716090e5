//! Which checkers a changed file calls for, and where each is run: read off the project's files.

use crate::table::{CHECKERS, Checker};

/// A project's files as far as somebody looks. Paths are below the root, with slashes; the root is empty.
pub trait Tree {
    /// True for a regular file.
    fn is_file(&self, path: &str) -> bool;
    /// True for a folder.
    fn is_dir(&self, path: &str) -> bool;
    /// The start of a file's text.
    fn read(&self, path: &str) -> Option<String>;
    /// The names in a folder.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// A checker to run for a file, and where.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The checker.
    pub checker: &'a Checker,
    /// The folder it is run in, below the root.
    pub folder: String,
}

/// The checkers for one file, preferred ones of a group first. `own` are the configuration's; one with a builtin's name
/// stands in its place.
pub fn candidates<'a>(file: &str, own: &'a [Checker], tree: &dyn Tree) -> Vec<Candidate<'a>> {
    let replaced = |row: &&Checker| !own.iter().any(|own| own.name == row.name);
    let rows = own.iter().chain(CHECKERS.iter().filter(replaced));
    rows.filter(|row| !row.command.is_empty() && is_about(row, file))
        .filter_map(|checker| Some(Candidate { checker, folder: folder_for(checker, file, tree)? }))
        .collect()
}

fn is_about(checker: &Checker, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    checker.endings.is_empty() || checker.endings.iter().any(|ending| name.ends_with(ending.as_str()))
}

/// Where the checker is run for the file; `None` when the project does not have it.
fn folder_for(checker: &Checker, file: &str, tree: &dyn Tree) -> Option<String> {
    if checker.markers.is_empty() {
        return Some(String::new());
    }
    let nearest = folders_above(file).find(|folder| checker.markers.iter().any(|m| has(tree, folder, m)))?;
    let outermost =
        folders_above(file).filter(|folder| checker.outer.iter().any(|m| has(tree, folder, m))).last();
    Some(outermost.unwrap_or(nearest).to_owned())
}

/// The folders around a file, the nearest first, the root last.
pub(crate) fn folders_above(file: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(file);
    std::iter::from_fn(move || {
        let folder = rest?.rsplit_once('/').map_or("", |(folder, _)| folder);
        rest = (!folder.is_empty()).then_some(folder);
        Some(folder)
    })
}

fn has(tree: &dyn Tree, folder: &str, marker: &str) -> bool {
    if let Some(ending) = marker.strip_prefix('*') {
        return tree.list(folder).iter().any(|name| name.ends_with(ending));
    }
    let (name, text) = marker.split_once('#').map_or((marker, None), |(name, text)| (name, Some(text)));
    let path = join(folder, name);
    match text {
        None => tree.is_file(&path),
        // A line that begins the file has no line end before it.
        Some(text) => {
            tree.is_file(&path) && tree.read(&path).is_some_and(|read| format!("\n{read}").contains(text))
        }
    }
}

/// A name in a folder.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The package manager of a folder, by its lock file.
pub fn package_manager(folder: &str, tree: &dyn Tree) -> &'static str {
    const LOCKS: [(&str, &str); 5] = [
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("package-lock.json", "npm"),
    ];
    let around = join(folder, "package.json");
    folders_above(&around)
        .find_map(|above| LOCKS.iter().find(|(lock, _)| tree.is_file(&join(above, lock))))
        .map_or("npm", |(_, manager)| manager)
}

/// A tree in memory.
#[cfg(test)]
pub(crate) mod memory {
    use super::Tree;
    use std::collections::BTreeMap;

    pub(crate) struct Memory(pub(crate) BTreeMap<String, String>);

    impl Memory {
        pub(crate) fn of(files: &[(&str, &str)]) -> Self {
            Self(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
        }
    }

    impl Tree for Memory {
        fn is_file(&self, path: &str) -> bool {
            self.0.contains_key(path)
        }
        fn is_dir(&self, path: &str) -> bool {
            path.is_empty() || self.0.keys().any(|file| file.starts_with(&format!("{path}/")))
        }
        fn read(&self, path: &str) -> Option<String> {
            self.0.get(path).cloned()
        }
        fn list(&self, folder: &str) -> Vec<String> {
            let inside = |file: &String| -> Option<String> {
                let rest = if folder.is_empty() { file } else { file.strip_prefix(&format!("{folder}/"))? };
                rest.split('/').next().map(str::to_owned)
            };
            let mut names: Vec<String> = self.0.keys().filter_map(inside).collect();
            names.dedup();
            names
        }
    }
}

#[cfg(test)]
mod tests {
    use super::memory::Memory;
    use super::*;

    fn named(file: &str, files: &[(&str, &str)]) -> Vec<(String, String)> {
        let tree = Memory::of(files);
        let found = candidates(file, &[], &tree);
        found.iter().map(|found| (found.checker.name.clone(), found.folder.clone())).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, folder)| ((*name).to_owned(), (*folder).to_owned())).collect()
    }

    #[test]
    fn rust_is_checked_where_its_workspace_is() {
        let files = [
            ("Cargo.toml", "[workspace]\nmembers=[\"a\"]"),
            ("a/Cargo.toml", "[package]"),
            ("a/src/lib.rs", ""),
        ];
        assert_eq!(named("a/src/lib.rs", &files), pairs(&[("cargo", "")]));
        let alone = [("a/Cargo.toml", "[package]\n[lints.clippy]"), ("a/src/lib.rs", "")];
        assert_eq!(named("a/src/lib.rs", &alone), pairs(&[("cargo", "a"), ("clippy", "a")]));
        assert_eq!(named("a/src/lib.rs", &[]), []);
    }

    #[test]
    fn every_language_of_the_table() {
        for (file, files, expected) in [
            (
                "web/a.ts",
                vec![("web/tsconfig.json", "{}"), ("web/eslint.config.js", "")],
                vec![("tsc", "web"), ("eslint", "web")],
            ),
            ("a.ts", vec![("tsconfig.json", "{\"references\": []}")], vec![("tsc-build", ""), ("tsc", "")]),
            ("a.tsx", vec![("biome.json", "")], vec![("biome", "")]),
            (
                "a.js",
                vec![("package.json", "{\"scripts\":{\"typecheck\": \"x\"}}")],
                vec![("typecheck", ""), ("node", "")],
            ),
            (
                "b.mjs",
                vec![("package.json", "{\"scripts\":{\"build\": \"x\"}}")],
                vec![("npm-build", ""), ("node", "")],
            ),
            ("cmd/m.go", vec![("go.mod", "")], vec![("gofmt", ""), ("go", ""), ("go-vet", "")]),
            (
                "a.py",
                vec![("pyproject.toml", "[tool.ruff]\n[tool.mypy]")],
                vec![("ruff", ""), ("ruff-errors", ""), ("python", ""), ("mypy", "")],
            ),
            (
                "a.py",
                vec![("pyrightconfig.json", "")],
                vec![("ruff-errors", ""), ("python", ""), ("pyright", "")],
            ),
            ("m/src/A.java", vec![("m/build.gradle", ""), ("settings.gradle", "")], vec![("gradle", "")]),
            ("m/A.java", vec![("pom.xml", "<modules>"), ("m/pom.xml", "")], vec![("maven", "")]),
            ("p/A.cs", vec![("p/p.csproj", ""), ("all.sln", "")], vec![("dotnet", "")]),
            ("a.php", vec![("phpstan.neon", "")], vec![("php", ""), ("phpstan", "")]),
            ("a.rb", vec![(".rubocop.yml", "")], vec![("ruby", ""), ("rubocop", "")]),
            ("src/a.c", vec![("Makefile", "all:\n\ncheck: all\n")], vec![("make", "")]),
            ("src/a.c", vec![("Makefile", "all:\n")], vec![]),
            ("a.zig", vec![("justfile", "check:\n  x\n")], vec![("just", "")]),
            ("a.ex", vec![("Taskfile.yml", "tasks:\n  check:\n")], vec![("task", "")]),
            ("a.sh", vec![(".qlty/qlty.toml", "")], vec![("bash", ""), ("qlty", "")]),
            ("README.md", vec![("Cargo.toml", ""), ("tsconfig.json", "")], vec![]),
        ] {
            assert_eq!(named(file, &files), pairs(&expected), "{file}");
        }
    }

    #[test]
    fn a_configured_checker_stands_in_a_builtins_place_or_beside_it() {
        let mut own = CHECKERS.iter().find(|row| row.name == "cargo").unwrap().clone();
        own.command = vec!["make".to_owned()];
        let off = Checker { command: Vec::new(), name: "clippy".into(), ..own.clone() };
        let tree = Memory::of(&[("Cargo.toml", "clippy")]);
        let owns = [own, off];
        let found = candidates("a.rs", &owns, &tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].checker.command[0], "make");
    }

    #[test]
    fn the_package_manager_is_the_lock_files() {
        let tree = Memory::of(&[("pnpm-lock.yaml", ""), ("web/package.json", "")]);
        assert_eq!(package_manager("web", &tree), "pnpm");
        assert_eq!(package_manager("web", &Memory::of(&[])), "npm");
    }
}
