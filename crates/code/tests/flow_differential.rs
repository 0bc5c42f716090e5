//! Generated programs are run for real, with tracing: every path that was taken must be in the control flow graph, and
//! every value that went from a definition to a use must be in the data flow.
//!
//! `FLOW_SEED=n` tries other programs, `FLOW_PROGRAMS=n` more of them; a failure prints the seed and the program.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

use sprag_code::flow::ir::{Role, Step};
use sprag_code::flow::{self, Analysis};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::collections::BTreeSet;
use std::process::Command;

/// Numbers that are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const VARS: &[&str] = &["a", "b", "c", "d"];

/// A program as text for the analysis and, line by line, as text that traces itself (for JavaScript).
struct Writer {
    dice: Dice,
    python: bool,
    plain: Vec<String>,
    traced: Vec<String>,
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
        self.plain.push(format!("{space}{plain}"));
        self.traced.push(format!("{space}{traced}"));
    }

    fn here(&self) -> usize {
        self.plain.len() + 1
    }

    /// A statement that is traced before and, when it came to its end, after.
    fn simple(&mut self, text: &str) {
        let line = self.here();
        if self.python {
            self.line(text, text);
        } else {
            self.line(&format!("{text};"), &format!("T(F, {line}); {text}; D(F, {line});"));
        }
    }

    fn jump(&mut self, text: &str) {
        let line = self.here();
        if self.python {
            self.line(text, text);
        } else {
            self.line(&format!("{text};"), &format!("T(F, {line}); {text};"));
        }
    }

    fn expr(&mut self) -> String {
        let (x, y) = (self.dice.one_of(VARS), self.dice.one_of(VARS));
        match self.dice.roll(5) {
            0 => format!("{}", self.dice.roll(9)),
            1 => x.to_owned(),
            2 => format!("div({x}, {y})"),
            _ => format!("({x} + {y} * 3) % 7"),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.dice.one_of(VARS), self.dice.one_of(VARS));
        match self.dice.roll(4) {
            0 => format!("{x} > {y}"),
            1 => format!("{x} % 2 == 0"),
            2 if self.python => format!("{x} > 2 or {y} < 3"),
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
        if self.python {
            self.line(&format!("{word} {condition}:"), "");
        } else {
            self.line(
                &format!("{word} ({condition}) {{"),
                &format!("{word} (T(F, {line}) && {condition}) {{"),
            );
        }
    }

    fn end(&mut self) {
        if !self.python {
            self.line("}", "}");
        }
    }

    fn stmt(&mut self, depth: usize) {
        self.size += 1;
        let simple = depth == 0 || self.size > 60;
        match if simple { self.dice.roll(6) } else { self.dice.roll(17) } {
            0 | 1 => {
                let text = format!("{} = {}", self.dice.one_of(VARS), self.expr());
                self.simple(&text);
            }
            2 => {
                let text = format!("{} += {}", self.dice.one_of(VARS), self.expr());
                self.simple(&text);
            }
            3 => {
                let add = if self.python { "append" } else { "push" };
                let text = format!("xs.{add}({})", self.dice.one_of(VARS));
                self.simple(&text);
            }
            4 => {
                let length = if self.python { "len(xs)" } else { "xs.length" };
                let text = format!("{} = {length} % 5", self.dice.one_of(VARS));
                self.simple(&text);
            }
            5 => self.rare_jump(),
            6 | 7 => self.branch(depth),
            8 | 9 => self.counted(depth),
            10 => self.fuelled(depth),
            11 | 12 => self.attempt(depth),
            13 => self.choice(depth),
            14 if self.python => self.with(depth),
            14 => self.at_least_once(depth),
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
                let text = if self.python { "raise ValueError(a)" } else { "throw new Error(a)" };
                self.jump(text);
            }
            _ => {
                let text = format!("return {}", self.dice.one_of(VARS));
                self.jump(&text);
            }
        }
        self.indent -= 1;
        self.end();
    }

    fn labelled(&mut self, word: &str) {
        let named: Vec<String> = self.loops.iter().filter(|name| !name.is_empty()).cloned().collect();
        if self.python || named.is_empty() || self.dice.roll(2) == 0 {
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
            let line = self.here();
            if self.python {
                self.line(&format!("elif {condition}:"), "");
            } else {
                self.line(
                    &format!("}} else if ({condition}) {{"),
                    &format!("}} else if (T(F, {line}) && {condition}) {{"),
                );
            }
            self.block(depth - 1);
        }
        if self.dice.roll(2) == 0 {
            let text = if self.python { "else:" } else { "} else {" };
            self.line(text, text);
            self.block(depth - 1);
        }
        self.end();
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    fn label(&mut self) -> String {
        if !self.python && self.dice.roll(2) == 0 { self.fresh("label") } else { String::new() }
    }

    fn looping(&mut self, depth: usize, label: String) {
        self.loops.push(label);
        self.block(depth - 1);
        self.loops.pop();
    }

    fn otherwise(&mut self, depth: usize) {
        if self.python && self.dice.roll(3) == 0 {
            self.line("else:", "");
            self.block(depth - 1);
        }
    }

    fn counted(&mut self, depth: usize) {
        let (name, count, label) = (self.fresh("i"), self.dice.roll(4), self.label());
        let line = self.here();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        if self.python {
            self.line(&format!("for {name} in range({count}):"), "");
        } else {
            self.line(
                &format!("{colon}for (const {name} of upto({count})) {{"),
                &format!("{colon}for (const {name} of traced(F, {line}, {count})) {{"),
            );
        }
        self.indent += 1;
        let text = format!("{} = {name}", self.dice.one_of(VARS));
        self.simple(&text);
        self.indent -= 1;
        self.looping(depth, label);
        self.otherwise(depth);
        self.end();
    }

    fn fuelled(&mut self, depth: usize) {
        let label = self.label();
        let line = self.here();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        if self.python {
            self.line("while fuel():", "");
        } else {
            self.line(
                &format!("{colon}while (fuel()) {{"),
                &format!("{colon}while (T(F, {line}) && fuel()) {{"),
            );
        }
        self.looping(depth, label);
        self.otherwise(depth);
        self.end();
    }

    fn at_least_once(&mut self, depth: usize) {
        let label = self.label();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        self.line(&format!("{colon}do {{"), &format!("{colon}do {{"));
        self.looping(depth, label);
        let line = self.here();
        self.line("} while (fuel());", &format!("}} while (T(F, {line}) && fuel());"));
    }

    fn attempt(&mut self, depth: usize) {
        let line = self.here();
        if self.python {
            self.line("try:", "");
        } else {
            self.line("try {", &format!("T(F, {line}); try {{"));
        }
        self.block(depth - 1);
        let handler = self.dice.roll(4) != 0;
        if handler {
            let line = self.here();
            if self.python {
                let what = self.dice.one_of(&["ValueError", "ZeroDivisionError", "Exception"]);
                self.line(&format!("except {what} as e:"), "");
            } else {
                self.line("} catch (e) {", &format!("}} catch (e) {{ T(F, {line}); D(F, {line});"));
            }
            self.indent += 1;
            let text = if self.python { "a = len(str(e)) % 3" } else { "a = String(e).length % 3" };
            self.simple(text);
            self.indent -= 1;
            self.block(depth - 1);
            if self.python && self.dice.roll(3) == 0 {
                self.line("else:", "");
                self.block(depth - 1);
            }
        }
        if !handler || self.dice.roll(2) == 0 {
            let text = if self.python { "finally:" } else { "} finally {" };
            self.line(text, text);
            self.block(depth - 1);
        }
        self.end();
    }

    fn choice(&mut self, depth: usize) {
        let var = self.dice.one_of(VARS);
        let line = self.here();
        let count = 1 + self.dice.roll(3);
        if self.python {
            self.line(&format!("match {var} % 4:"), "");
            self.indent += 1;
            for number in 0..count {
                if self.dice.roll(4) == 0 {
                    // The guard sees what the pattern bound: that is no use of what was before.
                    let (other, bound) = if self.dice.roll(2) == 0 { ("a", "b") } else { ("c", "d") };
                    self.line(&format!("case {bound} if {other} > 2:"), "");
                } else {
                    self.line(&format!("case {number}:"), "");
                }
                self.block(depth - 1);
            }
            if self.dice.roll(2) == 0 {
                self.line("case _:", "");
                self.block(depth - 1);
            }
            self.indent -= 1;
            return;
        }
        self.line(&format!("switch ({var} % 4) {{"), &format!("switch (T(F, {line}) && {var} % 4) {{"));
        self.indent += 1;
        let default_at = self.dice.roll(count + 2);
        for number in 0..count {
            if number == default_at {
                self.line("default:", "default:");
            } else {
                let line = self.here();
                self.line(&format!("case {number}:"), &format!("case (T(F, {line}) && {number}):"));
            }
            // A bare `continue` in a switch is the loop's; a bare `break` is the switch's.
            self.loops.push(String::new());
            if self.loops.len() == 1 {
                self.loops.clear();
                self.block(depth - 1);
            } else {
                self.block(depth - 1);
                self.loops.pop();
            }
            if self.dice.roll(3) != 0 {
                self.indent += 1;
                self.jump("break");
                self.indent -= 1;
            }
        }
        self.indent -= 1;
        self.end();
    }

    fn with(&mut self, depth: usize) {
        let manager = self.dice.one_of(&["quiet", "loud"]);
        let var = self.dice.one_of(VARS);
        self.line(&format!("with {manager}({}) as {var}:", self.dice.0 % 5), "");
        self.block(depth - 1);
    }

    /// A function inside that reads and writes the variables around it, and a call of it.
    fn function(&mut self) {
        let (name, param) = (self.fresh("f"), self.fresh("p"));
        let written = self.dice.one_of(VARS);
        let loops = std::mem::take(&mut self.loops);
        self.inner = true;
        if self.python {
            self.line(&format!("def {name}({param}):"), "");
            self.indent += 1;
            self.line(&format!("nonlocal {}", VARS.join(", ")), "");
        } else {
            let line = self.here();
            self.line(
                &format!("const {name} = ({param}) => {{"),
                &format!("T(F, {line}); D(F, {line}); const {name} = ({param}) => {{ const F = enter();"),
            );
            self.indent += 1;
        }
        let text = format!("{written} = ({param} + {}) % 9", self.dice.one_of(VARS));
        self.simple(&text);
        self.indent -= 1;
        self.block(1);
        self.indent += 1;
        let text = format!("return {}", self.dice.one_of(VARS));
        self.jump(&text);
        self.indent -= 1;
        if !self.python {
            self.line("};", "};");
        }
        self.inner = false;
        self.loops = loops;
        // Change something between making and calling.
        let text = format!("{} = {}", self.dice.one_of(VARS), self.dice.roll(9));
        self.simple(&text);
        let text = format!("{} = {name}({})", self.dice.one_of(VARS), self.dice.one_of(VARS));
        self.simple(&text);
    }

    fn program(seed: u64, python: bool) -> Self {
        let mut writer = Self {
            dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(python)),
            python,
            plain: Vec::new(),
            traced: Vec::new(),
            indent: 0,
            loops: Vec::new(),
            inner: false,
            names: 0,
            size: 0,
        };
        if python {
            writer.line("def program(a, b, c, d, xs):", "");
        } else {
            writer.line(
                "function program(a, b, c, d, xs) {",
                "function program(a, b, c, d, xs) { const F = enter();",
            );
        }
        writer.indent = 1;
        for _ in 0..6 {
            writer.stmt(3);
        }
        let text = format!("return {}", writer.dice.one_of(VARS));
        writer.jump(&text);
        writer.indent = 0;
        writer.end();
        writer
    }
}

