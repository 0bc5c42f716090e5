//! Which definition reaches which use, variable by variable: from the dominator tree, with a value of its own at every
//! join point. A function inside a function may run at any time after it was made: what it writes stays possible.

mod dominance;
mod locate;
mod solve;

use super::dominate::Lists;
use super::graph::{Graph, NodeId};
use super::ir::{FieldId, FuncId, Touch, Unit, VarId};
use super::table::Table;
use std::collections::BTreeSet;

/// A definition's number.
pub type DefId = u32;
/// A merge's number.
pub type MergeId = u32;

/// A place where a variable gets a value.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The node.
    pub node: NodeId,
    /// The variable.
    pub var: VarId,
    /// The field of it.
    pub field: FieldId,
    /// How: everything but a use.
    pub touch: Touch,
    /// The line.
    pub line: u32,
}

/// What a variable holds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// What one definition put there.
    Def(DefId),
    /// What one of several did.
    Merge(MergeId),
}

/// Values that are merged at a join point: from there on they are one, else n definitions and n uses would be n times n flows.
#[derive(Clone, Debug, Default)]
pub struct Merge {
    /// The merged values.
    pub from: Vec<Value>,
    /// Functions inside that must have run for it.
    pub runs: Vec<FuncId>,
}

/// A value that goes to a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// From.
    pub from: Value,
    /// To.
    pub node: NodeId,
    /// The line of the use.
    pub line: u32,
}

/// The data flow: definitions and their uses.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Every definition.
    pub defs: Table<Definition>,
    /// Every flow.
    pub flows: Vec<Flow>,
    /// Where values are merged.
    pub merges: Table<Merge>,
    /// How much work it was.
    pub steps: u64,
    of_node: Lists,
}

/// The uses of a definition.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Their nodes and lines.
    pub list: BTreeSet<(NodeId, u32)>,
    /// There are more than were asked for.
    pub more: bool,
}

impl Reach {
    /// Follows every definition.
    pub fn new(unit: &Unit, graph: &Graph) -> Self {
        let mut reach = Self::definitions(graph);
        let solved = locate::Events::new(unit, graph, &reach.defs, None).solve();
        reach.flows = solved.flows;
        reach.merges = solved.merges;
        reach.steps = solved.steps;
        reach
    }

    fn definitions(graph: &Graph) -> Self {
        let mut defs = Table::default();
        let mut pairs = Vec::new();
        for (node, of) in graph.nodes.each() {
            for access in of.step.accesses.iter().filter(|access| access.touch != Touch::Use) {
                let (var, field, touch, line) = (access.var, access.field, access.touch, access.line);
                pairs.push((node, defs.push(Definition { node, var, field, touch, line })));
            }
        }
        Self { defs, of_node: Lists::new(graph.nodes.len(), &pairs), ..Self::default() }
    }

    /// The definitions of a node, in the order of its touches.
    pub fn at(&self, node: NodeId) -> &[DefId] {
        self.of_node.of(node)
    }

    /// From each value on.
    pub fn forward(&self) -> Forward<'_> {
        let index = |value: &Value| match value {
            Value::Def(def) => *def,
            Value::Merge(merge) => self.defs.len() as u32 + merge,
        };
        let count = self.defs.len() + self.merges.len();
        let flows: Vec<(u32, u32)> =
            self.flows.iter().enumerate().map(|(number, flow)| (index(&flow.from), number as u32)).collect();
        let merges: Vec<(u32, u32)> = self
            .merges
            .each()
            .flat_map(|(merge, of)| of.from.iter().map(move |value| (index(value), merge)))
            .collect();
        Forward {
            reach: self,
            flows: Lists::new(count, &flows),
            merges: Lists::new(count, &merges),
            seen: Table::filled(0, self.merges.len()),
            round: 0,
        }
    }

    /// The definitions that a value may be, in order.
    fn origins(&self, merges: &Table<Merge>, values: Vec<Value>) -> BTreeSet<DefId> {
        let mut found = BTreeSet::new();
        let mut seen = Table::filled(false, merges.len());
        let mut open = values;
        while let Some(value) = open.pop() {
            match value {
                Value::Def(def) => {
                    found.insert(def);
                }
                Value::Merge(merge) if !std::mem::replace(&mut seen[merge], true) => {
                    open.extend(&merges[merge].from);
                }
                Value::Merge(_) => {}
            }
        }
        found
    }

    /// The definitions of a variable that reach a node, before it does anything.
    pub fn before(&self, unit: &Unit, graph: &Graph, node: NodeId, var: VarId) -> Vec<DefId> {
        let solved = locate::Events::new(unit, graph, &self.defs, Some((node, var))).solve();
        self.origins(&solved.merges, solved.asked).into_iter().collect()
    }
}

/// The data flow, forward.
#[derive(Clone, Debug)]
pub struct Forward<'r> {
    reach: &'r Reach,
    /// For each value, the flows from it.
    flows: Lists,
    /// For each value, the merges that take it.
    merges: Lists,
    /// For each merge, the last question that came through it.
    seen: Table<u32>,
    round: u32,
}

impl Forward<'_> {
    /// The uses of a definition, also through join points; at most so many of them.
    pub fn uses(&mut self, def: DefId, most: usize) -> Uses {
        // Merges in between are visited, too: a bound for them is a bound for the work.
        const TRIED: usize = 4;
        let mut uses = Uses::default();
        self.round += 1;
        let mut open = std::collections::VecDeque::from([def]);
        let mut left = most.saturating_mul(TRIED);
        while let Some(at) = open.pop_front() {
            for number in self.flows.of(at) {
                let Some(flow) = self.reach.flows.get(*number as usize) else { continue };
                let use_of = (flow.node, flow.line);
                if left == 0 || (uses.list.len() >= most && !uses.list.contains(&use_of)) {
                    uses.more = true;
                    return uses;
                }
                left -= 1;
                uses.list.insert(use_of);
            }
            for merge in self.merges.of(at) {
                if left == 0 {
                    uses.more = true;
                    return uses;
                }
                left -= 1;
                if std::mem::replace(&mut self.seen[*merge], self.round) != self.round {
                    open.push_back(self.reach.defs.len() as u32 + merge);
                }
            }
        }
        uses
    }
}
