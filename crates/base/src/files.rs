//! Every file of the program is opened here; a lint bans `std::fs::read`, `File::open` and their like elsewhere.
//!
//! - A file that sprag finds (its state, a project's, an agent's) is opened without blocking, must be a regular file and
//!   is read up to a bound: a pipe, a device or a file of many gigabytes under its name costs neither time nor memory.
//! - State files are for their owner alone, replaced whole or not at all, and appended to in one piece. Where something
//!   that is no regular file has the name of one, that is removed first.
//! - Only what a person names on a command line may be a pipe: [`open_argument`], [`read_argument`], [`write_plain`].
#![expect(clippy::disallowed_methods, reason = "this is the module that opens files")]

use crate::fault::{self, Operation};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// The bound for a mark, a small state file or an entry of `/proc`.
pub const SMALL: u64 = 64 << 10;
/// The bound for a state file that grows with use.
pub const STATE: u64 = 64 << 20;
/// The bound for a file that a person names on a command line.
pub const ARGUMENT: u64 = 256 << 20;

/// Whether the last part of a path may be a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// It may; what it leads to must be a regular file.
    Follow,
    /// It may not: nobody but sprag creates files there, and sprag creates no links.
    Refuse,
}

#[derive(Debug, thiserror::Error)]
#[error("it is not a regular file")]
struct NotRegular;

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, NotRegular)
}

/// True for the error of a path that leads to a pipe, a device, a socket or a folder.
pub fn is_not_regular(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<NotRegular>()).is_some()
}

/// True for a pipe, a device, a socket or a file of more than `limit` bytes, also through a link: a program that just
/// opens and reads it may wait without end, or take all memory. For files that another program or library opens.
pub fn is_unbounded(path: &Path, limit: u64) -> bool {
    let meta = fault::io(Operation::Stat, || fs::metadata(path));
    meta.is_ok_and(|meta| if meta.is_file() { meta.len() > limit } else { !meta.is_dir() })
}

/// Makes a folder and its parents, readable by the owner alone.
pub fn make_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    fault::io(Operation::MakeDir, || builder.create(path))
}

/// Renames a file.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    fault::io(Operation::Rename, || fs::rename(from, to))
}

/// Removes a file.
pub fn remove(path: impl AsRef<Path>) -> io::Result<()> {
    fault::io(Operation::Remove, || fs::remove_file(path))
}

/// Options of an open that never waits and never takes a terminal as its own.
fn options(links: Links) -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let refuse = if links == Links::Refuse { libc::O_NOFOLLOW } else { 0 };
        options.mode(0o600).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | refuse);
    }
    #[cfg(not(unix))]
    let _ = links;
    options
}

fn open_with(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let opened = fault::io(Operation::Open, || options.open(path));
    #[cfg(unix)]
    if let Err(error) = &opened
        && match error.raw_os_error() {
            // A socket, a device without a driver, or a pipe that is opened to write and has no reader.
            Some(libc::ENXIO) => true,
            // Said of a link that is not followed, but also of links that lead in a circle.
            Some(libc::ELOOP) => true,
            _ => false,
        }
    {
        return Err(not_regular());
    }
    opened
}

/// The file and its length, when it is a regular file.
fn regular(file: File) -> io::Result<(File, u64)> {
    let meta = fault::io(Operation::Stat, || file.metadata())?;
    if meta.is_file() { Ok((file, meta.len())) } else { Err(not_regular()) }
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

/// Runs `open` on a state file. A pipe, a device or a link to one holds nothing of sprag's: it is removed, and `open`
/// runs again. A folder stays and is an error.
fn in_place_of_others<T>(path: &Path, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match with_dir(path, &open) {
        Err(error) if is_not_regular(&error) => {
            let meta = fs::symlink_metadata(path)?;
            // Another process may have been faster.
            if !meta.is_file() {
                remove(path)?;
            }
            open()
        }
        other => other,
    }
}

/// Opens a file to read: the file and its length. An error when it is missing or not a regular file.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    open_as(path, Links::Follow)
}

