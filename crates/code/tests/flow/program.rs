//! Generated programs with branches, loops, switches and jumps, as a tree and as text in ten languages.

use crate::dice::Dice;
use sprag_code::language::Language;

pub(crate) const VARS: [&str; 3] = ["a", "b", "c"];
pub(crate) type Case = (u32, Vec<Stmt>, Option<u32>);

/// A statement with its line.
pub(crate) enum Stmt {
    /// `x = y + 1`.
    Set(u32, usize, usize),
    /// `x = 7`.
    New(u32, usize),
    /// `x += y`.
    Add(u32, usize, usize),
    /// `show(x)`.
    Show(u32, usize),
    /// Branches with the line of their test, and the rest.
    If(Vec<(u32, Vec<Stmt>)>, Vec<Stmt>),
    While(u32, Vec<Stmt>),
    /// The line, the cases (line, body, the line of the `break`: none falls, 0 ends without), and the default with its line
    /// where that is a step.
    Switch(u32, Vec<Case>, Option<(u32, Vec<Stmt>)>),
    Break(u32),
    Continue(u32),
    Return(u32, usize),
}

pub(crate) struct Writer {
    language: Language,
    dice: Dice,
    pub(crate) lines: Vec<String>,
    indent: usize,
    /// Decisions that are left.
    decisions: usize,
    loops: usize,
}

impl Writer {
    const fn falls(&self) -> bool {
        matches!(
            self.language,
            Language::JavaScript
                | Language::C
                | Language::Cpp
                | Language::Java
                | Language::CSharp
                | Language::Php
        )
    }

    const fn braces(&self) -> bool {
        !matches!(self.language, Language::Python | Language::Ruby)
    }

    fn var(&self, var: usize) -> String {
        let sign = if self.language == Language::Php { "$" } else { "" };
        format!("{sign}{}", VARS[var])
    }

    fn line(&mut self, text: &str) -> u32 {
        self.lines.push(format!("{}{text}", "  ".repeat(self.indent)));
        self.lines.len() as u32
    }

    fn simple(&mut self, text: &str) -> u32 {
        let end =
            if matches!(self.language, Language::Python | Language::Ruby | Language::Go) { "" } else { ";" };
        self.line(&format!("{text}{end}"))
    }

    fn head(&mut self, word: &str) -> u32 {
        match self.language {
            Language::Python => self.line(&format!("{word} ask():")),
            Language::Ruby => self.line(&format!("{word} ask()")),
            Language::Rust => self.line(&format!("{word} ask() {{")),
            Language::Go => {
                let word = if word == "while" { "for" } else { word };
                self.line(&format!("{word} ask() {{"))
            }
            _ => self.line(&format!("{word} (ask()) {{")),
        }
    }

    fn close(&mut self) {
        match self.language {
            Language::Python => {}
            Language::Ruby => {
                self.line("end");
            }
            _ => {
                self.line("}");
            }
        }
    }

    fn body(&mut self, depth: usize) -> Vec<Stmt> {
        self.indent += 1;
        let count = 1 + self.dice.roll(2);
        let mut list: Vec<Stmt> = (0..count).map(|_| self.stmt(depth)).collect();
        if self.dice.roll(4) == 0 {
            list.push(self.jump());
            // What follows is never reached.
            if self.dice.roll(2) == 0 && self.language != Language::Java {
                list.push(self.plain());
            }
        }
        self.indent -= 1;
        list
    }

    fn jump(&mut self) -> Stmt {
        let next = if self.language == Language::Ruby { "next" } else { "continue" };
        match self.dice.roll(3) {
            0 if self.loops > 0 => Stmt::Break(self.simple("break")),
            1 if self.loops > 0 => Stmt::Continue(self.simple(next)),
            _ => {
                let var = self.dice.roll(VARS.len());
                let text = format!("return {}", self.var(var));
                Stmt::Return(self.simple(&text), var)
            }
        }
    }

