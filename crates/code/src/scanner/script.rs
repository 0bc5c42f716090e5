//! Declarations of TypeScript and JavaScript. Every bracket is told what it holds: statements, members of a class, an object,
//! types, parameters; what a word declares depends on that.

use super::lexer::{Literals, Syntax, TokenKind, is_operator_word, words};
use super::{Declared, Scan};
use crate::extract::{add_bases, declare};
use crate::facts::SymbolKind;
use crate::language::Language;

pub(super) const TYPESCRIPT: Syntax = Syntax {
    line_comment: b"//",
    block_comments: true,
    nested_comments: false,
    literals: Literals::Script,
    words: words(b"$#"),
    jsx: false,
    typed: true,
};
pub(super) const TSX: Syntax = Syntax { jsx: true, ..TYPESCRIPT };
pub(super) const JAVASCRIPT: Syntax = Syntax { jsx: true, typed: false, ..TYPESCRIPT };

/// What a bracket holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Nobody said yet.
    Unknown,
    /// Statements.
    Block,
    /// Values: arguments, an index, a hole.
    Values,
    /// An object.
    Object,
    /// Members of a class.
    Class,
    /// Types, and the members of an interface.
    Types,
    /// Parameters.
    Parameters,
    /// What is taken apart: `const { a } = b`.
    Pattern,
    /// Names that declare nothing.
    Names,
}

/// A bracket that is open.
#[derive(Clone, Copy)]
struct Group {
    open: usize,
    body: Body,
    /// The token that the next member begins with.
    next: usize,
}

struct Script<'a, 's> {
    scan: &'a mut Scan<'s>,
    groups: Vec<Group>,
    /// What a bracket holds, by its token.
    bodies: Vec<Body>,
    /// Further declarators of a statement: where each begins, and the statement.
    declarators: Vec<(usize, usize)>,
    /// The `=` of a declaration, which assigns nothing.
    initializer: usize,
    /// The first decorator, and the token behind the last.
    decorated: (usize, usize),
    /// The token behind a list of type parameters.
    types_end: usize,
}

pub(super) fn scan(scan: &mut Scan<'_>) -> Option<()> {
    let bodies = vec![Body::Unknown; scan.tokens.len()];
    let initializer = usize::MAX;
    let decorated = (usize::MAX, usize::MAX);
    let mut script = Script {
        scan,
        groups: Vec::new(),
        bodies,
        declarators: Vec::new(),
        initializer,
        decorated,
        types_end: 0,
    };
    let mut at = 0;
    while let Some(kind) = script.scan.kind(at) {
        script.scan.leave(at);
        at = script.step(at, kind)?;
    }
    Some(())
}

impl Script<'_, '_> {
    fn group(&self) -> Body {
        self.groups.last().map_or(Body::Block, |group| group.body)
    }

    fn mark(&mut self, at: usize, body: Body) {
        if let Some(place) = self.bodies.get_mut(at) {
            *place = body;
        }
    }

    /// The brackets in these tokens hold types.
    fn mark_types(&mut self, from: usize, to: usize) {
        self.scan.spend(to.saturating_sub(from));
        for at in from..to {
            if self.scan.kind(at) == Some(TokenKind::Open) {
                self.mark(at, Body::Types);
            }
        }
    }

    /// Type parameters, where there are some; the token behind them.
    fn type_parameters(&mut self, at: usize) -> usize {
        if !self.scan.typed() || !self.scan.is(at, "<") {
            return at;
        }
        let end = self.scan.angles_end(at).unwrap_or(at);
        self.mark_types(at, end);
        self.types_end = end;
        end
    }

    /// A type behind a colon, where there is one; the token behind it.
    fn annotation(&mut self, colon: usize) -> usize {
        if !self.scan.is(colon, ":") {
            return colon;
        }
        let end = self.scan.type_end(colon + 1);
        self.mark_types(colon + 1, end);
        end
    }

