//! What holds values: a variable, each field of it, and for each function that writes it a place of its own, because a
//! write ends only what the function itself and those around it wrote. Every touch becomes an event at such a location.

use super::dominance::Dominance;
use super::solve::{Solved, solve};
use super::{DefId, Definition, Merge, MergeId, Value};
use crate::flow::graph::{Graph, NodeId};
use crate::flow::ir::{Access, FieldId, FuncId, Touch, Unit, VarId, WHOLE};
use crate::flow::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Locations of one variable that are kept apart. More are taken together: it is then said of more definitions than need
/// be that they may reach.
const MAX_LOCATIONS: usize = 32;
/// All fields of a variable that has too many.
const ALL: FieldId = FieldId::MAX;
/// How many times the size of the graph may be spent on what is written after a function was made.
const LATE: usize = 64;

/// Order of events at one place.
pub(super) const JOINS: u32 = 0;
const ENTERS: u32 = 1;
const ASKS: u32 = 2;
const TOUCHES: u32 = 3;
const TAKES: u32 = u32::MAX - 1;
const MAKES: u32 = u32::MAX;

/// What happens at a location.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventKind {
    /// It is read.
    Use(NodeId, u32),
    /// It is read by who asked.
    Ask,
    /// A function inside takes it along: into that merge.
    Take(MergeId),
    /// It has this value from here on, or none.
    Set(Option<Value>),
    /// It may have this value from here on.
    Also(Value),
    /// A join point.
    Join,
}

/// Something that happens at a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) location: u32,
    /// The place, counted through all functions.
    pub(super) at: u32,
    pub(super) order: u32,
    pub(super) what: EventKind,
}

/// Who writes to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    Only(FuncId),
    Any,
}

struct Location {
    var: VarId,
    field: FieldId,
    writer: Writer,
    defs: Vec<DefId>,
    /// One function alone writes there.
    alone: bool,
}

/// The locations of a variable, as a run; sorted by field.
#[derive(Clone, Copy, Default)]
struct Places {
    from: u32,
    to: u32,
    /// Only the owner has a location of its own.
    grouped: bool,
    /// There is a location for all fields together.
    wide: bool,
}

/// What was written to a location, up to which function.
type All = BTreeMap<(u32, Option<FuncId>), Value>;

/// Everything that happens, and what is needed to follow it.
pub(super) struct Events<'a> {
    unit: &'a Unit,
    graph: &'a Graph,
    defs: &'a Table<Definition>,
    only: Option<(NodeId, VarId)>,
    /// For each function, the number behind the last one inside of it: they are numbered from outside to inside.
    behind: Table<FuncId>,
    /// For each function, the node that makes it.
    maker: Table<Option<NodeId>>,
    pub(super) dominance: Vec<Dominance>,
    /// Where each function's places begin.
    base: Table<u32>,
    locations: Table<Location>,
    places: Table<Places>,
    pub(super) list: Vec<Event>,
    pub(super) merges: Table<Merge>,
    pub(super) steps: u64,
}

impl<'a> Events<'a> {
    pub(super) fn new(
        unit: &'a Unit,
        graph: &'a Graph,
        defs: &'a Table<Definition>,
        only: Option<(NodeId, VarId)>,
    ) -> Self {
        let mut behind: Table<FuncId> = (1..=unit.functions.len() as u32).collect();
        for (func, function) in unit.functions.each().rev() {
            if let Some(parent) = function.parent {
                behind[parent] = behind[parent].max(behind[func]);
            }
        }
        let mut maker = Table::filled(None, unit.functions.len());
        for (id, node) in graph.nodes.each() {
            for func in &node.step.makes {
                maker[*func] = Some(id);
            }
        }
        let mut steps = graph.nodes.len() as u64;
        let reached = graph.reached();
        let dominance: Vec<Dominance> = (0..unit.functions.len() as u32)
            .map(|func| Dominance::new(graph, func, &reached, &mut steps))
            .collect();
        let mut base = Table::default();
        let mut sum = 0;
        for dom in &dominance {
            base.push(sum);
            sum += dom.len();
        }
        let mut events = Self {
            unit,
            graph,
            defs,
            only,
            behind,
            maker,
            dominance,
            base,
            locations: Table::default(),
            places: Table::filled(Places::default(), unit.vars.len()),
            list: Vec::new(),
            merges: Table::default(),
            steps,
        };
        events.locate();
        events.touch();
        events.across();
        events
    }

