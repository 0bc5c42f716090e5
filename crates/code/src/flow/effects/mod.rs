//! What a step changes beside what it names: objects that two variables share, arguments that a call changes. Variables are related
//! without regard to order: two may be the same object, one may be a part of the other. A change of an object may be seen through
//! everything that is it or holds it.

mod calls;
mod elsewhere;
pub(crate) mod native;
mod summary;

pub use elsewhere::Project;
pub(super) use summary::Known;

use super::graph::{Graph, NodeId};
use super::ir::{Access, CallSite, Origin, Relation, Touch, Unit, ValueKind, VarId, WHOLE};
use super::table::Table;
use std::collections::{BTreeSet, HashMap};

/// Variables that one change is followed to.
const MAX_AFFECTED: usize = 400;

/// A step changes an object in place.
#[derive(Clone, Copy, Debug)]
struct Change {
    node: NodeId,
    var: VarId,
    /// What is inside of it is changed, or may be.
    deep: bool,
    line: u32,
}

/// How variables of a unit are related, and what changes them.
pub(super) struct Effects<'u> {
    unit: &'u Unit,
    graph: &'u Graph,
    python: bool,
    /// Variables that hold what cannot change: numbers, texts, truths.
    scalar: Table<bool>,
    /// Variables that are read up by who iterates over them.
    iterator: Table<bool>,
    same: Table<Vec<VarId>>,
    /// What a variable may be a part of.
    inside: Table<Vec<VarId>>,
    /// What may be a part of a variable.
    holds: Table<Vec<VarId>>,
    changes: Vec<Change>,
    affected: HashMap<(VarId, bool), Vec<VarId>>,
}

impl<'u> Effects<'u> {
    /// Of a unit whose calls `known` tells about.
    pub(super) fn new(unit: &'u Unit, graph: &'u Graph, python: bool, known: &mut Known<'_>) -> Self {
        // One more for the elements that two objects share.
        let count = unit.vars.len() + graph.nodes.iter().map(|node| node.step.calls.len()).sum::<usize>();
        let mut effects = Self {
            unit,
            graph,
            python,
            scalar: scalars(unit),
            iterator: Table::filled(false, unit.vars.len()),
            same: Table::filled(Vec::new(), count),
            inside: Table::filled(Vec::new(), count),
            holds: Table::filled(Vec::new(), count),
            changes: Vec::new(),
            affected: HashMap::new(),
        };
        for (var, relation, other) in &unit.shares {
            effects.relate(*var, *relation, *other);
        }
        for (node, of) in graph.nodes.each() {
            for (var, deep, line) in &of.step.changes {
                effects.change(node, *var, *deep, *line);
            }
        }
        effects.calls(known);
        effects
    }

    fn is_scalar(&self, var: VarId) -> bool {
        (var as usize) < self.scalar.len() && self.scalar[var]
    }

    /// `var` is, is in, or holds `other`.
    fn relate(&mut self, var: VarId, relation: Relation, other: VarId) {
        if var == other || self.is_scalar(var) || self.is_scalar(other) {
            return;
        }
        match relation {
            Relation::Same => {
                self.same[var].push(other);
                self.same[other].push(var);
            }
            Relation::Part => {
                self.inside[var].push(other);
                self.holds[other].push(var);
            }
            Relation::Holds => {
                self.inside[other].push(var);
                self.holds[var].push(other);
            }
        }
    }

    fn change(&mut self, node: NodeId, var: VarId, deep: bool, line: u32) {
        if !self.is_scalar(var) {
            self.changes.push(Change { node, var, deep, line });
        }
    }

    /// The variables through which a change of one may be seen, itself among them.
    fn affected(&mut self, var: VarId, deep: bool) -> &[VarId] {
        if !self.affected.contains_key(&(var, deep)) {
            let mut changed = BTreeSet::from([var]);
            if deep {
                changed = self.closure(changed, false);
            }
            let seen = self.closure(changed, true).into_iter().collect();
            self.affected.insert((var, deep), seen);
        }
        self.affected.get(&(var, deep)).map_or(&[], Vec::as_slice)
    }

