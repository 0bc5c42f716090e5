//! What is read from and written to objects: attributes, items, members of classes in the order of inheritance.

use super::object::{Object, Prop, Reader, Use};
use super::{CallState, ItemState, Lookup, Solver};
use crate::values::{Arg, ArgKind, CallForm, ContainerKind, FunctionKind};
use std::rc::Rc;

/// How many classes one inherits from at most.
const ANCESTORS: usize = 64;

/// The classes in which a member is searched.
pub(super) struct Order {
    classes: Vec<u32>,
    /// Something that is not in the analysis is among them: what it is.
    open: Option<u32>,
}

impl Solver<'_> {
    pub(super) fn apply(&mut self, what: Use, object: u32) {
        match what {
            Use::Copy(to) => self.add(to, object),
            Use::Await(to) => match self.object_of(object) {
                Object::Promise(node) => self.flow(node, to),
                _ => self.add(to, object),
            },
            Use::Bind { to, this, site } => self.bind(object, this, to, site),
            Use::This { function, to } => {
                let bound = self.object(Object::Bound(function, object));
                self.add(to, bound);
            }
            Use::Get { name, to, site } => self.get(object, name, to, site),
            Use::Set { name, from } => self.set(object, name, from),
            Use::Item { prop, to } => self.item(object, prop, to),
            Use::SetItem { prop, from } => self.set_item(object, prop, from),
            Use::ItemOf(number) => {
                let Some(item) = self.items.get(number as usize).copied() else { return };
                for key in self.objects_in(item.key).to_vec() {
                    self.item_by_key(item, object, key);
                }
            }
            Use::ItemKey(number) => {
                let Some(item) = self.items.get(number as usize).copied() else { return };
                for of in self.objects_in(item.of).to_vec() {
                    self.item_by_key(item, of, object);
                }
            }
            Use::Slice { start, into } => self.slice(object, start, into),
            Use::Spread { into } => self.spread(object, into),
            Use::CopyFrom { from } => self.read_all(from, Reader::Copy(object)),
            Use::Iterate { to, site } => self.iterate(object, to, site),
            Use::Call(number) => self.call(number, object),
            Use::Super { class, to } => {
                if matches!(self.object_of(object), Object::Instance(_) | Object::Class(..)) {
                    let found = self.object(Object::Super(class, object));
                    self.add(to, found);
                }
            }
            Use::Typed { to, declared } => match self.object_of(object) {
                Object::Class(..) => {
                    let found = self.object(Object::Instance(object));
                    self.add(to, found);
                }
                Object::External(_) if !declared => {
                    let found = self.object(Object::External(0));
                    self.add(to, found);
                }
                Object::Missing => self.add(to, object),
                _ => {}
            },
            Use::Base => {
                if matches!(
                    self.object_of(object),
                    Object::Class(..)
                        | Object::Function(..)
                        | Object::Container { .. }
                        | Object::Prototype(_)
                        | Object::External(_)
                        | Object::Missing
                ) {
                    self.bases_changed = true;
                }
            }
            Use::GetNamed { of, to, site } => {
                if let Object::Text(name) = self.object_of(object) {
                    self.use_of(of, Use::Get { name, to, site });
                }
            }
        }
    }

    /// The unit of a class or function.
    fn unit_of_object(&self, object: u32) -> Option<u32> {
        match self.object_of(object) {
            Object::Class(unit, _) | Object::Function(unit, _) | Object::Module(unit) => Some(unit),
            Object::Instance(of) | Object::Prototype(of) | Object::Bound(of, _) => self.unit_of_object(of),
            _ => None,
        }
    }

    fn is_of_script(&self, object: u32) -> bool {
        match self.object_of(object) {
            Object::Container { kind, .. } => kind == ContainerKind::Object,
            _ => self.unit_of_object(object).is_some_and(|unit| self.is_script(unit)),
        }
    }

    /// The class of an object.
    fn class_of(&self, object: u32) -> u32 {
        match self.object_of(object) {
            Object::Instance(class) => class,
            _ => object,
        }
    }

    /// A member that was read from an object becomes a method of it.
    fn bind(&mut self, member: u32, this: u32, to: u32, site: u32) {
        let Object::Function(unit, function) = self.object_of(member) else {
            self.add(to, member);
            return;
        };
        let kind =
            self.units.get(unit as usize).and_then(|unit| unit.values.functions.get(function as usize));
        let of_class = matches!(self.object_of(this), Object::Class(..));
        let bound = match kind.map(|function| function.kind) {
            Some(FunctionKind::OfClass) => {
                let class = self.class_of(this);
                Object::Bound(member, class)
            }
            Some(FunctionKind::Getter) if !of_class => {
                let callee = self.object(Object::Bound(member, this));
                let callee = self.node_with(callee);
                self.new_call(
                    callee,
                    CallState { args: Vec::new(), result: to, site, form: CallForm::Plain },
                );
                return;
            }
            Some(FunctionKind::Plain) if !of_class || self.is_script(unit) => Object::Bound(member, this),
            _ => {
                self.add(to, member);
                return;
            }
        };
        let bound = self.object(bound);
        self.add(to, bound);
    }

    fn get(&mut self, object: u32, name: u32, to: u32, site: u32) {
        let of = self.object_of(object);
        match of {
            Object::Instance(class) => {
                let own = self.prop(object, Prop::Attr(name));
                if self.is_of_script(object) {
                    self.flow_bound(own, to, object, site);
                } else {
                    self.flow(own, to);
                }
                self.look_up_later(Lookup { class, after: 0, name, to, site, this: object });
            }
            Object::Class(..) | Object::Function(..) => self.get_of_class(object, name, to, site),
            Object::Super(class, this) => {
                let of = self.class_of(this);
                self.look_up_later(Lookup { class: of, after: class, name, to, site, this });
            }
            Object::Prototype(_) => {
                let own = self.prop(object, Prop::Attr(name));
                self.flow(own, to);
            }
            Object::Module(unit) if !self.is_script(unit) => self.of_module(unit, name, to),
            Object::Module(unit) => {
                let own = self.prop(object, Prop::Attr(name));
                self.flow(own, to);
                let whole = self.units.get(unit as usize).map_or(0, |unit| unit.whole);
                if site != 0 && !self.objects_in(whole).contains(&object) {
                    self.use_of(whole, Use::Get { name, to, site });
                }
            }
            Object::Container { .. } => {
                let known = self.props.contains_key(&(object, Prop::Attr(name)));
                if !known && super::native_method::is_native(self.name_text(name)) {
                    let native = self.object(Object::Native(object, name));
                    self.add(to, native);
                } else {
                    let own = self.prop(object, Prop::Attr(name));
                    if self.prototypes.contains_key(&object) {
                        // Its own comes first, whenever that is written.
                        self.look_up_later(Lookup { class: object, after: 0, name, to, site, this: object });
                    } else {
                        self.flow_bound(own, to, object, site);
                    }
                }
            }
            Object::Sequence(_) | Object::Promise(_) | Object::Bound(..) | Object::Partial(_) => {
                let native = self.object(Object::Native(object, name));
                self.add(to, native);
            }
            Object::External(path) => {
                let found = self.external(path, name, site);
                self.add(to, found);
            }
            Object::Missing => self.add(to, object),
            Object::Text(_) | Object::Number(_) | Object::Plain | Object::Native(..) => {
                let found = self.object(Object::External(0));
                self.add(to, found);
            }
        }
    }

    fn get_of_class(&mut self, object: u32, name: u32, to: u32, site: u32) {
        if self.is_of_script(object) {
            match self.name_text(name) {
                "prototype" => {
                    let found = self.object(Object::Prototype(object));
                    self.add(to, found);
                }
                "call" | "apply" | "bind" => {
                    let found = self.object(Object::Native(object, name));
                    self.add(to, found);
                }
                _ => {}
            }
        }
        let own = self.prop(object, Prop::Attr(name));
        self.flow_bound(own, to, object, site);
        if matches!(self.object_of(object), Object::Class(..)) {
            self.look_up_later(Lookup { class: object, after: 0, name, to, site, this: object });
        }
    }

    /// Something of something that is not of the project: `functools.partial`.
    fn external(&mut self, path: u32, name: u32, site: u32) -> u32 {
        let (head, name) = (self.name_text(path), self.name_text(name));
        let whole = match head {
            "" => format!("?.{name}"),
            head if head.split('.').count() < 4 => format!("{head}.{name}"),
            _ => String::new(),
        };
        // A folder of Python needs no file of its own to be a module.
        let unit = self.unit_of_site(site);
        if !head.is_empty()
            && site != 0
            && !self.is_script(unit)
            && let Some(module) = self.module_object(unit, &whole)
        {
            return module;
        }
        let path = if super::native::is_native(&whole) { self.name(&whole) } else { 0 };
        if path == 0 && !whole.is_empty() && !whole.starts_with('?') {
            let path = self.name(&whole);
            return self.object(Object::External(path));
        }
        self.object(Object::External(path))
    }

    fn set(&mut self, object: u32, name: u32, from: u32) {
        match self.object_of(object) {
            Object::Instance(_)
            | Object::Class(..)
            | Object::Function(..)
            | Object::Prototype(_)
            | Object::Module(_)
            | Object::Container { .. } => {
                let own = self.prop(object, Prop::Attr(name));
                self.flow(from, own);
                self.call_setter(object, name, from);
            }
            _ => {}
        }
    }

    /// A value that is written may be given to a function: `set name(value)`.
    fn call_setter(&mut self, object: u32, name: u32, from: u32) {
        let Object::Instance(class) = self.object_of(object) else { return };
        let setter = format!("set {}", self.name_text(name));
        let Some(name) = self.name_ids.get(&setter).copied() else { return };
        let to = self.node();
        let lookup = Lookup { class, after: 0, name, to, site: 0, this: object };
        self.look_up_later(lookup);
        let args = vec![Arg { kind: ArgKind::Positional, node: from }];
        self.new_call(to, CallState { args, result: 0, site: 0, form: CallForm::Plain });
    }

    // Items.

    fn item(&mut self, object: u32, prop: Prop, to: u32) {
        match self.object_of(object) {
            Object::Container { length, .. } => match prop {
                Prop::Any => self.read_all(object, Reader::Everything(to)),
                Prop::Index(at) if at < 0 => {
                    let from_end = length.map(|length| length as i32 + at).filter(|at| *at >= 0);
                    match from_end {
                        Some(at) => self.item(object, Prop::Index(at), to),
                        None => self.read_all(object, Reader::Items(to)),
                    }
                }
                prop => {
                    let own = self.prop(object, prop);
                    if matches!(prop, Prop::Attr(_)) {
                        self.flow_bound(own, to, object, 0);
                    } else {
                        self.flow(own, to);
                    }
                    let any = self.prop(object, Prop::Any);
                    self.flow(any, to);
                }
            },
            Object::Sequence(node) => self.flow(node, to),
            Object::Instance(_) | Object::Class(..) | Object::Module(_) | Object::Prototype(_) => {
                match prop {
                    Prop::Attr(name) => self.get(object, name, to, 0),
                    _ => self.iterate(object, to, 0),
                }
            }
            Object::External(_) => {
                let found = self.object(Object::External(0));
                self.add(to, found);
            }
            Object::Missing => self.add(to, object),
            _ => {}
        }
    }

    fn set_item(&mut self, object: u32, prop: Prop, from: u32) {
        if matches!(
            self.object_of(object),
            Object::Container { .. } | Object::Instance(_) | Object::Module(_)
        ) {
            let own = self.prop(object, prop);
            self.flow(from, own);
        }
    }

    fn item_by_key(&mut self, item: ItemState, of: u32, key: u32) {
        let by_attribute = self.is_of_script(of);
        let prop = match self.object_of(key) {
            Object::Text(name) if by_attribute => Prop::Attr(name),
            Object::Text(name) => Prop::Item(name),
            Object::Number(at) => Prop::Index(at),
            _ => Prop::Any,
        };
        if item.writes {
            self.set_item(of, prop, item.other);
        } else {
            self.item(of, prop, item.other);
        }
    }

    fn slice(&mut self, object: u32, start: Option<u32>, into: u32) {
        match (self.object_of(object), start) {
            (Object::Container { .. }, Some(start)) => {
                self.read_all(object, Reader::Shift(into, start as i32));
            }
            (Object::Container { .. } | Object::Sequence(_), _) => {
                let (from, to) = (self.elements(object), self.prop(into, Prop::Any));
                self.flow(from, to);
            }
            _ => {}
        }
    }

    pub(super) fn spread(&mut self, object: u32, into: u32) {
        match (self.object_of(object), self.object_of(into)) {
            // A list in a list: which item is where is not known any more.
            (
                Object::Container { kind: ContainerKind::List, .. } | Object::Sequence(_),
                Object::Container { kind: ContainerKind::List, .. },
            ) => {
                let (from, to) = (self.elements(object), self.prop(into, Prop::Any));
                self.flow(from, to);
            }
            (
                Object::Container { .. } | Object::Module(_) | Object::Instance(_) | Object::Prototype(_),
                _,
            ) => self.read_all(object, Reader::Copy(into)),
            _ => {}
        }
    }

    pub(super) fn iterate(&mut self, object: u32, to: u32, site: u32) {
        match self.object_of(object) {
            Object::Container { kind: ContainerKind::Dict, .. } => {
                let plain = self.object(Object::Plain);
                self.add(to, plain);
            }
            Object::Container { .. } | Object::Sequence(_) => {
                let from = self.elements(object);
                self.flow(from, to);
            }
            Object::Instance(_) => self.iterate_object(object, to, site),
            Object::External(_) => {
                let found = self.object(Object::External(0));
                self.add(to, found);
            }
            Object::Missing => self.add(to, object),
            _ => {}
        }
    }

    /// An object with its own iteration: `__iter__` gives the iterator, whose `__next__` gives the values.
    fn iterate_object(&mut self, object: u32, to: u32, site: u32) {
        let values = match self.elements.get(&object) {
            Some(values) => *values,
            None => self.node(),
        };
        self.elements.insert(object, values);
        self.flow(values, to);
        if !self.iterated.insert((site, object)) {
            return;
        }
        let is_script = self.is_of_script(object);
        let names = if is_script { ["[Symbol.iterator]", "next"] } else { ["__iter__", "__next__"] };
        let [iter, next] = names.map(|name| self.name(name));
        let (method, iterator) = (self.node(), self.node());
        let call = |result| CallState { args: Vec::new(), result, site, form: CallForm::Plain };
        self.get(object, iter, method, site);
        self.new_call(method, call(iterator));
        // A generator, or an object that is its own iterator.
        self.use_of(iterator, Use::Item { prop: Prop::Any, to: values });
        if !is_script {
            let next_method = self.node();
            self.use_of(iterator, Use::Get { name: next, to: next_method, site });
            self.new_call(next_method, call(values));
        }
    }

    // Classes.

    pub(super) fn look_up_later(&mut self, lookup: Lookup) {
        if self.known_lookups.insert(lookup) {
            self.lookups.push(lookup);
        }
    }

    pub(super) fn look_up(&mut self, lookup: Lookup) {
        let order = self.order(lookup.class);
        let skip = match lookup.after {
            0 => 0,
            after => order.classes.iter().position(|class| *class == after).map_or(0, |at| at + 1),
        };
        for class in order.classes.iter().skip(skip) {
            if let Some(member) = self.member(*class, lookup) {
                self.flow_bound(member, lookup.to, lookup.this, lookup.site);
                return;
            }
        }
        if let Some(open) = order.open {
            self.add(lookup.to, open);
        }
    }

    /// A member that a class itself has.
    fn member(&mut self, class: u32, lookup: Lookup) -> Option<u32> {
        let is_script = self.is_of_script(class);
        if is_script
            && matches!(self.object_of(class), Object::Function(..))
            && self.name_text(lookup.name) == "constructor"
        {
            return Some(self.node_with(class));
        }
        // Of the class itself, in JavaScript, only what is static.
        let of_class = lookup.class == lookup.this;
        let holder = if is_script && !of_class { self.object(Object::Prototype(class)) } else { class };
        let mut holders = vec![holder];
        if is_script && !of_class {
            let prototype = self.name("prototype");
            if let Some(node) = self.props.get(&(class, Prop::Attr(prototype))).copied() {
                for object in self.objects_in(node).to_vec() {
                    holders.extend_from_slice(&self.order(object).classes);
                }
            }
        }
        holders.into_iter().find_map(|holder| {
            let node = self.props.get(&(holder, Prop::Attr(lookup.name))).copied()?;
            (node < self.written_nodes || !self.objects_in(node).is_empty()).then_some(node)
        })
    }

    /// The classes that a class is made of, in the order in which they are searched.
    fn order(&mut self, class: u32) -> Rc<Order> {
        if let Some(known) = self.orders.get(&class) {
            return known.clone();
        }
        let mut open = None;
        let classes = self.linear(class, 0, &mut open);
        let order = Rc::new(Order { classes, open });
        self.orders.insert(class, order.clone());
        order
    }

    fn bases(&self, class: u32, open: &mut Option<u32>) -> Vec<u32> {
        if let Some(node) = self.prototypes.get(&class) {
            let is_base = |object: &u32| {
                matches!(self.object_of(*object), Object::Container { .. } | Object::Prototype(_))
            };
            return self.objects_in(*node).iter().copied().filter(is_base).collect();
        }
        let Object::Class(unit, number) = self.object_of(class) else { return Vec::new() };
        let Some(unit) = self.units.get(unit as usize) else { return Vec::new() };
        let mut found = Vec::new();
        for base in unit.values.classes.get(number as usize).into_iter().flat_map(|class| &class.bases) {
            for object in self.objects_in(if *base == 0 { 0 } else { unit.nodes + base }) {
                match self.object_of(*object) {
                    Object::Class(..) | Object::Function(..) => found.push(*object),
                    Object::Missing => *open = Some(*object),
                    Object::External(path) if self.name_text(path) != "object" && open.is_none() => {
                        *open = Some(*object);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The C3 order; where there is none, depth first.
    fn linear(&self, class: u32, depth: usize, open: &mut Option<u32>) -> Vec<u32> {
        let bases = self.bases(class, open);
        if depth > ANCESTORS {
            return vec![class];
        }
        let mut lists: Vec<Vec<u32>> = bases.iter().map(|base| self.linear(*base, depth + 1, open)).collect();
        lists.push(bases);
        let mut order = vec![class];
        while order.len() < ANCESTORS && lists.iter().any(|list| !list.is_empty()) {
            let heads = lists.iter().filter_map(|list| list.first().copied());
            let good = heads
                .clone()
                .find(|head| lists.iter().all(|list| !list.iter().skip(1).any(|later| later == head)));
            let Some(next) = good.or_else(|| heads.clone().next()) else { break };
            for list in &mut lists {
                list.retain(|other| *other != next);
            }
            if !order.contains(&next) {
                order.push(next);
            }
        }
        order
    }
}
