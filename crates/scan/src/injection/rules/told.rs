//! Setting aside what the model was told, or the work before it, and dictating the answer.

use super::{Sign, SignHit, View};
use crate::injection::prelude::*;
use crate::injection::text::{LEAD, QUOTED};

/// To set aside × what one was told × which of it.
pub(super) fn overrides(view: &View<'_>, out: &mut Vec<SignHit>) {
    let mut best: Option<SignHit> = None;
    for at in view.all(IGNORE | FORGET | FOLLOW | CLEAR) {
        // Follow it not: the verb needs its `not`, the others must not have one.
        let not = view.is(at, FOLLOW) && !view.is(at, IGNORE | FORGET | CLEAR);
        let clears = view.is(at, CLEAR) && !view.is(at, IGNORE | FORGET);
        if if not {
            let behind =
                view.within(at + 1, at + 12, NOT).filter(|not| view.within(at + 1, *not, AND).is_none());
            view.before(at, 2, NOT).or(behind).is_none()
        } else {
            view.negated(at)
        } {
            continue;
        }
        // `… is ignored` tells of something.
        if view.spelled(at) == "ignores" && !view.has(YOU)
            || view.spelled(at + 2) == "さ" && view.spelled(at + 3) == "れ"
        {
            continue;
        }
        let reach = view.reach;
        let ahead = view
            .within(at + 1, at + reach, ORDERS | GUARD)
            .or_else(|| view.within(at + 1, at + reach, RULES));
        let behind =
            view.before(at, reach, ORDERS).or_else(|| view.before(at, reach, RULES)).filter(|_| !clears);
        let object = match (ahead, behind) {
            (Some(ahead), Some(behind)) if view.is(behind, ORDERS) && !view.is(ahead, ORDERS) => Some(behind),
            (Some(ahead), _) => Some(ahead),
            (None, behind) => behind,
        };
        let mut score = 0_u8;
        if let Some(object) = object {
            let (low, high) = (at.min(object), at.max(object));
            let scope = view.within(low.saturating_sub(2), high + reach / 2, SCOPE).is_some();
            let you = view.within(low.saturating_sub(1), high + reach / 2, YOU).is_some();
            // Languages that put the verb last order at the end of a clause.
            let last = object < at
                && (!view.spelled(at).is_ascii()
                    || at + 3 >= view.words.len()
                    || view.is(at + 1, AND)
                    || view.is(at + 2, AND));
            let personal = view.is(at, FORGET) || not;
            let orders = view.is(object, ORDERS | GUARD);
            if object < at && !last {
                continue;
            }
            let sum = u8::from(!clears)
                + u8::from(personal)
                + 1
                + u8::from(orders)
                + u8::from(scope)
                + u8::from(you)
                + u8::from(view.ordered(at) || last);
            score = match sum {
                6.. => 6,
                5 if orders || personal => 5,
                5 => 4,
                4 if orders && (scope && !clears || you) => 4,
                4 if view.is(object, GUARD) && at == 0 => 4,
                4 if orders => 3,
                4 if scope && at == 0 => 3,
                4 => 2,
                3 if scope && at == 0 => 1,
                _ => 0,
            };
            // `Ignore the previous instructions if you are on Windows.`
            let condition =
                (0..view.words.len()).any(|at| matches!(view.spelled(at), "if" | "unless" | "when"));
            if condition && view.has(WORKDAY) && !view.has(TO_MACHINE | MACHINE) {
                score = score.saturating_sub(3);
            }
        }
        if let Some(object) = view.within(at, at + 5, BEFORE).filter(|_| !not && !clears) {
            let goes_on = view.within(object + 1, object + 14, SAY | ASK | ACT | REVEAL | MAKE).is_some();
            let weight = match (goes_on && view.ordered(at), view.is(at, FORGET), view.ordered(at)) {
                (true, _, _) => 5,
                (_, true, true) => 4,
                (_, _, true) => {
                    3 + u8::from(matches!(
                        view.spelled(object),
                        "what" | "whatever" | "everything" | "anything"
                    ))
                }
                _ => 1,
            };
            score = score.max(weight);
        }
        if score > best.map_or(0, |best| best.score) {
            best = Some(view.seen(Sign::Override, score, at));
        }
    }
    out.extend(best);
}

/// Earlier instructions are declared invalid.
pub(super) fn voids(view: &View<'_>, out: &mut Vec<SignHit>) {
    for at in view.all(VOID) {
        let object = view
            .before(at, view.reach, ORDERS | GUARD | BEFORE)
            .or_else(|| view.before(at, view.reach, RULES))
            .or_else(|| view.within(at + 1, at + 6, ORDERS | GUARD));
        let Some(object) = object else { continue };
        let scope = view.before(object, 4, SCOPE).is_some() || view.within(object, at, SCOPE).is_some();
        let you = view.before(object, 4, YOU).is_some() || view.within(object, at.max(object), YOU).is_some();
        if !view.is(object, ORDERS | GUARD | BEFORE) && view.before(object, 3, YOU).is_none() {
            continue;
        }
        let score = u8::from(view.is(object, ORDERS))
            + 3 * u8::from(view.is(object, GUARD))
            + 2 * u8::from(view.is(object, BEFORE))
            + 2 * u8::from(you)
            + u8::from(scope)
            + u8::from(view.has(MACHINE))
            + u8::from(scope && you);
        if score >= 2 {
            out.push(view.seen(Sign::Override, score.min(5), object));
            return;
        }
    }
}

/// Set the work aside and say this instead.
pub(super) fn dictation(view: &View<'_>, out: &mut Vec<SignHit>) {
    for at in view.all(IGNORE | FORGET | CLEAR) {
        if view.negated(at) || !view.is(at, IGNORE | FORGET) && view.spelled(at) != "skip" {
            continue;
        }
        let work = view
            .within(at + 1, at + view.reach / 2 + 1, WORK)
            .or_else(|| view.before(at, view.reach / 2, WORK));
        let Some(work) = work else {
            // Whatever it is that shall be forgotten: `… and state that …`.
            let said = view.within(at + 2, at + 9, SAY).filter(|verb| {
                view.ordered(*verb) && (view.spelled(verb + 1) == "that" || view.flag(verb + 1, QUOTED))
            });
            if view.ordered(at) && said.is_some() && !view.is(at, CLEAR) {
                out.push(view.seen(Sign::Dictation, 4, at));
                return;
            }
            continue;
        };
        let from = at.max(work) + 1;
        let clear = view.within(from, from + view.reach, SAY);
        // `print`, `return`, `write` are programmers' words: they must say what.
        let vague = view.within(from, from + view.reach, REVEAL | MAKE).filter(|verb| {
            view.within(verb + 1, verb + 6, ANSWER).is_some()
                || (verb + 1..verb + 5).any(|word| view.flag(word, QUOTED))
                || view.flag(verb + 1, LEAD)
        });
        let hypothetical = view.count(IF) >= 2 || view.has(IF) && view.has(ANSWER);
        let ordered = view.ordered(at);
        if (clear.is_some() || vague.is_some()) && ordered {
            out.push(view.seen(Sign::Dictation, if clear.is_some() { 5 } else { 4 }, at));
            return;
        }
        if hypothetical && view.has(ANSWER | SAY) {
            out.push(view.seen(Sign::Dictation, 4, at));
            return;
        }
    }
}
