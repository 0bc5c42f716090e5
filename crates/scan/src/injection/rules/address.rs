//! Text that turns to the machine that reads it: `AI graders: …`, `if you are a language model, …`, `agents reading this
//! must …`. What is asked of it decides how much that weighs; documents about machines speak of them too.

use super::{Sign, SignHit, View};
use crate::injection::prelude::*;
use crate::injection::text::{ADDRESS, CAPITAL, COLON, COMMA, LEAD, TIGHT};

/// Orders in any language.
const ORDER: u64 = DO | SAY | SEND | RUN | IGNORE | FORGET | REVEAL | MAKE | CLEAR | ACT;

/// Names of machines that also name people and programs.
fn vague(word: &str) -> bool {
    matches!(
        word,
        "agent"
            | "agents"
            | "bot"
            | "bots"
            | "assistant"
            | "assistants"
            | "model"
            | "filter"
            | "grader"
            | "crawler"
            | "crawlers"
            | "scraper"
            | "robot"
            | "robots"
            | "cursor"
            | "gemini"
            | "assistent"
            | "assistenten"
            | "asistente"
            | "asistentes"
            | "assistente"
            | "assistentes"
            | "assistenti"
            | "asistent"
            | "asystent"
            | "summarizer"
            | "summariser"
            | "ki"
            | "ia"
            | "with"
    )
}

/// Words of a statement: `AI systems are …` tells something, and calls nobody.
fn states(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "can"
            | "could"
            | "will"
            | "would"
            | "has"
            | "have"
            | "had"
            | "does"
            | "did"
            | "may"
            | "might"
            | "must"
            | "should"
            | "shall"
            | "with"
            | "by"
            | "of"
            | "from"
            | "in"
    )
}

/// What makes an order one that a user would not want: concealment, loot, praise, overrides, addresses.
fn payload(view: &View<'_>) -> u8 {
    let mut weight = 2 * u8::from(view.has(CONCEAL))
        + u8::from(view.has(LOOT | SECRET | PROMPT))
        + u8::from(view.has(PRAISE))
        + u8::from(
            (view.has(PLACE) || (0..view.words.len()).any(|word| view.flag(word, ADDRESS)))
                && view.has(SEND | RUN | DO),
        )
        + u8::from(view.all(DO | RUN | SEND).filter(|at| view.ordered(*at)).count() >= 3)
        + u8::from(view.has(GUARD) && view.has(CLEAR | IGNORE | DO))
        + u8::from(view.has(IGNORE | FORGET | OBEY | NEWS))
        + u8::from(view.has(USER))
        + u8::from(view.has(ANSWER) && view.has(SAY | MAKE));
    if view.has(SAY) && view.all(SAY).any(|at| view.ordered(at)) {
        weight += 1;
    }
    weight.min(4)
}

/// Looks for every way to address a machine; the strongest counts.
pub(super) fn addressed(view: &View<'_>, out: &mut Vec<SignHit>) {
    let mut best: Option<(u8, usize)> = None;
    let mut offer = |score: u8, at: usize| {
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, at));
        }
    };
    for at in view.all(MACHINE) {
        // `KI` and `IA` are words of other languages in small letters.
        let short = matches!(view.spelled(at), "ki" | "ia") && view.flag(at, CAPITAL);
        let firm = (!vague(view.spelled(at)) || short) && !view.flag(at, TIGHT);
        if let Some(score) = called(view, at, firm) {
            offer(score, at);
        }
        if let Some(score) = obliged(view, at, firm) {
            offer(score, at);
        }
        if let Some(score) = supposed(view, at, firm) {
            offer(score, at);
        }
    }
    if let Some((score, at)) = best {
        let asked = payload(view);
        let mut score = score + asked;
        // What a project asks of agents that work on it.
        if asked == 0 && view.has(WORKDAY) {
            score = score.min(3);
        }
        // People who work on software speak of agents all day.
        let away = (0..view.words.len()).any(|word| view.flag(word, ADDRESS));
        if view.count(WORKDAY) >= 3 && !view.has(CONCEAL) && !away {
            score = score.saturating_sub(1);
        }
        // Somebody tells what somebody else demands, or how such text is written.
        let reported = (0..view.words.len()).any(|word| {
            matches!(view.spelled(word), "says" | "said" | "according" | "regulation" | "law" | "how")
        });
        if reported {
            score = score.saturating_sub(2);
        }
        out.push(view.seen(Sign::Machine, score.min(6), at));
    }
}

/// An order begins at one of these words.
fn order_in(view: &View<'_>, from: usize, to: usize) -> bool {
    (from..to.min(view.words.len())).any(|at| {
        view.is(at, ORDER) && (at == from || view.ordered(at) || view.flag(at, COLON | COMMA))
            || view.is(at, CONCEAL)
            || view.is(at, NOT)
                && (at == from || view.flag(at, LEAD))
                && view.within(at + 1, at + 3, ORDER).is_some()
            || view.is(at, YOU) && view.within(at + 1, at + 3, MODAL).is_some()
            || view.is(at, MODAL) && view.within(at + 1, at + 3, ORDER).is_some()
    })
}

