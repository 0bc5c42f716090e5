//! Runs the cases of several files on all cores; what comes out is in the order of the files.

use super::model::{Case, CaseFile, Fault};
use super::run::{self, Finished, Options};
use sprag_protocol::AgentId;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to run.
pub struct Request<'a> {
    /// The files with cases.
    pub files: &'a [PathBuf],
    /// Only cases whose file or name contains this.
    pub filter: Option<&'a str>,
    /// As this agent instead of the cases' own.
    pub agent: Option<AgentId>,
    /// How many run at a time.
    pub threads: usize,
    /// What they run with.
    pub options: Options<'a>,
}

/// What came of one file.
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with the file itself.
    pub faults: Vec<Fault>,
    /// Its cases.
    pub cases: Vec<Finished>,
}

/// Runs everything that is asked for.
pub fn run_all(request: &Request<'_>) -> Vec<FileReport> {
    let read: Vec<Result<CaseFile, Vec<Fault>>> = request.files.iter().map(read_file).collect();
    let mut work: Vec<(usize, &CaseFile, &Case, AgentId)> = Vec::new();
    for (at, file) in read.iter().enumerate() {
        let Ok(file) = file else { continue };
        for case in file.cases.iter().filter(|case| wanted(file, case, request.filter)) {
            let agents = request.agent.map_or_else(|| run::own_agents(case), |agent| vec![agent]);
            work.extend(agents.into_iter().map(|agent| (at, file, case, agent)));
        }
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Finished>>> = Mutex::new(vec![None; work.len()]);
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, file, case, agent)) = work.get(at) else { return };
            let finished = run::run(file, case, *agent, request.options);
            if let Ok(mut results) = results.lock()
                && let Some(place) = results.get_mut(at)
            {
                *place = Some(finished);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..request.threads.clamp(1, 64) {
            scope.spawn(take);
        }
        take();
    });
    let results = results.into_inner().unwrap_or_default();
    let mut reports: Vec<FileReport> = request
        .files
        .iter()
        .zip(&read)
        .map(|(path, file)| FileReport {
            path: path.clone(),
            faults: file.as_ref().err().cloned().unwrap_or_default(),
            cases: Vec::new(),
        })
        .collect();
    for ((at, ..), finished) in work.iter().zip(results) {
        if let (Some(report), Some(finished)) = (reports.get_mut(*at), finished) {
            report.cases.push(finished);
        }
    }
    reports
}

fn wanted(file: &CaseFile, case: &Case, filter: Option<&str>) -> bool {
    filter.is_none_or(|part| case.name.contains(part) || file.path.to_string_lossy().contains(part))
}

fn read_file(path: &PathBuf) -> Result<CaseFile, Vec<Fault>> {
    match sprag_base::files::read_text(path, sprag_base::files::STATE) {
        Ok(text) => super::read::read(path, &text),
        Err(error) => Err(vec![Fault {
            file: path.clone(),
            line: 1,
            what: format!("cannot be read: {error}"),
            hint: "check its owner and that it is UTF-8".to_owned(),
        }]),
    }
}
