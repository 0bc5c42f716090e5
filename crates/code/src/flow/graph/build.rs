//! Makes the graph of a function from its structured form: what each construct leads to.
//! Open ends of paths are carried along until their target is known; jumps go through whatever must be done before.

use super::{Edge, EdgeKind, Ends, Graph, Node, NodeId};
use crate::flow::ir::{Arm, Body, FuncId, Jump, Loop, Role, Step, Stmt, Switch, Try, With};
use std::collections::HashMap;

/// An edge that has no end yet.
#[derive(Clone, Copy, Debug)]
struct Loose {
    from: NodeId,
    kind: EdgeKind,
    flow: bool,
    counts: bool,
}

impl Loose {
    const fn next(from: NodeId) -> Self {
        Self::real(from, EdgeKind::Next)
    }

    const fn real(from: NodeId, kind: EdgeKind) -> Self {
        Self { from, kind, flow: true, counts: true }
    }

    /// Counts for dependence, but control never takes it.
    const fn ghost(from: NodeId, kind: EdgeKind) -> Self {
        Self { from, kind, flow: false, counts: true }
    }

    /// Control takes it, but it does not count.
    const fn silent(from: NodeId, kind: EdgeKind) -> Self {
        Self { from, kind, flow: true, counts: false }
    }
}

type Front = Vec<Loose>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Return,
    Throw,
    /// Behind the frame of this number.
    Break(usize),
    /// To the next round of the frame of this number.
    Continue(usize),
}

enum Frame {
    Loop {
        label: Option<String>,
        breaks: Front,
        rounds: Front,
    },
    Block {
        label: Option<String>,
        bare: bool,
        breaks: Front,
    },
    Try {
        thrown: Front,
    },
    /// Something that is done on every path out.
    Last {
        waiting: Vec<(Target, Front)>,
    },
}

pub(super) struct Builder<'g> {
    graph: &'g mut Graph,
    func: FuncId,
    frames: Vec<Frame>,
    /// Frames that want to know of errors.
    catching: usize,
    exits: Front,
    labels: HashMap<String, NodeId>,
    gotos: Vec<(String, NodeId)>,
    complexity: u32,
}

impl<'g> Builder<'g> {
    pub(super) fn new(graph: &'g mut Graph, func: FuncId) -> Self {
        Self {
            graph,
            func,
            frames: Vec::new(),
            catching: 0,
            exits: Vec::new(),
            labels: HashMap::new(),
            gotos: Vec::new(),
            complexity: 1,
        }
    }

    pub(super) fn build(mut self, entry: Step, body: Body, exit: Step) -> Ends {
        let entry = self.node(entry, Vec::new());
        let mut front = self.seq(body, vec![Loose::next(entry)]);
        front.append(&mut self.exits);
        // Everything depends on the function being entered.
        front.push(Loose::ghost(entry, EdgeKind::No));
        for (label, from) in std::mem::take(&mut self.gotos) {
            if let Some(to) = self.labels.get(&label).copied() {
                self.connect(vec![Loose::real(from, EdgeKind::Goto)], to);
            } else {
                front.push(Loose::real(from, EdgeKind::Goto));
                self.graph.lost.push(label);
            }
        }
        let exit = self.node(exit, front);
        Ends { entry, exit, complexity: self.complexity }
    }

    fn connect(&mut self, front: Front, to: NodeId) {
        for loose in front {
            let edge = Edge { to, kind: loose.kind, flow: loose.flow, counts: loose.counts };
            self.graph.next[loose.from].push(edge);
        }
    }

    fn node(&mut self, step: Step, mut front: Front) -> NodeId {
        if step.role != Role::Join && front.iter().filter(|loose| loose.flow).count() > 1 {
            // A join point has a node of its own: values are merged there.
            front = vec![Loose::next(self.join(front))];
        }
        self.complexity += step.decisions;
        let (throws, leaves) = (step.throws && self.catching > 0, step.leaves);
        let id = self.graph.nodes.push(Node { func: self.func, step });
        self.graph.next.push(Vec::new());
        self.connect(front, id);
        if throws {
            self.route(Target::Throw, vec![Loose::silent(id, EdgeKind::Raise)]);
        }
        if leaves {
            self.route(Target::Return, vec![Loose::silent(id, EdgeKind::Leave)]);
        }
        id
    }

    fn join(&mut self, front: Front) -> NodeId {
        self.node(Step::empty(Role::Join), front)
    }

