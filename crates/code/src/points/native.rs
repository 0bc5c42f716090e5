//! What functions of the languages and their standard libraries do with what they are given: whom they call back, what they
//! return. A function that is not named here is taken to call nobody.

use super::object::{Object, Prop, Use};
use super::{CallState, Solver};
use crate::values::{ArgKind, ContainerKind};

/// Functions that do something here, by their path; `?` stands for any object that is not of the project.
const NATIVE: [&str; 78] = [
    "map", "filter", "sorted", "min", "max", "reduce", "functools.reduce", "partial", "functools.partial",
    "functools.partialmethod", "threading.Thread", "Thread", "multiprocessing.Process", "Process",
    "threading.Timer", "Timer", "asyncio.run", "asyncio.gather", "asyncio.create_task", "asyncio.wait_for",
    "asyncio.ensure_future", "atexit.register", "signal.signal", "list", "tuple", "set", "frozenset",
    "reversed", "iter", "collections.deque", "deque", "dict", "collections.OrderedDict", "OrderedDict",
    "collections.defaultdict", "defaultdict", "enumerate", "zip", "next", "getattr", "setattr", "type",
    "copy.copy", "copy.deepcopy", "itertools.chain", "chain", "Object.assign", "Object.create",
    "Object.values", "Object.entries", "Object.freeze", "Object.seal", "Object.keys", "Object.fromEntries",
    "Object.setPrototypeOf", "Array.from", "Array.of", "Promise", "Promise.resolve", "Promise.all",
    "Promise.race", "Promise.any", "Promise.allSettled", "Map", "Set", "WeakMap", "WeakSet", "Array",
    "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "process.nextTick",
    "requestAnimationFrame", "?.submit", "?.apply_async", "?.addEventListener", "?.run_in_executor",
];

/// The path names a function that does something here.
pub(super) fn is_native(path: &str) -> bool {
    NATIVE.contains(&path)
}

