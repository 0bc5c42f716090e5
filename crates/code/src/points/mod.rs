//! What the values of a program may be, and so what its calls call: a flow-insensitive points-to analysis over the facts of
//! some files. Sets of objects move along the assignments until nothing changes; attributes, containers and classes
//! are told apart. Bounded in steps, never in time: what is not reached is not told.

mod call;
mod load;
mod member;
mod native;
mod native_method;
mod object;

use crate::index::SymbolId;
use crate::values::{Arg, CallForm, ContainerKind, FunctionKind, Values};
use object::{Object, Prop, Reader, Use};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// Steps of one analysis.
const STEPS: usize = 1_000_000;
/// Objects that one node holds.
const OBJECTS_PER_NODE: usize = 16;
/// Nodes, and calls, that are made while solving.
const MADE_NODES: usize = 200_000;

/// What a module's name means to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Imported {
    /// A file of the project.
    File(u32),
    /// Nothing of the project.
    External,
}

/// Where the analysis learns what it does not have.
pub(crate) trait Project {
    /// The file that a module, written in a file, means.
    fn module(&self, from: u32, module: &str) -> Imported;
    /// A file is a script, not a Python module.
    fn is_script(&self, file: u32) -> bool;
}

/// A call as it was resolved.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedSite {
    /// The line, from 1.
    pub line: u32,
    /// The symbol that it is in.
    pub caller: Option<u32>,
    /// The name that is called; empty when nothing is written that could be looked up.
    pub name: String,
    /// What is called.
    pub targets: Vec<SymbolId>,
    /// What is called is known, even if it is nothing of the project.
    pub known: bool,
}

/// What came of an analysis: the calls of each file.
#[derive(Default)]
pub(crate) struct Solution {
    pub files: HashMap<u32, Vec<ResolvedSite>>,
}

/// A file of the analysis.
struct Unit {
    file: u32,
    values: Rc<Values>,
    is_script: bool,
    /// The number of its first node.
    nodes: u32,
    /// The number of its first site.
    sites: u32,
    /// Its names, as the analysis numbers them.
    names: Vec<u32>,
    /// Modules of which everything is known here.
    stars: Vec<u32>,
    /// What a script exports as a whole.
    whole: u32,
}

#[derive(Default)]
struct NodeState {
    /// In order.
    objects: Vec<u32>,
    uses: Vec<Use>,
}

/// A call that is waiting for what it calls.
#[derive(Clone)]
struct CallState {
    args: Vec<Arg>,
    result: u32,
    site: u32,
    form: CallForm,
}

/// Reads or writes an item by the value of a node.
#[derive(Clone, Copy)]
struct ItemState {
    of: u32,
    key: u32,
    /// Where it goes, or comes from.
    other: u32,
    writes: bool,
}

/// A member that is looked up in a class and in what it inherits from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Lookup {
    /// The class that is searched.
    class: u32,
    /// Only what comes after this class; 0 for all.
    after: u32,
    name: u32,
    to: u32,
    site: u32,
    /// The object that it is read from.
    this: u32,
}

enum Work {
    Object(u32, u32),
    Use(Use, u32),
}