    fn push(&mut self, frame: Frame) {
        self.catching += usize::from(matches!(frame, Frame::Try { .. } | Frame::Last { .. }));
        self.frames.push(frame);
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop();
        self.catching -= usize::from(matches!(frame, Some(Frame::Try { .. } | Frame::Last { .. })));
        frame
    }

    /// Brings ends to where they jump, through whatever must be done before.
    fn route(&mut self, target: Target, mut front: Front) {
        for (number, frame) in self.frames.iter_mut().enumerate().rev() {
            match (frame, target) {
                (Frame::Loop { breaks, .. } | Frame::Block { breaks, .. }, Target::Break(wanted))
                    if wanted == number =>
                {
                    breaks.append(&mut front);
                    return;
                }
                (Frame::Loop { rounds, .. }, Target::Continue(wanted)) if wanted == number => {
                    rounds.append(&mut front);
                    return;
                }
                (Frame::Try { thrown }, Target::Throw) => {
                    thrown.append(&mut front);
                    return;
                }
                (Frame::Last { waiting }, _) => {
                    match waiting.iter_mut().find(|(other, _)| *other == target) {
                        Some((_, list)) => list.append(&mut front),
                        None => waiting.push((target, front)),
                    }
                    return;
                }
                _ => {}
            }
        }
        self.exits.append(&mut front);
    }

    /// The frame that a `break` or a `continue` means.
    fn frame_of(&self, wanted: Option<&str>, round: bool) -> Option<usize> {
        self.frames.iter().rposition(|frame| match (frame, wanted) {
            (Frame::Loop { .. }, None) => true,
            (Frame::Block { bare, .. }, None) => *bare && !round,
            (Frame::Loop { label, .. }, Some(_)) => label.as_deref() == wanted,
            (Frame::Block { label, .. }, Some(_)) => !round && label.as_deref() == wanted,
            _ => false,
        })
    }

    fn seq(&mut self, body: Body, front: Front) -> Front {
        body.into_iter().fold(front, |front, stmt| self.stmt(stmt, front))
    }

    fn stmt(&mut self, stmt: Stmt, front: Front) -> Front {
        match stmt {
            Stmt::Step(step) => vec![Loose::next(self.node(step, front))],
            Stmt::If(branch) => self.branch(branch.arms, branch.other, front),
            Stmt::Loop(round) if round.at_end => self.loop_at_end(round, front),
            Stmt::Loop(round) => self.loop_at_top(round, front),
            Stmt::Switch(switch) => self.switch(switch, front),
            Stmt::Try(attempt) => self.attempt(attempt, front),
            Stmt::With(with) => self.with(with, front),
            Stmt::Block(label, body) => {
                self.push(Frame::Block { label: Some(label), bare: false, breaks: Vec::new() });
                let mut front = self.seq(body, front);
                if let Some(Frame::Block { breaks, .. }) = self.pop() {
                    front.extend(breaks);
                }
                front
            }
            Stmt::Jump(step, jump) => self.jump(step, jump, front),
            Stmt::Perhaps(body) => {
                let join = self.join(front);
                let mut front = self.seq(body, vec![Loose::next(join)]);
                front.push(Loose::next(join));
                front
            }
            Stmt::Label(name) => {
                let join = self.join(front);
                self.labels.insert(name, join);
                vec![Loose::next(join)]
            }
        }
    }

    fn jump(&mut self, step: Step, jump: Jump, front: Front) -> Front {
        let id = self.node(step, front);
        let (target, kind) = match jump {
            Jump::Return => (Some(Target::Return), EdgeKind::Return),
            Jump::Throw => (Some(Target::Throw), EdgeKind::Throw),
            Jump::Break(label) => {
                (self.frame_of(label.as_deref(), false).map(Target::Break), EdgeKind::Break)
            }
            Jump::Continue(label) => {
                (self.frame_of(label.as_deref(), true).map(Target::Continue), EdgeKind::Continue)
            }
            Jump::Goto(label) => {
                self.gotos.push((label, id));
                return vec![Loose::ghost(id, EdgeKind::Next)];
            }
            Jump::Fallthrough => (None, EdgeKind::Fall),
        };
        let Some(target) = target else { return vec![Loose::real(id, kind)] };
        self.route(target, vec![Loose::real(id, kind)]);
        // As if it might not jump: what follows depends on the jump.
        vec![Loose::ghost(id, EdgeKind::Next)]
    }

