//! Dominators (Lengauer and Tarjan, with paths made shorter as they are walked) and the frontiers of what they dominate.
//! Vertices get new numbers so that "is dominated by" is a comparison; the work grows with the graph, not with its square.

use super::table::Table;

/// Nobody.
pub(super) const NONE: u32 = u32::MAX;

/// Lists of numbers, one for each vertex, in one piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// From pairs of a vertex and an item of its list; the order of the items stays.
    pub(super) fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut place = Table::filled(0_u32, count + 1);
        for (vertex, _) in pairs {
            place[vertex + 1] += 1;
        }
        for vertex in 1..=count as u32 {
            place[vertex] += place[vertex - 1];
        }
        let start: Vec<u32> = place.iter().copied().collect();
        let mut items = Table::filled(0_u32, pairs.len());
        for (vertex, item) in pairs {
            items[place[*vertex]] = *item;
            place[*vertex] += 1;
        }
        Self { start, items: items.iter().copied().collect() }
    }

    /// The list of a vertex.
    pub(super) fn of(&self, vertex: u32) -> &[u32] {
        let bound = |at: u32| self.start.get(at as usize).map_or(0, |start| *start as usize);
        self.items.get(bound(vertex)..bound(vertex + 1)).unwrap_or_default()
    }
}

/// The tree of dominators. A vertex is named by its place: the root is 0, and what a vertex dominates comes right after it.
#[derive(Clone, Debug)]
pub(super) struct Dominators {
    /// The place of each vertex.
    pub(super) place: Table<u32>,
    /// For each place, the one behind the last that it dominates.
    pub(super) behind: Table<u32>,
    /// For each place, that of the nearest dominator.
    pub(super) above: Table<u32>,
}

/// A walk from the root, deepest first; what it never gets to is walked as if the root led there.
struct Walk {
    /// Vertices in the order of the walk.
    order: Table<u32>,
    /// Each vertex's number in it.
    number: Table<u32>,
    /// By number: the number it was come from.
    parent: Table<u32>,
    /// By number: the root was taken to lead there.
    forced: Table<bool>,
}

impl Walk {
    fn new(next: &Lists, count: usize, root: u32, starts: impl Iterator<Item = u32>) -> Self {
        let mut walk = Self {
            order: Table::default(),
            number: Table::filled(NONE, count),
            parent: Table::default(),
            forced: Table::default(),
        };
        let mut open: Vec<(u32, u32)> = Vec::new();
        for start in std::iter::once(root).chain(starts) {
            if walk.number[start] != NONE {
                continue;
            }
            walk.visit(start, 0, start != root);
            open.push((start, 0));
            while let Some((vertex, at)) = open.last_mut() {
                let Some(to) = next.of(*vertex).get(*at as usize).copied() else {
                    open.pop();
                    continue;
                };
                *at += 1;
                if walk.number[to] == NONE {
                    let from = walk.number[*vertex];
                    walk.visit(to, from, false);
                    open.push((to, 0));
                }
            }
        }
        walk
    }

    fn visit(&mut self, vertex: u32, from: u32, forced: bool) {
        self.number[vertex] = self.order.push(vertex);
        self.parent.push(from);
        self.forced.push(forced);
    }
}

/// The forest of what was looked at, with the best found on each path.
struct Forest {
    semi: Table<u32>,
    best: Table<u32>,
    above: Table<u32>,
    path: Vec<u32>,
    steps: u64,
}

impl Forest {
    fn eval(&mut self, vertex: u32) -> u32 {
        if self.above[vertex] == NONE {
            return vertex;
        }
        let mut at = vertex;
        while self.above[self.above[at]] != NONE {
            self.path.push(at);
            at = self.above[at];
        }
        while let Some(low) = self.path.pop() {
            self.steps += 1;
            let high = self.above[low];
            if self.semi[self.best[high]] < self.semi[self.best[low]] {
                self.best[low] = self.best[high];
            }
            self.above[low] = self.above[high];
        }
        self.best[vertex]
    }
}

impl Dominators {
    /// Of a graph of `count` vertices. Where the root does not lead, it is taken to lead to the first of `starts` that is
    /// there.
    pub(super) fn new(
        next: &Lists,
        from: &Lists,
        count: usize,
        root: u32,
        starts: impl Iterator<Item = u32>,
        steps: &mut u64,
    ) -> Self {
        let walk = Walk::new(next, count, root, starts);
        let seen = walk.order.len();
        let numbers: Table<u32> = (0..seen as u32).collect();
        let mut forest = Forest {
            semi: numbers.clone(),
            best: numbers,
            above: Table::filled(NONE, seen),
            path: Vec::new(),
            steps: 0,
        };
        let mut dominator = Table::filled(0_u32, seen);
        // Who waits for whom, as lists through the vertices.
        let mut first = Table::filled(NONE, seen);
        let mut other = Table::filled(NONE, seen);
        for number in (1..seen as u32).rev() {
            if walk.forced[number] {
                forest.semi[number] = 0;
            }
            for source in from.of(walk.order[number]) {
                *steps += 1;
                let source = walk.number[*source];
                if source != NONE {
                    let best = forest.eval(source);
                    forest.semi[number] = forest.semi[number].min(forest.semi[best]);
                }
            }
            let semi = forest.semi[number];
            other[number] = first[semi];
            first[semi] = number;
            let parent = walk.parent[number];
            forest.above[number] = parent;
            let mut waiting = std::mem::replace(&mut first[parent], NONE);
            while waiting != NONE {
                let best = forest.eval(waiting);
                dominator[waiting] = if forest.semi[best] < forest.semi[waiting] { best } else { parent };
                waiting = other[waiting];
            }
        }
        for number in 1..seen as u32 {
            if dominator[number] != forest.semi[number] {
                dominator[number] = dominator[dominator[number]];
            }
        }
        *steps += forest.steps + seen as u64;
        Self::numbered(&walk, &dominator, count)
    }

