//! JavaScript's names: what patterns bind and write, what belongs to the whole function.

use super::{Script, is_function};
use crate::flow::ir::{Origin, Touch};
use crate::flow::lower::place::{Grammar, all};
use crate::flow::lower::{Draft, Lower, children, line};
use tree_sitter::Node;

/// The names that a pattern binds.
pub(super) fn pattern_names<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => found(node),
        "pair_pattern" => {
            if let Some(value) = node.child_by_field_name("value") {
                pattern_names(value, found);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.child_by_field_name("left") {
                pattern_names(left, found);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            for child in children(node) {
                pattern_names(child, found);
            }
        }
        _ => {}
    }
}

/// Writes what a pattern binds.
pub(super) fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if l.write_place::<Script>(node, Touch::Def, d) {
        return;
    }
    match node.kind() {
        "pair_pattern" => {
            if let Some(key) =
                node.child_by_field_name("key").filter(|key| key.kind() == "computed_property_name")
            {
                all::<Script>(l, key, d);
            }
            if let Some(value) = node.child_by_field_name("value") {
                bind(l, value, d);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(right) = node.child_by_field_name("right") {
                l.perhaps(d, |l, d| Script::expr(l, right, d));
            }
            if let Some(left) = node.child_by_field_name("left") {
                bind(l, left, d);
            }
        }
        _ => {
            d.step.throws = true;
            for child in children(node) {
                bind(l, child, d);
            }
        }
    }
}

/// `var` belongs to the whole function.
pub(super) fn hoist(l: &mut Lower<'_>, body: Node<'_>) {
    let mut open = children(body);
    let mut names: Vec<Node<'_>> = Vec::new();
    while let Some(node) = open.pop() {
        match node.kind() {
            kind if is_function(kind) || kind == "class_body" => continue,
            "variable_declaration" => {
                for declarator in children(node) {
                    if let Some(name) = declarator.child_by_field_name("name") {
                        pattern_names(name, &mut |name| names.push(name));
                    }
                }
            }
            "for_in_statement"
                if node.child_by_field_name("kind").is_some_and(|kind| kind.kind() == "var") =>
            {
                if let Some(left) = node.child_by_field_name("left") {
                    pattern_names(left, &mut |name| names.push(name));
                }
            }
            _ => {}
        }
        open.extend(children(node));
    }
    names.sort_by_key(Node::start_byte);
    for name in names {
        l.declare_in_function(l.text(name), line(name));
    }
}

pub(super) fn import<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
    match node.kind() {
        "identifier" => found(node),
        "import_specifier" => {
            let name = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
            if let Some(name) = name {
                found(name);
            }
        }
        _ => {
            for child in children(node) {
                import(child, found);
            }
        }
    }
}

pub(super) fn declared_here(l: &mut Lower<'_>, node: Node<'_>) {
    for declarator in children(node) {
        if let Some(name) = declarator.child_by_field_name("name") {
            pattern_names(name, &mut |name| {
                l.declare(l.text(name), Origin::Local, line(name));
            });
        }
    }
}