    fn branch(&mut self, arms: Vec<Arm>, other: Body, mut front: Front) -> Front {
        let mut outs = Vec::new();
        for arm in arms {
            front = self.seq(arm.before, front);
            let test = self.node(arm.test, front);
            self.complexity += 1;
            outs.extend(self.seq(arm.body, vec![Loose::real(test, EdgeKind::Yes)]));
            front = vec![Loose::real(test, EdgeKind::No)];
        }
        outs.extend(self.seq(other, front));
        outs
    }

    /// The edges into a loop's body and out of its head.
    fn head(&mut self, step: Step, endless: bool, front: Front) -> (Loose, Loose) {
        let (yes, no) = if step.role == Role::Each {
            (EdgeKind::Each, EdgeKind::Done)
        } else {
            (EdgeKind::Yes, EdgeKind::No)
        };
        self.complexity += u32::from(!endless);
        let head = self.node(step, front);
        let out = if endless { Loose::ghost(head, no) } else { Loose::real(head, no) };
        (Loose::real(head, if endless { EdgeKind::Next } else { yes }), out)
    }

    fn close(&mut self, front: Front, start: NodeId) {
        let back = front
            .into_iter()
            .map(|loose| Loose {
                kind: if loose.kind == EdgeKind::Next { EdgeKind::Back } else { loose.kind },
                ..loose
            })
            .collect();
        self.connect(back, start);
    }

    fn loop_at_top(&mut self, round: Loop, mut front: Front) -> Front {
        let start = self.join(std::mem::take(&mut front));
        front = self.seq(round.before, vec![Loose::next(start)]);
        let (inside, out) = self.head(round.head, round.endless, front);
        self.push(Frame::Loop { label: round.label, breaks: Vec::new(), rounds: Vec::new() });
        let mut end = self.seq(round.body, vec![inside]);
        let Some(Frame::Loop { breaks, rounds, .. }) = self.pop() else { return end };
        end.extend(rounds);
        let end = self.seq(round.update, end);
        self.close(end, start);
        let mut outs = self.seq(round.other, vec![out]);
        outs.extend(breaks);
        outs
    }

    fn loop_at_end(&mut self, round: Loop, front: Front) -> Front {
        let start = self.join(front);
        self.push(Frame::Loop { label: round.label, breaks: Vec::new(), rounds: Vec::new() });
        let mut end = self.seq(round.body, vec![Loose::next(start)]);
        let Some(Frame::Loop { breaks, rounds, .. }) = self.pop() else { return end };
        end.extend(rounds);
        let end = self.seq(round.before, end);
        let (again, out) = self.head(round.head, round.endless, end);
        self.close(vec![again], start);
        let mut outs = vec![out];
        outs.extend(breaks);
        outs
    }

    fn switch(&mut self, switch: Switch, front: Front) -> Front {
        let subject = self.node(switch.subject, front);
        let has_default = switch.cases.iter().any(|case| case.test.is_none());
        let last = switch.cases.len();
        let mut outs: Front = Vec::new();
        // The tests first: a default in the middle is entered when all of them failed.
        let mut no = vec![Loose::next(subject)];
        let mut bodies: Vec<(Front, Body, bool, bool)> = Vec::new();
        for (number, case) in switch.cases.into_iter().enumerate() {
            let Some(test) = case.test else {
                bodies.push((Vec::new(), case.body, case.falls, true));
                continue;
            };
            let certain = switch.exhaustive && !has_default && number + 1 == last && case.guard.is_none();
            let test = self.node(test, no);
            // Which case it is depends on the value, not on the cases before.
            self.connect(vec![Loose::ghost(subject, EdgeKind::Case)], test);
            outs.push(Loose::ghost(test, EdgeKind::No));
            self.complexity += u32::from(!certain);
            no = if certain { Vec::new() } else { vec![Loose::silent(test, EdgeKind::No)] };
            let mut yes = vec![Loose::real(test, EdgeKind::Case)];
            if let Some((before, guard)) = case.guard {
                let front = self.seq(before, yes);
                let guard = self.node(guard, front);
                self.complexity += 1;
                yes = vec![Loose::real(guard, EdgeKind::Yes)];
                no.push(Loose::real(guard, EdgeKind::No));
            }
            bodies.push((yes, case.body, case.falls, false));
        }
        if has_default || !switch.exhaustive {
            no.push(Loose::ghost(subject, EdgeKind::No));
        }
        self.push(Frame::Block { label: switch.label, bare: switch.breaks, breaks: Vec::new() });
        let mut carried: Front = Vec::new();
        for (mut entry, body, falls, default) in bodies {
            if default {
                entry.append(&mut no);
            }
            entry.append(&mut carried);
            let end = self.seq(body, entry);
            if falls {
                let fall = |loose: Loose| Loose {
                    kind: if loose.kind == EdgeKind::Next { EdgeKind::Fall } else { loose.kind },
                    ..loose
                };
                carried = end.into_iter().map(fall).collect();
            } else {
                outs.extend(end);
            }
        }
        outs.append(&mut carried);
        if let Some(Frame::Block { breaks, .. }) = self.pop() {
            outs.extend(breaks);
        }
        outs.append(&mut no);
        outs
    }

