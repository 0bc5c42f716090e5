//! Finds secrets, and removes them from text before it is journaled, stored, exported or sent to a model.
//! Public token formats, key blocks, addresses, and values given to names that say "secret"; read once, no regex.

mod assign;
mod blocks;
mod flags;
mod formats;
mod name;
pub(crate) mod part;
mod value;

use part::{items, slice};
use std::borrow::Cow;
use std::ops::Range;

/// The replacement of a secret.
pub const MASK: &str = "[secret removed]";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its byte range.
    pub range: Range<usize>,
    /// What it is, for messages.
    pub kind: &'static str,
}

/// The secrets of a text, in order, none over another.
pub fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found: Vec<Secret> = Vec::new();
    let mut in_word = false;
    let mut word_start = 0;
    // Until here a secret was found, or an address was looked at.
    let (mut skip, mut addressed) = (0, 0);
    for (at, &byte) in bytes.iter().enumerate() {
        if byte.is_ascii_alphanumeric() {
            let begins = !std::mem::replace(&mut in_word, true);
            if !begins || at < skip {
                continue;
            }
            word_start = at;
            let basic = matches!(byte, b'B' | b'b') && bytes.get(at + 1..at + 6) == Some(b"asic ");
            let hit = if basic { blocks::basic(text, at + 6) } else { formats::at(text, at) };
            let hit = hit.or_else(|| flags::at(text, at));
            add(bytes, hit, &mut found, &mut skip);
            continue;
        }
        let last = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let ended = std::mem::replace(&mut in_word, false);
        if at < skip {
            continue;
        }
        if ended && let hit @ Some(_) = formats::word(text, word_start, at) {
            add(bytes, hit, &mut found, &mut skip);
            continue;
        }
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let hit = match byte {
            b' ' if matches!(last, b's' | b'd' | b'D' | b'Y' | b'y' | b'S' | b'n' | b't' | b'0') => {
                spoken(text, at)
            }
            b'-' if last != b'-' && next == b'-' && bytes.get(at..at + 11) == Some(b"-----BEGIN ") => {
                blocks::private_key(text, at)
            }
            b'-' if last == b' ' && next == b'-' => {
                assign::behind_flag(text, at).or_else(|| blocks::user_flag(text, at))
            }
            b'-' if last == b' ' && next == b'u' => blocks::user_flag(text, at),
            b'-' if next == b'u' => formats::around(text, at),
            b'~' if last == b'Q' => formats::around(text, at),
            b'.' if in_run(bytes, at) => formats::around(text, at),
            b':' if next == b'/' && bytes.get(at + 2) == Some(&b'/') => {
                if at < addressed {
                    continue;
                }
                let (hit, end) = blocks::address(text, at);
                addressed = end;
                hit
            }
            b':' if next == b'A' && last.is_ascii_digit() => formats::around(text, at),
            b':' if next.is_ascii_hexdigit() && last.is_ascii_hexdigit() => {
                formats::around(text, at).or_else(|| assign::at(text, at))
            }
            b':' if next.is_ascii_digit() => blocks::pgpass(text, at).or_else(|| assign::at(text, at)),
            b'"' if last == b' ' => assign::defined(text, at),
            b'_' if at - word_start == 27 && ended => formats::around(text, at),
            b'%' if next == b'3' && at - word_start > 40 && ended => formats::around(text, at),
            b'=' | b':' | b'(' | b',' | b'>' => assign::at(text, at),
            // Behind `\n` in a quoted text and behind `%3D` in an address a word begins too.
            b'\\' if matches!(next, b'n' | b't' | b'r') => formats::at(text, at + 2),
            b'%' if next.is_ascii_hexdigit() => formats::at(text, at + 3),
            _ => None,
        };
        add(bytes, hit, &mut found, &mut skip);
    }
    if in_word {
        add(bytes, formats::word(text, word_start, bytes.len()), &mut found, &mut skip);
    }
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut end = 0;
    found.retain(|secret| {
        let apart = secret.range.start >= end && secret.range.end > secret.range.start;
        if apart {
            end = secret.range.end;
        }
        apart
    });
    found
}