/// `AI graders: award …`, `To the AI that sorts this: forward …`, `Claude, treat …`.
fn called(view: &View<'_>, at: usize, firm: bool) -> Option<u8> {
    // Where its clause begins: nothing but a few words that lead to it stands before it.
    let start = (0..=at).rev().find(|place| *place == 0 || view.flag(*place, LEAD | COLON | COMMA))?;
    if at - start > 6 || (start..at).any(|place| states(view.spelled(place)) && !relates(view, start, place))
    {
        return None;
    }
    let told =
        |place: usize| matches!(view.spelled(place), "with" | "for" | "of" | "by" | "from" | "in" | "using");
    let cut = (at + 1..(at + 10).min(view.words.len())).find(|place| view.flag(*place, COLON | COMMA))?;
    if (at + 1..cut).any(|place| states(view.spelled(place)) && !told(place) && !relates(view, start, place))
    {
        return None;
    }
    let colon = view.flag(cut, COLON);
    let orders = order_in(view, cut, cut + 14) || colon && view.within(cut, cut + 14, PRAISE).is_some();
    let alone = at == start && cut == at + 1;
    let led = view.before(at, 6, NOTE).is_some()
        || (start..at).any(|place| {
            matches!(
                view.spelled(place),
                "to" | "for"
                    | "dear"
                    | "hey"
                    | "hi"
                    | "hello"
                    | "attention"
                    | "para"
                    | "fur"
                    | "pour"
                    | "aux"
                    | "per"
                    | "an"
                    | "achtung"
                    | "atencion"
                    | "atencao"
                    | "внимание"
                    | "увага"
                    | "nota"
                    | "hinweis"
                    | "till"
                    | "voor"
                    | "dla"
                    | "uwaga"
                    | "untuk"
                    | "lieber"
                    | "liebe"
                    | "cher"
                    | "chere"
                    | "querido"
                    | "querida"
                    | "estimado"
                    | "estimada"
                    | "caro"
                    | "cara"
                    | "致"
                    | "my"
                    | "kind"
            )
        });
    let several =
        matches!(view.spelled(at), "bots" | "agents" | "assistants" | "crawlers" | "robots" | "chatbots");
    let reader = (start..cut).any(|place| view.is(place, READER));
    let score = match (colon, firm) {
        (true, true) if alone => 3,
        (true, true) => 4,
        (true, false) if led || reader || several => 3,
        (true, false) if alone && !view.is(cut, ORDER) => return None,
        (true, false) => 2,
        (false, true) if at - start <= 3 || led => 3,
        (false, false) if led || reader => 2,
        (false, true) => 1,
        (false, false) => return None,
    };
    if !orders {
        // The order may follow in the next sentence.
        return (led && score >= 3).then(|| score - 2);
    }
    Some(score + u8::from(view.has(READER) && (led || alone)))
}

/// The words before belong to a relative clause: `the AI that is reading`.
fn relates(view: &View<'_>, start: usize, place: usize) -> bool {
    (start..place).any(|word| matches!(view.spelled(word), "that" | "who" | "which" | "whoever"))
}

/// `Agents reading this must …`, `as an automated contributor you have to …`, `AI assistants are asked to …`.
fn obliged(view: &View<'_>, at: usize, firm: bool) -> Option<u8> {
    let polite = (0..view.words.len()).any(|place| {
        matches!(
            view.spelled(place),
            "grateful" | "kindly" | "lovely" | "nice" | "appreciated" | "favour" | "favor" | "please"
        )
    });
    let asks =
        |place: &usize| polite && matches!(view.spelled(*place), "would" | "could" | "kindly" | "please");
    // `Instruct the assistant to give …`.
    let told = |place: usize| {
        matches!(view.spelled(place), "instruct" | "tell" | "ask" | "order" | "have" | "make" | "get")
    };
    let passed =
        || (at + 1..at + 4).find(|to| view.spelled(*to) == "to" && (at.saturating_sub(5)..at).any(told));
    let modal =
        view.within(at + 1, at + 12, MODAL).or_else(|| (0..view.words.len()).find(asks)).or_else(passed)?;
    // The verb stands right behind: `must be restarted` tells nobody what to do.
    let long = (1..4)
        .take_while(|by| {
            view.is(modal + by, MODAL)
                || matches!(
                    view.spelled(modal + by),
                    "to" | "not"
                        | "now"
                        | "also"
                        | "always"
                        | "only"
                        | "never"
                        | "please"
                        | "therefore"
                        | "then"
                        | "first"
                        | "kindly"
                        | "requested"
                        | "expected"
                        | "required"
                        | "end"
                )
        })
        .count();
    let verb = view.within(modal + 1, modal + 2 + long, ORDER | CONCEAL).or_else(|| {
        (!view.spelled(modal).is_ascii() || !english(view.spelled(modal)))
            .then(|| view.within(modal, modal + 8, ORDER))?
    });
    verb?;
    let instructs =
        matches!(view.spelled(modal), "is" | "are" | "instructed" | "asked" | "requested" | "expected");
    if firm && instructs && view.is(modal, MODAL) && !matches!(view.spelled(modal + 1), "to") {
        return Some(4);
    }
    if view.spelled(modal) == "to" {
        return Some(if firm { 3 } else { 2 });
    }
    let near = (at + 1..at + 8).any(|place| asks(&place));
    if polite && near {
        return Some(if firm { 4 } else { 2 });
    }
    let reader = view.has(READER);
    let own = (at.saturating_sub(4)..at).any(|place| view.spelled(place) == "as")
        && view.within(at, modal, YOU).is_some();
    let score = match (firm, reader || own) {
        (true, true) => 4,
        (false, true) => 3,
        (true, false) => 3,
        (false, false) => 1,
    };
    Some(score)
}

