//! From a tree to facts, in one walk: symbols, imports, calls, and the types of values that calls are made on.
//! The walk keeps its own stack, so that no depth of nesting can exhaust the program's.

mod calls;
mod declare;
mod head;
mod imports;
mod roles;
mod salvage;
mod types;

use crate::facts::{Call, Facts, Kind, On, Symbol};
use crate::language::Language;
use crate::parse::Parsed;
use calls::Receiver;
use declare::{Around, Declared};
use roles::Role;
use std::collections::HashMap;
use tree_sitter::Node;

/// The facts of a parsed file.
pub fn facts(parsed: &Parsed) -> Facts {
    let mut walk = Walk {
        parsed,
        facts: Facts { lines: parsed.source.lines(), notes: parsed.notes.clone(), ..Facts::default() },
        open: Vec::new(),
        variables: HashMap::new(),
        fields: HashMap::new(),
        pending: Vec::new(),
    };
    let deep = walk.tree();
    walk.settle();
    let mut facts = walk.facts;
    if parsed.tree.root_node().has_error() {
        salvage::add(parsed, &mut facts);
    }
    if deep {
        facts.notes.push(format!("what is nested deeper than {} levels is left out", parsed.depth));
    }
    facts
}

/// A symbol that the walk is inside of.
struct Open {
    symbol: u32,
    depth: usize,
}

struct Walk<'p> {
    parsed: &'p Parsed,
    facts: Facts,
    open: Vec<Open>,
    /// Types of variables, by the function that they are in.
    variables: HashMap<(Option<u32>, String), String>,
    /// Types of fields, by the type that they are in.
    fields: HashMap<(String, String), String>,
    /// Calls whose receiver is looked up when all fields are known.
    pending: Vec<(usize, Receiver)>,
}

impl<'p> Walk<'p> {
    /// Walks the whole tree; true when something was too deep.
    fn tree(&mut self) -> bool {
        let roles = roles::of(self.parsed.language);
        let mut cursor = self.parsed.tree.walk();
        let mut parents: Vec<Node<'p>> = Vec::new();
        let mut deep = false;
        loop {
            let node = cursor.node();
            let role = roles.get(node.kind_id() as usize).copied().unwrap_or(Role::None);
            if role != Role::None {
                self.visit(node, role, &parents);
            }
            deep |= parents.len() >= self.parsed.depth;
            if parents.len() < self.parsed.depth && cursor.goto_first_child() {
                parents.push(node);
                continue;
            }
            loop {
                while self.open.last().is_some_and(|open| open.depth >= parents.len()) {
                    self.open.pop();
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return deep;
                }
                parents.pop();
            }
        }
    }

