//! Go's expressions: what they read, write and change.

use super::{Go, define};
use crate::flow::ir::{Access, Origin, Touch, WHOLE};
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, children, children_of, line};
use tree_sitter::Node;

/// Writes to the left side; with `:=` what is not in this scope is new.
pub(super) fn assign(l: &mut Lower<'_>, node: Node<'_>, new: bool, touch: Touch, d: &mut Draft) {
    match node.kind() {
        "expression_list" => {
            for child in children(node) {
                assign(l, child, new, touch, d);
            }
        }
        "identifier" if l.text(node) == "_" => {}
        "identifier" if new => {
            let name = l.text(node);
            let here = l.scopes.last().and_then(|scope| scope.names.get(name)).copied();
            let var = here.unwrap_or_else(|| l.declare(name, Origin::Local, line(node)));
            d.step.accesses.push(Access { var, field: WHOLE, touch: Touch::Def, line: line(node) });
        }
        _ => {
            if !l.write_place::<Go>(node, touch, d) {
                Go::expr(l, node, d);
            }
        }
    }
}

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" => l.read(d, node),
        "selector_expression" | "index_expression" => {
            l.read_place::<Go>(node, d);
        }
        "type_identifier"
        | "qualified_type"
        | "comment"
        | "interpreted_string_literal"
        | "raw_string_literal"
        | "nil"
        | "true"
        | "false"
        | "field_identifier"
        | "slice_type"
        | "map_type"
        | "array_type"
        | "channel_type"
        | "pointer_type"
        | "function_type" => {}
        "short_var_declaration" | "receive_statement" => {
            if let Some(right) = field("right") {
                Go::expr(l, right, d);
            }
            if let Some(left) = field("left") {
                assign(
                    l,
                    left,
                    node.kind() == "short_var_declaration" || l.text(node).contains(":="),
                    Touch::Def,
                    d,
                );
            }
        }
        "assignment_statement" => {
            if let Some(right) = field("right") {
                Go::expr(l, right, d);
            }
            let plain = field("operator").is_none_or(|operator| operator.kind() == "=");
            if let Some(left) = field("left") {
                assign(l, left, false, if plain { Touch::Def } else { Touch::Update }, d);
            }
        }
        "inc_statement" | "dec_statement" => {
            if let Some(place) = node.named_child(0) {
                l.write_place::<Go>(place, Touch::Update, d);
            }
        }
        "var_spec" | "const_spec" => {
            if let Some(given) = field("value") {
                Go::expr(l, given, d);
            }
            for name in children_of(node, "name") {
                if name.kind() == "identifier" {
                    let var = l.declare(l.text(name), Origin::Local, line(name));
                    l.write_var(d, var, line(name));
                }
            }
        }
        "binary_expression" => {
            let lazy = field("operator").is_some_and(|operator| matches!(operator.kind(), "&&" | "||"));
            d.step.throws = true;
            if let Some(left) = field("left") {
                Go::expr(l, left, d);
            }
            if let Some(right) = field("right") {
                d.step.decisions += u32::from(lazy);
                if lazy {
                    l.perhaps(d, |l, d| Go::expr(l, right, d));
                } else {
                    Go::expr(l, right, d);
                }
            }
        }
        "unary_expression" if field("operator").is_some_and(|operator| operator.kind() == "&") => {
            // Who has its address may change it.
            match field("operand") {
                Some(place) if matches!(Go::place_expr(place), PlaceExpr::None) => Go::expr(l, place, d),
                Some(place) => l.change_place::<Go>(place, d),
                None => {}
            }
        }
        "call_expression" => call(l, node, d),
        "func_literal" => {
            if let Some(body) = field("body") {
                l.hole(d, body);
            }
            let func = define(l, node, "func");
            d.step.makes.push(func);
        }
        "composite_literal" => {
            if let Some(body) = field("body") {
                all::<Go>(l, body, d);
            }
        }
        "keyed_element" => {
            // The key of a struct's field is a name, not a variable; that of a map is a value.
            let key = node.named_child(0).and_then(|key| key.named_child(0));
            if let Some(key) = key {
                if key.kind() == "identifier" { l.read_known(d, key) } else { Go::expr(l, key, d) }
            }
            if let Some(given) = node.named_child(1) {
                Go::expr(l, given, d);
            }
        }
        "ERROR" => l.flat(d, node),
        _ => all::<Go>(l, node, d),
    }
}

pub(super) fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let Some(function) = node.child_by_field_name("function") else { return };
    let place = Go::place_expr(function);
    match place {
        PlaceExpr::Name => l.read_known(d, function),
        PlaceExpr::Field(..) => {}
        _ => Go::expr(l, function, d),
    }
    if let Some(arguments) = node.child_by_field_name("arguments") {
        all::<Go>(l, arguments, d);
    }
    if let PlaceExpr::Field(base, name) = place {
        l.call_method::<Go>(base, l.text(name), d);
    }
}