    /// What is the same, and what is around (`up`) or inside.
    fn closure(&self, from: BTreeSet<VarId>, up: bool) -> BTreeSet<VarId> {
        let mut open: Vec<VarId> = from.iter().copied().collect();
        let mut found = from;
        while let Some(var) = open.pop() {
            let further = if up { &self.inside[var] } else { &self.holds[var] };
            for other in self.same[var].iter().chain(further) {
                if found.len() < MAX_AFFECTED && found.insert(*other) {
                    open.push(*other);
                }
            }
        }
        found
    }

    /// Every variable that has anything to do with one.
    fn related(&self, var: VarId) -> BTreeSet<VarId> {
        let below = self.closure(BTreeSet::from([var]), false);
        self.closure(below, true)
    }

    /// What steps may write beside what they name.
    pub(super) fn extra(&mut self) -> Vec<(NodeId, Access)> {
        let mut found = BTreeSet::new();
        for change in std::mem::take(&mut self.changes) {
            let count = self.unit.vars.len() as u32;
            for var in self.affected(change.var, change.deep) {
                if *var < count {
                    found.insert((change.node, *var, change.line));
                }
            }
        }
        found
            .into_iter()
            .filter(|(node, var, _)| {
                let own = self.graph.nodes[*node].step.accesses.iter();
                let mut own = own.filter(|access| access.var == *var && access.field == WHOLE);
                !own.any(|access| access.touch == Touch::Update)
                    && self.unit.vars[*var].origin != Origin::Value
            })
            .map(|(node, var, line)| (node, Access { var, field: WHOLE, touch: Touch::May, line }))
            .collect()
    }

    /// The object of a source, as far as it has one: what is changed when the value itself is.
    fn touched(&mut self, node: NodeId, from: &[(Relation, VarId)], deep: bool, line: u32) {
        for (relation, var) in from {
            match relation {
                Relation::Same => self.change(node, *var, deep, line),
                Relation::Part => self.change(node, *var, true, line),
                Relation::Holds if deep => self.change(node, *var, true, line),
                Relation::Holds => {}
            }
        }
    }

    /// `var` gets a value: it is, is in, or holds the sources. `as_part`: it gets a part of the value.
    fn assign(&mut self, var: VarId, from: &[(Relation, VarId)], as_part: bool) {
        for (relation, source) in from {
            let relation = match relation {
                Relation::Same if as_part => Relation::Part,
                Relation::Holds if as_part => Relation::Same,
                other => *other,
            };
            self.relate(var, relation, *source);
        }
    }

    /// The sources become a part of what `into` is.
    fn store(&mut self, into: &[(Relation, VarId)], from: &[(Relation, VarId)]) {
        for (_, holder) in into {
            for (relation, source) in from {
                match relation {
                    Relation::Same | Relation::Holds => self.relate(*source, Relation::Part, *holder),
                    // A part of something is stored: both hold it from now on.
                    Relation::Part => self.relate(*source, Relation::Same, *holder),
                }
            }
        }
    }

    fn sites(&self) -> Vec<(NodeId, &'u CallSite)> {
        let graph = self.graph;
        graph.nodes.each().flat_map(|(id, node)| node.step.calls.iter().map(move |call| (id, call))).collect()
    }
}

/// Variables that only ever hold numbers, texts and truths: by what they are given, or by how they are used.
fn scalars(unit: &Unit) -> Table<bool> {
    let mut scalar: Table<Option<bool>> = Table::filled(None, unit.vars.len());
    for (var, kind) in &unit.kinds {
        match kind {
            ValueKind::Other => scalar[*var] = Some(false),
            ValueKind::Scalar | ValueKind::Like(_) if scalar[*var].is_none() => scalar[*var] = Some(true),
            _ => {}
        }
    }
    // What is given the value of another is as that one is.
    loop {
        let mut changed = false;
        for (var, kind) in &unit.kinds {
            if let ValueKind::Like(others) = kind
                && scalar[*var] == Some(true)
                && others
                    .iter()
                    .any(|other| scalar[*other] != Some(true) && !unit.used_as_scalar.contains(other))
            {
                scalar[*var] = Some(false);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let known =
        scalar.each().map(|(var, scalar)| *scalar == Some(true) || unit.used_as_scalar.contains(&var));
    known.collect()
}
