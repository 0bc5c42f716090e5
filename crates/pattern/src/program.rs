//! The stored form of a pattern: instructions, character classes, text.
//! Everything is in a few flat lists so that reading it back allocates little.

use serde::{Deserialize, Serialize};

use super::ast::Assertion;

/// A stored program does not hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored pattern is damaged; compile it again")]
pub(super) struct Damaged;

/// No program that `compile` makes is larger than this: the text bounds the instructions, and expansion is
/// bounded besides.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 16;

/// The same for slots: two for each referenced group and one for each level of loops.
pub(super) const MAX_SLOTS: u32 = 1 << 13;

/// The `max` of a [`Inst::Span`] without end.
pub(super) const UNBOUNDED: u32 = u32::MAX;

/// One instruction. Those with `back` run towards the start of the text, as JavaScript's look-behind does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Inst {
    Match,
    /// A stretch of [`Program::text`].
    Text {
        start: u32,
        len: u32,
        back: bool,
    },
    /// One character with this canonical form.
    Folded {
        canonical: char,
        back: bool,
    },
    /// One character of a class.
    Class {
        class: u32,
        back: bool,
    },
    /// A run of characters of one class: a loop without a stack entry for each round.
    Span {
        class: u32,
        min: u32,
        max: u32,
        greedy: bool,
        back: bool,
    },
    /// Goes on at `first`; if that fails, at `second`.
    Split {
        first: u32,
        second: u32,
    },
    Jump(u32),
    /// Remembers the position in a slot.
    Save(u32),
    /// Forgets the slots `from..to`.
    Clear {
        from: u32,
        to: u32,
    },
    /// Fails if the position is the one in the slot: a round of a loop that consumed nothing.
    Progress(u32),
    Assert(Assertion),
    /// The text between the slots `slot` and `slot + 1`.
    BackRef {
        slot: u32,
        fold: bool,
        back: bool,
    },
    /// Runs what follows up to [`Inst::LookEnd`] without consuming, then goes on at `next`.
    Look {
        negate: bool,
        next: u32,
    },
    LookEnd,
}

/// A character class: ASCII as bits, the rest as a stretch of [`Program::ranges`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Class {
    pub(super) ascii: Ascii,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// A set of ASCII characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ascii {
    low: u64,
    high: u64,
}

impl Ascii {
    pub(super) fn insert(&mut self, byte: u8) {
        let bit = 1 << (byte & 63);
        if byte < 64 { self.low |= bit } else { self.high |= bit }
    }

    /// Whether the ASCII character `byte` is in the set.
    #[inline]
    pub(super) fn contains(self, byte: u8) -> bool {
        let half = if byte < 64 { self.low } else { self.high };
        half >> (byte & 63) & 1 == 1
    }
}

/// Where a match can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Start {
    Anywhere,
    /// Only at the start of the text.
    Text,
    /// Only at the start of a line: the pattern begins with `.*`.
    Line,
    /// Only at one of these characters; `other` stands for all outside ASCII.
    At {
        ascii: Ascii,
        other: bool,
    },
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Program {
    pub(super) insts: Vec<Inst>,
    pub(super) classes: Vec<Class>,
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) text: String,
    pub(super) slots: u32,
    pub(super) start: Start,
    /// At least one of these is in every matching text; empty when nothing is known.
    pub(super) required: Vec<String>,
}

impl Program {
    /// Checks that every index points into its list.
    pub(super) fn validate(&self) -> Result<(), Damaged> {
        let insts = self.insts.len();
        let classes_hold =
            self.classes.iter().all(|class| class.from <= class.to && class.to as usize <= self.ranges.len());
        let sizes_hold = insts > 0
            && insts <= MAX_INSTRUCTIONS
            && self.slots <= MAX_SLOTS
            && self.required.iter().all(|literal| !literal.is_empty());
        let jump_holds = |target: u32| (target as usize) < insts;
        let slot_holds = |slot: u32| slot < self.slots;
        let inst_holds = |inst: &Inst| match *inst {
            Inst::Match | Inst::Assert(_) | Inst::LookEnd | Inst::Folded { .. } => true,
            Inst::Text { start, len, .. } => self.text_at(start, len).is_some(),
            Inst::Class { class, .. } => (class as usize) < self.classes.len(),
            Inst::Span { class, min, max, .. } => (class as usize) < self.classes.len() && min <= max,
            Inst::Split { first, second } => jump_holds(first) && jump_holds(second),
            Inst::Jump(target) | Inst::Look { next: target, .. } => jump_holds(target),
            Inst::Save(slot) | Inst::Progress(slot) => slot_holds(slot),
            Inst::Clear { from, to } => from <= to && to <= self.slots,
            Inst::BackRef { slot, .. } => slot.checked_add(1).is_some_and(slot_holds),
        };
        if sizes_hold && classes_hold && self.insts.iter().all(inst_holds) { Ok(()) } else { Err(Damaged) }
    }

