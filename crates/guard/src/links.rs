//! Paths of commands, followed through links on the disk.

use sprag_base::links::real;
use std::path::Path;

/// The real path of a normalised one, when that is another. Text with holes or globs stands for no single file.
pub fn elsewhere(full: &str) -> Option<String> {
    if full.contains([sprag_shell::HOLE, '*', '?']) {
        return None;
    }
    let found = real(Path::new(full))?;
    (found != Path::new(full)).then(|| found.to_string_lossy().into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::elsewhere;

    #[test]
    fn a_link_has_another_real_path() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("l")).unwrap();
        let text = |name: &str| root.join(name).to_string_lossy().into_owned();
        assert_eq!(elsewhere(&text("l/b")), Some(text("a/b")));
        assert_eq!(elsewhere(&text("a/b")), None);
    }
}