    /// One token; the one to go on from.
    fn step(&mut self, at: usize, kind: TokenKind) -> Option<usize> {
        if self.declarators.last().is_some_and(|(next, _)| *next == at)
            && let Some((_, statement)) = self.declarators.pop()
        {
            return Some(self.declarator(at, statement));
        }
        if let Some(group) = self.groups.last()
            && group.next == at
            && kind != TokenKind::Close
        {
            return match group.body {
                Body::Class => self.class_member(at),
                Body::Object => Some(self.object_member(at)),
                Body::Types => Some(self.type_member(at)),
                _ => Some(at + 1),
            };
        }
        Some(match kind {
            TokenKind::Open => self.open(at),
            TokenKind::Close => {
                self.groups.pop();
                at + 1
            }
            TokenKind::Word if at < self.types_end => at + 1,
            TokenKind::Word if !matches!(self.scan.word(at.wrapping_sub(1)), "." | "?.") || at == 0 => {
                self.keyword(at)?
            }
            TokenKind::Sign => match self.scan.word(at) {
                "=" => self.assignment(at),
                ":" if self.group() == Body::Parameters => self.annotation(at).min(at + 1),
                "<" => {
                    match self.scan.type_arguments(at) {
                        Some(end) => self.mark_types(at, end),
                        None if self.scan.arrow_body(at).is_some() => drop(self.type_parameters(at)),
                        None => {}
                    }
                    at + 1
                }
                "@" if self.group() == Body::Block => self.decorators(at),
                _ => at + 1,
            },
            _ => at + 1,
        })
    }

    fn open(&mut self, at: usize) -> usize {
        let body = match self.bodies.get(at) {
            Some(Body::Unknown) | None => self.held(at),
            Some(body) => *body,
        };
        let members =
            matches!(body, Body::Class | Body::Object) || body == Body::Types && self.scan.is(at, "{");
        self.groups.push(Group { open: at, body, next: if members { at + 1 } else { usize::MAX } });
        at + 1
    }

    /// What a bracket holds, by what is before it.
    fn held(&self, at: usize) -> Body {
        let around = self.group();
        let before = self.scan.word(at.wrapping_sub(1));
        let value = matches!(before, "=" | "=>") && at > 0;
        match self.scan.word(at) {
            _ if around == Body::Types => Body::Types,
            _ if matches!(around, Body::Parameters | Body::Pattern) && !value && !self.scan.is(at, "(") => {
                Body::Pattern
            }
            "(" => {
                let from = at - usize::from(before == "async" && at > 0);
                if self.scan.arrow_body(from).is_some() { Body::Parameters } else { Body::Values }
            }
            "{" => self.braces(at),
            _ => Body::Values,
        }
    }

    fn braces(&self, at: usize) -> Body {
        let Some(before) = at.checked_sub(1) else { return Body::Block };
        if self.groups.last().is_some_and(|group| self.scan.is(group.open, "<")) {
            return Body::Values;
        }
        let word = self.scan.word(before);
        match self.scan.kind(before) {
            Some(TokenKind::Sign) => match word {
                "=>" | ";" => Body::Block,
                ":" if self.group() == Body::Block && self.is_label(before) => Body::Block,
                _ => Body::Object,
            },
            Some(TokenKind::Open) if self.group() == Body::Block => Body::Block,
            Some(TokenKind::Open) => Body::Object,
            Some(TokenKind::Word) if matches!(word, "else" | "do") || !is_operator_word(word.as_bytes()) => {
                Body::Block
            }
            Some(TokenKind::Word) => Body::Object,
            _ => Body::Block,
        }
    }

    /// `case x:`, `default:`, `name:`, not `a ? b :`.
    fn is_label(&self, colon: usize) -> bool {
        let start = self.groups.last().map_or(0, |group| group.open + 1);
        for at in (start..colon).rev().take(64) {
            match self.scan.word(at) {
                "case" | "default" => return true,
                "?" => return false,
                ";" | "{" | "}" => return colon == at + 2,
                _ => {}
            }
        }
        colon == start + 1
    }

