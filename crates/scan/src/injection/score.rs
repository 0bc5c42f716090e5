//! Turns the signals of neighbouring sentences into findings: scores add up; text about attacks, letters and work
//! messages lower them.

use super::learned;
use super::lexicon::Means;
use super::prelude::*;
use super::rules::{self, Sign, SignHit, View};
use super::text::{COLON, LEAD, OWNER, QUOTED, Sentence, TIGHT, Text};
use super::{Finding, InjectionKind, THRESHOLD};
use crate::scrub::part::{items, slice};

/// How many sentences belong together.
const WINDOW: usize = 6;

/// The signs of every sentence, and whether the text is nothing but a request to a chat model.
fn read_signs(text: &Text, raw: &str, hidden: Option<&'static str>) -> (Vec<Vec<SignHit>>, bool) {
    let mut signs: Vec<Vec<SignHit>> = Vec::with_capacity(text.sentences.len());
    for sentence in &text.sentences {
        let mut seen = Vec::new();
        if sentence.means != 0 {
            rules::signs(&View::new(text, sentence), &mut seen);
            // Names in code are no sentences; only what is unmistakable counts there.
            if sentence.code && hidden.is_none() {
                seen.retain(|seen| !seen.sign.soft() && seen.score >= 5);
            }
        }
        signs.push(seen);
    }
    // An order that nobody is meant to see.
    if hidden
        .is_some_and(|how| !how.ends_with("comment") && how != "an attribute" && how != "hyphenated words")
    {
        for (sentence, seen) in text.sentences.iter().zip(&mut signs) {
            let view = View::new(text, sentence);
            if rules::secret_order(&view) {
                seen.push(SignHit { sign: Sign::Machine, score: 2, word: sentence.from });
            }
        }
    }
    follow_up(text, &mut signs);
    pronouns(text, &mut signs);
    let prompt = whole(text, raw, &mut signs);
    (signs, prompt)
}

/// What the rules say of the sentences from each one on: the score, the strongest sign, and where it ends.
fn read_windows(
    text: &Text,
    raw: &str,
    signs: &[Vec<SignHit>],
    prompt: bool,
    bonus: u8,
    hidden: Option<&'static str>,
) -> Vec<Option<(u8, SignHit, usize)>> {
    let chat = turns(raw) >= 2;
    (0..signs.len())
        .map(|at| {
            let (score, seen, end) = window(text, signs, at, prompt, hidden.is_none(), chat)?;
            Some((score + if score > 0 { bonus } else { 0 }, seen, end))
        })
        .collect()
}

fn rule_scores(windows: &[Option<(u8, SignHit, usize)>]) -> Vec<u8> {
    windows.iter().map(|window| window.map_or(0, |(score, _, _)| score)).collect()
}

/// The features of every passage of a text, for learning.
pub(super) fn passages(
    text: &Text,
    raw: &str,
    bonus: u8,
    hidden: Option<&'static str>,
    out: &mut Vec<learned::Passage>,
) {
    let (signs, prompt) = read_signs(text, raw, hidden);
    let windows = read_windows(text, raw, &signs, prompt, bonus, hidden);
    learned::passages(text, &signs, &rule_scores(&windows), hidden, out);
}

