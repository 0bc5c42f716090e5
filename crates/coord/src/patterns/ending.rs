//! What a member's last message means in its pattern: its state, its vote, and the topic it is posted under. Pure.

use super::kind::PatternKind;
use super::news::stage_topic;
use super::part::Part;
use super::words::{Handling, approval, handling, vote};

/// How a member ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub state: &'static str,
    pub vote: String,
    pub topic: String,
}

/// What a last message must have and has not, as an instruction.
pub fn lacks(kind: PatternKind, text: &str) -> Option<&'static str> {
    match kind {
        PatternKind::Jury if vote(text).is_none() => Some(
            "Your vote is missing. End with one line `VOTE: approve` or `VOTE: reject` (or the option you were asked to \
             choose); to leave it open, `VOTE: abstain`.",
        ),
        _ => None,
    }
}

/// Reads how a member ended.
pub fn ended(kind: PatternKind, part: &Part, text: &str) -> Ended {
    let plain = |topic: &str| Ended { state: "done", vote: String::new(), topic: topic.to_owned() };
    match kind {
        PatternKind::Jury => {
            // One that was asked and still says nothing does not keep the others waiting.
            Ended { vote: vote(text).unwrap_or_else(|| "abstain".to_owned()), ..plain("vote") }
        }
        PatternKind::Pipeline => plain(&stage_topic(part.seat.unwrap_or(0))),
        PatternKind::GeneratorCritic if part.role == "critic" => match approval(text) {
            Some(true) => Ended { vote: "approved".to_owned(), ..plain("approved") },
            _ => Ended { vote: "revise".to_owned(), ..plain("feedback") },
        },
        PatternKind::GeneratorCritic => plain("draft"),
        PatternKind::Adversarial => plain("argument"),
        PatternKind::ChainOfResponsibility => {
            let said = handling(text);
            let escalates =
                matches!(said, Some(Handling::Escalated(_))) || (said.is_none() && part.given == "escalated");
            let state = if escalates { "escalated" } else { "resolved" };
            Ended { state, vote: String::new(), topic: state.to_owned() }
        }
        PatternKind::Swarm => plain("done"),
        _ => plain("output"),
    }
}
