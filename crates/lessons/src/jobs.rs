//! The background work about lessons: counts into the store, the compiled file up to date, transcripts scanned.

use crate::scan::{self, Request};
use crate::{fires, library};
use sprag_base::id::short_hash;
use sprag_base::text::cut;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::store::{Setup, micros};
use sprag_llm::Llm;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::queue::{self, JobState};
use sprag_runtime::work::{LessonScan, LessonSession};
use sprag_scan::scrub::scrub;
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
    let (said, session) = (String::new(), session.to_owned());
    let key = format!("lessons-session:{session}");
    let work = LessonSession { transcript: PathBuf::from(transcript), cwd: cwd.to_owned(), session, said };
    Job::new(Work::LessonsSession(work)).keyed(key)
}

/// The job that keeps the tags of an answer. It has a key of its own: one that only looks at the transcript does not
/// take its place.
pub fn tags_job(session: &str, transcript: &str, cwd: &str, answer: &str) -> Job {
    /// More than every tag that a person would review.
    const MAX_SAID: usize = 16 << 10;
    let tags = answer.find("#lesson").and_then(|at| answer.get(at..)).unwrap_or_default();
    let said = scrub(&cut(tags, MAX_SAID)).into_owned();
    let key = format!("lessons-tags:{session}:{}", short_hash(said.as_bytes()));
    let session = session.to_owned();
    let work = LessonSession { transcript: PathBuf::from(transcript), cwd: cwd.to_owned(), session, said };
    Job::new(Work::LessonsSession(work)).keyed(key)
}

/// Keeps the tags that wait in the queue, for somebody who looks at the candidates now. The job finds the same later and
/// counts it once.
pub fn keep_waiting_tags(host: &Host, store: &mut Store) -> Result<(), scan::Busy> {
    for place in [JobState::Waiting, JobState::Running] {
        for (_, stored) in queue::list(&host.paths, place) {
            if let Work::LessonsSession(of) = &stored.job.work {
                scan::keep_tags(host, store, of)?;
            }
        }
    }
    Ok(())
}

/// Looks for lessons and fixes in one session.
pub fn session(host: &Host, of: &LessonSession) -> Result<(), JobError> {
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    scan::keep_tags(host, &mut store, of)?;
    // A transcript that is gone has nothing more to tell.
    if !of.transcript.is_file() {
        library::rebuild(host, &mut store, false)?;
        return Ok(());
    }
    let request = Request {
        paths: vec![of.transcript.clone()],
        session: true,
        cwd: of.cwd.clone(),
        ..Request::default()
    };
    scan::scan(host, &mut store, &request)?;
    library::rebuild(host, &mut store, false)?;
    Ok(())
}
