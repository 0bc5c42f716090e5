//! The plan that a session works on: named for the session, or suggested by the branch.

use sprag_base::files;
use std::path::{Path, PathBuf};

/// A plan and how sure we are of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Somebody said so.
    Active(PathBuf),
    /// Its name fits the branch.
    Suggested(PathBuf),
    /// None.
    None,
}

impl Plan {
    /// Finds the plan: `named` (a setting, a variable or the session's state) when it is there, else the
    /// newest folder or file in the plans folder whose name holds the branch's words.
    pub fn find(root: &Path, plans_dir: &str, named: &str, branch: Option<&str>) -> Self {
        if !named.is_empty() {
            let path = root.join(named);
            if path.exists() {
                return Self::Active(path);
            }
        }
        let Some(slug) = branch.map(slug_of).filter(|slug| slug.len() >= 3) else { return Self::None };
        let name = |path: &PathBuf| slug_of(&path.file_name().unwrap_or_default().to_string_lossy());
        let mut fitting = files::list(&root.join(plans_dir), "", "");
        fitting.retain(|path| name(path).contains(&slug));
        fitting.pop().map_or(Self::None, Self::Suggested)
    }

    /// The plan's line in a text.
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Active(path) => Some(format!("Plan: {}", path.display())),
            Self::Suggested(path) => {
                Some(format!("Suggested plan (by the branch's name): {}", path.display()))
            }
            Self::None => None,
        }
    }
}

/// The words of a branch or file name: `feat/Cart-Total.md` is `cart-total`.
fn slug_of(name: &str) -> String {
    let name = name.strip_suffix(".md").unwrap_or(name);
    let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let words: Vec<&str> =
        last.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    // The trunk says nothing about a plan.
    if matches!(slug.as_str(), "main" | "master" | "develop" | "dev" | "trunk") {
        String::new()
    } else {
        slug
    }
}

/// The issue number in a branch's name: `fix/123-total`, `gh-7`, `issue-42`.
pub fn issue_of(branch: &str) -> Option<String> {
    let mut words = branch.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .find(|word| !word.is_empty() && word.len() <= 7 && word.bytes().all(|b| b.is_ascii_digit()))
        .or_else(|| branch.split_once('#').map(|(_, rest)| rest))
        .map(|digits| digits.chars().take_while(char::is_ascii_digit).collect())
        .filter(|digits: &String| !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn named_beats_suggested_beats_none() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("plans/260101-cart-total")).unwrap();
        fs::create_dir_all(dir.path().join("plans/261101-cart-total")).unwrap();
        let find = |named, branch| Plan::find(dir.path(), "plans", named, branch);
        assert_eq!(
            find("", Some("feat/cart-total")),
            Plan::Suggested(dir.path().join("plans/261101-cart-total"))
        );
        let named = find("plans/260101-cart-total", Some("feat/cart-total"));
        assert_eq!(named, Plan::Active(dir.path().join("plans/260101-cart-total")));
        assert_eq!(find("plans/gone", Some("main")), Plan::None);
        assert_eq!(find("", None), Plan::None);
    }

    #[test]
    fn issues_in_branches() {
        assert_eq!(issue_of("fix/123-total").as_deref(), Some("123"));
        assert_eq!(issue_of("gh-7").as_deref(), Some("7"));
        assert_eq!(issue_of("feature/totals"), None);
    }
}
