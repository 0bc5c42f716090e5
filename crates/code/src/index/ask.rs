//! Asks files for their identity, thousands at a time: a folder is opened once, and its files are asked from there. The
//! system walks one name for each instead of the whole path.

use super::build;
use std::path::Path;

/// The folder that was asked last.
pub(super) struct Folder {
    #[cfg(unix)]
    root: Option<rustix::fd::OwnedFd>,
    #[cfg(unix)]
    open: Option<(String, rustix::fd::OwnedFd)>,
}

#[cfg(unix)]
mod system {
    use super::build;
    use rustix::fs::{FileType, Mode, OFlags, Stat};

    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the types differ between systems")]
    pub(super) fn identity(stat: &Stat) -> u64 {
        let times = [
            stat.st_mtime as u64, stat.st_mtime_nsec as u64, stat.st_ctime as u64, stat.st_ctime_nsec as u64,
        ];
        build::mixed(stat.st_size as u64, times, [stat.st_dev as u64, stat.st_ino as u64])
    }

    pub(super) fn is_file(stat: &Stat) -> bool {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
    }

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    pub(super) fn open(path: &std::path::Path) -> Option<rustix::fd::OwnedFd> {
        rustix::fs::open(path, FOLDER, Mode::empty()).ok()
    }

    pub(super) fn open_in(root: &rustix::fd::OwnedFd, folder: &str) -> Option<rustix::fd::OwnedFd> {
        let folder = if folder.is_empty() { "." } else { folder };
        rustix::fs::openat(root, folder, FOLDER, Mode::empty()).ok()
    }
}

impl Folder {
    /// None was asked yet.
    pub(super) fn none() -> Self {
        Self {
            #[cfg(unix)]
            root: None,
            #[cfg(unix)]
            open: None,
        }
    }

    /// The identity of a file; `None` when there is none.
    #[cfg(unix)]
    pub(super) fn file(&mut self, root: &Path, path: &str) -> Option<u64> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.open.as_ref().is_none_or(|(known, _)| known != folder) {
            if self.root.is_none() {
                self.root = system::open(root);
            }
            self.open = Some((folder.to_owned(), system::open_in(self.root.as_ref()?, folder)?));
        }
        let (_, open) = self.open.as_ref()?;
        let stat = rustix::fs::statat(open, name, rustix::fs::AtFlags::empty()).ok()?;
        system::is_file(&stat).then(|| system::identity(&stat))
    }

    /// The identity of a file; `None` when there is none.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "elsewhere it keeps the folder open")]
    pub(super) fn file(&mut self, root: &Path, path: &str) -> Option<u64> {
        let meta = std::fs::metadata(root.join(path)).ok()?;
        meta.is_file().then(|| build::identity(&meta))
    }
}

/// The identity of a folder.
pub(super) fn folder(root: &Path, path: &str) -> Option<u64> {
    std::fs::metadata(root.join(path)).ok().map(|meta| build::identity(&meta))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_asking_say_the_same() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/b/c.py"), "x = 1\n").unwrap();
        std::fs::write(dir.path().join("d.py"), "x = 1\n").unwrap();
        let mut folder = Folder::none();
        for path in ["a/b/c.py", "d.py"] {
            let meta = std::fs::metadata(dir.path().join(path)).unwrap();
            assert_eq!(folder.file(dir.path(), path), Some(build::identity(&meta)), "{path}");
        }
        assert_eq!(folder.file(dir.path(), "none.py"), None);
        assert_eq!(folder.file(dir.path(), "none/none.py"), None);
        assert_eq!(folder.file(dir.path(), "a"), None);
    }
}
