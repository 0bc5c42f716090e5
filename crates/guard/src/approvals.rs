//! What a person approved, until when. Read only after a guard found something; written only by `sprag approve`.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The path, from the root; a folder covers what lies below.
    pub path: String,
    /// When it was given.
    pub at: String,
    /// When it ends.
    pub until: String,
}

fn file(host: &Host) -> PathBuf {
    host.paths.state.join("approvals.jsonl")
}

/// Remembers a person's approval.
pub fn grant(host: &Host, path: &Path, time: Duration) -> io::Result<Approval> {
    let now = host.clock.now();
    let approval = Approval {
        path: path.to_string_lossy().into_owned(),
        at: now.to_string(),
        until: now.after(time).to_string(),
    };
    let mut line = serde_json::to_vec(&approval).map_err(io::Error::other)?;
    line.push(b'\n');
    files::append(&file(host), &line)?;
    Ok(approval)
}

/// The approvals that are still valid.
pub fn valid(host: &Host) -> Vec<Approval> {
    let now = host.clock.now();
    let text = files::read_limited(&file(host), 4 << 20).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| serde_json::from_str::<Approval>(line).ok())
        .filter(|approval| Stamp::parse(&approval.until).is_some_and(|until| until > now))
        .collect()
}

/// True when one of the approvals is for this path, or for a folder above it.
pub fn cover(approvals: &[Approval], path: &str) -> bool {
    approvals.iter().any(|approval| Path::new(path).starts_with(&approval.path))
}
