//! Nothing too much: of generated programs whose every decision can go either way, every run is made, and the graph must have
//! exactly the paths that were taken, the data flow exactly the pairs that were seen. One program, written in ten languages.
//!
//! `FLOW_SEED=n` tries other programs, `FLOW_PROGRAMS=n` more of them; a failure prints the seed and the program.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test"
)]

use crate::program::{Stmt, VARS, Writer};
use sprag_code::flow::{self, Analysis};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::collections::BTreeSet;

/// Decisions in one run. Enough for every path through loops in loops twice, for programs of this size.
const DEEPEST: usize = 9;

// ── running ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Pairs = BTreeSet<(usize, u32, u32)>;
type Paths = BTreeSet<(u32, u32)>;

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
    paths: &'r mut Paths,
    pairs: &'r mut Pairs,
}

type Ran = Result<(), Leave>;

impl Run<'_> {
    fn at(&mut self, line: u32) {
        self.paths.insert((self.last, line));
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

/// Every run of a program: the paths taken between lines (0 is the end) and the pairs seen.
fn every_run(entry: u32, list: &[Stmt]) -> (Paths, Pairs) {
    let (mut paths, mut pairs) = (Paths::new(), Pairs::new());
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(decisions) = open.pop() {
        let mut run = Run {
            decisions: &decisions,
            asked: 0,
            last: entry,
            defs: [entry; VARS.len()],
            paths: &mut paths,
            pairs: &mut pairs,
        };
        if let Err(Leave::Ask(sides)) = run.all(list)
            && decisions.len() < DEEPEST
        {
            open.extend((0..sides).map(|side| [decisions.as_slice(), &[side]].concat()));
        }
    }
    (paths, pairs)
}

// ── comparing ────────────────────────────────────────────────────────────────────────────────────────────────────────

/// The paths between lines that the graph has, from what is reached.
fn drawn(analysis: &Analysis) -> Paths {
    let reached = analysis.graph.reached();
    let exit = analysis.graph.ends[0].exit;
    let line = |node: u32| {
        if node == exit { Some(0) } else { analysis.graph.nodes[node].step.lines.first().map(|l| l.0) }
    };
    let mut paths = Paths::new();
    for (node, _) in analysis.graph.nodes.each().filter(|(node, _)| reached[*node] && *node != exit) {
        let Some(from) = line(node) else { continue };
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            for edge in analysis.graph.next[at].iter().filter(|edge| edge.flow) {
                match line(edge.to) {
                    Some(to) => {
                        paths.insert((from, to));
                    }
                    None if seen.insert(edge.to) => open.push(edge.to),
                    None => {}
                }
            }
        }
    }
    paths
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
    let (mut paths_seen, mut pairs_seen) = (0, 0);
    for seed in first..first + count {
        let (writer, entry, list) = Writer::program(language, seed);
        let text = format!("{}\n", writer.lines.join("\n"));
        let numbered: String =
            text.lines().enumerate().map(|(n, line)| format!("{:3} {line}\n", n + 1)).collect();
        let parsed = parse::text(language, &text, Limits::PATIENT).unwrap();
        let found = flow::function(&parsed, "program").unwrap();
        assert!(found.analysis.is_complete(), "{:?}\n{numbered}", found.analysis.unit.notes);
        let (paths, pairs) = every_run(entry, &list);
        let (drawn, told) = (drawn(&found.analysis), told(&found.analysis));
        let name = language.name();
        let difference = |a: &Paths, b: &Paths| a.difference(b).copied().collect::<Vec<_>>();
        assert_eq!(
            paths,
            drawn,
            "FLOW_SEED={seed} {name}: too many {:?}, missing {:?}\n{numbered}",
            difference(&drawn, &paths),
            difference(&paths, &drawn)
        );
        let difference = |a: &Pairs, b: &Pairs| a.difference(b).copied().collect::<Vec<_>>();
        assert_eq!(
            pairs,
            told,
            "FLOW_SEED={seed} {name}: too many {:?}, missing {:?}\n{numbered}",
            difference(&told, &pairs),
            difference(&pairs, &told)
        );
        paths_seen += paths.len();
        pairs_seen += pairs.len();
    }
    println!("{}: {count} programs, {paths_seen} paths, {pairs_seen} pairs", language.name());
    assert!(paths_seen as u64 > count * 6 && pairs_seen as u64 > count * 3);
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