    /// Follows them.
    pub(super) fn solve(mut self) -> Solved {
        self.list.sort_unstable_by_key(|event| (event.location, event.at, event.order));
        solve(self)
    }

    fn is_inside(&self, func: FuncId, outer: FuncId) -> bool {
        (outer..self.behind[outer]).contains(&func)
    }

    fn is_wanted(&self, var: VarId) -> bool {
        self.only.is_none_or(|(_, only)| only == var)
    }

    fn func_of(&self, def: DefId) -> FuncId {
        self.graph.nodes[self.defs[def].node].func
    }

    fn place(&self, node: NodeId, before: bool) -> u32 {
        let func = self.graph.nodes[node].func;
        let place = self
            .dominance
            .get(func as usize)
            .map_or(0, |dom| if before { dom.before(node) } else { dom.at(node) });
        self.base[func] + place
    }

    // ── locations ────────────────────────────────────────────────────────────────────────────────────────────────

    /// Gives every variable its locations.
    fn locate(&mut self) {
        let mut of_var: Table<Vec<DefId>> = Table::filled(Vec::new(), self.unit.vars.len());
        for (id, def) in self.defs.each().filter(|(_, def)| self.is_wanted(def.var)) {
            of_var[def.var].push(id);
        }
        for (var, list) in of_var.each().filter(|(_, list)| !list.is_empty()) {
            let owner = self.unit.vars[var].owner;
            let apart = |def: &DefId| (self.defs[*def].field, Writer::Only(self.func_of(*def)));
            let grouped = |def: &DefId| match apart(def) {
                (field, Writer::Only(func)) if func != owner => (field, Writer::Any),
                other => other,
            };
            let mut split = split(list, apart);
            let mut places = Places { from: self.locations.len() as u32, ..Places::default() };
            if split.len() > MAX_LOCATIONS {
                places.grouped = true;
                split = self::split(list, grouped);
            }
            if split.len() > MAX_LOCATIONS {
                places.wide = true;
                let fields = list.iter().copied().filter(|def| self.defs[*def].field != WHOLE);
                split.insert((ALL, Writer::Any), fields.collect());
            }
            for ((field, writer), defs) in split {
                let by = defs.first().map(|def| self.func_of(*def));
                let alone = defs.iter().all(|def| Some(self.func_of(*def)) == by);
                self.locations.push(Location { var, field, writer, defs, alone });
            }
            places.to = self.locations.len() as u32;
            self.places[var] = places;
        }
    }

    /// The locations of a variable's field.
    fn of_field(&self, var: VarId, field: FieldId) -> std::ops::Range<u32> {
        let Places { from, to, .. } = self.places[var];
        let bound = |field: FieldId, after: bool| {
            let (mut low, mut high) = (from, to);
            while low < high {
                let middle = low + (high - low) / 2;
                let at = self.locations[middle].field;
                if at < field || (after && at == field) { low = middle + 1 } else { high = middle }
            }
            low
        };
        bound(field, false)..bound(field, true)
    }

    /// The locations that a read of a field sees.
    fn read(&self, var: VarId, field: FieldId) -> [std::ops::Range<u32>; 2] {
        let Places { from, to, wide, .. } = self.places[var];
        match field {
            WHOLE if wide => [self.of_field(var, WHOLE), self.of_field(var, ALL)],
            WHOLE => [from..to, 0..0],
            _ => [self.of_field(var, WHOLE), self.of_field(var, field)],
        }
    }

    // ── events ───────────────────────────────────────────────────────────────────────────────────────────────────

    /// What every step does.
    fn touch(&mut self) {
        let mut def: DefId = 0;
        for (id, node) in self.graph.nodes.each() {
            if node.step.accesses.is_empty() {
                continue;
            }
            let at = self.place(id, false);
            for (number, access) in node.step.accesses.iter().enumerate() {
                let order = TOUCHES + number as u32 * 2;
                let own = def;
                def += u32::from(access.touch != Touch::Use);
                if !self.is_wanted(access.var) {
                    continue;
                }
                if matches!(access.touch, Touch::Use | Touch::Update) {
                    for location in self.read(access.var, access.field).into_iter().flatten() {
                        self.list.push(Event { location, at, order, what: EventKind::Use(id, access.line) });
                    }
                }
                if access.touch != Touch::Use {
                    self.write(node.func, access, own, (at, order + 1));
                }
            }
        }
        if let Some((node, var)) = self.only {
            let at = self.place(node, true);
            let Places { from, to, .. } = self.places[var];
            self.list.extend((from..to).map(|location| Event {
                location,
                at,
                order: ASKS,
                what: EventKind::Ask,
            }));
        }
    }

