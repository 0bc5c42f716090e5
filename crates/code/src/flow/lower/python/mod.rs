//! Python: one scope for each function, names that are written anywhere in it are its own; comprehensions have theirs.

mod control;
mod expr;
mod names;
mod share;

use super::place::{Grammar, PlaceExpr, member};
use super::{Draft, Lower, child_of_kind, children, children_of};
use crate::flow::ir::{Body, FuncId, Jump, Loop, Role, Step, Stmt, Unit};
use control::{attempt, conditional, each, matching, with};
use expr::expression;
use names::hoist;
use tree_sitter::Node;

struct Python;

impl Grammar for Python {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => PlaceExpr::Name,
            "attribute" => member(node, "object", "attribute"),
            "subscript" => match field("value") {
                Some(base) => PlaceExpr::Element(base, children_of(node, "subscript")),
                None => PlaceExpr::None,
            },
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    match node.kind() {
        "module" => {
            l.function(node, name, |l, _| {
                hoist(l, node);
                for child in children(node) {
                    stmt(l, child);
                }
            });
        }
        _ => {
            define(&mut l, node, name);
        }
    }
    l.done()
}

/// A `def` or a `lambda`.
fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    l.function(node, name, |l, entry| {
        for child in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            l.param(entry, child, |l, d| param(l, child, d));
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if node.kind() == "lambda" {
            let mut draft = l.draft(body, Role::Return);
            Python::expr(l, body, &mut draft);
            share::given_back(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        } else {
            hoist(l, body);
            block(l, body);
        }
    })
}

fn param(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "identifier" => l.declare_param(d, node),
        "default_parameter" | "typed_default_parameter" => {
            if let Some(name) = node.child_by_field_name("name") {
                param(l, name, d);
                share::annotated(l, name, node);
            }
        }
        "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern" => {
            for child in children(node).into_iter().filter(|child| child.kind() != "type") {
                param(l, child, d);
                share::annotated(l, child, node);
            }
        }
        _ => {}
    }
}

fn block(l: &mut Lower<'_>, node: Node<'_>) {
    for child in children(node) {
        stmt(l, child);
    }
}

fn body(l: &mut Lower<'_>, node: Option<Node<'_>>) -> Body {
    l.nested(|l| {
        if let Some(node) = node {
            block(l, node);
        }
    })
}

/// The block of a clause, however the grammar names it.
fn block_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
        .or_else(|| node.child_by_field_name("consequence"))
        .or_else(|| child_of_kind(node, "block"))
}

/// One step with an expression, or several, in it.
fn step(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    Python::expr(l, node, &mut draft);
    l.finish(draft)
}

fn stmt(l: &mut Lower<'_>, node: Node<'_>) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node);
    l.leave();
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) {
    match node.kind() {
        "comment" | "global_statement" | "nonlocal_statement" => {}
        "block" | "module" => block(l, node),
        "if_statement" => conditional(l, node),
        "for_statement" => each(l, node),
        "while_statement" => {
            let mut endless = false;
            let mut draft = l.draft(node, Role::Test);
            if let Some(condition) = node.child_by_field_name("condition") {
                draft = l.draft_of(node, condition, Role::Test);
                endless = matches!(l.text(condition), "True" | "1");
                Python::expr(l, condition, &mut draft);
            }
            let head = l.finish(draft);
            let inside = body(l, node.child_by_field_name("body"));
            let other = otherwise(l, node);
            l.emit(Stmt::Loop(Loop { endless, other, ..Loop::new(head, inside) }));
        }
        "try_statement" => attempt(l, node),
        "with_statement" => with(l, node),
        "match_statement" => matching(l, node),
        "return_statement" => {
            let step = step_of_children(l, node, Role::Return);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
        "raise_statement" => {
            let step = step_of_children(l, node, Role::Throw);
            l.emit(Stmt::Jump(step, Jump::Throw));
        }
        "break_statement" => {
            let step = step(l, node, Role::Break);
            l.emit(Stmt::Jump(step, Jump::Break(None)));
        }
        "continue_statement" => {
            let step = step(l, node, Role::Continue);
            l.emit(Stmt::Jump(step, Jump::Continue(None)));
        }
        "ERROR" => l.one_step(node),
        _ => {
            let step = step(l, node, Role::Plain);
            l.emit(Stmt::Step(step));
        }
    }
}

fn step_of_children(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    for child in children(node) {
        Python::expr(l, child, &mut draft);
        if role == Role::Return {
            share::given_back(l, child, &mut draft);
        }
    }
    l.finish(draft)
}

fn otherwise(l: &mut Lower<'_>, node: Node<'_>) -> Body {
    let clause = node.child_by_field_name("alternative");
    body(l, clause.and_then(block_of))
}

/// A function or a class inside.
fn definition(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let name = node.child_by_field_name("name");
    let text = name.map_or("", |name| l.text(name));
    if let Some(params) = node.child_by_field_name("parameters") {
        // Defaults are evaluated where the function is made.
        for param in children(params) {
            if let Some(value) = param.child_by_field_name("value") {
                Python::expr(l, value, d);
            }
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let func = define(l, node, text);
    d.step.makes.push(func);
    if let Some(name) = name {
        l.write(d, name);
    }
}

fn class(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(bases) = node.child_by_field_name("superclasses") {
        Python::expr(l, bases, d);
    }
    if let Some(inside) = node.child_by_field_name("body") {
        let mut open = children(inside);
        open.reverse();
        while let Some(child) = open.pop() {
            match child.kind() {
                "decorated_definition" => open.extend(child.child_by_field_name("definition")),
                "function_definition" => {
                    if let Some(body) = child.child_by_field_name("body") {
                        l.hole(d, body);
                    }
                    let name = child.child_by_field_name("name").map_or("", |name| l.text(name));
                    let func = define(l, child, name);
                    d.step.makes.push(func);
                }
                "expression_statement" => {
                    for assignment in children(child) {
                        if let Some(right) = assignment.child_by_field_name("right") {
                            Python::expr(l, right, d);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if let Some(name) = node.child_by_field_name("name") {
        l.write(d, name);
    }
}
