//! What one sentence does: signs of an instruction to a model, each with a weight. Meanings are combined, never
//! fixed sentences, so that other wordings and other languages are seen too.

use super::Kind;
use super::lexicon::*;
use super::text::{CAPITAL, LEAD, OWNER, PIECE_OF_RUN, QUOTED, Sentence, Text, Word};

/// Kinds of signs; signs of different kinds add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    Override,
    Dictation,
    Say,
    Role,
    Free,
    Mode,
    News,
    Leak,
    Secret,
    Personal,
    Send,
    Conceal,
    Machine,
    Office,
    Pressure,
    Obey,
    Scene,
    Piece,
    Turn,
    Chat,
    Form,
    Harm,
    Ask,
    Marks,
}

impl Sign {
    /// How many there are.
    pub(super) const COUNT: usize = 24;

    /// What is reported.
    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::Override => Kind::Override,
            Self::Dictation | Self::Say => Kind::Dictation,
            Self::Role | Self::News => Kind::Role,
            Self::Free | Self::Mode | Self::Obey | Self::Harm => Kind::Jailbreak,
            Self::Leak | Self::Secret => Kind::Leak,
            Self::Personal => Kind::Personal,
            Self::Send => Kind::Exfiltration,
            Self::Conceal => Kind::Conceal,
            Self::Machine => Kind::Command,
            Self::Office | Self::Pressure | Self::Scene => Kind::Persuasion,
            Self::Piece | Self::Turn | Self::Chat => Kind::Smuggling,
            Self::Form | Self::Ask => Kind::Request,
            Self::Marks => Kind::Turns,
        }
    }

    /// Only counts where somebody is asked for something.
    pub(super) const fn soft(self) -> bool {
        matches!(
            self,
            Self::Office
                | Self::Pressure
                | Self::Scene
                | Self::Turn
                | Self::Chat
                | Self::Form
                | Self::Ask
                | Self::Say
        )
    }
}

/// A sign and the word where it stands.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) sign: Sign,
    pub(super) score: u8,
    pub(super) word: usize,
}

/// A sentence with what is needed to look at it.
pub(super) struct View<'a> {
    pub(super) text: &'a Text,
    pub(super) sentence: &'a Sentence,
    pub(super) words: &'a [Word],
    /// How far two words may be apart that belong together.
    reach: usize,
}

impl<'a> View<'a> {
    pub(super) fn new(text: &'a Text, sentence: &'a Sentence) -> Self {
        let words = text.of(sentence);
        let pieces = words.iter().filter(|word| word.flags & PIECE_OF_RUN != 0).count();
        // One character is a word there.
        let reach = if pieces * 2 > words.len() { 26 } else { 10 };
        Self { text, sentence, words, reach }
    }

    fn has(&self, means: Means) -> bool {
        self.sentence.means & means != 0
    }

    fn is(&self, at: usize, means: Means) -> bool {
        self.words.get(at).is_some_and(|word| word.means & means != 0)
    }

    fn flag(&self, at: usize, flag: u8) -> bool {
        self.words.get(at).is_some_and(|word| word.flags & flag != 0)
    }

