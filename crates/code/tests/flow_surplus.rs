//! Nothing too much: of generated programs whose every decision can go either way, every run is made, and the graph must have
//! exactly the ways that were taken, the data flow exactly the pairs that were seen. One program, written in ten languages.
//!
//! `FLOW_SEED=n` tries other programs, `FLOW_PROGRAMS=n` more of them; a failure prints the seed and the program.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test"
)]

use sprag_code::flow::{self, Analysis};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::collections::BTreeSet;

const VARS: [&str; 3] = ["a", "b", "c"];
/// Decisions in one run. Enough for every way through loops in loops twice, for programs of this size.
const DEEPEST: usize = 9;

/// Numbers that are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

type Case = (u32, Vec<Stmt>, Option<u32>);

/// A statement with its line.
enum Stmt {
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

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

struct Writer {
    language: Language,
    dice: Dice,
    lines: Vec<String>,
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

    fn program(language: Language, seed: u64) -> (Self, u32, Vec<Stmt>) {
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

// ── running ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Pairs = BTreeSet<(usize, u32, u32)>;
type Ways = BTreeSet<(u32, u32)>;

/// Why a run goes elsewhere than on.
enum Leave {
    Break,
    Continue,
    Return,
    /// It needs one more decision of so many sides.
    Ask(usize),
}

/// One run with given decisions.
struct Run<'r> {
    decisions: &'r [usize],
    asked: usize,
    last: u32,
    defs: [u32; VARS.len()],
    ways: &'r mut Ways,
    pairs: &'r mut Pairs,
}

type Ran = Result<(), Leave>;

impl Run<'_> {
    fn at(&mut self, line: u32) {
        self.ways.insert((self.last, line));
        self.last = line;
    }

    fn read(&mut self, var: usize, line: u32) {
        self.pairs.insert((var, self.defs[var], line));
    }

    fn ask(&mut self, sides: usize) -> Result<usize, Leave> {
        let side = self.decisions.get(self.asked).copied().ok_or(Leave::Ask(sides))?;
        self.asked += 1;
        Ok(side)
    }

