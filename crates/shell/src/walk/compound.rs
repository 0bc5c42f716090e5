//! Compound commands: branches, loops, cases.

use std::rc::Rc;

use crate::model::{Arg, EffectKind, HOLE};
use crate::syntax::ast::{CaseArm, CaseEnd, Command, CommandKind, Script, Word};

use super::state::{Fd, Leave, State};
use super::{Flow, Status, Stdin, Walk};

impl Walk<'_> {
    pub(super) fn compound(&mut self, kind: &CommandKind, stdin: &Stdin) -> (Flow, Status) {
        match kind {
            CommandKind::Group(body) => self.script(body, stdin),
            CommandKind::Subshell(body) => {
                let before = self.snapshot();
                self.st.at_exit = None;
                let (mut flow, status) = self.within_via("( )", |w| w.script(body, stdin));
                flow.push(self.end_shell());
                self.leave(before);
                (flow, status)
            }
            CommandKind::If { arms, otherwise } => self.if_clause(arms, otherwise.as_ref(), stdin),
            CommandKind::Loop { until, cond, body } => self.while_loop(*until, cond, body, stdin),
            CommandKind::ArithFor { exprs, body } => self.arith_for(exprs, body, stdin),
            CommandKind::For { var, words, body } => self.for_loop(var, words.as_deref(), body, stdin),
            CommandKind::Case { subject, arms } => self.case(subject, arms, stdin),
            CommandKind::Arith(word) => {
                let text = self.expand_one(word).text;
                (Flow::empty(), self.number_status(&text))
            }
            CommandKind::Test(items) => (Flow::empty(), self.double_test(items)),
            CommandKind::Coproc { name, body } => (self.coproc(name, body), Status::Likely),
            CommandKind::Simple { .. } | CommandKind::Function { .. } => (Flow::empty(), Status::Unknown),
        }
    }

    /// `((expression))` succeeds when it is not zero.
    fn number_status(&mut self, text: &str) -> Status {
        let certain = self.st.choices() == 1;
        match self.arithmetic(text) {
            _ if !certain => Status::Unknown,
            Some(0) => Status::False,
            Some(_) => Status::True,
            None => Status::Unknown,
        }
    }

    /// The command runs beside the shell; what is written to `${NAME[1]}` is its input.
    fn coproc(&mut self, name: &str, body: &Rc<Script>) -> Flow {
        let before = self.snapshot();
        self.forks += 1;
        let flow = self.within_via("coproc", |w| w.deciding(false, |w| w.script(body, &None).0));
        self.forks -= 1;
        self.leave(before);
        self.next_fd += 2;
        let (from, to) = (self.next_fd.to_string(), (self.next_fd - 1).to_string());
        self.st.fds.push((from.clone(), Fd::Data(flow)));
        self.st.fds.push((to.clone(), Fd::Writer(Rc::clone(body))));
        self.set_array(name, vec![Arg::new(from), Arg::new(to)]);
        Flow::empty()
    }

    fn case(&mut self, subject: &Word, arms: &[CaseArm], stdin: &Stdin) -> (Flow, Status) {
        let subject = self.expand_one(subject);
        let known = !subject.has_hole() && self.st.choices() == 1;
        let before = self.snapshot();
        let mut out = Flow::empty();
        let mut merged: Option<State> = None;
        let mut status = Status::True;
        let mut falls = false;
        let mut certain = false;
        for arm in arms {
            let mut hit = Some(false);
            for p in &arm.patterns {
                let matches = match self.pattern(p) {
                    Some(glob) if known => glob.matches(&subject.text),
                    _ => None,
                };
                hit = match (hit, matches) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
            if hit == Some(false) && !falls {
                continue;
            }
            let sure = hit == Some(true) || falls && certain;
            if !falls {
                self.st = before.clone();
            }
            let (flow, s) = self.within_via("case", |w| w.script(&arm.body, stdin));
            status = s;
            out.push(flow);
            falls = arm.end == CaseEnd::Next;
            if falls {
                certain |= sure;
                continue;
            }
            match merged.as_mut() {
                Some(m) => m.merge(self.snapshot()),
                None => merged = Some(self.snapshot()),
            }
            certain |= sure;
            if sure && arm.end == CaseEnd::Stop {
                break;
            }
            falls = false;
        }
        if falls {
            match merged.as_mut() {
                Some(m) => m.merge(self.snapshot()),
                None => merged = Some(self.snapshot()),
            }
        }
        self.st = merged.unwrap_or_else(|| before.clone());
        if !certain {
            self.st.merge(before);
            status = Status::Unknown;
        }
        (out, status)
    }

    /// How many rounds of a loop are followed.
    fn rounds(&self) -> usize {
        match self.loops {
            0 => 64,
            1 => 16,
            _ => 3,
        }
    }

    fn while_loop(&mut self, until: bool, cond: &Script, body: &Script, stdin: &Stdin) -> (Flow, Status) {
        let mut out = Flow::empty();
        let most = self.rounds();
        let first = self.snapshot();
        self.loops += 1;
        for round in 0..=most {
            let start = self.snapshot();
            let (flow, status) = self.deciding(false, |w| w.script(cond, stdin));
            out.push(flow);
            let (goes_on, ends) = if until {
                (status == Status::False, status == Status::True)
            } else {
                (status == Status::True, status == Status::False)
            };
            if self.st.exited || self.st.left.is_some() {
                break;
            }
            let likely = !until && (status == Status::Likely || hardly_fails(cond));
            if round == 0 && (goes_on || likely) && forks_without_end(body) {
                self.record("while", &[], false);
                self.effect(EffectKind::ForkBomb);
            }
            if ends {
                self.loops -= 1;
                return (out, if round == 0 { Status::True } else { Status::Unknown });
            }
            let before = self.snapshot();
            if round == most {
                // What else the rounds may do is not known.
                self.forget_changed(&first);
            }
            out.push(self.loop_body("loop", body, stdin).0);
            if self.leaves_loop() {
                break;
            }
            let same = self.st.vars == start.vars && self.st.consumed == start.consumed;
            if !goes_on {
                // It may not have run, or once more with what the first round left.
                if !same && round == 0 && self.loops < 3 {
                    out.push(self.loop_body("loop", body, stdin).0);
                    self.leaves_loop();
                }
                self.st.merge(before);
                break;
            }
            if same {
                break;
            }
        }
        self.loops -= 1;
        (out, Status::Unknown)
    }

    /// Whether the loop at hand is left; `break` and `continue` that mean it have done their work then.
    fn leaves_loop(&mut self) -> bool {
        let (left, ends) = match self.st.left {
            Some(Leave::Break(n)) if n > 1 => (Some(Leave::Break(n - 1)), true),
            Some(Leave::Break(_)) => (None, true),
            Some(Leave::Continue(n)) if n > 1 => (Some(Leave::Continue(n - 1)), true),
            Some(Leave::Continue(_)) => (None, false),
            Some(Leave::Return) => (Some(Leave::Return), true),
            None => (None, false),
        };
        self.st.left = left;
        ends || self.st.exited
    }

    /// Too many rounds: whatever variable the loop has set since `first` may have any value.
    fn forget_changed(&mut self, first: &State) {
        for (name, var) in &mut self.st.vars {
            if first.own_var(name) != Some(var) {
                var.array = None;
                var.keys = None;
                var.values = vec![Arg::new(HOLE.to_string())];
            }
        }
        self.st.consumed = usize::MAX;
    }

    fn arith_for(&mut self, exprs: &[Word; 3], body: &Script, stdin: &Stdin) -> (Flow, Status) {
        let [start, cond, step] = exprs;
        let text = self.expand_one(start).text;
        self.arithmetic(&text);
        let mut out = Flow::empty();
        let most = self.rounds();
        let first = self.snapshot();
        self.loops += 1;
        for round in 0..=most {
            let text = self.expand_one(cond).text;
            let goes_on = if text.trim().is_empty() { Some(1) } else { self.arithmetic(&text) };
            if round == 0
                && text.trim().parse().map_or(text.trim().is_empty(), |n: i64| n != 0)
                && forks_without_end(body)
            {
                self.record("for", &[], false);
                self.effect(EffectKind::ForkBomb);
            }
            if goes_on == Some(0) {
                break;
            }
            let before = self.snapshot();
            if round == most {
                self.forget_changed(&first);
            }
            out.push(self.loop_body("loop", body, stdin).0);
            if self.leaves_loop() {
                break;
            }
            let text = self.expand_one(step).text;
            self.arithmetic(&text);
            if goes_on.is_none() {
                self.st.merge(before);
                break;
            }
            if self.st.vars == before.vars && self.st.consumed == before.consumed {
                break;
            }
        }
        self.loops -= 1;
        (out, Status::Unknown)
    }

    /// One round of a loop. What the loop ends with is its last round's; that an earlier one failed is not seen.
    fn loop_body(&mut self, via: &'static str, body: &Script, stdin: &Stdin) -> (Flow, Status) {
        self.within_via(via, |w| w.deciding(false, |w| w.script(body, stdin)))
    }

    fn if_clause(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let mut out = Flow::empty();
        let mut merged: Option<State> = None;
        let mut open = true;
        let mut last = Status::Unknown;
        for (cond, body) in arms {
            let (flow, status) = self.deciding(false, |w| w.script(cond, stdin));
            out.push(flow);
            if status == Status::False {
                continue;
            }
            let before = self.snapshot();
            let (flow, s) = self.within_via("if", |w| w.script(body, stdin));
            last = if status == Status::True && merged.is_none() { s } else { Status::Unknown };
            out.push(flow);
            let after = std::mem::replace(&mut self.st, before);
            match merged.as_mut() {
                Some(m) => m.merge(after),
                None => merged = Some(after),
            }
            if status == Status::True {
                open = false;
                break;
            }
        }
        if open {
            let sure = merged.is_none();
            last = if sure { Status::True } else { Status::Unknown };
            if let Some(body) = otherwise {
                let (flow, s) = self.within_via("else", |w| w.script(body, stdin));
                last = if sure { s } else { Status::Unknown };
                out.push(flow);
            }
            if let Some(mut m) = merged {
                let last = std::mem::take(&mut self.st);
                m.merge(last);
                self.st = m;
            }
        } else if let Some(m) = merged {
            self.st = m;
        }
        (out, last)
    }

    fn for_loop(
        &mut self,
        var: &str,
        words: Option<&[Word]>,
        body: &Script,
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let mut values = Vec::new();
        match words {
            Some(words) => {
                for w in words {
                    values.extend(self.expand(w).into_iter().map(Arg::names));
                }
            }
            None => values.extend(self.st.positional.iter().skip(1).cloned()),
        }
        if words.is_none() && values.is_empty() {
            values.push(Arg::new(HOLE.to_string()));
        }
        let cap = self.rounds();
        if values.len() > cap {
            values.truncate(cap);
            values.push(Arg::new(HOLE.to_string()));
        }
        let mut out = Flow::empty();
        self.loops += 1;
        for value in values {
            self.set_value(var, value);
            let (flow, _) = self.loop_body("for", body, stdin);
            out.push(flow);
            if self.leaves_loop() {
                break;
            }
        }
        self.loops -= 1;
        (out, Status::Unknown)
    }
}