/// [`open`], with or without following a link.
pub fn open_as(path: &Path, links: Links) -> io::Result<(File, u64)> {
    #[cfg(not(unix))]
    if links == Links::Refuse && fs::symlink_metadata(path)?.is_symlink() {
        return Err(not_regular());
    }
    open_with(options(links).read(true), path).and_then(regular)
}

/// [`open`]; `None` when it is missing or not a regular file.
pub fn open_regular(path: &Path) -> io::Result<Option<(File, u64)>> {
    match open(path) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_not_regular(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// At most `limit` bytes of a file that has `len`.
fn read_up_to(file: &mut File, len: u64, limit: u64) -> io::Result<Vec<u8>> {
    /// What is tried first where the length says nothing, as in `/proc`.
    const UNKNOWN: usize = 1024;
    // One byte more than there is: the read that finds the end needs no other buffer.
    let mut bytes = vec![0; (len.min(limit) as usize).saturating_add(1).max(UNKNOWN)];
    let mut filled = 0;
    while (filled as u64) < limit {
        if filled == bytes.len() {
            bytes.resize(filled.saturating_mul(2), 0);
        }
        let spare = bytes.get_mut(filled..).unwrap_or_default();
        match fault::io(Operation::Read, || file.read(spare)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // All that there was, and there was room for more: no other read is needed to see the end.
        if filled as u64 == len && filled < bytes.len() {
            break;
        }
    }
    bytes.truncate((filled as u64).min(limit) as usize);
    Ok(bytes)
}

fn whole(file: &mut File, len: u64, limit: u64) -> io::Result<Vec<u8>> {
    let too_large =
        || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes"));
    if len > limit {
        return Err(too_large());
    }
    let bytes = read_up_to(file, len, limit.saturating_add(1))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// A file's bytes. An error when it is missing, not a regular file, or larger than `limit`.
pub fn read(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    let (mut file, len) = open(path.as_ref())?;
    whole(&mut file, len, limit)
}

/// The last bytes of a file, at most `limit`. An error when it is missing or not a regular file.
pub fn read_tail(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    use std::io::Seek as _;
    let (mut file, len) = open(path)?;
    let from = len.saturating_sub(limit);
    file.seek(io::SeekFrom::Start(from))?;
    read_up_to(&mut file, len - from, limit)
}

/// [`read`], but a link is an error too.
pub fn read_no_follow(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    let (mut file, len) = open_as(path.as_ref(), Links::Refuse)?;
    whole(&mut file, len, limit)
}

/// [`read`], of a file that must be UTF-8.
pub fn read_text(path: impl AsRef<Path>, limit: u64) -> io::Result<String> {
    read(path, limit).and_then(text)
}

/// A file's bytes, or `None` when it is not there or no regular file; at most `limit`.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((mut file, len)) = open_regular(path)? else { return Ok(None) };
    read_up_to(&mut file, len, limit).map(Some)
}

/// A file's bytes, whole or not at all: one that is larger than `limit` is an error.
pub fn read_whole(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((mut file, len)) = open_regular(path)? else { return Ok(None) };
    whole(&mut file, len, limit).map(Some)
}

/// Opens a file that a person named: it may be a pipe, and waiting for its writer is what the person asked for.
pub fn open_argument(path: &Path) -> io::Result<File> {
    fault::io(Operation::Open, || File::open(path))
}

/// [`open_argument`], and its bytes; an error when there are more than [`ARGUMENT`].
pub fn read_argument(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_argument(path)?;
    let len = file.metadata()?.len();
    whole(&mut file, len, ARGUMENT)
}

/// [`read_argument`], of a file that must be UTF-8.
pub fn read_argument_text(path: &Path) -> io::Result<String> {
    read_argument(path).and_then(text)
}

/// Writes a file as an editor would: what was there is replaced, links are followed, the mode is the usual one. For
/// reports and samples that a person asked for, never for state.
pub fn write_plain(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fault::io(Operation::Open, || File::create(path))?;
    write_all(&mut file, bytes)
}

/// Opens a state file to append to, making it (owner-only) when it is not there: the file and its length.
pub fn open_append(path: &Path) -> io::Result<(File, u64)> {
    in_place_of_others(path, || {
        open_with(options(Links::Follow).append(true).create(true), path).and_then(regular)
    })
}

/// Opens a state file to read and write, making it (owner-only) when it is not there.
pub fn open_write(path: &Path) -> io::Result<File> {
    in_place_of_others(path, || {
        let opened =
            open_with(options(Links::Follow).read(true).write(true).create(true).truncate(false), path);
        opened.and_then(regular)
    })
    .map(|(file, _)| file)
}

/// Opens a state file that is there to write to it.
pub fn open_existing(path: &Path) -> io::Result<(File, u64)> {
    open_with(options(Links::Follow).write(true), path).and_then(regular)
}

/// Opens a file to lock, making it (owner-only) when it is not there. Nobody reads or writes it, so it may be of any
/// kind that can be opened: the open does not wait.
pub fn open_lock(path: &Path) -> io::Result<File> {
    in_place_of_others(path, || {
        open_with(options(Links::Follow).read(true).write(true).create(true).truncate(false), path)
    })
}

/// Creates a file (owner-only) that is not there yet; one that is there is an error, as is a link.
pub fn create_new(path: &Path) -> io::Result<File> {
    with_dir(path, || open_with(options(Links::Refuse).write(true).create_new(true), path))
}

fn write_some(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let part = bytes.get(..fault::accepted(bytes.len())).unwrap_or(bytes);
    loop {
        match fault::io(Operation::Write, || file.write(part)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn write_all(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write_some(file, bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = bytes.get(count..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Writes lines in one `write` to a file that is opened to append.
fn append_to(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let written = write_some(file, bytes)?;
    if written < bytes.len() {
        end_torn_line(file);
        return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk took only a part of the line"));
    }
    Ok(())
}

/// Ends the part of a line that a full disk took, so that the next line is not joined to it.
fn end_torn_line(file: &mut File) {
    // There is room for no other byte: the last one of the part becomes the end of the line.
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileExt as _;
        let last = io::Seek::stream_position(file).unwrap_or(0).checked_sub(1);
        let flags = rustix::fs::fcntl_getfl(&*file).map(|flags| flags - rustix::fs::OFlags::APPEND);
        if let (Some(last), Ok(flags)) = (last, flags)
            && rustix::fs::fcntl_setfl(&*file, flags).is_ok()
        {
            let _ = file.write_at(b"\n", last);
        }
    }
    #[cfg(not(unix))]
    let _ = file.write(b"\n");
}

/// Appends to a state file in one `write`, so that lines of several processes never mix.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    append_sized(path, bytes).map(|_| ())
}

/// [`append`], and how long the file is now.
pub fn append_sized(path: &Path, bytes: &[u8]) -> io::Result<u64> {
    let (mut file, len) = open_append(path)?;
    append_to(&mut file, bytes)?;
    Ok(len + bytes.len() as u64)
}

/// [`append`] to a file that an agent named: what is no regular file stays, and is an error.
pub fn append_foreign(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let open = || open_with(options(Links::Follow).append(true).create(true), path).and_then(regular);
    let (mut file, _) = with_dir(path, open)?;
    append_to(&mut file, bytes)
}

/// What is in a folder under names that begin and end like this, in order; nothing when the folder cannot be read.
pub fn list(folder: &Path, begin: &str, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = |name: &str| name.starts_with(begin) && name.ends_with(end);
    let fitting = entries.filter(|entry| fits(&entry.file_name().to_string_lossy()));
    let mut found: Vec<PathBuf> = fitting.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// A name beside `path` that no other process uses; the time tells processes of two containers with the same number apart.
pub fn scratch_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    path.with_file_name(format!(".{name}.{}.{now}.{count}.tmp", std::process::id()))
}

/// Removes what a killed process left under a [`scratch_name`], when it is older than this. Other files stay.
pub fn remove_old_scratch(path: &Path, age: Duration) {
    let is_scratch = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
        let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
        let mut parts = name.rsplit('.');
        name.starts_with('.') && parts.next() == Some("tmp") && number(parts.next()) && number(parts.next())
    });
    let meta = || std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    let written = || meta()?.modified().ok()?.elapsed().ok();
    if is_scratch && written().is_some_and(|old| old > age) {
        let _ = remove(path);
    }
}

/// Takes a state file away and returns its bytes, at most [`STATE`]: of several processes that take it at once, one
/// gets it. An error when it is not there.
pub fn take(path: &Path) -> io::Result<Vec<u8>> {
    let taken = scratch_name(path);
    rename(path, &taken)?;
    let bytes = read_no_follow(&taken, STATE);
    let _ = remove(&taken);
    bytes
}

/// [`take`], of a file that must be UTF-8.
pub fn take_text(path: &Path) -> io::Result<String> {
    take(path).and_then(text)
}

/// Replaces a file whole: a reader sees the old or the new text, never a part.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, false, false)
}

/// [`write_atomic`], for a file that programs of other users read too.
pub fn write_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, false, true)
}

/// [`write_atomic`], and on the disk before it returns. For what a person wrote or approved.
pub fn write_durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, true, false)
}

