//! The reader: where it is among the tokens, what it found so far, and the declarations of a file.
//! It calls itself only for what is inside brackets, and brackets are no deeper than the tokens say.

use super::event::{Declaration, Event, Of};
use super::token::{Kind, Token};
use crate::extract::imports;
use crate::facts::{Import, SymbolKind};
use crate::source::Source;

/// Levels that a bracket adds to the tree at most, beside what is counted as a chain.
const LEVELS: usize = 12;
/// Values that one declaration names, at most: each has the whole of it for its head.
const NAMES: usize = 64;
/// Levels of a tree that are certainly walked.
const WALKED: usize = 1_900;

/// What the reading fills; made once and used for one text after the other.
#[derive(Default)]
pub(super) struct Lists {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// What was found.
    pub events: Vec<Event>,
    /// The declarations that events speak of.
    pub declarations: Vec<Declaration>,
    /// The types that events speak of.
    pub types: Vec<Of>,
}

impl Lists {
    /// The most tokens that room is kept for.
    const KEPT: usize = 1 << 18;

    /// Empty again; what a long text needed is not kept.
    pub(super) fn emptied(mut self) -> Self {
        if self.tokens.capacity() > Self::KEPT {
            return Self::default();
        }
        self.tokens.clear();
        self.events.clear();
        self.declarations.clear();
        self.types.clear();
        self
    }
}

/// Reads tokens from the first to the last.
pub(super) struct Reader<'s> {
    source: &'s Source,
    tokens: &'s [Token],
    /// How deep brackets are.
    depth: usize,
    /// The token that is looked at.
    pub at: usize,
    /// What was found.
    pub events: &'s mut Vec<Event>,
    /// The declarations that events speak of.
    pub declarations: &'s mut Vec<Declaration>,
    /// The types that events speak of.
    pub types: &'s mut Vec<Of>,
    /// A brace here begins a block, not a literal.
    pub block_follows: bool,
    /// Operators, dots, `else if` one after the other, and in what they hold: in a tree each is a level.
    levels: usize,
}

impl<'s> Reader<'s> {
    /// A reader at the first token, that fills the other lists.
    pub(super) fn new(source: &'s Source, lists: &'s mut Lists, depth: usize) -> Self {
        Self {
            source,
            tokens: &lists.tokens,
            depth,
            at: 0,
            events: &mut lists.events,
            declarations: &mut lists.declarations,
            types: &mut lists.types,
            block_follows: false,
            levels: 0,
        }
    }

    /// A token by its number.
    pub(super) fn token(&self, number: usize) -> Token {
        self.tokens.get(number).copied().unwrap_or(Token::END)
    }

    /// The kind of the token that is looked at.
    pub(super) fn kind(&self) -> Kind {
        self.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    /// The kind of a later token.
    pub(super) fn ahead(&self, further: usize) -> Kind {
        self.tokens.get(self.at + further).map_or(Kind::End, |token| token.kind)
    }

    /// Goes over a token of this kind, which must be there.
    pub(super) fn expect(&mut self, kind: Kind) -> Option<()> {
        self.skip(kind).then_some(())
    }

    /// Goes over a token of this kind, where there is one.
    pub(super) fn skip(&mut self, kind: Kind) -> bool {
        let there = self.kind() == kind;
        self.at += usize::from(there);
        there
    }

    /// Goes over a name, which must be there.
    pub(super) fn name(&mut self) -> Option<u32> {
        let there = self.kind().is_name();
        self.at += usize::from(there);
        there.then_some(self.at as u32 - 1)
    }

    /// Goes over the end of a statement, which must be there.
    fn end(&mut self) -> Option<()> {
        let there = self.kind().is_end();
        self.at += usize::from(there);
        there.then_some(())
    }

    /// The kind after the bracket that closes the one that is looked at.
    pub(super) fn after_pair(&self, further: usize) -> Kind {
        self.token(self.token(self.at + further).pair() + 1).kind
    }

    /// Bytes of the tokens from one to the one before this.
    pub(super) fn since(&self, first: usize) -> (u32, u32) {
        (self.token(first).start, self.token(self.at.saturating_sub(1)).end())
    }

    /// The line on which a token ends.
    pub(super) fn last_line(&self, number: usize) -> u32 {
        let token = self.token(number);
        match token.kind {
            Kind::Text => self.source.line_of(token.end() as usize - 1),
            _ => token.line,
        }
    }

    /// Begins to count the levels of a chain; what is around it is given back at its end.
    pub(super) fn begin_chain(&mut self) -> usize {
        std::mem::take(&mut self.levels)
    }

    /// A chain has so many links, beside the levels of what they hold.
    pub(super) fn end_chain(&mut self, around: usize, length: usize) {
        self.levels = around.max(self.levels + length);
    }

    /// A place for a type that is not known yet.
    pub(super) fn place_for_type(&mut self) -> u32 {
        self.types.push(Of::Nothing);
        self.types.len() as u32 - 1
    }

    /// Fills a place for a type.
    pub(super) fn type_is(&mut self, place: u32, of: Of) {
        if let Some(known) = self.types.get_mut(place as usize) {
            *known = of;
        }
    }

    fn text(&self, number: usize) -> &'s str {
        let token = self.token(number);
        self.source.text.get(token.start as usize..token.end() as usize).unwrap_or("")
    }

    /// A declaration that begins at a token; its end comes later.
    pub(super) fn begin(&mut self, kind: SymbolKind, first: usize, line: u32) -> u32 {
        self.declarations.push(Declaration {
            kind,
            first: first as u32,
            line,
            head_end: 0,
            last: 0,
            container: None,
        });
        self.declarations.len() as u32 - 1
    }

