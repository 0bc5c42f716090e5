//! A JSON parser that keeps the byte span of every value and comment, for an editor that keeps foreign bytes.
//! ADR 0026 says why it is our own.

use std::ops::Range;

use sprag_protocol::agents::files::JsonSyntax;

/// Deeper nesting is refused: no settings file needs it, and the parser is recursive.
const MAX_DEPTH: usize = 128;

/// Why a settings text was not accepted, with its position (1-based).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct SettingsError {
    /// Line of the offending text.
    pub line: usize,
    /// Column of the offending text, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// One value and its span.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: JsonKind,
}

/// The data of a value. Numbers keep their text, so that `1.0` and `1e3` are never rewritten.
#[derive(Debug, Clone)]
pub(crate) enum JsonKind {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
}

/// A parsed text: its root and its comments, in order.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) root: Node,
    pub(crate) comments: Vec<Comment>,
}

/// A comment's span, and whether it is a line comment.
#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) span: Range<usize>,
    pub(crate) line: bool,
}

impl Node {
    /// The members, if this is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            JsonKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub(crate) fn elements(&self) -> Option<&[Node]> {
        match &self.kind {
            JsonKind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The value of `key`, if this is an object that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.members()?.iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The decoded text, if this is a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// True for `{}` and `[]`.
    pub(crate) fn is_empty_container(&self) -> bool {
        match &self.kind {
            JsonKind::Array(elements) => elements.is_empty(),
            JsonKind::Object(members) => members.is_empty(),
            _ => false,
        }
    }

    /// The name of this kind of value in messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "a boolean",
            JsonKind::Number(_) => "a number",
            JsonKind::String(_) => "a string",
            JsonKind::Array(_) => "an array",
            JsonKind::Object(_) => "an object",
        }
    }

    /// Equal as data: key order, whitespace and the notation of numbers and strings are ignored.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (JsonKind::Null, JsonKind::Null) => true,
            (JsonKind::Bool(a), JsonKind::Bool(b)) => a == b,
            (JsonKind::Number(a), JsonKind::Number(b)) => same_number(a, b),
            (JsonKind::String(a), JsonKind::String(b)) => a == b,
            (JsonKind::Array(a), JsonKind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same_as(y))
            }
            (JsonKind::Object(a), JsonKind::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|member| other.get(&member.key).is_some_and(|value| member.value.same_as(value)))
            }
            _ => false,
        }
    }
}

/// Beyond 2^53 two different integers can be the same `f64`: there only the text is compared.
fn same_number(a: &str, b: &str) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    a == b
        || match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => x.abs() < EXACT && x.total_cmp(&y).is_eq(),
            _ => false,
        }
}

/// True when two texts differ in layout only: the same data and the same comments.
/// A text that does not parse equals nothing; an empty one counts as `{}`.
pub(crate) fn same_content(a: &str, b: &str, syntax: JsonSyntax) -> bool {
    let comments = |tree: &Tree, text: &str| -> String {
        tree.comments.iter().filter_map(|comment| text.get(comment.span.clone())).collect()
    };
    match (parse(a, syntax), parse(b, syntax)) {
        (Ok(Some(x)), Ok(Some(y))) => x.root.same_as(&y.root) && comments(&x, a) == comments(&y, b),
        (Ok(None), Ok(None)) => a.trim() == b.trim(),
        (Ok(Some(tree)), Ok(None)) => bare(&tree) && b.trim().is_empty(),
        (Ok(None), Ok(Some(tree))) => bare(&tree) && a.trim().is_empty(),
        _ => false,
    }
}

fn bare(tree: &Tree) -> bool {
    tree.comments.is_empty() && tree.root.members().is_some_and(<[Member]>::is_empty)
}

