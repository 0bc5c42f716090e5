//! Where values and types of TypeScript and JavaScript end, and which values are functions.

use super::Scan;
use super::lexer::{TokenKind, is_operator_word};
use crate::facts::SymbolKind;
use crate::language::Language;

impl Scan<'_> {
    /// The language has types.
    pub(super) fn typed(&self) -> bool {
        self.language != Language::JavaScript
    }

    fn is_member(&self, at: usize) -> bool {
        matches!(self.word(at.wrapping_sub(1)), "." | "?.") && at > 0
    }

    /// A value may end with this token.
    fn ends_value(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Word) => self.is_member(at) || !is_operator_word(self.word(at).as_bytes()),
            Some(TokenKind::Number | TokenKind::Text | TokenKind::Close) => true,
            Some(TokenKind::Sign) => matches!(self.word(at), "++" | "--" | "!"),
            _ => false,
        }
    }

    /// A line that begins with this token goes on with the value of the line before.
    fn continues(&self, at: usize) -> bool {
        let word = self.word(at);
        match self.kind(at) {
            Some(TokenKind::Sign) => !matches!(word, "++" | "--" | "!" | "~" | "@" | "..."),
            Some(TokenKind::Open) => matches!(word, "(" | "["),
            Some(TokenKind::Text) => word.starts_with('`'),
            Some(TokenKind::Word) => matches!(word, "in" | "instanceof" | "as" | "satisfies"),
            _ => false,
        }
    }

    /// The token behind the value that begins here.
    pub(super) fn value_end(&self, from: usize) -> usize {
        let mut at = from;
        // Question marks whose colon is still to come.
        let mut choices = 0;
        loop {
            match (self.kind(at), self.word(at)) {
                (None | Some(TokenKind::Close), _) | (_, ";" | ",") => return at,
                (_, "?") => choices += 1,
                (_, ":") if choices == 0 => return at,
                (_, ":") => choices -= 1,
                _ => {}
            }
            if at > from && self.begins_line(at) && self.ends_value(at - 1) && !self.continues(at) {
                return at;
            }
            at = self.past(at);
        }
    }

    /// The token behind this one, its group, the head of a function, or a list of types.
    fn past(&self, at: usize) -> usize {
        let head = match self.word(at) {
            "(" | "async" => self.arrow_body(at),
            "<" if self.typed() && at.checked_sub(1).is_some_and(|before| self.ends_value(before)) => {
                self.type_arguments(at)
            }
            "<" if self.typed() => self.angles_end(at),
            "function" => self.function_body(at),
            _ => None,
        };
        head.unwrap_or_else(|| self.after(at))
    }

    /// The token behind `<A, B>` of a call; `None` when it is a comparison.
    pub(super) fn type_arguments(&self, open: usize) -> Option<usize> {
        if !self.typed() || !self.is(open, "<") || !self.ends_value(open.checked_sub(1)?) {
            return None;
        }
        let end = self.angles_end(open)?;
        let follows = matches!(
            self.word(end),
            "" | "(" | ")" | "]" | "}" | "," | ";" | "." | "?." | ":" | "=" | "!" | "{"
        );
        (follows || self.begins_line(end) || self.word(end).starts_with('`')).then_some(end)
    }

    /// The token behind a list in angle brackets; `None` when what is inside is no type.
    pub(super) fn angles_end(&self, open: usize) -> Option<usize> {
        let (mut at, mut depth) = (open, 0);
        loop {
            match (self.kind(at)?, self.word(at)) {
                (_, "<") => depth += 1,
                (_, ">") => depth -= 1,
                (TokenKind::Close, _) => return None,
                (TokenKind::Sign, sign)
                    if !matches!(sign, "," | "." | "|" | "&" | "=>" | "?" | ":" | "=" | "-" | "...") =>
                {
                    return None;
                }
                _ => {}
            }
            at = self.after(at);
            if depth == 0 {
                return Some(at);
            }
        }
    }

    /// The token behind the type that begins here.
    pub(super) fn type_end(&self, from: usize) -> usize {
        let mut at = from;
        // A type, or the part behind an operator, is still to come.
        let mut wanted = true;
        loop {
            let (Some(kind), word) = (self.kind(at), self.word(at)) else { return at };
            if wanted {
                at = match (kind, word) {
                    (_, "|" | "&" | "-") => at + 1,
                    (
                        TokenKind::Word,
                        "keyof" | "typeof" | "readonly" | "unique" | "infer" | "asserts" | "new" | "abstract",
                    ) if matches!(
                        self.kind(at + 1),
                        Some(TokenKind::Word | TokenKind::Open | TokenKind::Text)
                    ) || self.is(at + 1, "<") =>
                    {
                        if word == "asserts" && self.is(at + 1, "is") {
                            at + 2
                        } else {
                            at + 1
                        }
                    }
                    (_, "<") => match self.angles_end(at) {
                        Some(end) => end,
                        None => return at,
                    },
                    (TokenKind::Word | TokenKind::Number | TokenKind::Text | TokenKind::Open, _) => {
                        wanted = false;
                        self.after(at)
                    }
                    _ => return at,
                };
                continue;
            }
            let group = self.is(at - 1, ")") && self.is_parameters(self.partner(at - 1));
            at = match word {
                "=>" if group => {
                    wanted = true;
                    at + 1
                }
                "." | "|" | "&" => {
                    wanted = true;
                    at + 1
                }
                "extends" | "is" => {
                    wanted = true;
                    at + 1
                }
                "?" if self.conditional(from, at) => {
                    let middle = self.type_end(at + 1);
                    if !self.is(middle, ":") {
                        return middle;
                    }
                    wanted = true;
                    middle + 1
                }
                "<" => match self.angles_end(at) {
                    Some(end) => end,
                    None => return at,
                },
                "[" if !self.begins_line(at) => self.after(at),
                // `import("x")`, and the rest of a template.
                "(" if self.is(at - 1, "import") => self.after(at),
                "${" => self.after(at),
                _ if kind == TokenKind::Text && self.is(at - 1, "}") => at + 1,
                _ => return at,
            };
        }
    }

    /// `(a: T)`, `()`, `(...a)` before an arrow, not `((a: T) => U)`.
    fn is_parameters(&self, open: usize) -> bool {
        match self.kind(open + 1) {
            Some(TokenKind::Word) => matches!(self.word(open + 2), ":" | "," | "?" | ")" | "="),
            Some(TokenKind::Open) => matches!(self.word(open + 1), "{" | "["),
            _ => true,
        }
    }

    /// `A extends B ? C : D`: the question mark belongs to the type.
    fn conditional(&self, from: usize, at: usize) -> bool {
        let mut here = from;
        while here < at {
            if self.is(here, "extends") {
                return true;
            }
            here = self.after(here);
        }
        false
    }

    /// The body of the arrow function that begins here.
    pub(super) fn arrow_body(&self, from: usize) -> Option<usize> {
        let mut at = from;
        if self.is(at, "async") && !self.begins_line(at + 1) && !self.is(at + 1, "=>") {
            at += 1;
        }
        if self.typed() && self.is(at, "<") {
            at = self.angles_end(at)?;
        }
        if self.is_name(at) && self.is(at + 1, "=>") {
            return Some(at + 2);
        }
        if !self.is(at, "(") {
            return None;
        }
        let mut end = self.after(at);
        if self.typed() && self.is(end, ":") && !self.is(from.wrapping_sub(1), "?") {
            end = self.type_end(end + 1);
        }
        self.is(end, "=>").then_some(end + 1)
    }

    /// The parts of a function behind the keyword `function`: its list of parameters, its body or end.
    pub(super) fn signature(&self, from: usize) -> Option<(usize, usize)> {
        let mut open = from;
        if self.is(open, "<") {
            open = self.angles_end(open)?;
        }
        if !self.is(open, "(") {
            return None;
        }
        let mut end = self.after(open);
        if self.is(end, ":") {
            end = self.type_end(end + 1);
        }
        Some((open, end))
    }

    /// The body of the function expression that begins here.
    fn function_body(&self, from: usize) -> Option<usize> {
        let keyword = from + usize::from(self.is(from, "async"));
        if !self.is(keyword, "function") {
            return None;
        }
        let mut at = keyword + 1 + usize::from(self.is(keyword + 1, "*"));
        at += usize::from(self.is_name(at));
        let (_, body) = self.signature(at)?;
        self.is(body, "{").then_some(body)
    }

    /// The body of a class, from the token behind its name.
    pub(super) fn class_body(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match (self.kind(at)?, self.word(at)) {
                (_, "{") => return Some(at),
                (_, "<") => at = self.angles_end(at)?,
                (TokenKind::Word | TokenKind::Open | TokenKind::Text, _) | (_, "." | "," | "?.") => {
                    at = self.after(at);
                }
                _ => return None,
            }
        }
    }

    /// What a whole value is when it is a function or a class, or a call that is given one first: its kind and body.
    pub(super) fn function_value(&self, from: usize, end: usize) -> Option<(SymbolKind, usize)> {
        if let Some(found) = self.plain_function(from, end, false) {
            return Some(found);
        }
        // `memo(() => …)`: what is wrapped is what is meant.
        let list = self.called(from, end)?;
        let last = self.value_end(list + 1);
        self.plain_function(list + 1, last, true)
    }

    fn plain_function(&self, from: usize, end: usize, wrapped: bool) -> Option<(SymbolKind, usize)> {
        if let Some(body) = self.arrow_body(from) {
            return Some((SymbolKind::Function, body));
        }
        let generator = self.is(from + 1, "*") || self.is(from + 2, "*") && self.is(from, "async");
        if let Some(body) = self.function_body(from) {
            return (self.after(body) == end && !(wrapped && generator))
                .then_some((SymbolKind::Function, body));
        }
        if wrapped || !self.is(from, "class") {
            return None;
        }
        let body = self.class_body(from + 1)?;
        (self.after(body) == end).then_some((SymbolKind::Class, body))
    }

    /// The arguments of the call that all of these tokens are.
    fn called(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = match self.kind(from)? {
            TokenKind::Word
                if !is_operator_word(self.word(from).as_bytes()) && !self.is(from, "function") =>
            {
                from + 1
            }
            TokenKind::Open if matches!(self.word(from), "(" | "[") => self.after(from),
            _ => return None,
        };
        let mut arguments = None;
        while at < end {
            arguments = None;
            at = match self.word(at) {
                "(" => {
                    arguments = Some(at);
                    self.after(at)
                }
                "[" | "${" => self.after(at),
                "." if self.is_name(at + 1) => at + 2,
                "?." if self.is_name(at + 1) => at + 2,
                "?." | "!" => at + 1,
                "<" => self.type_arguments(at)?,
                word if word.starts_with('`') || word.ends_with('`') => at + 1,
                _ => return None,
            };
        }
        arguments
    }
}