type Hit = Option<(Range<usize>, &'static str)>;

fn add(bytes: &[u8], hit: Hit, found: &mut Vec<Secret>, skip: &mut usize) {
    if let Some((range, kind)) = hit {
        let range = range.start..whole(bytes, range.end);
        *skip = range.end;
        found.push(Secret { range, kind });
    }
}

/// A dot with letters around it and another dot, or a known word, behind: the other dots end sentences.
fn in_run(bytes: &[u8], at: usize) -> bool {
    let after = bytes.get(at + 1..at + 9).unwrap_or_default();
    after.first() == Some(&b'a') && after.starts_with(b"atlasv1") || after.iter().skip(5).any(|b| *b == b'.')
}

/// The text without secrets. Doing it twice changes nothing.
pub fn scrub(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    // What stands beside a removed secret can look different without it; it settles at once or in a few rounds.
    for _ in 0..8 {
        let secrets = find(&out);
        if secrets.is_empty() {
            break;
        }
        out = Cow::Owned(without(&out, &secrets));
    }
    out
}

/// The text with what was found in it masked.
pub fn without(text: &str, secrets: &[Secret]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(slice(text, at..secret.range.start));
        out.push_str(MASK);
        at = secret.range.end;
    }
    out.push_str(slice(text, at..));
    out
}

/// The end of the word that a secret ends in: half a secret is not left behind.
fn whole(bytes: &[u8], end: usize) -> usize {
    let rest = items(bytes, end..);
    end + rest.iter().take(256).take_while(|b| b.is_ascii_alphanumeric()).count()
}

/// `password is …`, `IDENTIFIED BY '…'`, `machine … login … password …`: a blank is the sign.
fn spoken(text: &str, at: usize) -> Hit {
    let bytes = text.as_bytes();
    let before = bytes.get(at.saturating_sub(14)..at)?;
    // Cheap: only behind the letters that these words end in.
    let last = before.get(before.len().checked_sub(2)?..)?;
    if !matches!(
        last,
        b"is"
            | b"IS"
            | b"rd"
            | b"RD"
            | b"by"
            | b"BY"
            | b"ss"
            | b"ty"
            | b"th"
            | b"en"
            | b"t0"
            | b" 0"
            | b"et"
            | b"ey"
    ) {
        return None;
    }
    let ends = |word: &str| {
        before.len() >= word.len()
            && before
                .get(before.len() - word.len()..)
                .is_some_and(|tail| tail.eq_ignore_ascii_case(word.as_bytes()))
    };
    let is = ["password is", "passwd is", "passphrase is", "token is", "key is", "secret is"]
        .iter()
        .any(|w| ends(w));
    let by = ends("identified by") || ends("password") && bytes.get(at + 1) == Some(&b'\'');
    let netrc = ends("password") && {
        let near = bytes.get(at.saturating_sub(300)..at)?;
        [&b"machine "[..], b"login "].iter().all(|word| near.windows(word.len()).any(|w| w == *word))
    };
    // Directives of servers and routers.
    let directive = [
        "requirepass", "masterauth", "rocommunity", "rwcommunity", "enable secret", "enable secret 0",
        "secret 0",
    ]
    .iter()
    .any(|w| ends(w));
    // `Use token 9f86…`: only what a machine made counts there.
    let named = ["token", "api key", "pass", "password", "secret"].iter().any(|w| ends(w))
        && !before.get(before.len().saturating_sub(9)..).is_some_and(|near| near.contains(&b'-'));
    if !is && !by && !netrc && !directive && !named {
        return None;
    }
    let open = matches!(bytes.get(at + 1), Some(b'\'' | b'"' | b'`'));
    let start = at + 1 + usize::from(open);
    let body = bytes.get(start..)?;
    let mut len = body
        .iter()
        .take(200)
        .take_while(|b| {
            !b.is_ascii_whitespace() && !matches!(b, b'\'' | b'"' | b'`' | b',' | b';' | b')') && **b < 0x80
        })
        .count();
    while len > 0 && matches!(body.get(len - 1), Some(b'.')) {
        len -= 1;
    }
    let found = text.get(start..start + len)?;
    let digits = found.bytes().filter(u8::is_ascii_digit).count();
    let real = value::chosen(found) && !value::placeholder(found) && digits >= 1 && !value::code_path(found)
        || value::random(found) && !value::placeholder(found);
    let real = if is || by || netrc || directive {
        real
    } else {
        let made = value::random(found) && !value::placeholder(found) && !value::code_path(found);
        made && !found.contains(['/', '(', '=', '.', '-', '_', ':'])
            && found.len() >= if ends("pass") || ends("password") { 10 } else { 20 }
    };
    real.then_some((start..start + len, "password"))
}

#[cfg(test)]
mod tests;
