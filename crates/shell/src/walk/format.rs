//! `echo` and `printf`: exactly what they print.

use crate::model::{Arg, HOLE, Taint};

use super::exec::join;
use super::state::{Flow, MAX_TEXT};

/// What `echo` prints with these words.
pub(super) fn echo(args: &[Arg]) -> Flow {
    let mut rest = args;
    let mut escapes = false;
    let mut newline = true;
    while let [first, tail @ ..] = rest {
        let t = first.text.as_str();
        if t.len() > 1 && t.starts_with('-') && t.bytes().skip(1).all(|c| matches!(c, b'n' | b'e' | b'E')) {
            for c in t.bytes() {
                match c {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    b'E' => escapes = false,
                    _ => {}
                }
            }
            rest = tail;
        } else {
            break;
        }
    }
    let mut text = join(rest);
    if escapes {
        let (plain, stopped) = unescape(&text, Escapes::Echo);
        text = plain;
        newline &= !stopped;
    }
    if newline {
        text.push('\n');
    }
    let taint = rest.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
    Flow { text: Some(text), taint }
}

/// One `%…` of a format.
#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    alternative: bool,
    width: Option<i64>,
    precision: Option<i64>,
    kind: char,
}

/// What `printf` prints with this format and these values.
pub(super) fn printf(args: &[Arg]) -> Flow {
    let Some((format, rest)) = args.split_first() else { return Flow::empty() };
    let taint = args.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
    let mut out = String::new();
    let mut values = rest.iter();
    let mut rounds = 0;
    let format: Vec<char> = format.text.chars().collect();
    loop {
        let before = values.len();
        if !one_round(&format, &mut values, &mut out) {
            break;
        }
        rounds += 1;
        if values.len() == before || values.len() == 0 || rounds > 256 || out.len() > MAX_TEXT {
            break;
        }
    }
    Flow { text: Some(out), taint }
}

/// The format once; false when `\c` ended it.
fn one_round<'a>(format: &[char], values: &mut impl Iterator<Item = &'a Arg>, out: &mut String) -> bool {
    let mut i = 0;
    let mut plain = String::new();
    while let Some(&c) = format.get(i) {
        i += 1;
        if c != '%' {
            plain.push(c);
            if c == '\\' {
                plain.extend(format.get(i));
                i += 1;
            }
            continue;
        }
        let (text, stopped) = unescape(&plain, Escapes::Format);
        plain.clear();
        out.push_str(&text);
        if stopped {
            return false;
        }
        if format.get(i) == Some(&'%') {
            out.push('%');
            i += 1;
            continue;
        }
        if format.get(i) == Some(&'(') {
            // A time.
            i += format.get(i..).unwrap_or_default().iter().take_while(|c| **c != 'T').count() + 1;
            values.next();
            out.push(HOLE);
            continue;
        }
        let mut spec = Spec::default();
        i = read_spec(format, i, values, &mut spec);
        if !convert(&spec, values, out) {
            return false;
        }
    }
    let (text, stopped) = unescape(&plain, Escapes::Format);
    out.push_str(&text);
    !stopped
}

fn read_spec<'a>(
    format: &[char],
    mut i: usize,
    values: &mut impl Iterator<Item = &'a Arg>,
    spec: &mut Spec,
) -> usize {
    let mut precise = false;
    while let Some(&c) = format.get(i) {
        i += 1;
        match c {
            '-' => spec.left = true,
            '0' if !precise && spec.width.is_none() => spec.zero = true,
            '+' => spec.plus = true,
            '#' => spec.alternative = true,
            ' ' | '\'' | 'l' | 'h' | 'j' | 'z' | 't' | 'L' => {}
            '.' => {
                precise = true;
                spec.precision = Some(0);
            }
            '*' => {
                let number = values.next().map_or(0, |v| number(&v.text));
                if precise {
                    spec.precision = Some(number);
                } else {
                    spec.left |= number < 0;
                    spec.width = Some(number.saturating_abs());
                }
            }
            '0'..='9' => {
                let slot = if precise { &mut spec.precision } else { &mut spec.width };
                let digit = i64::from(c.to_digit(10).unwrap_or(0));
                *slot = Some((slot.unwrap_or(0) * 10 + digit).min(100_000));
            }
            kind => {
                spec.kind = kind;
                break;
            }
        }
    }
    i
}

