//! What an agent is told about its part when it begins. Pure.

use super::kind::PatternKind;
use super::part::Part;

/// The text for a part; `None` when the pattern is not known.
pub fn start(part: &Part) -> Option<String> {
    let kind = part.kind()?;
    let mut text = if part.leads() { lead(kind, part) } else { member(kind, part) };
    if !part.conf.task.is_empty() {
        text.push_str(&format!("\nIt is about: {}", part.conf.task));
    }
    Some(text)
}

/// `2 of 3`, or `2` when nobody knows how many there are.
pub(super) fn place(part: &Part) -> String {
    let number = part.seat.unwrap_or(0) + 1;
    if part.total > 0 { format!("{number} of {}", part.total) } else { number.to_string() }
}

fn round(part: &Part) -> i64 {
    part.level.max(part.seat.map_or(1, |seat| seat / 2 + 1)).max(1)
}

/// What the run's settings say about this seat.
fn own<'a>(part: &'a Part, otherwise: &'a str) -> &'a str {
    let seat = usize::try_from(part.seat.unwrap_or(0)).unwrap_or(0);
    part.conf.seats.get(seat).map_or(otherwise, String::as_str)
}

fn lead(kind: PatternKind, part: &Part) -> String {
    let run = &part.run;
    let members = if part.total > 0 { format!("{} ", part.total) } else { String::new() };
    let what = match kind {
        PatternKind::Swarm => format!("Your subagents work as {members}equals and see what the others broadcast. When all are done, put their results together."),
        PatternKind::Jury => format!("{members}jurors vote, each for itself. Do not show one what another said. You are told the votes when all are in; then give the verdict."),
        PatternKind::Pipeline => format!("{members}stages, one after another. Start the next when the one before is done; it is given the output."),
        PatternKind::GeneratorCritic => format!("A generator and a critic take turns, at most {} rounds, until the critic approves.", part.conf.rounds),
        PatternKind::Hierarchical => "Divide the work, give each part to a specialist, and put the results together when all have reported.".to_owned(),
        PatternKind::MapReduce => format!("{members}mappers do the parts. You are the reducer: when all are done, put their outputs together."),
        PatternKind::Blackboard => "Specialists write to a blackboard. Look at it when they are done, and approve it when it is complete.".to_owned(),
        PatternKind::CircuitBreaker => format!("Start the primary. After {} failures in a row its circuit opens: then start the fallback.", part.conf.failures),
        PatternKind::ChainOfResponsibility => format!("{members}handlers in order. Start the next only when the one before escalates."),
        PatternKind::Adversarial => format!("An advocate and an adversary argue for {} rounds. You are the judge: decide when both have.", part.conf.rounds),
        PatternKind::EventDriven => "Subscribers are given the events they asked for. Publish with `sprag pattern post`.".to_owned(),
    };
    format!("You coordinate the {} `{run}`. {what}", title(kind))
}

fn member(kind: PatternKind, part: &Part) -> String {
    let (run, at) = (&part.run, place(part));
    match kind {
        PatternKind::Swarm => format!(
            "You are agent {at} in the swarm `{run}`. What the others broadcast is shown to you after your tool calls. \
             Tell them what they must know: `sprag pattern post {run} --as {} \"…\"`.",
            part.member
        ),
        PatternKind::Jury => {
            let strict = if part.conf.strict {
                " Isolation is strict: what other jurors wrote is closed to you."
            } else {
                ""
            };
            format!(
                "You are juror {at} in the jury `{run}`. Judge by your own analysis; do not coordinate with other jurors.\
                 {strict} End with one line `VOTE: approve` or `VOTE: reject` (or the option you were asked to choose), \
                 your reason before it."
            )
        }
        PatternKind::Pipeline => {
            let seat = part.seat.unwrap_or(0);
            let role = if seat == 0 {
                "You are first: work from the task itself."
            } else if part.total > 0 && seat + 1 >= part.total {
                "You are the last: your output is the result."
            } else {
                "Work on the output of the stage before; the next stage gets yours."
            };
            let work = own(part, "");
            let work = if work.is_empty() { String::new() } else { format!(" Your stage: {work}.") };
            format!("You are stage {at} in the pipeline `{run}`.{work} {role} End with the output itself.")
        }
        PatternKind::GeneratorCritic if part.role == "critic" => format!(
            "You are the critic of `{run}`, round {} of {}. Review what the generator made. End with a line `APPROVED`, or \
             `REVISE: what must change`.",
            round(part),
            part.conf.rounds
        ),
        PatternKind::GeneratorCritic => {
            let verb = if round(part) > 1 {
                "Refine your work by the critic's feedback"
            } else {
                "Make a first version"
            };
            format!(
                "You are the generator of `{run}`, round {} of {}. {verb}.",
                round(part),
                part.conf.rounds
            )
        }
        PatternKind::Hierarchical => {
            let to = if part.reports_to.is_empty() { "the coordinator" } else { &part.reports_to };
            format!(
                "You are a specialist (level {}) in the hierarchy `{run}`. Do your subtask only; your last message is your \
                 report to {to}.",
                part.level.max(1)
            )
        }
        PatternKind::MapReduce => format!(
            "You are mapper {at} in `{run}`. Do your part only. Your last message, or the file you write, is your output for \
             the reducer."
        ),
        PatternKind::Blackboard => {
            let writes =
                if part.writes.is_empty() { own(part, "any").to_owned() } else { part.writes.join(", ") };
            let reads = if part.reads.is_empty() { "all".to_owned() } else { part.reads.join(", ") };
            format!(
                "You are a specialist at the blackboard `{run}`. You may write the keys: {writes}; read: {reads}. Write with \
                 `sprag pattern post {run} --as {} --topic KEY \"value\"` or a file `blackboard/KEY.md`.",
                part.member
            )
        }
        PatternKind::CircuitBreaker if part.role == "fallback" => {
            format!(
                "You are the fallback of `{run}`: the primary failed. Take the simplest way that works; a degraded result is fine."
            )
        }
        PatternKind::CircuitBreaker => {
            let trial = if part.given == "half_open" {
                "The circuit is half open: this is a trial, one failure opens it again."
            } else {
                "Your failures are counted."
            };
            format!(
                "You are the primary of `{run}`. {trial} After {} failures in a row stop and report; a fallback takes over.",
                part.conf.failures
            )
        }
        PatternKind::ChainOfResponsibility => format!(
            "You are handler {at} in the chain `{run}`. Handle it if it is yours. End with a line `RESOLVED`, or `ESCALATE: why` \
             to pass it on."
        ),
        PatternKind::Adversarial => {
            let side = if part.role == "adversary" { "against" } else { "for" };
            format!(
                "You are the {} in `{run}`, round {} of {}: argue {side} it. Answer what the other side said; your last message \
                 is your argument.",
                part.role,
                round(part),
                part.conf.rounds
            )
        }
        PatternKind::EventDriven => {
            let types = if part.reads.is_empty() { own(part, "*").to_owned() } else { part.reads.join(", ") };
            format!(
                "You subscribe to `{run}` for the events: {types}. They are shown to you after your tool calls. Say first which you take."
            )
        }
    }
}

/// A pattern's name in a sentence.
pub(super) fn title(kind: PatternKind) -> String {
    kind.name().replace('_', " ")
}
