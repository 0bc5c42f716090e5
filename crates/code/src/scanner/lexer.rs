//! The lexer of all scanners: words, literals, signs and matched brackets. What differs between languages is in a table.
//! A text that is not lexed cleanly gives nothing; the parser is asked then.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string, a character, a regular expression, a piece of a template.
    Text,
    /// A bracket that opens a group; `<` of a JSX element and `${` of a template are such, too.
    Open,
    /// The bracket that closes it.
    Close,
    /// An operator or separator.
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
    /// For a bracket: the number of the other one.
    pub partner: u32,
    pub kind: TokenKind,
    /// There is a line end between the token and the one before.
    pub newline: bool,
}

/// How a language writes its literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literals {
    /// Prefixes, three quotes, holes in `f""`.
    Python,
    /// Raw strings with `#`, lifetimes.
    Rust,
    /// Raw strings in backticks.
    Go,
    /// Templates and regular expressions.
    Script,
    /// Three quotes, holes `${}`.
    Kotlin,
    /// Three quotes, `#""#`, holes `\()`.
    Swift,
    /// Three quotes, holes `${}` behind a prefix.
    Scala,
    /// Lines that begin with two backslashes.
    Zig,
    /// Three quotes, holes `#{}`, sigils, `?c`.
    Elixir,
}

/// The lexical part of a language.
#[derive(Debug)]
pub(super) struct Syntax {
    /// What begins a comment up to the end of the line.
    pub line_comment: &'static [u8],
    /// `/* */` is a comment.
    pub block_comments: bool,
    /// `/* /* */ */` is one comment.
    pub nested_comments: bool,
    /// How literals are written.
    pub literals: Literals,
    /// The bytes of words.
    pub words: [bool; 256],
    /// Elements of JSX are part of the language.
    pub jsx: bool,
    /// The language has types: `<T,>` begins no element.
    pub typed: bool,
}

/// The bytes of words: letters, digits, `_`, and these.
#[expect(clippy::indexing_slicing, reason = "it is made when the program is compiled")]
pub(super) const fn words(more: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte >= 0x80;
        byte += 1;
    }
    let mut at = 0;
    while at < more.len() {
        table[more[at] as usize] = true;
        at += 1;
    }
    table
}

/// What is open around a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// An ordinary bracket, or a hole of an element.
    Group,
    /// `${` of a template.
    TemplateHole,
    /// An element's tag.
    JsxTag,
    /// The children of an element.
    JsxBody,
    /// A hole of a string that goes on behind it.
    StringHole(Quote),
}

/// How a string began, which says how it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Quote {
    byte: u8,
    triple: bool,
    /// `#` before the quote.
    hashes: usize,
    escapes: bool,
    /// What begins a hole; nothing where there are none.
    hole: &'static [u8],
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
    syntax: &'s Syntax,
    tokens: Vec<Token>,
    open: Vec<(u32, Mode)>,
    /// Holes of strings around the position.
    holes: usize,
    newline: bool,
    /// The first bytes of what was not lexed cleanly and passed over; `None`: nothing is passed over.
    faults: Option<Vec<usize>>,
}

/// The tokens of a text; `None` when a bracket or a literal has no end.
pub(super) fn tokens(text: &str, syntax: &Syntax) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text, syntax, None);
    lexer.all()?;
    lexer.open.is_empty().then_some(lexer.tokens)
}

/// The tokens of a text as far as it goes: brackets that match nothing are signs, a literal without an end ends with its line.
/// With them, the first byte of what was not clean.
pub(super) fn lenient(text: &str, syntax: &Syntax) -> Option<(Vec<Token>, Option<usize>)> {
    let mut lexer = Lexer::new(text, syntax, Some(Vec::new()));
    lexer.all()?;
    let last = lexer.tokens.len().saturating_sub(1) as u32;
    for (open, _) in std::mem::take(&mut lexer.open) {
        lexer.fault(open);
        if let Some(token) = lexer.tokens.get_mut(open as usize) {
            token.partner = last;
        }
    }
    let first = lexer.faults.and_then(|faults| faults.into_iter().min());
    Some((lexer.tokens, first))
}

/// More brackets than anybody nests.
const MAX_NESTING: usize = 400;
/// More strings in holes of strings than anybody writes.
const MAX_HOLES: usize = 50;

