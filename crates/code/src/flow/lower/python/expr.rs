//! Python's expressions: what they read, write and change.

use super::names::{imported, targets};
use super::{Python, class, define, definition, share};
use crate::flow::ir::{Origin, Touch};
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, children};
use tree_sitter::Node;

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "identifier" | "attribute" | "subscript" => {
            // A name may not be bound yet.
            d.step.throws = true;
            l.read_place::<Python>(node, d);
        }
        "type" | "comment" | "string_content" | "escape_sequence" | "type_conversion" | "integer"
        | "float" => {}
        "assignment" => assign(l, node, d),
        "augmented_assignment" => augment(l, node, d),
        "named_expression" => {
            if let Some(value) = node.child_by_field_name("value") {
                Python::expr(l, value, d);
            }
            if let Some(name) = node.child_by_field_name("name") {
                l.write(d, name);
                if let Some(value) = node.child_by_field_name("value") {
                    share::assigned(l, name, value);
                }
            }
        }
        "call" => call(l, node, d),
        "boolean_operator" => {
            d.step.decisions += 1;
            if let Some(left) = node.child_by_field_name("left") {
                Python::expr(l, left, d);
            }
            if let Some(right) = node.child_by_field_name("right") {
                l.perhaps(d, |l, d| Python::expr(l, right, d));
            }
        }
        "conditional_expression" => {
            d.step.decisions += 1;
            let parts = children(node);
            if let [yes, test, no] = parts.as_slice() {
                Python::expr(l, *test, d);
                l.perhaps(d, |l, d| {
                    Python::expr(l, *yes, d);
                    Python::expr(l, *no, d);
                });
            }
        }
        "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            comprehension(l, node, d);
        }
        "lambda" => {
            for param in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
                if let Some(value) = param.child_by_field_name("value") {
                    Python::expr(l, value, d);
                }
            }
            if let Some(body) = node.child_by_field_name("body") {
                l.hole(d, body);
            }
            let func = define(l, node, "lambda");
            d.step.makes.push(func);
        }
        "function_definition" => definition(l, node, d),
        "class_definition" => class(l, node, d),
        "decorated_definition" => {
            for child in children(node) {
                Python::expr(l, child, d);
            }
        }
        "keyword_argument" => {
            if let Some(value) = node.child_by_field_name("value") {
                Python::expr(l, value, d);
            }
        }
        "as_pattern" => {
            for child in children(node) {
                if child.kind() == "as_pattern_target" {
                    target(l, child, d);
                    if let Some(value) = node.named_child(0) {
                        share::assigned(l, child, value);
                    }
                } else {
                    Python::expr(l, child, d);
                }
            }
        }
        "delete_statement" => {
            d.step.throws = true;
            for child in children(node) {
                delete(l, child, d);
            }
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            d.step.throws = true;
            for name in imported(node) {
                l.write(d, name);
            }
        }
        "await"
        | "yield"
        | "assert_statement"
        | "binary_operator"
        | "unary_operator"
        | "comparison_operator"
        | "interpolation"
        | "list_splat"
        | "dictionary_splat" => {
            d.step.throws = true;
            all::<Python>(l, node, d);
            if matches!(node.kind(), "binary_operator" | "comparison_operator") {
                share::operands(l, node);
            } else if node.kind() == "yield" {
                share::given_back(l, node.named_child(0).unwrap_or(node), d);
            }
        }
        "ERROR" => l.flat(d, node),
        _ => all::<Python>(l, node, d),
    }
}

fn augment(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let right = node.child_by_field_name("right");
    if let Some(right) = right {
        Python::expr(l, right, d);
    }
    if let Some(left) = node.child_by_field_name("left") {
        l.write_place::<Python>(left, Touch::Update, d);
        if let Some(right) = right {
            share::augmented(l, left, right, d);
        }
    }
}

fn assign(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(right) = node.child_by_field_name("right") else { return };
    Python::expr(l, right, d);
    if let Some(left) = node.child_by_field_name("left") {
        target(l, left, d);
        share::assigned(l, left, right);
    }
}

/// Writes to a target.
pub(super) fn target(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.write_place::<Python>(node, Touch::Def, d) {
        // Taking apart may fail.
        d.step.throws = true;
        for child in children(node) {
            target(l, child, d);
        }
    }
}

fn delete(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.write_place::<Python>(node, Touch::Update, d) {
        for child in children(node) {
            delete(l, child, d);
        }
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let arguments = node.child_by_field_name("arguments");
    let Some(function) = node.child_by_field_name("function") else { return };
    match Python::place_expr(function) {
        PlaceExpr::Name => l.read_known(d, function),
        PlaceExpr::Field(..) => {}
        _ => Python::expr(l, function, d),
    }
    if let Some(arguments) = arguments {
        Python::expr(l, arguments, d);
    }
    if let PlaceExpr::Field(base, name) = Python::place_expr(function) {
        l.call_method::<Python>(base, l.text(name), d);
    }
    share::call(l, node, d);
}

fn comprehension(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    l.scoped(|l| {
        let clauses: Vec<Node<'_>> = children(node).into_iter().skip(1).collect();
        for clause in clauses {
            if clause.kind() != "for_in_clause" {
                d.step.decisions += 1;
                l.perhaps(d, |l, d| all::<Python>(l, clause, d));
                continue;
            }
            if let Some(right) = clause.child_by_field_name("right") {
                Python::expr(l, right, d);
            }
            if let Some(left) = clause.child_by_field_name("left") {
                let mut names = Vec::new();
                targets(l, left, &mut names);
                for (name, line) in names {
                    l.declare(&name, Origin::Local, line);
                }
                target(l, left, d);
                if let Some(right) = clause.child_by_field_name("right") {
                    share::iterates(l, left, right, d);
                }
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            l.perhaps(d, |l, d| Python::expr(l, body, d));
        }
    });
}
