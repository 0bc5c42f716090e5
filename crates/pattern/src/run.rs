//! Runs a program over a text: backtracking with its own stack and a budget of steps.
//! Every list access is checked; what should not happen ends like a spent budget, which guards treat as a match.

use std::ops::Range;

use super::StepLimit;
use super::ast::Assertion;
use super::charset::canonical;
use super::program::{Class, Inst, Program, Start};

/// Texts shorter than this are not searched for required literals first: trying the program is as quick.
const PREFILTER_FROM: usize = 64;

/// How many characters of a run are paid for with one step.
const RUN_PER_STEP: usize = 16;

/// The value of a slot that holds no position.
const UNSET: usize = usize::MAX;

/// The first match of `program` in `text`. Work that is not counted as steps is at most a few passes over the
/// text.
pub(super) fn search(program: &Program, text: &str, steps: u32) -> Result<Option<Range<usize>>, StepLimit> {
    if text.len() >= PREFILTER_FROM
        && !program.required.is_empty()
        && !program.required.iter().any(|literal| text.contains(literal.as_str()))
    {
        return Ok(None);
    }
    let slots = vec![UNSET; program.slots as usize];
    let mut machine = Machine { program, text, steps, slots, stack: Vec::new() };
    let bytes = text.as_bytes();
    match program.start {
        Start::Text => machine.first(std::iter::once(0)),
        Start::Line => {
            let after_break = |&at: &usize| {
                at == 0 || matches!(before(text, at), Some(('\n' | '\r' | '\u{2028}' | '\u{2029}', _)))
            };
            machine.first((0..=text.len()).filter(|&at| text.is_char_boundary(at)).filter(after_break))
        }
        Start::At { ascii, other } => {
            let begins = |&byte: &u8| if byte < 0x80 { ascii.contains(byte) } else { other && byte >= 0xC0 };
            machine.first(bytes.iter().enumerate().filter(|(_, byte)| begins(byte)).map(|(at, _)| at))
        }
        Start::Anywhere => machine.first((0..=text.len()).filter(|&at| text.is_char_boundary(at))),
    }
}

/// The character at `at` and the position after it.
#[inline]
fn after(text: &str, at: usize) -> Option<(char, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 0x80 {
        return Some((char::from(byte), at + 1));
    }
    let char = text.get(at..)?.chars().next()?;
    Some((char, at + char.len_utf8()))
}

/// The character that ends at `at` and the position before it.
#[inline]
fn before(text: &str, at: usize) -> Option<(char, usize)> {
    let byte = *text.as_bytes().get(at.checked_sub(1)?)?;
    if byte < 0x80 {
        return Some((char::from(byte), at - 1));
    }
    let char = text.get(..at)?.chars().next_back()?;
    Some((char, at - char.len_utf8()))
}

/// The next character in a direction and the position beyond it.
#[inline]
fn step(text: &str, at: usize, back: bool) -> Option<(char, usize)> {
    if back { before(text, at) } else { after(text, at) }
}

/// Something to come back to, or to undo on the way back.
#[derive(Clone, Copy)]
enum Frame {
    /// Goes on at `inst` from `at`.
    Branch { inst: u32, at: usize },
    /// A greedy run that reached `at` and may give back down to `least`.
    Shrink { inst: u32, at: usize, least: usize },
    /// A lazy run that stopped at `at` and may take `left` more.
    Grow { inst: u32, at: usize, left: u32 },
    /// Puts a slot back.
    Restore { slot: u32, value: usize },
    /// The begin of a look-around, at `at`.
    Look { negate: bool, next: u32, at: usize },
}

struct Machine<'a> {
    program: &'a Program,
    text: &'a str,
    steps: u32,
    slots: Vec<usize>,
    stack: Vec<Frame>,
}

