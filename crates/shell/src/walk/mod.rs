//! The walk: a program is followed command by command, with what is known about variables, files and pipes, and every
//! command that would run is recorded with its effects. Nothing is executed.

mod builtins;
mod code;
mod exec;
mod expand;
mod state;
mod wrappers;

use std::rc::Rc;

use crate::model::{
    Analysis, Arg, Cmd, CodeFrom, Context, Effect, EffectKind, HOLE, Note, PathRef, Taint, WriteHow,
};
use crate::paths::{self, Place};
use crate::sensitive;
use crate::syntax::ast::{
    Assign, AssignValue, Command, Item, Kind, Link, Pipeline, Redirect, RedirectOp, Script,
};
use crate::syntax::parse;

pub(crate) use code::shell_name;
pub(crate) use exec::{join, quote_all};
pub(crate) use state::Flow;
use state::{Fd, State};

/// Commands looked at before the walk gives up.
const MAX_STEPS: u32 = 20_000;
/// Programs inside programs inside wrappers.
const MAX_DEPTH: u32 = 40;
/// Bytes of nested program text read in all.
const MAX_CODE: usize = 4 << 20;

/// How a command ended, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    True,
    /// Does not fail in practice (`cd`, `echo`, an assignment).
    Likely,
    Unknown,
    False,
}

/// Input of a command: nothing (the terminal) or data.
pub(crate) type Stdin = Option<Flow>;

pub(crate) struct Walk<'a> {
    pub(crate) ctx: &'a Context,
    pub(crate) out: Analysis,
    pub(crate) st: State,
    steps: u32,
    depth: u32,
    code: usize,
    /// Which of several possible values of variables is taken in this round.
    choice: usize,
    next_fd: u32,
    via: Vec<&'static str>,
    /// Functions being walked, with the number of forks on the way when each was entered.
    calls: Vec<(String, u32)>,
    forks: u32,
    loops: u32,
    /// The next command was named through a wrapper, which does not see functions.
    skip_functions: bool,
    /// Environment in front of the command at hand.
    env: Vec<(String, String)>,
}

/// Where a command's output goes.
#[derive(Default)]
struct Outs {
    redirected: bool,
    files: Vec<(String, bool)>,
    writers: Vec<Rc<Script>>,
    network: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(ctx: &'a Context) -> Walk<'a> {
        let st = State { cwd: (!ctx.cwd.is_empty()).then(|| ctx.cwd.clone()), ..State::default() };
        Walk {
            ctx,
            out: Analysis::default(),
            st,
            steps: 0,
            depth: 0,
            code: 0,
            choice: 0,
            next_fd: 62,
            via: Vec::new(),
            calls: Vec::new(),
            forks: 0,
            loops: 0,
            skip_functions: false,
            env: Vec::new(),
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }

    /// One step; false when there are none left.
    fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return false;
        }
        true
    }

    pub(crate) fn within_via<T>(&mut self, via: &'static str, run: impl FnOnce(&mut Self) -> T) -> T {
        self.via.push(via);
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        self.via.pop();
        result
    }

    /// Record a command; the effects that follow are its effects.
    pub(crate) fn record(&mut self, name: &str, args: &[Arg], inert: bool) -> usize {
        let cmd = Cmd {
            name: name.to_owned(),
            args: args.to_vec(),
            env: self.env.clone(),
            reached: self.via.clone(),
            inert,
        };
        self.out.commands.push(cmd);
        self.out.commands.len() - 1
    }

    pub(crate) fn effect(&mut self, kind: EffectKind) {
        let cmd = self.out.commands.len().saturating_sub(1);
        if self.out.effects.len() < 20_000 {
            self.out.effects.push(Effect { cmd, kind });
        } else {
            self.note(Note::TooMuch);
        }
    }

    pub(crate) fn path(&self, arg: &Arg) -> PathRef {
        paths::path_ref(arg, self.st.cwd.as_deref(), self.ctx)
    }

    /// Walk the whole line, and once more without what makes bash reject it.
    pub(crate) fn top(&mut self, text: &str) {
        self.code += text.len();
        let parsed = parse(text);
        if parsed.too_deep {
            self.note(Note::TooMuch);
        }
        if parsed.broken || parsed.open_quote.is_some() {
            self.note(Note::Broken);
        }
        self.script(&parsed.script, &None);
        if let Some(at) = parsed.open_quote {
            // The quote that never closes may have swallowed commands.
            let rest = text.get(at + 1..).unwrap_or_default().to_owned();
            self.again(&rest);
        }
        if parsed.escaped_newline {
            self.again(&text.replace("\\n", " "));
        }
    }