    /// The declaration ends before the token that is looked at.
    pub(super) fn finish(&mut self, declaration: u32, event: Event) {
        let last = self.at.saturating_sub(1) as u32;
        if let Some(made) = self.declaration(declaration) {
            made.last = last;
        }
        self.events.push(event);
    }

    pub(super) fn declaration(&mut self, number: u32) -> Option<&mut Declaration> {
        self.declarations.get_mut(number as usize)
    }

    /// The whole file; what it imports.
    pub(super) fn file(&mut self) -> Option<Vec<Import>> {
        let mut imports = Vec::new();
        while self.at < self.tokens.len() {
            // The parser wants an end after what could be a statement, even at the end of the text.
            let statement = matches!(self.kind(), Kind::Const | Kind::Var | Kind::Type);
            match self.kind() {
                Kind::Package => {
                    self.at += 1;
                    self.name()?;
                }
                Kind::Import => self.import(&mut imports)?,
                Kind::Func => self.function()?,
                Kind::Const | Kind::Var | Kind::Type => self.declares()?,
                // A statement outside of functions.
                _ => return None,
            }
            if statement || self.at < self.tokens.len() {
                self.end()?;
            }
        }
        let levels = (self.depth + 1) * LEVELS + self.levels;
        (levels < WALKED).then_some(imports)
    }

    fn import(&mut self, imports: &mut Vec<Import>) -> Option<()> {
        self.at += 1;
        if !self.skip(Kind::RoundOpen) {
            return self.import_one(imports);
        }
        while !self.skip(Kind::RoundClose) {
            self.import_one(imports)?;
            if !self.kind().is_end() && self.kind() != Kind::RoundClose {
                return None;
            }
            self.at += usize::from(self.kind().is_end());
        }
        Some(())
    }

    fn import_one(&mut self, imports: &mut Vec<Import>) -> Option<()> {
        let line = self.token(self.at).line;
        let named = self.kind() == Kind::Dot || self.kind().is_name();
        let alias = named.then(|| self.text(self.at));
        self.at += usize::from(named);
        let path = self.text(self.at);
        self.expect(Kind::Text)?;
        imports.push(imports::go_path(line, path, alias));
        Some(())
    }

    /// `func name(…) …` with or without a body, or a method.
    fn function(&mut self) -> Option<()> {
        let first = self.at;
        self.at += 1;
        let method = self.kind() == Kind::RoundOpen;
        let name = if method { self.token(self.at).pair() + 1 } else { self.at };
        if !self.token(name).kind.is_name() {
            return None;
        }
        let kind = if method { SymbolKind::Method } else { SymbolKind::Function };
        let declaration = self.begin(kind, first, self.token(first).line);
        self.events.push(Event::Opens(name as u32, declaration));
        if method {
            // What is first in the list is asked for its type: a comment has none.
            if self.token(self.at + 1).after_comment {
                return None;
            }
            let receiver = self.receiver()?;
            self.declaration(declaration)?.container = Some(receiver);
        }
        self.at = name + 1;
        if !method && self.kind() == Kind::SquareOpen {
            self.type_parameters()?;
        }
        self.signature()?;
        if self.kind() == Kind::CurlyOpen {
            self.declaration(declaration)?.head_end = self.token(self.at).start;
            self.block()?;
        }
        self.finish(declaration, Event::Closes);
        Some(())
    }

    /// `const`, `var` or `type`, alone or as a group.
    pub(super) fn declares(&mut self) -> Option<()> {
        let word = self.token(self.at);
        self.at += 1;
        if !self.skip(Kind::RoundOpen) {
            return self.declares_one(word);
        }
        while !self.skip(Kind::RoundClose) {
            self.declares_one(word)?;
            // The parser wants an end even before the bracket, where values are declared.
            if !self.kind().is_end() && (word.kind != Kind::Type || self.kind() != Kind::RoundClose) {
                return None;
            }
            self.at += usize::from(self.kind().is_end());
        }
        Some(())
    }

    fn declares_one(&mut self, word: Token) -> Option<()> {
        match word.kind {
            Kind::Type => self.type_one(word.line),
            Kind::Const => self.constant(word.line),
            _ => self.variable(),
        }
    }

    /// The names that values are declared with; how many tokens further the last is.
    fn names(&mut self) -> Option<u32> {
        let first = self.at;
        self.name()?;
        while self.skip(Kind::Comma) {
            self.name()?;
        }
        let further = self.at - 1 - first;
        (further < NAMES * 2).then_some(further as u32)
    }

    fn constant(&mut self, line: u32) -> Option<()> {
        let first = self.at;
        let further = self.names()?;
        let declaration = self.begin(SymbolKind::Constant, first, line);
        self.events.push(Event::Values(first as u32, further, declaration));
        if !self.kind().is_end() {
            if self.kind() != Kind::Assign {
                self.type_of_value()?;
            }
            self.expect(Kind::Assign)?;
            self.expressions()?;
        }
        self.finish(declaration, Event::ClosesValues);
        Some(())
    }

    fn variable(&mut self) -> Option<()> {
        let first = self.at;
        let line = self.token(first).line;
        let further = self.names()?;
        let place = self.place_for_type();
        for name in (first..self.at).step_by(2) {
            self.events.push(Event::Variable(name as u32, place));
        }
        let declaration = self.begin(SymbolKind::Variable, first, line);
        self.events.push(Event::Values(first as u32, further, declaration));
        let typed = self.kind() != Kind::Assign;
        if typed {
            let of = self.at;
            self.type_of_value()?;
            let (start, end) = self.since(of);
            self.type_is(place, Of::Type(start, end));
        }
        if self.skip(Kind::Assign) {
            let made = self.expressions()?;
            if !typed {
                self.type_is(place, made);
            }
        }
        self.finish(declaration, Event::ClosesValues);
        Some(())
    }
}
