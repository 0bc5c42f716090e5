//! Permissions, owners and identities of files, where the system has them.
//! Elsewhere there are neutral substitutes: every file has the mode of a new one, and size and time identify it.

#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(not(unix))]
pub(crate) use other::*;

/// The mode of a new file: for its owner alone.
pub(crate) const PRIVATE: u32 = 0o600;

/// The mode of a new program.
pub(crate) const SCRIPT: u32 = 0o700;

#[cfg(unix)]
mod unix {
    use std::fs::{DirBuilder, File, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};

    pub(crate) fn folder_mode(builder: &mut DirBuilder, mode: u32) {
        builder.mode(mode);
    }

    pub(crate) fn same_file(one: &Metadata, two: &Metadata) -> bool {
        (one.ino(), one.dev()) == (two.ino(), two.dev())
    }

    pub(crate) fn mode_of(meta: &Metadata) -> u32 {
        meta.permissions().mode() & 0o7777
    }

    pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Gives a file the owner of another. Best effort: only root can give a file away.
    pub(crate) fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid())).ok();
        }
        Ok(())
    }

    pub(crate) fn is_executable(meta: &Metadata) -> bool {
        meta.is_file() && mode_of(meta) & 0o111 != 0
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{DirBuilder, File, Metadata};
    use std::io;

    pub(crate) fn folder_mode(_builder: &mut DirBuilder, _mode: u32) {}

    pub(crate) fn same_file(one: &Metadata, two: &Metadata) -> bool {
        one.modified().ok() == two.modified().ok() && one.len() == two.len()
    }

    pub(crate) fn mode_of(_meta: &Metadata) -> u32 {
        super::PRIVATE
    }

    pub(crate) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn keep_owner(_file: &File, _old: &Metadata) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn is_executable(meta: &Metadata) -> bool {
        meta.is_file()
    }
}
