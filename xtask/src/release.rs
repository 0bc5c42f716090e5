//! `cargo xtask release --dry-run`: everything that is published agrees with `Cargo.toml`, the one place where the version, the
//! repository and the licence are written. It publishes nothing: the workflow `release.yml` does, from a tag.

use crate::deps::{is_ours, list, text};
use crate::dist::{self, Facts, INDEX, NO_OWNER, PLATFORMS, SUMS, template};
use crate::root;
use anyhow::Context as _;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The largest description that the MCP registry takes, in characters.
const MAX_MCP_DESCRIPTION: usize = 100;
/// The largest package that crates.io takes, in bytes, compressed.
const MAX_CRATE: u64 = 10_000_000;
/// What cannot be published as it is, and is known: told, not a failure.
const PLACEHOLDER: &str =
    "the repository's owner is a placeholder: set `repository` in Cargo.toml before the first release";

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (mut dry, mut folder, mut tag) = (false, None, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--dry-run" => dry = true,
            "--dist" => folder = Some(PathBuf::from(value()?)),
            "--tag" => tag = Some(value()?.clone()),
            "--notes" => return notes(value()?),
            other => anyhow::bail!("unknown argument {other}"),
        }
    }
    anyhow::ensure!(dry, "only --dry-run: a release is published by the workflow release.yml, from a tag");
    let facts = Facts::read()?;
    let mut faults = Vec::new();
    faults.extend(crates(&facts)?);
    faults.extend(templates(&facts)?);
    faults.extend(repository_files(&facts)?);
    if let Some(tag) = &tag {
        faults.extend(tagged(tag, &facts)?);
    }
    let folder =
        folder.or_else(|| Some(crate::target().join("dist")).filter(|dir| dir.join(INDEX).is_file()));
    if let Some(folder) = &folder {
        faults.extend(artefacts(folder, &facts)?);
        if tag.is_some() {
            faults.extend(missing(folder));
        }
    }
    let packed = folder.map_or("no packed artefacts".to_owned(), |folder| folder.display().to_string());
    println!("xtask release: version {}, {packed}", facts.version);
    if facts.owner == NO_OWNER {
        anyhow::ensure!(tag.is_none(), PLACEHOLDER);
        println!("  {PLACEHOLDER}");
    }
    anyhow::ensure!(faults.is_empty(), "{} faults\n  {}", faults.len(), faults.join("\n  "));
    Ok(())
}

/// Every crate has the workspace's version, what crates.io asks for, and dependencies of exactly that version.
fn crates(facts: &Facts) -> anyhow::Result<Vec<String>> {
    let metadata = crate::deps::metadata()?.0;
    let ours: Vec<&Value> = list(&metadata, "packages").iter().filter(|package| is_ours(package)).collect();
    Ok(ours.iter().flat_map(|package| crate_faults(package, facts)).collect())
}

fn crate_faults(package: &Value, facts: &Facts) -> Vec<String> {
    let name = text(package, "name");
    // `publish = false` is an empty list of registries.
    if package.get("publish").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    if text(package, "version") != facts.version {
        faults.push(format!("{name}: version {}, not {}", text(package, "version"), facts.version));
    }
    for key in ["description", "license", "repository"] {
        if text(package, key).is_empty() {
            faults.push(format!("{name}: no {key}"));
        }
    }
    for key in ["keywords", "categories"] {
        if !(1..=5).contains(&list(package, key).len()) {
            faults.push(format!("{name}: {key} must be one to five"));
        }
    }
    let exact = format!("={}", facts.version);
    for dependency in list(package, "dependencies") {
        let (dependency_name, wanted) = (text(dependency, "name"), text(dependency, "req"));
        let own = dependency.get("path").is_some_and(|path| !path.is_null());
        let development = text(dependency, "kind") == "dev";
        if own && wanted != exact && !(development && wanted == "*") {
            faults.push(format!("{name}: it asks for {dependency_name} {wanted}, not {exact}"));
        }
    }
    faults
}