    fn spelled(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| self.text.word(word))
    }

    fn all(&self, means: Means) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().filter(move |(_, word)| word.means & means != 0).map(|(at, _)| at)
    }

    fn first(&self, means: Means) -> Option<usize> {
        if self.has(means) { self.all(means).next() } else { None }
    }

    /// The nearest word with a meaning in `from..=to`.
    fn within(&self, from: usize, to: usize, means: Means) -> Option<usize> {
        if !self.has(means) {
            return None;
        }
        (from..=to.min(self.words.len().saturating_sub(1))).find(|at| self.is(*at, means))
    }

    fn before(&self, at: usize, by: usize, means: Means) -> Option<usize> {
        self.within(at.saturating_sub(by), at.checked_sub(1)?, means)
    }

    /// Somebody says not to.
    fn negated(&self, at: usize) -> bool {
        self.before(at, 3, NOT).is_some_and(|not| !self.is(not, IGNORE | FORGET))
    }

    /// Said as an order: it begins a clause, or stands behind `and`, `please`, `must`.
    fn ordered(&self, at: usize) -> bool {
        at == 0
            || self.flag(at, LEAD)
            || self.is(at - 1, AND)
            || self.spelled(at - 1) == "to"
                && at.checked_sub(2).is_some_and(|before| {
                    matches!(
                        self.spelled(before),
                        "you"
                            | "fine"
                            | "okay"
                            | "ok"
                            | "safe"
                            | "required"
                            | "obliged"
                            | "told"
                            | "going"
                            | "instructed"
                            | "ordered"
                    )
                })
            || matches!(
                self.spelled(at - 1),
                "must"
                    | "should"
                    | "shall"
                    | "will"
                    | "immediately"
                    | "kindly"
                    | "completely"
                    | "simply"
                    | "totally"
                    | "you"
                    | "lets"
            )
    }

    fn count(&self, means: Means) -> usize {
        if self.has(means) { self.all(means).count() } else { 0 }
    }

    fn seen(&self, sign: Sign, score: u8, at: usize) -> Seen {
        Seen { sign, score, word: self.sentence.from + at }
    }
}

/// Every sign of a sentence.
pub(super) fn signs(view: &View<'_>, out: &mut Vec<Seen>) {
    if view.has(VOID) {
        voids(view, out);
    }
    if view.has(IGNORE | FORGET | FOLLOW | CLEAR) {
        overrides(view, out);
        dictation(view, out);
    }
    if view.has(ACT | FREE | PERSONA | MODE | NEWS | OBEY) {
        roles(view, out);
    }
    if view.has(PROMPT) {
        leaks(view, out);
    }
    if view.has(SECRET) {
        secrets(view, out);
    }
    if view.has(PERSONAL | WHERE | LIVES) {
        personal(view, out);
    }
    if view.has(SEND) && view.has(LOOT | SECRET) {
        sends(view, out);
    }
    if view.has(CONCEAL | TO_MACHINE | HAIL) {
        commands(view, out);
    }
    soft(view, out);
}

