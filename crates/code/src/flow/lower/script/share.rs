//! What a value of JavaScript shares with variables, and what its calls are given.

use super::Script;
use crate::flow::effects::native;
use crate::flow::ir::{Argument, CallSite, Relation, ValueKind, VarId};
use crate::flow::lower::place::{Grammar, PlaceExpr};
use crate::flow::lower::reads::is_self;
use crate::flow::lower::{Draft, Lower, children, line};
use tree_sitter::Node;

/// What the value of an expression is, is in, or holds.
pub(super) fn sources(l: &mut Lower<'_>, node: Node<'_>) -> Vec<(Relation, VarId)> {
    let mut found = Vec::new();
    // Deeper than an expression is read, it shares nothing that is known.
    if l.descend() {
        collect(l, node, &mut found);
        l.ascend();
    }
    found
}

fn collect(l: &mut Lower<'_>, node: Node<'_>, found: &mut Vec<(Relation, VarId)>) {
    if let Some(result) = l.results.get(&node.id()) {
        found.push((Relation::Same, *result));
        return;
    }
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" | "this" | "shorthand_property_identifier" => {
            let var = l.resolve(l.text(node));
            found.push((Relation::Same, var));
        }
        "member_expression" | "subscript_expression" => {
            let from = field("object").map(|base| sources(l, base)).unwrap_or_default();
            found.extend(from.into_iter().map(|(relation, var)| match relation {
                Relation::Holds => (Relation::Same, var),
                _ => (Relation::Part, var),
            }));
        }
        "parenthesized_expression"
        | "await_expression"
        | "spread_element"
        | "as_expression"
        | "satisfies_expression"
        | "non_null_expression"
        | "sequence_expression" => {
            children(node).into_iter().for_each(|child| found.extend(sources(l, child)));
        }
        "ternary_expression" => {
            for side in [field("consequence"), field("alternative")].into_iter().flatten() {
                found.extend(sources(l, side));
            }
        }
        "assignment_expression" => {
            field("right").into_iter().for_each(|right| found.extend(sources(l, right)));
        }
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            if matches!(operator, "&&" | "||" | "??") {
                for side in [field("left"), field("right")].into_iter().flatten() {
                    found.extend(sources(l, side));
                }
            }
        }
        "array" | "object" => {
            for child in children(node) {
                let value = child.child_by_field_name("value").unwrap_or(child);
                let from = sources(l, value);
                found.extend(from.into_iter().map(|(relation, var)| match relation {
                    Relation::Part => (Relation::Same, var),
                    _ => (Relation::Holds, var),
                }));
            }
        }
        _ => {}
    }
}

/// What a value is: something that cannot change, or anything.
pub(super) fn kind(l: &mut Lower<'_>, node: Node<'_>) -> ValueKind {
    if !l.descend() {
        return ValueKind::Other;
    }
    let found = kind_of(l, node);
    l.ascend();
    found
}

fn kind_of(l: &mut Lower<'_>, node: Node<'_>) -> ValueKind {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "number" | "string" | "template_string" | "true" | "false" | "null" | "undefined" | "regex"
        | "update_expression" => ValueKind::Scalar,
        "unary_expression" => ValueKind::Scalar,
        "parenthesized_expression" => node.named_child(0).map_or(ValueKind::Other, |inner| kind(l, inner)),
        "identifier" => match l.known(l.text(node)) {
            Some(var) => ValueKind::Like(vec![var]),
            None if l.text(node) == "undefined" => ValueKind::Scalar,
            None => ValueKind::Other,
        },
        "member_expression" if field("property").is_some_and(|name| l.text(name) == "length") => {
            ValueKind::Scalar
        }
        "ternary_expression" => {
            let (Some(yes), Some(no)) = (field("consequence"), field("alternative")) else {
                return ValueKind::Other;
            };
            let (yes, no) = (kind(l, yes), kind(l, no));
            yes.and(no)
        }
        // Every operator but these gives a number, a text or a truth.
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            if !matches!(operator, "&&" | "||" | "??") {
                return ValueKind::Scalar;
            }
            let (Some(left), Some(right)) = (field("left"), field("right")) else { return ValueKind::Other };
            let (left, right) = (kind(l, left), kind(l, right));
            left.and(right)
        }
        "augmented_assignment_expression" => ValueKind::Scalar,
        "call_expression" => {
            let name = field("function").and_then(|function| match function.kind() {
                "identifier" => Some(function),
                _ => function.child_by_field_name("property"),
            });
            let gives = name.is_some_and(|name| native::gives_scalar(false, l.text(name)));
            if gives { ValueKind::Scalar } else { ValueKind::Other }
        }
        _ => ValueKind::Other,
    }
}

