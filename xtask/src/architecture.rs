//! The architecture as `architecture.toml` says it: checked against `cargo metadata` and the sources by the tests below,
//! and written into ARCHITECTURE.md by `cargo xtask docs`.

use crate::root;
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the file says of one crate.
pub(crate) struct CrateRules {
    about: String,
    never: String,
    uses: BTreeSet<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests look at it"))]
    pure: bool,
}

/// A file or folder that may name an agent, and why.
#[cfg_attr(not(test), expect(dead_code, reason = "only the tests look at it"))]
pub(crate) struct AgentNameException {
    path: String,
    reason: String,
}

/// The whole file.
pub(crate) struct Architecture {
    crates: BTreeMap<String, CrateRules>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests look at it"))]
    agent_names: Vec<AgentNameException>,
}

/// Reads `architecture.toml`.
pub(crate) fn read() -> anyhow::Result<Architecture> {
    let path = root().join("architecture.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let table: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let mut crates = BTreeMap::new();
    for (name, value) in table.get("crates").and_then(toml::Value::as_table).into_iter().flatten() {
        let word = |key: &str| {
            value
                .get(key)
                .and_then(toml::Value::as_str)
                .map(str::to_owned)
                .with_context(|| format!("crates.{name}: `{key}` is missing"))
        };
        let uses = value.get("uses").and_then(toml::Value::as_array).into_iter().flatten();
        let uses = uses.filter_map(toml::Value::as_str).map(str::to_owned).collect();
        let pure = value.get("pure").and_then(toml::Value::as_bool).unwrap_or(false);
        crates.insert(name.clone(), CrateRules { about: word("about")?, never: word("never")?, uses, pure });
    }
    let mut agent_names = Vec::new();
    for value in table.get("agent_names").and_then(toml::Value::as_array).into_iter().flatten() {
        let word = |key: &str| value.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        agent_names.push(AgentNameException { path: word("path"), reason: word("reason") });
    }
    Ok(Architecture { crates, agent_names })
}

impl Architecture {
    /// The layers, the lowest first: a crate stands above everything that it uses.
    fn layers(&self) -> Vec<Vec<&str>> {
        let mut layers: Vec<Vec<&str>> = Vec::new();
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        while placed.len() < self.crates.len() {
            let next: Vec<&str> = self
                .crates
                .iter()
                .filter(|(name, rules)| {
                    !placed.contains(name.as_str())
                        && rules.uses.iter().all(|used| placed.contains(used.as_str()))
                })
                .map(|(name, _)| name.as_str())
                .collect();
            if next.is_empty() {
                break;
            }
            placed.extend(&next);
            layers.push(next);
        }
        layers
    }

    /// The generated part of ARCHITECTURE.md: the layers, and a row per crate.
    pub(crate) fn map(&self) -> anyhow::Result<String> {
        let mut out = String::from("```text\n");
        for (number, layer) in self.layers().iter().enumerate().rev() {
            writeln!(out, "{:>2}  {}", number + 1, layer.join("  "))?;
        }
        out.push_str("```\n\nA crate uses crates of lower lines only.\n\n| crate | what | never | uses |\n|---|---|---|---|\n");
        for name in self.layers().into_iter().flatten() {
            if let Some(rules) = self.crates.get(name) {
                let uses: Vec<&str> = rules.uses.iter().map(String::as_str).collect();
                writeln!(out, "| `{name}` | {} | {} | {} |", rules.about, rules.never, uses.join(", "))?;
            }
        }
        Ok(out)
    }
}

/// Every file below a folder with this ending, in order.
#[cfg_attr(not(test), expect(dead_code, reason = "only the tests look at it"))]
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]
    use super::*;
    use serde_json::Value;

    const FAMILIES: [&str; 7] = ["session", "context", "guard", "verify", "code", "memory", "team"];

    /// The crates of this workspace that each crate depends on, outside of its tests.
    fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
        let output = std::process::Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .current_dir(root())
            .output()
            .unwrap();
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = BTreeMap::new();
        for package in metadata["packages"].as_array().unwrap() {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap());
            let folder = manifest.parent().unwrap();
            if folder.parent() != Some(&root().join("crates")) {
                continue;
            }
            let uses = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|dependency| dependency["kind"].is_null() && dependency["optional"] == false)
                .filter_map(|dependency| {
                    dependency["name"].as_str()?.strip_prefix("sprag-").map(str::to_owned)
                })
                .collect();
            found.insert(folder.file_name().unwrap().to_string_lossy().into_owned(), uses);
        }
        found
    }

    fn shown(path: &Path) -> String {
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    }

    /// The lines of a source file that are neither comment nor test, with their numbers.
    fn code_lines(path: &Path) -> Vec<(usize, String)> {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            // Tests stand at the end of a file.
            if line.trim_start().starts_with("#[cfg(") && line.contains("test") {
                break;
            }
            let code = line.trim_start();
            if !code.starts_with("//") {
                lines.push((number + 1, line.split(" // ").next().unwrap_or(line).to_owned()));
            }
        }
        lines
    }

    #[test]
    fn crates_depend_on_what_the_architecture_says_and_on_nothing_else() {
        let rules = read().unwrap();
        let found = dependencies();
        let named: BTreeSet<&String> = rules.crates.keys().collect();
        assert_eq!(named, found.keys().collect(), "architecture.toml and crates/ list different crates");
        for (name, uses) in &found {
            assert_eq!(
                &rules.crates[name].uses, uses,
                "crates/{name} depends on other crates than architecture.toml says"
            );
        }
    }

    #[test]
    fn pure_crates_share_one_lint_file() {
        let rules = read().unwrap();
        let pure: Vec<&String> =
            rules.crates.iter().filter(|(_, rules)| rules.pure).map(|(name, _)| name).collect();
        let text = |name: &str| std::fs::read_to_string(root().join("crates").join(name).join("clippy.toml"));
        let first = text(pure.first().unwrap()).expect("a pure crate has a clippy.toml");
        for name in pure {
            assert_eq!(text(name).ok().as_deref(), Some(first.as_str()), "crates/{name}/clippy.toml differs");
            assert!(
                rules.crates[name].uses.iter().all(|used| rules.crates[used].pure),
                "crates/{name} is pure and uses a crate that is not"
            );
        }
    }

    /// `hooks` has hooks and nothing else: a file or folder of a family is named after a builtin.
    #[test]
    fn hooks_contains_only_hooks() {
        let names: BTreeSet<String> =
            sprag_hooks::SPECS.iter().map(|hook| hook.name.replace('-', "_")).collect();
        let src = root().join("crates/hooks/src");
        for path in files_below(&src, ".rs") {
            let inside = path.strip_prefix(&src).unwrap();
            let parts: Vec<String> =
                inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            let fine = match parts.as_slice() {
                [file] => file == "lib.rs",
                [family, file] if file == "mod.rs" => FAMILIES.contains(&family.as_str()),
                [family, file, ..] => {
                    let hook = file.strip_suffix(".rs").unwrap_or(file);
                    FAMILIES.contains(&family.as_str()) && names.contains(hook)
                }
                [] => false,
            };
            assert!(fine, "{} is no hook: it belongs to the crate of its subject", shown(&path));
        }
        for family in FAMILIES {
            let code = code_lines(&src.join(family).join("mod.rs"));
            let other =
                code.iter().find(|(_, line)| !line.trim().is_empty() && !line.starts_with("pub mod "));
            assert!(other.is_none(), "crates/hooks/src/{family}/mod.rs has more than its hooks: {other:?}");
        }
    }

    /// A hook can be read, changed and removed alone.
    #[test]
    fn no_hook_imports_another() {
        let src = root().join("crates/hooks/src");
        for family in FAMILIES {
            for path in files_below(&src.join(family), ".rs") {
                let inside = path.strip_prefix(src.join(family)).unwrap();
                let nested = inside.components().count() > 1;
                let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
                let own = format!("crate::{family}::{}", first.trim_end_matches(".rs"));
                for (number, line) in code_lines(&path) {
                    let other = line.contains("crate::") && !line.contains(&own) && !line.contains('"')
                        || !nested && line.contains("use super::");
                    assert!(!other, "{}:{number} imports another hook: {line}", shown(&path));
                }
            }
        }
    }

    /// What is about one agent is in that agent's folder.
    #[test]
    fn an_agent_is_named_in_its_own_folder_only() {
        let rules = read().unwrap();
        let agents: Vec<String> = std::fs::read_dir(root().join("crates/protocol/src/agents"))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert!(agents.len() >= 4, "{agents:?}");
        for exception in &rules.agent_names {
            assert!(!exception.reason.is_empty(), "{} needs a reason", exception.path);
            assert!(root().join(&exception.path).exists(), "{} is not there", exception.path);
        }
        let mut found = Vec::new();
        let mut used = BTreeSet::new();
        for path in files_below(&root().join("crates"), ".rs") {
            let name = shown(&path);
            let is_source = name.split('/').nth(2) == Some("src");
            let is_test = name.contains("/tests") || name.starts_with("crates/testkit/");
            if !is_source || is_test || name.starts_with("crates/protocol/src/agents/") {
                continue;
            }
            for (number, line) in code_lines(&path) {
                let lower = line.to_ascii_lowercase();
                // These are ordinary words or other programs too: an index, a place in a text, an escaped `&`, a tool for migrations.
                let names_one = agents
                    .iter()
                    .filter(|agent| !["pi", "cursor", "amp", "goose"].contains(&agent.as_str()))
                    .any(|agent| lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == agent));
                if !names_one {
                    continue;
                }
                match rules.agent_names.iter().find(|exception| name.starts_with(&exception.path)) {
                    Some(exception) => {
                        used.insert(exception.path.clone());
                    }
                    None => found.push(format!("{name}:{number}: {}", line.trim())),
                }
            }
        }
        assert!(found.is_empty(), "agents are named outside of their folders:\n{}", found.join("\n"));
        for exception in &rules.agent_names {
            assert!(used.contains(&exception.path), "{} names no agent any more", exception.path);
        }
    }

    /// True when the phrase stands in the line as whole words.
    fn has_phrase(line: &str, phrase: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        line.match_indices(phrase).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            let after = line.get(at + phrase.len()..).unwrap_or_default();
            !before.ends_with(is_word) && !after.starts_with(is_word)
        })
    }

    /// Standard terms in sources and docs: what `[words]` lists does not come back.
    #[test]
    fn phrases_with_a_standard_term_are_not_used() {
        let text = std::fs::read_to_string(root().join("architecture.toml")).unwrap();
        let table: toml::Table = text.parse().unwrap();
        let words: Vec<(&str, &str)> = table["words"]
            .as_table()
            .unwrap()
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str().unwrap()))
            .collect();
        let names: Vec<&str> =
            table["names"]["words"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let exceptions = table["words_exceptions"].as_array().unwrap();
        let mut found = Vec::new();
        let folders = ["crates", "docs", "e2e", "examples", "xtask"];
        let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
        let files = folders.iter().flat_map(|folder| {
            [".rs", ".md", ".toml"].iter().flat_map(move |ending| files_below(&root().join(folder), ending))
        });
        for path in files.chain(pages.iter().map(|page| root().join(page))) {
            let shown = shown(&path);
            if exceptions.iter().any(|exception| shown.starts_with(exception["path"].as_str().unwrap())) {
                continue;
            }
            for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
                let lower = line.to_lowercase().replace('_', " ");
                let phrase = words.iter().find(|(phrase, _)| has_phrase(&lower, phrase));
                let name = names
                    .iter()
                    .map(|name| (*name, "a name that says which"))
                    .find(|(name, _)| has_phrase(line, name));
                if let Some((phrase, instead)) = phrase.copied().or(name) {
                    found.push(format!("{shown}:{}: `{phrase}`: write {instead}", number + 1));
                }
            }
        }
        assert!(found.is_empty(), "words that have a standard term:\n{}", found.join("\n"));
    }

    /// The table "to change X, open Y" leads to files that are there.
    #[test]
    fn paths_in_the_architecture_page_are_there() {
        let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
        let paths = page.split('`').filter(|word| word.starts_with("crates/") && !word.contains('<'));
        let missing: Vec<&str> = paths.filter(|path| !root().join(path).exists()).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
    }

    /// A crate is one noun; one that is larger than this has probably become two. Exceptions are in the file, with their size.
    #[test]
    fn no_crate_is_larger_than_its_limit() {
        const MAX_LINES: i64 = 15_000;
        let text = std::fs::read_to_string(root().join("architecture.toml")).unwrap();
        let table: toml::Table = text.parse().unwrap();
        for (name, rules) in table["crates"].as_table().unwrap() {
            let most = rules.get("max_lines").and_then(toml::Value::as_integer).unwrap_or(MAX_LINES);
            let lines: usize = files_below(&root().join("crates").join(name).join("src"), ".rs")
                .iter()
                .map(|path| std::fs::read_to_string(path).unwrap().lines().count())
                .sum();
            assert!(lines as i64 <= most, "crates/{name}/src has {lines} lines: is it still one noun?");
        }
    }
}