    fn write(&mut self, by: FuncId, access: &Access, def: DefId, (at, order): (u32, u32)) {
        let (var, value) = (access.var, Value::Def(def));
        let places = self.places[var];
        let owner = self.unit.vars[var].owner;
        let writer = if places.grouped && by != owner { Writer::Any } else { Writer::Only(by) };
        let mut list = std::mem::take(&mut self.list);
        let mut push = |location: u32, what: EventKind| list.push(Event { location, at, order, what });
        let ends = access.touch != Touch::May;
        let touched = match access.field {
            WHOLE if places.wide => self.of_field(var, WHOLE),
            WHOLE => places.from..places.to,
            field => self.of_field(var, field),
        };
        for location in touched {
            let of = &self.locations[location];
            let own = of.field == access.field && of.writer == writer;
            match of.writer {
                Writer::Only(_) if own && ends => push(location, EventKind::Set(Some(value))),
                _ if own => push(location, EventKind::Also(value)),
                // What another function wrote may be written again at any time.
                Writer::Only(func) if ends && self.is_inside(by, func) => {
                    push(location, EventKind::Set(None));
                }
                _ => {}
            }
        }
        if places.wide {
            for location in self.of_field(var, ALL) {
                if access.field != WHOLE {
                    push(location, EventKind::Also(value));
                } else if ends && self.locations[location].alone {
                    push(location, EventKind::Set(None));
                }
            }
        }
        self.list = list;
    }

    // ── functions inside functions ───────────────────────────────────────────────────────────────────────────────

    /// The function and those around it, up to the one that owns the variable.
    fn chain(&self, func: FuncId, var: VarId) -> Vec<FuncId> {
        let owner = self.unit.vars[var].owner;
        let up = |func: &FuncId| self.unit.functions[*func].parent;
        std::iter::successors(Some(func), up).take_while(|func| *func != owner).collect()
    }

    /// What functions inside write stays possible from where they are made; what they read is from where they are made, or
    /// later.
    fn across(&mut self) {
        let mut written: BTreeSet<(u32, FuncId)> = BTreeSet::new();
        for (location, of) in self.locations.each() {
            let mut last = None;
            for def in &of.defs {
                let func = self.func_of(*def);
                if func != self.unit.vars[of.var].owner && last.replace(func) != Some(func) {
                    written.extend(self.chain(func, of.var).into_iter().map(|func| (location, func)));
                }
            }
        }
        let mut taken: BTreeSet<(u32, FuncId)> = BTreeSet::new();
        let mut last = (0, 0);
        for event in
            self.list.iter().filter(|event| matches!(event.what, EventKind::Use(..) | EventKind::Ask))
        {
            let var = self.locations[event.location].var;
            let func = match event.what {
                EventKind::Use(node, _) => self.graph.nodes[node].func,
                _ => self.only.map_or(0, |(node, _)| self.graph.nodes[node].func),
            };
            if func != self.unit.vars[var].owner && last != (event.location, func) {
                last = (event.location, func);
                taken.extend(self.chain(func, var).into_iter().map(|func| (event.location, func)));
            }
        }
        let mut all: All = BTreeMap::new();
        for (location, func) in written {
            let value = self.every(location, Some(func), &mut all);
            if let Some(maker) = self.maker[func] {
                let at = self.place(maker, false);
                self.list.push(Event { location, at, order: MAKES, what: EventKind::Also(value) });
            }
        }
        let exactly = self.is_cheap(&taken);
        let mut after = After::default();
        for (location, func) in taken {
            let late = self.late(location, func, exactly.then_some(&mut after), &mut all);
            let merge = self.merges.push(Merge { from: late, runs: Vec::new() });
            let at = self.place(self.graph.ends[func].entry, true);
            let what = EventKind::Set(Some(Value::Merge(merge)));
            self.list.push(Event { location, at, order: ENTERS, what });
            if let Some(maker) = self.maker[func] {
                let at = self.place(maker, false);
                self.list.push(Event { location, at, order: TAKES, what: EventKind::Take(merge) });
            }
        }
    }

