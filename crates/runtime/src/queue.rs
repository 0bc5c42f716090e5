//! The durable background queue: one file per job, moved as a whole from waiting to running to gone.
//! At least once; retried with backoff; after the last try kept in `dead/`.

use crate::job::{Handler, Job, JobError};
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::untrusted_env;
use sprag_project::Project;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Tries before a job is given up.
pub const MAX_ATTEMPTS: u32 = 5;

/// A job with its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// What to do.
    pub job: Job,
    /// When it was queued, in microseconds.
    pub created: u64,
    /// Not before this time, in microseconds.
    pub due: u64,
    /// Tries so far.
    #[serde(default)]
    pub attempts: u32,
    /// Why the last try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// What it needs is unavailable until it is due: no worker stays for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub postponed: bool,
}

impl Stored {
    /// True for a job that no worker stays for: one that was put off, or a patient one that failed so often. The next
    /// worker takes it on.
    fn is_resting(&self) -> bool {
        self.postponed || (self.job.patient && self.attempts >= MAX_ATTEMPTS)
    }
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Waiting for its time or for the worker.
    Waiting,
    /// Being done, or left behind by a worker that died.
    Running,
    /// Given up.
    Dead,
}

impl JobState {
    fn dir(self, paths: &Paths) -> PathBuf {
        match self {
            Self::Waiting => paths.queue().join("waiting"),
            Self::Running => paths.queue().join("running"),
            Self::Dead => paths.queue().join("dead"),
        }
    }
}

/// Puts a job into the queue.
pub fn push(paths: &Paths, job: &Job, now: Stamp) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = match &job.key {
        Some(key) => keyed_name(job.work.kind(), key),
        None => {
            format!("{:020}-{}-{}.json", now.0, std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
        }
    };
    let due = now.after(Duration::from_secs(job.delay_s));
    let stored = Stored {
        job: job.clone(),
        created: now.0,
        due: due.0,
        attempts: 0,
        last_error: None,
        postponed: false,
    };
    save(&JobState::Waiting.dir(paths).join(name), &stored)
}

fn keyed_name(kind: &str, key: &str) -> String {
    format!("k{}.json", short_hash(format!("{kind}\0{key}").as_bytes()))
}

/// The waiting job that this keyed one would replace, when there is one. Looks at one file, however long the queue is.
pub fn waiting_like(paths: &Paths, job: &Job) -> Option<Stored> {
    let name = keyed_name(job.work.kind(), job.key.as_deref()?);
    let bytes = files::read_no_follow(JobState::Waiting.dir(paths).join(name), files::STATE).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn save(path: &Path, stored: &Stored) -> io::Result<()> {
    files::write_atomic(path, &serde_json::to_vec(stored).map_err(io::Error::other)?)
}

/// The jobs in one place, oldest first. A file that is no job is moved to `dead/`, not lost and not in the way.
pub fn list(paths: &Paths, place: JobState) -> Vec<(PathBuf, Stored)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(place.dir(paths)).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ext| ext != "json") {
            continue;
        }
        let bytes = match files::read_no_follow(&path, files::STATE) {
            Ok(bytes) => bytes,
            // No job either: it has no text, and goes the way of a torn one.
            Err(error) if files::is_not_regular(&error) => Vec::new(),
            Err(_) => continue,
        };
        match serde_json::from_slice::<Stored>(&bytes) {
            Ok(stored) => found.push((path, stored)),
            Err(_) if place == JobState::Waiting => {
                let _ = files::make_dir(&JobState::Dead.dir(paths));
                let _ = files::rename(
                    &path,
                    JobState::Dead.dir(paths).join(entry.file_name()).with_extension("broken"),
                );
            }
            Err(_) => {}
        }
    }
    found.sort_by_key(|(_, stored)| stored.created);
    found
}

/// True when the queue has a job that is due.
pub fn has_due(paths: &Paths, now: Stamp) -> bool {
    let any = |place: JobState| std::fs::read_dir(place.dir(paths)).is_ok_and(|mut dir| dir.next().is_some());
    any(JobState::Running)
        || (any(JobState::Waiting) && list(paths, JobState::Waiting).iter().any(|(_, s)| s.due <= now.0))
}

/// True when a worker holds the queue.
pub fn worker_runs(paths: &Paths) -> bool {
    // Opening the lock would make the folder; a look must leave no trace.
    let lock = paths.queue().join("worker.lock");
    sprag_base::files::open(&lock).is_ok_and(|(file, _)| file.try_lock_shared().is_err())
}

/// The lock that the one worker holds.
pub fn worker_lock(paths: &Paths) -> io::Result<std::fs::File> {
    files::open_lock(&paths.queue().join("worker.lock"))
}

