//! Reads pattern text into the tree of `ast`: groups, alternatives and quantifiers.
//! Escapes and character classes are read in `escape`.

use std::collections::BTreeSet;

use super::ast::{Assertion, Features, Node, Repeat};
use super::charset::CharSet;
use super::{Flags, MAX_NESTING, MAX_PATTERN_LEN, PatternError};

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) features: Features,
    /// Groups that a back reference names; only those need to be remembered while matching.
    pub(super) referenced: BTreeSet<u32>,
}

/// Parses `source`.
pub(super) fn parse(source: &str, flags: Flags) -> Result<Parsed, PatternError> {
    if source.len() > MAX_PATTERN_LEN {
        return Err(PatternError::new(
            MAX_PATTERN_LEN,
            format!("the pattern is longer than {MAX_PATTERN_LEN} bytes; split it into several"),
        ));
    }
    let mut parser = Parser::new(source, flags);
    parser.leading_flags()?;
    let root = parser.disjunction()?;
    if parser.peek().is_some() {
        return Err(parser.error("`)` closes no group; remove it or write `\\)` for the character"));
    }
    Ok(Parsed { root, features: parser.features, referenced: parser.referenced })
}

/// The state of a parse.
pub(super) struct Parser {
    chars: Vec<(usize, char)>,
    end: usize,
    at: usize,
    depth: usize,
    /// Capture groups opened so far; group numbers start at 1.
    opened: u32,
    pub(super) flags: Flags,
    /// Capture groups in the whole pattern: decides whether `\2` is a reference or an octal escape.
    pub(super) total_groups: u32,
    /// The names of all named groups with their numbers.
    pub(super) names: Vec<(String, u32)>,
    pub(super) features: Features,
    pub(super) referenced: BTreeSet<u32>,
}

impl Parser {
    fn new(source: &str, flags: Flags) -> Self {
        let mut parser = Self {
            chars: source.char_indices().collect(),
            end: source.len(),
            at: 0,
            depth: 0,
            opened: 0,
            flags,
            total_groups: 0,
            names: Vec::new(),
            features: Features::default(),
            referenced: BTreeSet::new(),
        };
        parser.scan_groups();
        parser.features.named = !parser.names.is_empty();
        // Without the `u` flag such a character is two, so `[😀]` and `😀+` mean something else there.
        parser.features.unportable = source.chars().any(|char| u32::from(char) > 0xFFFF);
        parser
    }

    /// Counts the capture groups and collects their names, since references may stand before their group.
    fn scan_groups(&mut self) {
        let mut in_class = false;
        while let Some(char) = self.next() {
            match char {
                '\\' => {
                    self.next();
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    if self.peek() != Some('?') {
                        self.total_groups += 1;
                    } else if self.peek_at(1) == Some('<') && !matches!(self.peek_at(2), Some('=' | '!')) {
                        self.total_groups += 1;
                        self.at += 2;
                        if let Some(name) = self.name() {
                            self.names.push((name, self.total_groups));
                        }
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).map(|&(_, char)| char)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += 1;
        Some(char)
    }

    pub(super) fn eat(&mut self, char: char) -> bool {
        let found = self.peek() == Some(char);
        self.at += usize::from(found);
        found
    }

    /// The place in the pattern, to come back to.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, place: usize) {
        self.at = place;
    }

    fn offset(&self, place: usize) -> usize {
        self.chars.get(place).map_or(self.end, |&(offset, _)| offset)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> PatternError {
        self.error_at(self.at, message)
    }

    pub(super) fn error_at(&self, place: usize, message: impl Into<String>) -> PatternError {
        PatternError::new(self.offset(place), message)
    }

    /// A group name up to and including its `>`.
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.next()? {
                '>' if !name.is_empty() => return Some(name),
                char if char.is_alphabetic() || matches!(char, '_' | '$') => name.push(char),
                char if char.is_alphanumeric() && !name.is_empty() => name.push(char),
                _ => return None,
            }
        }
    }

    /// `(?i)` at the very start, as in other dialects.
    fn leading_flags(&mut self) -> Result<(), PatternError> {
        if self.peek() != Some('(') || self.peek_at(1) != Some('?') {
            return Ok(());
        }
        self.at = 2;
        let mut flags = self.flags;
        let mut letters = String::new();
        while let Some(letter @ ('i' | 'm' | 's')) = self.next() {
            self.add_flag(&mut letters, letter)?;
            set_flag(&mut flags, letter, true);
        }
        if !letters.is_empty()
            && self.at.checked_sub(1).and_then(|i| self.chars.get(i)).is_some_and(|c| c.1 == ')')
        {
            self.flags = flags;
            self.features.unportable = true;
        } else {
            self.at = 0;
        }
        Ok(())
    }

    fn add_flag(&self, letters: &mut String, letter: char) -> Result<(), PatternError> {
        if letters.contains(letter) {
            return Err(self.error_at(
                self.at.saturating_sub(1),
                format!("the flag `{letter}` is given twice; name it once"),
            ));
        }
        letters.push(letter);
        Ok(())
    }

    fn disjunction(&mut self) -> Result<Node, PatternError> {
        let mut branches = vec![self.sequence()?];
        while self.eat('|') {
            branches.push(self.sequence()?);
        }
        Ok(only(branches, Node::Alternate))
    }

    fn sequence(&mut self) -> Result<Node, PatternError> {
        let mut items = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            items.push(self.term()?);
        }
        Ok(if items.is_empty() { Node::Empty } else { only(items, Node::Concat) })
    }

