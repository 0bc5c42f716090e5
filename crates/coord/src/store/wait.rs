//! Asking something that may hang or be unavailable, from a hook that may not wait: in a thread, for a limited time, and
//! not again at once when it did not answer.

use sprag_base::files;
use sprag_base::time::Stamp;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

/// Runs `question` in a thread of its own; `None` when it takes longer than `patience`. Whatever hangs is left behind:
/// the process ends with its answer.
pub fn ask_within<T: Send + 'static>(
    patience: Duration,
    question: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Option<T>> {
    let (send, receive) = mpsc::channel();
    std::thread::Builder::new().name("store".to_owned()).spawn(move || {
        let _ = send.send(question());
    })?;
    Ok(receive.recv_timeout(patience).ok())
}

/// How a service did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// It cannot be reached: it is left alone for half a minute.
    Unreachable,
    /// It is there and did not answer in time: on a loaded machine that passes soon.
    Slow,
}

/// The file that says that a service did not answer a moment ago; its time says when.
pub struct UnavailableMarker {
    file: PathBuf,
}

impl UnavailableMarker {
    /// The marker in this file.
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// True while the service is to be left alone.
    pub fn is_set(&self) -> bool {
        let Ok(meta) = self.file.metadata() else { return false };
        let rest = Duration::from_secs(if meta.len() == 0 { 30 } else { 2 });
        let now = Stamp::from(SystemTime::now());
        meta.modified().map(Stamp::from).is_ok_and(|at| at <= now && at.after(rest) > now)
    }

    /// Remembers that the service did not answer.
    pub fn set(&self, how: Unavailable) {
        let text: &[u8] = match how {
            Unavailable::Unreachable => b"",
            Unavailable::Slow => b"slow",
        };
        // One that cannot be written costs time, not correctness.
        let _ = files::write_atomic(&self.file, text);
    }

    /// Forgets it: the service answered.
    pub fn clear(&self) {
        if self.file.exists() {
            let _ = files::remove(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test sets the time of a file")]
    use super::*;

    #[test]
    fn what_hangs_is_left_behind() {
        assert_eq!(ask_within(Duration::from_secs(20), || 7).unwrap(), Some(7));
        let (_keep, never) = mpsc::channel::<()>();
        assert_eq!(ask_within(Duration::from_millis(5), move || never.recv()).unwrap(), None);
    }

    #[test]
    fn a_marker_counts_for_as_long_as_the_fault_is_expected_to_last() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mark");
        let marker = UnavailableMarker::new(file.clone());
        let aged = |seconds: u64| {
            let at = SystemTime::now() - Duration::from_secs(seconds);
            std::fs::File::options().append(true).open(&file).unwrap().set_modified(at).unwrap();
            marker.is_set()
        };
        assert!(!marker.is_set());
        marker.set(Unavailable::Unreachable);
        assert!(marker.is_set() && aged(20) && !aged(31));
        marker.set(Unavailable::Slow);
        assert!(marker.is_set() && !aged(3));
        marker.set(Unavailable::Slow);
        marker.clear();
        assert!(!marker.is_set());
    }
}
