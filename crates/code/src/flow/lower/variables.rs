//! Variables while a function is lowered: which one a name means, and how a step touches it.

use super::reads::{is_self, only_reads};
use super::{Draft, Lower, line};
use crate::flow::ir::{Access, FieldId, Origin, Relation, Touch, ValueKind, Var, VarId, WHOLE};
use std::collections::HashMap;
use tree_sitter::Node;

/// Reads only where the variable points: sees writes of the whole, not of its fields.
const REFERENCE: FieldId = 1;

#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: HashMap<String, VarId>,
    /// The outermost scope of a function.
    pub(super) of_function: bool,
    /// Nothing from around is known inside.
    pub(super) closed: bool,
}

impl Lower<'_> {
    pub(super) fn push_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    /// Runs something in a scope of its own.
    pub(super) fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.push_scope();
        let value = run(self);
        self.pop_scope();
        value
    }

    pub(super) fn new_var(&mut self, name: &str, origin: Origin, line: u32) -> VarId {
        self.unit.vars.push(Var { name: name.to_owned(), owner: self.func, origin, line })
    }

    /// A new variable in the innermost scope. One that is there is hidden from here on.
    pub(super) fn declare(&mut self, name: &str, origin: Origin, line: u32) -> VarId {
        let var = self.new_var(name, origin, line);
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), var);
        }
        var
    }

    /// A new variable in the function's own scope, unless it has one of this name.
    pub(super) fn declare_in_function(&mut self, name: &str, line: u32) -> VarId {
        let Some(at) = self.scopes.iter().rposition(|scope| scope.of_function) else {
            return self.declare(name, Origin::Local, line);
        };
        if let Some(var) = self.scopes.get(at).and_then(|scope| scope.names.get(name)) {
            return *var;
        }
        let var = self.new_var(name, Origin::Local, line);
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.names.insert(name.to_owned(), var);
        }
        var
    }

    /// Makes a name of the innermost scope mean this variable.
    pub(super) fn bind(&mut self, name: &str, var: VarId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), var);
        }
    }

    /// The variable that a name means here, when it is one of the unit.
    pub(super) fn known(&self, name: &str) -> Option<VarId> {
        for scope in self.scopes.iter().rev() {
            if let Some(var) = scope.names.get(name) {
                return Some(*var);
            }
            if scope.closed {
                break;
            }
        }
        None
    }

    /// Hides everything that is around the innermost scope.
    pub(super) fn close_scope(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.closed = true;
        }
    }

    /// The variable of the file, where the file is in sight; else one from outside.
    pub(super) fn global(&mut self, name: &str) -> VarId {
        let own = self
            .scopes
            .first()
            .filter(|scope| !scope.closed)
            .and_then(|scope| scope.names.get(name))
            .copied();
        own.unwrap_or_else(|| self.outside(name))
    }

    /// A function that is called by its name alone: known everywhere inside, whatever hides variables.
    pub(super) fn declare_function(&mut self, name: &str, line: u32) -> VarId {
        let var = self.new_var(name, Origin::Local, line);
        self.bind(&format!("{name}()"), var);
        var
    }

    /// The function of the unit that a name alone calls.
    pub(super) fn known_function(&self, name: &str) -> Option<VarId> {
        let key = format!("{name}()");
        self.scopes.iter().rev().find_map(|scope| scope.names.get(&key)).copied()
    }

    /// The variable that a name means here; what nobody declared comes from outside.
    pub(super) fn resolve(&mut self, name: &str) -> VarId {
        self.known(name).unwrap_or_else(|| self.outside(name))
    }

    pub(super) fn outside(&mut self, name: &str) -> VarId {
        if let Some(var) = self.outer.get(name) {
            return *var;
        }
        let var =
            self.unit.vars.push(Var { name: name.to_owned(), owner: 0, origin: Origin::Outer, line: 0 });
        self.outer.insert(name.to_owned(), var);
        var
    }

    /// A variable for the value of an expression that has control flow in it.
    pub(super) fn value_var(&mut self, node: Node<'_>) -> VarId {
        self.new_var("", Origin::Value, line(node))
    }

    pub(super) fn field(&mut self, name: &str) -> FieldId {
        if let Some(field) = self.fields.get(name) {
            return *field;
        }
        let field = self.unit.fields.push(name.to_owned());
        self.fields.insert(name.to_owned(), field);
        field
    }

    pub(super) fn touch(&mut self, draft: &mut Draft, var: VarId, field: FieldId, touch: Touch, line: u32) {
        let touch = if self.maybe > 0 && touch == Touch::Def { Touch::May } else { touch };
        draft.step.accesses.push(Access { var, field, touch, line });
    }

    pub(super) fn read(&mut self, draft: &mut Draft, node: Node<'_>) {
        let var = self.resolve(self.text(node));
        self.touch(draft, var, WHOLE, Touch::Use, line(node));
    }

    /// Reads a name only when it is a variable of the unit: a function that is called, a word in a macro.
    pub(super) fn read_known(&mut self, draft: &mut Draft, node: Node<'_>) {
        if let Some(var) = self.known(self.text(node)) {
            self.touch(draft, var, WHOLE, Touch::Use, line(node));
        }
    }

    pub(super) fn write(&mut self, draft: &mut Draft, node: Node<'_>) {
        let var = self.resolve(self.text(node));
        self.touch(draft, var, WHOLE, Touch::Def, line(node));
    }

    pub(super) fn read_var(&mut self, draft: &mut Draft, var: VarId, line: u32) {
        self.touch(draft, var, WHOLE, Touch::Use, line);
    }

    pub(super) fn write_var(&mut self, draft: &mut Draft, var: VarId, line: u32) {
        self.touch(draft, var, WHOLE, Touch::Def, line);
    }

    /// Reads `base.name`, where the base is a name.
    pub(super) fn read_field(&mut self, draft: &mut Draft, base: Node<'_>, name: &str) {
        let (var, field) = (self.resolve(self.text(base)), self.field(name));
        self.touch(draft, var, field, Touch::Use, line(base));
    }

    /// Writes `base.name`, where the base is a name.
    pub(super) fn write_field(&mut self, draft: &mut Draft, base: Node<'_>, name: &str, touch: Touch) {
        let (var, field) = (self.resolve(self.text(base)), self.field(name));
        self.touch(draft, var, REFERENCE, Touch::Use, line(base));
        self.touch(draft, var, field, touch, line(base));
    }

    /// Changes a part of what a variable holds: an element, something deep in it.
    pub(super) fn change(&mut self, draft: &mut Draft, base: Node<'_>) {
        let var = self.resolve(self.text(base));
        self.touch(draft, var, WHOLE, Touch::Update, line(base));
    }

    /// A method is called on a variable: it may change what the variable holds. For what comes from outside (modules,
    /// types, loggers) and for the object itself, what a method does is not in sight, and it counts as a read.
    pub(super) fn call_on(&mut self, draft: &mut Draft, base: Node<'_>, method: &str) {
        let name = self.text(base);
        match self.known(name) {
            Some(var) if !is_self(name) && !only_reads(method) && !self.fixed.contains(&var) => {
                self.touch(draft, var, WHOLE, Touch::Update, line(base));
            }
            Some(var) if !is_self(name) => self.touch(draft, var, WHOLE, Touch::Use, line(base)),
            _ => self.read_field(draft, base, method),
        }
    }

    /// A variable is given a value with these sources, or a part of it.
    pub(super) fn given(&mut self, var: VarId, from: &[(Relation, VarId)], kind: ValueKind, as_part: bool) {
        for (relation, source) in from {
            let relation = match relation {
                Relation::Same if as_part => Relation::Part,
                Relation::Holds if as_part => Relation::Same,
                other => *other,
            };
            self.unit.shares.push((var, relation, *source));
        }
        self.unit.kinds.push((var, if as_part { ValueKind::Other } else { kind }));
    }

    /// A value with these sources becomes a part of a place.
    pub(super) fn stored(&mut self, into: &[(Relation, VarId)], from: &[(Relation, VarId)]) {
        for (_, holder) in into {
            for (relation, source) in from {
                let relation = if *relation == Relation::Part { Relation::Same } else { Relation::Part };
                self.unit.shares.push((*source, relation, *holder));
            }
        }
    }

    /// Runs something that is not always evaluated.
    pub(super) fn perhaps(&mut self, draft: &mut Draft, run: impl FnOnce(&mut Self, &mut Draft)) {
        self.maybe += 1;
        run(self, draft);
        self.maybe -= 1;
    }
}
