//! What the calls of a unit change and how they relate what they get and give.

use super::native::{self, Changed, Gives, Native, UNKNOWN};
use super::summary::{Known, Summary};
use super::{Effects, VarId};
use crate::flow::graph::NodeId;
use crate::flow::ir::{CallSite, FuncId, Origin, Relation, Touch};
use std::collections::HashMap;
use std::rc::Rc;

/// Where a value comes from.
type Sources = [(Relation, VarId)];

impl Effects<'_> {
    /// Takes in every call.
    pub(super) fn calls(&mut self, known: &mut Known<'_>) {
        let inner = self.inner_functions();
        let sites = self.sites();
        // What iterates over an iterator is one itself: twice, because one may be written before the other.
        for _ in 0..2 {
            for (_, site) in &sites {
                self.iterates(site);
            }
        }
        for (number, (node, site)) in sites.into_iter().enumerate() {
            for argument in &site.args {
                let reads_up: Vec<VarId> = argument
                    .from
                    .iter()
                    .filter(|(relation, var)| *relation == Relation::Same && self.iterator[*var])
                    .map(|(_, var)| *var)
                    .collect();
                for var in reads_up {
                    self.change(node, var, true, site.line);
                }
            }
            if let Some(func) = site.callee.and_then(|callee| inner.get(&callee)) {
                self.inner(site, *func);
                continue;
            }
            let on = match site.receiver.as_slice() {
                [(_, var)] => Some(&self.unit.vars[*var]).filter(|var| var.origin == Origin::Outer),
                _ => None,
            };
            if site.callee.is_none()
                && let Some(summary) = known.of(site, on.map(|var| var.name.as_str()))
            {
                self.summarised(node, site, &summary);
                continue;
            }
            let element = self.unit.vars.len() as u32 + number as u32;
            self.native(node, site, element);
        }
    }

    /// Functions inside, by the variable that holds each.
    fn inner_functions(&self) -> HashMap<VarId, FuncId> {
        let mut found = HashMap::new();
        for node in &self.graph.nodes {
            let [func] = node.step.makes.as_slice() else { continue };
            for access in node.step.accesses.iter().filter(|access| access.touch == Touch::Def) {
                found.insert(access.var, *func);
            }
        }
        found
    }

    /// The parameters of a function of the unit, in order.
    pub(super) fn params(&self, func: FuncId) -> Vec<VarId> {
        let vars = self.unit.vars.each();
        vars.filter(|(_, var)| var.owner == func && var.origin == Origin::Param).map(|(id, _)| id).collect()
    }

    /// A call of a function inside: what it does to its parameters, it does to the arguments.
    fn inner(&mut self, site: &CallSite, func: FuncId) {
        let params = self.params(func);
        for (place, argument) in site.args.iter().enumerate() {
            let named = argument
                .name
                .as_ref()
                .and_then(|name| params.iter().find(|param| self.unit.vars[**param].name == *name).copied());
            match named.or_else(|| params.get(place).copied()) {
                Some(param) if !argument.splat => self.assign(param, &argument.from, false),
                _ => {
                    for param in &params {
                        self.assign(*param, &argument.from, false);
                    }
                }
            }
        }
        let gives: Vec<(Relation, VarId)> = self
            .graph
            .nodes
            .iter()
            .filter(|node| node.func == func)
            .flat_map(|node| node.step.gives.iter().copied())
            .collect();
        self.assign(site.result, &gives, false);
    }

    /// A call of a function of the same file.
    fn summarised(&mut self, node: NodeId, site: &CallSite, summary: &Rc<Summary>) {
        let mut given: Vec<(usize, &Sources, bool)> = Vec::new();
        let offset = usize::from(summary.bound);
        if summary.bound {
            given.push((0, &site.receiver, false));
        }
        for (place, argument) in site.args.iter().enumerate() {
            let named =
                argument.name.as_ref().and_then(|name| summary.params.iter().position(|param| param == name));
            given.push((named.unwrap_or(place + offset), &argument.from, argument.splat));
        }
        for (place, from, splat) in given {
            let all = splat || place >= summary.params.len();
            let is = |list: &[bool]| if all { list.contains(&true) } else { list.get(place) == Some(&true) };
            if is(&summary.changed) {
                self.touched(node, from, true, site.line);
            }
            if is(&summary.given) || summary.constructs {
                let relation = if summary.constructs { Relation::Holds } else { Relation::Same };
                for (_, var) in from {
                    self.relate(site.result, relation, *var);
                }
            }
        }
        for name in &summary.outer {
            let var = self.unit.vars.each().find(|(_, var)| var.origin == Origin::Outer && var.name == *name);
            if let Some((var, _)) = var {
                self.change(node, var, true, site.line);
            }
        }
    }

    /// A call of something else: by the table, or as if it did everything.
    fn native(&mut self, node: NodeId, site: &CallSite, element: VarId) {
        // A bound method in a variable changes what it is bound to.
        if let Some(callee) = site.callee {
            self.change(node, callee, false, site.line);
        }
        let known = self.native_of(site);
        let is_known = known.is_some();
        let native = known.unwrap_or(UNKNOWN);
        let args = || site.args.iter().map(|argument| argument.from.as_slice());
        match native.changed {
            Changed::Nothing => {}
            Changed::Receiver => self.touched(node, &site.receiver, false, site.line),
            Changed::First => {
                // `next` runs what its generator holds.
                let deep = site.name == "next";
                if let Some(first) = args().next() {
                    self.touched(node, first, deep, site.line);
                }
            }
            Changed::All => {
                for from in args() {
                    self.touched(node, from, true, site.line);
                }
                // A module is not changed by its functions; the object itself may be changed by its methods.
                let own: Vec<(Relation, VarId)> = site
                    .receiver
                    .iter()
                    .copied()
                    .filter(|(_, var)| self.unit.vars[*var].origin != Origin::Outer)
                    .collect();
                self.touched(node, &own, true, site.line);
            }
        }
        if native.stores {
            let (into, rest) = match (native.changed, site.args.split_first()) {
                (Changed::First, Some((first, rest))) => (first.from.as_slice(), rest),
                _ => (site.receiver.as_slice(), site.args.as_slice()),
            };
            for argument in rest {
                self.store(into, &argument.from);
            }
        }
        let given: Vec<(Relation, VarId)> = site.receiver.iter().chain(args().flatten()).copied().collect();
        let makes = site.makes || !is_known && site.name.starts_with(char::is_uppercase);
        match native.gives {
            Gives::Fresh => {}
            _ if makes => given.iter().for_each(|(_, var)| self.relate(site.result, Relation::Holds, *var)),
            Gives::Elements | Gives::Lazy => {
                self.relate(element, Relation::Part, site.result);
                self.assign(element, &given, true);
            }
            Gives::Part => self.assign(site.result, &given, true),
            Gives::Anything => {
                given.iter().for_each(|(_, var)| self.relate(site.result, Relation::Same, *var));
            }
        }
    }

    fn native_of(&self, site: &CallSite) -> Option<Native> {
        if site.is_loop {
            return Some(Native { changed: Changed::Nothing, stores: false, gives: Gives::Fresh });
        }
        if site.callee.is_some() {
            return None;
        }
        let from_outside = site.receiver.iter().all(|(_, var)| self.unit.vars[*var].origin == Origin::Outer);
        let function = || native::function(self.python, &site.name).filter(|_| from_outside);
        if site.is_method {
            return function()
                .filter(|_| !site.receiver.is_empty() && !is_changing(self.python, &site.name))
                .or_else(|| native::method(self.python, &site.name));
        }
        function().filter(|_| native::is_known_alone(self.python, &site.name))
    }

    /// Marks what a call makes as an iterator, where it is one.
    fn iterates(&mut self, site: &CallSite) {
        if !self.python {
            return;
        }
        if matches!(native::function(true, &site.name), Some(Native { gives: Gives::Lazy, .. })) {
            self.mark(site.result);
            // Who reads it reads up the iterators that it was made from.
            for (relation, var) in site.args.iter().flat_map(|argument| &argument.from) {
                if *relation == Relation::Same && self.iterator[*var] {
                    self.relate(site.result, Relation::Same, *var);
                }
            }
        }
    }

    fn mark(&mut self, var: VarId) {
        self.iterator[var] = true;
        let same: Vec<VarId> =
            self.same[var].iter().copied().filter(|other| (*other as usize) < self.iterator.len()).collect();
        for other in same {
            self.iterator[other] = true;
        }
    }
}

fn is_changing(python: bool, name: &str) -> bool {
    native::method(python, name).is_some_and(|native| native.changed == Changed::Receiver)
}