    /// A stretch of the text.
    #[inline]
    pub(super) fn text_at(&self, start: u32, len: u32) -> Option<&str> {
        let start = start as usize;
        self.text.get(start..start.checked_add(len as usize)?)
    }

    /// Whether `char` is in a class.
    #[inline]
    pub(super) fn class_has(&self, class: Class, char: char) -> bool {
        let code = u32::from(char);
        if let Ok(byte) = u8::try_from(code)
            && byte < 0x80
        {
            return class.ascii.contains(byte);
        }
        let ranges = self.ranges.get(class.from as usize..class.to as usize).unwrap_or_default();
        let after = ranges.partition_point(|&(low, _)| low <= code);
        after.checked_sub(1).and_then(|i| ranges.get(i)).is_some_and(|&(_, high)| code <= high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatchResult, Pattern};

    /// A program with every list filled.
    fn sample() -> Program {
        let Pattern(program) = Pattern::compile("(?:(é|b*)\\1x?)*(?=[a-zß]+?)").unwrap();
        assert!(program.slots > 2 && !program.classes.is_empty() && !program.ranges.is_empty());
        program
    }

    #[test]
    fn broken_references_are_found_and_survived() {
        let broken = [
            Inst::Jump(9999),
            Inst::Split { first: 0, second: 9999 },
            Inst::Look { negate: true, next: 9999 },
            Inst::Text { start: 9999, len: 1, back: false },
            Inst::Text { start: u32::MAX, len: u32::MAX, back: true },
            Inst::Text { start: 1, len: 1, back: false },
            Inst::Class { class: 9999, back: false },
            Inst::Span { class: 9999, min: 0, max: 1, greedy: true, back: false },
            Inst::Span { class: 0, min: 2, max: 1, greedy: false, back: false },
            Inst::Save(9999),
            Inst::Progress(9999),
            Inst::Clear { from: 0, to: u32::MAX },
            Inst::Clear { from: 2, to: 1 },
            Inst::BackRef { slot: u32::MAX, fold: false, back: false },
        ];
        for inst in broken {
            let mut program = sample();
            program.text.insert(0, 'é');
            for place in 0..program.insts.len() {
                let mut program = program.clone();
                program.insts[place] = inst;
                assert_eq!(program.validate(), Err(Damaged), "{inst:?}");
                // Reading refuses such a program; running one would still end.
                let _ = Pattern(program).is_match("bbxééx");
            }
        }
    }

    #[test]
    fn broken_lists_are_found() {
        let break_by = |change: fn(&mut Program)| {
            let mut program = sample();
            change(&mut program);
            assert_eq!(program.validate(), Err(Damaged));
        };
        break_by(|program| program.insts.clear());
        break_by(|program| program.ranges.clear());
        break_by(|program| program.classes.clear());
        break_by(|program| program.text.clear());
        break_by(|program| program.slots = 1);
        break_by(|program| program.slots = MAX_SLOTS + 1);
        break_by(|program| program.required.push(String::new()));
        assert_eq!(sample().validate(), Ok(()));
    }

    #[test]
    fn endless_programs_end() {
        for insts in [
            vec![Inst::Jump(0)],
            vec![Inst::Split { first: 0, second: 0 }],
            vec![Inst::Save(0), Inst::Jump(0)],
        ] {
            let program = Program { insts, start: Start::Anywhere, required: Vec::new(), ..sample() };
            assert_eq!(program.validate(), Ok(()));
            assert_eq!(Pattern(program).is_match("a"), MatchResult::StepLimit);
        }
    }
}
