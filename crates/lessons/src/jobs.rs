//! The background work about lessons: counts into the store, the compiled file up to date, transcripts scanned.

use crate::scan::{self, Request};
use crate::{fires, library};
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::store::{Setup, micros};
use sprag_llm::Llm;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::work::{LessonScan, LessonSession};
use sprag_store::{Opening, Store};
use std::path::PathBuf;

/// The job that brings counts and the compiled file up to date; at most one waits.
pub fn sync_job() -> Job {
    Job::new(Work::LessonsSync {}).keyed("lessons-sync")
}

/// Brings counts and the compiled file up to date.
pub fn sync(host: &Host) -> Result<(), JobError> {
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    fires::fold(&host.paths, &mut store, micros(host.clock.now()))?;
    library::rebuild(host, &mut store, false)?;
    Ok(())
}

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

/// The job that scans transcripts; at most one waits.
pub fn scan_job(settings: &ScanSettings<'_>) -> Job {
    let scan = LessonScan {
        interval_hours: settings.auto_scan_interval_hours,
        paths: settings.scan_paths.iter().map(PathBuf::from).collect(),
        max_candidates: settings.max_candidates_per_scan,
        heuristics: settings.heuristics,
        model: settings.model,
        promote_from: settings.promote_tags_from,
    };
    Job::new(Work::LessonsScan(scan)).keyed("lessons-scan")
}

/// Scans transcripts.
pub fn scan(host: &Host, wanted: &LessonScan) -> Result<(), JobError> {
    let hours = host.env.get("LESSONS_AUTO_SCAN_INTERVAL_HOURS").and_then(|text| text.trim().parse().ok());
    let hours: i64 = hours.unwrap_or(wanted.interval_hours).max(1);
    let request = Request {
        paths: wanted.paths.clone(),
        heuristics: wanted.heuristics,
        max_candidates: wanted.max_candidates.max(1),
        promote_from: Some(wanted.promote_from)
            .filter(|percent| *percent > 0)
            .map(|percent| percent as f64 / 100.0),
        interval: Some(hours * 3_600_000_000),
        ..Request::default()
    };
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    let scanned = match scan::scan(host, &mut store, &request) {
        // The other scan does this one's work.
        Err(scan::Busy::Scanning) => return Ok(()),
        other => other?,
    };
    if scanned.too_early {
        return Ok(());
    }
    let llm = Llm::read(host);
    if wanted.model && !llm.is_off() {
        scan::deep(host, &mut store, &llm, &request.paths, 3)?;
    }
    library::rebuild(host, &mut store, false)?;
    Ok(())
}

/// The job that looks for lessons and fixes in a session that just went on; of one session, at most one waits.
pub fn session_job(session: &str, transcript: &str, cwd: &str) -> Job {
    let work = LessonSession { transcript: PathBuf::from(transcript), cwd: cwd.to_owned() };
    Job::new(Work::LessonsSession(work)).keyed(format!("lessons-session:{session}"))
}

/// Looks for lessons and fixes in one session.
pub fn session(host: &Host, of: &LessonSession) -> Result<(), JobError> {
    // A transcript that is gone has nothing to tell.
    if !of.transcript.is_file() {
        return Ok(());
    }
    let request = Request {
        paths: vec![of.transcript.clone()],
        session: true,
        cwd: of.cwd.clone(),
        ..Request::default()
    };
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    scan::scan(host, &mut store, &request)?;
    library::rebuild(host, &mut store, false)?;
    Ok(())
}
