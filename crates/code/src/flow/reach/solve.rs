//! Follows one location through a function: a merge at every join point of its values, then one walk down the dominator
//! tree. The work grows with the touches of the location, not with the function around them.

use super::dominance::Dominance;
use super::locate::{Event, EventKind, Events, JOINS};
use super::{Flow, Merge, Value};
use crate::flow::table::Table;

/// What came out.
pub(super) struct Solved {
    pub(super) flows: Vec<Flow>,
    pub(super) merges: Table<Merge>,
    /// The values that were asked for.
    pub(super) asked: Vec<Value>,
    pub(super) steps: u64,
}

/// A value from a place on.
struct Set {
    /// The place.
    at: u32,
    value: Option<Value>,
    /// The one that it ends.
    over: Option<u32>,
}

/// Nothing was set before.
const START: u32 = u32::MAX;

pub(super) fn solve(events: Events<'_>) -> Solved {
    let Events { dominance, list, merges, steps, .. } = events;
    let mut solved = Solved { flows: Vec::new(), merges, asked: Vec::new(), steps };
    let most = dominance.iter().map(Dominance::len).max().unwrap_or(0) as usize;
    let mut marks = Marks { mark: Table::filled(0, most), current: 0 };
    let mut rest: &[Event] = &list;
    let mut bases: Vec<u32> = Vec::with_capacity(dominance.len());
    let mut sum = 0;
    for dom in &dominance {
        bases.push(sum);
        sum += dom.len();
    }
    while let Some(first) = rest.first() {
        let func = bases.partition_point(|base| *base <= first.at).saturating_sub(1);
        let (Some(dom), Some(base)) = (dominance.get(func), bases.get(func)) else { break };
        let end = base + dom.len();
        let count = rest.partition_point(|event| (event.location, event.at) < (first.location, end)).max(1);
        let (own, others) = rest.split_at(count);
        rest = others;
        solved.follow(own, dom, *base, &mut marks);
    }
    solved.flows.sort_unstable();
    solved.flows.dedup();
    solved
}

/// Places that were marked for the current question.
struct Marks {
    mark: Table<u32>,
    current: u32,
}

impl Marks {
    fn set(&mut self, at: u32) -> bool {
        std::mem::replace(&mut self.mark[at], self.current) != self.current
    }
}

impl Solved {
    /// One location in one function.
    fn follow(&mut self, events: &[Event], dom: &Dominance, base: u32, marks: &mut Marks) {
        self.steps += events.len() as u64;
        let reads =
            |event: &Event| matches!(event.what, EventKind::Use(..) | EventKind::Ask | EventKind::Take(_));
        if !events.iter().any(reads) {
            return;
        }
        let join_points = self.join_points(events, dom, base, marks);
        let mut sets: Table<Set> = Table::default();
        let mut phis: Vec<(u32, u32, u32)> = Vec::with_capacity(join_points.len());
        let mut open: Vec<u32> = Vec::new();
        let mut joins = join_points.iter().map(|at| Event {
            location: 0,
            at: base + at,
            order: JOINS,
            what: EventKind::Join,
        });
        let mut touches = events.iter().copied();
        let (mut join, mut touch) = (joins.next(), touches.next());
        loop {
            let event = match (join, touch) {
                (Some(first), Some(second)) if first.at > second.at => {
                    touch = touches.next();
                    second
                }
                (Some(first), _) => {
                    join = joins.next();
                    first
                }
                (None, Some(second)) => {
                    touch = touches.next();
                    second
                }
                (None, None) => break,
            };
            let at = event.at - base;
            while open.last().is_some_and(|set| dom.tree.behind[sets[*set].at] <= at) {
                open.pop();
            }
            let over = open.last().copied();
            let current = over.and_then(|set| sets[set].value);
            let value = match event.what {
                EventKind::Use(node, line) => {
                    self.flows.extend(current.map(|from| Flow { from, node, line }));
                    continue;
                }
                EventKind::Ask => {
                    self.asked.extend(current);
                    continue;
                }
                EventKind::Take(merge) => {
                    self.merges[merge].from.extend(current);
                    continue;
                }
                EventKind::Set(value) => value,
                EventKind::Also(value) => Some(match current {
                    Some(current) if current != value => {
                        Value::Merge(self.merges.push(Merge { from: vec![current, value], runs: Vec::new() }))
                    }
                    _ => value,
                }),
                EventKind::Join => {
                    let merge = self.merges.push(Merge::default());
                    phis.push((at, merge, over.unwrap_or(START)));
                    Some(Value::Merge(merge))
                }
            };
            let set = sets.push(Set { at, value, over });
            open.push(set);
        }
        self.fill_joins(&sets, &phis, dom);
    }

    /// The join points of a location, in order.
    fn join_points(&mut self, events: &[Event], dom: &Dominance, base: u32, marks: &mut Marks) -> Vec<u32> {
        marks.current += 1;
        let sets = |event: &&Event| matches!(event.what, EventKind::Set(_) | EventKind::Also(_));
        let mut open: Vec<u32> = events.iter().filter(sets).map(|event| event.at - base).collect();
        open.dedup();
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            for place in dom.frontiers.of(at) {
                self.steps += 1;
                if marks.set(*place) {
                    found.push(*place);
                    open.push(*place);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// A value reaches a join point when one of the edges into it comes from a place that the value dominates and that
    /// nothing that ends the value dominates. The edges are counted, not walked.
    fn fill_joins(&mut self, sets: &Table<Set>, phis: &[(u32, u32, u32)], dom: &Dominance) {
        if phis.is_empty() {
            return;
        }
        let mut counts: Vec<(u32, u32, i64)> = Vec::new();
        for (place, _, over) in phis {
            counts.push((*place, *over, dom.into.of(*place).len() as i64));
        }
        for (number, set) in sets.each() {
            for place in dom.frontiers.of(set.at) {
                let edges = i64::from(dom.edges_from(*place, set.at));
                counts.push((*place, number, edges));
                counts.push((*place, set.over.unwrap_or(START), -edges));
            }
        }
        self.steps += counts.len() as u64;
        counts.sort_unstable();
        let mut phis = phis.iter().peekable();
        let same = |a: &(u32, u32, i64), b: &(u32, u32, i64)| (a.0, a.1) == (b.0, b.1);
        for group in counts.chunk_by(same) {
            let Some((place, from, _)) = group.first() else { continue };
            while phis.next_if(|phi| phi.0 < *place).is_some() {}
            let Some((_, merge, _)) = phis.peek().filter(|phi| phi.0 == *place) else { continue };
            let edges: i64 = group.iter().map(|(_, _, edges)| edges).sum();
            if edges > 0 && *from != START {
                self.merges[*merge].from.extend(sets[*from].value);
            }
        }
    }
}