    fn attempt(&mut self, attempt: Try, front: Front) -> Front {
        let head = self.node(attempt.head, front);
        let last = attempt.last;
        if last.is_some() {
            self.push(Frame::Last { waiting: Vec::new() });
        }
        let mut thrown = Vec::new();
        let guarded = !attempt.handlers.is_empty();
        if guarded {
            self.push(Frame::Try { thrown: Vec::new() });
        }
        let end = self.seq(attempt.body, vec![Loose::next(head)]);
        if guarded && let Some(Frame::Try { thrown: list }) = self.pop() {
            thrown = list;
        }
        let mut outs = self.seq(attempt.other, end);
        let silent: Vec<NodeId> =
            thrown.iter().filter(|loose| !loose.counts).map(|loose| loose.from).collect();
        let mut entering = thrown;
        entering.push(Loose::ghost(head, EdgeKind::Raise));
        let mut first = true;
        let count = attempt.handlers.len();
        for (number, handler) in attempt.handlers.into_iter().enumerate() {
            let catch = self.node(handler.head, entering);
            self.complexity += 1;
            if std::mem::take(&mut first) {
                self.graph.because.extend(silent.iter().map(|from| (catch, *from)));
            }
            outs.extend(self.seq(handler.body, vec![Loose::real(catch, EdgeKind::Yes)]));
            entering = Vec::new();
            if number + 1 == count {
                outs.push(Loose::ghost(catch, EdgeKind::No));
                if !handler.all {
                    self.route(Target::Throw, vec![Loose::silent(catch, EdgeKind::Raise)]);
                }
            } else {
                entering.push(Loose::real(catch, EdgeKind::No));
            }
        }
        match last {
            Some(last) => self.last(last, outs),
            None => outs,
        }
    }

    /// What is done on every path out, and from there on to the target of each.
    fn last(&mut self, last: Body, normal: Front) -> Front {
        let Some(Frame::Last { waiting }) = self.pop() else { return normal };
        let goes_on = normal.iter().any(|loose| loose.flow);
        let mut front = normal;
        front.extend(waiting.iter().flat_map(|(_, list)| list.iter().copied()));
        let end = self.seq(last, front);
        let end = self.join(end);
        self.onward(end, waiting, goes_on, false)
    }

    fn onward(&mut self, end: NodeId, waiting: Vec<(Target, Front)>, goes_on: bool, swallows: bool) -> Front {
        let mut goes_on = goes_on;
        for (target, list) in waiting {
            let counts = list.iter().any(|loose| loose.counts);
            let kind = list
                .iter()
                .find(|loose| loose.counts)
                .or(list.first())
                .map_or(EdgeKind::Next, |one| one.kind);
            goes_on |= swallows && target == Target::Throw;
            // It is the jump that decides, not the end of what had to be done before.
            let jumps = list.iter().filter(|loose| loose.counts).map(|loose| (end, loose.from));
            self.graph.because.extend(jumps);
            self.route(target, vec![Loose { from: end, kind, flow: true, counts }]);
        }
        vec![Loose { from: end, kind: EdgeKind::Next, flow: goes_on, counts: true }]
    }

    fn with(&mut self, with: With, front: Front) -> Front {
        let mut leave = Step::empty(Role::Leave);
        leave.lines = vec![(with.enter.line(), with.enter.line())];
        leave.span = with.enter.span;
        let enter = self.node(with.enter, front);
        self.push(Frame::Last { waiting: Vec::new() });
        let mut end = self.seq(with.body, vec![Loose::next(enter)]);
        let Some(Frame::Last { waiting }) = self.pop() else { return end };
        let goes_on = end.iter().any(|loose| loose.flow);
        end.extend(waiting.iter().flat_map(|(_, list)| list.iter().copied()));
        let leave = self.node(leave, end);
        self.onward(leave, waiting, goes_on, with.swallows)
    }
}
