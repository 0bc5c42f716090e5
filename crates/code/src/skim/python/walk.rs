//! The walk over the values of a statement: finds the calls, and refuses what cannot be Python.
//! One frame for each bracket that is open, so that no depth of nesting can exhaust the program's stack.

use super::Reader;
use super::token::Kind;
use crate::extract::types;

/// The most that values may be nested in each other: below it, the parser leaves nothing out.
const NESTED: u32 = 1_000;

/// Where values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// One value.
    One,
    /// Values with commas between them.
    Several,
    /// `with` and `except`: values with names for them.
    Items,
    /// `raise`.
    Raise,
    /// The parameters of a function, of a lambda, of a type.
    Parameters,
    Lambda,
    TypeParameters,
    /// Brackets behind a value, and brackets that are a value.
    Arguments,
    Index,
    Group,
    List,
    Curly,
    /// A string with holes, a hole, the format of a hole.
    Text,
    Hole,
    Spec,
}

/// Something that is open.
pub(super) struct Frame {
    pub(super) place: Place,
    /// Where the chain begins that this belongs to.
    chain: usize,
    /// How deep one is in the tree, about, at its start and now.
    from: u32,
    depth: u32,
    /// An `if` waits for its `else`.
    pub(super) ifs: u32,
    /// There was a `for`; it waits for its `in`.
    pub(super) comprehends: bool,
    pub(super) targets: bool,
    /// There was a comma.
    pub(super) several: bool,
    /// Colons and equal signs in this part.
    pub(super) colons: u8,
    pub(super) equals: bool,
    /// A double star is in this part, or any star of a parameter; parts with colons and parts without were seen.
    pub(super) doubled: bool,
    pairs: bool,
    plains: bool,
}

impl Frame {
    fn new(place: Place, chain: usize, depth: u32) -> Self {
        Self {
            place,
            chain,
            from: depth,
            depth,
            ifs: 0,
            comprehends: false,
            targets: false,
            several: false,
            colons: 0,
            equals: false,
            doubled: false,
            pairs: false,
            plains: false,
        }
    }

    /// The name of a parameter is here, before its annotation and its value.
    pub(super) fn names_parameter(&self) -> bool {
        matches!(self.place, Place::Parameters | Place::Lambda) && !self.equals && self.colons == 0
    }

    /// Ends a part, at a comma or at the end.
    fn part(&mut self, valued: bool) -> Option<()> {
        if self.ifs > 0 && !self.comprehends {
            return None;
        }
        if self.place == Place::Curly && valued && !self.comprehends {
            let pair = self.colons > 0 || self.doubled;
            self.pairs |= pair;
            self.plains |= !pair;
        }
        (self.colons, self.equals, self.doubled) = (0, false, false);
        self.ifs = 0;
        self.depth = self.from;
        Some(())
    }
}

/// Where the walk is.
pub(super) struct Step {
    /// A value must come; else there is one, and an operator or an end may come.
    pub(super) want: bool,
    pub(super) before: Kind,
    /// Where the last value begins, with what hangs on it.
    pub(super) chain: usize,
}

