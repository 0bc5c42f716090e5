//! Migrations: numbered, forward only, each in one transaction with its number, one process at a time.
//! A process that dies in the middle leaves the previous version; the next one continues from there.

use crate::conn::{Conn, atomically};
use crate::crash::crash_point;
use crate::error::{Error, Result};

/// The version that this program reads and writes.
pub const LATEST: i64 = crate::sqlite::MIGRATIONS.len() as i64;

/// Makes sure that the schema is the one this program knows, and migrates it when it may.
pub(crate) fn check(conn: &mut dyn Conn, may_change: bool) -> Result<()> {
    match conn.version()? {
        LATEST => Ok(()),
        found if found > LATEST => Err(Error::Newer { found, known: LATEST }),
        _ if may_change => migrate_to(conn, LATEST),
        found => Err(Error::Outdated { found, wanted: LATEST }),
    }
}

/// Migrates the schema up to a version, step by step.
pub(crate) fn migrate_to(conn: &mut dyn Conn, version: i64) -> Result<()> {
    loop {
        let found = conn.version()?;
        if found >= version {
            return Ok(());
        }
        atomically(conn, |conn| {
            conn.migration_lock()?;
            // Another process may have been faster while this one waited.
            let found = conn.version()?;
            if found >= version {
                return Ok(());
            }
            let step = conn.migrations().get(found as usize).copied();
            let sql = step.ok_or(Error::Newer { found, known: LATEST })?;
            crash_point("migration");
            conn.batch(sql)?;
            crash_point("migration");
            conn.set_version(found + 1)?;
            crash_point("migration");
            Ok(())
        })?;
        crash_point("migration");
    }
}
