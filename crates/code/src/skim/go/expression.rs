//! Expressions: what is called and on what. Operators need no order, only that operands and operators take turns.

use super::event::{Event, Of, On};
use super::read::Reader;
use super::token::Kind;

/// What an expression looks like; where a name could be that of a type, the parser has to guess, and so does this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A value, certainly.
    Value,
    /// A name.
    Name,
    /// A name of a package, or a field.
    Qualified,
    /// One of the two with what could be types in brackets.
    Generic,
    /// Stars before a name.
    Pointer,
    /// Stars before more than a name.
    PointerToMore,
    /// A type that a literal can be made of.
    LiteralType,
    /// Another type.
    Type,
    /// In parentheses, or alternatives: the parser's guess is not known.
    Unsure,
    /// `x.(type)`
    Guard,
}

impl Form {
    /// It can be nothing but a type.
    pub(super) const fn is_type(self) -> bool {
        matches!(self, Self::Type | Self::LiteralType)
    }

    /// It could be a type, whatever it is.
    const fn may_be_type(self) -> bool {
        !matches!(self, Self::Value | Self::Guard)
    }

    /// A name that a literal or a generic type begins with.
    const fn is_named(self) -> bool {
        matches!(self, Self::Name | Self::Qualified)
    }

    /// Alone in the brackets of what is called, the parser takes it for a type rather than an index.
    const fn is_rather_type(self) -> bool {
        matches!(self, Self::Qualified | Self::Generic | Self::PointerToMore | Self::Type | Self::LiteralType)
    }
}

/// What was read of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression {
    pub form: Form,
    /// What it is to a method that is called on it.
    on: On,
    /// The name that a call of it would call, and on what.
    called: Option<(u32, On)>,
    /// What it makes.
    of: Of,
    /// Operators and parentheses around what it makes.
    around: u32,
    /// It ends with what could be types in brackets, whatever stars and parentheses are around it.
    generic: bool,
}

/// The most operators and parentheses that are looked through for what an expression makes.
const AROUND: u32 = 4;

impl Expression {
    const fn plain(form: Form) -> Self {
        Self { form, on: On::Unknown, called: None, of: Of::Nothing, around: 0, generic: false }
    }

    /// What a variable is that gets this value.
    pub(super) const fn makes(&self) -> Of {
        if self.around <= AROUND { self.of } else { Of::Nothing }
    }
}

