//! Control dependence: a step depends on the tests that decide whether it runs, found with postdominators.
//! Together with the data flow it is the program dependence graph that slices walk.

use super::graph::{Graph, NodeId};
use super::ir::{FuncId, Role, Unit};
use super::reach::Reach;
use super::table::Table;

/// What each node depends on.
#[derive(Clone, Debug, Default)]
pub struct Dependence {
    /// The tests that decide about a node.
    pub control: Table<Vec<NodeId>>,
    /// The nodes whose values a node uses.
    pub data: Table<Vec<NodeId>>,
    /// For a node that makes functions, the nodes that say what they give.
    pub gives: Table<Vec<NodeId>>,
}

impl Dependence {
    /// Of every node.
    pub fn new(unit: &Unit, graph: &Graph, reach: &Reach) -> Self {
        let mut control: Table<Vec<NodeId>> = Table::filled(Vec::new(), graph.nodes.len());
        for func in 0..unit.functions.len() as u32 {
            control_of(graph, func, &mut control);
        }
        for (node, on) in &graph.because {
            control[*node].push(*on);
        }
        let mut data: Table<Vec<NodeId>> = Table::filled(Vec::new(), graph.nodes.len());
        let callers = callers(unit, graph, reach);
        for flow in &reach.flows {
            let from = reach.defs[flow.def].node;
            data[flow.node].push(from);
            // What a function inside wrote is there because someone ran it.
            let (mut inner, outer) = (graph.nodes[from].func, graph.nodes[flow.node].func);
            while inner != outer {
                data[flow.node].extend(&callers[inner]);
                match unit.functions[inner].parent {
                    Some(parent) => inner = parent,
                    None => break,
                }
            }
        }
        let mut given: Table<Vec<NodeId>> = Table::filled(Vec::new(), graph.nodes.len());
        for (maker, node) in graph.nodes.each() {
            for func in &node.step.makes {
                // A function runs only where it is made, and what it gives is part of what is made.
                let ends = graph.ends[*func];
                control[ends.entry].push(maker);
                let gives = (ends.entry..=ends.exit).filter(|id| {
                    let step = &graph.nodes[*id].step;
                    step.role == Role::Return && !step.accesses.is_empty()
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
            }
        }
        Self { control, data, gives: given }
    }
}

/// For each function inside, the nodes that use it by its name.
fn callers(unit: &Unit, graph: &Graph, reach: &Reach) -> Table<Vec<NodeId>> {
    let mut callers: Table<Vec<NodeId>> = Table::filled(Vec::new(), unit.functions.len());
    for flow in &reach.flows {
        for func in &graph.nodes[reach.defs[flow.def].node].step.makes {
            if graph.nodes[flow.node].func != *func {
                callers[*func].push(flow.node);
            }
        }
    }
    callers
}

fn control_of(graph: &Graph, func: FuncId, control: &mut Table<Vec<NodeId>>) {
    let ends = graph.ends[func];
    let (first, exit) = (ends.entry, ends.exit);
    let local = |node: NodeId| node - first;
    let count = (exit - first + 1) as usize;
    let mut from: Table<Vec<u32>> = Table::filled(Vec::new(), count);
    for node in first..=exit {
        for edge in graph.next[node].iter().filter(|edge| edge.counts) {
            from[local(edge.to)].push(local(node));
        }
    }
    let after = postdominators(&from, local(exit));
    for node in first..=exit {
        let mut ways = graph.next[node].iter().filter(|edge| edge.counts).map(|edge| local(edge.to));
        let Some(one) = ways.next() else { continue };
        if ways.all(|other| other == one) {
            continue;
        }
        let stop = after[local(node)];
        for edge in graph.next[node].iter().filter(|edge| edge.counts) {
            let mut at = local(edge.to);
            while at != stop && at != local(exit) {
                control[at + first].push(node);
                at = after[at];
            }
        }
    }
}

/// For each node the nearest that every way from it to the exit goes through.
fn postdominators(from: &Table<Vec<u32>>, exit: u32) -> Table<u32> {
    const NONE: u32 = u32::MAX;
    let count = from.len();
    // Depth first from the exit against the edges; what never gets to the exit is taken as if it might.
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut seen = Table::filled(false, count);
    let mut stuck: Vec<u32> = Vec::new();
    let mut walk = |root: u32, order: &mut Vec<u32>| {
        if std::mem::replace(&mut seen[root], true) {
            return false;
        }
        let mut open = vec![(root, 0_usize)];
        while let Some((node, at)) = open.last_mut() {
            if let Some(next) = from[*node].get(*at) {
                *at += 1;
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push((*next, 0));
                }
            } else {
                order.push(*node);
                open.pop();
            }
        }
        true
    };
    // The exit's own walk must end the order: the stuck ones go first.
    let mut main = Vec::with_capacity(count);
    walk(exit, &mut main);
    for node in (0..count as u32).rev() {
        if walk(node, &mut order) {
            stuck.push(node);
        }
    }
    order.append(&mut main);
    let mut place = Table::filled(0_u32, count);
    for (number, node) in order.iter().enumerate() {
        place[*node] = number as u32;
    }
    let mut to: Table<Vec<u32>> = Table::filled(Vec::new(), count);
    for (node, sources) in from.each() {
        for source in sources {
            to[*source].push(node);
        }
    }
    for node in stuck {
        to[node].push(exit);
    }
    let mut after = Table::filled(NONE, count);
    after[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev().copied().filter(|node| *node != exit) {
            let mut best = NONE;
            for next in &to[node] {
                if after[*next] == NONE {
                    continue;
                }
                best = if best == NONE { *next } else { meet(&after, &place, best, *next) };
            }
            if best != NONE && after[node] != best {
                after[node] = best;
                changed = true;
            }
        }
    }
    for node in 0..count as u32 {
        if after[node] == NONE {
            after[node] = exit;
        }
    }
    after
}

fn meet(after: &Table<u32>, place: &Table<u32>, mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while place[a] < place[b] {
            a = after[a];
        }
        while place[b] < place[a] {
            b = after[b];
        }
    }
    a
}
