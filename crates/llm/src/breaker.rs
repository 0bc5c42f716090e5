//! The circuit breaker of background work: a model that failed twice in a row is left alone for a while, so that ten
//! sessions do not wait for the same dead endpoint one after another. What is known stands in one small file.

use super::{Llm, LlmError};
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use std::path::PathBuf;
use std::time::Duration;

/// Failures in a row before the model is left alone.
const MAX_FAILURES: u32 = 2;
/// The first pause; each failure after it doubles it.
const PAUSE: Duration = Duration::from_secs(300);
const LONGEST: Duration = Duration::from_secs(3_600);

/// What is known of a model that fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Failures in a row.
    pub failures: u32,
    /// It is not asked before this, in microseconds; 0 while it is asked.
    pub until: u64,
    /// Why the last question failed.
    pub reason: String,
    /// Which model, by its settings: another one is not blamed for this one.
    key: String,
}

impl Trouble {
    /// When it is asked again, while it is left alone.
    pub fn paused(&self, now: Stamp) -> Option<Stamp> {
        (self.until > now.0).then_some(Stamp(self.until))
    }
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join("llm").join("trouble.json")
}

fn key(llm: &Llm) -> String {
    short_hash(format!("{:?}\0{}\0{:?}", llm.backend, llm.model, llm.command).as_bytes())
}

/// What is known of this model; `None` while it answers.
pub fn trouble(paths: &Paths, llm: &Llm) -> Option<Trouble> {
    let bytes = files::read(file(paths), files::SMALL).ok()?;
    serde_json::from_slice::<Trouble>(&bytes).ok().filter(|known| known.key == key(llm))
}

/// Remembers how a question went.
pub(super) fn note(paths: &Paths, llm: &Llm, now: Stamp, went: Result<(), &LlmError>) {
    let error = match went {
        // An answer of whatever sort shows that somebody is there.
        Ok(()) | Err(LlmError::Empty | LlmError::Off | LlmError::Paused { .. }) => {
            if file(paths).exists() {
                let _ = files::remove(file(paths));
            }
            return;
        }
        Err(error) => error,
    };
    let failures = trouble(paths, llm).map_or(0, |known| known.failures) + 1;
    let until = match failures.checked_sub(MAX_FAILURES) {
        None => 0,
        Some(more) => now.after((PAUSE * 2_u32.saturating_pow(more.min(8))).min(LONGEST)).0,
    };
    let reason: String = error.to_string().chars().take(300).collect();
    let known = Trouble { failures, until, reason, key: key(llm) };
    if let Ok(text) = serde_json::to_vec(&known) {
        let _ = files::write_atomic(&file(paths), &text);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Backend;
    use sprag_base::time::Clock;
    use sprag_config::host::Host;
    use sprag_protocol::AgentId;

    fn shell(script: &str) -> Llm {
        Llm {
            backend: Backend::Program(AgentId::Claude),
            model: "m".to_owned(),
            timeout: Duration::from_secs(60),
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        }
    }

    /// A dead endpoint was waited for once per session, for minutes.
    #[test]
    fn a_model_that_fails_twice_is_left_alone_and_asked_again_later() {
        let dir = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut host = Host::in_home(dir.path(), &[("PATH", &path)]);
        let at = |minutes: u64| {
            Clock::Fixed(Stamp(1_000_000_000_000_000).after(Duration::from_secs(60 * minutes)))
        };
        host.clock = at(0);
        let dead = shell("echo asked >> \"$HOME/asked\"; echo down >&2; exit 3");
        let asked =
            || files::read_text(dir.path().join("asked"), files::SMALL).unwrap_or_default().lines().count();
        for _ in 0..5 {
            let _ = dead.ask_in_background(&host, "q");
        }
        assert_eq!(asked(), 2, "the third question is not asked");
        let error = dead.ask_in_background(&host, "q").unwrap_err();
        assert!(matches!(error, LlmError::Paused { .. }) && error.to_string().contains("down"), "{error}");
        assert_eq!(
            shell("echo yes").ask_in_background(&host, "q").unwrap().trim(),
            "yes",
            "another model is asked"
        );
        assert!(trouble(&host.paths, &dead).is_none(), "one file: the last model that was asked");
        for _ in 0..2 {
            let _ = dead.ask_in_background(&host, "q");
        }
        host.clock = at(6);
        let _ = dead.ask_in_background(&host, "q");
        assert_eq!(asked(), 5, "after the pause it is tried once");
        let known = trouble(&host.paths, &dead).unwrap();
        assert_eq!(
            known.paused(host.clock.now()),
            Some(host.clock.now().after(2 * PAUSE)),
            "and then left longer"
        );
        assert!(dead.ask(&host, "q").is_err() && asked() == 6, "a person who asks is not held back");
    }
}
