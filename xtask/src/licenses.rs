//! `cargo xtask licenses`: the notices of the packages that are linked into the binary, as `sprag licenses` prints them.
//! A text that several packages share is there once; copyright lines are kept apart, so that equal texts are equal.

use crate::deps::{is_ours, list, metadata, named, text};
use crate::root;
use anyhow::Context as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

const FILE: &str = "crates/cli/licenses.txt";
/// What is compiled in and no package of the registry.
const OTHERS: &[(&str, &str)] = &[("all-MiniLM-L6-v2 1.0", "Apache-2.0"), ("SQLite 3", "public domain")];

/// Stands for the text of packages that contain none.
const NO_TEXT: &str = "These packages contain no licence text; the list above names their licences.";

/// Writes the file.
pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = metadata()?.0;
    let mut lines: Vec<String> = OTHERS.iter().map(|(name, licence)| format!("{name}  {licence}")).collect();
    // Text of a licence, to the packages that have it and their copyright lines.
    let mut texts: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for package in linked(&metadata)? {
        let name = named(package);
        lines.push(format!("{name}  {}", text(package, "license")));
        let folder = Path::new(text(package, "manifest_path")).parent().context("a manifest has a folder")?;
        let files = notices(folder)?;
        if files.is_empty() {
            let authors = list(package, "authors").iter().filter_map(Value::as_str).map(str::to_owned);
            let facts =
                authors.chain([text(package, "repository").to_owned()]).filter(|fact| !fact.is_empty());
            texts.entry(NO_TEXT.to_owned()).or_default().entry(name).or_default().extend(facts);
            continue;
        }
        for file in files {
            let (copyright, licence) = split(&file);
            texts.entry(licence).or_default().entry(name.clone()).or_default().extend(copyright);
        }
    }
    lines.sort_by_key(|line| line.to_lowercase());
    let mut out = format!("{}\n\n", lines.join("\n"));
    for (licence, packages) in &texts {
        let _ = writeln!(out, "{}", "=".repeat(100));
        for (name, copyright) in packages {
            let _ = writeln!(out, "{name}");
            for line in copyright {
                let _ = writeln!(out, "    {line}");
            }
        }
        let _ = writeln!(out, "{}\n{licence}\n", "-".repeat(100));
    }
    std::fs::write(root().join(FILE), &out)?;
    println!("xtask licenses: {} packages, {} texts, {} KB", lines.len(), texts.len(), out.len() / 1024);
    Ok(())
}

/// Packages that the file lacks, or that are no longer linked.
pub(crate) fn faults(metadata: &Value) -> anyhow::Result<Vec<String>> {
    let file = std::fs::read_to_string(root().join(FILE))?;
    let head = file.split("\n\n").next().unwrap_or_default();
    let known: BTreeSet<&str> = head.lines().filter_map(|line| Some(line.split_once("  ")?.0)).collect();
    let missing = linked(metadata)?.into_iter().map(named).filter(|name| !known.contains(name.as_str()));
    Ok(missing.map(|name| format!("{FILE} lacks {name}: run `cargo xtask licenses`")).collect())
}

/// The packages that are linked into the binary: no build scripts' and no tests' dependencies.
pub(crate) fn linked(metadata: &Value) -> anyhow::Result<Vec<&Value>> {
    let packages: BTreeMap<&str, &Value> =
        list(metadata, "packages").iter().map(|package| (text(package, "id"), package)).collect();
    let nodes = metadata.get("resolve").map(|resolve| list(resolve, "nodes")).unwrap_or_default();
    let nodes: BTreeMap<&str, &Value> = nodes.iter().map(|node| (text(node, "id"), node)).collect();
    let first = packages.iter().find(|(_, package)| text(package, "name") == "sprag" && is_ours(package));
    let mut open = vec![*first.context("no package sprag")?.0];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let macros = packages.get(id).is_some_and(|package| {
            list(package, "targets")
                .iter()
                .any(|target| list(target, "kind").iter().any(|kind| kind == "proc-macro"))
        });
        if macros || !seen.insert(id) {
            continue;
        }
        for dep in nodes.get(id).map(|node| list(node, "deps")).unwrap_or_default() {
            if list(dep, "dep_kinds").iter().any(|kind| kind.get("kind").is_some_and(Value::is_null)) {
                open.push(text(dep, "pkg"));
            }
        }
    }
    Ok(seen
        .into_iter()
        .filter_map(|id| packages.get(id).copied())
        .filter(|package| !is_ours(package))
        .collect())
}

/// The licence and notice files of a package.
fn notices(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let wanted = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];
        if wanted.iter().any(|start| name.starts_with(start)) && entry.file_type()?.is_file() {
            found.push(String::from_utf8_lossy(&std::fs::read(entry.path())?).into_owned());
        }
    }
    Ok(found)
}

/// The copyright lines at the top of a licence, and its text without them and without its layout.
fn split(file: &str) -> (Vec<String>, String) {
    let is_notice = |line: &str| {
        let line = line.trim().to_lowercase();
        line.starts_with("copyright (c)")
            || line.starts_with("copyright ©")
            || line.starts_with("copyright 2")
            || line.starts_with("copyright 1")
    };
    let copyright = file.lines().filter(|line| is_notice(line)).map(|line| line.trim().to_owned()).collect();
    let paragraphs = file.lines().filter(|line| !is_notice(line)).collect::<Vec<_>>();
    let paragraphs = paragraphs.split(|line| line.trim().is_empty()).filter(|part| !part.is_empty());
    let joined = paragraphs
        .map(|part| part.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" "));
    (copyright, joined.collect::<Vec<_>>().join("\n\n"))
}
