//! What methods of lists, dictionaries, arrays, maps, promises and functions do.

use super::object::{Object, Prop, Reader, Use};
use super::{CallState, ItemState, Solver};
use crate::values::{Arg, ArgKind, CallForm, ContainerKind};

/// Methods that containers have.
const METHODS: [&str; 59] = [
    "append", "add", "appendleft", "insert", "push", "unshift", "extend", "update", "concat", "get", "pop",
    "popleft", "shift", "setdefault", "set", "values", "items", "entries", "keys", "copy", "slice",
    "reverse", "flat", "splice", "sort", "map", "forEach", "filter", "find", "findLast", "findIndex", "some",
    "every", "flatMap", "reduce", "reduceRight", "at", "next", "send", "join", "includes", "indexOf", "has",
    "count", "index", "remove", "discard", "clear", "delete", "toString", "hasOwnProperty", "fill", "split",
    "strip", "popitem", "union", "lastIndexOf", "intersection", "difference",
];

/// A container has a method of this name.
pub(super) fn is_native(name: &str) -> bool {
    METHODS.contains(&name)
}

impl Solver<'_> {
    /// A call of a method of the language's own.
    pub(super) fn call_native(&mut self, call: &CallState, of: u32, name: u32) {
        let name = self.name_text(name).to_owned();
        match self.object_of(of) {
            Object::Function(..) | Object::Class(..) | Object::Bound(..) | Object::Partial(_) => {
                self.call_of_function(call, of, &name);
            }
            Object::Promise(value) => self.call_of_promise(call, of, value, &name),
            _ => {
                if !self.change(call, of, &name) && !self.read(call, of, &name) {
                    let plain = self.object(Object::Plain);
                    self.add(call.result, plain);
                }
            }
        }
    }

    /// `f.call(object)`, `f.apply(object, list)`, `f.bind(object)`.
    fn call_of_function(&mut self, call: &CallState, function: u32, name: &str) {
        let this = Self::argument(call, 0);
        let callee = self.node_with(function);
        self.use_of(this, Use::This { function, to: callee });
        let mut args: Vec<Arg> = call.args.iter().skip(1).copied().collect();
        match name {
            "call" => {}
            "apply" => {
                for arg in &mut args {
                    arg.kind = ArgKind::Spread;
                }
            }
            "bind" if args.is_empty() => return self.flow(callee, call.result),
            "bind" => {
                args.insert(0, Arg { kind: ArgKind::Positional, node: callee });
                let number = self.calls.len() as u32;
                self.calls.push(CallState { args, ..call.clone() });
                let partial = self.object(Object::Partial(number));
                return self.add(call.result, partial);
            }
            _ => return,
        }
        self.new_call(callee, CallState { args, form: CallForm::Plain, ..call.clone() });
    }

    fn call_of_promise(&mut self, call: &CallState, promise: u32, value: u32, name: &str) {
        let (first, second) = (Self::argument(call, 0), Self::argument(call, 1));
        match name {
            "then" => {
                let returned = self.call_back(call, first, &[value]);
                self.call_back(call, second, &[]);
                let awaited = self.node();
                self.use_of(returned, Use::Await(awaited));
                let next = self.object(Object::Promise(awaited));
                self.add(call.result, next);
            }
            "catch" | "finally" => {
                self.call_back(call, first, &[]);
                self.add(call.result, promise);
            }
            "resolve" => self.use_of(first, Use::Await(value)),
            _ => self.give_external(call.result),
        }
    }

    /// Methods that put something into a container.
    fn change(&mut self, call: &CallState, of: u32, name: &str) -> bool {
        let (first, second) = (Self::argument(call, 0), Self::argument(call, 1));
        match name {
            "append" | "add" | "appendleft" | "insert" | "push" | "unshift" | "fill" => {
                let to = self.prop(of, Prop::Any);
                for arg in &call.args {
                    match arg.kind {
                        ArgKind::Spread => {
                            let item = self.iterated(call, arg.node);
                            self.flow(item, to);
                        }
                        _ => self.flow(arg.node, to),
                    }
                }
                self.add(call.result, of);
            }
            "extend" => {
                let item = self.iterated(call, first);
                let to = self.prop(of, Prop::Any);
                self.flow(item, to);
            }
            "update" => {
                self.use_of(first, Use::Spread { into: of });
                for arg in &call.args {
                    if let ArgKind::Named(name) = arg.kind {
                        let to = self.prop(of, Prop::Item(name));
                        self.flow(arg.node, to);
                    }
                }
            }
            "set" | "setdefault" => {
                let container = self.node_with(of);
                self.item_by_node(ItemState { of: container, key: first, other: second, writes: true });
                if name == "set" {
                    self.add(call.result, of);
                } else {
                    self.flow(second, call.result);
                    let item = ItemState { of: container, key: first, other: call.result, writes: false };
                    self.item_by_node(item);
                }
            }
            _ => return false,
        }
        true
    }

    /// Methods that give something of a container, or call something with it.
    fn read(&mut self, call: &CallState, of: u32, name: &str) -> bool {
        let (first, second, result) = (Self::argument(call, 0), Self::argument(call, 1), call.result);
        let items = self.elements(of);
        match name {
            "get" | "pop" if first != 0 && !matches!(self.object_of(of), Object::Sequence(_)) => {
                let container = self.node_with(of);
                self.item_by_node(ItemState { of: container, key: first, other: result, writes: false });
                self.flow(second, result);
            }
            "pop" | "popleft" | "shift" | "at" | "send" | "__next__" | "__enter__" => {
                self.flow(items, result);
            }
            "next" => {
                let made = self.container(ContainerKind::Object, None);
                let value = self.name("value");
                let to = self.prop(made, Prop::Attr(value));
                self.flow(items, to);
                self.add(result, made);
            }
            "values" => self.give_sequence(result, items),
            "items" | "entries" | "popitem" => {
                let plain = self.object(Object::Plain);
                let plain = self.node_with(plain);
                let pairs = self.pairs(plain, items);
                if name == "popitem" {
                    self.flow(pairs, result);
                } else {
                    self.give_sequence(result, pairs);
                }
            }
            "copy" | "reverse" | "flat" | "splice" => self.add(result, of),
            "slice" => {
                let into = self.container(ContainerKind::List, None);
                self.slice_of(of, call, into);
                self.add(result, into);
            }
            "concat" | "union" => {
                let made = self.container(ContainerKind::List, None);
                self.spread(of, made);
                for arg in &call.args {
                    self.use_of(arg.node, Use::Spread { into: made });
                }
                self.add(result, made);
            }
            "sort" => {
                let key = self.named(call, "key");
                self.call_back(call, key, &[items]);
                self.call_back(call, first, &[items, items]);
                self.add(result, of);
            }
            "map" | "flatMap" => {
                let returned = self.call_back(call, first, &[items]);
                self.give_sequence(result, returned);
            }
            "forEach" | "some" | "every" | "findIndex" => {
                self.call_back(call, first, &[items]);
            }
            "filter" => {
                self.call_back(call, first, &[items]);
                self.give_sequence(result, items);
            }
            "find" | "findLast" => {
                self.call_back(call, first, &[items]);
                self.flow(items, result);
            }
            "reduce" | "reduceRight" => {
                let returned = self.call_back(call, first, &[result, items]);
                self.flow(returned, result);
                self.flow(second, result);
                if second == 0 {
                    self.flow(items, result);
                }
            }
            _ => return false,
        }
        true
    }

    fn slice_of(&mut self, of: u32, call: &CallState, into: u32) {
        let start = self.objects_in(Self::argument(call, 0)).first().map(|object| self.object_of(*object));
        match (start, self.object_of(of)) {
            (Some(Object::Number(start)), Object::Container { .. }) if start >= 0 => {
                self.read_all(of, Reader::Shift(into, start));
            }
            _ => {
                let (from, to) = (self.elements(of), self.prop(into, Prop::Any));
                self.flow(from, to);
            }
        }
    }
}