    /// Decorators in front of a class.
    fn decorators(&mut self, at: usize) -> usize {
        // Those of one class are seen once.
        if self.decorated.1 == usize::MAX || at >= self.decorated.1 {
            self.decorated = (at, self.decorators_end(at));
        }
        at + 1
    }

    fn decorators_end(&self, mut at: usize) -> usize {
        while self.scan.is(at, "@") {
            at = self.scan.after(at + 1);
            while matches!(self.scan.word(at), "." | "(" | "<")
                && !(self.scan.is(at, "(") && self.scan.begins_line(at))
            {
                at = match self.scan.word(at) {
                    "." => at + 2,
                    "<" => self.scan.angles_end(at).unwrap_or(at + 1),
                    _ => self.scan.after(at),
                };
            }
        }
        at
    }

    /// The first token of the statement that a keyword is in, for the comment above it.
    fn statement(&self, keyword: usize) -> usize {
        let mut from = keyword;
        loop {
            if self.decorated.1 == from && self.decorated.0 < from {
                from = self.decorated.0;
            }
            match from.checked_sub(1) {
                Some(before)
                    if matches!(
                        self.scan.word(before),
                        "export" | "default" | "abstract" | "async" | "declare"
                    ) =>
                {
                    from = before;
                }
                _ => return from,
            }
        }
    }

    /// A declaration may begin at this token.
    fn begins_statement(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        if self.decorated.1 == at {
            return true;
        }
        let word = self.scan.word(before);
        let line = self.scan.begins_line(at);
        match self.scan.kind(before) {
            Some(TokenKind::Word) => match word {
                "else" | "do" | "export" | "default" | "declare" => true,
                _ => line && !is_operator_word(word.as_bytes()),
            },
            Some(TokenKind::Open) => self.group() == Body::Block,
            Some(TokenKind::Close) => matches!(word, ")" | "}") && self.group() == Body::Block || line,
            Some(TokenKind::Sign) => {
                word == ";" || word == ":" && self.group() == Body::Block && self.is_label(before)
            }
            _ => line,
        }
    }

    /// A word outside of members.
    fn keyword(&mut self, at: usize) -> Option<usize> {
        let typed = self.scan.typed();
        let named = self.scan.is_name(at + 1);
        let after = self.scan.word(at + 2);
        Some(match self.scan.word(at) {
            "function" => self.function(at),
            "class" => self.class(at, at),
            "abstract" if self.scan.is(at + 1, "class") => self.class(at + 1, at),
            "const" if self.scan.is(at + 1, "enum") => self.enumeration(at + 1, at),
            "const" | "let" | "var" if self.can_declare(at + 1) => self.declarator(at + 1, at),
            "import" if !matches!(self.scan.word(at + 1), "(" | ".") => self.import(at)?,
            "export" => self.export(at)?,
            "interface" if typed && named && matches!(after, "{" | "<" | "extends") => self.interface(at)?,
            "type" if typed && named && matches!(after, "=" | "<") && self.begins_statement(at) => {
                self.alias(at)?
            }
            "enum" if typed && named && after == "{" => self.enumeration(at, at),
            "namespace" | "module" if typed && self.begins_statement(at) => self.namespace(at),
            "as" | "satisfies"
                if typed && at > 0 && self.group() != Body::Names && !self.scan.begins_line(at) =>
            {
                let end = self.scan.type_end(at + 1);
                self.mark_types(at + 1, end);
                at + 1
            }
            _ => at + 1,
        })
    }

    fn can_declare(&self, at: usize) -> bool {
        self.scan.is_name(at) || matches!(self.scan.word(at), "{" | "[")
    }

    fn name(&self, at: usize) -> String {
        declare::clean(self.scan.word(at))
    }