fn replace(path: &Path, bytes: &[u8], sync: bool, shared: bool) -> io::Result<()> {
    let scratch = scratch_name(path);
    let result = (|| {
        let mut file = create_new(&scratch)?;
        #[cfg(unix)]
        if shared {
            use std::os::unix::fs::PermissionsExt as _;
            file.set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        #[cfg(not(unix))]
        let _ = shared;
        write_all(&mut file, bytes)?;
        if sync {
            fault::io(Operation::Sync, || file.sync_all())?;
        }
        drop(file);
        rename(&scratch, path)
    })();
    if result.is_err() {
        let _ = remove(&scratch);
    }
    result
}

/// Copies a regular file of at most `limit` bytes to a new file (owner-only).
pub fn copy(from: &Path, to: &Path, limit: u64) -> io::Result<()> {
    let (file, len) = open(from)?;
    if len > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes")));
    }
    let mut target = create_new(to)?;
    fault::io(Operation::Write, || io::copy(&mut file.take(limit), &mut target)).map(|_| ())
}

/// Sets the time of the last change of a file or folder that is there.
pub fn set_modified(path: &Path, time: SystemTime) -> io::Result<()> {
    let mut options = options(Links::Follow);
    options.read(true);
    #[cfg(windows)]
    options.write(true);
    open_with(&options, path)?.set_modified(time)
}

