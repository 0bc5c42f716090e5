//! From the facts of files to nodes, objects and uses.

use super::object::{Object, Prop, Reader, Use};
use super::{CallState, Imported, ItemState, MADE_NODES, NodeState, Solver, Unit};
use crate::values::{Arg, ArgKind, ContainerKind, Key, Op, Values};
use std::rc::Rc;

/// Modules of which everything is imported are followed this far.
const STAR_HOPS: usize = 4;

impl Solver<'_> {
    pub(super) fn load(&mut self, files: &[(u32, Rc<Values>)]) {
        let mut sites = 1;
        for (file, values) in files {
            let names: Vec<u32> = values.names.iter().map(|name| self.name(name)).collect();
            let unit = self.units.len() as u32;
            self.unit_of.insert(*file, unit);
            self.units.push(Unit {
                file: *file,
                values: values.clone(),
                is_script: self.project.is_script(*file),
                nodes: self.nodes.len() as u32,
                sites,
                names,
                stars: Vec::new(),
                whole: 0,
            });
            sites += values.sites.len() as u32;
            self.nodes.extend((0..values.nodes).map(|_| NodeState::default()));
        }
        for unit in self.units.iter_mut().filter(|unit| unit.is_script) {
            self.nodes.push(NodeState::default());
            unit.whole = self.nodes.len() as u32 - 1;
        }
        self.written_nodes = self.nodes.len() as u32;
        for unit in 0..self.units.len() as u32 {
            self.exports(unit);
        }
        for unit in 0..self.units.len() as u32 {
            let Some(values) = self.units.get(unit as usize).map(|unit| unit.values.clone()) else {
                continue;
            };
            for op in &values.ops {
                self.op(unit, op);
            }
        }
    }

    /// What is known of a file's classes and exports before anything moves.
    fn exports(&mut self, unit: u32) {
        let Some(values) = self.units.get(unit as usize).map(|unit| unit.values.clone()) else { return };
        let is_script = self.is_script(unit);
        let module = self.object(Object::Module(unit));
        for (name, node) in &values.exports {
            let (name, node) = (self.unit_name(unit, *name), self.unit_node(unit, *node));
            self.export(module, name, node);
        }
        for (number, class) in values.classes.iter().enumerate() {
            let object = self.object(Object::Class(unit, number as u32));
            let holder = if is_script { self.object(Object::Prototype(object)) } else { object };
            for (list, holder) in [(&class.members, holder), (&class.statics, object)] {
                for (name, node) in list {
                    let (name, node) = (self.unit_name(unit, *name), self.unit_node(unit, *node));
                    self.export(holder, name, node);
                }
            }
            for base in &class.bases {
                let base = self.unit_node(unit, *base);
                self.use_of(base, Use::Base);
            }
        }
        let modules: Vec<u32> = values
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::ImportAll { module } => Some(self.unit_name(unit, *module)),
                _ => None,
            })
            .collect();
        if let Some(unit) = self.units.get_mut(unit as usize) {
            unit.stars = modules;
        }
    }

    /// A name that an object has from the start; a second one joins the first.
    fn export(&mut self, object: u32, name: u32, node: u32) {
        match self.props.get(&(object, Prop::Attr(name))).copied() {
            Some(known) => self.flow(node, known),
            None => self.add_prop(object, Prop::Attr(name), node),
        }
    }

    pub(super) fn is_script(&self, unit: u32) -> bool {
        self.units.get(unit as usize).is_some_and(|unit| unit.is_script)
    }

    fn unit_name(&self, unit: u32, name: u32) -> u32 {
        let unit = self.units.get(unit as usize);
        unit.and_then(|unit| unit.names.get(name as usize)).copied().unwrap_or(0)
    }

    fn unit_node(&self, unit: u32, node: u32) -> u32 {
        if node == 0 { 0 } else { self.units.get(unit as usize).map_or(0, |unit| unit.nodes + node) }
    }

    fn unit_site(&self, unit: u32, site: u32) -> u32 {
        self.units.get(unit as usize).map_or(0, |unit| unit.sites + site)
    }

    /// The file that a site is in.
    pub(super) fn unit_of_site(&self, site: u32) -> u32 {
        (self.units.partition_point(|unit| unit.sites <= site) as u32).saturating_sub(1)
    }

    /// What a key means, without those that depend on a node.
    fn prop_of(&self, unit: u32, key: Key) -> Prop {
        match key {
            Key::Index(at) => Prop::Index(at),
            Key::Name(name) => {
                let name = self.unit_name(unit, name);
                if self.is_script(unit) { Prop::Attr(name) } else { Prop::Item(name) }
            }
            Key::Any | Key::Node(_) => Prop::Any,
        }
    }

    pub(super) fn item_by_node(&mut self, item: ItemState) {
        let number = self.items.len() as u32;
        self.items.push(item);
        self.use_of(item.of, Use::ItemOf(number));
        self.use_of(item.key, Use::ItemKey(number));
    }

    pub(super) fn new_call(&mut self, callee: u32, call: CallState) {
        let number = self.calls.len() as u32;
        if self.calls.len() < self.written.len() + MADE_NODES {
            self.calls.push(call);
            self.use_of(callee, Use::Call(number));
        }
    }

    fn op(&mut self, unit: u32, op: &Op) {
        let node = |number: u32| self.unit_node(unit, number);
        match op {
            Op::Copy { from, to } => self.flow(node(*from), node(*to)),
            Op::Function { function, to } => {
                let to = node(*to);
                let object = self.object(Object::Function(unit, *function));
                self.add(to, object);
            }
            Op::Class { class, to } => {
                let to = node(*to);
                let object = self.object(Object::Class(unit, *class));
                self.add(to, object);
            }
            Op::Import { module, name, to } => {
                let (module, name, to) =
                    (self.unit_name(unit, *module), self.unit_name(unit, *name), node(*to));
                self.import(unit, module, name, to);
            }
            Op::ImportAll { .. } => {}
            Op::ExportAll { module } => {
                let module = self.unit_name(unit, *module);
                let here = self.object(Object::Module(unit));
                if let Some(other) = self.unit_of_module(unit, module) {
                    let other = self.object(Object::Module(other));
                    self.read_all(other, Reader::Copy(here));
                }
            }
            Op::Text { name, to } => {
                let to = node(*to);
                let object = Object::Text(self.unit_name(unit, *name));
                let object = self.object(object);
                self.add(to, object);
            }
            Op::Number { value, to } => {
                let to = node(*to);
                let object = self.object(Object::Number(*value));
                self.add(to, object);
            }
            Op::Plain { to } => {
                let to = node(*to);
                let object = self.object(Object::Plain);
                self.add(to, object);
            }
            Op::Unresolved { name, to } => {
                let (name, to) = (self.unit_name(unit, *name), node(*to));
                if !self.through_star(unit, name, to, STAR_HOPS) {
                    let found = match self.name_text(name) {
                        text if !self.is_script(unit) && is_undefined_class(text) => Object::Missing,
                        _ => Object::External(name),
                    };
                    let object = self.object(found);
                    self.add(to, object);
                }
            }
            Op::Items { kind, items, spread, to } => {
                let to = node(*to);
                let length = spread.is_empty().then_some(items.len() as u32);
                let object = self.container(*kind, length);
                for (key, from) in items {
                    let from = self.unit_node(unit, *from);
                    if let Key::Node(key) = key {
                        let key = self.unit_node(unit, *key);
                        let of = self.node_with(object);
                        self.item_by_node(ItemState { of, key, other: from, writes: true });
                        continue;
                    }
                    let prop = self.prop_of(unit, *key);
                    let into = self.prop(object, prop);
                    self.flow(from, into);
                }
                for from in spread {
                    let from = self.unit_node(unit, *from);
                    self.use_of(from, Use::Spread { into: object });
                }
                self.add(to, object);
            }
            _ => self.access(unit, op),
        }
    }

    /// What reads or writes something of an object.
    fn access(&mut self, unit: u32, op: &Op) {
        let node = |number: u32| self.unit_node(unit, number);
        match op {
            Op::Get { of, name, site, to } => {
                let (of, to) = (node(*of), node(*to));
                let (name, site) = (self.unit_name(unit, *name), self.unit_site(unit, *site));
                self.gets.insert(to, of);
                self.use_of(of, Use::Get { name, to, site });
            }
            Op::Set { of, name, from } => {
                let (of, from, name) = (node(*of), node(*from), self.unit_name(unit, *name));
                self.use_of(of, Use::Set { name, from });
            }
            Op::Item { of, key: Key::Node(key), to } => {
                let item = ItemState { of: node(*of), key: node(*key), other: node(*to), writes: false };
                self.item_by_node(item);
            }
            Op::Item { of, key, to } => {
                let (of, to, prop) = (node(*of), node(*to), self.prop_of(unit, *key));
                self.use_of(of, Use::Item { prop, to });
            }
            Op::SetItem { of, key: Key::Node(key), from } => {
                let item = ItemState { of: node(*of), key: node(*key), other: node(*from), writes: true };
                self.item_by_node(item);
            }
            Op::SetItem { of, key, from } => {
                let (of, from, prop) = (node(*of), node(*from), self.prop_of(unit, *key));
                self.use_of(of, Use::SetItem { prop, from });
            }
            Op::Slice { of, start, to } => {
                let (of, to) = (node(*of), node(*to));
                let into = self.container(ContainerKind::List, None);
                self.add(to, into);
                self.use_of(of, Use::Slice { start: *start, into });
            }
            Op::Iterate { of, site, to } => {
                let (of, to, site) = (node(*of), node(*to), self.unit_site(unit, *site));
                self.use_of(of, Use::Iterate { to, site });
            }
            Op::Call { callee, args, site, form, to } => {
                let (callee, result, site) = (node(*callee), node(*to), self.unit_site(unit, *site));
                let args =
                    args.iter().map(|arg| Arg { kind: self.arg_kind(unit, arg), node: node(arg.node) });
                let args = args.collect();
                self.written.push((site, callee));
                self.new_call(callee, CallState { args, result, site, form: *form });
            }
            Op::Super { class, this, to } => {
                let (this, to) = (node(*this), node(*to));
                let class = self.object(Object::Class(unit, *class));
                self.use_of(this, Use::Super { class, to });
            }
            Op::Await { of, to } => {
                let (of, to) = (node(*of), node(*to));
                self.use_of(of, Use::Await(to));
            }
            Op::Typed { of, declared, to } => {
                let (of, to) = (node(*of), node(*to));
                if *declared {
                    self.declared.push((of, to));
                } else {
                    self.use_of(of, Use::Typed { to, declared: false });
                }
            }
            Op::Exports { to } => {
                let to = node(*to);
                let object = self.object(Object::Module(unit));
                self.add(to, object);
            }
            Op::ExportWhole { from } => {
                let from = node(*from);
                let whole = self.units.get(unit as usize).map_or(0, |unit| unit.whole);
                self.flow(from, whole);
            }
            _ => {}
        }
    }

    fn arg_kind(&self, unit: u32, arg: &Arg) -> ArgKind {
        match arg.kind {
            ArgKind::Named(name) => ArgKind::Named(self.unit_name(unit, name)),
            kind => kind,
        }
    }

    // Imports.

    /// The file of the analysis that a module means.
    fn unit_of_module(&self, unit: u32, module: u32) -> Option<u32> {
        let from = self.units.get(unit as usize)?.file;
        match self.project.module(from, self.name_text(module)) {
            Imported::File(file) => self.unit_of.get(&file).copied(),
            Imported::External => None,
        }
    }

    /// The module of the project that a name means, as an object.
    pub(super) fn module_object(&mut self, unit: u32, module: &str) -> Option<u32> {
        let from = self.units.get(unit as usize)?.file;
        match self.project.module(from, module) {
            Imported::File(file) => Some(match self.unit_of.get(&file).copied() {
                Some(unit) => self.object(Object::Module(unit)),
                None => self.object(Object::Missing),
            }),
            Imported::External => None,
        }
    }

    fn import(&mut self, unit: u32, module: u32, name: u32, to: u32) {
        let text = self.name_text(module).to_owned();
        let Some(object) = self.module_object(unit, &text) else {
            let path = self.joined(unit, &text, name);
            let found = if name == 0 { None } else { self.module_object(unit, &path) };
            let object = found.unwrap_or_else(|| {
                let path = self.name(&path);
                self.object(Object::External(path))
            });
            self.add(to, object);
            return;
        };
        let Object::Module(other) = self.object_of(object) else {
            self.add(to, object);
            return;
        };
        if self.is_script(other) {
            let whole = self.units.get(other as usize).map_or(0, |unit| unit.whole);
            if name == 0 {
                self.add(to, object);
                self.flow(whole, to);
                return;
            }
            let from = self.prop(object, Prop::Attr(name));
            self.flow(from, to);
            if self.name_text(name) == "default" {
                self.flow(whole, to);
            } else {
                self.use_of(whole, Use::Get { name, to, site: 0 });
            }
        } else if name == 0 {
            self.add(to, object);
        } else {
            self.of_module(other, name, to);
        }
    }

    fn joined(&self, unit: u32, module: &str, name: u32) -> String {
        let name = self.name_text(name);
        let dot = if self.is_script(unit) || module.ends_with('.') || name.is_empty() { "" } else { "." };
        if self.is_script(unit) && !name.is_empty() && name != "default" {
            return format!("{module}.{name}");
        }
        let name = if self.is_script(unit) { "" } else { name };
        format!("{module}{dot}{name}")
    }

    /// A name of a module of Python: what it defines, what it imports all of, a module inside it.
    pub(super) fn of_module(&mut self, unit: u32, name: u32, to: u32) {
        let module = self.object(Object::Module(unit));
        let defined = self.props.get(&(module, Prop::Attr(name))).copied();
        if let Some(from) = defined {
            self.flow(from, to);
            return;
        }
        if self.through_star(unit, name, to, STAR_HOPS) {
            return;
        }
        let inside = format!(".{}", self.name_text(name));
        let object = self.module_object(unit, &inside);
        let object = object.unwrap_or_else(|| self.object(Object::External(0)));
        self.add(to, object);
    }

    /// A name that comes from a module of which everything is imported.
    fn through_star(&mut self, unit: u32, name: u32, to: u32, hops: usize) -> bool {
        let stars = self.units.get(unit as usize).map(|unit| unit.stars.clone()).unwrap_or_default();
        for module in stars {
            let Some(other) = self.unit_of_module(unit, module).filter(|_| hops > 0) else { continue };
            let object = self.object(Object::Module(other));
            if let Some(from) = self.props.get(&(object, Prop::Attr(name))).copied() {
                self.flow(from, to);
                return true;
            }
            if self.through_star(other, name, to, hops - 1) {
                return true;
            }
        }
        false
    }
}

/// A name that looks like a class of Python and is none of the language's own: it comes from somewhere that is not seen.
fn is_undefined_class(name: &str) -> bool {
    let own =
        ["Error", "Exception", "Warning", "Exit", "Iteration", "Interrupt", "Ellipsis", "NotImplemented"];
    name.starts_with(char::is_uppercase) && !own.iter().any(|end| name.ends_with(end))
}
