//! Now: sessions by project, what each does, how full its context is, and who waits for whom.

use crate::app::Ask;
use crate::chart::{self, Series, number};
use crate::index::segment::{HOUR, Record, Verdict};
use crate::index::{Filter, Known};
use crate::view::{self, Screen, ago, empty, encode, panel, tag, tag_as, tile};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_base::time::Stamp;
use sprag_lessons::{library, news};
use sprag_runtime::pending;
use sprag_runtime::session::Session;
use sprag_store::{ClaimRow, SessionRow, SessionWork, Store, TaskRow, TaskState};
use sprag_terminal::when;
use sprag_usage::context;
use std::collections::HashMap;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);
/// A session without an event for so long is shown with those that ended.
const QUIET: u64 = 30 * 60 * 1_000_000;
/// Sessions that are shown.
const SHOWN: usize = 60;

/// A session as the journal knows it.
#[derive(Clone, Debug, Default)]
struct Seen {
    session: String,
    agent: String,
    cwd: String,
    at: u64,
    event: String,
    tool: String,
    verdict: Verdict,
    events: u64,
    stops: u64,
}

/// What the store knows.
#[derive(Default)]
struct Stored {
    sessions: Vec<SessionRow>,
    work: Vec<SessionWork>,
    claims: Vec<ClaimRow>,
    tasks: Vec<TaskRow>,
    lessons: Option<String>,
    quarantined: i64,
}

impl Stored {
    fn read(store: &mut Store, now: i64) -> Result<Self, sprag_store::Error> {
        Ok(Self {
            sessions: store.sessions(now, now - DAY.as_micros() as i64)?,
            work: store.work(None, now)?,
            claims: store.claims(now)?,
            tasks: store.tasks(false)?,
            lessons: news::Waiting::of(&library::lessons(store)?).sentence(),
            quarantined: store.count_quarantined()?,
        })
    }
}

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let since = ask.now.before(DAY).0;
    let (seen, hours, today) = {
        let known = ask.app.index.look();
        let records: Vec<&Record> = known.newest().take_while(|record| record.at >= since).collect();
        (sessions(&known, &records), by_hour(ask, &records), Today::of(&records, when::midnight(ask.now).0))
    };
    let (stored, trouble) = match ask.app.store() {
        Ok(Some(mut store)) => match Stored::read(&mut store, ask.micros()) {
            Ok(stored) => (stored, None),
            Err(error) => (Stored::default(), Some(error)),
        },
        Ok(None) => (Stored::default(), None),
        Err(error) => (Stored::default(), Some(error)),
    };
    let seen = merged(seen, &stored);
    let (live, rest): (Vec<&Seen>, Vec<&Seen>) = seen.iter().partition(|seen| is_live(ask, seen));
    let questions = pending::list(&ask.app.host);
    let body = html! {
        @if let Some(error) = &trouble { (view::no_store(error)) }
        div.tiles #tiles data-live {
            (tile("", live.len() as u64, "sessions at work"))
            (tile(if today.stops > 0 { "bad" } else { "" }, today.stops, "stopped today"))
            (tile(if today.asks > 0 { "warn" } else { "" }, today.asks, "asked about today"))
            (tile("", today.events, "events today"))
            (tile("", today.tokens, "tokens injected today"))
            (tile(if today.errors > 0 { "warn" } else { "" }, today.errors, "events with an error today"))
        }
        @let waits = waiting(ask, &stored);
        @if let Some(waits) = &waits { (panel("waiting", "Waits for you", "", waits)) }
        (panel("sessions", "At work", &format!("{} in the last half hour", live.len()), &html! {
            @if live.is_empty() {
                (empty("No agent is at work", &html! { "Sessions of every agent that sprag is registered with appear here as soon as they do something. " code { "sprag deploy" } " registers it." }))
            } @else {
                @for (place, sessions) in by_place(ask, &live, &stored) {
                    div.in {
                        h3.place { (place) span.soft { " " (sessions.len()) @if sessions.len() == 1 { " session" } @else { " sessions" } } }
                        div.cards { @for one in sessions { (card(ask, one, &stored, &questions)) } }
                    }
                }
            }
        }))
        @if waits.is_none() {
            (panel("waiting", "Waits for you", "", &empty("Nothing waits for you", &html! { "Questions of agents, calls that were stopped and could be allowed, lessons to review and memories in quarantine appear here." })))
        }
        (panel("hours", "Events of the last 24 hours", "", &html! { div.in { (hours) } }))
        @if !rest.is_empty() {
            (panel("earlier", "Earlier today", "", &earlier(ask, &rest, &stored)))
        }
    };
    Screen::of("/", body)
}

