//! Panics of hooks: caught, silent, and with the place where they happened.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics off standard error (an agent may show or parse it) and remembers where they happened.
pub fn silence() {
    std::panic::set_hook(Box::new(|info| {
        LAST.with(|last| *last.borrow_mut() = Some(info.to_string().replace('\n', " ")));
    }));
}

/// A panic: where, and what it said.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Panicked(String);

/// Runs `body`; a panic is an error.
pub fn caught<T>(body: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let said = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Panicked(LAST.with(|last| last.borrow_mut().take()).unwrap_or_else(|| format!("panicked: {said}")))
    })
}
