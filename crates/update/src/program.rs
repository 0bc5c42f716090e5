//! The exchange of the program: unpacked beside the old one, tried, then renamed over it.

use crate::{UpdateError, Version};
use sprag_base::files;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// The largest program.
const MAX_PROGRAM: u64 = 256 << 20;
/// Its name in the archive.
const NAME: &str = "sprag";

/// Replaces a program with the one in an archive, after that has said that it is this version. Whoever starts the program
/// meanwhile gets the whole old or the whole new one.
pub fn replace(exe: &Path, archive: &[u8], version: &Version) -> Result<(), UpdateError> {
    let bytes = unpack(archive)?;
    let scratch = files::scratch_name(exe);
    let done = try_and_rename(exe, &scratch, &bytes, version);
    if done.is_err() {
        let _ = files::remove(&scratch);
    }
    done
}

fn try_and_rename(exe: &Path, scratch: &Path, bytes: &[u8], version: &Version) -> Result<(), UpdateError> {
    let failed = |error: std::io::Error| UpdateError::Replace { path: exe.to_path_buf(), error };
    let mut file = files::create_new(scratch).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    make_executable(&file).map_err(failed)?;
    // A file that is open to write cannot be started.
    drop(file);
    let output = Command::new(scratch).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| UpdateError::Archive(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if said != format!("sprag {version}") {
        return Err(UpdateError::Archive(format!("its program says `{said}`, not `sprag {version}`")));
    }
    files::rename(scratch, exe).map_err(failed)
}

/// The program in an archive.
fn unpack(archive: &[u8]) -> Result<Vec<u8>, UpdateError> {
    let broken = |error: std::io::Error| UpdateError::Archive(error.to_string());
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    for entry in tar.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        if entry.header().entry_type().is_file() && &*entry.path_bytes() == NAME.as_bytes() {
            let mut bytes = Vec::new();
            entry.take(MAX_PROGRAM).read_to_end(&mut bytes).map_err(broken)?;
            return Ok(bytes);
        }
    }
    Err(UpdateError::Archive(format!("it holds no {NAME}")))
}

#[cfg(unix)]
fn make_executable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    fn archive(name: &str, text: &str) -> Vec<u8> {
        let mut tar =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        tar.into_inner().unwrap().finish().unwrap()
    }

    fn script(version: &str) -> String {
        format!("#!/bin/sh\necho 'sprag {version}'\n")
    }

    #[test]
    fn only_a_program_that_says_its_version_replaces_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let exe = dir.path().join("sprag");
        std::fs::write(&exe, "old").unwrap();
        let version = Version::parse("2.0.0").unwrap();
        for unusable in [
            archive("sprag", &script("1.9.9")),
            archive("sprag", "no program"),
            archive("other", &script("2.0.0")),
            b"no archive".to_vec(),
        ] {
            assert!(matches!(replace(&exe, &unusable, &version), Err(UpdateError::Archive(_))));
            assert_eq!(std::fs::read_to_string(&exe).unwrap(), "old");
        }
        replace(&exe, &archive("sprag", &script("2.0.0")), &version).unwrap();
        assert_eq!(std::fs::read_to_string(&exe).unwrap(), script("2.0.0"));
        let left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["sprag"], "nothing is left behind");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_of_its_own() {
        let version = Version::parse("2.0.0").unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let done = replace(&dir.path().join("file/sprag"), &archive("sprag", &script("2.0.0")), &version);
        assert!(matches!(done, Err(UpdateError::Replace { .. })), "{done:?}");
    }
}
