//! Files of the state as a crash or somebody else may have left them: a journal, a job of the queue, a compiled plan.
//! Reading them ends; a whole line of the journal is read whatever is before it; a damaged plan is compiled again.
#![no_main]

use sprag_config::{cache, host::Host};
use sprag_project::Project;
use sprag_protocol::EventKind;
use sprag_runtime::{journal, queue};
use std::path::PathBuf;

/// A folder with a compiled plan, and its bytes.
fn home() -> &'static (PathBuf, Option<(PathBuf, Vec<u8>)>) {
    static HOME: std::sync::OnceLock<(PathBuf, Option<(PathBuf, Vec<u8>)>)> = std::sync::OnceLock::new();
    HOME.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("sprag-fuzz-state-{}", std::process::id()));
        let host = Host::in_home(&folder, &[]);
        let _ = std::fs::create_dir_all(host.paths.queue().join("waiting"));
        let _ = cache::plan(&host, &project(&host), EventKind::PreToolUse);
        let plans = std::fs::read_dir(host.paths.cache()).into_iter().flatten().flatten();
        let plan = plans.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "plan"));
        let plan = plan.and_then(|path| Some((path.clone(), std::fs::read(path).ok()?)));
        (folder, plan)
    })
}

fn project(host: &Host) -> Project {
    Project::find(&host.paths.home.display().to_string(), &host.env, &host.paths.home)
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (folder, plan) = home();
    let host = Host::in_home(folder, &[]);
    let torn: Vec<u8> = data.iter().copied().filter(|byte| *byte != b'\n').collect();
    let line = b"{\"t\":\"2026-01-01T00:00:00.000000Z\",\"agent\":\"claude\"}\n";
    let _ = journal::read_line(&torn);
    if let Some(entry) = journal::read_line(&[&torn, &line[..]].concat()).entry {
        assert_eq!(entry.agent, "claude");
    }
    let _ = std::fs::write(host.paths.queue().join("waiting/1.json"), data);
    let _ = queue::list(&host.paths, queue::JobState::Waiting);
    if let Some((path, bytes)) = plan {
        let mut bytes = bytes.clone();
        for change in data.chunks_exact(3) {
            let at = usize::from(change[0]) << 8 | usize::from(change[1]);
            let len = bytes.len();
            bytes[at % len] = change[2];
        }
        let _ = std::fs::write(path, &bytes);
        let _ = cache::plan(&host, &project(&host), EventKind::PreToolUse);
    }
});
