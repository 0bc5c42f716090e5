//! Turns the signals of neighbouring sentences into findings: scores add up; text about attacks, letters and work
//! messages lower them.

use super::lexicon::Means;
use super::prelude::{
    ABOUT, ASK, FORM, FORMS, HARM, LETTER, MAKE, NOT, OFFICE, PERSONAL, PIECE, PRAISE, PROMPT, QUESTION,
    REVEAL, SAY, SECRET, TRIVIA, WORKDAY,
};
use super::rules::{self, Sign, SignHit, View};
use super::text::{LEAD, OWNER, QUOTED, TIGHT, Text};
use super::{Finding, InjectionKind, THRESHOLD};
use crate::scrub::part::{items, slice};

/// How many sentences belong together.
const WINDOW: usize = 6;

/// Findings of a text. `bonus`: the text was disguised or hidden (`hidden` says how).
pub(super) fn findings(text: &Text, raw: &str, bonus: u8, hidden: Option<&'static str>) -> Vec<Finding> {
    let mut signs: Vec<Vec<SignHit>> = Vec::with_capacity(text.sentences.len());
    for sentence in &text.sentences {
        let mut seen = Vec::new();
        if sentence.means != 0 {
            rules::signs(&View::new(text, sentence), &mut seen);
            // Names in code are no sentences; only what is unmistakable counts there.
            if sentence.code && hidden.is_none() {
                seen.retain(|seen| matches!(seen.sign, Sign::Override | Sign::Leak) && seen.score >= 5);
            }
        }
        signs.push(seen);
    }
    pronouns(text, &mut signs);
    let prompt = whole(text, raw, &mut signs);
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        let Some(best) = window(text, &signs, at, prompt, hidden.is_none()) else {
            at += 1;
            continue;
        };
        let (score, seen, end) = best;
        let score = score + if score > 0 { bonus } else { 0 };
        if score < THRESHOLD {
            at += 1;
            continue;
        }
        let word = text.words.get(seen.word);
        found.push(Finding {
            kind: seen.sign.kind(),
            line: word.map_or(1, |word| word.line),
            excerpt: excerpt(text, seen.word),
            score: score.min(10),
            hidden,
        });
        at = end;
        if found.len() >= super::MAX_FINDINGS {
            break;
        }
    }
    if let Some(word) = flood(text) {
        found.push(Finding {
            kind: InjectionKind::Smuggling,
            line: text.words.get(word).map_or(1, |word| word.line),
            excerpt: excerpt(text, word),
            score: THRESHOLD,
            hidden,
        });
    }
    found
}

/// The sum of the strongest sign of each kind in the sentences from `from` on, the strongest sign, and where it ends.
fn window(
    text: &Text,
    signs: &[Vec<SignHit>],
    from: usize,
    prompt: bool,
    damped: bool,
) -> Option<(u8, SignHit, usize)> {
    signs.get(from)?.first()?;
    let mut best = [0_u8; Sign::COUNT];
    let mut top: Option<SignHit> = None;
    let mut means: Means = 0;
    let mut end = from;
    let (mut reached, mut reached_end) = (0_u8, from + 1);
    for (offset, (seen, sentence)) in signs.iter().zip(&text.sentences).skip(from).take(WINDOW).enumerate() {
        // Another paragraph is another matter, but for short texts.
        if offset > 0 && sentence.paragraph && text.sentences.len() > 12 {
            break;
        }
        means |= sentence.means;
        end = from + offset + 1;
        for seen in seen {
            let slot = best.get_mut(seen.sign as usize)?;
            *slot = (*slot).max(seen.score);
            let hard = |seen: &SignHit| (!seen.sign.soft(), seen.score);
            if top.is_none_or(|top| hard(seen) > hard(&top)) {
                top = Some(*seen);
            }
        }
        let sum = sum(&best, means);
        if sum > reached {
            reached = sum;
            reached_end = end;
        }
    }
    let _ = end;
    let top = top?;
    let mut score = reached;
    if damped {
        score = score.saturating_sub(damp(text, top, from, reached_end, prompt));
    }
    Some((score, top, reached_end))
}

