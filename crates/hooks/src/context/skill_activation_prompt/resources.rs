//! What a session has left before it hands out more work: subagents at once, the model's window, the machine's memory.

use sprag_protocol::{Event, EventKind};
use sprag_runtime::calls::short;
use sprag_runtime::hook::{Cx, HookError};
use sprag_usage::context;

/// Who began and who ended, one line each: `b ID SECONDS`, `e ID`.
const AGENTS: &str = "agents-live";
/// What the session was told, and how urgent it was.
const TOLD: &str = "resources-told";
/// A subagent whose end was never reported is taken for running for so long.
const STALE_S: u64 = 3_600;

/// What is left, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Left {
    running: u64,
    most: u64,
    window: u64,
    window_at: u64,
    free_mb: Option<u64>,
    least_mb: u64,
}

/// A subagent begins or ends.
pub(super) fn note(event: &Event, cx: &Cx<'_>) -> Result<(), HookError> {
    let Some(agent) = event.agent_id.as_deref().map(short) else { return Ok(()) };
    match event.kind {
        EventKind::SubagentStart => {
            cx.session.append(AGENTS, &format!("b {agent} {}", cx.host.clock.now().seconds()))?;
        }
        _ if cx.session.has(AGENTS) => cx.session.append(AGENTS, &format!("e {agent}"))?,
        _ => {}
    }
    Ok(())
}

/// The subagents that run, by the session's own record.
fn running(record: &str, now: u64) -> u64 {
    let mut live: Vec<(&str, u64)> = Vec::new();
    for line in record.lines() {
        let mut words = line.split(' ');
        let (what, agent) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        live.retain(|(known, _)| *known != agent);
        if let ("b", Some(at)) = (what, words.next().and_then(|at| at.parse().ok())) {
            live.push((agent, at));
        }
    }
    live.iter().filter(|(_, at)| now.saturating_sub(*at) < STALE_S).count() as u64
}

/// What is short, once as long as it does not get worse; less than before is news when it comes back.
pub(super) fn warning(cx: &Cx<'_>) -> Result<Option<String>, HookError> {
    let settings: super::SkillActivationPromptSettings<'_> = cx.settings.read();
    let running = if cx.session.has(AGENTS) {
        running(&cx.session.read(AGENTS), cx.host.clock.now().seconds())
    } else {
        0
    };
    let left = Left {
        running,
        most: settings.max_agents,
        window: context::last(cx.session).map_or(0, |full| full.percent()),
        window_at: settings.window_at,
        // Looked up only where it is shared: most prompts have no subagents and do not pay for it.
        free_mb: if running > 0 { free_mb() } else { None },
        least_mb: settings.min_free_mb,
    };
    let short = shortages(&left);
    let levels: Vec<String> = short.iter().map(|(key, _)| (*key).to_owned()).collect();
    let told = cx.session.read(TOLD);
    if levels.join(" ") != told.trim() {
        cx.session.write(TOLD, &levels.join(" "))?;
    }
    let new = |key: &str| !told.split_whitespace().any(|known| known == key);
    let said: Vec<&str> = short.iter().filter(|(key, _)| new(key)).map(|(_, text)| text.as_str()).collect();
    Ok((!said.is_empty()).then(|| said.join("\n")))
}

/// What is short, each with a key that differs by how short it is.
fn shortages(left: &Left) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let Left { running, most, window, window_at, .. } = *left;
    if most > 0 && running >= most {
        found.push((
            "agents-full",
            format!("{running} of {most} subagents run: start no other before one has ended."),
        ));
    } else if most > 0 && running * 10 >= most * 8 {
        found.push((
            "agents-few",
            format!("{running} of {most} subagents run: {} more at most.", most - running),
        ));
    }
    if window_at > 0 && window >= window_at {
        found.push((
            "window",
            format!(
                "The context window is {window} % full: finish or hand off before you begin something large."
            ),
        ));
    }
    if let Some(free) = left.free_mb.filter(|free| *free < left.least_mb) {
        found.push((
            "memory",
            format!(
                "Only {free} MB of memory are free: no more subagents, and no build or test run in parallel."
            ),
        ));
    }
    found
}

/// Memory that is free on this machine; `None` where nobody says.
fn free_mb() -> Option<u64> {
    let text = sprag_base::files::read_text("/proc/meminfo", sprag_base::files::SMALL).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kb| kb / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(left: Left) -> Vec<&'static str> {
        shortages(&left).into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn levels_as_in_the_reference() {
        let of = |running, most| keys(Left { running, most, ..Left::default() });
        assert_eq!(of(7, 10), Vec::<&str>::new());
        assert_eq!(of(8, 10), ["agents-few"]);
        assert_eq!(of(9, 10), ["agents-few"]);
        assert_eq!(of(10, 10), ["agents-full"]);
        assert_eq!(of(12, 10), ["agents-full"]);
        assert_eq!(of(3, 0), Vec::<&str>::new(), "without a limit there is none");
        let few = shortages(&Left { running: 8, most: 10, ..Left::default() });
        assert_eq!(few[0].1, "8 of 10 subagents run: 2 more at most.");
    }

    #[test]
    fn the_window_and_the_memory() {
        assert_eq!(keys(Left { window: 80, window_at: 80, ..Left::default() }), ["window"]);
        assert!(keys(Left { window: 79, window_at: 80, ..Left::default() }).is_empty());
        assert_eq!(keys(Left { free_mb: Some(100), least_mb: 500, ..Left::default() }), ["memory"]);
        assert!(keys(Left { free_mb: None, least_mb: 500, ..Left::default() }).is_empty());
    }

    #[test]
    fn who_began_and_did_not_end_runs_but_not_for_ever() {
        let record = "b one 100\nb two 110\ne one\nb three 120\nb three 130\n";
        assert_eq!(running(record, 140), 2);
        assert_eq!(running(record, 110 + STALE_S), 1);
        assert_eq!(running(record, 200 + STALE_S), 0);
        assert_eq!(running("", 5), 0);
    }

    proptest! {
        #[test]
        fn any_record_is_readable(text in "([be] ?[a-c]? ?[0-9]{0,3}\n|\\PC{0,10}\n){0,30}", now in any::<u64>()) {
            prop_assert!(running(&text, now) <= text.lines().count() as u64);
        }
    }
}
