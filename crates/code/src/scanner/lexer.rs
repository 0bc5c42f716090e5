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
}

/// The tokens of a text; `None` when a bracket or a literal has no end.
pub(super) fn tokens(text: &str, syntax: &Syntax) -> Option<Vec<Token>> {
    let bytes = text.as_bytes();
    let tokens = Vec::with_capacity(bytes.len() / 4);
    let mut lexer = Lexer { bytes, at: 0, syntax, tokens, open: Vec::new(), holes: 0, newline: true };
    if bytes.starts_with("\u{feff}".as_bytes()) {
        lexer.at = 3;
    }
    if bytes.get(lexer.at..).is_some_and(|rest| rest.starts_with(b"#!") && !rest.starts_with(b"#![")) {
        lexer.skip_line();
    }
    lexer.run()?;
    lexer.open.is_empty().then_some(lexer.tokens)
}

/// More brackets than anybody nests.
const MAX_NESTING: usize = 400;
/// More strings in holes of strings than anybody writes.
const MAX_HOLES: usize = 50;

impl Lexer<'_> {
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
                _ => self.code()?,
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
        let (open, mode) = self.open.pop()?;
        let wanted = match self.tokens.get(open as usize).and_then(|t| self.bytes.get(t.end as usize - 1))? {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        if self.bytes.get(start) != Some(&wanted) {
            return None;
        }
        self.close(open, start);
        if mode == Mode::TemplateHole { self.template(self.at) } else { Some(()) }
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
        self.push(TokenKind::Word, start);
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
