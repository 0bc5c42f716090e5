//! `cargo xtask deps`: licences, bans and sources of all dependencies by `deny.toml`, their minimum Rust version, and
//! dependencies that no source file names. It reads `cargo metadata` and needs no further tool; people who have
//! `cargo-deny` get the same from `cargo deny check`, and advisories besides.

use crate::root;
use anyhow::Context as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

pub(crate) fn run() -> anyhow::Result<()> {
    let (metadata, complete) = metadata()?;
    let policy: toml::Table = std::fs::read_to_string(root().join("deny.toml"))?.parse()?;
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml"))?.parse()?;
    let packages = list(&metadata, "packages");
    let policy = Policy::read(&policy)?;
    let mut faults = policy.faults(packages);
    faults.extend(newer_than_ours(packages, &workspace)?);
    faults.extend(unused(packages, &workspace)?);
    faults.extend(crate::licenses::faults(&metadata)?);
    let foreign = packages.iter().filter(|package| !is_ours(package)).count();
    println!(
        "xtask deps: {foreign} dependencies{}",
        if complete { "" } else { " (of this system alone: offline)" }
    );
    for twice in several_versions(packages) {
        println!("  {twice}");
    }
    println!("  advisories are not checked here: `cargo deny check advisories` fetches their database");
    anyhow::ensure!(faults.is_empty(), "{} faults\n  {}", faults.len(), faults.join("\n  "));
    Ok(())
}

/// The dependency graph of all systems; of this one where the packages of others cannot be fetched.
pub(crate) fn metadata() -> anyhow::Result<(Value, bool)> {
    let ask = |more: &[&str]| -> anyhow::Result<Value> {
        let mut cargo = Command::new("cargo");
        cargo.args(["metadata", "--format-version", "1", "--locked"]).args(more).current_dir(root());
        let output = cargo.output()?;
        anyhow::ensure!(
            output.status.success(),
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    if let Ok(all) = ask(&[]) {
        return Ok((all, true));
    }
    let version = Command::new("rustc").arg("-vV").output()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok((ask(&["--offline", "--filter-platform", host])?, false))
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A package of the workspace has no source.
pub(crate) fn is_ours(package: &Value) -> bool {
    package.get("source").is_none_or(Value::is_null)
}

pub(crate) fn named(package: &Value) -> String {
    format!("{} {}", text(package, "name"), text(package, "version"))
}

/// The part of `deny.toml` that is checked here.
struct Policy {
    licences: BTreeSet<String>,
    banned: BTreeMap<String, String>,
    registries: Vec<String>,
}

impl Policy {
    fn read(table: &toml::Table) -> anyhow::Result<Self> {
        let texts = |section: &str, key: &str| -> anyhow::Result<Vec<String>> {
            let values =
                table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
            let values = values.with_context(|| format!("deny.toml has no list [{section}] {key}"))?;
            Ok(values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect())
        };
        let denied = table.get("bans").and_then(|bans| bans.get("deny")).and_then(toml::Value::as_array);
        let mut banned = BTreeMap::new();
        for entry in denied.context("deny.toml has no list [bans] deny")? {
            let text = |key: &str| entry.get(key).and_then(toml::Value::as_str);
            let name = text("crate").context("an entry of [bans] deny names no crate")?;
            banned.insert(name.to_owned(), text("reason").unwrap_or_default().to_owned());
        }
        Ok(Self {
            licences: texts("licenses", "allow")?.into_iter().collect(),
            banned,
            registries: texts("sources", "allow-registry")?,
        })
    }

    fn faults(&self, packages: &[Value]) -> Vec<String> {
        let mut faults = Vec::new();
        for package in packages.iter().filter(|package| !is_ours(package)) {
            let (name, licence, source) = (named(package), text(package, "license"), text(package, "source"));
            if !self.allows(licence) {
                faults.push(format!("{name}: its licence `{licence}` is not in deny.toml"));
            }
            if let Some(reason) = self.banned.get(text(package, "name")) {
                faults.push(format!("{name}: banned in deny.toml: {reason}"));
            }
            let registry = source.strip_prefix("registry+").unwrap_or_default();
            if !self.registries.iter().any(|allowed| allowed == registry) {
                faults.push(format!("{name}: it comes from {source}, which deny.toml does not allow"));
            }
        }
        faults
    }

    /// Evaluates an SPDX expression; `/` is how older packages write `OR`.
    fn allows(&self, expression: &str) -> bool {
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        self.any(&mut rest) && rest.is_empty()
    }

    fn any(&self, rest: &mut &[&str]) -> bool {
        let mut allowed = self.all(rest);
        while let [word, after @ ..] = *rest
            && *word == "OR"
        {
            *rest = after;
            allowed |= self.all(rest);
        }
        allowed
    }

    fn all(&self, rest: &mut &[&str]) -> bool {
        let mut allowed = self.one(rest);
        while let [word, after @ ..] = *rest
            && *word == "AND"
        {
            *rest = after;
            allowed &= self.one(rest);
        }
        allowed
    }

    fn one(&self, rest: &mut &[&str]) -> bool {
        match *rest {
            ["(", after @ ..] => {
                *rest = after;
                let allowed = self.any(rest);
                let closed = matches!(*rest, [")", ..]);
                *rest = rest.get(1..).unwrap_or_default();
                allowed && closed
            }
            [licence, "WITH", exception, after @ ..] => {
                *rest = after;
                self.licences.contains(&format!("{licence} WITH {exception}"))
            }
            [licence, after @ ..] => {
                *rest = after;
                self.licences.contains(*licence)
            }
            [] => false,
        }
    }
}

/// Dependencies that need a newer compiler than we promise.
fn newer_than_ours(packages: &[Value], workspace: &toml::Table) -> anyhow::Result<Vec<String>> {
    let ours =
        workspace.get("workspace").and_then(|table| table.get("package")?.get("rust-version")?.as_str());
    let ours = ours.context("Cargo.toml has no workspace.package.rust-version")?;
    let newer = packages.iter().filter(|package| numbers(text(package, "rust_version")) > numbers(ours));
    Ok(newer
        .map(|package| {
            format!("{} needs Rust {}, we promise {ours}", named(package), text(package, "rust_version"))
        })
        .collect())
}

/// `1.89` and `1.89.0` are the same version.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

fn several_versions(packages: &[Value]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    several.map(|(name, versions)| format!("several versions of {name}: {}", versions.join(", "))).collect()
}

/// Dependencies that the sources of their crate never name, and workspace entries that no crate uses. Exceptions are
/// written as for cargo-machete: `[package.metadata.cargo-machete] ignored = ["name"]`.
fn unused(packages: &[Value], workspace: &toml::Table) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut used_entries = BTreeSet::new();
    for package in packages.iter().filter(|package| is_ours(package)) {
        let ignored = package.pointer("/metadata/cargo-machete/ignored").and_then(Value::as_array);
        let ignored: Vec<&str> = ignored.into_iter().flatten().filter_map(Value::as_str).collect();
        let folder =
            Path::new(text(package, "manifest_path")).parent().context("a manifest without folder")?;
        let everywhere = sources(folder)?;
        let source = sources(&folder.join("src"))?;
        for dependency in list(package, "dependencies") {
            let name = text(dependency, "name");
            used_entries.insert(name);
            let identifier =
                dependency.get("rename").and_then(Value::as_str).unwrap_or(name).replace('-', "_");
            // A dependency of the crate itself must be named by the crate, not only by its tests.
            let read = if dependency.get("kind").is_none_or(Value::is_null) { &source } else { &everywhere };
            if !ignored.contains(&name) && !names(read, &identifier) {
                faults.push(format!("{}: the dependency `{name}` is not used", text(package, "name")));
            }
        }
    }
    let entries = workspace.get("workspace").and_then(|table| table.get("dependencies")?.as_table());
    for entry in entries.context("Cargo.toml has no workspace.dependencies")?.keys() {
        if !used_entries.contains(entry.as_str()) {
            faults.push(format!("Cargo.toml: no crate uses the workspace dependency `{entry}`"));
        }
    }
    Ok(faults)
}

/// All Rust sources below a folder, in one text, without the lines that are comments.
fn sources(folder: &Path) -> anyhow::Result<String> {
    let mut all = String::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path)?;
                for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                    all.push_str(line);
                    all.push('\n');
                }
            }
        }
    }
    Ok(all)
}