/// Findings of a text. `bonus`: the text was disguised or hidden (`hidden` says how).
pub(super) fn findings(text: &Text, raw: &str, bonus: u8, hidden: Option<&'static str>) -> Vec<Finding> {
    let (signs, prompt) = read_signs(text, raw, hidden);
    let windows = read_windows(text, raw, &signs, prompt, bonus, hidden);
    let opinions = learned::opinions(text, &signs, &rule_scores(&windows), hidden);
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        let Some((score, seen, end)) = agreed(text, &windows, &opinions, at) else {
            at += 1;
            continue;
        };
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

/// What the rules and the learned weights say together of the sentences from `at` on.
fn agreed(
    text: &Text,
    windows: &[Option<(u8, SignHit, usize)>],
    opinions: &[i32],
    at: usize,
) -> Option<(u8, SignHit, usize)> {
    let opinion = opinions.get(at).copied().unwrap_or(i32::MIN);
    let window = windows.get(at).copied().flatten();
    if let Some((score, seen, end)) = window.filter(|(score, _, _)| *score >= THRESHOLD) {
        let best = items(opinions, at.saturating_sub(1)..end).iter().max().copied().unwrap_or(i32::MIN);
        // Weights of a sentence without end say little.
        let long = text.sentences.get(at).is_some_and(|sentence| sentence.to - sentence.from > 48);
        return (best >= learned::DOUBT || long).then_some((score, seen, end));
    }
    // Where the rules see nothing at all, and nobody calls a machine, it takes more.
    let sentence = text.sentences.get(at)?;
    let bare = window.is_none() && sentence.means & (MACHINE | HAIL | TO_MACHINE | CONCEAL | PROMPT) == 0;
    if opinion < learned::CERTAIN + if bare { learned::UNIT } else { 0 } {
        return None;
    }
    let from = sentence.from;
    let (seen, end) = window
        .map_or((SignHit { sign: Sign::Machine, score: THRESHOLD, word: from }, at + 1), |(_, seen, end)| {
            (seen, end)
        });
    let seen = if seen.sign.soft() { SignHit { sign: Sign::Machine, ..seen } } else { seen };
    Some((THRESHOLD, seen, end))
}

/// The sum of the strongest sign of each kind in the sentences from `from` on, the strongest sign, and where it ends.
fn window(
    text: &Text,
    signs: &[Vec<SignHit>],
    from: usize,
    prompt: bool,
    damped: bool,
    chat: bool,
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
        score = score.saturating_sub(damp(text, top, from, reached_end, prompt, chat));
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
fn damp(text: &Text, top: SignHit, from: usize, to: usize, prompt: bool, chat: bool) -> u8 {
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
        2 | 3 => 2 + 8 * u8::from(quoted),
        _ => 5 + 8 * u8::from(quoted),
    };
    if chat {
        damp += 2;
    }
    if quoted && embedded(text, top.word) {
        damp += 4;
    }
    if top.sign.soft() && !prompt {
        let work = count(WORKDAY);
        damp += u8::try_from(work.min(3)).unwrap_or_default() + 2 * u8::from(count(LETTER) > 0);
    }
    damp
}

/// Words in quotation marks that are a part of somebody else's sentence: `the phrase "ignore all rules" worked`.
fn embedded(text: &Text, word: usize) -> bool {
    let Some(sentence) = text.sentences.iter().find(|sentence| (sentence.from..sentence.to).contains(&word))
    else {
        return false;
    };
    let quoted = |at: usize| text.words.get(at).is_some_and(|word| word.flags & QUOTED != 0);
    let first = (sentence.from..=word).rev().take_while(|at| quoted(*at)).last().unwrap_or(word);
    let end = (word..sentence.to).take_while(|at| quoted(*at)).last().unwrap_or(word) + 1;
    let led = first > sentence.from && text.words.get(first).is_some_and(|word| word.flags & COLON == 0);
    led || first == sentence.from && end < sentence.to
}

/// An order in the sentence behind one that calls the machine, or that sets its work aside.
fn follow_up(text: &Text, signs: &mut [Vec<SignHit>]) {
    for (at, pair) in text.sentences.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let (first, second) = (View::new(text, first), View::new(text, second));
        let begins =
            second.words.iter().take(3).any(|word| word.means & (DO | RUN | SEND | SAY | IGNORE) != 0);
        let works = second.words.iter().any(|word| word.means & WORKDAY != 0);
        if !begins || works || !rules::orders(&second) && !rules::order(&second) {
            continue;
        }
        let aside = first.words.first().is_some_and(|word| word.means & (IGNORE | FORGET) != 0)
            && first.words.len() <= 6
            && first.words.iter().any(|word| word.means & (WORK | RULES) != 0);
        let Some(seen) = signs.get_mut(at) else { continue };
        if let Some(called) =
            seen.iter_mut().find(|seen| seen.sign == Sign::Machine && seen.score < THRESHOLD)
        {
            called.score = (called.score + 2).min(THRESHOLD);
        } else if aside && rules::order(&second) {
            seen.push(SignHit { sign: Sign::Dictation, score: THRESHOLD, word: first.sentence.from });
        }
    }
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
    marks(text, raw, signs);
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

/// Ends of a tool's result or of a document that are only pretended: what follows claims to come from somebody else.
const FORGED: &[&str] = &[
    "</tool_result>", "</function_results>", "</tool_response>", "</tool_output>", "<system-reminder>",
    "<user>", "</user>", "[END OF ", "END OF DOCUMENT", "END OF ISSUE", "END OF FILE", "[USER]:", "[USER]",
    "New user message", "</document>", "</untrusted>", "</context>", "<human>", "Human: ", "ADMIN MESSAGE",
    "SYSTEM OVERRIDE", "SYSTEM NOTICE", "System notice", "User says:", "Next task:",
];

/// A mark of a chat template that opens a turn cannot be there by chance.
const SURE_MARK: u8 = 7;

/// Where a chat template opens a turn outside of code: the mark stands free, and words follow instead of a placeholder.
fn template(raw: &str) -> Option<usize> {
    const OPENING: &[&str] = &[
        "<|im_start|>system", "<|im_start|>user", "<|im_start|>assistant", "<|start_header_id|>",
        "<start_of_turn>", "<<SYS>>", "[INST]", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>",
        "### Instruction:",
    ];
    OPENING.iter().find_map(|mark| {
        let at = raw.find(mark)?;
        let before = slice(raw, ..at).trim_end_matches(' ').chars().next_back();
        let quoted = before.is_some_and(|c| matches!(c, '"' | '\'' | '`' | '}' | '(' | '/' | '“'));
        let behind = super::head(slice(raw, at + mark.len()..), 160);
        let closed = behind.starts_with(['"', '\'', '`', ')', ',', '}', '\\']);
        let words =
            behind.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 2).count();
        (!quoted && !closed && !behind.contains(['{', '}']) && words >= 3).then_some(at)
    })
}