    /// Gives the places: each tree in one run, parents first.
    fn numbered(walk: &Walk, dominator: &Table<u32>, count: usize) -> Self {
        let seen = walk.order.len() as u32;
        let mut size = Table::filled(1_u32, seen as usize);
        for number in (1..seen).rev() {
            let below = size[number];
            size[dominator[number]] += below;
        }
        let mut free = Table::filled(1_u32, seen as usize);
        let mut place_of = Table::filled(0_u32, seen as usize);
        let mut place = Table::filled(NONE, count);
        let mut behind = Table::filled(0_u32, seen as usize);
        let mut above = Table::filled(0_u32, seen as usize);
        for number in 0..seen {
            let own = if number == 0 {
                0
            } else {
                let parent = dominator[number];
                let own = free[parent];
                free[parent] += size[number];
                own
            };
            free[number] = own + 1;
            place_of[number] = own;
            place[walk.order[number]] = own;
            behind[own] = own + size[number];
            above[own] = place_of[dominator[number]];
        }
        Self { place, behind, above }
    }

    /// The dominance frontier of each place. `into` are the edges into each place.
    pub(super) fn frontiers(&self, into: &Lists, steps: &mut u64) -> Lists {
        let count = self.behind.len();
        let mut last = Table::filled(NONE, count);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for join in 0..count as u32 {
            let stop = self.above[join];
            for from in into.of(join) {
                let mut at = *from;
                while at != stop && last[at] != join {
                    last[at] = join;
                    pairs.push((at, join));
                    at = self.above[at];
                }
                *steps += 1;
            }
        }
        *steps += pairs.len() as u64;
        Lists::new(count, &pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lists(count: usize, edges: &[(u32, u32)]) -> (Lists, Lists) {
        let back: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        (Lists::new(count, edges), Lists::new(count, &back))
    }

    /// What the root does not get to without a vertex is dominated by it.
    fn cut(next: &Lists, count: usize, without: u32) -> Vec<bool> {
        let mut seen = vec![false; count];
        let mut open = if without == 0 { vec![] } else { vec![0] };
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at as usize], true) {
                open.extend(next.of(at).iter().copied().filter(|to| *to != without));
            }
        }
        seen
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn dominators_are_those_of_the_definition(edges in proptest::collection::vec((0_u32..12, 0_u32..12), 0..40)) {
            const COUNT: usize = 12;
            let (next, from) = lists(COUNT, &edges);
            let mut steps = 0;
            let tree = Dominators::new(&next, &from, COUNT, 0, std::iter::empty(), &mut steps);
            let all = cut(&next, COUNT, NONE);
            for a in 0..COUNT as u32 {
                let without = cut(&next, COUNT, a);
                for b in (0..COUNT as u32).filter(|b| all[*b as usize] && all[a as usize]) {
                    let dominates = a == b || !without[b as usize];
                    let (pa, pb) = (tree.place[a], tree.place[b]);
                    prop_assert_eq!(dominates, pa <= pb && pb < tree.behind[pa], "{} over {}", a, b);
                }
            }
        }

        /// A vertex's frontier: it dominates an edge in, but not the place itself.
        #[test]
        fn frontiers_are_those_of_the_definition(edges in proptest::collection::vec((0_u32..10, 1_u32..10), 0..30)) {
            const COUNT: usize = 10;
            // Everything is reached.
            let edges: Vec<(u32, u32)> = edges.into_iter().chain((1..10).map(|to| (0, to)).filter(|(_, to)| to % 3 == 0)).collect();
            let (next, from) = lists(COUNT, &edges);
            let mut steps = 0;
            let tree = Dominators::new(&next, &from, COUNT, 0, std::iter::empty(), &mut steps);
            let seen: Vec<(u32, u32)> = edges
                .iter()
                .filter(|(a, b)| tree.place[*a] != NONE && tree.place[*b] != NONE)
                .map(|(a, b)| (tree.place[*b], tree.place[*a]))
                .collect();
            let into = Lists::new(tree.behind.len(), &seen);
            let frontiers = tree.frontiers(&into, &mut steps);
            let over = |a: u32, b: u32| a <= b && b < tree.behind[a];
            for a in 0..tree.behind.len() as u32 {
                for join in 0..tree.behind.len() as u32 {
                    let meets = into.of(join).iter().any(|from| over(a, *from)) && (a == join || !over(a, join));
                    prop_assert_eq!(meets, frontiers.of(a).contains(&join), "{} {}", a, join);
                }
            }
        }
    }
}