/// Line and column (1-based, in characters) of a byte offset.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// An error about the byte at `offset`.
pub(crate) fn refuse(
    text: &str,
    offset: usize,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> SettingsError {
    let (line, column) = position(text, offset);
    SettingsError { line, column, message: message.into(), hint: hint.into() }
}

/// Parses a whole text; `None` when it holds nothing but whitespace (and comments, where they are allowed).
pub(crate) fn parse(text: &str, syntax: JsonSyntax) -> Result<Option<Tree>, SettingsError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, syntax, comments: Vec::new() };
    if text.starts_with('\u{feff}') {
        return Err(refuse(
            text,
            0,
            "the file starts with a byte order mark",
            "save it as UTF-8 without BOM, then run the command again",
        ));
    }
    parser.skip_blank()?;
    if parser.at == parser.bytes.len() {
        return Ok(None);
    }
    let root = parser.value(0)?;
    parser.skip_blank()?;
    if parser.at < parser.bytes.len() {
        return Err(parser.broken("text after the end of the JSON value"));
    }
    Ok(Some(Tree { root, comments: parser.comments }))
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    syntax: JsonSyntax,
    comments: Vec<Comment>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn broken(&self, message: impl Into<String>) -> SettingsError {
        refuse(self.text, self.at, message, "correct the file there, then run the command again")
    }

    fn unexpected(&self, wanted: &str) -> SettingsError {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.broken(format!("not valid JSON: expected {wanted}, found `{found}`")),
            None => self.broken(format!("not valid JSON: expected {wanted}, found the end of the file")),
        }
    }

    /// Skips whitespace, and comments where the agent reads them.
    fn skip_blank(&mut self) -> Result<(), SettingsError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), SettingsError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let line = rest.starts_with("//");
        if !line && !rest.starts_with("/*") {
            return Err(self.unexpected("a value"));
        }
        if self.syntax == JsonSyntax::Strict {
            return Err(refuse(
                self.text,
                self.at,
                "a comment, which the agent does not accept: it reads strict JSON only",
                "remove the comment, then run the command again",
            ));
        }
        let length = if line {
            // A carriage return before the newline belongs to the newline.
            let end = rest.find('\n').unwrap_or(rest.len());
            rest.get(..end).unwrap_or(rest).trim_end_matches('\r').len()
        } else {
            let inner = rest.get(2..).unwrap_or_default().find("*/");
            inner.ok_or_else(|| self.broken("not valid JSON: an unterminated comment"))? + 4
        };
        self.comments.push(Comment { span: self.at..self.at + length, line });
        self.at += length;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, SettingsError> {
        if depth > MAX_DEPTH {
            return Err(self.broken(format!("nested more than {MAX_DEPTH} levels deep")));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => JsonKind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", JsonKind::Bool(true))?,
            Some(b'f') => self.word("false", JsonKind::Bool(false))?,
            Some(b'n') => self.word("null", JsonKind::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn word(&mut self, word: &str, kind: JsonKind) -> Result<JsonKind, SettingsError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn number(&mut self) -> Result<JsonKind, SettingsError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(JsonKind::Number(self.text.get(start..self.at).unwrap_or_default().to_owned()))
    }

    fn digits(&mut self) -> Result<(), SettingsError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, SettingsError> {
        let open = self.at;
        self.at += 1;
        let mut decoded = String::new();
        loop {
            let run = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
                self.at += 1;
            }
            decoded.push_str(self.text.get(run..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(decoded);
                }
                Some(b'\\') => self.escape(&mut decoded)?,
                Some(_) => {
                    return Err(self.broken("not valid JSON: a line break or control character in a string"));
                }
                None => {
                    self.at = open;
                    return Err(self.broken("not valid JSON: an unterminated string"));
                }
            }
        }
    }

    fn escape(&mut self, decoded: &mut String) -> Result<(), SettingsError> {
        let plain = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(decoded),
            _ => return Err(self.broken("not valid JSON: an unknown escape in a string")),
        };
        decoded.push(plain);
        self.at += 2;
        Ok(())
    }

    fn unicode_escape(&mut self, decoded: &mut String) -> Result<(), SettingsError> {
        let first = self.hex(self.at)?;
        self.at += 6;
        let pair = (0xD800..0xDC00).contains(&first)
            && self.bytes.get(self.at) == Some(&b'\\')
            && self.bytes.get(self.at + 1) == Some(&b'u');
        if pair {
            let second = self.hex(self.at)?;
            if (0xDC00..0xE000).contains(&second) {
                self.at += 6;
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                decoded.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                return Ok(());
            }
        }
        // A lone surrogate is legal JSON that Rust cannot hold. It is only compared here, never written.
        decoded.push(char::from_u32(first).unwrap_or('\u{fffd}'));
        Ok(())
    }

    /// The four hexadecimal digits of the `\u` escape that starts at `at`.
    fn hex(&self, at: usize) -> Result<u32, SettingsError> {
        self.text
            .get(at + 2..at + 6)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.broken("not valid JSON: `\\u` needs four hexadecimal digits"))
    }

    fn array(&mut self, depth: usize) -> Result<JsonKind, SettingsError> {
        let mut elements = Vec::new();
        self.at += 1;
        self.skip_blank()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(JsonKind::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if !self.more(b']', "`,` or `]`")? {
                return Ok(JsonKind::Array(elements));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<JsonKind, SettingsError> {
        let mut members: Vec<Member> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        self.at += 1;
        self.skip_blank()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(JsonKind::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = start..self.at;
            if !seen.insert(key.clone()) {
                return Err(refuse(
                    self.text,
                    start,
                    format!("duplicate key \"{key}\": the agent uses only one of the two"),
                    "remove one of them, then run the command again",
                ));
            }
            self.skip_blank()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            self.skip_blank()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, key_span, value });
            if !self.more(b'}', "`,` or `}`")? {
                return Ok(JsonKind::Object(members));
            }
        }
    }

    /// After an element: true when another one follows, false when the container closed.
    fn more(&mut self, close: u8, wanted: &str) -> Result<bool, SettingsError> {
        self.skip_blank()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.skip_blank()?;
                if self.peek() == Some(close) {
                    return Err(refuse(
                        self.text,
                        comma,
                        "a trailing comma, which the agent does not accept",
                        "remove the comma, then run the command again",
                    ));
                }
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }
}