/// Starts a detached worker when none runs. Called after a job was queued.
pub fn wake(host: &Host) {
    if host.env.get("SPRAG_WORKER").as_deref() == Some("off") {
        return;
    }
    let Some(exe) = &host.exe else { return };
    let Ok(lock) = worker_lock(&host.paths) else { return };
    if lock.try_lock().is_ok() {
        // The child takes the lock itself; two that start at once settle it between them.
        let _ = lock.unlock();
        drop(lock);
        let cwd = std::env::current_dir().unwrap_or_default();
        let project = Project::find(&cwd.to_string_lossy(), &host.env, &host.paths.home);
        let clean = untrusted_env::for_background(host, &project);
        let env = clean.as_ref().map_or(&host.env, |clean| &clean.env);
        let _ = sprag_base::detach::spawn(exe, &["worker", "--detached"], env);
    }
}

/// How a worker runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Jobs in their time, until the queue is empty.
    Empty,
    /// Every job once, now, due or not.
    Once,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Jobs finished.
    pub finished: usize,
    /// Tries that failed.
    pub failed: usize,
    /// Jobs that were put off: what they need is unavailable for now.
    pub postponed: usize,
}

/// What a worker tells about a job.
#[derive(Debug)]
pub enum Told<'a> {
    /// It begins.
    Begins(&'a Job),
    /// It failed, and is tried again or given up.
    Failed(&'a Job, &'a str),
    /// It was put off, and why.
    Postponed(&'a Job, &'a str),
}