/// A line that pretends that the tool's result is over: `=== END OF OUTPUT ===`.
fn boundary(line: &str) -> bool {
    let fenced = ["==", "--", "~~", "**", "##", "[", "<"].iter().any(|fence| line.contains(fence));
    if line.len() > 120 || !fenced && line.chars().any(char::is_lowercase) {
        return false;
    }
    let mut words = line.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let ends = |word: &str| {
        ["end", "ends", "ended", "begin", "new"].iter().any(|end| word.eq_ignore_ascii_case(end))
    };
    let whole = |word: &str| {
        [
            "output", "data", "document", "tool", "result", "results", "context", "input", "file", "article",
            "page", "instruction", "instructions", "directive", "order", "task", "prompt", "assistant",
            "message",
        ]
        .iter()
        .any(|noun| word.eq_ignore_ascii_case(noun))
    };
    words.clone().any(ends) && words.any(whole)
}

fn marks(text: &Text, raw: &str, signs: &mut [Vec<SignHit>]) {
    if raw.is_empty() || !raw.contains(['<', '[', '#', ':']) {
        return;
    }
    let short = super::head(raw, 64 << 10);
    if let Some(at) = template(short) {
        // The words behind the mark.
        let line =
            text.sentences.first().and_then(|first| text.words.get(first.from)).map_or(1, |word| word.line)
                + slice(short, ..at).matches('\n').count() as u32;
        let behind =
            |sentence: &Sentence| text.words.get(sentence.to - 1).is_some_and(|word| word.line >= line);
        if let Some((sentence, seen)) =
            text.sentences.iter().zip(signs.iter_mut()).find(|(sentence, _)| behind(sentence))
        {
            seen.push(SignHit { sign: Sign::Marks, score: SURE_MARK, word: sentence.from });
            return;
        }
    }
    let mark = MARKS.iter().any(|mark| short.contains(mark));
    if (FORGED.iter().any(|mark| short.contains(mark)) || short.lines().any(boundary))
        && let Some((at, sentence)) = text.sentences.iter().enumerate().find(|(_, sentence)| {
            let view = View::new(text, sentence);
            rules::orders(&view)
        })
        && let Some(seen) = signs.get_mut(at)
    {
        seen.push(SignHit { sign: Sign::Marks, score: THRESHOLD, word: sentence.from });
        return;
    }
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
    if !short || work > 0 || code || all & LETTER != 0 || turns(raw) >= 2 {
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
        if view
            .words
            .iter()
            .any(|word| matches!(text.word(word), "said" | "asked" | "replied" | "told" | "wrote"))
        {
            continue;
        }
        let us = |at: usize| view.words.get(at + 1).is_some_and(|next| text.word(next) == "us");
        let form = |at: usize| {
            // `Please provide …` is what forms and maintainers write.
            let provide =
                view.words.get(at + 1).is_some_and(|next| matches!(text.word(next), "provide" | "tell"));
            view.words.get(at).is_some_and(|word| text.word(word) == "please")
                && provide
                && view.words.get(at + 2).is_none_or(|next| text.word(next) != "me")
        };
        // Who says why, or what he will do in return, writes to a person.
        let offers = view.words.windows(2).any(|pair| {
            let [a, b] = pair else { return false };
            matches!((text.word(a), text.word(b)), ("i" | "we", "will" | "can") | ("so", "that"))
        });
        if offers && sentence.means & (SECRET | PERSONAL | PROMPT | MACHINE) == 0 {
            continue;
        }
        let asks = view.words.iter().take(14).enumerate().any(|(at, word)| {
            word.means & ASK != 0
                && !us(at)
                && !form(at)
                && (at < 3 || word.flags & LEAD != 0 || sentence.means & OFFICE != 0)
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

/// Lines of a chat: `ida: can you rebase?`.
fn turns(raw: &str) -> usize {
    let name = |line: &str| {
        line.split_once(": ").is_some_and(|(name, _)| {
            (2..=14).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
    };
    raw.lines().take(40).filter(|line| name(line)).count()
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