impl Solver<'_> {
    /// A call of something that is not of the project.
    pub(super) fn call_external(&mut self, number: u32, call: &CallState, path: u32) {
        let path = self.name_text(path).to_owned();
        let (first, second) = (Self::argument(call, 0), Self::argument(call, 1));
        let result = call.result;
        match path.as_str() {
            "map" | "filter" => {
                let item = self.iterated(call, second);
                let returned = self.call_back(call, first, &[item]);
                // Given in the other order it fails, after the text has said what was meant.
                let other = self.iterated(call, first);
                let also = self.call_back(call, second, &[other]);
                let values = self.node();
                let sources = if path == "map" { [returned, also] } else { [item, other] };
                for from in sources {
                    self.flow(from, values);
                }
                self.give_sequence(result, values);
            }
            "sorted" | "min" | "max" => {
                let item = self.iterated(call, first);
                let key = self.named(call, "key");
                if path == "sorted" {
                    self.give_sequence(result, item);
                } else {
                    self.flow(item, result);
                    for at in 0..call.args.len() {
                        self.flow(Self::argument(call, at), result);
                    }
                }
                self.call_back(call, key, &[item]);
            }
            "reduce" | "functools.reduce" => {
                let item = self.iterated(call, second);
                let returned = self.call_back(call, first, &[result, item]);
                self.flow(returned, result);
            }
            "partial" | "functools.partial" | "functools.partialmethod" => {
                let partial = self.object(Object::Partial(number));
                self.add(result, partial);
            }
            "threading.Thread" | "Thread" | "multiprocessing.Process" | "Process" => {
                let (target, given) = (self.named(call, "target"), self.named(call, "args"));
                self.call_with_items(call, target, given);
                self.give_external(result);
            }
            "threading.Timer" | "Timer" => {
                self.call_back(call, second, &[]);
                self.give_external(result);
            }
            "?.submit"
            | "?.apply_async"
            | "setTimeout"
            | "setInterval"
            | "setImmediate"
            | "queueMicrotask"
            | "process.nextTick"
            | "requestAnimationFrame"
            | "atexit.register" => {
                let from = usize::from(path.starts_with("set")) + 1;
                let given: Vec<u32> = (from..call.args.len()).map(|at| Self::argument(call, at)).collect();
                self.call_back(call, first, &given);
                self.give_external(result);
            }
            "?.addEventListener" | "?.run_in_executor" | "signal.signal" => {
                self.call_back(call, second, &[]);
                self.give_external(result);
            }
            "asyncio.run" => self.use_of(first, Use::Await(result)),
            "asyncio.create_task"
            | "asyncio.ensure_future"
            | "asyncio.wait_for"
            | "copy.copy"
            | "copy.deepcopy"
            | "Object.freeze"
            | "Object.seal"
            | "Object.setPrototypeOf" => {
                self.flow(first, result);
            }
            "getattr" => {
                self.use_of(second, Use::GetNamed { of: first, to: result, site: call.site });
                self.flow(Self::argument(call, 2), result);
            }
            "type" => {
                let plain = self.object(Object::External(0));
                self.add(result, plain);
            }
            "next" => {
                let item = self.iterated(call, first);
                self.flow(item, result);
                self.flow(second, result);
            }
            _ if self.make_container(call, &path) => {}
            _ if self.promise(call, &path) => {}
            _ => self.give_external(result),
        }
    }

    pub(super) fn give_external(&mut self, result: u32) {
        let external = self.object(Object::External(0));
        self.add(result, external);
    }

    pub(super) fn give_sequence(&mut self, result: u32, values: u32) {
        let sequence = self.object(Object::Sequence(values));
        self.add(result, sequence);
    }

    /// A function that is called with the items of a list.
    fn call_with_items(&mut self, call: &CallState, callee: u32, list: u32) {
        if callee == 0 {
            return;
        }
        let args = vec![crate::values::Arg { kind: ArgKind::Spread, node: list }];
        let result = self.node();
        let form = crate::values::CallForm::Plain;
        self.new_call(callee, CallState { args, result, site: call.site, form });
    }

    /// A list of pairs, of which the second is what a node holds.
    pub(super) fn pairs(&mut self, first: u32, second: u32) -> u32 {
        let pair = self.container(ContainerKind::List, Some(2));
        for (at, from) in [first, second].into_iter().enumerate() {
            let to = self.prop(pair, Prop::Index(at as i32));
            self.flow(from, to);
        }
        self.node_with(pair)
    }

    /// Functions that make containers.
    fn make_container(&mut self, call: &CallState, path: &str) -> bool {
        let (first, second, result) = (Self::argument(call, 0), Self::argument(call, 1), call.result);
        match path {
            "list" | "tuple" | "set" | "frozenset" | "reversed" | "iter" | "collections.deque" | "deque"
            | "Set" | "WeakSet" | "Array.from" => {
                let made = self.container(ContainerKind::List, None);
                let mut item = self.iterated(call, first);
                if path == "Array.from" && second != 0 {
                    item = self.call_back(call, second, &[item]);
                }
                let to = self.prop(made, Prop::Any);
                self.flow(item, to);
                self.add(result, made);
            }
            "Array" | "Array.of" => {
                let made = self.container(ContainerKind::List, None);
                for at in 0..call.args.len() {
                    let to = self.prop(made, Prop::Index(at as i32));
                    self.flow(Self::argument(call, at), to);
                }
                self.add(result, made);
            }
            "dict"
            | "collections.OrderedDict"
            | "OrderedDict"
            | "collections.defaultdict"
            | "defaultdict" => {
                let made = self.container(ContainerKind::Dict, None);
                if path.ends_with("defaultdict") {
                    let value = self.call_back(call, first, &[]);
                    let to = self.prop(made, Prop::Any);
                    self.flow(value, to);
                } else {
                    self.use_of(first, Use::Spread { into: made });
                }
                for arg in &call.args {
                    match arg.kind {
                        ArgKind::Named(name) => {
                            let to = self.prop(made, Prop::Item(name));
                            self.flow(arg.node, to);
                        }
                        ArgKind::SpreadNamed => self.use_of(arg.node, Use::Spread { into: made }),
                        _ => {}
                    }
                }
                self.add(result, made);
            }
            "Map" | "WeakMap" | "Object.fromEntries" => {
                let made = self.container(ContainerKind::Object, None);
                let pair = self.iterated(call, first);
                let to = self.prop(made, Prop::Any);
                self.use_of(pair, Use::Item { prop: Prop::Index(1), to });
                self.add(result, made);
            }
            "enumerate" | "zip" | "itertools.chain" | "chain" => {
                let items: Vec<u32> =
                    (0..call.args.len()).map(|at| self.iterated(call, Self::argument(call, at))).collect();
                let values = match path {
                    "enumerate" => {
                        let plain = self.object(Object::Plain);
                        let plain = self.node_with(plain);
                        self.pairs(plain, items.first().copied().unwrap_or(0))
                    }
                    "zip" => {
                        let tuple = self.container(ContainerKind::List, Some(items.len() as u32));
                        for (at, item) in items.iter().enumerate() {
                            let to = self.prop(tuple, Prop::Index(at as i32));
                            self.flow(*item, to);
                        }
                        self.node_with(tuple)
                    }
                    _ => {
                        let values = self.node();
                        for item in items {
                            self.flow(item, values);
                        }
                        values
                    }
                };
                self.give_sequence(result, values);
            }
            _ => return self.of_object(call, path),
        }
        true
    }

    /// `Object.assign` and its kin.
    fn of_object(&mut self, call: &CallState, path: &str) -> bool {
        let (first, result) = (Self::argument(call, 0), call.result);
        match path {
            "Object.assign" => {
                let made = self.container(ContainerKind::Object, None);
                for at in 1..call.args.len() {
                    self.use_of(Self::argument(call, at), Use::Spread { into: made });
                }
                // What is assigned to is changed, and is the result.
                self.use_of(first, Use::CopyFrom { from: made });
                self.flow(first, result);
            }
            "Object.create" => {
                let made = self.container(ContainerKind::Object, None);
                self.prototypes.insert(made, first);
                self.use_of(first, Use::Base);
                self.add(result, made);
            }
            "Object.values" | "Object.entries" => {
                let values = self.node();
                self.use_of(first, Use::Item { prop: Prop::Any, to: values });
                let values = if path == "Object.values" { values } else { self.pairs(0, values) };
                self.give_sequence(result, values);
            }
            _ => return false,
        }
        true
    }

    fn promise(&mut self, call: &CallState, path: &str) -> bool {
        let (first, result) = (Self::argument(call, 0), call.result);
        let value = match path {
            "Promise" => {
                let value = self.node();
                let promise = self.object(Object::Promise(value));
                let resolve = self.name("resolve");
                let resolve = self.object(Object::Native(promise, resolve));
                let resolve = self.node_with(resolve);
                self.call_back(call, first, &[resolve, resolve]);
                value
            }
            "Promise.resolve" => {
                let value = self.node();
                self.use_of(first, Use::Await(value));
                value
            }
            "Promise.race" | "Promise.any" => {
                let (item, value) = (self.iterated(call, first), self.node());
                self.use_of(item, Use::Await(value));
                value
            }
            "Promise.all" | "Promise.allSettled" | "asyncio.gather" => {
                let items = self.node();
                if path == "asyncio.gather" {
                    for arg in &call.args {
                        self.use_of(arg.node, Use::Await(items));
                    }
                } else {
                    let item = self.iterated(call, first);
                    self.use_of(item, Use::Await(items));
                }
                let sequence = self.object(Object::Sequence(items));
                self.node_with(sequence)
            }
            _ => return false,
        };
        let promise = self.object(Object::Promise(value));
        self.add(result, promise);
        true
    }
}
