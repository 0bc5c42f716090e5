//! Statements: which there are, what is in them, and which blocks they open.
//! What a statement brings in or declares goes to the gathered facts, its values to the walk.

use super::token::{Kind, Token};
use super::walk::Place;
use super::{Head, Opener, Reader};
use crate::extract::add_bases;
use crate::facts::{Symbol, SymbolKind};

impl Reader<'_> {
    /// The statements of a logical line.
    pub(super) fn statement_line(&mut self) -> Option<()> {
        let level = self.blocks.len() - 1;
        self.gather.close(level);
        let first = self.token(0);
        let (before, opener) = self.blocks.last().map(|block| (block.before, block.opener))?;
        let starts = match first.kind {
            Kind::Async => self.token(1).kind,
            kind => kind,
        };
        if std::mem::take(&mut self.decorated) {
            // Where a block cannot end, the parser does not know what to do with a comment that seems to end it.
            let decorates = matches!(starts, Kind::Def | Kind::Class | Kind::At);
            if !decorates || self.lexer.outdented() {
                return None;
            }
        }
        if first.kind == Kind::Async && !matches!(starts, Kind::Def | Kind::For | Kind::With) {
            return None;
        }
        let at = usize::from(first.kind == Kind::Async);
        if opener == Opener::Match {
            return self.case_clause(level);
        }
        let became = match starts {
            Kind::At => {
                self.decorator()?;
                Opener::Other
            }
            Kind::If | Kind::While => {
                let opens = if starts == Kind::If { Opener::If } else { Opener::Loop };
                let colon = self.colon(1)?;
                self.walk(1, colon, Place::One)?;
                self.suite(colon, level, opens)?
            }
            Kind::Elif => {
                if before != Opener::If {
                    return None;
                }
                let colon = self.colon(1)?;
                self.walk(1, colon, Place::One)?;
                self.suite(colon, level, Opener::If)?
            }
            Kind::Else => {
                let opens = match before {
                    Opener::If | Opener::Loop => Opener::Other,
                    Opener::Except => Opener::TryElse,
                    _ => return None,
                };
                self.bare(level, opens)?
            }
            Kind::Try => self.bare(level, Opener::Try)?,
            Kind::Finally => {
                if !matches!(before, Opener::Try | Opener::Except | Opener::TryElse) {
                    return None;
                }
                self.bare(level, Opener::Other)?
            }
            Kind::Except => {
                if !matches!(before, Opener::Try | Opener::Except) {
                    return None;
                }
                let colon = self.colon(1)?;
                let from = 1 + usize::from(self.token(1).kind == Kind::Star);
                if from < colon {
                    self.walk(from, colon, Place::Items)?;
                }
                self.suite(colon, level, Opener::Except)?
            }
            Kind::With => {
                let colon = self.colon(at + 1)?;
                self.walk(at + 1, colon, Place::Items)?;
                self.suite(colon, level, Opener::Other)?
            }
            Kind::For => {
                let colon = self.colon(at + 1)?;
                let mut within = at + 1;
                while within < colon && self.token(within).kind != Kind::In {
                    within = self.behind(within);
                }
                self.targets(at + 1, within)?;
                self.walk(at + 1, within, Place::Several)?;
                self.walk(within + 1, colon, Place::Several)?;
                self.suite(colon, level, Opener::Loop)?
            }
            Kind::Def => self.function(at, level)?,
            Kind::Class => self.class(level)?,
            Kind::Name if self.is_match() => {
                let colon = self.lexer.tokens.len() - 1;
                self.walk(1, colon, Place::Several)?;
                self.suite(colon, level, Opener::Match)?
            }
            _ => {
                self.simple(0, level)?;
                Opener::Other
            }
        };
        self.blocks.last_mut()?.before = became;
        Some(())
    }

    /// The first colon that is not in brackets and not of a lambda.
    fn colon(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match self.token(at).kind {
                Kind::Colon => return Some(at),
                Kind::Lambda => at = self.lambda_colon(at)? + 1,
                Kind::Edge | Kind::Semicolon => return None,
                _ => at = self.behind(at),
            }
        }
    }

    /// The colon of a lambda.
    pub(super) fn lambda_colon(&self, lambda: usize) -> Option<usize> {
        let mut open = 1;
        let mut at = lambda + 1;
        loop {
            match self.token(at).kind {
                Kind::Lambda => open += 1,
                Kind::Colon if open == 1 => return Some(at),
                Kind::Colon => open -= 1,
                Kind::Edge => return None,
                _ => {}
            }
            at = self.behind(at);
        }
    }

    /// A word and a colon.
    fn bare(&mut self, level: usize, opens: Opener) -> Option<Opener> {
        if self.token(1).kind != Kind::Colon {
            return None;
        }
        self.suite(1, level, opens)
    }

    /// What comes behind a colon: a block on the lines that follow, or statements on this one.
    fn suite(&mut self, colon: usize, level: usize, opens: Opener) -> Option<Opener> {
        let block = colon + 1 == self.lexer.tokens.len();
        self.opens = opens;
        if !block {
            let symbol = self.head.as_ref().map(|head| head.symbol);
            self.first_statement(colon + 1);
            self.simple(colon + 1, level + 1)?;
            if let Some(symbol) = symbol {
                let (end, line) = self.lexer.ended;
                self.end_symbol(symbol, end, line);
            }
        }
        Some(opens)
    }

    /// Simple statements up to the end of the line.
    fn simple(&mut self, from: usize, level: usize) -> Option<()> {
        let mut start = from;
        if !self.lexer.several {
            let end = self.lexer.tokens.len();
            self.gather.close(level);
            return self.simple_statement(from, end, level);
        }
        loop {
            let mut end = start;
            while !matches!(self.token(end).kind, Kind::Semicolon | Kind::Edge) {
                end = self.behind(end);
            }
            if start == end {
                return None;
            }
            self.gather.close(level);
            self.simple_statement(start, end, level)?;
            start = end + 1;
            if start >= self.lexer.tokens.len() {
                return Some(());
            }
        }
    }

    fn simple_statement(&mut self, from: usize, to: usize, level: usize) -> Option<()> {
        let alone = from + 1 == to;
        match self.token(from).kind {
            Kind::Pass => alone.then_some(()),
            Kind::Return if alone => Some(()),
            Kind::Raise if alone => Some(()),
            Kind::Assert if self.token(to - 1).kind == Kind::Comma => None,
            Kind::Raise => self.walk(from + 1, to, Place::Raise),
            Kind::Return | Kind::Assert | Kind::Del if self.token(from + 1).kind != Kind::Yield => {
                self.walk(from + 1, to, Place::Several)
            }
            Kind::Return | Kind::Assert | Kind::Del => None,
            Kind::Global => {
                let mut wanted = [Kind::Name, Kind::Comma].into_iter().cycle();
                let listed = (from + 1..to).all(|at| Some(self.token(at).kind) == wanted.next());
                (listed && (to - from).is_multiple_of(2)).then_some(())
            }
            Kind::Import => self.imports(from, to),
            Kind::From => self.imports_from(from, to),
            _ => self.assignment(from, to, level),
        }
    }

    fn decorator(&mut self) -> Option<()> {
        let end = self.lexer.tokens.len();
        self.walk(1, end, Place::One)?;
        let last = end.checked_sub(1)?;
        // `@cache` calls too; `@cache()` was seen as the call that it holds.
        if self.is_chain(1, last) {
            self.called(1, last)?;
        }
        self.decorated = true;
        Some(())
    }

    /// True for `match value:`, with a block that follows.
    fn is_match(&self) -> bool {
        let last = self.lexer.tokens.len().saturating_sub(1);
        let value = matches!(
            self.token(1).kind,
            Kind::Name
                | Kind::Number
                | Kind::Text
                | Kind::FormatOpen
                | Kind::Literal
                | Kind::Round
                | Kind::Square
                | Kind::Curly
                | Kind::Sign
                | Kind::Tilde
                | Kind::Star
                | Kind::Not
                | Kind::Await
        );
        value
            && self.token(last).kind == Kind::Colon
            && self.text_of(self.token(0)) == "match"
            && self.colon(1) == Some(last)
    }

    /// `case pattern:`. What looks like a call in a pattern is none.
    fn case_clause(&mut self, level: usize) -> Option<()> {
        if self.text_of(self.token(0)) != "case" {
            return None;
        }
        let colon = self.colon(1)?;
        let mut at = 1;
        while at < colon && self.token(at).kind != Kind::If {
            at = self.behind(at);
        }
        self.pattern(1, at)?;
        if at < colon {
            self.walk(at + 1, colon, Place::One)?;
        }
        self.suite(colon, level, Opener::Other)?;
        Some(())
    }

    /// Looks through a pattern for what cannot be in one.
    fn pattern(&self, from: usize, to: usize) -> Option<()> {
        let mut before = Kind::Comma;
        for at in from..to {
            let kind = self.token(at).kind;
            let valued = before.ends_value();
            let fits = match kind {
                Kind::Name | Kind::Number | Kind::Literal | Kind::Square | Kind::Curly => !valued,
                Kind::Text => !valued || before == Kind::Text,
                Kind::Round => !valued || before == Kind::Name,
                Kind::Dot => before == Kind::Name,
                Kind::As | Kind::Equals | Kind::Colon | Kind::Comma => valued,
                Kind::Operator => valued && self.text_of(self.token(at)) == "|",
                Kind::Star | Kind::Power => !valued,
                Kind::Sign => self.token(at + 1).kind == Kind::Number && (!valued || before == Kind::Number),
                Kind::RoundEnd | Kind::SquareEnd | Kind::CurlyEnd => {
                    valued || before == Kind::Comma || before.opens()
                }
                _ => false,
            };
            if !fits {
                return None;
            }
            before = kind;
        }
        (from < to && (before.ends_value() || before == Kind::Comma)).then_some(())
    }

    fn declare(&mut self, name: Token, kind: SymbolKind, start: u32, level: usize) -> Option<u32> {
        let symbol = Symbol {
            name: self.text_of(name).to_owned(),
            kind,
            line: name.line,
            end_line: name.line,
            parent: None,
            container: String::new(),
            signature: String::new(),
            doc: String::new(),
            bases: Vec::new(),
            bytes: (start as usize, name.end as usize),
        };
        let number = self.gather.declare(symbol, Some(level))?;
        self.head = Some(Head { symbol: number, start, kind });
        Some(number)
    }

    fn type_parameters(&mut self, at: usize) -> Option<usize> {
        if self.token(at).kind != Kind::Square {
            return Some(at);
        }
        let behind = self.behind(at);
        self.walk(at + 1, behind - 1, Place::TypeParameters)?;
        Some(behind)
    }

    /// A function, from its `def`.
    fn function(&mut self, def: usize, level: usize) -> Option<Opener> {
        let name = self.token(def + 1);
        if name.kind != Kind::Name {
            return None;
        }
        self.declare(name, SymbolKind::Function, self.token(0).start, level)?;
        let round = self.type_parameters(def + 2)?;
        if self.token(round).kind != Kind::Round {
            return None;
        }
        let behind = self.behind(round);
        self.walk(round + 1, behind - 1, Place::Parameters)?;
        let colon = self.colon(behind)?;
        match self.token(behind).kind {
            Kind::Colon => {}
            Kind::Arrow => {
                self.annotation(behind + 1, colon)?;
                self.walk(behind + 1, colon, Place::One)?;
            }
            _ => return None,
        }
        self.suite(colon, level, Opener::Other)
    }

    fn class(&mut self, level: usize) -> Option<Opener> {
        let name = self.token(1);
        if name.kind != Kind::Name {
            return None;
        }
        let number = self.declare(name, SymbolKind::Class, self.token(0).start, level)?;
        let mut at = self.type_parameters(2)?;
        if self.token(at).kind == Kind::Round {
            let behind = self.behind(at);
            let mut bases = Vec::new();
            add_bases(self.span(at, behind - 1), &mut bases);
            self.gather.symbol_mut(number)?.bases = bases;
            self.walk(at + 1, behind - 1, Place::Arguments)?;
            at = behind;
        }
        if self.token(at).kind != Kind::Colon {
            return None;
        }
        self.suite(at, level, Opener::Other)
    }
}
