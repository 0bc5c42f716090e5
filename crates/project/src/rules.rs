//! The rules of a project and its user: markdown files in a few folders.

use sprag_base::files;
use sprag_base::paths::{Paths, from_home};
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
            None => from_home(folder, &paths.home, root),
        };
        // `rules` is also what linters call the folder of their code and its documentation.
        if !folder.starts_with(['~', '.']) && !is_for_agents(&dir) {
            continue;
        }
        for path in files::list(&dir, "", ".md") {
            if path.is_file() && !found.iter().any(|(_, known)| *known == path) {
                found.push((shown_name(root, paths, &path), path));
            }
        }
    }
    found
}

/// Folders of the setting that hold more documents than are taken for rules, and how many: whoever wrote rules there is told.
pub fn too_large<'a>(root: &Path, folders: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let own = folders.filter(|folder| !folder.starts_with(['~', '.']));
    let counted = own.map(|folder| (folder.to_owned(), files::list(&root.join(folder), "", ".md").len()));
    counted.filter(|(_, documents)| *documents > MAX_FILES && *documents <= LOOKED_AT).collect()
}

/// Files of a folder that are looked at before it is taken for one of rules.
const LOOKED_AT: usize = 200;
/// More files than this are a reference, not what everybody must know.
const MAX_FILES: usize = 40;
/// Documents that are read to see what the folder is about.
const SAMPLES: usize = 3;

/// False for a folder of a linter's rules: sources beside the documents, a reference of many pages, or pages that
/// document what a linter reports.
fn is_for_agents(dir: &Path) -> bool {
    const SOURCES: [&str; 14] =
        ["js", "ts", "mjs", "cjs", "tsx", "jsx", "py", "rs", "go", "rb", "java", "kt", "cs", "php"];
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().take(LOOKED_AT);
    let ending =
        |path: &Path| path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_owned();
    let endings: Vec<String> = entries.map(|entry| ending(&entry.path())).collect();
    let documents = endings.iter().filter(|ending| *ending == "md").count();
    if documents > MAX_FILES || endings.iter().any(|ending| SOURCES.contains(&ending.as_str())) {
        return false;
    }
    let samples = files::list(dir, "", ".md").into_iter().take(SAMPLES);
    let lints = samples.filter(|path| {
        let bytes = files::read_limited(path, 16 << 10).ok().flatten().unwrap_or_default();
        is_lint_page(&String::from_utf8_lossy(&bytes))
    });
    lints.count() == 0
}

/// True for a page that documents a rule of a linter.
fn is_lint_page(text: &str) -> bool {
    const SIGNS: [&str; 8] = [
        "## rule details", "incorrect** code", "correct** code", "## when not to use it", "eslint ",
        "\"eslint", "stylelint", "--fix` option",
    ];
    let lower = text.to_lowercase();
    SIGNS.iter().filter(|sign| lower.contains(*sign)).count() >= 2
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

    #[test]
    fn a_linters_folder_of_rules_is_not_for_agents() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("team/style.md", "Use tabs. Run eslint before you push.");
        assert!(is_for_agents(&dir.path().join("team")));
        write("beside/no-foo.md", "Disallows foo.");
        write("beside/no-foo.js", "module.exports = {}");
        assert!(!is_for_agents(&dir.path().join("beside")), "its sources are beside it");
        write(
            "pages/no-foo.md",
            "# no-foo\n\n## Rule Details\n\nExamples of **incorrect** code for this rule:\n",
        );
        assert!(!is_for_agents(&dir.path().join("pages")), "a page about a rule of a linter");
        for n in 0..50 {
            write(&format!("many/rule-{n}.md"), "About one thing.");
        }
        assert!(!is_for_agents(&dir.path().join("many")), "a reference");
    }

    proptest! {
        #[test]
        fn a_cut_keeps_within_its_limit(text in "[a-zé\n ]{0,400}", most in 1usize..200) {
            prop_assert!(lines_within(&text, most).chars().count() <= most);
        }
    }
}
