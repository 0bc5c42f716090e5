//! Where the store is, for events that have no time to read the configuration: one small file, made from it and believed
//! while it is unchanged.

use super::Setup;
use serde::{Deserialize, Serialize};
use sprag_base::files::{self, Identity};
use sprag_config::host::Host;
use sprag_store::{Error, Target};
use std::path::PathBuf;
use std::time::Duration;

/// The variables that say otherwise than the configuration.
const VARIABLES: [&str; 3] = ["SPRAG_STORE_URL", "SPRAG_STORE_BUDGET_MS", "SPRAG_STORE_KEEP_DAYS"];

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
    if host.env.own().is_empty() {
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
