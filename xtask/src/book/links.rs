//! Links of Markdown pages: what they lead to, and whether it is there, with its anchor.

use crate::root;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// A link that stays within the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Link {
    /// From the repository's root; empty only for the root itself.
    pub path: PathBuf,
    pub anchor: Option<String>,
    pub line: usize,
}

/// Every page that is published: the book, and what stands at the root.
pub(crate) fn pages() -> anyhow::Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> = [
        "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
        "examples/README.md",
    ]
    .iter()
    .map(PathBuf::from)
    .collect();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// A page's text, without what is code.
pub(crate) fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fence: Option<&str> = None;
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => out.push((number + 1, without_code(line))),
            _ => {}
        }
    }
    out
}

/// A line whose spans of code are blank.
fn without_code(line: &str) -> String {
    let mut parts = line.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    // A link may have code as its text: `](` must stay.
    for (number, part) in parts.enumerate() {
        out.push_str(if number % 2 == 1 { part } else { "code" });
    }
    out
}

/// The links of a page that lead to files of the repository.
pub(crate) fn links(page: &Path) -> anyhow::Result<Vec<Link>> {
    let text = std::fs::read_to_string(root().join(page)).with_context(|| page.display().to_string())?;
    let mut out = Vec::new();
    for (line, prose) in prose(&text) {
        let mut rest = prose.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, next)) = after.split_once(')') else { break };
            rest = next;
            let target = target.split_whitespace().next().unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) =
                target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
            let folder = page.parent().unwrap_or(Path::new(""));
            let path = if path.is_empty() { page.to_owned() } else { plain(&folder.join(path)) };
            out.push(Link { path, anchor: anchor.map(str::to_owned), line });
        }
    }
    Ok(out)
}

/// A page whose links lead to where `place` says; anchors, addresses and code stay.
pub(crate) fn rewritten(page: &Path, text: &str, place: impl Fn(&Path) -> String) -> String {
    let folder = page.parent().unwrap_or(Path::new(""));
    let mut fenced = false;
    let mut out = String::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let mut rest = line;
        let mut ticks = 0;
        while !fenced && let Some((before, after)) = rest.split_once("](") {
            ticks += before.matches('`').count();
            out.push_str(before);
            out.push_str("](");
            rest = after;
            let Some((target, next)) = after.split_once(')') else { break };
            if ticks % 2 == 1 || target.contains("://") || target.starts_with('#') {
                continue;
            }
            let (path, anchor) = target.split_once('#').map_or((target, ""), |(path, anchor)| (path, anchor));
            out.push_str(&place(&plain(&folder.join(path))));
            if !anchor.is_empty() {
                out.push('#');
                out.push_str(anchor);
            }
            rest = next;
            out.push(')');
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
pub(crate) fn anchors(page: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join(page)).with_context(|| page.display().to_string())?;
    let mut out = BTreeSet::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let slug = slug(heading.trim());
        let numbered = (1..).map(|n| format!("{slug}-{n}"));
        let free = std::iter::once(slug.clone()).chain(numbered).find(|name| !out.contains(name));
        out.extend(free);
    }
    Ok(out)
}

fn slug(heading: &str) -> String {
    let text = match (heading.contains("]("), heading.split_once('[')) {
        (true, Some((before, rest))) => {
            let (text, after) = rest.split_once("](").unwrap_or((rest, ""));
            format!("{before}{text}{}", after.split_once(')').map_or("", |(_, after)| after))
        }
        _ => heading.to_owned(),
    };
    text.chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c.to_lowercase().next().unwrap_or(c)),
            _ => None,
        })
        .collect()
}

/// Links that lead nowhere, with their places.
pub(crate) fn broken() -> anyhow::Result<Vec<String>> {
    let mut out = Vec::new();
    for page in pages()? {
        for link in links(&page)? {
            let place = format!("{}:{}", page.display(), link.line);
            if !root().join(&link.path).exists() {
                out.push(format!("{place}: {} is not there", link.path.display()));
            } else if let Some(anchor) = &link.anchor
                && link.path.extension().is_some_and(|ending| ending == "md")
                && !anchors(&link.path)?.contains(anchor)
            {
                out.push(format!("{place}: {} has no heading `#{anchor}`", link.path.display()));
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors_as_on_github() {
        for (heading, anchor) in [
            ("What a stop says", "what-a-stop-says"),
            ("A repository with 100,000 files", "a-repository-with-100000-files"),
            ("`[hook.<name>]`: any hook", "hookname-any-hook"),
            ("I use [dcg](x.md) now", "i-use-dcg-now"),
            ("Why was this blocked?", "why-was-this-blocked"),
        ] {
            assert_eq!(slug(heading), anchor);
        }
    }

    #[test]
    fn code_has_no_links() {
        let text = "a `[x](y)` b\n```\n[x](z)\n```\n[`code`](real.md)\n";
        let prose: Vec<String> = prose(text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(prose, ["a code b", "[code](real.md)"]);
    }

    #[test]
    fn links_are_rewritten_and_code_is_not() {
        let text = "see [a](../b.md#c), `[x](y)` and [e](https://example.com)\n```\n[x](y)\n```\n";
        let rewritten = rewritten(Path::new("docs/a.md"), text, |path| format!("<{}>", path.display()));
        assert_eq!(rewritten, "see [a](<b.md>#c), `[x](y)` and [e](https://example.com)\n```\n[x](y)\n```\n");
    }

    #[test]
    fn every_link_leads_somewhere() {
        let broken = broken().unwrap_or_else(|error| vec![error.to_string()]);
        assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    }
}