    /// A declared symbol from its parts.
    fn add(&mut self, made: Declared, head_end: usize, end: usize) {
        self.scan.declare(Declared { head_end, end, ..made }, false);
    }

    fn function(&mut self, keyword: usize) -> usize {
        let from = keyword - usize::from(keyword > 0 && self.scan.is(keyword - 1, "async"));
        let name = keyword + 1 + usize::from(self.scan.is(keyword + 1, "*"));
        let parameters = name + usize::from(self.scan.is_name(name));
        let Some((open, body)) = self.scan.signature(parameters) else { return keyword + 1 };
        self.parts(open, body);
        self.type_parameters(parameters);
        if self.scan.is_name(name) && self.begins_statement(from) {
            let made = Declared::new(self.name(name), SymbolKind::Function, name, from);
            let end = self.function_end(body);
            self.add(Declared { doc_at: self.statement(from), ..made }, body, end);
        }
        parameters
    }

    /// The brackets of a function: parameters, the type that it returns, its body.
    fn parts(&mut self, open: usize, body: usize) {
        self.mark(open, Body::Parameters);
        self.mark_types(self.scan.after(open), body);
        if self.scan.is(body, "{") {
            self.mark(body, Body::Block);
        }
    }

    /// The token behind a function whose body, or end, is here.
    fn function_end(&self, body: usize) -> usize {
        if self.scan.is(body, "{") {
            self.scan.after(body)
        } else {
            body + usize::from(self.scan.is(body, ";"))
        }
    }

    fn class(&mut self, keyword: usize, from: usize) -> usize {
        let name = keyword + 1;
        let named = self.scan.is_name(name) && !matches!(self.scan.word(name), "extends" | "implements");
        let heritage = self.type_parameters(name + usize::from(named));
        let Some(body) = self.scan.class_body(heritage) else { return keyword + 1 };
        self.mark(body, Body::Class);
        if named && self.begins_statement(from) {
            let mut made = Declared::new(self.name(name), SymbolKind::Class, name, from);
            made.doc_at = self.statement(from);
            add_bases(self.scan.span(heritage, body), &mut made.bases);
            self.add(made, body, self.scan.after(body));
        }
        name + usize::from(named)
    }

    fn interface(&mut self, at: usize) -> Option<usize> {
        let heritage = self.type_parameters(at + 2);
        let body = self.scan.class_body(heritage)?;
        self.mark_types(heritage, body + 1);
        self.types_end = body;
        let mut made = Declared::new(self.name(at + 1), SymbolKind::Interface, at + 1, at);
        made.doc_at = self.statement(at);
        add_bases(self.scan.span(heritage, body), &mut made.bases);
        self.add(made, body, self.scan.after(body));
        Some(at + 2)
    }

    fn alias(&mut self, at: usize) -> Option<usize> {
        let sign = self.type_parameters(at + 2);
        let end = self.scan.type_end(sign + 1);
        self.mark_types(sign + 1, end);
        self.types_end = end;
        let made = Declared::new(self.name(at + 1), SymbolKind::Type, at + 1, at);
        let end = end + usize::from(self.scan.is(end, ";"));
        self.add(Declared { doc_at: self.statement(at), ..made }, sign + 1, end);
        Some(at + 2)
    }

    fn enumeration(&mut self, keyword: usize, from: usize) -> usize {
        let (name, body) = (keyword + 1, keyword + 2);
        if !self.scan.is_name(name) || !self.scan.is(body, "{") {
            return keyword + 1;
        }
        self.mark(body, Body::Names);
        let made = Declared::new(self.name(name), SymbolKind::Enum, name, from);
        self.add(Declared { doc_at: self.statement(from), ..made }, body, self.scan.after(body));
        body
    }

