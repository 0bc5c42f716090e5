//! Takes secrets out of text before it is journaled, stored, exported or sent to a model.
//! Public token formats and assignments to names that say "secret"; a small hand-written scan, no regex.

use std::borrow::Cow;

/// What stands where a secret stood.
const MASK: &str = "[secret removed]";

/// A token format: what it starts with, how long the rest is at least, what the rest is made of.
struct Format {
    prefix: &'static str,
    least: usize,
}

/// Public token formats by their prefix.
const FORMATS: &[Format] = &[
    Format { prefix: "AKIA", least: 16 },
    Format { prefix: "ASIA", least: 16 },
    Format { prefix: "ghp_", least: 30 },
    Format { prefix: "gho_", least: 30 },
    Format { prefix: "ghu_", least: 30 },
    Format { prefix: "ghs_", least: 30 },
    Format { prefix: "ghr_", least: 30 },
    Format { prefix: "github_pat_", least: 22 },
    Format { prefix: "glpat-", least: 20 },
    Format { prefix: "sk-ant-", least: 20 },
    Format { prefix: "sk-proj-", least: 20 },
    Format { prefix: "sk-", least: 32 },
    Format { prefix: "sk_live_", least: 16 },
    Format { prefix: "sk_test_", least: 16 },
    Format { prefix: "rk_live_", least: 16 },
    Format { prefix: "xoxb-", least: 20 },
    Format { prefix: "xoxp-", least: 20 },
    Format { prefix: "xoxa-", least: 20 },
    Format { prefix: "xapp-", least: 20 },
    Format { prefix: "AIza", least: 30 },
    Format { prefix: "ya29.", least: 20 },
    Format { prefix: "npm_", least: 30 },
    Format { prefix: "pypi-", least: 40 },
    Format { prefix: "hf_", least: 30 },
    Format { prefix: "dop_v1_", least: 40 },
    Format { prefix: "SG.", least: 40 },
    Format { prefix: "eyJ", least: 60 },
];

/// Names whose value is a secret, in lower case.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "client_secret",
    "authorization",
    "auth_token",
    "credential",
];

/// The text without secrets.
pub fn scrub(text: &str) -> Cow<'_, str> {
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    tokens(text, &mut cuts);
    blocks(text, &mut cuts);
    assignments(text, &mut cuts);
    urls(text, &mut cuts);
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    cuts.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in cuts {
        if end <= at {
            continue;
        }
        out.push_str(text.get(at..start.max(at)).unwrap_or_default());
        out.push_str(MASK);
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Characters that tokens are made of.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}

fn tokens(text: &str, cuts: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some(run) = bytes.get(at..) else { return };
        let skip = run.iter().take_while(|b| !is_token(**b)).count();
        at += skip;
        let Some(run) = bytes.get(at..) else { return };
        let len = run.iter().take_while(|b| is_token(**b)).count();
        let word = text.get(at..at + len).unwrap_or_default();
        // `key=value` is one run: look behind the sign too.
        let inner = word.find('=').map_or(0, |sign| sign + 1);
        for offset in [0, inner] {
            let Some(part) = word.get(offset..) else { continue };
            let hit = FORMATS.iter().any(|format| {
                part.strip_prefix(format.prefix)
                    .is_some_and(|rest| rest.len() >= format.least && looks_random(rest))
            });
            if hit {
                cuts.push((at + offset, at + len));
                break;
            }
        }
        at += len.max(1);
    }
}

/// A token has digits or both cases; `sk-this-is-a-css-class-name-that-is-long` has not.
fn looks_random(rest: &str) -> bool {
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let upper = rest.bytes().any(|b| b.is_ascii_uppercase());
    let lower = rest.bytes().any(|b| b.is_ascii_lowercase());
    let few = digits >= 1 && upper && !lower;
    few || digits >= 2 && (upper || lower) || (upper && lower && rest.len() >= 20)
}

