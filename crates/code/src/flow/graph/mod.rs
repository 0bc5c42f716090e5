//! The graph: one node for each step, edges for every path that control can take, made from the structured form.
//! An edge says whether control takes it and whether it counts for dependence: the two differ at jumps and errors.

mod build;

use super::ir::{FuncId, Role, Step, Unit};
use super::table::Table;

/// A node's number.
pub type NodeId = u32;

/// Why control takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// One after the other.
    Next,
    /// The condition holds.
    Yes,
    /// It does not.
    No,
    /// There is one more.
    Each,
    /// There is none left.
    Done,
    /// The case matches.
    Case,
    /// Out of one case into the next.
    Fall,
    /// To the next round.
    Back,
    /// A `break`.
    Break,
    /// A `continue`.
    Continue,
    /// A `goto`.
    Goto,
    /// A return.
    Return,
    /// A throw that is written.
    Throw,
    /// Something in the step threw.
    Raise,
    /// An error is handed to the caller (`?`).
    Leave,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where to.
    pub to: NodeId,
    /// Why.
    pub kind: EdgeKind,
    /// Control can take it.
    pub flow: bool,
    /// It counts for control dependence. A jump also counts as if it might not jump; errors that nobody wrote do not
    /// count, else everything would depend on every call before it.
    pub counts: bool,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// The function it is in.
    pub func: FuncId,
    /// What it does.
    pub step: Step,
}

/// The ends of one function.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Where it begins.
    pub entry: NodeId,
    /// Where it ends, however it ends.
    pub exit: NodeId,
    /// Decisions + 1.
    pub complexity: u32,
}

/// The graphs of every function of a unit, in one.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Table<Node>,
    /// Their edges out.
    pub next: Table<Vec<Edge>>,
    /// Each function's ends.
    pub ends: Table<Ends>,
    /// More dependence than the edges say: the first would not run (so) without the second.
    pub because: Vec<(NodeId, NodeId)>,
    /// Labels that were not found.
    pub lost: Vec<String>,
}

impl Graph {
    /// Makes the graph of a unit. The bodies move into it.
    pub fn new(unit: &mut Unit) -> Self {
        let mut graph = Self::default();
        for func in 0..unit.functions.len() as u32 {
            let function = &mut unit.functions[func];
            let body = std::mem::take(&mut function.body);
            let entry = std::mem::replace(&mut function.entry, Step::empty(Role::Entry));
            let mut exit = Step::empty(Role::Join);
            exit.accesses = function
                .results
                .iter()
                .map(|var| super::ir::Access {
                    var: *var,
                    field: super::ir::WHOLE,
                    touch: super::ir::Touch::Use,
                    line: function.lines.1,
                })
                .collect();
            let ends = build::Builder::new(&mut graph, func).build(entry, body, exit);
            graph.ends.push(ends);
        }
        graph
    }

    /// The nodes that control can reach from a node's function's entry, as a table of truths.
    pub fn reached(&self) -> Table<bool> {
        let mut seen = Table::filled(false, self.nodes.len());
        let mut open: Vec<NodeId> = self.ends.iter().map(|ends| ends.entry).collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            open.extend(self.next[node].iter().filter(|edge| edge.flow).map(|edge| edge.to));
        }
        seen
    }
}
