//! What both languages need while a tree is read: nodes, names, scopes, symbols.

use super::{Arg, CallForm, Class, ContainerKind, Function, Key, Op, Site, Values};
use crate::facts::Facts;
use crate::parse::Parsed;
use std::collections::HashMap;
use tree_sitter::Node;

/// Nesting that is followed; what is deeper has no values.
const DEPTH: usize = 150;
/// Bytes of a constant text that is kept.
const TEXT: usize = 48;

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The file, a function, a block: seen from everything inside.
    Lexical,
    /// The body of a class in Python: not seen from its functions.
    Class,
}

struct Scope {
    kind: ScopeKind,
    names: HashMap<String, u32>,
    /// What a variable holds at this point of straight code; all that it ever holds is in `names`.
    current: HashMap<String, u32>,
}

/// The function or class that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// The symbol that calls are in.
    pub caller: Option<u32>,
    /// The function, by its number.
    pub function: Option<u32>,
    /// The class, by its number.
    pub class: Option<u32>,
    /// The node of the object itself.
    pub this: u32,
    /// Levels above.
    pub depth: usize,
}

/// A file that is being read.
pub(super) struct Builder<'p> {
    pub parsed: &'p Parsed,
    pub values: Values,
    pub around: Around,
    names: HashMap<String, u32>,
    texts: HashMap<u32, u32>,
    numbers: HashMap<i32, u32>,
    unresolved: HashMap<u32, u32>,
    plain: u32,
    /// What the nodes of constants stand for.
    constants: HashMap<u32, Key>,
    scopes: Vec<Scope>,
    /// Symbols by line and name.
    symbols: HashMap<(u32, &'p str), u32>,
}

impl<'p> Builder<'p> {
    pub(super) fn new(parsed: &'p Parsed, facts: &'p Facts) -> Self {
        let symbols = facts.symbols.iter().enumerate();
        let symbols =
            symbols.map(|(number, symbol)| ((symbol.line, symbol.name.as_str()), number as u32)).collect();
        let mut builder = Self {
            parsed,
            values: Values { nodes: 1, ..Values::default() },
            around: Around::default(),
            names: HashMap::new(),
            texts: HashMap::new(),
            numbers: HashMap::new(),
            unresolved: HashMap::new(),
            plain: 0,
            constants: HashMap::new(),
            scopes: Vec::new(),
            symbols,
        };
        builder.name("");
        builder
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'p str {
        self.parsed.text(node)
    }

    /// The number of a name.
    pub(super) fn name(&mut self, text: &str) -> u32 {
        if let Some(number) = self.names.get(text) {
            return *number;
        }
        let number = self.values.names.len() as u32;
        self.values.names.push(text.to_owned());
        self.names.insert(text.to_owned(), number);
        number
    }

    pub(super) fn node(&mut self) -> u32 {
        self.values.nodes += 1;
        self.values.nodes - 1
    }

    pub(super) fn op(&mut self, op: Op) {
        self.values.ops.push(op);
    }

    pub(super) fn copy(&mut self, from: u32, to: u32) {
        if from != 0 && to != 0 && from != to {
            self.op(Op::Copy { from, to });
        }
    }

    /// One node for several.
    pub(super) fn join(&mut self, nodes: &[u32]) -> u32 {
        let to = self.node();
        for from in nodes {
            self.copy(*from, to);
        }
        to
    }

    pub(super) fn plain(&mut self) -> u32 {
        if self.plain == 0 {
            self.plain = self.node();
            self.op(Op::Plain { to: self.plain });
        }
        self.plain
    }

    pub(super) fn constant(&mut self, text: &str) -> u32 {
        if text.len() > TEXT {
            return self.plain();
        }
        let name = self.name(text);
        if let Some(node) = self.texts.get(&name) {
            return *node;
        }
        let to = self.node();
        self.texts.insert(name, to);
        self.constants.insert(to, Key::Name(name));
        self.op(Op::Text { name, to });
        to
    }

    pub(super) fn number(&mut self, text: &str) -> u32 {
        let Ok(value) = text.parse::<i32>() else { return self.plain() };
        if let Some(node) = self.numbers.get(&value) {
            return *node;
        }
        let to = self.node();
        self.numbers.insert(value, to);
        self.constants.insert(to, Key::Index(value));
        self.op(Op::Number { value, to });
        to
    }

    /// The key that a constant node stands for, else the node.
    pub(super) fn key(&self, node: u32) -> Key {
        if node == 0 || node == self.plain {
            return Key::Any;
        }
        self.constants.get(&node).copied().unwrap_or(Key::Node(node))
    }

    pub(super) fn site(&mut self, at: Node<'_>, name: &str) -> u32 {
        let name = self.name(name);
        let line = line(at);
        let site = Site { line, caller: self.around.caller, name };
        if self.values.sites.last() != Some(&site) {
            self.values.sites.push(site);
        }
        self.values.sites.len() as u32 - 1
    }

    /// The symbol that is named here.
    pub(super) fn symbol(&self, at: Node<'_>) -> Option<u32> {
        self.symbol_named(at, self.text(at))
    }

    pub(super) fn symbol_named(&self, at: Node<'_>, name: &'p str) -> Option<u32> {
        self.symbols.get(&(line(at), name)).copied()
    }

    // Scopes.

