//! Which definition reaches which use: sets of definitions along the graph, a block at a time, until nothing changes.
//! A function inside a function may run at any time after it was made: what it writes stays possible from there on.

use super::graph::{Graph, NodeId, Way};
use super::ir::{Access, FieldId, FuncId, Role, Touch, Unit, VarId, WHOLE};
use super::table::Table;

/// A definition's number.
pub type DefId = u32;

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

/// A value that goes from a definition to a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// From.
    pub def: DefId,
    /// To.
    pub node: NodeId,
    /// The line of the use.
    pub line: u32,
}

/// Definitions and where they go.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Every definition.
    pub defs: Table<Definition>,
    /// Every flow.
    pub flows: Vec<Flow>,
    /// Variables whose definitions meet at a node.
    merged: Table<Vec<VarId>>,
    of_var: Table<Vec<DefId>>,
    /// Variables without fields that one function alone writes.
    simple: Table<bool>,
    of_node: Table<Vec<DefId>>,
    blocks: Vec<Vec<NodeId>>,
    block_of: Table<u32>,
    ins: Table<Bits>,
}

/// The line of a definition that only brings others together.
pub const MERGED: u32 = 0;

const fn merging(var: VarId) -> Access {
    Access { var, field: WHOLE, touch: Touch::Update, line: MERGED }
}

/// A place where ways meet and nothing is decided.
fn meets(graph: &Graph, node: NodeId) -> bool {
    let step = &graph.nodes[node].step;
    step.role == Role::Join
        && step.lines.is_empty()
        && graph.next[node].iter().filter(|edge| edge.counts).count() == 1
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn set(&mut self, id: u32) {
        if let Some(word) = self.0.get_mut(id as usize / 64) {
            *word |= 1 << (id % 64);
        }
    }

    fn clear(&mut self, id: u32) {
        if let Some(word) = self.0.get_mut(id as usize / 64) {
            *word &= !(1 << (id % 64));
        }
    }

    /// The bits of a run that lie in a word.
    fn mask(run: &std::ops::Range<u32>, word: u32) -> u64 {
        let (from, to) = (run.start.max(word * 64), run.end.min(word * 64 + 64));
        if from >= to {
            return 0;
        }
        let count = to - from;
        let ones = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        ones << (from % 64)
    }

    fn fill(&mut self, run: std::ops::Range<u32>, value: bool) {
        for number in run.start / 64..run.end.div_ceil(64) {
            let mask = Self::mask(&run, number);
            if let Some(word) = self.0.get_mut(number as usize) {
                *word = if value { *word | mask } else { *word & !mask };
            }
        }
    }

    /// The numbers of a run that are set.
    fn among(&self, run: std::ops::Range<u32>) -> impl Iterator<Item = u32> + '_ {
        (run.start / 64..run.end.div_ceil(64)).flat_map(move |number| {
            let mut word = self.0.get(number as usize).copied().unwrap_or(0) & Self::mask(&run, number);
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(number * 64 + bit)
            })
        })
    }

    /// `self |= gen | (from & !kill)`; true when that changed something.
    fn take(&mut self, made: &Self, from: &Self, killed: &Self) -> bool {
        let mut changed = false;
        let others = made.0.iter().zip(&from.0).zip(&killed.0);
        for (word, ((made, from), killed)) in self.0.iter_mut().zip(others) {
            let new = *word | made | (from & !killed);
            changed |= new != *word;
            *word = new;
        }
        changed
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            let new = *word | other;
            changed |= new != *word;
            *word = new;
        }
        changed
    }
}

/// The step may not have come to its end.
const fn breaks_off(way: Way) -> bool {
    matches!(way, Way::Raise | Way::Leave)
}

/// What does not change while the sets are made.
struct Facts<'a> {
    unit: &'a Unit,
    graph: &'a Graph,
    /// For each function, the number behind the last one inside of it: they are numbered from outside to inside.
    behind: Table<FuncId>,
    /// For each function, the node that makes it.
    maker: Table<Option<NodeId>>,
}