/// A pattern gets a value.
pub(super) fn assigned(l: &mut Lower<'_>, left: Node<'_>, right: Node<'_>) {
    let what = kind(l, right);
    let from = sources(l, right);
    target(l, left, &from, &what, false);
}

/// A pattern gets a value with these sources, or a part of it.
pub(super) fn target(
    l: &mut Lower<'_>,
    node: Node<'_>,
    from: &[(Relation, VarId)],
    what: &ValueKind,
    as_part: bool,
) {
    match Script::place_expr(node) {
        PlaceExpr::Name => {
            let var = l.resolve(l.text(node));
            l.given(var, from, what.clone(), as_part);
        }
        PlaceExpr::Field(..) | PlaceExpr::Element(..) => {
            let into = sources(l, node);
            l.stored(&into, from);
        }
        _ => {
            let parts = match node.kind() {
                "pair_pattern" => node.child_by_field_name("value").into_iter().collect(),
                "assignment_pattern" | "object_assignment_pattern" => {
                    node.child_by_field_name("left").into_iter().collect()
                }
                _ => children(node),
            };
            for child in parts {
                target(l, child, from, &ValueKind::Other, true);
            }
        }
    }
}

/// Remembers a call: what it is given, and a variable for what it gives.
pub(super) fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let makes = node.kind() == "new_expression";
    let Some(function) =
        node.child_by_field_name("function").or_else(|| node.child_by_field_name("constructor"))
    else {
        return;
    };
    let (name, base) = match function.kind() {
        "identifier" => (Some(function), None),
        _ => (function.child_by_field_name("property"), function.child_by_field_name("object")),
    };
    let name = name.map_or("", |name| l.text(name));
    let mut args = Vec::new();
    for argument in node.child_by_field_name("arguments").map(children).unwrap_or_default() {
        let splat = argument.kind() == "spread_element";
        args.push(Argument { name: None, from: sources(l, argument), splat });
    }
    let receiver = base.map(|base| sources(l, base)).unwrap_or_default();
    let callee = if function.kind() == "identifier" { l.known(name) } else { None };
    let on_self = base.is_some_and(|base| is_self(l.text(base)));
    let result = l.value_var(node);
    l.results.insert(node.id(), result);
    d.step.calls.push(CallSite {
        name: name.to_owned(),
        callee,
        is_method: base.is_some(),
        on_self,
        is_loop: false,
        makes,
        receiver,
        args,
        result,
        line: line(node),
    });
}

/// Operands of arithmetic are numbers.
pub(super) fn operands(l: &mut Lower<'_>, node: Node<'_>) {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    let parts = children(node);
    let beside_number = parts.iter().any(|part| part.kind() == "number");
    let arithmetic = matches!(operator, "-" | "*" | "/" | "%" | "**" | ">>" | ">>>" | "<<");
    let compares = matches!(operator, "<" | ">" | "<=" | ">=") && beside_number;
    if !(arithmetic || compares) {
        return;
    }
    for part in parts.into_iter().filter(|part| part.kind() == "identifier") {
        if let Some(var) = l.known(l.text(part)) {
            l.unit.used_as_scalar.insert(var);
        }
    }
}

/// A function gives back a value.
pub(super) fn given_back(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let from = sources(l, node);
    d.step.gives.extend(from);
    if d.step.gives.is_empty() {
        // A value that nothing shares.
        let value = l.value_var(node);
        d.step.gives.push((Relation::Same, value));
    }
}
