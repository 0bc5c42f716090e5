//! TypeScript and JavaScript: `import`, `export … from`, `require`, `import()`, also over several lines.

use super::hint;
use super::{Comments, MAX_PROBLEMS, Problem, blank, folder_of, has_word, line_at, normal};
use crate::detect::{Tree, folders_above, join};
use serde_json::Value;

struct Import {
    line: u32,
    from: String,
    /// Names as the module must export them, with their lines. `default` is one.
    names: Vec<(String, u32)>,
}

const ENDINGS: [&str; 12] =
    [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte"];

pub(super) fn check(file: &str, text: &str, tree: &dyn Tree) -> Vec<Problem> {
    let clean = blank(text, Comments::Slashes, false);
    let mut problems = Vec::new();
    for import in imports(&clean) {
        match resolve(file, &import.from, tree) {
            Where::Unknown => {}
            Where::Missing(hint) => problems.push(Problem {
                line: import.line,
                about: import.from.clone(),
                text: format!("there is no module `{}`{hint}", import.from),
                symbols: import.names.iter().map(|(name, _)| name.clone()).collect(),
            }),
            Where::File(path) => names(&import, &path, tree, &mut problems),
        }
    }
    problems
}

fn names(import: &Import, path: &str, tree: &dyn Tree, problems: &mut Vec<Problem>) {
    let readable = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    if import.names.is_empty() || !readable.iter().any(|ending| path.ends_with(ending)) {
        return;
    }
    let text = tree.read(path).map(|text| blank(&text, Comments::Slashes, false)).unwrap_or_default();
    let Some(exports) = exports(&text) else { return };
    for (name, line) in import.names.iter().filter(|(name, _)| !exports.contains(name)) {
        let text = if name == "default" {
            format!("{path} has no default export")
        } else {
            format!("`{name}` is not exported by {path}{}", hint(name, exports.iter().map(String::as_str)))
        };
        let about = if name == "default" { import.from.clone() } else { name.clone() };
        problems.push(Problem { line: *line, about, text, symbols: vec![name.clone()] });
    }
}

enum Where {
    Unknown,
    Missing(String),
    File(String),
}

fn resolve(file: &str, from: &str, tree: &dyn Tree) -> Where {
    let from = from.split(['?', '#']).next().unwrap_or(from);
    if from.starts_with("./") || from.starts_with("../") || from == "." || from == ".." {
        let Some(path) = normal(&join(folder_of(file), from)) else { return Where::Unknown };
        return found(&path, tree).map_or_else(|| missing(&path, tree), Where::File);
    }
    if let Some(where_) = alias(file, from, tree) {
        return where_;
    }
    package(file, from, tree)
}

fn found(path: &str, tree: &dyn Tree) -> Option<String> {
    let exact = Some(path.to_owned()).filter(|path| tree.is_file(path));
    let with = || ENDINGS.iter().map(|ending| format!("{path}{ending}")).find(|path| tree.is_file(path));
    // `./a.js` means `./a.ts` where the compiler writes the former.
    let written = || {
        let (stem, ending) = path.rsplit_once('.')?;
        let sources: &[&str] = match ending {
            "js" => &[".ts", ".tsx", ".d.ts"],
            "jsx" => &[".tsx"],
            "mjs" => &[".mts", ".d.mts"],
            "cjs" => &[".cts", ".d.cts"],
            _ => &[],
        };
        sources.iter().map(|source| format!("{stem}{source}")).find(|path| tree.is_file(path))
    };
    let index =
        || ENDINGS.iter().map(|ending| join(path, &format!("index{ending}"))).find(|path| tree.is_file(path));
    let described = || Some(join(path, "package.json")).filter(|path| tree.is_file(path));
    exact.or_else(with).or_else(written).or_else(index).or_else(described)
}

fn missing(path: &str, tree: &dyn Tree) -> Where {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let there = tree.list(folder);
    let stem = |entry: &str| entry.split('.').next().unwrap_or(entry).to_owned();
    let names: Vec<String> = there.iter().map(|entry| stem(entry)).collect();
    Where::Missing(hint(&stem(name), names.iter().map(String::as_str)))
}

/// An alias of `compilerOptions.paths`. `None` when there is none for it.
fn alias(file: &str, from: &str, tree: &dyn Tree) -> Option<Where> {
    let config_folder = folders_above(file).find(|folder| tree.is_file(&join(folder, "tsconfig.json")))?;
    let text = tree.read(&join(config_folder, "tsconfig.json"))?;
    let config: Value =
        serde_json::from_str(&without_commas(&blank(&text, Comments::Slashes, false))).ok()?;
    let options = config.get("compilerOptions")?;
    let base = options.get("baseUrl").and_then(Value::as_str).unwrap_or(".");
    for (pattern, targets) in options.get("paths").and_then(Value::as_object)? {
        let rest = match pattern.split_once('*') {
            Some((before, after)) => from.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)),
            None => (pattern == from).then_some(""),
        };
        let Some(rest) = rest else { continue };
        let targets: Vec<&str> = targets.as_array()?.iter().filter_map(Value::as_str).collect();
        let paths = targets
            .iter()
            .filter_map(|target| normal(&join(&join(config_folder, base), &target.replace('*', rest))));
        let paths: Vec<String> = paths.collect();
        let hit = paths.iter().find_map(|path| found(path, tree));
        return Some(match (hit, paths.first()) {
            (Some(hit), _) => Where::File(hit),
            // A pattern for everything is how some say where types lie.
            (None, Some(path)) if pattern != "*" => missing(path, tree),
            _ => Where::Unknown,
        });
    }
    None
}