impl Reader<'_> {
    /// An expression that is a value.
    pub(super) fn value(&mut self) -> Option<Expression> {
        let read = self.any()?;
        (!read.form.is_type() && read.form != Form::Guard).then_some(read)
    }

    /// Values with commas between them; what the first makes.
    pub(super) fn expressions(&mut self) -> Option<Of> {
        let first = self.value()?;
        while self.skip(Kind::Comma) {
            self.value()?;
        }
        Some(first.makes())
    }

    /// An expression, or a type where one can stand.
    pub(super) fn any(&mut self) -> Option<Expression> {
        let around = self.begin_chain();
        let mut read = self.unary()?;
        let mut operators = 0;
        while self.kind().is_binary() {
            let either = self.kind() == Kind::Either;
            self.at += 1;
            let right = self.unary()?;
            if read.form.is_type() || right.form.is_type() || right.form == Form::Guard {
                return None;
            }
            let unsure = either && read.form.may_be_type() && right.form.may_be_type();
            read = Expression::plain(if unsure { Form::Unsure } else { Form::Value });
            operators += 1;
        }
        self.end_chain(around, operators);
        Some(read)
    }

    fn unary(&mut self) -> Option<Expression> {
        let first = self.at;
        let mut stars = true;
        let mut comment = false;
        loop {
            match self.kind() {
                Kind::Star => {}
                Kind::Arrow if self.ahead(1) == Kind::Chan => break,
                Kind::Sign | Kind::Not | Kind::Address | Kind::Arrow => stars = false,
                _ => break,
            }
            self.at += 1;
            comment |= self.token(self.at).after_comment;
        }
        let count = self.at - first;
        let around = self.begin_chain();
        let read = self.primary()?;
        self.end_chain(around, count);
        if count == 0 {
            return Some(read);
        }
        let form = match read.form {
            Form::Type | Form::LiteralType if stars => Form::Type,
            Form::Type | Form::LiteralType | Form::Guard => return None,
            Form::Name | Form::Pointer if stars => Form::Pointer,
            Form::Qualified | Form::Generic | Form::PointerToMore if stars => Form::PointerToMore,
            Form::Unsure if stars => Form::Unsure,
            _ => Form::Value,
        };
        if comment {
            // The operator is asked for what it is before: a comment says nothing.
            return Some(Expression { generic: read.generic, ..Expression::plain(form) });
        }
        Some(Expression { form, called: None, around: read.around + count as u32, ..read })
    }

    fn operand(&mut self) -> Option<Expression> {
        let at = self.at as u32;
        let kind = self.kind();
        match kind {
            Kind::Name | Kind::Make | Kind::Own | Kind::Super => {
                self.at += 1;
                let on = match kind {
                    Kind::Own => On::Own,
                    Kind::Super => On::Super,
                    _ => On::Name(at),
                };
                let called = Some((at, On::Nothing));
                Some(Expression { on, called, ..Expression::plain(Form::Name) })
            }
            Kind::Value => {
                self.at += 1;
                Some(Expression::plain(Form::Name))
            }
            Kind::Number | Kind::Text => {
                self.at += 1;
                Some(Expression::plain(Form::Value))
            }
            Kind::RoundOpen => self.parenthesized(),
            Kind::SquareOpen if self.ahead(1) == Kind::Dots => {
                self.at += 2;
                self.expect(Kind::SquareClose)?;
                self.type_of_value()?;
                (self.kind() == Kind::CurlyOpen).then_some(Expression::plain(Form::LiteralType))
            }
            Kind::SquareOpen | Kind::Map | Kind::Struct => {
                self.type_of_value()?;
                Some(Expression::plain(Form::LiteralType))
            }
            Kind::Chan | Kind::Arrow | Kind::Interface => {
                self.type_of_value()?;
                Some(Expression::plain(Form::Type))
            }
            Kind::Func => {
                self.at += 1;
                self.signature()?;
                if self.kind() != Kind::CurlyOpen {
                    return Some(Expression::plain(Form::Type));
                }
                self.block()?;
                Some(Expression::plain(Form::Value))
            }
            _ => None,
        }
    }

    fn parenthesized(&mut self) -> Option<Expression> {
        self.at += 1;
        let comment = self.token(self.at).after_comment;
        let around = std::mem::take(&mut self.block_follows);
        let read = self.any()?;
        self.block_follows = around;
        self.expect(Kind::RoundClose)?;
        let form = match read.form {
            Form::Guard => return None,
            form if form.is_type() => Form::Type,
            Form::Value => Form::Value,
            _ => Form::Unsure,
        };
        if comment {
            return Some(Expression { generic: read.generic, ..Expression::plain(form) });
        }
        Some(Expression { form, around: read.around + 1, ..read })
    }

    /// An operand with what follows it: fields, calls, indices, literals.
    fn primary(&mut self) -> Option<Expression> {
        let first = self.at;
        let around = self.begin_chain();
        let mut read = self.operand()?;
        let mut links = 0;
        loop {
            links += 1;
            read = match self.kind() {
                Kind::Dot => {
                    let next = self.dot(read)?;
                    if next.form == Form::Guard {
                        self.end_chain(around, links);
                        return Some(next);
                    }
                    next
                }
                Kind::RoundOpen => self.call(first, read)?,
                Kind::SquareOpen => self.index(first, read)?,
                Kind::CurlyOpen
                    if read.form == Form::LiteralType
                        || !self.block_follows && (read.form.is_named() || read.form == Form::Generic) =>
                {
                    if read.form != Form::LiteralType && !self.token(first).kind.is_free_name() {
                        return None;
                    }
                    let (start, end) = self.since(first);
                    self.literal()?;
                    Expression { of: Of::Type(start, end), ..Expression::plain(Form::Value) }
                }
                _ => break,
            };
        }
        self.end_chain(around, links);
        // What could be a generic type, the parser follows over the end of the line.
        if read.generic
            && self.kind() == Kind::Line
            && matches!(self.ahead(1), Kind::RoundOpen | Kind::SquareOpen | Kind::CurlyOpen)
        {
            return None;
        }
        Some(read)
    }

    fn dot(&mut self, read: Expression) -> Option<Expression> {
        if read.form.is_type() {
            return None;
        }
        self.at += 1;
        if self.skip(Kind::RoundOpen) {
            let form = if self.skip(Kind::Type) {
                Form::Guard
            } else {
                self.type_of_value()?;
                Form::Value
            };
            self.expect(Kind::RoundClose)?;
            return Some(Expression::plain(form));
        }
        let name = self.name()?;
        let on = match read.on {
            On::Own => On::OwnField(name),
            On::Name(of) => On::Field(of, name),
            _ => On::Unknown,
        };
        let form = if read.form == Form::Name { Form::Qualified } else { Form::Value };
        Some(Expression { on, called: Some((name, read.on)), ..Expression::plain(form) })
    }

    /// A call of what was read from a token on.
    fn call(&mut self, first: usize, read: Expression) -> Option<Expression> {
        if read.form.is_type() {
            // A conversion takes one value.
            return (self.arguments()? == Some(1)).then_some(Expression::plain(Form::Value));
        }
        let (start, end) = self.since(first);
        if let Some((name, on)) = read.called {
            self.events.push(Event::Call(name, on));
        }
        if read.form == Form::Name && self.token(first).kind == Kind::Make {
            self.arguments_of_make()?;
        } else if self.arguments()? == Some(1) && read.form == Form::Unsure && read.generic {
            // `(*T[int])(x)` is a conversion.
            return Some(Expression::plain(Form::Value));
        }
        Some(self.called(first, start, end))
    }

    /// What a call is, by the bytes of what is called.
    fn called(&self, first: usize, start: u32, end: u32) -> Expression {
        // Of the names that mean what is inherited from, `super` alone means it when it is called.
        let inherited = self.token(first).kind == Kind::Super && end - start == 5;
        let on = if inherited { On::Super } else { On::Made(start, end) };
        Expression { on, of: Of::Call(start, end), ..Expression::plain(Form::Value) }
    }

    /// Arguments; how many, unless one of them stands for several.
    fn arguments(&mut self) -> Option<Option<usize>> {
        self.at += 1;
        let around = std::mem::take(&mut self.block_follows);
        let mut count = Some(0);
        while !self.skip(Kind::RoundClose) {
            self.value()?;
            count = if self.skip(Kind::Dots) { None } else { count.map(|count| count + 1) };
            if !self.skip(Kind::Comma) && self.kind() != Kind::RoundClose {
                return None;
            }
        }
        self.block_follows = around;
        Some(count)
    }

    /// The first argument of `new` and `make` is a type.
    fn arguments_of_make(&mut self) -> Option<()> {
        self.at += 1;
        let around = std::mem::take(&mut self.block_follows);
        if self.kind() != Kind::RoundClose {
            self.type_of_value()?;
            while self.skip(Kind::Comma) && self.kind() != Kind::RoundClose {
                self.value()?;
            }
        }
        self.block_follows = around;
        self.expect(Kind::RoundClose)
    }

    /// An index, a slice, or types for something generic.
    fn index(&mut self, first: usize, read: Expression) -> Option<Expression> {
        if read.form.is_type() {
            return None;
        }
        let (start, end) = self.since(first);
        // A call is found before what is in its brackets.
        let place = self.events.len();
        self.at += 1;
        let around = std::mem::take(&mut self.block_follows);
        let mut forms = None;
        if self.kind() != Kind::Colon {
            forms = Some(self.any()?.form);
        }
        if self.skip(Kind::Colon) {
            if forms.is_some_and(Form::is_type) {
                return None;
            }
            self.slice()?;
            self.block_follows = around;
            return Some(Expression::plain(Form::Value));
        }
        let mut inside = forms?;
        let mut may_be_types = inside.may_be_type();
        let mut listed = false;
        while self.skip(Kind::Comma) {
            listed = true;
            if self.kind() == Kind::SquareClose {
                break;
            }
            inside = self.any()?.form;
            may_be_types &= inside.may_be_type();
        }
        self.block_follows = around;
        self.expect(Kind::SquareClose)?;
        if inside == Form::Guard || (listed && !may_be_types) {
            return None;
        }
        let named = read.form.is_named() && self.token(first).kind.is_free_name();
        if self.kind() != Kind::RoundOpen {
            if inside.is_type() && !named {
                return None;
            }
            let form = if named && may_be_types { Form::Generic } else { Form::Value };
            return Some(Expression { generic: may_be_types, ..Expression::plain(form) });
        }
        if inside == Form::Unsure {
            return None;
        }
        // One argument: the parser takes it for a conversion to a generic type, where it can be one.
        let (_, end_of_index) = self.since(first);
        let one = self.arguments()? == Some(1);
        if named && may_be_types && one {
            return Some(Expression::plain(Form::Value));
        }
        if listed || inside.is_rather_type() {
            if let Some((name, on)) = read.called {
                self.events.insert(place, Event::Call(name, on));
            }
            return Some(self.called(first, start, end));
        }
        Some(self.called(first, start, end_of_index))
    }

    /// What follows the first colon of a slice.
    fn slice(&mut self) -> Option<()> {
        if self.kind() != Kind::SquareClose {
            self.value()?;
            if self.skip(Kind::Colon) {
                self.value()?;
            }
        }
        self.expect(Kind::SquareClose)
    }

    /// `{ … }` of a literal.
    fn literal(&mut self) -> Option<()> {
        self.at += 1;
        let around = std::mem::take(&mut self.block_follows);
        while !self.skip(Kind::CurlyClose) {
            self.element()?;
            if self.skip(Kind::Colon) {
                self.element()?;
            }
            if !self.skip(Kind::Comma) && self.kind() != Kind::CurlyClose {
                return None;
            }
        }
        self.block_follows = around;
        Some(())
    }

    fn element(&mut self) -> Option<()> {
        if self.kind() == Kind::CurlyOpen { self.literal() } else { self.value().map(|_| ()) }
    }
}
