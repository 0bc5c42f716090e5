//! Python's branches, loops, errors, `with` and `match`.

use super::expr::target;
use super::names::captures;
use super::{Python, block_of, body, otherwise, share, step_of_children};
use crate::flow::ir::{Arm, Case, Handler, If, Loop, Role, Stmt, Switch, Try, With};
use crate::flow::lower::place::Grammar;
use crate::flow::lower::{Draft, Lower, child_of_kind, children, children_of, line};
use tree_sitter::Node;

pub(super) fn conditional(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let clauses = children_of(node, "alternative");
    for clause in std::iter::once(node).chain(clauses) {
        if clause.kind() == "else_clause" {
            other = body(l, block_of(clause));
            continue;
        }
        let Some(condition) = clause.child_by_field_name("condition") else { continue };
        let mut draft = l.draft_of(clause, condition, Role::Test);
        Python::expr(l, condition, &mut draft);
        let test = l.finish(draft);
        let body = body(l, clause.child_by_field_name("consequence"));
        arms.push(Arm { before: Vec::new(), test, body });
    }
    l.emit(Stmt::If(If { arms, other }));
}

pub(super) fn each(l: &mut Lower<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, right, Role::Each);
    Python::expr(l, right, &mut draft);
    target(l, left, &mut draft);
    share::iterates(l, left, right, &mut draft);
    draft.step.throws = true;
    let head = l.finish(draft);
    let inside = body(l, node.child_by_field_name("body"));
    let other = otherwise(l, node);
    l.emit(Stmt::Loop(Loop { other, ..Loop::new(head, inside) }));
}

pub(super) fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let mut head = l.draft(node, Role::Try);
    head.rows.1 = head.rows.0;
    let head = l.finish(head);
    let tried = body(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    let mut other = Vec::new();
    let mut last = None;
    for clause in children(node) {
        match clause.kind() {
            "except_clause" | "except_group_clause" => {
                let value = clause.child_by_field_name("value");
                let mut draft = l.draft_of(clause, value.unwrap_or(clause), Role::Catch);
                if value.is_none() {
                    draft.rows.1 = draft.rows.0;
                }
                let all = value.is_none_or(|value| l.text(value).starts_with("BaseException"));
                if let Some(value) = value {
                    Python::expr(l, value, &mut draft);
                }
                if let Some(alias) = clause.child_by_field_name("alias") {
                    target(l, alias, &mut draft);
                }
                let head = l.finish(draft);
                let body = body(l, block_of(clause));
                handlers.push(Handler { head, all, body });
            }
            "else_clause" => other = body(l, block_of(clause)),
            "finally_clause" => last = Some(body(l, block_of(clause))),
            _ => {}
        }
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other, last }));
}

pub(super) fn with(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(clause) = child_of_kind(node, "with_clause") else { return };
    let mut draft = l.draft_of(node, clause, Role::Enter);
    draft.step.throws = true;
    for item in children(clause) {
        if let Some(value) = item.child_by_field_name("value") {
            Python::expr(l, value, &mut draft);
        }
    }
    let enter = l.finish(draft);
    let body = body(l, node.child_by_field_name("body"));
    l.emit(Stmt::With(With { enter, body, swallows: true }));
}

pub(super) fn matching(l: &mut Lower<'_>, node: Node<'_>) {
    let subjects = children_of(node, "subject");
    let Some(last) = subjects.last().copied() else { return };
    let mut draft = l.draft_of(node, last, Role::Subject);
    for subject in subjects {
        Python::expr(l, subject, &mut draft);
    }
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let subject = l.finish(draft);
    let mut cases = Vec::new();
    let mut exhaustive = false;
    for clause in node.child_by_field_name("body").map(children).unwrap_or_default() {
        if clause.kind() != "case_clause" {
            continue;
        }
        let patterns: Vec<Node<'_>> =
            children(clause).into_iter().filter(|child| child.kind() == "case_pattern").collect();
        let Some(pattern) = patterns.last().copied() else { continue };
        let mut draft = l.draft_of(clause, pattern, Role::Case);
        // A pattern looks at the value, even where it binds nothing.
        l.read_var(&mut draft, var, line(clause));
        for pattern in &patterns {
            values(l, *pattern, &mut draft);
            captures(*pattern, &mut |name| l.write(&mut draft, name));
        }
        draft.step.throws = true;
        let test = l.finish(draft);
        let guard = clause.child_by_field_name("guard");
        exhaustive |= guard.is_none() && patterns.len() == 1 && is_anything(l, pattern);
        let guard = guard.map(|guard| (Vec::new(), step_of_children(l, guard, Role::Test)));
        let body = body(l, clause.child_by_field_name("consequence"));
        cases.push(Case { test: Some(test), guard, body, falls: false });
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive, breaks: false }));
}

/// `_`, or a bare name.
fn is_anything(l: &Lower<'_>, pattern: Node<'_>) -> bool {
    let text = l.text(pattern);
    text == "_"
        || (text.chars().all(|c| c.is_alphanumeric() || c == '_') && {
            pattern.named_child(0).is_some_and(|child| child.kind() == "dotted_name")
        })
}

/// The values and classes that a pattern reads.
fn values(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "dotted_name" if node.named_child_count() > 1 => {
            if let (Some(base), Some(name)) = (node.named_child(0), node.named_child(1)) {
                l.read_field(d, base, l.text(name));
            }
        }
        "dotted_name" => {}
        _ => {
            for child in children(node) {
                values(l, child, d);
            }
        }
    }
}
