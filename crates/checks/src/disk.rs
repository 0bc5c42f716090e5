//! A project's files on the disk, as the pure part looks at them.

use sprag_base::files::read_limited;
use sprag_verify::detect::Tree;
use std::path::{Path, PathBuf};

/// The files below a root.
pub struct Disk<'a> {
    /// The root.
    pub root: &'a Path,
}

/// The most of a file that is read, and the most names of a folder.
const MAX_BYTES: u64 = 1 << 20;
const MAX_NAMES: usize = 5_000;

impl Disk<'_> {
    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.to_path_buf() } else { self.root.join(path) }
    }
}

impl Tree for Disk<'_> {
    fn is_file(&self, path: &str) -> bool {
        self.at(path).is_file()
    }

    fn is_dir(&self, path: &str) -> bool {
        self.at(path).is_dir()
    }

    fn read(&self, path: &str) -> Option<String> {
        let bytes = read_limited(&self.at(path), MAX_BYTES).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.at(folder)).into_iter().flatten().flatten();
        entries.take(MAX_NAMES).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// A path below the root with slashes; `None` when it lies elsewhere.
pub fn below(root: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let text = inside.to_string_lossy().replace('\\', "/");
    (!text.is_empty()).then_some(text)
}