/// What one run of one function did.
#[derive(Debug)]
struct Frame {
    /// The first line of the function.
    first: u32,
    /// The lines in order.
    lines: Vec<u32>,
    /// It ended by itself, not by an error.
    ended: bool,
}

struct Observed {
    frames: Vec<Frame>,
    /// Variable, line of the definition, line of the use.
    pairs: BTreeSet<(String, u32, u32)>,
}

/// What tracing may not see: no line of its own, or taken away by the compiler.
fn is_optional(step: &Step) -> bool {
    step.lines.is_empty()
        || matches!(
            step.role,
            Role::Try
                | Role::Leave
                | Role::Declared
                | Role::Break
                | Role::Continue
                | Role::Join
                | Role::Entry
        )
}

/// Follows the lines of a run through the graph, from every node that fits; the number of the first line that does not.
fn follow(analysis: &Analysis, frame: &Frame) -> Result<(), String> {
    let function = analysis.unit.functions.each().find(|(_, function)| function.lines.0 == frame.first);
    let Some((func, _)) = function else { return Err(format!("no function begins at line {}", frame.first)) };
    let ends = analysis.graph.ends[func];
    let mut at: BTreeSet<u32> = BTreeSet::from([ends.entry]);
    let mut current = 0;
    let reach = |from: &BTreeSet<u32>, current: u32, fits: &dyn Fn(u32) -> bool| {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = from.iter().copied().collect();
        while let Some(node) = open.pop() {
            for edge in analysis.graph.next[node].iter().filter(|edge| edge.flow) {
                let step = &analysis.graph.nodes[edge.to].step;
                if fits(edge.to) {
                    found.insert(edge.to);
                }
                if (is_optional(step) || step.on(current)) && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        found
    };
    for (number, line) in frame.lines.iter().enumerate() {
        let next = reach(&at, current, &|node| analysis.graph.nodes[node].step.on(*line));
        if next.is_empty() {
            return Err(format!("line {line} after line {current} (event {number}) is not in the graph"));
        }
        at = next;
        current = *line;
    }
    if frame.ended && reach(&at, current, &|node| node == ends.exit).is_empty() && !at.contains(&ends.exit) {
        return Err(format!("the end after line {current} is not in the graph"));
    }
    Ok(())
}

/// Variable, line of the definition, line of the use: everything that the data flow says.
fn known_pairs(analysis: &Analysis) -> BTreeSet<(String, u32, u32)> {
    let mut forward = analysis.reach.forward();
    let mut pairs = BTreeSet::new();
    for (id, def) in analysis.reach.defs.each() {
        let name = &analysis.unit.vars[def.var].name;
        let uses = forward.uses(id, usize::MAX).list;
        pairs.extend(uses.into_iter().map(|(_, line)| (name.clone(), def.line, line)));
    }
    pairs
}

fn check(language: Language, seed: u64, text: &str, observed: &Observed) -> (usize, usize) {
    let parsed = parse::text(language, text, Limits::PATIENT).unwrap();
    let found = flow::function(&parsed, "program").unwrap();
    let analysis = &found.analysis;
    let numbered =
        || -> String { text.lines().enumerate().map(|(n, line)| format!("{:3} {line}\n", n + 1)).collect() };
    assert!(analysis.is_complete(), "seed {seed}: {:?}\n{}", analysis.unit.notes, numbered());
    let mut steps = 0;
    for frame in &observed.frames {
        steps += frame.lines.len();
        if let Err(error) = follow(analysis, frame) {
            panic!("FLOW_SEED={seed} {}: {error}\nran: {:?}\n{}", language.name(), frame.lines, numbered());
        }
    }
    let known = known_pairs(analysis);
    for pair in &observed.pairs {
        assert!(
            known.contains(pair),
            "FLOW_SEED={seed} {}: {} went from line {} to line {}, which is not in the data flow\n{}",
            language.name(),
            pair.0,
            pair.1,
            pair.2,
            numbered()
        );
    }
    (steps, observed.pairs.len())
}

fn number_from(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs all programs in one process; one JSON line for each comes back.
fn run(command: &mut Command, count: usize) -> Option<Vec<Observed>> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            // A machine without the interpreter cannot run it; the others do.
            eprintln!("skipped: {}: {error}", command.get_program().display());
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list: Vec<Observed> =
        text.lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                let number = |value: &serde_json::Value| value.as_u64().unwrap() as u32;
                let frames = value["frames"].as_array().unwrap().iter().map(|frame| Frame {
                    first: number(&frame["first"]),
                    lines: frame["lines"].as_array().unwrap().iter().map(number).collect(),
                    ended: frame["ended"].as_bool().unwrap(),
                });
                let pairs =
                    value["pairs"].as_array().unwrap().iter().map(|pair| {
                        (pair[0].as_str().unwrap().to_owned(), number(&pair[1]), number(&pair[2]))
                    });
                Observed { frames: frames.collect(), pairs: pairs.collect() }
            })
            .collect();
    assert_eq!(list.len(), count, "{}", String::from_utf8_lossy(&output.stderr));
    Some(list)
}

