//! JavaScript's branches, loops, switches and errors.

use super::names::{bind, declared_here, pattern_names};
use super::{Script, body, share, stmt};
use crate::flow::ir::{Arm, Case, Handler, If, Loop, Origin, Role, Stmt, Switch, Try, ValueKind};
use crate::flow::lower::place::Grammar;
use crate::flow::lower::{Lower, children, line};
use tree_sitter::Node;

pub(super) fn conditional(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    while let Some(branch) = at.take() {
        let Some(condition) = branch.child_by_field_name("condition") else { break };
        let mut draft = l.draft_of(branch, condition, Role::Test);
        Script::expr(l, condition, &mut draft);
        let test = l.finish(draft);
        let then = body(l, branch.child_by_field_name("consequence"));
        arms.push(Arm { before: Vec::new(), test, body: then });
        let otherwise = branch.child_by_field_name("alternative").and_then(|clause| clause.named_child(0));
        match otherwise {
            Some(next) if next.kind() == "if_statement" => at = Some(next),
            rest => other = body(l, rest),
        }
    }
    l.emit(Stmt::If(If { arms, other }));
}

pub(super) fn counted(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    if let Some(first) =
        node.child_by_field_name("initializer").filter(|first| first.kind() != "empty_statement")
    {
        if first.kind() == "lexical_declaration" {
            declared_here(l, first);
        }
        let mut draft = l.draft(first, Role::Plain);
        Script::expr(l, first, &mut draft);
        l.emit_step(draft);
    }
    let condition = node
        .child_by_field_name("condition")
        .filter(|node| node.is_named() && node.kind() != "empty_statement");
    let mut draft = l.draft(condition.unwrap_or(node), Role::Test);
    if let Some(condition) = condition {
        Script::expr(l, condition, &mut draft);
    } else {
        draft.rows.1 = draft.rows.0;
        draft.step.span.1 = draft.step.span.0 + 3;
    }
    let head = l.finish(draft);
    let inside = body(l, node.child_by_field_name("body"));
    let update = l.nested(|l| {
        if let Some(increment) = node.child_by_field_name("increment") {
            let mut draft = l.draft(increment, Role::Plain);
            Script::expr(l, increment, &mut draft);
            l.emit_step(draft);
        }
    });
    let endless = condition.is_none();
    l.emit(Stmt::Loop(Loop { label, endless, update, ..Loop::new(head, inside) }));
}

pub(super) fn each(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, right, Role::Each);
    draft.step.throws = true;
    Script::expr(l, right, &mut draft);
    if node.child_by_field_name("kind").is_some_and(|kind| kind.kind() != "var") {
        pattern_names(left, &mut |name| {
            l.declare(l.text(name), Origin::Local, line(name));
        });
    }
    bind(l, left, &mut draft);
    if node.child_by_field_name("operator").is_none_or(|word| l.text(word) != "in") {
        let from = share::sources(l, right);
        share::target(l, left, &from, &ValueKind::Other, true);
    }
    let head = l.finish(draft);
    let body = body(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop { label, ..Loop::new(head, body) }));
}

pub(super) fn switch(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let mut draft = l.draft_of(node, value, Role::Subject);
    Script::expr(l, value, &mut draft);
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let subject = l.finish(draft);
    let clauses = node.child_by_field_name("body").map(children).unwrap_or_default();
    // One scope for all cases.
    for clause in &clauses {
        for child in children(*clause) {
            if child.kind() == "lexical_declaration" {
                declared_here(l, child);
            }
        }
    }
    let mut cases = Vec::new();
    for clause in clauses {
        let value = clause.child_by_field_name("value");
        let test = match (clause.kind(), value) {
            ("switch_case", Some(value)) => {
                let mut draft = l.draft_of(clause, value, Role::Case);
                l.read_var(&mut draft, var, line(clause));
                Script::expr(l, value, &mut draft);
                Some(l.finish(draft))
            }
            ("switch_default", _) => None,
            _ => continue,
        };
        let mut list: Vec<Node<'_>> =
            children(clause).into_iter().filter(|child| Some(*child) != value).collect();
        // `case 1: { … break; }` is written by many.
        let last = list
            .last()
            .copied()
            .filter(|last| last.kind() == "break_statement" && last.named_child_count() == 0);
        if last.is_some() {
            list.pop();
        }
        let body = l.nested(|l| {
            for child in list {
                stmt(l, child);
            }
            if let Some(last) = last {
                let draft = l.draft(last, Role::Break);
                l.emit_step(draft);
            }
        });
        cases.push(Case { test, guard: None, body, falls: last.is_none() });
    }
    l.emit(Stmt::Switch(Switch { label, subject, cases, exhaustive: false, breaks: true }));
}

pub(super) fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let mut head = l.draft(node, Role::Try);
    head.rows.1 = head.rows.0;
    let head = l.finish(head);
    let tried = body(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    if let Some(clause) = node.child_by_field_name("handler") {
        l.scoped(|l| {
            let parameter = clause.child_by_field_name("parameter");
            let mut draft = l.draft_of(clause, parameter.unwrap_or(clause), Role::Catch);
            if let Some(parameter) = parameter {
                pattern_names(parameter, &mut |name| {
                    l.declare(l.text(name), Origin::Local, line(name));
                });
                bind(l, parameter, &mut draft);
            } else {
                draft.rows.1 = draft.rows.0;
                draft.step.span.1 = draft.step.span.0 + 5;
            }
            let head = l.finish(draft);
            let body = body(l, clause.child_by_field_name("body"));
            handlers.push(Handler { head, all: true, body });
        });
    }
    let last =
        node.child_by_field_name("finalizer").map(|clause| body(l, clause.child_by_field_name("body")));
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other: Vec::new(), last }));
}
