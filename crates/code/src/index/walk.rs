//! The files of a project that are code: without what the project ignores (`.gitignore`, `.spragignore`), and without
//! what is hidden or is known to hold other people's code.

use crate::language::Language;
use ignore::{DirEntry, WalkBuilder, WalkState};
use sprag_base::env::Env;
use sprag_base::files;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folders that hold what was not written here, or was made from what was.
const FOREIGN: [&str; 10] = [
    "node_modules", "__pycache__", "venv", "site-packages", "bower_components", "vendor", "target", "dist",
    "coverage", "third_party",
];

/// The most files that an index takes.
const MAX_FILES: usize = 200_000;

/// The most bytes of a file with rules: the walk reads it whole.
const MAX_RULES: u64 = 4 << 20;

/// What a walk comes to, each with its path from the root; the root itself is empty.
#[derive(Clone, Copy, Debug)]
pub(super) enum WalkEntry<'a> {
    File(&'a Path),
    Folder(&'a Path),
}

fn builder(folder: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(true).require_git(false);
    // The walk opens these files by itself. What is above a walk cannot be left out of it, so its rules are.
    if folder.ancestors().any(has_blocking_rules) {
        builder.parents(false).git_ignore(false).git_exclude(false).ignore(false);
    } else {
        builder.add_custom_ignore_filename(".spragignore");
    }
    if has_blocking_global_rules() {
        builder.git_global(false);
    }
    builder.filter_entry(|entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !(folder && entry.depth() > 0 && (FOREIGN.contains(&name) || has_blocking_rules(entry.path())))
    });
    builder
}

/// True when the user's own settings of git, or the rules that they name, are a pipe, a device or huge.
fn has_blocking_global_rules() -> bool {
    let env = Env::Process;
    let home = env.get("HOME").map(PathBuf::from).unwrap_or_default();
    let folder = env.get("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from).join("git");
    // The settings first: to find the rules that they name, they are read.
    files::is_unbounded(&home.join(".gitconfig"), MAX_RULES)
        || files::is_unbounded(&folder.join("config"), MAX_RULES)
        || ignore::gitignore::gitconfig_excludes_path()
            .is_some_and(|path| files::is_unbounded(&path, MAX_RULES))
}

/// True where a pipe, a device or a huge file has the name of a file with rules.
fn has_blocking_rules(folder: &Path) -> bool {
    [".gitignore", ".ignore", ".spragignore", ".git/info/exclude"]
        .iter()
        .any(|name| files::is_unbounded(&folder.join(name), MAX_RULES))
}

/// What an entry is to the index.
fn met<'a>(root: &Path, entry: &'a DirEntry) -> Option<WalkEntry<'a>> {
    let path = entry.path().strip_prefix(root).ok()?;
    let kind = entry.file_type()?;
    if kind.is_dir() {
        Some(WalkEntry::Folder(path))
    } else {
        (kind.is_file() && Language::of_path(path).is_some()).then_some(WalkEntry::File(path))
    }
}

/// Walks the whole project with so many threads, in no order; whoever comes to a file does with it what there is to do.
/// True when there are more files than are taken.
pub(super) fn each(root: &Path, threads: usize, visit: impl Fn(WalkEntry<'_>) + Sync) -> bool {
    let files = AtomicUsize::new(0);
    let visit = &visit;
    let files_seen = &files;
    builder(root).threads(threads).build_parallel().run(|| {
        Box::new(move |entry| {
            match entry.ok().as_ref().and_then(|entry| met(root, entry)) {
                Some(WalkEntry::File(_)) if files_seen.fetch_add(1, Ordering::Relaxed) >= MAX_FILES => {
                    return WalkState::Quit;
                }
                Some(met) => visit(met),
                None => {}
            }
            WalkState::Continue
        })
    });
    files.into_inner() > MAX_FILES
}

/// The files and folders in a folder of the project, in order: all the way down, or its own only.
pub(super) fn list(root: &Path, folder: &Path, deep: bool) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut builder = builder(&root.join(folder));
    builder.sort_by_file_name(std::ffi::OsStr::cmp);
    if !deep {
        builder.max_depth(Some(1));
    }
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in builder.build().flatten() {
        match met(root, &entry) {
            Some(WalkEntry::File(path)) => files.push(path.to_path_buf()),
            Some(WalkEntry::Folder(path)) => folders.push(path.to_path_buf()),
            None => {}
        }
        if files.len() >= MAX_FILES {
            break;
        }
    }
    (files, folders)
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
        let (files, folders) = list(dir.path(), Path::new(""), true);
        assert_eq!(files, [PathBuf::from("src/a.py")]);
        assert_eq!(folders, [PathBuf::new(), PathBuf::from("src")]);
        assert_eq!(list(dir.path(), Path::new("src"), false).0, [PathBuf::from("src/a.py")]);
        let met = std::sync::Mutex::new(Vec::new());
        let cut = each(dir.path(), 2, |one| met.lock().unwrap().push(format!("{one:?}")));
        let mut met = met.into_inner().unwrap();
        met.sort();
        assert_eq!(met, [r#"File("src/a.py")"#, r#"Folder("")"#, r#"Folder("src")"#]);
        assert!(!cut);
    }

    #[cfg(unix)]
    #[test]
    fn rules_that_are_a_pipe_or_a_device_hold_nobody_up() {
        for name in [".gitignore", ".ignore", ".spragignore", ".git/info/exclude", "src/.gitignore"] {
            let dir = tempfile::tempdir().unwrap();
            for folder in [".git/info", "src", "lib"] {
                fs::create_dir_all(dir.path().join(folder)).unwrap();
            }
            fs::write(dir.path().join("src/a.py"), "").unwrap();
            fs::write(dir.path().join("lib/b.py"), "").unwrap();
            if name == ".ignore" {
                fs::File::create(dir.path().join(name)).unwrap().set_len(1 << 40).unwrap();
            } else {
                std::os::unix::fs::symlink("/dev/zero", dir.path().join(name)).unwrap();
            }
            let (files, _) = list(dir.path(), Path::new(""), true);
            assert!(files.contains(&PathBuf::from("lib/b.py")), "{name}: {files:?}");
            each(dir.path(), 2, |_| {});
        }
    }
}
