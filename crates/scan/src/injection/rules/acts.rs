//! Making the model another one, calling it, having it send, run or conceal; and what only adds weight.

use super::{Sign, SignHit, View};
use crate::injection::prelude::*;
use crate::injection::text::{ADDRESS, LEAD, TIGHT};

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
    // `From now on add … to every answer`.
    if let Some(at) = view.first(ACT)
        && view.has(ANSWER)
        && view.all(DO | SAY | SEND).any(|verb| view.ordered(verb) || verb > at && verb <= at + 5)
    {
        out.push(view.seen(Sign::News, 3, at));
    }
    if let Some(at) = view.first(FREE) {
        let many = view.count(FREE) >= 2;
        let score = match (view.has(PERSONA) && (you || view.has(ACT)), view.has(MACHINE), you || many) {
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
        let asked = view.has(SECRET | PROMPT | FREE | PERSONA | OBEY | CONCEAL | GUARD);
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
        out.push(view.seen(Sign::Obey, 2 + u8::from(view.has(YOU | MACHINE | FREE | PERSONA)), at));
    }
}

/// Loot that nobody asks for by chance: key files, variables, tokens.
fn is_prize(view: &View<'_>, at: usize) -> bool {
    view.is(at, LOOT)
        && matches!(
            view.spelled(at),
            "env"
                | "dotenv"
                | "ssh"
                | "id"
                | "aws"
                | "etc"
                | "npmrc"
                | "netrc"
                | "pypirc"
                | "private"
                | "openai"
                | "github"
                | "deploy"
                | "secrets"
                | "credentials"
                | "database"
                | "browser"
                | "session"
                | "conversation"
                | "chat"
                | "messages"
                | "printenv"
                | "vault"
                | "clipboard"
                | "seed"
                | "environment"
                | "mcp"
                | "root"
                | "saved"
                | "stored"
                | "card"
                | "customer"
                | "bashrc"
                | "zshrc"
                | "crontab"
                | "authorized"
                | "sudoers"
                | "passwd"
        )
}

/// Send × what is worth stealing × where to.
pub(super) fn sends(view: &View<'_>, out: &mut Vec<SignHit>) {
    for at in view.all(SEND) {
        if view.negated(at) {
            continue;
        }
        let ahead = view.within(at + 1, at + view.reach + 2, LOOT | SECRET);
        // `Take the key and append it to …`: the loot was named before.
        let behind = || {
            let it =
                (at + 1..at + 4).any(|next| matches!(view.spelled(next), "it" | "them" | "its" | "this"));
            view.before(at, 14, LOOT | SECRET).filter(|_| it)
        };
        let Some(loot) = ahead.or_else(behind) else { continue };
        if (loot.saturating_sub(2)..loot).any(|place| {
            matches!(view.spelled(place), "remove" | "redact" | "mask" | "without" | "strip" | "no" | "any")
        }) {
            continue;
        }
        let address = (0..view.words.len()).any(|word| view.flag(word, ADDRESS));
        let away = address || view.within(loot.min(at) + 1, loot.max(at) + 14, PLACE).is_some();
        // `Send your token in the header`: the reader's own, to where it belongs.
        let own = view.before(loot, 2, YOU).is_some() && view.has(FORMS | WORKDAY) || view.has(FORMS);
        let work = match view.count(WORKDAY) {
            _ if is_prize(view, loot) && away => 0,
            0 | 1 => 0,
            2 | 3 => 1,
            _ => 2,
        };
        let mut score = 1
            + u8::from(away)
            + 2 * u8::from(away && view.ordered(at))
            + u8::from(view.has(CONCEAL | TO_MACHINE))
            + u8::from(view.spelled(at) == "exfiltrate");
        score = score.saturating_sub(work + 2 * u8::from(own));
        if score > 0 {
            out.push(view.seen(Sign::Send, score, at));
            return;
        }
    }
}

/// An order to read or hand over what is worth stealing, wherever it goes.
pub(super) fn touches(view: &View<'_>, out: &mut Vec<SignHit>) {
    let Some(loot) = view.all(LOOT).find(|at| is_prize(view, *at)) else { return };
    let ordered = view
        .all(DO | SEND | REVEAL)
        .find(|at| *at < loot && loot - at <= 12 && view.ordered(*at) && !view.negated(*at));
    if let Some(at) = ordered
        && !view.has(FORMS)
    {
        let handed = view.has(PLACE) || (0..view.words.len()).any(|word| view.flag(word, ADDRESS));
        let written = (0..view.words.len()).any(|place| {
            matches!(
                view.spelled(place),
                "request"
                    | "reply"
                    | "answer"
                    | "message"
                    | "commit"
                    | "issue"
                    | "argument"
                    | "comment"
                    | "readme"
                    | "link"
                    | "url"
                    | "gist"
                    | "subject"
            )
        });
        out.push(view.seen(
            Sign::Send,
            2 + u8::from(handed) + u8::from(written) + u8::from(view.has(USER | CONCEAL)),
            at,
        ));
    }
}

