//! The command grammar. A recursive descent over bytes that never fails: what bash would reject is noted in
//! [`Parsed`] and the rest is read as if the offending token were not there, so that the pieces are still judged.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use crate::text::slice;

use super::ast::{
    Assign, AssignValue, Command, CommandKind, Item, Link, Part, Pipeline, Redirect, RedirectOp, Script, Word,
};

/// Deepest nesting of compound commands and substitutions that is followed.
pub(super) const MAX_DEPTH: u32 = 48;

/// A parsed program and what was wrong with it.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The tree.
    pub script: Script,
    /// Some token did not fit the grammar.
    pub broken: bool,
    /// Nesting went past the limit; what is below was not read.
    pub too_deep: bool,
    /// Byte position of a quote that is never closed.
    pub open_quote: Option<usize>,
    /// The quote that never closes is `$'…\'`: one that closes to a shell that does not know `$'`.
    pub open_ansi: bool,
    /// A group that only zsh closes: `{ a }`.
    pub zsh_braces: bool,
    /// A `[[` that never closes: a command to a shell that does not know it.
    pub open_test: bool,
    /// An unquoted `\n` (backslash, letter n) inside a word: a newline that was escaped once too often.
    pub escaped_newline: bool,
    /// Where quoted text and the bodies of heredocs stand, in the order in which they end.
    pub data: Vec<Range<usize>>,
}

/// Parse a program. Never fails; see [`Parsed`] for what was off. A line that bash, zsh and dash all reject, and what
/// stands behind it, is not part of the script: none of them runs it.
pub fn parse(text: &str) -> Parsed {
    parse_at(text, 0)
}

/// A text read as if it stood in double quotes.
pub fn quoted_word(text: &str) -> Word {
    Parser::nested(text, 0).quoted_span(0, text.len())
}

pub(super) fn parse_at(text: &str, depth: u32) -> Parsed {
    let mut p = Parser::nested(text, depth);
    let mut script = Script::default();
    loop {
        p.list_into(&[], &mut script, true);
        if p.pos >= p.b.len() {
            break;
        }
        // A closing token nobody opened: note it and go on behind it.
        p.reject();
        p.skip_token();
    }
    p.read_heredocs();
    if let Some(kept) = p.rejected.filter(|_| !p.too_deep) {
        script.items.truncate(kept);
    }
    Parsed {
        script,
        broken: p.broken,
        too_deep: p.too_deep,
        open_quote: p.open_quote,
        open_ansi: p.open_ansi,
        zsh_braces: p.zsh_braces,
        open_test: p.open_test,
        escaped_newline: p.escaped_newline,
        data: p.data,
    }
}

/// The redirection operators, longest first.
const REDIRECTS: &[(&[u8], RedirectOp)] = &[
    (b"&>>", RedirectOp::AppendOutAndErr),
    (b"&>", RedirectOp::OutAndErr),
    (b"<<<", RedirectOp::HereString),
    (b"<<", RedirectOp::HereDoc),
    (b"<&", RedirectOp::DupIn),
    (b"<>", RedirectOp::InOut),
    (b"<", RedirectOp::In),
    (b">>", RedirectOp::Append),
    (b">&", RedirectOp::DupOut),
    (b">|", RedirectOp::Out),
    (b">", RedirectOp::Out),
];

struct PendingDoc {
    body: Rc<OnceCell<Word>>,
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
}

pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) b: &'a [u8],
    pub(super) pos: usize,
    pub(super) depth: u32,
    pending: Vec<PendingDoc>,
    pub(super) broken: bool,
    pub(super) too_deep: bool,
    pub(super) open_quote: Option<usize>,
    pub(super) open_ansi: bool,
    pub(super) zsh_braces: bool,
    pub(super) open_test: bool,
    pub(super) escaped_newline: bool,
    pub(super) data: Vec<Range<usize>>,
    /// How many items of the program stand on the lines before the one at hand.
    line: usize,
    /// How many items stand before the first line that every shell rejects.
    rejected: Option<usize>,
}