/// Whether an endless loop over this body starts processes and never waits for them.
fn forks_without_end(body: &Script) -> bool {
    let mut found = Forks::default();
    found.look_at(body, 0);
    found.starts && !found.waits
}

/// What a loop's body does about processes.
#[derive(Default)]
struct Forks {
    starts: bool,
    /// It waits, or may leave the loop.
    waits: bool,
}

impl Forks {
    fn look_at(&mut self, body: &Script, depth: u32) {
        for item in body.items.iter().filter(|_| depth < 16) {
            if item.background {
                self.starts = true;
                continue;
            }
            let lines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, line)| line));
            for command in lines.flat_map(|line| &line.stages) {
                self.command(command, depth);
            }
        }
    }

    fn command(&mut self, command: &Command, depth: u32) {
        match &command.kind {
            CommandKind::Simple { words, .. } => {
                let name = words.first().map_or("", |w| &*w.raw);
                self.waits |=
                    matches!(name, "wait" | "exit" | "break" | "return" | "sleep" | "read" | "exec");
                // `bash -c 'command &'`
                let background = |w: &Word| w.raw.trim_end_matches(['\'', '"']).trim_end().ends_with('&');
                self.starts |= super::shell_name(name) && words.iter().any(background);
            }
            CommandKind::Group(body) => self.look_at(body, depth + 1),
            // A subshell waits for its own children only.
            CommandKind::Subshell(body) => {
                let mut inner = Forks::default();
                inner.look_at(body, depth + 1);
                self.starts |= inner.starts && !inner.waits;
            }
            CommandKind::If { arms, otherwise } => {
                for (cond, body) in arms {
                    self.look_at(cond, depth + 1);
                    self.look_at(body, depth + 1);
                }
                if let Some(body) = otherwise {
                    self.look_at(body, depth + 1);
                }
            }
            CommandKind::Coproc { .. } => self.starts = true,
            _ => {}
        }
    }
}

/// Whether the condition of a loop is a program that does not fail in practice.
fn hardly_fails(cond: &Script) -> bool {
    let [item] = cond.items.as_slice() else { return false };
    let [command] = item.first.stages.as_slice() else { return false };
    let CommandKind::Simple { words, .. } = &command.kind else { return false };
    let name = words.first().map_or("", |w| &*w.raw);
    item.rest.is_empty()
        && !item.first.negated
        && matches!(
            name,
            "date" | "sleep" | "ls" | "pwd" | "uname" | "id" | "whoami" | "hostname" | "uptime" | "env"
        )
}