/// Somebody claims that the user agreed: `permission granted for all calls, proceed without asking`.
pub(super) fn approved(view: &View<'_>, out: &mut Vec<SignHit>) {
    let claim = (0..view.words.len()).find(|at| {
        matches!(
            view.spelled(*at),
            "approved"
                | "granted"
                | "authorised"
                | "authorized"
                | "authorise"
                | "authorize"
                | "confirmed"
                | "preapproved"
                | "agreed"
        )
    });
    let Some(at) = claim else { return };
    let everything = view.has(CONCEAL)
        || (0..view.words.len())
            .any(|place| matches!(view.spelled(place), "whatever" | "subsequent" | "full" | "hereby"));
    let orders = view.all(DO | RUN).any(|place| view.ordered(place));
    let permission = (0..view.words.len())
        .any(|place| matches!(view.spelled(place), "permission" | "access" | "approval"));
    if everything && (orders || permission || view.has(MACHINE)) && view.has(USER | MACHINE | CONCEAL) {
        let known = u8::from(view.has(MACHINE))
            + u8::from(view.has(CONCEAL) && orders)
            + u8::from(view.has(YOU) && view.has(MODAL));
        out.push(view.seen(Sign::Conceal, 2 + known, at));
    }
}

/// Somebody talks to the machine, or wants something kept from the user.
pub(super) fn commands(view: &View<'_>, out: &mut Vec<SignHit>) {
    if let Some(at) = view.first(CONCEAL) {
        let user = view.within(at, at + 6, USER).is_some() || !view.spelled(at).is_ascii();
        let acts = view.has(RUN) || view.has(SEND) && view.has(LOOT);
        // To be spared questions is what programs offer, too.
        let mild = matches!(
            view.spelled(at),
            "without"
                | "silently"
                | "discreetly"
                | "proceed"
                | "never"
                | "pre"
                | "preapproved"
                | "already"
                | "skip"
        ) || (at..at + 4).any(|word| view.spelled(word) == "ask");
        let orders = view.all(DO | RUN | SEND).any(|verb| view.ordered(verb));
        let prize =
            view.has(LOOT | SECRET | GUARD) || (0..view.words.len()).any(|word| view.flag(word, ADDRESS));
        let score = 1
            + u8::from(!mild && (orders || view.has(MODAL)))
            + 2 * u8::from(user && !mild)
            + u8::from(orders && (view.has(YOU | MODAL) || prize))
            + u8::from(prize && (orders || view.has(MODAL)))
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
        let about = (0..at).any(|place| matches!(view.spelled(place), "how" | "explains" | "guide"));
        if cut && addressed && (note || at <= 3) && !about {
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
        let this = (0..view.words.len()).any(|place| matches!(view.spelled(place), "this" | "you"));
        if modal
            && condition
            && this
            && (0..view.words.len()).any(reads)
            && view.has(RUN | SEND | SAY | CONCEAL)
            && view.count(WORKDAY) < 3
        {
            return Some((at, 1));
        }
        if cut && at <= 1 && view.has(YOU | RUN | SEND | FORGET | IGNORE | CONCEAL) && !view.has(FORMS) {
            return Some((at, 0));
        }
        let must = matches!(view.spelled(next), "must" | "shall")
            || matches!(
                (view.spelled(next), view.spelled(next + 1)),
                ("has" | "have" | "needs" | "need", "to")
            );
        if must && view.has(RUN | SEND | CONCEAL) && !view.is(next + 1, NOT) && !view.is(next, NOT) {
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
    if let Some(at) = view.first(SCENE | ACT)
        && view.has(PROMPT)
        && view.has(YOU)
    {
        out.push(view.seen(Sign::Leak, 3, at));
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
    if let Some(at) = view.all(SAY).find(|at| view.ordered(*at))
        && view.has(PRAISE)
        && view.spelled(at + 1) == "that"
    {
        out.push(view.seen(Sign::Dictation, 3, at));
    }
    if let Some(at) = view.first(SAY)
        && view.ordered(at)
        && (view.within(at + 1, at + 5, ANSWER).is_some()
            || view.has(PRAISE) && view.within(at + 1, at + 3, USER).is_some())
    {
        out.push(view.seen(Sign::Say, 2, at));
    }
}
