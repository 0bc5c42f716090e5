//! Decides whether a value is a secret or only looks like one: placeholders, words, code, entropy. Pure.

use super::part::slice;

/// Texts that a value has when it is none. Compared in lower case.
const STAND_INS: &[&str] = &[
    "example", "placeholder", "changeme", "change-me", "change_me", "change this", "changeit", "replaceme",
    "replace_", "replace-", "replace me", "replace with", "your_", "your-", "your ", "yourpass", "yourapi",
    "yoursecret", "yourtoken", "yourkey", "youraccess", "insert", "dummy", "redacted", "xxxx", "fixme",
    "todo", "notreal", "not-a-real", "not_a_real", "secret removed", "...", "…", "***", "${", "$(", "{{",
    "}}", "<", "enter_", "fill_me", "fill-me", "goes_here", "goes-here", "goeshere", "_here", "-here",
    "my_password", "my-password", "mypassword", "my_secret", "my-secret", "my-token", "my_token", "my-api",
    "my_api", "todo:", "supersecret_placeholder", "process.env", "os.environ", "getenv", "secrets.",
    "vault:", "op://", "sops", "enc[", "env.", "env:", "ssm:", "arn:aws:", "secretref", "keyvault",
    "localhost", "deadbeef", "00000000",
];

/// Whole values that are words, types or defaults and no secrets. In lower case.
const WORDS: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "token", "user", "username", "admin", "root", "test",
    "testing", "tests", "none", "null", "nil", "true", "false", "undefined", "string", "str", "text",
    "required", "optional", "empty", "default", "unset", "enabled", "disabled", "private", "public", "foo",
    "bar", "foobar", "baz", "guest", "hidden", "prompt", "env", "file", "base64", "encrypted", "postgres",
    "mysql", "rabbitmq", "redis", "mongo", "oracle", "bearer", "basic", "digest", "oauth2", "oauth", "jwt",
    "sha256", "sha512", "sha1", "md5", "aes256", "aes-256-gcm", "rs256", "hs256", "es256", "ed25519", "rsa",
    "utf8", "utf-8", "base58", "argon2", "argon2id", "bcrypt", "pbkdf2", "scrypt", "totp", "hmac-sha256",
    "ntlm", "v1", "v2", "v3", "http1", "http2", "x509", "password1", "passw0rd", "test123", "test1234",
    "pass123", "abc123", "123456", "12345678", "oauth1", "saml2", "vec<u8>", "u8", "u64", "i64", "int64",
    "uint8array", "float32", "varchar(255)", "ssh-rsa", "ssh-ed25519", "ecdsa-sha2-nistp256", "k8s",
];

/// True when a value only stands for one: `<token>`, `${VAR}`, `xxxx`, `changeme`, documentation's `…EXAMPLE`.
pub(super) fn placeholder(value: &str) -> bool {
    let trimmed = value.trim_matches(|c: char| c == '"' || c == '\'' || c == '`');
    if trimmed.len() < 4
        || trimmed.starts_with(['$', '<', '{', '%', '[', '(', '@', '&', '*', '!', '#', ':'])
            && !slice(trimmed, 1..).bytes().any(|b| b.is_ascii_digit())
    {
        return true;
    }
    // A reference (`$NAME`, `$2b$…` is a hash) is none either.
    if trimmed.starts_with(['$', '<', '{']) {
        return true;
    }
    let lower = trimmed.to_ascii_lowercase();
    if WORDS.contains(&lower.as_str()) || STAND_INS.iter().any(|stand_in| lower.contains(stand_in)) {
        return true;
    }
    let bytes = lower.as_bytes();
    let mut distinct = [false; 256];
    for byte in bytes {
        if let Some(seen) = distinct.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    let distinct = distinct.iter().filter(|seen| **seen).count();
    (bytes.len() >= 8 && distinct < 4) || longest_run(bytes) * 5 >= bytes.len() * 2
}

fn longest_run(bytes: &[u8]) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, None);
    for byte in bytes {
        run = if last == Some(*byte) { run + 1 } else { 1 };
        last = Some(*byte);
        longest = longest.max(run);
    }
    longest
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// What a value is made of.
#[derive(Default)]
struct CharacterProfile {
    lower: usize,
    upper: usize,
    digits: usize,
    other: usize,
    /// Changes between lower, upper and digit; a capital that begins a word is none.
    changes: usize,
    len: usize,
}

fn makeup(value: &str) -> CharacterProfile {
    let mut made = CharacterProfile { len: value.len(), ..CharacterProfile::default() };
    let mut last = Class::Other;
    for byte in value.bytes() {
        let now = class(byte);
        match now {
            Class::Lower => made.lower += 1,
            Class::Upper => made.upper += 1,
            Class::Digit => made.digits += 1,
            Class::Other => made.other += 1,
        }
        let word_begins = last == Class::Upper && now == Class::Lower;
        if now != Class::Other && last != Class::Other && now != last && !word_begins {
            made.changes += 1;
        }
        last = now;
    }
    made
}

