//! Assignments: the values of a module that they declare, and the types of values that they say.
//! A statement that assigns nothing is walked for its calls only.

use super::Reader;
use super::token::Kind;
use super::walk::Place;
use crate::extract::{declare, head, types};
use crate::facts::{Symbol, SymbolKind};

/// The most names that one value is given in a row.
const IN_A_ROW: usize = 100;

/// Something that is assigned to: tokens from and up to.
struct Assigned {
    left: (usize, usize),
    /// The annotation.
    of: Option<(usize, usize)>,
    /// The value; none when another assignment is in its place.
    right: Option<(usize, usize)>,
    /// Where the statement ends.
    end: usize,
}

impl Reader<'_> {
    /// The first sign that assigns, outside of brackets and lambdas.
    fn sign(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            match self.token(at).kind {
                Kind::Equals | Kind::Colon | Kind::Augmented => break,
                Kind::Lambda => at = self.lambda_colon(at)? + 1,
                _ => at = self.behind(at),
            }
        }
        Some(at)
    }

    /// An assignment, or values alone.
    pub(super) fn assignment(&mut self, from: usize, to: usize, level: usize) -> Option<()> {
        let first = self.token(from);
        if first.kind == Kind::Name {
            let next = self.token(from + 1).kind;
            match self.text_of(first) {
                "print" | "exec" if !self.is_plain(next) => return self.old_statement(from, to),
                "type" if next == Kind::Name => return self.type_alias(from, to, level),
                _ => {}
            }
        }
        let mut start = from;
        let mut sign = self.sign(from, to)?;
        if self.is_taken_for_alias(from, sign) {
            return self.taken_for_alias(from, sign, to);
        }
        for _ in 0..IN_A_ROW {
            if sign == to {
                let ends = start != from || first.kind == Kind::Yield || !self.may_go_on(to);
                return if ends { self.walk(start, to, Place::Several) } else { None };
            }
            self.targets(start, sign)?;
            let kind = self.token(sign).kind;
            let mut next = self.sign(sign + 1, to)?;
            let mut assigned = Assigned { left: (start, sign), of: None, right: None, end: to };
            match kind {
                Kind::Augmented => {
                    // Only one of them, and nothing else.
                    if start != from || next != to {
                        return None;
                    }
                    self.walk(start, sign, Place::Several)?;
                    return self.walk(sign + 1, to, Place::Several);
                }
                Kind::Colon => {
                    if start != from || (next < to && self.token(next).kind != Kind::Equals) {
                        return None;
                    }
                    assigned.of = Some((sign + 1, next));
                    if next < to {
                        let after = self.sign(next + 1, to)?;
                        assigned.right = (after == to).then_some((next + 1, to));
                    }
                }
                _ => assigned.right = (next == to).then_some((sign + 1, to)),
            }
            self.assigned(&assigned, level)?;
            self.walk(start, sign, Place::Several)?;
            if let Some((from, end)) = assigned.of {
                self.annotation(from, end)?;
                self.walk(from, end, Place::One)?;
                if end == to {
                    return Some(());
                }
                sign = end;
                next = self.sign(sign + 1, to)?;
            }
            if next < to && self.token(next).kind != Kind::Equals {
                return None;
            }
            start = sign + 1;
            sign = next;
        }
        None
    }

    /// True for values with a comma at their end that the next line may be part of, as the parser sees it: `a,` and
    /// then `b = 1`. Not behind what cannot be assigned to.
    fn may_go_on(&self, to: usize) -> bool {
        let Some(last) = to.checked_sub(2).map(|last| self.token(last)) else { return false };
        let assignable = match last.kind {
            Kind::Name | Kind::SquareEnd => true,
            Kind::RoundEnd => {
                let before = (last.pair as usize).checked_sub(1).map(|before| self.token(before).kind);
                !before.is_some_and(Kind::ends_value)
            }
            _ => false,
        };
        assignable && self.token(to - 1).kind == Kind::Comma
    }

    /// What may follow the name of a function, other than what would make it a statement of Python 2.
    fn is_plain(&self, next: Kind) -> bool {
        matches!(next, Kind::Round | Kind::Dot | Kind::Equals | Kind::Comma | Kind::Edge | Kind::Semicolon)
    }

    /// `print x` and `exec x in y`. What could be two things is left to the parser.
    fn old_statement(&mut self, from: usize, to: usize) -> Option<()> {
        let next = self.token(from + 1);
        if self.text_of(self.token(from)) == "exec" {
            let code = matches!(next.kind, Kind::Name | Kind::Text);
            let fits = code && (from + 2 == to || self.token(from + 2).kind == Kind::In);
            return if fits { self.walk(from + 1, to, Place::Several) } else { None };
        }
        match next.kind {
            Kind::Name | Kind::Number | Kind::Text | Kind::Literal => self.walk(from + 1, to, Place::Several),
            Kind::Operator if self.text_of(next) == ">>" => self.walk(from + 2, to, Place::Several),
            _ => None,
        }
    }

    /// `type(self).limit = 3` is an alias of a type to the grammar: neither a call of `type` nor an assignment.
    fn is_taken_for_alias(&self, from: usize, sign: usize) -> bool {
        matches!(self.token(from + 1).kind, Kind::Round | Kind::Square)
            && self.token(sign).kind == Kind::Equals
            && self.token(from).kind == Kind::Name
            && self.text_of(self.token(from)) == "type"
    }

    fn taken_for_alias(&mut self, from: usize, sign: usize, to: usize) -> Option<()> {
        self.targets(from, sign)?;
        if self.sign(sign + 1, to)? != to || self.token(from + 1).kind != Kind::Round {
            return None;
        }
        // With an index or a star in it the value may be no type: then it is an assignment, as the parser knows.
        let mut at = sign + 1;
        while at < to {
            if matches!(self.token(at).kind, Kind::Square | Kind::Star) {
                return None;
            }
            at = self.behind(at);
        }
        self.walk(from + 1, sign, Place::One)?;
        self.walk(sign + 1, to, Place::One)
    }

    /// Refuses what cannot be assigned to: calls, values that are written out, operators.
    pub(super) fn targets(&self, from: usize, to: usize) -> Option<()> {
        let mut at = from;
        let mut starts = true;
        while at < to {
            let kind = self.token(at).kind;
            let mut behind = self.behind(at);
            let next = if behind < to { self.token(behind).kind } else { Kind::Edge };
            let hangs = matches!(next, Kind::Dot | Kind::Square | Kind::Round);
            let mut starts_next = false;
            match kind {
                Kind::Name | Kind::Dot | Kind::RoundEnd | Kind::SquareEnd => {}
                Kind::Star if starts => starts_next = true,
                Kind::Comma => starts_next = true,
                // What is in brackets that stand alone is assigned to as well.
                Kind::Round | Kind::Square if starts && !hangs => {
                    behind = at + 1;
                    starts_next = true;
                }
                Kind::Square => {}
                // `"".join(x).y = 1` is odd, but may be.
                Kind::Round | Kind::Text if hangs => {}
                _ => return None,
            }
            starts = starts_next;
            at = behind;
        }
        (from < to).then_some(())
    }

    /// Notes what one assignment declares and which type it says.
    fn assigned(&mut self, it: &Assigned, level: usize) -> Option<()> {
        let (from, to) = it.left;
        let name = self.token(to - 1);
        let plain = to == from + 1 && name.kind == Kind::Name;
        let own = || {
            to == from + 3
                && self.token(from + 1).kind == Kind::Dot
                && self.text_of(self.token(from)) == "self"
        };
        if !plain && !own() {
            return Some(());
        }
        let of = match (it.of, it.right) {
            (Some((from, to)), _) => Some(types::base(self.span(from, to - 1))),
            (None, Some((from, to))) => self.made(from, to.checked_sub(1)?)?,
            (None, None) => None,
        };
        let around = self.gather.enclosing();
        if let Some(of) = of.filter(|of| !of.is_empty()) {
            let name = self.lexer.text.get(name.start as usize..name.end as usize).unwrap_or("");
            if around.in_type || !plain {
                self.gather.field_is(name, of);
            } else {
                self.gather.variable_is(name, of);
            }
        }
        if !plain || around.in_function || around.in_type {
            return Some(());
        }
        let last = self.token(it.end - 1);
        let (mut kind, mut head_end) = (declare::value(self.text_of(name)), last.end);
        if let Some(body) = it.right.and_then(|(from, to)| self.lambda_body(from, to)) {
            (kind, head_end) = (SymbolKind::Function, self.token(body).start);
        }
        let head = self.lexer.text.get(name.start as usize..head_end as usize).unwrap_or("");
        let symbol = Symbol {
            name: declare::clean(self.text_of(name)),
            kind,
            line: name.line,
            end_line: self.end_line(last),
            parent: None,
            container: String::new(),
            signature: head::of_text(head, kind),
            doc: String::new(),
            bases: Vec::new(),
            bytes: (name.start as usize, last.end as usize),
        };
        self.gather.declare(symbol, Some(level));
        Some(())
    }

    /// Where the body of a lambda begins, when a value is nothing but one.
    fn lambda_body(&self, from: usize, to: usize) -> Option<usize> {
        if self.token(from).kind != Kind::Lambda {
            return None;
        }
        let body = self.lambda_colon(from)? + 1;
        let mut at = body;
        while at < to {
            match self.token(at).kind {
                Kind::Comma => return None,
                Kind::Lambda => at = self.lambda_colon(at)? + 1,
                _ => at = self.behind(at),
            }
        }
        Some(body)
    }

    /// `type Name[T] = value`.
    fn type_alias(&mut self, from: usize, to: usize, level: usize) -> Option<()> {
        let equals = self.sign(from, to)?;
        let name = self.token(from + 1);
        let parameters = from + 2;
        let plain = equals == parameters;
        if self.token(equals).kind != Kind::Equals || equals + 1 >= to {
            return None;
        }
        if !plain && (self.token(parameters).kind != Kind::Square || self.behind(parameters) != equals) {
            return None;
        }
        let last = self.token(to - 1);
        let start = self.token(from).start as usize;
        let head = self.lexer.text.get(start..last.end as usize).unwrap_or("");
        let symbol = Symbol {
            name: declare::clean(self.span(from + 1, equals - 1)),
            kind: SymbolKind::Type,
            line: name.line,
            end_line: self.end_line(last),
            parent: None,
            container: String::new(),
            signature: head::of_text(head, SymbolKind::Type),
            doc: String::new(),
            bases: Vec::new(),
            bytes: (start, last.end as usize),
        };
        self.gather.declare(symbol, Some(level));
        if !plain {
            self.walk(parameters + 1, equals - 1, Place::TypeParameters)?;
        }
        self.annotation(equals + 1, to)?;
        self.walk(equals + 1, to, Place::One)
    }

    /// Refuses what is no type to the grammar: a name with an index that goes on as no type does.
    pub(super) fn annotation(&self, from: usize, to: usize) -> Option<()> {
        if self.token(from).kind != Kind::Name || self.token(from + 1).kind != Kind::Square {
            return Some(());
        }
        let end = self.behind(from + 1);
        let mut at = from + 2;
        while at < end {
            if self.token(at).kind == Kind::Colon {
                return None;
            }
            at = self.behind(at);
        }
        let fits = match self.token(end).kind {
            _ if end >= to => true,
            Kind::Operator => self.text_of(self.token(end)) == "|",
            Kind::Dot => end + 2 == to,
            _ => false,
        };
        fits.then_some(())
    }
}
