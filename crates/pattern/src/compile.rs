//! Turns the tree of a pattern into its program.
//! What stands inside a look-behind is laid out backwards, so that it runs towards the start of the text.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Node, Repeat};
use super::charset::{CharSet, canonical};
use super::literals;
use super::parse::Parsed;
use super::program::{Ascii, Class, Inst, Program, UNBOUNDED};
use super::{MAX_EXPANSION, PatternError};

/// Compiles a parsed pattern.
pub(super) fn compile(parsed: &Parsed) -> Result<Program, PatternError> {
    let mut compiler = Compiler {
        referenced: &parsed.referenced,
        program: Program {
            insts: Vec::new(),
            classes: Vec::new(),
            ranges: Vec::new(),
            text: String::new(),
            slots: 2 * parsed.referenced.len() as u32,
            start: literals::start(parsed),
            required: literals::required(&parsed.root),
        },
        classes: BTreeMap::new(),
        loops: 0,
        back: false,
        copying: None,
        expanded: 0,
    };
    compiler.node(&parsed.root)?;
    compiler.emit(Inst::Match)?;
    Ok(compiler.program)
}

/// Stands in for a target that is not known yet.
const LATER: u32 = 0;

struct Compiler<'a> {
    referenced: &'a BTreeSet<u32>,
    program: Program,
    classes: BTreeMap<CharSet, u32>,
    /// How many loops we are in. Loops at the same depth never run at once, so they share a slot.
    loops: u32,
    /// Whether we are laying out for the backward direction.
    back: bool,
    /// The offset of the repetition that is being copied, while instructions count as expansion.
    copying: Option<usize>,
    expanded: usize,
}