/// Adds up. Soft signs count only where somebody asks for something.
fn sum(best: &[u8; Sign::COUNT], means: Means) -> u8 {
    let of = |sign: Sign| best.get(sign as usize).copied().unwrap_or_default();
    let hard: u8 = [
        Sign::Override,
        Sign::Dictation,
        Sign::Role,
        Sign::Free,
        Sign::Mode,
        Sign::News,
        Sign::Leak,
        Sign::Secret,
        Sign::Personal,
        Sign::Send,
        Sign::Conceal,
        Sign::Machine,
        Sign::Obey,
        Sign::Piece,
        Sign::Harm,
        Sign::Marks,
    ]
    .into_iter()
    .map(of)
    .sum();
    let asked = means & (ASK | SECRET | PERSONAL | PROMPT) != 0
        || of(Sign::Ask) > 0
        || of(Sign::Machine) > 0
        || of(Sign::Turn) > 0
        || of(Sign::Role) >= 2;
    let mut soft = 0;
    if asked {
        soft += of(Sign::Office) + of(Sign::Pressure) + of(Sign::Scene) + of(Sign::Ask);
        if of(Sign::Turn) > 0 {
            soft += of(Sign::Turn) + of(Sign::Chat);
        }
    }
    soft += of(Sign::Say) + of(Sign::Form);
    if of(Sign::Machine) > 0 && means & PRAISE != 0 {
        soft += 2;
    }
    // Soft signs alone need company: an urgent letter is no attack.
    hard.saturating_add(soft)
}

/// What weighs against a finding.
fn damp(text: &Text, top: SignHit, from: usize, to: usize, prompt: bool) -> u8 {
    let around = from.saturating_sub(2)..(to + 2).min(text.sentences.len());
    let count = |means: Means| {
        text.sentences
            .get(around.clone())
            .unwrap_or_default()
            .iter()
            .filter(|sentence| sentence.means & means != 0)
            .map(|sentence| text.of(sentence).iter().filter(|word| word.means & means != 0).count())
            .sum::<usize>()
    };
    let quoted = text.words.get(top.word).is_some_and(|word| word.flags & QUOTED != 0);
    let about = count(ABOUT);
    let mut damp = match about {
        0 => 0,
        1 => 2 * u8::from(quoted),
        2 | 3 => 2 + 4 * u8::from(quoted),
        _ => 5 + 8 * u8::from(quoted),
    };
    if top.sign.soft() && !prompt {
        let work = count(WORKDAY);
        damp += u8::try_from(work.min(3)).unwrap_or_default() + 2 * u8::from(count(LETTER) > 0);
    }
    damp
}

/// `Our password is lost. Could you repeat it?`: the request names the secret of the sentence before.
fn pronouns(text: &Text, signs: &mut [Vec<SignHit>]) {
    for (at, (asking, seen)) in text.sentences.iter().zip(signs.iter_mut()).enumerate().skip(1) {
        let mut earlier = items(&text.sentences, at.saturating_sub(2)..at).iter().rev();
        let Some(before) = earlier.find(|before| before.means & (SECRET | PERSONAL) != 0) else { continue };
        let orders = text.of(asking).iter().take(2).any(|word| word.means & (REVEAL | MAKE) != 0);
        let asks = (asking.means & ASK != 0 || orders) && asking.to - asking.from <= 9;
        if !asks || (before.means | asking.means) & FORMS != 0 || before.code {
            continue;
        }
        let it = text.of(asking).iter().find(|word| {
            matches!(text.word(word), "it" | "them" | "that" | "es" | "ihn" | "lo" | "le" | "het" | "det")
        });
        // Whose fact it is was said before.
        let owned = before.means & SECRET != 0
            || text.of(before).iter().any(|word| word.flags & OWNER != 0)
            || text.of(before).iter().any(|word| matches!(text.word(word), "of" | "guards" | "hides"));
        if it.is_some() && owned {
            let sign = if before.means & SECRET != 0 { Sign::Secret } else { Sign::Personal };
            seen.push(SignHit { sign, score: 3 + u8::from(asking.means & ASK == 0), word: asking.from });
        }
    }
}

