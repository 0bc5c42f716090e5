//! Claims that this session took a short while ago: one small file each, so that the next edit asks no database.
//! A claim is believed for a quarter of its lease, which is well before it can run out in the store.

use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use sprag_runtime::session::Session;
use sprag_store::ClaimKey;
use std::path::PathBuf;

/// The session's folder of claims.
const FOLDER: &str = "claims";

fn file(session: &Session, key: &ClaimKey) -> PathBuf {
    let name = short_hash(format!("{}\0{}\0{}", key.repo, key.branch, key.path).as_bytes());
    session.file(FOLDER).join(name)
}

/// True while a claim is certainly this session's.
pub fn is_held(session: &Session, key: &ClaimKey, now: Stamp) -> bool {
    let until =
        files::read_text(file(session, key), files::SMALL).ok().and_then(|text| text.trim().parse().ok());
    until.is_some_and(|until: u64| now.0 < until)
}

/// Remembers a claim of `lease` microseconds that was taken now. Where nothing can be written, the next edit asks again.
pub fn remember(session: &Session, key: &ClaimKey, now: Stamp, lease: i64) {
    let until = now.0 + lease.max(0) as u64 / 4;
    let _ = files::write_atomic(&file(session, key), until.to_string().as_bytes());
}

/// True when this session claimed anything.
pub fn any(session: &Session) -> bool {
    session.has(FOLDER)
}

/// Forgets everything: the next edit of each file claims it again.
pub fn forget(session: &Session) {
    let _ = std::fs::remove_dir_all(session.file(FOLDER));
}

/// Forgets one claim of a session of this home, by the session's id.
pub fn forget_one(session: &Session, key: &ClaimKey) {
    let _ = files::remove(file(session, key));
}
