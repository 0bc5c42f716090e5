//! What is seen by looking ahead: arrow functions, functions as values, what is made by `new`. Brackets are stepped
//! over whole, so that a look costs as much as there are tokens outside of them.

use super::kind::Kind;
use super::read::{Mode, Reader};
use crate::facts::SymbolKind;

/// A value that makes its name a function or a class.
pub(super) struct FunctionValue {
    pub kind: SymbolKind,
    /// The first token of it.
    pub first: usize,
    /// The first token of its body.
    pub body: usize,
}

/// The most wrappers around what is made that are looked through.
const WRAPPERS: usize = 4;

impl Reader<'_> {
    /// Reads from a token without telling anything, and comes back; the token after what was read.
    pub(super) fn look(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<usize> {
        let (here, quiet, mode, level) = (self.at, self.quiet, self.mode, self.level());
        self.at = at;
        self.quiet = true;
        self.mode = Mode::default();
        let found = read(self).map(|()| self.at);
        self.looked += self.at.saturating_sub(at);
        self.at = here;
        self.quiet = quiet;
        self.mode = mode;
        self.back_to(level);
        found
    }

    /// The token after the types of a call.
    pub(super) fn types_of_call(&mut self, at: usize) -> Option<usize> {
        self.look(at, Self::type_arguments)
    }

    /// An expression has ended before this token.
    pub(super) fn stops(&self, at: usize) -> bool {
        let token = self.token(at);
        match token.kind {
            Kind::Comma
            | Kind::Semicolon
            | Kind::RoundClose
            | Kind::SquareClose
            | Kind::CurlyClose
            | Kind::Colon
            | Kind::TemplateMiddle
            | Kind::TemplateTail
            | Kind::End => true,
            Kind::In | Kind::Instanceof => false,
            Kind::As | Kind::Satisfies if self.typed => token.newline && self.mode.line_ends,
            Kind::At
            | Kind::CurlyOpen
            | Kind::Step
            | Kind::Bang
            | Kind::Text
            | Kind::Number
            | Kind::PrivateName
            | Kind::Tilde => token.newline,
            kind => token.newline && kind.is_word(),
        }
    }

    /// The arrow of the arrow function that begins at a token; `None` where it may be one or not.
    pub(super) fn arrow(&mut self, at: usize) -> Option<Option<usize>> {
        let mut at = at;
        let kind = self.kind_at(at);
        if kind.is_name() {
            if self.kind_at(at + 1) == Kind::Arrow {
                return Some(Some(at + 1));
            }
            if kind != Kind::Async || self.newline(at + 1) {
                return Some(None);
            }
            at += 1;
            if self.kind_at(at).is_name() {
                return Some((self.kind_at(at + 1) == Kind::Arrow).then_some(at + 1));
            }
        }
        if self.kind_at(at) == Kind::Less && self.typed {
            match self.look(at, Self::type_parameters) {
                Some(after) => at = after,
                None => return Some(None),
            }
        }
        if self.kind_at(at) != Kind::RoundOpen {
            return Some(None);
        }
        let after = self.after_pair(at);
        match self.kind_at(after) {
            Kind::Arrow => Some(Some(after)),
            Kind::Colon if self.typed => {
                let arrow = self.look(after + 1, Self::return_type);
                match arrow.filter(|arrow| self.kind_at(*arrow) == Kind::Arrow) {
                    // `a ? (b) : c => d`
                    Some(_) if self.mode.between && !self.surely_parameters(at) => None,
                    arrow => Some(arrow),
                }
            }
            _ => Some(None),
        }
    }

    /// What is in these brackets is no expression: nothing, or a name with a type.
    fn surely_parameters(&self, open: usize) -> bool {
        match self.kind_at(open + 1) {
            Kind::RoundClose => true,
            kind => kind.is_name() && self.kind_at(open + 2) == Kind::Colon,
        }
    }

    /// The function or class that a value is, or that it wraps: `memo(() => …)`.
    pub(super) fn function_value(&mut self, at: usize) -> Option<Option<FunctionValue>> {
        let found =
            |kind: SymbolKind, first: usize, body: usize| Some(Some(FunctionValue { kind, first, body }));
        if let Some(arrow) = self.arrow(at)? {
            return found(SymbolKind::Function, at, arrow + 1);
        }
        match self.kind_at(at) {
            Kind::Function | Kind::Async => {
                if let Some((body, after, _)) = self.skip_function(at)
                    && self.stops(after)
                {
                    return found(SymbolKind::Function, at, body);
                }
            }
            Kind::Class => {
                let (body, after) = self.skip_class(at)?;
                if self.stops(after) {
                    return found(SymbolKind::Class, at, body);
                }
            }
            _ => {}
        }
        let Some((after, Some(arguments))) = self.skip_chain(at) else { return Some(None) };
        let first = arguments + 1;
        if !self.stops(after) || self.token(first).comment {
            return Some(None);
        }
        let around = std::mem::take(&mut self.mode);
        let arrow = self.arrow(first)?;
        self.mode = around;
        if let Some(arrow) = arrow {
            return found(SymbolKind::Function, first, arrow + 1);
        }
        match self.skip_function(first) {
            Some((body, after, false)) if matches!(self.kind_at(after), Kind::Comma | Kind::RoundClose) => {
                found(SymbolKind::Function, first, body)
            }
            _ => Some(None),
        }
    }

    /// The body of a function expression, the token after it, and whether it is a generator.
    fn skip_function(&mut self, at: usize) -> Option<(usize, usize, bool)> {
        let mut at = at + usize::from(self.kind_at(at) == Kind::Async);
        if self.kind_at(at) != Kind::Function {
            return None;
        }
        at += 1;
        let generator = self.kind_at(at) == Kind::Star;
        at += usize::from(generator);
        at += usize::from(self.kind_at(at).is_name());
        at = self.after_signature(at)?;
        (self.kind_at(at) == Kind::CurlyOpen).then(|| (at, self.after_pair(at), generator))
    }

    /// The token after parameters and the type of what comes back, looking ahead from after a function's name.
    pub(super) fn after_signature(&mut self, mut at: usize) -> Option<usize> {
        if self.kind_at(at) == Kind::Less && self.typed {
            at = self.look(at, Self::type_parameters)?;
        }
        if self.kind_at(at) != Kind::RoundOpen {
            return None;
        }
        at = self.after_pair(at);
        if self.kind_at(at) == Kind::Colon && self.typed {
            at = self.look(at + 1, Self::return_type)?;
        }
        Some(at)
    }

    /// The body of a class, and the token after it.
    pub(super) fn skip_class(&mut self, at: usize) -> Option<(usize, usize)> {
        let mut at = at + 1;
        let mut steps = 0;
        loop {
            match self.kind_at(at) {
                Kind::CurlyOpen => return Some((at, self.after_pair(at))),
                Kind::RoundOpen | Kind::SquareOpen | Kind::TemplateHead => at = self.after_pair(at),
                Kind::Less if self.typed => {
                    let types = if steps <= 1 { Self::type_parameters } else { Self::type_arguments };
                    at = match self.look(at, types) {
                        Some(after) => after,
                        None => self.look(at, Self::type_arguments)?,
                    };
                }
                Kind::Dot | Kind::OptionalDot | Kind::Comma | Kind::Text | Kind::Template | Kind::Bang => {
                    at += 1;
                }
                Kind::Or | Kind::And | Kind::Plus | Kind::Between | Kind::Question | Kind::Colon => at += 1,
                // Their bodies would be taken for that of the class.
                Kind::Class | Kind::Function => return None,
                kind if kind.is_word() => at += 1,
                _ => return None,
            }
            steps += 1;
        }
    }

    /// The token after a value with its properties and calls, and where the arguments are that it ends with.
    fn skip_chain(&mut self, at: usize) -> Option<(usize, Option<usize>)> {
        let mut at = match self.kind_at(at) {
            Kind::New => self.skip_new(at)?,
            Kind::Async | Kind::Function => match self.skip_function(at) {
                Some((_, after, _)) => after,
                None if self.kind_at(at) == Kind::Async => at + 1,
                None => return None,
            },
            Kind::Class => self.skip_class(at)?.1,
            Kind::This
            | Kind::Super
            | Kind::Null
            | Kind::True
            | Kind::False
            | Kind::Number
            | Kind::Text
            | Kind::Regex
            | Kind::Template
            | Kind::Import => at + 1,
            Kind::TemplateHead | Kind::RoundOpen | Kind::SquareOpen | Kind::CurlyOpen | Kind::TagOpen => {
                self.after_pair(at)
            }
            Kind::Await if self.awaits(at)? => return None,
            Kind::Yield => return None,
            kind if kind.is_name() => at + 1,
            _ => return None,
        };
        let mut arguments = None;
        loop {
            match self.kind_at(at) {
                Kind::Dot => {
                    arguments = None;
                    at += 2;
                }
                Kind::OptionalDot => {
                    arguments = None;
                    at += if matches!(self.kind_at(at + 1), Kind::RoundOpen | Kind::SquareOpen) {
                        1
                    } else {
                        2
                    };
                }
                Kind::SquareOpen | Kind::TemplateHead => {
                    arguments = None;
                    at = self.after_pair(at);
                }
                Kind::Template => {
                    arguments = None;
                    at += 1;
                }
                Kind::Bang if self.typed && !self.newline(at) => {
                    arguments = None;
                    at += 1;
                }
                Kind::RoundOpen => {
                    arguments = Some(at);
                    at = self.after_pair(at);
                }
                Kind::Less if self.typed => match self.types_of_call(at) {
                    Some(after) if self.kind_at(after) == Kind::RoundOpen => at = after,
                    _ => return Some((at, None)),
                },
                _ => return Some((at, arguments)),
            }
        }
    }

    /// The token after `new Class<T>(…)`.
    fn skip_new(&mut self, at: usize) -> Option<usize> {
        let mut at = self.skip_class_name(at + 1)?;
        if self.kind_at(at) == Kind::Less && self.typed {
            at = self.types_of_call(at)?;
        }
        if self.kind_at(at) == Kind::RoundOpen {
            at = self.after_pair(at);
        }
        Some(at)
    }

    /// The token after the class of `new`.
    fn skip_class_name(&mut self, at: usize) -> Option<usize> {
        let mut at = match self.kind_at(at) {
            Kind::RoundOpen => self.after_pair(at),
            Kind::This | Kind::Super => at + 1,
            Kind::Class => self.skip_class(at)?.1,
            Kind::Function => self.skip_function(at)?.1,
            // `new.target`
            Kind::Dot => at,
            kind if kind.is_name() => at + 1,
            _ => return None,
        };
        loop {
            match self.kind_at(at) {
                Kind::Dot => at += 2,
                Kind::SquareOpen => at = self.after_pair(at),
                _ => return Some(at),
            }
        }
    }

    /// Where the name of the class is of which a value is made: `new Cart()`, `(await new Cart()) as Cart`.
    pub(super) fn made(&mut self, at: usize) -> Option<Option<(u32, u32)>> {
        let is_prefix = |kind: Kind| {
            matches!(
                kind,
                Kind::Await
                    | Kind::Bang
                    | Kind::Tilde
                    | Kind::Plus
                    | Kind::Minus
                    | Kind::Typeof
                    | Kind::Void
                    | Kind::Delete
            )
        };
        let mut first = at;
        while is_prefix(self.kind_at(first)) || self.kind_at(first) == Kind::RoundOpen {
            first += 1;
        }
        if self.kind_at(first) != Kind::New || self.kind_at(first + 1) == Kind::Dot {
            return Some(None);
        }
        if first - at > WRAPPERS {
            return None;
        }
        if (at + 1..=first).any(|at| self.token(at).comment) {
            return Some(None);
        }
        let end = self.skip_class_name(first + 1)?;
        let class = (self.token(first + 1).start, self.token(end.saturating_sub(1)).end);
        let mut after = self.skip_new(first)?;
        let mut wrappers = first - at;
        // Outwards: what is hung on it, and the brackets around it.
        let mut rounds = (at..first).filter(|at| self.kind_at(*at) == Kind::RoundOpen).count();
        loop {
            match self.kind_at(after) {
                Kind::RoundClose if rounds > 0 => {
                    rounds -= 1;
                    after += 1;
                }
                Kind::Bang if self.typed && !self.newline(after) => {
                    wrappers += 1;
                    after += 1;
                }
                Kind::As if self.typed && !(self.newline(after) && self.mode.line_ends && rounds == 0) => {
                    wrappers += 1;
                    after = self.look(after + 1, Self::type_of_value)?;
                }
                _ => break,
            }
        }
        if rounds > 0 || !self.stops(after) {
            return Some(None);
        }
        if wrappers > WRAPPERS { None } else { Some(Some(class)) }
    }
}