/// Every template can be filled, is what its reader takes, and names this version where it names one.
fn templates(facts: &Facts) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut values = facts.values();
    for name in ["NODE_OS", "NODE_CPU", "EXE", "DEB_ARCH", "INSTALLED_KB", "TAGS"] {
        values.insert(name.to_owned(), "x".to_owned());
    }
    for platform in &PLATFORMS {
        values.insert(format!("SHA256:{}", platform.archive()), "0".repeat(64));
    }
    let json = |path: &str| -> anyhow::Result<Value> {
        serde_json::from_str(&template(path, &values)?).with_context(|| format!("packaging/{path}"))
    };
    let launcher = json("npm/cli/package.json")?;
    let platform = json("npm/platform/package.json")?;
    let server = json("mcp/server.json")?;
    let extension = json("gemini/gemini-extension.json")?;
    for (file, manifest) in
        [("npm/cli", &launcher), ("npm/platform", &platform), ("mcp", &server), ("gemini", &extension)]
    {
        if text(manifest, "version") != facts.version {
            faults.push(format!("packaging/{file}: version {}", text(manifest, "version")));
        }
    }
    let listed = launcher.get("optionalDependencies").and_then(Value::as_object);
    let listed: Vec<&str> = listed.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut wanted = PLATFORMS.map(|platform| format!("@sprag/{}", platform.npm_name()));
    wanted.sort();
    if listed != wanted {
        faults.push(format!("packaging/npm/cli: optionalDependencies are {listed:?}, not {wanted:?}"));
    }
    for script in ["scripts", "dependencies"] {
        if launcher.get(script).or_else(|| platform.get(script)).is_some() {
            faults
                .push(format!("packaging/npm: `{script}` must not be there: nothing runs while installing"));
        }
    }
    if text(&launcher, "mcpName") != text(&server, "name") {
        faults.push("packaging/npm/cli: mcpName is not the name in packaging/mcp/server.json".to_owned());
    }
    if text(&server, "description").chars().count() > MAX_MCP_DESCRIPTION {
        faults.push(format!("the description is longer than {MAX_MCP_DESCRIPTION} characters"));
    }
    for path in [
        "pypi/METADATA", "pypi/WHEEL", "debian/control", "debian/copyright", "docker/Dockerfile",
        "homebrew/sprag.rb", "install.sh", "install.ps1",
    ] {
        template(path, &values)?;
    }
    Ok(faults)
}

/// The files that are read from the repository itself: they must not name a version of their own.
fn repository_files(facts: &Facts) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let read = |path: &str| std::fs::read_to_string(root().join(path)).with_context(|| path.to_owned());
    for path in ["flake.nix", "action.yml", ".pre-commit-hooks.yaml", "packaging/README.md"] {
        if read(path)?.contains(&facts.version) {
            faults.push(format!("{path}: it names the version, which is written in Cargo.toml only"));
        }
    }
    let workflow = read(".github/workflows/release.yml")?;
    for platform in &PLATFORMS {
        if !workflow.contains(platform.target) {
            faults.push(format!(".github/workflows/release.yml does not build {}", platform.target));
        }
    }
    Ok(faults)
}

/// The tag is the version, and the changelog has its section.
fn tagged(tag: &str, facts: &Facts) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    if tag != format!("v{}", facts.version) {
        faults.push(format!("the tag is {tag}, the version {}", facts.version));
    }
    let changelog = std::fs::read_to_string(root().join("CHANGELOG.md"))?;
    if section(&changelog, &facts.version).is_none() {
        faults.push(format!("CHANGELOG.md has no section `## {}`", facts.version));
    }
    Ok(faults)
}

/// The packed files are those that the lists name, with the checksums that they name.
fn artefacts(folder: &Path, facts: &Facts) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let found = dist::checksums(folder)?;
    let index: Value = serde_json::from_str(&std::fs::read_to_string(folder.join(INDEX))?)?;
    if text(&index, "version") != facts.version {
        faults.push(format!("{INDEX}: version {}", text(&index, "version")));
    }
    let sums = std::fs::read_to_string(folder.join(SUMS))?;
    for (name, (sum, size)) in &found {
        if !sums.lines().any(|line| line == format!("{sum}  {name}")) {
            faults.push(format!("{SUMS}: the checksum of {name} is not {sum}"));
        }
        let listed = list(&index, "files").iter().find(|file| text(file, "name") == name);
        if listed.is_none_or(|file| text(file, "sha256") != sum) {
            faults.push(format!("{INDEX}: the checksum of {name} is not {sum}"));
        }
        if Path::new(name).extension().is_some_and(|kind| kind == "crate") && *size > MAX_CRATE {
            faults.push(format!("{name}: {size} bytes, more than {MAX_CRATE}"));
        }
    }
    for line in sums.lines().filter_map(|line| line.split_once("  ")) {
        if !found.contains_key(line.1) {
            faults.push(format!("{SUMS}: {} is not there", line.1));
        }
    }
    let formula = std::fs::read_to_string(folder.join("sprag.rb"))?;
    for platform in &PLATFORMS {
        if let Some((sum, _)) = found.get(&platform.archive())
            && !platform.is_windows()
            && !formula.contains(sum)
        {
            faults.push(format!("sprag.rb: it does not have the checksum of {}", platform.archive()));
        }
    }
    Ok(faults)
}

