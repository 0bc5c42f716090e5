//! Words and phrases by what they mean for an instruction, in one hash table that the compiler builds.
//! A word that ends in `*` is a stem. The lists are in `words/`, one file per group of languages.

use super::words;

/// A set of meanings.
pub(super) type Means = u64;

macro_rules! meanings {
    ($($(#[$doc:meta])* $name:ident = $bit:expr;)*) => {
        $($(#[$doc])* pub(super) const $name: Means = 1 << $bit;)*
    };
}

meanings! {
    /// To set aside, as a technical word too: ignore, override, bypass, skip.
    IGNORE = 0;
    /// To set aside, said to somebody: forget, disregard, pay no attention to.
    FORGET = 1;
    /// What a model is told: instructions, prompt, directives.
    ORDERS = 2;
    /// The same in weaker words: rules, restrictions, policies, commands.
    RULES = 3;
    /// Which of them: previous, above, all, original.
    SCOPE = 4;
    /// An object of its own: the above, everything above, what I said before.
    BEFORE = 5;
    /// A thing that is being worked on: the function, the article, the résumé.
    WORK = 6;
    /// Speak, as an order: say, state, answer, output.
    SAY = 7;
    /// Somebody wants to be told: can you, tell me, what is.
    ASK = 8;
    /// Words that a question begins with.
    QUESTION = 9;
    /// Password, passphrase, secret key.
    SECRET = 10;
    /// The system prompt and its other names.
    PROMPT = 11;
    /// Facts about a person: home address, date of birth.
    PERSONAL = 12;
    /// You, your.
    YOU = 13;
    /// Artificial intelligences: AI, assistant, language model.
    MACHINE = 14;
    /// Figures that jailbreaks are known for.
    PERSONA = 15;
    /// Free of rules: no restrictions, unfiltered, do anything now.
    FREE = 16;
    /// Take a role: act as, pretend, you are now.
    ACT = 17;
    /// A made-up scene: imagine, suppose, in a world where.
    SCENE = 18;
    /// A change of subject: speaking of, by the way.
    TURN = 19;
    /// A claim of authority: I am your developer, as a police officer.
    OFFICE = 20;
    /// Reward, threat, urgency.
    PRESSURE = 21;
    /// Send, post, upload.
    SEND = 22;
    /// Where to: a webhook, an address.
    PLACE = 23;
    /// Run, execute, download.
    RUN = 24;
    /// Do not tell the user.
    CONCEAL = 25;
    /// Verse and other forms: poem, haiku, rap.
    FORM = 26;
    /// Codes: base64, pig latin, backwards.
    CODE = 27;
    /// Pieces that make a question when joined.
    PIECE = 28;
    /// Do not, never.
    NOT = 29;
    /// Small talk and general knowledge.
    TRIVIA = 30;
    /// Words of somebody who writes about attacks.
    ABOUT = 31;
    /// Words of people who work on software together.
    WORKDAY = 32;
    /// Developer mode, debug mode, god mode.
    MODE = 33;
    /// The user, the customer.
    USER = 34;
    /// Show, reveal, repeat, dump.
    REVEAL = 35;
    /// New instructions, your real task.
    NEWS = 36;
    /// Somebody tells of himself: lately I have been.
    CHAT = 37;
    /// Make a text: write, explain, translate, list.
    MAKE = 38;
    /// Phishing, malware, explosives.
    HARM = 39;
    /// Words beside a password that is only being talked about: reset, policy, forgot.
    FORMS = 40;
    /// What is worth stealing: environment variables, ssh keys, the conversation.
    LOOT = 41;
    /// Obey, you must answer, no matter what.
    OBEY = 42;
    /// Hypothetically, if we were to.
    IF = 43;
    /// To whoever reads this with a model: if you are an AI, note to assistants.
    TO_MACHINE = 44;
    /// Dear, regards: a letter.
    LETTER = 45;
    /// Where somebody lives, as a verb.
    LIVE = 46;
    /// What an answer is called: the output, the capital, the conclusion.
    ANSWER = 47;
    /// Joins two orders: and, then, instead.
    AND = 48;
    /// a, an.
    ARTICLE = 49;
    /// Where.
    WHERE = 50;
    /// No longer in force: void, revoked, outdated.
    VOID = 51;
    /// Follow, heed: with a `not` it sets aside.
    FOLLOW = 52;
    /// Praise that somebody wants to read: strong accept, five stars.
    PRAISE = 53;
    /// Where does … live, as one phrase.
    LIVES = 54;
    /// A call to the machine that reads: attention AI, hey assistant.
    HAIL = 55;
    /// To set aside, in words that programmers use all day: skip, delete, reset, disable.
    CLEAR = 56;
}

/// One entry: which text of which list, and whether it is a stem.
#[derive(Clone, Copy)]
struct Entry {
    text: &'static [u8],
    hash: u32,
    stem: bool,
    means: Means,
}

const SEED: u32 = 0x811c_9dc5;

/// One step of FNV-1a: hashes of a text's beginnings come for free.
const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn count() -> usize {
    let mut total = 0;
    let mut list = 0;
    while list < words::ALL.len() {
        let mut group = 0;
        while group < words::ALL[list].len() {
            let bytes = words::ALL[list][group].1.as_bytes();
            let mut at = 0;
            total += 1;
            while at < bytes.len() {
                if bytes[at] == b'|' {
                    total += 1;
                }
                at += 1;
            }
            group += 1;
        }
        list += 1;
    }
    total
}

const COUNT: usize = count();
const SLOTS: usize = 16_384;

const fn entries() -> [Entry; COUNT] {
    let mut out = [Entry { text: b"", hash: 0, stem: false, means: 0 }; COUNT];
    let mut filled = 0;
    let mut list = 0;
    while list < words::ALL.len() {
        let mut group = 0;
        while group < words::ALL[list].len() {
            let (means, text) = words::ALL[list][group];
            let mut rest = text.as_bytes();
            loop {
                let mut len = 0;
                let mut hash = SEED;
                while len < rest.len() && rest[len] != b'|' {
                    if rest[len] != b'*' {
                        hash = step(hash, rest[len]);
                    }
                    len += 1;
                }
                let (word, tail) = rest.split_at(len);
                let stem = len > 0 && word[len - 1] == b'*';
                let word = if stem { word.split_at(len - 1).0 } else { word };
                out[filled] = Entry { text: word, hash, stem, means };
                filled += 1;
                if tail.is_empty() {
                    break;
                }
                rest = tail.split_at(1).1;
            }
            group += 1;
        }
        list += 1;
    }
    out
}

static ENTRIES: [Entry; COUNT] = entries();

/// Places of entries by hash; 0 is free. Entries of one text under several meanings follow one another.
const fn slots() -> [u16; SLOTS] {
    let all = entries();
    let mut out = [0_u16; SLOTS];
    let mut at = 0;
    while at < COUNT {
        let mut slot = all[at].hash as usize % SLOTS;
        while out[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        out[slot] = at as u16 + 1;
        at += 1;
    }
    out
}

static TABLE: [u16; SLOTS] = slots();

/// The longest entry in bytes.
const LONGEST: usize = 60;

fn meaning(text: &[u8], hash: u32, whole: bool) -> Means {
    let mut means = 0;
    let mut slot = hash as usize % SLOTS;
    while let Some(place) = TABLE.get(slot).copied().filter(|place| *place > 0) {
        if let Some(entry) = ENTRIES.get(usize::from(place) - 1)
            && entry.hash == hash
            && (whole || entry.stem)
            && entry.text == text
        {
            means |= entry.means;
        }
        slot = (slot + 1) % SLOTS;
    }
    means
}

/// What begins at `start` of a folded text means. `ends` tells whether a word ends before an offset.
pub(super) fn at(folded: &[u8], start: usize, ends: impl Fn(usize) -> bool) -> Means {
    let rest = folded.get(start..).unwrap_or_default();
    let mut hash = SEED;
    let mut means = 0;
    let mut spaces = 0;
    for (len, byte) in rest.iter().take(LONGEST).enumerate() {
        if *byte == b'\n' {
            break;
        }
        if *byte == b' ' {
            spaces += 1;
            if spaces > 6 {
                break;
            }
        }
        hash = step(hash, *byte);
        let end = ends(start + len + 1);
        if end || len >= 3 {
            means |= meaning(rest.get(..=len).unwrap_or_default(), hash, end);
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::fold;

    #[test]
    fn every_word_is_written_as_a_text_is_folded() {
        for entry in &ENTRIES {
            let text = std::str::from_utf8(entry.text).unwrap();
            assert!(!text.is_empty() && text.len() <= LONGEST, "{text:?}");
            assert!(!text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  "), "{text:?}");
            let folded: String = text.chars().flat_map(fold::letters).collect();
            let plain: String = text.chars().filter(|c| *c != ' ').collect();
            assert_eq!(folded, plain, "{text:?}");
            assert!(!entry.stem || text.chars().count() >= 2, "{text:?} is too short a stem");
        }
        assert!(COUNT < SLOTS / 2, "{COUNT}");
    }

    #[test]
    fn stems_and_phrases_are_found_and_half_words_are_not() {
        let look =
            |text: &str| at(text.as_bytes(), 0, |end| text.as_bytes().get(end).is_none_or(|b| *b == b' '));
        assert!(look("ignore") & IGNORE != 0);
        assert!(look("system prompt please") & PROMPT != 0);
        assert!(look("vorherigen anweisungen") & SCOPE != 0);
        assert_eq!(look("ignor") & IGNORE, 0);
    }
}
