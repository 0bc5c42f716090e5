//! What happens when something is called: arguments become parameters, what is returned becomes the result.

use super::object::{Object, Prop, Use};
use super::{CallState, Lookup, Solver};
use crate::values::{Arg, ArgKind, CallForm, ContainerKind, Function};

/// Arguments that are followed through functions that have some of them already.
const ARGUMENTS: usize = 12;

impl Solver<'_> {
    pub(super) fn call(&mut self, number: u32, callee: u32) {
        if !self.called.insert((number, callee)) {
            return;
        }
        let Some(call) = self.calls.get(number as usize).cloned() else { return };
        match self.object_of(callee) {
            Object::Function(unit, _) if call.form == CallForm::New && self.is_script(unit) => {
                let this = self.object(Object::Instance(callee));
                self.add(call.result, this);
                self.invoke(&call, callee, Some(this));
            }
            Object::Function(..) if call.form == CallForm::New => {}
            Object::Function(..) => self.invoke(&call, callee, None),
            Object::Bound(function, this) => self.invoke(&call, function, Some(this)),
            Object::Class(unit, _) => {
                self.record(call.site, callee);
                let this = self.object(Object::Instance(callee));
                self.add(call.result, this);
                let name = self.name(if self.is_script(unit) { "constructor" } else { "__init__" });
                let to = self.node();
                self.look_up_later(Lookup { class: callee, after: 0, name, to, site: call.site, this });
                self.new_call(to, CallState { result: 0, form: CallForm::Plain, ..call });
            }
            Object::Instance(_) => {
                let name = self.name("__call__");
                let method = self.node();
                self.apply(Use::Get { name, to: method, site: call.site }, callee);
                self.new_call(method, call);
            }
            Object::Partial(first) => {
                let Some(first) = self.calls.get(first as usize).cloned() else { return };
                let Some((function, mut args)) =
                    first.args.split_first().map(|(f, args)| (f.node, args.to_vec()))
                else {
                    return;
                };
                args.extend(call.args.iter().copied());
                // A function that is given some of its arguments again and again has no end.
                if args.len() > ARGUMENTS {
                    return;
                }
                self.new_call(function, CallState { args, ..call });
            }
            Object::External(path) => {
                if call.form == CallForm::Decorator {
                    let argument = call.args.first().map_or(0, |arg| arg.node);
                    self.flow(argument, call.result);
                } else {
                    self.call_external(number, &call, path);
                }
            }
            Object::Native(of, name) => self.call_native(&call, of, name),
            Object::Missing => {
                if call.form == CallForm::Decorator {
                    let argument = call.args.first().map_or(0, |arg| arg.node);
                    self.flow(argument, call.result);
                }
                self.add(call.result, callee);
            }
            _ => {}
        }
    }

    fn record(&mut self, site: u32, target: u32) {
        let targets = self.targets.entry(site).or_default();
        if !targets.contains(&target) {
            targets.push(target);
        }
    }

    /// A call of a function of the project.
    fn invoke(&mut self, call: &CallState, function: u32, this: Option<u32>) {
        let Object::Function(unit, number) = self.object_of(function) else {
            // What is bound may be a class, or bound already.
            let callee = self.node_with(function);
            if matches!(self.object_of(function), Object::Class(..) | Object::Bound(..)) {
                self.new_call(callee, call.clone());
            }
            return;
        };
        self.record(call.site, function);
        let Some((values, base, is_script)) =
            self.units.get(unit as usize).map(|unit| (unit.values.clone(), unit.nodes, unit.is_script))
        else {
            return;
        };
        let Some(made) = values.functions.get(number as usize) else { return };
        let node = |local: u32| if local == 0 { 0 } else { base + local };
        let mut params: Vec<(u32, u32)> =
            made.params.iter().map(|(name, local)| (self.param_name(unit, *name), node(*local))).collect();
        if let Some(this) = this {
            if is_script {
                self.add(node(made.this), this);
            } else if !params.is_empty() {
                let (_, first) = params.remove(0);
                self.add(first, this);
            }
        }
        self.arguments(call, made, &params, base);
        let result = call.result;
        if made.generator {
            let sequence = self.object(Object::Sequence(node(made.yields)));
            self.add(result, sequence);
        } else if made.is_async {
            let promise = self.object(Object::Promise(node(made.returns)));
            self.add(result, promise);
        } else if call.form != CallForm::New {
            self.flow(node(made.returns), result);
        }
    }

    fn param_name(&self, unit: u32, name: u32) -> u32 {
        self.units.get(unit as usize).and_then(|unit| unit.names.get(name as usize)).copied().unwrap_or(0)
    }

    fn arguments(&mut self, call: &CallState, made: &Function, params: &[(u32, u32)], base: u32) {
        let local = |node: u32| if node == 0 { 0 } else { base + node };
        let (rest, keywords) = (local(made.rest), local(made.keywords));
        let mut at = 0;
        for Arg { kind, node } in &call.args {
            match kind {
                ArgKind::Positional => {
                    match params.get(at) {
                        Some((_, param)) => self.flow(*node, *param),
                        None if rest != 0 => {
                            let list = self.kept(rest, ContainerKind::List);
                            let item = self.prop(list, Prop::Index((at - params.len()) as i32));
                            self.flow(*node, item);
                        }
                        None => {}
                    }
                    at += 1;
                }
                ArgKind::Named(name) => match params.iter().find(|(other, _)| other == name) {
                    Some((_, param)) => self.flow(*node, *param),
                    None if keywords != 0 => {
                        let entries = self.kept(keywords, ContainerKind::Dict);
                        let entry = self.prop(entries, Prop::Item(*name));
                        self.flow(*node, entry);
                    }
                    None => {}
                },
                ArgKind::Spread => {
                    for (number, (_, param)) in params.iter().skip(at).enumerate() {
                        self.use_of(*node, Use::Item { prop: Prop::Index(number as i32), to: *param });
                    }
                    if rest != 0 {
                        let list = self.kept(rest, ContainerKind::List);
                        let start = params.len().saturating_sub(at) as u32;
                        self.use_of(*node, Use::Slice { start: Some(start), into: list });
                    }
                }
                ArgKind::SpreadNamed => {
                    for (name, param) in params {
                        self.use_of(*node, Use::Item { prop: Prop::Item(*name), to: *param });
                    }
                    if keywords != 0 {
                        let entries = self.kept(keywords, ContainerKind::Dict);
                        self.use_of(*node, Use::Spread { into: entries });
                    }
                }
            }
        }
    }

    /// The container of a function's other arguments.
    fn kept(&mut self, node: u32, kind: ContainerKind) -> u32 {
        let found = self.objects_in(node).iter().copied().find(
            |object| matches!(self.object_of(*object), Object::Container { kind: other, .. } if other == kind),
        );
        found.unwrap_or_else(|| {
            let object = self.container(kind, None);
            self.add(node, object);
            object
        })
    }

    // For natives.

    /// A positional argument.
    pub(super) fn argument(call: &CallState, at: usize) -> u32 {
        let positional = call.args.iter().filter(|arg| arg.kind == ArgKind::Positional);
        positional.map(|arg| arg.node).nth(at).unwrap_or(0)
    }

    /// A named argument.
    pub(super) fn named(&mut self, call: &CallState, name: &str) -> u32 {
        let name = self.name(name);
        call.args.iter().find(|arg| arg.kind == ArgKind::Named(name)).map_or(0, |arg| arg.node)
    }

    /// What is given to a native function is called by it, where that is called; what it returns.
    pub(super) fn call_back(&mut self, call: &CallState, callee: u32, given: &[u32]) -> u32 {
        if callee == 0 {
            return 0;
        }
        let result = self.node();
        let args = given.iter().map(|node| Arg { kind: ArgKind::Positional, node: *node }).collect();
        self.new_call(callee, CallState { args, result, site: call.site, form: CallForm::Plain });
        result
    }

    /// What an iteration over an argument comes to.
    pub(super) fn iterated(&mut self, call: &CallState, of: u32) -> u32 {
        let to = self.node();
        self.use_of(of, Use::Iterate { to, site: call.site });
        to
    }
}