/// Sessions by project and machine; the place where something happened last comes first.
fn by_place<'a>(ask: &Ask<'_>, live: &[&'a Seen], stored: &Stored) -> Vec<(String, Vec<&'a Seen>)> {
    let mut places: Vec<(String, Vec<&Seen>)> = Vec::new();
    for seen in live.iter().take(SHOWN) {
        let row = stored.sessions.iter().find(|row| row.session == seen.session && row.agent == seen.agent);
        let folder = ask.tilde(row.map_or(seen.cwd.as_str(), |row| row.root.as_str()));
        let machine = row.filter(|row| row.host != ask.app.host.machine()).map(|row| row.host.as_str());
        let place = machine.map_or_else(|| folder.clone(), |machine| format!("{folder} on {machine}"));
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, sessions)) => sessions.push(seen),
            None => places.push((place, vec![seen])),
        }
    }
    places
}

/// What happened since midnight.
#[derive(Default)]
struct Today {
    events: u64,
    stops: u64,
    asks: u64,
    tokens: u64,
    errors: u64,
}

impl Today {
    fn of(records: &[&Record], midnight: u64) -> Self {
        let mut sum = Self::default();
        for record in records.iter().take_while(|record| record.at >= midnight) {
            sum.events += 1;
            sum.stops += u64::from(record.verdict.stops());
            sum.asks += u64::from(record.verdict == Verdict::Ask);
            sum.tokens += u64::from(record.chars.div_ceil(4));
            sum.errors += u64::from(record.error);
        }
        sum
    }
}

/// The sessions of some records, the last seen first.
fn sessions(known: &Known, records: &[&Record]) -> Vec<Seen> {
    let mut at: HashMap<(u32, u16), usize> = HashMap::new();
    let mut found: Vec<Seen> = Vec::new();
    for record in records {
        let session = known.place(record.session);
        if session.is_empty() {
            continue;
        }
        let place = *at.entry((record.session, record.agent)).or_insert_with(|| {
            found.push(Seen {
                session: session.to_owned(),
                agent: known.word(record.agent).to_owned(),
                cwd: known.place(record.cwd).to_owned(),
                at: record.at,
                event: known.word(record.event).to_owned(),
                tool: known.word(record.tool).to_owned(),
                verdict: record.verdict,
                ..Seen::default()
            });
            found.len() - 1
        });
        if let Some(seen) = found.get_mut(place) {
            seen.events += 1;
            seen.stops += u64::from(record.verdict.stops());
        }
    }
    found
}

/// Adds sessions of other machines, which the journal here does not know.
fn merged(mut seen: Vec<Seen>, stored: &Stored) -> Vec<Seen> {
    for row in &stored.sessions {
        if !seen.iter().any(|known| known.session == row.session && known.agent == row.agent) {
            seen.push(Seen {
                session: row.session.clone(),
                agent: row.agent.clone(),
                cwd: row.root.clone(),
                at: row.seen.max(0) as u64,
                event: if row.ended.is_some() { "SessionEnd".into() } else { String::new() },
                ..Seen::default()
            });
        }
    }
    seen.sort_by_key(|seen| std::cmp::Reverse(seen.at));
    seen
}

fn is_live(ask: &Ask<'_>, seen: &Seen) -> bool {
    seen.event != "SessionEnd" && seen.at + QUIET > ask.now.0
}

