//! `cargo xtask book`: the documentation as a website with a search, built by mdBook from `docs/`.
//!
//! The pages link to files outside of `docs/` too (SECURITY.md, examples, sources). The copy that mdBook is given has the pages
//! of the root beside the others, and links to the repository for the rest.

pub(crate) mod links;
pub(crate) mod questions;
pub(crate) mod summary;

use crate::{root, sh, target, which};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that the book is built with.
const MDBOOK: &str = "0.5.4";

/// Pages at the repository's root that are chapters.
const CHAPTERS: [&str; 5] =
    ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"];

/// Builds the book into `target/book`.
pub(crate) fn run() -> anyhow::Result<()> {
    check()?;
    let stage = target().join("book-src");
    let _ = std::fs::remove_dir_all(&stage);
    copy(&root().join("docs"), &stage.join("docs"))?;
    std::fs::copy(root().join("book.toml"), stage.join("book.toml"))?;
    for page in CHAPTERS {
        let to = stage.join("docs").join(page);
        std::fs::create_dir_all(to.parent().context("a folder")?)?;
        std::fs::copy(root().join(page), to)?;
    }
    let repository = repository()?;
    for page in links::pages()? {
        if page == Path::new("README.md") {
            continue;
        }
        let text = std::fs::read_to_string(root().join(&page))?;
        let staged = staged(&page).with_context(|| page.display().to_string())?;
        let text = links::rewritten(&page, &text, |path| place(&staged, path, &repository));
        std::fs::write(stage.join("docs").join(&staged), text)?;
    }
    let out = target().join("book");
    sh(Command::new(mdbook()?).arg("build").arg(&stage).arg("--dest-dir").arg(&out))?;
    println!("xtask book: {}", out.join("index.html").display());
    Ok(())
}

/// What must hold of the pages, without building them.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut wrong = links::broken()?;
    wrong.extend(summary::missing()?);
    wrong.extend(questions::unanswered()?);
    anyhow::ensure!(wrong.is_empty(), "the documentation has errors:\n  {}", wrong.join("\n  "));
    Ok(())
}

/// Where a page of the repository is in the book, when it is a part of it.
fn staged(path: &Path) -> Option<PathBuf> {
    if path == Path::new("README.md") || path == Path::new("docs") {
        return Some(PathBuf::from("README.md"));
    }
    if path == Path::new("docs/adr") {
        return Some(PathBuf::from("adr/README.md"));
    }
    match path.strip_prefix("docs") {
        Ok(inside) => Some(inside.to_owned()),
        Err(_) => CHAPTERS.iter().any(|page| path == Path::new(page)).then(|| path.to_owned()),
    }
}

/// A link of a page of the book to a file of the repository.
fn place(from: &Path, path: &Path, repository: &str) -> String {
    let Some(to) = staged(path) else {
        return format!("{repository}/tree/main/{}", path.display());
    };
    let up = from.components().count().saturating_sub(1);
    // A folder's README becomes its index; the table of contents names the files as they are.
    let to = match to.file_name().and_then(|name| name.to_str()) {
        _ if from == Path::new("SUMMARY.md") => to,
        Some("README.md") => to.with_file_name("index.md"),
        Some("SUMMARY.md") => PathBuf::from("index.md"),
        _ => to,
    };
    format!("{}{}", "../".repeat(up), to.display())
}

fn repository() -> anyhow::Result<String> {
    let text = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("repository = "));
    Ok(line.context("Cargo.toml has no repository")?.trim_matches('"').to_owned())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            std::fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// mdBook: the one on PATH, else one that is built once. Without optimisation: that takes half the time, and the book is small.
fn mdbook() -> anyhow::Result<PathBuf> {
    let is_usable = |path: &Path| {
        let version = Command::new(path).arg("--version").output();
        version.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains(MDBOOK))
    };
    if let Some(found) = which("mdbook").filter(|path| is_usable(path)) {
        return Ok(found);
    }
    let folder = target().join("tools/mdbook");
    let program = folder.join("bin/mdbook");
    if !is_usable(&program) {
        println!("xtask book: building mdBook {MDBOOK} into {}", folder.display());
        let version = format!("mdbook@{MDBOOK}");
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "--debug", "--locked", "--force", "--quiet", &version, "--root"]).arg(&folder);
        sh(&mut cargo)?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_the_book_lead_to_its_pages_or_to_the_repository() {
        let place = |from: &str, to: &str| place(Path::new(from), Path::new(to), "https://example.com/x");
        assert_eq!(place("guard.md", "SECURITY.md"), "SECURITY.md");
        assert_eq!(place("hooks/tool-loop.md", "docs/guard.md"), "../guard.md");
        assert_eq!(place("examples/README.md", "docs/own-hooks.md"), "../own-hooks.md");
        assert_eq!(place("faq.md", "docs/hooks/README.md"), "hooks/index.md");
        assert_eq!(place("SUMMARY.md", "docs/hooks/README.md"), "hooks/README.md");
        assert_eq!(place("a.md", "crates/rules"), "https://example.com/x/tree/main/crates/rules");
    }
}
