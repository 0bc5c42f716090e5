//! Blocks: the graph as people draw it. Steps that follow one another are one block; join points without a step are gone.

use super::Analysis;
use super::graph::{EdgeKind, NodeId};
use super::ir::{FuncId, Role};
use super::table::Table;
use std::collections::BTreeSet;

/// The target of an edge out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockTarget {
    /// To a block.
    Block(u32),
    /// Out of the function.
    End,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its steps.
    pub nodes: Vec<NodeId>,
    /// The first line.
    pub first: u32,
    /// Its lines in the order in which they run.
    pub lines: Vec<(u32, u32)>,
    /// The role of its last step.
    pub role: Role,
    /// The edges out, in order.
    pub next: Vec<(EdgeKind, BlockTarget)>,
    /// Control gets here.
    pub reached: bool,
}

/// The blocks of a function, in the order of the text.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Decisions + 1.
    pub complexity: u32,
}

const fn is_jump(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Return
            | EdgeKind::Break
            | EdgeKind::Continue
            | EdgeKind::Throw
            | EdgeKind::Raise
            | EdgeKind::Leave
    )
}

const fn is_error(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Throw | EdgeKind::Raise)
}

/// Errors do not cut blocks: they are edges out of the whole.
const fn cuts(kind: EdgeKind) -> bool {
    !matches!(kind, EdgeKind::Raise | EdgeKind::Leave)
}

impl Analysis {
    /// True for nodes that nobody wants to see.
    fn hidden(&self, node: NodeId) -> bool {
        let step = &self.graph.nodes[node].step;
        matches!(step.role, Role::Leave | Role::Declared | Role::Deferred) || step.lines.is_empty()
    }

    /// The edges from a node to the next ones that are shown; `None` is the end of the function.
    fn shown_edges(&self, node: NodeId, exit: NodeId) -> Vec<(EdgeKind, Option<NodeId>)> {
        let mut found: Vec<(EdgeKind, Option<NodeId>)> = Vec::new();
        let mut seen: BTreeSet<(NodeId, EdgeKind)> = BTreeSet::new();
        let direct = self.graph.next[node].iter().filter(|edge| edge.flow).map(|edge| (edge.kind, edge.to));
        let mut open: Vec<(EdgeKind, NodeId)> = direct.collect();
        open.reverse();
        while let Some((kind, to)) = open.pop() {
            if to == exit || !self.hidden(to) {
                let target = (to != exit).then_some(to);
                if !found.contains(&(kind, target)) {
                    found.push((kind, target));
                }
                continue;
            }
            if !seen.insert((to, kind)) {
                continue;
            }
            // What came here by a jump leaves by that jump; what came by itself does not.
            let edges: Vec<_> = self.graph.next[to].iter().filter(|edge| edge.flow).collect();
            let leaves = self.graph.nodes[to].step.role == Role::Leave;
            let fits = |other: EdgeKind| {
                !leaves
                    || if is_jump(kind) {
                        other == kind || (is_error(kind) && is_error(other))
                    } else {
                        !is_jump(other)
                    }
            };
            let fitting: Vec<_> = edges.iter().filter(|edge| fits(edge.kind)).collect();
            let chosen: Vec<_> = if fitting.is_empty() { edges.iter().collect() } else { fitting };
            open.extend(chosen.into_iter().rev().map(|edge| {
                let plain = matches!(kind, EdgeKind::Next | EdgeKind::Back);
                (if plain { edge.kind } else { kind }, edge.to)
            }));
        }
        found
    }

    /// The blocks of a function.
    pub fn blocks(&self, func: FuncId) -> Blocks {
        let ends = self.graph.ends[func];
        let count = (ends.exit - ends.entry + 1) as usize;
        let edges: Table<Vec<(EdgeKind, Option<NodeId>)>> =
            (ends.entry..=ends.exit).map(|node| self.shown_edges(node, ends.exit)).collect();
        let mut edges_in: Table<Vec<NodeId>> = Table::filled(Vec::new(), count);
        for node in (ends.entry..ends.exit).filter(|node| !self.hidden(*node)) {
            for (_, to) in edges[node - ends.entry].iter().filter(|(kind, _)| cuts(*kind)) {
                if let Some(to) = to {
                    edges_in[*to - ends.entry].push(node);
                }
            }
        }
        let caught: BTreeSet<NodeId> =
            edges.iter().flatten().filter(|(kind, _)| !cuts(*kind)).filter_map(|(_, to)| *to).collect();
        let follows = |node: NodeId| -> Option<NodeId> {
            let mut out = edges[node - ends.entry].iter().filter(|(kind, _)| cuts(*kind));
            let (kind, to) = out.next()?;
            let to = (*to)?;
            let alone =
                out.next().is_none() && matches!(kind, EdgeKind::Next | EdgeKind::Case | EdgeKind::Fall);
            (alone && edges_in[to - ends.entry].len() == 1 && !caught.contains(&to) && to != ends.entry)
                .then_some(to)
        };
        let inner: BTreeSet<NodeId> =
            (ends.entry..ends.exit).filter(|node| !self.hidden(*node)).filter_map(follows).collect();
        let mut runs: Vec<Vec<NodeId>> = Vec::new();
        for node in (ends.entry..ends.exit).filter(|node| !self.hidden(*node) && !inner.contains(node)) {
            let mut run = vec![node];
            let mut at = node;
            // It cannot come back to itself: what is followed has one edge in, and the first of a run is not followed.
            while let Some(next) = follows(at) {
                run.push(next);
                at = next;
            }
            runs.push(run);
        }
        let lines = |run: &[NodeId]| {
            let mut lines: Vec<(u32, u32)> = Vec::new();
            for (first, last) in
                run.iter().map(|node| &self.graph.nodes[*node].step).map(|s| (s.line(), s.last_line()))
            {
                match lines.last_mut() {
                    Some((from, to)) if first >= *from => *to = last.max(*to),
                    _ => lines.push((first, last)),
                }
            }
            lines
        };
        let first = |run: &[NodeId]| run.first().map_or(0, |node| self.graph.nodes[*node].step.line());
        // The entry stays first, whatever its line.
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|at| {
            let run = runs.get(*at).map_or(&[][..], Vec::as_slice);
            (run.first() != Some(&ends.entry), first(run), *at)
        });
        let mut block_of = Table::filled(u32::MAX, count);
        for (number, at) in order.iter().enumerate() {
            for node in runs.get(*at).into_iter().flatten() {
                block_of[*node - ends.entry] = number as u32;
            }
        }
        let reached = self.graph.reached();
        let blocks = order
            .iter()
            .filter_map(|at| runs.get(*at))
            .map(|run| {
                let mut next: Vec<(EdgeKind, BlockTarget)> = Vec::new();
                for (place, node) in run.iter().enumerate() {
                    for (kind, to) in &edges[*node - ends.entry] {
                        let to =
                            to.map_or(BlockTarget::End, |to| BlockTarget::Block(block_of[to - ends.entry]));
                        let wanted = place + 1 == run.len() || !cuts(*kind);
                        if wanted && !next.contains(&(*kind, to)) {
                            next.push((*kind, to));
                        }
                    }
                }
                let role = run.last().map_or(Role::Plain, |node| self.graph.nodes[*node].step.role);
                let reached = run.first().is_some_and(|node| reached[*node]);
                Block { nodes: run.clone(), first: first(run), lines: lines(run), role, next, reached }
            })
            .collect();
        Blocks { blocks, complexity: ends.complexity }
    }
}
