//! What a replay of transcripts found, as a table and as JSON.

use serde_json::{Value, json};
use sprag_base::paths::Paths;
use sprag_protocol::{AgentId, EventKind};
use sprag_terminal::{Out, Table, Tone};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// Something that would have been stopped.
pub(super) struct Stop {
    pub(super) hook: String,
    /// deny, ask, block, or hold at the end of a turn.
    pub(super) decision: String,
    pub(super) event: EventKind,
    /// How many calls the session had made.
    pub(super) number: usize,
    /// The call's id in the transcript.
    pub(super) id: String,
    pub(super) call: String,
    pub(super) reason: String,
}

/// One session.
pub(super) struct Session {
    pub(super) file: PathBuf,
    pub(super) agent: AgentId,
    pub(super) cwd: String,
    pub(super) stand_in: bool,
    pub(super) calls: usize,
    pub(super) events: usize,
    /// Microseconds of the slowest event.
    pub(super) slowest: u64,
    pub(super) stops: Vec<Stop>,
    /// Characters that each hook added.
    pub(super) chars: BTreeMap<String, u64>,
    pub(super) errors: BTreeSet<String>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            file: PathBuf::new(),
            agent: AgentId::CANONICAL,
            cwd: String::new(),
            stand_in: false,
            calls: 0,
            events: 0,
            slowest: 0,
            stops: Vec::new(),
            chars: BTreeMap::new(),
            errors: BTreeSet::new(),
        }
    }
}

impl Session {
    fn added(&self) -> u64 {
        self.chars.values().sum()
    }
}

/// All of them.
pub(super) struct Tally {
    pub(super) sessions: Vec<Session>,
    pub(super) took: Duration,
}

/// What one hook did in all sessions.
#[derive(Default)]
struct Hook {
    decisions: BTreeMap<String, usize>,
    chars: u64,
    /// The most in one session.
    most: u64,
}

/// The decisions that stop, strictest first.
const DECISIONS: [&str; 4] = ["deny", "ask", "block", "hold"];

impl Tally {
    fn calls(&self) -> usize {
        self.sessions.iter().map(|session| session.calls).sum()
    }

    /// So many per 1,000 calls.
    fn rate(&self, count: usize) -> f64 {
        count as f64 * 1_000.0 / self.calls().max(1) as f64
    }

    fn stops(&self) -> impl Iterator<Item = (&Session, &Stop)> {
        self.sessions.iter().flat_map(|session| session.stops.iter().map(move |stop| (session, stop)))
    }

    fn hooks(&self) -> BTreeMap<&str, Hook> {
        let mut hooks: BTreeMap<&str, Hook> = BTreeMap::new();
        for (_, stop) in self.stops() {
            *hooks.entry(&stop.hook).or_default().decisions.entry(stop.decision.clone()).or_default() += 1;
        }
        for (name, chars) in self.sessions.iter().flat_map(|session| &session.chars) {
            let hook = hooks.entry(name).or_default();
            hook.chars += chars;
            hook.most = hook.most.max(*chars);
        }
        hooks
    }

    fn chars(&self) -> u64 {
        self.sessions.iter().map(Session::added).sum()
    }

