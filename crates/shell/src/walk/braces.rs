//! Brace expansion: `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`.

use std::rc::Rc;

use crate::syntax::ast::{Part, Word};

/// Words that one word becomes at most.
const MAX_WORDS: usize = 256;
/// Braces inside braces.
const MAX_DEPTH: u32 = 12;

/// A character outside of quotes, or any other part of a word.
#[derive(Clone, Copy)]
enum Token<'w> {
    Char(char),
    Part(&'w Part),
}

impl Token<'_> {
    fn is(self, c: char) -> bool {
        matches!(self, Token::Char(own) if own == c)
    }
}

/// The words that a word becomes; none when it has no braces.
pub(super) fn expand(word: &Word) -> Option<Vec<Word>> {
    let open = |part: &Part| matches!(part, Part::Text { text, quoted: false } if text.contains('{'));
    if !word.parts.iter().any(open) {
        return None;
    }
    let mut tokens = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text { text, quoted: false } => tokens.extend(text.chars().map(Token::Char)),
            other => tokens.push(Token::Part(other)),
        }
    }
    let mut all = Vec::new();
    alternatives(&tokens, 0, &mut all);
    Some(all.iter().map(|tokens| joined(tokens)).collect())
}

/// All words that these tokens become.
fn alternatives<'w>(tokens: &[Token<'w>], depth: u32, out: &mut Vec<Vec<Token<'w>>>) {
    let found = if depth > MAX_DEPTH { None } else { first_brace(tokens) };
    let Some((open, close, items)) = found else {
        out.push(tokens.to_vec());
        return;
    };
    let head = tokens.get(..open).unwrap_or_default();
    let tail = tokens.get(close + 1..).unwrap_or_default();
    for item in items {
        let mut inner = Vec::new();
        alternatives(&item, depth + 1, &mut inner);
        for middle in inner {
            let mut rests = Vec::new();
            alternatives(tail, depth + 1, &mut rests);
            for rest in rests {
                if out.len() >= MAX_WORDS {
                    return;
                }
                let mut word = head.to_vec();
                word.extend(middle.iter().copied());
                word.extend(rest);
                out.push(word);
            }
        }
    }
}

/// The first brace that is one: where it opens and closes, and what stands between.
fn first_brace<'w>(tokens: &[Token<'w>]) -> Option<(usize, usize, Vec<Vec<Token<'w>>>)> {
    for (open, token) in tokens.iter().enumerate() {
        if !token.is('{') {
            continue;
        }
        let mut level = 0u32;
        let mut items: Vec<Vec<Token<'w>>> = vec![Vec::new()];
        for (at, token) in tokens.iter().enumerate().skip(open + 1) {
            if level == 0 && token.is('}') {
                if items.len() > 1 {
                    return Some((open, at, items));
                }
                if let Some(items) = items.first().and_then(|inner| sequence(inner)) {
                    return Some((open, at, items));
                }
                break;
            }
            if level == 0 && token.is(',') {
                items.push(Vec::new());
                continue;
            }
            if token.is('{') {
                level += 1;
            } else if token.is('}') {
                level -= 1;
            }
            if let Some(last) = items.last_mut() {
                last.push(*token);
            }
        }
    }
    None
}

/// `1..9`, `a..e`, `01..10..3`.
fn sequence<'w>(inner: &[Token<'w>]) -> Option<Vec<Vec<Token<'w>>>> {
    let text: Option<String> = inner
        .iter()
        .map(|t| match t {
            Token::Char(c) => Some(*c),
            Token::Part(_) => None,
        })
        .collect();
    let text = text?;
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step: i64 = parts.next().map_or(Some(1), |s| s.parse().ok())?;
    let step = step.saturating_abs().max(1);
    if parts.next().is_some() {
        return None;
    }
    let characters = |text: String| text.chars().map(Token::Char).collect();
    if let (Ok(a), Ok(b)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let padded =
            |t: &str| t.trim_start_matches('-').len() > 1 && t.trim_start_matches('-').starts_with('0');
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        return Some(steps(a, b, step).map(|n| characters(format!("{n:0width$}"))).collect());
    }
    let letter = |t: &str| t.chars().next().filter(|c| t.len() == 1 && c.is_ascii_alphabetic());
    let (a, b) = (letter(first)?, letter(last)?);
    let codes = steps(i64::from(u32::from(a)), i64::from(u32::from(b)), step);
    let letters = codes.filter_map(|n| u32::try_from(n).ok().and_then(char::from_u32));
    Some(letters.map(|c| vec![Token::Char(c)]).collect())
}

/// From `a` to `b`, up or down.
fn steps(a: i64, b: i64, step: i64) -> impl Iterator<Item = i64> {
    let count = (a.saturating_sub(b).unsigned_abs() / step.unsigned_abs()).saturating_add(1);
    let count = usize::try_from(count).unwrap_or(MAX_WORDS).min(MAX_WORDS);
    let by = if a <= b { step } else { -step };
    (0..count).map(move |i| a.saturating_add(by.saturating_mul(i64::try_from(i).unwrap_or(0))))
}

fn joined(tokens: &[Token<'_>]) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for token in tokens {
        match (token, parts.last_mut()) {
            (Token::Char(c), Some(Part::Text { text, quoted: false })) => text.push(*c),
            (Token::Char(c), _) => parts.push(Part::Text { text: c.to_string(), quoted: false }),
            (Token::Part(part), _) => parts.push((*part).clone()),
        }
    }
    Word { parts, raw: Rc::from("") }
}
