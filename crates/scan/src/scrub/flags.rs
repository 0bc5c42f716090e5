//! Secrets on command lines: `sshpass -p …`, `mysql -p…`, `redis-cli -a …`, `echo … | docker login --password-stdin`.
//! Looked for where the program's name stands, within its line.

use super::part::items;
use super::value;
use std::ops::Range;

/// How a program takes its secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// In the word behind the option.
    Next,
    /// In the option's own word, behind its letters.
    Glued,
    /// Either.
    Both,
    /// In the word behind the option, behind a colon (`name:password`) or a percent sign.
    Pair,
    /// As the word with this number behind the subcommand; options do not count.
    Word(usize),
}

/// Program, a word that must follow (empty: none), option, how.
const PROGRAMS: &[(&str, &str, &str, Takes)] = &[
    ("sshpass", "", "-p", Takes::Both),
    ("mysql", "", "-p", Takes::Glued),
    ("mysqldump", "", "-p", Takes::Glued),
    ("mysqladmin", "", "-p", Takes::Glued),
    ("mariadb", "", "-p", Takes::Glued),
    ("mongosh", "", "-p", Takes::Next),
    ("mongo", "", "-p", Takes::Next),
    ("mongodump", "", "-p", Takes::Next),
    ("mongorestore", "", "-p", Takes::Next),
    ("redis-cli", "", "-a", Takes::Next),
    ("docker", "login", "-p", Takes::Next),
    ("podman", "login", "-p", Takes::Next),
    ("helm", "login", "-p", Takes::Next),
    ("az", "login", "-p", Takes::Next),
    ("sqlcmd", "", "-P", Takes::Both),
    ("bcp", "", "-P", Takes::Both),
    ("ldapsearch", "", "-w", Takes::Next),
    ("ldapadd", "", "-w", Takes::Next),
    ("ldapmodify", "", "-w", Takes::Next),
    ("keytool", "", "-storepass", Takes::Next),
    ("keytool", "", "-keypass", Takes::Next),
    ("jarsigner", "", "-storepass", Takes::Next),
    ("7z", "", "-p", Takes::Glued),
    ("7za", "", "-p", Takes::Glued),
    ("unrar", "", "-p", Takes::Glued),
    ("zip", "", "-P", Takes::Next),
    ("unzip", "", "-P", Takes::Next),
    ("smbclient", "", "-U", Takes::Pair),
    ("http", "", "-a", Takes::Pair),
    ("https", "", "-a", Takes::Pair),
    ("xh", "", "-a", Takes::Pair),
    ("openssl", "", "-passin", Takes::Pair),
    ("openssl", "", "-passout", Takes::Pair),
    ("openssl", "", "-pass", Takes::Pair),
    ("curl", "", "--proxy-user", Takes::Pair),
    ("curl", "", "-U", Takes::Pair),
    ("htpasswd", "", "-b", Takes::Word(2)),
    ("vault", "login", "", Takes::Word(0)),
    ("wandb", "login", "", Takes::Word(0)),
    ("net", "use", "", Takes::Word(2)),
    ("net", "user", "", Takes::Word(1)),
    ("ConvertTo-SecureString", "", "", Takes::Word(0)),
];

/// The most bytes of a line that are looked at.
const MAX_LINE_BYTES: usize = 400;
/// The most words.
const MAX_WORDS: usize = 40;

