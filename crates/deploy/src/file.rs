//! The only module of deploy that accesses the disk: reads files and replaces them atomically.
//! The temporary file is also the lock, so a crash leaves one known name that the next run takes over.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::DeployError;
use super::json::refuse;
use super::memory::{Remembered, SavedOriginal, beside, marker_text};
use super::modes;

/// How long another deploy of the same file may take before this one gives up.
const PATIENCE: Duration = Duration::from_secs(5);
/// The suffix of the temporary file's name.
const TEMP: &str = ".sprag-tmp";
/// As many links as Linux itself follows.
const MAX_LINKS: usize = 40;

/// The file that a path leads to: links are followed, never replaced. The target may be missing.
pub(crate) fn resolve(file: &Path) -> Result<PathBuf, DeployError> {
    let mut path = file.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => {
                let target = fs::read_link(&path).map_err(DeployError::io("read the link", &path))?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            }
            _ => return Ok(path),
        }
    }
    Err(DeployError::LinkLoop { file: file.to_owned() })
}

/// The text of a file, or `None` when there is none.
pub(crate) fn read(file: &Path) -> Result<Option<String>, DeployError> {
    let meta = match fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(DeployError::io("read", file)(error)),
    };
    if !meta.is_file() {
        return Err(DeployError::NotAFile { file: file.to_owned() });
    }
    let bytes =
        sprag_base::files::read(file, sprag_base::files::STATE).map_err(DeployError::io("read", file))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let hint = "save the file as UTF-8, then run the command again";
        DeployError::refused(file)(refuse(&text, good, "not valid UTF-8", hint))
    })
}

/// Creates the folders that are missing above a file and returns how many those were.
///
/// In the user's home they are private (0700): the agents keep credentials and transcripts there. In a project
/// the user's umask decides, as for everything else in a checkout that others may have to read.
pub(crate) fn create_parents(file: &Path, private: bool) -> Result<usize, DeployError> {
    let missing: Vec<&Path> = file
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.as_os_str().is_empty() && fs::symlink_metadata(dir).is_err())
        .collect();
    let mut builder = DirBuilder::new();
    modes::folder_mode(&mut builder, if private { 0o700 } else { 0o777 });
    for dir in missing.iter().rev() {
        match builder.create(dir) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(DeployError::io("create the folder", dir)(error));
            }
            _ => {}
        }
    }
    Ok(missing.len())
}

/// Removes up to `count` folders above a file, as long as they are empty.
pub(crate) fn remove_parents(file: &Path, count: usize) {
    for dir in file.ancestors().skip(1).take(count) {
        if fs::remove_dir(dir).is_err() {
            return;
        }
    }
}

/// Removes a file that may not exist any more.
pub(crate) fn remove(file: &Path) -> Result<(), DeployError> {
    match sprag_base::files::remove(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(DeployError::io("remove", file)(error)),
        _ => Ok(()),
    }
}

/// Permission to replace one file: an exclusive lock on the temporary file beside it.
#[derive(Debug)]
pub(crate) struct Staged {
    target: PathBuf,
    temp: PathBuf,
    file: File,
    done: bool,
}

