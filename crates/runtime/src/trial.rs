//! What a trial would have stopped, from the journal: told once when it is over, and shown to whoever asks.

use crate::summary::{self, hook_name};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_config::trial::Trial;

/// What one hook would have stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stops {
    /// The hook.
    pub hook: String,
    /// How often.
    pub count: u64,
    /// Why, the last time.
    pub reason: String,
    /// The call, the last time.
    pub call: Option<String>,
}

/// What hooks would have stopped that had no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Calls and turns.
    pub calls: u64,
    /// By hook, the most first.
    pub hooks: Vec<Stops>,
}

impl Report {
    /// One line for people: `would have stopped 3 calls: command-guard 2 (…), privacy-block 1 (…)`.
    pub fn sentence(&self) -> String {
        if self.calls == 0 {
            return "would have stopped nothing".to_owned();
        }
        const SHOWN: usize = 4;
        let mut said: Vec<String> = Vec::new();
        for Stops { hook, count, reason, .. } in self.hooks.iter().take(SHOWN) {
            said.push(format!("{hook} {count} ({})", start(reason)));
        }
        let more = self.hooks.len().saturating_sub(SHOWN);
        said.extend((more > 0).then(|| format!("{more} more hooks")));
        let calls = if self.calls == 1 { "call" } else { "calls" };
        format!("would have stopped {} {calls}: {}", self.calls, said.join(", "))
    }
}

/// The start of a reason: enough to recognise it.
fn start(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    match line.char_indices().nth(70) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line.trim_end_matches('.').to_owned(),
    }
}

/// What a trial would have stopped so far.
pub fn report(paths: &Paths, trial: Trial) -> Report {
    let mut report = Report::default();
    let _ = summary::read_since(paths, trial.start, |entry| {
        if Stamp::parse(&entry.t).is_some_and(|at| at > trial.end) {
            return;
        }
        let stops = entry.runs.iter().filter(|run| run.shadow && stops(&run.verdict));
        let mut any = false;
        for run in stops {
            any = true;
            let (hook, reason) = (hook_name(run), run.reason.as_deref().unwrap_or_default());
            let call = entry.about.clone();
            if let Some(known) = report.hooks.iter_mut().find(|known| known.hook == hook) {
                known.count += 1;
                reason.clone_into(&mut known.reason);
                known.call = call;
            } else {
                let (hook, reason) = (hook.to_owned(), reason.to_owned());
                report.hooks.push(Stops { hook, count: 1, reason, call });
            }
        }
        report.calls += u64::from(any);
    });
    report.hooks.sort_by_key(|stops| std::cmp::Reverse(stops.count));
    report
}

/// True for a verdict that stops or asks.
pub fn stops(verdict: &str) -> bool {
    matches!(verdict, "deny" | "block" | "ask")
}

/// What the user is told at the first start after the end of a trial.
pub fn tell(paths: &Paths, trial: Trial, now: Stamp) -> Option<String> {
    let told = paths.state.join("trial-told");
    let end = trial.end.to_string();
    if trial.is_on(now) || files::read_text(&told, files::STATE).is_ok_and(|old| old.trim() == end) {
        return None;
    }
    files::write_atomic(&told, end.as_bytes()).ok()?;
    Some(format!(
        "sprag: the trial ended on {}; it {}. From now on such calls are stopped. More, or another week: `sprag trial`.",
        trial.last_day(),
        report(paths, trial).sentence()
    ))
}
