//! cost-limit: a project has so much for a day, and a session in all. Near the cap that is said; at the cap no new turn begins
//! until a person raises it. The numbers come from the transcripts and are kept by the background worker.

use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, Grounds, HookError, HookResult, HookSpec, Presets, Reply, Sees,
};
use sprag_usage::budget::{Amount, Ledger, Level, Raised, Spent, count_job, level};
use std::path::Path;

settings! {
    /// Settings of cost-limit.
    pub struct CostLimitSettings<'a> {
        /// the most that all sessions of a project may use in a day (UTC): "10 usd" or "5M tokens"; empty is no cap
        day: Text = "";
        /// the most that one session may use: "2 usd" or "500k tokens"; empty is no cap
        session: Text = "";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "cost-limit",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "caps what a project may use per day and per session, in money or tokens; a person raises it",
        sees: &[
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SubagentStop, matcher: "" },
            // An agent may write the last answer into its transcript only after its Stop hooks.
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::NONE,
        settings: CostLimitSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The caps that this session was told of, one per line.
const TOLD: &str = "cost-limit-told";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: CostLimitSettings<'_> = cx.settings.read();
    let (day, session) = (cap("day", settings.day)?, cap("session", settings.session)?);
    if day.is_none() && session.is_none() {
        return Ok(Reply::pass());
    }
    let project = cx.project.key(&cx.host.machine());
    let mut reply = match event.kind {
        EventKind::UserPromptSubmit => judged(event, cx, &project, day, session)?,
        _ => Reply::pass(),
    };
    // What was interrupted ended without a Stop: the next prompt counts it.
    for transcript in [event.transcript_path.as_deref(), event.text("agent_transcript_path")] {
        if let Some(path) = transcript.filter(|path| !path.is_empty()) {
            reply = reply.with_job(count_job(&project, &event.session_id, Path::new(path)));
        }
    }
    Ok(reply)
}

/// A cap as it is written; one that cannot be read is an error that the journal and `sprag doctor` show.
fn cap(name: &str, text: &str) -> Result<Option<Amount>, HookError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    match Amount::parse(text) {
        Some(amount) => Ok(Some(amount)),
        None => Err(HookError::about(name, format!("`{text}` is no amount: \"5 usd\" or \"2M tokens\""))),
    }
}

fn judged(
    event: &Event,
    cx: &Cx<'_>,
    project: &str,
    day: Option<Amount>,
    session: Option<Amount>,
) -> HookResult {
    let now = cx.host.clock.now();
    let ledger = Ledger::read(&cx.host.paths, project, now);
    let (today, own) = (ledger.today(), ledger.of_session(&event.session_id));
    let near = |cap: Option<Amount>, spent: &Spent| cap.is_some_and(|cap| level(cap, spent) != Level::Below);
    if !near(day, &today) && !near(session, &own) {
        return Ok(Reply::pass());
    }
    // Looked at only when it matters.
    let raised = Raised::read(&cx.host.paths, project, now);
    let caps = [
        ("day", "this project may use today (UTC)", day, Amount::parse(&raised.day), today),
        ("session", "this session may use", session, Amount::parse(&raised.session), own),
    ];
    let mut reply = Reply::pass();
    for (name, what, cap, raised, spent) in caps {
        let Some(cap) = cap.map(|cap| cap.or_raised(raised)) else { continue };
        let used = format!("{} of {}", cap.used(&spent).text(), cap.text());
        let raise = format!("`sprag limit raise --{name} AMOUNT`");
        match level(cap, &spent) {
            Level::Below => {}
            Level::Reached => {
                let reason =
                    format!("What {what} is used up: {used}. A person raises it in a terminal: {raise}.");
                let mut stop = Reply::block(reason);
                stop.grounds = Grounds { rule: Some(format!("cost-limit:{name}")), ..Grounds::default() };
                return Ok(stop);
            }
            Level::Near => {
                let told = format!("{name} {}", cap.text());
                if !cx.session.read(TOLD).lines().any(|line| line == told) {
                    cx.session.append(TOLD, &told)?;
                    let text = format!(
                        "Of what {what}, {used} is used. New turns stop at the cap; to raise it: {raise}."
                    );
                    reply.notes.extend(Reply::warn(format!("cost-limit:{name}"), text.clone()).notes);
                    reply.message = Some(format!("sprag (cost-limit): {text}"));
                }
            }
        }
    }
    Ok(reply)
}
