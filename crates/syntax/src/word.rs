//! Words: quotes, escapes, parameters, substitutions.

use std::ops::Range;
use std::rc::Rc;

use super::ast::{Param, ParamOp, Part, Script, Which, Word};
use super::parse::{Parser, parse_at};

impl Word {
    /// A word of one quoted text.
    pub(crate) fn literal(text: String) -> Word {
        Word { raw: Rc::from(""), parts: vec![Part::Text { text, quoted: true }] }
    }

    /// The word's literal text; expansions count as nothing.
    pub(crate) fn plain_text(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            if let Part::Text { text, .. } = part {
                out.push_str(text);
            }
        }
        out
    }
}

/// Where a run of word characters ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Ends at blanks and operators.
    Bare,
    /// Ends at `"`.
    Quoted,
    /// Ends at `}` (inside `${name:-word}`) or at `stop`; blanks belong to it.
    Brace { quoted: bool, stop: u8 },
    /// Ends at a blank outside of parentheses (behind `=~`).
    Regex,
    /// The whole text (heredoc bodies, arithmetic).
    Whole,
}

impl Parser<'_> {
    /// A word at the cursor, or nothing when an operator or the end stands there.
    pub(super) fn word(&mut self) -> Option<Word> {
        let c = self.peek()?;
        let process = matches!(c, b'<' | b'>') && self.peek_at(1) == Some(b'(');
        if matches!(c, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')')
            || (matches!(c, b'<' | b'>') && !process)
        {
            return None;
        }
        Some(self.word_from_here())
    }

    /// Like [`Self::word`] but an empty word is a word (the right side of `a=`).
    pub(super) fn word_from_here(&mut self) -> Word {
        let start = self.pos;
        let mut parts = Vec::new();
        self.parts(Mode::Bare, &mut parts);
        let raw = Rc::from(self.slice(start, self.pos));
        Word { parts, raw }
    }

    /// A heredoc body that expands: like double quotes, but `"` is an ordinary character.
    pub(super) fn heredoc_word(&mut self, text: &str) -> Word {
        self.sub_word(text)
    }

    /// The text from `a` to `b` read as if in double quotes.
    pub(super) fn quoted_span(&mut self, a: usize, b: usize) -> Word {
        let text = self.slice(a, b).to_owned();
        self.sub_word(&text)
    }

    fn sub_word(&mut self, text: &str) -> Word {
        if !text.bytes().any(|c| matches!(c, b'$' | b'`' | b'\\')) {
            return Word::literal(text.to_owned());
        }
        if !self.enter() {
            return Word::default();
        }
        let mut inner = Parser::nested(text, self.depth);
        let mut parts = Vec::new();
        inner.parts(Mode::Whole, &mut parts);
        self.too_deep |= inner.too_deep;
        self.broken |= inner.broken;
        self.depth -= 1;
        Word { parts, raw: Rc::from("") }
    }

    fn parts(&mut self, mode: Mode, out: &mut Vec<Part>) {
        let quoted = matches!(mode, Mode::Quoted | Mode::Whole | Mode::Brace { quoted: true, .. });
        let mut text: Vec<u8> = Vec::new();
        let mut last = 0u8;
        let mut open = 0u32;
        while let Some(c) = self.peek() {
            match c {
                b'"' if mode == Mode::Quoted => break,
                b'}' if matches!(mode, Mode::Brace { .. }) => break,
                _ if matches!(mode, Mode::Brace { stop, .. } if stop == c) => break,
                b' ' | b'\t' | b'\n' | b'\r' if mode == Mode::Regex && open == 0 => break,
                b'(' if mode == Mode::Regex => {
                    open += 1;
                    text.push(c);
                    self.pos += 1;
                }
                b')' if mode == Mode::Regex => {
                    open = open.saturating_sub(1);
                    text.push(c);
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b')' if mode == Mode::Bare => break,
                b'(' if mode == Mode::Bare => {
                    // An extended glob `@(a|b)` belongs to the word; any other parenthesis ends it.
                    if matches!(last, b'?' | b'*' | b'+' | b'@' | b'!') {
                        self.extglob(&mut text);
                        last = b')';
                        continue;
                    }
                    break;
                }
                b'<' | b'>' if mode == Mode::Bare => {
                    if self.peek_at(1) != Some(b'(') {
                        break;
                    }
                    flush(&mut text, quoted, out);
                    self.pos += 2;
                    let script = self.nested_script();
                    out.push(Part::Process { script, write: c == b'>' });
                }
                b'\\' => {
                    let next = self.peek_at(1);
                    match next {
                        Some(b'\n') => self.pos += 2,
                        Some(n) if quoted => {
                            let special = matches!(n, b'$' | b'`' | b'\\')
                                || (n == b'"' && mode == Mode::Quoted)
                                || (n == b'}' && matches!(mode, Mode::Brace { .. }));
                            if !special {
                                text.push(b'\\');
                            }
                            text.push(n);
                            self.pos += 2;
                        }
                        Some(n) => {
                            self.escaped_newline |= n == b'n';
                            flush(&mut text, false, out);
                            // Take the whole character, not its first byte.
                            let len = self.char_len(self.pos + 1);
                            let t = self.slice(self.pos + 1, self.pos + 1 + len).to_owned();
                            out.push(Part::Text { text: t, quoted: true });
                            self.pos += 1 + len;
                        }
                        None => {
                            self.pos += 1;
                        }
                    }
                }
                b'\'' if !quoted => {
                    flush(&mut text, false, out);
                    let open = self.pos;
                    self.pos += 1;
                    let start = self.pos;
                    let close = self.b.get(start..).and_then(|r| r.iter().position(|c| *c == b'\''));
                    let end = close.map_or(self.b.len(), |e| start + e);
                    if close.is_none() {
                        self.never_closes(open);
                    }
                    out.push(Part::Text { text: self.slice(start, end).to_owned(), quoted: true });
                    self.pos = (end + 1).min(self.b.len());
                    self.data.push(start..end);
                }
                b'"' if mode != Mode::Whole => {
                    flush(&mut text, quoted, out);
                    self.double_quoted(out);
                }
                b'$' => self.dollar(mode, quoted, &mut text, out),
                b'`' => {
                    flush(&mut text, quoted, out);
                    self.backticks(quoted, out);
                }
                _ => {
                    text.push(c);
                    self.pos += 1;
                }
            }
            last = c;
        }
        flush(&mut text, quoted, out);
    }

    fn char_len(&self, at: usize) -> usize {
        let mut len = 1;
        while at + len < self.b.len() && !self.src.is_char_boundary(at + len) {
            len += 1;
        }
        len
    }

    fn extglob(&mut self, text: &mut Vec<u8>) {
        let mut open = 0u32;
        while let Some(c) = self.peek() {
            match c {
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                b'\n' => return,
                _ => {}
            }
            text.push(c);
            self.pos += 1;
            if open == 0 {
                return;
            }
        }
    }

    fn double_quoted(&mut self, out: &mut Vec<Part>) {
        let open = self.pos;
        self.pos += 1;
        if !self.enter() {
            return;
        }
        let before = out.len();
        self.parts(Mode::Quoted, out);
        self.depth = self.depth.saturating_sub(1);
        if out.len() == before {
            // `""` is a word (an empty one).
            out.push(Part::Text { text: String::new(), quoted: true });
        }
        self.data.push(open + 1..self.pos);
        if self.peek() == Some(b'"') {
            self.pos += 1;
        } else {
            self.never_closes(open);
        }
    }

    /// The quote at `open` is never closed: no shell runs the line.
    fn never_closes(&mut self, open: usize) {
        self.open_quote.get_or_insert(open);
        self.reject();
    }

    /// A regular expression behind `=~`.
    pub(super) fn regex_word(&mut self) -> Word {
        let start = self.pos;
        let mut parts = Vec::new();
        self.parts(Mode::Regex, &mut parts);
        Word { parts, raw: Rc::from(self.slice(start, self.pos)) }
    }

    fn nested_script(&mut self) -> Rc<Script> {
        if !self.enter() {
            return Rc::default();
        }
        let script = self.list_to_paren();
        self.depth -= 1;
        Rc::new(script)
    }

    fn backticks(&mut self, quoted: bool, out: &mut Vec<Part>) {
        let open = self.pos;
        self.pos += 1;
        let mut inner: Vec<u8> = Vec::new();
        let mut closed = false;
        while let Some(c) = self.peek() {
            self.pos += 1;
            match c {
                b'`' => {
                    closed = true;
                    break;
                }
                b'\\' => match self.peek() {
                    Some(n @ (b'`' | b'\\' | b'$')) => {
                        inner.push(n);
                        self.pos += 1;
                    }
                    Some(b'"') if quoted => {
                        inner.push(b'"');
                        self.pos += 1;
                    }
                    _ => inner.push(b'\\'),
                },
                _ => inner.push(c),
            }
        }
        if !closed {
            self.never_closes(open);
        }
        if !self.enter() {
            return;
        }
        let parsed = parse_at(&String::from_utf8_lossy(&inner), self.depth);
        self.depth -= 1;
        self.too_deep |= parsed.too_deep;
        self.broken |= parsed.broken;
        out.push(Part::Command { script: Rc::new(parsed.script), quoted });
    }

    fn dollar(&mut self, mode: Mode, quoted: bool, text: &mut Vec<u8>, out: &mut Vec<Part>) {
        match self.peek_at(1) {
            Some(b'\'') if !quoted => {
                flush(text, quoted, out);
                self.pos += 2;
                let start = self.pos;
                let t = self.ansi_c();
                let closed = self.b.get(self.pos - 1) == Some(&b'\'') && self.open_quote.is_none();
                self.data.push(start..self.pos - usize::from(closed));
                out.push(Part::Text { text: t, quoted: true });
            }
            Some(b'"') if !quoted || matches!(mode, Mode::Brace { .. }) => {
                flush(text, quoted, out);
                self.pos += 1;
                self.double_quoted(out);
            }
            Some(b'(') => {
                flush(text, quoted, out);
                if self.peek_at(2) == Some(b'(')
                    && let Some(end) = self.arithmetic_end(self.pos + 3)
                {
                    let inner = self.quoted_span(self.pos + 3, end);
                    self.pos = end + 2;
                    out.push(Part::Arith { inner });
                    return;
                }
                self.pos += 2;
                let script = self.nested_script();
                out.push(Part::Command { script, quoted });
            }
            Some(b'[') => {
                // `$[ … ]`, the old arithmetic.
                let close = self.b.get(self.pos..).and_then(|r| r.iter().take(400).position(|c| *c == b']'));
                if let Some(len) = close {
                    flush(text, quoted, out);
                    let inner = self.quoted_span(self.pos + 2, self.pos + len);
                    self.pos += len + 1;
                    out.push(Part::Arith { inner });
                } else {
                    text.push(b'$');
                    self.pos += 1;
                }
            }
            Some(b'{') => {
                flush(text, quoted, out);
                let start = self.pos;
                self.pos += 2;
                if self.enter() {
                    let mut param = self.braced_param(quoted);
                    param.at = start..self.pos;
                    self.depth = self.depth.saturating_sub(1);
                    out.push(Part::Param { param: Rc::new(param), quoted });
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => {
                flush(text, quoted, out);
                self.pos += 1;
                let start = self.pos;
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
                    self.pos += 1;
                }
                let name = self.slice(start, self.pos).to_owned();
                let param = Rc::new(Param::plain(name, start - 1..self.pos));
                out.push(Part::Param { param, quoted });
            }
            Some(c) if c.is_ascii_digit() || matches!(c, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                flush(text, quoted, out);
                self.pos += 2;
                let param = Param::plain(char::from(c).to_string(), self.pos - 2..self.pos);
                out.push(Part::Param { param: Rc::new(param), quoted });
            }
            _ => {
                text.push(b'$');
                self.pos += 1;
            }
        }
    }

    fn braced_param(&mut self, quoted: bool) -> Param {
        let mut param = Param::plain(String::new(), self.pos..self.pos);
        match self.peek() {
            Some(b'#') if self.peek_at(1) != Some(b'}') => {
                param.length = true;
                self.pos += 1;
            }
            Some(b'!') if self.peek_at(1) != Some(b'}') => {
                param.indirect = true;
                self.pos += 1;
            }
            _ => {}
        }
        let start = self.pos;
        if self.peek().is_some_and(|c| matches!(c, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) {
            self.pos += 1;
        } else {
            while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
                self.pos += 1;
            }
        }
        self.slice(start, self.pos).clone_into(&mut param.name);
        if self.peek() == Some(b'[') {
            let close = self.b.get(self.pos..).and_then(|r| r.iter().take(400).position(|c| *c == b']'));
            if let Some(len) = close {
                param.index = Some(self.slice(self.pos + 1, self.pos + len).to_owned());
                self.pos += len + 1;
            }
        }
        let colon = self.peek() == Some(b':');
        let op = if colon { self.peek_at(1) } else { self.peek() };
        let kind = match op {
            Some(k @ (b'-' | b'=' | b'+' | b'?')) => {
                self.pos += 1 + usize::from(colon);
                let word = self.brace_word(quoted);
                match k {
                    b'-' => ParamOp::Default(word, colon),
                    b'=' => ParamOp::Assign(word, colon),
                    b'+' => ParamOp::Alternative(word, colon),
                    _ => ParamOp::Error,
                }
            }
            _ if self.peek() == Some(b'}') => ParamOp::None,
            _ if colon => {
                self.pos += 1;
                let from = self.brace_part(true, b':');
                let len = (self.peek() == Some(b':')).then(|| {
                    self.pos += 1;
                    self.brace_word(true)
                });
                ParamOp::Slice(from, len)
            }
            _ => self.param_edit(quoted),
        };
        param.op = kind;
        if self.peek() == Some(b'}') {
            self.pos += 1;
        } else {
            self.broken = true;
        }
        param
    }

    /// The operators that change a value. Quotes in their patterns count, also inside double quotes.
    fn param_edit(&mut self, quoted: bool) -> ParamOp {
        match self.peek() {
            Some(c @ (b'#' | b'%')) => {
                self.pos += 1;
                let longest = self.peek() == Some(c);
                self.pos += usize::from(longest);
                ParamOp::Cut { end: c == b'%', longest, pattern: self.brace_word(false) }
            }
            Some(b'/') => {
                self.pos += 1;
                let which = match self.peek() {
                    Some(b'/') => Which::All,
                    Some(b'#') => Which::Start,
                    Some(b'%') => Which::End,
                    _ => Which::First,
                };
                self.pos += usize::from(which != Which::First);
                let pattern = self.brace_part(false, b'/');
                let mut with = Word::default();
                if self.peek() == Some(b'/') {
                    self.pos += 1;
                    with = self.brace_word(false);
                }
                ParamOp::Replace { which, pattern, with }
            }
            Some(c @ (b'^' | b',')) => {
                self.pos += 1;
                let all = self.peek() == Some(c);
                self.pos += usize::from(all);
                ParamOp::Case { upper: c == b'^', all, pattern: self.brace_word(false) }
            }
            Some(b'@') if self.peek_at(2) == Some(b'}') => {
                let how = self.peek_at(1).unwrap_or_default();
                self.pos += 2;
                ParamOp::Transform(how)
            }
            _ => ParamOp::Other(self.brace_word(quoted)),
        }
    }

    fn brace_word(&mut self, quoted: bool) -> Word {
        self.brace_part(quoted, b'}')
    }

    /// A word inside braces, up to `stop` or the closing brace.
    fn brace_part(&mut self, quoted: bool, stop: u8) -> Word {
        let start = self.pos;
        let mut parts = Vec::new();
        self.parts(Mode::Brace { quoted, stop }, &mut parts);
        Word { parts, raw: Rc::from(self.slice(start, self.pos)) }
    }

    /// Where the `))` that closes an arithmetic opened before `from` stands; none when this is not arithmetic.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let mut open = 0usize;
        let mut at = from;
        while let Some(c) = self.b.get(at) {
            match c {
                b'(' => open += 1,
                b')' => {
                    if open == 0 {
                        return (self.b.get(at + 1) == Some(&b')')).then_some(at);
                    }
                    open -= 1;
                }
                b'\'' | b'"' if open == 0 => {}
                // A heredoc or a newline-separated list is not arithmetic; bounded look-ahead keeps this linear.
                _ if at - from > 4096 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The body of `$'…'`; the cursor is behind the opening quote.
    fn ansi_c(&mut self) -> String {
        let open = self.pos.saturating_sub(1);
        let mut out: Vec<u8> = Vec::new();
        let mut escaped = false;
        while let Some(c) = self.peek() {
            self.pos += 1;
            match c {
                b'\'' => return String::from_utf8_lossy(&out).into_owned(),
                b'\\' => {
                    let Some(n) = self.peek() else { break };
                    self.pos += 1;
                    match n {
                        b'n' => out.push(b'\n'),
                        b't' => out.push(b'\t'),
                        b'r' => out.push(b'\r'),
                        b'a' => out.push(7),
                        b'b' => out.push(8),
                        b'e' | b'E' => out.push(27),
                        b'f' => out.push(12),
                        b'v' => out.push(11),
                        b'c' => {
                            if let Some(x) = self.peek() {
                                self.pos += 1;
                                out.push(x & 0x1f);
                            }
                        }
                        b'x' | b'u' | b'U' if !self.peek().is_some_and(|d| d.is_ascii_hexdigit()) => {
                            out.extend([b'\\', n]);
                        }
                        b'x' => self.code(16, 2, &mut out),
                        b'u' => self.code(16, 4, &mut out),
                        b'U' => self.code(16, 8, &mut out),
                        b'0'..=b'7' => {
                            self.pos -= 1;
                            self.code(8, 3, &mut out);
                        }
                        b'\\' | b'\'' | b'"' | b'?' => {
                            escaped |= n == b'\'';
                            out.push(n);
                        }
                        _ => {
                            out.push(b'\\');
                            out.push(n);
                        }
                    }
                }
                _ => out.push(c),
            }
        }
        self.open_ansi |= escaped;
        self.never_closes(open);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn code(&mut self, radix: u32, max: usize, out: &mut Vec<u8>) {
        let mut value = 0u32;
        let mut n = 0;
        while n < max {
            let Some(d) = self.peek().and_then(|c| char::from(c).to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(d);
            self.pos += 1;
            n += 1;
        }
        if max <= 3 {
            // A byte, not a character.
            out.push((value & 0xff) as u8);
        } else if let Some(ch) = char::from_u32(value) {
            let mut buf = [0u8; 4];
            out.extend_from_slice(ch.encode_utf8(&mut buf).as_bytes());
        }
    }
}

impl Param {
    fn plain(name: String, at: Range<usize>) -> Param {
        Param { name, length: false, indirect: false, index: None, op: ParamOp::None, at }
    }
}

fn flush(text: &mut Vec<u8>, quoted: bool, out: &mut Vec<Part>) {
    if !text.is_empty() {
        let t = String::from_utf8_lossy(text).into_owned();
        text.clear();
        out.push(Part::Text { text: t, quoted });
    }
}
