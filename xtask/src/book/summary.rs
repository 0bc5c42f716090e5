//! `docs/SUMMARY.md`: the book's table of contents. The lists of hooks and decisions come from the files; every page is in it.

use super::links;
use crate::root;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The table of contents with its generated lists.
pub(crate) fn text() -> anyhow::Result<String> {
    let path = root().join("docs/SUMMARY.md");
    let page = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let page = with_list(&page, "hooks", &list("hooks")?)?;
    with_list(&page, "decisions", &list("adr")?)
}

fn with_list(page: &str, name: &str, list: &str) -> anyhow::Result<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->"), format!("<!-- {name}: end -->"));
    let (before, rest) =
        page.split_once(&begin).with_context(|| format!("SUMMARY.md needs the line {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("SUMMARY.md needs the line {end}"))?;
    Ok(format!("{before}{begin}\n{list}{end}{after}"))
}

/// The pages of a folder, by their headings.
fn list(folder: &str) -> anyhow::Result<String> {
    let mut out = String::new();
    for page in links::pages()? {
        let inside = page.strip_prefix(Path::new("docs").join(folder));
        let Ok(file) = inside else { continue };
        if file.ends_with("README.md") {
            continue;
        }
        let text = std::fs::read_to_string(root().join(&page))?;
        let heading = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        writeln!(out, "  - [{heading}]({folder}/{})", file.display())?;
    }
    Ok(out)
}

/// Pages that the table of contents does not have, and pages that it has twice.
pub(crate) fn missing() -> anyhow::Result<Vec<String>> {
    let summary = PathBuf::from("docs/SUMMARY.md");
    let mut listed = BTreeSet::new();
    let mut out = Vec::new();
    for link in links::links(&summary)? {
        if !listed.insert(link.path.clone()) {
            out.push(format!("docs/SUMMARY.md:{}: {} is there twice", link.line, link.path.display()));
        }
    }
    for page in links::pages()? {
        if page.starts_with("docs") && page != summary && !listed.contains(&page) {
            out.push(format!("docs/SUMMARY.md: {} is missing", page.display()));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_of_contents_has_every_page_once() {
        let missing = super::missing().unwrap_or_else(|error| vec![error.to_string()]);
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }
}