impl Reader<'_> {
    /// Walks the values from one token up to another.
    pub(super) fn walk(&mut self, from: usize, to: usize, place: Place) -> Option<()> {
        let alone = match self.token(from).kind {
            Kind::Name => true,
            Kind::Number | Kind::Text | Kind::Literal => place != Place::Parameters,
            _ => false,
        };
        if alone && from + 1 == to {
            return Some(());
        }
        self.frames.clear();
        self.frames.push(Frame::new(place, from, 0));
        let mut step = Step { want: true, before: Kind::Edge, chain: from };
        let mut at = from;
        while at < to {
            at = self.step(at, &mut step)?;
        }
        let last = self.frames.pop()?;
        if !self.frames.is_empty() {
            return None;
        }
        end(last, &step)
    }

    fn step(&mut self, at: usize, step: &mut Step) -> Option<usize> {
        let token = self.token(at);
        let top = self.frames.last_mut()?;
        if !matches!(token.kind, Kind::Text | Kind::Comma) {
            top.depth += 1;
            if top.depth > NESTED {
                return None;
            }
        }
        let mut next = at + 1;
        match token.kind {
            Kind::Name | Kind::Number | Kind::Literal | Kind::Ellipsis => {
                if !step.want || (token.kind != Kind::Name && top.names_parameter()) {
                    return None;
                }
                step.chain = at;
                step.want = false;
            }
            Kind::Text | Kind::FormatOpen => {
                if top.names_parameter() {
                    return None;
                }
                if step.want {
                    step.chain = at;
                } else if !matches!(step.before, Kind::Text | Kind::FormatClose) {
                    return None;
                }
                step.want = false;
                if token.kind == Kind::FormatOpen {
                    self.enter(Place::Text, step.chain);
                }
            }
            Kind::Dot => {
                if step.want || top.names_parameter() || self.token(next).kind != Kind::Name {
                    return None;
                }
                next += 1;
            }
            Kind::Round | Kind::Square | Kind::Curly => self.bracket(at, token.kind, step)?,
            Kind::RoundEnd | Kind::SquareEnd | Kind::CurlyEnd | Kind::FormatClose | Kind::HoleClose => {
                let frame = self.frames.pop()?;
                step.chain = frame.chain;
                end(frame, step)?;
                step.want = false;
            }
            Kind::HoleOpen | Kind::HoleSpec | Kind::Conversion => self.hole(at, token.kind, step)?,
            Kind::Comma => {
                let valued = !step.want || (top.place == Place::Index && step.before == Kind::Colon);
                if !valued || matches!(top.place, Place::One | Place::Text | Place::Spec) {
                    return None;
                }
                top.part(!step.want)?;
                top.several = true;
                step.want = true;
            }
            Kind::Equals => {
                let after = self.token(next).kind;
                let name = step.before == Kind::Name && step.chain + 1 == at;
                let top = self.frames.last_mut()?;
                let allowed = match top.place {
                    Place::Arguments => {
                        name && !top.comprehends
                            && !top.equals
                            && matches!(self.token(at.wrapping_sub(2)).kind, Kind::Round | Kind::Comma)
                    }
                    Place::Parameters | Place::Lambda => !step.want && !top.equals && !top.doubled,
                    Place::Hole => {
                        !step.want && matches!(after, Kind::HoleClose | Kind::HoleSpec | Kind::Conversion)
                    }
                    _ => false,
                };
                if !allowed {
                    return None;
                }
                let top = self.frames.last_mut()?;
                top.equals = true;
                step.want = top.place != Place::Hole;
            }
            Kind::Colon => self.inner_colon(at, step)?,
            _ => next = self.operator(at, token, step)?,
        }
        step.before = self.token(next - 1).kind;
        Some(next)
    }

    pub(super) fn enter(&mut self, place: Place, chain: usize) {
        let depth = self.frames.last().map_or(0, |top| top.depth + 1);
        self.frames.push(Frame::new(place, chain, depth));
    }

    fn bracket(&mut self, at: usize, kind: Kind, step: &mut Step) -> Option<()> {
        // Python 2 takes pairs apart in parameters.
        let named = self.frames.last()?.names_parameter() && !(step.want && kind == Kind::Round);
        if named || !step.want && !step.before.ends_value() {
            return None;
        }
        let (place, chain) = match (kind, step.want) {
            (Kind::Round, true) => (Place::Group, at),
            (Kind::Square, true) => (Place::List, at),
            (_, true) => (Place::Curly, at),
            (Kind::Round, false) => {
                self.called(step.chain, at.checked_sub(1)?)?;
                (Place::Arguments, step.chain)
            }
            (Kind::Square, false) => (Place::Index, step.chain),
            (_, false) => return None,
        };
        self.enter(place, chain);
        step.want = true;
        Some(())
    }

    /// What is in a string with holes, and what ends the value of a hole.
    fn hole(&mut self, at: usize, kind: Kind, step: &mut Step) -> Option<()> {
        let following = self.token(at + 1).kind;
        let top = self.frames.last_mut()?;
        match kind {
            Kind::HoleOpen => {
                if !matches!(top.place, Place::Text | Place::Spec) {
                    return None;
                }
                self.enter(Place::Hole, step.chain);
                step.want = true;
            }
            Kind::HoleSpec => {
                if top.place != Place::Hole || step.want {
                    return None;
                }
                top.part(true)?;
                top.place = Place::Spec;
            }
            _ => {
                let ends = matches!(following, Kind::HoleSpec | Kind::HoleClose);
                if top.place != Place::Hole || step.want || !ends {
                    return None;
                }
            }
        }
        Some(())
    }

    fn inner_colon(&mut self, at: usize, step: &mut Step) -> Option<()> {
        let top = self.frames.last_mut()?;
        match top.place {
            Place::Index => {
                if step.want && !matches!(step.before, Kind::Square | Kind::Comma | Kind::Colon)
                    || top.colons >= 2
                {
                    return None;
                }
            }
            Place::Curly => {
                let star = step.chain.checked_sub(2).is_some_and(|before| {
                    self.lexer.token(before + 1).kind == Kind::Star
                        && matches!(self.lexer.token(before).kind, Kind::Curly | Kind::Comma)
                });
                if star || step.want || top.colons > 0 || top.doubled || top.comprehends {
                    return None;
                }
            }
            Place::TypeParameters => {
                if step.want {
                    return None;
                }
            }
            Place::Parameters => {
                if step.before != Kind::Name || top.colons > 0 || top.equals {
                    return None;
                }
                top.colons += 1;
                step.want = true;
                return self.typed_parameter(at, step.chain);
            }
            Place::Lambda => {
                let frame = self.frames.pop()?;
                if step.before != Kind::Lambda {
                    end(frame, step)?;
                }
                step.want = true;
                return Some(());
            }
            _ => return None,
        }
        top.colons += 1;
        step.want = true;
        Some(())
    }

    /// Notes the type of the parameter whose colon this is.
    fn typed_parameter(&mut self, colon: usize, name: usize) -> Option<()> {
        let starred = matches!(self.token(name.wrapping_sub(1)).kind, Kind::Star | Kind::Power);
        let first = if starred { name - 1 } else { name };
        let mut end = colon + 1;
        while !matches!(self.token(end).kind, Kind::Equals | Kind::Comma | Kind::RoundEnd | Kind::Edge) {
            end = self.behind(end);
        }
        self.annotation(colon + 1, end)?;
        let of = types::base(self.span(colon + 1, end.checked_sub(1)?));
        if !of.is_empty() {
            let name = self.span(first, colon.checked_sub(1)?);
            self.gather.variable_is(name, of);
        }
        Some(())
    }
}

/// Whether something may end here.
fn end(mut frame: Frame, step: &Step) -> Option<()> {
    frame.part(!step.want)?;
    if frame.targets || (frame.pairs && frame.plains) {
        return None;
    }
    let empty = matches!(step.before, Kind::Round | Kind::Square | Kind::Curly | Kind::Edge);
    let trailing = step.before == Kind::Comma;
    let may = match frame.place {
        Place::One => false,
        Place::Several => trailing || step.before == Kind::Yield,
        Place::Items | Place::Raise | Place::TypeParameters => trailing,
        Place::Group => empty || trailing || step.before == Kind::Yield,
        Place::List | Place::Curly | Place::Arguments | Place::Parameters => empty || trailing,
        Place::Lambda => trailing,
        Place::Index => trailing || step.before == Kind::Colon,
        Place::Hole => trailing,
        Place::Text | Place::Spec => return Some(()),
    };
    (!step.want || may).then_some(())
}
