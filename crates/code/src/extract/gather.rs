//! Facts as they come together, whoever reads the text: the enclosing symbol, the types of values seen so far,
//! and the calls that wait until all fields are known.

use super::calls::ReceiverExpr;
use crate::facts::{Call, Facts, Import, Receiver, Symbol, SymbolKind};
use std::collections::HashMap;

/// What encloses a position in the text.
#[derive(Clone, Copy)]
pub(crate) struct Enclosing {
    /// It is inside a function.
    pub in_function: bool,
    /// It is inside a type, and not inside a function of it.
    pub in_type: bool,
}

/// An enclosing symbol.
struct Open {
    symbol: u32,
    depth: usize,
}

/// A field of a value or type, or of the enclosing type.
struct Field {
    of: Option<String>,
    name: String,
}

/// The facts of a text that is being read from its start to its end.
pub(crate) struct Gather {
    facts: Facts,
    /// Where in the text each call is.
    places: Vec<usize>,
    open: Vec<Open>,
    /// Types of variables, by the function that they are in.
    variables: HashMap<Option<u32>, HashMap<String, String>>,
    /// Types of fields, by the type that they are in.
    fields: HashMap<String, HashMap<String, String>>,
    /// Calls whose receiver is looked up when all fields are known: one that has a name, or a field of something.
    pending: Vec<(usize, Option<Field>)>,
}

impl Gather {
    /// Nothing yet.
    pub(crate) fn new(lines: u32, notes: Vec<String>) -> Self {
        Self {
            facts: Facts { lines, notes, ..Facts::default() },
            places: Vec::new(),
            open: Vec::new(),
            variables: HashMap::new(),
            fields: HashMap::new(),
            pending: Vec::new(),
        }
    }

    /// Leaves the symbols that began at this depth or deeper.
    pub(crate) fn close(&mut self, depth: usize) {
        while self.open.last().is_some_and(|open| open.depth >= depth) {
            self.open.pop();
        }
    }

    /// The innermost enclosing symbol.
    fn innermost(&self) -> Option<u32> {
        self.open.last().map(|open| open.symbol)
    }

    fn symbol(&self, number: u32) -> Option<&Symbol> {
        self.facts.symbols.get(number as usize)
    }

    /// The innermost type around, and whether a function is nearer.
    fn of_type(&self) -> (Option<&Symbol>, Enclosing) {
        let mut in_function = false;
        for open in self.open.iter().rev() {
            let Some(symbol) = self.symbol(open.symbol) else { continue };
            if symbol.kind.is_type() {
                return (Some(symbol), Enclosing { in_function, in_type: !in_function });
            }
            in_function |= symbol.kind.is_function() || symbol.kind == SymbolKind::Property;
        }
        (None, Enclosing { in_function, in_type: false })
    }

    /// What encloses the present position.
    pub(crate) fn enclosing(&self) -> Enclosing {
        self.of_type().1
    }

    /// The function that variables belong to here.
    fn scope(&self) -> Option<u32> {
        let function =
            |open: &&Open| self.symbol(open.symbol).is_some_and(|symbol| symbol.kind.is_function());
        self.open.iter().rev().find(function).map(|open| open.symbol)
    }

    /// A symbol. Its parent is set here; so is its container, and that a function of a type is a method, unless it says
    /// itself what it belongs to. With a depth, what comes until that depth is closed is inside it. Its place in
    /// the list; none without a name.
    pub(crate) fn declare(&mut self, mut symbol: Symbol, depth: Option<usize>) -> Option<u32> {
        if symbol.name.is_empty() {
            return None;
        }
        if symbol.container.is_empty()
            && let (Some(around), Enclosing { in_type: true, .. }) = self.of_type()
        {
            symbol.container.clone_from(&around.name);
        }
        if symbol.kind == SymbolKind::Function && !symbol.container.is_empty() {
            symbol.kind = SymbolKind::Method;
        }
        symbol.parent = self.innermost();
        let number = self.facts.symbols.len() as u32;
        self.facts.symbols.push(symbol);
        if let Some(depth) = depth {
            self.open.push(Open { symbol: number, depth });
        }
        Some(number)
    }

    /// Opens a symbol of the present scope once more and moves its end; false when it belongs elsewhere.
    pub(crate) fn reopen(&mut self, number: u32, depth: usize, last_line: u32) -> bool {
        let around = self.innermost();
        let Some(symbol) = self.symbol_mut(number).filter(|symbol| symbol.parent == around) else {
            return false;
        };
        symbol.end_line = symbol.end_line.max(last_line);
        self.open.push(Open { symbol: number, depth });
        true
    }

    /// The innermost enclosing symbol.
    pub(crate) fn innermost_mut(&mut self) -> Option<&mut Symbol> {
        self.symbol_mut(self.innermost()?)
    }

