//! The rules of a project and its user: markdown files in a few folders.

use sprag_base::files;
use sprag_base::paths::Paths;
use std::path::{Path, PathBuf};

/// The rule files: folders in the order of the setting, files by name; the same file twice counts once.
pub fn rule_files<'a>(
    root: &Path,
    paths: &Paths,
    folders: impl Iterator<Item = &'a str>,
) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders {
        let dir = match folder.strip_prefix("~config") {
            Some(rest) => paths.config.join(rest.trim_start_matches('/')),
            None => match folder.strip_prefix("~/") {
                Some(rest) => paths.home.join(rest),
                None => root.join(folder),
            },
        };
        for path in files::list(&dir, "", ".md") {
            if path.is_file() && !found.iter().any(|(_, known)| *known == path) {
                found.push((shown_name(root, paths, &path), path));
            }
        }
    }
    found
}

fn shown_name(root: &Path, paths: &Paths, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(relative) => relative.display().to_string(),
        Err(_) => paths.tilde(path),
    }
}

/// The text without a front matter block, which is for tools.
pub fn body(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map(|(_, body)| body);
    rest.unwrap_or(text).trim()
}

/// Whole lines up to a number of characters; the first line may be cut inside.
pub fn lines_within(text: &str, most: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let size = line.chars().count();
        if used + size > most {
            break;
        }
        used += size;
        end += line.len();
    }
    if end == 0 {
        end = text.char_indices().map(|(at, _)| at).take(most).last().unwrap_or(0);
    }
    text.get(..end).unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn front_matter_is_not_a_rule() {
        assert_eq!(body("---\npaths: x\n---\n\nBe kind.\n"), "Be kind.");
        assert_eq!(body("--- no front matter"), "--- no front matter");
    }

    proptest! {
        #[test]
        fn a_cut_keeps_within_its_limit(text in "[a-zé\n ]{0,400}", most in 1usize..200) {
            prop_assert!(lines_within(&text, most).chars().count() <= most);
        }
    }
}
