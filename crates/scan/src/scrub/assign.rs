//! Values that are given to a name that says "secret": `password=…`, `"token": "…"`, `--api-key …`, `<pwd>…</pwd>`.
//! Looked for at the sign between them, so that a text is read once; names and values are bounded.

use super::name::{self, NameClass};
use super::part::slice;
use super::value;
use std::ops::Range;

/// The maximum length of a value.
const MAX_VALUE_BYTES: usize = 1024;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    /// Between quotes.
    Quoted,
    /// Right behind the sign, as in an environment file or a header.
    Bare,
    /// Behind a sign with spaces around it, as code has it.
    Spaced,
}

/// The secret that is assigned at the sign at `at`.
pub(super) fn at(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let (sign, next) = (*bytes.get(at)?, bytes.get(at + 1).copied().unwrap_or(b' '));
    let last = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
    let (name, from) = match sign {
        b'=' if matches!(next, b'=' | b'~') || matches!(last, b'=' | b'!' | b'<' | b'>' | b'+') => {
            return None;
        }
        b'=' if next == b'>' => (name_before(text, at)?, at + 2),
        b'=' if matches!(last, b':' | b'?') => (name_before(text, at - 1)?, at + 1),
        b':' if matches!(next, b':' | b'=' | b'/') || last == b':' => return None,
        b'=' | b':' => (name_before(text, at)?, at + 1),
        b'(' if matches!(next, b'"' | b'\'') => (name_before(text, at)?, at + 1),
        b',' if matches!(last, b'"' | b'\'') || matches!(bytes.get(at + 2), Some(b'"' | b'\'')) => {
            (name_before(text, at)?, at + 1)
        }
        // `root password -> …`.
        b'>' if last == b'-' => (name_before(text, at - 1)?, at + 1),
        // An XML element.
        b'>' => {
            let name = name_before(text, at)?;
            let opens = name.start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'<');
            if !opens {
                return None;
            }
            (name, at + 1)
        }
        _ => return None,
    };
    let place = name.clone();
    let name = text.get(name)?;
    if name == "Private-Lines" {
        return super::blocks::putty(text, at);
    }
    let says = match name::says(name) {
        NameClass::Nothing => beside(text, at, &place, name, sign),
        says => says,
    };
    if says >= NameClass::Token
        && let Some(words) = seed_phrase(text, from)
        && (name.contains("nemonic") || name.contains("phrase") || name.contains("seed"))
    {
        return Some((words, "seed phrase"));
    }
    // `t.pass("…")` tells of a test.
    if says == NameClass::Nothing || sign == b'(' && name.ends_with("pass") {
        return None;
    }
    let spaced = bytes.get(from) == Some(&b' ') && last == b' ' && sign == b'=';
    judge(text, from, says, spaced, matches!(sign, b'(' | b','))
}

/// `#define WIFI_PASSWORD "…"`: `at` is the quotation mark.
pub(super) fn defined(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let name = word_before(text.as_bytes(), at)?;
    let define = text.get(..name.start)?.ends_with("#define ");
    let says = name::says(text.get(name)?);
    if !define || says == NameClass::Nothing {
        return None;
    }
    judge(text, at, says, false, true)
}

/// What makes a name a secret's that does not say so by itself: a call's name, an XML key, a key's parts.
fn beside(text: &str, at: usize, place: &Range<usize>, name: &str, sign: u8) -> NameClass {
    let near = text.get(floor_at(text, at.saturating_sub(80))..at).unwrap_or_default();
    match sign {
        // `auth=("name", "password")`, `jwt.sign(payload, "secret")`, `new NetworkCredential("name", "password")`.
        b',' => {
            let call = near.rsplit_once('(').map(|(call, _)| call).unwrap_or_default();
            let credential = ["auth=", "Credential", "BasicAuth", "basic_auth", "basicAuth"];
            if credential.iter().any(|end| call.ends_with(end)) {
                NameClass::Password
            } else if ["jwt.sign", "jwt.encode", "jwt.verify", "jwt.decode"]
                .iter()
                .any(|end| call.ends_with(end))
            {
                NameClass::Token
            } else {
                NameClass::Nothing
            }
        }
        // `<key>APIToken</key><string>…`.
        b'>' if name == "string" => {
            let key = near.rsplit_once("</key>").and_then(|(key, _)| key.rsplit_once("<key>"));
            key.map_or(NameClass::Nothing, |(_, key)| name::says(key))
        }
        b':' if name == "d" => {
            let around = text.get(floor_at(text, place.start.saturating_sub(1500))..at).unwrap_or_default();
            if around.contains("\"kty\"") { NameClass::Token } else { NameClass::Nothing }
        }
        b':' | b'=' if matches!(name, "phrase" | "mnemonic") => NameClass::Token,
        _ => NameClass::Nothing,
    }
}

