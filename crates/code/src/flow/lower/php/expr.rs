//! PHP's expressions: what they read, write and change; functions inside, and what they take along.

use super::{Php, Taken, define, matched, names_in};
use crate::flow::ir::Touch;
use crate::flow::lower::curly::{self};
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, child_of_kind, children, has_word, line};
use tree_sitter::Node;

/// Functions of the language that change what they are given: which argument, counted from one.
const CHANGES: &[(&str, usize)] = &[
    ("array_multisort", 1),
    ("array_pop", 1),
    ("array_push", 1),
    ("array_shift", 1),
    ("array_splice", 1),
    ("array_unshift", 1),
    ("array_walk", 1),
    ("arsort", 1),
    ("asort", 1),
    ("end", 1),
    ("exec", 2),
    ("krsort", 1),
    ("ksort", 1),
    ("next", 1),
    ("parse_str", 2),
    ("preg_match", 3),
    ("preg_match_all", 3),
    ("prev", 1),
    ("reset", 1),
    ("rsort", 1),
    ("settype", 1),
    ("shuffle", 1),
    ("sort", 1),
    ("uasort", 1),
    ("uksort", 1),
    ("usort", 1),
];

/// Writes what a target names.
pub(super) fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if l.write_place::<Php>(node, Touch::Def, d) {
        return;
    }
    match node.kind() {
        "list_literal" | "array_creation_expression" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
            for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.is_named()) {
                if parts.get(number + 1).is_some_and(|next| next.kind() == "=>") {
                    Php::expr(l, *part, d);
                } else {
                    bind(l, *part, d);
                }
            }
        }
        "by_ref" | "array_element_initializer" => {
            for child in children(node) {
                bind(l, child, d);
            }
        }
        _ => Php::expr(l, node, d),
    }
}

/// A function inside, made by this step, with what it takes along.
pub(super) fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let mut taken: Vec<Taken> = Vec::new();
    let mut take = |l: &Lower<'_>, name: Node<'_>, shared: bool| {
        let text = l.text(name);
        if let Some(var) = l.known(text)
            && !taken.iter().any(|taken| taken.name == text)
        {
            taken.push(Taken { name: text.to_owned(), var, shared, line: line(name) });
        }
    };
    match node.kind() {
        "anonymous_function" => {
            for name in child_of_kind(node, "anonymous_function_use_clause").map(children).unwrap_or_default()
            {
                let shared = name.kind() == "by_ref";
                let name = if shared { name.named_child(0).unwrap_or(name) } else { name };
                take(l, name, shared);
            }
        }
        "arrow_function" => {
            // It takes along whatever it names.
            for (name, _) in
                node.child_by_field_name("body").map(|body| names_in(body, true)).unwrap_or_default()
            {
                take(l, name, false);
            }
            let params = node.child_by_field_name("parameters").map(children).unwrap_or_default();
            let params: Vec<&str> = params
                .iter()
                .filter_map(|param| param.child_by_field_name("name"))
                .map(|name| l.text(name))
                .collect();
            taken.retain(|taken| !params.contains(&taken.name.as_str()));
        }
        _ => {}
    }
    for Taken { var, line, .. } in taken.iter().filter(|taken| !taken.shared) {
        l.read_var(d, *var, *line);
    }
    let name = node.child_by_field_name("name").map_or("", |name| l.text(name));
    let func = define(l, node, name, &taken);
    d.step.makes.push(func);
}