impl Staged {
    /// Waits for the lock on `target`; takes over what a killed run left behind.
    pub(crate) fn lock(target: &Path) -> Result<Self, DeployError> {
        let temp = beside(target, ".", TEMP);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            // Never write through a link that somebody created under our name.
            if fs::symlink_metadata(&temp).is_ok_and(|meta| !meta.is_file()) {
                remove(&temp)?;
            }
            let file = sprag_base::files::open_write(&temp).map_err(DeployError::io("write", &temp))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    sleep(Duration::from_millis(20));
                    continue;
                }
                // A file system without locks: the check before the rename still guards the content.
                Err(TryLockError::Error(_)) => {}
            }
            // The holder before us may have renamed or removed what we opened.
            let held = file.metadata().map_err(DeployError::io("write", &temp))?;
            if fs::symlink_metadata(&temp).is_ok_and(|now| modes::same_file(&now, &held)) {
                return Ok(Self { target: target.to_owned(), temp, file, done: false });
            }
        }
        Err(DeployError::Busy { file: target.to_owned() })
    }

    /// Replaces `before` by `text` atomically; a new file gets `new_mode`. False when the file is no longer `before`.
    pub(crate) fn commit(
        &mut self,
        before: Option<&str>,
        text: &str,
        new_mode: u32,
    ) -> Result<bool, DeployError> {
        self.fill(text)?;
        let mut mode = new_mode;
        if let Ok(old) = fs::metadata(&self.target) {
            mode = modes::mode_of(&old);
            modes::keep_owner(&self.file, &old).map_err(DeployError::io("write", &self.temp))?;
        }
        self.seal(mode)?;
        if read(&self.target)?.as_deref() != before {
            return Ok(false);
        }
        sprag_base::files::rename(&self.temp, &self.target)
            .map_err(DeployError::io("replace", &self.target))?;
        self.done = true;
        self.sync_folder();
        Ok(true)
    }

    /// Removes the file, if it is still `before`.
    pub(crate) fn delete(&mut self, before: &str) -> Result<bool, DeployError> {
        if read(&self.target)?.as_deref() != Some(before) {
            return Ok(false);
        }
        remove(&self.target)?;
        self.sync_folder();
        Ok(true)
    }

    fn fill(&mut self, text: &str) -> Result<(), DeployError> {
        let written = self.file.set_len(0).and_then(|()| self.file.write_all(text.as_bytes()));
        written.map_err(DeployError::io("write", &self.temp))
    }

    fn seal(&self, mode: u32) -> Result<(), DeployError> {
        let sealed = modes::set_mode(&self.file, mode);
        sealed.and_then(|()| self.file.sync_all()).map_err(DeployError::io("write", &self.temp))
    }

    /// The rename is only durable when the folder is synced; a file system that cannot do that is no reason to fail.
    fn sync_folder(&self) {
        if let Some(dir) = self.target.parent() {
            sprag_base::files::sync_dir(dir).ok();
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.done {
            sprag_base::files::remove(&self.temp).ok();
        }
    }
}

/// Replaces a file of our own (backup, marker), whatever is there.
pub(crate) fn replace(file: &Path, text: &str, mode: u32) -> Result<(), DeployError> {
    let mut staged = Staged::lock(file)?;
    staged.fill(text)?;
    staged.seal(mode)?;
    sprag_base::files::rename(&staged.temp, file).map_err(DeployError::io("replace", file))?;
    staged.done = true;
    staged.sync_folder();
    Ok(())
}

/// Removes the temporary file of a killed run. Nobody reads it, so a failure does not matter.
pub(crate) fn sweep(file: &Path) {
    if fs::symlink_metadata(beside(file, ".", TEMP)).is_ok() {
        drop(Staged::lock(file));
    }
}

/// The permission bits of a file, or what a new one gets.
pub(crate) fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(modes::PRIVATE, |meta| modes::mode_of(&meta))
}

/// True for a file that can be executed.
pub(crate) fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| modes::is_executable(&meta))
}

/// What was saved about the state of `file` before the first deploy. If both exist, the marker is the newer one.
pub(crate) fn load_original(remembered: &Remembered, file: &Path) -> SavedOriginal {
    if let Ok(Some(marker)) = read(&remembered.marker(file)) {
        return SavedOriginal::from_marker(&marker);
    }
    match read(&remembered.backup(file)) {
        Ok(Some(text)) => SavedOriginal::Text(text),
        _ => SavedOriginal::Nothing,
    }
}

/// Saves the state before the first deploy; a copy gets the permissions of `target`.
pub(crate) fn save_original(
    original: &SavedOriginal,
    remembered: &Remembered,
    file: &Path,
    target: &Path,
) -> Result<(), DeployError> {
    let (backup, marker) = (remembered.backup(file), remembered.marker(file));
    create_parents(&backup, true)?;
    match original {
        SavedOriginal::Nothing => Ok(()),
        SavedOriginal::Absent { folders } => replace(&marker, &marker_text(*folders), modes::PRIVATE),
        SavedOriginal::Text(text) => {
            replace(&backup, text, mode(target))?;
            remove(&marker)
        }
    }
}
