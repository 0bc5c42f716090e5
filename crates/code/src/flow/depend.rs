//! Control dependence: a step depends on the tests that decide whether it runs, found with postdominators.
//! Together with the data flow it is the program dependence graph that slices walk.

use super::dominate::{Dominators, Lists, NONE};
use super::graph::{Graph, NodeId};
use super::ir::{FuncId, Origin, Role, Unit, VarId};
use super::reach::{Reach, Value};
use super::table::Table;

/// A node, or something between nodes: a merge of values, the running of a function inside.
pub type PointId = u32;

/// What each node depends on.
#[derive(Clone, Debug, Default)]
pub struct Dependence {
    /// The tests that decide about a node.
    pub control: Table<Vec<NodeId>>,
    /// What a point gets its values from. The first points are the nodes.
    pub data: Table<Vec<PointId>>,
    /// For a node that makes functions, the nodes that say what they give.
    pub gives: Table<Vec<NodeId>>,
    /// How much work it was.
    pub steps: u64,
}

impl Dependence {
    /// Of every node.
    pub fn new(unit: &Unit, graph: &Graph, reach: &Reach) -> Self {
        let mut steps = 0;
        let mut control: Table<Vec<NodeId>> = Table::filled(Vec::new(), graph.nodes.len());
        for func in 0..unit.functions.len() as u32 {
            control_of(graph, func, &mut control, &mut steps);
        }
        for (node, on) in &graph.because {
            control[*node].push(*on);
        }
        let mut data = data(unit, graph, reach);
        let mut given: Table<Vec<NodeId>> = Table::filled(Vec::new(), graph.nodes.len());
        for (maker, node) in graph.nodes.each() {
            for func in &node.step.makes {
                // A function runs only where it is made, and what it gives is part of what is made.
                let ends = graph.ends[*func];
                control[ends.entry].push(maker);
                let gives = (ends.entry..=ends.exit).filter(|id| {
                    let step = &graph.nodes[*id].step;
                    // So is what it does to what it gets: an object of a class is made of that.
                    let is_param = |var: &VarId| {
                        let var = &unit.vars[*var];
                        var.origin == Origin::Param && var.owner == *func || var.name == "this"
                    };
                    step.role == Role::Return && !step.accesses.is_empty()
                        || !step.gives.is_empty()
                        || step.changes.iter().any(|(var, _, _)| is_param(var))
                        || step.calls.iter().any(|call| call.receiver.iter().any(|(_, var)| is_param(var)))
                });
                given[maker].extend(gives);
            }
        }
        for lists in [&mut control, &mut data] {
            for id in 0..lists.len() as u32 {
                let list = &mut lists[id];
                list.sort_unstable();
                list.dedup();
                list.retain(|other| *other != id);
                steps += list.len() as u64;
            }
        }
        Self { control, data, gives: given, steps }
    }
}

/// Where each point's values come from: nodes first, then merges, then the functions inside.
fn data(unit: &Unit, graph: &Graph, reach: &Reach) -> Table<Vec<PointId>> {
    let (nodes, merges) = (graph.nodes.len() as u32, reach.merges.len() as u32);
    let point = |value: &Value| match value {
        Value::Def(def) => reach.defs[*def].node,
        Value::Merge(merge) => nodes + merge,
    };
    let count = nodes as usize + merges as usize + unit.functions.len();
    let mut data: Table<Vec<PointId>> = Table::filled(Vec::new(), count);
    for flow in &reach.flows {
        data[flow.node].push(point(&flow.from));
    }
    for (id, merge) in reach.merges.each() {
        let list = &mut data[nodes + id];
        list.extend(merge.from.iter().map(point));
        // What a function inside wrote is there because someone ran it.
        list.extend(merge.runs.iter().map(|func| nodes + merges + func));
    }
    if unit.functions.len() > 1 {
        for (func, callers) in callers(graph, reach) {
            data[nodes + merges + func].extend(callers);
        }
    }
    data
}

/// For each function inside, the nodes that use it by its name.
fn callers(graph: &Graph, reach: &Reach) -> Vec<(FuncId, Vec<NodeId>)> {
    /// Uses of one function that are looked for.
    const MAX_USES: usize = 4_000;
    let mut forward = reach.forward();
    let mut callers = Vec::new();
    for (id, def) in reach.defs.each() {
        let makes = &graph.nodes[def.node].step.makes;
        if makes.is_empty() {
            continue;
        }
        let uses = forward.uses(id, MAX_USES).list;
        for func in makes {
            let outside = uses.iter().map(|(node, _)| *node).filter(|node| graph.nodes[*node].func != *func);
            callers.push((*func, outside.collect()));
        }
    }
    callers
}

fn control_of(graph: &Graph, func: FuncId, control: &mut Table<Vec<NodeId>>, steps: &mut u64) {
    let ends = graph.ends[func];
    let (first, exit) = (ends.entry, ends.exit);
    let local = |node: NodeId| node - first;
    let count = (exit - first + 1) as usize;
    let counting = |node: NodeId| graph.next[node].iter().filter(|edge| edge.counts).map(|edge| edge.to);
    let edges: Vec<(u32, u32)> =
        (first..=exit).flat_map(|node| counting(node).map(move |to| (node - first, to - first))).collect();
    let back: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
    let (next, from) = (Lists::new(count, &edges), Lists::new(count, &back));
    // Against the edges, from the exit; what never gets to the exit is taken as if it might.
    let tree = Dominators::new(&from, &next, count, local(exit), (0..count as u32).rev(), steps);
    let mut node_at = Table::filled(NONE, count);
    for (node, place) in tree.place.each() {
        node_at[*place] = node;
    }
    for node in first..=exit {
        let mut targets = counting(node);
        let Some(one) = targets.next() else { continue };
        if targets.all(|other| other == one) {
            continue;
        }
        let stop = tree.above[tree.place[local(node)]];
        for to in counting(node) {
            let mut at = tree.place[local(to)];
            while at != stop && at != 0 {
                control[node_at[at] + first].push(node);
                at = tree.above[at];
                *steps += 1;
            }
        }
    }
}