/// Hears what a worker tells.
type Teller<'a> = &'a (dyn Fn(&Told<'_>) + Sync);

impl Done {
    fn add(&mut self, other: Self) {
        self.finished += other.finished;
        self.failed += other.failed;
        self.postponed += other.postponed;
    }
}

/// Processes the jobs that are due. `Once` waits for a running worker; otherwise a second worker leaves at once.
pub fn work(host: &Host, handler: Handler, until: Until) -> io::Result<Done> {
    work_told(host, handler, until, &|_| ())
}

/// The same, with somebody who hears what is being done: a person who waits for it.
pub fn work_told(host: &Host, handler: Handler, until: Until, tell: Teller<'_>) -> io::Result<Done> {
    let mut done = Done::default();
    loop {
        let lock = worker_lock(&host.paths)?;
        match until {
            Until::Once => lock.lock()?,
            Until::Empty => {
                if lock.try_lock().is_err() {
                    return Ok(done);
                }
            }
        }
        take_back(&host.paths)?;
        match until {
            Until::Once => {
                once(host, handler, tell, &mut done)?;
                return Ok(done);
            }
            Until::Empty => until_empty(host, handler, tell, &mut done)?,
        }
        let _ = lock.unlock();
        drop(lock);
        // A hook may have queued a job and seen the lock held just before it was let go.
        if list(&host.paths, JobState::Waiting).iter().all(|(_, stored)| stored.is_resting()) {
            return Ok(done);
        }
    }
}

/// Jobs of a worker that died are waiting again; a newer one with the same key takes precedence.
fn take_back(paths: &Paths) -> io::Result<()> {
    for (path, stored) in list(paths, JobState::Running) {
        let back = JobState::Waiting.dir(paths).join(path.file_name().unwrap_or_default());
        if !back.exists() {
            save(&back, &stored)?;
        }
        files::remove(&path)?;
    }
    Ok(())
}

fn once(host: &Host, handler: Handler, tell: Teller<'_>, done: &mut Done) -> io::Result<()> {
    let mut tried: Vec<(PathBuf, u64)> = Vec::new();
    loop {
        let next = list(&host.paths, JobState::Waiting)
            .into_iter()
            .find(|(path, stored)| !tried.contains(&(path.clone(), stored.created)));
        let Some((path, stored)) = next else { return Ok(()) };
        tried.push((path.clone(), stored.created));
        attempt(host, handler, tell, &path, stored, done)?;
    }
}

/// Lanes that are worked at the same time.
const MAX_LANES: usize = 4;

fn until_empty(host: &Host, handler: Handler, tell: Teller<'_>, done: &mut Done) -> io::Result<()> {
    // A job that takes long (a build, a model's answer) must not hold up those that have nothing to do with it.
    std::thread::scope(|scope| {
        let (finished, results) = mpsc::channel();
        let mut busy: Vec<Option<String>> = Vec::new();
        loop {
            while let Ok((lane, part)) = results.try_recv() {
                busy.retain(|other| *other != lane);
                done.add(part?);
            }
            let waiting = list(&host.paths, JobState::Waiting);
            let now = host.clock.now().0;
            let due = |stored: &Stored| stored.due <= now;
            if busy.is_empty() && waiting.iter().all(|(_, stored)| stored.is_resting() && !due(stored)) {
                return Ok(());
            }
            let next = waiting
                .into_iter()
                .find(|(_, stored)| due(stored) && !busy.contains(&stored.job.lane))
                .filter(|_| busy.len() < MAX_LANES);
            match next {
                Some((path, stored)) => {
                    let (lane, finished) = (stored.job.lane.clone(), finished.clone());
                    busy.push(lane.clone());
                    scope.spawn(move || {
                        let mut part = Done::default();
                        let result = attempt(host, handler, tell, &path, stored, &mut part).map(|()| part);
                        let _ = finished.send((lane, result));
                    });
                }
                // A new job is a new file; looking for it is cheaper than a way for hooks to call.
                None if busy.is_empty() => std::thread::sleep(Duration::from_millis(250)),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    })
}

/// Does one job and files it: gone, waiting again, or dead.
fn attempt(
    host: &Host,
    handler: Handler,
    tell: Teller<'_>,
    path: &Path,
    mut stored: Stored,
    done: &mut Done,
) -> io::Result<()> {
    let running = JobState::Running.dir(&host.paths).join(path.file_name().unwrap_or_default());
    files::make_dir(&JobState::Running.dir(&host.paths))?;
    match files::rename(path, &running) {
        // A newer job with this key replaced it, or a person removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    }
    tell(&Told::Begins(&stored.job));
    let handle = std::panic::AssertUnwindSafe(|| handler(host, &stored.job.work));
    let result =
        std::panic::catch_unwind(handle).unwrap_or_else(|_| Err(JobError::from("the handler panicked")));
    match result {
        Ok(()) => done.finished += 1,
        Err(error) => {
            let name = path.file_name().unwrap_or_default();
            let why = crate::journal::keep(&error.to_string());
            stored.last_error = Some(why.clone());
            if let Some(at) = error.not_before() {
                tell(&Told::Postponed(&stored.job, &why));
                done.postponed += 1;
                (stored.due, stored.postponed) = (at.0, true);
                let back = JobState::Waiting.dir(&host.paths).join(name);
                if !back.exists() {
                    save(&back, &stored)?;
                }
                return files::remove(&running);
            }
            tell(&Told::Failed(&stored.job, &why));
            done.failed += 1;
            stored.attempts += 1;
            stored.postponed = false;
            if stored.attempts >= MAX_ATTEMPTS && !stored.job.patient {
                save(&JobState::Dead.dir(&host.paths).join(name), &stored)?;
            } else {
                let wait = Duration::from_secs(5 << (2 * stored.attempts.saturating_sub(1)).min(7));
                stored.due = host.clock.now().after(wait).0;
                let back = JobState::Waiting.dir(&host.paths).join(name);
                if !back.exists() {
                    save(&back, &stored)?;
                }
            }
        }
    }
    files::remove(&running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Work;
    use serde_json::{Value, json};

    /// Work for [`handle`]: the queue does not look into it.
    fn work_of(kind: &str, payload: Value) -> Job {
        Job::new(Work::Unknown { kind: kind.to_owned(), payload })
    }

    fn handle(host: &Host, work: &Work) -> Result<(), JobError> {
        let Work::Unknown { kind, payload } = work else { return Err("a known kind".into()) };
        match kind.as_str() {
            "write" => {
                let file = host.paths.state.join("out");
                Ok(files::append(&file, format!("{payload}\n").as_bytes())?)
            }
            "wait" => wait_for_out(host),
            "panic" => panic!("boom"),
            "later" => Err(JobError::later(host.clock.now().after(Duration::from_secs(600)), "not yet")),
            _ => Err("nope".into()),
        }
    }

    fn host(dir: &Path) -> Host {
        Host::in_home(dir, &[])
    }

    fn out(host: &Host) -> String {
        std::fs::read_to_string(host.paths.state.join("out")).unwrap_or_default()
    }

    #[test]
    fn jobs_are_done_in_order_and_keyed_ones_replace() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        for n in 0..3 {
            push(&host.paths, &work_of("write", json!(n)), Stamp(10 + n)).unwrap();
        }
        push(&host.paths, &work_of("write", json!("old")).keyed("k"), Stamp(20)).unwrap();
        push(&host.paths, &work_of("write", json!("new")).keyed("k"), Stamp(21)).unwrap();
        let like = |key: &str| waiting_like(&host.paths, &work_of("write", json!(null)).keyed(key));
        assert_eq!(like("k").unwrap().job, work_of("write", json!("new")).keyed("k"));
        assert_eq!(like("other"), None);
        let done = work(&host, handle, Until::Empty).unwrap();
        assert_eq!(done, Done { finished: 4, ..Done::default() });
        assert_eq!(out(&host), "0\n1\n2\n\"new\"\n");
    }

    /// Waits until a file is there that another job writes.
    fn wait_for_out(host: &Host) -> Result<(), JobError> {
        (0..500)
            .any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                !out(host).is_empty()
            })
            .then_some(())
            .ok_or_else(|| "nobody wrote it: the lanes wait for each other".into())
    }

    #[test]
    fn a_long_job_in_a_lane_of_its_own_holds_up_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("wait", json!(1)).in_lane("a"), Stamp(1)).unwrap();
        push(&host.paths, &work_of("wait", json!(1)).in_lane("b"), Stamp(2)).unwrap();
        push(&host.paths, &work_of("write", json!("now")), Stamp(3)).unwrap();
        assert_eq!(work(&host, handle, Until::Empty).unwrap(), Done { finished: 3, ..Done::default() });
    }

    #[test]
    fn failures_are_kept_retried_and_buried() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("fail", json!(1)), host.clock.now()).unwrap();
        push(&host.paths, &work_of("panic", json!(1)), host.clock.now()).unwrap();
        push(&host.paths, &work_of("stranger", json!(1)), host.clock.now()).unwrap();
        push(&host.paths, &work_of("write", json!("ok")), host.clock.now()).unwrap();
        assert_eq!(work(&host, handle, Until::Once).unwrap(), Done { finished: 1, failed: 3, postponed: 0 });
        let waiting = list(&host.paths, JobState::Waiting);
        assert_eq!(waiting.len(), 3);
        assert!(waiting.iter().all(|(_, s)| s.attempts == 1 && s.due > s.created && s.last_error.is_some()));
        for _ in 1..MAX_ATTEMPTS {
            work(&host, handle, Until::Once).unwrap();
        }
        assert!(list(&host.paths, JobState::Waiting).is_empty());
        assert_eq!(list(&host.paths, JobState::Dead).len(), 3);
        assert_eq!(out(&host), "\"ok\"\n");
    }

    #[test]
    fn a_patient_job_is_never_buried_and_no_worker_stays_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("fail", json!(1)).keyed("k").patient(), host.clock.now()).unwrap();
        for _ in 0..MAX_ATTEMPTS + 3 {
            work(&host, handle, Until::Once).unwrap();
        }
        assert!(list(&host.paths, JobState::Dead).is_empty());
        assert_eq!(list(&host.paths, JobState::Waiting).len(), 1);
        assert_eq!(work(&host, handle, Until::Empty).unwrap(), Done::default(), "it returns, the job stays");
        push(&host.paths, &work_of("write", json!("next")), host.clock.now()).unwrap();
        assert_eq!(work(&host, handle, Until::Empty).unwrap().finished, 1);
    }

    #[test]
    fn a_job_that_is_put_off_costs_no_try_and_no_worker_stays_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("later", json!(1)), host.clock.now()).unwrap();
        let said = std::sync::Mutex::new(Vec::new());
        let tell = |told: &Told<'_>| {
            if let Told::Postponed(_, why) = told {
                said.lock().unwrap().push((*why).to_owned());
            }
        };
        for _ in 0..MAX_ATTEMPTS + 2 {
            assert_eq!(work_told(&host, handle, Until::Once, &tell).unwrap().postponed, 1);
        }
        assert_eq!(said.lock().unwrap().first().map(String::as_str), Some("not yet"));
        assert_eq!(work(&host, handle, Until::Empty).unwrap(), Done::default(), "it returns, the job stays");
        let waiting = list(&host.paths, JobState::Waiting);
        assert!(waiting.iter().all(|(_, job)| job.attempts == 0 && job.due > job.created), "{waiting:?}");
        assert_eq!(waiting.len(), 1);
    }

    #[test]
    fn a_job_of_a_dead_worker_is_done_by_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("write", json!("left")), Stamp(1)).unwrap();
        let (path, _) = list(&host.paths, JobState::Waiting).remove(0);
        files::make_dir(&JobState::Running.dir(&host.paths)).unwrap();
        std::fs::rename(&path, JobState::Running.dir(&host.paths).join(path.file_name().unwrap())).unwrap();
        assert!(has_due(&host.paths, Stamp(2)));
        assert_eq!(work(&host, handle, Until::Empty).unwrap().finished, 1);
        assert_eq!(out(&host), "\"left\"\n");
    }

    #[test]
    fn a_broken_file_is_put_aside_and_the_queue_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        push(&host.paths, &work_of("write", json!("ok")), Stamp(1)).unwrap();
        files::write_atomic(&JobState::Waiting.dir(&host.paths).join("torn.json"), b"{\"job\":").unwrap();
        assert_eq!(work(&host, handle, Until::Empty).unwrap().finished, 1);
        assert!(JobState::Dead.dir(&host.paths).join("torn.broken").exists());
    }
}