/// What a session does, in a word of colour and a sentence; true when it waits for a person.
fn doing(seen: &Seen) -> (&'static str, String, bool) {
    let tool = if seen.tool.is_empty() { "a tool" } else { &seen.tool };
    match (seen.event.as_str(), seen.verdict) {
        ("SessionEnd", _) => ("", "ended".into(), false),
        ("PermissionRequest", _) | ("PreToolUse", Verdict::Ask) => {
            ("warn", format!("asks you about {tool}"), true)
        }
        ("Notification", _) => ("warn", "waits for you".into(), true),
        ("Stop", Verdict::Block) => ("acc", "continues: the turn was held".into(), false),
        ("Stop" | "StopFailure", _) => ("good", "done, your turn".into(), true),
        ("PreToolUse", verdict) if verdict.stops() => ("bad", format!("{tool} was stopped"), false),
        ("PreToolUse", _) => ("acc", format!("runs {tool}"), false),
        ("PreCompact", _) => ("acc", "compacts its context".into(), false),
        ("SessionStart", _) => ("acc", "started".into(), false),
        ("", _) => ("acc", "at work on another machine".into(), false),
        _ => ("acc", "thinks".into(), false),
    }
}

fn card(ask: &Ask<'_>, seen: &Seen, stored: &Stored, questions: &[pending::Question]) -> Markup {
    let (class, text, waits) = doing(seen);
    let row = stored.sessions.iter().find(|row| row.session == seen.session && row.agent == seen.agent);
    let work = stored.work.iter().find(|work| work.session == seen.session && work.agent == seen.agent);
    let claims: Vec<&ClaimRow> = stored.claims.iter().filter(|claim| claim.session == seen.session).collect();
    let question = questions.iter().find(|question| question.session == seen.session);
    let task =
        stored.tasks.iter().find(|task| task.session == seen.session && task.state == TaskState::Running);
    let usage = context::last(&Session::new(&ask.app.host.paths, &seen.session));
    let folder = row.map_or(seen.cwd.as_str(), |row| row.root.as_str());
    let about = about(ask, seen);
    html! {
        article.card.wait[waits] aria-label=(format!("{} session in {}", seen.agent, ask.tilde(folder))) {
            div.top {
                h4 { (seen.agent) @if let Some(work) = work.filter(|work| !work.name.is_empty()) { " · " (work.name) } }
                (tag_as(class, &text))
            }
            div.row {
                @if let Some(row) = row {
                    @if !row.branch.is_empty() { span.mono { (row.branch) } }
                    @if row.host != ask.app.host.machine() { span.soft { "on " (row.host) } }
                }
                (view::session_link(&seen.session))
                span.soft { (ago(ask, Stamp(seen.at))) }
            }
            @if let Some(question) = question {
                p { (tag("ask")) " waits for your answer: " a href=(format!("/approval?id={}", encode(&question.id))) { (question.rules.join(", ")) } }
            }
            @if let Some(about) = about { code.clip title=(about) { (about) } }
            @if let Some(task) = task { p { "Task: " (task.title) @if !task.progress.is_empty() { span.soft { " · " (cut(&task.progress, 120)) } } } }
            @if let Some(usage) = usage {
                div {
                    div.row { span.soft { "Context " (usage.percent()) " % of " (number(usage.window)) " tokens" } }
                    (chart::share(usage.percent(), 100, match usage.percent() { 90.. => "bad", 70..90 => "warn", _ => "acc" },
                        &format!("context usage {} percent", usage.percent())))
                }
            }
            div.row.soft.nums {
                span { (number(seen.events)) " events" }
                @if seen.stops > 0 { a href=(format!("/events?verdict=deny&session={}", view::encode(&seen.session))) { (seen.stops) " stopped" } }
            }
            @if !claims.is_empty() {
                details id=(format!("claims-{}", encode(&seen.session))) {
                    summary { (claims.len()) @if claims.len() == 1 { " claim" } @else { " claims" } }
                    @for claim in claims.iter().take(12) { code.clip title=(claim.key.path) { (claim.key.path) } }
                    @if claims.len() > 12 { a href="/tasks" { (claims.len() - 12) " more" } }
                }
            }
        }
    }
}

