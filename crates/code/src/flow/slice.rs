//! Slices: the lines that a line depends on, or those that depend on it, over control and data.

use super::Analysis;
use super::depend::PointId;
use super::graph::NodeId;
use super::ir::{Touch, VarId};
use super::reach::Value;
use super::table::Table;
use std::collections::BTreeSet;

/// The direction of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What this line depends on.
    Backward,
    /// What depends on this line.
    Forward,
}

/// Why there is no slice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// Nothing is done there.
    #[error("line {line} does nothing: it is blank, a comment, or only closes something{}", near(*.nearest))]
    NothingThere {
        /// The line.
        line: u32,
        /// The nearest line that does something.
        nearest: Option<u32>,
    },
    /// The variable is not known there.
    #[error("line {line} knows no variable `{name}`; it has {}", if .known.is_empty() { "none".to_owned() } else { .known.join(", ") })]
    NoVariable {
        /// The line.
        line: u32,
        /// The name.
        name: String,
        /// What is there.
        known: Vec<String>,
    },
}

fn near(nearest: Option<u32>) -> String {
    nearest.map_or_else(String::new, |line| format!("; the nearest that does is {line}"))
}

impl Analysis {
    /// The nodes on a line.
    fn on_line(&self, line: u32) -> Vec<NodeId> {
        let on = self.graph.nodes.each().filter(|(_, node)| node.step.on(line));
        on.map(|(id, _)| id).collect()
    }

    /// Every line on which something is done.
    pub fn lines(&self) -> BTreeSet<u32> {
        self.graph.nodes.iter().flat_map(|node| &node.step.lines).flat_map(|(from, to)| *from..=*to).collect()
    }

    /// The lines of a slice, in order. The line itself is always one of them.
    pub fn slice(&self, line: u32, var: Option<&str>, direction: Direction) -> Result<Vec<u32>, SliceError> {
        let start = self.on_line(line);
        if start.is_empty() {
            let nearest = self.lines().into_iter().min_by_key(|other| (other.abs_diff(line), *other < line));
            return Err(SliceError::NothingThere { line, nearest });
        }
        let mut lines = BTreeSet::from([line]);
        let begin = match var {
            None => start,
            Some(name) => self.of_variable(&start, line, name, direction)?,
        };
        // A point with whether its value is wanted: a function inside depends on being made, not on what it gives.
        let mut open: Vec<(PointId, bool)> = begin.into_iter().map(|point| (point, true)).collect();
        let (graph, _, dependence) = self.seen();
        let forward = (direction == Direction::Forward).then(|| self.dependents());
        let nodes = graph.nodes.len() as u32;
        let mut seen = Table::filled((false, false), dependence.data.len());
        while let Some((node, wanted)) = open.pop() {
            let (was_seen, was_wanted) = seen[node];
            if was_seen && (was_wanted || !wanted) {
                continue;
            }
            seen[node] = (true, wanted);
            let step = (node < nodes).then(|| &graph.nodes[node].step);
            for (from, to) in step.into_iter().flat_map(|step| &step.lines) {
                lines.extend(*from..=*to);
            }
            if let Some(dependents) = &forward {
                open.extend(dependents[node].iter().map(|other| (*other, true)));
                continue;
            }
            open.extend(dependence.data[node].iter().map(|other| (*other, true)));
            let Some(step) = step else { continue };
            let is_entry = step.role == super::ir::Role::Entry;
            open.extend(dependence.control[node].iter().map(|other| (*other, !is_entry)));
            if wanted {
                open.extend(dependence.gives[node].iter().map(|other| (*other, true)));
            }
        }
        Ok(lines.into_iter().collect())
    }

    fn dependents(&self) -> Table<Vec<PointId>> {
        let (_, _, dependence) = self.seen();
        let mut dependents: Table<Vec<PointId>> = Table::filled(Vec::new(), dependence.data.len());
        for lists in [&dependence.control, &dependence.data, &dependence.gives] {
            for (node, list) in lists.each() {
                for on in list {
                    dependents[*on].push(node);
                }
            }
        }
        dependents
    }

    /// Where a slice for one variable begins.
    fn of_variable(
        &self,
        start: &[NodeId],
        line: u32,
        name: &str,
        direction: Direction,
    ) -> Result<Vec<PointId>, SliceError> {
        // `$x` may be called `x`.
        let is = |var: VarId| {
            let own = &self.unit.vars[var].name;
            own == name || own.strip_prefix('$') == Some(name)
        };
        let touched = || start.iter().flat_map(|node| self.graph.nodes[*node].step.accesses.iter());
        let here: BTreeSet<VarId> = touched().map(|access| access.var).filter(|var| is(*var)).collect();
        let named: Vec<VarId> = if here.is_empty() {
            // Not on the line, but alive there.
            let all = self.unit.vars.each().map(|(id, _)| id).filter(|var| is(*var));
            all.filter(|var| start.iter().any(|node| !self.reaching(*node, *var).is_empty())).collect()
        } else {
            here.into_iter().collect()
        };
        if named.is_empty() {
            let known: BTreeSet<String> = touched()
                .map(|access| &self.unit.vars[access.var])
                .filter(|var| var.origin != super::ir::Origin::Value)
                .map(|var| var.name.clone())
                .collect();
            let known = known.into_iter().collect();
            return Err(SliceError::NoVariable { line, name: name.to_owned(), known });
        }
        let (graph, reach, _) = self.seen();
        let mut open = Vec::new();
        for node in start {
            let accesses = &graph.nodes[*node].step.accesses;
            let writes =
                |access: &super::ir::Access| named.contains(&access.var) && access.touch != Touch::Use;
            match direction {
                Direction::Backward if accesses.iter().any(writes) => open.push(*node),
                Direction::Backward => {
                    for var in &named {
                        open.extend(self.reaching(*node, *var).into_iter().map(|def| reach.defs[def].node));
                    }
                }
                Direction::Forward if accesses.iter().any(writes) => {
                    let made = reach.at(*node).iter().filter(|def| named.contains(&reach.defs[**def].var));
                    let made: Vec<Value> = made.map(|def| Value::Def(*def)).collect();
                    let flows = reach.flows.iter().filter(|flow| made.contains(&flow.from));
                    open.extend(flows.map(|flow| flow.node));
                    let merges = reach.merges.each();
                    let merges =
                        merges.filter(|(_, merge)| merge.from.iter().any(|from| made.contains(from)));
                    open.extend(merges.map(|(merge, _)| graph.nodes.len() as u32 + merge));
                }
                Direction::Forward => open.push(*node),
            }
        }
        Ok(open)
    }

    fn reaching(&self, node: NodeId, var: VarId) -> Vec<u32> {
        let (graph, reach, _) = self.seen();
        reach.before(&self.unit, graph, node, var)
    }
}
