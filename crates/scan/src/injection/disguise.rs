//! Obfuscated words: entities and escapes, emphasis inside words, spaced letters. Pure.

use super::fold;
use crate::scrub::part::{items, slice};
use std::borrow::Cow;

/// French and Italian drop a vowel before another: `l'utente` is two words.
pub(super) fn elided(word: &str, next: char) -> bool {
    let vowel =
        fold::letters(next).next().is_some_and(|c| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'h' | 'y'));
    vowel
        && matches!(
            word,
            "l" | "d"
                | "n"
                | "s"
                | "m"
                | "t"
                | "c"
                | "j"
                | "qu"
                | "un"
                | "dell"
                | "all"
                | "nell"
                | "sull"
                | "dall"
        )
}

/// A letter follows the signs of emphasis.
pub(super) fn emphasis_ends(rest: &str) -> bool {
    rest.chars().take(4).find(|c| !matches!(c, '*' | '~')).is_some_and(char::is_alphanumeric)
}

pub(super) fn is_styled(c: char) -> bool {
    matches!(u32::from(c), 0x24b6..=0x24e9 | 0x1d400..=0x1d7ff | 0x1f130..=0x1f189)
}

/// `&#105;`, `&#x69;`, `&nbsp;`, `\u0069`, `\x69`: the character and how long it is written.
pub(super) fn entity(rest: &str) -> Option<(char, usize)> {
    let bytes = rest.as_bytes();
    let number = |from: usize, most: usize, radix: u32| {
        let digits =
            bytes.get(from..)?.iter().take(most).take_while(|b| (**b as char).is_digit(radix)).count();
        let code = u32::from_str_radix(rest.get(from..from + digits)?, radix).ok()?;
        Some((char::from_u32(code)?, digits))
    };
    match (bytes.first()?, bytes.get(1)?) {
        (b'\\', b'u') if bytes.get(2) == Some(&b'{') => {
            let (c, digits) = number(3, 6, 16)?;
            (bytes.get(3 + digits) == Some(&b'}')).then_some((c, 4 + digits))
        }
        (b'\\', b'u') => number(2, 4, 16).filter(|(_, digits)| *digits == 4).map(|(c, _)| (c, 6)),
        (b'\\', b'x') => number(2, 2, 16).filter(|(_, digits)| *digits == 2).map(|(c, _)| (c, 4)),
        (b'\\', b'n' | b'r' | b't') => Some(('\t', 2)),
        (b'&', b'#') => {
            let hex = matches!(bytes.get(2), Some(b'x' | b'X'));
            let from = if hex { 3 } else { 2 };
            let (c, digits) = number(from, 7, if hex { 16 } else { 10 })?;
            (bytes.get(from + digits) == Some(&b';')).then_some((c, from + digits + 1))
        }
        (b'&', _) => [
            ("&nbsp;", ' '),
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&apos;", '\''),
            ("&shy;", '\u{ad}'),
            ("&zwnj;", '\u{200c}'),
        ]
        .into_iter()
        .find(|(name, _)| rest.starts_with(name))
        .map(|(name, c)| (c, name.len())),
        _ => None,
    }
}

/// Puts words together that are written letter by letter: `i g n o r e`, `i-g-n-o-r-e`.
pub(super) fn gathered(raw: &str) -> (Cow<'_, str>, bool) {
    let bytes = raw.as_bytes();
    let single = |at: usize| {
        bytes.get(at).is_some_and(u8::is_ascii_alphabetic)
            && matches!(bytes.get(at + 1), Some(b' ' | b'-' | b'.' | b'_' | b'*' | b'|' | b'/'))
            && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
    };
    let mut out: Option<String> = None;
    let mut at = 0;
    let mut copied = 0;
    while at < bytes.len() {
        let begins = at == 0 || bytes.get(at - 1).is_some_and(|b| !b.is_ascii_alphanumeric());
        if !begins || !single(at) {
            at += 1;
            continue;
        }
        let separator = bytes.get(at + 1).copied().unwrap_or_default();
        let mut end = at;
        let mut letters = String::new();
        while let Some(letter) = bytes.get(end).filter(|b| b.is_ascii_alphabetic()) {
            letters.push(*letter as char);
            let more = bytes.get(end + 1) == Some(&separator);
            let ahead = bytes.get(end + 2).is_some_and(u8::is_ascii_alphabetic)
                && !bytes.get(end + 3).is_some_and(u8::is_ascii_alphanumeric);
            if !more || !ahead {
                // Two blanks are the gap between words.
                let gap = items(bytes, end + 1..).iter().take_while(|b| **b == b' ').count();
                let next = end + 1 + gap;
                if gap >= 1
                    && (gap >= 2 || separator != b' ')
                    && single(next)
                    && bytes.get(next + 1) == Some(&separator)
                {
                    letters.push(' ');
                    end = next;
                    continue;
                }
                end += 1;
                break;
            }
            end += 2;
        }
        if letters.bytes().filter(u8::is_ascii_alphabetic).count() >= 5 {
            let out = out.get_or_insert_with(|| String::with_capacity(raw.len()));
            out.push_str(slice(raw, copied..at));
            out.push_str(&letters);
            // A long run without gaps is taken apart letter by letter later.
            copied = end;
        }
        at = end.max(at + 1);
    }
    match out {
        Some(mut out) => {
            out.push_str(slice(raw, copied..));
            (Cow::Owned(out), true)
        }
        None => (Cow::Borrowed(raw), false),
    }
}