/// One value in its form; false when `%b` ended the output.
fn convert<'a>(spec: &Spec, values: &mut impl Iterator<Item = &'a Arg>, out: &mut String) -> bool {
    let value = values.next().map(|v| v.text.as_str()).unwrap_or_default();
    if value.contains(HOLE) && !matches!(spec.kind, 's' | 'b') {
        out.push(HOLE);
        return true;
    }
    let mut more = true;
    let text = match spec.kind {
        's' => value.to_owned(),
        'b' => {
            let (text, stopped) = unescape(value, Escapes::Value);
            more = !stopped;
            text
        }
        'q' => backslash_quoted(value),
        'c' => value.chars().next().map(String::from).unwrap_or_default(),
        'd' | 'i' | 'u' => with_digits(number(value), spec),
        'o' => format!("{}{:o}", if spec.alternative { "0" } else { "" }, number(value)),
        'x' => format!("{}{:x}", if spec.alternative { "0x" } else { "" }, number(value)),
        'X' => format!("{}{:X}", if spec.alternative { "0X" } else { "" }, number(value)),
        _ => HOLE.to_string(),
    };
    let text = match spec.precision {
        Some(most) if matches!(spec.kind, 's' | 'b' | 'q') && most >= 0 && !text.contains(HOLE) => {
            text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect()
        }
        _ => text,
    };
    let width = usize::try_from(spec.width.unwrap_or(0)).unwrap_or(0).min(MAX_TEXT);
    let pad = width.saturating_sub(text.chars().count());
    if spec.left {
        out.push_str(&text);
        out.extend(std::iter::repeat_n(' ', pad));
    } else if spec.zero && matches!(spec.kind, 'd' | 'i' | 'u' | 'o' | 'x' | 'X') {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
        out.push_str(sign);
        out.extend(std::iter::repeat_n('0', pad));
        out.push_str(digits);
    } else {
        out.extend(std::iter::repeat_n(' ', pad));
        out.push_str(&text);
    }
    more
}

fn with_digits(value: i64, spec: &Spec) -> String {
    let digits = value.unsigned_abs().to_string();
    let least = usize::try_from(spec.precision.unwrap_or(0)).unwrap_or(0).min(64);
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    let sign = match value {
        ..0 => "-",
        _ if spec.plus => "+",
        _ => "",
    };
    format!("{sign}{zeros}{digits}")
}