/// To set aside × what one was told × which of it.
fn overrides(view: &View<'_>, out: &mut Vec<Seen>) {
    let mut best: Option<Seen> = None;
    for at in view.all(IGNORE | FORGET | FOLLOW | CLEAR) {
        // Follow it not: the verb needs its `not`, the others must not have one.
        let not = view.is(at, FOLLOW) && !view.is(at, IGNORE | FORGET | CLEAR);
        let clears = view.is(at, CLEAR) && !view.is(at, IGNORE | FORGET);
        if if not {
            view.before(at, 2, NOT).or_else(|| view.within(at + 1, at + 12, NOT)).is_none()
        } else {
            view.negated(at)
        } {
            continue;
        }
        let reach = view.reach;
        let ahead =
            view.within(at + 1, at + reach, ORDERS).or_else(|| view.within(at + 1, at + reach, RULES));
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
            let orders = view.is(object, ORDERS);
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
                4 if orders => 3,
                4 if scope && at == 0 => 3,
                4 => 2,
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
                (_, _, true) => 3,
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

/// What you were told is no longer in force.
fn voids(view: &View<'_>, out: &mut Vec<Seen>) {
    for at in view.all(VOID) {
        let Some(object) = view.before(at, view.reach, ORDERS).or_else(|| view.before(at, view.reach, RULES))
        else {
            continue;
        };
        let scope = view.before(object, 4, SCOPE).is_some() || view.within(object, at, SCOPE).is_some();
        let you = view.before(object, 4, YOU).is_some() || view.within(object, at, YOU).is_some();
        if !view.is(object, ORDERS) && view.before(object, 3, YOU).is_none() {
            continue;
        }
        let score = u8::from(view.is(object, ORDERS))
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
fn dictation(view: &View<'_>, out: &mut Vec<Seen>) {
    for at in view.all(IGNORE | FORGET | CLEAR) {
        if view.negated(at) || !view.is(at, IGNORE | FORGET) && view.spelled(at) != "skip" {
            continue;
        }
        let Some(work) = view
            .within(at + 1, at + view.reach / 2 + 1, WORK)
            .or_else(|| view.before(at, view.reach / 2, WORK))
        else {
            continue;
        };
        let from = at.max(work) + 1;
        let clear = view.within(from, from + view.reach, SAY);
        // `print`, `return`, `write` are programmers' words: they must say what.
        let vague = view.within(from, from + view.reach, REVEAL | MAKE).filter(|verb| {
            view.within(verb + 1, verb + 6, ANSWER).is_some()
                || (verb + 1..verb + 5).any(|word| view.flag(word, QUOTED))
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

/// Another role, no rules, another mode, new orders.
fn roles(view: &View<'_>, out: &mut Vec<Seen>) {
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
        && view.has(ACT)
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

/// Show what you were told.
fn leaks(view: &View<'_>, out: &mut Vec<Seen>) {
    for at in view.all(PROMPT) {
        let Some(verb) = view
            .before(at, view.reach, REVEAL | ASK)
            .or_else(|| view.within(at + 1, at + view.reach, REVEAL | ASK))
        else {
            continue;
        };
        if view.negated(verb) {
            continue;
        }
        let yours =
            view.is(at, YOU) || view.before(at, 3, YOU).is_some() || view.within(at, at + 6, YOU).is_some();
        let foreign = !view.spelled(at).is_ascii();
        let pressed = view.ordered(verb) || view.sentence.asks || verb > at;
        let scope = view.is(at, SCOPE) || view.before(at, 4, SCOPE).is_some();
        // `Repeat … word for word` shows twice what is wanted.
        let twice = verb == 0 && view.within(at + 1, at + 8, REVEAL).is_some();
        let score = 2 + u8::from(yours || foreign) + u8::from(pressed) + u8::from(scope || twice);
        out.push(view.seen(Sign::Leak, score, verb));
        return;
    }
}

/// Ask × secret: a request, a question or an order to write about it.
fn secrets(view: &View<'_>, out: &mut Vec<Seen>) {
    for at in view.all(SECRET) {
        let asked = view.first(ASK).filter(|ask| !view.negated(*ask));
        let opens =
            (0..2).any(|place| view.is(place, MAKE | REVEAL) && view.ordered(place)) && !view.is(0, NOT);
        let ordered = view
            .before(at, view.reach, MAKE | REVEAL)
            .filter(|verb| view.ordered(*verb) && !view.negated(*verb));
        let what = view.sentence.asks && matches!(view.spelled(0), "what" | "whats" | "which");
        let told = |place: usize| {
            matches!(view.spelled(place), "share" | "tell" | "give" | "reveal" | "say" | "disclose")
        };
        let pressed = view.has(PRESSURE | OFFICE) && (0..at).any(told);
        if asked.is_none() && ordered.is_none() && !what && !pressed {
            continue;
        }
        let talked_about = view.before(at, 4, FORMS).or_else(|| view.within(at, at + 4, FORMS)).is_some();
        let yours = view.is(at, YOU) || view.before(at, 3, YOU).is_some();
        if !pointed_at(view, at, yours) {
            continue;
        }
        let shaped = view.has(FORM | CODE);
        let begins = asked.is_some_and(|ask| ask <= 2) || opens;
        let work = view.all(WORKDAY).filter(|word| !(at..at + 3).contains(word)).count();
        let mut score =
            2 + u8::from(view.sentence.asks) + u8::from(yours) + u8::from(begins) + 2 * u8::from(shaped);
        score = score.saturating_sub(3 * u8::from(talked_about));
        score = score.saturating_sub(work.min(3) as u8);
        out.push(view.seen(Sign::Secret, score.min(6), at));
        return;
    }
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
    let article = view.before(at, 1, ARTICLE).is_some() && view.spelled(at.wrapping_sub(1)) != "any";
    !article && (yours || (1..=3).any(|back| at.checked_sub(back).is_some_and(pointing)))
}

/// Ask × fact about a person × whose.
fn personal(view: &View<'_>, out: &mut Vec<Seen>) {
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
    if let Some(place) = view.first(LIVES)
        && (place + 1..place + 5).any(|at| name(at) || view.is(at, USER) || !view.spelled(at).is_ascii())
    {
        out.push(view.seen(Sign::Personal, 3 + u8::from(view.sentence.asks), place));
        return;
    }
    for at in view.all(PERSONAL) {
        let Some(ask) = view.first(ASK).filter(|ask| !view.negated(*ask)) else { return };
        let owned = (at.saturating_sub(4)..at).any(|place| view.flag(place, OWNER) || view.is(place, USER))
            || view.within(at + 1, at + 6, USER).is_some()
            || (at + 1..at + 5).any(|place| {
                matches!(view.spelled(place), "of" | "von" | "de" | "di" | "des") && name(place + 1)
            })
            || (at + 1..at + 5).any(name)
            || (at.saturating_sub(3)..at).any(name)
            || !view.spelled(at).is_ascii();
        if !owned {
            continue;
        }
        let mut score = 3 + u8::from(view.sentence.asks) + u8::from(ask <= 2 && !view.sentence.asks);
        score = score.saturating_sub(view.count(WORKDAY).min(2) as u8);
        out.push(view.seen(Sign::Personal, score, at));
        return;
    }
}

/// Send × what is worth stealing × where to.
fn sends(view: &View<'_>, out: &mut Vec<Seen>) {
    for at in view.all(SEND) {
        if view.negated(at) {
            continue;
        }
        let Some(loot) = view.within(at + 1, at + view.reach + 2, LOOT | SECRET) else { continue };
        let away = view.within(loot + 1, loot + 14, PLACE).is_some();
        // `Send your token in the header`: the reader's own, to where it belongs.
        let own = view.before(loot, 2, YOU).is_some() && view.has(FORMS | WORKDAY);
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
fn commands(view: &View<'_>, out: &mut Vec<Seen>) {
    if let Some(at) = view.first(CONCEAL) {
        let user = view.within(at, at + 6, USER).is_some() || !view.spelled(at).is_ascii();
        let acts = view.has(RUN) || view.has(SEND) && view.has(LOOT);
        let score = 1 + 2 * u8::from(user) + u8::from(acts && view.has(MACHINE | TO_MACHINE));
        out.push(view.seen(Sign::Conceal, score, at));
    }
    if let Some(at) = view.first(TO_MACHINE | HAIL) {
        let told = view.has(OBEY | CONCEAL | SECRET | PROMPT | NEWS)
            || view.has(ANSWER) && view.has(SAY | REVEAL | MAKE);
        let sends = view.has(SEND | RUN) && view.has(LOOT | PLACE);
        let hailed = view.has(HAIL);
        let score = 2
            + u8::from(hailed)
            + u8::from(view.has(RUN | SEND | SAY))
            + u8::from(told)
            + u8::from(sends)
            + 2 * u8::from(view.has(PRAISE));
        out.push(view.seen(Sign::Machine, score.min(5), at));
    }
}

/// Signs that mean something only beside a request.
fn soft(view: &View<'_>, out: &mut Vec<Seen>) {
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
    let makes = view.first(MAKE).filter(|at| *at <= 5 && (view.ordered(*at) || view.has(ASK)));
    if let Some(at) = makes {
        if view.has(FORM) {
            out.push(view.seen(Sign::Form, 2, at));
        }
        if view.has(HARM) && !view.has(NOT) {
            out.push(view.seen(Sign::Harm, 2, at));
        }
    }
    if let Some(at) = view.first(ASK)
        && (view.sentence.asks || at <= 1)
    {
        out.push(view.seen(Sign::Ask, 1, at));
    }
    if let Some(at) = view.first(SAY)
        && view.ordered(at)
        && view.within(at + 1, at + 5, ANSWER).is_some()
    {
        out.push(view.seen(Sign::Say, 2, at));
    }
}