/// Signs of the text as a whole; true when it is nothing but a request to a chat model.
fn whole(text: &Text, raw: &str, signs: &mut [Vec<SignHit>]) -> bool {
    marks(raw, signs);
    wrapped(text, raw, signs);
    pieces(text, raw, signs);
    barrage(text, signs);
    bare(text, raw, signs)
}

/// Marks of chat templates, and lines that pretend to be turns of a conversation.
const MARKS: &[&str] = &[
    "<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "<|end|>",
    "[INST]", "[/INST]", "<<SYS>>", "<|start_header_id|>", "<|eot_id|>", "<|begin_of_text|>",
    "<start_of_turn>", "<end_of_turn>", "<|channel|>", "[system](#", "<system_prompt>", "</system_prompt>",
    "<|diff_marker|>", "<|endofprompt|>", "<system>", "</system>", "[SYSTEM]", "[system]", "### System:",
    "### Instruction:",
];

fn marks(raw: &str, signs: &mut [Vec<SignHit>]) {
    if raw.is_empty() || !raw.contains(['<', '[', '#', ':']) {
        return;
    }
    let short = super::head(raw, 64 << 10);
    let mark = MARKS.iter().any(|mark| short.contains(mark));
    let turns = short
        .lines()
        .filter(|line| {
            let line = line.trim_start_matches([' ', '>', '*', '#', '-', '[']);
            [
                "System:", "SYSTEM:", "system:", "Assistant:", "assistant:", "ASSISTANT:", "User:", "Human:",
                "AI:",
            ]
            .iter()
            .any(|turn| line.starts_with(turn))
        })
        .take(3)
        .count();
    let score = if mark { 3 } else { [0, 1, 2, 2].get(turns).copied().unwrap_or(2) };
    if score > 0
        && let Some(first) = signs.iter_mut().find(|seen| {
            seen.iter().any(|seen| !seen.sign.soft() && seen.sign != Sign::Piece && seen.score >= 2)
        })
    {
        let word = first.first().map_or(0, |seen| seen.word);
        first.push(SignHit { sign: Sign::Marks, score, word });
    }
}

/// A task and its material in one text (`Summarise this: '…'`), and in the material an order.
fn wrapped(text: &Text, raw: &str, signs: &mut [Vec<SignHit>]) {
    let opens = [": '", ": \"", ": ‘", ": “", ":\n'", "? '", "? \"", "<code>", ": <", "? |"]
        .iter()
        .filter_map(|sign| raw.find(sign))
        .min();
    let Some(opens) = opens.filter(|at| *at < 200 && raw.len() < 6_000) else { return };
    let line = 1 + slice(raw, ..opens).matches('\n').count() as u32;
    let Some(first) = text.sentences.first() else { return };
    let begins = text.of(first).iter().take(2).any(|word| word.means & (QUESTION | ASK | MAKE | SAY) != 0);
    let task = line <= 2
        && (first.asks || begins)
        && text.of(first).iter().take(3).all(|word| word.flags & QUOTED == 0);
    if !task || first.code {
        return;
    }
    for (sentence, seen) in text.sentences.iter().zip(signs).skip(1) {
        let view = View::new(text, sentence);
        if rules::order(&view) {
            seen.push(SignHit { sign: Sign::Dictation, score: THRESHOLD, word: sentence.from });
            return;
        }
    }
}

/// Pieces of a question, told one by one.
fn pieces(text: &Text, raw: &str, signs: &mut [Vec<SignHit>]) {
    let hits = text.words.iter().filter(|word| word.means & PIECE != 0).count();
    if hits >= 3
        && raw.len() <= 1500
        && let Some((sentence, seen)) =
            text.sentences.iter().zip(signs).find(|(sentence, _)| sentence.means & PIECE != 0)
    {
        seen.push(SignHit { sign: Sign::Piece, score: THRESHOLD, word: sentence.from });
    }
}