/// A number as `printf %d` reads it: decimal, `0x…`, `0…`, or `'c` for a character's code.
fn number(text: &str) -> i64 {
    let text = text.trim();
    if let Some(c) = text.strip_prefix(['\'', '"']) {
        return c.chars().next().map_or(0, |c| i64::from(u32::from(c)));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    sign * value.unwrap_or(0)
}

/// `printf %q`: each character that means something to a shell has a backslash.
fn backslash_quoted(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (i, c) in text.chars().enumerate() {
        let special = " \t\n!\"$&'()*,;<>?[\\]^`{|}".contains(c) || i == 0 && matches!(c, '#' | '~');
        if special {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Which escapes count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// `echo -e`: octal only as `\0nnn`.
    Echo,
    /// The format of `printf`: octal as `\nnn`; `\c` is nothing special.
    Format,
    /// `%b`: octal as `\0nnn` or `\nnn`.
    Value,
    /// `$'…'`, `${x@E}`
    Quote,
}

/// `\n`, `\x41` and so on as in `$'…'`.
pub(super) fn backslashed(text: &str) -> String {
    unescape(text, Escapes::Quote).0
}

/// The text with its escapes undone, and whether `\c` ended it.
fn unescape(text: &str, escapes: Escapes) -> (String, bool) {
    if !text.contains('\\') {
        return (text.to_owned(), false);
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut buffer = [0u8; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            continue;
        }
        let Some(n) = chars.next() else {
            out.push(b'\\');
            break;
        };
        let hex = |chars: &std::iter::Peekable<std::str::Chars<'_>>| {
            chars.clone().next().is_some_and(|c| c.is_ascii_hexdigit())
        };
        match n {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'a' => out.push(7),
            'b' => out.push(8),
            'e' | 'E' => out.push(27),
            'f' => out.push(12),
            'v' => out.push(11),
            '\\' => out.push(b'\\'),
            'c' if matches!(escapes, Escapes::Echo | Escapes::Value) => {
                return (String::from_utf8_lossy(&out).into_owned(), true);
            }
            '"' | '\'' | '?' if escapes == Escapes::Format || escapes == Escapes::Quote => {
                out.extend_from_slice(n.encode_utf8(&mut buffer).as_bytes());
            }
            'x' if hex(&chars) => out.push((digits(&mut chars, 16, 2, 0) & 0xff) as u8),
            'u' | 'U' if hex(&chars) => {
                let value = digits(&mut chars, 16, if n == 'u' { 4 } else { 8 }, 0);
                if let Some(c) = char::from_u32(value) {
                    out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                }
            }
            '0' if matches!(escapes, Escapes::Echo | Escapes::Value) => {
                out.push((digits(&mut chars, 8, 3, 0) & 0xff) as u8);
            }
            '0'..='7' if escapes != Escapes::Echo => {
                out.push((digits(&mut chars, 8, 2, n.to_digit(8).unwrap_or(0)) & 0xff) as u8);
            }
            other => {
                out.push(b'\\');
                out.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
            }
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), false)
}

fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: u32, start: u32) -> u32 {
    let mut value = start;
    for _ in 0..most {
        let Some(d) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.saturating_mul(radix).saturating_add(d);
        chars.next();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<Arg> {
        list.iter().map(|w| Arg::new(*w)).collect()
    }

    #[test]
    fn printf_prints_what_bash_prints() {
        for (args, text) in [
            (&["%s-%s\\n", "a", "b", "c"][..], "a-b\nc-\n"),
            (&["\\162\\155\\x20\\0541"], "rm ,1"),
            (&["%b", "a\\0101\\101\\n"], "aAA\n"),
            (&["%s", "a\\n"], "a\\n"),
            (&["%5s|%-5s|%.2s|%05d|%+d", "ab", "cd", "xyz", "42", "7"], "   ab|cd   |xy|00042|+7"),
            (&["%x %X %o %#x", "255", "255", "8", "255"], "ff FF 10 0xff"),
            (&["%d %d %d", "'a", "0x10", "010"], "97 16 8"),
            (&["%c%c", "rx", "mx"], "rm"),
            (&["%%|%s", "%"], "%|%"),
            (&["%b%s", "a\\cb", "c"], "a"),
            (&["%*d|%-*d|", "4", "1", "3", "2"], "   1|2  |"),
            (&["x\\"], "x\\"),
            (&["%q", "a b$"], "a\\ b\\$"),
            (&["only", "extra", "words"], "only"),
        ] {
            assert_eq!(printf(&words(args)).text.as_deref(), Some(text), "{args:?}");
        }
    }

    #[test]
    fn echo_prints_what_bash_prints() {
        for (args, text) in [
            (&["a", "b"][..], "a b\n"),
            (&["-n", "a"], "a"),
            (&["-e", "\\x72\\0155\\t\\101"], "rm\t\\101\n"),
            (&["-e", "a\\cb"], "a"),
            (&["-eE", "\\n"], "\\n\n"),
            (&["-x", "a"], "-x a\n"),
        ] {
            assert_eq!(echo(&words(args)).text.as_deref(), Some(text), "{args:?}");
        }
    }
}
