//! Where the store is, for events that have no time to read the configuration: one small file, made from it and believed
//! while it is unchanged.

use super::Setup;
use serde::{Deserialize, Serialize};
use sprag_base::files::{self, Identity};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_store::{Error, Target};
use std::path::PathBuf;
use std::time::Duration;

/// The variables that say otherwise than the configuration.
const VARIABLES: [&str; 3] = ["SPRAG_STORE_URL", "SPRAG_STORE_BUDGET_MS", "SPRAG_STORE_KEEP_DAYS"];

/// How long a server that cannot be reached is left alone by events that only ask.
const AWAY: Duration = Duration::from_secs(30);

/// The same for one that is there and did not answer in time: on a loaded machine that passes soon.
const SLOW: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize)]
struct Hint {
    config: Option<Identity>,
    env: Vec<Option<String>>,
    url: String,
    budget_ms: u64,
    keep_s: u64,
}

fn file(host: &Host) -> PathBuf {
    host.paths.cache().join("store.hint")
}

fn env(host: &Host) -> Vec<Option<String>> {
    if !host.env.has_own() {
        return Vec::new();
    }
    VARIABLES.iter().map(|name| host.env.get(name)).collect()
}

/// The set-up: from the hint when that is true, else from the configuration.
pub(super) fn setup(host: &Host) -> Result<Setup, Error> {
    let (config, env) = (files::identity(&host.paths.config_file()), env(host));
    let known: Option<Hint> =
        files::read(file(host), files::SMALL).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(hint) = known.filter(|hint| hint.config == config && hint.env == env) {
        return Ok(Setup {
            target: Target::parse(&hint.url, &host.paths.store_file())?,
            budget: Duration::from_millis(hint.budget_ms),
            keep: Duration::from_secs(hint.keep_s),
        });
    }
    let (setup, url) = Setup::read_with_url(host)?;
    if setup.target.is_remote() {
        // Its address may hold a password, which has one place; and to read it costs nothing beside the network.
        return Ok(setup);
    }
    let hint =
        Hint { config, env, url, budget_ms: setup.budget.as_millis() as u64, keep_s: setup.keep.as_secs() };
    // One that cannot be written costs time, not correctness.
    let _ = serde_json::to_vec(&hint).map(|bytes| files::write_atomic(&file(host), &bytes));
    Ok(setup)
}

fn away(host: &Host) -> PathBuf {
    host.paths.cache().join("store.away")
}

/// True while a server did not answer a moment ago.
pub(super) fn is_away(host: &Host) -> bool {
    let Ok(meta) = away(host).metadata() else { return false };
    let rest = if meta.len() == 0 { AWAY } else { SLOW };
    let now = Stamp::from(std::time::SystemTime::now());
    meta.modified().map(Stamp::from).is_ok_and(|at| at <= now && at.after(rest) > now)
}

/// Remembers whether the server answered, and when not, whether it was only slow.
pub(super) fn answered(host: &Host, answered: bool, slow: bool) {
    let file = away(host);
    if !answered {
        let _ = files::write_atomic(&file, if slow { b"slow" } else { b"" });
    } else if file.exists() {
        let _ = files::remove(&file);
    }
}
