//! Blocks: the graph as people draw it. Steps that follow one another are one block; places where ways only meet are gone.

use super::Analysis;
use super::graph::{NodeId, Way};
use super::ir::{FuncId, Role};
use super::table::Table;
use std::collections::BTreeSet;

/// Where a way out of a block goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum To {
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
    /// The ways out, in order.
    pub next: Vec<(Way, To)>,
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

const fn is_jump(way: Way) -> bool {
    matches!(way, Way::Return | Way::Break | Way::Continue | Way::Throw | Way::Raise | Way::Leave)
}

const fn is_error(way: Way) -> bool {
    matches!(way, Way::Throw | Way::Raise)
}

/// Errors do not cut blocks: they are ways out of the whole.
const fn cuts(way: Way) -> bool {
    !matches!(way, Way::Raise | Way::Leave)
}

impl Analysis {
    /// True for nodes that nobody wants to see.
    fn hidden(&self, node: NodeId) -> bool {
        let step = &self.graph.nodes[node].step;
        matches!(step.role, Role::Leave | Role::Declared | Role::Deferred) || step.lines.is_empty()
    }

    /// The ways from a node to the next ones that are shown; `None` is the end of the function.
    fn shown_ways(&self, node: NodeId, exit: NodeId) -> Vec<(Way, Option<NodeId>)> {
        let mut found: Vec<(Way, Option<NodeId>)> = Vec::new();
        let mut seen: BTreeSet<(NodeId, Way)> = BTreeSet::new();
        let direct = self.graph.next[node].iter().filter(|edge| edge.flow).map(|edge| (edge.way, edge.to));
        let mut open: Vec<(Way, NodeId)> = direct.collect();
        open.reverse();
        while let Some((way, to)) = open.pop() {
            if to == exit || !self.hidden(to) {
                let target = (to != exit).then_some(to);
                if !found.contains(&(way, target)) {
                    found.push((way, target));
                }
                continue;
            }
            if !seen.insert((to, way)) {
                continue;
            }
            // What came here by a jump leaves by that jump; what came by itself does not.
            let edges: Vec<_> = self.graph.next[to].iter().filter(|edge| edge.flow).collect();
            let leaves = self.graph.nodes[to].step.role == Role::Leave;
            let fits = |other: Way| {
                !leaves
                    || if is_jump(way) {
                        other == way || (is_error(way) && is_error(other))
                    } else {
                        !is_jump(other)
                    }
            };
            let fitting: Vec<_> = edges.iter().filter(|edge| fits(edge.way)).collect();
            let chosen: Vec<_> = if fitting.is_empty() { edges.iter().collect() } else { fitting };
            open.extend(chosen.into_iter().rev().map(|edge| {
                let plain = matches!(way, Way::Next | Way::Back);
                (if plain { edge.way } else { way }, edge.to)
            }));
        }
        found
    }

    /// The blocks of a function.
    pub fn blocks(&self, func: FuncId) -> Blocks {
        let ends = self.graph.ends[func];
        let count = (ends.exit - ends.entry + 1) as usize;
        let ways: Table<Vec<(Way, Option<NodeId>)>> =
            (ends.entry..=ends.exit).map(|node| self.shown_ways(node, ends.exit)).collect();
        let mut in_ways: Table<Vec<NodeId>> = Table::filled(Vec::new(), count);
        for node in (ends.entry..ends.exit).filter(|node| !self.hidden(*node)) {
            for (_, to) in ways[node - ends.entry].iter().filter(|(way, _)| cuts(*way)) {
                if let Some(to) = to {
                    in_ways[*to - ends.entry].push(node);
                }
            }
        }
        let caught: BTreeSet<NodeId> =
            ways.iter().flatten().filter(|(way, _)| !cuts(*way)).filter_map(|(_, to)| *to).collect();
        let follows = |node: NodeId| -> Option<NodeId> {
            let mut out = ways[node - ends.entry].iter().filter(|(way, _)| cuts(*way));
            let (way, to) = out.next()?;
            let to = (*to)?;
            let alone = out.next().is_none() && matches!(way, Way::Next | Way::Case | Way::Fall);
            (alone && in_ways[to - ends.entry].len() == 1 && !caught.contains(&to) && to != ends.entry)
                .then_some(to)
        };
        let inner: BTreeSet<NodeId> =
            (ends.entry..ends.exit).filter(|node| !self.hidden(*node)).filter_map(follows).collect();
        let mut runs: Vec<Vec<NodeId>> = Vec::new();
        for node in (ends.entry..ends.exit).filter(|node| !self.hidden(*node) && !inner.contains(node)) {
            let mut run = vec![node];
            let mut at = node;
            // It cannot come back to itself: what is followed has one way in, and the first of a run is not followed.
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
                let mut next: Vec<(Way, To)> = Vec::new();
                for (place, node) in run.iter().enumerate() {
                    for (way, to) in &ways[*node - ends.entry] {
                        let to = to.map_or(To::End, |to| To::Block(block_of[to - ends.entry]));
                        let wanted = place + 1 == run.len() || !cuts(*way);
                        if wanted && !next.contains(&(*way, to)) {
                            next.push((*way, to));
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