/// Waits until a folder's entries are on the disk.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    let dir = open_with(options(Links::Follow).read(true), path)?;
    fault::io(Operation::Sync, || dir.sync_all())
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
    let meta = fault::io(Operation::Stat, || fs::metadata(path)).ok()?;
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

    #[test]
    fn old_scratch_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = scratch_name(&dir.path().join("handoff.md"));
        let others = [".handoff.md.tmp", "notes.1.2.tmp", ".notes.1.2", ".gitignore"]
            .map(|name| dir.path().join(name));
        for path in others.iter().chain([&scratch]) {
            fs::write(path, "x").unwrap();
            remove_old_scratch(path, Duration::from_secs(3600));
            assert!(path.exists(), "{path:?} is new");
            let old = SystemTime::now() - Duration::from_secs(7200);
            File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
            remove_old_scratch(path, Duration::from_secs(3600));
            assert_eq!(path.exists(), *path != scratch, "{path:?}");
        }
    }

    #[cfg(unix)]
    fn pipe(path: &Path) {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_a_device_a_socket_or_a_folder_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        pipe(&at("pipe"));
        std::os::unix::fs::symlink("/dev/zero", at("link")).unwrap();
        std::os::unix::fs::symlink("circle", at("circle")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for path in [at("pipe"), at("link"), at("circle"), at("socket"), "/dev/zero".into(), at("")] {
            assert_eq!(read_limited(&path, 10).unwrap(), None, "{}", path.display());
            assert_eq!(read_whole(&path, 10).unwrap(), None, "{}", path.display());
            assert!(is_not_regular(&read(&path, 10).unwrap_err()), "{}", path.display());
        }
    }

    #[test]
    fn no_more_is_read_than_the_bound() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_limited(&file, 3).unwrap().as_deref(), Some(&b"123"[..]));
        assert!(read_whole(&file, 4).is_err() && read_whole(&file, 5).unwrap().is_some());
        assert!(read(&file, 4).is_err());
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        fs::write(&file, [b'x'; 5000]).unwrap();
        assert_eq!(read(&file, 5000).unwrap().len(), 5000);
        fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(dir.path().join("none"), 9).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_whose_length_nobody_knows_are_read_whole() {
        // Several kilobytes, and the length that `fstat` gives is 0.
        let text = read_text("/proc/self/smaps", STATE).unwrap();
        assert!(text.len() > 4096 && text.contains("VmFlags"), "{} bytes", text.len());
        assert!(read("/proc/self/smaps", 100).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_refused_where_none_is_meant() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("f"), dir.path().join("link"));
        fs::write(&file, "1").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&link, 9).unwrap(), b"1");
        assert!(is_not_regular(&read_no_follow(&link, 9).unwrap_err()));
        assert_eq!(read_no_follow(&file, 9).unwrap(), b"1");
    }

    #[cfg(unix)]
    #[test]
    fn a_state_file_takes_the_place_of_a_pipe_or_a_device() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let reader = |path: &Path| {
            let mut options = OpenOptions::new();
            std::os::unix::fs::OpenOptionsExt::custom_flags(options.read(true), libc::O_NONBLOCK);
            options.open(path).unwrap()
        };
        pipe(&path);
        append(&path, b"one\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        // A pipe that somebody reads can be opened to write at once.
        fs::remove_file(&path).unwrap();
        pipe(&path);
        let _reader = reader(&path);
        assert_eq!(append_sized(&path, b"two\n").unwrap(), 4);
        assert_eq!(fs::read(&path).unwrap(), b"two\n");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        open_write(&path).unwrap().write_all(b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        fs::remove_file(&path).unwrap();
        pipe(&path);
        open_lock(&path).unwrap().try_lock().unwrap();
        write_atomic(&path, b"four").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"four");
        assert!(append(dir.path(), b"five").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_of_somebody_else_stays_and_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        pipe(&path);
        assert!(is_not_regular(&append_foreign(&path, b"x").unwrap_err()));
        assert!(is_not_regular(&open_existing(&path).unwrap_err()));
        assert!(!fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    fn what_is_taken_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        assert_eq!(take(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&path, "1").unwrap();
        assert_eq!(take_text(&path).unwrap(), "1");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_torn_line_is_not_joined_with_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        append(&path, b"{\"whole\":1}\n").unwrap();
        let (mut file, _) = open_append(&path).unwrap();
        // What a full disk took of the line.
        assert_eq!(file.write(b"{\"to").unwrap(), 4);
        end_torn_line(&mut file);
        append(&path, b"{\"whole\":2}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"whole\":1}\n{\"t\n{\"whole\":2}\n");
    }

    #[test]
    fn a_copy_is_new_and_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::write(&from, "12345").unwrap();
        assert!(copy(&from, &to, 4).is_err());
        copy(&from, &to, 5).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"12345");
        assert_eq!(copy(&from, &to, 5).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
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