    /// Whatever was written to a location. It was, because the functions that did it ran, and those around them up to `top`.
    fn every(&mut self, location: u32, top: Option<FuncId>, all: &mut All) -> Value {
        let of = &self.locations[location];
        let top = if of.writer == Writer::Any { None } else { top };
        if let Some(value) = all.get(&(location, top)) {
            return *value;
        }
        let mut runs: Vec<FuncId> = Vec::new();
        let mut last = None;
        for def in &of.defs {
            let func = self.func_of(*def);
            if last.replace(func) != Some(func) {
                let chain = self.chain(func, of.var);
                let end = chain.iter().position(|func| Some(*func) == top).map_or(chain.len(), |at| at + 1);
                runs.extend(chain.into_iter().take(end));
            }
        }
        runs.sort_unstable();
        runs.dedup();
        let from: Vec<Value> = of.defs.iter().map(|def| Value::Def(*def)).collect();
        self.steps += from.len() as u64;
        let value = Value::Merge(self.merges.push(Merge { from, runs }));
        all.insert((location, top), value);
        value
    }

    /// What others may have written before a function runs, though it was made earlier.
    fn late(&mut self, location: u32, func: FuncId, after: Option<&mut After>, all: &mut All) -> Vec<Value> {
        let Some(maker) = self.maker[func] else { return Vec::new() };
        let creator = self.graph.nodes[maker].func;
        match self.locations[location].writer {
            // An earlier run of the function itself.
            Writer::Only(writer) if writer == func => {
                let defs = &self.locations[location].defs;
                self.steps += defs.len() as u64;
                let from = defs.iter().map(|def| Value::Def(*def)).collect();
                vec![Value::Merge(self.merges.push(Merge { from, runs: Vec::new() }))]
            }
            Writer::Only(writer) if self.is_inside(writer, func) => {
                let up = |inner: &FuncId| self.unit.functions[*inner].parent;
                let mut around = std::iter::successors(Some(writer), up);
                let below = around.find(|inner| self.unit.functions[*inner].parent == Some(func));
                vec![self.every(location, below, all)]
            }
            Writer::Only(writer) if writer == creator => {
                let defs = &self.locations[location].defs;
                let Some(after) = after else { return vec![self.every(location, None, all)] };
                self.steps += defs.len() as u64;
                let later = defs.iter().filter(|def| after.is(self.graph, maker, self.defs[**def].node));
                later.map(|def| Value::Def(*def)).collect()
            }
            Writer::Only(_) | Writer::Any => vec![self.every(location, None, all)],
        }
    }

    /// True when it does not cost too much to look, for every function inside, at what comes after it was made.
    fn is_cheap(&self, taken: &BTreeSet<(u32, FuncId)>) -> bool {
        let mut makers: BTreeSet<NodeId> = BTreeSet::new();
        let mut cost = 0;
        for (location, func) in taken {
            let Some(maker) = self.maker[*func] else { continue };
            let creator = self.graph.nodes[maker].func;
            if self.locations[*location].writer == Writer::Only(creator) {
                cost += self.locations[*location].defs.len();
                if makers.insert(maker) {
                    let ends = self.graph.ends[creator];
                    cost += (ends.exit - ends.entry) as usize;
                }
            }
        }
        cost <= LATE * self.graph.nodes.len()
    }
}

fn split(
    list: &[DefId],
    key: impl Fn(&DefId) -> (FieldId, Writer),
) -> BTreeMap<(FieldId, Writer), Vec<DefId>> {
    let mut split: BTreeMap<(FieldId, Writer), Vec<DefId>> = BTreeMap::new();
    for def in list {
        split.entry(key(def)).or_default().push(*def);
    }
    split
}

/// The nodes that control can come to from each node that makes a function.
#[derive(Default)]
struct After {
    known: BTreeMap<NodeId, Table<bool>>,
}

impl After {
    /// True when control can come from the maker to a node of the same function.
    fn is(&mut self, graph: &Graph, maker: NodeId, node: NodeId) -> bool {
        let ends = graph.ends[graph.nodes[maker].func];
        let after = self.known.entry(maker).or_insert_with(|| {
            let mut after = Table::filled(false, (ends.exit - ends.entry + 1) as usize);
            let mut open = vec![maker];
            while let Some(node) = open.pop() {
                for edge in graph.next[node].iter().filter(|edge| edge.flow) {
                    if !std::mem::replace(&mut after[edge.to - ends.entry], true) {
                        open.push(edge.to);
                    }
                }
            }
            after
        });
        after[node - ends.entry]
    }
}