impl<'a> Facts<'a> {
    fn new(unit: &'a Unit, graph: &'a Graph) -> Self {
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
        Self { unit, graph, behind, maker }
    }

    fn is_inside(&self, func: FuncId, outer: FuncId) -> bool {
        (outer..self.behind[outer]).contains(&func)
    }

    /// The nodes of a function and of those inside of it.
    fn nodes_inside(&self, func: FuncId) -> std::ops::RangeInclusive<NodeId> {
        self.graph.ends[func].entry..=self.graph.ends[self.behind[func] - 1].exit
    }

    /// A definition in `by` ends a definition in `of`: its own, and those of the functions around it. What another
    /// function wrote may be written again at any time.
    fn ends(&self, by: FuncId, of: FuncId) -> bool {
        self.is_inside(by, of)
    }
}

impl Reach {
    /// Follows every definition.
    pub fn new(unit: &Unit, graph: &Graph) -> Self {
        let facts = Facts::new(unit, graph);
        let mut reach = Self::definitions(unit, graph, Table::filled(Vec::new(), graph.nodes.len()));
        reach.cut_blocks(&facts);
        reach.solve(&facts);
        let (merges, count) = reach.merges(&facts);
        if count > 0 {
            reach = Self::definitions(unit, graph, merges);
            reach.cut_blocks(&facts);
            reach.solve(&facts);
        }
        reach.follow(&facts);
        reach
    }

    /// Where many definitions of one variable meet, and where that is. From there on they are one: else a function with
    /// n changes of a variable would have n times n flows.
    fn merges(&self, facts: &Facts<'_>) -> (Table<Vec<VarId>>, usize) {
        const MANY: usize = 12;
        const MEET: usize = 4;
        let graph = facts.graph;
        let mut merges: Table<Vec<VarId>> = Table::filled(Vec::new(), graph.nodes.len());
        let mut count = 0;
        let heavy: Vec<VarId> =
            self.of_var.each().filter(|(_, defs)| defs.len() >= MANY).map(|(var, _)| var).collect();
        if heavy.is_empty() {
            return (merges, 0);
        }
        let fields = |var: VarId| self.of_var[var].iter().any(|def| self.defs[*def].field != WHOLE);
        let heavy: Vec<VarId> = heavy.into_iter().filter(|var| !fields(*var)).collect();
        for (number, block) in self.blocks.iter().enumerate() {
            let Some(first) = block.first().copied().filter(|node| meets(graph, *node)) else { continue };
            let bits = &self.ins[number as u32];
            for var in &heavy {
                if bits.among(self.run(*var)).nth(MEET - 1).is_some() {
                    merges[first].push(*var);
                    count += 1;
                }
            }
        }
        (merges, count)
    }

    /// True for a node that stands for a place where ways meet, and that brought definitions together.
    pub fn is_merge(&self, node: NodeId) -> bool {
        !self.merged[node].is_empty()
    }

    /// Every definition with the lines of its uses, through the places where definitions meet.
    pub fn uses(&self) -> std::collections::BTreeMap<DefId, std::collections::BTreeSet<(NodeId, u32)>> {
        let mut direct: Table<Vec<(NodeId, u32)>> = Table::filled(Vec::new(), self.defs.len());
        for flow in &self.flows {
            direct[flow.def].push((flow.node, flow.line));
        }
        let mut uses = std::collections::BTreeMap::new();
        for (id, def) in self.defs.each().filter(|(_, def)| def.line != MERGED) {
            let mut found = std::collections::BTreeSet::new();
            let mut seen: std::collections::BTreeSet<DefId> = std::collections::BTreeSet::new();
            let mut open = vec![id];
            while let Some(at) = open.pop() {
                for (node, line) in &direct[at] {
                    if *line != MERGED {
                        found.insert((*node, *line));
                        continue;
                    }
                    let next =
                        self.of_node[*node].iter().copied().filter(|next| self.defs[*next].var == def.var);
                    open.extend(next.filter(|next| seen.insert(*next)));
                }
            }
            uses.insert(id, found);
        }
        uses
    }

