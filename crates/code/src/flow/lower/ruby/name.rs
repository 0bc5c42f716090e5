//! Ruby's names: parameters, targets of assignments, patterns.

use super::Ruby;
use crate::flow::ir::{Origin, Touch};
use crate::flow::lower::place::{Grammar, all};
use crate::flow::lower::{Draft, Lower, children, line};
use tree_sitter::Node;

/// A name becomes a variable where it is first written.
fn own(l: &mut Lower<'_>, node: Node<'_>) {
    let name = l.text(node);
    if node.kind() == "identifier" && l.known(name).is_none() {
        l.declare(name, Origin::Local, line(node));
    }
}

/// Declares a parameter, with what it is when nobody gives it.
pub(super) fn param(l: &mut Lower<'_>, node: Node<'_>, origin: Origin, d: &mut Draft) {
    if let Some(value) = node.child_by_field_name("value") {
        l.perhaps(d, |l, d| Ruby::expr(l, value, d));
    }
    let name = if node.kind() == "identifier" { Some(node) } else { node.child_by_field_name("name") };
    if let Some(name) = name {
        let var = l.declare(l.text(name), origin, line(name));
        l.write_var(d, var, line(name));
        return;
    }
    for child in children(node) {
        param(l, child, origin, d);
    }
}

/// `_1` and `_2`, which nobody declares.
pub(super) fn numbered(l: &mut Lower<'_>, body: Node<'_>, d: &mut Draft) {
    for name in ["_1", "_2"] {
        if l.text(body).contains(name) {
            let var = l.declare(name, Origin::Param, line(body));
            l.write_var(d, var, line(body));
        }
    }
}

/// Writes to a target.
pub(super) fn bind(l: &mut Lower<'_>, node: Node<'_>, touch: Touch, d: &mut Draft) {
    own(l, node);
    match node.kind() {
        "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" => {
            for child in children(node) {
                bind(l, child, touch, d);
            }
        }
        _ => {
            if !l.write_place::<Ruby>(node, touch, d) {
                all::<Ruby>(l, node, d);
            }
        }
    }
}

/// Binds what a pattern names.
pub(super) fn pattern(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "identifier" => bind(l, node, Touch::Def, d),
        "as_pattern" => {
            if let Some(value) = node.child_by_field_name("value") {
                pattern(l, value, d);
            }
            if let Some(name) = node.child_by_field_name("name") {
                bind(l, name, Touch::Def, d);
            }
        }
        "keyword_pattern" => match (node.child_by_field_name("value"), node.child_by_field_name("key")) {
            (Some(value), _) => pattern(l, value, d),
            (None, Some(key)) => {
                let name = l.text(key);
                let var = l.known(name).unwrap_or_else(|| l.declare(name, Origin::Local, line(key)));
                l.write_var(d, var, line(key));
            }
            _ => {}
        },
        "splat_parameter" | "hash_splat_parameter" => {
            if let Some(name) = node.child_by_field_name("name") {
                bind(l, name, Touch::Def, d);
            }
        }
        "array_pattern"
        | "find_pattern"
        | "hash_pattern"
        | "alternative_pattern"
        | "parenthesized_pattern" => {
            for child in children(node) {
                pattern(l, child, d);
            }
        }
        "variable_reference_pattern" | "expression_reference_pattern" => all::<Ruby>(l, node, d),
        _ => Ruby::expr(l, node, d),
    }
}