impl Compiler<'_> {
    fn here(&self) -> u32 {
        self.program.insts.len() as u32
    }

    fn emit(&mut self, inst: Inst) -> Result<u32, PatternError> {
        if let Some(offset) = self.copying {
            self.expanded += 1;
            if self.expanded > MAX_EXPANSION {
                return Err(PatternError::new(
                    offset,
                    "the repetition makes the pattern too large; use a smaller number in `{}`",
                ));
            }
        }
        let at = self.here();
        self.program.insts.push(inst);
        Ok(at)
    }

    fn set(&mut self, at: u32, inst: Inst) {
        if let Some(slot) = self.program.insts.get_mut(at as usize) {
            *slot = inst;
        }
    }

    /// The first slot of a group, if anything refers to the group.
    fn slot(&self, group: u32) -> Option<u32> {
        self.referenced.contains(&group).then(|| self.slots_before(group))
    }

    fn slots_before(&self, group: u32) -> u32 {
        2 * self.referenced.range(..group).count() as u32
    }

    fn node(&mut self, node: &Node) -> Result<(), PatternError> {
        let back = self.back;
        match node {
            Node::Empty => {}
            Node::Char { char, fold: false } => self.text(&char.to_string())?,
            Node::Char { char, fold: true } => {
                self.emit(Inst::Folded { canonical: canonical(*char), back })?;
            }
            Node::Set(set) => {
                let class = self.class(set);
                self.emit(Inst::Class { class, back })?;
            }
            Node::Assert(assertion) => {
                self.emit(Inst::Assert(*assertion))?;
            }
            Node::Group { index, body } => match self.slot(*index) {
                Some(slot) => {
                    let (first, last) = if back { (slot + 1, slot) } else { (slot, slot + 1) };
                    self.emit(Inst::Save(first))?;
                    self.node(body)?;
                    self.emit(Inst::Save(last))?;
                }
                None => self.node(body)?,
            },
            Node::BackRef { group, fold } => {
                if let Some(slot) = self.slot(*group) {
                    self.emit(Inst::BackRef { slot, fold: *fold, back })?;
                }
            }
            Node::Concat(items) => self.concat(items)?,
            Node::Alternate(branches) => self.alternate(branches)?,
            Node::Repeat(repeat) => self.repeat(repeat)?,
            Node::Look { behind, negate, body } => {
                let look = self.emit(Inst::Look { negate: *negate, next: LATER })?;
                self.back = *behind;
                self.node(body)?;
                self.back = back;
                self.emit(Inst::LookEnd)?;
                let next = self.here();
                self.set(look, Inst::Look { negate: *negate, next });
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), PatternError> {
        // Copies of a repetition, and words that recur, share their text.
        let start = self.program.text.find(text).unwrap_or_else(|| {
            self.program.text.push_str(text);
            self.program.text.len() - text.len()
        });
        self.emit(Inst::Text { start: start as u32, len: text.len() as u32, back: self.back })?;
        Ok(())
    }

    fn concat(&mut self, items: &[Node]) -> Result<(), PatternError> {
        // Neighbouring plain characters become one comparison.
        let plain = |node: &Node| match node {
            Node::Char { char, fold: false } => Some(*char),
            _ => None,
        };
        let mut pieces: Vec<&[Node]> =
            items.chunk_by(|a, b| plain(a).is_some() && plain(b).is_some()).collect();
        if self.back {
            pieces.reverse();
        }
        for piece in pieces {
            let word: String = piece.iter().filter_map(plain).collect();
            match piece {
                [single] if word.is_empty() => self.node(single)?,
                _ => self.text(&word)?,
            }
        }
        Ok(())
    }

    fn alternate(&mut self, branches: &[Node]) -> Result<(), PatternError> {
        let mut jumps = Vec::new();
        if let Some((last, others)) = branches.split_last() {
            for branch in others {
                let split = self.emit(Inst::Split { first: LATER, second: LATER })?;
                self.node(branch)?;
                jumps.push(self.emit(Inst::Jump(LATER))?);
                let second = self.here();
                self.set(split, Inst::Split { first: split + 1, second });
            }
            self.node(last)?;
        }
        let end = self.here();
        for jump in jumps {
            self.set(jump, Inst::Jump(end));
        }
        Ok(())
    }

    fn class(&mut self, set: &CharSet) -> u32 {
        if let Some(&class) = self.classes.get(set) {
            return class;
        }
        let mut ascii = Ascii::default();
        for byte in 0..0x80u8 {
            if set.contains(u32::from(byte)) {
                ascii.insert(byte);
            }
        }
        let from = self.program.ranges.len() as u32;
        let beyond = set.ranges().iter().filter(|range| range.1 >= 0x80);
        self.program.ranges.extend(beyond.map(|&(low, high)| (low.max(0x80), high)));
        let to = self.program.ranges.len() as u32;
        let class = self.program.classes.len() as u32;
        self.program.classes.push(Class { ascii, from, to });
        self.classes.insert(set.clone(), class);
        class
    }

    /// The class of a node that always matches exactly one character and remembers nothing.
    fn single(&mut self, node: &Node) -> Option<u32> {
        match node {
            Node::Char { char, fold } => {
                let set = CharSet::single(*char);
                Some(self.class(&if *fold { set.folded() } else { set }))
            }
            Node::Set(set) => Some(self.class(set)),
            Node::Group { index, body } if self.slot(*index).is_none() => self.single(body),
            _ => None,
        }
    }

    /// Whether a node compiles to nothing, so that repeating it is nothing as well.
    fn void(&self, node: &Node) -> bool {
        match node {
            Node::Empty => true,
            Node::Group { index, body } => self.slot(*index).is_none() && self.void(body),
            Node::Concat(items) => items.iter().all(|item| self.void(item)),
            Node::Repeat(repeat) => repeat.max == Some(0) || self.void(&repeat.body),
            _ => false,
        }
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), PatternError> {
        let Repeat { body, min, max, greedy, .. } = repeat;
        if *max == Some(0) || self.void(body) {
            return Ok(());
        }
        if let Some(class) = self.single(body) {
            let max = max.unwrap_or(UNBOUNDED);
            self.emit(Inst::Span { class, min: *min, max, greedy: *greedy, back: self.back })?;
            return Ok(());
        }
        self.loops += 1;
        let slot = 2 * self.referenced.len() as u32 + self.loops - 1;
        if repeat.nullable {
            self.program.slots = self.program.slots.max(slot + 1);
        }
        let copying = self.copying;
        // The last required round of an endless loop is the loop itself.
        let endless = max.is_none();
        let rounds = if endless { min.saturating_sub(1) } else { *min };
        for _ in 0..rounds {
            self.round(repeat)?;
            self.copying = Some(repeat.offset);
        }
        match max {
            None if *min == 0 => self.star(repeat, slot)?,
            None => self.plus(repeat, slot)?,
            Some(max) => self.optional(repeat, slot, max - min)?,
        }
        self.copying = copying;
        self.loops -= 1;
        Ok(())
    }

    /// The body once; its groups are forgotten first, as JavaScript does in every round.
    fn round(&mut self, repeat: &Repeat) -> Result<(), PatternError> {
        let (from, to) = (self.slots_before(repeat.groups.0), self.slots_before(repeat.groups.1));
        if from < to {
            self.emit(Inst::Clear { from, to })?;
        }
        self.node(&repeat.body)
    }

    fn split(repeat: &Repeat, enter: u32, leave: u32) -> Inst {
        if repeat.greedy {
            Inst::Split { first: enter, second: leave }
        } else {
            Inst::Split { first: leave, second: enter }
        }
    }

    /// A round that is not required; it fails if it consumes nothing.
    fn voluntary(&mut self, repeat: &Repeat, slot: u32) -> Result<(), PatternError> {
        if repeat.nullable {
            self.emit(Inst::Save(slot))?;
        }
        self.round(repeat)?;
        if repeat.nullable {
            self.emit(Inst::Progress(slot))?;
        }
        Ok(())
    }

    fn star(&mut self, repeat: &Repeat, slot: u32) -> Result<(), PatternError> {
        let split = self.emit(Inst::Split { first: LATER, second: LATER })?;
        self.voluntary(repeat, slot)?;
        self.emit(Inst::Jump(split))?;
        let end = self.here();
        self.set(split, Self::split(repeat, split + 1, end));
        Ok(())
    }

    /// One required round, which may be empty, and then voluntary ones, without a copy of the body: copies
    /// of nested loops would double with every level.
    fn plus(&mut self, repeat: &Repeat, slot: u32) -> Result<(), PatternError> {
        if repeat.nullable {
            // An empty slot lets the first round pass the test for progress.
            self.emit(Inst::Clear { from: slot, to: slot + 1 })?;
        }
        let body = self.here();
        self.round(repeat)?;
        if repeat.nullable {
            self.emit(Inst::Progress(slot))?;
            let split = self.emit(Inst::Split { first: LATER, second: LATER })?;
            self.emit(Inst::Save(slot))?;
            self.emit(Inst::Jump(body))?;
            let end = self.here();
            self.set(split, Self::split(repeat, split + 1, end));
        } else {
            let end = self.here() + 1;
            self.emit(Self::split(repeat, body, end))?;
        }
        Ok(())
    }

    fn optional(&mut self, repeat: &Repeat, slot: u32, rounds: u32) -> Result<(), PatternError> {
        let mut splits = Vec::new();
        for _ in 0..rounds {
            splits.push(self.emit(Inst::Split { first: LATER, second: LATER })?);
            self.voluntary(repeat, slot)?;
            self.copying = Some(repeat.offset);
        }
        let end = self.here();
        for split in splits {
            self.set(split, Self::split(repeat, split + 1, end));
        }
        Ok(())
    }
}
