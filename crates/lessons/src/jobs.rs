//! The background work about lessons: counts into the store, the compiled file up to date, transcripts scanned.

use crate::scan::{self, Request};
use crate::{fires, library};
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::store::{Setup, micros};
use sprag_llm::Llm;
use sprag_runtime::job::Job;
use sprag_store::{Opening, Store};
use std::path::PathBuf;

/// Brings counts and the compiled file up to date.
pub const SYNC_JOB: &str = "lessons-sync";

/// The job; at most one waits.
pub fn sync_job() -> Job {
    Job::new(SYNC_JOB, json!({})).keyed(SYNC_JOB)
}

/// The handler of [`SYNC_JOB`].
pub fn sync(host: &Host, _job: &Job) -> Result<(), String> {
    let setup = Setup::read(host).map_err(|error| error.to_string())?;
    let mut store = Store::open(&setup.target, Opening::WORKER).map_err(|error| error.to_string())?;
    let now = micros(host.clock.now());
    fires::fold(&host.paths, &mut store, now).map_err(|error| error.to_string())?;
    library::rebuild(host, &mut store, false).map(|_| ()).map_err(|error| error.to_string())
}

/// Scans transcripts.
pub const SCAN_JOB: &str = "lessons-scan";

settings! {
    /// Settings of session-start-scan.
    pub struct ScanSettings<'a> {
        /// at most one scan in this many hours
        auto_scan_interval_hours: i64 = 24, min 1;
        /// folders with transcripts; without any, those of the agents
        scan_paths: Texts;
        /// the most new candidates of one scan; the best are kept
        max_candidates_per_scan: usize = 50, min 1;
        /// also look for errors and their corrections, not only for tags
        heuristics: bool = true;
        /// also let the model that `[llm]` names read new sessions; this spends tokens
        model: bool = false;
        /// a `#lesson` tag of at least this confidence (percent) counts without a review; 0 is never
        promote_tags_from: i64 = 0;
    }
}

/// The job; at most one waits.
pub fn scan_job(settings: &ScanSettings<'_>) -> Job {
    let payload = json!({
        "interval_hours": settings.auto_scan_interval_hours,
        "paths": settings.scan_paths.to_vec(),
        "max_candidates": settings.max_candidates_per_scan,
        "heuristics": settings.heuristics,
        "model": settings.model,
        "promote_from": settings.promote_tags_from,
    });
    Job::new(SCAN_JOB, payload).keyed(SCAN_JOB)
}

/// The handler of [`SCAN_JOB`].
pub fn scan(host: &Host, job: &Job) -> Result<(), String> {
    let number = |key: &str| job.payload.get(key).and_then(Value::as_i64).unwrap_or(0);
    let on = |key: &str| job.payload.get(key).and_then(Value::as_bool).unwrap_or(false);
    let hours = host.env.get("LESSONS_AUTO_SCAN_INTERVAL_HOURS").and_then(|text| text.trim().parse().ok());
    let hours: i64 = hours.unwrap_or_else(|| number("interval_hours")).max(1);
    let paths = job.payload.get("paths").and_then(Value::as_array).into_iter().flatten();
    let request = Request {
        paths: paths.filter_map(Value::as_str).map(PathBuf::from).collect(),
        heuristics: on("heuristics"),
        max_candidates: usize::try_from(number("max_candidates")).unwrap_or(50).max(1),
        promote_from: Some(number("promote_from"))
            .filter(|percent| *percent > 0)
            .map(|percent| percent as f64 / 100.0),
        interval: Some(hours * 3_600_000_000),
        ..Request::default()
    };
    let setup = Setup::read(host).map_err(|error| error.to_string())?;
    let mut store = Store::open(&setup.target, Opening::WORKER).map_err(|error| error.to_string())?;
    let scanned = match scan::scan(host, &mut store, &request) {
        // The other scan does this one's work.
        Err(scan::Busy::Scanning) => return Ok(()),
        other => other.map_err(|error| error.to_string())?,
    };
    if scanned.too_early {
        return Ok(());
    }
    let llm = Llm::read(host);
    if on("model") && !llm.is_off() {
        scan::deep(host, &mut store, &llm, &request.paths, 3).map_err(|error| error.to_string())?;
    }
    library::rebuild(host, &mut store, false).map(|_| ()).map_err(|error| error.to_string())
}