/// Parts between separators that are plain words cover more than half of the value.
fn wordy(value: &str) -> bool {
    let mut covered = 0;
    let mut words = 0;
    for part in value.split(['-', '_', '.', '/', '+', '=', ' ', ':', ',']) {
        let tail = part.get(1..).unwrap_or_default();
        let plain = part.len() >= 2
            && part.bytes().all(|b| b.is_ascii_alphabetic())
            && (tail.bytes().all(|b| b.is_ascii_lowercase()) || part.bytes().all(|b| b.is_ascii_uppercase()))
            && part.len() <= 14;
        if plain {
            words += 1;
            covered += part.len() + 1;
        }
    }
    words >= 3 && covered * 2 > value.len() || words >= 1 && covered * 4 > value.len() * 3
}

/// The rest of a token behind a known prefix: digits or both cases, and no name made of words.
/// `sk-this-is-a-css-class-name-that-is-long` has neither.
pub(super) fn mixed(rest: &str) -> bool {
    let made = makeup(rest);
    let solid = made.digits >= 2 && made.lower + made.upper >= 1
        || made.digits >= 1 && made.upper >= 6 && made.lower == 0
        || made.upper >= 3 && made.lower >= 3 && made.changes >= 5
        || made.upper >= 14 && made.lower == 0;
    solid && !wordy(rest)
}

/// Shannon's entropy in bits per byte.
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0_u16; 256];
    let mut len = 0.0_f32;
    for byte in value.bytes().take(1024) {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
        len += 1.0;
    }
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f32::from(*count) / len;
            -share * share.log2()
        })
        .sum()
}

/// A value without a prefix that was made by a machine: classes of characters change often, entropy is high.
pub(super) fn random(value: &str) -> bool {
    let made = makeup(value);
    let letters = made.lower + made.upper;
    if made.len < 8 || wordy(value) || made.other * 3 > made.len {
        return false;
    }
    let often = made.changes * 100 >= made.len * if made.digits > 0 { 15 } else { 22 };
    let long_mixed = made.len >= 24 && made.changes >= 6 && made.digits >= 1 && letters >= 6;
    let varied = (made.digits >= 2 && letters >= 2) || (made.upper >= 3 && made.lower >= 3 && made.len >= 20);
    let least = if made.len >= 20 {
        3.0
    } else if made.len >= 12 {
        2.8
    } else {
        2.4
    };
    varied && (often || long_mixed) && entropy(value) >= least
}

/// A password that a person made: letters with digits or signs, no word, no code.
pub(super) fn chosen(value: &str) -> bool {
    let made = makeup(value);
    let letters = made.lower + made.upper;
    let sign = value
        .bytes()
        .any(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'+' | b'='));
    made.len >= 6
        && made.len <= 200
        && !value.contains(char::is_whitespace)
        && letters >= 2
        && (made.digits >= 1 || sign)
        && (made.digits + made.upper.min(made.lower) + made.other >= 1)
}

/// 8-4-4-4-12 hexadecimal digits.
pub(super) fn uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// `config.token`, `self.password`, `os.environ`: a path of names, which is code and no value.
pub(super) fn code_path(value: &str) -> bool {
    let mut parts = 0;
    for part in value.split(['.', ':', '>', '-']) {
        if part.is_empty() {
            continue;
        }
        let name = part.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !name || random(part) {
            return false;
        }
        parts += 1;
    }
    parts >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_no_values() {
        for value in [
            "<token>", "${TOKEN}", "$TOKEN", "xxxxxxxxxxxx", "your-api-key", "changeme",
            "AKIAIOSFODNN7EXAMPLE", "{{ secret }}", "password", "aaaaaaaaaaaa", "[secret removed]",
            "%(password)s", "process.env.TOKEN",
        ] {
            assert!(placeholder(value), "{value}");
        }
        for value in ["hunter2hunter2", "S3cr3t!pass", "a8F3kd92LqPz71mN"] {
            assert!(!placeholder(value), "{value}");
        }
    }

    #[test]
    fn machines_and_people_make_different_values() {
        for value in ["a8F3kd92LqPz71mN", "9f86d081884c7d659a2feaa0c55ad015", "b3BlbnNzaC1rZXktdjEAAAAA"] {
            assert!(random(value), "{value}");
        }
        for value in
            ["my-super-secret-key-2024", "application.properties", "getAccessTokenFromStore", "20240102"]
        {
            assert!(!random(value), "{value}");
        }
        assert!(chosen("Tr0ub4dor&3") && !chosen("Enter your password 1") && !chosen("confirm"));
    }
}
