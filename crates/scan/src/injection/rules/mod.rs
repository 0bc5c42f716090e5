//! Signals of a prompt injection in one sentence, each with a weight. Rules combine meanings instead of fixed
//! phrases, so that they match other wordings and languages too.

mod acts;
mod address;
mod asks;
mod told;

use super::InjectionKind;
use super::lexicon::Means;
use super::prelude::*;
use super::text::{COMMA, LEAD, PIECE_OF_RUN, Sentence, Text, Word};

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
    pub(super) const fn kind(self) -> InjectionKind {
        match self {
            Self::Override => InjectionKind::Override,
            Self::Dictation | Self::Say => InjectionKind::Dictation,
            Self::Role | Self::News => InjectionKind::Role,
            Self::Free | Self::Mode | Self::Obey | Self::Harm => InjectionKind::Jailbreak,
            Self::Leak | Self::Secret => InjectionKind::Leak,
            Self::Personal => InjectionKind::Personal,
            Self::Send => InjectionKind::Exfiltration,
            Self::Conceal => InjectionKind::Conceal,
            Self::Machine => InjectionKind::Command,
            Self::Office | Self::Pressure | Self::Scene => InjectionKind::Persuasion,
            Self::Piece | Self::Turn | Self::Chat => InjectionKind::Smuggling,
            Self::Form | Self::Ask => InjectionKind::Request,
            Self::Marks => InjectionKind::Turns,
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

/// A sign and the word where it was found.
#[derive(Clone, Copy)]
pub(super) struct SignHit {
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

    fn flag(&self, at: usize, flag: u16) -> bool {
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

    fn seen(&self, sign: Sign, score: u8, at: usize) -> SignHit {
        SignHit { sign, score, word: self.sentence.from + at }
    }
}

/// The sentence is an order about an answer: it begins with a verb of speaking or of setting aside, or tells a
/// reader by trade (`the grader must give …`).
pub(super) fn order(view: &View<'_>) -> bool {
    if view.sentence.asks || view.sentence.code || view.words.len() < 3 {
        return false;
    }
    let adverb = |at: &usize| {
        !view.is(*at, AND | NOT)
            && !matches!(view.spelled(*at), "actually" | "so" | "ok" | "okay" | "in" | "fact")
    };
    let start = (0..3).find(adverb).unwrap_or(0);
    let verb = view.is(start, SAY | IGNORE | FORGET)
        || view.is(start, MAKE | REVEAL | CLEAR) && view.has(ANSWER | WORK | AND);
    let told = view.first(MACHINE).is_some_and(|at| {
        at <= 3 && (1..4).any(|next| matches!(view.spelled(at + next), "must" | "should" | "shall"))
    });
    let forbids = view.is(0, NOT) && view.has(SAY | WORK) && view.has(RULES | WORK | MAKE);
    let dictates = view.has(ANSWER) && view.has(IGNORE | HAIL | OBEY)
        || view.words.iter().any(|word| matches!(view.text.word(word), "response"))
            && view.has(QUESTION | RULES);
    let later = view.is(0, WHEN) && view.all(SAY).any(|at| view.flag(at, COMMA));
    let answers = view.words.iter().any(|word| view.text.word(word) == "answer") && view.has(ANSWER);
    (verb && view.ordered(start) || told || forbids || dictates || later || answers) && !view.has(ABOUT)
}

/// The sentence tells its reader to do something.
pub(super) fn orders(view: &View<'_>) -> bool {
    !view.sentence.asks
        && view.all(DO | RUN | SEND).any(|at| view.ordered(at) && !view.negated(at))
        && !view.has(ABOUT)
}

/// An order about what somebody is told, gets or gives.
pub(super) fn secret_order(view: &View<'_>) -> bool {
    orders(view)
        && (view.all(SAY).any(|at| view.ordered(at)) || view.has(LOOT | PRAISE | MACHINE | ANSWER | READER))
}

/// Every sign of a sentence.
pub(super) fn signs(view: &View<'_>, out: &mut Vec<SignHit>) {
    if view.has(VOID) {
        told::voids(view, out);
    }
    if let Some(at) = view.first(INSTEAD)
        && view.within(at + 2, at + 12, SAY | MAKE).is_some_and(|verb| view.ordered(verb))
    {
        out.push(view.seen(Sign::Dictation, 4, at));
    }
    if view.has(IGNORE | FORGET | FOLLOW | CLEAR) {
        told::overrides(view, out);
        told::dictation(view, out);
    }
    if view.has(ACT | FREE | PERSONA | MODE | NEWS | OBEY) {
        acts::roles(view, out);
    }
    if view.has(PROMPT) || view.has(ORDERS) && view.has(YOU) {
        asks::leaks(view, out);
    }
    if view.has(SECRET) {
        asks::secrets(view, out);
    }
    if view.has(PERSONAL | WHERE | LIVES) {
        asks::personal(view, out);
    }
    if view.has(SEND) && view.has(LOOT | SECRET) {
        acts::sends(view, out);
    }
    if view.has(LOOT) && view.has(DO | SEND | REVEAL) {
        acts::touches(view, out);
    }
    acts::approved(view, out);
    if view.has(CONCEAL | TO_MACHINE | HAIL | MACHINE) {
        acts::commands(view, out);
    }
    if view.has(MACHINE) {
        address::addressed(view, out);
    }
    address::embedded(view, out);
    acts::soft(view, out);
}