    fn visit(&mut self, node: Node<'p>, role: Role, parents: &[Node<'p>]) {
        match role {
            Role::None => {}
            Role::Declares => self.declare(node, parents),
            Role::Calls => self.call(node, parents.last().copied()),
            Role::Imports => self.facts.imports.extend(imports::of(self.parsed, node)),
            Role::Types => self.types(node),
            Role::DeclaresAndTypes => {
                self.types(node);
                self.declare(node, parents);
            }
        }
    }

    fn innermost(&self) -> Option<u32> {
        self.open.last().map(|open| open.symbol)
    }

    fn symbol(&self, number: u32) -> Option<&Symbol> {
        self.facts.symbols.get(number as usize)
    }

    /// The innermost type around, and whether a function is nearer.
    fn around(&self) -> (Option<&Symbol>, Around) {
        let mut in_function = false;
        for open in self.open.iter().rev() {
            let Some(symbol) = self.symbol(open.symbol) else { continue };
            if symbol.kind.is_type() {
                return (Some(symbol), Around { in_function, in_type: !in_function });
            }
            in_function |= symbol.kind.is_function() || symbol.kind == Kind::Property;
        }
        (None, Around { in_function, in_type: false })
    }

    fn declare(&mut self, node: Node<'p>, parents: &[Node<'p>]) {
        let (of_type, around) = self.around();
        let of_type = of_type.filter(|_| around.in_type).map(|symbol| symbol.name.clone());
        if self.is_script() {
            match node.kind() {
                "variable_declarator" => self.facts.imports.extend(imports::required(self.parsed, node)),
                "export_statement" if node.child_by_field_name("source").is_some() => {
                    self.facts.imports.extend(imports::of(self.parsed, node));
                }
                _ => {}
            }
        }
        let declared = declare::of(self.parsed, node, around);
        let several = declared.len() > 1;
        for one in declared {
            self.add(node, one, of_type.as_deref(), parents, several);
        }
    }

    fn is_script(&self) -> bool {
        matches!(self.parsed.language, Language::TypeScript | Language::Tsx | Language::JavaScript)
    }

    fn add(
        &mut self,
        node: Node<'p>,
        made: Declared<'p>,
        of_type: Option<&str>,
        parents: &[Node<'p>],
        several: bool,
    ) {
        if made.name.is_empty() {
            return;
        }
        let kind = match (made.kind, of_type.is_some() || made.container.is_some()) {
            (Kind::Function, true) => Kind::Method,
            (kind, _) => kind,
        };
        let line = made.at.start_position().row as u32 + 1;
        // The comment about an exported or decorated thing is above what is around it.
        let outer = parents.last().filter(|parent| {
            matches!(
                parent.kind(),
                "export_statement"
                    | "decorated_definition"
                    | "lexical_declaration"
                    | "variable_declaration"
                    | "type_declaration"
                    | "const_declaration"
                    | "template_declaration"
            )
        });
        let outer = match (outer, parents.iter().nth_back(1)) {
            (Some(_), Some(above)) if above.kind() == "export_statement" => Some(above),
            (outer, _) => outer,
        };
        let top = outer.filter(|outer| outer.start_position().row <= node.start_position().row);
        let first_line = top.map_or(line, |top| top.start_position().row as u32 + 1);
        let bases = if kind.is_type() { bases(self.parsed, node) } else { Vec::new() };
        let symbol = Symbol {
            name: made.name,
            kind,
            line,
            end_line: (last_row(node) + 1).max(line),
            parent: self.innermost(),
            container: made.container.or_else(|| of_type.map(str::to_owned)).unwrap_or_default(),
            signature: head::signature(self.parsed, node, made.head_end, kind),
            doc: head::doc(self.parsed, node, first_line.min(line)),
            bases,
            bytes: (node.start_byte(), node.end_byte()),
        };
        let number = self.facts.symbols.len() as u32;
        self.facts.symbols.push(symbol);
        if !several {
            self.open.push(Open { symbol: number, depth: parents.len() });
        }
    }

    fn types(&mut self, node: Node<'p>) {
        let (of_type, around) = self.around();
        let of_type = of_type.map(|symbol| symbol.name.clone());
        // A field of Go and C++ is in what declares it; a receiver's type is in its own place.
        let holder = of_type.or_else(|| {
            let symbol = self.symbol(self.innermost()?)?;
            Some(symbol.container.clone()).filter(|container| !container.is_empty())
        });
        let scope = self.scope();
        for typed in types::of(self.parsed, node, around.in_type) {
            if typed.field {
                if let Some(holder) = &holder {
                    self.fields.entry((holder.clone(), typed.name)).or_insert(typed.of);
                }
            } else {
                self.variables.insert((scope, typed.name), typed.of);
            }
        }
    }

    /// The function that variables belong to here.
    fn scope(&self) -> Option<u32> {
        let function =
            |open: &&Open| self.symbol(open.symbol).is_some_and(|symbol| symbol.kind.is_function());
        self.open.iter().rev().find(function).map(|open| open.symbol)
    }

    /// The type of a variable, in this function or one around it.
    fn variable(&self, name: &str) -> Option<&String> {
        let mut scopes: Vec<Option<u32>> = self.open.iter().rev().map(|open| Some(open.symbol)).collect();
        scopes.push(None);
        scopes.into_iter().find_map(|scope| self.variables.get(&(scope, name.to_owned())))
    }

    fn call(&mut self, node: Node<'p>, parent: Option<Node<'p>>) {
        let Some(called) = calls::of(self.parsed, node, parent) else { return };
        if let Some(import) = imports::by_call(self.parsed, node, &called.name) {
            self.facts.imports.push(import);
            return;
        }
        let on = match called.on {
            Receiver::Nothing => On::Nothing,
            Receiver::Own => On::Own,
            Receiver::Super => On::Super,
            Receiver::Made(of) => On::Type(of),
            Receiver::Unknown => On::Unknown,
            Receiver::Name(name) => {
                if let Some(of) = self.variable(&name) {
                    On::Type(of.clone())
                } else {
                    self.pending.push((self.facts.calls.len(), Receiver::Field(None, name.clone())));
                    On::Name(name)
                }
            }
            Receiver::Field(of, name) => {
                let of = match of {
                    None => None,
                    Some(value) => match self.variable(&value) {
                        Some(of) => Some(of.clone()),
                        // `package.Type.method()`, or a value of unknown type.
                        None => Some(value),
                    },
                };
                self.pending.push((self.facts.calls.len(), Receiver::Field(of, name)));
                On::Unknown
            }
        };
        let line = called.at.start_position().row as u32 + 1;
        self.facts.calls.push(Call { name: called.name, on, line, caller: self.innermost() });
    }

    /// Looks up the fields that calls are made on, now that all are known.
    fn settle(&mut self) {
        for (number, receiver) in std::mem::take(&mut self.pending) {
            let Receiver::Field(of, name) = receiver else { continue };
            let Some(call) = self.facts.calls.get(number) else { continue };
            let own = || {
                let mut up = call.caller;
                while let Some(symbol) = up.and_then(|up| self.symbol(up)) {
                    if !symbol.container.is_empty() {
                        return Some(symbol.container.clone());
                    }
                    if symbol.kind.is_type() {
                        return Some(symbol.name.clone());
                    }
                    up = symbol.parent;
                }
                None
            };
            let holder = of.clone().or_else(own).unwrap_or_default();
            let found = self.fields.get(&(holder, name.clone())).cloned();
            let plain = matches!(call.on, On::Name(_));
            let on = match (found, of) {
                (Some(found), _) => On::Type(found),
                // `shop.cart.add()`: of a module in a module, or of a value that nobody knows.
                (None, Some(of)) if !plain => On::Name(format!("{of}.{name}")),
                _ => continue,
            };
            if let Some(call) = self.facts.calls.get_mut(number) {
                call.on = on;
            }
        }
    }
}

