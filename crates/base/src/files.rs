//! Files as sprag writes them: owner-only, whole or not at all, and appended in one piece.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Makes a folder and its parents, readable by the owner alone.
pub fn make_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Runs `open`; when a folder is missing, makes it and runs `open` again. The common case pays nothing.
fn with_dir<T>(path: &Path, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                make_dir(parent)?;
            }
            open()
        }
        other => other,
    }
}

/// Opens a file to append to, making it (owner-only) when it is not there.
pub fn open_append(path: &Path) -> io::Result<File> {
    with_dir(path, || private(OpenOptions::new().append(true).create(true)).open(path))
}

/// Opens a file to read, write and lock, making it (owner-only) when it is not there.
pub fn open_lock(path: &Path) -> io::Result<File> {
    with_dir(path, || {
        private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path)
    })
}

/// Appends in one `write`, so that lines of several processes never mix.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_append(path)?;
    let written = file.write(bytes)?;
    if written < bytes.len() {
        // A full disk took a part. End the torn line, so that the next one is whole.
        let _ = file.write(b"\n");
        return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk took only a part of the line"));
    }
    Ok(())
}

/// A name beside `path` that no other process uses.
pub fn scratch_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()))
}

/// Replaces a file whole: a reader sees the old or the new text, never a part.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, false)
}

/// [`write_atomic`], and on the disk before it returns. For what a person wrote or approved.
pub fn write_durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, true)
}

fn replace(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let scratch = scratch_name(path);
    let result = (|| {
        let mut file =
            with_dir(path, || private(OpenOptions::new().write(true).create_new(true)).open(&scratch))?;
        file.write_all(bytes)?;
        if sync {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&scratch, path)
    })();
    if result.is_err() {
        let _ = fs::remove_file(&scratch);
    }
    result
}

/// A file's bytes, or `None` when it is not there or no regular file; at most `limit`.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((file, len)) = open_regular(path)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(len.min(limit) as usize + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A file's bytes, whole or not at all: one that is larger than `limit` is an error.
pub fn read_whole(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let bytes = read_limited(path, limit.saturating_add(1))?;
    if bytes.as_ref().is_some_and(|bytes| bytes.len() as u64 > limit) {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Opens a file of somebody else's making. A pipe of that name would hold the process until somebody writes to it, and
/// a hook that does not answer stops nothing.
pub fn open_regular(path: &Path) -> io::Result<Option<(File, u64)>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = file.metadata()?;
    Ok(meta.is_file().then_some((file, meta.len())))
}

/// What tells one version of a file from another without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: (u64, u64),
}

/// The identity of a file; `None` when it is not there.
pub fn identity(path: &Path) -> Option<Identity> {
    let meta = fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(Identity {
            len: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            // A program can set `modified` back after a change; it cannot set this one.
            changed: (meta.ctime(), meta.ctime_nsec()),
            inode: (meta.dev(), meta.ino()),
        })
    }
    #[cfg(not(unix))]
    {
        let modified = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let modified = (modified.as_secs() as i64, i64::from(modified.subsec_nanos()));
        Some(Identity { len: meta.len(), modified, changed: (0, 0), inode: (0, 0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_files_are_for_the_owner_alone_and_leave_no_scratch() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/file");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        append(&path, b" three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two three");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            let folder = fs::metadata(path.parent().unwrap()).unwrap();
            assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_a_device_holds_nobody_up() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(read_limited(&pipe, 10).unwrap(), None);
        }
        assert_eq!(read_limited(Path::new("/dev/zero"), 10).unwrap(), None);
        assert_eq!(read_limited(dir.path(), 10).unwrap(), None);
        let file = dir.path().join("f");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_limited(&file, 3).unwrap().as_deref(), Some(&b"123"[..]));
        assert!(read_whole(&file, 4).is_err() && read_whole(&file, 5).unwrap().is_some());
    }

    #[test]
    fn identity_sees_a_change_that_keeps_length_and_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "one").unwrap();
        let first = identity(&path).unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert_ne!(identity(&path), Some(first));
        assert_eq!(identity(&dir.path().join("none")), None);
    }
}
