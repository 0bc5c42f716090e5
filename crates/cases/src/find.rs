//! Finds case files: given ones, and those below given folders.

use std::path::{Path, PathBuf};

/// How a case file's name ends.
pub const SUFFIX: &str = ".hook.toml";

/// Every case file in these places, sorted, each once. `Err` names a place that is not there.
pub fn find(places: &[PathBuf]) -> Result<Vec<PathBuf>, PathBuf> {
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            below(place, 0, &mut found);
        } else if place.is_file() {
            found.push(place.clone());
        } else {
            return Err(place.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    // Deeper than any source tree; a link that leads back up ends here.
    const DEEPEST: usize = 24;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let real_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if real_dir && depth < DEEPEST && !matches!(name.as_ref(), ".git" | "target" | "node_modules") {
            below(&path, depth + 1, found);
        } else if name.ends_with(SUFFIX) && path.is_file() {
            found.push(path);
        }
    }
}