    /// One piece with its quantifier.
    fn term(&mut self) -> Result<Node, PatternError> {
        let (start, groups_before) = (self.at, self.opened);
        let Some(char) = self.next() else { return Ok(Node::Empty) };
        let multi_line = self.flags.multi_line;
        let node = match char {
            '^' if multi_line => return Ok(Node::Assert(Assertion::LineStart)),
            '^' => return Ok(Node::Assert(Assertion::TextStart)),
            '$' if multi_line => return Ok(Node::Assert(Assertion::LineEnd)),
            '$' => return Ok(Node::Assert(Assertion::TextEnd)),
            '*' | '+' | '?' => return Err(self.nothing_to_repeat(start)),
            '{' => {
                self.at = start;
                if self.braces().is_some() {
                    return Err(self.nothing_to_repeat(start));
                }
                self.at = start + 1;
                Node::Char { char: '{', fold: false }
            }
            '(' => {
                // JavaScript lets a look-ahead be repeated, for old pages; a look-behind not.
                let ahead = (self.peek(), self.peek_at(1), self.peek_at(2));
                let node = self.group(start)?;
                if matches!(ahead, (Some('?'), Some('<'), Some('=' | '!'))) {
                    return Ok(node);
                }
                node
            }
            '.' => Node::Set(CharSet::dot(self.flags.dot_all)),
            '[' => self.class(start)?,
            '\\' => match self.escape(start)? {
                node @ Node::Assert(_) => return Ok(node),
                node => node,
            },
            _ => self.literal(u32::from(char)),
        };
        self.quantified(node, groups_before)
    }

    fn nothing_to_repeat(&self, place: usize) -> PatternError {
        let char = self.chars.get(place).map_or(' ', |&(_, char)| char);
        self.error_at(
            place,
            format!("`{char}` has nothing before it to repeat; write `\\{char}` for the character itself"),
        )
    }

    /// A single code point as a node; lone surrogates never match.
    pub(super) fn literal(&self, code: u32) -> Node {
        match char::from_u32(code) {
            Some(char) => {
                let cased = char.is_ascii_alphabetic() || !char.is_ascii();
                Node::Char { char, fold: self.flags.ignore_case && cased }
            }
            None => Node::Set(CharSet::default()),
        }
    }