/// The methods of a class that stands inside of something.
pub(super) fn members(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let list =
        child_of_kind(node, "declaration_list").or_else(|| child_of_kind(node, "enum_declaration_list"));
    for member in list.map(children).unwrap_or_default() {
        if member.kind() == "method_declaration" && member.child_by_field_name("body").is_some() {
            make(l, member, d);
        }
    }
}

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    if curly::lazy::<Php>(l, node, d) {
        return;
    }
    match node.kind() {
        "variable_name" | "scoped_property_access_expression" => l.read(d, node),
        "member_access_expression" | "nullsafe_member_access_expression" | "subscript_expression" => {
            l.read_place::<Php>(node, d);
        }
        "comment" | "name" | "qualified_name" | "string" | "string_content" | "named_type" => {}
        "dynamic_variable_name" => {
            l.unread(node, "which variable `$$` means is known only when it runs");
            all::<Php>(l, node, d);
        }
        "assignment_expression" | "reference_assignment_expression" | "augmented_assignment_expression" => {
            assignment(l, node, d);
        }
        "update_expression" => {
            if let Some(place) = field("argument") {
                l.write_place::<Php>(place, Touch::Update, d);
            }
        }
        "static_variable_declaration" => {
            // The value is there from the last time, or this one.
            if let Some(value) = field("value") {
                Php::expr(l, value, d);
            }
            if let Some(name) = field("name") {
                l.perhaps(d, |l, d| bind(l, name, d));
            }
        }
        "unset_statement" => {
            for place in children(node) {
                match Php::place_expr(place) {
                    PlaceExpr::Name => l.write(d, place),
                    _ => l.change_place::<Php>(place, d),
                }
            }
        }
        "by_ref" => {
            if let Some(place) = node.named_child(0) {
                l.change_place::<Php>(place, d);
            }
        }
        "function_call_expression" => call(l, node, d),
        "member_call_expression" | "nullsafe_member_call_expression" => call_method(l, node, d),
        "scoped_call_expression" => {
            d.step.throws = true;
            if let Some(arguments) = field("arguments") {
                all::<Php>(l, arguments, d);
            }
            if let Some(scope) = field("scope") {
                Php::expr(l, scope, d);
            }
        }
        "object_creation_expression" => create(l, node, d),
        "argument" => {
            for part in children(node).into_iter().filter(|part| part.kind() != "name") {
                Php::expr(l, part, d);
            }
        }
        "array_element_initializer" if has_word(node, "&") => {
            for place in children(node) {
                l.change_place::<Php>(place, d);
            }
        }
        "anonymous_function" | "arrow_function" => make(l, node, d),
        "match_expression" => {
            let var = l.value_var(node);
            let body = l.nested(|l| matched(l, node, var));
            l.emit_before(body);
            l.read_var(d, var, line(node));
            l.hole(d, node.child_by_field_name("body").unwrap_or(node));
        }
        "throw_expression"
        | "yield_expression"
        | "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => {
            d.step.throws = true;
            all::<Php>(l, node, d);
        }
        "ERROR" => l.flat(d, node),
        _ => all::<Php>(l, node, d),
    }
}

/// `=`, `=&`, `+=` and their kin.
fn assignment(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    let short = field("operator").is_some_and(|operator| operator.kind() == "??=");
    d.step.decisions += u32::from(short);
    if let Some(right) = field("right") {
        match node.kind() {
            // Who has the reference may change it.
            "reference_assignment_expression" => l.change_place::<Php>(right, d),
            _ if short => l.perhaps(d, |l, d| Php::expr(l, right, d)),
            _ => Php::expr(l, right, d),
        }
    }
    if let Some(left) = field("left") {
        if node.kind() == "augmented_assignment_expression" {
            l.write_place::<Php>(left, Touch::Update, d);
        } else {
            bind(l, left, d);
        }
    }
}

/// `$x->f()`, `$x?->f()`.
fn call_method(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    d.step.throws = true;
    if let Some(arguments) = field("arguments") {
        all::<Php>(l, arguments, d);
    }
    match (field("object"), field("name")) {
        (Some(base), Some(name)) if name.kind() == "name" => {
            l.call_method::<Php>(base, l.text(name), d);
        }
        (Some(base), name) => {
            name.into_iter().for_each(|name| Php::expr(l, name, d));
            l.call_method::<Php>(base, "", d);
        }
        _ => {}
    }
}

/// `new C(…)`, also of a class without a name.
fn create(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    for part in children(node) {
        match part.kind() {
            "anonymous_class" => {
                child_of_kind(part, "arguments").into_iter().for_each(|list| all::<Php>(l, list, d));
                members(l, part, d);
            }
            "declaration_list" => {}
            _ => Php::expr(l, part, d),
        }
    }
    if child_of_kind(node, "declaration_list").is_some() {
        members(l, node, d);
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let Some(function) = node.child_by_field_name("function") else { return all::<Php>(l, node, d) };
    if !matches!(function.kind(), "name" | "qualified_name") {
        Php::expr(l, function, d);
    } else if let Some(var) = l.known_function(l.text(function)) {
        l.read_var(d, var, line(function));
    }
    let name = l.text(function).trim_start_matches('\\').to_ascii_lowercase();
    let changed = CHANGES.iter().find(|(known, _)| *known == name).map(|(_, at)| *at);
    let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
    for (number, argument) in arguments.into_iter().enumerate() {
        match argument.named_child(0) {
            Some(place)
                if changed == Some(number + 1) && !matches!(Php::place_expr(place), PlaceExpr::None) =>
            {
                l.change_place::<Php>(place, d);
            }
            _ => Php::expr(l, argument, d),
        }
    }
    if name == "compact" || name == "extract" || name == "eval" {
        l.unread(node, "names variables by their text; they are not followed");
    }
}
