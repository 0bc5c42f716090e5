//! The one seam through which a test makes file and database operations fail. Every operation of [`crate::files`] and
//! every statement of the store passes [`run`]; in a build without debug assertions and without the feature `faults`,
//! such as the one that users run, that is the operation and nothing else.
//!
//! In other builds `SPRAG_FAULT=N:fault` makes the Nth operation of the process fail, counted from 1; a line on
//! standard error says which one it was, so that a test that counts up knows when it is through. The faults: `eio`,
//! `enospc`, `eintr`, `eacces` (the operation is not done), `short` (a write takes only half of the bytes; other
//! operations are done), `crash-before` and `crash-after` (the process is killed before or after the operation).
//! `SPRAG_FAULT=list` makes none fail and names each one.

use std::io;

/// What is about to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Opening a file.
    Open,
    /// Asking for a file's metadata.
    Stat,
    /// One read.
    Read,
    /// One write.
    Write,
    /// Waiting until the bytes are on the disk.
    Sync,
    /// Renaming a file.
    Rename,
    /// Removing a file.
    Remove,
    /// Creating folders.
    MakeDir,
    /// One statement of the store.
    Statement,
}

/// Does a file operation, unless it is the one that is to fail.
#[inline]
pub fn io<T>(operation: Operation, body: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    run(operation, |error| error, body)
}

/// Does an operation, unless it is the one that is to fail: then `failed` makes its error.
#[cfg(not(all(any(feature = "faults", debug_assertions), unix)))]
#[inline]
pub fn run<T, E>(
    _operation: Operation,
    _failed: impl FnOnce(io::Error) -> E,
    body: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    body()
}

/// How many of `len` bytes the next write is given.
#[cfg(not(all(any(feature = "faults", debug_assertions), unix)))]
#[inline]
pub(crate) fn accepted(len: usize) -> usize {
    len
}

#[cfg(all(any(feature = "faults", debug_assertions), unix))]
pub(crate) use on::accepted;
#[cfg(all(any(feature = "faults", debug_assertions), unix))]
pub use on::run;

#[cfg(all(any(feature = "faults", debug_assertions), unix))]
mod on {
    use super::Operation;
    use std::io::{self, Write as _};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Fault {
        Error(i32),
        Short,
        CrashBefore,
        CrashAfter,
    }

    /// Operations so far.
    static COUNT: AtomicU64 = AtomicU64::new(0);

    /// The value that names every operation.
    const LIST: &str = "list";

    fn setting() -> Option<&'static str> {
        static SETTING: OnceLock<Option<String>> = OnceLock::new();
        SETTING.get_or_init(|| std::env::var("SPRAG_FAULT").ok()).as_deref()
    }

    /// Which operation fails, and how.
    fn wanted() -> Option<(u64, Fault)> {
        static WANTED: OnceLock<Option<(u64, Fault)>> = OnceLock::new();
        *WANTED.get_or_init(|| {
            let (number, fault) = setting()?.split_once(':')?;
            let fault = match fault {
                "eio" => Fault::Error(libc::EIO),
                "enospc" => Fault::Error(libc::ENOSPC),
                "eintr" => Fault::Error(libc::EINTR),
                "eacces" => Fault::Error(libc::EACCES),
                "short" => Fault::Short,
                "crash-before" => Fault::CrashBefore,
                "crash-after" => Fault::CrashAfter,
                _ => return None,
            };
            Some((number.parse().ok()?, fault))
        })
    }

    fn crash() {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        std::process::abort();
    }

    /// Does an operation, unless it is the one that is to fail: then `failed` makes its error.
    pub fn run<T, E>(
        operation: Operation,
        failed: impl FnOnce(io::Error) -> E,
        body: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let number = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = wanted().filter(|(wanted, _)| *wanted == number).map(|(_, fault)| fault);
        if fault.is_some() || setting() == Some(LIST) {
            // Once, so that lines of several threads do not mix.
            let _ = io::stderr().write_all(format!("fault: operation {number} ({operation:?})\n").as_bytes());
        }
        let Some(fault) = fault else { return body() };
        match fault {
            Fault::Error(code) => Err(failed(io::Error::from_raw_os_error(code))),
            Fault::CrashBefore => {
                crash();
                body()
            }
            Fault::CrashAfter => {
                let done = body();
                crash();
                done
            }
            Fault::Short => body(),
        }
    }

    /// How many of `len` bytes the next write is given. Called before the [`run`] of that write.
    pub(crate) fn accepted(len: usize) -> usize {
        let next = COUNT.load(Ordering::SeqCst) + 1;
        if wanted() == Some((next, Fault::Short)) { len / 2 } else { len }
    }
}