    /// The definitions of a node.
    pub fn at(&self, node: NodeId) -> &[DefId] {
        &self.of_node[node]
    }

    fn definitions(unit: &Unit, graph: &Graph, merged: Table<Vec<VarId>>) -> Self {
        let mut reach = Self {
            merged,
            of_var: Table::filled(Vec::new(), unit.vars.len()),
            of_node: Table::filled(Vec::new(), graph.nodes.len()),
            ..Self::default()
        };
        // By variable: what a write ends is then a run of numbers.
        let mut found: Vec<Definition> = Vec::new();
        for (id, _) in graph.nodes.each() {
            let written = reach.touched(graph, id).filter(|access| access.touch != Touch::Use);
            found.extend(written.map(|Access { var, field, touch, line }| Definition {
                node: id,
                var,
                field,
                touch,
                line,
            }));
        }
        found.sort_by_key(|def| def.var);
        for def in found {
            let id = reach.defs.push(def);
            reach.of_var[def.var].push(id);
            reach.of_node[def.node].push(id);
        }
        // A node's own list is in the order of its touches.
        for (id, _) in graph.nodes.each() {
            if reach.of_node[id].len() < 2 {
                continue;
            }
            let mut left = std::mem::take(&mut reach.of_node[id]);
            let mut ordered = Vec::with_capacity(left.len());
            for access in reach.touched(graph, id).filter(|access| access.touch != Touch::Use) {
                if let Some(at) = left.iter().position(|def| reach.defs[*def].var == access.var) {
                    ordered.push(left.remove(at));
                }
            }
            reach.of_node[id] = ordered;
        }
        reach.simple = reach.of_var.iter().map(|defs| reach.is_simple(graph, defs)).collect();
        reach
    }

    /// No fields, and written by one function alone: any write ends every other.
    fn is_simple(&self, graph: &Graph, defs: &[DefId]) -> bool {
        let mut funcs = defs.iter().map(|def| graph.nodes[self.defs[*def].node].func);
        let first = funcs.next();
        funcs.all(|func| Some(func) == first) && defs.iter().all(|def| self.defs[*def].field == WHOLE)
    }

    /// The run of numbers of a variable's definitions.
    fn run(&self, var: VarId) -> std::ops::Range<DefId> {
        let list = &self.of_var[var];
        list.first().map_or(0..0, |first| *first..*first + list.len() as u32)
    }

    /// Everything that a node touches, in order: first what meets there.
    fn touched<'s>(&'s self, graph: &'s Graph, node: NodeId) -> impl Iterator<Item = Access> + 's {
        let merged = self.merged[node].iter().copied().map(merging);
        merged.chain(graph.nodes[node].step.accesses.iter().copied())
    }

    /// Runs of nodes with one way in and one way out.
    fn cut_blocks(&mut self, facts: &Facts<'_>) {
        let graph = facts.graph;
        let mut ways_in = Table::filled(0_u32, graph.nodes.len());
        for edges in &graph.next {
            for edge in edges.iter().filter(|edge| edge.flow) {
                ways_in[edge.to] += 1;
            }
        }
        let may_break_off =
            |node: NodeId| graph.next[node].iter().any(|edge| edge.flow && breaks_off(edge.way));
        let single = |node: NodeId| {
            let mut ways = graph.next[node].iter().filter(|edge| edge.flow);
            let only = ways.next()?;
            let alone = ways.next().is_none() && graph.nodes[node].step.makes.is_empty();
            (alone && ways_in[only.to] == 1 && !may_break_off(only.to)).then_some(only.to)
        };
        let mut inner = Table::filled(false, graph.nodes.len());
        for (node, _) in graph.nodes.each() {
            if let Some(next) = single(node) {
                inner[next] = true;
            }
        }
        self.block_of = Table::filled(u32::MAX, graph.nodes.len());
        for (node, _) in graph.nodes.each().filter(|(node, _)| !inner[*node]) {
            let mut block = vec![node];
            let mut at = node;
            while let Some(next) = single(at) {
                block.push(next);
                at = next;
            }
            for node in &block {
                self.block_of[*node] = self.blocks.len() as u32;
            }
            self.blocks.push(block);
        }
    }

