//! Whether an agent works for this user: a process that would use the same state, or an event of the last minutes.

use crate::processes;
use serde_json::Value;
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use std::time::Duration;

/// An event that is this old says that nobody works any more.
const QUIET: Duration = Duration::from_secs(15 * 60);

/// How much of the journal's end is looked at; its lines are in order.
const TAIL: u64 = 256 << 10;

/// What shows that an agent works for this user; `None` when nothing does.
pub(crate) fn of_agents(host: &Host) -> Option<String> {
    running(host).or_else(|| recent(host))
}

/// An agent that runs with this state: whoever runs with another one has nothing to do with these guards.
fn running(host: &Host) -> Option<String> {
    processes::all().iter().find_map(|process| {
        let agent = process.agent()?;
        let same = processes::uses_state(process, &host.paths.state);
        same.then(|| format!("{agent} (process {}) runs", process.id))
    })
}

/// An event of an agent in the last minutes, by the journal.
fn recent(host: &Host) -> Option<String> {
    let now = host.clock.now();
    let text = files::read_tail(&host.paths.journal(), TAIL).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().rev().find_map(|line| {
        let entry: Value = serde_json::from_str(line).ok()?;
        let agent = entry.get("agent")?.as_str().filter(|agent| !agent.is_empty())?;
        let at = Stamp::parse(entry.get("t")?.as_str()?)?;
        let minutes = (now.seconds().saturating_sub(at.seconds())) / 60;
        (at.after(QUIET) > now).then(|| format!("the last event of {agent} came {minutes} minutes ago"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::time::Clock;

    #[test]
    fn an_event_of_an_agent_counts_for_a_quarter_of_an_hour() {
        let dir = tempfile::tempdir().unwrap();
        let mut host = Host::in_home(dir.path(), &[]);
        assert_eq!(recent(&host), None, "no journal");
        let event = r#"{"t":"2026-01-01T10:00:00Z","agent":"claude","event":"PreToolUse"}"#;
        // What a person did with sprag is no event of an agent.
        let own = r#"{"t":"2026-01-01T10:20:00Z","agent":"","event":"approve"}"#;
        files::append(&host.paths.journal(), format!("{event}\n{own}\nnot json\n").as_bytes()).unwrap();
        for (time, counts) in
            [("10:00:01", true), ("10:14:59", true), ("10:15:01", false), ("10:21:00", false)]
        {
            host.clock = Clock::Fixed(Stamp::parse(&format!("2026-01-01T{time}Z")).unwrap());
            assert_eq!(recent(&host).is_some(), counts, "{time}");
        }
    }
}