    fn plain(&mut self) -> Stmt {
        let (x, y) = (self.dice.roll(VARS.len()), self.dice.roll(VARS.len()));
        let (left, right) = (self.var(x), self.var(y));
        match self.dice.roll(4) {
            0 => Stmt::Set(self.simple(&format!("{left} = {right} + 1")), x, y),
            1 => Stmt::New(self.simple(&format!("{left} = 7")), x),
            2 => Stmt::Add(self.simple(&format!("{left} += {right}")), x, y),
            _ => Stmt::Show(self.simple(&format!("show({left})")), x),
        }
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        if depth == 0 || self.decisions == 0 {
            return self.plain();
        }
        match self.dice.roll(6) {
            0 | 1 => self.branch(depth),
            2 => {
                self.decisions -= 1;
                let line = self.head("while");
                self.loops += 1;
                let body = self.body(depth - 1);
                self.loops -= 1;
                self.close();
                Stmt::While(line, body)
            }
            3 => self.switch(depth),
            _ => self.plain(),
        }
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        self.decisions -= 1;
        let line = self.head("if");
        let mut arms = vec![(line, self.body(depth - 1))];
        if self.decisions > 0 && self.dice.roll(3) == 0 {
            self.decisions -= 1;
            let word = match self.language {
                Language::Python => "elif",
                Language::Ruby => "elsif",
                Language::Php => "} elseif",
                _ => "} else if",
            };
            let line = self.head(word);
            arms.push((line, self.body(depth - 1)));
        }
        let mut other = Vec::new();
        if self.dice.roll(2) == 0 {
            let text = match self.language {
                Language::Python => "else:",
                Language::Ruby => "else",
                _ => "} else {",
            };
            self.line(text);
            other = self.body(depth - 1);
        }
        self.close();
        Stmt::If(arms, other)
    }

    fn switch(&mut self, depth: usize) -> Stmt {
        self.decisions -= 1;
        // A `break` in a switch leaves the switch in some languages: none in here.
        let loops = std::mem::take(&mut self.loops);
        let head = match self.language {
            Language::Python => "match ask():".to_owned(),
            Language::Ruby => "case ask()".to_owned(),
            Language::Rust => "match ask() {".to_owned(),
            Language::Go => "switch ask() {".to_owned(),
            _ => "switch (ask()) {".to_owned(),
        };
        let line = self.line(&head);
        if self.language == Language::Python {
            self.indent += 1;
        }
        let mut cases = Vec::new();
        for number in 0..=self.dice.roll(2) {
            let text = match self.language {
                Language::Ruby => format!("when {number}"),
                Language::Rust => format!("{number} => {{"),
                _ => format!("case {number}:"),
            };
            let at = self.line(&text);
            let body = self.body(depth - 1);
            if self.language == Language::Rust {
                self.close();
            }
            let ends = !self.falls() || self.language == Language::CSharp || self.dice.roll(3) > 0;
            let end = (self.falls() && ends).then(|| {
                self.indent += 1;
                let at = self.simple("break");
                self.indent -= 1;
                at
            });
            cases.push((at, body, if self.falls() { end } else { Some(0) }));
        }
        // A `match` of Rust takes everything.
        let other = (self.dice.roll(2) == 0 || self.language == Language::Rust).then(|| {
            let text = match self.language {
                Language::Python => "case _:",
                Language::Ruby => "else",
                Language::Rust => "_ => {",
                _ => "default:",
            };
            let at = self.line(text);
            // A pattern that takes everything is a pattern, too.
            let step = if matches!(self.language, Language::Python | Language::Rust) { at } else { 0 };
            let body = self.body(depth - 1);
            if self.language == Language::Rust {
                self.close();
            }
            (step, body)
        });
        if self.language == Language::Python {
            self.indent -= 1;
        }
        self.close();
        self.loops = loops;
        Stmt::Switch(line, cases, other)
    }

    pub(crate) fn program(language: Language, seed: u64) -> (Self, u32, Vec<Stmt>) {
        let mut writer = Self {
            language,
            dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            lines: Vec::new(),
            indent: 0,
            decisions: 4,
            loops: 0,
        };
        if language == Language::Php {
            writer.line("<?php");
        }
        if matches!(language, Language::Java | Language::CSharp) {
            writer.line("class A {");
        }
        let head = match language {
            Language::Python => "def program(a, b, c):",
            Language::Ruby => "def program(a, b, c)",
            Language::Rust => "fn program(mut a: u32, mut b: u32, mut c: u32) -> u32 {",
            Language::Go => "func program(a int, b int, c int) int {",
            Language::JavaScript => "function program(a, b, c) {",
            Language::Php => "function program($a, $b, $c) {",
            _ => "int program(int a, int b, int c) {",
        };
        let entry = writer.line(head);
        writer.indent = 1;
        let mut list: Vec<Stmt> = (0..3).map(|_| writer.stmt(3)).collect();
        let var = writer.dice.roll(VARS.len());
        let text = format!("return {}", writer.var(var));
        list.push(Stmt::Return(writer.simple(&text), var));
        writer.indent = 0;
        writer.close();
        if matches!(language, Language::Java | Language::CSharp) {
            writer.close();
        }
        if writer.braces() {
            assert!(writer.lines.last().is_some_and(|line| line == "}"));
        }
        (writer, entry, list)
    }
}