struct Solver<'p> {
    project: &'p dyn Project,
    units: Vec<Unit>,
    unit_of: HashMap<u32, u32>,
    nodes: Vec<NodeState>,
    /// Nodes of the files; those above were made here.
    written_nodes: u32,
    objects: Vec<Object>,
    object_ids: HashMap<Object, u32>,
    names: Vec<String>,
    name_ids: HashMap<String, u32>,
    props: HashMap<(u32, Prop), u32>,
    /// What an object has, and who reads all of it.
    keys: HashMap<u32, Vec<(Prop, u32)>>,
    readers: HashMap<u32, Vec<Reader>>,
    flows: HashSet<(u32, u32)>,
    /// Members, where they go and what they are read from.
    bound: HashSet<(u32, u32, u32)>,
    calls: Vec<CallState>,
    /// Calls and what they were made with.
    called: HashSet<(u32, u32)>,
    /// Sites and objects that are iterated there.
    iterated: HashSet<(u32, u32)>,
    items: Vec<ItemState>,
    lookups: Vec<Lookup>,
    known_lookups: HashSet<Lookup>,
    /// The first lookup that was not done yet.
    next_lookup: usize,
    orders: HashMap<u32, Rc<member::Order>>,
    bases_changed: bool,
    /// Calls of each file as they are written: site and what is called.
    written: Vec<(u32, u32)>,
    /// Attributes that are read: the node and the node of the object.
    gets: HashMap<u32, u32>,
    /// Nodes with a declared type: the type and the node.
    declared: Vec<(u32, u32)>,
    elements: HashMap<u32, u32>,
    /// The nodes of what objects were made after.
    prototypes: HashMap<u32, u32>,
    targets: HashMap<u32, Vec<u32>>,
    work: VecDeque<Work>,
    steps: usize,
    containers: u32,
}

/// Resolves the calls of these files.
pub(crate) fn solve(project: &dyn Project, files: &[(u32, Rc<Values>)]) -> Solution {
    let mut solver = Solver {
        project,
        units: Vec::new(),
        unit_of: HashMap::new(),
        nodes: vec![NodeState::default()],
        written_nodes: 0,
        objects: Vec::new(),
        object_ids: HashMap::new(),
        names: Vec::new(),
        name_ids: HashMap::new(),
        props: HashMap::new(),
        keys: HashMap::new(),
        readers: HashMap::new(),
        flows: HashSet::new(),
        bound: HashSet::new(),
        calls: Vec::new(),
        called: HashSet::new(),
        iterated: HashSet::new(),
        items: Vec::new(),
        lookups: Vec::new(),
        known_lookups: HashSet::new(),
        next_lookup: 0,
        orders: HashMap::new(),
        bases_changed: false,
        written: Vec::new(),
        gets: HashMap::new(),
        declared: Vec::new(),
        elements: HashMap::new(),
        prototypes: HashMap::new(),
        targets: HashMap::new(),
        work: VecDeque::new(),
        steps: 0,
        containers: 0,
    };
    // Number 0 is no object and no name.
    solver.objects.push(Object::Plain);
    solver.name("");
    solver.load(files);
    solver.run();
    for _ in 0..2 {
        if !solver.assume() {
            break;
        }
        solver.run();
    }
    solver.finish()
}

