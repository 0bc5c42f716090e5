//! Making the model another one, calling it, having it send, run or conceal; and what only adds weight.

use super::{Sign, SignHit, View};
use crate::injection::prelude::*;
use crate::injection::text::{LEAD, TIGHT};

/// Another role, no rules, another mode, new orders.
pub(super) fn roles(view: &View<'_>, out: &mut Vec<SignHit>) {
    let you = view.has(YOU | MACHINE);
    if let Some(at) = view.first(ACT) {
        let ordered = view.ordered(at);
        let figure = view.within(at, at + view.reach + 4, PERSONA).is_some();
        let machine = view.within(at + 1, at + 8, MACHINE).is_some();
        let free = view.within(at, at + 30, FREE).is_some();
        let score = match (figure || free, machine, ordered) {
            (true, _, true) => 5,
            (true, true, _) => 5,
            (true, _, _) if you => 4,
            (true, _, _) => 2,
            (_, true, true) => 3,
            (_, _, true) if you => 2,
            _ => 1,
        };
        out.push(view.seen(Sign::Role, score, at));
    }
    if let Some(at) = view.first(FREE) {
        let many = view.count(FREE) >= 2;
        let score = match (view.has(PERSONA), view.has(MACHINE), you || many) {
            (true, _, _) => 4,
            (_, true, _) => 3,
            (_, _, true) => 2,
            _ => 1,
        };
        out.push(view.seen(Sign::Free, (score + u8::from(many)).min(5), at));
    } else if let Some(at) = view.first(PERSONA)
        && you
        && (view.has(ACT) || view.before(at, 4, YOU).is_some())
    {
        out.push(view.seen(Sign::Free, 2, at));
    }
    if let Some(at) = view.first(MODE) {
        let asked = view.has(SECRET | PROMPT | FREE | PERSONA | OBEY);
        let score = match (asked, view.has(ACT), view.has(YOU)) {
            (true, _, _) => 4,
            (_, true, _) => 3,
            (_, _, true) => 2,
            _ => 1,
        };
        out.push(view.seen(Sign::Mode, score, at));
    }
    if let Some(at) = view.first(NEWS) {
        out.push(view.seen(Sign::News, if view.ordered(at) { 3 } else { 1 }, at));
    }
    if let Some(at) = view.first(OBEY) {
        out.push(view.seen(Sign::Obey, 3, at));
    }
}

/// Send × what is worth stealing × where to.
pub(super) fn sends(view: &View<'_>, out: &mut Vec<SignHit>) {
    for at in view.all(SEND) {
        if view.negated(at) {
            continue;
        }
        let Some(loot) = view.within(at + 1, at + view.reach + 2, LOOT | SECRET) else { continue };
        let away = view.within(loot + 1, loot + 14, PLACE).is_some();
        // `Send your token in the header`: the reader's own, to where it belongs.
        let own = view.before(loot, 2, YOU).is_some() && view.has(FORMS | WORKDAY) || view.has(FORMS);
        let work = match view.count(WORKDAY) {
            0 | 1 => 0,
            2 | 3 => 1,
            _ => 2,
        };
        let mut score = 1
            + u8::from(away)
            + 2 * u8::from(away && view.ordered(at))
            + u8::from(view.has(CONCEAL | TO_MACHINE));
        score = score.saturating_sub(work + 2 * u8::from(own));
        if score > 0 {
            out.push(view.seen(Sign::Send, score, at));
            return;
        }
    }
}

/// Somebody talks to the machine, or wants something kept from the user.
pub(super) fn commands(view: &View<'_>, out: &mut Vec<SignHit>) {
    if let Some(at) = view.first(CONCEAL) {
        let user = view.within(at, at + 6, USER).is_some() || !view.spelled(at).is_ascii();
        let acts = view.has(RUN) || view.has(SEND) && view.has(LOOT);
        let mild = view.spelled(at) == "without" && view.spelled(at + 1) == "asking";
        let score = 1
            + 2 * u8::from(user && !mild)
            + u8::from(
                acts && view.has(MACHINE | TO_MACHINE)
                    || user && view.has(YOU) && view.has(RUN | SEND | CLEAR),
            );
        out.push(view.seen(Sign::Conceal, score, at));
    }
    let called = called(view);
    if let Some(at) = view.first(TO_MACHINE | HAIL).or(called.map(|(at, _)| at)) {
        let told = view.has(OBEY | CONCEAL | SECRET | PROMPT | NEWS | PRESSURE)
            || view.has(ANSWER) && view.has(SAY | REVEAL | MAKE);
        let sends = view.has(SEND | RUN) && view.has(LOOT | PLACE);
        let hail = u8::from(view.has(HAIL)).max(called.map_or(0, |(_, weight)| weight));
        let acts = view.count(RUN | SEND | SAY);
        let mut score = 2
            + hail
            + u8::from(acts > 0)
            + u8::from(acts > 2 && hail > 0)
            + u8::from(told)
            + u8::from(sends)
            + 2 * u8::from(view.has(PRAISE));
        if hail == 0 && !view.has(CONCEAL) {
            score = score.saturating_sub(u8::from(view.count(WORKDAY) >= 2));
        }
        out.push(view.seen(Sign::Machine, score.min(6), at));
    }
}