/// The last command or file of a session.
fn about(ask: &Ask<'_>, seen: &Seen) -> Option<String> {
    if seen.tool.is_empty() {
        return None;
    }
    let filter = Filter { session: seen.session.clone(), tool: seen.tool.clone(), ..Filter::default() };
    let found = ask.app.index.look().list(&filter, 1);
    found.first()?.entry()?.about
}

fn by_hour(ask: &Ask<'_>, records: &[&Record]) -> Markup {
    const HOURS: usize = 24;
    let last = ask.now.0 / HOUR;
    let mut counts = [(); 4].map(|()| vec![0_u64; HOURS]);
    for record in records {
        let back = last.saturating_sub(record.at / HOUR) as usize;
        let class = match record.verdict {
            Verdict::Deny | Verdict::Block => 0,
            Verdict::Ask => 1,
            Verdict::Shadow => 2,
            _ => 3,
        };
        if let Some(count) =
            counts.get_mut(class).and_then(|counts| counts.get_mut(HOURS.wrapping_sub(1 + back)))
        {
            *count += 1;
        }
    }
    let labels: Vec<String> = (0..HOURS)
        .map(|at| {
            let local = when::local(Stamp((last + 1 + at as u64 - HOURS as u64) * HOUR));
            format!("{}:00", local.get(11..13).unwrap_or_default())
        })
        .collect();
    let names = [("bad", "stopped"), ("warn", "asked"), ("shadow", "shadow"), ("plain", "passed")];
    let series: Vec<Series<'_>> =
        names.into_iter().zip(counts).map(|((class, name), values)| Series { class, name, values }).collect();
    chart::bars("Events of the last 24 hours, by hour and verdict", &labels, &series)
}

/// What waits for a person; `None` when nothing does.
fn waiting(ask: &Ask<'_>, stored: &Stored) -> Option<Markup> {
    let questions = pending::list(&ask.app.host);
    let stops = super::guards::undecided(ask);
    let nothing =
        questions.is_empty() && stops.is_empty() && stored.lessons.is_none() && stored.quarantined == 0;
    (!nothing).then(|| {
        html! {
            ul.list {
                @for question in &questions {
                    li { div.row { (tag("ask")) a href="/approvals" { (question.agent) " waits for an answer" } span.soft { (question.rules.join(", ")) } } code.clip { (question.shown) } }
                }
                @for (listed, entry) in stops.iter().take(4) {
                    @let id = entry.stop.as_ref().map(|stop| stop.id.as_str()).unwrap_or_default();
                    li {
                        div.row { (tag(listed.verdict.name())) a href=(format!("/events/{}", listed.id)) { (listed.rule) } span.soft { (ago(ask, Stamp(listed.at))) } span.soft { "allow once: " code { "sprag allow " (id) } } }
                        @if let Some(about) = &entry.about { code.clip { (about) } }
                    }
                }
                @if stops.len() > 4 { li { a href="/approvals" { (stops.len() - 4) " more stopped calls could be allowed" } } }
                @if let Some(sentence) = &stored.lessons { li { div.row { (tag_as("acc", "lessons")) a href="/lessons" { (sentence) } } } }
                @if stored.quarantined > 0 { li { div.row { (tag_as("warn", "memory")) a href="/memory?show=quarantine" { (stored.quarantined) " in quarantine" } } } }
            }
        }
    })
}

fn earlier(ask: &Ask<'_>, rest: &[&Seen], stored: &Stored) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Sessions of today" {
            table {
                thead { tr { th { "Session" } th { "Agent" } th { "Project" } th { "State" } th { "Last seen" } th.num { "Events" } th.num { "Stopped" } } }
                tbody {
                    @for seen in rest.iter().take(SHOWN) {
                        @let row = stored.sessions.iter().find(|row| row.session == seen.session);
                        tr {
                            td { (view::session_link(&seen.session)) }
                            td { (seen.agent) }
                            td.wrap { (ask.tilde(row.map_or(seen.cwd.as_str(), |row| row.root.as_str()))) }
                            td { @if seen.event == "SessionEnd" { "ended" } @else { "quiet" } }
                            td.time { (ago(ask, Stamp(seen.at))) }
                            td.num { (number(seen.events)) }
                            td.num { (seen.stops) }
                        }
                    }
                }
            }
        }
    }
}
