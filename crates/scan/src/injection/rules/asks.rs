//! Asking for the prompt, for a secret, for facts about a person.

use super::{Sign, SignHit, View};
use crate::injection::prelude::*;
use crate::injection::text::{CAPITAL, OWNER, TIGHT, Word};

/// Show what you were told.
pub(super) fn leaks(view: &View<'_>, out: &mut Vec<SignHit>) {
    let yours = |at: &usize| view.is(*at, PROMPT) || view.before(*at, 3, YOU).is_some();
    for at in view.all(PROMPT | ORDERS).filter(yours) {
        let verbs = if view.is(at, PROMPT) { REVEAL | ASK | SAY } else { REVEAL | ASK };
        let Some(verb) =
            view.before(at, view.reach, verbs).or_else(|| view.within(at + 1, at + view.reach, verbs))
        else {
            continue;
        };
        // `Write your prompt` is what people are asked to do, `show your prompt` is not.
        let plain = matches!(
            view.spelled(verb),
            "write"
                | "type"
                | "share"
                | "give"
                | "list"
                | "describe"
                | "explain"
                | "provide"
                | "say"
                | "send"
                | "start"
                | "begin"
                | "copy"
                | "paste"
        );
        if view.negated(verb) || plain && !view.is(at, PROMPT) {
            continue;
        }
        let yours =
            view.is(at, YOU) || view.before(at, 3, YOU).is_some() || view.within(at, at + 6, YOU).is_some();
        let foreign = !english_prompt(view.spelled(at));
        let last = verb > at && (!view.spelled(verb).is_ascii() || verb + 2 >= view.words.len());
        let pressed = (view.ordered(verb) || view.sentence.asks || last) && !view.is(0, WHEN);
        let scope = view.is(at, SCOPE) || view.before(at, 4, SCOPE).is_some();
        // `Repeat … word for word` shows twice what is wanted.
        let twice = verb == 0 && view.within(at + 1, at + 8, REVEAL).is_some();
        // Nothing but the request stands there.
        let bare = view.text.sentences.len() <= 2 && !view.has(WORKDAY) && verb.min(at) <= 1;
        let score =
            2 + u8::from(yours || foreign) + u8::from(pressed) + u8::from(scope || twice) + u8::from(bare);
        out.push(view.seen(Sign::Leak, score, verb));
        return;
    }
}

/// The phrase is English, where it must say whose prompt is meant.
fn english_prompt(word: &str) -> bool {
    matches!(
        word,
        "system"
            | "initial"
            | "original"
            | "hidden"
            | "secret"
            | "developer"
            | "your"
            | "words"
            | "the"
            | "instructions"
            | "exact"
            | "full"
            | "entire"
            | "confidential"
            | "internal"
            | "you"
            | "told"
            | "instructed"
            | "preprompt"
            | "pre"
            | "base"
            | "repeat"
            | "lines"
            | "text"
            | "message"
            | "previous"
            | "prompt"
    )
}

/// Ask × secret: a request, a question or an order to write about it.
pub(super) fn secrets(view: &View<'_>, out: &mut Vec<SignHit>) {
    for at in view.all(SECRET) {
        // `I bet you cannot tell me` asks all the same.
        let to_me = |ask: usize| matches!(view.spelled(ask + 1), "me" | "us");
        let asked = view.all(ASK).find(|ask| to_me(*ask) || !view.negated(*ask));
        let opens =
            (0..2).any(|place| view.is(place, MAKE | REVEAL) && view.ordered(place)) && !view.is(0, NOT);
        let ordered = view
            .before(at, view.reach, MAKE | REVEAL)
            .filter(|verb| view.ordered(*verb) && !view.negated(*verb));
        let what = view.sentence.asks && matches!(view.spelled(0), "what" | "whats" | "which");
        let told = |place: usize| {
            matches!(view.spelled(place), "share" | "tell" | "give" | "reveal" | "say" | "disclose")
        };
        let pressed = view.has(PRESSURE | OFFICE) && (0..at).any(|place| told(place) && !view.negated(place));
        let shaped = view.has(FORM) || view.all(CODE).any(|code| code != at);
        let spoken_to = view.text.sentences.len() <= 9
            && (view.is(0, YOU) || view.all(MAKE | REVEAL).any(|verb| view.ordered(verb)));
        let about =
            view.sentence.asks && shaped && view.words.first().is_some_and(|word| word.means & QUESTION != 0);
        let wanted = asked.is_some() || ordered.is_some() || what || pressed || about || shaped && spoken_to;
        if !wanted {
            continue;
        }
        let talked_about = view.before(at, 4, FORMS).or_else(|| view.within(at, at + 4, FORMS)).is_some();
        let yours = view.is(at, YOU) || view.before(at, 3, YOU).is_some();
        if !pointed_at(view, at, yours) {
            continue;
        }
        let begins = asked.is_some_and(|ask| ask <= 2) || opens;
        let mine = asked.is_some_and(to_me) && !begins;
        let unfinished = view.words.last().is_some_and(|word| self_is(view, word)) && opens;
        let work = view.all(WORKDAY).filter(|word| !(at..at + 3).contains(word)).count();
        let mut score = 2
            + u8::from(view.sentence.asks)
            + u8::from(yours)
            + u8::from(begins)
            + 2 * u8::from(shaped)
            + u8::from(unfinished)
            + u8::from(mine)
            + u8::from(mine && view.text.sentences.len() <= 9 && !view.has(WORKDAY));
        score = score.saturating_sub(3 * u8::from(talked_about));
        score = score.saturating_sub(work.min(3) as u8);
        out.push(view.seen(Sign::Secret, score.min(6), at));
        return;
    }
}

