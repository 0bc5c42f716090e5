//! Secrets with a structure of their own: private key blocks, credentials in addresses, webhooks, basic authentication.

use super::part::{items, slice};
use super::value;
use std::ops::Range;

/// Where a private key's text may end when nothing says so.
const MAX_KEY_BYTES: usize = 64 << 10;

/// A private key block that begins at `at` (`-----BEGIN `). Public keys and certificates are none.
pub(super) fn private_key(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let rest = text.get(at..)?.strip_prefix("-----BEGIN ")?;
    let close = rest.get(..rest.len().min(64)).unwrap_or(rest).find("-----")?;
    let label = rest.get(..close)?;
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let head = at + 11 + close + 5;
    let bytes = text.as_bytes();
    let body = bytes.get(head..text.len().min(head + MAX_KEY_BYTES))?;
    // Key material: base64, line breaks (also written `\n`), headers of old formats.
    let mut material = 0;
    let mut len = 0;
    while let Some(byte) = body.get(len) {
        match byte {
            b'\\' if matches!(body.get(len + 1), Some(b'n' | b'r')) => len += 1,
            b if b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=') => material += 1,
            b if b.is_ascii_whitespace()
                || matches!(b, b':' | b',' | b'.' | b'"' | b'\'' | b'>' | b'|' | b'*') => {}
            b'-' if body.get(len..).is_some_and(|rest| rest.starts_with(b"-----")) => break,
            b'-' | b'_' | b'(' | b')' => {}
            _ => break,
        }
        len += 1;
    }
    let closed = items(body, len..).starts_with(b"-----END ");
    let line_start = at == 0 || bytes.get(at - 1) == Some(&b'\n');
    let alone = line_start && matches!(bytes.get(head), None | Some(b'\n' | b'\r'));
    if closed {
        let tail = text.get(head + len + 9..)?;
        let end = floor(tail, 64).find("-----").map_or(floor(tail, 40).len(), |end| end + 5);
        let inner = slice(text, head..head + len);
        let hollow = material < 4
            || inner.contains("...") && material < 16
            || inner.contains("your")
            || inner.contains("YOUR")
            || material <= 16 && inner.contains("XXX");
        return (!hollow).then_some((at..head + len + 9 + end, "private key"));
    }
    // Cut off before its end: only key material goes, prose behind a quoted header stays.
    let run = solid_run(body);
    if run >= 24 {
        return Some((at..head + len.min(run_end(body)), "private key"));
    }
    alone.then_some((at..head, "private key"))
}