/// The platforms of which a release has no archive.
fn missing(folder: &Path) -> Vec<String> {
    let absent = PLATFORMS.iter().filter(|platform| !folder.join(platform.archive()).is_file());
    absent.map(|platform| format!("{} is not there", platform.archive())).collect()
}

/// Prints the changelog's section of a version, the notes of a release.
fn notes(version: &str) -> anyhow::Result<()> {
    let changelog = std::fs::read_to_string(root().join("CHANGELOG.md"))?;
    let version = version.trim_start_matches('v');
    println!(
        "{}",
        section(&changelog, version).with_context(|| format!("no section `## {version}`"))?.trim()
    );
    Ok(())
}

/// What the changelog says between the heading of a version and the next.
fn section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let mut sections = changelog.split("\n## ").skip(1);
    let found = sections.find(|section| section.split([' ', '\n']).next() == Some(version))?;
    found.split_once('\n').map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;
    use serde_json::json;

    fn facts() -> Facts {
        Facts {
            version: "1.2.3".to_owned(),
            repository: "https://example.org/a/sprag".to_owned(),
            owner: "a".to_owned(),
            description: "d".to_owned(),
            license: "MIT".to_owned(),
        }
    }

    #[test]
    fn what_is_published_agrees() {
        let facts = Facts::read().unwrap();
        let faults =
            [crates(&facts), templates(&facts), repository_files(&facts)].map(Result::unwrap).concat();
        assert!(faults.is_empty(), "{faults:#?}");
    }

    #[test]
    fn a_crate_that_cannot_be_published_is_named() {
        let package = json!({"name": "sprag-x", "version": "1.2.2", "description": "", "license": "MIT", "repository": "r",
            "keywords": ["a"], "categories": [],
            "dependencies": [
                {"name": "sprag-y", "req": "^1.2.3", "path": "/y", "kind": null},
                {"name": "sprag-z", "req": "*", "path": "/z", "kind": "dev"},
                {"name": "serde", "req": "^1", "path": null, "kind": null}]});
        assert_eq!(
            crate_faults(&package, &facts()),
            [
                "sprag-x: version 1.2.2, not 1.2.3",
                "sprag-x: no description",
                "sprag-x: categories must be one to five",
                "sprag-x: it asks for sprag-y ^1.2.3, not =1.2.3"
            ]
        );
        let mut private = package;
        private["publish"] = json!([]);
        assert!(crate_faults(&private, &facts()).is_empty());
    }

    #[test]
    fn the_notes_are_the_section_of_the_version() {
        let changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.3 (2026-01-01)\n\n- old\n\n## 1.2.2\n\n- older\n";
        assert_eq!(section(changelog, "1.2.3").unwrap().trim(), "- old");
        assert_eq!(section(changelog, "1.2.2").unwrap().trim(), "- older");
        assert!(section(changelog, "1.2").is_none());
    }

    #[test]
    fn artefacts_that_differ_from_their_lists_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("a.tgz", "a");
        write("sprag.rb", "");
        let sum = |name: &str| dist::checksums(dir.path()).unwrap()[name].0.clone();
        let index = json!({"version": "1.2.3", "files": [
            {"name": "a.tgz", "sha256": sum("a.tgz")}, {"name": "sprag.rb", "sha256": sum("sprag.rb")}]});
        write(INDEX, &index.to_string());
        write(SUMS, &format!("{}  a.tgz\n{}  sprag.rb\n", sum("a.tgz"), sum("sprag.rb")));
        assert_eq!(artefacts(dir.path(), &facts()).unwrap(), Vec::<String>::new());
        assert_eq!(missing(dir.path()).len(), PLATFORMS.len());
        write("a.tgz", "b");
        std::fs::remove_file(dir.path().join("sprag.rb")).unwrap();
        write("sprag.rb", "x");
        assert_eq!(artefacts(dir.path(), &facts()).unwrap().len(), 4);
    }
}
