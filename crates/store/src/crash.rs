//! Points at which a test stops a process to kill it there. They do nothing in a program that users run.

/// Stops here for good when a test asks for it. `SPRAG_TEST_STOP_AT` is `NAME:N`, for the N-th time that the point with
/// this name is reached; the file that `SPRAG_TEST_STOP_FILE` names then says that it was.
#[doc(hidden)]
pub fn crash_point(name: &str) {
    #[cfg(debug_assertions)]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static REACHED: AtomicUsize = AtomicUsize::new(0);
        let Ok(wanted) = std::env::var("SPRAG_TEST_STOP_AT") else { return };
        let Some((_, number)) = wanted.split_once(':').filter(|(wanted, _)| *wanted == name) else { return };
        if number.parse() == Ok(REACHED.fetch_add(1, Ordering::SeqCst) + 1) {
            let file = std::env::var_os("SPRAG_TEST_STOP_FILE").unwrap_or_default();
            let _ = sprag_base::files::write_plain(std::path::Path::new(&file), name.as_bytes());
            loop {
                std::thread::park();
            }
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = name;
}