fn compare(language: Language, programs: &[(u64, Writer)], observed: &[Observed]) {
    let (mut steps, mut pairs) = (0, 0);
    for ((seed, program), observed) in programs.iter().zip(observed) {
        let text = format!("{}\n", program.plain.join("\n"));
        let (more_steps, more_pairs) = check(language, *seed, &text, observed);
        steps += more_steps;
        pairs += more_pairs;
    }
    println!("{}: {} programs, {steps} steps, {pairs} pairs", language.name(), programs.len());
    // Programs that do nothing would prove nothing.
    assert!(steps > programs.len() * 10 && pairs > programs.len() * 5);
}

fn programs(python: bool) -> Vec<(u64, Writer)> {
    let first = number_from("FLOW_SEED", 1);
    let count = number_from("FLOW_PROGRAMS", 60);
    (first..first + count).map(|seed| (seed, Writer::program(seed, python))).collect()
}

#[test]
fn python_does_what_the_graph_says() {
    let programs = programs(true);
    let home = tempfile::tempdir().unwrap();
    for (seed, program) in &programs {
        std::fs::write(home.path().join(format!("{seed}.py")), format!("{}\n", program.plain.join("\n")))
            .unwrap();
    }
    let seeds = programs.iter().map(|(seed, _)| seed.to_string());
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/flow/trace.py");
    let mut command = Command::new("python3");
    command.arg(driver).arg(home.path()).args(seeds);
    if let Some(observed) = run(&mut command, programs.len()) {
        compare(Language::Python, &programs, &observed);
    }
}

#[test]
fn javascript_does_what_the_graph_says() {
    let programs = programs(false);
    let home = tempfile::tempdir().unwrap();
    for (seed, program) in &programs {
        std::fs::write(home.path().join(format!("{seed}.js")), program.traced.join("\n")).unwrap();
        std::fs::write(home.path().join(format!("{seed}.plain.js")), program.plain.join("\n")).unwrap();
    }
    let seeds = programs.iter().map(|(seed, _)| seed.to_string());
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/flow/trace.js");
    let mut command = Command::new("node");
    command.arg(driver).arg(home.path()).args(seeds);
    if let Some(observed) = run(&mut command, programs.len()) {
        compare(Language::JavaScript, &programs, &observed);
    }
}