impl Solver<'_> {
    fn name(&mut self, text: &str) -> u32 {
        if let Some(number) = self.name_ids.get(text) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(text.to_owned());
        self.name_ids.insert(text.to_owned(), number);
        number
    }

    fn name_text(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    fn object(&mut self, object: Object) -> u32 {
        if let Some(number) = self.object_ids.get(&object) {
            return *number;
        }
        let number = self.objects.len() as u32;
        self.objects.push(object);
        self.object_ids.insert(object, number);
        number
    }

    fn object_of(&self, number: u32) -> Object {
        self.objects.get(number as usize).copied().unwrap_or(Object::Plain)
    }

    /// A new node.
    fn node(&mut self) -> u32 {
        if self.nodes.len() > self.written_nodes as usize + MADE_NODES {
            return 0;
        }
        self.nodes.push(NodeState::default());
        self.nodes.len() as u32 - 1
    }

    /// A new node that holds one object.
    fn node_with(&mut self, object: u32) -> u32 {
        let node = self.node();
        self.add(node, object);
        node
    }

    fn objects_in(&self, node: u32) -> &[u32] {
        self.nodes.get(node as usize).map_or(&[], |state| &state.objects)
    }

    fn add(&mut self, node: u32, object: u32) {
        let Some(state) = self.nodes.get_mut(node as usize).filter(|_| node != 0) else { return };
        if let Err(at) = state.objects.binary_search(&object)
            && state.objects.len() < OBJECTS_PER_NODE
        {
            state.objects.insert(at, object);
            self.work.push_back(Work::Object(node, object));
        }
    }

    fn use_of(&mut self, node: u32, what: Use) {
        let Some(state) = self.nodes.get_mut(node as usize).filter(|_| node != 0) else { return };
        state.uses.push(what);
        for object in &state.objects {
            self.work.push_back(Work::Use(what, *object));
        }
    }

    fn flow(&mut self, from: u32, to: u32) {
        if from != 0 && to != 0 && from != to && self.flows.insert((from, to)) {
            self.use_of(from, Use::Copy(to));
        }
    }

    /// What a node holds is read as a member of an object.
    fn flow_bound(&mut self, from: u32, to: u32, this: u32, site: u32) {
        if from != 0 && to != 0 && self.bound.insert((from, to, this)) {
            self.use_of(from, Use::Bind { to, this, site });
        }
    }

    /// The node of something that an object has.
    fn prop(&mut self, object: u32, prop: Prop) -> u32 {
        if let Some(node) = self.props.get(&(object, prop)) {
            return *node;
        }
        let node = self.node();
        self.add_prop(object, prop, node);
        node
    }

    fn add_prop(&mut self, object: u32, prop: Prop, node: u32) {
        self.props.insert((object, prop), node);
        self.keys.entry(object).or_default().push((prop, node));
        for reader in self.readers.get(&object).cloned().unwrap_or_default() {
            self.connect(prop, node, reader);
        }
    }

    /// Somebody reads all that an object has, and will have.
    fn read_all(&mut self, object: u32, reader: Reader) {
        let readers = self.readers.entry(object).or_default();
        if readers.contains(&reader) {
            return;
        }
        readers.push(reader);
        for (prop, node) in self.keys.get(&object).cloned().unwrap_or_default() {
            self.connect(prop, node, reader);
        }
    }

    fn connect(&mut self, prop: Prop, node: u32, reader: Reader) {
        match (reader, prop) {
            (Reader::Items(to), Prop::Index(_) | Prop::Item(_) | Prop::Any) | (Reader::Everything(to), _) => {
                self.flow(node, to);
            }
            (Reader::Items(_), Prop::Attr(_)) => {}
            (Reader::Copy(other), prop) => {
                let to = self.prop(other, prop);
                self.flow(node, to);
            }
            (Reader::Shift(other, by), Prop::Index(at)) => {
                if at >= by {
                    let to = self.prop(other, Prop::Index(at - by));
                    self.flow(node, to);
                }
            }
            (Reader::Shift(other, _), Prop::Any) => {
                let to = self.prop(other, Prop::Any);
                self.flow(node, to);
            }
            (Reader::Shift(..), _) => {}
        }
    }

    /// A new container.
    fn container(&mut self, kind: ContainerKind, length: Option<u32>) -> u32 {
        self.containers += 1;
        let number = self.containers;
        self.object(Object::Container { number, kind, length })
    }

    /// The node of everything that an iteration over an object comes to.
    fn elements(&mut self, object: u32) -> u32 {
        if let Some(node) = self.elements.get(&object) {
            return *node;
        }
        let node = match self.object_of(object) {
            Object::Sequence(node) | Object::Promise(node) => node,
            _ => {
                let node = self.node();
                self.read_all(object, Reader::Items(node));
                node
            }
        };
        self.elements.insert(object, node);
        node
    }

    fn run(&mut self) {
        loop {
            while let Some(work) = self.work.pop_front() {
                self.steps += 1;
                if self.steps > STEPS {
                    self.work.clear();
                    return;
                }
                match work {
                    Work::Use(what, object) => self.apply(what, object),
                    Work::Object(node, object) => {
                        let mut at = 0;
                        while let Some(what) =
                            self.nodes.get(node as usize).and_then(|state| state.uses.get(at)).copied()
                        {
                            self.apply(what, object);
                            at += 1;
                            self.steps += 1;
                        }
                    }
                }
            }
            // What a class inherits is looked up when its bases are known.
            if std::mem::take(&mut self.bases_changed) {
                self.orders.clear();
                self.next_lookup = 0;
            }
            if self.next_lookup >= self.lookups.len() {
                return;
            }
            while let Some(lookup) = self.lookups.get(self.next_lookup).copied() {
                self.next_lookup += 1;
                self.look_up(lookup);
            }
        }
    }

    /// Assumes what nothing in these files says: objects of their own class in methods that nobody calls, declared types,
    /// any key. True when that is anything new.
    fn assume(&mut self) -> bool {
        for unit in 0..self.units.len() as u32 {
            let Some((values, nodes)) =
                self.units.get(unit as usize).map(|unit| (unit.values.clone(), unit.nodes))
            else {
                continue;
            };
            for function in &values.functions {
                let Some(class) = function.class else { continue };
                let this = match (function.this, function.params.first()) {
                    (0, Some((_, first))) => *first,
                    (this, _) => this,
                };
                let class = self.object(Object::Class(unit, class));
                let node = if this == 0 { 0 } else { nodes + this };
                if !self.objects_in(node).is_empty() {
                    continue;
                }
                match function.kind {
                    FunctionKind::Plain | FunctionKind::Getter => {
                        let object = self.object(Object::Instance(class));
                        self.add(node, object);
                    }
                    FunctionKind::OfClass => self.add(node, class),
                    FunctionKind::Static => {}
                }
            }
        }
        for (of, to) in std::mem::take(&mut self.declared) {
            if self.objects_in(to).is_empty() {
                self.use_of(of, Use::Typed { to, declared: true });
            }
        }
        for number in 0..self.items.len() {
            let Some(item) = self.items.get(number).copied() else { continue };
            if self.objects_in(item.key).is_empty() {
                let plain = self.object(Object::Plain);
                self.add(item.key, plain);
            }
        }
        !self.work.is_empty()
    }

    fn finish(mut self) -> Solution {
        let mut solution = Solution::default();
        let mut known: HashMap<u32, bool> = HashMap::new();
        let missing = self.object(Object::Missing);
        for (site, callee) in &self.written {
            let objects = self.objects_in(*callee);
            let receiver = self.gets.get(callee).map(|of| self.objects_in(*of));
            let is_known = match (objects.is_empty(), receiver) {
                (false, _) => !objects.contains(&missing),
                // What a variable of this file holds cannot be guessed from its name.
                (true, None) => true,
                (true, Some(receiver)) => !receiver.is_empty() && !receiver.contains(&missing),
            };
            let all = known.entry(*site).or_insert(true);
            *all &= is_known;
        }
        for unit in &self.units {
            let mut sites = Vec::new();
            for (number, site) in unit.values.sites.iter().enumerate() {
                let number = unit.sites + number as u32;
                let found = self.targets.get(&number);
                let known = known.get(&number).copied();
                if found.is_none() && known.is_none() {
                    continue;
                }
                let mut targets: Vec<SymbolId> =
                    found.into_iter().flatten().filter_map(|object| self.symbol(*object)).collect();
                targets.sort_unstable();
                targets.dedup();
                let name = unit.values.names.get(site.name as usize).cloned().unwrap_or_default();
                sites.push(ResolvedSite {
                    line: site.line,
                    caller: site.caller,
                    name,
                    targets,
                    known: known.unwrap_or(true),
                });
            }
            solution.files.insert(unit.file, sites);
        }
        solution
    }

    /// The symbol of a function or class.
    fn symbol(&self, object: u32) -> Option<SymbolId> {
        let (unit, symbol) = match self.object_of(object) {
            Object::Function(unit, function) => {
                let unit = self.units.get(unit as usize)?;
                (unit, unit.values.functions.get(function as usize)?.symbol?)
            }
            Object::Class(unit, class) => {
                let unit = self.units.get(unit as usize)?;
                (unit, unit.values.classes.get(class as usize)?.symbol?)
            }
            _ => return None,
        };
        Some(SymbolId { file: unit.file, symbol })
    }
}