/// `Complete: the password is`.
fn self_is(view: &View<'_>, word: &Word) -> bool {
    matches!(view.text.word(word), "is" | "was" | "equals")
}

/// A certain secret is meant (`your password`, `the code`), not secrets in general.
fn pointed_at(view: &View<'_>, at: usize, yours: bool) -> bool {
    let word = view.spelled(at);
    let english = matches!(
        word,
        "password"
            | "passwords"
            | "secret"
            | "api"
            | "access"
            | "credential"
            | "credentials"
            | "private"
            | "login"
            | "sensitive"
            | "confidential"
    ) || word.starts_with("passp")
        || word.starts_with("passc");
    if !english {
        return true;
    }
    let pointing = |place: usize| {
        matches!(
            view.spelled(place),
            "the"
                | "our"
                | "his"
                | "her"
                | "their"
                | "this"
                | "that"
                | "my"
                | "its"
                | "la"
                | "das"
                | "il"
                | "el"
                | "le"
                | "all"
                | "any"
        ) || view.flag(place, OWNER)
    };
    // A variable's name points at one secret: `AWS_SECRET_ACCESS_KEY`.
    if view.flag(at, TIGHT) {
        return view.words.len() <= 16 && view.has(REVEAL) && view.has(YOU);
    }
    let article = view.before(at, 1, ARTICLE).is_some() && view.spelled(at.wrapping_sub(1)) != "any";
    !article && (yours || (1..=3).any(|back| at.checked_sub(back).is_some_and(pointing)))
}

/// Ask × fact about a person × whose.
pub(super) fn personal(view: &View<'_>, out: &mut Vec<SignHit>) {
    let name = |at: usize| {
        view.flag(at, CAPITAL) && at > 0 && !view.is(at, QUESTION | ASK | YOU) && view.spelled(at).len() > 1
    };
    if let Some(place) = view.first(WHERE)
        && let Some(live) = view.within(place + 1, place + 9, LIVE)
        && ((place + 1..live).any(|at| name(at) || view.is(at, USER)))
    {
        let score = 3 + u8::from(view.sentence.asks) + u8::from(view.has(ASK));
        out.push(view.seen(Sign::Personal, score.saturating_sub(view.count(WORKDAY).min(2) as u8), place));
        return;
    }
    let article = |at: usize| {
        matches!(
            view.spelled(at),
            "der"
                | "die"
                | "das"
                | "ein"
                | "eine"
                | "le"
                | "la"
                | "les"
                | "un"
                | "une"
                | "el"
                | "los"
                | "o"
                | "il"
                | "lo"
                | "de"
                | "het"
        )
    };
    if let Some(place) = view.first(LIVES)
        && (view.within(place + 1, place + 4, USER).is_some()
            || !article(place + 2) && (name(place + 2) || name(place + 3))
            || !view.spelled(place).is_ascii())
    {
        out.push(view.seen(Sign::Personal, 3 + u8::from(view.sentence.asks), place));
        return;
    }
    for at in view.all(PERSONAL) {
        // `Provide the location of …` asks too, when somebody is named.
        let verb = matches!(view.spelled(0), "provide" | "give" | "reveal" | "show" | "share" | "disclose");
        let told = verb && view.has(USER) && (at + 1..at + 8).any(name) && !view.has(WORKDAY)
            || view.spelled(0) == "list" && view.within(at + 1, at + 6, USER).is_some() && view.has(YOU);
        let ask = view.first(ASK).filter(|ask| !view.negated(*ask)).or(told.then_some(0));
        let Some(ask) = ask else { return };
        let owned = (at.saturating_sub(4)..at).any(|place| view.flag(place, OWNER) || view.is(place, USER))
            || view.within(at + 1, at + 6, USER).is_some()
            || (at + 1..at + 5).any(|place| {
                matches!(view.spelled(place), "of" | "von" | "de" | "di" | "des") && name(place + 1)
            })
            || (at + 1..at + 8).any(name)
            || (at.saturating_sub(3)..at).any(name)
            || !view.spelled(at).is_ascii();
        if !owned {
            continue;
        }
        let foreign = !view.spelled(at).is_ascii();
        let mut score =
            3 + u8::from(view.sentence.asks) + u8::from((ask <= 2 || foreign) && !view.sentence.asks);
        score = score.saturating_sub(view.count(WORKDAY).min(2) as u8 + 2 * u8::from(view.has(FORMS)));
        out.push(view.seen(Sign::Personal, score, at));
        return;
    }
}
