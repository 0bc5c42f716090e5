//! What a folder's file system can do: whether locks hold, whether other machines may write to it.

use crate::files;
use std::io;
use std::path::Path;

/// Whether a lock keeps a second holder out. `Ok(true)` for a folder that is not there.
pub fn locks_work(folder: &Path) -> io::Result<bool> {
    if !folder.is_dir() {
        return Ok(true);
    }
    let path = folder.join(".lock-test");
    let (one, two) = (files::open_lock(&path)?, files::open_lock(&path)?);
    let held = one.try_lock().is_ok() && two.try_lock().is_err();
    let _ = files::remove(&path);
    Ok(held)
}

/// The file system of a folder, when other machines may be behind it: numbers as in statfs(2).
#[cfg(target_os = "linux")]
pub fn network_file_system(folder: &Path) -> Option<&'static str> {
    let magic = rustix::fs::statfs(folder).ok()?.f_type;
    network_name(u32::try_from(magic).unwrap_or(magic as u32))
}

#[cfg(target_os = "linux")]
fn network_name(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517B | 0xFE53_4D42 | 0xFF53_4D42 => "SMB",
        0x0102_1997 => "9P (a folder of another system, as /mnt/c in WSL)",
        0x6573_5546 => "FUSE (sshfs and others)",
        0x5346_414F | 0x6B41_4653 => "AFS",
        0x00C3_6400 => "Ceph",
        0x7673_6673 | 0x786F_4256 => "a shared folder of a virtual machine",
        0x0BD0_0BD0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x1983_0326 => "BeeGFS",
        0x7461_636F => "OCFS2",
        0x0116_1970 => "GFS2",
        0x7375_7245 => "Coda",
        _ => return None,
    })
}

/// Not known elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_folder_has_locks_that_hold() {
        let dir = tempfile::tempdir().unwrap();
        assert!(locks_work(dir.path()).unwrap() && locks_work(&dir.path().join("none")).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the test leaves nothing");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_file_systems_are_known_by_their_number() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xFF53_4D42), Some("SMB"));
        assert_eq!(network_name(0x6573_5546), Some("FUSE (sshfs and others)"));
        assert_eq!(network_name(0x4750_4653), Some("GPFS"));
        // ext4, tmpfs, overlayfs, btrfs, xfs
        for local in [0xEF53, 0x0102_1994, 0x794C_7630, 0x9123_683E, 0x5846_5342] {
            assert_eq!(network_name(local), None);
        }
    }
}