    /// The present position is among the values of an enumeration.
    pub(crate) fn in_enumeration(&self) -> bool {
        let around = self.innermost().and_then(|number| self.symbol(number));
        around.is_some_and(|symbol| symbol.kind == SymbolKind::Enum)
    }

    /// A symbol that was declared before all of it was seen: its head, its end, what is written about it.
    pub(crate) fn symbol_mut(&mut self, number: u32) -> Option<&mut Symbol> {
        self.facts.symbols.get_mut(number as usize)
    }

    /// Names that are brought in.
    pub(crate) fn import(&mut self, imports: impl IntoIterator<Item = Import>) {
        self.facts.imports.extend(imports);
    }

    /// The type of a variable of the function around.
    pub(crate) fn variable_is(&mut self, name: &str, of: String) {
        let scope = self.scope();
        self.variables.entry(scope).or_default().insert(name.to_owned(), of);
    }

    /// The type of a field of the type around.
    pub(crate) fn field_is(&mut self, name: &str, of: String) {
        // A field of Go and C++ is in what declares it; a receiver's type is in its own place.
        let holder = match self.of_type().0 {
            Some(symbol) => symbol.name.clone(),
            None => match self.innermost().and_then(|number| self.symbol(number)) {
                Some(symbol) if !symbol.container.is_empty() => symbol.container.clone(),
                _ => return,
            },
        };
        self.fields.entry(holder).or_default().entry(name.to_owned()).or_insert(of);
    }

    /// The type of a variable, in this function or one around it.
    fn variable(&self, name: &str) -> Option<&String> {
        if self.variables.is_empty() {
            return None;
        }
        let mut scopes = self.open.iter().rev().map(|open| Some(open.symbol)).chain([None]);
        scopes.find_map(|scope| self.variables.get(&scope)?.get(name))
    }

    /// A call, with the line and the place in bytes of the name that is called.
    pub(crate) fn call(&mut self, name: String, on: ReceiverExpr, line: u32, place: usize) {
        let number = self.facts.calls.len();
        let on = match on {
            ReceiverExpr::Nothing => Receiver::Nothing,
            ReceiverExpr::Own => Receiver::Own,
            ReceiverExpr::Super => Receiver::Super,
            ReceiverExpr::Made(of) => Receiver::Type(of),
            ReceiverExpr::Unknown => Receiver::Unknown,
            ReceiverExpr::Name(name) => {
                if let Some(of) = self.variable(&name) {
                    Receiver::Type(of.clone())
                } else {
                    self.pending.push((number, None));
                    Receiver::Name(name)
                }
            }
            ReceiverExpr::Field(of, name) => {
                // `package.Type.method()`, or a value of unknown type.
                let of = of.map(|value| self.variable(&value).cloned().unwrap_or(value));
                self.pending.push((number, Some(Field { of, name })));
                Receiver::Unknown
            }
        };
        self.places.push(place);
        self.facts.calls.push(Call { name, on, line, caller: self.innermost() });
    }

    /// The facts, when the text is at its end.
    pub(crate) fn finish(mut self) -> Facts {
        self.settle();
        let Self { mut facts, places, .. } = self;
        if !places.is_sorted() {
            let mut calls: Vec<(usize, Call)> = places.into_iter().zip(facts.calls).collect();
            calls.sort_by_key(|(place, _)| *place);
            facts.calls = calls.into_iter().map(|(_, call)| call).collect();
        }
        facts
    }

    /// Looks up the fields that calls are made on, now that all are known.
    fn settle(&mut self) {
        for (number, field) in std::mem::take(&mut self.pending) {
            let Some(call) = self.facts.calls.get(number) else { continue };
            let (of, name) = match (&field, &call.on) {
                (Some(Field { of, name }), _) => (of.as_deref(), name),
                (None, Receiver::Name(name)) => (None, name),
                _ => continue,
            };
            let own = || {
                let mut up = call.caller;
                while let Some(symbol) = up.and_then(|up| self.symbol(up)) {
                    if !symbol.container.is_empty() {
                        return Some(symbol.container.as_str());
                    }
                    if symbol.kind.is_type() {
                        return Some(symbol.name.as_str());
                    }
                    up = symbol.parent;
                }
                None
            };
            let holder = of.or_else(own).unwrap_or_default();
            let on = match (self.fields.get(holder).and_then(|fields| fields.get(name)), of) {
                (Some(found), _) => Receiver::Type(found.clone()),
                // `shop.cart.add()`: of a module in a module, or of a value that nobody knows.
                (None, Some(of)) => Receiver::Name(format!("{of}.{name}")),
                (None, None) => continue,
            };
            if let Some(call) = self.facts.calls.get_mut(number) {
                call.on = on;
            }
        }
    }
}
