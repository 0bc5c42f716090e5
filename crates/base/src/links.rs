//! Where a path really leads: links are followed as far as the path exists, also those that lead to nothing yet.

use std::path::{Path, PathBuf};

/// Links to nothing that are followed one after another; the kernel itself stops at forty.
const MAX_LINKS: usize = 40;

/// The path without links; `None` when it has no fixed meaning (relative, or links in a circle).
pub fn real(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    resolve(path, &mut 0)
}

fn resolve(path: &Path, followed: &mut usize) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Some(found);
    }
    // What is written through a link to nothing arises where the link points to.
    if let Ok(target) = path.read_link() {
        *followed += 1;
        return if *followed > MAX_LINKS { None } else { resolve(&path.parent()?.join(target), followed) };
    }
    let (parent, name) = (path.parent()?, path.file_name()?);
    Some(resolve(parent, followed)?.join(name))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_far_as_there_is_something() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink(root.join("a"), root.join("l")).unwrap();
        symlink("b/none", root.join("a/dangling")).unwrap();
        symlink(root.join("y"), root.join("x")).unwrap();
        symlink(root.join("x"), root.join("y")).unwrap();
        assert_eq!(real(&root.join("l/b")), Some(root.join("a/b")));
        assert_eq!(real(&root.join("l/new/file")), Some(root.join("a/new/file")));
        assert_eq!(real(&root.join("l/dangling")), Some(root.join("a/b/none")));
        assert_eq!(real(&root.join("l/../f")), Some(root.join("f")));
        assert_eq!(real(&root.join("x")), None, "a circle");
        assert_eq!(real(Path::new("relative")), None);
    }
}