/// JSON as people write it into a tsconfig: a comma before a closing bracket goes.
fn without_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut comma: Option<usize> = None;
    for c in text.chars() {
        match c {
            ',' => comma = Some(out.len()),
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
            }
            c if c.is_whitespace() => {}
            _ => comma = None,
        }
        out.push(c);
    }
    out
}

/// A package: wrong only where packages are installed and this one neither is nor is declared.
fn package(file: &str, from: &str, tree: &dyn Tree) -> Where {
    let plain = from.starts_with(|c: char| c.is_ascii_lowercase() || c == '@');
    if !plain || from.contains(':') || from.starts_with("@/") || is_node(from) {
        return Where::Unknown;
    }
    let mut parts = from.split('/');
    let first = parts.next().unwrap_or_default();
    let name = if first.starts_with('@') {
        format!("{first}/{}", parts.next().unwrap_or_default())
    } else {
        first.to_owned()
    };
    let folders: Vec<&str> = folders_above(file).collect();
    let installed = |folder: &&str| tree.is_dir(&join(folder, "node_modules"));
    if !folders.iter().any(installed) || name.ends_with('/') {
        return Where::Unknown;
    }
    let there = |folder: &&str| {
        tree.is_dir(&join(folder, &format!("node_modules/{name}")))
            || tree.is_dir(&join(folder, &format!("node_modules/@types/{}", name.trim_start_matches('@').replace('/', "__"))))
            // Declared is enough: the name of a workspace's own package, an alias, a package that a tool provides.
            || tree.read(&join(folder, "package.json")).is_some_and(|text| text.contains(&format!("\"{name}\"")))
            || tree.read(&join(folder, "tsconfig.json")).is_some_and(|text| text.contains("baseUrl"))
            || tree.is_dir(&join(folder, &name))
    };
    if folders.iter().any(there) {
        return Where::Unknown;
    }
    let packages: Vec<String> =
        folders.iter().flat_map(|folder| tree.list(&join(folder, "node_modules"))).collect();
    Where::Missing(hint(&name, packages.iter().map(String::as_str)))
}

fn is_node(from: &str) -> bool {
    const NODE: [&str; 44] = [
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto",
        "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https",
        "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring",
        "readline", "repl", "sea", "sqlite", "stream", "string_decoder", "sys", "test", "timers", "tls",
        "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "zlib",
    ];
    let first = from.split('/').next().unwrap_or(from);
    NODE.contains(&first) || matches!(first, "worker_threads" | "bun" | "electron" | "vscode")
}

/// The statements of a text without comments.
fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for word in ["import", "export", "require"] {
        for (at, _) in text.match_indices(word) {
            if found.len() >= MAX_PROBLEMS {
                return found;
            }
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_alphanumeric() || "_$.'\"`@/-".contains(c)) {
                continue;
            }
            let rest = text.get(at + word.len()..).unwrap_or_default();
            found.extend(if word == "require" {
                called(rest, at, text)
            } else {
                statement(word, rest, at, text)
            });
        }
    }
    found
}