/// True when the text names a crate: as the start of a path, or in a `use` of the crate itself.
fn names(sources: &str, identifier: &str) -> bool {
    sources.match_indices(identifier).any(|(at, _)| {
        let before = sources.get(..at).unwrap_or_default();
        let after = sources.get(at + identifier.len()..).unwrap_or_default();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let starts = !before.ends_with(is_word);
        let is_path = after.trim_start().starts_with("::");
        let is_use = before.ends_with("use ") && after.starts_with([';', ' ']);
        starts && (is_path || is_use)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy() -> Policy {
        let text = r#"
            licenses.allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
            bans.deny = [{ crate = "openssl-sys", reason = "static" }]
            sources.allow-registry = ["https://registry.example/index"]
        "#;
        Policy::read(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn licence_expressions() {
        let policy = policy();
        for allowed in [
            "MIT",
            "Unlicense/MIT",
            "Apache-2.0 / MIT",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "GPL-3.0 AND ISC OR MIT",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(policy.allows(allowed), "{allowed}");
        }
        for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT)", "MIT WITH Classpath", "AND MIT"] {
            assert!(!policy.allows(refused), "{refused}");
        }
    }

    #[test]
    fn a_ban_a_foreign_source_and_a_licence_are_faults() {
        let package = |name: &str, licence: &str, source: &str| json!({"name": name, "version": "1.0.0", "license": licence, "source": source});
        let registry = "registry+https://registry.example/index";
        let faults = policy().faults(&[
            package("fine", "MIT", registry),
            package("openssl-sys", "MIT", registry),
            package("fork", "MIT", "git+https://git.example/fork"),
            package("closed", "", registry),
        ]);
        let starts: Vec<&str> = faults.iter().map(|fault| fault.split(':').next().unwrap()).collect();
        assert_eq!(starts, ["openssl-sys 1.0.0", "fork 1.0.0", "closed 1.0.0"], "{faults:?}");
    }

    #[test]
    fn what_names_a_crate() {
        for used in
            ["use toml;", "use toml as t;", "toml::from_str(x)", "use toml::{Table}", "#[derive(toml ::X)]"]
        {
            assert!(names(used, "toml"), "{used}");
        }
        for unused in ["use toml_edit::X;", "my_toml::x()", "let toml = 1;", "\"toml\""] {
            assert!(!names(unused, "toml"), "{unused}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("1.100") > numbers("1.89.0"));
        assert_eq!(numbers("1.89"), numbers("1.89.0"));
    }
}