    pub(super) fn print(&self, paths: &Paths, out: &Out) {
        let (calls, sessions) = (self.calls(), self.sessions.len());
        let stops = self.stops().count();
        let agents: BTreeSet<&str> = self.sessions.iter().map(|session| session.agent.title()).collect();
        let events: usize = self.sessions.iter().map(|session| session.events).sum();
        out.line(&format!(
            "{sessions} session{} ({}), {calls} calls, {events} events in {:.1} s",
            if sessions == 1 { "" } else { "s" },
            agents.into_iter().collect::<Vec<_>>().join(", "),
            self.took.as_secs_f64()
        ));
        out.line(&format!("stops: {stops}, {:.1} per 1,000 calls", self.rate(stops)));
        let (chars, most) = (self.chars(), self.sessions.iter().map(Session::added).max().unwrap_or(0));
        let each = |count: usize| chars as f64 / count.max(1) as f64;
        out.line(&format!(
            "added to the conversation: {chars} characters, {:.1} per call, {:.0} per session (at most {most})",
            each(calls),
            each(sessions)
        ));
        let mut table = Table::new(&[
            "hook", ">deny", ">ask", ">block", ">hold", ">per 1,000", ">chars/call", ">chars/session",
            ">most",
        ]);
        for (name, hook) in self.hooks() {
            let mut row = vec![(Tone::Strong, name.to_owned())];
            for decision in DECISIONS {
                let count = hook.decisions.get(decision).copied().unwrap_or(0);
                row.push((if count > 0 { Tone::Warn } else { Tone::Dim }, count.to_string()));
            }
            row.push((Tone::Plain, format!("{:.1}", self.rate(hook.decisions.values().sum()))));
            let per = |count: usize| hook.chars as f64 / count.max(1) as f64;
            row.push((Tone::Plain, format!("{:.1}", per(calls))));
            row.push((Tone::Plain, format!("{:.0}", per(sessions))));
            row.push((Tone::Plain, hook.most.to_string()));
            table.row(row);
        }
        out.table(&table);
        self.print_stops(paths, out);
        let errors: BTreeSet<&String> = self.sessions.iter().flat_map(|session| &session.errors).collect();
        for error in errors {
            out.note(&format!("failed: {error}"));
        }
    }

    /// Each distinct stop, with the first place where it happened.
    fn print_stops(&self, paths: &Paths, out: &Out) {
        let key = |stop: &Stop| (stop.hook.clone(), stop.decision.clone(), stop.call.clone());
        let mut stops: Vec<(&Session, &Stop)> = self.stops().collect();
        stops.sort_by_key(|(_, stop)| key(stop));
        for same in stops.chunk_by(|(_, a), (_, b)| key(a) == key(b)) {
            let Some((session, stop)) = same.first() else { continue };
            let times = if same.len() > 1 { format!(" ({} times)", same.len()) } else { String::new() };
            let hook = out.paint(Tone::Strong, &stop.hook);
            out.line(&format!("{hook} {}{times}: {}", stop.decision, stop.call));
            let reason = stop.reason.lines().next().unwrap_or_default();
            let place = format!("{}, call {}", paths.tilde(&session.file), stop.number);
            out.line(&out.paint(Tone::Dim, &format!("    {place}: {reason}")));
        }
    }

    pub(super) fn as_json(&self) -> Value {
        let stop = |stop: &Stop| {
            json!({"hook": stop.hook, "decision": stop.decision, "event": stop.event.name(), "call": stop.call,
                "number": stop.number, "call_id": stop.id, "reason": stop.reason})
        };
        let sessions: Vec<Value> = self
            .sessions
            .iter()
            .map(|session| {
                json!({"file": session.file, "agent": session.agent.name(), "cwd": session.cwd,
                    "stand_in": session.stand_in, "calls": session.calls, "events": session.events,
                    "slowest_us": session.slowest, "chars": session.added(), "chars_by_hook": session.chars,
                    "stops": session.stops.iter().map(stop).collect::<Vec<_>>(), "errors": session.errors})
            })
            .collect();
        let hooks: Vec<Value> = self
            .hooks()
            .into_iter()
            .map(|(name, hook)| {
                let stops = hook.decisions.values().sum();
                json!({"hook": name, "decisions": hook.decisions, "stops_per_1000_calls": self.rate(stops),
                    "chars": hook.chars, "most_chars_in_a_session": hook.most})
            })
            .collect();
        let stops = self.stops().count();
        json!({
            "calls": self.calls(), "stops": stops, "stops_per_1000_calls": self.rate(stops), "chars": self.chars(),
            "ms": self.took.as_millis() as u64, "hooks": hooks, "sessions": sessions,
        })
    }
}