    fn all(&mut self, list: &[Stmt]) -> Ran {
        list.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Ran {
        match stmt {
            Stmt::Set(line, x, y) => {
                self.at(*line);
                self.read(*y, *line);
                self.defs[*x] = *line;
            }
            Stmt::New(line, x) => {
                self.at(*line);
                self.defs[*x] = *line;
            }
            Stmt::Add(line, x, y) => {
                self.at(*line);
                self.read(*x, *line);
                self.read(*y, *line);
                self.defs[*x] = *line;
            }
            Stmt::Show(line, x) => {
                self.at(*line);
                self.read(*x, *line);
            }
            Stmt::If(arms, other) => {
                for (line, body) in arms {
                    self.at(*line);
                    if self.ask(2)? == 1 {
                        return self.all(body);
                    }
                }
                return self.all(other);
            }
            Stmt::While(line, body) => loop {
                self.at(*line);
                if self.ask(2)? == 0 {
                    break;
                }
                match self.all(body) {
                    Ok(()) | Err(Leave::Continue) => {}
                    Err(Leave::Break) => break,
                    Err(other) => return Err(other),
                }
            },
            Stmt::Switch(line, cases, other) => {
                self.at(*line);
                let side = self.ask(cases.len() + 1)?;
                for (number, (line, _, _)) in cases.iter().enumerate() {
                    self.at(*line);
                    if side == number {
                        break;
                    }
                }
                for (_, body, end) in cases.iter().skip(side) {
                    self.all(body)?;
                    match end {
                        None => continue,
                        Some(0) => {}
                        Some(line) => self.at(*line),
                    }
                    return Ok(());
                }
                // Behind the cases: the default, reached by falling too.
                if let Some((line, body)) = other {
                    if *line > 0 {
                        self.at(*line);
                    }
                    return self.all(body);
                }
            }
            Stmt::Break(line) => {
                self.at(*line);
                return Err(Leave::Break);
            }
            Stmt::Continue(line) => {
                self.at(*line);
                return Err(Leave::Continue);
            }
            Stmt::Return(line, x) => {
                self.at(*line);
                self.read(*x, *line);
                self.at(0);
                return Err(Leave::Return);
            }
        }
        Ok(())
    }
}

/// Every run of a program: the ways taken between lines (0 is the end) and the pairs seen.
fn every_run(entry: u32, list: &[Stmt]) -> (Ways, Pairs) {
    let (mut ways, mut pairs) = (Ways::new(), Pairs::new());
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(decisions) = open.pop() {
        let mut run = Run {
            decisions: &decisions,
            asked: 0,
            last: entry,
            defs: [entry; VARS.len()],
            ways: &mut ways,
            pairs: &mut pairs,
        };
        if let Err(Leave::Ask(sides)) = run.all(list)
            && decisions.len() < DEEPEST
        {
            open.extend((0..sides).map(|side| [decisions.as_slice(), &[side]].concat()));
        }
    }
    (ways, pairs)
}

// ── comparing ────────────────────────────────────────────────────────────────────────────────────────────────────────

/// The ways between lines that the graph has, from what is reached.
fn drawn(analysis: &Analysis) -> Ways {
    let reached = analysis.graph.reached();
    let exit = analysis.graph.ends[0].exit;
    let line = |node: u32| {
        if node == exit { Some(0) } else { analysis.graph.nodes[node].step.lines.first().map(|l| l.0) }
    };
    let mut ways = Ways::new();
    for (node, _) in analysis.graph.nodes.each().filter(|(node, _)| reached[*node] && *node != exit) {
        let Some(from) = line(node) else { continue };
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            for edge in analysis.graph.next[at].iter().filter(|edge| edge.flow) {
                match line(edge.to) {
                    Some(to) => {
                        ways.insert((from, to));
                    }
                    None if seen.insert(edge.to) => open.push(edge.to),
                    None => {}
                }
            }
        }
    }
    ways
}

/// The pairs that the data flow has. Those between what is never reached are nobody's; one end that is reached counts.
fn told(analysis: &Analysis) -> Pairs {
    let reached = analysis.graph.reached();
    let mut forward = analysis.reach.forward();
    let mut pairs = Pairs::new();
    for (id, def) in analysis.reach.defs.each() {
        let name = analysis.unit.vars[def.var].name.trim_start_matches('$');
        let Some(var) = VARS.iter().position(|var| *var == name) else { continue };
        for (node, line) in forward.uses(id, usize::MAX).list {
            if reached[node] || reached[def.node] {
                pairs.insert((var, def.line, line));
            }
        }
    }
    pairs
}

fn number_from(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn exactly(language: Language) {
    let (first, count) = (number_from("FLOW_SEED", 1), number_from("FLOW_PROGRAMS", 120));
    let (mut ways_seen, mut pairs_seen) = (0, 0);
    for seed in first..first + count {
        let (writer, entry, list) = Writer::program(language, seed);
        let text = format!("{}\n", writer.lines.join("\n"));
        let numbered: String =
            text.lines().enumerate().map(|(n, line)| format!("{:3} {line}\n", n + 1)).collect();
        let parsed = parse::text(language, &text, Limits::PATIENT).unwrap();
        let found = flow::function(&parsed, "program").unwrap();
        assert!(found.analysis.is_complete(), "{:?}\n{numbered}", found.analysis.unit.notes);
        let (ways, pairs) = every_run(entry, &list);
        let (drawn, told) = (drawn(&found.analysis), told(&found.analysis));
        let name = language.name();
        let difference = |a: &Ways, b: &Ways| a.difference(b).copied().collect::<Vec<_>>();
        assert_eq!(
            ways,
            drawn,
            "FLOW_SEED={seed} {name}: too many {:?}, missing {:?}\n{numbered}",
            difference(&drawn, &ways),
            difference(&ways, &drawn)
        );
        let difference = |a: &Pairs, b: &Pairs| a.difference(b).copied().collect::<Vec<_>>();
        assert_eq!(
            pairs,
            told,
            "FLOW_SEED={seed} {name}: too many {:?}, missing {:?}\n{numbered}",
            difference(&told, &pairs),
            difference(&pairs, &told)
        );
        ways_seen += ways.len();
        pairs_seen += pairs.len();
    }
    println!("{}: {count} programs, {ways_seen} ways, {pairs_seen} pairs", language.name());
    assert!(ways_seen as u64 > count * 6 && pairs_seen as u64 > count * 3);
}

macro_rules! languages {
    ($($name:ident: $language:ident;)*) => {
        $(#[test]
        fn $name() {
            exactly(Language::$language);
        })*
    };
}

languages! {
    python: Python;
    javascript: JavaScript;
    rust: Rust;
    go: Go;
    java: Java;
    csharp: CSharp;
    c: C;
    cpp: Cpp;
    ruby: Ruby;
    php: Php;
}