/// `require('x')` and `import('x')`.
fn called(rest: &str, at: usize, text: &str) -> Option<Import> {
    let inside = rest.trim_start().strip_prefix('(')?.trim_start();
    let (from, after) = quoted(inside)?;
    after.trim_start().starts_with([')', ',']).then(|| Import {
        line: line_at(text, at),
        from,
        names: Vec::new(),
    })
}

fn statement(word: &str, rest: &str, at: usize, text: &str) -> Option<Import> {
    let trimmed = rest.trim_start();
    if word == "import" {
        if trimmed.starts_with('(') {
            return called(rest, at, text);
        }
        if let Some((from, _)) = quoted(trimmed) {
            return Some(Import { line: line_at(text, at), from, names: Vec::new() });
        }
    }
    // Up to the quote that begins the module's name; a statement ends before another could begin.
    let end = rest.find(['\'', '"', ';', '=', '('])?;
    let clause = rest.get(..end)?;
    let clause_text = clause.trim_end().strip_suffix("from")?;
    if !clause_text.ends_with(|c: char| c.is_whitespace() || "}*".contains(c)) || clause.contains('`') {
        return None;
    }
    let (from, _) = quoted(rest.get(end..)?)?;
    let names = names_of(word, clause_text, at + word.len(), text);
    let line = line_at(text, at + word.len() + end);
    Some(Import { line, from, names })
}

fn names_of(word: &str, clause: &str, start: usize, text: &str) -> Vec<(String, u32)> {
    let mut names = Vec::new();
    let braces = clause.find('{').zip(clause.rfind('}')).filter(|(open, close)| open < close);
    let head = braces.map_or(clause, |(open, _)| clause.get(..open).unwrap_or_default());
    let head = head.trim().trim_end_matches(',').trim();
    let head = head.strip_prefix("type ").unwrap_or(head).trim();
    if word == "import" && !head.is_empty() && head != "type" && !head.starts_with('*') {
        names.push(("default".to_owned(), line_at(text, start)));
    }
    let Some((open, close)) = braces else { return names };
    let mut place = open + 1;
    for part in clause.get(open + 1..close).unwrap_or_default().split(',') {
        let item = part.trim();
        let item =
            item.strip_prefix("type ").filter(|rest| !rest.trim_start().starts_with("as ")).unwrap_or(item);
        let name = item.split_whitespace().next().unwrap_or_default();
        if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            names.push((name.to_owned(), line_at(text, start + place + part.find(name).unwrap_or(0))));
        }
        place += part.len() + 1;
    }
    names
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (inside, after) = text.get(1..)?.split_once(quote)?;
    (!inside.is_empty() && !inside.contains(['\n', '\\'])).then(|| (inside.to_owned(), after))
}

/// The names that a module exports; `None` when that cannot be read off its text.
fn exports(text: &str) -> Option<Vec<String>> {
    if has_word(text, "module.exports")
        || text.contains("exports.")
        || text.contains("export =")
        || text.contains("export import")
    {
        return None;
    }
    let mut found = Vec::new();
    for (at, _) in text.match_indices("export") {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + "export".len()..).unwrap_or_default();
        if before.is_some_and(|c| c.is_alphanumeric() || "_$.".contains(c))
            || !rest.starts_with([' ', '\n', '\t', '{', '*'])
        {
            continue;
        }
        let rest = rest.trim_start();
        let rest = rest
            .strip_prefix("type ")
            .filter(|rest| rest.trim_start().starts_with(['{', '*']))
            .map_or(rest, str::trim_start);
        if let Some(star) = rest.strip_prefix('*') {
            // What another module exports is not looked up; one that is named is a name.
            let name =
                star.trim_start().strip_prefix("as ").and_then(|name| name.split_whitespace().next())?;
            found.push(name.to_owned());
        } else if let Some(list) = rest.strip_prefix('{') {
            for part in list.split('}').next().unwrap_or_default().split(',') {
                let name = part.split_whitespace().next_back().unwrap_or_default();
                found.push(name.to_owned());
            }
        } else if rest.starts_with("default") {
            found.push("default".to_owned());
        } else {
            found.extend(declared(rest)?);
        }
    }
    Some(found)
}