    fn quantified(&mut self, body: Node, groups_before: u32) -> Result<Node, PatternError> {
        let start = self.at;
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let Some(bounds) = self.braces() else {
                    self.at = start;
                    return Ok(body);
                };
                bounds
            }
            _ => return Ok(body),
        };
        if matches!(self.chars.get(start), Some((_, '*' | '+' | '?'))) {
            self.at += 1;
        }
        if max.is_some_and(|max| max < min) {
            return Err(
                self.error_at(start, "the numbers in `{}` are out of order; put the smaller one first")
            );
        }
        let greedy = !self.eat('?');
        let nullable = body.nullable();
        let groups = (groups_before + 1, self.opened + 1);
        let offset = self.offset(start);
        Ok(Node::Repeat(Box::new(Repeat { body, min, max, greedy, nullable, offset, groups })))
    }

    /// `{n}`, `{n,}` or `{n,m}`; anything else is no quantifier.
    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        if !self.eat('{') {
            return None;
        }
        let min = self.number()?;
        let max = if self.eat(',') {
            if self.peek() == Some('}') { None } else { Some(self.number()?) }
        } else {
            Some(min)
        };
        self.eat('}').then_some((min, max))
    }

    /// A decimal number; too large ones stay at the largest.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        value
    }

    /// A group, after its `(` at `start`.
    fn group(&mut self, start: usize) -> Result<Node, PatternError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.error_at(
                start,
                format!("groups are nested deeper than {MAX_NESTING}; write the pattern flatter"),
            ));
        }
        let flags = self.flags;
        let kind = self.group_kind(start)?;
        let body = Box::new(self.disjunction()?);
        if !self.eat(')') {
            return Err(
                self.error_at(start, "`(` is never closed; add `)` or write `\\(` for the character itself")
            );
        }
        self.flags = flags;
        self.depth -= 1;
        Ok(match kind {
            GroupKind::Plain => *body,
            GroupKind::Capture(index) => Node::Group { index, body },
            GroupKind::Look { behind, negate } => Node::Look { behind, negate, body },
        })
    }

    fn group_kind(&mut self, start: usize) -> Result<GroupKind, PatternError> {
        if !self.eat('?') {
            self.opened += 1;
            return Ok(GroupKind::Capture(self.opened));
        }
        match self.next() {
            Some(':') => Ok(GroupKind::Plain),
            Some('=') => Ok(GroupKind::Look { behind: false, negate: false }),
            Some('!') => Ok(GroupKind::Look { behind: false, negate: true }),
            Some('<') if self.eat('=') => Ok(GroupKind::Look { behind: true, negate: false }),
            Some('<') if self.eat('!') => Ok(GroupKind::Look { behind: true, negate: true }),
            Some('<') => {
                self.opened += 1;
                let index = self.opened;
                let Some(name) = self.name() else {
                    return Err(self.error_at(
                        start,
                        "the group name is not valid; write `(?<name>...)` with letters, digits, `_` or `$`",
                    ));
                };
                if self.names.iter().any(|(other, number)| *other == name && *number < index) {
                    return Err(self.error_at(
                        start,
                        format!("two groups are named `{name}`; give them different names"),
                    ));
                }
                Ok(GroupKind::Capture(index))
            }
            Some('i' | 'm' | 's' | '-') => {
                self.at -= 1;
                self.modifiers(start)
            }
            Some('P') => Err(self.error_at(start, "`(?P...` is not known here; write `(?<name>...)`")),
            _ => Err(self.error_at(
                start,
                "the group starts with an unknown `(?`; use `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!` or `(?<name>`",
            )),
        }
    }

    /// The `i-s:` of `(?i-s:...)`.
    fn modifiers(&mut self, start: usize) -> Result<GroupKind, PatternError> {
        let mut letters = String::new();
        let mut on = true;
        loop {
            match self.next() {
                Some(letter @ ('i' | 'm' | 's')) => {
                    self.add_flag(&mut letters, letter)?;
                    set_flag(&mut self.flags, letter, on);
                }
                Some('-') if on => on = false,
                Some(':') if !letters.is_empty() => break,
                Some(')') => {
                    return Err(self.error_at(
                        start,
                        "flags without `:` are allowed only at the very start; write `(?i:...)` here",
                    ));
                }
                _ => {
                    return Err(self.error_at(
                        start,
                        "the flags of the group are not valid; write for example `(?i:...)` or `(?i-s:...)`",
                    ));
                }
            }
        }
        self.features.unportable = true;
        Ok(GroupKind::Plain)
    }
}

/// What a group does.
enum GroupKind {
    Plain,
    Capture(u32),
    Look { behind: bool, negate: bool },
}

fn set_flag(flags: &mut Flags, letter: char, on: bool) {
    match letter {
        'i' => flags.ignore_case = on,
        'm' => flags.multi_line = on,
        _ => flags.dot_all = on,
    }
}

/// A single node as it is, several wrapped.
fn only(mut nodes: Vec<Node>, wrap: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(node) if nodes.is_empty() => node,
        Some(node) => {
            nodes.push(node);
            wrap(nodes)
        }
        None => Node::Empty,
    }
}