    fn namespace(&mut self, at: usize) -> usize {
        let mut body = at + 2;
        while self.scan.is(body, ".") {
            body += 2;
        }
        let text = self.scan.kind(at + 1) == Some(TokenKind::Text);
        if !(text || self.scan.is_name(at + 1) && self.scan.is(body, "{")) {
            return at + 1;
        }
        let made =
            Declared::new(declare::clean(self.scan.span(at + 1, body)), SymbolKind::Module, at + 1, at);
        let end = if self.scan.is(body, "{") { self.scan.after(body) } else { body };
        self.mark(body, Body::Block);
        self.add(Declared { doc_at: self.statement(at), ..made }, body, end);
        body
    }

    /// `name: T = value` of `const`, `let` and `var`.
    fn declarator(&mut self, at: usize, statement: usize) -> usize {
        let pattern = !self.scan.is_name(at);
        if pattern {
            self.mark(at, Body::Pattern);
        }
        let mut sign = self.scan.after(at);
        if matches!(self.scan.word(sign), "in" | "of") {
            return at + usize::from(!pattern);
        }
        sign += usize::from(self.scan.is(sign, "!"));
        sign = self.annotation(sign);
        let assigned = self.scan.is(sign, "=");
        let end = if assigned { self.scan.value_end(sign + 1) } else { sign };
        if assigned {
            self.initializer = sign;
            self.required(at, sign + 1, end);
        }
        if self.scan.is(end, ",") && self.can_declare(end + 1) {
            self.declarators.push((end + 1, statement));
        }
        if pattern {
            return at;
        }
        let function = self.scan.function_value(sign + 1, end).filter(|_| assigned);
        let around = self.scan.enclosing();
        let name = self.name(at);
        let (kind, head_end) = match function {
            Some((kind, body)) => (kind, body),
            None if around.in_function || around.in_type => return at + 1,
            None => (declare::value(&name), end),
        };
        let made = Declared::new(name, kind, at, at);
        self.add(Declared { doc_at: self.statement(statement), ..made }, head_end, end);
        at + 1
    }

    /// `const { pay } = require("./cart")`
    fn required(&mut self, name: usize, value: usize, end: usize) {
        let is_required = self.scan.is(value, "require")
            && self.scan.is(value + 1, "(")
            && self.scan.kind(value + 2) == Some(TokenKind::Text)
            && !self.scan.word(value + 2).starts_with('`')
            && self.scan.after(value + 1) == end;
        if !is_required {
            return;
        }
        let module = unquoted(self.scan.word(value + 2));
        if self.scan.is_name(name) {
            self.scan.import(name, module, "", self.scan.word(name), false);
        } else if self.scan.is(name, "{") {
            let mut at = name + 1;
            while at < self.scan.partner(name) {
                let mut end = at;
                while end < self.scan.partner(name) && !self.scan.is(end, ",") {
                    end = self.scan.after(end);
                }
                let key = self.scan.word(at);
                if end == at + 1 && self.scan.is_name(at) {
                    self.scan.import(name, module, key, key, false);
                } else if self.scan.is(at + 1, ":") {
                    self.scan.import(name, module, key, self.scan.span(at + 2, end), false);
                }
                at = end + 1;
            }
        }
    }

    /// `exports.pay = function () {}`, `Cart.prototype.pay = () => 1`
    fn assignment(&mut self, sign: usize) -> usize {
        let assigns = matches!(self.group(), Body::Block | Body::Values | Body::Object)
            && sign != self.initializer
            && sign >= self.types_end;
        let Some(name) = sign.checked_sub(1).filter(|name| assigns && self.scan.is_name(*name)) else {
            return sign + 1;
        };
        let end = self.scan.value_end(sign + 1);
        if let Some((kind, body)) = self.scan.function_value(sign + 1, end) {
            let from = self.chain_start(name);
            let mut made = Declared::new(self.name(name), kind, name, from);
            let object = self.scan.span(from, name.saturating_sub(1));
            object.strip_suffix(".prototype").unwrap_or("").clone_into(&mut made.container);
            self.add(made, body, end);
        }
        sign + 1
    }

