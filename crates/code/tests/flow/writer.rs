//! Generated programs for the differential test, in Python, JavaScript, Ruby and PHP.

#[path = "constructs.rs"]
mod constructs;

use crate::dice::Dice;
use sprag_code::language::Language;

const VARS: &[&str] = &["a", "b", "c", "d"];

/// A program as text for the analysis and, line by line, as text that traces itself (for all but Python).
pub(crate) struct Writer {
    dice: Dice,
    language: Language,
    pub(crate) plain: Vec<String>,
    pub(crate) traced: Vec<String>,
    indent: usize,
    loops: Vec<String>,
    inner: bool,
    names: usize,
    /// In a `finally` a jump would hide the error: it is allowed, but kept rare.
    size: usize,
}

impl Writer {
    fn line(&mut self, plain: &str, traced: &str) {
        let space = "    ".repeat(self.indent);
        let php = self.is(Language::Php);
        let spelled = |text: &str| if php { with_signs(text) } else { text.to_owned() };
        self.plain.push(format!("{space}{}", spelled(plain)));
        self.traced.push(format!("{space}{}", spelled(traced)));
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.dice.roll(list.len())]
    }

    fn is(&self, language: Language) -> bool {
        self.language == language
    }

    /// The text of this language: Python, JavaScript, Ruby, PHP.
    fn of<'t>(&self, python: &'t str, script: &'t str, ruby: &'t str, php: &'t str) -> &'t str {
        match self.language {
            Language::Python => python,
            Language::Ruby => ruby,
            Language::Php => php,
            _ => script,
        }
    }

    fn here(&self) -> usize {
        self.plain.len() + 1
    }

    /// A statement that is traced before and, when it came to its end, after.
    fn simple(&mut self, text: &str) {
        let line = self.here();
        match self.language {
            Language::Python => self.line(text, text),
            Language::Ruby => self.line(text, &format!("T(f, {line}); {text}; D(f, {line})")),
            _ => self.line(&format!("{text};"), &format!("T(F, {line}); {text}; D(F, {line});")),
        }
    }

    fn jump(&mut self, text: &str) {
        let line = self.here();
        match self.language {
            Language::Python => self.line(text, text),
            Language::Ruby => self.line(text, &format!("T(f, {line}); {text}")),
            _ => self.line(&format!("{text};"), &format!("T(F, {line}); {text};")),
        }
    }

    fn expr(&mut self) -> String {
        let (x, y) = (self.one_of(VARS), self.one_of(VARS));
        match self.dice.roll(5) {
            0 => format!("{}", self.dice.roll(9)),
            1 => x.to_owned(),
            2 => format!("div({x}, {y})"),
            _ => format!("({x} + {y} * 3) % 7"),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.one_of(VARS), self.one_of(VARS));
        match self.dice.roll(4) {
            0 => format!("{x} > {y}"),
            1 => format!("{x} % 2 == 0"),
            2 if self.is(Language::Python) => format!("{x} > 2 or {y} < 3"),
            2 => format!("({x} > 2 || {y} < 3)"),
            _ => format!("{x} < 4"),
        }
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        let count = 1 + self.dice.roll(3);
        for _ in 0..count {
            self.stmt(depth);
        }
        self.indent -= 1;
    }

    fn head(&mut self, word: &str, condition: &str) {
        let line = self.here();
        match self.language {
            Language::Python => self.line(&format!("{word} {condition}:"), ""),
            Language::Ruby => {
                self.line(&format!("{word} {condition}"), &format!("{word} T(f, {line}) && ({condition})"));
            }
            _ => self.line(
                &format!("{word} ({condition}) {{"),
                &format!("{word} (T(F, {line}) && {condition}) {{"),
            ),
        }
    }

    fn end(&mut self) {
        match self.language {
            Language::Python => {}
            Language::Ruby => self.line("end", "end"),
            _ => self.line("}", "}"),
        }
    }

    fn stmt(&mut self, depth: usize) {
        self.size += 1;
        let simple = depth == 0 || self.size > 60;
        match if simple { self.dice.roll(6) } else { self.dice.roll(17) } {
            0 | 1 => {
                let text = format!("{} = {}", self.one_of(VARS), self.expr());
                self.simple(&text);
            }
            2 => {
                let text = format!("{} += {}", self.one_of(VARS), self.expr());
                self.simple(&text);
            }
            3 => {
                let var = self.one_of(VARS);
                let text = match self.language {
                    Language::Python => format!("xs.append({var})"),
                    Language::Php => format!("xs[] = {var}"),
                    _ => format!("xs.push({var})"),
                };
                self.simple(&text);
            }
            4 => {
                let length = self.of("len(xs)", "xs.length", "xs.length", "count(xs)");
                let text = format!("{} = {length} % 5", self.one_of(VARS));
                self.simple(&text);
            }
            5 => self.rare_jump(),
            6 | 7 => self.branch(depth),
            8 | 9 => self.counted(depth),
            10 => self.fuelled(depth),
            11 | 12 => self.attempt(depth),
            13 => self.choice(depth),
            14 if self.is(Language::Python) => self.with(depth),
            14 if !self.is(Language::Ruby) => self.at_least_once(depth),
            _ if !self.inner => self.function(),
            _ => self.branch(depth),
        }
    }

    /// A jump under a condition, so that what follows is not dead.
    fn rare_jump(&mut self) {
        let condition = self.condition();
        self.head("if", &condition);
        self.indent += 1;
        let looping = !self.loops.is_empty();
        match self.dice.roll(4) {
            0 if looping => self.labelled("break"),
            1 if looping => self.labelled("continue"),
            2 => {
                let text = self.of(
                    "raise ValueError(a)", "throw new Error(a)", "raise ArgumentError, a.to_s",
                    "throw new Exception(a)",
                );
                self.jump(text);
            }
            _ => {
                let text = format!("return {}", self.one_of(VARS));
                self.jump(&text);
            }
        }
        self.indent -= 1;
        self.end();
    }

    fn labelled(&mut self, word: &str) {
        let word = if self.is(Language::Ruby) && word == "continue" { "next" } else { word };
        let named: Vec<String> = self.loops.iter().filter(|name| !name.is_empty()).cloned().collect();
        if self.is(Language::Php) && self.dice.roll(2) == 0 {
            let count = 1 + self.dice.roll(self.loops.len());
            self.jump(&format!("{word} {count}"));
        } else if !self.is(Language::JavaScript) || named.is_empty() || self.dice.roll(2) == 0 {
            self.jump(word);
        } else {
            let name = named[self.dice.roll(named.len())].clone();
            self.jump(&format!("{word} {name}"));
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.head("if", &condition);
        self.block(depth - 1);
        if self.dice.roll(2) == 0 {
            let condition = self.condition();
            let word = self.of("elif", "} else if", "elsif", "} elseif");
            self.head(word, &condition);
            self.block(depth - 1);
        }
        if self.dice.roll(2) == 0 {
            let text = self.of("else:", "} else {", "else", "} else {");
            self.line(text, text);
            self.block(depth - 1);
        }
        self.end();
    }

    pub(crate) fn program(seed: u64, language: Language) -> Self {
        let kind = u64::from(language == Language::Python);
        let mut writer = Self {
            dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ kind),
            language,
            plain: Vec::new(),
            traced: Vec::new(),
            indent: 0,
            loops: Vec::new(),
            inner: false,
            names: 0,
            size: 0,
        };
        match language {
            Language::Python => writer.line("def program(a, b, c, d, xs):", ""),
            Language::Ruby => {
                writer.line("def program(a, b, c, d, xs)", "def program(a, b, c, d, xs); f = enter(1)");
            }
            Language::Php => {
                writer.line("<?php", "<?php");
                let head = "function program(a, b, c, d, xs) {";
                writer.line(head, &format!("{head} F = enter(2);"));
            }
            _ => writer.line(
                "function program(a, b, c, d, xs) {",
                "function program(a, b, c, d, xs) { const F = enter();",
            ),
        }
        writer.indent = 1;
        for _ in 0..6 {
            writer.stmt(3);
        }
        let text = format!("return {}", writer.one_of(VARS));
        writer.jump(&text);
        writer.indent = 0;
        writer.end();
        writer
    }
}

/// Names of variables with the sign that PHP wants.
fn with_signs(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len());
        let (word, tail) = from.split_at(end);
        let mut letters = word.chars();
        let numbered = letters.next().is_some_and(|first| matches!(first, 'i' | 'f' | 'p'))
            && word.len() > 1
            && letters.all(|c| c.is_ascii_digit());
        let variable = VARS.contains(&word) || matches!(word, "xs" | "e" | "F") || numbered;
        out.push_str(before);
        if variable {
            out.push('$');
        }
        out.push_str(word);
        rest = tail;
    }
    out.push_str(rest);
    out
}