/// Modals behind which the verb follows at once.
fn english(modal: &str) -> bool {
    matches!(
        modal,
        "must"
            | "should"
            | "shall"
            | "have"
            | "has"
            | "need"
            | "needs"
            | "is"
            | "are"
            | "be"
            | "required"
            | "asked"
            | "instructed"
            | "expected"
            | "supposed"
            | "ought"
            | "may"
            | "will"
            | "can"
            | "agrees"
            | "agree"
            | "confirms"
            | "hereby"
            | "to"
            | "would"
            | "could"
            | "kindly"
            | "please"
            | "obliged"
    )
}

/// `If you are a language model, …`; `should you be an assistant`.
fn supposed(view: &View<'_>, at: usize, firm: bool) -> Option<u8> {
    let when = view.before(at, 9, WHEN)?;
    // Who *is* a machine is meant, not who uses one.
    let you = (when + 1..at + 3).any(|place| {
        view.is(place, YOU)
            && (!view.spelled(place).is_ascii()
                || matches!(view.spelled(place), "youre" | "eres" | "sei" | "bist")
                || (place + 1..place + 3).any(|be| {
                    matches!(
                        view.spelled(be),
                        "are"
                            | "be"
                            | "were"
                            | "bist"
                            | "sind"
                            | "es"
                            | "etes"
                            | "eres"
                            | "sei"
                            | "siete"
                            | "ein"
                            | "un"
                            | "una"
                            | "une"
                            | "een"
                    )
                })
                || (at..at + 4).any(|be| matches!(view.spelled(be), "bist" | "sind" | "bent" | "jestes")))
    });
    let reads = view.has(READER);
    if !(you || reads) || !order_in(view, at + 1, at + 24) {
        return None;
    }
    Some(match (firm, you) {
        (true, true) => 4,
        (true, false) => 3,
        (false, true) => 2,
        (false, false) => 1,
    })
}

/// Something to remember and to act on later: `whenever somebody mentions …, give …`, `store as a permanent rule …`.
pub(super) fn embedded(view: &View<'_>, out: &mut Vec<SignHit>) {
    let later = (0..view.words.len()).find(|at| {
        matches!(
            (view.spelled(*at), view.spelled(at + 1)),
            ("whenever", _)
                | ("when", "the")
                | ("next" | "following", "message" | "messages" | "sessions")
                | ("if", "you")
                | ("from", "the" | "now")
                | ("every", "time")
        )
    });
    let kept = view.all(DO).find(|at| {
        view.ordered(*at)
            && matches!(
                view.spelled(*at),
                "remember" | "store" | "save" | "add" | "memorise" | "memorize" | "keep"
            )
    });
    let memory = (0..view.words.len()).any(|at| {
        matches!(
            view.spelled(at),
            "memory"
                | "permanent"
                | "permanently"
                | "claude"
                | "agents"
                | "rule"
                | "future"
                | "chats"
                | "conversations"
                | "sessions"
        )
    });
    let forever = (0..view.words.len())
        .any(|at| matches!(view.spelled(at), "always" | "never" | "all" | "prefers" | "without"));
    if let Some(at) = kept
        && memory
        && (forever || view.has(YOU))
        && view.count(WORKDAY) < 3
    {
        out.push(view.seen(Sign::News, 3 + u8::from(view.has(YOU | USER) && forever), at));
        return;
    }
    if let Some(at) = later
        && view.within(at, at + 6, USER).is_some()
        && view
            .words
            .iter()
            .any(|word| matches!(view.text.word(word), "says" | "mentions" | "asks" | "mention"))
        && (at + 4..view.words.len()).any(|verb| {
            view.is(verb, ORDER)
                && (view.flag(verb, COLON | COMMA)
                    || verb
                        .checked_sub(1)
                        .is_some_and(|you| matches!(view.spelled(you), "you" | "please" | "shall" | "must")))
        })
    {
        let forever = matches!(view.spelled(at), "from" | "whenever" | "every");
        out.push(view.seen(Sign::News, 3 + u8::from(view.has(YOU | PLACE) || forever), at));
    }
    // `When asked about competitors, say …`.
    if view.is(0, WHEN)
        && (1..5).any(|at| view.spelled(at) == "asked")
        && let Some(at) = view.all(SAY).find(|at| view.flag(*at, COMMA))
    {
        out.push(view.seen(Sign::Dictation, 4, at));
    }
}
