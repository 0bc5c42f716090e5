//! What a new user asks, and where it is answered: at most two clicks from the README.

use super::links::{self, Link};
use std::path::{Path, PathBuf};

/// A question, the page that answers it, and the heading there.
pub(crate) const QUESTIONS: [(&str, &str, &str); 15] = [
    ("How do I install it without Rust?", "docs/install.md", "without-rust"),
    ("How do I remove it?", "docs/operate.md", "remove"),
    ("How do I upgrade?", "docs/operate.md", "upgrade"),
    ("Which versions of the agents are needed?", "docs/agents.md", "versions-and-when-sprag-is-not-there"),
    ("Why was this blocked?", "docs/guard.md", "what-a-stop-says"),
    ("How do I allow one command?", "docs/recipes.md", "allow-one-command"),
    ("How do I switch a hook off?", "docs/recipes.md", "switch-a-hook-a-rule-or-a-bundle-off"),
    ("What leaves my machine?", "docs/operate.md", "what-leaves-your-machine"),
    ("What is stored?", "docs/operate.md", "what-is-stored"),
    ("What does it cost in time and tokens?", "docs/performance.md", "what-a-session-pays"),
    ("How do the bundles differ?", "docs/bundles.md", "bundles-presets-and-the-trial"),
    ("How do I share it with my team?", "docs/recipes.md", "share-rules-with-the-team"),
    ("How do I keep the hooks that I have?", "docs/migration.md", "hooks-that-you-have-already"),
    ("Can I use it beside another tool?", "docs/migration.md", "use-sprag-beside-another-tool"),
    ("Does it run on Windows?", "docs/install.md", "platforms"),
];

/// Clicks from the README to a heading: 1 when the README links to its page, 2 when a page does that the README links to.
pub(crate) fn clicks(page: &str, anchor: &str) -> anyhow::Result<Option<usize>> {
    let readme = links::links(Path::new("README.md"))?;
    let leads = |link: &Link| {
        link.path == Path::new(page) && link.anchor.as_deref().is_none_or(|linked| linked == anchor)
    };
    if readme.iter().any(leads) {
        return Ok(Some(1));
    }
    let near = readme.into_iter().map(|link| link.path);
    let mut near: Vec<PathBuf> = near.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    near.sort();
    near.dedup();
    for path in near {
        if links::links(&path)?.iter().any(leads) {
            return Ok(Some(2));
        }
    }
    Ok(None)
}

/// Questions whose answer is missing or too far away.
pub(crate) fn unanswered() -> anyhow::Result<Vec<String>> {
    let mut out = Vec::new();
    for (question, page, anchor) in QUESTIONS {
        if !links::anchors(Path::new(page))?.contains(anchor) {
            out.push(format!("{question} {page} has no heading `#{anchor}`"));
        } else if clicks(page, anchor)?.is_none() {
            out.push(format!("{question} {page}#{anchor} is more than two clicks from the README"));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_questions_are_answered_within_two_clicks() {
        let unanswered = unanswered().unwrap_or_else(|error| vec![error.to_string()]);
        assert!(unanswered.is_empty(), "{}", unanswered.join("\n"));
    }

    /// The list of questions can fail: what nobody links to is found.
    #[test]
    fn what_is_far_away_is_noticed() {
        let decision = clicks("docs/adr/0033-what-every-shell-rejects.md", "nowhere");
        assert!(matches!(decision, Ok(None)), "{decision:?}");
    }

    #[test]
    fn the_readme_is_short() {
        let text = std::fs::read_to_string(crate::root().join("README.md")).unwrap_or_default();
        assert!(text.lines().count() <= 150, "README.md has {} lines", text.lines().count());
    }
}