fn floor_at(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Twelve to twenty-four small words: a wallet's seed.
fn seed_phrase(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let body = rest.trim_start_matches([' ', '"', '\'', '`']);
    let start = from + rest.len() - body.len();
    let body = super::blocks::floor(body, 260);
    let len = body.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b' ').count();
    let phrase = body.get(..len)?.trim_end();
    let words: Vec<&str> = phrase.split(' ').collect();
    let fits = matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words.iter().all(|word| (3..=8).contains(&word.len()));
    fits.then_some(start..start + phrase.len())
}

/// A value behind a name and a blank: `--password hunter2`, `password is …`, `IDENTIFIED BY '…'`.
pub(super) fn behind_flag(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let name =
        bytes.get(at + 2..)?.iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let end = at + 2 + name;
    if name < 3 || bytes.get(end) != Some(&b' ') {
        return None;
    }
    let says = name::says(text.get(at + 2..end)?);
    if says == NameClass::Nothing || says == NameClass::Service || bytes.get(end + 1) == Some(&b'-') {
        return None;
    }
    judge(text, end, says, false, false)
}

/// The name that ends before `at`, over quotes, brackets and a type annotation.
fn name_before(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut name = word_before(bytes, at)?;
    let word = text.get(name.clone())?;
    let typed = matches!(
        word,
        "string" | "str" | "String" | "text" | "char" | "Optional" | "any" | "SecretStr" | "varchar"
    );
    if typed || matches!(word, "value" | "Value" | "default" | "content") {
        // `const key: string = …`, `<add key="…" value="…">`, a YAML pair of `name:` and `value:`.
        let mut from = name.start;
        while from > 0 && matches!(bytes.get(from - 1), Some(b'&' | b'\'' | b'<')) {
            from -= 1;
        }
        if let Some(outer) = before_gap(bytes, from).and_then(|gap| word_before(bytes, gap)) {
            name = outer;
        }
    }
    Some(name)
}

/// Blanks, one line break and one colon or equals sign to the left.
fn before_gap(bytes: &[u8], at: usize) -> Option<usize> {
    let mut from = at;
    let mut steps = 0;
    while from > 0 && steps < 24 {
        match bytes.get(from - 1)? {
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b'{' => from -= 1,
            _ => break,
        }
        steps += 1;
    }
    (from < at).then_some(from)
}

fn word_before(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let mut end = at;
    let mut skipped = 0;
    while end > 0
        && skipped < 6
        && matches!(bytes.get(end - 1)?, b' ' | b'\t' | b'"' | b'\'' | b'`' | b']' | b'\\' | b'*')
    {
        end -= 1;
        skipped += 1;
    }
    let before = bytes.get(end.saturating_sub(name::MAX_NAME_BYTES)..end)?;
    let len = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$'))
        .count();
    // `AWS::AppSync::ApiKey` is a type.
    let start = end - len;
    let scoped = bytes.get(start.saturating_sub(2)..start) == Some(b"::");
    (len > 0 && !scoped).then_some(start..end)
}

/// Looks at the value from `from` on.
fn judge(
    text: &str,
    from: usize,
    says: NameClass,
    spaced: bool,
    call: bool,
) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut blanks = 0;
    while matches!(bytes.get(at)?, b' ' | b'\t') && blanks < 12 {
        at += 1;
        blanks += 1;
    }
    // Basic authentication is read where it stands: it decodes to what it is.
    if matches!(bytes.get(at..at + 6), Some(b"Basic " | b"basic ")) {
        return None;
    }
    at = skip_words(text, at);
    let mut stands = if spaced { ValueForm::Spaced } else { ValueForm::Bare };
    let mut escaped = 0;
    if bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'"' | b'\'')) {
        escaped = 1;
    }
    // Prefixes of literals: `b"…"`, `r"…"`, `@"…"`.
    if matches!(bytes.get(at), Some(b'b' | b'r' | b'@' | b'f' | b'u' | b'L'))
        && matches!(bytes.get(at + 1), Some(b'"' | b'\''))
    {
        escaped = 1;
    }
    let quote = bytes.get(at + escaped).copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let (start, len) = if let Some(quote) = quote {
        stands = ValueForm::Quoted;
        // `"\"…\""`: quotation marks that belong to the text.
        let inner = if bytes.get(at + escaped + 1..at + escaped + 3) == Some(b"\\\"") { 2 } else { 0 };
        let start = skip_words(text, at + escaped + 1 + inner);
        let body = bytes.get(start..)?;
        let len =
            body.iter().take(MAX_VALUE_BYTES).position(|b| *b == quote || matches!(b, b'\n' | b'\\'))?;
        (start, len)
    } else {
        let body = bytes.get(at..)?;
        let len = body
            .iter()
            .take(MAX_VALUE_BYTES)
            .take_while(|b| {
                !b.is_ascii_whitespace()
                    && !matches!(
                        b,
                        b'"' | b'\''
                            | b'`'
                            | b','
                            | b';'
                            | b'<'
                            | b'>'
                            | b'('
                            | b')'
                            | b'['
                            | b']'
                            | b'{'
                            | b'}'
                            | b'|'
                            | b'\\'
                    )
                    && **b < 0x80
            })
            .count();
        // `a=1&token=x&b=2` ends at the sign.
        let query = body.get(..len)?.iter().position(|b| *b == b'&').filter(|_| says != NameClass::Password);
        (at, query.unwrap_or(len))
    };
    if call && stands != ValueForm::Quoted {
        return None;
    }
    let mut end = start + len;
    if stands != ValueForm::Quoted {
        while end > start
            && matches!(bytes.get(end - 1), Some(b'.' | b':' | b'!' | b'?'))
            && says != NameClass::Password
        {
            end -= 1;
        }
        // What goes on as a call, an index or a template is code.
        let closes = bytes.get(end..end + 2) == Some(b"</");
        if matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<')) && !closes {
            return None;
        }
    }
    let found = text.get(start..end)?;
    secret(found, says, stands).then_some((start..end, kind_of(says)))
}