    /// The first token of `a.b(c).d`, from its last.
    fn chain_start(&self, last: usize) -> usize {
        let mut at = last;
        while at >= 2 && matches!(self.scan.word(at - 1), "." | "?.") {
            at -= 2;
            at -= usize::from(self.scan.is(at, "!") && at > 0);
            while self.scan.kind(at) == Some(TokenKind::Close) {
                at = self.scan.partner(at);
                let callee = at > 0
                    && (self.scan.is_name(at - 1) || self.scan.kind(at - 1) == Some(TokenKind::Close))
                    && !is_operator_word(self.scan.word(at - 1).as_bytes());
                if !callee {
                    break;
                }
                at -= 1;
            }
        }
        at
    }

    /// A member of a class.
    fn class_member(&mut self, at: usize) -> Option<usize> {
        let from = self.decorators_end(at);
        let mut name = from;
        while self.is_modifier(name) {
            name += 1;
        }
        if self.scan.is(from, "static") && self.scan.is(from + 1, "{") {
            self.mark(from + 1, Body::Block);
            self.next(self.scan.after(from + 1));
            return Some(from + 1);
        }
        if self.scan.is(from, ";") {
            self.next(from);
            return Some(at + 1);
        }
        let mut after = self.scan.after(name);
        after += usize::from(matches!(self.scan.word(after), "?" | "!"));
        if self.scan.kind(name) == Some(TokenKind::Sign) {
            return None;
        }
        let label = declare::clean(self.scan.span(name, self.scan.after(name)));
        // What the grammars count as part of a member differs: the comment is above the first decorator or below the last.
        let decorated = if self.scan.language == Language::JavaScript { at } else { from };
        if let Some((open, body)) = self.scan.signature(after) {
            self.parts(open, body);
            self.type_parameters(after);
            let end = if self.scan.is(body, "{") { self.scan.after(body) } else { body };
            let made = Declared::new(label, SymbolKind::Method, name, from);
            self.next(end);
            self.add(Declared { doc_at: decorated, ..made }, body, end);
            return Some(if at < from { at + 1 } else { after });
        }
        let index = self.scan.is(name, "[")
            && self.scan.is_name(name + 1)
            && matches!(self.scan.word(name + 2), ":" | "in");
        let sign = self.annotation(after);
        let assigned = self.scan.is(sign, "=");
        let end = if assigned { self.scan.value_end(sign + 1) } else { sign };
        if end == at {
            return None;
        }
        self.next(end);
        if index {
            return Some(end);
        }
        if assigned {
            self.initializer = sign;
        }
        let function = self.scan.function_value(sign + 1, end).filter(|_| assigned);
        let (kind, head_end) = function.unwrap_or((declare::value(&label), end));
        let made = Declared::new(label, kind, name, from);
        self.add(Declared { doc_at: at, ..made }, head_end, end);
        Some(if at < from { at + 1 } else { after.min(end) })
    }

    /// The next member begins behind this one.
    fn next(&mut self, end: usize) {
        let separator = usize::from(matches!(self.scan.word(end), ";" | ","));
        if let Some(group) = self.groups.last_mut() {
            group.next = end + separator;
        }
    }

    /// `static` and its like, when they are no names.
    fn is_modifier(&self, at: usize) -> bool {
        let is_word = matches!(
            self.scan.word(at),
            "static"
                | "async"
                | "get"
                | "set"
                | "public"
                | "private"
                | "protected"
                | "readonly"
                | "abstract"
                | "override"
                | "declare"
                | "accessor"
        );
        self.scan.is(at, "*")
            || is_word
                && (matches!(self.scan.kind(at + 1), Some(TokenKind::Word | TokenKind::Text | TokenKind::Number))
                    || matches!(self.scan.word(at + 1), "[" | "*"))
                // A field without a value ends at the line.
                && !(self.scan.begins_line(at + 1) && matches!(self.scan.word(at), "get" | "set" | "async"))
    }

