//! The dominator tree and the join points of each function, for the data flow.
//! A step that may break off has a place before it besides its own: an error is come to from both.

use crate::flow::dominate::{Dominators, Lists};
use crate::flow::graph::{EdgeKind, Graph, NodeId};
use crate::flow::ir::FuncId;
use crate::flow::table::Table;

/// The step may not have come to its end.
const fn breaks_off(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Raise | EdgeKind::Leave)
}

/// One function's dominator tree. Places are numbers of its vertices.
pub(super) struct Dominance {
    pub(super) tree: Dominators,
    /// The edges into each place, in order.
    pub(super) into: Lists,
    /// The dominance frontier of each place: the join points of what it defines.
    pub(super) frontiers: Lists,
    first: NodeId,
    count: u32,
    /// The vertex before a node, where it has one.
    before: Table<u32>,
}

impl Dominance {
    pub(super) fn new(graph: &Graph, func: FuncId, reached: &Table<bool>, steps: &mut u64) -> Self {
        let ends = graph.ends[func];
        let (first, count) = (ends.entry, ends.exit - ends.entry + 1);
        let mut vertices = count;
        let mut before: Table<u32> = (0..count).collect();
        for node in ends.entry..=ends.exit {
            if graph.next[node].iter().any(|edge| edge.flow && breaks_off(edge.kind)) {
                before[node - first] = vertices;
                vertices += 1;
            }
        }
        let root = vertices;
        let mut edges: Vec<(u32, u32)> = vec![(root, before[0])];
        for node in ends.entry..=ends.exit {
            let own = node - first;
            if before[own] != own {
                edges.push((before[own], own));
            }
            for edge in graph.next[node].iter().filter(|edge| edge.flow) {
                // What is never reached says nothing about what is.
                if reached[node] || !reached[edge.to] {
                    let to = before[edge.to - first];
                    edges.push((own, to));
                    if breaks_off(edge.kind) {
                        edges.push((before[own], to));
                    }
                }
            }
        }
        *steps += edges.len() as u64;
        let total = vertices as usize + 1;
        let back: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        let starts = (0..count).map(|own| before[own]);
        let (next, from) = (Lists::new(total, &edges), Lists::new(total, &back));
        let tree = Dominators::new(&next, &from, total, root, starts, steps);
        let mut into: Vec<(u32, u32)> =
            edges.iter().map(|(from, to)| (tree.place[*to], tree.place[*from])).collect();
        into.sort_unstable();
        let into = Lists::new(tree.behind.len(), &into);
        let frontiers = tree.frontiers(&into, steps);
        Self { tree, into, frontiers, first, count, before }
    }

    /// How many places there are.
    pub(super) fn len(&self) -> u32 {
        self.tree.behind.len() as u32
    }

    /// The place where a node does what it does.
    pub(super) fn at(&self, node: NodeId) -> u32 {
        self.tree.place[(node - self.first).min(self.count)]
    }

    /// The place before a node does anything.
    pub(super) fn before(&self, node: NodeId) -> u32 {
        self.tree.place[self.before[node - self.first]]
    }

    /// How many of the edges into a place come from what another dominates.
    pub(super) fn edges_from(&self, place: u32, from: u32) -> u32 {
        let into = self.into.of(place);
        let below = |bound: u32| into.partition_point(|at| *at < bound) as u32;
        below(self.tree.behind[from]) - below(from)
    }
}
