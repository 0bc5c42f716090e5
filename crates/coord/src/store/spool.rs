//! Changes that the store did not take: one file each, whole, sent later in the order they happened.
//! A change has an id, so one that is sent twice (a crash between sending and removing) counts once.

use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_store::{Error, Op, Store};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// What became of the spool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Changes that the store has now.
    pub sent: usize,
    /// Changes that the store will never take; they are kept in `dead/`.
    pub dead: usize,
}

/// Keeps a change for later.
pub fn keep(paths: &Paths, op: &Op) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{:020}-{:010}-{count:06}.json", op.at, std::process::id());
    let text = serde_json::to_vec(op).map_err(io::Error::other)?;
    // Not synced: a power cut that takes the last change takes the session it is about, too.
    files::write_atomic(&paths.spool().join(name), &text)
}

/// The changes that wait, oldest first.
pub fn waiting(paths: &Paths) -> Vec<PathBuf> {
    files::list(&paths.spool(), "", ".json")
}

/// The changes that were given up.
pub fn dead(paths: &Paths) -> usize {
    std::fs::read_dir(paths.spool().join("dead")).map_or(0, Iterator::count)
}

/// Sends what waits, in order. A store that is unavailable ends it: what follows must not overtake.
pub fn deliver(paths: &Paths, store: &mut Store) -> Result<Delivered, Error> {
    let mut delivered = Delivered::default();
    for path in waiting(paths) {
        let Ok(text) = files::read(&path, files::STATE) else { continue };
        let outcome = match serde_json::from_slice::<Op>(&text) {
            Ok(op) => store.apply(&op).map(|_| ()),
            Err(error) => Err(Error::Rejected(error.to_string())),
        };
        match outcome {
            Ok(()) => {
                sprag_store::crash_point("delivered");
                delivered.sent += 1;
                remove(&path)?;
            }
            Err(error) if error.is_transient() => return Err(error),
            Err(_) => {
                let dead = paths.spool().join("dead");
                let _ = files::make_dir(&dead);
                files::rename(&path, dead.join(path.file_name().unwrap_or_default())).map_err(failed)?;
                delivered.dead += 1;
            }
        }
    }
    Ok(delivered)
}

fn remove(path: &std::path::Path) -> Result<(), Error> {
    match files::remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn failed(error: io::Error) -> Error {
    Error::ReadOnly(error.to_string())
}
