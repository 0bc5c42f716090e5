//! JavaScript's expressions: what they read, write and change; functions and classes inside.

use super::names::{bind, import};
use super::{Script, define, is_function, share};
use crate::flow::ir::{Origin, Touch};
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, child_of_kind, children, has_word, line};
use tree_sitter::Node;

/// A function inside, made by this step.
pub(super) fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let name = node.child_by_field_name("name").map_or("", |name| l.text(name));
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let func = if node.kind() == "function_expression" && !name.is_empty() {
        // The name of a function expression is known inside of it alone.
        l.scoped(|l| {
            l.declare(name, Origin::Local, line(node));
            define(l, node, name)
        })
    } else {
        define(l, node, name)
    };
    d.step.makes.push(func);
}

fn class(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(heritage) = child_of_kind(node, "class_heritage") {
        all::<Script>(l, heritage, d);
    }
    for member in node.child_by_field_name("body").map(children).unwrap_or_default() {
        match member.kind() {
            "method_definition" => make(l, member, d),
            "class_static_block" => all::<Script>(l, member, d),
            _ => {
                if let Some(value) = member.child_by_field_name("value") {
                    Script::expr(l, value, d);
                }
            }
        }
    }
    if matches!(node.kind(), "class_declaration" | "abstract_class_declaration")
        && let Some(name) = node.child_by_field_name("name")
    {
        l.write(d, name);
    }
}

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        kind if is_function(kind) => make(l, node, d),
        "comment"
        | "type_annotation"
        | "type_arguments"
        | "type_identifier"
        | "predefined_type"
        | "property_identifier"
        | "string"
        | "number"
        | "regex"
        | "statement_identifier" => {}
        "identifier" | "this" | "shorthand_property_identifier" => {
            d.step.throws = true;
            if l.text(node) != "undefined" {
                l.read(d, node);
            }
        }
        "member_expression" | "subscript_expression" => {
            l.read_place::<Script>(node, d);
        }
        "as_expression" | "satisfies_expression" | "non_null_expression" => {
            if let Some(inner) = node.named_child(0) {
                Script::expr(l, inner, d);
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            declaration(l, node, d);
        }
        "assignment_expression" => {
            let Some(left) = field("left") else { return };
            if let Some(right) = field("right") {
                Script::expr(l, right, d);
            }
            bind(l, left, d);
            if let Some(right) = field("right") {
                share::assigned(l, left, right);
            }
        }
        "augmented_assignment_expression" => augment(l, node, d),
        "update_expression" => {
            d.step.throws = true;
            if let Some(argument) = field("argument") {
                l.write_place::<Script>(argument, Touch::Update, d);
            }
        }
        "unary_expression" if has_word(node, "delete") => {
            if let Some(argument) = field("argument") {
                l.change_place::<Script>(argument, d);
            }
        }
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            if let Some(left) = field("left") {
                Script::expr(l, left, d);
            }
            operand(l, field("right"), matches!(operator, "&&" | "||" | "??"), d);
            share::operands(l, node);
        }
        "ternary_expression" => {
            d.step.decisions += 1;
            if let Some(condition) = field("condition") {
                Script::expr(l, condition, d);
            }
            l.perhaps(d, |l, d| {
                for part in [field("consequence"), field("alternative")].into_iter().flatten() {
                    Script::expr(l, part, d);
                }
            });
        }
        "call_expression" | "new_expression" => call(l, node, d),
        "class" | "class_declaration" | "abstract_class_declaration" => class(l, node, d),
        "pair" => {
            if let Some(key) = field("key").filter(|key| key.kind() == "computed_property_name") {
                all::<Script>(l, key, d);
            }
            if let Some(value) = field("value") {
                Script::expr(l, value, d);
            }
        }
        "import_statement" => import(node, &mut |name| l.write(d, name)),
        "enum_declaration" => {
            if let Some(name) = field("name") {
                l.write(d, name);
            }
        }
        "await_expression" | "yield_expression" => {
            d.step.throws = true;
            all::<Script>(l, node, d);
            if node.kind() == "yield_expression" {
                share::given_back(l, node.named_child(0).unwrap_or(node), d);
            }
        }
        "jsx_attribute" => {
            for child in children(node).into_iter().skip(1) {
                Script::expr(l, child, d);
            }
        }
        "jsx_opening_element" | "jsx_self_closing_element" => {
            for child in children(node) {
                if child.kind() == "identifier" {
                    l.read_known(d, child);
                } else {
                    Script::expr(l, child, d);
                }
            }
        }
        "jsx_closing_element" | "jsx_text" => {}
        "ERROR" => l.flat(d, node),
        _ => all::<Script>(l, node, d),
    }
}

fn augment(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let right = node.child_by_field_name("right");
    let operator = node.child_by_field_name("operator").map_or("", |operator| l.text(operator));
    // These assign the right side itself, or nothing.
    let short_circuits = matches!(operator, "&&=" | "||=" | "??=");
    operand(l, right, short_circuits, d);
    if let Some(left) = node.child_by_field_name("left") {
        d.step.throws = true;
        l.write_place::<Script>(left, Touch::Update, d);
        if let Some(right) = right.filter(|_| short_circuits) {
            share::assigned(l, left, right);
        }
    }
}

fn declaration(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    for declarator in children(node) {
        let (name, value) = (declarator.child_by_field_name("name"), declarator.child_by_field_name("value"));
        if let Some(value) = value {
            Script::expr(l, value, d);
        }
        // `var x;` writes nothing; `let x;` makes it undefined.
        if let Some(name) = name
            && (value.is_some() || node.kind() == "lexical_declaration")
        {
            bind(l, name, d);
            if let Some(value) = value {
                share::assigned(l, name, value);
            }
        }
    }
}

/// The right operand; after a short circuit it may not be evaluated.
fn operand(l: &mut Lower<'_>, node: Option<Node<'_>>, short: bool, d: &mut Draft) {
    let Some(node) = node else { return };
    if short {
        d.step.decisions += 1;
        l.perhaps(d, |l, d| Script::expr(l, node, d));
    } else {
        Script::expr(l, node, d);
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let Some(function) =
        node.child_by_field_name("function").or_else(|| node.child_by_field_name("constructor"))
    else {
        return all::<Script>(l, node, d);
    };
    let is_new = node.kind() == "new_expression";
    match Script::place_expr(function) {
        PlaceExpr::Name => l.read_known(d, function),
        PlaceExpr::Field(..) if !is_new => {}
        _ => Script::expr(l, function, d),
    }
    if let Some(arguments) = node.child_by_field_name("arguments") {
        all::<Script>(l, arguments, d);
    }
    if let PlaceExpr::Field(base, name) = Script::place_expr(function)
        && !is_new
    {
        l.call_method::<Script>(base, l.text(name), d);
    }
    share::call(l, node, d);
}