type Hit = Option<(Range<usize>, &'static str)>;

/// The secret on the command line whose program's name begins at `at`.
pub(super) fn at(text: &str, at: usize) -> Hit {
    let bytes = items(text.as_bytes(), at..);
    let first = bytes.first()?;
    if *first == b'e' && bytes.starts_with(b"echo ") {
        return echoed(text, at);
    }
    let mut rows = PROGRAMS.iter().filter(|(name, ..)| {
        name.as_bytes().first() == Some(first)
            && bytes.starts_with(name.as_bytes())
            && bytes.get(name.len()) == Some(&b' ')
    });
    let row = rows.next()?;
    let words = words(text, at);
    std::iter::once(row).chain(rows).find_map(|row| given(text, &words, row))
}

fn given(text: &str, words: &[Range<usize>], row: &(&str, &str, &str, Takes)) -> Hit {
    let (_, sub, option, takes) = *row;
    let word = |at: usize| words.get(at).and_then(|range| text.get(range.clone()));
    let from = if sub.is_empty() { 1 } else { (1..4).find(|at| word(*at) == Some(sub))? + 1 };
    if let Takes::Word(number) = takes {
        let behind = if option.is_empty() {
            from
        } else {
            (from..words.len()).find(|at| word(*at) == Some(option))? + 1
        };
        let mut plain =
            (behind..words.len()).filter(|at| word(*at).is_some_and(|word| !word.starts_with(['-', '/'])));
        return judge(text, words.get(plain.nth(number)?)?.clone());
    }
    for at in from..words.len() {
        let (range, found) = (words.get(at)?, word(at)?);
        if found == option && takes != Takes::Glued {
            let next = words.get(at + 1)?.clone();
            return if takes == Takes::Pair {
                judge(text, behind_sign(text, next)?)
            } else {
                judge(text, next)
            };
        }
        if found.len() > option.len() + 3
            && found.starts_with(option)
            && matches!(takes, Takes::Glued | Takes::Both)
        {
            return judge(text, range.start + option.len()..range.end);
        }
    }
    None
}

/// What stands behind the first colon or percent sign.
fn behind_sign(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let sign = text.get(word.clone())?.find([':', '%'])?;
    Some(word.start + sign + 1..word.end)
}

/// `echo SECRET | docker login --password-stdin`, `echo "root:SECRET" | chpasswd`.
fn echoed(text: &str, at: usize) -> Hit {
    let words = words(text, at);
    let line = text.get(at..words.last()?.end)?;
    let value = words.get(1)?.clone();
    if line.contains("chpasswd") {
        return judge(text, behind_sign(text, value)?);
    }
    line.contains("-stdin").then(|| judge(text, value))?
}

/// A value that is no reference, no stand-in and no plain word.
fn judge(text: &str, range: Range<usize>) -> Hit {
    let found = text.get(range.clone())?;
    let real = found.len() >= 6
        && !found.contains(['/', '{', '<', '('])
        && !found.starts_with(['$', '-'])
        && !value::placeholder(found)
        && (value::chosen(found) || value::random(found));
    real.then_some((range, "password"))
}

/// The words of a command line, without their quotation marks.
fn words(text: &str, at: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let end = bytes.len().min(at + MAX_LINE_BYTES);
    let mut found = Vec::new();
    let mut from = at;
    while from < end && found.len() < MAX_WORDS {
        let byte = bytes.get(from).copied().unwrap_or(b'\n');
        if matches!(byte, b'\n' | b';') {
            break;
        }
        if byte == b' ' {
            from += 1;
            continue;
        }
        let quote = matches!(byte, b'"' | b'\'').then_some(byte);
        let start = from + usize::from(quote.is_some());
        let len = items(bytes, start..end.max(start))
            .iter()
            .take_while(|b| match quote {
                Some(quote) => **b != quote && **b != b'\n',
                None => !b.is_ascii_whitespace() && **b != b';',
            })
            .count();
        found.push(start..start + len);
        from = start + len + usize::from(quote.is_some());
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::scrub::{MASK, scrub};

    #[test]
    fn passwords_on_command_lines_go_and_options_stay() {
        for (before, after) in [
            ("sshpass -p Tr0ub4dor ssh h", "sshpass -p [] ssh h"),
            ("mysql -u root -pTr0ub4dor shop", "mysql -u root -p[] shop"),
            ("redis-cli -h r -a a8F3kd92LqPz71mN ping", "redis-cli -h r -a [] ping"),
            ("docker login -u a -p a8F3kd92LqPz71mN r", "docker login -u a -p [] r"),
            ("smbclient //n/s -U 'dana%Tr0ub4dor9'", "smbclient //n/s -U 'dana%[]'"),
            (
                "echo a8F3kd92LqPz71mN | docker login --password-stdin",
                "echo [] | docker login --password-stdin",
            ),
            ("htpasswd -b .htpasswd dana Tr0ub4dor", "htpasswd -b .htpasswd dana []"),
        ] {
            assert_eq!(scrub(before), after.replace("[]", MASK));
        }
        for text in [
            "mysql -u root -p shop", "docker run -p 8080:8080 img", "mkdir -p a1/b2c3d4",
            "ldapsearch -w $PW", "http -a user:$TOKEN GET x", "echo hello1 | tee x",
            "vault login -method=oidc", "7z x a.7z -pX", "net use Z: \\\\nas\\share", "psql -p 5432",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
