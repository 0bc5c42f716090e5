//! Compound commands: branches, loops, cases.

use crate::model::{Arg, EffectKind, HOLE};
use crate::paths;
use crate::syntax::ast::{CommandKind, Script, Word};

use super::state::State;
use super::{Flow, Status, Stdin, Walk};

impl Walk<'_> {
    pub(super) fn compound(&mut self, kind: &CommandKind, stdin: &Stdin) -> (Flow, Status) {
        match kind {
            CommandKind::Group(body) => self.script(body, stdin),
            CommandKind::Subshell(body) => {
                let before = self.st.clone();
                let result = self.within_via("( )", |w| w.script(body, stdin));
                self.st.after_subshell(before);
                result
            }
            CommandKind::If { arms, otherwise } => self.if_clause(arms, otherwise.as_ref(), stdin),
            CommandKind::Loop { until, cond, body } => {
                let (_, status) = self.deciding(false, |w| w.script(cond, stdin));
                let endless = if *until { status == Status::False } else { status == Status::True };
                if endless && forks_without_end(body) {
                    self.record("while", &[], false);
                    self.effect(EffectKind::ForkBomb);
                }
                if (*until && status == Status::True) || (!*until && status == Status::False) {
                    return (Flow::empty(), Status::True);
                }
                let before = self.st.clone();
                let (flow, _) = self.loop_body("loop", body, stdin);
                self.st.left = false;
                if endless {
                    self.st.exited = self.st.exited || before.exited;
                } else {
                    self.st.merge(before);
                }
                (flow, Status::Unknown)
            }
            CommandKind::ArithFor { exprs, endless, body } => {
                self.expand_one(exprs);
                if *endless && forks_without_end(body) {
                    self.record("for", &[], false);
                    self.effect(EffectKind::ForkBomb);
                }
                let (flow, _) = self.loop_body("loop", body, stdin);
                self.st.left = false;
                (flow, Status::Unknown)
            }
            CommandKind::For { var, words, body } => self.for_loop(var, words.as_deref(), body, stdin),
            CommandKind::Case { subject, arms } => {
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
            CommandKind::Arith(word) => {
                self.expand_one(word);
                (Flow::empty(), Status::Unknown)
            }
            CommandKind::Test(words) => {
                for w in words {
                    self.expand_one(w);
                }
                (Flow::empty(), Status::Unknown)
            }
            CommandKind::Simple { .. } | CommandKind::Function { .. } => (Flow::empty(), Status::Unknown),
        }
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
        for (cond, body) in arms {
            let (flow, status) = self.deciding(false, |w| w.script(cond, stdin));
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
        words: Option<&[Word]>,
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
            let (flow, _) = self.loop_body("for", body, stdin);
            out.push(flow);
            self.st.left = false;
        }
        self.loops -= 1;
        (out, Status::Unknown)
    }
}

/// Whether an endless loop over this body starts processes and never waits for them.
fn forks_without_end(body: &Script) -> bool {
    let forks = body.items.iter().any(|i| i.background);
    let stops = body.items.iter().filter(|i| !i.background).any(|i| {
        std::iter::once(&i.first).chain(i.rest.iter().map(|(_, p)| p)).any(|p| {
            p.stages.len() == 1
                && p.stages.iter().any(|c| match &c.kind {
                    CommandKind::Simple { words, .. } => words.first().is_some_and(|w| {
                        matches!(&*w.raw, "wait" | "exit" | "break" | "return" | "sleep" | "read" | "exec")
                    }),
                    CommandKind::If { .. } => true,
                    _ => false,
                })
        })
    });
    forks && !stops
}
