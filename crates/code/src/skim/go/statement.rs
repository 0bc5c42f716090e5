//! Statements, and the heads of those that have a block.

use super::event::{Event, Of};
use super::expression::Form;
use super::read::Reader;
use super::token::Kind;

/// Labels of one statement, at most.
const LABELS: usize = 2;

/// Where a simple statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among statements.
    Plain,
    /// In the head of a loop.
    Loop,
    /// In the head of a switch.
    Switch,
}

/// What a simple statement was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Simple {
    /// An expression.
    Expression,
    /// `x := y.(type)`, `y.(type)`
    Guard,
    /// `k, v := range m`
    Range,
    /// Something else.
    Other,
}

impl Reader<'_> {
    /// `{ … }` with statements.
    pub(super) fn block(&mut self) -> Option<()> {
        let around = std::mem::take(&mut self.block_follows);
        self.expect(Kind::CurlyOpen)?;
        self.statements()?;
        self.expect(Kind::CurlyClose)?;
        self.block_follows = around;
        Some(())
    }

    /// Statements up to the end of a block or of a case.
    fn statements(&mut self) -> Option<()> {
        // Labels before the next statement, if any.
        let mut labels = 0;
        loop {
            match self.kind() {
                // The parser takes one label without a statement, not more.
                Kind::CurlyClose | Kind::Case | Kind::Default => return (labels < 2).then_some(()),
                kind if kind.is_free_name() && self.ahead(1) == Kind::Colon => {
                    self.at += 2;
                    labels += 1;
                    // Each is a level of the tree.
                    if labels > LABELS {
                        return None;
                    }
                }
                Kind::Semicolon => {
                    labels = 0;
                    self.nothing()?;
                }
                _ => {
                    labels = 0;
                    self.statement()?;
                    match self.kind() {
                        Kind::Semicolon | Kind::Line => self.at += 1,
                        Kind::CurlyClose => return Some(()),
                        _ => return None,
                    }
                }
            }
        }
    }

    /// A semicolon alone is a statement, and ends as others do.
    fn nothing(&mut self) -> Option<()> {
        let line = self.token(self.at).line;
        self.at += 1;
        let next = self.token(self.at);
        match next.kind {
            _ if next.line > line => Some(()),
            Kind::CurlyClose => Some(()),
            Kind::Semicolon => {
                self.at += 1;
                Some(())
            }
            _ => None,
        }
    }

    fn statement(&mut self) -> Option<()> {
        match self.kind() {
            Kind::Const | Kind::Var | Kind::Type => self.declares(),
            Kind::Return => {
                self.at += 1;
                let alone = self.kind().is_end() || self.kind() == Kind::CurlyClose;
                if alone { Some(()) } else { self.expressions().map(|_| ()) }
            }
            Kind::Go | Kind::Defer => {
                self.at += 1;
                self.value().map(|_| ())
            }
            Kind::If => self.if_else(),
            Kind::For => self.repeats(),
            Kind::Switch => self.switch(),
            Kind::Select => self.select(),
            Kind::Fallthrough => {
                self.at += 1;
                Some(())
            }
            Kind::Break | Kind::Continue => {
                self.at += 1;
                self.at += usize::from(self.kind().is_name());
                Some(())
            }
            Kind::Goto => {
                self.at += 1;
                self.name().map(|_| ())
            }
            Kind::CurlyOpen => self.block(),
            _ => self.simple(Place::Plain).map(|_| ()),
        }
    }

    /// An expression, an assignment, a declaration of variables, a step, or what is sent.
    fn simple(&mut self, place: Place) -> Option<Simple> {
        let first = self.at;
        let read = self.any()?;
        if read.form.is_type() {
            return None;
        }
        if read.form == Form::Guard {
            return (place == Place::Switch).then_some(Simple::Guard);
        }
        let mut several = false;
        while self.skip(Kind::Comma) {
            self.value()?;
            several = true;
        }
        let kind = self.kind();
        match kind {
            Kind::Define | Kind::Assign if self.ahead(1) == Kind::Range => {
                self.at += 2;
                self.value()?;
                (place == Place::Loop).then_some(Simple::Range)
            }
            Kind::Define => {
                let names = (first..self.at).step_by(2).all(|name| self.token(name).kind.is_name());
                let commas =
                    (first + 1..self.at).step_by(2).all(|comma| self.token(comma).kind == Kind::Comma);
                if !names || !commas {
                    return None;
                }
                self.at += 1;
                self.defines(first, place)
            }
            Kind::Assign | Kind::AssignWith => {
                self.at += 1;
                self.expressions()?;
                Some(Simple::Other)
            }
            _ if several => None,
            Kind::Step => {
                self.at += 1;
                Some(Simple::Other)
            }
            Kind::Arrow => {
                self.at += 1;
                self.value()?;
                Some(Simple::Other)
            }
            _ => Some(Simple::Expression),
        }
    }

    /// What follows `:=`. The first name is said to be what the first value makes.
    fn defines(&mut self, name: usize, place: Place) -> Option<Simple> {
        let of = self.place_for_type();
        self.events.push(Event::Variable(name as u32, of));
        let first = self.any()?;
        if first.form.is_type() {
            return None;
        }
        if first.form == Form::Guard {
            return (place == Place::Switch).then_some(Simple::Guard);
        }
        if first.makes() != Of::Nothing {
            self.type_is(of, first.makes());
        }
        while self.skip(Kind::Comma) {
            self.value()?;
        }
        Some(Simple::Other)
    }

    fn if_else(&mut self) -> Option<()> {
        let levels = self.begin_chain();
        let mut count = 0;
        while self.skip(Kind::If) {
            count += 1;
            let around = std::mem::replace(&mut self.block_follows, true);
            let head = self.simple(Place::Plain)?;
            if self.skip(Kind::Semicolon) {
                self.value()?;
            } else if head != Simple::Expression {
                return None;
            }
            self.block_follows = around;
            self.block()?;
            if !self.skip(Kind::Else) {
                break;
            }
            if self.kind() != Kind::If {
                self.block()?;
                break;
            }
        }
        self.end_chain(levels, count);
        Some(())
    }

    fn repeats(&mut self) -> Option<()> {
        self.at += 1;
        let around = std::mem::replace(&mut self.block_follows, true);
        self.loop_head()?;
        self.block_follows = around;
        self.block()
    }

    fn loop_head(&mut self) -> Option<()> {
        match self.kind() {
            Kind::CurlyOpen => return Some(()),
            Kind::Range => {
                self.at += 1;
                return self.value().map(|_| ());
            }
            Kind::Semicolon => {}
            _ => match self.simple(Place::Loop)? {
                Simple::Range => return Some(()),
                Simple::Expression if self.kind() == Kind::CurlyOpen => return Some(()),
                _ => {}
            },
        }
        self.expect(Kind::Semicolon)?;
        if self.kind() != Kind::Semicolon {
            self.value()?;
        }
        self.expect(Kind::Semicolon)?;
        if self.kind() != Kind::CurlyOpen {
            self.simple(Place::Plain)?;
        }
        Some(())
    }

    fn switch(&mut self) -> Option<()> {
        self.at += 1;
        let around = std::mem::replace(&mut self.block_follows, true);
        let mut head = Simple::Expression;
        if self.kind() != Kind::CurlyOpen {
            head = self.simple(Place::Switch)?;
            if head != Simple::Guard && self.skip(Kind::Semicolon) {
                head = Simple::Expression;
                if self.kind() != Kind::CurlyOpen {
                    head = self.simple(Place::Switch)?;
                }
            }
        }
        if head == Simple::Other {
            return None;
        }
        self.block_follows = false;
        self.cases(|reader| {
            if head == Simple::Expression {
                return reader.expressions().map(|_| ());
            }
            reader.type_of_value()?;
            while reader.skip(Kind::Comma) {
                reader.type_of_value()?;
            }
            Some(())
        })?;
        self.block_follows = around;
        Some(())
    }

    fn select(&mut self) -> Option<()> {
        self.at += 1;
        let around = std::mem::take(&mut self.block_follows);
        self.cases(|reader| {
            reader.value()?;
            let several = reader.kind() == Kind::Comma;
            while reader.skip(Kind::Comma) {
                reader.value()?;
            }
            match reader.kind() {
                // What is received gets no type here: its declaration is none of the usual kind.
                Kind::Define | Kind::Assign => {
                    reader.at += 1;
                    reader.value().map(|_| ())
                }
                _ if several => None,
                Kind::Arrow => {
                    reader.at += 1;
                    reader.value().map(|_| ())
                }
                _ => Some(()),
            }
        })?;
        self.block_follows = around;
        Some(())
    }

    /// The cases of a switch or select.
    fn cases(&mut self, head: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(Kind::CurlyOpen)?;
        while !self.skip(Kind::CurlyClose) {
            if self.skip(Kind::Case) {
                head(self)?;
            } else {
                self.expect(Kind::Default)?;
            }
            self.expect(Kind::Colon)?;
            self.statements()?;
        }
        Some(())
    }
}
