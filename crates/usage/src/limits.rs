//! The account's usage limits, as the agents themselves tell them: in the payload of the status line, or in the
//! transcript. Nothing is fetched and no credential is read; kept only when the user asked for it.

use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_config::spec::HookSpec;
use sprag_project::Project;
use sprag_protocol::EventKind;
use sprag_transcript::{Limit, Reader};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A limit as it was last told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was told.
    pub at: Stamp,
    /// The limit.
    pub limit: Limit,
}

/// Without a word on when a limit restarts, what was told is good for this long.
const FRESH: Duration = Duration::from_secs(300);
/// The last numbers are within this much of a transcript's end.
const TAIL: u64 = 256 << 10;

impl Known {
    /// True while the number still says something: within its window it only grows.
    pub fn counts(&self, now: Stamp) -> bool {
        self.limit.resets.unwrap_or_else(|| self.at.after(FRESH)) > now
    }

    fn line(&self) -> String {
        let resets = self.limit.resets.map_or(0, |at| at.0);
        format!("{} {} {resets} {}\n", self.at.0, self.limit.percent, self.limit.name)
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (at, percent, resets) = (Stamp(number()?), number()?, number()?);
        let resets = (resets > 0).then_some(Stamp(resets));
        Some(Self { at, limit: Limit { name: words.next()?.to_owned(), percent, resets } })
    }
}

fn folder(host: &Host) -> PathBuf {
    host.paths.state.join("limits")
}

settings! {
    /// Settings of usage-context-awareness.
    pub struct UsageSettings {
        /// also the account's usage limits, as the agent's status line or transcript tells them
        limits: bool = false;
        /// percent of the window for the first warning
        warn_at: u64 = 70, min 1;
        /// percent of the window for the second
        critical_at: u64 = 90, min 1;
        /// tokens that fit; 0 goes by the model's name
        window: u64 = 0;
        /// a look is good for this long at a prompt
        prompt_seconds: u64 = 60;
        /// a look is good for this long at a tool call
        tool_seconds: u64 = 300;
    }
}

/// True when the user wants limits to be kept and told: `limits = true` of the hook that tells them.
pub fn wanted(host: &Host, builtin: &HookSpec) -> bool {
    let plan = sprag_config::cache::plan(host, &Project::default(), EventKind::UserPromptSubmit).plan;
    let hook = plan.hooks.iter().find(|hook| hook.name == builtin.name);
    hook.is_some_and(|hook| hook.settings.read::<UsageSettings>().limits)
}

/// Keeps what an agent told, when it is news.
pub fn keep(host: &Host, agent: &str, limits: &[Limit]) -> io::Result<()> {
    let now = host.clock.now();
    let known = of_agent(host, agent);
    let same =
        known.len() == limits.len() && known.iter().zip(limits).all(|(known, new)| known.limit == *new);
    if limits.is_empty() || (same && known.iter().all(|known| known.counts(now))) {
        return Ok(());
    }
    let text: String = limits.iter().map(|limit| Known { at: now, limit: limit.clone() }.line()).collect();
    files::write_atomic(&folder(host).join(agent), text.as_bytes())
}

/// What an agent told last.
pub fn of_agent(host: &Host, agent: &str) -> Vec<Known> {
    let bytes = files::read_limited(&folder(host).join(agent), 16 << 10).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().filter_map(Known::parse).collect()
}

/// What every agent told last.
pub fn all(host: &Host) -> Vec<(String, Vec<Known>)> {
    let entries = std::fs::read_dir(folder(host)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<(String, Vec<Known>)> = names
        .map(|agent| (agent.clone(), of_agent(host, &agent)))
        .filter(|(_, known)| !known.is_empty())
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// The limits at the end of a transcript; most agents write none.
pub fn of_transcript(path: &Path) -> Vec<Limit> {
    let Ok(mut reader) = Reader::tail(path, TAIL) else { return Vec::new() };
    reader.by_ref().for_each(drop);
    reader.facts().limits.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back_and_counts_until_its_window_ends() {
        let limit = Limit { name: "seven day opus".into(), percent: 91, resets: Some(Stamp(2_000)) };
        let known = Known { at: Stamp(1_000), limit };
        assert_eq!(Known::parse(known.line().trim_end()), Some(known.clone()));
        assert!(known.counts(Stamp(1_999)) && !known.counts(Stamp(2_000)));
        let open = Known { limit: Limit { resets: None, ..known.limit }, ..known };
        assert_eq!(Known::parse(open.line().trim_end()), Some(open.clone()));
        assert!(open.counts(Stamp(1_000)) && !open.counts(Stamp(1_000).after(FRESH)));
        assert_eq!(Known::parse("rubbish"), None);
    }
}
