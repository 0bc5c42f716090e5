//! Where numbers, runes and strings end. What is not exactly one gives nothing.

/// The byte after a string in double quotes.
pub(super) fn text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            b'\\' => {
                let digits = match bytes.get(at + 1)? {
                    b'x' => 2,
                    b'u' => 4,
                    b'U' => 8,
                    b'\n' => return None,
                    _ => 0,
                };
                if !hex(bytes, at + 2, digits) {
                    return None;
                }
                at += 2 + digits;
            }
            _ => at += 1,
        }
    }
}

/// So many digits of base 16 are there.
fn hex(bytes: &[u8], at: usize, count: usize) -> bool {
    bytes.get(at..at + count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// The byte after a rune.
pub(super) fn rune(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = match bytes.get(start + 1)? {
        b'\'' | b'\n' => return None,
        b'\\' => {
            let digits = match bytes.get(start + 2)? {
                b'x' => 2,
                b'u' => 4,
                b'U' => 8,
                b'0'..=b'7' => {
                    let octal = bytes.get(start + 2..start + 5)?;
                    if !octal.iter().all(|digit| matches!(digit, b'0'..=b'7')) {
                        return None;
                    }
                    return (bytes.get(start + 5) == Some(&b'\'')).then_some(start + 6);
                }
                b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'\'' | b'"' => 0,
                _ => return None,
            };
            if !hex(bytes, start + 3, digits) {
                return None;
            }
            start + 3 + digits
        }
        _ => start + 1 + text.get(start + 1..)?.chars().next()?.len_utf8(),
    };
    (bytes.get(end) == Some(&b'\'')).then_some(end + 1)
}

/// The byte after a number.
pub(super) fn number(bytes: &[u8], start: usize) -> Option<usize> {
    let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
    let mut end;
    match (at(start), at(start + 1)) {
        (b'0', b'x' | b'X') => {
            let whole = digits(bytes, start + 2, u8::is_ascii_hexdigit, true);
            end = whole.unwrap_or(start + 2);
            let point = at(end) == b'.';
            if point {
                let part = digits(bytes, end + 1, u8::is_ascii_hexdigit, false);
                whole.or(part)?;
                end = part.unwrap_or(end + 1);
            } else {
                whole?;
            }
            match exponent(bytes, end, b'p')? {
                Some(after) => end = after,
                None if point => return None,
                None => {}
            }
        }
        (b'0', b'b' | b'B') => end = digits(bytes, start + 2, |digit| matches!(digit, b'0' | b'1'), true)?,
        (b'0', b'o' | b'O') => end = digits(bytes, start + 2, |digit| matches!(digit, b'0'..=b'7'), true)?,
        _ => {
            end = digits(bytes, start, u8::is_ascii_digit, false).unwrap_or(start);
            let whole = bytes.get(start..end)?;
            let mut float = at(end) == b'.';
            if float {
                end = digits(bytes, end + 1, u8::is_ascii_digit, false).unwrap_or(end + 1);
            }
            if let Some(after) = exponent(bytes, end, b'e')? {
                end = after;
                float = true;
            }
            let old_octal = matches!(whole, [b'0', _, ..]);
            if old_octal
                && !float
                && at(end) != b'i'
                && !whole.iter().all(|digit| matches!(digit, b'0'..=b'7' | b'_'))
            {
                return None;
            }
        }
    }
    if at(end) == b'i' {
        end += 1;
    }
    // What touches it would be part of it.
    let touches = at(end);
    (!touches.is_ascii_alphanumeric() && touches != b'_' && touches < 0x80).then_some(end)
}

/// The end of digits with single underscores between them; before them too where it is said.
fn digits(bytes: &[u8], start: usize, is: impl Fn(&u8) -> bool, before: bool) -> Option<usize> {
    let mut at = start;
    let mut last_is_digit = !before;
    let mut any = false;
    while let Some(byte) = bytes.get(at) {
        if is(byte) {
            any = true;
            last_is_digit = true;
        } else if *byte == b'_' && (if any { last_is_digit } else { before && at == start }) {
            last_is_digit = false;
        } else {
            break;
        }
        at += 1;
    }
    (any && last_is_digit).then_some(at)
}

/// The end of an exponent, where there is one; nothing at all when it is broken.
fn exponent(bytes: &[u8], at: usize, letter: u8) -> Option<Option<usize>> {
    if bytes.get(at).is_none_or(|byte| byte.to_ascii_lowercase() != letter) {
        return Some(None);
    }
    let sign = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
    digits(bytes, at + 1 + usize::from(sign), u8::is_ascii_digit, false).map(Some)
}