/// The names of a declaration; `None` when it takes something apart.
fn declared(rest: &str) -> Option<Vec<String>> {
    const WORDS: [&str; 14] = [
        "declare", "abstract", "async", "const", "let", "var", "function", "function*", "class", "interface",
        "type", "enum", "namespace", "module",
    ];
    let mut rest = rest;
    loop {
        rest = rest.trim_start().trim_start_matches('*').trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let word = rest.get(..end)?;
        if word.is_empty() {
            return None;
        }
        if !WORDS.contains(&word) {
            let mut names = vec![word.to_owned()];
            // `let a = 1, b = 2`: further names are rare; the line is searched for them.
            let line = rest.lines().next().unwrap_or_default();
            let after = line.split(',').skip(1).filter_map(|part| part.split('=').next());
            names.extend(after.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
            return Some(names);
        }
        rest = rest.get(end..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::memory::Memory;

    fn problems(file: &str, text: &str, files: &[(&str, &str)]) -> Vec<String> {
        check(file, text, &Memory::of(files)).into_iter().map(|p| format!("{}: {}", p.line, p.text)).collect()
    }

    const SHOP: [(&str, &str); 7] = [
        (
            "src/cart.ts",
            "export interface Item { price: number }\nexport async function total(i: Item[]) {}\nexport const RATE = 1, TAX = 2;\nexport default class Cart {}\nconst hidden = 1;\nexport { hidden as shown };\n",
        ),
        ("src/util/index.ts", "export * from './deep';\n"),
        ("src/util/deep.ts", "export const x = 1;\n"),
        ("src/old.js", "module.exports = { a: 1 };\n"),
        ("src/plain.tsx", "export function Page() { return null }\n"),
        ("src/logo.svg", ""),
        (
            "tsconfig.json",
            "{ // here\n \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"], }, } }",
        ),
    ];

    #[test]
    fn modules_that_are_not_there() {
        assert_eq!(
            problems(
                "src/app.ts",
                "import { total } from './crat';\nimport './nothing.css';\nconst x = require('../gone');\nexport * from './nope';\nawait import('./lazy');\n",
                &SHOP
            ),
            [
                "1: there is no module `./crat` (did you mean `cart`?)",
                "2: there is no module `./nothing.css`",
                "5: there is no module `./lazy`",
                "4: there is no module `./nope`",
                "3: there is no module `../gone`"
            ]
        );
        assert_eq!(
            problems("src/app.ts", "import { a } from '@/crt';\n", &SHOP),
            ["1: there is no module `@/crt` (did you mean `cart`?)"]
        );
    }

    #[test]
    fn names_that_are_not_there_over_several_lines() {
        let text = "import Cart, {\n  total,\n  type Item,\n  shown,\n  hidden,\n  RAET as r,\n} from \"./cart\";\nimport Page from './plain';\n";
        assert_eq!(
            problems("src/app.ts", text, &SHOP),
            [
                "5: `hidden` is not exported by src/cart.ts",
                "6: `RAET` is not exported by src/cart.ts (did you mean `RATE`?)",
                "8: src/plain.tsx has no default export"
            ]
        );
    }

    #[test]
    fn what_is_passed_on_or_cannot_be_known_is_fine() {
        let text = "import { x, anything } from './util';\nimport { a } from './old';\nimport logo from './logo.svg';\nimport * as all from './cart.js';\n\
                    import React from 'react';\nimport fs from 'node:fs';\nimport { total } from '@/cart';\nimport type Cart from './cart';\n\
                    import type { Item } from './cart';\n// import { y } from './nope';\nconst s = \"import q from './nope'\";\nexport { total as t } from './cart';\n";
        assert_eq!(problems("src/app.ts", text, &SHOP), Vec::<String>::new());
    }

    #[test]
    fn packages_only_where_packages_are() {
        let files = [
            ("node_modules/react/index.js", ""),
            ("package.json", "{\"dependencies\":{\"zod\":\"1\"}}"),
            ("a.ts", ""),
        ];
        assert_eq!(
            problems("a.ts", "import x from 'raect';\n", &files),
            ["1: there is no module `raect` (did you mean `react`?)"]
        );
        assert!(
            problems(
                "a.ts",
                "import z from 'zod';\nimport r from 'react/jsx-runtime';\nimport f from 'fs/promises';\n",
                &files
            )
            .is_empty()
        );
        assert!(
            problems("a.ts", "import x from 'raect';\n", &[("a.ts", "")]).is_empty(),
            "nothing is installed"
        );
    }
}
