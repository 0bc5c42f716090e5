//! Where throw-away homes are made. Not below `/tmp` when that can be helped: a guard lets through there what
//! it denies in a home, and would then say something else in a case than in life.

use sprag_base::env::Env;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How a throw-away home is called.
pub const PREFIX: &str = "sprag-case-";

/// Folders whose content everybody may throw away.
const TEMPORARY: [&str; 6] =
    ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/private/var/folders", "/dev/shm"];

/// The first of the user's cache, the session's run-time folder and the temporary folder that can be used.
pub fn base(env: &Env, home: &Path) -> PathBuf {
    let absolute = |text: String| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
    let cache = env.get("XDG_CACHE_HOME").and_then(absolute).unwrap_or_else(|| home.join(".cache"));
    let own = [Some(cache.join("sprag/cases")), env.get("XDG_RUNTIME_DIR").and_then(absolute)];
    own.into_iter()
        .flatten()
        .filter(|place| !is_temporary(place) && !is_in_project(place))
        .find(|place| sprag_base::files::make_dir(place).is_ok())
        .unwrap_or_else(std::env::temp_dir)
}

fn is_temporary(place: &Path) -> bool {
    let real = place.ancestors().find_map(|folder| folder.canonicalize().ok());
    let real = real.as_deref().unwrap_or(place);
    TEMPORARY.iter().any(|folder| place.starts_with(folder) || real.starts_with(folder))
}

/// A case's project must not be taken for a part of one around it (a home that is a repository).
fn is_in_project(place: &Path) -> bool {
    place.ancestors().any(|folder| folder.join(".git").exists() || folder.join(".sprag").exists())
}

/// Removes homes that a run left behind when it was killed.
pub fn clean(base: &Path) {
    let old = SystemTime::now() - Duration::from_secs(86_400);
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at < old) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_folders_are_known_by_their_path() {
        assert!(is_temporary(Path::new("/tmp/x/.cache/sprag/cases")));
        assert!(is_temporary(Path::new("/dev/shm/a")));
        assert!(!is_temporary(Path::new("/temporary/x")) && !is_temporary(Path::new("/home/me/.cache")));
    }

    #[test]
    fn a_place_inside_a_project_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_in_project(&dir.path().join("a/b")));
        std::fs::create_dir_all(dir.path().join(".git")).unwrap();
        assert!(is_in_project(&dir.path().join("a/b")));
    }

    #[test]
    fn only_old_homes_go() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_secs(90_000);
        for name in ["sprag-case-old", "sprag-case-new", "other"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
            if name != "sprag-case-new" {
                std::fs::File::open(dir.path().join(name)).unwrap().set_modified(old).unwrap();
            }
        }
        clean(dir.path());
        assert!(!dir.path().join("sprag-case-old").exists());
        assert!(dir.path().join("sprag-case-new").exists() && dir.path().join("other").exists());
    }
}