    /// A member of an object.
    fn object_member(&mut self, at: usize) -> usize {
        let mut name = at;
        while self.is_modifier(name) {
            name += 1;
        }
        let after = self.scan.after(name);
        let end = self.scan.value_end(if self.scan.is(after, ":") { after + 1 } else { at });
        self.next(end);
        let label = self.scan.span(name, after);
        if !matches!(self.scan.kind(name), Some(TokenKind::Sign))
            && let Some((open, body)) = self.scan.signature(after)
            && self.scan.is(body, "{")
        {
            self.parts(open, body);
            let made = Declared::new(declare::clean(label), SymbolKind::Method, name, at);
            let end = self.scan.after(body);
            self.next(end);
            self.add(made, body, end);
            return open;
        }
        if self.scan.is(at + 1, "=") && self.scan.is_name(at) {
            if let Some(group) = self.groups.last_mut() {
                (group.body, group.next) = (Body::Pattern, usize::MAX);
            }
            return at + 1;
        }
        if !self.scan.is(after, ":") {
            return if self.scan.kind(at) == Some(TokenKind::Open) { self.open(at) } else { at + 1 };
        }
        if !self.scan.is(at, "[")
            && let Some((kind, body)) = self.scan.function_value(after + 1, end)
        {
            let made = Declared::new(declare::clean(label), kind, at, at);
            self.add(made, body, end);
        }
        if self.scan.is(at, "[") { self.open(at) } else { after + 1 }
    }

    /// A member of an interface or of a type in braces.
    fn type_member(&mut self, at: usize) -> usize {
        let mut name = at;
        while self.is_modifier(name) || matches!(self.scan.word(name), "+" | "-") {
            name += 1;
        }
        let mut after = self.scan.after(name);
        after += usize::from(self.scan.is(after, "?"));
        let mut declared = None;
        let mut end = match self.scan.signature(after) {
            Some((open, end))
                if !matches!(self.scan.kind(name), Some(TokenKind::Sign)) && !self.scan.is(name, "(") =>
            {
                declared = Some((open, end));
                end
            }
            _ => after,
        };
        while !matches!(self.scan.kind(end), None | Some(TokenKind::Close))
            && !matches!(self.scan.word(end), ";" | ",")
        {
            // What follows on a line of its own is the next member.
            if end > after
                && self.scan.begins_line(end)
                && !matches!(self.scan.word(end), "|" | "&" | "?" | ":" | "=>" | "." | "extends")
            {
                break;
            }
            end = if self.scan.is(end, ":") {
                self.scan.type_end(end + 1).max(end + 1)
            } else {
                self.scan.after(end)
            };
            after = after.min(end);
        }
        self.next(end);
        self.mark_types(at, end);
        match declared {
            // `new (): T` is no method.
            Some((open, head_end)) if !self.scan.is(name, "new") => {
                let label = declare::clean(self.scan.span(name, self.scan.after(name)));
                let made = Declared::new(label, SymbolKind::Method, name, at);
                self.add(made, head_end, head_end);
                open
            }
            _ if self.scan.kind(at) == Some(TokenKind::Open) => self.open(at),
            _ => at + 1,
        }
    }

    /// An import statement; the token behind it.
    fn import(&mut self, at: usize) -> Option<usize> {
        let mut here = at + 1;
        let kind_only = matches!(self.scan.word(here), "type" | "typeof")
            && (self.scan.is_name(here + 1) && !self.scan.is(here + 1, "from")
                || matches!(self.scan.word(here + 1), "{" | "*"));
        here += usize::from(kind_only);
        if self.scan.kind(here) == Some(TokenKind::Text) {
            let module = unquoted(self.scan.word(here));
            self.scan.import(at, module, "", "", false);
            return Some(here + 1);
        }
        let mut end = here;
        while !self.scan.is(end, "from") || self.scan.kind(end + 1) != Some(TokenKind::Text) {
            // `import x = require("y")`
            if self.scan.kind(end).is_none() || matches!(self.scan.word(end), ";" | "=") {
                return Some(end);
            }
            end = self.scan.after(end);
        }
        let module = unquoted(self.scan.word(end + 1));
        let mut found = false;
        while here < end {
            here = match self.scan.word(here) {
                "{" => {
                    found |= self.specifiers(at, here, module, false);
                    self.scan.after(here)
                }
                "*" => {
                    self.scan.import(at, module, "", self.scan.word(here + 2), false);
                    found = true;
                    here + 3
                }
                "," => here + 1,
                alias => {
                    self.scan.import(at, module, "default", alias, false);
                    found = true;
                    here + 1
                }
            };
        }
        if !found {
            self.scan.import(at, module, "", "", false);
        }
        Some(self.attributes(end + 2))
    }

