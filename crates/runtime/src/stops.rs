//! How much was stopped lately, for the line that a session starts with: a file for each day, a byte for each stop.

use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::plan::EventPlan;
use std::path::PathBuf;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);
/// Older files are removed.
const KEPT_DAYS: u32 = 7;

fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("stops")
}

fn name(at: Stamp) -> String {
    let (year, month, day, ..) = at.civil();
    format!("{year:04}-{month:02}-{day:02}")
}

/// Counts a stop. A count that cannot be kept costs a number in a line.
pub fn count(paths: &Paths, now: Stamp) {
    let folder = folder(paths);
    if files::append_sized(&folder.join(name(now)), b".").is_ok_and(|size| size == 1) {
        let oldest = folder.join(name(now.before(DAY * KEPT_DAYS)));
        for old in files::list(&folder, "", "").into_iter().take_while(|file| *file < oldest) {
            let _ = files::remove(old);
        }
    }
}

/// What was stopped yesterday and today.
pub fn since_yesterday(paths: &Paths, now: Stamp) -> u64 {
    let of = |at: Stamp| folder(paths).join(name(at)).metadata().map_or(0, |meta| meta.len());
    of(now) + of(now.before(DAY))
}

/// The line that a session starts with, and what hooks add to it; when it only goes on, what hooks say alone.
pub fn line(host: &Host, plan: &EventPlan, starts: bool, status: &[String]) -> Option<String> {
    let mut parts = Vec::new();
    if starts && plan.start_line && plan.hooks_on > 0 {
        parts.extend(nothing_stopped(host, plan));
        parts.push(switched_on(plan));
        match since_yesterday(&host.paths, host.clock.now()) {
            0 => {}
            1 => parts.push("1 block since yesterday".to_owned()),
            many => parts.push(format!("{many} blocks since yesterday")),
        }
    }
    parts.extend(status.iter().cloned());
    (!parts.is_empty()).then(|| format!("sprag: {}", parts.join(" · ")))
}

/// That the guards stop nothing now, and why: whoever relies on them reads it before anything else.
fn nothing_stopped(host: &Host, plan: &EventPlan) -> Option<String> {
    if plan.guards_off {
        return Some("guards OFF (`sprag enable guards`)".to_owned());
    }
    let trial = plan.trial.filter(|trial| trial.is_on(host.clock.now()))?;
    Some(format!("TRIAL until {}: nothing is stopped (`sprag trial`)", trial.last_day()))
}

/// What is on.
fn switched_on(plan: &EventPlan) -> String {
    match plan.bundles_on {
        0 => format!("{} hooks on", plan.hooks_on),
        1 => "1 bundle on".to_owned(),
        many => format!("{many} bundles on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use sprag_base::time::Clock;
    use sprag_config::trial::Trial;

    #[test]
    fn two_days_count_and_a_week_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let env = Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into());
        let paths = Paths::from_env(&env);
        let start = Stamp(1_790_000_000_000_000);
        let plan = EventPlan { hooks_on: 40, bundles_on: 4, start_line: true, ..EventPlan::default() };
        let said = |days: u32, starts: bool, status: &[String]| {
            let clock = Clock::Fixed(start.after(DAY * days));
            let host = Host { env: env.clone(), paths: paths.clone(), clock, hooks: &[], exe: None };
            line(&host, &plan, starts, status)
        };
        assert_eq!(said(0, true, &[]).as_deref(), Some("sprag: 4 bundles on"));
        for (days, stops) in [(0, 5), (1, 1), (2, 2)] {
            (0..stops).for_each(|_| count(&paths, start.after(DAY * days)));
        }
        assert_eq!(since_yesterday(&paths, start.after(DAY * 2)), 3);
        let review = ["3 lessons to review".to_owned()];
        assert_eq!(
            said(3, true, &review).as_deref(),
            Some("sprag: 4 bundles on · 2 blocks since yesterday · 3 lessons to review")
        );
        let off = EventPlan { guards_off: true, ..plan.clone() };
        let trial = Trial { start, end: start.after(DAY * 7) };
        let tried = EventPlan { trial: Some(trial), ..plan.clone() };
        let said_by = |plan: &EventPlan, days: u32| {
            let clock = Clock::Fixed(start.after(DAY * days));
            let host = Host { env: env.clone(), paths: paths.clone(), clock, hooks: &[], exe: None };
            line(&host, plan, true, &[]).unwrap()
        };
        assert_eq!(said_by(&off, 5), "sprag: guards OFF (`sprag enable guards`) · 4 bundles on");
        assert_eq!(
            said_by(&tried, 5),
            "sprag: TRIAL until 2026-09-28: nothing is stopped (`sprag trial`) · 4 bundles on"
        );
        assert_eq!(said_by(&tried, 8), "sprag: 4 bundles on", "over");
        assert_eq!(said(3, false, &review).as_deref(), Some("sprag: 3 lessons to review"));
        assert_eq!(said(3, false, &[]), None);
        count(&paths, start.after(DAY * 9));
        assert_eq!(std::fs::read_dir(folder(&paths)).unwrap().count(), 2, "the third day and this one");
    }
}