/// The machine is called (`Assistant, …`, `note for the agent: …`) or told what it has to do.
fn called(view: &View<'_>) -> Option<(usize, u8)> {
    for at in view.all(MACHINE) {
        let next = (at + 1..at + 3).find(|next| !view.is(*next, MACHINE)).unwrap_or(at + 1);
        let cut = view.flag(next, LEAD) && !view.flag(next, TIGHT);
        let addressed = (1..=4).any(|back| {
            at.checked_sub(back).is_some_and(|place| matches!(view.spelled(place), "for" | "to"))
        });
        let note = view.before(at, 6, NOTE).is_some();
        if cut && addressed && (note || at <= 3) {
            return Some((at, 1));
        }
        let product =
            matches!(view.spelled(at), "claude" | "copilot" | "gemini" | "chatgpt" | "cursor" | "codex");
        if cut && at <= 1 && product && view.has(RUN | SEND | CLEAR | IGNORE) {
            return Some((at, 1));
        }
        // `Attention summariser: …`, and `when an assistant opens this file, it must …`.
        if cut && view.before(at, 2, NOTE).is_some_and(|note| view.spelled(note) == "attention") {
            return Some((at, 1));
        }
        let reads = |place: usize| {
            matches!(
                view.spelled(place),
                "opens"
                    | "opened"
                    | "reads"
                    | "read"
                    | "processes"
                    | "processed"
                    | "summarises"
                    | "summarizes"
                    | "parses"
                    | "loads"
                    | "sees"
                    | "whoever"
            )
        };
        let modal =
            (0..view.words.len()).any(|place| matches!(view.spelled(place), "must" | "should" | "shall"));
        let condition =
            (0..at).any(|place| matches!(view.spelled(place), "if" | "when" | "whoever" | "once" | "any"));
        if modal && condition && (0..view.words.len()).any(reads) && view.has(RUN | SEND | SAY | CONCEAL) {
            return Some((at, 1));
        }
        if cut && at <= 1 && view.has(YOU | RUN | SEND | FORGET | IGNORE | CONCEAL) {
            return Some((at, 0));
        }
        let must = matches!(view.spelled(next), "must" | "shall")
            || matches!(
                (view.spelled(next), view.spelled(next + 1)),
                ("has" | "have" | "needs" | "need", "to")
            );
        if must && view.has(RUN | SEND | CONCEAL) {
            return Some((at, 0));
        }
    }
    None
}

/// Signs that mean something only beside a request.
pub(super) fn soft(view: &View<'_>, out: &mut Vec<SignHit>) {
    if let Some(at) = view.first(OFFICE) {
        out.push(view.seen(Sign::Office, 2, at));
    }
    if let Some(at) = view.first(PRESSURE) {
        out.push(view.seen(Sign::Pressure, 2, at));
    }
    if let Some(at) = view.first(SCENE) {
        let opens = view.ordered(at);
        out.push(view.seen(Sign::Scene, if opens { 2 } else { 1 }, at));
    }
    let pieces = view.count(PIECE);
    if pieces > 0 {
        let asks = view.has(SAY | ASK | QUESTION);
        let score = if pieces >= 2 && asks { 4 } else { 1 };
        out.push(view.seen(Sign::Piece, score, view.first(PIECE).unwrap_or_default()));
    }
    if let Some(at) = view.first(TURN).filter(|at| *at <= 2)
        && (view.sentence.asks || view.has(ASK))
    {
        out.push(view.seen(Sign::Turn, 2, at));
    }
    if let Some(at) = view.first(CHAT) {
        out.push(view.seen(Sign::Chat, 2, at));
    }
    let makes = view.all(MAKE).find(|at| *at <= 8 && (view.ordered(*at) || view.has(ASK)));
    if let Some(at) = makes {
        if view.has(FORM) {
            out.push(view.seen(Sign::Form, 2, at));
        }
        if view.has(HARM) && !view.has(NOT) {
            out.push(view.seen(Sign::Harm, 2, at));
        }
    }
    if let Some(at) = view.first(ASK)
        && (view.sentence.asks || at <= 1 || view.flag(at, LEAD) || view.has(OFFICE))
    {
        out.push(view.seen(Sign::Ask, 1, at));
    }
    if let Some(at) = view.first(SAY)
        && view.ordered(at)
        && (view.within(at + 1, at + 5, ANSWER).is_some()
            || view.has(PRAISE) && view.within(at + 1, at + 3, USER).is_some())
    {
        out.push(view.seen(Sign::Say, 2, at));
    }
}