/// The last row of a node; a line end that it swallowed is not counted.
fn last_row(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let back = usize::from(end.column == 0 && end.row > node.start_position().row);
    (end.row - back) as u32
}

/// The names of what a type inherits from.
fn bases(parsed: &Parsed, node: Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut lists: Vec<Node<'_>> = Vec::new();
    for field in ["superclasses", "superclass", "interfaces", "trait", "bounds"] {
        lists.extend(node.child_by_field_name(field));
    }
    let mut cursor = node.walk();
    lists.extend(node.named_children(&mut cursor).filter(|child| {
        matches!(
            child.kind(),
            "class_heritage"
                | "extends_type_clause"
                | "extends_interfaces"
                | "base_class_clause"
                | "base_list"
                | "base_clause"
                | "class_interface_clause"
        )
    }));
    for list in lists {
        let text = parsed.text(list);
        let text = text.trim_start_matches(['(', '<', ':']).trim_end_matches(')');
        for part in split_top(text) {
            let part = part.trim();
            let words = part.split_whitespace().filter(|word| {
                !matches!(
                    *word,
                    "extends" | "implements" | "public" | "private" | "protected" | "virtual" | ":" | "<"
                )
            });
            let name = types::base(&words.collect::<Vec<_>>().join(" "));
            let keyword = part.contains('=');
            if !name.is_empty() && !keyword && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Splits a list at its commas, pluses and the word `implements`, not inside brackets.
fn split_top(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' | '+' if depth <= 0 => {
                parts.push(text.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts.into_iter().flat_map(|part| part.split(" implements ")).collect()
}
