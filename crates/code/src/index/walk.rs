//! The files of a project that are code: without what the project ignores (`.gitignore`, `.spragignore`), and without
//! what is hidden or is known to hold other people's code.

use crate::language::Language;
use ignore::WalkBuilder;
use std::path::{Path, PathBuf};

/// Folders that hold what was not written here, or was made from what was.
const FOREIGN: [&str; 10] = [
    "node_modules",
    "__pycache__",
    "venv",
    "site-packages",
    "bower_components",
    "vendor",
    "target",
    "dist",
    "coverage",
    "third_party",
];

/// The most files that an index takes.
const MOST: usize = 200_000;

/// A walk's findings, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Files from the root.
    pub files: Vec<PathBuf>,
    /// Folders from the root; the root itself is empty.
    pub folders: Vec<PathBuf>,
    /// There are more than are taken.
    pub cut: bool,
}

/// Walks a folder of the project: all the way down, or its own files only.
pub(super) fn walk(root: &Path, folder: &Path, deep: bool) -> Found {
    let mut found = Found::default();
    let mut builder = WalkBuilder::new(root.join(folder));
    builder.standard_filters(true).require_git(false).add_custom_ignore_filename(".spragignore");
    builder.sort_by_file_name(std::ffi::OsStr::cmp);
    builder.filter_entry(|entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !(folder && entry.depth() > 0 && FOREIGN.contains(&name))
    });
    if !deep {
        builder.max_depth(Some(1));
    }
    for entry in builder.build().flatten() {
        let Ok(path) = entry.path().strip_prefix(root) else { continue };
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            found.folders.push(path.to_path_buf());
        } else if kind.is_file() && Language::of_path(path).is_some() {
            if found.files.len() >= MOST {
                found.cut = true;
                break;
            }
            found.files.push(path.to_path_buf());
        }
    }
    found
}

/// A path from the root as it is kept.
pub(super) fn text(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_ignored_foreign_or_no_code_is_not_walked() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(".gitignore", "made/\n");
        put(".spragignore", "private.py\n");
        put("src/a.py", "");
        put("src/private.py", "");
        put("src/notes.md", "");
        put("made/b.py", "");
        put("node_modules/x/c.js", "");
        put(".hidden/d.py", "");
        let found = walk(dir.path(), Path::new(""), true);
        assert_eq!(found.files, [PathBuf::from("src/a.py")]);
        assert_eq!(found.folders, [PathBuf::new(), PathBuf::from("src")]);
        assert_eq!(walk(dir.path(), Path::new("src"), false).files, [PathBuf::from("src/a.py")]);
    }
}