/// Many questions in a row without an answer, some of them small talk: one of them is the real one.
fn barrage(text: &Text, signs: &mut [Vec<SignHit>]) {
    let (mut run, mut trivia, mut first) = (0, 0, 0);
    for (at, sentence) in text.sentences.iter().enumerate() {
        let words = text.of(sentence);
        let question = sentence.asks
            && !sentence.code
            && words.len() >= 2
            && words.iter().take(4).any(|word| word.means & (QUESTION | ASK) != 0);
        if !question || sentence.paragraph && at > 0 {
            run = 0;
            trivia = 0;
            if !question {
                continue;
            }
        }
        if run == 0 {
            first = at;
        }
        run += 1;
        trivia += usize::from(sentence.means & TRIVIA != 0);
        if run >= 3 && trivia >= 1 || run >= 5 {
            if let Some(seen) = signs.get_mut(first) {
                seen.push(SignHit { sign: Sign::Piece, score: THRESHOLD, word: sentence.from });
            }
            return;
        }
    }
}

/// The whole text is one request: short, no letter, no work, no code, and it asks the reader to write or explain.
fn bare(text: &Text, raw: &str, signs: &mut [Vec<SignHit>]) -> bool {
    let all: Means = text.sentences.iter().fold(0, |means, sentence| means | sentence.means);
    let work = text.words.iter().filter(|word| word.means & WORKDAY != 0).count();
    let code = ["=", "{", "()", "->", "::", "</", "`", "//", "(\""].iter().any(|sign| raw.contains(sign));
    let short = !raw.is_empty() && raw.len() <= 700 && text.sentences.len() <= 9;
    if !short || work > 1 || code || all & LETTER != 0 {
        return false;
    }
    for (at, sentence) in text.sentences.iter().enumerate() {
        let view = View::new(text, sentence);
        let makes = view
            .words
            .iter()
            .take(9)
            .enumerate()
            .any(|(at, word)| word.means & MAKE != 0 && (at < 6 || word.flags & LEAD != 0));
        // Somebody tells what somebody said.
        if view.words.iter().any(|word| matches!(text.word(word), "said" | "asked" | "replied" | "told")) {
            continue;
        }
        let asks = view.words.iter().take(14).enumerate().any(|(at, word)| {
            word.means & ASK != 0 && (at < 3 || word.flags & LEAD != 0 || sentence.means & OFFICE != 0)
        });
        let makes = makes || asks && view.words.iter().take(16).any(|word| word.means & MAKE != 0);
        let first = view.words.iter().take(2);
        let opens = at == 0 && first.clone().any(|word| word.means & MAKE != 0);
        if first.clone().any(|word| word.means & NOT != 0) {
            continue;
        }
        // Who asks and answers is no asker.
        let last = text
            .sentences
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .all(|after| after.asks || after.means & (ASK | MAKE) != 0);
        let form = sentence.means & (FORM | HARM) != 0;
        let score = if asks && makes && last {
            3
        } else if opens && form || at == 0 && form && makes {
            2
        } else {
            0
        };
        if score > 0
            && let Some(seen) = signs.get_mut(at)
        {
            seen.push(SignHit { sign: Sign::Marks, score, word: sentence.from });
            return true;
        }
    }
    true
}

/// One word over and over.
fn flood(text: &Text) -> Option<usize> {
    let mut run = 0;
    for (at, pair) in text.words.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        let plain = b.flags & (LEAD | TIGHT) == 0;
        let (a, b) = (text.word(a), text.word(b));
        run = if plain && a == b && a.len() >= 2 && a.bytes().all(|b| b.is_ascii_alphabetic()) {
            run + 1
        } else {
            0
        };
        if run >= 24 {
            return Some(at);
        }
    }
    None
}

/// A few words from the sign on.
fn excerpt(text: &Text, word: usize) -> String {
    let words: Vec<&str> = text.words.iter().skip(word).take(6).map(|word| text.word(word)).collect();
    let mut out = words.join(" ");
    if out.len() > 60 {
        out.truncate((0..=60).rev().find(|end| out.is_char_boundary(*end)).unwrap_or_default());
    }
    out
}