    fn again(&mut self, text: &str) {
        self.st = State { cwd: (!self.ctx.cwd.is_empty()).then(|| self.ctx.cwd.clone()), ..State::default() };
        self.run_shell(text, "second reading", &None);
    }

    /// Walk shell text found inside a word.
    pub(crate) fn run_shell(&mut self, text: &str, via: &'static str, stdin: &Stdin) -> Flow {
        self.code += text.len();
        if self.code > MAX_CODE || self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return Flow::default();
        }
        let parsed = parse(text);
        if parsed.too_deep {
            self.note(Note::TooMuch);
        }
        self.within_via(via, |w| w.script(&parsed.script, stdin).0)
    }

    /// Walk a substitution; its output is what it prints.
    fn capture(&mut self, script: &Script, via: &'static str) -> Flow {
        if self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return Flow::default();
        }
        let before = self.st.clone();
        let env = std::mem::take(&mut self.env);
        let flow = self.within_via(via, |w| w.script(script, &None).0);
        self.env = env;
        self.st.after_subshell(before);
        flow
    }

    pub(crate) fn script(&mut self, script: &Script, stdin: &Stdin) -> (Flow, Status) {
        let mut out = Flow::empty();
        let mut status = Status::True;
        for item in &script.items {
            if self.st.exited || self.st.left || self.steps > MAX_STEPS {
                break;
            }
            let (flow, s) = self.item(item, stdin);
            out.push(flow);
            status = s;
        }
        (out, status)
    }

    fn item(&mut self, item: &Item, stdin: &Stdin) -> (Flow, Status) {
        if item.background {
            let before = self.st.clone();
            self.forks += 1;
            let (flow, _) = self.and_or(item, stdin);
            self.forks -= 1;
            self.st.after_subshell(before);
            return (flow, Status::True);
        }
        self.and_or(item, stdin)
    }

    fn and_or(&mut self, item: &Item, stdin: &Stdin) -> (Flow, Status) {
        let (mut out, mut status) = self.pipeline(&item.first, stdin);
        for (link, next) in &item.rest {
            if self.st.exited || self.st.left {
                break;
            }
            let certain = match (link, status) {
                (Link::And, Status::False) | (Link::Or, Status::True) => continue,
                (Link::And, Status::True | Status::Likely) | (Link::Or, Status::False) => true,
                _ => false,
            };
            if certain {
                let (flow, s) = self.pipeline(next, stdin);
                out.push(flow);
                status = s;
            } else {
                let before = self.st.clone();
                let (flow, s) = self.pipeline(next, stdin);
                out.push(flow);
                self.st.merge(before);
                status = match (link, s) {
                    // Either side may have succeeded.
                    (Link::Or, Status::True) => Status::True,
                    _ => Status::Unknown,
                };
            }
        }
        (out, status)
    }

    fn pipeline(&mut self, line: &Pipeline, stdin: &Stdin) -> (Flow, Status) {
        let (flow, status) = match line.stages.as_slice() {
            [one] => self.command(one, stdin),
            stages => {
                let mut input = stdin.clone();
                let mut status = Status::Unknown;
                self.forks += 1;
                for (i, stage) in stages.iter().enumerate() {
                    let last = i + 1 == stages.len();
                    let before = self.st.clone();
                    let (flow, s) = self.command(stage, &input);
                    if !(last && self.st.lastpipe) {
                        self.st.after_subshell(before);
                    }
                    input = Some(flow);
                    status = s;
                }
                self.forks -= 1;
                (input.unwrap_or_default(), status)
            }
        };
        let status = match (line.negated, status) {
            (false, s) => s,
            (true, Status::True) => Status::False,
            (true, Status::False) => Status::True,
            (true, _) => Status::Unknown,
        };
        (flow, status)
    }

    fn command(&mut self, command: &Command, stdin: &Stdin) -> (Flow, Status) {
        if !self.step() {
            return (Flow::default(), Status::Unknown);
        }
        if let Kind::Simple { assigns, words } = &command.kind {
            return self.simple(assigns, words, &command.redirects, stdin);
        }
        if let Kind::Function { name, body } = &command.kind {
            self.st.functions.retain(|(n, _)| n != name);
            self.st.functions.push((name.clone(), Rc::clone(body)));
            return (Flow::empty(), Status::True);
        }
        let (input, outs) = if command.redirects.is_empty() {
            (stdin.clone(), Outs::default())
        } else {
            self.record("{", &[], true);
            self.redirects(&command.redirects, stdin, false)
        };
        let (flow, status) = self.compound(&command.kind, &input);
        (self.deliver(flow, outs), status)
    }

    fn compound(&mut self, kind: &Kind, stdin: &Stdin) -> (Flow, Status) {
        match kind {
            Kind::Group(body) => self.script(body, stdin),
            Kind::Subshell(body) => {
                let before = self.st.clone();
                let result = self.within_via("( )", |w| w.script(body, stdin));
                self.st.after_subshell(before);
                result
            }
            Kind::If { arms, otherwise } => self.if_clause(arms, otherwise.as_ref(), stdin),
            Kind::Loop { until, cond, body } => {
                let (_, status) = self.script(cond, stdin);
                let endless = if *until { status == Status::False } else { status == Status::True };
                if endless && forks_without_end(body) {
                    self.record("while", &[], false);
                    self.effect(EffectKind::ForkBomb);
                }
                if (*until && status == Status::True) || (!*until && status == Status::False) {
                    return (Flow::empty(), Status::True);
                }
                let before = self.st.clone();
                let (flow, _) = self.within_via("loop", |w| w.script(body, stdin));
                self.st.left = false;
                if endless {
                    self.st.exited = self.st.exited || before.exited
                } else {
                    self.st.merge(before)
                }
                (flow, Status::Unknown)
            }
            Kind::ArithFor { exprs, endless, body } => {
                self.expand_one(exprs);
                if *endless && forks_without_end(body) {
                    self.record("for", &[], false);
                    self.effect(EffectKind::ForkBomb);
                }
                let (flow, _) = self.within_via("loop", |w| w.script(body, stdin));
                self.st.left = false;
                (flow, Status::Unknown)
            }
            Kind::For { var, words, body } => self.for_loop(var, words.as_deref(), body, stdin),
            Kind::Case { subject, arms } => {
                let subject = self.expand_one(subject);
                let known = !subject.has_hole();
                let before = self.st.clone();
                let mut out = Flow::empty();
                let mut merged: Option<State> = None;
                for (patterns, body) in arms {
                    let mut hit = !known;
                    for p in patterns {
                        let p = self.expand_one(p);
                        hit |= p.has_hole() || paths::glob_match(&p.text, &subject.text);
                    }
                    if !hit {
                        continue;
                    }
                    self.st = before.clone();
                    let (flow, _) = self.within_via("case", |w| w.script(body, stdin));
                    out.push(flow);
                    match merged.as_mut() {
                        Some(m) => m.merge(self.st.clone()),
                        None => merged = Some(self.st.clone()),
                    }
                    if known {
                        break;
                    }
                }
                self.st = merged.unwrap_or_else(|| before.clone());
                if !known {
                    self.st.merge(before);
                }
                (out, Status::Unknown)
            }
            Kind::Arith(word) => {
                self.expand_one(word);
                (Flow::empty(), Status::Unknown)
            }
            Kind::Test(words) => {
                for w in words {
                    self.expand_one(w);
                }
                (Flow::empty(), Status::Unknown)
            }
            Kind::Simple { .. } | Kind::Function { .. } => (Flow::empty(), Status::Unknown),
        }
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
        for (cond, body) in arms {
            let (flow, status) = self.script(cond, stdin);
            out.push(flow);
            if status == Status::False {
                continue;
            }
            let before = self.st.clone();
            let (flow, _) = self.within_via("if", |w| w.script(body, stdin));
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
            if let Some(body) = otherwise {
                let (flow, _) = self.within_via("else", |w| w.script(body, stdin));
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
        (out, Status::Unknown)
    }

    fn for_loop(
        &mut self,
        var: &str,
        words: Option<&[crate::syntax::ast::Word]>,
        body: &Script,
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let mut values = Vec::new();
        match words {
            Some(words) => {
                for w in words {
                    values.extend(self.expand(w));
                }
            }
            None => values.extend(self.st.positional.iter().skip(1).cloned()),
        }
        if words.is_none() && values.is_empty() {
            values.push(Arg::new(HOLE.to_string()));
        }
        let cap = if self.loops == 0 { 16 } else { 3 };
        if values.len() > cap {
            values.truncate(cap);
            values.push(Arg::new(HOLE.to_string()));
        }
        let mut out = Flow::empty();
        self.loops += 1;
        for value in values {
            self.st.set(var, value);
            let (flow, _) = self.within_via("for", |w| w.script(body, stdin));
            out.push(flow);
            self.st.left = false;
        }
        self.loops -= 1;
        (out, Status::Unknown)
    }

    fn simple(
        &mut self,
        assigns: &[Assign],
        words: &[crate::syntax::ast::Word],
        redirects: &[Redirect],
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let rounds = self.st.choices();
        let mut result = (Flow::empty(), Status::Unknown);
        for round in 0..rounds {
            self.choice = round;
            let before = (round + 1 < rounds).then(|| self.st.clone());
            let (flow, status) = self.simple_once(assigns, words, redirects, stdin);
            if round == 0 {
                result = (flow, status);
            } else {
                result.0.taint = result.0.taint.and(flow.taint);
            }
            if let Some(mut b) = before {
                std::mem::swap(&mut self.st, &mut b);
                self.st.merge(b);
            }
        }
        self.choice = 0;
        result
    }

    fn simple_once(
        &mut self,
        assigns: &[Assign],
        words: &[crate::syntax::ast::Word],
        redirects: &[Redirect],
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let mut argv = Vec::with_capacity(words.len());
        for w in words {
            argv.extend(self.expand(w));
        }
        if argv.is_empty() {
            let mut taint = Taint::NONE;
            for a in assigns {
                taint = taint.and(self.assign(a, false));
            }
            if redirects.is_empty() {
                return (Flow::empty(), Status::Likely);
            }
            self.record(">", &[], false);
            let (input, outs) = self.redirects(redirects, stdin, false);
            let flow = input.unwrap_or_else(Flow::empty);
            return (self.deliver(flow, outs), Status::Unknown);
        }
        // Assignments in front of a command are its environment only.
        let shadowed: Vec<(String, Option<state::Var>)> =
            assigns.iter().map(|a| (a.name.clone(), self.st.var(&a.name).cloned())).collect();
        let outer = std::mem::take(&mut self.env);
        for a in assigns {
            self.assign(a, true);
            let value = self.lookup(&a.name).map(|v| v.text).unwrap_or_default();
            self.env.push((a.name.clone(), value));
        }
        let keep = argv.first().is_some_and(|a| {
            matches!(a.text.as_str(), "export" | "declare" | "typeset" | "readonly" | "local")
        });
        let bare_exec = argv.len() == 1 && argv.first().is_some_and(|a| a.text == "exec");
        let first = self.out.commands.len();
        let first_effect = self.out.effects.len();
        let (input, outs) = if redirects.is_empty() {
            (stdin.clone(), Outs::default())
        } else {
            self.redirects(redirects, stdin, bare_exec)
        };
        for e in self.out.effects.iter_mut().skip(first_effect) {
            e.cmd = first;
        }
        let network = outs.network;
        let (flow, status) = self.exec(argv, input);
        if self.out.commands.len() == first {
            self.record("", &[], true);
        }
        if network && self.out.commands.get(first).is_some_and(|c| shell_name(&c.name)) {
            let by = self.out.commands.get(first).map(|c| c.name.clone()).unwrap_or_default();
            self.out
                .effects
                .push(Effect { cmd: first, kind: EffectKind::Code { from: CodeFrom::NetworkShell, by } });
        }
        if !keep {
            for (name, old) in shadowed {
                match old {
                    Some(v) => self.st.with_var(&name, |x| *x = v),
                    None => self.st.unset(&name),
                }
            }
        }
        self.env = outer;
        (self.deliver(flow, outs), status)
    }

    fn assign(&mut self, a: &Assign, temporary: bool) -> Taint {
        match &a.value {
            AssignValue::Word(w) => {
                let mut value = self.expand_one(w);
                value.raw = None;
                if a.append {
                    let old = self.lookup(&a.name).unwrap_or_else(|| Arg::new(HOLE.to_string()));
                    value.text = format!("{}{}", old.text, value.text);
                    value.taint = value.taint.and(old.taint);
                }
                let taint = value.taint;
                self.st.set(&a.name, value);
                if temporary {
                    self.st.with_var(&a.name, |v| v.exported = true);
                }
                taint
            }
            AssignValue::Array(words) => {
                let mut list = Vec::new();
                for w in words {
                    list.extend(self.expand(w));
                }
                self.st.with_var(&a.name, |v| {
                    if a.append {
                        v.array.get_or_insert_with(Vec::new).extend(list);
                    } else {
                        v.array = Some(list);
                    }
                });
                Taint::NONE
            }
        }
    }

    fn redirects(&mut self, list: &[Redirect], stdin: &Stdin, keep: bool) -> (Stdin, Outs) {
        let mut input = stdin.clone();
        let mut outs = Outs::default();
        for r in list {
            let fd = r.fd.as_deref();
            match r.op {
                RedirectOp::HereDoc | RedirectOp::HereString => {
                    let mut value = match r.body.as_ref().and_then(|b| b.get()) {
                        Some(w) => self.expand_one(w),
                        None => self.expand_one(&r.target),
                    };
                    if r.op == RedirectOp::HereString {
                        value.text.push('\n');
                    }
                    let flow = Flow { text: Some(value.text), taint: value.taint };
                    self.open_in(fd, flow, keep, &mut input);
                }
                RedirectOp::In | RedirectOp::InOut => {
                    let target = self.expand_one(&r.target);
                    let mut flow = self.read_file(&target, true);
                    if self.network_path(&target) {
                        outs.network = true;
                        flow = Flow::unknown(Taint::REMOTE);
                    }
                    self.open_in(fd, flow, keep, &mut input);
                }
                RedirectOp::DupIn => {
                    let target = self.expand_one(&r.target);
                    if let Some(Fd::Data(flow)) = self.fd(&target.text).cloned() {
                        self.open_in(fd, flow, keep, &mut input);
                    }
                }
                RedirectOp::Out
                | RedirectOp::Append
                | RedirectOp::OutAndErr
                | RedirectOp::AppendOutAndErr
                | RedirectOp::DupOut => {
                    let target = self.expand_one(&r.target);
                    self.open_out(r, &target, keep, &mut outs);
                }
            }
        }
        (input, outs)
    }

    fn open_in(&mut self, fd: Option<&str>, flow: Flow, keep: bool, input: &mut Stdin) {
        match fd {
            None | Some("0") => *input = Some(flow),
            Some(name) => {
                let name = name.to_owned();
                self.st.fds.retain(|(n, _)| *n != name || !keep);
                self.st.fds.push((name, Fd::Data(flow)));
            }
        }
    }

    fn network_path(&mut self, target: &Arg) -> bool {
        let hit = target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/");
        if hit {
            self.effect(EffectKind::Send {
                what: "-".into(),
                to: target.text.clone(),
                secret: false,
                outside: false,
            });
        }
        hit
    }

    fn fd(&self, name: &str) -> Option<&Fd> {
        self.st.fds.iter().rev().find(|(n, _)| n == name).map(|(_, f)| f)
    }

    fn open_out(&mut self, r: &Redirect, target: &Arg, keep: bool, outs: &mut Outs) {
        let stdout = matches!(r.fd.as_deref(), None | Some("1"));
        let dup = r.op == RedirectOp::DupOut;
        if dup && (target.text == "-" || matches!(target.text.as_str(), "1" | "2")) {
            if stdout && target.text == "2" {
                outs.redirected = true;
            }
            return;
        }
        let fd_name =
            target.text.strip_prefix("/dev/fd/").or(if dup { Some(target.text.as_str()) } else { None });
        if let Some(fd) = fd_name.and_then(|n| self.fd(n).cloned()) {
            match fd {
                Fd::Writer(script) if keep => {
                    let name = r.fd.clone().unwrap_or_else(|| "1".into());
                    self.st.set(&name, Arg::new(name.clone()));
                    self.st.fds.push((name, Fd::Writer(script)));
                }
                Fd::Writer(script) => {
                    outs.redirected |= stdout;
                    outs.writers.push(script);
                }
                Fd::File(path) => {
                    outs.redirected |= stdout;
                    outs.files.push((path, true));
                }
                Fd::Data(_) => outs.redirected |= stdout,
            }
            return;
        }
        if dup && target.text.bytes().all(|c| c.is_ascii_digit()) {
            outs.redirected |= stdout;
            return;
        }
        if self.network_path(target) {
            outs.network = true;
            outs.redirected |= stdout;
            return;
        }
        let append = matches!(r.op, RedirectOp::Append | RedirectOp::AppendOutAndErr);
        let path = self.path(target);
        let full = path.full.clone();
        if path.place != Place::Sink {
            self.effect(EffectKind::Write(path, if append { WriteHow::Append } else { WriteHow::Overwrite }));
        }
        if stdout {
            outs.redirected = true;
            outs.files.push((full.clone(), append));
        }
        if keep {
            let name = r.fd.clone().unwrap_or_else(|| "1".into());
            self.st.fds.push((name, Fd::File(full)));
        }
    }

    /// The program that reads what is written to `path`, when that is `>(…)`.
    pub(crate) fn writer_of(&self, path: &str) -> Option<Rc<Script>> {
        match self.fd(path.strip_prefix("/dev/fd/")?) {
            Some(Fd::Writer(script)) => Some(Rc::clone(script)),
            _ => None,
        }
    }

    /// Walk a program with this input.
    pub(crate) fn feed(&mut self, script: &Script, flow: Flow) {
        let before = self.st.clone();
        self.within_via(">()", |w| w.script(script, &Some(flow)));
        self.st.after_subshell(before);
    }

    /// Hand a command's output to where it goes.
    fn deliver(&mut self, flow: Flow, outs: Outs) -> Flow {
        for (path, append) in &outs.files {
            self.st.put_file(path, flow.clone(), *append);
        }
        for script in &outs.writers {
            self.feed(script, flow.clone());
        }
        if outs.redirected { Flow::empty() } else { flow }
    }

    /// What reading a path gives, with the effect of reading it.
    pub(crate) fn read_file(&mut self, arg: &Arg, effect: bool) -> Flow {
        if let Some(name) =
            arg.text.strip_prefix("/dev/fd/").or_else(|| arg.text.strip_prefix("/proc/self/fd/"))
        {
            return match self.fd(name) {
                Some(Fd::Data(flow)) => flow.clone(),
                _ => Flow::default(),
            };
        }
        let path = self.path(arg);
        let mut flow = Flow::default();
        if let Some(f) = self.st.file(&path.full)
            && !f.gone
        {
            flow = f.data.clone();
        }
        if sensitive::of_path(&path, self.ctx).is_some() {
            flow.taint = flow.taint.and(Taint::SECRET);
        }
        let foreign = matches!(path.place, Place::System | Place::Home | Place::InHome | Place::Root);
        if foreign && !path.full.starts_with("/usr/") && !path.full.starts_with("/opt/") {
            flow.taint = flow.taint.and(Taint::OUTSIDE);
        }
        // A directory with a sensitive file that this program put there.
        let below = |f: &state::FileState| {
            !f.gone && f.path.len() > path.full.len() && paths::within(&f.path, &path.full)
        };
        let hidden: Vec<String> = self.st.files.iter().filter(|f| below(f)).map(|f| f.path.clone()).collect();
        for p in hidden {
            if sensitive::of_text(&p, self.ctx).is_some() {
                flow.taint = flow.taint.and(Taint::SECRET);
            }
        }
        if effect && path.place != Place::Sink {
            self.effect(EffectKind::Read(path));
        }
        flow
    }
}

/// Whether an endless loop over this body starts processes and never waits for them.
fn forks_without_end(body: &Script) -> bool {
    let forks = body.items.iter().any(|i| i.background);
    let stops = body.items.iter().filter(|i| !i.background).any(|i| {
        std::iter::once(&i.first).chain(i.rest.iter().map(|(_, p)| p)).any(|p| {
            p.stages.len() == 1
                && p.stages.iter().any(|c| match &c.kind {
                    Kind::Simple { words, .. } => words.first().is_some_and(|w| {
                        matches!(&*w.raw, "wait" | "exit" | "break" | "return" | "sleep" | "read" | "exec")
                    }),
                    Kind::If { .. } => true,
                    _ => false,
                })
        })
    });
    forks && !stops
}