const fn kind_of(says: NameClass) -> &'static str {
    match says {
        NameClass::Password => "password",
        _ => "key or token",
    }
}

/// Words between a sign and its value: `Bearer`, `Token`.
fn skip_words(text: &str, at: usize) -> usize {
    let rest = slice(text, at..);
    for word in ["Bearer ", "bearer ", "Token ", "token ", "ApiKey ", "Key ", "GenieKey "] {
        if rest.starts_with(word) {
            return at + word.len();
        }
    }
    at
}

fn secret(found: &str, says: NameClass, stands: ValueForm) -> bool {
    if found.len() < 6 || value::placeholder(found) || found.contains("://") {
        return false;
    }
    if stands != ValueForm::Quoted && value::code_path(found) {
        return false;
    }
    let machine = value::random(found);
    if value::uuid(found) {
        return says >= NameClass::Service;
    }
    match (says, stands) {
        (NameClass::Nothing, _) => false,
        (NameClass::Service, _) => machine && found.len() >= 16 && !found.contains(['/', '.', ':', ' ']),
        (NameClass::Token, ValueForm::Quoted) => {
            machine && !found.contains(' ') && (found.len() >= 10 || value::entropy(found) >= 2.8)
        }
        (NameClass::Token, _) => machine && found.len() >= 12 && !path(found),
        (NameClass::Password, ValueForm::Quoted) => {
            value::chosen(found) && !path(found) && !name_like(found) || machine
        }
        (NameClass::Password, ValueForm::Bare) => {
            value::chosen(found) && !path(found) && !name_like(found) || machine && found.len() >= 10
        }
        (NameClass::Password, ValueForm::Spaced) => {
            value::chosen(found)
                && !path(found)
                && !name_like(found)
                && found.bytes().any(|b| b.is_ascii_digit())
        }
    }
}

/// A file's path or an address.
fn path(found: &str) -> bool {
    let host = found.split(':').next().unwrap_or_default();
    host.matches('.').count() >= 2 && host.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'-'))
        || found.starts_with(['/', '~', '.']) && found.bytes().filter(|b| *b == b'/').count() >= 2
        || found.contains('@')
            && found.contains('.')
            && !found.contains(['!', '#', '$', '%'])
            && found.split_once('@').is_some_and(|(_, host)| {
                host.contains('.') && host.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'-'))
            })
}

/// `password2`, `user_password_1`, `oauth2-token`, `#password-input`: a name and no value.
fn name_like(found: &str) -> bool {
    let lower = found.to_ascii_lowercase();
    let trimmed = lower.trim_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '_' | '-' | '.' | '#' | '$' | '?' | '*' | '=')
    });
    let plain = trimmed.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-' | b'.'));
    let about = ["password", "passwd", "secret", "token", "field", "input", "user", "confirm"];
    (plain && trimmed.contains(['_', '-', '.']) && about.iter().any(|word| trimmed.contains(word)))
        || matches!(
            trimmed,
            "" | "password"
                | "passwd"
                | "secret"
                | "token"
                | "pass"
                | "pwd"
                | "user"
                | "test"
                | "oauth"
                | "auth"
                | "base"
                | "sha"
                | "aes"
                | "utf"
                | "key"
                | "string"
        ) && !(trimmed == "password" && found.len() >= 11)
}
