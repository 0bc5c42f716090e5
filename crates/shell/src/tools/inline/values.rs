//! Arguments of calls: which tokens belong to them and what they are worth.

use crate::model::{HOLE, Taint};
use crate::text::items;

use super::Lang;
use super::lex::Tok;

/// The value of an expression: its text as far as it is literal, and where it comes from.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    pub(super) text: Option<String>,
    pub(super) list: Option<Vec<String>>,
    pub(super) taint: Taint,
    /// The function that it stands for.
    pub(super) name: Option<String>,
}

impl Value {
    /// The function that a variable with this value calls.
    pub(super) fn function(&self, lang: Lang) -> Option<String> {
        let by_text = self.text.clone().filter(|_| lang == Lang::Php);
        self.name.clone().or(by_text)
    }
}

const DECODERS: &[&str] = &[
    "b64decode", "urlsafe_b64decode", "standard_b64decode", "b32decode", "b16decode", "a85decode",
    "b85decode", "decodebytes", "decodestring", "unhexlify", "a2b_base64", "a2b_hex", "fromhex", "decode64",
    "strict_decode64", "urlsafe_decode64", "atob", "base64_decode", "hex2bin", "unpack", "decode_base64",
    "decompress", "gzinflate", "str_rot13", "convert_uudecode", "gunzipSync", "inflateSync", "unpack1",
];

const FETCHERS: &[&str] = &[
    "urlopen", "urlretrieve", "requests.get", "requests.post", "httpx.get", "http.get", "https.get", "fetch",
    "axios.get", "axios", "curl_exec", "Net::HTTP.get", "URI.open", "LWP::Simple.get", "getstore",
    "http.request", "https.request", "got", "URI.parse.read",
];

/// Where the statement ends that `from` is in.
pub(super) fn statement_end(tokens: &[Tok], from: usize) -> usize {
    end_of(tokens, from, true)
}

pub(super) fn arguments(tokens: &[Tok], from: usize) -> Vec<&[Tok]> {
    split_args(items(tokens, from..end_of(tokens, from, false)))
}

/// The bracket that closes what `from` is in, or with `lines` the end of a line or statement before it.
fn end_of(tokens: &[Tok], from: usize, lines: bool) -> usize {
    let mut depth = 0i32;
    let mut i = from;
    while let Some(t) = tokens.get(i) {
        match t {
            Tok::Punct('(' | '[' | '{') => depth += 1,
            Tok::Punct(')' | ']' | '}') => {
                depth -= 1;
                if depth < 0 {
                    return i;
                }
            }
            Tok::End if lines && depth <= 0 => return i,
            _ => {}
        }
        i += 1;
        if i - from > 2000 {
            return i;
        }
    }
    i
}

pub(super) fn split_args(tokens: &[Tok]) -> Vec<&[Tok]> {
    let mut out = Vec::new();
    let mut depth = 0i32;
    let mut start = 0;
    for (i, t) in tokens.iter().enumerate() {
        match t {
            Tok::Punct('(' | '[' | '{') => depth += 1,
            Tok::Punct(')' | ']' | '}') => depth -= 1,
            Tok::Punct(',') if depth == 0 => {
                out.push(items(tokens, start..i));
                start = i + 1;
            }
            _ => {}
        }
    }
    if start < tokens.len() {
        out.push(items(tokens, start..));
    }
    out
}

/// The first literal anywhere in an argument (`expanduser("~/x")`, `Path("x")`).
pub(super) fn inner_literal(tokens: &[Tok]) -> Option<String> {
    let home = tokens.iter().any(|t| matches!(t, Tok::Name(n) if n.ends_with("Path.home") || n.ends_with("homedir") || n.ends_with("Dir.home")));
    let lit = tokens.iter().find_map(|t| match t {
        Tok::Str(s) => Some(s.clone()),
        _ => None,
    });
    match (home, lit) {
        (true, Some(l)) => Some(format!("~/{}", l.trim_start_matches('/'))),
        (true, None) => Some("~".to_owned()),
        (false, l) => l.filter(|_| tokens.contains(&Tok::Punct('('))),
    }
}

pub(super) fn value(tokens: &[Tok], vars: &[(String, Value)]) -> Value {
    let mut taint = Taint::NONE;
    for t in tokens {
        // What a command in backticks downloads is a value of the network.
        if let Tok::Shell(code) = t
            && code.split_whitespace().next().is_some_and(|word| matches!(word, "curl" | "wget" | "fetch"))
        {
            taint = taint.and(Taint::REMOTE);
        }
        if let Tok::Name(n) = t {
            if is_decoder(n) {
                taint = taint.and(Taint::DECODED);
            }
            if is_fetcher(n) {
                taint = taint.and(Taint::REMOTE);
            }
            let root = n.split('.').next().unwrap_or(n);
            if let Some((_, v)) = vars.iter().rev().find(|(k, _)| k == n || k == root) {
                taint = taint.and(v.taint);
            }
            let buffer = n.ends_with("Buffer.from") || n == "Buffer.from" || n == "bytes.fromhex";
            if buffer
                && tokens.iter().any(|t| matches!(t, Tok::Str(s) if matches!(s.as_str(), "base64" | "hex")))
            {
                taint = taint.and(Taint::DECODED);
            }
        }
    }
    if let [Tok::Punct('['), inner @ .., Tok::Punct(']')] = tokens {
        let list = split_args(inner)
            .iter()
            .map(|a| value(a, vars).text.unwrap_or_else(|| HOLE.to_string()))
            .collect();
        return Value { list: Some(list), taint, ..Value::default() };
    }
    if let [Tok::Name(n)] = tokens
        && let Some((_, v)) = vars.iter().rev().find(|(k, _)| k == n)
    {
        return Value { taint: taint.and(v.taint), ..v.clone() };
    }
    // A sum of literals and names.
    let mut text = String::new();
    let mut known = false;
    for t in tokens {
        match t {
            Tok::Str(s) => {
                known = true;
                text.push_str(s);
            }
            Tok::Punct('+' | '.') => {}
            Tok::Name(n) if n == "." => {}
            Tok::Name(n) => match vars.iter().rev().find(|(k, _)| k == n).and_then(|(_, v)| v.text.clone()) {
                Some(v) => {
                    known = true;
                    text.push_str(&v);
                }
                None => text.push(HOLE),
            },
            _ => return Value { taint, ..Value::default() },
        }
    }
    Value { text: known.then_some(text), taint, ..Value::default() }
}

pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

pub(super) fn is_decoder(name: &str) -> bool {
    name == "codecs.decode" || DECODERS.contains(&last(name))
}

pub(super) fn is_fetcher(name: &str) -> bool {
    FETCHERS.iter().any(|f| {
        name == *f || (f.contains('.') && name.ends_with(f)) || (!f.contains('.') && last(name) == *f)
    })
}
