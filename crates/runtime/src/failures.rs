//! Hook failures that no session has been told of: written when they happen, named at the next start.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use std::collections::BTreeMap;
use std::io;

#[derive(Serialize, Deserialize)]
struct Failure {
    t: String,
    hook: String,
    error: String,
}

/// Remembers a failure. Bounded: a hook that fails on every call fills no disk.
pub fn record(paths: &Paths, now: Stamp, hook: &str, error: &str) -> io::Result<()> {
    const MAX_FILE: u64 = 256 * 1024;
    let path = paths.failures();
    if path.metadata().is_ok_and(|meta| meta.len() > MAX_FILE) {
        return Ok(());
    }
    let failure = Failure { t: now.to_string(), hook: hook.to_owned(), error: crate::journal::keep(error) };
    let mut line = serde_json::to_vec(&failure).map_err(io::Error::other)?;
    line.push(b'\n');
    files::append(&path, &line)
}

/// A hook that failed since a session was last told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The hook.
    pub hook: String,
    /// How often.
    pub count: usize,
    /// Why, the last time.
    pub error: String,
    /// When, the last time.
    pub at: String,
}

/// The failures that no session has been told of, by hook. Nothing is taken away.
pub fn pending(paths: &Paths) -> Vec<Pending> {
    by_hook(&files::read_text(paths.failures(), files::STATE).unwrap_or_default())
}

fn by_hook(text: &str) -> Vec<Pending> {
    let mut hooks: BTreeMap<String, Pending> = BTreeMap::new();
    for failure in text.lines().filter_map(|line| serde_json::from_str::<Failure>(line).ok()) {
        let count = hooks.get(&failure.hook).map_or(0, |known| known.count) + 1;
        let Failure { t: at, hook, error } = failure;
        hooks.insert(hook.clone(), Pending { hook, count, error, at });
    }
    hooks.into_values().collect()
}

/// What the user is told, once: how often each hook failed and why the last time. `None` without failures.
pub fn tell(paths: &Paths) -> Option<String> {
    let path = paths.failures();
    // Renamed first, so that of two sessions that start at once one tells it.
    let text = files::take_text(&path).ok()?;
    let hooks = by_hook(&text);
    if hooks.is_empty() {
        return None;
    }
    let total: usize = hooks.iter().map(|failed| failed.count).sum();
    let mut said = format!(
        "sprag: {total} hook failure{} since the last session (`sprag logs --errors`, {}):",
        if total == 1 { "" } else { "s" },
        paths.tilde(&paths.journal())
    );
    for Pending { hook, count, error, .. } in hooks.iter().take(5) {
        let times = if *count > 1 { format!(" {count} times") } else { String::new() };
        said.push_str(&format!("\n  {hook}{times}: {}", error.lines().next().unwrap_or_default()));
    }
    if hooks.len() > 5 {
        said.push_str(&format!("\n  and {} more hooks", hooks.len() - 5));
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;

    #[test]
    fn failures_are_told_once_and_counted_by_hook() {
        let dir = tempfile::tempdir().unwrap();
        let paths =
            Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into()));
        assert_eq!(tell(&paths), None);
        for _ in 0..3 {
            record(&paths, Stamp(0), "mine", "exit code 1").unwrap();
        }
        record(&paths, Stamp(0), "other", "cut off after 100 ms").unwrap();
        let known = pending(&paths);
        assert_eq!((known[0].hook.as_str(), known[0].count), ("mine", 3));
        let said = tell(&paths).unwrap();
        assert!(said.contains("4 hook failures") && said.contains("mine 3 times: exit code 1"), "{said}");
        assert!(said.contains("~/.local/state/sprag/journal.jsonl"), "{said}");
        assert_eq!(tell(&paths), None);
        assert!(pending(&paths).is_empty());
    }
}