/// Private key blocks, whole.
fn blocks(text: &str, cuts: &mut Vec<(usize, usize)>) {
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("-----BEGIN ")).map(|at| at + from) {
        let Some(rest) = text.get(start..) else { return };
        let header = rest.get(..rest.len().min(64)).unwrap_or(rest);
        if header.contains("PRIVATE KEY") {
            let end = rest.find("-----END ").and_then(|end| {
                let tail = rest.get(end + 9..)?;
                tail.find("-----").map(|close| end + 9 + close + 5)
            });
            cuts.push((start, start + end.unwrap_or(rest.len())));
            from = start + end.unwrap_or(rest.len());
        } else {
            from = start + 11;
        }
    }
}

/// `password=…`, `"token": "…"`, `--api-key …`.
fn assignments(text: &str, cuts: &mut Vec<(usize, usize)>) {
    let lower = text.to_ascii_lowercase();
    for name in NAMES {
        let mut from = 0;
        while let Some(found) = lower.get(from..).and_then(|rest| rest.find(name)) {
            let end_of_name = from + found + name.len();
            from = end_of_name;
            let Some(rest) = text.get(end_of_name..) else { break };
            let after_quote = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
            let trimmed = after_quote.trim_start_matches(' ');
            let Some(value) = trimmed.strip_prefix([':', '=']) else { continue };
            let value = value.trim_start_matches([' ', '=']);
            let value = value.trim_start_matches("Bearer ").trim_start_matches("bearer ");
            let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
            let len = value
                .bytes()
                .take_while(|b| is_token(*b) || matches!(b, b'!' | b'@' | b'#' | b'%' | b'&' | b'*'))
                .count();
            let secret = value.get(..len).unwrap_or_default();
            let reference = secret.starts_with(['$', '<', '{']) || secret.len() < 8;
            if !reference && looks_random(secret) {
                let start = text.len() - value.len();
                cuts.push((start, start + len));
            }
        }
    }
}

/// The password in `scheme://user:password@host`.
fn urls(text: &str, cuts: &mut Vec<(usize, usize)>) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")).map(|at| at + from + 3) {
        from = at;
        let Some(rest) = text.get(at..) else { return };
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'')).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
            && !password.is_empty()
            && !password.starts_with('$')
        {
            let start = at + name.len() + 1;
            cuts.push((start, start + password.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn public_token_formats_go() {
        for secret in [
            "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "AKIAIOSFODNN7EXAMPLE",
            "sk-ant-api03-0123456789abcdefghij",
            "xoxb-123456789012-abcdefghijkl",
            "glpat-0123456789abcdefghij",
        ] {
            for text in [format!("curl -H 'X: {secret}' h"), format!("K={secret}"), secret.to_owned()] {
                let clean = scrub(&text);
                assert!(!clean.contains(secret) && clean.contains(MASK), "{text} -> {clean}");
            }
        }
    }

    #[test]
    fn keys_assignments_and_urls_go() {
        let key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(scrub(key), format!("a\n{MASK}\nb"));
        assert_eq!(scrub("export DB_PASSWORD=hunter2hunter2"), format!("export DB_PASSWORD={MASK}"));
        assert_eq!(scrub("\"token\": \"a1b2c3d4e5\""), format!("\"token\": \"{MASK}\""));
        assert_eq!(scrub("postgres://u:s3cr3t@h/db"), format!("postgres://u:{MASK}@h/db"));
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "ls src",
            "git log --oneline d42fd80c-f318-4c21-8d81-95853a8e12c2",
            "token = get_token()",
            "password: $PASSWORD",
            "https://host/path?x=1",
            "class sk-button-primary-large-outlined-wide",
            "the secret: nothing",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ] {
            assert_eq!(scrub(text), text);
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_settles(text in "\\PC{0,200}") {
            let once = scrub(&text).into_owned();
            prop_assert_eq!(scrub(&once).into_owned(), once);
        }
    }
}
