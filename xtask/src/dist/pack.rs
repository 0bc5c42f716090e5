//! Archive formats, written byte for byte the same from the same files: tar with gzip, zip, and Debian's `ar`.

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc, GzBuilder};
use std::io::Write as _;
use std::sync::Arc;

/// What every entry says of its time where `SOURCE_DATE_EPOCH` says nothing: the date that npm writes too.
const EPOCH: u64 = 499_162_500;

/// A file of an archive.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) executable: bool,
}

impl File {
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), executable: false }
    }

    pub(crate) fn text(name: impl Into<String>, text: &str) -> Self {
        Self::new(name, text.as_bytes())
    }

    pub(crate) fn program(name: impl Into<String>, bytes: Arc<[u8]>) -> Self {
        Self { executable: true, ..Self::new(name, bytes) }
    }

    /// The same file at another place.
    pub(crate) fn at(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self.clone() }
    }

    const fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

fn epoch() -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(EPOCH)
}

/// A compressed tar archive.
pub(crate) fn tar_gz(files: &[File], level: u32) -> anyhow::Result<Vec<u8>> {
    write_tar(files, level, false)
}

/// A compressed tar archive with an entry for every folder, which `dpkg` wants.
pub(crate) fn tar_gz_with_folders(files: &[File], level: u32) -> anyhow::Result<Vec<u8>> {
    write_tar(files, level, true)
}

fn write_tar(files: &[File], level: u32, folders: bool) -> anyhow::Result<Vec<u8>> {
    // No time and no system in the header of the compression.
    let gzip: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), Compression::new(level));
    let mut tar = tar::Builder::new(gzip);
    let header = |mode: u32, size: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_mode(mode);
        header.set_size(size as u64);
        header.set_mtime(epoch());
        header.set_uid(0);
        header.set_gid(0);
        header
    };
    let mut known: Vec<&str> = Vec::new();
    for file in files {
        if folders {
            for (at, _) in file.name.match_indices('/') {
                let folder = file.name.get(..at).unwrap_or_default();
                if !known.contains(&folder) {
                    known.push(folder);
                    let mut header = header(0o755, 0);
                    header.set_entry_type(tar::EntryType::Directory);
                    tar.append_data(&mut header, format!("{folder}/"), std::io::empty())?;
                }
            }
        }
        tar.append_data(&mut header(file.mode(), file.bytes.len()), &file.name, &*file.bytes)?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// A zip archive.
pub(crate) fn zip(files: &[File], level: u32) -> anyhow::Result<Vec<u8>> {
    const DEFLATED: u16 = 8;
    const VERSION: u16 = 20;
    /// Made on Unix: the attributes are a file mode.
    const UNIX: u16 = 3 << 8;
    /// The first of January 1980, the earliest date of the format.
    const DATE: u16 = 1 << 5 | 1;
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(level));
        packed.write_all(&file.bytes)?;
        let packed = packed.finish()?;
        let mut crc = Crc::new();
        crc.update(&file.bytes);
        // What the entry and the directory say alike.
        let mut facts = Vec::new();
        for short in [VERSION, 0, DEFLATED, 0, DATE] {
            facts.extend(short.to_le_bytes());
        }
        for long in [crc.sum(), u32::try_from(packed.len())?, u32::try_from(file.bytes.len())?] {
            facts.extend(long.to_le_bytes());
        }
        facts.extend(u16::try_from(file.name.len())?.to_le_bytes());
        facts.extend([0; 2]);
        let offset = u32::try_from(out.len())?;
        out.extend(b"PK\x03\x04");
        out.extend(&facts);
        out.extend(file.name.as_bytes());
        out.extend(packed);
        directory.extend(b"PK\x01\x02");
        directory.extend((UNIX | VERSION).to_le_bytes());
        directory.extend(&facts);
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | file.mode()) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(file.name.as_bytes());
    }
    let (count, start, size) =
        (u16::try_from(files.len())?, u32::try_from(out.len())?, u32::try_from(directory.len())?);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    for short in [count, count] {
        out.extend(short.to_le_bytes());
    }
    for long in [size, start] {
        out.extend(long.to_le_bytes());
    }
    out.extend([0; 2]);
    Ok(out)
}

/// An `ar` archive, the outside of a Debian package.
pub(crate) fn ar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let head = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", epoch(), 0, 0, "100644", bytes.len());
        out.extend(head.as_bytes());
        out.extend(bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]
    use super::*;
    use std::io::Read as _;

    fn files() -> Vec<File> {
        vec![
            File::program("bin/sprag", b"#!/bin/sh\necho hello\n".to_vec().into()),
            File::text("README.md", &"text ".repeat(1_000)),
        ]
    }

    #[test]
    fn a_tar_archive_holds_the_files_with_their_modes_and_is_reproducible() {
        let bytes = tar_gz_with_folders(&files(), 6).unwrap();
        assert_eq!(bytes, tar_gz_with_folders(&files(), 6).unwrap());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
        let found: Vec<(String, u32, u64)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                (name, entry.header().mode().unwrap(), entry.size())
            })
            .collect();
        let wanted = [("bin/", 0o755, 0), ("bin/sprag", 0o755, 21), ("README.md", 0o644, 5_000)];
        assert_eq!(found, wanted.map(|(name, mode, size)| (name.to_owned(), mode, size)));
    }

    #[test]
    fn a_zip_archive_is_read_by_python() {
        if !crate::has("python3") {
            return sprag_testkit::skip("no python3");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), zip(&files(), 6).unwrap()).unwrap();
        let script = "import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                      for i in z.infolist(): print(i.filename, oct(i.external_attr>>16), len(z.read(i)))";
        let output =
            std::process::Command::new("python3").args(["-c", script]).arg(file.path()).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "bin/sprag 0o100755 21\nREADME.md 0o100644 5000\n",
            "{output:?}"
        );
    }

    #[test]
    fn members_of_an_ar_archive_begin_at_even_offsets() {
        let bytes = ar(&[("debian-binary", b"2.0\n".to_vec()), ("odd", b"x".to_vec()), ("end", Vec::new())]);
        assert_eq!(bytes.len() % 2, 0);
        let mut rest = &bytes[8..];
        let mut sizes = Vec::new();
        while !rest.is_empty() {
            let mut head = [0; 60];
            rest.read_exact(&mut head).unwrap();
            assert_eq!(&head[58..], b"`\n");
            let size: usize = String::from_utf8_lossy(&head[48..58]).trim().parse().unwrap();
            sizes.push(size);
            rest = &rest[size + size % 2..];
        }
        assert_eq!(sizes, [4, 1, 0]);
    }
}