impl<'s> Lexer<'s> {
    fn new(text: &'s str, syntax: &'s Syntax, faults: Option<Vec<usize>>) -> Self {
        let bytes = text.as_bytes();
        let tokens = Vec::with_capacity(bytes.len() / 4);
        Self { bytes, at: 0, syntax, tokens, open: Vec::new(), holes: 0, newline: true, faults }
    }

    fn all(&mut self) -> Option<()> {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            self.at = 3;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(b"#!") && !rest.starts_with(b"#![") {
            self.skip_line();
        }
        self.run()
    }

    /// A token is part of what is not clean.
    fn fault(&mut self, token: u32) {
        let start = self.tokens.get(token as usize).map_or(self.at, |token| token.start as usize);
        self.faults.iter_mut().for_each(|faults| faults.push(start));
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text))
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let newline = std::mem::take(&mut self.newline);
        self.tokens.push(Token { start: start as u32, end: self.at as u32, partner: 0, kind, newline });
    }

    fn run(&mut self) -> Option<()> {
        while self.at < self.bytes.len() {
            if self.open.len() > MAX_NESTING {
                return None;
            }
            match self.open.last() {
                Some((_, Mode::JsxTag)) => self.jsx_tag()?,
                Some((_, Mode::JsxBody)) => self.jsx_body()?,
                _ => {
                    let start = self.at;
                    if self.code().is_none() {
                        self.faults.as_mut()?.push(start);
                        self.at = start;
                        self.skip_line();
                        self.at = self.at.max(start + 1);
                    }
                }
            }
        }
        Some(())
    }

    /// One token, or what is between two.
    fn code(&mut self) -> Option<()> {
        let start = self.at;
        match self.byte(0) {
            b'\n' => {
                self.newline = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
            b'\\' if self.syntax.literals == Literals::Python => {
                let end = if self.byte(1) == b'\r' { 2 } else { 1 };
                if self.byte(end) != b'\n' {
                    return None;
                }
                self.at += end + 1;
            }
            byte if byte == self.first_of_comment() && self.starts_with(self.syntax.line_comment) => {
                self.skip_line();
            }
            b'/' if self.syntax.block_comments && self.byte(1) == b'*' => self.block_comment()?,
            b'(' | b'[' | b'{' => self.opens(1, Mode::Group),
            b')' | b']' | b'}' => self.closes()?,
            b'0'..=b'9' => {
                self.word_end();
                // `1.5`, `1.`, not `1..2` and `1.max(2)`.
                let is_name = |byte: u8| self.is_word(byte) && !byte.is_ascii_digit() || byte == b'.';
                if self.byte(0) == b'.' && !is_name(self.byte(1)) {
                    self.at += 1;
                    self.word_end();
                }
                self.push(TokenKind::Number, start);
            }
            b'"' | b'\'' | b'`' => self.literal(start)?,
            b'#' | b'\\' | b'~' | b'?' if self.special_literal(start).is_some() => {}
            byte if self.is_word(byte) => self.word(start)?,
            b'/' if self.syntax.literals == Literals::Script && self.operand_expected() => self.regex()?,
            b'<' if self.syntax.jsx && self.operand_expected() && self.begins_element() => {
                self.opens(1, Mode::JsxTag);
            }
            _ => self.sign(start)?,
        }
        Some(())
    }

    fn first_of_comment(&self) -> u8 {
        self.syntax.line_comment.first().copied().unwrap_or(0)
    }

    fn is_word(&self, byte: u8) -> bool {
        self.syntax.words.get(byte as usize).copied().unwrap_or(false)
    }

    fn word_end(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| self.is_word(*byte)) {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) -> Option<()> {
        let mut depth = 0;
        loop {
            if self.at >= self.bytes.len() {
                return None;
            }
            if self.starts_with(b"/*") && (depth == 0 || self.syntax.nested_comments) {
                depth += 1;
                self.at += 2;
            } else if self.starts_with(b"*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Some(());
                }
            } else {
                self.newline |= self.byte(0) == b'\n';
                self.at += 1;
            }
        }
    }

    fn opens(&mut self, length: usize, mode: Mode) {
        let start = self.at;
        self.at += length;
        self.open.push((self.tokens.len() as u32, mode));
        self.push(TokenKind::Open, start);
    }

    fn closes(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let found = self.bytes.get(start).copied()?;
        if self.faults.is_some() && self.open.last().is_none_or(|(open, _)| self.closer(*open) != found) {
            // Groups without an end are closed by the end of one around them; an end of none is a sign.
            let Some(around) = self.open.iter().rposition(|(open, _)| self.closer(*open) == found) else {
                self.push(TokenKind::Sign, start);
                self.fault(self.tokens.len() as u32 - 1);
                return Some(());
            };
            for (open, _) in self.open.split_off(around + 1) {
                self.fault(open);
                let close = self.tokens.len() as u32;
                if let Some(token) = self.tokens.get_mut(open as usize) {
                    token.partner = close;
                }
            }
        }
        let (open, mode) = self.open.pop()?;
        if self.closer(open) != found {
            return None;
        }
        self.close(open, start);
        match mode {
            Mode::TemplateHole => self.template(self.at),
            Mode::StringHole(quote) => self.string(self.at, quote),
            _ => Some(()),
        }
    }

    /// The byte that closes the group of this token.
    fn closer(&self, open: u32) -> u8 {
        match self.tokens.get(open as usize).and_then(|t| self.bytes.get(t.end as usize - 1)) {
            Some(b'(') => b')',
            Some(b'[') => b']',
            _ => b'}',
        }
    }

    /// The token that closes the group of `open`.
    fn close(&mut self, open: u32, start: usize) {
        let close = self.tokens.len() as u32;
        self.push(TokenKind::Close, start);
        if let Some(token) = self.tokens.last_mut() {
            token.partner = open;
        }
        if let Some(token) = self.tokens.get_mut(open as usize) {
            token.partner = close;
        }
    }

    fn word(&mut self, start: usize) -> Option<()> {
        self.at += 1;
        self.word_end();
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        let next = self.byte(0);
        if matches!(next, b'"' | b'\'' | b'#') && word.len() <= 3 {
            let is = |letters: &[u8]| word.iter().all(|byte| letters.contains(&byte.to_ascii_lowercase()));
            match self.syntax.literals {
                Literals::Python if next != b'#' && is(b"rbuft") => {
                    let format = word.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'));
                    self.python_string(format)?;
                    self.push(TokenKind::Text, start);
                    return Some(());
                }
                Literals::Rust if is(b"rbc") => {
                    let raw = word.contains(&b'r');
                    return self.rust_string(start, raw);
                }
                _ => {}
            }
        }
        if self.syntax.literals == Literals::Scala && next == b'"' {
            let quote = self.quote(0, b"${", true);
            return self.string_from(start, quote);
        }
        if self.syntax.literals == Literals::Elixir && matches!(next, b'?' | b'!') && self.byte(1) != b'=' {
            self.at += 1;
        }
        self.push(TokenKind::Word, start);
        Some(())
    }

    /// The quote that is so many bytes ahead.
    fn quote(&self, hashes: usize, hole: &'static [u8], escapes: bool) -> Quote {
        let byte = self.byte(hashes);
        let triple = self.byte(hashes + 1) == byte && self.byte(hashes + 2) == byte;
        Quote { byte, triple, hashes, escapes, hole }
    }

    /// A string whose quote is here.
    fn string_from(&mut self, start: usize, quote: Quote) -> Option<()> {
        self.at += quote.hashes + if quote.triple { 3 } else { 1 };
        self.string(start, quote)
    }

    /// A piece of a string up to its end or the next hole.
    fn string(&mut self, start: usize, quote: Quote) -> Option<()> {
        let hashes = |from: usize, lexer: &Self| (0..quote.hashes).all(|at| lexer.byte(from + at) == b'#');
        let length = if quote.triple { 3 } else { 1 };
        loop {
            let byte = *self.bytes.get(self.at)?;
            let ends = (0..length).all(|at| self.byte(at) == quote.byte) && hashes(length, self);
            // `\(`, with hashes `\#(`.
            let marks = if byte == b'\\' { quote.hashes } else { 0 };
            let hole = quote.hole.first() == Some(&byte)
                && (marks == 0 || hashes(1, self))
                && quote.hole.get(1) == Some(&self.byte(1 + marks));
            if hole {
                self.push(TokenKind::Text, start);
                self.opens(2 + marks, Mode::StringHole(quote));
                return Some(());
            }
            match byte {
                // Of four quotes, the first is part of the text.
                _ if ends && quote.triple && quote.hashes == 0 && self.byte(3) == quote.byte => self.at += 1,
                _ if ends => {
                    self.at += length + quote.hashes;
                    self.push(TokenKind::Text, start);
                    return Some(());
                }
                b'\\' if quote.escapes && hashes(1, self) => self.at += 2 + quote.hashes,
                b'\n' if !quote.triple && self.syntax.literals != Literals::Elixir => return None,
                _ => self.at += 1,
            }
        }
    }

    /// Literals that begin with a sign; `None` leaves the position as it was.
    fn special_literal(&mut self, start: usize) -> Option<()> {
        match (self.syntax.literals, self.byte(0)) {
            (Literals::Swift, b'#') => {
                let hashes = self.bytes.get(self.at..)?.iter().take_while(|byte| **byte == b'#').count();
                let quote = self.quote(hashes, b"\\(", true);
                let found = if quote.byte == b'"' { self.string_from(start, quote) } else { None };
                if found.is_none() {
                    self.at = start;
                }
                return found;
            }
            (Literals::Zig, b'\\') if self.byte(1) == b'\\' => self.skip_line(),
            (Literals::Elixir, b'?') if !self.byte(1).is_ascii_whitespace() => {
                self.at += if self.byte(1) == b'\\' { 3 } else { 2 };
                while self.byte(0) & 0xC0 == 0x80 {
                    self.at += 1;
                }
            }
            (Literals::Elixir, b'~') if self.byte(1).is_ascii_alphabetic() => {
                let letters = self.bytes.get(self.at + 1..)?.iter().take_while(|b| b.is_ascii_alphabetic());
                let raw = self.byte(1).is_ascii_uppercase();
                let ahead = 1 + letters.count();
                let byte = match self.byte(ahead) {
                    b'(' => b')',
                    b'[' => b']',
                    b'{' => b'}',
                    b'<' => b'>',
                    byte @ (b'/' | b'|' | b'"' | b'\'') => byte,
                    _ => return None,
                };
                let triple = self.quote(ahead, b"", !raw).triple && matches!(byte, b'"' | b'\'');
                self.at += ahead;
                let quote = Quote { byte, triple, hashes: 0, escapes: !raw, hole: b"" };
                let found = self.string_from(start, quote);
                if found.is_none() {
                    self.at = start;
                }
                return found;
            }
            _ => return None,
        }
        self.push(TokenKind::Text, start);
        Some(())
    }

    fn literal(&mut self, start: usize) -> Option<()> {
        match (self.syntax.literals, self.byte(0)) {
            (Literals::Python | Literals::Rust, b'`') => return None,
            (Literals::Python, _) => self.python_string(false)?,
            (Literals::Rust, b'\'') => return self.lifetime_or_character(start),
            (Literals::Rust, _) => self.quoted(true)?,
            (Literals::Go, b'`') => {
                let rest = self.bytes.get(self.at + 1..)?;
                self.at += memchr::memchr(b'`', rest)? + 2;
            }
            (Literals::Script, b'`') => {
                self.at += 1;
                return self.template(start);
            }
            // A name.
            (Literals::Kotlin | Literals::Swift | Literals::Scala, b'`') => {
                self.quoted(false)?;
                self.push(TokenKind::Word, start);
                return Some(());
            }
            (Literals::Scala, b'\'') => return self.lifetime_or_character(start),
            (Literals::Kotlin, b'"') => {
                let quote = self.quote(0, b"${", true);
                return self.string_from(start, Quote { escapes: !quote.triple, ..quote });
            }
            (Literals::Scala, b'"') => {
                let quote = self.quote(0, b"", true);
                return self.string_from(start, Quote { escapes: !quote.triple, ..quote });
            }
            (Literals::Swift, b'"') => {
                let quote = self.quote(0, b"\\(", true);
                return self.string_from(start, quote);
            }
            (Literals::Elixir, b'"' | b'\'') => {
                let quote = self.quote(0, b"#{", true);
                return self.string_from(start, quote);
            }
            _ => self.quoted(false)?,
        }
        self.push(TokenKind::Text, start);
        Some(())
    }

    /// A string with escapes, up to the quote that it begins with.
    fn quoted(&mut self, several_lines: bool) -> Option<()> {
        let quote = self.byte(0);
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += if self.byte(1) == b'\r' { 3 } else { 2 },
                b'\n' if !several_lines => return None,
                byte => {
                    self.at += 1;
                    if *byte == quote {
                        return Some(());
                    }
                }
            }
        }
    }

    fn lifetime_or_character(&mut self, start: usize) -> Option<()> {
        if self.byte(1) == b'\\' {
            self.quoted(false)?;
        } else {
            // A character has up to four bytes.
            let length = (2..=5).find(|length| self.byte(*length) & 0xC0 != 0x80)?;
            if self.byte(length) == b'\'' {
                self.at += length + 1;
            } else {
                self.at += 1;
                self.word_end();
                self.push(TokenKind::Sign, start);
                return Some(());
            }
        }
        self.push(TokenKind::Text, start);
        Some(())
    }

    /// What follows a prefix of a Rust string; `r#name` is a word.
    fn rust_string(&mut self, start: usize, raw: bool) -> Option<()> {
        let hashes = self.bytes.get(self.at..)?.iter().take_while(|byte| **byte == b'#').count();
        match self.byte(hashes) {
            b'"' if raw => {
                let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
                self.at += hashes + 1;
                self.at += memchr::memmem::find(self.bytes.get(self.at..)?, &end)? + end.len();
                self.push(TokenKind::Text, start);
            }
            b'"' if hashes == 0 => {
                self.quoted(true)?;
                self.push(TokenKind::Text, start);
            }
            b'\'' if hashes == 0 && self.bytes.get(start) == Some(&b'b') => {
                self.quoted(false)?;
                self.push(TokenKind::Text, start);
            }
            byte if hashes == 1 && raw && self.is_word(byte) => {
                self.at += 1;
                self.word_end();
                self.push(TokenKind::Word, start);
            }
            _ => self.push(TokenKind::Word, start),
        }
        Some(())
    }

    /// A string of Python from its quotes on.
    fn python_string(&mut self, format: bool) -> Option<()> {
        let quote = self.byte(0);
        let triple = self.byte(1) == quote && self.byte(2) == quote;
        self.at += if triple { 3 } else { 1 };
        loop {
            match *self.bytes.get(self.at)? {
                b'\\' => self.at += if self.byte(1) == b'\r' { 3 } else { 2 },
                b'\n' if !triple => return None,
                b'{' if format && self.byte(1) == b'{' => self.at += 2,
                b'{' if format => self.python_hole()?,
                byte if byte == quote && !triple => {
                    self.at += 1;
                    return Some(());
                }
                byte if byte == quote && self.byte(1) == quote && self.byte(2) == quote => {
                    self.at += 3;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    /// `{…}` in a string of Python.
    fn python_hole(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        let mut specification = false;
        self.holes += 1;
        if self.holes > MAX_HOLES {
            return None;
        }
        loop {
            match *self.bytes.get(self.at)? {
                b'"' | b'\'' if !specification => {
                    let before = self.bytes.get(self.at.checked_sub(1)?)?;
                    self.python_string(matches!(before, b'f' | b'F'))?;
                    continue;
                }
                b'{' if specification => {
                    self.python_hole()?;
                    continue;
                }
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        self.at += 1;
                        self.holes -= 1;
                        return Some(());
                    }
                }
                b':' if depth == 1 => specification = true,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// A piece of a template up to its end or the next hole.
    fn template(&mut self, start: usize) -> Option<()> {
        loop {
            match *self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.push(TokenKind::Text, start);
                    return Some(());
                }
                b'$' if self.byte(1) == b'{' => {
                    self.push(TokenKind::Text, start);
                    self.opens(2, Mode::TemplateHole);
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    fn regex(&mut self) -> Option<()> {
        let start = self.at;
        let mut class = false;
        self.at += 1;
        loop {
            match *self.bytes.get(self.at)? {
                b'\\' => self.at += 1,
                b'\n' => return None,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        self.word_end();
        self.push(TokenKind::Text, start);
        Some(())
    }

    /// A value begins here, by the look of the token before.
    fn operand_expected(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        let text = self.bytes.get(last.start as usize..last.end as usize).unwrap_or_default();
        match last.kind {
            TokenKind::Number | TokenKind::Text => false,
            TokenKind::Open => true,
            // Behind a block a statement begins on the next line.
            TokenKind::Close => text == b"}" && self.newline,
            TokenKind::Sign => {
                let postfix = text == b"!" && self.syntax.typed && {
                    let before = self.tokens.iter().nth_back(1);
                    before.is_some_and(|t| {
                        t.end == last.start && matches!(t.kind, TokenKind::Word | TokenKind::Close)
                    })
                };
                !matches!(text, b"++" | b"--") && !postfix
            }
            TokenKind::Word => {
                let member = self.tokens.iter().nth_back(1).is_some_and(|before| {
                    self.bytes.get(before.end as usize - 1) == Some(&b'.') && before.kind == TokenKind::Sign
                });
                !member && is_operator_word(text)
            }
        }
    }

    /// `<` begins an element: `<a`, `<>`; not `<T,>` and `<T extends`.
    fn begins_element(&self) -> bool {
        let next = self.byte(1);
        if next == b'>' {
            return true;
        }
        if !next.is_ascii_alphabetic() && next != b'_' {
            return false;
        }
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let end = rest.iter().position(|byte| !self.is_word(*byte)).unwrap_or(rest.len());
        let after = rest.get(end..).unwrap_or_default().trim_ascii_start();
        !(self.syntax.typed && (after.starts_with(b",") || after.starts_with(b"extends ")))
    }

    fn jsx_tag(&mut self) -> Option<()> {
        match self.byte(0) {
            b'{' => self.opens(1, Mode::Group),
            b'"' | b'\'' => {
                let rest = self.bytes.get(self.at + 1..)?;
                self.at += memchr::memchr(self.byte(0), rest)? + 2;
            }
            b'/' if self.byte(1) == b'>' => {
                let (open, _) = self.open.pop()?;
                self.at += 2;
                self.close(open, self.at - 2);
            }
            b'/' if self.byte(1) == b'*' => self.block_comment()?,
            b'/' if self.byte(1) == b'/' => self.skip_line(),
            b'>' => {
                self.open.last_mut()?.1 = Mode::JsxBody;
                self.at += 1;
            }
            // `<List<Item> …>`
            b'<' if self.syntax.typed => {
                let mut depth = 0;
                loop {
                    match self.bytes.get(self.at)? {
                        b'<' => depth += 1,
                        b'>' if self.bytes.get(self.at - 1) != Some(&b'=') => depth -= 1,
                        _ => {}
                    }
                    self.at += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            b'=' | b'.' | b':' | b'-' | b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            byte if self.is_word(byte) => self.word_end(),
            _ => return None,
        }
        Some(())
    }

    fn jsx_body(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        self.at += memchr::memchr2(b'<', b'{', rest)?;
        if self.byte(0) == b'{' {
            self.opens(1, Mode::Group);
        } else if self.byte(1) == b'/' {
            let start = self.at;
            let rest = self.bytes.get(self.at..)?;
            self.at += memchr::memchr(b'>', rest)? + 1;
            let (open, _) = self.open.pop()?;
            self.close(open, start);
        } else {
            self.opens(1, Mode::JsxTag);
        }
        Some(())
    }

    fn sign(&mut self, start: usize) -> Option<()> {
        let pair = [self.byte(0), self.byte(1)];
        let length = match &pair {
            _ if self.starts_with(b"...") => 3,
            b"==" | b"!=" | b"**" | b"&&" | b"||" | b"??" | b"//" => 2 + usize::from(self.byte(2) == b'='),
            b"=>" | b"->" | b"::" | b"<=" | b">=" | b"+=" | b"-=" | b"*=" | b"/=" | b"%=" | b"&=" | b"|="
            | b"^=" | b":=" | b"@=" | b"?." | b"++" | b"--" | b"<-" => 2,
            [b'!'..=b'~', _] => 1,
            _ => return None,
        };
        self.at += length;
        self.push(TokenKind::Sign, start);
        Some(())
    }
}

/// Words of scripts behind which a value comes.
pub(super) fn is_operator_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"return"
            | b"typeof"
            | b"case"
            | b"do"
            | b"else"
            | b"in"
            | b"of"
            | b"instanceof"
            | b"new"
            | b"void"
            | b"delete"
            | b"throw"
            | b"yield"
            | b"await"
            | b"default"
            | b"extends"
    )
}