    /// What a write of `access` in `func` puts an end to.
    fn ended<'s>(
        &'s self,
        facts: &'s Facts<'_>,
        func: FuncId,
        access: Access,
    ) -> impl Iterator<Item = DefId> + 's {
        self.of_var[access.var].iter().copied().filter(move |def| {
            let other = &self.defs[*def];
            access.touch != Touch::May
                && (access.field == WHOLE || access.field == other.field)
                && facts.ends(func, facts.graph.nodes[other.node].func)
        })
    }

    /// What functions made by a node may write to variables of others, at any time from there on.
    fn far_writes(&self, facts: &Facts<'_>, func: FuncId) -> Vec<DefId> {
        facts
            .nodes_inside(func)
            .flat_map(|node| self.of_node[node].iter().copied())
            .filter(|def| !facts.is_inside(facts.unit.vars[self.defs[*def].var].owner, func))
            .collect()
    }

    /// What others may have written before a function runs, though it was made earlier.
    fn late_writes(&self, facts: &Facts<'_>, func: FuncId) -> Vec<DefId> {
        let graph = facts.graph;
        let Some(maker) = facts.maker[func] else { return Vec::new() };
        let creator = graph.nodes[maker].func;
        let captured: std::collections::BTreeSet<VarId> = facts
            .nodes_inside(func)
            .flat_map(|node| graph.nodes[node].step.accesses.iter().map(|access| access.var))
            .filter(|var| !facts.is_inside(facts.unit.vars[*var].owner, func))
            .collect();
        let candidates: Vec<DefId> = captured
            .iter()
            .flat_map(|var| self.of_var[*var].iter().copied())
            .filter(|def| !facts.is_inside(graph.nodes[self.defs[*def].node].func, func))
            .collect();
        if candidates.is_empty() {
            return candidates;
        }
        let mut after = Table::filled(false, graph.nodes.len());
        let mut open: Vec<NodeId> =
            graph.next[maker].iter().filter(|edge| edge.flow).map(|edge| edge.to).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut after[node], true) {
                open.extend(graph.next[node].iter().filter(|edge| edge.flow).map(|edge| edge.to));
            }
        }
        let possible = |def: &DefId| {
            let node = self.defs[*def].node;
            graph.nodes[node].func != creator || after[node]
        };
        candidates.into_iter().filter(possible).collect()
    }

    fn solve(&mut self, facts: &Facts<'_>) {
        let graph = facts.graph;
        let (blocks, defs) = (self.blocks.len(), self.defs.len());
        let mut made = Table::filled(Bits::new(defs), blocks);
        let mut killed = Table::filled(Bits::new(defs), blocks);
        let mut ins = Table::filled(Bits::new(defs), blocks);
        let mut next: Table<Vec<(u32, bool)>> = Table::filled(Vec::new(), blocks);
        for (number, block) in self.blocks.iter().enumerate() {
            let number = number as u32;
            for id in block {
                let node = &graph.nodes[*id];
                let writes = self.touched(graph, *id).filter(|access| access.touch != Touch::Use);
                for (access, def) in writes.zip(&self.of_node[*id]) {
                    if self.simple[access.var] && access.touch != Touch::May {
                        made[number].fill(self.run(access.var), false);
                        killed[number].fill(self.run(access.var), true);
                    } else {
                        for old in self.ended(facts, node.func, access) {
                            made[number].clear(old);
                            killed[number].set(old);
                        }
                    }
                    made[number].set(*def);
                    killed[number].clear(*def);
                }
                for func in &node.step.makes {
                    for def in self.far_writes(facts, *func) {
                        made[number].set(def);
                    }
                    let entry = self.block_of[graph.ends[*func].entry];
                    next[number].push((entry, false));
                    for def in self.late_writes(facts, *func) {
                        ins[entry].set(def);
                    }
                }
            }
            // Inside of a block there is only one way.
            for edge in block.last().into_iter().flat_map(|id| &graph.next[*id]).filter(|edge| edge.flow) {
                next[number].push((self.block_of[edge.to], breaks_off(edge.way)));
            }
        }
        // In order of the text first: most of it settles in two rounds.
        let mut waiting: std::collections::BTreeSet<u32> = (0..blocks as u32).collect();
        let mut out = Bits::new(defs);
        while let Some(number) = waiting.pop_first() {
            out.0.iter_mut().for_each(|word| *word = 0);
            out.take(&made[number], &ins[number], &killed[number]);
            for (to, broken_off) in &next[number] {
                let mut changed = ins[*to].join(&out);
                if *broken_off && *to != number {
                    // It threw before it wrote, or after.
                    let before = std::mem::take(&mut ins[number]);
                    changed |= ins[*to].join(&before);
                    ins[number] = before;
                }
                if changed {
                    waiting.insert(*to);
                }
            }
        }
        self.ins = ins;
    }

    fn follow(&mut self, facts: &Facts<'_>) {
        let mut flows = Vec::new();
        let mut live: Vec<(VarId, Vec<DefId>)> = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            live.clear();
            for id in block {
                let node = &facts.graph.nodes[*id];
                let mut writes = self.of_node[*id].iter();
                for access in self.touched(facts.graph, *id) {
                    let current = self.live(&mut live, number as u32, access.var);
                    if matches!(access.touch, Touch::Use | Touch::Update) {
                        let read = |def: &&DefId| {
                            let field = self.defs[**def].field;
                            access.field == WHOLE || field == WHOLE || field == access.field
                        };
                        flows.extend(current.iter().filter(read).map(|def| Flow {
                            def: *def,
                            node: *id,
                            line: access.line,
                        }));
                    }
                    if access.touch != Touch::Use
                        && let Some(def) = writes.next()
                    {
                        if access.touch != Touch::May {
                            current.retain(|old| {
                                let other = &self.defs[*old];
                                !((access.field == WHOLE || access.field == other.field)
                                    && facts.ends(node.func, facts.graph.nodes[other.node].func))
                            });
                        }
                        if !current.contains(def) {
                            current.push(*def);
                        }
                    }
                }
            }
        }
        flows.sort_unstable();
        flows.dedup();
        self.flows = flows;
    }

    /// The definitions of a variable that are alive at a place in a block.
    fn live<'l>(&self, live: &'l mut Vec<(VarId, Vec<DefId>)>, block: u32, var: VarId) -> &'l mut Vec<DefId> {
        let place = live.iter().position(|(other, _)| *other == var).unwrap_or_else(|| {
            let bits = &self.ins[block];
            live.push((var, bits.among(self.run(var)).collect()));
            live.len() - 1
        });
        // The place was found or made above.
        #[expect(clippy::indexing_slicing, reason = "found or made above")]
        &mut live[place].1
    }

    /// The definitions of a variable that reach a node, before it does anything.
    pub fn before(&self, unit: &Unit, graph: &Graph, wanted: NodeId, var: VarId) -> Vec<DefId> {
        let facts = Facts::new(unit, graph);
        let number = self.block_of[wanted];
        let mut live = Vec::new();
        for id in self.blocks.get(number as usize).into_iter().flatten().take_while(|id| **id != wanted) {
            let node = &graph.nodes[*id];
            let writes = self.touched(graph, *id).filter(|access| access.touch != Touch::Use);
            for (access, def) in writes.zip(&self.of_node[*id]).filter(|(access, _)| access.var == var) {
                let current = self.live(&mut live, number, var);
                let ended: Vec<DefId> = self.ended(&facts, node.func, access).collect();
                current.retain(|old| !ended.contains(old));
                current.push(*def);
            }
        }
        self.live(&mut live, number, var).clone()
    }
}