    /// `with { type: "json" }`
    fn attributes(&self, at: usize) -> usize {
        let is_list = matches!(self.scan.word(at), "with" | "assert") && self.scan.is(at + 1, "{");
        if is_list { self.scan.after(at + 1) } else { at }
    }

    /// `{ a, b as c }`; whether there was one.
    fn specifiers(&mut self, statement: usize, open: usize, module: &str, public: bool) -> bool {
        let close = self.scan.partner(open);
        let mut at = open + 1;
        let mut found = false;
        while at < close {
            let mut end = at;
            while end < close && !self.scan.is(end, ",") {
                end = self.scan.after(end);
            }
            let typed = matches!(self.scan.word(at), "type" | "typeof")
                && end > at + 1
                && !self.scan.is(at + 1, "as");
            let name = at + usize::from(typed);
            if name < end {
                let alias = if self.scan.is(name + 1, "as") && name + 2 < end { name + 2 } else { name };
                let (name, alias) = (unquoted(self.scan.word(name)), unquoted(self.scan.word(alias)));
                self.scan.import(statement, module, name, alias, public);
                found = true;
            }
            at = end + 1;
        }
        found
    }

    /// `export`: names of another module, or a declaration that follows.
    fn export(&mut self, at: usize) -> Option<usize> {
        let list =
            at + 1 + usize::from(self.scan.is(at + 1, "type") && matches!(self.scan.word(at + 2), "{" | "*"));
        match self.scan.word(list) {
            "{" => {
                let end = self.scan.after(list);
                if self.scan.is(end, "from") && self.scan.kind(end + 1) == Some(TokenKind::Text) {
                    let module = unquoted(self.scan.word(end + 1));
                    if !self.specifiers(at, list, module, true) {
                        self.scan.import(at, module, "*", "", true);
                    }
                    return Some(self.attributes(end + 2));
                }
                Some(end)
            }
            "*" => {
                let alias = self.scan.is(list + 1, "as").then(|| unquoted(self.scan.word(list + 2)));
                let from = list + 1 + if alias.is_some() { 2 } else { 0 };
                if self.scan.is(from, "from") && self.scan.kind(from + 1) == Some(TokenKind::Text) {
                    let module = unquoted(self.scan.word(from + 1));
                    let name = if alias.is_some() { "" } else { "*" };
                    self.scan.import(at, module, name, alias.unwrap_or(""), true);
                }
                Some(from + 2)
            }
            "default" => {
                let value = list + 1;
                let end = self.scan.value_end(value);
                let keyword = value + usize::from(matches!(self.scan.word(value), "async" | "abstract"));
                let name = keyword + 1 + usize::from(self.scan.is(keyword + 1, "*"));
                let declaration = matches!(self.scan.word(keyword), "function" | "class" | "interface")
                    && self.scan.is_name(name)
                    && !self.scan.is(name, "extends");
                if !declaration && let Some((kind, body)) = self.scan.function_value(value, end) {
                    let made = Declared::new("default".to_owned(), kind, value, at);
                    self.add(made, body, end + usize::from(self.scan.is(end, ";")));
                }
                Some(value)
            }
            _ => Some(at + 1),
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`', '<', '>'])
}