impl Machine<'_> {
    /// The match at the first of `starts` that has one.
    fn first(&mut self, starts: impl Iterator<Item = usize>) -> Result<Option<Range<usize>>, StepLimit> {
        for start in starts {
            if let Some(end) = self.run(start)? {
                return Ok(Some(start..end));
            }
        }
        Ok(None)
    }

    #[inline]
    fn charge(&mut self, steps: usize) -> Result<(), StepLimit> {
        let steps = u32::try_from(steps).map_err(|_| StepLimit)?;
        self.steps = self.steps.checked_sub(steps).ok_or(StepLimit)?;
        Ok(())
    }

    /// Runs from `start`; the end of the match, if there is one. A run that fails has undone all it did.
    fn run(&mut self, start: usize) -> Result<Option<usize>, StepLimit> {
        let (mut inst, mut at) = (0u32, start);
        loop {
            self.charge(1)?;
            let current = *self.program.insts.get(inst as usize).ok_or(StepLimit)?;
            let next = match current {
                Inst::Match => return Ok(Some(at)),
                Inst::Text { start, len, back } => self.text(start, len, back, at)?,
                Inst::Folded { canonical: wanted, back } => step(self.text, at, back)
                    .filter(|&(char, _)| canonical(char) == wanted)
                    .map(|found| found.1),
                Inst::Class { class, back } => {
                    let class = self.class(class)?;
                    step(self.text, at, back)
                        .filter(|&(char, _)| self.program.class_has(class, char))
                        .map(|found| found.1)
                }
                Inst::Span { .. } => self.span(current, inst, at)?,
                Inst::Split { first, second } => {
                    self.stack.push(Frame::Branch { inst: second, at });
                    inst = first;
                    continue;
                }
                Inst::Jump(target) => {
                    inst = target;
                    continue;
                }
                Inst::Save(slot) => {
                    self.assign(slot, at)?;
                    Some(at)
                }
                Inst::Clear { from, to } => {
                    self.charge(to.saturating_sub(from) as usize)?;
                    for slot in from..to {
                        self.assign(slot, UNSET)?;
                    }
                    Some(at)
                }
                Inst::Progress(slot) => (self.slot(slot)? != at).then_some(at),
                Inst::Assert(assertion) => self.holds(assertion, at).then_some(at),
                Inst::BackRef { slot, fold, back } => self.back_reference(slot, fold, back, at)?,
                Inst::Look { negate, next } => {
                    self.stack.push(Frame::Look { negate, next, at });
                    Some(at)
                }
                Inst::LookEnd => {
                    if let Some((next, from)) = self.look_end()? {
                        (inst, at) = (next, from);
                        continue;
                    }
                    None
                }
            };
            if let Some(next) = next {
                at = next;
                inst += 1;
            } else if let Some((next, from)) = self.backtrack()? {
                (inst, at) = (next, from);
            } else {
                return Ok(None);
            }
        }
    }

    #[inline]
    fn class(&self, class: u32) -> Result<Class, StepLimit> {
        self.program.classes.get(class as usize).copied().ok_or(StepLimit)
    }

    #[inline]
    fn slot(&self, slot: u32) -> Result<usize, StepLimit> {
        self.slots.get(slot as usize).copied().ok_or(StepLimit)
    }

    fn assign(&mut self, slot: u32, value: usize) -> Result<(), StepLimit> {
        let place = self.slots.get_mut(slot as usize).ok_or(StepLimit)?;
        self.stack.push(Frame::Restore { slot, value: *place });
        *place = value;
        Ok(())
    }

    #[inline]
    fn text(&mut self, start: u32, len: u32, back: bool, at: usize) -> Result<Option<usize>, StepLimit> {
        let wanted = self.program.text_at(start, len).ok_or(StepLimit)?;
        self.charge(wanted.len() / RUN_PER_STEP)?;
        Ok(self.compare(wanted, back, at))
    }

    /// The position beyond `wanted`, if the text has it at `at`.
    #[inline]
    fn compare(&self, wanted: &str, back: bool, at: usize) -> Option<usize> {
        let (from, to) = if back { (at.checked_sub(wanted.len())?, at) } else { (at, at + wanted.len()) };
        let found = self.text.as_bytes().get(from..to)? == wanted.as_bytes();
        found.then_some(if back { from } else { to })
    }

    /// Takes a run of characters of one class and leaves a frame for the other lengths it may have.
    fn span(&mut self, current: Inst, inst: u32, start: usize) -> Result<Option<usize>, StepLimit> {
        let Inst::Span { class, min, max, greedy, back } = current else { return Err(StepLimit) };
        let class = self.class(class)?;
        let most = if greedy { max } else { min };
        let (mut at, mut taken, mut least) = (start, 0u32, start);
        while taken < most {
            match step(self.text, at, back) {
                Some((char, next)) if self.program.class_has(class, char) => at = next,
                _ => break,
            }
            taken += 1;
            if taken == min {
                least = at;
            }
        }
        self.charge(taken as usize / RUN_PER_STEP)?;
        if taken < min {
            return Ok(None);
        }
        if greedy && at != least {
            self.stack.push(Frame::Shrink { inst, at, least });
        } else if !greedy && min < max {
            self.stack.push(Frame::Grow { inst, at, left: max - min });
        }
        Ok(Some(at))
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let line_break = |found: Option<(char, usize)>| {
            found.is_none_or(|(char, _)| matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}'))
        };
        // Only ASCII counts as a word, so single bytes tell.
        let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let boundary = || word(at.checked_sub(1).and_then(|i| bytes.get(i))) != word(bytes.get(at));
        match assertion {
            Assertion::TextStart => at == 0,
            Assertion::TextEnd => at == bytes.len(),
            Assertion::LineStart => line_break(before(self.text, at)),
            Assertion::LineEnd => line_break(after(self.text, at)),
            Assertion::WordBoundary => boundary(),
            Assertion::NotWordBoundary => !boundary(),
        }
    }

    /// The text of a group once more. A group that took no part matches as empty.
    fn back_reference(
        &mut self,
        slot: u32,
        fold: bool,
        back: bool,
        at: usize,
    ) -> Result<Option<usize>, StepLimit> {
        let (from, to) = (self.slot(slot)?, self.slot(slot.saturating_add(1))?);
        if from == UNSET || to == UNSET {
            return Ok(Some(at));
        }
        let wanted = self.text.get(from..to).ok_or(StepLimit)?;
        self.charge(wanted.len() / if fold { 1 } else { RUN_PER_STEP })?;
        if !fold {
            return Ok(self.compare(wanted, back, at));
        }
        let mut place = at;
        let mut same = |char: char| {
            let found = step(self.text, place, back);
            found.is_some_and(|(other, next)| {
                place = next;
                canonical(char) == canonical(other)
            })
        };
        let all = if back { wanted.chars().rev().all(&mut same) } else { wanted.chars().all(&mut same) };
        Ok(all.then_some(place))
    }

    /// The body of the innermost look-around matched: where to go on, or `None` if that is a failure.
    fn look_end(&mut self) -> Result<Option<(u32, usize)>, StepLimit> {
        let is_look = |frame: &Frame| matches!(frame, Frame::Look { .. });
        let base = self.stack.iter().rposition(is_look).ok_or(StepLimit)?;
        self.charge(self.stack.len() - base)?;
        let Some(&Frame::Look { negate, next, at }) = self.stack.get(base) else { return Err(StepLimit) };
        if negate {
            for frame in self.stack.drain(base..).rev() {
                if let Frame::Restore { slot, value } = frame
                    && let Some(place) = self.slots.get_mut(slot as usize)
                {
                    *place = value;
                }
            }
            return Ok(None);
        }
        // Its other ways to match are given up, but what it remembered must still be undone later.
        let kept: Vec<Frame> =
            self.stack.drain(base..).filter(|frame| matches!(frame, Frame::Restore { .. })).collect();
        self.stack.extend(kept);
        Ok(Some((next, at)))
    }

    /// Undoes back to the last choice and takes the other way: the instruction and position to go on from.
    fn backtrack(&mut self) -> Result<Option<(u32, usize)>, StepLimit> {
        while let Some(frame) = self.stack.pop() {
            match frame {
                Frame::Branch { inst, at } => return Ok(Some((inst, at))),
                Frame::Restore { slot, value } => {
                    *self.slots.get_mut(slot as usize).ok_or(StepLimit)? = value;
                }
                Frame::Look { negate: true, next, at } => return Ok(Some((next, at))),
                Frame::Look { negate: false, .. } => {}
                Frame::Shrink { inst, at, least } => {
                    // A run gives back in the direction of its least end.
                    let shorter = step(self.text, at, least < at).map_or(least, |found| found.1);
                    if shorter != least {
                        self.stack.push(Frame::Shrink { inst, at: shorter, least });
                    }
                    return Ok(Some((inst + 1, shorter)));
                }
                Frame::Grow { inst, at, left } => {
                    let Some(&Inst::Span { class, back, .. }) = self.program.insts.get(inst as usize) else {
                        return Err(StepLimit);
                    };
                    let class = self.class(class)?;
                    let Some((_, longer)) =
                        step(self.text, at, back).filter(|&(char, _)| self.program.class_has(class, char))
                    else {
                        continue;
                    };
                    if left > 1 {
                        // Without end stays without end: a text is never that long.
                        self.stack.push(Frame::Grow { inst, at: longer, left: left - 1 });
                    }
                    return Ok(Some((inst + 1, longer)));
                }
            }
        }
        Ok(None)
    }
}