    pub(super) fn enter(&mut self, kind: ScopeKind) {
        self.scopes.push(Scope { kind, names: HashMap::new(), current: HashMap::new() });
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The names and nodes of the innermost scope, in the order of names.
    pub(super) fn scope(&self) -> Vec<(String, u32)> {
        let names = self.scopes.last().map(|scope| &scope.names);
        let mut all: Vec<(String, u32)> =
            names.into_iter().flatten().map(|(name, node)| (name.clone(), *node)).collect();
        all.sort();
        all
    }

    /// A name of the innermost scope.
    pub(super) fn declare(&mut self, name: &str) -> u32 {
        if let Some(node) = self.scopes.last().and_then(|scope| scope.names.get(name)) {
            return *node;
        }
        let node = self.node();
        self.declare_as(name, node);
        node
    }

    pub(super) fn declare_as(&mut self, name: &str, node: u32) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), node);
        }
    }

    /// The node of a variable of the file.
    pub(super) fn declare_global(&mut self, name: &str) -> u32 {
        let known = self.scopes.first().and_then(|scope| scope.names.get(name)).copied();
        known.unwrap_or_else(|| {
            let node = self.node();
            if let Some(scope) = self.scopes.first_mut() {
                scope.names.insert(name.to_owned(), node);
            }
            node
        })
    }

    /// A variable of the innermost scope holds a value from here on.
    pub(super) fn holds_now(&mut self, name: &str, value: u32) {
        if let Some(scope) = self.scopes.last_mut().filter(|scope| scope.names.contains_key(name)) {
            scope.current.insert(name.to_owned(), value);
        }
    }

    /// A variable is bound in a way that is not followed: it holds what it ever holds.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.current.remove(name);
        }
    }

    /// What follows is run sometimes, or again and again: variables hold what they ever hold.
    pub(super) fn holds_anything(&mut self) {
        for scope in &mut self.scopes {
            scope.current.clear();
        }
    }

    /// What a variable of the innermost scope holds here.
    pub(super) fn find_now(&self, name: &str) -> Option<u32> {
        self.scopes.last()?.current.get(name).copied()
    }

    /// The node of a variable that is seen here.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let last = self.scopes.len().saturating_sub(1);
        let seen = |(at, scope): &(usize, &Scope)| scope.kind == ScopeKind::Lexical || *at == last;
        self.scopes
            .iter()
            .enumerate()
            .rev()
            .filter(seen)
            .find_map(|(_, scope)| scope.names.get(name).copied())
    }

    /// The node of a name, wherever it comes from.
    pub(super) fn resolve(&mut self, name: &str) -> u32 {
        if let Some(node) = self.find(name) {
            return node;
        }
        let number = self.name(name);
        if let Some(node) = self.unresolved.get(&number) {
            return *node;
        }
        let to = self.node();
        self.unresolved.insert(number, to);
        self.op(Op::Unresolved { name: number, to });
        to
    }

    // Pieces that both languages have.

    pub(super) fn get(&mut self, of: u32, name: &str, at: Node<'_>) -> u32 {
        if of == 0 {
            return 0;
        }
        let (name, to) = (self.name(name), self.node());
        let site = self.site(at, "");
        self.op(Op::Get { of, name, site, to });
        to
    }

    pub(super) fn set(&mut self, of: u32, name: &str, from: u32) {
        if of != 0 && from != 0 {
            let name = self.name(name);
            self.op(Op::Set { of, name, from });
        }
    }

    pub(super) fn item(&mut self, of: u32, key: Key) -> u32 {
        if of == 0 {
            return 0;
        }
        let to = self.node();
        self.op(Op::Item { of, key, to });
        to
    }

    pub(super) fn items(&mut self, kind: ContainerKind, items: Vec<(Key, u32)>, spread: Vec<u32>) -> u32 {
        let to = self.node();
        let items = items.into_iter().filter(|(_, node)| *node != 0).collect();
        self.op(Op::Items { kind, items, spread, to });
        to
    }

    pub(super) fn iterate(&mut self, of: u32, at: Node<'_>) -> u32 {
        if of == 0 {
            return 0;
        }
        let (site, to) = (self.site(at, ""), self.node());
        self.op(Op::Iterate { of, site, to });
        to
    }

    pub(super) fn await_on(&mut self, of: u32) -> u32 {
        if of == 0 {
            return 0;
        }
        let to = self.node();
        self.op(Op::Await { of, to });
        to
    }

    pub(super) fn call(&mut self, callee: u32, args: Vec<Arg>, site: u32, form: CallForm) -> u32 {
        if callee == 0 {
            return 0;
        }
        let to = self.node();
        self.op(Op::Call { callee, args, site, form, to });
        to
    }

    /// A new function and its value.
    pub(super) fn function(&mut self, function: Function) -> (u32, u32) {
        let number = self.values.functions.len() as u32;
        self.values.functions.push(function);
        let to = self.node();
        self.op(Op::Function { function: number, to });
        (number, to)
    }

    pub(super) fn function_mut(&mut self, number: u32) -> Option<&mut Function> {
        self.values.functions.get_mut(number as usize)
    }

    /// The function that is being read.
    pub(super) fn current(&mut self) -> Option<&mut Function> {
        let number = self.around.function?;
        self.function_mut(number)
    }

    pub(super) fn class(&mut self, class: Class) -> (u32, u32) {
        let number = self.values.classes.len() as u32;
        self.values.classes.push(class);
        let to = self.node();
        self.op(Op::Class { class: number, to });
        (number, to)
    }

    pub(super) fn class_mut(&mut self, number: u32) -> Option<&mut Class> {
        self.values.classes.get_mut(number as usize)
    }

    /// One level deeper; false when it is too deep.
    pub(super) fn deeper(&mut self) -> bool {
        self.around.depth += 1;
        self.around.depth <= DEPTH
    }

    pub(super) fn shallower(&mut self) {
        self.around.depth -= 1;
    }
}

/// The line of a node, from 1.
pub(super) fn line(at: Node<'_>) -> u32 {
    at.start_position().row as u32 + 1
}

/// The named children of a node, without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The children of a node that have this field.
pub(super) fn fields<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).collect()
}

/// A node has this word among its own tokens.
pub(super) fn has(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == word)
}