impl<'a> Parser<'a> {
    /// A parser for `text` that starts `depth` levels down.
    pub(super) fn nested(text: &'a str, depth: u32) -> Parser<'a> {
        Parser {
            src: text,
            b: text.as_bytes(),
            pos: 0,
            depth,
            pending: Vec::new(),
            broken: false,
            too_deep: false,
            open_quote: None,
            open_ansi: false,
            zsh_braces: false,
            open_test: false,
            escaped_newline: false,
            data: Vec::new(),
            line: 0,
            rejected: None,
        }
    }

    /// No shell runs the line at hand, nor what stands behind it.
    pub(super) fn reject(&mut self) {
        self.broken = true;
        self.rejected.get_or_insert(self.line);
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.b.get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.b.get(self.pos + ahead).copied()
    }

    pub(super) fn starts(&self, s: &str) -> bool {
        self.b.get(self.pos..).is_some_and(|rest| rest.starts_with(s.as_bytes()))
    }

    pub(super) fn eat(&mut self, s: &str) -> bool {
        let hit = self.starts(s);
        if hit {
            self.pos += s.len();
        }
        hit
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        slice(self.src, from..to)
    }

    /// Enter a nested construct; false (and everything skipped) past the limit.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.too_deep = true;
            self.pos = self.b.len();
            return false;
        }
        self.depth += 1;
        true
    }

    /// Blanks, line continuations and comments; not newlines.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                Some(b'\\') if self.peek_at(1) == Some(b'\r') && self.peek_at(2) == Some(b'\n') => {
                    self.pos += 3;
                }
                Some(b'#') => {
                    while self.peek().is_some_and(|c| c != b'\n') {
                        self.pos += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Blanks and newlines; a newline is where pending heredocs are read. Whether there was one.
    pub(super) fn gap(&mut self) -> bool {
        let mut newline = false;
        loop {
            self.blanks();
            if self.peek() == Some(b'\n') {
                self.pos += 1;
                self.read_heredocs();
                newline = true;
            } else {
                return newline;
            }
        }
    }

    fn read_heredocs(&mut self) {
        for doc in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            let from = self.pos;
            while self.pos < self.b.len() {
                let start = self.pos;
                let end = self.b.get(start..).and_then(|r| r.iter().position(|c| *c == b'\n'));
                let stop = end.map_or(self.b.len(), |e| start + e);
                let mut line = self.slice(start, stop);
                if doc.strip_tabs {
                    line = line.trim_start_matches('\t');
                }
                let done = line.strip_suffix('\r').unwrap_or(line) == doc.delimiter;
                if !done {
                    text.push_str(line);
                    text.push('\n');
                }
                self.pos = (stop + 1).min(self.b.len());
                if done {
                    break;
                }
            }
            self.data.push(from..self.pos);
            let word = if doc.quoted { Word::literal(text) } else { self.heredoc_word(&text) };
            // Each heredoc has its own cell and is read once.
            let _ = doc.body.set(word);
        }
    }

    /// The reserved word at the cursor, if a whole plain word stands there.
    pub(super) fn keyword(&self) -> &str {
        let mut end = self.pos;
        while let Some(c) = self.b.get(end) {
            match c {
                b'a'..=b'z' => end += 1,
                b'{' | b'}' | b'!' | b'[' | b']' => end += 1,
                _ => break,
            }
        }
        let stops = match self.b.get(end) {
            None => true,
            Some(c) => {
                matches!(c, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            }
        };
        if stops { self.slice(self.pos, end) } else { "" }
    }

    pub(super) fn skip_token(&mut self) {
        let word = self.keyword().len();
        self.pos = (self.pos + word.max(1)).min(self.b.len());
        // Stay on a character boundary.
        while self.pos < self.b.len() && !self.src.is_char_boundary(self.pos) {
            self.pos += 1;
        }
    }

    /// A list up to one of the closing words or `)`; the closer is left at the cursor.
    pub(super) fn list(&mut self, closers: &[&str]) -> Script {
        let mut script = Script::default();
        self.list_into(closers, &mut script, false);
        script
    }

    fn list_into(&mut self, closers: &[&str], script: &mut Script, top: bool) {
        loop {
            if self.gap() && top {
                self.line = script.items.len();
            }
            let Some(c) = self.peek() else { break };
            match c {
                b')' => break,
                b';' if closers.contains(&";;")
                    && self.starts(";")
                    && matches!(self.peek_at(1), Some(b';' | b'&')) =>
                {
                    break;
                }
                b';' | b'&' | b'|' => {
                    // An operator without a command before it. zsh takes a lone `;`.
                    self.broken = true;
                    if c == b'|' || self.starts("&&") || self.starts(";;") {
                        self.reject();
                    }
                    self.pos += 1;
                    continue;
                }
                _ => {}
            }
            let kw = self.keyword();
            if closers.contains(&kw) {
                break;
            }
            if matches!(kw, "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}") {
                break;
            }
            let before = self.pos;
            let item = self.item();
            if let Some(item) = item {
                script.items.push(item);
            }
            if self.pos == before {
                break;
            }
        }
    }

    fn item(&mut self) -> Option<Item> {
        let first = self.pipeline()?;
        let mut item = Item { first, rest: Vec::new(), background: false };
        loop {
            self.blanks();
            let link = if self.eat("&&") {
                Link::And
            } else if self.eat("||") {
                Link::Or
            } else {
                break;
            };
            self.gap();
            match self.pipeline() {
                Some(next) => item.rest.push((link, next)),
                None => self.operator_missing(),
            }
        }
        if self.peek() == Some(b'&') && self.peek_at(1) != Some(b'&') {
            self.pos += 1;
            item.background = true;
        } else if self.peek() == Some(b';') && !matches!(self.peek_at(1), Some(b';' | b'&')) {
            self.pos += 1;
        }
        Some(item)
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let mut line = Pipeline::default();
        loop {
            self.blanks();
            match self.keyword() {
                "!" => {
                    self.pos += 1;
                    line.negated = !line.negated;
                }
                "time" => {
                    self.pos += 4;
                    self.blanks();
                    if self.starts("-p ") {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
        }
        loop {
            if let Some(c) = self.command() {
                line.stages.push(c);
            } else {
                if !line.stages.is_empty() {
                    self.operator_missing();
                }
                break;
            }
            self.blanks();
            if self.starts("||") {
                break;
            }
            if self.eat("|&") || self.eat("|") {
                self.gap();
                continue;
            }
            break;
        }
        (!line.stages.is_empty()).then_some(line)
    }

    /// No command stands behind `&&`, `||` or `|`.
    fn operator_missing(&mut self) {
        self.broken = true;
        if self.peek() == Some(b'|') || self.starts("&&") {
            self.reject();
        }
    }

    pub(super) fn command(&mut self) -> Option<Command> {
        self.blanks();
        let compound = self.compound();
        let mut command = match compound {
            Some(kind) => Command { kind, redirects: Vec::new() },
            None => return self.simple(),
        };
        loop {
            self.blanks();
            match self.redirect() {
                Some(r) => command.redirects.push(r),
                None => break,
            }
        }
        // Words after a compound command are an error to bash; read them so that they are not lost.
        Some(command)
    }

    /// A list and its `)`. Stray closers on the way are noted and what follows them is kept.
    pub(super) fn list_to_paren(&mut self) -> Script {
        let mut script = self.list(&[]);
        loop {
            self.gap();
            match self.peek() {
                Some(b')') => {
                    self.pos += 1;
                    return script;
                }
                None => {
                    self.reject();
                    return script;
                }
                Some(_) => {
                    self.reject();
                    self.skip_token();
                    script.items.extend(self.list(&[]).items);
                }
            }
        }
    }

    fn simple(&mut self) -> Option<Command> {
        let mut assigns = Vec::new();
        let mut words = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(r) = self.redirect() {
                redirects.push(r);
                continue;
            }
            if words.is_empty()
                && let Some(a) = self.assignment()
            {
                assigns.push(a);
                continue;
            }
            // `export x=(a b)`: an array as an argument.
            if !words.is_empty()
                && self.assignment_name_end().is_some_and(|(e, _)| self.b.get(e) == Some(&b'('))
                && let Some(a) = self.assignment()
            {
                assigns.push(a);
                continue;
            }
            match self.word() {
                Some(w) => words.push(w),
                None if self.peek() == Some(b'(') && !words.is_empty() => {
                    // `word (`: not shell; read the inside as a subshell would be.
                    self.broken = true;
                    break;
                }
                None => break,
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return None;
        }
        Some(Command { kind: CommandKind::Simple { assigns, words }, redirects })
    }

    /// Where the value of `name=` / `name[…]=` / `name+=` starts, and whether it appends.
    fn assignment_name_end(&self) -> Option<(usize, bool)> {
        let mut end = self.pos;
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_') {
            return None;
        }
        while self.b.get(end).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            end += 1;
        }
        if self.b.get(end) == Some(&b'[') {
            let close =
                self.b.get(end..end + 200).or_else(|| self.b.get(end..))?.iter().position(|c| *c == b']')?;
            end += close + 1;
        }
        match (self.b.get(end), self.b.get(end + 1)) {
            (Some(b'='), _) => Some((end + 1, false)),
            (Some(b'+'), Some(b'=')) => Some((end + 2, true)),
            _ => None,
        }
    }

    fn assignment(&mut self) -> Option<Assign> {
        let (value_at, append) = self.assignment_name_end()?;
        let name_end = value_at - if append { 2 } else { 1 };
        let left = self.slice(self.pos, name_end);
        let (name, index) = match left.split_once('[') {
            Some((name, index)) => (name.to_owned(), Some(index.trim_end_matches(']').to_owned())),
            None => (left.to_owned(), None),
        };
        self.pos = value_at;
        if self.peek() == Some(b'(') {
            self.pos += 1;
            let mut list = Vec::new();
            loop {
                self.gap();
                match self.keyed_item().or_else(|| self.word()) {
                    Some(w) => list.push(w),
                    None => break,
                }
            }
            if self.peek() == Some(b')') {
                self.pos += 1;
            } else {
                self.broken = true;
            }
            return Some(Assign { name, index, append, value: AssignValue::Array(list) });
        }
        let value = self.word_from_here();
        Some(Assign { name, index, append, value: AssignValue::Word(value) })
    }

    /// `[key]=value` in an array; the key may have blanks.
    fn keyed_item(&mut self) -> Option<Word> {
        if self.peek() != Some(b'[') {
            return None;
        }
        let start = self.pos;
        let close = self.b.get(start..)?.iter().take(200).position(|c| *c == b']')?;
        if self.b.get(start + close + 1) != Some(&b'=') {
            return None;
        }
        self.pos = start + close + 2;
        let key = self.slice(start, self.pos).to_owned();
        let mut word = self.word_from_here();
        word.parts.insert(0, Part::Text { text: key, quoted: true });
        word.raw = Rc::from(self.slice(start, self.pos));
        Some(word)
    }

    fn redirect(&mut self) -> Option<Redirect> {
        let start = self.pos;
        let mut at = self.pos;
        let mut fd = None;
        match self.peek()? {
            b'0'..=b'9' => {
                while self.b.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                fd = Some((start, at));
            }
            b'{' => {
                let name_end =
                    self.b.get(at + 1..)?.iter().position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'))?;
                at += 1 + name_end;
                if name_end == 0 || self.b.get(at) != Some(&b'}') {
                    return None;
                }
                fd = Some((start + 1, at));
                at += 1;
            }
            b'&' if self.starts("&>") => {}
            b'<' | b'>' => {}
            _ => return None,
        }
        if fd.is_some() && !matches!(self.b.get(at), Some(b'<' | b'>')) {
            return None;
        }
        let rest = self.b.get(at..)?;
        // `<(` and `>(` are words, not redirections.
        if fd.is_none() && (rest.starts_with(b"<(") || rest.starts_with(b">(")) {
            return None;
        }
        let (token, op) = REDIRECTS.iter().find(|(t, _)| rest.starts_with(t))?;
        let fd = fd.map(|(a, b)| self.slice(a, b).to_owned());
        self.pos = at + token.len();
        if *op == RedirectOp::HereDoc {
            let strip_tabs = self.peek() == Some(b'-');
            if strip_tabs {
                self.pos += 1;
            }
            self.blanks();
            let word = self.word().unwrap_or_default();
            let quoted = word.raw.bytes().any(|c| matches!(c, b'\'' | b'"' | b'\\'));
            let delimiter: String = if quoted { word.plain_text() } else { word.raw.to_string() };
            let body = Rc::new(OnceCell::new());
            self.pending.push(PendingDoc { body: Rc::clone(&body), delimiter, quoted, strip_tabs });
            return Some(Redirect { fd, op: *op, target: word, body: Some(body) });
        }
        self.blanks();
        let target = if let Some(w) = self.word() {
            w
        } else {
            self.broken = true;
            // zsh has more operators than these, and `<1-9>` is a pattern to it.
            let apart = start.checked_sub(1).is_none_or(|at| matches!(self.b.get(at), Some(b' ' | b'\t')));
            if apart && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
                self.reject();
            }
            Word::default()
        };
        Some(Redirect { fd, op: *op, target, body: None })
    }
}