/// The longest run of base64 near the beginning.
fn solid_run(body: &[u8]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in body.iter().take(400) {
        run = if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The end of the lines that hold long runs of base64.
fn run_end(body: &[u8]) -> usize {
    let (mut end, mut run) = (0, 0);
    for (at, byte) in body.iter().enumerate() {
        run = if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') { run + 1 } else { 0 };
        if run >= 24 || run > 0 && at.saturating_sub(end) <= run + 2 {
            end = at + 1;
        }
        if at.saturating_sub(end) > 200 {
            break;
        }
    }
    end
}

/// What is secret in the address whose `://` is at `at`: the password, or the path of a webhook.
/// Also how far the address was looked at.
pub(super) fn address(text: &str, at: usize) -> (Option<(Range<usize>, &'static str)>, usize) {
    let start = at + 3;
    let window = floor(slice(text, start..), 512);
    let end = window
        .bytes()
        .position(|b| {
            b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b')' | b']')
        })
        .unwrap_or(window.len());
    (in_address(slice(window, ..end), start), start + end)
}

fn in_address(address: &str, start: usize) -> Option<(Range<usize>, &'static str)> {
    let stop = address.find(['/', '?']).unwrap_or(address.len());
    // A password may hold a slash; the host cannot hold an `@`.
    let host = address.get(..stop)?;
    let odd = address
        .rfind('@')
        .and_then(|sign| address.get(..=sign))
        .filter(|user| user.find(':') < user.find('/') && user.contains(':'));
    let authority = if host.contains('@') { host } else { odd.unwrap_or(host) };
    if let Some((user, _)) = authority.rsplit_once('@') {
        return credentials(start, user, address);
    }
    webhook(start, authority, address)
}

fn credentials(start: usize, user: &str, address: &str) -> Option<(Range<usize>, &'static str)> {
    let Some((name, password)) = user.split_once(':') else {
        // `https://TOKEN@host`, and the key of a Sentry address.
        let sentry =
            user.len() == 32 && user.bytes().all(|b| b.is_ascii_hexdigit()) && address.contains("sentry");
        let token = user.len() >= 20 && value::random(user) && !value::placeholder(user);
        return (sentry || token).then(|| (start..start + user.len(), "token in an address"));
    };
    // A port is no password: `git@host:22`; neither is code: `:{}@`.
    let stands_in = value::placeholder(password) && !password.contains("localhost")
        || password.len() < 3
        || password == name
        || password.starts_with(['$', '{', '<', '%', '*', '[', '#'])
        || password.contains(['{', '}', '(', ' '])
        || password.split_once('/').is_some_and(|(port, _)| port.bytes().all(|b| b.is_ascii_digit()));
    (!stands_in).then(|| {
        let from = start + name.len() + 1;
        (from..from + password.len(), "password in an address")
    })
}

/// Addresses that are a secret as a whole.
const WEBHOOKS: &[(&str, &str, usize)] = &[
    ("hooks.slack.com", "/services/", 24),
    ("hooks.slack.com", "/workflows/", 24),
    ("hooks.slack.com", "/triggers/", 24),
    ("discord.com", "/api/webhooks/", 40),
    ("discordapp.com", "/api/webhooks/", 40),
    ("webhook.office.com", "/webhookb2/", 60),
    ("hooks.zapier.com", "/hooks/catch/", 8),
    ("outlook.office.com", "/webhook/", 60),
    ("chat.googleapis.com", "/v1/spaces/", 40),
    ("hook.integromat.com", "/", 20),
    ("maker.ifttt.com", "/trigger/", 24),
    ("open.feishu.cn", "/open-apis/bot/v2/hook/", 20),
    ("oapi.dingtalk.com", "/robot/send?access_token=", 40),
    ("qyapi.weixin.qq.com", "/cgi-bin/webhook/send?key=", 30),
    ("api.telegram.org", "/bot", 40),
];

fn webhook(start: usize, host: &str, address: &str) -> Option<(Range<usize>, &'static str)> {
    let (_, path, least) =
        WEBHOOKS.iter().find(|(known, path, _)| host.ends_with(known) && address.contains(path))?;
    let at = address.find(path)? + path.len();
    let tail = address.get(at..)?.trim_end_matches(['.', ',', ';']);
    let real = tail.len() >= *least
        && tail.bytes().any(|b| b.is_ascii_digit())
        && !value::placeholder(tail)
        && !tail.contains("T00000000");
    real.then(|| (start + at..start + at + tail.len(), "webhook address"))
}

/// Basic authentication behind `Basic `: the credentials of documentation are none.
pub(super) fn basic(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let rest = text.as_bytes().get(at..)?;
    let len = rest
        .iter()
        .take(512)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
        .count();
    let coded = text.get(at..at + len)?;
    let plain = crate::injection::encoded::base64(coded.as_bytes(), 512)?;
    let plain = String::from_utf8(plain).ok()?;
    let (name, password) = plain.split_once(':')?;
    let documented = value::placeholder(password)
        || password == name
        || plain == "Aladdin:open sesame"
        || password == "passwd";
    (len >= 8 && !documented && password.len() >= 3).then(|| (at..at + len, "basic authentication"))
}

/// `curl -u name:password`.
pub(super) fn user_flag(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let rest = text.get(at..)?;
    let skip = ["-u ", "--user ", "--user=", "--proxy-user ", "--proxy-user=", "-u"]
        .iter()
        .find(|flag| rest.starts_with(**flag))?
        .len();
    let body = rest.get(skip..)?;
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\''));
    let open = usize::from(quote.is_some());
    let body = floor(body.get(open..)?, 200);
    let end = body
        .find(|c: char| {
            Some(c) == quote || c.is_whitespace() || quote.is_none() && matches!(c, ';' | '|' | '"' | '\'')
        })
        .unwrap_or(body.len());
    let pair = body.get(..end)?;
    let (name, password) = pair.split_once(':')?;
    let real = !name.is_empty()
        && password.len() >= 5
        && !password.contains(['/', ':', '{'])
        && !value::placeholder(password)
        && value::chosen(password)
        && password != name;
    let from = at + skip + open + name.len() + 1;
    real.then(|| (from..from + password.len(), "password"))
}

/// The beginning of a text, at most `most` bytes, at a character's end.
pub(super) fn floor(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    slice(text, ..end)
}

/// A line of `.pgpass`: host, port, database, user, password. `at` is a colon behind the port's digits or before them.
pub(super) fn pgpass(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let back = at.saturating_sub(120);
    let begin = match items(bytes, back..at).iter().rposition(|b| *b == b'\n') {
        Some(line) => back + line + 1,
        None if back == 0 => 0,
        None => return None,
    };
    let line = floor(slice(text, begin..), 300);
    let line = line.split('\n').next()?;
    let mut fields = line.splitn(5, ':');
    let (host, port, database, user) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let password = fields.next()?.trim_end();
    let named = |field: &str| {
        !field.is_empty()
            && field.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'*'))
    };
    let number = port == "*" || (2..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    let real = named(host) && number && named(database) && named(user) && value::chosen(password);
    let from =
        begin + line.len() - line.rsplit_once(password).map_or(0, |(_, tail)| tail.len()) - password.len();
    (real && !value::placeholder(password)).then_some((from..from + password.len(), "password"))
}

/// The private lines of a PuTTY key: `at` is the colon behind `Private-Lines`.
pub(super) fn putty(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let start = at + 1 + text.get(at + 1..)?.find('\n')? + 1;
    let rest = floor(slice(text, start..), MAX_KEY_BYTES);
    let len = rest
        .lines()
        .take_while(|line| !line.contains(':') && !line.is_empty())
        .map(|line| line.len() + 1)
        .sum::<usize>();
    (len >= 20).then_some((start..(start + len).min(text.len()), "private key"))
}
